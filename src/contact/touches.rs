//! Where two rigid bodies touch or could touch, for collapse: every point of every
//! contact by itself, with what its normal turns with. (The rule for points as printed
//! in [C11 8.5] leaves unstable towers standing; see meetings.rs for ours.)

use serde::{Deserialize, Serialize};

use super::cores::Rounded;
use super::meetings::{Carrier, Meeting, meetings, turning};
use super::walls::Walls;
use crate::math::{DQuat, DVec3};
use crate::near;
use crate::shape::{Aabb, Core, Piece, Shape};
use crate::world::{Material, Model, State, With};

/// A point of a body that another one, or a face of the container, keeps out, or the other way
/// round. Body `a` is that of the key, `b` the other side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    /// Who touches whom.
    pub key: TouchKey,
    /// The points of the two surfaces that face each other, in the frame of the world.
    pub at: [DVec3; 2],
    /// Unit vector from `b` to `a`.
    pub normal: DVec3,
    /// Along the normal: negative if they overlap.
    pub gap: f64,
    /// What the normal turns with.
    pub carrier: Carrier,
    /// How far the surfaces are from what turns with the bodies: the rounding of their pieces.
    pub radii: [f64; 2],
    /// How far normals of planes that separate the bodies here are from this one, as an angle: see
    /// corners.rs. Zero where one plane alone does.
    pub spread: f64,
}

/// The same contact has the same key from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct TouchKey {
    /// Of two bodies, the one of smaller number.
    pub body: u32,
    /// The other side.
    pub with: With,
    /// The pieces of the two; 0 of a face.
    pub pieces: [u32; 2],
    /// Which features of the pieces meet.
    pub feature: [u32; 2],
}

/// A shift of a centre of mass, and a rotation vector about it.
pub(crate) type Move = (DVec3, DVec3);

/// Corners reach equally far along a direction, and a facet is what separates two pieces, up to
/// this part of their size: rounding of coordinates.
const ALIKE: f64 = 1e-9;

/// What can touch: the convex pieces of a model's shapes, each in the frame of its body, and
/// the walls that keep bodies in the container.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    shapes: Vec<Vec<Rounded>>,
    /// Per piece the axis of a cylinder, rounded by its radius; empty if cylinders are prisms on all
    /// sides.
    sides: Vec<Vec<Option<Rounded>>>,
    walls: Walls,
    /// Pairs of bodies that pass through each other, sorted.
    exempt: Vec<[u32; 2]>,
}

impl Pieces {
    /// Those of a model.
    pub fn new(model: &Model) -> Self {
        let rounded = |piece: &Piece| Rounded { core: piece.polytope(), radius: piece.radius };
        let of_shape = |shape: &Shape| shape.pieces.iter().map(rounded).collect();
        Pieces {
            shapes: model.shapes.iter().map(of_shape).collect(),
            sides: Vec::new(),
            walls: Walls::of(model),
            exempt: model.exempt(),
        }
    }

    /// The same with cylinders whose sides are round: along a line they touch as they are, not as the
    /// prisms around them; their ends are those of prisms.
    pub fn with_round_sides(model: &Model) -> Self {
        let side = |piece: &Piece| match piece.core {
            Core::Cylinder { radius, half } => {
                let axis = Piece { core: Core::Segment { half }, ..piece.clone() };
                Some(Rounded { core: axis.polytope(), radius: radius + piece.radius })
            }
            _ => None,
        };
        let of_shape = |shape: &Shape| shape.pieces.iter().map(side).collect();
        Pieces { sides: model.shapes.iter().map(of_shape).collect(), ..Pieces::new(model) }
    }

    /// The pieces of a body where it is.
    pub fn placed(&self, model: &Model, state: &State, body: usize) -> Vec<Rounded> {
        let (position, rotation) = (state.positions[body], state.rotations[body]);
        let pieces = self.shapes[model.bodies[body].shape as usize].iter();
        let place = |piece: &Rounded| Rounded {
            core: piece.core.placed(position, rotation),
            radius: piece.radius,
        };
        pieces.map(place).collect()
    }

    /// The round side of a piece where it is, if it has one.
    fn placed_side(
        &self,
        model: &Model,
        state: &State,
        body: usize,
        piece: usize,
    ) -> Option<Rounded> {
        let Rounded { core, radius } =
            self.sides.get(model.bodies[body].shape as usize)?.get(piece)?.as_ref()?;
        let core = core.placed(state.positions[body], state.rotations[body]);
        Some(Rounded { core, radius: *radius })
    }

    /// One of them.
    pub fn placed_piece(&self, model: &Model, state: &State, body: usize, piece: usize) -> Rounded {
        let Rounded { core, radius } = &self.shapes[model.bodies[body].shape as usize][piece];
        let core = core.placed(state.positions[body], state.rotations[body]);
        Rounded { core, radius: *radius }
    }

    /// All points within reach of each other, sorted by key. `reach` says per body how far its
    /// points may come in the next move.
    pub fn touches(&self, model: &Model, state: &State, reach: &[f64]) -> Vec<Touch> {
        let count = model.bodies.len();
        let placed: Vec<Vec<Rounded>> = (0..count).map(|i| self.placed(model, state, i)).collect();
        let region = |(pieces, reach): (&Vec<Rounded>, &f64)| {
            let bounds = pieces.iter().map(|piece| piece.core.bounds().grow(piece.radius));
            bounds.fold(Aabb::EMPTY, |all, one| all.union(&one)).grow(*reach)
        };
        let mut regions: Vec<Aabb> = placed.iter().zip(reach).map(region).collect();
        regions.extend(self.walls.iter().map(|wall| wall.piece.core.bounds()));
        let mut found = Vec::new();
        for pair in near::pairs(&regions) {
            let (a, b) = (pair.i as usize, pair.j as usize);
            let moves = |i: usize| i < count && model.bodies[i].is_free();
            let exempt = self.exempt.binary_search(&[pair.i, pair.j]).is_ok();
            if exempt || !(moves(a) || moves(b)) {
                continue;
            }
            let wall = b.checked_sub(count).map(|wall| self.walls.get(wall as u32));
            let (others, within) = match wall {
                Some(wall) => (std::slice::from_ref(&wall.piece), reach[a]),
                None => (&placed[b][..], reach[a] + reach[b]),
            };
            for (p, one) in placed[a].iter().enumerate() {
                for (q, two) in others.iter().enumerate() {
                    let round = [Some((a, p)), wall.is_none().then_some((b, q))].map(|piece| {
                        piece.and_then(|(body, k)| self.placed_side(model, state, body, k))
                    });
                    let (meetings, radii) = met_along_sides([one, two], &round, within)
                        .unwrap_or_else(|| {
                            (all_meetings(one, two, within), [one.radius, two.radius])
                        });
                    for met in meetings {
                        let with = match wall {
                            Some(wall) => With::Face(wall.face_at(met.at[1])),
                            None => With::Body(pair.j),
                        };
                        found.push(Touch::new(met, radii, pair.i, with, [p, q]));
                    }
                }
            }
        }
        found.sort_by_key(|touch| touch.key);
        found
    }
}

/// The points of a contact, and those where the pieces could turn to meet.
fn all_meetings(one: &Rounded, two: &Rounded, reach: f64) -> Vec<Meeting> {
    let (cores, rounding) = ([&one.core, &two.core], one.radius + two.radius);
    let mut found = meetings(cores, rounding, reach, alike(one, two));
    if let [only] = &found[..]
        && !matches!(only.carrier, Carrier::FaceOfA | Carrier::FaceOfB)
    {
        found.extend(turning(cores, reach + rounding, only.gap()));
    }
    found
}

/// The points of a contact where cylinders touch with their round sides: normals are across the axes of
/// all that are taken for round. With the radii; none where an end touches, or nothing is round.
fn met_along_sides(
    sharp: [&Rounded; 2],
    round: &[Option<Rounded>; 2],
    reach: f64,
) -> Option<(Vec<Meeting>, [f64; 2])> {
    let [p, q] = [0, 1].map(|k| round[k].as_ref());
    let tries = [[p, q], [p, None], [None, q]];
    tries.into_iter().filter(|sides| sides.iter().any(Option::is_some)).find_map(|sides| {
        let [one, two] = [0, 1].map(|k| sides[k].unwrap_or(sharp[k]));
        let met = all_meetings(one, two, reach);
        let is_across = |side: &Rounded, met: &Meeting| match side.core.corners() {
            [a, b] => met.normal.dot((*b - *a).normalize_or_zero()).abs() < ALIKE,
            _ => true,
        };
        let is_side = |met: &Meeting| sides.into_iter().flatten().all(|side| is_across(side, met));
        let is_met = !met.is_empty() && met.iter().all(is_side);
        is_met.then_some((met, [one.radius, two.radius]))
    })
}

fn alike(one: &Rounded, two: &Rounded) -> f64 {
    let size = |piece: &Rounded| piece.core.bounds().size().max_element();
    ALIKE * size(one).max(size(two))
}

impl Touch {
    fn new(met: Meeting, radii: [f64; 2], body: u32, with: With, pieces: [usize; 2]) -> Touch {
        let Meeting { at, normal, carrier, feature } = met;
        let at = [at[0] - normal * radii[0], at[1] + normal * radii[1]];
        let pieces = pieces.map(|piece| piece as u32);
        Touch {
            key: TouchKey { body, with, pieces, feature },
            at,
            normal,
            gap: normal.dot(at[0] - at[1]),
            carrier,
            radii,
            spread: 0.0,
        }
    }

    /// The two bodies; a face of the container is none.
    pub fn bodies(&self) -> [Option<u32>; 2] {
        let other = match self.key.with {
            With::Body(body) => Some(body),
            _ => None,
        };
        [Some(self.key.body), other]
    }

    /// The smaller radius of the bodies.
    pub fn size(&self, model: &Model) -> f64 {
        let radius = |body: u32| model.bodies[body as usize].radius;
        self.bodies().into_iter().flatten().map(radius).fold(f64::INFINITY, f64::min)
    }

    /// What both sides together are like.
    pub fn material(&self, model: &Model) -> Material {
        let of = |body: u32| model.bodies[body as usize].material;
        let other = self.bodies()[1].map_or(model.wall, of);
        of(self.key.body).with(other)
    }

    /// What the two sides do when bodies move so; a face of the container stays.
    pub fn moves(&self, all: &[Move]) -> [Move; 2] {
        self.bodies().map(|body| body.map_or(Default::default(), |body| all[body as usize]))
    }

    /// How its two points move, to first order.
    fn speeds(&self, state: &State, moves: [Move; 2]) -> [DVec3; 2] {
        [0, 1].map(|side| {
            let (shift, turn) = moves[side];
            shift + turn.cross(self.arm(state, side))
        })
    }

    /// The motion of `a` at the touch relative to `b`, to first order.
    pub fn relative(&self, state: &State, moves: [Move; 2]) -> DVec3 {
        let [one, two] = self.speeds(state, moves);
        one - two
    }

    /// How `a` slides along `b` at the touch, to first order.
    pub fn slip(&self, state: &State, moves: [Move; 2]) -> DVec3 {
        let motion = self.relative(state, moves);
        motion - self.normal * self.normal.dot(motion)
    }

    /// How fast the gap grows, to first order.
    pub fn rate(&self, state: &State, moves: [Move; 2]) -> f64 {
        let [one, two] = self.speeds(state, moves);
        self.normal.dot(one) - self.normal.dot(two)
    }

    /// From the centre of mass of a side to its point; of a face, which does not turn, nothing.
    fn arm(&self, state: &State, side: usize) -> DVec3 {
        let centre = |body: u32| self.at[side] - state.positions[body as usize];
        self.bodies()[side].map_or(DVec3::ZERO, centre)
    }

    /// The gap after both sides have moved, to all orders.
    pub fn gap_after(&self, state: &State, moves: [Move; 2]) -> f64 {
        let turns = moves.map(|(_, turn)| DQuat::from_scaled_axis(turn));
        let cores =
            [self.at[0] + self.normal * self.radii[0], self.at[1] - self.normal * self.radii[1]];
        let [one, two] = [0, 1].map(|side| match self.bodies()[side] {
            Some(body) => {
                let centre = state.positions[body as usize];
                centre + moves[side].0 + turns[side] * (cores[side] - centre)
            }
            None => cores[side],
        });
        let apart = one - two;
        let carrier = self.carrier.turned(turns);
        let normal = self.carried_normal(carrier, turns, apart);
        normal.dot(apart) - self.radii[0] - self.radii[1]
    }

    /// The direction of a difference of points, across an edge.
    fn across(&self, edge: DVec3, apart: DVec3) -> DVec3 {
        let along = edge.normalize_or_zero();
        let across = (apart - along * along.dot(apart)).try_normalize().unwrap_or(self.normal);
        // Cores that overlap are taken apart the way they came.
        if across.dot(self.normal) < 0.0 { -across } else { across }
    }

    /// The same points of both sides where bodies were before they moved so: a touch that only the
    /// end of a motion shows, as one of its beginning.
    pub fn taken_back(&self, before: &State, moves: [Move; 2]) -> Touch {
        let turns = moves.map(|(_, turn)| DQuat::from_scaled_axis(-turn));
        let cores =
            [self.at[0] + self.normal * self.radii[0], self.at[1] - self.normal * self.radii[1]];
        let [one, two] = [0, 1].map(|side| match self.bodies()[side] {
            Some(body) => {
                let centre = before.positions[body as usize];
                centre + turns[side] * (cores[side] - centre - moves[side].0)
            }
            None => cores[side],
        });
        let carrier = self.carrier.turned(turns);
        let normal = self.carried_normal(carrier, turns, one - two);
        Touch {
            at: [one - normal * self.radii[0], two + normal * self.radii[1]],
            normal,
            gap: normal.dot(one - two) - self.radii[0] - self.radii[1],
            carrier,
            ..*self
        }
    }

    /// The normal once its sides have turned and its cores are so far apart.
    fn carried_normal(&self, carrier: Carrier, turns: [DQuat; 2], apart: DVec3) -> DVec3 {
        match carrier {
            Carrier::FaceOfA => turns[0] * self.normal,
            Carrier::FaceOfB => turns[1] * self.normal,
            Carrier::Edges(one, two) => {
                let across = one.cross(two).normalize_or_zero();
                if across.dot(self.normal) < 0.0 { -across } else { across }
            }
            Carrier::EdgeOfA(along) | Carrier::EdgeOfB(along) => self.across(along, apart),
            Carrier::Points => self.across(DVec3::ZERO, apart),
        }
    }

    /// What the linear row misses of [`Touch::gap_after`]: the second-order term
    /// of the sidedness constraint, S' of [C11 5].
    pub fn bend(&self, state: &State, moves: [Move; 2]) -> f64 {
        self.gap_after(state, moves) - self.gap - self.rate(state, moves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;
    use crate::world::Weight;

    const UNIT: Weight = Weight::Mass(1.0);

    /// Two unit squares side by side and one on top, over the joint.
    fn three() -> (Model, State) {
        let (mut model, mut state) = (Model::new(2, DVec3::NEG_Y), State::default());
        let square = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
        let square = model.add_shape(Shape::polygon(&square, &[]).unwrap());
        for (x, y) in [(0.0, 0.0), (1.0, 0.0), (0.5, 1.0)] {
            let at = DVec3::new(x, y, 0.0);
            model.add_body(&mut state, square, at, DQuat::IDENTITY, UNIT).unwrap();
        }
        (model, state)
    }

    #[test]
    fn faces_touch_at_the_two_ends_of_their_interval() {
        let (model, state) = three();
        let found = Pieces::new(&model).touches(&model, &state, &[1e-6; 3]);
        let points = |a: u32, b: u32| {
            let of = found.iter().filter(|t| (t.key.body, t.key.with) == (a, With::Body(b)));
            let mut points: Vec<[f64; 2]> = of.map(|t| [t.at[0].x, t.at[0].y]).collect();
            points.sort_by(|a, b| a.partial_cmp(b).unwrap());
            points
        };
        assert_eq!(points(0, 1), [[0.5, -0.5], [0.5, 0.5]]);
        assert_eq!(points(0, 2), [[0.0, 0.5], [0.5, 0.5]]);
        assert_eq!(points(1, 2), [[0.5, 0.5], [1.0, 0.5]]);
        assert_eq!(found.len(), 6);
        assert!(found.iter().all(|t| t.gap.abs() < 1e-15));
        let above = found.iter().find(|t| t.key.with == With::Body(2)).unwrap();
        assert_eq!(above.normal, DVec3::NEG_Y, "from b, above, to a, below");
    }

    /// How the second-order term of every touch shrinks when a motion gets ten times smaller.
    fn bends(model: &Model, state: &State, reach: f64, tilt: DVec3) -> Vec<f64> {
        let reach = vec![reach; model.bodies.len()];
        let found = Pieces::new(model).touches(model, state, &reach);
        let ratio = |touch: &Touch| {
            let bend = |s: f64| {
                let one = (DVec3::new(0.3, 0.1, 0.2) * s, tilt * (0.7 * s));
                let two = (DVec3::new(-0.2, 0.4, 0.1) * s, tilt * (-0.4 * s));
                touch.bend(state, touch.moves(&[one, two, one]))
            };
            bend(1e-3) / bend(1e-4)
        };
        found.iter().map(ratio).collect()
    }

    /// The second-order term is what a finite motion shows beyond the linear row.
    #[test]
    fn the_bend_is_of_second_order() {
        let (model, state) = three();
        for ratio in bends(&model, &state, 0.1, DVec3::Z) {
            assert!((ratio - 100.0).abs() < 1.0, "{ratio}");
        }
    }

    #[test]
    fn the_bend_of_round_pieces_is_of_second_order() {
        let capsule = Shape::capsule(0.4, 2.0).unwrap();
        let cube = Shape::cuboid(DVec3::ONE).unwrap();
        for other in [Shape::ball(0.3), capsule.clone(), cube] {
            let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
            let tilt = DQuat::from_rotation_x(1.0);
            model.add(&mut state, capsule.clone(), DVec3::ZERO, tilt, UNIT).unwrap();
            let at = DVec3::new(0.6, 0.3, 0.7);
            model.add(&mut state, other, at, DQuat::from_rotation_y(0.4), UNIT).unwrap();
            let found = bends(&model, &state, 0.5, DVec3::new(0.3, 0.5, 0.8));
            assert!(!found.is_empty());
            assert!(found.iter().all(|ratio| (ratio - 100.0).abs() < 2.0), "{found:?}");
        }
    }

    #[test]
    fn bodies_touch_the_faces_of_their_container() {
        let (mut model, state) = three();
        let corners = [[-1.0, -0.5], [2.0, -0.5], [2.0, 3.0], [-1.0, 3.0]];
        model.boundary = crate::shape::Boundary::from_polygon(&corners);
        model.wall = Material { friction: 0.3, ..model.wall };
        model.bodies[0].material.friction = 0.3;
        let found = Pieces::new(&model).touches(&model, &state, &[1e-6; 3]);
        let floor: Vec<&Touch> = found.iter().filter(|t| t.key.with == With::Face(0)).collect();
        assert_eq!((found.len(), floor.len()), (10, 4));
        assert!(floor.iter().all(|t| t.normal == DVec3::Y && t.gap.abs() < 1e-15));
        assert_eq!(floor[0].material(&model).friction, 0.3);
        assert_eq!(floor[0].relative(&state, [(DVec3::X, DVec3::Z), Default::default()]).x, 1.5);
    }
}
