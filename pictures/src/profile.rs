//! Recognises a mesh that was turned on a lathe, as a container of revolution is.

use glam::Vec2;

use crate::mesh::Mesh;

/// A mesh made of level rings around an upright axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    pub axis: Vec2,
    /// Height and radius of each ring, from the bottom up.
    pub rings: Vec<(f32, f32)>,
}

/// Heights and radii that differ by less than this (in picture units) are the same.
const SAME: f32 = 1e-4;
/// Fewer corners do not make a ring.
const FEWEST_SIDES: usize = 5;

impl Profile {
    /// The profile of a mesh whose vertices all lie on such rings (or on the axis).
    pub fn of(mesh: &Mesh) -> Option<Profile> {
        let mut vertices = mesh.vertices.clone();
        vertices.sort_by(|a, b| a.z.total_cmp(&b.z));
        let levels: Vec<_> = vertices.chunk_by(|a, b| b.z - a.z < SAME).collect();
        // The middle of the longest ring, for caps may have a vertex in theirs.
        let ring = levels.iter().max_by_key(|level| level.len())?;
        let axis = ring.iter().map(|v| v.truncate()).sum::<Vec2>() / ring.len() as f32;
        let mut rings: Vec<(f32, f32)> = Vec::new();
        for level in levels {
            let radii: Vec<f32> =
                level.iter().map(|v| v.truncate().distance(axis)).filter(|&r| r > SAME).collect();
            let &radius = radii.first()?;
            let round =
                radii.len() >= FEWEST_SIDES && radii.iter().all(|r| (r - radius).abs() < SAME);
            if !round {
                return None;
            }
            rings.push((level[0].z, radius));
        }
        (rings.len() >= 2).then_some(Profile { axis, rings })
    }

    /// Tall, and narrower in the middle than at both ends.
    pub fn is_hourglass(&self) -> bool {
        let [first, inner @ .., last] = self.rings.as_slice() else { return false };
        let narrow = inner.iter().map(|ring| ring.1).fold(f32::INFINITY, f32::min);
        let ends = first.1.min(last.1);
        narrow < 0.7 * ends && last.0 - first.0 > 2.0 * ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::cube;
    use glam::Vec3;

    #[test]
    fn an_hourglass_is_recognised() {
        let corners = [(0.0, 0.0), (0.4, 0.0), (0.1, 0.5), (0.4, 1.0), (0.0, 1.0)];
        let profile = Profile::of(&Mesh::lathe(&corners, 32).moved(Vec3::X)).unwrap();
        assert!(profile.axis.distance(Vec2::X) < 1e-3);
        assert_eq!(profile.rings.len(), 3);
        assert!(profile.is_hourglass());
    }

    #[test]
    fn a_bottle_and_a_cube_are_none() {
        let bottle = Mesh::lathe(&[(0.4, 0.0), (0.4, 0.7), (0.1, 0.8), (0.1, 1.0)], 32);
        assert!(!Profile::of(&bottle).unwrap().is_hourglass());
        assert_eq!(Profile::of(&cube()), None);
        assert_eq!(Profile::of(&Mesh::default()), None);
    }
}
