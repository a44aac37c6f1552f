//! Contacts that hold: mortar and glue bear a pull and a force sideways up to a limit. Asked is the
//! least part of its strength that the worst contact needs. Each point of a contact bears an equal
//! part of what the contact does. In space friction and cohesion are round; only where the program
//! with round cones does not come to an end are they polygons, inside for the forces that prove the
//! answer and around for the bound below it.

mod making;
#[cfg(test)]
mod tests;

pub(super) use making::{Making, Worth};

use super::first::{Relaxation, contact};
use super::forces::Circle;
use super::{Balance, Reaction, Statics};
use crate::contact::{Move, Touch};
use crate::math::{DVec3, principal_axes};
use crate::problem::{Problem, Result};
use crate::solver::linear::Optimum;
use crate::step::collapse::gauss::{axes, tangents};
use crate::world::{Body, Contact, Per, Strength};

/// Slips of what falls are found when another program would change none by more than this, in
/// units of gravity, or after so many programs.
const SLIPS: (f64, usize) = (1e-6, 40);

/// The same where only the bodies that fall are asked for.
const ROUGH_SLIPS: (f64, usize) = (1e-4, 12);

/// Sides of the polygons where round cones do not come to an end: they differ from circles by 0.5
/// per cent.
const SIDES: usize = 32;

/// Less than this part of the strongest pull is not missing, but rounding.
const ROUNDING: f64 = 1e-6;

/// Strengths that just suffice are found to be too small by rounding of the program: by so much.
const EXACTLY: f64 = 1e-9;

/// Touches of one pair whose normals differ by less belong to one plane.
const SAME_NORMAL: f64 = 1e-6;

/// How much of their strength contacts need.
#[derive(Clone, Debug, PartialEq)]
pub struct Strain {
    /// Whether what there is suffices.
    pub balance: Balance,
    /// The least part of its strength that the worst contact needs is between these: what prices
    /// prove, and what forces need. Infinite if no strength would do.
    pub bounds: [f64; 2],
    /// What is left unbalanced, in units of the strongest pull, and how far the accelerations are
    /// off, in units of gravity.
    pub residual: f64,
    /// Velocities and spins of a collapse, with which the loads do more work than all strengths
    /// resist; none if the bodies are balanced.
    pub mechanism: Option<Vec<(DVec3, DVec3)>>,
    /// Accelerations and angular accelerations, with contacts that go on bearing all they can as
    /// they give way; zero if balanced.
    pub accelerations: Vec<(DVec3, DVec3)>,
    /// The contacts of two bodies in one plane.
    pub contacts: Vec<HeldContact>,
    /// At every point, forces that need no more than the least utilisation; none where nothing
    /// would do.
    pub forces: Vec<Contact>,
    /// Bodies that no contact joins to what is fixed, directly or by way of others: they fall.
    pub floating: Vec<usize>,
}

/// All touches of two bodies in one plane.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldContact {
    /// The two bodies; none is the container.
    pub bodies: [Option<u32>; 2],
    /// Out of the second body.
    pub normal: DVec3,
    /// Points at which it acts.
    pub points: usize,
    /// The middle of these points.
    pub at: DVec3,
    /// Of the convex hull of its points; in 2D its length.
    pub area: f64,
    /// What acts on the first body, in forces that need no more than the least utilisation.
    pub force: DVec3,
    /// By how many per cent the utilisation falls if the contact is made one per cent stronger.
    pub part: f64,
    /// The part of its strength that the worst of its points needs with [`Strain::forces`].
    pub utilisation: Option<f64>,
}

impl Strain {
    /// The contact whose strength counts most.
    pub fn weakest(&self) -> Option<usize> {
        let parts = self.contacts.iter().enumerate().filter(|(_, contact)| contact.part > 1e-6);
        parts.max_by(|a, b| a.1.part.total_cmp(&b.1.part).then(b.0.cmp(&a.0))).map(|(k, _)| k)
    }
}

/// What one point bears.
#[derive(Clone, Copy, Default)]
pub(super) struct Limits {
    pull: f64,
    cohesion: f64,
    shear: Option<f64>,
}

impl Limits {
    /// Those that there are: a pull, a cohesion, a shear.
    fn sizes(&self) -> [Option<f64>; 3] {
        [Some(self.pull), Some(self.cohesion), self.shear].map(|size| size.filter(|x| *x > 0.0))
    }

    /// The least part of them that a force needs: a pull, what friction does not bear sideways (a
    /// point that is pulled together rubs, too), and all that is borne sideways.
    fn used(&self, force: DVec3, normal: DVec3, friction: f64) -> f64 {
        let along = force.dot(normal);
        let across = force.reject_from(normal).length();
        let sideways = friction * self.pull + self.cohesion;
        let parts = [
            (-along, self.pull),
            (across - friction * along, sideways),
            (across, self.shear.unwrap_or(0.0)),
        ];
        let part = |(needed, limit): &(f64, f64)| if *limit > 0.0 { needed / limit } else { 0.0 };
        parts.iter().map(part).fold(0.0, f64::max)
    }

    fn is_any(&self) -> bool {
        self.pull > 0.0 || self.cohesion > 0.0 || self.shear.is_some()
    }
}

impl Statics<'_> {
    /// Whether some contact has a strength.
    pub fn has_strengths(&self) -> bool {
        self.touches.iter().any(|touch| self.strength_of(touch).is_some())
    }

    fn strength_of(&self, touch: &Touch) -> Option<&Strength> {
        self.model.strength(touch.bodies())
    }

    /// How much of their strength the contacts need. Joints are not asked together with them.
    pub fn strain(&self) -> Result<Strain> {
        if !self.model.joints.is_empty() {
            return Err(Problem::new("contacts with `strengths` are asked without joints")
                .help("leave out the [[joints]], or the [[strengths]]"));
        }
        let (mut contacts, own) = self.planes();
        let limits = self.limits_of(&contacts, &own);
        let round = self.least(&limits, None);
        let (inner, outer) = match round.is_solved || self.model.dimension == 2 {
            true => (round, None),
            false => {
                let [inside, around] = [Circle::inside(SIDES), Circle::around(SIDES)];
                (self.least(&limits, Some(inside)), Some(self.least(&limits, Some(around))))
            }
        };
        let bound = outer.as_ref().unwrap_or(&inner);
        let (low, high) = (bound.least[0], inner.least[1]);
        let balance = match () {
            () if inner.is_solved && high <= 1.0 + EXACTLY => Balance::Balanced,
            () if bound.is_solved && low > 1.0 + ROUNDING => Balance::Unbalanced,
            () => Balance::Undecided([low, high]),
        };
        let forces = inner.making.forces.at_touches(&inner.optimum.shares);
        for (force, contact) in forces.iter().zip(&own) {
            contacts[*contact].force += *force;
        }
        inner.making.add_parts(&inner.optimum, &limits, &own, &mut contacts);
        let mut told = Vec::new();
        if high.is_finite() {
            for (k, (touch, force)) in self.touches.iter().zip(&forces).enumerate() {
                told.push(contact(touch, *force));
                if limits[k].is_any() {
                    let used = limits[k].used(*force, touch.normal, self.friction_of(touch));
                    let old = &mut contacts[own[k]].utilisation;
                    *old = Some(old.map_or(used, |old| old.max(used)));
                }
            }
        }
        let falls = balance != Balance::Balanced;
        let (accelerations, known) = match falls {
            true => self.plastic(&limits, None, SLIPS),
            false => (vec![(DVec3::ZERO, DVec3::ZERO); self.model.bodies.len()], 0.0),
        };
        Ok(Strain {
            balance,
            bounds: [low, high],
            residual: inner.optimum.residual.max(known),
            mechanism: falls.then(|| self.motion_of(&bound.optimum.prices)),
            accelerations,
            contacts,
            forces: told,
            floating: self.floating(),
        })
    }

    /// Bodies that no contact joins to what does not move.
    fn floating(&self) -> Vec<usize> {
        let count = self.model.bodies.len();
        let mut beside = vec![Vec::new(); count];
        let mut is_held: Vec<bool> = self.model.bodies.iter().map(|body| !body.is_free()).collect();
        for touch in &self.touches {
            match touch.bodies().map(|body| body.map(|body| body as usize)) {
                [Some(one), Some(two)] => {
                    beside[one].push(two);
                    beside[two].push(one);
                }
                [one, two] => one.or(two).into_iter().for_each(|body| is_held[body] = true),
            }
        }
        let mut reached: Vec<usize> = (0..count).filter(|&body| is_held[body]).collect();
        while let Some(body) = reached.pop() {
            for &other in &beside[body] {
                if !std::mem::replace(&mut is_held[other], true) {
                    reached.push(other);
                }
            }
        }
        (0..count).filter(|&body| !is_held[body]).collect()
    }

    /// What every touch bears besides pressing and rubbing.
    pub(super) fn limits_by_touch(&self) -> Vec<Limits> {
        let (contacts, own) = self.planes();
        self.limits_of(&contacts, &own)
    }

    fn limits_of(&self, contacts: &[HeldContact], own: &[usize]) -> Vec<Limits> {
        let of = |(touch, k): (&Touch, &usize)| self.limits(touch, &contacts[*k]);
        self.touches.iter().zip(own).map(of).collect()
    }

    /// The contacts of two bodies in one plane with the sums of these forces, one for each touch, and
    /// which of them each touch belongs to.
    pub fn contacts(&self, forces: &[Reaction]) -> (Vec<HeldContact>, Vec<usize>) {
        let (mut contacts, own) = self.planes();
        for (reaction, contact) in forces.iter().zip(&own) {
            contacts[*contact].force += reaction.contact.force;
        }
        (contacts, own)
    }

    /// The contacts in one plane, and which of them each touch belongs to.
    fn planes(&self) -> (Vec<HeldContact>, Vec<usize>) {
        let mut contacts: Vec<(HeldContact, DVec3, Vec<DVec3>)> = Vec::new();
        let mut own = Vec::with_capacity(self.touches.len());
        // Touches come sorted by their pairs.
        for touch in &self.touches {
            let bodies = touch.bodies();
            let first =
                contacts.iter().rposition(|(c, ..)| c.bodies != bodies).map_or(0, |k| k + 1);
            let same = |(_, normal, _): &(HeldContact, DVec3, Vec<DVec3>)| {
                normal.distance(touch.normal) < SAME_NORMAL
            };
            let at = contacts[first..].iter().position(same).map(|k| first + k);
            let at = at.unwrap_or_else(|| {
                let (normal, force) = (touch.normal, DVec3::ZERO);
                let (points, area, part) = (0, 0.0, 0.0);
                let (at, utilisation) = (DVec3::ZERO, None);
                let contact =
                    HeldContact { bodies, normal, points, at, area, force, part, utilisation };
                contacts.push((contact, touch.normal, Vec::new()));
                contacts.len() - 1
            });
            contacts[at].2.push(0.5 * (touch.at[0] + touch.at[1]));
            own.push(at);
        }
        let measured = |(mut contact, normal, points): (HeldContact, DVec3, Vec<DVec3>)| {
            contact.points = points.len();
            contact.at = points.iter().sum::<DVec3>() / points.len() as f64;
            contact.area = area(self.model.dimension, normal, &points);
            contact
        };
        (contacts.into_iter().map(measured).collect(), own)
    }

    /// What one point of a contact bears.
    fn limits(&self, touch: &Touch, contact: &HeldContact) -> Limits {
        let Some(strength) = self.strength_of(touch) else { return Limits::default() };
        let share = match strength.per {
            Per::Point => 1.0,
            Per::Contact => 1.0 / contact.points as f64,
            Per::Area => contact.area / contact.points as f64,
        };
        Limits {
            pull: share * strength.pull,
            cohesion: share * strength.cohesion,
            shear: strength.shear.map(|shear| share * shear),
        }
    }

    /// The least utilisation, infinite if no strength would do, and whether it was found. That no
    /// strength would do is the answer of a program of its own: what is missing if nothing is limited.
    fn least(&self, limits: &[Limits], circle: Option<Circle>) -> Least<'_> {
        let loads = self.pulls_by_row();
        let making = Making::new(self, &loads, limits, circle, Worth::Used);
        let (optimum, is_solved) = making.forces.solve();
        if is_solved {
            let least = match making.used.iter().flatten().next() {
                Some(_) => [optimum.bound.max(0.0), optimum.cost.max(0.0)],
                None => [0.0; 2],
            };
            return Least { making, optimum, least, is_solved };
        }
        let mut making = Making::new(self, &loads, limits, circle, Worth::Any);
        making.forces.help();
        let (optimum, is_solved) = making.forces.solve();
        let is_missing = is_solved && optimum.bound > ROUNDING;
        Least { making, optimum, least: [f64::INFINITY; 2], is_solved: is_missing }
    }

    /// The least part of their strength that contacts need under other loads; infinite if no strength
    /// would do.
    pub(super) fn utilisation(&self, loads: &[f64]) -> f64 {
        let limits = self.limits_by_touch();
        let used = |circle: Option<Circle>| {
            let making = Making::new(self, loads, &limits, circle, Worth::Used);
            let (optimum, is_solved) = making.forces.solve();
            is_solved.then_some(optimum.cost.max(0.0))
        };
        used(None).or_else(|| used(Some(Circle::inside(SIDES)))).unwrap_or(f64::INFINITY)
    }

    /// How many bodies begin to fall.
    pub(super) fn fall_of_many(&self) -> Vec<Move> {
        self.plastic(&self.limits_by_touch(), None, ROUGH_SLIPS).0
    }

    /// How it begins to fall: Gauss' principle by its dual, the forces that leave the least energy
    /// of accelerations. What gives way goes on bearing all that it can. Slips are forgiven as in
    /// [`Statics::begin_to_fall`], program after program.
    fn plastic(
        &self,
        limits: &[Limits],
        circle: Option<Circle>,
        (same, most): (f64, usize),
    ) -> (Vec<Move>, f64) {
        let loads = self.pulls_by_row();
        let mut making = Making::new(self, &loads, limits, circle, Worth::Given);
        let first = making.forces.program.columns.len();
        let unit = making.forces.unit;
        let fastest = self.fastest();
        let bodies: Vec<usize> = self.model.free().collect();
        let mut squares = vec![0.0; first];
        for &body in &bodies {
            for (inertia, motion) in self.resistances(body) {
                let column = self.load(body, motion.0, motion.1);
                for sign in [1.0, -1.0] {
                    let column = column.iter().map(|(row, x)| (*row, sign * x)).collect();
                    making.forces.column(column, 0.0, None);
                    squares.push(unit / (inertia * fastest));
                }
            }
        }
        making.forces.program.squares = squares;
        let mut slips = vec![0.0; self.touches.len()];
        let mut relaxation = Relaxation::default();
        for program in 1.. {
            for (column, push) in making.forces.pushes.iter().enumerate().take(first) {
                let Some((touch, push)) = push else { continue };
                let touched = &self.touches[*touch];
                // What presses and slides rubs with all that its cone has.
                let pressure = push.dot(touched.normal).max(0.0) / unit;
                let rubbed = pressure * self.friction_of(touched);
                making.forces.program.costs[column] = rubbed * slips[*touch] / fastest;
            }
            let (optimum, _) = making.forces.solve();
            let mut accelerations = vec![(DVec3::ZERO, DVec3::ZERO); self.model.bodies.len()];
            let mut shares = optimum.shares[first..].iter();
            for &body in &bodies {
                for (inertia, motion) in self.resistances(body) {
                    let [plus, minus] = [shares.next(), shares.next()].map(|x| *x.unwrap_or(&0.0));
                    let size = (plus - minus) * unit / inertia;
                    accelerations[body].0 += motion.0 * size;
                    accelerations[body].1 += motion.1 * size;
                }
            }
            let slip = |touch: &Touch| self.slip(touch, &accelerations).length();
            let misses: Vec<f64> =
                self.touches.iter().zip(&slips).map(|(touch, old)| slip(touch) - old).collect();
            let off = misses.iter().fold(0.0_f64, |most, miss| most.max(miss.abs())) / fastest;
            if off <= same || program == most {
                // The gap of cost and bound is at least the energy of the error.
                let lightest = bodies.iter().map(|&i| self.model.bodies[i].mass);
                let weight = lightest.fold(f64::INFINITY, f64::min) * fastest;
                let gap = (optimum.cost - optimum.bound).max(0.0) * unit;
                return (accelerations, optimum.residual.max(off).max((2.0 * gap / weight).sqrt()));
            }
            let part = relaxation.next(&misses);
            slips.iter_mut().zip(&misses).for_each(|(slip, miss)| {
                *slip = (*slip + part * miss).max(0.0);
            });
        }
        unreachable!("the last program returns")
    }

    /// The ways in which a body can accelerate by itself, and what resists each.
    fn resistances(&self, body: usize) -> Vec<(f64, Move)> {
        let Body { mass, .. } = self.model.bodies[body];
        let axes = axes(self.model.dimension);
        let mut ways: Vec<(f64, Move)> =
            axes.iter().map(|axis| (mass, (*axis, DVec3::ZERO))).collect();
        let inertia = self.model.bodies[body].inertia_turned(self.state.rotations[body]);
        match self.model.dimension {
            _ if self.model.bodies[body].is_particle() => {}
            2 => ways.push((inertia.z_axis.z, (DVec3::ZERO, DVec3::Z))),
            _ => {
                let (moments, turn) = principal_axes(inertia);
                let axis = |k: usize| (moments[k], (DVec3::ZERO, turn * DVec3::AXES[k]));
                ways.extend((0..3).map(axis));
            }
        }
        ways
    }
}

/// What a program found.
struct Least<'a> {
    making: Making<'a>,
    optimum: Optimum,
    /// What prices prove, and what forces need.
    least: [f64; 2],
    is_solved: bool,
}

/// The area of the convex hull of points of a plane; in 2D the length between them.
fn area(dimension: usize, normal: DVec3, points: &[DVec3]) -> f64 {
    let across = tangents(dimension, normal);
    let one = across[0];
    if dimension == 2 {
        let along = points.iter().map(|p| p.dot(one));
        let (low, high) =
            along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        return high - low;
    }
    let two = across[2];
    let mut flat: Vec<[f64; 2]> = points.iter().map(|p| [p.dot(one), p.dot(two)]).collect();
    flat.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..] {
                if (b[0] - a[0]) * (p[1] - a[1]) > (b[1] - a[1]) * (p[0] - a[0]) {
                    break;
                }
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut corners = half(&mut flat.iter().copied());
    corners.extend(half(&mut flat.iter().rev().copied()));
    let next = corners.iter().cycle().skip(1);
    0.5 * corners.iter().zip(next).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<f64>()
}
