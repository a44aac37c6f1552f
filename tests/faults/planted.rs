//! The faults: what each is, which checks must notice, and how it is planted.

use riprap::math::DVec3;
use riprap::scene::Law;
use riprap::shape::{Boundary, Shape};
use riprap::trajectory::{Contact, StepKind, With};
use riprap::world::{JointKind, Motion};

use super::draft::Draft;

/// A fault's name, the checks that must notice it, and how it is planted.
pub type Fault = (&'static str, &'static [&'static str], fn(&mut Draft));

pub const MOVED: &[Fault] = &[
    ("two bodies overlap at the end", &["overlap", "overlap between frames"], |d| {
        d.push_together(d.frames.len() - 1, 1e-6);
        d.recompute_energies();
    }),
    ("two bodies overlap in the middle", &["overlap", "overlap between frames"], |d| {
        d.push_together(d.frames.len() / 2, 1e-6);
        d.recompute_energies();
    }),
    ("a body is in the wall at the end", &["overlap", "overlap between frames"], |d| {
        d.push_out(d.frames.len() - 1, 1e-6);
        d.recompute_energies();
    }),
    ("a body is in the wall in the middle", &["overlap", "overlap between frames"], |d| {
        d.push_out(d.frames.len() / 2, 1e-6);
        d.recompute_energies();
    }),
    ("a body is moved in the file, its energy is not", &["energy"], |d| {
        let (middle, top) = (d.frames.len() / 2, d.highest());
        d.frames[middle].state.positions[top] -= 1e-6 * d.model.gravity;
    }),
    ("a body is lifted off its contacts", &["contacts"], |d| {
        let top = d.highest();
        let up = -d.model.gravity;
        d.last().state.positions[top] += 3e-6 * up;
        d.recompute_energies();
    }),
    ("a body goes up and comes down again", &["energy rise"], |d| {
        let (near_end, top) = (d.frames.len() - 2, d.highest());
        let up = -d.model.gravity;
        d.frames[near_end].state.positions[top] += 0.05 * up;
        d.recompute_energies();
    }),
    ("a body starts elsewhere than in the scene", &["scene"], |d| {
        let gravity = d.model.gravity;
        d.frames[0].state.positions[0] -= 1e-9 * gravity;
        d.recompute_energies();
    }),
    ("a position is no number", &["numbers"], |d| d.frames[3].state.positions[2].x = f64::NAN),
    ("a position is beyond all bounds", &["numbers"], |d| d.frames[3].state.positions[2].y = 1e200),
    ("a position is endless", &["numbers"], |d| d.last().state.positions[2].y = f64::NEG_INFINITY),
];

pub const FRAMES: &[Fault] = &[
    ("a frame is dropped", &["steps"], |d| drop(d.frames.remove(4))),
    ("two frames are swapped", &["steps", "energy rise"], |d| d.frames.swap(4, 5)),
    ("two frames are swapped and renumbered", &["energy rise"], |d| {
        d.frames.swap(4, 5);
        d.renumber();
    }),
    ("a frame is stored twice", &["steps"], |d| d.frames.insert(5, d.frames[4].clone())),
    ("the first frame is dropped", &["steps", "scene"], |d| {
        d.frames.remove(0);
        d.renumber();
    }),
    ("steps are counted from one", &["steps"], |d| d.frames.iter_mut().for_each(|f| f.step += 1)),
    ("there is a second start", &["steps"], |d| d.frames[4].kind = StepKind::Start),
    ("there is no start", &["steps"], |d| d.frames[0].kind = StepKind::Settle),
    ("there are no frames", &["steps"], |d| d.frames.clear()),
    ("the second half is missing", &["contacts"], |d| d.frames.truncate(d.frames.len() / 2)),
    ("an energy is wrong", &["energy"], |d| d.frames[4].energy *= 1.0 + 1e-10),
    ("an energy is no number", &["numbers"], |d| d.frames[4].energy = f64::NAN),
];

pub const MODEL: &[Fault] = &[
    ("a body is smaller", &["scene", "contacts"], |d| {
        let (body, ..) = d.pair();
        resize(d, body, 1.0 - 1e-5);
    }),
    ("a body is larger", &["scene", "overlap"], |d| {
        let (body, ..) = d.pair();
        resize(d, body, 1.0 + 1e-5);
    }),
    ("a body is heavier", &["scene", "balance"], |d| {
        d.model.bodies[1].mass *= 1.0 + 1e-5;
        d.recompute_energies();
    }),
    ("a radius is negative", &["numbers"], |d| d.model.bodies[1].radius *= -1.0),
    ("a mass is zero", &["numbers"], |d| d.model.bodies[1].mass = 0.0),
    ("gravity is stronger", &["scene", "balance"], |d| {
        d.model.gravity *= 1.0 + 1e-5;
        d.recompute_energies();
    }),
    ("gravity is stronger than the energies say", &["energy"], |d| d.model.gravity *= 1.0 + 1e-5),
    ("gravity leans over", &["scene", "balance"], |d| {
        d.model.gravity.x += 1e-5;
        d.recompute_energies();
    }),
    ("gravity turned round", &["energy rise", "balance"], |d| {
        d.model.gravity *= -1.0;
        d.recompute_energies();
    }),
    ("a face is moved away", &["scene", "contacts"], |d| move_face(d, 1e-5)),
    ("a face is moved in", &["scene", "overlap"], |d| move_face(d, -1e-5)),
    ("the container is turned inside out", &["scene", "inside"], |d| {
        let mut faces = d.model.boundary.faces().to_vec();
        faces.iter_mut().for_each(|face| face.corners.reverse());
        d.model.boundary = Boundary::from_faces(faces).unwrap();
    }),
    ("the scene is another one", &["scene"], |d| {
        d.scene = d.scene.replace("jitter = 0.0", "jitter = 0.00")
    }),
    ("the scene is none", &["scene"], |d| d.scene = "[container".into()),
    ("the seed is another one", &["scene"], |d| d.model.seed += 1),
];

/// Gives a body a larger or smaller shape.
fn resize(draft: &mut Draft, body: usize, factor: f64) {
    let shape = draft.model.shape(body).scaled(factor);
    draft.model.bodies[body].radius = shape.radius();
    draft.model.bodies[body].shape = draft.model.add_shape(shape);
}

/// Moves a face that carries force, along its outward normal.
fn move_face(draft: &mut Draft, by: f64) {
    let (_, face, _) = draft.wall();
    let normal = draft.model.boundary.normal(face as u32);
    let mut faces = draft.model.boundary.faces().to_vec();
    faces[face].corners.iter_mut().for_each(|corner| *corner += by * normal);
    draft.model.boundary = Boundary::from_faces(faces).unwrap();
}

pub const REST: &[Fault] = &[
    ("a force is larger", &["balance"], |d| {
        let (.., contact) = d.pair();
        d.ending().contacts[contact].force *= 1.0 + 1e-4;
    }),
    ("a contact is of a piece that is not there", &["contacts"], |d| {
        let (.., contact) = d.pair();
        d.ending().contacts[contact].pieces = [0, 256];
    }),
    ("a force pulls", &["contacts"], |d| {
        let (.., contact) = d.pair();
        d.ending().contacts[contact].force *= -1.0;
    }),
    ("a force is endless", &["contacts"], |d| {
        d.ending().contacts[0].force *= f64::INFINITY;
    }),
    ("forces are beyond all bounds", &["contacts"], |d| {
        d.ending()
            .contacts
            .iter_mut()
            .for_each(|contact| contact.force = f64::MAX * contact.normal);
    }),
    ("a force is no number", &["contacts"], |d| d.ending().contacts[0].force.x = f64::NAN),
    ("a force leans", &["contacts"], |d| {
        let (.., contact) = d.pair();
        let contact = &mut d.ending().contacts[contact];
        contact.force += 1e-3 * contact.force.length() * contact.normal.any_orthonormal_vector();
    }),
    ("a normal leans", &["contacts"], |d| {
        let (.., contact) = d.pair();
        let contact = &mut d.ending().contacts[contact];
        let (pressure, aside) = (contact.pressure(), contact.normal.any_orthonormal_vector());
        contact.normal = (contact.normal + 1e-3 * aside).normalize();
        contact.force = pressure * contact.normal;
    }),
    ("a contact is elsewhere", &["contacts"], |d| {
        let (.., contact) = d.pair();
        let contact = &mut d.ending().contacts[contact];
        contact.at = contact.at.map(|at| at + 0.01 * contact.normal.any_orthonormal_vector());
    }),
    ("a contact with a wall is elsewhere", &["contacts"], |d| {
        let (.., contact) = d.wall();
        d.ending().contacts[contact].at[1].x += 0.01;
    }),
    ("a contact between bodies is missing", &["balance"], |d| {
        let (.., contact) = d.pair();
        d.ending().contacts.remove(contact);
    }),
    ("a contact with a wall is missing", &["balance"], |d| {
        let (.., contact) = d.wall();
        d.ending().contacts.remove(contact);
    }),
    ("a contact is given to another body", &["contacts"], |d| {
        let (first, second, contact) = d.pair();
        // One that does not touch the second already.
        let contacts = d.ending().contacts.clone();
        let touches = |body: usize| {
            let pair = [body, second];
            let is_pair = |c: &Contact| match c.with {
                With::Body(with) => {
                    pair.contains(&(c.body as usize)) && pair.contains(&(with as usize))
                }
                _ => false,
            };
            contacts.iter().any(is_pair)
        };
        let other = (0..).find(|&k| k != first && k != second && !touches(k)).unwrap();
        d.ending().contacts[contact].body = other as u32;
    }),
    ("a contact is given to another face", &["contacts"], |d| {
        let (_, face, contact) = d.wall();
        let faces = d.model.boundary.faces().len();
        d.ending().contacts[contact].with = With::Face(((face + faces / 2) % faces) as u32);
    }),
    ("a contact is stored in two halves", &["contacts"], |d| {
        let (.., contact) = d.pair();
        d.ending().contacts[contact].force /= 2.0;
        let half = d.ending().contacts[contact];
        d.ending().contacts.push(half);
    }),
    ("a contact is stored from both sides", &["contacts"], |d| {
        let (first, _, contact) = d.pair();
        let contact = &mut d.ending().contacts[contact];
        contact.force /= 2.0;
        let With::Body(second) = contact.with else { return };
        let ([here, there], normal, force) = (contact.at, -contact.normal, -contact.force);
        let (with, at) = (With::Body(first as u32), [there, here]);
        let other = Contact { body: second, with, at, normal, force, ..*contact };
        d.ending().contacts.push(other);
    }),
    ("two bodies touch from afar", &["contacts"], |d| {
        let positions = &d.frames.last().unwrap().state.positions;
        let far =
            (0..positions.len()).find(|&b| positions[b].distance(positions[0]) > 2.0).unwrap();
        let contact = d.touch(0, With::Body(far as u32), 0.0);
        d.ending().contacts.push(contact);
    }),
    ("a body that does not exist is touched", &["contacts"], |d| {
        d.ending().contacts[0].with = With::Body(1_000_000);
    }),
    ("a body touches itself", &["contacts"], |d| {
        d.ending().contacts[0].with = With::Body(d.ending().contacts[0].body)
    }),
    ("a joint that does not exist pulls", &["contacts"], |d| {
        let (.., contact) = d.pair();
        d.ending().contacts[contact].with = With::Joint(0);
    }),
    ("a face that does not exist is touched", &["contacts"], |d| {
        d.ending().contacts[0].with = With::Face(1_000_000);
    }),
    ("the contacts are missing", &["balance"], |d| d.ending().contacts.clear()),
];

pub const CERTIFICATE: &[Fault] = &[
    ("it is missing", &["certificate"], |d| d.ending().certificate = None),
    ("too many neutral modes", &["certificate"], |d| d.certificate().neutral_modes += 1),
    ("an unstable mode", &["certificate"], |d| d.certificate().unstable_modes += 1),
    ("one neutral mode for another", &["certificate"], |d| {
        d.certificate().rank -= 1;
        d.certificate().neutral_modes += 1;
    }),
    ("a rank that is too high", &["certificate"], |d| d.certificate().rank += 1),
    ("too few unknowns", &["certificate"], |d| d.certificate().unknowns -= 1),
    ("a large residual", &["certificate"], |d| d.certificate().residual = 1e-7),
    ("a residual that is no number", &["certificate"], |d| d.certificate().residual = f64::NAN),
];

/// Changes a rope: the least and the greatest distance that it allows.
fn retie(d: &mut Draft, change: impl Fn(&mut f64, &mut f64)) {
    if let JointKind::Distance { least, most } = &mut d.model.joints[7].kind {
        change(least, most);
    }
}

/// A contact through which a rope pulls.
fn rope(d: &mut Draft) -> &mut Contact {
    let contacts = d.ending().contacts.iter_mut();
    contacts.into_iter().find(|contact| matches!(contact.with, With::Joint(_))).unwrap()
}

/// What can be wrong with a run of ropes and pegs.
pub const ROPES: &[Fault] = &[
    ("a rope is longer", &["scene", "contacts"], |d| retie(d, |_, most| *most *= 1.0 + 1e-5)),
    ("a rope is shorter", &["scene", "joints"], |d| retie(d, |_, most| *most *= 1.0 - 1e-5)),
    ("a rope is missing", &["scene", "contacts"], |d| d.model.joints.truncate(59)),
    ("a rope has become a bar", &["scene", "joints"], |d| {
        retie(d, |least, most| *least = *most * (1.0 - 1e-4));
    }),
    ("a rope ties a body to itself", &["numbers"], |d| {
        d.model.joints[7].bodies[1] = d.model.joints[7].bodies[0];
    }),
    ("a peg moves", &["fixed"], |d| d.frames[9].state.positions[60].x += 1e-12),
    ("a peg is no longer fixed", &["scene", "balance"], |d| {
        d.model.bodies[60].motion = Motion::Free;
    }),
    ("a rope pulls harder", &["balance"], |d| rope(d).force *= 1.0 + 1e-4),
    ("a rope pushes", &["contacts"], |d| rope(d).force *= -1.0),
];

/// What can be wrong with a run of springs.
pub const SPRINGS: &[Fault] = &[
    ("a spring is stronger", &["scene", "energy", "balance"], |d| {
        d.model.forces[0].law = Law::Spring { strength: 4.0 * (1.0 + 1e-4), rest_length: 0.9 };
    }),
    ("a spring is longer", &["scene", "energy", "balance"], |d| {
        d.model.forces[0].law = Law::Spring { strength: 4.0, rest_length: 0.9 + 1e-4 };
    }),
    ("the springs are another force", &["scene", "energy"], |d| {
        d.model.forces[0].law = Law::Attraction { strength: 4.0 };
    }),
    ("a spring is missing", &["scene", "energy", "balance"], |d| {
        d.model.forces[0].pairs.pop();
    }),
    ("a spring ties a body to itself", &["numbers"], |d| d.model.forces[0].pairs[3] = [5, 5]),
    ("a spring has no end of strength", &["numbers"], |d| {
        d.model.forces[0].law = Law::Spring { strength: 1e200, rest_length: 0.9 };
    }),
    ("a body is pushed", &["scene", "energy", "balance"], |d| {
        d.model.bodies[100].push = DVec3::new(0.0, 0.01, 0.0);
    }),
];

/// A contact that carries much force, and its place in the list.
fn loaded(d: &Draft, wall: bool) -> (usize, Contact) {
    let contacts = &d.ending.as_ref().unwrap().contacts;
    let fits = |c: &Contact| c.pressure() > 0.05 && wall == matches!(c.with, With::Face(_));
    let index = contacts.iter().position(fits).unwrap();
    (index, contacts[index])
}

/// Presses a body into what it touches.
fn press(d: &mut Draft, wall: bool, depth: f64) {
    let (_, contact) = loaded(d, wall);
    let body = contact.body as usize;
    let radius = d.model.bodies[body].radius;
    d.last().state.positions[body] -= depth * radius * contact.normal;
}

/// Changes what a contact between bodies says.
fn reseat(d: &mut Draft, change: impl Fn(&mut Contact)) {
    let (index, _) = loaded(d, false);
    change(&mut d.ending().contacts[index]);
}

/// The same pressure along another normal.
fn along(contact: &mut Contact, normal: DVec3) {
    (contact.force, contact.normal) = (contact.pressure() * normal, normal);
}

/// What can be wrong with a run of shapes that are no balls.
pub const SHAPES: &[Fault] = &[
    ("a body is pressed into another", &["overlap", "overlap between frames"], |d| {
        press(d, false, 1e-5);
    }),
    ("a body is pressed into the wall", &["overlap", "overlap between frames"], |d| {
        press(d, true, 1e-5);
    }),
    ("a force is stronger", &["balance"], |d| {
        let (index, _) = loaded(d, false);
        d.ending().contacts[index].force *= 1.01;
    }),
    ("a normal leans", &["contacts"], |d| {
        reseat(d, |contact| {
            let DVec3 { x, y, z } = contact.normal;
            let leaning = match z.abs() > 0.9 {
                true => DVec3::new(0.05, 0.0, z),
                false => DVec3::new(x - 0.05 * y, y + 0.05 * x, z),
            };
            along(contact, leaning.normalize());
        });
    }),
    ("a normal is turned round", &["contacts"], |d| {
        reseat(d, |contact| along(contact, -contact.normal));
    }),
    ("a normal is too long", &["contacts"], |d| reseat(d, |contact| contact.normal *= 2.0)),
    ("a piece does not exist", &["contacts"], |d| reseat(d, |contact| contact.pieces[0] = 999)),
    ("a contact is stored twice", &["contacts"], |d| {
        let (_, contact) = loaded(d, false);
        d.ending().contacts.push(contact);
    }),
    ("a shape is larger", &["numbers"], |d| {
        d.model.shapes[3] = d.model.shapes[3].scaled(1.001);
    }),
    ("a shape is smaller", &["numbers"], |d| {
        d.model.shapes[3] = d.model.shapes[3].scaled(0.999);
    }),
    ("a piece of a shape is missing", &["numbers"], |d| {
        let most = d.model.shapes.iter_mut().max_by_key(|shape| shape.pieces.len());
        most.unwrap().pieces.pop();
    }),
    ("a shape has become a ball", &["scene", "contacts"], |d| {
        let body = loaded(d, false).1.body as usize;
        let radius = d.model.bodies[body].radius;
        let ball = if d.model.dimension == 2 { Shape::disc(radius) } else { Shape::ball(radius) };
        d.model.bodies[body].shape = d.model.add_shape(ball);
    }),
    ("a body is smaller than its shape", &["numbers"], |d| d.model.bodies[3].radius *= 0.5),
];
