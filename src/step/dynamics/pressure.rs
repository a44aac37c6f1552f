//! The air in a balloon: `C = volume - k * rest volume` [D14 7, after Müller et
//! al. 2007]. The gradient of the volume sums to nothing, and so do its moments,
//! so a balloon pushes itself nowhere.

use crate::math::DVec3;
use crate::world::Cloth;

/// The volume, measured from a corner so that it does not matter where the balloon is.
pub fn volume(faces: &[[u32; 3]], positions: &[DVec3]) -> f64 {
    let origin = faces.first().map_or(DVec3::ZERO, |face| positions[face[0] as usize]);
    let six: f64 = faces
        .iter()
        .map(|face| {
            let at = |k: usize| positions[face[k] as usize] - origin;
            at(0).dot(at(1).cross(at(2)))
        })
        .sum();
    six / 6.0
}

/// How the volume grows with the position of each particle of a cloth, in their order.
pub fn gradient(cloth: &Cloth, positions: &[DVec3]) -> Vec<DVec3> {
    let first = cloth.first as usize;
    let mut gradient = vec![DVec3::ZERO; cloth.rest.len()];
    for face in &cloth.faces {
        let at = |k: usize| positions[face[k] as usize];
        let (a, b, c) = (at(0), at(1), at(2));
        // A third of the triangle's area, outwards: the same for all corners, free of the origin.
        let share = (b - a).cross(c - a) / 6.0;
        for corner in face {
            gradient[*corner as usize - first] += share;
        }
    }
    gradient
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Mesh;
    use crate::world::{Fabric, Model, Pattern, State};

    #[test]
    fn the_gradient_is_that_of_the_volume_and_pushes_nowhere() {
        let (mut model, mut state) = (Model::new(3, DVec3::ZERO), State::default());
        let mut pattern = Pattern::of_mesh(Mesh::ball(0.7, 1));
        for (k, vertex) in pattern.mesh.vertices.iter_mut().enumerate() {
            *vertex += DVec3::new(3.0, -1.0, 0.05 * (k as f64).sin());
        }
        let cloth = model.add_cloth(&mut state, &pattern, &Fabric::default()).clone();
        let gradient = gradient(&cloth, &state.positions);
        assert!((volume(&cloth.faces, &state.positions) - pattern.mesh.volume()).abs() < 1e-12);
        for particle in [0, 17, 41] {
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let at = |by: f64| {
                    let mut moved = state.positions.clone();
                    moved[particle] += axis * by;
                    volume(&cloth.faces, &moved)
                };
                let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((slope - gradient[particle].dot(axis)).abs() < 1e-9);
            }
        }
        let push: DVec3 = gradient.iter().sum();
        let moment: DVec3 = gradient.iter().zip(&state.positions).map(|(g, x)| x.cross(*g)).sum();
        assert!(push.length() < 1e-14 && moment.length() < 1e-14, "{push} {moment}");
        // Outwards: away from the middle.
        let middle = DVec3::new(3.0, -1.0, 0.0);
        let out = gradient.iter().zip(&state.positions).all(|(g, x)| g.dot(*x - middle) > 0.0);
        assert!(out);
    }
}
