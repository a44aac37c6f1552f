//! A convex piece where its body is: centre, axes, and the corners and normals
//! of polytopes in the frame of the world. A box has them only when it is
//! [`Placed::spelled_out`]: boxes, balls and each other need none.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::math::{DMat3, DVec3};
use crate::shape::{Aabb, Core, Facet, Piece, Polytope};

/// Sides of the prism that stands for a cylinder against other pieces; it is turned so that
/// a corner faces the contact, so a rolling cylinder does not feel its facets.
const CYLINDER_SIDES: usize = 16;

/// A cylinder lies on its side if the cosine between its axis and the normal is below this.
const ON_ITS_SIDE: f64 = 0.1;

/// The prism of radius 1 from -1 to 1 that stands for cylinders.
static PRISM: LazyLock<Polytope> = LazyLock::new(|| Polytope::prism(CYLINDER_SIDES, 1.0, 1.0));

/// What kind of core a piece has, with the sizes that have a formula of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    Point,
    /// Along z.
    Segment {
        half: f64,
    },
    /// Along all axes.
    Box {
        half: DVec3,
    },
    /// About z.
    Cylinder {
        radius: f64,
        half: f64,
    },
    Polytope,
    /// A polytope of the plane z = 0.
    Polygon,
}

/// A piece in the frame of the world.
#[derive(Clone, Debug)]
pub(crate) struct Placed<'a> {
    pub form: Form,
    /// All points within this distance of the core belong to the piece.
    pub radius: f64,
    /// A point inside the core.
    pub centre: DVec3,
    pub axes: DMat3,
    /// In the frame of the core.
    own_corners: &'a [DVec3],
    /// Corners by number; normals are in `normals`.
    pub facets: &'a [Facet],
    pub edges: &'a [[u32; 2]],
    pub corners: Cow<'a, [DVec3]>,
    pub normals: Cow<'a, [DVec3]>,
    /// Around the piece.
    pub bounds: Aabb,
}

impl<'a> Placed<'a> {
    pub fn new(piece: &'a Piece, position: DVec3, rotation: &DMat3) -> Placed<'a> {
        let axes = *rotation * DMat3::from_quat(piece.turn);
        let centre = position + *rotation * piece.at;
        let (form, polytope) = form(&piece.core);
        let mut placed = Placed {
            form,
            radius: piece.radius,
            centre,
            axes,
            own_corners: polytope.map_or(&[], Polytope::corners),
            facets: polytope.map_or(&[], Polytope::facets),
            edges: polytope.map_or(&[], Polytope::edges),
            corners: Cow::Borrowed(&[]),
            normals: Cow::Borrowed(&[]),
            bounds: Aabb::EMPTY,
        };
        match form {
            Form::Polytope | Form::Polygon => {
                placed.place(axes, axes);
                placed.bounds =
                    Aabb::from_points(placed.corners.iter().copied()).grow(piece.radius);
                let sum: DVec3 = placed.corners.iter().sum();
                placed.centre = sum / placed.corners.len() as f64;
            }
            _ => {
                if let Form::Cylinder { .. } = form {
                    placed.place_cylinder(axes);
                }
                placed.bounds = piece.bounds(position, rotation);
            }
        }
        placed
    }

    /// A sharp polytope whose corners are in the frame of the world already.
    pub fn from_parts(
        form: Form,
        centre: DVec3,
        (facets, edges): (&'a [Facet], &'a [[u32; 2]]),
        corners: Cow<'a, [DVec3]>,
        normals: Cow<'a, [DVec3]>,
        bounds: Aabb,
    ) -> Placed<'a> {
        let (radius, axes) = (0.0, DMat3::IDENTITY);
        Placed {
            form,
            radius,
            centre,
            axes,
            own_corners: &[],
            facets,
            edges,
            corners,
            normals,
            bounds,
        }
    }

    /// With corners and normals, also of a box.
    pub fn spelled_out(&self) -> Cow<'_, Placed<'a>> {
        let Form::Box { .. } = self.form else { return Cow::Borrowed(self) };
        let mut placed = self.clone();
        placed.place(self.axes, self.axes);
        Cow::Owned(placed)
    }

    /// Corners by one matrix, normals by another.
    fn place(&mut self, to_corners: DMat3, axes: DMat3) {
        let centre = self.centre;
        self.corners = self.own_corners.iter().map(|c| centre + to_corners * *c).collect();
        self.normals = self.facets.iter().map(|facet| axes * facet.normal).collect();
    }

    fn place_cylinder(&mut self, axes: DMat3) {
        let Form::Cylinder { radius, half } = self.form else { return };
        let stretched =
            DMat3::from_cols(axes.x_axis * radius, axes.y_axis * radius, axes.z_axis * half);
        self.place(stretched, axes);
    }

    /// A cylinder's facets are turned so that a corner faces along `direction`: its round side
    /// is then exact there. Other pieces stay as they are.
    pub fn facing(&mut self, direction: DVec3) {
        let along = self.axes.z_axis;
        let sideways = direction - along * along.dot(direction);
        let length = sideways.length();
        if length > 1e-9 {
            let x = sideways / length;
            self.place_cylinder(DMat3::from_cols(x, along.cross(x), along));
        }
    }

    /// Whether its corners stand for something round, up to where they face.
    pub fn is_cylinder(&self) -> bool {
        matches!(self.form, Form::Cylinder { .. })
    }

    /// From the surface, where the normal of a contact points into the piece, to what does not
    /// turn with it: through the rounding, and to the axis of a cylinder that lies on its side.
    pub fn inwards(&self, normal: DVec3) -> DVec3 {
        let rounding = normal * self.radius;
        let Form::Cylinder { radius, .. } = self.form else { return rounding };
        let along = self.axes.z_axis.dot(normal);
        match along.abs() < ON_ITS_SIDE {
            true => rounding + (normal - self.axes.z_axis * along).normalize_or_zero() * radius,
            false => rounding,
        }
    }

    /// The ends of a segment; of all else, its centre twice.
    pub fn ends(&self) -> [DVec3; 2] {
        let Form::Segment { half } = self.form else { return [self.centre; 2] };
        let half = self.axes.z_axis * half;
        [self.centre - half, self.centre + half]
    }

    /// A corner of a facet.
    pub fn on_facet(&self, facet: usize) -> DVec3 {
        self.corners[self.facets[facet].corners[0] as usize]
    }

    /// The least of `direction . corner`.
    pub fn least_along(&self, direction: DVec3) -> f64 {
        self.corners.iter().map(|c| direction.dot(*c)).fold(f64::INFINITY, f64::min)
    }

    /// The least of `direction . x` over all points of the piece, its rounding included; round
    /// pieces are exact.
    pub fn least_of(&self, direction: DVec3) -> f64 {
        let centre = direction.dot(self.centre);
        let core = match self.form {
            Form::Point => centre,
            Form::Segment { half } => centre - half * direction.dot(self.axes.z_axis).abs(),
            Form::Cylinder { radius, half } => {
                let along = direction.dot(self.axes.z_axis);
                let across = (direction.length_squared() - along * along).max(0.0).sqrt();
                centre - half * along.abs() - radius * across
            }
            Form::Box { half } => {
                let along = self.axes.transpose() * direction;
                centre - half.dot(along.abs())
            }
            Form::Polytope | Form::Polygon => self.least_along(direction),
        };
        core - self.radius * direction.length()
    }
}

/// What a core is here, and whose facets and edges it has.
fn form(core: &Core) -> (Form, Option<&Polytope>) {
    match core {
        Core::Point => (Form::Point, None),
        Core::Segment { half } => (Form::Segment { half: *half }, None),
        Core::Cylinder { radius, half } => {
            (Form::Cylinder { radius: *radius, half: *half }, Some(&PRISM))
        }
        Core::Polytope(core) => match core.half_size() {
            Some(half) => (Form::Box { half }, Some(core)),
            _ if core.is_flat() => (Form::Polygon, Some(core)),
            _ => (Form::Polytope, Some(core)),
        },
    }
}
