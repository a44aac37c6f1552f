//! 255 colours for a whole movie: boxes of the colour cube are cut, the one
//! with the largest error first, at the mean of its widest direction [Heckbert
//! 1982; Wu 1991], and every box gets its mean colour.

use crate::Picture;

/// Counts colours, at 6 bits per channel: memory does not grow with the movie.
pub struct Census {
    cells: Vec<Cell>,
}

/// The pixels in one cell of the colour cube.
#[derive(Clone, Copy, Default)]
struct Cell {
    count: u64,
    sum: [u64; 3],
}

/// A small set of colours, and the nearest of them for those that were asked for.
pub struct Palette {
    pub colours: Vec<[u8; 3]>,
    nearest: Vec<Option<u8>>,
}

/// Bits kept per channel.
const BITS: u32 = 6;
const CELLS: usize = 1 << (3 * BITS);

fn cell_of(colour: [u8; 3]) -> usize {
    colour.iter().fold(0, |cell, &c| cell << BITS | (c >> (8 - BITS)) as usize)
}

impl Census {
    pub fn new() -> Census {
        Census { cells: vec![Cell::default(); CELLS] }
    }

    pub fn count(&mut self, picture: &Picture) {
        for &pixel in &picture.pixels {
            let cell = &mut self.cells[cell_of(pixel)];
            cell.count += 1;
            for (sum, c) in cell.sum.iter_mut().zip(pixel) {
                *sum += u64::from(c);
            }
        }
    }

    /// At most `size` colours (and at most 255) that stand for all that were counted.
    pub fn palette(&self, size: usize) -> Palette {
        let full: Vec<Cell> = self.cells.iter().filter(|cell| cell.count > 0).copied().collect();
        let mut boxes = vec![Region::new(full)];
        while boxes.len() < size.min(255) {
            let worst = (0..boxes.len()).max_by(|&a, &b| boxes[a].error.total_cmp(&boxes[b].error));
            let Some(worst) = worst.filter(|&i| boxes[i].error > 0.0) else { break };
            let (low, high) = boxes.swap_remove(worst).halves();
            boxes.push(low);
            boxes.push(high);
        }
        Palette::new(boxes.iter().map(|region| region.mean.map(|c| c.round() as u8)).collect())
    }
}

/// Cells that will share a colour.
struct Region {
    cells: Vec<Cell>,
    mean: [f64; 3],
    /// The channel in which the cells differ most, and how much they do.
    axis: usize,
    error: f64,
}

impl Region {
    fn new(cells: Vec<Cell>) -> Region {
        let weight = cells.iter().map(|cell| cell.count).sum::<u64>().max(1) as f64;
        let mean = std::array::from_fn(|c| {
            cells.iter().map(|cell| cell.sum[c]).sum::<u64>() as f64 / weight
        });
        let spread = |c: usize| -> f64 {
            cells.iter().map(|cell| cell.count as f64 * (cell.channel(c) - mean[c]).powi(2)).sum()
        };
        let errors: [f64; 3] = std::array::from_fn(spread);
        let axis = (0..3).max_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap_or(0);
        Region { error: if cells.len() > 1 { errors[axis] } else { 0.0 }, cells, mean, axis }
    }

    fn halves(self) -> (Region, Region) {
        let (axis, mean) = (self.axis, self.mean[self.axis]);
        let (low, high) = self.cells.into_iter().partition(|cell| cell.channel(axis) <= mean);
        (Region::new(low), Region::new(high))
    }
}

impl Cell {
    fn channel(&self, c: usize) -> f64 {
        self.sum[c] as f64 / self.count as f64
    }
}

impl Palette {
    fn new(colours: Vec<[u8; 3]>) -> Palette {
        Palette { colours, nearest: vec![None; CELLS] }
    }

    /// The number of the colour for a pixel at (x, y). A fixed pattern of tiny
    /// shifts turns bands in smooth shades into fine grain.
    pub fn index(&mut self, pixel: [u8; 3], x: usize, y: usize) -> u8 {
        let shift = DITHER[y % 4][x % 4];
        let shifted = pixel.map(|c| (i16::from(c) + shift).clamp(0, 255) as u8);
        let cell = cell_of(shifted);
        *self.nearest[cell].get_or_insert_with(|| nearest(&self.colours, cell))
    }
}

/// The number of the colour that is nearest to the middle of a cell.
fn nearest(colours: &[[u8; 3]], cell: usize) -> u8 {
    let channel = |c: u32| ((cell >> ((2 - c) * BITS)) & ((1 << BITS) - 1)) as i32 * 4 + 2;
    let here = [channel(0), channel(1), channel(2)];
    let distance = |colour: &[u8; 3]| -> i32 {
        let weights = [2, 4, 1]; // about what the eye sees
        (0..3).map(|c| weights[c] * (i32::from(colour[c]) - here[c]).pow(2)).sum()
    };
    (0_u8..).zip(colours).min_by_key(|(_, colour)| distance(colour)).map_or(0, |(i, _)| i)
}

/// A 4x4 threshold pattern, in steps of the 8-bit scale.
const DITHER: [[i16; 4]; 4] = [[-2, 0, -2, 1], [1, -1, 1, 0], [-1, 1, -2, 0], [2, 0, 1, -1]];

#[cfg(test)]
mod tests {
    use super::*;

    fn census(pixels: Vec<[u8; 3]>) -> Census {
        let mut census = Census::new();
        census.count(&Picture { width: pixels.len(), height: 1, pixels });
        census
    }

    #[test]
    fn few_colours_are_kept_as_they_are() {
        let colours = [[0, 0, 0], [255, 255, 255], [200, 30, 30], [20, 160, 90]];
        let mut palette = census(colours.repeat(10)).palette(255);
        let mut found = palette.colours.clone();
        found.sort();
        assert_eq!(found, [[0, 0, 0], [20, 160, 90], [200, 30, 30], [255, 255, 255]]);
        for colour in colours {
            let index = palette.index(colour, 1, 0);
            assert_eq!(palette.colours[index as usize], colour);
        }
    }

    #[test]
    fn many_colours_are_met_closely() {
        let shades: Vec<[u8; 3]> =
            (0..4096_u32).map(|i| [(i % 64 * 4) as u8, (i / 64 * 4) as u8, 128]).collect();
        let mut palette = census(shades.clone()).palette(255);
        assert_eq!(palette.colours.len(), 255);
        for shade in shades {
            let index = palette.index(shade, 0, 1);
            let found = palette.colours[index as usize];
            assert!((0..3).all(|c| shade[c].abs_diff(found[c]) < 24), "{shade:?} became {found:?}");
        }
    }

    #[test]
    fn nothing_counted_gives_a_palette_all_the_same() {
        assert_eq!(Census::new().palette(255).colours.len(), 1);
    }
}
