//! The file as a sequence of records: a preamble that names the format, then
//! records one after the other, each with a tag, a length and two checksums.
//! Nothing here knows what a record means.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::problem::{Problem, Result};

/// The first bytes of every run file. The first one is no text, so that
/// nobody takes the file for text; the line feed shows up careless copying.
const MAGIC: [u8; 8] = *b"\x8ARIPRAP\n";
/// Raised only when an older reader would misunderstand the file; new kinds of
/// records and new columns do not need it.
const VERSION: u32 = 3;
/// Bytes before the first record.
pub(super) const PREAMBLE: u64 = 16;
/// Bytes of a record before its payload.
pub(super) const HEAD: u64 = 20;

/// What a record holds, as four letters. Readers skip tags that they do not know.
pub(super) type Tag = [u8; 4];
pub(super) const HEADER: Tag = *b"HEAD";
/// A frame that can be decoded by itself.
pub(super) const KEY_FRAME: Tag = *b"KEYF";
/// A frame that builds upon the frames since the last key frame.
pub(super) const FRAME: Tag = *b"FRAM";
/// The model of a phase that follows the first.
pub(super) const PHASE: Tag = *b"PHAS";
pub(super) const CHECKPOINT: Tag = *b"SAVE";
pub(super) const ENDING: Tag = *b"DONE";
pub(super) const INDEX: Tag = *b"INDX";

/// The bytes that a run file starts with.
pub(super) fn preamble() -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// One whole record, ready to be written at once.
pub(super) fn seal(tag: Tag, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD as usize + payload.len());
    bytes.extend(tag);
    bytes.extend((payload.len() as u64).to_le_bytes());
    bytes.extend(crc32fast::hash(payload).to_le_bytes());
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes.extend(payload);
    bytes
}

/// A record as it was found in a file, its checksums proven.
pub(super) struct Record {
    pub tag: Tag,
    pub payload: Vec<u8>,
    /// Where the next record starts.
    pub end: u64,
}

/// Why there is no whole record at some place.
#[derive(Debug)]
pub(super) enum Flaw {
    /// The file ends before the record does.
    CutOff,
    /// The tag, the length or their checksum are wrong.
    Head,
    /// The payload, which would end here, does not fit its checksum.
    Payload {
        end: u64,
    },
    Unreadable(io::Error),
}

impl Flaw {
    /// What to tell the person: `what` stands at the byte `offset`.
    pub(super) fn problem(&self, what: &str, offset: u64) -> Problem {
        match self {
            Flaw::CutOff => Problem::new(format!("the file ends inside {what} at byte {offset}")),
            Flaw::Head | Flaw::Payload { .. } => damaged(&format!(
                "the checksum of {what} at byte {offset} does not fit its contents"
            )),
            Flaw::Unreadable(error) => {
                Problem::new(format!("cannot read {what} at byte {offset}: {error}"))
            }
        }
    }
}

/// A problem with a file whose bytes are not those that were written.
pub(super) fn damaged(message: &str) -> Problem {
    Problem::new(message).help("the file was damaged after it was written: take a copy, or run the scene again; a run gives the same bits every time")
}

/// A problem with what a record says, although its bytes are as they were written.
pub(super) fn malformed(what: &str, problem: Problem) -> Problem {
    Problem { message: format!("{what} is malformed: {}", problem.message), ..problem }
}

/// A run file from which records are read.
pub(super) struct RecordFile {
    file: File,
    length: u64,
}

impl RecordFile {
    /// Takes a file after a look at its preamble.
    pub(super) fn new(file: File) -> Result<RecordFile> {
        let unreadable = |error: io::Error| Problem::new(format!("cannot read the file: {error}"));
        let length = file.metadata().map_err(unreadable)?.len();
        let mut records = RecordFile { file, length };
        let bytes = records.bytes(0, PREAMBLE.min(length)).map_err(unreadable)?;
        check_preamble(&bytes)?;
        Ok(records)
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// The whole record that starts at a byte.
    pub(super) fn record(&mut self, offset: u64) -> std::result::Result<Record, Flaw> {
        let rest = self.length.checked_sub(offset).ok_or(Flaw::CutOff)?;
        if rest < HEAD {
            return Err(Flaw::CutOff);
        }
        let head = self.bytes(offset, HEAD).map_err(Flaw::Unreadable)?;
        let (head, checksum) = head.split_at(HEAD as usize - 4);
        if u32_at(checksum, 0) != crc32fast::hash(head) {
            return Err(Flaw::Head);
        }
        let size = u64_at(head, 4);
        if size > rest - HEAD {
            return Err(Flaw::CutOff);
        }
        let payload = self.bytes(offset + HEAD, size).map_err(Flaw::Unreadable)?;
        let end = offset + HEAD + size;
        if u32_at(head, 12) != crc32fast::hash(&payload) {
            return Err(Flaw::Payload { end });
        }
        Ok(Record { tag: [head[0], head[1], head[2], head[3]], payload, end })
    }

    /// Shows every whole record from `offset` on to `visit`, together with its
    /// place, and returns where the last one ends. A tail that a killed process
    /// or a lost disk cache leaves behind is no error; damage further up is.
    pub(super) fn scan(
        &mut self,
        mut offset: u64,
        mut visit: impl FnMut(u64, &Record) -> Result<()>,
    ) -> Result<u64> {
        while offset < self.length {
            match self.record(offset) {
                Ok(record) => {
                    visit(offset, &record)?;
                    offset = record.end;
                }
                Err(flaw) if self.is_torn_tail(offset, &flaw) => break,
                Err(flaw) => return Err(flaw.problem("the record", offset)),
            }
        }
        Ok(offset)
    }

    /// Whether a flaw is that of a write which did not finish: the record
    /// reaches to the end of the file, or only zeros follow it (some file
    /// systems grow a file before they fill it).
    fn is_torn_tail(&mut self, offset: u64, flaw: &Flaw) -> bool {
        match flaw {
            Flaw::CutOff => true,
            Flaw::Head => self.only_zeros_from(offset + HEAD),
            Flaw::Payload { end } => self.only_zeros_from(*end),
            Flaw::Unreadable(_) => false,
        }
    }

    fn only_zeros_from(&mut self, mut offset: u64) -> bool {
        const CHUNK: u64 = 1 << 16;
        while offset < self.length {
            let size = CHUNK.min(self.length - offset);
            match self.bytes(offset, size) {
                Ok(bytes) if bytes.iter().all(|&b| b == 0) => offset += size,
                _ => return false,
            }
        }
        true
    }

    /// Bytes of the file; the caller has compared `size` with what is left of it.
    fn bytes(&mut self, offset: u64, size: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; size as usize];
        self.file.seek(SeekFrom::Start(offset))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// The last eight bytes of the file as a number: where a finished file has its index.
    pub(super) fn last_number(&mut self) -> Option<u64> {
        let offset = self.length.checked_sub(8)?;
        self.bytes(offset, 8).ok().map(|bytes| u64_at(&bytes, 0))
    }
}

fn check_preamble(bytes: &[u8]) -> Result<()> {
    if bytes.is_empty() {
        return Err(Problem::new("the file is empty: not a riprap run file"));
    }
    let name = &bytes[..bytes.len().min(MAGIC.len())];
    if !MAGIC.starts_with(name) {
        return Err(Problem::new("not a riprap run file")
            .help("run files are written by `riprap run` and usually end in .riprap"));
    }
    if bytes.len() < PREAMBLE as usize {
        return Err(Problem::new("the run file was cut off before its header was complete"));
    }
    if u32_at(bytes, 12) != crc32fast::hash(&bytes[..12]) {
        return Err(damaged("the checksum of the file's first 12 bytes does not fit"));
    }
    match u32_at(bytes, 8) {
        VERSION => Ok(()),
        version => Err(Problem::new(format!(
            "the run file has format version {version}; this riprap reads version {VERSION}"
        ))
        .help("read it with the riprap that wrote it, or a newer one")),
    }
}

/// The little-endian number at a place that the caller knows to be inside.
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn file_with(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    fn three_records() -> Vec<u8> {
        [
            preamble(),
            seal(*b"AAAA", b"first"),
            seal(*b"BBBB", b"the second"),
            seal(*b"CCCC", b"third"),
        ]
        .concat()
    }

    fn scanned(bytes: &[u8]) -> Result<(Vec<Tag>, u64)> {
        let mut tags = Vec::new();
        let end = RecordFile::new(file_with(bytes))?.scan(PREAMBLE, |_, record| {
            tags.push(record.tag);
            Ok(())
        })?;
        Ok((tags, end))
    }

    #[test]
    fn records_come_back_with_their_places() {
        let bytes = three_records();
        let mut seen = Vec::new();
        let mut records = RecordFile::new(file_with(&bytes)).unwrap();
        let end = records.scan(PREAMBLE, |offset, record| {
            seen.push((offset, record.tag, record.payload.clone()));
            Ok(())
        });
        assert_eq!(end, Ok(bytes.len() as u64));
        assert_eq!(
            seen,
            [
                (16, *b"AAAA", b"first".to_vec()),
                (16 + 25, *b"BBBB", b"the second".to_vec()),
                (16 + 25 + 30, *b"CCCC", b"third".to_vec())
            ]
        );
    }

    #[test]
    fn a_cut_keeps_every_whole_record() {
        let bytes = three_records();
        let ends = [16, 16 + 25, 16 + 25 + 30, bytes.len()];
        for cut in 16..=bytes.len() {
            let (tags, end) = scanned(&bytes[..cut]).unwrap();
            let whole = ends.iter().filter(|&&e| e <= cut).count() - 1;
            assert_eq!((tags.len(), end), (whole, ends[whole] as u64), "cut at {cut}");
        }
    }

    #[test]
    fn zeros_at_the_end_count_as_torn_even_inside_a_record() {
        let bytes = three_records();
        for kept in [bytes.len() - 3, 16 + 25 + 30 + 7, 16 + 25 + 24] {
            let mut torn = bytes.clone();
            torn[kept..].fill(0);
            torn.resize(bytes.len() + 100_000, 0);
            let whole = if kept > 16 + 25 + 30 { 2 } else { 1 };
            assert_eq!(scanned(&torn).unwrap().0.len(), whole, "zeros from {kept}");
        }
    }

    #[test]
    fn damage_in_the_middle_names_the_byte() {
        for (place, record) in [(16 + 2, 16), (16 + 5, 16), (16 + 22, 16), (16 + 25 + 13, 41)] {
            let mut bytes = three_records();
            bytes[place] ^= 4;
            let problem = scanned(&bytes).unwrap_err();
            assert!(problem.message.contains(&format!("at byte {record} ")), "{problem}");
        }
    }

    #[test]
    fn a_huge_length_is_not_believed() {
        let mut record = seal(*b"AAAA", b"first");
        record[4..12].copy_from_slice(&u64::MAX.to_le_bytes());
        let checksum = crc32fast::hash(&record[..16]);
        record[16..20].copy_from_slice(&checksum.to_le_bytes());
        assert_eq!(scanned(&[preamble(), record].concat()), Ok((vec![], 16)));
    }

    #[test]
    fn foreign_files_are_named_as_such() {
        let message = |bytes: &[u8]| scanned(bytes).unwrap_err().message;
        assert_eq!(message(b""), "the file is empty: not a riprap run file");
        assert_eq!(message(b"name = \"box\"\n"), "not a riprap run file");
        assert_eq!(message(b"\x8AR"), "the run file was cut off before its header was complete");
        let mut newer = MAGIC.to_vec();
        newer.extend(7_u32.to_le_bytes());
        newer.extend(crc32fast::hash(&newer.clone()).to_le_bytes());
        assert_eq!(
            message(&newer),
            "the run file has format version 7; this riprap reads version 3"
        );
        newer[9] = 1;
        assert!(message(&newer).contains("first 12 bytes"));
    }
}
