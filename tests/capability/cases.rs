//! A small scene for everything that a scene can hold, written so that every method which takes
//! it can run it.

/// Something that a scene can hold.
pub struct Case {
    /// Its name in the table.
    pub key: String,
    pub dimension: usize,
    /// What a scene says: without its method and, unless it is about that, its container.
    pub text: String,
}

/// All of them.
pub fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let mut add = |key: &str, dimension: usize, text: String| {
        all.push(Case { key: key.into(), dimension, text });
    };
    for (kind, shape) in SHAPES {
        add(&format!("bodies.shape.{kind}"), 3, body(shape));
    }
    for (kind, shape) in FLAT_SHAPES {
        add(&format!("bodies.shape.{kind}"), 2, flat_body(shape));
    }
    for (family, more) in FLAT_TOWERS {
        let tower = format!("[[bodies]]\ntower = {{ family = \"{family}\", {more} }}\n");
        add(&format!("bodies.tower.{family}"), 2, format!("{tower}position = [0, 4]\n"));
        let deep = tower.replace(" }\n", ", depth = 0.8 }\n");
        add(&format!("bodies.tower.{family}"), 3, format!("{deep}position = [0, 0, 4]\n"));
    }
    for (family, more) in TOWERS {
        let text = format!("[[bodies]]\ntower = {{ family = \"{family}\", {more} }}\n");
        add(&format!("bodies.tower.{family}"), 3, text);
    }
    for (family, more) in STRUCTURES {
        let text = format!("[[bodies]]\nstructure = {{ family = \"{family}\", {more} }}\n");
        add(&format!("bodies.structure.{family}"), 3, format!("{text}position = [0, 0, 4]\n"));
    }
    for (kind, more) in JOINTS {
        add(&format!("joints.kind.{kind}"), 3, joint(kind, more));
    }
    for (kind, more) in FLAT_JOINTS {
        add(&format!("joints.kind.{kind}"), 2, flat_joint(kind, more));
    }
    for (kind, container) in CONTAINERS {
        let dimension = if *kind == "polygon" { 2 } else { 3 };
        let place = if dimension == 2 { "[0, 1]" } else { "[0, 0, 1]" };
        let size = if dimension == 2 { "[0.5, 0.5]" } else { "[0.5, 0.5, 0.5]" };
        let text = format!(
            "container = {{ {container} }}\n[[bodies]]\nshape = {{ kind = \"box\", size = {size} }}\n\
             position = {place}\n"
        );
        add(&format!("container.{kind}"), dimension, text);
    }
    for (law, own) in LAWS {
        let text = format!("{FOUR}[[forces]]\nlaw = \"{law}\"\ngroup = \"a\"\n{own}");
        if *law == "gravity" {
            add("forces.gravity", 3, text.clone());
            add("forces.*.group", 3, text.replace("group = \"a\"\nacc", "group = \"b\"\nacc"));
            continue;
        }
        for (act, how) in ACTS {
            let soft = match ["attraction", "inverse-square", "repulsion"].contains(law) {
                true if how.starts_with("to") => "softening = 0.5\n",
                _ => "",
            };
            add(&format!("forces.{law}.{act}"), 3, format!("{text}{how}\n{soft}"));
        }
    }
    for form in ["bound", "paper"] {
        let text = "[[forces]]\nlaw = \"spring\"\ngroup = \"a\"\nstrength = 0.1\nto = \"start\"\n";
        add("forces.spring.form", 3, format!("{FOUR}{text}form = \"{form}\"\n"));
    }
    for word in ["all", "neighbours", "chain", "ring"] {
        let joint = format!("[[joints]]\nbetween = \"{word}\"\ngroup = \"a\"\nkind = \"rope\"\n");
        add(&format!("joints.between.{word}"), 3, format!("{FOUR}{joint}"));
    }
    for (key, text) in OTHERS {
        add(key, 3, text.to_string());
    }
    for (key, text) in FLAT_OTHERS {
        add(key, 2, text.to_string());
    }
    all
}

fn body(shape: &str) -> String {
    format!("[[bodies]]\nshape = {{ {shape} }}\nposition = [0.1, 0.2, 1]\nturn = [20, 0, 0]\n")
}

fn flat_body(shape: &str) -> String {
    format!("[[bodies]]\nshape = {{ {shape} }}\nposition = [0.1, 1]\nturn = 20\n")
}

const SHAPES: &[(&str, &str)] = &[
    ("ball", "kind = \"ball\", radius = 0.4"),
    ("capsule", "kind = \"capsule\", radius = 0.2, length = 0.6"),
    ("cylinder", "kind = \"cylinder\", radius = 0.3, length = 0.5"),
    ("box", "kind = \"box\", size = [0.6, 0.5, 0.4]"),
    ("brick", "kind = \"brick\", studs = [2, 1], cell = 0.3, height = 0.4"),
    ("hull", "kind = \"hull\", points = [[0, 0, 0], [0.8, 0, 0], [0, 0.8, 0], [0, 0, 0.8]]"),
    (
        "polyhedron",
        "kind = \"polyhedron\", corners = [[0, 0, 0], [0.8, 0, 0], [0, 0.8, 0], [0, 0, 0.8]], \
         faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]",
    ),
    ("cubes", "kind = \"cubes\", size = 0.3, cells = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]"),
    ("mesh", "kind = \"mesh\", file = \"stone.obj\", scale = 0.8"),
    (
        "prism",
        "kind = \"prism\", corners = [[0, 0], [1, 0], [0.3, 0.3], [0, 1]], height = 0.4, \
         holes = [[[0.1, 0.1], [0.2, 0.1], [0.1, 0.2]]]",
    ),
    ("torus", "kind = \"torus\", radius = 0.5, tube = 0.15, pieces = 8"),
    ("ring", "kind = \"ring\", outer = 0.4, inner = 0.25, length = 0.5, pieces = 8"),
    (
        "compound",
        "kind = \"compound\", pieces = [{ kind = \"box\", size = [0.4, 0.4, 0.4] }, \
         { kind = \"box\", size = [0.2, 0.2, 0.8], at = [0.3, 0, 0], turn = [0, 30, 0] }]",
    ),
    ("*.rounding", "kind = \"box\", size = [0.6, 0.5, 0.4], rounding = 0.05"),
    ("*.at", "kind = \"box\", size = [0.6, 0.5, 0.4], at = [0.3, 0, 0]"),
    ("*.turn", "kind = \"box\", size = [0.6, 0.5, 0.4], turn = [0, 0, 30]"),
];

const FLAT_SHAPES: &[(&str, &str)] = &[
    ("ball", "kind = \"ball\", radius = 0.4"),
    ("box", "kind = \"box\", size = [0.6, 0.5]"),
    ("hull", "kind = \"hull\", points = [[0, 0], [0.8, 0], [0, 0.8], [0.7, 0.7]]"),
    (
        "polygon",
        "kind = \"polygon\", corners = [[0, 0], [1, 0], [0.3, 0.3], [0, 1]], \
         holes = [[[0.1, 0.1], [0.2, 0.1], [0.1, 0.2]]]",
    ),
    (
        "compound",
        "kind = \"compound\", pieces = [{ kind = \"box\", size = [0.4, 0.4] }, \
         { kind = \"box\", size = [0.2, 0.8], at = [0.3, 0], turn = 30 }]",
    ),
];

const FLAT_TOWERS: &[(&str, &str)] = &[
    ("diamond", "size = 3, width = 1.1, height = 0.5"),
    ("inverted-triangle", "size = 2, width = 1.1, height = 0.5"),
    ("harmonic", "count = 3, width = 1.1, height = 0.5, extra = 0.1"),
    ("overhang", "count = 3, width = 1.1, height = 0.5"),
    ("parabolic", "size = 2, width = 1.1, height = 0.5"),
    ("arch", "stones = 5, radius = 1.1, thickness = 0.25"),
    ("leaning", "count = 3, width = 1.1, height = 0.5, lean = 0.2"),
    ("card-house", "storeys = 1, length = 1.1, thickness = 0.05, angle = 25"),
    ("chain", "count = 2, length = 1.1, thickness = 0.25"),
];

const TOWERS: &[(&str, &str)] = &[
    ("wall", "courses = 2, long = 2, brick = [1, 0.6, 0.3]"),
    ("vault", "stones = 4, rings = 2, radius = 1.1, thickness = 0.3, ring = 0.5"),
    ("dome", "rows = 2, around = 5, radius = 1.1, thickness = 0.3, oculus = 20"),
    ("crossed", "levels = 2, brick = [1.2, 0.4, 0.3]"),
    ("dominoes", "count = 3, spacing = 0.6, angle = 12, brick = [0.2, 0.5, 0.9]"),
];

const STRUCTURES: &[(&str, &str)] = &[
    ("mobile", "depth = 1"),
    ("rope", "links = 3, length = 0.2, ratio = 2"),
    ("pyramid", "rows = 2, size = 0.4"),
];

/// Two boxes, apart.
const PAIR: &str = "[[bodies]]\ngroup = \"a\"\nshape = { kind = \"box\", size = [0.5, 0.5, 0.5] }\n\
                    positions = [[0, 0, 3], [1, 0, 3]]\n";

fn joint(kind: &str, more: &str) -> String {
    format!("{PAIR}[[joints]]\nkind = \"{kind}\"\nbodies = [\"a.0\", \"a.1\"]\n{more}\n")
}

fn flat_joint(kind: &str, more: &str) -> String {
    format!(
        "[[bodies]]\ngroup = \"a\"\nshape = {{ kind = \"box\", size = [0.5, 0.5] }}\n\
         positions = [[0, 3], [1, 3]]\n[[joints]]\nkind = \"{kind}\"\nbodies = [\"a.0\", \"a.1\"]\n\
         {more}\n"
    )
}

const JOINTS: &[(&str, &str)] = &[
    ("ball", "at = [0.5, 0, 3]"),
    ("line", "at = [0.5, 0, 3]\naxis = [0, 1, 1]"),
    ("plane", "at = [0.5, 0, 3]\naxis = [0, 1, 1]"),
    ("hinge", "at = [0.5, 0, 3]\naxis = [0, 1, 1]"),
    ("slider", "at = [0.5, 0, 3]\naxis = [1, 1, 0]"),
    ("universal", "at = [0.5, 0, 3]\naxis = [1, 1, 0]\naxis2 = [1, -1, 0]"),
    ("fixed", "at = [0.5, 0, 3]"),
    ("distance", "at = [0.25, 0, 3]\nto = [0.75, 0, 3]"),
    ("rope", ""),
    ("bar", ""),
    ("parallel", "axis = [0, 1, 1]"),
    ("perpendicular", "axis = [1, 1, 0]\naxis2 = [1, -1, 0]"),
    ("angle", ""),
];

const FLAT_JOINTS: &[(&str, &str)] = &[
    ("pin", "at = [0.5, 3]"),
    ("ball", "at = [0.5, 3]"),
    ("line", "at = [0.5, 3]\naxis = [1, 1]"),
    ("slider", "at = [0.5, 3]\naxis = [1, 1]"),
    ("fixed", "at = [0.5, 3]"),
    ("distance", "at = [0.25, 3]\nto = [0.75, 3]"),
    ("rope", ""),
    ("bar", ""),
    ("angle", ""),
];

const CONTAINERS: &[(&str, &str)] = &[
    ("box", "shape = \"box\", min = [-2, -2, 0], max = [2, 2, 4]"),
    ("cylinder", "shape = \"cylinder\", radius = 2, bottom = 0, top = 4, sides = 12"),
    ("profile", "shape = \"profile\", corners = [[0, 2], [2, 1], [5, 3]], sides = 9"),
    ("mesh", "shape = \"mesh\", file = \"vessel.stl\", scale = 1.1"),
    ("polygon", "shape = \"polygon\", corners = [[-3, 0], [3, 0], [3, 5], [1, 2], [-3, 5]]"),
    ("*.friction", "shape = \"box\", min = [-2, -2, 0], max = [2, 2, 4], friction = 0.1"),
    ("*.restitution", "shape = \"box\", min = [-2, -2, 0], max = [2, 2, 4], restitution = 0.5"),
];

const LAWS: &[(&str, &str)] = &[
    ("gravity", "acceleration = [0.5, 0, 0]\n"),
    ("attraction", "strength = 0.1\n"),
    ("inverse-square", "strength = 0.1\n"),
    ("spring", "strength = 0.1\nrest_length = 0.5\n"),
    ("short-range", "strength = 0.1\ncut_off = 3\n"),
    ("repulsion", "strength = 0.1\n"),
];

/// Between whom a law acts.
const ACTS: &[(&str, &str)] = &[
    ("between", "between = [[0, 1]]"),
    ("between.all", "between = \"all\""),
    ("between.neighbours", "between = \"neighbours\""),
    ("between.chain", "between = \"chain\""),
    ("between.ring", "between = \"ring\""),
    ("with", "with = \"b\""),
    ("to", "to = [0, 0, 5]"),
    ("to.start", "to = \"start\""),
];

/// Four boxes in a square, and one.
const FOUR: &str = "[[bodies]]\ngroup = \"a\"\nshape = { kind = \"box\", size = [0.5, 0.5, 0.5] }\n\
                    grid = { count = [2, 2, 1], first = [0, 0, 3], spacing = 1.1 }\n\
                    [[bodies]]\ngroup = \"b\"\nradius = 0.2\nposition = [0.5, 3, 3]\n";

/// A box without a place.
macro_rules! cube {
    ($more:literal) => {
        concat!("[[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.5, 0.5] }\n", $more, "\n")
    };
}

/// Two boxes and a joint.
macro_rules! joined {
    ($more:literal) => {
        concat!(
            "[[bodies]]\ngroup = \"a\"\nshape = { kind = \"box\", size = [0.5, 0.5, 0.5] }\n",
            "positions = [[0, 0, 3], [1, 0, 3]]\n[[joints]]\n",
            $more,
            "\n"
        )
    };
}

const OTHERS: &[(&str, &str)] = &[
    ("gravity", "gravity = [0.2, 0, -2]\n"),
    ("bodies.group", cube!("position = [0, 0, 1]\ngroup = \"things\"")),
    ("bodies.colour", cube!("position = [0, 0, 1]\ncolour = \"#c91a09\"")),
    ("bodies.radius", "[[bodies]]\nradius = 0.4\nposition = [0, 0, 1]\n"),
    (
        "bodies.radius.uniform",
        "[[bodies]]\nradius = { uniform = [0.2, 0.4] }\npositions = [[0, 0, 1], [1, 0, 1]]\n",
    ),
    (
        "bodies.radius.table",
        "[[bodies]]\nradius = { table = [[0.2, 1], [0.4, 2]] }\n\
         grid = { count = [4, 4, 1], first = [0, 0, 1], spacing = 1 }\n",
    ),
    (
        "bodies.radius.lognormal",
        "[[bodies]]\nradius = { lognormal = { median = 0.3, sigma = 0.2, min = 0.2, max = 0.4 } }\n\
         positions = [[0, 0, 1], [1, 0, 1]]\n",
    ),
    (
        "bodies.shapes",
        "[[bodies]]\nshapes = [{ kind = \"box\", size = [0.5, 0.5, 0.5] }, { kind = \"hull\", points = \
         [[0, 0, 0], [0.8, 0, 0], [0, 0.8, 0], [0, 0, 0.8]] }]\npositions = [[0, 0, 1], [2, 0, 1]]\n",
    ),
    ("bodies.position", cube!("position = [0, 0, 1]")),
    ("bodies.positions", cube!("positions = [[0, 0, 1], [2, 0, 1]]")),
    (
        "bodies.grid",
        cube!("grid = { count = [2, 1, 2], first = [0, 0, 1], spacing = 0.8, jitter = 0.1 }"),
    ),
    ("bodies.ring", cube!("ring = { count = 3, radius = 1, centre = [0, 0, 1] }")),
    ("bodies.random", cube!("random = { count = 3, min = [-1, -1, 1], max = [1, 1, 4] }")),
    ("bodies.file", "[[bodies]]\nfile = \"boxes.csv\"\n"),
    ("bodies.type", "[[bodies]]\nfile = \"beads.csv\"\ntype = \"b\"\n"),
    ("bodies.turn", cube!("position = [0, 0, 1]\nturn = [0, 0, 40]")),
    ("bodies.turn.upright", cube!("position = [0, 0, 1]\nturn = \"upright\"")),
    ("bodies.turn.random", cube!("position = [0, 0, 1]\nturn = \"random\"")),
    ("bodies.turns", cube!("positions = [[0, 0, 1], [2, 0, 1]]\nturns = [[0, 0, 40], [0, 20, 0]]")),
    ("bodies.motion", cube!("position = [0, 0, 1]\nmotion = \"free\"")),
    ("bodies.motion.free", cube!("position = [0, 0, 1]\nmotion = \"free\"")),
    (
        "bodies.motion.fixed",
        "[[bodies]]\nshape = { kind = \"box\", size = [1, 1, 1] }\nmotion = \"fixed\"\nposition = [0, 0, 1]\n\
         [[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.5, 0.5] }\nposition = [0, 0, 3]\n",
    ),
    (
        "bodies.motion.driven",
        "[[bodies]]\nshape = { kind = \"box\", size = [1, 1, 1] }\nmotion = \"driven\"\n\
         velocity = [0.5, 0, 0]\nposition = [0, 0, 1]\n\
         [[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.5, 0.5] }\nposition = [0, 0, 3]\n",
    ),
    (
        "bodies.path",
        "[[bodies]]\nshape = { kind = \"box\", size = [1, 1, 1] }\n\n\
         path = [[0, 0, 0, 1], [1, 1, 0, 1], [2, 1, 0, 2]]\nmotion = \"driven\"\n\
         [[bodies]]\nshape = { kind = \"box\", size = [0.5, 0.5, 0.5] }\nposition = [0, 0, 3]\n",
    ),
    ("bodies.fixed", cube!("positions = [[0, 0, 1], [0, 0, 3]]\nfixed = [0]")),
    (
        "bodies.fixed.border",
        cube!("grid = { count = [3, 3, 1], first = [0, 0, 1], spacing = 0.8 }\nfixed = \"border\""),
    ),
    ("bodies.push", cube!("position = [0, 0, 1]\npush = [1, 0, 0]")),
    ("bodies.rotate", cube!("position = [0, 0, 1]\nturn = [20, 30, 0]\nrotate = true")),
    ("bodies.velocity", cube!("position = [0, 0, 1]\nvelocity = [1, 0, 0]")),
    ("bodies.spin", cube!("position = [0, 0, 1]\nspin = [0, 90, 0]")),
    ("bodies.mass", cube!("position = [0, 0, 1]\nmass = 3")),
    ("bodies.density", cube!("position = [0, 0, 1]\ndensity = 3")),
    ("bodies.friction", cube!("position = [0, 0, 1]\nfriction = 0.3")),
    ("bodies.restitution", cube!("position = [0, 0, 1]\nrestitution = 0.3")),
    ("bodies.rolling", cube!("position = [0, 0, 1]\nrolling = 0.01")),
    (
        "joints.limits",
        joined!(
            "limits = [-10, 10]\nkind = \"hinge\"\nbodies = [\"a.0\", \"a.1\"]\nat = [0.5, 0, 3]\naxis = [0, 1, 1]"
        ),
    ),
    (
        "joints.motor",
        joined!(
            "motor = { speed = 30, most = 2 }\nkind = \"hinge\"\nbodies = [\"a.0\", \"a.1\"]\nat = [0.5, 0, 3]\naxis = [0, 1, 1]"
        ),
    ),
    ("joints.collide", joined!("collide = false\nkind = \"rope\"\nbodies = [\"a.0\", \"a.1\"]")),
    ("joints.length", joined!("length = 1.2\nkind = \"rope\"\nbodies = [\"a.0\", \"a.1\"]")),
    ("joints.tolerance", joined!("tolerance = 0.01\nkind = \"bar\"\nbodies = [\"a.0\", \"a.1\"]")),
    (
        "joints.at",
        joined!(
            "kind = \"bar\"\nbodies = [\"a.0\", \"a.1\"]\nat = [0.25, 0, 3]\nto = [0.75, 0, 3]"
        ),
    ),
    ("cloth.grid", "[[cloth]]\ngrid = { size = [1, 1], count = [4, 4] }\nposition = [0, 0, 2]\n"),
    (
        "cloth.ball",
        "[[cloth]]\nball = { radius = 0.5, level = 1 }\nposition = [0, 0, 2]\nthickness = 0.05\n",
    ),
    (
        "cloth.mesh",
        "[[cloth]]\nmesh = { file = \"stone.obj\" }\nposition = [0, 0, 2]\nthickness = 0.05\n",
    ),
    (
        "attachments",
        "[[attachments]]\ncloth = \"cloth\"\nto = \"world\"\nat = \"corners\"\n\
         [[cloth]]\ngrid = { size = [1, 1], count = [4, 4] }\nposition = [0, 0, 2]\n",
    ),
    ("layout.polygons", "[layout]\nkind = \"polygons\"\ncount = 4\ncorners = 9\n"),
    ("layout.jigsaw", "[layout]\nkind = \"jigsaw\"\ncolumns = 2\nrows = 2\nspread = 1.2\n"),
    (
        "layout.*.moves.corner",
        "[layout]\nkind = \"jigsaw\"\ncolumns = 2\nrows = 2\nmoves = \"corner\"\n",
    ),
    (
        "layout.*.moves.wall",
        "[layout]\nkind = \"jigsaw\"\ncolumns = 2\nrows = 2\nmoves = \"wall\"\n",
    ),
    (
        "layout.*.clearance",
        "[layout]\nkind = \"jigsaw\"\ncolumns = 2\nrows = 2\nclearance = 0.01\n",
    ),
    ("settle.reach.growing-box", "[settle]\nreach = \"growing-box\"\n"),
    ("collapse.lengths.half", "[collapse]\nsteps = 6\nlengths = \"half\"\n"),
    ("collapse.lengths.penalty", "[collapse]\nsteps = 6\nlengths = \"penalty\"\n"),
    ("collapse.mass_points.five", "[collapse]\nsteps = 6\nmass_points = \"five\"\n"),
    (
        "bodies.shape.torus.sections.capsules",
        "[[bodies]]\nshape = { kind = \"torus\", radius = 0.5, tube = 0.1, sections = \"capsules\" }\n\
         position = [0, 0, 1]\nmass = 2\n",
    ),
    (
        "bodies.shape.torus.sections.arcs",
        "[[bodies]]\nshape = { kind = \"torus\", radius = 0.5, tube = 0.1, sections = \"arcs\" }\n\
         position = [0, 0, 1]\nmass = 2\n",
    ),
    (
        "bodies.shape.torus.sections.hulls",
        "[[bodies]]\nshape = { kind = \"torus\", radius = 0.5, tube = 0.1, sections = \"hulls\" }\n\
         position = [0, 0, 1]\nmass = 2\n",
    ),
    (
        "cloth.compliance",
        "[[cloth]]\ngrid = { size = [1, 1], count = [4, 4] }\nposition = [0, 0, 2]\n\
         compliance = { stretch = 1e-3, shear = 1e-3, bend = 0.1 }\n",
    ),
    (
        "cloth.pressure",
        "[[cloth]]\nball = { radius = 0.5, level = 1 }\nposition = [0, 0, 2]\nthickness = 0.05\n\
         pressure = { factor = 1.0, compliance = 0.01 }\n",
    ),
    (
        "attachments.at.rim",
        "[[attachments]]\ncloth = \"cloth\"\nto = \"world\"\nat = \"rim\"\n\
         [[cloth]]\ngrid = { size = [1, 1], count = [4, 4] }\nposition = [0, 0, 2]\n",
    ),
    ("layout.file", "[layout]\nkind = \"file\"\nfile = \"layout.json\"\n"),
];

const FLAT_OTHERS: &[(&str, &str)] = &[
    ("collapse.mass_points.nine", "[collapse]\nsteps = 6\nmass_points = \"nine\"\n"),
    ("bodies.radius", "[[bodies]]\nradius = 0.4\nposition = [0, 1]\n"),
    (
        "bodies.turn",
        "[[bodies]]\nshape = { kind = \"box\", size = [1, 0.5] }\nposition = [0, 1]\nturn = 30\n",
    ),
    ("bodies.file", "[[bodies]]\nfile = \"rectangles.csv\"\n"),
    (
        "joints.limits",
        "[[bodies]]\nshape = { kind = \"box\", size = [1, 0.5] }\nposition = [0, 2]\n[[joints]]\n\
         limits = [-20, 20]\nkind = \"pin\"\nbodies = [0, \"world\"]\nat = [-0.5, 2]\n",
    ),
];
