//! Vector pictures of runs of every method: one frame, or a strip of frames side
//! by side.

use riprap::export::exhibit::{apart, foot, is_loose};
use riprap::export::palette::{Rgb, hex, own_colours};
use riprap::trajectory::{Frame, Reader};
use riprap::world::{Model, State};
use riprap::{Problem, Result};

use crate::contacts::{bars, contacts_at, strongest};
use crate::draw::{Look, draw_bodies, draw_container, draw_forces, draw_joints, draw_labels};
use crate::markup::{Svg, length};
use crate::palette::INK;
use crate::paper::Paper;

/// Space around every panel, in pixels, and for the line of text above it.
const MARGIN: f64 = 12.0;
const CAPTION: f64 = 20.0;

/// Bodies step back where forces are shown.
const FAINT: f64 = 0.4;

/// More sides than this, in 3D, are a matter for pictures of pixels.
const MOST_FACES: usize = 20_000;

/// What a picture shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Width of one panel, in pixels.
    pub width: f64,
    /// Which frames, and how they are laid out.
    pub strip: Strip,
    /// Draw the forces in the contacts, where they are known: at every time step, or at rest.
    pub forces: bool,
    /// Number the bodies.
    pub labels: bool,
    /// The colours of the bodies, a list for each frame; without any, those of the palette.
    pub colours: Vec<Vec<Rgb>>,
    /// Bodies are taken apart, by this share of their distances.
    pub explode: f64,
    /// The colour behind everything; none is that of the paper.
    pub background: Option<Rgb>,
}

impl Picture {
    /// Panels of a usual width and the usual colours, without forces and numbers.
    pub fn new(strip: Strip) -> Picture {
        Picture {
            width: 360.0,
            strip,
            forces: false,
            labels: false,
            colours: Vec::new(),
            explode: 0.0,
            background: None,
        }
    }
}

/// Frames side by side, and in rows of `columns`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strip {
    /// Panels in a row.
    pub columns: usize,
    /// Counted from 0.
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

/// A picture of a run.
pub fn svg(reader: &Reader, picture: &Picture) -> Result<String> {
    let model = reader.model();
    check(reader, picture)?;
    let mut frames: Vec<Frame> =
        picture.strip.frames.iter().map(|&index| reader.frame(index)).collect::<Result<_>>()?;
    if picture.explode != 0.0 {
        is_loose(model)?;
        let foot = foot(model, &frames[0].state);
        frames.iter_mut().for_each(|f| f.state = apart(&f.state, foot, picture.explode));
    }
    let states: Vec<&State> = frames.iter().map(|frame| &frame.state).collect();
    let paper = Paper::new(model, &states, picture.width);
    let usual = own_colours(model, &reader.frame(0)?.state);
    let sheet = Sheet::new(&paper, picture);
    let [width, height] = sheet.size();
    let mut svg = Svg::new(width, height, &model.name);
    if let Some(colour) = picture.background {
        let [width, height] = [width, height].map(length);
        svg.leaf("rect", &[("width", &width), ("height", &height), ("fill", &hex(colour))]);
    }
    for (place, (frame, &index)) in frames.iter().zip(&picture.strip.frames).enumerate() {
        sheet.open_panel(&mut svg, place, &format!("step {}", frame.step));
        draw_container(&mut svg, model, &paper);
        let known = if picture.forces { contacts_at(reader, index)? } else { None };
        let contacts = known.unwrap_or_default();
        let opacity = if contacts.is_empty() { 1.0 } else { FAINT };
        let model = reader.model_at(index);
        let colours = picture.colours.get(place).unwrap_or(&usual);
        draw_bodies(&mut svg, model, &frame.state, &paper, Look { colours, ghost: None, opacity });
        draw_joints(&mut svg, model, &frame.state, &paper);
        let most = strongest(&contacts);
        draw_forces(&mut svg, &bars(model, &contacts, most), most, &paper);
        if picture.labels {
            draw_labels(&mut svg, model, &frame.state, &paper);
        }
        sheet.close_panel(&mut svg);
    }
    Ok(svg.finish())
}

fn check(reader: &Reader, picture: &Picture) -> Result<()> {
    let model = reader.model();
    if reader.is_empty() {
        return Err(Problem::new("the run has no frames to draw")
            .help("run the scene for at least one step"));
    }
    let too_short = |list: &Vec<Rgb>| list.len() < model.bodies.len();
    if picture.colours.iter().any(too_short) {
        return Err(Problem::new("there are fewer colours than bodies")
            .help("give every body of every frame its colour"));
    }
    if picture.strip.frames.is_empty() {
        return Err(Problem::new("the picture shows no frame").help("name at least one frame"));
    }
    if model.dimension == 3 && faces(model) > MOST_FACES {
        let message = format!("'{}' has too many sides for a vector picture", model.name);
        return Err(Problem::new(message).help("use .png: `riprap render RUN -o FILE.png`"));
    }
    Ok(())
}

/// About how many sides a 3D picture has.
fn faces(model: &Model) -> usize {
    let of_shape: Vec<usize> = model
        .shapes
        .iter()
        .map(|shape| if shape.is_ball().is_some() { 1 } else { shape.triangles().len() })
        .collect();
    let rigid = &model.bodies[..model.rigid_count()];
    let bodies = rigid.iter().map(|body| of_shape[body.shape as usize]).sum::<usize>();
    bodies + model.cloths.iter().map(|cloth| cloth.faces.len()).sum::<usize>()
}

/// Panels in rows.
struct Sheet {
    /// Width and height of a panel in pixels.
    panel: [f64; 2],
    columns: usize,
    rows: usize,
    captions: bool,
}

impl Sheet {
    fn new(paper: &Paper, picture: &Picture) -> Sheet {
        let count = picture.strip.frames.len();
        let columns = picture.strip.columns.clamp(1, count);
        let rows = count.div_ceil(columns);
        Sheet { panel: paper.size(), columns, rows, captions: count > 1 }
    }

    /// Height of a panel with its caption, width of one with its margin.
    fn pitch(&self) -> [f64; 2] {
        let caption = if self.captions { CAPTION } else { 0.0 };
        [self.panel[0] + MARGIN, self.panel[1] + MARGIN + caption]
    }

    fn size(&self) -> [f64; 2] {
        let [across, down] = self.pitch();
        [MARGIN + self.columns as f64 * across, MARGIN + self.rows as f64 * down]
    }

    /// An inner picture for a panel: it cuts off what sticks out.
    fn open_panel(&self, svg: &mut Svg, place: usize, caption: &str) {
        let (column, row) = (place % self.columns, place / self.columns);
        let [across, down] = self.pitch();
        let (x, y) = (MARGIN + column as f64 * across, (row + 1) as f64 * down - self.panel[1]);
        if self.captions {
            let middle = [x + 0.5 * self.panel[0], y - 8.0];
            svg.label(middle, "middle", &[("font-size", "12"), ("fill", INK)], caption);
        }
        // Outlines at the border are not to be cut in half.
        let edge = 2.0;
        let [width, height] = self.panel.map(|side| length(side + 2.0 * edge));
        let view = format!("{} {} {width} {height}", length(-edge), length(-edge));
        svg.open(
            "svg",
            &[
                ("x", &length(x - edge)),
                ("y", &length(y - edge)),
                ("width", &width),
                ("height", &height),
                ("viewBox", &view),
            ],
        );
    }

    fn close_panel(&self, svg: &mut Svg) {
        svg.close();
    }
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
    fn colours_and_background_are_those_that_were_asked_for() {
        let run = samples::flat(9, 4);
        let mut asked = picture(1, &[3]);
        asked.colours = vec![vec![[1, 2, 3]; 9]];
        asked.background = Some([255, 0, 16]);
        let text = svg(&run.reader(), &asked).unwrap();
        assert_eq!(text.matches("#010203").count(), 9);
        assert!(text.contains("fill=\"#ff0010\""));
        asked.colours = vec![vec![[1, 2, 3]; 8]];
        assert!(svg(&run.reader(), &asked).is_err());
    }

    /// The number of a wide ground would cover all others.
    #[test]
    fn numbers_are_no_larger_than_those_of_usual_bodies() {
        let run = samples::collapse(4);
        let text = svg(&run.reader(), &Picture { labels: true, ..picture(1, &[0]) }).unwrap();
        let sizes: Vec<f64> = (text.split("font-size=\"").skip(1))
            .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(sizes.len(), 7, "the ground has its number, too");
        let [least, most] =
            [f64::min, f64::max].map(|of| sizes.iter().copied().reduce(of).unwrap());
        assert!(most < 2.5 * least, "{sizes:?}");
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
        for (line, p) in circles.iter().zip(reader.frame(0).unwrap().state.positions) {
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
    fn turned_shapes_with_holes_and_their_forces_are_drawn() {
        let run = samples::collapse(5);
        let plain = svg(&run.reader(), &picture(2, &[0, 4])).unwrap();
        let names = elements(&plain);
        assert_eq!(count(&names, "path"), 2 * 7, "a ground and six blocks");
        let hole = plain.lines().filter(|line| line.contains("Z M"));
        assert_eq!(hole.count(), 2, "one block has a hole");
        let forces = Picture { forces: true, ..picture(2, &[0, 4]) };
        let names = elements(&svg(&run.reader(), &forces).unwrap());
        assert_eq!(count(&names, "line"), 6, "known for every step but the start");
    }

    #[test]
    fn three_dimensions_are_seen_from_the_side() {
        let text = svg(&samples::dynamics(12, 3).reader(), &picture(1, &[2])).unwrap();
        let names = elements(&text);
        assert_eq!(count(&names, "circle"), 6 + 2, "balls, and two joints");
        assert_eq!(count(&names, "line"), 2, "a bar and a rope");
        let sheet = svg(&samples::cloth(3).reader(), &picture(1, &[2])).unwrap();
        assert_eq!(count(&elements(&sheet), "path"), 2 * 16 * 16);
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let crowd = samples::crowd(1700, 1);
        let problem = svg(&crowd.reader(), &picture(1, &[0])).unwrap_err();
        assert_eq!(problem.message, "'crowd' has too many sides for a vector picture");
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
}
