//! No command overwrites its own input, and none anything else without being told to.

use std::fs;
use std::path::Path;

use riprap::{Problem, Result};

/// Refuses to write to `out` if it is one of the inputs, exists already, or is no file at all.
pub fn check(out: &Path, force: bool, inputs: &[&Path]) -> Result<()> {
    let Ok(there) = fs::metadata(out) else { return Ok(()) };
    let same = |input: &&&Path| match (fs::canonicalize(input), fs::canonicalize(out)) {
        (Ok(input), Ok(out)) => input == out,
        _ => false,
    };
    if inputs.iter().find(same).is_some() {
        return Err(Problem::new("this would overwrite what it is made from")
            .in_file(out)
            .help("choose another name for the output"));
    }
    if !there.is_file() {
        return Err(Problem::new("there is something of this name that is no file")
            .in_file(out)
            .help("choose another name for the output"));
    }
    match force {
        true => Ok(()),
        false => Err(Problem::new("the file exists already")
            .in_file(out)
            .help("give --force to overwrite it, or choose another name")),
    }
}
