use super::super::samples::{PLAN, at, watch};
use super::*;
use crate::contact::samples::{cuboid, flat_hourglass, model};
use crate::scene::SettleOptions;

/// What the rule makes of wanted motions: ball 0 (on the floor) may be
/// pushed along x by ball 1, ball 2 is far away.
fn held(wanted: [DVec3; 3]) -> Vec<DVec3> {
    let positions = [[5.0, 5.0, 0.5], [4.0, 5.0, 0.5], [8.0, 8.0, 0.5]].map(DVec3::from_array);
    let (cores, state) = at(model(cuboid(10.0), &[0.5; 3]), &positions);
    let (memory, active) = (Memory::new(&cores, &SettleOptions::default()), [true; 3]);
    let around = Surroundings::new(&cores, &state, &active, &PLAN, &memory, &mut watch());
    let cell = Cell::new(&around, &active, &[], &around.balls, &PLAN, &memory);
    let program = cell.program(&PLAN, None);
    let mut motion = wanted.to_vec();
    cell.hold_still(&program, &mut motion);
    motion
}

#[test]
fn what_gains_nothing_and_is_in_nobodys_way_stays() {
    let aside = DVec3::X * 0.1;
    assert_eq!(held([aside, DVec3::ZERO, aside]), [DVec3::ZERO; 3]);
    // Ball 1 gains (it sinks) and pushes ball 0; nobody pushes ball 2.
    let pushing = aside - DVec3::Z * 0.1;
    assert_eq!(held([aside, pushing, aside]), [aside, pushing, DVec3::ZERO]);
}

#[test]
fn noise_becomes_nothing() {
    let falls = DVec3::new(3e-15, 0.2, -0.1);
    let [x, y, z] = held([DVec3::splat(-1e-15), DVec3::ZERO, falls])[2].to_array();
    assert_eq!([x, y, z], [0.0, 0.2, -0.1]);
    assert_eq!(held([DVec3::splat(-1e-15); 3]), [DVec3::ZERO; 3]);
}

/// A free ball falls to the corner of its cube, in 3D and in 2D.
#[test]
fn a_free_fall_ends_in_the_corner() {
    let fall = |model: Model, centre: DVec3| {
        let (cores, state) = at(model, &[centre]);
        let memory = Memory::new(&cores, &SettleOptions::default());
        let found = best_motion(&cores, &state, &[true], &PLAN, &memory, None, &mut watch());
        assert!((found.decrease - found.motion[0].length()).abs() < 1e-9);
        found.motion[0]
    };
    let motion = fall(model(cuboid(10.0), &[0.5]), DVec3::splat(5.0));
    assert!(motion.distance(DVec3::Z * -0.75_f64.sqrt()) < 1e-6, "{motion}");
    let motion = fall(model(flat_hourglass(), &[0.5]), DVec3::Y * 11.0);
    assert!(motion.distance(DVec3::Y * -0.5_f64.sqrt()) < 1e-6, "{motion}");
}

/// Pairs that were left out of the program at first are found by the
/// sweep: lazy or not, the answer keeps everybody apart.
#[test]
fn lazy_rows_miss_nothing() {
    let places = [DVec3::new(5.0, 5.0, 0.5), DVec3::new(5.0, 5.0, 2.0)];
    let (cores, state) = at(model(cuboid(10.0), &[0.5, 0.5]), &places);
    let memory = Memory::new(&cores, &SettleOptions::default());
    let best = |lazy: bool| {
        let plan = Plan { lazy, ..PLAN };
        best_motion(&cores, &state, &[true; 2], &plan, &memory, None, &mut watch())
    };
    let (lazy, eager) = (best(true), best(false));
    assert!((lazy.decrease - 0.5).abs() < 1e-6 && (eager.decrease - 0.5).abs() < 1e-6);
    let pair = Pair { i: 0, j: 1 };
    assert!(sweep_is_clear(&cores.model, &state, &pair, lazy.motion[0], lazy.motion[1]));
}
