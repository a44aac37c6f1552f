//! Boxes of a .csv file, such as those on a pallet: one a line, columns named by the first line:
//! `x, y, z` (their middle), `width, depth, height`, and perhaps `mass`, `friction` and `fixed`.
//! A name may end in its unit, as in `width_mm` or `mass_kg`; all lengths have one.

use std::fmt::Write;

use super::super::source::{Source, Span};
use super::{name, quoted};
use crate::problem::{Problem, Result};

const COLUMNS: [&str; 9] = ["x", "y", "z", "width", "depth", "height", "mass", "friction", "fixed"];

/// Those without which there is no box.
const NEEDED: usize = 6;

/// Units, and what they are in metres or kilograms.
const LENGTHS: [(&str, f64); 4] = [("mm", 1e-3), ("cm", 1e-2), ("m", 1.0), ("in", 0.0254)];
const MASSES: [(&str, f64); 4] = [("g", 1e-3), ("kg", 1.0), ("t", 1e3), ("lb", 0.45359237)];

/// Of the ground, beyond the boxes, in heights of all of them.
const GROUND: f64 = 2.0;

/// Whether the first line of a file names the columns of boxes in space.
pub fn is_boxes(text: &str) -> bool {
    let first = lines(text).next().map(|(_, line)| line).unwrap_or_default();
    let names: Vec<String> = first.split(',').map(|name| split(name).0).collect();
    ["width", "depth", "height"].iter().all(|name| names.iter().any(|known| known == name))
}

/// Lines that say something, and where they begin.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    let numbered = text.split('\n').map(move |line| {
        let at = start;
        start += line.len() + 1;
        (at, line)
    });
    numbered.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
}

/// A name and its unit: `width_mm`, `width (mm)`, `width [mm]`.
fn split(name: &str) -> (String, Option<String>) {
    let name = name.trim().trim_matches('"').to_ascii_lowercase();
    match name.split_once(['_', '[', '(', ' ']) {
        Some((first, unit)) => {
            let unit = unit.trim_matches([' ', '[', ']', '(', ')', '_']);
            (first.trim().to_string(), Some(unit.to_string()).filter(|unit| !unit.is_empty()))
        }
        None => (name, None),
    }
}

/// Which column of [`COLUMNS`] each cell is of, and by what it is multiplied.
fn header(source: &Source, start: usize, line: &str) -> Result<Vec<(usize, f64)>> {
    let span = Span(start..start + line.len());
    let problem = |message: String, help: &str| source.problem(&span, message).help(help);
    let mut columns = Vec::new();
    let mut length: Option<(String, Option<String>)> = None;
    for cell in line.split(',') {
        let (name, unit) = split(cell);
        let Some(column) = COLUMNS.iter().position(|known| *known == name) else {
            let message = format!("the column `{name}` is not known");
            return Err(problem(message, &format!("columns are {}", COLUMNS.join(", "))));
        };
        if columns.iter().any(|(known, _)| *known == column) {
            let help = "each column is there once";
            return Err(problem(format!("the column `{name}` is there twice"), help));
        }
        let known: &[(&str, f64)] = match column {
            0..NEEDED => &LENGTHS,
            6 => &MASSES,
            _ => &[],
        };
        let factor = match &unit {
            None => 1.0,
            Some(unit) => match known.iter().find(|(name, _)| name == unit) {
                Some((_, factor)) => *factor,
                None => {
                    let all: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                    let message = format!("`{name}` in `{unit}` is not understood");
                    return Err(problem(message, &format!("its units are {}", all.join(", "))));
                }
            },
        };
        if column < NEEDED {
            let (first, other) = length.get_or_insert((name.clone(), unit.clone()));
            if *other != unit {
                let of = |unit: &Option<String>| unit.clone().unwrap_or("no unit".into());
                let message = format!(
                    "the units contradict each other: `{first}` in {}, `{name}` in {}",
                    of(other),
                    of(&unit)
                );
                return Err(problem(message, "give all lengths in one unit"));
            }
        }
        columns.push((column, factor));
    }
    match (0..NEEDED).find(|needed| columns.iter().all(|(column, _)| column != needed)) {
        None => Ok(columns),
        Some(missing) => {
            let message = format!("the boxes have no column `{}`", COLUMNS[missing]);
            Err(problem(message, "x, y, z are those of their middle, then width, depth, height"))
        }
    }
}

/// The boxes on the ground below the lowest; one that is fixed takes its place.
pub fn scene(source: &Source) -> Result<String> {
    let mut lines = lines(&source.text);
    let (start, first) = lines.next().unwrap_or_default();
    let columns = header(source, start, first)?;
    let mut rows: Vec<[Option<f64>; COLUMNS.len()]> = Vec::new();
    for (start, line) in lines {
        let problem = |message: String, help: &str| {
            Err(source.problem(&Span(start..start + line.len()), message).help(help))
        };
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells.len() != columns.len() {
            let message = format!("{} cells under {} columns", cells.len(), columns.len());
            return problem(message, "every line has a cell for each column");
        }
        let mut row = [None; COLUMNS.len()];
        for (cell, &(column, factor)) in cells.iter().zip(&columns) {
            let number = cell.parse::<f64>().ok().filter(|x| x.is_finite() && x.abs() < 1e30);
            let is_fine = |x: &f64| match column {
                3..=6 => *x > 0.0,
                7 => *x >= 0.0,
                8 => [0.0, 1.0].contains(x),
                _ => true,
            };
            let Some(number) = number.filter(is_fine) else {
                let message = format!("`{cell}` is no `{}`", COLUMNS[column]);
                let help = "sizes and masses are positive, `fixed` is 0 or 1";
                return problem(message, help);
            };
            row[column] = Some(number * factor);
        }
        rows.push(row);
    }
    if rows.is_empty() {
        return Err(Problem::new("the file has no boxes").in_file(&source.file));
    }
    Ok(text(source, &rows))
}

fn text(source: &Source, rows: &[[Option<f64>; COLUMNS.len()]]) -> String {
    let is_ground_missing = rows.iter().all(|row| row[8] != Some(1.0));
    let about = match is_ground_missing {
        true => {
            "Boxes from a table. None of them is fixed: level ground under the lowest is taken for granted, \
             as rough as the roughest box."
        }
        false => "Boxes from a table.",
    };
    let mut text = format!(
        "{{\n\"name\": {},\n\"about\": {},\n\"method\": \"dynamics\",\n\"gravity\": [0, 0, -9.81],\n\
         \"bodies\": [\n",
        name(&source.file),
        quoted(about)
    );
    let of = |row: &[Option<f64>; COLUMNS.len()], k: usize| row[k].unwrap_or_default();
    let mut bodies: Vec<String> = Vec::new();
    for row in rows {
        let [x, y, z, width, depth, height] = [0, 1, 2, 3, 4, 5].map(|k| of(row, k));
        let mass = row[6].map_or(String::new(), |mass| format!(", \"mass\": {mass:?}"));
        let friction = row[7].map_or(String::new(), |f| format!(", \"friction\": {f:?}"));
        let motion = if row[8] == Some(1.0) { ", \"motion\": \"fixed\"" } else { "" };
        bodies.push(format!(
            "{{ \"group\": \"boxes\", \"shape\": {{ \"kind\": \"box\", \"size\": [{width:?}, \
             {depth:?}, {height:?}] }}, \"position\": [{x:?}, {y:?}, {z:?}]{mass}{friction}{motion} }}"
        ));
    }
    if is_ground_missing {
        let ends =
            |k: usize, sign: f64| rows.iter().map(move |r| of(r, k) + sign * 0.5 * of(r, k + 3));
        let low = [0, 1, 2].map(|k| ends(k, -1.0).fold(f64::INFINITY, f64::min));
        let high = [0, 1, 2].map(|k| ends(k, 1.0).fold(f64::NEG_INFINITY, f64::max));
        let tall = high[2] - low[2];
        let size = [0, 1].map(|k| high[k] - low[k] + 2.0 * GROUND * tall);
        let middle = [0, 1].map(|k| 0.5 * (low[k] + high[k]));
        // As rough as the roughest box.
        let frictions = rows
            .iter()
            .filter_map(|row| row[7])
            .fold(None, |most: Option<f64>, f| Some(most.map_or(f, |most| most.max(f))));
        let friction = frictions.map_or(String::new(), |f| format!(", \"friction\": {f:?}"));
        bodies.push(format!(
            "{{ \"group\": \"ground\", \"shape\": {{ \"kind\": \"box\", \"size\": [{:?}, {:?}, \
             {tall:?}] }}, \"position\": [{:?}, {:?}, {:?}], \"motion\": \"fixed\"{friction} }}",
            size[0],
            size[1],
            middle[0],
            middle[1],
            low[2] - 0.5 * tall
        ));
    }
    let _ = write!(text, "{}\n]\n}}\n", bodies.join(",\n"));
    text
}
