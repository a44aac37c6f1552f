//! No command overwrites its own input, and none anything else without being told to.

use std::fs;
use std::path::{Path, PathBuf};

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

/// Refuses to write to several files if one of them may not be written to, or if two are the same.
pub fn check_all(outs: &[&Path], force: bool, inputs: &[&Path]) -> Result<()> {
    outs.iter().try_for_each(|out| check(out, force, inputs))?;
    for (k, one) in outs.iter().enumerate() {
        if outs[..k].iter().any(|other| is_same(one, other) || resolved(one) == resolved(other)) {
            return Err(Problem::new("two outputs would be the same file")
                .in_file(one)
                .help("give them different names"));
        }
    }
    Ok(())
}

/// The name of a file that may not be there yet, in the folder that is.
fn resolved(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::canonicalize(folder).unwrap_or(folder.into()).join(path.file_name().unwrap_or_default())
}

/// Refuses to put a folder of files at `out`, or in the place of one that is there, as [`check`] does.
pub fn check_folder(out: &Path, force: bool, inputs: &[&Path]) -> Result<()> {
    let Ok(there) = fs::symlink_metadata(out) else { return Ok(()) };
    if !there.is_dir() {
        return Err(Problem::new("there is something of this name that is no folder")
            .in_file(out)
            .help("choose another name for the output"));
    }
    let within = |input: &&Path| {
        let real = fs::canonicalize(input).ok().zip(fs::canonicalize(out).ok());
        real.is_some_and(|(input, folder)| input.starts_with(folder))
    };
    match (inputs.iter().any(within), force) {
        (true, _) => is_no_input(inputs[0], inputs),
        (false, true) => Ok(()),
        (false, false) => Err(Problem::new("the folder exists already")
            .in_file(out)
            .help("give --force to replace what an export put there, or choose another name")),
    }
}

/// Refuses to write to `out` if it is one of the inputs, exists already, or is no file at all.
pub fn check(out: &Path, force: bool, inputs: &[&Path]) -> Result<()> {
    is_no_input(out, inputs)?;
    // A link that leads nowhere is something, too.
    let Ok(there) = fs::symlink_metadata(out) else { return Ok(()) };
    if force && there.is_symlink() && fs::metadata(out).is_err() {
        return Err(Problem::new("there is a link of this name that leads nowhere")
            .in_file(out)
            .help("choose another name for the output"));
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
