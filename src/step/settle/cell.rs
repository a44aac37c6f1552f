//! One program: the convex cell around a configuration, and the best motion in
//! it [M96 3.2.2].
//!
//! Only rows that matter are put into the program: near pairs, and pairs that
//! approached each other fast in the last step. All others are checked exactly
//! afterwards; the offenders get their rows and the program is solved again.

mod held_back;

use rayon::prelude::*;

use super::fields::Fields;
use super::memory::Memory;
use super::plan::{Plan, Stand, Units};
use super::reach::{furthest, longest, reach_boxes, regions, shrink};
use super::{FALLING, Part};
use crate::contact::{
    Cores, Other, Row, WallRows, body_rows, body_wall_rows, face_row, leaning_row, moving_row,
    pair_row, rope_row, strut_row, sweep_is_clear, wall_rows,
};
use crate::energy::{self, Forces};
use crate::math::{DVec3, SKIN};
use crate::near::{self, Pair};
use crate::shape::Aabb;
use crate::solver::{self, FIXED, HalfSpace, MANY, MotionBox, Program, Rope, Solution};
use crate::step::Stopwatch;
use crate::world::{Model, State};

/// A pair whose gap is below this many radii gets its row at once.
const NEAR_GAP: f64 = 0.5;
/// So does one whose gap is below this multiple of the faster one's last motion
/// (of their relative motion it would be fewer rows, but more second solves).
const FAST: f64 = 2.0;
/// The same near rest, where many bodies move little: rows cost more than they are worth.
const NEAR_AT_REST: f64 = 0.1;
const FAST_AT_REST: f64 = 4.0;
/// Programs that need not be solved more tightly than this may leave a body behind.
const LOOSE: f64 = 1e-3;
/// After this many additions of offenders, they get rows for all that they could meet.
const LAZY_ROUNDS: usize = 3;
/// Motions below this many radii are noise of the solver.
const NOISE: f64 = 1e-14;

/// The outcome of one program, in scene units.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub motion: Vec<DVec3>,
    /// All rows of the program with their multipliers (forces in scene units).
    pub rows: Vec<(Row, f64)>,
    pub decrease: f64,
    pub iterations: u32,
}

/// What bodies that may move could meet in a step.
pub(super) struct Surroundings<'a> {
    pub cores: &'a Cores,
    pub state: &'a State,
    pub forces: Forces,
    pub units: Units,
    /// Per body, how far it may move: beyond that, walls may be that have no rows.
    pub boxes: Vec<MotionBox>,
    /// Pairs of balls.
    pub balls: Vec<Pair>,
    /// Rows of pairs that are not both balls.
    of_pieces: Vec<Row>,
    /// Per body, its rows with the container.
    pub walls: Vec<Vec<Row>>,
}

/// A cell before it is made into a program.
pub(super) struct Cell<'a> {
    around: &'a Surroundings<'a>,
    model: &'a Model,
    state: &'a State,
    units: Units,
    active: &'a [bool],
    /// The motions of those that are not active; nobody moves if it is empty.
    given: &'a [DVec3],
    /// Per body, its number among the active ones.
    number: Vec<u32>,
    boxes: Vec<MotionBox>,
    /// Rows of the program.
    rows: Vec<Row>,
    /// Pairs of balls, and rows of walls and pieces, that are only checked.
    spare_pairs: Vec<Pair>,
    spare_rows: Vec<Row>,
    /// Joints that are ropes of the program (their rows to first order).
    ropes: Vec<Row>,
    /// What is added to the gradient per body, because balls that slide on
    /// each other will sink to each other in the next step.
    urge: Vec<DVec3>,
    /// Pairs that are near, and those that were fast in the last step, have rows at once.
    near: f64,
    fast: f64,
}

/// The best motion of the active bodies within their reach. `slope` replaces
/// the gradient of the energy (scene units) if given.
pub(super) fn best_motion(
    cores: &Cores,
    state: &State,
    active: &[bool],
    plan: &Plan,
    memory: &Memory,
    slope: Option<&[DVec3]>,
    watch: &mut Stopwatch,
) -> Found {
    let around = Surroundings::new(cores, state, active, plan, memory, watch);
    let cell = Cell::new(&around, active, &[], &around.balls, plan, memory);
    cell.solve(plan, memory, slope, watch)
}

/// The first program of [`best_motion`] and its warm start.
pub(super) fn first_program(
    cores: &Cores,
    state: &State,
    active: &[bool],
    plan: &Plan,
    memory: &Memory,
    watch: &mut Stopwatch,
) -> (Program, Vec<f64>) {
    let around = Surroundings::new(cores, state, active, plan, memory, watch);
    let cell = Cell::new(&around, active, &[], &around.balls, plan, memory);
    let mut warm = cell.warm_start(&cell.rows, memory);
    warm.extend(cell.warm_start(&cell.ropes, memory));
    warm.iter_mut().for_each(|force| *force /= cell.units.force);
    (cell.program(plan, None), warm)
}

impl<'a> Surroundings<'a> {
    pub fn new(
        cores: &'a Cores,
        state: &'a State,
        active: &[bool],
        plan: &Plan,
        memory: &Memory,
        watch: &mut Stopwatch,
    ) -> Self {
        let model = &*cores.model;
        let forces = energy::forces(model, state);
        let mut boxes = reach_boxes(model, &forces, plan, memory);
        let regions = regions(cores, state, active, &boxes, memory.smoothing);
        let pairs = watch.time(Part::Near as usize, || near::pairs(&regions));
        let is_active = |pair: &Pair| active[pair.i as usize] || active[pair.j as usize];
        let are_balls = |pair: &Pair| [pair.i, pair.j].iter().all(|&i| cores.is_ball(i as usize));
        let (balls, of_pieces): (Vec<Pair>, Vec<Pair>) =
            pairs.into_iter().filter(is_active).partition(are_balls);
        let (walls, of_pieces) = watch.time(Part::FreeSpace as usize, || {
            let walls = container_rows(cores, state, active, &regions, &boxes, memory.smoothing);
            (walls, piece_rows(cores, state, active, &of_pieces, &boxes, memory.smoothing))
        });
        let clear = |(reach, wall): (&mut MotionBox, &WallRows)| shrink(reach, wall.clear);
        boxes.iter_mut().zip(&walls).for_each(clear);
        let units = Units::of(model, &forces, plan.grade);
        let mut walls: Vec<Vec<Row>> = walls.into_iter().map(|wall| wall.rows).collect();
        if plan.forces == Stand::Gradients {
            walls.iter_mut().for_each(|rows| touch_whole_faces(model, state, rows));
        }
        Surroundings { cores, state, forces, units, boxes, balls, of_pieces, walls }
    }
}

impl<'a> Cell<'a> {
    /// The cell of some of the bodies, `balls` being those pairs that one of them is part of;
    /// the others move as given.
    pub fn new(
        around: &'a Surroundings,
        active: &'a [bool],
        given: &'a [DVec3],
        balls: &[Pair],
        plan: &Plan,
        memory: &Memory,
    ) -> Self {
        let mut cell = Cell::empty(around, active, given);
        (cell.near, cell.fast) = match cell.is_large() && memory.gain < FALLING {
            true => (NEAR_AT_REST, FAST_AT_REST),
            false if cell.many_are_fast(memory) => (NEAR_GAP, 0.0),
            false => (NEAR_GAP, FAST),
        };
        for pair in balls {
            cell.add_balls(pair, plan, memory);
        }
        for row in &around.of_pieces {
            cell.add_row(*row, plan, memory);
        }
        for (i, rows) in around.walls.iter().enumerate() {
            if active[i] {
                rows.iter().for_each(|row| cell.add_row(*row, plan, memory));
            }
        }
        for joint in 0..cell.model.joints.len() as u32 {
            cell.add_joint(joint, plan);
        }
        let boxes = &around.boxes;
        cell.boxes = (0..boxes.len()).filter(|&i| active[i]).map(|i| boxes[i]).collect();
        cell
    }

    /// A cell that nothing bounds yet.
    fn empty(around: &'a Surroundings, active: &'a [bool], given: &'a [DVec3]) -> Self {
        let n = active.len();
        let mut number = vec![FIXED; n];
        for (count, i) in (0..n).filter(|&i| active[i]).enumerate() {
            number[i] = count as u32;
        }
        Cell {
            around,
            model: &around.cores.model,
            state: around.state,
            units: around.units,
            active,
            given,
            number,
            boxes: Vec::new(),
            rows: Vec::new(),
            spare_pairs: Vec::new(),
            spare_rows: Vec::new(),
            ropes: Vec::new(),
            urge: vec![DVec3::ZERO; n],
            near: NEAR_GAP,
            fast: FAST,
        }
    }

    /// The best motion in the cell; those that are not active move as given.
    pub fn solve(
        mut self,
        plan: &Plan,
        memory: &Memory,
        slope: Option<&[DVec3]>,
        watch: &mut Stopwatch,
    ) -> Found {
        let scale = self.units.force;
        let mut known = self.warm_start(&self.rows, memory);
        let mut tensions = self.warm_start(&self.ropes, memory);
        let mut iterations = 0;
        for round in 0.. {
            let program = self.program(plan, slope);
            let warm: Vec<f64> = known.iter().chain(&tensions).map(|force| force / scale).collect();
            let mut solution =
                watch.time(Part::Solve as usize, || solver::solve(&program, plan.accuracy, &warm));
            iterations += solution.iterations as u32;
            self.hold_still(&program, &mut solution.motion);
            let mut motion = self.spread(&solution);
            if self.is_large() && plan.accuracy.relative > LOOSE {
                watch.time(Part::Sweep as usize, || self.hold_back(&mut motion));
            }
            known = solution.multipliers.iter().map(|f| f * scale).collect();
            tensions = known.split_off(self.rows.len());
            let offenders = watch
                .time(Part::Sweep as usize, || self.add_offenders(&motion, round >= LAZY_ROUNDS));
            if !offenders {
                let decrease = match slope {
                    None => energy::decrease(self.model, self.state, &motion),
                    Some(slope) => slope.iter().zip(&motion).map(|(s, d)| -s.dot(*d)).sum(),
                };
                let rows = self.rows.into_iter().zip(known);
                let rows = rows.chain(self.ropes.into_iter().zip(tensions)).collect();
                return Found { motion, rows, decrease, iterations };
            }
            let added = self.warm_start(&self.rows[known.len()..], memory);
            known.extend(added);
        }
        unreachable!("once every pair has its row, the sweep is clear")
    }

    /// While many fall, rows for all that are fast would be rows for all.
    fn many_are_fast(&self, memory: &Memory) -> bool {
        if !self.is_large() {
            return false;
        }
        let active = || (0..self.active.len()).filter(|&i| self.active[i]);
        let fast = |i: &usize| memory.last_motion(*i).length() > self.model.bodies[*i].radius;
        4 * active().filter(fast).count() > active().count()
    }

    fn is_large(&self) -> bool {
        self.active.len() >= MANY
    }

    fn given(&self, body: usize) -> DVec3 {
        self.given.get(body).copied().unwrap_or(DVec3::ZERO)
    }

    /// Two balls, whose row is in the program at once or only checked.
    fn add_balls(&mut self, pair: &Pair, plan: &Plan, memory: &Memory) {
        let [d_i, d_j] = [pair.i, pair.j].map(|k| self.given(k as usize));
        let row = match d_i == d_j {
            true if plan.momentum > 0.0 => self.expected_row(pair, plan.momentum, memory),
            true => pair_row(self.model, self.state, pair),
            false => moving_row(self.model, self.state, pair, [d_i, d_j]),
        };
        if self.is_large() && self.is_out_of_reach(&pair_row(self.model, self.state, pair)) {
            return;
        }
        let room = Row { gap: row.gap + row.normal.dot(d_i - d_j), ..row };
        if !plan.lazy || self.matters(&room, memory) {
            self.rows.push(row);
        } else {
            self.spare_pairs.push(*pair);
        }
    }

    /// Whether no motion within reach could meet a row.
    fn is_out_of_reach(&self, row: &Row) -> bool {
        let approach = |body: usize, normal: DVec3| match self.active[body] {
            true => furthest(&self.around.boxes[body], -normal),
            false => -normal.dot(self.given(body)),
        };
        let first = approach(row.key.body as usize, row.normal);
        let second = row.key.second(self.model).map_or(0.0, |j| approach(j, -row.normal));
        row.gap > first + second
    }

    /// A row that is in the program at once, or only checked.
    fn add_row(&mut self, row: Row, plan: &Plan, memory: &Memory) {
        if self.is_large() && self.is_out_of_reach(&row) {
            return;
        }
        if !plan.lazy || self.matters(&row, memory) {
            self.rows.push(row);
        } else {
            self.spare_rows.push(row);
        }
    }

    /// The row of a pair that goes on as in its last step. Where it cannot lean
    /// as far as the pair will turn, the rest of the turn acts on the cost, by
    /// the force that the contact had: the energy that the turn will set free.
    fn expected_row(&mut self, pair: &Pair, urge: f64, memory: &Memory) -> Row {
        let (i, j) = (pair.i as usize, pair.j as usize);
        let change = memory.last_motion(i) - memory.last_motion(j);
        let row = leaning_row(self.model, self.state, pair, change);
        let force = memory.multiplier(&row.key);
        let now = self.state.positions[i] - self.state.positions[j];
        let distance = now.length();
        if force > 0.0 && distance > 0.0 {
            let normal = now / distance;
            let across = change - change.dot(normal) * normal;
            let turn = (normal + across / distance).normalize() - row.normal;
            self.urge[i] -= urge * force * turn;
            self.urge[j] += urge * force * turn;
        }
        row
    }

    /// A joint that a body of the program hangs on.
    fn add_joint(&mut self, joint: u32, plan: &Plan) {
        let ends = self.model.joints[joint as usize].bodies;
        if !ends.iter().flatten().any(|&body| self.active[body as usize]) {
            return;
        }
        let rope = rope_row(self.model, self.state, joint);
        match plan.forces {
            Stand::Gradients => self.rows.extend(rope),
            _ => self.ropes.extend(rope),
        }
        self.rows.extend(strut_row(self.model, self.state, joint));
    }

    /// What is known of the forces of rows.
    fn warm_start(&self, rows: &[Row], memory: &Memory) -> Vec<f64> {
        rows.iter().map(|row| memory.multiplier(&row.key)).collect()
    }

    /// Whether a row is likely to be met.
    fn matters(&self, row: &Row, memory: &Memory) -> bool {
        let i = row.key.body as usize;
        let own = memory.last_motion(i).length();
        let (radius, speed) = match row.key.other {
            Other::Body(j) | Other::Pieces(j, _) => (
                self.model.bodies[i].radius.min(self.model.bodies[j as usize].radius),
                own.max(memory.last_motion(j as usize).length()),
            ),
            _ => (self.model.bodies[i].radius, own),
        };
        row.gap < (self.near * radius).max(self.fast * speed)
    }

    fn program(&self, plan: &Plan, slope: Option<&[DVec3]>) -> Program {
        let Units { length, force } = self.units;
        let bodies: Vec<usize> = (0..self.active.len()).filter(|&i| self.active[i]).collect();
        let weight = |i: usize| self.around.forces.largest[i] / force;
        let fields = match slope {
            None => Fields::of(self.model, self.state, &self.number, &self.boxes, plan.forces),
            Some(_) => Fields::default(),
        };
        let gradient = |i: usize| {
            let whole = slope.map_or(self.around.forces.gradient[i] + self.urge[i], |s| s[i]);
            (whole - fields.in_ceilings.get(i).copied().unwrap_or(DVec3::ZERO)) / force
        };
        let absolute = |i: &usize| plan.conservative * weight(*i);
        Program {
            width: self.model.dimension,
            cost: bodies.iter().map(|&i| gradient(i)).collect(),
            proximal: bodies
                .iter()
                .map(|&i| {
                    let held = weight(i).min(plan.hold / force);
                    plan.proximal * held * length / self.model.bodies[i].radius
                })
                .collect(),
            absolute: match plan.conservative > 0.0 {
                true => bodies.iter().map(absolute).collect(),
                false => Vec::new(),
            },
            half_spaces: self.rows.iter().map(|row| self.half_space(row)).collect(),
            boxes: self
                .boxes
                .iter()
                .map(|b| MotionBox { axes: b.axes, low: b.low / length, high: b.high / length })
                .collect(),
            ropes: self.ropes.iter().map(|row| self.rope(row, plan)).collect(),
            ties: fields.ties(length / force),
            ceilings: fields.ceilings(length, force),
            places: bodies.iter().map(|&i| self.state.positions[i]).collect(),
        }
    }

    /// A row in the program's numbering and units; sleepers are obstacles.
    fn half_space(&self, row: &Row) -> HalfSpace {
        let a = self.number[row.key.body as usize];
        let b = row.key.second(self.model).map_or(FIXED, |j| self.number[j]);
        // What moves as given has used up some of the gap, or left more of it.
        let moves = |body: usize| if self.active[body] { DVec3::ZERO } else { self.given(body) };
        let other = row.key.second(self.model).map_or(DVec3::ZERO, moves);
        let opened = row.normal.dot(moves(row.key.body as usize) - other);
        let gap = (row.gap + opened).max(0.0) / self.units.length;
        match a {
            FIXED => HalfSpace { a: b, b: FIXED, normal: -row.normal, gap },
            _ => HalfSpace { a, b, normal: row.normal, gap },
        }
    }

    /// A joint as a rope of the program.
    fn rope(&self, row: &Row, plan: &Plan) -> Rope {
        let Other::Rope(joint) = row.key.other else { unreachable!("only joints are ropes") };
        let joint = &self.model.joints[joint as usize];
        let ([first, second], [_, most]) =
            (joint.ends(self.state), joint.distance().unwrap_or([0.0, f64::INFINITY]));
        let vector = (first - second) / self.units.length;
        let number = |body: Option<u32>| body.map_or(FIXED, |body| self.number[body as usize]);
        let [a, b] = joint.bodies.map(number);
        // It keeps a skin, as bodies do. What it has used up of that it keeps in a
        // fine step, since giving it back would cost more than the step gains.
        let whole = most / self.units.length;
        let used = if plan.stretch < 0.5 { vector.length().min(whole) } else { 0.0 };
        let (length, tolerance) = (used.max(whole * (1.0 - SKIN)), whole * plan.stretch * SKIN);
        match a {
            FIXED => Rope { a: b, b: FIXED, vector: -vector, length, tolerance },
            _ => Rope { a, b, vector, length, tolerance },
        }
    }

    /// A body that gains nothing by its motion, and whose motion nobody needs,
    /// stays exactly where it is (no wandering [M96 3.2.3]); and what is only
    /// noise of the solver becomes exactly 0.
    fn hold_still(&self, program: &Program, motion: &mut [DVec3]) {
        let tied = tied(program);
        let mut rows_of = vec![Vec::new(); motion.len()];
        for row in &program.half_spaces {
            rows_of[row.a as usize].push(row);
            if row.b != FIXED {
                rows_of[row.b as usize].push(row);
            }
        }
        for i in 0..motion.len() {
            let wanted = motion[i];
            motion[i] = DVec3::select(wanted.abs().cmplt(DVec3::splat(NOISE)), DVec3::ZERO, wanted);
            if !tied[i] && program.cost[i].dot(wanted) >= 0.0 {
                motion[i] = DVec3::ZERO;
                if rows_of[i].iter().any(|row| row.value(motion) < 0.0) {
                    motion[i] = wanted;
                }
            }
        }
    }

    /// From the program's numbering and units to the scene's.
    fn spread(&self, solution: &Solution) -> Vec<DVec3> {
        let motion = |(body, &number): (usize, &u32)| match number {
            FIXED => self.given(body),
            k => solution.motion[k as usize] * self.units.length,
        };
        self.number.iter().enumerate().map(motion).collect()
    }

    /// Gives rows to the pairs and walls that `motion` would run into (and, with `more`, to all
    /// that the bodies among them could meet); says whether there were any.
    fn add_offenders(&mut self, motion: &[DVec3], more: bool) -> bool {
        let (model, state) = (self.model, self.state);
        let clear_pair = |pair: &Pair| {
            let (i, j) = (pair.i as usize, pair.j as usize);
            sweep_is_clear(model, state, pair, motion[i], motion[j])
        };
        let clear_row = |row: &Row| {
            let own = motion[row.key.body as usize];
            let opens = row.key.second(model).map_or(own, |j| own - motion[j]);
            row.normal.dot(opens) + row.gap >= 0.0
        };
        let all = more && !self.is_large();
        let mut offends = vec![false; motion.len()];
        for pair in self.spare_pairs.iter().filter(|pair| !clear_pair(pair)) {
            offends[pair.i as usize] = true;
            offends[pair.j as usize] = true;
        }
        for row in self.spare_rows.iter().filter(|row| !clear_row(row)) {
            offends[row.key.body as usize] = true;
            row.key.second(model).into_iter().for_each(|j| offends[j] = true);
        }
        let any = offends.contains(&true);
        if any {
            let met = |i: usize, j: usize| all || more && (offends[i] || offends[j]);
            let keep_pair =
                |pair: &Pair| !met(pair.i as usize, pair.j as usize) && clear_pair(pair);
            let keep_row = |row: &Row| {
                let own = row.key.body as usize;
                !met(own, row.key.second(model).unwrap_or(own)) && clear_row(row)
            };
            let (spare, more) = self.spare_pairs.iter().partition(|pair| keep_pair(pair));
            self.spare_pairs = spare;
            let more: Vec<Pair> = more;
            let given = |pair: &Pair| [pair.i, pair.j].map(|k| self.given(k as usize));
            let rows = more.iter().map(|pair| match given(pair) {
                [a, b] if a == b => pair_row(model, state, pair),
                given => moving_row(model, state, pair, given),
            });
            let rows: Vec<Row> = rows.collect();
            self.rows.extend(rows);
            let (spare, more): (_, Vec<Row>) = self.spare_rows.iter().partition(|r| keep_row(r));
            self.spare_rows = spare;
            self.rows.extend(more);
        }
        any
    }
}

/// The rows of the active bodies and the container; nothing for the others.
fn container_rows(
    cores: &Cores,
    state: &State,
    active: &[bool],
    regions: &[Aabb],
    boxes: &[MotionBox],
    smoothing: f64,
) -> Vec<WallRows> {
    let model = &*cores.model;
    let wall = |i: usize| {
        if !active[i] {
            return WallRows { rows: Vec::new(), clear: f64::INFINITY };
        }
        if !cores.is_ball(i) {
            let (region, reach) = (&regions[i], longest(&boxes[i]));
            let rows = body_wall_rows(cores, state, smoothing, i, region, reach);
            return WallRows { rows, clear: f64::INFINITY };
        }
        let (centre, radius) = (state.positions[i], model.bodies[i].radius);
        wall_rows(&model.boundary, i as u32, centre, radius, &regions[i])
    };
    (0..model.bodies.len()).into_par_iter().with_min_len(32).map(wall).collect()
}

/// Turns rows of what is left of faces into those of the faces: a force acts where a face is
/// nearest, whatever another row has hidden of it.
fn touch_whole_faces(model: &Model, state: &State, rows: &mut Vec<Row>) {
    rows.retain(|row| !matches!(row.key.other, Other::Face(_, 1..)));
    for row in rows {
        if let Other::Face(face, _) = row.key.other {
            let body = row.key.body as usize;
            let (centre, radius) = (state.positions[body], model.bodies[body].radius);
            *row = face_row(&model.boundary, row.key, face, centre, radius);
        }
    }
}

/// The rows of pairs of bodies that are not both balls.
fn piece_rows(
    cores: &Cores,
    state: &State,
    active: &[bool],
    pairs: &[Pair],
    boxes: &[MotionBox],
    smoothing: f64,
) -> Vec<Row> {
    let travel = |i: u32| match active[i as usize] {
        true => longest(&boxes[i as usize]),
        false => 0.0,
    };
    let rows = |pair: &Pair| {
        let reach = travel(pair.i) + travel(pair.j);
        body_rows(cores, state, smoothing, pair, reach)
    };
    let rows: Vec<Vec<Row>> = pairs.par_iter().with_min_len(4).map(rows).collect();
    rows.into_iter().flatten().collect()
}

/// Which bodies of a program have a share in the gain of others.
fn tied(program: &Program) -> Vec<bool> {
    let mut tied = vec![false; program.cost.len()];
    let ties = program.ties.iter().map(|tie| (tie.a, tie.b));
    let ceilings = program.ceilings.iter().map(|ceiling| (ceiling.a, ceiling.b));
    let ropes = program.ropes.iter().map(|rope| (rope.a, rope.b));
    for (a, b) in ties.chain(ceilings).chain(ropes) {
        tied[a as usize] = true;
        if b != FIXED {
            tied[b as usize] = true;
        }
    }
    tied
}

#[cfg(test)]
mod tests;
