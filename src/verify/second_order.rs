//! Is the rest stable? A motion that no force-carrying contact resists (a null
//! mode) lowers the energy if it slides on a curved contact that carries force,
//! because sliding opens it; if it slides on none, it is neutral.
//!
//! Let `A` hold the rows of the contacts that carry force and `G` their forces
//! times curvatures. `G` has no negative eigenvalue, so a null mode is neutral
//! exactly if `G` has it as a null mode, too (but see `cone.rs` for contacts that carry nothing). Both kinds are therefore counted
//! as eigenvalues that are almost zero: the null modes are those of `A'A`, the
//! neutral ones those of `A'A + G`, and all the others are unstable.

use super::cone::{Side, blocks, free_motions, hold_each_other};
use super::dense::eigen;
use super::forces::{lines, loads};
use super::inertia::{End, Symmetric};
use super::rest::{Touch, typical, weights};
use crate::math::{DMat3, DVec3, NULL_MODE, STIFF_CONTACT, STIFF_NULL, UNSTABLE_MODE, carries};
use crate::problem::Result;
use crate::world::{Body, Model};

/// A wedge holds by large forces on rows that are nearly dependent, so a row
/// counts by its force, in weights. From here on it is a stiff one.
const STIFF: f64 = 30.0;
/// Rows weigh this much more than curvature in the count of neutral modes, so
/// that a true mode cannot be taken for one.
const ROWS: f64 = 1e3;

/// The null modes of a rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Modes {
    pub null: usize,
    pub unstable: usize,
    /// Besides these: modes so close to the border of what is resisted that nobody can tell. Whoever counts
    /// them as null is as right as who does not, and no verdict depends on them.
    pub unsure: usize,
}

/// Something between two bodies that may move, or one and what cannot: a quadratic form of how one
/// moves against the other.
type Spring = (End, Option<End>, DMat3);

/// How far two that weigh the same forces may differ about what is left of them.
const WEIGHED: f64 = 10.0;

/// Counts the modes; `None` if that cannot be done.
pub(super) fn modes(
    model: &Model,
    positions: &[DVec3],
    touches: &[Touch],
    residual: f64,
) -> Result<Option<Modes>> {
    let rest = Rest::new(model, positions);
    let weights = weights(model, positions);
    let carries = |side: &Side, part: f64| {
        carries(side.touch.force, side.touch.lighter(&weights), part * residual)
    };
    let sides = || touches.iter().filter_map(|touch| rest.side(touch));
    let with = |part: f64| rest.modes(sides().partition(|side| carries(side, part)));
    let Some(modes) = with(1.0)? else { return Ok(None) };
    // Whether a contact carries force or balances what is left of others is a border, too.
    let is_sure = |side: Side| carries(&side, WEIGHED) == carries(&side, WEIGHED.recip());
    if sides().all(is_sure) {
        return Ok(Some(modes));
    }
    let (mut null, mut most) = (modes.null, modes.null + modes.unsure);
    for part in [WEIGHED, WEIGHED.recip()] {
        let Some(other) = with(part)? else { continue };
        (null, most) = (null.min(other.null), most.max(other.null + other.unsure));
    }
    // No verdict depends on that border: what is unstable as contacts are counted here stays so.
    let null = null.max(modes.unstable);
    Ok(Some(Modes { null, unstable: modes.unstable, unsure: most.max(null) - null }))
}

/// A configuration, with the units in which its modes are counted.
struct Rest<'m> {
    model: &'m Model,
    positions: &'m [DVec3],
    largest: Vec<f64>,
    weight: f64,
    radius: f64,
    free: Free,
}

impl<'m> Rest<'m> {
    fn new(model: &'m Model, positions: &'m [DVec3]) -> Rest<'m> {
        let (_, largest) = loads(model, positions);
        let weight = typical(model, &largest);
        let radii: Vec<f64> = model.bodies.iter().map(|body| body.radius).collect();
        let radius = typical(model, &radii);
        let free = Free::new(model, &largest, weight, radius);
        Rest { model, positions, largest, weight, radius, free }
    }

    fn side<'t>(&self, touch: &'t Touch) -> Option<Side<'t>> {
        self.free.side(&self.largest, self.weight, touch)
    }

    /// With contacts that carry force, and those that do not.
    fn modes(&self, (carriers, idle): (Vec<Side>, Vec<Side>)) -> Result<Option<Modes>> {
        let Rest { model, free, .. } = self;
        let (width, per_weight) = (model.dimension, self.radius / self.weight);
        let give = |side: &Side| -side.touch.curvature * (side.touch.force * per_weight);
        let curved = carriers.iter().map(|side| (side.a, side.b, give(side)));
        if model.has_forces() {
            let lines = lines(model);
            let stiff = lines.iter().filter_map(|line| {
                let (a, b) = free.ends(line.body, line.other())?;
                Some((a, b, line.stiffness(self.positions) * per_weight))
            });
            let springs: Vec<Spring> = curved.chain(stiff).collect();
            let modes = modes_with_forces(width, free, &carriers, &springs)?;
            let Some(modes) = modes.filter(|modes| modes.unstable > 0) else { return Ok(modes) };
            // Contacts without force that hold each other resist, too.
            let held = hold_each_other(&carriers, &idle, free.count, width);
            let held = idle.iter().zip(held).filter(|(_, held)| *held).map(|(side, _)| *side);
            let rows: Vec<Side> = carriers.iter().copied().chain(held).collect();
            let within = modes_with_forces(width, free, &rows, &springs)?;
            return Ok(within.map(|within| Modes { unstable: within.unstable, ..modes }));
        }
        let springs: Vec<Spring> = curved.collect();
        let Some(mut modes) = modes_without_forces(width, free, &carriers, &springs)? else {
            return Ok(None);
        };
        if modes.unstable > 0 && blocks(&carriers, &idle, free.count, width, per_weight, model.seed)
        {
            modes.unstable = 0;
        }
        Ok(Some(modes))
    }
}

/// Of a rest under gravity alone, whose contacts only give way.
fn modes_without_forces(
    width: usize,
    free: &Free,
    carriers: &[Side],
    springs: &[Spring],
) -> Result<Option<Modes>> {
    let empty = || Symmetric::new(width, free.count);
    let (mut rows, mut rows_and_curvature) = (empty(), empty());
    for (&Side { a, b, unit, force, touch }, (.., give)) in carriers.iter().zip(springs) {
        let normal = touch.normal * unit;
        let row = outer(normal) * force.clamp(1.0, STIFF).powi(2);
        rows.add(a, b, row);
        rows_and_curvature.add(a, b, ROWS * row - *give);
        if force > STIFF {
            let more = force.powi(2) - STIFF.powi(2);
            rows.add_stiff(a, b, normal, more);
            rows_and_curvature.add_stiff(a, b, normal, ROWS * more);
        }
    }
    let few = || few_modes(width, free, carriers, springs, UNSTABLE_MODE);
    let Some([null, more]) = rows.count_below(NULL_MODE)? else { return Ok(few()) };
    let unsure = more - null;
    if null == 0 {
        return Ok(Some(Modes { null, unstable: 0, unsure }));
    }
    let Some([_, neutral]) = rows_and_curvature.count_below(UNSTABLE_MODE)? else {
        return Ok(few());
    };
    Ok(Some(Modes { null, unstable: null.saturating_sub(neutral), unsure }))
}

/// The bodies that may move, counted, each with the measure of its motion: the root of its radius
/// over its weight, both in typical ones, so that curvature along the modes of light bodies counts
/// by their own weights. Energies of distances join bodies of all sizes; with them all count alike.
struct Free {
    ends: Vec<Option<End>>,
    count: usize,
}

impl Free {
    fn new(model: &Model, weights: &[f64], weight: f64, radius: f64) -> Free {
        let mut count = 0;
        let mut next = |(body, own): (&Body, &f64)| {
            count += usize::from(body.is_free());
            let measure = match *own > 0.0 && !model.has_forces() {
                true => (body.radius / radius * (weight / own)).sqrt(),
                false => 1.0,
            };
            body.is_free().then(|| (count - 1, measure))
        };
        let ends = model.bodies.iter().zip(weights).map(&mut next).collect();
        Free { ends, count }
    }

    /// Both ends of something among the bodies that move, one of them first.
    fn ends(&self, a: usize, b: Option<usize>) -> Option<(End, Option<End>)> {
        let b = b.and_then(|b| self.ends[b]);
        match (self.ends[a], b) {
            (Some(a), b) => Some((a, b)),
            (None, b) => b.map(|b| (b, None)),
        }
    }

    /// A contact of what moves. Its row counts by the body that it can hold most easily.
    fn side<'t>(&self, weights: &[f64], weight: f64, touch: &'t Touch) -> Option<Side<'t>> {
        let (a, b) = self.ends(touch.body, touch.other)?;
        let held = [Some(touch.body), touch.other].into_iter().flatten();
        let held = held.filter_map(|body| self.ends[body].map(|(_, measure)| (measure, body)));
        let (measure, body) = held.max_by(|x, y| x.0.total_cmp(&y.0))?;
        let own = if weights[body] > 0.0 { weights[body] } else { weight };
        Some(Side { a, b, unit: measure.recip(), force: touch.force / own, touch })
    }
}

/// Where energies have a stiffness of their own, all of it is one matrix, with
/// the contacts that carry force as very stiff springs: neutral modes have
/// almost no stiffness, unstable ones less than none.
fn modes_with_forces(
    width: usize,
    free: &Free,
    carriers: &[Side],
    springs: &[Spring],
) -> Result<Option<Modes>> {
    let strongest = carriers.iter().map(|side| side.force).fold(1.0, f64::max);
    let below = |bound: f64, lifted: f64| {
        let mut matrix = Symmetric::new(width, free.count);
        for &Side { a, b, touch, force, .. } in carriers {
            matrix.add(a, b, outer(touch.normal) * STIFF_CONTACT);
            // What opens a contact is resisted however much the curvature of any other would give.
            let stiffness = strongest * force.max(1.0).powi(2) / NULL_MODE;
            matrix.add_stiff(a, b, touch.normal, stiffness);
        }
        springs.iter().for_each(|(a, b, block)| matrix.add(*a, *b, *block));
        (0..free.count).for_each(|body| matrix.add((body, 1.0), None, DMat3::IDENTITY * lifted));
        matrix.count_below(bound)
    };
    let null = below(STIFF_NULL, 0.0)?;
    // Lifted so that neutral modes are well above the bound, and what is well
    // below zero is below it.
    let unstable = below(5.0 * STIFF_NULL, 20.0 * STIFF_NULL)?;
    let counted = null.zip(unstable).map(|([null, more], [unstable, _])| Modes {
        null,
        unstable,
        unsure: more - null,
    });
    Ok(counted.or_else(|| few_modes(width, free, carriers, springs, 15.0 * STIFF_NULL)))
}

/// The same among the motions that no contact resists, found one after the other: where wedges
/// multiply weights so much that the matrix of all cannot tell. A mode is unstable if the energy
/// falls along it by more than `falls`. None if there are too many bodies.
fn few_modes(
    width: usize,
    free: &Free,
    carriers: &[Side],
    springs: &[Spring],
    falls: f64,
) -> Option<Modes> {
    let (motions, resisted) = free_motions(carriers, free.count, width)?;
    let moved = |motion: &[f64], (body, measure): End| {
        let part = &motion[body * width..(body + 1) * width];
        DVec3::new(part[0], part[1], *part.get(2).unwrap_or(&0.0)) * measure
    };
    let slid = |motion: &Vec<f64>| -> Vec<DVec3> {
        let slid =
            |(a, b, _): &Spring| moved(motion, *a) - b.map_or(DVec3::ZERO, |b| moved(motion, b));
        springs.iter().map(slid).collect()
    };
    let slides: Vec<Vec<DVec3>> = motions.iter().map(slid).collect();
    let form = |x: &Vec<DVec3>, y: &Vec<DVec3>| {
        let terms = springs.iter().zip(x.iter().zip(y));
        terms.map(|((.., block), (u, v))| u.dot(*block * *v)).sum::<f64>()
    };
    let matrix: Vec<Vec<f64>> =
        slides.iter().map(|x| slides.iter().map(|y| form(x, y)).collect()).collect();
    let (values, _) = eigen(&matrix);
    let below = |bound: f64| values.iter().filter(|value| **value < bound).count();
    let null = below(0.5 * STIFF_NULL);
    let unsure = resisted + below(2.0 * STIFF_NULL) - null;
    Some(Modes { null, unstable: below(-falls), unsure })
}

/// The matrix that takes a vector to its part along the unit vector `n`.
pub(super) fn outer(n: DVec3) -> DMat3 {
    DMat3::from_cols(n * n.x, n * n.y, n * n.z)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::math::Random;
    use crate::shape::{Boundary, Face, Mesh};
    use crate::trajectory::{Contact, With};
    use crate::verify::rest::touches;
    use crate::world::State;

    fn model(dimension: usize, bodies: usize, boundary: Boundary) -> Model {
        let gravity = if dimension == 2 { -DVec3::Y } else { -DVec3::Z };
        let mut model = Model { boundary, ..Model::new(dimension, gravity) };
        let mut state = State::default();
        for _ in 0..bodies {
            model.add_particle(&mut state, DVec3::ZERO, 1.0, 0.5);
        }
        model
    }

    /// Pressed along y by forces that give way along x, and held there by a contact of one weight that leans: what
    /// that resists is resisted, however much the others give.
    #[test]
    fn light_contacts_hold_what_heavy_ones_give() {
        let touch = |normal: DVec3, force: f64| Touch {
            body: 0,
            other: None,
            normal: normal.normalize(),
            gap: 0.0,
            force,
            curvature: DMat3::ZERO,
        };
        let free = Free { ends: vec![Some((0, 1.0))], count: 1 };
        for (lean, expected) in [(3e-5, 0), (1e-7, 1)] {
            let touches = [touch(DVec3::Y, 1e5), touch(DVec3::new(lean, 1.0, 0.0), 1.0)];
            let carriers: Vec<Side> =
                touches.iter().filter_map(|touch| free.side(&[1.0], 1.0, touch)).collect();
            let gives = ((0, 1.0), None, -1e5 * outer(DVec3::X));
            let modes = modes_with_forces(2, &free, &carriers, &[gives]).unwrap().unwrap();
            assert_eq!((modes.null, modes.unstable), (expected, expected), "{lean}");
        }
    }

    fn count(model: &Model, positions: &[DVec3], contacts: &[(u32, With, f64)]) -> (usize, usize) {
        let contact = |&(body, with, force): &(u32, With, f64)| {
            let centre = positions[body as usize];
            let from = match with {
                With::Body(other) => positions[other as usize],
                With::Face(face) => {
                    let face =
                        Boundary::from_faces(vec![model.boundary.faces()[face as usize].clone()]);
                    face.unwrap().nearest(centre).unwrap().point
                }
                _ => unreachable!(),
            };
            let normal = (centre - from).normalize();
            // All balls have the radius 0.5.
            let (pieces, at) = ([0; 2], [centre - 0.5 * normal; 2]);
            Contact {
                body,
                with,
                pieces,
                at,
                normal,
                force: force * normal,
                couples: [DVec3::ZERO; 2],
                choice: false,
            }
        };
        let contacts: Vec<Contact> = contacts.iter().map(contact).collect();
        let state = State::at_rest(positions.to_vec());
        let touches = touches(model, &state, &contacts).unwrap();
        let Modes { null, unstable, unsure } =
            modes(model, positions, &touches, 0.0).unwrap().unwrap();
        assert_eq!(unsure, 0);
        (null - unstable, unstable)
    }

    fn on(body: u32) -> With {
        With::Body(body)
    }

    /// The number of the face below a place.
    fn floor(model: &Model, place: DVec3) -> With {
        With::Face(model.boundary.nearest(place).unwrap().face)
    }

    #[test]
    fn a_ball_on_the_floor_is_neutral_and_a_tower_is_not() {
        let room = Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::splat(9.0)));
        let place = |k: usize| DVec3::new(4.0, 3.0, 0.5 + k as f64);
        for height in 1..6 {
            let model = model(3, height, room.clone());
            let positions: Vec<DVec3> = (0..height).map(place).collect();
            let mut contacts = vec![(0, floor(&model, place(0)), height as f64)];
            let above = |k: u32| (k, on(k - 1), f64::from(height as u32 - k));
            contacts.extend((1..height as u32).map(above));
            assert_eq!(count(&model, &positions, &contacts), (2, 2 * (height - 1)));
        }
    }

    #[test]
    fn contacts_without_force_hold_nothing() {
        let room = Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::splat(9.0)));
        let model = model(3, 1, room);
        let corner = DVec3::splat(0.5);
        let walls = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| floor(&model, corner - 0.3 * axis));
        let contacts = |side: f64| [(0, walls[0], side), (0, walls[1], side), (0, walls[2], 1.0)];
        assert_eq!(count(&model, &[corner], &contacts(0.0)), (2, 0));
        assert_eq!(count(&model, &[corner], &contacts(0.1)), (0, 0));
    }

    #[test]
    fn ridges_and_peaks_are_curved() {
        let [left, right, back, front] =
            [[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 5.0, 0.0], [0.0, -5.0, 0.0]]
                .map(DVec3::from_array);
        let ridge = vec![Face::triangle(front, right, back), Face::triangle(front, back, left)];
        let on_ridge = model(3, 1, Boundary::from_faces(ridge).unwrap());
        let ball = [DVec3::new(0.0, 0.3, 0.5)];
        assert_eq!(count(&on_ridge, &ball, &[(0, With::Face(0), 1.0)]), (1, 1));
        let peak = vec![Face::triangle(DVec3::ZERO, left, DVec3::new(1.0, 1.0, -1.0))];
        let on_peak = model(3, 1, Boundary::from_faces(peak).unwrap());
        let ball = [DVec3::new(0.0, 0.0, 0.5)];
        assert_eq!(count(&on_peak, &ball, &[(0, With::Face(0), 1.0)]), (0, 2));
    }

    #[test]
    fn flat_scenes_have_two_unknowns_a_body() {
        let bay = [[-4.0, 0.0], [4.0, 0.0], [4.0, 9.0], [0.0, 2.0], [-4.0, 9.0]];
        let boundary = Boundary::from_polygon(&bay);
        let lone = model(2, 1, boundary.clone());
        let ball = DVec3::new(1.0, 0.5, 0.0);
        assert_eq!(count(&lone, &[ball], &[(0, With::Face(0), 1.0)]), (1, 0));
        let pair = model(2, 2, boundary);
        let balls = [ball, ball + DVec3::Y];
        assert_eq!(count(&pair, &balls, &[(0, With::Face(0), 2.0), (1, on(0), 1.0)]), (1, 1));
        // A circle balanced on the tip between the two arms of an M.
        let m = [[-4.0, 9.0], [-4.0, 0.0], [0.0, 3.0], [4.0, 0.0], [4.0, 9.0]];
        let on_tip = model(2, 1, Boundary::from_polygon(&m));
        let ball = [DVec3::new(0.0, 3.5, 0.0)];
        assert_eq!(count(&on_tip, &ball, &[(0, With::Face(1), 1.0)]), (0, 1));
    }

    #[test]
    fn a_steep_wedge_holds() {
        // Walls that are nearly upright: large forces, nearly parallel normals.
        for lean in [1e-2, 1e-4, 1e-6, 1e-7] {
            let wedge =
                [[-lean, 0.0], [lean, 0.0], [2.0 + lean, 2.0 / lean], [-2.0 - lean, 2.0 / lean]];
            let model = model(2, 1, Boundary::from_polygon(&wedge));
            let normal = model.boundary.normal(1);
            let height = (0.5 / normal.x.abs() - lean) / (2.0 / (2.0 / lean));
            let ball = [DVec3::new(0.0, height, 0.0)];
            let force = 0.5 / normal.y.abs();
            let contacts = [(0, With::Face(1), force), (0, With::Face(3), force)];
            assert_eq!(count(&model, &ball, &contacts), (0, 0), "{lean}");
        }
    }

    /// The definition, dense: the null space of the rows, and curvature on it.
    fn by_definition(bodies: usize, touches: &[Touch]) -> (usize, usize) {
        let size = 3 * bodies;
        let relative = |touch: &Touch, v: &[f64]| {
            let at = |i: usize| DVec3::new(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
            at(touch.body) - touch.other.map_or(DVec3::ZERO, at)
        };
        let unit = |k: usize| (0..size).map(|i| f64::from(u8::from(i == k))).collect::<Vec<f64>>();
        let form = |x: &[f64], y: &[f64], block: &dyn Fn(&Touch) -> DMat3| {
            touches.iter().map(|t| relative(t, x).dot(block(t) * relative(t, y))).sum::<f64>()
        };
        let matrix = |vectors: &[Vec<f64>], block: &dyn Fn(&Touch) -> DMat3| {
            let row = |x: &Vec<f64>| vectors.iter().map(|y| form(x, y, block)).collect();
            vectors.iter().map(row).collect::<Vec<Vec<f64>>>()
        };
        let units: Vec<Vec<f64>> = (0..size).map(unit).collect();
        let (values, vectors) = eigen(&matrix(&units, &|t| outer(t.normal)));
        let null: Vec<Vec<f64>> =
            values.iter().zip(vectors).filter(|(v, _)| **v < NULL_MODE).map(|(_, v)| v).collect();
        let (values, _) = eigen(&matrix(&null, &|t| t.curvature * (t.force * 0.5)));
        let unstable = values.iter().filter(|value| **value > UNSTABLE_MODE).count();
        (null.len() - unstable, unstable)
    }

    /// Balls between springs: the same counts among all motions and among the free ones alone.
    #[test]
    fn free_motions_are_counted_as_all_are() {
        let room = Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::splat(9.0)));
        for height in 1..6 {
            let model = model(3, height, room.clone());
            let touch = |k: usize| Touch {
                body: k,
                other: k.checked_sub(1),
                normal: DVec3::Z,
                gap: 0.0,
                force: (height - k) as f64 + if k == 0 { 0.25 } else { 0.0 },
                curvature: if k == 0 { DMat3::ZERO } else { DMat3::IDENTITY - outer(DVec3::Z) },
            };
            let touches: Vec<Touch> = (0..height).map(touch).collect();
            let largest = vec![1.0; height];
            let free = Free::new(&model, &largest, 1.0, 0.5);
            let carriers: Vec<Side> =
                touches.iter().filter_map(|touch| free.side(&largest, 1.0, touch)).collect();
            let mut springs: Vec<Spring> = carriers
                .iter()
                .map(|side| (side.a, side.b, -side.touch.curvature * (0.5 * side.touch.force)))
                .collect();
            let without = modes_without_forces(3, &free, &carriers, &springs).unwrap();
            assert_eq!(without, few_modes(3, &free, &carriers, &springs, UNSTABLE_MODE));
            springs.push(((0, 1.0), None, DMat3::IDENTITY));
            let all = modes_with_forces(3, &free, &carriers, &springs).unwrap();
            assert_eq!(all, few_modes(3, &free, &carriers, &springs, 15.0 * STIFF_NULL));
            assert_eq!(all.unwrap().unstable, 2 * (height - 1), "{height}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(80))]
        #[test]
        fn counts_follow_the_definition(seed: u64, contacts in 1_usize..20) {
            let mut random = Random::new(seed);
            let model = model(3, 5, Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::ONE)));
            let mut touches = Vec::new();
            for _ in 0..contacts {
                let mut coordinate = || random.between(-1.0, 1.0);
                let normal = DVec3::new(coordinate(), coordinate(), coordinate()).normalize();
                let body = (random.unit() * 5.0) as usize;
                let other = (random.unit() * 7.0) as usize;
                let other = Some(other).filter(|&other| other < 5 && other != body);
                let curvature = if other.is_some() { DMat3::IDENTITY - outer(normal) } else { DMat3::ZERO };
                let force = random.between(0.1, 3.0);
                touches.push(Touch { body, other, normal, gap: 0.0, force, curvature });
            }
            let found = modes(&model, &[DVec3::ZERO; 5], &touches, 0.0).unwrap().unwrap();
            let (neutral, unstable) = by_definition(5, &touches);
            prop_assert_eq!((found.null, found.unstable), (neutral + unstable, unstable));
        }
    }
}
