//! What is fixed stands, what is driven keeps to its path (or to its velocity, if
//! it has none), and bodies that settle do not turn.

use super::Verdict;
use super::checks::{Made, Measure, Step, Subject};
use crate::math::DQuat;
use crate::world::{Model, Motion, Path, State};

/// What rounding does to places, in radii and distances from the origin, and to turns.
const ROUNDING: f64 = 1e-9;

/// Looks at bodies that no force moves.
pub(super) struct Still<'a> {
    model: &'a Model,
    /// The length of a time step; none if nothing turns.
    time_step: Option<f64>,
    /// The frame with which the phase begins.
    first: usize,
    fixed: Option<String>,
    driven: Option<String>,
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    Some(Box::new(Still { first: subject.first.0, ..Still::new(subject.model) }))
}

impl<'a> Still<'a> {
    fn new(model: &'a Model) -> Still<'a> {
        let time_step = model.method.time().map(|(step, _)| step);
        Still { model, time_step, first: 0, fixed: None, driven: None }
    }

    fn has(&self, motion: Motion) -> bool {
        self.model.bodies.iter().any(|body| body.motion == motion)
    }

    fn stands(&self, index: usize, before: &State, now: &State) -> Option<String> {
        for (i, body) in self.model.bodies.iter().enumerate() {
            let moved = before.positions[i] != now.positions[i];
            let turned = before.rotations[i] != now.rotations[i];
            if body.motion == Motion::Fixed && (moved || turned) {
                return Some(format!("the fixed body {i} moves to frame {index}"));
            }
            if self.time_step.is_none() && turned && !body.turns {
                return Some(format!(
                    "body {i} turns to frame {index}, but settles without turning"
                ));
            }
        }
        None
    }

    fn follows(&self, step: &Step, dt: f64) -> Option<String> {
        let now = &step.frame.state;
        let driven = self.model.bodies.iter().enumerate();
        for (i, body) in driven.filter(|(_, body)| body.motion == Motion::Driven) {
            let slack = ROUNDING * (body.radius + now.positions[i].length());
            let path = body.path.and_then(|path| self.model.paths.get(path as usize));
            let is_off = match (path, step.before) {
                (Some(path), _) => {
                    let passed = (step.index - self.first) as f64 * dt;
                    let (position, rotation) = place(path, self.model.phase.time + passed);
                    now.positions[i].distance(position) > slack
                        || apart(now.rotations[i], rotation) > ROUNDING
                }
                (None, Some(before)) => {
                    let before = &before.state;
                    let expected = before.positions[i] + dt * now.velocities[i];
                    before.velocities[i] != now.velocities[i]
                        || before.spins[i] != now.spins[i]
                        || now.positions[i].distance(expected) > slack
                }
                (None, None) => false,
            };
            if is_off {
                let way = if path.is_some() { "path" } else { "velocity" };
                let frame = step.index;
                return Some(format!("the driven body {i} leaves its {way} in frame {frame}"));
            }
        }
        None
    }
}

/// Where a path is at a time: even steps between keyframes, none before and after them.
fn place(path: &Path, time: f64) -> (crate::math::DVec3, DQuat) {
    let last = path.times.len() - 1;
    let time = time.clamp(path.times[0], path.times[last]);
    let next = path.times.iter().position(|t| *t >= time).unwrap_or(last).max(1).min(last);
    let from = next.saturating_sub(1);
    let whole = path.times[next] - path.times[from];
    let part = if whole > 0.0 { (time - path.times[from]) / whole } else { 0.0 };
    let (p, q) = (path.positions[from], path.positions[next]);
    let (r, mut s) = (path.rotations[from], path.rotations[next]);
    if r.dot(s) < 0.0 {
        s = -s;
    }
    // The turn from one to the other, a part of it.
    let turn = s * r.inverse();
    let sine = turn.xyz().length();
    let turn = match sine > 0.0 {
        true => DQuat::from_axis_angle(turn.xyz() / sine, part * 2.0 * sine.atan2(turn.w)),
        false => DQuat::IDENTITY,
    };
    (p + part * (q - p), turn * r)
}

/// The angle between two turns.
fn apart(a: DQuat, b: DQuat) -> f64 {
    2.0 * (a * b.inverse()).xyz().length()
}

impl Measure for Still<'_> {
    fn frame(&mut self, step: &Step) {
        if let (None, Some(before)) = (&self.fixed, step.before) {
            self.fixed = self.stands(step.index, &before.state, &step.frame.state);
        }
        if let (None, Some(dt)) = (&self.driven, self.time_step) {
            self.driven = self.follows(step, dt);
        }
    }

    fn report(&mut self, verdict: &mut Verdict) {
        if self.fixed.is_some() || self.has(Motion::Fixed) {
            verdict.state("fixed", self.fixed.take(), "what is fixed stands");
        }
        if self.has(Motion::Driven) {
            verdict.state("driven", self.driven.take(), "what is driven keeps to its way");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DVec3;
    use crate::scene::DynamicsOptions;
    use crate::trajectory::{Frame, samples};
    use crate::world::Method;

    fn frame(step: u64, state: State) -> Frame {
        Frame { state, ..samples::frame(step, 2) }
    }

    fn looked_at(model: &Model, frames: &[Frame]) -> [Option<String>; 2] {
        let mut still = Still::new(model);
        for (index, frame) in frames.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| &frames[before]);
            still.frame(&Step { index, is_last: index + 1 == frames.len(), before, frame });
        }
        [still.fixed, still.driven]
    }

    #[test]
    fn what_is_fixed_stands() {
        let mut model = samples::model(2);
        model.bodies[1].motion = Motion::Fixed;
        let frames = |free: DVec3, fixed: DVec3| {
            let start = State::at_rest(vec![DVec3::ZERO; 2]);
            [frame(0, start), frame(1, State::at_rest(vec![free, fixed]))]
        };
        assert_eq!(looked_at(&model, &frames(DVec3::X, DVec3::ZERO)), [None, None]);
        let [fault, _] = looked_at(&model, &frames(DVec3::X, DVec3::Y * 1e-300));
        assert_eq!(fault.unwrap(), "the fixed body 1 moves to frame 1");
        let mut turned = frames(DVec3::X, DVec3::ZERO);
        turned[1].state.rotations[0] = DQuat::from_rotation_z(1e-9);
        let [fault, _] = looked_at(&model, &turned);
        assert!(fault.unwrap().starts_with("body 0 turns to frame 1"));
        model.method = Method::Dynamics(DynamicsOptions::default());
        assert_eq!(looked_at(&model, &turned), [None, None]);
    }

    #[test]
    fn what_is_driven_keeps_to_its_way() {
        let mut model = samples::model(2);
        let options = DynamicsOptions { time_step: 0.5, ..Default::default() };
        model.method = Method::Dynamics(options);
        model.bodies[1].motion = Motion::Driven;
        let at = |x: f64| {
            let mut state = State::at_rest(vec![DVec3::ZERO, DVec3::X * x]);
            state.velocities[1] = DVec3::X * 2.0;
            state
        };
        let frames = [frame(0, at(0.0)), frame(1, at(1.0)), frame(2, at(2.0))];
        assert_eq!(looked_at(&model, &frames), [None, None]);
        let [_, fault] = looked_at(&model, &[frame(0, at(0.0)), frame(1, at(1.1))]);
        assert_eq!(fault.unwrap(), "the driven body 1 leaves its velocity in frame 1");
        // A path, with a quarter of a turn on it.
        let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        model.paths = vec![Path {
            times: vec![0.25, 0.75, 1.0],
            positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
            rotations: vec![DQuat::IDENTITY, quarter, quarter],
        }];
        model.bodies[1].path = Some(0);
        let pose = |p: DVec3, angle: f64| {
            let mut state = State::at_rest(vec![DVec3::ZERO, p]);
            state.rotations[1] = DQuat::from_rotation_z(angle);
            state
        };
        let half = pose(DVec3::X * 0.5, std::f64::consts::FRAC_PI_4);
        let end = pose(DVec3::Y, std::f64::consts::FRAC_PI_2);
        let frames = [pose(DVec3::ZERO, 0.0), half.clone(), end.clone(), end];
        let frames: Vec<Frame> =
            (0..).zip(frames).map(|(step, state)| frame(step, state)).collect();
        assert_eq!(looked_at(&model, &frames), [None, None]);
        let stuck = [frame(0, pose(DVec3::ZERO, 0.0)), frame(1, pose(DVec3::X * 0.5, 0.0))];
        let [_, fault] = looked_at(&model, &stuck);
        assert_eq!(fault.unwrap(), "the driven body 1 leaves its path in frame 1");
        for time in [0.0, 0.25, 0.3, 0.6, 0.75, 0.9, 1.0, 3.0] {
            let ((p, q), (r, s)) = (place(&model.paths[0], time), model.paths[0].at(time));
            assert!(p.distance(r) < 1e-15 && apart(q, s) < 1e-12, "{time}");
        }
    }
}
