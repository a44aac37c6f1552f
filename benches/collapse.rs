//! Falling blocks: milliseconds (of processor time) a step for the paper's tower, the first program
//! of 400 blocks, and the same programs solved by Clarabel.
//!
//! `cargo bench --bench collapse --features clarabel`

use std::path::Path;
use std::sync::Arc;

use cpu_time::ThreadTime;
use riprap::math::median;
use riprap::scene::{Scene, gallery};
use riprap::solver::quadratic::{reference, solve};
use riprap::step::Stepper;
use riprap::step::collapse::Collapse;
use riprap::step::stable::Statics;
use riprap::world::build;

fn main() {
    steps();
    first_program();
}

fn milliseconds<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = ThreadTime::now();
    let result = work();
    (result, 1e3 * start.elapsed().as_secs_f64())
}

fn steps() {
    let scene = gallery::scene("tower-5x5").expect("a scene of the gallery");
    let (model, mut state) = build(&scene).expect("a tower");
    let mut collapse =
        Collapse::start(Arc::new(model), &state, None, || 0.0).expect("it can start");
    let (mut whole, mut ours, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for step in 0..1000 {
        if step % 10 == 0 {
            let (program, warm) = collapse.next_program(&state);
            let (own, time) = milliseconds(|| solve(&program, &warm));
            ours.push(time);
            let (other, time) = milliseconds(|| reference::solve(&program));
            theirs.push(time);
            let apart = own.x.iter().zip(&other.x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-5, "step {step}: the answers differ by {apart}");
        }
        let (moved, time) = milliseconds(|| collapse.step(&mut state));
        moved.expect("every program has an answer");
        whole.push(time);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!("tower-5x5: {:.3} ms a step (median of 1000)", median(whole));
    println!(
        "tower-5x5: program {ours:.3} ms, Clarabel {theirs:.3} ms, ratio {:.1}",
        theirs / ours
    );
}

fn first_program() {
    let text = "method = \"collapse\"\ndimension = 2\n[[bodies]]\nmass = 1\nfriction = 0\n\
                tower = { family = \"diamond\", size = 20 }\n";
    let scene = Scene::from_text(text, Path::new("diamond.toml"));
    let (model, state) = scene.and_then(|scene| build(&scene)).expect("a tower");
    let program = Statics::new(&model, &state).expect("it can be asked").program();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (mut answer, mut other) = Default::default();
    for _ in 0..9 {
        let time;
        (answer, time) = milliseconds(|| solve(&program, &[]));
        ours.push(time);
        let time;
        (other, time) = milliseconds(|| reference::solve(&program));
        theirs.push(time);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    assert!(answer.converged, "{:?}", answer.residual);
    let apart = answer.x.iter().zip(&other.x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!(
        "400 blocks: first program {ours:.1} ms ({} factorisations, residual {:.0e}), Clarabel {theirs:.1} ms, \
         ratio {:.1}, answers differ by {apart:.0e}",
        answer.iterations,
        answer.residual.largest(),
        theirs / ours
    );
}
