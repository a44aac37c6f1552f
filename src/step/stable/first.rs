//! How it begins to fall: Gauss' principle of least restraint, a quadratic program.
//!
//! Its rows for friction would have what slides lift off: along `normal + friction tangent` no
//! motion closes. So every touch is forgiven the slip that it has, and as that slip is part of
//! the answer, programs follow each other until it no longer changes [Acary, Cadoux, Lemaréchal,
//! Malick 2011]. On the same way cones get edges where bodies slide, and motors push no harder than
//! they can.

use super::joints::Bearing;
use super::statics::{Statics, Tolerance};
use super::{Fate, Reaction};
use crate::contact::{Move, Touch};
use crate::math::DVec3;
use crate::solver::linear::{Pick, Polygon};
use crate::solver::quadratic::{Answer, Demand, Quadratic, solve};
use crate::step::collapse::gauss::{Ends, Facets, Gauss, tangents};
use crate::world::Contact;

/// What is decided by accelerations is at rest below this, in units of gravity: quadratic
/// programs of thousands of bodies are not solved as exactly as small ones.
const STILL: f64 = 1e-6;

/// Slips are found when another program would change none by more than this, in units of gravity.
const SAME_SLIP: f64 = 1e-9;

/// So many programs at most: slips of strong friction are found in ten or twenty.
const MOST_PROGRAMS: usize = 60;

/// Where there are too many bodies for linear programs, a program takes seconds: then slips are
/// found less exactly, and the residual says how much so.
const FEW_PROGRAMS: usize = 2;
const SIMILAR_SLIP: f64 = 1e-4;

/// What is assumed of the answer before it is there.
struct Guess {
    /// Per touch, how fast it slides.
    slips: Vec<f64>,
    /// Along which edges of their cones touches push.
    facets: Facets,
    /// Per bearing, the force of a motor that does all it can; none while it holds.
    spent: Vec<Option<f64>>,
}

/// Aitken's relaxation: how much of a miss the next guess makes up for.
pub(super) struct Relaxation {
    part: f64,
    last: Vec<f64>,
}

impl Default for Relaxation {
    fn default() -> Self {
        Relaxation { part: 1.0, last: Vec::new() }
    }
}

impl Relaxation {
    /// As the last two misses suggest; it grows where misses shrink slowly.
    pub fn next(&mut self, misses: &[f64]) -> f64 {
        let changes = self.last.iter().zip(misses).map(|(before, now)| now - before);
        let (along, size) = self
            .last
            .iter()
            .zip(changes)
            .fold((0.0, 0.0), |sums, (before, d)| (sums.0 + before * d, sums.1 + d * d));
        if size > 0.0 {
            self.part = (-self.part * along / size).clamp(0.1, 100.0);
        }
        self.last = misses.to_vec();
        self.part
    }
}

/// How it begins to fall.
pub(super) struct First {
    pub accelerations: Vec<Move>,
    /// The contact forces that make them.
    pub forces: Vec<Reaction>,
    /// The same as columns of the linear program of forces, the largest ones first.
    pub pushes: Vec<(Pick, f64)>,
    /// How far they are off.
    pub residual: f64,
}

impl Statics<'_> {
    /// Gauss' principle as a program.
    fn least_restraint(&self, bearings: &[Bearing], guess: &Guess) -> Gauss<'_> {
        let spent = bearings.iter().zip(&guess.spent);
        let mut gauss = self.gauss(spent.clone().filter_map(|(b, spent)| Some((b, (*spent)?))));
        for (k, (touch, slip)) in self.touches.iter().zip(&guess.slips).enumerate() {
            let forgiven = self.friction_of(touch) * slip;
            for direction in guess.facets.pushes(k, touch) {
                gauss.add(Demand::AtLeast, forgiven, &Ends::of_touch(touch), direction);
            }
        }
        for (bearing, _) in spent.filter(|(_, spent)| spent.is_none()) {
            let demand = if bearing.both_ways { Demand::Equal } else { Demand::AtLeast };
            gauss.add_twisted(demand, 0.0, &bearing.ends, bearing.push, bearing.twist);
        }
        gauss
    }

    /// The program of what does not slide by itself, for benchmarks.
    pub fn program(&self) -> Quadratic {
        let bearings = self.bearings();
        self.least_restraint(&bearings, &self.first_guess(&bearings)).program
    }

    fn first_guess(&self, bearings: &[Bearing]) -> Guess {
        let friction = |touch: &Touch| self.friction_of(touch);
        let facets = Facets::new(self.model.dimension, &self.touches, friction);
        Guess { slips: vec![0.0; self.touches.len()], facets, spent: vec![None; bearings.len()] }
    }

    /// The first accelerations, and the contact forces that make them.
    pub(super) fn begin_to_fall(&self) -> &First {
        self.first.get_or_init(|| self.find_first())
    }

    fn find_first(&self) -> First {
        let bearings = self.bearings();
        let mut guess = self.first_guess(&bearings);
        let mut relaxation = Relaxation::default();
        let mut answer = Answer::default();
        let (most, same) = match self.is_large() {
            true => (FEW_PROGRAMS, SIMILAR_SLIP),
            false => (MOST_PROGRAMS, SAME_SLIP),
        };
        let least = vec![same * self.fastest(); self.touches.len()];
        for program in 1.. {
            let gauss = self.least_restraint(&bearings, &guess);
            answer = solve(&gauss.program, &answer.multipliers);
            let accelerations = gauss.motions(&answer.x);
            let changed = self.spend(&bearings, &mut guess.spent, &answer, &accelerations);
            let slips = self.touches.iter().map(|touch| self.slip(touch, &accelerations));
            let slips: Vec<DVec3> = slips.collect();
            let misses = slips.iter().zip(&guess.slips).map(|(now, then)| now.length() - then);
            let misses: Vec<f64> = misses.collect();
            let off = misses.iter().fold(0.0_f64, |most, miss| most.max(miss.abs()));
            let off = if off > 0.0 { off / self.fastest() } else { 0.0 };
            let found = off <= same || self.is_still(&accelerations);
            let (mut facets, mut multipliers) = (guess.facets.clone(), answer.multipliers.clone());
            let rounder = facets.refine(&slips, &least, (&mut multipliers, 0), |_| false);
            if found && !changed && !rounder || program == most {
                return First {
                    forces: self.reactions(&guess.facets, &answer, &accelerations, off),
                    pushes: self.pushes(&guess.facets, &answer.multipliers),
                    residual: answer.residual.largest().max(off),
                    accelerations,
                };
            }
            (guess.facets, answer.multipliers) = (facets, multipliers);
            let part = relaxation.next(&misses);
            for (slip, miss) in guess.slips.iter_mut().zip(&misses) {
                *slip = (*slip + part * miss).max(0.0);
            }
            // There are other rows now; or so many that a cold start is the faster one.
            if changed || self.is_large() {
                answer.multipliers.clear();
            }
        }
        unreachable!("the last program returns")
    }

    /// How a touch with friction slides.
    pub(super) fn slip(&self, touch: &Touch, accelerations: &[Move]) -> DVec3 {
        if self.friction_of(touch) == 0.0 {
            return DVec3::ZERO;
        }
        touch.slip(self.state, touch.moves(accelerations))
    }

    /// Lets motors that would have to push harder than they can push as hard as they can, and
    /// those that no longer have to, hold. Says whether any changed.
    fn spend(
        &self,
        bearings: &[Bearing],
        spent: &mut [Option<f64>],
        answer: &Answer,
        accelerations: &[Move],
    ) -> bool {
        let holding = spent.iter().filter(|spent| spent.is_none()).count();
        let mut forces = answer.multipliers[answer.multipliers.len() - holding..].iter();
        let mut changed = false;
        for (bearing, spent) in bearings.iter().zip(spent) {
            let now = match *spent {
                None => {
                    let force = forces.next().copied().unwrap_or_default();
                    let most = bearing.most.filter(|most| force.abs() > most * (1.0 + SAME_SLIP));
                    most.map(|most| most.copysign(force))
                }
                // It holds again if its joint would go the way that it pushes.
                Some(force) => {
                    let rate = bearing.rate(self.state, accelerations);
                    (rate * force.signum() <= SAME_SLIP * self.fastest()).then_some(force)
                }
            };
            changed |= now != *spent;
            *spent = now;
        }
        changed
    }

    fn reactions(
        &self,
        facets: &Facets,
        answer: &Answer,
        accelerations: &[Move],
        off: f64,
    ) -> Vec<Reaction> {
        let mut multipliers = answer.multipliers.iter();
        let least = Tolerance::START.balance.max(4.0 * off) * self.fastest();
        let reaction = |(k, touch): (usize, &Touch)| {
            let all = facets.pushes(k, touch);
            let force = all.iter().zip(&mut multipliers).map(|(d, m)| *d * *m).sum();
            Reaction {
                contact: contact(touch, force),
                fate: self.fate(touch, accelerations, least),
            }
        };
        self.touches.iter().enumerate().map(reaction).collect()
    }

    /// The forces of touches as columns of [`Statics::program_of_forces`].
    fn pushes(&self, facets: &Facets, multipliers: &[f64]) -> Vec<(Pick, f64)> {
        let (mut pushes, mut rest) = (Vec::new(), multipliers.iter());
        let (mut columns, mut cones) = (0, 0);
        for (k, touch) in self.touches.iter().enumerate() {
            let is_cone = self.model.dimension == 3 && self.friction_of(touch) > 0.0;
            let tangents = tangents(self.model.dimension, touch.normal);
            let unit = self.unit_of_touch(touch);
            for (push, force) in facets.pushes(k, touch).iter().zip(&mut rest) {
                let pick = match is_cone {
                    true => {
                        let across = [push.dot(tangents[0]), push.dot(tangents[2])];
                        Pick::Ray(cones, Polygon::Inner.towards(across))
                    }
                    false => {
                        columns += 1;
                        Pick::Column(columns - 1)
                    }
                };
                if *force > 0.0 {
                    pushes.push((pick, *force / unit));
                }
            }
            cones += usize::from(is_cone);
        }
        pushes.sort_by(|a, b| b.1.total_cmp(&a.1));
        pushes
    }

    /// Whether accelerations are those of bodies at rest.
    pub(super) fn is_still(&self, accelerations: &[Move]) -> bool {
        let (part, fastest) = (STILL.max(self.tolerance.balance), self.fastest());
        self.model.free().all(|i| {
            let (shift, turn) = accelerations[i];
            let alone = self.strengths[i] / self.model.bodies[i].mass;
            shift.length().max(turn.length() * self.length) <= part * fastest.max(alone)
        })
    }

    fn fate(&self, touch: &Touch, accelerations: &[Move], least: f64) -> Fate {
        let moved = touch.relative(self.state, touch.moves(accelerations));
        let apart = touch.normal.dot(moved);
        let along: DVec3 = moved - touch.normal * apart;
        if apart > least {
            Fate::Opens
        } else if along.length() > least {
            Fate::Slides
        } else {
            Fate::Holds
        }
    }

    /// The unit of accelerations: gravity, or what forces would do to a body alone.
    pub(super) fn fastest(&self) -> f64 {
        let alone = |i: usize| self.strengths[i] / self.model.bodies[i].mass;
        match self.model.gravity.length() {
            0.0 => self.model.free().map(alone).fold(0.0, f64::max),
            gravity => gravity,
        }
    }
}

/// What a force at a touch is told as.
pub(super) fn contact(touch: &Touch, force: DVec3) -> Contact {
    Contact {
        body: touch.key.body,
        with: touch.key.with,
        pieces: touch.key.pieces,
        at: touch.at,
        normal: touch.normal,
        force,
        couples: [DVec3::ZERO; 2],
        choice: false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Verdict, stable};
    use super::*;
    use crate::shape::Shape;
    use crate::step::collapse::samples::{add, near, rectangle};
    use crate::world::{Model, Motion, State};

    /// A body on a slope of so many degrees, which rises against x.
    fn on_slope(shape: Shape, height: f64, degrees: f64, friction: f64) -> Verdict {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let flat = shape.flat;
        let (up, dimension) = if flat { (DVec3::Y, 2) } else { (DVec3::Z, 3) };
        let (mut model, mut state) =
            (Model::new(dimension, DVec3::X * sin - up * cos), State::default());
        add(&mut model, &mut state, shape, up * height).material.friction = friction;
        let ground = if flat {
            rectangle(40.0, 2.0)
        } else {
            Shape::cuboid(DVec3::new(40.0, 40.0, 2.0)).unwrap()
        };
        let ground = add(&mut model, &mut state, ground, -up);
        (ground.material.friction, ground.motion) = (friction, Motion::Fixed);
        stable(&model, &state).unwrap()
    }

    /// What slides accelerates by `sin - friction cos`, and does not lift off.
    #[test]
    fn what_slides_accelerates_as_coulomb_says() {
        let slab = Shape::cuboid(DVec3::new(1.0, 1.0, 0.2)).unwrap();
        for (shape, touches) in [(slab, 4), (rectangle(1.0, 0.2), 2)] {
            for (degrees, friction) in [(30.0_f64, 0.55), (10.0, 0.05), (60.0, 1.5), (80.0, 4.0)] {
                let verdict = on_slope(shape.clone(), 0.1, degrees, friction);
                let (sin, cos) = degrees.to_radians().sin_cos();
                let (shift, turn) = verdict.accelerations[0];
                near(shift.x, sin - friction * cos, 1e-7);
                assert!((shift - DVec3::X * shift.x).length() + turn.length() < 1e-7, "{shift}");
                let slides = verdict.forces.iter().filter(|f| f.fate == Fate::Slides).count();
                assert_eq!((slides, verdict.forces.len()), (touches, touches), "{degrees}");
                assert!(verdict.is_unbalanced() && verdict.residual < 1e-7, "{}", verdict.residual);
            }
        }
    }

    /// A ball rolls if friction suffices for two sevenths of the pull, and slides otherwise.
    #[test]
    fn balls_roll_or_slide() {
        let (sin, cos) = 30_f64.to_radians().sin_cos();
        for friction in [0.1, 0.15, 0.18, 0.5, 2.0] {
            let rolls = friction * cos > 2.0 / 7.0 * sin;
            let verdict = on_slope(Shape::ball(0.5), 0.5, 30.0, friction);
            let (shift, turn) = verdict.accelerations[0];
            near(shift.x, if rolls { 5.0 / 7.0 * sin } else { sin - friction * cos }, 1e-7);
            near(shift.z, 0.0, 1e-7);
            near(turn.y, if rolls { shift.x / 0.5 } else { 2.5 * friction * cos / 0.5 }, 1e-6);
            let fate = if rolls { Fate::Holds } else { Fate::Slides };
            assert_eq!(verdict.forces[0].fate, fate, "{friction}");
        }
    }
}
