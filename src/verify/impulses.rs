//! The impulses of a step, checked as optimality conditions without any solver:
//! they push bodies apart within the cone of friction (multipliers are not negative),
//! along a direction that keeps the two sides apart, at points of both, and only where
//! these touch (complementarity).

use super::Verdict;
use super::checks::{Made, Measure, Step, Subject};
use super::convex::{Placed, room, separation};
use super::limits::Limits;
use super::overlap::wall;
use crate::math::{DQuat, DVec3};
use crate::scene::Material;
use crate::shape::Piece;
use crate::trajectory::{Contact, With};
use crate::world::{HeldPoints, Joint, Method, Model, State};

/// Unit vectors are, and directions are the same, up to this.
const SAME: f64 = 1e-6;

/// Looks at every impulse.
pub(super) struct Impulses<'a> {
    model: &'a Model,
    limits: Limits,
    dt: f64,
    /// The part of a step in which nothing is known of the places of contacts.
    h: f64,
    walls: Vec<Piece>,
    count: usize,
    fault: Option<String>,
}

/// The two sides of a contact, before and after the step: a step that keeps bodies apart at its
/// end has its impulses where they are then.
struct Sides<'p> {
    /// The body's piece, and the other one, before the step and after it.
    placed: [[Placed<'p>; 2]; 2],
    /// The points at which the impulse acts, before the step and carried along.
    at: [[DVec3; 2]; 2],
    /// The radius of the smaller body.
    size: f64,
    /// How far the sides may have moved against each other in a part of the step, ...
    travel: f64,
    /// ... and what turning in a whole one does to what is linear in it.
    bend: f64,
}

/// A direction separates as well as the best one if it does to this part of the size: of two
/// that are alike, the method may have taken either.
const AS_GOOD: f64 = 2e-3;

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    Some(Box::new(Impulses::new(subject.model, subject.limits)?))
}

impl<'a> Impulses<'a> {
    fn new(model: &'a Model, limits: Limits) -> Option<Impulses<'a>> {
        let (dt, _) = model.method.time()?;
        let h = match &model.method {
            Method::Dynamics(options) => dt / options.substeps.max(1) as f64,
            _ => 0.0,
        };
        let walls = model.boundary.faces().iter().map(wall).collect();
        Some(Impulses { model, limits, dt, h, walls, count: 0, fault: None })
    }

    /// Why an impulse cannot be one.
    fn fault_of(&self, before: &State, now: &State, contact: &Contact) -> Option<String> {
        let name = name(contact);
        let wrong = |what: &str| Some(format!("{name} {what}"));
        let numbers = [contact.force, contact.normal, contact.at[0], contact.at[1]];
        if !numbers.iter().all(|vector| vector.is_finite()) {
            return wrong("has a number that is none");
        }
        if contact.body as usize >= self.model.bodies.len() {
            return wrong("is of a body that does not exist");
        }
        let fault = match contact.with {
            With::Limit(_) | With::Motor(_) | With::Attachment(_) => None,
            With::Joint(number) => match self.model.joints.get(number as usize) {
                Some(joint) => self.fault_of_joint(before, contact, joint),
                None => Some("is with a joint that does not exist".to_string()),
            },
            With::Body(_) | With::Face(_) => self.fault_of_push(before, now, contact),
        };
        fault.map(|fault| format!("{name} {fault}"))
    }

    /// Impulses of joints act at their points; ropes pull.
    fn fault_of_joint(&self, before: &State, contact: &Contact, joint: &Joint) -> Option<String> {
        if joint.bodies[0] != Some(contact.body) {
            return Some("is with a joint of another body".into());
        }
        let size = super::joints::size(self.model, joint);
        let ends = joint.ends(before);
        let has_points =
            matches!(joint.kind.holds().0, HeldPoints::Together | HeldPoints::Apart { .. });
        let reach = self.limits.place * size + self.travel(before, contact.body as usize);
        let off = (0..2).map(|side| ends[side].distance(contact.at[side])).fold(0.0, f64::max);
        if has_points && off > reach {
            return Some("acts elsewhere than at its joint".into());
        }
        let pull = contact.force.dot(ends[0] - ends[1]);
        let tolerance = self.limits.cone * contact.force.length() * ends[0].distance(ends[1]);
        (joint.is_rope() && pull > tolerance).then(|| "pushes, but is with a rope".into())
    }

    fn fault_of_push(&self, before: &State, now: &State, contact: &Contact) -> Option<String> {
        let (force, normal) = (contact.force, contact.normal);
        if (normal.length() - 1.0).abs() > SAME {
            return Some(format!("has the normal {normal}"));
        }
        let friction = match self.friction(contact) {
            Ok(friction) => friction,
            Err(fault) => return Some(fault),
        };
        let along = force.dot(normal);
        let tolerance = self.limits.cone * force.length();
        if along < -tolerance {
            return Some("pulls".into());
        }
        if (force - along * normal).length() > friction * along.max(0.0) + tolerance {
            return Some("is beyond friction".into());
        }
        let sides = match self.sides(before, now, contact) {
            Ok(sides) => sides,
            Err(fault) => return Some(fault),
        };
        let place = self.limits.place * sides.size + sides.travel;
        if sides.off() > place && sides.off_after(normal) > place + sides.bend {
            return Some("acts at a point that is not on both".into());
        }
        let slack = place + AS_GOOD * sides.size;
        if !sides.keeps_apart(0, normal, slack) && !sides.keeps_apart(1, normal, slack + sides.bend)
        {
            return Some("acts along a direction that does not keep the two apart".into());
        }
        let gap = |k: usize| (sides.at[k][0] - sides.at[k][1]).dot(normal);
        // Who bounces may have come and gone within the step.
        let bounces = self.restitution(contact) > 0.0;
        (gap(0).min(gap(1)) > place + sides.bend && !bounces)
            .then(|| "acts between two that do not touch".into())
    }

    fn materials(&self, contact: &Contact) -> Option<[Material; 2]> {
        let own = self.model.bodies.get(contact.body as usize)?.material;
        let other = match contact.with {
            With::Body(other) => self.model.bodies.get(other as usize)?.material,
            _ => self.model.wall,
        };
        Some([own, other])
    }

    /// The geometric mean of the two sides' friction.
    fn friction(&self, contact: &Contact) -> Result<f64, String> {
        let materials = self.materials(contact);
        let [a, b] = materials.ok_or("is with a body that does not exist")?;
        Ok((a.friction * b.friction).sqrt())
    }

    /// The larger of the two sides' restitution.
    fn restitution(&self, contact: &Contact) -> f64 {
        self.materials(contact).map_or(0.0, |[a, b]| a.restitution.max(b.restitution))
    }

    /// How far a point of a body moves in a part of the step.
    fn travel(&self, state: &State, body: usize) -> f64 {
        let spin = self.model.bodies[body].radius * state.spins[body].length();
        let fall = self.model.pull(body).length() * self.dt;
        self.h * (state.velocities[body].length() + spin + fall)
    }

    fn sides(&self, before: &State, now: &State, contact: &Contact) -> Result<Sides<'_>, String> {
        let body = contact.body as usize;
        let piece = |body: usize, piece: u32| {
            let pieces = &self.model.shape(body).pieces;
            pieces.get(piece as usize).ok_or("is of a piece that does not exist".to_string())
        };
        let placed = |body: usize, side: usize| {
            let piece = piece(body, contact.pieces[side])?;
            let at =
                |state: &State| Placed::new(piece, state.positions[body], state.rotations[body]);
            Ok::<_, String>([before, now].map(at))
        };
        let carried = |body: usize, at: DVec3| {
            let turn = now.rotations[body] * before.rotations[body].inverse();
            now.positions[body] + turn * (at - before.positions[body])
        };
        let radius = |body: usize| self.model.bodies[body].radius;
        let bend = |body: usize| {
            let turn = now.rotations[body] * before.rotations[body].inverse();
            let angle = 2.0 * turn.xyz().length();
            angle * angle * radius(body)
        };
        let [own, own_after] = placed(body, 0)?;
        let after = carried(body, contact.at[0]);
        match contact.with {
            With::Body(other) => {
                let other = other as usize;
                if other == body {
                    return Err("is with itself".into());
                }
                let [others, others_after] = placed(other, 1)?;
                Ok(Sides {
                    placed: [[own, others], [own_after, others_after]],
                    at: [contact.at, [after, carried(other, contact.at[1])]],
                    size: radius(body).min(radius(other)),
                    travel: self.travel(before, body) + self.travel(before, other),
                    bend: bend(body) + bend(other),
                })
            }
            With::Face(face) => {
                let face = self.walls.get(face as usize);
                let face = face.ok_or("is with a face that does not exist")?;
                let wall = || Placed::new(face, DVec3::ZERO, DQuat::IDENTITY);
                Ok(Sides {
                    placed: [[own, wall()], [own_after, wall()]],
                    at: [contact.at, [after, contact.at[1]]],
                    size: radius(body),
                    travel: self.travel(before, body),
                    bend: bend(body),
                })
            }
            _ => Err("is with no piece".into()),
        }
    }
}

impl Sides<'_> {
    /// How far the points are from their pieces before the step.
    fn off(&self) -> f64 {
        let off = |side: usize| {
            let piece = &self.placed[0][side];
            piece.outside(self.at[0][side]) - piece.prism()
        };
        off(0).max(off(1))
    }

    /// How far a point that is carried along, and is one of its own piece, is from the other
    /// piece after the step, or the two points from facing each other before it.
    fn off_after(&self, normal: DVec3) -> f64 {
        let apart = self.at[0][0] - self.at[0][1];
        let aside = (apart - normal * normal.dot(apart)).length();
        let off = |side: usize| {
            let (own, other) = (&self.placed[1][side], &self.placed[1][1 - side]);
            let at = self.at[1][side];
            (own.outside(at) - own.prism()).max(other.outside(at) - other.prism())
        };
        off(0).min(off(1)).max(aside)
    }

    /// Whether the two sides are as far apart along a direction as they can be, or nearly, before
    /// the step or after it. A corner of the side that separates may also lean on the one that
    /// lies against it.
    fn keeps_apart(&self, when: usize, normal: DVec3, slack: f64) -> bool {
        let [a, b] = &self.placed[when];
        let own = room(a, b, normal);
        if separation(a, b, own + slack).0 <= own + slack {
            return true;
        }
        let (_, along) = separation(a, b, f64::INFINITY);
        [-a.facing(-along), b.facing(along)].iter().any(|n| n.distance(normal) < SAME)
    }
}

impl Measure for Impulses<'_> {
    fn frame(&mut self, step: &Step) {
        let Some(before) = step.before else { return };
        self.count += step.frame.contacts.len();
        if self.fault.is_some() {
            return;
        }
        let contacts = step.frame.contacts.iter();
        let mut faults =
            contacts.filter_map(|c| self.fault_of(&before.state, &step.frame.state, c));
        self.fault = faults.next().map(|fault| format!("{fault}, frame {}", step.index));
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let fine = match self.count {
            0 => "no impulses are kept".to_string(),
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

    fn fault(change: impl Fn(&mut Contact)) -> String {
        let (model, state) = pile();
        let impulses = Impulses::new(&model, Limits::of(&model.method)).unwrap();
        let mut contact = push();
        change(&mut contact);
        impulses.fault_of(&state, &state, &contact).unwrap_or_default()
    }

    #[test]
    fn pushes_are_told_from_what_is_none() {
        assert_eq!(fault(|_| ()), "");
        assert_eq!(fault(|c| c.force.z = -1.0), "the impulse of bodies 1 and 0 pulls");
        assert!(fault(|c| c.force.x = 0.6).ends_with("is beyond friction"));
        let aside = fault(|c| c.at[0].x = 0.9);
        assert!(aside.ends_with("acts at a point that is not on both"), "{aside}");
        assert!(fault(|c| c.with = With::Body(7)).ends_with("a body that does not exist"));
        assert!(fault(|c| c.with = With::Body(1)).ends_with("is with itself"));
        assert!(fault(|c| c.with = With::Face(99)).ends_with("a face that does not exist"));
        assert!(fault(|c| c.with = With::Joint(0)).ends_with("a joint that does not exist"));
        assert!(fault(|c| c.pieces = [0, 1]).ends_with("a piece that does not exist"));
        assert!(fault(|c| c.body = 2).ends_with("of a body that does not exist"));
        assert!(fault(|c| c.normal *= 2.0).contains("has the normal"));
        assert!(fault(|c| c.force.y = f64::NAN).ends_with("a number that is none"));
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
        let told = impulses.fault_of(&state, &state, &contact).unwrap();
        assert!(told.ends_with("acts between two that do not touch"), "{told}");
        // Unless they do at the end of the step.
        let mut landed = state.clone();
        landed.positions[1].z -= 0.01;
        assert_eq!(impulses.fault_of(&state, &landed, &contact), None);
        let floor = model.boundary.nearest(DVec3::new(0.2, 0.0, 0.1)).unwrap().face;
        state.positions[1].z = 0.5;
        let wall = Contact { with: With::Face(floor), at: [DVec3::X * 0.1; 2], ..push() };
        assert_eq!(impulses.fault_of(&state, &state, &wall), None);
        state.positions[1].z = 0.6;
        let told = impulses.fault_of(&state, &state, &wall).unwrap();
        assert!(told.ends_with("acts at a point that is not on both"), "{told}");
    }
}
