//! The proof of rest: contact forces that balance the gradient of the energy,
//! from one tight program with a very small reach.

use super::Stopwatch;
use super::cell::{Found, Plan, Units, best_motion};
use super::memory::Memory;
use crate::energy;
use crate::free_space::{Other, Row};
use crate::math::{DVec3, TOUCH};
use crate::scene::Reach;
use crate::solver::Accuracy;
use crate::world::{Model, State};

/// Reach of the force program, in radii: small enough that curvature plays no
/// part, large enough for the arithmetic.
const REACH: f64 = 1e-3;

/// First-order rest: who presses on whom, and how well that balances.
#[derive(Clone, Debug)]
pub(super) struct Balance {
    /// Touching rows with their forces, sorted by key.
    pub contacts: Vec<(Row, f64)>,
    /// Largest imbalance of a body, relative to the gradient of its energy.
    pub residual: f64,
    /// The energy can fall by at most this within the cell of half-width [`REACH`].
    pub bound: f64,
}

/// Finds the forces at a configuration that is at rest.
pub(super) fn balance(
    model: &Model,
    state: &State,
    memory: &Memory,
    watch: &mut Stopwatch,
) -> Balance {
    let everybody = vec![true; model.bodies.len()];
    let plan = Plan {
        reach: Reach::AxisBox,
        reach_radii: REACH,
        proximal: 1e-6,
        conservative: 0.0,
        accuracy: Accuracy {
            relative: 0.0,
            absolute: 1e-12 * model.bodies.len() as f64,
            max_iterations: 100,
        },
        lazy: false,
    };
    let Found { rows, .. } = best_motion(model, state, &everybody, &plan, memory, None, watch);
    let touching = |row: &Row| row.gap <= TOUCH * smaller_radius(model, row);
    let mut contacts: Vec<_> = rows.into_iter().filter(|(row, _)| touching(row)).collect();
    contacts.sort_by_key(|(row, _)| row.key);
    let imbalance = imbalance(model, &contacts);
    let force = Units::of(model).force;
    let relative = |(i, v): (usize, &DVec3)| {
        v.length() / energy::gradient(model, i).length().max(1e-9 * force)
    };
    let reach = |i: usize| REACH * model.bodies[i].radius;
    let slack: f64 = contacts.iter().map(|(row, f)| row.gap * f).sum();
    let drift: f64 =
        imbalance.iter().enumerate().map(|(i, v)| reach(i) * v.abs().element_sum()).sum();
    Balance {
        residual: imbalance.iter().enumerate().map(relative).fold(0.0, f64::max),
        bound: slack + drift,
        contacts,
    }
}

/// The smaller radius of the two sides of a row (a wall has none).
pub(super) fn smaller_radius(model: &Model, row: &Row) -> f64 {
    let own = model.bodies[row.key.body as usize].radius;
    match row.key.other {
        Other::Body(j) => own.min(model.bodies[j as usize].radius),
        Other::Face(..) => own,
    }
}

/// What the forces leave of the gradient, per body.
fn imbalance(model: &Model, contacts: &[(Row, f64)]) -> Vec<DVec3> {
    let mut left: Vec<DVec3> =
        (0..model.bodies.len()).map(|i| energy::gradient(model, i)).collect();
    for (row, force) in contacts {
        left[row.key.body as usize] -= row.normal * *force;
        if let Other::Body(j) = row.key.other {
            left[j as usize] += row.normal * *force;
        }
    }
    left
}
