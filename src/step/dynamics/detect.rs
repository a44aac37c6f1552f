//! Proximity detection, once a step: which pieces come within reach of each
//! other before the next, and at which points.

use super::bodies::Bodies;
use super::contacts::Kept;
use crate::free_space::manifold::{Manifold, Placed, manifold};
use crate::near;
use crate::shape::Aabb;

/// Contacts are looked for this part of the smaller body's radius further away than the bodies
/// move in a step, so that they are known before they push.
const LOOK_AHEAD: f64 = 0.02;

/// A body that is hit may get this part of the speed of the fastest within the step.
const HIT: f64 = 0.3;

/// Two pieces near each other: bodies `a < b`, pieces counted in each.
#[derive(Clone, Copy, Debug)]
pub struct Proximity {
    pub key: [u32; 4],
    pub manifold: Manifold,
    /// The same contact among those of the last step.
    pub last: Option<usize>,
}

/// All proximities, sorted by key. `exempt` are sorted pairs that may overlap, `kept` the
/// contacts of the last step.
pub fn proximities(bodies: &Bodies, exempt: &[[u32; 2]], kept: &[Kept], dt: f64) -> Vec<Proximity> {
    // Particles of cloth have their own detection.
    let parts = &bodies.assembly.parts[..bodies.assembly.rigid_count()];
    if parts.iter().all(|part| part.pieces.is_empty()) {
        return Vec::new();
    }
    let fall = bodies.assembly.gravity.length() * dt * dt;
    let speeds = bodies.velocities[..parts.len()].iter().map(|v| v.linear.length());
    let fastest = speeds.fold(0.0, f64::max);
    let hit = HIT * fastest * dt;
    let reach: Vec<f64> = parts
        .iter()
        .zip(&bodies.velocities)
        .map(|(part, v)| match part.is_free() {
            true => (v.linear.length() + v.angular.length() * part.radius) * dt + fall + hit,
            false => (v.linear.length() + v.angular.length() * part.radius) * dt,
        })
        .collect();
    let placed: Vec<Vec<Placed>> = parts
        .iter()
        .enumerate()
        .map(|(i, part)| {
            let place = |piece| Placed::new(piece, bodies.positions[i], &bodies.turns[i]);
            part.pieces.iter().map(place).collect()
        })
        .collect();
    let grown = |i: usize| {
        let all = placed[i].iter().map(|piece| piece.bounds).reduce(|a, b| a.union(&b));
        let nowhere = Aabb { min: bodies.positions[i], max: bodies.positions[i] };
        all.unwrap_or(nowhere).grow(reach[i] + LOOK_AHEAD * parts[i].radius.min(1e3))
    };
    let regions: Vec<Aabb> = (0..parts.len()).map(grown).collect();
    let (mut found, mut next) = (Vec::new(), 0);
    for pair in near::pairs(&regions) {
        let (a, b) = (pair.i as usize, pair.j as usize);
        let (one, two) = (&parts[a], &parts[b]);
        if !(one.is_free() || two.is_free()) || exempt.binary_search(&[pair.i, pair.j]).is_ok() {
            continue;
        }
        let within = reach[a] + reach[b] + LOOK_AHEAD * one.radius.min(two.radius);
        let several = placed[a].len() * placed[b].len() > 1;
        for (p, first) in placed[a].iter().enumerate() {
            for (q, second) in placed[b].iter().enumerate() {
                if several && !first.bounds.grow(within).overlaps(&second.bounds) {
                    continue;
                }
                let key = [pair.i, pair.j, p as u32, q as u32];
                // Both lists are sorted by key.
                while kept.get(next).is_some_and(|kept| kept.key < key) {
                    next += 1;
                }
                let last = kept.get(next).filter(|kept| kept.key == key).map(|_| next);
                if let Some(manifold) = manifold(first, second, within) {
                    found.push(Proximity { key, manifold, last });
                }
            }
        }
    }
    found
}
