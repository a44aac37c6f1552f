//! Dense kernels of a front. Matrices are kept in strips of four rows: the four numbers of a
//! column stand side by side in a lane, the lanes of a strip column after column. So the same
//! memory serves as either side of a product.
//!
//! Every number is the result of one chain of fused multiplications and additions, `c - a b` in
//! the order of the columns, whatever the blocks, the tiles and the machine's vectors are: so
//! its bits depend on none of them.

// Loops over lanes are unrolled; with indices they read as the formulas do.
#![allow(clippy::needless_range_loop)]

use pulp::NullaryFnOnce;
use rayon::prelude::*;

/// Rows of a strip.
pub(super) const LANES: usize = 4;
/// The numbers of a column in a strip.
pub(super) type Lane = [f64; LANES];
/// Strip and column by column.
type Tile = [Lane; LANES];

/// Strips that are changed together: 12 of 16 vector registers of a common machine.
const GROUP: usize = 3;
/// Columns that are eliminated together: so much of a strip stays in the nearest cache.
const DEPTH: usize = 64;
/// Products of this many operations are shared out among threads.
const SHARED: usize = 8_000_000;

/// Lanes of a lower triangle of so many strips, each as long as its last row.
pub(super) fn triangle(strips: usize) -> usize {
    LANES * strips * (strips + 1) / 2
}

/// Runs what was compiled for this machine's vectors.
fn dispatch<T: NullaryFnOnce>(work: T) -> T::Output {
    pulp::Arch::new().dispatch(work)
}

/// Replaces the columns of a front by those of its Cholesky factor (with the inverses of the
/// diagonal's numbers in their place) and subtracts from `left`, the lower triangle of the
/// border, what they contribute; `false` if a pivot is not positive.
pub(super) fn eliminate(panel: &mut [Lane], columns: usize, left: &mut [Lane]) -> bool {
    let strips = panel.len() / columns;
    for from in (0..columns).step_by(DEPTH) {
        let to = (from + DEPTH).min(columns);
        let (known, open) = panel.split_at_mut(to * columns / LANES);
        let known = &mut known[from * columns / LANES..];
        if !dispatch(Diagonal { block: known, columns, from }) {
            return false;
        }
        let known = &*known;
        let operations = open.len() / columns * LANES * (to - from) * (to - from);
        let substitute =
            |own: &mut [Lane]| dispatch(Substitute { known, own, columns, range: [from, to] });
        match operations > SHARED {
            true => open.par_chunks_mut(GROUP * columns).for_each(substitute),
            false => open.chunks_mut(GROUP * columns).for_each(substitute),
        }
        let packed: Vec<Lane> =
            open.chunks_exact(columns).flat_map(|strip| &strip[from..to]).copied().collect();
        let packed = Packed { lanes: &packed, depth: to - from };
        let groups = groups(open, left, columns, to / LANES, strips);
        let operations = (groups.len() * GROUP * LANES).pow(2) * (to - from);
        let subtract = |group: Group| dispatch(Subtract { packed, group });
        match operations > SHARED {
            true => groups.into_par_iter().for_each(subtract),
            false => groups.into_iter().for_each(subtract),
        }
    }
    true
}

/// Some strips below an eliminated block, whose other columns are to be changed.
struct Group<'a> {
    /// The number of the first, counted from the end of the block.
    first: usize,
    /// The columns of the panel beyond the block, strip by strip: where they start, their number.
    panel: &'a mut [Lane],
    columns: usize,
    skip: usize,
    /// The strips of the border's triangle.
    left: &'a mut [Lane],
}

/// Divides what is below a block, whose end is strip `done`, into groups.
fn groups<'a>(
    mut open: &'a mut [Lane],
    mut left: &'a mut [Lane],
    columns: usize,
    done: usize,
    strips: usize,
) -> Vec<Group<'a>> {
    let pivots = columns / LANES;
    let mut groups = Vec::with_capacity((strips - done).div_ceil(GROUP));
    let mut strip = done;
    while strip < strips {
        // Strips of pivots and of the border are not mixed.
        let end = (strip + GROUP).min(if strip < pivots { pivots } else { strips });
        let (panel, rest) = open.split_at_mut((end - strip) * columns);
        let [before, after] = [strip, end].map(|strip| triangle(strip.saturating_sub(pivots)));
        let (border, beyond) = left.split_at_mut(after - before);
        let skip = done * LANES;
        groups.push(Group { first: strip - done, panel, columns, skip, left: border });
        (open, left, strip) = (rest, beyond, end);
    }
    groups
}

/// Eliminated columns of the strips below their block.
#[derive(Clone, Copy)]
struct Packed<'a> {
    lanes: &'a [Lane],
    depth: usize,
}

impl<'a> Packed<'a> {
    #[inline(always)]
    fn strip(&self, strip: usize) -> &'a [Lane] {
        &self.lanes[strip * self.depth..][..self.depth]
    }
}

/// `c - a b^T`, column by column of `a` and `b`.
#[inline(always)]
fn subtract<const N: usize>(c: &mut [Tile; N], a: [&[Lane]; N], b: &[Lane]) {
    let a = a.map(|a| &a[..b.len()]);
    for (p, y) in b.iter().enumerate() {
        for n in 0..N {
            let x = a[n][p];
            for j in 0..LANES {
                for l in 0..LANES {
                    c[n][j][l] = (-x[l]).mul_add(y[j], c[n][j][l]);
                }
            }
        }
    }
}

/// Divides the columns of a tile by the triangle of an eliminated one.
#[inline(always)]
fn divide(c: &mut Tile, pivot: &Tile) {
    for j in 0..LANES {
        for p in 0..j {
            for l in 0..LANES {
                c[j][l] = (-c[p][l]).mul_add(pivot[p][j], c[j][l]);
            }
        }
        for l in 0..LANES {
            c[j][l] *= pivot[j][j];
        }
    }
}

#[inline(always)]
fn tile(lanes: &[Lane]) -> Tile {
    [lanes[0], lanes[1], lanes[2], lanes[3]]
}

/// A block on the diagonal: strips from column `from` on.
struct Diagonal<'a> {
    block: &'a mut [Lane],
    columns: usize,
    from: usize,
}

impl NullaryFnOnce for Diagonal<'_> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Diagonal { block, columns, from } = self;
        for strip in 0..block.len() / columns {
            let (known, own) = block.split_at_mut(strip * columns);
            let own = &mut own[..columns];
            substitute::<1>(known, own, columns, [from, from + strip * LANES]);
            let at = from + strip * LANES;
            let (before, own) = own.split_at_mut(at);
            let mut c = [tile(own)];
            subtract(&mut c, [&before[from..]], &before[from..]);
            if !factorise(&mut c[0]) {
                return false;
            }
            own[..LANES].copy_from_slice(&c[0]);
        }
        true
    }
}

/// Replaces the lower triangle of a tile by its Cholesky factor, with inverse pivots.
#[inline(always)]
fn factorise(c: &mut Tile) -> bool {
    for j in 0..LANES {
        for p in 0..j {
            for l in j..LANES {
                c[j][l] = (-c[p][l]).mul_add(c[p][j], c[j][l]);
            }
        }
        let pivot = c[j][j];
        if !(pivot > 0.0 && pivot < f64::INFINITY) {
            return false;
        }
        c[j][j] = 1.0 / pivot.sqrt();
        for l in j + 1..LANES {
            c[j][l] *= c[j][j];
        }
    }
    true
}

/// Finishes the columns of a range for up to [`GROUP`] strips below their block `known`.
struct Substitute<'a> {
    known: &'a [Lane],
    own: &'a mut [Lane],
    columns: usize,
    range: [usize; 2],
}

impl NullaryFnOnce for Substitute<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Substitute { known, own, columns, range } = self;
        match own.len() / columns {
            1 => substitute::<1>(known, own, columns, range),
            2 => substitute::<2>(known, own, columns, range),
            _ => substitute::<GROUP>(known, own, columns, range),
        }
    }
}

#[inline(always)]
fn substitute<const N: usize>(
    known: &[Lane],
    own: &mut [Lane],
    columns: usize,
    [from, to]: [usize; 2],
) {
    for (strip, row) in known.chunks_exact(columns).take((to - from) / LANES).enumerate() {
        let at = from + strip * LANES;
        let mut c = [[[0.0; LANES]; LANES]; N];
        for n in 0..N {
            c[n] = tile(&own[n * columns + at..]);
        }
        let a: [&[Lane]; N] = std::array::from_fn(|n| &own[n * columns + from..n * columns + at]);
        subtract(&mut c, a, &row[from..at]);
        let pivot = tile(&row[at..]);
        for n in 0..N {
            divide(&mut c[n], &pivot);
            own[n * columns + at..][..LANES].copy_from_slice(&c[n]);
        }
    }
}

/// Subtracts from a group of strips what an eliminated block contributes.
struct Subtract<'a> {
    packed: Packed<'a>,
    group: Group<'a>,
}

impl NullaryFnOnce for Subtract<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Subtract { packed, group } = self;
        match group.panel.len() / group.columns {
            1 => subtract_from::<1>(packed, group),
            2 => subtract_from::<2>(packed, group),
            _ => subtract_from::<GROUP>(packed, group),
        }
    }
}

#[inline(always)]
fn subtract_from<const N: usize>(packed: Packed, group: Group) {
    let Group { first, panel, columns, skip, left } = group;
    let a: [&[Lane]; N] = std::array::from_fn(|n| packed.strip(first + n));
    let in_panel = (columns - skip) / LANES;
    let is_pivot = first < in_panel;
    // Where the strips' lanes start, in the panel and in the triangle.
    let panel_start: [usize; N] = std::array::from_fn(|n| n * columns + skip);
    let base = if is_pivot { 0 } else { triangle(first - in_panel) };
    let left_start: [usize; N] =
        std::array::from_fn(|n| if is_pivot { 0 } else { triangle(first - in_panel + n) - base });
    let common = if is_pivot { first + 1 } else { in_panel };
    for column in 0..common {
        change::<N>(panel, panel_start.map(|s| s + column * LANES), a, packed.strip(column));
    }
    if !is_pivot {
        for column in in_panel..=first {
            let at = (column - in_panel) * LANES;
            change::<N>(left, left_start.map(|s| s + at), a, packed.strip(column));
        }
    }
    // The triangle at the end of the group.
    for n in 1..N {
        for column in first + 1..=first + n {
            let b = packed.strip(column);
            match is_pivot {
                true => change::<1>(panel, [panel_start[n] + column * LANES], [a[n]], b),
                false => {
                    let at = left_start[n] + (column - in_panel) * LANES;
                    change::<1>(left, [at], [a[n]], b);
                }
            }
        }
    }
}

#[inline(always)]
fn change<const N: usize>(lanes: &mut [Lane], at: [usize; N], a: [&[Lane]; N], b: &[Lane]) {
    let mut c = [[[0.0; LANES]; LANES]; N];
    for n in 0..N {
        c[n] = tile(&lanes[at[n]..]);
    }
    subtract(&mut c, a, b);
    for n in 0..N {
        lanes[at[n]..][..LANES].copy_from_slice(&c[n]);
    }
}

/// Solves with the factor's columns of a front: `x` are its pivots; what they contribute to the
/// border is subtracted from `border`.
pub(super) struct Forward<'a> {
    pub panel: &'a [Lane],
    pub x: &'a mut [Lane],
    pub border: &'a mut [Lane],
}

impl NullaryFnOnce for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Forward { panel, x, border } = self;
        let columns = x.len() * LANES;
        let (pivots, below) = panel.split_at(x.len() * columns);
        for (strip, row) in pivots.chunks_exact(columns).enumerate() {
            let (known, open) = x.split_at_mut(strip);
            let mut sum = [open[0]];
            take(&mut sum, [&row[..strip * LANES]], known);
            let (own, triangle) = (&mut sum[0], &row[strip * LANES..][..LANES]);
            for j in 0..LANES {
                own[j] *= triangle[j][j];
                for l in j + 1..LANES {
                    own[l] = (-triangle[j][l]).mul_add(own[j], own[l]);
                }
            }
            open[0] = sum[0];
        }
        let mut strips = below.chunks_exact(4 * columns);
        let mut targets = border.chunks_exact_mut(4);
        for (rows, open) in (&mut strips).zip(&mut targets) {
            let mut sum = [open[0], open[1], open[2], open[3]];
            let rows = std::array::from_fn(|n| &rows[n * columns..][..columns]);
            take(&mut sum, rows, x);
            open.copy_from_slice(&sum);
        }
        let last = strips.remainder().chunks_exact(columns);
        for (row, open) in last.zip(targets.into_remainder()) {
            let mut sum = [*open];
            take(&mut sum, [row], x);
            *open = sum[0];
        }
    }
}

/// `sum - rows x`.
#[inline(always)]
fn take<const N: usize>(sum: &mut [Lane; N], rows: [&[Lane]; N], x: &[Lane]) {
    let mut s = *sum;
    for (at, value) in x.iter().flatten().enumerate() {
        for n in 0..N {
            let row = rows[n][at];
            for l in 0..LANES {
                s[n][l] = (-row[l]).mul_add(*value, s[n][l]);
            }
        }
    }
    *sum = s;
}

/// Solves with the transpose: `border` is known, `x` are the pivots; `sums` is working memory of
/// a lane per column.
pub(super) struct Backward<'a> {
    pub panel: &'a [Lane],
    pub x: &'a mut [Lane],
    pub border: &'a [Lane],
    pub sums: &'a mut [Lane],
}

impl NullaryFnOnce for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Backward { panel, x, border, sums } = self;
        let columns = x.len() * LANES;
        let (pivots, below) = panel.split_at(x.len() * columns);
        let sums = &mut sums[..columns];
        sums.fill([0.0; LANES]);
        for (row, value) in below.chunks_exact(columns).zip(border) {
            gather(sums, row, value);
        }
        for (strip, row) in pivots.chunks_exact(columns).enumerate().rev() {
            let at = strip * LANES;
            let mut own = x[strip];
            for j in (0..LANES).rev() {
                let sum = &sums[at + j];
                own[j] -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
                for l in j + 1..LANES {
                    own[j] = (-row[at + j][l]).mul_add(own[l], own[j]);
                }
                own[j] *= row[at + j][j];
            }
            x[strip] = own;
            gather(&mut sums[..at], row, &own);
        }
    }
}

/// Adds to every column's sums the products of its lane.
#[inline(always)]
fn gather(sums: &mut [Lane], row: &[Lane], value: &Lane) {
    for (sum, lane) in sums.iter_mut().zip(row) {
        for l in 0..LANES {
            sum[l] = lane[l].mul_add(value[l], sum[l]);
        }
    }
}
