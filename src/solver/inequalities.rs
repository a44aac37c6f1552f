//! All inequalities of a program as one long list, `A x + h >= 0`: first the
//! half-spaces, then the sides of the boxes, then the pairs `t - d >= 0`,
//! `t + d >= 0` of the l1 term. The unknowns `x` are the motion `d` and, if
//! there is an l1 term, one private bound `t` per component of `d`.

use super::matrix::BlockMatrix;
use super::{FIXED, Program};
use crate::math::{DMat3, DVec3};

pub(super) struct Inequalities<'a> {
    program: &'a Program,
    width: usize,
    /// Where the box sides begin.
    boxes: usize,
    /// Where the pairs of the l1 term begin.
    pairs: usize,
    len: usize,
}

/// The motion and the private bounds of the l1 term (empty without one).
#[derive(Clone)]
pub(super) struct Unknowns {
    pub motion: Vec<f64>,
    pub bounds: Vec<f64>,
}

impl Unknowns {
    pub fn zero(program: &Program) -> Self {
        Unknowns {
            motion: vec![0.0; program.cost.len() * program.width],
            bounds: vec![0.0; program.absolute.len() * program.width],
        }
    }

    pub fn add(&mut self, factor: f64, other: &Unknowns) {
        for (x, y) in self.motion.iter_mut().zip(&other.motion) {
            *x += factor * y;
        }
        for (x, y) in self.bounds.iter_mut().zip(&other.bounds) {
            *x += factor * y;
        }
    }
}

/// Block `i` of a flat vector.
pub(super) fn block(flat: &[f64], width: usize, i: usize) -> DVec3 {
    let at = i * width;
    DVec3::new(flat[at], flat[at + 1], if width == 3 { flat[at + 2] } else { 0.0 })
}

fn add_block(flat: &mut [f64], width: usize, i: usize, v: DVec3) {
    for k in 0..width {
        flat[i * width + k] += v[k];
    }
}

impl<'a> Inequalities<'a> {
    pub fn new(program: &'a Program) -> Self {
        let width = program.width;
        let boxes = program.half_spaces.len();
        let pairs = boxes + 2 * width * program.boxes.len();
        let len = pairs + 2 * width * program.absolute.len();
        Inequalities { program, width, boxes, pairs, len }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// The places of `t - d` and `t + d` of a component of the l1 term.
    fn pair(&self, component: usize) -> (usize, usize) {
        (self.pairs + 2 * component, self.pairs + 2 * component + 1)
    }

    /// The constant parts `h`.
    pub fn offsets(&self) -> Vec<f64> {
        let mut h = Vec::with_capacity(self.len);
        h.extend(self.program.half_spaces.iter().map(|row| row.gap));
        for b in &self.program.boxes {
            h.extend((0..self.width).map(|k| -b.low[k]));
            h.extend((0..self.width).map(|k| b.high[k]));
        }
        h.resize(self.len, 0.0);
        h
    }

    /// `out = A x`.
    pub fn times(&self, x: &Unknowns, out: &mut [f64]) {
        let width = self.width;
        for (row, value) in self.program.half_spaces.iter().zip(out.iter_mut()) {
            let mut d = block(&x.motion, width, row.a as usize);
            if row.b != FIXED {
                d -= block(&x.motion, width, row.b as usize);
            }
            *value = row.normal.dot(d);
        }
        let sides = out[self.boxes..self.pairs].chunks_exact_mut(2 * width);
        for (i, (b, side)) in self.program.boxes.iter().zip(sides).enumerate() {
            let local = b.axes.transpose() * block(&x.motion, width, i);
            for k in 0..width {
                side[k] = local[k];
                side[width + k] = -local[k];
            }
        }
        for (component, &t) in x.bounds.iter().enumerate() {
            let (plus, minus) = self.pair(component);
            out[plus] = t - x.motion[component];
            out[minus] = t + x.motion[component];
        }
    }

    /// `out += A^T y`.
    pub fn add_transposed(&self, y: &[f64], out: &mut Unknowns) {
        let width = self.width;
        for (row, &value) in self.program.half_spaces.iter().zip(y) {
            let v = row.normal * value;
            add_block(&mut out.motion, width, row.a as usize, v);
            if row.b != FIXED {
                add_block(&mut out.motion, width, row.b as usize, -v);
            }
        }
        let sides = y[self.boxes..self.pairs].chunks_exact(2 * width);
        for (i, (b, side)) in self.program.boxes.iter().zip(sides).enumerate() {
            let v = (0..width).map(|k| b.axes.col(k) * (side[k] - side[width + k])).sum();
            add_block(&mut out.motion, width, i, v);
        }
        for component in 0..out.bounds.len() {
            let (plus, minus) = self.pair(component);
            out.bounds[component] += y[plus] + y[minus];
            out.motion[component] += y[minus] - y[plus];
        }
    }

    /// An empty matrix with the pattern of `A^T A`.
    pub fn matrix(&self) -> BlockMatrix {
        let joined = self.program.half_spaces.iter().filter(|row| row.b != FIXED);
        BlockMatrix::new(self.width, self.program.cost.len(), joined.map(|row| (row.a, row.b)))
    }

    /// `matrix = P + A^T diag(weights) A`, the private bounds eliminated.
    pub fn assemble(&self, weights: &[f64], regular: f64, matrix: &mut BlockMatrix) {
        let width = self.width;
        matrix.clear();
        for (row, &w) in self.program.half_spaces.iter().zip(weights) {
            let n = row.normal;
            let outer = DMat3::from_cols(n * (w * n.x), n * (w * n.y), n * (w * n.z));
            match row.b {
                FIXED => matrix.add_node(row.a, &outer),
                b => matrix.add_edge(row.a, b, &outer),
            }
        }
        let sides = weights[self.boxes..self.pairs].chunks_exact(2 * width);
        for (i, (b, side)) in self.program.boxes.iter().zip(sides).enumerate() {
            let mut diagonal = DVec3::ZERO;
            for k in 0..width {
                diagonal[k] = side[k] + side[width + k];
            }
            let mut own = b.axes * DMat3::from_diagonal(diagonal) * b.axes.transpose();
            let mut extra = DVec3::splat(self.program.proximal[i] + regular);
            if !self.program.absolute.is_empty() {
                for k in 0..width {
                    let (plus, minus) = self.pair(i * width + k);
                    let (p, m) = (weights[plus], weights[minus]);
                    extra[k] += 4.0 * p * m / (p + m);
                }
            }
            own += DMat3::from_diagonal(extra);
            matrix.add_node(i as u32, &own);
        }
    }

    /// Takes the private bounds out of a right-hand side.
    pub fn eliminate_bounds(&self, weights: &[f64], rhs: &mut Unknowns) {
        for component in 0..rhs.bounds.len() {
            let (plus, minus) = self.pair(component);
            let (p, m) = (weights[plus], weights[minus]);
            rhs.motion[component] -= (m - p) / (p + m) * rhs.bounds[component];
        }
    }

    /// Turns the right-hand sides of the private bounds into their solution, the motion being solved.
    pub fn restore_bounds(&self, weights: &[f64], x: &mut Unknowns) {
        for component in 0..x.bounds.len() {
            let (plus, minus) = self.pair(component);
            let (p, m) = (weights[plus], weights[minus]);
            x.bounds[component] = (x.bounds[component] - (m - p) * x.motion[component]) / (p + m);
        }
    }

    /// `out = gradient of the objective at x`.
    pub fn gradient(&self, x: &Unknowns, out: &mut Unknowns) {
        let width = self.width;
        for (i, (cost, rho)) in self.program.cost.iter().zip(&self.program.proximal).enumerate() {
            for k in 0..width {
                out.motion[i * width + k] = cost[k] + rho * x.motion[i * width + k];
            }
        }
        for (i, kappa) in self.program.absolute.iter().enumerate() {
            out.bounds[i * width..(i + 1) * width].fill(*kappa);
        }
    }

    /// The most that the change of the gradient along `x` can do within the boxes.
    pub fn curving(&self, x: &Unknowns) -> f64 {
        let boxes = self.program.boxes.iter().zip(&self.program.proximal).enumerate();
        let terms = boxes.map(|(i, (b, rho))| {
            let motion = block(&x.motion, self.width, i);
            rho * motion.abs().element_sum() * (b.high - b.low).max_element()
        });
        terms.sum()
    }

    /// The most that `-gradient . (x' - x)` can reach for any `x'` inside the boxes.
    pub fn support(&self, x: &Unknowns, gradient: &Unknowns) -> f64 {
        let width = self.width;
        let mut sum = 0.0;
        for (i, b) in self.program.boxes.iter().enumerate() {
            let slope = b.axes.transpose() * block(&gradient.motion, width, i);
            let local = b.axes.transpose() * block(&x.motion, width, i);
            let longest = (b.high - b.low).max_element();
            for k in 0..width {
                sum += (slope[k] * (local[k] - b.high[k])).max(slope[k] * (local[k] - b.low[k]));
                sum += gradient.bounds.get(i * width + k).map_or(0.0, |g| g.abs() * longest);
            }
        }
        sum
    }
}
