//! How the cost of a falling step grows: spheres from a grid of 1.2 d in a box as wide as it, the
//! first steps, CPU time and rows a sphere as CSV, and the exponent fitted to the times.
//!
//!     cargo bench --bench growth [MOST]

use std::sync::Arc;

use cpu_time::ProcessTime;
use riprap::math::median;
use riprap::scene::Scene;
use riprap::step::{Progress, stepper};
use riprap::world::build;

/// Steps that are measured: the fall, before zones touch the heap's depth.
const STEPS: usize = 12;

/// CPU seconds of this process.
fn cpu() -> f64 {
    ProcessTime::now().as_duration().as_secs_f64()
}

/// A grid of spheres in a box that is as wide as it.
fn scene([x, y, z]: [usize; 3]) -> String {
    let [width, depth, height] = [x, y, z].map(|count| 1.2 * count as f64);
    format!(
        "gravity = [0, 0, -1]\nseed = 1\n[container]\nshape = \"box\"\nmin = [0, 0, 0]\n\
         max = [{width}, {depth}, {}]\n[[bodies]]\nradius = 0.5\nmass = 1\n\
         grid = {{ count = [{x}, {y}, {z}], first = [0.6, 0.6, 0.6], spacing = 1.2, jitter = 0.08 }}\n",
        height + 1.0
    )
}

/// The median step in milliseconds, and the most rows a body.
fn measure(counts: [usize; 3]) -> (f64, f64) {
    let scene = Scene::from_text(&scene(counts), "growth.toml".as_ref()).expect("a good scene");
    let (model, mut state) = build(&scene).expect("a good scene");
    let bodies = model.bodies.len() as f64;
    let mut settle = stepper(&Arc::new(model), &state, None, cpu).expect("a good scene");
    let (mut times, mut rows) = (Vec::new(), 0);
    for _ in 0..STEPS {
        let before = cpu();
        let progress = settle.step(&mut state).expect("a step");
        times.push(1e3 * (cpu() - before));
        if let Progress::Moved(moved) = progress {
            rows = rows.max(moved.report.rows);
        }
    }
    (median(times), f64::from(rows) / bodies)
}

fn main() {
    let most = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    let grids = [[5, 10, 10], [10, 10, 10], [10, 20, 10], [20, 20, 10], [20, 20, 20], [20, 40, 20]];
    println!("spheres,median step in CPU ms,most rows a sphere");
    let mut points = Vec::new();
    for grid in grids {
        let count: usize = grid.iter().product();
        if count > most.unwrap_or(16_000) {
            break;
        }
        let (time, rows) = measure(grid);
        println!("{count},{time:.1},{rows:.1}");
        points.push(((count as f64).ln(), time.ln()));
    }
    if points.len() > 1 {
        println!("# the time grows with the power {:.2}", slope(&points));
    }
}

/// Of the line through points with the least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let mean =
        |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let products: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    products / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}
