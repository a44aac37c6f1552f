//! Friction acts against slip, and nowhere else.

use super::*;

/// A slab on three fixed blocks of one height under a gravity that is so many times as steep as
/// friction holds: how far it goes in a fifth of a second, and how far it would if it slid.
fn on_three(part: f64, angle: f64) -> (DVec3, DVec3) {
    let mut trial = Trial::new(9.81);
    let towards = DVec3::new(angle.cos(), angle.sin(), 0.0);
    trial.model.gravity = 9.81 * (towards * (0.5 * part) - DVec3::Z);
    let slab = trial.cuboid(DVec3::new(0.133, 0.187, 0.05), DVec3::new(0.447, 0.189, 0.05));
    // Each holds a part of it, all of them askew.
    for (x, y, w, d) in
        [(0.3, 0.03, 0.116, 0.108), (0.3, 0.25, 0.116, 0.262), (0.48, 0.2, 0.236, 0.4)]
    {
        let block = trial.cuboid(DVec3::new(w, d, 0.2) * 0.5, DVec3::new(x, y, -0.1));
        trial.body(block).motion = Motion::Fixed;
    }
    trial.model.bodies.iter_mut().for_each(|body| body.material.friction = 0.5);
    let start = trial.state.positions[slab];
    let mut end = start;
    trial.run(20, |seen| end = seen.state.positions[slab]);
    (end - start, towards * (0.5 * 9.81 * 0.5 * (part - 1.0).max(0.0) * 0.04))
}

/// A slab that slides may turn more easily than it shifts: its friction is along the slip of each
/// contact all the same, so that it stands as long as all of it together would.
#[test]
fn a_slab_on_three_blocks_slides_where_friction_ends() {
    for k in 0..6 {
        let angle = 0.3 + f64::from(k);
        let (way, _) = on_three(0.99, angle);
        assert!(way.length() < 1e-7, "{angle}: {way}");
        let (way, expected) = on_three(1.02, angle);
        assert!(way.distance(expected) < 0.06 * expected.length(), "{angle}: {way} {expected}");
    }
}

/// What friction leaves of a slip is along it, for masses of every shape.
#[test]
fn friction_acts_against_slip() {
    let random = &mut crate::math::Random::new(7);
    for _ in 0..1000 {
        let (turn, ratio) = (random.between(0.0, 3.2), 10_f64.powf(random.between(-4.0, 0.0)));
        let [c, s] = [turn.cos(), turn.sin()];
        let mass = [c * c + ratio * s * s, c * s * (1.0 - ratio), s * s + ratio * c * c];
        let stops = [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
        let most = random.between(1e-6, 0.999) * stops[0].hypot(stops[1]);
        let x = super::super::contacts::against_slip(mass, stops, most);
        assert!((x[0].hypot(x[1]) - most).abs() <= 1e-12 * most, "{x:?} {most}");
        // K (x - stops), by the inverse of the mass.
        let d = [x[0] - stops[0], x[1] - stops[1]];
        let slip = [mass[2] * d[0] - mass[1] * d[1], mass[0] * d[1] - mass[1] * d[0]];
        let (along, across) = (slip[0] * x[0] + slip[1] * x[1], slip[0] * x[1] - slip[1] * x[0]);
        let rounding = 1e-8 * most * stops[0].hypot(stops[1]);
        assert!(
            along < rounding && across.abs() <= 1e-6 * along.abs() + rounding,
            "{mass:?} {along} {across}"
        );
    }
}
