//! Cloth and balloons, measured again: how far threads are stretched, how much
//! air is left, and how deep particles are in bodies. Nothing here is shared with
//! what moved them.

use super::Verdict;
use super::entering::{Solid, between};
use crate::math::{DQuat, DVec3};
use crate::shape::{Core, Piece};
use crate::world::{Assembly, Cloth, Motion, ThreadKind};

/// A balloon that does not give keeps its volume to this part of it, whatever hits it.
const VOLUME: f64 = 0.1;

/// The worst of all frames.
#[derive(Default)]
pub(super) struct Sewing {
    /// As a part of what the scene accepts; with the stretch, the bound, cloth and frame.
    stretch: (f64, f64, f64, usize, usize),
    /// Off by this part; with cloth and frame.
    volume: (f64, usize, usize),
    balloons: bool,
}

impl Sewing {
    /// Balloons that are blown up first are only looked at in the end.
    pub fn frame(&mut self, assembly: &Assembly, index: usize, frames: usize, x: &[DVec3]) {
        for (number, cloth) in assembly.cloths.iter().enumerate() {
            let stretch = stretch(cloth, x);
            let part = stretch / cloth.most_stretch;
            if part > self.stretch.0 || part.is_nan() {
                self.stretch = (part, stretch, cloth.most_stretch, number, index);
            }
            let Some(air) = cloth.air.filter(|air| air.compliance == 0.0) else { continue };
            self.balloons = true;
            let goal = air.factor * air.rest_volume;
            let off = (volume(cloth, x) - goal).abs() / goal;
            let blown_up = air.factor == 1.0 || index + 1 == frames;
            if blown_up && (off > self.volume.0 || off.is_nan()) {
                self.volume = (off, number, index);
            }
        }
    }

    pub fn report(&self, assembly: &Assembly, verdict: &mut Verdict) {
        if assembly.cloths.is_empty() {
            return;
        }
        let (_, stretch, bound, cloth, frame) = self.stretch;
        let bound = if bound > 0.0 { bound } else { assembly.cloths[0].most_stretch };
        let detail = format!(
            "threads are longer by {stretch:.1e} at most: cloth {cloth}, frame {frame}; the scene \
             accepts {bound:?}"
        );
        verdict.measure("stretch", stretch, bound, detail);
        if self.balloons {
            let (off, cloth, frame) = self.volume;
            let detail =
                format!("off by {off:.1e} of it at most: the air in cloth {cloth}, frame {frame}");
            verdict.measure("volume", off, VOLUME, detail);
        }
    }
}

fn stretch(cloth: &Cloth, x: &[DVec3]) -> f64 {
    let mut worst = 0.0_f64;
    for thread in cloth.threads.iter().filter(|thread| thread.kind == ThreadKind::Stretch) {
        let part = x[thread.ends[0] as usize].distance(x[thread.ends[1] as usize]) / thread.length;
        if part.is_nan() {
            return f64::NAN;
        }
        worst = worst.max(part - 1.0);
    }
    worst
}

/// The volume as the flux of `z` through the triangles, from the first particle's height.
fn volume(cloth: &Cloth, x: &[DVec3]) -> f64 {
    let origin = x[cloth.first as usize];
    let flux = cloth.faces.iter().map(|face| {
        let [a, b, c] = face.map(|p| x[p as usize] - origin);
        let shadow = 0.5 * ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
        shadow * (a.z + b.z + c.z) / 3.0
    });
    flux.sum()
}

/// The deepest that a particle is in a body, in diameters of the smaller of the two.
pub(super) fn overlap(
    assembly: &Assembly,
    positions: &[DVec3],
    rotations: &[DQuat],
) -> (f64, [usize; 2]) {
    let mut worst = (0.0, [0; 2]);
    let rigid = assembly.cloths.first().map_or(assembly.parts.len(), |c| c.first as usize);
    for (body, part) in assembly.parts[..rigid].iter().enumerate() {
        for piece in &part.pieces {
            let solid = Solid::new(piece, positions[body], rotations[body]);
            for (i, particle) in assembly.parts.iter().enumerate().skip(rigid) {
                let (at, r) = (positions[i], particle.radius);
                let near = at.cmpgt(solid.low - r).all() && at.cmplt(solid.high + r).all();
                let still = part.motion != Motion::Free && particle.motion != Motion::Free;
                if !near || still || tied(assembly, i, body) {
                    continue;
                }
                let ball = Piece::new(Core::Point, r);
                let gap = between(&Solid::new(&ball, at, DQuat::IDENTITY), &solid);
                let depth = (r + piece.radius - gap) / (2.0 * r.min(part.radius));
                if depth > worst.0 {
                    worst = (depth, [body, i]);
                }
            }
        }
    }
    worst
}

fn tied(assembly: &Assembly, particle: usize, body: usize) -> bool {
    let same = |part: u32, number: usize| part as usize == number;
    let mut ties = assembly.attachments.iter();
    ties.any(|tie| same(tie.particle, particle) && tie.to.is_some_and(|to| same(to, body)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Mesh;
    use crate::world::{Fabric, Pattern, Poses, Weight};

    #[test]
    fn measures_are_those_of_the_drawing_board() {
        let (mut assembly, mut poses) = (Assembly::default(), Poses::default());
        let cube = Piece::new(Core::Box { half: DVec3::ONE }, 0.0);
        assembly.add(&mut poses, vec![cube], Weight::Density(1.0)).unwrap();
        let mut pattern = Pattern::of_mesh(Mesh::ball(1.0, 1));
        for vertex in &mut pattern.mesh.vertices {
            *vertex += DVec3::X * 2.005;
        }
        let fabric = Fabric { radius: 0.01, ..Default::default() };
        let cloth = assembly.add_cloth(&mut poses, &pattern, &fabric).clone();
        assert!((volume(&cloth, &poses.positions) - pattern.mesh.volume()).abs() < 1e-12);
        let twice: Vec<DVec3> = poses.positions.iter().map(|x| *x * 2.0).collect();
        assert!((stretch(&cloth, &twice) - 1.0).abs() < 1e-12);
        // The leftmost particle is at 1.005 + a little, 0.005 in a skin of 0.01.
        let left = pattern.mesh.vertices.iter().map(|v| v.x).fold(f64::MAX, f64::min);
        let (depth, [body, _]) = overlap(&assembly, &poses.positions, &poses.rotations);
        assert_eq!(body, 0);
        assert!((depth - (1.01 - left) / 0.02).abs() < 1e-4, "{depth} {left}");
    }
}
