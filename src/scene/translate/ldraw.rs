//! Models of LDraw (.ldr, and .mpd with submodels) made of common bricks and plates that stand upright. Their y points
//! down, a stud is 20 units from the next, a plate 8 and a brick 24 high; the origin of a part is
//! in the middle of its upper face.

use std::collections::BTreeSet;

use super::super::source::{Source, Span};
use super::library::{DERIVED, Laid, derived_mass, mass, scene as scene_of};
use crate::math::{DMat3, DVec3};
use crate::problem::{Problem, Result};

/// Parts by their numbers: studs along the part's x and z.
const BRICKS: [(&str, [u32; 2]); 11] = [
    ("3005", [1, 1]),
    ("3004", [2, 1]),
    ("3622", [3, 1]),
    ("3010", [4, 1]),
    ("3009", [6, 1]),
    ("3008", [8, 1]),
    ("3003", [2, 2]),
    ("3002", [3, 2]),
    ("3001", [4, 2]),
    ("2456", [6, 2]),
    ("3007", [8, 2]),
];
const PLATES: [(&str, [u32; 2]); 17] = [
    ("3024", [1, 1]),
    ("3023", [2, 1]),
    ("3623", [3, 1]),
    ("3710", [4, 1]),
    ("3666", [6, 1]),
    ("3460", [8, 1]),
    ("3022", [2, 2]),
    ("3021", [3, 2]),
    ("3020", [4, 2]),
    ("3795", [6, 2]),
    ("3034", [8, 2]),
    ("3832", [10, 2]),
    ("3031", [4, 4]),
    ("3032", [6, 4]),
    ("3035", [8, 4]),
    ("3958", [6, 6]),
    ("3036", [8, 6]),
];

/// Units between studs, and in a plate's height.
const STUD: f64 = 20.0;
const PLATE: f64 = 8.0;

/// Parts off the grid by more than this many units were meant to be off it.
const OFF: f64 = 0.1;

/// What the translation takes for granted.
const ABOUT: &str = "A model of LDraw on a plate; parts are counted from 0.";

/// More parts than this are not read: submodels of submodels multiply.
const MOST_PARTS: usize = 100_000;

/// Submodels contain each other no deeper.
const DEEPEST: usize = 40;

/// The lines of a model, or of a submodel of a file of several (.mpd).
struct Submodel<'a> {
    name: String,
    lines: Vec<(Span, Vec<&'a str>)>,
}

/// Where a part or a submodel is: turned, then moved.
#[derive(Clone, Copy)]
struct Placed {
    turn: DMat3,
    at: DVec3,
}

impl Placed {
    /// What a line of type 1 says, seen from where the line's own model is.
    fn then(self, own: Placed) -> Placed {
        Placed { turn: self.turn * own.turn, at: self.turn * own.at + self.at }
    }
}

/// Names of submodels and parts do not differ by their letters' case.
fn known_as(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace('\\', "/")
}

/// Whether the first line that says something is one of the kinds of LDraw, 0 to 5.
pub fn is_ldraw(text: &str) -> bool {
    let first = text.lines().find_map(|line| line.split_whitespace().next());
    first.is_some_and(|kind| ["0", "1", "2", "3", "4", "5"].contains(&kind))
}

/// The models of a file: the first one is what is meant, the others are its parts.
fn submodels(source: &Source) -> Vec<Submodel<'_>> {
    let mut models = vec![Submodel { name: String::new(), lines: Vec::new() }];
    let (mut start, mut is_over) = (0, false);
    for line in source.text.split('\n') {
        let span = Span(start..start + line.len());
        start += line.len() + 1;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["0", "FILE", ..] => {
                let name = line.split_once("FILE").map_or("", |(_, name)| name);
                models.push(Submodel { name: known_as(name), lines: Vec::new() });
                is_over = false;
            }
            ["0", "NOFILE"] => is_over = true,
            [] | ["0", ..] => {} // a comment, or a step of the instructions
            _ if is_over => {}   // data of other programs
            _ => models.last_mut().expect("there is one").lines.push((span, words)),
        }
    }
    // What stands before the first `0 FILE` is a model of its own only if it has parts.
    if models.len() > 1 && models[0].lines.is_empty() {
        models.remove(0);
    }
    models
}

/// The parts of a file, in the order of its lines.
struct Reading<'a> {
    source: &'a Source,
    models: Vec<Submodel<'a>>,
    bricks: Vec<Laid>,
    grid: Option<[f64; 3]>,
    guessed: bool,
    /// Colours that are not known.
    odd: BTreeSet<String>,
}

/// Usual colours by their numbers, as LDraw's own list has them.
const COLOURS: [(u32, u32); 44] = [
    (0, 0x1b2a34),
    (1, 0x1e5aa8),
    (2, 0x00852b),
    (3, 0x069d9f),
    (4, 0xb40000),
    (5, 0xd3359d),
    (6, 0x543324),
    (7, 0x8a928d),
    (8, 0x545955),
    (9, 0x97cbd9),
    (10, 0x58ab41),
    (11, 0x00aaa4),
    (12, 0xf06d61),
    (13, 0xf6a9bb),
    (14, 0xfac80a),
    (15, 0xf4f4f4),
    (17, 0xadd9a8),
    (18, 0xffd67f),
    (19, 0xd7ba8c),
    (20, 0xafbed6),
    (22, 0x671f81),
    (23, 0x0e3e9a),
    (25, 0xd67923),
    (26, 0x901f76),
    (27, 0xa5ca18),
    (28, 0x897d62),
    (29, 0xff9ecd),
    (70, 0x5f3109),
    (71, 0x969696),
    (72, 0x646464),
    (73, 0x7396c8),
    (74, 0x7fc475),
    (77, 0xfeccb0),
    (85, 0x441a91),
    (191, 0xfcac00),
    (226, 0xffec6c),
    (272, 0x19325a),
    (288, 0x00451a),
    (308, 0x352100),
    (320, 0x720012),
    (321, 0x469bc3),
    (322, 0x68c3e2),
    (326, 0xe2f99a),
    (484, 0x91501c),
];

/// The number of the colour of what a part belongs to.
const MAIN: u32 = 16;

impl Reading<'_> {
    /// The colour that a number means within something of a main colour; what is not known is noted.
    fn colour(&mut self, word: &str, main: Option<u32>) -> Option<u32> {
        if let Some(number) = word.strip_prefix("0x2").filter(|digits| digits.len() == 6) {
            return u32::from_str_radix(number, 16).ok();
        }
        let number: Option<u32> = word.parse().ok();
        let known = COLOURS.iter().find(|(known, _)| Some(*known) == number);
        match known {
            Some((_, rgb)) => Some(*rgb),
            None if number == Some(MAIN) => main,
            None => {
                self.odd.insert(word.into());
                None
            }
        }
    }

    /// Adds the parts of a model that is placed so; says whether it was meant by something.
    fn add(&mut self, model: usize, placed: Placed, main: Option<u32>, depth: usize) -> Result<()> {
        for line in 0..self.models[model].lines.len() {
            let (span, words) = self.models[model].lines[line].clone();
            let problem = |message: &str, help: &str| {
                Err(self.source.problem(&span, message.to_string()).help(help))
            };
            if words[0] != "1" {
                let help = "models are made of lines `1 colour x y z a b c d e f g h i part`";
                return problem("this line draws, and is no part", help);
            }
            if self.bricks.len() >= MOST_PARTS {
                return problem("the model has more than 100000 parts", "ask for a part of it");
            }
            let number = |k: usize| words.get(k).and_then(|word| word.parse::<f64>().ok());
            let numbers: Option<Vec<f64>> = (2..14).map(number).collect();
            let (Some(n), true) = (numbers, words.len() > 14) else {
                let help = "write `1 colour x y z a b c d e f g h i part`";
                return problem("this line is no part", help);
            };
            // Rows of the matrix: x' = a x + b y + c z, ..., z' = g x + h y + i z.
            let turn = DMat3::from_cols_slice(&n[3..12]).transpose();
            let here = placed.then(Placed { turn, at: DVec3::new(n[0], n[1], n[2]) });
            let name = known_as(&words[14..].join(" "));
            match self.models.iter().position(|model| model.name == name) {
                Some(_) if depth == DEEPEST => {
                    let help = "a submodel must not contain itself";
                    return problem("submodels contain each other too deeply", help);
                }
                Some(inner) => {
                    let own = self.colour(words[1], main);
                    self.add(inner, here, own, depth + 1)?;
                }
                None => {
                    let (brick, is_guessed) = part(self.source, &name, here, span, &mut self.grid)?;
                    self.guessed |= is_guessed;
                    let colour = self.colour(words[1], main);
                    self.bricks.push(Laid { colour, ..brick });
                }
            }
        }
        Ok(())
    }
}

/// The parts of a file.
fn read(source: &Source) -> Result<Reading<'_>> {
    let (models, bricks) = (submodels(source), Vec::new());
    let odd = BTreeSet::new();
    let mut reading = Reading { source, models, bricks, grid: None, guessed: false, odd };
    reading.add(0, Placed { turn: DMat3::IDENTITY, at: DVec3::ZERO }, None, 0)?;
    Ok(reading)
}

pub fn scene(source: &Source) -> Result<String> {
    let Reading { mut bricks, guessed, odd, .. } = read(source)?;
    if bricks.is_empty() {
        return Err(Problem::new("the model has no parts").in_file(&source.file));
    }
    // What is lowest stands on the plate.
    let lowest = bricks.iter().map(|brick| brick.cell[2]).min().unwrap_or(0);
    bricks.iter_mut().for_each(|brick| brick.cell[2] -= lowest);
    let mut about = if guessed { format!("{ABOUT} {DERIVED}") } else { ABOUT.to_string() };
    if !odd.is_empty() {
        let names: Vec<String> = odd.into_iter().collect();
        about += &format!(" Colours that are not known, and so not drawn: {}.", names.join(", "));
    }
    scene_of(source, &about, &bricks)
}

/// A part where it is placed, and whether its mass is derived.
fn part(
    source: &Source,
    file: &str,
    placed: Placed,
    span: Span,
    grid: &mut Option<[f64; 3]>,
) -> Result<(Laid, bool)> {
    let problem = |message: String, help: &str| source.problem(&span, message).help(help);
    let name = file.strip_suffix(".dat").unwrap_or(file);
    let known = |parts: &[(&str, [u32; 2])]| {
        parts.iter().find(|(part, _)| *part == name).map(|(_, studs)| *studs)
    };
    let (own, height) = match (known(&BRICKS), known(&PLATES)) {
        (Some(studs), _) => (studs, 3),
        (_, Some(studs)) => (studs, 1),
        _ if file.ends_with(".ldr") || file.ends_with(".mpd") => {
            let message = format!("the submodel {file} is not in the file");
            let help =
                "save the model with its submodels as one .mpd, each after a line `0 FILE name`";
            return Err(problem(message, help));
        }
        _ => {
            let message = format!("the part {file} is not known");
            let all: Vec<&str> = BRICKS.iter().chain(&PLATES).map(|(part, _)| *part).collect();
            return Err(problem(
                message,
                &format!("known are the bricks and plates {}", all.join(", ")),
            ));
        }
    };
    let told = mass(own).filter(|_| height == 3);
    let turn = placed.turn.transpose().to_cols_array();
    let near = |k: usize, wanted: f64| (turn[k] - wanted).abs() < 1e-3;
    let is_upright = [1, 3, 5, 7].iter().all(|&k| near(k, 0.0)) && near(4, 1.0);
    let along =
        near(0, turn[0].signum()) && near(8, turn[0].signum()) && near(2, 0.0) && near(6, 0.0);
    let across =
        near(2, turn[2].signum()) && near(6, -turn[2].signum()) && near(0, 0.0) && near(8, 0.0);
    if !is_upright || !(along || across) {
        let help = "parts stand upright, turned by 0, 90, 180 or 270 degrees";
        return Err(problem(format!("the part {file} is tilted, mirrored or turned"), help));
    }
    let studs = if along { own } else { [own[1], own[0]] };
    let low = |middle: f64, count: u32| middle / STUD - 0.5 * f64::from(count);
    let bottom = -placed.at.y / PLATE - f64::from(height);
    let places = [low(placed.at.x, studs[0]), low(placed.at.z, studs[1]), bottom];
    if places.iter().any(|x| x.is_nan() || x.abs() > 1e6) {
        let help = "no part is farther than a million studs from the origin";
        return Err(problem(format!("the part {file} is too far away"), help));
    }
    // The first part says where the grid is.
    let grid = *grid.get_or_insert_with(|| places.map(|x| x - x.floor()));
    let places = [0, 1, 2].map(|k| places[k] - grid[k]);
    let off = |x: &f64| (x - x.round()).abs() * PLATE > OFF;
    if places.iter().any(off) {
        let help = "studs are 20 units apart, plates 8 units high";
        return Err(problem(format!("the part {file} is off the grid of studs"), help));
    }
    let mass = told.unwrap_or_else(|| derived_mass(own, height));
    let cell = places.map(|x| x.round() as i64);
    Ok((Laid { cell, studs, height, mass, colour: None, span }, told.is_none()))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn bricks_of(text: &str) -> Result<Vec<Laid>> {
        let source =
            Source { file: PathBuf::from("a.mpd"), text: text.into(), ..Source::default() };
        Ok(read(&source)?.bricks)
    }

    /// A pair of bricks as a submodel, once as it is, once turned by 90 degrees and lifted.
    #[test]
    fn submodels_are_placed() {
        let text = "0 FILE main.ldr\n1 4 0 0 0 1 0 0 0 1 0 0 0 1 My Pair.ldr\n\
                    1 4 100 -48 0 0 0 1 0 1 0 -1 0 0 MY PAIR.ldr\n0 NOFILE\nrubbish\n\
                    0 FILE my pair.ldr\n1 4 20 0 0 1 0 0 0 1 0 0 0 1 3001.dat\n\
                    1 4 20 -24 40 1 0 0 0 1 0 0 0 1 3001.dat\n0 a comment\n";
        let bricks = bricks_of(text).unwrap();
        let found: Vec<_> = bricks.iter().map(|b| (b.cell, b.studs)).collect();
        // The turn takes x to -z and z to x: (20, 40) goes to (40, -20).
        let wanted = [
            ([-1, -1, -3], [4, 2]),
            ([-1, 1, 0], [4, 2]),
            ([4, -3, 3], [2, 4]),
            ([6, -3, 6], [2, 4]),
        ];
        assert_eq!(found, wanted);
        let text = "0 FILE a\n1 4 0 0 0 1 0 0 0 1 0 0 0 1 a\n";
        let problem = bricks_of(text).err().unwrap();
        assert!(problem.message.contains("too deeply"), "{}", problem.message);
    }

    /// Numbers of the list, numbers that are colours themselves, and the main colour of a submodel.
    #[test]
    fn parts_have_their_colours() {
        let place = |x: i32| format!("{x} 0 0 1 0 0 0 1 0 0 0 1");
        let text = format!(
            "0 FILE main.ldr\n1 4 {} 3001.dat\n1 0x21A2B3C {} 3001.dat\n1 14 {} pair.ldr\n\
             1 999 {} 3001.dat\n1 16 {} 3001.dat\n\
             0 FILE pair.ldr\n1 16 {} 3001.dat\n1 1 {} 3001.dat\n",
            place(0),
            place(80),
            place(160),
            place(320),
            place(400),
            place(0),
            place(80)
        );
        let colours: Vec<_> = bricks_of(&text).unwrap().iter().map(|b| b.colour).collect();
        let wanted = [Some(0xb40000), Some(0x1a2b3c), Some(0xfac80a), Some(0x1e5aa8), None, None];
        assert_eq!(colours, wanted);
        let source = Source { file: "a.ldr".into(), text, ..Source::default() };
        let scene = scene(&source).unwrap();
        assert!(scene.contains("not drawn: 999.") && scene.contains("\"#b40000\""), "{scene}");
    }

    /// Walls, top, studs and tubes weigh what bricks of the table weigh, nearly.
    #[test]
    fn derived_masses_are_near_those_of_the_table() {
        for (_, studs) in BRICKS {
            let Some(told) = mass(studs) else { continue };
            let part = derived_mass(studs, 3) / told;
            assert!((part - 1.0).abs() < 0.13, "{studs:?}: {part}");
        }
    }
}
