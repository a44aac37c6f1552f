//! How far a tower may be tilted, in every direction: a polar plot.

use riprap::math::DVec3;
use riprap::step::stable::Tilt;

use crate::markup::{Svg, length};
use crate::palette::{self, INK};
use crate::plot::round_step;

const SIZE: f64 = 420.0;
const RADIUS: f64 = 160.0;
const MIDDLE: f64 = 0.5 * SIZE;

/// Rings of equal tilt, and how far it may go towards each direction; x is to the right. Towers
/// in the plane have two directions only, drawn as two spokes.
pub fn polar_svg(name: &str, tilts: &[Tilt]) -> String {
    let mut svg = Svg::new(SIZE, SIZE, &format!("{name}: critical tilt"));
    let steepest = tilts.iter().map(|t| t.angle.to_degrees()).fold(1e-6, f64::max);
    let ring = round_step(steepest / 4.0);
    let scale = RADIUS / (ring * (steepest / ring).ceil());
    let thin = [("fill", "none"), ("stroke", INK), ("stroke-opacity", "0.25")];
    for k in 1..=(steepest / ring).ceil() as usize {
        let degrees = ring * k as f64;
        let r = length(degrees * scale);
        let mut circle = vec![("cx", "210"), ("cy", "210"), ("r", r.as_str())];
        circle.extend(thin);
        svg.leaf("circle", &circle);
        let at = [MIDDLE + 3.0, MIDDLE - degrees * scale - 3.0];
        let look = [("font-size", "10"), ("fill", INK)];
        let ground = degrees.to_radians().tan();
        let ground = if degrees < 90.0 { format!(", {ground:.2} g") } else { String::new() };
        svg.label(at, "start", &look, &format!("{}°{ground}", length(degrees)));
    }
    // The axes of the scene: what is drawn to the right is a tilt whose side at +x goes down.
    let (end, look) = (RADIUS + 14.0, [("font-size", "12"), ("fill", INK)]);
    svg.line([MIDDLE - end, MIDDLE], [MIDDLE + end, MIDDLE], &thin[1..]);
    svg.line([MIDDLE, MIDDLE - end], [MIDDLE, MIDDLE + end], &thin[1..]);
    svg.label([MIDDLE + end + 3.0, MIDDLE + 4.0], "start", &look, "+x");
    svg.label([MIDDLE, MIDDLE - end - 4.0], "middle", &look, "+y");
    let place = |tilt: &Tilt| {
        let (DVec3 { x, y, .. }, r) = (tilt.towards, tilt.angle.to_degrees() * scale);
        [MIDDLE + x * r, MIDDLE - y * r]
    };
    let points: Vec<String> = tilts
        .iter()
        .map(|t| {
            let [x, y] = place(t);
            format!("{},{}", length(x), length(y))
        })
        .collect();
    let colour = palette::distinct(0);
    let points = points.join(" ");
    svg.leaf(
        "polygon",
        &[
            ("points", points.as_str()),
            ("fill", &colour),
            ("fill-opacity", "0.25"),
            ("stroke", &colour),
            ("stroke-width", "1.6"),
        ],
    );
    let look = [("font-size", "14"), ("font-weight", "600"), ("fill", INK)];
    svg.label([12.0, 22.0], "start", &look, &format!("{name}: critical tilt"));
    let look = [("font-size", "10"), ("fill", INK)];
    svg.label([12.0, SIZE - 20.0], "start", &look, "towards the side that goes down;");
    let words = "the same for ground that accelerates away from it";
    svg.label([12.0, SIZE - 8.0], "start", &look, words);
    svg.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tilts_are_drawn_to_scale() {
        let tilt = |x: f64, y: f64, degrees: f64| Tilt {
            towards: DVec3::new(x, y, 0.0),
            angle: degrees.to_radians(),
        };
        let svg =
            polar_svg("box", &[tilt(1.0, 0.0, 20.0), tilt(0.0, 1.0, 10.0), tilt(-1.0, 0.0, 20.0)]);
        assert_eq!(svg.matches("<circle").count(), 4, "rings of 5 degrees");
        assert!(svg.contains("points=\"370,210 210,130 50,210\""), "{svg}");
    }
}
