//! No command overwrites its own input, and none anything else without being told to.

use std::fs;
use std::path::Path;

use riprap::{Problem, Result};

/// Refuses to write to `out` if it is one of the inputs.
pub fn is_no_input<P: AsRef<Path>>(out: &Path, inputs: &[P]) -> Result<()> {
    let is_out = |input: &P| is_same(out, input.as_ref());
    match inputs.iter().any(is_out) {
        false => Ok(()),
        true => Err(Problem::new("this would overwrite what it is made from")
            .in_file(out)
            .help("choose another name for the output")),
    }
}

/// Whether two names are those of one file, links of both kinds included.
fn is_same(one: &Path, two: &Path) -> bool {
    let (Ok(a), Ok(b)) = (fs::canonicalize(one), fs::canonicalize(two)) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let number = |path: &Path| fs::metadata(path).map(|data| (data.dev(), data.ino())).ok();
        if number(&a).is_some() && number(&a) == number(&b) {
            return true;
        }
    }
    a == b
}

/// Refuses to write to `out` if it is one of the inputs, exists already, or is no file at all.
pub fn check(out: &Path, force: bool, inputs: &[&Path]) -> Result<()> {
    is_no_input(out, inputs)?;
    // A link that leads nowhere is something, too.
    if fs::symlink_metadata(out).is_err() {
        return Ok(());
    }
    if fs::metadata(out).is_ok_and(|there| !there.is_file()) {
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
