//! Changes that no writer would make: to the records of a run file (FORMAT.md).

use std::fs;
use std::path::Path;

use riprap::trajectory::Reader;
use riprap::verify::verify;

use super::draft::Draft;
use super::failed;

/// A tag and a payload.
pub type Record = ([u8; 4], Vec<u8>);

/// The records of a run file.
pub fn records(path: &Path) -> Vec<Record> {
    let bytes = fs::read(path).unwrap();
    let (mut rest, mut found) = (&bytes[16..], Vec::new());
    while !rest.is_empty() {
        let (head, tail) = rest.split_at(20);
        let size = u64::from_le_bytes(head[4..12].try_into().unwrap()) as usize;
        found.push((head[..4].try_into().unwrap(), tail[..size].to_vec()));
        rest = &tail[size..];
    }
    found
}

/// Writes the records again, with fitting checksums, but without the index.
fn write_records(path: &Path, records: &[Record]) {
    let mut bytes = fs::read(path).unwrap()[..16].to_vec();
    for (tag, payload) in records.iter().filter(|record| &record.0 != b"INDX") {
        let mut head = tag.to_vec();
        head.extend((payload.len() as u64).to_le_bytes());
        head.extend(crc32fast::hash(payload).to_le_bytes());
        bytes.extend(&head);
        bytes.extend(crc32fast::hash(&head).to_le_bytes());
        bytes.extend(payload);
    }
    fs::write(path, bytes).unwrap();
}

/// What fails after a change to the records of a run.
pub fn failed_after(draft: &Draft, change: impl Fn(&mut Vec<Record>)) -> Vec<&'static str> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.riprap");
    draft.write(&path);
    let mut records = records(&path);
    change(&mut records);
    write_records(&path, &records);
    failed(&verify(&Reader::open(&path).unwrap()).unwrap())
}

/// Flips a bit of the hashes (own, predecessor's) that a frame is stored with.
pub fn flip_hash(payload: &mut [u8], which: usize) {
    let column = b"\x04hashu8";
    let name = payload.windows(column.len()).position(|bytes| bytes == column).unwrap();
    payload[name + column.len() + 18 + 8 * which] ^= 1;
}
