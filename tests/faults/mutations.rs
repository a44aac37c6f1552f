//! Five hundred edits of runs of every method, fifty of each kind and more: `verify` catches all.

use riprap::math::Random;

use super::failed;
use super::mutator::{Kind, edit};
use super::runs::runs;

/// How many edits of each kind there are.
const OF_EACH_KIND: usize = 50;

#[test]
fn five_hundred_edits_are_caught() {
    let runs = runs();
    for run in &runs {
        let verdict = run.verdict();
        assert!(verdict.ok(), "{} before any edit: {:?}", run.model.name, failed(&verdict));
    }
    let mut random = Random::new(14);
    let mut missed = Vec::new();
    let mut turn = 0;
    for kind in Kind::ALL {
        let mut made = 0;
        while made < OF_EACH_KIND {
            let run = &runs[turn % runs.len()];
            turn += 1;
            let mut edited = run.clone();
            let Some(told) = edit(&mut edited, kind, &mut random) else { continue };
            made += 1;
            if edited.verdict().ok() {
                missed.push(format!("{} {:?}: {told}", run.model.name, run.model.method.name()));
            }
        }
    }
    assert!(missed.is_empty(), "{} were missed: {missed:#?}", missed.len());
}
