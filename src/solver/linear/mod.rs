//! Is there a non-negative combination of columns that gives a right-hand side?
//! Either the combination or Farkas' certificate that there is none, and how
//! far the right-hand side can be pushed along another column. Columns are given
//! one by one, or as round cones: all of `normal + opening (cos a one + sin a two)`.
//!
//! [`Simplex`] answers in floating point and makes columns out of cones where it needs them;
//! [`exact`] takes its basis and says in whole numbers of any size whether it is right, repairing
//! it where not: with a polygon inside every cone for a combination, with one around it for a
//! certificate. [`Cheapest`] finds the combination that costs least, for sparse programs of any size.

mod blocks;
mod direction;
pub mod exact;
mod factor;
mod fraction;
mod interior;
mod modular;
#[cfg(test)]
mod round_tests;
mod scaling;
mod simplex;

pub use direction::{Direction, Polygon, UNCERTAIN};
pub use fraction::Fraction;
pub use interior::{Centre, Cheapest, End, Optimum};
pub use simplex::Simplex;

/// The entries of a column that are not zero, by their rows.
pub type Column = Vec<(u32, f64)>;

/// What combinations are made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    pub rows: usize,
    pub columns: Vec<Column>,
    pub cones: Vec<Cone>,
}

/// The columns `normal + opening (cos a across[0] + sin a across[1])` for all angles a.
#[derive(Clone, Debug, PartialEq)]
pub struct Cone {
    pub normal: Column,
    pub across: [Column; 2],
    pub opening: f64,
}

/// A column of a program, or one that is made out of a cone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pick {
    Column(usize),
    Ray(usize, Direction),
}

impl Program {
    /// The entries of a column; a row may occur twice.
    fn column(&self, pick: Pick) -> Column {
        match pick {
            Pick::Column(index) => self.columns[index].clone(),
            Pick::Ray(index, direction) => {
                let cone = &self.cones[index];
                let mut column = cone.normal.clone();
                for (across, share) in cone.across.iter().zip(direction.floats()) {
                    let part = across.iter().filter(|_| share != 0.0);
                    column.extend(part.map(|(row, x)| (*row, cone.opening * share * x)));
                }
                column
            }
        }
    }
}
