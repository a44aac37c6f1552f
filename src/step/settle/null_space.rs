//! The null space of a rest: motions that no force-carrying contact resists,
//! and those of them along which the energy falls. Motions are counted in each
//! body's own measure.

use super::second_order::{Carrier, Measures, outer, spread};
use crate::math::{DMat3, DVec3, NULL_MODE, Random, UNSTABLE_MODE};
use crate::solver::{BlockMatrix, Factor, eigen};
use crate::world::Model;

/// Vectors of the first subspace; more only if all of them are null.
const VECTORS: usize = 12;

/// A wedge holds by large forces on rows that hardly differ, so rows count by their forces, in
/// weights. In the matrix they do up to this: more would bury small values under its rounding.
const STIFF: f64 = 30.0;

/// What keeps the factorisation defined: far below any value that counts.
const REGULAR: f64 = 1e-2 * NULL_MODE;

/// The null space of a rest.
pub(super) struct Null {
    pub count: usize,
    /// An orthonormal basis of it.
    pub modes: Vec<Mode>,
    /// Unit vectors in it, along which the energy falls.
    pub unstable: Vec<Vec<DVec3>>,
    /// Smallest singular value that is not null.
    pub margin: f64,
}

/// A motion of one body, or one over all bodies.
#[derive(Clone, Debug)]
pub(super) enum Mode {
    Alone(usize, DVec3),
    Together(Vec<DVec3>),
}

impl Mode {
    /// What it moves a body by.
    pub fn of(&self, body: usize) -> DVec3 {
        match self {
            Mode::Alone(own, motion) if *own == body => *motion,
            Mode::Alone(..) => DVec3::ZERO,
            Mode::Together(motion) => motion[body],
        }
    }
}

impl Default for Null {
    fn default() -> Null {
        Null { count: 0, modes: Vec::new(), unstable: Vec::new(), margin: f64::INFINITY }
    }
}

/// Of a rest under gravity alone.
pub(super) fn without_forces(model: &Model, measures: &Measures, carriers: &[Carrier]) -> Null {
    null_space(model, measures, carriers, usize::MAX).unwrap_or_default()
}

/// What rows and their curvature make of the null space; none if it has more than `most` modes.
pub(super) fn null_space(
    model: &Model,
    measures: &Measures,
    carriers: &[Carrier],
    most: usize,
) -> Option<Null> {
    let width = model.dimension;
    let mut null = Null::default();

    // Bodies that press on no other body are on their own: a few lines of
    // geometry each instead of a vector in the subspace.
    let mut joined = vec![false; model.bodies.len()];
    for carrier in carriers {
        if let Some(b) = carrier.b {
            joined[carrier.a] = true;
            joined[b] = true;
        }
    }
    let mut own: Vec<Vec<&Carrier>> = vec![Vec::new(); model.bodies.len()];
    carriers.iter().filter(|c| !joined[c.a]).for_each(|c| own[c.a].push(c));
    for body in model.free().filter(|&i| !joined[i]) {
        alone(&mut null, body, width, measures, &own[body]);
    }
    together(&mut null, &joined, width, measures, carriers, model.seed, most)?;
    (null.count <= most).then_some(null)
}

/// One body that leans on the boundary only.
fn alone(all: &mut Null, body: usize, width: usize, measures: &Measures, carriers: &[&Carrier]) {
    let measure = measures.of(body);
    let (mut rows, mut curved) = (vec![vec![0.0; width]; width], DMat3::ZERO);
    for carrier in carriers {
        let n = carrier.normal * measure;
        for (i, row) in rows.iter_mut().enumerate() {
            for (j, value) in row.iter_mut().enumerate() {
                *value += n[i] * n[j];
            }
        }
        curved += carrier.curved * measure.powi(2);
    }
    let (values, vectors) = eigen::symmetric(&rows);
    let (mut null, motion) =
        (Vec::new(), |v: &[f64]| DVec3::new(v[0], v[1], *v.get(2).unwrap_or(&0.0)));
    for (value, vector) in values.iter().zip(&vectors) {
        if *value < NULL_MODE {
            null.push(motion(vector));
        } else {
            all.margin = all.margin.min(value.sqrt());
        }
    }
    all.count += null.len();
    let small: Vec<Vec<f64>> =
        null.iter().map(|a| null.iter().map(|b| a.dot(curved * *b)).collect()).collect();
    let (values, vectors) = eigen::symmetric(&small);
    all.modes.extend(null.iter().map(|motion| Mode::Alone(body, *motion)));
    for (_, mix) in values.iter().zip(&vectors).filter(|(value, _)| **value > UNSTABLE_MODE) {
        let mut mode = vec![DVec3::ZERO; measures.count()];
        mode[body] = null.iter().zip(mix).map(|(v, m)| *v * *m).sum();
        all.unstable.push(mode);
    }
}

/// All bodies that press on other bodies: inverse subspace iteration on the
/// rows of the force-carrying contacts. None if they have more than `most` null modes.
fn together(
    all: &mut Null,
    joined: &[bool],
    width: usize,
    measures: &Measures,
    carriers: &[Carrier],
    seed: u64,
    most: usize,
) -> Option<()> {
    let bodies: Vec<usize> = (0..joined.len()).filter(|&i| joined[i]).collect();
    if bodies.is_empty() {
        return Some(());
    }
    let mut number = vec![u32::MAX; joined.len()];
    for (k, &i) in bodies.iter().enumerate() {
        number[i] = k as u32;
    }
    let carriers: Vec<&Carrier> = carriers.iter().filter(|c| joined[c.a]).collect();
    let problem = Joined::new(bodies.len(), width, &number, measures, &carriers);
    let size = bodies.len() * width;
    let mut count = VECTORS.min(size);
    let (values, vectors) = loop {
        let (values, vectors) = problem.smallest(count, seed);
        if count == size || values.iter().any(|v| *v >= NULL_MODE) {
            break (values, vectors);
        }
        if count > most {
            return None;
        }
        count = (4 * count).min(size);
    };
    // What is not null even so is not; the rest is looked at with the whole of the forces.
    let weak = values.iter().filter(|v| **v < NULL_MODE).count();
    let (whole, vectors) = problem.by_resistance(&vectors[..weak], |row| row.stiffer);
    let null = whole.iter().filter(|v| **v < NULL_MODE).count();
    all.count += null;
    let margin = whole.get(null).into_iter().chain(values.get(weak));
    all.margin = margin.fold(all.margin, |least, value| least.min(value.sqrt()));
    let spread = |mode: &Vec<f64>| spread(&bodies, joined.len(), width, mode);
    all.modes.extend(vectors[..null].iter().map(|mode| Mode::Together(spread(mode))));
    all.unstable.extend(problem.unstable(&vectors[..null]).iter().map(spread));
    Some(())
}

/// The rows of the force-carrying contacts among the joined bodies.
struct Joined {
    width: usize,
    size: usize,
    rows: Vec<Held>,
    matrix: BlockMatrix,
}

/// A row: whose motions it is about, each with its measure, its normal as it counts in the matrix,
/// by how much more it counts as a whole, and its curvature.
struct Held {
    ends: [Option<(usize, f64)>; 2],
    normal: DVec3,
    stiffer: f64,
    curved: DMat3,
}

impl Joined {
    fn new(
        count: usize,
        width: usize,
        number: &[u32],
        measures: &Measures,
        carriers: &[&Carrier],
    ) -> Self {
        let end = |body: usize| (number[body] as usize, measures.of(body));
        let rows: Vec<Held> = (carriers.iter())
            .map(|c| Held {
                ends: [Some(end(c.a)), c.b.map(end)],
                normal: c.normal * c.force.clamp(1.0, STIFF),
                stiffer: (c.force / STIFF).max(1.0),
                curved: c.curved,
            })
            .collect();
        let edges = rows.iter().filter_map(|row| match row.ends {
            [Some((a, _)), Some((b, _))] => Some((a as u32, b as u32)),
            _ => None,
        });
        let mut matrix = BlockMatrix::new(width, count, edges);
        let regular = DMat3::from_diagonal(DVec3::splat(REGULAR));
        (0..count as u32).for_each(|i| matrix.add_node(i, &regular));
        for Held { ends, normal: n, .. } in &rows {
            let block = outer(*n, *n);
            match *ends {
                [Some((a, x)), Some((b, y))] => {
                    matrix.add_scaled_edge([a as u32, b as u32], [x, y], &block);
                }
                [one, other] => {
                    for (a, x) in [one, other].into_iter().flatten() {
                        matrix.add_node(a as u32, &(block * (x * x)));
                    }
                }
            }
        }
        Joined { width, size: count * width, rows, matrix }
    }

    fn relative(&self, v: &[f64], [a, b]: [Option<(usize, f64)>; 2]) -> DVec3 {
        let at = |(i, measure): (usize, f64)| {
            let v = &v[i * self.width..(i + 1) * self.width];
            DVec3::new(v[0], v[1], *v.get(2).unwrap_or(&0.0)) * measure
        };
        a.map_or(DVec3::ZERO, at) - b.map_or(DVec3::ZERO, at)
    }

    /// The smallest eigenvalues of the sum of squared rows, with orthonormal vectors.
    fn smallest(&self, count: usize, seed: u64) -> (Vec<f64>, Vec<Vec<f64>>) {
        let mut factor = Factor::new(&self.matrix);
        let mut random = Random::new(seed);
        let mut vectors: Vec<Vec<f64>> = (0..count)
            .map(|_| (0..self.size).map(|_| random.between(-1.0, 1.0)).collect())
            .collect();
        if !factor.factorise(&self.matrix) {
            return (vec![0.0; count], vectors);
        }
        for _ in 0..6 {
            vectors.iter_mut().for_each(|v| factor.solve(v));
            orthonormalise(&mut vectors);
        }
        self.by_resistance(&vectors, |_| 1.0)
    }

    /// Mixtures of orthonormal motions, by how much the rows resist them: the least first.
    fn by_resistance(
        &self,
        vectors: &[Vec<f64>],
        counts: impl Fn(&Held) -> f64,
    ) -> (Vec<f64>, Vec<Vec<f64>>) {
        let open = |row: &Held, v: &[f64]| counts(row) * row.normal.dot(self.relative(v, row.ends));
        let opened: Vec<Vec<f64>> =
            vectors.iter().map(|v| self.rows.iter().map(|row| open(row, v)).collect()).collect();
        let small: Vec<Vec<f64>> =
            opened.iter().map(|x| opened.iter().map(|y| dot(x, y)).collect()).collect();
        let (values, mixes) = eigen::symmetric(&small);
        (values, mixes.iter().map(|mix| combine(vectors, mix)).collect())
    }

    /// The combinations of null vectors along which the energy falls.
    fn unstable(&self, null: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let slid: Vec<Vec<(DVec3, DVec3)>> = null
            .iter()
            .map(|v| {
                let slide = self.rows.iter().map(|row| {
                    let u = self.relative(v, row.ends);
                    (u, row.curved * u)
                });
                slide.collect()
            })
            .collect();
        let bend = |x: &[(DVec3, DVec3)], y: &[(DVec3, DVec3)]| {
            x.iter().zip(y).map(|((u, _), (_, g))| u.dot(*g)).sum::<f64>()
        };
        let small: Vec<Vec<f64>> =
            slid.iter().map(|x| slid.iter().map(|y| bend(x, y)).collect()).collect();
        let (values, mixes) = eigen::symmetric(&small);
        let falling = values.iter().zip(&mixes).filter(|(value, _)| **value > UNSTABLE_MODE);
        falling.map(|(_, mix)| combine(null, mix)).collect()
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub(super) fn combine(vectors: &[Vec<f64>], mix: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; vectors.first().map_or(0, Vec::len)];
    for (vector, factor) in vectors.iter().zip(mix) {
        sum.iter_mut().zip(vector).for_each(|(s, v)| *s += factor * v);
    }
    sum
}

/// Gram and Schmidt, twice: enough for vectors that inverse iteration has made nearly parallel.
pub(super) fn orthonormalise(vectors: &mut [Vec<f64>]) {
    for i in 0..vectors.len() {
        for _ in 0..2 {
            let (done, rest) = vectors.split_at_mut(i);
            let v = &mut rest[0];
            for other in done {
                let part = dot(v, other);
                v.iter_mut().zip(other).for_each(|(x, y)| *x -= part * *y);
            }
            let length = dot(v, v).sqrt().max(f64::MIN_POSITIVE);
            v.iter_mut().for_each(|x| *x /= length);
        }
    }
}
