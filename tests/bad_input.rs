//! Bad input never panics: the message says what is wrong, the place points at
//! the line and the field, and the help says what would be accepted.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use riprap::scene::{Scene, gallery};
use riprap::step::{Progress, stepper};
use riprap::{Problem, world};

use crate::common::built;

const GOOD: &str = r#"name = "small"
dimension = 3
seed = 1
gravity = [0, 0, -1]

[container]
shape = "box"
min = [0, 0, 0]
max = [10, 10, 10]

[[bodies]]
group = "sand"
grid = { count = [2, 2, 2], first = [1, 1, 1], spacing = 2 }
radius = 0.5
mass = 1

[settle]
reach = "growing-box"
max_steps = 100
"#;

const GOOD_JSON: &str = r#"{
  "name": "small",
  "container": { "shape": "box", "min": [0, 0, 0], "max": [10, 10, 10] },
  "bodies": [
    {
      "group": "sand",
      "positions": [[1, 1, 1], [3, 1, 1]],
      "radius": 0.5
    }
  ]
}
"#;

fn problem_of(text: &str, file: &str) -> Problem {
    let made = Scene::from_text(text, Path::new(file)).and_then(|scene| world::build(&scene));
    made.map(|_| ()).expect_err(text)
}

/// The good scene with one line replaced, and what is wrong with it then.
fn with_line(old: &str, new: &str) -> Problem {
    assert!(GOOD.contains(old), "{old}");
    problem_of(&GOOD.replace(old, new), "small.toml")
}

/// Every row: what to replace => what by => the line and the message that this leads to.
fn check_rows(good: &str, file: &str, rows: &str) {
    for row in rows.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let parts: Vec<&str> = row.split(" => ").collect();
        let [old, new, expected] = parts[..] else { panic!("{row}") };
        let [old, new] = [old, new].map(|part| part.replace("\\n", "\n"));
        assert!(good.contains(&old), "{row}");
        let problem = problem_of(&good.replace(&old, &new), file);
        let found = format!("{}: {}", line_of(&problem), problem.message);
        assert!(found.starts_with(expected), "{row}\n{problem}");
    }
}

fn line_of(problem: &Problem) -> usize {
    problem.place.as_ref().and_then(|place| place.line.as_ref()).map_or(0, |line| line.number)
}

fn help_of(problem: &Problem) -> &str {
    problem.help.as_deref().unwrap_or_default()
}

#[test]
fn the_good_scenes_are_good() {
    for (text, file, count) in [(GOOD, "small.toml", 8), (GOOD_JSON, "small.json", 2)] {
        let scene = Scene::from_text(text, Path::new(file)).unwrap();
        assert_eq!(world::build(&scene).unwrap().1.positions.len(), count);
    }
}

#[test]
fn a_problem_reads_well_as_a_whole() {
    let shown = with_line("radius = 0.5", "raduis = 0.5").to_string();
    let expected = "unknown field `bodies.raduis`
  --> small.toml:14:1
    |
 14 | raduis = 0.5
    | ^^^^^^
  help: did you mean `radius`? `bodies` takes `group`, `colour`, `radius`, `shape`, `shapes`, `tower`, \
     `structure`, `position`, `positions`, `grid`, `ring`, `random`, `file`, `type`, `turn`, `turns`, \
     `motion`, `fixed`, `velocity`, `spin`, `push`, `rotate`, `path`, `mass`, `density`, `friction`, `restitution` and \
     `rolling`";
    assert_eq!(shown, expected);
}

#[test]
fn unknown_fields() {
    let problem = with_line("seed = 1", "colour = 1");
    assert_eq!(problem.message, "unknown field `colour`");
    assert_eq!(line_of(&problem), 3);
    assert!(help_of(&problem).starts_with("a scene takes `$schema`, `name`,"));
    let problem = with_line("spacing = 2", "spacings = 2");
    assert_eq!(problem.message, "unknown field `bodies.grid.spacings`");
    assert!(help_of(&problem).starts_with("did you mean `spacing`?"));
    let problem = with_line("min = [0, 0, 0]", "radius = 3");
    assert_eq!(problem.message, "unknown field `container.radius`");
    let takes = "`container` takes `shape`, `friction`, `restitution`, `min` and `max`";
    assert_eq!(help_of(&problem), takes);
    let problem = with_line("max_steps", "max_step");
    assert_eq!(line_of(&problem), 19);
    assert!(help_of(&problem).starts_with("did you mean `max_steps`?"));
}

#[test]
fn wrong_types_and_values() {
    let rows = r#"
        seed = 1 => seed = "one" => 3: `seed` must be a whole number from 0 up, found the text "one"
        seed = 1 => seed = -1 => 3: `seed` must be a whole number from 0 up, found -1
        dimension = 3 => dimension = 4 => 2: `dimension` must be a whole number from 2 to 3, found 4
        dimension = 3 => dimension = 2.5 => 2: `dimension` must be a whole number from 2 to 3, found 2.5
        seed = 1 => method = "melt" => 3: `method` must be `settle`, `collapse`, `dynamics`, `compact` or `separate`, found the text "melt"
        name = "small" => name = 7 => 1: `name` must be a text, found 7
        gravity = [0, 0, -1] => gravity = [0, 0, "down"] => 4: an entry of `gravity` must be a finite number, found the text "down"
        gravity = [0, 0, -1] => gravity = [0, 0, inf] => 4: an entry of `gravity` must be a finite number, found inf
        gravity = [0, 0, -1] => gravity = [0, -1] => 4: expected 3 numbers, found a list of 2 entries
        gravity = [0, 0, -1] => gravity = 9.81 => 4: `gravity` must be a list of coordinates [x, y, z] (in 2D: [x, y]), found 9.81
        radius = 0.5 => radius = -0.5 => 14: `bodies.radius` must be a positive number, found -0.5
        radius = 0.5 => radius = 0 => 14: `bodies.radius` must be a positive number, found 0
        radius = 0.5 => radius = nan => 14: `bodies.radius` must be a positive number, found NaN
        radius = 0.5 => radius = inf => 14: `bodies.radius` must be a positive number, found inf
        radius = 0.5 => radius = { uniform = [0.1, -0.2] } => 14: an entry of `bodies.radius.uniform` must be a positive number, found -0.2
        radius = 0.5 => radius = { uniform = [0.2, 0.1] } => 14: the least radius 0.2 is above the greatest, 0.1
        radius = 0.5 => radius = { uniform = [0.1, 0.2], table = [[1, 1]] } => 14: `bodies.radius` has both `uniform` and `table`, which exclude each other
        radius = 0.5 => radius = { table = [[0.1, 0], [0.2, 0]] } => 14: the shares of this table sum to 0.0
        radius = 0.5 => radius = { table = [[0, 1]] } => 14: the radius of this row is 0
        radius = 0.5 => radius = { lognormal = { median = 3, sigma = 0.1, min = 1, max = 2 } } => 14: the median 3.0 is not between 1.0 and 2.0
        radius = 0.5 => radius = { lognormal = { median = 1.0, sigma = 9e9, min = 1.0, max = 1.1 } } => 13: almost no radius lies between 1.0 and 1.1
        radius = 0.5 => radius = [0.5, 0.5] => 14: a list of radii goes with a list of positions
        radius = 0.5 => radius = true => 14: `bodies.radius` must be a positive number, or a list with a positive number for each of the positions, or a table with `uniform`, `lognormal` or `table`, found true
        radius = 0.5\n =>  => 11: this entry does not say what its bodies are
        mass = 1 => mass = 0 => 15: `bodies.mass` must be a positive number, found 0
        mass = 1 => density = -1 => 15: `bodies.density` must be a positive number, found -1
        mass = 1 => mass = 1\ndensity = 1 => 11: `bodies` has both `mass` and `density`, which exclude each other
        radius = 0.5\nmass = 1 => radius = 1e200 => 14: `bodies.radius` is 1e200: its size is not within 1e-30 to 1e30
        mass = 1 => mass = 1e-40 => 15: `bodies.mass` is 1e-40: its size is not within 1e-30 to 1e30
        mass = 1 => mass = 1\nfriction = 1e155 => 16: `bodies.friction` is 1e155: its size is not within 1e-30 to 1e30
        mass = 1 => mass = 1\nvelocity = [1e308, 0, 0] => 16: an entry of `bodies.velocity` is 1e308: its size is not within 1e-30 to 1e30
        spacing = 2 => spacing = 0 => 13: `bodies.grid.spacing` must be a positive number, found 0
        spacing = 2 => spacing = [2, 2] => 13: expected 3 numbers, found a list of 2 entries
        spacing = 2 => spacing = 2, jitter = -0.1 => 13: `bodies.grid.jitter` must be a number from 0 up, found -0.1
        count = [2, 2, 2] => count = [2, 2] => 13: expected 3 numbers, found a list of 2 entries
        count = [2, 2, 2] => count = [2, 2, 0] => 13: an entry of `bodies.grid.count` must be a whole number from 1 to 10000000, found 0
        count = [2, 2, 2] => count = [1000, 1000, 1000] => 13: this grid has 1000000000 bodies
        count = [2, 2, 2],  =>  => 13: `bodies.grid.count` is missing
        reach = "growing-box" => reach = "growing-bax" => 18: `settle.reach` must be `rotated-cube`, `axis-box` or `growing-box`, found the text "growing-bax"
        max_steps = 100 => max_steps = 0 => 19: `settle.max_steps` must be a whole number from 1 to 4294967295, found 0
        max_steps = 100 => early_stop = 1 => 19: `settle.early_stop` must be a number from 0 to below 1, found 1
        max_steps = 100 => tolerance = 0 => 19: `settle.tolerance` must be a positive number, found 0
        max_steps = 100 => proximal = -1 => 19: `settle.proximal` must be a number from 0 up, found -1
        max_steps = 100 => when = 2020-01-01 => 19: unknown field `settle.when`
        max_steps = 100 => max_steps = 2020-01-01 => 19: `settle.max_steps` must be a whole number from 1 to 4294967295, found a date
    "#;
    check_rows(GOOD, "small.toml", rows);
}

#[test]
fn containers() {
    let whole = "shape = \"box\"\nmin = [0, 0, 0]\nmax = [10, 10, 10]";
    let rows = r#"
        BOX => shape = "bax" => 7: the `shape` of `container` must be `box`, `cylinder`, `profile`, `mesh` or `polygon`, found the text "bax"
        BOX => min = [0, 0, 0] => 6: `container` does not say its `shape`
        BOX => shape = "box"\nmin = [0, 0, 0] => 6: `container.max` is missing
        BOX => shape = "box"\nmin = [0, 0, 0]\nmax = [10, 0, 10] => 9: the upper limit 0.0 is not above the lower limit 0.0
        BOX => shape = "cylinder"\nradius = 3\nbottom = 2\ntop = 1 => 10: the upper limit 1.0 is not above the lower limit 2.0
        BOX => shape = "cylinder"\nradius = 3\nbottom = 0\ntop = 1\nsides = 2 => 11: `container.sides` must be a whole number from 3 to 1000, found 2
        BOX => shape = "profile"\ncorners = [[0, 1]] => 8: `container.corners` must be a list of two or more corners [z, radius], found a list of 1 entry
        BOX => shape = "profile"\ncorners = [[0, 1],\n[1, 0], [2, 1]] => 9: the radius of this corner is 0.0
        BOX => shape = "profile"\ncorners = [[0, 1],\n[0, 2]] => 9: this corner, at z = 0.0, is not above the one before it
        BOX => shape = "polygon"\ncorners = [[0, 0], [1, 0], [0, 1]] => 7: the shape `polygon` needs a 2D scene, but the `dimension` of this one is 3
        BOX => shape = "mesh"\nfile = "nowhere.stl" => 8: cannot read nowhere.stl
        BOX => shape = "mesh"\nfile = "nowhere.stl"\nscale = 0 => 9: `container.scale` must be a positive number, found 0
    "#;
    check_rows(GOOD, "small.toml", &rows.replace("BOX", &whole.replace('\n', "\\n")));
    let problem = with_line("[container]", "[contaner]");
    assert_eq!(problem.message, "unknown field `contaner`");
    let problem = with_line(&format!("[container]\n{whole}"), "");
    assert!(problem.message.ends_with("would fall for ever"), "{problem}");
}

/// What is wrong with a small open scene after this was added to it.
fn with_force(addition: &str) -> riprap::Problem {
    let text = format!(
        "gravity = [0, 0, 0]
        [[bodies]]
        group = \"sand\"
        positions = [[0, 0, 0], [2, 0, 0]]
        radius = 0.5
        {addition}"
    );
    built(&text, "open.toml").expect_err("a problem")
}

#[test]
fn forces_that_cannot_be() {
    let message = |addition: &str| with_force(addition).message;
    let law = |rest: &str| format!("[[forces]]\nlaw = \"attraction\"\nstrength = 1\n{rest}");
    assert_eq!(message(""), "`gravity` is zero, so nothing would fall");
    let problem = with_force(&law("group = \"sant\"\nbetween = \"all\""));
    assert_eq!(problem.message, "there is no group \"sant\"");
    assert_eq!(help_of(&problem), "did you mean \"sand\"?");
    let short = "[[forces]]\nlaw = \"short-range\"\nstrength = 1\ngroup = \"sand\"\n\
                 between = \"all\"\ncut_off = -1";
    assert_eq!(message(short), "`forces.cut_off` must be a positive number, found -1");
    let own = "group = \"sand\"\nbetween = [[1, 1]]";
    assert_eq!(message(&law(own)), "this pairs body 1 with itself");
    let own = "group = \"sand\"\nwith = \"sand\"";
    assert_eq!(message(&law(own)), "this pairs the group \"sand\" with itself");
    let own = "group = \"sand\"\nbetween = [[0, 2]]";
    let expected = "there is no body 2 in the group \"sand\", which has 2";
    assert_eq!(message(&law(own)), expected);
    let own = "group = \"sand\"\nbetween = \"neighbours\"";
    let expected = "the group \"sand\" has no grid, so it has no neighbours";
    assert_eq!(message(&law(own)), expected);
    let both = "group = \"sand\"\nbetween = \"all\"\nto = [0, 0, 0]";
    assert!(message(&law(both)).contains("exclude each other"));
    let nobody = "group = \"sand\"\nbetween = \"all\"";
    assert!(message(&law(&format!("{nobody}\nlaws = 1"))).contains("unknown field"));
}

#[test]
fn forces_between_too_many_say_what_they_cost() {
    let text = "gravity = [0, 0, 0]
        [[bodies]]
        group = \"dust\"
        grid = { count = [30, 10, 10], first = [0, 0, 0], spacing = 1 }
        radius = 0.3
        [[forces]]
        law = \"inverse-square\"
        group = \"dust\"
        between = \"all\"
        strength = 1";
    let problem = built(text, "dust.toml").expect_err("a problem");
    let expected = "this force would act between 4498500 pairs of bodies";
    assert_eq!(problem.message, expected);
    assert!(help_of(&problem).contains("every pair costs time in every step"));
}

#[test]
fn ropes_and_fixed_bodies_that_cannot_be() {
    let message = |addition: &str| with_force(addition).message;
    let rope = "[[joints]]\nkind = \"rope\"\ngroup = \"sand\"\n";
    let expected = "body 0 and body 1 start too far apart for their joint: 2.0 instead of 1.5";
    assert_eq!(message(&format!("{rope}between = \"chain\"\nlength = 1.5")), expected);
    let bar = rope.replace("rope", "bar");
    let expected = "body 0 and body 1 start too close for their joint: 2.0 instead of 2.5";
    assert_eq!(message(&format!("{bar}between = \"chain\"\nlength = 2.5")), expected);
    let expected = "the group \"sand\" has 2 bodies";
    assert_eq!(message(&format!("{rope}between = \"ring\"")), expected);
    assert_eq!(message("fixed = \"border\""), "only a grid has a border");
    assert_eq!(message("fixed = [2]"), "`fixed` names body 2 of an entry of 2 bodies");
    assert_eq!(message("motion = \"fixed\""), "no body of the scene can move");
    let all = "`bodies.fixed` must be `border`, found the text \"all\"";
    assert_eq!(message("fixed = \"all\""), all);
}

/// What could have no effect beside the rest of its entry is refused, by name and line.
#[test]
fn what_has_no_effect_is_refused() {
    let bodies = "method = \"dynamics\"\n[[bodies]]\ngroup = \"a\"\nradius = 0.5\n\
                  positions = [[0, 0, 0], [2, 0, 0]]\n";
    let one = bodies.replace(", [2, 0, 0]", "");
    let force = "[[forces]]\ngroup = \"a\"\nstrength = 1\nlaw = ";
    let joint = "[[joints]]\nbodies = [\"a.0\", \"a.1\"]\nkind = ";
    let phases = "motion = \"fixed\"\n[[bodies]]\ngroup = \"b\"\nradius = 0.5\nposition = [0, 4, 0]\n\
                  [[phases]]\nmethod = \"dynamics\"\nuntil = { steps = 2 }\n\
                  [[phases]]\nmethod = \"dynamics\"\nrelease = [\"a\"]\nremove = [\"a\"]\n";
    let phased = bodies.replace("method = \"dynamics\"\n", "");
    for (text, line, message) in [
        (format!("{bodies}{joint}\"angle\"\nat = [0, 0, 0]"), "at =", "kind `angle` has no `at`"),
        (
            format!("{bodies}{joint}\"parallel\"\naxis = [1, 0, 0]\nat = [0, 0, 0]"),
            "at =",
            "kind `parallel` has no `at`",
        ),
        (
            format!("{bodies}{force}\"attraction\"\nbetween = \"all\"\nsoftening = 0.1"),
            "softening =",
            "`forces.softening` has no effect here",
        ),
        (
            format!("{bodies}{force}\"spring\"\nbetween = \"all\"\npiece = 0.1"),
            "piece =",
            "`forces.piece` has no effect here",
        ),
        (
            format!("{bodies}{force}\"spring\"\nto = [0, 0, 0]\nrest_length = 1\nform = \"paper\""),
            "form =",
            "`forces.form` has no effect here",
        ),
        (
            format!("{one}{force}\"spring\"\nbetween = \"all\""),
            "[[forces]]",
            "between no two bodies",
        ),
        (
            format!("{one}{force}\"spring\"\nbetween = \"chain\""),
            "[[forces]]",
            "between no two bodies",
        ),
        (
            format!("{one}[[joints]]\nkind = \"rope\"\ngroup = \"a\"\nbetween = \"all\""),
            "[[joints]]",
            "joins no two bodies",
        ),
        (
            format!("{bodies}motion = \"fixed\"\nspin = [1, 0, 0]"),
            "spin =",
            "`bodies.spin` has no effect",
        ),
        (
            format!("{bodies}motion = \"fixed\"\nvelocity = [1, 0, 0]"),
            "velocity =",
            "`bodies.velocity` has no effect",
        ),
        (
            format!("{bodies}motion = \"driven\"\nfixed = [0]"),
            "fixed =",
            "`bodies.fixed` has no effect",
        ),
        (format!("{phased}{phases}"), "remove =", "released and removed at once"),
        (bodies.replace("\"a\"", "\"world\""), "group =", "no group is called \"world\""),
        (format!("{bodies}motion = \"fixed\""), "positions =", "no body of the scene can move"),
        (
            format!(
                "{bodies}{joint}\"slider\"\nat = [0, 0, 0]\naxis = [1, 0, 0]\nlimits = [0.5, 1]"
            ),
            "[[joints]]",
            "the joint starts at 0.0, outside its `limits`",
        ),
        (
            format!("{bodies}{joint}\"distance\"\nlimits = [0.5, 1]"),
            "[[joints]]",
            "the joint starts at 2.0, outside its `limits`",
        ),
        (
            format!(
                "{bodies}[[bodies]]\ngroup = \"a.1\"\nradius = 0.5\nposition = [4, 0, 0]\n{joint}\"angle\""
            ),
            "[[joints]]",
            "`a.1` is a group, and may be a body of `a`",
        ),
        (
            bodies.replace("[2, 0, 0]", "[0.9, 0, 0]"),
            "positions =",
            "overlap by 0.1000, 20.0000 % of the smaller radius",
        ),
    ] {
        let problem = problem_of(&text, "idle.toml");
        assert!(problem.message.contains(message), "{text}\n{problem}");
        assert!(problem.help.is_some(), "{problem}");
        let said = problem.place.unwrap().line.unwrap().text;
        assert!(said.contains(line), "{said} instead of {line}");
    }
    // Rounding and what dynamics corrects is no overlap, and a name that means one body is fine.
    built(&bodies.replace("[2, 0, 0]", "[0.99, 0, 0]"), "near.toml").unwrap();
    let alone = "[[bodies]]\ngroup = \"b.1\"\nradius = 0.5\nposition = [4, 0, 0]\n\
                 [[joints]]\nkind = \"angle\"\nbodies = [\"a.0\", \"b.1\"]\n";
    let (model, _) = built(&format!("{bodies}{alone}"), "names.toml").unwrap();
    assert_eq!(model.joints[0].bodies, [Some(0), Some(2)]);
}

/// A tower that is not symmetric keeps no symmetry.
#[test]
fn no_symmetry_is_asked_of_what_has_none() {
    let text = "method = \"collapse\"\ndimension = 2\n[[bodies]]\n\
                tower = { family = \"leaning\", count = 3, lean = 0.4 }\n\
                [collapse]\nsymmetry = \"mirror-x\"\n";
    let (model, state) = built(text, "leaning.toml").unwrap();
    let problem = stepper(&Arc::new(model), &state, None, || 0.0).err().unwrap();
    assert!(problem.message.contains("`collapse.symmetry`") && problem.help.is_some(), "{problem}");
}

/// A pull to a point where the body already is has no direction: it stays there.
#[test]
fn coincident_points_are_safe() {
    let text = "gravity = [0, 0, 0]
        [[bodies]]
        group = \"one\"
        positions = [[1, 2, 3]]
        radius = 0.5
        [[forces]]
        law = \"inverse-square\"
        group = \"one\"
        to = [1, 2, 3]
        strength = 1";
    let (model, mut state) = built(text, "one.toml").unwrap();
    let mut settle = stepper(&Arc::new(model), &state, None, || 0.0).unwrap();
    let progress = settle.step(&mut state).unwrap();
    assert!(matches!(progress, Progress::Rest(rest) if rest.is_proved()));
    assert_eq!(state.positions[0].to_array(), [1.0, 2.0, 3.0]);
}

#[test]
fn polygons_that_cross_themselves_and_open_meshes() {
    let text = "dimension = 2\n[container]\nshape = \"polygon\"\n\
                corners = [[0, 0], [4, 4], [4, 0], [0, 4]]\n\
                [[bodies]]\npositions = [[1, 1]]\nradius = 0.1\n";
    let problem = problem_of(text, "flat.toml");
    assert_eq!(line_of(&problem), 4, "{problem}");

    let folder = tempfile::tempdir().unwrap();
    let triangle = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
                    vertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
    std::fs::write(folder.path().join("open.stl"), triangle).unwrap();
    let old = "shape = \"box\"\nmin = [0, 0, 0]\nmax = [10, 10, 10]";
    let text = GOOD.replace(old, "shape = \"mesh\"\nfile = \"open.stl\"");
    let file = folder.path().join("small.toml");
    let problem = problem_of(&text, file.to_str().unwrap());
    let place = problem.place.as_ref().expect("a place");
    assert!(place.file.ends_with("open.stl"), "{problem}");
}

#[test]
fn two_dimensions() {
    let flat = "dimension = 2\n[container]\nshape = \"box\"\nmin = [0, 0]\nmax = [4, 4]\n\
                [[bodies]]\npositions = [[1, 1], [3, 3, 0]]\nradius = [0.5, 0.25]\n";
    let (model, state) =
        world::build(&Scene::from_text(flat, Path::new("flat.toml")).unwrap()).unwrap();
    assert_eq!((model.dimension, state.positions.len()), (2, 2));
    assert_eq!(model.gravity.to_array(), [0.0, -1.0, 0.0]);
    let rows = r#"
        [3, 3, 0] => [3, 3, 1] => 7: z is 1.0, but a 2D scene lives in the x-y plane
        [0.5, 0.25] => [0.5] => 8: there are 1 radii for 2 positions
        dimension = 2\n =>  => 6: expected 3 numbers, found a list of 2 entries
        dimension = 2 => dimension = 2\ngravity = [0, 0, -1] => 2: z is -1.0, but a 2D scene
        shape = "box"\nmin = [0, 0]\nmax = [4, 4] => shape = "mesh"\nfile = "a.stl" => 3: the shape `mesh` needs a 3D scene
    "#;
    check_rows(flat, "flat.toml", rows);
}

#[test]
fn no_bodies() {
    let (before, _) = GOOD.split_once("[[bodies]]").unwrap();
    let problem = problem_of(before, "small.toml");
    assert_eq!(problem.message, "the scene needs `bodies`");
    let problem = problem_of(&format!("bodies = []\n{before}"), "small.toml");
    assert_eq!(
        problem.message,
        "`bodies` must be a list of one or more groups, found an empty list"
    );
    let problem =
        with_line("grid = { count = [2, 2, 2], first = [1, 1, 1], spacing = 2 }", "positions = []");
    assert_eq!(problem.message, "`bodies.positions` must be a list of points, found an empty list");
    // Without a place there is one body, at the origin: here in a corner of the box.
    let problem = with_line("grid = { count = [2, 2, 2], first = [1, 1, 1], spacing = 2 }\n", "");
    assert!(problem.message.starts_with("body 0 (group \"sand\", number 0 of it)"), "{problem}");
    assert!(problem.message.contains("the container, by 0.5000"), "{problem}");
    assert_eq!(line_of(&problem), 11);
}

#[test]
fn an_overlapping_start() {
    let problem = with_line("spacing = 2", "spacing = [2, 2, 0.75]");
    assert_eq!(
        problem.message,
        "body 0 (group \"sand\", number 0 of it) and body 4 (group \"sand\", number 4 of it) overlap \
         by 0.2500, 50.0000 % of the smaller radius; 4 pairs overlap in all"
    );
    assert_eq!(line_of(&problem), 13);
    let second =
        "[[bodies]]\ngroup = \"bead\"\npositions = [[1, 1, 1.9]]\nradius = 0.6\n\n[settle]";
    let problem = with_line("[settle]", second);
    assert_eq!(
        problem.message,
        "body 0 (group \"sand\", number 0 of it) and body 8 (group \"bead\", number 0 of it) overlap \
         by 0.2000, 40.0000 % of the smaller radius"
    );
    assert_eq!(line_of(&problem), 19);
}

#[test]
fn a_slip_in_the_spacing_of_a_large_grid_is_found_at_once() {
    let problem = with_line(
        "count = [2, 2, 2], first = [1, 1, 1], spacing = 2",
        "count = [300, 300, 3], first = [1, 1, 1], spacing = 1e-5",
    );
    assert!(problem.message.ends_with("; at least 100000 pairs overlap in all"), "{problem}");
}

#[test]
fn touching_is_not_overlapping() {
    for (first, radius, spacing) in
        [("0.5", "0.5", "1"), ("0.7", "0.1", "0.2"), ("1000.3", "0.3", "0.6")]
    {
        let text = GOOD
            .replace(
                "[2, 2, 2], first = [1, 1, 1]",
                &format!("[8, 8, 8], first = [{first}, {first}, {first}]"),
            )
            .replace("spacing = 2", &format!("spacing = {spacing}"))
            .replace("radius = 0.5", &format!("radius = {radius}"))
            .replace("10, 10, 10", "2000, 2000, 2000");
        let scene = Scene::from_text(&text, Path::new("grid.toml")).unwrap();
        world::build(&scene).unwrap_or_else(|problem| panic!("{problem}"));
    }
    let problem = with_line("spacing = 2", "spacing = 0.999999999");
    assert!(problem.message.contains("overlap by 1.000e-9"), "{problem}");
}

#[test]
fn bodies_outside() {
    let problem = with_line("first = [1, 1, 1]", "first = [1, 1, 0.25]");
    assert_eq!(
        problem.message,
        "body 0 (group \"sand\", number 0 of it) sticks out of the container, by 0.2500; \
         4 bodies stick out in all"
    );
    assert_eq!(line_of(&problem), 13);
    let problem = with_line("first = [1, 1, 1]", "first = [1, 1, 12]");
    assert!(problem.message.contains("body 4 (group \"sand\", number 4 of it) has its centre outside the container, by 4.5000; 8 bodies"), "{problem}");
    let problem = with_line("first = [1, 1, 1]", "first = [1e28, 1e28, 1e28]");
    assert!(problem.message.contains("outside the container"), "{problem}");
}

#[test]
fn a_random_filling_that_cannot_fit() {
    let grid = "grid = { count = [2, 2, 2], first = [1, 1, 1], spacing = 2 }";
    let problem = with_line(grid, "random = { count = 200, max = [10, 10, 1.5] }");
    let (fitted, rest) = problem.message["only ".len()..].split_once(" of ").unwrap();
    assert!((40..200).contains(&fitted.parse::<usize>().unwrap()), "{problem}");
    assert_eq!(rest, "200 bodies of the group \"sand\" fitted at random");
    assert!(help_of(&problem).contains("alone would fill 69.8 % of it"), "{problem}");
    assert_eq!(line_of(&problem), 13);
    let problem = with_line(grid, "random = { count = 1, min = [20, 0, 0] }");
    assert_eq!(problem.message, "the random group \"sand\" has its min..max outside the container");
    let problem = with_line(grid, "random = { count = 1, min = [3, 0, 0], max = [2, 9, 9] }");
    assert_eq!(problem.message, "the upper limit 2.0 is not above the lower limit 3.0");
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let scene_file = folder.path().join("small.toml");
    let try_csv = |csv: &str, radius: &str| {
        std::fs::write(folder.path().join("start.csv"), csv).unwrap();
        let text = GOOD
            .replace(
                "grid = { count = [2, 2, 2], first = [1, 1, 1], spacing = 2 }",
                "file = \"start.csv\"",
            )
            .replace("radius = 0.5\n", radius);
        Scene::from_text(&text, &scene_file).and_then(|scene| world::build(&scene))
    };
    let (model, _) = try_csv("1,1,1,0.25\n", "").unwrap();
    assert_eq!((model.bodies[0].radius, model.bodies[0].mass), (0.25, 1.0));
    let (model, _) = try_csv("1,1,1\n", "radius = 0.5\n").unwrap();
    assert_eq!(model.bodies[0].radius, 0.5);

    let problem = try_csv("1,1,1\n2,oops,3\n", "radius = 0.5\n").unwrap_err();
    assert_eq!(problem.message, "y must be a finite number, found `oops`");
    assert_eq!(line_of(&problem), 2);
    assert!(problem.place.unwrap().file.ends_with("start.csv"));
    let problem = try_csv("1,1,1\n", "").unwrap_err();
    assert!(problem.message.ends_with("start.csv has no column for the radius"), "{problem}");
    assert_eq!(line_of(&problem), 13);
    let problem = try_csv("1,1,1,0.5\n", "radius = 0.5\n").unwrap_err();
    assert!(problem.message.starts_with("`bodies.radius` is given, but "), "{problem}");
    let problem = try_csv("1,1,1,0.5,2\n", "").unwrap_err();
    assert!(problem.message.starts_with("`bodies.mass` is given, but "), "{problem}");

    let problem = with_line(
        "grid = { count = [2, 2, 2], first = [1, 1, 1], spacing = 2 }",
        "file = \"nowhere.csv\"",
    );
    assert!(problem.message.starts_with("cannot read nowhere.csv: "), "{problem}");
    assert_eq!(line_of(&problem), 13);
    let problem = Scene::from_file(Path::new("no/such/scene.toml")).unwrap_err();
    assert!(problem.message.starts_with("cannot read no/such/scene.toml: "), "{problem}");
    std::fs::write(&scene_file, [0x66, 0xff]).unwrap();
    let problem = Scene::from_file(&scene_file).unwrap_err();
    assert_eq!(problem.message, "not a text file: byte 1 is not UTF-8");
    assert!(Scene::open("no-such-scene").unwrap_err().message.contains("no scene named"));
    assert!(Scene::open("no-such-scene.toml").unwrap_err().message.starts_with("cannot read"));
    assert_eq!(Scene::open("box-3").unwrap().name, "box-3");
}

#[test]
fn syntax() {
    let problem = with_line("seed = 1", "seed = ");
    assert!(problem.message.starts_with("this is not valid TOML: "), "{problem}");
    assert_eq!(line_of(&problem), 3);
    let problem = with_line("seed = 1", "seed = 1\nseed = 2");
    assert_eq!(problem.message, "the key `seed` occurs twice");
    assert_eq!(line_of(&problem), 4);
    let problem = with_line("[settle]", "[settle");
    assert_eq!(line_of(&problem), 17);
}

#[test]
fn the_same_in_json() {
    let rows = r#"
        "radius" => "raduis" => 8: unknown field `bodies.raduis`
        0.5 => -0.5 => 8: `bodies.radius` must be a positive number, found -0.5
        0.5 => "half" => 8: `bodies.radius` must be a positive number, or
        0.5 => null => 8: `bodies.radius` must be a positive number, or
        0.5 => NaN => 8: this is not valid JSON: expected a value, found `N`
        "group" => "radius" => 8: the key `radius` occurs twice
        [3, 1, 1] => [3, 1, 1], => 7: this is not valid JSON: expected a value, found `]`
        [3, 1, 1] => [1.5, 1, 1] => 7: body 0 (group "sand", number 0 of it) and body 1
        [3, 1, 1] => [3, 1, -1] => 7: body 1 (group "sand", number 1 of it) has its centre outside
        "box" => "bax" => 3: the `shape` of `container` must be
    "#;
    check_rows(GOOD_JSON, "small.json", rows);
    assert_eq!(
        problem_of("[]", "a.json").message,
        "expected a table of fields, found an empty list"
    );
}

/// Reads and builds whatever it is given; only panics matter.
fn survive(text: &str, file: &str) {
    if let Ok(scene) = Scene::from_text(text, Path::new(file)) {
        let _ = world::build(&scene);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn mutated_scenes_never_panic(
        which in 0..3_usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3_usize, "[\\[\\]{}\",=.0-9a-zé\n-]{0,4}"), 1..4),
    ) {
        let (text, file) = [
            (GOOD, "a.toml"),
            (GOOD_JSON, "a.json"),
            (gallery::find("hourglass-2d").unwrap(), "b.toml"),
        ][which];
        let mut letters: Vec<char> = text.chars().collect();
        for (place, length, new) in edits {
            let start = place.index(letters.len());
            let end = (start + length).min(letters.len());
            letters.splice(start..end, new.chars());
        }
        survive(&letters.into_iter().collect::<String>(), file);
    }

    #[test]
    fn truncated_scenes_never_panic(which in 0..3_usize, cut in any::<prop::sample::Index>()) {
        let (text, file) =
            [(GOOD, "a.toml"), (GOOD_JSON, "a.json"), (gallery::find("heavy-bead").unwrap(), "b.toml")][which];
        let letters: Vec<char> = text.chars().collect();
        survive(&letters[..cut.index(letters.len())].iter().collect::<String>(), file);
    }

    #[test]
    fn noise_never_panics(text in ".{0,60}") {
        survive(&text, "a.toml");
        survive(&text, "a.json");
    }
}

/// A scene may promise more than `verify` asks for, never less.
#[test]
fn looser_limits_than_those_of_every_run_are_refused() {
    let scene = |mode: &str, overlap: f64, stretch: f64| {
        format!(
            "method = \"dynamics\"\n[[cloth]]\ngrid = {{ size = [1, 1], count = [3, 3] }}\n\
             most_stretch = {stretch}\n[dynamics]\nmode = \"{mode}\"\noverlap = {overlap}\n"
        )
    };
    for (mode, overlap, stretch) in [("default", 0.025, 0.1), ("paper", 0.05, 0.3)] {
        built(&scene(mode, overlap, stretch), "tight.toml").unwrap();
        let looser = problem_of(&scene(mode, 1.01 * overlap, stretch), "loose.toml").to_string();
        let help = format!("leave it out, or give {overlap} or less");
        assert!(looser.contains("`overlap` is looser than what `verify`"), "{looser}");
        assert!(looser.contains("loose.toml:7:") && looser.contains(&help), "{looser}");
        let looser = problem_of(&scene(mode, overlap, 1.01 * stretch), "loose.toml").to_string();
        assert!(looser.contains("`most_stretch` is looser"), "{looser}");
        assert!(looser.contains("loose.toml:4:"), "{looser}");
    }
}
