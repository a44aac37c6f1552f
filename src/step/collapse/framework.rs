//! Bars and joints in the plane: point masses, bars that keep their length, and
//! points that stay on their side of an edge [C11 2-5]. The uniform model of
//! the paper, for articulated frameworks and as a check of the reduced form.

use glam::DVec2;

pub use crate::scene::Lengths;
use crate::solver::quadratic::{Answer, Demand, Quadratic, solve};

/// Point masses joined by bars.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Framework {
    pub masses: Vec<f64>,
    pub fixed: Vec<bool>,
    pub bars: Vec<Bar>,
    /// `[i, j, k]`: point k stays left of the edge from i to j (an obstacle's edges are
    /// listed clockwise).
    pub sides: Vec<[u32; 3]>,
    pub gravity: DVec2,
}

/// Two points and their distance at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    pub ends: [u32; 2],
    pub length: f64,
}

/// Where the points are and were a step before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    pub now: Vec<DVec2>,
    pub before: Vec<DVec2>,
}

/// `<c - a, perp(b - a)>`: twice the signed area, positive if c is left of a -> b.
pub fn area(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

impl Framework {
    /// Adds a point and returns its number.
    pub fn point(&mut self, mass: f64) -> u32 {
        self.masses.push(mass);
        self.fixed.push(false);
        self.masses.len() as u32 - 1
    }

    /// Adds a bar between two points where they are.
    pub fn bar(&mut self, i: u32, j: u32, points: &[DVec2]) {
        let length = points[i as usize].distance(points[j as usize]);
        self.bars.push(Bar { ends: [i, j], length });
    }

    /// Leaves out bars that follow from others, so that every rigid part is minimally rigid.
    pub fn drop_redundant(&mut self, points: &[DVec2]) {
        let mut basis: Vec<Vec<f64>> = Vec::new();
        self.bars.retain(|bar| {
            let [i, j] = bar.ends.map(|k| k as usize);
            let e = (points[i] - points[j]).normalize_or_zero();
            let mut row = vec![0.0; 2 * points.len()];
            (row[2 * i], row[2 * i + 1], row[2 * j], row[2 * j + 1]) = (e.x, e.y, -e.x, -e.y);
            for other in &basis {
                let along: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
                row.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
            }
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            let is_new = length > 1e-9;
            if is_new {
                basis.push(row.into_iter().map(|x| x / length).collect());
            }
            is_new
        });
    }

    /// One step on positions alone [C11 Figure 7]. `sidedness` is the coefficient of the
    /// second-order term: 2 as printed, 1 consistent.
    pub fn step(&self, points: &mut Points, dt: f64, lengths: Lengths, sidedness: f64) -> Answer {
        let moved: Vec<DVec2> =
            points.now.iter().zip(&points.before).map(|(p, q)| *p - *q).collect();
        let wanted: Vec<DVec2> = moved.iter().map(|d| *d + self.gravity * (dt * dt)).collect();
        let mut program = self.program(&wanted);
        for bar in &self.bars {
            let [i, j] = bar.ends.map(|k| k as usize);
            let (e, turned) = (points.now[i] - points.now[j], moved[i] - moved[j]);
            let original = e.length_squared() - bar.length * e.length();
            let (demand, offset) = match lengths {
                Lengths::Prime => (Demand::Equal, turned.length_squared()),
                Lengths::Half => (Demand::Equal, 0.5 * turned.length_squared()),
                Lengths::Original => (Demand::Equal, original),
                Lengths::Penalty => (Demand::Soft(2.0 * Lengths::PENALTY), original),
            };
            self.add(&mut program, demand, offset, &[(bar.ends[0], e), (bar.ends[1], -e)]);
        }
        for side in &self.sides {
            let [i, j, k] = side.map(|k| k as usize);
            let (now, bend) = (
                area(points.now[i], points.now[j], points.now[k]),
                area(moved[i], moved[j], moved[k]),
            );
            self.add_side(&mut program, &points.now, *side, now + sidedness * bend);
        }
        let answer = solve(&program, &[]);
        points.before.clone_from(&points.now);
        for (p, d) in points.now.iter_mut().zip(self.moves(&answer)) {
            *p += d;
        }
        answer
    }

    /// Accelerations at given positions and velocities [C11 (Q), L2+, S2+]; all sides
    /// are taken as active.
    pub fn accelerations(&self, points: &[DVec2], velocities: &[DVec2]) -> Vec<DVec2> {
        let mut program = self.program(&vec![self.gravity; points.len()]);
        for bar in &self.bars {
            let [i, j] = bar.ends.map(|k| k as usize);
            let e = points[i] - points[j];
            let turning = (velocities[i] - velocities[j]).length_squared();
            self.add(&mut program, Demand::Equal, turning, &[(bar.ends[0], e), (bar.ends[1], -e)]);
        }
        for side in &self.sides {
            let [i, j, k] = side.map(|k| k as usize);
            let bend = 2.0 * area(velocities[i], velocities[j], velocities[k]);
            self.add_side(&mut program, points, *side, bend);
        }
        self.moves(&solve(&program, &[]))
    }

    /// One turn of the classical loop [C11 Figure 6]; `averaged` moves with the mean of old
    /// and new velocities.
    pub fn classical_step(
        &self,
        points: &mut [DVec2],
        velocities: &mut [DVec2],
        dt: f64,
        averaged: bool,
    ) {
        let accelerations = self.accelerations(points, velocities);
        for ((p, v), a) in points.iter_mut().zip(velocities.iter_mut()).zip(accelerations) {
            let old = *v;
            *v += a * dt;
            *p += if averaged { 0.5 * (old + *v) } else { *v } * dt;
        }
    }

    /// The velocities closest to `old` in the mass norm that no bar and no side forbids
    /// [C11 (Q*)]: inelastic impact.
    pub fn impact(&self, points: &[DVec2], old: &[DVec2]) -> Vec<DVec2> {
        let mut program = self.program(old);
        for bar in &self.bars {
            let e = points[bar.ends[0] as usize] - points[bar.ends[1] as usize];
            self.add(&mut program, Demand::Equal, 0.0, &[(bar.ends[0], e), (bar.ends[1], -e)]);
        }
        for side in &self.sides {
            self.add_side(&mut program, points, *side, 0.0);
        }
        self.moves(&solve(&program, &[]))
    }

    fn program(&self, wanted: &[DVec2]) -> Quadratic {
        let mut program = Quadratic::new(2);
        for ((mass, wanted), _) in self.masses.iter().zip(wanted).zip(&self.fixed).filter(|x| !x.1)
        {
            program.add_block(&[*mass, 0.0, 0.0, *mass], &wanted.to_array());
        }
        program
    }

    fn block(&self, point: u32) -> Option<u32> {
        let before = self.fixed[..point as usize].iter().filter(|fixed| !**fixed);
        (!self.fixed[point as usize]).then(|| before.count() as u32)
    }

    fn add(&self, program: &mut Quadratic, demand: Demand, offset: f64, parts: &[(u32, DVec2)]) {
        let parts: Vec<(u32, [f64; 2])> = parts
            .iter()
            .filter_map(|(point, v)| self.block(*point).map(|block| (block, v.to_array())))
            .collect();
        let slices: Vec<(u32, &[f64])> = parts.iter().map(|(b, v)| (*b, &v[..])).collect();
        program.add_row(demand, offset, &slices);
    }

    /// `<d_k - [(1 - al) d_i + al d_j], perp(p_j - p_i)> + offset >= 0`.
    fn add_side(&self, program: &mut Quadratic, points: &[DVec2], side: [u32; 3], offset: f64) {
        let [pi, pj, pk] = side.map(|k| points[k as usize]);
        let along = (pk - pi).dot(pj - pi) / (pj - pi).length_squared();
        let n = (pj - pi).perp();
        let [i, j, k] = side;
        self.add(
            program,
            Demand::AtLeast,
            offset,
            &[(k, n), (i, -(1.0 - along) * n), (j, -along * n)],
        );
    }

    fn moves(&self, answer: &Answer) -> Vec<DVec2> {
        let mut parts = answer.x.chunks_exact(2);
        let move_of = |fixed: &bool| match fixed {
            true => DVec2::ZERO,
            false => parts.next().map_or(DVec2::ZERO, DVec2::from_slice),
        };
        self.fixed.iter().map(move_of).collect()
    }
}

/// How a solid rectangle becomes point masses [C11 8.1].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MassPoints {
    /// Corners, edge midpoints, centre: Simpson's rule twice.
    Nine,
    /// Corners and centre; the same moments.
    Five,
    /// Corners alone: too much inertia.
    Four,
}

impl MassPoints {
    /// Positions in half widths and half heights, and shares of the mass.
    pub fn points(self) -> Vec<(DVec2, f64)> {
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let middles = [(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)];
        let all = |places: &[(f64, f64)], share: f64| -> Vec<(DVec2, f64)> {
            places.iter().map(|&(x, y)| (DVec2::new(x, y), share)).collect()
        };
        let centre = [(0.0, 0.0)];
        match self {
            MassPoints::Nine => {
                [all(&corners, 1.0 / 36.0), all(&middles, 4.0 / 36.0), all(&centre, 16.0 / 36.0)]
                    .concat()
            }
            MassPoints::Five => [all(&corners, 1.0 / 12.0), all(&centre, 2.0 / 3.0)].concat(),
            MassPoints::Four => all(&corners, 0.25),
        }
    }

    /// Pairs of points that bars join: rigid, with one bar more than needed (the corners
    /// alone: none too many).
    pub fn bars(self) -> Vec<[u32; 2]> {
        match self {
            MassPoints::Nine => {
                let around = (0..4).flat_map(|k| [[k, 4 + k], [4 + k, (k + 1) % 4]]);
                let spokes = (0..8).map(|k| [k, 8]);
                around.chain(spokes).collect()
            }
            MassPoints::Five => {
                let around = (0..4).map(|k| [k, (k + 1) % 4]);
                around.chain((0..4).map(|k| [k, 4])).collect()
            }
            MassPoints::Four => vec![[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]],
        }
    }
}
