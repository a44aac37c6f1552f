//! Promise: bodies start where the scene or a file says; `random` offers only places that the scene's
//! own check accepts, and finds those that there are; what a file says in vain is named.

use riprap::math::DVec3;
use riprap::{Problem, Scene, State, build};

fn start(text: &str) -> Result<State, Problem> {
    build(&Scene::from_text(text, "random.toml".as_ref())?).map(|(_, state)| state)
}

const ELL: &str = "shape = 'polygon'\ncorners = [[0,0],[10,0],[10,3],[3,3],[3,10],[0,10]]";
const NARROW_ELL: &str = "shape = 'polygon'\ncorners = [[0,0],[10,0],[10,1],[1,1],[1,10],[0,10]]";
const STAR: &str = "shape = 'polygon'\ncorners = \
                    [[0,0],[5,4],[10,0],[6,5],[10,10],[5,6],[0,10],[4,5]]";
const TROUGH: &str = "shape = 'box'\nmin = [0, 0]\nmax = [3, 10]";
const BAR: &str = "shape = { kind = 'box', size = [2.5, 1] }\nturn = 'upright'";
const THIN: &str = "shape = { kind = 'box', size = [1.5, 0.2] }\nturn = 'upright'";
const HOOK: &str = "shape = { kind = 'polygon', corners = \
                    [[0,0],[3,0],[3,0.5],[0.5,0.5],[0.5,3],[0,3]] }";

/// Boxes about flat bodies always touch across the plane: they say nothing of being apart.
#[test]
fn flat_bodies_get_places_of_their_own() {
    let mut placed = 0;
    for (container, body, count) in [
        (ELL, BAR, 6),
        (TROUGH, BAR, 5),
        (STAR, THIN, 8),
        (NARROW_ELL, HOOK, 6),
        (ELL, "radius = 0.9", 7),
        (ELL, THIN, 30),
    ] {
        for seed in 0..4 {
            let text = format!(
                "dimension = 2\nseed = {seed}\n[container]\n{container}\n[[bodies]]\n\
                 random = {{ count = {count} }}\n{body}"
            );
            match start(&text) {
                Ok(_) => placed += 1,
                Err(problem) => {
                    assert!(problem.message.contains("fitted at random"), "{problem}\n{text}");
                }
            }
        }
    }
    assert!(placed >= 12, "{placed} of 24");
}

/// Of random places for a ball in a box that it all but fills, hardly any is free.
#[test]
fn balls_that_fit_tightly_are_placed() {
    for (size, count, radius) in
        [([2.0, 2.0, 2.0], 1, 1.0), ([2.0, 2.0, 2.0], 1, 0.999), ([2.0, 2.0, 6.1], 3, 1.0)]
    {
        let text = format!(
            "[container]\nshape = 'box'\nmin = [0, 0, 0]\nmax = {size:?}\n[[bodies]]\n\
             radius = {radius:?}\nrandom = {{ count = {count} }}"
        );
        let state = start(&text).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
        assert_eq!(state.positions.len(), count);
    }
}

#[test]
fn what_cannot_fit_is_told_with_its_size() {
    let text = "[container]\nshape = 'box'\nmin = [0, 0, 0]\nmax = [2, 2, 20]\n[[bodies]]\n\
                radius = 0.5\nrandom = { count = 3, clearance = 0.6 }";
    let problem = start(text).unwrap_err();
    let help = problem.help.unwrap();
    assert!(help.contains("2.2 across with its clearance, the region 2 x 2 x 20"), "{help}");
}

/// A scene whose bodies are those of a file.
fn of_file(rest: &str, csv: &str) -> (tempfile::TempDir, Scene) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("b.csv"), csv).unwrap();
    let file = folder.path().join("s.toml");
    std::fs::write(&file, format!("{rest}\n[[bodies]]\nfile = 'b.csv'\n")).unwrap();
    let scene = Scene::from_file(&file).unwrap();
    (folder, scene)
}

#[test]
fn bodies_start_as_their_file_moves_them() {
    let text = "\u{feff}x,y,z,radius,vx,note\n0,0,0,1,5,a\n9,0,0,1,0,b\n";
    let (_folder, scene) = of_file("method = 'dynamics'", text);
    let (_, state) = build(&scene).unwrap();
    assert_eq!(state.velocities, [5.0 * DVec3::X, DVec3::ZERO]);
    assert_eq!(scene.unread(), [("b.csv".into(), vec!["note".to_string()])]);
    let (_folder, settles) = of_file("", text);
    assert_eq!(settles.unread()[0].1, ["note", "velocities"]);
}

#[test]
fn columns_of_boxes_without_a_meaning_are_named() {
    let text = "x;y;z;width;depth;height;angle;colour\n0;0;0;1;1;1;0;red\n";
    let (_folder, scene) = of_file("method = 'dynamics'", text);
    assert_eq!(build(&scene).unwrap().0.bodies.len(), 1);
    assert_eq!(scene.unread()[0].1, ["angle", "colour"]);
}

#[test]
fn velocities_are_given_once() {
    let text = "x,y,z,radius,vx\n0,0,0,1,5\n";
    let (folder, _) = of_file("method = 'dynamics'", text);
    let file = folder.path().join("s.toml");
    let both = std::fs::read_to_string(&file).unwrap() + "spin = [0, 0, 1]\n";
    std::fs::write(&file, both).unwrap();
    let problem = build(&Scene::from_file(&file).unwrap()).unwrap_err();
    assert!(problem.message.starts_with("`bodies.spin` is given, but"), "{problem}");
}
