//! How far inside balance is: forces that are all positive bear every small change of the loads and
//! of the places of bodies. One interior point and its factor answer for all of them.

use super::forces::{Circle, FEW_SIDES, Forces, ROUNDING};
use super::limits::WIDEST;
use super::margin::{CHORD, MOST_DIRECTIONS, NEAR, Shift, around};
use super::{Balance, Statics, Tolerance};
use crate::math::DVec3;
use crate::solver::linear::{Centre, Simplex};
use crate::world::Motion;

/// So many programs are spent on the margin of many bodies: the fewer, the larger they are.
const MARGINS: [usize; 2] = [12, 400];
const WORK_OF_MARGINS: usize = 30_000_000;

/// So many bodies are asked first, for a bound from above.
const WORST: usize = 8;

/// The least margin of many bodies is found as exactly as this part of it.
const NEARLY: f64 = 1e-3;

/// What is borne and what is proved to be most are brought so near to each other for a margin.
const GAP: f64 = 1e-4;

/// The price of the limit on how often a load is tried: 0 if something else ends it, 1 if it does.
const LIMITED: f64 = 0.5;

/// Sides of polygons inside the circles of friction, where round cones do not come to an end.
const SIDES: [usize; 2] = [FEW_SIDES, 64];

/// How much more than the weights ask for forces of interior points press.
const PRESSES: [f64; 4] = [1.0, 10.0, 100.0, 1000.0];

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

/// How often a load is borne besides the weights.
pub(super) struct Farthest {
    /// What forces bear, and what prices prove.
    pub least: f64,
    pub most: f64,
    /// Prices that bound other loads, too: the forces of no contact gain by them; none if nothing is proved.
    prices: Option<Vec<f64>>,
}

impl Statics<'_> {
    /// A point of all forces, each of which costs its size: the more they press beyond what the weights
    /// ask for, the deeper inside.
    fn well_inside<'a>(&self, forces: &'a mut Forces, press: f64) -> Option<Centre<'a>> {
        forces.program.costs.fill(1.0);
        let total: f64 = forces.program.right.iter().map(|x| x.abs()).sum();
        forces.program.centre(press * total / forces.program.columns.len().max(1) as f64)
    }

    /// Between which two numbers the margin is ([`super::Verdict::margin`]). That of a body among fixed
    /// neighbours is no less than its own: a bound from above, by small programs. What an interior
    /// point absorbs is one from below for every shift of a weight. Then shifts are asked for in round cones:
    /// the prices of each program bound the shifts of all bodies, so that the worst body is soon found;
    /// after that the bodies whose bounds are in doubt, the least of them first.
    pub(super) fn margin_of_many(&self) -> Option<[f64; 2]> {
        let work = self.rows().pow(2).max(1);
        let mut left = (WORK_OF_MARGINS / work).clamp(MARGINS[0], MARGINS[1]);
        let mut absorbed = self.absorbed()?;
        absorbed.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let mut high = self.margin_among_fixed();
        // A few bodies in their worst directions, and what that says of the others.
        for (body, bound, shifts) in absorbed.iter().take(WORST.min(left / 2)) {
            if *bound < high {
                left -= 1;
                let found = self.reach_of_many(*body, worst(shifts), high);
                high = high.min(found.most);
                high = self.bounded(&found).map_or(high, |bound| high.min(bound));
            }
        }
        let mut low = high;
        for (body, bound, shifts) in absorbed {
            let enough = high * (1.0 - NEARLY);
            if bound >= enough {
                low = low.min(bound);
                continue;
            }
            let (mut asked, mut least) = (0, high);
            let mut reach = |towards: DVec3| {
                asked += 1;
                let found = self.reach_of_many(body, towards, high);
                least = self.bounded(&found).map_or(least, |bound| bound.min(least));
                let width = self.width(body, towards);
                Shift { towards, length: found.least * width, width, most: Some(found.most) }
            };
            // Chords between four long shifts say more than many short ones.
            let sides = self.compass(4);
            let shifts = match left > sides.len() {
                true => sides.into_iter().map(&mut reach).collect(),
                false => shifts,
            };
            let most = left.saturating_sub(shifts.len()).min(MOST_DIRECTIONS);
            let bounds = around(shifts, enough, NEAR, most, reach);
            left -= asked.min(left);
            (low, high) = (low.min(bounds[0].max(bound)), high.min(bounds[1]).min(least));
        }
        Some([low.min(high), high])
    }

    /// By how many of its widths a body's weight may shift, up to somewhat more than so many.
    fn reach_of_many(&self, body: usize, towards: DVec3, most: f64) -> Farthest {
        self.farthest_of_many(&self.shift(body, towards), CHORD * most, GAP)
    }

    /// What the prices of one shift say of all bodies in all directions: the least bound.
    fn bounded(&self, found: &Farthest) -> Option<f64> {
        let prices = found.prices.as_ref()?;
        let right: f64 = self.pulls_by_row().iter().zip(prices).map(|(a, y)| a * y).sum();
        let sides = self.compass(AROUND);
        let gain = |body: usize, towards: DVec3| -> f64 {
            let shift = self.shift(body, towards);
            shift.iter().map(|(row, x)| x * prices[*row as usize]).sum()
        };
        let all = self.model.free().flat_map(|body| sides.iter().map(move |side| (body, *side)));
        let most = all.map(|(body, side)| gain(body, side)).fold(0.0, f64::max);
        // What gains nothing is not bounded.
        (most > 0.0).then(|| (-right / most).max(0.0))
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

    /// For every body the margin that interior points prove of it, and the shifts all around that they
    /// absorb: the longest of those of several points, as blocks that wedge each other bear more the more
    /// they press.
    fn absorbed(&self) -> Option<Vec<(usize, f64, Vec<Shift>)>> {
        let mut all: Vec<Vec<Shift>> = Vec::new();
        for press in PRESSES {
            for (k, shifts) in self.absorbed_by(press).into_iter().flatten().enumerate() {
                match all.get_mut(k) {
                    None => all.push(shifts),
                    Some(known) => known.iter_mut().zip(shifts).for_each(|(known, shift)| {
                        known.length = known.length.max(shift.length);
                    }),
                }
            }
        }
        let bound = |shifts: &Vec<Shift>| around(shifts.clone(), WIDEST, NEAR, 0, |_| shifts[0])[0];
        let bodies = self.model.free().zip(all);
        let bodies: Vec<_> = bodies.map(|(body, shifts)| (body, bound(&shifts), shifts)).collect();
        (!bodies.is_empty()).then_some(bodies)
    }

    /// The shifts of every body that one interior point absorbs.
    fn absorbed_by(&self, press: f64) -> Option<Vec<Vec<Shift>>> {
        let circle = Circle::inside(FEW_SIDES);
        let mut forces = Forces::with_all(self, Some(circle));
        let unit = forces.unit;
        let mut centre = self.well_inside(&mut forces, press)?;
        let sides = self.compass(AROUND);
        let axes = [sides[0], sides[sides.len() / 4]];
        let mut bodies = Vec::new();
        for body in self.model.free() {
            // What forces give for a shift by a length along two axes; that of others is a sum of both.
            let given = axes.map(|axis| {
                let shift = self.load(body, DVec3::ZERO, axis.cross(self.pulls[body]));
                let load: Vec<(u32, f64)> = shift.iter().map(|(row, x)| (*row, x / unit)).collect();
                centre.absorb(&load)
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
            bodies.push(sides.iter().map(absorb).collect());
        }
        Some(bodies)
    }

    /// How often a load is borne besides the weights, at most so many times: in round cones, or if
    /// that does not come to an end, in polygons inside them.
    pub(super) fn farthest_of_many(&self, load: &[(u32, f64)], times: f64, gap: f64) -> Farthest {
        let polygons = SIDES.map(|sides| Some(Circle::inside(sides)));
        let found = |circle: Option<Circle>| {
            let mut forces = Forces::with_all(self, circle);
            let unit = forces.unit;
            let most = forces.row(times);
            let mut column: Vec<(u32, f64)> =
                load.iter().map(|(row, x)| (*row, -x / unit)).collect();
            column.push((most, 1.0));
            forces.column(column, -1.0, None);
            forces.column(vec![(most, 1.0)], 0.0, None);
            let (optimum, is_solved) = forces.solve_within(gap);
            let least = (-optimum.cost).clamp(0.0, times);
            let is_bound = circle.is_none();
            // Where it is the limit that ends it, other prices are rounding.
            let is_free = is_bound && optimum.prices[most as usize] > -LIMITED;
            is_solved.then(|| Farthest {
                least,
                most: if is_bound { (-optimum.bound).clamp(least, times) } else { times },
                prices: is_free.then_some(optimum.prices),
            })
        };
        let none = Farthest { least: 0.0, most: times, prices: None };
        [None].into_iter().chain(polygons).find_map(found).unwrap_or(none)
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
        let mut forces = Forces::with_all(self, Some(circle));
        let entries: usize = forces.program.columns.iter().map(Vec::len).sum();
        if self.rows() * entries > MOST_WORK {
            return Placements::Unasked;
        }
        let pushes = forces.pushes.clone();
        let unit = forces.unit;
        let Some(mut centre) = self.well_inside(&mut forces, 1.0) else {
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
                    let change = if is_force { turn } else { 2.0 + arm * turn };
                    changes[block * width + k] += size * change / self.unit_of(body, k);
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
        let mut forces = Forces::with_all(self, Some(Circle::around(FEW_SIDES)));
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

/// The direction of the least of shifts, in widths.
fn worst(shifts: &[Shift]) -> DVec3 {
    let part = |shift: &Shift| shift.length / shift.width;
    let least = shifts.iter().min_by(|a, b| part(a).total_cmp(&part(b)));
    least.map_or(DVec3::ZERO, |shift| shift.towards)
}
