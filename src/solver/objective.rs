//! The objective of a program: its gradient, and how much a change of the
//! unknowns can matter within their boxes.

use super::inequalities::{Unknowns, add_apart, apart, block};
use super::{FIXED, Program};

impl Program {
    /// `out = gradient of the objective at x`, the private bounds being unknowns of their own.
    pub(super) fn gradient(&self, x: &Unknowns, out: &mut Unknowns) {
        let width = self.width;
        for (i, (cost, rho)) in self.cost.iter().zip(&self.proximal).enumerate() {
            for k in 0..width {
                out.motion[i * width + k] = cost[k] + rho * x.motion[i * width + k];
            }
        }
        for tie in &self.ties {
            let pull = tie.block * apart(&x.motion, width, tie.a, tie.b);
            add_apart(&mut out.motion, width, tie.a, tie.b, pull);
        }
        for (i, kappa) in self.absolute.iter().enumerate() {
            out.bounds[i * width..(i + 1) * width].fill(*kappa);
        }
        out.tops.fill(1.0);
    }

    /// The longest side of a body's box; 0 for what is fixed.
    fn longest(&self, body: u32) -> f64 {
        match body {
            FIXED => 0.0,
            body => {
                let b = &self.boxes[body as usize];
                (b.high - b.low).max_element()
            }
        }
    }

    /// The most that the change of the gradient along `x` can do within the
    /// boxes; `tensions` are the multipliers of the ropes.
    pub(super) fn curving(&self, x: &Unknowns, tensions: &[f64]) -> f64 {
        let own = self.proximal.iter().enumerate().map(|(i, rho)| {
            rho * block(&x.motion, self.width, i).abs().element_sum() * self.longest(i as u32)
        });
        let ties = self.ties.iter().map(|tie| {
            let pull = tie.block * apart(&x.motion, self.width, tie.a, tie.b);
            pull.abs().element_sum() * (self.longest(tie.a) + self.longest(tie.b))
        });
        let ropes = self.ropes.iter().zip(tensions).map(|(rope, tension)| {
            let moved = apart(&x.motion, self.width, rope.a, rope.b);
            let pull = moved.abs().element_sum() * tension / rope.length;
            pull * (self.longest(rope.a) + self.longest(rope.b))
        });
        own.sum::<f64>() + ties.sum::<f64>() + ropes.sum::<f64>()
    }

    /// The most that `-gradient . (x' - x)` can reach for any `x'` inside the boxes.
    pub(super) fn support(&self, x: &Unknowns, gradient: &Unknowns) -> f64 {
        let width = self.width;
        let mut sum = 0.0;
        for (i, b) in self.boxes.iter().enumerate() {
            let slope = b.axes.transpose() * block(&gradient.motion, width, i);
            let local = b.axes.transpose() * block(&x.motion, width, i);
            let longest = (b.high - b.low).max_element();
            for k in 0..width {
                sum += (slope[k] * (local[k] - b.high[k])).max(slope[k] * (local[k] - b.low[k]));
                sum += gradient.bounds.get(i * width + k).map_or(0.0, |g| g.abs() * longest);
            }
        }
        for (ceiling, slope) in self.ceilings.iter().zip(&gradient.tops) {
            let steepest = ceiling.pieces.iter().map(|p| p.0.length()).fold(0.0, f64::max);
            let range = steepest * 2.0 * (self.longest(ceiling.a) + self.longest(ceiling.b));
            sum += slope.abs() * range;
        }
        sum
    }
}
