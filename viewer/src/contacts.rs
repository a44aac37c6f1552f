//! The forces in the contacts of a run, in one form for every method, made safe
//! to draw.

use std::collections::BTreeMap;

use riprap::Result;
use riprap::math::DVec3;
use riprap::trajectory::{Contact, Reader, With};
use riprap::world::Model;

/// The contacts at a frame with their forces, each pair of sides once. None where they are not
/// known.
pub(crate) fn contacts_at(reader: &Reader, index: usize) -> Result<Option<Vec<Contact>>> {
    Ok(reader.forces_at(index)?.map(|contacts| joined(reader.model_at(index), &contacts)))
}

/// The contacts at the last frame; empty if they are not known.
pub(crate) fn last_contacts(reader: &Reader) -> Result<Vec<Contact>> {
    match reader.len().checked_sub(1) {
        Some(last) => Ok(contacts_at(reader, last)?.unwrap_or_default()),
        None => Ok(Vec::new()),
    }
}

/// Contacts of the same two sides as one, where their mean force acts; without those of bodies,
/// faces and joints that do not exist.
fn joined(model: &Model, contacts: &[Contact]) -> Vec<Contact> {
    let known = |contact: &&Contact| {
        let other = match contact.with {
            With::Body(body) => (body as usize) < model.bodies.len(),
            With::Face(face) => (face as usize) < model.boundary.faces().len(),
            With::Joint(joint) | With::Limit(joint) | With::Motor(joint) => {
                (joint as usize) < model.joints.len()
            }
            With::Attachment(number) => (number as usize) < model.attachments.len(),
        };
        let numbers = [contact.at[0], contact.at[1], contact.force];
        other
            && (contact.body as usize) < model.bodies.len()
            && numbers.iter().all(|v| v.is_finite())
    };
    let mut pairs: BTreeMap<(u32, With), (Contact, f64)> = BTreeMap::new();
    for contact in contacts.iter().filter(known) {
        let weight = contact.force.length();
        let (sum, weights) = pairs.entry((contact.body, contact.with)).or_insert_with(|| {
            (Contact { at: [DVec3::ZERO; 2], force: DVec3::ZERO, ..*contact }, 0.0)
        });
        // Where nothing presses, the last place is as good as any.
        *weights += weight;
        let part = if *weights > 0.0 { weight / *weights } else { 1.0 };
        for side in [0, 1] {
            sum.at[side] += part * (contact.at[side] - sum.at[side]);
        }
        sum.force += contact.force;
    }
    pairs.into_values().map(|(contact, _)| contact).collect()
}

/// The strongest of some forces.
pub(crate) fn strongest(contacts: &[Contact]) -> f64 {
    contacts.iter().map(|contact| contact.force.length()).fold(0.0, f64::max)
}

/// A force as a bar through the place where it acts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bar {
    pub contact: Contact,
    pub ends: [DVec3; 2],
    /// Its size.
    pub force: f64,
    /// How wide the bar is, in proportion to the force.
    pub width: f64,
}

/// The widest bars in the radius of the smaller body: between balls, between others, along ropes
/// and bars.
const BETWEEN_BALLS: f64 = 1.1;
const BETWEEN_OTHERS: f64 = 0.4;
const ALONG_ROPES: f64 = 0.25;

/// Particles of cloth are small beside the cloth that they make up.
const OF_CLOTH: f64 = 4.0;

/// Contacts as bars along their forces. Between balls they reach from centre to centre, so that
/// the forces of a heap are a network; in other bodies they are as long as they are strong.
pub(crate) fn bars(model: &Model, contacts: &[Contact], strongest: f64) -> Vec<Bar> {
    let rigid = model.rigid_count();
    let size = |i: usize| model.bodies[i].radius * if i < rigid { 1.0 } else { OF_CLOTH };
    let ball = |i: usize| model.shape(i).is_ball().filter(|_| i < rigid);
    let bar = |contact: &Contact| {
        let force = contact.force.length();
        let towards = contact.force.normalize_or_zero();
        let share = (force / strongest.max(f64::MIN_POSITIVE)).min(1.0);
        let (body, other) = (contact.body as usize, contact.with.body(model));
        let smaller = other.map_or(size(body), |other| size(body).min(size(other)));
        let short = [smaller * share, if other.is_some() { smaller * share } else { 0.0 }];
        let (reach, width) = match (contact.with, ball(body), other.map(ball)) {
            (With::Joint(joint) | With::Limit(joint) | With::Motor(joint), ..) => {
                match model.joints[joint as usize].distance() {
                    Some(_) => ([0.0; 2], ALONG_ROPES),
                    None => (short, BETWEEN_OTHERS),
                }
            }
            (_, Some(own), None) => ([own, 0.0], BETWEEN_BALLS),
            (_, Some(own), Some(Some(others))) => ([own, others], BETWEEN_BALLS),
            _ => (short, BETWEEN_OTHERS),
        };
        let ends = [contact.at[0] + reach[0] * towards, contact.at[1] - reach[1] * towards];
        Bar { contact: *contact, ends, force, width: share * width * smaller }
    };
    contacts.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn contacts_of_nobody_are_left_out() {
        let good = samples::contact(0, With::Face(0), DVec3::ZERO, DVec3::Z);
        let odd = [
            Contact { body: 99, ..good },
            Contact { with: With::Face(99), ..good },
            Contact { with: With::Body(99), ..good },
            Contact { with: With::Joint(0), ..good },
            Contact { force: DVec3::new(0.0, f64::NAN, 0.0), ..good },
        ];
        let run = samples::Sample { odd_contacts: odd.to_vec(), ..samples::sample(8, 2) }.write();
        let plain = samples::finished(8, 2);
        let count = |run: &samples::Run| last_contacts(&run.reader()).unwrap().len();
        assert!(count(&plain) > 0 && count(&run) == count(&plain));
    }

    #[test]
    fn the_points_of_a_face_are_one_contact() {
        let run = samples::collapse(6);
        let contacts = contacts_at(&run.reader(), 1).unwrap().unwrap();
        let stored = run.reader().frame(1).unwrap().contacts;
        assert_eq!(2 * contacts.len(), stored.len(), "two corners each");
        let first: Vec<&Contact> = stored.iter().filter(|c| c.body == stored[0].body).collect();
        let (time_step, _) = run.reader().model().method.time().unwrap();
        let sum = first.iter().map(|c| c.force).sum::<DVec3>() / time_step;
        let found = contacts.iter().find(|c| c.body == first[0].body).unwrap();
        assert!(found.force.abs_diff_eq(sum, 1e-9));
        let middle = 0.5 * (first[0].at[0] + first[1].at[0]);
        assert!(found.at[0].abs_diff_eq(middle, 1e-12), "equal forces meet halfway");
    }

    #[test]
    fn bars_between_balls_join_their_centres() {
        let run = samples::finished(8, 2);
        let reader = run.reader();
        let contacts = last_contacts(&reader).unwrap();
        let bars = bars(reader.model(), &contacts, strongest(&contacts));
        let centres = reader.frame(1).unwrap().state.positions;
        assert_eq!(bars.len(), contacts.len());
        for bar in &bars {
            assert!(bar.ends[0].distance(centres[bar.contact.body as usize]) < 1e-9);
            match bar.contact.with {
                With::Body(other) => assert!(bar.ends[1].distance(centres[other as usize]) < 1e-9),
                _ => assert_eq!(bar.ends[1].z, 0.0, "on the floor"),
            }
        }
    }

    #[test]
    fn bars_of_other_bodies_are_as_long_as_they_are_strong() {
        let run = samples::collapse(6);
        let reader = run.reader();
        let contacts = contacts_at(&reader, 1).unwrap().unwrap();
        let most = strongest(&contacts);
        for bar in bars(reader.model(), &contacts, most) {
            let long = bar.ends[0].distance(bar.ends[1]);
            let own = reader.model().bodies[bar.contact.body as usize].radius;
            let full = bar.force / most;
            assert!(long > 1.8 * full * own.min(0.5_f64.sqrt()) && long < 2.001 * full * own);
            assert!(bar.width < 0.21 * long, "slim");
        }
    }

    #[test]
    fn an_unfinished_run_has_no_forces_at_rest() {
        assert!(last_contacts(&samples::unfinished(8, 2).reader()).unwrap().is_empty());
        assert!(contacts_at(&samples::finished(8, 2).reader(), 0).unwrap().is_none());
    }
}
