//! Contacts without force may open, but not close: of the motions that no
//! force-carrying contact resists they leave a cone, and only what lies in it
//! can happen. A tower in a corner falls away from the walls, not into them.

use super::null_space::{Mode, Null};
use super::second_order::Measures;
use crate::math::{DVec3, Random};
use crate::shape::UnionFind;
use crate::solver::quadratic::{Demand, MOST_WIDTH, Quadratic, solve};

/// Random mixtures of the unstable modes that are tried, each in both directions.
const TRIES: usize = 4;

/// A contact that opens or closes by less than this along motions of length 1 is not moved by them.
const UNMOVED: f64 = 1e-9;

/// What is left of a motion of length 1 in the cone is nothing if it is shorter than this:
/// rounding.
const NOTHING: f64 = 1e-5;

/// A contact without force of a body that may move with another one, or with what cannot move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub a: usize,
    pub b: Option<usize>,
    pub normal: DVec3,
}

/// Motions in the cone that lower the energy, unit vectors over all bodies; empty if the
/// contacts without force block every one. The unstable modes span the range of the curvature
/// on them, so the product with a mixture of these depends on nothing but how a motion
/// slides: with a random one it is not zero by chance, and the projection on the cone
/// vanishes, in both directions, only if nothing in the cone slides at all.
pub(super) fn ways_out(
    idle: &[Side],
    null: &Null,
    measures: &Measures,
    seed: u64,
) -> Vec<Vec<DVec3>> {
    let mut ways = Vec::new();
    let Some(first) = null.unstable.first() else { return ways };
    let moves = reached(idle, null);
    let is_reached = |mode: &&Mode| !matches!(mode, Mode::Alone(body, _) if !moves[*body]);
    let modes: Vec<&Mode> = null.modes.iter().filter(is_reached).collect();
    let rows: Vec<Vec<f64>> = idle.iter().filter_map(|side| side.row(&modes, measures)).collect();
    let mut random = Random::new(seed);
    for _ in 0..TRIES {
        let mut wish = vec![DVec3::ZERO; first.len()];
        for mode in &null.unstable {
            let part = random.between(-1.0, 1.0);
            wish.iter_mut().zip(mode).for_each(|(w, m)| *w += *m * part);
        }
        let share = |mode: &&Mode| (0..).zip(&wish).map(|(i, w)| w.dot(mode.of(i))).sum::<f64>();
        let shares: Vec<f64> = modes.iter().map(share).collect();
        let whole = length(&shares).max(f64::MIN_POSITIVE);
        for sign in [1.0, -1.0] {
            let shares: Vec<f64> = shares.iter().map(|share| share * sign / whole).collect();
            let nearest = if rows.is_empty() { shares } else { nearest_in_cone(&rows, &shares) };
            let left = length(&nearest);
            if left > NOTHING {
                let mut way = vec![DVec3::ZERO; first.len()];
                for (mode, share) in modes.iter().zip(&nearest) {
                    (0..).zip(&mut way).for_each(|(i, w)| *w += mode.of(i) * (share / left));
                }
                ways.push(way);
            }
        }
    }
    ways
}

/// The bodies that unstable modes move, or that could be in their way.
fn reached(idle: &[Side], null: &Null) -> Vec<bool> {
    let count = null.unstable.first().map_or(0, Vec::len);
    let mut sets = UnionFind::new(count);
    for side in idle {
        side.b.iter().for_each(|b| sets.union(side.a, *b));
    }
    let mut moves = vec![false; count];
    for mode in &null.unstable {
        let moved = (0..count).filter(|&i| mode[i] != DVec3::ZERO);
        moved.for_each(|i| moves[sets.find(i)] = true);
    }
    (0..count).map(|i| moves[sets.find(i)]).collect()
}

impl Side {
    /// How it opens along each of some motions; none if along no one.
    fn row(&self, modes: &[&Mode], measures: &Measures) -> Option<Vec<f64>> {
        let opens =
            |mode: &&Mode| self.normal.dot(measures.against(|i| mode.of(i), self.a, self.b));
        let row: Vec<f64> = modes.iter().map(opens).collect();
        let size = length(&row);
        (size > UNMOVED).then(|| row.iter().map(|x| x / size).collect())
    }
}

/// The point of the cone in which all rows are at least 0 that is nearest to a wish.
fn nearest_in_cone(rows: &[Vec<f64>], wish: &[f64]) -> Vec<f64> {
    let metric: Vec<f64> = (0..MOST_WIDTH * MOST_WIDTH)
        .map(|k| f64::from(u8::from(k % (MOST_WIDTH + 1) == 0)))
        .collect();
    let padded = |values: &[f64]| {
        let mut padded = values.to_vec();
        padded.resize(values.len().next_multiple_of(MOST_WIDTH), 0.0);
        padded
    };
    let mut program = Quadratic::new(MOST_WIDTH);
    padded(wish).chunks_exact(MOST_WIDTH).for_each(|block| program.add_block(&metric, block));
    for row in rows {
        let row = padded(row);
        let parts: Vec<(u32, &[f64])> = (0..).zip(row.chunks_exact(MOST_WIDTH)).collect();
        program.add_row(Demand::AtLeast, 0.0, &parts);
    }
    let mut nearest = solve(&program, &[]).x;
    nearest.truncate(wish.len());
    nearest
}

fn length(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball on another: both may move to all sides, and the upper one slides on the lower.
    fn tower(walls: &[(usize, DVec3)]) -> Vec<Vec<DVec3>> {
        let half = 0.5_f64.sqrt();
        let mode = |d: DVec3, sign: f64| vec![sign * d * half, d * half];
        let idle: Vec<Side> =
            walls.iter().map(|&(a, normal)| Side { a, b: None, normal }).collect();
        let sliding = [mode(DVec3::X, -1.0), mode(DVec3::Y, -1.0)];
        let rolling = [mode(DVec3::X, 1.0), mode(DVec3::Y, 1.0)];
        let modes = sliding.iter().chain(&rolling).cloned().map(Mode::Together).collect();
        let null = Null { count: 4, modes, unstable: sliding.to_vec(), margin: 1.0 };
        ways_out(&idle, &null, &Measures::alike(2), 7)
    }

    #[test]
    fn without_walls_every_way_is_open() {
        assert_eq!(tower(&[]).len(), 2 * TRIES);
    }

    #[test]
    fn in_a_corner_ways_lead_out_of_it() {
        let walls = [(0, DVec3::X), (0, DVec3::Y), (1, DVec3::X), (1, DVec3::Y)];
        let ways = tower(&walls);
        assert!(!ways.is_empty());
        for way in &ways {
            assert!(way.iter().all(|d| d.x > -1e-9 && d.y > -1e-9 && d.z.abs() < 1e-9), "{way:?}");
            assert!((way[0] - way[1]).length() > 1e-3, "{way:?}");
        }
    }

    /// In a shaft as wide as the balls nothing moves sideways; in a slot, along it only.
    #[test]
    fn shafts_block_and_slots_guide() {
        let mut walls = vec![(0, DVec3::X), (0, -DVec3::X), (1, DVec3::X), (1, -DVec3::X)];
        let ways = tower(&walls);
        assert!(!ways.is_empty() && ways.iter().flatten().all(|d| d.x.abs() < 1e-9));
        walls.extend([(0, DVec3::Y), (0, -DVec3::Y), (1, DVec3::Y), (1, -DVec3::Y)]);
        assert!(tower(&walls).is_empty());
    }
}
