//! No command overwrites its own input, and none anything else without being told to.

use std::fs;
use std::path::Path;

use riprap::{Problem, Result};

/// Refuses to write to `out` if it is one of the inputs.
pub fn is_no_input<P: AsRef<Path>>(out: &Path, inputs: &[P]) -> Result<()> {
    let Ok(place) = fs::canonicalize(out) else { return Ok(()) };
    let is_out = |input: &P| fs::canonicalize(input).is_ok_and(|input| input == place);
    match inputs.iter().any(is_out) {
        false => Ok(()),
        true => Err(Problem::new("this would overwrite what it is made from")
            .in_file(out)
            .help("choose another name for the output")),
    }
}

/// Refuses to write to `out` if it is one of the inputs, exists already, or is no file at all.
pub fn check(out: &Path, force: bool, inputs: &[&Path]) -> Result<()> {
    is_no_input(out, inputs)?;
    let Ok(there) = fs::metadata(out) else { return Ok(()) };
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
