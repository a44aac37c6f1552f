//! Cloth and balloons.

use super::draft::{Draft, say};

/// A grid of cloth, held at its corners or its rim.
fn sheet(draft: &mut Draft, held: bool) {
    let (side, count) = (draft.between(1.5, 3.0), 6 + draft.random.next_u64() % 9);
    let thick = 0.7 * side / count as f64;
    say!(
        draft,
        "[[cloth]]\ngrid = {{ size = [{side}, {side}], count = [{count}, {count}] }}\n\
         position = [0, 0, 2]\nthickness = {thick:.4}\ndensity = {}",
        draft.between(0.2, 2.0)
    );
    if held {
        let at = draft.choose(&["corners", "rim"]);
        say!(draft, "fixed = [\"{at}\"]");
    }
    if draft.chance(0.5) {
        let (stretch, bend) = (draft.scale(1e-6, 1e-3), draft.scale(1e-3, 1.0));
        say!(draft, "compliance = {{ stretch = {stretch:e}, bend = {bend:e} }}");
    }
    if draft.chance(0.3) {
        draft.say("damping = 0.5");
    }
}

pub fn cloth_load(draft: &mut Draft) {
    draft.head("dynamics", 3);
    for body in 0..draft.count(1, 5) {
        let shape = draft.shape(0.35);
        let (mass, x) = (draft.scale(0.1, 20.0), draft.between(-0.4, 0.4));
        let z = 2.6 + 1.0 * body as f64;
        let fall = draft.between(0.0, 6.0);
        say!(
            draft,
            "[[bodies]]\ngroup = \"b{body}\"\nshape = {shape}\nposition = [{x}, {x}, {z:.4}]\n\
             turn = \"random\"\nvelocity = [0, 0, {}]\nmass = {mass}",
            -fall
        );
        draft.material();
    }
    sheet(draft, true);
    draft.options("dynamics", "");
}

/// Cloth that falls, hangs on bodies, or on the world.
pub fn cloth_hung(draft: &mut Draft) {
    draft.head("dynamics", 3);
    draft.floor(3);
    let shape = draft.shape(0.3);
    let mass = draft.scale(0.1, 10.0);
    say!(
        draft,
        "[[bodies]]\ngroup = \"load\"\nshape = {shape}\nposition = [0, 0, 1.2]\nmass = {mass}"
    );
    sheet(draft, false);
    let to = draft.choose(&["world", "load"]);
    let at = match to {
        "load" => "{ nearest = [0, 0, 2] }",
        _ => "\"corners\"",
    };
    if draft.chance(0.7) {
        say!(draft, "[[attachments]]\ncloth = \"cloth\"\nto = \"{to}\"\nat = {at}");
    }
    draft.options("dynamics", "");
}

pub fn balloon(draft: &mut Draft) {
    draft.head("dynamics", 3);
    draft.floor(3);
    if draft.chance(0.5) {
        let shape = draft.shape(0.4);
        let (mass, x) = (draft.scale(0.05, 5.0), draft.between(-0.3, 0.3));
        say!(
            draft,
            "[[bodies]]\ngroup = \"load\"\nshape = {shape}\nposition = [{x}, 0, 2.4]\nmass = {mass}"
        );
    }
    let (radius, velocity) = (draft.between(0.4, 0.7), draft.vector(2.0));
    let (factor, height) = (draft.between(0.5, 2.0), draft.between(0.9, 1.3));
    say!(
        draft,
        "[[cloth]]\nball = {{ radius = {radius}, level = 2 }}\nposition = [0, 0, {height}]\n\
         thickness = 0.05\nvelocity = {velocity}\nmass = {}",
        draft.between(0.2, 3.0)
    );
    let give = if draft.chance(0.5) {
        format!(", compliance = {:e}", draft.scale(1e-5, 1e-2))
    } else {
        String::new()
    };
    say!(draft, "pressure = {{ factor = {factor}{give} }}");
    if draft.chance(0.5) {
        let stretch = draft.scale(1e-6, 1e-3);
        say!(draft, "compliance = {{ stretch = {stretch:e} }}");
    }
    draft.options("dynamics", "");
}
