//! The same question in whole numbers of any size, so that "exactly balanced"
//! is an answer: a simplex method whose rows are kept as coprime integers. A
//! basis found in floating point is taken over first; Bland's rule does the rest.

use num_bigint::{BigInt, Sign};

/// Numerator and denominator; the denominator is positive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fraction {
    pub numerator: BigInt,
    pub denominator: BigInt,
}

/// What exact arithmetic says.
#[derive(Clone, Debug, PartialEq)]
pub enum Exact {
    /// The combination exists: one value per column.
    Combination(Vec<Fraction>),
    /// It does not: `y . b > 0` and `y . A_c <= 0` for every column.
    Certificate(Vec<Fraction>),
}

impl Fraction {
    pub fn new(numerator: BigInt, denominator: BigInt) -> Self {
        let mut fraction = match denominator.sign() {
            Sign::Minus => Fraction { numerator: -numerator, denominator: -denominator },
            _ => Fraction { numerator, denominator },
        };
        let common = gcd(fraction.numerator.clone(), fraction.denominator.clone());
        if common > BigInt::from(1) {
            fraction.numerator /= &common;
            fraction.denominator /= &common;
        }
        fraction
    }

    pub fn whole(value: i64) -> Self {
        Fraction { numerator: value.into(), denominator: 1.into() }
    }

    /// The simplest fraction that rounds to this number: 0.4 is read as 2/5 and
    /// 0.3333333333333333 as 1/3, as their writers mean them.
    pub fn simplest(value: f64) -> Self {
        // A sum of a few rounded terms is still read as what it means.
        Fraction::simplest_within(value, value.abs() * 4.0 * f64::EPSILON)
    }

    /// The simplest fraction within `slack` of a number.
    pub fn simplest_within(value: f64, slack: f64) -> Self {
        if value < 0.0 {
            let positive = Fraction::simplest_within(-value, slack);
            return Fraction { numerator: -positive.numerator, ..positive };
        }
        if !value.is_finite() || value <= slack {
            return Fraction::whole(0);
        }
        let (low, high) = (exactly(value - slack), exactly(value + slack));
        simplest_between(&low, &high)
    }

    pub fn times(&self, other: &Fraction) -> Fraction {
        Fraction::new(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }

    pub fn over(&self, other: &Fraction) -> Fraction {
        Fraction::new(&self.numerator * &other.denominator, &self.denominator * &other.numerator)
    }

    pub fn plus(&self, other: &Fraction) -> Fraction {
        Fraction::new(
            &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            &self.denominator * &other.denominator,
        )
    }

    pub fn minus(&self, other: &Fraction) -> Fraction {
        self.plus(&Fraction {
            numerator: -&other.numerator,
            denominator: other.denominator.clone(),
        })
    }

    pub fn is_zero(&self) -> bool {
        self.numerator.sign() == Sign::NoSign
    }
}

impl std::fmt::Display for Fraction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.denominator == BigInt::from(1) {
            true => write!(f, "{}", self.numerator),
            false => write!(f, "{}/{}", self.numerator, self.denominator),
        }
    }
}

fn gcd(mut a: BigInt, mut b: BigInt) -> BigInt {
    while b.sign() != Sign::NoSign {
        (a, b) = (b.clone(), a % b);
    }
    if a.sign() == Sign::Minus { -a } else { a }
}

/// A positive finite number as the fraction that its bits say.
fn exactly(value: f64) -> Fraction {
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i64;
    let fraction = bits & ((1 << 52) - 1);
    let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    let power = exponent.max(1) - 1075;
    let (one, mantissa) = (BigInt::from(1), BigInt::from(mantissa));
    match power < 0 {
        true => Fraction::new(mantissa, one << (-power) as u64),
        false => Fraction::new(mantissa << power as u64, one),
    }
}

/// The fraction with the least denominator between two positive ones, by
/// continued fractions.
fn simplest_between(low: &Fraction, high: &Fraction) -> Fraction {
    let whole = &low.numerator / &low.denominator;
    if &whole * &low.denominator == low.numerator {
        return Fraction { numerator: whole, denominator: 1.into() };
    }
    if &high.numerator / &high.denominator > whole {
        return Fraction { numerator: whole + 1, denominator: 1.into() };
    }
    let rest = |x: &Fraction| {
        // 1 / (x - whole), the ends changing places.
        Fraction::new(x.denominator.clone(), &x.numerator - &whole * &x.denominator)
    };
    let inner = simplest_between(&rest(high), &rest(low));
    Fraction::new(&whole * &inner.numerator + &inner.denominator, inner.numerator)
}

/// A non-negative combination of sparse columns that gives `right`, exactly;
/// `guess` names columns that floating point found in the combination.
pub fn solve(
    rows: usize,
    columns: &[Vec<(u32, Fraction)>],
    right: &[Fraction],
    guess: &[usize],
) -> Exact {
    let mut simplex = Simplex::new(rows, columns, right);
    simplex.take_over(guess);
    simplex.remove_artificials();
    simplex.answer()
}

/// Rows of integers; each row stands for itself divided by its basic entry,
/// which is kept positive.
struct Simplex {
    /// Real columns; artificial ones and the right-hand side follow.
    columns: usize,
    rows: Vec<Vec<BigInt>>,
    basis: Vec<usize>,
    /// What each original row was multiplied by to become integers.
    scales: Vec<Fraction>,
}

impl Simplex {
    fn new(count: usize, columns: &[Vec<(u32, Fraction)>], right: &[Fraction]) -> Self {
        let mut dense = vec![vec![Fraction::whole(0); columns.len() + 1]; count];
        for (column, entries) in columns.iter().enumerate() {
            for (row, value) in entries {
                let at = &mut dense[*row as usize][column];
                *at = at.plus(value);
            }
        }
        let (mut rows, mut scales) = (Vec::new(), Vec::new());
        for (index, mut line) in dense.into_iter().enumerate() {
            line[columns.len()] = right[index].clone();
            let mut common = BigInt::from(1);
            for x in &line {
                common = &common / gcd(common.clone(), x.denominator.clone()) * &x.denominator;
            }
            let negative = right[index].numerator.sign() == Sign::Minus;
            let scale = if negative { -common } else { common };
            let whole = |x: &Fraction| &x.numerator * &scale / &x.denominator;
            let mut row: Vec<BigInt> = line[..columns.len()].iter().map(whole).collect();
            row.extend((0..count).map(|k| BigInt::from(i64::from(k == index))));
            row.push(whole(&line[columns.len()]));
            rows.push(row);
            scales.push(Fraction { numerator: scale, denominator: 1.into() });
        }
        let basis = (columns.len()..columns.len() + count).collect();
        Simplex { columns: columns.len(), rows, basis, scales }
    }

    fn right(&self, row: usize) -> &BigInt {
        self.rows[row].last().expect("a row has a right-hand side")
    }

    /// Brings guessed columns into the basis where that keeps every value non-negative.
    fn take_over(&mut self, guess: &[usize]) {
        for &column in guess {
            if !self.basis.contains(&column)
                && let Some(row) = self.leaving(column)
            {
                self.pivot(row, column);
            }
        }
    }

    /// Bland's rule on the sum of the artificial values.
    fn remove_artificials(&mut self) {
        loop {
            let entering =
                (0..self.columns).find(|&column| self.price(column).sign() == Sign::Plus);
            let Some(entering) = entering else { return };
            let Some(row) = self.leaving(entering) else { return };
            self.pivot(row, entering);
        }
    }

    /// The sum over artificial rows of their (true) entries in a column.
    fn price(&self, column: usize) -> BigInt {
        self.sum_of_artificials(column).numerator
    }

    fn sum_of_artificials(&self, column: usize) -> Fraction {
        let mut sum = Fraction::whole(0);
        for (row, &basic) in self.basis.iter().enumerate().filter(|(_, b)| **b >= self.columns) {
            if self.rows[row][column].sign() != Sign::NoSign {
                let entry =
                    Fraction::new(self.rows[row][column].clone(), self.rows[row][basic].clone());
                sum = sum.plus(&entry);
            }
        }
        sum
    }

    /// The row with the least ratio of value to entry; of equal ones the one
    /// with an artificial or else the smallest basic column.
    fn leaving(&self, entering: usize) -> Option<usize> {
        let usable = (0..self.rows.len()).filter(|&r| self.rows[r][entering].sign() == Sign::Plus);
        let order = |&a: &usize, &b: &usize| {
            let (left, right) =
                (self.right(a) * &self.rows[b][entering], self.right(b) * &self.rows[a][entering]);
            let rank = |row: usize| {
                let basic = self.basis[row];
                (basic < self.columns, basic)
            };
            left.cmp(&right).then(rank(a).cmp(&rank(b)))
        };
        usable.min_by(order)
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let line = self.rows[row].clone();
        let pivot = &line[column];
        for (index, other) in self.rows.iter_mut().enumerate() {
            let factor = other[column].clone();
            if index == row || factor.sign() == Sign::NoSign {
                continue;
            }
            let common = gcd(pivot.clone(), factor.clone());
            let (keep, take) = (pivot / &common, factor / &common);
            for (x, y) in other.iter_mut().zip(&line) {
                if y.sign() == Sign::NoSign {
                    if x.sign() != Sign::NoSign {
                        *x *= &keep;
                    }
                } else {
                    *x = &*x * &keep - &take * y;
                }
            }
            reduce(other);
        }
        self.basis[row] = column;
    }

    fn answer(&self) -> Exact {
        let artificial = |row: &usize| self.basis[*row] >= self.columns;
        let left_over =
            (0..self.rows.len()).filter(artificial).any(|r| self.right(r).sign() == Sign::Plus);
        if left_over {
            let y = (0..self.rows.len())
                .map(|row| self.sum_of_artificials(self.columns + row).times(&self.scales[row]));
            return Exact::Certificate(y.collect());
        }
        let mut values = vec![Fraction::whole(0); self.columns];
        for (row, &column) in self.basis.iter().enumerate().filter(|(_, c)| **c < self.columns) {
            values[column] = Fraction::new(self.right(row).clone(), self.rows[row][column].clone());
        }
        Exact::Combination(values)
    }
}

/// Divides a row by what all its entries have in common.
fn reduce(row: &mut [BigInt]) {
    let mut common = BigInt::ZERO;
    let one = BigInt::from(1);
    for x in row.iter().filter(|x| x.sign() != Sign::NoSign) {
        common = gcd(common, x.clone());
        if common == one {
            return;
        }
    }
    if common.sign() != Sign::NoSign {
        row.iter_mut().for_each(|x| *x /= &common);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(dense: &[&[i64]]) -> Vec<Vec<(u32, Fraction)>> {
        let sparse = |column: &&[i64]| {
            let entries = column.iter().enumerate().filter(|(_, x)| **x != 0);
            entries.map(|(r, x)| (r as u32, Fraction::whole(*x))).collect()
        };
        dense.iter().map(sparse).collect()
    }

    fn thirds(values: &[i64]) -> Vec<Fraction> {
        values.iter().map(|&v| Fraction::new(v.into(), 3.into())).collect()
    }

    #[test]
    fn the_edge_of_a_cone_is_inside_and_a_hair_beyond_is_not() {
        let cone = columns(&[&[1, 0], &[3, 1]]);
        let Exact::Combination(f) = solve(2, &cone, &thirds(&[3, 1]), &[]) else { panic!() };
        assert_eq!(f, [Fraction::whole(0), Fraction::new(1.into(), 3.into())]);
        let beyond = Fraction::new(333_333_333_334_i64.into(), 1_000_000_000_000_i64.into());
        let right = [Fraction::whole(1), beyond];
        let Exact::Certificate(y) = solve(2, &cone, &right, &[0, 1]) else { panic!() };
        let dot = |a: &Fraction, b: &Fraction| y[0].times(a).plus(&y[1].times(b)).numerator.sign();
        assert_eq!(dot(&right[0], &right[1]), Sign::Plus);
        assert_eq!(dot(&Fraction::whole(3), &Fraction::whole(1)), Sign::NoSign);
        assert_ne!(dot(&Fraction::whole(1), &Fraction::whole(0)), Sign::Plus);
    }

    #[test]
    fn a_wrong_guess_does_no_harm() {
        let cone = columns(&[&[1, 0], &[0, 1], &[-1, -1], &[2, 1]]);
        for guess in [&[][..], &[2], &[3, 2], &[0, 1, 2, 3]] {
            let answer = solve(2, &cone, &thirds(&[-1, 2]), guess);
            let Exact::Combination(f) = answer else { panic!("{guess:?}") };
            let sum = |k: [i64; 4]| {
                let terms = f.iter().zip(k).map(|(f, k)| f.times(&Fraction::whole(k)));
                terms.fold(Fraction::whole(0), |a, b| a.plus(&b))
            };
            assert_eq!(
                [sum([1, 0, -1, 2]), sum([0, 1, -1, 1])],
                [thirds(&[-1])[0].clone(), thirds(&[2])[0].clone()]
            );
        }
    }

    #[test]
    fn decimals_and_sums_are_read_as_they_are_meant() {
        let read = |x: f64| Fraction::simplest(x).to_string();
        assert_eq!(read(0.1 + 0.2), "3/10");
        assert_eq!(read(1.0 / 3.0 + 0.25), "7/12");
        assert_eq!(read(1e-3), "1/1000");
        assert_eq!(read(7381.0 / 5040.0), "7381/5040");
        assert_eq!(read(0.0), "0");
    }
}
