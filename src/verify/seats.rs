//! Contacts of bodies that are no balls: the normal in the file must keep the two
//! pieces apart, and leave no more room than touching bodies have.

use super::convex::Placed;
use super::distance::closest;
use super::limits::SETTLE;
use super::rest::Touch;
use super::second_order::outer;
use crate::math::{DMat3, DQuat, DVec3};
use crate::scene::MethodName;
use crate::shape::{Face, Polytope};
use crate::trajectory::{Contact, With};
use crate::world::{Method, Model, State};

/// Corners that reach as far as the farthest up to this part of the size touch, too.
const FLAT: f64 = 1e-6;

/// The bodies at rest.
pub(super) struct Seats<'a> {
    model: &'a Model,
    state: &'a State,
    /// How far what is no ball is rounded by the run, at the end of it.
    smoothing: f64,
}

/// The corners of one side of a contact, and how far it is rounded, by itself
/// and by the smoothing of the run.
struct Side {
    corners: Vec<DVec3>,
    rounding: f64,
    smoothing: f64,
}

impl<'a> Seats<'a> {
    pub fn new(model: &'a Model, state: &'a State) -> Seats<'a> {
        Seats { model, state, smoothing: last_smoothing(model) }
    }

    /// A contact with another body.
    pub fn with_body(&self, contact: &Contact, other: usize) -> Result<Touch, String> {
        let body = contact.body as usize;
        let own = self.side(body, contact.pieces[0])?;
        let second = self.side(other, contact.pieces[1])?;
        let smaller = self.model.bodies[body].radius.min(self.model.bodies[other].radius);
        touch(contact, own, second, [smaller, self.clearance(contact)], Some(other))
    }

    /// A contact with the container.
    pub fn with_wall(&self, contact: &Contact, face: &Face) -> Result<Touch, String> {
        let body = contact.body as usize;
        let own = self.side(body, contact.pieces[0])?;
        let wall = Side { corners: face.corners.clone(), rounding: 0.0, smoothing: 0.0 };
        touch(contact, own, wall, [self.model.bodies[body].radius, 0.0], None)
    }

    /// Whether a contact is with the wall that a compaction pushes: that one stands for a
    /// half-plane, of which its shape is only a part.
    pub fn is_with_wall(&self, contact: &Contact) -> bool {
        let ends = [Some(contact.body as usize), contact.with.body(self.model)];
        let is_pushed = |body: usize| self.model.bodies[body].push != DVec3::ZERO;
        self.model.method.name() == MethodName::Compact && ends.into_iter().flatten().any(is_pushed)
    }

    /// The least distance of the pieces of a compaction.
    fn clearance(&self, contact: &Contact) -> f64 {
        match &self.model.method {
            Method::Compact(options) if !self.is_with_wall(contact) => options.clearance,
            _ => 0.0,
        }
    }

    /// How far the points at which a contact acts are from its two sides, or from each other, in
    /// units of the smaller body.
    pub fn off(&self, contact: &Contact) -> f64 {
        let (model, state, [one, two]) = (self.model, self.state, contact.at);
        let size = |body: u32| model.bodies[body as usize].radius;
        let to_body = |side: usize, body: u32| {
            let piece = &model.shape(body as usize).pieces[contact.pieces[side] as usize];
            let (at, turn) = (state.positions[body as usize], state.rotations[body as usize]);
            let placed = Placed::new(piece, at, turn);
            let outside = placed.outside(contact.at[side]);
            (outside - placed.prism()).max(-outside)
        };
        let (off, size) = match contact.with {
            With::Body(other) => (to_body(1, other), size(contact.body).min(size(other))),
            With::Face(face) => {
                let corners = &model.boundary.faces()[face as usize].corners;
                (closest(corners, two).point.distance(two), size(contact.body))
            }
            With::Joint(joint) => {
                let joint = &model.joints[joint as usize];
                let ends = joint.ends(state);
                let off = ends[0].distance(one).max(ends[1].distance(two));
                return off / super::joints::size(model, joint);
            }
            With::Limit(_) | With::Motor(_) | With::Attachment(_) => return f64::NAN,
        };
        let off = off + to_body(0, contact.body) + one.distance(two);
        let off = (off - 4.0 * self.smoothing - self.clearance(contact)) / size;
        // What is no number stays none, and is not called 0.
        if off < 0.0 { 0.0 } else { off }
    }

    fn side(&self, body: usize, piece: u32) -> Result<Side, String> {
        let shape = self.model.shape(body);
        let piece = shape.pieces.get(piece as usize).ok_or("is of a piece that does not exist")?;
        let (position, turn) = (self.state.positions[body], self.state.rotations[body]);
        let core: Polytope = match turn == DQuat::IDENTITY {
            true => piece.polytope(),
            false => piece.polytope().placed(DVec3::ZERO, turn),
        };
        Ok(Side {
            corners: core.corners().iter().map(|corner| *corner + position).collect(),
            rounding: piece.radius,
            smoothing: if shape.is_ball().is_some() { 0.0 } else { self.smoothing },
        })
    }
}

/// The smoothing of settle is halved until twice of it is the gap that its accuracy asks for, in
/// radii of the smallest body that is no ball.
fn last_smoothing(model: &Model) -> f64 {
    let solids = (0..model.bodies.len()).filter(|&i| model.shape(i).is_ball().is_none());
    let least = solids.map(|i| model.bodies[i].radius).fold(f64::INFINITY, f64::min);
    if !least.is_finite() {
        return 0.0;
    }
    let options = model.method.settle();
    let mut last = options.smoothing * least;
    while 2.0 * last > options.accuracy * least {
        last *= 0.5;
    }
    last
}

fn touch(
    contact: &Contact,
    own: Side,
    second: Side,
    [smaller, clearance]: [f64; 2],
    other: Option<usize>,
) -> Result<Touch, String> {
    let normal = contact.normal;
    let heights = |side: &Side| side.corners.iter().map(|c| c.dot(normal)).collect::<Vec<_>>();
    let least = heights(&own).into_iter().fold(f64::INFINITY, f64::min);
    let most = heights(&second).into_iter().fold(f64::NEG_INFINITY, f64::max);
    let rounding = own.rounding + second.rounding;
    let room = least - most - rounding - clearance;
    let is_apart = room >= -SETTLE.overlap * smaller;
    if !is_apart {
        return Err(format!("has a normal along which it overlaps by {:.1e}", -room / smaller));
    }
    let smoothing = own.smoothing + second.smoothing;
    Ok(Touch {
        body: contact.body as usize,
        other,
        normal,
        gap: (room - smoothing) / smaller,
        force: contact.pressure(),
        curvature: curvature([&own, &second], normal, rounding),
    })
}

/// Rounded bodies are curved in the directions in which neither side is straight.
fn curvature(sides: [&Side; 2], normal: DVec3, rounding: f64) -> DMat3 {
    if rounding == 0.0 {
        return DMat3::ZERO;
    }
    let mut curved = DMat3::IDENTITY - outer(normal);
    for (side, outward) in [(sides[0], -normal), (sides[1], normal)] {
        let heights = side.corners.iter().map(|c| c.dot(outward));
        let top = heights.fold(f64::NEG_INFINITY, f64::max);
        let first = side.corners.first().copied().unwrap_or_default();
        let size = side.corners.iter().map(|c| c.distance(first)).fold(0.0, f64::max);
        let touching: Vec<&DVec3> =
            side.corners.iter().filter(|c| top - c.dot(outward) <= FLAT * size).collect();
        for corner in touching.iter().skip(1) {
            let along = curved * (**corner - *touching[0]).normalize_or_zero();
            if along.length() > 1e-3 {
                curved -= outer(along.normalize());
            }
        }
    }
    curved * (1.0 / rounding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;
    use crate::trajectory::samples;

    /// A cube on another, a ball on top of it; the lower cube is turned.
    fn pile(turn: DQuat) -> (Model, State) {
        let mut model = samples::model(3);
        let cube = Shape::cuboid(DVec3::ONE).unwrap();
        model.shapes = vec![cube.clone(), cube, Shape::ball(0.5)];
        for (body, shape) in model.bodies.iter_mut().zip(&model.shapes) {
            body.radius = shape.radius();
        }
        let gap = 2.0 * last_smoothing(&model);
        let up = |z: f64| DVec3::new(0.1, 0.2, z);
        let mut state = State::at_rest(vec![up(0.0), up(1.0 + gap), up(2.0 + 1.5 * gap)]);
        state.rotations[0] = turn;
        (model, state)
    }

    fn touched(body: u32, other: u32, normal: DVec3, piece: u32) -> Result<Touch, String> {
        seated(&pile(DQuat::IDENTITY), body, other, normal, piece)
    }

    fn seated(
        (model, state): &(Model, State),
        body: u32,
        other: u32,
        normal: DVec3,
        piece: u32,
    ) -> Result<Touch, String> {
        let (with, at) = (With::Body(other), [DVec3::ZERO; 2]);
        let pieces = [piece, 0];
        let contact = Contact {
            body,
            with,
            pieces,
            at,
            normal,
            force: normal,
            couples: [DVec3::ZERO; 2],
            choice: false,
        };
        Seats::new(model, state).with_body(&contact, other as usize)
    }

    #[test]
    fn faces_touch_along_their_normal_only() {
        let touch = touched(1, 0, DVec3::Z, 0).unwrap();
        assert!(touch.gap.abs() < 1e-12 && touch.curvature == DMat3::ZERO);
        let ball = touched(2, 1, DVec3::Z, 0).unwrap();
        assert!(ball.gap.abs() < 1e-12 && ball.curvature.determinant().abs() < 1e-12);
        let tilted = DVec3::new(0.01, 0.0, 1.0).normalize();
        assert!(touched(1, 0, tilted, 0).unwrap_err().contains("overlaps by"));
        assert!(touched(1, 0, -DVec3::Z, 0).unwrap_err().contains("overlaps by"));
        assert!(touched(1, 0, DVec3::Z, 7).unwrap_err().contains("piece that does not exist"));
        // Far apart along another axis: a gap.
        assert!(touched(2, 0, DVec3::Z, 0).unwrap().gap > 0.5);
    }

    #[test]
    fn turned_bodies_touch_where_they_are() {
        let mut pile = pile(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4));
        assert!(seated(&pile, 1, 0, DVec3::Z, 0).unwrap_err().contains("overlaps by 2.4e-1"));
        pile.1.positions[1].z += 0.5_f64.sqrt() - 0.5;
        assert!(seated(&pile, 1, 0, DVec3::Z, 0).unwrap().gap.abs() < 1e-12);
    }
}
