//! A convex piece where its body is: centre, axes, and the corners and normals
//! of polyhedra in the frame of the world. A box has them only when it is
//! [`Placed::spelled_out`]: boxes, balls and each other need none.

use std::borrow::Cow;

use crate::math::{DMat3, DVec3};
use crate::shape::{Aabb, Core, Hull, Piece};

/// A piece in the frame of the world.
#[derive(Clone, Debug)]
pub struct Placed<'a> {
    pub piece: &'a Piece,
    pub centre: DVec3,
    pub axes: DMat3,
    pub corners: Vec<DVec3>,
    pub normals: Vec<DVec3>,
    /// Around the piece.
    pub bounds: Aabb,
}

impl<'a> Placed<'a> {
    pub fn new(piece: &'a Piece, position: DVec3, rotation: &DMat3) -> Placed<'a> {
        let axes = *rotation * DMat3::from_quat(piece.turn);
        let centre = position + *rotation * piece.at;
        let mut placed = Placed {
            piece,
            centre,
            axes,
            corners: Vec::new(),
            normals: Vec::new(),
            bounds: piece.bounds(position, rotation),
        };
        if !placed.is_box() {
            placed.place_corners(axes);
        }
        placed
    }

    pub fn is_box(&self) -> bool {
        matches!(self.piece.core, Core::Box { .. })
    }

    /// With corners and normals, also of a box.
    pub fn spelled_out(&self) -> Cow<'_, Placed<'a>> {
        if !self.is_box() {
            return Cow::Borrowed(self);
        }
        let mut placed = self.clone();
        placed.place_corners(self.axes);
        Cow::Owned(placed)
    }

    fn place_corners(&mut self, axes: DMat3) {
        let Some(hull) = self.piece.core.hull() else { return };
        let stretch = self.piece.core.stretch();
        let turned = DMat3::from_cols(
            axes.x_axis * stretch.x,
            axes.y_axis * stretch.y,
            axes.z_axis * stretch.z,
        );
        self.corners.clear();
        self.corners.extend(hull.corners.iter().map(|c| self.centre + turned * *c));
        self.normals.clear();
        self.normals.extend(hull.normals.iter().map(|n| axes * *n));
    }

    /// A cylinder's facets are turned so that a corner faces along `direction`: its round side
    /// is then exact there. Other pieces stay as they are.
    pub fn facing(&mut self, direction: DVec3) {
        let Core::Cylinder { .. } = self.piece.core else { return };
        let along = self.axes.z_axis;
        let sideways = direction - along * along.dot(direction);
        let length = sideways.length();
        if length > 1e-9 {
            let x = sideways / length;
            self.place_corners(DMat3::from_cols(x, along.cross(x), along));
        }
    }

    /// The faces and edges of a polyhedron.
    pub fn hull(&self) -> Option<&'a Hull> {
        self.piece.core.hull()
    }

    /// The ends of a segment.
    pub fn ends(&self) -> [DVec3; 2] {
        let half = self.axes.z_axis * self.piece.core.stretch().z;
        [self.centre - half, self.centre + half]
    }

    /// The least of `direction . corner`.
    pub fn least_along(&self, direction: DVec3) -> f64 {
        self.corners.iter().map(|c| direction.dot(*c)).fold(f64::INFINITY, f64::min)
    }

    /// The least of `direction . x` over all points of the piece, its rounding included; round
    /// pieces are exact.
    pub fn least_of(&self, direction: DVec3) -> f64 {
        let centre = direction.dot(self.centre);
        let core = match &self.piece.core {
            Core::Point => centre,
            Core::Segment { half } => centre - half * direction.dot(self.axes.z_axis).abs(),
            Core::Cylinder { radius, half } => {
                let along = direction.dot(self.axes.z_axis);
                let across = (direction.length_squared() - along * along).max(0.0).sqrt();
                centre - half * along.abs() - radius * across
            }
            Core::Box { half } => {
                let along = self.axes.transpose() * direction;
                centre - half.dot(along.abs())
            }
            Core::Hull(_) => self.least_along(direction),
        };
        core - self.piece.radius * direction.length()
    }
}
