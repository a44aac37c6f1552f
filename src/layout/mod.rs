//! Layouts of flat pieces on a strip: what `compact` reads and writes. A strip
//! is fixed in y and runs along +x; a piece is an item turned by an angle and
//! then moved. One room per format, all of them plain text; drawings become
//! pieces in `drawing.rs`, their curves corners in `curve.rs`.

mod bottom_left;
mod curve;
mod drawing;
mod dxf;
mod json;
mod made;
mod svg;
mod untangle;

pub use bottom_left::bottom_left;

use crate::problem::{Problem, Result, few_digits};
use crate::shape::Outline;
use std::path::Path;

/// Files longer than this are no layouts.
const LONGEST_FILE: u64 = 64 << 20;

/// The largest coordinate: a thousand kilometres in micrometres. Areas and distances of such numbers
/// still have digits to spare.
const MOST_COORDINATE: f64 = 1e12;

/// The largest coordinate of a piece, in heights of the strip. Coordinates of that size are rounded by a
/// tenth of what pieces are kept apart by.
const FARTHEST: f64 = 1e5;

/// So much of what a reader has to say is told where a layout has no pieces.
const MOST_TOLD: usize = 3;

/// Items, and where copies of them lie on the strip.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The file's, or the one it gives.
    pub name: String,
    /// What can be placed.
    pub items: Vec<Item>,
    /// What it is placed on.
    pub strip: Strip,
    /// The pieces.
    pub placed: Vec<Placed>,
    /// What a reader has to say of its file: what it took for the strip, and what stays as it is.
    pub notes: Vec<String>,
    /// The drawing it came from, which it goes back into.
    drawing: Option<Origin>,
}

/// Where a layout came from.
#[derive(Clone, Debug, PartialEq)]
enum Origin {
    Svg(Box<svg::Source>),
    Dxf(Box<dxf::Source>),
}

/// The part of the plane with `min <= (x, y) <= max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strip {
    /// The lower left corner.
    pub min: [f64; 2],
    /// The upper right corner.
    pub max: [f64; 2],
}

/// A shape, and how it may be used.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// As its file numbers it.
    pub id: u64,
    /// About an origin of its own.
    pub outline: Outline,
    /// How many copies the layout needs.
    pub demand: u64,
    /// The angles it may be turned by, in degrees; any, if `None`.
    pub orientations: Option<Vec<f64>>,
    /// What it is called, where its file gives it more than a number.
    pub label: Option<String>,
}

/// A copy of an item on the strip: turned about the item's origin, then moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// Index into the layout's items.
    pub item: usize,
    /// Degrees, counter-clockwise.
    pub rotation: f64,
    /// Where the item's origin goes.
    pub translation: [f64; 2],
    /// Not to be moved.
    pub fixed: bool,
}

impl Item {
    /// That may be turned by any angle.
    pub fn new(id: u64, outline: Outline, demand: u64) -> Item {
        Item { id, outline, demand, orientations: None, label: None }
    }
}

impl Strip {
    /// Its extent along x.
    pub fn length(&self) -> f64 {
        self.max[0] - self.min[0]
    }

    /// Its extent along y.
    pub fn height(&self) -> f64 {
        self.max[1] - self.min[1]
    }
}

impl Layout {
    /// Pieces of items on a strip.
    pub fn new(name: &str, items: Vec<Item>, strip: Strip, placed: Vec<Placed>) -> Layout {
        Layout { name: name.into(), items, strip, placed, notes: Vec::new(), drawing: None }
    }

    /// Reads a layout by the ending of the file: `.json` (an instance with its
    /// solution, as sparrow writes it), `.svg` or `.dxf`.
    ///
    /// Curves of drawings become corners outside of them, no farther from them than `tolerance`;
    /// without one, than a 50 000th of the drawing's size.
    pub fn read(path: &Path, tolerance: Option<f64>) -> Result<Layout> {
        Layout::from_bytes(path, &read_bytes(path)?, tolerance)
    }

    /// The same with the contents of the file at hand.
    pub fn from_bytes(path: &Path, bytes: &[u8], tolerance: Option<f64>) -> Result<Layout> {
        if tolerance.is_some_and(|t| !(t.is_finite() && t > 0.0)) {
            return Err(Problem::new("the tolerance of curves is not positive")
                .help("give a small length in the drawing's units, such as 0.01"));
        }
        let text = || text(bytes);
        let layout = match ending(path).as_str() {
            "json" => text().and_then(json::read_layout),
            "svg" => text().and_then(|text| svg::read(text, &stem(path), tolerance)),
            "dxf" => dxf::read(bytes, &stem(path), tolerance),
            _ => Err(unknown_ending(path)),
        };
        layout
            .and_then(Layout::checked)
            .and_then(Layout::with_pieces)
            .map_err(|problem| problem.in_file(path))
    }

    /// Reads an instance (items and a strip, nothing placed yet) from a `.json` file.
    pub fn read_instance(path: &Path) -> Result<Layout> {
        let bytes = read_bytes(path)?;
        text(&bytes)
            .and_then(json::read_instance)
            .and_then(Layout::checked)
            .map_err(|problem| problem.in_file(path))
    }

    /// Writes the layout by the ending of the file. What came from a drawing of the same format
    /// goes back into it: only places change. `chain` is drawn over an SVG.
    pub fn write(&self, path: &Path, chain: Option<&[[[f64; 2]; 2]]>) -> Result<()> {
        let bytes = match ending(path).as_str() {
            "json" => json::write(self).into_bytes(),
            "svg" => svg::write(self, chain).into_bytes(),
            "dxf" => dxf::write(self),
            _ => return Err(unknown_ending(path)),
        };
        std::fs::write(path, bytes)
            .map_err(|e| Problem::new(format!("cannot write the layout: {e}")).in_file(path))
    }

    /// The corners of a placed piece on the strip: its outline, then its holes.
    pub fn piece(&self, placed: &Placed) -> Vec<Vec<[f64; 2]>> {
        let turned = turn(&self.items[placed.item].outline, placed.rotation);
        let [x, y] = placed.translation;
        turned
            .into_iter()
            .map(|corners| corners.iter().map(|c| [c[0] + x, c[1] + y]).collect())
            .collect()
    }

    /// What a piece is called in messages.
    pub fn piece_name(&self, index: usize) -> String {
        let item = &self.items[self.placed[index].item];
        match &item.label {
            Some(label) => format!("piece {index} ({label})"),
            None => format!("piece {index} (item {})", item.id),
        }
    }

    /// The area of all pieces over the area of the strip.
    pub fn density(&self) -> f64 {
        let area = |placed: &Placed| {
            crate::shape::MassProperties::of_loops(self.items[placed.item].outline.loops()).volume
        };
        self.placed.iter().map(area).sum::<f64>() / (self.strip.length() * self.strip.height())
    }

    fn with_pieces(self) -> Result<Self> {
        if !self.placed.is_empty() {
            return Ok(self);
        }
        let problem = Problem::new("the layout has no pieces");
        Err(match self.notes.get(..MOST_TOLD.min(self.notes.len())) {
            None | Some([]) => problem.help("a piece is a closed line, or a placed item"),
            Some(notes) => problem.help(format!("a piece is a closed line; {}", notes.join("; "))),
        })
    }

    fn checked(self) -> Result<Self> {
        let Strip { min, max } = self.strip;
        let reach = |corners: &[[f64; 2]]| {
            corners.as_flattened().iter().fold(0.0, |most: f64, x| match x.is_nan() {
                true => f64::INFINITY,
                false => most.max(x.abs()),
            })
        };
        check_coordinate("the strip", reach(&[min, max]))?;
        for item in &self.items {
            let most = item.outline.loops().map(&reach).fold(0.0, f64::max);
            check_coordinate(&format!("item {}", item.id), most)?;
        }
        if self.strip.height() <= 0.0 || self.strip.length() < 0.0 {
            return Err(Problem::new(format!(
                "the strip reaches from {:?} to {:?}",
                min.map(few_digits),
                max.map(few_digits)
            ))
            .help("a strip has a positive height"));
        }
        for (index, placed) in self.placed.iter().enumerate() {
            self.check_placed(index, placed)?;
        }
        Ok(self)
    }

    fn check_placed(&self, index: usize, placed: &Placed) -> Result<()> {
        let name = self.piece_name(index);
        let item = &self.items[placed.item];
        let numbers = [placed.rotation, placed.translation[0], placed.translation[1]];
        if let Some(bad) = numbers.iter().find(|x| !x.is_finite()) {
            return Err(Problem::new(format!("{name} is placed at {bad}"))
                .help("angles and translations are finite numbers"));
        }
        let most = numbers.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        check_coordinate(&name, most)?;
        if let Some(allowed) = &item.orientations
            && !allowed.iter().any(|angle| same_angle(*angle, placed.rotation))
        {
            let degrees = few_digits(placed.rotation);
            return Err(Problem::new(format!("{name} is turned by {degrees} degrees"))
                .help(format!("the item allows {allowed:?}")));
        }
        let turned = turn(&item.outline, placed.rotation);
        let height = height(&turned);
        if height > self.strip.height() * (1.0 + 1e-9) {
            return Err(Problem::new(format!("{name} is {} high", few_digits(height)))
                .help(format!("the strip is {} high", few_digits(self.strip.height()))));
        }
        let far = |corner: &[f64; 2]| {
            (0..2).map(|k| (corner[k] + placed.translation[k]).abs()).fold(0.0, f64::max)
        };
        let far = turned.iter().flatten().map(far).fold(0.0, f64::max);
        if far > FARTHEST * self.strip.height() {
            return Err(Problem::new(format!("{name} lies at {far:.5e}, too far from the origin"))
                .help(format!(
                    "coordinates are at most {FARTHEST:e} times the height of the strip, or rounding \
                     would be seen: move the drawing to the origin"
                )));
        }
        Ok(())
    }
}

/// Refuses what is too far out for the arithmetic of areas and distances.
fn check_coordinate(what: &str, reach: f64) -> Result<()> {
    if reach <= MOST_COORDINATE {
        return Ok(());
    }
    let message = match reach.is_finite() {
        true => format!("{what} has the coordinate {reach:e}"),
        false => format!("{what} has a coordinate that is no finite number"),
    };
    Err(Problem::new(message)
        .help(format!("coordinates of layouts are at most {MOST_COORDINATE:e}: use other units")))
}

fn height(loops: &[Vec<[f64; 2]>]) -> f64 {
    let ys = || loops.iter().flatten().map(|c| c[1]);
    ys().fold(f64::NEG_INFINITY, f64::max) - ys().fold(f64::INFINITY, f64::min)
}

/// Whether two angles are the same turn, to the accuracy of single precision.
fn same_angle(a: f64, b: f64) -> bool {
    let difference = (a - b).rem_euclid(360.0);
    difference.min(360.0 - difference) < 1e-3
}

/// The loops of an outline turned about the origin; quarter turns are exact.
pub(crate) fn turn(outline: &Outline, degrees: f64) -> Vec<Vec<[f64; 2]>> {
    let (sin, cos) = match degrees.rem_euclid(360.0) {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        other => other.to_radians().sin_cos(),
    };
    let turned = |[x, y]: [f64; 2]| [cos * x - sin * y, sin * x + cos * y];
    outline.loops().map(|corners| corners.iter().copied().map(turned).collect()).collect()
}

fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    let unreadable =
        |e: std::io::Error| Problem::new(format!("cannot read the layout: {e}")).in_file(path);
    let length = std::fs::metadata(path).map_err(unreadable)?.len();
    if length > LONGEST_FILE {
        return Err(Problem::new(format!("the file has {length} bytes"))
            .in_file(path)
            .help(format!("a layout has at most {LONGEST_FILE}")));
    }
    std::fs::read(path).map_err(unreadable)
}

fn text(bytes: &[u8]) -> Result<&str> {
    // A byte order mark says nothing that UTF-8 does not say itself.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|e| {
        Problem::new(format!("the file is no UTF-8 text: byte {} is none", e.valid_up_to()))
            .help("save it as UTF-8")
    })
}

fn ending(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}

fn unknown_ending(path: &Path) -> Problem {
    Problem::new(format!("{} is no layout file", path.display()))
        .help("layouts end in .json, .svg or .dxf")
}

/// Puts the name of an item before what is wrong with it.
fn in_item(problem: Problem, id: impl std::fmt::Display) -> Problem {
    Problem { message: format!("item {id}: {}", problem.message), ..problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(placed: Placed, orientations: Option<Vec<f64>>) -> Layout {
        let outline = Outline::new(&[[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [0.0, 1.0]], &[]).unwrap();
        Layout::new(
            "bar",
            vec![Item { orientations, ..Item::new(3, outline, 1) }],
            Strip { min: [0.0, 0.0], max: [10.0, 2.0] },
            vec![placed],
        )
    }

    const FLAT: Placed = Placed { item: 0, rotation: 0.0, translation: [1.0, 0.5], fixed: false };

    #[test]
    fn quarter_turns_are_exact() {
        let layout = bar(Placed { rotation: -270.0, ..FLAT }, None);
        let piece = layout.piece(&layout.placed[0]);
        assert_eq!(piece, [[[1.0, 0.5], [1.0, 4.5], [0.0, 4.5], [0.0, 0.5]]]);
        assert_eq!(layout.density(), 0.2);
    }

    #[test]
    fn impossible_placements_are_named() {
        let refused = |layout: Layout| layout.checked().unwrap_err().to_string();
        let tall = refused(bar(Placed { rotation: 90.0, ..FLAT }, None));
        assert_eq!(tall, "piece 0 (item 3) is 4 high\n  help: the strip is 2 high");
        let turned = refused(bar(Placed { rotation: 180.0, ..FLAT }, Some(vec![0.0])));
        assert!(turned.contains("is turned by 180 degrees\n  help: the item allows [0.0]"));
        assert!(bar(Placed { rotation: -180.0, ..FLAT }, Some(vec![0.0, 180.0])).checked().is_ok());
        let nowhere = refused(bar(Placed { translation: [f64::NAN, 0.0], ..FLAT }, None));
        assert!(nowhere.contains("is placed at NaN"));
        let mut flat = bar(FLAT, None);
        flat.strip.max[1] = 0.0;
        assert!(refused(flat).contains("the strip reaches from [0.0, 0.0] to [10.0, 0.0]"));
    }

    #[test]
    fn layouts_without_pieces_are_refused() {
        let read = |text: &str| Layout::from_bytes("x.svg".as_ref(), text.as_bytes(), None);
        let strip = "<rect id='strip' width='9' height='5'/>";
        let problem = read(&format!("<svg>{strip}<path id='open' d='M1 1h3'/></svg>")).unwrap_err();
        assert_eq!(problem.message, "the layout has no pieces");
        assert!(problem.help.unwrap().contains("<path id=\"open\"> is no part of a piece"));
        assert!(read(&format!("<svg>{strip}<circle cx='3' cy='3' r='1'/></svg>")).is_ok());
    }

    /// A strip of height 2: what rounding would move by more than pieces are kept apart by.
    #[test]
    fn layouts_far_from_the_origin_are_refused() {
        let far = |x: f64| {
            let mut layout = bar(Placed { translation: [x, 0.5], ..FLAT }, None);
            layout.strip = Strip { min: [x, 0.0], max: [x + 10.0, 2.0] };
            layout.checked()
        };
        assert!(far(1e5).is_ok());
        let problem = far(1e6).unwrap_err();
        assert!(problem.message.contains("too far from the origin"), "{problem}");
    }

    #[test]
    fn endings_decide() {
        let problem = Layout::read(Path::new("no.such"), None).unwrap_err();
        assert!(problem.message.starts_with("cannot read the layout"));
        let layout = bar(FLAT, None);
        assert!(
            layout.write(Path::new("x.png"), None).unwrap_err().message.contains("no layout file")
        );
    }
}
