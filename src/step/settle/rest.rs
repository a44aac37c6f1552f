//! A certified rest, as it is told to others.

use super::certificate::{Balance, weigh};
use super::second_order::{Stability, examine};
use crate::contact::{Cores, Other, Row, normal_is_a_choice, points};
use crate::energy;
use crate::math::DVec3;
use crate::step::Rest;
use crate::world::{Contact, State, With};

/// The certificate of a configuration whose contact forces are known already.
pub(crate) fn certify(cores: &Cores, state: &State, contacts: Vec<(Row, f64)>) -> Rest {
    let balance = weigh(&cores.model, &energy::forces(&cores.model, state), contacts);
    let stability = examine(cores, state, &balance);
    rest(cores, state, balance, stability)
}

/// What is known of a rest.
pub(super) fn rest(cores: &Cores, state: &State, balance: Balance, stability: Stability) -> Rest {
    let contact = |(row, force): &(Row, f64)| contact(cores, state, row, *force);
    Rest {
        contacts: balance.contacts.iter().map(contact).collect(),
        residual: balance.residual,
        bound: balance.bound,
        unknowns: stability.unknowns,
        null_modes: stability.null,
        unstable_modes: stability.unstable,
        margin: stability.margin,
    }
}

/// A row that presses.
fn contact(cores: &Cores, state: &State, row: &Row, force: f64) -> Contact {
    let (with, pieces) = match row.key.other {
        Other::Body(j) => (With::Body(j), [0; 2]),
        Other::Pieces(j, pieces) => (With::Body(j), pieces),
        Other::Face(face, _) => (With::Face(face), [0; 2]),
        Other::FacePiece(face, own) => (With::Face(face), [own, 0]),
        Other::Rope(joint) | Other::Strut(joint) => (With::Joint(joint), [0; 2]),
    };
    // The row of a rope points the other way: it pulls.
    let outward = if matches!(row.key.other, Other::Rope(_)) { -row.normal } else { row.normal };
    Contact {
        body: row.key.body,
        with,
        pieces,
        at: points(cores, state, row),
        normal: outward,
        force: row.normal * force,
        couples: [DVec3::ZERO; 2],
        choice: normal_is_a_choice(cores, state, row),
    }
}
