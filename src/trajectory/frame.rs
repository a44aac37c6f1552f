//! Frame records: a configuration, how it was reached, and its place in the
//! chain of hashes.

use super::column::{Builder, Columns};
use super::tower;
use super::words::Past;
use super::{Frame, StepReport, from_word, word};
use crate::problem::{Problem, Result};

/// A frame's hash and that of the frame before it (of the header, for the
/// first frame), so that a dropped or swapped frame shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub hash: u64,
    pub previous: u64,
}

/// The payload of a frame. With an empty `past` it can be read by itself.
pub(super) fn write(frame: &Frame, link: Link, past: &mut Past) -> Vec<u8> {
    let Frame { step, kind, energy, positions, report, bricks } = frame;
    let mut builder = Builder::default();
    builder.plain("step", 1, &[*step]);
    builder.plain("hash", 2, &[link.hash, link.previous]);
    builder.text("kind", &word(kind));
    builder.plain("energy", 1, &[*energy]);
    let counts = [report.active, report.moving, report.rows, report.iterations];
    builder.plain("report", 4, &counts);
    builder.plain("seconds", 1, &report.seconds);
    builder.moving("position", positions, past);
    if let Some(bricks) = bricks {
        tower::write_frame(&mut builder, bricks);
    }
    builder.payload()
}

/// Reads a frame; `past` must hold the frames since the last key frame.
pub(super) fn read(payload: &[u8], past: &mut Past) -> Result<(Frame, Link)> {
    let columns = Columns::read(payload)?;
    let (step, link) = read_step_and_link(&columns)?;
    let counts: Vec<u32> = columns.values("report", 4)?;
    let &[active, moving, rows, iterations] = counts.as_slice() else {
        return Err(Problem::new("its column `report` does not have one row"));
    };
    let seconds = columns.values("seconds", 1)?;
    let kind = from_word(&columns.text("kind")?)?;
    let positions = columns.moving("position", past)?;
    let bricks = tower::read_frame(&columns, positions.len())?;
    let frame = Frame {
        bricks: bricks.map(Box::new),
        step,
        kind,
        energy: columns.value("energy")?,
        positions,
        report: StepReport { active, moving, rows, iterations, seconds },
    };
    Ok((frame, link))
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
        let (mut writing, mut reading) = (Past::default(), Past::default());
        for step in 0..5 {
            let frame = samples::frame(step, 7);
            let payload = write(&frame, LINK, &mut writing);
            assert_eq!(read(&payload, &mut reading), Ok((frame, LINK)));
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
        let problem = read(&builder.payload(), &mut Past::default()).unwrap_err();
        assert!(problem.message.starts_with("unknown variant `jump`"), "{problem}");
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
