//! Convex programs of bodies that turn between planes that move with them: every
//! body has six unknowns, every plane five, and every row joins one body and one plane
//! by a concave quadratic. [`solve`] eliminates the planes, so that small blocks
//! on the contact graph are left.

mod balance;
mod chosen;
mod interior;
mod modes;
mod pairs;
mod small;
mod system;
#[cfg(test)]
mod tests;

pub use balance::balance;
pub use interior::{solve, solve_near};
pub use modes::modes;

/// Unknowns of a body: how far it moves, and how far it turns times a length of its own.
pub const OF_BODY: usize = 6;
/// Unknowns of a plane: its tilt (2), its offset, and how far its point slides (2).
pub const OF_PLANE: usize = 5;
/// Unknowns of a row: those of its body, then those of its plane.
pub const OF_ROW: usize = OF_BODY + OF_PLANE;
/// Where a plane's tilts and slides are among them.
const TILT: usize = OF_BODY;
const SLIDE: usize = OF_BODY + 3;

/// Numbers of the lower triangle of a matrix of a body's turn and a plane's tilts, ...
pub const OF_RIM: usize = 15;
/// ... whose places among the unknowns of a row are one after the other.
const TURNS_AND_TILTS: std::ops::Range<usize> = 3..OF_BODY + 2;

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
    /// How its rows bend with the plane; not at all at a wall.
    pub tilting: Tilting,
    /// Perhaps none.
    pub rows: Vec<Row>,
}

/// With the tilts `b` of a plane and its slides `u`, a row whose corner goes along the tangents by
/// `v_k = tangents[k].d + levers[k].w - u_k` bends by the sum of `along v^2 + 2 cross b v + tilt b^2`
/// over both tangents, besides what it bends as its body turns, and as a rim does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tilting {
    /// Of rows of a rim, which rolls as its body turns `w` and the plane tilts: a symmetric matrix of
    /// `(w, b)`, the lower triangle, line by line.
    pub rim: Option<[f64; OF_RIM]>,
    /// Of the plane.
    pub tangents: [[f64; 3]; 2],
    /// Of sliding.
    pub along: f64,
    /// Of both together.
    pub cross: f64,
    /// Of tilting.
    pub tilt: f64,
}

/// `gap + slope . z - z . bend z / 2 >= 0`, where `z` is of its body and its plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// At `z = 0`; not negative.
    pub gap: f64,
    /// The gradient at `z = 0`.
    pub slope: Slope,
    /// What it bends as its body turns: the lower triangle of a symmetric matrix, line by line.
    pub turn: [f64; 6],
    /// How far its corner goes along the tangents as its body turns.
    pub levers: [[f64; 3]; 2],
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

impl Row {
    /// A linear one.
    pub fn new(gap: f64, slope: Slope) -> Row {
        Row { gap, slope, turn: [0.0; 6], levers: [[0.0; 3]; 2] }
    }
}

impl Tilting {
    /// The gradient and the value of a row at `z`.
    #[inline]
    pub fn at(&self, row: &Row, z: &Slope) -> (Slope, f64) {
        let mut slope = row.slope;
        let [xx, yx, yy, zx, zy, zz] = row.turn;
        let (x, y, w) = (z[3], z[4], z[5]);
        slope[3] -= xx * x + yx * y + zx * w;
        slope[4] -= yx * x + yy * y + zy * w;
        slope[5] -= zx * x + zy * y + zz * w;
        for k in 0..2 {
            let (t, l, b) = (&self.tangents[k], &row.levers[k], z[TILT + k]);
            let goes = t[0] * z[0] + t[1] * z[1] + t[2] * z[2];
            let v = goes + (l[0] * x + l[1] * y + l[2] * w) - z[SLIDE + k];
            let pull = self.along * v + self.cross * b;
            for i in 0..3 {
                slope[i] -= pull * t[i];
                slope[3 + i] -= pull * l[i];
            }
            slope[TILT + k] -= self.cross * v + self.tilt * b;
            slope[SLIDE + k] += pull;
        }
        if let Some(rim) = &self.rim {
            for (at, i, j) in lower_triangle() {
                slope[i] -= rim[at] * z[j];
                if i != j {
                    slope[j] -= rim[at] * z[i];
                }
            }
        }
        // A quadratic is halfway between its tangents at both ends.
        let both = (0..OF_ROW).map(|i| (row.slope[i] + slope[i]) * z[i]);
        (slope, row.gap + 0.5 * both.sum::<f64>())
    }

    /// What rows bend by, each times a factor: of all unknowns of the group.
    pub fn bend<'a>(&self, rows: impl Iterator<Item = (&'a Row, f64)>) -> Bend {
        let (mut turn, mut all) = ([0.0; 6], 0.0);
        let (mut levers, mut squares) = ([[0.0; 3]; 2], [[0.0; 6]; 2]);
        for (row, factor) in rows {
            all += factor;
            (0..6).for_each(|k| turn[k] += factor * row.turn[k]);
            for k in 0..2 {
                let [x, y, z] = row.levers[k];
                let products = [x * x, y * x, y * y, z * x, z * y, z * z];
                (0..6).for_each(|j| squares[k][j] += factor * products[j]);
                (0..3).for_each(|j| levers[k][j] += factor * row.levers[k][j]);
            }
        }
        let Tilting { tangents, along, cross, tilt, rim } = self;
        let mut bend = [[0.0; OF_ROW]; OF_ROW];
        let triangle = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)];
        for ((i, j), at) in triangle.into_iter().zip(0..) {
            bend[3 + i][3 + j] = turn[at] + along * (squares[0][at] + squares[1][at]);
            let moves = (0..2).map(|k| tangents[k][i] * tangents[k][j]);
            bend[i][j] = along * all * moves.sum::<f64>();
        }
        for k in 0..2 {
            for i in 0..3 {
                let (goes, turns) = (all * tangents[k][i], levers[k][i]);
                (0..3).for_each(|j| bend[3 + i][j] += along * turns * tangents[k][j]);
                (bend[TILT + k][i], bend[TILT + k][3 + i]) = (cross * goes, cross * turns);
                (bend[SLIDE + k][i], bend[SLIDE + k][3 + i]) = (-along * goes, -along * turns);
            }
            bend[TILT + k][TILT + k] = tilt * all;
            bend[SLIDE + k][TILT + k] = -cross * all;
            bend[SLIDE + k][SLIDE + k] = along * all;
        }
        if let Some(rim) = rim {
            for (at, i, j) in lower_triangle() {
                bend[i][j] += all * rim[at];
            }
        }
        symmetric(&bend)
    }
}

impl Answer {
    /// The unknowns of a group.
    pub fn local(&self, group: &Group) -> Slope {
        let mut z = [0.0; OF_ROW];
        if let Some(body) = group.body {
            z[..OF_BODY].copy_from_slice(&self.x[body as usize]);
        }
        if let Some(plane) = group.plane {
            z[OF_BODY..].copy_from_slice(&self.y[plane as usize]);
        }
        z
    }
}

/// The numbers of [`Tilting::rim`], with their line and column among the unknowns of a row.
fn lower_triangle() -> impl Iterator<Item = (usize, usize, usize)> {
    let places = TURNS_AND_TILTS.flat_map(|i| (TURNS_AND_TILTS.start..=i).map(move |j| (i, j)));
    places.zip(0..).map(|((i, j), at)| (at, i, j))
}

/// A symmetric matrix from its lower triangle.
fn symmetric(lower: &Bend) -> Bend {
    std::array::from_fn(|i| std::array::from_fn(|j| lower[i.max(j)][i.min(j)]))
}
