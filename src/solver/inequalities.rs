//! All inequalities of a program as one long list, `c(x) >= 0`: first the
//! half-spaces, then the ropes, then the sides of the boxes, then the pairs
//! `t - d >= 0`, `t + d >= 0` of the l1 term, then the pieces `t - slope . d -
//! height >= 0` of the ceilings. The unknowns `x` are the motion `d` and
//! private bounds `t`: one per component of `d` if there is an l1 term, and one
//! per ceiling. All but the ropes are linear, `c = A x + h`.

use super::system::System;
use super::{Ceiling, FIXED, Program};
use crate::math::{DMat3, DVec3};

pub(super) struct Inequalities<'a> {
    program: &'a Program,
    width: usize,
    /// Where the ropes begin.
    ropes: usize,
    /// Where the box sides begin.
    boxes: usize,
    /// Where the pairs of the l1 term begin.
    pairs: usize,
    /// Where the pieces of the ceilings begin.
    pieces: usize,
    len: usize,
    /// The gradients of the ropes at the point of the last [`Inequalities::linearise`].
    rope_normals: Vec<DVec3>,
}

/// The motion, the private bounds of the l1 term (empty without one), and
/// those of the ceilings.
#[derive(Clone)]
pub(super) struct Unknowns {
    pub motion: Vec<f64>,
    pub bounds: Vec<f64>,
    pub tops: Vec<f64>,
}

impl Unknowns {
    pub fn zero(program: &Program) -> Self {
        Unknowns {
            motion: vec![0.0; program.cost.len() * program.width],
            bounds: vec![0.0; program.absolute.len() * program.width],
            tops: vec![0.0; program.ceilings.len()],
        }
    }

    pub fn add(&mut self, factor: f64, other: &Unknowns) {
        let add = |xs: &mut [f64], ys: &[f64]| {
            xs.iter_mut().zip(ys).for_each(|(x, y)| *x += factor * y);
        };
        add(&mut self.motion, &other.motion);
        add(&mut self.bounds, &other.bounds);
        add(&mut self.tops, &other.tops);
    }

    pub fn negated(&self) -> Self {
        let negated = |xs: &[f64]| xs.iter().map(|x| -x).collect();
        Unknowns {
            motion: negated(&self.motion),
            bounds: negated(&self.bounds),
            tops: negated(&self.tops),
        }
    }
}

/// Block `i` of a flat vector.
pub(super) fn block(flat: &[f64], width: usize, i: usize) -> DVec3 {
    let at = i * width;
    DVec3::new(flat[at], flat[at + 1], if width == 3 { flat[at + 2] } else { 0.0 })
}

/// Block `a` minus block `b` of a flat vector.
pub(super) fn apart(flat: &[f64], width: usize, a: u32, b: u32) -> DVec3 {
    match b {
        FIXED => block(flat, width, a as usize),
        b => block(flat, width, a as usize) - block(flat, width, b as usize),
    }
}

/// Adds `v` to block `a` and takes it away from block `b`.
pub(super) fn add_apart(flat: &mut [f64], width: usize, a: u32, b: u32, v: DVec3) {
    for k in 0..width {
        flat[a as usize * width + k] += v[k];
        if b != FIXED {
            flat[b as usize * width + k] -= v[k];
        }
    }
}

fn outer(v: DVec3, w: f64) -> DMat3 {
    DMat3::from_cols(v * (w * v.x), v * (w * v.y), v * (w * v.z))
}

fn add_pair(matrix: &mut System, a: u32, b: u32, block: &DMat3) {
    match b {
        FIXED => matrix.add_node(a, block),
        b => matrix.add_edge(a, b, block),
    }
}

impl Ceiling {
    /// The sum of the pieces' weights and the weighted mean of their slopes.
    fn mean(&self, weights: &[f64]) -> (f64, DVec3) {
        let total: f64 = weights.iter().sum();
        let sum: DVec3 = self.pieces.iter().zip(weights).map(|((slope, _), w)| *slope * *w).sum();
        (total, sum / total)
    }
}

impl<'a> Inequalities<'a> {
    pub fn new(program: &'a Program) -> Self {
        let width = program.width;
        let ropes = program.half_spaces.len();
        let boxes = ropes + program.ropes.len();
        let pairs = boxes + 2 * width * program.boxes.len();
        let pieces = pairs + 2 * width * program.absolute.len();
        let len = pieces + program.ceilings.iter().map(|c| c.pieces.len()).sum::<usize>();
        let rope_normals = vec![DVec3::ZERO; program.ropes.len()];
        let mut list =
            Inequalities { program, width, ropes, boxes, pairs, pieces, len, rope_normals };
        list.linearise(&Unknowns::zero(program));
        list
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Turns the ropes' rows to where the motion `x` takes them.
    pub fn linearise(&mut self, x: &Unknowns) {
        for (normal, rope) in self.rope_normals.iter_mut().zip(&self.program.ropes) {
            let moved = apart(&x.motion, self.width, rope.a, rope.b);
            *normal = -(rope.vector + moved) / rope.length;
        }
    }

    /// The rows that join two blocks: half-spaces, and ropes as they are turned now.
    fn rows(&self) -> impl Iterator<Item = (u32, u32, DVec3)> {
        let half_spaces = self.program.half_spaces.iter().map(|row| (row.a, row.b, row.normal));
        let ropes = self.program.ropes.iter().zip(&self.rope_normals);
        half_spaces.chain(ropes.map(|(rope, normal)| (rope.a, rope.b, *normal)))
    }

    /// The places of `t - d` and `t + d` of a component of the l1 term.
    fn pair(&self, component: usize) -> (usize, usize) {
        (self.pairs + 2 * component, self.pairs + 2 * component + 1)
    }

    /// The values at `x = 0`.
    pub fn offsets(&self) -> Vec<f64> {
        let mut h = Vec::with_capacity(self.len);
        h.extend(self.program.half_spaces.iter().map(|row| row.gap));
        let left = |length: f64, vector: DVec3| (length * length - vector.length_squared()) / 2.0;
        h.extend(self.program.ropes.iter().map(|r| left(r.length, r.vector) / r.length));
        for b in &self.program.boxes {
            h.extend((0..self.width).map(|k| -b.low[k]));
            h.extend((0..self.width).map(|k| b.high[k]));
        }
        h.resize(self.pieces, 0.0);
        h.extend(self.program.ceilings.iter().flat_map(|c| c.pieces.iter().map(|piece| -piece.1)));
        h
    }

    /// `out = c(x)`, the ropes being turned to `x`.
    pub fn values(&self, x: &Unknowns, offsets: &[f64], out: &mut [f64]) {
        self.times(x, out);
        out.iter_mut().zip(offsets).for_each(|(value, h)| *value += h);
        for (rope, value) in self.program.ropes.iter().zip(&mut out[self.ropes..self.boxes]) {
            let moved = apart(&x.motion, self.width, rope.a, rope.b);
            *value += moved.length_squared() / (2.0 * rope.length);
        }
    }

    /// By how much each inequality may be missed: rounding, and the tolerance of the ropes.
    pub fn tolerances(&self, rounding: f64) -> Vec<f64> {
        let mut tolerances = vec![rounding; self.len];
        let ropes = self.program.ropes.iter().zip(&mut tolerances[self.ropes..]);
        ropes.for_each(|(rope, tolerance)| *tolerance += rope.tolerance);
        tolerances
    }

    /// What the curvature of the ropes takes from their values along a change of the unknowns.
    pub fn bend(&self, change: &Unknowns, out: &mut [f64]) {
        for (rope, value) in self.program.ropes.iter().zip(&mut out[self.ropes..self.boxes]) {
            let moved = apart(&change.motion, self.width, rope.a, rope.b);
            *value -= moved.length_squared() / (2.0 * rope.length);
        }
    }

    /// `out = A x`.
    pub fn times(&self, x: &Unknowns, out: &mut [f64]) {
        let width = self.width;
        for ((a, b, normal), value) in self.rows().zip(out.iter_mut()) {
            *value = normal.dot(apart(&x.motion, width, a, b));
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
        let mut values = out[self.pieces..].iter_mut();
        for (ceiling, &top) in self.program.ceilings.iter().zip(&x.tops) {
            let moved = apart(&x.motion, width, ceiling.a, ceiling.b);
            for ((slope, _), value) in ceiling.pieces.iter().zip(&mut values) {
                *value = top - slope.dot(moved);
            }
        }
    }

    /// `out += A^T y`.
    pub fn add_transposed(&self, y: &[f64], out: &mut Unknowns) {
        let width = self.width;
        for ((a, b, normal), &value) in self.rows().zip(y) {
            add_apart(&mut out.motion, width, a, b, normal * value);
        }
        let sides = y[self.boxes..self.pairs].chunks_exact(2 * width);
        for (i, (b, side)) in self.program.boxes.iter().zip(sides).enumerate() {
            let v = (0..width).map(|k| b.axes.col(k) * (side[k] - side[width + k])).sum();
            add_apart(&mut out.motion, width, i as u32, FIXED, v);
        }
        for component in 0..out.bounds.len() {
            let (plus, minus) = self.pair(component);
            out.bounds[component] += y[plus] + y[minus];
            out.motion[component] += y[minus] - y[plus];
        }
        for ((ceiling, values), top) in self.ceilings(y).zip(&mut out.tops) {
            for ((slope, _), value) in ceiling.pieces.iter().zip(values) {
                *top += value;
                add_apart(&mut out.motion, width, ceiling.a, ceiling.b, -*slope * *value);
            }
        }
    }

    /// An empty matrix with a place for everything that joins two blocks.
    pub fn matrix(&self) -> System {
        let joined = self.rows().map(|(a, b, _)| (a, b));
        let joined = joined.chain(self.program.ties.iter().map(|tie| (tie.a, tie.b)));
        let joined = joined.chain(self.program.ceilings.iter().map(|c| (c.a, c.b)));
        let joined = joined.filter(|(_, b)| *b != FIXED);
        System::new(self.width, self.program.cost.len(), joined, &self.program.places)
    }

    /// The second derivatives of the Lagrangian (the objective minus
    /// `lambda . c`) plus `A^T diag(weights) A`, the private bounds eliminated.
    pub fn assemble(&self, weights: &[f64], lambda: &[f64], regular: f64, matrix: &mut System) {
        let width = self.width;
        matrix.clear();
        for ((a, b, normal), &w) in self.rows().zip(weights) {
            add_pair(matrix, a, b, &outer(normal, w));
        }
        for (rope, tension) in self.program.ropes.iter().zip(&lambda[self.ropes..]) {
            let block = DMat3::from_diagonal(DVec3::splat(tension / rope.length));
            add_pair(matrix, rope.a, rope.b, &block);
        }
        for tie in &self.program.ties {
            add_pair(matrix, tie.a, tie.b, &tie.block);
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
        for (ceiling, weights) in self.ceilings(weights) {
            // The spread of the weighted slopes: what is left of them when the
            // private bound follows their mean.
            let (_, mean) = ceiling.mean(weights);
            let pieces = ceiling.pieces.iter().zip(weights);
            let spread = pieces.map(|((slope, _), w)| outer(*slope - mean, *w));
            add_pair(matrix, ceiling.a, ceiling.b, &spread.fold(DMat3::ZERO, |sum, m| sum + m));
        }
    }

    /// The ceilings, each with its part of a list of one value per inequality.
    fn ceilings<'b>(&self, values: &'b [f64]) -> impl Iterator<Item = (&'a Ceiling, &'b [f64])> {
        let mut left = &values[self.pieces..];
        self.program.ceilings.iter().map(move |ceiling| {
            let (own, others) = left.split_at(ceiling.pieces.len());
            left = others;
            (ceiling, own)
        })
    }

    /// Takes the private bounds out of a right-hand side.
    pub fn eliminate_bounds(&self, weights: &[f64], rhs: &mut Unknowns) {
        for component in 0..rhs.bounds.len() {
            let (plus, minus) = self.pair(component);
            let (p, m) = (weights[plus], weights[minus]);
            rhs.motion[component] -= (m - p) / (p + m) * rhs.bounds[component];
        }
        for ((ceiling, weights), top) in self.ceilings(weights).zip(&rhs.tops) {
            let (_, mean) = ceiling.mean(weights);
            add_apart(&mut rhs.motion, self.width, ceiling.a, ceiling.b, mean * *top);
        }
    }

    /// Turns the right-hand sides of the private bounds into their solution, the motion being solved.
    pub fn restore_bounds(&self, weights: &[f64], x: &mut Unknowns) {
        for component in 0..x.bounds.len() {
            let (plus, minus) = self.pair(component);
            let (p, m) = (weights[plus], weights[minus]);
            x.bounds[component] = (x.bounds[component] - (m - p) * x.motion[component]) / (p + m);
        }
        for ((ceiling, weights), top) in self.ceilings(weights).zip(&mut x.tops) {
            let (total, mean) = ceiling.mean(weights);
            let moved = apart(&x.motion, self.width, ceiling.a, ceiling.b);
            *top = *top / total + mean.dot(moved);
        }
    }
}
