//! `riprap run`: what it prints, where it writes, how it ends.

mod common;

use common::Shell;
use serde_json::Value;

/// Whether a value is of the promised kind.
type Kind = fn(&Value) -> bool;

/// The keys that scripts rely on, and their types.
const CONTRACT: [(&str, Kind); 16] = [
    ("scene", Value::is_string),
    ("method", Value::is_string),
    ("bodies", Value::is_u64),
    ("steps", Value::is_u64),
    ("steps_escape", Value::is_u64),
    ("steps_polish", Value::is_u64),
    ("outcome", Value::is_string),
    ("energy_start", Value::is_f64),
    ("energy_end", Value::is_f64),
    ("seconds", Value::is_f64),
    ("cpu_seconds", Value::is_f64),
    ("ms_per_step", Value::is_f64),
    ("max_overlap", Value::is_f64),
    ("residual", Value::is_f64),
    ("hash", Value::is_string),
    ("out", Value::is_string),
];

#[test]
fn json_keeps_its_contract() {
    let shell = Shell::new();
    let json = shell.json("run box-3 --json -o a.riprap");
    for (key, has_type) in CONTRACT {
        assert!(has_type(&json[key]), "{key}: {}", json[key]);
    }
    assert_eq!((&json["scene"], &json["method"]), (&"box-3".into(), &"settle".into()));
    assert_eq!((&json["bodies"], &json["outcome"]), (&27.into(), &"rest".into()));
    assert_eq!(json["out"], "a.riprap");
    let number = |key: &str| json[key].as_f64().unwrap();
    assert!(number("energy_end") < number("energy_start"));
    assert!(number("steps_escape") + number("steps_polish") <= number("steps"));
    assert!(number("max_overlap") <= 1e-9 && number("residual") <= 1e-6);
    assert!(json["hash"].as_str().is_some_and(|hash| u64::from_str_radix(hash, 16).is_ok()));
}

#[test]
fn the_default_file_has_the_name_of_the_scene() {
    let shell = Shell::new();
    assert_eq!(shell.json("run stack --json")["out"], "stack.riprap");
    assert!(shell.path("stack.riprap").is_file());
    // A dot in a name is no ending.
    shell.write("v1.2.toml", BALL);
    assert_eq!(shell.json("run v1.2.toml --json")["out"], "v1.2.riprap");
    shell.write("other.toml", format!("name = \"ball no.7\"\n{BALL}"));
    assert_eq!(shell.json("run other.toml --json")["out"], "ball no.7.riprap");
}

const BALL: &str = r#"
container = { shape = "box", min = [0, 0, 0], max = [4, 4, 4] }
[[bodies]]
positions = [[2, 2, 3]]
radius = 0.5
"#;

#[test]
fn an_existing_file_is_not_overwritten_without_force() {
    let shell = Shell::new();
    shell.write("stack.riprap", "precious");
    let message = shell.riprap("run stack").refused();
    assert!(message.contains("exists already") && message.contains("--force"), "{message}");
    assert_eq!(shell.read("stack.riprap"), b"precious");
    shell.riprap("run stack --force").ok();
    assert!(shell.read("stack.riprap").len() > 100);
    let message = shell.riprap("run stack --force --resume").refused();
    assert!(message.contains("cannot be used with"), "{message}");
}

#[test]
fn the_step_limit_is_exit_status_1_and_can_be_lifted() {
    let shell = Shell::new();
    let whole = shell.json("run box-3 --json -o whole.riprap");
    let done = shell.riprap("run box-3 --json --max-steps 3");
    assert_eq!(done.status, Some(1));
    let json: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!((&json["outcome"], &json["steps"]), (&"step-limit".into(), &3.into()));
    assert_eq!(json["residual"], Value::Null);
    let resumed = shell.json("run box-3 --json --resume");
    assert_eq!((&resumed["hash"], &resumed["steps"]), (&whole["hash"], &whole["steps"]));
    let message = shell.riprap("run box-3 --resume").refused();
    assert!(message.contains("the run is finished already (outcome: rest)"), "{message}");
}

#[test]
fn people_get_a_readable_summary() {
    let shell = Shell::new();
    let done = shell.riprap("run stack").ok();
    assert_eq!(done.err, "", "no bar without a terminal");
    let mut lines = done.out.lines();
    assert_eq!(lines.next(), Some("stack: at rest"));
    for word in ["steps", "energy", "overlap", "residual", "stability", "hash"] {
        assert!(done.out.lines().any(|line| line.trim_start().starts_with(word)), "{}", done.out);
    }
    let cut = shell.riprap("run box-3 --max-steps 2");
    assert_eq!(cut.status, Some(1));
    assert!(cut.out.starts_with("box-3: NOT done: the step limit was reached"), "{}", cut.out);
}

/// Sweeps set values on the command line; what is set is kept with the run.
#[test]
fn values_can_be_set() {
    let shell = Shell::new();
    let plain = shell.json("run stack --json");
    let set = shell.json("run stack --json -o set.riprap --set bodies.0.radius=0.4");
    assert_ne!(plain["hash"], set["hash"]);
    assert_eq!(shell.json("verify set.riprap --json")["ok"], true);
    let message = shell.riprap("run stack -o x.riprap --set bodies.0.raduis=0.4").refused();
    assert!(message.contains("--set:1:10") && message.contains("did you mean"), "{message}");
    assert!(!shell.path("x.riprap").exists());
}

/// The same scene, another method; keys that it does not use are named on standard error.
#[test]
fn another_method_can_be_asked() {
    let shell = Shell::new();
    let vessel = "--set container={shape=\"box\",min=[-9,-9],max=[9,9]}";
    let done = shell.riprap(&format!("run arch --method settle {vessel} --max-steps 2"));
    assert_eq!(done.status, Some(1));
    assert_eq!(done.err, "note: the method settle does not use `bodies.friction`\n");
    assert!(done.out.contains("method     settle"), "{}", done.out);
    let json = shell.riprap("run arch --method dynamics --max-steps 2 -o d.riprap --json");
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["method"], "dynamics");
}

#[test]
fn threads_do_not_matter_and_the_seed_does() {
    let shell = Shell::new();
    let hash =
        |options: &str| shell.json(&format!("run box-4 --json --force {options}"))["hash"].clone();
    let one = hash("--threads 1");
    assert_eq!(one, hash("--threads 2"));
    assert_eq!(one, hash("--seed 1"), "the scene's own");
    assert_ne!(one, hash("--seed 2"));
}

#[test]
fn a_scene_from_a_file_runs_like_that_of_the_gallery() {
    let shell = Shell::new();
    let text = shell.riprap("scenes stack").ok().out;
    shell.write("mine.toml", text);
    let (mine, theirs) = (shell.json("run mine.toml --json -o a"), shell.json("run stack --json"));
    assert_eq!((&mine["hash"], &mine["scene"]), (&theirs["hash"], &theirs["scene"]));
}

/// A scene with a mesh, and one that starts from a run: none of what they read is written to.
#[test]
fn no_input_is_overwritten() {
    let shell = Shell::new();
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n\
                       f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let scene = "method = \"dynamics\"\n[[bodies]]\nposition = [0, 0, 1]\n\
                 shape = { kind = \"mesh\", file = \"part.obj\" }\n[dynamics]\nsteps = 3\n";
    shell.write("part.obj", tetrahedron);
    shell.write("a.toml", scene);
    shell.write("b.toml", format!("name = \"a\"\nstart = {{ run = \"a.riprap\" }}\n{scene}"));
    shell.riprap("run a.toml").ok();
    let before = ["a.toml", "part.obj", "a.riprap"].map(|name| shell.read(name));
    for line in [
        "run a.toml -o a.toml --force",
        "run a.toml -o ./part.obj --force",
        "run b.toml --force",
        "run b.toml --resume",
    ] {
        let message = shell.riprap(line).refused();
        assert!(message.contains("would overwrite what it is made from"), "{line}: {message}");
    }
    assert_eq!(["a.toml", "part.obj", "a.riprap"].map(|name| shell.read(name)), before);
    for name in ["../up", "a/b", "..", " "] {
        shell.write("named.toml", format!("name = \"{name}\"\n{scene}"));
        let message = shell.riprap("run named.toml").refused();
        assert!(message.contains("no plain name of a file"), "{name}: {message}");
    }
}

#[test]
fn a_run_goes_on_with_its_own_scene_alone() {
    let shell = Shell::new();
    shell.write("ball.toml", BALL);
    shell.riprap("run ball.toml --max-steps 1 --method dynamics");
    let before = shell.read("ball.riprap");
    for (options, differs) in [
        ("ball.toml", "`method`"),
        ("ball.toml --method collapse", "`method`"),
        ("ball.toml --method dynamics --set gravity=[0,0,-3]", "`gravity`"),
        ("ball.toml --method dynamics --set bodies.0.radius=0.4", "`bodies`"),
        ("ball.toml --method dynamics --set dynamics.damping=0.1", "`dynamics`"),
        ("ball.toml --method dynamics --seed 9", "`seed`"),
        ("stack -o ball.riprap", "`method`"),
    ] {
        let message = shell.riprap(&format!("run {options} --resume")).refused();
        assert!(message.contains("the run is of another scene"), "{options}: {message}");
        assert!(message.contains(differs) && message.contains("--force"), "{options}: {message}");
        assert_eq!(shell.read("ball.riprap"), before, "{options}");
    }
    // What it is called, how it is written down and how far it goes may differ.
    shell.write("same.toml", format!("# the same\nabout = \"a ball\"\n{BALL}"));
    let line = "run same.toml --method dynamics -o ball.riprap --resume --max-steps 4 --threads 1";
    assert_eq!(shell.riprap(line).status, Some(1));
    assert_eq!(shell.riprap("verify ball.riprap").status, Some(0));
}

/// What blows up, what cannot begin and what finds no room ends its file with the reason.
#[test]
fn a_method_that_stops_before_its_goal_says_why() {
    let shell = Shell::new();
    let spring = "method = \"dynamics\"\ngravity = [0, 0, 0]\n[[bodies]]\nradius = 0.1\n\
                  position = [1, 0, 0]\nmass = 1\n[[forces]]\nlaw = \"spring\"\n\
                  group = \"bodies\"\nto = [0, 0, 0]\nstrength = 1e6\n[dynamics]\nsteps = 900\n";
    let full = "method = \"separate\"\ncontainer = { shape = \"box\", min = [0, 0, 0], max = [1, 1, 1] }\n\
                [[bodies]]\nradius = 0.4\npositions = [[0.4, 0.5, 0.5], [0.6, 0.5, 0.5]]\n";
    let wide = "method = \"compact\"\n[layout]\nkind = \"polygons\"\ncount = 4\nclearance = 100\n";
    for (name, scene, part) in
        [("spring", spring, "stiff"), ("full", full, "room"), ("wide", wide, "room")]
    {
        shell.write(&format!("{name}.toml"), scene);
        let done = shell.riprap(&format!("run {name}.toml --json"));
        assert_eq!(done.status, Some(1), "{name}: {}{}", done.out, done.err);
        let json: Value = serde_json::from_str(&done.out).unwrap();
        assert_eq!(json["outcome"], "failed");
        let reason = json["reason"].as_str().unwrap().to_string();
        let verdict = shell.riprap(&format!("verify {name}.riprap"));
        assert_eq!(verdict.status, Some(1), "{}", verdict.err);
        assert!(verdict.out.contains(&reason), "{}", verdict.out);
        assert!(reason.contains(part), "{reason}");
        shell.riprap(&format!("measure {name}.riprap")).ok();
        let message = shell.riprap(&format!("run {name}.toml --resume")).refused();
        assert!(message.contains("would fail again"), "{message}");
    }
}

/// `--method` asks another question than the phases do.
#[test]
fn another_method_takes_the_place_of_phases() {
    let shell = Shell::new();
    let phases = "[[phases]]\nmethod = \"dynamics\"\nuntil = { steps = 2 }\n\
                  [[phases]]\nmethod = \"settle\"\n";
    shell.write("ball.toml", format!("{BALL}{phases}"));
    let json = shell.json("run ball.toml --method settle --json");
    assert_eq!((json["phases"].as_array().unwrap().len(), &json["method"]), (1, &"settle".into()));
    assert_eq!(shell.json("verify ball.riprap --json")["ok"], true);
}
