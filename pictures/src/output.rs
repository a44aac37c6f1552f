//! Files that are either whole or not there.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use riprap::{Problem, Result};

/// Writes `path` under a temporary name and renames it at the end.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut File) -> std::result::Result<(), String>,
) -> Result<()> {
    let part = with_suffix(path, ".part");
    let failed = |e: &dyn std::fmt::Display| {
        Problem::new(format!("cannot write {}: {e}", path.display()))
            .help("choose a folder that exists and has room, and in which you may write")
    };
    let result = (|| {
        let mut file = File::create(&part).map_err(|e| failed(&e))?;
        write(&mut file).map_err(|e| failed(&e))?;
        fs::rename(&part, path).map_err(|e| failed(&e))
    })();
    if result.is_err() {
        // The first problem is the one to tell; a leftover is only untidy.
        let _ = fs::remove_file(&part);
    }
    result
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
        write_whole(&path, |file| file.write_all(b"old").map_err(|e| e.to_string())).unwrap();
        let problem = write_whole(&path, |file| {
            file.write_all(b"new").map_err(|e| e.to_string())?;
            Err("out of paint".into())
        });
        assert!(problem.unwrap_err().message.contains("out of paint"));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
