//! Heavy bodies on light ones: stacks neither sink nor jump.

use super::*;

/// Boxes of these masses upon each other, from the ground up, a little apart; the deepest overlap
/// and the highest rise of any of them in a second.
fn stacked(masses: &[f64], sideways: f64) -> (f64, f64) {
    let mut trial = Trial::new(9.81);
    trial.floor();
    let mut boxes = Vec::new();
    for (k, mass) in masses.iter().enumerate() {
        let at = DVec3::new(0.0, 0.0, 0.25 + 0.501 * k as f64);
        let shape = Shape::cuboid(DVec3::new(1.0, 1.0, 0.5)).unwrap();
        boxes.push(trial.add_turned(shape, at, DQuat::IDENTITY, Weight::Mass(*mass)));
    }
    trial.model.bodies.iter_mut().for_each(|body| body.material.friction = 0.2);
    boxes.iter().for_each(|&i| trial.state.velocities[i].x = sideways);
    let start = trial.state.positions.clone();
    let (mut deepest, mut highest) = (0.0_f64, 0.0_f64);
    trial.run(100, |seen| {
        deepest = deepest.max(seen.ledger.penetration);
        for &i in &boxes {
            highest = highest.max(seen.state.positions[i].z - start[i].z);
        }
    });
    (deepest, highest)
}

#[test]
fn light_boxes_carry_heavy_ones() {
    for masses in [
        vec![1.0, 1e4],
        vec![1e-2, 1e2, 1e-2, 1e2],
        vec![1.0, 1e-4, 1.0, 1.0, 1e4],
        vec![0.02, 40.0, 3.0, 0.5, 90.0, 0.01, 7.0, 30.0],
    ] {
        let (deepest, highest) = stacked(&masses, 0.0);
        assert!(deepest < 5e-4 && highest < 1e-6, "{masses:?}: {deepest:e} {highest:e}");
        // The whole stack slides along the floor and stops, too flat to be tipped by that.
        let (deepest, highest) = stacked(&masses, 0.5);
        assert!(deepest < 5e-3 && highest < 1e-3, "{masses:?}: {deepest:e} {highest:e}");
    }
}
