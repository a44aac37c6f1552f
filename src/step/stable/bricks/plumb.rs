//! Bricks that stand on others by pushes alone, straight down to what does not move. Such pushes may be
//! added to forces that balance all others: a structure that stands does so with one more of these bricks,
//! and no stud pulls more than before. No program is needed to say so; the converse does not hold.

use std::collections::HashSet;

use super::Bricks;
use super::program::hull;
use crate::math::DVec3;

/// What is known of points over bricks that are there. Bricks are added only: what reached the ground
/// once does so for ever.
pub(super) struct Plumb {
    known: HashSet<(u32, [i64; 2])>,
    /// By body, its contacts by studs, and the bodies that it touches with its sides.
    studs: Vec<Vec<usize>>,
    sides: Vec<Vec<u32>>,
    /// The bodies of every contact.
    bodies: Vec<[u32; 2]>,
}

impl Plumb {
    pub fn new(bricks: &Bricks) -> Self {
        let count = bricks.moves.len();
        let (mut studs, mut sides) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        let bodies: Vec<[u32; 2]> = bricks.studs.iter().map(|studs| studs.bodies).collect();
        for (contact, bodies) in bodies.iter().enumerate() {
            bodies.iter().for_each(|body| studs[*body as usize].push(contact));
        }
        for [a, b] in bricks.sides.iter().map(|side| side.bodies) {
            sides[a as usize].push(b);
            sides[b as usize].push(a);
        }
        Plumb { known: HashSet::new(), studs, sides, bodies }
    }

    /// The bodies that one touches.
    pub fn beside(&self, body: u32) -> impl Iterator<Item = u32> + '_ {
        let own = self.studs[body as usize].iter().flat_map(|contact| self.bodies[*contact]);
        own.filter(move |other| *other != body).chain(self.sides[body as usize].iter().copied())
    }

    /// Whether studs join a brick to one that is there.
    pub fn is_joined(&self, is_there: &[bool], body: u32) -> bool {
        let mut own = self.studs[body as usize].iter().flat_map(|contact| self.bodies[*contact]);
        own.any(|other| other != body && is_there[other as usize])
    }

    /// The bricks under one, with the points at which they bear it.
    fn below(&self, bricks: &Bricks, is_there: &[bool], body: u32) -> Vec<(u32, Vec<[i64; 2]>)> {
        let own = self.studs[body as usize].iter().map(|contact| &bricks.studs[*contact]);
        let under =
            own.filter(|studs| studs.bodies[0] == body && is_there[studs.bodies[1] as usize]);
        under.map(|studs| (studs.bodies[1], studs.points())).collect()
    }

    /// Whether the weight of a brick is borne by pushes under it that go straight down.
    pub fn bears(&mut self, bricks: &Bricks, load: DVec3, is_there: &[bool], body: u32) -> bool {
        if load.x != 0.0 || load.y != 0.0 || load.z > 0.0 {
            return false;
        }
        let mut borne = Vec::new();
        for (lower, points) in self.below(bricks, is_there, body) {
            borne
                .extend(points.into_iter().filter(|at| self.reaches(bricks, is_there, lower, *at)));
        }
        is_inside(&hull(borne), bricks.places[body as usize].middle())
    }

    /// Whether a push down on a brick at a point goes straight down to what does not move.
    fn reaches(&mut self, bricks: &Bricks, is_there: &[bool], body: u32, at: [i64; 2]) -> bool {
        if !bricks.moves[body as usize] || self.known.contains(&(body, at)) {
            return true;
        }
        let found = self.below(bricks, is_there, body).into_iter().any(|(lower, points)| {
            is_inside(&hull(points), at) && self.reaches(bricks, is_there, lower, at)
        });
        if found {
            self.known.insert((body, at));
        }
        found
    }
}

/// Whether a point is in the hull of corners that go around, or of fewer than three.
fn is_inside(corners: &[[i64; 2]], at: [i64; 2]) -> bool {
    let turn =
        |a: [i64; 2], b: [i64; 2]| (b[0] - a[0]) * (at[1] - a[1]) - (b[1] - a[1]) * (at[0] - a[0]);
    match *corners {
        [] => false,
        [only] => only == at,
        [a, b] => {
            turn(a, b) == 0 && (0..2).all(|k| at[k] >= a[k].min(b[k]) && at[k] <= a[k].max(b[k]))
        }
        _ => (0..corners.len()).all(|k| turn(corners[k], corners[(k + 1) % corners.len()]) >= 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_of_a_hull() {
        let square = hull(vec![[0, 0], [8, 0], [0, 8], [8, 8], [4, 4]]);
        let asked = [[4, 4], [0, 0], [8, 5], [9, 4], [-1, 0]];
        assert_eq!(asked.map(|at| is_inside(&square, at)), [true, true, true, false, false]);
        let line = hull(vec![[0, 0], [8, 4]]);
        assert_eq!([[4, 2], [4, 3], [16, 8]].map(|at| is_inside(&line, at)), [true, false, false]);
        assert!(is_inside(&[[1, 2]], [1, 2]) && !is_inside(&[], [0, 0]));
    }
}
