//! Energies of distances in the program of a step.

use super::plan::Stand;
use crate::energy::{self, Forces, Strand, paper, strands};
use crate::math::{DMat3, DVec3};
use crate::scene::{Form, Law};
use crate::solver::{Ceiling, FIXED, MotionBox, Tie};
use crate::world::{Model, State};

/// Strands longer than this many sums of both radii do not join their ends in
/// the matrix: a bound of its own for each end does, a little looser.
const FAR: f64 = 6.0;

/// What the energies of distances add to a program, in scene units.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    ties: Vec<Tie>,
    ceilings: Vec<Ceiling>,
    /// Per body, the part of the gradient that ceilings stand for; empty if there are none.
    pub in_ceilings: Vec<DVec3>,
}

impl Fields {
    /// `number` is each body's number in the program, `boxes` are the reaches
    /// of the bodies that have one.
    pub fn of(
        model: &Model,
        state: &State,
        number: &[u32],
        boxes: &[MotionBox],
        stand: Stand,
    ) -> Fields {
        let mut fields = Fields::default();
        if stand == Stand::Gradients {
            return fields;
        }
        let reach = |body: Option<usize>| {
            let own = body.and_then(|body| boxes.get(number[body] as usize));
            own.map_or(0.0, |b| b.low.abs().max(b.high).length())
        };
        for force in &model.forces {
            let directions = match force.form {
                Form::Paper { directions, .. } => paper::directions(directions, model.dimension),
                Form::Bound => Vec::new(),
            };
            for strand in strands(force, state) {
                let ends = (number[strand.a], strand.b.map_or(FIXED, |b| number[b]));
                if ends == (FIXED, FIXED) {
                    continue;
                }
                let reach = reach(Some(strand.a)) + reach(strand.b);
                let pieces = match (force.form, stand) {
                    (Form::Paper { piece, .. }, Stand::AsAsked) => {
                        paper::pieces(&force.law, piece, &directions, &strand, reach)
                    }
                    _ => None,
                };
                match pieces {
                    Some(pieces) => fields.add_ceiling(model, &force.law, &strand, ends, pieces),
                    None => fields.add_tie(model, &force.law, &strand, ends, reach, stand),
                }
            }
        }
        fields
    }

    fn add_tie(
        &mut self,
        model: &Model,
        law: &Law,
        strand: &Strand,
        ends: (u32, u32),
        reach: f64,
        stand: Stand,
    ) {
        let radius = |body: usize| model.bodies[body].radius;
        let touching = strand.b.map_or(0.0, |b| radius(strand.a) + radius(b));
        let length = strand.length();
        // Two bodies cannot get closer than touching along their line.
        let least = (length - reach).max(touching).min(length);
        let block = match stand {
            Stand::Curvature => energy::convex_stiffness(law, strand),
            _ => {
                let bound = energy::bound(law, strand, least.max(strand.softening));
                let u = strand.direction();
                DMat3::from_diagonal(DVec3::splat(bound.all_round))
                    + DMat3::from_cols(u * u.x, u * u.y, u * u.z) * bound.along
            }
        };
        if block == DMat3::ZERO {
            return;
        }
        match ends {
            (a, FIXED) | (FIXED, a) => self.ties.push(Tie { a, b: FIXED, block }),
            // |x - y|^2 <= 2 |x|^2 + 2 |y|^2
            (a, b) if length > FAR * touching => {
                self.ties.push(Tie { a, b: FIXED, block: block * 2.0 });
                self.ties.push(Tie { a: b, b: FIXED, block: block * 2.0 });
            }
            (a, b) => self.ties.push(Tie { a, b, block }),
        }
    }

    fn add_ceiling(
        &mut self,
        model: &Model,
        law: &Law,
        strand: &Strand,
        ends: (u32, u32),
        pieces: Vec<(DVec3, f64)>,
    ) {
        self.in_ceilings.resize(model.bodies.len(), DVec3::ZERO);
        let pull = energy::pull(law, strand);
        self.in_ceilings[strand.a] += pull;
        if let Some(b) = strand.b {
            self.in_ceilings[b] -= pull;
        }
        let turned = |(slope, height): (DVec3, f64)| (-slope, height);
        self.ceilings.push(match ends {
            (FIXED, b) => {
                Ceiling { a: b, b: FIXED, pieces: pieces.into_iter().map(turned).collect() }
            }
            (a, b) => Ceiling { a, b, pieces },
        });
    }

    /// The quadratic terms in the program's units.
    pub fn ties(&self, scale: f64) -> Vec<Tie> {
        self.ties.iter().map(|tie| Tie { block: tie.block * scale, ..*tie }).collect()
    }

    /// The piecewise linear terms in the program's units.
    pub fn ceilings(&self, length: f64, force: f64) -> Vec<Ceiling> {
        let scaled = |(slope, height): &(DVec3, f64)| (*slope / force, height / (force * length));
        let ceilings = self.ceilings.iter();
        ceilings
            .map(|c| Ceiling { a: c.a, b: c.b, pieces: c.pieces.iter().map(scaled).collect() })
            .collect()
    }
}

/// The direction in which a body wants to go: along gravity where there is
/// any, else along what pulls at it.
pub(super) fn down(model: &Model, forces: &Forces, body: usize) -> DVec3 {
    let pull = model.pull(body);
    let nowhere = if model.dimension == 2 { -DVec3::Y } else { -DVec3::Z };
    let direction = |v: DVec3| v.try_normalize().filter(|unit| unit.is_finite());
    direction(pull).or(direction(-forces.gradient[body])).unwrap_or(nowhere)
}
