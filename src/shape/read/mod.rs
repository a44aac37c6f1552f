//! Reading meshes from files: one file per format. Nothing in a file is
//! believed: every count is checked against what is there, and every problem
//! names the file and, in text formats, points at the word.

mod obj;
mod ply;
mod stl;
mod words;

use super::Mesh;
use crate::math::{DVec3, MOST_NUMBER};
use crate::problem::{Problem, Result};
use std::path::Path;

type Triangles = Vec<[DVec3; 3]>;

impl Mesh {
    /// Reads .stl (text or binary), .obj or .ply (text or binary); equal vertices are merged.
    /// Polygons are split into triangles around their first corner.
    pub fn read(path: &Path) -> Result<Mesh> {
        reader(path)?;
        let bytes = std::fs::read(path).map_err(|error| {
            Problem::new(format!("the mesh cannot be read: {error}")).in_file(path)
        })?;
        Mesh::from_bytes(path, &bytes)
    }

    /// As [`Mesh::read`], from the contents of the file.
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Mesh> {
        let triangles = reader(path)?(path, bytes)?;
        if triangles.is_empty() {
            return Err(Problem::new("there are no triangles in the mesh").in_file(path));
        }
        let is_far = |corner: &&DVec3| corner.abs().max_element() > MOST_NUMBER;
        if let Some(corner) = triangles.as_flattened().iter().find(is_far) {
            let far = corner.abs().max_element();
            let message = format!("the mesh has a coordinate of the size {far:e}");
            return Err(Problem::new(message)
                .in_file(path)
                .help(format!("coordinates are at most {MOST_NUMBER:e}: use other units")));
        }
        Ok(Mesh::from_triangles(&triangles))
    }
}

/// Turns the bytes of a file into triangles; the path is for messages.
type Read = fn(&Path, &[u8]) -> Result<Triangles>;

/// What reads a file with this ending.
fn reader(path: &Path) -> Result<Read> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match ending.as_str() {
        "stl" => Ok(stl::read),
        "obj" => Ok(obj::read),
        "ply" => Ok(ply::read),
        _ => Err(Problem::new(format!("the mesh has the unknown ending \"{ending}\""))
            .in_file(path)
            .help("meshes are read from .stl, .obj and .ply files")),
    }
}

/// The triangles of a polygon, all around its first corner.
fn fan<T: Copy>(corners: &[T]) -> impl Iterator<Item = [T; 3]> + '_ {
    (1..corners.len().saturating_sub(1)).map(|k| [corners[0], corners[k], corners[k + 1]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    /// Writes the bytes to a file with the given name and reads the mesh in it.
    pub(super) fn read_bytes(name: &str, bytes: &[u8]) -> Result<Mesh> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        Mesh::read(&path)
    }

    /// The message of the problem, and the line and column if it has any.
    pub(super) fn refusal(name: &str, bytes: &[u8]) -> (String, Option<(usize, usize)>) {
        let problem = read_bytes(name, bytes).unwrap_err();
        let place = problem.place.expect("a problem with a file names the file");
        assert!(place.file.ends_with(name));
        (problem.message, place.line.map(|line| (line.number, line.column)))
    }

    pub(super) const TETRAHEDRON_OBJ: &str =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

    pub(super) fn tetrahedron() -> Mesh {
        read_bytes("tetrahedron.obj", TETRAHEDRON_OBJ.as_bytes()).unwrap()
    }

    #[test]
    fn the_ending_decides_in_upper_or_lower_case() {
        assert_eq!(read_bytes("A.OBJ", TETRAHEDRON_OBJ.as_bytes()), Ok(tetrahedron()));
        let (message, _) = refusal("a.step", b"");
        assert_eq!(message, "the mesh has the unknown ending \"step\"");
        assert_eq!(refusal("a", b"").0, "the mesh has the unknown ending \"\"");
    }

    #[test]
    fn a_missing_file_is_named() {
        let problem = Mesh::read(Path::new("no/such.stl")).unwrap_err();
        assert!(problem.message.starts_with("the mesh cannot be read: "), "{problem}");
        assert!(problem.to_string().contains("no/such.stl"), "{problem}");
    }

    #[test]
    fn a_file_without_triangles_is_refused() {
        let empty_ply = "ply\nformat ascii 1.0\nelement nothing 0\nend_header\n";
        for (name, text) in
            [("a.stl", "solid\nendsolid\n"), ("a.obj", "v 0 0 0\n"), ("a.ply", empty_ply)]
        {
            assert_eq!(refusal(name, text.as_bytes()).0, "there are no triangles in the mesh");
        }
    }

    /// One valid file of each format.
    static SAMPLES: LazyLock<Vec<(&'static str, Vec<u8>)>> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        let (text, binary) = (folder.path().join("text"), folder.path().join("binary"));
        tetrahedron().write_stl_text(&text).unwrap();
        tetrahedron().write_stl_binary(&binary).unwrap();
        vec![
            ("a.stl", std::fs::read(text).unwrap()),
            ("a.stl", std::fs::read(binary).unwrap()),
            ("a.obj", TETRAHEDRON_OBJ.into()),
            ("a.ply", ply::tests::text_sample().into()),
            ("a.ply", ply::tests::binary_sample(false)),
            ("a.ply", ply::tests::binary_sample(true)),
        ]
    });

    #[test]
    fn all_formats_hold_the_same_tetrahedron() {
        for (name, bytes) in SAMPLES.iter() {
            assert_eq!(read_bytes(name, bytes), Ok(tetrahedron()), "{name}");
        }
        assert_eq!(tetrahedron().check_closed(), Ok(()));
    }

    /// Neither result may be a panic, and no mesh may hold what makes no sense.
    fn assert_harmless(name: &str, bytes: &[u8]) {
        let read = match name {
            "a.stl" => stl::read,
            "a.obj" => obj::read,
            _ => ply::read,
        };
        if let Ok(triangles) = read(Path::new(name), bytes) {
            assert!(triangles.as_flattened().iter().all(|corner| corner.is_finite()));
            assert!(triangles.len() <= bytes.len());
        }
    }

    proptest! {
        #[test]
        fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            for (name, start) in [("a.stl", "solid"), ("a.obj", "f 1 2"), ("a.ply", "ply\n")] {
                assert_harmless(name, &bytes);
                assert_harmless(name, &[start.as_bytes(), &bytes].concat());
            }
        }

        #[test]
        fn random_words_do_no_harm(words in prop::collection::vec(any_word(), 0..60)) {
            let text = words.concat();
            for (name, start) in [("a.stl", "solid\n"), ("a.obj", ""), ("a.ply", "ply\nformat ascii 1.0\n")] {
                assert_harmless(name, format!("{start}{text}").as_bytes());
                assert_harmless(name, format!("{start}{text}\nend_header\n{text}").as_bytes());
            }
        }

        #[test]
        fn cut_and_changed_files_do_no_harm(cut in 0.0..1.0, at in 0.0..1.0, byte in any::<u8>()) {
            for (name, bytes) in SAMPLES.iter() {
                let place = |fraction: f64| (fraction * bytes.len() as f64) as usize;
                assert_harmless(name, &bytes[..place(cut)]);
                let mut changed = bytes.clone();
                changed[place(at)] = byte;
                assert_harmless(name, &changed);
            }
        }
    }

    fn any_word() -> impl Strategy<Value = String> {
        let known = "solid endsolid facet normal outer loop vertex endloop endfacet v f vn ply format \
            element property list face vertex_indices x y z int uchar float double end_header";
        let words: Vec<&str> = known.split_whitespace().collect();
        prop_oneof![
            prop::sample::select(words).prop_map(|word| format!("{word} ")),
            (-3..9i32).prop_map(|number| format!("{number} ")),
            Just("\n".to_string()),
            Just("99999999999999999999 ".to_string()),
            Just("4294967296 ".to_string()),
            Just("nan ".to_string()),
            Just("1/2/ ".to_string()),
        ]
    }
}
