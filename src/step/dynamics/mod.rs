//! Rigid bodies in motion: joints, contacts, friction, cloth and balloons, by
//! projection of one constraint at a time \[D14\]. [`Mode::Paper`] is the paper as
//! written (`paper.rs`); [`Mode::Default`] splits a step into substeps, solves
//! contacts at velocity level with impulses kept from step to step, and all
//! joints at once (`articulation.rs`).
//!
//! ```
//! use riprap::math::DVec3;
//! use riprap::shape::{Core, Piece};
//! use riprap::step::dynamics::{Dynamics, Options};
//! use riprap::world::{Assembly, Motion, Poses, Weight};
//!
//! let (mut assembly, mut poses) = (Assembly::default(), Poses::default());
//! assembly.gravity = DVec3::NEG_Z;
//! let slab = Piece::new(Core::Box { half: DVec3::new(2.0, 2.0, 0.5) }, 0.0);
//! assembly.add(&mut poses, vec![slab], Weight::Density(1.0))?.motion = Motion::Fixed;
//! let ball = Piece { at: DVec3::new(0.0, 0.0, 2.0), ..Piece::new(Core::Point, 0.5) };
//! assembly.add(&mut poses, vec![ball], Weight::Density(1.0))?;
//! let mut dynamics = Dynamics::new(&assembly, Options::default());
//! for _ in 0..300 {
//!     dynamics.step(&mut poses)?;
//! }
//! assert!((poses.positions[1].z - 1.0).abs() < 1e-4);
//! # Ok::<(), riprap::Problem>(())
//! ```

mod articulation;
mod bodies;
#[cfg(test)]
mod cloth_tests;
mod connector;
mod contacts;
mod crowd;
mod detect;
mod group;
mod joints;
pub mod oracle;
mod paper;
mod points;
mod pressure;
mod shock;
mod soft;
mod soft_contacts;
mod soft_paper;
mod solve;
mod stops;
#[cfg(test)]
mod tests;
mod threads;
mod touch;

pub use crate::scene::{Dynamics as Options, Mode};
pub use paper::correction;

use serde::{Deserialize, Serialize};

use self::articulation::Articulation;
use self::bodies::Bodies;
use self::contacts::Kept;
use self::crowd::Crowd;
use self::detect::Detector;
pub use self::detect::Proximity;
use self::soft::Soft;
use self::soft_contacts::{Near, Surroundings};
use self::solve::{Account, Solve};
use super::collapse::Ledger;
use crate::problem::{Problem, Result};
use crate::world::{Assembly, Poses};

/// Points bounce if they meet faster than a fall from this part of the radius.
const BOUNCE_HEIGHT: f64 = 1e-3;

/// Scenes of fewer bodies are stepped by one thread (but in tests).
const SEVERAL_THREADS: usize = if cfg!(test) { 100 } else { 300 };

/// What the next step takes over from the last one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Sorted by key.
    pub contacts: Vec<Kept>,
}

/// The bodies in motion.
pub struct Dynamics<'a> {
    assembly: &'a Assembly,
    options: Options,
    memory: Memory,
    detector: Detector,
    articulation: Option<Articulation>,
    surroundings: Surroundings,
    soft: Soft,
    bounce_speed: f64,
}

impl<'a> Dynamics<'a> {
    pub fn new(assembly: &'a Assembly, options: Options) -> Self {
        Dynamics::resume(assembly, options, Memory::default())
    }

    /// Goes on from a checkpoint to the same bits.
    pub fn resume(assembly: &'a Assembly, options: Options, memory: Memory) -> Self {
        let detector = Detector::new(assembly);
        let (surroundings, soft) = (Surroundings::new(assembly), Soft::new(assembly));
        let bodies = assembly.free().filter(|&i| i < assembly.rigid_count());
        let radii = bodies.map(|i| assembly.parts[i].radius);
        let smallest = radii.fold(f64::INFINITY, f64::min).min(1e300);
        let bounce_speed = (2.0 * assembly.gravity.length() * BOUNCE_HEIGHT * smallest).sqrt();
        Dynamics {
            assembly,
            options,
            memory,
            detector,
            articulation: None,
            surroundings,
            soft,
            bounce_speed,
        }
    }

    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// One time step. A number that is none ends the run, and names the body.
    pub fn step(&mut self, poses: &mut Poses) -> Result<Ledger> {
        if self.assembly.parts.len() < SEVERAL_THREADS || rayon::current_num_threads() == 1 {
            return self.step_here(poses);
        }
        // Inside the pool, handing out work is cheap.
        rayon::scope(|_| self.step_here(poses))
    }

    fn step_here(&mut self, poses: &mut Poses) -> Result<Ledger> {
        let bodies = Bodies::new(self.assembly, poses);
        let found = self.near(&bodies);
        self.move_on(bodies, poses, &found)
    }

    /// The first half of a step: who may touch whom before the next one.
    pub fn detect(&mut self, poses: &Poses) -> Vec<Proximity> {
        self.near(&Bodies::new(self.assembly, poses))
    }

    /// The second half of a step, given what [`Dynamics::detect`] found for these poses.
    pub fn advance(&mut self, poses: &mut Poses, found: &[Proximity]) -> Result<Ledger> {
        self.move_on(Bodies::new(self.assembly, poses), poses, found)
    }

    fn near(&mut self, bodies: &Bodies) -> Vec<Proximity> {
        self.detector.proximities(bodies, &self.memory.contacts, self.options.time_step)
    }

    fn move_on(
        &mut self,
        mut bodies: Bodies,
        poses: &mut Poses,
        found: &[Proximity],
    ) -> Result<Ledger> {
        let near = self.surroundings.near(&bodies, self.options.time_step);
        let account = match self.options.mode {
            Mode::Paper => self.step_as_written(&mut bodies, found.to_vec(), &near),
            Mode::Default => self.step_by_default(&mut bodies, found, &near),
        };
        soft::damp(&mut bodies, self.options.time_step);
        if self.options.damping > 0.0 {
            bodies.damp((1.0 - self.options.damping * self.options.time_step).max(0.0));
        }
        if let Some(body) = bodies.broken() {
            let message = format!("the motion of body {body} is no number any more");
            return Err(Problem::new(message)
                .help("a smaller `time_step` or more `substeps` may keep it in bounds"));
        }
        bodies.store(poses);
        Ok(self.ledger(&bodies, poses, account))
    }

    fn step_as_written(
        &self,
        bodies: &mut Bodies,
        mut found: Vec<Proximity>,
        near: &[Near],
    ) -> Account {
        found.extend(soft_contacts::proximities(bodies, near));
        let points = paper::step(bodies, &found, &self.options);
        let parts = &self.assembly.parts;
        let depth = |point: &paper::Point| {
            let radius = point.ends.map(|end| parts[end.body].radius);
            -point.gap(bodies) / (2.0 * radius[0].min(radius[1]))
        };
        Account {
            contacts: found.len() as u32,
            pushing: points.len() as u32,
            penetration: points.iter().map(depth).fold(0.0, f64::max),
            passes: (self.options.velocity_iterations + self.options.position_iterations) as u32,
            residual: 0.0,
        }
    }

    fn step_by_default(
        &mut self,
        bodies: &mut Bodies,
        found: &[Proximity],
        near: &[Near],
    ) -> Account {
        self.soft.meet(bodies, near);
        let mut crowd = Crowd::new(bodies, found, &self.memory.contacts);
        let articulation = self.articulation.get_or_insert_with(|| Articulation::new(bodies));
        let mut solve = Solve::new(bodies, &mut crowd, articulation, &mut self.soft, &self.options);
        solve.step(self.bounce_speed);
        let mut account = solve.account;
        self.memory.contacts = crowd.keep();
        let (touches, pushing, deepest) = self.soft.account(bodies);
        account.contacts = found.len() as u32 + touches;
        account.pushing = self.memory.contacts.len() as u32 + pushing;
        account.penetration = crowd.penetration(self.assembly).max(deepest);
        account
    }

    fn ledger(&self, bodies: &Bodies, poses: &Poses, account: Account) -> Ledger {
        let (momentum, angular_momentum) = self.assembly.momentum(poses);
        Ledger {
            energy: self.assembly.energy(poses),
            momentum: momentum.to_array(),
            angular_momentum: angular_momentum.to_array(),
            penetration: account.penetration,
            rows: account.contacts,
            pushing: account.pushing,
            residual: account.residual,
            iterations: account.passes,
            joint_error: (!self.assembly.joints.is_empty()).then(|| joint_error(bodies)),
            ..Default::default()
        }
    }
}

/// The largest distance by which a joint is off, in the larger radius of its bodies.
fn joint_error(bodies: &Bodies) -> f64 {
    let mut errors = [0.0; joints::MOST_ROWS];
    let mut worst = 0.0_f64;
    for bond in &bodies.assembly.joints {
        joints::Placed::new(bodies, bond).errors(bodies, bond, &mut errors);
        let radius = |i: usize| bodies.assembly.parts.get(i).map_or(0.0, |part| part.radius);
        let [a, b] = joints::ends(bodies, bond);
        let size = radius(a).max(radius(b));
        let angles = joints::first_angle(bond);
        for (k, error) in errors[..joints::row_count(bond)].iter().enumerate() {
            worst = worst.max(error.abs() / if k >= angles { 1.0 } else { size });
        }
    }
    worst
}
