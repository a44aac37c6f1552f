//! Bricks of the usual system: their measures, what their studs hold, and what they weigh.

use std::collections::HashMap;
use std::fmt::Write;

use super::super::source::{Source, Span};
use super::{name, quoted};
use crate::problem::Result;

/// From one stud to the next, and the height of a brick, in metres; those of StableLego.
pub const CELL: f64 = 0.0078;
pub const HEIGHT: f64 = 0.0096;

/// The pull that each point of a stud bears, in newtons [StableLego].
pub const PULL: f64 = 0.98;

/// Masses in kilograms by studs, the shorter side first [StableLego].
const MASSES: [([u32; 2], f64); 8] = [
    ([1, 1], 0.00043),
    ([1, 2], 0.00081),
    ([1, 4], 0.00157),
    ([1, 6], 0.00228),
    ([1, 8], 0.00303),
    ([2, 2], 0.00115),
    ([2, 4], 0.00216),
    ([2, 6], 0.00323),
];

/// What is said of masses that are derived.
pub const DERIVED: &str = "Masses of plates and of bricks that StableLego does not list are derived: \
     walls of 1.2 mm, a top of 1 mm, studs and tubes, of 1050 kg/m3. For bricks that it lists that \
     is within 13 per cent.";

/// The mass of a brick or plate of so many thirds of a brick's height, from the volume of its walls,
/// its top, its studs, and the tubes (under a single row of studs: pins) between them.
pub fn derived_mass(studs: [u32; 2], height: u32) -> f64 {
    let (pitch, play, wall, top, density) = (0.008, 0.0002, 0.0012, 0.001, 1050.0);
    let (stud, stud_height, tube, pin) = (0.0024, 0.0017, 0.003255, 0.0016);
    let [x, y] = studs.map(|count| f64::from(count) * pitch - play);
    let z = f64::from(height) * HEIGHT / 3.0;
    let shell = x * y * z - (x - 2.0 * wall) * (y - 2.0 * wall) * (z - top);
    let disc = |radius: f64| std::f64::consts::PI * radius * radius;
    let [one, two] = studs.map(f64::from);
    let bumps = one * two * disc(stud) * stud_height;
    let inside = match studs.contains(&1) {
        true => (one * two - 1.0) * disc(pin),
        false => (one - 1.0) * (two - 1.0) * (disc(tube) - disc(stud)),
    };
    density * (shell + bumps + inside * (z - top))
}

/// What a brick of so many studs weighs, if it is known.
pub fn mass(studs: [u32; 2]) -> Option<f64> {
    let sorted = [studs[0].min(studs[1]), studs[0].max(studs[1])];
    MASSES.iter().find(|(size, _)| *size == sorted).map(|(_, mass)| *mass)
}

/// A brick where it was laid in a structure: its lowest cell, counted in cells and in thirds of a brick's height.
pub struct Laid {
    pub cell: [i64; 3],
    /// Along x and y.
    pub studs: [u32; 2],
    /// In thirds of a brick's.
    pub height: u32,
    pub mass: f64,
    /// Red, green and blue, if the file says so.
    pub colour: Option<u32>,
    /// Where it is written.
    pub span: Span,
}

/// The scene of a structure on a plate at height 0; an answer for what overlaps.
pub fn scene(source: &Source, about: &str, bricks: &[Laid]) -> Result<String> {
    are_apart(source, bricks)?;
    let mut text = format!(
        "{{\n\"name\": {},\n\"about\": {},\n\"method\": \"dynamics\",\n\"gravity\": [0, 0, -9.8],\n",
        name(&source.file),
        quoted(about)
    );
    let _ = writeln!(
        text,
        "\"strengths\": [{{ \"pull\": {PULL}, \"per\": \"point\" }}],\n\"bodies\": ["
    );
    for brick in bricks {
        let _ = writeln!(text, "{},", body("bricks", brick, false));
    }
    let span = |k: usize| {
        let low = bricks.iter().map(|brick| brick.cell[k]).min().unwrap_or(0);
        let high = bricks.iter().map(|brick| brick.cell[k] + i64::from(brick.studs[k])).max();
        (low - 1, (high.unwrap_or(0) - low + 2) as u32)
    };
    let ([(x, columns), (y, rows)], mass) = ([span(0), span(1)], 1.0);
    let studs = [columns, rows];
    let (colour, span) = (None, Span::default());
    let plate = Laid { cell: [x, y, -1], studs, height: 1, mass, colour, span };
    let _ = writeln!(text, "{}\n]\n}}", body("plate", &plate, true));
    Ok(text)
}

fn body(group: &str, brick: &Laid, is_fixed: bool) -> String {
    let middle = |k: usize| (2 * brick.cell[k] + i64::from(brick.studs[k])) as f64 * (0.5 * CELL);
    let z = (2 * brick.cell[2] + i64::from(brick.height)) as f64 * (HEIGHT / 6.0);
    let height = f64::from(brick.height) * HEIGHT / 3.0;
    let [columns, rows] = brick.studs;
    let motion = if is_fixed { ", \"motion\": \"fixed\"" } else { "" };
    let colour = brick.colour.map_or(String::new(), |rgb| format!(", \"colour\": \"#{rgb:06x}\""));
    format!(
        "{{ \"group\": \"{group}\", \"shape\": {{ \"kind\": \"brick\", \"studs\": [{columns}, \
         {rows}], \"cell\": {CELL}, \"height\": {height} }}, \"position\": [{}, {}, {z}], \
         \"mass\": {}{motion}{colour} }}",
        middle(0),
        middle(1),
        brick.mass
    )
}

/// No two bricks in one place.
fn are_apart(source: &Source, bricks: &[Laid]) -> Result<()> {
    let mut taken: HashMap<[i64; 3], usize> = HashMap::new();
    for (number, brick) in bricks.iter().enumerate() {
        let [x, y, z] = brick.cell;
        for dx in 0..i64::from(brick.studs[0]) {
            for dy in 0..i64::from(brick.studs[1]) {
                for dz in 0..i64::from(brick.height) {
                    if let Some(other) = taken.insert([x + dx, y + dy, z + dz], number) {
                        let message = format!(
                            "the bricks {other} and {number} of the file overlap, counted from 0"
                        );
                        let place = [x + dx, y + dy];
                        return Err(source.problem(&brick.span, message).help(format!(
                            "both are in the cell {place:?} of one layer: move or remove one of them"
                        )));
                    }
                }
            }
        }
    }
    Ok(())
}
