//! Rows of bodies that are not both balls: pieces of two bodies, or pieces of a
//! body and faces of the container. While a run smooths, every body that is no
//! ball is rounded by a little more than its pieces are [M96 3.3.3].

use std::borrow::Cow;

use super::cores::{Cores, Rounded, Side};
use super::pieces::{Direction, PieceRow, clip_away, near_pieces};
use super::{Key, Other, Row};
use crate::math::{CLIP, DMat3, DVec3, SKIN};
use crate::near::Pair;
use crate::shape::{Aabb, room_along, widest};
use crate::world::State;

/// Rooms that differ by less than this part belong to one direction.
const SAME_DIRECTION: f64 = 1e-5;
/// Corners that reach as far as the farthest up to this part of the size touch, too.
pub(super) const FLAT: f64 = 1e-6;

/// The rows of two bodies, at least one of them no ball, that come closer by
/// no more than `reach` in the next step.
pub fn body_rows(
    cores: &Cores,
    state: &State,
    smoothing: f64,
    pair: &Pair,
    reach: f64,
) -> Vec<Row> {
    let (i, j) = (pair.i as usize, pair.j as usize);
    let offset = state.positions[i] - state.positions[j];
    let size = cores.model.bodies[i].radius.min(cores.model.bodies[j].radius);
    let rows = rows(cores.side(i, smoothing), cores.side(j, smoothing), offset, reach, size);
    let key = |pieces: [u32; 2]| Key { body: pair.i, other: Other::Pieces(pair.j, pieces) };
    rows.into_iter().map(|row| keep_skin(key(row.pieces), row, size)).collect()
}

/// The rows of a body that is no ball and the container; the body stays inside
/// `region` and moves by no more than `reach`.
pub fn body_wall_rows(
    cores: &Cores,
    state: &State,
    smoothing: f64,
    body: usize,
    region: &Aabb,
    reach: f64,
) -> Vec<Row> {
    let mut faces = Vec::new();
    cores.model.boundary.faces_in(region, &mut faces);
    let walls: Vec<Rounded> = faces.iter().map(|&face| wall(cores, face)).collect();
    let (offset, size) = (state.positions[body], cores.model.bodies[body].radius);
    let walls = Side { pieces: &walls, more: 0.0 };
    let rows = rows(cores.side(body, smoothing), walls, offset, reach, size);
    let key = |[own, wall]: [u32; 2]| Key {
        body: body as u32,
        other: Other::FacePiece(faces[wall as usize], own),
    };
    rows.into_iter().map(|row| keep_skin(key(row.pieces), row, size)).collect()
}

/// A face of the container as a piece.
fn wall(cores: &Cores, face: u32) -> Rounded {
    Rounded::sharp(cores.model.boundary.faces()[face as usize].polytope())
}

/// Two convex pieces that a row keeps apart.
pub(super) struct Meeting<'a> {
    pub own: &'a Rounded,
    pub other: Cow<'a, Rounded>,
    /// Where the first is seen from the second.
    pub offset: DVec3,
    /// Where the second is.
    pub place: DVec3,
}

impl<'a> Meeting<'a> {
    /// None unless the row is one of pieces.
    pub fn of(cores: &'a Cores, state: &State, key: &Key) -> Option<Self> {
        let i = key.body as usize;
        let piece = |body: usize, piece: u32| cores.pieces(body).get(piece as usize);
        match key.other {
            Other::Pieces(j, [p, q]) => {
                let (j, place) = (j as usize, state.positions[j as usize]);
                let (own, other) = (piece(i, p)?, Cow::Borrowed(piece(j, q)?));
                Some(Meeting { own, other, offset: state.positions[i] - place, place })
            }
            Other::FacePiece(face, p) => {
                let (own, other) = (piece(i, p)?, Cow::Owned(wall(cores, face)));
                Some(Meeting { own, other, offset: state.positions[i], place: DVec3::ZERO })
            }
            _ => None,
        }
    }

    /// By their own radii, without smoothing.
    fn rounding(&self) -> f64 {
        self.own.radius + self.other.radius
    }
}

/// Whether two corners, or a corner and an edge, of pieces without rounding
/// face each other: then no side says along which normal they press.
pub fn normal_is_a_choice(cores: &Cores, state: &State, row: &Row) -> bool {
    let Some(meeting) = Meeting::of(cores, state, &row.key) else { return false };
    if meeting.rounding() > 0.0 {
        return false;
    }
    let (own, other, offset) = (&meeting.own.core, &meeting.other.core, meeting.offset);
    let room = room_along(own, other, offset, row.normal);
    let size = cores.model.bodies[row.key.body as usize].radius;
    room - widest(own, other, offset).room > SAME_DIRECTION * room.abs() + CLIP * size
}

/// How fast the gap of a row of pieces opens when its sides slide on each other:
/// the directions that are straight on neither side, over the rounding. Pieces
/// without rounding of their own touch in straight sides only.
pub fn curvature(cores: &Cores, state: &State, row: &Row) -> Option<DMat3> {
    let meeting = Meeting::of(cores, state, &row.key)?;
    let rounding = meeting.rounding();
    if rounding == 0.0 {
        return Some(DMat3::ZERO);
    }
    let mut straight = vec![row.normal];
    let sides = [(&meeting.own.core, -row.normal), (&meeting.other.core, row.normal)];
    for (piece, outward) in sides {
        let (top, size) = (piece.support(outward), piece.bounds().size().max_element());
        let mut reached = piece.corners().iter().filter(|c| top - c.dot(outward) <= FLAT * size);
        let first = reached.next().copied().unwrap_or_default();
        for corner in reached {
            let along = (*corner - first).normalize_or_zero();
            let rest = straight.iter().fold(along, |rest, e| rest - rest.dot(*e) * *e);
            if rest.length() > 1e-3 {
                straight.push(rest.normalize());
            }
        }
    }
    let outer = |n: &DVec3| DMat3::from_cols(*n * n.x, *n * n.y, *n * n.z);
    let curved = straight.iter().fold(DMat3::IDENTITY, |left, n| left - outer(n));
    Some(curved * (1.0 / rounding))
}

fn rows(a: Side, b: Side, offset: DVec3, reach: f64, size: f64) -> Vec<PieceRow> {
    let near = near_pieces(a, b, offset, reach + SKIN * size, Direction::Closest);
    clip_away(a, b, offset, CLIP * size, near)
}

/// Bodies that are closer than their rounding (it was chosen larger than the
/// room at the start) only must not come closer.
fn keep_skin(key: Key, row: PieceRow, size: f64) -> Row {
    Row { key, normal: row.normal, gap: (row.gap - SKIN * size).max(0.0) }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::shape::Shape;
    use std::sync::Arc;

    fn box_on(boundary: crate::shape::Boundary, at: DVec3) -> (Cores, State) {
        let mut model = samples::model(boundary, &[1.0]);
        model.shapes = vec![Shape::cuboid(DVec3::new(1.0, 1.0, 0.5)).unwrap()];
        let state = State::at_rest(vec![at]);
        (Cores::new(Arc::new(model), &state), state)
    }

    /// A floor of two triangles is one plane to a box above both.
    #[test]
    fn a_floor_gives_one_row() {
        let (cores, state) = box_on(samples::cuboid(10.0), DVec3::new(5.0, 5.0, 0.5));
        let region = Aabb::from_sphere(state.positions[0], 2.0);
        let rows = body_wall_rows(&cores, &state, 0.0, 0, &region, 1.0);
        assert_eq!(rows.len(), 1);
        assert!(rows[0].normal.distance(DVec3::Z) < 1e-12 && (rows[0].gap - 0.25).abs() < 1e-8);
        let smooth = body_wall_rows(&cores, &state, 0.1, 0, &region, 1.0);
        assert!((smooth[0].gap - 0.15).abs() < 1e-8);
    }

    #[test]
    fn a_corner_gives_three_rows() {
        let (cores, state) = box_on(samples::cuboid(10.0), DVec3::new(0.6, 0.6, 0.4));
        let region = Aabb::from_sphere(state.positions[0], 1.0);
        let normals: Vec<DVec3> = body_wall_rows(&cores, &state, 0.0, 0, &region, 0.5)
            .iter()
            .map(|row| row.normal)
            .collect();
        assert_eq!(normals.len(), 3, "{normals:?}");
        let found = |axis: DVec3| normals.iter().any(|normal| normal.distance(axis) < 1e-9);
        assert!([DVec3::X, DVec3::Y, DVec3::Z].into_iter().all(found), "{normals:?}");
    }
}
