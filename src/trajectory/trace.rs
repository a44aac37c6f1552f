//! What a step tells besides its contacts, as columns.

use super::column::{Builder, Columns};
use super::words::Past;
use super::{Plane, Trace, With};
use crate::math::DVec3;
use crate::problem::{Problem, Result};

/// The columns of vectors; each is missing if all of it is zero.
const NAMES: [&str; 9] =
    ["kick", "pull", "air", "stray", "way", "turn", "shift", "shift_turn", "gyration"];

/// The last values of every column.
#[derive(Default)]
pub(super) struct TracePast {
    vectors: [Past; 9],
    tensions: Past,
    pressures: Past,
}

pub(super) fn write(builder: &mut Builder, trace: &Trace, past: &mut TracePast) {
    for ((name, values), past) in NAMES.iter().zip(trace.vectors()).zip(&mut past.vectors) {
        if values.iter().any(|v| v.to_array().map(f64::to_bits) != [0; 3]) {
            builder.moving(name, values, past);
        }
    }
    let numbers = [("tension", &trace.tensions), ("pressure", &trace.pressures)];
    for ((name, values), past) in numbers.into_iter().zip([&mut past.tensions, &mut past.pressures])
    {
        if !values.is_empty() {
            builder.changing(name, values, past);
        }
    }
    write_planes(builder, &trace.planes);
}

/// Planes are another set in every step, so that nothing can be predicted from the last one.
fn write_planes(builder: &mut Builder, planes: &[Plane]) {
    if planes.is_empty() {
        return;
    }
    let whole = |pick: fn(&Plane) -> [u32; 2]| planes.iter().flat_map(pick).collect::<Vec<u32>>();
    let numbers = |plane: &Plane| match plane.with {
        With::Face(face) => (face, 1),
        With::Body(other) => (other, 0),
        // Planes are between nothing else.
        _ => (u32::MAX, 0),
    };
    let bodies = planes.iter().flat_map(|plane| [plane.body, numbers(plane).0]);
    builder.packed("plane_bodies", 2, &bodies.collect::<Vec<_>>());
    let faces: Vec<u32> = planes.iter().map(|plane| numbers(plane).1).collect();
    if faces.contains(&1) {
        builder.packed("plane_face", 1, &faces);
    }
    builder.packed("plane_pieces", 2, &whole(|plane| plane.pieces));
    let picks: [fn(&Plane) -> DVec3; 4] = [|p| p.normal, |p| p.point, |p| p.tilt, |p| p.slide];
    for (name, pick) in PLANE.iter().zip(picks) {
        builder.vectors(name, &planes.iter().map(pick).collect::<Vec<_>>());
    }
    builder.floats("plane_offset", &planes.iter().map(|plane| plane.offset).collect::<Vec<_>>());
}

/// The columns of vectors of the planes.
const PLANE: [&str; 4] = ["plane_normal", "plane_point", "plane_tilt", "plane_slide"];

fn read_planes(columns: &Columns) -> Result<Vec<Plane>> {
    if !columns.has("plane_bodies") {
        return Ok(Vec::new());
    }
    let pairs = |name: &str| -> Result<Vec<[u32; 2]>> {
        let values: Vec<u32> = columns.values(name, 2)?;
        Ok(values.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
    };
    let (bodies, pieces) = (pairs("plane_bodies")?, pairs("plane_pieces")?);
    let faces: Vec<u32> = match columns.has("plane_face") {
        true => columns.values("plane_face", 1)?,
        false => vec![0; bodies.len()],
    };
    let [normal, point, tilt, slide] = PLANE.map(|name| columns.vectors(name));
    let (normal, point, tilt, slide) = (normal?, point?, tilt?, slide?);
    let offset: Vec<f64> = columns.values("plane_offset", 1)?;
    let vectors = [&normal, &point, &tilt, &slide].map(Vec::len);
    let others = [pieces.len(), faces.len(), offset.len()];
    if vectors.iter().chain(&others).any(|length| *length != bodies.len()) {
        return Err(Problem::new("its columns of planes differ in length"));
    }
    let plane = |k: usize| Plane {
        body: bodies[k][0],
        with: if faces[k] == 0 { With::Body(bodies[k][1]) } else { With::Face(bodies[k][1]) },
        pieces: pieces[k],
        normal: normal[k],
        point: point[k],
        tilt: tilt[k],
        offset: offset[k],
        slide: slide[k],
    };
    Ok((0..bodies.len()).map(plane).collect())
}

/// Lists of zeros come back empty.
pub(super) fn read(columns: &Columns, past: &mut TracePast) -> Result<Trace> {
    let mut vectors: [Vec<DVec3>; 9] = Default::default();
    for ((name, values), past) in NAMES.iter().zip(&mut vectors).zip(&mut past.vectors) {
        if columns.has(name) {
            *values = columns.moving(name, past)?;
        }
    }
    let [kicks, pulls, airs, strays, ways, turns, shifts, shift_turns, gyrations] = vectors;
    let numbers = |name: &str, past: &mut Past| match columns.has(name) {
        true => columns.changing(name, past),
        false => Ok(Vec::new()),
    };
    Ok(Trace {
        kicks,
        tensions: numbers("tension", &mut past.tensions)?,
        pressures: numbers("pressure", &mut past.pressures)?,
        pulls,
        airs,
        strays,
        ways,
        turns,
        shifts,
        shift_turns,
        gyrations,
        planes: read_planes(columns)?,
    })
}
