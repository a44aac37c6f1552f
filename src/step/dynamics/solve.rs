//! One step of the mode default: substeps, and in each of them forces, contacts
//! and joints at velocity level, motion, and joints at position level. At the end
//! of the step overlaps are taken away by displacements alone.

use super::Options;
use super::articulation::Articulation;
use super::bodies::{Bodies, Velocity};
use super::crowd::Crowd;
use super::soft::Soft;
use super::stops::{Stop, stops};
use crate::math::DVec3;

/// The part of an overlap that a step takes away.
const SEPARATED: f64 = 0.1;

/// A pass over the contacts that changes no velocity by more than this part of what gravity
/// does in a substep is the last one.
const SETTLED: f64 = 1e-6;

/// While a pass changes velocities by more than this many times what gravity does in a
/// substep, bodies are hitting each other, and up to so many times as many passes are made.
const IMPACT: f64 = 4.0;
const IMPACT_SWEEPS: usize = 8;

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
    crowd: &'s mut Crowd,
    articulation: &'s mut Articulation,
    soft: &'s mut Soft,
    soft_passes: usize,
    stops: Vec<Stop>,
    substeps: usize,
    sweeps: usize,
    h: f64,
    settled: f64,
    impact: f64,
    pub account: Account,
}

impl<'s, 'a> Solve<'s, 'a> {
    pub fn new(
        bodies: &'s mut Bodies<'a>,
        crowd: &'s mut Crowd,
        articulation: &'s mut Articulation,
        soft: &'s mut Soft,
        options: &Options,
    ) -> Self {
        let substeps = options.substeps.max(1);
        let h = options.time_step / substeps as f64;
        let bodies_gravity = bodies.assembly.gravity.length();
        let settled = SETTLED * bodies_gravity * h;
        Solve {
            bodies,
            crowd,
            articulation,
            soft,
            soft_passes: options.cloth_passes,
            stops: Vec::new(),
            substeps,
            sweeps: options.sweeps,
            h,
            settled,
            impact: IMPACT * bodies_gravity * h,
            account: Account::default(),
        }
    }

    /// The whole step; `bounce_speed` is the least speed at which points bounce.
    pub fn step(&mut self, bounce_speed: f64) {
        self.crowd.start(self.h);
        self.bounce(bounce_speed);
        for _ in 0..self.substeps {
            self.substep();
        }
        self.separate();
    }

    /// Collisions before contacts, one after the other, until nobody closes in any more: so a
    /// blow travels along a row of balls.
    fn bounce(&mut self, bounce_speed: f64) {
        if !self.crowd.is_bouncy() {
            return;
        }
        let dt = self.h * self.substeps as f64;
        for _ in 0..COLLISIONS {
            if !self.crowd.bounce(&mut self.bodies.velocities, bounce_speed, dt) {
                break;
            }
        }
    }

    fn substep(&mut self) {
        self.bodies.kick(self.h);
        self.stops = stops(self.bodies, self.h);
        self.articulation.refresh(self.bodies);
        self.crowd.warm_start(&mut self.bodies.velocities);
        self.passes();
        if !self.soft.is_empty() {
            self.soft.start(self.bodies);
        }
        self.bodies.drift(self.h);
        if !self.soft.is_empty() {
            // Cloth pulls at bodies as they are turned now.
            self.bodies.renew_inertias();
            self.soft.project(self.bodies, self.h, self.soft_passes);
        }
        self.articulation.close(self.bodies, self.h);
        self.bodies.renew_inertias();
        self.crowd.follow(self.bodies, self.h);
    }

    /// Gauss-Seidel passes over contacts, limits and motors, and all joints as one block, until
    /// nothing changes.
    fn passes(&mut self) {
        let alone = self.crowd.is_empty() && self.stops.is_empty();
        for pass in 0..if alone { 1 } else { IMPACT_SWEEPS * self.sweeps } {
            // There and back again: loads travel both ways.
            let backwards = pass % 2 == 1;
            let mut change = self.crowd.solve(&mut self.bodies.velocities, backwards);
            for stop in &mut self.stops {
                change = change.max(stop.solve(self.bodies));
            }
            change = change.max(self.articulation.solve_velocities(self.bodies));
            self.account.passes += 1;
            self.account.residual = change;
            let enough = pass + 1 >= self.sweeps && change <= self.impact;
            if change <= self.settled || enough {
                break;
            }
        }
    }

    /// Takes a part of every overlap away by displacements that no velocity takes over: pushing
    /// bodies apart adds no energy but that of their height.
    fn separate(&mut self) {
        if self.crowd.deepest() <= 0.0 {
            return;
        }
        let mut shifts = vec![Velocity::default(); self.bodies.inverse.len()];
        self.crowd.start_shifts(&mut shifts, 1.0 - SEPARATED);
        let most = self.h * self.substeps as f64;
        for pass in 0..self.sweeps {
            let change = self.crowd.shift(&mut shifts, SEPARATED, most, pass % 2 == 1);
            self.account.passes += 1;
            if change <= self.settled * self.h {
                break;
            }
        }
        for (i, shift) in shifts.iter().enumerate().take(self.bodies.world()) {
            self.bodies.positions[i] += shift.linear;
            if shift.angular != DVec3::ZERO {
                self.bodies.rotate(i, shift.angular);
            }
        }
    }
}
