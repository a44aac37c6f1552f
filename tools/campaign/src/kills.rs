//! Runs that are cut off anywhere, resumed, cut off again and resumed to their end: no frame that
//! was there is lost, and the end has the same bits as if nothing had happened.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use riprap::run::{Options, resume};
use riprap::{Random, Reader, Result, Scene};

use crate::{Trial, panics, settle};

pub fn trial(seed: u64, scratch: &Path) -> Trial {
    let kind = ["box", "flat", "funnel", "masses"][(seed % 4) as usize];
    let text = settle::scene(kind, seed);
    let fault = panics::fault(|| match fault(&text, seed, scratch) {
        Ok(fault) => fault,
        Err(problem) if problem.message.contains("fitted at random") => None,
        // Cut in its header, a file has nothing yet that could be lost, and says so.
        Err(problem) if problem.message.contains("before its header was complete") => None,
        Err(problem) => Some(problem.to_string()),
    });
    Trial { class: kind.into(), fault, input: (text.into_bytes(), "toml"), notes: Vec::new() }
}

fn fault(text: &str, seed: u64, scratch: &Path) -> Result<Option<String>> {
    let scene = Scene::from_text(text, &scratch.join("killed.toml"))?;
    let (whole, cut) = (scratch.join("whole.riprap"), scratch.join("cut.riprap"));
    settle::run(&scene, &whole)?;
    let (frames, last) = hashes(&whole)?;
    let bytes = std::fs::read(&whole).unwrap_or_default();
    let random = &mut Random::new(seed);
    // Behind the first checkpoint, which follows the first frame: before it there is nothing to
    // go on from, and that is told.
    let left = (random.between(0.2, 1.0) * bytes.len() as f64) as usize;
    std::fs::write(&cut, &bytes[..left]).map_err(|e| riprap::Problem::new(e.to_string()))?;
    let there = hashes(&cut)?.0;
    let some = (random.unit() * frames as f64) as usize;
    for max_steps in [Some(some), None] {
        // The first time it is ended by hand, as soon as it has made that many steps.
        let stop = AtomicBool::new(false);
        let mut made = 0;
        let mut progress = |_: &riprap::run::Status| {
            made += 1;
            if max_steps.is_some_and(|most| made >= most) {
                stop.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        };
        let options = Options {
            out: cut.clone(),
            force: false,
            max_steps: None,
            interrupted: &stop,
            progress: &mut progress,
        };
        match resume(&scene, options) {
            Err(problem) if problem.message.contains("no checkpoint") => return Ok(None),
            Err(problem) if problem.message.contains("finished already") => {}
            Err(problem) if problem.message.contains("would fail again") => {}
            other => other?,
        }
        let now = hashes(&cut)?.0;
        if now < there {
            return Ok(Some(format!("{there} frames became {now}")));
        }
    }
    let again = hashes(&cut)?;
    Ok((again != (frames, last)).then(|| format!("{again:?} instead of {:?}", (frames, last))))
}

/// How many frames there are, and the hash of the last.
fn hashes(path: &Path) -> Result<(usize, u64)> {
    let reader = Reader::open(path)?;
    let count = reader.len();
    Ok((count, if count > 0 { reader.stored_hash(count - 1) } else { 0 }))
}
