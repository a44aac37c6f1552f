//! What is known of an earlier stage of building answers for a later one. Forces well inside what
//! studs hold, and their factor, bear the loads of a few more bricks: what these weigh is handed on by
//! forces at their own contacts, found by a small program, and what arrives at the bricks of before is
//! made up for there by one solution with the factor. If no force leaves its limits, these are
//! forces that balance all; if one does, nothing is said.

use std::collections::HashMap;

use super::program::{Motion, Rows, STILL, hull};
use super::{Bricks, StudContact};
use crate::math::DVec3;
use crate::solver::linear::{Centre, Cheapest, Column, End};

/// So many bricks are handed on at most: for more a new stage is found.
pub(super) const MOST_NEW: usize = 40;

/// What the forces of new bricks may leave unbalanced, in units of the strongest stud: a tenth of what
/// counts as solved.
const LEFT: f64 = 1e-8;

/// Of what is left of the strength, so much is added to what is needed: room for more bricks.
const ROOM: f64 = 0.3;

/// Forces of a stage, well inside.
pub(super) struct Known {
    /// Which bricks move in it.
    moves: Vec<bool>,
    motions: Vec<Motion>,
    rows: usize,
    units: [f64; 2],
    centre: Centre<'static>,
    /// No stud needs more than this part of what it holds, now and with what may be added.
    pub part: f64,
}

impl Known {
    /// Of bricks that stand and need a part of their studs' strength.
    pub fn new(bricks: &Bricks, loads: &[DVec3], needed: f64) -> Option<Known> {
        let part = needed + ROOM * (1.0 - needed);
        let rows = Rows::new(bricks);
        let program = rows.within(loads, part);
        let total: f64 = program.right.iter().map(|x| x.abs()).sum();
        let product = total / program.columns.len().max(1) as f64;
        let centre = program.into_centre(product)?;
        Some(Known {
            moves: bricks.moves.clone(),
            rows: rows.count,
            units: [rows.height, rows.unit],
            motions: rows.motions,
            centre,
            part,
        })
    }

    /// Whether forces are found that balance the loads of what is there now: the bricks of before
    /// and a few more. The same bricks are to be held.
    pub fn bears(&mut self, bricks: &Bricks, loads: &[DVec3]) -> bool {
        let is_new = |body: u32| bricks.moves[body as usize] && !self.moves[body as usize];
        let rows = Rows::bare(bricks);
        if [rows.height, rows.unit] != self.units {
            return false;
        }
        // Rows may have become one: what balances each balances their sum. The first takes what comes.
        let mut before = vec![STILL; rows.count];
        for (old, new) in self.motions.iter().zip(&rows.motions) {
            for (old, new) in old.rows().into_iter().zip(new.rows()) {
                if let Some(place) = before.get_mut(new as usize) {
                    *place = (*place).min(old);
                }
            }
        }
        let fresh: Vec<u32> = (0..loads.len() as u32).filter(|body| is_new(*body)).collect();
        let own = |bodies: &[u32; 2]| bodies.iter().any(|body| is_new(*body));
        let mut weights = vec![DVec3::ZERO; loads.len()];
        fresh.iter().for_each(|body| weights[*body as usize] = loads[*body as usize]);
        let mut right = rows.right(&weights);
        let (mut columns, mut costs, mut squares) = (Vec::new(), Vec::new(), Vec::new());
        let studs = bricks.studs.iter().enumerate().filter(|(_, studs)| own(&studs.bodies));
        for (contact, studs) in studs {
            let limit = self.limit(studs, rows.unit);
            for (row, x) in rows.pull(contact) {
                right[row as usize] -= x * limit;
            }
            for at in hull(studs.points()) {
                columns.push(rows.push(contact, at));
                costs.push(-limit);
                squares.push(1.0);
            }
        }
        for side in bricks.sides.iter().filter(|side| own(&side.bodies)) {
            columns.push(rows.side(side));
            costs.push(0.0);
            squares.push(1.0);
        }
        let Some(shares) = hand_on(&columns, costs, squares, &right, &before) else { return false };
        for (column, share) in columns.iter().zip(&shares) {
            column.iter().for_each(|(row, x)| right[*row as usize] -= x * share);
        }
        let mut load = vec![0.0; self.rows];
        for (row, x) in right.into_iter().enumerate() {
            match load.get_mut(before[row] as usize) {
                Some(load) => *load += x,
                None if x.abs() > LEFT => return false,
                None => {}
            }
        }
        self.centre.bears(&load)
    }

    fn limit(&self, studs: &StudContact, unit: f64) -> f64 {
        self.part * studs.pull / unit
    }
}

/// Shares of new columns that balance the rows that are new; none if there are none.
fn hand_on(
    columns: &[Column],
    costs: Vec<f64>,
    squares: Vec<f64>,
    right: &[f64],
    before: &[u32],
) -> Option<Vec<f64>> {
    let is_new = |row: &usize| before[*row] == STILL;
    let new: HashMap<u32, u32> =
        (0..right.len()).filter(is_new).zip(0..).map(|(row, place)| (row as u32, place)).collect();
    let mut program = Cheapest { rows: new.len(), costs, squares, ..Cheapest::default() };
    program.right = (0..right.len()).filter(is_new).map(|row| right[row]).collect();
    let part = |column: &Column| -> Column {
        column.iter().filter_map(|(row, x)| Some((*new.get(row)?, *x))).collect()
    };
    program.columns = columns.iter().map(part).collect();
    match program.solve() {
        End::Solved(optimum) => Some(optimum.shares),
        End::Open(_) => None,
    }
}
