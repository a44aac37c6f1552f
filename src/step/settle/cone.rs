//! Contacts without force may open, but not close: of the motions that no
//! force-carrying contact resists they leave a cone, and only what lies in it
//! can happen. A tower in a corner falls away from the walls, not into them.

use crate::math::{DVec3, Random};
use crate::solver::quadratic::{Demand, Quadratic, solve};

/// Random mixtures of the unstable modes that are tried, each in both directions.
const TRIES: usize = 4;

/// What is left of a motion of length 1 in the cone is nothing if it is shorter than this:
/// rounding.
const NOTHING: f64 = 1e-5;

/// A contact of a body that may move with another one, or with what cannot move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub a: usize,
    pub b: Option<usize>,
    pub normal: DVec3,
    pub carries: bool,
}

/// Motions in the cone that lower the energy, unit vectors over all bodies; empty if the
/// contacts without force block every one. The unstable modes span the range of the curvature
/// on the null space, so the product with a mixture of them depends on nothing but how a motion
/// slides: with a random one it is not zero by chance, and the projection on the cone
/// vanishes, in both directions, only if nothing in the cone slides at all.
pub(super) fn ways_out(
    sides: &[Side],
    unstable: &[Vec<DVec3>],
    width: usize,
    seed: u64,
) -> Vec<Vec<DVec3>> {
    let mut ways = Vec::new();
    let Some(first) = unstable.first() else { return ways };
    let mut random = Random::new(seed);
    for _ in 0..TRIES {
        let mut wish = vec![DVec3::ZERO; first.len()];
        for mode in unstable {
            let part = random.between(-1.0, 1.0);
            wish.iter_mut().zip(mode).for_each(|(w, m)| *w += *m * part);
        }
        for sign in [1.0, -1.0] {
            let wish: Vec<DVec3> = scaled(&wish, sign / length(&wish).max(f64::MIN_POSITIVE));
            let way = match sides.iter().all(|side| side.carries) {
                true => wish,
                false => nearest_in_cone(sides, &wish, width),
            };
            let left = length(&way);
            if left > NOTHING {
                ways.push(scaled(&way, left.recip()));
            }
        }
    }
    ways
}

/// The motion of the cone nearest to a wish.
fn nearest_in_cone(sides: &[Side], wish: &[DVec3], width: usize) -> Vec<DVec3> {
    let metric: Vec<f64> =
        (0..width * width).map(|k| f64::from(u8::from(k / width == k % width))).collect();
    let mut program = Quadratic::new(width);
    wish.iter().for_each(|wish| program.add_block(&metric, &wish.to_array()[..width]));
    for side in sides {
        let demand = if side.carries { Demand::Equal } else { Demand::AtLeast };
        let (own, other) = (side.normal.to_array(), (-side.normal).to_array());
        let first = (side.a as u32, &own[..width]);
        match side.b {
            Some(b) => program.add_row(demand, 0.0, &[first, (b as u32, &other[..width])]),
            None => program.add_row(demand, 0.0, &[first]),
        }
    }
    let answer = solve(&program, &[]);
    let part = |v: &[f64]| DVec3::new(v[0], v[1], *v.get(2).unwrap_or(&0.0));
    answer.x.chunks_exact(width).map(part).collect()
}

fn scaled(motion: &[DVec3], by: f64) -> Vec<DVec3> {
    motion.iter().map(|d| *d * by).collect()
}

fn length(motion: &[DVec3]) -> f64 {
    motion.iter().map(|d| d.length_squared()).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball on another: the upper one may slide, and both roll.
    fn tower(walls: &[(usize, DVec3)]) -> Vec<Vec<DVec3>> {
        let carrier = |a, b| Side { a, b, normal: DVec3::Z, carries: true };
        let mut sides = vec![carrier(0, None), carrier(1, Some(0))];
        sides.extend(walls.iter().map(|&(a, normal)| Side { a, b: None, normal, carries: false }));
        let mode = |d: DVec3| vec![-d * 0.5_f64.sqrt(), d * 0.5_f64.sqrt()];
        ways_out(&sides, &[mode(DVec3::X), mode(DVec3::Y)], 3, 7)
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
