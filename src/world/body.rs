//! A rigid body, or a particle, which is a body that does not turn.

use super::State;
use crate::math::{DMat3, DQuat, DVec3};
use crate::scene::{Material, Motion};

/// A shape with a mass and a material. Its frame has the axes that its author
/// wrote; the origin is the centre of mass.
///
/// ```
/// use riprap::world::{Body, Motion};
/// let body = Body::new(0, 2.0, 0.5);
/// assert!(body.is_free() && body.is_particle());
/// assert_eq!(Body { motion: Motion::Fixed, ..body }.inverse_mass(), 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Its number in [`super::Model::shapes`].
    pub shape: u32,
    /// What it weighs.
    pub mass: f64,
    /// About the centre of mass, along the axes of its frame; zero if it does not turn. In 2D
    /// only the entry about z counts.
    pub inertia: DMat3,
    /// Of the sphere about the centre of mass that holds it.
    pub radius: f64,
    /// Its number in [`super::Model::groups`].
    pub group: u32,
    /// Red, green and blue, for pictures; none has one of the palette's.
    pub colour: Option<[u8; 3]>,
    /// Who decides how it moves.
    pub motion: Motion,
    /// What its surface is like.
    pub material: Material,
    /// Acceleration besides the scene's gravity.
    pub push: DVec3,
    /// What a driven body follows, by its number in [`super::Model::paths`].
    pub path: Option<u32>,
    /// Whether it turns while it settles; in motion all but particles do.
    pub turns: bool,
}

impl Body {
    /// A particle that forces move.
    pub fn new(shape: u32, mass: f64, radius: f64) -> Body {
        Body {
            shape,
            mass,
            inertia: DMat3::ZERO,
            radius,
            group: 0,
            colour: None,
            motion: Motion::Free,
            material: Material::default(),
            push: DVec3::ZERO,
            path: None,
            turns: false,
        }
    }

    /// Whether it does not turn.
    pub fn is_particle(&self) -> bool {
        self.inertia == DMat3::ZERO
    }

    /// Whether forces move it.
    pub fn is_free(&self) -> bool {
        self.motion == Motion::Free
    }

    /// One over its mass; 0 if forces do not move it.
    pub fn inverse_mass(&self) -> f64 {
        if self.is_free() { self.mass.recip() } else { 0.0 }
    }

    /// Its inertia along the axes of the world.
    pub fn inertia_turned(&self, rotation: DQuat) -> DMat3 {
        let turn = DMat3::from_quat(rotation);
        turn * self.inertia * turn.transpose()
    }
}

/// What a driven body follows: places and turns at given times, straight and evenly between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    /// From small to large.
    pub times: Vec<f64>,
    /// Of the centre of mass.
    pub positions: Vec<DVec3>,
    /// How the body is turned.
    pub rotations: Vec<DQuat>,
}

impl Path {
    /// Where the path is at a time; before its first and after its last keyframe it stands.
    ///
    /// ```
    /// use riprap::math::{DQuat, DVec3};
    /// use riprap::world::Path;
    /// let positions = vec![DVec3::ZERO, DVec3::X];
    /// let path = Path { times: vec![1.0, 3.0], positions, rotations: vec![DQuat::IDENTITY; 2] };
    /// assert_eq!(path.at(2.0).0, DVec3::new(0.5, 0.0, 0.0));
    /// assert_eq!(path.at(9.0).0, DVec3::X);
    /// ```
    pub fn at(&self, time: f64) -> (DVec3, DQuat) {
        let last = self.times.len().saturating_sub(1);
        let next = self.times.partition_point(|t| *t <= time);
        if next == 0 || next > last {
            let k = if next == 0 { 0 } else { last };
            return (self.positions[k], self.rotations[k]);
        }
        let (from, to) = (self.times[next - 1], self.times[next]);
        let part = (time - from) / (to - from);
        (
            self.positions[next - 1].lerp(self.positions[next], part),
            self.rotations[next - 1].slerp(self.rotations[next], part),
        )
    }
}

impl State {
    /// Adds a body at rest.
    pub fn push(&mut self, position: DVec3, rotation: DQuat) {
        self.positions.push(position);
        self.rotations.push(rotation);
        self.velocities.push(DVec3::ZERO);
        self.spins.push(DVec3::ZERO);
    }

    /// Bodies at rest at these places, as their authors turned them.
    pub fn at_rest(positions: Vec<DVec3>) -> State {
        let count = positions.len();
        State {
            positions,
            rotations: vec![DQuat::IDENTITY; count],
            velocities: vec![DVec3::ZERO; count],
            spins: vec![DVec3::ZERO; count],
        }
    }

    /// A point of the world in the frame of a body (the world's own, for none).
    pub fn local(&self, body: Option<u32>, at: DVec3) -> DVec3 {
        let Some(body) = body else { return at };
        self.rotations[body as usize].inverse() * (at - self.positions[body as usize])
    }

    /// A point of a body's frame in the world.
    pub fn point(&self, body: Option<u32>, local: DVec3) -> DVec3 {
        let Some(body) = body else { return local };
        self.positions[body as usize] + self.rotations[body as usize] * local
    }

    /// A direction of a body's frame in the world.
    pub fn direction(&self, body: Option<u32>, local: DVec3) -> DVec3 {
        body.map_or(local, |body| self.rotations[body as usize] * local)
    }
}
