//! Frame records: a configuration, how it was reached, and its place in the
//! chain of hashes.

use super::column::{Builder, Columns};
use super::words::Past;
use super::{Frame, contacts, from_word, trace, word};
use crate::math::{DQuat, DVec3};
use crate::problem::{Problem, Result};
use crate::world::{Contact, Ledger, Plane, Report, State, Trace};

/// A frame's hash and that of the frame before it (of the header, for the
/// first frame), so that a dropped or swapped frame shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub hash: u64,
    pub previous: u64,
}

/// The last values of every column that moves, from which the next ones are predicted.
#[derive(Default)]
pub(super) struct Pasts {
    position: Past,
    rotation: Past,
    velocity: Past,
    spin: Past,
    contacts: contacts::ContactPast,
    trace: trace::TracePast,
}

impl Frame {
    /// What of the frame is no finite number, in words; none if all of it is.
    pub fn not_finite(&self) -> Option<String> {
        let State { positions, rotations, velocities, spins, .. } = &self.state;
        for (what, vectors) in [("position", positions), ("velocity", velocities), ("spin", spins)]
        {
            if let Some(body) = vectors.iter().position(|vector| !vector.is_finite()) {
                return Some(format!("the {what} of body {body}"));
            }
        }
        if let Some(body) = rotations.iter().position(|turn| !turn.is_finite()) {
            return Some(format!("the turn of body {body}"));
        }
        let pushes = |contact: &Contact| {
            let Contact { normal, force, couples, .. } = *contact;
            [normal, force, couples[0], couples[1]].iter().all(|vector| vector.is_finite())
        };
        if let Some(contact) = self.contacts.iter().find(|contact| !pushes(contact)) {
            return Some(format!("a force on body {}", contact.body));
        }
        let Trace { tensions, pressures, .. } = &self.trace;
        let vectors = self.trace.vectors().into_iter().flatten().all(|vector| vector.is_finite());
        if !vectors || !tensions.iter().chain(pressures).all(|number| number.is_finite()) {
            return Some("what moved a body".into());
        }
        let is_finite = |plane: &Plane| {
            let Plane { normal, point, tilt, offset, slide, .. } = *plane;
            offset.is_finite() && [normal, point, tilt, slide].iter().all(|v| v.is_finite())
        };
        if !self.trace.planes.iter().all(is_finite) {
            return Some("a plane between two bodies".into());
        }
        let told = self.report.ledger.as_ref();
        let is_told = |ledger: &Ledger| {
            let one = [ledger.energy, ledger.penetration, ledger.residual];
            let all = one.into_iter().chain(ledger.momentum).chain(ledger.angular_momentum);
            all.chain(ledger.asymmetry).chain(ledger.joint_error).all(f64::is_finite)
        };
        (!self.energy.is_finite() || !told.is_none_or(is_told)).then(|| "the energy".into())
    }
}

/// The payload of a frame. With an empty `past` it can be read by itself.
pub(super) fn write(frame: &Frame, link: Link, past: &mut Pasts) -> Vec<u8> {
    let Frame { step, kind, energy, state, report, seconds, .. } = frame;
    let mut builder = Builder::default();
    builder.plain("step", 1, &[*step]);
    builder.plain("hash", 2, &[link.hash, link.previous]);
    builder.text("kind", &word(kind));
    builder.plain("energy", 1, &[*energy]);
    let counts = [report.active, report.moving, report.rows, report.iterations];
    builder.plain("report", 4, &counts);
    builder.plain("seconds", 1, seconds);
    builder.moving("position", &state.positions, &mut past.position);
    // What is the same for all bodies of most runs of settle takes no room.
    let still = DQuat::IDENTITY.to_array().map(f64::to_bits);
    if state.rotations.iter().any(|q| q.to_array().map(f64::to_bits) != still) {
        builder.turning("rotation", &state.rotations, &mut past.rotation);
    }
    let any = |vectors: &[DVec3]| vectors.iter().any(|v| v.to_array().map(f64::to_bits) != [0; 3]);
    if any(&state.velocities) {
        builder.moving("velocity", &state.velocities, &mut past.velocity);
    }
    if any(&state.spins) {
        builder.moving("spin", &state.spins, &mut past.spin);
    }
    contacts::write(&mut builder, &frame.contacts, &mut past.contacts);
    trace::write(&mut builder, &frame.trace, &mut past.trace);
    if let Some(ledger) = &report.ledger {
        builder.text("ledger", &serde_json::to_string(ledger).unwrap_or_default());
    }
    builder.payload()
}

/// The columns with a row for each body.
const OF_BODIES: [&str; 4] = ["position", "rotation", "velocity", "spin"];

/// Reads a frame of so many bodies; `past` must hold the frames since the last key frame.
pub(super) fn read(payload: &[u8], bodies: usize, past: &mut Pasts) -> Result<(Frame, Link)> {
    let columns = Columns::read(payload)?;
    columns.check_rows(bodies, &OF_BODIES)?;
    let (step, link) = read_step_and_link(&columns)?;
    let counts: Vec<u32> = columns.values("report", 4)?;
    let &[active, moving, rows, iterations] = counts.as_slice() else {
        return Err(Problem::new("its column `report` does not have one row"));
    };
    let ledger = match columns.has("ledger") {
        false => None,
        true => serde_json::from_str(&columns.text("ledger")?)
            .map_err(|e| Problem::new(format!("its column `ledger` is not as expected: {e}")))?,
    };
    let frame = Frame {
        step,
        kind: from_word(&columns.text("kind")?)?,
        energy: columns.value("energy")?,
        state: read_state(&columns, past)?,
        contacts: contacts::read(&columns, &mut past.contacts)?,
        trace: trace::read(&columns, &mut past.trace)?,
        report: Report { active, moving, rows, iterations, ledger },
        seconds: columns.values("seconds", 1)?,
    };
    Ok((frame, link))
}

fn read_state(columns: &Columns, past: &mut Pasts) -> Result<State> {
    let mut state = State::at_rest(columns.moving("position", &mut past.position)?);
    if columns.has("rotation") {
        state.rotations = columns.turning("rotation", &mut past.rotation)?;
    }
    if columns.has("velocity") {
        state.velocities = columns.moving("velocity", &mut past.velocity)?;
    }
    if columns.has("spin") {
        state.spins = columns.moving("spin", &mut past.spin)?;
    }
    Ok(state)
}

/// Reads what an index needs to know of a frame.
pub(super) fn peek(payload: &[u8]) -> Result<(u64, Link)> {
    read_step_and_link(&Columns::read(payload)?)
}

fn read_step_and_link(columns: &Columns) -> Result<(u64, Link)> {
    match columns.values("hash", 2)?.as_slice() {
        &[hash, previous] => Ok((columns.value("step")?, Link { hash, previous })),
        _ => Err(Problem::new("its column `hash` does not have one row")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::samples;

    const LINK: Link = Link { hash: 0x1234_5678_9abc_def0, previous: u64::MAX };

    #[test]
    fn frames_come_back_whole() {
        let (mut writing, mut reading) = (Pasts::default(), Pasts::default());
        for step in 0..5 {
            let frame = samples::frame(step, 7);
            let payload = write(&frame, LINK, &mut writing);
            assert_eq!(read(&payload, 7, &mut reading), Ok((frame, LINK)));
            assert_eq!(peek(&payload), Ok((step, LINK)));
        }
    }

    #[test]
    fn unknown_kinds_of_steps_are_named() {
        let mut builder = Builder::default();
        builder.plain("step", 1, &[0_u64]);
        builder.plain("hash", 2, &[0_u64, 0]);
        builder.plain("report", 4, &[0_u32; 4]);
        builder.plain::<f32>("seconds", 1, &[]);
        builder.text("kind", "jump");
        let problem = read(&builder.payload(), 7, &mut Pasts::default()).unwrap_err();
        assert!(problem.message.starts_with("unknown variant `jump`"), "{problem}");
    }

    /// What a few bytes unpack to is asked before they are unpacked.
    #[test]
    fn rows_are_compared_before_they_are_unpacked() {
        let refused = |bodies: usize| {
            let payload = write(&samples::frame(1, 7), LINK, &mut Pasts::default());
            read(&payload, bodies, &mut Pasts::default()).unwrap_err().message
        };
        assert_eq!(refused(6), "it has 7 rows of `position` for 6 bodies");
        let mut builder = Builder::default();
        builder.packed::<f32>("seconds", 1, &vec![0.0; 80_001]);
        let problem = read(&builder.payload(), 7, &mut Pasts::default()).unwrap_err();
        assert_eq!(problem.message, "its column `seconds` has 80001 rows for 7 bodies");
    }

    #[test]
    fn rows_must_be_there() {
        let mut builder = Builder::default();
        builder.plain("step", 1, &[0_u64]);
        builder.plain::<u64>("hash", 2, &[]);
        let problem = peek(&builder.payload()).unwrap_err();
        assert_eq!(problem.message, "its column `hash` does not have one row");
    }
}
