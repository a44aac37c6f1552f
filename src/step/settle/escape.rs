//! Leaving an unstable rest. Every way out is one transaction, "move, then
//! settle on": it counts only if it ends below the energy it started from, and
//! no configuration on the way is above it.

use super::Stopwatch;
use super::cell::{COARSE_STRETCH, Plan, Stand, Units, best_motion};
use super::memory::Memory;
use crate::energy;
use crate::contact::{Row, pair_row, solid_rows, solid_wall_rows, strut_row, wall_rows};
use crate::math::{DVec3, Random, SKIN};
use crate::near;
use crate::scene::Reach;
use crate::shape::Aabb;
use crate::solver::Accuracy;
use crate::world::{Model, State};

/// An escape must gain this much per body, in typical weights times radii.
const WORTH: f64 = 1e-9;
/// Steps that an escape may take to show its gain.
const STEPS: usize = 6;
/// Tries with different random directions.
const TRIES: usize = 8;

/// Configurations from an unstable rest to one of lower energy, or none if no
/// try gained anything.
pub(super) fn escape(
    model: &Model,
    state: &State,
    modes: &[Vec<DVec3>],
    memory: &mut Memory,
    watch: &mut Stopwatch,
) -> Option<Vec<State>> {
    let units = Units::of(model, &energy::forces(model, state));
    let start = energy::energy(model, state);
    let worth = WORTH * units.force * units.length * model.bodies.len() as f64;
    for _ in 0..TRIES {
        let mut random = Random::new(memory.random);
        memory.random = random.next_u64();
        let slid = slide(model, state, modes, memory.smoothing, &mut random);
        let Some(moved) = slid else { continue };
        let mut path = vec![moved];
        for _ in 0..STEPS {
            let next = settle_on(model, path.last()?, memory, watch);
            let gained = start - energy::energy(model, &next);
            path.push(next);
            if gained > worth {
                return Some(path);
            }
        }
    }
    None
}

/// Slides along a random mixture of the unstable modes, as far as nothing
/// gets closer than half its skin and the energy does not rise.
fn slide(
    model: &Model,
    state: &State,
    modes: &[Vec<DVec3>],
    smoothing: f64,
    random: &mut Random,
) -> Option<State> {
    let mut direction = vec![DVec3::ZERO; model.bodies.len()];
    for mode in modes {
        let part = random.between(-1.0, 1.0);
        direction.iter_mut().zip(mode).for_each(|(d, m)| *d += *m * part);
    }
    // Null motions do no work; take away what rounding left of it.
    let slope = energy::forces(model, state).gradient;
    let dot = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(x, y)| x.dot(*y)).sum::<f64>();
    let work = dot(&slope, &direction) / dot(&slope, &slope).max(f64::MIN_POSITIVE);
    direction.iter_mut().zip(&slope).for_each(|(d, s)| *d -= *s * work);
    let fixed = direction.iter_mut().zip(&model.bodies).filter(|(_, body)| body.fixed);
    fixed.for_each(|(d, _)| *d = DVec3::ZERO);
    let longest =
        direction.iter().zip(&model.bodies).map(|(d, b)| d.length() / b.radius).fold(0.0, f64::max);
    if longest <= 0.0 {
        return None;
    }
    let start = energy::energy(model, state);
    let mut length = 0.5 / longest;
    for _ in 0..60 {
        let positions = state.positions.iter().zip(&direction).map(|(p, d)| *p + *d * length);
        let moved = State { positions: positions.collect() };
        if energy::energy(model, &moved) <= start && is_clear(model, state, &moved, smoothing) {
            return Some(moved);
        }
        length *= 0.83;
    }
    None
}

/// Whether all bodies keep half their skin along straight segments.
fn is_clear(model: &Model, from: &State, to: &State, smoothing: f64) -> bool {
    let regions: Vec<Aabb> = (0..model.bodies.len())
        .map(|i| {
            let (a, b) = (from.positions[i], to.positions[i]);
            let room = DVec3::splat(model.bodies[i].radius * (1.0 + 1e-6) + smoothing);
            Aabb { min: a.min(b) - room, max: a.max(b) + room }
        })
        .collect();
    let motion = |i: u32| to.positions[i as usize] - from.positions[i as usize];
    let fixed = |i: u32| model.bodies[i as usize].fixed;
    let solid = |i: u32| model.bodies[i as usize].shape.is_some();
    let pairs_clear = near::pairs(&regions).iter().all(|pair| {
        if fixed(pair.i) && fixed(pair.j) {
            return true;
        }
        let least =
            SKIN * model.bodies[pair.i as usize].radius.min(model.bodies[pair.j as usize].radius);
        // A motion across the normal only opens the gap.
        let opens = motion(pair.i) - motion(pair.j);
        let clear = |row: &Row| row.normal.dot(opens) + row.gap >= -0.5 * least;
        match solid(pair.i) || solid(pair.j) {
            true => solid_rows(model, from, smoothing, pair, opens.length()).iter().all(clear),
            false => clear(&pair_row(model, from, pair)),
        }
    });
    let walls_clear = (0..model.bodies.len()).all(|i| {
        let radius = model.bodies[i].radius;
        if model.bodies[i].fixed {
            return true;
        }
        let travel = motion(i as u32);
        let clear = |row: &Row| row.normal.dot(travel) + row.gap >= -0.5 * SKIN * radius;
        if solid(i as u32) {
            let reach = travel.length();
            let rows = solid_wall_rows(model, from, smoothing, i, &regions[i], reach);
            return rows.iter().all(clear);
        }
        let wall = wall_rows(&model.boundary, i as u32, from.positions[i], radius, &regions[i]);
        travel.length() <= wall.clear && wall.rows.iter().all(clear)
    });
    pairs_clear && walls_clear && links_hold(model, from, to)
}

/// Whether no link gets too long, nor a bar too short.
fn links_hold(model: &Model, from: &State, to: &State) -> bool {
    let motion = |i: u32| to.positions[i as usize] - from.positions[i as usize];
    (0..model.links.len() as u32).all(|number| {
        let link = &model.links[number as usize];
        let apart = to.positions[link.a as usize].distance(to.positions[link.b as usize]);
        let opens = motion(link.a) - motion(link.b);
        apart <= link.length
            && strut_row(model, from, number)
                .is_none_or(|row| row.normal.dot(opens) + row.gap >= 0.0)
    })
}

/// One ordinary step for everybody, tighter than in the fall.
fn settle_on(model: &Model, state: &State, memory: &Memory, watch: &mut Stopwatch) -> State {
    let plan = Plan {
        reach: Reach::RotatedCube,
        reach_radii: 1.0,
        proximal: 1e-4,
        conservative: 0.0,
        accuracy: Accuracy { relative: 0.01, absolute: 1e-12, max_iterations: 60 },
        lazy: true,
        forces: Stand::Bounds,
        stretch: COARSE_STRETCH,
        momentum: false,
    };
    let everybody = model.free();
    let found = best_motion(model, state, &everybody, &plan, memory, None, watch);
    if found.decrease <= 0.0 {
        return state.clone();
    }
    State { positions: state.positions.iter().zip(&found.motion).map(|(p, d)| *p + *d).collect() }
}
