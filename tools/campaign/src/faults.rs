//! Runs of every method, edited a little and written anew with fitting hashes and checksums: `verify` must
//! see through all of them. The edits are those of the tests.

use std::path::Path;
use std::sync::OnceLock;

use riprap::Random;

use crate::{Trial, panics};
use draft::Draft;
use mutator::{Kind, edit};

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../tests/faults/draft.rs"]
mod draft;
#[path = "../../../tests/faults/mutator.rs"]
mod mutator;
#[path = "../../../tests/faults/runs.rs"]
mod runs;

/// Draws until an edit fits: some runs have nothing of some kinds.
const DRAWS: usize = 100;

pub fn trial(seed: u64, _: &Path) -> Trial {
    static RUNS: OnceLock<Vec<Draft>> = OnceLock::new();
    let runs = RUNS.get_or_init(runs::runs);
    let random = &mut Random::new(seed ^ 0xfa17);
    let kind = Kind::ALL[(seed % Kind::ALL.len() as u64) as usize];
    let edited = (0..DRAWS).find_map(|_| {
        let run = &runs[(random.unit() * runs.len() as f64) as usize % runs.len()];
        let mut edited = run.clone();
        edit(&mut edited, kind, random).map(|told| (run.model.name.clone(), edited, told))
    });
    let class = format!("{kind:?}");
    let Some((name, edited, told)) = edited else {
        return Trial { class, fault: None, input: (Vec::new(), "txt"), notes: vec!["no edit"] };
    };
    let fault =
        panics::fault(|| edited.verdict().ok().then(|| format!("{name}: not noticed: {told}")));
    Trial { class, fault, input: (told.into_bytes(), "txt"), notes: Vec::new() }
}
