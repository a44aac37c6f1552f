//! A tower that is about to stand or fall: nothing may overlap at the start.

use crate::contact::touches;
use crate::problem::Result;
use crate::scene::{Scene, bricks};
use crate::world::{Model, Poses, build_tower};

/// Overlaps below this fraction of the smaller diameter are rounding.
const OVERLAP: f64 = 1e-7;

/// Builds the tower of a scene and refuses bricks that overlap.
pub fn ready(scene: &Scene) -> Result<(Model, Poses)> {
    let (model, poses) = build_tower(scene)?;
    let tower = &model.tower;
    let found = touches(tower, &poses, &vec![0.0; tower.bricks.len()]);
    let radius = |body: u32| tower.bricks[body as usize].radius;
    let depth = |t: &crate::contact::Touch| -0.5 * t.gap / radius(t.key.a).min(radius(t.key.b));
    let worst = found.iter().max_by(|a, b| depth(a).total_cmp(&depth(b)));
    let Some(touch) = worst.filter(|touch| depth(touch) > OVERLAP) else {
        return Ok((model, poses));
    };
    let (a, b) = (touch.key.a, touch.key.b);
    let message = format!("brick {a} and brick {b} overlap by {:.4} at the start", -touch.gap);
    let (placed, _) = bricks(scene)?;
    let span = &scene.bricks[placed[b as usize].entry].span;
    Err(scene.problem(span, message).help("move them apart: bricks may touch, not overlap"))
}
