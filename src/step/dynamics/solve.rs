//! One step of the mode default: substeps, and in each of them forces, contacts
//! and joints at velocity level, motion, and joints at position level. At the end
//! of the step overlaps are taken away by displacements alone.

use super::articulation::Articulation;
use super::batches::Batches;
use super::bodies::{Bodies, Velocity};
use super::forces::Forces;
use super::limits::{Limit, limits};
use super::soft::Soft;
use crate::scene::DynamicsOptions;

/// The part of an overlap that a step takes away.
const SEPARATED: f64 = 0.1;

/// A pass over the contacts that changes no velocity by more than this part of what gravity
/// (or another force) does in a substep is the last one.
const SETTLED: f64 = 1e-6;

/// While a pass changes velocities by more than this many times what gravity does in a
/// substep, bodies are hitting each other, and up to so many times as many passes are made.
const IMPACT: f64 = 4.0;
const IMPACT_SWEEPS: usize = 8;

/// The first step, which has no impulses to start from, makes up to so many times as many passes:
/// what stands would sink else, and be lifted again.
const FIRST_SWEEPS: usize = 40;

/// Overlaps deeper than this part of a diameter are taken away by up to as many passes: in a
/// crowd that presses on, one hands them from neighbour to neighbour.
const DEEP: f64 = 0.005;

/// A blow is passed on at most so often in a step.
const COLLISIONS: usize = 32;

/// What a step counts for its ledger.
#[derive(Clone, Copy, Debug, Default)]
pub struct Account {
    /// Proximities, and those of them that push.
    pub contacts: u32,
    pub pushing: u32,
    /// The deepest overlap, in the smaller body's diameter.
    pub penetration: f64,
    pub passes: u32,
    /// The largest change of a velocity in the last pass.
    pub residual: f64,
}

/// A step in the making.
pub struct Solve<'s, 'a> {
    bodies: &'s mut Bodies<'a>,
    contacts: &'s mut Batches,
    articulation: &'s mut Articulation,
    soft: &'s mut Soft,
    forces: &'s mut Forces,
    soft_passes: usize,
    limits: Vec<Limit>,
    substeps: usize,
    sweeps: usize,
    is_first: bool,
    h: f64,
    settled: f64,
    impact: f64,
    pub account: Account,
}

impl<'s, 'a> Solve<'s, 'a> {
    pub fn new(
        bodies: &'s mut Bodies<'a>,
        contacts: &'s mut Batches,
        articulation: &'s mut Articulation,
        soft: &'s mut Soft,
        forces: &'s mut Forces,
        options: &DynamicsOptions,
    ) -> Self {
        let substeps = options.substeps.max(1);
        let h = options.time_step / substeps as f64;
        let acceleration = forces.largest(bodies.prepared);
        let settled = SETTLED * acceleration * h;
        Solve {
            bodies,
            contacts,
            articulation,
            soft,
            forces,
            soft_passes: options.cloth_passes,
            limits: Vec::new(),
            substeps,
            sweeps: options.sweeps,
            is_first: false,
            h,
            settled,
            impact: IMPACT * acceleration * h,
            account: Account::default(),
        }
    }

    /// The whole step, and whether it is the first; `bounce_speed` is the least speed at which
    /// points bounce.
    pub fn step(&mut self, bounce_speed: f64, is_first: bool) {
        self.is_first = is_first;
        self.contacts.start(self.h);
        self.articulation.start(self.bodies);
        self.bounce(bounce_speed);
        for _ in 0..self.substeps {
            self.substep();
        }
        self.separate();
    }

    /// Collisions before contacts, one after the other, until nobody closes in any more: so a
    /// blow travels along a row of balls.
    fn bounce(&mut self, bounce_speed: f64) {
        if !self.contacts.is_bouncy() {
            return;
        }
        let dt = self.h * self.substeps as f64;
        for _ in 0..COLLISIONS {
            if !self.contacts.bounce(&mut self.bodies.velocities, bounce_speed, dt) {
                break;
            }
        }
    }

    fn substep(&mut self) {
        self.forces.kick(self.bodies, self.h);
        self.limits = limits(self.bodies, self.h);
        self.contacts.warm_start(&mut self.bodies.velocities);
        self.articulation.refresh(self.bodies, self.h);
        self.passes();
        self.contacts.tell();
        self.limits.iter().for_each(|limit| self.articulation.tally.count(limit));
        if !self.soft.is_empty() {
            self.soft.start(self.bodies);
        }
        self.bodies.drift(self.h);
        if !self.soft.is_empty() {
            // Cloth pulls at bodies as they are turned now.
            self.bodies.renew_inertias();
            self.soft.project(self.bodies, self.h, self.soft_passes);
            self.soft.tell(self.h);
        }
        self.articulation.close(self.bodies, self.h);
        self.bodies.renew_inertias();
        self.contacts.follow(self.bodies, self.h);
    }

    /// Gauss-Seidel passes over contacts, limits and motors, and all joints as one block, until
    /// nothing changes.
    fn passes(&mut self) {
        let alone = self.contacts.is_empty() && self.limits.is_empty();
        let most = match (alone, self.is_first) {
            (true, _) => 1,
            (_, true) => FIRST_SWEEPS * self.sweeps,
            (_, false) => IMPACT_SWEEPS * self.sweeps,
        };
        for pass in 0..most {
            // There and back again: loads travel both ways.
            let backwards = pass % 2 == 1;
            let mut change = self.contacts.solve(&mut self.bodies.velocities, backwards);
            for limit in &mut self.limits {
                change = change.max(limit.solve(self.bodies));
            }
            change = change.max(self.articulation.solve_velocities(self.bodies));
            self.account.passes += 1;
            self.account.residual = change;
            let enough = pass + 1 >= self.sweeps && change <= self.impact && !self.is_first;
            if change <= self.settled || enough {
                break;
            }
        }
        if self.is_overrun() {
            for _ in 0..self.sweeps {
                if self.contacts.solve_walls(&mut self.bodies.velocities) <= self.settled {
                    break;
                }
            }
        }
    }

    /// Whether not all can be kept, as a driven body pushes without end or a blow is too hard for
    /// so many passes: then the container holds before all else.
    fn is_overrun(&self) -> bool {
        self.account.residual > self.impact
    }

    /// Takes a part of every overlap away by displacements that no velocity takes over: pushing
    /// bodies apart adds no energy but that of their height.
    fn separate(&mut self) {
        if self.contacts.deepest() <= 0.0 {
            return;
        }
        self.bodies.start_shifts();
        let mut shifts = vec![Velocity::default(); self.bodies.inverse.len()];
        self.contacts.start_shifts(&mut shifts, 1.0 - SEPARATED);
        let is_deep = self.contacts.penetration(self.bodies.prepared) > DEEP;
        for pass in 0..if is_deep { IMPACT_SWEEPS * self.sweeps } else { self.sweeps } {
            let change = self.contacts.shift(&mut shifts, SEPARATED, pass % 2 == 1);
            self.account.passes += 1;
            if change <= self.settled * self.h {
                break;
            }
        }
        if self.is_overrun() {
            self.contacts.shift_walls(&mut shifts, SEPARATED);
        }
        for (i, shift) in shifts.iter().enumerate().take(self.bodies.world()) {
            self.bodies.positions[i] += shift.linear;
            self.bodies.turn_freely(i, shift.angular);
        }
        self.articulation.close_again(self.bodies);
    }
}
