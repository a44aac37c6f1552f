//! The program of a step: planes between near pieces, and rows that keep corners on their side of
//! them all along the motion.
//!
//! A body goes by `d` and turns by the rotation vector `w` about its centre, evenly; a plane of
//! normal `n`, point `c` and tangents `T` tilts by `b`, goes by `h` along its normal and slides by
//! `u`. A corner at the offset `r` on the side `s` (1 or -1), rounded by `R`, stays clear of it
//! along the whole motion if, with `m = s n` and `y = T^T (d + w x r) - u`,
//!
//! ```text
//! gap + m.(d + w x r) + s b.T^T(x - c) - s h >= q
//! q = w.M w / 2 + (a / 6 + e / 2) |r| |w|^2 + |sqrt(k) b - s y / sqrt(k)|^2 / 4 + R |b|^2 / 2
//! ```
//!
//! where `M` is the positive part of `(m.r) 1 - sym(m r^T)`, `a` and `e` bound `|w|` and `|b|`, and
//! `k` is any positive length: what the motion bends is of second order in its part `t`, and `t^2 <= t`.
//! Rims of cylinders have rows of their own (`rims`).

use std::collections::BTreeMap;

use crate::math::{DVec3, SKIN};
use crate::near;
use crate::shape::Aabb;
use crate::solver::planes::Plane as PlaneBlock;
use crate::solver::planes::{Answer, Block, Group, OF_RIM, OF_ROW, Program, Row, Slope, Tilting};
use crate::world::{Model, State, With};

use super::apart::apart;
use super::memory::{Key, Memory};
use super::rims::Rims;
use super::solids::{HALF_GAP, Placed, Solids, place_all};

/// How far one step may go, at full scale: a body, in its radii; ...
const FAR: f64 = 0.6;
/// ... its turn about each axis, in radians; ...
const TURN: f64 = 0.3;
/// ... and the tilt of a plane.
const TILT: f64 = 0.4;

/// A corner and a normal of less than this sine count as parallel.
const PARALLEL: f64 = 1e-7;
/// Turns about a normal and across it are weighed against each other up to this factor.
const MOST_LOPSIDED: f64 = 100.0;
/// Gaps are kept but for this part of them: rounding, and what programs are off.
const KEPT: f64 = 1e-3;

/// How second-order terms enter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Bends {
    /// As a convex bound: rows that hold are free of overlap along the whole step.
    Bound,
    /// As they are: for Newton's method near rest.
    Exact,
}

/// A program with what its numbers mean.
pub(super) struct Setup {
    pub program: Program,
    /// Per body of the model, its number in the program.
    pub number: Vec<Option<u32>>,
    /// Per body of the model, the unit of its turns, in lengths.
    pub arm: Vec<f64>,
    pub planes: Vec<Between>,
    /// What each group's rows are about.
    pub corners: Vec<Corners>,
    /// A typical reach, in lengths.
    pub reach: f64,
}

/// A plane between two pieces, before the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Between {
    pub body: u32,
    /// Another body, with a higher number, or a face of the container.
    pub with: With,
    pub pieces: [u32; 2],
    pub normal: DVec3,
    pub point: DVec3,
    pub tangents: [DVec3; 2],
    /// The length `k` of the rows.
    pub balance: f64,
}

/// The corners of a group, and lowest points of its rims: offsets from the body's centre, in lengths.
#[derive(Clone, Debug, Default)]
pub(super) struct Corners {
    /// None if they are of a face.
    pub body: Option<u32>,
    pub piece: u32,
    /// The half-space of a wall.
    pub wall: Option<u32>,
    /// 1 on the far side of a plane and at walls, -1 on the near side.
    pub side: f64,
    pub offsets: Vec<DVec3>,
    /// The gap that is kept beyond the rounding of the piece, in lengths.
    pub kept: f64,
    /// Of rims.
    pub rolls: Option<Rolls>,
}

/// How rims lie above a plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rolls {
    /// Of the angle between the axis and the normal.
    pub sine: f64,
    /// In lengths.
    pub radius: f64,
}

impl Between {
    pub fn key(&self) -> Key {
        (self.body, self.with, self.pieces)
    }
}

impl Setup {
    /// The multipliers of another program from the same state, as those of the rows of this one.
    pub fn carried(&self, other: &Setup, answer: &Answer) -> Vec<f64> {
        let (mut known, mut first) = (BTreeMap::new(), 0);
        for (group, corners) in other.program.groups.iter().zip(&other.corners) {
            let own = &answer.multipliers[first..first + group.rows.len()];
            known.insert(other.key(group, corners), (corners, own));
            first += group.rows.len();
        }
        let mut forces = Vec::with_capacity(self.program.row_count());
        for (group, corners) in self.program.groups.iter().zip(&self.corners) {
            let known = known.get(&self.key(group, corners));
            let force = |offset: &DVec3| {
                let (corners, own) = known?;
                Some(own[corners.offsets.iter().position(|other| other == offset)?])
            };
            forces.extend(corners.offsets.iter().map(|offset| force(offset).unwrap_or(0.0)));
        }
        forces
    }

    /// What the rows of a group are about: a piece of a body, and a wall or another piece.
    fn key(
        &self,
        group: &Group,
        corners: &Corners,
    ) -> (Option<u32>, u32, Option<u32>, Option<Key>) {
        let key = group.plane.map(|plane| self.planes[plane as usize].key());
        (corners.body, corners.piece, corners.wall, key)
    }
}

/// The bounds of a body's motion.
#[derive(Clone, Copy, Default)]
struct Limits {
    /// Of each coordinate, and of the length.
    far: [f64; 2],
    turn: [f64; 2],
    /// The largest way of a corner.
    way: f64,
}

/// One side of a plane, or of a wall.
struct Side<'a> {
    /// None if it is a face of the container.
    body: Option<usize>,
    piece: u32,
    placed: &'a Placed,
    /// Into the side of the body, and whether that is where the plane's normal points.
    inward: DVec3,
    sign: f64,
    /// How far the plane is along it.
    zero: f64,
    rounding: f64,
    limits: Limits,
    plane: Option<Moving<'a>>,
    wall: Option<u32>,
}

/// What a piece may meet.
struct Far<'a> {
    with: With,
    piece: u32,
    placed: &'a Placed,
}

/// A plane of the program.
#[derive(Clone, Copy)]
struct Moving<'a> {
    between: &'a Between,
    number: u32,
    /// How far it goes, and how much it tilts.
    reach: f64,
    tilt: f64,
}

/// A corner of a piece, or the lowest point of a rim.
struct Corner {
    /// From the body's centre, and in the world.
    offset: DVec3,
    place: DVec3,
    /// The corner, or the middle of the rim.
    pivot: DVec3,
    gap: f64,
}

pub(super) struct Builder<'a> {
    pub model: &'a Model,
    pub solids: &'a Solids,
    pub memory: &'a Memory,
    /// Multiplies all reaches.
    pub scale: f64,
    pub bends: Bends,
    /// Per body, from where to where it may be turned, in the plane; if not anywhere.
    pub ranges: Option<&'a [[f64; 2]]>,
}

impl Builder<'_> {
    /// The program of a step from a state.
    pub fn build(&self, state: &State) -> Setup {
        let (model, unit) = (self.model, self.solids.length);
        let placed = place_all(self.solids, model, state);
        let limits: Vec<Limits> = (0..model.bodies.len()).map(|i| self.limits(i)).collect();
        let mut number = vec![None; model.bodies.len()];
        let mut program = Program { proximal: [1e-4, 1e-3], ..Program::default() };
        if self.bends == Bends::Exact {
            program.proximal = [1e-3, 1e-3];
        }
        for i in model.free() {
            number[i] = Some(program.bodies.len() as u32);
            program.bodies.push(self.block(i, &limits[i]));
        }
        let mut reaches: Vec<f64> = model.free().map(|i| limits[i].far[0] / unit).collect();
        reaches.sort_by(f64::total_cmp);
        let mut setup = Setup {
            program,
            number,
            arm: model.bodies.iter().map(|body| self.solids.arm(body) / unit).collect(),
            planes: Vec::new(),
            corners: Vec::new(),
            reach: reaches.get(reaches.len() / 2).copied().unwrap_or(1.0),
        };
        self.add_pairs(state, &placed, &limits, &mut setup);
        self.add_walls(state, &placed, &limits, &mut setup);
        self.add_ranges(state, &mut setup);
        setup
    }

    /// Rows that keep angles in their ranges.
    fn add_ranges(&self, state: &State, setup: &mut Setup) {
        let Some(ranges) = self.ranges else { return };
        for body in self.model.free().filter(|&i| self.model.bodies[i].turns) {
            let (turn, arm) = (state.rotations[body], setup.arm[body]);
            let angle = 2.0 * turn.z.atan2(turn.w);
            let [low, high] = ranges[body];
            let row = |(left, sign): (f64, f64)| {
                let mut slope = [0.0; OF_ROW];
                slope[5] = sign;
                Row::new((arm * left).max(0.0), slope)
            };
            let rows = [(high - angle, -1.0), (angle - low, 1.0)].map(row).to_vec();
            setup.program.groups.push(Group { body: setup.number[body], rows, ..Group::default() });
            let offsets = vec![DVec3::ZERO; 2];
            setup.corners.push(Corners { body: Some(body as u32), offsets, ..Corners::default() });
        }
    }

    fn limits(&self, i: usize) -> Limits {
        let body = &self.model.bodies[i];
        if !body.is_free() {
            return Limits::default();
        }
        let scale = self.scale * self.memory.scale[i];
        let flat = self.model.dimension == 2;
        let far = FAR * self.model.method.settle().reach_radii * body.radius * scale;
        let turn = if body.turns { TURN * scale } else { 0.0 };
        let (far, turn) = match flat {
            true => ([far, 2_f64.sqrt() * far], [turn; 2]),
            false => ([far, 3_f64.sqrt() * far], [turn, 3_f64.sqrt() * turn]),
        };
        Limits { far, turn, way: far[1] + turn[1] * self.solids.arm(body) }
    }

    fn block(&self, i: usize, limits: &Limits) -> Block {
        let (flat, unit) = (self.model.dimension == 2, self.solids.length);
        let body = &self.model.bodies[i];
        let pull = self.model.pull(i) * (body.mass / self.solids.weight);
        let (far, turn) = (limits.far[0] / unit, limits.turn[0] * self.solids.arm(body) / unit);
        let upright = if flat { [far, far, 0.0] } else { [far; 3] };
        let about = if flat { [0.0, 0.0, turn] } else { [turn; 3] };
        Block {
            cost: [-pull.x, -pull.y, if flat { 0.0 } else { -pull.z }, 0.0, 0.0, 0.0],
            reach: std::array::from_fn(|k| if k < 3 { upright[k] } else { about[k - 3] }),
        }
    }

    fn add_pairs(
        &self,
        state: &State,
        placed: &[Vec<Placed>],
        limits: &[Limits],
        setup: &mut Setup,
    ) {
        let model = self.model;
        let region = |i: usize, piece: &Placed| {
            piece.bounds(state.positions[i]).grow(limits[i].way + model.bodies[i].radius * SKIN)
        };
        let all = |i: usize| {
            placed[i].iter().map(|p| region(i, p)).fold(Aabb::EMPTY, |all, one| all.union(&one))
        };
        let regions: Vec<Aabb> = (0..model.bodies.len()).map(all).collect();
        for near::Pair { i, j } in near::pairs(&regions) {
            let (a, b) = (i as usize, j as usize);
            if !model.bodies[a].is_free() && !model.bodies[b].is_free() {
                continue;
            }
            for (one, p) in placed[a].iter().zip(0..) {
                let around = region(a, one);
                for (two, q) in placed[b].iter().zip(0..) {
                    if around.overlaps(&region(b, two)) {
                        let far = Far { with: With::Body(b as u32), piece: q, placed: two };
                        self.add_pair(state, (a, p, one), &far, [limits[a], limits[b]], setup);
                    }
                }
            }
        }
        let mut faces = Vec::new();
        for a in model.free() {
            for (one, p) in placed[a].iter().zip(0..) {
                let around = region(a, one);
                faces.clear();
                model.boundary.faces_in(&around, &mut faces);
                for face in &self.solids.faces {
                    if faces.binary_search(&face.number).is_ok() {
                        let far =
                            Far { with: With::Face(face.number), piece: 0, placed: &face.placed };
                        let limits = [limits[a], Limits::default()];
                        self.add_pair(state, (a, p, one), &far, limits, setup);
                    }
                }
            }
        }
    }

    /// A plane between a piece and another one, or a face.
    fn add_pair(
        &self,
        state: &State,
        (a, p, one): (usize, u32, &Placed),
        far: &Far,
        limits: [Limits; 2],
        setup: &mut Setup,
    ) {
        let (model, unit) = (self.model, self.solids.length);
        let two = far.placed;
        let other = match far.with {
            With::Body(b) => Some(b as usize),
            _ => None,
        };
        let radius = |body: usize| model.bodies[body].radius;
        let (from, to) = (state.positions[a], other.map_or(DVec3::ZERO, |b| state.positions[b]));
        let apart = apart(one, two, from - to);
        let wanted = HALF_GAP * other.map_or(f64::INFINITY, radius).min(radius(a));
        let half_gap = kept(wanted, 0.5 * (apart.room - one.radius - two.radius));
        let rounding = [one.radius + half_gap, two.radius + half_gap];
        let reach = limits[0].way + limits[1].way;
        let room = apart.room - rounding[0] - rounding[1];
        if room > reach {
            return;
        }
        let normal = -apart.normal;
        let top = from.dot(normal) + one.support(normal);
        let height = top + rounding[0] + 0.5 * room;
        let point = feature(one, from, normal, two, to);
        let point = point + (height - point.dot(normal)) * normal;
        let tangents = match model.dimension {
            2 => [DVec3::new(-normal.y, normal.x, 0.0), DVec3::Z],
            _ => normal.any_orthonormal_pair().into(),
        };
        let tilt = TILT * self.scale * self.memory.widest;
        let (body, with, pieces) = (a as u32, far.with, [p, far.piece]);
        let known = self.memory.balance((body, with, pieces));
        let balance = known.unwrap_or(0.25 * reach / unit / tilt);
        let between = Between { body, with, pieces, normal, point, tangents, balance };
        let groups = setup.program.groups.len() as u32;
        let plane = setup.program.planes.len() as u32;
        let moving = Moving { between: &between, number: plane, reach, tilt };
        let sides = [(Some(a), p, one), (other, far.piece, two)];
        for (k, (body, piece, placed)) in sides.into_iter().enumerate() {
            let sign = if k == 0 { -1.0 } else { 1.0 };
            let side = Side {
                body,
                piece,
                placed,
                inward: sign * normal,
                sign,
                zero: sign * normal.dot(point),
                rounding: rounding[k],
                limits: limits[k],
                plane: Some(moving),
                wall: None,
            };
            self.add_side(state, &side, setup);
        }
        setup.planes.push(between);
        let flat = model.dimension == 2;
        let (h, across) = (reach / unit, if flat { 0.0 } else { 1.0 });
        let slide = if self.bends == Bends::Exact { 0.0 } else { h };
        setup.program.planes.push(PlaneBlock {
            reach: [tilt, across * tilt, h, slide, across * slide],
            sides: [groups, groups + 1],
        });
    }

    fn add_walls(
        &self,
        state: &State,
        placed: &[Vec<Placed>],
        limits: &[Limits],
        setup: &mut Setup,
    ) {
        for body in self.model.free() {
            let wanted = HALF_GAP * self.model.bodies[body].radius;
            for (piece, number) in placed[body].iter().zip(0..) {
                for (wall, index) in self.solids.walls.iter().zip(0..) {
                    let low = -piece.support(-wall.normal);
                    let room = state.positions[body].dot(wall.normal) + low - wall.offset;
                    let side = Side {
                        body: Some(body),
                        piece: number,
                        placed: piece,
                        inward: wall.normal,
                        sign: 1.0,
                        zero: wall.offset,
                        rounding: piece.radius + kept(wanted, room - piece.radius),
                        limits: limits[body],
                        plane: None,
                        wall: Some(index),
                    };
                    self.add_side(state, &side, setup);
                }
            }
        }
    }

    /// The rows of a piece at a plane or a wall; of a wall that is far away, none.
    fn add_side(&self, state: &State, side: &Side, setup: &mut Setup) {
        let (unit, limits) = (self.solids.length, &side.limits);
        let at = side.body.map_or(DVec3::ZERO, |body| state.positions[body]);
        let arm = side.body.map_or(1.0, |body| setup.arm[body]);
        let body = side.body.and_then(|body| setup.number[body]);
        let plane = side.plane.map(|plane| plane.number);
        let mut tilting = side.plane.map_or(Tilting::default(), |plane| self.tilting(&plane, side));
        let rims = side.placed.drum.as_ref().and_then(|drum| Rims::new(drum, side.inward));
        tilting.rim = rims.as_ref().map(|rims| self.rolling(rims, side, arm));
        let mut group = Group { body, plane, tilting, rows: Vec::new() };
        let mut corners = Corners {
            body: side.body.map(|body| body as u32),
            piece: side.piece,
            wall: side.wall,
            side: side.sign,
            offsets: Vec::new(),
            kept: (side.rounding - side.placed.radius) / unit,
            rolls: rims.as_ref().map(|rims| Rolls { sine: rims.sine, radius: rims.radius / unit }),
        };
        let rim = rims.as_ref().map_or(0.0, |rims| rims.radius);
        let mut add = |offset: DVec3, pivot: DVec3| {
            let place = at + offset;
            let gap = side.inward.dot(place) - side.zero - side.rounding;
            let way = limits.far[1] + limits.turn[1] * (pivot.length() + rim);
            let needed = |plane: Moving| {
                plane.needed(at + pivot, way, side.rounding) + 2_f64.sqrt() * plane.tilt * rim
            };
            if gap <= side.plane.map_or(way, needed) {
                let corner = Corner { offset, place, pivot, gap: gap.max(0.0) };
                group.rows.push(self.row(side, &corner, arm));
                corners.offsets.push(offset / unit);
            }
        };
        match &rims {
            Some(rims) => rims.lowest().for_each(|(offset, pivot)| add(offset, pivot)),
            None => side.placed.core.corners().iter().for_each(|c| add(*c, *c)),
        }
        if side.wall.is_none() || !group.rows.is_empty() {
            setup.program.groups.push(group);
            setup.corners.push(corners);
        }
    }

    fn moves(&self, side: &Side) -> bool {
        side.body.is_some_and(|body| self.model.bodies[body].is_free())
    }

    fn turns(&self, side: &Side) -> bool {
        self.moves(side) && side.body.is_some_and(|body| self.model.bodies[body].turns)
    }

    /// How the rows of a side bend with their plane.
    fn tilting(&self, plane: &Moving, side: &Side) -> Tilting {
        let rounding = side.rounding / self.solids.length;
        let k = plane.between.balance;
        let (along, cross, tilt) = match self.bends {
            Bends::Bound => (0.5 / k, -0.5 * side.sign, 0.5 * k + rounding),
            Bends::Exact => (0.0, -side.sign, rounding),
        };
        let is_free = self.moves(side);
        let own = |t: DVec3| if is_free { t.to_array() } else { [0.0; 3] };
        Tilting { tangents: plane.between.tangents.map(own), along, cross, tilt, rim: None }
    }

    /// How the rows of rims bend as the body turns and the plane tilts.
    fn rolling(&self, rims: &Rims, side: &Side, arm: f64) -> [f64; OF_RIM] {
        let turns = if self.turns(side) { 1.0 / arm } else { 0.0 };
        let tangents = side.plane.map_or([DVec3::ZERO; 2], |plane| plane.between.tangents);
        let bend = match self.bends {
            Bends::Bound => {
                let tilt = side.plane.map_or(0.0, |plane| 2_f64.sqrt() * plane.tilt);
                rims.bound(side.sign, tangents, tilt)
            }
            Bends::Exact => rims.exact(side.sign, tangents),
        };
        let unit = |k: usize| if k < 3 { turns } else { 1.0 };
        let triangle = (0..5).flat_map(|i| (0..=i).map(move |j| (i, j)));
        let mut all = [0.0; OF_RIM];
        for (own, (i, j)) in all.iter_mut().zip(triangle) {
            *own = bend[i][j] * unit(i) * unit(j) / self.solids.length;
        }
        all
    }

    fn row(&self, side: &Side, corner: &Corner, arm: f64) -> Row {
        let unit = self.solids.length;
        let (r, m, pivot) = (corner.offset / unit, side.inward, corner.pivot / unit);
        let mut row = Row::new(corner.gap / unit, [0.0; OF_ROW]);
        if self.moves(side) {
            put(&mut row.slope, 0, m);
        }
        if self.turns(side) {
            let before = side.body.map_or(DVec3::ZERO, |body| self.memory.turns[body].into());
            put(&mut row.slope, 3, r.cross(m) / arm);
            let turns = match self.bends {
                Bends::Bound => {
                    let tilt = side.plane.map_or(0.0, |plane| 2_f64.sqrt() * plane.tilt);
                    let third = (side.limits.turn[1] / 6.0 + tilt / 2.0) * pivot.length();
                    bound_of_turns(pivot, m, before, 2.0 * third)
                }
                Bends::Exact => turns(pivot, m),
            };
            let triangle = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)];
            row.turn = triangle.map(|(i, j)| turns[i][j] / (arm * arm));
        }
        if let Some(plane) = side.plane {
            let away = (corner.place - plane.between.point) / unit;
            row.slope[8] = -side.sign;
            for (k, t) in plane.between.tangents.into_iter().enumerate() {
                row.slope[6 + k] = side.sign * t.dot(away);
                if self.turns(side) {
                    row.levers[k] = (pivot.cross(t) / arm).to_array();
                }
            }
        }
        if self.model.dimension == 2 {
            [2, 3, 4, 7, 10].into_iter().for_each(|gone| row.slope[gone] = 0.0);
        }
        row
    }
}

impl Moving<'_> {
    /// A corner that is farther than this cannot reach the plane.
    fn needed(&self, place: DVec3, way: f64, rounding: f64) -> f64 {
        let away = place - self.between.point;
        let arms: f64 = self.between.tangents.iter().map(|t| t.dot(away).abs()).sum();
        (1.0 + 2_f64.sqrt() * self.tilt) * way
            + (1.0 + 2.0 * self.tilt) * self.reach
            + self.tilt * arms
            + rounding * self.tilt * self.tilt
    }
}

/// The gap that is kept: what is wanted, or what is there.
fn kept(wanted: f64, there: f64) -> f64 {
    if there >= wanted * (1.0 - KEPT) { wanted } else { there.max(0.0) }
}

fn put(row: &mut Slope, at: usize, vector: DVec3) {
    (0..3).for_each(|k| row[at + k] = vector[k]);
}

/// What turning takes from the height of a corner along `m`, of second order:
/// `(m.r) 1 - sym(m r^T)`.
fn turns(r: DVec3, m: DVec3) -> [[f64; 3]; 3] {
    let along = m.dot(r);
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let outer = 0.5 * (m[i] * r[j] + r[i] * m[j]);
            if i == j { along - outer } else { -outer }
        })
    })
}

/// A bound of [`turns`] that is convex, and `more` on the diagonal. With `r = along m + p e`, turns about
/// `m` and about `e` go together: along `(m, e)` it is `[0, -p / 2; -p / 2, along]`, and of its scaled form,
/// `m` by `sqrt(k)` and `e` by its inverse, the positive part is taken. It is a bound for all `k`,
/// and the best one if bodies turn as they did `before`.
fn bound_of_turns(r: DVec3, m: DVec3, before: DVec3, more: f64) -> [[f64; 3]; 3] {
    let (along, length) = (m.dot(r), r.length());
    let (mut bound, mut nearly) = ([[0.0; 3]; 3], 0.0);
    let mut add = |e: DVec3, value: f64| {
        for i in 0..3 {
            (0..3).for_each(|j| bound[i][j] += value.max(0.0) * e[i] * e[j]);
        }
    };
    let across = r - along * m;
    let p = across.length();
    // Parallel vectors: all directions across have one value.
    if p <= PARALLEL * length {
        let (u, v) = m.any_orthonormal_pair();
        add(u, along);
        add(v, along);
        nearly = 2.0 * PARALLEL * length;
    } else {
        let e = across / p;
        let k = e.dot(before).abs() / m.dot(before).abs();
        let k = if k.is_nan() { 1.0 } else { k.clamp(1.0 / MOST_LOPSIDED, MOST_LOPSIDED) };
        let value = 0.5 * (along * k + (along * k).hypot(p));
        let (x, y) = (0.5 * p, -value);
        let direction = (x * k.sqrt() * m + y / k.sqrt() * e) / x.hypot(y);
        add(direction, value);
        add(m.cross(e), along);
    }
    (0..3).for_each(|k| bound[k][k] += more + nearly);
    bound
}

/// The middle of the smaller of the two features that face each other.
fn feature(one: &Placed, from: DVec3, normal: DVec3, two: &Placed, to: DVec3) -> DVec3 {
    let middle = |placed: &Placed, at: DVec3, out: DVec3| {
        let (top, size) = (placed.core.support(out), placed.core.bounds().size().max_element());
        let on = |c: &&DVec3| top - c.dot(out) <= 1e-4 * size;
        let points: Vec<DVec3> = placed.core.corners().iter().filter(on).copied().collect();
        let mean = points.iter().sum::<DVec3>() / points.len() as f64;
        let spread = points.iter().map(|p| p.distance(mean)).fold(0.0, f64::max);
        (at + mean, spread)
    };
    let (a, b) = (middle(one, from, normal), middle(two, to, -normal));
    if a.1 <= b.1 { a.0 } else { b.0 }
}
