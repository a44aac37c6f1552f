//! The container as obstacles that never move: behind every flat part of its
//! boundary stands a wall, a flat pyramid whose base is that part and whose tip
//! is outside.
//!
//! A base reaches beyond its own part wherever that is outside of the container
//! (past the edge between a floor and a side), so that bodies which slide along
//! it find no corner to stumble over; at an edge that stands out into the
//! container it ends there. A pyramid has no side that bodies in the container
//! could meet, and it is as flat as what is behind it demands.

use std::collections::BTreeMap;

use super::cores::Rounded;
use crate::math::DVec3;
use crate::shape::{Aabb, Boundary, Polytope, UnionFind};
use crate::world::Model;

/// Faces whose normals differ by less than this, and share an edge, are one flat part.
const SAME_NORMAL: f64 = 1e-9;

/// A flat part is convex if its hull is larger by no more than this fraction.
const CONVEX: f64 = 1e-9;

/// What lies beyond a plane by less than this, in units of the part's size, lies on it.
const LEVEL: f64 = 1e-9;

/// How often the size of a wall is halved before it is taken as it is: by then it is a millionth.
const HALVINGS: i32 = 20;

/// A flat part of the boundary as an obstacle.
#[derive(Clone, Debug)]
pub(super) struct Wall {
    /// The pyramid; it has no rounding.
    pub piece: Rounded,
    /// The faces that it stands behind.
    faces: Vec<u32>,
}

impl Wall {
    /// The face of the boundary at a point of the wall.
    pub fn face_at(&self, boundary: &Boundary, at: DVec3) -> u32 {
        let distance = |k: &u32| boundary.faces()[*k as usize].closest_point(at).distance(at);
        let nearest = self.faces.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.copied().unwrap_or_default()
    }
}

/// The walls of a model's container, as thick and as wide as its largest free body asks for.
pub(super) fn walls(model: &Model) -> Vec<Wall> {
    let boundary = &model.boundary;
    if boundary.faces().is_empty() {
        return Vec::new();
    }
    let size = model.free().map(|i| model.bodies[i].radius).fold(0.0, f64::max);
    let edges = Edges::new(boundary);
    let mut made = Vec::new();
    for faces in edges.flat_parts(boundary) {
        match Part::new(boundary, &edges, &faces) {
            Some(part) => made.extend(part.wall(boundary, size)),
            None => {
                let single = faces.iter().filter_map(|k| Part::new(boundary, &edges, &[*k]));
                made.extend(single.filter_map(|part| part.wall(boundary, size)));
            }
        }
    }
    made
}

/// A corner of the boundary, exactly; minus zero is zero.
type Corner = [u64; 3];

fn exactly(corner: DVec3) -> Corner {
    (corner + 0.0).to_array().map(f64::to_bits)
}

/// Which faces meet at an edge (in 2D: at a corner).
struct Edges {
    faces: BTreeMap<Vec<Corner>, Vec<u32>>,
}

impl Edges {
    fn new(boundary: &Boundary) -> Edges {
        let mut faces: BTreeMap<Vec<Corner>, Vec<u32>> = BTreeMap::new();
        for (face, k) in boundary.faces().iter().zip(0..) {
            for edge in edges(&face.corners) {
                faces.entry(key(&edge)).or_default().push(k);
            }
        }
        Edges { faces }
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
}

/// The edges of a triangle; the ends of a segment.
fn edges(corners: &[DVec3]) -> Vec<Vec<DVec3>> {
    match corners {
        [a, b] => vec![vec![*a], vec![*b]],
        [a, b, c] => vec![vec![*a, *b], vec![*b, *c], vec![*c, *a]],
        _ => Vec::new(),
    }
}

fn key(edge: &[DVec3]) -> Vec<Corner> {
    let mut corners: Vec<Corner> = edge.iter().map(|c| exactly(*c)).collect();
    corners.sort_unstable();
    corners
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
    diameter: f64,
}

impl Part {
    /// None if the part is not convex, or has no area.
    fn new(boundary: &Boundary, edges: &Edges, faces: &[u32]) -> Option<Part> {
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
            diameter: bounds.size().length(),
        };
        let points: Vec<DVec3> = corners().map(|c| part.flatten(*c)).collect();
        part.corners = match points[..] {
            [a, b] => vec![a, b],
            _ => convex_outline(&points)?,
        };
        part.ends = vec![false; part.corners.len()];
        part.find_ends(boundary, edges);
        (normal != DVec3::ZERO).then_some(part)
    }

    fn flatten(&self, point: DVec3) -> DVec3 {
        let [x, y] = self.axes.map(|axis| axis.dot(point - self.origin));
        DVec3::new(x, y, 0.0)
    }

    fn lift(&self, point: DVec3) -> DVec3 {
        self.origin + self.axes[0] * point.x + self.axes[1] * point.y
    }

    /// Sides whose neighbour turns outwards: the container is wider there.
    fn find_ends(&mut self, boundary: &Boundary, edges: &Edges) {
        let level = LEVEL * self.diameter;
        for &k in &self.faces {
            for edge in self::edges(&boundary.faces()[k as usize].corners) {
                let Some(others) = edges.faces.get(&key(&edge)) else { continue };
                let stands_out = others.iter().any(|other| {
                    let corners = boundary.faces()[*other as usize].corners.iter();
                    let height = |c: &DVec3| self.normal.dot(*c - self.origin);
                    !self.faces.contains(other) && corners.map(height).any(|h| h > level)
                });
                if !stands_out {
                    continue;
                }
                let on: Vec<DVec3> = edge.iter().map(|c| self.flatten(*c)).collect();
                let count = self.corners.len();
                for side in 0..count {
                    let (a, b) = (self.corners[side], self.corners[(side + 1) % count]);
                    let meets = match count {
                        2 => on[0].distance(a) <= level,
                        _ => on.iter().all(|p| height_over(a, b, *p).abs() <= level),
                    };
                    self.ends[side] |= meets;
                }
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
        Some(Wall { piece: Rounded::sharp(core), faces: self.faces })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{DQuat, Random};
    use crate::shape::{Mesh, Shape};
    use crate::world::{State, Weight};

    /// The walls around a ball.
    fn around(boundary: Boundary, radius: f64) -> (Model, Vec<Wall>) {
        let dimension = boundary.faces()[0].corners.len();
        let mut model = Model { boundary, ..Model::new(dimension, DVec3::NEG_Z) };
        let (state, at) = (&mut State::default(), DVec3::ZERO);
        let weight = Weight::Mass(1.0);
        model.add(state, Shape::ball(radius), at, DQuat::IDENTITY, weight).unwrap();
        let walls = walls(&model);
        (model, walls)
    }

    /// No point of a wall is inside the container, and all of the boundary has a wall.
    fn check((model, walls): &(Model, Vec<Wall>)) {
        let boundary = &model.boundary;
        let random = &mut Random::new(1);
        let size = boundary.bounds().size().length();
        for wall in walls {
            let corners = wall.piece.core.corners();
            for _ in 0..50 {
                let weights: Vec<f64> = corners.iter().map(|_| random.unit().powi(4)).collect();
                let sum: f64 = weights.iter().sum();
                let point = corners.iter().zip(&weights).map(|(c, w)| *c * (w / sum)).sum();
                let depth = boundary.nearest(point).unwrap().distance;
                assert!(!boundary.contains(point) || depth < 1e-9 * size, "{point}: {depth}");
            }
        }
        let mut faces: Vec<u32> = walls.iter().flat_map(|w| w.faces.clone()).collect();
        faces.sort_unstable();
        assert!(faces.into_iter().eq(0..boundary.faces().len() as u32));
        for (face, k) in boundary.faces().iter().zip(0..) {
            let middle = face.corners.iter().sum::<DVec3>() / face.corners.len() as f64;
            let wall = walls.iter().find(|w| w.faces.contains(&k)).unwrap();
            assert_eq!(wall.face_at(boundary, middle), k);
            // The base goes through it.
            let core = &wall.piece.core;
            let over = |f: &crate::shape::Facet| {
                f.normal.dot(middle - core.corners()[f.corners[0] as usize])
            };
            let heights: Vec<f64> = core.facets().iter().map(over).collect();
            assert!(heights.iter().all(|h| *h < 1e-9 * size), "{k}: {heights:?}");
            assert!(heights.iter().any(|h| h.abs() < 1e-9 * size), "{k}: {heights:?}");
        }
    }

    #[test]
    fn a_box_has_six_walls_that_reach_beyond_its_edges() {
        let cuboid = Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::new(4.0, 3.0, 2.0)));
        let made = around(cuboid, 0.5);
        check(&made);
        assert_eq!(made.1.len(), 6);
        let floor = made.1.iter().find(|w| w.faces.contains(&0)).unwrap();
        let bounds = floor.piece.core.bounds();
        let base = floor.piece.core.facets().iter().find(|f| f.corners.len() == 4).unwrap();
        assert!(base.normal.abs().max_element() == 1.0, "{base:?}");
        assert!(bounds.size().length() > 5.0);
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
        let made = around(Boundary::from_polygon(&corners), 0.4);
        check(&made);
        assert_eq!(made.1.len(), 10);
    }

    #[test]
    fn cylinders_hourglasses_and_thin_walls_have_walls() {
        let cylinder = Mesh::profile(&[[0.0, 1.0], [2.0, 1.0]], 16);
        let made = around(Boundary::from_mesh(&cylinder), 0.3);
        check(&made);
        assert_eq!(made.1.len(), 18);
        let profile = [[0.0, 2.0], [1.0, 2.0], [2.0, 0.2], [2.1, 0.2], [4.0, 2.0]];
        check(&around(Boundary::from_mesh(&Mesh::profile(&profile, 9)), 0.5));
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
        check(&around(Boundary::from_polygon(&rooms), 0.5));
        let pipe = [DVec3::ZERO, DVec3::Z, DVec3::new(0.7, 0.2, 1.5), DVec3::new(2.0, 0.0, 1.6)];
        check(&around(Boundary::from_mesh(&Mesh::tube(&pipe, 0.3, 6)), 0.2));
    }
}
