//! Boxes of a .csv file, such as those on a pallet: one a line, columns named by the first line:
//! `x, y, z` (their middle), `width, depth, height`, and perhaps `mass`, `friction`, `fixed` and `name`
//! (or `id`, `label`); in the plane without `z` and `depth`. The name of a column may end in its unit, as in `width_mm` or `mass_kg`; all lengths
//! have one. Cells are separated by commas, semicolons or tabs; where it is not commas, a comma in a
//! number is its decimal point.

use std::fmt::Write;

use super::super::columns::separator;
use super::super::source::{Source, Span};
use super::{name, quoted};
use crate::problem::{Problem, Result};

const COLUMNS: [&str; 9] = ["x", "y", "z", "width", "depth", "height", "mass", "friction", "fixed"];

/// What boxes are called: a column of words.
const NAMES: [&str; 3] = ["name", "id", "label"];
const NAME: usize = COLUMNS.len();

/// Those without which there is no box, and those of them that are left out in the plane.
const NEEDED: usize = 6;
const OF_SPACE: [usize; 2] = [2, 4];

/// Units, and what they are in metres or kilograms.
const LENGTHS: [(&str, f64); 4] = [("mm", 1e-3), ("cm", 1e-2), ("m", 1.0), ("in", 0.0254)];
const MASSES: [(&str, f64); 4] = [("g", 1e-3), ("kg", 1.0), ("t", 1e3), ("lb", 0.45359237)];

/// Of the ground, beyond the boxes, in heights of all of them.
const GROUND: f64 = 2.0;

/// The names of columns, for messages.
const KNOWN: &str = "the first line names the columns: x, y, z (of their middle), width, depth, height (in the plane \
                     without z and depth), and perhaps mass, friction, fixed, name; units as in width_mm";

/// The group of boxes without a name.
const UNNAMED: &str = "boxes";

/// A row of [`COLUMNS`].
type Row = [Option<f64>; COLUMNS.len()];

/// What the first line says: which column of [`COLUMNS`] each cell is of, and by what it is multiplied.
struct Header {
    columns: Vec<(usize, f64)>,
    is_flat: bool,
    /// Units that no name tells.
    has_lengths: bool,
    has_masses: bool,
}

impl Header {
    fn has(&self, column: usize) -> bool {
        self.columns.iter().any(|(known, _)| *known == column)
    }
}

/// Lines that say something, and where they begin.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    let numbered = text.split('\n').map(move |line| {
        let at = start;
        start += line.len() + 1;
        (at, line.trim_end_matches('\r'))
    });
    numbered.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
}

/// The cells of a line, without the quotes around them, and where each is.
fn cells(start: usize, line: &str, separator: char) -> Vec<(Span, &str)> {
    let (mut found, mut at, mut is_quoted) = (Vec::new(), 0, false);
    let ends = line.char_indices().filter(|(_, c)| {
        is_quoted ^= *c == '"';
        *c == separator && !is_quoted
    });
    let ends: Vec<usize> = ends.map(|(end, _)| end).chain([line.len()]).collect();
    for end in ends {
        let cell = line[at..end].trim();
        let inner = cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"'));
        // What is empty is pointed at by what is around it.
        let from = start + at;
        found.push((Span(from..(start + end).max(from + 1)), inner.map_or(cell, str::trim)));
        at = end + separator.len_utf8();
    }
    found
}

/// A name and its unit: `width_mm`, `width (mm)`, `width [mm]`.
fn split(name: &str) -> (String, Option<String>) {
    let name = name.trim().to_ascii_lowercase();
    match name.split_once(['_', '[', '(', ' ']) {
        Some((first, unit)) => {
            let unit = unit.trim_matches([' ', '[', ']', '(', ')', '_']);
            (first.trim().to_string(), Some(unit.to_string()).filter(|unit| !unit.is_empty()))
        }
        None => (name, None),
    }
}

/// Whether the first line names columns of boxes, or is one of numbers without names.
pub fn is_table(text: &str) -> bool {
    let Some((start, line)) = lines(text).next() else { return false };
    let cells = cells(start, line, separator(line));
    let is_known = |name: &str| COLUMNS.contains(&split(name).0.as_str());
    cells.iter().any(|(_, cell)| is_known(cell))
        || cells.iter().all(|(_, cell)| cell.parse::<f64>().is_ok())
}

fn header(source: &Source, cells: &[(Span, &str)]) -> Result<Header> {
    let mut columns: Vec<(usize, f64)> = Vec::new();
    let mut length: Option<(String, Option<String>)> = None;
    let mut has_masses = false;
    for (number, (span, cell)) in cells.iter().enumerate() {
        let problem = |message: String, help: &str| source.problem(span, message).help(help);
        let (name, unit) = split(cell);
        let is_name = NAMES.contains(&name.as_str());
        let column = COLUMNS.iter().position(|known| *known == name);
        let Some(column) = column.or(is_name.then_some(NAME)) else {
            let message = match cell.parse::<f64>() {
                Ok(_) => "the table has no names of columns".to_string(),
                Err(_) => {
                    format!("the column `{name}` is not known: the {}. of the table", number + 1)
                }
            };
            return Err(problem(message, KNOWN));
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
                    let help = match all.is_empty() {
                        true => "it has no unit".to_string(),
                        false => format!("its units are {}", all.join(", ")),
                    };
                    return Err(problem(message, &help));
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
        has_masses |= column == 6 && unit.is_some();
        columns.push((column, factor));
    }
    let has = |needed: &usize| columns.iter().any(|(column, _)| column == needed);
    let is_flat = !OF_SPACE.iter().any(has);
    let missing = (0..NEEDED).find(|k| !(has(k) || is_flat && OF_SPACE.contains(k)));
    match missing {
        None => {
            let has_lengths = length.is_some_and(|(_, unit)| unit.is_some());
            Ok(Header { columns, is_flat, has_lengths, has_masses })
        }
        Some(missing) => {
            let all = cells.first().map_or(0, |(span, _)| span.0.start)
                ..cells.last().map_or(0, |(span, _)| span.0.end);
            let message = format!("the boxes have no column `{}`", COLUMNS[missing]);
            Err(source.problem(&Span(all), message).help(KNOWN))
        }
    }
}

/// What a cell says, or why it says nothing, and what it may say.
fn number(cell: &str, column: usize, separator: char) -> std::result::Result<f64, [String; 2]> {
    let name = COLUMNS[column];
    if cell.is_empty() {
        let message = format!("there is no `{name}`: the cell is empty");
        return Err([message, format!("give a number, or leave out the whole column `{name}`")]);
    }
    let plain = if separator == ',' { cell.to_string() } else { cell.replace(',', ".") };
    let found = plain.parse::<f64>().ok().filter(|x| x.is_finite() && x.abs() < 1e30);
    let Some(x) = found else {
        let help = "cells are numbers; a unit stands in the name of its column, as in width_mm";
        return Err([format!("`{cell}` is no `{name}`"), help.into()]);
    };
    let wanted = match column {
        3..=6 if x <= 0.0 => "a positive number",
        7 if x < 0.0 => "0 or a positive number",
        8 if x != 0.0 && x != 1.0 => "0 or 1",
        _ => return Ok(x),
    };
    Err([format!("`{cell}` is no `{name}`"), format!("`{name}` is {wanted}")])
}

/// The boxes on the ground below the lowest; one that is fixed takes its place.
pub fn scene(source: &Source) -> Result<String> {
    let mut lines = lines(&source.text);
    let Some((start, first)) = lines.next() else {
        return Err(Problem::new("the table is empty").in_file(&source.file).help(KNOWN));
    };
    let separator = separator(&source.text);
    let header = header(source, &cells(start, first, separator))?;
    let mut rows: Vec<Row> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for (start, line) in lines {
        let cells = cells(start, line, separator);
        if cells.len() != header.columns.len() {
            let message = format!("{} cells under {} columns", cells.len(), header.columns.len());
            let help = "every line has a cell for each column";
            return Err(source.problem(&Span(start..start + line.len()), message).help(help));
        }
        let mut row = [None; COLUMNS.len()];
        names.push(UNNAMED.into());
        for ((span, cell), &(column, factor)) in cells.iter().zip(&header.columns) {
            if column == NAME {
                names.pop();
                names.push(Some(*cell).filter(|name| !name.is_empty()).unwrap_or(UNNAMED).into());
                continue;
            }
            let found = number(cell, column, separator);
            let x = found.map_err(|[message, help]| source.problem(span, message).help(help))?;
            row[column] = Some(x * factor);
        }
        rows.push(row);
    }
    if rows.is_empty() {
        return Err(Problem::new("the file has no boxes").in_file(&source.file));
    }
    Ok(text(source, &header, &rows, &names))
}

/// What the translation takes for granted.
fn about(header: &Header, is_ground_missing: bool) -> String {
    let mut taken = Vec::new();
    if !header.has_lengths {
        taken.push("lengths are in metres");
    }
    match (header.has(6), header.has_masses) {
        (false, _) => taken.push("all boxes are of density 1"),
        (true, false) => taken.push("masses are in kilograms"),
        _ => {}
    }
    if !header.has(7) {
        taken.push("friction is 0.5");
    }
    taken.push(if header.is_flat {
        "gravity is 9.81 along -y"
    } else {
        "gravity is 9.81 along -z"
    });
    let mut words = format!("Boxes from a table. Taken for granted: {}.", taken.join(", "));
    if is_ground_missing {
        words += " None of them is fixed: level ground under the lowest is taken for granted, as rough as the \
                  roughest box.";
    }
    words
}

fn text(source: &Source, header: &Header, rows: &[Row], names: &[String]) -> String {
    let is_ground_missing = rows.iter().all(|row| row[8] != Some(1.0));
    // Places and sides: columns of each axis.
    let axes: &[[usize; 2]] =
        if header.is_flat { &[[0, 3], [1, 5]] } else { &[[0, 3], [1, 4], [2, 5]] };
    let (dimension, gravity) = match header.is_flat {
        true => (2, "[0, -9.81]"),
        false => (3, "[0, 0, -9.81]"),
    };
    let mut text = format!(
        "{{\n\"name\": {},\n\"about\": {},\n\"method\": \"dynamics\",\n\"dimension\": {dimension},\n\
         \"gravity\": {gravity},\n\"bodies\": [\n",
        name(&source.file),
        quoted(&about(header, is_ground_missing))
    );
    let of = |row: &Row, k: usize| row[k].unwrap_or_default();
    let mut bodies: Vec<String> = Vec::new();
    for (row, name) in rows.iter().zip(names) {
        let at: Vec<f64> = axes.iter().map(|[place, _]| of(row, *place)).collect();
        let size: Vec<f64> = axes.iter().map(|[_, side]| of(row, *side)).collect();
        let mass = row[6].map_or(String::new(), |mass| format!(", \"mass\": {mass:?}"));
        let friction = row[7].map_or(String::new(), |f| format!(", \"friction\": {f:?}"));
        let motion = if row[8] == Some(1.0) { ", \"motion\": \"fixed\"" } else { "" };
        bodies.push(format!(
            "{{ \"group\": {}, \"shape\": {{ \"kind\": \"box\", \"size\": {size:?} }}, \
             \"position\": {at:?}{mass}{friction}{motion} }}",
            quoted(name)
        ));
    }
    if is_ground_missing {
        let end = |[place, side]: [usize; 2], sign: f64| {
            rows.iter()
                .map(move |r| sign * of(r, place) + 0.5 * of(r, side))
                .fold(f64::MIN, f64::max)
        };
        let low: Vec<f64> = axes.iter().map(|axis| -end(*axis, -1.0)).collect();
        let high: Vec<f64> = axes.iter().map(|axis| end(*axis, 1.0)).collect();
        let up = axes.len() - 1;
        let tall = high[up] - low[up];
        let mut size: Vec<f64> = (0..up).map(|k| high[k] - low[k] + 2.0 * GROUND * tall).collect();
        let mut at: Vec<f64> = (0..up).map(|k| 0.5 * (low[k] + high[k])).collect();
        size.push(tall);
        at.push(low[up] - 0.5 * tall);
        // As rough as the roughest box.
        let frictions = rows.iter().filter_map(|row| row[7]);
        let most = frictions.fold(None, |most: Option<f64>, f| Some(most.map_or(f, |m| m.max(f))));
        let friction = most.map_or(String::new(), |f| format!(", \"friction\": {f:?}"));
        bodies.push(format!(
            "{{ \"group\": \"ground\", \"shape\": {{ \"kind\": \"box\", \"size\": {size:?} }}, \
             \"position\": {at:?}, \"motion\": \"fixed\"{friction} }}"
        ));
    }
    let _ = write!(text, "{}\n]\n}}\n", bodies.join(",\n"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String> {
        scene(&Source { file: "a.csv".into(), text: text.into(), ..Source::default() })
    }

    /// The same box, as spreadsheets write it.
    #[test]
    fn cells_are_separated_in_three_ways() {
        let plain = "x,y,z,width,depth,height,friction\n0,0,0.5,1,2,1.5,0.25\n";
        let wanted = read(plain).unwrap();
        assert!(wanted.contains("\"size\": [1.0, 2.0, 1.5]"), "{wanted}");
        for separator in [";", "\t"] {
            let points = plain.replace(',', separator);
            assert_eq!(read(&points).unwrap(), wanted);
            assert_eq!(read(&points.replace('.', ",").replace('\n', "\r\n")).unwrap(), wanted);
        }
        let quoted = plain.replacen("x,y", "\"x\",\"y\"", 1);
        assert_eq!(read(&quoted).unwrap(), wanted);
    }

    /// Boxes are groups by their names; those without one are together.
    #[test]
    fn boxes_have_names() {
        let table = read("name,x,y,z,width,depth,height\ncrate A,0,0,0.5,1,2,1\n,0,0,1.5,1,2,1\n");
        let table = table.unwrap();
        assert!(table.contains("\"group\": \"crate A\"") && table.contains("\"group\": \"boxes\""));
        assert!(read("id,label,x,y,z,width,depth,height\n1,b,0,0,0,1,1,1\n").is_err());
    }

    /// Without z and depth boxes are in the plane, on a ground in the plane.
    #[test]
    fn boxes_may_be_flat() {
        let flat = read("x,y,width,height\n0,0.5,1,1\n1,2.5,1,3\n").unwrap();
        for words in
            ["\"dimension\": 2", "[0, -9.81]", "\"size\": [1.0, 3.0]", "\"position\": [0.5, -2.0]"]
        {
            assert!(flat.contains(words), "{words}: {flat}");
        }
    }

    /// What no column says is said by the translation.
    #[test]
    fn what_is_taken_for_granted_is_told() {
        let bare = read("x,y,z,width,depth,height\n0,0,0,1,1,1\n").unwrap();
        for words in ["in metres", "density 1", "friction is 0.5", "9.81 along -z", "level ground"]
        {
            assert!(bare.contains(words), "{words}");
        }
        let names = "x_mm,y_mm,z_mm,width_mm,depth_mm,height_mm,mass_g,friction,fixed";
        let whole = read(&format!("{names}\n0,0,0,1,1,1,2,0.5,1\n")).unwrap();
        for words in ["in metres", "density 1", "kilograms", "friction is", "level ground"] {
            assert!(!whole.contains(words), "{words}");
        }
        assert!(whole.contains("\"mass\": 0.002"));
    }

    /// Messages name the cell and what it may say.
    #[test]
    fn odd_cells_are_pointed_at() {
        let names = "x,y,z,width,depth,height,friction\n";
        for (cells, message, help, place) in [
            ("0,0,5in,1,1,1,1", "`5in` is no `z`", "in the name of its column", 38..41),
            ("0,0,0,0,1,1,1", "`0` is no `width`", "a positive number", 40..41),
            ("0,0,0,1,1,1,", "the cell is empty", "leave out the whole column", 46..47),
            ("0,0,0,1,1,1,-1", "`-1` is no `friction`", "0 or a positive", 46..48),
            ("0,0,nan,1,1,1,1", "`nan` is no `z`", "cells are numbers", 38..41),
        ] {
            let text = format!("{names}{cells}\n");
            let problem = read(&text).unwrap_err();
            assert!(problem.message.contains(message), "{}", problem.message);
            let told = problem.to_string();
            assert!(told.contains(help), "{told}");
            let found = read_span(&text);
            assert_eq!(found, place, "{cells}");
        }
        for (text, message) in [
            ("", "the table is empty"),
            ("0,0,0,1,1,1\n", "no names of columns"),
            ("x,y,z,length,depth,height\n", "`length` is not known: the 4. of the table"),
            ("x,y,z\n0,0,0\n", "no column `width`"),
            ("x,y,z,width,depth,height\n", "no boxes"),
            ("x,y,z,width,depth,height,friction_kg\n", "`friction` in `kg` is not understood"),
        ] {
            let problem = read(text).unwrap_err();
            assert!(problem.message.contains(message), "{}", problem.message);
            assert!(!problem.to_string().contains("TOML"));
        }
    }

    /// Where the second line's first odd cell is.
    fn read_span(text: &str) -> std::ops::Range<usize> {
        let mut lines = lines(text);
        let (start, first) = lines.next().unwrap();
        let source = Source { file: "a.csv".into(), text: text.into(), ..Source::default() };
        let header = header(&source, &cells(start, first, ',')).unwrap();
        let (start, line) = lines.next().unwrap();
        let found = cells(start, line, ',');
        let odd = found
            .iter()
            .zip(&header.columns)
            .find(|((_, cell), (column, _))| number(cell, *column, ',').is_err());
        odd.unwrap().0.0.0.clone()
    }
}
