//! The radii of a group of balls.

use super::Size;
use crate::math::Random;
use crate::problem::{Problem, Result};

/// A radius that falls outside its limits is drawn again, but not forever.
const MOST_REDRAWS: usize = 100_000;

impl Size {
    /// So many radii, drawn in order.
    pub(super) fn radii(&self, count: usize, random: &mut Random) -> Result<Vec<f64>> {
        match self {
            Size::Each { radii } if radii.len() == count => Ok(radii.clone()),
            Size::Each { radii } => {
                let message = format!("there are {} radii for {count} positions", radii.len());
                Err(Problem::new(message).help("give one for each"))
            }
            _ => (0..count).map(|_| self.radius(random)).collect(),
        }
    }

    fn radius(&self, random: &mut Random) -> Result<f64> {
        match self {
            Size::Equal { radius } => Ok(*radius),
            Size::Uniform { min, max } => Ok(random.between(*min, *max)),
            Size::Lognormal { median, sigma, min, max } => {
                for _ in 0..MOST_REDRAWS {
                    let radius = median * (sigma * random.normal()).exp();
                    if (*min..=*max).contains(&radius) {
                        return Ok(radius);
                    }
                }
                let message = format!("almost no radius lies between {min:?} and {max:?}");
                Err(Problem::new(message).help("a smaller sigma, or limits further apart"))
            }
            Size::Table { radii, shares } => {
                let mut left = random.unit() * shares.iter().sum::<f64>();
                for (radius, share) in radii.iter().zip(shares) {
                    if left < *share {
                        return Ok(*radius);
                    }
                    left -= share;
                }
                // Rounding can leave a little; the last radius takes it.
                Ok(radii.last().copied().unwrap_or(f64::NAN))
            }
            Size::Each { radii } => Ok(radii.first().copied().unwrap_or(f64::NAN)),
        }
    }
}
