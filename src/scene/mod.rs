//! What a person writes: plain data, read from TOML or JSON, with errors that
//! point at the file, the line and the field.
//!
//! A scene says what there is, in one dialect for every method; [`capability`] says what of it
//! each method takes. [`generate`] makes single bodies of its groups, and [`crate::world`] makes
//! them ready to move.

mod bodies; // what a scene says about bodies
mod bodies_format; // the part of the format that describes them
mod bodies_read; // and its reading
mod box_file; // boxes from .csv files
pub mod capability; // what each method takes
mod capability_rules; // and what not
mod cloth; // cloth, balloons and attachments
mod collapse_options;
mod container; // what holds the bodies
mod dynamics_options;
mod family; // families of towers: their description and reading
mod fill; // random loose filling
mod forces; // energies
mod forces_format; // the part of the format that describes them
mod format; // the format, described once
pub mod gallery;
mod generate; // single bodies from the groups of a scene
mod group; // those of one entry
mod group_file; // those of a file
mod joints; // what a scene says about joints
mod joints_format; // their description and reading
mod kind; // the words in which the format is described
mod layouts; // layouts of the method compact
mod method;
mod particles; // positions from .csv and .xyz files
mod phases; // methods that follow each other in one run
mod places; // where the bodies of a group start
mod read; // text -> Scene, with good errors
mod reference; // the description of the format -> a reference for people
mod render; // a tree -> TOML or JSON
mod schema; // the description of the format -> JSON Schema
mod set; // values set from outside, such as on the command line
mod settle_options;
mod shapes; // shapes of bodies
mod shapes_format; // their description and reading
mod sizes; // radii
mod source;
mod spanned; // TOML and JSON as one tree whose nodes know their place in the text
mod start; // poses of another run
mod structures; // bodies with their joints, made by rule
mod suggest;
pub mod towers; // families of towers: their bricks

pub use bodies::{Bodies, Fixed, Keyframe, Material, Motion, Place, Size, Turn, Weight, What};
pub use cloth::{AttachmentEntry, ClothEntry, ClothForm, ClothWeight, Compliance, Region};
pub use collapse_options::{CollapseOptions, Lengths, MassModel, Unknowns};
pub use container::Container;
pub use dynamics_options::{DynamicsOptions, Mode};
pub use family::Family;
pub use forces::{Acts, ForceEntry, Form, Law, Pairs};
pub use generate::{Made, Start, StartJoint, generate};
pub use joints::{BodyName, JointEnds, JointEntry, JointKind, MotorEntry};
pub use layouts::{LayoutPlan, LayoutSource};
pub use method::MethodName;
pub use phases::{PhaseEntry, Until};
pub use schema::schema;
pub use settle_options::{Reach, SettleOptions};
pub use shapes::{Sections, ShapeEntry, ShapeForm};
pub use source::{Files, Source, Span};
pub use start::StartEntry;
pub use structures::StructureFamily;
pub use suggest::nearest_name;

use std::path::Path;

use crate::math::DVec3;

/// Everything a scene file can say.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    pub name: String,
    /// One sentence for the gallery.
    pub about: String,
    /// Of the first phase, if there are several.
    pub method: MethodName,
    /// Methods that follow each other; empty if there is but one.
    pub phases: Vec<PhaseEntry>,
    /// 2 (x-y plane, y up) or 3 (z up).
    pub dimension: usize,
    pub seed: u64,
    pub gravity: DVec3,
    /// None for an open scene.
    pub container: Option<Container>,
    /// What the container's wall is made of.
    pub wall: Material,
    /// Where the container's file or corners, or else the container itself, are written.
    pub container_span: Span,
    pub bodies: Vec<Bodies>,
    /// Where they start, if not as it is written.
    pub start: Option<StartEntry>,
    pub joints: Vec<JointEntry>,
    pub forces: Vec<ForceEntry>,
    /// What the method compact compacts.
    pub layout: Option<LayoutPlan>,
    pub cloth: Vec<ClothEntry>,
    pub attachments: Vec<AttachmentEntry>,
    pub settle: SettleOptions,
    pub collapse: CollapseOptions,
    pub dynamics: DynamicsOptions,
    /// Keys that are set and that a method does not use; see [`Scene::unused`].
    unused: Vec<(MethodName, Vec<String>)>,
    /// The text, and where to find the files that it names.
    pub source: Source,
}

impl Scene {
    /// The keys that the scene sets and that its method, or one of its phases', does not use by
    /// nature, such as `bodies.friction` with the method settle; in the order of the text, each
    /// once. Methods that use all of them are left out.
    ///
    /// ```
    /// let text = "[[bodies]]\nradius = 1\nfriction = 0.3\nposition = [0, 0, 1]\n\
    ///             [container]\nshape = \"box\"\nmin = [-2, -2, 0]\nmax = [2, 2, 4]";
    /// let scene = riprap::scene::Scene::from_text(text, "ball.toml".as_ref())?;
    /// assert_eq!(scene.unused()[0].1, ["bodies.friction"]);
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn unused(&self) -> &[(MethodName, Vec<String>)] {
        &self.unused
    }

    /// The files that the scene names.
    pub fn named_files(&self) -> Vec<&Path> {
        let mut files = Vec::new();
        if let Some(Container::Mesh { file, .. }) = &self.container {
            files.push(file.as_path());
        }
        for bodies in &self.bodies {
            if let Place::File { file } = &bodies.place {
                files.push(file);
            }
            if let What::Shapes(shapes) = &bodies.what {
                shapes.iter().for_each(|shape| shape.named_files(&mut files));
            }
        }
        for cloth in &self.cloth {
            if let ClothForm::Mesh { file, .. } = &cloth.form {
                files.push(file);
            }
        }
        if let Some(LayoutPlan { source: LayoutSource::File(file), .. }) = &self.layout {
            files.push(file);
        }
        files
    }
}
