//! How far inside balance is: forces that are all positive bear every small change of the loads and
//! of the places of bodies. One interior point and its factor answer for all of them.

use super::forces::{Circle, FEW_SIDES, Forces, ROUNDING, Ray};
use super::limits::WIDEST;
use super::margin::{CHORD, MOST_DIRECTIONS, Shift, around};
use super::{Balance, Statics, Tolerance};
use crate::math::DVec3;
use crate::solver::linear::{Centre, Simplex};
use crate::world::Motion;

/// So many programs are spent on the margin of many bodies: the fewer, the larger they are.
const MARGINS: [usize; 2] = [12, 100];
const ROWS_OF_MARGINS: usize = 20_000;

/// The least margin of many bodies is found as exactly as this part of it.
const NEARLY: f64 = 1e-3;

/// Sides of finer polygons inside the circles of friction: they differ from circles by 0.1 per cent.
const MANY_SIDES: usize = 64;

/// Edges are added to polygons where they are needed, in so many turns.
const MOST_TURNS: usize = 12;

/// Directions around a body in which it is asked what the interior point absorbs.
const AROUND: usize = 32;

/// Placements are asked about where rows times entries are at most this: a second or two.
const MOST_WORK: usize = 600_000_000;

/// Whether the verdict is that of every placement near this one: points of contacts moved by up to a
/// length, and normals turned by up to this length over the radius of the smaller body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Placements {
    /// Of all within this length.
    Within(f64),
    /// None is proved: there may be one that has another verdict.
    Unproved,
    /// There are too many bodies to ask.
    Unasked,
}

impl Statics<'_> {
    /// A point of all forces, each of which costs its size.
    fn well_inside<'a>(&self, forces: &'a mut Forces) -> Option<Centre<'a>> {
        forces.program.costs.fill(1.0);
        let total: f64 = forces.program.right.iter().map(|x| x.abs()).sum();
        forces.program.centre(total / forces.program.columns.len().max(1) as f64)
    }

    /// Between which two numbers the margin is ([`super::Verdict::margin`]). That of a body among fixed
    /// neighbours is no less than its own: a bound from above, by small programs. What an interior
    /// point absorbs is one from below for every shift of a weight; bodies whose bounds are in doubt are then asked
    /// for in round cones, the least of them first, at the cost of a program for every shift.
    pub(super) fn margin_of_many(&self) -> Option<[f64; 2]> {
        let mut left = (ROWS_OF_MARGINS / self.rows().max(1)).clamp(MARGINS[0], MARGINS[1]);
        let mut absorbed = self.absorbed()?;
        absorbed.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let mut high = self.margin_among_fixed();
        let (mut low, mut rays) = (high, Vec::new());
        for (body, bound, shifts) in absorbed {
            let enough = high * (1.0 - NEARLY);
            if bound >= enough {
                low = low.min(bound);
                continue;
            }
            let mut asked = 0;
            let reach = |towards: DVec3| {
                asked += 1;
                let shift = self.shift(body, towards);
                let (least, most) = self.farthest_of_many(&shift, CHORD * high, &mut rays);
                let width = self.width(body, towards);
                Shift { towards, length: least * width, width, most: Some(most) }
            };
            let bounds = around(shifts, enough, left.min(MOST_DIRECTIONS), reach);
            left -= asked;
            (low, high) = (low.min(bounds[0].max(bound)), high.min(bounds[1]));
        }
        Some([low.min(high), high])
    }

    /// The least margin of a body if all others are fixed.
    pub(super) fn margin_among_fixed(&self) -> f64 {
        let mut least = WIDEST;
        if !self.model.joints.is_empty() {
            return least;
        }
        let mut model = self.model.clone();
        let free: Vec<usize> = self.model.free().collect();
        free.iter().for_each(|&body| model.bodies[body].motion = Motion::Fixed);
        for body in free {
            model.bodies[body].motion = self.model.bodies[body].motion;
            let mut alone = Statics { model: &model, ..self.again() };
            alone.keep(|touch| touch.bodies().contains(&Some(body as u32)));
            let simplex = alone.simplex().ok();
            let is_balanced = |of: &&Simplex| alone.left_over(of) < self.tolerance.balance;
            if let Some(simplex) = simplex.filter(is_balanced) {
                least = least.min(alone.margin_within(simplex, least)[1]);
            }
            model.bodies[body].motion = Motion::Fixed;
        }
        least
    }

    /// For every body the margin that the interior point proves of it, and the shifts all around
    /// that it absorbs.
    fn absorbed(&self) -> Option<Vec<(usize, f64, Vec<Shift>)>> {
        let circle = Circle::inside(FEW_SIDES);
        let mut forces = Forces::with_all(self, &self.pulls_by_row(), circle);
        let unit = forces.unit;
        let mut centre = self.well_inside(&mut forces)?;
        let sides = self.compass(AROUND);
        let axes = [sides[0], sides[sides.len() / 4]];
        let mut bodies = Vec::new();
        for body in self.model.free() {
            // What forces give for a shift by a length along two axes; that of others is a sum of both.
            let given = axes.map(|axis| {
                let shift = self.load(body, DVec3::ZERO, axis.cross(self.pulls[body]));
                let load: Vec<(u32, f64)> = shift.iter().map(|(row, x)| (*row, x / unit)).collect();
                centre.absorb(&load).to_vec()
            });
            let absorb = |towards: &DVec3| {
                let [x, y] = axes.map(|axis| axis.dot(*towards));
                let y = if self.model.dimension == 2 { 0.0 } else { y };
                let part = |(a, b): (&f64, &f64)| -(a * x + b * y);
                let worst = given[0].iter().zip(&given[1]).map(part).fold(0.0, f64::max);
                let width = self.width(body, *towards);
                let length = worst.recip().min(CHORD * WIDEST * width);
                Shift { towards: *towards, length, width, most: None }
            };
            let shifts: Vec<Shift> = sides.iter().map(absorb).collect();
            let nothing = |towards: DVec3| absorb(&towards);
            bodies.push((body, around(shifts.clone(), WIDEST, 0, nothing)[0], shifts));
        }
        Some(bodies)
    }

    /// How often a load is borne besides the weights, at most so many times: what forces bear, and
    /// what prices prove. In space polygons inside the round cones get edges where the prices ask for
    /// them, until none does; those that were needed serve the next load.
    pub(super) fn farthest_of_many(
        &self,
        load: &[(u32, f64)],
        times: f64,
        rays: &mut Vec<Ray>,
    ) -> (f64, f64) {
        let found = self.farthest_inside(FEW_SIDES, load, times, rays);
        // What balances by a hair does not do so in coarse polygons.
        let finer = || self.farthest_inside(MANY_SIDES, load, times, rays);
        found.or_else(finer).unwrap_or((0.0, times))
    }

    /// The same from polygons of so many sides; none if they do not bear the weights.
    fn farthest_inside(
        &self,
        sides: usize,
        load: &[(u32, f64)],
        times: f64,
        rays: &mut Vec<Ray>,
    ) -> Option<(f64, f64)> {
        let circle = Circle::inside(sides);
        let mut forces = Forces::with_all(self, &self.pulls_by_row(), circle);
        let mut own: Vec<usize> = rays.iter().map(|ray| forces.add_ray(*ray)).collect();
        let unit = forces.unit;
        let most = forces.row(times);
        let mut column: Vec<(u32, f64)> = load.iter().map(|(row, x)| (*row, -x / unit)).collect();
        column.push((most, 1.0));
        forces.column(column, -1.0, None);
        forces.column(vec![(most, 1.0)], 0.0, None);
        let mut found = None;
        for _ in 0..MOST_TURNS {
            let (optimum, is_solved) = forces.solve();
            if !is_solved {
                break;
            }
            let found = found.insert((0.0, times));
            found.0 = -optimum.cost;
            let next = forces.program.columns.len();
            let is_over = found.0 >= times * (1.0 - ROUNDING);
            if is_over || forces.sharpen(&optimum.prices, rays) == 0 {
                found.1 = (-optimum.bound).min(times);
                break;
            }
            own.extend(next..forces.program.columns.len());
            let is_used = |k: usize| optimum.shares.get(k).is_none_or(|share| *share > ROUNDING);
            // Those that bear nothing now may go: they come back if they are needed.
            let kept: Vec<bool> = own.iter().map(|k| is_used(*k)).collect();
            let mut at = kept.iter();
            rays.retain(|_| at.next().copied().unwrap_or(true));
            let mut at = kept.iter();
            own.retain(|_| at.next().copied().unwrap_or(true));
        }
        found
    }

    /// For which placements the verdict holds: of what is balanced the largest length that is found; of
    /// what is not, whether it is as long as the tolerance ([`super::Tolerance::gap`]).
    pub fn placements(&self, balance: Balance) -> Placements {
        match balance {
            _ if !self.model.joints.is_empty() => Placements::Unasked,
            Balance::Balanced => self.balanced_within(),
            Balance::Unbalanced => self.unbalanced_within(),
            Balance::Undecided(_) => Placements::Unproved,
        }
    }

    /// Let all forces f be within a part k < 1 of positive forces f0, and let another placement change
    /// the matrix by E. What E f asks for, the interior point makes up for, by at most d g (1 + k) of
    /// each force if the length is d; while that is below k, Brouwer's fixed point is a balance.
    fn balanced_within(&self) -> Placements {
        let circle = Circle::inside(FEW_SIDES);
        let mut forces = Forces::with_all(self, &self.pulls_by_row(), circle);
        let entries: usize = forces.program.columns.iter().map(Vec::len).sum();
        if self.rows() * entries > MOST_WORK {
            return Placements::Unasked;
        }
        let pushes = forces.pushes.clone();
        let unit = forces.unit;
        let Some(mut centre) = self.well_inside(&mut forces) else {
            return Placements::Unproved;
        };
        let mut sizes = vec![0.0; self.touches.len()];
        for (share, push) in centre.shares().iter().zip(&pushes) {
            if let Some((touch, push)) = push {
                sizes[*touch] += share * push.length() / unit;
            }
        }
        let changes = self.changes(&sizes);
        let missing = centre.missing().to_vec();
        let count = centre.shares().len();
        let (mut gains, mut start) = (vec![0.0; count], vec![0.0; count]);
        for row in 0..self.rows() {
            let change = centre.absorb(&[(row as u32, 1.0)]);
            for (k, x) in change.iter().enumerate() {
                gains[k] += x.abs() * changes[row];
                start[k] += x.abs() * missing[row].abs();
            }
        }
        let most = |values: &[f64]| values.iter().fold(0.0, |most: f64, x| most.max(*x));
        match (1.0 - most(&start)) / (2.0 * most(&gains)) {
            length if length > 0.0 && length.is_finite() => Placements::Within(length),
            _ => Placements::Unproved,
        }
    }

    /// How much a placement that is off by a length of 1 changes each row, if touches press so.
    fn changes(&self, sizes: &[f64]) -> Vec<f64> {
        let width = self.model.freedoms();
        let mut blocks = vec![None; self.model.bodies.len()];
        self.model.free().enumerate().for_each(|(block, body)| blocks[body] = Some(block));
        let mut changes = vec![0.0; self.rows()];
        for (touch, size) in self.touches.iter().zip(sizes) {
            let turn = touch.size(self.model).recip();
            for (body, at) in touch.bodies().into_iter().zip(touch.at) {
                let Some(body) = body.map(|body| body as usize) else { continue };
                let Some(block) = blocks[body] else { continue };
                let arm = (at - self.state.positions[body]).length();
                for k in 0..width {
                    let is_force = k < self.model.dimension;
                    // The point of the contact and the centre of the body are off.
                    let change = if is_force { turn } else { (2.0 + arm * turn) / self.length };
                    changes[block * width + k] += size * change;
                }
            }
        }
        changes
    }

    /// With forces that may act anywhere within the tolerance, along normals turned by it, and weights
    /// as far off: if even these leave something missing, no placement within it is balanced.
    fn unbalanced_within(&self) -> Placements {
        let Some(length) = self.tolerance.gap else { return Placements::Unasked };
        if self.is_large() {
            return Placements::Unasked;
        }
        // Two bodies that may both be off by a length meet from twice as far.
        let wider = Tolerance { gap: Some(2.0 * length), ..self.tolerance };
        let might_touch = |wide: Statics| wide.seen.iter().any(|touch| touch.gap > length);
        if Statics::within(self.model, self.state, wider).map_or(true, might_touch) {
            return Placements::Unproved;
        }
        let mut forces = Forces::with_all(self, &self.pulls_by_row(), Circle::around(FEW_SIDES));
        for touch in 0..self.touches.len() {
            let turn = length / self.touches[touch].size(self.model);
            forces.enlarge(touch, length, turn);
        }
        for body in self.model.free() {
            let most = length * self.pulls[body].length() / forces.unit;
            for axis in DVec3::AXES {
                forces.allow(self.load(body, DVec3::ZERO, axis), most);
            }
        }
        forces.help();
        let (optimum, is_solved) = forces.solve();
        match is_solved && optimum.bound > ROUNDING {
            true => Placements::Within(length),
            false => Placements::Unproved,
        }
    }
}
