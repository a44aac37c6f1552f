//! The contacts of the ending as lines to draw: from centre to centre, or from
//! a centre to the point where the body touches a wall.

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
            With::Body(other, _) | With::Pieces(other, _) => end(index, other)?,
            With::Rope(link) | With::Strut(link) => {
                let far = model.links.get(link as usize).map(|link| link.b);
                end(index, far.unwrap_or(u32::MAX))?
            }
            With::Face(face) | With::Wall(face, _) => wall_point(model, contact.body, centre, face)
                .ok_or_else(|| {
                    let count = model.boundary.faces().len();
                    Problem::new(format!(
                        "contact {index} is one with face {face}, of {count} faces"
                    ))
                    .help("faces are counted from 0")
                })?,
        };
        Ok([centre, other])
    };
    contacts.iter().enumerate().map(line).collect()
}

/// The point of a body that is next to a face.
fn wall_point(model: &Model, body: u32, centre: DVec3, face: u32) -> Option<DVec3> {
    let closest = model.boundary.faces().get(face as usize)?.closest_point(centre);
    let radius = model.bodies.get(body as usize)?.radius;
    let outward = model.boundary.normal(face);
    Some(centre + radius * (closest - centre).normalize_or(outward))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::samples;

    fn contact(body: u32, with: With) -> Contact {
        Contact { body, with, force: 1.0 }
    }

    #[test]
    fn lines_end_at_centres_and_walls() {
        let model = samples::model(2);
        let bottom = (0..12).find(|&face| model.boundary.normal(face) == DVec3::NEG_Z).unwrap();
        let positions = [DVec3::new(1.0, 0.5, 0.4), DVec3::new(0.0, 0.0, 3.0)];
        let contacts = [contact(0, With::Body(1, [0; 3])), contact(0, With::Face(bottom))];
        let lines = force_lines(&model, &positions, &contacts).unwrap();
        assert_eq!(lines[0], positions);
        assert_eq!(lines[1][0], positions[0]);
        let closest = model.boundary.faces()[bottom as usize].closest_point(positions[0]);
        let direction = (closest - positions[0]).normalize();
        assert!((lines[1][1] - positions[0]).distance(0.5 * direction) < 1e-15);

        let on_the_wall = [DVec3::new(0.0, 0.0, -0.1), positions[1]];
        let lines = force_lines(&model, &on_the_wall, &contacts[1..]).unwrap();
        assert_eq!(lines[0][1], DVec3::new(0.0, 0.0, -0.6));
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
        assert_eq!(refused(contact(0, With::Body(2, [0; 3]))), body);
        let face = "contact 1 is one with face 12, of 12 faces";
        assert_eq!(refused(contact(1, With::Face(12))), face);
    }
}
