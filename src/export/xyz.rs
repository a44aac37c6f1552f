//! Extended XYZ, as OVITO, ASE and others read it: one block per frame, with
//! columns for the group, position, radius and number of each body.

use std::fmt::Write;

use super::{digits, one_word};
use crate::math::DVec3;
use crate::trajectory::Frame;
use crate::world::Model;

/// The block of one frame.
pub(super) fn block(model: &Model, frame: &Frame) -> String {
    let types: Vec<String> = model.groups.iter().map(|group| one_word(group)).collect();
    let mut text = format!("{}\n{}\n", frame.positions.len(), comment(model, frame));
    for (id, (position, body)) in frame.positions.iter().zip(&model.bodies).enumerate() {
        let group = types.get(body.group as usize).map_or("X", |word| word);
        let [x, y, z] = position.to_array().map(digits);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{group} {x} {y} {z} {} {id}", digits(body.radius));
    }
    text
}

/// The line that names the columns and what else is known of the frame.
fn comment(model: &Model, frame: &Frame) -> String {
    let mut text = String::new();
    // A flat box is no cell to most programs, so that 2D scenes go without.
    if model.dimension == 3 {
        let bounds = model.boundary.bounds();
        let vector = |v: DVec3| v.to_array().map(digits).join(" ");
        let size = bounds.max - bounds.min;
        let cell = [size * DVec3::X, size * DVec3::Y, size * DVec3::Z].map(vector).join(" ");
        text = format!("Lattice=\"{cell}\" Origin=\"{}\" pbc=\"F F F\" ", vector(bounds.min));
    }
    // Groups are no `species`, which would have to be chemical elements for ASE.
    text += "Properties=type:S:1:pos:R:3:radius:R:1:id:I:1";
    text + &format!(" Time={} step={0} energy={}", frame.step, digits(frame.energy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Boundary;
    use crate::trajectory::samples;

    #[test]
    fn blocks_parse_back_to_the_same_bits() {
        let (model, mut frame) = (samples::model(3), samples::frame(7, 3));
        frame.positions[1] = DVec3::new(-0.0, f64::MIN_POSITIVE / 3.0, 0.1 + 0.2);
        let text = block(&model, &frame);
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("3"));
        assert!(lines.next().unwrap().contains(" Time=7 step=7 energy="));
        for (id, line) in lines.enumerate() {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(
                (words[0], words[5]),
                (["glass_beads", "steel"][id % 2], id.to_string().as_str())
            );
            let bits: Vec<u64> =
                words[1..5].iter().map(|n| n.parse::<f64>().unwrap().to_bits()).collect();
            let DVec3 { x, y, z } = frame.positions[id];
            assert_eq!(bits, [x, y, z, model.bodies[id].radius].map(f64::to_bits));
        }
    }

    #[test]
    fn the_comment_names_columns_and_cell() {
        let mut model = samples::model(1);
        let mut frame = samples::frame(0, 1);
        frame.energy = 0.5;
        let flat = "Properties=type:S:1:pos:R:3:radius:R:1:id:I:1 Time=0 step=0 energy=5.0000000000000000e-1";
        let text = comment(&model, &frame);
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
        assert_eq!(comment(&model, &frame), flat);
    }
}
