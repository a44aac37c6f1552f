//! Capsules: rods, rounded edges, and bodies that are capsules.

use glam::{Vec3, Vec4};

use crate::primitives::{Bounds, Pack, Primitive, Ray};

/// All points within `radius` of the segment from `start` to `end`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    pub start: Vec3,
    pub end: Vec3,
    pub radius: f32,
}

impl Capsule {
    fn distance(&self, ray: &Ray) -> f32 {
        let axis = self.end - self.start;
        let length = axis.length();
        let nearest_end = || {
            end_distance(self.start, self.radius, ray).min(end_distance(self.end, self.radius, ray))
        };
        if length < f32::MIN_POSITIVE {
            return nearest_end();
        }
        // In the plane across the axis the mantle is a circle.
        let axis = axis / length;
        let from = ray.origin - self.start;
        let flat_direction = ray.direction - axis * ray.direction.dot(axis);
        let flat_from = from - axis * from.dot(axis);
        let a = flat_direction.length_squared();
        if a > 1e-12 {
            let b = flat_direction.dot(flat_from);
            let off = flat_from - flat_direction * (b / a);
            let inside = self.radius * self.radius - off.length_squared();
            if inside < 0.0 {
                return f32::INFINITY;
            }
            let distance = (-b - (inside * a).sqrt()) / a;
            let along = (from + ray.direction * distance).dot(axis);
            if distance > 0.0 && (0.0..=length).contains(&along) {
                return distance;
            }
        }
        nearest_end()
    }
}

/// Distance to the outside of one ball at the end of a capsule.
fn end_distance(centre: Vec3, radius: f32, ray: &Ray) -> f32 {
    let from = ray.origin - centre;
    let b = from.dot(ray.direction);
    let inside = radius * radius - (from - ray.direction * b).length_squared();
    let distance = -b - inside.max(0.0).sqrt();
    if inside >= 0.0 && distance > 0.0 { distance } else { f32::INFINITY }
}

pub struct CapsulePack {
    capsules: Vec<Capsule>,
}

impl Primitive for Capsule {
    type Pack = CapsulePack;

    fn bounds(&self) -> Bounds {
        Bounds::around(&[self.start, self.end]).grown(self.radius)
    }

    fn normal(&self, point: Vec3, _: Vec3) -> Vec3 {
        let axis = self.end - self.start;
        let along = (point - self.start).dot(axis) / axis.length_squared().max(f32::MIN_POSITIVE);
        (point - self.start - axis * along.clamp(0.0, 1.0)).normalize_or_zero()
    }

    fn pack(shapes: &[Capsule]) -> CapsulePack {
        CapsulePack { capsules: shapes.iter().copied().take(4).collect() }
    }
}

impl Pack for CapsulePack {
    fn distances(&self, ray: &Ray) -> Vec4 {
        let mut distances = [f32::INFINITY; 4];
        for (distance, capsule) in distances.iter_mut().zip(&self.capsules) {
            *distance = capsule.distance(ray);
        }
        Vec4::from_array(distances)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::tests::{toward, vector};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_capsule_is_hit_on_its_surface(start in vector(1.0), end in vector(1.0), origin in vector(4.0), target in vector(1.0)) {
            let capsule = Capsule { start, end, radius: 0.2 };
            let gap = |p: Vec3| {
                let axis = end - start;
                let along = ((p - start).dot(axis) / axis.length_squared().max(1e-9)).clamp(0.0, 1.0);
                p.distance(start + axis * along)
            };
            prop_assume!(gap(origin) > 0.3);
            let ray = toward(origin, target);
            let distance = Capsule::pack(&[capsule]).distances(&ray).x;
            if distance.is_finite() {
                prop_assert!((gap(ray.at(distance)) - 0.2).abs() < 2e-3);
            } else {
                for i in 0..400 {
                    prop_assert!(gap(ray.at(i as f32 * 0.02)) > 0.2 - 2e-3);
                }
            }
        }
    }
}
