//! Bodies that turn while they settle: nothing overlaps at frames, by separating axes, nor on the
//! way between them. There the planes of the file are asked: a corner or a rim that is on its side of a
//! plane at some moments is so in between, as far as bounds of its second derivative tell. Pairs
//! without a plane must be so far apart that they cannot meet.

mod modes;
mod path;
mod rest;

pub(super) use rest::report;

use rayon::prelude::*;

use self::path::{Corner, Side, Turning, lowest};
use super::Verdict;
use super::cells::{Cells, Region};
use super::checks::{Made, Measure, Step, Subject};
use super::convex::{Placed, separation};
use super::limits::Limits;
use super::overlap::Crowd;
use super::worst::{Meeting, Worst};
use crate::math::{DQuat, DVec3};
use crate::shape::{Core, Piece};
use crate::trajectory::{Plane, With};
use crate::world::{Model, State};

/// A normal in the file is of length one, and a tilt across it, up to this.
const ROUNDING: f64 = 1e-9;
/// Two bodies without a plane are followed in at most so many jumps, each as far as they can go
/// without meeting.
const MOST_JUMPS: usize = 400;

/// Looks for overlap, frame after frame.
pub(super) struct Turned<'a> {
    model: &'a Model,
    limits: Limits,
    crowd: Crowd<'a>,
    container: Container,
    found: Found,
}

#[derive(Clone, Debug, Default)]
struct Found {
    at_frames: Worst<Meeting>,
    between_frames: Worst<Meeting>,
    /// What is wrong with a plane.
    fault: Option<String>,
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    let model = subject.model;
    let (crowd, container) = (Crowd::new(model), Container::of(model));
    let found = Found::default();
    Some(Box::new(Turned { model, limits: subject.limits, crowd, container, found }))
}

/// What is around the free space.
struct Container {
    /// Planes that it lies on one side of as a whole: inward normal, offset, face; each once.
    walls: Vec<(DVec3, f64, usize)>,
    /// Faces that do not lie on such, each as a flat piece.
    faces: Vec<(usize, Piece, Region)>,
}

impl Container {
    fn of(model: &Model) -> Container {
        let faces = model.boundary.faces();
        let corners = || faces.iter().flat_map(|face| &face.corners);
        let Region { min, max } = Region::around(corners().copied());
        let size = (max - min).max_element();
        let mut walls: Vec<(DVec3, f64, usize)> = Vec::new();
        let mut inner = Vec::new();
        for (number, face) in faces.iter().enumerate() {
            let across = match face.corners[..] {
                [a, b] => (b - a).cross(DVec3::Z),
                [a, b, c] => (b - a).cross(c - a),
                _ => DVec3::ZERO,
            };
            let inward = -across.normalize_or_zero();
            let offset = inward.dot(face.corners[0]);
            if corners().any(|corner| inward.dot(*corner) < offset - ROUNDING * size) {
                let piece = Piece::new(Core::Polytope(face.polytope()), 0.0);
                inner.push((number, piece, Region::around(face.corners.iter().copied())));
                continue;
            }
            let is_same = |wall: &(DVec3, f64, usize)| {
                wall.0.distance(inward) <= 1e-12 && (wall.1 - offset).abs() <= 1e-12 * size
            };
            if !walls.iter().any(is_same) {
                walls.push((inward, offset, number));
            }
        }
        Container { walls, faces: inner }
    }
}

impl Turned<'_> {
    fn look(&self, step: &Step) -> Found {
        let state = &step.frame.state;
        let mut found =
            Found { at_frames: self.crowd.deepest(step.index, state, 0.0), ..Found::default() };
        let Some(before) = step.before else { return found };
        let turning: Vec<Turning> =
            (0..state.positions.len()).map(|i| Turning::new(&before.state, state, i)).collect();
        self.walls_on_the_way(step.index, &turning, &mut found);
        let planes = match self.sorted(&step.frame.trace.planes) {
            Ok(planes) => planes,
            Err(fault) => {
                found.fault = Some(format!("on the way to frame {}, {fault}", step.index));
                return found;
            }
        };
        self.pairs_on_the_way(step.index, &turning, &planes, &mut found);
        self.faces_on_the_way(step.index, &turning, &planes, &mut found);
        found
    }

    /// The planes, by the bodies and pieces that they separate; or what is wrong with one.
    fn sorted<'p>(&self, planes: &'p [Plane]) -> Result<Vec<&'p Plane>, String> {
        let pieces = |body: u32| self.model.shape(body as usize).pieces.len() as u32;
        for plane in planes {
            let name = format!("a plane of body {} and {:?}", plane.body, plane.with);
            let (bodies, faces) = (self.model.bodies.len(), self.model.boundary.faces().len());
            let (is_there, far) = match plane.with {
                With::Body(j) if plane.body < j && (j as usize) < bodies => (true, pieces(j)),
                With::Face(face) => ((face as usize) < faces, 1),
                _ => (false, 0),
            };
            if !is_there || plane.body as usize >= bodies {
                return Err(format!("{name} is between what is not there"));
            }
            if plane.pieces[0] >= pieces(plane.body) || plane.pieces[1] >= far {
                return Err(format!("{name} is of a piece that is not there"));
            }
            let is_unit = (plane.normal.length() - 1.0).abs() <= ROUNDING;
            if !is_unit || plane.normal.dot(plane.tilt).abs() > ROUNDING {
                return Err(format!("{name} has no proper normal"));
            }
        }
        let mut sorted: Vec<&Plane> = planes.iter().collect();
        sorted.sort_by_key(|plane| (plane.body, plane.with, plane.pieces));
        Ok(sorted)
    }

    fn walls_on_the_way(&self, frame: usize, turning: &[Turning], found: &mut Found) {
        for body in self.model.free().filter(|&i| turning[i].moves()) {
            let size = self.model.bodies[body].radius;
            for piece in &self.model.shape(body).pieces {
                let corners = Corner::all(piece);
                for &(normal, offset, face) in &self.container.walls {
                    let side = Side::wall(normal, offset, piece.radius);
                    for corner in &corners {
                        let low = lowest(&turning[body], corner, &side, size);
                        let meeting = Meeting::BodyAndFace(body, face);
                        found.between_frames.note(-low / size, frame, meeting);
                    }
                }
            }
        }
    }

    fn pairs_on_the_way(
        &self,
        frame: usize,
        turning: &[Turning],
        planes: &[&Plane],
        found: &mut Found,
    ) {
        let radius = |i: usize| self.model.bodies[i].radius;
        let region = |i: usize| Region::around(turning[i].ends()).grown(radius(i));
        let regions: Vec<Region> = (0..turning.len()).map(region).collect();
        let least = self.model.bodies.iter().map(|b| 2.0 * b.radius).fold(f64::MAX, f64::min);
        Cells::new(regions, least).pairs(|i, j| {
            let (i, j) = (i.min(j), i.max(j));
            let is_free = |i: usize| self.model.bodies[i].is_free();
            let moves = turning[i].moves() || turning[j].moves();
            if moves && (is_free(i) || is_free(j)) {
                let depth = self.pair([i, j], turning, planes);
                found.between_frames.note(
                    depth / radius(i).min(radius(j)),
                    frame,
                    Meeting::of(i, j),
                );
            }
        });
    }

    /// Faces that are no walls are flat bodies that stay where they are.
    fn faces_on_the_way(
        &self,
        frame: usize,
        turning: &[Turning],
        planes: &[&Plane],
        found: &mut Found,
    ) {
        let still = Turning::still();
        for body in self.model.free().filter(|&i| turning[i].moves()) {
            let size = self.model.bodies[body].radius;
            let region = Region::around(turning[body].ends()).grown(size);
            for (face, piece, around) in &self.container.faces {
                if !region.meets(around) {
                    continue;
                }
                let far =
                    Member { turning: &still, pieces: std::slice::from_ref(piece), reach: 0.0 };
                let with = With::Face(*face as u32);
                let depth =
                    self.members([&self.member(body, turning), &far], body, with, size, planes);
                let meeting = Meeting::BodyAndFace(body, *face);
                found.between_frames.note(depth / size, frame, meeting);
            }
        }
    }

    fn member<'t>(&'t self, body: usize, turning: &'t [Turning]) -> Member<'t> {
        let pieces = &self.model.shape(body).pieces;
        Member { turning: &turning[body], pieces, reach: self.model.bodies[body].radius }
    }

    /// How deep two bodies may overlap on their way, at most.
    fn pair(&self, [i, j]: [usize; 2], turning: &[Turning], planes: &[&Plane]) -> f64 {
        let size = self.model.bodies[i].radius.min(self.model.bodies[j].radius);
        let members = [&self.member(i, turning), &self.member(j, turning)];
        self.members(members, i, With::Body(j as u32), size, planes)
    }

    /// The same of a body with another one, or with a face.
    fn members(
        &self,
        members: [&Member; 2],
        body: usize,
        with: With,
        size: f64,
        planes: &[&Plane],
    ) -> f64 {
        let key = (body as u32, with);
        let start = planes.partition_point(|plane| (plane.body, plane.with) < key);
        let own: Vec<&&Plane> =
            planes[start..].iter().take_while(|plane| (plane.body, plane.with) == key).collect();
        let mut deepest: f64 = 0.0;
        for (p, one) in members[0].pieces.iter().enumerate() {
            for (q, two) in members[1].pieces.iter().enumerate() {
                let pieces = [p as u32, q as u32];
                let depth = match own.iter().find(|plane| plane.pieces == pieces) {
                    Some(plane) => {
                        let sides = [(members[0], one, -1.0), (members[1], two, 1.0)];
                        let low = |(member, piece, sign): (&Member, &Piece, f64)| {
                            let side = Side::plane(plane, sign, piece.radius);
                            let of = |corner| lowest(member.turning, &corner, &side, size);
                            Corner::all(piece).into_iter().map(of).fold(f64::INFINITY, f64::min)
                        };
                        // Both may be short of the plane.
                        sides.map(low).into_iter().map(|low| -low.min(0.0)).sum()
                    }
                    None => without_plane(members, [one, two]),
                };
                deepest = deepest.max(depth);
            }
        }
        deepest
    }
}

/// What goes on a way: a body, or a face that stays.
struct Member<'a> {
    turning: &'a Turning,
    pieces: &'a [Piece],
    /// The farthest that a point of it is from its middle.
    reach: f64,
}

/// Follows two pieces without a plane: as far apart as they are, they cannot meet before they
/// have gone as far.
fn without_plane(members: [&Member; 2], pieces: [&Piece; 2]) -> f64 {
    let ways = members.map(|member| member.turning);
    let arm = |k: usize| members[k].reach * ways[k].turn.length();
    let speed = (ways[0].way - ways[1].way).length() + arm(0) + arm(1);
    let mut moment = 0.0;
    for _ in 0..MOST_JUMPS {
        let [a, b] = [0, 1].map(|k| {
            let (position, rotation) = ways[k].at(moment);
            Placed::new(pieces[k], position, rotation)
        });
        let rounding = a.radius() + b.radius();
        let gap = separation(&a, &b, f64::INFINITY).0 - rounding;
        if gap <= 0.0 {
            return -gap;
        }
        moment += gap / speed;
        // What is no number ends here, too, and is told.
        if moment >= 1.0 {
            return 0.0;
        }
    }
    f64::NAN
}

impl Measure for Turned<'_> {
    fn frame(&mut self, step: &Step) {
        self.frames(std::slice::from_ref(step));
    }

    fn frames(&mut self, steps: &[Step]) {
        let found: Vec<Found> = steps.par_iter().map(|step| self.look(step)).collect();
        for found in found {
            self.found.at_frames.merge(found.at_frames);
            self.found.between_frames.merge(found.between_frames);
            self.found.fault = self.found.fault.take().or(found.fault);
        }
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let Found { at_frames: at, between_frames: between, fault } = &self.found;
        verdict.max_overlap = Some(at.value);
        verdict.measure("overlap", at.value, self.limits.overlap, at.describe("in"));
        if let Some(fault) = fault {
            verdict.state("overlap between frames", Some(fault.clone()), "");
            return;
        }
        verdict.max_overlap_between_frames = Some(between.value);
        let (limit, detail) = (self.limits.overlap_between, between.describe("on the way to"));
        verdict.measure("overlap between frames", between.value, limit, detail);
    }
}

/// The rotation vector from one turn to another, the short way.
fn rotation_between(from: DQuat, to: DQuat) -> DVec3 {
    let turn = to * from.inverse();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let sine = turn.xyz().length();
    if sine == 0.0 { DVec3::ZERO } else { turn.xyz() * (2.0 * sine.atan2(turn.w) / sine) }
}

/// Where a state puts a body.
fn pose(state: &State, body: usize) -> (DVec3, DQuat) {
    (state.positions[body], state.rotations[body])
}
