//! One entry of a scene's list of bodies on the way to single bodies.

use std::collections::HashMap;
use std::f64::consts::PI;

use super::fill::{Candidate, Crowd, Member, Region};
use super::generate::{Made, Start, StartJoint};
use super::places::{self, Spot};
use super::shapes::rectangle;
use super::towers::Plan;
use super::{Bodies, Fixed, JointKind, Motion, Place, Scene, Turn, Weight, What};
use crate::math::{DQuat, DVec3, Random};
use crate::problem::{Problem, Result, few_digits};
use crate::shape::Shape;

/// Turns draw from streams of their own, from this number on.
const TURNS: u64 = 1 << 32;

/// And so do searches by the bodies' own shapes.
const SEARCHES: u64 = 1 << 62;

/// Bodies that do not fit loosely are tried so often again, each pressed against walls or others.
const PRESSED: u64 = 4;

/// Tries by the bodies' own shapes that an entry has in all: seconds.
const TRIES: usize = 20_000;

/// A body before it has a shape.
pub(super) struct Item {
    pub look: Look,
    pub at: DVec3,
    /// None: as the entry says.
    pub rotation: Option<DQuat>,
    /// None: as the entry says.
    pub mass: Option<f64>,
    /// Its velocity and spin; None: as the entry says.
    pub motion: Option<[DVec3; 2]>,
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

/// Where the bodies of an entry go at random.
pub(super) struct Filling<'a> {
    pub region: Region<'a>,
    /// They keep this far from everything.
    pub clearance: f64,
    /// Those that are in the crowd.
    pub entries: &'a [Made],
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
        let item = |((_, at), look)| Item {
            look,
            at,
            rotation: None,
            mass: None,
            motion: None,
            fixed: false,
        };
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
            made.bodies[body].moving = item.motion;
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
    pub fn random(mut self, count: usize, filling: &Filling, crowd: &mut Crowd) -> Result<Made> {
        let region = &filling.region;
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
        let (mut fitted, mut left) = (0, TRIES);
        for round in 0..=PRESSED {
            let mut pool = crowd.clone();
            let (group, shapes) = (&mut self, &made.shapes[..]);
            let mut search = Search { group, filling, shapes, round, left: &mut left };
            let items = search.items(&sizes, &mut pool);
            if items.len() == count {
                *crowd = pool;
                self.add(&mut made, items, true)?;
                return Ok(made);
            }
            fitted = fitted.max(items.len());
        }
        Err(self.does_not_fit(fitted, &sizes, &made.shapes, filling))
    }

    fn does_not_fit(
        &self,
        fitted: usize,
        sizes: &[(f64, Look)],
        shapes: &[Shape],
        filling: &Filling,
    ) -> Problem {
        let (count, group) = (sizes.len(), &self.bodies.group);
        let Filling { region, clearance, .. } = filling;
        let is_flat = self.scene.dimension == 2;
        let volume = |&(radius, look): &(f64, Look)| match look {
            Look::Shape(number) => shapes[number as usize].mass.volume,
            _ if is_flat => PI * radius.powi(2),
            _ => 4.0 / 3.0 * PI * radius.powi(3),
        };
        let part = 100.0 * region.fraction_of(sizes.iter().map(volume).sum());
        let message =
            format!("only {fitted} of {count} bodies of the group \"{group}\" fitted at random");
        let limit = match (shapes.is_empty(), is_flat) {
            (true, true) => "a random filling stops at about 54 %, in narrow places",
            (true, false) => "a random filling stops at about 38 %, in narrow places",
            (false, _) => "a random filling with solids stops at 10 to 40 %, with long ones",
        };
        let across = 2.0 * (sizes.first().map_or(0.0, |(radius, _)| *radius) + clearance);
        let kept = if *clearance > 0.0 { " with its clearance" } else { "" };
        let sides = &region.size().to_array()[..self.scene.dimension];
        let sides: Vec<String> = sides.iter().map(|side| few_digits(*side).to_string()).collect();
        let help = format!(
            "the largest is up to {} across{kept}, the region {}; they alone would fill {part:.1} % of it, and \
             {limit} sooner: use fewer or smaller bodies, a larger region, less `clearance`, or a grid",
            few_digits(across),
            sides.join(" x ")
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

/// One try at places for all bodies of an entry.
struct Search<'a, 's> {
    group: &'a mut Group<'s>,
    filling: &'a Filling<'a>,
    shapes: &'a [Shape],
    /// The first is loose.
    round: u64,
    /// Tries by the bodies' own shapes.
    left: &'a mut usize,
}

impl Search<'_, '_> {
    /// The bodies that fit, in the order of their sizes; the last of them is followed by one that
    /// does not.
    fn items(&mut self, sizes: &[(f64, Look)], crowd: &mut Crowd) -> Vec<Item> {
        let mut items = Vec::with_capacity(sizes.len());
        let (seed, index) = (self.group.scene.seed, self.group.index);
        let mut turns = Random::stream(seed, TURNS + index as u64);
        let mut by_spheres = self.round == 0;
        for (k, &(radius, look)) in sizes.iter().enumerate() {
            let turn = self.group.rotation(k, &mut turns);
            let shape = match look {
                Look::Shape(number) => Some(number),
                _ => None,
            };
            let ball = match (shape, self.group.scene.dimension) {
                (Some(_), _) => None,
                (None, 2) => Some(Shape::disc(radius)),
                (None, _) => Some(Shape::ball(radius)),
            };
            let mut found = None;
            if by_spheres {
                let (region, room) = (&self.filling.region, radius + self.filling.clearance);
                let at = region.find_room(room, crowd, &mut self.group.random);
                found = at.map(|at| (at, turn));
            }
            if found.is_none() {
                by_spheres = false; // the next ones would search in vain
                let own = shape.map(|number| &self.shapes[number as usize]);
                found = own.or(ball.as_ref()).and_then(|own| self.by_shape(own, k, turn, crowd));
            }
            let Some((at, rotation)) = found else { break };
            let shape = shape.map(|number| (index, number));
            crowd.insert(Member { centre: at, radius, rotation, shape });
            let rotation = Some(rotation);
            items.push(Item { look, at, rotation, mass: None, motion: None, fixed: false });
        }
        items
    }

    /// A place for a body by its own shape, first turned as its sphere would have it.
    fn by_shape(
        &mut self,
        shape: &Shape,
        number: usize,
        turn: DQuat,
        crowd: &Crowd,
    ) -> Option<(DVec3, DQuat)> {
        let Search { group, filling, shapes, round, left } = self;
        // Streams of its own, so that what else is drawn does not depend on how hard this is.
        let of_group = (group.index as u64) << 36;
        let stream = SEARCHES + of_group + (*round << 32) + number as u64;
        let mut random = Random::stream(group.scene.seed, stream);
        let mut turns = Random::stream(group.scene.seed, stream + SEARCHES);
        let mut next = Some(turn);
        let again = || next.take().unwrap_or_else(|| group.rotation(number, &mut turns));
        let candidate = Candidate {
            shape,
            clearance: filling.clearance,
            entry: group.index,
            shapes,
            crowd,
            entries: filling.entries,
        };
        let (at, rotation) = filling.region.find_room_for(&candidate, &mut random, left, again)?;
        let at = match round {
            0 => at,
            _ => filling.region.pressed(&candidate, at, rotation, &mut random),
        };
        Some((at, rotation))
    }
}
