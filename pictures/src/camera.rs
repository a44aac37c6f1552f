//! The camera: it looks at the subject slightly from above, from as near as it
//! can without cutting anything off.

use glam::Vec3;

use crate::Options;
use crate::primitives::Ray;
use crate::stage::Placement;

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

/// What was asked of the camera, in picture units.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    /// In degrees counter-clockwise from -y, and above the horizon; only without an `eye`.
    pub azimuth: f32,
    pub elevation: f32,
    /// Where the camera stands.
    pub eye: Option<Vec3>,
    /// What is in the middle of the picture.
    pub target: Option<Vec3>,
    /// A direction that points up in the picture.
    pub up: Option<Vec3>,
    /// Width over height.
    pub aspect: f32,
}

/// Half the angle of view along the shorter side (a tangent): a short telephoto lens.
const LENS: f32 = 0.25;
/// The share of the picture that the subject may fill.
const FILL: f32 = 0.88;
/// No camera comes nearer to what it looks at.
const NEAREST: f32 = 1e-3;

impl Aim {
    pub fn of(options: &Options, placement: &Placement) -> Aim {
        Aim {
            azimuth: options.azimuth,
            elevation: options.elevation,
            eye: options.camera.map(|p| placement.point(p)),
            target: options.look_at.map(|p| placement.point(p)),
            up: options.up.map(|up| placement.direction(up.normalize_or_zero())),
            aspect: options.width as f32 / options.height.max(1) as f32,
        }
    }

    /// From the subject towards the camera, and right in the picture.
    fn axes(&self) -> (Vec3, Vec3) {
        let (azimuth, elevation) = (self.azimuth.to_radians(), self.elevation.to_radians());
        let level = Vec3::new(azimuth.cos(), azimuth.sin(), 0.0);
        let (back, right) = match self.eye {
            Some(eye) => {
                let back = (eye - self.target.unwrap_or(Vec3::ZERO)).normalize_or(Vec3::NEG_Y);
                (back, Vec3::Z.cross(back))
            }
            None => {
                let away = Vec3::new(azimuth.sin(), -azimuth.cos(), 0.0);
                (away * elevation.cos() + Vec3::Z * elevation.sin(), level)
            }
        };
        let right = self.up.map_or(right, |up| up.cross(back));
        // Whoever looks straight up or down has the right hand on the level.
        (back, right.try_normalize().unwrap_or(level))
    }
}

impl Camera {
    /// Looks at the points, with perspective. Without an eye of its own the camera comes as near
    /// as it can while all points are in the picture.
    pub fn around(points: &[Vec3], aim: &Aim) -> Camera {
        let (back, right) = aim.axes();
        let half = match aim.aspect >= 1.0 {
            true => (LENS * aim.aspect, LENS),
            false => (LENS, LENS / aim.aspect),
        };
        let mut camera = Camera {
            eye: Vec3::ZERO,
            right,
            up: back.cross(right),
            forward: -back,
            half,
            perspective: true,
        };
        match (aim.eye, aim.target) {
            (Some(eye), _) => camera.eye = eye,
            (None, Some(target)) => camera.eye = target + back * camera.away(points, target),
            (None, None) => camera.approach(points),
        }
        camera
    }

    /// Looks down on the x-y plane, without perspective; y is up in the picture.
    pub fn flat(points: &[Vec3], aim: &Aim) -> Camera {
        let level = |d: Vec3| Vec3::new(d.x, d.y, 0.0).try_normalize();
        let up = aim.up.and_then(level).unwrap_or(Vec3::Y);
        if aim.eye.is_some() {
            return Camera::around(points, &Aim { up: aim.up.or(Some(up)), ..*aim });
        }
        let right = up.cross(Vec3::Z);
        let (left, most) = range(points.iter().map(|p| p.dot(right)));
        let (bottom, top) = range(points.iter().map(|p| p.dot(up)));
        let (_, near) = range(points.iter().map(|p| p.z));
        let middle = right * (0.5 * (left + most)) + up * (0.5 * (bottom + top));
        let middle = aim.target.unwrap_or(middle);
        let far =
            |axis: Vec3| points.iter().map(|p| (*p - middle).dot(axis).abs()).fold(0.0, f32::max);
        let tall = far(up).max(far(right) / aim.aspect).max(NEAREST) / FILL;
        Camera {
            eye: Vec3::new(middle.x, middle.y, near + 1.0),
            right,
            up,
            forward: Vec3::NEG_Z,
            half: (tall * aim.aspect, tall),
            perspective: false,
        }
    }

    /// The least distance from which all points are in the picture if `target` is in its middle.
    fn away(&self, points: &[Vec3], target: Vec3) -> f32 {
        let distance = |p: &Vec3| {
            let from = *p - target;
            let across = |axis: Vec3, half: f32| from.dot(axis).abs() / (half * FILL);
            across(self.right, self.half.0).max(across(self.up, self.half.1))
                - from.dot(self.forward)
        };
        points.iter().map(distance).fold(NEAREST, f32::max)
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

    /// Where a point appears: (0, 0) is the lower left corner of the picture, (1, 1) the upper right.
    pub fn place(&self, point: Vec3) -> (f32, f32) {
        let from = point - self.eye;
        let depth = if self.perspective { from.dot(self.forward) } else { 1.0 };
        let across = |axis: Vec3, half: f32| 0.5 + 0.5 * from.dot(axis) / depth / half;
        (across(self.right, self.half.0), across(self.up, self.half.1))
    }

    /// The width in the scene that one part in `parts` of the picture's height has at a point.
    pub fn footprint(&self, point: Vec3, parts: usize) -> f32 {
        let depth = if self.perspective { (point - self.eye).dot(self.forward) } else { 1.0 };
        depth * 2.0 * self.half.1 / parts as f32
    }

    pub fn toward(&self) -> Vec3 {
        -self.forward
    }

    pub fn up(&self) -> Vec3 {
        self.up
    }

    /// Where it stands, in degrees counter-clockwise from -y, seen from above.
    pub fn azimuth(&self) -> f32 {
        self.right.y.atan2(self.right.x).to_degrees()
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

    fn aim(azimuth: f32, elevation: f32, aspect: f32) -> Aim {
        Aim { azimuth, elevation, eye: None, target: None, up: None, aspect }
    }

    proptest! {
        #[test]
        fn everything_is_in_the_picture_and_something_at_its_border(azimuth in -180f32..180.0, elevation in 0f32..80.0, aspect in 0.3f32..3.0) {
            let points = cube().vertices;
            let camera = Camera::around(&points, &aim(azimuth, elevation, aspect));
            let off = |p: &Vec3| { let (x, y) = camera.place(*p); (x - 0.5).abs().max((y - 0.5).abs()) };
            let widest = points.iter().map(off).fold(0.0, f32::max);
            prop_assert!((widest - 0.5 * FILL).abs() < 1e-3);
            prop_assert!(points.iter().all(|p| (*p - camera.eye).dot(camera.forward) > 0.0));
        }
    }

    #[test]
    fn rays_go_through_the_points_that_they_show() {
        let points = cube().vertices;
        for camera in [Camera::around, Camera::flat].map(|at| at(&points, &aim(20.0, 15.0, 1.5))) {
            for point in &points {
                let (x, y) = camera.place(*point);
                let ray = camera.ray(x, y);
                let along = (*point - ray.origin).dot(ray.direction);
                assert!((ray.at(along) - *point).length() < 1e-4);
            }
        }
    }

    #[test]
    fn up_is_up() {
        let camera = Camera::around(&cube().vertices, &aim(0.0, 15.0, 1.0));
        assert!(camera.place(Vec3::Z).1 > camera.place(Vec3::ZERO).1);
        assert!(camera.place(Vec3::X).0 > camera.place(Vec3::ZERO).0);
    }
    #[test]
    fn the_camera_stands_where_it_is_told() {
        let points = cube().vertices;
        let (eye, target) = (Vec3::new(3.0, -4.0, 2.0), Vec3::new(1.0, 0.0, 0.5));
        let told = Aim { eye: Some(eye), target: Some(target), ..aim(0.0, 15.0, 1.5) };
        let camera = Camera::around(&points, &told);
        assert_eq!(camera.eye, eye);
        let (x, y) = camera.place(target);
        assert!((x - 0.5).abs() + (y - 0.5).abs() < 1e-5);
        let sideways = Camera::around(&points, &Aim { up: Some(Vec3::X), ..told });
        assert!(sideways.place(target + 0.1 * Vec3::X).1 > 0.5);
        // Straight down, the picture's up is not z.
        let above = Aim { eye: Some(Vec3::Z * 5.0), target: None, ..told };
        assert!(Camera::around(&points, &above).up.is_normalized());
    }

    #[test]
    fn what_it_looks_at_is_in_the_middle_and_all_is_seen() {
        let points = cube().vertices;
        let target = Some(Vec3::ONE);
        for camera in [Camera::around, Camera::flat] {
            let camera = camera(&points, &Aim { target, ..aim(20.0, 15.0, 1.5) });
            let (x, y) = camera.place(Vec3::ONE);
            assert!((x - 0.5).abs() + (y - 0.5).abs() < 1e-5);
            for (x, y) in points.iter().map(|p| camera.place(*p)) {
                assert!((0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y));
            }
        }
    }

    #[test]
    fn the_azimuth_is_that_of_the_aim() {
        let camera = Camera::around(&cube().vertices, &aim(28.0, 17.0, 1.0));
        assert!((camera.azimuth() - 28.0).abs() < 1e-4);
    }
}
