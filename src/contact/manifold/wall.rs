//! A face of the container as a piece that never moves: the face drawn out to
//! the outside. It pushes along the normal of the face alone, and over a ridge
//! (where the container juts into the room) along what lies between the normals
//! of the two faces. So bodies slide over the seams of a mesh without feeling them.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::{Form, Manifold, PREFERENCE, Placed, Spot, clip, manifold, polygons, segments};
use crate::math::DVec3;
use crate::shape::{Aabb, Face, Facet};

/// A normal leans over a seam if it does so by more than this.
const LEANING: f64 = 1e-6;

/// A point is on the face or its rim if it is this part of the face's size away, or less.
const ON: f64 = 1e-9;

/// Facets and edges of a face that is drawn out: the face itself first. Their normals are those
/// of the wall.
struct Topology {
    facets: Vec<Facet>,
    edges: Vec<[u32; 2]>,
    /// Which facets are above the sides of the face, in its order.
    rim: &'static [usize],
}

impl Topology {
    fn new(facets: &[&[u32]], edges: &[[u32; 2]], rim: &'static [usize]) -> Topology {
        let facet = |corners: &&[u32]| Facet { normal: DVec3::ZERO, corners: corners.to_vec() };
        Topology { facets: facets.iter().map(facet).collect(), edges: edges.to_vec(), rim }
    }
}

/// A triangle and the same further out.
static PRISM: LazyLock<Topology> = LazyLock::new(|| {
    Topology::new(
        &[&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]],
        &[[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5], [0, 3], [1, 4], [2, 5]],
        &[2, 3, 4],
    )
});

/// A segment and the same further out; its "sides" are its two ends.
static QUADRILATERAL: LazyLock<Topology> =
    LazyLock::new(|| Topology::new(&[&[1, 0], &[0, 2], &[2, 3], &[3, 1]], &[], &[1, 3]));

/// A face of the container, drawn out.
#[derive(Clone, Debug)]
pub(crate) struct Wall {
    /// Of the face, then the same further out.
    corners: Vec<DVec3>,
    /// Of the facets; the first one points into the room.
    normals: Vec<DVec3>,
    /// For every side of the face: the direction in which the face beyond it goes on, along that
    /// face; zero if there is none.
    beyond: Vec<DVec3>,
    /// Whether the face beyond some side falls back.
    has_ridge: bool,
    thickness: f64,
    /// How far off a point is still on the face.
    on: f64,
    /// Around the whole.
    pub bounds: Aabb,
}

impl Wall {
    /// A face of two or three corners with the normal `outwards`, drawn out by a `thickness`.
    pub fn new(face: &Face, outwards: DVec3, thickness: f64, beyond: Vec<DVec3>) -> Wall {
        let drawn_out = face.corners.iter().map(|corner| *corner + outwards * thickness);
        let corners: Vec<DVec3> = face.corners.iter().copied().chain(drawn_out).collect();
        let count = face.corners.len();
        let out_of = |k: usize| {
            let along = face.corners[(k + 1) % count] - face.corners[k];
            along.cross(outwards).normalize_or_zero()
        };
        let normals = match count {
            2 => {
                let along = (face.corners[1] - face.corners[0]).normalize_or_zero();
                vec![-outwards, -along, outwards, along]
            }
            _ => vec![-outwards, outwards, out_of(0), out_of(1), out_of(2)],
        };
        let bounds = Aabb::from_points(corners.iter().copied());
        let far = bounds.min.abs().max(bounds.max.abs()).max_element();
        Wall {
            has_ridge: beyond.iter().any(|beyond| beyond.dot(outwards) > LEANING),
            on: ON * face.bounds().size().max_element() + 16.0 * f64::EPSILON * far,
            corners,
            normals,
            beyond,
            thickness,
            bounds,
        }
    }

    fn topology(&self) -> &'static Topology {
        if self.normals.len() == 4 { &QUADRILATERAL } else { &PRISM }
    }

    /// As a piece.
    pub fn placed(&self) -> Placed<'_> {
        let Topology { facets, edges, .. } = self.topology();
        let sum: DVec3 = self.corners.iter().sum();
        Placed::from_parts(
            if edges.is_empty() { Form::Polygon } else { Form::Polytope },
            sum / self.corners.len() as f64,
            (facets, edges),
            Cow::Borrowed(&self.corners),
            Cow::Borrowed(&self.normals),
            self.bounds,
        )
    }

    /// The contact of a piece with the wall, the piece coming first.
    pub fn manifold(&self, piece: &Placed, reach: f64) -> Option<Manifold> {
        let found = self.own_manifold(piece, reach)?;
        Some(Manifold { inwards: [piece.inwards(found.normal), DVec3::ZERO], ..found })
    }

    fn own_manifold(&self, piece: &Placed, reach: f64) -> Option<Manifold> {
        let above = self.above(piece, reach);
        let is_over_face = piece.form == Form::Point && above.is_some();
        if !self.has_ridge || is_over_face {
            return above;
        }
        let found = manifold(piece, &self.placed(), reach).filter(|found| self.is_own(found));
        match (above, found) {
            (Some(above), Some(found)) => {
                let margin = PREFERENCE * piece.bounds.size().max_element();
                let beside = found.least_gap() > above.least_gap() + margin;
                Some(if beside { found } else { above })
            }
            (above, found) => above.or(found),
        }
    }

    /// Whether a contact with a wall by itself is also one with all faces together: along the
    /// normal of the face, or at a rim and leaning over no face beyond.
    fn is_own(&self, found: &Manifold) -> bool {
        let normal = found.normal;
        if normal.dot(self.normals[0]) > 1.0 - LEANING * LEANING {
            return true;
        }
        found.spots().iter().all(|spot| {
            let foot = spot.at - normal * (0.5 * spot.gap);
            let height = |facet: usize| {
                let corner = self.topology().facets[facet].corners[0];
                self.normals[facet].dot(foot - self.corners[corner as usize])
            };
            let mut at_rim = false;
            let mut leans = false;
            for (&facet, beyond) in self.topology().rim.iter().zip(&self.beyond) {
                if height(facet).abs() <= self.on {
                    at_rim = true;
                    leans |= normal.dot(*beyond) > LEANING;
                }
            }
            at_rim && !leans && height(0).abs() <= self.on
        })
    }

    /// The part of a piece above the face, pushed along its normal.
    fn above(&self, piece: &Placed, reach: f64) -> Option<Manifold> {
        let inwards = self.normals[0];
        let wall = self.placed();
        let found = match piece.form {
            Form::Point => {
                let height = inwards.dot(piece.centre - self.corners[0]);
                let foot = piece.centre - inwards * height;
                let gap = height - piece.radius;
                let at = foot + inwards * (0.5 * gap);
                let near = gap <= reach && height > -self.thickness && self.is_on(foot);
                return near.then(|| Manifold::one(inwards, at, gap));
            }
            Form::Segment { .. } => segments::lying(piece, &wall, 0, reach),
            Form::Polygon => {
                let found = polygons::sides(&wall, 0, piece, reach + piece.radius);
                found.and_then(|found| found.rounded([piece.radius, 0.0], reach))
            }
            _ => self.polytope_above(piece, &wall, reach),
        };
        found?.retain(|gap| gap > -self.thickness - piece.radius)
    }

    fn polytope_above(&self, piece: &Placed, wall: &Placed, reach: f64) -> Option<Manifold> {
        let inwards = self.normals[0];
        let mut piece = piece.spelled_out();
        if piece.is_cylinder() {
            piece.to_mut().facing(-inwards);
        }
        let found = clip::faces(wall, 0, &piece, reach + piece.radius);
        // The lowest corner counts even if the face that looks at the wall does not have it.
        let height = |corner: &DVec3| inwards.dot(*corner - self.corners[0]);
        let corners = piece.corners.iter().copied();
        let lowest =
            corners.reduce(|best, next| if height(&next) < height(&best) { next } else { best })?;
        let (gap, margin) = (height(&lowest), PREFERENCE * piece.bounds.size().max_element());
        let deeper = found.is_none_or(|found| gap < found.least_gap() - margin);
        let found = match deeper && gap <= reach + piece.radius && self.is_on(lowest) {
            true => {
                let spot = Spot { at: lowest - inwards * (0.5 * gap), gap };
                Some(with(found, inwards, spot))
            }
            false => found,
        };
        found?.rounded([piece.radius, 0.0], reach)
    }

    /// Whether the foot of a point is on the face.
    fn is_on(&self, point: DVec3) -> bool {
        let Topology { facets, rim, .. } = self.topology();
        rim.iter().all(|&facet| {
            let corner = self.corners[facets[facet].corners[0] as usize];
            self.normals[facet].dot(point - corner) <= self.on
        })
    }
}

/// A contact with one more point, in place of its shallowest one if it has no room.
fn with(found: Option<Manifold>, normal: DVec3, spot: Spot) -> Manifold {
    let Some(mut found) = found else { return Manifold::one(normal, spot.at, spot.gap) };
    if found.count < found.spots.len() {
        found.count += 1;
        found.spots[found.count - 1] = spot;
        return found;
    }
    let gaps = found.spots.iter().map(|spot| spot.gap).enumerate();
    let shallowest = gaps.fold((0, f64::NEG_INFINITY), |m, x| if x.1 > m.1 { x } else { m });
    found.spots[shallowest.0] = spot;
    found
}
