//! Structures of studded bricks: the JSON of StableLego, with its library of bricks, and the text
//! of BrickGPT, a line `hxw (x,y,z)` for each brick.

use std::path::Path;

use super::super::source::{Files, Source, Span, into_text};
use super::super::spanned::{Checked, Fault, Node, Value, parse_json};
use super::library::{Laid, mass, scene};
use crate::problem::{Problem, Result};

/// Where the bricks of StableLego are described.
const LIBRARY: &str = "lego_library.json";

/// No more keys than these are told.
const MOST_KEYS: usize = 100;

/// Whether a file is a structure of StableLego: every entry has a `brick_id`.
pub fn is_stable_lego(tree: &Node) -> bool {
    let entries = tree.entries().unwrap_or_default();
    !entries.is_empty() && entries.iter().all(|entry| entry.node.get("brick_id").is_some())
}

pub fn stable_lego(source: &Source, tree: &Node) -> Result<String> {
    let (library_source, library) = library(source)?;
    let mut bricks = Vec::new();
    for entry in tree.entries().map_err(|fault| fault.in_source(source))? {
        let read = placed(&entry.node).map_err(|fault| fault.in_source(source))?;
        let (number, cell, is_turned) = read;
        let Some(kind) = library.get(&number.to_string()) else {
            let message = format!("the brick {number} is not in {}", library_source.file.display());
            let known: Vec<&str> =
                library.entries().unwrap_or_default().iter().map(|e| e.key.as_str()).collect();
            let span = entry.node.get("brick_id").map_or(&entry.node.span, |node| &node.span);
            return Err(source
                .problem(span, message)
                .help(format!("its bricks are {}", known.join(", "))));
        };
        let (mut studs, mass) =
            described(kind).map_err(|fault| fault.in_source(&library_source))?;
        if is_turned {
            studs.reverse();
        }
        bricks.push(Laid {
            cell,
            studs,
            height: 3,
            mass,
            colour: None,
            span: entry.node.span.clone(),
        });
    }
    let entries = tree.entries().map_err(|fault| fault.in_source(source))?;
    let keys: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
    scene(source, &format!("A structure of StableLego. {}", counted(&keys)), &bricks)
}

/// Which brick has which key.
fn counted(keys: &[&str]) -> String {
    let numbers: Option<Vec<u64>> = keys.iter().map(|key| key.parse().ok()).collect();
    let is_plain = numbers.as_ref().is_some_and(|numbers| {
        numbers.iter().enumerate().all(|(k, number)| *number == k as u64 + numbers[0])
    });
    let last = keys.len() - 1;
    if is_plain && last > 0 {
        return format!(
            "Bricks are counted from 0 in its order: 0 has the key \"{}\", {last} the key \"{}\".",
            keys[0], keys[last]
        );
    }
    let named = keys.iter().take(MOST_KEYS).enumerate();
    let named: Vec<String> = named.map(|(k, key)| format!("{k} has \"{key}\"")).collect();
    let more = if keys.len() > MOST_KEYS { ", ..." } else { "" };
    format!("Bricks are counted from 0 in its order, by their keys: {}{more}.", named.join(", "))
}

/// The library beside the file, or in the folder above.
fn library(source: &Source) -> Result<(Source, Node)> {
    let places = [Path::new(LIBRARY).to_path_buf(), Path::new("..").join(LIBRARY)];
    let found = places.iter().find_map(|place| source.files.read(place).ok());
    let Some((file, bytes)) = found else {
        let message =
            format!("the bricks of the file are numbers of a {LIBRARY}, which is not there");
        return Err(Problem::new(message)
            .in_file(&source.file)
            .help("put it beside the file, or in the folder above"));
    };
    let text = into_text(&file, bytes)?;
    let library = Source { file, text, files: Files::default(), ..Source::default() };
    let tree = parse_json(&library.text).map_err(|fault| fault.in_source(&library))?;
    Ok((library, tree))
}

/// The number of a brick's kind, its lowest cell in thirds of a height, and whether it is turned.
fn placed(node: &Node) -> Checked<(u64, [i64; 3], bool)> {
    for entry in node.entries()? {
        if !["x", "y", "z", "brick_id", "ori"].contains(&entry.key.as_str()) {
            return Err(Fault::new(&entry.key_span, format!("a brick has no `{}`", entry.key))
                .help("it has x, y, z, brick_id and ori"));
        }
    }
    let [x, y] = ["x", "y"].map(|key| node.need(key).and_then(whole));
    let height = node.need("z")?.whole()? as i64;
    let ori = node.need("ori")?;
    let is_turned = match ori.whole()? {
        0 => false,
        1 => true,
        other => {
            let message = format!("the orientation {other} is not known");
            return Err(Fault::new(&ori.span, message).help("`ori` is 0 or 1"));
        }
    };
    Ok((node.need("brick_id")?.whole()?, [x?, y?, 3 * height], is_turned))
}

fn whole(node: &Node) -> Checked<i64> {
    match node.value {
        Value::Whole(number) => i64::try_from(number).ok(),
        _ => None,
    }
    .filter(|number| number.abs() < 1_000_000)
    .ok_or_else(|| Fault::new(&node.span, "expected a whole number of cells"))
}

/// The studs along x and y and the mass of a kind of brick.
fn described(node: &Node) -> Checked<([u32; 2], f64)> {
    for entry in node.entries()? {
        if !["height", "width", "mass", "inventory"].contains(&entry.key.as_str()) {
            let message = format!("a brick of the library has no `{}`", entry.key);
            return Err(Fault::new(&entry.key_span, message)
                .help("it has height, width (studs) and mass (in kilograms)"));
        }
    }
    let mut studs = [0; 2];
    for (studs, key) in studs.iter_mut().zip(["height", "width"]) {
        let count = node.need(key)?;
        *studs = match count.whole()? {
            count @ 1..=10_000 => count as u32,
            _ => return Err(Fault::new(&count.span, "expected a number of studs from 1 up")),
        };
    }
    let mass = node.need("mass")?;
    match mass.number()? {
        kilograms if kilograms > 0.0 && kilograms.is_finite() => Ok((studs, kilograms)),
        _ => Err(Fault::new(&mass.span, "a mass is a positive number of kilograms")),
    }
}

/// Whether a text is one of BrickGPT: its first line that is not empty begins with `hxw`.
pub fn is_brick_text(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    let size = first.and_then(|line| line.split([' ', '(']).next());
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    size.and_then(|size| size.split_once('x')).is_some_and(|(h, w)| is_number(h) && is_number(w))
}

/// The text of BrickGPT.
pub fn brick_text(source: &Source) -> Result<String> {
    let mut bricks = Vec::new();
    let mut start = 0;
    for line in source.text.split('\n') {
        let span = Span(start..start + line.len());
        start += line.len() + 1;
        if line.trim().is_empty() {
            continue;
        }
        let Some(([h, w], [x, y, z])) = numbers(line) else {
            return Err(source
                .problem(&span, "this is no brick")
                .help("a line is `hxw (x,y,z)`, such as 2x4 (0,3,1): studs along x and y, then the lowest cell"));
        };
        let Some(mass) = mass([h, w]) else {
            return Err(source
                .problem(&span, format!("the brick {h}x{w} is not known"))
                .help("known are 1x1, 1x2, 1x4, 1x6, 1x8, 2x2, 2x4 and 2x6, either way round"));
        };
        if let Some(odd) = [x, y, z].into_iter().find(|n| !(0..MOST_CELLS).contains(n)) {
            return Err(source
                .problem(&span, format!("{odd} is no cell"))
                .help(format!("x, y and z are whole numbers from 0 to {}", MOST_CELLS - 1)));
        }
        let cell = [x, y, 3 * z];
        bricks.push(Laid { cell, studs: [h, w], height: 3, mass, colour: None, span });
    }
    if bricks.is_empty() {
        return Err(Problem::new("the file has no bricks").in_file(&source.file));
    }
    scene(source, "A structure of bricks, one a line, counted from 0.", &bricks)
}

/// Cells are below this.
const MOST_CELLS: i64 = 1_000_000;

/// `hxw (x,y,z)`.
fn numbers(line: &str) -> Option<([u32; 2], [i64; 3])> {
    let (size, place) = line.trim().split_once(' ')?;
    let (h, w) = size.split_once('x')?;
    let mut place = place.trim().strip_prefix('(')?.strip_suffix(')')?.split(',');
    let mut next = || place.next()?.trim().parse().ok();
    let cell = [next()?, next()?, next()?];
    place.next().is_none().then_some(([h.parse().ok()?, w.parse().ok()?], cell))
}
