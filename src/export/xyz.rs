//! Extended XYZ, as OVITO, ASE and others read it: one block per frame, with
//! columns for the group, position, radius, mass and number of each body, its
//! orientation where bodies are turned, and its velocity where there is any.
//! The format knows spheres only: of other bodies the radius is that of the
//! sphere around them, and the comment says so.

use std::fmt::Write;

use super::{digits, one_word};
use crate::math::{DQuat, DVec3};
use crate::trajectory::Frame;
use crate::world::Model;

/// The block of one frame.
pub(super) fn block(model: &Model, time: Option<f64>, frame: &Frame) -> String {
    let types: Vec<String> = model.groups.iter().map(|group| one_word(group)).collect();
    let state = &frame.state;
    let (turned, moving) = columns(model, frame);
    let here: Vec<usize> = (0..model.bodies.len()).filter(|&i| !model.is_gone(i)).collect();
    let mut text = format!("{}\n{}\n", here.len(), comment(model, time, frame));
    for id in here {
        let body = &model.bodies[id];
        let group = types.get(body.group as usize).map_or("X", |word| word);
        let mut numbers = state.positions[id].to_array().to_vec();
        numbers.extend([body.radius, body.mass]);
        if turned {
            // OVITO's order: x, y, z, w.
            numbers.extend(state.rotations[id].to_array());
        }
        if moving {
            numbers.extend(state.velocities[id].to_array());
        }
        let numbers: Vec<String> = numbers.into_iter().map(digits).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{group} {} {id}", numbers.join(" "));
    }
    text
}

/// Whether there are columns for orientations and for velocities.
fn columns(model: &Model, frame: &Frame) -> (bool, bool) {
    let moving = model.method.time().is_some();
    (moving || frame.state.rotations.iter().any(|turn| *turn != DQuat::IDENTITY), moving)
}

/// The line that names the columns and what else is known of the frame.
fn comment(model: &Model, time: Option<f64>, frame: &Frame) -> String {
    let mut text = String::new();
    // A flat box is no cell to most programs, and an open scene has none.
    if model.dimension == 3 && !model.boundary.faces().is_empty() {
        let bounds = model.boundary.bounds();
        let vector = |v: DVec3| v.to_array().map(digits).join(" ");
        let size = bounds.max - bounds.min;
        let cell = [size * DVec3::X, size * DVec3::Y, size * DVec3::Z].map(vector).join(" ");
        text = format!("Lattice=\"{cell}\" Origin=\"{}\" pbc=\"F F F\" ", vector(bounds.min));
    }
    // Groups are no `species`, which would have to be chemical elements for ASE.
    text += "Properties=type:S:1:pos:R:3:radius:R:1:mass:R:1";
    let (turned, moving) = columns(model, frame);
    if turned {
        text += ":orientation:R:4";
    }
    if moving {
        text += ":velo:R:3";
    }
    text += &format!(
        ":id:I:1 Time={} step={} energy={}",
        time.map_or(frame.step.to_string(), digits),
        frame.step,
        digits(frame.energy)
    );
    if model.has_solids() {
        text += " note=\"radius is that of the sphere around the body\"";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Boundary;
    use crate::trajectory::samples;

    #[test]
    fn blocks_parse_back_to_the_same_bits() {
        let (model, mut frame) = (samples::model(3), samples::frame(7, 3));
        frame.state.positions[1] = DVec3::new(-0.0, f64::MIN_POSITIVE / 3.0, 0.1 + 0.2);
        let text = block(&model, None, &frame);
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("3"));
        assert!(lines.next().unwrap().contains(" Time=7 step=7 energy="));
        for (id, line) in lines.enumerate() {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(
                (words[0], words[6]),
                (["glass_beads", "steel"][id % 2], id.to_string().as_str())
            );
            let bits: Vec<u64> =
                words[1..6].iter().map(|n| n.parse::<f64>().unwrap().to_bits()).collect();
            let DVec3 { x, y, z } = frame.state.positions[id];
            let body = &model.bodies[id];
            assert_eq!(bits, [x, y, z, body.radius, body.mass].map(f64::to_bits));
        }
    }

    #[test]
    fn the_comment_names_columns_and_cell() {
        let mut model = samples::model(1);
        let mut frame = samples::frame(0, 1);
        frame.energy = 0.5;
        let flat = "Properties=type:S:1:pos:R:3:radius:R:1:mass:R:1:id:I:1 Time=0 step=0 energy=5.0000000000000000e-1";
        let text = comment(&model, None, &frame);
        let numbers = |key: &str| {
            let (_, rest) = text.split_once(&format!("{key}=\"")).unwrap();
            let (list, _) = rest.split_once('"').unwrap();
            list.split(' ').map(|n| n.parse().unwrap()).collect::<Vec<f64>>()
        };
        assert_eq!(numbers("Lattice"), [4.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 12.1]);
        assert_eq!(numbers("Origin"), [-2.0, -2.0, -0.1]);
        assert!(text.ends_with(&format!("pbc=\"F F F\" {flat}")), "{text}");

        model.dimension = 2;
        model.boundary = Boundary::from_polygon(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
        assert_eq!(comment(&model, None, &frame), flat);
    }
}
