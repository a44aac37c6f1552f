//! A fall of bricks as one interactive page: the bricks, a slider, the energy,
//! and marks where contacts come and go. One file, no network.

use riprap::Result;
use riprap::trajectory::Reader;
use serde_json::{Value, json};

use crate::markup::escape;

const PAGE: &str = include_str!("../assets/bricks.html");

/// Frames beyond this number are thinned out evenly.
const MOST_FRAMES: usize = 1200;

pub(crate) fn brick_page(reader: &Reader) -> Result<String> {
    let model = reader.model();
    let bricks: Vec<Value> = model
        .tower
        .bricks
        .iter()
        .map(|brick| {
            let pieces: Vec<Value> = brick
                .pieces
                .iter()
                .map(|piece| {
                    let corners: Vec<[f64; 3]> =
                        piece.corners().iter().map(|c| c.to_array().map(short)).collect();
                    let faces: Vec<&[u32]> =
                        piece.faces().iter().map(|face| &face.corners[..]).collect();
                    json!({ "corners": corners, "faces": faces })
                })
                .collect();
            json!({ "pieces": pieces, "fixed": brick.fixed, "radius": short(brick.radius) })
        })
        .collect();
    let every = reader.len().div_ceil(MOST_FRAMES).max(1);
    let last = reader.len().saturating_sub(1);
    let mut frames = Vec::new();
    for index in (0..reader.len()).filter(|i| i % every == 0 || *i == last) {
        let frame = reader.frame(index)?;
        let Some(bricks) = &frame.bricks else { continue };
        let poses: Vec<Vec<f64>> = frame
            .positions
            .iter()
            .zip(&bricks.rotations)
            .map(|(p, q)| p.to_array().into_iter().chain(q.to_array()).map(short).collect())
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
        "time_step": model.collapse.time_step,
        "bricks": bricks,
        "frames": frames,
    });
    // A tag that ends the script must not come from a name.
    let run = run.to_string().replace("</", "<\\/");
    Ok(PAGE.replace("{{title}}", &escape(&model.name)).replace("{{run}}", &run))
}

/// Enough digits for a screen.
fn short(x: f64) -> f64 {
    (x * 1e5).round() / 1e5
}
