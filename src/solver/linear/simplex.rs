//! The revised simplex method in floating point, for programs of some hundred rows: the inverse of
//! the basis is kept, columns are sparse, and those of cones are made where prices ask for them.
//! The sum of what is missing or negative is made as small as it gets, from any basis.

use std::sync::Arc;

use super::{Column, Pick, Polygon, Program};
use crate::math::Random;

/// Values below this, in units of the right-hand side, are rounding.
const ZERO: f64 = 1e-11;

/// A column is worth entering if it gains more than this for each unit, in units of the prices.
const GAIN: f64 = 1e-10;

/// Smaller pivots than this are not trusted while there are larger ones.
const PIVOT: f64 = 1e-7;

/// A column with a smaller part than this beyond the basis depends on it.
const INDEPENDENT: f64 = 1e-8;

/// After this many pivots without progress, values that are zero are moved aside by up to this
/// much, in units of the right-hand side, so that no pivot comes twice. A new inverse moves
/// them back.
const PATIENCE: usize = 40;
const ASIDE: f64 = 1e-8;

/// The inverse is computed anew after this many pivots: rounding adds up.
const FRESH: usize = 200;

/// An end is looked at so often with a new inverse.
const MOST_ENDS: usize = 10;

/// What a row of the basis solves for.
#[derive(Clone, Debug)]
enum Basic {
    /// What is missing in the row itself.
    Missing,
    /// A column of the program.
    Real(Pick, Column),
    /// The right-hand side, pushed.
    Pushed(Column),
}

impl Basic {
    fn column(&self) -> Option<&Column> {
        match self {
            Basic::Missing => None,
            Basic::Real(_, column) | Basic::Pushed(column) => Some(column),
        }
    }

    fn is_missing(&self) -> bool {
        matches!(self, Basic::Missing)
    }
}

/// A non-negative combination of the columns that gives the right-hand side, or
/// as much of it as there is.
#[derive(Clone, Debug)]
pub struct Simplex {
    program: Arc<Program>,
    polygon: Polygon,
    right: Vec<f64>,
    basis: Vec<Basic>,
    /// Of the basis, by rows.
    inverse: Vec<f64>,
    /// The value of each basic column.
    values: Vec<f64>,
    /// The size of the right-hand side.
    unit: f64,
    /// Pivots since the inverse was computed.
    pivots: usize,
}

impl Simplex {
    /// Finds a combination `A f = b`, `f >= 0`, as far as possible, from one that others have found:
    /// columns with their shares, up to rounding, or none.
    pub fn new(
        program: Arc<Program>,
        right: Vec<f64>,
        polygon: Polygon,
        guess: &[(Pick, f64)],
    ) -> Self {
        let rows = program.rows;
        let unit = right.iter().fold(f64::MIN_POSITIVE, |m, b| m.max(b.abs()));
        let mut simplex = Simplex {
            program,
            polygon,
            values: right.clone(),
            right,
            basis: vec![Basic::Missing; rows],
            inverse: identity(rows),
            unit,
            pivots: 0,
        };
        simplex.take_over(guess);
        simplex.complete();
        simplex
    }

    /// Makes a basis out of a combination. A column that depends on those that are in the basis
    /// already gives its share to them until one of the others is used up, which then leaves.
    fn take_over(&mut self, guess: &[(Pick, f64)]) {
        self.values.fill(0.0);
        for (pick, share) in guess {
            let column = self.program.column(*pick);
            let image = self.image(&column);
            let basic = Basic::Real(*pick, column);
            let largest = image.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let free = (0..self.rows()).filter(|&row| self.basis[row].is_missing());
            let free = free.max_by(|&a, &b| image[a].abs().total_cmp(&image[b].abs()));
            if let Some(row) = free.filter(|&row| image[row].abs() > INDEPENDENT * largest) {
                self.put(row, &image, basic, *share);
                continue;
            }
            let used_up = |row: &usize| -image[*row] > INDEPENDENT * largest;
            let limit = |row: usize| (self.values[row] / -image[row], row);
            let limits = (0..self.rows()).filter(used_up).map(limit);
            let (step, row) = limits.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((*share, 0));
            let given = step.clamp(0.0, *share);
            self.values.iter_mut().zip(&image).for_each(|(x, d)| *x += given * d);
            if given < *share {
                self.put(row, &image, basic, share - given);
            }
        }
        self.pivots = self.pivots.max(1);
        self.refresh();
    }

    /// Brings a column with a value into the basis, and leaves the other values.
    fn put(&mut self, row: usize, image: &[f64], basic: Basic, share: f64) {
        let values = self.values.clone();
        self.pivots = 0;
        self.pivot(row, image, basic);
        self.values = values;
        self.values[row] = share;
    }

    /// The same with other polygons for cones, from the basis that there is.
    pub fn with(&self, polygon: Polygon) -> Self {
        let mut simplex = Simplex { polygon, ..self.clone() };
        simplex.complete();
        simplex
    }

    fn rows(&self) -> usize {
        self.program.rows
    }

    fn inverse_row(&self, row: usize) -> &[f64] {
        &self.inverse[row * self.rows()..][..self.rows()]
    }

    /// A column in terms of the basis.
    fn image(&self, column: &Column) -> Vec<f64> {
        let part = |row: usize| {
            let inverse = self.inverse_row(row);
            column.iter().map(|(r, x)| inverse[*r as usize] * x).sum::<f64>()
        };
        (0..self.rows()).map(part).collect()
    }

    /// How much a row counts as wrong for each unit of its value: what is missing in either
    /// direction, and what is negative.
    fn wrong(&self, row: usize) -> f64 {
        let (value, slack) = (self.values[row], ZERO * self.unit);
        match self.basis[row] {
            Basic::Missing if value > slack => 1.0,
            _ if value < -slack => -1.0,
            _ => 0.0,
        }
    }

    /// Phase one: the sum of what is wrong is made as small as it gets.
    fn complete(&mut self) {
        let (mut idle, mut ends) = (0, 0);
        for _ in 0..50 * (self.rows() + self.program.columns.len() + 4 * self.program.cones.len()) {
            let mut prices = vec![0.0; self.rows()];
            for row in 0..self.rows() {
                let wrong = self.wrong(row);
                if wrong != 0.0 {
                    let inverse = self.inverse_row(row);
                    prices.iter_mut().zip(inverse).for_each(|(p, x)| *p += wrong * x);
                }
            }
            let entering = self.entering(&prices);
            let Some((pick, image)) = entering else {
                // Without the rounding of all pivots there may be something wrong again.
                ends += 1;
                if ends > MOST_ENDS || !self.refresh() {
                    return;
                }
                continue;
            };
            let Some((row, step)) = self.leaving(&image) else { return };
            idle = self.idle(idle, step);
            let column = self.program.column(pick);
            self.pivot(row, &image, Basic::Real(pick, column));
        }
    }

    /// The column that gains most by these prices, with its image.
    fn entering(&self, prices: &[f64]) -> Option<(Pick, Vec<f64>)> {
        let dot = |c: &Column| c.iter().map(|(row, x)| prices[*row as usize] * x).sum::<f64>();
        let least = GAIN * prices.iter().fold(0.0_f64, |most, p| most.max(p.abs()));
        let mut best: Option<(Pick, f64)> = None;
        let columns = self.program.columns.iter().enumerate();
        let columns = columns.map(|(k, column)| (Pick::Column(k), dot(column)));
        let cones = self.program.cones.iter().enumerate().map(|(k, cone)| {
            let across = [dot(&cone.across[0]), dot(&cone.across[1])];
            let aim = if across == [0.0; 2] { [1.0, 0.0] } else { across };
            let direction = self.polygon.towards(aim);
            let [cos, sin] = direction.floats();
            let sideways = cone.opening * (cos * across[0] + sin * across[1]);
            (Pick::Ray(k, direction), dot(&cone.normal) + sideways)
        });
        for (pick, gain) in columns.chain(cones) {
            if gain > best.map_or(least, |(_, most)| most) {
                best = Some((pick, gain));
            }
        }
        best.map(|(pick, _)| (pick, self.image(&self.program.column(pick))))
    }

    /// The row whose value is used up first when a column enters, and the step.
    fn leaving(&self, image: &[f64]) -> Option<(usize, f64)> {
        let slack = ZERO * self.unit;
        let largest = image.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let trusted = (PIVOT * largest).max(ZERO);
        // How far until a row is used up, or right at last.
        let ratio = |row: usize| {
            let (x, value) = (image[row], self.values[row]);
            let is_wrong = value < -slack;
            match self.basis[row] {
                _ if x.abs() <= trusted => None,
                // Nothing is missing: it must stay so.
                Basic::Missing if value.abs() <= slack => Some(0.0),
                Basic::Missing => (value * x > 0.0).then_some(value / x),
                _ if is_wrong => (x < 0.0).then_some(value / x),
                _ => (x > 0.0).then_some(value.max(0.0) / x),
            }
        };
        let ratios: Vec<(usize, f64)> =
            (0..self.rows()).filter_map(|row| Some((row, ratio(row)?))).collect();
        let least = ratios.iter().map(|r| r.1).fold(f64::INFINITY, f64::min);
        let tied = ratios.into_iter().filter(|(_, ratio)| *ratio <= least + slack).map(|r| r.0);
        // What is missing leaves first, then the largest pivot.
        let row = tied.max_by(|&a, &b| {
            let missing = |row: usize| self.basis[row].is_missing();
            let size = |row: usize| image[row].abs();
            missing(a).cmp(&missing(b)).then(size(a).total_cmp(&size(b)))
        });
        row.map(|row| (row, least))
    }

    /// How long there has been no progress; values are moved aside where that is too long.
    fn idle(&mut self, idle: usize, step: f64) -> usize {
        if step > ZERO * self.unit {
            return 0;
        }
        if idle < PATIENCE {
            return idle + 1;
        }
        let (unit, random) = (self.unit, &mut Random::new(self.pivots as u64));
        for (value, basic) in self.values.iter_mut().zip(&self.basis) {
            if !basic.is_missing() && value.abs() <= ZERO * unit {
                *value += ASIDE * unit * random.between(0.5, 1.0);
            }
        }
        0
    }

    fn pivot(&mut self, row: usize, image: &[f64], basic: Basic) {
        let rows = self.rows();
        let scale = 1.0 / image[row];
        let line: Vec<f64> = self.inverse_row(row).iter().map(|x| x * scale).collect();
        let value = self.values[row] * scale;
        for other in (0..rows).filter(|r| *r != row && image[*r] != 0.0) {
            let target = &mut self.inverse[other * rows..(other + 1) * rows];
            target.iter_mut().zip(&line).for_each(|(x, y)| *x -= image[other] * y);
            self.values[other] -= image[other] * value;
        }
        self.inverse[row * rows..(row + 1) * rows].copy_from_slice(&line);
        self.values[row] = value;
        self.basis[row] = basic;
        self.pivots += 1;
        if self.pivots >= FRESH {
            self.refresh();
        }
    }

    /// Computes the inverse anew, if there were pivots since it was; columns that are found to
    /// depend on others leave. Whether anything was done.
    fn refresh(&mut self) -> bool {
        if self.pivots == 0 {
            return false;
        }
        let rows = self.rows();
        let basis = std::mem::replace(&mut self.basis, vec![Basic::Missing; rows]);
        (self.inverse, self.pivots) = (identity(rows), 0);
        // What is missing stays in its row.
        let taken: Vec<usize> = (0..rows).filter(|&row| !basis[row].is_missing()).collect();
        let mut columns: Vec<Basic> = basis.into_iter().filter(|b| !b.is_missing()).collect();
        // Short columns first: what they fill in is little.
        columns.sort_by_key(|basic| basic.column().map_or(0, Vec::len));
        self.values = vec![0.0; rows];
        for basic in columns {
            let Some(column) = basic.column() else { continue };
            let image = self.image(column);
            let free = taken.iter().copied().filter(|&row| self.basis[row].is_missing());
            let row = free.max_by(|&a, &b| image[a].abs().total_cmp(&image[b].abs()));
            if let Some(row) = row.filter(|&row| image[row].abs() > ZERO) {
                self.pivots = 0; // none of these counts
                self.pivot(row, &image, basic);
            }
        }
        self.pivots = 0;
        let right: Column = self.right.iter().enumerate().map(|(r, b)| (r as u32, *b)).collect();
        self.values = self.image(&right);
        true
    }

    /// The largest part of an entry of the right-hand side that is left over.
    pub fn left_over(&self) -> f64 {
        let missing = |row: usize| match self.basis[row] {
            Basic::Missing => self.values[row].abs(),
            _ => (-self.values[row]).max(0.0),
        };
        (0..self.rows()).map(missing).fold(0.0, f64::max)
    }

    /// The columns that the combination is made of: a start for the exact method.
    pub fn basis(&self) -> Vec<Pick> {
        let pick = |basic: &Basic| match basic {
            Basic::Real(pick, _) => Some(*pick),
            _ => None,
        };
        self.basis.iter().filter_map(pick).collect()
    }

    /// The combination, as far as there is one: columns and their shares.
    pub fn combination(&self) -> Vec<(Pick, f64)> {
        let share = |(basic, value): (&Basic, &f64)| match basic {
            Basic::Real(pick, _) => Some((*pick, *value)),
            _ => None,
        };
        self.basis.iter().zip(&self.values).filter_map(share).collect()
    }

    /// Farkas' certificate if something is left over: `y . b > 0` and `y . A_c <= 0`
    /// for every column.
    #[cfg(test)]
    pub fn certificate(&self) -> Vec<f64> {
        let price = |column: usize| {
            (0..self.rows()).map(|r| self.wrong(r) * self.inverse_row(r)[column]).sum::<f64>()
        };
        (0..self.rows()).map(price).collect()
    }

    /// The largest `s`, up to `most`, such that `b + s push` is still a non-negative combination,
    /// with round cones.
    pub fn farthest(&self, push: &[(u32, f64)], most: f64) -> f64 {
        self.push(push, most).0
    }

    /// As [`Simplex::farthest`], with the prices of the rows: by how much the
    /// answer grows with each entry of the right-hand side.
    pub fn push(&self, push: &[(u32, f64)], most: f64) -> (f64, Vec<f64>) {
        // The pushed side moves to the left: a new column with the opposite sign, as large as those of
        // the program, so that its value is one of the right-hand side's, whatever the units.
        let size = push.iter().fold(0.0_f64, |most, (_, x)| most.max(x.abs()));
        let size = if size > 0.0 { size } else { 1.0 };
        let column: Column = push.iter().map(|(row, x)| (*row, -x / size)).collect();
        let mut work = Simplex { polygon: Polygon::Round, ..self.clone() };
        let farthest = work.maximise(column, most * size);
        let held = work.held();
        let price = |row: usize| held.map_or(0.0, |at| work.inverse_row(at)[row] / size);
        ((farthest / size).min(most), (0..self.rows()).map(price).collect())
    }

    /// The row that solves for what is pushed.
    fn held(&self) -> Option<usize> {
        self.basis.iter().position(|basic| matches!(basic, Basic::Pushed(_)))
    }

    /// Phase two: the value of one more column is made as large as it gets, or as asked for.
    fn maximise(&mut self, pushed: Column, most: f64) -> f64 {
        let mut idle = 0;
        for _ in 0..50 * (self.rows() + self.program.columns.len() + 4 * self.program.cones.len()) {
            let held = self.held();
            if held.is_some_and(|row| self.values[row] >= most) {
                return most;
            }
            let (basic, image) = match held {
                None => (Basic::Pushed(pushed.clone()), self.image(&pushed)),
                Some(row) => {
                    let prices: Vec<f64> = self.inverse_row(row).iter().map(|x| -x).collect();
                    match self.entering(&prices) {
                        Some((pick, image)) => {
                            (Basic::Real(pick, self.program.column(pick)), image)
                        }
                        None => break,
                    }
                }
            };
            let Some((row, step)) = self.leaving(&image) else {
                return most;
            };
            if Some(row) == held {
                break;
            }
            idle = self.idle(idle, step);
            self.pivot(row, &image, basic);
        }
        self.refresh();
        self.held().map_or(0.0, |row| self.values[row].clamp(0.0, most))
    }
}

fn identity(rows: usize) -> Vec<f64> {
    let mut matrix = vec![0.0; rows * rows];
    (0..rows).for_each(|row| matrix[row * rows + row] = 1.0);
    matrix
}

#[cfg(test)]
mod tests {
    use super::super::Cone;
    use super::*;

    fn simplex(columns: &[&[f64]], right: &[f64]) -> Simplex {
        let sparse =
            |column: &&[f64]| column.iter().enumerate().map(|(r, x)| (r as u32, *x)).collect();
        let columns = columns.iter().map(sparse).collect();
        let program = Program { rows: right.len(), columns, ..Default::default() };
        Simplex::new(Arc::new(program), right.to_vec(), Polygon::Round, &[])
    }

    #[test]
    fn a_combination_or_a_certificate() {
        let quadrant: &[&[f64]] = &[&[1.0, 0.0], &[1.0, 1.0]];
        let inside = simplex(quadrant, &[3.0, 1.0]);
        assert_eq!(inside.left_over(), 0.0);
        let mut shares = inside.combination();
        shares.sort_by(|a, b| a.1.total_cmp(&b.1));
        assert_eq!(shares, [(Pick::Column(1), 1.0), (Pick::Column(0), 2.0)]);
        let outside = simplex(quadrant, &[1.0, 2.0]);
        assert!(outside.left_over() > 0.1);
        let y = outside.certificate();
        assert!(y[0] + 2.0 * y[1] > 0.0 && y[0] <= 0.0 && y[0] + y[1] <= 0.0, "{y:?}");
    }

    #[test]
    fn as_far_as_the_cone_goes() {
        let start = simplex(&[&[1.0, 0.0], &[1.0, 1.0]], &[3.0, 1.0]);
        assert!((start.farthest(&[(1, 1.0)], 9.0) - 2.0).abs() < 1e-12);
        assert!((start.farthest(&[(1, -0.5)], 9.0) - 2.0).abs() < 1e-12);
        assert!((start.farthest(&[(0, -1.0), (1, -1.0)], 9.0) - 1.0).abs() < 1e-12);
        assert_eq!(start.farthest(&[(0, 1.0)], f64::INFINITY), f64::INFINITY);
        assert_eq!(start.farthest(&[(1, 1.0)], 1.5), 1.5);
    }

    /// Pushed sideways in any direction, a round cone ends where its circle is.
    #[test]
    fn round_cones_end_at_their_circle() {
        let unit = |k: u32| vec![(k, 1.0)];
        let cone = Cone { normal: unit(2), across: [unit(0), unit(1)], opening: 0.5 };
        let program = Arc::new(Program { rows: 3, cones: vec![cone], ..Default::default() });
        for polygon in [Polygon::Inner, Polygon::Outer, Polygon::Round] {
            let upright = Simplex::new(program.clone(), vec![0.0, 0.0, 1.0], polygon, &[]);
            assert!(upright.left_over() < 1e-12);
            for k in 0..32 {
                let (sin, cos) = (0.2 * f64::from(k)).sin_cos();
                let reach = upright.farthest(&[(0, cos), (1, sin)], 9.0);
                assert!((reach - 0.5).abs() < 1e-9, "{k}: {reach}");
            }
        }
    }

    /// What is found is checked; that one of the two is found is Farkas' lemma.
    #[test]
    fn random_cones() {
        let (mut yes, mut no) = (0, 0);
        for seed in 0..200 {
            let random = &mut Random::new(seed);
            let rows = 2 + (seed % 7) as usize;
            let dense: Vec<Vec<f64>> = (0..rows + 6)
                .map(|_| (0..rows).map(|_| (random.between(-2.5, 2.5)).round()).collect())
                .collect();
            let right: Vec<f64> = (0..rows).map(|_| random.between(-1.0, 1.0)).collect();
            let slices: Vec<&[f64]> = dense.iter().map(Vec::as_slice).collect();
            let found = simplex(&slices, &right);
            if found.left_over() < 1e-9 {
                yes += 1;
                for row in 0..rows {
                    let part = |(pick, share): (Pick, f64)| match pick {
                        Pick::Column(k) => share * dense[k][row],
                        Pick::Ray(..) => panic!("there are no cones"),
                    };
                    let sum: f64 = found.combination().into_iter().map(part).sum();
                    assert!((sum - right[row]).abs() < 1e-9, "seed {seed}");
                }
            } else {
                no += 1;
                let y = found.certificate();
                let dot = |c: &[f64]| c.iter().zip(&y).map(|(c, y)| c * y).sum::<f64>();
                assert!(dot(&right) > 1e-9, "seed {seed}");
                assert!(dense.iter().all(|c| dot(c) < 1e-8), "seed {seed}");
            }
        }
        assert!(yes > 20 && no > 20, "{yes} {no}");
    }
}
