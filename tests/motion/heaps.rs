//! Many bodies in a container.

use super::draft::{Draft, say};

/// A container with room for so many bodies of a radius, and friction of its own.
fn room(draft: &mut Draft, count: u64, radius: f64, dimension: usize) {
    let (side, tall) = match dimension {
        2 => (1.6 * radius * (count as f64).sqrt() + 3.0 * radius, 4.0),
        _ => (1.6 * radius * (count as f64).cbrt() + 3.0 * radius, 3.0),
    };
    let friction = draft.between(0.0, 1.0);
    let (min, max) = match dimension {
        2 => (format!("[{:.4}, 0]", -side), format!("[{side:.4}, {:.4}]", tall * side)),
        _ => (
            format!("[{:.4}, {:.4}, 0]", -side, -side),
            format!("[{side:.4}, {side:.4}, {:.4}]", tall * side),
        ),
    };
    say!(draft, "[container]\nshape = \"box\"\nmin = {min}\nmax = {max}\nfriction = {friction}");
}

pub fn heap_balls(draft: &mut Draft) {
    draft.head("dynamics", 3);
    let (count, radius) = (draft.count(4, 200), draft.between(0.1, 0.5));
    room(draft, count, radius, 3);
    let (low, velocity) = (draft.between(0.2, 1.0) * radius, draft.vector(5.0));
    say!(
        draft,
        "[[bodies]]\nradius = {{ uniform = [{low:.4}, {radius}] }}\nrandom = {{ count = {count} }}\n\
         velocity = {velocity}"
    );
    draft.material();
    draft.options("dynamics", "");
}

fn shapes(draft: &mut Draft, radius: f64, count: u64) {
    let kinds = 1 + draft.random.next_u64() % 4;
    let each = (count / kinds).max(1);
    for group in 0..kinds {
        let shape = draft.shape(radius);
        let (velocity, spin) = (draft.vector(4.0), draft.vector(400.0));
        let density = draft.scale(0.1, 10.0);
        say!(
            draft,
            "[[bodies]]\ngroup = \"g{group}\"\nshape = {shape}\nrandom = {{ count = {each} }}\n\
             turn = \"random\"\nvelocity = {velocity}\nspin = {spin}\ndensity = {density}"
        );
        draft.material();
    }
}

pub fn heap_shapes(draft: &mut Draft) {
    draft.head("dynamics", 3);
    let (count, radius) = (draft.count(4, 120), draft.between(0.1, 0.5));
    room(draft, count, radius, 3);
    shapes(draft, radius, count);
    draft.options("dynamics", "");
}

pub fn heap_paper(draft: &mut Draft) {
    draft.head("dynamics", 3);
    let (count, radius) = (draft.count(2, 60), draft.between(0.1, 0.5));
    room(draft, count, radius, 3);
    shapes(draft, radius, count);
    draft.options("dynamics", "mode = \"paper\"\n");
}

fn flat_shapes(draft: &mut Draft, radius: f64, count: u64, speed: f64) {
    let kinds = 1 + draft.random.next_u64() % 3;
    let each = (count / kinds).max(1);
    for group in 0..kinds {
        let shape = draft.flat_shape(radius);
        let (x, y) = (draft.between(-speed, speed), draft.between(-speed, speed));
        let (spin, density) = (draft.between(-400.0, 400.0), draft.scale(0.1, 10.0));
        say!(
            draft,
            "[[bodies]]\ngroup = \"g{group}\"\nshape = {shape}\nrandom = {{ count = {each} }}\n\
             turn = \"upright\"\nvelocity = [{x}, {y}]\nspin = {spin}\ndensity = {density}"
        );
        draft.material();
    }
}

pub fn heap_flat(draft: &mut Draft) {
    draft.head("dynamics", 2);
    let (count, radius) = (draft.count(4, 100), draft.between(0.2, 0.6));
    room(draft, count, radius, 2);
    flat_shapes(draft, radius, count, 6.0);
    draft.options("dynamics", "");
}

pub fn heap_collapse(draft: &mut Draft) {
    let (count, radius) = (draft.count(3, 24), draft.between(0.2, 0.6));
    match draft.chance(0.7) {
        true => {
            draft.head("collapse", 2);
            room(draft, count, radius, 2);
            flat_shapes(draft, radius, count, 6.0);
        }
        false => {
            draft.head("collapse", 3);
            let count = count.min(8);
            room(draft, count, radius, 3);
            shapes(draft, radius, count);
        }
    }
    draft.options("collapse", "");
}

/// Containers that are no boxes.
pub fn vessel(draft: &mut Draft) {
    let count = draft.count(4, 80);
    let radius = draft.between(0.12, 0.25);
    if draft.chance(0.3) {
        draft.head("dynamics", 2);
        draft.say(
            "[container]\nshape = \"polygon\"\ncorners = [[-3, 0], [0, -1], [3, 0], [4, 6], [1, 5], [-4, 7]]",
        );
        let count = count.min(30);
        flat_shapes(draft, radius, count, 3.0);
    } else {
        draft.head("dynamics", 3);
        let number = draft.random.next_u64();
        draft.say(vessel_shape(number));
        shapes(draft, radius, count);
    }
    draft.options("dynamics", "");
}

fn vessel_shape(number: u64) -> &'static str {
    match number % 3 {
        0 => "[container]\nshape = \"cylinder\"\nradius = 2\nbottom = 0\ntop = 8\nsides = 24",
        1 => {
            "[container]\nshape = \"profile\"\nsides = 16\n\
             corners = [[0, 2.5], [2, 2.5], [3, 0.9], [4, 2.5], [8, 2.5]]"
        }
        _ => "[container]\nshape = \"profile\"\nsides = 7\ncorners = [[0, 0], [3, 2.5], [8, 2.5]]",
    }
}

/// Driven bodies among balls and boxes.
pub fn driven(draft: &mut Draft) {
    draft.head("dynamics", 3);
    let (count, radius) = (draft.count(4, 60), draft.between(0.15, 0.3));
    draft.say("[container]\nshape = \"box\"\nmin = [-3, -3, 0]\nmax = [3, 3, 6]");
    let (speed, spin) = (draft.between(-2.0, 2.0), draft.between(-200.0, 200.0));
    match draft.choose(&["paddle", "plate", "path"]) {
        "paddle" => say!(
            draft,
            "[[bodies]]\ngroup = \"paddle\"\nshape = {{ kind = \"box\", size = [2.6, 0.2, 0.8] }}\n\
             position = [0, 0, 0.5]\nmotion = \"driven\"\nspin = [0, 0, {spin}]"
        ),
        "plate" => say!(
            draft,
            "[[bodies]]\ngroup = \"plate\"\nshape = {{ kind = \"cylinder\", radius = 2, length = 0.2 }}\n\
             position = [0, 0, 0.2]\nmotion = \"driven\"\nspin = [0, 0, {spin}]\nvelocity = [0, 0, {}]",
            0.2 * speed.abs()
        ),
        _ => say!(
            draft,
            "[[bodies]]\ngroup = \"pusher\"\nshape = {{ kind = \"box\", size = [0.4, 3, 1] }}\n\
             motion = \"driven\"\npath = [[0, -1, 0, 0.6], [0.8, {speed}, 0, 0.6], [1.5, -1, 0, 0.6]]"
        ),
    }
    for group in ["balls", "others"] {
        let shape = if group == "balls" {
            format!("{{ kind = \"ball\", radius = {radius} }}")
        } else {
            draft.shape(radius)
        };
        let each = (count / 2).max(1);
        say!(
            draft,
            "[[bodies]]\ngroup = \"{group}\"\nshape = {shape}\n\
             random = {{ count = {each}, min = [-3, -3, 1.5] }}"
        );
        draft.material();
    }
    draft.options("dynamics", "");
}

/// Forces besides gravity.
pub fn forces(draft: &mut Draft) {
    draft.head("dynamics", 3);
    draft.floor(3);
    let (count, radius) = (draft.count(2, 5), draft.between(0.15, 0.3));
    let shape = draft.shape(radius);
    say!(
        draft,
        "[[bodies]]\ngroup = \"a\"\nshape = {shape}\n\
         grid = {{ count = [{count}, {count}, 2], first = [0, 0, 1], spacing = {:.4} }}\nmass = 1",
        3.0 * radius
    );
    draft.material();
    let strength = draft.between(0.1, 2.0);
    let law = match draft.choose(&["spring", "spring", "attraction", "repulsion", "short-range"]) {
        "spring" => format!("law = \"spring\"\nstrength = {}\nrest_length = 0.5", 20.0 * strength),
        "short-range" => format!("law = \"short-range\"\nstrength = {strength}\ncut_off = 2"),
        law => format!("law = \"{law}\"\nstrength = {:.4}", 0.1 * strength),
    };
    let between = draft.choose(&["neighbours", "chain", "all"]);
    say!(draft, "[[forces]]\ngroup = \"a\"\nbetween = \"{between}\"\n{law}");
    draft.options("dynamics", "");
}
