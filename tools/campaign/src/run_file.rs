//! Run files taken apart into records and columns (FORMAT.md), without the library's own reader, so
//! that a change in one of them meets no checksum and no compression on its way.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use riprap::Random;

/// A record, its columns taken out of their compression.
#[derive(Clone)]
pub struct Record {
    tag: [u8; 4],
    columns: Vec<Column>,
}

#[derive(Clone)]
struct Column {
    name: Vec<u8>,
    kind: [u8; 2],
    components: u8,
    encoding: u8,
    rows: u64,
    values: Vec<u8>,
}

/// Numbers of eight bytes that have broken readers before.
const WORDS: [u64; 10] = [
    0,
    1,
    u64::MAX,
    0x7ff8_0000_0000_0000, // no number
    0x7fe1_ccf3_85eb_c8a0, // 1e308
    0x7ff0_0000_0000_0000, // endless
    1 << 40,
    0xbff0_0000_0000_0000, // -1
    0x4630_0000_0000_0000, // 1e30 or so
    1 << 63,
];

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

/// The records of a good file; none if it is not one. The index is left out: it would have to fit.
pub fn records(bytes: &[u8]) -> Option<Vec<Record>> {
    let (mut at, mut found) = (16, Vec::new());
    while at < bytes.len() {
        let tag = number(bytes, at)?;
        let size = u64::from_le_bytes(number(bytes, at + 4)?) as usize;
        let payload = bytes.get(at + 20..at + 20 + size)?;
        at += 20 + size;
        if &tag != b"INDX" {
            found.push(Record { tag, columns: columns(payload)? });
        }
    }
    Some(found)
}

fn columns(mut payload: &[u8]) -> Option<Vec<Column>> {
    let mut found = Vec::new();
    while let Some(&length) = payload.first() {
        let rest = payload.get(1 + usize::from(length)..)?;
        let name = payload[1..1 + usize::from(length)].to_vec();
        let rows = u64::from_le_bytes(number(rest, 4)?);
        let size = u64::from_le_bytes(number(rest, 12)?) as usize;
        let stored = rest.get(20..20 + size)?;
        let mut column = Column {
            name,
            kind: number(rest, 0)?,
            components: rest[2],
            encoding: rest[3],
            rows,
            values: stored.to_vec(),
        };
        if column.encoding > 0 {
            column.values.clear();
            ZlibDecoder::new(stored).read_to_end(&mut column.values).ok()?;
        }
        // Words that are not predicted may as well be stored as they are.
        if column.encoding == 1 {
            column.encoding = 0;
        }
        found.push(column);
        payload = &rest[20 + size..];
    }
    Some(found)
}

/// The file again, all checksums fitting.
pub fn written(records: &[Record]) -> Vec<u8> {
    let mut bytes = b"\x8aRIPRAP\n\x03\0\0\0".to_vec();
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    for Record { tag, columns } in records {
        let mut payload = Vec::new();
        for column in columns {
            column.write(&mut payload);
        }
        let start = bytes.len();
        bytes.extend(tag);
        bytes.extend((payload.len() as u64).to_le_bytes());
        bytes.extend(crc32fast::hash(&payload).to_le_bytes());
        let head = crc32fast::hash(&bytes[start..]);
        bytes.extend(head.to_le_bytes());
        bytes.extend(payload);
    }
    bytes
}

impl Column {
    fn write(&self, payload: &mut Vec<u8>) {
        payload.push(self.name.len() as u8);
        payload.extend(&self.name);
        payload.extend(self.kind);
        payload.extend([self.components, self.encoding]);
        payload.extend(self.rows.to_le_bytes());
        let stored = match self.encoding {
            0 => self.values.clone(),
            _ => {
                let mut packed = ZlibEncoder::new(Vec::new(), Compression::none());
                packed.write_all(&self.values).and_then(|()| packed.finish()).unwrap_or_default()
            }
        };
        payload.extend((stored.len() as u64).to_le_bytes());
        payload.extend(stored);
    }

    /// One change of what it says, or of what it says of itself.
    fn change(&mut self, random: &mut Random) {
        let mut below =
            |count: usize| ((random.unit() * count as f64) as usize).min(count.max(1) - 1);
        let size = usize::from(self.kind[1].wrapping_sub(b'0')).clamp(1, 8);
        match below(16) {
            0 => self.rows = [0, 1, self.rows + 1, self.rows.wrapping_sub(1), 1 << 40][below(5)],
            1 => self.components = [0, 1, 2, 3, 255][below(5)],
            2 => self.encoding = below(7) as u8,
            3 => self.kind = *[b"u1", b"u4", b"u8", b"i4", b"f4", b"f8", b"t1", b"x9"][below(8)],
            4 => self.name = b"other".to_vec(),
            5 => self.values.truncate(below(self.values.len() + 1)),
            6 => {
                // One row more, or one less, and told so.
                let row = size * usize::from(self.components);
                let copy = self.values.get(..row).map(<[u8]>::to_vec);
                match copy.filter(|_| below(2) == 0) {
                    Some(copy) => {
                        self.values.extend(copy);
                        self.rows += 1;
                    }
                    None => {
                        self.values.truncate(self.values.len().saturating_sub(row));
                        self.rows = self.rows.saturating_sub(1);
                    }
                }
            }
            _ if self.values.is_empty() => {}
            _ if &self.kind == b"t1" => {
                crate::readers::mutate_text(&mut self.values, random);
                self.rows = self.values.len() as u64;
            }
            7 | 8 => {
                let at = below(self.values.len());
                self.values[at] ^= 1 << below(8);
            }
            9 => {
                // The same value at another place.
                let count = self.values.len() / size;
                let (from, to) = (below(count) * size, below(count) * size);
                let end = (from + size).min(self.values.len());
                self.values.copy_within(from..end, to.min(from));
            }
            _ => {
                let at = below(self.values.len() / size) * size;
                let word = WORDS[below(WORDS.len())].to_le_bytes();
                let end = (at + size).min(self.values.len());
                // The high bytes of a number say what it is.
                self.values[at..end].copy_from_slice(&word[8 - (end - at)..]);
            }
        }
    }
}

/// Changes one record, behind the header or anywhere.
pub fn change(records: &mut Vec<Record>, behind_header: bool, random: &mut Random) {
    let first = usize::from(behind_header && records.len() > 1);
    let below = |count: usize, random: &mut Random| {
        ((random.unit() * count as f64) as usize).min(count.max(1) - 1)
    };
    let at = first + below(records.len() - first, random);
    match below(12, random) {
        0 => {
            let copy = records[at].clone();
            let to = first + below(records.len() + 1 - first, random);
            records.insert(to, copy);
        }
        1 if records.len() > 1 => drop(records.remove(at)),
        2 => {
            let tags = [b"HEAD", b"PHAS", b"KEYF", b"FRAM", b"SAVE", b"DONE", b"ABCD"];
            records[at].tag = *tags[below(tags.len(), random)];
        }
        3 => {
            let columns = &mut records[at].columns;
            if !columns.is_empty() {
                columns.remove(below(columns.len(), random));
            }
        }
        _ => {
            let count = records[at].columns.len();
            if count > 0 {
                let column = below(count, random);
                records[at].columns[column].change(random);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use riprap::Reader;

    /// What is taken apart and put together again is the same run.
    #[test]
    fn nothing_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.riprap");
        let scene = riprap::gallery::scene("hourglass-2d").unwrap();
        crate::settle::run(&scene, &file).unwrap();
        let before = Reader::open(&file).unwrap();
        let again = written(&records(&std::fs::read(&file).unwrap()).unwrap());
        let other = folder.path().join("b.riprap");
        std::fs::write(&other, again).unwrap();
        let after = Reader::open(&other).unwrap();
        assert_eq!(before.len(), after.len());
        for k in 0..before.len() {
            let [a, b] = [&before, &after].map(|run| run.frame(k).unwrap());
            assert_eq!(a.state.positions, b.state.positions);
        }
        assert_eq!(before.ending(), after.ending());
    }
}
