//! Short runs of every method, to be edited.

use riprap::scene::Scene;

use super::draft::Draft;

/// Balls that fall into a funnel, and stay there.
const SETTLE: &str = r#"
    name = "funnel"
    seed = 3
    container = { shape = "profile", corners = [[0, 0.9], [1, 0.9], [5, 4], [9, 4]], sides = 7 }
    [[bodies]]
    grid = { count = [2, 2, 3], first = [-0.6, -0.6, 5.5], spacing = 1.1, jitter = 0.05 }
    radius = 0.4
"#;

/// Pieces that a wall pushes together.
const COMPACT: &str = r#"
    name = "strip"
    method = "compact"
    dimension = 2
    seed = 11
    layout = { kind = "polygons", count = 6, corners = 7 }
"#;

/// Two bodies that overlap.
const SEPARATE: &str = r#"
    name = "apart"
    method = "separate"
    [[bodies]]
    positions = [[0, 0, 0], [0.7, 0.1, 0], [3, 0, 0]]
    radius = 0.5
"#;

/// A tower that falls over, in the plane.
const COLLAPSE_2D: &str = r#"
    name = "cards"
    method = "collapse"
    dimension = 2
    [[bodies]]
    tower = { family = "card-house", storeys = 1, angle = 25 }
    friction = 0.2
    [collapse]
    time_step = 0.01
    steps = 25
"#;

/// Bricks that fall and tumble.
const COLLAPSE_3D: &str = r#"
    name = "bricks"
    method = "collapse"
    gravity = [0, 0, -9.81]
    [[bodies]]
    group = "ground"
    shape = { kind = "box", size = [9, 9, 1] }
    position = [0, 0, -0.5]
    motion = "fixed"
    friction = 0.5
    [[bodies]]
    group = "brick"
    shape = { kind = "box", size = [1, 0.5, 0.3] }
    positions = [[0, 0, 0.16], [0.6, 0.1, 0.47]]
    friction = 0.5
    spin = [10, 30, 5]
    [collapse]
    time_step = 0.01
    steps = 25
"#;

/// Some of all that moves: `MODE` is put in.
const DYNAMICS: &str = r#"
    name = "motion"
    method = "dynamics"
    gravity = [0, 0, -9.81]
    [[bodies]]
    group = "ground"
    shape = { kind = "box", size = [30, 30, 1] }
    position = [0, 0, -0.5]
    motion = "fixed"
    friction = 0.5
    [[bodies]]
    group = "box"
    shape = { kind = "box", size = [0.5, 0.4, 0.3] }
    positions = [[0, 0, 0.16], [0.1, 0, 0.47]]
    friction = 0.6
    velocity = [0.3, 0.1, 0]
    spin = [0, 20, 30]
    [[bodies]]
    group = "ball"
    radius = 0.2
    positions = [[2, 0, 0.21], [4, 0, 2], [4, 0.9, 2]]
    friction = 0.5
    rolling = 0.01
    velocity = [1, 0, 0]
    spin = [0, 90, 10]
    [[bodies]]
    group = "tumbler"
    shape = { kind = "box", size = [0.6, 0.3, 0.1] }
    position = [0, 6, 4]
    velocity = [1, 0, 1]
    spin = [200, 5, 3]
    [[bodies]]
    group = "arm"
    shape = { kind = "box", size = [1, 0.2, 0.2] }
    positions = [[-3, 0, 3], [-3, 3, 3]]
    [[bodies]]
    group = "weight"
    radius = 0.2
    position = [-6, 0.3, 2]
    [[joints]]
    kind = "hinge"
    bodies = ["arm.0", "world"]
    at = [-3.5, 0, 3]
    axis = [0, 1, 0]
    motor = { speed = 90, most = 20 }
    [[joints]]
    kind = "hinge"
    bodies = ["arm.1", "world"]
    at = [-3.5, 3, 3]
    axis = [0, 1, 0]
    limits = [-3, 3]
    [[joints]]
    kind = "rope"
    bodies = ["weight", "world"]
    at = [-6, 0.3, 2]
    to = [-6, 0, 3]
    length = 1.05
    [[forces]]
    law = "spring"
    group = "ball"
    between = "all"
    strength = 5
    rest_length = 0.7
    [[cloth]]
    group = "flag"
    grid = { size = [0.8, 0.8], count = [5, 5] }
    position = [8, 0, 2]
    density = 0.5
    thickness = 0.05
    damping = 1
    [[attachments]]
    cloth = "flag"
    to = "world"
    at = { min = [7, -1, 1], max = [7.61, 1, 3] }
    [dynamics]
    MODE
    steps = 30
"#;

/// A run of each.
pub fn runs() -> Vec<Draft> {
    let dynamics = |mode: &str| DYNAMICS.replace("MODE", mode);
    let texts = [
        SETTLE.to_string(),
        COMPACT.into(),
        SEPARATE.into(),
        COLLAPSE_2D.into(),
        COLLAPSE_3D.into(),
        dynamics(""),
        dynamics("mode = \"paper\""),
    ];
    texts.iter().map(|text| Draft::of(&scene(text))).collect()
}

pub fn scene(text: &str) -> Scene {
    let scene = Scene::from_text(text, std::path::Path::new("edited.toml"));
    scene.unwrap_or_else(|problem| panic!("{problem}"))
}
