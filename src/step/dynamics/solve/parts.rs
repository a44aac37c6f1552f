//! Where the velocities of a substep lead. Bodies that hang on joints go there in parts: as many
//! as the fastest swing asks for, and twice as many, again and again, where joints would give
//! them energy, as when a chain snaps tight.

use super::Solve;
use crate::step::dynamics::limits::{Limit, limits};

/// A substep has at most so many parts. In the smallest ones displacements that close joints leave
/// velocities alone, which can then lose energy, but gain none.
const MOST_PARTS: usize = 1024;

/// Joints are closed and motors led to their places in turn, so often.
const MOST_ARRIVALS: usize = 3;

impl Solve<'_, '_> {
    /// Moves the bodies, and closes the joints.
    pub(super) fn move_on(&mut self) {
        if !self.soft.is_empty() {
            self.soft.start(self.bodies, self.h);
        }
        let least = self.articulation.parts(self.bodies, self.h).min(MOST_PARTS);
        let (mut done, mut parts, mut most) = (0, least, least);
        let is_jointed = self.articulation.is_jointed();
        self.bodies.drift(self.h, |i| !is_jointed[i]);
        self.articulation.start_parts(self.bodies);
        // Forces act in every part, or tensions would come in blows and stir up what swings.
        self.is_spread = least > 1 && self.contacts.is_empty() && self.limits.is_empty();
        if self.is_spread {
            self.kick_jointed(-1.0);
        }
        while done < parts {
            if done > 0 {
                self.follow_joints(self.h / parts as f64);
            }
            (done, parts) = self.part(done, parts);
            most = most.max(parts);
            while parts > least && done % 2 == 0 && parts % 2 == 0 {
                (done, parts) = (done / 2, parts / 2);
            }
        }
        self.is_divided |= most > 1;
        self.articulation.finish_parts(self.bodies, self.h);
    }

    /// One more part, or the first of two or more into which it had to be divided: how many are
    /// done, of how many.
    fn part(&mut self, mut done: usize, mut parts: usize) -> (usize, usize) {
        let start = self.articulation.start_part(self.bodies);
        let mut h = self.h / parts as f64;
        loop {
            let energies = self.drift(h);
            // What cloth did is not taken back.
            if done + 1 == parts && !self.soft.is_empty() {
                self.pull_cloth();
                self.articulation.close(self.bodies, h);
                break;
            }
            if self.articulation.close(self.bodies, h)
                && !self.articulation.has_gained(self.bodies, &energies)
            {
                break;
            }
            self.articulation.restart_part(self.bodies, &start);
            if parts >= MOST_PARTS {
                self.drift(h);
                self.articulation.close_again(self.bodies);
                break;
            }
            (done, parts) = (2 * done, 2 * parts);
            h = self.h / parts as f64;
        }
        self.arrive(h);
        self.articulation.tell();
        self.limits.iter().for_each(|limit| self.articulation.tally.count(limit));
        self.bodies.renew_inertias();
        (done + 1, parts)
    }

    /// Where velocities lead what hangs on joints, and the energies of these.
    fn drift(&mut self, h: f64) -> Vec<f64> {
        if self.is_spread {
            self.kick_jointed(h / self.h);
            self.articulation.forget_taken();
            self.articulation.solve_velocities(self.bodies);
        }
        let bodies = &*self.bodies;
        self.limits.iter_mut().for_each(|limit| limit.aim(bodies, h));
        let energies = self.articulation.energies(self.bodies);
        let is_jointed = self.articulation.is_jointed();
        self.bodies.drift(h, |i| is_jointed[i]);
        energies
    }

    /// Gives what hangs on joints a part of what forces do to velocities in a substep.
    fn kick_jointed(&mut self, part: f64) {
        let is_jointed = self.articulation.is_jointed();
        for (i, kick) in self.kicks.iter().enumerate().filter(|(i, _)| is_jointed[*i]) {
            self.bodies.velocities[i].linear += *kick * part;
        }
    }

    /// The joints, their limits and motors where a part of a substep has led.
    fn follow_joints(&mut self, h: f64) {
        self.articulation.refresh(self.bodies, h);
        self.limits = limits(self.bodies, self.articulation, h);
        // Those of limited strength have given their impulse of the substep.
        self.limits.retain(Limit::is_sure);
        for _ in 0..if self.limits.is_empty() { 1 } else { self.sweeps } {
            if self.pass_joints() <= self.settled {
                break;
            }
        }
    }

    /// A pass over limits, motors and joints; the largest change. The masses that limits and
    /// motors see are those of joints that hold, so these answer each of them at once.
    pub(super) fn pass_joints(&mut self) -> f64 {
        let mut change = self.articulation.solve_velocities(self.bodies);
        for limit in &mut self.limits {
            let by = limit.solve(self.bodies);
            if by > self.settled {
                change = change.max(by).max(self.articulation.solve_velocities(self.bodies));
            }
        }
        change
    }

    /// Cloth pulls at bodies as they are turned now.
    fn pull_cloth(&mut self) {
        self.bodies.renew_inertias();
        self.soft.project(self.bodies, self.h, self.soft_passes);
        self.soft.tell(self.bodies, self.h);
    }

    /// Lets limits, and motors that are strong enough, keep their places and their pace although
    /// joints were closed.
    fn arrive(&mut self, h: f64) {
        for _ in 0..MOST_ARRIVALS {
            let mut off = 0.0_f64;
            for limit in self.limits.iter_mut().filter(|limit| limit.is_sure()) {
                off = off.max(limit.arrive(self.bodies, h));
            }
            if off == 0.0 {
                break;
            }
            self.articulation.close(self.bodies, h);
        }
    }
}
