//! The camera: it looks at the subject slightly from above, from as near as it
//! can without cutting anything off.

use glam::Vec3;

use crate::shapes::Ray;

/// A camera that has found its place.
#[derive(Clone, Copy, Debug)]
pub struct Camera {
    eye: Vec3,
    right: Vec3,
    up: Vec3,
    forward: Vec3,
    /// Half the picture's width and height: at distance 1 in perspective, in picture units otherwise.
    half: (f32, f32),
    perspective: bool,
}

/// Half the angle of view along the shorter side (a tangent): a short telephoto lens.
const LENS: f32 = 0.25;
/// The share of the picture that the subject may fill.
const FILL: f32 = 0.88;

impl Camera {
    /// Looks at the points from the horizontal angle `azimuth` (0 is from -y,
    /// counter-clockwise from above) and from `elevation` above the horizon,
    /// both in degrees; `aspect` is width over height.
    pub fn around(points: &[Vec3], azimuth: f32, elevation: f32, aspect: f32) -> Camera {
        let (azimuth, elevation) = (azimuth.to_radians(), elevation.to_radians());
        let back = Vec3::new(
            azimuth.sin() * elevation.cos(),
            -azimuth.cos() * elevation.cos(),
            elevation.sin(),
        );
        let right = Vec3::new(azimuth.cos(), azimuth.sin(), 0.0);
        let half = if aspect >= 1.0 { (LENS * aspect, LENS) } else { (LENS, LENS / aspect) };
        let mut camera = Camera {
            eye: Vec3::ZERO,
            right,
            up: back.cross(right),
            forward: -back,
            half,
            perspective: true,
        };
        camera.approach(points);
        camera
    }

    /// Looks down on the x-y plane, y up in the picture, without perspective.
    pub fn flat(points: &[Vec3], aspect: f32) -> Camera {
        let (left, right) = range(points.iter().map(|p| p.x));
        let (bottom, top) = range(points.iter().map(|p| p.y));
        let (_, near) = range(points.iter().map(|p| p.z));
        let tall = (0.5 * (top - bottom)).max(0.5 * (right - left) / aspect).max(1e-3) / FILL;
        Camera {
            eye: Vec3::new(0.5 * (left + right), 0.5 * (bottom + top), near + 1.0),
            right: Vec3::X,
            up: Vec3::Y,
            forward: Vec3::NEG_Z,
            half: (tall * aspect, tall),
            perspective: false,
        }
    }

    /// Moves the eye, without turning it, to the nearest place from which all
    /// points are in the picture. In the camera's axes a point (x, y, z) is
    /// left of the right border if x - ex <= t (z - ez), and so on; the two
    /// borders of one direction together bound ez, and their difference gives ex.
    fn approach(&mut self, points: &[Vec3]) {
        let place = |axis: Vec3, tangent: f32| {
            let reach = |sign: f32| {
                let terms =
                    points.iter().map(|&p| sign * p.dot(axis) - tangent * p.dot(self.forward));
                terms.fold(f32::NEG_INFINITY, f32::max)
            };
            let (high, low) = (reach(1.0), reach(-1.0));
            (0.5 * (high - low), -(high + low) / (2.0 * tangent))
        };
        let (x, depth_x) = place(self.right, self.half.0 * FILL);
        let (y, depth_y) = place(self.up, self.half.1 * FILL);
        let depth = depth_x.min(depth_y);
        self.eye = self.right * x + self.up * y + self.forward * depth;
    }

    /// The ray through a point of the picture; (0, 0) is its lower left corner, (1, 1) the upper right one.
    pub fn ray(&self, x: f32, y: f32) -> Ray {
        let offset = self.right * ((2.0 * x - 1.0) * self.half.0)
            + self.up * ((2.0 * y - 1.0) * self.half.1);
        if self.perspective {
            Ray::new(self.eye, (self.forward + offset).normalize())
        } else {
            Ray::new(self.eye + offset, self.forward)
        }
    }

    /// The width in the scene that one part in `parts` of the picture's height has at a point.
    pub fn footprint(&self, point: Vec3, parts: usize) -> f32 {
        let depth = if self.perspective { (point - self.eye).dot(self.forward) } else { 1.0 };
        depth * 2.0 * self.half.1 / parts as f32
    }

    pub fn toward(&self) -> Vec3 {
        -self.forward
    }
}

fn range(values: impl Iterator<Item = f32>) -> (f32, f32) {
    values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::cube;
    use proptest::prelude::*;

    /// Where a point appears: (0, 0) to (1, 1).
    fn project(camera: &Camera, point: Vec3) -> (f32, f32) {
        let from = point - camera.eye;
        let depth = if camera.perspective { from.dot(camera.forward) } else { 1.0 };
        let across = |axis: Vec3, half: f32| 0.5 + 0.5 * from.dot(axis) / depth / half;
        (across(camera.right, camera.half.0), across(camera.up, camera.half.1))
    }

    proptest! {
        #[test]
        fn everything_is_in_the_picture_and_something_at_its_border(azimuth in -180f32..180.0, elevation in 0f32..80.0, aspect in 0.3f32..3.0) {
            let points = cube().vertices;
            let camera = Camera::around(&points, azimuth, elevation, aspect);
            let off = |p: &Vec3| { let (x, y) = project(&camera, *p); (x - 0.5).abs().max((y - 0.5).abs()) };
            let widest = points.iter().map(off).fold(0.0, f32::max);
            prop_assert!((widest - 0.5 * FILL).abs() < 1e-3);
            prop_assert!(points.iter().all(|p| (*p - camera.eye).dot(camera.forward) > 0.0));
        }
    }

    #[test]
    fn rays_go_through_the_points_that_they_show() {
        let points = cube().vertices;
        for camera in [Camera::around(&points, 20.0, 15.0, 1.5), Camera::flat(&points, 1.5)] {
            for point in &points {
                let (x, y) = project(&camera, *point);
                let ray = camera.ray(x, y);
                let along = (*point - ray.origin).dot(ray.direction);
                assert!((ray.at(along) - *point).length() < 1e-4);
            }
        }
    }

    #[test]
    fn up_is_up() {
        let camera = Camera::around(&cube().vertices, 0.0, 15.0, 1.0);
        assert!(project(&camera, Vec3::Z).1 > project(&camera, Vec3::ZERO).1);
        assert!(project(&camera, Vec3::X).0 > project(&camera, Vec3::ZERO).0);
    }
}
