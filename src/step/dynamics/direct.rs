//! Islands in which heavy bodies lean on light ones. Passes over one contact at a
//! time hardly get on there: each hands a load on by the part that the masses have of each
//! other. So all pushes of such an island are found at once, as the velocities nearest to those
//! without them that open every gap [C11 3], and friction in between by passes as elsewhere.

use std::collections::BTreeMap;

use super::batches::{At, Batches};
use super::bodies::{Bodies, Inverse, Velocity};
use crate::math::{DMat3, DVec3};
use crate::shape::UnionFind;
use crate::solver::quadratic::{Demand, Quadratic, solve};

/// An island is uneven if masses of two bodies that touch differ by this factor.
const UNEVEN: f64 = 10.0;

/// Islands of more points than this are left to passes: what it takes to solve them at once grows
/// with the square.
const MOST_POINTS: usize = 300;

/// Pushes and friction take turns at most so often.
const MOST_TURNS: usize = 50;

/// Answers of programs are believed if they are this exact, relative to the velocities.
const EXACT: f64 = 1e-9;

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
            for _ in 0..MOST_TURNS {
                if !island.push(bodies, contacts) || island.rub(bodies, contacts) <= settled {
                    break;
                }
            }
        }
    }
}

impl Island {
    /// Finds all pushes, with friction as it is; whether they were found.
    fn push(&self, bodies: &mut Bodies, contacts: &mut Batches) -> bool {
        let is_flat = bodies.prepared.is_flat;
        let width = if is_flat { 3 } else { 6 };
        let mut without: Vec<Velocity> = bodies.velocities.clone();
        for (at, ends) in &self.contacts {
            let (normal, points) = contacts.pushes(*at);
            for point in points {
                apply(&mut without, &bodies.inverse, *ends, normal, point.moments, -point.impulse);
            }
        }
        let mut program = Quadratic::new(width);
        for &body in &self.bodies {
            program
                .add_block(&metric(&bodies.inverse[body], is_flat), &flat(&without[body], is_flat));
        }
        let block = |body: usize| self.bodies.binary_search(&body).ok();
        let mut warm = Vec::new();
        for (at, ends) in &self.contacts {
            let (normal, points) = contacts.pushes(*at);
            for point in points {
                let weights = [0, 1].map(|side| {
                    let sign = [1.0, -1.0][side];
                    let turns = block(ends[side]).is_some_and(|_| bodies.turns_freely(ends[side]));
                    let angular = if turns { point.moments[side] * sign } else { DVec3::ZERO };
                    flat(&Velocity { linear: normal * sign, angular }, is_flat)
                });
                let sides =
                    [0, 1].map(|side| Some((block(ends[side])? as u32, &weights[side][..])));
                let parts: Vec<(u32, &[f64])> = sides.into_iter().flatten().collect();
                // What moves by itself, as a driven body does.
                let given: f64 = (0..2)
                    .filter(|&side| block(ends[side]).is_none())
                    .map(|side| {
                        let v = &bodies.velocities[ends[side]];
                        [1.0, -1.0][side]
                            * (normal.dot(v.linear) + point.moments[side].dot(v.angular))
                    })
                    .sum();
                program.add_row(Demand::AtLeast, given - point.wanted, &parts);
                warm.push(point.impulse);
            }
        }
        let answer = solve(&program, &warm);
        if answer.residual.largest() > EXACT {
            return false;
        }
        let mut found = answer.multipliers.into_iter();
        for (at, ends) in &self.contacts {
            let (normal, points) = contacts.pushes_mut(*at);
            for point in points {
                point.impulse = found.next().unwrap_or(0.0).max(0.0);
                apply(&mut without, &bodies.inverse, *ends, normal, point.moments, point.impulse);
            }
        }
        for &body in &self.bodies {
            bodies.velocities[body] = without[body];
        }
        true
    }

    /// One pass of friction over its contacts; the largest change of a velocity.
    fn rub(&self, bodies: &mut Bodies, contacts: &mut Batches) -> f64 {
        let mut change = 0.0_f64;
        for (at, ends) in &self.contacts {
            let [a, b] = *ends;
            let (mut one, mut two) = (bodies.velocities[a], bodies.velocities[b]);
            let (ia, ib) = (&bodies.inverse[a], &bodies.inverse[b]);
            change = change.max(contacts.rub(*at, [&mut one, &mut two], [ia, ib]));
            (bodies.velocities[a], bodies.velocities[b]) = (one, two);
        }
        change
    }
}

/// What a push along a normal does to two bodies.
fn apply(
    velocities: &mut [Velocity],
    inverse: &[Inverse],
    [a, b]: [usize; 2],
    normal: DVec3,
    moments: [DVec3; 2],
    push: f64,
) {
    velocities[a].add(&inverse[a], normal * push, moments[0] * push);
    velocities[b].add(&inverse[b], normal * -push, moments[1] * -push);
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
