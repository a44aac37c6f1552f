//! Contacts as lines to draw: from centre to centre, or from a centre to the
//! point where the body touches a wall or hangs on the world.

use crate::math::DVec3;
use crate::problem::{Problem, Result};
use crate::trajectory::{Contact, With};
use crate::world::Model;

/// Both ends of the line of every contact. Contacts come from a file, so that
/// they may name bodies and faces that are not there.
pub(super) fn force_lines(
    model: &Model,
    positions: &[DVec3],
    contacts: &[Contact],
) -> Result<Vec<[DVec3; 2]>> {
    let end = |index: usize, body: u32| {
        positions.get(body as usize).copied().ok_or_else(|| {
            let count = positions.len();
            Problem::new(format!("contact {index} is one of body {body}, of {count} bodies"))
                .help("bodies are counted from 0")
        })
    };
    let line = |(index, contact): (usize, &Contact)| {
        let centre = end(index, contact.body)?;
        let other = match contact.with {
            With::Body(other) => end(index, other)?,
            With::Joint(joint) | With::Limit(joint) | With::Motor(joint) => {
                let count = model.joints.len();
                let joint = model.joints.get(joint as usize).ok_or_else(|| {
                    Problem::new(format!("contact {index} is one of joint {joint}, of {count}"))
                        .help("joints are counted from 0")
                })?;
                joint.bodies[1].map_or(Ok(contact.at[1]), |body| end(index, body))?
            }
            With::Attachment(number) => {
                let count = model.attachments.len();
                let tie = model.attachments.get(number as usize).ok_or_else(|| {
                    Problem::new(format!("contact {index} is attachment {number}, of {count}"))
                        .help("attachments are counted from 0")
                })?;
                tie.to.map_or(Ok(contact.at[1]), |body| end(index, body))?
            }
            With::Face(face) => wall_point(model, contact, face).ok_or_else(|| {
                let count = model.boundary.faces().len();
                Problem::new(format!("contact {index} is one with face {face}, of {count} faces"))
                    .help("faces are counted from 0")
            })?,
        };
        Ok([centre, other])
    };
    contacts.iter().enumerate().map(line).collect()
}

/// The point of a wall that a body touches.
fn wall_point(model: &Model, contact: &Contact, face: u32) -> Option<DVec3> {
    model.boundary.faces().get(face as usize).map(|_| contact.at[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::samples;

    fn contact(body: u32, with: With) -> Contact {
        let at = [DVec3::ZERO, DVec3::new(1.0, 0.5, -0.1)];
        let (normal, force) = (DVec3::Z, DVec3::Z);
        Contact {
            body,
            with,
            pieces: [0; 2],
            at,
            normal,
            force,
            couples: [DVec3::ZERO; 2],
            choice: false,
        }
    }

    #[test]
    fn lines_end_at_centres_and_walls() {
        let model = samples::model(2);
        let positions = [DVec3::new(1.0, 0.5, 0.4), DVec3::new(0.0, 0.0, 3.0)];
        let contacts = [contact(0, With::Body(1)), contact(0, With::Face(2))];
        let lines = force_lines(&model, &positions, &contacts).unwrap();
        assert_eq!(lines[0], positions);
        assert_eq!(lines[1], [positions[0], contacts[1].at[1]]);
    }

    #[test]
    fn what_is_not_there_is_named() {
        let model = samples::model(2);
        let refused = |wrong: Contact| {
            let good = contact(0, With::Face(3));
            force_lines(&model, &[DVec3::ZERO; 2], &[good, wrong]).unwrap_err().message
        };
        let body = "contact 1 is one of body 2, of 2 bodies";
        assert_eq!(refused(contact(2, With::Face(0))), body);
        assert_eq!(refused(contact(0, With::Body(2))), body);
        let face = "contact 1 is one with face 12, of 12 faces";
        assert_eq!(refused(contact(1, With::Face(12))), face);
        let joint = "contact 1 is one of joint 0, of 0";
        assert_eq!(refused(contact(1, With::Joint(0))), joint);
    }
}
