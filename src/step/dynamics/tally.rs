//! What contacts and joints did in a step, for the run file: the net impulse
//! over all substeps and points of a pair of pieces, and of a joint.

use super::bodies::Bodies;
use super::detect::Proximity;
use super::joints::{Placed, ends};
use crate::contact::manifold::{MOST_SPOTS, Manifold};
use crate::math::DVec3;
use crate::world::{Contact, With};

/// A pair of pieces in a step.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    pub key: [u32; 4],
    /// Before the step.
    manifold: Manifold,
    /// Of the points, along the normal.
    pub pressures: [f64; MOST_SPOTS],
    pub friction: DVec3,
}

impl Tally {
    pub fn new(found: &Proximity) -> Tally {
        let Proximity { key, manifold, .. } = *found;
        Tally { key, manifold, pressures: [0.0; MOST_SPOTS], friction: DVec3::ZERO }
    }

    /// As a run file has it, acting where the pressure has its centre; none if nothing acted.
    pub fn contact(&self, world: usize) -> Option<Contact> {
        let pressure: f64 = self.pressures.iter().sum();
        let normal = self.manifold.normal;
        let force = normal * pressure + self.friction;
        if force == DVec3::ZERO {
            return None;
        }
        let (mut at, mut gap) = (DVec3::ZERO, 0.0);
        let spots = self.manifold.spots();
        for (spot, own) in spots.iter().zip(self.pressures) {
            let share = if pressure > 0.0 { own / pressure } else { 1.0 / spots.len() as f64 };
            at += spot.at * share;
            gap += spot.gap * share;
        }
        let [body, other, piece, other_piece] = self.key;
        let (with, other_piece) = match other as usize == world {
            true => (With::Face(other_piece), 0),
            false => (With::Body(other), other_piece),
        };
        let half = normal * (0.5 * gap);
        Some(Contact {
            body,
            with,
            pieces: [piece, other_piece],
            at: [at + half, at - half],
            normal,
            force,
            choice: false,
        })
    }
}

/// Where the joints' points are before a step: of the first body and of the second.
pub fn joint_points(bodies: &Bodies) -> Vec<[DVec3; 2]> {
    let points = bodies.prepared.joints.iter().map(|joint| {
        let (arms, ends) = (Placed::new(bodies, joint).arms(), ends(bodies, joint));
        [bodies.positions[ends[0]] + arms[0], bodies.positions[ends[1]] + arms[1]]
    });
    points.collect()
}

/// The joints that acted; their normals are along the impulses where the points coincide.
pub fn joint_contacts(
    bodies: &Bodies,
    points: &[[DVec3; 2]],
    impulses: &[DVec3],
) -> impl Iterator<Item = Contact> {
    let joints = bodies.prepared.joints.iter().zip(0..);
    let all = joints.zip(points).zip(impulses);
    all.filter_map(|(((joint, number), &at), &force)| {
        let body = joint.bodies[0].filter(|_| force != DVec3::ZERO)?;
        let apart = joint.distance().and_then(|_| (at[0] - at[1]).try_normalize());
        Some(Contact {
            body,
            with: With::Joint(number),
            pieces: [0; 2],
            at,
            normal: apart.unwrap_or_else(|| force.normalize_or_zero()),
            force,
            choice: false,
        })
    })
}
