//! Two balls: [M96 eq. 1], `(p_i - p_j) . u >= r_i + r_j` with `u` the
//! current unit vector from j to i.

use super::{Key, Other, Row};
use crate::math::{DVec3, SKIN};
use crate::near::Pair;
use crate::world::{Model, State};

/// How much of the gap leaning may use up, as a part of the largest angle.
const LEAN: f64 = 0.9;

/// The distance between two surfaces now.
fn gap(model: &Model, pair: &Pair, difference: DVec3) -> f64 {
    let (a, b) = (&model.bodies[pair.i as usize], &model.bodies[pair.j as usize]);
    difference.length() - a.radius - b.radius
}

fn difference(state: &State, pair: &Pair) -> DVec3 {
    state.positions[pair.i as usize] - state.positions[pair.j as usize]
}

fn skin(model: &Model, pair: &Pair) -> f64 {
    SKIN * model.bodies[pair.i as usize].radius.min(model.bodies[pair.j as usize].radius)
}

/// The row of a pair. Coincident centres (only possible for balls without
/// size) are separated along x.
pub fn pair_row(model: &Model, state: &State, pair: &Pair) -> Row {
    let difference = difference(state, pair);
    Row {
        key: Key { body: pair.i, other: Other::Body(pair.j) },
        normal: difference.try_normalize().unwrap_or(DVec3::X),
        gap: (gap(model, pair, difference) - skin(model, pair)).max(0.0),
    }
}

/// The row of a pair that is expected to move by `change` against each other:
/// it leans towards the direction they will then have, as far as their gap
/// allows. Balls that slide on each other can then also sink to each other
/// in the same step; the row of their present direction would only let them
/// sink in the next one.
pub fn leaning_row(model: &Model, state: &State, pair: &Pair, change: DVec3) -> Row {
    let row = pair_row(model, state, pair);
    let difference = difference(state, pair);
    let distance = difference.length();
    let across = change - change.dot(row.normal) * row.normal;
    let slide = across.length();
    if row.gap <= 0.0 || slide <= 0.0 {
        return row;
    }
    let apart = distance - row.gap;
    let most = LEAN * (apart / distance).clamp(-1.0, 1.0).acos();
    let (sin, cos) = (slide / distance).atan().min(most).sin_cos();
    let normal = (cos * row.normal + sin / slide * across).normalize();
    Row { normal, gap: (normal.dot(difference) - apart).max(0.0), ..row }
}

/// The row of a pair whose motions so far, both straight and clear of each other, are `d_i` and
/// `d_j`: it holds for them, and any motions for which it holds are clear, too. Along the normal
/// of the place where they come nearest, both ends of the way are at least as far apart.
pub fn moving_row(model: &Model, state: &State, pair: &Pair, [d_i, d_j]: [DVec3; 2]) -> Row {
    let (start, change) = (difference(state, pair), d_i - d_j);
    let normal = nearest(start, change).try_normalize().unwrap_or(DVec3::X);
    let (a, b) = (&model.bodies[pair.i as usize], &model.bodies[pair.j as usize]);
    let room = normal.dot(start) - (a.radius + b.radius) - skin(model, pair);
    let key = Key { body: pair.i, other: Other::Body(pair.j) };
    Row { key, normal, gap: room.max(-normal.dot(change)).max(0.0) }
}

/// Of the places between `start` and `start + change`, the nearest to the origin.
fn nearest(start: DVec3, change: DVec3) -> DVec3 {
    let square = change.length_squared();
    let t = if square > 0.0 { (-start.dot(change) / square).clamp(0.0, 1.0) } else { 0.0 };
    start + t * change
}

/// Whether two balls keep their skin along the straight segments of their
/// motions: exact, by the least distance of a point from a segment.
pub fn sweep_is_clear(model: &Model, state: &State, pair: &Pair, d_i: DVec3, d_j: DVec3) -> bool {
    let start = difference(state, pair);
    gap(model, pair, nearest(start, d_i - d_j)) >= skin(model, pair)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{cuboid, model};
    use super::*;
    use crate::math::Random;
    use proptest::prelude::*;

    const PAIR: Pair = Pair { i: 0, j: 1 };

    /// Two balls that do not overlap, often nearly touching, and their motions.
    fn balls(random: &mut Random) -> (Model, State, [DVec3; 2]) {
        let mut point =
            |size: f64| DVec3::new(random.normal(), random.normal(), random.normal()) * size;
        let (centre, direction, motions) = (point(1.0), point(1.0), [point(1.0), point(1.0)]);
        let radii = [random.between(0.1, 1.0), random.between(0.1, 1.0)];
        let apart = radii[0] + radii[1] + 2e-9 + random.between(-0.3, 0.5).max(0.0);
        let positions = vec![centre, centre - direction.normalize() * apart];
        (model(cuboid(1.0), &radii), State::at_rest(positions), motions)
    }

    /// The gap after a part `t` of the motions.
    fn gap_after(model: &Model, state: &State, [d_i, d_j]: [DVec3; 2], t: f64) -> f64 {
        let (p, q) = (state.positions[0] + t * d_i, state.positions[1] + t * d_j);
        p.distance(q) - model.bodies[0].radius - model.bodies[1].radius
    }

    /// The least gap on the way, by ternary search: the distance along a segment is convex.
    fn least_gap(model: &Model, state: &State, motions: [DVec3; 2]) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..200 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            let [at_a, at_b] = [a, b].map(|t| gap_after(model, state, motions, t));
            if at_a < at_b { high = b } else { low = a }
        }
        gap_after(model, state, motions, low)
    }

    proptest! {
        #[test]
        fn the_row_holds_where_they_are_and_keeps_them_apart(seed: u64) {
            let (model, state, [d_i, d_j]) = balls(&mut Random::new(seed));
            let row = pair_row(&model, &state, &PAIR);
            prop_assert!(row.gap >= 0.0 && (row.normal.length() - 1.0).abs() < 1e-14);
            prop_assert_eq!(row.key, Key { body: 0, other: Other::Body(1) });
            let skin = skin(&model, &PAIR);
            prop_assert!((row.gap - (gap_after(&model, &state, [d_i, d_j], 0.0) - skin)).abs() < 1e-14);
            // As far as the row allows.
            let slope = row.normal.dot(d_i - d_j);
            let t = if slope < 0.0 { (row.gap / -slope).min(1.0) } else { 1.0 };
            let motions = [t * d_i, t * d_j];
            prop_assert!(least_gap(&model, &state, motions) >= 0.99 * skin);
        }

        /// However a row leans, it holds where they are and keeps them apart.
        #[test]
        fn a_leaning_row_is_as_good(seed: u64) {
            let random = &mut Random::new(seed);
            let (model, state, [d_i, d_j]) = balls(random);
            let change = DVec3::new(random.normal(), random.normal(), random.normal());
            let (row, straight) = (leaning_row(&model, &state, &PAIR, change), pair_row(&model, &state, &PAIR));
            prop_assert!(row.gap >= 0.0 && row.gap <= straight.gap + 1e-14);
            prop_assert!((row.normal.length() - 1.0).abs() < 1e-14);
            let across = change - change.dot(straight.normal) * straight.normal;
            prop_assert!(row.normal.dot(across) >= 0.0, "it leans the other way");
            let slope = row.normal.dot(d_i - d_j);
            let t = if slope < 0.0 { (row.gap / -slope).min(1.0) } else { 1.0 };
            prop_assert!(least_gap(&model, &state, [t * d_i, t * d_j]) >= 0.99 * skin(&model, &PAIR));
        }

        /// A row of motions that are clear holds for them, and keeps others apart.
        #[test]
        fn a_moving_row_is_as_good(seed: u64) {
            let random = &mut Random::new(seed);
            let (model, state, given) = balls(random);
            prop_assume!(sweep_is_clear(&model, &state, &PAIR, given[0], given[1]));
            let row = moving_row(&model, &state, &PAIR, given);
            prop_assert!(row.gap >= 0.0 && (row.normal.length() - 1.0).abs() < 1e-14);
            let room = row.normal.dot(given[0] - given[1]) + row.gap;
            prop_assert!(room >= -1e-15, "{room}");
            // The first goes on from there, as far as the row allows.
            let more = DVec3::new(random.normal(), random.normal(), random.normal());
            let slope = row.normal.dot(more);
            let t = if slope < 0.0 { (room / -slope).min(1.0) } else { 1.0 };
            let skin = skin(&model, &PAIR);
            prop_assert!(least_gap(&model, &state, [given[0] + t * more, given[1]]) >= 0.99 * skin);
        }

        #[test]
        fn the_sweep_is_exact(seed: u64) {
            let (model, state, motions) = balls(&mut Random::new(seed));
            let least = least_gap(&model, &state, motions);
            let skin = skin(&model, &PAIR);
            prop_assume!((least - skin).abs() > 1e-13);
            let clear = sweep_is_clear(&model, &state, &PAIR, motions[0], motions[1]);
            prop_assert_eq!(clear, least > skin, "least gap {:e}", least);
        }
    }

    /// A ball on another one, expected to slide: sinking on the way is allowed.
    #[test]
    fn a_row_leans_towards_where_they_will_be() {
        let model = model(cuboid(1.0), &[0.5, 0.5]);
        let state = State::at_rest(vec![DVec3::Z * 1.1, DVec3::ZERO]);
        let row = leaning_row(&model, &state, &PAIR, DVec3::new(0.22, 0.0, -0.5));
        assert!((row.normal.x / row.normal.z - 0.2).abs() < 1e-12, "{row:?}");
        // Further than the gap allows: nine tenths of the way to where the row is met.
        let row = leaning_row(&model, &state, &PAIR, DVec3::X * 5.0);
        let most = (1.0 / 1.1_f64).acos();
        assert!((row.normal.x.asin() / most - 0.9).abs() < 1e-6, "{row:?}");
        // Touching ones cannot lean.
        let touching = State::at_rest(vec![DVec3::Z, DVec3::ZERO]);
        assert_eq!(leaning_row(&model, &touching, &PAIR, DVec3::X).normal, DVec3::Z);
    }

    #[test]
    fn coincident_points_are_separated_along_x() {
        let model = model(cuboid(1.0), &[0.0, 0.0]);
        let row = pair_row(&model, &State::at_rest(vec![DVec3::ONE; 2]), &PAIR);
        assert_eq!((row.normal, row.gap), (DVec3::X, 0.0));
    }

    /// What stands still does so along the whole segment.
    #[test]
    fn no_motion_is_clear_exactly_if_the_skin_is_kept() {
        let model = model(cuboid(1.0), &[0.5, 0.5]);
        let clear = |distance: f64| {
            let state = State::at_rest(vec![DVec3::ZERO, DVec3::Z * distance]);
            sweep_is_clear(&model, &state, &PAIR, DVec3::ONE, DVec3::ONE)
        };
        assert!(clear(1.0 + 2e-9) && !clear(1.0 + 0.1e-9) && !clear(0.9));
    }
}
