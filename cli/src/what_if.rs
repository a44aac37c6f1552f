//! `riprap stable`: what if the ground tilts, brakes or shakes, and what falls then.

use std::fmt::Write;

use riprap::math::DVec3;
use riprap::step::stable::bricks::Held;
use riprap::step::stable::{Balance, Stage, Statics, Tilt, Tolerance};
use riprap::world::{Model, State};
use riprap::{Problem, Result};
use serde_json::{Value, json};

use crate::bricks::word;
use crate::verdict::called;

/// Directions in which bodies are tried.
const DIRECTIONS: usize = 8;

/// A body falls if it begins to move with more than this part of gravity.
const MOVES: f64 = 1e-3;

/// Directions are opposite up to this: those of the compass are sixteenths of a turn apart.
const OPPOSITE: f64 = 1e-6;

/// What falls if the ground accelerates.
pub(crate) struct Falls {
    /// In units of gravity.
    pub acceleration: DVec3,
    pub balance: Balance,
    /// The bodies that begin to move, as seen from the ground.
    pub bodies: Vec<usize>,
}

/// What falls if the ground accelerates by so many times gravity, in eight directions (in 2D: two).
pub(crate) fn falls(
    model: &Model,
    state: &State,
    tolerance: Tolerance,
    sizes: &[f64],
) -> Result<Vec<Falls>> {
    let gravity = model.gravity.length();
    shaken(model, sizes, |acceleration| {
        let mut model = model.clone();
        model.gravity -= acceleration * gravity;
        Ok(Statics::within(&model, state, tolerance)?.first_fall())
    })
}

/// What falls, if it is known for one acceleration.
pub(crate) fn shaken(
    model: &Model,
    sizes: &[f64],
    fall: impl Fn(DVec3) -> Result<(Balance, Vec<(DVec3, DVec3)>)>,
) -> Result<Vec<Falls>> {
    if sizes.iter().any(|size| !(size.is_finite() && *size >= 0.0)) {
        return Err(Problem::new("--falls takes parts of gravity, as in 0.3,0.5"));
    }
    let gravity = model.gravity.length();
    let mut found = Vec::new();
    for size in sizes {
        for direction in directions(model) {
            let acceleration = direction * *size;
            let (balance, accelerations) = fall(acceleration)?;
            let moves = |i: &usize| {
                let (shift, turn) = accelerations[*i];
                shift.length().max(turn.length() * model.bodies[*i].radius) > MOVES * gravity
            };
            let bodies = match balance {
                Balance::Balanced => Vec::new(),
                _ => model.free().filter(moves).collect(),
            };
            found.push(Falls { acceleration, balance, bodies });
        }
    }
    Ok(found)
}

/// Level directions around the compass.
fn directions(model: &Model) -> Vec<DVec3> {
    let down = model.gravity.normalize_or_zero();
    if model.dimension == 2 {
        let across = DVec3::new(-down.y, down.x, 0.0);
        return vec![across, -across];
    }
    let one = if down.x.abs() < 0.9 { DVec3::X } else { DVec3::Y };
    let one = (one - down * down.dot(one)).normalize();
    let two = one.cross(down);
    // Quarter turns exactly: the sine of half a circle is not zero in floating point.
    let angle = |k: usize| match 4 * k % DIRECTIONS {
        0 => [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][4 * k / DIRECTIONS],
        _ => (k as f64 * std::f64::consts::TAU / DIRECTIONS as f64).sin_cos(),
    };
    (0..DIRECTIONS).map(|k| one * angle(k).1 - two * angle(k).0).collect()
}

/// What is told with two digits: nothing is less than nothing.
pub(crate) fn plain(v: DVec3) -> DVec3 {
    let plain = |x: f64| if x.abs() < 0.005 { 0.0 } else { x };
    DVec3::new(plain(v.x), plain(v.y), plain(v.z))
}

pub(crate) fn falls_json(falls: &[Falls]) -> Value {
    let one = |fall: &Falls| {
        json!({
            "acceleration": fall.acceleration.to_array(),
            "verdict": word(fall.balance),
            "bodies": fall.bodies,
        })
    };
    falls.iter().map(one).collect()
}

/// As a table: a line for every acceleration.
pub(crate) fn falls_in_words(model: &Model, falls: &[Falls]) -> Vec<String> {
    let mut lines = Vec::new();
    for fall in falls {
        let a = plain(fall.acceleration);
        let mut line = format!("ground at ({:5.2}, {:5.2}, {:5.2}) g: ", a.x, a.y, a.z);
        let names: Vec<String> = fall.bodies.iter().map(|&body| called(model, body)).collect();
        let _ = match fall.balance {
            Balance::Balanced => write!(line, "balanced."),
            Balance::Undecided(_) => write!(line, "undecided."),
            // By a hair: what is missing is less than any acceleration that counts.
            Balance::Unbalanced if names.is_empty() => {
                write!(line, "not balanced; no body begins to move with more than {MOVES} g.")
            }
            Balance::Unbalanced => {
                let (noun, verb) = match names.len() {
                    1 => ("body", "begins"),
                    _ => ("bodies", "begin"),
                };
                write!(line, "{noun} {} {verb} to move.", names.join(", "))
            }
        };
        lines.push(line);
    }
    lines
}

/// Whether no tilt takes the balance: no acceleration of the ground does, then.
pub(crate) fn is_upright(tilt: &Tilt) -> bool {
    tilt.angle > std::f64::consts::FRAC_PI_2 * (1.0 - 1e-9)
}

/// Tilts and accelerations at which balance is lost, in one table. What holds by its strength bears other
/// accelerations than tilts: those that push towards each direction.
pub(crate) fn table(tilts: &[Tilt], borne: &[f64]) -> Vec<String> {
    // Ground that accelerates one way pushes bodies the other way, as a tilt to that side does.
    let pushed = |t: DVec3| {
        let other = tilts.iter().position(|other| other.towards.dot(t) < -1.0 + OPPOSITE)?;
        Some(match borne.get(other) {
            Some(most) => *most,
            None if is_upright(&tilts[other]) => f64::INFINITY,
            None => tilts[other].angle.tan(),
        })
    };
    let head = "  towards              down to, degrees   ground accelerates to, g";
    let mut lines = vec![head.to_string()];
    for tilt in tilts {
        let most = match pushed(tilt.towards) {
            Some(most) if most.is_infinite() => "any".into(),
            Some(most) => format!("{most:.4}"),
            None => "-".into(),
        };
        let t = plain(tilt.towards);
        lines.push(format!(
            "  ({:5.2}, {:5.2}, {:5.2})   {:16.3}   {most:>24}",
            t.x,
            t.y,
            t.z,
            tilt.angle.to_degrees(),
        ));
    }
    lines
}

/// The least friction, as a line of the table.
pub(crate) fn friction_in_words(friction: Option<f64>) -> String {
    match friction {
        Some(least) => format!("  the least friction, the same everywhere: {least:.4}"),
        None => "  no friction would balance it".into(),
    }
}

pub(crate) fn stages_json(stages: &[Stage]) -> Value {
    let one = |stage: &Stage| {
        let hold = match stage.held {
            Held::Nothing => json!(null),
            Held::Brick(body) => json!(body),
            Held::MoreThanOne => json!("more than one"),
        };
        json!({ "body": stage.body, "verdict": word(stage.balance), "hold": hold })
    };
    stages.iter().map(one).collect()
}

pub(crate) fn stages_in_words(model: &Model, stages: &[Stage]) -> Vec<String> {
    let needed = stages.iter().filter(|stage| stage.held != Held::Nothing);
    let mut lines: Vec<String> = needed
        .map(|stage| match stage.held {
            Held::Brick(held) if held == stage.body => {
                format!("body {}: it must be held itself.", called(model, stage.body as usize))
            }
            Held::Brick(held) => {
                let [body, held] = [stage.body, held].map(|body| called(model, body as usize));
                format!("body {body}: hold body {held}.")
            }
            _ => {
                let body = called(model, stage.body as usize);
                format!("body {body}: more than one body must be held.")
            }
        })
        .collect();
    lines.insert(
        0,
        match lines.len() {
            0 => format!("all {} steps stand by themselves.", stages.len()),
            count => format!("{count} of {} steps need a hand:", stages.len()),
        },
    );
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_falls_in_words() {
        let told = |bodies: &[usize]| {
            let balance = Balance::Unbalanced;
            let fall = Falls { acceleration: DVec3::X * 0.5, balance, bodies: bodies.to_vec() };
            falls_in_words(&Model::new(3, DVec3::NEG_Z), &[fall]).concat()
        };
        assert!(told(&[3]).ends_with("body 3 begins to move."));
        assert!(told(&[3, 4]).ends_with("bodies 3, 4 begin to move."));
        assert!(
            told(&[]).ends_with("not balanced; no body begins to move with more than 0.001 g.")
        );
    }
}
