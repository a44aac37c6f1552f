//! The format and what the methods take of it as a reference for people.

use std::fmt::Write;

use super::MethodName;
use super::capability::{Row, Takes, table};

const INTRODUCTION: &str = "# The scene format

A scene is a TOML or JSON file: the bodies, what holds them, and which question is asked of them \
(`method`). This page is made from the description that the reader checks scenes against; \
`riprap schema` gives the same as a JSON Schema, for editors.

Conventions: 3D scenes have z up, 2D scenes live in x-y with y up. Angles are in degrees, \
counter-clockwise; a turn in space is a vector along its axis, as long as the angle. Lengths, \
masses and times are in units of your choice. `position` places the origin of a shape as it is \
written.

Numbers are 0, or of a size from 1e-30 to 1e30. Beyond that, `check` refuses what rounding would spoil: \
coordinates (of bodies with their radius, containers, points of joints and forces) above 2.6e6 radii of the \
smallest free body where the methods keep bodies apart to a billionth of it (settle, separate), above 2.6e9 in \
collapse and dynamics; a rounding of edges below a billionth of the radius; ways in the first time step above \
1e6 radii (collapse: 1e3) and turns above 1e6 radians; in settle, weights (mass times gravity and push) that \
differ by more than a factor of 1e9; limits of joints that are not equal and less than 1e-11 apart.

A key is named by the names that lead to it. Where a table has kinds, the kind is one of them \
(`bodies.shape.torus.tube`), and a star stands for every kind. Lists of tables are written \
`[[bodies]]`; the entries of `bodies.shapes` and of `bodies.shape.compound.pieces` are like \
`bodies.shape`.

The last columns say what each method does with a key:
**yes**: uses it. **no**: refuses the scene, and says what would be accepted. **-**: does not \
use it by nature; `check` and `run` name such keys. An empty cell is an option of another method, \
which is checked and left alone, so that one scene can be asked every question.
";

/// The text of docs/scene.md.
pub fn markdown() -> String {
    let mut text = String::from(INTRODUCTION);
    let rows = table();
    let is_part = |row: &Row, name: &str| row.key.split('.').next() == Some(name);
    let is_single = |row: &&Row| {
        rows.iter().filter(|other| is_part(other, &row.key)).count() == 1
            || ["method", "name"].contains(&row.key.as_str())
    };
    let tops: Vec<&Row> = rows.iter().filter(|row| !row.key.contains('.')).collect();
    section(&mut text, "The scene", "");
    let singles = tops.iter().copied().filter(is_single);
    let whole = singles.flat_map(|top| rows.iter().filter(|row| is_part(row, &top.key)));
    whole.for_each(|row| line(&mut text, row));
    for top in tops.iter().copied().filter(|top| !is_single(top)) {
        section(&mut text, &format!("`{}`", top.key), &top.about);
        rows.iter().filter(|row| is_part(row, &top.key)).for_each(|row| line(&mut text, row));
    }
    text
}

fn section(text: &mut String, title: &str, about: &str) {
    let _ = write!(text, "\n## {title}\n\n");
    if !about.is_empty() {
        let _ = write!(text, "{about}\n\n");
    }
    let names = MethodName::ALL.map(MethodName::name).join(" | ");
    let _ = writeln!(text, "| key | meaning | default | {names} |");
    let _ = writeln!(text, "|---|---|---|{}", "---|".repeat(MethodName::ALL.len()));
}

fn line(text: &mut String, row: &Row) {
    let default = match &row.default {
        Some(default) => format!("`{default}`"),
        None if row.required => "required".into(),
        None => String::new(),
    };
    let takes = row.takes.map(|takes| match takes {
        Takes::Used => "yes",
        Takes::Refused { .. } => "no",
        Takes::Unused => "-",
        Takes::Elsewhere => "",
    });
    let about = row.about.replace('|', "\\|");
    let _ = writeln!(text, "| `{}` | {about} | {default} | {} |", row.key, takes.join(" | "));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// To renew it: `RIPRAP_RENEW=1 cargo test --lib the_reference_is_up_to_date`.
    #[test]
    fn the_reference_is_up_to_date() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scene.md");
        if std::env::var_os("RIPRAP_RENEW").is_some() {
            std::fs::write(&file, markdown()).unwrap();
        }
        let written = std::fs::read_to_string(&file).unwrap();
        assert!(written == markdown(), "docs/scene.md is not what the format says: renew it");
    }
}
