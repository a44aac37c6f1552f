//! Free rotation in the frame of the principal axes: the implicit midpoint rule for
//! what turns little in a substep. What turns fast does so exactly if two of its moments are
//! equal (Euler's symmetric top), else in many small turns.

use crate::math::turned;
use crate::math::{DQuat, DVec3};

/// How many fixed-point iterations find the turn of the midpoint rule.
const TURN_ITERATIONS: usize = 8;

/// Beyond this angle in a substep the rule is not exact enough: what tumbles would gain and lose more
/// than a thousandth of the energy that it exchanges between its axes.
const FAST: f64 = 0.2;

/// Angle of one of many small turns.
const SMALL: f64 = 0.05;

/// More of them are not made: a turn is as exact as that.
const MOST_TURNS: f64 = 1e5;

/// How a body turns in a time, from the right, and its angular momentum after that, both in its
/// own frame.
pub fn free(moments: DVec3, momentum: DVec3, time: f64) -> (DQuat, DVec3) {
    let angle = (momentum / moments).length() * time;
    if angle <= FAST {
        return midpoint(moments, momentum, time);
    }
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    for k in 0..3 {
        if moments[(k + 1) % 3] == moments[(k + 2) % 3] {
            return symmetric(moments[(k + 1) % 3], moments[k], axes[k], momentum, time);
        }
    }
    let count = (angle / SMALL).ceil().min(MOST_TURNS);
    let (mut turn, mut now) = (DQuat::IDENTITY, momentum);
    // There, back and there again: of fourth order [Yoshida 1990].
    let there = (2.0 - 2.0_f64.cbrt()).recip();
    for _ in 0..count as usize {
        for part in [there, 1.0 - 2.0 * there, there] {
            let (by, kept) = midpoint(moments, now, part * time / count);
            (turn, now) = (turn * by, kept);
        }
        turn = turn.normalize();
    }
    (turn, turn.inverse() * momentum)
}

fn midpoint(moments: DVec3, momentum: DVec3, time: f64) -> (DQuat, DVec3) {
    let mut turn = momentum / moments * time;
    for _ in 0..TURN_ITERATIONS {
        let next = (turned(-0.5 * turn) * momentum) / moments * time;
        let change = (next - turn).length_squared();
        turn = next;
        if change < 1e-30 {
            break;
        }
    }
    (turned(turn), turned(-turn) * momentum)
}

/// Its axis goes around the angular momentum evenly, while it turns evenly about its axis.
fn symmetric(across: f64, along: f64, axis: DVec3, momentum: DVec3, time: f64) -> (DQuat, DVec3) {
    let about = momentum.dot(axis) * (along.recip() - across.recip()) * time;
    let own = DQuat::from_axis_angle(axis, about);
    (turned(momentum * (time / across)) * own, own.inverse() * momentum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a body keeps in space, and its energy.
    fn kept(moments: DVec3, turn: DQuat, momentum: DVec3) -> (DVec3, f64) {
        (turn * momentum, 0.5 * momentum.dot(momentum / moments))
    }

    #[test]
    fn momentum_and_energy_stay_however_fast() {
        for moments in
            [DVec3::new(1.0, 1.0, 0.2), DVec3::new(0.3, 1.0, 1.0), DVec3::new(1.0, 2.0, 2.5)]
        {
            for size in [0.1, 0.9, 3.0, 40.0, 1e6] {
                let momentum = DVec3::new(0.6, -0.48, 0.64) * size;
                let is_even = moments.x == moments.y || moments.y == moments.z;
                if size > 1e3 && !is_even {
                    continue;
                }
                let (turn, after) = free(moments, momentum, 1.0);
                let (before, energy) = kept(moments, DQuat::IDENTITY, momentum);
                let (now, energy_now) = kept(moments, turn, after);
                assert!((now - before).length() < 1e-13 * size, "{moments} {size}");
                let most = match size {
                    size if size <= 1.0 => 2e-2 * size,
                    _ if is_even => 1e-14,
                    _ => 1e-6,
                };
                assert!((energy_now / energy - 1.0).abs() < most, "{moments} {size}");
            }
        }
    }

    /// The exact turn of a symmetric top is that of many small ones.
    #[test]
    fn a_symmetric_top_turns_as_small_steps_do() {
        let moments = DVec3::new(0.2, 1.0, 1.0);
        let momentum = DVec3::new(0.6, -0.48, 0.64) * 1.7;
        let (exact, _) = free(moments, momentum, 1.0);
        let (mut turn, mut now) = (DQuat::IDENTITY, momentum);
        for _ in 0..10_000 {
            let (by, kept) = midpoint(moments, now, 1e-4);
            (turn, now) = (turn * by, kept);
        }
        assert!((turn * exact.inverse()).xyz().length() < 1e-7);
    }
}
