//! From motion to exactness. Dynamics leaves bodies overlapping by a hair;
//! with their rotations fixed, every pair of convex pieces has a direction
//! along which it can be taken apart, and a linear program finds the least
//! movement that does so for all pairs at once: the way from free-flying to
//! crowded bodies that [M96 6] asks for.

use std::collections::BTreeMap;

use super::collapse::Ledger;
use crate::contact::manifold::{Placed, manifold};
use crate::math::{DMat3, DVec3};
use crate::near;
use crate::problem::{Problem, Result};
use crate::shape::{Aabb, Core};
use crate::solver::{Accuracy, FIXED, HalfSpace, MotionBox, Program, solve};
use crate::world::{Assembly, Poses};

/// Bodies end this far apart, in radii of the smallest, so that rounding cannot join them again.
const SKIN: f64 = 1e-7;

/// The room that the method settle needs between bodies to start from, in such radii.
pub const ROOM_TO_SETTLE: f64 = 4e-3;

/// Bodies may first move by a quarter of the smallest radius, but by no less than so many times
/// the deepest overlap and by no more than so many times; and by more whenever that is too little.
const LEAST_REACH: f64 = 8.0;
const MOST_REACH: f64 = 64.0;
const LONGER: f64 = 8.0;
const MOST_TRIES: usize = 4;
const MOST_ITERATIONS: usize = 100;

/// The movement is the least up to this part of the sum of all overlaps.
const LEAST: f64 = 1e-4;

/// Directions are sought in turns of this much, halved down to that.
const FIRST_TURN: f64 = 0.1;
const LAST_TURN: f64 = 1e-7;

/// Breaks ties between equally short motions.
const PROXIMAL: f64 = 1e-6;

/// What a separation did.
#[derive(Clone, Debug, PartialEq)]
pub struct Separated {
    /// The deepest overlap before, as a length.
    pub overlap: f64,
    /// The longest way that a body went.
    pub way: f64,
    /// Rows and iterations of the program; 0 if nothing overlapped.
    pub rows: usize,
    pub iterations: usize,
}

/// Takes overlapping bodies apart by the least movement (the sum of all coordinates' changes),
/// without turning any; what joints join moves as one. All bodies are at rest afterwards, and
/// `room` times the radius of the smallest apart, or a hair more.
///
/// ```
/// use riprap::math::DVec3;
/// use riprap::shape::{Core, Piece};
/// use riprap::step::hand_over::separate;
/// use riprap::world::{Assembly, Poses, Weight};
///
/// let (mut assembly, mut poses) = (Assembly::default(), Poses::default());
/// for x in [0.0, 1.9] {
///     let ball = Piece { at: DVec3::new(x, 0.0, 0.0), ..Piece::new(Core::Point, 1.0) };
///     assembly.add(&mut poses, vec![ball], Weight::Density(1.0))?;
/// }
/// let done = separate(&assembly, &mut poses, 0.0)?;
/// assert!((done.overlap - 0.1).abs() < 1e-12);
/// assert!((poses.positions[1].x - poses.positions[0].x - 2.0).abs() < 1e-6);
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn separate(assembly: &Assembly, poses: &mut Poses, room: f64) -> Result<Separated> {
    if !assembly.cloths.is_empty() {
        return Err(Problem::new("cloth cannot be handed over")
            .help("the exact programs move rigid bodies; leave `hand_over` out"));
    }
    poses.velocities.fill(DVec3::ZERO);
    poses.spins.fill(DVec3::ZERO);
    let crowd = Crowd::new(assembly, poses, room);
    let (_, deepest) = crowd.rows(0.0)?;
    let mut done = Separated { overlap: deepest.max(0.0), way: 0.0, rows: 0, iterations: 0 };
    if deepest <= -room * crowd.smallest {
        return Ok(done);
    }
    // Lengths in the program are in this unit, so that they are neither large nor small.
    let unit = done.overlap + crowd.skin;
    let mut reach = (MOST_REACH * unit).min((0.25 * crowd.smallest).max(LEAST_REACH * unit));
    for _ in 0..MOST_TRIES {
        let program = crowd.program(reach, unit)?;
        let burden: f64 = program.half_spaces.iter().map(|row| (-row.gap).max(0.0)).sum();
        let accuracy =
            Accuracy { relative: 0.0, absolute: LEAST * burden, max_iterations: MOST_ITERATIONS };
        let solution = solve(&program, accuracy, &[]);
        let slack = program.smallest_slack(&solution.motion) * unit;
        if slack > -0.5 * SKIN * crowd.smallest {
            for (i, block) in crowd.blocks.iter().enumerate() {
                if let Some(block) = block {
                    let way = solution.motion[*block as usize] * unit;
                    poses.positions[i] += way;
                    done.way = done.way.max(way.length());
                }
            }
            done.rows = program.half_spaces.len();
            done.iterations = solution.iterations;
            return Ok(done);
        }
        reach *= LONGER;
    }
    Err(Problem::new(format!(
        "the bodies overlap by {deepest:.3e} and there is no room to take them apart"
    ))
    .help("their rotations are fixed; a wider vessel, or more `substeps`, leave room"))
}

/// The account of the separation for the run file.
pub fn ledger(assembly: &Assembly, poses: &Poses, done: &Separated) -> Ledger {
    Ledger {
        energy: assembly.energy(poses),
        rows: done.rows as u32,
        iterations: done.iterations as u32,
        ..Default::default()
    }
}

/// The bodies as the program sees them.
struct Crowd<'a> {
    assembly: &'a Assembly,
    placed: Vec<Vec<Placed<'a>>>,
    regions: Vec<Aabb>,
    /// Which unknowns move a body; none if nothing does.
    blocks: Vec<Option<u32>>,
    count: usize,
    exempt: Vec<[u32; 2]>,
    /// The least radius of what moves.
    smallest: f64,
    /// How far apart bodies are to be.
    skin: f64,
}

impl<'a> Crowd<'a> {
    fn new(assembly: &'a Assembly, poses: &Poses, room: f64) -> Self {
        let parts = &assembly.parts;
        let place = |i: usize| -> Vec<Placed<'a>> {
            let turn = DMat3::from_quat(poses.rotations[i]);
            parts[i].pieces.iter().map(|p| Placed::new(p, poses.positions[i], &turn)).collect()
        };
        let placed: Vec<Vec<Placed>> = (0..parts.len()).map(place).collect();
        let region = |i: usize| {
            let all = placed[i].iter().map(|piece| piece.bounds).reduce(|a, b| a.union(&b));
            all.unwrap_or(Aabb { min: poses.positions[i], max: poses.positions[i] })
        };
        let regions = (0..parts.len()).map(region).collect();
        let (blocks, count) = blocks(assembly);
        let smallest = assembly.free().map(|i| parts[i].radius).fold(f64::INFINITY, f64::min);
        let smallest = if smallest.is_finite() { smallest } else { 0.0 };
        let (exempt, skin) = (assembly.exempt(), (SKIN + room) * smallest);
        Crowd { assembly, placed, regions, blocks, count, exempt, smallest, skin }
    }

    /// The half-spaces of all pairs that motions of up to `reach` per coordinate can join, and
    /// the deepest overlap. A half-space is enough to keep its two pieces apart, wherever they go.
    fn rows(&self, reach: f64) -> Result<(Vec<HalfSpace>, f64)> {
        let within = 2.0 * (3.0_f64.sqrt() * reach + self.skin);
        let grown: Vec<Aabb> = self.regions.iter().map(|r| r.grow(0.5 * within)).collect();
        let (mut rows, mut deepest) = (Vec::new(), f64::NEG_INFINITY);
        for pair in near::pairs(&grown) {
            let (i, j) = (pair.i as usize, pair.j as usize);
            let exempt = self.exempt.binary_search(&[pair.i, pair.j]).is_ok();
            if exempt || (self.blocks[i].is_none() && self.blocks[j].is_none()) {
                continue;
            }
            for first in &self.placed[i] {
                for second in &self.placed[j] {
                    if !first.bounds.grow(within).overlaps(&second.bounds) {
                        continue;
                    }
                    let Some(found) = manifold(first, second, within) else { continue };
                    let (normal, gap) = widest(first, second, found.normal, self.skin);
                    deepest = deepest.max(-gap);
                    if self.blocks[i] == self.blocks[j] {
                        self.refuse_if_joined(gap, [i, j])?;
                        continue;
                    }
                    rows.push(self.half_space([i, j], normal, gap - self.skin));
                }
            }
        }
        Ok((rows, deepest))
    }

    fn half_space(&self, pair: [usize; 2], normal: DVec3, gap: f64) -> HalfSpace {
        match pair.map(|i| self.blocks[i]) {
            [Some(a), b] => HalfSpace { a, b: b.unwrap_or(FIXED), normal, gap },
            [None, b] => HalfSpace { a: b.unwrap_or(FIXED), b: FIXED, normal: -normal, gap },
        }
    }

    fn refuse_if_joined(&self, gap: f64, [i, j]: [usize; 2]) -> Result<()> {
        if gap >= 0.0 {
            return Ok(());
        }
        Err(Problem::new(format!(
            "the bodies {i} and {j} overlap, and joints make them move as one"
        ))
        .help("joined bodies that may overlap need a joint of their own without `collide`"))
    }

    fn program(&self, reach: f64, unit: f64) -> Result<Program> {
        let (mut half_spaces, _) = self.rows(reach)?;
        half_spaces.iter_mut().for_each(|row| row.gap /= unit);
        let far = DVec3::splat(reach / unit);
        let wide = MotionBox { axes: DMat3::IDENTITY, low: -far, high: far };
        // What moves several bodies costs as much as they all do.
        let mut absolute = vec![0.0; self.count];
        for block in self.assembly.free().filter_map(|i| self.blocks[i]) {
            absolute[block as usize] += 1.0;
        }
        Ok(Program {
            width: 3,
            cost: vec![DVec3::ZERO; self.count],
            proximal: vec![PROXIMAL; self.count],
            absolute,
            half_spaces,
            boxes: vec![wide; self.count],
            ..Program::default()
        })
    }
}

/// The direction along which two pieces have the most room, and that room, begun at the normal
/// of their contact. Contacts prefer faces to edges, and see a prism in a cylinder.
fn widest(first: &Placed, second: &Placed, normal: DVec3, enough: f64) -> (DVec3, f64) {
    let room = |n: DVec3| (n, first.least_of(n) + second.least_of(-n));
    let better = |a: (DVec3, f64), b: (DVec3, f64)| if b.1 > a.1 { b } else { a };
    let mut best = room(normal);
    if best.1 >= enough || [first, second].iter().any(|p| p.piece.core == Core::Point) {
        return best;
    }
    let (one, two) = (first.spelled_out(), second.spelled_out());
    let sides = one.normals.iter().map(|n| -*n).chain(two.normals.iter().copied());
    best = sides.map(room).fold(best, better);
    let (along, other) = (edges(&one), edges(&two));
    for along in &along {
        for other in &other {
            if let Some(across) = along.cross(*other).try_normalize() {
                best = better(better(best, room(across)), room(-across));
            }
        }
    }
    let is_round =
        |p: &Placed| matches!(p.piece.core, Core::Cylinder { .. } | Core::Segment { .. });
    let mut turn = if is_round(first) || is_round(second) { FIRST_TURN } else { 0.0 };
    while turn > LAST_TURN {
        let [u, v] = across(best.0);
        // Where an edge is in contact, the best directions are square to it.
        let about = [&along, &other].into_iter().flatten();
        let about = about.filter_map(|edge| edge.cross(best.0).try_normalize());
        let sides = [u, v].into_iter().chain(about).flat_map(|side| [side, -side]);
        let tries = sides.map(|side| room((best.0 + turn * side).normalize()));
        match tries.fold(best, better) {
            found if found.1 > best.1 => best = found,
            _ => turn *= 0.5,
        }
    }
    best
}

/// The directions of the edges of a piece, and of the axis of a round one.
fn edges(placed: &Placed) -> Vec<DVec3> {
    if let Core::Segment { .. } = placed.piece.core {
        return vec![placed.axes.z_axis];
    }
    let ends = placed.hull().map_or(&[][..], |hull| &hull.edges);
    let at = |k: u32| placed.corners[k as usize];
    ends.iter().map(|[a, b]| (at(*b) - at(*a)).normalize_or_zero()).collect()
}

/// Two directions square to a third and to each other.
fn across(normal: DVec3) -> [DVec3; 2] {
    let u = normal.any_orthonormal_vector();
    [u, normal.cross(u)]
}

/// The unknowns: one block for every free body, or for all that joints join; none for what is
/// joined to something that does not move.
fn blocks(assembly: &Assembly) -> (Vec<Option<u32>>, usize) {
    let count = assembly.parts.len();
    let world = count;
    let mut lead: Vec<usize> = (0..=count).collect();
    let find = |lead: &[usize], mut i: usize| {
        while lead[i] != i {
            i = lead[i];
        }
        i
    };
    let mut join = |a: usize, b: usize| {
        let (a, b) = (find(&lead, a), find(&lead, b));
        // The world has the largest number and leads whatever is tied to it.
        lead[a.min(b)] = a.max(b);
    };
    for (i, part) in assembly.parts.iter().enumerate() {
        if !part.is_free() {
            join(i, world);
        }
    }
    for bond in &assembly.joints {
        let [a, b] = bond.parts.map(|part| part.map_or(world, |part| part as usize));
        join(a, b);
    }
    let mut numbers = BTreeMap::new();
    let blocks = (0..count).map(|i| {
        let root = find(&lead, i);
        let next = numbers.len() as u32;
        (root != world).then(|| *numbers.entry(root).or_insert(next))
    });
    let blocks: Vec<Option<u32>> = blocks.collect();
    (blocks, numbers.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use crate::shape::Piece;
    use crate::world::{BondKind, Motion, Weight};

    fn add(assembly: &mut Assembly, poses: &mut Poses, core: Core, radius: f64, at: DVec3) {
        let piece = Piece { at, ..Piece::new(core, radius) };
        assembly.add(poses, vec![piece], Weight::Density(1.0)).unwrap();
    }

    /// Boxes and balls and cylinders, heaped closer than they are wide, on a slab.
    fn heap() -> (Assembly, Poses) {
        let (mut assembly, mut poses) = (Assembly::default(), Poses::default());
        let slab = Core::Box { half: DVec3::new(9.0, 9.0, 0.5) };
        add(&mut assembly, &mut poses, slab, 0.0, DVec3::new(0.0, 0.0, -0.5));
        assembly.parts[0].motion = Motion::Fixed;
        let mut random = Random::new(7);
        for k in 0..60 {
            let place = [k % 4, (k / 4) % 4, k / 16].map(|n| f64::from(n) * 0.97 + 0.47);
            let at = DVec3::from(place);
            match k % 3 {
                0 => add(&mut assembly, &mut poses, Core::Point, 0.5, at),
                1 => {
                    let half = DVec3::splat(0.5);
                    add(&mut assembly, &mut poses, Core::Box { half }, 0.0, at);
                }
                _ => {
                    let core = Core::Cylinder { radius: 0.45, half: 0.5 };
                    add(&mut assembly, &mut poses, core, 0.0, at);
                }
            }
            let i = poses.rotations.len() - 1;
            let axis = DVec3::new(random.normal(), random.normal(), random.normal());
            poses.rotations[i] =
                crate::math::DQuat::from_scaled_axis(0.05 * axis) * poses.rotations[i];
            poses.velocities[i] = axis;
        }
        (assembly, poses)
    }

    #[test]
    fn a_heap_is_taken_apart_without_turning() {
        let (assembly, mut poses) = heap();
        let before = poses.clone();
        let done = separate(&assembly, &mut poses, 0.0).unwrap();
        assert!(done.overlap > 0.02, "the heap overlaps: {done:?}");
        let (_, deepest) = Crowd::new(&assembly, &poses, 0.0).rows(0.0).unwrap();
        assert!(deepest < 0.0, "{deepest}");
        assert_eq!(before.rotations, poses.rotations);
        assert_eq!(before.positions[0], poses.positions[0], "the slab stands");
        assert!(poses.velocities.iter().all(|v| *v == DVec3::ZERO));
        assert!(done.way < 8.0 * done.overlap, "{done:?}");
    }

    #[test]
    fn what_does_not_overlap_stays_to_the_last_bit() {
        let (assembly, mut poses) = heap();
        separate(&assembly, &mut poses, 0.0).unwrap();
        let first = poses.clone();
        let done = separate(&assembly, &mut poses, 0.0).unwrap();
        assert_eq!((done.overlap, done.way), (0.0, 0.0));
        assert!(first == poses);
    }

    #[test]
    fn the_movement_is_the_least() {
        // Three balls in a row, 0.1 too close each: the outer ones go, the middle one stays.
        let (mut assembly, mut poses) = (Assembly::default(), Poses::default());
        for x in [0.0, 1.9, 3.8] {
            add(&mut assembly, &mut poses, Core::Point, 1.0, DVec3::new(x, 0.0, 0.0));
        }
        separate(&assembly, &mut poses, 0.0).unwrap();
        let x: Vec<f64> = poses.positions.iter().map(|p| p.x).collect();
        assert!((x[1] - 1.9).abs() < 1e-5, "{x:?}");
        assert!((x[0] + 0.1).abs() < 1e-5 && (x[2] - 3.9).abs() < 1e-5, "{x:?}");
    }

    #[test]
    fn joined_bodies_move_as_one() {
        let (mut assembly, mut poses) = (Assembly::default(), Poses::default());
        for x in [0.0, 1.9, 4.5] {
            add(&mut assembly, &mut poses, Core::Point, 1.0, DVec3::new(x, 0.0, 0.0));
        }
        let points = [DVec3::new(3.0, 0.0, 0.0); 2];
        assembly.join(&poses, BondKind::Ball, [Some(1), Some(2)], points, [DVec3::X; 2]);
        separate(&assembly, &mut poses, 0.0).unwrap();
        let x: Vec<f64> = poses.positions.iter().map(|p| p.x).collect();
        assert!((x[2] - x[1] - 2.6).abs() < 1e-15, "{x:?}");
        assert!((x[0] + 0.1).abs() < 1e-5, "the lone ball goes, not the two: {x:?}");
    }

    #[test]
    fn no_room_is_said() {
        let (mut assembly, mut poses) = (Assembly::default(), Poses::default());
        for x in [0.0, 2.5] {
            let half = DVec3::new(0.5, 9.0, 9.0);
            add(&mut assembly, &mut poses, Core::Box { half }, 0.0, DVec3::new(x, 0.0, 0.0));
            assembly.parts.last_mut().unwrap().motion = Motion::Fixed;
        }
        add(&mut assembly, &mut poses, Core::Point, 1.0, DVec3::new(1.25, 0.0, 0.0));
        let problem = separate(&assembly, &mut poses, 0.0).unwrap_err();
        assert!(problem.message.contains("no room"), "{}", problem.message);
    }
}
