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

/// Motions that the rows resist by less than this may meet no resistance together with others.
const NEARLY_NULL: f64 = 1e5 * NULL_MODE;

/// What keeps the factorisation defined: far below any value that counts.
const REGULAR: f64 = 1e-2 * NULL_MODE;

/// The null space of a rest.
pub(super) struct Null {
    pub count: usize,
    /// An orthonormal basis of it.
    pub modes: Vec<Mode>,
    /// Motions across these that are resisted by little, each with the share of it that may be added
    /// to one of those before it is.
    pub nearly: Vec<(Mode, f64)>,
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
        Null {
            count: 0,
            modes: Vec::new(),
            nearly: Vec::new(),
            unstable: Vec::new(),
            margin: f64::INFINITY,
        }
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

    // Bodies that press on no other body, and are no wedges, are on their own: a few lines of
    // geometry each instead of a vector in the subspace.
    let mut joined = vec![false; model.bodies.len()];
    for carrier in carriers.iter().filter(|c| c.b.is_some() || c.force > STIFF) {
        [Some(carrier.a), carrier.b].into_iter().flatten().for_each(|body| joined[body] = true);
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
    let mut factor = Factor::new(&problem.matrix);
    let is_factored = factor.factorise(&problem.matrix);
    let size = bodies.len() * width;
    let mut count = VECTORS.min(size);
    let (values, vectors) = loop {
        let (values, vectors) = match is_factored {
            true => problem.smallest(&mut factor, count, seed),
            false => problem.unknown(count),
        };
        if count == size || values.iter().any(|v| *v >= NULL_MODE) {
            break (values, vectors);
        }
        if count > most {
            return None;
        }
        count = (4 * count).min(size);
    };
    // What is not null even so is not; the rest is looked at with the whole of the forces. Beside what resists much,
    // the little of these is rounded; among themselves it is not.
    let near = values.iter().take_while(|v| **v < NEARLY_NULL).count();
    let beyond = values.get(near).copied();
    let (values, vectors) = problem.by_resistance(&vectors[..near], |_| 1.0);
    let weak = values.iter().take_while(|v| **v < NULL_MODE).count();
    let whole = problem.by_resistance(&vectors[..weak], |row| row.stiffer);
    let resists = whole.0.iter().any(|v| *v >= NULL_MODE);
    let leans = near > weak && !problem.unstable(&whole.1).is_empty();
    let (whole, vectors) = match is_factored && (resists || leans) {
        true => problem.relieved(&mut factor, &values, &vectors),
        false => whole,
    };
    let null = whole.iter().filter(|v| **v < NULL_MODE).count();
    all.count += null;
    let margin = whole[null..].iter().chain(values.get(whole.len())).chain(&beyond);
    all.margin = margin.fold(all.margin, |least, value| least.min(value.sqrt()));
    let spread = |mode: &Vec<f64>| spread(&bodies, joined.len(), width, mode);
    all.modes.extend(vectors[..null].iter().map(|mode| Mode::Together(spread(mode))));
    let nearly = whole.iter().zip(&vectors).skip(null).filter(|(value, _)| **value < NEARLY_NULL);
    all.nearly.extend(nearly.map(|(value, mode)| {
        (Mode::Together(spread(mode)), (1.0 + value / NULL_MODE).sqrt().recip())
    }));
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

    /// What is known of a matrix that cannot be factorised: nothing resists.
    fn unknown(&self, count: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
        let unit = |k: usize| (0..self.size).map(|j| f64::from(u8::from(j == k))).collect();
        (vec![0.0; count], (0..count).map(unit).collect())
    }

    /// The smallest eigenvalues of the sum of squared rows, with orthonormal vectors.
    fn smallest(&self, factor: &mut Factor, count: usize, seed: u64) -> (Vec<f64>, Vec<Vec<f64>>) {
        let mut random = Random::new(seed);
        let mut vectors: Vec<Vec<f64>> = (0..count)
            .map(|_| (0..self.size).map(|_| random.between(-1.0, 1.0)).collect())
            .collect();
        for _ in 0..6 {
            vectors.iter_mut().for_each(|v| factor.solve(v));
            orthonormalise(&mut vectors);
        }
        self.by_resistance(&vectors, |_| 1.0)
    }

    /// Motions that the rows hardly resist as far as they count in the matrix (eigenvectors, with their
    /// values), by how much the whole of the forces does: each with what it takes besides to be resisted the
    /// least. A motion that opens a wedge by a millionth of itself is none that the wedge holds:
    /// one beside it opens nothing.
    ///
    /// Let `W` be the motions, `S` what the stiff rows count more than in the matrix `M`, and `N` the inverse of `M` beside `W`.
    /// Then the least resistance to `W c + y`, of all `y` across `W`, is that of `M` to `W c`
    /// and `(S W c)' (1 + S N S')^-1 (S W c)`, and `y` is `-N S' (1 + S N S')^-1 S W c`.
    fn relieved(
        &self,
        factor: &mut Factor,
        values: &[f64],
        motions: &[Vec<f64>],
    ) -> (Vec<f64>, Vec<Vec<f64>>) {
        let stiff: Vec<Vec<f64>> = self.rows.iter().filter_map(|row| self.beyond(row)).collect();
        let across = |v: &mut Vec<f64>| {
            for motion in motions {
                let part = dot(v, motion);
                v.iter_mut().zip(motion).for_each(|(x, m)| *x -= part * m);
            }
        };
        let relief = |row: &Vec<f64>| {
            let mut relief = row.clone();
            across(&mut relief);
            factor.solve(&mut relief);
            across(&mut relief);
            relief
        };
        let reliefs: Vec<Vec<f64>> = stiff.iter().map(relief).collect();
        let entry = |i: usize, j: usize| f64::from(u8::from(i == j)) + dot(&stiff[i], &reliefs[j]);
        let matrix: Vec<Vec<f64>> =
            (0..stiff.len()).map(|i| (0..=i).map(|j| entry(i, j)).collect()).collect();
        let triangle = triangle(matrix);
        let opened =
            |motion: &Vec<f64>| -> Vec<f64> { stiff.iter().map(|row| dot(row, motion)).collect() };
        // Pressed against by so much: the rows, of which some give way.
        let pressed: Vec<Vec<f64>> =
            motions.iter().map(|motion| solved(&triangle, opened(motion))).collect();
        let own = |i: usize, j: usize| if i == j { values[i] } else { 0.0 };
        let small: Vec<Vec<f64>> = (0..motions.len())
            .map(|i| {
                let open = opened(&motions[i]);
                (0..motions.len()).map(|j| own(i, j) + dot(&open, &pressed[j])).collect()
            })
            .collect();
        let (values, mixes) = eigen::symmetric(&small);
        let whole: Vec<Vec<f64>> = (motions.iter().zip(&pressed))
            .map(|(motion, pressed)| {
                let mut whole = motion.clone();
                for (relief, by) in reliefs.iter().zip(pressed) {
                    whole.iter_mut().zip(relief).for_each(|(x, r)| *x -= by * r);
                }
                whole
            })
            .collect();
        let mut mixed: Vec<Vec<f64>> = mixes.iter().map(|mix| combine(&whole, mix)).collect();
        orthonormalise(&mut mixed);
        (values, mixed)
    }

    /// What a row counts more than in the matrix, as a motion; none if that is nothing.
    fn beyond(&self, row: &Held) -> Option<Vec<f64>> {
        let more = row.stiffer.powi(2) - 1.0;
        let mut motion = vec![0.0; self.size];
        for (end, sign) in row.ends.iter().zip([1.0, -1.0]) {
            let Some((body, measure)) = end else { continue };
            let part = row.normal * (sign * measure * more.sqrt());
            (0..self.width).for_each(|k| motion[body * self.width + k] += part[k]);
        }
        (more > 0.0).then_some(motion)
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

/// The lower triangle whose square is a matrix without negative eigenvalues, of which the lower half is given.
fn triangle(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for i in 0..matrix.len() {
        for j in 0..=i {
            let (above, below) = matrix.split_at_mut(i);
            let row = &mut below[0];
            let done = match j == i {
                true => dot(&row[..j], &row[..j]),
                false => dot(&row[..j], &above[j][..j]),
            };
            row[j] = match j == i {
                // Each is at least 1 but for rounding.
                true => (row[j] - done).max(1.0).sqrt(),
                false => (row[j] - done) / above[j][j],
            };
        }
    }
    matrix
}

/// The solution with such a square.
fn solved(triangle: &[Vec<f64>], mut x: Vec<f64>) -> Vec<f64> {
    for i in 0..x.len() {
        x[i] = (x[i] - dot(&triangle[i][..i], &x[..i])) / triangle[i][i];
    }
    for i in (0..x.len()).rev() {
        x[i] /= triangle[i][i];
        let own = x[i];
        (0..i).for_each(|j| x[j] -= triangle[i][j] * own);
    }
    x
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::State;

    /// A body in the plane that is pressed along x by a million weights, and by some weights on a contact that
    /// leans by little.
    fn null_modes(lean: f64, by: f64) -> usize {
        let mut model = Model::new(2, -DVec3::Y);
        model.add_particle(&mut State::default(), DVec3::ZERO, 1.0, 1.0);
        let carrier = |normal: DVec3, force: f64| {
            let normal = normal.normalize();
            Carrier { a: 0, b: None, normal, force, curved: DMat3::ZERO }
        };
        let carriers = [carrier(DVec3::X, 1e6), carrier(DVec3::new(1.0, lean, 0.0), by)];
        null_space(&model, &Measures::alike(1), &carriers, usize::MAX).unwrap().count
    }

    /// What hardly resists is found beside what resists a million times as much, though a motion that is off by
    /// a millionth would be resisted by both.
    #[test]
    fn modes_are_found_beside_wedges() {
        for by in [1.0, 7.0, 29.0] {
            assert_eq!(null_modes(1e-6 / by, by), 1, "{by}");
            assert_eq!(null_modes(1e-5 / by, by), 0, "{by}");
        }
        // A wedge of two such contacts holds the body.
        assert_eq!(null_modes(1e-6, 1e6), 0);
        assert_eq!(null_modes(1e-12, 1e6), 1);
    }

    #[test]
    fn triangles_solve_what_they_are_made_of() {
        let rows = [vec![4.0], vec![2.0, 5.0], vec![0.0, 1.0, 3.0]];
        let x = solved(&triangle(rows.to_vec()), vec![8.0, 15.0, 11.0]);
        for (x, expected) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((x - expected).abs() < 1e-12, "{x}");
        }
    }
}
