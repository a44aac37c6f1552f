//! Forces to the last digits. The program of the certificate finds which
//! contacts press and roughly how much; where bodies of very different weight
//! lean on each other, what that leaves out of balance may be nothing to a heavy
//! body and more than the weight of a light one. Newton's correction of the same
//! contacts, each by as small a part of its own force as will do, balances all.

use super::certificate::imbalance;
use crate::contact::Row;
use crate::energy::Forces;
use crate::math::{DMat3, DVec3};
use crate::solver::{BlockMatrix, FIXED, Factor};
use crate::world::Model;

/// A correction is exact but for rounding; a few of them take that away, too.
const MOST_CORRECTIONS: usize = 4;

/// A force keeps at least this part of itself: contacts push.
const LEAST_PART: f64 = 0.1;

/// What keeps the matrix regular where nothing holds a body, relative to what holds it elsewhere.
const REGULAR: f64 = 1e-13;

/// Makes the forces of contacts balance as well as arithmetic allows, by corrections that are
/// smallest in relation to the forces.
pub(super) fn refine(model: &Model, forces: &Forces, contacts: &mut [(Row, f64)]) {
    let Some(mut system) = System::new(model, contacts) else { return };
    let off = |contacts: &[(Row, f64)]| {
        let left = imbalance(model, forces, contacts);
        let relative = |(v, own): (&DVec3, &f64)| match *own {
            0.0 => v.length(),
            own => v.length() / own,
        };
        left.iter().zip(&forces.largest).map(relative).fold(0.0, f64::max)
    };
    let mut before = off(contacts);
    for _ in 0..MOST_CORRECTIONS {
        let old: Vec<f64> = contacts.iter().map(|(_, force)| *force).collect();
        let left = imbalance(model, forces, contacts);
        if !system.correct(model, &left, contacts) {
            return;
        }
        let now = off(contacts);
        if now.is_nan() || now >= before {
            contacts.iter_mut().zip(old).for_each(|(contact, old)| contact.1 = old);
            return;
        }
        before = now;
    }
}

/// The normal equations of the corrections.
struct System {
    width: usize,
    /// Per body, its number among those that move.
    number: Vec<u32>,
    matrix: BlockMatrix,
    factor: Factor,
}

impl System {
    /// None if nothing moves.
    fn new(model: &Model, contacts: &[(Row, f64)]) -> Option<System> {
        let mut number = vec![FIXED; model.bodies.len()];
        let mut count = 0;
        for i in model.free() {
            number[i] = count as u32;
            count += 1;
        }
        let ends = contacts.iter().map(|(row, _)| ends(model, &number, row));
        let edges = ends.filter(|(a, b)| *a != FIXED && *b != FIXED);
        let matrix = BlockMatrix::new(model.dimension, count, edges);
        let width = model.dimension;
        (count > 0).then(|| System { width, number, factor: Factor::new(&matrix), matrix })
    }

    /// Adds the correction that takes away what is left, or as much of it as keeps all forces
    /// pushing; false if there is none.
    fn correct(&mut self, model: &Model, left: &[DVec3], contacts: &mut [(Row, f64)]) -> bool {
        self.fill(model, contacts);
        if !self.factor.factorise(&self.matrix) {
            return false;
        }
        let mut y: Vec<f64> = (left.iter().zip(&self.number))
            .filter(|(_, number)| **number != FIXED)
            .flat_map(|(v, _)| v.to_array().into_iter().take(self.width))
            .collect();
        self.factor.solve(&mut y);
        let at = |number: u32| match number {
            FIXED => DVec3::ZERO,
            k => {
                let part = &y[k as usize * self.width..][..self.width];
                DVec3::new(part[0], part[1], *part.get(2).unwrap_or(&0.0))
            }
        };
        let change = |(row, force): &(Row, f64)| {
            let (a, b) = ends(model, &self.number, row);
            force * row.normal.dot(at(a) - at(b))
        };
        let changes: Vec<f64> = contacts.iter().map(change).collect();
        let parts = contacts.iter().zip(&changes).filter(|(_, change)| **change < 0.0);
        let room = parts.map(|((_, force), change)| (1.0 - LEAST_PART) * force / -change);
        let part = room.fold(1.0, f64::min);
        contacts.iter_mut().zip(changes).for_each(|(contact, change)| contact.1 += part * change);
        part.is_finite()
    }

    /// Every contact counts by its force.
    fn fill(&mut self, model: &Model, contacts: &[(Row, f64)]) {
        self.matrix.clear();
        let mut held = vec![0.0; self.number.len()];
        for (row, force) in contacts {
            let n = row.normal;
            let block = DMat3::from_cols(n * n.x, n * n.y, n * n.z) * *force;
            match ends(model, &self.number, row) {
                (FIXED, FIXED) => {}
                (a, FIXED) | (FIXED, a) => self.matrix.add_node(a, &block),
                (a, b) => self.matrix.add_edge(a, b, &block),
            }
            let sides = [Some(row.key.body as usize), row.key.second(model)];
            sides.into_iter().flatten().for_each(|i| held[i] += force);
        }
        let free = self.number.iter().zip(held).filter(|(number, _)| **number != FIXED);
        for (number, held) in free {
            let regular = (REGULAR * held).max(f64::MIN_POSITIVE);
            self.matrix.add_node(*number, &DMat3::from_diagonal(DVec3::splat(regular)));
        }
    }
}

/// The sides of a contact, by their numbers among what moves.
fn ends(model: &Model, number: &[u32], row: &Row) -> (u32, u32) {
    let first = number[row.key.body as usize];
    (first, row.key.second(model).map_or(FIXED, |j| number[j]))
}
