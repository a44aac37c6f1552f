//! The lines along which forces act: from body to body, or from a body to a
//! fixed point.

use super::law::{self, OfDistance};
use crate::math::{DMat3, DVec3};
use crate::world::{Force, Model, State};

/// One line of a force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strand {
    /// The body that is pulled.
    pub a: usize,
    /// None for a fixed point.
    pub b: Option<usize>,
    /// From `b` to `a`.
    pub vector: DVec3,
    /// The energy is that of `sqrt(|vector|^2 + softening^2)`; 0 between bodies.
    pub softening: f64,
}

impl Strand {
    /// The distance that the energy depends on.
    pub fn length(&self) -> f64 {
        match self.softening {
            0.0 => self.vector.length(),
            soft => (self.vector.length_squared() + soft * soft).sqrt(),
        }
    }

    /// The gradient of the length. Where both ends coincide there is no
    /// direction; then it is 0, so that nothing moves by a force that points nowhere.
    pub fn direction(&self) -> DVec3 {
        match self.length() {
            0.0 => DVec3::ZERO,
            length => self.vector / length,
        }
    }

    /// The same strand when its ends have moved; and by how much longer it is,
    /// exact where the difference of two lengths would drown in rounding.
    fn moved(&self, motion: &[DVec3]) -> (Strand, f64) {
        let apart = motion[self.a] - self.b.map_or(DVec3::ZERO, |b| motion[b]);
        let moved = Strand { vector: self.vector + apart, ..*self };
        let sum = moved.length() + self.length();
        let change = if sum > 0.0 { (self.vector + moved.vector).dot(apart) / sum } else { 0.0 };
        (moved, change)
    }
}

/// The strands of a force.
pub fn strands<'a>(force: &'a Force, state: &'a State) -> impl Iterator<Item = Strand> + 'a {
    let at = |body: u32| state.positions[body as usize];
    let pairs = force.pairs.iter().map(move |&[a, b]| {
        let (vector, b) = (at(a) - at(b), Some(b as usize));
        Strand { a: a as usize, b, vector, softening: 0.0 }
    });
    let anchors = force.anchors.iter().map(move |anchor| {
        let vector = at(anchor.body) - anchor.point;
        Strand { a: anchor.body as usize, b: None, vector, softening: anchor.softening }
    });
    pairs.chain(anchors)
}

/// `look` at all strands of a model, each with its law.
fn each<'a, T>(
    model: &'a Model,
    state: &'a State,
    look: impl Fn(&dyn OfDistance, Strand) -> T + Copy + 'a,
) -> impl Iterator<Item = T> + 'a {
    model.forces.iter().flat_map(move |force| {
        let law = law::of(&force.law);
        strands(force, state).map(move |strand| look(&*law, strand))
    })
}

pub(super) fn values<'a>(model: &'a Model, state: &'a State) -> impl Iterator<Item = f64> + 'a {
    each(model, state, |law, strand| law.value(strand.length()))
}

/// By how much each strand's energy rises along a motion.
pub(super) fn rises<'a>(
    model: &'a Model,
    state: &'a State,
    motion: &'a [DVec3],
) -> impl Iterator<Item = f64> + 'a {
    each(model, state, |law, strand| {
        let (moved, change) = strand.moved(motion);
        law.rise(strand.length(), moved.length(), change)
    })
}

/// Each strand with the gradient of its energy at its end `a`, the size of its
/// slope, and its curvature where that is positive.
pub(super) fn pulls<'a>(
    model: &'a Model,
    state: &'a State,
) -> impl Iterator<Item = (Strand, DVec3, f64, f64)> + 'a {
    each(model, state, |law, strand| {
        let (slope, curvature) = (law.slope(strand.length()), law.curvature(strand.length()));
        (strand, strand.direction() * slope, slope.abs(), curvature.max(0.0))
    })
}

/// The second derivative of a strand's energy with respect to its vector.
pub(super) fn stiffness(law: &dyn OfDistance, strand: &Strand) -> DMat3 {
    match strand.length() {
        0.0 => DMat3::from_diagonal(DVec3::splat(law.curvature(0.0))),
        length => turned(strand, law.slope(length) / length, law.curvature(length)),
    }
}

/// The same without its negative part.
pub(super) fn convex_stiffness(law: &dyn OfDistance, strand: &Strand) -> DMat3 {
    match strand.length() {
        0.0 => DMat3::from_diagonal(DVec3::splat(law.curvature(0.0).max(0.0))),
        length => {
            let across = law.slope(length) / length;
            turned(strand, across.max(0.0), law.curvature(length).max(0.0))
        }
    }
}

/// A stiffness across and along a strand.
fn turned(strand: &Strand, across: f64, along: f64) -> DMat3 {
    let u = strand.direction();
    let line = DMat3::from_cols(u * u.x, u * u.y, u * u.z);
    (DMat3::IDENTITY - line) * across + line * along
}
