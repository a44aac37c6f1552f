//! What a person writes: plain data, read from TOML or JSON, with errors that
//! point at the file, the line and the field.
//!
//! A scene says what there is, in one dialect for every method; [`capability`] says what of it
//! each method takes. `generate` makes single bodies of its groups, and [`crate::world`] makes
//! them ready to move.

mod bodies; // what a scene says about bodies
mod bodies_format; // the part of the format that describes them
mod bodies_read; // and its reading
mod box_file; // boxes from .csv files
pub mod capability; // what each method takes
mod capability_rules; // and what not
mod cloth; // cloth, balloons and attachments
mod collapse_options;
mod columns; // of files of bodies, by their names
mod container; // what holds the bodies
mod dynamics_options;
mod family; // families of towers: their description and reading
mod fill; // random loose filling
mod forces; // energies
mod forces_format; // the part of the format that describes them
mod foreign; // files that are no scenes, of which nothing is shown
mod format; // the format, described once
pub mod gallery;
mod generate; // single bodies from the groups of a scene
mod group; // those of one entry
mod group_file; // those of a file
mod joints; // what a scene says about joints
mod joints_format; // their description and reading
mod kind; // the words in which the format is described
mod lammps; // positions from files of LAMMPS
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
mod strengths; // what contacts hold
mod structures; // bodies with their joints, made by rule
mod suggest;
pub(crate) mod towers;
mod translate; // files of other programs -> scenes // families of towers: their bricks

pub use bodies::{Material, Motion};
pub use cloth::Compliance;
pub use collapse_options::{CollapseOptions, Lengths, MassModel, Unknowns};
pub use dynamics_options::{DynamicsOptions, Mode};
pub use forces::{Form, Law};
pub use method::MethodName;
pub use phases::{PhaseEntry, Until};
pub use schema::schema;
pub use settle_options::{Reach, SettleOptions, StepForm};

// What a scene says in between its text and its model: nobody else's business.
pub(crate) use bodies::{Bodies, Fixed, Keyframe, Place, Size, Turn, Weight, What};
pub(crate) use cloth::{AttachmentEntry, ClothEntry, ClothForm, ClothWeight, Region};
pub(crate) use container::Container;
pub(crate) use family::Family;
pub(crate) use forces::{Acts, ForceEntry, Pairs};
pub(crate) use generate::{Made, generate};
pub(crate) use joints::{BodyName, JointEnds, JointEntry, JointKind};
pub(crate) use layouts::{LayoutPlan, LayoutSource};
pub(crate) use shapes::ShapeEntry;
pub(crate) use source::{Files, Source, Span};
pub(crate) use start::StartEntry;
pub use strengths::Per;
pub(crate) use strengths::StrengthEntry;
pub(crate) use structures::StructureFamily;
pub(crate) use suggest::nearest_name;

use std::path::{Path, PathBuf};

use crate::math::DVec3;

/// What a person wrote, read and checked. [`build`](crate::world::build) makes bodies of it.
///
/// A scene comes from a file ([`Scene::from_file`]), from a text ([`Scene::from_text`]) or from
/// the [`gallery`]. Bodies that a program makes go straight into a
/// [`Model`](crate::world::Model).
///
/// ```
/// use riprap::{MethodName, Scene};
///
/// let text = "method = 'dynamics'\n[[bodies]]\nradius = 1\nposition = [0, 0, 1]";
/// let mut scene = Scene::from_text(text, "ball.toml".as_ref())?;
/// assert_eq!((scene.method, scene.dimension), (MethodName::Dynamics, 3));
/// scene.dynamics.steps = 10;
/// let (model, state) = riprap::build(&scene)?;
/// assert_eq!(model.method.time(), Some((0.01, 10)));
/// assert_eq!(state.positions[0].z, 1.0);
/// # Ok::<(), riprap::Problem>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// As written, or the name of the file; run files are named after it.
    pub name: String,
    /// One sentence for the gallery.
    pub about: String,
    /// Which question is asked, or asked first; its options are in the field of the same name.
    pub method: MethodName,
    /// Methods that follow each other; empty if there is but one.
    pub phases: Vec<PhaseEntry>,
    /// 2 (x-y plane, y up) or 3 (z up).
    pub dimension: usize,
    /// Of all random numbers: places, sizes, turns.
    pub seed: u64,
    /// Acceleration of every free body.
    pub gravity: DVec3,
    /// None for an open scene.
    pub(crate) container: Option<Container>,
    /// What the container's wall is made of.
    pub(crate) wall: Material,
    /// Where the container's file or corners, or else the container itself, are written.
    pub(crate) container_span: Span,
    pub(crate) bodies: Vec<Bodies>,
    /// Where they start, if not as it is written.
    pub(crate) start: Option<StartEntry>,
    pub(crate) joints: Vec<JointEntry>,
    /// What contacts hold.
    pub(crate) strengths: Vec<StrengthEntry>,
    pub(crate) forces: Vec<ForceEntry>,
    /// What the method compact compacts.
    pub(crate) layout: Option<LayoutPlan>,
    pub(crate) cloth: Vec<ClothEntry>,
    pub(crate) attachments: Vec<AttachmentEntry>,
    /// Used if the method is settle.
    pub settle: SettleOptions,
    /// Used if the method is collapse.
    pub collapse: CollapseOptions,
    /// Used if the method is dynamics.
    pub dynamics: DynamicsOptions,
    /// Keys that are set and that a method does not use; see [`Scene::unused`].
    unused: Vec<(MethodName, Vec<String>)>,
    /// The text, and where to find the files that it names.
    pub(crate) source: Source,
}

impl Scene {
    /// What was written, with the values that were set from outside.
    pub fn text(&self) -> &str {
        &self.source.text
    }

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

    /// What files of bodies say that nobody uses, such as columns without a meaning here: the file as
    /// the scene names it, and the names. Files that cannot be read are left out.
    pub fn unread(&self) -> Vec<(PathBuf, Vec<String>)> {
        group_file::unread(self)
    }

    /// The files that a run of the scene is made from: its own, those that it names, and the run
    /// that it starts from. What comes with the program is no file.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let Files::Folder(folder) = &self.source.files else { return Vec::new() };
        let named = self.named_files().into_iter();
        let started = self.start.iter().filter_map(|start| start.run.as_deref());
        let beside = named.chain(started).map(|file| folder.join(file));
        std::iter::once(self.source.file.clone()).chain(beside).collect()
    }

    /// The keys of the whole scene in which two scenes differ. What a scene is called is no
    /// difference.
    pub(crate) fn differences(&self, other: &Scene) -> Vec<&'static str> {
        let same = [
            ("method", self.method == other.method),
            ("phases", self.phases == other.phases),
            ("dimension", self.dimension == other.dimension),
            ("seed", self.seed == other.seed),
            ("gravity", self.gravity == other.gravity),
            ("container", self.container == other.container && self.wall == other.wall),
            ("bodies", self.bodies == other.bodies),
            ("start", self.start == other.start),
            ("joints", self.joints == other.joints),
            ("strengths", self.strengths == other.strengths),
            ("forces", self.forces == other.forces),
            ("layout", self.layout == other.layout),
            ("cloth", self.cloth == other.cloth),
            ("attachments", self.attachments == other.attachments),
            ("settle", self.settle == other.settle),
            ("collapse", self.collapse == other.collapse),
            ("dynamics", self.dynamics == other.dynamics),
        ];
        same.into_iter().filter(|(_, same)| !same).map(|(key, _)| key).collect()
    }

    /// The files that the scene names.
    pub fn named_files(&self) -> Vec<&Path> {
        let mut files = Vec::new();
        if let Some(Container::Mesh { file, .. }) = &self.container {
            files.push(file.as_path());
        }
        for bodies in &self.bodies {
            if let Place::File { file, .. } = &bodies.place {
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
