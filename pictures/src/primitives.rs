//! What a ray can hit, tested four at a time: spheres and triangles; capsules
//! are in [`crate::capsule`].
//!
//! Everything here is single precision in the picture's own units (the whole
//! subject has about the size 1, see [`crate::stage`]), so that one set of
//! tolerances serves every scene.

use glam::{Vec3, Vec4};

/// A half-line with a direction of length 1, and what the box tests need of it.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    pub origin: Vec3,
    pub direction: Vec3,
    inverse: Vec3,
}

impl Ray {
    pub fn new(origin: Vec3, direction: Vec3) -> Ray {
        // A direction component of zero would make the box test compute 0 * infinity.
        let tame = |d: f32| if d.abs() < 1e-12 { 1e-12_f32.copysign(d) } else { d };
        let inverse = Vec3::new(tame(direction.x), tame(direction.y), tame(direction.z)).recip();
        Ray { origin, direction, inverse }
    }

    pub fn at(&self, distance: f32) -> Vec3 {
        self.origin + self.direction * distance
    }

    pub fn inverse(&self) -> Vec3 {
        self.inverse
    }
}

/// An axis-parallel box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub min: Vec3,
    pub max: Vec3,
}

impl Bounds {
    /// Contains nothing; the start of every union.
    pub const EMPTY: Bounds = Bounds { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    pub fn around(points: &[Vec3]) -> Bounds {
        points.iter().fold(Bounds::EMPTY, |all, &p| all.union(Bounds { min: p, max: p }))
    }

    pub fn union(self, other: Bounds) -> Bounds {
        Bounds { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    pub fn grown(self, by: f32) -> Bounds {
        Bounds { min: self.min - by, max: self.max + by }
    }

    pub fn centre(self) -> Vec3 {
        0.5 * (self.min + self.max)
    }

    /// Whether the ray passes through the box before `limit`.
    pub fn meets(self, ray: &Ray, limit: f32) -> bool {
        let near = (self.min - ray.origin) * ray.inverse;
        let far = (self.max - ray.origin) * ray.inverse;
        let enter = near.min(far).max_element().max(0.0);
        let leave = near.max(far).min_element() * (1.0 + 4.0 * f32::EPSILON);
        enter <= leave.min(limit)
    }

    /// Half the surface area, the cost measure of the tree builder; 0 if empty.
    pub fn half_area(self) -> f32 {
        let d = (self.max - self.min).max(Vec3::ZERO);
        d.x * d.y + d.y * d.z + d.z * d.x
    }
}

/// A shape that a [`crate::bvh::Tree`] can hold.
pub trait Primitive: Copy {
    /// Up to four shapes laid out for one test.
    type Pack: Pack;
    fn bounds(&self) -> Bounds;
    /// The unit normal at a point of the surface, on the side that a ray of this direction comes from.
    fn normal(&self, point: Vec3, direction: Vec3) -> Vec3;
    /// Packs one to four shapes.
    fn pack(shapes: &[Self]) -> Self::Pack;
}

/// Up to four shapes of one kind, tested together.
pub trait Pack: Send + Sync {
    /// The distances to the four lanes; infinite where the ray misses. Only
    /// distances above zero count.
    fn distances(&self, ray: &Ray) -> Vec4;
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    pub centre: Vec3,
    pub radius: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    pub corners: [Vec3; 3],
}

impl Triangle {
    /// Unit normal on the side from which the corners run counter-clockwise;
    /// zero for a triangle without area.
    pub fn flat_normal(&self) -> Vec3 {
        let [a, b, c] = self.corners;
        (b - a).cross(c - a).normalize_or_zero()
    }

    /// How much of each corner is in a point of the triangle.
    pub fn weights(&self, point: Vec3) -> [f32; 3] {
        let [a, b, c] = self.corners;
        let across = (b - a).cross(c - a);
        let area = across.length_squared().max(f32::MIN_POSITIVE);
        let v = (point - a).cross(c - a).dot(across) / area;
        let w = (b - a).cross(point - a).dot(across) / area;
        [1.0 - v - w, v, w]
    }
}

/// Three coordinates of four points.
#[derive(Clone, Copy, Debug)]
struct Four {
    x: Vec4,
    y: Vec4,
    z: Vec4,
}

impl Four {
    fn new(points: [Vec3; 4]) -> Four {
        let pick = |f: fn(Vec3) -> f32| Vec4::from_array(points.map(f));
        Four { x: pick(|p| p.x), y: pick(|p| p.y), z: pick(|p| p.z) }
    }

    fn splat(p: Vec3) -> Four {
        Four { x: Vec4::splat(p.x), y: Vec4::splat(p.y), z: Vec4::splat(p.z) }
    }

    fn sub(self, o: Four) -> Four {
        Four { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
    }

    fn scaled(self, by: Vec4) -> Four {
        Four { x: self.x * by, y: self.y * by, z: self.z * by }
    }

    fn dot(self, o: Four) -> Vec4 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    fn cross(self, o: Four) -> Four {
        Four {
            x: self.y * o.z - self.z * o.y,
            y: self.z * o.x - self.x * o.z,
            z: self.x * o.y - self.y * o.x,
        }
    }
}

/// Fills four lanes from one to four shapes.
fn lanes<S: Copy, T>(shapes: &[S], empty: S, value: impl Fn(S) -> T) -> [T; 4] {
    std::array::from_fn(|i| value(shapes.get(i).copied().unwrap_or(empty)))
}

const MISS: Vec4 = Vec4::INFINITY;

pub struct SpherePack {
    centre: Four,
    squared_radius: Vec4,
}

impl Primitive for Sphere {
    type Pack = SpherePack;

    fn bounds(&self) -> Bounds {
        Bounds { min: self.centre, max: self.centre }.grown(self.radius)
    }

    fn normal(&self, point: Vec3, _: Vec3) -> Vec3 {
        (point - self.centre) / self.radius
    }

    fn pack(shapes: &[Sphere]) -> SpherePack {
        // A negative squared radius can not be hit.
        let empty = Sphere { centre: Vec3::ZERO, radius: f32::NAN };
        let square = |s: Sphere| if s.radius >= 0.0 { s.radius * s.radius } else { -1.0 };
        SpherePack {
            centre: Four::new(lanes(shapes, empty, |s| s.centre)),
            squared_radius: Vec4::from_array(lanes(shapes, empty, square)),
        }
    }
}

impl Pack for SpherePack {
    /// Only the outside of a sphere is there to be hit.
    #[inline]
    fn distances(&self, ray: &Ray) -> Vec4 {
        let direction = Four::splat(ray.direction);
        let to_centre = self.centre.sub(Four::splat(ray.origin));
        let middle = to_centre.dot(direction);
        // From the closest approach, not from b*b - c: that would lose the
        // small sphere in the square of its distance.
        let off = to_centre.sub(direction.scaled(middle));
        let inside = self.squared_radius - off.dot(off);
        let hit = inside.cmpge(Vec4::ZERO);
        if !hit.any() {
            return MISS;
        }
        let distance = middle - inside.max(Vec4::ZERO).sqrt();
        Vec4::select(hit & distance.cmpgt(Vec4::ZERO), distance, MISS)
    }
}

pub struct TrianglePack {
    corner: Four,
    side1: Four,
    side2: Four,
}

impl Primitive for Triangle {
    type Pack = TrianglePack;

    fn bounds(&self) -> Bounds {
        Bounds::around(&self.corners)
    }

    fn normal(&self, _: Vec3, direction: Vec3) -> Vec3 {
        let normal = self.flat_normal();
        if normal.dot(direction) > 0.0 { -normal } else { normal }
    }

    fn pack(shapes: &[Triangle]) -> TrianglePack {
        let empty = Triangle { corners: [Vec3::ZERO; 3] };
        TrianglePack {
            corner: Four::new(lanes(shapes, empty, |t| t.corners[0])),
            side1: Four::new(lanes(shapes, empty, |t| t.corners[1] - t.corners[0])),
            side2: Four::new(lanes(shapes, empty, |t| t.corners[2] - t.corners[0])),
        }
    }
}

impl Pack for TrianglePack {
    /// Both sides can be hit. Triangles without area have a determinant of 0,
    /// and the comparisons below are false for the infinities that follow.
    #[inline]
    fn distances(&self, ray: &Ray) -> Vec4 {
        let direction = Four::splat(ray.direction);
        let p = direction.cross(self.side2);
        let determinant = self.side1.dot(p);
        let scale = determinant.recip();
        let from = Four::splat(ray.origin).sub(self.corner);
        let v = from.dot(p) * scale;
        let q = from.cross(self.side1);
        let w = direction.dot(q) * scale;
        let distance = self.side2.dot(q) * scale;
        let hit = v.cmpge(Vec4::ZERO)
            & w.cmpge(Vec4::ZERO)
            & (v + w).cmple(Vec4::ONE)
            & distance.cmpgt(Vec4::ZERO)
            & determinant.cmpne(Vec4::ZERO);
        Vec4::select(hit, distance, MISS)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use proptest::prelude::*;

    pub fn vector(range: f32) -> impl Strategy<Value = Vec3> {
        (-range..range, -range..range, -range..range).prop_map(|(x, y, z)| Vec3::new(x, y, z))
    }

    pub fn toward(origin: Vec3, target: Vec3) -> Ray {
        Ray::new(origin, (target - origin).normalize_or(Vec3::X))
    }

    proptest! {
        #[test]
        fn a_sphere_is_hit_on_its_surface(centre in vector(1.0), offset in vector(0.5), origin in vector(4.0)) {
            let sphere = Sphere { centre, radius: 0.25 };
            prop_assume!(origin.distance(centre) > 0.3);
            let ray = toward(origin, centre + offset);
            let distance = Sphere::pack(&[sphere]).distances(&ray).x;
            let closest = (centre - origin).dot(ray.direction).max(0.0);
            let gap = ray.at(closest).distance(centre);
            if distance.is_finite() {
                prop_assert!((ray.at(distance).distance(centre) - 0.25).abs() < 1e-4);
                prop_assert!(ray.direction.dot(sphere.normal(ray.at(distance), ray.direction)) < 1e-2);
            } else {
                prop_assert!(gap > 0.25 - 1e-5);
            }
        }

        #[test]
        fn a_triangle_is_hit_where_it_was_aimed_at(a in vector(1.0), b in vector(1.0), c in vector(1.0), origin in vector(4.0), v in 0.05f32..0.9, w in 0.05f32..0.9) {
            let triangle = Triangle { corners: [a, b, c] };
            prop_assume!(v + w < 0.95 && (b - a).cross(c - a).length() > 0.05);
            let target = a + (b - a) * v + (c - a) * w;
            let ray = toward(origin, target);
            prop_assume!(ray.direction.dot(triangle.flat_normal()).abs() > 0.05 && origin.distance(target) > 0.1);
            let distances = Triangle::pack(&[triangle, triangle]).distances(&ray);
            prop_assert!((ray.at(distances.y) - target).length() < 1e-3);
            prop_assert_eq!(distances.z, f32::INFINITY);
            let weights = triangle.weights(target);
            prop_assert!((weights[1] - v).abs() < 1e-2 && (weights[2] - w).abs() < 1e-2);
        }
    }

    #[test]
    fn a_flat_triangle_is_never_hit() {
        let flat = Triangle { corners: [Vec3::ZERO, Vec3::X, 2.0 * Vec3::X] };
        let ray = Ray::new(Vec3::new(0.5, 0.0, 1.0), Vec3::NEG_Z);
        assert_eq!(Triangle::pack(&[flat]).distances(&ray), MISS);
        assert_eq!(flat.flat_normal(), Vec3::ZERO);
    }
}
