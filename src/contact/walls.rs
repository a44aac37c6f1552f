//! The container as obstacles that never move: behind every flat part of its
//! boundary stands a wall, a flat pyramid whose base is that part and whose tip
//! is outside.
//!
//! A base reaches beyond its own part wherever that is outside of the container
//! (past the edge between a floor and a side), so that bodies which slide along
//! it find no corner to stumble over; at a ridge, an edge that stands out into the
//! container, it ends there. A pyramid has no side that bodies in the container
//! could meet, and it is as flat as what is behind it demands. To collapse, which
//! keeps bodies apart, it is a piece like others. Dynamics lets bodies sink in a
//! little: there a wall pushes along the normal of its part alone, and over a ridge
//! along what lies between the normals of the two parts.

use std::collections::BTreeMap;

use super::cores::Rounded;
use super::meetings::{Meeting, meetings, on_facet, over_facet};
use crate::math::DVec3;
use crate::shape::{Aabb, Boundary, Bvh, Face, Facet, Polytope, UnionFind};
use crate::world::Model;

/// Faces whose normals differ by less than this, and share an edge, are one flat part.
const SAME_NORMAL: f64 = 1e-9;

/// A flat part is convex if its hull is larger by no more than this fraction.
const CONVEX: f64 = 1e-9;

/// What lies beyond a plane by less than this, in units of the part's size, lies on it.
const LEVEL: f64 = 1e-9;

/// How often the size of a wall is halved before it is taken as it is: by then it is a millionth.
const HALVINGS: i32 = 20;

/// A normal leans over a seam if it does so by more than this.
const LEANING: f64 = 1e-6;

/// A point is on the part or its rim if it is this part of its size away, or less.
const ON: f64 = 1e-9;

/// All walls of a container in a tree, so that thousands of them cost no more than those nearby.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walls {
    walls: Vec<Wall>,
    tree: Bvh,
}

/// A flat part of the boundary as an obstacle.
#[derive(Clone, Debug)]
pub(crate) struct Wall {
    /// The pyramid; its first facet is the base, and points into the room.
    pub piece: Rounded,
    /// The faces of the boundary that it stands behind, by number.
    faces: Vec<(u32, Face)>,
    rim: Vec<Rim>,
    /// How far behind the part what is there belongs to this wall.
    thickness: f64,
    /// How far off a point is still on the part.
    on: f64,
}

/// A side of a flat part (in 2D: an end).
#[derive(Clone, Debug)]
struct Rim {
    side: Vec<DVec3>,
    /// The direction in which the face beyond it goes on, along that face; zero if there is none.
    beyond: DVec3,
    /// At a ridge, square to the plane that halves it, towards the part; else zero.
    bisector: DVec3,
}

impl Walls {
    /// The walls of a model's container, as thick as its largest free body asks for.
    pub fn of(model: &Model) -> Walls {
        let depth = model.free().map(|i| model.bodies[i].radius).fold(0.0, f64::max);
        Walls::new(&model.boundary, depth)
    }

    /// Every wall is as thick as `depth`, but by no more than half of the way to where the
    /// container begins again behind it: what is on the other side of a thin wall is not its
    /// business.
    pub fn new(boundary: &Boundary, depth: f64) -> Walls {
        let seams = Seams::new(boundary);
        let mut walls = Vec::new();
        for faces in seams.flat_parts(boundary) {
            match Part::new(boundary, &seams, &faces) {
                Some(part) => walls.extend(part.wall(boundary, depth)),
                None => {
                    let single = faces.iter().filter_map(|k| Part::new(boundary, &seams, &[*k]));
                    walls.extend(single.filter_map(|part| part.wall(boundary, depth)));
                }
            }
        }
        let boxes: Vec<Aabb> = walls.iter().map(|wall| wall.piece.core.bounds()).collect();
        Walls { walls, tree: Bvh::new(&boxes) }
    }

    pub fn is_empty(&self) -> bool {
        self.walls.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Wall> {
        self.walls.iter()
    }

    pub fn get(&self, wall: u32) -> &Wall {
        &self.walls[wall as usize]
    }

    /// Appends the numbers of the walls that may meet a box, ascending.
    pub fn near(&self, region: &Aabb, found: &mut Vec<u32>) {
        self.tree.overlapping(region, found);
    }
}

impl Wall {
    /// Into the room.
    pub fn normal(&self) -> DVec3 {
        self.piece.core.facets()[0].normal
    }

    /// The face of the boundary at a point of the wall.
    pub fn face_at(&self, at: DVec3) -> u32 {
        let distance = |face: &Face| face.closest_point(at).distance(at);
        let nearest = self.faces.iter().min_by(|a, b| distance(&a.1).total_cmp(&distance(&b.1)));
        nearest.map_or(0, |(face, _)| *face)
    }

    /// Whether a point is no nearer to what lies beyond a ridge: thin spikes are felt from the
    /// side that one is on.
    fn is_on_own_side(&self, point: DVec3) -> bool {
        self.rim.iter().all(|rim| rim.bisector.dot(point - rim.side[0]) >= -self.on)
    }

    /// How high above the base a point is, unless it is beside it or behind the wall.
    pub fn height(&self, point: DVec3) -> Option<f64> {
        let Facet { normal, corners } = &self.piece.core.facets()[0];
        let at = |k: usize| self.piece.core.corners()[corners[k % corners.len()] as usize];
        let is_over = |k: usize| {
            let along = (at(k + 1) - at(k)).normalize_or_zero();
            let inwards = if corners.len() == 2 { along } else { normal.cross(along) };
            inwards.dot(point - at(k)) >= -self.on
        };
        let beside = !(0..corners.len()).all(is_over);
        let height = normal.dot(point - at(0));
        let is_behind = height <= -self.thickness || !self.is_on_own_side(point);
        (!beside && !is_behind).then_some(height)
    }

    /// The points of a contact of a rounded core, which comes first and may have sunk in.
    pub(super) fn meetings(
        &self,
        core: &Polytope,
        radius: f64,
        reach: f64,
        alike: f64,
    ) -> Vec<Meeting> {
        let above = self.above(core, radius, reach, alike);
        let is_over_part = core.corners().len() == 1 && !above.is_empty();
        let has_ridge = self.rim.iter().any(Rim::is_ridge);
        if !has_ridge || is_over_part {
            return above;
        }
        let mut found = meetings([core, &self.piece.core], radius, reach, alike);
        if !self.are_own(&found) {
            found.clear();
        }
        let least = |of: &[Meeting]| of.iter().map(Meeting::gap).fold(f64::INFINITY, f64::min);
        let beside = above.is_empty() || least(&found) > least(&above) + alike;
        if !found.is_empty() && beside { found } else { above }
    }

    /// Whether a contact with a wall by itself is also one with all walls together: along the
    /// normal of the part, or at a rim and leaning over no face beyond.
    fn are_own(&self, found: &[Meeting]) -> bool {
        found.iter().all(|met| {
            let Meeting { at, normal, .. } = met;
            if normal.dot(self.normal()) > 1.0 - LEANING * LEANING {
                return self.is_on_own_side(at[0]);
            }
            let is_at = |rim: &&Rim| rim.off(at[1]) <= self.on;
            let mut at_rim = self.rim.iter().filter(is_at).peekable();
            at_rim.peek().is_some() && !at_rim.any(|rim| normal.dot(rim.beyond) > LEANING)
        })
    }

    /// The part of a core above the wall's part, pushed along its normal.
    fn above(&self, core: &Polytope, radius: f64, reach: f64, alike: f64) -> Vec<Meeting> {
        let near = reach + radius;
        let mut found = over_facet(&self.piece.core, 0, core, near, true);
        // The lowest corner counts even if the facet that looks at the wall does not have it.
        let height = |corner: &&DVec3| self.normal().dot(**corner);
        let lowest = core.corners().iter().min_by(|a, b| height(a).total_cmp(&height(b)));
        if let Some(&lowest) = lowest
            && let Some(gap) = self.height(lowest)
            && gap <= near
            && found.iter().all(|met| gap < met.gap() - alike)
        {
            found.push(on_facet(&self.piece.core, 0, lowest, core.corners().len(), true));
        }
        found.retain(|met| met.gap() > -self.thickness && self.is_on_own_side(met.at[0]));
        found
    }
}

impl Rim {
    fn is_ridge(&self) -> bool {
        self.bisector != DVec3::ZERO
    }

    /// How far a point is from the side and where that goes on.
    fn off(&self, point: DVec3) -> f64 {
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
struct Seams {
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
    fn new(boundary: &Boundary) -> Seams {
        let mut faces: BTreeMap<Vec<Corner>, Vec<u32>> = BTreeMap::new();
        for (face, number) in boundary.faces().iter().zip(0..) {
            for (side, _) in sides(face) {
                faces.entry(seam(&side)).or_default().push(number);
            }
        }
        Seams { faces }
    }

    /// The faces in groups that are flat and hang together, in the order of their first faces.
    fn flat_parts(&self, boundary: &Boundary) -> Vec<Vec<u32>> {
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
    fn rim(&self, boundary: &Boundary, faces: &[u32], outwards: DVec3) -> Vec<Rim> {
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

/// A convex flat part of the boundary, in coordinates of its own plane.
struct Part {
    faces: Vec<u32>,
    origin: DVec3,
    normal: DVec3,
    /// Two directions of its plane; in 2D the second is none.
    axes: [DVec3; 2],
    /// Its corners, counter-clockwise; in 2D two of them.
    corners: Vec<DVec3>,
    /// Per side that follows a corner (in 2D: per corner), whether the container's inside is
    /// right beyond it.
    ends: Vec<bool>,
    rim: Vec<Rim>,
    diameter: f64,
}

impl Part {
    /// None if the part is not convex, or has no area.
    fn new(boundary: &Boundary, seams: &Seams, faces: &[u32]) -> Option<Part> {
        let normal = boundary.normal(faces[0]);
        let corners = || faces.iter().flat_map(|k| boundary.faces()[*k as usize].corners.iter());
        let origin = *corners().next()?;
        let bounds = Aabb::from_points(corners().copied());
        let mut part = Part {
            faces: faces.to_vec(),
            origin,
            normal,
            axes: across(normal, boundary.faces()[0].corners.len() == 2),
            corners: Vec::new(),
            ends: Vec::new(),
            rim: seams.rim(boundary, faces, normal),
            diameter: bounds.size().length(),
        };
        let points: Vec<DVec3> = corners().map(|c| part.flatten(*c)).collect();
        part.corners = match points[..] {
            [a, b] => vec![a, b],
            _ => convex_outline(&points)?,
        };
        part.ends = vec![false; part.corners.len()];
        part.find_ends();
        (normal != DVec3::ZERO).then_some(part)
    }

    fn flatten(&self, point: DVec3) -> DVec3 {
        let [x, y] = self.axes.map(|axis| axis.dot(point - self.origin));
        DVec3::new(x, y, 0.0)
    }

    fn lift(&self, point: DVec3) -> DVec3 {
        self.origin + self.axes[0] * point.x + self.axes[1] * point.y
    }

    /// Sides at ridges: the container is wider there.
    fn find_ends(&mut self) {
        let count = self.corners.len();
        let level = LEVEL * self.diameter;
        for rim in self.rim.iter().filter(|rim| rim.is_ridge()) {
            let on: Vec<DVec3> = rim.side.iter().map(|c| self.flatten(*c)).collect();
            for side in 0..count {
                let (a, b) = (self.corners[side], self.corners[(side + 1) % count]);
                self.ends[side] |= match count {
                    2 => on[0].distance(a) <= level,
                    _ => on.iter().all(|p| height_over(a, b, *p).abs() <= level),
                };
            }
        }
    }

    /// The wall behind the part, as wide and as deep as the container's own shape lets it be.
    fn wall(self, boundary: &Boundary, size: f64) -> Option<Wall> {
        let depth = size.min(self.diameter);
        let shrunk = |halvings: i32| 0.5_f64.powi(halvings);
        let thin = depth * shrunk(HALVINGS / 2);
        let wide = (0..HALVINGS).map(|k| 2.0 * depth * shrunk(k)).chain([0.0]);
        let wide = wide.filter(|beyond| {
            self.pyramid(*beyond, thin).is_some_and(|wall| self.is_clear(boundary, &wall))
        });
        let beyond = wide.into_iter().next().unwrap_or(0.0);
        let deep = (0..HALVINGS).filter_map(|k| self.pyramid(beyond, depth * shrunk(k)));
        let mut deep = deep.skip_while(|wall| !self.is_clear(boundary, wall));
        let core = deep.next().or_else(|| self.pyramid(0.0, depth * shrunk(HALVINGS)))?;
        let behind = self.faces.iter().map(|&face| room_behind(boundary, face, 2.0 * size));
        let Aabb { min, max } = core.bounds();
        let far = min.abs().max(max.abs()).max_element();
        Some(Wall {
            on: ON * self.diameter + 16.0 * f64::EPSILON * far,
            thickness: 0.5 * behind.fold(f64::INFINITY, f64::min),
            faces: self.faces.iter().map(|&k| (k, boundary.faces()[k as usize].clone())).collect(),
            rim: self.rim,
            piece: Rounded::sharp(core),
        })
    }

    /// The base, reaching so far beyond the part where it may, and the tip at this depth.
    fn pyramid(&self, beyond: f64, depth: f64) -> Option<Polytope> {
        let base = match self.corners[..] {
            [a, b] => self.longer(a, b, beyond),
            _ => self.wider(beyond),
        };
        let count = base.len();
        let middle = base.iter().sum::<DVec3>() / count as f64;
        let tip = self.lift(middle) + self.normal * depth;
        if let [a, b] = base[..] {
            let corners = [self.lift(b), self.lift(a), tip].map(|c| [c.x, c.y]);
            return Polytope::convex_polygon(&corners).ok();
        }
        let mut corners: Vec<DVec3> = base.iter().map(|c| self.lift(*c)).collect();
        corners.push(tip);
        let count = count as u32;
        let side = |k: u32| vec![k, (k + 1) % count, count];
        let faces = std::iter::once((0..count).rev().collect()).chain((0..count).map(side));
        Polytope::polyhedron(corners, faces.collect()).ok()
    }

    /// A segment that goes on beyond its ends.
    fn longer(&self, a: DVec3, b: DVec3, beyond: f64) -> Vec<DVec3> {
        let on = (b - a).normalize_or_zero() * beyond;
        let more = |side: usize| if self.ends[side] { DVec3::ZERO } else { on };
        vec![a - more(0), b + more(1)]
    }

    /// A polygon whose sides are moved outwards.
    fn wider(&self, beyond: f64) -> Vec<DVec3> {
        let count = self.corners.len();
        if beyond == 0.0 {
            return self.corners.clone();
        }
        let Aabb { min, max } = Aabb::from_points(self.corners.iter().copied());
        let (low, high) = (min - beyond, max + beyond);
        let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let mut outline = vec![
            corner(low.x, low.y),
            corner(high.x, low.y),
            corner(high.x, high.y),
            corner(low.x, high.y),
        ];
        for side in 0..count {
            let (a, b) = (self.corners[side], self.corners[(side + 1) % count]);
            let more = if self.ends[side] { 0.0 } else { beyond };
            outline = cut(&outline, |p| height_over(a, b, p) + more);
        }
        outline
    }

    /// Whether no other face of the boundary reaches into a wall.
    fn is_clear(&self, boundary: &Boundary, wall: &Polytope) -> bool {
        let mut near = Vec::new();
        boundary.faces_in(&wall.bounds(), &mut near);
        let level = LEVEL * self.diameter;
        near.iter().filter(|k| !self.faces.contains(k)).all(|k| {
            let mut left = boundary.faces()[*k as usize].corners.clone();
            for facet in wall.facets() {
                let at = wall.corners()[facet.corners[0] as usize];
                left = cut(&left, |p| -facet.normal.dot(p - at) - level);
            }
            left.is_empty()
        })
    }
}

/// Two directions across a normal that make a right-handed frame with it, along axes if it is
/// along one. In 2D, the line's own.
fn across(normal: DVec3, is_flat: bool) -> [DVec3; 2] {
    if is_flat {
        return [DVec3::new(-normal.y, normal.x, 0.0), DVec3::ZERO];
    }
    let size = normal.abs();
    let axis = match size {
        s if s.x <= s.y && s.x <= s.z => DVec3::X,
        s if s.y <= s.z => DVec3::Y,
        _ => DVec3::Z,
    };
    let one = normal.cross(axis).normalize_or_zero();
    [one, normal.cross(one)]
}

/// The outline of points that lie on a convex polygon and fill it; none if they do not.
fn convex_outline(triangles: &[DVec3]) -> Option<Vec<DVec3>> {
    let points: Vec<[f64; 2]> = triangles.iter().map(|p| [p.x, p.y]).collect();
    let hull = Polytope::flat_hull(&points).ok()?;
    let twice = |t: &[DVec3]| (t[1] - t[0]).cross(t[2] - t[0]).z.abs();
    let filled = 0.5 * triangles.chunks_exact(3).map(twice).sum::<f64>();
    let whole = hull.mass().volume;
    let fills = whole > 0.0 && (whole - filled).abs() <= CONVEX * whole;
    fills.then(|| hull.corners().to_vec())
}

/// How far a point is to the left of a line.
fn height_over(a: DVec3, b: DVec3, p: DVec3) -> f64 {
    (b - a).cross(p - a).z / a.distance(b)
}

/// The part of a convex outline where a linear function is not negative.
fn cut(outline: &[DVec3], height: impl Fn(DVec3) -> f64) -> Vec<DVec3> {
    let mut kept = Vec::with_capacity(outline.len() + 1);
    for (k, &here) in outline.iter().enumerate() {
        let next = outline[(k + 1) % outline.len()];
        let (d, e) = (height(here), height(next));
        if d >= 0.0 {
            kept.push(here);
        }
        if (d > 0.0 && e < 0.0) || (d < 0.0 && e > 0.0) {
            kept.push(here.lerp(next, d / (d - e)));
        }
    }
    kept
}

/// How far behind a face the room begins again, at most `most`: along its normal from its
/// middle and from half-way between that and its corners.
fn room_behind(boundary: &Boundary, number: u32, most: f64) -> f64 {
    let face = &boundary.faces()[number as usize];
    let outwards = boundary.normal(number);
    let middle = face.corners.iter().sum::<DVec3>() / face.corners.len() as f64;
    let starts = face.corners.iter().map(|corner| middle.midpoint(*corner));
    let mut nearest = most;
    let mut near = Vec::new();
    for start in starts.chain([middle]) {
        near.clear();
        let ray = Aabb::from_points([start, start + outwards * nearest]);
        boundary.faces_in(&ray, &mut near);
        for &other in near.iter().filter(|&&other| other != number) {
            if boundary.normal(other).dot(outwards) < 0.0
                && let Some(distance) = hit(&boundary.faces()[other as usize], start, outwards)
            {
                nearest = nearest.min(distance);
            }
        }
    }
    nearest
}

/// How far along a ray it hits a face.
fn hit(face: &Face, start: DVec3, direction: DVec3) -> Option<f64> {
    let normal = face.normal();
    let distance = normal.dot(face.corners[0] - start) / normal.dot(direction);
    let at = start + direction * distance;
    let slack = 1e-9 * face.bounds().size().max_element();
    let near = face.closest_point(at).distance(at) <= slack;
    (distance > 0.0 && distance.is_finite() && near).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::super::manifold::Manifold;
    use super::super::placed::Placed;
    use super::*;
    use crate::math::{DMat3, DQuat, Random};
    use crate::shape::{Core, Mesh, Piece, Polytope};

    fn contacts(walls: &Walls, piece: &Piece, at: DVec3, turn: DQuat) -> Vec<Manifold> {
        let placed = Placed::new(piece, at, &DMat3::from_quat(turn));
        let mut near = Vec::new();
        walls.near(&placed.bounds.grow(0.05), &mut near);
        near.iter().filter_map(|&face| walls.get(face).manifold(&placed, 0.05)).collect()
    }

    /// A floor of many triangles feels like one plane, wherever a body is.
    #[test]
    fn seams_are_not_felt() {
        let room = Mesh::profile(&[[0.0, 2.0], [3.0, 2.0]], 9);
        let walls = Walls::new(&Boundary::from_mesh(&room), 0.5);
        let ball = Piece::new(Core::Point, 0.25);
        let cube = Polytope::cuboid(DVec3::splat(0.5)).unwrap();
        let cube = Piece::new(Core::Polytope(cube), 0.0);
        let rod = Piece::new(Core::Segment { half: 0.3 }, 0.25);
        let disc = Piece::new(Core::Cylinder { radius: 0.3, half: 0.25 }, 0.0);
        let level = DQuat::from_rotation_y(0.5 * std::f64::consts::PI);
        for k in 0..300 {
            let at = DVec3::new(0.8 * (k as f64).sin(), 0.8 * (1.7 * k as f64).cos(), 0.24);
            let turn = DQuat::from_rotation_z(0.1 * k as f64);
            for (piece, turn) in [(&ball, turn), (&cube, turn), (&rod, turn * level), (&disc, turn)]
            {
                let found = contacts(&walls, piece, at, turn);
                assert!(!found.is_empty(), "{k} {piece:?}");
                for contact in found {
                    assert!(contact.normal.distance(DVec3::Z) < 1e-12, "{k} {}", contact.normal);
                    assert!((contact.least_gap() + 0.01).abs() < 1e-9, "{k}");
                }
            }
        }
    }

    /// Where the container juts into the room, a ball rolls over the ridge, pushed outwards.
    #[test]
    fn a_ridge_pushes_along_all_directions_between_its_faces() {
        let neck = Mesh::profile(&[[-1.0, 2.0], [0.0, 1.0], [1.0, 2.0]], 64);
        let walls = Walls::new(&Boundary::from_mesh(&neck), 0.5);
        let ball = Piece::new(Core::Point, 0.25);
        for z in [-0.15, -0.05, 0.0, 0.1] {
            let edge = DVec3::new(1.0, 0.0, 0.0);
            let away = DVec3::new(-(0.06_f64 - z * z).sqrt(), 0.0, z);
            let found = contacts(&walls, &ball, edge + away, DQuat::IDENTITY);
            assert!(!found.is_empty(), "{z}");
            let least = found.iter().map(Manifold::least_gap).fold(f64::INFINITY, f64::min);
            assert!((least - (0.06_f64.sqrt() - 0.25)).abs() < 2e-3, "{z} {least}");
            // The walls beside those at the edge are farther away.
            for contact in found.iter().filter(|contact| contact.least_gap() < least + 1e-3) {
                assert!(contact.normal.distance(away.normalize()) < 0.05, "{z} {}", contact.normal);
            }
        }
    }

    #[test]
    fn nothing_is_felt_through_a_thin_wall() {
        let mut room = Mesh::cuboid(DVec3::ZERO, DVec3::ONE);
        let other = Mesh::cuboid(DVec3::new(1.1, 0.0, 0.0), DVec3::new(2.1, 1.0, 1.0));
        let count = room.vertices.len() as u32;
        room.vertices.extend(other.vertices);
        room.triangles.extend(other.triangles.iter().map(|t| t.map(|k| k + count)));
        let walls = Walls::new(&Boundary::from_mesh(&room), 0.5);
        let ball = Piece::new(Core::Point, 0.25);
        let found = contacts(&walls, &ball, DVec3::new(0.77, 0.5, 0.5), DQuat::IDENTITY);
        assert!(!found.is_empty());
        for contact in found {
            assert!((contact.normal + DVec3::X).length() < 1e-12);
            assert!((contact.least_gap() + 0.02).abs() < 1e-12);
        }
    }

    /// The same in the plane: a zigzag floor, its valleys and its ridges.
    #[test]
    fn segments_of_the_plane_are_walls() {
        let corners =
            [[0.0, 0.0], [1.0, 0.0], [2.0, 0.5], [3.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0]];
        let walls = Walls::new(&Boundary::from_polygon(&corners), 0.5);
        let disc = Piece::new(Core::Point, 0.25);
        let found = contacts(&walls, &disc, DVec3::new(0.999, 0.24, 0.0), DQuat::IDENTITY);
        assert!(found.iter().any(|c| c.normal == DVec3::Y && (c.least_gap() + 0.01).abs() < 1e-12));
        let found = contacts(&walls, &disc, DVec3::new(2.0, 0.74, 0.0), DQuat::IDENTITY);
        assert!(!found.is_empty());
        for contact in &found {
            assert!(contact.normal.distance(DVec3::Y) < 1e-9, "{}", contact.normal);
            assert!((contact.least_gap() + 0.01).abs() < 1e-12);
        }
        let square = Polytope::rectangle(0.5, 0.5).unwrap();
        let square = Piece::new(Core::Polytope(square), 0.0);
        let found = contacts(&walls, &square, DVec3::new(0.5, 0.249, 0.0), DQuat::IDENTITY);
        assert_eq!((found.len(), found[0].count, found[0].normal), (1, 2, DVec3::Y));
        assert!(found[0].spots().iter().all(|s| (s.gap + 0.001).abs() < 1e-12 && s.at.z == 0.0));
    }

    /// All of the boundary has a wall, and wherever a ball is in the container, the walls keep
    /// it as far from the boundary as it is.
    fn check(boundary: Boundary, radius: f64) -> Walls {
        let walls = Walls::new(&boundary, radius);
        let size = boundary.bounds().size().length();
        let numbers = walls.iter().flat_map(|wall| wall.faces.iter().map(|(face, _)| *face));
        let mut faces: Vec<u32> = numbers.collect();
        faces.sort_unstable();
        assert!(faces.into_iter().eq(0..boundary.faces().len() as u32));
        for (face, k) in boundary.faces().iter().zip(0..) {
            let middle = face.corners.iter().sum::<DVec3>() / face.corners.len() as f64;
            let wall = walls.iter().find(|wall| wall.faces.iter().any(|f| f.0 == k)).unwrap();
            assert_eq!(wall.face_at(middle), k);
            assert!(wall.height(middle).unwrap().abs() < 1e-9 * size);
            assert!((wall.normal() + boundary.normal(k)).length() < 1e-12);
        }
        let random = &mut Random::new(1);
        let Aabb { min, max } = boundary.bounds();
        let inside = (0..2000).filter_map(|_| {
            let part = DVec3::new(random.unit(), random.unit(), random.unit());
            let point = min + (max - min) * part;
            boundary.contains(point).then_some(point)
        });
        for point in inside {
            let distance = boundary.nearest(point).unwrap().distance;
            let core = Polytope::point(point);
            let met = walls.iter().flat_map(|wall| wall.meetings(&core, radius, size, 1e-9));
            let least = met.map(|met| met.gap()).fold(f64::INFINITY, f64::min);
            assert!((least - distance).abs() < 1e-9 * size, "{point}: {least} {distance}");
        }
        walls
    }

    #[test]
    fn a_box_has_six_walls() {
        let cuboid = Mesh::cuboid(DVec3::ZERO, DVec3::new(4.0, 3.0, 2.0));
        let made = check(Boundary::from_mesh(&cuboid), 0.5);
        assert_eq!(made.walls.len(), 6);
        assert!(made.iter().all(|wall| wall.normal().abs().max_element() == 1.0));
    }

    #[test]
    fn a_polygon_with_a_spike_keeps_its_inside() {
        // A thin spike stands up from the floor, and a slit cuts into the right side.
        let corners = [
            [0.0, 0.0],
            [1.9, 0.0],
            [2.0, 1.0],
            [2.1, 0.0],
            [4.0, 0.0],
            [4.0, 1.0],
            [3.0, 1.02],
            [4.0, 1.04],
            [4.0, 3.0],
            [0.0, 3.0],
        ];
        let made = check(Boundary::from_polygon(&corners), 0.4);
        assert_eq!(made.walls.len(), 10);
    }

    #[test]
    fn cylinders_hourglasses_and_thin_walls_have_walls() {
        let cylinder = Mesh::profile(&[[0.0, 1.0], [2.0, 1.0]], 16);
        let made = check(Boundary::from_mesh(&cylinder), 0.3);
        assert_eq!(made.walls.len(), 18);
        let profile = [[0.0, 2.0], [1.0, 2.0], [2.0, 0.2], [2.1, 0.2], [4.0, 2.0]];
        check(Boundary::from_mesh(&Mesh::profile(&profile, 9)), 0.5);
        // Two rooms with a thin wall between them, joined below.
        let rooms = [
            [0.0, 0.0],
            [4.0, 0.0],
            [4.0, 3.0],
            [2.001, 3.0],
            [2.001, 0.5],
            [1.999, 0.5],
            [1.999, 3.0],
            [0.0, 3.0],
        ];
        check(Boundary::from_polygon(&rooms), 0.5);
        let pipe = [DVec3::ZERO, DVec3::Z, DVec3::new(0.7, 0.2, 1.5), DVec3::new(2.0, 0.0, 1.6)];
        check(Boundary::from_mesh(&Mesh::tube(&pipe, 0.3, 6)), 0.2);
    }
}
