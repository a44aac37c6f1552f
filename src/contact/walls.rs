//! The container as obstacles that never move: behind every flat part of its
//! boundary stands a wall, that part drawn out to the outside. It pushes along the
//! normal of the part alone, and over a ridge (where the container juts into the
//! room) along what lies between the normals of the two parts. So bodies slide over
//! the seams of a mesh without feeling them.

use std::collections::BTreeMap;

use super::clip::cut_to_facet;
use super::meetings::{Meeting, meetings, on_facet};
use crate::math::DVec3;
use crate::shape::{Aabb, Boundary, Bvh, Face, Facet, Polytope, UnionFind};
use crate::world::Model;

/// Faces whose normals differ by less than this, and share an edge, are one flat part.
const SAME_NORMAL: f64 = 1e-9;

/// A flat part is convex if its hull is larger by no more than this fraction.
const CONVEX: f64 = 1e-9;

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

/// A flat part of the boundary, drawn out.
#[derive(Clone, Debug)]
pub(crate) struct Wall {
    /// Its first facet is the part, and points into the room.
    pub core: Polytope,
    /// The faces of the boundary that it stands behind, by number.
    faces: Vec<(u32, Face)>,
    rim: Vec<Rim>,
    /// Whether what is beyond the sides of the part falls back, in the order of its facet.
    ridges: Vec<bool>,
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

    /// Every part is drawn out by about `depth`, but by no more than half of the way to where
    /// the container begins again behind it: what is on the other side of a thin wall is not
    /// this part's business.
    pub fn new(boundary: &Boundary, depth: f64) -> Walls {
        let seams = Seams::new(boundary);
        let mut walls = Vec::new();
        for faces in seams.flat_parts(boundary) {
            match outline(boundary, &faces) {
                Some(base) => walls.push(Wall::new(boundary, &seams, faces, &base, depth)),
                None => walls.extend(faces.into_iter().map(|face| {
                    let base = upright(boundary, face);
                    Wall::new(boundary, &seams, vec![face], &base, depth)
                })),
            }
        }
        let boxes: Vec<Aabb> = walls.iter().map(|wall| wall.core.bounds()).collect();
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
    fn new(
        boundary: &Boundary,
        seams: &Seams,
        faces: Vec<u32>,
        base: &[DVec3],
        depth: f64,
    ) -> Wall {
        let outwards = boundary.normal(faces[0]);
        let behind = faces.iter().map(|&face| room_behind(boundary, face, 2.0 * depth));
        let thickness = 0.5 * behind.fold(f64::INFINITY, f64::min);
        let core = Polytope::drawn_out(base, outwards * thickness);
        let rim = seams.rim(boundary, &faces, outwards);
        let Aabb { min, max } = Aabb::from_points(base.iter().copied());
        let far = min.abs().max(max.abs()).max_element();
        let on = ON * (max - min).max_element() + 16.0 * f64::EPSILON * far;
        let corners = &core.facets()[0].corners;
        let at = |k: usize| core.corners()[corners[k % corners.len()] as usize];
        let is_ridge = |k: usize| {
            let meets = |p: &DVec3| match corners.len() {
                2 => p.distance(at(k)) <= on,
                _ => Face::segment(at(k), at(k + 1)).closest_point(*p).distance(*p) <= on,
            };
            rim.iter().any(|rim| rim.bisector != DVec3::ZERO && rim.side.iter().all(meets))
        };
        Wall {
            ridges: (0..corners.len()).map(is_ridge).collect(),
            on,
            faces: faces.iter().map(|&k| (k, boundary.faces()[k as usize].clone())).collect(),
            core,
            rim,
            thickness,
        }
    }

    /// Into the room.
    pub fn normal(&self) -> DVec3 {
        self.core.facets()[0].normal
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

    /// How far over the sides of the part what moves by so much feels it: no further than the
    /// side at ridges. Elsewhere the plane of the part goes on outside of the container, and
    /// who slides over the seam in the next step must not go through it.
    fn beyond(&self, reach: f64) -> impl Fn(usize) -> f64 {
        move |side| if self.ridges[side] { 0.0 } else { reach }
    }

    /// How high above the part a point that moves by so much is, unless it is beside it or behind
    /// the wall.
    pub fn height(&self, point: DVec3, reach: f64) -> Option<f64> {
        let Facet { normal, corners } = &self.core.facets()[0];
        let at = |k: usize| self.core.corners()[corners[k % corners.len()] as usize];
        let is_over = |k: usize| {
            let along = (at(k + 1) - at(k)).normalize_or_zero();
            let inwards = if corners.len() == 2 { along } else { normal.cross(along) };
            inwards.dot(point - at(k)) >= -self.on - self.beyond(reach)(k)
        };
        let beside = !(0..corners.len()).all(is_over);
        let height = normal.dot(point - at(0));
        let is_behind = height <= -self.thickness || !self.is_on_own_side(point);
        (!beside && !is_behind).then_some(height)
    }

    /// The points of a contact of a rounded core, which comes first, with the wall.
    pub(super) fn meetings(
        &self,
        core: &Polytope,
        radius: f64,
        reach: f64,
        alike: f64,
    ) -> Vec<Meeting> {
        let above = self.above(core, radius, reach, alike);
        let is_over_part = core.corners().len() == 1 && !above.is_empty();
        if !self.ridges.contains(&true) || is_over_part {
            return above;
        }
        let mut found = meetings([core, &self.core], radius, reach, alike);
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
        found.iter().all(|Meeting { at, normal, .. }| {
            if normal.dot(self.normal()) > 1.0 - LEANING * LEANING {
                return self.is_on_own_side(at[0]);
            }
            let is_at = |rim: &&Rim| {
                let on = match rim.side[..] {
                    [a, b] => Face::segment(a, b).closest_point(at[1]),
                    _ => rim.side[0],
                };
                on.distance(at[1]) <= self.on
            };
            let mut at_rim = self.rim.iter().filter(is_at).peekable();
            at_rim.peek().is_some() && !at_rim.any(|rim| normal.dot(rim.beyond) > LEANING)
        })
    }

    /// The part of a core above the wall's part, pushed along its normal.
    fn above(&self, core: &Polytope, radius: f64, reach: f64, alike: f64) -> Vec<Meeting> {
        let near = reach + radius;
        let spots = cut_to_facet(&self.core, 0, core, self.beyond(reach)).into_iter().enumerate();
        let met = spots.map(|(k, at)| on_facet(&self.core, 0, at, k, true));
        let mut found: Vec<Meeting> = met.filter(|met| met.gap() <= near).collect();
        // The lowest corner counts even if the facet that looks at the wall does not have it.
        let height = |corner: &&DVec3| self.normal().dot(**corner);
        let lowest = core.corners().iter().min_by(|a, b| height(a).total_cmp(&height(b)));
        if let Some(&lowest) = lowest
            && let Some(gap) = self.height(lowest, reach)
            && gap <= near
            && found.iter().all(|met| gap < met.gap() - alike)
        {
            found.push(on_facet(&self.core, 0, lowest, core.corners().len(), true));
        }
        found.retain(|met| met.gap() > -self.thickness && self.is_on_own_side(met.at[0]));
        found
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

/// The corners of a face, in the order that [`Polytope::drawn_out`] asks for.
fn upright(boundary: &Boundary, face: u32) -> Vec<DVec3> {
    let mut corners = boundary.faces()[face as usize].corners.clone();
    if let [a, b, c] = corners[..]
        && (b - a).cross(c - a).dot(boundary.normal(face)) < 0.0
    {
        corners.reverse();
    }
    corners
}

/// The outline of triangles in one plane; none if they do not fill a convex polygon.
fn outline(boundary: &Boundary, faces: &[u32]) -> Option<Vec<DVec3>> {
    if let [face] = faces {
        return Some(upright(boundary, *face));
    }
    let corners = || faces.iter().flat_map(|k| boundary.faces()[*k as usize].corners.iter());
    let origin = *corners().next()?;
    let (x, y) = boundary.normal(faces[0]).any_orthonormal_pair();
    let flat = |c: &DVec3| [x.dot(*c - origin), y.dot(*c - origin)];
    let points: Vec<[f64; 2]> = corners().map(flat).collect();
    let hull = Polytope::flat_hull(&points).ok()?;
    let twice = |face: &u32| {
        let [a, b, c] = boundary.faces()[*face as usize].corners[..] else { return 0.0 };
        (b - a).cross(c - a).length()
    };
    let filled = 0.5 * faces.iter().map(twice).sum::<f64>();
    let whole = hull.mass().volume;
    let fills = whole > 0.0 && (whole - filled).abs() <= CONVEX * whole;
    let lifted = hull.corners().iter().filter_map(|p| {
        let at = points.iter().position(|q| [p.x, p.y] == *q)?;
        corners().nth(at).copied()
    });
    fills.then(|| lifted.collect())
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
            for contact in &found {
                assert!(contact.normal.distance(away.normalize()) < 0.05, "{z} {}", contact.normal);
            }
            let least = found.iter().map(Manifold::least_gap).fold(f64::INFINITY, f64::min);
            assert!((least - (0.06_f64.sqrt() - 0.25)).abs() < 2e-3, "{z} {least}");
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
            assert!(wall.height(middle, 0.0).unwrap().abs() < 1e-9 * size);
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
