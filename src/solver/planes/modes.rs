//! How the objective curves along the motions that loaded rows leave free, while the planes move as
//! is best. Exact but for rounding: rows are taken as equations, not as stiff springs.

use faer::{Mat, Side};

use super::{Answer, Bend, Group, OF_BODY, OF_ROW, Program, Row};
use crate::solver::eigen;

/// Unknowns of a plane that matter to second order: tilts and offset; sliding is a matter of
/// coordinates.
const OF_TILT: usize = 3;
const BOTH: usize = 2 * OF_BODY;
const ALL: usize = BOTH + OF_TILT;
/// A direction that equations hold less than this, relative to the most held one, is free.
const FREE: f64 = 1e-9;

/// What was found.
pub struct Modes {
    /// Along the motions that loaded rows leave free, in ascending order.
    pub curvatures: Vec<f64>,
    /// The motion of all bodies along each of them.
    pub motions: Vec<Vec<[f64; OF_BODY]>>,
    /// How many unknowns bodies have.
    pub unknowns: usize,
    /// How firmly the rows hold what they hold, at least.
    pub margin: f64,
}

/// The rows of a group that carry something, with their multipliers, and what they bend by with those.
struct Loaded<'a> {
    rows: Vec<(&'a Row, f64)>,
    bend: Bend,
}

/// Two symmetric forms of the motions of two bodies: what equations forbid, and the curvature.
struct Forms {
    held: [[f64; BOTH]; BOTH],
    curved: [[f64; BOTH]; BOTH],
}

/// The eigenvalues of the second derivative of the Lagrangian on what is left free by rows with
/// multipliers above `loaded`; none if there is no number for them.
pub fn modes(program: &Program, answer: &Answer, loaded: f64) -> Option<Modes> {
    let mut unknowns = 0;
    let mut number = |reach: f64| {
        unknowns += usize::from(reach > 0.0);
        (reach > 0.0).then(|| unknowns - 1)
    };
    let place: Vec<[Option<usize>; OF_BODY]> =
        program.bodies.iter().map(|block| block.reach.map(&mut number)).collect();
    let mut held: Mat<f64> = Mat::zeros(unknowns, unknowns);
    let mut curved: Mat<f64> = Mat::zeros(unknowns, unknowns);
    let mut add = |bodies: [Option<u32>; 2], forms: &Forms| {
        let at = |k: usize| place[bodies[k / OF_BODY]? as usize][k % OF_BODY];
        for i in 0..BOTH {
            for j in 0..BOTH {
                if let (Some(row), Some(column)) = (at(i), at(j)) {
                    held[(row, column)] += forms.held[i][j];
                    curved[(row, column)] += forms.curved[i][j];
                }
            }
        }
    };
    let mut sides: Vec<Loaded> = Vec::with_capacity(program.groups.len());
    let mut first = 0;
    for group in &program.groups {
        let all = group.rows.iter().zip(answer.multipliers[first..].iter().copied());
        first += group.rows.len();
        let rows: Vec<_> = all.filter(|(_, force)| *force > loaded).collect();
        let own = Loaded { bend: group.tilting.bend(rows.iter().copied()), rows };
        if group.plane.is_none() {
            add([group.body, None], &of_wall(&own));
        }
        sides.push(own);
    }
    for plane in &program.planes {
        let groups: [&Group; 2] = plane.sides.map(|side| &program.groups[side as usize]);
        let own = plane.sides.map(|side| &sides[side as usize]);
        if own.iter().all(|side| !side.rows.is_empty()) {
            add(groups.map(|group| group.body), &of_plane(own, plane.reach[1] > 0.0));
        }
    }
    on_null_space(&held, &curved, &place)
}

/// The curvature on the null space of what is held.
fn on_null_space(
    held: &Mat<f64>,
    curved: &Mat<f64>,
    place: &[[Option<usize>; OF_BODY]],
) -> Option<Modes> {
    let unknowns = held.nrows();
    if unknowns == 0 {
        return Some(Modes { curvatures: Vec::new(), motions: Vec::new(), unknowns, margin: 0.0 });
    }
    let eigen = held.as_ref().self_adjoint_eigen(Side::Lower).ok()?;
    let values: Vec<f64> = (0..unknowns).map(|k| eigen.S().column_vector()[k]).collect();
    let free = values.iter().take_while(|value| **value < FREE).count();
    let margin = values.get(free).copied().unwrap_or(0.0).sqrt();
    if free == 0 {
        return Some(Modes { curvatures: Vec::new(), motions: Vec::new(), unknowns, margin });
    }
    let basis = eigen.U().subcols(0, free);
    let form = basis.transpose() * curved * basis;
    let small = form.as_ref().self_adjoint_eigen(Side::Lower).ok()?;
    let vectors = basis * small.U();
    let motion = |mode: usize| {
        let entry = |at: &Option<usize>| at.map_or(0.0, |at| vectors[(at, mode)]);
        place.iter().map(|own| std::array::from_fn(|k| entry(&own[k]))).collect()
    };
    Some(Modes {
        curvatures: (0..free).map(|k| small.S().column_vector()[k]).collect(),
        motions: (0..free).map(motion).collect(),
        unknowns,
        margin,
    })
}

/// The rows of one body alone.
fn of_wall(loaded: &Loaded) -> Forms {
    let mut forms = Forms { held: [[0.0; BOTH]; BOTH], curved: [[0.0; BOTH]; BOTH] };
    for i in 0..OF_BODY {
        for j in 0..OF_BODY {
            let held = loaded.rows.iter().map(|(row, _)| row.slope[i] * row.slope[j]);
            forms.held[i][j] = held.sum();
            forms.curved[i][j] = loaded.bend[i][j];
        }
    }
    forms
}

/// The rows of two bodies at a plane, whose unknowns are eliminated: where equations hold them,
/// they follow; where not, they are where the curvature is least.
fn of_plane(sides: [&Loaded; 2], in_space: bool) -> Forms {
    // An unknown of a row in the list of both bodies and the plane; sliding is none.
    let at = |side: usize, k: usize| match k {
        _ if k < OF_BODY => Some(side * OF_BODY + k),
        _ if k < OF_BODY + OF_TILT => Some(BOTH + k - OF_BODY),
        _ => None,
    };
    let (mut held, mut curved) = ([[0.0; ALL]; ALL], [[0.0; ALL]; ALL]);
    for (side, loaded) in sides.into_iter().enumerate() {
        for i in 0..OF_ROW {
            for j in 0..OF_ROW {
                let (Some(row), Some(column)) = (at(side, i), at(side, j)) else { continue };
                loaded.rows.iter().for_each(|(r, _)| held[row][column] += r.slope[i] * r.slope[j]);
                curved[row][column] += loaded.bend[i][j];
            }
        }
    }
    let own: Vec<Vec<f64>> =
        (0..OF_TILT).map(|i| (0..OF_TILT).map(|j| held[BOTH + i][BOTH + j]).collect()).collect();
    let (values, vectors) = eigen::symmetric(&own);
    let most = values[OF_TILT - 1].max(f64::MIN_POSITIVE);
    // The plane's unknowns as they follow the bodies: of least length among those that fit.
    let mut follow = [[0.0; BOTH]; OF_TILT];
    let mut loose = Vec::new();
    for (value, vector) in values.iter().zip(&vectors) {
        if *value < FREE * most {
            // In the plane the second tilt is no unknown.
            if in_space || vector[1].abs() < 0.5 {
                loose.push(vector);
            }
            continue;
        }
        for column in 0..BOTH {
            let pull: f64 = (0..OF_TILT).map(|k| vector[k] * held[BOTH + k][column]).sum();
            (0..OF_TILT).for_each(|k| follow[k][column] -= vector[k] * pull / value);
        }
    }
    let mut forms = Forms { held: reduced(&held, &follow), curved: reduced(&curved, &follow) };
    let_loose(&mut forms.curved, &curved, &follow, &loose);
    forms
}

/// What of a plane is loose goes where it curves least: one direction after the other, each made
/// conjugate to those before.
fn let_loose(
    reduced: &mut [[f64; BOTH]; BOTH],
    curved: &[[f64; ALL]; ALL],
    follow: &[[f64; BOTH]; OF_TILT],
    loose: &[&Vec<f64>],
) {
    let mut known: Vec<Vec<f64>> = Vec::new();
    for vector in loose {
        let own = |left: &[f64], right: &[f64]| -> f64 {
            let pairs = (0..OF_TILT).flat_map(|k| (0..OF_TILT).map(move |l| (k, l)));
            pairs.map(|(k, l)| left[k] * curved[BOTH + k][BOTH + l] * right[l]).sum()
        };
        let mut direction = (*vector).clone();
        for earlier in &known {
            let part = own(earlier, &direction) / own(earlier, earlier);
            (0..OF_TILT).for_each(|k| direction[k] -= part * earlier[k]);
        }
        let stiffness = own(&direction, &direction);
        let pull: [f64; BOTH] = std::array::from_fn(|column| {
            (0..OF_TILT)
                .map(|k| {
                    let follows: f64 =
                        (0..OF_TILT).map(|l| curved[BOTH + k][BOTH + l] * follow[l][column]).sum();
                    direction[k] * (curved[BOTH + k][column] + follows)
                })
                .sum()
        });
        if stiffness > 0.0 {
            for i in 0..BOTH {
                (0..BOTH).for_each(|j| reduced[i][j] -= pull[i] * pull[j] / stiffness);
            }
            known.push(direction);
        }
    }
}

/// A form of bodies and a plane that follows them, as one of the bodies.
fn reduced(form: &[[f64; ALL]; ALL], follow: &[[f64; BOTH]; OF_TILT]) -> [[f64; BOTH]; BOTH] {
    let mut out = [[0.0; BOTH]; BOTH];
    let half: [[f64; BOTH]; ALL] = std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            form[i][j] + (0..OF_TILT).map(|k| form[i][BOTH + k] * follow[k][j]).sum::<f64>()
        })
    });
    for i in 0..BOTH {
        for j in 0..BOTH {
            out[i][j] =
                half[i][j] + (0..OF_TILT).map(|k| follow[k][i] * half[BOTH + k][j]).sum::<f64>();
        }
    }
    out
}
