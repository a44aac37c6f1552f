//! Files and folders that appear under their names only when all of them are
//! complete, and not at all when anything fails.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::problem::{Problem, Result};

pub(super) type Out = BufWriter<File>;

/// Files and folders in the making, under hidden names beside their own.
/// Those that are not published go away with this list of them.
#[derive(Default)]
pub(super) struct Drafts(Vec<Draft>);

struct Draft {
    hidden: PathBuf,
    path: PathBuf,
}

impl Drafts {
    /// Lets `write` fill a file that will be at `path`.
    pub(super) fn file(
        &mut self,
        path: &Path,
        write: impl FnOnce(&mut Out) -> Result<()>,
    ) -> Result<()> {
        if path.is_dir() {
            let message = "cannot write the file: there is a folder of this name";
            return Err(Problem::new(message).in_file(path));
        }
        let hidden = self.draft(path);
        fill(&hidden, write).map_err(|problem| problem.in_file(path))
    }

    /// The hidden name of a new folder that will be at `path`. A folder that
    /// is there already is replaced, but only if all it holds is `replaceable`.
    pub(super) fn folder(&mut self, path: &Path, replaceable: fn(&str) -> bool) -> Result<PathBuf> {
        let cannot_make =
            |error| Problem::new(format!("cannot make the folder: {error}")).in_file(path);
        if path.exists() {
            for entry in fs::read_dir(path).map_err(cannot_make)? {
                let name = entry.map_err(cannot_make)?.file_name().to_string_lossy().into_owned();
                if !replaceable(&name) {
                    let message = format!("the folder holds `{name}`, which no export put there");
                    let help = "move the folder away, or choose another name for the export";
                    return Err(Problem::new(message).help(help).in_file(path));
                }
            }
        }
        let hidden = self.draft(path);
        fs::create_dir(&hidden).map_err(cannot_make)?;
        Ok(hidden)
    }

    /// Gives everything its own name, in the order in which it was begun.
    pub(super) fn publish(mut self) -> Result<()> {
        while let Some(draft) = self.0.first() {
            draft.publish().map_err(|error| cannot_write(error).in_file(&draft.path))?;
            self.0.remove(0);
        }
        Ok(())
    }

    fn draft(&mut self, path: &Path) -> PathBuf {
        let hidden = hidden_name(path, "partial");
        self.0.push(Draft { hidden: hidden.clone(), path: path.to_path_buf() });
        hidden
    }
}

impl Draft {
    fn publish(&self) -> io::Result<()> {
        if !self.path.is_dir() {
            return fs::rename(&self.hidden, &self.path);
        }
        // No folder can take the name of one that is not empty.
        let old = hidden_name(&self.path, "old");
        fs::rename(&self.path, &old)?;
        fs::rename(&self.hidden, &self.path).inspect_err(|_| {
            let _ = fs::rename(&old, &self.path);
        })?;
        fs::remove_dir_all(old)
    }
}

impl Drop for Drafts {
    fn drop(&mut self) {
        for Draft { hidden, .. } in &self.0 {
            // It may not even exist; there is nothing more to be done about it.
            let _ =
                if hidden.is_dir() { fs::remove_dir_all(hidden) } else { fs::remove_file(hidden) };
        }
    }
}

/// Writes a file that is either whole or not there: it gets its name last.
///
/// ```
/// # fn main() -> riprap::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("page.html");
/// riprap::export::write_whole(&path, "<!doctype html>")?;
/// # Ok(())
/// # }
/// ```
pub fn write_whole(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    let mut drafts = Drafts::default();
    drafts.file(path, |out| put(out, contents))?;
    drafts.publish()
}

/// Lets `write` fill a file.
pub(super) fn fill(path: &Path, write: impl FnOnce(&mut Out) -> Result<()>) -> Result<()> {
    let mut out = BufWriter::new(File::create(path).map_err(cannot_write)?);
    write(&mut out)?;
    out.flush().map_err(cannot_write)
}

pub(super) fn put(out: &mut Out, bytes: impl AsRef<[u8]>) -> Result<()> {
    out.write_all(bytes.as_ref()).map_err(cannot_write)
}

/// A hidden name beside `path`, different for each process.
fn hidden_name(path: &Path, stage: &str) -> PathBuf {
    let name = path.file_name().map_or("".into(), |name| name.to_string_lossy());
    path.with_file_name(format!(".{name}.{}.{stage}", std::process::id()))
}

pub(super) fn cannot_write(error: io::Error) -> Problem {
    Problem::new(format!("cannot write the file: {error}"))
        .help("choose a folder that exists, has room, and in which you may write")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn write(out: &mut Out) -> Result<()> {
        put(out, b"new")
    }

    fn only_a(name: &str) -> bool {
        name == "a"
    }

    #[test]
    fn everything_appears_at_once_or_not_at_all() {
        let place = tempfile::tempdir().unwrap();
        let [file, folder] = ["file", "folder"].map(|name| place.path().join(name));
        let begin = || {
            let mut drafts = Drafts::default();
            drafts.file(&file, write).unwrap();
            let hidden = drafts.folder(&folder, only_a).unwrap();
            fill(&hidden.join("a"), write).unwrap();
            drafts
        };
        drop(begin());
        assert!(names(place.path()).is_empty());
        let drafts = begin();
        assert!(!file.exists() && !folder.exists());
        drafts.publish().unwrap();
        assert_eq!(names(place.path()), ["file", "folder"]);
        assert_eq!(fs::read(&file).unwrap(), b"new");

        fs::write(folder.join("a"), b"old").unwrap();
        begin().publish().unwrap();
        assert_eq!(fs::read(folder.join("a")).unwrap(), b"new");
        write_whole(&file, b"newer").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"newer");
        assert_eq!(names(place.path()), ["file", "folder"]);
    }

    #[test]
    fn what_others_put_there_stays() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("folder");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("thesis"), b"").unwrap();
        let problem = Drafts::default().folder(&folder, only_a).unwrap_err();
        assert_eq!(problem.message, "the folder holds `thesis`, which no export put there");
        let problem = Drafts::default().file(&folder, write).unwrap_err();
        assert_eq!(problem.message, "cannot write the file: there is a folder of this name");
        let problem = Drafts::default().folder(&folder.join("thesis"), only_a).unwrap_err();
        assert!(problem.message.starts_with("cannot make the folder: "), "{problem}");
        let problem = Drafts::default().folder(&folder.join("no/place"), only_a).unwrap_err();
        assert!(problem.message.starts_with("cannot make the folder: "), "{problem}");
        assert_eq!(
            (names(place.path()), names(&folder)),
            (vec!["folder".into()], vec!["thesis".into()])
        );
    }

    #[test]
    fn a_name_taken_in_the_meantime_leaves_nothing_behind() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("folder");
        let mut drafts = Drafts::default();
        drafts.folder(&folder, only_a).unwrap();
        fs::write(&folder, b"a file").unwrap();
        let problem = drafts.publish().unwrap_err();
        assert_eq!(problem.place.unwrap().file, folder);
        assert_eq!(names(place.path()), ["folder"]);
        assert_eq!(fs::read(folder).unwrap(), b"a file");
    }
}
