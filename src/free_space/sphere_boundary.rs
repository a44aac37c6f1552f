//! A sphere and the container: nearest point, half-space, drop what lies
//! behind it, repeat with what is left [M96 4.1, eq. 2]. Works for any closed
//! boundary, convex or not, because every face is convex.

use super::{Key, Other, Row};
use crate::math::{CLIP, DVec3, SKIN};
use crate::shape::{Aabb, Boundary, Face};

/// No sphere gets more rows than this; what then remains limits its travel instead.
const MOST_ROWS: usize = 128;

/// The rows of one sphere against the boundary.
#[derive(Clone, Debug, PartialEq)]
pub struct WallRows {
    pub rows: Vec<Row>,
    /// The sphere meets nothing but these rows while it moves by less than this.
    pub clear: f64,
}

/// A convex part of a face that no row has hidden yet.
struct Piece {
    face: u32,
    /// How many times its face has given a row already.
    cuts: u32,
    part: Face,
}

/// The rows of a sphere that stays inside `region` (a box around its centre,
/// grown by its radius) during the next step.
pub fn wall_rows(
    boundary: &Boundary,
    body: u32,
    centre: DVec3,
    radius: f64,
    region: &Aabb,
) -> WallRows {
    let mut faces = Vec::new();
    boundary.faces_in(region, &mut faces);
    let mut pieces: Vec<Piece> = faces
        .into_iter()
        .map(|face| Piece { face, cuts: 0, part: boundary.faces()[face as usize].clone() })
        .collect();
    let mut rows = Vec::new();
    while let Some((nearest, point)) = nearest_piece(&pieces, centre) {
        let distance = centre.distance(point);
        if rows.len() == MOST_ROWS {
            return WallRows { rows, clear: (distance - (1.0 + SKIN) * radius).max(0.0) };
        }
        // A centre on the boundary itself has no direction; checks at the
        // start and valid steps keep a radius between them.
        let normal =
            (centre - point).try_normalize().unwrap_or(boundary.normal(pieces[nearest].face));
        let Piece { face, cuts, .. } = pieces[nearest];
        rows.push(Row {
            key: Key { body, other: Other::Face(face, cuts) },
            normal,
            gap: (distance - (1.0 + SKIN) * radius).max(0.0),
        });
        pieces = drop_behind(pieces, face, point, normal, CLIP * radius);
    }
    WallRows { rows, clear: f64::INFINITY }
}

fn nearest_piece(pieces: &[Piece], centre: DVec3) -> Option<(usize, DVec3)> {
    let closest = pieces.iter().enumerate().map(|(i, piece)| (i, piece.closest_point(centre)));
    closest.min_by(|a, b| a.1.distance_squared(centre).total_cmp(&b.1.distance_squared(centre)))
}

impl Piece {
    /// The closest point; what clipping has left with more than three corners is taken as a fan.
    fn closest_point(&self, centre: DVec3) -> DVec3 {
        let corners = &self.part.corners;
        if corners.len() <= 3 {
            return self.part.closest_point(centre);
        }
        let fan = corners[1..]
            .windows(2)
            .map(|side| Face::triangle(corners[0], side[0], side[1]).closest_point(centre));
        let nearer = |a: DVec3, b: DVec3| {
            if b.distance_squared(centre) < a.distance_squared(centre) { b } else { a }
        };
        fan.fold(corners[0], nearer)
    }
}

/// Keeps what stands out of the plane by more than `tolerance`.
fn drop_behind(
    pieces: Vec<Piece>,
    hit: u32,
    point: DVec3,
    normal: DVec3,
    tolerance: f64,
) -> Vec<Piece> {
    let height = |x: &DVec3| (*x - point).dot(normal);
    let mut kept = Vec::with_capacity(pieces.len());
    for mut piece in pieces {
        let corners = &piece.part.corners;
        if corners.iter().all(|x| height(x) <= tolerance) {
            continue;
        }
        if corners.iter().any(|x| height(x) <= tolerance) {
            piece.part = Face { corners: clip(corners, height, tolerance) };
        }
        piece.cuts += u32::from(piece.face == hit);
        kept.push(piece);
    }
    kept
}

/// The part of a convex polygon (or segment) above the level.
fn clip(corners: &[DVec3], height: impl Fn(&DVec3) -> f64, level: f64) -> Vec<DVec3> {
    let mut kept = Vec::with_capacity(corners.len() + 1);
    let edges = if corners.len() == 2 { 1 } else { corners.len() };
    for k in 0..edges {
        let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
        let (high_a, high_b) = (height(&a) - level, height(&b) - level);
        if high_a > 0.0 {
            kept.push(a);
        }
        if (high_a > 0.0) != (high_b > 0.0) {
            kept.push(a + (b - a) * (high_a / (high_a - high_b)));
        }
        if edges == 1 && high_b > 0.0 {
            kept.push(b);
        }
    }
    kept
}
