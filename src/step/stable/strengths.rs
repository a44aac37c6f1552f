//! Contacts that hold: mortar and glue bear a pull and a force sideways up to a limit. Asked is the
//! least part of its strength that the worst contact needs. Each point of a contact bears an equal
//! part of what the contact does. In space the circles of friction and cohesion are polygons, inside
//! for the forces that prove the answer and around for the bound below it.

use super::first::{Relaxation, contact};
use super::forces::{Circle, Forces};
use super::{Balance, Reaction, Statics};
use crate::contact::{Move, Touch};
use crate::math::{DVec3, principal_axes};
use crate::problem::{Problem, Result};
use crate::solver::linear::{Column, Optimum};
use crate::step::collapse::gauss::{axes, tangents};
use crate::world::{Body, Contact, Per, Strength};

/// Slips of what falls are found when another program would change none by more than this, in
/// units of gravity, or after so many programs.
const SLIPS: (f64, usize) = (1e-6, 40);

/// The same where only the bodies that fall are asked for.
const ROUGH_SLIPS: (f64, usize) = (1e-4, 12);

/// Sides of the polygons that stand for circles: they differ from them by 0.5 per cent.
const SIDES: usize = 32;

/// Less than this part of the strongest pull is not missing, but rounding.
const ROUNDING: f64 = 1e-6;

/// Touches of one pair whose normals differ by less belong to one plane.
const SAME_NORMAL: f64 = 1e-6;

/// How much of their strength contacts need.
#[derive(Clone, Debug, PartialEq)]
pub struct Strain {
    /// Whether what there is suffices.
    pub balance: Balance,
    /// The least part of its strength that the worst contact needs is between these: with
    /// polygons around the circles of friction, and inside. Infinite if no strength would do.
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
struct Limits {
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

/// What limits are worth in a program.
#[derive(Clone, Copy, PartialEq)]
enum Worth {
    /// As much of them as the utilisation says, which costs 1.
    Used,
    /// Nothing is limited.
    Any,
    /// They are what they are.
    Given,
}

/// A program in the making.
struct Making<'a> {
    forces: Forces<'a>,
    worth: Worth,
    /// The column of the utilisation, one for each touch that has a strength.
    used: Vec<Option<usize>>,
    last: Option<usize>,
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
        let limits: Vec<Limits> = self
            .touches
            .iter()
            .zip(&own)
            .map(|(touch, k)| self.limits(touch, &contacts[*k]))
            .collect();
        let inner = self.least(&limits, Some(Circle::inside(SIDES)));
        let outer = match self.model.dimension {
            2 => None,
            _ => Some(self.least(&limits, Some(Circle::around(SIDES)))),
        };
        let bound = outer.as_ref().unwrap_or(&inner);
        let (low, high) = (bound.least, inner.least);
        let balance = match () {
            () if inner.is_solved && high <= 1.0 => Balance::Balanced,
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
            true => self.plastic(&limits, Some(Circle::inside(SIDES)), SLIPS),
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
        })
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
        let making = Making::new(self, limits, circle, Worth::Used);
        let (optimum, is_solved) = making.forces.solve();
        if is_solved {
            let first = making.used.iter().flatten().next();
            let least = first.map_or(0.0, |first| optimum.shares[*first].max(0.0));
            return Least { making, optimum, least, is_solved };
        }
        let mut making = Making::new(self, limits, circle, Worth::Any);
        making.forces.help();
        let (optimum, is_solved) = making.forces.solve();
        let is_missing = is_solved && optimum.bound > ROUNDING;
        Least { making, optimum, least: f64::INFINITY, is_solved: is_missing }
    }

    /// How many bodies begin to fall.
    pub(super) fn fall_of_many(&self) -> Vec<Move> {
        let limits = vec![Limits::default(); self.touches.len()];
        self.plastic(&limits, None, ROUGH_SLIPS).0
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
        let mut making = Making::new(self, limits, circle, Worth::Given);
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
    least: f64,
    is_solved: bool,
}

impl<'a> Making<'a> {
    fn new(
        statics: &'a Statics<'a>,
        limits: &[Limits],
        circle: Option<Circle>,
        worth: Worth,
    ) -> Self {
        let forces = Forces::new(statics, &statics.pulls_by_row(), circle);
        let used = vec![None; statics.touches.len()];
        let mut making = Making { forces, worth, used, last: None };
        for (touch, limits) in limits.iter().enumerate() {
            making.touch(touch, limits);
        }
        making
    }

    /// The columns of one touch: it presses and rubs, pulls, and sticks.
    fn touch(&mut self, number: usize, limits: &Limits) {
        let rows = match limits.is_any() && self.worth != Worth::Any {
            true => self.limit_rows(number, limits),
            false => [None; 3],
        };
        let [pull, cohesion, shear] = rows;
        let has_shear = limits.shear.is_none_or(|shear| shear > 0.0);
        let touch = &self.forces.statics.touches[number];
        let normal = touch.normal;
        match has_shear {
            true => self.forces.press(number, shear),
            false => _ = self.forces.push(number, normal),
        }
        if shear.is_some() && self.forces.statics.friction_of(touch) > 0.0 {
            // What presses without rubbing: the sum of edges of its cone would count as borne sideways.
            self.forces.push(number, normal);
        }
        if limits.pull > 0.0 {
            let column = self.forces.push(number, -normal);
            self.forces.program.columns[column].extend(pull.map(|row| (row, 1.0)));
        }
        if limits.cohesion > 0.0 && has_shear {
            for across in self.forces.around(number) {
                let column = self.forces.push(number, across);
                let rows = [cohesion, shear].into_iter().flatten().map(|row| (row, 1.0));
                self.forces.program.columns[column].extend(rows);
            }
        }
    }

    /// Rows that limit pull, cohesion and shear, by the utilisation, and one that makes the
    /// utilisation of this touch that of the last.
    fn limit_rows(&mut self, touch: usize, limits: &Limits) -> [Option<u32>; 3] {
        let (mut used, unit) = (Column::new(), self.forces.unit);
        let is_given = self.worth == Worth::Given;
        let rows = limits.sizes().map(|size| {
            let size = size? / unit;
            let row = self.forces.row(if is_given { size } else { 0.0 });
            used.push((row, -size));
            self.forces.column(vec![(row, 1.0)], 0.0, None);
            Some(row)
        });
        if is_given || used.is_empty() {
            return rows;
        }
        let own = self.forces.column(used, if self.last.is_none() { 1.0 } else { 0.0 }, None);
        if let Some(last) = self.last {
            let row = self.forces.row(0.0);
            self.forces.program.columns[own].push((row, 1.0));
            self.forces.program.columns[last].push((row, -1.0));
        }
        self.used[touch] = Some(own);
        self.last = Some(own);
        rows
    }

    /// How much the strength of each contact counts: what its limits cost.
    fn add_parts(
        &self,
        optimum: &Optimum,
        limits: &[Limits],
        own: &[usize],
        contacts: &mut [HeldContact],
    ) {
        for (touch, used) in self.used.iter().enumerate() {
            let Some(used) = used else { continue };
            let count = limits[touch].sizes().iter().flatten().count();
            let paid = self.forces.program.columns[*used][..count].iter();
            let paid: f64 = paid.map(|(row, x)| x * optimum.prices[*row as usize]).sum();
            contacts[own[touch]].part += paid.max(0.0);
        }
        let total: f64 = contacts.iter().map(|contact| contact.part).sum();
        contacts.iter_mut().filter(|_| total > 0.0).for_each(|contact| contact.part /= total);
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DQuat;
    use crate::shape::Shape;
    use crate::world::{Model, Motion, State, Weight};

    /// A block of sides 2, 1, 1 and weight 1 glued with one of its ends to a wall, and another one
    /// to its other end.
    fn hung(strength: Strength, count: usize) -> (Model, State) {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        for k in 0..=count {
            let at = DVec3::X * (2.0 * k as f64);
            let shape = Shape::cuboid(DVec3::new(2.0, 1.0, 1.0)).unwrap();
            let weight = Weight::Mass(1.0);
            let body = model.add(&mut state, shape, at, DQuat::IDENTITY, weight).unwrap();
            body.material.friction = 0.0;
            if k == 0 {
                body.motion = Motion::Fixed;
            }
        }
        model.strengths.push(strength);
        (model, state)
    }

    fn strain(strength: Strength, count: usize) -> Strain {
        let (model, state) = hung(strength, count);
        Statics::new(&model, &state).unwrap().strain().unwrap()
    }

    /// One block: moment 1 about its lower edge is borne by the two upper corners, half of the pull
    /// each times the height 1; so a pull of 2 in all is needed at four points. Per area it is
    /// the same, as the area is 1; per point a quarter of it.
    #[test]
    fn a_glued_cantilever_by_hand() {
        let glue = Strength { pull: 4.0, cohesion: 100.0, ..Strength::default() };
        for (strength, wanted) in [
            (glue, 0.5),
            (Strength { per: Per::Area, ..glue }, 0.5),
            (Strength { per: Per::Point, ..glue }, 0.125),
            (Strength { pull: 1.0, ..glue }, 2.0),
        ] {
            let found = strain(strength, 1);
            assert!((found.bounds[1] - wanted).abs() < 1e-6, "{:?} {wanted}", found.bounds);
            assert_eq!(found.balance == Balance::Balanced, wanted <= 1.0);
            let contact = &found.contacts[found.weakest().unwrap()];
            assert!((contact.area - 1.0).abs() < 1e-12 && contact.points == 4);
            assert!((contact.force.length() - 1.0).abs() < 1e-6, "{}", contact.force);
            assert!((contact.utilisation.unwrap() - wanted).abs() < 1e-6, "{contact:?}");
            assert!((contact.at - DVec3::X).length() < 1e-12, "{}", contact.at);
            let sum: DVec3 = found.forces.iter().map(|at| at.force).sum();
            assert!((sum - contact.force).length() < 1e-12 && found.forces.len() == 4);
        }
        // Two of them: 2 at arm 2; the contact at the wall is the weak one.
        let found = strain(glue, 2);
        assert!((found.bounds[1] - 2.0).abs() < 1e-6, "{:?}", found.bounds);
        let weakest = &found.contacts[found.weakest().unwrap()];
        assert!(weakest.bodies.contains(&Some(0)) && weakest.part > 0.999);
        let used = |k: usize| found.contacts[k].utilisation.unwrap();
        assert!(
            (used(0) - 2.0).abs() < 1e-6 && used(1) > 0.4999 && used(1) < 2.0001,
            "{}",
            used(1)
        );
    }

    /// Pulled, what friction of its own pull and cohesion bear together, and what shear allows.
    #[test]
    fn what_a_point_needs() {
        let limits = Limits { pull: 4.0, cohesion: 2.0, shear: Some(3.0) };
        let used =
            |across: f64, along: f64| limits.used(DVec3::new(across, 0.0, along), DVec3::Z, 0.5);
        assert_eq!([used(0.0, 5.0), used(0.0, -2.0), used(1.0, -2.0)], [0.0, 0.5, 0.5]);
        assert_eq!([used(1.5, 4.0), used(2.0, -3.0)], [0.5, 0.875]);
    }

    /// What it bears sideways without being pressed: the weight, within what polygons leave open.
    #[test]
    fn cohesion_and_shear_by_hand() {
        let glue = Strength { pull: 100.0, cohesion: 2.0, ..Strength::default() };
        let [low, high] = strain(glue, 1).bounds;
        assert!(low <= 0.5 + 1e-6 && high >= 0.5 - 1e-6 && high - low < 0.005, "{low} {high}");
        let [low, high] = strain(Strength { shear: Some(0.5), ..glue }, 1).bounds;
        assert!(low <= 2.0 + 1e-6 && high >= 2.0 - 1e-6 && high - low < 0.02, "{low} {high}");
    }

    /// A limit on what is borne sideways asks nothing of what only presses.
    #[test]
    fn shear_counts_what_is_borne_not_what_could_be() {
        for (slope, shear) in [(0.0, 0.1), (0.2, 0.21), (0.2, 0.15)] {
            let gravity = DVec3::new(slope, 0.0, -1.0);
            let (mut model, mut state) = (Model::new(3, gravity), State::default());
            for (size, at) in
                [(DVec3::new(4.0, 4.0, 1.0), 0.5), (DVec3::new(20.0, 20.0, 1.0), -0.5)]
            {
                let shape = Shape::cuboid(size).unwrap();
                let (place, weight) = (DVec3::Z * at, Weight::Mass(1.0));
                model.add(&mut state, shape, place, DQuat::IDENTITY, weight).unwrap();
            }
            model.bodies[1].motion = Motion::Fixed;
            model.bodies.iter_mut().for_each(|body| body.material.friction = 1.0);
            model.strengths.push(Strength { shear: Some(shear), ..Strength::default() });
            let found = Statics::new(&model, &state).unwrap().strain().unwrap();
            let [low, high] = found.bounds;
            let wanted = slope / shear;
            assert!(low <= wanted + 1e-6 && wanted <= high + 1e-6, "{low} {wanted} {high}");
            assert!(high - low < 0.01 * wanted.max(1e-3), "{low} {high}");
            assert_eq!(found.balance == Balance::Balanced, wanted <= 1.0);
        }
    }

    /// Without cohesion nothing holds a smooth block up, whatever the pull.
    #[test]
    fn what_no_strength_would_hold() {
        let found = strain(Strength { pull: 100.0, ..Strength::default() }, 1);
        assert_eq!((found.balance, found.bounds[0]), (Balance::Unbalanced, f64::INFINITY));
        assert!(found.forces.is_empty() && found.contacts[0].utilisation.is_none());
        // However strong, and however dear: a program of its own says what is missing.
        for pull in [1e-9, 1e9] {
            let found = strain(Strength { pull, ..Strength::default() }, 1);
            assert_eq!((found.balance, found.bounds[0]), (Balance::Unbalanced, f64::INFINITY));
            let motion = found.mechanism.unwrap();
            assert!(motion[1].0.z < -0.5, "{motion:?}");
        }
        // Weak ones are not called impossible.
        let glue = Strength { pull: 1e-6, cohesion: 1e-6, ..Strength::default() };
        let found = strain(glue, 1);
        assert!(found.bounds[0] > 1e5 && found.bounds[1] < 1e7, "{:?}", found.bounds);
    }

    /// What gives way goes on bearing all it can: a block of weight 1 held sideways with 1/2, a
    /// weaker one, and one that friction helps while it slides.
    #[test]
    fn accelerations_of_what_gives_way() {
        for (cohesion, wanted) in [(0.5, -0.5), (0.1, -0.9), (2.0, 0.0)] {
            let glue = Strength { pull: 100.0, cohesion, ..Strength::default() };
            let found = strain(glue, 1);
            let (shift, turn) = found.accelerations[1];
            assert!((shift - DVec3::Z * wanted).length() + turn.length() < 0.01, "{shift} {turn}");
            assert_eq!(found.mechanism.is_none(), found.balance == Balance::Balanced);
        }
        // A slab on a slope: sin - friction cos - cohesion / weight.
        let (sin, cos) = 40_f64.to_radians().sin_cos();
        let (mut model, mut state) = (Model::new(3, DVec3::new(sin, 0.0, -cos)), State::default());
        for (size, z) in [(DVec3::new(40.0, 40.0, 2.0), -1.0), (DVec3::new(1.0, 1.0, 0.2), 0.1)] {
            let shape = Shape::cuboid(size).unwrap();
            let at = DVec3::Z * z;
            let weight = Weight::Mass(1.0);
            let body = model.add(&mut state, shape, at, DQuat::IDENTITY, weight).unwrap();
            body.material.friction = 0.5;
            body.motion = if z < 0.0 { Motion::Fixed } else { Motion::Free };
        }
        model.strengths.push(Strength { cohesion: 0.1, ..Strength::default() });
        let found = Statics::new(&model, &state).unwrap().strain().unwrap();
        let (shift, _) = found.accelerations[1];
        let wanted = sin - 0.5 * cos - 0.1;
        assert!((shift - DVec3::X * wanted).length() < 1e-5, "{shift} {wanted}");
    }
}
