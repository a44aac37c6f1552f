//! The lowest modes of a configuration whose energies have a stiffness of
//! their own: springs, pulls and ropes besides contacts. All of it makes one
//! matrix, with force-carrying contacts as very stiff springs; a rest is stable
//! if that matrix has no negative eigenvalue.

use super::null_space::{combine, dot, orthonormalise};
use crate::math::{DMat3, DVec3, Random, STIFF_CONTACT, STIFF_NULL};
use crate::solver::{BlockMatrix, Factor, eigen};

/// Vectors of the first subspace; more only if all of them are null.
const VECTORS: usize = 12;
/// Contacts that press harder than this many weights count by their forces ...
const WEDGED: f64 = 30.0;
/// ... up to so many: more, squared, is beyond what a factorisation can hold beside the rest.
const MOST_WEDGED: f64 = 1e5;
/// Rounds of inverse iteration.
const ROUNDS: usize = 12;

/// A quadratic form of the motion of `a`, relative to that of `b` if there is one.
pub(super) struct Spring {
    pub a: usize,
    pub b: Option<usize>,
    pub block: DMat3,
}

/// A contact that carries force: nearly rigid along its normal.
struct Rigid {
    a: usize,
    b: Option<usize>,
    normal: DVec3,
    stiffness: f64,
}

/// What was found.
pub(super) struct Modes {
    /// Modes of negative stiffness, then those without any, as flat unit vectors.
    pub null: Vec<Vec<f64>>,
    /// How many of these are of negative stiffness.
    pub unstable: usize,
    /// The least stiffness that is not null.
    pub margin: f64,
}

/// A stiffness matrix over `count` bodies.
pub(super) struct Stiffness {
    width: usize,
    count: usize,
    springs: Vec<Spring>,
    rigid: Vec<Rigid>,
}

impl Stiffness {
    pub fn new(width: usize, count: usize) -> Self {
        Stiffness { width, count, springs: Vec::new(), rigid: Vec::new() }
    }

    pub fn add(&mut self, a: usize, b: Option<usize>, block: DMat3) {
        self.springs.push(Spring { a, b, block });
    }

    /// A contact that carries force, in weights: nearly rigid along its normal. A wedge holds by
    /// large forces on rows that hardly differ, so those count by their forces.
    pub fn add_contact(&mut self, a: usize, b: Option<usize>, normal: DVec3, force: f64) {
        let stiffer = if force > WEDGED { force.min(MOST_WEDGED) } else { 1.0 };
        self.rigid.push(Rigid { a, b, normal, stiffness: STIFF_CONTACT * stiffer * stiffer });
    }

    /// The lowest modes.
    pub fn modes(&self, seed: u64) -> Modes {
        let size = self.count * self.width;
        let mut count = VECTORS.min(size);
        loop {
            let (values, vectors) = self.lowest(count, seed);
            if count < size && values.iter().all(|value| *value < STIFF_NULL) {
                count = (4 * count).min(size);
                continue;
            }
            let unstable = values.iter().filter(|value| **value < -STIFF_NULL).count();
            let null = values.iter().filter(|value| **value < STIFF_NULL).count();
            return Modes {
                null: vectors[..null].to_vec(),
                unstable,
                margin: values.get(null).copied().unwrap_or(f64::INFINITY),
            };
        }
    }

    /// The `count` lowest eigenvalues, ascending, with their vectors, by
    /// inverse iteration with a shift that makes the matrix positive definite.
    fn lowest(&self, count: usize, seed: u64) -> (Vec<f64>, Vec<Vec<f64>>) {
        let size = self.count * self.width;
        let mut random = Random::new(seed);
        let mut vectors: Vec<Vec<f64>> =
            (0..count).map(|_| (0..size).map(|_| random.between(-1.0, 1.0)).collect()).collect();
        orthonormalise(&mut vectors);
        let Some((mut factor, rounds)) = self.factor() else {
            return (vec![f64::NEG_INFINITY; count], vectors);
        };
        for _ in 0..rounds {
            vectors.iter_mut().for_each(|v| factor.solve(v));
            orthonormalise(&mut vectors);
        }
        let images: Vec<Vec<f64>> = vectors.iter().map(|v| self.times(v)).collect();
        let small: Vec<Vec<f64>> = (vectors.iter())
            .map(|v| {
                let springs = images.iter().map(|image| dot(v, image));
                springs.zip(&vectors).map(|(k, w)| k + self.resisted(v, w)).collect()
            })
            .collect();
        let (values, mixes) = eigen::symmetric(&small);
        let mut modes: Vec<(f64, Vec<f64>)> =
            values.into_iter().zip(mixes.iter().map(|mix| combine(&vectors, mix))).collect();
        modes.sort_by(|a, b| a.0.total_cmp(&b.0));
        modes.into_iter().unzip()
    }

    /// The factor of the matrix plus the least shift that makes it positive
    /// definite; and how many rounds of iteration that shift asks for.
    fn factor(&self) -> Option<(Factor, usize)> {
        let of_springs = self.springs.iter().filter_map(|s| Some((s.a as u32, s.b? as u32)));
        let edges = of_springs
            .chain(self.rigid.iter().filter_map(|rigid| Some((rigid.a as u32, rigid.b? as u32))));
        let mut matrix = BlockMatrix::new(self.width, self.count, edges);
        let mut factor = Factor::new(&matrix);
        let mut shift = STIFF_NULL;
        while shift < STIFF_CONTACT {
            matrix.clear();
            for spring in &self.springs {
                match spring.b {
                    Some(b) => matrix.add_edge(spring.a as u32, b as u32, &spring.block),
                    None => matrix.add_node(spring.a as u32, &spring.block),
                }
            }
            for Rigid { a, b, normal: n, stiffness } in &self.rigid {
                let block = DMat3::from_cols(n * n.x, n * n.y, n * n.z) * *stiffness;
                match b {
                    Some(b) => matrix.add_edge(*a as u32, *b as u32, &block),
                    None => matrix.add_node(*a as u32, &block),
                }
            }
            let diagonal = DMat3::from_diagonal(DVec3::splat(shift));
            (0..self.count as u32).for_each(|i| matrix.add_node(i, &diagonal));
            if factor.factorise(&matrix) {
                let rounds = if shift == STIFF_NULL { ROUNDS } else { 10 * ROUNDS };
                return Some((factor, rounds));
            }
            shift *= 4.0;
        }
        None
    }

    fn at(&self, v: &[f64], i: usize) -> DVec3 {
        let v = &v[i * self.width..(i + 1) * self.width];
        DVec3::new(v[0], v[1], *v.get(2).unwrap_or(&0.0))
    }

    /// What contacts add to the product of two motions: as products of small numbers, where in
    /// that of a motion and a force large ones would cancel.
    fn resisted(&self, v: &[f64], w: &[f64]) -> f64 {
        let opens = |rigid: &Rigid, v: &[f64]| {
            let other = rigid.b.map_or(DVec3::ZERO, |b| self.at(v, b));
            rigid.normal.dot(self.at(v, rigid.a) - other)
        };
        self.rigid.iter().map(|rigid| rigid.stiffness * opens(rigid, v) * opens(rigid, w)).sum()
    }

    /// The forces of springs on a motion.
    fn times(&self, v: &[f64]) -> Vec<f64> {
        let at = |i: usize| self.at(v, i);
        let mut product = vec![0.0; v.len()];
        let mut add = |i: usize, force: DVec3| {
            (0..self.width).for_each(|k| product[i * self.width + k] += force[k]);
        };
        for Spring { a, b, block } in &self.springs {
            let force = *block * (at(*a) - b.map_or(DVec3::ZERO, at));
            add(*a, force);
            if let Some(b) = b {
                add(*b, -force);
            }
        }
        product
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of springs between two walls, softer by `less` at one place.
    fn chain(count: usize, less: f64) -> Modes {
        let mut stiffness = Stiffness::new(3, count);
        for k in 0..=count {
            let ends = (k.min(count - 1), (k > 0 && k < count).then(|| k - 1));
            stiffness.add(ends.0, ends.1, DMat3::IDENTITY);
        }
        stiffness.add(0, None, DMat3::IDENTITY * -less);
        stiffness.modes(1)
    }

    #[test]
    fn a_chain_of_springs_has_known_modes() {
        let modes = chain(20, 0.0);
        assert_eq!((modes.null.len(), modes.unstable), (0, 0));
        let expected = 2.0 - 2.0 * (std::f64::consts::PI / 21.0).cos();
        assert!((modes.margin - expected).abs() < 1e-9, "{} {expected}", modes.margin);
    }

    #[test]
    fn what_pushes_harder_than_the_springs_pull_is_unstable() {
        assert_eq!(chain(20, 3.0).unstable, 3);
        assert_eq!(chain(3, 0.5).unstable, 0);
    }

    #[test]
    fn contacts_hold_and_free_bodies_are_neutral() {
        let mut stiffness = Stiffness::new(3, 2);
        stiffness.add_contact(0, None, DVec3::Z, 1.0);
        stiffness.add(1, None, DMat3::IDENTITY);
        let modes = stiffness.modes(1);
        assert_eq!((modes.null.len(), modes.unstable), (2, 0));
        stiffness.add(0, None, DMat3::from_diagonal(DVec3::new(0.0, -2.0, -2.0)));
        let modes = stiffness.modes(1);
        assert_eq!((modes.null.len(), modes.unstable), (2, 1), "the contact outdoes one of them");
    }

    /// A body between two walls that lean together by a little is held by forces as large as it
    /// leans little: pressed out sideways by their curvature, it would have to lift them.
    #[test]
    fn a_wedge_holds_by_its_forces() {
        for lean in [1e-2, 1e-3, 1e-4, 2e-5] {
            let mut stiffness = Stiffness::new(2, 1);
            for side in [1.0, -1.0] {
                let normal = DVec3::new(side, lean, 0.0).normalize();
                stiffness.add_contact(0, None, normal, 0.5 / lean);
                let across = DMat3::IDENTITY
                    - DMat3::from_cols(normal * normal.x, normal * normal.y, DVec3::Z);
                stiffness.add(0, None, across * (-0.5 / lean));
            }
            let modes = stiffness.modes(1);
            assert_eq!((modes.null.len(), modes.unstable), (0, 0), "{lean}");
        }
    }
}
