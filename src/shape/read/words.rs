//! A text file taken apart into words that remember where they stand.

use crate::problem::{Problem, Result};
use std::path::Path;

/// One word: a run of characters without white space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub text: &'a str,
    pub start: usize,
}

/// The words of a text, from `at` on.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    path: &'a Path,
    text: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(path: &'a Path, text: &'a str) -> Self {
        Words { path, text, at: 0 }
    }

    /// The words of each line.
    pub(super) fn lines(&self) -> impl Iterator<Item = Words<'a>> + use<'a> {
        let Words { path, text, at } = *self;
        let mut next = at;
        text[at..].split_inclusive('\n').map(move |line| {
            let start = next;
            next += line.len();
            Words { path, text: &text[..next], at: start }
        })
    }

    /// Goes to the next line, past whatever is left of this one.
    pub(super) fn skip_line(&mut self) {
        self.at = self.text[self.at..].find('\n').map_or(self.text.len(), |end| self.at + end + 1);
    }

    /// The next word, which must be there.
    pub(super) fn expect(&mut self, what: &str) -> Result<Word<'a>> {
        self.next().ok_or_else(|| {
            let end = self.text.trim_end().len();
            let message = format!("{what} is expected, but here is the end");
            Problem::new(message).at(self.path, self.text, end..end)
        })
    }

    /// The next word, which must be `keyword` in upper or lower case.
    pub(super) fn expect_keyword(&mut self, keyword: &str) -> Result<()> {
        let word = self.expect(&format!("\"{keyword}\""))?;
        if word.text.eq_ignore_ascii_case(keyword) {
            Ok(())
        } else {
            Err(self.problem(word, format!("\"{keyword}\" is expected, not \"{}\"", word.text)))
        }
    }

    /// The next word as a number, which may be infinite or not a number at all.
    pub(super) fn any_number(&mut self) -> Result<(f64, Word<'a>)> {
        let word = self.expect("a number")?;
        match word.text.parse() {
            Ok(number) => Ok((number, word)),
            Err(_) => {
                Err(self.problem(word, format!("a number is expected, not \"{}\"", word.text)))
            }
        }
    }

    /// The next word as a coordinate.
    pub(super) fn coordinate(&mut self) -> Result<f64> {
        let (number, word) = self.any_number()?;
        if number.is_finite() {
            Ok(number)
        } else {
            Err(self.problem(word, format!("the coordinate {} is not finite", word.text)))
        }
    }

    /// A problem with everything from `start` to the last word read.
    pub(super) fn problem_since(&self, start: usize, message: impl Into<String>) -> Problem {
        Problem::new(message).at(self.path, self.text, start..self.at)
    }

    /// A problem with `word`.
    pub(super) fn problem(&self, word: Word, message: impl Into<String>) -> Problem {
        Problem::new(message).at(self.path, self.text, word.start..word.start + word.text.len())
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let rest = &self.text[self.at..];
        let start = self.at + (rest.len() - rest.trim_start().len());
        let word = self.text[start..].split_whitespace().next()?;
        self.at = start + word.len();
        Some(Word { text: word, start })
    }
}

/// The text of a file, without the mark that some editors put at its beginning.
/// Bytes that are no text do no harm in names and comments.
pub(super) fn text_of<'a>(path: &Path, bytes: &'a [u8]) -> Result<std::borrow::Cow<'a, str>> {
    if bytes.contains(&0) {
        return Err(Problem::new("the mesh should be text, but contains a zero byte").in_file(path));
    }
    Ok(String::from_utf8_lossy(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)))
}
