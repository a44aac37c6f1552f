//! From the scene to the paper: flat scenes as they are, others seen from the
//! side and above. Lengths in the scene become lengths on the paper; up is up.

use riprap::math::DVec3;
use riprap::world::{Model, State};

/// Space around bodies that stand in the open, in their radius.
const AIR: f64 = 1.2;

/// A panel is at most so many times as high as it is wide.
const TALLEST: f64 = 2.0;

/// Where things of the scene are on the paper.
pub(crate) struct Paper {
    pub flat: bool,
    /// The part of the picture plane that is shown.
    low: [f64; 2],
    high: [f64; 2],
    /// Pixels per unit of length.
    pub scale: f64,
    /// The radius of a typical body, in pixels.
    pub typical: f64,
}

impl Paper {
    /// Room for the container and for all that can move, in these states; about `width` pixels wide.
    pub(crate) fn new(model: &Model, states: &[&State], width: f64) -> Paper {
        Paper::around(model, states, &[], width)
    }

    /// The same with room for some points besides.
    pub(crate) fn around(model: &Model, states: &[&State], more: &[DVec3], width: f64) -> Paper {
        let mut paper = Paper {
            flat: model.dimension == 2,
            low: [f64::INFINITY; 2],
            high: [f64::NEG_INFINITY; 2],
            scale: 1.0,
            typical: 1.0,
        };
        let faces = model.boundary.faces();
        faces.iter().flat_map(|face| &face.corners).for_each(|corner| paper.include(*corner, 0.0));
        let air = if faces.is_empty() { AIR * model.typical_radius() } else { 0.0 };
        for state in states {
            let shown = (0..model.bodies.len()).filter(|&i| model.bodies[i].is_free());
            shown.for_each(|i| paper.include_body(model, state, i, air));
        }
        more.iter().for_each(|p| paper.include(*p, 0.0));
        if !(0..2)
            .all(|k| (paper.high[k] - paper.low[k]).is_finite() && paper.high[k] > paper.low[k])
        {
            (paper.low, paper.high) = ([0.0; 2], [1.0; 2]);
        }
        let [wide, tall] = [0, 1].map(|k| paper.high[k] - paper.low[k]);
        let width = width.clamp(16.0, 1e5);
        paper.scale = (width / wide).min(TALLEST * width / tall);
        paper.typical = paper.scale * model.typical_radius();
        paper
    }

    fn include_body(&mut self, model: &Model, state: &State, i: usize, air: f64) {
        if !state.positions[i].is_finite() {
            return;
        }
        let shape = model.shape(i);
        for piece in &shape.pieces {
            for corner in piece.polytope().corners() {
                self.include(state.positions[i] + state.rotations[i] * *corner, piece.radius + air);
            }
        }
    }

    fn include(&mut self, p: DVec3, room: f64) {
        for (k, at) in self.project(p).into_iter().enumerate() {
            self.low[k] = self.low[k].min(at - room);
            self.high[k] = self.high[k].max(at + room);
        }
    }

    /// Width and height in pixels.
    pub(crate) fn size(&self) -> [f64; 2] {
        [0, 1].map(|k| (self.high[k] - self.low[k]) * self.scale)
    }

    /// The picture plane, up being up.
    fn project(&self, p: DVec3) -> [f64; 2] {
        match self.flat {
            true => [p.x, p.y],
            false => [0.9 * p.x + 0.436 * p.y, 0.94 * p.z + 0.34 * (0.9 * p.y - 0.436 * p.x)],
        }
    }

    /// From where somebody looks.
    pub(crate) const TOWARD: DVec3 = DVec3::new(0.94 * 0.436, -0.94 * 0.9, 0.34);

    /// How near a point is to whoever looks.
    pub(crate) fn nearness(&self, p: DVec3) -> f64 {
        if self.flat { 0.0 } else { Self::TOWARD.dot(p) }
    }

    /// Where a point is, in pixels.
    pub(crate) fn point(&self, p: DVec3) -> [f64; 2] {
        let [x, y] = self.project(p);
        [(x - self.low[0]) * self.scale, (self.high[1] - y) * self.scale]
    }

    /// Width of outlines: thin, but visible at any size.
    pub(crate) fn hairline(&self) -> f64 {
        (0.004 * self.size()[0]).clamp(0.75, 2.0)
    }

    /// Whether something within this radius of a point could be seen.
    pub(crate) fn shows(&self, p: DVec3, radius: f64) -> bool {
        let at = self.project(p);
        (0..2).all(|k| at[k] + radius >= self.low[k] && at[k] - radius <= self.high[k])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn the_container_fills_the_paper() {
        let run = samples::flat(9, 2);
        let state = run.reader().frame(0).unwrap().state;
        let paper = Paper::new(run.reader().model(), &[&state], 300.0);
        let [wide, tall] = paper.size();
        assert!((wide - 300.0).abs() < 1e-9 && (tall - 300.0 * 4.6 / 3.6).abs() < 1e-9);
        let [x, y] = paper.point(DVec3::new(3.6, 4.6, 0.0));
        assert!((x - 300.0).abs() < 1e-9 && y.abs() < 1e-9);
    }

    #[test]
    fn in_the_open_there_is_air_around_what_moves() {
        let run = samples::collapse(3);
        let state = run.reader().frame(0).unwrap().state;
        let paper = Paper::new(run.reader().model(), &[&state], 300.0);
        let [wide, tall] = paper.size();
        // One block wide and six high, its radius being half the root of 2.
        let air = 1.2 * 0.5_f64.sqrt();
        assert!((tall / wide - (6.0 + 2.0 * air) / (1.0 + 2.0 * air)).abs() < 1e-6);
        assert!(tall <= 600.0 + 1e-9, "no taller than twice the width");
    }
}
