//! All joints at once. The joints of a scene are one symmetric system, sparse
//! as the tree of the joints, so it is factored exactly in linear time
//! [Baraff 1996]: neither long chains nor large ratios of mass leave an error.
//! A joint has up to three rows about lengths and up to three about angles; each
//! three of them are one [`Node`], and nodes are kept in the order of elimination.
//! Ropes take part while they are taut (see [`Tether`]).

mod parts; // a substep in parts
mod swing; // how fast joints let bodies swing

use self::parts::{Still, stir};
use super::balance::{self, Grip, Law};
use super::bodies::{Bodies, Velocity};
use super::joints::{self, MOST_ROWS, Placed, Row};
use super::tally::JointTally;
use super::tether::Tether;
use crate::math::{DMat3, DVec3};
use crate::solver::ldl::{Ldl, across, elimination_order};
use crate::world::JointKind;

/// Pivots stay above this part of the diagonal: rows that repeat others, as in closed loops.
const FLOOR: f64 = 1e-9;

/// Positions are good when no joint is off by more than this part of its bodies' size.
const GOOD: f64 = 1e-7;

/// They are bad when one is off by more than this.
const CLOSED: f64 = 1e-6;

/// Newton steps on the positions; one is nearly always enough.
const NEWTON_STEPS: usize = 3;

/// How often ropes may become taut or slack in one solution.
const MOST_CHANGES: usize = 16;

/// The joints' rows and their factor.
pub struct Articulation {
    nodes: Vec<Node>,
    couplings: Vec<Coupling>,
    ldl: Ldl,
    right: Vec<DVec3>,
    /// Impulses and moments that are still to be turned into displacements.
    shifts: Vec<(DVec3, DVec3)>,
    /// Whether there are ropes, or bars with room.
    has_slack: bool,
    /// Whose bodies these are.
    is_jointed: Vec<bool>,
    /// Where they were before a substep, but for those that joints have pushed since.
    still: Vec<Option<Still>>,
    /// The energy of motion that the joints took away since the rows were looked at.
    taken: f64,
    /// The square of the fastest swing in this step, relative to a bound that is easy to find.
    swing: Option<f64>,
    /// What the joints did in this step.
    pub tally: JointTally,
}

/// Up to three rows of a joint. Matrices have a column per row.
struct Node {
    joint: usize,
    ends: [usize; 2],
    /// Which rows of the joint they are.
    first: usize,
    count: usize,
    linear: DMat3,
    angular: [DMat3; 2],
    /// What the bodies do per unit impulse of a row.
    pushed: [DMat3; 2],
    turned: [DMat3; 2],
    /// The length to measure errors by; 1 for angles.
    size: f64,
    /// Of a joint that holds a distance.
    tether: Option<Tether>,
    /// From the centres to the joint's points.
    arms: [DVec3; 2],
    /// What its rows have done and not told yet.
    impulse: DVec3,
}

/// Two nodes that share a body; `later` is eliminated after `sooner`.
struct Coupling {
    later: usize,
    sooner: usize,
    sides: [usize; 2],
    slot: usize,
}

impl Articulation {
    pub fn new(bodies: &Bodies) -> Articulation {
        let in_scene_order = nodes(bodies);
        let count = in_scene_order.len();
        let pairs: Vec<(usize, usize)> =
            shared(bodies, &in_scene_order).iter().map(|&(i, j, _)| (i, j)).collect();
        let order = elimination_order(count, &pairs);
        let mut waiting: Vec<Option<Node>> = in_scene_order.into_iter().map(Some).collect();
        let nodes: Vec<Node> = order.iter().filter_map(|&node| waiting[node].take()).collect();
        let shared = shared(bodies, &nodes);
        let pairs: Vec<(usize, usize)> = shared.iter().map(|&(i, j, _)| (i, j)).collect();
        let ldl = Ldl::new(count, &pairs);
        let coupling = |&(later, sooner, sides): &(usize, usize, [usize; 2])| Coupling {
            later,
            sooner,
            sides,
            slot: ldl.slot(later, sooner),
        };
        let mut couplings: Vec<Coupling> = shared.iter().map(coupling).collect();
        couplings.sort_by_key(|coupling| coupling.slot);
        let shifts = vec![Default::default(); if count > 0 { bodies.inverse.len() } else { 0 }];
        let mut is_jointed = vec![false; bodies.inverse.len()];
        nodes.iter().flat_map(|node| node.ends).for_each(|end| is_jointed[end] = true);
        Articulation {
            is_jointed,
            still: Vec::new(),
            taken: 0.0,
            has_slack: nodes.iter().filter_map(|node| node.tether.as_ref()).any(Tether::has_room),
            nodes,
            couplings,
            ldl,
            right: vec![DVec3::ZERO; count],
            shifts,
            swing: None,
            tally: JointTally::default(),
        }
    }

    /// A new step; bars keep the length that they have.
    pub fn start(&mut self, bodies: &Bodies) {
        self.tally = JointTally::new(bodies);
        self.swing = None;
        for node in &mut self.nodes {
            if let Some(tether) = &mut node.tether {
                tether.start(&Placed::new(bodies, &bodies.prepared.joints[node.joint]));
            }
        }
    }

    /// Rows and factor for where the bodies are now, and ropes taut that would otherwise get too
    /// long within a substep `h`.
    pub fn refresh(&mut self, bodies: &Bodies, h: f64) {
        self.taken = 0.0;
        for node in &mut self.nodes {
            node.refresh(bodies, h);
        }
        self.factor(bodies);
    }

    fn factor(&mut self, bodies: &Bodies) {
        self.ldl.clear();
        for (k, node) in self.nodes.iter_mut().enumerate() {
            node.weigh(bodies);
            let mut tile = node.inverse_mass([0, 0], node) + node.inverse_mass([1, 1], node);
            // Places without a row stay out of the way.
            let rows = if node.is_slack() || node.is_idle(bodies) { 0 } else { node.count };
            if rows < 3 {
                tile.z_axis.z = 1.0;
            }
            if rows < 2 {
                tile.y_axis.y = 1.0;
            }
            if rows < 1 {
                tile.x_axis.x = 1.0;
            }
            self.ldl.set_diagonal(k, tile);
        }
        for Coupling { later, sooner, sides, slot } in &self.couplings {
            let tile = self.nodes[*later].inverse_mass(*sides, &self.nodes[*sooner]);
            let tile = if sides[0] == sides[1] { tile } else { -tile };
            self.ldl.add(*slot, tile);
        }
        self.ldl.factor(FLOOR);
    }

    /// Impulses that make every row's rate vanish; the largest rate that was left before.
    pub fn solve_velocities(&mut self, bodies: &mut Bodies) -> f64 {
        let before = self.energy(bodies);
        let mut worst = self.solve_rates(bodies);
        for _ in 0..if self.has_slack { MOST_CHANGES } else { 0 } {
            if !self.change_sides(bodies) {
                break;
            }
            self.factor(bodies);
            worst = worst.max(self.solve_rates(bodies));
        }
        self.taken += before - self.energy(bodies);
        worst
    }

    fn solve_rates(&mut self, bodies: &mut Bodies) -> f64 {
        let mut worst = 0.0_f64;
        for (right, node) in self.right.iter_mut().zip(&self.nodes) {
            let [a, b] = [&bodies.velocities[node.ends[0]], &bodies.velocities[node.ends[1]]];
            let mut rate = node.rate(a, b);
            rate.x -= node.tether.as_ref().map_or(0.0, Tether::rate);
            worst = worst.max(rate.abs().max_element());
            *right = -rate;
        }
        self.ldl.solve(&mut self.right);
        for k in 0..self.nodes.len() {
            self.push(bodies, k, self.right[k]);
        }
        worst
    }

    /// The rate of a row of two bodies per impulse along it, when the joints answer at once.
    pub fn response(&mut self, bodies: &Bodies, ends: [usize; 2], row: &Row) -> f64 {
        let mut moved = [Velocity::default(); 2];
        moved[0].add(&bodies.inverse[ends[0]], row.linear, row.angular[0]);
        moved[1].add(&bodies.inverse[ends[1]], -row.linear, -row.angular[1]);
        let of = |body: usize| ends.iter().position(|&end| end == body);
        for (right, node) in self.right.iter_mut().zip(&self.nodes) {
            let [a, b] = node.ends.map(|end| of(end).map_or(Velocity::default(), |k| moved[k]));
            *right = -node.rate(&a, &b);
        }
        self.ldl.solve(&mut self.right);
        for (impulse, node) in self.right.iter().zip(&self.nodes) {
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let Some(k) = of(node.ends[side]) else { continue };
                moved[k].linear += node.pushed[side] * *impulse * sign;
                moved[k].angular += node.turned[side] * *impulse * sign;
            }
        }
        row.linear.dot(moved[0].linear - moved[1].linear) + row.angular[0].dot(moved[0].angular)
            - row.angular[1].dot(moved[1].angular)
    }

    fn push(&mut self, bodies: &mut Bodies, node: usize, impulse: DVec3) {
        let node = &mut self.nodes[node];
        node.impulse += impulse;
        let [a, b] = node.ends;
        let velocity = &mut bodies.velocities[a];
        velocity.linear += node.pushed[0] * impulse;
        velocity.angular += node.turned[0] * impulse;
        let velocity = &mut bodies.velocities[b];
        velocity.linear -= node.pushed[1] * impulse;
        velocity.angular -= node.turned[1] * impulse;
    }

    /// Ropes that push become slack, and their impulses are taken back; slack ones that would
    /// get too long become taut. Whether there were any.
    fn change_sides(&mut self, bodies: &mut Bodies) -> bool {
        let mut any = false;
        for k in 0..self.nodes.len() {
            let Node { ends, tether: Some(tether), impulse, .. } = &mut self.nodes[k] else {
                continue;
            };
            if tether.pulls_wrong_way(impulse.x) {
                let back = DVec3::X * -impulse.x;
                tether.slacken();
                self.push(bodies, k, back);
                self.nodes[k].hold();
                any = true;
            } else if tether.is_slack() && tether.tighten(tether.row.rate(bodies, *ends)) {
                self.nodes[k].hold();
                any = true;
            }
        }
        any
    }

    /// After the bodies have moved: displacements along the rows of before the move that close
    /// the joints, taken over by the velocities. With the rows of before, this is the SHAKE
    /// scheme, which neither gains nor loses energy over time. Whether they are closed.
    pub fn close(&mut self, bodies: &mut Bodies, h: f64) -> bool {
        for _ in 0..NEWTON_STEPS {
            if self.has_slack && self.tighten(bodies) {
                self.factor(bodies);
            }
            if self.measure(bodies) < GOOD {
                return true;
            }
            self.ldl.solve(&mut self.right);
            for _ in 0..if self.has_slack { MOST_CHANGES } else { 0 } {
                if !self.release(bodies, h) {
                    break;
                }
                self.factor(bodies);
                self.measure(bodies);
                self.ldl.solve(&mut self.right);
            }
            for (node, by) in self.nodes.iter_mut().zip(&self.right) {
                node.impulse += *by / h;
            }
            self.gather();
            self.shift(bodies, h);
        }
        self.measure(bodies) < CLOSED
    }

    /// Ropes that are too long where the bodies are now become taut; whether there were any.
    fn tighten(&mut self, bodies: &Bodies) -> bool {
        let mut any = false;
        for node in &mut self.nodes {
            let Some(tether) = node.tether.as_mut().filter(|tether| tether.is_slack()) else {
                continue;
            };
            let placed = Placed::new(bodies, &bodies.prepared.joints[node.joint]);
            if tether.tighten_at(placed.apart().length()) {
                node.hold();
                any = true;
            }
        }
        any
    }

    /// Ropes that would have pushed when joints are closed so give all back that they did, and are
    /// slack; whether there were any.
    fn release(&mut self, bodies: &mut Bodies, h: f64) -> bool {
        for k in 0..self.nodes.len() {
            let impulse = self.nodes[k].impulse.x;
            let Some(tether) = &mut self.nodes[k].tether else { continue };
            if !tether.pulls_wrong_way(impulse + self.right[k].x / h) {
                continue;
            }
            tether.slacken();
            self.right.fill(DVec3::ZERO);
            self.right[k].x = -impulse * h;
            self.gather();
            self.shift(bodies, h);
            self.nodes[k].hold();
            return true;
        }
        false
    }

    /// Tells what the joints did since the rows were looked at.
    pub fn tell(&mut self) {
        for node in &mut self.nodes {
            let impulse = std::mem::take(&mut node.impulse);
            let moments = node.angular.map(|moments| moments * impulse);
            self.tally.joints[node.joint].add(node.linear * impulse, moments);
            stir(&mut self.still, node.ends, impulse);
        }
    }

    /// After overlaps were taken away: displacements that close the joints once more, of which
    /// velocities and impulses know as little.
    pub fn close_again(&mut self, bodies: &mut Bodies) {
        for _ in 0..NEWTON_STEPS {
            if self.measure(bodies) < GOOD {
                break;
            }
            self.ldl.solve(&mut self.right);
            self.gather();
            for (i, shift) in self.shifts.iter_mut().enumerate() {
                let (push, moment) = std::mem::take(shift);
                if i != bodies.world() {
                    bodies.positions[i] += push * bodies.inverse[i].mass;
                    bodies.turn_freely(i, bodies.inverse[i].inertia * moment);
                }
            }
        }
    }

    /// Every joint's rows where the bodies were when last looked at, without impulses.
    pub fn grips(&self) -> Vec<(Grip, usize)> {
        let grip = |node: &Node| {
            let row = |k: usize| balance::Row {
                linear: node.linear.col(k),
                angular: node.angular.map(|angular| angular.col(k)),
                impulse: 0.0,
            };
            let rows = (0..node.count).map(row).collect();
            (Grip { ends: [None; 2], rows, law: Law::Joint }, node.joint)
        };
        self.nodes.iter().map(grip).collect()
    }

    /// What the solution does to each body.
    fn gather(&mut self) {
        for (by, node) in self.right.iter().zip(&self.nodes) {
            let [a, b] = node.ends;
            let push = node.linear * *by;
            self.shifts[a].0 += push;
            self.shifts[a].1 += node.angular[0] * *by;
            self.shifts[b].0 -= push;
            self.shifts[b].1 -= node.angular[1] * *by;
        }
    }

    /// Moves the bodies as the shifts (impulses and moments times a time) say, and forgets these.
    fn shift(&mut self, bodies: &mut Bodies, h: f64) {
        for (i, shift) in self.shifts.iter_mut().enumerate() {
            let (push, moment) = std::mem::take(shift);
            if i == bodies.world() {
                continue;
            }
            if push != DVec3::ZERO {
                let linear = push * bodies.inverse[i].mass;
                bodies.positions[i] += linear;
                bodies.velocities[i].linear += linear / h;
            }
            if moment != DVec3::ZERO {
                bodies.turn_by_moment(i, moment, h);
            }
        }
    }

    /// Sets the right-hand side to close the joints; returns the largest error in sizes.
    fn measure(&mut self, bodies: &Bodies) -> f64 {
        let mut worst = 0.0_f64;
        for (right, node) in self.right.iter_mut().zip(&self.nodes) {
            let joint = &bodies.prepared.joints[node.joint];
            let placed = Placed::new(bodies, joint);
            let error = match (joint.kind, &node.tether) {
                (JointKind::Ball, _) => placed.apart(),
                (_, Some(tether)) => DVec3::X * tether.error(&placed),
                _ => {
                    let mut errors = [0.0; MOST_ROWS];
                    placed.errors(bodies, joint, &mut errors);
                    let own = |k: usize| if k < node.count { errors[node.first + k] } else { 0.0 };
                    DVec3::new(own(0), own(1), own(2))
                }
            };
            let error = if node.is_idle(bodies) { DVec3::ZERO } else { error };
            worst = worst.max(error.abs().max_element() / node.size);
            *right = -error;
        }
        worst
    }
}

impl Node {
    /// How fast its rows change.
    fn rate(&self, a: &Velocity, b: &Velocity) -> DVec3 {
        across(&self.linear, a.linear - b.linear) + across(&self.angular[0], a.angular)
            - across(&self.angular[1], b.angular)
    }

    /// Rows where the bodies are now.
    fn refresh(&mut self, bodies: &Bodies, h: f64) {
        let joint = &bodies.prepared.joints[self.joint];
        let placed = Placed::new(bodies, joint);
        self.arms = placed.arms();
        self.impulse = DVec3::ZERO;
        if joint.kind == JointKind::Ball {
            self.linear = DMat3::IDENTITY;
            self.angular = placed.arms().map(crosses);
        } else if let Some(tether) = &mut self.tether {
            tether.refresh(bodies, self.ends, &placed, h);
            self.hold();
        } else {
            let mut rows = [Row::default(); MOST_ROWS];
            placed.rows(bodies, joint, &mut rows);
            let column = |k: usize| match k < self.count {
                true => rows[self.first + k],
                false => Row::default(),
            };
            self.set_columns([column(0), column(1), column(2)]);
        }
    }

    /// The row of a distance, as long as it holds.
    fn hold(&mut self) {
        let row = self.tether.as_ref().filter(|tether| !tether.is_slack()).map(|t| t.row);
        self.set_columns([row.unwrap_or_default(), Row::default(), Row::default()]);
        if row.is_none() {
            self.impulse = DVec3::ZERO;
        }
    }

    fn set_columns(&mut self, columns: [Row; 3]) {
        let matrix = |of: &dyn Fn(&Row) -> DVec3| {
            DMat3::from_cols(of(&columns[0]), of(&columns[1]), of(&columns[2]))
        };
        self.linear = matrix(&|row| row.linear);
        self.angular = [matrix(&|row| row.angular[0]), matrix(&|row| row.angular[1])];
    }

    /// What the bodies do per unit impulse.
    fn weigh(&mut self, bodies: &Bodies) {
        for side in 0..2 {
            let inverse = &bodies.inverse[self.ends[side]];
            self.pushed[side] = self.linear * inverse.mass;
            self.turned[side] = inverse.inertia * self.angular[side];
        }
    }

    /// Whether nothing moves its bodies in this step.
    fn is_idle(&self, bodies: &Bodies) -> bool {
        self.ends.iter().all(|&end| bodies.inverse[end].mass == 0.0)
    }

    fn is_slack(&self) -> bool {
        self.tether.as_ref().is_some_and(Tether::is_slack)
    }

    /// How much the rows change per unit impulses of another node's, through one body, which is
    /// on one side of either.
    #[inline]
    fn inverse_mass(&self, [side, other]: [usize; 2], by: &Node) -> DMat3 {
        self.linear.transpose() * by.pushed[other]
            + self.angular[side].transpose() * by.turned[other]
    }
}

/// The moments of unit impulses along the axes, at the end of an arm.
fn crosses(arm: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, arm.z, -arm.y),
        DVec3::new(-arm.z, 0.0, arm.x),
        DVec3::new(arm.y, -arm.x, 0.0),
    )
}

/// All rows of all joints, three at a time.
fn nodes(bodies: &Bodies) -> Vec<Node> {
    let mut nodes = Vec::new();
    for (joint, held) in bodies.prepared.joints.iter().enumerate() {
        let [lengths, angles] = joints::row_counts(held, bodies.prepared.is_flat);
        let size = joints::size(bodies, held);
        for (first, count, size) in [(0, lengths, size), (lengths, angles, 1.0)] {
            if count > 0 {
                nodes.push(Node {
                    joint,
                    ends: joints::ends(bodies, held),
                    first,
                    count,
                    linear: DMat3::ZERO,
                    angular: [DMat3::ZERO; 2],
                    pushed: [DMat3::ZERO; 2],
                    turned: [DMat3::ZERO; 2],
                    size,
                    tether: held.distance().map(Tether::new),
                    arms: [DVec3::ZERO; 2],
                    impulse: DVec3::ZERO,
                });
            }
        }
    }
    nodes
}

/// Pairs of nodes that share a body which can move, the later one first, with the side it is on
/// of either.
fn shared(bodies: &Bodies, nodes: &[Node]) -> Vec<(usize, usize, [usize; 2])> {
    let mut at: Vec<Vec<(usize, usize)>> = vec![Vec::new(); bodies.inverse.len()];
    for (node, Node { ends, .. }) in nodes.iter().enumerate() {
        for (side, &body) in ends.iter().enumerate() {
            if bodies.inverse[body].mass > 0.0 {
                at[body].push((node, side));
            }
        }
    }
    let mut pairs = Vec::new();
    for list in &at {
        for (k, &(later, side)) in list.iter().enumerate() {
            pairs.extend(list[..k].iter().map(|&(sooner, other)| (later, sooner, [side, other])));
        }
    }
    pairs
}
