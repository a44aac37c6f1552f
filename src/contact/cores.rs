//! Bodies that move without turning: their convex pieces with the turns built
//! in, made once from a model and a state.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::math::{DQuat, DVec3};
use crate::shape::{Aabb, Piece, Polytope};
use crate::world::{Model, State};

/// A convex polytope, and all that is within a radius of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Rounded {
    /// What is rounded.
    pub core: Polytope,
    /// By how much.
    pub radius: f64,
}

/// The pieces of one side of a contact, all of them rounded by a little more than they are.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// About the position of the body.
    pub pieces: &'a [Rounded],
    /// What is added to the radius of each.
    pub more: f64,
}

/// A model whose bodies only move: each has its convex pieces, about its
/// position, turned as the state said when this was made. Bodies of one shape
/// that are turned alike share them.
#[derive(Clone, Debug)]
pub struct Cores {
    /// The model.
    pub model: Arc<Model>,
    /// Per body, its number in `turned`.
    number: Vec<u32>,
    turned: Vec<Turned>,
}

/// A shape in one of its turns.
#[derive(Clone, Debug)]
struct Turned {
    pieces: Vec<Rounded>,
    extent: Aabb,
    is_ball: bool,
}

impl Rounded {
    /// A piece of a body that is turned; a polygon stays in its plane.
    fn new(piece: &Piece, rotation: DQuat) -> Self {
        let core = match rotation == DQuat::IDENTITY {
            true => piece.polytope(),
            false => piece.polytope().placed(DVec3::ZERO, rotation),
        };
        Rounded { core, radius: piece.radius }
    }

    /// Without rounding.
    pub fn sharp(core: Polytope) -> Self {
        Rounded { core, radius: 0.0 }
    }
}

impl Side<'_> {
    /// How much the pieces `own` of this side and `theirs` of the other are rounded together.
    pub(super) fn rounding(&self, own: usize, other: &Side, theirs: usize) -> f64 {
        (self.pieces[own].radius + self.more) + (other.pieces[theirs].radius + other.more)
    }
}

impl Cores {
    /// Turns the pieces of all bodies.
    pub fn new(model: Arc<Model>, state: &State) -> Self {
        let (mut number, mut turned) = (Vec::with_capacity(model.bodies.len()), Vec::new());
        let mut known = BTreeMap::new();
        for (body, rotation) in model.bodies.iter().zip(&state.rotations) {
            let shape = &model.shapes[body.shape as usize];
            let is_ball = shape.is_ball().is_some();
            let rotation = if is_ball { DQuat::IDENTITY } else { *rotation };
            let key = (body.shape, rotation.to_array().map(f64::to_bits));
            number.push(*known.entry(key).or_insert_with(|| {
                let rounded = |piece: &Piece| Rounded::new(piece, rotation);
                turned.push(Turned::new(shape.pieces.iter().map(rounded).collect(), is_ball));
                turned.len() as u32 - 1
            }));
        }
        Cores { model, number, turned }
    }

    fn turned(&self, body: usize) -> &Turned {
        &self.turned[self.number[body] as usize]
    }

    /// The convex pieces of a body, about its position.
    pub fn pieces(&self, body: usize) -> &[Rounded] {
        &self.turned(body).pieces
    }

    /// Whether a body is nothing but a ball about its position.
    pub fn is_ball(&self, body: usize) -> bool {
        self.turned(body).is_ball
    }

    /// Whether all bodies are.
    pub fn are_balls(&self) -> bool {
        self.turned.iter().all(|turned| turned.is_ball)
    }

    /// The box around a body that is at the origin.
    pub fn extent(&self, body: usize) -> Aabb {
        self.turned(body).extent
    }

    /// A body as a side of a contact. Balls have no edges that smoothing could take away.
    pub fn side(&self, body: usize, smoothing: f64) -> Side<'_> {
        let Turned { pieces, is_ball, .. } = self.turned(body);
        Side { pieces, more: if *is_ball { 0.0 } else { smoothing } }
    }
}

impl Turned {
    fn new(pieces: Vec<Rounded>, is_ball: bool) -> Self {
        let bounds = pieces.iter().map(|piece| piece.core.bounds().grow(piece.radius));
        let extent = bounds.fold(Aabb::EMPTY, |all, one| all.union(&one));
        Turned { pieces, extent, is_ball }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;
    use crate::world::Weight;
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

    /// Bodies of one shape and turn share their pieces; balls share them however they are turned.
    #[test]
    fn what_is_turned_alike_is_made_once() {
        let (mut model, mut state) = (Model::new(3, -DVec3::Z), State::default());
        let cube = model.add_shape(Shape::cuboid(DVec3::ONE).unwrap());
        let ball = model.add_shape(Shape::ball(1.0));
        let eighth = DQuat::from_rotation_z(FRAC_PI_4);
        for (shape, turn) in [
            (cube, DQuat::IDENTITY),
            (cube, eighth),
            (ball, DQuat::IDENTITY),
            (cube, eighth),
            (ball, eighth),
        ] {
            let weight = Weight::Mass(1.0);
            model.add_body(&mut state, shape, DVec3::ZERO, turn, weight).unwrap();
        }
        let cores = Cores::new(Arc::new(model), &state);
        assert_eq!(cores.number, [0, 1, 2, 1, 2]);
        assert!(
            (cores.extent(1).max - DVec3::new(0.5_f64.sqrt(), 0.5_f64.sqrt(), 0.5)).length()
                < 1e-15
        );
        assert_eq!(cores.extent(4), Aabb::from_sphere(DVec3::ZERO, 1.0));
        assert!(cores.is_ball(4) && !cores.is_ball(3) && !cores.are_balls());
        assert_eq!((cores.side(3, 0.1).more, cores.side(4, 0.1).more), (0.1, 0.0));
    }

    /// Every piece has the rounding of its own.
    #[test]
    fn pieces_keep_their_radii_when_they_turn() {
        let upright = Shape::capsule(0.25, 2.0).unwrap();
        let parts = vec![
            (upright, DVec3::ZERO, DQuat::IDENTITY),
            (Shape::ball(0.5), DVec3::new(0.0, 0.0, 1.0), DQuat::IDENTITY),
        ];
        let pin = Shape::compound(parts).unwrap();
        let top = 1.5 + pin.origin.z;
        let (mut model, mut state) = (Model::new(3, -DVec3::Z), State::default());
        let turn = DQuat::from_rotation_y(FRAC_PI_2);
        model.add(&mut state, pin, DVec3::ZERO, turn, Weight::Mass(1.0)).unwrap();
        let cores = Cores::new(Arc::new(model), &state);
        let radii: Vec<f64> = cores.pieces(0).iter().map(|piece| piece.radius).collect();
        assert_eq!(radii, [0.25, 0.5]);
        let extent = cores.extent(0);
        assert!((extent.max - DVec3::new(top, 0.5, 0.5)).length() < 1e-12, "{extent:?}");
    }
}
