//! `riprap verify`: every promise of a run, as a table or as JSON.

use std::fmt::Write;
use std::path::Path;

use riprap::Result;
use riprap::trajectory::Reader;
use riprap::verify::{Verdict, verify as verify_run};

use crate::{Done, print};

pub fn verify(run: &Path, json: bool) -> Result<Done> {
    let reader = Reader::open(run)?;
    let verdict = verify_run(&reader).map_err(|problem| problem.in_file(run))?;
    print(&match json {
        true => format!("{}\n", serde_json::to_string(&verdict).expect("plain data")),
        false => report(&verdict),
    })?;
    Ok(if verdict.ok() { Done::Yes } else { Done::No })
}

/// One line per promise, the broken ones marked so that nobody overlooks them.
fn report(verdict: &Verdict) -> String {
    let mut text = String::new();
    for check in &verdict.checks {
        let mark = if check.ok { "ok    " } else { "BROKEN" };
        let phase = check.phase.map_or(String::new(), |number| format!("phase {number}: "));
        let _ = writeln!(text, "{mark} {:23} {phase}{}", check.name, check.detail);
    }
    let broken = verdict.checks.iter().filter(|check| !check.ok).count();
    let _ = match broken {
        0 => writeln!(text, "every promise holds ({} frames)", verdict.frames),
        1 => writeln!(text, "1 promise is broken"),
        n => writeln!(text, "{n} promises are broken"),
    };
    text
}
