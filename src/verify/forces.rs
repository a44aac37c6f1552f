//! The energies of distances, computed once more from the laws as they are
//! written in the scene format.

use crate::math::{DMat3, DVec3};
use crate::scene::Law;
use crate::world::{Model, State};

/// One line along which an energy acts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    law: &'a Law,
    pub body: usize,
    /// The other end: a body, or a fixed point.
    pub end: End,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Body(usize),
    Point { place: DVec3, softening: f64 },
}

/// All lines of a model.
pub(super) fn lines(model: &Model) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    for force in &model.forces {
        let law = &force.law;
        lines.extend(force.pairs.iter().map(|&[a, b]| Line {
            law,
            body: a as usize,
            end: End::Body(b as usize),
        }));
        lines.extend(force.anchors.iter().map(|anchor| Line {
            law,
            body: anchor.body as usize,
            end: End::Point { place: anchor.point, softening: anchor.softening },
        }));
    }
    lines
}

impl Line<'_> {
    pub fn other(&self) -> Option<usize> {
        match self.end {
            End::Body(other) => Some(other),
            End::Point { .. } => None,
        }
    }

    /// From the other end to the body, and the distance that counts.
    fn reach(&self, positions: &[DVec3]) -> (DVec3, f64) {
        let (from, softening) = match self.end {
            End::Body(other) => (positions[other], 0.0),
            End::Point { place, softening } => (place, softening),
        };
        let DVec3 { x, y, z } = positions[self.body] - from;
        (DVec3::new(x, y, z), (x * x + y * y + z * z + softening * softening).sqrt())
    }

    pub fn energy(&self, positions: &[DVec3]) -> f64 {
        let (_, d) = self.reach(positions);
        match *self.law {
            Law::Attraction { strength } => strength * d,
            Law::InverseSquare { strength } => -strength / d,
            Law::Spring { strength, rest_length } => strength * (d - rest_length).powi(2),
            Law::ShortRange { strength, cut_off } => {
                strength * if d < cut_off { d } else { cut_off }
            }
            Law::Repulsion { strength } => strength / d,
        }
    }

    /// By how much the energy changes from one frame to the next. Lengths are
    /// compared by their squares, whose difference keeps its digits.
    pub fn change(&self, from: &[DVec3], to: &[DVec3]) -> f64 {
        let ((before, d), (after, e)) = (self.reach(from), self.reach(to));
        let travel = match self.end {
            End::Body(other) => (to[self.body] - from[self.body]) - (to[other] - from[other]),
            End::Point { .. } => to[self.body] - from[self.body],
        };
        let squares = travel.dot(before + after);
        let longer = if d + e > 0.0 { squares / (d + e) } else { 0.0 };
        match *self.law {
            Law::Attraction { strength } => strength * longer,
            Law::InverseSquare { strength } => strength * longer / (d * e),
            Law::Spring { strength, rest_length } => {
                strength * (squares - 2.0 * rest_length * longer)
            }
            Law::ShortRange { strength, cut_off } => match (d < cut_off, e < cut_off) {
                (true, true) => strength * longer,
                (false, false) => 0.0,
                (true, false) => strength * (cut_off - d),
                (false, true) => strength * (e - cut_off),
            },
            Law::Repulsion { strength } => -strength * longer / (d * e),
        }
    }

    /// First and second derivative of the energy with respect to the distance.
    fn derivatives(&self, d: f64) -> (f64, f64) {
        match *self.law {
            Law::Attraction { strength } => (strength, 0.0),
            Law::InverseSquare { strength } => (strength / d.powi(2), -2.0 * strength / d.powi(3)),
            Law::Spring { strength, rest_length } => {
                (2.0 * strength * (d - rest_length), 2.0 * strength)
            }
            Law::ShortRange { strength, cut_off } => {
                (if d < cut_off { strength } else { 0.0 }, 0.0)
            }
            Law::Repulsion { strength } => (-strength / d.powi(2), 2.0 * strength / d.powi(3)),
        }
    }

    /// How much the gradient may change at most while the distance of the ends does by no more
    /// than a way.
    fn change_within(&self, positions: &[DVec3], way: f64) -> f64 {
        if way == 0.0 {
            return 0.0;
        }
        let (vector, d) = self.reach(positions);
        let (length, soft) = (vector.length(), (d * d - vector.length_squared()).max(0.0));
        // All derivatives are monotonous, so that they are largest at the ends of the range.
        let ends = [(length - way).max(0.0), length + way].map(|l| (l * l + soft).sqrt());
        let (mut steepest, mut strongest) = (0.0_f64, 0.0_f64);
        for end in ends {
            let (first, second) = self.derivatives(end);
            steepest = steepest.max(second.abs()).max((first / end).abs());
            strongest = strongest.max(first.abs());
        }
        let jump = match *self.law {
            Law::ShortRange { strength, cut_off } if ends[0] < cut_off && cut_off <= ends[1] => {
                strength.abs()
            }
            _ => 0.0,
        };
        (steepest * way + jump).min(2.0 * strongest)
    }

    /// The gradient of the energy with respect to the body's place.
    pub fn gradient(&self, positions: &[DVec3]) -> DVec3 {
        let (vector, d) = self.reach(positions);
        if d > 0.0 { vector * (self.derivatives(d).0 / d) } else { DVec3::ZERO }
    }

    /// The second derivatives of the energy with respect to the body's place.
    pub fn stiffness(&self, positions: &[DVec3]) -> DMat3 {
        let (vector, d) = self.reach(positions);
        let (first, second) = self.derivatives(d);
        if d == 0.0 {
            return DMat3::IDENTITY * second;
        }
        let (across, along) = (first / d, (second - first / d) / (d * d));
        DMat3::IDENTITY * across
            + DMat3::from_cols(vector * vector.x, vector * vector.y, vector * vector.z) * along
    }
}

/// What acts on every body: the gradient of all energies, and the largest
/// single force.
pub(super) fn loads(model: &Model, positions: &[DVec3]) -> (Vec<DVec3>, Vec<f64>) {
    let weight = |body: &crate::world::Body| -body.mass * (model.gravity + body.push);
    let mut gradients: Vec<DVec3> = model.bodies.iter().map(weight).collect();
    let mut largest: Vec<f64> = gradients.iter().map(|weight| weight.length()).collect();
    for line in lines(model) {
        let pull = line.gradient(positions);
        let (first, second) = line.derivatives(line.reach(positions).1);
        // A spring counts as stretched by the body's radius.
        let size = |body: usize| first.abs() + second.max(0.0) * model.bodies[body].radius;
        gradients[line.body] += pull;
        largest[line.body] = largest[line.body].max(size(line.body));
        if let Some(other) = line.other() {
            gradients[other] -= pull;
            largest[other] = largest[other].max(size(other));
        }
    }
    (gradients, largest)
}

/// How much what acts on every body may change while each body goes no farther than its way.
pub(super) fn changes(model: &Model, positions: &[DVec3], ways: &[f64]) -> Vec<f64> {
    let mut changes = vec![0.0; model.bodies.len()];
    for line in lines(model) {
        let other = line.other();
        let way = ways[line.body] + other.map_or(0.0, |other| ways[other]);
        let change = line.change_within(positions, way);
        changes[line.body] += change;
        if let Some(other) = other {
            changes[other] += change;
        }
    }
    changes
}

/// How far bodies may go in a step, there and back, as their places and velocities at its ends
/// tell.
pub(super) fn ways(before: &State, now: &State, dt: f64) -> Vec<f64> {
    let way = |i: usize| {
        let speeds = before.velocities[i].length() + now.velocities[i].length();
        before.positions[i].distance(now.positions[i]) + dt * speeds
    };
    (0..before.positions.len()).map(way).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Form;
    use crate::trajectory::samples;
    use crate::world::{Anchor, Force};

    const LAWS: [Law; 6] = [
        Law::Attraction { strength: 1.5 },
        Law::InverseSquare { strength: 2.0 },
        Law::Spring { strength: 0.7, rest_length: 0.0 },
        Law::Spring { strength: 0.7, rest_length: 1.3 },
        Law::ShortRange { strength: 1.2, cut_off: 1.5 },
        Law::Repulsion { strength: 0.8 },
    ];

    /// Two bodies under every law, between each other and to a point, and where they are.
    fn two_bodies() -> (Model, [DVec3; 2]) {
        let anchor = Anchor { body: 0, point: DVec3::new(0.2, 0.1, 0.4), softening: 0.2 };
        let force =
            |law: Law| Force { law, form: Form::Bound, pairs: vec![[0, 1]], anchors: vec![anchor] };
        let model = Model { forces: LAWS.map(force).to_vec(), ..samples::model(2) };
        let start = [DVec3::new(0.3, -0.4, 0.2), DVec3::new(1.1, 0.5, -0.3)];
        (model, start)
    }

    /// No way of a given length changes a gradient by more than the bound, and the best one
    /// comes near it.
    #[test]
    fn gradients_change_no_more_than_their_bound() {
        let (model, start) = two_bodies();
        for line in lines(&model) {
            for way in [0.0, 0.01, 0.3, 2.0] {
                let (bound, mut most) = (line.change_within(&start, way), 0.0_f64);
                for k in 0..500 {
                    let turn = f64::from(k) * 2.399963;
                    let z = f64::from(k) / 250.0 - 0.998;
                    let flat = (1.0 - z * z).sqrt();
                    let to = DVec3::new(flat * turn.cos(), flat * turn.sin(), z) * way;
                    let moved = [start[0] + to, start[1]];
                    most = most.max((line.gradient(&moved) - line.gradient(&start)).length());
                }
                assert!(most <= bound * (1.0 + 1e-12), "{line:?} {way}: {most} > {bound}");
                let jumps = matches!(line.law, Law::ShortRange { .. });
                assert!(way != 0.01 || jumps || bound < 2.0 * most, "{line:?}: {most} < {bound}");
            }
        }
    }

    /// Derivatives are those of the energy, and changes its differences.
    #[test]
    fn derivatives_and_changes_fit_the_energy() {
        let (model, start) = two_bodies();
        for line in lines(&model) {
            for (k, axis) in DVec3::AXES.into_iter().enumerate() {
                let at = |step: f64| [start[0] + axis * step, start[1]];
                let (here, there) = (at(-1e-5), at(1e-5));
                let slope = (line.energy(&there) - line.energy(&here)) / 2e-5;
                assert!((slope - line.gradient(&start)[k]).abs() < 1e-8, "{line:?}");
                let bend = (line.gradient(&there) - line.gradient(&here)) / 2e-5;
                assert!((bend - line.stiffness(&start).col(k)).length() < 1e-6, "{line:?}");
                let far = at(0.7);
                let difference = line.energy(&far) - line.energy(&start);
                assert!((line.change(&start, &far) - difference).abs() < 1e-14, "{line:?}");
            }
        }
    }
}
