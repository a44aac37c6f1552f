//! The proof of rest: contact forces that balance the gradient of the energy,
//! from one tight program with a very small reach.

use super::cell::{Found, best_motion};
use super::free;
use super::memory::Memory;
use super::plan::{FINE_STRETCH, Plan, Stand, Units};
use super::refine::refine;
use crate::contact::{Cores, Row};
use crate::energy::{self, Forces};
use crate::math::{CARRIES, DVec3, PLAY, RESIDUAL_LIMIT, TOUCH, carries};
use crate::scene::Reach;
use crate::solver::Accuracy;
use crate::step::Stopwatch;
use crate::world::{Model, State};

/// Reach of the force program, in radii: small enough that curvature plays no
/// part, large enough for the arithmetic.
const REACH: f64 = 1e-3;

/// The least accuracy (what the program may miss, in the method's units) that arithmetic allows.
const FINEST: f64 = 1e-14;

/// A force in the balance of a body is rounded by a few units in the last place, its normal's
/// included. Beside the weights that wedges multiply a millionfold this is all that there is.
const UNITS: f64 = 4.0;

/// A contact that carries force has closed if its gap is below this, in units of the smaller
/// radius: well above the skin, well below [`TOUCH`].
const CLOSED: f64 = 1e-8;

/// First-order rest: who presses on whom, and how well that balances.
#[derive(Clone, Debug)]
pub(super) struct Balance {
    /// Touching rows with their forces, and those without force that leave no play, sorted by key.
    pub contacts: Vec<(Row, f64)>,
    /// Largest imbalance of a body, relative to the largest force on it.
    pub residual: f64,
    /// What rounding may make of it.
    pub rounding: f64,
    /// The energy can fall by at most this within the cell of half-width [`REACH`].
    pub bound: f64,
}

/// Finds the forces at a configuration that is at rest.
pub(super) fn balance(
    cores: &Cores,
    state: &State,
    memory: &Memory,
    watch: &mut Stopwatch,
) -> Balance {
    let model = &*cores.model;
    let forces = energy::forces(model, state);
    let force = Units::of(model, &forces, 0).force;
    // What is left to gain is a force times the reach: so that the weakest body
    // is in balance, too.
    let weakest = model.free().map(|i| forces.largest[i]).fold(f64::INFINITY, f64::min);
    let mut accuracy = (1e-12 * model.bodies.len() as f64)
        .min(0.1 * RESIDUAL_LIMIT * REACH * weakest / force)
        .max(FINEST);
    loop {
        let balance = balance_within(accuracy, cores, state, memory, watch);
        if balance.residual <= 0.1 * RESIDUAL_LIMIT || accuracy <= FINEST {
            return balance;
        }
        // Many rows that nearly touch can each hold a little of the balance.
        accuracy = (0.01 * accuracy).max(FINEST);
    }
}

/// The same from one program, solved to an absolute accuracy.
fn balance_within(
    accuracy: f64,
    cores: &Cores,
    state: &State,
    memory: &Memory,
    watch: &mut Stopwatch,
) -> Balance {
    let model = &*cores.model;
    let forces = energy::forces(model, state);
    let plan = Plan {
        reach: Reach::AxisBox,
        reach_radii: REACH,
        proximal: 1e-6,
        conservative: 0.0,
        accuracy: Accuracy { relative: 0.0, absolute: accuracy, max_iterations: 100 },
        lazy: false,
        forces: Stand::Gradients,
        stretch: FINE_STRETCH,
        momentum: 0.0,
        grade: 0,
        hold: f64::INFINITY,
    };
    let Found { rows, .. } = best_motion(cores, state, &free(model), &plan, memory, None, watch);
    let near = |row: &Row, most: f64| row.gap <= most * smaller_radius(model, row);
    // What presses and is open does not press: the program gives every row a little that nearly touches.
    let told = |(row, force): (Row, f64)| {
        let presses = force > CARRIES * lesser(model, &row, &forces.largest);
        (row, if presses && !near(&row, TOUCH) { 0.0 } else { force })
    };
    let rows = rows.into_iter().filter(|(row, _)| near(row, PLAY));
    let mut contacts: Vec<(Row, f64)> = rows.map(told).collect();
    refine(model, &forces, &mut contacts);
    weigh(model, &forces, contacts)
}

impl Balance {
    /// Whether a contact that carries force has not closed yet: where little force is at work,
    /// the energy hardly tells.
    pub fn is_loose(&self, model: &Model, state: &State) -> bool {
        let forces = energy::forces(model, state);
        let open = |row: &Row| row.gap > CLOSED * smaller_radius(model, row);
        self.contacts
            .iter()
            .any(|contact| self.carries(model, &forces, contact) && open(&contact.0))
    }

    /// Whether a contact carries force.
    pub fn carries(&self, model: &Model, forces: &Forces, (row, force): &(Row, f64)) -> bool {
        carries(*force, lesser(model, row, &forces.largest), self.residual + self.rounding)
    }
}

/// How well contact forces balance. A body on which nothing acts is measured by
/// the largest force on any other.
pub(super) fn weigh(model: &Model, forces: &Forces, mut contacts: Vec<(Row, f64)>) -> Balance {
    let force = Units::of_all(model, forces).force;
    contacts.sort_by_key(|(row, _)| row.key);
    // As it is told to others, a force is rounded, which counts where it is of many million weights.
    let told = |(row, force): &(Row, f64)| (*row, (row.normal * *force).dot(row.normal));
    let told: Vec<(Row, f64)> = contacts.iter().map(told).collect();
    let imbalance = imbalance(model, forces, &told);
    let largest = forces.largest.iter().copied().fold(0.0, f64::max);
    let scale = |i: usize| match forces.largest[i] {
        0.0 => largest,
        own => own.max(1e-9 * force),
    };
    let relative = |(i, v): (usize, &DVec3)| v.length() / scale(i).max(f64::MIN_POSITIVE);
    let reach = |i: usize| REACH * model.bodies[i].radius;
    let slack: f64 = contacts.iter().map(|(row, f)| row.gap * f).sum();
    let drift: f64 =
        imbalance.iter().enumerate().map(|(i, v)| reach(i) * v.abs().element_sum()).sum();
    let mut pressed = vec![0.0; model.bodies.len()];
    for (row, force) in &contacts {
        let ends = [Some(row.key.body as usize), row.key.second(model)];
        ends.into_iter().flatten().for_each(|i| pressed[i] += UNITS * f64::EPSILON * force);
    }
    let rounded = |i: usize| pressed[i] / scale(i).max(f64::MIN_POSITIVE);
    Balance {
        residual: imbalance.iter().enumerate().map(relative).fold(0.0, f64::max),
        rounding: model.free().map(rounded).fold(0.0, f64::max),
        bound: slack + drift,
        contacts,
    }
}

/// The smaller radius of the two sides of a row (a wall has none).
pub(super) fn smaller_radius(model: &Model, row: &Row) -> f64 {
    let own = model.bodies[row.key.body as usize].radius;
    row.key.second(model).map_or(own, |j| own.min(model.bodies[j].radius))
}

/// The lesser of what the sides of a row have that may move; of walls and fixed bodies, nothing.
pub(super) fn lesser(model: &Model, row: &Row, of: &[f64]) -> f64 {
    let sides = [Some(row.key.body as usize), row.key.second(model)];
    let free = sides.into_iter().flatten().filter(|&i| model.bodies[i].is_free());
    free.map(|i| of[i]).fold(f64::INFINITY, f64::min)
}

/// What the contact forces leave of the gradient, per body that may move.
pub(super) fn imbalance(model: &Model, forces: &Forces, contacts: &[(Row, f64)]) -> Vec<DVec3> {
    let mut left = forces.gradient.clone();
    for (row, force) in contacts {
        left[row.key.body as usize] -= row.normal * *force;
        if let Some(j) = row.key.second(model) {
            left[j] += row.normal * *force;
        }
    }
    let bodies = left.iter_mut().zip(&model.bodies);
    bodies.filter(|(_, body)| !body.is_free()).for_each(|(v, _)| *v = DVec3::ZERO);
    left
}

#[cfg(test)]
mod tests {
    use super::super::samples::{at, watch};
    use super::*;
    use crate::contact::Other;
    use crate::contact::samples::{cuboid, model, ridge};
    use crate::scene::SettleOptions;
    use crate::shape::{Boundary, Mesh};

    fn balance_of(model: Model, positions: &[DVec3]) -> Balance {
        let (cores, state) = at(model, positions);
        let memory = Memory::new(&cores, &SettleOptions::default());
        balance(&cores, &state, &memory, &mut watch())
    }

    fn forces(balance: &Balance) -> Vec<f64> {
        balance.contacts.iter().map(|(_, force)| *force).collect()
    }

    fn assert_near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        let near = found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-8);
        assert!(near, "{found:?} instead of {expected:?}");
    }

    #[test]
    fn a_column_carries_its_weight() {
        let mut model = model(cuboid(10.0), &[1.0, 0.5, 0.25]);
        model.gravity *= 9.81;
        model.bodies[1].mass = 3.0;
        let column = [1.0, 2.5, 3.25].map(|z| DVec3::new(5.0, 5.0, z));
        let balance = balance_of(model, &column);
        assert!(balance.residual < 1e-9 && balance.bound < 1e-9, "{balance:?}");
        let mut forces = forces(&balance);
        forces.sort_by(f64::total_cmp);
        assert_near(&forces, &[9.81, 4.0 * 9.81, 5.0 * 9.81]);
    }

    /// At the foot of the ridge, a slope of 45 degrees, and pulled against it.
    #[test]
    fn a_slope_and_a_floor_share_the_load() {
        let mut model = model(ridge(), &[1.0]);
        model.gravity = DVec3::new(-1.0, 0.0, -2.0);
        let x = 6.0 + 1.0 / (3.0 * std::f64::consts::FRAC_PI_8).tan();
        let balance = balance_of(model, &[DVec3::new(x, 3.0, 1.0)]);
        assert!(balance.residual < 1e-9, "{balance:?}");
        assert_near(&forces(&balance), &[2.0_f64.sqrt(), 1.0]);
    }

    #[test]
    fn what_hangs_in_the_air_is_not_in_balance() {
        let balance = balance_of(model(cuboid(10.0), &[1.0]), &[DVec3::splat(5.0)]);
        assert_eq!((balance.residual, balance.contacts.len()), (1.0, 0));
        // A light one counts as much as a heavy one.
        let mut model = model(cuboid(10.0), &[1.0, 1.0]);
        model.bodies[1].mass = 1e-6;
        let positions = [DVec3::new(3.0, 3.0, 1.0), DVec3::new(6.0, 6.0, 1.0 + 1e-5)];
        assert_eq!(balance_of(model, &positions).residual, 1.0, "relative to its own weight");
    }

    /// Two faces of a floor that are one but for rounding: the second touches at the edge, not
    /// where it first stands out of the plane of the first.
    #[test]
    fn a_floor_of_two_faces_is_touched_where_it_is_nearest() {
        let found = [1e-7, -1e-7].map(|bend| {
            // One corner is raised or lowered: in one of the cases the diagonal is a valley.
            let bent = |x: DVec3| DVec3 { z: if x.z == 0.0 { bend * x.x * x.y } else { x.z }, ..x };
            let floor = Mesh::cuboid(DVec3::ZERO, DVec3::splat(10.0));
            let corners: Vec<[DVec3; 3]> = floor.corners().map(|face| face.map(bent)).collect();
            let model = model(Boundary::from_mesh(&Mesh::from_triangles(&corners)), &[1.0]);
            let boundary = model.boundary.clone();
            let mut centre = DVec3::new(5.0 + 1e-4, 5.0, 1.0);
            for _ in 0..2 {
                let distance = boundary.nearest(centre).expect("a floor").distance;
                centre.z += 1.0 + 2e-9 - distance;
            }
            let balance = balance_of(model, &[centre]);
            for (row, _) in &balance.contacts {
                let Other::Face(face, _) = row.key.other else { panic!("{row:?}") };
                let nearest = boundary.faces()[face as usize].closest_point(centre);
                let direction = (centre - nearest).normalize();
                assert!(row.normal.distance(direction) < 1e-7, "{row:?} {direction}");
            }
            balance.contacts.len()
        });
        assert!(found.contains(&2), "{found:?}");
    }

    /// A ball that rests on a face cut into triangles presses on it once.
    #[test]
    fn a_floor_is_one_contact() {
        let balance = balance_of(model(cuboid(10.0), &[1.0]), &[DVec3::new(5.0, 5.0, 1.0)]);
        assert_near(&forces(&balance), &[1.0]);
    }
}
