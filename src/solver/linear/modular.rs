//! Systems of linear equations in whole numbers of any size, after Dixon (1982): the inverse of
//! the matrix modulo a prime gives the solution digit by digit, and fractions are recognised in
//! it. What is found is checked, so that nothing depends on how many digits were enough.

use num_bigint::{BigInt, Sign};

use super::fraction::gcd;

/// A prime, 2^31 - 1: remainders of products are two additions.
const PRIME: u64 = (1 << 31) - 1;

/// More digits than this are not waited for.
const MOST_DIGITS: usize = 1 << 11;

/// Entries of matrices are smaller than two to this power: sums of their products with digits
/// then fit into numbers of 128 bits.
pub(super) const BITS: u64 = 88;

/// The entries of a column that are not zero, by their rows.
pub(super) type Whole = Vec<(u32, i128)>;

/// Fractions with one denominator, which is positive.
pub(super) struct Fractions {
    pub numerators: Vec<BigInt>,
    pub denominator: BigInt,
}

/// A square matrix by its columns, and its inverse modulo the prime. Columns are put in one by
/// one; those that are not there yet are unit vectors.
pub(super) struct Matrix {
    size: usize,
    columns: Vec<Whole>,
    inverse: Vec<u32>,
}

/// Which system: `A x = b`, or `y A = c`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Right,
    Left,
}

impl Matrix {
    /// The unit matrix.
    pub fn unit(size: usize) -> Self {
        let mut inverse = vec![0; size * size];
        (0..size).for_each(|k| inverse[k * size + k] = 1);
        Matrix { size, columns: (0..size as u32).map(|k| vec![(k, 1)]).collect(), inverse }
    }

    /// A column in terms of those of the matrix, modulo the prime.
    pub fn image(&self, column: &Whole) -> Vec<u32> {
        let column: Vec<(usize, u64)> =
            column.iter().map(|(row, x)| (*row as usize, remainder(*x))).collect();
        let part = |line: &[u32]| {
            let sum = column.iter().fold(0, |sum, (row, x)| folded(sum + line[*row] as u64 * x));
            (sum % PRIME) as u32
        };
        self.inverse.chunks_exact(self.size.max(1)).map(part).collect()
    }

    /// Puts a column with this image in the place of another one; its image there is not zero.
    pub fn replace(&mut self, place: usize, column: Whole, image: &[u32]) {
        let size = self.size;
        let scale = inverse(image[place] as u64);
        let line: Vec<(usize, u64)> = self.inverse[place * size..(place + 1) * size]
            .iter()
            .enumerate()
            .filter(|(_, x)| **x != 0)
            .map(|(k, x)| (k, *x as u64 * scale % PRIME))
            .collect();
        for (other, x) in image.iter().enumerate().filter(|(other, x)| **x != 0 && *other != place)
        {
            let factor = PRIME - *x as u64;
            let target = &mut self.inverse[other * size..(other + 1) * size];
            for (k, y) in &line {
                target[*k] = ((target[*k] as u64 + factor * y) % PRIME) as u32;
            }
        }
        self.inverse[place * size..(place + 1) * size].fill(0);
        line.iter().for_each(|(k, x)| self.inverse[place * size + k] = *x as u32);
        self.columns[place] = column;
    }

    /// `x` with `A x = b`; none if too many digits would be needed.
    pub fn solve(&self, right: &[BigInt]) -> Option<Fractions> {
        self.lift(Side::Right, right)
    }

    /// `y` with `y A = c`.
    pub fn solve_left(&self, costs: &[BigInt]) -> Option<Fractions> {
        self.lift(Side::Left, costs)
    }

    fn lift(&self, side: Side, right: &[BigInt]) -> Option<Fractions> {
        let mut residual = right.to_vec();
        let mut digits: Vec<Vec<u32>> = Vec::new();
        let mut enough = 4;
        while digits.len() < MOST_DIGITS {
            let next = self.digit(side, &residual);
            for (rest, taken) in residual.iter_mut().zip(self.times(side, &next)) {
                *rest = (&*rest - BigInt::from(taken)) / BigInt::from(PRIME);
            }
            digits.push(next);
            if digits.len() >= enough {
                let found = recognised(&digits).filter(|found| self.is_solved(side, found, right));
                if found.is_some() {
                    return found;
                }
                enough += enough / 2;
            }
        }
        None
    }

    /// The next digit of every unknown.
    fn digit(&self, side: Side, residual: &[BigInt]) -> Vec<u32> {
        let rest: Vec<u64> = residual.iter().map(big_remainder).collect();
        let mut sums = vec![0_u64; self.size];
        for (k, line) in self.inverse.chunks_exact(self.size.max(1)).enumerate() {
            match side {
                Side::Right => {
                    let products = line.iter().zip(&rest);
                    sums[k] = products.fold(0, |sum, (a, b)| folded(sum + *a as u64 * b));
                }
                Side::Left if rest[k] != 0 => {
                    let targets = sums.iter_mut().zip(line);
                    targets.for_each(|(sum, a)| *sum = folded(*sum + *a as u64 * rest[k]));
                }
                Side::Left => {}
            }
        }
        sums.into_iter().map(|sum| (sum % PRIME) as u32).collect()
    }

    /// The matrix, or its transpose, times a digit of every unknown.
    fn times(&self, side: Side, digit: &[u32]) -> Vec<i128> {
        let mut out = vec![0; self.size];
        for (k, column) in self.columns.iter().enumerate() {
            match side {
                Side::Right => {
                    column.iter().for_each(|(row, x)| out[*row as usize] += x * digit[k] as i128);
                }
                Side::Left => {
                    out[k] = column.iter().map(|(row, x)| x * digit[*row as usize] as i128).sum();
                }
            }
        }
        out
    }

    fn is_solved(&self, side: Side, found: &Fractions, right: &[BigInt]) -> bool {
        let x = &found.numerators;
        let mut left = vec![BigInt::ZERO; self.size];
        for (k, column) in self.columns.iter().enumerate() {
            for (row, entry) in column {
                let (to, from) = match side {
                    Side::Right => (*row as usize, k),
                    Side::Left => (k, *row as usize),
                };
                if x[from].sign() != Sign::NoSign {
                    left[to] += &x[from] * BigInt::from(*entry);
                }
            }
        }
        left.iter().zip(right).all(|(left, right)| *left == right * &found.denominator)
    }
}

/// A smaller number with the same remainder: below 2^34 for any of 64 bits.
fn folded(x: u64) -> u64 {
    (x & PRIME) + (x >> 31)
}

fn remainder(x: i128) -> u64 {
    x.rem_euclid(PRIME as i128) as u64
}

fn big_remainder(x: &BigInt) -> u64 {
    let rest = x % BigInt::from(PRIME);
    let digit = rest.iter_u64_digits().next().unwrap_or(0);
    if rest.sign() == Sign::Minus { PRIME - digit } else { digit }
}

/// `1 / x` modulo the prime, by Fermat's theorem.
fn inverse(x: u64) -> u64 {
    let (mut power, mut result, mut exponent) = (x, 1, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * power % PRIME;
        }
        power = power * power % PRIME;
        exponent >>= 1;
    }
    result
}

/// Fractions with one denominator whose digits these are, if there are small ones.
fn recognised(digits: &[Vec<u32>]) -> Option<Fractions> {
    let prime = BigInt::from(PRIME);
    let modulus = prime.pow(digits.len() as u32);
    // |numerator| and denominator up to here make a fraction unique.
    let most = (&modulus >> 1_u32).sqrt();
    let count = digits[0].len();
    let (mut numerators, mut denominator) = (Vec::with_capacity(count), BigInt::from(1));
    for k in 0..count {
        let mut number = BigInt::ZERO;
        for digit in digits.iter().rev() {
            number = number * &prime + digit[k];
        }
        let number = number * &denominator % &modulus;
        let (numerator, divisor) = fraction(number, &modulus, &most)?;
        if divisor != BigInt::from(1) {
            numerators.iter_mut().for_each(|n: &mut BigInt| *n *= &divisor);
            denominator *= &divisor;
            if denominator > most {
                return None;
            }
        }
        numerators.push(numerator);
    }
    let common = numerators.iter().fold(denominator.clone(), |common, n| match common.bits() {
        1 => common,
        _ => gcd(common, n.clone()),
    });
    if common.bits() > 1 {
        numerators.iter_mut().for_each(|n| *n /= &common);
        denominator /= &common;
    }
    Some(Fractions { numerators, denominator })
}

/// The fraction with this remainder, by Euclid's algorithm stopped half-way (Wang 1981).
fn fraction(number: BigInt, modulus: &BigInt, most: &BigInt) -> Option<(BigInt, BigInt)> {
    if number <= *most {
        return Some((number, 1.into()));
    }
    if modulus - &number <= *most {
        return Some((number - modulus, 1.into()));
    }
    let (mut a, mut b) = (modulus.clone(), number);
    let (mut s, mut t) = (BigInt::ZERO, BigInt::from(1));
    while b > *most {
        let quotient = &a / &b;
        let (next, part) = (&a - &quotient * &b, &s - &quotient * &t);
        (a, b, s, t) = (b, next, t, part);
    }
    if t.sign() == Sign::Minus {
        (b, t) = (-b, -t);
    }
    (t <= *most).then_some((b, t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// Random systems, both sides, with the answers of Cramer's rule in small cases: what is found
    /// is checked by the method itself, that it is found is the test.
    #[test]
    fn random_systems_are_solved() {
        for seed in 0..60 {
            let random = &mut Random::new(seed);
            let size = 1 + (seed % 12) as usize;
            let mut matrix = Matrix::unit(size);
            let mut taken = vec![false; size];
            for _ in 0..size {
                let entry = |row: u32| (row, random.between(-9.5, 9.5).round() as i128);
                let column: Whole = (0..size as u32).map(entry).filter(|e| e.1 != 0).collect();
                let image = matrix.image(&column);
                let free = (0..size).find(|k| !taken[*k] && image[*k] != 0);
                if let Some(place) = free {
                    taken[place] = true;
                    matrix.replace(place, column, &image);
                }
            }
            let right: Vec<BigInt> = (0..size)
                .map(|_| BigInt::from(random.between(-99.0, 99.0).round() as i64))
                .collect();
            assert!(matrix.solve(&right).is_some(), "seed {seed}");
            assert!(matrix.solve_left(&right).is_some(), "seed {seed}");
        }
    }

    #[test]
    fn a_system_of_two() {
        let mut matrix = Matrix::unit(2);
        for (place, column) in [vec![(0, 3), (1, 1)], vec![(0, 1), (1, -4)]].into_iter().enumerate()
        {
            let image = matrix.image(&column);
            matrix.replace(place, column, &image);
        }
        // 3 x + y = 1, x - 4 y = 0
        let found = matrix.solve(&[1.into(), 0.into()]).unwrap();
        assert_eq!(found.numerators, [BigInt::from(4), 1.into()]);
        assert_eq!(found.denominator, 13.into());
        // 3 x + y = 0, x - 4 y = 1, from the left
        let found = matrix.solve_left(&[0.into(), 1.into()]).unwrap();
        assert_eq!(found.numerators, [BigInt::from(1), (-3).into()]);
    }
}
