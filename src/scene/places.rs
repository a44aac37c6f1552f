//! Where the bodies of a group start: on grids, rings and lists.

use super::Place;
use crate::math::{DQuat, DVec3, Random};

/// A place and the number that says which of several shapes is whose turn.
pub(super) type Spot = (usize, DVec3);

/// The places that need no search and no file.
pub(super) fn spots(place: &Place, dimension: usize, random: &mut Random) -> Vec<Spot> {
    match place {
        Place::Origin => vec![(0, DVec3::ZERO)],
        Place::List { positions } => positions.iter().copied().enumerate().collect(),
        Place::Ring { count, radius, centre } => {
            let on = |k: usize| {
                let angle = std::f64::consts::TAU * k as f64 / *count as f64;
                *centre + DQuat::from_rotation_z(angle) * DVec3::X * *radius
            };
            (0..*count).map(|k| (k, on(k))).collect()
        }
        Place::Grid { count: [nx, ny, nz], first, spacing, jitter } => {
            let mut spots = Vec::with_capacity(nx * ny * nz);
            for k in 0..*nz {
                for j in 0..*ny {
                    for i in 0..*nx {
                        let steps = DVec3::new(i as f64, j as f64, k as f64);
                        let moved = shake(*jitter, dimension, random);
                        // Along the diagonals, neighbours differ.
                        spots.push((i + j + k, *first + steps * *spacing + moved));
                    }
                }
            }
            spots
        }
        Place::File { .. } | Place::Random { .. } => Vec::new(),
    }
}

/// Each coordinate evenly distributed in -size..size.
fn shake(size: f64, dimension: usize, random: &mut Random) -> DVec3 {
    let mut coordinates = [0.0; 3];
    for coordinate in coordinates.iter_mut().take(dimension) {
        *coordinate = random.between(-size, size);
    }
    DVec3::from_array(coordinates)
}

/// How many bodies a place has room for, as far as the scene itself says.
pub(super) fn count(place: &Place) -> usize {
    match place {
        Place::Origin => 1,
        Place::List { positions } => positions.len(),
        Place::Grid { count, .. } => count.iter().fold(1_usize, |n, &m| n.saturating_mul(m)),
        Place::Ring { count, .. } | Place::Random { count, .. } => *count,
        Place::File { .. } => 0, // bounded by the length of the file
    }
}

/// Whether this number of a grid has a first or last place along an axis that has more than one.
pub(super) fn is_border([nx, ny, nz]: [usize; 3], number: usize) -> bool {
    let at = [number % nx, number / nx % ny, number / nx / ny];
    at.into_iter().zip([nx, ny, nz]).any(|(k, n)| n > 1 && (k == 0 || k + 1 == n))
}
