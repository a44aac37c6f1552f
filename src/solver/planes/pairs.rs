//! What the interior-point method keeps of a list of conditions.

/// Slacks and multipliers of a list of conditions.
#[derive(Clone, Default)]
pub struct Pairs {
    pub slack: Vec<f64>,
    pub force: Vec<f64>,
}

impl Pairs {
    pub fn new(slack: Vec<f64>, mu: f64) -> Pairs {
        let force = slack.iter().map(|s| mu / s).collect();
        Pairs { slack, force }
    }

    pub fn product(&self) -> f64 {
        self.slack.iter().zip(&self.force).map(|(s, f)| s * f).sum()
    }

    /// How many of a step stay positive.
    pub fn room(&self, step: &Pairs) -> f64 {
        let all = self.slack.iter().zip(&step.slack).chain(self.force.iter().zip(&step.force));
        all.filter(|(_, d)| **d < 0.0).map(|(v, d)| -v / d).fold(f64::INFINITY, f64::min)
    }

    pub fn product_after(&self, step: &Pairs, part: f64) -> f64 {
        let slacks = self.slack.iter().zip(&step.slack).map(|(s, d)| s + part * d);
        let forces = self.force.iter().zip(&step.force).map(|(f, d)| f + part * d);
        slacks.zip(forces).map(|(s, f)| s * f).sum()
    }

    pub fn advance(&mut self, step: &Pairs, part: f64) {
        self.slack.iter_mut().zip(&step.slack).for_each(|(s, d)| *s += part * d);
        self.force.iter_mut().zip(&step.force).for_each(|(f, d)| *f += part * d);
    }
}
