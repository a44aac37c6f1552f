//! Whether a file is a scene at all, or one of the files that are read as such. Anything else may be
//! somebody's secret, of which messages show nothing; of a scene they show the line that is meant.

use super::format;
use super::read::is_json;
use super::source::Source;
use super::spanned::{Node, parse_json, parse_toml};
use super::translate;
use crate::problem::{Problem, Result};

/// Refuses what is nothing of ours by its ending and its contents.
pub(super) fn check(source: &Source) -> Result<()> {
    let ending = source.file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let text = &source.text;
    let is_blank = text.trim().is_empty();
    let (is_ours, what) = match ending.to_ascii_lowercase().as_str() {
        "toml" => (true, ""),
        "csv" => (is_blank || translate::is_table(text), "no table of boxes"),
        "ldr" | "mpd" => (is_blank || translate::is_ldraw(text), "no model of LDraw"),
        _ if is_json(source) => match parse_json(text) {
            Ok(tree) => (is_scene(&tree) || translate::is_structure(&tree), "no scene"),
            Err(_) => (text.trim_start().starts_with(['{', '[']), "no JSON"),
        },
        "txt" if is_blank || translate::is_brick_text(text) => (true, ""),
        _ => (parse_toml(text).is_ok_and(|tree| is_scene(&tree)), "no scene"),
    };
    match is_ours {
        true => Ok(()),
        false => Err(Problem::new(format!("the file is {what}")).in_file(&source.file).help(
            "scenes end in .toml or .json and have `bodies`; bricks, assemblies and tables of boxes \
             end as their programs have it: .json, .txt, .ldr, .csv",
        )),
    }
}

/// Whether anything in a tree is named as in a scene.
fn is_scene(tree: &Node) -> bool {
    let entries = tree.entries().unwrap_or_default();
    let table = format::scene();
    let is_known = |key: &str| table.fields.iter().any(|field| field.name == key);
    entries.is_empty() || entries.iter().any(|entry| is_known(&entry.key))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::Scene;

    /// A secret is not shown whatever its name; a scene's own line is.
    #[test]
    fn what_is_no_scene_is_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            Scene::open(path.to_str().unwrap()).unwrap_err().to_string()
        };
        let secrets = ["root:x:0:0:root:/srv:/bin/bash\n", "password = \"x:0:0\"\n"];
        for name in ["passwd", "p.json", "p.txt", "p.csv", "p.ldr", "p.mpd", "p.conf"] {
            for secret in secrets {
                let told = refused(name, secret);
                assert!(told.starts_with("the file is no "), "{told}");
                assert!(!told.contains("x:0:0") && !told.contains("assword ="), "{told}");
            }
        }
        let told = refused("key.json", "{\"password\": \"x:0:0\"}");
        assert!(told.starts_with("the file is no scene") && !told.contains("x:0:0"), "{told}");
        assert!(refused("a.toml", "gravity = oops\n").contains("gravity = oops"));
        assert!(refused("a.json", "{\"gravity\": 3}").contains("{\"gravity\": 3}"));
        assert!(refused("a", "gravity = 3\n").contains("gravity = 3"));
        let told = Scene::open(folder.path().to_str().unwrap()).unwrap_err().to_string();
        assert!(told.starts_with("this is a folder"), "{told}");
    }
}
