//! One entry of a scene's list of bodies on the way to single bodies.

use std::collections::HashMap;

use super::fill::{Crowd, Region};
use super::generate::{Made, Start, StartJoint};
use super::places::{self, Spot};
use super::shapes::rectangle;
use super::towers::Plan;
use super::{Bodies, Fixed, JointKind, Motion, Place, Scene, Turn, Weight, What};
use crate::math::{DQuat, DVec3, Random};
use crate::problem::{Problem, Result};
use crate::shape::Shape;

/// Turns draw from streams of their own, from this number on.
const TURNS: u64 = 1 << 32;

/// A body before it has a shape.
pub(super) struct Item {
    pub look: Look,
    pub at: DVec3,
    /// None: as the entry says.
    pub rotation: Option<DQuat>,
    /// None: as the entry says.
    pub mass: Option<f64>,
    pub fixed: bool,
}

/// What a body is.
#[derive(Clone, Copy)]
pub(super) enum Look {
    Ball(f64),
    /// One of the entry's shapes.
    Shape(u32),
    Box(DVec3),
}

/// One entry of the scene's list of bodies, and its random numbers.
pub(super) struct Group<'a> {
    pub scene: &'a Scene,
    pub bodies: &'a Bodies,
    index: usize,
    random: Random,
}

impl<'a> Group<'a> {
    pub fn new(scene: &'a Scene, bodies: &'a Bodies, index: usize) -> Self {
        Group { scene, bodies, index, random: Random::stream(scene.seed, index as u64) }
    }

    pub fn problem(&self, message: impl Into<String>) -> Problem {
        self.scene.problem(&self.bodies.span, message)
    }

    /// Points at the entry, unless the problem knows better.
    fn blame(&self, problem: Problem) -> Problem {
        match problem.place {
            Some(_) => problem,
            None => Problem { help: problem.help, ..self.problem(problem.message) },
        }
    }

    /// Everything but random fillings.
    pub fn settled(mut self) -> Result<Made> {
        let whole = match &self.bodies.what {
            What::Tower { family, depth } => {
                let plan = family.plan().and_then(|plan| self.tower(plan, *depth));
                Some(plan.map_err(|problem| self.blame(problem))?)
            }
            What::Structure(family) => {
                let made = family.make(self.bodies.weight);
                Some((made.map_err(|problem| self.blame(problem))?, usize::MAX))
            }
            _ => None,
        };
        if let Some((made, free)) = whole {
            let by = match &self.bodies.place {
                Place::List { positions } => positions.first().copied().unwrap_or_default(),
                _ => DVec3::ZERO,
            };
            let turn = match self.bodies.turn {
                Turn::Fixed(turn) => turn,
                _ => DQuat::IDENTITY,
            };
            let mut made = made.moved(by, turn);
            self.set_motion(&mut made, |k| k >= free)?;
            return self.checked(made);
        }
        if let Place::File { file, kind } = &self.bodies.place {
            let (file, kind) = (file.clone(), kind.clone());
            return self.file(&file, kind.as_deref());
        }
        let (mut made, shapes) = self.shapes()?;
        let spots = places::spots(&self.bodies.place, self.scene.dimension, &mut self.random);
        let items = self.items(spots, shapes)?;
        self.add(&mut made, items, false)?;
        Ok(made)
    }

    /// The bodies of a tower, and how many of them are no supports.
    fn tower(&self, plan: Plan, depth: f64) -> Result<(Made, usize)> {
        let mut made = Made::default();
        let is_deep = self.scene.dimension == 3;
        let free = plan.stones.len();
        let mut flat = plan.stones.iter().chain(&plan.supports);
        let drawn = flat.try_fold(Vec::new(), |mut all, stone| {
            let draw_out = is_deep && stone.polytope.is_flat();
            all.push(if draw_out { stone.drawn_out(depth)? } else { stone.clone() });
            Ok::<_, Problem>(all)
        })?;
        for (k, stone) in drawn.iter().enumerate() {
            let same = k > 0 && drawn[k - 1].polytope == stone.polytope;
            let shape = match made.bodies.last() {
                Some(last) if same => last.shape,
                _ => made.add_shape(stone.shape()?),
            };
            made.add_body(shape, stone.at, stone.turn, self.bodies.weight);
        }
        let lift = |p: DVec3| if is_deep { DVec3::new(p.x, 0.0, p.y) } else { p };
        let kind = if is_deep { JointKind::Ball } else { JointKind::Pin };
        made.joints.extend(plan.pins.iter().map(|(ends, at)| StartJoint {
            kind,
            bodies: ends.map(Some),
            at: lift(*at),
        }));
        Ok((made, free))
    }

    /// The shapes that the entry lists, each once, and how many there are.
    pub fn shapes(&self) -> Result<(Made, usize)> {
        let mut made = Made::default();
        if let What::Shapes(shapes) = &self.bodies.what {
            for entry in shapes {
                made.add_shape(entry.shape(self.scene)?);
            }
        }
        let count = made.shapes.len();
        Ok((made, count))
    }

    /// What is where.
    pub fn items(&mut self, spots: Vec<Spot>, shapes: usize) -> Result<Vec<Item>> {
        let looks: Vec<Look> = match shapes {
            0 => self.radii(spots.len())?.into_iter().map(Look::Ball).collect(),
            _ => spots.iter().map(|(turn, _)| Look::Shape((turn % shapes) as u32)).collect(),
        };
        let item = |((_, at), look)| Item { look, at, rotation: None, mass: None, fixed: false };
        Ok(spots.into_iter().zip(looks).map(item).collect())
    }

    /// Makes bodies of items; `centred` if their places are those of the centres of mass.
    pub fn add(&self, made: &mut Made, items: Vec<Item>, centred: bool) -> Result<()> {
        let mut turns = Random::stream(self.scene.seed, TURNS + self.index as u64);
        let mut known = HashMap::new();
        let mut fixed = Vec::with_capacity(items.len());
        for (k, item) in items.iter().enumerate() {
            let shape = self.shape_of(item.look, made, &mut known)?;
            let rotation = match item.rotation {
                Some(rotation) => rotation,
                None => self.rotation(k, &mut turns),
            };
            let weight = match (self.bodies.weight, item.mass) {
                (Weight::FromFile, Some(mass)) => Weight::Mass(mass),
                (weight, _) => weight,
            };
            let body = made.add_body(shape, item.at, rotation, weight);
            if centred {
                made.bodies[body].centre = item.at;
            }
            fixed.push(item.fixed);
        }
        self.set_motion(made, |k| fixed[k])?;
        let checked = self.checked(std::mem::take(made))?;
        *made = checked;
        Ok(())
    }

    /// The shape of a body; those that are alike share it.
    fn shape_of(
        &self,
        look: Look,
        made: &mut Made,
        known: &mut HashMap<[u64; 3], u32>,
    ) -> Result<u32> {
        let is_flat = self.scene.dimension == 2;
        let key = match look {
            Look::Shape(shape) => return Ok(shape),
            Look::Ball(radius) => [radius.to_bits(), 0, 0],
            Look::Box(size) => size.to_array().map(f64::to_bits),
        };
        if let Some(shape) = known.get(&key) {
            return Ok(*shape);
        }
        let shape = match look {
            Look::Shape(shape) => return Ok(shape),
            Look::Ball(radius) if is_flat => Shape::disc(radius),
            Look::Ball(radius) => Shape::ball(radius),
            Look::Box(size) => {
                let made = match is_flat {
                    true => Shape::polygon(&rectangle(size), &[]),
                    false => Shape::cuboid(size),
                };
                made.map_err(|problem| self.blame(problem))?
            }
        };
        let number = made.add_shape(shape);
        known.insert(key, number);
        Ok(number)
    }

    fn rotation(&self, number: usize, random: &mut Random) -> DQuat {
        match &self.bodies.turn {
            Turn::Fixed(turn) => *turn,
            Turn::Each(turns) => turns.get(number).copied().unwrap_or_default(),
            Turn::Upright => DQuat::from_rotation_z(random.between(0.0, std::f64::consts::TAU)),
            Turn::Random => {
                // Four normal numbers point in every direction alike.
                let turn = DQuat::from_array([0; 4].map(|_| random.normal()));
                if turn.length() > 1e-6 { turn.normalize() } else { DQuat::IDENTITY }
            }
        }
    }

    /// Who moves how, from `motion`, `fixed`, and what the bodies themselves say.
    fn set_motion(&self, made: &mut Made, is_fixed: impl Fn(usize) -> bool) -> Result<()> {
        let count = made.bodies.len();
        for (k, body) in made.bodies.iter_mut().enumerate() {
            let border = match (&self.bodies.fixed, &self.bodies.place) {
                (Fixed::Border, Place::Grid { count, .. }) => places::is_border(*count, k),
                _ => false,
            };
            body.motion = if is_fixed(k) || border { Motion::Fixed } else { self.bodies.motion };
        }
        if let Fixed::List(numbers) = &self.bodies.fixed {
            for &number in numbers {
                let Some(body) = made.bodies.get_mut(number) else {
                    let message =
                        format!("`fixed` names body {number} of an entry of {count} bodies");
                    return Err(self.problem(message).help("bodies are counted from 0"));
                };
                body.motion = Motion::Fixed;
            }
        }
        Ok(())
    }

    /// Refuses what no method can move.
    fn checked(&self, made: Made) -> Result<Made> {
        let good = |x: f64| x > 0.0 && x.is_finite();
        let bad = |body: &Start| !(body.centre.is_finite() && good(body.radius) && good(body.mass));
        let Some(number) = made.bodies.iter().position(bad) else { return Ok(made) };
        let Start { centre, radius, mass, .. } = made.bodies[number];
        let message = format!(
            "number {number} of the group \"{}\" has no finite position, radius and mass: it is \
             at {:?}, its radius is {radius:?}, its mass {mass:?}",
            self.bodies.group,
            centre.to_array()
        );
        let help = "choose units in which lengths and masses are not far from 1";
        Err(self.problem(message).help(help))
    }

    /// Largest first, so that the small ones find the holes.
    pub fn random(mut self, count: usize, region: &Region, crowd: &mut Crowd) -> Result<Made> {
        let group = &self.bodies.group;
        if !region.is_bounded() {
            let message = format!("the random group \"{group}\" could be anywhere");
            let help = "give it `min` and `max`, or the scene a container";
            return Err(self.problem(message).help(help));
        }
        if region.is_empty() {
            let message =
                format!("the random group \"{group}\" has its min..max outside the container");
            return Err(self.problem(message).help("move them into the container"));
        }
        let (mut made, shapes) = self.shapes()?;
        let mut sizes: Vec<(f64, Look)> = match shapes {
            0 => {
                self.radii(count)?.into_iter().map(|radius| (radius, Look::Ball(radius))).collect()
            }
            _ => (0..count)
                .map(|k| (made.shapes[k % shapes].radius(), Look::Shape((k % shapes) as u32)))
                .collect(),
        };
        sizes.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut items = Vec::with_capacity(count);
        for &(radius, look) in &sizes {
            let Some(at) = region.find_room(radius, crowd, &mut self.random) else {
                return Err(self.does_not_fit(items.len(), &sizes, region));
            };
            crowd.insert(at, radius);
            items.push(Item { look, at, rotation: None, mass: None, fixed: false });
        }
        self.add(&mut made, items, true)?;
        Ok(made)
    }

    fn does_not_fit(&self, fitted: usize, sizes: &[(f64, Look)], region: &Region) -> Problem {
        let (count, group) = (sizes.len(), &self.bodies.group);
        let radii: Vec<f64> = sizes.iter().map(|size| size.0).collect();
        let message =
            format!("only {fitted} of {count} bodies of the group \"{group}\" fitted at random");
        let help = format!(
            "the balls about them would fill {:.1} % of their region; a random filling stops at \
             about {} %, in narrow places sooner: use fewer or smaller bodies, a larger region, or \
             a grid",
            100.0 * region.fraction_of(&radii),
            if self.scene.dimension == 2 { 54 } else { 38 },
        );
        self.problem(message).help(help)
    }

    /// What the radii of so many balls are.
    pub fn radii(&mut self, count: usize) -> Result<Vec<f64>> {
        let What::Balls(size) = &self.bodies.what else {
            let message = "this entry does not say how large its bodies are";
            return Err(self.problem(message).help("give a `radius` or a `shape`"));
        };
        size.radii(count, &mut self.random).map_err(|problem| self.blame(problem))
    }
}
