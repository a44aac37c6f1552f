//! Offenders that are held back. Of many bodies near rest, a few that nothing holds run into
//! others that had no rows; another program of all, for their sake, would cost as much as the
//! first. Each goes only as far along its motion as nobody is in its way.

use super::Cell;
use crate::contact::{Row, pair_row, sweep_is_clear};
use crate::math::DVec3;
use crate::near::Pair;

/// More offenders than this get their rows.
const MOST: usize = 64;

impl Cell<'_> {
    /// Shortens the motions of bodies that would meet others, where that alone makes all clear;
    /// the others' offences stay.
    pub(super) fn hold_back(&self, motion: &mut [DVec3]) {
        let (model, state) = (self.model, self.state);
        let clear = |pair: &Pair, motion: &[DVec3]| {
            let [d_i, d_j] = [pair.i, pair.j].map(|k| motion[k as usize]);
            sweep_is_clear(model, state, pair, d_i, d_j)
        };
        let offending = |pair: &&Pair| !clear(pair, motion);
        let offenders: Vec<Pair> = self.spare_pairs.iter().filter(offending).copied().collect();
        if offenders.len() > MOST || !model.joints.is_empty() {
            return;
        }
        for pair in offenders {
            let mut sides = [pair.i as usize, pair.j as usize];
            if motion[sides[1]].length_squared() > motion[sides[0]].length_squared() {
                sides.swap(0, 1);
            }
            for body in sides.into_iter().filter(|&body| self.active[body]) {
                let whole = motion[body];
                let Some(part) = self.part(body, &pair, motion) else { continue };
                motion[body] = part * whole;
                let own = |p: &&Pair| [p.i, p.j].contains(&(body as u32));
                if self.spare_pairs.iter().filter(own).all(|pair| clear(pair, motion)) {
                    break;
                }
                motion[body] = whole;
            }
        }
    }

    /// The largest part of a body's motion that leaves all its rows as they should be, and that
    /// of the pair, too.
    fn part(&self, body: usize, pair: &Pair, motion: &[DVec3]) -> Option<f64> {
        let (mut least, mut most) = (0.0_f64, 1.0_f64);
        let mut limit = |row: &Row, holds: bool| {
            let second = row.key.second(self.model);
            let sign = if row.key.body as usize == body { 1.0 } else { -1.0 };
            let other = if sign > 0.0 { second } else { Some(row.key.body as usize) };
            let still = other.map_or(0.0, |j| -sign * row.normal.dot(motion[j])) + row.gap;
            let slope = sign * row.normal.dot(motion[body]);
            // Rows that hold do so to rounding.
            let room = if holds { still.max(-slope) } else { still };
            match slope {
                slope if slope > 0.0 => least = least.max(-room / slope),
                slope if slope < 0.0 => most = most.min(room / -slope),
                _ if room < 0.0 => most = -1.0,
                _ => {}
            }
        };
        let is_own =
            |row: &&Row| row.key.body as usize == body || row.key.second(self.model) == Some(body);
        self.rows.iter().chain(&self.spare_rows).filter(is_own).for_each(|row| limit(row, true));
        limit(&pair_row(self.model, self.state, pair), false);
        (least <= most && most >= 0.0).then_some(most)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::samples::{PLAN, at, watch};
    use super::super::{Memory, Surroundings};
    use super::*;
    use crate::contact::samples::{cuboid, model};
    use crate::math::Random;
    use crate::scene::SettleOptions;
    use proptest::prelude::*;

    /// The motions of balls at some places, after holding back, with what is not clear before
    /// and after, and the worst row.
    fn held(radii: &[f64], places: &[DVec3], wanted: &[DVec3]) -> (Vec<DVec3>, [usize; 2], f64) {
        let (cores, state) = at(model(cuboid(6.0), radii), places);
        let memory = Memory::new(&cores, &SettleOptions::default());
        let active = vec![true; places.len()];
        let around = Surroundings::new(&cores, &state, &active, &PLAN, &memory, &mut watch());
        let mut cell = Cell::new(&around, &active, &[], &around.balls, &PLAN, &memory);
        // Rows that the wanted motions do not meet stand for a program's.
        let value = |row: &Row, motion: &[DVec3]| {
            let second = row.key.second(&cores.model).map_or(DVec3::ZERO, |j| motion[j]);
            row.normal.dot(motion[row.key.body as usize] - second) + row.gap
        };
        cell.rows.retain(|row| value(row, wanted) >= 0.0);
        cell.spare_rows.retain(|row| value(row, wanted) >= 0.0);
        let offences = |motion: &[DVec3]| {
            let offends = |p: &&Pair| {
                let [a, b] = [p.i, p.j].map(|k| motion[k as usize]);
                !sweep_is_clear(&cores.model, &state, p, a, b)
            };
            cell.spare_pairs.iter().filter(offends).count()
        };
        let mut motion = wanted.to_vec();
        cell.hold_back(&mut motion);
        let rows = cell.rows.iter().chain(&cell.spare_rows);
        let worst = rows.map(|row| value(row, &motion)).fold(0.0, f64::min);
        let counts = [offences(wanted), offences(&motion)];
        (motion, counts, worst)
    }

    /// One that falls stops above what is below it, and nobody else is changed.
    #[test]
    fn who_falls_stops() {
        let places = [[3.0, 3.0, 0.5], [3.0, 3.0, 2.1], [1.0, 1.0, 3.0]].map(DVec3::from_array);
        let wanted = [DVec3::ZERO, DVec3::Z * -0.8, DVec3::Z * -0.5];
        let (motion, offences, worst) = held(&[0.5; 3], &places, &wanted);
        assert_eq!((offences, worst, motion[0], motion[2]), ([1, 0], 0.0, wanted[0], wanted[2]));
        assert!((motion[1].z + 0.6).abs() < 1e-8 && motion[1].z > -0.6, "{motion:?}");
    }

    proptest! {
        /// Whatever is held back, rows hold, offences only get fewer, and motions are parts of
        /// what they were.
        #[test]
        fn holding_back_does_no_harm(seed: u64) {
            let random = &mut Random::new(seed);
            let (mut radii, mut places): (Vec<f64>, Vec<DVec3>) = Default::default();
            for _ in 0..60 {
                let radius = random.between(0.3, 0.6);
                let mut side = || random.between(radius + 1e-6, 6.0 - radius - 1e-6);
                let place = DVec3::new(side(), side(), side());
                let apart =
                    |(q, r): (&DVec3, &f64)| place.distance(*q) > (radius + r) * (1.0 + 1e-8);
                if places.iter().zip(&radii).all(apart) {
                    radii.push(radius);
                    places.push(place);
                }
            }
            let mut step = || random.between(-0.5, 0.5);
            let wanted: Vec<DVec3> = (radii.iter())
                .map(|radius| DVec3::new(step(), step(), step()) * *radius)
                .collect();
            let (motion, [before, after], worst) = held(&radii, &places, &wanted);
            prop_assert!(after <= before && worst > -1e-14, "{before} {after} {worst}");
            for (held, wanted) in motion.iter().zip(&wanted) {
                let part = held.dot(*wanted) / wanted.length_squared();
                prop_assert!((0.0..=1.0 + 1e-15).contains(&part));
                prop_assert!((part * *wanted - *held).length() < 1e-15);
            }
        }
    }
}
