//! Forces that are not unique. Where a row of balls fits exactly between two walls, it may be
//! pressed as hard as one likes, and the program of the certificate takes some pressure. A contact
//! that presses gives way where it is slid on, so that forces which nothing asks for make
//! motions look unstable that are not. A rest is stable if some forces that balance it resist.
//!
//! Of all motions that contacts leave, those along which none of them opens that could press, are a space that does not
//! depend on which forces are taken. There, forces are sought that let the energy fall along
//! no motion: a linear program with one row for every motion that was seen to fall, and again
//! with those that fall under its answer, until none does, or none of the forces resist.

use super::certificate::{Balance, lesser, smaller_radius, weigh};
use super::refine::refine;
use super::second_order::{Contacts, Stability, View};
use crate::contact::{Cores, Row};
use crate::math::{CARRIES, DVec3, RESIDUAL_LIMIT, TOUCH, UNSTABLE_MODE};
use crate::solver::linear::{Cheapest, Column, End};
use crate::world::{Model, State};

/// Rounds of forces and of motions that fall under them.
const MOST_ROUNDS: usize = 12;

/// What forces cost beside what they are wanted for: so little that they never outweigh it, enough
/// that none is larger than it must be.
const THRIFT: f64 = 1e-6;

/// Forces below this part of the weight of the lighter side are what a program leaves of none.
const NONE: f64 = 1e-2 * CARRIES;

/// Forces that balance, and under which a rest that looked unstable is stable; none if none were found.
pub(super) fn calm(
    cores: &Cores,
    state: &State,
    balance: &Balance,
) -> Option<(Balance, Stability)> {
    let view = View::new(cores, state);
    let limit = balance.residual.max(0.1 * RESIDUAL_LIMIT);
    let mut seen = Vec::new();
    let mut last = balance.clone();
    for _ in 0..MOST_ROUNDS {
        seen.extend(view.falling(&last));
        last = calmer(&view, &last, &seen).filter(|calmer| calmer.residual <= limit)?;
        let stability = view.examine(&last);
        if stability.unstable == 0 {
            return Some((last, stability));
        }
    }
    None
}

/// The least forces that balance, where they do so better than others: the program of the certificate leaves every
/// contact that nearly touches a little, which balances nothing once those that are open are told apart.
pub(super) fn thrifty(cores: &Cores, state: &State, balance: &Balance) -> Option<Balance> {
    let view = View::new(cores, state);
    calmer(&view, balance, &[]).filter(|thrifty| thrifty.residual < balance.residual)
}

/// The contacts without force that could press if others pressed more or less: no motion opens any
/// of these.
pub(super) fn could_press(model: &Model, carrying: &Contacts, idle: &Contacts) -> Vec<bool> {
    let places = Places::new(model);
    let mut program = Cheapest { rows: places.rows + idle.len(), ..Cheapest::default() };
    let mut add = |column: Column, cost: f64| {
        program.columns.push(column);
        program.costs.push(cost);
    };
    for (row, _) in carrying {
        add(places.column(row, |_| 1.0), THRIFT);
        add(places.column(row, |_| -1.0), THRIFT);
    }
    // Each in two parts, of which the first, at most 1, is wanted: whoever can press at all can press so much.
    for (k, (row, _)) in (places.rows..).zip(idle) {
        let first = (k as u32, 1.0);
        add(places.column(row, |_| 1.0).into_iter().chain([first]).collect(), 0.0);
        add(places.column(row, |_| 1.0), THRIFT);
        add(vec![first], 1.0);
    }
    program.right = (0..program.rows).map(|k| f64::from(u8::from(k >= places.rows))).collect();
    match program.solve() {
        End::Solved(optimum) => {
            let of_idle = optimum.shares[2 * carrying.len()..].chunks_exact(3);
            of_idle.map(|parts| parts[0] > 0.5).collect()
        }
        End::Open(_) => vec![false; idle.len()],
    }
}

/// The least forces of the same contacts that balance and let the energy fall as little as may be along
/// the one of some motions along which it falls most; none if it falls all the same.
fn calmer(view: &View, balance: &Balance, motions: &[Vec<DVec3>]) -> Option<Balance> {
    let (model, largest) = (&*view.cores.model, &view.forces.largest);
    let is_closed = |row: &Row| row.gap <= TOUCH * smaller_radius(model, row);
    let rows = balance.contacts.iter().map(|(row, _)| row);
    let closed: Vec<&Row> = rows.filter(|row| is_closed(row)).collect();
    let End::Solved(optimum) = least_forces(view, &closed, motions).solve() else { return None };
    let most = optimum.shares.get(closed.len() + motions.len());
    if most.is_some_and(|most| *most > UNSTABLE_MODE) {
        return None;
    }
    let mut shares = optimum.shares.iter().map(|share| share * view.units.force);
    let mut force = |row: &Row| match is_closed(row) {
        true => shares.next().filter(|force| *force > NONE * lesser(model, row, largest)),
        false => None,
    };
    let mut contacts: Vec<(Row, f64)> =
        balance.contacts.iter().map(|(row, _)| (*row, force(row).unwrap_or(0.0))).collect();
    refine(model, &view.forces, &mut contacts);
    Some(weigh(model, &view.forces, contacts))
}

/// The program of these forces: a row for each unknown of a body, in its weights, and one for each motion;
/// columns for the forces, for by how much less than the most the energy falls along each motion, and for the most.
fn least_forces(view: &View, rows: &[&Row], motions: &[Vec<DVec3>]) -> Cheapest {
    let (model, largest) = (&*view.cores.model, &view.forces.largest);
    let weight = |i: usize| if largest[i] > 0.0 { largest[i] } else { view.units.force };
    let places = Places::new(model);
    let own = |k: usize| (places.rows + k) as u32;
    let falls: Vec<(f64, Vec<f64>)> = motions.iter().map(|m| view.falls(m, rows)).collect();
    let mut program = Cheapest { rows: places.rows + motions.len(), ..Cheapest::default() };
    for (at, row) in rows.iter().enumerate() {
        let mut column = places.column(row, |i| view.units.force / weight(i));
        let falls = falls.iter().enumerate().map(|(k, (_, falls))| (own(k), falls[at]));
        column.extend(falls.filter(|(_, fall)| *fall != 0.0));
        let lesser = lesser(model, row, largest).max(f64::MIN_POSITIVE);
        program.columns.push(column);
        program.costs.push(THRIFT * view.units.force / lesser);
    }
    program.columns.extend((0..motions.len()).map(|k| vec![(own(k), 1.0)]));
    program.costs.extend(motions.iter().map(|_| 0.0));
    if !motions.is_empty() {
        program.columns.push((0..motions.len()).map(|k| (own(k), -1.0)).collect());
        program.costs.push(1.0);
    }
    program.right = vec![0.0; places.rows];
    for i in model.free() {
        let pull = view.forces.gradient[i] / weight(i);
        for (at, k) in places.of(i) {
            program.right[at] = pull[k];
        }
    }
    program.right.extend(falls.iter().map(|(given, _)| -given));
    program
}

/// The unknowns of the bodies that may move, one after the other.
struct Places<'m> {
    model: &'m Model,
    first: Vec<Option<usize>>,
    rows: usize,
}

impl Places<'_> {
    fn new(model: &Model) -> Places<'_> {
        let mut first = vec![None; model.bodies.len()];
        model.free().enumerate().for_each(|(k, i)| first[i] = Some(k * model.dimension));
        Places { model, first, rows: model.dimension * model.free().count() }
    }

    /// Those of a body, each with its axis.
    fn of(&self, body: usize) -> impl Iterator<Item = (usize, usize)> {
        let width = self.model.dimension;
        self.first[body].into_iter().flat_map(move |at| (0..width).map(move |k| (at + k, k)))
    }

    /// What a contact does to its sides with a force, which each counts in its own way.
    fn column(&self, row: &Row, force: impl Fn(usize) -> f64) -> Column {
        let mut column = Column::new();
        for (body, sign) in [(Some(row.key.body as usize), 1.0), (row.key.second(self.model), -1.0)]
        {
            let Some(body) = body else { continue };
            let push = row.normal * (sign * force(body));
            column.extend(self.of(body).map(|(at, k)| (at as u32, push[k])));
        }
        column
    }
}

#[cfg(test)]
mod tests {
    use super::super::certificate::balance;
    use super::super::memory::Memory;
    use super::super::samples::{at, watch};
    use super::*;
    use crate::contact::Other;
    use crate::contact::samples::{cuboid, model, ridge};
    use crate::scene::SettleOptions;
    use crate::shape::{Boundary, Mesh};
    use crate::world::JointKind;

    /// What balances bodies at these places, as the program of the certificate finds it.
    fn balanced(model: Model, positions: &[DVec3]) -> (Cores, State, Balance) {
        let (cores, state) = at(model, positions);
        let memory = Memory::new(&cores, &SettleOptions::default());
        let balance = balance(&cores, &state, &memory, &mut watch());
        assert!(balance.residual < 1e-9, "{balance:?}");
        (cores, state, balance)
    }

    /// Balls of radius 1 on the floor of a box that they fill from wall to wall, in one row that is
    /// pressed by so many weights, in the plane or in space.
    fn row(count: usize, dimension: usize, pressed: f64) -> (Cores, State, Balance) {
        let wide = 2.0 * count as f64;
        let place = |k: usize| 1.0 + 2.0 * k as f64;
        let (room, places): (Boundary, Vec<DVec3>) = match dimension {
            2 => {
                let room = [[0.0, 0.0], [wide, 0.0], [wide, 9.0], [0.0, 9.0]];
                let places = (0..count).map(|k| DVec3::new(place(k), 1.0, 0.0));
                (Boundary::from_polygon(&room), places.collect())
            }
            _ => {
                let room = Mesh::cuboid(DVec3::ZERO, DVec3::new(wide, 6.0, 9.0));
                let places = (0..count).map(|k| DVec3::new(place(k), 3.0, 1.0));
                (Boundary::from_mesh(&room), places.collect())
            }
        };
        let mut model = model(room, &vec![1.0; count]);
        if dimension == 2 {
            (model.dimension, model.gravity) = (2, -DVec3::Y);
        }
        let (cores, state, mut balance) = balanced(model, &places);
        let along = |row: &Row| row.normal.x.abs() > 0.5;
        let rows = balance.contacts.iter_mut().filter(|(row, _)| along(row));
        rows.for_each(|(_, force)| *force = pressed);
        (cores, state, balance)
    }

    /// Pressed or not, a row rests: some forces that balance it let nothing fall. Those press on nothing but the floor.
    #[test]
    fn rows_that_fit_exactly_need_not_be_pressed() {
        for (count, pressed) in [(2, 0.5), (2, 1e3), (5, 3.0)] {
            let (cores, state, balance) = row(count, 3, pressed);
            let seen = View::new(&cores, &state).examine(&balance);
            // Every contact of two balls gives way across the row.
            assert_eq!((seen.null, seen.unstable), (count, count - 1));
            let (calmer, stability) = calm(&cores, &state, &balance).unwrap();
            assert_eq!((stability.null, stability.unstable), (2 * count, 0));
            for (row, force) in &calmer.contacts {
                let weights = if row.normal.z > 0.5 { 1.0 } else { 0.0 };
                assert!((force - weights).abs() < 1e-8, "{row:?} {force}");
            }
        }
    }

    /// In the plane nothing is across the row but the floor.
    #[test]
    fn rows_in_the_plane_are_held_by_their_floor() {
        let (cores, state, balance) = row(3, 2, 7.0);
        let seen = View::new(&cores, &state).examine(&balance);
        assert_eq!((seen.null, seen.unstable), (0, 0));
    }

    /// What falls under all forces that balance it is not made to stand.
    #[test]
    fn towers_fall_whatever_presses_them() {
        let tower = [DVec3::new(5.0, 5.0, 1.0), DVec3::new(5.0, 5.0, 3.0)];
        let (cores, state, balance) = balanced(model(cuboid(10.0), &[1.0, 1.0]), &tower);
        assert!(calm(&cores, &state, &balance).is_none());
        // Two walls of a corner push none of them back.
        let corner = [DVec3::new(1.0, 1.0, 1.0), DVec3::new(1.0, 1.0, 3.0)];
        let (cores, state, balance) = balanced(model(cuboid(10.0), &[1.0, 1.0]), &corner);
        assert!(calm(&cores, &state, &balance).is_none());
    }

    /// Walls on both sides hold each other by the balls between them, and those of a corner do not.
    #[test]
    fn walls_that_face_each_other_could_press() {
        let held = |wide: f64| {
            let room = Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::new(wide, 9.0, 9.0)));
            let places = [DVec3::new(1.0, 1.0, 1.0), DVec3::new(1.0, 1.0, 3.0)];
            let (cores, _, balance) = balanced(model(room, &[1.0, 1.0]), &places);
            let (upright, sideways): (Contacts, Contacts) =
                balance.contacts.iter().partition(|(row, _)| row.normal.z.abs() > 0.5);
            let held = could_press(&cores.model, &upright, &sideways);
            sideways.iter().zip(held).for_each(|((row, _), held)| {
                assert_eq!(held, wide == 2.0 && row.normal.x.abs() > 0.5, "{row:?}");
            });
            sideways.len()
        };
        assert_eq!((held(2.0), held(9.0)), (6, 4));
    }

    /// A ball on a ridge falls to both sides of it. Two ropes along the ridge, taut between hooks,
    /// hold it if each pulls by its length over twice the radius, in weights.
    #[test]
    fn ropes_hold_by_pulling_as_hard_as_they_must() {
        let top = DVec3::new(5.0, 3.0, 2.0);
        for length in [1.0, 1.7] {
            let mut model = model(ridge(), &[1.0]);
            let start = State::at_rest(vec![top]);
            for hook in [top + length * DVec3::Y, top - length * DVec3::Y] {
                let kind = JointKind::Distance { least: 0.0, most: length };
                model.join(&start, kind, [Some(0), None], [top, hook], [DVec3::Z; 2]);
            }
            let (cores, state, mut balance) = balanced(model, &[top]);
            let is_rope = |row: &Row| matches!(row.key.other, Other::Rope(_));
            let ropes = balance.contacts.iter_mut().filter(|(row, _)| is_rope(row));
            ropes.for_each(|(_, force)| *force = 0.1);
            let seen = View::new(&cores, &state).examine(&balance);
            assert_eq!((seen.null, seen.unstable), (1, 1));
            let (calmer, stability) = calm(&cores, &state, &balance).unwrap();
            assert_eq!(stability.unstable, 0);
            let pulls: Vec<f64> =
                calmer.contacts.iter().filter(|(row, _)| is_rope(row)).map(|c| c.1).collect();
            assert_eq!(pulls.len(), 2);
            let least = 0.5 * length;
            assert!(pulls.iter().all(|pull| (pull - least).abs() < 1e-5), "{pulls:?} {least}");
        }
    }
}
