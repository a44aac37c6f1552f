//! Files that are either whole or not there.

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use riprap::{Problem, Result};

/// Writes `path` under a temporary name and renames it at the end. A
/// [`Problem`] from `write` is passed on; other errors are told as trouble with the file.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut File) -> std::result::Result<(), Box<dyn Error>>,
) -> Result<()> {
    let part = with_suffix(path, ".part");
    let result = File::create(&part)
        .map_err(Box::from)
        .and_then(|mut file| write(&mut file))
        .and_then(|()| Ok(fs::rename(&part, path)?));
    result.map_err(|error| {
        // This problem is the one to tell; a leftover is only untidy.
        let _ = fs::remove_file(&part);
        match error.downcast::<Problem>() {
            Ok(problem) => *problem,
            Err(error) => unwritable(path, &*error),
        }
    })
}

/// The problem of a file or folder that cannot be written.
pub fn unwritable(path: &Path, error: &dyn Error) -> Problem {
    Problem::new(format!("cannot write {}: {error}", path.display()))
        .help("choose a folder that exists, has room, and in which you may write")
}

/// The path with something appended to its file name.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_failure_leaves_the_old_file_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_whole(&path, |file| Ok(file.write_all(b"old")?)).unwrap();
        let result = write_whole(&path, |file| {
            file.write_all(b"new")?;
            Err("out of paint".into())
        });
        let problem = result.unwrap_err();
        assert!(
            problem.message.starts_with("cannot write")
                && problem.message.ends_with("out of paint")
        );
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn problems_are_passed_on() {
        let folder = tempfile::tempdir().unwrap();
        let result =
            write_whole(&folder.path().join("a"), |_| Err(Problem::new("no such frame").into()));
        assert_eq!(result, Err(Problem::new("no such frame")));
    }
}
