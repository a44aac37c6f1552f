//! The bar on a terminal; nothing elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use riprap::math::DVec3;
use riprap::run::Status;
use riprap::scene::{MethodName, Scene};
use riprap::trajectory::start;
use riprap::world::Model;

/// How densely a heap is taken to lie, for the estimate of the time left.
const DENSITY: f64 = 0.6;
/// Points per axis that sample the container.
const SAMPLES: usize = 24;

pub struct Bar {
    bar: ProgressBar,
    start: Option<f64>,
    expected_end: f64,
    /// Steps of a method with time; then they alone say how far it is.
    steps: Option<u64>,
}

impl Bar {
    pub fn new(scene: &Scene) -> Self {
        let target = ProgressDrawTarget::stderr();
        let steps = match scene.method {
            _ if scene.phases.len() > 1 => None,
            MethodName::Collapse => Some(scene.collapse.steps as u64),
            MethodName::Dynamics => Some(scene.dynamics.steps as u64),
            MethodName::Settle | MethodName::Compact | MethodName::Separate => None,
        };
        // Only a terminal is worth the estimate.
        let expected_end = match target.is_hidden() || steps.is_some() {
            true => 0.0,
            false => start(scene).map_or(0.0, |(model, _)| expected_energy(&model)),
        };
        let bar = ProgressBar::with_draw_target(Some(1000), target);
        let template = "{bar:30} step {prefix}  {msg}  [{elapsed} elapsed, {eta} left]";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Bar { bar, start: None, expected_end, steps }
    }

    pub fn show(&mut self, status: &Status) {
        let start = *self.start.get_or_insert(status.energy);
        let fallen = (start - status.energy) / (start - self.expected_end).max(f64::MIN_POSITIVE);
        // The fall takes about half of the steps; nobody knows how many the rest takes.
        let position = match self.steps {
            Some(steps) => 1000.0 * status.step as f64 / steps.max(1) as f64,
            None if status.near_rest => 950.0,
            None => 900.0 * fallen.clamp(0.0, 1.0),
        };
        self.bar.set_prefix(status.step.to_string());
        self.bar.set_message(format!("energy {:.4}  {} moving", status.energy, status.moving));
        self.bar.set_position((position as u64).max(self.bar.position()));
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The energy of a loose heap at the bottom of the container: sample points
/// inside it, from the lowest up, until they hold the bodies' volume.
fn expected_energy(model: &Model) -> f64 {
    let bounds = model.boundary.bounds();
    let size = bounds.max - bounds.min;
    let layers = if model.dimension == 2 { 1 } else { SAMPLES };
    let mut heights = Vec::new();
    for k in 0..SAMPLES * SAMPLES * layers {
        let index = [k % SAMPLES, k / SAMPLES % SAMPLES, k / SAMPLES / SAMPLES];
        let part = index.map(|i| (i as f64 + 0.5) / SAMPLES as f64);
        let point = bounds.min + size * DVec3::from_array(part);
        if model.boundary.contains(point) {
            heights.push(-model.gravity.dot(point));
        }
    }
    heights.sort_by(f64::total_cmp);
    let volume = |r: f64| match model.dimension {
        2 => std::f64::consts::PI * r * r,
        _ => 4.0 / 3.0 * std::f64::consts::PI * r * r * r,
    };
    let cell = match model.dimension {
        2 => size.x * size.y,
        _ => size.x * size.y * size.z,
    } / (SAMPLES * SAMPLES * layers) as f64;
    let wanted = model.bodies.iter().map(|b| volume(b.radius)).sum::<f64>() / DENSITY;
    let filled = ((wanted / cell) as usize).clamp(1, heights.len().max(1));
    let mass: f64 = model.bodies.iter().map(|b| b.mass).sum();
    mass * heights.iter().take(filled).sum::<f64>() / filled as f64
}
