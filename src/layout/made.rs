//! Layouts that need no file: loose polygons to compact, and a jigsaw that is
//! pulled apart.

use super::{Item, Layout, Placed, Strip};
use crate::math::Random;
use crate::problem::{Problem, Result};
use crate::shape::{MassProperties, Outline};

/// Larger layouts than this take too long to compact.
const MOST_PIECES: usize = 5000;

impl Layout {
    /// `count` polygons, star-shaped about their middle, with 3 to `corners`
    /// corners, loosely in rows and columns.
    ///
    /// ```
    /// let layout = riprap::layout::Layout::loose_polygons(12, 20, 7)?;
    /// assert_eq!(layout.placed.len(), 12);
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn loose_polygons(count: usize, corners: usize, seed: u64) -> Result<Layout> {
        if !(1..=MOST_PIECES).contains(&count) || !(3..=1000).contains(&corners) {
            return Err(Problem::new(format!("{count} polygons with up to {corners} corners"))
                .help(format!("1 to {MOST_PIECES} polygons with 3 to 1000 corners are possible")));
        }
        let mut random = Random::new(seed);
        let rows = (count as f64 * 0.7).sqrt().ceil() as usize;
        let pitch = 2.3;
        let mut layout =
            empty("polygons", [pitch * count.div_ceil(rows) as f64, pitch * rows as f64]);
        for k in 0..count {
            // The first has as many corners as any may have.
            let own = if k == 0 {
                corners
            } else {
                3 + (random.next_u64() % (corners as u64 - 2)) as usize
            };
            let size = random.between(0.5, 1.0);
            let outline = star(own, size, &mut random)?;
            let middle = [(k / rows) as f64 + 0.5, (k % rows) as f64 + 0.5].map(|x| x * pitch);
            layout.put(outline, middle);
        }
        Ok(layout)
    }

    /// A rectangle cut into `columns` times `rows` convex pieces (four-sided,
    /// their inner corners moved at random), all positions multiplied by `spread`.
    ///
    /// ```
    /// let layout = riprap::layout::Layout::jigsaw(4, 3, 1.1, 1)?;
    /// assert!((layout.density() - 1.0 / 1.21).abs() < 1e-12);
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn jigsaw(columns: usize, rows: usize, spread: f64, seed: u64) -> Result<Layout> {
        let count = columns.saturating_mul(rows);
        if !(1..=MOST_PIECES).contains(&count) || !(1.0..=100.0).contains(&spread) {
            let message = format!("a jigsaw of {columns} times {rows} pieces, spread {spread:?}");
            return Err(Problem::new(message)
                .help(format!("1 to {MOST_PIECES} pieces, spread 1 to 100, are possible")));
        }
        let mut random = Random::new(seed);
        let inner = |k: usize, most: usize| k > 0 && k < most;
        let mut corners = vec![vec![[0.0; 2]; rows + 1]; columns + 1];
        for (i, column) in corners.iter_mut().enumerate() {
            for (j, corner) in column.iter_mut().enumerate() {
                *corner = [i as f64, j as f64];
                if inner(i, columns) {
                    corner[0] += random.between(-0.22, 0.22);
                }
                if inner(j, rows) {
                    corner[1] += random.between(-0.22, 0.22);
                }
            }
        }
        let size = [columns as f64, rows as f64];
        let mut layout = empty("jigsaw", size.map(|x| x * spread));
        for i in 0..columns {
            for j in 0..rows {
                let piece =
                    [corners[i][j], corners[i + 1][j], corners[i + 1][j + 1], corners[i][j + 1]];
                let centre = MassProperties::of_loops([&piece[..]]).centre;
                let about = piece.map(|c| [c[0] - centre.x, c[1] - centre.y]);
                let outline = Outline::new(&about, &[])?;
                layout.put(outline, [centre.x * spread, centre.y * spread]);
            }
        }
        Ok(layout)
    }

    fn put(&mut self, outline: Outline, translation: [f64; 2]) {
        let item = self.items.len();
        self.items.push(Item::new(item as u64, outline, 1));
        self.placed.push(Placed { item, rotation: 0.0, translation, fixed: false });
    }
}

fn empty(name: &str, max: [f64; 2]) -> Layout {
    let strip = Strip { min: [0.0; 2], max };
    Layout::new(name, Vec::new(), strip, Vec::new())
}

/// Corners at even angles, their distance from the middle a smooth wave plus a little noise.
fn star(corners: usize, size: f64, random: &mut Random) -> Result<Outline> {
    let waves = 2 + random.next_u64() % 4;
    let (phase, depth) = (random.between(0.0, std::f64::consts::TAU), random.between(0.05, 0.3));
    let corner = |k: usize, noise: f64| {
        let angle = std::f64::consts::TAU * k as f64 / corners as f64;
        let wave = 1.0 - depth * (1.0 + (waves as f64 * angle + phase).sin()) - noise;
        [size * wave * angle.cos(), size * wave * angle.sin()]
    };
    let list: Vec<[f64; 2]> = (0..corners).map(|k| corner(k, random.between(0.0, 0.03))).collect();
    Outline::new(&list, &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_decides_and_nothing_else() {
        let layout = Layout::loose_polygons(110, 75, 3).unwrap();
        let counts: Vec<usize> = layout.items.iter().map(|item| item.outline.outer.len()).collect();
        assert_eq!((counts.len(), counts.iter().max()), (110, Some(&75)));
        assert_eq!(layout, Layout::loose_polygons(110, 75, 3).unwrap());
        assert_ne!(layout, Layout::loose_polygons(110, 75, 4).unwrap());
    }

    #[test]
    fn impossible_numbers_are_named() {
        assert!(Layout::loose_polygons(0, 9, 1).unwrap_err().message.contains("0 polygons"));
        assert!(Layout::loose_polygons(9, 2, 1).unwrap_err().message.contains("2 corners"));
        assert!(Layout::jigsaw(9, 9, 0.5, 1).unwrap_err().message.contains("spread 0.5"));
        assert!(Layout::jigsaw(usize::MAX, 2, 1.1, 1).is_err());
    }
}
