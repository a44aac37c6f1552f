//! Contacts without force do not resist, but they do not let go through
//! either: of the null motions of a rest they leave a cone. If nothing in it
//! slides on a curved contact that carries force, no motion lowers the energy,
//! however many null modes would.
//!
//! Asked of one island after the other. Let `P` project on the null motions of
//! an island, `g = P G z` for a random `z`, `G` being forces times curvatures, and `b`
//! the projected rows of the contacts without force. The product of `g` with a null
//! motion depends on how that slides alone, so by Farkas nothing in the cone
//! `b y >= 0` slides if and only if, but for chance, both `g` and `-g` are
//! combinations of the `-b` without negative parts.

use super::inertia::End;
use super::rest::Touch;
use crate::math::{DVec3, NULL_MODE, Random, UNSTABLE_MODE};
use crate::shape::UnionFind;

/// Islands of more unknowns than this are not asked: everything here is dense.
const MOST_UNKNOWNS: usize = 1200;

/// How far rows that come one after the other may be from telling how much a motion is resisted.
const BORDER: f64 = 10.0;

/// What a combination may leave of `g`, relative to it: rounding.
const NOTHING: f64 = 1e-6;

/// What is left of a row beside others, relative to it, if it depends on them: rounding.
const DEPENDENT: f64 = 1e-11;

/// A contact among the bodies that may move, as [`super::second_order`] counts them.
#[derive(Clone, Copy)]
pub(super) struct Side<'t> {
    pub a: End,
    pub b: Option<End>,
    /// What makes its row one of length 1, and its force in weights, both of the body that
    /// it can hold most easily.
    pub unit: f64,
    pub force: f64,
    pub touch: &'t Touch,
}

/// Whether the contacts without force (`idle`) block every motion that slides on a curved
/// carrier; false, too, if that cannot be told. `per_weight` is the typical radius over the typical weight.
pub(super) fn blocks(
    carriers: &[Side],
    idle: &[Side],
    bodies: usize,
    width: usize,
    per_weight: f64,
    seed: u64,
) -> bool {
    if idle.is_empty() {
        return false;
    }
    let mut random = Random::new(seed);
    let islands = Islands::new(carriers, idle, bodies);
    islands.roots().all(|root| {
        let (island, held, here) = islands.island(root, carriers, idle, width, per_weight);
        let idle: Vec<&Side> = here.iter().map(|&k| &idle[k]).collect();
        island.size <= MOST_UNKNOWNS && island.is_blocked(&held, &idle, &mut random)
    })
}

/// Which contacts without force hold each other: no motion that the carriers leave opens them.
/// One is opened by no motion if what is left of its row in the cone is nothing, and neither are those
/// that left nothing of it.
pub(super) fn hold_each_other(
    carriers: &[Side],
    idle: &[Side],
    bodies: usize,
    width: usize,
) -> Vec<bool> {
    let mut shut = vec![false; idle.len()];
    let islands = Islands::new(carriers, idle, bodies);
    for root in islands.roots() {
        let (island, held, here) = islands.island(root, carriers, idle, width, 1.0);
        if here.is_empty() || island.size > MOST_UNKNOWNS {
            continue;
        }
        let held = island.held(&held, 1.0);
        let (here, rows): (Vec<usize>, Vec<Vec<f64>>) = (here.iter())
            .map(|&k| (k, island.free_row(&idle[k], &held)))
            .filter(|(_, row)| dot(row, row) > NULL_MODE)
            .unzip();
        for (at, row) in rows.iter().enumerate() {
            if shut[here[at]] {
                continue;
            }
            let (left, factors) = left_over(&rows, row);
            if dot(&left, &left).sqrt() <= NOTHING * dot(row, row).sqrt() {
                shut[here[at]] = true;
                let others = here.iter().zip(factors).filter(|(_, factor)| *factor > NOTHING);
                others.for_each(|(&k, _)| shut[k] = true);
            }
        }
    }
    shut
}

/// Bodies that contacts connect, and the number of each among its own.
struct Islands {
    of: Vec<usize>,
    number: Vec<usize>,
    counts: Vec<usize>,
}

impl Islands {
    fn new(carriers: &[Side], idle: &[Side], bodies: usize) -> Islands {
        let mut sets = UnionFind::new(bodies);
        for Side { a, b, .. } in carriers.iter().chain(idle) {
            b.iter().for_each(|b| sets.union(a.0, b.0));
        }
        let of: Vec<usize> = (0..bodies).map(|i| sets.find(i)).collect();
        let (mut number, mut counts) = (vec![0; bodies], vec![0; bodies]);
        for i in 0..bodies {
            number[i] = counts[of[i]];
            counts[of[i]] += 1;
        }
        Islands { of, number, counts }
    }

    fn roots(&self) -> impl Iterator<Item = usize> {
        (0..self.of.len()).filter(|&i| self.of[i] == i)
    }

    /// One of them, its carriers, and which of the contacts without force are in it.
    fn island<'s, 't>(
        &self,
        root: usize,
        carriers: &'s [Side<'t>],
        idle: &[Side],
        width: usize,
        per_weight: f64,
    ) -> (Island<'_>, Vec<&'s Side<'t>>, Vec<usize>) {
        let is_here = |side: &Side| self.of[side.a.0] == root;
        let size = width * self.counts[root];
        let island = Island { width, size, number: &self.number, per_weight };
        let held = carriers.iter().filter(|side| is_here(side)).collect();
        (island, held, (0..idle.len()).filter(|&k| is_here(&idle[k])).collect())
    }
}

/// An orthonormal basis of the motions that no carrier resists, and how many motions besides are
/// resisted so little that it cannot be told; none if there are too many bodies.
pub(super) fn free_motions(
    carriers: &[Side],
    bodies: usize,
    width: usize,
) -> Option<(Vec<Vec<f64>>, usize)> {
    let number: Vec<usize> = (0..bodies).collect();
    let whole = Island { width, size: width * bodies, number: &number, per_weight: 1.0 };
    if whole.size > MOST_UNKNOWNS {
        return None;
    }
    let carriers: Vec<&Side> = carriers.iter().collect();
    let mut basis = whole.held(&carriers, BORDER.recip());
    let resisted = basis.len();
    let hardly = resisted.saturating_sub(whole.held(&carriers, BORDER).len());
    // What is left of one unit vector after the other, the longest first.
    let mut left: Vec<Vec<f64>> = Vec::new();
    for k in 0..whole.size {
        let mut unit = vec![0.0; whole.size];
        unit[k] = 1.0;
        project(&mut unit, &basis);
        left.push(unit);
    }
    while basis.len() < whole.size {
        let length = |v: &Vec<f64>| dot(v, v);
        let longest = left.iter().max_by(|a, b| length(a).total_cmp(&length(b)))?;
        let size = length(longest).sqrt();
        let next: Vec<f64> = longest.iter().map(|x| x / size).collect();
        left.iter_mut().for_each(|v| project(v, std::slice::from_ref(&next)));
        basis.push(next);
    }
    Some((basis.split_off(resisted), hardly))
}

/// Bodies that hang together, each with its number among them.
struct Island<'n> {
    width: usize,
    size: usize,
    number: &'n [usize],
    per_weight: f64,
}

impl Island<'_> {
    /// A vector as a row: what it does to the first body, and the opposite to the second.
    fn spread(&self, side: &Side, v: DVec3) -> Vec<f64> {
        let mut row = vec![0.0; self.size];
        for (end, sign) in [(Some(side.a), 1.0), (side.b, -1.0)] {
            let Some((body, measure)) = end else { continue };
            let at = self.number[body] * self.width;
            (0..self.width).for_each(|k| row[at + k] += sign * measure * v[k]);
        }
        row
    }

    /// An orthonormal basis of what the carriers resist: by more than `least` of what counts.
    fn held(&self, carriers: &[&Side], least: f64) -> Vec<Vec<f64>> {
        let mut held: Vec<Vec<f64>> = Vec::new();
        for side in carriers {
            let mut row = self.spread(side, side.touch.normal * side.unit);
            project(&mut row, &held);
            let length = dot(&row, &row).sqrt();
            // A wedge holds by large forces on rows that hardly differ.
            if length * side.force.max(1.0) > least * NULL_MODE.sqrt() {
                row.iter_mut().for_each(|x| *x /= length);
                held.push(row);
            }
        }
        held
    }

    /// How a contact opens along the motions that carriers leave.
    fn free_row(&self, side: &Side, held: &[Vec<f64>]) -> Vec<f64> {
        let mut row = self.spread(side, side.touch.normal * side.unit);
        project(&mut row, held);
        row
    }

    fn is_blocked(&self, carriers: &[&Side], idle: &[&Side], random: &mut Random) -> bool {
        let held = self.held(carriers, 1.0);
        // The projection on null motions of a random slip functional. All curved contacts count alike in it,
        // whatever their forces: sliding on a light one must not be lost beside heavy ones, nor
        // the rounding of a wedge's forces be taken for sliding.
        let mut pull = vec![0.0; self.size];
        for side in carriers {
            let z = DVec3::new(random.normal(), random.normal(), random.normal());
            let bend = side.touch.curvature;
            let most = bend.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            if most == 0.0 || side.touch.force <= 0.0 {
                continue;
            }
            let row = self.spread(side, bend * z * (side.unit / most));
            pull.iter_mut().zip(row).for_each(|(p, r)| *p += r);
        }
        let whole = dot(&pull, &pull).sqrt();
        project(&mut pull, &held);
        if dot(&pull, &pull).sqrt() <= NOTHING * whole {
            return true;
        }
        let rows = idle.iter().map(|side| self.free_row(side, &held));
        let rows: Vec<Vec<f64>> = rows.filter(|row| dot(row, row) > NULL_MODE).collect();
        let back: Vec<f64> = pull.iter().map(|x| -x).collect();
        [pull, back].iter().all(|pull| {
            let (way, _) = left_over(&rows, pull);
            let length = dot(&way, &way).sqrt();
            // A way on which next to nothing slides, as a narrow wedge leaves it, is as neutral as a mode.
            length <= NOTHING * dot(pull, pull).sqrt()
                || self.falls(carriers, &way) <= UNSTABLE_MODE * length.powi(2)
        })
    }

    /// By how much the energy falls along a motion, to second order.
    fn falls(&self, carriers: &[&Side], way: &[f64]) -> f64 {
        let of = |(body, measure): End| {
            let part = &way[self.number[body] * self.width..][..self.width];
            DVec3::new(part[0], part[1], *part.get(2).unwrap_or(&0.0)) * measure
        };
        let fall = |side: &&Side| {
            let slid = of(side.a) - side.b.map_or(DVec3::ZERO, of);
            slid.dot(side.touch.curvature * slid) * side.touch.force
        };
        self.per_weight * carriers.iter().map(fall).sum::<f64>()
    }
}

/// What remains of `g + sum l b` at its shortest, `l` not negative: the active sets of Lawson and
/// Hanson. It is the point of the cone that is nearest to `g`. With the factors.
fn left_over(rows: &[Vec<f64>], g: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let whole = dot(g, g).sqrt();
    let mut factors = vec![0.0; rows.len()];
    let mut candidates: Vec<usize> = (0..rows.len()).collect();
    let mut active: Vec<usize> = Vec::new();
    for _ in 0..3 * rows.len() {
        let left = remains(rows, &factors, g);
        let gain = |k: &usize| -dot(&rows[*k], &left);
        let best = candidates.iter().copied().max_by(|a, b| gain(a).total_cmp(&gain(b)));
        let Some(next) = best.filter(|k| gain(k) > 1e-12 * whole) else { break };
        candidates.retain(|&k| k != next);
        active.push(next);
        if least_squares(rows, &active, g).is_none() {
            // It repeats others, and is not asked again.
            active.pop();
            continue;
        }
        while let Some(wanted) = least_squares(rows, &active, g) {
            let ends = active.iter().zip(&wanted).filter(|(_, w)| **w <= 0.0);
            let part = ends.map(|(&k, w)| factors[k] / (factors[k] - w)).min_by(f64::total_cmp);
            for (&k, w) in active.iter().zip(&wanted) {
                factors[k] += part.unwrap_or(1.0) * (w - factors[k]);
            }
            if part.is_none() {
                break;
            }
            // At least one has come to its end.
            active.retain(|&k| {
                let stays = factors[k] > 1e-14;
                if !stays {
                    factors[k] = 0.0;
                    candidates.push(k);
                }
                stays
            });
        }
    }
    (remains(rows, &factors, g), factors)
}

/// `g + sum l b`.
fn remains(rows: &[Vec<f64>], factors: &[f64], g: &[f64]) -> Vec<f64> {
    let mut left = g.to_vec();
    for (row, factor) in rows.iter().zip(factors) {
        left.iter_mut().zip(row).for_each(|(x, r)| *x += factor * r);
    }
    left
}

/// Factors of the active rows that make `g + sum l b` shortest; none if they depend on each other. Rows that lean on each
/// other by a millionth are told apart, of which the squares of their products would know nothing.
fn least_squares(rows: &[Vec<f64>], active: &[usize], g: &[f64]) -> Option<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(active.len());
    for &k in active {
        let mut row = rows[k].clone();
        project(&mut row, &basis);
        let left = dot(&row, &row).sqrt();
        if left <= DEPENDENT * dot(&rows[k], &rows[k]).sqrt() {
            return None;
        }
        row.iter_mut().for_each(|x| *x /= left);
        basis.push(row);
    }
    let mut left = g.to_vec();
    let mut factors = vec![0.0; active.len()];
    for (at, &k) in active.iter().enumerate().rev() {
        // Of this basis vector only this row and those behind it have a part.
        let factor = -dot(&basis[at], &left) / dot(&basis[at], &rows[k]);
        factors[at] = factor;
        left.iter_mut().zip(&rows[k]).for_each(|(x, r)| *x += factor * r);
    }
    Some(factors)
}

/// Takes away the parts along orthonormal rows, twice, as rounding leaves some the first time.
fn project(v: &mut [f64], held: &[Vec<f64>]) {
    for _ in 0..2 {
        for row in held {
            let part = dot(v, row);
            v.iter_mut().zip(row).for_each(|(x, r)| *x -= part * r);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DMat3;
    use crate::verify::second_order::outer;

    fn touch(body: usize, other: Option<usize>, normal: DVec3, force: f64) -> Touch {
        let across = DMat3::IDENTITY - outer(normal);
        let curvature = if other.is_some() { across } else { DMat3::ZERO };
        Touch { body, other, normal, gap: 0.0, force, curvature }
    }

    fn sides(touches: &[Touch]) -> Vec<Side<'_>> {
        fn side(touch: &Touch) -> Side<'_> {
            let Touch { body, other, force, .. } = *touch;
            Side { a: (body, 1.0), b: other.map(|b| (b, 1.0)), unit: 1.0, force, touch }
        }
        touches.iter().map(side).collect()
    }

    /// A tower of balls between walls that carry nothing.
    fn is_blocked(height: usize, walls: &[DVec3]) -> bool {
        let below = |k: usize| k.checked_sub(1);
        let tower: Vec<Touch> =
            (0..height).map(|k| touch(k, below(k), DVec3::Z, (height - k) as f64)).collect();
        let walls: Vec<Touch> = (0..height)
            .flat_map(|k| walls.iter().map(move |&normal| touch(k, None, normal, 0.0)))
            .collect();
        blocks(&sides(&tower), &sides(&walls), height, 3, 0.5, 1)
    }

    #[test]
    fn towers_are_held_by_walls_on_all_sides() {
        let (x, y) = (DVec3::X, DVec3::Y);
        for height in 2..6 {
            assert!(!is_blocked(height, &[]));
            assert!(!is_blocked(height, &[x, y]), "in a corner");
            assert!(!is_blocked(height, &[x, -x, y]), "at the end of a slot");
            assert!(is_blocked(height, &[x, -x, y, -y]));
            let angle = std::f64::consts::TAU / 3.0;
            let three =
                [0.0, 1.0, 2.0].map(|k| DVec3::new((k * angle).cos(), (k * angle).sin(), 0.0));
            assert!(is_blocked(height, &three), "in a triangle");
            assert!(!is_blocked(height, &three[..2]));
        }
    }

    /// Three walls hold a tower, the fourth is nearly opposite: what is left is a narrow way along
    /// which hardly anything slides.
    #[test]
    fn narrow_ways_are_neutral() {
        let (x, y) = (DVec3::X, DVec3::Y);
        let nearly = |angle: f64| DVec3::new(-angle.cos(), angle.sin(), 0.0);
        assert!(is_blocked(2, &[x, y, -y, nearly(1e-5)]));
        let tower = touch(1, Some(0), DVec3::Z, 1.0);
        let foot = touch(0, None, DVec3::Z, 2.0);
        // The lower ball is held sideways by what may itself roll away.
        let mut walls =
            vec![touch(1, None, x, 0.0), touch(1, None, y, 0.0), touch(1, None, -y, 0.0)];
        walls.extend([touch(0, None, x, 0.0), touch(0, None, -x, 0.0), touch(0, None, y, 0.0)]);
        walls.extend([touch(0, None, -y, 0.0), touch(2, None, -x, 0.0)]);
        let neighbour = touch(2, None, DVec3::Z, 1.0);
        for (lean, is_held) in [(1e-5, true), (1e-2, false)] {
            let mut idle = walls.clone();
            idle.push(touch(1, Some(2), nearly(lean), 0.0));
            let carriers = [foot, tower, neighbour];
            assert_eq!(blocks(&sides(&carriers), &sides(&idle), 3, 3, 0.5, 1), is_held, "{lean}");
        }
    }

    #[test]
    fn leftovers_are_those_of_least_squares() {
        let rows = [vec![1.0, 0.0, 0.0], vec![1.0, 1.0, 0.0], vec![2.0, 0.0, 0.0]];
        let left = |g: [f64; 3]| {
            let (left, _) = left_over(&rows, &g);
            dot(&left, &left).sqrt() / dot(&g, &g).sqrt()
        };
        assert!(left([-1.0, 0.0, 0.0]) < 1e-12);
        assert!(left([-3.0, -1.0, 0.0]) < 1e-12);
        // Nothing goes against the second unit vector but with the first.
        assert!((left([0.0, -1.0, 0.0]) - 0.5_f64.sqrt()).abs() < 1e-12);
        assert!((left([1.0, 1.0, 0.0]) - 1.0).abs() < 1e-12);
        assert!((left([-3.0, 0.0, 4.0]) - 0.8).abs() < 1e-12);
        // Two that press against each other but for a little do the rest by it.
        for lean in [1e-3, 1e-5, 1e-7] {
            let rows = [vec![-1.0, 0.0, 0.0], vec![1.0, lean, 0.0]];
            let (left, _) = left_over(&rows, &[0.0, -1.0, 0.0]);
            assert!(dot(&left, &left).sqrt() < 1e-6, "{lean} {left:?}");
        }
    }
}
