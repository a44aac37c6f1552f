//! Two values for every key of `[[phases]]` and of `start`, and a scene in which it matters.

/// A key with two values.
pub struct Phased {
    /// Its name in the table, and those of the values of a choice.
    pub keys: &'static [&'static str],
    /// With `@` where the value goes.
    pub scene: &'static str,
    pub values: [&'static str; 2],
}

/// A ball above a shelf in a box, which it touches in no phase but the last.
const SHELF: &str = "gravity = [0, 0, -10]\n\
    container = { shape = \"box\", min = [-2, -2, 0], max = [2, 2, 9] }\n\
    @\n\
    [[bodies]]\ngroup = \"ball\"\nradius = 0.4\nposition = [0, 0, 5]\n\
    [[bodies]]\ngroup = \"shelf\"\nshape = { kind = \"box\", size = [3, 3, 0.2] }\n\
    position = [0, 0, 4.3]\nmotion = \"fixed\"\n";

/// The same from a run, for three steps.
const FALLS: &str = "start = @\ngravity = [0, 0, -10]\n\
    container = { shape = \"box\", min = [-2, -2, 0], max = [2, 2, 9] }\n\
    [[phases]]\nmethod = \"dynamics\"\nuntil = { steps = 3 }\n\
    [[bodies]]\ngroup = \"ball\"\nradius = 0.4\nposition = [0, 0, 5]\n\
    [[bodies]]\ngroup = \"shelf\"\nshape = { kind = \"box\", size = [3, 3, 0.2] }\n\
    position = [0, 0, 4.3]\nmotion = \"fixed\"\n";

/// A ball that has sunk into the shelf, by no more than dynamics takes.
const SUNK: &str = "start = @\nmethod = \"dynamics\"\ngravity = [0, 0, -10]\n\
    container = { shape = \"box\", min = [-2, -2, 0], max = [2, 2, 9] }\n\
    [dynamics]\nsteps = 3\n\
    [[bodies]]\ngroup = \"ball\"\nradius = 0.4\nposition = [0, 0, 4.79]\n\
    [[bodies]]\ngroup = \"shelf\"\nshape = { kind = \"box\", size = [3, 3, 0.2] }\n\
    position = [0, 0, 4.3]\nmotion = \"fixed\"\n";

/// Balls of a file.
const GRAINS: &str = "start = @\nmethod = \"dynamics\"\ngravity = [0, 0, -10]\n\
    container = { shape = \"box\", min = [-2, -2, 0], max = [2, 2, 9] }\n\
    [dynamics]\nsteps = 3\n";

const fn of(keys: &'static [&'static str], values: [&'static str; 2]) -> Phased {
    Phased { keys, scene: SHELF, values }
}

const RESTS: &str =
    "[[phases]]\nmethod = \"settle\"\n[[phases]]\nmethod = \"dynamics\"\nuntil = { steps = 3 }\n";
const RELEASED: &str = "[[phases]]\nmethod = \"settle\"\n[[phases]]\nmethod = \"dynamics\"\nuntil = { steps = 3 }\nrelease = [\"shelf\"]\n";
const REMOVED: &str = "[[phases]]\nmethod = \"settle\"\n[[phases]]\nmethod = \"dynamics\"\nuntil = { steps = 3 }\nremove = [\"shelf\"]\n";

pub const PHASED: &[Phased] = &[
    of(
        &["phases.method.settle", "phases.method.dynamics"],
        [
            "[[phases]]\nmethod = \"settle\"\n",
            "[[phases]]\nmethod = \"dynamics\"\nuntil = { steps = 3 }\n",
        ],
    ),
    of(
        &["phases.method.collapse", "phases.method.separate"],
        [
            "[[phases]]\nmethod = \"collapse\"\nuntil = { steps = 3 }\n",
            "[[phases]]\nmethod = \"separate\"\n",
        ],
    ),
    of(
        &["phases.until.steps"],
        [
            "[[phases]]\nmethod = \"dynamics\"\nuntil = { steps = 3 }\n",
            "[[phases]]\nmethod = \"dynamics\"\nuntil = { steps = 4 }\n",
        ],
    ),
    of(
        &["phases.until.time"],
        [
            "[[phases]]\nmethod = \"dynamics\"\nuntil = { time = 0.03 }\n",
            "[[phases]]\nmethod = \"dynamics\"\nuntil = { time = 0.05 }\n",
        ],
    ),
    of(
        // Ten steps within the bound end it: the ball reaches 1 after ten steps, 2 after twenty.
        &["phases.until.quiet"],
        [
            "[[phases]]\nmethod = \"dynamics\"\nuntil = { quiet = 1.5 }\n",
            "[[phases]]\nmethod = \"dynamics\"\nuntil = { quiet = 0.01 }\n",
        ],
    ),
    of(&["phases.release"], [RESTS, RELEASED]),
    of(&["phases.remove"], [RESTS, REMOVED]),
    Phased {
        keys: &["start.run"],
        scene: FALLS,
        values: ["{ run = \"one.riprap\" }", "{ run = \"two.riprap\" }"],
    },
    Phased {
        keys: &["start.frame"],
        scene: FALLS,
        values: ["{ run = \"one.riprap\", frame = 0 }", "{ run = \"one.riprap\", frame = 2 }"],
    },
    Phased {
        keys: &["start.file"],
        scene: GRAINS,
        values: ["{ file = \"one.csv\" }", "{ file = \"two.csv\" }"],
    },
    Phased {
        keys: &["start.separate"],
        scene: SUNK,
        values: ["{ separate = false }", "{ separate = true }"],
    },
];

/// Makes the runs and files that `start` names.
pub fn runs(folder: &std::path::Path) {
    for (name, height) in [("one", 3), ("two", 4)] {
        let text = format!("x,y,z,radius,type\n0,0,{height},0.3,a\n1,0,{height},0.4,b\n");
        std::fs::write(folder.join(format!("{name}.csv")), text).unwrap();
    }
    for (name, steps) in [("one", 3), ("two", 5)] {
        let text = SHELF.replace('@', "method = \"dynamics\"\n");
        let scene = riprap::Scene::from_text(&text, &folder.join("case.toml")).unwrap();
        let out = folder.join(format!("{name}.riprap"));
        crate::common::run_into(&out, &scene, Some(steps)).unwrap();
    }
}
