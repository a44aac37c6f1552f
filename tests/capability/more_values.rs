//! Two values for every option of joints, cloth and forces.

use riprap::scene::MethodName::{Collapse, Compact, Dynamics, Separate, Settle};

use super::values::{ALL, MOVING, TIMED, Values, of};

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

/// Boxes in the air and a force on the first two.
const FORCED: &str = "[[bodies]]\ngroup = \"a\"\nshape = { kind = \"box\", size = [0.5, 0.4, 0.3] }\n\
    positions = [[0, 0, 3], [1, 0.1, 3.2]]\n[[bodies]]\ngroup = \"b\"\n\
    shape = { kind = \"box\", size = [0.5, 0.4, 0.3] }\nposition = [0, 2, 3]\n[[forces]]\ngroup = \"a\"\n@\n";

/// Of three balls the first two overlap, and what is joined moves as one; once more beside them.
const CROWDED: &str = "[[bodies]]\ngroup = \"a\"\nradius = 1\npositions = [[-3, 0, 4], [-1.1, 0, 4], [2, 0, 4]]\n\
    [[bodies]]\ngroup = \"b\"\nradius = 1\npositions = [[-3, 5, 4], [-1.1, 5, 4], [2, 5, 4]]\n[[joints]]\n@\n";

/// Two of them overlap, and another one.
const PAIR: &str = "[[bodies]]\nradius = 1\nposition = [0, 0, 5.4]\n\
    [[bodies]]\npositions = [[-1, 0, 4], [0.9, 0, 4]]\n@\n";

const fn crowded(key: &'static str, values: [&'static str; 2]) -> Values {
    of(key, &[Separate], CROWDED, values)
}

pub const MORE_VALUES: &[Values] = &[
    crowded(
        "joints.kind",
        [
            "kind = \"ball\"\nbodies = [\"a.1\", \"a.2\"]\nat = [0.5, 0, 4]",
            "kind = \"angle\"\nbodies = [\"a.1\", \"a.2\"]",
        ],
    ),
    crowded(
        "joints.bodies",
        [
            "kind = \"ball\"\nbodies = [\"a.1\", \"a.2\"]\nat = [0.5, 0, 4]",
            "kind = \"ball\"\nbodies = [\"a.0\", \"a.2\"]\nat = [0.5, 0, 4]",
        ],
    ),
    crowded(
        "joints.at",
        [
            "kind = \"rope\"\nbodies = [\"a.1\", \"a.2\"]\nlength = 9\nto = [2, 0, 4]\nat = [-1.1, 0, 4]",
            "kind = \"rope\"\nbodies = [\"a.1\", \"a.2\"]\nlength = 9\nto = [2, 0, 4]\nat = [-6, 0, 4]",
        ],
    ),
    crowded(
        "joints.to",
        [
            "kind = \"rope\"\nbodies = [\"a.1\", \"a.2\"]\nlength = 9\nat = [-1.1, 0, 4]\nto = [2, 0, 4]",
            "kind = \"rope\"\nbodies = [\"a.1\", \"a.2\"]\nlength = 9\nat = [-1.1, 0, 4]\nto = [7, 0, 4]",
        ],
    ),
    crowded(
        "joints.length",
        [
            "kind = \"rope\"\nbodies = [\"a.1\", \"a.2\"]\nlength = 9",
            "kind = \"rope\"\nbodies = [\"a.1\", \"a.2\"]\nlength = 3.2",
        ],
    ),
    crowded(
        "joints.group",
        [
            "kind = \"rope\"\ngroup = \"a\"\nbetween = [[1, 2]]\nlength = 5.2",
            "kind = \"rope\"\ngroup = \"b\"\nbetween = [[1, 2]]\nlength = 5.2",
        ],
    ),
    crowded(
        "joints.between",
        [
            "kind = \"rope\"\ngroup = \"a\"\nbetween = [[0, 2]]\nlength = 5.2",
            "kind = \"rope\"\ngroup = \"a\"\nbetween = [[1, 2]]\nlength = 5.2",
        ],
    ),
    // What is joined and overlaps cannot be taken apart.
    crowded(
        "joints.collide",
        [
            "kind = \"ball\"\nbodies = [\"a.0\", \"a.1\"]\nat = [-2, 0, 4]\ncollide = false",
            "kind = \"ball\"\nbodies = [\"a.0\", \"a.1\"]\nat = [-2, 0, 4]\ncollide = true",
        ],
    ),
    of("bodies.radius", &[Separate], PAIR, ["radius = 1", "radius = 1.1"]),
    of("bodies.motion", &[Separate], PAIR, ["radius = 1", "radius = 1\nmotion = \"fixed\""]),
    of("bodies.fixed", &[Separate], PAIR, ["radius = 1\nfixed = [0]", "radius = 1\nfixed = [1]"]),
    of(
        "bodies.path",
        &[Separate],
        "[[bodies]]\nradius = 1\nposition = [1.9, 0, 3]\n[[bodies]]\nradius = 1\nmotion = \"driven\"\n@\n",
        ["path = [[0, 0, 0, 3], [1, 1, 0, 3]]", "path = [[0, 0.1, 0, 3], [1, 1, 0, 3]]"],
    ),
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
    of(
        "joints.kind",
        &[Settle],
        BEADS,
        ["kind = \"rope\"\nbodies = [0, 1]\nlength = 1.5", "kind = \"bar\"\nbodies = [0, 1]"],
    ),
    of(
        "joints.bodies",
        &[Settle],
        BEADS,
        ["kind = \"rope\"\nbodies = [0, 1]", "kind = \"rope\"\nbodies = [0, 2]"],
    ),
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
        MOVING,
        BEADS,
        [
            "kind = \"rope\"\ngroup = \"a\"\nbetween = \"chain\"",
            "kind = \"rope\"\ngroup = \"b\"\nbetween = \"chain\"",
        ],
    ),
    of(
        "joints.between",
        MOVING,
        BEADS,
        [
            "kind = \"rope\"\ngroup = \"a\"\nbetween = [[0, 1]]",
            "kind = \"rope\"\ngroup = \"a\"\nbetween = [[0, 2]]",
        ],
    ),
    Values {
        steps: Some(150),
        ..of(
            "joints.length",
            TIMED,
            BEADS,
            [
                "kind = \"rope\"\nbodies = [0, 1]\nlength = 0.85",
                "kind = \"rope\"\nbodies = [0, 1]\nlength = 0.9",
            ],
        )
    },
    of(
        "joints.length",
        &[Settle],
        BEADS,
        [
            "kind = \"rope\"\nbodies = [0, 1]\nlength = 0.85",
            "kind = \"rope\"\nbodies = [0, 1]\nlength = 0.9",
        ],
    ),
    of(
        "joints.tolerance",
        MOVING,
        BEADS,
        [
            "kind = \"bar\"\nbodies = [0, 1]\ntolerance = 1e-4",
            "kind = \"bar\"\nbodies = [0, 1]\ntolerance = 0.1",
        ],
    ),
    of(
        "joints.collide",
        TIMED,
        "[[bodies]]\nradius = 0.2\npositions = [[0, 0, 4], [0.391, 0, 4]]\n[[joints]]\n@\n",
        [
            "kind = \"ball\"\nbodies = [0, 1]\nat = [0.2, 0, 4]\ncollide = false",
            "kind = \"ball\"\nbodies = [0, 1]\nat = [0.2, 0, 4]\ncollide = true",
        ],
    ),
    of(
        "cloth.grid",
        &[Dynamics],
        CLOTH,
        [
            "grid = { size = [1, 1], count = [4, 4] }\nposition = [0, 0, 2]",
            "grid = { size = [1, 1.2], count = [4, 4] }\nposition = [0, 0, 2]",
        ],
    ),
    of(
        "cloth.ball",
        &[Dynamics],
        CLOTH,
        [
            "ball = { radius = 0.4, level = 1 }\nposition = [0, 0, 2]",
            "ball = { radius = 0.5, level = 1 }\nposition = [0, 0, 2]",
        ],
    ),
    of(
        "cloth.mesh",
        &[Dynamics],
        CLOTH,
        [
            "mesh = { file = \"stone.obj\" }\nposition = [0, 0, 2]",
            "mesh = { file = \"stone.obj\", scale = 0.9 }\nposition = [0, 0, 2]",
        ],
    ),
    of(
        "cloth.position",
        &[Dynamics],
        "[[cloth]]\ngrid = { size = [1, 1], count = [4, 4] }\n@\n",
        ["position = [0, 0, 2]", "position = [0, 0, 3]"],
    ),
    of("cloth.turn", &[Dynamics], HUNG, ["turn = [0, 0, 10]", "turn = [10, 0, 0]"]),
    of("cloth.velocity", &[Dynamics], HUNG, ["velocity = [0, 0, 1]", "velocity = [0, 0, 0.5]"]),
    of("cloth.mass", &[Dynamics], GIVING, ["mass = 1", "mass = 3"]),
    of("cloth.density", &[Dynamics], GIVING, ["density = 1", "density = 3"]),
    of("cloth.thickness", &[Dynamics], LAID, ["thickness = 0.04", "thickness = 0.1"]),
    of(
        "cloth.compliance",
        &[Dynamics],
        HUNG,
        ["compliance = { stretch = 0.01 }", "compliance = { stretch = 0.05 }"],
    ),
    of(
        "cloth.friction",
        &[Dynamics],
        LAID,
        ["thickness = 0.1\nfriction = 0.1", "thickness = 0.1\nfriction = 0.9"],
    ),
    of("cloth.damping", &[Dynamics], HUNG, ["damping = 0", "damping = 5"]),
    of("cloth.most_stretch", &[Dynamics], GIVING, ["most_stretch = 0.1", "most_stretch = 1e-12"]),
    of(
        "cloth.fixed",
        &[Dynamics],
        "[[cloth]]\ngrid = { size = [1, 1], count = [5, 5] }\nposition = [0, 0, 2]\n@\n",
        ["fixed = [\"corners\"]", "fixed = [\"rim\"]"],
    ),
    of(
        "cloth.pressure",
        &[Dynamics],
        BALLOON,
        ["pressure = { factor = 1 }", "pressure = { factor = 1.3 }"],
    ),
    of(
        "forces.attraction.strength",
        ALL,
        FORCED,
        [
            "law = \"attraction\"\nbetween = \"all\"\nstrength = 0.5",
            "law = \"attraction\"\nbetween = \"all\"\nstrength = 1",
        ],
    ),
    of(
        "forces.attraction.with",
        ALL,
        FORCED,
        [
            "law = \"attraction\"\nwith = \"b\"\nstrength = 0.5",
            "law = \"attraction\"\nbetween = \"all\"\nstrength = 0.5",
        ],
    ),
    of(
        "forces.attraction.to",
        ALL,
        FORCED,
        [
            "law = \"attraction\"\nto = [0, 0, 5]\nstrength = 0.5",
            "law = \"attraction\"\nto = [0, 1, 5]\nstrength = 0.5",
        ],
    ),
    of(
        "forces.attraction.softening",
        ALL,
        FORCED,
        [
            "law = \"attraction\"\nto = \"start\"\nsoftening = 0.01\nstrength = 0.1",
            "law = \"attraction\"\nto = \"start\"\nsoftening = 0.5\nstrength = 0.1",
        ],
    ),
    of(
        "forces.attraction.form",
        ALL,
        FORCED,
        [
            "law = \"attraction\"\nto = [0, 0, 5]\nform = \"bound\"\nstrength = 0.5",
            "law = \"attraction\"\nto = [0, 0, 5]\nform = \"paper\"\nstrength = 0.5",
        ],
    ),
    of(
        "forces.spring.rest_length",
        ALL,
        FORCED,
        [
            "law = \"spring\"\nto = [0, 0, 5]\nrest_length = 0.5\nstrength = 1",
            "law = \"spring\"\nto = [0, 0, 5]\nrest_length = 1\nstrength = 1",
        ],
    ),
    of(
        "forces.spring.piece",
        ALL,
        FORCED,
        [
            "law = \"spring\"\nto = [0, 0, 5]\nform = \"paper\"\npiece = 0.25\nstrength = 1",
            "law = \"spring\"\nto = [0, 0, 5]\nform = \"paper\"\npiece = 0.6\nstrength = 1",
        ],
    ),
    of(
        "forces.inverse-square.form",
        ALL,
        FORCED,
        [
            "law = \"inverse-square\"\nto = [0, 0, 5]\nform = \"bound\"\nstrength = 0.5",
            "law = \"inverse-square\"\nto = [0, 0, 5]\nform = \"paper\"\nstrength = 0.5",
        ],
    ),
    of(
        "forces.short-range.form",
        ALL,
        FORCED,
        [
            "law = \"short-range\"\nbetween = \"all\"\ncut_off = 3\nform = \"bound\"\nstrength = 0.5",
            "law = \"short-range\"\nbetween = \"all\"\ncut_off = 3\nform = \"paper\"\nstrength = 0.5",
        ],
    ),
    of(
        "forces.attraction.directions",
        ALL,
        FORCED,
        [
            "law = \"attraction\"\nto = [3, 1, 5]\nform = \"paper\"\nstrength = 2",
            "law = \"attraction\"\nto = [3, 1, 5]\nform = \"paper\"\ndirections = 26\nstrength = 2",
        ],
    ),
    of(
        "forces.inverse-square.directions",
        ALL,
        FORCED,
        [
            "law = \"inverse-square\"\nto = [3, 1, 5]\nform = \"paper\"\nstrength = 2",
            "law = \"inverse-square\"\nto = [3, 1, 5]\nform = \"paper\"\ndirections = 26\nstrength = 2",
        ],
    ),
    of(
        "forces.spring.directions",
        ALL,
        FORCED,
        [
            "law = \"spring\"\nto = [3, 1, 5]\nform = \"paper\"\nstrength = 2",
            "law = \"spring\"\nto = [3, 1, 5]\nform = \"paper\"\ndirections = 26\nstrength = 2",
        ],
    ),
    of(
        "forces.short-range.directions",
        ALL,
        FORCED,
        [
            "law = \"short-range\"\nbetween = \"all\"\ncut_off = 3\nform = \"paper\"\nstrength = 2",
            "law = \"short-range\"\nbetween = \"all\"\ncut_off = 3\nform = \"paper\"\ndirections = 26\nstrength = 2",
        ],
    ),
    of(
        "forces.short-range.cut_off",
        ALL,
        FORCED,
        [
            "law = \"short-range\"\nbetween = \"all\"\ncut_off = 0.9\nstrength = 1",
            "law = \"short-range\"\nbetween = \"all\"\ncut_off = 3\nstrength = 1",
        ],
    ),
    of(
        "forces.inverse-square.strength",
        ALL,
        FORCED,
        [
            "law = \"inverse-square\"\nbetween = \"all\"\nstrength = 0.5",
            "law = \"inverse-square\"\nbetween = \"all\"\nstrength = 1",
        ],
    ),
    of(
        "forces.repulsion.strength",
        ALL,
        FORCED,
        [
            "law = \"repulsion\"\nbetween = \"all\"\nstrength = 0.5",
            "law = \"repulsion\"\nbetween = \"all\"\nstrength = 1",
        ],
    ),
    of(
        "forces.gravity.acceleration",
        ALL,
        FORCED,
        [
            "law = \"gravity\"\nacceleration = [0.1, 0, 0]",
            "law = \"gravity\"\nacceleration = [0.2, 0, 0]",
        ],
    ),
    of("cloth.fixed.nearest", &[Dynamics], LOOSE, NEAREST),
    of("cloth.fixed.min", &[Dynamics], LOOSE, LEAST),
    of("cloth.fixed.max", &[Dynamics], LOOSE, MOST),
    of("attachments.at.nearest", &[Dynamics], ATTACHED, NEAREST),
    of("attachments.at.min", &[Dynamics], ATTACHED, LEAST),
    of("attachments.at.max", &[Dynamics], ATTACHED, MOST),
    of(
        "layout.*.direction",
        &[Compact],
        "[layout]\nkind = \"jigsaw\"\ncolumns = 2\nrows = 2\n@\n",
        ["direction = [1, 0]", "direction = [0, 1]"],
    ),
];

/// A sheet of which some particles are held.
const LOOSE: &str = "[[cloth]]\ngrid = { size = [1, 1], count = [5, 5] }\nposition = [0, 0, 2]\n\
    fixed = [@]\n";
const ATTACHED: &str = "[[cloth]]\ngrid = { size = [1, 1], count = [5, 5] }\nposition = [0, 0, 2]\n\
    [[attachments]]\ncloth = \"cloth\"\nto = \"world\"\nat = @\n";
const NEAREST: [&str; 2] = ["{ nearest = [0.5, 0.5, 2] }", "{ nearest = [0, 0, 2] }"];
const LEAST: [&str; 2] =
    ["{ min = [0, 0, 1], max = [1, 1, 3] }", "{ min = [0.2, 0, 1], max = [1, 1, 3] }"];
const MOST: [&str; 2] =
    ["{ min = [-1, -1, 1], max = [0.1, 1, 3] }", "{ min = [-1, -1, 1], max = [0.3, 1, 3] }"];
