//! Named arrays of numbers in one block of bytes, packed as text for the page.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use riprap::export::base64;
use serde_json::{Map, Value, json};

/// Arrays that the page finds by name.
#[derive(Default)]
pub(super) struct Arrays {
    bytes: Vec<u8>,
    places: Map<String, Value>,
}

impl Arrays {
    pub(super) fn f64(&mut self, name: &str, values: impl IntoIterator<Item = f64>) {
        self.add(name, "Float64Array", values.into_iter().map(f64::to_le_bytes));
    }

    /// Numbers that are only drawn or shown with a few digits.
    pub(super) fn f32(&mut self, name: &str, values: impl IntoIterator<Item = f64>) {
        self.add(name, "Float32Array", values.into_iter().map(|v| (v as f32).to_le_bytes()));
    }

    pub(super) fn u32(&mut self, name: &str, values: impl IntoIterator<Item = u32>) {
        self.add(name, "Uint32Array", values.into_iter().map(u32::to_le_bytes));
    }

    pub(super) fn u16(&mut self, name: &str, values: impl IntoIterator<Item = u16>) {
        self.add(name, "Uint16Array", values.into_iter().map(u16::to_le_bytes));
    }

    pub(super) fn u8(&mut self, name: &str, values: impl IntoIterator<Item = u8>) {
        self.add(name, "Uint8Array", values.into_iter().map(|value| [value]));
    }

    pub(super) fn i8(&mut self, name: &str, values: impl IntoIterator<Item = i8>) {
        self.add(name, "Int8Array", values.into_iter().map(i8::to_le_bytes));
    }

    fn add<const N: usize>(
        &mut self,
        name: &str,
        kind: &str,
        values: impl Iterator<Item = [u8; N]>,
    ) {
        // The browser's arrays must start at a multiple of their element's size.
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        let start = self.bytes.len();
        let mut count = 0;
        for value in values {
            self.bytes.extend(value);
            count += 1;
        }
        self.places.insert(name.into(), json!({ "type": kind, "start": start, "count": count }));
    }

    /// Bytes so far, before they are packed.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Where each array is.
    pub(super) fn places(self) -> Value {
        Value::Object(self.places)
    }

    /// All bytes, packed.
    pub(super) fn packed(&self) -> String {
        let mut packer = Packer::default();
        packer.write(&self.bytes);
        base64(&packer.finish())
    }
}

/// Bytes packed as the browser's own decompressor unpacks them.
pub(super) struct Packer(ZlibEncoder<Vec<u8>>);

impl Default for Packer {
    fn default() -> Self {
        Packer(ZlibEncoder::new(Vec::new(), Compression::default()))
    }
}

impl Packer {
    pub(super) fn write(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).expect("memory takes everything");
    }

    /// Bytes packed so far, up to a few in flight.
    pub(super) fn len(&self) -> usize {
        self.0.get_ref().len()
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0.finish().expect("memory takes everything")
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Read;

    use super::*;

    /// What the browser does.
    pub(crate) fn unpack(text: &str) -> Vec<u8> {
        let value = |letter: u8| match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        let letters: Vec<u8> = text.bytes().filter(|&letter| letter != b'=').collect();
        let mut bytes = Vec::new();
        for chunk in letters.chunks(4) {
            let word =
                chunk.iter().fold(0_u32, |word, &letter| word << 6 | u32::from(value(letter)));
            let word = word << (6 * (4 - chunk.len()));
            bytes.extend(&word.to_be_bytes()[1..chunk.len()]);
        }
        let mut unpacked = Vec::new();
        flate2::read::ZlibDecoder::new(&bytes[..]).read_to_end(&mut unpacked).unwrap();
        unpacked
    }

    #[test]
    fn arrays_come_back_from_their_places() {
        let mut arrays = Arrays::default();
        arrays.u8("kinds", [1, 2, 3]);
        arrays.f64("energy", [0.1, -2.0]);
        arrays.u32("steps", [7]);
        let (text, length) = (arrays.packed(), arrays.len());
        let places = arrays.places();
        assert_eq!(length, 28);
        assert_eq!(places["energy"], json!({ "type": "Float64Array", "start": 8, "count": 2 }));
        assert_eq!(places["steps"]["start"], 24);
        let bytes = unpack(&text);
        assert_eq!(bytes[..3], [1, 2, 3]);
        assert_eq!(bytes[8..16], 0.1_f64.to_le_bytes());
        assert_eq!(bytes[24..], 7_u32.to_le_bytes());
    }
}
