//! Contacts as columns, in frames and in the ending.

use super::column::{Builder, Columns};
use super::{Contact, With};
use crate::math::DVec3;
use crate::problem::{Problem, Result};

pub(super) fn write(builder: &mut Builder, contacts: &[Contact]) {
    if contacts.is_empty() {
        return;
    }
    let whole = |pick: fn(&Contact) -> u32| contacts.iter().map(pick).collect::<Vec<u32>>();
    let small = |pick: fn(&Contact) -> u8| contacts.iter().map(pick).collect::<Vec<u8>>();
    let vector = |pick: fn(&Contact) -> DVec3| contacts.iter().map(pick).collect::<Vec<_>>();
    let pieces: Vec<u32> = contacts.iter().flat_map(|contact| contact.pieces).collect();
    builder.packed("contact_body", 1, &whole(|c| c.body));
    builder.packed("contact_kind", 1, &small(|c| c.with.parts().0));
    builder.packed("contact_with", 1, &whole(|c| c.with.parts().1));
    builder.packed("contact_pieces", 2, &pieces);
    builder.packed("contact_choice", 1, &small(|c| u8::from(c.choice)));
    builder.vectors("contact_at", &vector(|c| c.at[0]));
    builder.vectors("contact_at_other", &vector(|c| c.at[1]));
    builder.vectors("contact_normal", &vector(|c| c.normal));
    builder.vectors("contact_force", &vector(|c| c.force));
}

pub(super) fn read(columns: &Columns) -> Result<Vec<Contact>> {
    if !columns.has("contact_body") {
        return Ok(Vec::new());
    }
    let body: Vec<u32> = columns.values("contact_body", 1)?;
    let kind: Vec<u8> = columns.values("contact_kind", 1)?;
    let with: Vec<u32> = columns.values("contact_with", 1)?;
    let pieces: Vec<u32> = columns.values("contact_pieces", 2)?;
    let choice: Vec<u8> = columns.values("contact_choice", 1)?;
    let vectors = ["contact_at", "contact_at_other", "contact_normal", "contact_force"];
    let vectors = vectors.map(|name| columns.vectors(name));
    let [at, other, normal, force] = vectors;
    let (at, other, normal, force) = (at?, other?, normal?, force?);
    let lengths = [kind.len(), with.len(), pieces.len() / 2, choice.len(), at.len()];
    let n = body.len();
    if lengths != [n; 5] || [other.len(), normal.len(), force.len()] != [n; 3] {
        return Err(Problem::new("its columns of contacts differ in length"));
    }
    let contact = |i: usize| {
        let unknown = || Problem::new(format!("a contact is of the unknown kind {}", kind[i]));
        Ok(Contact {
            body: body[i],
            with: With::from_parts(kind[i], with[i]).ok_or_else(unknown)?,
            pieces: [pieces[2 * i], pieces[2 * i + 1]],
            at: [at[i], other[i]],
            normal: normal[i],
            force: force[i],
            choice: choice[i] == 1,
        })
    };
    (0..n).map(contact).collect()
}
