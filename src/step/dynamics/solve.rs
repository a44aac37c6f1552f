//! One step of the mode default: substeps, and in each of them forces, contacts
//! and joints at velocity level, motion, and joints at position level. At the end
//! of the step overlaps are taken away by displacements alone.

mod parts; // where velocities lead

use serde::{Deserialize, Serialize};

use super::articulation::Articulation;
use super::batch::Pass;
use super::batches::Batches;
use super::bodies::{Bodies, Velocity};
use super::collisions::Collisions;
use super::contacts::WarmStart;
use super::detect::{Candidate, Detector, keep_moving};
use super::direct::Direct;
use super::forces::Forces;
use super::limits::{Limit, limits};
use super::narrow::Motion;
use super::soft::Soft;
use super::tally::Tally;
use crate::math::DVec3;
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

/// Passes beyond those that are always made leave bodies alone that are not stirred: whose
/// velocities change by less than this part of what calls for another pass.
const STIRRED: f64 = 0.25;

/// The first step, which has no impulses to start from, makes up to so many times as many passes:
/// what stands would sink else, and be lifted again.
const FIRST_SWEEPS: usize = 40;

/// What is at rest but for what the passes leave makes up to so many times as many, until they
/// leave nothing: a tower would creep else. As its impulses are kept, that is done once.
const RESTING_SWEEPS: usize = 350;

/// It helps if what is left is no more than this many times what counts as nothing: the next
/// step goes on from there.
const SETTLING: f64 = 1e4;

/// Where it does not help, it is tried again after at most so many steps.
const LONGEST_WAIT: u32 = 1024;

/// A step that would solve contacts more often than this until nothing changes does so for few
/// steps in a row: a large pile, in which something always rolls, would cost a multiple for ever.
const DEAR: usize = 1_000_000;
const MOST_TRIES: u32 = 8;

/// Overlaps deeper than this part of a diameter are taken away by up to as many passes: in a
/// crowd that presses on, one hands them from neighbour to neighbour.
const DEEP: f64 = 0.005;

/// Contacts that a substep's own motion brings about are looked for at most so often.
const MOST_CATCHES: usize = 4;

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

/// Whether it pays to wait until nothing changes: not again soon where it did not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Patience {
    /// Steps to go until the next trial, and how many there were from the last to that.
    wait: u32,
    last: u32,
    /// Dear trials in a row that came near, but not to the end.
    tries: u32,
}

impl Patience {
    fn is_up(&mut self) -> bool {
        let is_up = self.wait == 0;
        self.wait = self.wait.saturating_sub(1);
        is_up
    }

    /// After a failure, twice as many steps pass before the next trial as before the last.
    fn note(&mut self, is_settled: bool, is_near: bool, is_dear: bool) {
        self.tries = match is_dear && !is_settled {
            true => self.tries.saturating_add(1),
            false => 0,
        };
        let helps = is_settled || (is_near && self.tries < MOST_TRIES);
        self.last = if helps { 0 } else { (2 * self.last).clamp(1, LONGEST_WAIT) };
        self.wait = self.last;
    }
}

/// A step in the making.
pub struct Solve<'s, 'a> {
    bodies: &'s mut Bodies<'a>,
    detector: &'s mut Detector,
    contacts: Batches,
    collisions: Collisions,
    articulation: &'s mut Articulation,
    soft: &'s mut Soft,
    forces: &'s mut Forces,
    /// What forces did to the velocities in this substep.
    kicks: Vec<DVec3>,
    /// The contacts of the last step, until they are looked at for the first time.
    last: Vec<WarmStart>,
    /// Of contacts that were given up for others.
    tallies: Vec<Tally>,
    bounce_speed: f64,
    soft_passes: usize,
    limits: Vec<Limit>,
    substeps: usize,
    sweeps: usize,
    is_first: bool,
    /// Whether all is at rest, and passes are made until that is sure.
    is_patient: bool,
    /// Whether joints have ever let anything swing so fast that a substep was divided.
    pub is_divided: bool,
    is_spread: bool,
    h: f64,
    settled: f64,
    impact: f64,
    pub account: Account,
}

/// What a step works with besides the bodies.
pub struct Tools<'s> {
    pub detector: &'s mut Detector,
    pub articulation: &'s mut Articulation,
    pub soft: &'s mut Soft,
    pub forces: &'s mut Forces,
    /// The least speed at which points bounce.
    pub bounce_speed: f64,
}

impl<'s, 'a> Solve<'s, 'a> {
    /// Of bodies whose pairs in reach are these; `last` are the contacts of the last step.
    pub fn new(
        bodies: &'s mut Bodies<'a>,
        found: &[Candidate],
        last: Vec<WarmStart>,
        tools: Tools<'s>,
        options: &DynamicsOptions,
    ) -> Self {
        let Tools { detector, articulation, soft, forces, bounce_speed } = tools;
        let substeps = options.substeps.max(1);
        let h = options.time_step / substeps as f64;
        let acceleration = forces.largest(bodies.prepared);
        let settled = SETTLED * acceleration * h;
        Solve {
            contacts: Batches::new(bodies, found),
            collisions: Collisions::new(bodies, found),
            kicks: vec![DVec3::ZERO; bodies.inverse.len()],
            bodies,
            detector,
            articulation,
            soft,
            forces,
            last,
            tallies: Vec::new(),
            bounce_speed,
            soft_passes: options.cloth_passes,
            limits: Vec::new(),
            substeps,
            sweeps: options.sweeps,
            is_first: false,
            is_patient: false,
            is_divided: false,
            is_spread: false,
            h,
            settled,
            impact: IMPACT * acceleration * h,
            account: Account::default(),
        }
    }

    /// The whole step, and whether it is the first.
    pub fn step(&mut self, is_first: bool, patience: &mut Patience) {
        self.is_first = is_first;
        self.is_patient = patience.is_up() && self.is_at_rest();
        self.articulation.start(self.bodies);
        for substep in 0..self.substeps {
            if !self.detector.holds(self.bodies, self.h) {
                self.detect(self.substeps - substep);
            }
            self.substep();
        }
        if self.is_divided {
            // Velocities of half a part before are not those of the joints as they are now.
            self.articulation.refresh(self.bodies, self.h);
            self.articulation.solve_velocities(self.bodies);
            self.articulation.tell();
        }
        if self.is_patient {
            let most = RESTING_SWEEPS * self.sweeps * self.substeps;
            let (left, nothing) = (self.account.residual, self.settled);
            let is_dear = most * self.contacts.len() > DEAR;
            patience.note(left <= nothing, left <= SETTLING * nothing, is_dear);
        }
        // Nothing moves any more but out of overlaps.
        self.collisions.clocks.fill(0.0);
        let still = vec![Velocity::default(); self.bodies.inverse.len()];
        self.look(&still, 0.0);
        self.separate();
        self.account.contacts = self.contacts.len() as u32;
        if self.contacts.penetration() > DEEP {
            self.look(&still, 0.0);
        }
        self.account.penetration = self.contacts.penetration();
    }

    /// Whether no body is faster than what does not bounce.
    fn is_at_rest(&self) -> bool {
        let prepared = self.bodies.prepared;
        let speed = |i: usize| {
            let Velocity { linear, angular } = self.bodies.velocities[i];
            linear.length() + angular.length() * prepared.radius(i)
        };
        let rigid = prepared.model.rigid_count();
        prepared.model.free().take_while(|&i| i < rigid).all(|i| speed(i) <= self.bounce_speed)
    }

    /// What the contacts did, one for each, and what the next step takes over.
    pub fn finish(mut self) -> (Vec<Tally>, Vec<WarmStart>, Account) {
        let mut tallies = self.tallies;
        tallies.extend(self.contacts.take_tallies());
        tallies.extend(self.collisions.tallies);
        (Tally::merged(&tallies), self.contacts.save(), self.account)
    }

    /// Looks for pairs anew, as a body was hit so hard that it leaves where it was expected.
    fn detect(&mut self, left: usize) {
        self.last = self.contacts.save();
        self.tallies.extend(self.contacts.take_tallies());
        self.tallies.append(&mut self.collisions.tallies);
        let (last, time) = (&self.last, self.h * left as f64);
        let mut found = self.detector.candidates(self.bodies, last, self.forces, time);
        // Bodies that are held stay so until the step ends.
        keep_moving(&mut found, self.bodies);
        self.contacts = Batches::new(self.bodies, &found);
        self.collisions = Collisions::new(self.bodies, &found);
    }

    /// Contacts where the bodies are, if they move so, but for a change of velocities.
    fn look(&mut self, velocities: &[Velocity], unknown: f64) {
        let clocks = &self.collisions.clocks;
        let motion = Motion::new(self.bodies, velocities, clocks, unknown, self.h);
        self.contacts.look(&motion, &self.last);
    }

    fn substep(&mut self) {
        self.soft.note(self.bodies);
        let before: Vec<DVec3> = self.bodies.velocities.iter().map(|v| v.linear).collect();
        self.forces.kick(self.bodies, self.h);
        for (kick, (v, before)) in
            self.kicks.iter_mut().zip(self.bodies.velocities.iter().zip(before))
        {
            *kick = v.linear - before;
        }
        self.collisions.collide(self.bodies, &self.kicks, self.bounce_speed, self.h);
        // What forces do is undone by contacts, as a rule: what rolls along a floor does not
        // fall into the edge of the next stone.
        let mut expected = self.bodies.velocities.clone();
        for (velocity, kick) in expected.iter_mut().zip(&self.kicks) {
            velocity.linear -= *kick;
        }
        self.look(&expected, self.impact);
        self.contacts.warm_start(&mut self.bodies.velocities);
        self.articulation.refresh(self.bodies, self.h);
        self.limits = limits(self.bodies, self.articulation, self.h);
        self.passes(false);
        for _ in 0..MOST_CATCHES {
            if !self.catch() {
                break;
            }
            self.passes(true);
        }
        self.contacts.note();
        self.move_on();
    }

    /// Whether the passes sent bodies where no contact was expected.
    fn catch(&mut self) -> bool {
        let (bodies, clocks) = (&*self.bodies, &self.collisions.clocks);
        let motion = Motion::new(bodies, &bodies.velocities, clocks, 0.0, self.h);
        self.contacts.catch(&motion)
    }

    /// Gauss-Seidel passes over contacts, limits and motors, and all joints as one block, until
    /// nothing changes.
    /// Once more, only those around contacts that were caught.
    fn passes(&mut self, is_again: bool) {
        let alone = self.contacts.is_empty() && self.limits.is_empty();
        let most = match (alone, self.is_first) {
            (true, _) => 1,
            _ if self.is_patient => RESTING_SWEEPS * self.sweeps,
            (_, true) => FIRST_SWEEPS * self.sweeps,
            (_, false) => IMPACT_SWEEPS * self.sweeps,
        };
        let is_thorough = self.is_first || self.is_patient;
        // Only contacts know whom they stirred.
        let are_contacts_alone = self.limits.is_empty() && self.bodies.prepared.joints.is_empty();
        for pass in 0..most {
            let pass_over = Pass {
                number: pass as u32 + if is_again { 2 } else { 1 },
                stirring: if is_thorough { self.settled } else { STIRRED * self.impact },
                is_partial: (is_again || pass >= self.sweeps) && are_contacts_alone,
            };
            let mut change = self.contacts.solve(&mut self.bodies.velocities, pass_over);
            change = change.max(self.pass_joints());
            self.account.passes += 1;
            self.account.residual = change;
            let enough = pass + 1 >= self.sweeps && change <= self.impact && !is_thorough;
            if change <= self.settled || enough {
                break;
            }
        }
        let direct = Direct::new(self.bodies, &self.contacts);
        if !direct.is_empty() {
            direct.solve(self.bodies, &mut self.contacts, self.settled);
            // What is left, and whatever was between.
            self.account.residual =
                self.contacts.solve(&mut self.bodies.velocities, Pass::whole(0));
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
    /// so many passes: then the container and what is fixed hold before all else.
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
        let is_deep = self.contacts.penetration() > DEEP;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes near its end is tried in every step, but for what is dear; what fails waits.
    #[test]
    fn patience_has_an_end_where_it_is_dear() {
        let waits = |is_near: bool, is_dear: bool| {
            let mut patience = Patience::default();
            let mut waits = Vec::new();
            for _ in 0..12 {
                patience.note(false, is_near, is_dear);
                waits.push(patience.wait);
            }
            patience.note(true, true, is_dear);
            assert_eq!(patience, Patience::default(), "it starts anew when all is settled");
            waits
        };
        assert_eq!(waits(true, false), [0; 12]);
        assert_eq!(waits(true, true), [0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16]);
        assert_eq!(waits(false, false)[..4], [1, 2, 4, 8]);
    }
}
