//! What the method dynamics promises, measured again with its own geometry and
//! mechanics.
//!
//! | promise | checks |
//! |---|---|
//! | bodies hardly overlap: the scene's stated bound | `overlap` |
//! | joints hold | `joints` |
//! | what is handed over does not turn and overlaps no more | `hand-over` |
//! | cloth is stretched no further than the scene states, balloons keep their air | `stretch`, `volume` |
//! | rigid bodies, supports that stand | `shape`, `fixed` |
//! | impulses come in pairs: what touches nothing fixed keeps its momentum | `momentum` |
//! | the energy is true, and does not rise unless something drives the bodies | `energy`, `energy rise` |

use super::Verdict;
use super::cloth::{self, Sewing};
use super::entering::overlap;
use crate::math::{DMat3, DQuat, DVec3, OVERLAP_LIMIT};
use crate::scene::{HandOver, Mode};
use crate::trajectory::{BrickFrame, Frame, Outcome, StepKind};
use crate::world::{BondKind, Cloth, Model, Motion};

/// What rounding does to rotations and energies.
const ROUNDING: f64 = 1e-9;

/// Joints may be off by this, in radii (and radians): in the mode default, and in the mode
/// paper, whose few passes leave more.
const JOINTS: [f64; 2] = [1e-4, 0.2];

/// Momentum may be off by this part of what moves.
const MOMENTUM: f64 = 1e-9;

/// The energy may rise above its start by this part of its range, or of the kinetic energy.
const ENERGY_RISE: f64 = 0.02;

/// What stands has no range of energies: its bodies may all creep upwards by this part of their
/// radius, and the rise is measured against that.
const CREEP: f64 = 1e-5;

/// Bodies nearer than this part of their radius may push each other.
const CLEAR: f64 = 0.1;

/// In large scenes overlaps are measured in every so manieth frame, and in the last.
const LARGE: usize = 200;
const EVERY: usize = 25;

/// All that is followed from frame to frame.
pub(super) struct Course<'a> {
    model: &'a Model,
    last: Option<Frame>,
    overlap: (f64, usize, [usize; 2]),
    overlap_seen: usize,
    joints: (f64, usize, usize),
    shape: Option<String>,
    fixed: Option<String>,
    sewing: Sewing,
    momentum: (f64, usize),
    energy: (f64, usize),
    rise: (f64, usize),
    range: [f64; 2],
    /// The largest kinetic energy.
    kinetic: f64,
    first_energy: f64,
    handed_over: Option<HandedOver>,
}

/// The last frame of a run whose bodies were taken apart.
struct HandedOver {
    overlap: f64,
    pair: [usize; 2],
    fault: Option<String>,
    /// The longest way of a body.
    way: f64,
}

impl<'a> Course<'a> {
    pub fn new(model: &'a Model) -> Self {
        Course {
            model,
            last: None,
            overlap: (0.0, 0, [0; 2]),
            overlap_seen: 0,
            joints: (0.0, 0, 0),
            shape: None,
            fixed: None,
            sewing: Sewing::default(),
            momentum: (0.0, 0),
            energy: (0.0, 0),
            rise: (0.0, 0),
            range: [f64::INFINITY, f64::NEG_INFINITY],
            kinetic: 0.0,
            first_energy: 0.0,
            handed_over: None,
        }
    }

    pub fn frame(&mut self, index: usize, frames: usize, frame: Frame) {
        let Some(bricks) = frame.bricks.as_deref() else {
            self.shape.get_or_insert(format!("frame {index} has no rotations"));
            return;
        };
        if let Some(fault) = fault_of_shape(index, &frame, bricks) {
            self.shape.get_or_insert(fault);
            return;
        }
        if frame.kind == StepKind::HandOver {
            self.measure_joints(index, &frame, bricks);
            self.hand_over(index, frames, &frame, bricks);
            return;
        }
        let small = frame.positions.len() <= LARGE;
        if small || index.is_multiple_of(EVERY) || index + 1 == frames {
            self.overlap_seen += 1;
            let assembly = &self.model.assembly;
            let of_bodies = overlap(assembly, &frame.positions, &bricks.rotations);
            let of_cloth = cloth::overlap(assembly, &frame.positions, &bricks.rotations);
            for found in [of_bodies, of_cloth] {
                if found.0 > self.overlap.0 {
                    self.overlap = (found.0, index, found.1);
                }
            }
        }
        self.sewing.frame(&self.model.assembly, index, frames, &frame.positions);
        self.measure_joints(index, &frame, bricks);
        self.measure_energy(index, &frame, bricks);
        if let Some(last) = self.last.take()
            && let Some(before) = last.bricks.as_deref()
        {
            self.follow(index, (&last, before), (&frame, bricks));
        }
        self.last = Some(frame);
    }

    /// Bodies are elsewhere, at rest, and else as they were; the way of one may cross another's.
    fn hand_over(&mut self, index: usize, frames: usize, frame: &Frame, bricks: &BrickFrame) {
        let (overlap, pair) = overlap(&self.model.assembly, &frame.positions, &bricks.rotations);
        let mut fault = (index + 1 != frames).then(|| format!("frame {index} is not the last"));
        let mut way = 0.0_f64;
        if let Some(last) = &self.last
            && let Some(before) = last.bricks.as_deref()
        {
            for (i, part) in self.model.assembly.parts.iter().enumerate() {
                let moved = last.positions[i].distance(frame.positions[i]);
                way = way.max(moved);
                let still = bricks.velocities[i] == DVec3::ZERO && bricks.spins[i] == DVec3::ZERO;
                let wrong = match part.motion {
                    _ if before.rotations[i] != bricks.rotations[i] => "turns",
                    Motion::Free if !still => "is not at rest",
                    Motion::Fixed | Motion::Driven if moved != 0.0 => "is fixed and moves",
                    _ => continue,
                };
                fault.get_or_insert(format!("body {i} {wrong} at the hand-over"));
            }
        }
        self.handed_over = Some(HandedOver { overlap, pair, fault, way });
    }

    fn measure_energy(&mut self, index: usize, frame: &Frame, bricks: &BrickFrame) {
        let parts = &self.model.assembly.parts;
        let terms = parts.iter().enumerate().filter(|(_, part)| part.motion == Motion::Free);
        let (mut energy, mut kinetic) = (0.0, 0.0);
        for (i, part) in terms {
            let turn = DMat3::from_quat(bricks.rotations[i]);
            let local = turn.transpose() * bricks.spins[i];
            kinetic += 0.5 * part.mass * bricks.velocities[i].length_squared()
                + 0.5 * part.inertia.dot(local * local);
            energy -= part.mass * self.model.gravity.dot(frame.positions[i]);
        }
        energy += kinetic;
        self.kinetic = self.kinetic.max(kinetic);
        if index == 0 {
            self.first_energy = energy;
        }
        self.range = [self.range[0].min(energy), self.range[1].max(energy)];
        let scale = self.range[1].abs().max(self.range[0].abs()).max(f64::MIN_POSITIVE);
        let off = (energy - frame.energy).abs() / scale;
        if off > self.energy.0 || off.is_nan() {
            self.energy = (off, index);
        }
        if energy - self.first_energy > self.rise.0 {
            self.rise = (energy - self.first_energy, index);
        }
    }

    /// How far the joints are off: points that should coincide, stay on a line or plane, keep a
    /// distance, and axes that should agree.
    fn measure_joints(&mut self, index: usize, frame: &Frame, bricks: &BrickFrame) {
        for (number, joint) in self.model.assembly.joints.iter().enumerate() {
            let frame_of = |part: Option<u32>| match part {
                Some(p) => (frame.positions[p as usize], bricks.rotations[p as usize]),
                None => (DVec3::ZERO, DQuat::IDENTITY),
            };
            let (one, two) = (frame_of(joint.parts[0]), frame_of(joint.parts[1]));
            let apart = one.0 + one.1 * joint.points[0] - two.0 - two.1 * joint.points[1];
            let axes = [one.1 * joint.axes[0], two.1 * joint.axes[1]];
            let along = apart.dot(axes[1]);
            let turned = (two.1 * joint.rest).inverse() * one.1;
            let twist = 2.0 * turned.xyz().length();
            let (length, angle) = match joint.kind {
                BondKind::Ball => (apart.length(), 0.0),
                BondKind::Line => ((apart - axes[1] * along).length(), 0.0),
                BondKind::Plane => (along.abs(), 0.0),
                BondKind::Hinge => (apart.length(), axes[0].cross(axes[1]).length()),
                BondKind::Slider => ((apart - axes[1] * along).length(), twist),
                BondKind::Universal => (apart.length(), axes[0].dot(axes[1]).abs()),
                BondKind::Fixed => (apart.length(), twist),
                BondKind::Distance(distance) => match joint.limits {
                    None => ((apart.length() - distance).abs(), 0.0),
                    Some([least, most]) => {
                        let d = apart.length();
                        ((least - d).max(d - most).max(0.0), 0.0)
                    }
                },
            };
            let radius = |part: Option<u32>| {
                part.map_or(0.0, |part| self.model.assembly.parts[part as usize].radius)
            };
            let size = radius(joint.parts[0]).max(radius(joint.parts[1]));
            let off = (length / size).max(angle);
            if off > self.joints.0 || off.is_nan() {
                self.joints = (off, index, number);
            }
        }
    }

    /// From one frame to the next: what stands, and who kept momentum.
    fn follow(&mut self, index: usize, last: (&Frame, &BrickFrame), now: (&Frame, &BrickFrame)) {
        let parts = &self.model.assembly.parts;
        for (i, part) in parts.iter().enumerate() {
            let stood = last.0.positions[i] == now.0.positions[i]
                && last.1.rotations[i] == now.1.rotations[i];
            if part.motion == Motion::Fixed && !stood && self.fixed.is_none() {
                self.fixed = Some(format!("the fixed body {i} moves to frame {index}"));
            }
            let drove = last.1.velocities[i] == now.1.velocities[i];
            if part.motion == Motion::Driven && !drove && self.fixed.is_none() {
                self.fixed =
                    Some(format!("the driven body {i} changes its velocity in frame {index}"));
            }
        }
        let dt = self.model.dynamics.time_step;
        let kept = (1.0 - self.model.dynamics.damping * dt).max(0.0);
        let groups = self.groups(last.0, now.0);
        let count = parts.len();
        let (mut change, mut size) = (vec![DVec3::ZERO; count], vec![0.0_f64; count]);
        let mut held = vec![false; count];
        for (i, part) in parts.iter().enumerate() {
            let group = groups[i];
            if part.motion != Motion::Free {
                held[group] = true;
                continue;
            }
            let expected = (last.1.velocities[i] + self.model.gravity * dt) * kept;
            change[group] += part.mass * (now.1.velocities[i] - expected);
            size[group] += part.mass
                * (now.1.velocities[i].length() + expected.length() + part.radius / dt * 1e-3);
        }
        for joint in &self.model.assembly.joints {
            if let [Some(part), None] = joint.parts {
                held[groups[part as usize]] = true;
            }
        }
        let nailed = self.model.assembly.attachments.iter().filter(|tie| tie.to.is_none());
        nailed.for_each(|tie| held[groups[tie.particle as usize]] = true);
        for group in (0..count).filter(|&g| groups[g] == g && !held[g] && size[g] > 0.0) {
            let off = change[group].length() / size[group];
            if off > self.momentum.0 || off.is_nan() {
                self.momentum = (off, index);
            }
        }
    }

    /// Who may push whom on the way: joined bodies, and those whose spheres come near.
    fn groups(&self, last: &Frame, now: &Frame) -> Vec<usize> {
        let parts = &self.model.assembly.parts;
        let mut groups: Vec<usize> = (0..parts.len()).collect();
        for joint in &self.model.assembly.joints {
            if let [Some(a), Some(b)] = joint.parts {
                join(&mut groups, a as usize, b as usize);
            }
        }
        for cloth in &self.model.assembly.cloths {
            cloth.particles().for_each(|i| join(&mut groups, cloth.first as usize, i));
        }
        for tie in &self.model.assembly.attachments {
            if let Some(other) = tie.to {
                join(&mut groups, tie.particle as usize, other as usize);
            }
        }
        let way = |i: usize| (now.positions[i] - last.positions[i]).length();
        let fall = self.model.gravity.length() * self.model.dynamics.time_step.powi(2);
        let reach: Vec<f64> = (0..parts.len())
            .map(|i| parts[i].radius * (1.0 + CLEAR) + 2.0 * way(i) + 2.0 * fall)
            .collect();
        let mut order: Vec<usize> = (0..parts.len()).collect();
        let low = |i: usize| last.positions[i].x - reach[i];
        order.sort_by(|&i, &j| low(i).total_cmp(&low(j)));
        let mut open: Vec<usize> = Vec::new();
        for &i in &order {
            open.retain(|&j| last.positions[j].x + reach[j] >= low(i));
            for &j in &open {
                let apart = (last.positions[i] - last.positions[j]).length();
                if apart < reach[i] + reach[j] {
                    join(&mut groups, i, j);
                }
            }
            open.push(i);
        }
        for i in 0..groups.len() {
            groups[i] = root(&groups, i);
        }
        groups
    }

    pub fn report(self, verdict: &mut Verdict) {
        let (depth, frame, [a, b]) = self.overlap;
        verdict.max_overlap = Some(depth);
        let bound = self.model.dynamics.overlap;
        let detail = match depth > 0.0 {
            true => format!(
                "at most {depth:.1e} of a diameter, bodies {a} and {b}, frame {frame}; {} frames \
                 measured, the scene accepts {bound:?}",
                self.overlap_seen
            ),
            false => format!("no body enters another in the {} frames measured", self.overlap_seen),
        };
        verdict.measure("overlap", depth, bound, detail);
        self.report_hand_over(verdict);
        if !self.model.assembly.joints.is_empty() {
            let limit = JOINTS[usize::from(self.model.dynamics.mode == Mode::Paper)];
            let (off, frame, joint) = self.joints;
            let detail =
                format!("off by {off:.1e} of a radius at most: joint {joint}, frame {frame}");
            verdict.measure("joints", off, limit, detail);
        }
        self.sewing.report(&self.model.assembly, verdict);
        verdict.state("shape", self.shape, "every body keeps its shape");
        verdict.state("fixed", self.fixed, "what is fixed stands");
        let (off, frame) = self.momentum;
        let detail = match off > MOMENTUM {
            true => format!("bodies that nothing fixed touches gain {off:.1e} to frame {frame}"),
            false => "what touches nothing fixed keeps its momentum".to_string(),
        };
        verdict.measure("momentum", off, MOMENTUM, detail);
        let detail = format!("the stored energies are off by {:.1e} at most", self.energy.0);
        verdict.measure("energy", self.energy.0, ROUNDING, detail);
        let driven = self.model.assembly.joints.iter().any(|joint| joint.motor.is_some())
            || self.model.assembly.parts.iter().any(|part| part.motion == Motion::Driven)
            || self.model.assembly.cloths.iter().any(blown_up);
        let parts = self.model.assembly.parts.iter().filter(|part| part.motion == Motion::Free);
        let lifted: f64 = parts.map(|part| part.mass * part.radius).sum();
        let creep = CREEP * lifted * self.model.gravity.length();
        let range = (self.range[1] - self.range[0]).max(self.kinetic).max(creep);
        let rise = if range > 0.0 { self.rise.0 / range } else { 0.0 };
        verdict.max_energy_rise = Some(rise);
        if !driven {
            let detail = format!(
                "{rise:.1e} of its range, or of the kinetic energy, above the start at most, frame {}",
                self.rise.1
            );
            verdict.measure("energy rise", rise, ENERGY_RISE, detail);
        }
    }
}

impl Course<'_> {
    /// A run that promised a hand-over and came to its end must have one.
    fn report_hand_over(&self, verdict: &mut Verdict) {
        let promised = self.model.dynamics.hand_over != HandOver::No
            && verdict.outcome == Some(Outcome::Duration);
        let Some(done) = &self.handed_over else {
            if promised {
                let fault = Some("the last frame is no hand-over".to_string());
                verdict.state("hand-over", fault, "");
            }
            return;
        };
        let (depth, [a, b]) = (done.overlap, done.pair);
        verdict.max_overlap = Some(depth);
        if let Some(fault) = &done.fault {
            verdict.state("hand-over", Some(fault.clone()), "");
            return;
        }
        let detail = match depth > 0.0 {
            true => format!("bodies {a} and {b} overlap by {depth:.1e} of a diameter"),
            false => format!("no overlap; no body went farther than {:.1e}", done.way),
        };
        verdict.measure("hand-over", depth, OVERLAP_LIMIT, detail);
    }
}

/// Whether air does work on a cloth.
fn blown_up(cloth: &Cloth) -> bool {
    cloth.air.is_some_and(|air| air.factor != 1.0)
}

fn root(groups: &[usize], mut i: usize) -> usize {
    while groups[i] != i {
        i = groups[i];
    }
    i
}

fn join(groups: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(groups, a), root(groups, b));
    groups[a.max(b)] = a.min(b);
}

fn fault_of_shape(index: usize, frame: &Frame, bricks: &BrickFrame) -> Option<String> {
    let count = frame.positions.len();
    let counts = [bricks.rotations.len(), bricks.velocities.len(), bricks.spins.len()];
    if counts != [count; 3] {
        return Some(format!("frame {index} has {counts:?} turns and speeds for {count} bodies"));
    }
    let bent = bricks.rotations.iter().position(|q| {
        let off = (q.length() - 1.0).abs();
        off > ROUNDING || off.is_nan()
    });
    if let Some(i) = bent {
        return Some(format!("the rotation of body {i} in frame {index} is none: it stretches it"));
    }
    let wild =
        (0..count).find(|&i| !(bricks.velocities[i].is_finite() && bricks.spins[i].is_finite()));
    wild.map(|i| format!("the velocity of body {i} in frame {index} is no number"))
}
