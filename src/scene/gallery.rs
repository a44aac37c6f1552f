//! The scenes that come with the program: those of the papers and some more,
//! available by name wherever it runs.

use std::path::{Path, PathBuf};

use super::suggest::nearest_name;
use super::{Files, Scene, Source};
use crate::problem::{Problem, Result};

/// Names each scene of the folder `scenes` and takes its text into the program.
macro_rules! scenes {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../scenes/", $name, ".toml")))),*]
    };
}

const SCENES: &[(&str, &str)] = scenes! {
    "box-3" "box-4" "box-5" "box-6" "box-10" "box-10-peers"
    "box-3-paper" "box-4-paper" "box-5-paper" "box-6-paper" "hourglass-paper"
    "hourglass" "hourglass-plain" "hourglass-l1" "hourglass-500" "hourglass-2d"
    "heavy-bead" "tube" "stack" "lone-sphere"
    "tower-5x5" "diamond-3" "diamond-4" "diamond-6" "inverted-triangle-3"
    "harmonic-10" "overhang-3" "overhang-4" "parabolic-6" "arch" "leaning" "card-house" "chain"
    "domino-3d" "wall-3d" "brick-tower-3d"
    "mobile" "mobile-paper" "rope" "t-handle" "newtons-cradle" "incline" "pyramid" "stack-ratio"
    "card-house-3d" "arch-3d" "arch-mesh" "dome" "vault" "gate" "diamond-4-3d" "pile" "pile-paper" "car" "cloth-tori"
    "cloth-tori-paper" "elk-duck" "elk-duck-paper"
    "blocks" "foot" "jacks" "tray" "tiles" "compaction" "jigsaw"
    "trampoline" "shampoo" "lava-lamp" "clump" "springs" "necklace"
};

/// What the scenes refer to.
const FILES: &[(&str, &[u8])] = &[
    ("tube.stl", include_bytes!("../../scenes/tube.stl")),
    ("foot.stl", include_bytes!("../../scenes/foot.stl")),
    ("bracket.stl", include_bytes!("../../scenes/bracket.stl")),
    ("hook.stl", include_bytes!("../../scenes/hook.stl")),
    ("ring.stl", include_bytes!("../../scenes/ring.stl")),
    ("gear.stl", include_bytes!("../../scenes/gear.stl")),
    ("arch-stone.obj", include_bytes!("../../scenes/arch-stone.obj")),
    ("duck.obj", include_bytes!("../../scenes/duck.obj")),
    ("elk.obj", include_bytes!("../../scenes/elk.obj")),
    ("box-10-peers.csv", include_bytes!("../../scenes/box-10-peers.csv")),
];

/// The names of all scenes, related ones together.
///
/// ```
/// use riprap::scene::gallery;
/// assert!(gallery::names().any(|name| name == "hourglass"));
/// assert!(gallery::find("hourglass").unwrap().contains("[container]"));
/// ```
pub fn names() -> impl Iterator<Item = &'static str> {
    SCENES.iter().map(|(name, _)| *name)
}

/// The text of a scene.
pub fn find(name: &str) -> Option<&'static str> {
    SCENES.iter().find(|scene| scene.0 == name).map(|(_, text)| *text)
}

/// The scene of this name, ready to build.
pub fn scene(name: &str) -> Result<Scene> {
    Scene::from_source(source(name)?)
}

/// Where the scene of this name comes from.
pub(super) fn source(name: &str) -> Result<Source> {
    let Some(text) = find(name) else {
        let all: Vec<&str> = names().collect();
        let known = format!("the gallery has {}", all.join(", "));
        let help = match nearest_name(name, names()) {
            Some(meant) => format!("did you mean `{meant}`? {known}"),
            None => known,
        };
        return Err(Problem::new(format!("there is no scene named `{name}`")).help(help));
    };
    Ok(Source {
        file: PathBuf::from(format!("{name}.toml")),
        text: text.into(),
        files: Files::Gallery,
        ..Source::default()
    })
}

/// A file that a scene of the gallery refers to.
pub fn file(name: &Path) -> Option<&'static [u8]> {
    FILES.iter().find(|file| Path::new(file.0) == name).map(|(_, bytes)| *bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_has_its_name_and_says_what_it_shows() {
        for name in names() {
            let scene = scene(name).unwrap();
            assert_eq!(scene.name, name);
            assert!(!scene.about.is_empty(), "{name}");
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let problem = scene("hour-glass").unwrap_err();
        assert_eq!(problem.message, "there is no scene named `hour-glass`");
        let help = problem.help.unwrap();
        assert!(help.starts_with("did you mean `hourglass`? the gallery has box-3, "), "{help}");
    }
}
