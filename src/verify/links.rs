//! Links and fixed bodies: ropes never get too long, bars neither too long nor
//! too short, all along the straight ways between frames; what is fixed stands.

use super::distance::{Way, moving_points};
use crate::math::DVec3;
use crate::world::Model;

/// Looks at links, frame after frame.
pub(super) struct Links<'a> {
    model: &'a Model,
    /// The largest part of its length by which a link was too long or too
    /// short, on the way to which frame, and which link.
    pub worst: (f64, usize, usize),
    /// A fixed body that moved, and to which frame.
    pub moved: Option<(usize, usize)>,
}

impl<'a> Links<'a> {
    pub fn new(model: &'a Model) -> Links<'a> {
        Links { model, worst: (0.0, 0, 0), moved: None }
    }

    /// Looks at a frame and the way to it.
    pub fn advance(&mut self, frame: usize, from: &[DVec3], to: &[DVec3]) {
        for (number, link) in self.model.links.iter().enumerate() {
            let way = |body: u32| Way { from: from[body as usize], to: to[body as usize] };
            let (a, b) = (way(link.a), way(link.b));
            // Of a straight way the far ends are the farthest.
            let longest = a.from.distance(b.from).max(a.to.distance(b.to));
            let shortest = moving_points(a, b);
            let off = (longest - link.length).max(link.length * (1.0 - link.give) - shortest);
            if off / link.length > self.worst.0 {
                self.worst = (off / link.length, frame, number);
            }
        }
        if self.moved.is_none() {
            let is_off = |i: &usize| self.model.bodies[*i].fixed && from[*i] != to[*i];
            self.moved = (0..to.len()).find(is_off).map(|body| (body, frame));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::samples;
    use crate::world::Link;

    fn links(give: f64, to: DVec3) -> (f64, usize, usize) {
        let link = Link { a: 0, b: 1, length: 2.0, give };
        let model = Model { links: vec![link], ..samples::model(2) };
        let mut links = Links::new(&model);
        let from = [DVec3::ZERO, DVec3::X * 2.0];
        links.advance(0, &from, &from);
        links.advance(1, &from, &[DVec3::ZERO, to]);
        links.worst
    }

    #[test]
    fn ropes_may_be_slack_but_not_too_long() {
        assert_eq!(links(1.0, DVec3::X * 0.5), (0.0, 0, 0));
        let (off, frame, link) = links(1.0, DVec3::X * 2.5);
        assert_eq!((off, frame, link), (0.25, 1, 0));
    }

    #[test]
    fn bars_may_not_be_short_even_on_the_way() {
        assert!((links(0.1, DVec3::X * 1.5).0 - 0.15).abs() < 1e-15);
        // Half a turn in a straight line goes through the other end.
        assert!((links(0.1, DVec3::X * -2.0).0 - 0.9).abs() < 1e-15);
        assert_eq!(links(0.5, DVec3::Y * 2.0).0, 0.0);
    }

    #[test]
    fn what_is_fixed_stands() {
        let mut model = samples::model(2);
        model.bodies[1].fixed = true;
        let mut links = Links::new(&model);
        links.advance(3, &[DVec3::ZERO; 2], &[DVec3::X, DVec3::ZERO]);
        assert_eq!(links.moved, None);
        links.advance(4, &[DVec3::ZERO; 2], &[DVec3::X, DVec3::Y * 1e-300]);
        assert_eq!(links.moved, Some((1, 4)));
    }
}
