//! All joints at once. The joints of a scene are one symmetric system, sparse
//! as the tree of the joints, so it is factored exactly in linear time
//! [Baraff 1996]: neither long chains nor large ratios of mass leave an error.

use std::collections::BTreeSet;

use super::bodies::Bodies;
use super::joints::{self, MOST_ROWS, Placed, Row};
use crate::math::DVec3;
use crate::solver::ldl::Ldl;

/// Pivots stay above this part of the diagonal: rows that repeat others, as in closed loops.
const FLOOR: f64 = 1e-9;

/// Positions are good when no joint is off by more than this part of its bodies' size.
const GOOD: f64 = 1e-7;

/// Newton steps on the positions; one is nearly always enough.
const NEWTON_STEPS: usize = 3;

/// The joints' rows and their factor.
pub struct Articulation {
    /// Bodies of each joint.
    ends: Vec<[usize; 2]>,
    /// Where the rows of each joint start: in the order of the scene, and as eliminated.
    first: Vec<usize>,
    place: Vec<usize>,
    rows: Vec<Row>,
    /// What the bodies do per unit impulse of a row.
    moved: Vec<[(DVec3, DVec3); 2]>,
    couplings: Vec<Coupling>,
    /// Where the entries of a joint's own block start.
    own: Vec<usize>,
    diagonal: Vec<f64>,
    values: Vec<f64>,
    ldl: Ldl,
    right: Vec<f64>,
    /// Lengths to measure errors by.
    sizes: Vec<f64>,
}

/// Two joints that share a body; `later` is eliminated after `sooner`.
struct Coupling {
    later: usize,
    sooner: usize,
    sides: [usize; 2],
    slot: usize,
}

impl Articulation {
    pub fn new(bodies: &Bodies) -> Articulation {
        let bonds = &bodies.assembly.joints;
        let ends: Vec<[usize; 2]> = bonds.iter().map(|bond| joints::ends(bodies, bond)).collect();
        let counts: Vec<usize> = bonds.iter().map(joints::row_count).collect();
        let mut first = vec![0; bonds.len() + 1];
        for k in 0..bonds.len() {
            first[k + 1] = first[k] + counts[k];
        }
        let total = first[bonds.len()];
        let shared = shared(bodies, &ends, &counts);
        let order = elimination_order(bonds.len(), &shared);
        let (mut place, mut rank, mut next) = (vec![0; bonds.len()], vec![0; bonds.len()], 0);
        for (number, &joint) in order.iter().enumerate() {
            (place[joint], rank[joint]) = (next, number);
            next += counts[joint];
        }
        let mut entries: Vec<Vec<(u32, u32)>> = vec![Vec::new(); total];
        let (mut slots, mut own) = (0, vec![0; bonds.len()]);
        for joint in 0..bonds.len() {
            own[joint] = slots;
            for row in 0..counts[joint] {
                for column in 0..row {
                    entries[place[joint] + row]
                        .push(((place[joint] + column) as u32, slots as u32));
                    slots += 1;
                }
            }
        }
        let mut couplings = Vec::new();
        for (i, j, sides) in shared {
            let swap = rank[i] < rank[j];
            let (later, sooner) = if swap { (j, i) } else { (i, j) };
            let sides = if swap { [sides[1], sides[0]] } else { sides };
            couplings.push(Coupling { later, sooner, sides, slot: slots });
            for row in 0..counts[later] {
                for column in 0..counts[sooner] {
                    let at = (place[sooner] + column) as u32;
                    entries[place[later] + row].push((at, slots as u32));
                    slots += 1;
                }
            }
        }
        let size = |ends: &[usize; 2]| {
            let radius = |&i: &usize| bodies.assembly.parts.get(i).map_or(0.0, |part| part.radius);
            ends.iter().map(radius).fold(0.0, f64::max)
        };
        Articulation {
            sizes: ends.iter().map(size).collect(),
            ends,
            first,
            place,
            rows: vec![Row::default(); total],
            moved: vec![[(DVec3::ZERO, DVec3::ZERO); 2]; total],
            couplings,
            own,
            diagonal: vec![0.0; total],
            values: vec![0.0; slots],
            ldl: Ldl::new(entries),
            right: vec![0.0; total],
        }
    }

    /// Rows and factor for where the bodies are now.
    pub fn refresh(&mut self, bodies: &Bodies) {
        for (joint, bond) in bodies.assembly.joints.iter().enumerate() {
            let (from, to) = (self.first[joint], self.first[joint + 1]);
            if from == to {
                continue;
            }
            Placed::new(bodies, bond).rows(bodies, bond, &mut self.rows[from..to]);
            for row in from..to {
                for side in 0..2 {
                    let inverse = &bodies.inverse[self.ends[joint][side]];
                    let Row { linear, angular, .. } = self.rows[row];
                    self.moved[row][side] =
                        (linear * inverse.mass, inverse.inertia * angular[side]);
                }
            }
            self.assemble_own(joint);
        }
        for k in 0..self.couplings.len() {
            self.assemble_coupling(k);
        }
        self.ldl.factor(&self.diagonal, &self.values, FLOOR);
    }

    fn assemble_own(&mut self, joint: usize) {
        let (from, to) = (self.first[joint], self.first[joint + 1]);
        let mut slot = self.own[joint];
        for row in from..to {
            for column in from..row {
                self.values[slot] =
                    self.product(row, 0, column, 0) + self.product(row, 1, column, 1);
                slot += 1;
            }
            self.diagonal[self.place[joint] + row - from] =
                self.product(row, 0, row, 0) + self.product(row, 1, row, 1);
        }
    }

    fn assemble_coupling(&mut self, k: usize) {
        let Coupling { later, sooner, sides, mut slot } = self.couplings[k];
        let sign = if sides[0] == sides[1] { 1.0 } else { -1.0 };
        for row in self.first[later]..self.first[later + 1] {
            for column in self.first[sooner]..self.first[sooner + 1] {
                self.values[slot] = sign * self.product(row, sides[0], column, sides[1]);
                slot += 1;
            }
        }
    }

    /// How much the one row changes per unit impulse of the other, through one body.
    fn product(&self, row: usize, side: usize, column: usize, other: usize) -> f64 {
        let (linear, angular) = self.moved[column][other];
        self.rows[row].linear.dot(linear) + self.rows[row].angular[side].dot(angular)
    }

    /// Impulses that make every row's rate vanish; the largest rate that was left before.
    pub fn solve_velocities(&mut self, bodies: &mut Bodies) -> f64 {
        let mut worst = 0.0_f64;
        for joint in 0..self.ends.len() {
            for row in self.first[joint]..self.first[joint + 1] {
                let rate = self.rows[row].rate(bodies, self.ends[joint]);
                worst = worst.max(rate.abs());
                self.right[self.place[joint] + row - self.first[joint]] = -rate;
            }
        }
        self.ldl.solve(&mut self.right);
        for joint in 0..self.ends.len() {
            let [a, b] = self.ends[joint];
            for row in self.first[joint]..self.first[joint + 1] {
                let impulse = self.right[self.place[joint] + row - self.first[joint]];
                let [(la, wa), (lb, wb)] = &self.moved[row];
                bodies.velocities[a].linear += *la * impulse;
                bodies.velocities[a].angular += *wa * impulse;
                bodies.velocities[b].linear -= *lb * impulse;
                bodies.velocities[b].angular -= *wb * impulse;
            }
        }
        worst
    }

    /// After the bodies have moved: displacements along the rows of before the move that close
    /// the joints, taken over by the velocities. With the rows of before, this is the SHAKE
    /// scheme, which neither gains nor loses energy over time.
    pub fn close(&mut self, bodies: &mut Bodies, h: f64) {
        let mut shifts = vec![(DVec3::ZERO, DVec3::ZERO); bodies.inverse.len()];
        for _ in 0..NEWTON_STEPS {
            if self.measure(bodies) < GOOD {
                break;
            }
            self.ldl.solve(&mut self.right);
            for joint in 0..self.ends.len() {
                let [a, b] = self.ends[joint];
                for row in self.first[joint]..self.first[joint + 1] {
                    let by = self.right[self.place[joint] + row - self.first[joint]];
                    let [(la, wa), (lb, wb)] = &self.moved[row];
                    shifts[a].0 += *la * by;
                    shifts[a].1 += *wa * by;
                    shifts[b].0 -= *lb * by;
                    shifts[b].1 -= *wb * by;
                }
            }
            for (i, shift) in shifts.iter_mut().enumerate().take(bodies.world()) {
                let (linear, angular) = std::mem::take(shift);
                if linear != DVec3::ZERO {
                    bodies.positions[i] += linear;
                    bodies.velocities[i].linear += linear / h;
                }
                if angular != DVec3::ZERO {
                    bodies.velocities[i].angular += angular / h;
                    bodies.rotate_pose(i, angular);
                }
            }
        }
    }

    /// Sets the right-hand side to close the joints; returns the largest error in sizes.
    fn measure(&mut self, bodies: &Bodies) -> f64 {
        let mut worst = 0.0_f64;
        let mut errors = [0.0; MOST_ROWS];
        for (joint, bond) in bodies.assembly.joints.iter().enumerate() {
            let count = self.first[joint + 1] - self.first[joint];
            if count == 0 {
                continue;
            }
            Placed::new(bodies, bond).errors(bodies, bond, &mut errors);
            let angles = joints::first_angle(bond);
            for (k, error) in errors[..count].iter().enumerate() {
                self.right[self.place[joint] + k] = -error;
                let size = if k >= angles { 1.0 } else { self.sizes[joint] };
                worst = worst.max(error.abs() / size);
            }
        }
        worst
    }
}

/// Pairs of joints that share a body which can move, with the side it is on of either.
fn shared(
    bodies: &Bodies,
    ends: &[[usize; 2]],
    counts: &[usize],
) -> Vec<(usize, usize, [usize; 2])> {
    let mut at: Vec<Vec<(usize, usize)>> = vec![Vec::new(); bodies.inverse.len()];
    for (joint, ends) in ends.iter().enumerate().filter(|(joint, _)| counts[*joint] > 0) {
        for (side, &body) in ends.iter().enumerate() {
            if bodies.inverse[body].mass > 0.0 {
                at[body].push((joint, side));
            }
        }
    }
    let mut pairs = Vec::new();
    for list in &at {
        for (k, &(j, side)) in list.iter().enumerate() {
            pairs.extend(list[..k].iter().map(|&(i, other)| (i, j, [other, side])));
        }
    }
    pairs
}

/// Fewest neighbours first; ties go to the first joint.
fn elimination_order(count: usize, pairs: &[(usize, usize, [usize; 2])]) -> Vec<usize> {
    let mut neighbours: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    for &(i, j, _) in pairs {
        neighbours[i].insert(j);
        neighbours[j].insert(i);
    }
    let mut waiting: BTreeSet<(usize, usize)> =
        neighbours.iter().enumerate().map(|(joint, near)| (near.len(), joint)).collect();
    let mut order = Vec::with_capacity(count);
    while let Some((_, joint)) = waiting.pop_first() {
        order.push(joint);
        let near = std::mem::take(&mut neighbours[joint]);
        for &one in &near {
            waiting.remove(&(neighbours[one].len(), one));
            neighbours[one].remove(&joint);
            neighbours[one].extend(near.iter().filter(|&&other| other != one));
            waiting.insert((neighbours[one].len(), one));
        }
    }
    order
}
