//! The contacts at the end of a run and the forces in them.

use riprap::Result;
use riprap::math::DVec3;
use riprap::trajectory::{Contact, Reader, With};

use super::arrays::Arrays;
use crate::contacts::{known_contacts, thrusts};

/// What the other side of a contact is, as the page counts it.
const BODY: u8 = 0;
const FACE: u8 = 1;
/// A periodic image of a body: listed, but not drawn.
const IMAGE: u8 = 2;

/// Stores the contacts, and the lines along which their forces are drawn.
pub(super) fn store(reader: &Reader, origin: DVec3, arrays: &mut Arrays) -> Result<()> {
    let contacts = known_contacts(reader);
    let other = |contact: &Contact| match contact.with {
        With::Body(body, [0, 0, 0]) | With::Pieces(body, _) => (BODY, body),
        With::Body(body, _) => (IMAGE, body),
        With::Face(face) | With::Wall(face, _) => (FACE, face),
        With::Rope(_) | With::Strut(_) => {
            (BODY, contact.with.body(reader.model()).unwrap_or_default() as u32)
        }
    };
    arrays.u32("contact body", contacts.iter().map(|contact| contact.body));
    arrays.u8("contact type", contacts.iter().map(|contact| other(contact).0));
    arrays.u32("contact other", contacts.iter().map(|contact| other(contact).1));
    arrays.f32("contact force", contacts.iter().map(|contact| contact.force));

    let thrusts = thrusts(reader)?;
    let ends = thrusts.iter().flat_map(|thrust| [thrust.from - origin, thrust.to - origin]);
    arrays.f32("thrust ends", ends.flat_map(|end| end.to_array()));
    arrays.f32("thrust force", thrusts.iter().map(|thrust| thrust.force));
    Ok(())
}
