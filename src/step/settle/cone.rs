//! Contacts without force may open, but not close: of the motions that no
//! force-carrying contact resists they leave a cone, and only what lies in it
//! can happen. A tower in a corner falls away from the walls, not into them.

use super::null_space::{Mode, Null};
use super::second_order::Measures;
use crate::math::{DVec3, NULL_MODE, Random};
use crate::shape::UnionFind;

/// Random mixtures of the unstable modes that are tried, each in both directions.
const TRIES: usize = 4;

/// What is left of a motion of length 1 in the cone is nothing if it is shorter than this:
/// rounding.
const NOTHING: f64 = 1e-5;

/// A motion of length 1 that a row of length 1 sees go outside by less than this is inside: rounding.
const INSIDE: f64 = 1e-13;

/// Rows of length 1 of which less than this is left beside others depend on them.
const DEPENDENT: f64 = 1e-11;

/// A push below this part of the wish is none.
const NO_PUSH: f64 = 1e-14;

/// Every row may be taken, and left again, so many times.
const ROUNDS: usize = 3;

/// A contact without force of a body that may move with another one, or with what cannot move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub a: usize,
    pub b: Option<usize>,
    pub normal: DVec3,
}

/// Motions in the cone that lower the energy, unit vectors over all bodies; empty if the
/// contacts without force block every one. What contacts resist by little counts as far as it meets no more resistance
/// than a null mode may: a contact that is closed by a ten-thousandth of a motion blocks it only if nothing beside the motion opens it. The unstable modes span the range of the curvature
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
    let modes = null.modes.iter().filter(is_reached).map(|mode| (mode, 1.0));
    let modes: Vec<(&Mode, f64)> =
        modes.chain(null.nearly.iter().map(|(mode, part)| (mode, *part))).collect();
    let rows: Vec<Vec<f64>> = idle.iter().filter_map(|side| side.row(&modes, measures)).collect();
    let mut random = Random::new(seed);
    for _ in 0..TRIES {
        let mut wish = vec![DVec3::ZERO; first.len()];
        for mode in &null.unstable {
            let part = random.between(-1.0, 1.0);
            wish.iter_mut().zip(mode).for_each(|(w, m)| *w += *m * part);
        }
        let share = |(mode, part): &(&Mode, f64)| {
            part * (0..).zip(&wish).map(|(i, w)| w.dot(mode.of(i))).sum::<f64>()
        };
        let shares: Vec<f64> = modes.iter().map(share).collect();
        let whole = length(&shares).max(f64::MIN_POSITIVE);
        for sign in [1.0, -1.0] {
            let shares: Vec<f64> = shares.iter().map(|share| share * sign / whole).collect();
            let nearest = if rows.is_empty() { shares } else { nearest_in_cone(&rows, &shares) };
            let left = length(&nearest);
            if left > NOTHING {
                let mut way = vec![DVec3::ZERO; first.len()];
                for ((mode, part), share) in modes.iter().zip(&nearest) {
                    (0..).zip(&mut way).for_each(|(i, w)| *w += mode.of(i) * (part * share));
                }
                let size = way.iter().map(|w| w.length_squared()).sum::<f64>().sqrt();
                way.iter_mut().for_each(|w| *w /= size.max(f64::MIN_POSITIVE));
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
    fn row(&self, modes: &[(&Mode, f64)], measures: &Measures) -> Option<Vec<f64>> {
        let opens = |(mode, part): &(&Mode, f64)| {
            part * self.normal.dot(measures.against(|i| mode.of(i), self.a, self.b))
        };
        let row: Vec<f64> = modes.iter().map(opens).collect();
        let size = length(&row);
        // What meets a motion as little as that is not moved by it.
        (size.powi(2) > NULL_MODE).then(|| row.iter().map(|x| x / size).collect())
    }
}

/// The point of the cone in which all rows are at least 0 that is nearest to a wish: what is left of that beside a
/// combination of the rows without negative parts that comes as close to its opposite as any. Found
/// as Lawson and Hanson do, one row after the other, and by orthogonal parts: rows may lean on each other by
/// very little.
fn nearest_in_cone(rows: &[Vec<f64>], wish: &[f64]) -> Vec<f64> {
    let mut pushes = vec![0.0; rows.len()];
    let mut pushing: Vec<usize> = Vec::new();
    let mut nearest = wish.to_vec();
    for _ in 0..ROUNDS * (rows.len() + 1) {
        let outside = |k: &usize| -dot(&rows[*k], &nearest);
        let others = (0..rows.len()).filter(|k| !pushing.contains(k));
        let deepest = others.max_by(|a, b| outside(a).total_cmp(&outside(b)));
        let Some(next) = deepest.filter(|k| outside(k) > INSIDE) else { break };
        pushing.push(next);
        loop {
            let Some(wanted) = least_squares(rows, &pushing, wish) else {
                // It says what others say, but for rounding.
                pushing.pop();
                return nearest;
            };
            let stops = pushing.iter().zip(&wanted).filter(|(_, wanted)| **wanted <= 0.0);
            let part = stops.map(|(&k, w)| pushes[k] / (pushes[k] - w)).min_by(f64::total_cmp);
            for (&k, wanted) in pushing.iter().zip(&wanted) {
                pushes[k] += part.unwrap_or(1.0) * (wanted - pushes[k]);
            }
            if part.is_none() {
                break;
            }
            pushing.retain(|&k| pushes[k] > NO_PUSH);
            (0..rows.len()).filter(|k| !pushing.contains(k)).for_each(|k| pushes[k] = 0.0);
        }
        nearest = wish.to_vec();
        for &k in &pushing {
            nearest.iter_mut().zip(&rows[k]).for_each(|(x, r)| *x += pushes[k] * r);
        }
    }
    nearest
}

/// The combination of some rows that takes away most of a wish; none if they depend on each other.
fn least_squares(rows: &[Vec<f64>], chosen: &[usize], wish: &[f64]) -> Option<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = chosen.iter().map(|&k| rows[k].clone()).collect();
    for at in 0..basis.len() {
        let (done, rest) = basis.split_at_mut(at);
        let own = &mut rest[0];
        // Twice, as rounding leaves some of what is large the first time.
        for other in done.iter().chain(done.iter()) {
            let part = dot(own, other);
            own.iter_mut().zip(other).for_each(|(x, o)| *x -= part * o);
        }
        let left = length(own);
        if left < DEPENDENT {
            return None;
        }
        own.iter_mut().for_each(|x| *x /= left);
    }
    let mut left = wish.to_vec();
    let mut wanted = vec![0.0; chosen.len()];
    for (at, &k) in chosen.iter().enumerate().rev() {
        wanted[at] = -dot(&basis[at], &left) / dot(&basis[at], &rows[k]);
        left.iter_mut().zip(&rows[k]).for_each(|(x, r)| *x += wanted[at] * r);
    }
    Some(wanted)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
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
        let null = Null { count: 4, modes, unstable: sliding.to_vec(), ..Null::default() };
        ways_out(&idle, &null, &Measures::alike(2), 7)
    }

    /// Two that lean together by little push outwards by what little there is, and leave nothing.
    #[test]
    fn narrow_wedges_leave_no_way() {
        for lean in [1e-2, 1e-4, 1e-6] {
            let row = |x: f64| {
                let row = [x, lean, 0.0];
                row.map(|part| part / length(&row)).to_vec()
            };
            let rows = [row(1.0), row(-1.0)];
            assert!(length(&nearest_in_cone(&rows, &[0.0, -1.0, 0.0])) < 1e-8, "{lean}");
            // Upwards, and along, there is a way.
            let up = nearest_in_cone(&rows, &[0.3, 1.0, 0.0]);
            assert!(up[1] > 0.5 && up[0].abs() <= lean * up[1] + 1e-12, "{lean} {up:?}");
            let along = nearest_in_cone(&rows, &[0.0, -1.0, 1.0]);
            assert!(along[1].abs() < 1e-8 && (along[2] - 1.0).abs() < 1e-8, "{lean} {along:?}");
        }
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
