//! Writes the meshes of the gallery into the folder `scenes`, or into another one:
//!
//! ```text
//! cargo run -p riprap-assets [FOLDER]
//! ```

mod duck;
mod elk;
mod parts;
mod stone;
mod tube;

use std::path::{Path, PathBuf};

use riprap::Result;

fn main() -> Result<()> {
    let usual = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let folder = std::env::args_os().nth(1).map_or_else(usual, PathBuf::from);
    write_all(&folder)
}

fn write_all(folder: &Path) -> Result<()> {
    duck::write(folder)?;
    elk::write(folder)?;
    parts::write(folder)?;
    stone::write(folder)?;
    tube::write(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What lies in `scenes` is what the rules make.
    #[test]
    fn the_gallery_has_these_meshes() {
        let folder = tempfile::tempdir().unwrap();
        write_all(folder.path()).unwrap();
        let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
        let mut compared = 0;
        for made in std::fs::read_dir(folder.path()).unwrap() {
            let made = made.unwrap();
            let there = std::fs::read(scenes.join(made.file_name())).unwrap();
            let same = there == std::fs::read(made.path()).unwrap();
            assert!(same, "{:?} differs: run `cargo run -p riprap-assets`", made.file_name());
            compared += 1;
        }
        assert_eq!(compared, 9);
    }
}
