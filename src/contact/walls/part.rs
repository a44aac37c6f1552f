//! A flat part of a container's boundary, and the wall that stands behind it.

use super::Wall;
use super::seams::{Rim, Seams};
use crate::contact::cores::Rounded;
use crate::math::DVec3;
use crate::shape::{Aabb, Boundary, Face, Polytope};

/// A flat part is convex if its hull is larger by no more than this fraction.
const CONVEX: f64 = 1e-9;

/// What lies beyond a plane by less than this, in units of the part's size, lies on it.
const LEVEL: f64 = 1e-9;

/// How often the size of a wall is halved before it is taken as it is: by then it is a millionth.
const HALVINGS: i32 = 20;

/// A point is on the part or its rim if it is this part of its size away, or less.
const ON: f64 = 1e-9;

/// A convex flat part of the boundary, in coordinates of its own plane.
pub(super) struct Part {
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
    pub fn new(boundary: &Boundary, seams: &Seams, faces: &[u32]) -> Option<Part> {
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
    pub fn wall(self, boundary: &Boundary, size: f64) -> Option<Wall> {
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
