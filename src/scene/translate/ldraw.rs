//! Models of LDraw (.ldr) made of common bricks and plates that stand upright. Their y points
//! down, a stud is 20 units from the next, a plate 8 and a brick 24 high; the origin of a part is
//! in the middle of its upper face.

use super::super::source::{Source, Span};
use super::library::{BRICK_STUD, Laid, PLATE_STUD, mass, scene as scene_of};
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
const ABOUT: &str = "A model of LDraw on a plate. Plates and rarer bricks weigh 0.13 and 0.27 g a \
                     stud, roughly: no file says what they weigh.";

/// The parts of a model.
fn parts(source: &Source) -> Result<Vec<Laid>> {
    let mut bricks = Vec::new();
    let mut grid = None;
    let mut start = 0;
    for line in source.text.split('\n') {
        let span = Span(start..start + line.len());
        start += line.len() + 1;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first() {
            None | Some(&"0") => {} // a comment, or a step of the instructions
            Some(&"1") => bricks.push(part(source, &words, span, &mut grid)?),
            Some(_) => {
                return Err(source
                    .problem(&span, "this line draws, and is no part")
                    .help("models are made of lines `1 colour x y z a b c d e f g h i part`"));
            }
        }
    }
    if bricks.is_empty() {
        return Err(Problem::new("the model has no parts").in_file(&source.file));
    }
    Ok(bricks)
}

pub fn scene(source: &Source) -> Result<String> {
    let mut bricks = parts(source)?;
    // What is lowest stands on the plate.
    let lowest = bricks.iter().map(|brick| brick.cell[2]).min().unwrap_or(0);
    bricks.iter_mut().for_each(|brick| brick.cell[2] -= lowest);
    scene_of(source, ABOUT, &bricks)
}

/// A line of type 1.
fn part(source: &Source, words: &[&str], span: Span, grid: &mut Option<[f64; 3]>) -> Result<Laid> {
    let problem = |message: String, help: &str| source.problem(&span, message).help(help);
    let number = |k: usize| words.get(k).and_then(|word| word.parse::<f64>().ok());
    let numbers: Option<Vec<f64>> = (2..14).map(number).collect();
    let (Some(numbers), Some(file)) = (numbers, words.get(14)) else {
        let help = "write `1 colour x y z a b c d e f g h i part`";
        return Err(problem("this line is no part".into(), help));
    };
    let name = file.to_ascii_lowercase();
    let name = name.strip_suffix(".dat").unwrap_or(&name);
    let known = |parts: &[(&str, [u32; 2])]| {
        parts.iter().find(|(part, _)| *part == name).map(|(_, studs)| *studs)
    };
    let (own, height) = match (known(&BRICKS), known(&PLATES)) {
        (Some(studs), _) => (studs, 3),
        (_, Some(studs)) => (studs, 1),
        _ => {
            let message = format!("the part {file} is not known");
            let all: Vec<&str> = BRICKS.iter().chain(&PLATES).map(|(part, _)| *part).collect();
            return Err(problem(message, &format!("known are the numbers {}", all.join(", "))));
        }
    };
    let weight = f64::from(own[0] * own[1]);
    let mass = match height {
        3 => mass(own).unwrap_or(BRICK_STUD * weight),
        _ => PLATE_STUD * weight,
    };
    // Rows of the matrix: x' = a x + b y + c z, ..., z' = g x + h y + i z.
    let turn: Vec<f64> = numbers[3..].to_vec();
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
    let bottom = -numbers[1] / PLATE - f64::from(height);
    let places = [low(numbers[0], studs[0]), low(numbers[2], studs[1]), bottom];
    // The first part says where the grid is.
    let grid = *grid.get_or_insert_with(|| places.map(|x| x - x.floor()));
    let places = [0, 1, 2].map(|k| places[k] - grid[k]);
    let off = |x: &f64| (x - x.round()).abs() * PLATE > OFF;
    if places.iter().any(off) {
        let help = "studs are 20 units apart, plates 8 units high";
        return Err(problem(format!("the part {file} is off the grid of studs"), help));
    }
    Ok(Laid { cell: places.map(|x| x.round() as i64), studs, height, mass, span })
}
