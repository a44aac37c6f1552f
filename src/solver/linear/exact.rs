//! The same question in whole numbers of any size, so that "exactly balanced" is an answer. A
//! basis found in floating point is solved exactly: if its values are not negative, they are the
//! combination; if its prices gain from no column, they are the certificate. Where it is neither,
//! rounding has chosen wrongly, and a few exact pivots repair it.
//!
//! Cones have polygons of fractions: what is a combination of directions inside them is one of the
//! cone, and a certificate is held against the round cone itself, `opening^2 |y_t|^2 <= y_n^2`.

use num_bigint::{BigInt, Sign};

use super::fraction::{Fraction, gcd};
use super::modular::{BITS, Fractions, Matrix, Whole};
use super::{Direction, Pick, Polygon};

/// The entries of a column that are not zero, by their rows.
pub type Column = Vec<(u32, Fraction)>;

/// What combinations are made of, as in [`super::Program`], and what they shall give.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    pub columns: Vec<Column>,
    pub cones: Vec<Cone>,
    pub right: Vec<Fraction>,
}

/// As [`super::Cone`].
#[derive(Clone, Debug, PartialEq)]
pub struct Cone {
    pub normal: Column,
    pub across: [Column; 2],
    pub opening: Fraction,
}

/// What exact arithmetic says.
#[derive(Clone, Debug, PartialEq)]
pub enum Exact {
    /// The combination exists: these columns with these shares.
    Combination(Vec<(Pick, Fraction)>),
    /// It does not: `y . b > 0` and `y . A_c <= 0` for every column, those of round cones included.
    Certificate(Vec<Fraction>),
    /// The polygons inside the cones have none, those around them have.
    Open,
}

/// Repairs take longer than anyone waits after so many pivots.
const MOST_PIVOTS: usize = 60;

/// Decides with polygons inside or around the cones, from the columns that floating point found
/// in the combination; none if the numbers are too long or the guess too bad.
pub fn decide(program: &Program, guess: &[Pick], polygon: Polygon) -> Option<Exact> {
    let mut search = Search::new(program, polygon)?;
    search.start(guess)?;
    for _ in 0..MOST_PIVOTS {
        let values = search.matrix.solve(&search.right)?;
        let wrong = search.wrong(&values);
        if wrong.iter().all(|cost| *cost == 0) {
            return Some(search.combination(&values));
        }
        let costs: Vec<BigInt> = wrong.iter().map(|cost| BigInt::from(*cost)).collect();
        let prices = search.matrix.solve_left(&costs)?;
        match search.entering(&prices) {
            Some(pick) => search.pivot(pick, &values, &wrong)?,
            None => return Some(search.certificate(prices)),
        }
    }
    None
}

/// A column in whole numbers: the true one times a scale.
#[derive(Clone, Debug)]
struct Scaled {
    column: Whole,
    scale: Fraction,
}

/// The three columns of a cone in whole numbers, all times one scale, and its opening.
struct WholeCone {
    normal: Whole,
    across: [Whole; 2],
    scale: BigInt,
    /// Numerator and denominator.
    opening: [i128; 2],
}

struct Search {
    polygon: Polygon,
    columns: Vec<Scaled>,
    cones: Vec<WholeCone>,
    /// The right-hand side times a scale.
    right: Vec<BigInt>,
    right_scale: BigInt,
    /// Per place, what it solves for and its scale; none is what is missing in a row.
    basis: Vec<Option<(Pick, Fraction)>>,
    matrix: Matrix,
}

impl Search {
    fn new(program: &Program, polygon: Polygon) -> Option<Self> {
        let columns = program.columns.iter().map(|c| {
            scaled(&[c]).map(|(mut all, scale)| Scaled {
                column: all.remove(0),
                scale: Fraction::new(scale, 1.into()),
            })
        });
        let cone = |cone: &Cone| {
            let (mut all, scale) = scaled(&[&cone.normal, &cone.across[0], &cone.across[1]])?;
            let (two, one) = (all.pop()?, all.pop()?);
            let opening = [small(&cone.opening.numerator)?, small(&cone.opening.denominator)?];
            Some(WholeCone { normal: all.pop()?, across: [one, two], scale, opening })
        };
        let right: Column =
            program.right.iter().enumerate().map(|(k, b)| (k as u32, b.clone())).collect();
        let right_scale = common_denominator(&[&right]);
        let whole = |b: &Fraction| &b.numerator * &right_scale / &b.denominator;
        Some(Search {
            polygon,
            columns: columns.collect::<Option<_>>()?,
            cones: program.cones.iter().map(cone).collect::<Option<_>>()?,
            right: program.right.iter().map(whole).collect(),
            right_scale,
            basis: vec![None; program.right.len()],
            matrix: Matrix::unit(program.right.len()),
        })
    }

    /// Brings the guessed columns into the basis as far as they do not depend on each other.
    fn start(&mut self, guess: &[Pick]) -> Option<()> {
        for pick in guess {
            let Scaled { column, scale } = self.column(*pick)?;
            let image = self.matrix.image(&column);
            let place = (0..image.len()).find(|&k| self.basis[k].is_none() && image[k] != 0);
            if let Some(place) = place {
                self.matrix.replace(place, column, &image);
                self.basis[place] = Some((*pick, scale));
            }
        }
        Some(())
    }

    fn column(&self, pick: Pick) -> Option<Scaled> {
        let (cone, direction) = match pick {
            Pick::Column(index) => return Some(self.columns[index].clone()),
            Pick::Ray(index, direction) => (&self.cones[index], direction),
        };
        let ([x, y], common) = direction.whole()?;
        let [numerator, denominator] = cone.opening;
        let mut column: Whole = Vec::new();
        let shares = [denominator * common as i128, numerator * x as i128, numerator * y as i128];
        for (part, share) in
            [&cone.normal, &cone.across[0], &cone.across[1]].into_iter().zip(shares)
        {
            for (row, entry) in part.iter().filter(|_| share != 0) {
                let product = entry.checked_mul(share)?;
                match column.iter_mut().find(|(other, _)| other == row) {
                    Some((_, sum)) => *sum = sum.checked_add(product)?,
                    None => column.push((*row, product)),
                }
            }
        }
        column.retain(|(_, x)| *x != 0);
        let divisor = column.iter().fold(0, |common, (_, x)| whole_gcd(common, *x)).max(1);
        column.iter_mut().for_each(|(_, x)| *x /= divisor);
        let fits = column.iter().all(|(_, x)| x.unsigned_abs() >> BITS == 0);
        let scale = Fraction::new(&cone.scale * shares[0], divisor.into());
        fits.then_some(Scaled { column, scale })
    }

    /// Per place, how it counts as wrong for each unit: what is missing in either direction, and
    /// what is negative.
    fn wrong(&self, values: &Fractions) -> Vec<i32> {
        let wrong = |(basic, value): (&Option<(Pick, Fraction)>, &BigInt)| match value.sign() {
            Sign::Minus => -1,
            Sign::Plus if basic.is_none() => 1,
            _ => 0,
        };
        self.basis.iter().zip(&values.numerators).map(wrong).collect()
    }

    /// A column that makes what is wrong less: of those offered, the one of the largest number.
    fn entering(&self, prices: &Fractions) -> Option<Pick> {
        let y = &prices.numerators;
        let mut best: Option<(Pick, BigInt)> = None;
        let mut offer = |pick: Pick, gain: BigInt| {
            let least = best.as_ref().map_or(&BigInt::ZERO, |(_, most)| most);
            if gain > *least {
                best = Some((pick, gain));
            }
        };
        for (index, column) in self.columns.iter().enumerate() {
            offer(Pick::Column(index), dot(&column.column, y));
        }
        for (index, cone) in self.cones.iter().enumerate() {
            let [normal, one, two] =
                [&cone.normal, &cone.across[0], &cone.across[1]].map(|c| dot(c, y));
            if normal.sign() == Sign::Minus && cone.holds(&normal, &one, &two) {
                continue;
            }
            let nearest = self.polygon.towards(alike(&one, &two));
            let [before, after] = nearest.neighbours();
            for direction in [nearest, before, after] {
                if let Some(gain) = cone.gain(direction, [&normal, &one, &two]) {
                    offer(Pick::Ray(index, direction), gain);
                }
            }
        }
        best.map(|(pick, _)| pick)
    }

    /// Takes a column in for what is used up first, or right first.
    fn pivot(&mut self, pick: Pick, values: &Fractions, wrong: &[i32]) -> Option<()> {
        let Scaled { column, scale } = self.column(pick)?;
        let mut full = vec![BigInt::ZERO; self.basis.len()];
        column.iter().for_each(|(row, x)| full[*row as usize] = BigInt::from(*x));
        let way = self.matrix.solve(&full)?;
        let modular = self.matrix.image(&column);
        let (x, d) = (&values.numerators, &way.numerators);
        let blocks = |place: usize| match (d[place].sign(), wrong[place]) {
            (Sign::NoSign, _) => false,
            (_, 0) if self.basis[place].is_none() => true,
            (Sign::Plus, cost) => cost >= 0,
            (Sign::Minus, cost) => cost < 0,
        };
        let rank = |place: usize| (self.basis[place].is_some(), place);
        // Ratios x / d are not negative; signs of both sides of a comparison are the same.
        let order = |&a: &usize, &b: &usize| {
            let size = |x: &BigInt| BigInt::from(x.magnitude().clone());
            let (left, right) = (size(&x[a]) * size(&d[b]), size(&x[b]) * size(&d[a]));
            left.cmp(&right).then(rank(a).cmp(&rank(b)))
        };
        let place = (0..x.len()).filter(|&k| blocks(k)).min_by(order)?;
        // The prime happens to divide what is not zero: another basis is not tried.
        (modular[place] != 0).then_some(())?;
        self.matrix.replace(place, column, &modular);
        self.basis[place] = Some((pick, scale));
        Some(())
    }

    fn combination(&self, values: &Fractions) -> Exact {
        let mut shares = Vec::new();
        let common = &values.denominator * &self.right_scale;
        for (basic, value) in self.basis.iter().zip(&values.numerators) {
            let Some((pick, scale)) = basic else { continue };
            if value.sign() == Sign::NoSign {
                continue;
            }
            if matches!(pick, Pick::Ray(_, Direction::Outer(_))) {
                return Exact::Open;
            }
            let share = Fraction::new(value.clone(), common.clone());
            shares.push((*pick, share.times(scale)));
        }
        Exact::Combination(shares)
    }

    /// The prices, if they gain from no direction of the round cones either.
    fn certificate(&self, prices: Fractions) -> Exact {
        let Fractions { numerators, denominator } = prices;
        let holds = self.cones.iter().all(|cone| {
            let [normal, one, two] =
                [&cone.normal, &cone.across[0], &cone.across[1]].map(|c| dot(c, &numerators));
            cone.holds(&normal, &one, &two)
        });
        match holds {
            true => Exact::Certificate(
                numerators.into_iter().map(|y| Fraction::new(y, denominator.clone())).collect(),
            ),
            false => Exact::Open,
        }
    }
}

impl WholeCone {
    /// Whether no direction of the round cone gains: `normal + opening |across| <= 0`.
    fn holds(&self, normal: &BigInt, one: &BigInt, two: &BigInt) -> bool {
        let [numerator, denominator] = self.opening.map(BigInt::from);
        let (across, along) = (one * one + two * two, normal * normal);
        normal.sign() != Sign::Plus
            && &numerator * &numerator * across <= &denominator * &denominator * along
    }

    /// What a direction gains, times a factor that all directions of this cone have in common, up
    /// to their own denominators.
    fn gain(&self, direction: Direction, [normal, one, two]: [&BigInt; 3]) -> Option<BigInt> {
        let ([x, y], common) = direction.whole()?;
        let [numerator, denominator] = self.opening;
        Some(normal * (denominator * common as i128) + (one * x + two * y) * numerator)
    }
}

fn dot(column: &Whole, y: &[BigInt]) -> BigInt {
    let used = column.iter().filter(|(row, _)| y[*row as usize].sign() != Sign::NoSign);
    used.map(|(row, x)| &y[*row as usize] * BigInt::from(*x)).sum()
}

/// Two numbers of any size as a direction in floating point.
fn alike(x: &BigInt, y: &BigInt) -> [f64; 2] {
    let excess = x.bits().max(y.bits()).saturating_sub(64);
    let [x, y] = [x, y].map(|z| {
        let digit = (z.magnitude() >> excess).iter_u64_digits().next().unwrap_or(0) as f64;
        if z.sign() == Sign::Minus { -digit } else { digit }
    });
    if [x, y] == [0.0; 2] { [1.0, 0.0] } else { [x, y] }
}

/// Columns times their common denominator, and this; none if numbers get too long.
fn scaled(columns: &[&Column]) -> Option<(Vec<Whole>, BigInt)> {
    let scale = common_denominator(columns);
    let entry = |(row, x): &(u32, Fraction)| {
        Some((*row, small(&(&x.numerator * &scale / &x.denominator))?))
    };
    let whole = |column: &&Column| {
        column.iter().filter(|(_, x)| !x.is_zero()).map(entry).collect::<Option<Whole>>()
    };
    Some((columns.iter().map(whole).collect::<Option<_>>()?, scale))
}

fn common_denominator(columns: &[&Column]) -> BigInt {
    columns.iter().flat_map(|column| column.iter()).fold(BigInt::from(1), |common, (_, x)| {
        &common / gcd(common.clone(), x.denominator.clone()) * &x.denominator
    })
}

/// A number that is not too long.
fn small(x: &BigInt) -> Option<i128> {
    (x.bits() < BITS).then(|| i128::try_from(x).ok())?
}

fn whole_gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { whole_gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    fn columns(dense: &[&[i64]]) -> Vec<Column> {
        let sparse = |column: &&[i64]| {
            let entries = column.iter().enumerate().filter(|(_, x)| **x != 0);
            entries.map(|(r, x)| (r as u32, Fraction::whole(*x))).collect()
        };
        dense.iter().map(sparse).collect()
    }

    fn over(value: i64, denominator: i64) -> Fraction {
        Fraction::new(value.into(), denominator.into())
    }

    fn plain(dense: &[&[i64]], right: Vec<Fraction>) -> Program {
        Program { columns: columns(dense), right, ..Default::default() }
    }

    fn picks(guess: &[usize]) -> Vec<Pick> {
        guess.iter().map(|k| Pick::Column(*k)).collect()
    }

    #[test]
    fn the_edge_of_a_cone_is_inside_and_a_hair_beyond_is_not() {
        let cone: &[&[i64]] = &[&[1, 0], &[3, 1]];
        let edge = plain(cone, vec![over(3, 3), over(1, 3)]);
        let Some(Exact::Combination(f)) = decide(&edge, &[], Polygon::Inner) else { panic!() };
        assert_eq!(f, [(Pick::Column(1), over(1, 3))]);
        let right = vec![over(1, 1), over(333_333_333_334, 1_000_000_000_000)];
        let beyond = plain(cone, right.clone());
        let answer = decide(&beyond, &picks(&[0, 1]), Polygon::Inner);
        let Some(Exact::Certificate(y)) = answer else { panic!() };
        let dot = |a: &Fraction, b: &Fraction| y[0].times(a).plus(&y[1].times(b)).numerator.sign();
        assert_eq!(dot(&right[0], &right[1]), Sign::Plus);
        assert_ne!(dot(&Fraction::whole(3), &Fraction::whole(1)), Sign::Plus);
        assert_ne!(dot(&Fraction::whole(1), &Fraction::whole(0)), Sign::Plus);
    }

    #[test]
    fn a_wrong_guess_does_no_harm() {
        let cone: &[&[i64]] = &[&[1, 0], &[0, 1], &[-1, -1], &[2, 1]];
        let program = plain(cone, vec![over(-1, 3), over(2, 3)]);
        for guess in [&[][..], &[2], &[3, 2], &[0, 1, 2, 3]] {
            let answer = decide(&program, &picks(guess), Polygon::Inner);
            let Some(Exact::Combination(shares)) = answer else { panic!("{guess:?}") };
            let mut sum = [Fraction::whole(0), Fraction::whole(0)];
            for (pick, share) in shares {
                let Pick::Column(k) = pick else { panic!() };
                for row in 0..2 {
                    sum[row] = sum[row].plus(&share.times(&Fraction::whole(cone[k][row])));
                }
            }
            assert_eq!(sum.to_vec(), program.right);
        }
    }

    /// A round cone of opening 1/2 about the third axis: what is inside, beyond, and within the
    /// hair between the polygons.
    #[test]
    fn a_round_cone_has_no_corners() {
        let unit = |k: u32| vec![(k, Fraction::whole(1))];
        let cone = Cone { normal: unit(2), across: [unit(0), unit(1)], opening: over(1, 2) };
        let judge = |x: Fraction, y: Fraction, polygon: Polygon| {
            let right = vec![x, y, Fraction::whole(1)];
            let program = Program { cones: vec![cone.clone()], right, ..Default::default() };
            decide(&program, &[], polygon).unwrap()
        };
        // (3, 4) / 5 is a direction of both polygons, half of it on the cone.
        let inside = judge(over(3, 10), over(4, 10), Polygon::Inner);
        assert!(matches!(inside, Exact::Combination(_)), "{inside:?}");
        let random = &mut Random::new(7);
        for _ in 0..50 {
            let (sin, cos) = random.between(0.0, 6.3).sin_cos();
            let at = |reach: f64, polygon: Polygon| {
                let [x, y] = [cos, sin].map(|x| Fraction::simplest_within(0.5 * reach * x, 1e-7));
                judge(x, y, polygon)
            };
            let inside = at(1.0 - 1e-5, Polygon::Inner);
            assert!(matches!(inside, Exact::Combination(_)), "{inside:?}");
            let beyond = at(1.0 + 1e-5, Polygon::Outer);
            assert!(matches!(beyond, Exact::Certificate(_)), "{beyond:?}");
            // What the polygon around holds is not called a combination.
            let hair = at(1.0, Polygon::Outer);
            assert!(!matches!(hair, Exact::Combination(_)), "{hair:?}");
        }
    }

    /// Random cones of whole numbers: floating point and exact arithmetic say the same, and what
    /// is said is checked.
    #[test]
    fn random_cones() {
        let (mut yes, mut no) = (0, 0);
        for seed in 0..200 {
            let random = &mut Random::new(seed);
            let rows = 2 + (seed % 7) as usize;
            let dense: Vec<Vec<i64>> = (0..rows + 6)
                .map(|_| (0..rows).map(|_| random.between(-2.5, 2.5).round() as i64).collect())
                .collect();
            let slices: Vec<&[i64]> = dense.iter().map(Vec::as_slice).collect();
            let right: Vec<Fraction> =
                (0..rows).map(|_| over(random.between(-9.0, 9.0).round() as i64, 7)).collect();
            let program = plain(&slices, right.clone());
            match decide(&program, &[], Polygon::Inner) {
                Some(Exact::Combination(shares)) => {
                    yes += 1;
                    for row in 0..rows {
                        let part = |(pick, share): &(Pick, Fraction)| {
                            let Pick::Column(k) = pick else { panic!() };
                            share.times(&Fraction::whole(dense[*k][row]))
                        };
                        let sum = shares.iter().map(part).reduce(|a, b| a.plus(&b));
                        assert_eq!(sum.unwrap_or(Fraction::whole(0)), right[row], "seed {seed}");
                    }
                    assert!(shares.iter().all(|(_, f)| f.numerator.sign() == Sign::Plus));
                }
                Some(Exact::Certificate(y)) => {
                    no += 1;
                    let dot = |c: &[Fraction]| {
                        let products = c.iter().zip(&y).map(|(c, y)| c.times(y));
                        products.reduce(|a, b| a.plus(&b)).unwrap().numerator.sign()
                    };
                    assert_eq!(dot(&right), Sign::Plus, "seed {seed}");
                    for column in &dense {
                        let column: Vec<Fraction> =
                            column.iter().map(|x| Fraction::whole(*x)).collect();
                        assert_ne!(dot(&column), Sign::Plus, "seed {seed}");
                    }
                }
                other => panic!("seed {seed}: {other:?}"),
            }
        }
        assert!(yes > 20 && no > 20, "{yes} {no}");
    }
}
