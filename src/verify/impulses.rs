//! The impulses of a step, checked as optimality conditions without any solver:
//! they push bodies apart within the cone of friction (multipliers are not negative),
//! along a direction that keeps the two sides apart, at points of both, and only where
//! these touch (complementarity). Moments besides are those of friction within the contact
//! and of rolling. Joints, limits, motors and attachments act at their points; ropes pull,
//! limits push back, motors give no more than they can.

use rayon::prelude::*;

use super::Verdict;
use super::checks::{Made, Measure, Step, Subject};
use super::limits::Limits;
use super::motion::stirred;
use super::overlap::wall;
use super::sides::{SAME, Sides, times};
use super::threads::handed;
use crate::math::{DMat3, DVec3};
use crate::scene::{Material, Mode};
use crate::shape::Piece;
use crate::trajectory::{Contact, With};
use crate::world::{HeldPoints, HeldTurns, Joint, Method, Model, State};

/// Points that are known are told to rounding: in sizes, and relative to coordinates.
const TOLD: [f64; 2] = [1e-9, 1e-14];

/// A step with all that pushed in it.
struct Pushed<'s> {
    before: &'s State,
    now: &'s State,
    contacts: &'s [Contact],
    /// Of the mode paper with cloth: what its passes may have handed to and fro at every body.
    handed: Vec<f64>,
}

/// Looks at every impulse.
pub(super) struct Impulses<'a> {
    model: &'a Model,
    limits: Limits,
    dt: f64,
    /// The part of a step in which nothing is known of the places of contacts.
    h: f64,
    /// When contacts may have acted, as parts of a step.
    times: Vec<f64>,
    walls: Vec<Piece>,
    is_paper: bool,
    count: usize,
    fault: Option<String>,
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    Some(Box::new(Impulses::new(subject.model, subject.limits)?))
}

impl<'a> Impulses<'a> {
    fn new(model: &'a Model, limits: Limits) -> Option<Impulses<'a>> {
        let (dt, _) = model.method.time()?;
        let h = match &model.method {
            Method::Dynamics(options) if options.mode == Mode::Default => {
                dt / options.substeps.max(1) as f64
            }
            Method::Dynamics(_) => dt,
            _ => 0.0,
        };
        // Of collapse, bodies are kept apart half-way, too.
        let times = times(if h > 0.0 { (dt / h).round() as usize } else { 2 });
        let walls = model.boundary.faces().iter().map(wall).collect();
        let is_paper = matches!(&model.method, Method::Dynamics(o) if o.mode == Mode::Paper);
        Some(Impulses { model, limits, dt, h, times, walls, is_paper, count: 0, fault: None })
    }

    /// Why an impulse cannot be one.
    fn fault_of(&self, step: &Pushed, contact: &Contact) -> Option<String> {
        let before = step.before;
        let name = || name(contact);
        let Contact { force, normal, at, couples, .. } = *contact;
        let numbers = [force, normal, at[0], at[1], couples[0], couples[1]];
        if !numbers.iter().all(|vector| vector.is_finite()) {
            return Some(format!("{} has a number that is none", name()));
        }
        if contact.body as usize >= self.model.bodies.len() {
            return Some(format!("{} is of a body that does not exist", name()));
        }
        let ends = [Some(contact.body as usize), contact.with.body(self.model)];
        let turned = |side: usize| couples[side] != DVec3::ZERO && !self.turns(ends[side]);
        if turned(0) || turned(1) {
            return Some(format!("{} turns what does not turn", name()));
        }
        let fault = match contact.with {
            With::Joint(number) | With::Limit(number) | With::Motor(number) => {
                match self.model.joints.get(number as usize) {
                    Some(joint) => self.fault_of_joint(before, contact, joint),
                    None => Some("is with a joint that does not exist".to_string()),
                }
            }
            With::Attachment(number) => match self.model.attachments.get(number as usize) {
                Some(tie) if tie.particle == contact.body => {
                    let off = at.map(|at| at.distance(before.positions[contact.body as usize]));
                    let told = self.told(contact.body as usize, at[0]);
                    (off[0].max(off[1]) > told)
                        .then(|| "acts elsewhere than at its particle".into())
                }
                _ => Some("is with an attachment of another particle".to_string()),
            },
            With::Body(_) | With::Face(_) => self.fault_of_push(step, contact),
        };
        fault.map(|fault| format!("{} {fault}", name()))
    }

    /// Whether moments turn a body.
    fn turns(&self, body: Option<usize>) -> bool {
        let body = body.and_then(|body| self.model.bodies.get(body));
        body.is_some_and(|body| body.is_free() && body.inertia != DMat3::ZERO)
    }

    /// Of cloth.
    fn is_particle(&self, body: Option<usize>) -> bool {
        body.is_some_and(|body| body >= self.model.rigid_count())
    }

    /// What rounding does to a point that is known.
    fn told(&self, body: usize, at: DVec3) -> f64 {
        TOLD[0] * self.model.bodies[body].radius + TOLD[1] * at.length()
    }

    /// Impulses of joints act at their points; ropes pull.
    fn fault_of_joint(&self, before: &State, contact: &Contact, joint: &Joint) -> Option<String> {
        if joint.bodies[0] != Some(contact.body) {
            return Some("is with a joint of another body".into());
        }
        let ends = joint.ends(before);
        let off = (0..2).map(|side| ends[side].distance(contact.at[side])).fold(0.0, f64::max);
        if off > self.told(contact.body as usize, contact.at[0]) {
            return Some("acts elsewhere than at its joint".into());
        }
        match contact.with {
            With::Motor(_) => self.fault_of_motor(before, contact, joint),
            With::Limit(_) => self.fault_of_limit(before, contact, joint),
            _ => {
                let pull = contact.force.dot(ends[0] - ends[1]);
                let tolerance =
                    self.limits.cone * contact.force.length() * ends[0].distance(ends[1]);
                let is_rope = joint.is_rope() && pull > tolerance;
                is_rope.then(|| "pushes, but is with a rope".into())
            }
        }
    }

    /// What a limit or a motor does along its joint, or about it, to the first body.
    fn along_freedom(&self, before: &State, contact: &Contact, joint: &Joint) -> f64 {
        let axis = super::joints::axis(joint, before, self.model.dimension == 2);
        match joint.kind.holds() {
            (HeldPoints::OnLine, HeldTurns::Locked) => contact.force.dot(axis),
            _ => contact.couples[usize::from(!self.turns(Some(contact.body as usize)))].dot(axis),
        }
    }

    fn fault_of_motor(&self, before: &State, contact: &Contact, joint: &Joint) -> Option<String> {
        let Some(motor) = joint.motor else { return Some("is with a motor that is not".into()) };
        let most = motor.most? * self.dt * (1.0 + self.limits.cone);
        let given = self.along_freedom(before, contact, joint).abs();
        (given > most).then(|| "is stronger than the motor can be".into())
    }

    /// A limit pushes away from the side that is nearer.
    fn fault_of_limit(&self, before: &State, contact: &Contact, joint: &Joint) -> Option<String> {
        let Some([least, most]) = joint.limits else {
            return Some("is with limits that there are not".into());
        };
        let value = super::joints::value(joint, before, self.model.dimension == 2);
        let towards = if value - least < most - value { 1.0 } else { -1.0 };
        let push = towards * self.along_freedom(before, contact, joint);
        let size = contact.force.length().max(contact.couples[0].length());
        (push < -self.limits.cone * size).then(|| "pulls, but is with a limit".into())
    }

    fn fault_of_push(&self, step: &Pushed, contact: &Contact) -> Option<String> {
        let Pushed { before, now, .. } = *step;
        let (force, normal) = (contact.force, contact.normal);
        if (normal.length() - 1.0).abs() > SAME {
            return Some(format!("has the normal {normal}"));
        }
        let Some([one, two]) = self.materials(contact) else {
            return Some("is with a body that does not exist".into());
        };
        let friction = (one.friction * two.friction).sqrt();
        let along = force.dot(normal);
        let tolerance = self.limits.cone * force.length();
        if along < -tolerance {
            return Some("pulls".into());
        }
        if (force - along * normal).length() > friction * along.max(0.0) + tolerance {
            return Some("is beyond friction".into());
        }
        let mut sides = match self.sides(before, now, contact) {
            Ok(sides) => sides,
            Err(fault) => return Some(fault),
        };
        if let Some(fault) = self.fault_of_points(before, contact, &sides) {
            return Some(fault);
        }
        let rolling = one.rolling.max(two.rolling);
        if self.h > 0.0 && sides.bounces && sides.fault().is_some() {
            sides.place += self.excursion(step, sides.bodies);
        }
        sides
            .fault()
            .map(str::to_string)
            .or_else(|| self.fault_of_couples(step, contact, &sides, [friction, rolling]))
    }

    /// How far two bodies may have been from an even motion: when in the step pushes came that throw
    /// a body about is not known, and a velocity whose changes sum up to so much leaves its mean by at
    /// most a quarter of that times the time.
    fn excursion(&self, step: &Pushed, bodies: [Option<usize>; 2]) -> f64 {
        let changes = step.contacts.iter().flat_map(|c| stirred(self.model, step.before, c));
        let own = changes.filter(|(body, _)| bodies.contains(&Some(*body)));
        0.25 * self.dt * own.map(|(_, change)| change).sum::<f64>()
    }

    /// Points that nothing turns are where they are by definition.
    fn fault_of_points(&self, before: &State, contact: &Contact, sides: &Sides) -> Option<String> {
        let [one, two] = contact.at;
        let told = self.told(contact.body as usize, one);
        let aside = (one - two) - contact.normal * contact.normal.dot(one - two);
        let both_turn = sides.bodies.iter().all(|body| self.turns(*body));
        if !both_turn && aside.length() > told {
            return Some("acts at points that are not opposite each other".into());
        }
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let particle = sides.bodies[side].filter(|body| self.is_particle(Some(*body)));
            let Some(body) = particle else { continue };
            let surface =
                before.positions[body] + contact.normal * (sign * self.model.bodies[body].radius);
            let across = contact.at[side] - surface;
            let across = across - contact.normal * contact.normal.dot(across);
            if across.length() > told {
                return Some("acts elsewhere than at its particle".into());
            }
        }
        None
    }

    /// Moments are those of friction within the contact, about the normal, and of rolling.
    fn fault_of_couples(
        &self,
        step: &Pushed,
        contact: &Contact,
        sides: &Sides,
        [friction, rolling]: [f64; 2],
    ) -> Option<String> {
        let normal = contact.normal;
        let load = contact.force.dot(normal).max(0.0);
        // The impulse of a particle acts at its centre, wherever that is in the step: the arm told,
        // which is that of its start, changes by as much as it moves against the other.
        let is_cloth = sides.bodies.iter().any(|body| self.is_particle(*body));
        let thick = if is_cloth { sides.size + sides.apart_by().length() } else { 0.0 };
        // In the mode paper a particle is pushed and let go in turn, at arms that turn with its body.
        let particles = sides.bodies.iter().flatten().filter(|&&body| self.is_particle(Some(body)));
        let gave = particles.filter_map(|&body| step.handed.get(body)).copied();
        let most = gave.fold(contact.force.length(), f64::max);
        let off = (sides.place + sides.bend + thick) * most;
        // The impulse of others acts half-way between the two surfaces: the lever of friction, which
        // is across the gap, is longer by half of it.
        let gap = (contact.at[0] - contact.at[1]).dot(normal).abs();
        let off = off + 0.5 * gap * (contact.force - contact.force.dot(normal) * normal).length();
        // Friction to and fro within the step acts at levers as different as the centres of the bodies
        // come nearer to each other along the normal, also where overlaps are taken back.
        let off = off + friction * load * normal.dot(sides.apart_by()).abs();
        for couple in contact.couples {
            let twist = couple.dot(normal);
            if (couple - twist * normal).length() > rolling * load + off {
                return Some("turns more than rolling can".into());
            }
            // Rolling resists any spin.
            let free = rolling * load + off;
            // Friction acts where the pressure is in each substep, which moves with the surfaces.
            let lever = || sides.spread() + sides.way;
            if twist.abs() > free && twist.abs() > friction * load * lever() + free {
                return Some("twists more than friction can".into());
            }
        }
        None
    }

    fn materials(&self, contact: &Contact) -> Option<[Material; 2]> {
        let own = self.model.bodies.get(contact.body as usize)?.material;
        let other = match contact.with {
            With::Body(other) => self.model.bodies.get(other as usize)?.material,
            _ => self.model.wall,
        };
        Some([own, other])
    }

    /// How far a point of a body moves in a part of the step.
    fn travel(&self, states: [&State; 2], body: usize) -> f64 {
        let radius = self.model.bodies[body].radius;
        let speed =
            |state: &State| state.velocities[body].length() + radius * state.spins[body].length();
        let fall = self.model.pull(body).length() * self.dt;
        self.h * (speed(states[0]).max(speed(states[1])) + fall)
    }

    fn sides<'s>(
        &'s self,
        before: &'s State,
        now: &'s State,
        contact: &'s Contact,
    ) -> Result<Sides<'s>, String> {
        let body = contact.body as usize;
        let piece = |body: usize, side: usize| {
            let pieces = &self.model.shape(body).pieces;
            let piece = pieces.get(contact.pieces[side] as usize);
            piece.ok_or("is of a piece that does not exist".to_string())
        };
        let (other, others) = match contact.with {
            With::Body(other) if other as usize == body => return Err("is with itself".into()),
            With::Body(other) => (Some(other as usize), piece(other as usize, 1)?),
            With::Face(face) => {
                let face = self.walls.get(face as usize);
                (None, face.ok_or("is with a face that does not exist")?)
            }
            _ => return Err("is with no piece".into()),
        };
        let radius = |body: usize| self.model.bodies[body].radius;
        let bend = |body: usize| {
            let turn = now.rotations[body] * before.rotations[body].inverse();
            let angle = 2.0 * turn.xyz().length();
            angle * angle * radius(body)
        };
        let size = other.map_or(radius(body), |other| radius(other).min(radius(body)));
        let states = [before, now];
        let substeps = if self.h > 0.0 { self.dt / self.h } else { 0.0 };
        let travel = |body: usize| self.travel(states, body);
        let bodies = [Some(body), other];
        let materials = self.materials(contact);
        Ok(Sides {
            contact,
            states,
            bodies,
            pieces: [piece(body, 0)?, others],
            turns: bodies.map(|body| self.turns(body)),
            size,
            place: self.limits.place * size + travel(body) + other.map_or(0.0, travel),
            way: (travel(body) + other.map_or(0.0, travel)) * substeps,
            bend: bend(body) + other.map_or(0.0, bend),
            times: &self.times,
            dt: self.dt,
            pulls: bodies.map(|body| body.map_or(DVec3::ZERO, |body| self.model.pull(body))),
            bounces: materials.is_some_and(|[a, b]| a.restitution.max(b.restitution) > 0.0),
        })
    }
}

impl Measure for Impulses<'_> {
    fn frame(&mut self, step: &Step) {
        self.frames(std::slice::from_ref(step));
    }

    fn frames(&mut self, steps: &[Step]) {
        self.count += steps.iter().map(|step| step.frame.contacts.len()).sum::<usize>();
        if self.fault.is_some() {
            return;
        }
        let look = |step: &Step| {
            let before = step.before?;
            let contacts = &step.frame.contacts;
            let handed = match self.is_paper && !self.model.cloths.is_empty() {
                true => handed(self.model, self.dt, &before.state, step.frame),
                false => Vec::new(),
            };
            let pushed = Pushed { before: &before.state, now: &step.frame.state, contacts, handed };
            let mut faults = contacts.iter().filter_map(|c| self.fault_of(&pushed, c));
            faults.next().map(|fault| format!("{fault}, frame {}", step.index))
        };
        let found: Vec<_> = steps.par_iter().map(look).collect();
        self.fault = found.into_iter().flatten().next();
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let fine = match self.count {
            0 => "nothing pushes".to_string(),
            count => format!("{count} impulses push where bodies touch, and never pull"),
        };
        verdict.state("impulses", self.fault.take(), fine);
    }
}

fn name(contact: &Contact) -> String {
    match contact.with {
        With::Body(other) => format!("the impulse of bodies {} and {other}", contact.body),
        With::Face(face) => format!("the impulse of body {} and face {face}", contact.body),
        With::Joint(joint) => format!("the impulse of body {} and joint {joint}", contact.body),
        With::Limit(joint) => format!("the impulse of the limits of joint {joint}"),
        With::Motor(joint) => format!("the impulse of the motor of joint {joint}"),
        With::Attachment(number) => format!("the impulse of attachment {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DQuat;
    use crate::scene::{CollapseOptions, Motion};
    use crate::shape::{Boundary, Mesh, Shape};
    use crate::world::Weight;

    /// A cube on a fixed one, in a room whose floor the fixed one stands on.
    fn pile() -> (Model, State) {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        model.method = Method::Collapse(CollapseOptions::default());
        for z in [0.5, 1.5] {
            let cube = Shape::cuboid(DVec3::ONE).unwrap();
            let at = DVec3::new(0.2, 0.0, z);
            model.add(&mut state, cube, at, DQuat::IDENTITY, Weight::Density(1.0)).unwrap();
        }
        model.bodies[0].motion = Motion::Fixed;
        let room = Mesh::cuboid(DVec3::new(-3.0, -3.0, 0.0), DVec3::splat(3.0));
        model.boundary = Boundary::from_mesh(&room);
        (model, state)
    }

    fn push() -> Contact {
        Contact {
            body: 1,
            with: With::Body(0),
            pieces: [0; 2],
            at: [DVec3::new(0.4, 0.1, 1.0); 2],
            normal: DVec3::Z,
            force: DVec3::new(0.4, 0.0, 1.0),
            couples: [DVec3::ZERO; 2],
            choice: false,
        }
    }

    fn fault_between(
        impulses: &Impulses,
        [before, now]: [&State; 2],
        contact: &Contact,
    ) -> Option<String> {
        let contacts = std::slice::from_ref(contact);
        impulses.fault_of(&Pushed { before, now, contacts, handed: Vec::new() }, contact)
    }

    fn fault(change: impl Fn(&mut Contact)) -> String {
        let (model, state) = pile();
        let impulses = Impulses::new(&model, Limits::of(&model.method)).unwrap();
        let mut contact = push();
        change(&mut contact);
        fault_between(&impulses, [&state, &state], &contact).unwrap_or_default()
    }

    #[test]
    fn pushes_are_told_from_what_is_none() {
        assert_eq!(fault(|_| ()), "");
        assert_eq!(fault(|c| c.force.z = -1.0), "the impulse of bodies 1 and 0 pulls");
        assert!(fault(|c| c.force.x = 0.6).ends_with("is beyond friction"));
        let askew = fault(|c| c.at[0].x += 1e-3);
        assert!(askew.ends_with("not opposite each other"), "{askew}");
        let aside = fault(|c| c.at = [DVec3::new(0.9, 0.1, 1.0); 2]);
        assert!(aside.ends_with("acts at a point that is not on both"), "{aside}");
        assert!(fault(|c| c.with = With::Body(7)).ends_with("a body that does not exist"));
        assert!(fault(|c| c.with = With::Body(1)).ends_with("is with itself"));
        assert!(fault(|c| c.with = With::Face(99)).ends_with("a face that does not exist"));
        assert!(fault(|c| c.with = With::Joint(0)).ends_with("a joint that does not exist"));
        assert!(fault(|c| c.pieces = [0, 1]).ends_with("a piece that does not exist"));
        assert!(fault(|c| c.body = 2).ends_with("of a body that does not exist"));
        assert!(fault(|c| c.normal *= 2.0).contains("has the normal"));
        assert!(fault(|c| c.force.y = f64::NAN).ends_with("a number that is none"));
        let twisted = fault(|c| c.couples[0] = DVec3::Z);
        assert!(twisted.ends_with("twists more than friction can"), "{twisted}");
        let rolled = fault(|c| c.couples[0] = DVec3::X * 0.1);
        assert!(rolled.ends_with("turns more than rolling can"), "{rolled}");
        let held = fault(|c| c.couples[1] = DVec3::X * 0.1);
        assert!(held.ends_with("turns what does not turn"), "{held}");
        let tilted = fault(|c| {
            c.normal = DVec3::new(0.1, 0.0, 1.0).normalize();
            c.force = c.normal;
        });
        assert!(tilted.ends_with("that does not keep the two apart"), "{tilted}");
    }

    #[test]
    fn who_does_not_touch_does_not_push() {
        let (model, mut state) = pile();
        let impulses = Impulses::new(&model, Limits::of(&model.method)).unwrap();
        state.positions[1].z += 0.01;
        let mut contact = push();
        contact.at[0].z += 0.01;
        let told = fault_between(&impulses, [&state, &state], &contact).unwrap();
        assert!(told.ends_with("acts between two that do not touch"), "{told}");
        // Unless they do at the end of the step.
        let mut landed = state.clone();
        landed.positions[1].z -= 0.01;
        assert_eq!(fault_between(&impulses, [&state, &landed], &contact), None);
        let floor = model.boundary.nearest(DVec3::new(0.2, 0.0, 0.1)).unwrap().face;
        state.positions[1].z = 0.5;
        let wall = Contact { with: With::Face(floor), at: [DVec3::X * 0.1; 2], ..push() };
        assert_eq!(fault_between(&impulses, [&state, &state], &wall), None);
        state.positions[1].z = 0.6;
        let told = fault_between(&impulses, [&state, &state], &wall).unwrap();
        assert!(told.ends_with("acts at a point that is not on both"), "{told}");
    }
}
