//! What a person writes: plain data, read from TOML or JSON, with errors that
//! point at the file, the line and the field.
//!
//! A scene says what there is; it knows nothing of how things move. [`crate::world`]
//! makes it ready to move.

mod brick_file; // bricks from .csv files
mod brick_format; // the part of the format that describes bricks
mod bricks; // the bricks of a collapse scene
mod cloth; // cloth, balloons and attachments of the method dynamics
mod fill; // random loose filling
mod forces; // energies and links
mod format; // the format, described once
pub mod gallery;
mod generate; // where the spheres of a group start, and how large they are
mod kind; // the words in which the format is described
mod layouts; // layouts of the method compact
mod particles; // positions from .csv and .xyz files
mod read; // text -> Scene, with good errors
mod rigid; // bodies, structures and joints of the method dynamics
mod rigid_format; // the part of the format that describes them
mod rigid_options; // options of the method dynamics
mod schema; // the description of the format -> JSON Schema
mod solids; // shapes of bodies that are no spheres
mod source;
mod spanned; // TOML and JSON as one tree whose nodes know their place in the text
mod suggest;
pub mod towers; // families of brick towers

pub use bricks::{
    BarEntry, Bricks, Collapse, Family, Lengths, MassModel, Pin, Placed, Unknowns, What, bricks,
};
pub use cloth::{AttachmentEntry, ClothEntry, ClothForm, ClothWeight, Region};
pub use forces::{Acts, Fixed, Force, Form, Law, Links, Pairs};
pub use generate::{Sphere, generate};
pub use layouts::{LayoutPlan, LayoutSource};
pub use rigid::{
    JointEntry, JointKind, Material, RigidBodies, RigidPlace, Structure, StructureFamily,
};
pub use rigid_options::{Dynamics, HandOver, Mode};
pub use schema::schema;
pub use solids::{Shape, ShapeForm, Turned};
pub use source::{Files, Source, Span};
pub use suggest::nearest_name;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::math::DVec3;

/// Everything a scene file can say.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    pub name: String,
    /// One sentence for the gallery.
    pub about: String,
    pub method: Method,
    /// 2 (x-y plane, y up) or 3 (z up).
    pub dimension: usize,
    pub seed: u64,
    pub gravity: DVec3,
    /// None for an open scene, where forces alone keep the bodies together.
    pub container: Option<Container>,
    /// Where the container's file or corners, or else the container itself, are written.
    pub container_span: Span,
    pub bodies: Vec<Bodies>,
    pub forces: Vec<Force>,
    pub links: Vec<Links>,
    /// What the method collapse moves.
    pub bricks: Vec<Bricks>,
    pub pins: Vec<Pin>,
    /// What the method compact compacts.
    pub layout: Option<LayoutPlan>,
    pub bars: Vec<BarEntry>,
    /// What the method dynamics moves.
    pub rigid: Vec<RigidBodies>,
    pub structures: Vec<Structure>,
    pub joints: Vec<JointEntry>,
    pub cloth: Vec<ClothEntry>,
    pub attachments: Vec<AttachmentEntry>,
    pub settle: Settle,
    pub collapse: Collapse,
    pub dynamics: Dynamics,
    /// The text, and where to find the files that it names.
    pub source: Source,
}

/// How bodies move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// To lower energy, without overlap, until they provably rest.
    Settle,
    /// Rigid bricks, as Gauss' principle says.
    Collapse,
    /// Pieces of a layout, as far as a wall that moves in can push them.
    Compact,
    /// Rigid bodies, joints and cloth, by projection of one constraint at a time.
    Dynamics,
}

/// The closed region that holds the bodies.
#[derive(Clone, Debug, PartialEq)]
pub enum Container {
    /// An axis-parallel box (a rectangle in 2D: z is ignored).
    Box { min: DVec3, max: DVec3 },
    /// A prism over a regular polygon, inscribed in the circle of this radius.
    Cylinder { radius: f64, bottom: f64, top: f64, sides: usize },
    /// A profile of revolution about the z axis: corners `(z, radius)` from the
    /// bottom up, every cross-section a regular polygon inscribed in the circle.
    Profile { corners: Vec<[f64; 2]>, sides: usize },
    /// A closed triangle mesh (.stl, .obj, .ply).
    Mesh { file: PathBuf, scale: f64 },
    /// A simple polygon, either way round (2D scenes only).
    Polygon { corners: Vec<[f64; 2]> },
}

/// One entry of the scene's list of bodies: a group made the same way.
#[derive(Clone, Debug, PartialEq)]
pub struct Bodies {
    /// The group's name, for energy terms and pictures.
    pub group: String,
    pub place: Place,
    pub size: Size,
    /// What they are, if they are no spheres.
    pub shape: Option<Shape>,
    pub weight: Weight,
    pub fixed: Fixed,
    /// Where the group's `grid`, `positions`, `file` or `random` is written.
    pub span: Span,
}

/// Where the spheres of a group start.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// Centres, one by one.
    List { positions: Vec<DVec3> },
    /// Centres (and perhaps radii and masses) from a .csv or .xyz file.
    File { file: PathBuf },
    /// `count` per axis (1 along z in 2D), from the `first` centre, `spacing` apart, each
    /// coordinate moved by up to `jitter`.
    Grid { count: [usize; 3], first: DVec3, spacing: DVec3, jitter: f64 },
    /// `count` centres at random inside the container (and the box `min`..`max`, infinite where
    /// the scene sets no limit), nothing overlapping.
    Random { count: usize, min: DVec3, max: DVec3 },
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
    /// A sieve curve: radii with their share of the number of spheres.
    Table {
        radii: Vec<f64>,
        shares: Vec<f64>,
    },
    /// One radius for each of the listed positions.
    Each {
        radii: Vec<f64>,
    },
    /// From the file's own column.
    FromFile,
    /// As large as the shape is.
    OfShape,
}

/// A group's masses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weight {
    /// The same mass for every sphere of the group.
    Mass(f64),
    /// Mass per volume (per area in 2D).
    Density(f64),
    /// From the file's own column, or else density 1.
    FromFile,
}

/// The options of the settle method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)] // a run file from before an option existed means its default
pub struct Settle {
    pub reach: Reach,
    /// Half the width of the reach cube, in radii of the body.
    pub reach_radii: f64,
    /// The paper's conservative term c * (|dx|+|dy|+|dz|), as a fraction of the body's weight.
    pub conservative: f64,
    /// The proximal term rho/2 |d|^2, rho as a fraction of weight over radius.
    pub proximal: f64,
    /// A step may stop when its energy is within this fraction of the best possible decrease.
    pub early_stop: f64,
    /// First-order rest: a step lowers the energy by less than this many radii per sphere.
    pub tolerance: f64,
    /// Solids settle first with this rounding, in radii of the smallest solid; it is
    /// halved whenever they rest ...
    pub smoothing: f64,
    /// ... until twice the rounding is at most this many radii.
    pub accuracy: f64,
    pub max_steps: usize,
}

/// How far one body may move in one step [M96 4.3, 4.4].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    /// A cube with a corner pointing along gravity.
    RotatedCube,
    /// A cube parallel to the axes.
    AxisBox,
    /// As `AxisBox`, growing along gravity while the body uses all of it: acceleration.
    GrowingBox,
}

impl Default for Settle {
    fn default() -> Self {
        Settle {
            reach: Reach::RotatedCube,
            reach_radii: 1.0,
            conservative: 0.0,
            proximal: 1e-3,
            // What is left is a bound; a step that stops here has nearly always
            // gained more than nine tenths, and the state stays inside its cell,
            // which makes the next step longer.
            early_stop: 0.3,
            tolerance: 1e-6,
            smoothing: 0.05,
            accuracy: 1e-6,
            max_steps: 10_000,
        }
    }
}
