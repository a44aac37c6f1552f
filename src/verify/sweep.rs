//! Overlap, at every frame and all along the straight ways between two frames.
//! Only what moved is looked at again: two bodies that both stand keep their
//! distance.

use super::cells::{Cells, Region};
use super::distance::{Way, closest, moving_point_and_face, moving_points};
use super::solids::Solids;
use crate::math::DVec3;
use crate::world::Model;

/// Looks for overlap, frame after frame.
pub(super) struct Sweep<'a> {
    model: &'a Model,
    faces: Cells,
    least: f64,
    solids: Solids<'a>,
    /// The deepest overlap at a frame, and on the way to one.
    pub at_frames: Deepest,
    pub between_frames: Deepest,
}

/// The deepest overlap so far, relative to the smaller radius.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Deepest {
    pub depth: f64,
    /// The frame (the later one of two), and who overlaps; none if nobody does.
    pub at: Option<(usize, Meeting)>,
}

/// Two that could overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meeting {
    Bodies(usize, usize),
    BodyAndFace(usize, usize),
}

impl Deepest {
    fn note(&mut self, depth: f64, frame: usize, meeting: Meeting) {
        if depth > self.depth {
            *self = Deepest { depth, at: Some((frame, meeting)) };
        }
    }
}

impl<'a> Sweep<'a> {
    pub fn new(model: &'a Model) -> Sweep<'a> {
        let least = model.bodies.iter().map(|body| 2.0 * body.radius).fold(f64::MAX, f64::min);
        let faces = model.boundary.faces().iter();
        let regions = faces.map(|face| Region::around(face.corners.iter().copied()));
        Sweep {
            model,
            faces: Cells::new(regions.collect(), least),
            least,
            solids: Solids::new(model),
            at_frames: Deepest::default(),
            between_frames: Deepest::default(),
        }
    }

    /// Looks at everybody in the first frame, or in one that is reached by no valid way.
    pub fn start(&mut self, frame: usize, positions: &[DVec3]) {
        self.look(frame, positions, positions, |_| true);
        self.look_inside(frame, positions);
    }

    /// A point well inside a solid, about its position; the centre of a sphere.
    pub fn inner_point(&self, body: usize) -> DVec3 {
        let corners = self.model.pieces(body).first().map_or(&[][..], |piece| piece.corners());
        corners.iter().sum::<DVec3>() / corners.len().max(1) as f64
    }

    /// A solid that holds another body from the start cuts into nothing.
    fn look_inside(&mut self, frame: usize, positions: &[DVec3]) {
        if !self.model.has_solids() {
            return;
        }
        let radius = |body: usize| self.model.bodies[body].radius;
        let region = |body: usize| Region::around([positions[body]]).grown(radius(body));
        let regions = (0..positions.len()).map(region).collect();
        let mut found = self.at_frames;
        Cells::new(regions, self.least).pairs(|i, j| {
            let fixed = self.model.bodies[i].fixed && self.model.bodies[j].fixed;
            if !fixed && (self.solids.is_solid(i) || self.solids.is_solid(j)) {
                let depth = self.solids.inside(i, j, positions) / radius(i).min(radius(j));
                found.note(depth, frame, Meeting::Bodies(i.min(j), i.max(j)));
            }
        });
        self.at_frames = found;
    }

    /// Looks at a frame and at the way to it from the one before.
    pub fn advance(&mut self, frame: usize, from: &[DVec3], to: &[DVec3]) {
        self.look(frame, from, to, |body| from[body] != to[body]);
    }

    fn look(&mut self, frame: usize, from: &[DVec3], to: &[DVec3], moved: impl Fn(usize) -> bool) {
        let way = |body: usize| Way { from: from[body], to: to[body] };
        let radius = |body: usize| self.model.bodies[body].radius;
        let region = |body: usize| Region::around([from[body], to[body]]).grown(radius(body));
        let regions: Vec<Region> = (0..to.len()).map(region).collect();
        let (mut at_frame, mut between) = (self.at_frames, self.between_frames);

        let fixed = |body: usize| self.model.bodies[body].fixed;
        for body in (0..to.len()).filter(|&body| moved(body) && !fixed(body)) {
            let (way, radius) = (way(body), radius(body));
            let travel = way.from.distance(way.to);
            self.faces.meeting(&regions[body], |face| {
                let meeting = Meeting::BodyAndFace(body, face);
                if self.solids.is_solid(body) {
                    let depth = self.solids.wall(body, &self.model.boundary.faces()[face], way);
                    at_frame.note(depth.at_end / radius, frame, meeting);
                    between.note(depth.on_way / radius, frame, meeting);
                    return;
                }
                let corners = &self.model.boundary.faces()[face].corners;
                let distance = closest(corners, way.to).point.distance(way.to);
                at_frame.note(1.0 - distance / radius, frame, meeting);
                // On its way the body was closer by its travel at most (and a bit, for rounding).
                let was_clear = distance > radius + 1.001 * travel;
                if !was_clear {
                    let distance = moving_point_and_face(way, corners);
                    between.note(1.0 - distance / radius, frame, meeting);
                }
            });
        }
        Cells::new(regions, self.least).pairs(|i, j| {
            if (moved(i) || moved(j)) && !(fixed(i) && fixed(j)) {
                let meeting = Meeting::Bodies(i.min(j), i.max(j));
                let (touching, smaller) = (radius(i) + radius(j), radius(i).min(radius(j)));
                if self.solids.is_solid(i) || self.solids.is_solid(j) {
                    let depth = self.solids.bodies(i, j, [way(i), way(j)]);
                    at_frame.note(depth.at_end / smaller, frame, meeting);
                    between.note(depth.on_way / smaller, frame, meeting);
                    return;
                }
                let depth = |distance: f64| (touching - distance) / smaller;
                between.note(depth(moving_points(way(i), way(j))), frame, meeting);
                at_frame.note(depth(to[i].distance(to[j])), frame, meeting);
            }
        });
        (self.at_frames, self.between_frames) = (at_frame, between);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::math::Random;
    use crate::scene::Settle;
    use crate::shape::{Boundary, Mesh};
    use crate::world::Body;

    fn model(radii: &[f64], boundary: Boundary) -> Model {
        let body = |&radius: &f64| Body::new(radius, 1.0, 0);
        Model {
            name: String::new(),
            dimension: 3,
            bodies: radii.iter().map(body).collect(),
            groups: vec![String::new()],
            boundary,
            gravity: -DVec3::Z,
            settle: Settle::default(),
            seed: 0,
            ..Default::default()
        }
    }

    fn cube(size: f64) -> Boundary {
        Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::splat(size)))
    }

    /// Everybody against everybody and every face, at many moments.
    fn sampled(model: &Model, from: &[DVec3], to: &[DVec3], moments: usize) -> f64 {
        let mut deepest = 0.0_f64;
        for moment in 0..=moments {
            let t = moment as f64 / moments as f64;
            let at = |i: usize| from[i].lerp(to[i], t);
            for (i, body) in model.bodies.iter().enumerate() {
                for (j, other) in model.bodies.iter().enumerate().take(i) {
                    let depth = body.radius + other.radius - at(i).distance(at(j));
                    deepest = deepest.max(depth / body.radius.min(other.radius));
                }
                let near = model.boundary.nearest(at(i)).unwrap().distance;
                deepest = deepest.max(1.0 - near / body.radius);
            }
        }
        deepest
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn nothing_is_missed(seed: u64, speed in 0.0..0.6_f64) {
            let mut random = Random::new(seed);
            let radii: Vec<f64> = (0..25).map(|_| 0.02 * 20_f64.powf(random.unit())).collect();
            let model = model(&radii, cube(4.0));
            let mut point = |low: f64, high: f64| {
                DVec3::new(random.between(low, high), random.between(low, high), random.between(low, high))
            };
            let from: Vec<DVec3> = (0..25).map(|_| point(0.3, 3.7)).collect();
            // Every third body stands.
            let next = |(i, p): (usize, &DVec3)| *p + if i % 3 > 0 { point(-speed, speed) } else { DVec3::ZERO };
            let to: Vec<DVec3> = from.iter().enumerate().map(next).collect();

            let mut sweep = Sweep::new(&model);
            sweep.start(0, &from);
            let (start, _) = (sweep.at_frames.depth, sweep.between_frames.depth);
            prop_assert!((start - sampled(&model, &from, &from, 1)).abs() < 1e-12);
            sweep.advance(1, &from, &to);
            prop_assert!((sweep.at_frames.depth - start.max(sampled(&model, &to, &to, 1))).abs() < 1e-12);
            let (exact, sampled) = (sweep.between_frames.depth, sampled(&model, &from, &to, 60));
            prop_assert!(exact >= sampled - 1e-12, "{exact} {sampled}");
            // Within one moment nobody gets closer by more than the way of two, over the least radius.
            prop_assert!(exact <= sampled + 4.0 * speed / 60.0 / 0.02, "{exact} {sampled}");
        }
    }

    #[test]
    fn two_that_pass_through_each_other_are_named() {
        let model = model(&[0.5, 0.25, 0.1], cube(10.0));
        let from = [DVec3::splat(2.0), DVec3::new(6.0, 2.0, 2.0), DVec3::splat(8.0)];
        let to = [DVec3::new(6.0, 2.0, 2.0), DVec3::splat(2.0), DVec3::splat(8.0)];
        let mut sweep = Sweep::new(&model);
        sweep.start(0, &from);
        sweep.advance(7, &from, &to);
        assert_eq!(sweep.at_frames, Deepest::default());
        assert_eq!(
            sweep.between_frames,
            Deepest { depth: 3.0, at: Some((7, Meeting::Bodies(0, 1))) }
        );
    }

    #[test]
    fn a_wall_is_noticed_however_far_a_body_jumps() {
        let model = model(&[0.5], cube(10.0));
        let mut sweep = Sweep::new(&model);
        sweep.advance(1, &[DVec3::splat(5.0)], &[DVec3::new(5.0, 5.0, -1e300)]);
        assert_eq!((sweep.at_frames.depth, sweep.between_frames.depth), (0.0, 1.0));
        assert!(matches!(sweep.between_frames.at, Some((1, Meeting::BodyAndFace(0, _)))));
    }
}
