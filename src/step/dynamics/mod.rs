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
mod detect;
mod joints;
mod paper;
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
use self::contacts::{Contact, Kept};
use self::detect::Proximity;
use self::soft::Soft;
use self::soft_contacts::{Near, Surroundings};
use self::solve::{Account, Solve};
use super::collapse::Ledger;
use crate::problem::{Problem, Result};
use crate::world::{Assembly, Poses};

/// Points bounce if they meet faster than a fall from this part of the radius.
const BOUNCE_HEIGHT: f64 = 1e-3;

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
    exempt: Vec<[u32; 2]>,
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
        let exempt = assembly.exempt();
        let (surroundings, soft) = (Surroundings::new(assembly), Soft::new(assembly));
        let bodies = assembly.free().filter(|&i| i < assembly.rigid_count());
        let radii = bodies.map(|i| assembly.parts[i].radius);
        let smallest = radii.fold(f64::INFINITY, f64::min).min(1e300);
        let bounce_speed = (2.0 * assembly.gravity.length() * BOUNCE_HEIGHT * smallest).sqrt();
        Dynamics {
            assembly,
            options,
            memory,
            exempt,
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
        let mut bodies = Bodies::new(self.assembly, poses);
        let kept = &self.memory.contacts;
        let found = detect::proximities(&bodies, &self.exempt, kept, self.options.time_step);
        let near = self.surroundings.near(&bodies, self.options.time_step);
        let account = match self.options.mode {
            Mode::Paper => self.step_as_written(&mut bodies, found, &near),
            Mode::Default => self.step_by_default(&mut bodies, &found, &near),
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
        let kept = &self.memory.contacts;
        let contact = |p: &Proximity| Contact::new(bodies, p, p.last.map(|last| &kept[last]));
        let mut contacts: Vec<Contact> = found.iter().map(contact).collect();
        let articulation = self.articulation.get_or_insert_with(|| Articulation::new(bodies));
        let mut solve =
            Solve::new(bodies, &mut contacts, articulation, &mut self.soft, &self.options);
        solve.step(self.bounce_speed);
        let mut account = solve.account;
        self.memory.contacts = contacts.iter().filter(|c| c.pushes()).map(Contact::keep).collect();
        let parts = &self.assembly.parts;
        let depth = |contact: &Contact| {
            let [a, b] = contact.bodies();
            contact.depth() / (2.0 * parts[a].radius.min(parts[b].radius))
        };
        let (touches, pushing, deepest) = self.soft.account(bodies);
        account.contacts = contacts.len() as u32 + touches;
        account.pushing = self.memory.contacts.len() as u32 + pushing;
        account.penetration = contacts.iter().map(depth).fold(deepest, f64::max);
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
    let mut rows = [joints::Row::default(); joints::MOST_ROWS];
    let mut worst = 0.0_f64;
    for bond in &bodies.assembly.joints {
        let count = joints::row_count(bond);
        joints::Placed::new(bodies, bond).rows(bodies, bond, &mut rows[..count]);
        let radius = |i: usize| bodies.assembly.parts.get(i).map_or(0.0, |part| part.radius);
        let size = joints::ends(bodies, bond).map(radius).into_iter().fold(0.0, f64::max);
        for row in &rows[..count] {
            let length = if row.linear == crate::math::DVec3::ZERO { 1.0 } else { size };
            worst = worst.max(row.error.abs() / length);
        }
    }
    worst
}
