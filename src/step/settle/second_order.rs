//! Is a rest stable? First-order rest cannot see that a tower of balls
//! standing exactly on each other is about to fall. This test can: motions
//! that no force-carrying contact resists (the null space of their rows) are
//! unstable if they slide on a curved force-carrying contact, because sliding
//! opens it, and neutral otherwise.

use super::certificate::Balance;
use super::cone::{Side, ways_out};
use super::plan::Units;
use super::stiffness::Stiffness;
use crate::contact::{Cores, Other, Row, curvature};
use crate::energy::{self, strands};
use crate::math::{DMat3, DVec3, NULL_MODE, Random, UNSTABLE_MODE};
use crate::solver::{BlockMatrix, Factor, eigen};
use crate::world::{Model, State};

/// Vectors of the first subspace; more only if all of them are null.
const VECTORS: usize = 12;

/// What the null motions of a rest are.
#[derive(Clone, Debug)]
pub(super) struct Stability {
    pub unknowns: usize,
    pub null: usize,
    /// How many of these lower the energy.
    pub unstable: usize,
    /// Motions (unit vectors over all bodies) along which it falls, and which no contact forbids.
    pub ways: Vec<Vec<DVec3>>,
    /// Smallest singular value that is not null.
    pub margin: f64,
}

/// One force-carrying contact: who is held by it (fixed bodies count as
/// walls), its normal, its weight in the matrix, and how sliding on it opens
/// it: `force * curvature * (projection on the curved directions)`.
struct Carrier {
    a: usize,
    b: Option<usize>,
    normal: DVec3,
    scale: f64,
    curved: DMat3,
}

/// The null space of a rest.
struct Null {
    count: usize,
    /// Unit vectors over all bodies, along which the energy falls.
    unstable: Vec<Vec<DVec3>>,
    /// Smallest singular value that is not null.
    margin: f64,
}

/// Examines a balanced rest.
pub(super) fn examine(cores: &Cores, state: &State, balance: &Balance) -> Stability {
    let model = &*cores.model;
    let forces = energy::forces(model, state);
    let units = Units::of(model, &forces);
    let carries = |contact: &(Row, f64)| balance.carries(model, &forces, contact);
    let carriers: Vec<Carrier> = balance
        .contacts
        .iter()
        .filter(|contact| carries(contact))
        .filter_map(|(row, force)| carrier(cores, state, row, *force / units.force, units.length))
        .collect();
    let null = match model.has_forces() {
        true => with_forces(model, state, &carriers, units),
        false => without_forces(model, &carriers),
    };
    let sides: Vec<Side> = (balance.contacts.iter())
        .filter_map(|contact| {
            let (a, b) = movable(model, &contact.0)?;
            Some(Side { a, b, normal: contact.0.normal, carries: carries(contact) })
        })
        .collect();
    let ways = ways_out(&sides, &null.unstable, model.dimension, model.seed);
    // Where energies are curved, too, being blocked in some directions proves nothing.
    let is_blocked = ways.is_empty() && !model.has_forces();
    Stability {
        unknowns: model.dimension * model.free().count(),
        null: null.count,
        unstable: if is_blocked { 0 } else { null.unstable.len() },
        ways,
        margin: null.margin,
    }
}

/// Who is held by a row, one that may move first; none if nobody may.
fn movable(model: &Model, row: &Row) -> Option<(usize, Option<usize>)> {
    let is_free = |i: &usize| model.bodies[*i].is_free();
    let (first, second) = (row.key.body as usize, row.key.second(model));
    match (Some(first).filter(is_free), second.filter(is_free)) {
        (Some(a), b) => Some((a, b)),
        (None, Some(b)) => Some((b, None)),
        (None, None) => None,
    }
}

fn without_forces(model: &Model, carriers: &[Carrier]) -> Null {
    let width = model.dimension;
    let mut null = Null { count: 0, unstable: Vec::new(), margin: f64::INFINITY };

    // Bodies that press on no other body are on their own: a few lines of
    // geometry each instead of a vector in the subspace.
    let mut joined = vec![false; model.bodies.len()];
    for carrier in carriers {
        if let Some(b) = carrier.b {
            joined[carrier.a] = true;
            joined[b] = true;
        }
    }
    for body in model.free().filter(|&i| !joined[i]) {
        let own = carriers.iter().filter(|c| c.a == body);
        alone(&mut null, body, width, model.bodies.len(), own);
    }
    together(&mut null, &joined, width, carriers, model.seed);
    null
}

/// Energies of distances have curvature of their own, and so have taut ropes.
fn with_forces(model: &Model, state: &State, carriers: &[Carrier], units: Units) -> Null {
    let bodies: Vec<usize> = model.free().collect();
    let mut number = vec![None; model.bodies.len()];
    bodies.iter().enumerate().for_each(|(k, &i)| number[i] = Some(k));
    let mut stiffness = Stiffness::new(model.dimension, bodies.len());
    let mut add =
        |a: usize, b: Option<usize>, block: DMat3| match (number[a], b.and_then(|b| number[b])) {
            (Some(a), b) => stiffness.add(a, b, block),
            (None, Some(b)) => stiffness.add(b, None, block),
            (None, None) => {}
        };
    for force in &model.forces {
        for strand in strands(force, state) {
            let block = energy::stiffness(&force.law, &strand) * (units.length / units.force);
            add(strand.a, strand.b, block);
        }
    }
    carriers.iter().for_each(|c| add(c.a, c.b, -c.curved));
    for c in carriers {
        if let Some(a) = number[c.a] {
            stiffness.add_contact(a, c.b.and_then(|b| number[b]), c.normal);
        }
    }
    let modes = stiffness.modes(model.seed);
    let spread = |mode: &Vec<f64>| spread(&bodies, model.bodies.len(), model.dimension, mode);
    Null {
        count: modes.neutral + modes.unstable.len(),
        unstable: modes.unstable.iter().map(spread).collect(),
        margin: modes.margin,
    }
}

/// A flat vector over some bodies as one vector for each of all.
fn spread(bodies: &[usize], all: usize, width: usize, flat: &[f64]) -> Vec<DVec3> {
    let mut spread = vec![DVec3::ZERO; all];
    for (k, &i) in bodies.iter().enumerate() {
        let part = &flat[k * width..(k + 1) * width];
        spread[i] = DVec3::new(part[0], part[1], *part.get(2).unwrap_or(&0.0));
    }
    spread
}

/// A row that carries force; none if it joins two fixed bodies.
fn carrier(cores: &Cores, state: &State, row: &Row, force: f64, length: f64) -> Option<Carrier> {
    let (model, n) = (&*cores.model, row.normal);
    let off_normal = DMat3::IDENTITY - outer(n, n);
    let first = row.key.body as usize;
    let apart = |joint: u32| {
        let [a, b] = model.joints[joint as usize].ends(state);
        a.distance(b)
    };
    let body = &model.bodies[first];
    let curved = match row.key.other {
        Other::Body(j) => off_normal * (length / (body.radius + model.bodies[j as usize].radius)),
        Other::Face(face, _) => {
            wall_curvature(model, face, state.positions[first], n) * (length / body.radius)
        }
        Other::Pieces(..) | Other::FacePiece(..) => {
            curvature(cores, state, row).unwrap_or(DMat3::ZERO) * length
        }
        // Sliding sideways lengthens a rope, so it holds; a strut gives way.
        Other::Rope(joint) => off_normal * (-length / apart(joint)),
        Other::Strut(joint) => off_normal * (length / apart(joint)),
    };
    let (a, b) = movable(model, row)?;
    Some(Carrier { a, b, normal: n, scale: force.max(1.0), curved: curved * force })
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// The directions in which a wall contact is curved: none on a face, one on a
/// reflex edge, two at a reflex vertex.
fn wall_curvature(model: &Model, face: u32, centre: DVec3, normal: DVec3) -> DMat3 {
    if model.boundary.normal(face).cross(normal).length() < 1e-7 {
        return DMat3::ZERO;
    }
    let shape = &model.boundary.faces()[face as usize];
    let point = shape.closest_point(centre);
    let size = shape.corners.iter().map(|c| c.distance(point)).fold(0.0, f64::max);
    if model.dimension == 2 || shape.corners.iter().any(|c| c.distance(point) < 1e-9 * size) {
        return DMat3::IDENTITY - outer(normal, normal);
    }
    let corners = &shape.corners;
    let edges = (0..corners.len()).map(|k| (corners[k], corners[(k + 1) % corners.len()]));
    let off_edge = |(a, b): &(DVec3, DVec3)| {
        let along = (*b - *a).normalize();
        ((point - *a) - along * (point - *a).dot(along)).length()
    };
    let edge = edges.min_by(|x, y| off_edge(x).total_cmp(&off_edge(y)));
    let across = edge.map_or(DVec3::ZERO, |(a, b)| normal.cross((b - a).normalize()));
    outer(across, across)
}

/// One body that leans on the boundary only.
fn alone<'a>(
    all: &mut Null,
    body: usize,
    width: usize,
    bodies: usize,
    carriers: impl Iterator<Item = &'a Carrier>,
) {
    let (mut rows, mut curved) = (vec![vec![0.0; width]; width], DMat3::ZERO);
    for carrier in carriers {
        let n = carrier.normal;
        for (i, row) in rows.iter_mut().enumerate() {
            for (j, value) in row.iter_mut().enumerate() {
                *value += n[i] * n[j];
            }
        }
        curved += carrier.curved;
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
    for (_, mix) in values.iter().zip(&vectors).filter(|(value, _)| **value > UNSTABLE_MODE) {
        let mut mode = vec![DVec3::ZERO; bodies];
        mode[body] = null.iter().zip(mix).map(|(v, m)| *v * *m).sum();
        all.unstable.push(mode);
    }
}

/// All bodies that press on other bodies: inverse subspace iteration on the
/// rows of the force-carrying contacts.
fn together(all: &mut Null, joined: &[bool], width: usize, carriers: &[Carrier], seed: u64) {
    let bodies: Vec<usize> = (0..joined.len()).filter(|&i| joined[i]).collect();
    if bodies.is_empty() {
        return;
    }
    let mut number = vec![u32::MAX; joined.len()];
    for (k, &i) in bodies.iter().enumerate() {
        number[i] = k as u32;
    }
    let carriers: Vec<&Carrier> = carriers.iter().filter(|c| joined[c.a]).collect();
    let problem = Joined::new(bodies.len(), width, &number, &carriers);
    let size = bodies.len() * width;
    let mut count = VECTORS.min(size);
    let (values, vectors) = loop {
        let (values, vectors) = problem.smallest(count, seed);
        if count == size || values.iter().any(|v| *v >= NULL_MODE) {
            break (values, vectors);
        }
        count = (4 * count).min(size);
    };
    let null = values.iter().filter(|v| **v < NULL_MODE).count();
    all.count += null;
    if let Some(first) = values.get(null) {
        all.margin = all.margin.min(first.sqrt());
    }
    for mode in problem.unstable(&vectors[..null]) {
        all.unstable.push(spread(&bodies, joined.len(), width, &mode));
    }
}

/// The rows of the force-carrying contacts among the joined bodies.
struct Joined {
    width: usize,
    size: usize,
    /// (first, second or none, scaled normal, curved block)
    rows: Vec<(usize, Option<usize>, DVec3, DMat3)>,
    matrix: BlockMatrix,
}

impl Joined {
    fn new(count: usize, width: usize, number: &[u32], carriers: &[&Carrier]) -> Self {
        let place = |c: &Carrier| {
            let other = c.b.map(|b| number[b] as usize);
            (number[c.a] as usize, other, c.normal * c.scale, c.curved)
        };
        let rows: Vec<_> = carriers.iter().map(|c| place(c)).collect();
        let edges = rows.iter().filter_map(|(a, b, ..)| b.map(|b| (*a as u32, b as u32)));
        let mut matrix = BlockMatrix::new(width, count, edges);
        // What keeps the factorisation defined; far below any true value.
        let regular = DMat3::from_diagonal(DVec3::splat(1e-11));
        (0..count as u32).for_each(|i| matrix.add_node(i, &regular));
        for (a, b, n, _) in &rows {
            match b {
                Some(b) => matrix.add_edge(*a as u32, *b as u32, &outer(*n, *n)),
                None => matrix.add_node(*a as u32, &outer(*n, *n)),
            }
        }
        Joined { width, size: count * width, rows, matrix }
    }

    fn relative(&self, v: &[f64], a: usize, b: Option<usize>) -> DVec3 {
        let at = |i: usize| {
            let v = &v[i * self.width..(i + 1) * self.width];
            DVec3::new(v[0], v[1], *v.get(2).unwrap_or(&0.0))
        };
        at(a) - b.map_or(DVec3::ZERO, at)
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
        let opened: Vec<Vec<f64>> = vectors
            .iter()
            .map(|v| self.rows.iter().map(|(a, b, n, _)| n.dot(self.relative(v, *a, *b))).collect())
            .collect();
        let small: Vec<Vec<f64>> =
            opened.iter().map(|x| opened.iter().map(|y| dot(x, y)).collect()).collect();
        let (values, mixes) = eigen::symmetric(&small);
        (values, mixes.iter().map(|mix| combine(&vectors, mix)).collect())
    }

    /// The combinations of null vectors along which the energy falls.
    fn unstable(&self, null: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let slid: Vec<Vec<(DVec3, DVec3)>> = null
            .iter()
            .map(|v| {
                let slide = self.rows.iter().map(|(a, b, _, curved)| {
                    let u = self.relative(v, *a, *b);
                    (u, *curved * u)
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

#[cfg(test)]
mod tests {
    use super::super::certificate::balance;
    use super::super::memory::Memory;
    use super::super::samples::{at, watch};
    use super::*;
    use crate::contact::samples::{cuboid, model, ridge};
    use crate::scene::SettleOptions;
    use crate::shape::{Boundary, Face, Mesh};

    fn stability(model: Model, positions: &[[f64; 3]]) -> Stability {
        let positions: Vec<DVec3> = positions.iter().copied().map(DVec3::from_array).collect();
        let (cores, state) = at(model, &positions);
        let memory = Memory::new(&cores, &SettleOptions::default());
        let balance = balance(&cores, &state, &memory, &mut watch());
        assert!(balance.residual < 1e-9, "the states of these tests are at rest: {balance:?}");
        examine(&cores, &state, &balance)
    }

    /// Null and unstable modes of balls of radius 1.
    fn modes(boundary: Boundary, positions: &[[f64; 3]]) -> (usize, usize) {
        let stability = stability(model(boundary, &vec![1.0; positions.len()]), positions);
        assert_eq!(stability.unstable > 0, !stability.ways.is_empty());
        for way in &stability.ways {
            let length: f64 = way.iter().map(|d| d.length_squared()).sum();
            assert!((length - 1.0).abs() < 1e-9);
        }
        (stability.null, stability.unstable)
    }

    #[test]
    fn a_ball_on_the_floor_is_neutral() {
        assert_eq!(modes(cuboid(10.0), &[[4.0, 5.0, 1.0]]), (2, 0));
        // The two triangles of a floor meet in no edge.
        assert_eq!(modes(cuboid(10.0), &[[5.0, 5.0, 1.0]]), (2, 0));
        let square = Boundary::from_polygon(&[[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 9.0]]);
        assert_eq!(modes(square, &[[5.0, 1.0, 0.0]]), (1, 0));
    }

    #[test]
    fn sides_that_carry_nothing_do_not_count() {
        assert_eq!(modes(cuboid(10.0), &[[1.0, 1.0, 1.0]]), (2, 0));
    }

    #[test]
    fn a_slanted_corner_is_a_strict_minimum() {
        let mut model = model(cuboid(10.0), &[1.0]);
        model.gravity = DVec3::new(-1.0, -2.0, -3.0);
        let stability = stability(model, &[[1.0, 1.0, 1.0]]);
        assert_eq!((stability.null, stability.unstable), (0, 0));
        assert!((stability.margin - 1.0).abs() < 1e-9);
    }

    /// Walls on all sides of a tower press against each other; in a corner they only forbid.
    #[test]
    fn shafts_hold_towers_and_corners_do_not() {
        let shaft = Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::new(2.0, 2.0, 9.0)));
        let tower = [[1.0, 1.0, 1.0], [1.0, 1.0, 3.0]];
        assert_eq!(modes(shaft, &tower), (0, 0));
        assert_eq!(modes(cuboid(9.0), &tower), (4, 2));
    }

    /// The upper ball may fall to any side, the whole tower may roll to any side.
    #[test]
    fn a_tower_of_two_is_unstable() {
        assert_eq!(modes(cuboid(10.0), &[[5.0, 5.0, 1.0], [5.0, 5.0, 3.0]]), (4, 2));
    }

    #[test]
    fn many_towers_have_many_modes() {
        let foot = |k: usize| [2.0 + 4.0 * (k % 3) as f64, 2.0 + 4.0 * (k / 3) as f64];
        let ball = |i: usize| [foot(i / 2)[0], foot(i / 2)[1], 1.0 + 2.0 * (i % 2) as f64];
        let towers: Vec<[f64; 3]> = (0..14).map(ball).collect();
        assert_eq!(modes(cuboid(12.0), &towers), (28, 14));
    }

    /// Three balls in the corners of an upright triangular pit hold a fourth between them.
    #[test]
    fn a_ball_on_three_is_a_strict_minimum() {
        let (out, angle) = (1.2, std::f64::consts::TAU / 3.0);
        let pit = Boundary::from_mesh(&Mesh::profile(&[[0.0, out + 2.0], [10.0, out + 2.0]], 3));
        let foot = |k: f64| [out * (k * angle).cos(), out * (k * angle).sin(), 1.0];
        let top = [0.0, 0.0, 1.0 + (4.0 - out * out).sqrt()];
        assert_eq!(modes(pit, &[foot(0.0), foot(1.0), foot(2.0), top]), (0, 0));
    }

    /// It may roll down on both sides, and along the ridge without end.
    #[test]
    fn a_ball_on_a_ridge_is_unstable_across_it() {
        assert_eq!(modes(ridge(), &[[5.0, 3.0, 2.0]]), (2, 1));
        let across = stability(model(ridge(), &[1.0]), &[[5.0, 3.0, 2.0]]).ways;
        assert!((across[0][0].x.abs() - 1.0).abs() < 1e-9, "{across:?}");
    }

    #[test]
    fn a_circle_on_a_point_is_unstable() {
        let tooth = [[0.0, 0.0], [4.0, 0.0], [5.0, 1.0], [6.0, 0.0], [10.0, 0.0], [5.0, 9.0]];
        assert_eq!(modes(Boundary::from_polygon(&tooth), &[[5.0, 2.0, 0.0]]), (1, 1));
    }

    /// On the tip of a pyramid it may fall to every side.
    #[test]
    fn a_ball_on_a_tip_is_unstable() {
        let base = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
        let corner = |k: usize| DVec3::new(base[k % 4][0], base[k % 4][1], -1.0);
        let faces = (0..4).map(|k| Face::triangle(DVec3::ZERO, corner(k + 1), corner(k)));
        let tip = Boundary::from_faces(faces.collect()).unwrap();
        assert_eq!(modes(tip, &[[0.0, 0.0, 1.0]]), (2, 2));
    }

    /// Sizes and weights in any unit give the same answer.
    #[test]
    fn units_do_not_matter() {
        for (length, mass) in [(1e-3, 1e-9), (1e3, 1e9)] {
            let mut model = model(cuboid(10.0 * length), &[length, length]);
            model.bodies.iter_mut().for_each(|body| body.mass = mass);
            let positions = [[5.0, 5.0, 1.0], [5.0, 5.0, 3.0]].map(|p| p.map(|x| x * length));
            let stability = stability(model, &positions);
            assert_eq!((stability.null, stability.unstable), (4, 2));
        }
    }
}
