//! Contacts as columns, in frames and in the ending. In frames their numbers are
//! predicted from those of the same contact in the frame before, or those of one side from
//! those of the other, and a list of contacts that stays the same is not stored again.

use std::collections::HashMap;

use super::column::{Builder, Columns};
use super::words::Past;
use super::{Contact, With};
use crate::math::DVec3;
use crate::problem::{Problem, Result};

/// Which contact it is: body, kind and number of the other side, pieces, choice.
type Key = (u32, u8, u32, [u32; 2], u8);

/// The columns of vectors.
const NAMES: [&str; 6] = [
    "contact_at",
    "contact_at_other",
    "contact_normal",
    "contact_force",
    "contact_couple",
    "contact_couple_other",
];

/// Those that are missing if all of them are zero.
const OPTIONAL: [&str; 2] = ["contact_couple", "contact_couple_other"];

/// The contacts of the frame before.
#[derive(Default)]
pub(super) struct ContactPast {
    keys: Vec<Key>,
    vectors: [Vec<DVec3>; 6],
}

impl ContactPast {
    /// For every contact the words of the same one in the frame before, or zeros, column by column.
    fn predictions(&self, keys: &[Key]) -> [Past; 6] {
        if self.keys.is_empty() {
            return Default::default();
        }
        let place: Vec<Option<usize>> = match keys == self.keys {
            true => (0..keys.len()).map(Some).collect(),
            false => {
                let known: HashMap<(Key, u32), usize> =
                    counted(&self.keys).enumerate().map(|(place, key)| (key, place)).collect();
                counted(keys).map(|key| known.get(&key).copied()).collect()
            }
        };
        let of = |column: usize| {
            let last = |i: &Option<usize>| i.map_or(DVec3::ZERO, |i| self.vectors[column][i]);
            Past::of(&place.iter().map(last).collect::<Vec<_>>())
        };
        [0, 1, 2, 3, 4, 5].map(of)
    }
}

/// Keys, and of those that are the same which one it is.
fn counted(keys: &[Key]) -> impl Iterator<Item = (Key, u32)> + '_ {
    let mut before: Option<(Key, u32)> = None;
    keys.iter().map(move |key| {
        // The same ones follow upon each other.
        let number = before.filter(|(last, _)| last == key).map_or(0, |(_, number)| number + 1);
        before = Some((*key, number));
        (*key, number)
    })
}

fn key(contact: &Contact) -> Key {
    let (kind, with) = contact.with.parts();
    (contact.body, kind, with, contact.pieces, u8::from(contact.choice))
}

fn vectors(contacts: &[Contact]) -> [Vec<DVec3>; 6] {
    let pick = |of: fn(&Contact) -> DVec3| contacts.iter().map(of).collect::<Vec<_>>();
    [
        pick(|c| c.at[0]),
        pick(|c| c.at[1]),
        pick(|c| c.normal),
        pick(|c| c.force),
        pick(|c| c.couples[0]),
        pick(|c| c.couples[1]),
    ]
}

pub(super) fn write(builder: &mut Builder, contacts: &[Contact], past: &mut ContactPast) {
    let keys: Vec<Key> = contacts.iter().map(key).collect();
    let vectors = vectors(contacts);
    if !contacts.is_empty() {
        if keys != past.keys {
            let pieces: Vec<u32> = contacts.iter().flat_map(|contact| contact.pieces).collect();
            let whole = |pick: fn(&Key) -> u32| keys.iter().map(pick).collect::<Vec<u32>>();
            let small = |pick: fn(&Key) -> u8| keys.iter().map(pick).collect::<Vec<u8>>();
            builder.packed("contact_body", 1, &whole(|key| key.0));
            builder.packed("contact_kind", 1, &small(|key| key.1));
            builder.packed("contact_with", 1, &whole(|key| key.2));
            builder.packed("contact_pieces", 2, &pieces);
            builder.packed("contact_choice", 1, &small(|key| key.4));
        }
        let mut predictions = past.predictions(&keys);
        predictions[1].has_twin(&vectors[0]);
        predictions[5].has_twin(&vectors[4]);
        for ((name, values), mut prediction) in NAMES.iter().zip(&vectors).zip(predictions) {
            let is_there = !OPTIONAL.contains(name)
                || values.iter().any(|v| v.to_array().map(f64::to_bits) != [0; 3]);
            if is_there {
                builder.moving(name, values, &mut prediction);
            }
        }
    }
    *past = ContactPast { keys, vectors };
}

pub(super) fn read(columns: &Columns, past: &mut ContactPast) -> Result<Vec<Contact>> {
    if !columns.has("contact_force") {
        *past = ContactPast::default();
        return Ok(Vec::new());
    }
    let keys = match columns.has("contact_body") {
        true => read_keys(columns)?,
        false => past.keys.clone(),
    };
    let mut predictions = past.predictions(&keys);
    let mut vectors: [Vec<DVec3>; 6] = Default::default();
    for (k, name) in NAMES.iter().enumerate() {
        if k == 1 || k == 5 {
            predictions[k].has_twin(&vectors[k - 1]);
        }
        vectors[k] = match OPTIONAL.contains(name) && !columns.has(name) {
            true => vec![DVec3::ZERO; keys.len()],
            false => columns.moving(name, &mut predictions[k])?,
        };
        if vectors[k].len() != keys.len() {
            return Err(Problem::new("its columns of contacts differ in length"));
        }
    }
    let contact = |(i, key): (usize, &Key)| {
        let unknown = || Problem::new(format!("a contact is of the unknown kind {}", key.1));
        Ok(Contact {
            body: key.0,
            with: With::from_parts(key.1, key.2).ok_or_else(unknown)?,
            pieces: key.3,
            at: [vectors[0][i], vectors[1][i]],
            normal: vectors[2][i],
            force: vectors[3][i],
            couples: [vectors[4][i], vectors[5][i]],
            choice: key.4 == 1,
        })
    };
    let contacts = keys.iter().enumerate().map(contact).collect::<Result<Vec<_>>>()?;
    *past = ContactPast { keys, vectors };
    Ok(contacts)
}

fn read_keys(columns: &Columns) -> Result<Vec<Key>> {
    let body: Vec<u32> = columns.values("contact_body", 1)?;
    let kind: Vec<u8> = columns.values("contact_kind", 1)?;
    let with: Vec<u32> = columns.values("contact_with", 1)?;
    let pieces: Vec<u32> = columns.values("contact_pieces", 2)?;
    let choice: Vec<u8> = columns.values("contact_choice", 1)?;
    let n = body.len();
    if [kind.len(), with.len(), pieces.len() / 2, choice.len()] != [n; 4] {
        return Err(Problem::new("its columns of contacts differ in length"));
    }
    let key = |i: usize| (body[i], kind[i], with[i], [pieces[2 * i], pieces[2 * i + 1]], choice[i]);
    Ok((0..n).map(key).collect())
}
