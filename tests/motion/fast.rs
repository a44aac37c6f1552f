//! What spins, rolls and flies.

use std::fmt::Write;

use super::draft::{Draft, say};

/// Free bodies that spin fast, some of which meet.
pub fn spin(draft: &mut Draft) {
    draft.say("method = \"dynamics\"\ngravity = [0, 0, 0]");
    for body in 0..draft.count(2, 12) {
        let shape = draft.shape(0.4);
        let fastest = draft.scale(100.0, 1e5);
        let (spin, velocity) = (draft.vector(fastest), draft.vector(2.0));
        let x = 1.2 * body as f64;
        say!(
            draft,
            "[[bodies]]\ngroup = \"b{body}\"\nshape = {shape}\nposition = [{x:.4}, 0, 0]\n\
             turn = \"random\"\nspin = {spin}\nvelocity = {velocity}"
        );
        draft.material();
    }
    draft.options("dynamics", "");
}

pub fn spin_floor(draft: &mut Draft) {
    draft.head("dynamics", 3);
    draft.floor(3);
    for body in 0..draft.count(2, 16) {
        let shape = draft.shape(0.4);
        let fastest = draft.scale(100.0, 1e4);
        let (spin, height) = (draft.vector(fastest), draft.between(0.8, 3.0));
        let x = 1.2 * body as f64;
        say!(
            draft,
            "[[bodies]]\ngroup = \"b{body}\"\nshape = {shape}\nposition = [{x:.4}, 0, {height}]\n\
             turn = \"random\"\nspin = {spin}"
        );
        draft.material();
    }
    draft.options("dynamics", "");
}

/// Round bodies on a floor, with and without slip at the start.
pub fn rolling(draft: &mut Draft) {
    draft.head("dynamics", 3);
    draft.floor(3);
    for body in 0..draft.count(2, 12) {
        let radius = draft.between(0.1, 0.4);
        let shape = match draft.choose(&["ball", "cylinder", "capsule", "torus"]) {
            "ball" => format!("kind = \"ball\", radius = {radius}"),
            "torus" => format!(
                "kind = \"torus\", radius = {:.4}, tube = {:.4}, turn = [90, 0, 0]",
                0.75 * radius,
                0.25 * radius
            ),
            kind => {
                format!("kind = \"{kind}\", radius = {radius}, length = 0.4, turn = [90, 0, 0]")
            }
        };
        let speed = draft.between(0.5, 20.0);
        let rolls = if draft.chance(0.6) { (speed / radius).to_degrees() } else { 0.0 };
        let y = 1.5 * body as f64;
        say!(
            draft,
            "[[bodies]]\ngroup = \"b{body}\"\nshape = {{ {shape} }}\nposition = [-20, {y}, {radius}]\n\
             velocity = [{speed}, 0, 0]\nspin = [0, {rolls:.6}, 0]\nmass = {}",
            draft.scale(0.1, 10.0)
        );
        let friction = draft.between(0.1, 1.0);
        say!(draft, "friction = {friction}");
        if draft.chance(0.3) {
            draft.say("rolling = 0.001");
        }
    }
    draft.options("dynamics", "");
}

/// Something fast against a stack.
fn shot(draft: &mut Draft, method: &str, dimension: usize, speed: f64) {
    draft.head(method, dimension);
    draft.floor(dimension);
    let (rows, size) = (draft.count(2, 6), draft.between(0.3, 0.6));
    let side = format!("{:.4}, ", 0.98 * size).repeat(dimension);
    let mut places = String::new();
    for row in 0..rows {
        let z = (row as f64 + 0.5) * size;
        let _ = match dimension {
            2 => write!(places, "[0, {z:.4}], "),
            _ => write!(places, "[0, 0, {z:.4}], "),
        };
    }
    say!(
        draft,
        "[[bodies]]\ngroup = \"stack\"\nshape = {{ kind = \"box\", size = [{side}] }}\n\
         positions = [{places}]"
    );
    draft.material();
    let (radius, height) = (draft.between(0.1, 0.3), draft.between(0.4, 0.9) * rows as f64 * size);
    let shape = match draft.choose(&["ball", "box"]) {
        "ball" => format!("{{ kind = \"ball\", radius = {radius} }}"),
        _ => {
            let side = format!("{:.4}, ", 1.5 * radius).repeat(dimension);
            format!("{{ kind = \"box\", size = [{side}] }}")
        }
    };
    let (mass, up) = (draft.scale(0.01, 10.0), draft.between(-1.0, 3.0));
    let (place, velocity) = match dimension {
        2 => (format!("[-3, {height:.4}]"), format!("[{speed}, {up}]")),
        _ => (format!("[-3, 0.05, {height:.4}]"), format!("[{speed}, 0.1, {up}]")),
    };
    say!(
        draft,
        "[[bodies]]\ngroup = \"shot\"\nshape = {shape}\nposition = {place}\nvelocity = {velocity}\n\
         mass = {mass}"
    );
    draft.material();
    draft.options(method, "");
}

pub fn projectile(draft: &mut Draft) {
    let speed = draft.between(5.0, 100.0);
    let dimension = if draft.chance(0.3) { 2 } else { 3 };
    shot(draft, "dynamics", dimension, speed);
}

pub fn projectile_collapse(draft: &mut Draft) {
    let speed = draft.between(5.0, 20.0);
    let dimension = if draft.chance(0.7) { 2 } else { 3 };
    shot(draft, "collapse", dimension, speed);
}

/// Boxes and hulls that turn, at 10 to 20 m/s, through a stack, with the exact method: what their
/// corners pass is not pushed. Not one of the kinds.
pub fn volley(draft: &mut Draft) {
    draft.head("collapse", 3);
    draft.floor(3);
    let (rows, size) = (draft.count(2, 5), draft.between(0.3, 0.6));
    for row in 0..rows {
        let (side, z) = (0.98 * size, (row as f64 + 0.5) * size);
        say!(
            draft,
            "[[bodies]]\nshape = {{ kind = \"box\", size = [{side:.4}, {side:.4}, {side:.4}] }}\n\
             position = [0, 0, {z:.4}]"
        );
        draft.material();
    }
    for shot in 0..draft.count(1, 3) {
        let radius = draft.between(0.15, 0.35);
        let shape = draft.shape(1.5 * radius);
        let height = draft.between(0.4, 0.9) * rows as f64 * size;
        let (x, y) = (-2.0 - 1.5 * shot as f64, draft.between(-0.2, 0.2));
        let (turn, spin) = (draft.vector(90.0), draft.vector(500.0));
        let [speed, side, up] =
            [draft.between(10.0, 20.0), draft.between(-1.0, 1.0), draft.between(-1.0, 3.0)];
        let mass = draft.scale(0.03, 10.0);
        say!(
            draft,
            "[[bodies]]\nshape = {shape}\nposition = [{x}, {y}, {height:.4}]\nturn = {turn}\n\
             spin = {spin}\nvelocity = [{speed}, {side}, {up}]\nmass = {mass}"
        );
        draft.material();
    }
    draft.options("collapse", "");
}
