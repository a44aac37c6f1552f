//! Numbers of any size, without rounding.

use num_bigint::{BigInt, Sign};

/// Numerator and denominator; the denominator is positive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fraction {
    pub numerator: BigInt,
    pub denominator: BigInt,
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

pub(super) fn gcd(mut a: BigInt, mut b: BigInt) -> BigInt {
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

#[cfg(test)]
mod tests {
    use super::*;

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
