//! A minimal zip archive: entries stored as they are, always with 64-bit
//! sizes, so that small and huge archives take the same way.

use std::io::{self, Seek, SeekFrom, Write};

const LOCAL_HEADER: u32 = 0x0403_4b50;
const CENTRAL_HEADER: u32 = 0x0201_4b50;
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;
const END: u32 = 0x0605_4b50;
/// Version 4.5 of the specification: 64-bit sizes.
const VERSION: u16 = 45;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;
/// Midnight of 1 January 1980, the oldest date there is: the same run gives the same archive.
const TIME_AND_DATE: [u16; 2] = [0, 1 << 5 | 1];
/// Stands where a number has moved to its 64-bit field.
const MOVED: u32 = u32::MAX;

/// A zip archive in the making.
pub(super) struct Zip<W: Write + Seek> {
    out: W,
    /// Bytes written so far.
    position: u64,
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    offset: u64,
    size: u64,
    checksum: u32,
}

impl<W: Write + Seek> Zip<W> {
    pub(super) fn new(out: W) -> Zip<W> {
        Zip { out, position: 0, entries: Vec::new() }
    }

    /// Adds an entry whose contents `fill` hands over in pieces.
    pub(super) fn entry<E: From<io::Error>>(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut dyn FnMut(&[u8]) -> io::Result<()>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut entry = Entry { name: name.into(), offset: self.position, size: 0, checksum: 0 };
        self.put(&entry.local_header())?;
        let mut checksum = crc32fast::Hasher::new();
        fill(&mut |bytes| {
            checksum.update(bytes);
            entry.size += bytes.len() as u64;
            self.out.write_all(bytes)
        })?;
        self.position += entry.size;
        entry.checksum = checksum.finalize();
        // Size and checksum are known only now.
        self.out.seek(SeekFrom::Start(entry.offset))?;
        self.out.write_all(&entry.local_header())?;
        self.out.seek(SeekFrom::Start(self.position))?;
        self.entries.push(entry);
        Ok(())
    }

    /// Writes the directory, without which there is no archive.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let directory = self.position;
        let headers: Vec<u8> = self.entries.iter().flat_map(Entry::central_header).collect();
        self.put(&headers)?;
        let end = self.position;
        let count = self.entries.len() as u64;

        let mut bytes = Bytes::default();
        // The size that counts the bytes after itself.
        bytes.u32(END_64).u64(44).u16(VERSION).u16(VERSION).u32(0).u32(0);
        bytes.u64(count).u64(count).u64(end - directory).u64(directory);
        bytes.u32(LOCATOR_64).u32(0).u64(end).u32(1);
        bytes.u32(END).u16(0).u16(0).u16(u16::MAX).u16(u16::MAX).u32(MOVED).u32(MOVED).u16(0);
        self.put(&bytes.0)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.position += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

impl Entry {
    fn local_header(&self) -> Vec<u8> {
        let mut bytes = Bytes::default();
        bytes.u32(LOCAL_HEADER);
        self.common_fields(&mut bytes, 20);
        bytes.0.extend(self.name.as_bytes());
        bytes.u16(1).u16(16).u64(self.size).u64(self.size);
        bytes.0
    }

    fn central_header(&self) -> Vec<u8> {
        let mut bytes = Bytes::default();
        bytes.u32(CENTRAL_HEADER).u16(VERSION);
        self.common_fields(&mut bytes, 28);
        // No comment, first disk, no attributes.
        bytes.u16(0).u16(0).u16(0).u32(0).u32(MOVED);
        bytes.0.extend(self.name.as_bytes());
        bytes.u16(1).u16(24).u64(self.size).u64(self.size).u64(self.offset);
        bytes.0
    }

    /// What both headers say; `extra` bytes of 64-bit numbers follow the name.
    fn common_fields(&self, bytes: &mut Bytes, extra: u16) {
        let [time, date] = TIME_AND_DATE;
        bytes.u16(VERSION).u16(FLAGS).u16(0).u16(time).u16(date).u32(self.checksum);
        bytes.u32(MOVED).u32(MOVED).u16(self.name.len() as u16).u16(extra);
    }
}

/// Little-endian numbers in a row.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn u16(&mut self, number: u16) -> &mut Bytes {
        self.0.extend(number.to_le_bytes());
        self
    }
    fn u32(&mut self, number: u32) -> &mut Bytes {
        self.0.extend(number.to_le_bytes());
        self
    }
    fn u64(&mut self, number: u64) -> &mut Bytes {
        self.0.extend(number.to_le_bytes());
        self
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
        bytes[at..at + size].iter().rev().fold(0, |sum, &b| sum << 8 | u64::from(b))
    }

    fn word(bytes: &[u8], at: usize) -> u32 {
        number(bytes, at, 4) as u32
    }

    /// Reads an archive the way others do: from the end to the directory to the entries.
    fn read(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
        let end = bytes.len() - 22;
        assert_eq!(word(bytes, end), END);
        assert_eq!(word(bytes, end - 20), LOCATOR_64);
        let end_64 = number(bytes, end - 12, 8) as usize;
        assert_eq!((word(bytes, end_64), end_64 + 56), (END_64, end - 20));
        let mut at = number(bytes, end_64 + 48, 8) as usize;
        assert_eq!(at + number(bytes, end_64 + 40, 8) as usize, end_64);
        let entries = (0..number(bytes, end_64 + 32, 8)).map(|_| {
            assert_eq!(word(bytes, at), CENTRAL_HEADER);
            let name = number(bytes, at + 28, 2) as usize;
            let extra = at + 46 + name;
            let (size, offset) =
                (number(bytes, extra + 4, 8), number(bytes, extra + 20, 8) as usize);
            assert_eq!(word(bytes, offset), LOCAL_HEADER);
            assert_eq!(bytes[offset + 4..offset + 28], bytes[at + 6..at + 30], "same fields");
            let data = offset + 30 + name + number(bytes, offset + 28, 2) as usize;
            assert_eq!(number(bytes, data - 8, 8), size);
            let contents = bytes[data..data + size as usize].to_vec();
            assert_eq!(word(bytes, at + 16), crc32fast::hash(&contents));
            let name = String::from_utf8(bytes[at + 46..extra].to_vec()).unwrap();
            at = extra + number(bytes, at + 30, 2) as usize;
            (name, contents)
        });
        let entries = entries.collect();
        assert_eq!(at, end_64);
        entries
    }

    #[test]
    fn entries_are_found_through_the_directory() {
        let mut bytes = Cursor::new(Vec::new());
        let mut zip = Zip::new(&mut bytes);
        zip.entry::<io::Error>("a.npy", |put| {
            put(b"one")?;
            put(b" and two")
        })
        .unwrap();
        zip.entry::<io::Error>("empty", |_| Ok(())).unwrap();
        zip.entry::<io::Error>("größe.npy", |put| put(&[7; 1000])).unwrap();
        zip.finish().unwrap();
        let expected = [
            ("a.npy".to_string(), b"one and two".to_vec()),
            ("empty".to_string(), vec![]),
            ("größe.npy".to_string(), vec![7; 1000]),
        ];
        assert_eq!(read(bytes.get_ref()), expected);
    }
}
