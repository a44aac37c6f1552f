//! A scene made ready to move: what never changes ([`Model`]) apart from what
//! does ([`State`]). No algorithm lives here; [`build`] only turns a scene into
//! these two and refuses what cannot be started from.

mod apart;
mod body;
mod build;
mod checks;
mod cloth;
mod force;
mod joint;
mod limits;
mod mechanics;
mod method;
mod phase;
mod ray;
mod report;
mod strength;
mod strings;

pub use body::{Body, Path};
pub(crate) use build::LayoutWorld;
pub use build::{build, build_from, build_phase, check_phase};
pub use cloth::{Air, Attachment, Cloth, Fabric, Pattern, Thread, ThreadKind};
pub use force::{Anchor, Force};
pub use joint::{HeldPoints, HeldTurns, Joint, JointKind, Motor};
pub use method::{CompactOptions, Method, SeparateOptions};
pub use phase::{Origin, Phase, QUIET_STEPS};
pub use ray::RayHit;
pub use report::{Contact, Ledger, Plane, Report, StepKind, Trace, With};
pub use strength::Strength;
pub use strings::Tie;

pub use crate::scene::{Compliance, Material, Motion, Per};

use crate::math::{DMat3, DQuat, DVec3, median};
use crate::problem::{Problem, Result};
use crate::shape::{Boundary, Shape};

/// What never changes during a run.
///
/// ```
/// use riprap::{DQuat, DVec3, Model, Shape, State, Weight};
///
/// let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
/// let block = Shape::cuboid(DVec3::new(2.0, 1.0, 1.0))?;
/// model.add(&mut state, block, DVec3::Z, DQuat::IDENTITY, Weight::Density(3.0))?;
/// assert_eq!((model.bodies[0].mass, state.positions[0]), (6.0, DVec3::Z));
/// # Ok::<(), riprap::Problem>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The scene's.
    pub name: String,
    /// 2 (x-y plane) or 3.
    pub dimension: usize,
    /// Of all random numbers.
    pub seed: u64,
    /// Names of the groups that [`Body::group`] counts.
    pub groups: Vec<String>,
    /// What pulls at every body, per mass; [`Body::push`] comes on top.
    pub gravity: DVec3,
    /// What bodies are made of; see [`Body::shape`].
    pub shapes: Vec<Shape>,
    /// Rigid bodies, then the particles of cloth.
    pub bodies: Vec<Body>,
    /// What holds bodies together.
    pub joints: Vec<Joint>,
    /// What contacts hold; `stable` asks.
    pub strengths: Vec<Strength>,
    /// Energies besides gravity.
    pub forces: Vec<Force>,
    /// The container; without faces in an open scene.
    pub boundary: Boundary,
    /// What the container's surface is like.
    pub wall: Material,
    /// Their particles are bodies, after all others.
    pub cloths: Vec<Cloth>,
    /// What ties particles of cloth to bodies or the world.
    pub attachments: Vec<Attachment>,
    /// What driven bodies follow.
    pub paths: Vec<Path>,
    /// The question, and its options.
    pub method: Method,
    /// Which phase of its run it is for.
    pub phase: Phase,
    /// What the run started from, if not from what its scene says.
    pub origin: Option<Origin>,
}

/// What changes: where bodies are and how they move. In 2D every z is 0 and turns are about z.
/// Whoever steps a model may change all of it between two steps.
///
/// ```
/// use riprap::{DVec3, State};
///
/// let mut state = State::at_rest(vec![DVec3::ZERO, DVec3::X]);
/// state.velocities[1] = 2.0 * DVec3::Z; // the second body is thrown upwards,
/// state.spins[1].z = 1.0; // and turns by one radian per unit of time
/// assert_eq!(state.rotations.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Of the centres of mass.
    pub positions: Vec<DVec3>,
    /// From the frame of the body, as its author wrote it, to the world.
    pub rotations: Vec<DQuat>,
    /// Of the centres of mass.
    pub velocities: Vec<DVec3>,
    /// Angular velocities, in the frame of the world.
    pub spins: Vec<DVec3>,
}

/// How heavy a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weight {
    /// In all.
    Mass(f64),
    /// Per volume (in 2D: per area).
    Density(f64),
}

impl Model {
    /// A model without bodies.
    pub fn new(dimension: usize, gravity: DVec3) -> Model {
        Model { dimension, gravity, ..Default::default() }
    }

    /// Adds a shape for bodies to share; its number.
    pub fn add_shape(&mut self, shape: Shape) -> u32 {
        self.shapes.push(shape);
        self.shapes.len() as u32 - 1
    }

    /// Adds a body of a shape of its own, free and at rest. `at` is where the origin that the
    /// shape's author wrote goes.
    pub fn add(
        &mut self,
        state: &mut State,
        shape: Shape,
        at: DVec3,
        turn: DQuat,
        weight: Weight,
    ) -> Result<&mut Body> {
        let shape = self.add_shape(shape);
        self.add_body(state, shape, at, turn, weight)
    }

    /// Adds a body of a shape that the model has already; else as [`Model::add`].
    pub fn add_body(
        &mut self,
        state: &mut State,
        shape: u32,
        at: DVec3,
        turn: DQuat,
        weight: Weight,
    ) -> Result<&mut Body> {
        let of = &self.shapes[shape as usize];
        let mass = match weight {
            Weight::Mass(mass) => mass,
            Weight::Density(density) => density * of.mass.volume,
        };
        let number = self.bodies.len();
        if !(mass > 0.0 && mass.is_finite() && of.mass.volume > 0.0) {
            return Err(Problem::new(format!("the mass of body {number} is {mass:?}"))
                .help("a mass is a positive number, and a body has a volume"));
        }
        let inertia: DMat3 = of.mass.inertia * (mass / of.mass.volume);
        state.push(at - turn * of.origin, turn);
        let body = Body { inertia, ..Body::new(shape, mass, of.radius()) };
        Ok(self.push(body))
    }

    /// Adds a round particle, which does not turn.
    pub fn add_particle(
        &mut self,
        state: &mut State,
        at: DVec3,
        mass: f64,
        radius: f64,
    ) -> &mut Body {
        let shape = self.add_shape(Shape::ball(radius));
        state.push(at, DQuat::IDENTITY);
        self.push(Body::new(shape, mass, radius))
    }

    /// Every body is in a group; the first one has a name even if nobody gave it one.
    fn push(&mut self, body: Body) -> &mut Body {
        if self.groups.is_empty() {
            self.group("bodies");
        }
        self.bodies.push(body);
        let last = self.bodies.len() - 1;
        &mut self.bodies[last]
    }

    /// Takes a body out, with its joints and whatever pulls at it or is attached to it; the bodies
    /// after it are counted one lower from then on. Particles of cloth stay.
    ///
    /// ```
    /// use riprap::{DVec3, JointKind, Model, State};
    ///
    /// let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
    /// for x in 0..3 {
    ///     model.add_particle(&mut state, DVec3::X * f64::from(x), 1.0, 0.1);
    /// }
    /// let rope = JointKind::Distance { least: 0.0, most: 2.0 };
    /// for bodies in [[Some(0), Some(1)], [Some(2), None]] {
    ///     model.join(&state, rope, bodies, [DVec3::ZERO; 2], [DVec3::ZERO; 2]);
    /// }
    /// model.remove(&mut state, 0)?;
    /// assert_eq!(state.positions, [DVec3::X, 2.0 * DVec3::X]);
    /// assert_eq!((model.joints.len(), model.joints[0].bodies), (1, [Some(1), None]));
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn remove(&mut self, state: &mut State, body: usize) -> Result<Body> {
        if body >= self.rigid_count() {
            let message = format!("there is no body {body} that could be removed");
            let help = format!("rigid bodies have the numbers below {}", self.rigid_count());
            return Err(Problem::new(message).help(help));
        }
        // Counts on, and says whether that body is another one.
        let stays = |number: &mut u32| {
            let stays = *number as usize != body;
            *number -= u32::from(*number as usize > body);
            stays
        };
        self.joints.retain_mut(|joint| joint.bodies.iter_mut().flatten().all(stays));
        for force in &mut self.forces {
            force.pairs.retain_mut(|pair| pair.iter_mut().all(stays));
            force.anchors.retain_mut(|anchor| stays(&mut anchor.body));
        }
        for cloth in &mut self.cloths {
            cloth.first -= 1;
            cloth.faces.iter_mut().flatten().for_each(|particle| *particle -= 1);
            cloth.threads.iter_mut().flat_map(|t| &mut t.ends).for_each(|end| *end -= 1);
        }
        self.attachments.retain_mut(|attachment| {
            attachment.particle -= 1;
            attachment.to.as_mut().is_none_or(stays)
        });
        state.positions.remove(body);
        state.rotations.remove(body);
        state.velocities.remove(body);
        state.spins.remove(body);
        Ok(self.bodies.remove(body))
    }

    /// The number of a group, which is new if nobody had its name.
    pub fn group(&mut self, name: &str) -> u32 {
        let known = self.groups.iter().position(|group| group == name);
        known.unwrap_or_else(|| {
            self.groups.push(name.into());
            self.groups.len() - 1
        }) as u32
    }

    /// What a body is made of.
    pub fn shape(&self, body: usize) -> &Shape {
        &self.shapes[self.bodies[body].shape as usize]
    }

    /// The acceleration of a body.
    pub fn pull(&self, body: usize) -> DVec3 {
        self.gravity + self.bodies[body].push
    }

    /// The bodies that forces move, in order.
    pub fn free(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.bodies.len()).filter(|&i| self.bodies[i].is_free())
    }

    /// How many bodies are no cloth: they come first.
    pub fn rigid_count(&self) -> usize {
        self.cloths.first().map_or(self.bodies.len(), |cloth| cloth.first as usize)
    }

    /// The median radius of the rigid bodies that can move; of all, if there are none.
    pub fn typical_radius(&self) -> f64 {
        let rigid = self.rigid_count();
        let radius = |i: usize| self.bodies[i].radius;
        let mut radii: Vec<f64> = self.free().filter(|&i| i < rigid).map(radius).collect();
        if radii.is_empty() {
            radii = self.bodies.iter().map(|body| body.radius).collect();
        }
        if radii.is_empty() { 1.0 } else { median(radii) }
    }

    /// Unknowns of a rigid motion: 3 in 2D, 6 in 3D.
    pub fn freedoms(&self) -> usize {
        if self.dimension == 2 { 3 } else { 6 }
    }

    /// Whether some body turns while it settles.
    pub fn has_turning(&self) -> bool {
        matches!(self.method, Method::Settle(_)) && self.bodies.iter().any(|body| body.turns)
    }

    /// Whether some body is no ball.
    pub fn has_solids(&self) -> bool {
        self.bodies.iter().any(|body| self.shapes[body.shape as usize].is_ball().is_none())
    }

    /// Whether there is anything besides gravity and contact.
    pub fn has_forces(&self) -> bool {
        !self.forces.is_empty() || !self.joints.is_empty()
    }
}
