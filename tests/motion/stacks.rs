//! Stacks and towers.

use super::draft::{Draft, say};

/// A stack whose masses are up to 1e4 apart, in any order.
pub fn masses(draft: &mut Draft) {
    let dimension = if draft.chance(0.3) { 2 } else { 3 };
    draft.head("dynamics", dimension);
    draft.floor(dimension);
    let side = format!("{}, ", draft.between(0.4, 1.0)).repeat(dimension - 1);
    for body in 0..draft.count(2, 10) {
        let mass = draft.scale(1e-2, 1e2);
        let z = 0.25 + 0.501 * body as f64;
        let place = if dimension == 2 { format!("[0, {z:.4}]") } else { format!("[0, 0, {z:.4}]") };
        say!(
            draft,
            "[[bodies]]\ngroup = \"b{body}\"\nshape = {{ kind = \"box\", size = [{side}0.5] }}\n\
             position = {place}\nmass = {mass}\nfriction = 0.5"
        );
    }
    draft.options("dynamics", "");
}

/// A family of towers, in the plane or in space; those that lean fall.
fn built(draft: &mut Draft, method: &str) {
    let flat = draft.chance(0.4);
    draft.head(method, if flat { 2 } else { 3 });
    let many = |draft: &mut Draft, high: u64| draft.count(2, high);
    let mut own = match draft.choose(&[
        "diamond",
        "inverted-triangle",
        "harmonic",
        "parabolic",
        "arch",
        "leaning",
        "card-house",
    ]) {
        "diamond" => format!("family = \"diamond\", size = {}", many(draft, 5)),
        "inverted-triangle" => format!("family = \"inverted-triangle\", size = {}", many(draft, 4)),
        "harmonic" => {
            let extra = draft.between(-0.1, 0.1);
            format!("family = \"harmonic\", count = {}, extra = {extra}", many(draft, 8))
        }
        "parabolic" => format!("family = \"parabolic\", size = {}", many(draft, 3)),
        "arch" => {
            let thick = draft.between(0.08, 0.3);
            format!("family = \"arch\", stones = {}, thickness = {thick}", 2 + many(draft, 20))
        }
        "leaning" => {
            let lean = draft.between(0.0, 0.3);
            format!("family = \"leaning\", count = {}, lean = {lean}", many(draft, 12))
        }
        _ => format!("family = \"card-house\", storeys = {}", many(draft, 3)),
    };
    if !flat && draft.chance(0.4) {
        own = match draft.choose(&["wall", "crossed", "dominoes"]) {
            "wall" => format!("family = \"wall\", courses = {}, long = 3", many(draft, 5)),
            "crossed" => format!("family = \"crossed\", levels = {}", many(draft, 8)),
            _ => format!("family = \"dominoes\", count = {}", many(draft, 12)),
        };
    }
    say!(draft, "[[bodies]]\ntower = {{ {own} }}");
    let friction = draft.between(0.0, 1.0);
    say!(draft, "friction = {friction}");
    draft.options(method, "");
}

pub fn tower(draft: &mut Draft) {
    built(draft, "dynamics");
}

pub fn tower_collapse(draft: &mut Draft) {
    built(draft, "collapse");
}
