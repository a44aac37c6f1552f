//! Vector pictures of 2D scenes: one frame, or a strip of frames side by side.
//! Lengths in the scene become lengths on the paper; y points up.

use std::path::Path;

use riprap::export::palette::{FORCES, along, hex, own_colours};
use riprap::math::DVec3;
use riprap::shape::{Aabb, Solid, Surface};
use riprap::trajectory::{Frame, Reader};
use riprap::{Problem, Result};

use crate::bricks;
use crate::contacts::{Thrust, thrusts};
use crate::file::write_whole;
use crate::markup::{Svg, length, path};
use crate::palette::INK;

/// Space around every panel, in pixels, and for the line of text above it.
const MARGIN: f64 = 12.0;
const CAPTION: f64 = 20.0;

/// What a picture shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Width of one panel, in pixels.
    pub width: f64,
    pub strip: Strip,
    /// Draw the forces in the contacts, where the last frame is shown.
    pub forces: bool,
    /// Number the bodies.
    pub labels: bool,
}

impl Picture {
    /// Panels of a usual width, without forces and numbers.
    pub fn new(strip: Strip) -> Picture {
        Picture { width: 360.0, strip, forces: false, labels: false }
    }
}

/// Frames side by side, and in rows of `columns`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strip {
    pub columns: usize,
    pub frames: Vec<usize>,
}

impl Strip {
    /// About `count` frames, evenly spread from the first to the last, in one row.
    ///
    /// ```
    /// let strip = riprap_viewer::Strip::spread(4, 100);
    /// assert_eq!((strip.columns, strip.frames), (4, vec![0, 33, 66, 99]));
    /// ```
    pub fn spread(count: usize, frames: usize) -> Strip {
        let last = frames.saturating_sub(1);
        let gaps = count.saturating_sub(1).max(1);
        let mut shown: Vec<usize> =
            if count < 2 { vec![last] } else { (0..count).map(|k| k * last / gaps).collect() };
        shown.dedup();
        Strip { columns: shown.len(), frames: shown }
    }
}

/// Writes a picture of a 2D run.
pub fn write_svg(reader: &Reader, path: &Path, picture: &Picture) -> Result<()> {
    write_whole(path, svg(reader, picture)?.as_bytes())
}

/// The text of the picture.
pub fn svg(reader: &Reader, picture: &Picture) -> Result<String> {
    let model = reader.model();
    if model.is_tower() && !picture.strip.frames.is_empty() {
        return bricks::run_svg(reader, picture);
    }
    if model.dimension != 2 {
        return Err(Problem::new(format!(
            "'{}' is a 3D scene; vector pictures show 2D scenes only",
            model.name
        ))
        .help("use .png: `riprap render RUN -o FILE.png`"));
    }
    if reader.is_empty() {
        return Err(Problem::new("the run has no frames to draw")
            .help("run the scene for at least one step"));
    }
    if picture.strip.frames.is_empty() {
        return Err(Problem::new("the picture shows no frame").help("name at least one frame"));
    }
    let frames: Vec<Frame> =
        picture.strip.frames.iter().map(|&index| reader.frame(index)).collect::<Result<_>>()?;
    let thrusts = if picture.forces { thrusts(reader)? } else { Vec::new() };

    let paper = Paper::new(reader, &frames, picture);
    let mut svg = Svg::new(paper.width(), paper.height(), &model.name);
    for (place, (frame, &index)) in frames.iter().zip(&picture.strip.frames).enumerate() {
        let shift = paper.shift(place);
        svg.open(
            "g",
            &[("transform", &format!("translate({} {})", length(shift[0]), length(shift[1])))],
        );
        if paper.captions {
            let caption = format!("step {}", frame.step);
            let middle = [0.5 * paper.panel[0], -8.0];
            svg.label(middle, "middle", &[("font-size", "12"), ("fill", INK)], &caption);
        }
        draw_container(&mut svg, reader, &paper);
        let thrusts = if index + 1 == reader.len() { &thrusts[..] } else { &[] };
        // Bodies step back where forces are shown.
        let opacity = if thrusts.is_empty() { "1" } else { "0.4" };
        draw_bodies(&mut svg, reader, &paper, frame, opacity);
        draw_forces(&mut svg, thrusts, &paper);
        if picture.labels {
            draw_labels(&mut svg, reader, &paper, frame);
        }
        svg.close();
    }
    Ok(svg.finish())
}

/// Where things of the scene are on the paper.
struct Paper {
    /// The part of the scene that every panel shows.
    bounds: Aabb,
    /// Pixels per unit of length.
    scale: f64,
    /// Width and height of a panel in pixels.
    panel: [f64; 2],
    columns: usize,
    rows: usize,
    captions: bool,
}

impl Paper {
    fn new(reader: &Reader, frames: &[Frame], picture: &Picture) -> Paper {
        let bodies = &reader.model().bodies;
        let circle = |(p, body): (&DVec3, &riprap::world::Body)| Aabb::from_sphere(*p, body.radius);
        let circles = frames.iter().flat_map(|frame| frame.positions.iter().zip(bodies));
        let mut bounds = reader.model().boundary.bounds();
        for circle in circles.map(circle).filter(|circle| circle.size().is_finite()) {
            bounds = bounds.union(&circle);
        }
        if !bounds.size().is_finite() || bounds.size().x <= 0.0 {
            bounds = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
        }
        let width = picture.width.clamp(16.0, 1e5);
        let scale = width / bounds.size().x;
        let columns = picture.strip.columns.clamp(1, frames.len());
        Paper {
            bounds,
            scale,
            panel: [width, scale * bounds.size().y],
            columns,
            rows: frames.len().div_ceil(columns),
            captions: frames.len() > 1,
        }
    }

    /// Height of a panel with its caption, width of one with its margin.
    fn pitch(&self) -> [f64; 2] {
        let caption = if self.captions { CAPTION } else { 0.0 };
        [self.panel[0] + MARGIN, self.panel[1] + MARGIN + caption]
    }

    fn width(&self) -> f64 {
        MARGIN + self.columns as f64 * self.pitch()[0]
    }

    fn height(&self) -> f64 {
        MARGIN + self.rows as f64 * self.pitch()[1]
    }

    /// The upper left corner of a panel.
    fn shift(&self, place: usize) -> [f64; 2] {
        let (column, row) = (place % self.columns, place / self.columns);
        let [across, down] = self.pitch();
        [MARGIN + column as f64 * across, (row + 1) as f64 * down - self.panel[1]]
    }

    fn point(&self, p: DVec3) -> [f64; 2] {
        [(p.x - self.bounds.min.x) * self.scale, (self.bounds.max.y - p.y) * self.scale]
    }

    /// Width of outlines: thin, but visible at any size.
    fn hairline(&self) -> f64 {
        (0.004 * self.panel[0]).clamp(0.75, 2.0)
    }
}

fn draw_container(svg: &mut Svg, reader: &Reader, paper: &Paper) {
    let faces = reader.model().boundary.faces().iter();
    if faces.len() == 0 {
        return; // an open scene
    }
    let corners = faces.filter_map(|face| face.corners.first()).map(|&corner| paper.point(corner));
    let outline = path(corners, true);
    let width = length(2.0 * paper.hairline());
    svg.leaf(
        "path",
        &[
            ("d", &outline),
            ("fill", INK),
            ("fill-opacity", "0.07"),
            ("stroke", INK),
            ("stroke-width", &width),
            ("stroke-linejoin", "round"),
        ],
    );
}

fn draw_bodies(svg: &mut Svg, reader: &Reader, paper: &Paper, frame: &Frame, opacity: &str) {
    let width = length(paper.hairline());
    let stroke = [("stroke", "#101418"), ("stroke-opacity", "0.55"), ("stroke-width", &width)];
    svg.open("g", &[&stroke[..], &[("opacity", opacity)]].concat());
    let model = reader.model();
    let bodies = model.bodies.iter().zip(own_colours(model));
    for (index, ((body, colour), &position)) in bodies.zip(&frame.positions).enumerate() {
        if let Some(outline) = model.solid(index).filter(|_| position.is_finite()) {
            draw_solid(svg, paper, outline, position, &hex(colour));
        } else if position.is_finite() {
            let [x, y] = paper.point(position).map(length);
            // The outline lies within the circle, so that touching circles do not seem to overlap.
            let radius = (body.radius * paper.scale - 0.5 * paper.hairline()).max(0.1);
            let (radius, fill) = (length(radius), hex(colour));
            svg.leaf("circle", &[("cx", &x), ("cy", &y), ("r", &radius), ("fill", &fill)]);
        }
    }
    svg.close();
}

/// The outline of a flat solid with its holes; a rounded one has a broad border.
fn draw_solid(svg: &mut Svg, paper: &Paper, solid: &Solid, position: DVec3, fill: &str) {
    let Surface::Outline(outline) = &solid.surface else { return };
    let point = |c: &[f64; 2]| paper.point(position + DVec3::new(c[0], c[1], 0.0));
    let loops: Vec<String> =
        outline.loops().map(|corners| path(corners.iter().map(point), true)).collect();
    let (loops, border) = (loops.join(" "), length(2.0 * solid.radius * paper.scale));
    let mut look = vec![("d", loops.as_str()), ("fill", fill), ("fill-rule", "evenodd")];
    if solid.radius > 0.0 {
        let wide = [("stroke", fill), ("stroke-width", &border), ("stroke-opacity", "1")];
        look.extend(wide);
        look.push(("stroke-linejoin", "round"));
    }
    svg.leaf("path", &look);
}

/// A line per contact, its width in proportion to its force.
fn draw_forces(svg: &mut Svg, thrusts: &[Thrust], paper: &Paper) {
    let strongest = thrusts.iter().map(|thrust| thrust.force.abs()).fold(0.0, f64::max);
    if strongest <= 0.0 {
        return;
    }
    let shortest = thrusts.iter().map(|thrust| thrust.from.distance(thrust.to));
    let widest = 0.5 * shortest.fold(f64::INFINITY, f64::min) * paper.scale;
    svg.open("g", &[("stroke-linecap", "round")]);
    for thrust in thrusts {
        let share = thrust.force.abs() / strongest;
        let (colour, width) = (hex(along(&FORCES, share)), length((widest * share).max(0.5)));
        let ends = (paper.point(thrust.from), paper.point(thrust.to));
        svg.line(ends.0, ends.1, &[("stroke", &colour), ("stroke-width", &width)]);
    }
    svg.close();
}

fn draw_labels(svg: &mut Svg, reader: &Reader, paper: &Paper, frame: &Frame) {
    svg.open("g", &[("fill", "#101418")]);
    for (index, (body, &position)) in reader.model().bodies.iter().zip(&frame.positions).enumerate()
    {
        if position.is_finite() {
            let number = index.to_string();
            let size = body.radius * paper.scale * (1.8 / (number.len() as f64 + 1.0)).min(0.9);
            let [x, y] = paper.point(position);
            let place = [x, y + 0.35 * size];
            svg.label(place, "middle", &[("font-size", &length(size))], &number);
        }
    }
    svg.close();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markup::tests::elements;
    use crate::samples;

    fn picture(columns: usize, frames: &[usize]) -> Picture {
        let strip = Strip { columns, frames: frames.to_vec() };
        Picture { width: 300.0, ..Picture::new(strip) }
    }

    fn count(names: &[String], name: &str) -> usize {
        names.iter().filter(|other| *other == name).count()
    }

    #[test]
    fn one_frame_is_the_container_and_its_circles() {
        let run = samples::flat(9, 4);
        let text = svg(&run.reader(), &picture(1, &[3])).unwrap();
        let names = elements(&text);
        assert_eq!((count(&names, "circle"), count(&names, "path")), (9, 1));
        assert_eq!((count(&names, "line"), count(&names, "text")), (0, 0));
        // 3.6 wide and 4.6 high; the outline starts in the lower left corner.
        assert!(text.contains(r#"width="324" height="407.333""#), "{text}");
        assert!(text.contains("M0 383.333L300 383.333L300 0L0 0Z"), "{text}");
    }

    #[test]
    fn y_points_up_and_touching_circles_do_not_overlap() {
        let run = samples::flat(9, 4);
        let reader = run.reader();
        let text = svg(&reader, &picture(1, &[0])).unwrap();
        let value = |line: &str, key: &str| -> f64 {
            let start = line.find(&format!(" {key}=\"")).unwrap() + key.len() + 3;
            line[start..].split('"').next().unwrap().parse().unwrap()
        };
        let circles: Vec<&str> = text.lines().filter(|line| line.starts_with("<circle")).collect();
        let scale = 300.0 / 3.6;
        for (line, p) in circles.iter().zip(reader.frame(0).unwrap().positions) {
            assert!((value(line, "cx") - scale * p.x).abs() < 1e-3);
            assert!((value(line, "cy") - scale * (4.6 - p.y)).abs() < 1e-3);
            assert!(value(line, "r") < scale * 0.5);
        }
    }

    #[test]
    fn a_strip_has_rows_and_captions() {
        let run = samples::flat(4, 7);
        let text = svg(&run.reader(), &picture(2, &[0, 3, 6])).unwrap();
        let names = elements(&text);
        assert_eq!((count(&names, "circle"), count(&names, "text")), (12, 3));
        assert!(text.contains(">step 3</text>"), "{text}");
        assert!(text.contains(r#"width="636""#), "two columns: {text}");
    }

    #[test]
    fn forces_belong_to_the_last_frame() {
        let run = samples::flat(9, 4);
        let both = Picture { forces: true, labels: true, ..picture(2, &[0, 3]) };
        let names = elements(&svg(&run.reader(), &both).unwrap());
        assert_eq!(count(&names, "line"), 7, "one contact with the floor, six with bodies");
        assert_eq!(count(&names, "text"), 2 * 9 + 2, "numbers and captions");
        let first = Picture { forces: true, ..picture(1, &[0]) };
        assert_eq!(count(&elements(&svg(&run.reader(), &first).unwrap()), "line"), 0);
    }

    #[test]
    fn names_are_escaped() {
        let name = "<b> & \"friends\"".to_string();
        let run = samples::Sample { name, dimension: 2, ..samples::sample(4, 2) }.write();
        let text = svg(&run.reader(), &picture(1, &[1])).unwrap();
        elements(&text);
        assert!(text.contains("<title>&lt;b&gt; &amp; &quot;friends&quot;</title>"));
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let solid = samples::finished(8, 2);
        let problem = svg(&solid.reader(), &picture(1, &[0])).unwrap_err();
        let expected = "'sample' is a 3D scene; vector pictures show 2D scenes only";
        assert_eq!(problem.message, expected);
        assert!(problem.help.unwrap().starts_with("use .png"));

        let flat = samples::flat(4, 2);
        let problem = svg(&flat.reader(), &picture(1, &[2])).unwrap_err();
        assert!(problem.message.starts_with("there is no frame 2"), "{problem}");
        let problem = svg(&flat.reader(), &picture(1, &[])).unwrap_err();
        assert_eq!(problem.message, "the picture shows no frame");
    }

    #[test]
    fn strips_spread_evenly() {
        assert_eq!(Strip::spread(1, 10).frames, [9]);
        assert_eq!(Strip::spread(0, 10).frames, [9]);
        assert_eq!(Strip::spread(9, 3).frames, [0, 1, 2]);
        assert_eq!(Strip::spread(3, 0).frames, [0]);
    }

    #[test]
    fn a_file_is_written() {
        let run = samples::flat(4, 2);
        let path = run.path.with_extension("svg");
        write_svg(&run.reader(), &path, &picture(1, &[1])).unwrap();
        elements(&std::fs::read_to_string(path).unwrap());
    }
}
