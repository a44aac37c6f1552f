//! What the method collapse promises, measured again with its own geometry:
//! bricks hardly enter each other (at frames and half-way between them), keep
//! their shape, move as their velocities say, fall freely where nothing touches
//! them, and gain no energy.
//!
//! | promise | checks |
//! |---|---|
//! | bricks stay apart | `overlap`, `overlap between frames` |
//! | rigid bricks, supports that stand | `shape`, `fixed` |
//! | velocities and turns are those of the motion | `motion` |
//! | forces only where bricks touch | `free fall` |
//! | the energy is true and never rises | `energy`, `energy rise` |
//! | every program was solved | `programs` |
//! | impulses balance the momentum and push what touches | `momentum`, `pushes` |
//! | pins and bars hold | `joints` |

use super::Verdict;
use super::pushes::Pushes;
use crate::math::{DMat3, DQuat, DVec3};
use crate::scene::{Lengths, Unknowns};
use crate::shape::Brick;
use crate::trajectory::{BrickFrame, Frame};
use crate::world::{Joint, Model};

/// The deepest overlap accepted, relative to the smaller brick's diameter.
const OVERLAP: f64 = 1e-3;

/// Half-way between frames bricks may come this much closer.
const BETWEEN: f64 = 2e-3;

/// What rounding does to positions, turns and energies.
const ROUNDING: f64 = 1e-9;

/// A step may gain at most this part of the energy's range: the method turns the
/// correction of overlaps into speed.
const ENERGY_RISE: f64 = 1e-2;

/// The residual of a step's program.
const RESIDUAL: f64 = 1e-6;

/// Pins and bars hold to this fraction of the smaller brick's diameter.
const JOINTS: f64 = 1e-2;

/// The same where nothing pulls back what has drifted: the classical loop and L' as printed; and
/// penalties give way.
const LOOSE_JOINTS: f64 = 0.1;

/// A brick is free if nothing is within this fraction of its radius, and what its
/// motion may close.
const CLEAR: f64 = 0.05;

/// All that is followed from frame to frame, the worst of each kind first.
pub(super) struct Fall<'a> {
    model: &'a Model,
    last: Option<Frame>,
    overlap: (f64, usize, [usize; 2]),
    between: (f64, usize, [usize; 2]),
    shape: Option<String>,
    fixed: Option<String>,
    motion: Option<String>,
    free: Option<String>,
    energy: (f64, usize),
    rise: (f64, usize),
    residual: (f64, usize),
    pushes: Pushes,
    joints: (f64, usize),
    /// Of the energy, and of its part that is due to gravity.
    range: [f64; 2],
    heights: [f64; 2],
}

impl<'a> Fall<'a> {
    pub fn new(model: &'a Model) -> Self {
        Fall {
            model,
            last: None,
            overlap: (0.0, 0, [0; 2]),
            between: (0.0, 0, [0; 2]),
            shape: None,
            fixed: None,
            motion: None,
            free: None,
            energy: (0.0, 0),
            rise: (f64::NEG_INFINITY, 0),
            residual: (0.0, 0),
            pushes: Pushes::default(),
            joints: (0.0, 0),
            range: [f64::INFINITY, f64::NEG_INFINITY],
            heights: [f64::INFINITY, f64::NEG_INFINITY],
        }
    }

    pub fn frame(&mut self, index: usize, frame: Frame) {
        let Some(bricks) = frame.bricks.as_deref() else {
            self.shape.get_or_insert(format!("frame {index} has no rotations"));
            return;
        };
        if let Some(fault) = fault_of_shape(index, &frame, bricks) {
            self.shape.get_or_insert(fault);
            return;
        }
        let placed = self.placed(&frame.positions, &bricks.rotations);
        deepest(self.model, &placed, index, &mut self.overlap);
        let energy = self.true_energy(&frame, bricks);
        self.range = [self.range[0].min(energy), self.range[1].max(energy)];
        let height = self.potential(&frame);
        self.heights = [self.heights[0].min(height), self.heights[1].max(height)];
        let scale = self.range[1].abs().max(self.range[0].abs()).max(f64::MIN_POSITIVE);
        worse(&mut self.energy, (energy - frame.energy).abs() / scale, index);
        worse(&mut self.residual, bricks.ledger.residual, index);
        let drift = self.drift(&frame, bricks);
        worse(&mut self.joints, drift, index);
        if let Some(last) = self.last.take()
            && let Some(before) = last.bricks.as_deref()
        {
            let (a, b) = (self.true_energy(&last, before), energy);
            worse(&mut self.rise, b - a, index);
            self.follow(index, (&last, before), (&frame, bricks));
        }
        self.last = Some(frame);
    }

    fn placed(&self, positions: &[DVec3], rotations: &[DQuat]) -> Vec<Vec<Brick>> {
        let bricks = self.model.tower.bricks.iter().zip(positions).zip(rotations);
        bricks
            .map(|((b, p), q)| b.pieces.iter().map(|piece| piece.placed(*p, *q)).collect())
            .collect()
    }

    fn true_energy(&self, frame: &Frame, bricks: &BrickFrame) -> f64 {
        let tower = &self.model.tower;
        let terms = (0..tower.bricks.len()).filter(|&i| !tower.bricks[i].fixed).map(|i| {
            let (brick, v, w) = (&tower.bricks[i], bricks.velocities[i], bricks.spins[i]);
            let turn = DMat3::from_quat(bricks.rotations[i]);
            let local = turn.transpose() * w;
            0.5 * brick.mass * v.length_squared() + 0.5 * local.dot(brick.inertia * local)
        });
        terms.sum::<f64>() + self.potential(frame)
    }

    fn potential(&self, frame: &Frame) -> f64 {
        let bricks = self.model.tower.bricks.iter().zip(&frame.positions);
        let moving = bricks.filter(|(brick, _)| !brick.fixed);
        moving.map(|(brick, p)| -brick.mass * self.model.gravity.dot(*p)).sum()
    }

    /// From one frame to the next.
    fn follow(&mut self, index: usize, last: (&Frame, &BrickFrame), now: (&Frame, &BrickFrame)) {
        let tower = &self.model.tower;
        let dt = self.model.collapse.time_step;
        let half_turn = |a: DQuat, b: DQuat| a.slerp(if a.dot(b) < 0.0 { -b } else { b }, 0.5);
        let middle: Vec<DVec3> =
            last.0.positions.iter().zip(&now.0.positions).map(|(a, b)| 0.5 * (*a + *b)).collect();
        let turns: Vec<DQuat> =
            last.1.rotations.iter().zip(&now.1.rotations).map(|(a, b)| half_turn(*a, *b)).collect();
        let halfway = self.placed(&middle, &turns);
        deepest(self.model, &halfway, index, &mut self.between);
        let placed = self.placed(&last.0.positions, &last.1.rotations);
        self.pushes.follow(self.model, index, &placed, last, now);
        for (i, brick) in tower.bricks.iter().enumerate() {
            let (p, q) = (last.0.positions[i], now.0.positions[i]);
            if brick.fixed {
                let stood = p == q && last.1.rotations[i] == now.1.rotations[i];
                if !stood && self.fixed.is_none() {
                    self.fixed = Some(format!("the fixed brick {i} moves to frame {index}"));
                }
                continue;
            }
            let speed = (q - p) / dt;
            let turned = now.1.rotations[i] * last.1.rotations[i].inverse();
            let spin = rotation_vector(turned) / dt;
            // In 3D the spin kept is that at the end of the step, not its mean.
            let flat = tower.dimension == 2;
            let size = speed.length() + brick.radius / dt;
            let off = (speed - now.1.velocities[i]).length()
                + if flat { (spin - now.1.spins[i]).length() * brick.radius } else { 0.0 };
            if off > 10.0 * ROUNDING * size && self.motion.is_none() && !self.model.collapse.mirror
            {
                self.motion =
                    Some(format!("brick {i} does not move to frame {index} as its velocity says"));
            }
            let fast = speed.length() + brick.radius * spin.length();
            let reach = CLEAR * brick.radius + 4.0 * fast * dt;
            if self.free.is_none() && !self.pinned(i) && is_clear(&placed, i, reach) {
                let expected = last.1.velocities[i] + self.model.gravity * dt;
                let off = (now.1.velocities[i] - expected).length();
                if off > 10.0 * ROUNDING * (size + expected.length()) && !self.model.collapse.mirror
                {
                    self.free = Some(format!(
                        "nothing touches brick {i}, but it does not fall freely to frame {index}"
                    ));
                }
            }
        }
    }

    fn pinned(&self, body: usize) -> bool {
        let tower = &self.model.tower;
        let joints = tower.pins.iter().chain(tower.bars.iter().map(|bar| &bar.joint));
        joints.into_iter().any(|joint| joint.bodies.contains(&(body as u32)))
    }

    /// How far the worst pin is open, or the worst bar from its length, in smaller diameters.
    fn drift(&self, frame: &Frame, bricks: &BrickFrame) -> f64 {
        let tower = &self.model.tower;
        let off = |joint: &Joint, length: f64| {
            let [one, two] = [0, 1].map(|side| {
                let body = joint.bodies[side] as usize;
                frame.positions[body] + bricks.rotations[body] * joint.points[side]
            });
            let [a, b] = joint.bodies.map(|body| tower.bricks[body as usize].radius);
            ((one - two).length() - length).abs() / (2.0 * a.min(b))
        };
        let pins = tower.pins.iter().map(|pin| off(pin, 0.0));
        let bars = tower.bars.iter().map(|bar| off(&bar.joint, bar.length));
        pins.chain(bars).fold(0.0, f64::max)
    }

    pub fn report(self, verdict: &mut Verdict) {
        let place = |(depth, frame, [a, b]): (f64, usize, [usize; 2])| match depth > 0.0 {
            true => format!("{depth:.1e} of a brick, bricks {a} and {b}, frame {frame}"),
            false => "no brick enters another".to_string(),
        };
        verdict.max_overlap = Some(self.overlap.0);
        verdict.measure("overlap", self.overlap.0, OVERLAP, place(self.overlap));
        verdict.max_overlap_between_frames = Some(self.between.0);
        verdict.measure("overlap between frames", self.between.0, BETWEEN, place(self.between));
        verdict.state("shape", self.shape, "every brick keeps its shape");
        verdict.state("fixed", self.fixed, "what is fixed stands");
        verdict.state("motion", self.motion, "bricks move as their velocities say");
        verdict.state("free fall", self.free, "what nothing touches falls freely");
        let detail = format!("the stored energies are off by {:.1e} at most", self.energy.0);
        verdict.measure("energy", self.energy.0, ROUNDING, detail);
        // A swing changes its energy by nothing but the method's error: what it falls counts.
        let range = (self.range[1] - self.range[0]).max(self.heights[1] - self.heights[0]);
        let range = range.max(ROUNDING * self.range[1].abs());
        let rise = (self.rise.0 / range).max(0.0);
        verdict.max_energy_rise = Some(rise);
        let detail = format!("at most {rise:.1e} of its range in a step, to frame {}", self.rise.1);
        verdict.measure("energy rise", rise, ENERGY_RISE, detail);
        verdict.residual = Some(self.residual.0);
        let detail = format!("residuals up to {:.1e}, frame {}", self.residual.0, self.residual.1);
        verdict.measure("programs", self.residual.0, RESIDUAL, detail);
        let (off, frame) = self.pushes.momentum;
        let detail = format!("unexplained changes up to {off:.1e}, frame {frame}");
        verdict.measure("momentum", off, Pushes::LIMIT, detail);
        verdict.state("pushes", self.pushes.fault, "bricks push where they touch, and never pull");
        let detail =
            format!("off by at most {:.1e} of a brick, frame {}", self.joints.0, self.joints.1);
        let options = &self.model.collapse;
        let is_loose = options.unknowns == Unknowns::Accelerations
            || matches!(options.lengths, Lengths::Prime | Lengths::Penalty);
        let limit = if is_loose { LOOSE_JOINTS } else { JOINTS };
        verdict.measure("joints", self.joints.0, limit, detail);
    }
}

/// The axis of a turn, as long as its angle; exact for small angles, too.
fn rotation_vector(turn: DQuat) -> DVec3 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let sine = turn.xyz().length();
    if sine == 0.0 { DVec3::ZERO } else { turn.xyz() * (2.0 * sine.atan2(turn.w) / sine) }
}

fn worse(worst: &mut (f64, usize), value: f64, index: usize) {
    if value > worst.0 || value.is_nan() {
        *worst = (value, index);
    }
}

fn fault_of_shape(index: usize, frame: &Frame, bricks: &BrickFrame) -> Option<String> {
    let count = frame.positions.len();
    if bricks.rotations.len() != count || bricks.velocities.len() != count {
        return Some(format!(
            "frame {index} has {} rotations for {count} bricks",
            bricks.rotations.len()
        ));
    }
    let bent = bricks.rotations.iter().position(|q| {
        let off = (q.length() - 1.0).abs();
        off > ROUNDING || off.is_nan()
    });
    bent.map(|i| {
        format!("the rotation of brick {i} in frame {index} is none: it stretches the brick")
    })
}

/// The deepest overlap of two bricks, relative to the smaller diameter.
fn deepest(
    model: &Model,
    placed: &[Vec<Brick>],
    index: usize,
    worst: &mut (f64, usize, [usize; 2]),
) {
    for a in 0..placed.len() {
        for b in a + 1..placed.len() {
            let (one, two) = (&model.tower.bricks[a], &model.tower.bricks[b]);
            let pinned =
                model.tower.pins.iter().any(|pin| {
                    pin.bodies.contains(&(a as u32)) && pin.bodies.contains(&(b as u32))
                });
            if one.fixed && two.fixed || pinned {
                continue;
            }
            for p in &placed[a] {
                for q in &placed[b] {
                    let depth = -apart(p, q) / (2.0 * one.radius.min(two.radius));
                    if depth > worst.0 {
                        *worst = (depth, index, [a, b]);
                    }
                }
            }
        }
    }
}

/// Whether no other brick comes within `reach` of this one.
fn is_clear(placed: &[Vec<Brick>], body: usize, reach: f64) -> bool {
    let others = placed.iter().enumerate().filter(|(i, _)| *i != body);
    others.flat_map(|(_, pieces)| pieces).all(|q| placed[body].iter().all(|p| apart(p, q) > reach))
}

/// The largest distance between two bricks along any of their face normals and, in
/// space, any direction across two of their edges: negative if they overlap.
fn apart(p: &Brick, q: &Brick) -> f64 {
    // Bounding boxes first: most pairs are far from each other.
    let boxes = box_distance(p, q);
    if boxes > 0.0 {
        return boxes;
    }
    separation(p, q).into_iter().map(|(apart, _)| apart).fold(f64::MIN, f64::max)
}

/// How far two bricks are apart along the normals of their faces and, in space, across two of
/// their edges; the directions are from `p` to `q`.
pub(super) fn separation(p: &Brick, q: &Brick) -> Vec<(f64, DVec3)> {
    let along = |n: DVec3| {
        let reach =
            |b: &Brick, n: DVec3| b.corners().iter().map(|c| n.dot(*c)).fold(f64::MIN, f64::max);
        (-reach(q, -n) - reach(p, n), n)
    };
    let faces = p.faces().iter().map(|face| face.normal);
    let faces = faces.chain(q.faces().iter().map(|face| -face.normal));
    let mut found: Vec<(f64, DVec3)> = faces.map(along).collect();
    if p.is_polygon() || found.iter().any(|(apart, _)| *apart > 0.0) {
        return found;
    }
    let edge = |b: &Brick, e: &[u32; 2]| b.corners()[e[1] as usize] - b.corners()[e[0] as usize];
    for e in p.edges() {
        for f in q.edges() {
            let across = edge(p, e).cross(edge(q, f));
            if across.length() > 1e-6 * edge(p, e).length() * edge(q, f).length() {
                let n = across.normalize();
                found.extend([along(n), along(-n)]);
            }
        }
    }
    found
}

fn box_distance(p: &Brick, q: &Brick) -> f64 {
    let bounds = |b: &Brick| {
        let corners = b.corners().iter();
        corners.fold((DVec3::MAX, DVec3::MIN), |(low, high), c| (low.min(*c), high.max(*c)))
    };
    let ((a, b), (c, d)) = (bounds(p), bounds(q));
    (c - b).max(a - d).max_element()
}
