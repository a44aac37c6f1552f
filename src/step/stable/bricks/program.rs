//! The program of bricks: a row for the height of every brick, two for every interface.

use std::sync::Arc;

use super::contacts::Bricks;
use crate::math::DVec3;
use crate::shape::UnionFind;
use crate::solver::linear::exact::{self, Exact};
use crate::solver::linear::{Cheapest, Column, Fraction, Optimum, Pick, Polygon, Program, Simplex};

/// No row: what does not move.
pub(super) const STILL: u32 = u32::MAX;

/// Which rows the motion of a brick is made of.
#[derive(Clone, Copy)]
pub(super) struct Motion {
    /// Its height.
    height: u32,
    /// The first of two rows of the interface above and of that below.
    above: u32,
    below: u32,
    /// The height of all bricks over its own: how much of the interfaces' shift is turn.
    slender: f64,
}

impl Motion {
    /// All rows, [`STILL`] where nothing moves.
    pub fn rows(&self) -> [u32; 5] {
        let next = |row: u32| row.saturating_add(1);
        [self.height, self.above, next(self.above), self.below, next(self.below)]
    }
}

/// The rows of a structure, and the columns that are not forces sideways.
pub(super) struct Rows<'a> {
    bricks: &'a Bricks<'a>,
    pub motions: Vec<Motion>,
    pub count: usize,
    /// The unit of heights, and of forces.
    pub height: f64,
    pub unit: f64,
    /// Per contact, the corners of the hull of its points.
    corners: Vec<Vec<[i64; 2]>>,
}

impl<'a> Rows<'a> {
    pub fn new(bricks: &'a Bricks<'a>) -> Self {
        let mut rows = Rows::bare(bricks);
        rows.corners = bricks.studs.iter().map(|contact| hull(contact.points())).collect();
        rows
    }

    /// The rows without the corners of contacts.
    pub fn bare(bricks: &'a Bricks<'a>) -> Self {
        let bodies = bricks.places.len();
        let free = |body: usize| bricks.moves[body];
        // Interfaces: 0 is still; of body i, 2 i + 1 is above and 2 i + 2 below.
        let mut sets = UnionFind::new(2 * bodies + 1);
        for body in (0..bodies).filter(|&body| !free(body)) {
            sets.union(0, 2 * body + 1);
            sets.union(0, 2 * body + 2);
        }
        for contact in &bricks.studs {
            let [upper, lower] = contact.bodies.map(|body| body as usize);
            sets.union(2 * upper + 2, 2 * lower + 1);
        }
        let first_free = (0..bodies).find(|&body| free(body)).unwrap_or(0);
        let height = bricks.places[first_free].height;
        let mut rows = vec![STILL; 2 * bodies + 1];
        let mut count = 0;
        let mut motions = Vec::with_capacity(bodies);
        for body in 0..bodies {
            let mut motion = Motion { height: STILL, above: STILL, below: STILL, slender: 1.0 };
            if free(body) {
                motion.height = count;
                count += 1;
                motion.slender = whole_twelfths(height / bricks.places[body].height);
                for (interface, row) in
                    [(2 * body + 1, &mut motion.above), (2 * body + 2, &mut motion.below)]
                {
                    let set = sets.find(interface);
                    if set != 0 && rows[set] == STILL {
                        rows[set] = count;
                        count += 2;
                    }
                    *row = rows[set];
                }
            }
            motions.push(motion);
        }
        let pulls = bricks.studs.iter().map(|contact| contact.pull);
        let unit = pulls.fold(0.0, f64::max);
        Rows { bricks, motions, count: count as usize, height, unit, corners: Vec::new() }
    }

    /// A unit push up on the upper brick of a contact, at a point.
    pub fn push(&self, contact: usize, at: [i64; 2]) -> Column {
        let mut column = Column::with_capacity(10);
        for (body, sign) in self.bricks.studs[contact].bodies.into_iter().zip([1.0, -1.0]) {
            let (body, motion) = (body as usize, &self.motions[body as usize]);
            add(&mut column, motion.height, sign);
            let middle = self.bricks.places[body].middle();
            for k in 0..2 {
                let arm = (at[k] - middle[k]) as f64 / 8.0;
                let share = sign * arm * motion.slender;
                add(&mut column, motion.above.saturating_add(k as u32), -share);
                add(&mut column, motion.below.saturating_add(k as u32), share);
            }
        }
        column.retain(|(_, x)| *x != 0.0);
        column
    }

    /// The sum of unit pulls at all points of a contact.
    pub fn pull(&self, contact: usize) -> Column {
        let points = self.bricks.studs[contact].points();
        let mut total = Column::with_capacity(10);
        // Columns are linear in the point, so the mean of the points has the mean column.
        let count = points.len() as i64;
        let sum = points.iter().fold([0, 0], |sum, at| [sum[0] + at[0], sum[1] + at[1]]);
        for (body, sign) in self.bricks.studs[contact].bodies.into_iter().zip([-1.0, 1.0]) {
            let (body, motion) = (body as usize, &self.motions[body as usize]);
            add(&mut total, motion.height, sign * count as f64);
            let middle = self.bricks.places[body].middle();
            for k in 0..2 {
                let arm = (sum[k] - count * middle[k]) as f64 / 8.0;
                let share = sign * arm * motion.slender;
                add(&mut total, motion.above.saturating_add(k as u32), -share);
                add(&mut total, motion.below.saturating_add(k as u32), share);
            }
        }
        total.retain(|(_, x)| *x != 0.0);
        total
    }

    /// Pushes between neighbours.
    fn sides(&self) -> Vec<Column> {
        let columns = self.bricks.sides.iter().map(|side| self.side(side));
        columns.filter(|column| !column.is_empty()).collect()
    }

    /// A push between two neighbours.
    pub fn side(&self, side: &super::SideContact) -> Column {
        let mut column = Column::new();
        for (body, sign) in side.bodies.into_iter().zip([-1.0, 1.0]) {
            let place = &self.bricks.places[body as usize];
            let motion = &self.motions[body as usize];
            // What a brick does there is between what its two interfaces do.
            let up = whole_twelfths((side.height - place.bottom) / place.height);
            let axis = side.axis as u32;
            add(&mut column, motion.above.saturating_add(axis), sign * up);
            add(&mut column, motion.below.saturating_add(axis), sign * (1.0 - up));
        }
        column.retain(|(_, x)| *x != 0.0);
        column
    }

    /// What balances the loads, in units of force.
    pub fn right(&self, loads: &[DVec3]) -> Vec<f64> {
        let mut right = vec![0.0; self.count];
        // A shift of an interface counts in cells a height.
        let sideways = 0.5 * self.height / self.bricks.cell;
        for (motion, load) in self.motions.iter().zip(loads) {
            let load = *load / self.unit;
            let mut put = |row: u32, x: f64| {
                if let Some(right) = right.get_mut(row as usize) {
                    *right -= x;
                }
            };
            put(motion.height, load.z);
            for (k, x) in [load.x, load.y].into_iter().enumerate() {
                put(motion.above.saturating_add(k as u32), x * sideways);
                put(motion.below.saturating_add(k as u32), x * sideways);
            }
        }
        right
    }

    /// All columns of pushes: those of every contact at the corners of its hull, then the sides.
    fn pushes(&self) -> Vec<Column> {
        let of = |(contact, corners): (usize, &Vec<[i64; 2]>)| {
            corners.iter().map(move |at| self.push(contact, *at)).collect::<Vec<_>>()
        };
        let studs = self.corners.iter().enumerate().flat_map(of);
        studs.chain(self.sides()).collect()
    }

    /// The least utilisation. Every contact has one of its own, and a tree of rows says that all
    /// are equal: one column for all would fill the factor.
    pub fn least_utilisation(&self, loads: &[DVec3]) -> Cheapest {
        let mut columns = self.pushes();
        let first = columns.len();
        let mut right = self.right(loads);
        let mut last = vec![None; self.motions.len()];
        for (contact, studs) in self.bricks.studs.iter().enumerate() {
            let limit = studs.pull / self.unit;
            let column = self.pull(contact).into_iter().map(|(row, x)| (row, limit * x));
            columns.push(column.collect());
            if contact > 0 {
                let free =
                    studs.bodies.iter().filter(|b| self.motions[**b as usize].height != STILL);
                let known = free.clone().find_map(|body| last[*body as usize]);
                let row = right.len() as u32;
                columns[first + contact].push((row, 1.0));
                columns[first + known.unwrap_or(contact - 1)].push((row, -1.0));
                right.push(0.0);
            }
            studs.bodies.iter().for_each(|body| last[*body as usize] = Some(contact));
        }
        let mut costs = vec![0.0; columns.len()];
        if let Some(cost) = costs.get_mut(first) {
            *cost = 1.0;
        }
        Cheapest { rows: right.len(), columns, costs, right, ..Cheapest::default() }
    }

    /// The right-hand side when every point of every stud pulls as strongly as it can.
    fn strained(&self, loads: &[DVec3]) -> Vec<f64> {
        let mut right = self.right(loads);
        for (contact, studs) in self.bricks.studs.iter().enumerate() {
            for (row, x) in self.pull(contact) {
                right[row as usize] -= x * studs.pull / self.unit;
            }
        }
        right
    }

    /// Forces within a part of what studs hold.
    pub fn within(&self, loads: &[DVec3], part: f64) -> Cheapest {
        let mut right = self.right(loads);
        for (contact, studs) in self.bricks.studs.iter().enumerate() {
            for (row, x) in self.pull(contact) {
                right[row as usize] -= x * part * studs.pull / self.unit;
            }
        }
        let columns = self.pushes();
        let costs = vec![1.0; columns.len()];
        Cheapest { rows: self.count, columns, costs, right, ..Cheapest::default() }
    }

    /// Forces of the least sum of squares: a column for every point, its force less the pull that
    /// it bears.
    pub fn least_squares(&self, loads: &[DVec3]) -> Cheapest {
        let mut columns = Vec::new();
        let (mut costs, mut squares) = (Vec::new(), Vec::new());
        for (contact, studs) in self.bricks.studs.iter().enumerate() {
            for at in studs.points() {
                columns.push(self.push(contact, at));
                costs.push(-studs.pull / self.unit);
                squares.push(1.0);
            }
        }
        for side in self.sides() {
            columns.push(side);
            costs.push(0.0);
            squares.push(0.0);
        }
        Cheapest {
            rows: self.count,
            columns,
            costs,
            squares,
            right: self.strained(loads),
            ..Cheapest::default()
        }
    }

    /// The forces at the points of every contact, of the program of least squares.
    pub fn point_forces(&self, optimum: &Optimum) -> Vec<Vec<f64>> {
        let mut shares = optimum.shares.iter();
        let of = |studs: &super::StudContact| {
            let count = studs.points().len();
            shares.by_ref().take(count).map(|share| share * self.unit - studs.pull).collect()
        };
        self.bricks.studs.iter().map(of).collect()
    }

    /// The least sum of a contact's shares, or minus the greatest.
    pub fn extreme(&self, loads: &[DVec3], contact: usize, sign: f64) -> Cheapest {
        let columns = self.pushes();
        let mut costs = vec![0.0; columns.len()];
        let first: usize = self.corners[..contact].iter().map(Vec::len).sum();
        let own = self.corners[contact].len();
        costs[first..first + own].fill(sign * self.unit);
        let (rows, right) = (self.count, self.strained(loads));
        Cheapest { rows, columns, costs, right, ..Cheapest::default() }
    }

    /// Gauss' principle by its dual: forces within what studs bear that leave the least energy of
    /// accelerations. The last columns are what is left of the loads at each brick, five pairs of them.
    pub fn least_restraint(&self, loads: &[DVec3]) -> Cheapest {
        let mut columns = self.pushes();
        let mut squares = vec![0.0; columns.len()];
        let resist = |columns: &mut Vec<Column>, squares: &mut Vec<f64>, column: Column, x: f64| {
            for sign in [1.0, -1.0] {
                columns.push(column.iter().map(|(row, x)| (*row, sign * x)).collect());
                squares.push(self.unit * x);
            }
        };
        let sideways = 0.5 * self.height / self.bricks.cell;
        for body in self.moving() {
            let motion = &self.motions[body];
            let (mass, turns) = self.resistances(body);
            resist(&mut columns, &mut squares, vec![(motion.height, -1.0)], mass.recip());
            for (k, turns) in (0..2).zip(turns) {
                let mut shift = Column::new();
                add(&mut shift, motion.above.saturating_add(k), -sideways);
                add(&mut shift, motion.below.saturating_add(k), -sideways);
                resist(&mut columns, &mut squares, shift, mass.recip());
                let mut turn = Column::new();
                add(&mut turn, motion.above.saturating_add(k), -motion.slender);
                add(&mut turn, motion.below.saturating_add(k), motion.slender);
                resist(&mut columns, &mut squares, turn, self.bricks.cell.powi(2) / turns);
            }
        }
        let gravity = self.bricks.model.gravity.length().max(f64::MIN_POSITIVE);
        squares.iter_mut().for_each(|square| *square /= gravity);
        let costs = vec![0.0; columns.len()];
        Cheapest {
            rows: self.count,
            columns,
            costs,
            squares,
            right: self.strained(loads),
            ..Cheapest::default()
        }
    }

    fn moving(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.motions.len()).filter(|body| self.motions[*body].height != STILL)
    }

    /// The mass of a brick, and its inertia against tilting along x, about y, and along y.
    fn resistances(&self, body: usize) -> (f64, [f64; 2]) {
        let own = &self.bricks.model.bodies[body];
        let inertia = own.inertia_turned(self.bricks.state.rotations[body]);
        (own.mass, [inertia.y_axis.y, inertia.x_axis.x])
    }

    /// What the last columns of [`Rows::least_restraint`] make the bricks do, and how far that may be
    /// off, in units of gravity: the gap of cost and bound is at least the energy of the error.
    pub fn accelerations(&self, optimum: &Optimum) -> (Vec<(DVec3, DVec3)>, f64) {
        let mut found = vec![(DVec3::ZERO, DVec3::ZERO); self.motions.len()];
        let first = optimum.shares.len() - 10 * self.moving().count();
        for (body, shares) in self.moving().zip(optimum.shares[first..].chunks_exact(10)) {
            let (mass, turns) = self.resistances(body);
            let force = |k: usize| self.unit * (shares[2 * k] - shares[2 * k + 1]);
            let turn = |k: usize| force(2 * k + 2) * self.bricks.cell / turns[k];
            found[body].0 = DVec3::new(force(1), force(3), force(0)) / mass;
            found[body].1 = DVec3::new(-turn(1), turn(0), 0.0);
        }
        let masses = self.moving().map(|body| self.resistances(body).0);
        let weight = masses.fold(f64::INFINITY, f64::min) * self.bricks.model.gravity.length();
        let gap = (optimum.cost - optimum.bound).max(0.0) * self.unit;
        (found, optimum.residual.max((2.0 * gap / weight).sqrt()))
    }

    /// What the shares of a contact are more than its force.
    pub fn shift(&self, contact: usize, sign: f64) -> f64 {
        let studs = &self.bricks.studs[contact];
        sign * studs.pull * studs.points().len() as f64
    }

    /// By how much each contact's strength counts.
    pub fn parts(&self, optimum: &Optimum) -> Vec<f64> {
        let part = |(contact, studs): (usize, &super::StudContact)| -> f64 {
            let pull = self.pull(contact).into_iter();
            let paid: f64 = pull.map(|(row, x)| x * optimum.prices[row as usize]).sum();
            (paid * studs.pull / self.unit).max(0.0)
        };
        let parts: Vec<f64> = self.bricks.studs.iter().enumerate().map(part).collect();
        let total: f64 = parts.iter().sum();
        if total > 0.0 { parts.iter().map(|part| part / total).collect() } else { parts }
    }

    /// Prices as a motion: they lift what falls.
    pub fn motion(&self, prices: &[f64]) -> Vec<(DVec3, DVec3)> {
        let price = |row: u32| prices.get(row as usize).copied().unwrap_or(0.0);
        let turn_of = self.bricks.cell / self.height;
        let motion = |motion: &Motion| {
            let shift = |row: u32| {
                let at = |k: u32| -price(row.saturating_add(k)) / turn_of;
                DVec3::new(at(0), at(1), 0.0)
            };
            let (above, below) = (shift(motion.above), shift(motion.below));
            let tilt = (above - below) * (motion.slender / self.height);
            let velocity = 0.5 * (above + below) - DVec3::Z * price(motion.height);
            (velocity, DVec3::new(-tilt.y, tilt.x, 0.0))
        };
        let motions: Vec<(DVec3, DVec3)> = self.motions.iter().map(motion).collect();
        let fastest = motions.iter().map(|(v, _)| v.length()).fold(0.0, f64::max);
        let scale = if fastest > 0.0 { fastest.recip() } else { 1.0 };
        motions.into_iter().map(|(v, w)| (v * scale, w * scale)).collect()
    }

    /// Whether studs as strong as they are suffice, in whole numbers, from shares that floating
    /// point found; none if the numbers are too long.
    pub fn decide(&self, loads: &[DVec3], shares: &[f64]) -> Option<bool> {
        let columns = self.pushes();
        let fraction = |x: &f64| Fraction::simplest(*x);
        let precise = |column: &Column| -> exact::Column {
            column.iter().map(|(row, x)| (*row, fraction(x))).collect()
        };
        let unit = Fraction::simplest(self.unit);
        let mut right: Vec<Fraction> = vec![Fraction::whole(0); self.count];
        self.add_exact_loads(loads, &unit, &mut right);
        for (contact, studs) in self.bricks.studs.iter().enumerate() {
            let limit = Fraction::simplest(studs.pull).over(&unit);
            for (row, x) in self.pull(contact) {
                let entry = &mut right[row as usize];
                *entry = entry.minus(&fraction(&x).times(&limit));
            }
        }
        let exact = exact::Program {
            columns: columns.iter().map(precise).collect(),
            cones: Vec::new(),
            right,
        };
        let guess: Vec<(Pick, f64)> =
            (0..columns.len()).map(|k| (Pick::Column(k), shares[k].max(0.0))).collect();
        let program = Program { rows: self.count, columns, cones: Vec::new() };
        let strained = self.strained(loads);
        let simplex = Simplex::new(Arc::new(program), strained, Polygon::Inner, &guess);
        match exact::decide(&exact, &simplex.basis(), Polygon::Inner)? {
            Exact::Combination(_) => Some(true),
            Exact::Certificate(_) => Some(false),
            Exact::Open => None,
        }
    }

    /// How fast the utilisation rises with these loads, at these prices.
    pub fn slope(&self, more: &[DVec3], prices: &[f64]) -> f64 {
        self.right(more).iter().zip(prices).map(|(right, price)| right * price).sum()
    }

    /// As [`Rows::right`], with the loads as the fractions that they are meant to be.
    fn add_exact_loads(&self, loads: &[DVec3], unit: &Fraction, right: &mut [Fraction]) {
        let sideways = Fraction::simplest(self.height)
            .over(&Fraction::simplest(self.bricks.cell))
            .over(&Fraction::whole(2));
        let is_weight = |body: usize, load: DVec3| {
            load == self.bricks.model.pull(body) * self.bricks.model.bodies[body].mass
        };
        for (body, (motion, load)) in self.motions.iter().zip(loads).enumerate() {
            let load: [Fraction; 3] = match is_weight(body, *load) {
                true => {
                    let mass = Fraction::simplest(self.bricks.model.bodies[body].mass);
                    let pull = self.bricks.model.pull(body).to_array();
                    pull.map(|g| Fraction::simplest(g).times(&mass))
                }
                false => load.to_array().map(Fraction::simplest),
            };
            let mut put = |row: u32, x: Fraction| {
                if let Some(right) = right.get_mut(row as usize) {
                    *right = right.minus(&x.over(unit));
                }
            };
            put(motion.height, load[2].clone());
            for (k, x) in load[..2].iter().enumerate() {
                put(motion.above.saturating_add(k as u32), x.times(&sideways));
                put(motion.below.saturating_add(k as u32), x.times(&sideways));
            }
        }
    }
}

/// Adds to the entry of a row, if it is one.
fn add(column: &mut Column, row: u32, x: f64) {
    if row >= STILL - 1 {
        return;
    }
    match column.iter_mut().find(|(known, _)| *known == row) {
        Some((_, entry)) => *entry += x,
        None => column.push((row, x)),
    }
}

/// Heights of bricks and plates are in simple ratios, which rounding spoils.
fn whole_twelfths(x: f64) -> f64 {
    let near = (12.0 * x).round() / 12.0;
    if (near - x).abs() < 1e-9 { near } else { x }
}

/// The corners of the convex hull of points of a plane, without those on its sides.
pub(super) fn hull(mut points: Vec<[i64; 2]>) -> Vec<[i64; 2]> {
    points.sort_unstable();
    points.dedup();
    let half = |points: &mut dyn Iterator<Item = [i64; 2]>| {
        let mut chain: Vec<[i64; 2]> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..] {
                let turn = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
                if turn > 0 {
                    break;
                }
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut corners = half(&mut points.iter().copied());
    corners.extend(half(&mut points.iter().rev().copied()));
    corners
}
