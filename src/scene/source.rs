//! Where a scene comes from: its text, for messages and for the run file, and
//! the files that lie beside it, on the disk or in the gallery.

use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::gallery;
use crate::problem::{Problem, Result};

/// No scene and no file that a scene names is larger than this many bytes.
const FILE_LIMIT: u64 = 1 << 30;

/// In UTF-8 it says nothing.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The text that a scene was read from.
///
/// Where something was written is no part of what it says: any two sources
/// (and any two spans) are equal, so that scenes compare by their meaning.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The name of the text in messages.
    pub file: PathBuf,
    /// Reading this gives the scene again.
    pub text: String,
    /// Where to look for files that the scene names.
    pub files: Files,
    /// What was written, if some of it was replaced from outside.
    pub written: Option<Written>,
    /// The text is a translation: the file has other lines.
    pub is_translated: bool,
}

/// The text of a scene before values were set from outside, and those values. Places in the
/// text of a scene count through all of them, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Written {
    pub text: String,
    /// Each as `key=value`.
    pub set: Vec<String>,
}

/// A place in a scene's text, in bytes.
#[derive(Clone, Debug, Default)]
pub struct Span(pub Range<usize>);

/// Where the files that a scene names are found.
#[derive(Clone, Debug)]
pub enum Files {
    /// Relative to this folder.
    Folder(PathBuf),
    /// Among those that came with the gallery.
    Gallery,
}

impl Default for Files {
    fn default() -> Self {
        Files::Folder(PathBuf::new())
    }
}

impl PartialEq for Source {
    fn eq(&self, _: &Source) -> bool {
        true
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Source {
    /// A problem at a place of this text. A scene that was made by a program
    /// has no text to point at; then the message must do.
    pub fn problem(&self, span: &Span, message: impl Into<String>) -> Problem {
        let problem = Problem::new(message);
        if self.text.is_empty() && self.file.as_os_str().is_empty() {
            return problem;
        }
        let Some(written) = &self.written else {
            return self.place(problem, &self.text, span);
        };
        let mut start = written.text.len();
        for set in &written.set {
            let range = start + 1..start + 1 + set.len();
            if range.contains(&span.0.start) {
                let own = span.0.start - range.start..span.0.end.min(range.end) - range.start;
                return problem.at("--set", set, own);
            }
            start = range.end;
        }
        // An entry of the file may be to blame only for what was set in it.
        let set: Vec<String> = written.set.iter().map(|set| format!("--set {set}")).collect();
        let message = format!("{}; with {}", problem.message, set.join(" "));
        self.place(Problem { message, ..problem }, &written.text, span)
    }

    fn place(&self, problem: Problem, text: &str, span: &Span) -> Problem {
        match self.is_translated {
            true => problem.in_file(&self.file),
            false => problem.at(&self.file, text, span.0.clone()),
        }
    }
}

impl Files {
    /// The contents of a file and its name for messages.
    pub fn read(&self, file: &Path) -> Result<(PathBuf, Vec<u8>)> {
        match self {
            Files::Folder(folder) => {
                let path = folder.join(file);
                // A pipe could keep everybody waiting.
                if path.metadata().is_ok_and(|found| !found.is_file()) {
                    return Err(Problem::new(format!("{} is no regular file", path.display())));
                }
                read_bytes(&path).map(|bytes| (path, bytes))
            }
            Files::Gallery => match gallery::file(file) {
                Some(bytes) => Ok((file.to_path_buf(), bytes.to_vec())),
                None => {
                    let name = file.display();
                    Err(Problem::new(format!("the gallery has no file named {name}")))
                }
            },
        }
    }
}

/// The bytes of a file, not more than anyone needs.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(FILE_LIMIT + 1).read_to_end(&mut bytes))
        .map_err(|error| Problem::new(format!("cannot read {}: {error}", path.display())))?;
    if bytes.len() as u64 > FILE_LIMIT {
        let message = format!("{} is larger than {} MiB", path.display(), FILE_LIMIT >> 20);
        return Err(Problem::new(message));
    }
    Ok(bytes)
}

/// The bytes of a text file as text, without the mark that Windows begins it with.
pub(super) fn into_text(path: &Path, mut bytes: Vec<u8>) -> Result<String> {
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Problem::new(format!("not a text file: byte {at} is not UTF-8")).in_file(path)
    })
}
