//! Islands in which heavy bodies lean on light ones. Passes over one contact at a
//! time hardly get on there: each hands a load on by the part that the masses have of each
//! other. So all pushes of such an island are found at once, and the friction of contacts that
//! stick: the velocities nearest to those without them that keep every gap [C11 3]. What slips is
//! left to passes in between, as elsewhere.

use std::collections::BTreeMap;

use super::batches::{At, Batches};
use super::bodies::{Bodies, Inverse, Velocity};
use crate::math::{DMat3, DVec3};
use crate::shape::UnionFind;
use crate::solver::quadratic::{Demand, Quadratic, solve};

/// An island is uneven if masses of two bodies that touch differ by this factor.
const UNEVEN: f64 = 10.0;

/// Islands of more points than this are left to passes: what it takes to solve them at once grows
/// with the cube.
const MOST_POINTS: usize = 160;

/// Pushes and friction take turns at most so often.
const MOST_TURNS: usize = 50;

/// Answers of programs are taken if they are this exact, relative to the velocities in their
/// metric; where masses are 1e8 apart, many digits are gone, and passes would do worse.
const EXACT: f64 = 1e-6;

/// Friction is within its bound up to this part of it.
const BOUND: f64 = 1e-9;

/// The islands of a substep that are solved at once.
pub struct Direct {
    islands: Vec<Island>,
}

struct Island {
    /// Bodies that move, each a block of the program.
    bodies: Vec<usize>,
    contacts: Vec<(At, [usize; 2])>,
}

impl Direct {
    /// Islands that are uneven, of bodies that hang on nothing.
    pub fn new(bodies: &Bodies, contacts: &Batches) -> Direct {
        let mass = |body: usize| bodies.inverse[body].mass;
        let is_uneven = |[a, b]: [usize; 2]| {
            let [a, b] = [mass(a), mass(b)];
            a > 0.0 && b > 0.0 && a.max(b) > UNEVEN * a.min(b)
        };
        let met = contacts.met();
        let uneven: Vec<[usize; 2]> =
            met.iter().map(|met| met.ends).filter(|ends| is_uneven(*ends)).collect();
        if uneven.is_empty() {
            return Direct { islands: Vec::new() };
        }
        let mut sets = UnionFind::new(bodies.inverse.len());
        let moving = |ends: [usize; 2]| ends.into_iter().filter(|&end| mass(end) > 0.0);
        for met in &met {
            if let [a, b] = moving(met.ends).collect::<Vec<_>>()[..] {
                sets.union(a, b);
            }
        }
        let mut islands: BTreeMap<usize, (Island, usize)> = uneven
            .iter()
            .map(|ends| {
                let empty = Island { bodies: Vec::new(), contacts: Vec::new() };
                (sets.find(ends[0]), (empty, 0))
            })
            .collect();
        for met in &met {
            let Some(end) = moving(met.ends).next() else { continue };
            if let Some((island, points)) = islands.get_mut(&sets.find(end)) {
                island.contacts.push((met.at, met.ends));
                island.bodies.extend(moving(met.ends));
                *points += met.points;
            }
        }
        for joint in &bodies.prepared.joints {
            for end in joint.bodies.map(|body| bodies.index(body)) {
                islands.remove(&sets.find(end));
            }
        }
        for tie in &bodies.prepared.attachments {
            islands.remove(&sets.find(bodies.index(tie.to)));
        }
        let few = islands.into_values().filter(|(_, points)| *points <= MOST_POINTS);
        let islands = few.map(|(mut island, _)| {
            island.bodies.sort_unstable();
            island.bodies.dedup();
            island
        });
        Direct { islands: islands.collect() }
    }

    pub fn is_empty(&self) -> bool {
        self.islands.is_empty()
    }

    /// Solves all of them until friction changes no velocity by more than `settled`.
    pub fn solve(&self, bodies: &mut Bodies, contacts: &mut Batches, settled: f64) {
        for island in &self.islands {
            // Every contact sticks until that takes more friction than there is.
            let mut sticks = vec![true; island.contacts.len()];
            for _ in 0..MOST_TURNS {
                if !island.hold(bodies, contacts, &sticks) {
                    break;
                }
                let is_all = island.let_slip(contacts, &mut sticks);
                let change = island.rub(bodies, contacts, &sticks);
                if is_all && change <= settled {
                    break;
                }
            }
        }
    }
}

impl Island {
    /// Finds all pushes, and the friction of contacts that stick; whether they were found.
    fn hold(&self, bodies: &mut Bodies, contacts: &mut Batches, sticks: &[bool]) -> bool {
        let mut program = Program::new(bodies, &self.bodies);
        let held = || self.contacts.iter().zip(sticks);
        for ((at, ends), &sticks) in held() {
            let (contact, points) = contacts.contact(*at);
            for point in &points[contact.range()] {
                let row = (contact.normal(), point.moments);
                program.add(Wanted::AtLeast, *ends, row, point.impulse, point.wanted);
            }
            for (linear, moments, impulse) in contact.grips().filter(|_| sticks) {
                program.add(Wanted::Equal, *ends, (linear, moments), impulse, 0.0);
            }
        }
        let Some(impulses) = program.solve(bodies) else { return false };
        let mut impulses = impulses.into_iter();
        for ((at, _), &sticks) in held() {
            let (contact, points) = contacts.contact_mut(*at);
            for point in &mut points[contact.range()] {
                point.impulse = impulses.next().unwrap_or(0.0);
            }
            if sticks {
                let count = contact.grips().count();
                let grips: Vec<f64> = impulses.by_ref().take(count).collect();
                contact.set_grips(&grips);
            }
        }
        true
    }

    /// Lets contacts slip that have more friction than there is; whether there were none.
    fn let_slip(&self, contacts: &Batches, sticks: &mut [bool]) -> bool {
        let mut is_all = true;
        for ((at, _), sticks) in self.contacts.iter().zip(sticks) {
            let (contact, points) = contacts.contact(*at);
            if *sticks && !contact.grips_hold(points, BOUND) {
                (*sticks, is_all) = (false, false);
            }
        }
        is_all
    }

    /// One pass of friction over its contacts that slip; the largest change of a velocity.
    fn rub(&self, bodies: &mut Bodies, contacts: &mut Batches, sticks: &[bool]) -> f64 {
        let mut change = 0.0_f64;
        let slipping = self.contacts.iter().zip(sticks).filter(|(_, sticks)| !**sticks);
        for ((at, [a, b]), _) in slipping {
            let (mut one, mut two) = (bodies.velocities[*a], bodies.velocities[*b]);
            let of = [&bodies.inverse[*a], &bodies.inverse[*b]];
            let (contact, points) = contacts.contact_mut(*at);
            change = change.max(contact.rub(points, [&mut one, &mut two], of));
            (bodies.velocities[*a], bodies.velocities[*b]) = (one, two);
        }
        change
    }
}

/// The velocities of an island nearest to those without some impulses, and these.
struct Program<'i> {
    is_flat: bool,
    /// Each a block.
    bodies: &'i [usize],
    without: Vec<Velocity>,
    rows: Vec<(Wanted, Pull, f64)>,
    impulses: Vec<f64>,
}

/// What a row asks of a velocity.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    /// As much or more.
    AtLeast,
    /// As much: no less either way. Rows of inequalities that depend on each other are not taken
    /// together by the method that solves small programs; equations would be.
    Equal,
}

impl Wanted {
    fn signs(self) -> &'static [f64] {
        match self {
            Wanted::AtLeast => &[1.0],
            Wanted::Equal => &[1.0, -1.0],
        }
    }
}

/// What an impulse does: to whom, along which direction, with which moments.
type Pull = ([usize; 2], (DVec3, [DVec3; 2]));

impl<'i> Program<'i> {
    fn new(bodies: &Bodies, island: &'i [usize]) -> Program<'i> {
        Program {
            is_flat: bodies.prepared.is_flat,
            bodies: island,
            without: bodies.velocities.clone(),
            rows: Vec::new(),
            impulses: Vec::new(),
        }
    }

    /// Adds a row: how fast the bodies are to part along it, with the impulse that it has now.
    fn add(
        &mut self,
        demand: Wanted,
        ends: [usize; 2],
        row: (DVec3, [DVec3; 2]),
        impulse: f64,
        wanted: f64,
    ) {
        self.rows.push((demand, (ends, row), wanted));
        self.impulses.push(impulse);
    }

    /// The impulses of all rows; the bodies take them over.
    fn solve(mut self, bodies: &mut Bodies) -> Option<Vec<f64>> {
        let inverse = &bodies.inverse;
        for ((_, pull, _), impulse) in self.rows.iter().zip(&self.impulses) {
            apply(&mut self.without, inverse, pull, -impulse);
        }
        let width = if self.is_flat { 3 } else { 6 };
        let mut program = Quadratic::new(width);
        for &body in self.bodies {
            let target = flat(&self.without[body], self.is_flat);
            program.add_block(&metric(&inverse[body], self.is_flat), &target);
        }
        let mut warm = Vec::with_capacity(self.rows.len());
        for ((demand, (ends, (linear, moments)), wanted), impulse) in
            self.rows.iter().zip(&self.impulses)
        {
            let (mut parts, mut given) = (Vec::new(), 0.0);
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let (linear, angular) = (*linear * sign, moments[side] * sign);
                match self.bodies.binary_search(&ends[side]) {
                    Ok(block) => {
                        let turns = bodies.turns_freely(ends[side]);
                        let angular = if turns { angular } else { DVec3::ZERO };
                        parts.push((
                            block as u32,
                            flat(&Velocity { linear, angular }, self.is_flat),
                        ));
                    }
                    // What moves by itself, as a driven body does.
                    Err(_) => {
                        let v = &bodies.velocities[ends[side]];
                        given += linear.dot(v.linear) + angular.dot(v.angular);
                    }
                }
            }
            for sign in demand.signs() {
                let signed = parts.iter().map(|(k, w)| (*k, w.iter().map(|x| x * sign).collect()));
                let signed: Vec<(u32, Vec<f64>)> = signed.collect();
                let parts: Vec<(u32, &[f64])> = signed.iter().map(|(k, w)| (*k, &w[..])).collect();
                program.add_row(Demand::AtLeast, sign * (given - wanted), &parts);
                warm.push((sign * impulse).max(0.0));
            }
        }
        let answer = solve(&program, &warm);
        if answer.residual.largest() > EXACT {
            return None;
        }
        let mut multipliers = answer.multipliers.into_iter();
        let mut found = Vec::with_capacity(self.rows.len());
        for (demand, pull, _) in &self.rows {
            let parts = demand.signs().iter().zip(&mut multipliers);
            let impulse = parts.map(|(sign, by)| sign * by.max(0.0)).sum();
            apply(&mut self.without, inverse, pull, impulse);
            found.push(impulse);
        }
        for &body in self.bodies {
            bodies.velocities[body] = self.without[body];
        }
        Some(found)
    }
}

/// Lets two bodies take an impulse over.
fn apply(velocities: &mut [Velocity], inverse: &[Inverse], pull: &Pull, by: f64) {
    let ([a, b], (linear, moments)) = *pull;
    velocities[a].add(&inverse[a], linear * by, moments[0] * by);
    velocities[b].add(&inverse[b], linear * -by, moments[1] * -by);
}

/// The unknowns of a body.
fn flat(velocity: &Velocity, is_flat: bool) -> Vec<f64> {
    let Velocity { linear, angular } = velocity;
    match is_flat {
        true => vec![linear.x, linear.y, angular.z],
        false => [linear.to_array(), angular.to_array()].concat(),
    }
}

/// Masses and moments of inertia, by rows; what does not turn is as heavy there as it is.
fn metric(inverse: &Inverse, is_flat: bool) -> Vec<f64> {
    let mass = inverse.mass.recip();
    if is_flat {
        let about = inverse.inertia.z_axis.z;
        let about = if about > 0.0 { about.recip() } else { mass };
        return vec![mass, 0.0, 0.0, 0.0, mass, 0.0, 0.0, 0.0, about];
    }
    let turns = inverse.inertia.determinant() > 0.0;
    let inertia =
        if turns { inverse.inertia.inverse() } else { DMat3::from_diagonal(DVec3::splat(mass)) };
    let mut metric = vec![0.0; 36];
    for k in 0..3 {
        metric[7 * k] = mass;
        for l in 0..3 {
            metric[6 * (3 + k) + 3 + l] = inertia.col(l)[k];
        }
    }
    metric
}
