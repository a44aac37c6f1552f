//! Random scenes of bodies in motion, those of the tests: all places are numbers, and no run claims an
//! end that does not verify. A run that ends as failed and says why is counted, and is no fault.

use std::path::Path;

use riprap::{Outcome, Reader, Scene};

use crate::{Trial, panics, settle};

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../tests/motion/draft.rs"]
mod draft;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../tests/motion/fast.rs"]
mod fast;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../tests/motion/generator.rs"]
mod generator;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../tests/motion/heaps.rs"]
mod heaps;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../tests/motion/linked.rs"]
mod linked;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../tests/motion/soft.rs"]
mod soft;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../tests/motion/stacks.rs"]
mod stacks;

pub fn trial(seed: u64, scratch: &Path) -> Trial {
    let motion = generator::motion(seed, draft::WHOLE);
    let mut notes = Vec::new();
    let fault = panics::fault(|| fault(&motion.text, scratch, &mut notes));
    Trial { class: motion.kind.into(), fault, input: (motion.text.into_bytes(), "toml"), notes }
}

fn fault(text: &str, scratch: &Path, notes: &mut Vec<&'static str>) -> Option<String> {
    let out = scratch.join("motion.riprap");
    let done = Scene::from_text(text, &scratch.join("scene.toml"))
        .and_then(|scene| settle::run(&scene, &out))
        .and_then(|()| Reader::open(&out));
    let reader = match done {
        Ok(reader) => reader,
        Err(problem) => return Some(problem.to_string()),
    };
    let finite = |frame: riprap::Result<riprap::Frame>| {
        frame.is_ok_and(|f| f.state.positions.iter().all(|p| p.is_finite()))
    };
    if !reader.frames().all(finite) {
        return Some("places that are no numbers".into());
    }
    let Some(ending) = reader.ending() else { return Some("no ending".into()) };
    if ending.outcome == Outcome::Failed {
        notes.push("ended as failed, with the reason");
        return ending.reason.is_none().then(|| "failed without a reason".into());
    }
    let verdict = match riprap::verify(&reader) {
        Ok(verdict) => verdict,
        Err(problem) => return Some(format!("verify: {problem}")),
    };
    let broken = verdict.checks.iter().find(|check| !check.ok);
    broken.map(|check| format!("verify says no: {}: {}", check.name, check.detail))
}
