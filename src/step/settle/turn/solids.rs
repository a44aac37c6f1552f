//! Bodies as they are placed now: corners of their convex pieces, rims of cylinders, and half-spaces
//! around them.

use crate::math::{DQuat, DVec3, median};
use crate::problem::{Problem, Result};
use crate::shape::{Aabb, Boundary, Core, Piece, Polytope};
use crate::world::{Body, Model, State};

/// Half of the gap that rows keep between two pieces, in radii of the smaller body: enough for
/// two corners that face each other to have a direction. A body that lies on two others, or on one
/// and a wall, is tilted by a few such gaps over its size.
pub(super) const HALF_GAP: f64 = 5e-9;
/// Faces of the container within this many of its sizes of a plane are on it.
const FLAT: f64 = 1e-12;
/// The sides of a prism inside of a cylinder, and how much smaller than it the prism is.
const SLIM_SIDES: usize = 48;
const SLIM: f64 = 0.99;

/// What never changes.
pub(super) struct Solids {
    /// Per shape, its convex pieces, about the centre of mass.
    shapes: Vec<Vec<Placed>>,
    /// The container: planes that it lies on one side of as a whole, ...
    pub walls: Vec<HalfSpace>,
    /// ... and faces that it does not.
    pub faces: Vec<Inner>,
    /// A typical radius and a typical weight: the units of programs.
    pub length: f64,
    pub weight: f64,
}

/// `normal . x >= offset` is inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HalfSpace {
    pub normal: DVec3,
    pub offset: f64,
    /// The first face of the container that lies on it.
    pub face: u32,
}

/// A face of a container that is not convex, where that juts out into the free space or is behind
/// what does: a flat piece that never moves.
pub(super) struct Inner {
    pub number: u32,
    pub placed: Placed,
}

/// A piece of a body as it is turned now, about the body's position.
pub(super) struct Placed {
    /// Of a cylinder, a prism around it.
    pub core: Polytope,
    pub radius: f64,
    /// Of a cylinder.
    pub drum: Option<Drum>,
    /// Of a cylinder, a coarse prism inside of it, for first guesses.
    slim: Option<Polytope>,
}

/// A cylinder: two rims, and all that is between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Drum {
    pub centre: DVec3,
    /// A unit vector.
    pub axis: DVec3,
    pub half: f64,
    pub radius: f64,
}

impl Solids {
    pub fn new(model: &Model) -> Result<Solids> {
        check(model)?;
        let pieces =
            |shape: &crate::shape::Shape| shape.pieces.iter().map(Placed::unturned).collect();
        let weights = model.free().map(|i| model.bodies[i].mass * model.pull(i).length());
        let weight = median(weights.collect());
        let (walls, faces) = walls_and_faces(&model.boundary);
        Ok(Solids {
            shapes: model.shapes.iter().map(pieces).collect(),
            walls,
            faces,
            length: model.typical_radius(),
            weight: if weight > 0.0 { weight } else { 1.0 },
        })
    }

    /// The pieces of a body.
    pub fn placed(&self, body: &Body, rotation: DQuat) -> Vec<Placed> {
        self.shapes[body.shape as usize].iter().map(|piece| piece.turned(rotation)).collect()
    }

    /// The farthest corner of a body from its centre; never 0, as it is a unit.
    pub fn arm(&self, body: &Body) -> f64 {
        let pieces = &self.shapes[body.shape as usize];
        let corners = pieces.iter().flat_map(|piece| piece.core.corners());
        corners.map(|corner| corner.length()).fold(1e-3 * body.radius, f64::max)
    }
}

impl Placed {
    fn unturned(piece: &Piece) -> Placed {
        let drum = match piece.core {
            Core::Cylinder { radius, half } => {
                Some(Drum { centre: piece.at, axis: piece.turn * DVec3::Z, half, radius })
            }
            _ => None,
        };
        let slim = drum.map(|Drum { half, radius, .. }| {
            Polytope::prism(SLIM_SIDES, SLIM * radius, SLIM * half).placed(piece.at, piece.turn)
        });
        Placed { core: piece.polytope(), radius: piece.radius, drum, slim }
    }

    #[cfg(test)]
    pub fn of(piece: &Piece, rotation: DQuat) -> Placed {
        Placed::unturned(piece).turned(rotation)
    }

    fn turned(&self, rotation: DQuat) -> Placed {
        let turned = |drum: &Drum| Drum {
            centre: rotation * drum.centre,
            axis: (rotation * drum.axis).normalize(),
            ..*drum
        };
        Placed {
            core: self.core.placed(DVec3::ZERO, rotation),
            radius: self.radius,
            drum: self.drum.as_ref().map(turned),
            slim: self.slim.as_ref().map(|slim| slim.placed(DVec3::ZERO, rotation)),
        }
    }

    /// What stands for it while a direction is looked for.
    pub fn guess(&self) -> &Polytope {
        self.slim.as_ref().unwrap_or(&self.core)
    }

    /// A point of the core that is farthest along a direction.
    pub fn farthest(&self, direction: DVec3) -> DVec3 {
        if let Some(drum) = &self.drum {
            return drum.farthest(direction);
        }
        let mut corners = self.core.corners().iter();
        let first = *corners.next().expect("a core has corners");
        let farther =
            |best: DVec3, corner: &DVec3| match corner.dot(direction) > best.dot(direction) {
                true => *corner,
                false => best,
            };
        corners.fold(first, farther)
    }

    /// How far it reaches along a unit vector, without its rounding.
    pub fn support(&self, direction: DVec3) -> f64 {
        match &self.drum {
            Some(drum) => drum.support(direction),
            None => self.core.support(direction),
        }
    }

    pub fn bounds(&self, position: DVec3) -> Aabb {
        let Aabb { min, max } = self.core.bounds();
        Aabb { min: min + position, max: max + position }.grow(self.radius)
    }
}

impl Drum {
    /// The sine of the angle between the axis and a unit vector.
    pub fn sine(&self, direction: DVec3) -> f64 {
        self.axis.cross(direction).length()
    }

    /// The middles of the two rims.
    pub fn middles(&self) -> [DVec3; 2] {
        [-1.0, 1.0].map(|end| self.centre + end * self.half * self.axis)
    }

    fn farthest(&self, direction: DVec3) -> DVec3 {
        let along = self.axis.dot(direction);
        let out = (direction - along * self.axis).normalize_or_zero();
        self.centre + along.signum() * self.half * self.axis + self.radius * out
    }

    fn support(&self, direction: DVec3) -> f64 {
        let high = self.half * self.axis.dot(direction).abs();
        self.centre.dot(direction) + high + self.radius * self.sine(direction)
    }
}

/// All bodies of a state.
pub(super) fn place_all(solids: &Solids, model: &Model, state: &State) -> Vec<Vec<Placed>> {
    let bodies = model.bodies.iter().zip(&state.rotations);
    bodies.map(|(body, rotation)| solids.placed(body, *rotation)).collect()
}

/// Half-spaces that all of a container lies in, each once, and the faces that do not lie on such.
fn walls_and_faces(boundary: &Boundary) -> (Vec<HalfSpace>, Vec<Inner>) {
    let corners = || boundary.faces().iter().flat_map(|face| &face.corners);
    let size = Aabb::from_points(corners().copied()).size().max_element();
    let (mut walls, mut faces) = (Vec::<HalfSpace>::new(), Vec::new());
    for (face, number) in boundary.faces().iter().zip(0..) {
        let normal = -boundary.normal(number);
        let offset = normal.dot(face.corners[0]);
        let least = corners().map(|corner| normal.dot(*corner)).fold(f64::INFINITY, f64::min);
        if least < offset - 1e3 * FLAT * size {
            let placed = Placed { core: face.polytope(), radius: 0.0, drum: None, slim: None };
            faces.push(Inner { number, placed });
            continue;
        }
        let is_same = |wall: &HalfSpace| {
            wall.normal.distance(normal) < FLAT * 1e3 && (wall.offset - offset).abs() < FLAT * size
        };
        if !walls.iter().any(is_same) {
            walls.push(HalfSpace { normal, offset, face: number });
        }
    }
    (walls, faces)
}

/// Refuses what bodies that turn cannot have yet.
fn check(model: &Model) -> Result<()> {
    let remedy = "leave it out, or say rotate = false for all bodies";
    let refuse = |what: &str| {
        Err(Problem::new(format!("bodies that turn cannot settle with {what}")).help(remedy))
    };
    if !model.joints.is_empty() {
        return refuse("joints");
    }
    if !model.forces.is_empty() {
        return refuse("forces other than gravity and `push`");
    }
    let options = model.method.settle();
    let default = crate::scene::SettleOptions::default();
    let told = [
        ("reach", options.reach != default.reach),
        ("step", options.step != default.step),
        ("conservative", options.conservative != default.conservative),
        ("proximal", options.proximal != default.proximal),
        ("early_stop", options.early_stop != default.early_stop),
        ("smoothing", options.smoothing != default.smoothing),
        ("accuracy", options.accuracy != default.accuracy),
    ];
    match told.into_iter().find(|(_, is_told)| *is_told) {
        Some((name, _)) => {
            refuse(&format!("the option `settle.{name}`, which has no effect on them"))
        }
        None => Ok(()),
    }
}
