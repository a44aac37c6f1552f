//! Phases: bodies that fell, bounced and rolled are taken apart and settle to a proved rest, in
//! one run; what is held is let go, or taken away, and flies. A run that was cut in any phase
//! goes on to the same end, and `verify` sees what is wrong with phases that are none.

use std::path::{Path, PathBuf};

use crate::common::{Run, broken, changed, resume, rewritten, run_into};
use riprap::Result;
use riprap::math::{DQuat, DVec3};
use riprap::measure::summarise;
use riprap::scene::{MethodName, Scene};
use riprap::trajectory::{Frame, Outcome, Reader, StepKind};
use riprap::verify::{Verdict, verify};
use riprap::world::{Method, Model, Motion};

/// Boxes, balls, short cylinders and dumb-bells fall into a box, come apart, and settle.
const DROP: &str = r#"
name = "drop"
gravity = [0, 0, -9.81]
seed = 3
container = { shape = "box", min = [-1.4, -1.4, 0], max = [1.4, 1.4, 6] }

[[phases]]
method = "dynamics"
until = { steps = 120 }
[[phases]]
method = "separate"
[[phases]]
method = "settle"

[[bodies]]
group = "things"
shapes = [
    { kind = "box", size = [0.5, 0.5, 0.5] },
    { kind = "ball", radius = 0.25 },
    { kind = "cylinder", radius = 0.25, length = 0.4 },
    { kind = "compound", pieces = [
        { kind = "ball", radius = 0.15, at = [-0.2, 0, 0] },
        { kind = "ball", radius = 0.15, at = [0.2, 0, 0] },
    ] },
]
grid = { count = [3, 3, 3], first = [-0.8, -0.8, 0.5], spacing = 0.8, jitter = 0.05 }
friction = 0

[dynamics]
overlap = 0.025
"#;

/// Balls rest on a plank. Taken away, it lets them fall; a second one is let go, and falls, too.
const GATE: &str = r#"
name = "gate"
gravity = [0, 0, -10]
container = { shape = "box", min = [-2, -2, 0], max = [2, 2, 9] }

[[phases]]
method = "settle"
[[phases]]
method = "dynamics"
until = { time = 0.5 }
remove = ["plank"]
release = ["lid"]
[[phases]]
method = "dynamics"
until = { quiet = 0.02 }
[[phases]]
method = "separate"
[[phases]]
method = "settle"

[[bodies]]
group = "balls"
radius = 0.4
rolling = 0.05
positions = [[-0.5, 0, 5], [0.5, 0.1, 5.2]]

[[bodies]]
group = "plank"
shape = { kind = "box", size = [3.9, 3.9, 0.2] }
position = [0, 0, 4]
motion = "fixed"

[[bodies]]
group = "lid"
shape = { kind = "box", size = [1, 1, 0.2] }
position = [0, 0, 7]
turn = [10, 0, 0]
motion = "fixed"

[dynamics]
time_step = 0.005
steps = 4000
"#;

fn scene(text: &str) -> Result<Scene> {
    Scene::from_text(text, "phases.toml".as_ref())
}

fn run(folder: &Path, text: &str) -> PathBuf {
    let out = folder.join("run.riprap");
    run_into(&out, &scene(text).unwrap(), None).unwrap_or_else(|problem| panic!("{problem}"));
    out
}

fn verified(out: &Path) -> (Reader, Verdict) {
    let reader = Reader::open(out).unwrap();
    let verdict = verify(&reader).unwrap();
    let failed: Vec<_> = verdict.checks.iter().filter(|check| !check.ok).collect();
    assert!(verdict.ok(), "{failed:#?}");
    (reader, verdict)
}

#[test]
fn what_fell_is_taken_apart_and_comes_to_rest() {
    let folder = tempfile::tempdir().unwrap();
    let (reader, verdict) = verified(&run(folder.path(), DROP));
    let names: Vec<MethodName> =
        reader.phases().iter().map(|phase| phase.model.method.name()).collect();
    assert_eq!(names, [MethodName::Dynamics, MethodName::Separate, MethodName::Settle]);
    assert_eq!((reader.frames_of(0), reader.frames_of(1)), (0..121, 121..123));
    assert_eq!(verdict.outcome, Some(Outcome::Rest));
    let of = |phase: usize, name: &str| {
        let check = verdict.checks.iter().find(|c| c.phase == Some(phase) && c.name == name);
        check.unwrap_or_else(|| panic!("{name} of phase {phase}")).value.unwrap()
    };
    assert!(of(1, "overlap") > 1e-6, "nothing overlapped before");
    assert_eq!((of(2, "overlap"), verdict.max_overlap), (0.0, Some(of(3, "overlap"))));
    assert!(of(3, "overlap") < 1e-9 && of(3, "balance") < 1e-6);
    let summary = summarise(&reader).unwrap();
    let outcomes: Vec<Outcome> = summary.phases.iter().map(|phase| phase.outcome).collect();
    assert_eq!(outcomes, [Outcome::Duration, Outcome::Apart, Outcome::Rest]);
    assert_eq!((summary.phases[0].steps, summary.phases[1].steps), (120, 1));
    assert_eq!(summary.steps, reader.len() as u64 - 3);
    assert!(summary.parts.iter().any(|part| part.0 == "detect"));
    assert!(summary.parts.iter().any(|part| part.0 == "certificate"));
}

#[test]
fn what_is_let_go_falls_freely() {
    let folder = tempfile::tempdir().unwrap();
    let (reader, _) = verified(&run(folder.path(), GATE));
    let phase = |number: usize| reader.frames_of(number);
    // The balls rest on the plank, of which nothing is left then.
    let rest = reader.frame(phase(0).end - 1).unwrap().state;
    assert!(rest.positions[..2].iter().all(|p| (p.z - 4.5).abs() < 1e-6), "{:?}", rest.positions);
    let (before, after) = (&reader.phases()[0].model, &reader.phases()[1].model);
    assert!(!before.is_gone(2) && after.is_gone(2) && reader.model_at(phase(0).end).is_gone(2));
    assert_eq!((before.bodies[3].motion, after.bodies[3].motion), (Motion::Fixed, Motion::Free));
    assert_eq!(before.bodies.len(), after.bodies.len(), "bodies keep their numbers");
    // 0.4 s of free fall, by four substeps a step.
    let (time, substep) = (0.4, 0.005 / 4.0);
    let state = reader.frame(phase(1).start + 80).unwrap().state;
    for body in [0, 1, 3] {
        let start = reader.frame(phase(1).start).unwrap().state;
        let fallen = start.positions[body] - state.positions[body];
        assert!(
            (fallen - DVec3::Z * 0.5 * 10.0 * time * (time + substep)).length() < 1e-9,
            "{fallen}"
        );
        assert!((state.velocities[body] + DVec3::Z * 4.0).length() < 1e-9);
    }
    // And in the end they rest on the ground, the lid turned as dynamics left it.
    assert_eq!(reader.frames_of(1).len(), 101);
    let last = reader.frame(reader.len() - 1).unwrap().state;
    assert!(last.positions[..2].iter().all(|p| p.z < 2.0));
    assert_eq!(last.rotations, reader.frame(phase(3).start).unwrap().state.rotations);
    assert!((reader.phases()[2].model.phase.time - 0.5).abs() < 1e-12);
    let outcomes: Vec<_> = (0..5).map(|k| reader.ending_of(k).unwrap().outcome).collect();
    let [rest, duration, quiet] = [Outcome::Rest, Outcome::Duration, Outcome::Quiet];
    assert_eq!(outcomes, [rest, duration, quiet, Outcome::Apart, rest]);
}

/// Cut in the middle of each phase, and at the very borders, runs go on to the same end.
#[test]
fn a_run_cut_in_any_phase_goes_on_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    let whole = Reader::open(&run(folder.path(), GATE)).unwrap();
    let end = whole.len() - 1;
    let mut cuts = Vec::new();
    for number in 0..whole.phases().len() {
        let frames = whole.frames_of(number);
        let steps = |frame: usize| frame - number;
        cuts.extend([steps(frames.start), steps((frames.start + frames.end) / 2)]);
        cuts.push(steps(frames.end - 1));
    }
    cuts.dedup();
    cuts.pop(); // the last step is the end
    for cut in cuts {
        let out = folder.path().join(format!("cut-{cut}.riprap"));
        run_into(&out, &scene(GATE).unwrap(), Some(cut)).unwrap();
        let stopped = Reader::open(&out).unwrap();
        assert_eq!(stopped.ending().unwrap().outcome, Outcome::StepLimit, "{cut}");
        assert_eq!(summarise(&stopped).unwrap().steps, cut as u64);
        let broken = broken(&verify(&stopped).unwrap());
        assert!(broken.is_empty(), "{cut}: {broken:?}");
        resume(&out).unwrap();
        let resumed = Reader::open(&out).unwrap();
        assert_eq!(resumed.len(), whole.len(), "{cut}");
        assert_eq!(resumed.stored_hash(end), whole.stored_hash(end), "{cut}");
    }
}

/// Killed at any moment, such as between two phases, a run is whole up to there and goes on.
#[test]
fn a_run_killed_between_phases_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let out = run(folder.path(), &GATE.replace("steps = 4000", "steps = 4000\nsubsteps = 2"));
    let bytes = std::fs::read(&out).unwrap();
    let whole = Reader::open(&out).unwrap();
    let place = |tag: &[u8; 4], number: usize| {
        let found = bytes.windows(4).enumerate().filter(|(_, window)| window == tag);
        found.map(|(at, _)| at).nth(number).unwrap()
    };
    for at in [place(b"PHAS", 0), place(b"PHAS", 1) + 200, place(b"DONE", 2) + 30] {
        let cut = folder.path().join(format!("{at}.riprap"));
        std::fs::write(&cut, &bytes[..at]).unwrap();
        let verdict = verify(&Reader::open(&cut).unwrap()).unwrap();
        assert_eq!(broken(&verdict), ["ending"], "{:#?}", verdict.checks);
        resume(&cut).unwrap();
        let resumed = Reader::open(&cut).unwrap();
        let last = whole.len() - 1;
        assert_eq!((resumed.len(), resumed.stored_hash(last)), (last + 1, whole.stored_hash(last)));
    }
    assert!(resume(&out).unwrap_err().message.contains("finished already"));
}

#[test]
fn phases_that_are_none_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let good = run(folder.path(), DROP);
    let bad = folder.path().join("bad.riprap");
    let apart = Reader::open(&good).unwrap().frames_of(1).end - 1;
    let noticed = |at: usize, change: &dyn Fn(&mut Frame)| {
        broken(&changed(&good, &bad, |index, frame| {
            if index == at {
                change(frame);
            }
        }))
    };
    assert_eq!(noticed(apart, &|_| ()), Vec::<&str>::new());
    type Fault<'a> = (&'a str, &'a dyn Fn(&mut Frame), &'a str);
    let faults: [Fault; 3] = [
        ("turned", &|frame| frame.state.rotations[3] = DQuat::from_rotation_x(1.0), "apart"),
        ("moving", &|frame| frame.state.velocities[4] = DVec3::X, "apart"),
        ("into a neighbour", &|frame| frame.state.positions[2].z -= 0.1, "overlap"),
    ];
    for (what, change, check) in faults {
        let found = noticed(apart, change);
        assert!(found.contains(&check), "{what}: {found:?}");
    }
    // The start of a phase is where the one before it ended, and is called a start.
    let found = noticed(apart + 1, &|frame| frame.state.positions[2].x += 1e-12);
    assert!(found.contains(&"phases"), "{found:?}");
    let found = noticed(apart + 1, &|frame| frame.kind = StepKind::Settle);
    assert!(found.contains(&"steps"), "{found:?}");
    // Models that the scene does not ask for.
    let other = |number: usize, change: &dyn Fn(&mut Model)| {
        let model = |k: usize, model: &mut Model| {
            if k == number {
                change(model);
            }
        };
        broken(&rewritten(&good, &bad, model, |_, _| ()))
    };
    assert!(other(2, &|model| model.bodies[1].mass *= 2.0).contains(&"scene"));
    assert!(other(1, &|model| model.bodies[1].motion = Motion::Fixed).contains(&"scene"));
    assert!(other(2, &|model| model.phase.time += 1.0).contains(&"phases"));
    assert!(other(2, &|model| model.phase.number = 1).contains(&"phases"));
    let looser = |model: &mut Model| {
        if let Method::Settle(options) = &mut model.method {
            options.accuracy *= 2.0;
        }
    };
    assert!(other(2, &looser).contains(&"scene"));
    // A phase that is missing.
    let reader = Reader::open(&good).unwrap();
    let bytes = std::fs::read(&good).unwrap();
    drop(reader);
    let phase = bytes.windows(4).rposition(|window| window == b"PHAS").unwrap();
    std::fs::write(&bad, &bytes[..phase]).unwrap();
    let verdict = verify(&Reader::open(&bad).unwrap()).unwrap();
    assert_eq!(broken(&verdict), ["ending"]);
}

/// What is quiet in the words of a run was so for ten steps.
#[test]
fn quiet_is_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let good = run(folder.path(), GATE);
    let end = Reader::open(&good).unwrap().frames_of(2).end;
    let bad = folder.path().join("bad.riprap");
    let verdict = changed(&good, &bad, |index, frame| {
        if index == end - 9 {
            frame.state.velocities[0].x = 0.1;
        }
    });
    let ending = verdict.checks.iter().find(|c| c.name == "ending" && c.phase == Some(3)).unwrap();
    assert!(!ending.ok && ending.detail.starts_with("not all is quiet"), "{ending:?}");
}

#[test]
fn what_a_phase_cannot_do_is_refused_by_its_line() {
    let shown = |text: &str| {
        let problem = scene(text).and_then(|scene| riprap::world::build(&scene)).unwrap_err();
        let line = problem.place.and_then(|place| place.line).expect("a line").number;
        let named = text.lines().nth(line - 1).unwrap_or_default().trim().to_string();
        (problem.message, named)
    };
    let cases = [
        ("until = { time = 0.5 }", "until = {}", "needs one of"),
        ("until = { time = 0.5 }", "until = { time = 1, steps = 2 }", "which exclude each other"),
        ("until = { time = 0.5 }", "", "phase 2 does not say when it ends"),
        ("\"lid\"]", "\"led\"]", "there is no group \"led\" of bodies"),
        ("release = [\"lid\"]", "release = [\"balls\"]", "no body of the group \"balls\" is fixed"),
        ("until = { quiet = 0.02 }", "until = { quiet = 0.02 }\nremove = [\"plank\"]", "removed"),
        ("steps = 4000", "step = 4000", "unknown field `dynamics.step`"),
        ("method = \"separate\"", "method = \"compact\"", "`phases.method` must be"),
        (
            "method = \"separate\"",
            "method = \"separate\"\nuntil = { steps = 3 }",
            "`phases.until` is not taken by the method separate of phase 4",
        ),
        (
            "[[phases]]\nmethod = \"settle\"\n[[phases]]\nmethod = \"dynamics\"",
            "[[phases]]\nmethod = \"settle\"\nuntil = { quiet = 1 }\n[[phases]]\nmethod = \"dynamics\"",
            "`phases.until.quiet` is not taken by the method settle of phase 1",
        ),
        (
            "[[phases]]\nmethod = \"settle\"\n[[phases]]\nmethod = \"dynamics\"",
            "[[phases]]\nmethod = \"settle\"\nremove = [\"lid\"]\n[[phases]]\nmethod = \"dynamics\"",
            "the first phase cannot remove anything",
        ),
        (
            "group = \"balls\"",
            "group = \"balls\"\nmotion = \"driven\"",
            "`bodies.motion.driven` is not taken by the method settle of phase 1",
        ),
        (
            "method = \"separate\"",
            "method = \"collapse\"\nuntil = { steps = 2 }",
            "`bodies.rolling` is not taken by the method collapse of phase 4",
        ),
        ("until = { quiet = 0.02 }", "until = { steps = 9 }", "says how long it is"),
        ("name = \"gate\"", "method = \"settle\"", "both `method` and `phases`"),
    ];
    for (old, new, expected) in cases {
        assert!(GATE.contains(old), "{old}");
        let text = GATE.replacen(old, new, 1);
        let (message, line) = shown(&text);
        assert!(message.contains(expected), "{new}: {message}, {line}");
    }
    // Nothing of what the phases do not use is passed over in silence.
    let text = GATE.replace("radius = 0.4", "radius = 0.4\nfriction = 0.3");
    let unused = scene(&text).unwrap().unused().to_vec();
    let keys = |keys: &[&str]| keys.iter().map(|key| key.to_string()).collect::<Vec<_>>();
    let expected = [
        (MethodName::Settle, keys(&["bodies.friction", "bodies.rolling"])),
        (MethodName::Separate, keys(&["gravity", "bodies.friction", "bodies.rolling"])),
    ];
    assert_eq!(unused, expected);
}

/// Settle needs bodies that do not overlap; a run that has others by then fails and says so.
#[test]
fn a_phase_that_cannot_start_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run.riprap");
    let text = DROP.replace("[[phases]]\nmethod = \"separate\"\n", "");
    run_into(&out, &scene(&text).unwrap(), None).unwrap();
    let reader = Reader::open(&out).unwrap();
    let ending = reader.ending().unwrap();
    assert_eq!(ending.outcome, Outcome::Failed);
    let reason = ending.reason.as_deref().unwrap();
    assert!(reason.starts_with("phase 2 cannot begin: "), "{reason}");
    assert!(reason.contains("separate") && ending.seconds > 0.0, "{reason}");
    let verdict = verify(&reader).unwrap();
    assert!(broken(&verdict).contains(&"ending"));
    assert!(verdict.checks.iter().any(|check| check.detail.contains("the run failed: phase 2")));
    assert!(resume(&out).unwrap_err().message.contains("would fail again"));
}

/// Every key of a phase has its effect.
#[test]
fn no_key_of_a_phase_is_without_effect() {
    let end = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let reader = Reader::open(&run(folder.path(), text)).unwrap();
        // What is held has the same hash in every frame, so these are counted, too.
        let end =
            |k: usize| (reader.frames_of(k).end, reader.stored_hash(reader.frames_of(k).end - 1));
        (0..reader.phases().len()).map(end).collect::<Vec<(usize, u64)>>()
    };
    let short = GATE.split("[[phases]]\nmethod = \"separate\"").next().unwrap().to_string()
        + &GATE[GATE.find("[[bodies]]").unwrap()..];
    let as_it_is = end(&short);
    for (old, new) in [
        ("time = 0.5", "time = 0.4"),
        ("time = 0.5", "steps = 40"),
        ("quiet = 0.02", "quiet = 0.001"),
        ("release = [\"lid\"]\n", ""),
        ("remove = [\"plank\"]\n", ""),
        ("method = \"settle\"", "method = \"settle\"\nuntil = { steps = 1 }"),
        ("method = \"settle\"", "method = \"separate\""),
    ] {
        assert_ne!(end(&short.replacen(old, new, 1)), as_it_is, "{new}");
    }
}

/// A run goes on where another one ended, without needing it afterwards.
#[test]
fn a_run_starts_from_a_frame_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let first = run(folder.path(), GATE);
    let earlier = folder.path().join("x.riprap");
    std::fs::rename(first, &earlier).unwrap();
    let reader = Reader::open(&earlier).unwrap();
    let (start, end) = (GATE.find("[[phases]]").unwrap(), GATE.find("[[bodies]]").unwrap());
    let text = |start_from: &str| {
        let released = GATE[end..].replace("motion = \"fixed\"\n\n[dynamics]", "[dynamics]");
        let steps = released.replace("steps = 4000", "steps = 20");
        format!("method = \"dynamics\"\n{}{start_from}\n{steps}", &GATE[..start])
    };
    let file = folder.path().join("next.toml");
    let read = |start_from: &str| Scene::from_text(&text(start_from), &file);
    let out = folder.path().join("next.riprap");

    // The plank is gone in a late frame: a scene without it goes on from there.
    let late = "start = { run = \"x.riprap\" }";
    let problem = run_into(&out, &read(late).unwrap(), None).unwrap_err();
    assert!(problem.message.contains("4 in the scene, 3 in the run"), "{problem}");
    assert!(problem.help.unwrap().contains("gone") && problem.place.unwrap().line.is_some());
    let whole = text(late);
    let plank = whole.find("[[bodies]]\ngroup = \"plank\"").unwrap();
    let next = plank + 1 + whole[plank + 1..].find("[[bodies]]").unwrap();
    let without = format!("{}{}", &whole[..plank], &whole[next..]);
    run_into(&out, &Scene::from_text(&without, &file).unwrap(), None).unwrap();
    let (gone_on, _) = verified(&out);
    let left = reader.frame(reader.len() - 1).unwrap().state;
    let places = [0, 1, 3].map(|body| left.positions[body]);
    assert_eq!(gone_on.frame(0).unwrap().state.positions, places);
    drop(gone_on);
    std::fs::remove_file(&out).unwrap();

    let rest = reader.frames_of(0).end - 1;
    let scene = read(&format!("start = {{ run = \"x.riprap\", frame = {rest} }}")).unwrap();
    run_into(&out, &scene, None).unwrap();
    std::fs::rename(&earlier, folder.path().join("away.riprap")).unwrap();
    let (next, _) = verified(&out);
    let origin = next.model().origin.clone().unwrap();
    assert_eq!((origin.run.as_str(), origin.frame), ("x.riprap", rest));
    assert_eq!(origin.hash, reader.stored_hash(rest));
    assert_eq!(next.stored_hash(0), reader.stored_hash(rest));
    let bad = folder.path().join("bad.riprap");
    let moved = changed(&out, &bad, |index, frame| {
        if index == 0 {
            frame.state.positions[0].x += 1e-9;
        }
    });
    assert!(broken(&moved).contains(&"scene"));
    std::fs::rename(folder.path().join("away.riprap"), &earlier).unwrap();

    // Other bodies are named.
    let with = |old: &str, new: &str| {
        let start = format!("start = {{ run = \"x.riprap\", frame = {rest} }}");
        let text = text(&start).replace(old, new);
        let scene = Scene::from_text(&text, &file).unwrap();
        run_into(&folder.path().join("other.riprap"), &scene, None).unwrap_err().message
    };
    let expected = "the radius of body 0 is 0.3 in the scene, 0.4 in the run";
    assert!(with("radius = 0.4", "radius = 0.3").contains(expected));
    assert!(with("group = \"lid\"", "group = \"top\"").contains("the group of body 3"));
    assert!(with(", [0.5, 0.1, 5.2]]", "]").contains("3 in the scene, 4 in the run"));
    assert!(with(&format!("frame = {rest}"), "frame = 99999").contains("there is no frame 99999"));
    assert!(with("x.riprap", "y.riprap").contains("cannot open the run file"));
    // And the frame counts.
    let other = read("start = { run = \"x.riprap\", frame = 3 }");
    let second = folder.path().join("second.riprap");
    run_into(&second, &other.unwrap(), None).unwrap();
    assert_ne!(Reader::open(&second).unwrap().stored_hash(20), next.stored_hash(20));
}

/// What a program with soft contacts leaves, spheres that overlap by half a percent, is taken apart
/// by the least movement and settles; sizes, masses and types stay as they were, and a file of the
/// rest starts the next run as it is.
#[test]
fn overlaps_of_other_programs_are_taken_apart() {
    let folder = tempfile::tempdir().unwrap();
    let mut dump = "ITEM: TIMESTEP\n100\nITEM: NUMBER OF ATOMS\n18\nITEM: BOX BOUNDS ff ff ff\n\
                    0 3\n0 3\n0 9\nITEM: ATOMS type id z y x radius mass\n"
        .to_string();
    // From the last to the first, each layer pressed into the one below.
    for k in (0..18).rev() {
        let [x, y, z] = [k % 3, k / 3 % 3, k / 9].map(f64::from);
        let (x, y, z) = (0.5 + 0.9975 * x, 0.5 + 0.9975 * y, 0.4975 + 0.995 * z);
        dump += &format!("{} {} {z} {y} {x} 0.5 {}\n", 1 + k % 2, k + 1, 1.0 + f64::from(k));
    }
    std::fs::write(folder.path().join("dem.dump"), dump).unwrap();
    let text = |start: &str| {
        format!(
            "{start}[container]\nshape = \"box\"\nmin = [0, 0, 0]\nmax = [3.02, 3.1, 9]\n\
             [[bodies]]\ngroup = \"lead\"\nfile = \"dem.dump\"\ntype = 2\n\
             [[bodies]]\ngroup = \"glass\"\nfile = \"dem.dump\"\ntype = 1\n"
        )
    };
    let scene = |start: &str| {
        riprap::Scene::from_text(&text(start), &folder.path().join("dem.toml")).unwrap()
    };
    let problem = riprap::build(&scene("")).unwrap_err();
    assert!(problem.help.as_ref().unwrap().contains("start = { separate = true }"), "{problem}");

    let path = folder.path().join("dem.riprap");
    run_into(&path, &scene("start = { separate = true }\n"), None).unwrap();
    let run = Run::read(&path);
    assert_eq!(run.ending.outcome, Outcome::Rest);
    let reader = Reader::open(&path).unwrap();
    assert!(riprap::verify(&reader).unwrap().ok);
    assert_eq!(reader.phases().len(), 2);
    let bodies = &run.model.bodies;
    let masses: Vec<f64> = bodies.iter().map(|body| body.mass).collect();
    let expected = (0..9).map(|k| 2.0 * f64::from(k) + 2.0);
    assert_eq!(masses[..9], expected.collect::<Vec<_>>());
    assert!(bodies[..9].iter().all(|body| body.group == 0));

    // The same in one line, one group for each type, by their numbers.
    let short = "start = { file = \"dem.dump\", separate = true }\n\
                 container = { shape = \"box\", min = [0, 0, 0], max = [3.02, 3.1, 9] }\n";
    let read = |text: &str| riprap::Scene::from_text(text, &folder.path().join("dem.toml"));
    let (model, state) = riprap::build(&read(short).unwrap()).unwrap();
    assert_eq!(model.groups, ["1", "2"]);
    let of_lead = model.bodies.iter().filter(|body| body.group == 1).map(|body| body.mass);
    assert!(of_lead.eq(masses[..9].iter().copied()));
    assert_eq!(state.positions.len(), run.frames[0].state.positions.len());
    let both = format!("{short}[[bodies]]\nradius = 1\nposition = [0, 0, 1]\n");
    let problem = read(&both).err().unwrap();
    assert!(problem.message.contains("`start.file` has all bodies"), "{problem}");
    let problem = read(&short.replace("dem.dump", "none.dump")).err().unwrap();
    assert!(problem.message.contains("cannot read"), "{problem}");

    // Nobody moved by more than a few overlaps before they settled.
    let apart = &run.frames[reader.frames_of(0).end - 1].state;
    let start = &run.frames[0].state;
    let moved = apart.positions.iter().zip(&start.positions).map(|(a, b)| a.distance(*b));
    let farthest = moved.fold(0.0, f64::max);
    assert!(farthest > 1e-3 && farthest < 0.03, "{farthest}");
}
