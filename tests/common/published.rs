//! Published instances and the best known layouts of some of them. They are
//! others' data and no part of the project: they are read from the folder that
//! the environment variable `RIPRAP_DATA` names, `../shared/data` beside the
//! project if it names none. Where they are missing, whoever asks says so, loudly.

use std::path::{Path, PathBuf};

/// All instances.
pub const INSTANCES: [&str; 13] = [
    "albano", "blaz1", "dagli", "fu", "jakobs1", "jakobs2", "mao", "marques", "shapes0", "shapes1",
    "shirts", "swim", "trousers",
];

/// The folder of the strip-packing data.
pub struct Nesting(PathBuf);

impl Nesting {
    /// `None`, and a line on standard error, where the data are missing.
    pub fn find(who: &str) -> Option<Nesting> {
        let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
        let data = std::env::var_os("RIPRAP_DATA").map_or_else(beside, PathBuf::from);
        let folder = data.join("nesting");
        if folder.is_dir() {
            return Some(Nesting(folder));
        }
        eprintln!(
            "\n*** SKIPPED: {who} needs published layouts, which are not in {} \
             (RIPRAP_DATA names another folder) ***\n",
            folder.display()
        );
        None
    }

    /// A strip and what has to go onto it, in sparrow's JSON.
    pub fn instance(&self, name: &str) -> PathBuf {
        self.0.join("input").join(format!("{name}.json"))
    }

    /// The best published layout, in sparrow's SVG; some instances have none here.
    pub fn layout(&self, name: &str) -> PathBuf {
        self.0.join("layouts").join(format!("{name}.svg"))
    }
}
