//! The model as the solver needs it. A body's frame is its author's; here it has
//! the axes of its inertia, in which free rotation is simple. Pieces, points and
//! axes of joints and attachments are kept in these frames, and what the state
//! says is translated on the way in and out, so a step remains a function of the
//! state and of what is remembered.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::contact::Walls;
use crate::math::{DMat3, DQuat, DVec3, principal_axes};
use crate::shape::{Core, Piece};
use crate::world::{Attachment, Body, Joint, Material, Model};

/// Moments of inertia that differ by less than this part are equal, so that a cube is isotropic.
const SAME_MOMENT: f64 = 1e-9;

/// What never changes.
pub struct Prepared {
    pub model: Arc<Model>,
    /// Of a scene in the plane.
    pub is_flat: bool,
    own: Vec<Own>,
    /// Those of bodies with the same shape and axes are shared.
    pieces: Vec<Vec<Piece>>,
    pub joints: Vec<Joint>,
    pub attachments: Vec<Attachment>,
    pub walls: Walls,
}

/// A body along its principal axes.
struct Own {
    /// From the principal axes to the author's.
    axes: DQuat,
    moments: DVec3,
    inverse_moments: DVec3,
    /// Whether it keeps its angular velocity when nothing turns it.
    spins_evenly: bool,
    /// Its number in the list of pieces.
    pieces: usize,
    /// How far from its centre what turns with it can be: of a ball, nothing turns.
    arm: f64,
}

impl Prepared {
    pub fn new(model: Arc<Model>) -> Prepared {
        let is_flat = model.dimension == 2;
        let mut pieces: Vec<Vec<Piece>> = Vec::new();
        let mut known: BTreeMap<(u32, [u64; 4]), usize> = BTreeMap::new();
        let mut own: Vec<Own> = Vec::with_capacity(model.bodies.len());
        for body in &model.bodies {
            let (moments, axes) = if is_flat { flat(body) } else { principal(body) };
            let key = (body.shape, axes.to_array().map(f64::to_bits));
            let number = *known.entry(key).or_insert_with(|| {
                pieces.push(turned_back(&model.shapes[body.shape as usize].pieces, axes));
                pieces.len() - 1
            });
            let invert = |i: f64| if i > 0.0 { i.recip() } else { 0.0 };
            own.push(Own {
                axes,
                moments,
                inverse_moments: if body.is_free() { moments.map(invert) } else { DVec3::ZERO },
                spins_evenly: is_flat || (moments.x == moments.y && moments.y == moments.z),
                arm: if is_ball(&pieces[number]) { 0.0 } else { body.radius },
                pieces: number,
            });
        }
        let axes = |body: Option<u32>| body.map_or(DQuat::IDENTITY, |body| own[body as usize].axes);
        let joints = model.joints.iter().map(|joint| turned_joint(joint, joint.bodies.map(axes)));
        let tie = |tie: &Attachment| Attachment { point: back(axes(tie.to), tie.point), ..*tie };
        Prepared {
            joints: joints.collect(),
            attachments: model.attachments.iter().map(tie).collect(),
            is_flat,
            own,
            pieces,
            walls: Walls::of(&model),
            model,
        }
    }

    /// How many bodies there are; the number of the world, which comes after them.
    pub fn world(&self) -> usize {
        self.model.bodies.len()
    }

    /// In the frame of the principal axes.
    pub fn pieces(&self, body: usize) -> &[Piece] {
        &self.pieces[self.own[body].pieces]
    }

    /// Of a body; the world is larger than any.
    pub fn radius(&self, body: usize) -> f64 {
        self.model.bodies.get(body).map_or(f64::INFINITY, |body| body.radius)
    }

    /// How far from its centre what turns with a body can be.
    pub fn arm(&self, body: usize) -> f64 {
        self.own.get(body).map_or(0.0, |own| own.arm)
    }

    /// Of a body, or of the container.
    pub fn material(&self, body: usize) -> Material {
        self.model.bodies.get(body).map_or(self.model.wall, |body| body.material)
    }

    /// Of two that touch.
    pub fn materials(&self, [a, b]: [usize; 2]) -> Material {
        self.material(a).with(self.material(b))
    }

    pub fn is_free(&self, body: usize) -> bool {
        self.model.bodies.get(body).is_some_and(Body::is_free)
    }

    pub fn is_particle(&self, body: usize) -> bool {
        self.model.bodies.get(body).is_some_and(Body::is_particle)
    }

    /// About the principal axes.
    pub fn moments(&self, body: usize) -> DVec3 {
        self.own[body].moments
    }

    /// About the principal axes; zero of what forces do not turn.
    pub fn inverse_moments(&self, body: usize) -> DVec3 {
        self.own[body].inverse_moments
    }

    pub fn spins_evenly(&self, body: usize) -> bool {
        self.own[body].spins_evenly
    }

    /// The inertia along the axes of the world of a body whose principal axes are turned so.
    pub fn inertia_turned(&self, body: usize, turn: DQuat) -> DMat3 {
        let turn = DMat3::from_quat(turn);
        turn * DMat3::from_diagonal(self.own[body].moments) * turn.transpose()
    }

    /// How the principal axes of a body are turned when its author's frame is turned so.
    pub fn to_principal(&self, body: usize, rotation: DQuat) -> DQuat {
        let axes = self.own[body].axes;
        if axes == DQuat::IDENTITY { rotation } else { rotation * axes }
    }

    /// The other way round.
    pub fn to_author(&self, body: usize, rotation: DQuat) -> DQuat {
        let axes = self.own[body].axes;
        match axes == DQuat::IDENTITY {
            true => rotation,
            false => (rotation * axes.inverse()).normalize(),
        }
    }
}

/// A ball about its centre.
fn is_ball(pieces: &[Piece]) -> bool {
    pieces.iter().all(|piece| piece.core == Core::Point && piece.at == DVec3::ZERO)
}

/// Only the inertia about z counts in the plane.
fn flat(body: &Body) -> (DVec3, DQuat) {
    (DVec3::new(0.0, 0.0, body.inertia.z_axis.z), DQuat::IDENTITY)
}

fn principal(body: &Body) -> (DVec3, DQuat) {
    let (moments, axes) = principal_axes(body.inertia);
    let same = |a: f64, b: f64| if (a - b).abs() < SAME_MOMENT * a { a } else { b };
    let y = same(moments.x, moments.y);
    (DVec3::new(moments.x, y, same(y, same(moments.x, moments.z))), axes)
}

fn back(axes: DQuat, vector: DVec3) -> DVec3 {
    if axes == DQuat::IDENTITY { vector } else { axes.inverse() * vector }
}

fn turned_back(pieces: &[Piece], axes: DQuat) -> Vec<Piece> {
    pieces.iter().map(|piece| piece.clone().moved(DVec3::ZERO, axes.inverse())).collect()
}

fn turned_joint(joint: &Joint, axes: [DQuat; 2]) -> Joint {
    let both = |vectors: [DVec3; 2]| [back(axes[0], vectors[0]), back(axes[1], vectors[1])];
    let rest = match axes == [DQuat::IDENTITY; 2] {
        true => joint.rest,
        false => axes[1].inverse() * joint.rest * axes[0],
    };
    Joint { points: both(joint.points), axes: both(joint.axes), rest, ..*joint }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Polytope, Shape};
    use crate::world::{JointKind, State, Weight};

    /// A box whose author wrote it askew: the method sees a box along its axes, and the joint
    /// where it was.
    #[test]
    fn frames_are_translated_there_and_back() {
        let (mut model, mut state) = (Model::new(3, DVec3::ZERO), State::default());
        let askew = DQuat::from_scaled_axis(DVec3::new(0.3, -0.5, 0.9));
        let size = DVec3::new(0.2, 0.5, 1.1);
        let shape = Shape::cuboid(size).unwrap().turned(askew);
        let turn = DQuat::from_rotation_x(0.4);
        model.add(&mut state, shape, DVec3::X, turn, Weight::Density(2.0)).unwrap();
        let at = DVec3::new(1.1, 0.2, -0.3);
        model.join(&state, JointKind::Hinge, [Some(0), None], [at; 2], [DVec3::Y; 2]);
        let prepared = Prepared::new(Arc::new(model));
        let rotation = prepared.to_principal(0, turn);
        let joint = &prepared.joints[0];
        assert!((state.positions[0] + rotation * joint.points[0] - at).length() < 1e-15);
        assert!((rotation * joint.axes[0] - DVec3::Y).length() < 1e-15);
        assert!((joint.rest.inverse() * rotation).angle_between(DQuat::IDENTITY) < 1e-7);
        assert!(prepared.to_author(0, rotation).angle_between(turn) < 1e-7);
        let inertia = prepared.model.bodies[0].inertia_turned(turn);
        assert!(prepared.inertia_turned(0, rotation).abs_diff_eq(inertia, 1e-15));
        let piece = &prepared.pieces(0)[0];
        let Core::Polytope(core) = &piece.core else { panic!("a box is a polytope") };
        assert_eq!(core, &Polytope::cuboid(size).unwrap(), "it is recognised");
    }

    #[test]
    fn bodies_of_one_shape_share_their_pieces() {
        let (mut model, mut state) = (Model::new(3, DVec3::ZERO), State::default());
        let shape = model.add_shape(Shape::torus(1.0, 0.3, 8).unwrap());
        for k in 0..5 {
            let turn = DQuat::from_rotation_x(k as f64);
            model.add_body(&mut state, shape, DVec3::ZERO, turn, Weight::Density(1.0)).unwrap();
        }
        assert_eq!(Prepared::new(Arc::new(model)).pieces.len(), 1);
    }
}
