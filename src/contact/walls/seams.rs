//! Which faces of a container meet where, and which of them make flat parts.

use std::collections::BTreeMap;

use crate::math::DVec3;
use crate::shape::{Boundary, Face, UnionFind};

/// Faces whose normals differ by less than this, and share an edge, are one flat part.
const SAME_NORMAL: f64 = 1e-9;

/// A normal leans over a seam if it does so by more than this.
pub(super) const LEANING: f64 = 1e-6;

/// A side of a flat part (in 2D: an end).
#[derive(Clone, Debug)]
pub(super) struct Rim {
    pub side: Vec<DVec3>,
    /// The direction in which the face beyond it goes on, along that face; zero if there is none.
    pub beyond: DVec3,
    /// At a ridge, square to the plane that halves it, towards the part; else zero.
    pub bisector: DVec3,
}

impl Rim {
    pub fn is_ridge(&self) -> bool {
        self.bisector != DVec3::ZERO
    }

    /// How far a point is from the side and where that goes on.
    pub fn off(&self, point: DVec3) -> f64 {
        let from = point - self.side[0];
        match self.side[..] {
            [a, b] => from.cross((b - a).normalize_or_zero()).length(),
            _ => from.length(),
        }
    }
}

/// A corner of the boundary, exactly; minus zero is zero.
type Corner = [u64; 3];

fn exactly(corner: DVec3) -> Corner {
    (corner + DVec3::ZERO).to_array().map(f64::to_bits)
}

/// Which faces meet where: at the sides of triangles, at the ends of segments.
pub(super) struct Seams {
    faces: BTreeMap<Vec<Corner>, Vec<u32>>,
}

/// The parts of a face at which others may go on, each with the rest of the face: the sides of a
/// triangle, the ends of a segment.
fn sides(face: &Face) -> Vec<(Vec<DVec3>, DVec3)> {
    match face.corners[..] {
        [a, b] => vec![(vec![a], b), (vec![b], a)],
        [a, b, c] => vec![(vec![a, b], c), (vec![b, c], a), (vec![c, a], b)],
        _ => Vec::new(),
    }
}

fn seam(side: &[DVec3]) -> Vec<Corner> {
    let mut corners: Vec<Corner> = side.iter().map(|corner| exactly(*corner)).collect();
    corners.sort_unstable();
    corners
}

impl Seams {
    pub fn new(boundary: &Boundary) -> Seams {
        let mut faces: BTreeMap<Vec<Corner>, Vec<u32>> = BTreeMap::new();
        for (face, number) in boundary.faces().iter().zip(0..) {
            for (side, _) in sides(face) {
                faces.entry(seam(&side)).or_default().push(number);
            }
        }
        Seams { faces }
    }

    /// The faces in groups that are flat and hang together, in the order of their first faces.
    pub fn flat_parts(&self, boundary: &Boundary) -> Vec<Vec<u32>> {
        let count = boundary.faces().len();
        let mut parts = UnionFind::new(count);
        for faces in self.faces.values() {
            if let [one, two] = faces[..]
                && (boundary.normal(one) - boundary.normal(two)).length() < SAME_NORMAL
            {
                parts.union(one as usize, two as usize);
            }
        }
        let mut grouped: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for k in 0..count {
            grouped.entry(parts.find(k)).or_default().push(k as u32);
        }
        grouped.into_values().collect()
    }

    /// The sides of some faces at which others go on; of several, the one that comes forward
    /// most.
    pub fn rim(&self, boundary: &Boundary, faces: &[u32], outwards: DVec3) -> Vec<Rim> {
        let all = faces.iter().flat_map(|&face| sides(&boundary.faces()[face as usize]));
        let rim = all.filter_map(|(side, rest)| {
            let others = &self.faces[&seam(&side)];
            let along = match side[..] {
                [a, b] => (b - a).normalize_or_zero(),
                _ => DVec3::ZERO,
            };
            let across = |far: DVec3| {
                let to = far - side[0];
                (to - along * along.dot(to)).normalize_or_zero()
            };
            let far_of = |other: &u32| {
                let sides = sides(&boundary.faces()[*other as usize]);
                sides.into_iter().find(|(own, _)| seam(own) == seam(&side)).map(|(_, far)| far)
            };
            let forward = |one: DVec3, two: DVec3| {
                if two.dot(outwards) < one.dot(outwards) { two } else { one }
            };
            let outer = others.iter().filter(|other| faces.binary_search(other).is_err());
            let is_inner = others.len() > outer.clone().count() + 1;
            let beyond = outer.filter_map(far_of).map(across).reduce(forward);
            let beyond = beyond.unwrap_or(DVec3::ZERO);
            let is_ridge = beyond.dot(outwards) > LEANING;
            let bisector = if is_ridge { across(rest) - beyond } else { DVec3::ZERO };
            (!is_inner).then_some(Rim { side, beyond, bisector })
        });
        rim.collect()
    }
}
