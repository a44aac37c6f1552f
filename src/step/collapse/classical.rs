//! The classical loop [C11 Figure 6] in reduced form, to compare with: impacts change velocities at
//! once [C11 7], then one program finds the accelerations, then velocities and places follow.
//! Nothing here pulls bodies back that have drifted into each other: a step that would end beyond what
//! a run is held to ends the run, with the reason.

use super::gauss::{Ends, Facets, Gauss};
use super::guess::slides;
use super::{Collapse, MOST_PASSES, STILL, Solved, impulses::impulses};
use crate::contact::{Move, Touch};
use crate::math::DVec3;
use crate::solver::quadratic::{Answer, Demand, solve};
use crate::world::{Contact, State};

/// Bodies touch if their gap is below this fraction of the smaller one's radius: what steps of
/// the first order lose between two looks.
const TOUCHING: f64 = 1e-3;

impl Collapse {
    /// The motions of a step from velocities and accelerations.
    pub(super) fn accelerations(&mut self, state: &State, free: &[Move]) -> Solved {
        let dt = self.options.time_step;
        let near = |t: &&Touch| t.gap < TOUCHING * t.size(&self.model);
        let close: Vec<Touch> = self.touches.iter().filter(near).copied().collect();
        let old: Vec<Move> =
            state.velocities.iter().copied().zip(state.spins.iter().copied()).collect();
        let (velocities, mut contacts) = self.impact(state, &close, &old);
        let Solved { answer, motions: gained, contacts: more } =
            self.gain(state, &close, &velocities, free);
        contacts.extend(more);
        let pushed = |t: &&Touch| {
            let same = |c: &Contact| (c.body, c.with, c.at[0]) == (t.key.body, t.key.with, t.at[0]);
            contacts.iter().any(same)
        };
        self.memory.multipliers = close.iter().filter(pushed).map(|t| (t.key, 0, 1.0)).collect();
        let motion = |(v, a): (&Move, &Move)| ((v.0 + a.0 * dt) * dt, (v.1 + a.1 * dt) * dt);
        let motions = velocities.iter().zip(&gained).map(motion).collect();
        Solved { answer, motions, contacts }
    }

    /// The velocities after impacts: the closest ones, in the metric of mass, that close no
    /// touch [C11 (Q*)], or open it again as restitution asks.
    fn impact(&self, state: &State, close: &[Touch], old: &[Move]) -> (Vec<Move>, Vec<Contact>) {
        let dt = self.options.time_step;
        let offset = |touch: &Touch| {
            let closing = -touch.rate(state, touch.moves(old));
            let material = touch.material(&self.model);
            let bounces = material.restitution > 0.0 && closing > self.jump(touch);
            // What is still apart may close just so far.
            let room = (touch.gap / dt).max(0.0);
            if bounces { -material.restitution * closing } else { room }
        };
        let program = |facets: &Facets| {
            let mut program = Gauss::new(&self.model, state, old);
            for (joint, hold) in self.model.joints.iter().zip(&self.holds) {
                hold.add_impact(&mut program, &Ends::of_joint(joint, state));
            }
            add_touches(&mut program, close, facets, offset);
            program
        };
        let fastest = old.iter().map(|(v, _)| v.length()).fold(0.0, f64::max);
        let (program, facets, answer) = self.rounded(state, close, fastest, program);
        let touches = (close, &facets);
        let contacts = impulses(&program, &self.holds, touches, &answer.multipliers, 1.0);
        (program.motions(&answer.x), contacts)
    }

    /// The accelerations: bars keep their lengths (L2+) and touches do not close (S2+), to second order.
    fn gain(&self, state: &State, close: &[Touch], velocities: &[Move], free: &[Move]) -> Solved {
        let dt = self.options.time_step;
        // What turns freely keeps its angular momentum, not its spin.
        let wanted = |i: usize| match self.model.bodies[i].is_free() {
            true => (self.model.pull(i), (free[i].1 / dt - state.spins[i]) / dt),
            false => (DVec3::ZERO, DVec3::ZERO),
        };
        let wanted: Vec<Move> = (0..velocities.len()).map(wanted).collect();
        let step: Vec<Move> = velocities.iter().map(|(v, w)| (*v * dt, *w * dt)).collect();
        let offset = |touch: &Touch| {
            let moves = touch.moves(&step);
            // What opens, or has room to close, is free to do so.
            let speed = touch.rate(state, moves) / dt + (touch.gap / dt).max(0.0);
            let bend = 2.0 / (dt * dt) * touch.bend(state, moves);
            bend + (2.0 * speed / dt).max(0.0)
        };
        let program = |facets: &Facets| {
            let mut program = Gauss::new(&self.model, state, &wanted);
            for (joint, hold) in self.model.joints.iter().zip(&self.holds) {
                let ends = Ends::of_joint(joint, state);
                hold.add_gain(&mut program, &ends, velocities, &step, dt);
            }
            add_touches(&mut program, close, facets, offset);
            program
        };
        let strongest = wanted.iter().map(|(a, _)| a.length()).fold(0.0, f64::max);
        let (program, facets, answer) = self.rounded(state, close, strongest, program);
        let touches = (close, &facets);
        let contacts = impulses(&program, &self.holds, touches, &answer.multipliers, 1.0 / dt);
        Solved { motions: program.motions(&answer.x), answer, contacts }
    }

    /// Solves a program with more and more edges of the cones of friction, until these are as good
    /// as round where touches slide; `unit` says what is fast.
    fn rounded<'p>(
        &self,
        state: &State,
        close: &[Touch],
        unit: f64,
        program: impl Fn(&Facets) -> Gauss<'p>,
    ) -> (Gauss<'p>, Facets, Answer) {
        let friction = |touch: &Touch| touch.material(&self.model).friction;
        let mut facets = Facets::new(self.model.dimension, close, friction);
        let still = vec![STILL * unit; close.len()];
        let mut passes = 0;
        loop {
            let gauss = program(&facets);
            let answer = solve(&gauss.program, &[]);
            let slips = slides(state, close, &gauss.motions(&answer.x));
            let (mut more, mut multipliers) = (facets.clone(), answer.multipliers.clone());
            let first = multipliers.len() - facets.rows();
            passes += 1;
            let rounder = more.refine(&slips, &still, (&mut multipliers, first), |_| false);
            if !rounder || passes >= MOST_PASSES {
                return (gauss, facets, answer);
            }
            facets = more;
        }
    }
}

/// Adds the rows of touches that open by as much as `offset` says.
fn add_touches(
    program: &mut Gauss,
    touches: &[Touch],
    facets: &Facets,
    offset: impl Fn(&Touch) -> f64,
) {
    for (index, touch) in touches.iter().enumerate() {
        for direction in facets.pushes(index, touch) {
            program.add(Demand::AtLeast, offset(touch), &Ends::of_touch(touch), direction);
        }
    }
}
