//! Overlap of bodies that turn, at every frame: of rigid bodies with each other, of
//! bodies with the container, and of particles of cloth with bodies. Depths are
//! relative to the smaller radius.

use rayon::prelude::*;

use super::Verdict;
use super::cells::{Cells, Region};
use super::checks::{Made, Measure, Step, Subject};
use super::convex::{Placed, deeper_than};
use super::limits::Limits;
use super::worst::{Meeting, Worst};
use crate::math::{DQuat, DVec3};
use crate::scene::MethodName;
use crate::shape::{Core, Face, Piece, Polytope};
use crate::world::{Model, State};

/// Bodies are quiet below this part of the speed that a fall through their radius gives.
const QUIET: f64 = 1e-2;

/// Looks for overlap at every frame.
pub(super) struct Overlap<'a> {
    crowd: Crowd<'a>,
    limits: Limits,
    /// Frames are looked at half-way, too.
    half_way: bool,
    at_frames: Worst<Meeting>,
    between_frames: Worst<Meeting>,
    /// The last state, and its frame.
    last: Option<(usize, State)>,
}

/// Who may not overlap.
pub(crate) struct Crowd<'a> {
    model: &'a Model,
    /// Pairs that joints let pass through each other, and ties of cloth; sorted.
    exempt: Vec<[u32; 2]>,
    walls: Vec<Piece>,
    faces: Cells,
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    Some(Box::new(Overlap {
        crowd: Crowd::new(subject.model),
        limits: subject.limits,
        half_way: subject.model.method.name() == MethodName::Collapse,
        at_frames: Worst::default(),
        between_frames: Worst::default(),
        last: None,
    }))
}

impl<'a> Overlap<'a> {
    /// Whether nothing moves any more, or hardly.
    fn is_quiet(&self, state: &State) -> bool {
        let model = self.crowd.model;
        model.free().all(|i| {
            let radius = model.bodies[i].radius;
            let speed = state.velocities[i].length() + radius * state.spins[i].length();
            speed <= QUIET * (2.0 * model.pull(i).length() * radius).sqrt()
        })
    }
}

/// Half-way from one state to another.
fn middle(from: &State, to: &State) -> State {
    let halved = from.positions.iter().zip(&to.positions).map(|(p, q)| 0.5 * (*p + *q));
    let half_turn = |(q, r): (&DQuat, &DQuat)| q.slerp(if q.dot(*r) < 0.0 { -*r } else { *r }, 0.5);
    let rotations = from.rotations.iter().zip(&to.rotations).map(half_turn).collect();
    State { rotations, ..State::at_rest(halved.collect()) }
}

impl Measure for Overlap<'_> {
    fn frame(&mut self, step: &Step) {
        self.frames(std::slice::from_ref(step));
    }

    fn frames(&mut self, steps: &[Step]) {
        let (known, between) = (self.at_frames.value, self.between_frames.value);
        let look = |step: &Step| {
            let state = &step.frame.state;
            let at = self.crowd.deepest(step.index, state, known);
            let before = step.before.filter(|_| self.half_way);
            let half = before.map(|before| middle(&before.state, state));
            (at, half.map(|half| self.crowd.deepest(step.index, &half, between)))
        };
        let found: Vec<_> = steps.par_iter().map(look).collect();
        for (at, half_way) in found {
            self.at_frames.merge(at);
            self.between_frames.merge(half_way.unwrap_or_default());
        }
        if let Some(step) = steps.last() {
            self.last = Some((step.index, step.frame.state.clone()));
        }
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let at = self.at_frames;
        verdict.max_overlap = Some(at.value);
        verdict.measure("overlap", at.value, self.limits.overlap, at.describe("in"));
        if self.half_way {
            let between = self.between_frames;
            verdict.max_overlap_between_frames = Some(between.value);
            let detail = between.describe("half-way to");
            let limit = self.limits.overlap_between;
            verdict.measure("overlap between frames", between.value, limit, detail);
        }
        if let Some((index, state)) = &self.last
            && self.limits.overlap_at_end < self.limits.overlap
            && self.is_quiet(state)
        {
            let end = self.crowd.deepest(*index, state, 0.0);
            let (limit, detail) = (self.limits.overlap_at_end, end.describe("in the last"));
            verdict.measure("overlap at the end", end.value, limit, detail);
        }
    }
}

impl<'a> Crowd<'a> {
    pub fn new(model: &'a Model) -> Crowd<'a> {
        let mut exempt = model.exempt();
        let ties = model.attachments.iter();
        exempt.extend(ties.filter_map(|tie| Some(sorted(tie.particle, tie.to?))));
        exempt.sort_unstable();
        let faces = model.boundary.faces();
        let regions = faces.iter().map(|face| Region::around(face.corners.iter().copied()));
        let least = model.bodies.iter().map(|body| 2.0 * body.radius).fold(f64::MAX, f64::min);
        Crowd {
            model,
            exempt,
            walls: faces.iter().map(wall).collect(),
            faces: Cells::new(regions.collect(), least),
        }
    }

    /// The deepest overlap of a state, if it is deeper than `bound`.
    pub(super) fn deepest(&self, frame: usize, state: &State, bound: f64) -> Worst<Meeting> {
        let mut worst = Worst { value: bound, at: None };
        self.meetings(state, &mut |meeting, size, a, b| {
            if let Some(depth) = deeper_than(a, b, worst.value * size) {
                worst.note(depth / size, frame, meeting);
            }
        });
        worst
    }

    /// The deepest overlap of a state as a part of the smaller radius, if it is deeper than a bound.
    pub fn deeper_than(&self, state: &State, bound: f64) -> Option<f64> {
        let worst = self.deepest(0, state, bound);
        worst.at.map(|_| worst.value)
    }

    /// All overlaps of a state, as lengths; each with the body, and the other one if it is not a
    /// wall.
    pub fn overlaps(&self, state: &State) -> Vec<(usize, Option<usize>, f64)> {
        let mut found = Vec::new();
        self.meetings(state, &mut |meeting, _, a, b| {
            if let Some(depth) = deeper_than(a, b, 0.0) {
                found.push(match meeting {
                    Meeting::Bodies(i, j) => (i, Some(j), depth),
                    Meeting::BodyAndFace(i, _) => (i, None, depth),
                });
            }
        });
        found
    }

    /// Visits all pieces that may not overlap and whose boxes meet, with the size that counts.
    fn meetings(&self, state: &State, visit: &mut Visit) {
        let rigid = Pieces::new(self.model, state);
        self.bodies(&rigid, visit);
        self.particles(state, &rigid, visit);
        self.container(state, &rigid, visit);
    }

    fn may_overlap(&self, i: usize, j: usize) -> bool {
        let moves = self.model.bodies[i].is_free() || self.model.bodies[j].is_free();
        !moves || self.exempt.binary_search(&sorted(i as u32, j as u32)).is_ok()
    }

    fn size(&self, i: usize, j: usize) -> f64 {
        self.model.bodies[i].radius.min(self.model.bodies[j].radius)
    }

    /// Rigid bodies, in the order of their lower ends along x.
    fn bodies(&self, pieces: &Pieces, visit: &mut Visit) {
        let spans = &pieces.spans;
        let mut order: Vec<usize> = (0..spans.len()).collect();
        order.sort_by(|&i, &j| spans[i].min.x.total_cmp(&spans[j].min.x));
        let mut open: Vec<usize> = Vec::new();
        for &i in &order {
            open.retain(|&j| spans[j].max.x >= spans[i].min.x);
            for &j in &open {
                if !spans[i].meets(&spans[j]) || self.may_overlap(i, j) {
                    continue;
                }
                for a in pieces.of(i) {
                    for b in pieces.of(j).iter().filter(|b| a.meets(b)) {
                        visit(Meeting::of(i, j), self.size(i, j), a, b);
                    }
                }
            }
            open.push(i);
        }
    }

    /// Particles of cloth against the pieces of bodies.
    fn particles(&self, state: &State, pieces: &Pieces, visit: &mut Visit) {
        let first = self.model.rigid_count();
        let x = |i: usize| state.positions[i].x;
        let mut order: Vec<usize> = (first..self.model.bodies.len()).collect();
        order.sort_by(|&i, &j| x(i).total_cmp(&x(j)));
        let widest = order.iter().map(|&i| self.model.bodies[i].radius).fold(0.0, f64::max);
        for body in 0..first {
            for placed in pieces.of(body) {
                let start = order.partition_point(|&i| x(i) < placed.low.x - widest);
                for &i in order[start..].iter().take_while(|&&i| x(i) <= placed.high.x + widest) {
                    let ball = Piece::new(Core::Point, self.model.bodies[i].radius);
                    let ball = Placed::new(&ball, state.positions[i], DQuat::IDENTITY);
                    if ball.meets(placed) && !self.may_overlap(i, body) {
                        visit(Meeting::of(i, body), self.size(i, body), &ball, placed);
                    }
                }
            }
        }
    }

    /// Everything that moves against the faces of the container.
    fn container(&self, state: &State, pieces: &Pieces, visit: &mut Visit) {
        if self.walls.is_empty() {
            return;
        }
        for body in self.model.free() {
            let size = self.model.bodies[body].radius;
            let mut meet = |placed: &Placed| {
                let around = Region { min: placed.low, max: placed.high };
                self.faces.meeting(&around, |face| {
                    let wall = Placed::new(&self.walls[face], DVec3::ZERO, DQuat::IDENTITY);
                    visit(Meeting::BodyAndFace(body, face), size, placed, &wall);
                });
            };
            match body < pieces.spans.len() {
                true => pieces.of(body).iter().for_each(&mut meet),
                false => {
                    let ball = Piece::new(Core::Point, size);
                    meet(&Placed::new(&ball, state.positions[body], DQuat::IDENTITY));
                }
            }
        }
    }
}

/// Who meets, the size that counts, and the two pieces.
type Visit<'v> = dyn FnMut(Meeting, f64, &Placed, &Placed) + 'v;

/// The pieces of all rigid bodies where they are.
struct Pieces<'a> {
    placed: Vec<Placed<'a>>,
    /// Of each body the first of its pieces, and one more.
    first: Vec<usize>,
    spans: Vec<Region>,
}

impl<'a> Pieces<'a> {
    fn new(model: &'a Model, state: &State) -> Pieces<'a> {
        let (mut placed, mut first, mut spans) = (Vec::new(), vec![0], Vec::new());
        for body in 0..model.rigid_count() {
            let (at, turn) = (state.positions[body], state.rotations[body]);
            let before = placed.len();
            placed
                .extend(model.shape(body).pieces.iter().map(|piece| Placed::new(piece, at, turn)));
            first.push(placed.len());
            let ends = placed[before..].iter().flat_map(|piece| [piece.low, piece.high]);
            spans.push(Region::around(ends));
        }
        Pieces { placed, first, spans }
    }

    fn of(&self, body: usize) -> &[Placed<'a>] {
        &self.placed[self.first[body]..self.first[body + 1]]
    }
}

/// A face of the container as a piece of the world.
pub(super) fn wall(face: &Face) -> Piece {
    let core = match face.corners[..] {
        [a, b] => Polytope::polygon(&[[a.x, a.y], [b.x, b.y]]),
        [a, b, c] => Polytope::triangle([a, b, c]),
        _ => Polytope::point(DVec3::ZERO),
    };
    Piece::new(Core::Polytope(core), 0.0)
}

fn sorted(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Boundary, Mesh, Shape};
    use crate::world::{Fabric, JointKind, Motion, Pattern, Weight};

    fn deepest(model: &Model, state: &State) -> Worst<Meeting> {
        Crowd::new(model).deepest(0, state, 0.0)
    }

    fn near(found: Worst<Meeting>, depth: f64, meeting: Meeting) {
        assert!((found.value - depth).abs() < 1e-9, "{found:?} {depth}");
        assert_eq!(found.at, Some((0, meeting)));
    }

    /// Two cubes of side 1 on a diagonal of 30 degrees, 0.02 into each other.
    fn cubes() -> (Model, State) {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        let turn = DQuat::from_rotation_z(0.5);
        for at in [DVec3::ZERO, turn * DVec3::X * 0.98] {
            let cube = Shape::cuboid(DVec3::ONE).unwrap();
            model.add(&mut state, cube, at, turn, Weight::Density(1.0)).unwrap();
        }
        (model, state)
    }

    #[test]
    fn bodies_overlap_unless_a_joint_lets_them() {
        let (mut model, mut state) = cubes();
        near(deepest(&model, &state), 0.02 / 0.75_f64.sqrt(), Meeting::Bodies(0, 1));
        assert_eq!(Crowd::new(&model).deepest(3, &state, 0.03).at, None, "not deep enough");
        model.bodies.iter_mut().for_each(|body| body.motion = Motion::Fixed);
        assert_eq!(deepest(&model, &state).at, None);
        model.bodies[0].motion = Motion::Free;
        model.join(&state, JointKind::Ball, [Some(0), Some(1)], [DVec3::X; 2], [DVec3::Z; 2]);
        assert_eq!(deepest(&model, &state).at, None);
        model.joints[0].collide = true;
        assert!(deepest(&model, &state).at.is_some());
        state.positions[1] *= 1.1;
        assert_eq!(deepest(&model, &state), Worst::default());
    }

    #[test]
    fn bodies_do_not_stick_out_of_the_container() {
        let (mut model, mut state) = cubes();
        state.positions[1] = DVec3::new(3.0, 3.0, 0.4);
        let room = Mesh::cuboid(DVec3::new(-1.0, -1.0, -1.0), DVec3::new(4.0, 4.0, 4.0));
        model.boundary = Boundary::from_mesh(&room);
        assert_eq!(deepest(&model, &state).at, None);
        state.positions[0].z = -0.6;
        let found = deepest(&model, &state);
        assert!((found.value - 0.1 / 0.75_f64.sqrt()).abs() < 1e-9, "{found:?}");
        assert!(matches!(found.at, Some((0, Meeting::BodyAndFace(0, _)))));
    }

    #[test]
    fn flat_bodies_overlap_in_their_plane() {
        let (mut model, mut state) = (Model::new(2, DVec3::NEG_Y), State::default());
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        for (at, angle) in [(DVec3::ZERO, 0.0), (DVec3::new(1.7, 0.4, 0.0), 0.75)] {
            let turn = DQuat::from_rotation_z(angle * std::f64::consts::PI);
            let shape = Shape::polygon(&square, &[]).unwrap();
            model.add(&mut state, shape, at, turn, Weight::Density(1.0)).unwrap();
        }
        // The corner at the origin of the second points to the left.
        let left = state.positions[1].x - 0.5_f64.sqrt();
        near(deepest(&model, &state), (1.0 - left) / 0.5_f64.sqrt(), Meeting::Bodies(0, 1));
        model
            .add(&mut state, Shape::disc(0.5), DVec3::Y * -0.45, DQuat::IDENTITY, Weight::Mass(1.0))
            .unwrap();
        state.positions[1].x += 1.0;
        near(deepest(&model, &state), 0.05 / 0.5, Meeting::Bodies(0, 2));
    }

    #[test]
    fn particles_do_not_enter_bodies() {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        let cube = Shape::cuboid(DVec3::splat(2.0)).unwrap();
        model.add(&mut state, cube, DVec3::ZERO, DQuat::IDENTITY, Weight::Density(1.0)).unwrap();
        let mut pattern = Pattern::of_mesh(Mesh::ball(1.0, 1));
        for vertex in &mut pattern.mesh.vertices {
            *vertex += DVec3::X * 2.005;
        }
        let fabric = Fabric { radius: 0.01, ..Default::default() };
        model.add_cloth(&mut state, &pattern, &fabric);
        // The leftmost particle is at 1.005 + a little, 0.005 in a skin of 0.01.
        let vertices = pattern.mesh.vertices.iter().enumerate();
        let (k, left) = vertices.min_by(|a, b| a.1.x.total_cmp(&b.1.x)).unwrap();
        near(deepest(&model, &state), (1.01 - left.x) / 0.01, Meeting::Bodies(0, 1 + k));
        model.attach(&state, 1 + k as u32, Some(0));
        assert!(deepest(&model, &state).at.is_none_or(|(_, m)| m != Meeting::Bodies(0, 1 + k)));
    }

    #[test]
    fn half_a_turn_is_half_a_turn() {
        let (_, mut state) = cubes();
        let first = state.clone();
        state.rotations[0] = -(DQuat::from_rotation_z(0.4) * state.rotations[0]);
        state.positions[1].x += 1.0;
        let half = middle(&first, &state);
        assert_eq!(half.positions[1].x, first.positions[1].x + 0.5);
        let turned = half.rotations[0] * first.rotations[0].inverse();
        assert!((turned.to_axis_angle().1 - 0.2).abs() < 1e-12);
    }
}
