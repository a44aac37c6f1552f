//! The one error type: what is wrong, where, and what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};

/// Something the person who ran the program can mend.
///
/// ```
/// let problem = riprap::Problem::new("the radius of body 3 is negative").help("radii are positive lengths");
/// assert_eq!(problem.to_string(), "the radius of body 3 is negative\n  help: radii are positive lengths");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What is wrong, in a sentence without its dot.
    pub message: String,
    /// Where it was written, if it was written anywhere.
    pub place: Option<Place>,
    /// What would be accepted, or what to try.
    pub help: Option<String>,
}

/// A place in a file: the file alone, or a line and the columns on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// As the person named it.
    pub file: PathBuf,
    /// None if all of the file is meant, or if it is no text.
    pub line: Option<Line>,
}

/// One line of a text file and the part of it that is meant (columns count from 1).
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Counts from 1.
    pub number: usize,
    /// Where what is meant begins, in characters.
    pub column: usize,
    /// How many characters are meant; at least one.
    pub width: usize,
    /// The whole line, for showing it with a mark below.
    pub text: String,
}

/// What everything that can fail returns.
pub type Result<T> = std::result::Result<T, Problem>;

impl Problem {
    /// A problem without a place and without help.
    pub fn new(message: impl Into<String>) -> Self {
        Problem { message: message.into(), place: None, help: None }
    }

    /// Adds what would be accepted, or what to try.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Names the file, unless a place is known already.
    pub fn in_file(mut self, file: impl AsRef<Path>) -> Self {
        if self.place.is_none() {
            self.place = Some(Place { file: file.as_ref().to_path_buf(), line: None });
        }
        self
    }

    /// Points at the bytes `span` of `text`, the contents of `file`.
    pub fn at(mut self, file: impl AsRef<Path>, text: &str, span: std::ops::Range<usize>) -> Self {
        let start = floor_char(text, span.start);
        let end = floor_char(text, span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        let line = Line {
            number: text[..start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            width: text[start..end.min(line_end).max(start)].chars().count().max(1),
            text: text[line_start..line_end].trim_end_matches('\r').to_string(),
        };
        self.place = Some(Place { file: file.as_ref().to_path_buf(), line: Some(line) });
        self
    }
}

fn floor_char(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", plain(&self.message))?;
        if let Some(place) = &self.place {
            write!(f, "\n  --> {}", plain(&place.file.to_string_lossy()))?;
            if let Some(line) = &place.line {
                let gutter = line.number.to_string().len();
                write!(f, ":{}:{}", line.number, line.column)?;
                let (text, before, width) = line.shown();
                write!(f, "\n {:gutter$} |\n {} | {text}", "", line.number)?;
                let (space, mark) = (" ".repeat(before), "^".repeat(width));
                write!(f, "\n {:gutter$} | {space}{mark}", "")?;
            }
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: {}", plain(help))?;
        }
        Ok(())
    }
}

/// Of longer lines only what is around the mark is shown.
const LONGEST: usize = 200;

impl Line {
    /// What is shown of it, how many letters are before the mark, and how long that is.
    fn shown(&self) -> (String, usize, usize) {
        // A tab would move what follows away from its mark.
        let text = plain(&self.text).replace('\t', " ");
        let count = text.chars().count();
        let before = self.column - 1;
        if count <= LONGEST {
            return (text, before, self.width);
        }
        let first = before.saturating_sub(LONGEST / 4);
        let (left, right) = (first > 0, first + LONGEST < count);
        let middle: String = text.chars().skip(first).take(LONGEST).collect();
        let dots = |are: bool| if are { "..." } else { "" };
        let shown = format!("{}{middle}{}", dots(left), dots(right));
        let before = before - first + dots(left).len();
        (shown, before, self.width.min(LONGEST).min((LONGEST + 3).saturating_sub(before)).max(1))
    }
}

/// A number as a message tells it: six digits say which one is meant.
pub(crate) fn few_digits(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}

/// A text without what a terminal would obey; each such character becomes one that shows it.
///
/// ```
/// assert_eq!(riprap::problem::plain("a\u{1b}[31m"), "a\u{fffd}[31m");
/// ```
pub fn plain(text: &str) -> String {
    let is_obeyed = |c: char| (c.is_control() && !"\n\t".contains(c)) || is_format(c);
    let shown = |c: char| if is_obeyed(c) { char::REPLACEMENT_CHARACTER } else { c };
    text.chars().map(shown).collect()
}

/// Characters that change the order in which others are shown, or that nobody sees.
fn is_format(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

impl std::error::Error for Problem {}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, span: std::ops::Range<usize>) -> String {
        Problem::new("it is wrong").at("a.toml", text, span).to_string()
    }

    #[test]
    fn the_marks_are_under_what_is_meant() {
        let text = "one = 1\ntwo = \"2\" # why\nthree = 3";
        let expected =
            "it is wrong\n  --> a.toml:2:7\n   |\n 2 | two = \"2\" # why\n   |       ^^^";
        assert_eq!(shown(text, 14..17), expected);
    }

    #[test]
    fn columns_are_letters_not_bytes() {
        let text = "gr\u{f6}\u{df}e = \u{221e}!";
        let at = text.find('\u{221e}').unwrap();
        assert!(
            shown(text, at..at + 3).ends_with("a.toml:1:9\n   |\n 1 | größe = ∞!\n   |         ^")
        );
        // In the middle of a letter.
        assert!(shown(text, at + 1..at + 2).contains(":1:9"));
    }

    #[test]
    fn the_gutter_is_as_wide_as_the_number() {
        let text = "x\n".repeat(11) + "here";
        assert!(shown(&text, 22..26).ends_with(":12:1\n    |\n 12 | here\n    | ^^^^"));
    }

    #[test]
    fn spans_that_end_late_or_lie_outside_are_cut() {
        let line = |text: &str, span| {
            let problem = Problem::new("").at("a", text, span);
            problem.place.unwrap().line.unwrap()
        };
        let late = line("ab\r\ncd", 1..6);
        assert_eq!((late.number, late.column, late.text.as_str()), (1, 2, "ab"));
        let outside = line("ab\ncd", 50..60);
        assert_eq!((outside.number, outside.column, outside.width), (2, 3, 1));
        let empty = line("", 0..0);
        assert_eq!((empty.number, empty.column, empty.width), (1, 1, 1));
        #[expect(clippy::reversed_empty_ranges)]
        let reversed = line("abcd", 3..1);
        assert_eq!((reversed.column, reversed.width), (4, 1));
    }

    /// Neither colours nor bells, nor text from right to left, whoever wrote the file.
    #[test]
    fn nothing_a_terminal_obeys_is_printed() {
        let text = "a\u{1b}[31m\u{7}b c\u{202e}d\u{9b}e = 1";
        let problem = Problem::new(format!("no `{text}`")).at(format!("{text}.toml"), text, 1..2);
        let shown = problem.help(text).to_string();
        assert!(shown.chars().all(|c| c == '\n' || !(c.is_control() || is_format(c))), "{shown:?}");
        let plain = "a\u{fffd}[31m\u{fffd}b c\u{fffd}d\u{fffd}e = 1";
        assert!(shown.ends_with(&format!(" 1 | {plain}\n   |  ^\n  help: {plain}")), "{shown:?}");
    }

    #[test]
    fn of_long_lines_a_part_is_shown() {
        let text = "x".repeat(5000) + "here" + &"y".repeat(5000);
        let shown = shown(&text, 5000..5004);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(shown.contains(":1:5001") && lines.iter().all(|line| line.len() < 250), "{shown}");
        let at = lines[4].find('^').unwrap();
        assert_eq!(&lines[3][at..at + 4], "here");
        assert!(lines[4].ends_with("^^^^") && !lines[4].ends_with("^^^^^"));
    }

    #[test]
    fn the_first_place_stays() {
        let problem = Problem::new("gone").in_file("a.riprap").in_file("b.riprap").help("look");
        assert_eq!(problem.to_string(), "gone\n  --> a.riprap\n  help: look");
    }
}
