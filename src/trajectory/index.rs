//! Where the frames are: the table of contents at the end of a finished file,
//! made anew by scanning when the file has none.

use super::column::{Builder, Columns};
use super::frame::{self, Link};
use super::record::{self, Record, RecordFile, malformed};
use super::{Ending, ending};
use crate::problem::{Problem, Result};

/// One frame of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Where its record starts.
    pub offset: u64,
    /// Whether it can be decoded by itself.
    pub key: bool,
    pub step: u64,
    pub link: Link,
}

/// Where a run can be continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Checkpoint {
    pub offset: u64,
    pub end: u64,
    /// How many frames come before it; it belongs to the last of them.
    pub frames: usize,
}

/// A phase that follows another one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PhaseEntry {
    /// Where its record starts.
    pub offset: u64,
    /// How many frames come before it.
    pub first: usize,
    /// Of the phase before it, and where that stands.
    pub ended: (u64, Ending),
}

/// Everything a file holds after its header.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Contents {
    pub frames: Vec<Entry>,
    pub phases: Vec<PhaseEntry>,
    /// Of the last phase.
    pub ending: Option<Ending>,
    /// The last checkpoint, if the file was scanned.
    pub checkpoint: Option<Checkpoint>,
    /// Where the last whole record ends.
    pub end: u64,
    /// Where the last ending stands, if the file was scanned.
    ending_at: u64,
}

/// The payload of an index which stands at the byte `start`. Its last column
/// is `start` itself: the last eight bytes of a finished file.
pub(super) fn write(frames: &[Entry], phases: &[PhaseEntry], ending: u64, start: u64) -> Vec<u8> {
    let column = |pick: fn(&Entry) -> u64| frames.iter().map(pick).collect::<Vec<u64>>();
    let key: Vec<u8> = frames.iter().map(|entry| entry.key.into()).collect();
    let hash: Vec<u64> = frames.iter().flat_map(|e| [e.link.hash, e.link.previous]).collect();
    let mut builder = Builder::default();
    builder.packed("offset", 1, &column(|entry| entry.offset));
    builder.packed("key", 1, &key);
    builder.packed("step", 1, &column(|entry| entry.step));
    builder.packed("hash", 2, &hash);
    if !phases.is_empty() {
        let rows = phases.iter().flat_map(|p| [p.offset, p.first as u64, p.ended.0]);
        builder.plain("phase", 3, &rows.collect::<Vec<u64>>());
    }
    builder.plain("ending", 1, &[ending]);
    builder.plain("start", 1, &[start]);
    builder.payload()
}

/// The contents of a finished file; `None` if its index is missing or unsound.
pub(super) fn read(records: &mut RecordFile) -> Option<Contents> {
    let start = records.last_number()?;
    let Record { tag: record::INDEX, payload, end } = records.record(start).ok()? else {
        return None;
    };
    let columns = Columns::read(&payload).ok()?;
    let frames = read_entries(&columns).ok()?;
    let in_order = frames.windows(2).all(|pair| pair[0].offset < pair[1].offset);
    let first_is_key = frames.first().is_none_or(|entry| entry.key);
    if end != records.length() || !in_order || !first_is_key {
        return None;
    }
    let mut ending_at = |offset: u64| match records.record(offset).ok()? {
        Record { tag: record::ENDING, payload, .. } => ending::read(&payload).ok(),
        _ => None,
    };
    let mut phases = Vec::new();
    if columns.has("phase") {
        let rows: Vec<u64> = columns.values("phase", 3).ok()?;
        for row in rows.chunks_exact(3) {
            let (offset, first) = (row[0], row[1] as usize);
            phases.push(PhaseEntry { offset, first, ended: (row[2], ending_at(row[2])?) });
        }
    }
    let ending = Some(ending_at(columns.value("ending").ok()?)?);
    Some(Contents { frames, phases, ending, checkpoint: None, end, ending_at: 0 })
}

fn read_entries(columns: &Columns) -> Result<Vec<Entry>> {
    let offset: Vec<u64> = columns.values("offset", 1)?;
    let key: Vec<u8> = columns.values("key", 1)?;
    let step: Vec<u64> = columns.values("step", 1)?;
    let hash: Vec<u64> = columns.values("hash", 2)?;
    let n = offset.len();
    if [key.len(), step.len(), hash.len() / 2] != [n; 3] {
        return Err(Problem::new("its columns differ in length"));
    }
    let entry = |i: usize| Entry {
        offset: offset[i],
        key: key[i] == 1,
        step: step[i],
        link: Link { hash: hash[2 * i], previous: hash[2 * i + 1] },
    };
    Ok((0..n).map(entry).collect())
}

/// The contents of any file, found by walking over its records.
pub(super) fn scan(records: &mut RecordFile, first: u64) -> Result<Contents> {
    let mut contents = Contents::default();
    let end = records.scan(first, |offset, record| {
        contents
            .add(offset, record)
            .map_err(|problem| malformed(&format!("the record at byte {offset}"), problem))
    })?;
    Ok(Contents { end, ..contents })
}

impl Contents {
    fn add(&mut self, offset: u64, record: &Record) -> Result<()> {
        match record.tag {
            tag @ (record::KEY_FRAME | record::FRAME) => {
                let key = tag == record::KEY_FRAME;
                if self.frames.is_empty() && !key {
                    return Err(Problem::new("the first frame is not a key frame"));
                }
                let (step, link) = frame::peek(&record.payload)?;
                self.frames.push(Entry { offset, key, step, link });
            }
            record::CHECKPOINT if !self.frames.is_empty() => {
                let frames = self.frames.len();
                self.checkpoint = Some(Checkpoint { offset, end: record.end, frames });
            }
            record::ENDING => {
                self.ending = Some(ending::read(&record.payload)?);
                self.ending_at = offset;
            }
            record::PHASE => {
                let Some(ending) = self.ending.take() else {
                    return Err(Problem::new("the phase before it has no ending"));
                };
                let (first, ended) = (self.frames.len(), (self.ending_at, ending));
                self.phases.push(PhaseEntry { offset, first, ended });
            }
            _ => {}
        }
        Ok(())
    }
}
