//! Cloth and balloons, measured again: how far threads are stretched, and how much
//! air is left.

use super::Verdict;
use super::checks::{Made, Measure, Step, Subject};
use super::limits::Limits;
use crate::math::DVec3;
use crate::world::{Cloth, Model, ThreadKind};

/// The worst of all frames.
pub(super) struct Sewing<'a> {
    model: &'a Model,
    limits: Limits,
    /// As a part of what is accepted; with the stretch, the bound, cloth and frame.
    stretch: (f64, f64, f64, usize, usize),
    /// Off by this part; with cloth and frame.
    volume: (f64, usize, usize),
    balloons: bool,
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    let Subject { model, limits, .. } = subject;
    let first = model.cloths.first()?;
    Some(Box::new(Sewing {
        model,
        limits,
        stretch: (0.0, 0.0, limits.stretch_of(first), 0, 0),
        volume: (0.0, 0, 0),
        balloons: false,
    }))
}

impl<'a> Sewing<'a> {
    /// Balloons that are blown up first are only looked at in the end.
    fn look(&mut self, index: usize, is_last: bool, x: &[DVec3]) {
        for (number, cloth) in self.model.cloths.iter().enumerate() {
            let (stretch, bound) = (stretch(cloth, x), self.limits.stretch_of(cloth));
            let part = stretch / bound;
            if part > self.stretch.0 || part.is_nan() {
                self.stretch = (part, stretch, bound, number, index);
            }
            let Some(air) = cloth.air.filter(|air| air.compliance == 0.0) else { continue };
            self.balloons = true;
            let goal = air.factor * air.rest_volume;
            let off = (volume(cloth, x) - goal).abs() / goal;
            let blown_up = air.factor == 1.0 || is_last;
            if blown_up && (off > self.volume.0 || off.is_nan()) {
                self.volume = (off, number, index);
            }
        }
    }
}

impl Measure for Sewing<'_> {
    fn frame(&mut self, step: &Step) {
        self.look(step.index, step.is_last, &step.frame.state.positions);
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let (_, stretch, bound, cloth, frame) = self.stretch;
        let detail =
            format!("threads are longer by {stretch:.1e} at most: cloth {cloth}, frame {frame}");
        verdict.measure("stretch", stretch, bound, detail);
        if self.balloons {
            let (off, cloth, frame) = self.volume;
            let detail =
                format!("off by {off:.1e} of it at most: the air in cloth {cloth}, frame {frame}");
            verdict.measure("volume", off, self.limits.volume, detail);
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

/// How the volume grows with the position of each particle: a third of the areas around it,
/// outwards.
pub(super) fn gradient(cloth: &Cloth, x: &[DVec3]) -> Vec<DVec3> {
    let first = cloth.first as usize;
    let mut gradient = vec![DVec3::ZERO; cloth.rest.len()];
    for face in &cloth.faces {
        let [a, b, c] = face.map(|p| x[p as usize]);
        let area = 0.5 * (b - a).cross(c - b);
        face.iter().for_each(|p| gradient[*p as usize - first] += area / 3.0);
    }
    gradient
}

/// The volume as the flux of `z` through the triangles, from the first particle's height.
pub(super) fn volume(cloth: &Cloth, x: &[DVec3]) -> f64 {
    let origin = x[cloth.first as usize];
    let flux = cloth.faces.iter().map(|face| {
        let [a, b, c] = face.map(|p| x[p as usize] - origin);
        let shadow = 0.5 * ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
        shadow * (a.z + b.z + c.z) / 3.0
    });
    flux.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Mesh;
    use crate::world::{Fabric, Pattern, State};

    #[test]
    fn measures_are_those_of_the_drawing_board() {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        let mut pattern = Pattern::of_mesh(Mesh::ball(1.0, 1));
        for vertex in &mut pattern.mesh.vertices {
            *vertex += DVec3::X * 2.005;
        }
        let cloth = model.add_cloth(&mut state, &pattern, &Fabric::default()).clone();
        assert!((volume(&cloth, &state.positions) - pattern.mesh.volume()).abs() < 1e-12);
        let twice: Vec<DVec3> = state.positions.iter().map(|x| *x * 2.0).collect();
        assert!((stretch(&cloth, &twice) - 1.0).abs() < 1e-12);
    }
}
