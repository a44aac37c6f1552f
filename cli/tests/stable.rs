//! `riprap stable`: answers that people and programs understand.

mod common;

use common::Shell;

#[test]
fn a_tower_that_falls_is_explained() {
    let shell = Shell::new();
    let done = shell.riprap("stable tower-5x5 -o mechanism.svg");
    assert_eq!((done.status, done.err.as_str()), (Some(0), ""));
    for part in [
        "tower-5x5: unstable (decided in exact arithmetic)",
        "the outer blocks of row 5 drop at 0.2408 g",
        "friction from 0.2110 on",
        "the mechanism is drawn in mechanism.svg",
    ] {
        assert!(done.out.contains(part), "{part}\n{}", done.out);
    }
    assert!(String::from_utf8(shell.read("mechanism.svg")).unwrap().starts_with("<svg"));
}

#[test]
fn the_object_has_what_scripts_rely_on() {
    let shell = Shell::new();
    let falls = shell.json("stable inverted-triangle-3 --json");
    assert_eq!((&falls["verdict"], &falls["exact"]), (&"unstable".into(), &true.into()));
    assert!(falls["margin"].as_f64().unwrap() < 0.0);
    assert_eq!(falls["certificate"]["kind"], "mechanism");
    assert_eq!(falls["accelerations"].as_array().unwrap().len(), 7);
    assert_eq!(falls["accelerations"][0].as_array().unwrap().len(), 3);
    let stands = shell.json("stable diamond-3 --json --tilt --load 3:0,-1");
    assert_eq!(stands["verdict"], "stable");
    assert_eq!(stands["certificate"]["kind"], "forces");
    assert_eq!(stands["tilts"].as_array().unwrap().len(), 2);
    assert!((stands["load_factor"].as_f64().unwrap() - 2.0).abs() < 1e-9);
    assert_eq!(shell.json("stable diamond-3 --json --load 8:0,-1")["load_factor"], "unbounded");
    let lowest = shell.json("stable tower-5x5 --json --lowest");
    assert!((lowest["lowest_drop"].as_f64().unwrap() - 48.0 / 55.0).abs() < 1e-9);
    let drawn = shell.riprap("stable tower-5x5 --lowest -o lowest.svg").ok();
    assert!(drawn.out.contains("the lowest heights are drawn in lowest.svg"), "{}", drawn.out);
    let svg = String::from_utf8(shell.read("lowest.svg")).unwrap();
    assert_eq!(svg.matches("fill-opacity=\"0.25\"").count(), 25);
    shell.riprap("stable tower-5x5 --lowest -o lowest.png").refused();
    let one = shell.json("stable diamond-3 --json --towards 1,0");
    assert_eq!(one["tilts"].as_array().unwrap().len(), 1);
    let solid = shell.json("stable wall-3d --json");
    assert_eq!(solid["accelerations"][0].as_array().unwrap().len(), 6);
}

#[test]
fn proofs_are_rendered_and_tilts_plotted() {
    let shell = Shell::new();
    shell.write(
        "crossed.toml",
        "method = \"collapse\"\n[[bodies]]\ntower = { family = \"crossed\", levels = 2 }\nfriction = 0.3\n",
    );
    let done = shell.riprap("stable crossed.toml -o proof.png --polar tilt.svg");
    assert_eq!((done.status, done.err.as_str()), (Some(0), ""));
    assert!(shell.read("proof.png").starts_with(b"\x89PNG"));
    assert!(String::from_utf8(shell.read("tilt.svg")).unwrap().contains("<polygon"));
}

#[test]
fn what_has_no_support_falls_freely() {
    let shell = Shell::new();
    shell.write(
        "one.toml",
        "method = \"collapse\"\ndimension = 2\n[[bodies]]\nshape = { kind = \"box\", size = [1, 1] }\n\
         position = [0, 5]\n",
    );
    let done = shell.riprap("stable one.toml");
    assert_eq!((done.status, done.err.as_str()), (Some(0), ""));
    assert!(done.out.contains("drops at 1.0000 g: free fall"), "{}", done.out);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let shell = Shell::new();
    let refused = |line: &str, words: &str| {
        let done = shell.riprap(line);
        assert_eq!(done.status, Some(2), "{line}");
        assert!(done.err.contains(words), "{line}: {}", done.err);
    };
    refused("stable diamond-3 --load 99:0,-1", "there is no body 99 that can move");
    refused("stable diamond-3 --load up", "write the number of a body and a force");
    refused("stable diamond-3 --towards 0,1", "is not level");
    refused("stable tower-5x5 --polar tilt.svg", "has no critical tilt");
    refused("stable diamond-3 -o proof.gif", "the ending is not known");
    refused("stable diamond-3 --frame 3", "a scene has no frames");
    let bodies = |fields: &str| {
        let scene = format!("method = \"collapse\"\ndimension = 2\n[[bodies]]\n{fields}\n");
        shell.write("bad.toml", &scene);
    };
    let one = "shape = { kind = \"box\", size = [1, 1] }";
    let bow = "[[0, 0], [1, 1], [1, 0], [0, 1]]";
    for (fields, words) in [
        (format!("{one}\n[[bodies]]\n{one}"), "overlap by"),
        (format!("{one}\nmass = 0"), "must be a positive number"),
        (format!("{one}\nmass = -2"), "must be a positive number"),
        (format!("{one}\nfriction = -1"), "`bodies.friction` must be"),
        (format!("shape = {{ kind = \"polygon\", corners = {bow} }}"), "cuts or touches itself"),
    ] {
        bodies(&fields);
        refused("stable bad.toml", words);
        refused("run bad.toml", words);
    }
}

/// Any scene can be asked, and any frame of a run, whatever its method.
#[test]
fn every_scene_and_every_frame_can_be_asked() {
    let shell = Shell::new();
    assert_eq!(shell.json("stable arch-3d --json")["verdict"], "balanced");
    assert_eq!(shell.json("stable lone-sphere --json")["verdict"], "unstable");
    shell.riprap("run stack").ok();
    let start = shell.json("stable stack.riprap --frame 0 --json");
    assert_eq!(start["verdict"], "balanced", "it stands on a needle: {start}");
    shell.riprap("run leaning --max-steps 60");
    let message = shell.riprap("stable leaning.riprap --frame 99").refused();
    assert!(message.contains("give a number from 0 to 60"), "{message}");
    assert_eq!(shell.riprap("stable leaning --exit-status").status, Some(3));
    assert_eq!(shell.riprap("stable diamond-3 --exit-status").status, Some(0));
}

/// What friction leaves open is said to programs as well as to people; exactly at the angle of
/// friction, in a direction that is no corner of a polygon, nothing is decided.
#[test]
fn friction_is_worded_with_care() {
    let shell = Shell::new();
    let slab = |name: &str, pull: &str| {
        shell.write(
            name,
            format!(
                "method = \"collapse\"\ngravity = [{pull}, -1]\n[[bodies]]\nfriction = 0.5\n\
                 shape = {{ kind = \"box\", size = [1, 1, 0.2] }}\nposition = [0, 0, 0.1]\n\
                 [[bodies]]\nfriction = 0.5\nmotion = \"fixed\"\n\
                 shape = {{ kind = \"box\", size = [9, 9, 1] }}\nposition = [0, 0, -0.5]\n"
            ),
        );
    };
    slab("rests.toml", "0.3, 0.39");
    let rests = shell.json("stable rests.toml --json");
    assert_eq!((&rests["verdict"], &rests["exact"]), (&"balanced".into(), &true.into()));
    let caveat = rests["caveat"].as_str().unwrap();
    assert!(caveat.contains("necessary for standing, not sufficient"));
    assert!(shell.riprap("stable rests.toml").ok().out.contains(caveat));
    assert_eq!(shell.json("stable diamond-3 --json")["caveat"], serde_json::Value::Null);
    slab("slides.toml", "0.3, 0.41");
    assert_eq!(shell.riprap("stable slides.toml --exit-status").status, Some(3));
    let (x, y) = (10.0 / 101.0, 49.5 / 101.0);
    slab("hair.toml", &format!("{x}, {y}"));
    let hair = shell.riprap("stable hair.toml --exit-status");
    assert_eq!(hair.status, Some(4), "{}", hair.out);
    assert!(hair.out.contains("undecided: the friction with which"), "{}", hair.out);
    let hair = shell.json("stable hair.toml --json");
    let factor = |k: usize| hair["friction_factors"][k].as_f64().unwrap();
    assert!(factor(0) < 1.0 && factor(1) > 1.0 && factor(1) - factor(0) < 1e-4, "{hair}");
}

#[test]
fn a_fall_is_run_checked_and_drawn() {
    let shell = Shell::new();
    shell.write(
        "two.toml",
        "method = \"collapse\"\ndimension = 2\n[[bodies]]\nfriction = 0\n\
         tower = { family = \"leaning\", count = 2, lean = 0.6 }\n[collapse]\nsteps = 60\n",
    );
    let run = shell.json("run two.toml --json");
    assert_eq!((&run["method"], &run["outcome"]), (&"collapse".into(), &"duration".into()));
    assert!(run["energy_end"].as_f64() < run["energy_start"].as_f64());
    let verdict = shell.json("verify two.riprap --json");
    assert_eq!(verdict["ok"], true, "{verdict}");
    let plotted = shell.riprap("measure two.riprap -o plots");
    assert_eq!(plotted.status, Some(0), "{}", plotted.err);
    let height = shell.json("measure two.riprap --json")["height"].as_f64().unwrap();
    assert!((0.4..3.0).contains(&height), "two blocks, 0.4 high and 1 wide: {height}");
    for name in ["energy", "contacts", "momentum", "errors"] {
        assert!(shell.read(&format!("plots/{name}.svg")).starts_with(b"<svg"), "{name}");
    }
    let picture = shell.riprap("render two.riprap -o two.png --size 64x48 --samples 1");
    assert_eq!(picture.status, Some(0), "{}", picture.err);
    assert!(shell.read("two.png").starts_with(b"\x89PNG"));
    let drawn = shell.riprap("render two.riprap -o two.svg --strip 3");
    assert_eq!(drawn.status, Some(0), "{}", drawn.err);
    let svg = String::from_utf8(shell.read("two.svg")).unwrap();
    let drawn = ["<polygon", "<path"].map(|shape| svg.matches(shape).count());
    assert!(drawn.iter().sum::<usize>() >= 3 * 3, "three bodies, three times: {drawn:?}");
    assert_eq!(
        shell.riprap("check two.toml").out,
        "two: fine. 3 bodies in 1 groups, 2 of them free to move, 2D, method collapse.\n"
    );
}

/// A lintel glued onto two piers, by the sides: what is asked of any bodies is asked of it, too.
const GLUED: &str = "gravity = [0, 0, -1]\n\
    [[bodies]]\ngroup = \"pier\"\nshape = { kind = \"box\", size = [1, 1, 1] }\n\
    positions = [[0, 0, 0], [3, 0, 0]]\nmotion = \"fixed\"\nfriction = 0\n\
    [[bodies]]\ngroup = \"lintel\"\nshape = { kind = \"box\", size = [2, 1, 1] }\n\
    position = [1.5, 0, 0]\nmass = 1\nfriction = 0\n\
    [[strengths]]\npull = 4\ncohesion = 2\n";

#[test]
fn what_holds_by_strength_is_asked_everything() {
    let shell = Shell::new();
    shell.write("glued.toml", GLUED);
    let line = "stable glued.toml --json --load 2:0,0,-1 --load 2:0,1,0@1.5,0,0.5 --what-if --falls 0.5 \
                --order --contact 0 --elastic";
    let answer = shell.json(line);
    assert_eq!(answer["verdict"], "balanced");
    // Cohesion alone bears four weights, this one included.
    let factors = answer["load_factors"].as_array().unwrap();
    assert!((factors[0]["factor"].as_f64().unwrap() - 3.0).abs() < 1e-6, "{factors:?}");
    assert_eq!(factors.len(), 2);
    assert_eq!(answer["tilts"].as_array().unwrap().len(), 16);
    // Across the span, all that cohesion bears at a right angle to the weight, and what moments leave of it.
    let ground = answer["ground"]["acceleration"].as_f64().unwrap();
    assert!(ground > 1.0 && ground < 15_f64.sqrt() + 1e-6, "{ground}");
    assert_eq!(answer["names"][2], "lintel");
    assert_eq!(answer["order"][0]["hold"], serde_json::Value::Null);
    let words = shell.riprap("stable glued.toml --load 2:0,0,-9 --what-if --tilt").ok().out;
    for part in
        ["body 2 (lintel) bears", "the ground may accelerate by", "ground accelerates to, g"]
    {
        assert!(words.contains(part), "{part}: {words}");
    }
    let apart = GLUED.replace("position = [1.5, 0, 0]", "positions = [[1.6, 0, 3], [3.6, 0, 3]]");
    shell.write("apart.toml", apart);
    let words = shell.riprap("stable apart.toml").ok().out;
    assert!(words.contains("2 bodies hang in the air, the first of them 2: no contact"), "{words}");
    assert!(words.contains("whatever multiple of their strengths"), "{words}");
    let refused = shell.riprap("stable glued.toml --consistent").refused();
    assert!(refused.contains("--consistent is not for contacts"), "{}", refused);
}

#[test]
fn what_overlaps_is_told_so() {
    let shell = Shell::new();
    shell.write("deep.toml", GLUED.replace("[1.5, 0, 0]", "[1.4, 0, 0]"));
    let refused = shell.riprap("stable deep.toml").refused();
    assert!(refused.contains("overlap by 0.1000"), "{}", refused);
    let refused = shell.riprap("stable deep.toml --tolerance 0.2").refused();
    assert!(refused.contains("a tolerance of 0.2 is large"), "{}", refused);
}

/// Names of boxes are in the words, and are no numbers.
#[test]
fn boxes_of_a_table_are_called_by_their_names() {
    let shell = Shell::new();
    shell.write(
        "load.csv",
        "name,x,y,z,width,depth,height,mass\ncrate A,0,0,0.5,1,1,1,2\nvase,0.8,0,1.5,1,1,1,1\n",
    );
    let words = shell.riprap("stable load.csv").ok().out;
    assert!(words.contains("the body 1 (vase) at (0.80, 0.00, 1.50) drops"), "{words}");
    assert_eq!(shell.json("stable load.csv --json")["names"][0], "crate A");
}

/// Three blocks as compas_dem writes them: the first is a support, the third is turned and moved by a group.
#[test]
fn models_of_compas_are_read() {
    let shell = Shell::new();
    let cube = |low: f64| {
        let corner = |k: usize| {
            let at = |bit: usize| if k & bit == 0 { -0.5 } else { 0.5 };
            let z = if k & 4 == 0 { low } else { low + 1.0 };
            format!("\"{k}\": {{\"x\": {}, \"y\": {}, \"z\": {z}}}", at(1), at(2))
        };
        let corners: Vec<String> = (0..8).map(corner).collect();
        format!(
            "{{\"dtype\": \"compas.datastructures/Mesh\", \"data\": {{\"attributes\": {{}}, \"vertex\": {{{}}}, \
             \"face\": {{\"0\": [0, 2, 3, 1], \"1\": [4, 5, 7, 6], \"2\": [0, 1, 5, 4], \"3\": [2, 6, 7, 3], \
             \"4\": [0, 4, 6, 2], \"5\": [1, 3, 7, 5]}}}}}}",
            corners.join(", ")
        )
    };
    let block = |guid: &str, low: f64, is_support: bool| {
        format!(
            "\"{guid}\": {{\"dtype\": \"compas_dem.elements/Block\", \"guid\": \"{guid}\", \"data\": \
             {{\"transformation\": null, \"name\": \"Block\", \"geometry\": {}, \"is_support\": {is_support}}}}}",
            cube(low)
        )
    };
    let model = |shift: f64| {
        format!(
            "{{\"dtype\": \"compas_dem.models/BlockModel\", \"data\": {{\"transformation\": null, \"elements\": \
             {{{}, {}, {}, \"g\": {{\"dtype\": \"compas_model.elements/Group\", \"data\": {{\"transformation\": \
             {{\"dtype\": \"compas.geometry/Transformation\", \"data\": {{\"matrix\": [[0, -1, 0, {shift}], \
             [1, 0, 0, 0], [0, 0, 1, 2], [0, 0, 0, 1]]}}}}}}}}}}, \"tree\": {{\"root\": {{\"children\": \
             [{{\"element\": \"a\"}}, {{\"element\": \"b\"}}, {{\"element\": \"g\", \"children\": \
             [{{\"element\": \"c\"}}]}}]}}}}, \"graph\": {{\"node\": {{\"0\": {{\"element\": \"a\"}}, \
             \"1\": {{\"element\": \"b\"}}, \"2\": {{\"element\": \"c\"}}}}}}}}}}",
            block("b", 1.0, false),
            block("a", 0.0, true),
            block("c", 0.0, false)
        )
    };
    shell.write("model.json", model(0.2));
    assert_eq!(shell.json("stable model.json --json")["verdict"], "balanced");
    shell.write("far.json", model(0.6));
    assert_eq!(shell.json("stable far.json --json")["verdict"], "unstable");
    shell.write("plates.json", model(0.2).replace("\"geometry\"", "\"outline\""));
    let refused = shell.riprap("stable plates.json").refused();
    assert!(refused.contains("has no mesh"), "{}", refused);
}
