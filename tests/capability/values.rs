//! Two values for every option, and a scene in which it matters.

use riprap::scene::MethodName::{self, Collapse, Dynamics, Settle};

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
pub const NO_EFFECT: &[&str] = &["bodies.group", "cloth.group"];

pub fn values() -> &'static [Values] {
    VALUES
}

const ALL: &[MethodName] = &[Settle, Collapse, Dynamics];
const TIMED: &[MethodName] = &[Collapse, Dynamics];

const fn of(
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

/// Two boxes in the air, and what joins them to each other or to the world.
const JOINED: &str = "[[bodies]]\ngroup = \"a\"\nshape = { kind = \"box\", size = [0.5, 0.4, 0.3] }\n\
    positions = [[0, 0, 3], [1, 0.1, 3.2]]\n[[joints]]\n@\n";
/// Three groups of two balls far from the floor.
const BEADS: &str = "[[bodies]]\ngroup = \"a\"\nradius = 0.2\npositions = [[0, 0, 4], [0.8, 0, 4], [1.4, 0, 5]]\n\
    fixed = [0]\n[[bodies]]\ngroup = \"b\"\nradius = 0.2\npositions = [[0, 3, 4], [0.8, 3, 4]]\nfixed = [0]\n\
    [[joints]]\n@\n";

/// A sheet that hangs, one that lies, a ball.
const HUNG: &str = "[[cloth]]\ngrid = { size = [1, 1], count = [5, 5] }\nposition = [0, 0, 2]\n\
    fixed = [\"corners\"]\n@\n";
const LAID: &str = "[[cloth]]\ngrid = { size = [1, 1], count = [5, 5] }\nposition = [0, 0, 0.06]\n\
    velocity = [1, 0, -0.5]\n@\n";
const GIVING: &str = "[[cloth]]\ngrid = { size = [1, 1], count = [5, 5] }\nposition = [0, 0, 2]\n\
    fixed = [\"corners\"]\ncompliance = { stretch = 0.02, shear = 0.02 }\n@\n";
const BALLOON: &str = "[[cloth]]\nball = { radius = 0.5, level = 1 }\nposition = [0, 0, 2]\n\
    thickness = 0.05\ncompliance = { stretch = 0.01 }\n@\n";
const CLOTH: &str = "[[cloth]]\nthickness = 0.05\n@\n";

const VALUES: &[Values] = &[
    of("settle.reach", &[Settle], BALLS, ["reach = \"axis-box\"", "reach = \"rotated-cube\""]),
    of("settle.reach_radii", &[Settle], BALLS, ["reach_radii = 0.3", "reach_radii = 1"]),
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
    flat(of("collapse.unknowns", &[Collapse], LEANING, ["unknowns = \"positions\"", "unknowns = \"accelerations\""])),
    flat(of("collapse.lengths", &[Collapse], PENDULUM, ["lengths = \"original\"", "lengths = \"prime\""])),
    flat(of("collapse.mass_points", &[Collapse], LEANING, ["mass_points = \"continuous\"", "mass_points = \"four\""])),
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
    of("dynamics.position_iterations", &[Dynamics], SUNK, ["position_iterations = 1", "position_iterations = 9"]),
    of("dynamics.velocity_iterations", &[Dynamics], SUNK, ["velocity_iterations = 1", "velocity_iterations = 9"]),
    of("dynamics.stiffness", &[Dynamics], SUNK, ["stiffness = 0.05", "stiffness = 0.5"]),
    of("dynamics.shock", &[Dynamics], SUNK, ["shock = \"on\"", "shock = \"off\""]),
    of("dynamics.damping", &[Dynamics], STACK, ["damping = 0", "damping = 1"]),
    of("dynamics.overlap", &[Dynamics], STACK, ["overlap = 0.05", "overlap = 1e-15"]),
    whole(of(
        "dynamics.hand_over",
        &[Dynamics],
        STACK,
        ["steps = 5\nhand_over = \"no\"", "steps = 5\nhand_over = \"separate\""],
    )),
    of("gravity", ALL, "gravity = [0, 0, @]\n[[bodies]]\nshape = { kind = \"box\", size = [1, 1, 1] }\nposition = [0, 0, 3]\n", ["-1", "-2"]),
    of("seed", ALL, "seed = @\n[[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.5, 0.5] }\nposition = [0, 0, 3]\nturn = \"random\"\n", ["1", "2"]),
    of("bodies.radius", ALL, "[[bodies]]\nposition = [0, 0, 3]\n@\n", ["radius = 0.3", "radius = 0.4"]),
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
        ["tower = { family = \"leaning\", count = 2 }", "tower = { family = \"leaning\", count = 3 }"],
    )),
    of(
        "bodies.structure",
        ALL,
        "[[bodies]]\nposition = [0, 0, 3]\n@\n",
        ["structure = { family = \"pyramid\", rows = 2 }", "structure = { family = \"pyramid\", rows = 3 }"],
    ),
    of("bodies.position", ALL, ALONE, ["position = [0, 0, 2]", "position = [0.1, 0, 2]"]),
    of("bodies.positions", ALL, ALONE, ["positions = [[0, 0, 2], [1, 0, 2]]", "positions = [[0, 0, 2], [2, 0, 2]]"]),
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
        ["ring = { count = 3, radius = 1, centre = [0, 0, 2] }", "ring = { count = 3, radius = 2, centre = [0, 0, 2] }"],
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
    of("bodies.file", ALL, "[[bodies]]\n@\n", ["file = \"boxes.csv\"", "file = \"other-boxes.csv\""]),
    of("bodies.turn", ALL, IN_AIR, ["turn = [0, 0, 10]", "turn = [0, 0, 20]"]),
    of(
        "bodies.turns",
        ALL,
        "[[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.4, 0.3] }\npositions = [[0, 0, 3]]\n@\n",
        ["turns = [[0, 0, 10]]", "turns = [[0, 0, 20]]"],
    ),
    of("bodies.motion", ALL, HIT, ["motion = \"free\"", "motion = \"fixed\""]),
    of(
        "bodies.fixed",
        ALL,
        "[[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.4, 0.3] }\npositions = [[0, 0, 3], [1, 0, 3]]\n@\n",
        ["fixed = [0]", "fixed = [1]"],
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
    of(
        "joints.kind",
        &[Dynamics],
        JOINED,
        [
            "kind = \"ball\"\nbodies = [\"a.0\", \"world\"]\nat = [0.5, 0, 3]",
            "kind = \"fixed\"\nbodies = [\"a.0\", \"world\"]\nat = [0.5, 0, 3]",
        ],
    ),
    of(
        "joints.kind",
        &[Collapse],
        JOINED,
        [
            "kind = \"ball\"\nbodies = [\"a.0\", \"world\"]\nat = [0.5, 0, 3]",
            "kind = \"bar\"\nbodies = [\"a.0\", \"world\"]\nat = [0.2, 0, 3]\nto = [0.5, 0, 4]",
        ],
    ),
    of("joints.kind", &[Settle], BEADS, ["kind = \"rope\"\nbodies = [0, 1]\nlength = 1.5", "kind = \"bar\"\nbodies = [0, 1]"]),
    of("joints.bodies", &[Settle], BEADS, ["kind = \"rope\"\nbodies = [0, 1]", "kind = \"rope\"\nbodies = [0, 2]"]),
    of(
        "joints.bodies",
        TIMED,
        JOINED,
        [
            "kind = \"ball\"\nbodies = [\"a.0\", \"world\"]\nat = [0.5, 0, 3]",
            "kind = \"ball\"\nbodies = [\"a.1\", \"world\"]\nat = [0.5, 0, 3]",
        ],
    ),
    of(
        "joints.at",
        TIMED,
        JOINED,
        [
            "kind = \"ball\"\nbodies = [\"a.0\", \"world\"]\nat = [0.5, 0, 3]",
            "kind = \"ball\"\nbodies = [\"a.0\", \"world\"]\nat = [-0.5, 0, 3]",
        ],
    ),
    of(
        "joints.to",
        TIMED,
        JOINED,
        [
            "kind = \"bar\"\nbodies = [\"a.0\", \"world\"]\nat = [0.2, 0, 3]\nto = [0.5, 0, 4]",
            "kind = \"bar\"\nbodies = [\"a.0\", \"world\"]\nat = [0.2, 0, 3]\nto = [-0.5, 0, 4]",
        ],
    ),
    of(
        "joints.axis",
        TIMED,
        JOINED,
        [
            "kind = \"line\"\nbodies = [\"a.0\", \"world\"]\nat = [0.2, 0, 3]\naxis = [1, 0, 0]",
            "kind = \"line\"\nbodies = [\"a.0\", \"world\"]\nat = [0.2, 0, 3]\naxis = [1, 0, 1]",
        ],
    ),
    of(
        "joints.axis2",
        TIMED,
        JOINED,
        [
            "kind = \"universal\"\nbodies = [\"a.0\", \"world\"]\nat = [0.4, 0, 3]\naxis = [1, 0, 0]\naxis2 = [0, 1, 0]",
            "kind = \"universal\"\nbodies = [\"a.0\", \"world\"]\nat = [0.4, 0, 3]\naxis = [1, 0, 0]\naxis2 = [0, 0, 1]",
        ],
    ),
    of(
        "joints.limits",
        TIMED,
        JOINED,
        [
            "kind = \"hinge\"\nbodies = [\"a.0\", \"world\"]\nat = [0.5, 0, 3]\naxis = [0, 1, 0]\nlimits = [-1, 1]",
            "kind = \"hinge\"\nbodies = [\"a.0\", \"world\"]\nat = [0.5, 0, 3]\naxis = [0, 1, 0]\nlimits = [-90, 90]",
        ],
    ),
    of(
        "joints.motor",
        TIMED,
        JOINED,
        [
            "kind = \"hinge\"\nbodies = [\"a.0\", \"world\"]\nat = [0.5, 0, 3]\naxis = [0, 1, 0]\nmotor = { speed = 30 }",
            "kind = \"hinge\"\nbodies = [\"a.0\", \"world\"]\nat = [0.5, 0, 3]\naxis = [0, 1, 0]\nmotor = { speed = 60 }",
        ],
    ),
    of(
        "joints.group",
        ALL,
        BEADS,
        ["kind = \"rope\"\ngroup = \"a\"\nbetween = \"chain\"", "kind = \"rope\"\ngroup = \"b\"\nbetween = \"chain\""],
    ),
    of(
        "joints.between",
        ALL,
        BEADS,
        ["kind = \"rope\"\ngroup = \"a\"\nbetween = [[0, 1]]", "kind = \"rope\"\ngroup = \"a\"\nbetween = [[0, 2]]"],
    ),
    Values {
        steps: Some(60),
        ..of("joints.length", TIMED, BEADS, ["kind = \"rope\"\nbodies = [0, 1]\nlength = 0.85", "kind = \"rope\"\nbodies = [0, 1]\nlength = 0.9"])
    },
    of("joints.length", &[Settle], BEADS, ["kind = \"rope\"\nbodies = [0, 1]\nlength = 0.85", "kind = \"rope\"\nbodies = [0, 1]\nlength = 0.9"]),
    of(
        "joints.tolerance",
        ALL,
        BEADS,
        ["kind = \"bar\"\nbodies = [0, 1]\ntolerance = 1e-4", "kind = \"bar\"\nbodies = [0, 1]\ntolerance = 0.1"],
    ),
    of(
        "joints.collide",
        TIMED,
        "[[bodies]]\nradius = 0.2\npositions = [[0, 0, 4], [0.39, 0, 4]]\n[[joints]]\n@\n",
        [
            "kind = \"ball\"\nbodies = [0, 1]\nat = [0.2, 0, 4]\ncollide = false",
            "kind = \"ball\"\nbodies = [0, 1]\nat = [0.2, 0, 4]\ncollide = true",
        ],
    ),
    of("cloth.grid", &[Dynamics], CLOTH, ["grid = { size = [1, 1], count = [4, 4] }\nposition = [0, 0, 2]", "grid = { size = [1, 1.2], count = [4, 4] }\nposition = [0, 0, 2]"]),
    of("cloth.ball", &[Dynamics], CLOTH, ["ball = { radius = 0.4, level = 1 }\nposition = [0, 0, 2]", "ball = { radius = 0.5, level = 1 }\nposition = [0, 0, 2]"]),
    of(
        "cloth.mesh",
        &[Dynamics],
        CLOTH,
        [
            "mesh = { file = \"stone.obj\" }\nposition = [0, 0, 2]",
            "mesh = { file = \"stone.obj\", scale = 0.9 }\nposition = [0, 0, 2]",
        ],
    ),
    of("cloth.position", &[Dynamics], "[[cloth]]\ngrid = { size = [1, 1], count = [4, 4] }\n@\n", ["position = [0, 0, 2]", "position = [0, 0, 3]"]),
    of("cloth.turn", &[Dynamics], HUNG, ["turn = [0, 0, 10]", "turn = [10, 0, 0]"]),
    of("cloth.velocity", &[Dynamics], HUNG, ["velocity = [0, 0, 1]", "velocity = [0, 0, 0.5]"]),
    of("cloth.mass", &[Dynamics], GIVING, ["mass = 1", "mass = 3"]),
    of("cloth.density", &[Dynamics], GIVING, ["density = 1", "density = 3"]),
    of("cloth.thickness", &[Dynamics], LAID, ["thickness = 0.04", "thickness = 0.1"]),
    of("cloth.compliance", &[Dynamics], HUNG, ["compliance = { stretch = 0.01 }", "compliance = { stretch = 0.05 }"]),
    of("cloth.friction", &[Dynamics], LAID, ["thickness = 0.1\nfriction = 0.1", "thickness = 0.1\nfriction = 0.9"]),
    of("cloth.damping", &[Dynamics], HUNG, ["damping = 0", "damping = 5"]),
    of("cloth.most_stretch", &[Dynamics], GIVING, ["most_stretch = 0.1", "most_stretch = 1e-12"]),
    of(
        "cloth.fixed",
        &[Dynamics],
        "[[cloth]]\ngrid = { size = [1, 1], count = [5, 5] }\nposition = [0, 0, 2]\n@\n",
        ["fixed = [\"corners\"]", "fixed = [\"rim\"]"],
    ),
    of("cloth.pressure", &[Dynamics], BALLOON, ["pressure = { factor = 1 }", "pressure = { factor = 1.3 }"]),
    of("forces.attraction.strength", ALL, FORCED, ["law = \"attraction\"\nbetween = \"all\"\nstrength = 0.5", "law = \"attraction\"\nbetween = \"all\"\nstrength = 1"]),
    of("forces.attraction.with", ALL, FORCED, ["law = \"attraction\"\nwith = \"b\"\nstrength = 0.5", "law = \"attraction\"\nbetween = \"all\"\nstrength = 0.5"]),
    of("forces.attraction.to", ALL, FORCED, ["law = \"attraction\"\nto = [0, 0, 5]\nstrength = 0.5", "law = \"attraction\"\nto = [0, 1, 5]\nstrength = 0.5"]),
    of("forces.attraction.softening", ALL, FORCED, ["law = \"attraction\"\nto = \"start\"\nsoftening = 0.01\nstrength = 0.1", "law = \"attraction\"\nto = \"start\"\nsoftening = 0.5\nstrength = 0.1"]),
    of("forces.attraction.form", ALL, FORCED, ["law = \"attraction\"\nto = [0, 0, 5]\nform = \"bound\"\nstrength = 0.5", "law = \"attraction\"\nto = [0, 0, 5]\nform = \"paper\"\nstrength = 0.5"]),
    of("forces.spring.rest_length", ALL, FORCED, ["law = \"spring\"\nto = [0, 0, 5]\nrest_length = 0.5\nstrength = 1", "law = \"spring\"\nto = [0, 0, 5]\nrest_length = 1\nstrength = 1"]),
    of("forces.spring.piece", ALL, FORCED, ["law = \"spring\"\nto = [0, 0, 5]\nform = \"paper\"\npiece = 0.25\nstrength = 1", "law = \"spring\"\nto = [0, 0, 5]\nform = \"paper\"\npiece = 0.6\nstrength = 1"]),
    of("forces.short-range.cut_off", ALL, FORCED, ["law = \"short-range\"\nbetween = \"all\"\ncut_off = 0.9\nstrength = 1", "law = \"short-range\"\nbetween = \"all\"\ncut_off = 3\nstrength = 1"]),
    of("forces.inverse-square.strength", ALL, FORCED, ["law = \"inverse-square\"\nbetween = \"all\"\nstrength = 0.5", "law = \"inverse-square\"\nbetween = \"all\"\nstrength = 1"]),
    of("forces.repulsion.strength", ALL, FORCED, ["law = \"repulsion\"\nbetween = \"all\"\nstrength = 0.5", "law = \"repulsion\"\nbetween = \"all\"\nstrength = 1"]),
    of("forces.gravity.acceleration", ALL, FORCED, ["law = \"gravity\"\nacceleration = [0.1, 0, 0]", "law = \"gravity\"\nacceleration = [0.2, 0, 0]"]),
];

/// Boxes in the air and a force on the first two.
const FORCED: &str = "[[bodies]]\ngroup = \"a\"\nshape = { kind = \"box\", size = [0.5, 0.4, 0.3] }\n\
    positions = [[0, 0, 3], [1, 0.1, 3.2]]\n[[bodies]]\ngroup = \"b\"\n\
    shape = { kind = \"box\", size = [0.5, 0.4, 0.3] }\nposition = [0, 2, 3]\n[[forces]]\ngroup = \"a\"\n@\n";
