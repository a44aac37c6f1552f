//! Rows of bodies that are not both spheres: pieces of two bodies, or pieces
//! of a body and faces of the container. While a run smooths, every solid is
//! rounded by a little more than its own radius [M96 3.3.3].

use super::solid_solid::{Direction, PieceRow, clip_away, near_pieces};
use super::{Key, Other, Row};
use crate::math::{CLIP, DMat3, DVec3, SKIN};
use crate::near::Pair;
use crate::shape::{Aabb, Convex, room_along, widest};
use crate::world::{Model, State};

/// Rooms that differ by less than this part belong to one direction.
const SAME_DIRECTION: f64 = 1e-5;
/// Corners that reach as far as the farthest up to this part of the size touch, too.
const FLAT: f64 = 1e-6;

/// The rows of two bodies, at least one of them a solid, that come closer by
/// no more than `reach` in the next step.
pub fn solid_rows(
    model: &Model,
    state: &State,
    smoothing: f64,
    pair: &Pair,
    reach: f64,
) -> Vec<Row> {
    let (i, j) = (pair.i as usize, pair.j as usize);
    let offset = state.positions[i] - state.positions[j] - pair.offset;
    let rounding = model.rounding(i, smoothing) + model.rounding(j, smoothing);
    let size = model.bodies[i].radius.min(model.bodies[j].radius);
    let rows = piece_rows(model.pieces(i), model.pieces(j), offset, rounding, reach, size);
    let key = |pieces: [u32; 2]| Key { body: pair.i, other: Other::Pieces(pair.j, pieces) };
    rows.into_iter().map(|row| keep_skin(key(row.pieces), row, size)).collect()
}

/// The rows of a solid and the container; the solid stays inside `region`
/// and moves by no more than `reach`.
pub fn solid_wall_rows(
    model: &Model,
    state: &State,
    smoothing: f64,
    body: usize,
    region: &Aabb,
    reach: f64,
) -> Vec<Row> {
    let mut faces = Vec::new();
    model.boundary.faces_in(region, &mut faces);
    let walls: Vec<Convex> =
        faces.iter().map(|&face| model.boundary.faces()[face as usize].as_piece()).collect();
    let (offset, size) = (state.positions[body], model.bodies[body].radius);
    let rounding = model.rounding(body, smoothing);
    let rows = piece_rows(model.pieces(body), &walls, offset, rounding, reach, size);
    let key = |[own, wall]: [u32; 2]| Key {
        body: body as u32,
        other: Other::FacePiece(faces[wall as usize], own),
    };
    rows.into_iter().map(|row| keep_skin(key(row.pieces), row, size)).collect()
}

/// The two convex pieces that a row keeps apart, and where the first is seen
/// from the second; none unless the row is one of solids.
fn pieces_of(model: &Model, state: &State, key: &Key) -> Option<(Convex, Convex, DVec3)> {
    let i = key.body as usize;
    match key.other {
        Other::Pieces(j, [p, q]) => {
            let (own, other) =
                (model.pieces(i).get(p as usize)?, model.pieces(j as usize).get(q as usize)?);
            Some((own.clone(), other.clone(), state.positions[i] - state.positions[j as usize]))
        }
        Other::FacePiece(face, p) => {
            let wall = model.boundary.faces()[face as usize].as_piece();
            Some((model.pieces(i).get(p as usize)?.clone(), wall, state.positions[i]))
        }
        _ => None,
    }
}

/// The rounding of the two sides of a row by their own radii, without smoothing.
fn own_rounding(model: &Model, key: &Key) -> f64 {
    let other = key.second(model).map_or(0.0, |j| model.rounding(j, 0.0));
    model.rounding(key.body as usize, 0.0) + other
}

/// Whether two corners, or a corner and an edge, of bodies without rounding
/// face each other: then no side says along which normal they press.
pub fn normal_is_a_choice(model: &Model, state: &State, row: &Row) -> bool {
    if own_rounding(model, &row.key) > 0.0 {
        return false;
    }
    let Some((own, other, offset)) = pieces_of(model, state, &row.key) else { return false };
    let room = room_along(&own, &other, offset, row.normal);
    let size = model.bodies[row.key.body as usize].radius;
    room - widest(&own, &other, offset).room > SAME_DIRECTION * room.abs() + CLIP * size
}

/// How fast the gap of a row of solids opens when its sides slide on each other:
/// the directions that are straight on neither side, over the rounding. Bodies
/// without rounding of their own touch in straight sides only.
pub fn curvature(model: &Model, state: &State, row: &Row) -> Option<DMat3> {
    let (own, other, _) = pieces_of(model, state, &row.key)?;
    let rounding = own_rounding(model, &row.key);
    if rounding == 0.0 {
        return Some(DMat3::ZERO);
    }
    let mut straight = vec![row.normal];
    for (piece, outward) in [(&own, -row.normal), (&other, row.normal)] {
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

fn piece_rows(
    a: &[Convex],
    b: &[Convex],
    offset: DVec3,
    rounding: f64,
    reach: f64,
    size: f64,
) -> Vec<PieceRow> {
    let near = near_pieces(a, b, offset, rounding, reach + SKIN * size, Direction::Closest);
    clip_away(a, b, offset, rounding, CLIP * size, near)
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
    use crate::shape::Solid;

    fn brick_on(boundary: crate::shape::Boundary, at: DVec3) -> (Model, State) {
        let mut model = samples::model(boundary, &[1.0]);
        model.shapes = vec![Solid::cuboid(DVec3::new(1.0, 1.0, 0.5)).unwrap()];
        model.bodies[0].shape = Some(0);
        (model, State { positions: vec![at] })
    }

    /// A floor of two triangles is one plane to a brick above both.
    #[test]
    fn a_floor_gives_one_row() {
        let (model, state) = brick_on(samples::cuboid(10.0), DVec3::new(5.0, 5.0, 0.5));
        let region = Aabb::from_sphere(state.positions[0], 2.0);
        let rows = solid_wall_rows(&model, &state, 0.0, 0, &region, 1.0);
        assert_eq!(rows.len(), 1);
        assert!(rows[0].normal.distance(DVec3::Z) < 1e-12 && (rows[0].gap - 0.25).abs() < 1e-8);
        let smooth = solid_wall_rows(&model, &state, 0.1, 0, &region, 1.0);
        assert!((smooth[0].gap - 0.15).abs() < 1e-8);
    }

    #[test]
    fn a_corner_gives_three_rows() {
        let (model, state) = brick_on(samples::cuboid(10.0), DVec3::new(0.6, 0.6, 0.4));
        let region = Aabb::from_sphere(state.positions[0], 1.0);
        let normals: Vec<DVec3> = solid_wall_rows(&model, &state, 0.0, 0, &region, 0.5)
            .iter()
            .map(|row| row.normal)
            .collect();
        assert_eq!(normals.len(), 3, "{normals:?}");
        let found = |axis: DVec3| normals.iter().any(|normal| normal.distance(axis) < 1e-9);
        assert!([DVec3::X, DVec3::Y, DVec3::Z].into_iter().all(found), "{normals:?}");
    }
}
