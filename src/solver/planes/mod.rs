//! Convex programs of bodies that turn between planes that move with them: every
//! body has six unknowns, every plane five, and every row joins one body and one plane
//! by a concave quadratic. [`solve`] eliminates the planes, so that small blocks
//! on the contact graph are left.

mod balance;
mod interior;
mod lazy;
mod modes;
mod pairs;
mod small;
#[cfg(test)]
mod tests;

pub use balance::balance;
pub use interior::solve;
pub use lazy::solve_lazily;
pub use modes::modes;

/// Unknowns of a body: how far it moves, and how far it turns times a length of its own.
pub const OF_BODY: usize = 6;
/// Unknowns of a plane: its tilt (2), its offset, and how far its point slides (2).
pub const OF_PLANE: usize = 5;
/// Unknowns of a row: those of its body, then those of its plane.
pub const OF_ROW: usize = OF_BODY + OF_PLANE;

/// The numbers of a row.
pub type Slope = [f64; OF_ROW];
/// A symmetric matrix of a row.
pub type Bend = [[f64; OF_ROW]; OF_ROW];

/// Minimise `cost . x + proximal / 2 |z|^2` over `z = (x of all bodies, y of all planes)` within
/// the reaches and all rows. `z = 0` satisfies them.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// What can move.
    pub bodies: Vec<Block>,
    /// What separates.
    pub planes: Vec<Plane>,
    /// All rows, those of one body and one plane together.
    pub groups: Vec<Group>,
    /// Quadratic costs of the unknowns of bodies and of planes.
    pub proximal: [f64; 2],
}

/// A body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Linear.
    pub cost: [f64; OF_BODY],
    /// Each unknown is between minus this and this; what has no reach is no unknown.
    pub reach: [f64; OF_BODY],
}

/// A plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// As of a body.
    pub reach: [f64; OF_PLANE],
    /// The groups of its two sides.
    pub sides: [u32; 2],
}

/// The rows of one body at one plane.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// None if it does not move.
    pub body: Option<u32>,
    /// None at a wall.
    pub plane: Option<u32>,
    /// Perhaps none.
    pub rows: Vec<Row>,
}

/// `gap + slope . z - z . bend z / 2 >= 0`, where `z` is of its body and its plane.
#[derive(Clone, Debug)]
pub struct Row {
    /// At `z = 0`; not negative.
    pub gap: f64,
    /// The gradient at `z = 0`.
    pub slope: Slope,
    /// Symmetric.
    pub bend: Bend,
}

impl Row {
    /// The gradient and the value at `z`.
    pub fn at(&self, z: &Slope) -> (Slope, f64) {
        let (mut slope, mut value) = (self.slope, self.gap);
        for i in 0..OF_ROW {
            let bent: f64 = (0..OF_ROW).map(|j| self.bend[i][j] * z[j]).sum();
            value += (self.slope[i] - 0.5 * bent) * z[i];
            slope[i] -= bent;
        }
        (slope, value)
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    /// What the objective may be off, in costs times reaches.
    pub accuracy: f64,
    /// By how much rows may be violated.
    pub violation: f64,
    /// What the gradient may be off, in costs.
    pub balance: f64,
    /// A typical reach.
    pub reach: f64,
    /// At most.
    pub iterations: u32,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Per body.
    pub x: Vec<[f64; OF_BODY]>,
    /// Per plane.
    pub y: Vec<[f64; OF_PLANE]>,
    /// Of all rows, group by group.
    pub multipliers: Vec<f64>,
    /// The least value of a row at the answer; negative if it is violated.
    pub least: f64,
    /// Factorisations.
    pub iterations: u32,
    /// Whether it is as accurate as was asked for.
    pub converged: bool,
}

impl Program {
    /// How many rows there are.
    pub fn row_count(&self) -> usize {
        self.groups.iter().map(|group| group.rows.len()).sum()
    }
}
