//! The library's palette as text for pages, vector pictures and plots.

use riprap::export::palette::{self, Rgb, hex};

/// Lines, labels and guides: a grey that reads on light and on dark paper.
pub(crate) const INK: &str = "#78808c";

/// The colour of the series with this number.
pub(crate) fn distinct(number: usize) -> String {
    hex(palette::distinct(number))
}

/// A list of colours.
pub(crate) fn texts(colours: &[Rgb]) -> Vec<String> {
    colours.iter().copied().map(hex).collect()
}
