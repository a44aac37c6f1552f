//! Rigid bodies and particles, joined or not, made ready for the method
//! dynamics: what never changes ([`Assembly`], [`Part`]); what does is [`Poses`].

use serde::{Deserialize, Serialize};

use super::{Attachment, Cloth, Poses};
use crate::math::{DMat3, DQuat, DVec3, exact_sum, principal_axes};
use crate::problem::{Problem, Result};
use crate::shape::{Core, Moments, Piece};

/// Everything that the method dynamics moves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Assembly {
    pub gravity: DVec3,
    pub parts: Vec<Part>,
    pub joints: Vec<Bond>,
    /// Their particles are parts, after all others.
    #[serde(default)] // unknown to runs from before there was cloth
    pub cloths: Vec<Cloth>,
    #[serde(default)]
    pub attachments: Vec<Attachment>,
}

/// A rigid body, or a particle: a body that does not turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// In a frame whose origin is the centre of mass and whose axes are those of the inertia.
    pub pieces: Vec<Piece>,
    pub mass: f64,
    /// Moments about the axes of the frame; all 0 for a particle.
    pub inertia: DVec3,
    pub motion: Motion,
    /// Coefficient of Coulomb friction; a contact takes the geometric mean of its two.
    pub friction: f64,
    /// From 0 (no bounce) to 1; a contact takes the larger of its two.
    pub restitution: f64,
    /// The lever arm of rolling resistance; a contact takes the larger of its two.
    pub rolling: f64,
    /// The farthest point's distance from the centre of mass.
    pub radius: f64,
}

/// How heavy a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weight {
    Mass(f64),
    /// Mass per volume.
    Density(f64),
}

/// Who decides how a part moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Motion {
    /// Forces.
    Free,
    /// Nobody: it stands.
    Fixed,
    /// The scene: it keeps its velocity and spin, whatever it meets.
    Driven,
}

/// Two parts joined, or a part and the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bond {
    pub kind: BondKind,
    /// The second is none for the world.
    pub parts: [Option<u32>; 2],
    /// The points that the bond is about, each in the frame of its part (the world's own).
    pub points: [DVec3; 2],
    /// The line, plane normal, hinge axis or rail, likewise; unit vectors.
    pub axes: [DVec3; 2],
    /// How the first part is turned as seen from the second, at the start.
    pub rest: DQuat,
    /// Least and greatest angle (hinge, in radians), shift (slider) or length (distance).
    pub limits: Option<[f64; 2]>,
    pub motor: Option<Motor>,
    /// Joined parts pass through each other unless this is set.
    pub collide: bool,
}

/// What a bond holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BondKind {
    /// The points coincide.
    Ball,
    /// The first point stays on a line of the second part.
    Line,
    /// The first point stays on a plane of the second part.
    Plane,
    /// The points coincide, and so do the axes.
    Hinge,
    /// The first part slides along a rail of the second, without turning.
    Slider,
    /// The points coincide; the axes stay perpendicular.
    Universal,
    /// Neither moves against the other.
    Fixed,
    /// The points keep their distance.
    Distance(f64),
}

/// Drives a hinge or a slider.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motor {
    /// Radians or lengths per time.
    pub speed: f64,
    /// The greatest torque or force; none is without limit.
    pub most: Option<f64>,
}

impl Part {
    /// Whether it does not turn.
    pub fn is_particle(&self) -> bool {
        self.inertia == DVec3::ZERO
    }

    pub fn is_free(&self) -> bool {
        self.motion == Motion::Free
    }

    pub fn inverse_mass(&self) -> f64 {
        if self.is_free() { self.mass.recip() } else { 0.0 }
    }

    /// Inverse moments about the axes of the part's frame.
    pub fn inverse_inertia(&self) -> DVec3 {
        let invert = |i: f64| if i > 0.0 { i.recip() } else { 0.0 };
        if self.is_free() { self.inertia.map(invert) } else { DVec3::ZERO }
    }

    /// Turns `rotation`: diagonal about the part's own axes.
    pub fn world_inertia(&self, rotation: DQuat) -> DMat3 {
        let turn = DMat3::from_quat(rotation);
        turn * DMat3::from_diagonal(self.inertia) * turn.transpose()
    }
}

impl Assembly {
    /// Adds a body made of convex pieces, given in the frame of the world, at rest. Moments of
    /// inertia that differ by rounding only are made equal, so that a cube is isotropic.
    pub fn add(
        &mut self,
        poses: &mut Poses,
        pieces: Vec<Piece>,
        weight: Weight,
    ) -> Result<&mut Part> {
        let number = self.parts.len();
        let all: Vec<Moments> = pieces.iter().map(Piece::moments).collect();
        let moments = Moments::sum(&all);
        let mass = match weight {
            Weight::Mass(mass) => mass,
            Weight::Density(density) => density * moments.measure,
        };
        if !(mass > 0.0 && mass.is_finite() && moments.measure > 0.0) {
            return Err(Problem::new(format!("the mass of body {number} is {mass:?}"))
                .help("a mass is a positive number, and a body has a volume"));
        }
        let (inertia, axes) = principal_axes(moments.inertia * (mass / moments.measure));
        let same = |a: f64, b: f64| if (a - b).abs() < 1e-9 * a { a } else { b };
        let y = same(inertia.x, inertia.y);
        let inertia = DVec3::new(inertia.x, y, same(y, same(inertia.x, inertia.z)));
        let back = axes.inverse();
        let pieces: Vec<Piece> = pieces
            .into_iter()
            .map(|piece| piece.moved(-moments.centre, DQuat::IDENTITY).moved(DVec3::ZERO, back))
            .collect();
        self.parts.push(Part {
            radius: pieces.iter().map(Piece::reach).fold(0.0, f64::max),
            pieces,
            mass,
            inertia,
            motion: Motion::Free,
            friction: 0.0,
            restitution: 0.0,
            rolling: 0.0,
        });
        poses.push(moments.centre);
        poses.rotations[number] = axes;
        Ok(&mut self.parts[number])
    }

    /// Adds a particle, round with this radius.
    pub fn add_particle(
        &mut self,
        poses: &mut Poses,
        at: DVec3,
        mass: f64,
        radius: f64,
    ) -> &mut Part {
        let number = self.parts.len();
        self.parts.push(Part {
            pieces: vec![Piece::new(Core::Point, radius)],
            mass,
            inertia: DVec3::ZERO,
            motion: Motion::Free,
            friction: 0.0,
            restitution: 0.0,
            rolling: 0.0,
            radius,
        });
        poses.push(at);
        &mut self.parts[number]
    }

    /// Joins two parts, or a part and the world, at points and along axes of the world.
    pub fn join(
        &mut self,
        poses: &Poses,
        kind: BondKind,
        parts: [Option<u32>; 2],
        points: [DVec3; 2],
        axes: [DVec3; 2],
    ) -> &mut Bond {
        let frame = |part: Option<u32>| match part {
            Some(part) => (poses.positions[part as usize], poses.rotations[part as usize]),
            None => (DVec3::ZERO, DQuat::IDENTITY),
        };
        let local = |side: usize| {
            let (at, turn) = frame(parts[side]);
            (turn.inverse() * (points[side] - at), turn.inverse() * axes[side].normalize_or_zero())
        };
        let (one, two) = (local(0), local(1));
        let rest = frame(parts[1]).1.inverse() * frame(parts[0]).1;
        self.joints.push(Bond {
            kind,
            parts,
            points: [one.0, two.0],
            axes: [one.1, two.1],
            rest,
            limits: None,
            motor: None,
            collide: false,
        });
        let last = self.joints.len() - 1;
        &mut self.joints[last]
    }

    /// The parts that forces move, in order.
    pub fn free(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.parts.len()).filter(|&i| self.parts[i].is_free())
    }

    /// Kinetic energy, and potential energy in the field of gravity.
    pub fn energy(&self, poses: &Poses) -> f64 {
        exact_sum(self.free().flat_map(|i| {
            let (part, local) = (&self.parts[i], poses.rotations[i].inverse() * poses.spins[i]);
            [
                -part.mass * self.gravity.dot(poses.positions[i]),
                0.5 * part.mass * poses.velocities[i].length_squared(),
                0.5 * (local * local).dot(part.inertia),
            ]
        }))
    }

    /// Total momentum, and angular momentum about the origin.
    pub fn momentum(&self, poses: &Poses) -> (DVec3, DVec3) {
        self.free().fold((DVec3::ZERO, DVec3::ZERO), |(linear, angular), i| {
            let p = self.parts[i].mass * poses.velocities[i];
            let spin = self.parts[i].world_inertia(poses.rotations[i]) * poses.spins[i];
            (linear + p, angular + poses.positions[i].cross(p) + spin)
        })
    }

    /// Pairs that joints let pass through each other, sorted.
    pub fn exempt(&self) -> Vec<[u32; 2]> {
        let pair = |bond: &Bond| match bond.parts {
            [Some(a), Some(b)] if !bond.collide => Some([a.min(b), a.max(b)]),
            _ => None,
        };
        let mut pairs: Vec<[u32; 2]> = self.joints.iter().filter_map(pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}
