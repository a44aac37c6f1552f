//! Contacts that hold, by hand.

use super::*;
use crate::math::DQuat;
use crate::shape::Shape;
use crate::world::{Model, Motion, State, Weight};

/// A block of sides 2, 1, 1 and weight 1 glued with one of its ends to a wall, and another one
/// to its other end.
fn hung(strength: Strength, count: usize) -> (Model, State) {
    let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
    for k in 0..=count {
        let at = DVec3::X * (2.0 * k as f64);
        let shape = Shape::cuboid(DVec3::new(2.0, 1.0, 1.0)).unwrap();
        let weight = Weight::Mass(1.0);
        let body = model.add(&mut state, shape, at, DQuat::IDENTITY, weight).unwrap();
        body.material.friction = 0.0;
        if k == 0 {
            body.motion = Motion::Fixed;
        }
    }
    model.strengths.push(strength);
    (model, state)
}

fn strain(strength: Strength, count: usize) -> Strain {
    let (model, state) = hung(strength, count);
    Statics::new(&model, &state).unwrap().strain().unwrap()
}

/// One block: moment 1 about its lower edge is borne by the two upper corners, half of the pull
/// each times the height 1; so a pull of 2 in all is needed at four points. Per area it is
/// the same, as the area is 1; per point a quarter of it.
#[test]
fn a_glued_cantilever_by_hand() {
    let glue = Strength { pull: 4.0, cohesion: 100.0, ..Strength::default() };
    for (strength, wanted) in [
        (glue, 0.5),
        (Strength { per: Per::Area, ..glue }, 0.5),
        (Strength { per: Per::Point, ..glue }, 0.125),
        (Strength { pull: 1.0, ..glue }, 2.0),
    ] {
        let found = strain(strength, 1);
        assert!((found.bounds[1] - wanted).abs() < 1e-6, "{:?} {wanted}", found.bounds);
        assert_eq!(found.balance == Balance::Balanced, wanted <= 1.0);
        let contact = &found.contacts[found.weakest().unwrap()];
        assert!((contact.area - 1.0).abs() < 1e-12 && contact.points == 4);
        assert!((contact.force.length() - 1.0).abs() < 1e-6, "{}", contact.force);
        assert!((contact.utilisation.unwrap() - wanted).abs() < 1e-6, "{contact:?}");
        assert!((contact.at - DVec3::X).length() < 1e-12, "{}", contact.at);
        let sum: DVec3 = found.forces.iter().map(|at| at.force).sum();
        assert!((sum - contact.force).length() < 1e-12 && found.forces.len() == 4);
    }
    // Two of them: 2 at arm 2; the contact at the wall is the weak one.
    let found = strain(glue, 2);
    assert!((found.bounds[1] - 2.0).abs() < 1e-6, "{:?}", found.bounds);
    let weakest = &found.contacts[found.weakest().unwrap()];
    assert!(weakest.bodies.contains(&Some(0)) && weakest.part > 0.999);
    let used = |k: usize| found.contacts[k].utilisation.unwrap();
    assert!((used(0) - 2.0).abs() < 1e-6 && used(1) > 0.4999 && used(1) < 2.0001, "{}", used(1));
}

/// Pulled, what friction of its own pull and cohesion bear together, and what shear allows.
#[test]
fn what_a_point_needs() {
    let limits = Limits { pull: 4.0, cohesion: 2.0, shear: Some(3.0) };
    let used = |across: f64, along: f64| limits.used(DVec3::new(across, 0.0, along), DVec3::Z, 0.5);
    assert_eq!([used(0.0, 5.0), used(0.0, -2.0), used(1.0, -2.0)], [0.0, 0.5, 0.5]);
    assert_eq!([used(1.5, 4.0), used(2.0, -3.0)], [0.5, 0.875]);
}

/// What it bears sideways without being pressed: the weight.
#[test]
fn cohesion_and_shear_by_hand() {
    let glue = Strength { pull: 100.0, cohesion: 2.0, ..Strength::default() };
    let [low, high] = strain(glue, 1).bounds;
    assert!((low - 0.5).abs() < 1e-6 && (high - 0.5).abs() < 1e-6, "{low} {high}");
    let [low, high] = strain(Strength { shear: Some(0.5), ..glue }, 1).bounds;
    assert!((low - 2.0).abs() < 1e-6 && (high - 2.0).abs() < 1e-6, "{low} {high}");
}

/// Round cones say what is between the polygons inside and around them, whichever way the weight
/// pulls: with friction, cohesion, a pull and a shear.
#[test]
fn circles_are_between_their_polygons() {
    let glue = Strength { pull: 3.0, cohesion: 1.5, shear: Some(2.5), ..Strength::default() };
    for angle in [0.1, 0.7, 1.9, 4.4] {
        let (mut model, state) = hung(glue, 2);
        let (sin, cos) = f64::sin_cos(angle);
        model.gravity = DVec3::new(0.3 * sin, cos, -0.8 * sin);
        model.bodies.iter_mut().for_each(|body| body.material.friction = 0.4);
        let statics = Statics::new(&model, &state).unwrap();
        let limits = statics.limits_by_touch();
        let of = |circle: Option<Circle>| {
            let found = statics.least(&limits, circle);
            assert!(found.is_solved);
            found.least
        };
        let round = of(None);
        let [inside, around] = [Circle::inside(SIDES), Circle::around(SIDES)].map(Some).map(of);
        assert!(round[1] - round[0] < 1e-6, "{round:?}");
        assert!(around[0] < round[1] + 1e-6 && round[0] < inside[1] + 1e-6);
        assert!(inside[1] - around[0] < 0.01 * round[0], "{inside:?} {around:?}");
    }
}

/// The cantilever bears its own weight once more, or ground that pushes it away from the wall with
/// twice its weight: its upper corners then pull with (2 + 2) / 2. Leaning to that side they need cos + sin / 2, which
/// is more at first than at a quarter turn.
#[test]
fn loads_grounds_and_tilts_of_what_holds() {
    let held = |pull: f64| hung(Strength { pull, cohesion: 100.0, ..Strength::default() }, 1);
    let (model, state) = held(4.0);
    let statics = Statics::new(&model, &state).unwrap();
    let load = |force: DVec3| statics.load_factor(1, state.positions[1], force).unwrap();
    assert!((load(DVec3::NEG_Z) - 1.0).abs() < 1e-6, "{}", load(DVec3::NEG_Z));
    assert!((load(DVec3::X * 1e-3) - 2e3).abs() < 1e-2, "{}", load(DVec3::X * 1e-3));
    let ground = statics.acceleration(DVec3::X).unwrap();
    assert!((ground - 2.0).abs() < 1e-6, "{ground}");
    assert!(statics.tilt(DVec3::X).unwrap().angle > 1.57);
    let (model, state) = held(2.1);
    let tilt = Statics::new(&model, &state).unwrap().tilt(DVec3::X).unwrap().angle;
    let wanted = 0.5_f64.atan() - (2.1 / 5_f64.sqrt()).acos();
    assert!((tilt - wanted).abs() < 1e-4, "{tilt} {wanted}");
    // Alone, the second of two hangs on the first.
    let (model, state) = hung(Strength { pull: 4.0, cohesion: 9.0, ..Strength::default() }, 2);
    let statics = Statics::new(&model, &state).unwrap();
    let stages = statics.order(&[1, 2]).unwrap();
    let balances = [stages[0].balance, stages[1].balance];
    assert_eq!(balances, [Balance::Balanced, Balance::Unbalanced]);
    let stages = statics.order(&[2, 1]).unwrap();
    assert_eq!(stages[0].balance, Balance::Unbalanced);
}

/// What no contact joins to what is fixed is named.
#[test]
fn what_floats_is_named() {
    let (model, mut state) = hung(Strength { pull: 4.0, cohesion: 9.0, ..Strength::default() }, 3);
    state.positions[2].x += 0.5;
    state.positions[3].x += 0.5;
    let found = Statics::new(&model, &state).unwrap().strain().unwrap();
    assert_eq!((found.balance, &found.floating[..]), (Balance::Unbalanced, &[2, 3][..]));
}

/// A limit on what is borne sideways asks nothing of what only presses.
#[test]
fn shear_counts_what_is_borne_not_what_could_be() {
    for (slope, shear) in [(0.0, 0.1), (0.2, 0.21), (0.2, 0.15)] {
        let gravity = DVec3::new(slope, 0.0, -1.0);
        let (mut model, mut state) = (Model::new(3, gravity), State::default());
        for (size, at) in [(DVec3::new(4.0, 4.0, 1.0), 0.5), (DVec3::new(20.0, 20.0, 1.0), -0.5)] {
            let shape = Shape::cuboid(size).unwrap();
            let (place, weight) = (DVec3::Z * at, Weight::Mass(1.0));
            model.add(&mut state, shape, place, DQuat::IDENTITY, weight).unwrap();
        }
        model.bodies[1].motion = Motion::Fixed;
        model.bodies.iter_mut().for_each(|body| body.material.friction = 1.0);
        model.strengths.push(Strength { shear: Some(shear), ..Strength::default() });
        let found = Statics::new(&model, &state).unwrap().strain().unwrap();
        let [low, high] = found.bounds;
        let wanted = slope / shear;
        assert!(low <= wanted + 1e-6 && wanted <= high + 1e-6, "{low} {wanted} {high}");
        assert!(high - low < 0.01 * wanted.max(1e-3), "{low} {high}");
        assert_eq!(found.balance == Balance::Balanced, wanted <= 1.0);
    }
}

/// Without cohesion nothing holds a smooth block up, whatever the pull.
#[test]
fn what_no_strength_would_hold() {
    let found = strain(Strength { pull: 100.0, ..Strength::default() }, 1);
    assert_eq!((found.balance, found.bounds[0]), (Balance::Unbalanced, f64::INFINITY));
    assert!(found.forces.is_empty() && found.contacts[0].utilisation.is_none());
    // However strong, and however dear: a program of its own says what is missing.
    for pull in [1e-9, 1e9] {
        let found = strain(Strength { pull, ..Strength::default() }, 1);
        assert_eq!((found.balance, found.bounds[0]), (Balance::Unbalanced, f64::INFINITY));
        let motion = found.mechanism.unwrap();
        assert!(motion[1].0.z < -0.5, "{motion:?}");
    }
    // Weak ones are not called impossible.
    let glue = Strength { pull: 1e-6, cohesion: 1e-6, ..Strength::default() };
    let found = strain(glue, 1);
    assert!(found.bounds[0] > 1e5 && found.bounds[1] < 1e7, "{:?}", found.bounds);
}

/// What gives way goes on bearing all it can: a block of weight 1 held sideways with 1/2, a
/// weaker one, and one that friction helps while it slides.
#[test]
fn accelerations_of_what_gives_way() {
    for (cohesion, wanted) in [(0.5, -0.5), (0.1, -0.9), (2.0, 0.0)] {
        let glue = Strength { pull: 100.0, cohesion, ..Strength::default() };
        let found = strain(glue, 1);
        let (shift, turn) = found.accelerations[1];
        assert!((shift - DVec3::Z * wanted).length() + turn.length() < 0.01, "{shift} {turn}");
        assert_eq!(found.mechanism.is_none(), found.balance == Balance::Balanced);
    }
    // A slab on a slope: sin - friction cos - cohesion / weight.
    let (sin, cos) = 40_f64.to_radians().sin_cos();
    let (mut model, mut state) = (Model::new(3, DVec3::new(sin, 0.0, -cos)), State::default());
    for (size, z) in [(DVec3::new(40.0, 40.0, 2.0), -1.0), (DVec3::new(1.0, 1.0, 0.2), 0.1)] {
        let shape = Shape::cuboid(size).unwrap();
        let at = DVec3::Z * z;
        let weight = Weight::Mass(1.0);
        let body = model.add(&mut state, shape, at, DQuat::IDENTITY, weight).unwrap();
        body.material.friction = 0.5;
        body.motion = if z < 0.0 { Motion::Fixed } else { Motion::Free };
    }
    model.strengths.push(Strength { cohesion: 0.1, ..Strength::default() });
    let found = Statics::new(&model, &state).unwrap().strain().unwrap();
    let (shift, _) = found.accelerations[1];
    let wanted = sin - 0.5 * cos - 0.1;
    assert!((shift - DVec3::X * wanted).length() < 1e-5, "{shift} {wanted}");
}
