//! The formats, and the endings that name them.

use std::path::Path;

use crate::problem::{Problem, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Xyz,
    Csv,
    Npz,
    Dump,
    Data,
    Vtp,
    Pvd,
    Glb,
    Stl,
    Obj,
}

/// Every ending, what it stands for, and whether such a file holds a single frame.
pub(super) const ENDINGS: [(&str, &str, Format, bool); 10] = [
    ("xyz", "extended XYZ", Format::Xyz, false),
    ("csv", "a table", Format::Csv, false),
    ("npz", "numpy", Format::Npz, false),
    ("dump", "LAMMPS and OVITO", Format::Dump, false),
    ("data", "LAMMPS, one frame", Format::Data, true),
    ("pvd", "ParaView", Format::Pvd, false),
    ("vtp", "ParaView, one frame", Format::Vtp, true),
    ("glb", "Blender", Format::Glb, false),
    ("stl", "triangles, one frame", Format::Stl, true),
    ("obj", "triangles, one frame", Format::Obj, true),
];

impl Format {
    /// The format that the ending of a file's name stands for.
    pub(super) fn of(path: &Path) -> Result<Format> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let known = ENDINGS.iter().find(|row| Some(row.0) == ending.as_deref());
        known.map(|row| row.2).ok_or_else(|| {
            let message = match ending {
                Some(ending) => format!("no format has the ending .{ending}"),
                None => "the name has no ending that would say the format".into(),
            };
            let known = ENDINGS.map(|(ending, meaning, ..)| format!(".{ending} ({meaning})"));
            Problem::new(message).help(format!("known endings: {}", known.join(", "))).in_file(path)
        })
    }

    /// Whether such a file holds a single frame.
    pub(super) fn holds_one_frame(self) -> bool {
        ENDINGS.iter().any(|row| row.2 == self && row.3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_name_formats_in_any_case() {
        for (ending, _, format, _) in ENDINGS {
            assert_eq!(Format::of(Path::new(&format!("a.{ending}"))), Ok(format));
            let shouted = format!("b.{}", ending.to_uppercase());
            assert_eq!(Format::of(Path::new(&shouted)), Ok(format));
        }
        assert!(Format::Stl.holds_one_frame() && !Format::Pvd.holds_one_frame());
    }

    #[test]
    fn unknown_endings_get_the_list_of_known_ones() {
        let refused = |name: &str| Format::of(Path::new(name)).unwrap_err();
        assert_eq!(refused("run.docx").message, "no format has the ending .docx");
        assert_eq!(refused("run").message, "the name has no ending that would say the format");
        let help = refused("run.docx").help.unwrap();
        assert!(help.starts_with("known endings: .xyz (extended XYZ), .csv (a table), "), "{help}");
        assert!(help.ends_with(".obj (triangles, one frame)"), "{help}");
    }
}
