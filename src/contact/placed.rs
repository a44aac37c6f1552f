//! A piece where its body is: centre, axes, and a polytope in the frame of
//! the world. A box has that only when it is [`Placed::spelled_out`]: boxes, balls
//! and each other need none.

use std::borrow::Cow;
use std::f64::consts::{PI, TAU};
use std::sync::LazyLock;

use crate::math::{DMat3, DQuat, DVec3};
use crate::shape::{Aabb, Core, Piece, Polytope, arc};

/// Sides of the prism that stands for a cylinder against other pieces; it is turned so that
/// a corner faces the contact, so a rolling cylinder does not feel its facets.
const CYLINDER_SIDES: usize = 16;

/// Sides next to the corner that faces the contact are this wide, in radians, and each next one is
/// twice as wide until they are those of the prism: what is small lies on the round side of a large
/// cylinder as on the cylinder itself.
const FINEST_SIDE: f64 = 0.0125;

/// The finer prism is taken if a contact faces the round side by this sine at least; on its ends
/// a cylinder stands as evenly on all sides as a regular prism does.
const SIDEWAYS: f64 = 0.3;

/// A piece is small beside a cylinder if its diameter is less than this part of the radius.
const SMALL: f64 = 0.5;

/// A cylinder lies on its side if the cosine between its axis and the normal is below this.
const ON_ITS_SIDE: f64 = 0.1;

/// The prism of radius 1 from -1 to 1 that stands for cylinders.
static PRISM: LazyLock<Polytope> = LazyLock::new(|| Polytope::prism(CYLINDER_SIDES, 1.0, 1.0));

/// The same with finer sides where it faces x.
static FINE_PRISM: LazyLock<Polytope> = LazyLock::new(|| {
    let widest = TAU / CYLINDER_SIDES as f64;
    let (mut half, mut width) = (vec![FINEST_SIDE], 2.0 * FINEST_SIDE);
    while half[half.len() - 1] + width < PI {
        half.push(half[half.len() - 1] + width);
        width = (2.0 * width).min(widest);
    }
    let back = half.iter().rev().map(|angle| TAU - angle);
    let angles: Vec<f64> = [0.0].into_iter().chain(half.iter().copied()).chain(back).collect();
    Polytope::prism_over(&angles, 1.0, 1.0)
});

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
    /// Of a circle about the centre and z, from the angle `-half` to `half` about x; not convex.
    Arc {
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
    /// A point inside the core; of an arc, the middle of its circle.
    pub centre: DVec3,
    pub axes: DMat3,
    /// Where it is; a box's is in its own frame.
    core: Option<Cow<'a, Polytope>>,
}

impl<'a> Placed<'a> {
    pub fn new(piece: &'a Piece, position: DVec3, rotation: &DMat3) -> Placed<'a> {
        let axes = match piece.turn == DQuat::IDENTITY {
            true => *rotation,
            false => *rotation * DMat3::from_quat(piece.turn),
        };
        let centre = position + *rotation * piece.at;
        let (form, radius) = (Form::of(&piece.core), piece.radius);
        match &piece.core {
            Core::Polytope(own) if own.half_size().is_none() => {
                let core = own.carried(centre, &axes, &axes);
                let centre = core.corners().iter().sum::<DVec3>() / core.corners().len() as f64;
                Placed { form, radius, centre, axes, core: Some(Cow::Owned(core)) }
            }
            other => {
                let core = match other {
                    Core::Polytope(own) => Some(Cow::Borrowed(own)),
                    _ => None,
                };
                Placed { form, radius, centre, axes, core }
            }
        }
    }

    /// A sharp polytope whose corners are in the frame of the world already.
    pub fn sharp(core: &'a Polytope) -> Placed<'a> {
        let centre = core.corners().iter().sum::<DVec3>() / core.corners().len() as f64;
        let form = if core.is_flat() { Form::Polygon } else { Form::Polytope };
        let core = Some(Cow::Borrowed(core));
        Placed { form, radius: 0.0, centre, axes: DMat3::IDENTITY, core }
    }

    /// A ball.
    pub fn ball(centre: DVec3, radius: f64) -> Placed<'a> {
        Placed { form: Form::Point, radius, centre, axes: DMat3::IDENTITY, core: None }
    }

    /// Around the piece.
    pub fn bounds(&self) -> Aabb {
        let least = DVec3::AXES.map(|axis| self.least_of(axis));
        let most = DVec3::AXES.map(|axis| -self.least_of(-axis));
        Aabb { min: DVec3::from_array(least), max: DVec3::from_array(most) }
    }

    /// The core as a polytope in the frame of the world; that of a cylinder is a prism with a
    /// corner where it faces `direction`, so that its round side is exact there; that of an arc is
    /// its chord.
    pub fn spelled_out(&self, direction: DVec3) -> Cow<'_, Polytope> {
        let Placed { centre, axes, .. } = self;
        match (self.form, &self.core) {
            (Form::Segment { .. }, _) => {
                let [start, end] = self.ends();
                Cow::Owned(Polytope::segment(start, end))
            }
            (Form::Arc { radius, half }, _) => {
                let end = |angle: f64| *centre + *axes * arc::point(radius, angle);
                Cow::Owned(Polytope::segment(end(-half), end(half)))
            }
            (Form::Cylinder { radius, half }, _) => {
                let (axes, sine) = self.facing(direction);
                let stretched = axes * DMat3::from_diagonal(DVec3::new(radius, radius, half));
                let prism = if sine >= SIDEWAYS { &FINE_PRISM } else { &PRISM };
                Cow::Owned(prism.carried(*centre, &stretched, &axes))
            }
            (Form::Box { .. }, Some(core)) => Cow::Owned(core.carried(*centre, axes, axes)),
            (_, Some(core)) => Cow::Borrowed(core),
            (_, None) => Cow::Owned(Polytope::point(*centre)),
        }
    }

    /// The same for a contact with another piece: small ones on the end of a large cylinder meet a rim
    /// that is fine where they are.
    pub fn spelled_out_for(&self, other: &Placed, direction: DVec3) -> Cow<'_, Polytope> {
        if let Form::Cylinder { radius, .. } = self.form
            && self.facing(direction).1 < SIDEWAYS
            && other.bounds().size().length() < SMALL * radius
        {
            let along = self.axes.z_axis;
            let towards = other.centre - self.centre;
            let towards = (towards - along * along.dot(towards)).normalize_or_zero();
            return self.spelled_out(towards);
        }
        self.spelled_out(direction)
    }

    /// The axes, turned about z so that x goes along a direction (a unit vector, or none) as far as
    /// it can, and how far that is.
    fn facing(&self, direction: DVec3) -> (DMat3, f64) {
        let along = self.axes.z_axis;
        let sideways = direction - along * along.dot(direction);
        match sideways.length() {
            length if length > 1e-9 => {
                let x = sideways / length;
                (DMat3::from_cols(x, along.cross(x), along), length)
            }
            length => (self.axes, length),
        }
    }

    /// How much the prism of a cylinder may be farther away than the cylinder.
    pub fn slack(&self) -> f64 {
        match self.form {
            Form::Cylinder { radius, .. } => 0.05 * radius,
            _ => 0.0,
        }
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

    /// How far a point of a contact with this normal is from where the piece is round: of a
    /// cylinder on its side, only the line is that faces the contact. All else is as it is.
    pub fn off_round_side(&self, at: DVec3, normal: DVec3) -> f64 {
        let is_round = matches!(self.form, Form::Cylinder { .. });
        let is_on_side = is_round && self.axes.z_axis.dot(normal).abs() < ON_ITS_SIDE;
        match is_on_side {
            true => self.axes.z_axis.cross(normal).dot(at - self.centre).abs(),
            false => 0.0,
        }
    }

    /// Points that are farther off the round side by this than others are not on it.
    pub fn beside_round_side(&self) -> f64 {
        match self.form {
            Form::Cylinder { radius, .. } => 0.5 * FINEST_SIDE * radius,
            _ => 0.0,
        }
    }

    /// The ends of a segment; of all else, its centre twice.
    pub fn ends(&self) -> [DVec3; 2] {
        let Form::Segment { half } = self.form else { return [self.centre; 2] };
        let half = self.axes.z_axis * half;
        [self.centre - half, self.centre + half]
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
            Form::Arc { radius, half } => {
                let along = self.axes.transpose() * direction;
                centre + along.dot(arc::farthest(radius, half, -along))
            }
            Form::Box { half } => {
                let along = self.axes.transpose() * direction;
                centre - half.dot(along.abs())
            }
            Form::Polytope | Form::Polygon => {
                self.core.as_ref().map_or(centre, |core| core.least_along(direction))
            }
        };
        core - self.radius * direction.length()
    }
}

impl Form {
    fn of(core: &Core) -> Form {
        match core {
            Core::Point => Form::Point,
            Core::Segment { half } => Form::Segment { half: *half },
            Core::Cylinder { radius, half } => Form::Cylinder { radius: *radius, half: *half },
            Core::Arc { radius, half } => Form::Arc { radius: *radius, half: *half },
            Core::Polytope(core) => match core.half_size() {
                Some(half) => Form::Box { half },
                _ if core.is_flat() => Form::Polygon,
                _ => Form::Polytope,
            },
        }
    }
}
