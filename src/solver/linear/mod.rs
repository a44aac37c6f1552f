//! Is there a non-negative combination of columns that gives a right-hand side?
//! Either the combination or Farkas' certificate that there is none, and how
//! far the right-hand side can be pushed along another column. [`Tableau`]
//! answers in floating point, [`exact`] in whole numbers of any size.

pub mod exact;
mod tableau;

pub use tableau::Tableau;

/// A matrix by sparse columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    pub rows: usize,
    pub columns: Vec<Vec<(u32, f64)>>,
}
