//! What a scene says about bodies: plain data, one list for every method.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Family, ShapeEntry, Span, StructureFamily};
use crate::math::{DQuat, DVec3};

/// One entry of the scene's list of bodies: a group made the same way.
#[derive(Clone, Debug, PartialEq)]
pub struct Bodies {
    /// The group's name, for joints, forces, messages and pictures.
    pub group: String,
    /// Red, green and blue, for pictures.
    pub colour: Option<[u8; 3]>,
    pub what: What,
    pub place: Place,
    pub turn: Turn,
    pub motion: Motion,
    /// Bodies of the entry that never move, whatever `motion` says of the others.
    pub fixed: Fixed,
    pub weight: Weight,
    pub material: Material,
    pub velocity: DVec3,
    /// Angular velocity in radians per time, about the axes of the world.
    pub spin: DVec3,
    /// Acceleration besides gravity.
    pub push: DVec3,
    /// Whether bodies turn while they settle.
    pub rotate: bool,
    /// Where a driven body is at which time; empty for one that keeps its velocity.
    pub path: Vec<Keyframe>,
    /// Where the entry says what or where its bodies are.
    pub span: Span,
}

/// What the bodies of an entry are.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// Balls, in 2D discs.
    Balls(Size),
    /// Shapes, taken in turn (along the diagonals of a grid).
    Shapes(Vec<ShapeEntry>),
    /// Balls with the file's column `radius`, or boxes with its columns `width`, `height`, ...
    FromFile,
    /// A tower of bricks with its supports; in a 3D scene a flat one is drawn out along y to
    /// this depth.
    Tower { family: Family, depth: f64 },
    /// Bodies with their joints, made by rule.
    Structure(StructureFamily),
}

/// How the radii of a group are distributed.
#[derive(Clone, Debug, PartialEq)]
pub enum Size {
    Equal {
        radius: f64,
    },
    Uniform {
        min: f64,
        max: f64,
    },
    /// The logarithm of the radius is normal; radii outside `min`..`max` are drawn again.
    Lognormal {
        median: f64,
        sigma: f64,
        min: f64,
        max: f64,
    },
    /// A sieve curve: radii with their share of the number of balls.
    Table {
        radii: Vec<f64>,
        shares: Vec<f64>,
    },
    /// One radius for each of the listed positions.
    Each {
        radii: Vec<f64>,
    },
}

/// Where the bodies of an entry start: places of the origin of the shape as it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// One body where its shape says, a tower where its family says.
    Origin,
    /// Places one by one; of a tower or a structure one, the offset of the whole.
    List { positions: Vec<DVec3> },
    /// From a .csv or .xyz file, perhaps with radii and masses; boxes with their sizes and turns.
    File {
        file: PathBuf,
        /// Those of one type alone.
        kind: Option<String>,
    },
    /// `count` per axis (1 along z in 2D), from the `first` place, `spacing` apart, each
    /// coordinate moved by up to `jitter`.
    Grid { count: [usize; 3], first: DVec3, spacing: DVec3, jitter: f64 },
    /// On a level circle (in 2D: a circle of the plane), the first along +x.
    Ring { count: usize, radius: f64, centre: DVec3 },
    /// `count` at random inside the container (and with their centres in the box `min`..`max`,
    /// infinite where the scene sets no limit), nothing overlapping, each at least `clearance`
    /// from everything.
    Random { count: usize, min: DVec3, max: DVec3, clearance: f64 },
}

/// How the bodies of an entry are turned at the start, about the origin of their shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// All in the same way.
    Fixed(DQuat),
    /// One turn for each of the listed positions.
    Each(Vec<DQuat>),
    /// Each at random about the vertical (in 2D: in the plane).
    Upright,
    /// Each at random in space.
    Random,
}

/// Who decides how a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Motion {
    /// Forces and contacts.
    #[default]
    Free,
    /// Nobody: it never moves.
    Fixed,
    /// Its own velocity and spin, or its path, whatever it meets.
    Driven,
}

/// Which bodies of an entry never move.
#[derive(Clone, Debug, PartialEq)]
pub enum Fixed {
    None,
    /// The outermost bodies of a grid: those with a first or last place along
    /// an axis that has more than one.
    Border,
    /// By number within the entry, from 0.
    List(Vec<usize>),
}

/// The masses of an entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weight {
    /// The same mass for every body.
    Mass(f64),
    /// Mass per volume (per area in 2D).
    Density(f64),
    /// From the file's own column, or else density 1.
    FromFile,
}

/// How the surface of a body behaves where it touches another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// The coefficient of Coulomb friction.
    pub friction: f64,
    /// From 0 (no bounce) to 1.
    pub restitution: f64,
    /// The lever arm of rolling resistance, a length.
    pub rolling: f64,
}

impl Default for Material {
    fn default() -> Self {
        Material { friction: 0.5, restitution: 0.0, rolling: 0.0 }
    }
}

impl Material {
    /// The material of a contact between two bodies, by one rule for every method: friction is
    /// the geometric mean, restitution and rolling are the larger of the two.
    ///
    /// ```
    /// use riprap::scene::Material;
    /// let (ice, rubber) = (Material { friction: 0.04, ..Default::default() }, Material::default());
    /// assert!((ice.with(rubber).friction - (0.04_f64 * 0.5).sqrt()).abs() < 1e-15);
    /// ```
    pub fn with(self, other: Material) -> Material {
        // Two of the same kind keep their value to the last bit.
        let same = self.friction == other.friction;
        let mean = (self.friction * other.friction).sqrt();
        Material {
            friction: if same { self.friction } else { mean },
            restitution: self.restitution.max(other.restitution),
            rolling: self.rolling.max(other.rolling),
        }
    }
}

/// Where a driven body is at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    pub time: f64,
    /// Of the origin of its shape.
    pub position: DVec3,
    /// None: turned as the entry's `turn` says.
    pub rotation: Option<DQuat>,
}
