//! Where bricks meet: studs in cells above them, side faces of neighbours.

use crate::math::{DQuat, DVec3};
use crate::problem::{Problem, Result};
use crate::shape::{Studs, UnionFind};
use crate::world::{Model, Per, State, Strength};

/// Bricks are off the grid, or not upright, or do not meet, beyond this part of a cell.
const OFF: f64 = 1e-3;

/// Points of a stud, in eighths of a cell from its middle, for bricks one stud wide and others.
const NARROW: [[i64; 2]; 4] = [[0, -2], [-2, 0], [0, 2], [2, 0]];
const WIDE: [[i64; 2]; 3] = [[1, -1], [-2, 0], [1, 1]];

/// Upright bricks on one grid of studs, and where they meet.
pub struct Bricks<'a> {
    pub(super) model: &'a Model,
    pub(super) state: &'a State,
    /// By body.
    pub(super) places: Vec<Place>,
    /// Whether a body is there and nothing but forces moves it.
    pub(super) moves: Vec<bool>,
    /// From one stud to the next.
    pub(super) cell: f64,
    /// Contacts of an upper brick with a lower one.
    pub studs: Vec<StudContact>,
    /// Contacts of neighbours.
    pub sides: Vec<SideContact>,
}

/// Where a brick is, in cells along x and y.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub low: [i64; 2],
    pub count: [i64; 2],
    pub bottom: f64,
    pub height: f64,
}

impl Place {
    fn high(&self, k: usize) -> i64 {
        self.low[k] + self.count[k]
    }

    fn top(&self) -> f64 {
        self.bottom + self.height
    }

    /// The middle in eighths of cells.
    pub fn middle(&self) -> [i64; 2] {
        [0, 1].map(|k| 8 * self.low[k] + 4 * self.count[k])
    }

    /// How many cells the two have in common along an axis; negative if they are apart.
    fn common(&self, other: &Place, k: usize) -> i64 {
        self.high(k).min(other.high(k)) - self.low[k].max(other.low[k])
    }
}

/// Studs of a lower brick in an upper one.
#[derive(Clone, Debug, PartialEq)]
pub struct StudContact {
    /// The upper and the lower body.
    pub bodies: [u32; 2],
    /// The lowest cell and how many there are, along x and y.
    pub cells: [[i64; 2]; 2],
    /// The pull that each point bears.
    pub pull: f64,
    /// Whether the upper brick is one stud wide.
    is_narrow: bool,
    /// By how many quarters the points are turned.
    quarters: u8,
}

impl StudContact {
    /// Its points, in eighths of cells.
    pub(super) fn points(&self) -> Vec<[i64; 2]> {
        let [low, count] = self.cells;
        let pattern: &[[i64; 2]] = if self.is_narrow { &NARROW } else { &WIDE };
        let mut points = Vec::with_capacity((count[0] * count[1]) as usize * pattern.len());
        for x in low[0]..low[0] + count[0] {
            for y in low[1]..low[1] + count[1] {
                let turned = pattern.iter().map(|at| self.turned(*at));
                points.extend(turned.map(|[a, b]| [8 * x + 4 + a, 8 * y + 4 + b]));
            }
        }
        points
    }

    fn turned(&self, at: [i64; 2]) -> [i64; 2] {
        (0..self.quarters).fold(at, |[x, y], _| [-y, x])
    }
}

/// Side faces of two bricks that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SideContact {
    /// The second is farther along the axis.
    pub bodies: [u32; 2],
    /// 0 for x, 1 for y.
    pub axis: usize,
    /// The height of the middle of what they have in common.
    pub height: f64,
}

impl<'a> Bricks<'a> {
    /// The bricks of a model, if its bodies have studs; refuses what they cannot answer for.
    pub fn new(model: &'a Model, state: &'a State) -> Result<Option<Self>> {
        let studs = |i: usize| model.shape(i).studs;
        let Some(first) = (0..model.bodies.len()).find_map(studs) else { return Ok(None) };
        is_plain(model)?;
        let mut places = Vec::with_capacity(model.bodies.len());
        let mut origin = None;
        for body in 0..model.bodies.len() {
            let place = match studs(body) {
                Some(studs) => place(state, body, &studs, first.cell, &mut origin),
                None => Err("is no brick with studs".into()),
            };
            places.push(place.map_err(|why| {
                Problem::new(format!("body {body} {why}"))
                    .help("bricks with studs stand among their like, upright, on one grid of studs")
            })?);
        }
        let mut bricks = Bricks {
            model,
            state,
            places,
            moves: model.bodies.iter().map(|body| body.is_free()).collect(),
            cell: first.cell,
            studs: Vec::new(),
            sides: Vec::new(),
        };
        bricks.meet()?;
        Ok(Some(bricks))
    }

    /// Finds all contacts.
    fn meet(&mut self) -> Result<()> {
        let near = OFF * self.cell;
        // By their lower ends along x, so that only neighbours are compared.
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        order.sort_by_key(|&i| (self.places[i].low[0], i));
        for (k, &i) in order.iter().enumerate() {
            for &j in &order[k + 1..] {
                if self.places[j].low[0] > self.places[i].high(0) {
                    break;
                }
                let (i, j) = (i.min(j), i.max(j));
                if self.model.bodies[i].is_free() || self.model.bodies[j].is_free() {
                    self.pair(i, j, near)?;
                }
            }
        }
        self.studs.sort_by_key(|contact| contact.bodies);
        self.sides.sort_by_key(|contact| (contact.bodies, contact.axis));
        Ok(())
    }

    fn pair(&mut self, i: usize, j: usize, near: f64) -> Result<()> {
        let (a, b) = (self.places[i], self.places[j]);
        let common = [0, 1].map(|k| a.common(&b, k));
        let span = [a.bottom.max(b.bottom), a.top().min(b.top())];
        let is_beside = span[1] - span[0] > near;
        match common {
            [(1..), (1..)] if is_beside => {
                let message = format!("the bricks {i} and {j} overlap");
                return Err(Problem::new(message).help("move or remove one of them"));
            }
            [(1..), (1..)] if (a.bottom - b.top()).abs() <= near => self.stud(i, j)?,
            [(1..), (1..)] if (b.bottom - a.top()).abs() <= near => self.stud(j, i)?,
            [0, (1..)] | [(1..), 0] if is_beside => {
                let axis = usize::from(common[1] == 0);
                let bodies = if a.low[axis] < b.low[axis] { [i, j] } else { [j, i] };
                let bodies = bodies.map(|body| body as u32);
                let height = 0.5 * (span[0] + span[1]);
                self.sides.push(SideContact { bodies, axis, height });
            }
            _ => {}
        }
        Ok(())
    }

    fn stud(&mut self, upper: usize, lower: usize) -> Result<()> {
        let (a, b) = (self.places[upper], self.places[lower]);
        let bodies = [upper as u32, lower as u32];
        let strength = self.model.strength(bodies.map(Some)).copied().unwrap_or_default();
        let Strength { pull, cohesion, shear, per, .. } = strength;
        if cohesion != 0.0 || shear.is_some() || pull > 0.0 && per != Per::Point {
            let message = "studs have a pull at each point, and bear any force sideways";
            return Err(Problem::new(message)
                .help("give their `strengths` a `pull` with per = \"point\", and nothing else"));
        }
        let low = [0, 1].map(|k| a.low[k].max(b.low[k]));
        let cells = [low, [0, 1].map(|k| a.common(&b, k))];
        let is_narrow = a.count.contains(&1);
        self.studs.push(StudContact { bodies, cells, pull, is_narrow, quarters: 0 });
        Ok(())
    }

    /// The same bricks without some of them, and with others held by somebody.
    pub fn with(&self, is_there: impl Fn(u32) -> bool, is_held: impl Fn(u32) -> bool) -> Self {
        let both = |bodies: &[u32; 2]| bodies.iter().all(|body| is_there(*body));
        let moves = |(i, moves): (usize, &bool)| *moves && is_there(i as u32) && !is_held(i as u32);
        Bricks {
            model: self.model,
            state: self.state,
            places: self.places.clone(),
            moves: self.moves.iter().enumerate().map(moves).collect(),
            cell: self.cell,
            studs: self.studs.iter().filter(|studs| both(&studs.bodies)).cloned().collect(),
            sides: self.sides.iter().filter(|side| both(&side.bodies)).copied().collect(),
        }
    }

    /// The same bricks with the points of their studs turned by so many quarters, as if the file faced
    /// another way: three points of a stud are not symmetric.
    pub fn facing(&self, quarters: u8) -> Self {
        let mut turned = self.with(|_| true, |_| false);
        turned.studs.iter_mut().for_each(|studs| studs.quarters = quarters % 4);
        turned
    }

    /// What gravity and the like pull at every body with.
    pub fn weights(&self) -> Vec<DVec3> {
        let weight = |i: usize| self.model.pull(i) * self.model.bodies[i].mass;
        (0..self.model.bodies.len()).map(weight).collect()
    }

    /// A point of a contact in the world.
    pub fn point(&self, contact: usize, eighths: [i64; 2]) -> DVec3 {
        let contact = &self.studs[contact];
        let upper = contact.bodies[0] as usize;
        let place = &self.places[upper];
        let middle = place.middle();
        let [x, y] = [0, 1].map(|k| (eighths[k] - middle[k]) as f64 * (self.cell / 8.0));
        self.state.positions[upper] + DVec3::new(x, y, -0.5 * place.height)
    }

    /// The places of the points of a contact, in the world.
    pub fn points(&self, contact: usize) -> Vec<DVec3> {
        let points = self.studs[contact].points().into_iter();
        points.map(|point| self.point(contact, point)).collect()
    }

    /// Free bricks that no stud joins to what does not move.
    pub fn floating(&self) -> Vec<u32> {
        let count = self.model.bodies.len();
        let mut sets = UnionFind::new(count + 1);
        let place = |body: u32| match self.moves[body as usize] {
            true => body as usize + 1,
            false => 0,
        };
        for contact in &self.studs {
            sets.union(place(contact.bodies[0]), place(contact.bodies[1]));
        }
        let moving = (0..count as u32).filter(|body| self.moves[*body as usize]);
        moving.filter(|body| sets.find(place(*body)) != 0).collect()
    }
}

/// Nothing else acts than weights and studs.
fn is_plain(model: &Model) -> Result<()> {
    let what = match () {
        () if !model.joints.is_empty() => "joints",
        () if !model.forces.is_empty() => "forces between bodies",
        () if !model.cloths.is_empty() => "cloth",
        () if !model.boundary.faces().is_empty() => "a container",
        () if model.strengths.iter().all(|strength| strength.pull == 0.0) => {
            return Err(Problem::new("nothing says what the studs hold")
                .help("add [[strengths]] with a `pull` and per = \"point\""));
        }
        () => return Ok(()),
    };
    Err(Problem::new(format!("bricks with studs are asked without {what}"))
        .help("leave it out: a fixed brick is a plate"))
}

/// Where a brick is on the grid that the first one defines.
fn place(
    state: &State,
    body: usize,
    studs: &Studs,
    cell: f64,
    origin: &mut Option<DVec3>,
) -> std::result::Result<Place, String> {
    let turn: DQuat = state.rotations[body];
    if (turn * DVec3::Z).distance(DVec3::Z) > OFF {
        return Err("is tilted".into());
    }
    let along = turn * DVec3::X;
    let count = studs.count.map(i64::from);
    let count = match (along.x.abs(), along.y.abs()) {
        (x, _) if x > 1.0 - OFF * OFF => count,
        (_, y) if y > 1.0 - OFF * OFF => [count[1], count[0]],
        _ => return Err("is not turned along the grid".into()),
    };
    if (studs.cell - cell).abs() > OFF * cell {
        return Err(format!("has studs {} apart, others {cell}", studs.cell));
    }
    let middle = state.positions[body];
    let corner = middle - 0.5 * cell * DVec3::new(count[0] as f64, count[1] as f64, 0.0);
    let from = (corner - *origin.get_or_insert(corner)) / cell;
    let low = [from.x, from.y].map(f64::round);
    if (from.x - low[0]).abs() > OFF || (from.y - low[1]).abs() > OFF || !from.is_finite() {
        return Err("is off the grid of studs".into());
    }
    let bottom = middle.z - 0.5 * studs.height;
    Ok(Place { low: low.map(|x| x as i64), count, bottom, height: studs.height })
}
