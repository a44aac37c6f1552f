//! The first look through a run: how far things get, what moves at all, and
//! what every step was.

use riprap::energy::energy;
use riprap::export::exhibit::{Exhibit, SHOWN_MOTION};
use riprap::math::{DMat3, DQuat, DVec3};
use riprap::shape::Aabb;
use riprap::trajectory::{Frame, Reader, StepKind};
use riprap::world::{Model, State};
use riprap::{Problem, Result};

use super::joints;

/// So many frames, evenly spread, say what the reader should see at first.
const LOOKS: usize = 64;
/// Of rigid bodies in the open, this part on either side may be out of view.
const STRAYS: f64 = 0.02;
/// Fixed bodies are in view as far as they reach beyond the others by no more than this part of
/// what these take up.
const SURROUNDINGS: f64 = 0.15;
/// Bodies are followed as far from what is in view as this many times its size.
const FAR: f64 = 4.0;

/// What the page tells about every step, shown or not, and about the bodies as a whole.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Survey {
    /// How many steps have been made; the start of a further phase is none.
    pub steps: Vec<u64>,
    /// The time that has passed; of runs without time, the step.
    pub times: Vec<f64>,
    /// Bodies that are taken out in the end.
    pub gone: Vec<u32>,
    pub kinds: Vec<u8>,
    pub energies: Vec<f64>,
    /// The part of the energy that is motion; empty for methods without time.
    pub kinetic: Vec<f64>,
    /// The deepest overlap of a time step, relative to the smaller radius.
    pub overlaps: Vec<f64>,
    /// How many contacts began or ceased to push in a time step.
    pub changes: Vec<u32>,
    /// How many contacts with forces are known at each frame.
    pub contacts: Vec<usize>,
    /// Bodies that do not stay where they were.
    pub movers: Vec<u32>,
    /// Bodies that turn, and look different when turned.
    pub turners: Vec<u32>,
    /// What the reader sees at first.
    pub view: Bounds,
    /// Where the movers are, all the time.
    pub grid: Bounds,
    /// Some bodies get so far away that they are not followed.
    pub strays: bool,
}

/// A box of finite size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    pub min: DVec3,
    pub size: DVec3,
}

/// A box around nothing in particular.
impl Default for Bounds {
    fn default() -> Self {
        Bounds { min: DVec3::ZERO, size: DVec3::ONE }
    }
}

impl Bounds {
    fn of(found: &Aabb) -> Bounds {
        let size = found.size();
        match size.is_finite() && size.min_element() >= 0.0 {
            true => Bounds { min: found.min, size },
            false => Bounds::default(),
        }
    }

    pub(super) fn centre(&self) -> DVec3 {
        self.min + 0.5 * self.size
    }
}

impl Survey {
    pub(super) fn of(reader: &Reader) -> Result<Survey> {
        if reader.is_empty() {
            return Err(Problem::new("the run has no frames: there is nothing to show")
                .help("let `riprap run` make at least one step"));
        }
        let model = reader.model();
        let mut survey = Survey::default();
        let mut changes = Changes::new(model, reader.frame(0)?.state);
        let (mut reached, mut seen) = (Aabb::EMPTY, Aabb::EMPTY);
        let every = reader.len().div_ceil(LOOKS);
        for (index, frame) in reader.frames().enumerate() {
            let frame = frame?;
            survey.note(reader, index, &frame);
            changes.note(&frame.state);
            let finite = frame.state.positions.iter().copied().filter(|p| p.is_finite());
            reached = reached.union(&Aabb::from_points(finite));
            if index % every == 0 || index + 1 == reader.len() {
                seen = seen.union(&crowd(reader.model_at(index), &frame.state));
            }
        }
        let all = 0..model.bodies.len();
        survey.gone = all.filter(|&i| reader.last_model().is_gone(i)).map(|i| i as u32).collect();
        // What is gone is put elsewhere.
        survey.gone.iter().for_each(|&i| changes.moves[i as usize] = true);
        survey.finish(model, &changes, &seen, &reached);
        Ok(survey)
    }

    /// Of the first motion of what falls: all is in view, the arrows as well.
    pub(super) fn of_exhibit(shown: &Exhibit) -> Survey {
        let model = shown.model;
        let mut survey = Survey::default();
        let mut changes = Changes::new(model, shown.state.clone());
        let arrows = shown.arrows();
        let mut seen = Aabb::from_points(arrows.iter().flat_map(|arrow| [arrow.from, arrow.to]));
        for (step, part) in (0..).zip(shown.moments()) {
            let state = shown.moved(part);
            survey.steps.push(step);
            survey.times.push(SHOWN_MOTION * part);
            survey.kinds.push(kind_number(StepKind::Start));
            survey.energies.push(energy(model, &state));
            changes.note(&state);
            for i in model.free() {
                let own = turned(&model.shape(i).bounds(), state.rotations[i]);
                seen = seen.union(&own.moved(state.positions[i]));
            }
        }
        let points = shown.state.positions.iter().copied().filter(|p| p.is_finite());
        let reached = seen.union(&Aabb::from_points(points));
        survey.finish(model, &changes, &seen, &reached);
        survey
    }

    /// What moves at all, and where.
    fn finish(&mut self, model: &Model, changes: &Changes, seen: &Aabb, reached: &Aabb) {
        (self.movers, self.turners) = changes.lists(model);
        let view = view(model, &changes.first, seen, reached);
        self.view = Bounds::of(&view);
        let widest = self.movers.iter().map(|&i| model.bodies[i as usize].radius);
        let reached = reached.grow(widest.fold(0.0, f64::max));
        let far = view.grow(FAR * view.size().max_element());
        self.strays = !far.contains(reached.min) || !far.contains(reached.max);
        let mut followed = Aabb { min: reached.min.max(far.min), max: reached.max.min(far.max) };
        if model.dimension == 2 {
            (followed.min.z, followed.max.z) = (0.0, 0.0);
        }
        self.grid = Bounds::of(&followed);
    }

    fn note(&mut self, reader: &Reader, index: usize, frame: &Frame) {
        let model = reader.model_at(index);
        self.steps.push(frame.step.saturating_sub(reader.phase_at(index) as u64));
        self.times.push(reader.time_at(index).unwrap_or(frame.step as f64));
        self.kinds.push(kind_number(frame.kind));
        self.energies.push(frame.energy);
        let phase = reader.phase_at(index);
        let at_end = index + 1 == reader.frames_of(phase).end;
        let at_rest = reader.ending_of(phase).filter(|_| at_end).map_or(0, |e| e.contacts.len());
        self.contacts.push(if at_rest > 0 { at_rest } else { frame.contacts.len() });
        if reader.moving_model().method.time().is_some() {
            let ledger = frame.report.ledger.as_ref();
            self.kinetic.push(model.kinetic_energy(&frame.state));
            self.overlaps.push(ledger.map_or(0.0, |ledger| 2.0 * ledger.penetration));
            self.changes.push(ledger.map_or(0, |ledger| ledger.changes));
        }
    }
}

/// Which bodies differ from the first frame.
struct Changes {
    first: State,
    moves: Vec<bool>,
    turns: Vec<bool>,
    /// Balls and particles look the same however they are turned.
    round: Vec<bool>,
}

impl Changes {
    fn new(model: &Model, first: State) -> Changes {
        let count = model.bodies.len();
        let particle = |i: usize| i >= model.rigid_count();
        let round = |i: usize| particle(i) || model.shape(i).is_ball().is_some();
        Changes {
            first,
            moves: vec![false; count],
            turns: vec![false; count],
            round: (0..count).map(round).collect(),
        }
    }

    fn note(&mut self, state: &State) {
        for i in 0..self.moves.len() {
            self.moves[i] |= state.positions[i] != self.first.positions[i];
            self.turns[i] |= !self.round[i] && state.rotations[i] != self.first.rotations[i];
        }
    }

    fn lists(&self, model: &Model) -> (Vec<u32>, Vec<u32>) {
        let chosen = |flags: &[bool]| {
            (0..model.bodies.len() as u32).filter(|&i| flags[i as usize]).collect::<Vec<u32>>()
        };
        (chosen(&self.moves), chosen(&self.turns))
    }
}

/// The box around what can move: all of the cloth, and the rigid bodies without the few that are
/// farthest out. (The particles of a cloth are many, and would make strays of all else.)
fn crowd(model: &Model, state: &State) -> Aabb {
    let free = model.free().filter(|&i| state.positions[i].is_finite());
    let (free, particles): (Vec<usize>, Vec<usize>) = free.partition(|&i| i < model.rigid_count());
    let around = |&i: &usize| Aabb::from_sphere(state.positions[i], model.bodies[i].radius);
    let cloth = particles.iter().map(around).fold(Aabb::EMPTY, |all, one| all.union(&one));
    let strays = (STRAYS * free.len() as f64) as usize;
    let Some(last) = free.len().checked_sub(1 + strays) else { return cloth };
    let quantile = |axis: usize, side: f64, rank: usize| {
        let place = |&i: &usize| state.positions[i][axis] + side * model.bodies[i].radius;
        let mut places: Vec<f64> = free.iter().map(place).collect();
        *places.select_nth_unstable_by(rank, f64::total_cmp).1
    };
    let corner =
        |side: f64, rank: usize| DVec3::from_array([0, 1, 2].map(|k| quantile(k, side, rank)));
    cloth.union(&Aabb { min: corner(-1.0, strays), max: corner(1.0, last) })
}

/// What the reader sees at first: the container and all that gets anywhere in it; in the open,
/// what moves, where joints hold it, and the fixed bodies around.
fn view(model: &Model, first: &State, seen: &Aabb, reached: &Aabb) -> Aabb {
    let mut view = model.boundary.bounds();
    view = view.union(if model.boundary.faces().is_empty() { seen } else { reached });
    view = view.union(&Aabb::from_points(joints::anchors(model)));
    let around = match view.size().min_element() >= 0.0 {
        true => view.grow(SURROUNDINGS * view.size().max_element()),
        false => Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY },
    };
    for i in (0..model.bodies.len()).filter(|&i| !model.bodies[i].is_free()) {
        let own = turned(&model.shape(i).bounds(), first.rotations[i]).moved(first.positions[i]);
        if own.overlaps(&around) {
            let part = Aabb { min: own.min.max(around.min), max: own.max.min(around.max) };
            view = view.union(&part);
        }
    }
    if model.dimension == 2 {
        (view.min.z, view.max.z) = (0.0, 0.0);
    }
    view
}

/// The box around a turned box.
fn turned(bounds: &Aabb, rotation: DQuat) -> Aabb {
    let turn = DMat3::from_quat(rotation);
    let half = 0.5 * bounds.size();
    let half = turn.x_axis.abs() * half.x + turn.y_axis.abs() * half.y + turn.z_axis.abs() * half.z;
    let centre = turn * bounds.centre();
    Aabb { min: centre - half, max: centre + half }
}

/// What the page calls the kinds of steps, by their numbers there.
pub(super) const KINDS: [&str; 8] =
    ["start", "settle", "escape", "polish", "collapse", "dynamics", "separate", "hop"];

fn kind_number(kind: StepKind) -> u8 {
    match kind {
        StepKind::Start => 0,
        StepKind::Settle => 1,
        StepKind::Escape => 2,
        StepKind::Polish => 3,
        StepKind::Collapse => 4,
        StepKind::Dynamics => 5,
        StepKind::Separate => 6,
        StepKind::Hop => 7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn every_step_is_surveyed() {
        let run = samples::finished(27, 5);
        let survey = Survey::of(&run.reader()).unwrap();
        assert_eq!(survey.steps, [0, 1, 2, 3, 4]);
        assert_eq!(survey.kinds, [0, 1, 2, 1, 3]);
        assert!(survey.energies.is_sorted_by(|a, b| a > b));
        assert_eq!((survey.movers.len(), survey.turners.len()), (27, 0), "balls do not turn");
        assert!(survey.kinetic.is_empty());
        assert_eq!(survey.view.min, DVec3::ZERO);
        assert!(survey.view.size.abs_diff_eq(DVec3::new(3.6, 3.6, 4.6), 1e-12), "{survey:?}");
    }

    #[test]
    fn the_start_of_a_phase_is_no_step() {
        let run = samples::settled_after_dynamics(6, 5);
        let survey = Survey::of(&run.reader()).unwrap();
        assert_eq!(survey.steps[..6], [0, 1, 2, 3, 4, 4]);
        assert_eq!(survey.steps.last(), Some(&8));
    }

    #[test]
    fn what_stands_is_not_followed() {
        let survey = Survey::of(&samples::collapse(8).reader()).unwrap();
        assert!(!survey.movers.contains(&0), "the ground stays");
        assert_eq!(survey.movers, survey.turners);
        assert_eq!(survey.kinetic.len(), 8);
        assert!(survey.kinetic[0] == 0.0 && survey.kinetic[5] > 0.0);
        assert!(survey.overlaps[5] > 0.0);
    }

    #[test]
    fn wide_grounds_are_in_view_as_far_as_they_matter() {
        let run = samples::dynamics(12, 6);
        let survey = Survey::of(&run.reader()).unwrap();
        assert!(survey.view.size.x < 40.0, "the ground is 100 wide: {:?}", survey.view);
        assert!(survey.view.min.z < 0.0, "but its upper side is seen");
    }

    /// A cloth of many particles makes no stray of the one ball beside it.
    #[test]
    fn bodies_beside_cloth_are_in_view() {
        let run = samples::cloth(4);
        let reader = run.reader();
        let mut state = reader.frame(0).unwrap().state;
        state.positions[0] = DVec3::new(30.0, 0.0, -9.0);
        let seen = crowd(reader.model(), &state);
        assert!(seen.contains(state.positions[0]), "{seen:?}");
        assert!(state.positions[1..].iter().all(|p| seen.contains(*p)), "{seen:?}");
    }

    #[test]
    fn a_run_without_frames_is_refused() {
        let problem = Survey::of(&samples::unfinished(3, 0).reader()).unwrap_err();
        assert_eq!(problem.message, "the run has no frames: there is nothing to show");
    }

    #[test]
    fn bounds_of_nothing_have_a_size() {
        assert_eq!(Bounds::of(&Aabb::EMPTY).size, DVec3::ONE);
    }

    #[test]
    fn a_turned_box_is_around_its_corners() {
        let long = Aabb { min: DVec3::ZERO, max: DVec3::new(4.0, 2.0, 0.0) };
        let quarter = turned(&long, DQuat::from_rotation_z(0.5 * std::f64::consts::PI));
        assert!(quarter.min.abs_diff_eq(DVec3::new(-2.0, 0.0, 0.0), 1e-12), "{quarter:?}");
        assert!(quarter.max.abs_diff_eq(DVec3::new(0.0, 4.0, 0.0), 1e-12), "{quarter:?}");
    }
}
