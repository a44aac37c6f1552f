//! Bricks, rigid bodies or cloth in motion as one interactive page: the bodies, a slider, the
//! energy, and marks where contacts come and go. One file, no network.

use riprap::Result;
use riprap::math::DVec3;
use riprap::trajectory::Reader;
use riprap::world::{Motion, Part, Rigid};
use serde_json::{Value, json};

use crate::markup::escape;

const PAGE: &str = include_str!("../assets/bricks.html");

/// Frames beyond this number are thinned out evenly.
const MOST_FRAMES: usize = 1200;

/// As are frames of so many bodies that the page would hold more poses than this.
const MOST_POSES: usize = 300_000;

pub(crate) fn brick_page(reader: &Reader) -> Result<String> {
    let model = reader.model();
    let bricks: Vec<Value> = match model.is_dynamic() {
        true => model.assembly.parts.iter().map(part).collect(),
        false => model.tower.bricks.iter().map(brick).collect(),
    };
    let cloths: Vec<&Vec<[u32; 3]>> = model.assembly.cloths.iter().map(|c| &c.faces).collect();
    let particles = match cloths.is_empty() {
        true => bricks.len(),
        false => model.assembly.rigid_count(),
    };
    let most = MOST_FRAMES.min(MOST_POSES / bricks.len().max(1)).max(2);
    let every = reader.len().div_ceil(most).max(1);
    let last = reader.len().saturating_sub(1);
    let mut frames = Vec::new();
    for index in (0..reader.len()).filter(|i| i % every == 0 || *i == last) {
        let frame = reader.frame(index)?;
        let Some(bricks) = &frame.bricks else { continue };
        let poses: Vec<Vec<f64>> = frame
            .positions
            .iter()
            .zip(&bricks.rotations)
            .enumerate()
            .map(|(i, (p, q))| {
                // Particles of cloth do not turn.
                let turn = q.to_array().into_iter().take(if i < particles { 4 } else { 0 });
                p.to_array().into_iter().chain(turn).map(short).collect()
            })
            .collect();
        frames.push(json!({
            "step": frame.step,
            "energy": frame.energy,
            "penetration": bricks.ledger.penetration,
            "rows": bricks.ledger.rows,
            "changes": bricks.ledger.changes,
            "poses": poses,
        }));
    }
    let run = json!({
        "dimension": model.dimension,
        "time_step": match model.is_dynamic() {
            true => model.dynamics.time_step,
            false => model.collapse.time_step,
        },
        "bricks": bricks,
        "cloths": cloths,
        "frames": frames,
    });
    // A tag that ends the script must not come from a name.
    let run = run.to_string().replace("</", "<\\/");
    Ok(PAGE.replace("{{title}}", &escape(&model.name)).replace("{{run}}", &run))
}

/// A brick of the method collapse.
fn brick(brick: &Rigid) -> Value {
    let pieces = brick.pieces.iter().map(|piece| {
        let faces = piece.faces().iter().map(|face| face.corners.clone()).collect();
        polyhedron(piece.corners(), faces)
    });
    let pieces: Vec<Value> = pieces.collect();
    json!({ "pieces": pieces, "fixed": brick.fixed, "radius": short(brick.radius) })
}

/// A body of the method dynamics.
fn part(part: &Part) -> Value {
    let pieces = part.pieces.iter().map(|piece| {
        let (corners, faces) = piece.skin();
        polyhedron(&corners, faces)
    });
    let pieces: Vec<Value> = pieces.collect();
    // Fixed particles of cloth belong into the picture like all others.
    let fixed = part.motion == Motion::Fixed && !pieces.is_empty();
    json!({ "pieces": pieces, "fixed": fixed, "radius": short(part.radius) })
}

fn polyhedron(corners: &[DVec3], faces: Vec<Vec<u32>>) -> Value {
    let corners: Vec<[f64; 3]> = corners.iter().map(|c| c.to_array().map(short)).collect();
    json!({ "corners": corners, "faces": faces })
}

/// Enough digits for a screen.
fn short(x: f64) -> f64 {
    (x * 1e5).round() / 1e5
}

#[cfg(test)]
mod tests {
    use super::*;
    use riprap::scene::Scene;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn cloth_is_on_the_page_by_its_triangles() {
        let text = "method = \"dynamics\"\n[[cloth]]\ngrid = { size = [1, 1], count = [2, 2] }\n";
        let scene = Scene::from_text(text, "cloth.toml".as_ref()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("cloth.riprap");
        let (interrupted, progress) = (AtomicBool::new(false), &mut |_: &riprap::run::Status| ());
        let options = riprap::run::Options {
            out: out.clone(),
            force: false,
            max_steps: Some(1),
            interrupted: &interrupted,
            progress,
        };
        riprap::run::run(&scene, options).unwrap();
        let page = brick_page(&Reader::open(&out).unwrap()).unwrap();
        assert!(page.contains("\"cloths\":[[[0,1,3],[0,3,2]]]"), "{page}");
        // Particles have a place and no turn.
        assert!(page.contains("\"poses\":[[-0.5,-0.5,0.0],"), "{page}");
    }
}
