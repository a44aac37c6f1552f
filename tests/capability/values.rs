//! Two values for every option, and a scene in which it matters.

use riprap::scene::MethodName::{self, Collapse, Dynamics, Separate, Settle};

use super::more_values::MORE_VALUES;

/// An option with two values.
pub struct Values {
    /// Its name in the table.
    pub key: &'static str,
    /// Those that it is tried with, if they use it.
    pub methods: &'static [MethodName],
    pub dimension: usize,
    /// With `@` where the value goes. Without tables of options, it is held by a container.
    pub scene: &'static str,
    pub values: [&'static str; 2],
    /// How many steps there are at most.
    pub steps: Option<usize>,
}

/// Names and descriptions: what happens does not depend on them.
pub const NO_EFFECT: &[&str] = &[
    "$schema",
    "name",
    "about",
    "bodies.group",
    "bodies.colour",
    "cloth.group",
    // No method uses them; `stable` does, and its own tests say so.
    "strengths",
    "strengths.between",
    "strengths.pull",
    "strengths.cohesion",
    "strengths.shear",
    "strengths.per",
    "strengths.per.contact",
    "strengths.per.point",
    "strengths.per.area",
];

pub fn values() -> Vec<&'static Values> {
    VALUES.iter().chain(MORE_VALUES).collect()
}

pub const ALL: &[MethodName] = &[Settle, Collapse, Dynamics, Separate];
/// Those that move more than what overlaps.
pub const MOVING: &[MethodName] = &[Settle, Collapse, Dynamics];
pub const TIMED: &[MethodName] = &[Collapse, Dynamics];

pub const fn of(
    key: &'static str,
    methods: &'static [MethodName],
    scene: &'static str,
    values: [&'static str; 2],
) -> Values {
    Values { key, methods, dimension: 3, scene, values, steps: Some(20) }
}

/// In the plane.
const fn flat(values: Values) -> Values {
    Values { dimension: 2, ..values }
}

/// To the end.
const fn whole(values: Values) -> Values {
    Values { steps: None, ..values }
}

/// Balls, or boxes, in a box.
const BALLS: &str = "seed = 2\ncontainer = { shape = \"box\", min = [0, 0, 0], max = [2.6, 2.6, 6] }\n\
    [[bodies]]\nradius = 0.5\n\
    grid = { count = [2, 2, 2], first = [0.6, 0.6, 0.6], spacing = 1.2, jitter = 0.08 }\n[settle]\n@\n";
const BLOCKS: &str = "seed = 2\ncontainer = { shape = \"box\", min = [0, 0, 0], max = [2.6, 2.6, 6] }\n\
    [[bodies]]\nshape = { kind = \"box\", size = [0.8, 0.6, 0.4] }\nturn = [10, 20, 30]\n\
    grid = { count = [2, 2, 1], first = [0.7, 0.7, 0.7], spacing = 1.1 }\n[settle]\n@\n";

/// Three blocks that fall over, and a weight on a bar.
const LEANING: &str = "[[bodies]]\ntower = { family = \"leaning\", count = 3, lean = 0.4 }\n\
    friction = 0\n[collapse]\n@\n";
const DIAMOND: &str = "[[bodies]]\ntower = { family = \"diamond\", size = 5 }\nmass = 1\n\
    friction = 0\n[collapse]\n@\n";
const PENDULUM: &str = "[[bodies]]\nshape = { kind = \"box\", size = [0.2, 0.2] }\nposition = [1, 0]\n\
    [[joints]]\nkind = \"bar\"\nbodies = [0, \"world\"]\nat = [1, 0]\nto = [0, 0]\n[collapse]\n@\n";

/// Boxes fall on each other and on the ground.
const STACK: &str = "[[bodies]]\nshape = { kind = \"box\", size = [4, 4, 1] }\nposition = [0, 0, -0.5]\n\
    motion = \"fixed\"\n[[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.5, 0.5] }\n\
    positions = [[0, 0, 0.25], [0.1, 0, 0.751], [0.3, 0.1, 1.26]]\nvelocity = [0, 0, -1]\n[dynamics]\n@\n";
/// One begins in the ground.
const SUNK: &str = "[[bodies]]\nshape = { kind = \"box\", size = [4, 4, 1] }\nposition = [0, 0, -0.5]\n\
    motion = \"fixed\"\n[[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.5, 0.5] }\n\
    positions = [[0, 0, 0.245], [0.1, 0, 0.73]]\n[dynamics]\nmode = \"paper\"\n@\n";
const SHEET: &str = "[[cloth]]\ngrid = { size = [1, 1], count = [5, 5] }\nposition = [0, 0, 2]\n\
    fixed = [\"corners\"]\n[dynamics]\n@\n";

/// A box that flies into another, and a box in a spring.
const HIT: &str = "[[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.5, 0.5] }\nposition = [0, 0, 3]\n\
    velocity = [2, 0, 0]\n@\n[[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.5, 0.5] }\n\
    position = [0.7, 0.1, 3.1]\n";
const SPRING: &str = "[[bodies]]\ngroup = \"a\"\nshape = { kind = \"box\", size = [0.5, 0.5, 0.5] }\n\
    position = [0, 0, 3]\n@\n[[forces]]\nlaw = \"spring\"\ngroup = \"a\"\nto = [0, 0, 4]\nstrength = 1\n";
/// A box alone, in the air or on the floor.
const ALONE: &str = "[[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.4, 0.3] }\n@\n";
const IN_AIR: &str = "[[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.4, 0.3] }\n\
    position = [0, 0, 3]\n@\n";
const ON_FLOOR: &str = "[[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.4, 0.3] }\n\
    position = [0, 0, 0.16]\nvelocity = [1, 0, -1]\n@\n";
const IN_BOX: &str = "container = { shape = \"box\", min = [-9, -9, 0], max = [9, 9, 9], @ }\n[[bodies]]\n\
    shape = { kind = \"box\", size = [0.5, 0.4, 0.3] }\nposition = [0, 0, 0.16]\nvelocity = [1, 0, -1]\n\
    friction = 0.9\n";
const BALL: &str = "[[bodies]]\nradius = 0.3\nposition = [0, 0, 0.3]\nvelocity = [1, 0, 0]\n@\n";

const VALUES: &[Values] = &[
    of("settle.reach", &[Settle], BALLS, ["reach = \"axis-box\"", "reach = \"rotated-cube\""]),
    of("settle.reach_radii", &[Settle], BALLS, ["reach_radii = 0.3", "reach_radii = 1"]),
    of("settle.step", &[Settle], BALLS, ["step = \"leaning\"", "step = \"plain\""]),
    of("settle.conservative", &[Settle], BALLS, ["conservative = 0", "conservative = 0.01"]),
    of("settle.proximal", &[Settle], BALLS, ["proximal = 1e-3", "proximal = 0.1"]),
    of("settle.early_stop", &[Settle], BALLS, ["early_stop = 0.01", "early_stop = 0.5"]),
    whole(of("settle.tolerance", &[Settle], BALLS, ["tolerance = 1e-6", "tolerance = 0.1"])),
    whole(of("settle.smoothing", &[Settle], BLOCKS, ["smoothing = 0.05", "smoothing = 0.2"])),
    whole(of("settle.accuracy", &[Settle], BLOCKS, ["accuracy = 1e-6", "accuracy = 1e-3"])),
    whole(of("settle.max_steps", &[Settle], BALLS, ["max_steps = 2", "max_steps = 4"])),
    flat(of("collapse.time_step", &[Collapse], LEANING, ["time_step = 0.01", "time_step = 0.02"])),
    flat(whole(of("collapse.steps", &[Collapse], LEANING, ["steps = 4", "steps = 6"]))),
    flat(of("collapse.sidedness", &[Collapse], LEANING, ["sidedness = 1", "sidedness = 2"])),
    flat(of(
        "collapse.unknowns",
        &[Collapse],
        LEANING,
        ["unknowns = \"positions\"", "unknowns = \"accelerations\""],
    )),
    flat(of(
        "collapse.lengths",
        &[Collapse],
        PENDULUM,
        ["lengths = \"original\"", "lengths = \"prime\""],
    )),
    flat(of(
        "collapse.mass_points",
        &[Collapse],
        LEANING,
        ["mass_points = \"continuous\"", "mass_points = \"four\""],
    )),
    flat(whole(of(
        "collapse.symmetry",
        &[Collapse],
        DIAMOND,
        ["steps = 60\nsymmetry = \"none\"", "steps = 60\nsymmetry = \"mirror-x\""],
    ))),
    of("dynamics.mode", &[Dynamics], STACK, ["mode = \"default\"", "mode = \"paper\""]),
    of("dynamics.time_step", &[Dynamics], STACK, ["time_step = 0.01", "time_step = 0.005"]),
    whole(of("dynamics.steps", &[Dynamics], STACK, ["steps = 4", "steps = 6"])),
    of("dynamics.substeps", &[Dynamics], STACK, ["substeps = 1", "substeps = 4"]),
    of("dynamics.sweeps", &[Dynamics], STACK, ["sweeps = 1", "sweeps = 20"]),
    of("dynamics.cloth_passes", &[Dynamics], SHEET, ["cloth_passes = 1", "cloth_passes = 8"]),
    of(
        "dynamics.position_iterations",
        &[Dynamics],
        SUNK,
        ["position_iterations = 1", "position_iterations = 9"],
    ),
    of(
        "dynamics.velocity_iterations",
        &[Dynamics],
        SUNK,
        ["velocity_iterations = 1", "velocity_iterations = 9"],
    ),
    of("dynamics.stiffness", &[Dynamics], SUNK, ["stiffness = 0.05", "stiffness = 0.5"]),
    of("dynamics.shock", &[Dynamics], SUNK, ["shock = \"on\"", "shock = \"off\""]),
    of("dynamics.damping", &[Dynamics], STACK, ["damping = 0", "damping = 1"]),
    of("dynamics.overlap", &[Dynamics], STACK, ["overlap = 0.02", "overlap = 1e-15"]),
    of(
        "gravity",
        ALL,
        "gravity = [0.3, 0, @]\n[[bodies]]\nshape = { kind = \"box\", size = [1, 1, 1] }\nposition = [0, 0, 3]\n",
        ["-1", "-2"],
    ),
    of(
        "seed",
        ALL,
        "seed = @\n[[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.5, 0.5] }\nposition = [0, 0, 3]\nturn = \"random\"\n",
        ["1", "2"],
    ),
    of(
        "bodies.radius",
        MOVING,
        // It meets the floor, or not yet.
        "[[bodies]]\nposition = [0, 0, 0.5]\n@\n",
        ["radius = 0.3", "radius = 0.4999"],
    ),
    of(
        "bodies.shape",
        ALL,
        "[[bodies]]\nposition = [0, 0, 3]\n@\n",
        [
            "shape = { kind = \"box\", size = [0.5, 0.5, 0.5], at = [0.1, 0, 0] }",
            "shape = { kind = \"box\", size = [0.5, 0.5, 0.5], at = [0.2, 0, 0] }",
        ],
    ),
    of(
        "bodies.shapes",
        ALL,
        "[[bodies]]\nposition = [0, 0, 3]\n@\n",
        [
            "shapes = [{ kind = \"box\", size = [0.5, 0.5, 0.5], at = [0.1, 0, 0] }]",
            "shapes = [{ kind = \"box\", size = [0.5, 0.5, 0.5], at = [0.2, 0, 0] }]",
        ],
    ),
    flat(of(
        "bodies.tower",
        ALL,
        "[[bodies]]\nposition = [0, 3]\n@\n",
        [
            "tower = { family = \"leaning\", count = 2 }",
            "tower = { family = \"leaning\", count = 3 }",
        ],
    )),
    of(
        "bodies.structure",
        ALL,
        "[[bodies]]\nposition = [0, 0, 3]\n@\n",
        [
            "structure = { family = \"pyramid\", rows = 2 }",
            "structure = { family = \"pyramid\", rows = 3 }",
        ],
    ),
    of("bodies.position", ALL, ALONE, ["position = [0, 0, 2]", "position = [0.1, 0, 2]"]),
    of(
        "bodies.positions",
        ALL,
        ALONE,
        ["positions = [[0, 0, 2], [1, 0, 2]]", "positions = [[0, 0, 2], [2, 0, 2]]"],
    ),
    of(
        "bodies.grid",
        ALL,
        ALONE,
        [
            "grid = { count = [2, 1, 1], first = [0, 0, 2], spacing = 1 }",
            "grid = { count = [2, 1, 1], first = [0, 0, 2], spacing = 2 }",
        ],
    ),
    of(
        "bodies.ring",
        ALL,
        ALONE,
        [
            "ring = { count = 3, radius = 1, centre = [0, 0, 2] }",
            "ring = { count = 3, radius = 2, centre = [0, 0, 2] }",
        ],
    ),
    of(
        "bodies.random",
        ALL,
        ALONE,
        [
            "random = { count = 2, min = [0, 0, 1], max = [2, 2, 3] }",
            "random = { count = 2, min = [0, 0, 2], max = [2, 2, 3] }",
        ],
    ),
    of(
        "bodies.random.clearance",
        ALL,
        ALONE,
        [
            "random = { count = 3, min = [0, 0, 1], max = [2, 2, 3], clearance = 0 }",
            "random = { count = 3, min = [0, 0, 1], max = [2, 2, 3], clearance = 0.7 }",
        ],
    ),
    of(
        "bodies.file",
        ALL,
        "[[bodies]]\n@\n",
        ["file = \"boxes.csv\"", "file = \"other-boxes.csv\""],
    ),
    of(
        "bodies.type",
        ALL,
        "[[bodies]]\nfile = \"beads.csv\"\n@\n",
        ["type = \"a\"", "type = \"b\""],
    ),
    of("bodies.turn", ALL, IN_AIR, ["turn = [0, 0, 10]", "turn = [0, 0, 20]"]),
    of(
        "bodies.turns",
        ALL,
        "[[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.4, 0.3] }\npositions = [[0, 0, 3]]\n@\n",
        ["turns = [[0, 0, 10]]", "turns = [[0, 0, 20]]"],
    ),
    of(
        "bodies.motion",
        MOVING,
        "[[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.4, 0.3] }\nposition = [0, 0, 3]\n@\n\
         [[bodies]]\nradius = 0.3\nposition = [2, 0, 3]\n",
        ["motion = \"free\"", "motion = \"fixed\""],
    ),
    of(
        "bodies.fixed",
        MOVING,
        "[[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.4, 0.3] }\npositions = [[0, 0, 3], [1, 0, 3]]\n@\n",
        ["fixed = [0]", "fixed = [1]"],
    ),
    of("bodies.push", MOVING, IN_AIR, ["push = [1, 0, 0]", "push = [2, 0, 0]"]),
    of(
        "bodies.rotate",
        &[Settle],
        "[[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.4, 0.3] }\nposition = [0, 0, 3]\n\
         turn = [20, 30, 0]\n@\n",
        ["rotate = false", "rotate = true"],
    ),
    of("bodies.velocity", TIMED, IN_AIR, ["velocity = [1, 0, 0]", "velocity = [2, 0, 0]"]),
    of("bodies.spin", TIMED, IN_AIR, ["spin = [90, 0, 0]", "spin = [0, 90, 0]"]),
    of(
        "bodies.path",
        &[Dynamics],
        "[[bodies]]\nradius = 1\nposition = [4, 0, 3]\n[[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.4, 0.3] }\n\
         motion = \"driven\"\n@\n",
        ["path = [[0, 0, 0, 3], [1, 1, 0, 3]]", "path = [[0, 0, 0, 3], [2, 1, 0, 3]]"],
    ),
    whole(of("bodies.mass", &[Settle], SPRING, ["mass = 0.5", "mass = 0.7"])),
    of("bodies.mass", TIMED, HIT, ["mass = 1", "mass = 5"]),
    whole(of("bodies.density", &[Settle], SPRING, ["density = 2", "density = 3"])),
    of("bodies.density", TIMED, HIT, ["density = 1", "density = 5"]),
    of("bodies.friction", TIMED, ON_FLOOR, ["friction = 0.1", "friction = 0.6"]),
    of("bodies.restitution", TIMED, ON_FLOOR, ["restitution = 0", "restitution = 0.8"]),
    of("bodies.rolling", TIMED, BALL, ["rolling = 0.001", "rolling = 0.1"]),
    of("container.*.friction", TIMED, IN_BOX, ["friction = 0.1", "friction = 0.6"]),
    of("container.*.restitution", TIMED, IN_BOX, ["restitution = 0", "restitution = 0.8"]),
];
