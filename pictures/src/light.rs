//! The photographer's studio: one large key light, up and to the left of the
//! camera, in a bright room, in front of a backdrop that runs seamlessly into
//! the floor. Brightness is relative: a white sheet facing the light gets about 1.

use glam::Vec3;

use crate::picture::light_of;
use crate::sampling::{disc, frame};

/// Where the light comes from.
#[derive(Clone, Copy, Debug)]
pub struct Studio {
    /// Unit vectors: away from the floor, and right and toward the camera along it.
    up: Vec3,
    right: Vec3,
    front: Vec3,
    /// Toward the middle of the key light.
    key: Vec3,
    /// What is behind everything, if it is not the usual backdrop.
    background: Option<Vec3>,
}

/// Brightness of the key light on a surface that faces it.
const KEY: Vec3 = Vec3::new(0.98, 0.93, 0.85);
/// Half the width of the key light as seen from the subject (a tangent): how soft shadows are.
const KEY_SPREAD: f32 = 0.16;
const CEILING: Vec3 = Vec3::new(0.66, 0.69, 0.74);
const WALLS: Vec3 = Vec3::new(0.50, 0.51, 0.53);
const BACKDROP_LOW: Vec3 = Vec3::new(0.62, 0.63, 0.645);
const BACKDROP_HIGH: Vec3 = Vec3::new(0.40, 0.42, 0.45);
/// No floor scatters more light.
const WHITEST: Vec3 = Vec3::splat(0.95);

impl Studio {
    /// `up` and `toward_camera` are unit vectors.
    pub fn new(up: Vec3, toward_camera: Vec3) -> Studio {
        let along_floor = toward_camera - up * toward_camera.dot(up);
        let front = along_floor.normalize_or(frame(up).0);
        let right = up.cross(front);
        let key = (0.95 * up - 0.55 * right + 0.5 * front).normalize();
        Studio { up, right, front, key, background: None }
    }

    /// For flat scenes, seen along the floor's normal: the light comes from the picture's upper left.
    pub fn flat(normal: Vec3, picture_up: Vec3) -> Studio {
        let right = picture_up.cross(normal);
        let key = (normal - 0.45 * right + 0.45 * picture_up).normalize();
        Studio { up: normal, right, front: -picture_up, key, background: None }
    }

    /// The same studio before a background of one colour.
    pub fn before(self, background: Option<[u8; 3]>) -> Studio {
        Studio { background: background.map(light_of), ..self }
    }

    /// The colour of a floor that, where the light falls on it, looks like the backdrop.
    pub fn seamless(&self, normal: Vec3) -> Vec3 {
        let light = KEY * self.key.dot(normal).max(0.0) + self.ambient(normal);
        (self.background.unwrap_or(BACKDROP_LOW) / light).min(WHITEST)
    }

    /// A direction toward a point of the key light, and the light from there.
    pub fn key(&self, sample: (f32, f32)) -> (Vec3, Vec3) {
        let (x, y) = disc(sample);
        let (a, b) = frame(self.key);
        ((self.key + KEY_SPREAD * (a * x + b * y)).normalize(), KEY)
    }

    pub fn key_middle(&self) -> (Vec3, Vec3) {
        (self.key, KEY)
    }

    /// The room's light from a direction, without the key light.
    pub fn room(&self, direction: Vec3) -> Vec3 {
        let height = direction.dot(self.up);
        WALLS.lerp(CEILING, (0.5 + 0.5 * height).clamp(0.0, 1.0))
    }

    /// What all of the room sends to a surface that faces `normal`, if nothing is in the way.
    pub fn ambient(&self, normal: Vec3) -> Vec3 {
        self.room(normal * (2.0 / 3.0))
    }

    /// What a mirror shows: the room with its lamps, which are what makes glass visible.
    pub fn mirrored(&self, direction: Vec3) -> Vec3 {
        let at =
            Vec3::new(direction.dot(self.right), direction.dot(self.front), direction.dot(self.up));
        let key_box = soft_box(at, Vec3::new(-0.62, 0.42, 0.62), 0.26, 0.38) * 3.2;
        let fill_box = soft_box(at, Vec3::new(0.86, 0.30, 0.30), 0.16, 0.46) * 1.5;
        let rear_strip = soft_box(at, Vec3::new(-0.80, -0.52, 0.25), 0.10, 0.50) * 1.3;
        self.room(direction) + Vec3::splat(key_box + fill_box + rear_strip)
    }

    /// What the camera sees behind everything.
    pub fn backdrop(&self, direction: Vec3) -> Vec3 {
        if let Some(background) = self.background {
            return background;
        }
        let height = direction.dot(self.up);
        let t = ((height + 0.12) / 0.42).clamp(0.0, 1.0);
        BACKDROP_LOW.lerp(BACKDROP_HIGH, t * t * (3.0 - 2.0 * t))
    }
}

/// An upright rectangular lamp with soft edges around the direction `middle`;
/// `wide` and `tall` are half its size, as tangents. 1 inside, 0 outside.
fn soft_box(direction: Vec3, middle: Vec3, wide: f32, tall: f32) -> f32 {
    let middle = middle.normalize();
    let ahead = direction.dot(middle);
    if ahead <= 0.05 {
        return 0.0;
    }
    let right = Vec3::Z.cross(middle).normalize();
    let up = middle.cross(right);
    let edge =
        |offset: f32, half: f32| ((half - offset.abs()) / (0.35 * half) + 0.5).clamp(0.0, 1.0);
    edge(direction.dot(right) / ahead, wide) * edge(direction.dot(up) / ahead, tall)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_light_is_up_and_to_the_left() {
        let studio = Studio::new(Vec3::Z, Vec3::new(0.0, -1.0, 0.3).normalize());
        let (key, _) = studio.key_middle();
        assert!(key.z > 0.5 && key.x < -0.2 && key.y < -0.2);
        for sample in [(0.0, 0.0), (0.3, 0.9), (0.99, 0.01)] {
            assert!(studio.key(sample).0.dot(key) > 0.98);
        }
    }

    #[test]
    fn the_lamp_is_in_the_mirror() {
        let studio = Studio::new(Vec3::Z, Vec3::NEG_Y);
        let lamp = studio.mirrored(Vec3::new(-0.62, -0.42, 0.62).normalize());
        assert!(lamp.x > 3.0 && studio.mirrored(Vec3::NEG_Z).x < 1.0);
    }

    #[test]
    fn a_background_is_the_same_everywhere_and_runs_into_the_floor() {
        let studio = Studio::new(Vec3::Z, Vec3::NEG_Y).before(Some([10, 120, 90]));
        for direction in [Vec3::X, Vec3::Z, Vec3::NEG_Z] {
            assert_eq!(crate::picture::to_screen(studio.backdrop(direction)), [10, 120, 90]);
        }
        let floor = studio.seamless(Vec3::Z) * (KEY * studio.key.z + studio.ambient(Vec3::Z));
        assert!((floor - studio.backdrop(Vec3::X)).length() < 1e-5);
        let white = Studio::new(Vec3::Z, Vec3::NEG_Y).before(Some([255; 3]));
        assert_eq!(white.seamless(Vec3::Z), WHITEST);
    }
}
