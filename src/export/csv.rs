//! Comma-separated values: one line per body and frame.

use std::fmt::Write;

use super::digits;
use crate::trajectory::Frame;
use crate::world::{Body, Model};

pub(super) const TITLES: &str = "frame,step,body,x,y,z,radius\n";

/// The lines of one frame.
pub(super) fn block(model: &Model, index: usize, frame: &Frame) -> String {
    let mut text = String::new();
    for (body, (position, Body { radius, .. })) in
        frame.positions.iter().zip(&model.bodies).enumerate()
    {
        let [x, y, z] = position.to_array().map(digits);
        let step = frame.step;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{index},{step},{body},{x},{y},{z},{}", digits(*radius));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DVec3;
    use crate::trajectory::samples;

    #[test]
    fn lines_parse_back_to_the_same_bits() {
        let (model, mut frame) = (samples::model(3), samples::frame(7, 3));
        frame.positions[1] = DVec3::new(-0.0, f64::MIN_POSITIVE / 3.0, 0.1 + 0.2);
        let text = block(&model, 4, &frame);
        assert_eq!(text.lines().count(), 3);
        for (body, line) in text.lines().enumerate() {
            let (names, numbers) = line.split_at(line.match_indices(',').nth(2).unwrap().0 + 1);
            assert_eq!(names, format!("4,7,{body},"));
            let bits: Vec<u64> =
                numbers.split(',').map(|n| n.parse::<f64>().unwrap().to_bits()).collect();
            let DVec3 { x, y, z } = frame.positions[body];
            assert_eq!(bits, [x, y, z, model.bodies[body].radius].map(f64::to_bits));
        }
        assert_eq!(TITLES.split(',').count(), 7);
    }
}
