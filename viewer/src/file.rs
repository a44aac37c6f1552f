//! Files that are either whole or not there.

use std::fs;
use std::io::Write;
use std::path::Path;

use riprap::{Problem, Result};

/// Writes a file under a temporary name beside the final one and renames it,
/// so that nobody ever sees half of it.
pub(crate) fn write_whole(path: &Path, contents: &[u8]) -> Result<()> {
    let Some(name) = path.file_name() else {
        return Err(Problem::new(format!("'{}' does not name a file", path.display())));
    };
    let mut part = name.to_os_string();
    part.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(part);
    let written = fs::File::create(&part)
        .and_then(|mut file| file.write_all(contents))
        .and_then(|()| fs::rename(&part, path));
    written.map_err(|error| {
        // The half-written file is of no use; if it cannot be removed, it was never made.
        let _ = fs::remove_file(&part);
        Problem::new(format!("cannot write the file: {error}")).in_file(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        write_whole(&path, b"first").unwrap();
        write_whole(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let path = Path::new("/no/such/folder/page.html");
        let problem = write_whole(path, b"").unwrap_err();
        assert!(problem.message.starts_with("cannot write the file: "), "{problem}");
        assert_eq!(problem.place.unwrap().file, path);

        let folder = tempfile::tempdir().unwrap();
        assert!(write_whole(folder.path(), b"").is_err(), "a folder is in the way");
        let beside = fs::read_dir(folder.path().parent().unwrap()).unwrap();
        let parts = beside.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let own = folder.path().file_name().unwrap().to_str().unwrap();
        assert!(!parts.into_iter().any(|name| name.starts_with(own) && name.ends_with(".part")));

        let problem = write_whole(Path::new("/"), b"").unwrap_err();
        assert_eq!(problem.message, "'/' does not name a file");
    }
}
