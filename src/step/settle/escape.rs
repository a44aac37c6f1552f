//! Leaving an unstable rest. Every way out is one transaction, "move, then
//! settle on": it counts only if it ends below the energy it started from, and
//! no configuration on the way is above it.

use super::cell::best_motion;
use super::grades::Grades;
use super::memory::Memory;
use super::plan::{COARSE_STRETCH, Plan, Stand, Units};
use super::{MOST_ESCAPES, free, moved};
use crate::contact::{Cores, Row, body_rows, body_wall_rows, pair_row, strut_row, wall_rows};
use crate::energy;
use crate::math::{DVec3, SKIN};
use crate::near::{self, Pair};
use crate::scene::Reach;
use crate::shape::Aabb;
use crate::solver::Accuracy;
use crate::step::{Stopwatch, Waypoint};
use crate::world::{Model, State};

/// An escape must gain this much, in typical weights times radii: less than a ball gains that
/// slides off another by the play that contacts without force may leave.
const WORTH: f64 = 1e-11;
/// Less than this part of the longest motion is what rounding makes of none.
const TRACE_OF_MOTION: f64 = 1e-6;
/// Steps that an escape may take to show its gain.
const STEPS: usize = 6;

/// Configurations from an unstable rest to one of lower energy, or none if no
/// try gained anything.
pub(super) fn escape(
    cores: &Cores,
    state: &State,
    ways: &[Vec<DVec3>],
    memory: &Memory,
    watch: &mut Stopwatch,
) -> Option<Vec<Waypoint>> {
    let model = &*cores.model;
    let waypoint = |state: State| {
        let energy = energy::energy(model, &state);
        Waypoint::new(state, energy)
    };
    let forces = energy::forces(model, state);
    let grades = Grades::new(model, &forces);
    let start = energy::energy(model, state);
    for way in ways {
        // Heavier bodies stay where they are: beside theirs, the gain would be lost in rounding.
        let grade = heaviest(&grades, way);
        let units = Units::of(model, &forces, grade);
        let worth = WORTH * units.force * units.length;
        let Some(slid) = slide(cores, state, way, memory.smoothing) else { continue };
        let mut path = vec![waypoint(slid)];
        for _ in 0..STEPS {
            let next = waypoint(settle_on(cores, &path.last()?.state, grade, memory, watch));
            let gained = start - next.energy;
            path.push(next);
            if gained > worth {
                return Some(path);
            }
        }
    }
    None
}

/// Slides along a way, as far as nothing gets closer than half its skin and the energy does
/// not rise.
fn slide(cores: &Cores, state: &State, way: &[DVec3], smoothing: f64) -> Option<State> {
    let model = &*cores.model;
    let mut direction = way.to_vec();
    // Null motions do no work; take away what rounding left of it.
    let slope = energy::forces(model, state).gradient;
    let dot = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(x, y)| x.dot(*y)).sum::<f64>();
    let work = dot(&slope, &direction) / dot(&slope, &slope).max(f64::MIN_POSITIVE);
    direction.iter_mut().zip(&slope).for_each(|(d, s)| *d -= *s * work);
    let fixed = direction.iter_mut().zip(&model.bodies).filter(|(_, body)| !body.is_free());
    fixed.for_each(|(d, _)| *d = DVec3::ZERO);
    let longest =
        direction.iter().zip(&model.bodies).map(|(d, b)| d.length() / b.radius).fold(0.0, f64::max);
    if longest <= 0.0 {
        return None;
    }
    let start = energy::energy(model, state);
    let mut length = 0.5 / longest;
    for _ in 0..60 {
        let motion: Vec<DVec3> = direction.iter().map(|d| *d * length).collect();
        let slid = moved(state, &motion);
        if energy::energy(model, &slid) <= start && is_clear(cores, state, &slid, smoothing) {
            return Some(slid);
        }
        length *= 0.83;
    }
    None
}

/// Whether all bodies keep half their skin along straight segments.
fn is_clear(cores: &Cores, from: &State, to: &State, smoothing: f64) -> bool {
    let regions: Vec<Aabb> = (0..cores.model.bodies.len())
        .map(|i| {
            let (a, b) = (from.positions[i], to.positions[i]);
            let room = DVec3::splat(cores.model.bodies[i].radius * (1.0 + 1e-6) + smoothing);
            Aabb { min: a.min(b) - room, max: a.max(b) + room }
        })
        .collect();
    let way = Way { cores, from, to, smoothing };
    near::pairs(&regions).iter().all(|pair| way.pair_is_clear(pair))
        && cores.model.free().all(|i| way.wall_is_clear(i, &regions[i]))
        && joints_hold(&cores.model, from, to)
}

/// Straight ways of all bodies.
struct Way<'a> {
    cores: &'a Cores,
    from: &'a State,
    to: &'a State,
    smoothing: f64,
}

impl Way<'_> {
    fn motion(&self, body: usize) -> DVec3 {
        self.to.positions[body] - self.from.positions[body]
    }

    fn pair_is_clear(&self, pair: &Pair) -> bool {
        let (i, j) = (pair.i as usize, pair.j as usize);
        let [one, two] = [i, j].map(|k| &self.cores.model.bodies[k]);
        if !one.is_free() && !two.is_free() {
            return true;
        }
        let least = SKIN * one.radius.min(two.radius);
        // A motion across the normal only opens the gap.
        let opens = self.motion(i) - self.motion(j);
        let clear = |row: &Row| is_open(row, opens, least);
        match self.cores.is_ball(i) && self.cores.is_ball(j) {
            true => clear(&pair_row(&self.cores.model, self.from, pair)),
            false => {
                let rows = body_rows(self.cores, self.from, self.smoothing, pair, opens.length());
                rows.iter().all(clear)
            }
        }
    }

    fn wall_is_clear(&self, body: usize, region: &Aabb) -> bool {
        let radius = self.cores.model.bodies[body].radius;
        let travel = self.motion(body);
        let clear = |row: &Row| is_open(row, travel, SKIN * radius);
        if !self.cores.is_ball(body) {
            let (from, reach) = (self.from, travel.length());
            let rows = body_wall_rows(self.cores, from, self.smoothing, body, region, reach);
            return rows.iter().all(clear);
        }
        let (boundary, centre) = (&self.cores.model.boundary, self.from.positions[body]);
        let wall = wall_rows(boundary, body as u32, centre, radius, region);
        travel.length() <= wall.clear && wall.rows.iter().all(clear)
    }
}

/// What a row that is within its skin already gives of it: as escapes follow upon each other, so
/// little that all of them together leave some.
const TRACE: f64 = 0.4 / MOST_ESCAPES as f64;

/// Whether a motion leaves a row half of its skin, or all but a trace of what it has.
fn is_open(row: &Row, opens: DVec3, skin: f64) -> bool {
    let given = if row.gap > 0.0 { 0.5 } else { TRACE };
    row.normal.dot(opens) + row.gap >= -given * skin
}

/// Whether no rope gets too long, nor a bar too long or too short.
fn joints_hold(model: &Model, from: &State, to: &State) -> bool {
    model.joints.iter().zip(0..).all(|(joint, number)| {
        let Some([_, most]) = joint.distance() else { return true };
        let ([a, b], [c, d]) = (joint.ends(from), joint.ends(to));
        let opens = (c - a) - (d - b);
        // A rope that has used up its skin gives a trace of it, as contacts do.
        c.distance(d) <= most.max(a.distance(b) + TRACE * SKIN * most)
            && strut_row(model, from, number)
                .is_none_or(|row| row.normal.dot(opens) + row.gap >= 0.0)
    })
}

/// The heaviest grade of bodies that a motion moves by more than a trace.
fn heaviest(grades: &Grades, way: &[DVec3]) -> u32 {
    let longest = way.iter().map(|d| d.length()).fold(0.0, f64::max);
    let moves = (0..way.len()).filter(|&i| way[i].length() > TRACE_OF_MOTION * longest);
    moves.map(|i| grades.of(i)).min().unwrap_or(0)
}

/// One ordinary step for everybody of a grade and lighter, tighter than in the fall.
fn settle_on(
    cores: &Cores,
    state: &State,
    grade: u32,
    memory: &Memory,
    watch: &mut Stopwatch,
) -> State {
    let forces = energy::forces(&cores.model, state);
    let grades = Grades::new(&cores.model, &forces);
    let plan = Plan {
        reach: Reach::RotatedCube,
        reach_radii: 1.0,
        proximal: 1e-4,
        conservative: 0.0,
        accuracy: Accuracy { relative: 0.01, absolute: 1e-12, max_iterations: 60 },
        lazy: true,
        forces: Stand::Bounds,
        stretch: COARSE_STRETCH,
        momentum: 0.0,
        grade,
        hold: grades.hold(&cores.model, &forces, grade),
    };
    let free = free(&cores.model).into_iter().enumerate();
    let active: Vec<bool> = free.map(|(i, free)| free && grades.of(i) >= grade).collect();
    let found = best_motion(cores, state, &active, &plan, memory, None, watch);
    match found.decrease > 0.0 {
        true => moved(state, &found.motion),
        false => state.clone(),
    }
}
