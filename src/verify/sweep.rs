//! Overlap of bodies that do not turn, at every frame and all along the straight
//! ways between two frames. Only what moved is looked at again: two bodies that
//! both stand keep their distance.

use rayon::prelude::*;

use super::Verdict;
use super::cells::{Cells, Region};
use super::checks::{Made, Measure, Step, Subject};
use super::distance::{Way, closest, moving_point_and_face, moving_points};
use super::limits::Limits;
use super::skins::Skins;
use super::turn;
use super::worst::{Meeting, Worst};
use crate::math::DVec3;
use crate::trajectory::StepKind;
use crate::world::{Model, State};

/// Looks for overlap, frame after frame.
pub(super) struct Sweep<'a> {
    model: &'a Model,
    limits: Limits,
    faces: Cells,
    least: f64,
    skins: Skins,
    has_skins: bool,
    found: Found,
    /// Frames whose way is exempt from the promise about overlap.
    hops: usize,
}

/// The deepest overlap at a frame, and on the way to one, relative to the smaller radius.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Found {
    at_frames: Worst<Meeting>,
    between_frames: Worst<Meeting>,
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    if subject.model.has_turning() {
        return turn::make(subject);
    }
    Some(Box::new(Sweep::new(subject.model, subject.start)))
}

impl<'a> Sweep<'a> {
    fn new(model: &'a Model, start: &State) -> Sweep<'a> {
        let least = model.bodies.iter().map(|body| 2.0 * body.radius).fold(f64::MAX, f64::min);
        let faces = model.boundary.faces().iter();
        let regions = faces.map(|face| Region::around(face.corners.iter().copied()));
        Sweep {
            model,
            limits: Limits::of(&model.method),
            faces: Cells::new(regions.collect(), least),
            least,
            skins: Skins::new(model, start),
            has_skins: model.has_solids(),
            found: Found::default(),
            hops: 0,
        }
    }

    /// Looks at everybody in the first frame, or in one that is reached by no valid way.
    fn start(&self, frame: usize, positions: &[DVec3]) -> Found {
        let mut found = self.look(frame, positions, positions, |_| true);
        self.look_inside(frame, positions, &mut found);
        found
    }

    /// Looks at a frame and at the way to it from the one before.
    fn advance(&self, frame: usize, from: &[DVec3], to: &[DVec3]) -> Found {
        self.look(frame, from, to, |body| from[body] != to[body])
    }

    fn step(&self, step: &Step) -> Found {
        let to = &step.frame.state.positions;
        match step.before {
            Some(before) if step.frame.kind != StepKind::Hop => {
                self.advance(step.index, &before.state.positions, to)
            }
            _ => self.start(step.index, to),
        }
    }

    /// A body that holds another from the start cuts into nothing.
    fn look_inside(&self, frame: usize, positions: &[DVec3], found: &mut Found) {
        if !self.has_skins {
            return;
        }
        let radius = |body: usize| self.model.bodies[body].radius;
        let region = |body: usize| Region::around([positions[body]]).grown(radius(body));
        let regions = (0..positions.len()).map(region).collect();
        Cells::new(regions, self.least).pairs(|i, j| {
            if self.may_meet(i, j) && !self.are_balls(i, j) {
                let depth = self.skins.inside(i, j, positions) / radius(i).min(radius(j));
                found.at_frames.note(depth, frame, Meeting::of(i, j));
            }
        });
    }

    fn may_meet(&self, i: usize, j: usize) -> bool {
        self.model.bodies[i].is_free() || self.model.bodies[j].is_free()
    }

    fn are_balls(&self, i: usize, j: usize) -> bool {
        self.skins.ball(i).is_some() && self.skins.ball(j).is_some()
    }

    fn look(
        &self,
        frame: usize,
        from: &[DVec3],
        to: &[DVec3],
        moved: impl Fn(usize) -> bool,
    ) -> Found {
        let way = |body: usize| Way { from: from[body], to: to[body] };
        let radius = |body: usize| self.model.bodies[body].radius;
        let region = |body: usize| Region::around([from[body], to[body]]).grown(radius(body));
        let regions: Vec<Region> = (0..to.len()).map(region).collect();
        let mut found = Found::default();
        for body in self.model.free().filter(|&body| moved(body)) {
            self.faces.meeting(&regions[body], |face| {
                self.wall(frame, body, face, way(body), &mut found);
            });
        }
        Cells::new(regions, self.least).pairs(|i, j| {
            if (moved(i) || moved(j)) && self.may_meet(i, j) {
                self.bodies(frame, [i, j], [way(i), way(j)], &mut found);
            }
        });
        found
    }

    fn wall(&self, frame: usize, body: usize, face: usize, way: Way, found: &mut Found) {
        let meeting = Meeting::BodyAndFace(body, face);
        let wall = &self.model.boundary.faces()[face];
        let Some(radius) = self.skins.ball(body) else {
            let (depth, radius) =
                (self.skins.wall(body, wall, way), self.model.bodies[body].radius);
            found.at_frames.note(depth.at_end / radius, frame, meeting);
            found.between_frames.note(depth.on_way / radius, frame, meeting);
            return;
        };
        let distance = closest(&wall.corners, way.to).point.distance(way.to);
        found.at_frames.note(1.0 - distance / radius, frame, meeting);
        // On its way the body was closer by its travel at most (and a bit, for rounding).
        let was_clear = distance > radius + 1.001 * way.from.distance(way.to);
        if !was_clear {
            let distance = moving_point_and_face(way, &wall.corners);
            found.between_frames.note(1.0 - distance / radius, frame, meeting);
        }
    }

    fn bodies(&self, frame: usize, [i, j]: [usize; 2], ways: [Way; 2], found: &mut Found) {
        let meeting = Meeting::of(i, j);
        let radius = |body: usize| self.model.bodies[body].radius;
        let smaller = radius(i).min(radius(j));
        let (Some(one), Some(two)) = (self.skins.ball(i), self.skins.ball(j)) else {
            let depth = self.skins.bodies(i, j, ways);
            found.at_frames.note(depth.at_end / smaller, frame, meeting);
            found.between_frames.note(depth.on_way / smaller, frame, meeting);
            return;
        };
        let depth = |distance: f64| (one + two - distance) / smaller;
        found.between_frames.note(depth(moving_points(ways[0], ways[1])), frame, meeting);
        found.at_frames.note(depth(ways[0].to.distance(ways[1].to)), frame, meeting);
    }
}

impl Measure for Sweep<'_> {
    fn frame(&mut self, step: &Step) {
        self.frames(std::slice::from_ref(step));
    }

    fn frames(&mut self, steps: &[Step]) {
        let found: Vec<Found> = steps.par_iter().map(|step| self.step(step)).collect();
        for found in found {
            self.found.at_frames.merge(found.at_frames);
            self.found.between_frames.merge(found.between_frames);
        }
        self.hops += steps.iter().filter(|step| step.frame.kind == StepKind::Hop).count();
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let Found { at_frames: at, between_frames: between } = self.found;
        verdict.max_overlap = Some(at.value);
        verdict.measure("overlap", at.value, self.limits.overlap, at.describe("in"));
        verdict.max_overlap_between_frames = Some(between.value);
        let mut detail = between.describe("on the way to");
        if self.hops > 0 {
            detail += &format!("; not asked of {} hops", self.hops);
        }
        let limit = self.limits.overlap_between;
        verdict.measure("overlap between frames", between.value, limit, detail);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::math::Random;
    use crate::shape::{Boundary, Mesh};

    fn model(radii: &[f64], boundary: Boundary) -> Model {
        let mut model = Model { boundary, ..Model::new(3, -DVec3::Z) };
        let mut state = State::default();
        for radius in radii {
            model.add_particle(&mut state, DVec3::ZERO, 1.0, *radius);
        }
        model
    }

    fn sweep(model: &Model) -> Sweep<'_> {
        let start = State::at_rest(vec![DVec3::ZERO; model.bodies.len()]);
        Sweep::new(model, &start)
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

            let sweep = sweep(&model);
            let start = sweep.start(0, &from);
            let depth = start.at_frames.value;
            prop_assert!((depth - sampled(&model, &from, &from, 1)).abs() < 1e-12);
            // Of what moved: those that stood kept their distance.
            let found = sweep.advance(1, &from, &to);
            let end = depth.max(found.at_frames.value);
            prop_assert!((end - depth.max(sampled(&model, &to, &to, 1))).abs() < 1e-12);
            let exact = start.between_frames.value.max(found.between_frames.value);
            let sampled = sampled(&model, &from, &to, 60);
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
        let sweep = sweep(&model);
        assert_eq!(sweep.start(0, &from), Found::default());
        let found = sweep.advance(7, &from, &to);
        assert_eq!(found.at_frames, Worst::default());
        assert_eq!(
            found.between_frames,
            Worst { value: 3.0, at: Some((7, Meeting::Bodies(0, 1))) }
        );
    }

    #[test]
    fn a_wall_is_noticed_however_far_a_body_jumps() {
        let model = model(&[0.5], cube(10.0));
        let sweep = sweep(&model);
        let found = sweep.advance(1, &[DVec3::splat(5.0)], &[DVec3::new(5.0, 5.0, -1e300)]);
        assert_eq!((found.at_frames.value, found.between_frames.value), (0.0, 1.0));
        assert!(matches!(found.between_frames.at, Some((1, Meeting::BodyAndFace(0, _)))));
    }
}
