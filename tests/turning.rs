//! Bodies that turn while they settle: small cases with known ends, heaps whose every promise
//! `verify` keeps, and refusals.

use std::sync::Arc;

use crate::common::{Run, changed, run_into, scene};
use riprap::math::DVec3;
use riprap::step::{Progress, stepper};
use riprap::trajectory::{Frame, Reader, StepKind, With};
use riprap::verify::verify;
use riprap::world::build;

const ROOM: &str = "gravity = [0, 0, -1]
    [container]
    shape = \"box\"
    min = [-3, -3, 0]
    max = [3, 3, 12]
";

/// Runs a scene to a rest that is proved, and has the run verified.
fn settled(text: &str) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.riprap");
    let scene = scene("turning", text);
    run_into(&path, &scene, Some(1000)).unwrap_or_else(|problem| panic!("{problem}"));
    let verdict = verify(&Reader::open(&path).unwrap()).unwrap();
    let broken: Vec<_> = verdict.checks.iter().filter(|check| !check.ok).collect();
    assert!(broken.is_empty(), "{broken:?}");
    assert_eq!(verdict.stable_to_second_order, Some(true));
    Run::read(&path)
}

#[test]
fn a_cube_on_its_edge_escapes_and_falls_flat() {
    let cube = "[[bodies]]
        shape = { kind = \"box\", size = [1, 1, 1] }
        position = [0, 0, 0.7071067811865476]
        turn = [45, 0, 0]
        rotate = true";
    let run = settled(&format!("{ROOM}{cube}"));
    assert!(run.frames.iter().any(|frame| frame.kind == StepKind::Escape));
    assert!((run.last().state.positions[0].z - 0.5).abs() < 1e-6);
    let [contact] = &run.ending.contacts[..] else { panic!("it lies on the floor") };
    assert!((contact.pressure() - 1.0).abs() < 1e-9);
    // Without turning it stays on its edge.
    let locked = settled(&format!("{ROOM}{}", cube.replace("true", "false")));
    assert!((locked.last().state.positions[0].z - 0.5_f64.sqrt()).abs() < 1e-5);
}

/// A brick of length 2 on a fixed block whose edge is at x = 0, its centre at x.
fn overhanging(x: f64) -> Run {
    settled(&format!(
        "{ROOM}[[bodies]]
        group = \"block\"
        shape = {{ kind = \"box\", size = [2, 2, 1] }}
        position = [-1, 0, 0.5]
        motion = \"fixed\"
        [[bodies]]
        shape = {{ kind = \"box\", size = [2, 0.5, 0.4] }}
        position = [{x:?}, 0, 1.2]
        rotate = true"
    ))
}

#[test]
fn a_brick_tips_from_half_of_it_on() {
    let stays = overhanging(-1e-3);
    assert!((stays.last().state.positions[1].z - 1.2).abs() < 1e-6);
    let falls = overhanging(1e-3);
    assert!(falls.last().state.positions[1].z < 0.9, "{}", falls.last().state.positions[1]);
}

/// A capsule in a groove of a right angle presses on each side with its weight over sqrt 2.
#[test]
fn a_capsule_in_a_groove_presses_on_both_sides() {
    let half = 0.5_f64.sqrt();
    let run = settled(&format!(
        "{ROOM}[[bodies]]
        group = \"groove\"
        shape = {{ kind = \"box\", size = [2, 2, 2] }}
        positions = [[{left:?}, 0, 0.5], [{right:?}, 0, 0.5]]
        turn = [0, 45, 0]
        motion = \"fixed\"
        [[bodies]]
        shape = {{ kind = \"capsule\", radius = 0.25, length = 1 }}
        position = [0.05, 0, 2.4]
        turn = [80, 10, 0]
        mass = 2
        rotate = true",
        left = -2.0 * half - 0.05,
        right = 2.0 * half + 0.05,
    ));
    let on_capsule: Vec<f64> = run.ending.contacts.iter().map(|c| c.pressure()).collect();
    assert_eq!(on_capsule.len(), 2, "{:?}", run.ending.contacts);
    for force in on_capsule {
        assert!((force - 2.0 * half).abs() < 1e-7, "{force}");
    }
}

/// Two cylinders that lie between walls bear a third one, as three circles do.
#[test]
fn three_cylinders_lie_on_each_other_as_on_paper() {
    let (radius, apart) = (0.5, 0.7);
    let run = settled(&format!(
        "gravity = [0, 0, -1]
        [container]
        shape = \"box\"
        min = [{low:?}, -3, 0]
        max = [{high:?}, 3, 12]
        [[bodies]]
        shape = {{ kind = \"cylinder\", radius = {radius:?}, length = 1 }}
        positions = [[{left:?}, 0, 0.501], [{right:?}, 0.2, 0.501], [0.05, -0.1, 1.7]]
        turn = [90, 0, 0]
        mass = 1
        rotate = true",
        low = -apart - radius - 1e-3,
        high = apart + radius + 1e-3,
        left = -apart,
        right = apart,
    ));
    let sine: f64 = (apart + 1e-3) / (2.0 * radius);
    let cosine = (1.0 - sine * sine).sqrt();
    // Each lower one presses on the floor, on its wall and on the one above it.
    let mut expected =
        [1.5, 1.5, 0.5 / cosine, 0.5 / cosine, 0.5 * sine / cosine, 0.5 * sine / cosine];
    let mut found: Vec<f64> = run.ending.contacts.iter().map(|c| c.pressure()).collect();
    found.sort_by(f64::total_cmp);
    expected.sort_by(f64::total_cmp);
    assert_eq!(found.len(), expected.len(), "{:?}", run.ending.contacts);
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-7, "{found:?} instead of {expected:?}");
    }
    let height = run.last().state.positions[2].z;
    assert!((height - radius - 2.0 * radius * cosine).abs() < 1e-7, "{height}");
}

/// Pellets in a tube: cylinders as they are, upright, lying and leaning.
#[test]
fn a_heap_of_cylinders_in_a_tube_is_proved() {
    let run = settled(
        "seed = 4
        [container]
        shape = \"cylinder\"
        radius = 1.6
        bottom = 0
        top = 14
        [[bodies]]
        shape = { kind = \"cylinder\", radius = 0.5, length = 1 }
        turn = \"random\"
        rotate = true
        random = { count = 10 }",
    );
    assert!(run.ending.certificate.unwrap().residual < 1e-7);
}

/// Boxes, hulls, capsules and balls of different sizes in one heap.
#[test]
fn a_mixed_heap_is_proved() {
    let run = settled(&format!(
        "{ROOM}[[bodies]]
        shapes = [
            {{ kind = \"box\", size = [1.2, 0.8, 0.5] }},
            {{ kind = \"capsule\", radius = 0.3, length = 0.8 }},
            {{ kind = \"hull\", points = [[0, 0, 0], [1.2, 0, 0], [0, 1, 0], [0, 0, 0.9], [1.2, 0, 0.3]] }},
        ]
        random = {{ count = 9, min = [-3, -3, 0], max = [3, 3, 6] }}
        turn = \"random\"
        rotate = true
        [[bodies]]
        radius = 0.4
        random = {{ count = 3, min = [-3, -3, 0], max = [3, 3, 6] }}"
    ));
    assert!(run.ending.certificate.unwrap().residual < 1e-7);
}

/// Every capsule can spin about its axis without anything that holds it, beside rows that press.
#[test]
fn a_heap_of_capsules_in_a_tube_is_proved() {
    let run = settled(
        "seed = 2
        [container]
        shape = \"cylinder\"
        radius = 2
        bottom = 0
        top = 12
        [[bodies]]
        shape = { kind = \"capsule\", radius = 0.3, length = 0.6 }
        turn = \"random\"
        rotate = true
        random = { count = 24 }",
    );
    let certificate = run.ending.certificate.unwrap();
    assert!(certificate.residual < 1e-7, "{}", certificate.residual);
    let loose = certificate.unknowns - certificate.rank;
    assert!(loose >= 24, "{loose}");
}

#[test]
fn polygons_turn_in_the_plane() {
    let run = settled(
        "dimension = 2
        gravity = [0, -1]
        [container]
        shape = \"box\"
        min = [0, 0]
        max = [5, 12]
        [[bodies]]
        shape = { kind = \"polygon\", corners = [[0, 0], [1, 0], [1.3, 0.6], [0.5, 1.1], [-0.2, 0.6]] }
        random = { count = 12, min = [0, 0], max = [5, 12] }
        turn = \"upright\"
        rotate = true",
    );
    assert!(run.last().state.positions.iter().all(|p| p.z == 0.0));
    assert!(run.last().state.rotations.iter().all(|q| q.x == 0.0 && q.y == 0.0));
}

/// What is changed in a run that turns is noticed: a plane that cuts, a body that is turned.
#[test]
fn planted_faults_are_caught() {
    let folder = tempfile::tempdir().unwrap();
    let [path, out] = ["run.riprap", "changed.riprap"].map(|name| folder.path().join(name));
    let text = format!(
        "{ROOM}[[bodies]]
        group = \"block\"
        shape = {{ kind = \"box\", size = [2, 2, 1] }}
        position = [0, 0, 0.5]
        motion = \"fixed\"
        [[bodies]]
        shape = {{ kind = \"box\", size = [1, 1, 1] }}
        position = [0.2, 0.1, 2]
        turn = [5, 10, 30]
        rotate = true"
    );
    run_into(&path, &scene("planted", &text), Some(1000)).unwrap();
    let broken = |change: &dyn Fn(&mut Frame)| -> Vec<&'static str> {
        let last = Run::read(&path).frames.len() - 1;
        let change = |index: usize, frame: &mut Frame| {
            if index == last {
                change(frame);
            }
        };
        let verdict = changed(&path, &out, change);
        verdict.checks.iter().filter(|check| !check.ok).map(|check| check.name).collect()
    };
    assert!(broken(&|_| ()).is_empty());
    let tilted = broken(&|frame| {
        assert!(!frame.trace.planes.is_empty());
        for plane in &mut frame.trace.planes {
            let across = plane.normal.any_orthonormal_vector();
            plane.normal = (plane.normal + 1e-3 * across).normalize();
            plane.tilt -= plane.normal * plane.tilt.dot(plane.normal);
        }
    });
    assert_eq!(tilted, ["overlap between frames"]);
    let cut = broken(&|frame| frame.trace.planes[0].offset += 1e-3);
    assert_eq!(cut, ["overlap between frames"]);
    let stranger = broken(&|frame| frame.trace.planes[0].with = With::Body(9));
    assert_eq!(stranger, ["overlap between frames"]);
    let turned = broken(&|frame| {
        let more = riprap::DQuat::from_rotation_x(1e-4);
        frame.state.rotations[1] = more * frame.state.rotations[1];
    });
    assert!(turned.contains(&"overlap between frames"), "{turned:?}");
}

/// Another stepper goes on to the same bits, from the state and the memory.
#[test]
fn turning_goes_on_after_a_pause() {
    let text = format!(
        "{ROOM}[[bodies]]
        shape = {{ kind = \"box\", size = [1.2, 0.8, 0.5] }}
        random = {{ count = 5, min = [-2, -2, 0], max = [2, 2, 6] }}
        turn = \"random\"
        rotate = true"
    );
    let (model, mut state) = build(&scene("pause", &text)).unwrap();
    let model = Arc::new(model);
    let mut first = stepper(&model, &state, None, || 0.0).unwrap();
    for _ in 0..6 {
        first.step(&mut state).unwrap();
    }
    let mut other = state.clone();
    let mut second = stepper(&model, &other, Some(&first.memory()), || 0.0).unwrap();
    for _ in 0..3 {
        let ends = [first.step(&mut state), second.step(&mut other)];
        assert!(ends.iter().all(|end| matches!(end, Ok(Progress::Moved(_)))));
    }
    assert_eq!(state, other);
    assert_ne!(state.positions[0], DVec3::ZERO);
}

#[test]
fn what_cannot_be_done_while_turning_is_refused() {
    let body = "[[bodies]]
        shape = { kind = \"box\", size = [1, 1, 1] }
        positions = [[0, 0, 1], [0, 0, 3]]
        rotate = true
        group = \"two\"
        ";
    let refused = |more: &str| {
        let (model, state) = build(&scene("refused", &format!("{ROOM}{body}{more}"))).unwrap();
        let told = stepper(&Arc::new(model), &state, None, || 0.0).err();
        told.map(|problem| problem.message).unwrap_or_default()
    };
    assert_eq!(refused(""), "");
    let force =
        "[[forces]]\ngroup = \"two\"\nbetween = \"all\"\nlaw = \"attraction\"\nstrength = 1";
    assert!(refused(force).contains("forces other than gravity"), "{}", refused(force));
    let option = refused("[settle]\nsmoothing = 0.2");
    assert!(option.contains("`settle.smoothing`"), "{option}");
}

/// Without friction nothing holds the foot of a ladder.
#[test]
fn a_ladder_slides_down_to_the_floor() {
    // Its corners are just off the wall at x = -3 and the floor.
    let angle = 60_f64.to_radians();
    let (along, across) = (2.0, 0.1);
    let x = -3.0 + along * angle.cos() + across * angle.sin() + 1e-3;
    let z = along * angle.sin() + across * angle.cos() + 1e-3;
    let run = settled(&format!(
        "{ROOM}[[bodies]]
        shape = {{ kind = \"box\", size = [4, 0.6, 0.2] }}
        position = [{x:?}, 0, {z:?}]
        turn = [0, 60, 0]
        rotate = true",
    ));
    let height = run.last().state.positions[0].z;
    assert!((height - across).abs() < 1e-6, "{height}");
}

/// Two bricks on a block's edge at x = 0, each of which would lie on what is under it: together
/// they tip if their common centre is beyond the edge.
#[test]
fn two_bricks_topple_together() {
    let stacked = |upper: f64| {
        settled(&format!(
            "{ROOM}[[bodies]]
            group = \"block\"
            shape = {{ kind = \"box\", size = [2, 2, 1] }}
            position = [-1, 0, 0.5]
            motion = \"fixed\"
            [[bodies]]
            shape = {{ kind = \"box\", size = [2, 0.5, 0.4] }}
            positions = [[-0.3, 0, 1.2], [{upper:?}, 0, 1.6]]
            rotate = true"
        ))
    };
    let stays = stacked(0.3 - 1e-3);
    assert!((stays.last().state.positions[2].z - 1.6).abs() < 1e-6);
    let falls = stacked(0.3 + 1e-3);
    let heights = [1, 2].map(|body| falls.last().state.positions[body].z);
    assert!(heights.iter().all(|height| *height < 1.1), "{heights:?}");
}

/// Two fixed slabs make a funnel in a container that is convex; gravel turns and falls through its
/// neck to the floor.
#[test]
fn gravel_falls_through_a_funnel_of_fixed_slabs() {
    let run = settled(
        "seed = 2
        gravity = [0, 0, -1]
        [container]
        shape = \"box\"
        min = [-3, -1, 0]
        max = [3, 1, 14]
        [[bodies]]
        group = \"left\"
        shape = { kind = \"box\", size = [3, 1.98, 0.4] }
        position = [-1.79, 0, 3]
        turn = [0, 45, 0]
        motion = \"fixed\"
        [[bodies]]
        group = \"right\"
        shape = { kind = \"box\", size = [3, 1.98, 0.4] }
        position = [1.79, 0, 3]
        turn = [0, -45, 0]
        motion = \"fixed\"
        [[bodies]]
        group = \"gravel\"
        shapes = [
            { kind = \"hull\", points = [[0, 0, 0], [0.7, 0, 0.1], [0, 0.6, 0], [0, 0.1, 0.5], [0.6, 0.1, 0.4], [0.4, 0.5, 0.5]] },
            { kind = \"hull\", points = [[0, 0, 0], [0.8, 0, 0], [0.3, 0.6, 0], [0.3, 0.2, 0.6]] },
        ]
        turn = \"random\"
        rotate = true
        random = { count = 20, min = [-2.9, -0.99, 5], max = [2.9, 0.99, 13.9] }",
    );
    // The slabs end at nearly 1.8, and leave a slit of nearly 1.2 between them.
    assert!(run.last().state.positions[2..].iter().all(|p| p.z < 1.8));
}

/// A vessel that is not convex: pieces of all kinds fall, turn and wedge above and below its neck.
#[test]
fn bodies_turn_in_a_vessel_with_a_neck() {
    let run = settled(
        "seed = 3
        gravity = [0, 0, -1]
        [container]
        shape = \"profile\"
        corners = [[0, 1.6], [2, 1.6], [3, 0.7], [3.4, 0.7], [5, 2], [12, 2]]
        sides = 8
        [[bodies]]
        shapes = [
            { kind = \"box\", size = [0.8, 0.6, 0.5] },
            { kind = \"cylinder\", radius = 0.25, length = 0.7 },
            { kind = \"capsule\", radius = 0.2, length = 0.6 },
        ]
        random = { count = 12, min = [-1.5, -1.5, 4], max = [1.5, 1.5, 12] }
        turn = \"random\"
        rotate = true",
    );
    assert!(run.ending.certificate.unwrap().residual < 1e-7);
    let on_faces = run.frames.iter().flat_map(|frame| &frame.trace.planes);
    assert!(on_faces.filter(|plane| matches!(plane.with, With::Face(_))).count() > 100);
}

/// In the plane, a ridge that juts out of the floor: a bar that lies across it tips to one side.
#[test]
fn a_bar_tips_over_a_ridge_of_the_floor() {
    let bar = |x: f64| {
        settled(&format!(
            "dimension = 2
            gravity = [0, -1]
            [container]
            shape = \"polygon\"
            corners = [[-4, 0], [-0.5, 0], [0, 1], [0.5, 0], [4, 0], [4, 6], [-4, 6]]
            [[bodies]]
            shape = {{ kind = \"box\", size = [2, 0.2] }}
            position = [{x:?}, 1.1]
            rotate = true"
        ))
    };
    for x in [-0.01, 0.01] {
        let last = bar(x);
        let at = last.last().state.positions[0];
        assert!(at.y < 0.8 && at.x * x > 0.0, "{at}");
    }
}

/// Squares in a grid with room beside it: diagonal neighbours touch in points, which need not bear.
#[test]
fn a_grid_of_boxes_is_free_to_slide() {
    let flat = settled(
        "dimension = 2
        gravity = [0, -1]
        [container]
        shape = \"box\"
        min = [0, 0]
        max = [3.7, 6]
        [[bodies]]
        shape = { kind = \"box\", size = [1, 1] }
        positions = [[0.5, 0.5], [1.5, 0.5], [2.5, 0.5], [0.5, 1.5], [1.5, 1.5], [2.5, 1.5]]
        rotate = true",
    );
    let certificate = flat.ending.certificate.unwrap();
    assert_eq!(certificate.unknowns - certificate.rank, 6, "each may slide along the floor");
    settled(&format!(
        "{ROOM}[[bodies]]
        shape = {{ kind = \"box\", size = [1, 1, 1] }}
        grid = {{ count = [2, 2, 2], first = [0.5, 0.5, 0.5], spacing = 1 }}
        rotate = true"
    ));
}
