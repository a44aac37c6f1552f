//! Do contacts and joints of an island balance its loads? An interior point method
//! for feasibility: from impulses inside their cones, Newton steps that close what is open,
//! each impulse weighted by how far it is from its bounds, so that what hardly pushes or nearly
//! slides gives way least. What comes out balances to rounding, or nothing does.

use crate::contact::manifold::MOST_SPOTS;
use crate::math::{DMat3, DVec3};
use crate::solver::ldl::{Ldl, elimination_order};

/// A body is balanced if no more than this part of the largest of its impulses and its weight is
/// open: a hundredth of what a run is held to.
const BALANCED: f64 = 1e-10;

/// After so many steps that did not balance, nothing will.
const MOST_STEPS: usize = 24;

/// A step leaves at least this part of every distance to a bound.
const KEPT: f64 = 0.1;

/// A step that has to be shortened to less than this gets nowhere.
const SHORTEST: f64 = 1e-3;

/// A whole step leaves less than all but this part of what is open; a short one accordingly.
const SHRINKS: f64 = 0.5;

/// Directions in which nothing holds a body are given this part of the strength of the others.
const FLOOR: f64 = 1e-13;

/// The start is this part of the bounds inside them.
const INSIDE: f64 = 0.01;

/// What a body needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    /// The impulse and the angular one that would balance it.
    pub linear: DVec3,
    pub angular: DVec3,
    /// Whether moments turn it.
    pub turns: bool,
    /// Its weight times the time, and its radius.
    pub weight: f64,
    pub radius: f64,
}

/// What two bodies do to each other.
#[derive(Clone, Debug)]
pub struct Grip {
    /// Which loads; none for a side that nothing moves.
    pub ends: [Option<usize>; 2],
    pub rows: Vec<Row>,
    pub law: Law,
}

/// One impulse: what a unit of it does to the first body; the second gets the opposite.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub linear: DVec3,
    pub angular: [DVec3; 2],
    pub impulse: f64,
}

/// Which impulses are allowed.
#[derive(Clone, Copy, Debug)]
pub enum Law {
    /// All.
    Joint,
    /// Pushes first; then, where there is friction, two along the contact and perhaps one about
    /// its normal; three of rolling where it resists.
    Contact { pushes: usize, levers: [f64; MOST_SPOTS], friction: f64, rolling: f64, twists: bool },
}

impl Grip {
    /// How far each impulse is from its bounds; negative outside. `free` is that of one without.
    fn rooms(&self, free: f64, rooms: &mut Vec<f64>) {
        rooms.clear();
        let Law::Contact { pushes, levers, friction, rolling, twists } = self.law else {
            rooms.resize(self.rows.len(), free);
            return;
        };
        let impulse = |k: usize| self.rows[k].impulse;
        let (mut load, mut turned) = (0.0, 0.0);
        for (k, lever) in levers.iter().enumerate().take(pushes) {
            rooms.push(impulse(k));
            load += impulse(k);
            turned += impulse(k) * lever;
        }
        let mut next = pushes;
        if friction > 0.0 {
            rooms.extend([friction * load - impulse(next).hypot(impulse(next + 1)); 2]);
            next += 2;
        }
        if twists {
            rooms.push(friction * turned - impulse(next).abs());
            next += 1;
        }
        if rolling > 0.0 {
            let moment = DVec3::new(impulse(next), impulse(next + 1), impulse(next + 2));
            rooms.extend([rolling * load - moment.length(); 3]);
        }
    }

    /// Moves impulses inside their bounds; `least` is a small push.
    fn start(&mut self, least: f64) {
        let Law::Contact { pushes, levers, friction, rolling, twists } = self.law else { return };
        let most = self.rows[..pushes].iter().map(|row| row.impulse).fold(least, f64::max);
        let (mut load, mut turned) = (0.0, 0.0);
        for (row, lever) in self.rows[..pushes].iter_mut().zip(levers) {
            row.impulse = row.impulse.max(INSIDE * most);
            load += row.impulse;
            turned += row.impulse * lever;
        }
        let mut next = pushes;
        let mut shorten = |count: usize, most: f64, rows: &mut [Row]| {
            let rows = &mut rows[next..next + count];
            let size = rows.iter().map(|row| row.impulse.powi(2)).sum::<f64>().sqrt();
            let part = (1.0 - INSIDE) * most;
            if size > part {
                rows.iter_mut().for_each(|row| row.impulse *= part / size);
            }
            next += count;
        };
        if friction > 0.0 {
            shorten(2, friction * load, &mut self.rows);
        }
        if twists {
            shorten(1, friction * turned, &mut self.rows);
        }
        if rolling > 0.0 {
            shorten(3, rolling * load, &mut self.rows);
        }
    }
}

/// An island whose balance is looked for.
pub struct Balance<'b> {
    loads: &'b [Load],
    ldl: Ldl,
    /// Where each body is in the order of elimination.
    place: Vec<usize>,
    /// An impulse of the size of all weights together.
    scale: f64,
}

impl<'b> Balance<'b> {
    pub fn new(loads: &'b [Load], grips: &[Grip]) -> Balance<'b> {
        let count = loads.len();
        let both = |grip: &Grip| Some((grip.ends[0]?, grip.ends[1]?));
        let pairs: Vec<(usize, usize)> = grips.iter().filter_map(both).collect();
        let mut place = vec![0; count];
        for (at, body) in elimination_order(count, &pairs).into_iter().enumerate() {
            place[body] = at;
        }
        // A body has two tiles: what moves it, and what turns it.
        let mut tiles: Vec<(usize, usize)> = (0..count).map(|k| (2 * k + 1, 2 * k)).collect();
        for &(a, b) in &pairs {
            let [late, soon] = [place[a].max(place[b]), place[a].min(place[b])];
            let four = [(0, 0), (0, 1), (1, 0), (1, 1)];
            tiles.extend(four.map(|(i, j)| (2 * late + i, 2 * soon + j)));
        }
        let scale = loads.iter().map(|load| load.weight.max(load.linear.length())).sum();
        Balance { loads, ldl: Ldl::new(2 * count, &tiles), place, scale }
    }

    /// Changes impulses, which are about right, so that they balance the loads; whether they do.
    pub fn solve(&mut self, grips: &mut [Grip]) -> bool {
        let least = self.scale / self.loads.len().max(1) as f64;
        grips.iter_mut().for_each(|grip| grip.start(least));
        self.close(grips)
    }

    /// The same from impulses that are inside their bounds.
    pub fn close(&mut self, grips: &mut [Grip]) -> bool {
        let mut rooms = Vec::new();
        let mut most = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let mut open = self.open(grips);
            if self.is_balanced(grips, &open) {
                return true;
            }
            // What no row can close stays open.
            let size = open.iter().map(|open| open.length_squared()).sum::<f64>().sqrt();
            if size.is_nan() || size >= most {
                return false;
            }
            self.factor(grips);
            self.ldl.solve(&mut open);
            let mut by: Vec<Vec<f64>> = Vec::with_capacity(grips.len());
            for grip in &*grips {
                grip.rooms(self.scale, &mut rooms);
                let rows = grip.rows.iter().zip(&rooms);
                by.push(
                    rows.map(|(row, room)| room * room * self.along(grip, row, &open)).collect(),
                );
            }
            let Some(part) = longest(grips, &by, self.scale) else { return false };
            most = size * (1.0 - SHRINKS * part);
            for (grip, by) in grips.iter_mut().zip(&by) {
                grip.rows.iter_mut().zip(by).for_each(|(row, by)| row.impulse += part * by);
            }
        }
        false
    }

    /// What the impulses leave open, two vectors for each body in the order of elimination.
    fn open(&self, grips: &[Grip]) -> Vec<DVec3> {
        let mut open = vec![DVec3::ZERO; 2 * self.loads.len()];
        for (load, &at) in self.loads.iter().zip(&self.place) {
            (open[2 * at], open[2 * at + 1]) = (load.linear, load.angular);
        }
        for grip in grips {
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let Some(body) = grip.ends[side] else { continue };
                let at = 2 * self.place[body];
                for row in &grip.rows {
                    open[at] -= row.linear * (sign * row.impulse);
                    open[at + 1] -= row.angular[side] * (sign * row.impulse);
                }
            }
        }
        for (load, &at) in self.loads.iter().zip(&self.place) {
            if !load.turns {
                open[2 * at + 1] = DVec3::ZERO;
            }
        }
        open
    }

    fn is_balanced(&self, grips: &[Grip], open: &[DVec3]) -> bool {
        let mut most: Vec<[f64; 2]> =
            self.loads.iter().map(|load| [load.weight, load.weight * load.radius]).collect();
        for grip in grips {
            for (side, body) in grip.ends.iter().enumerate() {
                let Some(body) = *body else { continue };
                let linear: DVec3 = grip.rows.iter().map(|row| row.linear * row.impulse).sum();
                let angular: DVec3 =
                    grip.rows.iter().map(|row| row.angular[side] * row.impulse).sum();
                most[body][0] = most[body][0].max(linear.length());
                most[body][1] = most[body][1].max(angular.length());
            }
        }
        most.iter().zip(&self.place).all(|(most, at)| {
            most.iter().all(|most| most.is_finite())
                && open[2 * at].length() <= BALANCED * most[0]
                && open[2 * at + 1].length() <= BALANCED * most[1]
        })
    }

    /// How much a row sees of what bodies are to get.
    fn along(&self, grip: &Grip, row: &Row, by: &[DVec3]) -> f64 {
        let see = |side: usize| {
            grip.ends[side].map_or(0.0, |body| {
                let at = 2 * self.place[body];
                row.linear.dot(by[at]) + row.angular[side].dot(by[at + 1])
            })
        };
        see(0) - see(1)
    }

    /// The matrix of what weighted impulses do to the bodies.
    fn factor(&mut self, grips: &[Grip]) {
        let count = 2 * self.loads.len();
        let mut diagonal = vec![DMat3::ZERO; count];
        let (mut rooms, turns) = (Vec::new(), |body: usize| self.loads[body].turns);
        self.ldl.clear();
        for grip in grips {
            grip.rooms(self.scale, &mut rooms);
            // Columns: what each row does to the four tiles of its bodies.
            let mut tiles: [Option<usize>; 4] = [None; 4];
            for (side, body) in grip.ends.iter().enumerate() {
                if let Some(body) = *body {
                    tiles[2 * side] = Some(2 * self.place[body]);
                    tiles[2 * side + 1] = turns(body).then_some(2 * self.place[body] + 1);
                }
            }
            for i in 0..4 {
                let Some(one) = tiles[i] else { continue };
                for j in 0..4 {
                    let Some(two) = tiles[j].filter(|&two| two <= one) else { continue };
                    let mut tile = DMat3::ZERO;
                    for (row, room) in grip.rows.iter().zip(&rooms) {
                        let columns = [row.linear, row.angular[0], -row.linear, -row.angular[1]];
                        let (a, b) = (columns[i] * (room * room), columns[j]);
                        tile += DMat3::from_cols(a * b.x, a * b.y, a * b.z);
                    }
                    match one == two {
                        true => diagonal[one] += tile,
                        false => self.ldl.add(self.ldl.slot(one, two), tile),
                    }
                }
            }
        }
        for (k, tile) in diagonal.iter().enumerate() {
            let most = tile.x_axis.x.max(tile.y_axis.y).max(tile.z_axis.z);
            let floor = if most > 0.0 { FLOOR * most } else { 1.0 };
            self.ldl.set_diagonal(k, *tile + DMat3::from_diagonal(DVec3::splat(floor)));
        }
        self.ldl.factor(FLOOR);
    }
}

/// The longest part of a step, of halves, that stays inside all bounds; none if it is short.
fn longest(grips: &[Grip], by: &[Vec<f64>], free: f64) -> Option<f64> {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut part = 1.0;
    for (grip, by) in grips.iter().zip(by) {
        grip.rooms(free, &mut before);
        loop {
            let mut moved = grip.clone();
            moved.rows.iter_mut().zip(by).for_each(|(row, by)| row.impulse += part * by);
            moved.rooms(free, &mut after);
            if before.iter().zip(&after).all(|(before, after)| *after >= KEPT * before) {
                break;
            }
            part *= 0.5;
            if part < SHORTEST {
                return None;
            }
        }
    }
    Some(part)
}
