//! A glTF 2.0 document in the making, and its binary file: a text that
//! describes the scene (JSON), then the numbers that it refers to.

use serde_json::{Map, Value, json};

use crate::problem::{Problem, Result};

const MAGIC: u32 = 0x4654_6c67;
const VERSION: u32 = 2;
const JSON_CHUNK: u32 = 0x4e4f_534a;
const BINARY_CHUNK: u32 = 0x004e_4942;

/// Codes of the specification.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const VERTICES: u32 = 34962;
const TRIANGLES: u32 = 34963;

/// The lists of a document, by name, and its numbers. Things refer to each
/// other by their places in these lists.
#[derive(Default)]
pub(super) struct Document {
    lists: Map<String, Value>,
    numbers: Vec<u8>,
}

impl Document {
    /// Appends to one of the lists of the document; returns the place in it.
    pub(super) fn add(&mut self, list: &str, thing: Value) -> usize {
        match self.lists.entry(list).or_insert_with(|| json!([])) {
            Value::Array(things) => {
                things.push(thing);
                things.len() - 1
            }
            _ => unreachable!("only lists are ever inserted"),
        }
    }

    /// The corners of a mesh.
    pub(super) fn vertices(&mut self, points: &[[f32; 3]]) -> usize {
        let view = self.view(points.as_flattened().iter().flat_map(|x| x.to_le_bytes()), VERTICES);
        let bound = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
            let all = |axis: usize| points.iter().map(move |p| p[axis]).reduce(pick);
            (0..3).map(|axis| all(axis).unwrap_or(0.0)).collect()
        };
        let (min, max) = (bound(f32::min), bound(f32::max));
        self.accessor("VEC3", FLOAT, points.len(), view, 0, json!({"min": min, "max": max}))
    }

    /// The triangles of a mesh, by its corners.
    pub(super) fn triangles(&mut self, corners: &[[u32; 3]]) -> usize {
        let bytes = corners.as_flattened().iter().flat_map(|corner| corner.to_le_bytes());
        let view = self.view(bytes, TRIANGLES);
        self.accessor("SCALAR", UNSIGNED_INT, 3 * corners.len(), view, 0, json!({}))
    }

    /// The times of an animation, ascending.
    pub(super) fn times(&mut self, times: &[f32]) -> usize {
        let view = self.view(times.iter().flat_map(|time| time.to_le_bytes()), 0);
        let bounds = json!({"min": [times.first()], "max": [times.last()]});
        self.accessor("SCALAR", FLOAT, times.len(), view, 0, bounds)
    }

    /// Paths of `length` points or turns each, all in a row; returns the place of the first.
    pub(super) fn paths<const N: usize>(&mut self, points: &[[f32; N]], length: usize) -> usize {
        let view = self.view(points.as_flattened().iter().flat_map(|x| x.to_le_bytes()), 0);
        let shape = format!("VEC{N}");
        let places = (0..points.len() / length).map(|path| {
            self.accessor(&shape, FLOAT, length, view, 4 * N * path * length, json!({}))
        });
        places.min().unwrap_or(0)
    }

    /// Plain numbers.
    pub(super) fn numbers(&mut self, numbers: &[f32]) -> usize {
        let view = self.view(numbers.iter().flat_map(|x| x.to_le_bytes()), 0);
        self.accessor("SCALAR", FLOAT, numbers.len(), view, 0, json!({}))
    }

    /// Numbers of a certain use; 0 for none that the specification has a code for.
    fn view(&mut self, bytes: impl Iterator<Item = u8>, usage: u32) -> usize {
        let start = self.numbers.len();
        self.numbers.extend(bytes);
        let length = self.numbers.len() - start;
        let mut view = json!({"buffer": 0, "byteOffset": start, "byteLength": length});
        if usage != 0 {
            view["target"] = usage.into();
        }
        self.add("bufferViews", view)
    }

    fn accessor(
        &mut self,
        shape: &str,
        number: u32,
        count: usize,
        view: usize,
        offset: usize,
        mut rest: Value,
    ) -> usize {
        rest["type"] = shape.into();
        rest["componentType"] = number.into();
        rest["count"] = count.into();
        rest["bufferView"] = view.into();
        rest["byteOffset"] = offset.into();
        self.add("accessors", rest)
    }

    /// The binary file. Its scene is that of node `root`.
    pub(super) fn file(mut self, root: usize, extras: Value) -> Result<Vec<u8>> {
        let generator = concat!("riprap ", env!("CARGO_PKG_VERSION"));
        self.add("scenes", json!({"nodes": [root]}));
        self.add("buffers", json!({"byteLength": self.numbers.len()}));
        let asset = json!({"version": "2.0", "generator": generator, "extras": extras});
        self.lists.insert("asset".into(), asset);
        self.lists.insert("scene".into(), json!(0));

        let mut text = Value::Object(self.lists).to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut numbers = self.numbers;
        numbers.resize(numbers.len().next_multiple_of(4), 0);
        let length = 12 + 8 + text.len() + 8 + numbers.len();
        let Ok(length) = u32::try_from(length) else {
            let message = format!("{length} bytes are too many for .glb");
            return Err(Problem::new(message).help("it holds 4294967295 bytes at most"));
        };

        let mut file = Vec::with_capacity(length as usize);
        let mut put = |words: &[u32], bytes: &[u8]| {
            file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
            file.extend(bytes);
        };
        put(&[MAGIC, VERSION, length], &[]);
        put(&[text.len() as u32, JSON_CHUNK], &text);
        put(&[numbers.len() as u32, BINARY_CHUNK], &numbers);
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_where_the_text_says() {
        let mut document = Document::default();
        let corners = [[0.0, 1.0, -2.0], [0.1, -3.0, 7.0], [5.0, 0.0, 0.0]];
        let (vertices, triangles) = (document.vertices(&corners), document.triangles(&[[0, 1, 2]]));
        let times = document.times(&[0.0, 0.5]);
        let first = document.paths(&[[0.0; 3], [1.0; 3], [2.0; 3], [3.0; 3]], 2);
        assert_eq!([vertices, triangles, times, first], [0, 1, 2, 3]);
        let root = document.add("nodes", json!({"name": "über"}));
        let file = document.file(root, json!({"note": "a"})).unwrap();

        let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
        assert_eq!([word(0), word(4), word(8)], [MAGIC, 2, file.len() as u32]);
        let (length, start) = (word(12) as usize, 20);
        let text: Value = serde_json::from_slice(&file[start..start + length]).unwrap();
        let numbers = start + length + 8;
        assert_eq!([word(16), word(numbers - 4)], [JSON_CHUNK, BINARY_CHUNK]);
        assert_eq!(word(numbers - 8) as usize, file.len() - numbers);
        assert_eq!((length % 4, file.len() % 4), (0, 0));

        assert_eq!(text["asset"]["extras"]["note"], "a");
        assert_eq!(text["accessors"][0]["min"], json!([0.0, -3.0, -2.0]));
        assert_eq!(text["accessors"][0]["max"], json!([5.0, 1.0, 7.0]));
        assert_eq!(
            [&text["accessors"][2]["min"], &text["accessors"][2]["max"]],
            [&json!([0.0]), &json!([0.5])]
        );
        let place = |accessor: &Value| {
            let view = &text["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
            numbers
                + (view["byteOffset"].as_u64().unwrap() + accessor["byteOffset"].as_u64().unwrap())
                    as usize
        };
        let float = |at: usize| f32::from_bits(word(at));
        assert_eq!(float(place(&text["accessors"][0]) + 16), -3.0);
        assert_eq!(word(place(&text["accessors"][1]) + 8), 2);
        assert_eq!(float(place(&text["accessors"][2]) + 4), 0.5);
        assert_eq!([3, 4].map(|path| float(place(&text["accessors"][path]))), [0.0, 2.0]);
    }

    #[test]
    fn lists_without_things_are_left_out() {
        let mut document = Document::default();
        let root = document.add("nodes", json!({}));
        let file = document.file(root, json!({})).unwrap();
        let text = String::from_utf8_lossy(&file[20..]);
        assert!(!text.contains("accessors") && !text.contains("animations"), "{text}");
    }
}
