//! Lies that `verify` must see through. Good runs are taken apart, one fault at
//! a time is planted, and the file is written anew, well-formed and with fitting
//! hashes; the check that is meant to notice must fail, by name.

mod draft;
mod mutations;
mod mutator;
mod planted;
mod pulled;
mod records;
mod runs;

use std::sync::LazyLock;

use riprap::math::DVec3;
use riprap::trajectory::{Certificate, Frame, Outcome, With};
use riprap::verify::Verdict;
use riprap::world::State;

use draft::Draft;
use planted::{CERTIFICATE, FRAMES, Fault, MODEL, MOVED, REST, ROPES, SHAPES, SPRINGS};
use records::{failed_after, flip_hash, records};

fn failed(verdict: &Verdict) -> Vec<&'static str> {
    verdict.checks.iter().filter(|check| !check.ok).map(|check| check.name).collect()
}

/// Plants one fault after the other; names all that went unnoticed.
fn assert_noticed(good: &Draft, faults: &[Fault]) {
    let verdict = good.verdict();
    assert!(verdict.ok(), "before any fault: {:?}", verdict.checks);
    let mut unnoticed = Vec::new();
    for (name, checks, plant) in faults {
        let verdict = good.clone().with(plant).verdict();
        let failed = failed(&verdict);
        assert_eq!(verdict.ok(), failed.is_empty());
        if !checks.iter().all(|check| failed.contains(check)) {
            unnoticed.push(format!("{name}: {checks:?} should fail, {failed:?} did"));
        }
    }
    assert!(unnoticed.is_empty(), "{unnoticed:#?}");
}

static BOX: LazyLock<Draft> = LazyLock::new(|| Draft::run("box-3", None));
static FLAT: LazyLock<Draft> = LazyLock::new(|| Draft::run("hourglass-2d", None));

#[test]
fn bodies_that_were_moved_are_noticed() {
    assert_noticed(&BOX, MOVED);
    assert_noticed(&FLAT, MOVED);
}

#[test]
fn frames_that_were_tampered_with_are_noticed() {
    assert_noticed(&BOX, FRAMES);
    assert_noticed(&FLAT, FRAMES);
}

#[test]
fn models_that_were_changed_are_noticed() {
    assert_noticed(&BOX, MODEL);
    assert_noticed(&FLAT, MODEL);
}

#[test]
fn forces_and_ropes_that_were_changed_are_noticed() {
    assert_noticed(&Draft::run("necklace", None), ROPES);
    assert_noticed(&Draft::run("springs", None), SPRINGS);
}

#[test]
fn shapes_that_were_changed_are_noticed() {
    assert_noticed(&Draft::run("jigsaw", None), SHAPES);
    assert_noticed(&Draft::run("tray", None), SHAPES);
}

#[test]
fn contacts_that_do_not_hold_are_noticed() {
    assert_noticed(&BOX, REST);
    assert_noticed(&FLAT, REST);
}

#[test]
fn false_certificates_are_noticed() {
    assert_noticed(&BOX, CERTIFICATE);
    assert_noticed(&FLAT, CERTIFICATE);
}

#[test]
fn a_residual_may_not_be_claimed_smaller_than_it_is() {
    let draft = BOX.clone().with(|d| {
        let (.., contact) = d.pair();
        d.ending().contacts[contact].force *= 1.0 + 1e-7;
    });
    let verdict = draft.verdict();
    assert_eq!(failed(&verdict), ["certificate"], "{verdict:?}");
    let honest = draft.with(|d| d.certificate().residual = verdict.residual.unwrap());
    assert!(honest.verdict().ok());
}

#[test]
fn words_that_say_too_much_are_noticed() {
    // Five balls on a floor, and each can roll.
    let floor = Draft::run("stack", None);
    let boast: Fault =
        ("\"strict\"", &["certificate"], |d| d.certificate().verdict = "strict minimum".into());
    assert_noticed(&floor, &[boast]);
}

#[test]
fn a_flat_run_stays_flat() {
    let lifted: Fault =
        ("a circle leaves the plane", &["numbers"], |d| d.frames[2].state.positions[3].z = 1e-300);
    let tilted: Fault = ("gravity leaves the plane", &["numbers"], |d| d.model.gravity.z = -1e-300);
    assert_noticed(&FLAT, &[lifted, tilted]);
}

const TWO_SPHERES: &str = r#"
    container = { shape = "box", min = [0, 0, 0], max = [10, 10, 10] }
    [[bodies]]
    positions = [[5, 5, 8], [5, 5, 5]]
    radius = 0.5
"#;

#[test]
fn nobody_passes_through_another() {
    let beside = [[3.0, 5.0, 6.0], [5.0, 5.0, 5.0]];
    let below = [[5.0, 5.0, 2.0], [5.0, 5.0, 5.0]];
    let round = Draft::made_up(TWO_SPHERES, &[&beside, &below], Outcome::StepLimit).verdict();
    assert!(round.ok(), "{round:?}");
    let through = Draft::made_up(TWO_SPHERES, &[&below], Outcome::StepLimit).verdict();
    assert_eq!(failed(&through), ["overlap between frames"]);
    assert_eq!((through.max_overlap, through.max_overlap_between_frames), (Some(0.0), Some(2.0)));
    let detail = &through.checks.iter().find(|check| !check.ok).unwrap().detail;
    assert_eq!(
        detail,
        "on the way to frame 1 bodies 0 and 1 overlap by 2.0e0 of the smaller radius"
    );
}

#[test]
fn nobody_passes_through_a_wall() {
    let flat = r#"
        dimension = 2
        bodies = [{ positions = [[2, 6]], radius = 0.5 }]
        [container]
        shape = "polygon"
        corners = [[0, 0], [10, 0], [10, 8], [6, 8], [6, 2], [4, 2], [4, 8], [0, 8]]
    "#;
    let [down, across, up] = [[2.0, 1.0, 0.0], [8.0, 1.0, 0.0], [8.0, 5.0, 0.0]];
    let through = Draft::made_up(flat, &[&[up]], Outcome::StepLimit).verdict();
    assert_eq!(failed(&through), ["overlap between frames"]);
    let round = Draft::made_up(flat, &[&[down], &[across]], Outcome::StepLimit).verdict();
    assert!(round.ok(), "{round:?}");

    let waist = r#"
        bodies = [{ positions = [[1.2, 0, 7]], radius = 0.4 }]
        container = { shape = "profile", corners = [[0, 3], [4, 0.6], [8, 3]], sides = 9 }
    "#;
    let [middle, below] = [[0.0, 0.0, 4.0], [1.2, 0.0, 1.0]];
    let through = Draft::made_up(waist, &[&[below]], Outcome::StepLimit).verdict();
    assert_eq!(failed(&through), ["overlap between frames"]);
    let around = Draft::made_up(waist, &[&[middle], &[below]], Outcome::StepLimit).verdict();
    assert!(around.ok(), "{around:?}");
}

#[test]
fn nobody_leaves_the_container() {
    let outside = [[5.0, 5.0, -5.0], [5.0, 5.0, 5.0]];
    let gone = Draft::made_up(TWO_SPHERES, &[&outside], Outcome::Interrupted);
    assert_eq!(failed(&gone.verdict()), ["inside", "overlap between frames"]);
    let never_there = gone.with(|d| {
        d.frames[0].state = d.frames[1].state.clone();
        d.recompute_energies();
    });
    assert_eq!(failed(&never_there.verdict()), ["scene", "inside"]);
}

const TOWER: &str = r#"
    container = { shape = "box", min = [0, 0, 0], max = [6, 5, 6] }
    [[bodies]]
    positions = [[2, 3, 0.5], [2, 3, 1.5], [2, 3, 2.5]]
    radius = 0.5
    mass = 1
"#;

#[test]
fn a_tower_cannot_be_sold_as_stable() {
    let mut tower = Draft::made_up(TOWER, &[], Outcome::Rest);
    let floor = tower.model.boundary.nearest(tower.frames[0].state.positions[0]).unwrap().face;
    let on = With::Body;
    let contacts = [(0, With::Face(floor), 3.0), (1, on(0), 2.0), (2, on(1), 1.0)];
    let contacts = contacts.map(|(body, with, force)| tower.touch(body, with, force));
    tower.ending().contacts = contacts.to_vec();
    tower.ending().certificate = Some(Certificate {
        residual: 0.0,
        bound: 0.0,
        rank: 3,
        unknowns: 9,
        unstable_modes: 0,
        neutral_modes: 6,
        margin: 1.0,
        verdict: "minimum up to neutral modes".into(),
    });
    let verdict = tower.verdict();
    assert_eq!(failed(&verdict), ["second order", "certificate"]);
    assert_eq!(verdict.stable_to_second_order, Some(false));
    assert_eq!((verdict.unstable_modes, verdict.neutral_modes), (Some(4), Some(2)));
    let half_honest = tower.with(|d| {
        (d.certificate().unstable_modes, d.certificate().neutral_modes) = (4, 2);
    });
    assert_eq!(failed(&half_honest.verdict()), ["second order", "certificate"], "no minimum");
    let honest = half_honest.with(|d| d.certificate().verdict = "degenerate".into());
    assert_eq!(failed(&honest.verdict()), ["second order"]);
}

#[test]
fn a_floating_sphere_is_not_at_rest() {
    let mut floating = Draft::made_up(TWO_SPHERES, &[], Outcome::Rest);
    let certificate = Certificate {
        residual: 0.0,
        bound: 0.0,
        rank: 0,
        unknowns: 6,
        unstable_modes: 0,
        neutral_modes: 6,
        margin: 0.0,
        verdict: "minimum up to neutral modes".into(),
    };
    floating.ending().certificate = Some(certificate);
    assert_eq!(failed(&floating.verdict()), ["balance", "certificate"]);
    let held = floating.with(|d| {
        let force = d.model.bodies[0].mass;
        let floor = d.model.boundary.nearest(DVec3::new(5.0, 4.0, 0.1)).unwrap().face;
        d.ending().contacts = [0, 1].map(|body| d.touch(body, With::Face(floor), force)).to_vec();
    });
    assert!(failed(&held.verdict()).contains(&"contacts"));
}

#[test]
fn a_run_that_did_not_come_to_rest_cannot_say_so() {
    let cut = Draft::run("box-3", Some(3));
    let verdict = cut.verdict();
    assert!(verdict.ok() && verdict.outcome == Some(Outcome::StepLimit), "{verdict:?}");
    let claimed = cut.with(|d| d.ending().outcome = Outcome::Rest);
    assert_eq!(failed(&claimed.verdict()), ["balance", "certificate"]);
}

#[test]
fn a_broken_chain_of_hashes_is_noticed() {
    // Every way is cut in two, so that there are enough frames for a second
    // key frame; the run is as good as before.
    let halved = BOX.clone().with(|d| {
        let between = |pair: &[Frame]| {
            let (a, b) = (&pair[0].state.positions, &pair[1].state.positions);
            let middle = a.iter().zip(b).map(|(a, b)| a.midpoint(*b)).collect();
            [Frame { state: State::at_rest(middle), ..pair[1].clone() }, pair[1].clone()]
        };
        let rest: Vec<Frame> = d.frames.windows(2).flat_map(between).collect();
        d.frames.truncate(1);
        d.frames.extend(rest);
        d.renumber();
        d.recompute_energies();
    });
    assert!(halved.frames.len() > 21);
    let unchanged: Vec<&str> = Vec::new();
    assert_eq!(failed_after(&halved, |_| ()), unchanged);
    // Record 0 is the header.
    assert_eq!(failed_after(&halved, |records| flip_hash(&mut records[5].1, 0)), ["hashes"]);
    assert_eq!(failed_after(&halved, |records| flip_hash(&mut records[5].1, 1)), ["hashes"]);
    let dropped = failed_after(&halved, |records| drop(records.remove(20)));
    assert_eq!(dropped, ["steps", "hashes"], "the frame before a key frame");
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.riprap");
    halved.clone().with(|d| d.model.name = "another run".into()).write(&other);
    let header = records(&other)[0].1.clone();
    assert_eq!(
        failed_after(&halved, |records| records[0].1 = header.clone()),
        ["hashes", "scene"],
        "the name is part of the scene, too"
    );
}
