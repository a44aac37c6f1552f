//! Bodies of every shape settle and layouts are compacted without overlap, to a
//! proved rest, by the check that shares no code with the method.

use crate::common::{resume, run_into, scene};
use riprap::layout::Layout;
use riprap::math::{OVERLAP_LIMIT, RESIDUAL_LIMIT, Random};
use riprap::run::{Keep, compact_into};
use riprap::scene::{Scene, gallery};
use riprap::step::compact::Options;
use riprap::trajectory::{Contact, Outcome, Reader, StepKind, With};
use riprap::verify::{Verdict, verify};
use std::path::Path;

/// One of every shape, turned or not, and balls between them.
const PILE: &str = r#"
seed = 3
container = { shape = "profile", corners = [[0, 1.5], [2, 3], [14, 3]], sides = 10 }
[[bodies]]
group = "boxes"
random = { count = 3, min = [-3, -3, 2] }
shape = { kind = "box", size = [1.2, 0.9, 0.6] }
turn = "random"
[[bodies]]
group = "jacks"
random = { count = 3, min = [-3, -3, 2] }
shape = { kind = "cubes", size = 0.3, cells = [[0, 0, 0], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]] }
turn = "random"
[[bodies]]
group = "arches"
random = { count = 2, min = [-3, -3, 2] }
shape = { kind = "prism", corners = [[0, 0], [0.4, 0], [0.4, 0.5], [0.9, 0.5], [0.9, 0], [1.3, 0], [1.3, 0.9], [0, 0.9]], height = 0.5 }
turn = "upright"
[[bodies]]
group = "rounded"
random = { count = 2, min = [-3, -3, 2] }
shape = { kind = "hull", points = [[0, 0, 0], [0.8, 0, 0], [0, 0.8, 0], [0, 0, 0.8]], rounding = 0.2 }
turn = "random"
[[bodies]]
group = "balls"
random = { count = 4, min = [-3, -3, 2] }
radius = 0.4
[[bodies]]
group = "post"
positions = [[0, 0, 0.5]]
shape = { kind = "box", size = [0.3, 0.3, 1] }
motion = "fixed"
"#;

/// Flat pieces and circles between teeth.
const FLAT: &str = r#"
dimension = 2
seed = 5
[container]
shape = "polygon"
corners = [[0, 0], [2, 1], [3, 0], [5, 1.5], [7, 0], [7, 14], [0, 14]]
[[bodies]]
group = "ells"
random = { count = 6, min = [0, 2] }
shape = { kind = "polygon", corners = [[0, 0], [1.2, 0], [1.2, 0.4], [0.4, 0.4], [0.4, 1], [0, 1]] }
turn = "upright"
[[bodies]]
group = "frames"
random = { count = 2, min = [0, 2] }
shape = { kind = "polygon", corners = [[0, 0], [1.4, 0], [1.4, 1.4], [0, 1.4]], holes = [[[0.2, 0.2], [1.2, 0.2], [1.2, 1.2], [0.2, 1.2]]] }
turn = "upright"
[[bodies]]
group = "disks"
random = { count = 5, min = [0, 2] }
radius = 0.35
[[bodies]]
group = "bars"
random = { count = 3, min = [0, 2] }
shape = { kind = "box", size = [1.3, 0.3] }
turn = "upright"
"#;

fn verdict(path: &Path) -> Verdict {
    verify(&Reader::open(path).unwrap()).unwrap()
}

/// Runs a scene, which must keep every promise; what was found.
fn kept(scene: &Scene) -> (Verdict, Reader) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.riprap");
    run_into(&path, scene, None).unwrap_or_else(|problem| panic!("{problem}"));
    let verdict = verdict(&path);
    assert!(verdict.ok(), "{}: {:#?}", scene.name, verdict.checks);
    assert_eq!(verdict.outcome, Some(Outcome::Rest), "{}", scene.name);
    assert!(verdict.max_overlap.unwrap() <= OVERLAP_LIMIT);
    assert!(verdict.max_overlap_between_frames.unwrap() <= OVERLAP_LIMIT);
    assert!(verdict.residual.unwrap() <= RESIDUAL_LIMIT);
    (verdict, Reader::open(&path).unwrap())
}

#[test]
fn a_pile_of_every_shape_comes_to_a_proved_rest() {
    let (_, reader) = kept(&scene("pile", PILE));
    let contacts = &reader.ending().unwrap().contacts;
    let is_no_ball = |body: u32| reader.model().shape(body as usize).is_ball().is_none();
    let (bodies, walls): (Vec<&Contact>, Vec<&Contact>) = contacts
        .iter()
        .filter(|contact| is_no_ball(contact.body))
        .partition(|contact| matches!(contact.with, With::Body(_)));
    assert!(!bodies.is_empty() && !walls.is_empty(), "{contacts:?}");
    // What is fixed stands, and everybody else has come down.
    let last = reader.frame(reader.len() - 1).unwrap();
    assert_eq!(last.state.positions[14].z, 0.5);
    assert!(last.state.positions[..14].iter().all(|p| p.z < 7.0));
}

#[test]
fn flat_pieces_come_to_a_proved_rest() {
    kept(&scene("flat", FLAT));
}

/// A box on a box, a corner of a flat square on a corner: where normals are a choice is said.
#[test]
fn contacts_say_where_the_normal_was_a_choice() {
    let text = r#"
        dimension = 2
        container = { shape = "box", min = [0, 0], max = [6, 6] }
        [[bodies]]
        positions = [[2, 0.5], [2.2, 2], [4.5, 0.8]]
        shape = { kind = "box", size = [1, 1] }
    "#;
    let (_, reader) = kept(&scene("squares", text));
    let contacts = &reader.ending().unwrap().contacts;
    let loaded = contacts.iter().filter(|contact| contact.pressure() > 0.5);
    assert!(loaded.clone().count() >= 3);
    assert!(loaded.clone().all(|contact| !contact.choice));
    // A diamond whose tip stands exactly on the tip of a fixed one.
    let tips = r#"
        dimension = 2
        container = { shape = "box", min = [0, 0], max = [6, 6] }
        [[bodies]]
        group = "foot"
        positions = [[3, 1]]
        shape = { kind = "polygon", corners = [[0, -1], [1, 0], [0, 1], [-1, 0]] }
        motion = "fixed"
        [[bodies]]
        group = "top"
        positions = [[3, 3.5]]
        shape = { kind = "polygon", corners = [[0, -1], [1, 0], [0, 1], [-1, 0]] }
    "#;
    let (_, reader) = kept(&scene("tips", tips));
    let contacts = &reader.ending().unwrap().contacts;
    let choices = contacts.iter().filter(|contact| contact.choice);
    assert_eq!(choices.count(), 1, "{contacts:?}");
}

#[test]
fn runs_with_shapes_go_on_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, cut] = ["whole", "cut"].map(|name| folder.path().join(name));
    let scene = scene("pile", PILE);
    run_into(&whole, &scene, None).unwrap();
    run_into(&cut, &scene, Some(17)).unwrap();
    resume(&cut).unwrap();
    assert_eq!(verdict(&whole).hash, verdict(&cut).hash);
    assert_eq!(
        Reader::open(&cut).unwrap().model().shapes,
        Reader::open(&whole).unwrap().model().shapes
    );
}

/// The paper needed five jumps or fewer.
#[test]
fn many_polygons_are_compacted_in_a_few_jumps() {
    let (verdict, reader) = kept(&gallery::scene("compaction").unwrap());
    let corners = reader.model().shapes.iter().map(|shape| shape.pieces.len());
    assert!(reader.model().bodies.len() > 100 && corners.max().unwrap() > 1);
    assert!(verdict.frames - 1 <= 10, "{} jumps", verdict.frames - 1);
}

#[test]
fn a_jigsaw_closes_up_to_the_skin() {
    kept(&gallery::scene("jigsaw").unwrap());
    let mut layout = Layout::jigsaw(10, 7, 1.1, 2).unwrap();
    let options = Options { corner: true, hops: false, ..Options::default() };
    riprap::step::compact::compact(&mut layout, &options, |_, _| {}).unwrap();
    assert!(riprap::verify::verify_layout(&layout, 0.0).unwrap().ok());
    assert!((layout.density() - 1.0).abs() < 1e-7, "{}", layout.density());
}

/// Overlap is taken apart first; the run says so, and keeps its promises from there on.
#[test]
fn a_shaken_layout_is_kept_as_a_run() {
    let mut layout = Layout::jigsaw(5, 4, 1.02, 3).unwrap();
    let random = &mut Random::new(1);
    for placed in &mut layout.placed {
        placed.translation = placed.translation.map(|x| x + random.between(-0.05, 0.05));
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("shaken.riprap");
    let keep = Keep { out: &out, force: false, scene_text: "", seed: 0 };
    let report = compact_into(&mut layout, &Options::default(), &keep).unwrap();
    assert!(report.overlap_start > 0.0 && report.separation[0] > 0.0);
    let reader = Reader::open(&out).unwrap();
    assert_eq!(reader.frame(1).unwrap().kind, StepKind::Separate);
    let verdict = verify(&reader).unwrap();
    assert!(verdict.ok(), "{:#?}", verdict.checks);
    assert_eq!(verdict.max_overlap, Some(0.0));
}

/// What is no shape is refused by name, at its place.
#[test]
fn bad_shapes_are_refused() {
    let refused = |shape: &str, dimension: usize| {
        let container = if dimension == 2 {
            "min = [0, 0], max = [9, 9]"
        } else {
            "min = [0, 0, 0], max = [9, 9, 9]"
        };
        let place = if dimension == 2 { "[4, 4]" } else { "[4, 4, 4]" };
        let text = format!(
            "dimension = {dimension}\ncontainer = {{ shape = \"box\", {container} }}\n[[bodies]]\n\
             positions = [{place}]\nshape = {{ {shape} }}\n"
        );
        let built = Scene::from_text(&text, Path::new("bad.toml"))
            .and_then(|scene| riprap::world::build(&scene).map(|_| ()));
        let problem = built.unwrap_err();
        problem.to_string()
    };
    let bow = "kind = \"polygon\", corners = [[0, 0], [1, 1], [1, 0], [0, 1]]";
    assert!(refused(bow, 2).contains("cuts or touches itself"));
    assert!(
        refused("kind = \"polygon\", corners = [[0, 0], [1, 1], [2, 2]]", 2).contains("bad.toml:5")
    );
    assert!(
        refused("kind = \"hull\", points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]", 3)
            .contains("plane")
    );
    assert!(
        refused("kind = \"hull\", points = [[0, 0], [1, 1], [2, 2]]", 2).contains("on one line")
    );
    assert!(refused("kind = \"box\", size = [1, 0, 1]", 3).contains("positive number"));
    assert!(refused("kind = \"bell\"", 3).contains("must be `ball`, `capsule`"));
    assert!(
        refused("kind = \"polygon\", corners = [[0, 0], [1, 0], [0, 1]]", 3)
            .contains("needs a 2D scene")
    );
    assert!(refused("kind = \"cubes\", cells = [[0, 0, 0.5]]", 3).contains("not on the grid"));
    assert!(refused("kind = \"cubes\", cells = [[0, 0, 0], [1, 1, 0]]", 3).contains("bad.toml:5"));
    assert!(refused("kind = \"mesh\", file = \"nowhere.stl\"", 3).contains("cannot read"));
    assert!(
        refused("kind = \"box\", size = [20, 1, 1]", 3).contains("sticks out of the container")
    );
    // Clockwise is only the other way round.
    let clockwise = "container = { shape = \"box\", min = [0, 0], max = [9, 9] }\ndimension = 2\n\
        [[bodies]]\npositions = [[4, 4]]\nshape = { kind = \"polygon\", corners = [[0, 0], [0, 1], [1, 0]] }\n";
    let (model, _) = riprap::world::build(&scene("clockwise", clockwise)).unwrap();
    assert!((model.shapes[0].mass.volume - 0.5).abs() < 1e-15);
    let overlapping = "container = { shape = \"box\", min = [0, 0], max = [9, 9] }\ndimension = 2\n\
        [[bodies]]\npositions = [[4, 4], [4.5, 4]]\nshape = { kind = \"box\", size = [1, 1] }\n";
    let problem = riprap::world::build(&scene("overlap", overlapping)).unwrap_err();
    assert!(
        problem.message.contains("bodies") || problem.message.contains("overlap by"),
        "{problem}"
    );
}
