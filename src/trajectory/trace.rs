//! What a step tells besides its contacts, as columns.

use super::Trace;
use super::column::{Builder, Columns};
use super::words::Past;
use crate::math::DVec3;
use crate::problem::Result;

/// The columns of vectors; each is missing if all of it is zero.
const NAMES: [&str; 7] = ["kick", "stray", "way", "turn", "shift", "shift_turn", "gyration"];

/// The last values of every column.
#[derive(Default)]
pub(super) struct TracePast {
    vectors: [Past; 7],
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
}

/// Lists of zeros come back empty.
pub(super) fn read(columns: &Columns, past: &mut TracePast) -> Result<Trace> {
    let mut vectors: [Vec<DVec3>; 7] = Default::default();
    for ((name, values), past) in NAMES.iter().zip(&mut vectors).zip(&mut past.vectors) {
        if columns.has(name) {
            *values = columns.moving(name, past)?;
        }
    }
    let [kicks, strays, ways, turns, shifts, shift_turns, gyrations] = vectors;
    let numbers = |name: &str, past: &mut Past| match columns.has(name) {
        true => columns.changing(name, past),
        false => Ok(Vec::new()),
    };
    Ok(Trace {
        kicks,
        tensions: numbers("tension", &mut past.tensions)?,
        pressures: numbers("pressure", &mut past.pressures)?,
        strays,
        ways,
        turns,
        shifts,
        shift_turns,
        gyrations,
    })
}
