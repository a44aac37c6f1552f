//! The second-order test with turns: contacts that carry force are stiff, their planes follow as is
//! best, and what is left free must not lower the energy.
//!
//! A contact presses with the force `F` at the point `r` of each side, from the centre of its body;
//! `m` points into the side. When the body goes by `d` and turns by `w`, and the plane tilts by
//! `b`, the energy changes by `-F (s b.T^T (d + w x r) + m.(w x (w x r)) / 2 - R |b|^2 / 2)` to second
//! order. To first order every corner that shares the force stays on the plane.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

use super::super::second_order::Modes;
use super::pose;
use super::rest::Touch;
use crate::math::{DQuat, DVec3, median};
use crate::shape::{Core, Piece};
use crate::world::{Model, State};

/// A direction is free if the square of what holds it is below this.
const HELD: f64 = 1e-9;
/// A mode is neutral below this curvature, and unstable below minus this.
const NEUTRAL: f64 = 1e-6;
/// Corners within this part of the size of the plane are on it.
const ON_PLANE: f64 = 1e-6;
/// A cylinder whose axis makes less than this sine with the normal stands on its end.
const FLAT: f64 = 1e-4;
/// A corner shares a force if its part is above this many typical weights.
const SHARES: f64 = 1e-7;

/// Unknowns of a body and its plane: way, turn, two tilts, an offset.
const ROW: usize = 9;
type Row = [f64; ROW];

/// What was counted.
pub(super) struct Counted {
    pub unknowns: usize,
    /// None if a mode is too close to the border.
    pub modes: Option<Modes>,
}

/// One side of a contact: the rows of corners that share its force, and what the force does.
struct Part {
    /// None if it is a face.
    body: Option<usize>,
    rows: Vec<Row>,
    curved: [Row; ROW],
}

/// What contacts hold, and how the energy curves, in the unknowns of all bodies.
struct Forms {
    held: Mat<f64>,
    curved: Mat<f64>,
}

pub(super) fn modes(model: &Model, state: &State, touches: &[Touch]) -> Counted {
    let (mut place, mut unknowns) = (vec![[None; 6]; model.bodies.len()], 0);
    for i in model.free() {
        let turns = model.bodies[i].turns;
        let flat = model.dimension == 2;
        let moves = [true, true, !flat, turns && !flat, turns && !flat, turns];
        for (at, _) in moves.iter().enumerate().filter(|(_, moves)| **moves) {
            place[i][at] = Some(unknowns);
            unknowns += 1;
        }
    }
    let weights = model.free().map(|i| model.bodies[i].mass * model.pull(i).length());
    let weight = median(weights.collect()).max(f64::MIN_POSITIVE);
    let unit = model.typical_radius();
    let zero = || Mat::zeros(unknowns, unknowns);
    let mut forms = Forms { held: zero(), curved: zero() };
    for touch in touches {
        let force = touch.force / weight;
        if force <= SHARES {
            continue;
        }
        let tangents = match model.dimension {
            2 => [DVec3::new(-touch.normal.y, touch.normal.x, 0.0), DVec3::ZERO],
            _ => touch.normal.any_orthonormal_pair().into(),
        };
        let mut parts = Vec::new();
        for (k, sign) in [(0, 1.0), (1, -1.0)] {
            let has_plane = touch.bodies[1].is_some() || touch.face.is_some();
            let size = |body: usize| model.bodies[body].radius;
            let (piece, at, size) = match (touch.bodies[k], &touch.face) {
                (Some(body), _) => {
                    (&model.shape(body).pieces[touch.pieces[k]], pose(state, body), size(body))
                }
                (None, Some(face)) => {
                    let own = touch.bodies[0].map_or(unit, size);
                    (face, (DVec3::ZERO, DQuat::IDENTITY), own)
                }
                (None, None) => continue,
            };
            let body = touch.bodies[k];
            let side = Sided { touch, body, piece, at, size, sign, tangents, unit, has_plane };
            parts.push(side.part(force));
        }
        if forms.add(&place, &parts, model.dimension).is_none() {
            return Counted { unknowns, modes: None };
        }
    }
    Counted { unknowns, modes: forms.count() }
}

impl Forms {
    /// Adds a contact, its plane (the last three of its unknowns) eliminated: where corners hold
    /// it, it follows the bodies; where not, it is where the energy is least.
    fn add(
        &mut self,
        place: &[[Option<usize>; 6]],
        parts: &[Part],
        dimension: usize,
    ) -> Option<()> {
        let bodies = 6 * parts.len();
        let all = bodies + 3;
        let at = |side: usize, k: usize| if k < 6 { 6 * side + k } else { bodies + k - 6 };
        let (mut held, mut curved) = (Mat::<f64>::zeros(all, all), Mat::<f64>::zeros(all, all));
        for (side, part) in parts.iter().enumerate() {
            for i in 0..ROW {
                for j in 0..ROW {
                    let sum: f64 = part.rows.iter().map(|row| row[i] * row[j]).sum();
                    held[(at(side, i), at(side, j))] += sum;
                    curved[(at(side, i), at(side, j))] += part.curved[i][j];
                }
            }
        }
        let own = held.submatrix(bodies, bodies, 3, 3).self_adjoint_eigen(Side::Lower).ok()?;
        let most = own.S().column_vector()[2];
        // Motions of bodies with the plane that follows, then what is loose of the plane.
        let mut basis = Mat::<f64>::zeros(all, bodies);
        (0..bodies).for_each(|k| basis[(k, k)] = 1.0);
        let mut loose: Vec<Mat<f64>> = Vec::new();
        for mode in 0..3 {
            let value = own.S().column_vector()[mode];
            if value > HELD * most {
                for column in 0..bodies {
                    let pull: f64 =
                        (0..3).map(|k| own.U()[(k, mode)] * held[(bodies + k, column)]).sum();
                    for k in 0..3 {
                        basis[(bodies + k, column)] -= own.U()[(k, mode)] * pull / value;
                    }
                }
            } else if dimension == 3 || own.U()[(1, mode)].abs() < 0.5 {
                let entry = |i: usize| if i < bodies { 0.0 } else { own.U()[(i - bodies, mode)] };
                loose.push(Mat::from_fn(all, 1, |i, _| entry(i)));
            }
        }
        let held = basis.transpose() * &held * &basis;
        let mut form = basis.transpose() * &curved * &basis;
        if parts.len() == 2 && !loose.is_empty() {
            let free = Mat::from_fn(all, loose.len(), |i, j| loose[j][(i, 0)]);
            let pull = free.transpose() * &curved * &basis;
            let stiff = free.transpose() * &curved * &free;
            let given = stiff.as_ref().partial_piv_lu().solve(&pull);
            form -= pull.transpose() * given;
        }
        for i in 0..bodies {
            for j in 0..bodies {
                let end = |k: usize| place[parts[k / 6].body?][k % 6];
                let ends = [end(i), end(j)];
                if let [Some(row), Some(column)] = ends {
                    self.held[(row, column)] += held[(i, j)];
                    self.curved[(row, column)] += form[(i, j)];
                }
            }
        }
        Some(())
    }

    /// How many motions that nothing holds lower the energy, and how many keep it; none if one is
    /// too close to the border.
    fn count(&self) -> Option<Modes> {
        let (held, curved) = (&self.held, &self.curved);
        let is_known = |form: &Mat<f64>| form.col_iter().all(|c| c.iter().all(|x| x.is_finite()));
        if !is_known(held) || !is_known(curved) {
            return None;
        }
        if self.held.nrows() == 0 {
            return Some(Modes::default());
        }
        let eigen = self.held.as_ref().self_adjoint_eigen(Side::Lower).ok()?;
        let value = |k: usize| eigen.S().column_vector()[k];
        let free = (0..self.held.nrows()).take_while(|&k| value(k) < HELD).count();
        if free == 0 {
            return Some(Modes::default());
        }
        let basis = eigen.U().subcols(0, free);
        let form = basis.transpose() * &self.curved * basis;
        let values = form.as_ref().self_adjoint_eigenvalues(Side::Lower).ok()?;
        let is_clear = |value: &f64| {
            value.is_finite() && !(0.5 * NEUTRAL..2.0 * NEUTRAL).contains(&value.abs())
        };
        let below = |bound: f64| values.iter().filter(|value| **value < bound).count();
        let modes = Modes { null: below(NEUTRAL), unstable: below(-NEUTRAL), unsure: 0 };
        values.iter().all(is_clear).then_some(modes)
    }
}

/// A cylinder that does not stand on its flat end.
struct Drum {
    axis: DVec3,
    /// The middles of its ends.
    ends: [DVec3; 2],
    /// From the lowest point of a rim to its middle.
    out: DVec3,
}

impl Drum {
    /// As it is turned, about the middle of its body.
    fn of(piece: &Piece, rotation: DQuat, into: DVec3) -> Option<Drum> {
        let Core::Cylinder { radius, half } = piece.core else { return None };
        let axis = (rotation * (piece.turn * DVec3::Z)).normalize();
        let across = into - axis * into.dot(axis);
        if across.length() < FLAT {
            return None;
        }
        let ends = [-half, half].map(|end| rotation * piece.at + axis * end);
        Some(Drum { axis, ends, out: across.normalize() * radius })
    }
}

/// One side of a contact.
struct Sided<'a> {
    touch: &'a Touch,
    /// None if it is a face.
    body: Option<usize>,
    piece: &'a Piece,
    /// Where it is, and how it is turned.
    at: (DVec3, DQuat),
    /// What lengths are small against.
    size: f64,
    sign: f64,
    tangents: [DVec3; 2],
    unit: f64,
    has_plane: bool,
}

impl Sided<'_> {
    /// Its quadratic form: stiff where corners share the force, and what the force does.
    fn part(&self, force: f64) -> Part {
        let ((position, rotation), piece, size) = (self.at, self.piece, self.size);
        let into = self.sign * self.touch.normal;
        let centre = self.touch.at - position + (piece.radius + 0.5 * self.touch.gap) * into;
        let drum = Drum::of(piece, rotation, into);
        let corners: Vec<DVec3> = match &drum {
            Some(drum) => drum.ends.map(|end| end - drum.out).to_vec(),
            None => piece.polytope().corners().iter().map(|c| rotation * *c).collect(),
        };
        let lowest = corners.iter().map(|c| c.dot(into)).fold(f64::INFINITY, f64::min);
        let on = |c: &&DVec3| c.dot(into) - lowest <= ON_PLANE * size;
        let near: Vec<DVec3> = corners.iter().filter(on).copied().collect();
        let flat = |c: &DVec3| self.tangents.map(|t| t.dot(*c - centre));
        let plane: Vec<[f64; 2]> = near.iter().map(flat).collect();
        let shares = sharing(&plane, SHARES / force);
        let sharing = near.iter().zip(shares).filter(|(_, shares)| *shares);
        let rows = sharing.map(|(corner, _)| self.row(*corner)).collect();
        let mut curved = [[0.0; ROW]; ROW];
        // The middle of a rim moves as a corner does; the rest is how the rim rolls.
        let out = drum.as_ref().map_or(DVec3::ZERO, |drum| drum.out);
        let at = (centre + out) / self.unit;
        self.add_force(&mut curved, at, force, piece.radius / self.unit);
        if let Some(drum) = &drum {
            self.add_rolling(&mut curved, drum, force);
        }
        Part { body: self.body, rows, curved }
    }

    /// The second derivative of how far a rim sags below its middle, the length of the normal times its axis, by
    /// differences of two values each: of a quadratic form these are exact.
    fn add_rolling(&self, sum: &mut [Row; ROW], drum: &Drum, force: f64) {
        let into = self.sign * self.touch.normal;
        let first = into.cross(drum.axis);
        let (sine, along) = (first.length(), first.normalize());
        let sag = |z: [f64; 5]| {
            let w = DVec3::new(z[0], z[1], z[2]);
            let tilt = self.sign * (self.tangents[0] * z[3] + self.tangents[1] * z[4]);
            let swing = w.cross(drum.axis);
            let speed = tilt.cross(drum.axis) + into.cross(swing);
            let bend = 2.0 * tilt.cross(swing) + into.cross(w.cross(swing));
            let across = speed - along * speed.dot(along);
            across.length_squared() / sine + along.dot(bend)
        };
        let unknowns = if self.has_plane { 5 } else { 3 };
        for i in 0..unknowns {
            for j in 0..unknowns {
                let at = |sign: f64| {
                    let mut z = [0.0; 5];
                    z[i] += 1.0;
                    z[j] += sign;
                    sag(z)
                };
                let value = 0.25 * (at(1.0) - at(-1.0));
                sum[3 + i][3 + j] += force * drum.out.length() / self.unit * value;
            }
        }
    }

    /// How the height of a corner above the plane changes.
    fn row(&self, corner: DVec3) -> Row {
        let into = self.sign * self.touch.normal;
        let mut row = [0.0; ROW];
        let about = (corner / self.unit).cross(into);
        (0..3).for_each(|k| (row[k], row[3 + k]) = (into[k], about[k]));
        if self.has_plane {
            let from = corner + self.at.0 - self.touch.at;
            for k in 0..2 {
                row[6 + k] = self.sign * self.tangents[k].dot(from) / self.unit;
            }
            row[8] = -self.sign;
        }
        row
    }

    fn add_force(&self, sum: &mut [Row; ROW], r: DVec3, force: f64, rounding: f64) {
        let into = self.sign * self.touch.normal;
        for i in 0..3 {
            for j in 0..3 {
                let outer = 0.5 * (into[i] * r[j] + r[i] * into[j]);
                let own = if i == j { into.dot(r) } else { 0.0 };
                sum[3 + i][3 + j] += force * (own - outer);
            }
        }
        if !self.has_plane {
            return;
        }
        for (k, t) in self.tangents.iter().enumerate() {
            let about = r.cross(*t);
            for i in 0..3 {
                for (at, value) in [(i, t[i]), (3 + i, about[i])] {
                    sum[6 + k][at] -= force * self.sign * value;
                    sum[at][6 + k] -= force * self.sign * value;
                }
            }
            sum[6 + k][6 + k] += force * (rounding + 0.5 * self.touch.gap / self.unit);
        }
    }
}

/// Which of these points of a plane share a weight at the origin: those of the smallest face of
/// their hull that holds it. A share below `least` is none.
fn sharing(points: &[[f64; 2]], least: f64) -> Vec<bool> {
    let mut shares = vec![true; points.len()];
    let size = points.iter().map(|p| p[0].hypot(p[1])).fold(0.0, f64::max);
    // A line with all points on one side, and the origin nearly on it, holds what it holds.
    for (i, a) in points.iter().enumerate() {
        for b in &points[..i] {
            let (u, v) = (b[0] - a[0], b[1] - a[1]);
            let length = u.hypot(v);
            if length <= 1e-9 * size {
                continue;
            }
            let height = |p: &[f64; 2]| (u * (p[1] - a[1]) - v * (p[0] - a[0])) / length;
            let heights: Vec<f64> = points.iter().map(height).collect();
            let far =
                heights.iter().fold(0.0, |far: f64, h| if h.abs() > far.abs() { *h } else { far });
            let one_sided = heights.iter().all(|h| h * far >= -1e-9 * size * far.abs());
            if !one_sided || far.abs() <= 1e-9 * size {
                continue;
            }
            if height(&[0.0; 2]).abs() <= least * far.abs() {
                for (share, h) in shares.iter_mut().zip(&heights) {
                    *share &= h.abs() <= 1e-9 * size;
                }
            }
        }
    }
    // On a line, likewise, its ends.
    let left: Vec<usize> = (0..points.len()).filter(|&k| shares[k]).collect();
    let pairs = left.iter().flat_map(|&i| left.iter().map(move |&j| (i, j)));
    let far =
        |(i, j): (usize, usize)| (points[i][0] - points[j][0]).hypot(points[i][1] - points[j][1]);
    if let Some((i, j)) = pairs.max_by(|a, b| far(*a).total_cmp(&far(*b))) {
        let on_line = left.iter().all(|&k| {
            let (u, v) = (points[j][0] - points[i][0], points[j][1] - points[i][1]);
            let h = u * (points[k][1] - points[i][1]) - v * (points[k][0] - points[i][0]);
            h.abs() <= 1e-9 * size * far((i, j)).max(1e-300)
        });
        for end in [i, j] {
            let to_end = points[end][0].hypot(points[end][1]);
            if on_line && far((i, j)) > 0.0 && to_end <= least * far((i, j)) {
                for (k, share) in shares.iter_mut().enumerate() {
                    *share &= far((k, end)) <= 1e-9 * size;
                }
            }
        }
    }
    shares
}
