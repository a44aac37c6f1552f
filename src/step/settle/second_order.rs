//! Is a rest stable? First-order rest cannot see that a tower of balls
//! standing exactly on each other is about to fall. This test can: motions
//! that no force-carrying contact resists (the null space of their rows) are
//! unstable if they slide on a curved force-carrying contact, because sliding
//! opens it, and neutral otherwise.

use super::certificate::Balance;
use super::cone::{Side, ways_out};
use super::null_space::{Mode, Null, null_space, without_forces};
use super::plan::Units;
use super::prestress::could_press;
use super::stiffness::{Spring, Stiffness};
use crate::contact::{Cores, Other, Row, curvature};
use crate::energy::{self, Forces, strands};
use crate::math::{DMat3, DVec3, STIFF_CONTACT, STIFF_NULL, UNSTABLE_MODE};
use crate::solver::eigen;
use crate::world::{Model, State};

/// Null spaces of up to so many modes are looked at as dense matrices.
const MOST_NULL: usize = 100;

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
/// walls), its row, and how sliding on it opens
/// it: `force * curvature * (projection on the curved directions)`.
pub(super) struct Carrier {
    pub a: usize,
    pub b: Option<usize>,
    /// So long that the row counts as 1 for the body that it can hold most easily.
    pub normal: DVec3,
    /// Its force in weights of that body.
    pub force: f64,
    pub curved: DMat3,
}

/// The measure of each body's motion: the root of its radius over its weight, both in typical
/// ones. With motions counted in it, curvature is that of the energy in weights over radii
/// of the bodies that move, however light they are beside others.
pub(super) struct Measures(Vec<f64>);

impl Measures {
    /// With energies of distances, which join bodies of all sizes, all count alike.
    fn new(model: &Model, forces: &Forces, units: Units) -> Measures {
        let measure = |i: usize| match forces.largest[i] / units.force {
            weight if weight > 0.0 && !model.has_forces() => {
                (model.bodies[i].radius / units.length / weight).sqrt()
            }
            _ => 1.0,
        };
        Measures((0..model.bodies.len()).map(measure).collect())
    }

    /// All count alike.
    #[cfg(test)]
    pub fn alike(count: usize) -> Measures {
        Measures(vec![1.0; count])
    }

    pub fn of(&self, body: usize) -> f64 {
        self.0[body]
    }

    /// How many bodies there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The motion of a body against another, or against what cannot move, as a motion over all
    /// bodies has it.
    pub fn against(&self, of: impl Fn(usize) -> DVec3, a: usize, b: Option<usize>) -> DVec3 {
        of(a) * self.of(a) - b.map_or(DVec3::ZERO, |b| of(b) * self.of(b))
    }

    /// Lengths instead of measures; a unit vector.
    fn lengths(&self, motion: &[DVec3]) -> Vec<DVec3> {
        let lengths: Vec<DVec3> = motion.iter().zip(&self.0).map(|(d, m)| *d * *m).collect();
        let whole = lengths.iter().map(|d| d.length_squared()).sum::<f64>().sqrt();
        lengths.iter().map(|d| *d / whole.max(f64::MIN_POSITIVE)).collect()
    }
}

/// Examines a balanced rest.
pub(super) fn examine(cores: &Cores, state: &State, balance: &Balance) -> Stability {
    View::new(cores, state).examine(balance)
}

/// A configuration, with what acts in it and the units in which that is counted.
pub(super) struct View<'a> {
    pub cores: &'a Cores,
    pub state: &'a State,
    pub forces: Forces,
    pub units: Units,
    pub measures: Measures,
}

/// Contacts with their forces, or without.
pub(super) type Contacts<'b> = Vec<&'b (Row, f64)>;

impl<'a> View<'a> {
    pub fn new(cores: &'a Cores, state: &'a State) -> View<'a> {
        let forces = energy::forces(&cores.model, state);
        let units = Units::of_all(&cores.model, &forces);
        let measures = Measures::new(&cores.model, &forces, units);
        View { cores, state, forces, units, measures }
    }

    pub fn examine(&self, balance: &Balance) -> Stability {
        let model = &*self.cores.model;
        let (carrying, idle) = self.divided(balance);
        let carriers = self.carriers(&carrying, &[]);
        let null = self.null(&carriers);
        // Where energies are curved, too, being blocked in some directions proves nothing: there
        // all motions count that contacts without force leave beside those they block altogether.
        let within = (model.has_forces() && !null.unstable.is_empty())
            .then(|| self.within(&carrying, &idle))
            .flatten();
        let (left, open) = match &within {
            Some((within, open)) => (within, open),
            None => (&null, &idle),
        };
        let side = |(row, _): &&(Row, f64)| {
            let (a, b) = movable(model, row)?;
            Some(Side { a, b, normal: row.normal })
        };
        let sides = |contacts: &Contacts| contacts.iter().filter_map(side).collect::<Vec<Side>>();
        let mut ways = Vec::new();
        if !left.unstable.is_empty() && !model.joints.is_empty() {
            // No straight way goes far along which a taut rope turns: it gets too long.
            let mut rows = self.carriers(&carrying, &[]);
            rows.extend(self.across_ropes(&balance.contacts));
            ways = ways_out(&sides(&idle), &self.null(&rows), &self.measures, model.seed);
        }
        ways.extend(ways_out(&sides(open), left, &self.measures, model.seed));
        if !model.has_forces() {
            // What is left of a mode that is blocked may be some neutral motion beside it.
            ways.retain(|way| falls(&carriers, &self.measures, way));
        }
        let is_blocked = ways.is_empty() && !model.has_forces();
        Stability {
            unknowns: model.dimension * model.free().count(),
            null: null.count,
            unstable: if is_blocked { 0 } else { left.unstable.len() },
            ways: ways.iter().map(|way| self.measures.lengths(way)).collect(),
            margin: null.margin,
        }
    }

    /// Motions along which the energy falls, of those that open no contact that could press.
    pub fn falling(&self, balance: &Balance) -> Vec<Vec<DVec3>> {
        let (carrying, idle) = self.divided(balance);
        match self.within(&carrying, &idle) {
            Some((within, _)) => within.unstable,
            None => self.null(&self.carriers(&carrying, &[])).unstable,
        }
    }

    /// The contacts that carry force, and those that do not.
    fn divided<'b>(&self, balance: &'b Balance) -> (Contacts<'b>, Contacts<'b>) {
        let carries =
            |contact: &&(Row, f64)| balance.carries(&self.cores.model, &self.forces, contact);
        balance.contacts.iter().partition(carries)
    }

    /// What the motions are that no contact resists: neither those that carry force, nor those
    /// without that hold each other; and the contacts that may open along them. None if no
    /// contact without force holds another.
    fn within<'b>(
        &self,
        carrying: &Contacts<'b>,
        idle: &Contacts<'b>,
    ) -> Option<(Null, Contacts<'b>)> {
        let held = could_press(&self.cores.model, carrying, idle);
        let side = |wanted: bool| {
            let of = idle.iter().zip(&held).filter(move |(_, held)| **held == wanted);
            of.map(|(contact, _)| *contact).collect::<Contacts<'b>>()
        };
        let shut = side(true);
        (!shut.is_empty()).then(|| (self.null(&self.carriers(carrying, &shut)), side(false)))
    }

    /// Rows with their forces, and rows that resist without.
    fn carriers(&self, carrying: &[&(Row, f64)], shut: &[&(Row, f64)]) -> Vec<Carrier> {
        let carrying = carrying.iter().filter_map(|(row, force)| self.carrier(row, *force));
        carrying.chain(shut.iter().filter_map(|(row, _)| self.carrier(row, 0.0))).collect()
    }

    /// Rows across every taut rope, in all directions.
    fn across_ropes(&self, contacts: &[(Row, f64)]) -> Vec<Carrier> {
        let ropes = contacts.iter().filter(|(row, _)| matches!(row.key.other, Other::Rope(_)));
        let across = ropes.flat_map(|(row, _)| {
            let (one, two) = row.normal.any_orthonormal_pair();
            [one, two].map(|normal| Row { normal, ..*row })
        });
        across.filter_map(|row| self.carrier(&row, 0.0)).collect()
    }

    fn null(&self, carriers: &[Carrier]) -> Null {
        match self.cores.model.has_forces() {
            true => with_forces(self, carriers),
            false => without_forces(&self.cores.model, &self.measures, carriers),
        }
    }

    /// How fast the energy falls along each of some motions, to second order: for what is no
    /// contact, and for every contact by each unit of its force.
    pub fn falls(&self, motion: &[DVec3], rows: &[&Row]) -> (f64, Vec<f64>) {
        let still = |i: usize| match self.cores.model.bodies[i].is_free() {
            true => motion[i],
            false => DVec3::ZERO,
        };
        let fall = |a: usize, b: Option<usize>, block: DMat3| {
            let u = self.measures.against(still, a, b);
            u.dot(block * u)
        };
        let springs = self.springs();
        let given = springs.iter().map(|s| -fall(s.a, s.b, s.block)).sum();
        let by_force = |row: &&Row| {
            let unit = self.carrier(row, self.units.force);
            unit.map_or(0.0, |c| fall(c.a, c.b, c.curved))
        };
        (given, rows.iter().map(by_force).collect())
    }

    /// The second derivatives of energies of distances.
    fn springs(&self) -> Vec<Spring> {
        let mut springs = Vec::new();
        for force in &self.cores.model.forces {
            for strand in strands(force, self.state) {
                let block =
                    energy::stiffness(&force.law, &strand) * (self.units.length / self.units.force);
                springs.push(Spring { a: strand.a, b: strand.b, block });
            }
        }
        springs
    }

    /// A row that carries force; none if it joins two fixed bodies.
    fn carrier(&self, row: &Row, force: f64) -> Option<Carrier> {
        let View { cores, state, forces, units, measures } = self;
        let (model, n, length) = (&*cores.model, row.normal, units.length);
        let off_normal = DMat3::IDENTITY - outer(n, n);
        let first = row.key.body as usize;
        let apart = |joint: u32| {
            let [a, b] = model.joints[joint as usize].ends(state);
            a.distance(b)
        };
        let body = &model.bodies[first];
        let curved = match row.key.other {
            Other::Body(j) => {
                off_normal * (length / (body.radius + model.bodies[j as usize].radius))
            }
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
        let lighter = b.filter(|&b| measures.of(b) > measures.of(a)).unwrap_or(a);
        let weight = match forces.largest[lighter] {
            0.0 => units.force,
            weight => weight,
        };
        let (normal, curved) = (n / measures.of(lighter), curved * (force / units.force));
        Some(Carrier { a, b, normal, force: force / weight, curved })
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

/// Energies of distances have curvature of their own, and so have taut ropes: both count on the
/// null space of the rows, as far as that is small. Bodies that hang on forces alone make it large;
/// then contacts count as stiff springs among the others.
fn with_forces(view: &View, carriers: &[Carrier]) -> Null {
    let model = &*view.cores.model;
    let mut springs = view.springs();
    springs.extend(carriers.iter().map(|c| Spring { a: c.a, b: c.b, block: -c.curved }));
    match null_space(model, &view.measures, carriers, MOST_NULL) {
        Some(null) => stiffened(null, model, &springs),
        None => among_springs(model, carriers, &springs),
    }
}

/// What a null space is with springs: modes that these resist are none of it.
fn stiffened(null: Null, model: &Model, springs: &[Spring]) -> Null {
    let still = |i: usize| !model.bodies[i].is_free();
    let slid = |mode: &Mode, spring: &Spring| {
        let of = |i: usize| if still(i) { DVec3::ZERO } else { mode.of(i) };
        of(spring.a) - spring.b.map_or(DVec3::ZERO, of)
    };
    let slides: Vec<Vec<DVec3>> = (null.modes.iter())
        .map(|mode| springs.iter().map(|spring| slid(mode, spring)).collect())
        .collect();
    let form = |x: &[DVec3], y: &[DVec3]| {
        let terms = springs.iter().zip(x.iter().zip(y));
        terms.map(|(spring, (u, v))| u.dot(spring.block * *v)).sum::<f64>()
    };
    let small: Vec<Vec<f64>> =
        slides.iter().map(|x| slides.iter().map(|y| form(x, y)).collect()).collect();
    let (values, mixes) = eigen::symmetric(&small);
    let mut margin = STIFF_CONTACT * null.margin.powi(2);
    let (mut modes, mut unstable) = (Vec::new(), Vec::new());
    for (value, mix) in values.iter().zip(&mixes) {
        if *value >= STIFF_NULL {
            margin = margin.min(*value);
            continue;
        }
        let moved = |i: usize| null.modes.iter().zip(mix).map(|(mode, m)| mode.of(i) * *m).sum();
        let motion: Vec<DVec3> = (0..model.bodies.len()).map(moved).collect();
        if *value < -STIFF_NULL {
            unstable.push(motion.clone());
        }
        modes.push(Mode::Together(motion));
    }
    Null { count: modes.len(), modes, nearly: null.nearly, unstable, margin }
}

/// All of it as springs in one matrix, contacts as very stiff ones.
fn among_springs(model: &Model, carriers: &[Carrier], springs: &[Spring]) -> Null {
    let bodies: Vec<usize> = model.free().collect();
    let mut number = vec![None; model.bodies.len()];
    bodies.iter().enumerate().for_each(|(k, &i)| number[i] = Some(k));
    let mut stiffness = Stiffness::new(model.dimension, bodies.len());
    for Spring { a, b, block } in springs {
        match (number[*a], b.and_then(|b| number[b])) {
            (Some(a), b) => stiffness.add(a, b, *block),
            (None, Some(b)) => stiffness.add(b, None, *block),
            (None, None) => {}
        }
    }
    for c in carriers {
        if let Some(a) = number[c.a] {
            stiffness.add_contact(a, c.b.and_then(|b| number[b]), c.normal, c.force);
        }
    }
    let modes = stiffness.modes(model.seed);
    let spread = |mode: &Vec<f64>| spread(&bodies, model.bodies.len(), model.dimension, mode);
    Null {
        count: modes.null.len(),
        unstable: modes.null[..modes.unstable].iter().map(spread).collect(),
        modes: modes.null.iter().map(|mode| Mode::Together(spread(mode))).collect(),
        nearly: Vec::new(),
        margin: modes.margin,
    }
}

/// A flat vector over some bodies as one vector for each of all.
pub(super) fn spread(bodies: &[usize], all: usize, width: usize, flat: &[f64]) -> Vec<DVec3> {
    let mut spread = vec![DVec3::ZERO; all];
    for (k, &i) in bodies.iter().enumerate() {
        let part = &flat[k * width..(k + 1) * width];
        spread[i] = DVec3::new(part[0], part[1], *part.get(2).unwrap_or(&0.0));
    }
    spread
}

/// Whether the energy falls along a unit motion that no carrier resists.
fn falls(carriers: &[Carrier], measures: &Measures, way: &[DVec3]) -> bool {
    let slid = carriers.iter().map(|c| {
        let u = measures.against(|i| way[i], c.a, c.b);
        u.dot(c.curved * u)
    });
    slid.sum::<f64>() > UNSTABLE_MODE
}

pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
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
