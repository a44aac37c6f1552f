//! The contacts at the end of a run, made safe to draw.

use riprap::Result;
use riprap::math::DVec3;
use riprap::trajectory::{Contact, Reader, With};

/// The contacts at the end, without those of bodies or faces that do not exist.
pub(crate) fn known_contacts(reader: &Reader) -> Vec<Contact> {
    let bodies = reader.model().bodies.len();
    let faces = reader.model().boundary.faces().len();
    let known = |contact: &Contact| {
        let other = match contact.with {
            With::Body(body, _) | With::Pieces(body, _) => (body as usize) < bodies,
            With::Face(face) | With::Wall(face, _) => (face as usize) < faces,
            With::Rope(link) | With::Strut(link) => (link as usize) < reader.model().links.len(),
        };
        other && (contact.body as usize) < bodies && contact.force.is_finite()
    };
    let contacts = reader.ending().map_or(&[][..], |ending| &ending.contacts);
    contacts.iter().copied().filter(known).collect()
}

/// The force of a contact as a line: from the body's centre to the other
/// body's, or to where the body touches the container.
pub(crate) struct Thrust {
    pub from: DVec3,
    pub to: DVec3,
    pub force: f64,
}

/// The lines of force at the end of a run. Contacts across a periodic border
/// have none.
pub(crate) fn thrusts(reader: &Reader) -> Result<Vec<Thrust>> {
    let contacts = known_contacts(reader);
    if contacts.is_empty() {
        return Ok(Vec::new());
    }
    let positions = reader.frame(reader.len().saturating_sub(1))?.positions;
    let faces = reader.model().boundary.faces();
    let thrust = |contact: &Contact| {
        let from = positions[contact.body as usize];
        let to = match contact.with {
            With::Body(other, [0, 0, 0]) => positions[other as usize],
            With::Pieces(other, _) => positions[other as usize],
            With::Body(..) => return None,
            With::Face(face) | With::Wall(face, _) => faces[face as usize].closest_point(from),
            With::Rope(link) | With::Strut(link) => {
                positions[reader.model().links[link as usize].b as usize]
            }
        };
        Some(Thrust { from, to, force: contact.force })
    };
    Ok(contacts.iter().filter_map(thrust).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn contacts_of_nobody_are_left_out() {
        let odd = [
            Contact { body: 99, with: With::Face(0), force: 1.0 },
            Contact { body: 0, with: With::Face(99), force: 1.0 },
            Contact { body: 0, with: With::Body(99, [0; 3]), force: 1.0 },
            Contact { body: 0, with: With::Face(0), force: f64::NAN },
        ];
        let run = samples::Sample { odd_contacts: odd.to_vec(), ..samples::sample(8, 2) }.write();
        let contacts = known_contacts(&run.reader());
        assert!(!contacts.is_empty());
        assert!(contacts.iter().all(|contact| !odd.contains(contact)));
    }

    #[test]
    fn thrusts_end_at_centres_and_on_the_container() {
        let across = Contact { body: 0, with: With::Body(1, [1, 0, 0]), force: 1.0 };
        let run = samples::Sample { odd_contacts: vec![across], ..samples::sample(8, 2) }.write();
        let reader = run.reader();
        let thrusts = thrusts(&reader).unwrap();
        assert_eq!(thrusts.len(), known_contacts(&reader).len() - 1, "none across the border");
        let last = reader.frame(1).unwrap().positions;
        assert_eq!((thrusts[0].from, thrusts[0].to.z), (last[0], 0.0));
        assert!(thrusts.iter().any(|thrust| last.contains(&thrust.to)));
    }

    #[test]
    fn an_unfinished_run_has_none() {
        assert!(thrusts(&samples::unfinished(8, 2).reader()).unwrap().is_empty());
    }
}
