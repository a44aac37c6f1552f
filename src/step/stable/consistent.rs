//! Forces that a displacement brings about. Balancing forces may hold each other up: a bar between
//! two walls is balanced by friction if it presses against both, and nothing makes it press. Coupled
//! rigid-block analysis [Kao et al. 2022] asks for a virtual displacement as well: all contacts overlap
//! by at most a hair, and exactly by that where they press; friction acts against what slides. In space
//! that is asked up to the 16th of a turn, or an 8th where friction is along one of 16 directions; what
//! rubs need not slide.
//!
//! A displacement for given forces exists, or (Farkas) some of the forces contradict each other: then one
//! touch has to be left, or one has to rub the other way. So sets of forces are tried one after the
//! other, by linear programs, until one has a displacement, or none is left that balances.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Statics;
use super::forces::FEW_SIDES;
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use crate::solver::linear::{Column, Pick, Polygon, Program, Simplex};
use crate::step::collapse::gauss::{Ends, Gauss, tangents};

/// So many sets of forces are tried, fewer where programs are large: some seconds.
const MOST_SETS: [usize; 2] = [200, 20_000];
const MOST_WORK: usize = 20_000_000;

/// A touch that presses with less than this part of the strongest force does not.
const PRESSES: f64 = 1e-9;

/// Whether balancing forces exist that a virtual displacement brings about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consistency {
    /// They do: such a displacement exists for those that were found.
    Found,
    /// They do not, with polygons of 16 sides in the circles of friction: what balances holds itself up.
    Missing,
    /// None was found among the sets of forces that were tried.
    Open,
}

/// What a touch may do: bit k is the force along the edge of its cone towards direction k; the last bit is
/// the push along the normal. Nothing is a touch that is left.
type Allowed = Vec<u32>;

/// The normal push, beyond all directions.
const NORMAL: u32 = 31;

/// A force that contradicts others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Clash {
    /// This touch presses.
    Presses(usize),
    /// It rubs to this side.
    Rubs(usize, u32),
}

/// The unit pushes of all touches as columns.
struct Pushes {
    normals: Vec<Column>,
    /// One for each direction around each touch; none without friction.
    across: Vec<Vec<Column>>,
    friction: Vec<f64>,
}

impl Statics<'_> {
    /// Whether what balances can come about: a displacement makes no contact overlap by more than a
    /// length, those that press by just that, and nothing slides the way that friction pushes it.
    pub fn consistency(&self) -> Result<Consistency> {
        if !self.model.joints.is_empty() {
            return Err(Problem::new("displacements are asked of contacts, and here are joints")
                .help("leave out --consistent, or the [[joints]]"));
        }
        self.simplex()?;
        let pushes = self.pushes_of_touches();
        let all = |across: &Vec<Column>| (1 << NORMAL) | ((1_u32 << across.len()) - 1);
        let work = self.rows() * self.touches.len();
        let most = (MOST_WORK / work.max(1)).clamp(MOST_SETS[0], MOST_SETS[1]);
        let mut tried: BTreeSet<Allowed> = BTreeSet::new();
        let mut open: Vec<Allowed> = vec![pushes.across.iter().map(all).collect()];
        while let Some(allowed) = open.pop() {
            if !tried.insert(allowed.clone()) {
                continue;
            }
            if tried.len() > most {
                return Ok(Consistency::Open);
            }
            let Some(forces) = self.balance_with(&pushes, &allowed) else { continue };
            let Some(clashes) = self.clashes(&pushes, &forces) else {
                return Ok(Consistency::Found);
            };
            // Rubbing the other way is tried first.
            for clash in clashes {
                let mut fewer = allowed.clone();
                match clash {
                    Clash::Presses(touch) => fewer[touch] = 0,
                    Clash::Rubs(touch, k) => {
                        fewer[touch] &= !nearer(k, pushes.across[touch].len() as u32);
                    }
                }
                open.push(fewer);
            }
        }
        Ok(Consistency::Missing)
    }

    fn pushes_of_touches(&self) -> Pushes {
        let gauss: Gauss = self.gauss([].into_iter());
        let mut pushes = Pushes { normals: Vec::new(), across: Vec::new(), friction: Vec::new() };
        for touch in &self.touches {
            let along = |direction: DVec3| {
                self.column(gauss.parts(&Ends::of_touch(touch), direction, DVec3::ZERO))
            };
            let friction = self.friction_of(touch);
            let directions = match &tangents(self.model.dimension, touch.normal)[..] {
                _ if friction == 0.0 => Vec::new(),
                [one, _, two, _] => {
                    let step = std::f64::consts::TAU / FEW_SIDES as f64;
                    let turn = |k: usize| (k as f64 * step).sin_cos();
                    let direction = |(sin, cos): (f64, f64)| *one * cos + *two * sin;
                    (0..FEW_SIDES).map(turn).map(direction).collect()
                }
                flat => flat.to_vec(),
            };
            pushes.normals.push(along(touch.normal));
            pushes.across.push(directions.into_iter().map(along).collect());
            pushes.friction.push(friction);
        }
        pushes
    }

    /// Balancing forces of those that are allowed, as touch, direction and share; none if there are none.
    fn balance_with(&self, pushes: &Pushes, allowed: &Allowed) -> Option<Vec<(usize, u32, f64)>> {
        let mut program = Program { rows: self.rows(), ..Program::default() };
        let mut names = Vec::new();
        for (touch, &bits) in allowed.iter().enumerate() {
            for k in (0..=NORMAL).filter(|k| bits >> k & 1 == 1) {
                let mut column = pushes.normals[touch].clone();
                if k != NORMAL {
                    let rubs = &pushes.across[touch][k as usize];
                    column.extend(rubs.iter().map(|(row, x)| (*row, x * pushes.friction[touch])));
                }
                names.push((touch, k));
                program.columns.push(summed(column));
            }
        }
        let right = self.pulls_by_row();
        let simplex = Simplex::new(Arc::new(program), right, Polygon::Inner, &[]);
        if self.left_over(&simplex) >= self.tolerance.balance {
            return None;
        }
        let shares = simplex.combination();
        let most = shares.iter().map(|(_, share)| *share).fold(0.0, f64::max);
        let name = |(pick, share): &(Pick, f64)| match pick {
            Pick::Column(column) if *share > PRESSES * most => {
                Some((names[*column].0, names[*column].1, *share))
            }
            _ => None,
        };
        Some(shares.iter().filter_map(name).collect())
    }

    /// Of forces, some that no displacement brings about; none if one does for all.
    fn clashes(&self, pushes: &Pushes, forces: &[(usize, u32, f64)]) -> Option<Vec<Clash>> {
        let sum = self.rows() as u32;
        let mut program = Program { rows: self.rows() + 1, ..Program::default() };
        let mut add = |column: &Column, sign: f64, counts: f64| {
            let mut column: Column = column.iter().map(|(row, x)| (*row, sign * x)).collect();
            column.extend((counts != 0.0).then_some((sum, counts)));
            program.columns.push(column);
        };
        // No touch overlaps by more than 1.
        pushes.normals.iter().for_each(|normal| add(normal, 1.0, 1.0));
        let pressing: BTreeSet<usize> = forces.iter().map(|(touch, ..)| *touch).collect();
        let mut clashes: Vec<Clash> = Vec::new();
        for &touch in &pressing {
            let own = forces.iter().filter(|(other, k, _)| *other == touch && *k != NORMAL);
            let own: Vec<(u32, f64)> = own.map(|(_, k, share)| (*k, *share)).collect();
            clashes.push(Clash::Presses(touch));
            let sides = sides_of(&own, pushes.across[touch].len() as u32);
            clashes.extend(sides.into_iter().map(|side| Clash::Rubs(touch, side)));
        }
        for clash in &clashes {
            match clash {
                Clash::Presses(touch) => add(&pushes.normals[*touch], -1.0, -1.0),
                Clash::Rubs(touch, k) => add(&pushes.across[*touch][*k as usize], -1.0, 0.0),
            }
        }
        let mut right = vec![0.0; program.rows];
        right[sum as usize] = -1.0;
        let simplex = Simplex::new(Arc::new(program), right, Polygon::Inner, &[]);
        if simplex.left_over() >= self.tolerance.balance {
            return None;
        }
        let count = self.touches.len();
        let own = |(pick, share): (Pick, f64)| match pick {
            Pick::Column(column) if column >= count && share > PRESSES => {
                Some(clashes[column - count])
            }
            _ => None,
        };
        let mut found: Vec<Clash> = simplex.combination().into_iter().filter_map(own).collect();
        found.sort_unstable();
        Some(found)
    }
}

/// The directions on whose sides the sum of forces along some of `count` directions is, and every
/// direction between the same two of them: the displacement has to be on the other side of each.
fn sides_of(forces: &[(u32, f64)], count: u32) -> Vec<u32> {
    if count <= 2 {
        return forces.iter().map(|(k, _)| *k).collect();
    }
    let step = std::f64::consts::TAU / f64::from(count);
    let (mut x, mut y, mut most) = (0.0, 0.0, 0.0_f64);
    for (k, share) in forces {
        let (sin, cos) = (f64::from(*k) * step).sin_cos();
        (x, y, most) = (x + share * cos, y + share * sin, most.max(*share));
    }
    if x.hypot(y) <= PRESSES * most {
        return Vec::new(); // it does not rub
    }
    let turn = y.atan2(x).rem_euclid(std::f64::consts::TAU) / step;
    let quarter = count / 4;
    // Of the two directions around it the inner normals; along one of them, of its neighbours.
    let (low, high) = match (turn - turn.round()).abs() < 1e-6 {
        true => (turn.round() as u32 + count - 1, turn.round() as u32 + 1),
        false => (turn.floor() as u32 + count, turn.ceil() as u32),
    };
    vec![(low + quarter) % count, (high + count - quarter) % count]
}

/// The bits of the directions less than a quarter of a turn from direction `k`, of so many around.
fn nearer(k: u32, count: u32) -> u32 {
    if count <= 2 {
        return 1 << k;
    }
    let quarter = count / 4;
    (0..2 * quarter - 1).fold(0, |bits, j| bits | 1 << ((k + count + j + 1 - quarter) % count))
}

/// Entries of the same row as one.
fn summed(mut column: Column) -> Column {
    column.sort_by_key(|(row, _)| *row);
    let mut short = Column::with_capacity(column.len());
    for (row, x) in column {
        match short.last_mut() {
            Some((last, sum)) if *last == row => *sum += x,
            _ => short.push((row, x)),
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DVec3;
    use crate::shape::Shape;
    use crate::step::collapse::samples::{add, rectangle};
    use crate::world::{Model, Motion, State};

    /// A model in the plane or in space whose last bodies are fixed; all as rough as this.
    fn model(bodies: Vec<(Shape, DVec3)>, fixed: usize, friction: f64) -> (Model, State) {
        let (dimension, down) =
            if bodies[0].0.flat { (2, DVec3::NEG_Y) } else { (3, DVec3::NEG_Z) };
        let (mut model, mut state) = (Model::new(dimension, down), State::default());
        let free = bodies.len() - fixed;
        for (k, (shape, at)) in bodies.into_iter().enumerate() {
            let body = add(&mut model, &mut state, shape, at);
            body.material.friction = friction;
            body.motion = if k < free { Motion::Free } else { Motion::Fixed };
        }
        (model, state)
    }

    fn judge((model, state): &(Model, State)) -> (bool, Consistency) {
        let statics = Statics::new(model, state).unwrap();
        (statics.verdict().is_balanced(), statics.consistency().unwrap())
    }

    /// The smallest balance that cannot come about: a block between two walls.
    #[test]
    fn a_bar_between_walls_holds_itself_up() {
        let wall = |x: f64| (rectangle(1.0, 4.0), DVec3::X * x);
        let bar = || (rectangle(1.0, 1.0), DVec3::ZERO);
        assert_eq!(
            judge(&model(vec![bar(), wall(-1.0), wall(1.0)], 2, 0.8)),
            (true, Consistency::Missing)
        );
        // On the ground it stands by itself, between walls or not.
        let ground = || (rectangle(9.0, 1.0), DVec3::Y * -1.0);
        let held = vec![
            bar(),
            ground(),
            (rectangle(1.0, 1.0), DVec3::X),
            (rectangle(1.0, 1.0), -DVec3::X),
        ];
        assert_eq!(judge(&model(held, 3, 0.8)), (true, Consistency::Found));
        let cube = |size: DVec3, at: DVec3| (Shape::cuboid(size).unwrap(), at);
        let wall = |x: f64| cube(DVec3::new(1.0, 3.0, 3.0), DVec3::X * x);
        let solid = vec![cube(DVec3::ONE, DVec3::ZERO), wall(-1.0), wall(1.0)];
        assert_eq!(judge(&model(solid, 2, 0.8)), (true, Consistency::Missing));
    }

    /// Two bars between walls, one on the other; a wedge in a notch; a stack; a block on a slope of
    /// which friction holds it.
    #[test]
    fn what_weights_press_together() {
        let wall = |x: f64| (rectangle(1.0, 6.0), DVec3::X * x);
        let bars = [0.0, 1.0].map(|y| (rectangle(1.0, 1.0), DVec3::Y * y)).to_vec();
        let bars = [bars, vec![wall(-1.0), wall(1.0)]].concat();
        assert_eq!(judge(&model(bars, 2, 0.8)), (true, Consistency::Missing));
        let polygon = |corners: &[[f64; 2]]| (Shape::polygon(corners, &[]).unwrap(), DVec3::ZERO);
        let wedge = polygon(&[[0.0, 0.0], [1.0, 2.0], [-1.0, 2.0]]);
        let left = polygon(&[[-2.0, -1.0], [0.0, -1.0], [0.0, 0.0], [-1.0, 2.0], [-2.0, 2.0]]);
        let right = polygon(&[[0.0, -1.0], [2.0, -1.0], [2.0, 2.0], [1.0, 2.0], [0.0, 0.0]]);
        assert_eq!(judge(&model(vec![wedge, left, right], 2, 0.1)), (true, Consistency::Found));
        let stack = [0.0, 1.0, 2.0].map(|y| (rectangle(1.0, 1.0), DVec3::new(0.2 * y, y, 0.0)));
        let ground = (rectangle(9.0, 1.0), DVec3::Y * -1.0);
        let stack = [stack.to_vec(), vec![ground]].concat();
        assert_eq!(judge(&model(stack, 1, 0.0)), (true, Consistency::Found));
        let block = polygon(&[[0.0, 0.0], [2.0, 1.0], [1.5, 2.0], [-0.5, 1.0]]);
        let below = polygon(&[[-4.0, -2.0], [4.0, -2.0], [4.0, 2.0]]);
        assert_eq!(judge(&model(vec![block, below], 1, 0.6)), (true, Consistency::Found));
    }

    /// A bar, w long and h high, between walls: it can wedge itself by its weight if friction is more
    /// than 2 h / w: then the lower end of its turn is held by its friction alone. In the plane and in space.
    #[test]
    fn a_long_bar_wedges_itself() {
        let (w, h) = (1.8, 0.8);
        for (friction, consistency) in
            [(0.84, Consistency::Missing), (0.88, Consistency::Missing), (0.9, Consistency::Found)]
        {
            let wall = |x: f64| (rectangle(0.2, 2.4), DVec3::X * x);
            let flat = vec![(rectangle(w, h), DVec3::ZERO), wall(-1.0), wall(1.0)];
            assert_eq!(judge(&model(flat, 2, friction)), (true, consistency), "{friction}");
            let cube = |x: f64, y: f64, z: f64| Shape::cuboid(DVec3::new(x, y, z)).unwrap();
            let wall = |x: f64| (cube(0.2, 1.0, 2.4), DVec3::X * x);
            let solid = vec![(cube(w, 1.0, h), DVec3::ZERO), wall(-1.0), wall(1.0)];
            // In space there are more sets of forces than are tried.
            let (is_balanced, found) = judge(&model(solid, 2, friction));
            assert!(
                is_balanced && (consistency == Consistency::Found || found != Consistency::Found)
            );
        }
    }
}
