//! From the groups of a scene to single bodies: their shapes, places, turns and masses. Every
//! group draws from its own streams of random numbers, so that a change to one group leaves the
//! others alone.

use std::collections::HashMap;
use std::path::Path;

use super::fill::{Crowd, Region};
use super::particles::{self, Particles};
use super::places::{self, Spot};
use super::shapes::rectangle;
use super::source::into_text;
use super::{
    Bodies, Fixed, JointKind, Motion, Place, Scene, Size, Turn, Weight, What, box_file, format,
};
use crate::math::{DMat3, DQuat, DVec3, Random};
use crate::problem::{Problem, Result};
use crate::shape::{Boundary, Shape};

/// The bodies of one entry of the scene's list, with what belongs to them.
#[derive(Clone, Debug, Default)]
pub struct Made {
    pub shapes: Vec<Shape>,
    pub bodies: Vec<Start>,
    /// Those that a tower or a structure brings along.
    pub joints: Vec<StartJoint>,
}

/// A body as it starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// Its number among the shapes of its entry.
    pub shape: u32,
    /// Its centre of mass.
    pub centre: DVec3,
    pub rotation: DQuat,
    /// Of the sphere about its centre that holds it; of a ball its own.
    pub radius: f64,
    pub mass: f64,
    pub motion: Motion,
}

/// A joint between bodies of one entry, or one of them and the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartJoint {
    /// A ball in 3D, a pin in 2D.
    pub kind: JointKind,
    /// Numbers within the entry; None is the world.
    pub bodies: [Option<usize>; 2],
    /// In the frame of the world.
    pub at: DVec3,
}

/// A radius that falls outside its limits is drawn again, but not forever.
const MOST_REDRAWS: usize = 100_000;

/// Turns draw from streams of their own, from this number on.
const TURNS: u64 = 1 << 32;

/// The bodies of each entry of the scene's list, in its order. Random fillings are made last and
/// keep clear of everything else: of what moves by the sphere about it, of what is fixed by the
/// boxes about its pieces.
///
/// ```
/// use riprap::scene::{gallery, generate};
/// let made = generate(&gallery::scene("chain")?, &Default::default())?;
/// assert_eq!((made[0].bodies.len(), made[0].joints.len()), (7, 6));
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn generate(scene: &Scene, boundary: &Boundary) -> Result<Vec<Made>> {
    check_total(scene)?;
    let is_random = |bodies: &Bodies| matches!(bodies.place, Place::Random { .. });
    let mut entries = vec![Made::default(); scene.bodies.len()];
    for (index, bodies) in scene.bodies.iter().enumerate().filter(|(_, b)| !is_random(b)) {
        entries[index] = Group::new(scene, bodies, index).settled()?;
    }
    let mut crowd = Crowd::default();
    entries.iter().for_each(|made| made.join_crowd(&mut crowd));
    for (index, bodies) in scene.bodies.iter().enumerate() {
        if let Place::Random { count, min, max } = bodies.place {
            let region = Region::new(boundary, min, max, scene.dimension);
            let group = Group::new(scene, bodies, index);
            entries[index] = group.random(count, &region, &mut crowd)?;
        }
    }
    Ok(entries)
}

/// Refuses more bodies than anyone has memory for, before making them.
fn check_total(scene: &Scene) -> Result<()> {
    let mut total = 0_u64;
    for bodies in &scene.bodies {
        total = total.saturating_add(places::count(&bodies.place) as u64);
        if total > format::MOST_BODIES {
            let message = format!("the scene has more than {} bodies", format::MOST_BODIES);
            return Err(scene.problem(&bodies.span, message).help("use fewer"));
        }
    }
    Ok(())
}

impl Made {
    pub(super) fn add_shape(&mut self, shape: Shape) -> u32 {
        self.shapes.push(shape);
        self.shapes.len() as u32 - 1
    }

    /// Adds a free body with the origin of its shape at a place; its number.
    pub(super) fn add_body(
        &mut self,
        shape: u32,
        origin: DVec3,
        rotation: DQuat,
        weight: Weight,
    ) -> usize {
        let form = &self.shapes[shape as usize];
        let mass = match weight {
            Weight::Mass(mass) => mass,
            Weight::Density(density) => density * form.mass.volume,
            Weight::FromFile => form.mass.volume,
        };
        let (centre, radius) = (origin - rotation * form.origin, form.radius());
        self.bodies.push(Start { shape, centre, rotation, radius, mass, motion: Motion::Free });
        self.bodies.len() - 1
    }

    /// Moves the whole: first turned about the origin, then shifted.
    fn moved(mut self, by: DVec3, turn: DQuat) -> Made {
        for body in &mut self.bodies {
            body.centre = by + turn * body.centre;
            body.rotation = turn * body.rotation;
        }
        self.joints.iter_mut().for_each(|joint| joint.at = by + turn * joint.at);
        self
    }

    /// Others keep clear of these bodies.
    fn join_crowd(&self, crowd: &mut Crowd) {
        for body in &self.bodies {
            let shape = &self.shapes[body.shape as usize];
            if body.motion == Motion::Free || shape.is_ball().is_some() {
                crowd.insert(body.centre, body.radius);
                continue;
            }
            // What does not move can be a floor under everything: its sphere holds the scene.
            let rotation = DMat3::from_quat(body.rotation);
            for piece in &shape.pieces {
                crowd.insert_box(piece.bounds(body.centre, &rotation));
            }
        }
    }
}

/// A body before it has a shape.
struct Item {
    look: Look,
    at: DVec3,
    /// None: as the entry says.
    rotation: Option<DQuat>,
    /// None: as the entry says.
    mass: Option<f64>,
    fixed: bool,
}

/// What a body is.
#[derive(Clone, Copy)]
enum Look {
    Ball(f64),
    /// One of the entry's shapes.
    Shape(u32),
    Box(DVec3),
}

/// One entry of the scene's list of bodies, and its random numbers.
struct Group<'a> {
    scene: &'a Scene,
    bodies: &'a Bodies,
    index: usize,
    random: Random,
}

impl<'a> Group<'a> {
    fn new(scene: &'a Scene, bodies: &'a Bodies, index: usize) -> Self {
        Group { scene, bodies, index, random: Random::stream(scene.seed, index as u64) }
    }

    fn problem(&self, message: impl Into<String>) -> Problem {
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
    fn settled(mut self) -> Result<Made> {
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
        if let Place::File { file } = &self.bodies.place {
            return self.file(file);
        }
        let (mut made, shapes) = self.shapes()?;
        let spots = places::spots(&self.bodies.place, self.scene.dimension, &mut self.random);
        let items = self.items(spots, shapes)?;
        self.add(&mut made, items, false)?;
        Ok(made)
    }

    /// The bodies of a tower, and how many of them are no supports.
    fn tower(&self, plan: super::towers::Plan, depth: f64) -> Result<(Made, usize)> {
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
    fn shapes(&self) -> Result<(Made, usize)> {
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
    fn items(&mut self, spots: Vec<Spot>, shapes: usize) -> Result<Vec<Item>> {
        let looks: Vec<Look> = match shapes {
            0 => self.radii(spots.len())?.into_iter().map(Look::Ball).collect(),
            _ => spots.iter().map(|(turn, _)| Look::Shape((turn % shapes) as u32)).collect(),
        };
        let item = |((_, at), look)| Item { look, at, rotation: None, mass: None, fixed: false };
        Ok(spots.into_iter().zip(looks).map(item).collect())
    }

    /// Makes bodies of items; `centred` if their places are those of the centres of mass.
    fn add(&self, made: &mut Made, items: Vec<Item>, centred: bool) -> Result<()> {
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

    /// Bodies that are alike share their shape.
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
            Look::Ball(radius) if is_flat => Ok(Shape::disc(radius)),
            Look::Ball(radius) => Ok(Shape::ball(radius)),
            Look::Box(size) if is_flat => Shape::polygon(&rectangle(size), &[]),
            Look::Box(size) => Shape::cuboid(size),
            Look::Shape(_) => unreachable!("it has been returned"),
        };
        let shape = made.add_shape(shape.map_err(|problem| self.blame(problem))?);
        known.insert(key, shape);
        Ok(shape)
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

    fn file(mut self, file: &Path) -> Result<Made> {
        let opened = self.scene.source.files.read(file);
        let (path, bytes) = opened.map_err(|p| self.problem(p.message))?;
        let text = into_text(&path, bytes)?;
        if box_file::is_of_boxes(&text) {
            return self.box_file(&path, &text);
        }
        let Particles { positions, radii, masses } =
            particles::read(&path, &text, self.scene.dimension)?;
        let (mut made, shapes) = self.shapes()?;
        let spots = positions.into_iter().enumerate().collect();
        let mut items = match (&self.bodies.what, radii.is_empty()) {
            (What::FromFile, true) => {
                let message = format!("{} has no column for the radius", path.display());
                let help = "name a column `radius` in its header, or give `radius` or `shape` in \
                            the scene";
                return Err(self.problem(message).help(help));
            }
            (What::FromFile, false) => balls(spots, radii),
            (_, true) => self.items(spots, shapes)?,
            (What::Balls(_), false) => return Err(self.conflict(&path, "radii", "radius")),
            (_, false) => return Err(self.conflict(&path, "radii", "shape")),
        };
        self.check_masses(&path, !masses.is_empty())?;
        for (item, mass) in items.iter_mut().zip(masses) {
            item.mass = Some(mass);
        }
        self.add(&mut made, items, false)?;
        Ok(made)
    }

    fn box_file(&self, path: &Path, text: &str) -> Result<Made> {
        let rows = box_file::read(path, text, self.scene.dimension)?;
        match self.bodies.what {
            What::FromFile => {}
            What::Balls(_) => return Err(self.conflict(path, "sizes", "radius")),
            _ => return Err(self.conflict(path, "sizes", "shape")),
        }
        self.check_masses(path, rows.iter().any(|row| row.mass.is_some()))?;
        let item = |row: box_file::BoxRow| Item {
            look: Look::Box(row.size),
            at: row.centre,
            rotation: Some(row.turn),
            mass: row.mass,
            fixed: row.fixed,
        };
        let mut made = Made::default();
        self.add(&mut made, rows.into_iter().map(item).collect(), false)?;
        Ok(made)
    }

    /// The masses are given once: in the file or in the scene.
    fn check_masses(&self, path: &Path, in_file: bool) -> Result<()> {
        match self.bodies.weight {
            Weight::Mass(_) if in_file => Err(self.conflict(path, "masses", "mass")),
            Weight::Density(_) if in_file => Err(self.conflict(path, "masses", "density")),
            _ => Ok(()),
        }
    }

    fn conflict(&self, path: &Path, column: &str, field: &str) -> Problem {
        let message =
            format!("`bodies.{field}` is given, but {} has a column for {column}", path.display());
        self.problem(message).help(format!("leave `{field}` out, or the column"))
    }

    /// Largest first, so that the small ones find the holes.
    fn random(mut self, count: usize, region: &Region, crowd: &mut Crowd) -> Result<Made> {
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

    fn radii(&mut self, count: usize) -> Result<Vec<f64>> {
        let What::Balls(size) = &self.bodies.what else {
            let message = "this entry does not say how large its bodies are";
            return Err(self.problem(message).help("give a `radius` or a `shape`"));
        };
        if let Size::Each { radii } = size
            && radii.len() == count
        {
            return Ok(radii.clone());
        }
        (0..count).map(|_| self.radius(size)).collect()
    }

    fn radius(&mut self, size: &Size) -> Result<f64> {
        match size {
            Size::Equal { radius } => Ok(*radius),
            Size::Uniform { min, max } => Ok(self.random.between(*min, *max)),
            Size::Lognormal { median, sigma, min, max } => {
                for _ in 0..MOST_REDRAWS {
                    let radius = median * (sigma * self.random.normal()).exp();
                    if (*min..=*max).contains(&radius) {
                        return Ok(radius);
                    }
                }
                let message = format!("almost no radius lies between {min:?} and {max:?}");
                Err(self.problem(message).help("a smaller sigma, or limits further apart"))
            }
            Size::Table { radii, shares } => {
                let mut left = self.random.unit() * shares.iter().sum::<f64>();
                for (radius, share) in radii.iter().zip(shares) {
                    if left < *share {
                        return Ok(*radius);
                    }
                    left -= share;
                }
                // Rounding can leave a little; the last radius takes it.
                Ok(radii.last().copied().unwrap_or(f64::NAN))
            }
            Size::Each { radii } => {
                let message = format!("{} radii do not fit the positions", radii.len());
                Err(self.problem(message).help("give one for each"))
            }
        }
    }
}

/// Balls with radii of their own.
fn balls(spots: Vec<Spot>, radii: Vec<f64>) -> Vec<Item> {
    let item = |((_, at), radius)| Item {
        look: Look::Ball(radius),
        at,
        rotation: None,
        mass: None,
        fixed: false,
    };
    spots.into_iter().zip(radii).map(item).collect()
}
