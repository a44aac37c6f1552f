//! Contacts that hold: mortar and glue bear a pull and a force sideways up to a limit. Asked is the
//! least part of its strength that the worst contact needs. Each point of a contact bears an equal
//! part of what the contact does. In space the circles of friction and cohesion are polygons, inside
//! for the forces that prove the answer and around for the bound below it.

use super::{Balance, Statics};
use crate::contact::Touch;
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use crate::solver::linear::{Cheapest, Column, End, Optimum};
use crate::step::collapse::gauss::{Ends, Gauss, tangents};
use crate::world::{Per, Strength};

/// Sides of the polygons that stand for circles: they differ from them by 0.5 per cent.
const SIDES: usize = 32;

/// What a missing weight costs, in units of utilisation: more than any strength is worth.
const MISSING: f64 = 1e4;

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
    /// What is left unbalanced, in units of the strongest pull.
    pub residual: f64,
    /// The contacts of two bodies in one plane.
    pub contacts: Vec<HeldContact>,
}

/// All touches of two bodies in one plane.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldContact {
    /// The two bodies; none is the container.
    pub bodies: [Option<u32>; 2],
    /// Points at which it acts.
    pub points: usize,
    /// Of the convex hull of its points; in 2D its length.
    pub area: f64,
    /// What acts on the first body, in forces that need no more than the least utilisation.
    pub force: DVec3,
    /// By how many per cent the utilisation falls if the contact is made one per cent stronger.
    pub part: f64,
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

/// A program in the making.
struct Making<'a> {
    statics: &'a Statics<'a>,
    gauss: Gauss<'a>,
    program: Cheapest,
    /// What each column pushes with, and at which touch.
    forces: Vec<Option<(usize, DVec3)>>,
    /// The column of the utilisation, one for each touch that has a strength.
    used: Vec<Option<usize>>,
    /// By how much polygons are larger than those inside.
    larger: f64,
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
        let inner = self.least(&limits, 1.0);
        let outer = match self.model.dimension {
            2 => None,
            _ => Some(self.least(&limits, (std::f64::consts::PI / SIDES as f64).cos().recip())),
        };
        let (making, optimum, high, is_solved) = inner;
        let (low, is_bounded) = outer.map_or((high, is_solved), |(.., low, is)| (low, is));
        let balance = match () {
            () if is_solved && high <= 1.0 => Balance::Balanced,
            () if is_bounded && low > 1.0 + ROUNDING => Balance::Unbalanced,
            () => Balance::Undecided([low, high]),
        };
        for ((share, force), touch) in optimum
            .shares
            .iter()
            .zip(&making.forces)
            .filter_map(|(s, f)| f.map(|f| ((s, f.1), f.0)))
        {
            contacts[own[touch]].force += force * *share;
        }
        making.add_parts(&optimum, &limits, &own, &mut contacts);
        let residual = optimum.residual;
        Ok(Strain { balance, bounds: [low, high], residual, contacts })
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
                let (points, area, force, part) = (0, 0.0, DVec3::ZERO, 0.0);
                let contact = HeldContact { bodies, points, area, force, part };
                contacts.push((contact, touch.normal, Vec::new()));
                contacts.len() - 1
            });
            contacts[at].2.push(0.5 * (touch.at[0] + touch.at[1]));
            own.push(at);
        }
        let measured = |(mut contact, normal, points): (HeldContact, DVec3, Vec<DVec3>)| {
            contact.points = points.len();
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

    /// The least utilisation, infinite if no strength would do, and whether it was found.
    fn least(&self, limits: &[Limits], larger: f64) -> (Making<'_>, Optimum, f64, bool) {
        let making = Making::new(self, limits, larger);
        let (optimum, is_solved) = match making.program.solve() {
            End::Solved(optimum) => (optimum, true),
            End::Open(optimum) => (optimum, false),
        };
        let first = making.used.iter().flatten().next();
        let least = first.map_or(0.0, |first| optimum.shares[*first]);
        let missing: f64 = optimum.shares[..2 * self.rows()].iter().sum();
        let least = if missing > ROUNDING { f64::INFINITY } else { least.max(0.0) };
        (making, optimum, least, is_solved)
    }
}

impl<'a> Making<'a> {
    fn new(statics: &'a Statics<'a>, limits: &[Limits], larger: f64) -> Self {
        let rows = statics.rows();
        let unit = statics.strongest().max(f64::MIN_POSITIVE);
        let right = statics.loads(rows).iter().map(|load| load / unit).collect();
        let program = Cheapest { rows, right, ..Cheapest::default() };
        let gauss = statics.gauss([].into_iter());
        let used = vec![None; statics.touches.len()];
        let mut making = Making { statics, gauss, program, forces: Vec::new(), used, larger };
        for row in 0..rows as u32 {
            making.column(vec![(row, 1.0)], MISSING, None);
            making.column(vec![(row, -1.0)], MISSING, None);
        }
        let mut last = None;
        for (touch, limits) in limits.iter().enumerate() {
            making.touch(touch, limits, unit, &mut last);
        }
        making
    }

    fn column(&mut self, column: Column, cost: f64, force: Option<(usize, DVec3)>) -> usize {
        self.program.columns.push(column);
        self.program.costs.push(cost);
        self.forces.push(force);
        self.program.columns.len() - 1
    }

    fn row(&mut self) -> u32 {
        self.program.right.push(0.0);
        self.program.rows += 1;
        self.program.rows as u32 - 1
    }

    /// Directions across the normal of a touch, of unit length inside the circle.
    fn around(&self, touch: usize) -> Vec<DVec3> {
        match &tangents(self.statics.model.dimension, self.statics.touches[touch].normal)[..] {
            [one, _, two, _] => {
                let step = std::f64::consts::TAU / SIDES as f64;
                let along = |k: usize| (k as f64 * step).sin_cos();
                let direction = |(sin, cos): (f64, f64)| (*one * cos + *two * sin) * self.larger;
                (0..SIDES).map(along).map(direction).collect()
            }
            flat => flat.to_vec(),
        }
    }

    /// The columns of one touch: it presses and rubs, pulls, and sticks.
    fn touch(&mut self, number: usize, limits: &Limits, unit: f64, last: &mut Option<usize>) {
        let touch = &self.statics.touches[number];
        let (normal, friction) = (touch.normal, self.statics.friction_of(touch));
        let around = self.around(number);
        let push = |making: &mut Self, direction: DVec3, limit: Option<(u32, f64)>| {
            let ends = Ends::of_touch(&making.statics.touches[number]);
            let parts = making.gauss.parts(&ends, direction, DVec3::ZERO);
            let mut column = making.statics.column(parts);
            column.extend(limit);
            making.column(column, 0.0, Some((number, direction * unit)))
        };
        let is_strong = limits.pull > 0.0 || limits.cohesion > 0.0 || limits.shear.is_some();
        let [pull, cohesion, shear] = match is_strong {
            true => self.limit_rows(number, limits, unit, last),
            false => [None; 3],
        };
        if friction == 0.0 {
            push(self, normal, None);
        } else {
            for t in &around {
                push(self, normal + *t * friction, shear.map(|row| (row, friction)));
            }
        }
        if pull.is_some() {
            push(self, -normal, pull.map(|row| (row, 1.0)));
        }
        if let Some(row) = cohesion {
            for t in &around {
                let column = push(self, *t, Some((row, 1.0)));
                self.program.columns[column].extend(shear.map(|row| (row, 1.0)));
            }
        }
    }

    /// Rows that limit pull, cohesion and shear by the utilisation, and one that makes the
    /// utilisation of this touch that of the last.
    fn limit_rows(
        &mut self,
        touch: usize,
        limits: &Limits,
        unit: f64,
        last: &mut Option<usize>,
    ) -> [Option<u32>; 3] {
        let mut used = Column::new();
        let sizes = [Some(limits.pull), Some(limits.cohesion), limits.shear];
        let rows = sizes.map(|size| {
            let size = size.filter(|size| *size > 0.0)?;
            let row = self.row();
            used.push((row, -size / unit));
            self.column(vec![(row, 1.0)], 0.0, None);
            Some(row)
        });
        let own = self.column(used, if last.is_none() { 1.0 } else { 0.0 }, None);
        if let Some(last) = *last {
            let row = self.row();
            self.program.columns[own].push((row, 1.0));
            self.program.columns[last].push((row, -1.0));
        }
        self.used[touch] = Some(own);
        *last = Some(own);
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
            let rows =
                [limits[touch].pull, limits[touch].cohesion, limits[touch].shear.unwrap_or(0.0)];
            let count = rows.iter().filter(|size| **size > 0.0).count();
            let paid = self.program.columns[*used][..count].iter();
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
        }
        // Two of them: 2 at arm 2; the contact at the wall is the weak one.
        let found = strain(glue, 2);
        assert!((found.bounds[1] - 2.0).abs() < 1e-6, "{:?}", found.bounds);
        let weakest = &found.contacts[found.weakest().unwrap()];
        assert!(weakest.bodies.contains(&Some(0)) && weakest.part > 0.999);
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

    /// Without cohesion nothing holds a smooth block up, whatever the pull.
    #[test]
    fn what_no_strength_would_hold() {
        let found = strain(Strength { pull: 100.0, ..Strength::default() }, 1);
        assert_eq!((found.balance, found.bounds[0]), (Balance::Unbalanced, f64::INFINITY));
    }
}
