//! The legend of a picture: what its colours mean, in words and numbers, on a strip below it.

use riprap::export::exhibit::Line;
use riprap::export::palette::{FORCES, Rgb, along};

use crate::Picture;

/// Pixels around the legend, between its lines, and of its scale.
const MARGIN: usize = 10;
const GAP: usize = 6;
const SCALE: usize = 160;
const PAPER: Rgb = [250, 250, 248];
const INK: Rgb = [40, 44, 52];

/// A letter is five columns of seven dots, and one column of space.
const COLUMNS: usize = 6;
const ROWS: usize = 8;

/// Adds a strip with the legend below the picture; letters are two pixels a dot where there is
/// room.
pub fn add(picture: &mut Picture, lines: &[Line]) {
    let width = |line: &Line, dot: usize| match line {
        Line::Words(words) => words.chars().count() * COLUMNS * dot,
        Line::Scale(most) => SCALE + (most.chars().count() + 4) * COLUMNS * dot,
        Line::Key(_, words) => (words.chars().count() + 2) * COLUMNS * dot,
    };
    let widest = |dot: usize| lines.iter().map(|line| width(line, dot)).max().unwrap_or(0);
    let dot = if widest(2) + 2 * MARGIN <= picture.width { 2 } else { 1 };
    if lines.is_empty() || widest(dot) + 2 * MARGIN > picture.width {
        return; // a picture of the size of a stamp
    }
    let (line, mut y) = (ROWS * dot + GAP, picture.height + MARGIN);
    let tall = 2 * MARGIN + lines.len() * line - GAP;
    picture.pixels.resize(picture.pixels.len() + tall * picture.width, PAPER);
    picture.height += tall;
    let mut sheet = Sheet { picture, dot };
    for entry in lines {
        match entry {
            Line::Words(words) => sheet.words([MARGIN, y], words),
            Line::Key(colour, words) => {
                sheet.fill([MARGIN, y], [7 * dot, 7 * dot], |_| *colour);
                sheet.words([MARGIN + 2 * COLUMNS * dot, y], words);
            }
            Line::Scale(most) => {
                sheet.words([MARGIN, y], "0");
                let x = MARGIN + 2 * COLUMNS * dot;
                let shade = |k: usize| along(&FORCES, k as f64 / (SCALE - 1) as f64);
                sheet.fill([x, y], [SCALE, 7 * dot], shade);
                sheet.words([x + SCALE + COLUMNS * dot, y], most);
            }
        }
        y += line;
    }
}

/// Something to write on.
struct Sheet<'a> {
    picture: &'a mut Picture,
    /// Pixels of a dot.
    dot: usize,
}

impl Sheet<'_> {
    /// A rectangle, each column in its colour.
    fn fill(&mut self, [x, y]: [usize; 2], [wide, tall]: [usize; 2], of: impl Fn(usize) -> Rgb) {
        for row in y..y + tall {
            for k in 0..wide {
                self.picture.pixels[row * self.picture.width + x + k] = of(k);
            }
        }
    }

    fn words(&mut self, [x, y]: [usize; 2], words: &str) {
        for (place, letter) in words.chars().enumerate() {
            for (column, dots) in dots_of(letter).into_iter().enumerate() {
                for row in (0..7).filter(|row| dots >> row & 1 == 1) {
                    let at = [x + (place * COLUMNS + column) * self.dot, y + row * self.dot];
                    self.fill(at, [self.dot; 2], |_| INK);
                }
            }
        }
    }
}

/// The dots of a letter, column by column, the lowest bit on top. Letters have one case; what is
/// not known is a box.
fn dots_of(letter: char) -> [u8; 5] {
    match letter.to_ascii_lowercase() {
        ' ' => [0; 5],
        '(' => [0x00, 0x1c, 0x22, 0x41, 0x00],
        ')' => [0x00, 0x41, 0x22, 0x1c, 0x00],
        '%' => [0x23, 0x13, 0x08, 0x64, 0x62],
        '+' => [0x08, 0x08, 0x3e, 0x08, 0x08],
        ',' => [0x00, 0x50, 0x30, 0x00, 0x00],
        '-' => [0x08; 5],
        '.' => [0x00, 0x60, 0x60, 0x00, 0x00],
        '/' => [0x20, 0x10, 0x08, 0x04, 0x02],
        ':' => [0x00, 0x36, 0x36, 0x00, 0x00],
        '0' => [0x3e, 0x51, 0x49, 0x45, 0x3e],
        '1' => [0x00, 0x42, 0x7f, 0x40, 0x00],
        '2' => [0x42, 0x61, 0x51, 0x49, 0x46],
        '3' => [0x21, 0x41, 0x45, 0x4b, 0x31],
        '4' => [0x18, 0x14, 0x12, 0x7f, 0x10],
        '5' => [0x27, 0x45, 0x45, 0x45, 0x39],
        '6' => [0x3c, 0x4a, 0x49, 0x49, 0x30],
        '7' => [0x01, 0x71, 0x09, 0x05, 0x03],
        '8' => [0x36, 0x49, 0x49, 0x49, 0x36],
        '9' => [0x06, 0x49, 0x49, 0x29, 0x1e],
        'a' => [0x20, 0x54, 0x54, 0x54, 0x78],
        'b' => [0x7f, 0x48, 0x44, 0x44, 0x38],
        'c' => [0x38, 0x44, 0x44, 0x44, 0x20],
        'd' => [0x38, 0x44, 0x44, 0x48, 0x7f],
        'e' => [0x38, 0x54, 0x54, 0x54, 0x18],
        'f' => [0x08, 0x7e, 0x09, 0x01, 0x02],
        'g' => [0x0c, 0x52, 0x52, 0x52, 0x3e],
        'h' => [0x7f, 0x08, 0x04, 0x04, 0x78],
        'i' => [0x00, 0x44, 0x7d, 0x40, 0x00],
        'j' => [0x20, 0x40, 0x44, 0x3d, 0x00],
        'k' => [0x7f, 0x10, 0x28, 0x44, 0x00],
        'l' => [0x00, 0x41, 0x7f, 0x40, 0x00],
        'm' => [0x7c, 0x04, 0x18, 0x04, 0x78],
        'n' => [0x7c, 0x08, 0x04, 0x04, 0x78],
        'o' => [0x38, 0x44, 0x44, 0x44, 0x38],
        'p' => [0x7c, 0x14, 0x14, 0x14, 0x08],
        'q' => [0x08, 0x14, 0x14, 0x18, 0x7c],
        'r' => [0x7c, 0x08, 0x04, 0x04, 0x08],
        's' => [0x48, 0x54, 0x54, 0x54, 0x20],
        't' => [0x04, 0x3f, 0x44, 0x40, 0x20],
        'u' => [0x3c, 0x40, 0x40, 0x20, 0x7c],
        'v' => [0x1c, 0x20, 0x40, 0x20, 0x1c],
        'w' => [0x3c, 0x40, 0x30, 0x40, 0x3c],
        'x' => [0x44, 0x28, 0x10, 0x28, 0x44],
        'y' => [0x0c, 0x50, 0x50, 0x50, 0x3c],
        'z' => [0x44, 0x64, 0x54, 0x4c, 0x44],
        _ => [0x7f, 0x41, 0x41, 0x41, 0x7f],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legend_is_below_its_picture() {
        let blank = Picture { width: 300, height: 200, pixels: vec![[9; 3]; 300 * 200] };
        let mut picture = blank.clone();
        let lines = [
            Line::Words("utilisation".into()),
            Line::Scale("0.9007".into()),
            Line::Key([1, 2, 3], "weakest".into()),
        ];
        add(&mut picture, &lines);
        assert_eq!((picture.width, picture.pixels.len()), (300, 300 * picture.height));
        assert_eq!(picture.pixels[..300 * 200], blank.pixels);
        let at = |x: usize, y: usize| picture.pixels[y * 300 + x];
        let x = MARGIN + 2 * COLUMNS * 2;
        let row = (200..picture.height).find(|y| at(x, *y) == FORCES[0]).unwrap();
        assert_eq!(at(x + SCALE - 1, row), FORCES[4]);
        assert_eq!(picture.pixels.iter().filter(|p| **p == [1, 2, 3]).count(), 14 * 14);
        // Every letter has some dots, of four pixels each.
        assert!(picture.pixels.iter().filter(|p| **p == INK).count() > 4 * 10 * 20);
    }

    #[test]
    fn stamps_have_no_legend() {
        let blank = Picture { width: 40, height: 30, pixels: vec![[9; 3]; 40 * 30] };
        let mut picture = blank.clone();
        add(&mut picture, &[Line::Words("the largest contact force".into())]);
        assert!(picture == blank);
    }

    #[test]
    fn letters_differ() {
        let known = " ()%+,-./:0123456789abcdefghijklmnopqrstuvwxyz?";
        let all: std::collections::BTreeSet<[u8; 5]> = known.chars().map(dots_of).collect();
        assert_eq!(all.len(), known.len());
        assert_eq!(dots_of('A'), dots_of('a'));
    }
}
