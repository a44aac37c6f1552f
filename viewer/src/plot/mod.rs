//! Plots as vector pictures: axes with round numbers, lines, bars and marks.
//! The colours read on light and on dark paper, so nothing is painted behind
//! them. [`energy`], [`seconds`], [`forces`] and [`ledger`] plot a run.

mod axis;
mod ledger;
mod run;

pub(crate) use axis::round_step;
pub use axis::{Axis, Scale};
pub use ledger::ledger;
pub use run::{energy, forces, seconds, wants_logarithm};

use crate::markup::{Svg, length, path};
use crate::palette::{self, INK};
use axis::Ruler;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
/// Room for the labels of the y axis, the right end, the title, and the labels of the x axis.
const LEFT: f64 = 72.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 52.0;

/// A plot: two axes and what is drawn between them.
///
/// ```
/// use riprap_viewer::plot::{Axis, Plot, Series, Shape};
/// let line = Series::new("g(r)", Shape::Line(vec![[0.0, 0.0], [1.0, 2.5], [2.0, 1.0]]));
/// let plot = Plot {
///     title: "Pair correlation".into(),
///     x: Axis::linear("distance / diameter"),
///     y: Axis::linear("g"),
///     series: vec![line],
/// };
/// assert!(plot.to_svg().starts_with("<svg"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Above the plot.
    pub title: String,
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// What is drawn, the first at the bottom.
    pub series: Vec<Series>,
}

/// Something drawn in one colour, with a name in the legend unless that is empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// In the legend.
    pub name: String,
    /// What is drawn.
    pub shape: Shape,
}

/// What a series looks like; coordinates are those of the axes.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// From point to point.
    Line(Vec<[f64; 2]>),
    /// A dashed line in the colour of the axes: something to compare with.
    Guide(Vec<[f64; 2]>),
    /// Upright bars.
    Bars(Vec<Bar>),
    /// Short strokes at the bottom, one for each x.
    Strokes(Vec<f64>),
}

/// An upright bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Where it begins along x.
    pub left: f64,
    /// Where it ends along x.
    pub right: f64,
    /// Where it begins along y.
    pub bottom: f64,
    /// Where it ends along y.
    pub top: f64,
}

impl Series {
    /// Something to draw, and its name.
    pub fn new(name: impl Into<String>, shape: Shape) -> Series {
        Series { name: name.into(), shape }
    }
}

/// Plots one below the other.
pub fn sheet(plots: &[Plot]) -> String {
    let title = plots.iter().map(|plot| plot.title.as_str()).collect::<Vec<_>>().join("; ");
    let mut svg = Svg::new(WIDTH, HEIGHT * plots.len() as f64, &title);
    for (number, plot) in plots.iter().enumerate() {
        let place = format!("translate(0 {})", length(HEIGHT * number as f64));
        svg.open("g", &[("transform", &place)]);
        plot.draw(&mut svg);
        svg.close();
    }
    svg.finish()
}

impl Plot {
    /// The plot as text.
    pub fn to_svg(&self) -> String {
        let mut svg = Svg::new(WIDTH, HEIGHT, &self.title);
        self.draw(&mut svg);
        svg.finish()
    }

    fn draw(&self, svg: &mut Svg) {
        let frame = self.frame();
        let title = [("font-size", "15"), ("font-weight", "600"), ("fill", INK)];
        svg.label([LEFT, 22.0], "start", &title, &self.title);
        frame.draw_axes(svg, self);
        for (number, series) in self.series.iter().enumerate() {
            frame.draw_series(svg, &series.shape, &palette::distinct(number));
        }
        self.draw_legend(svg);
    }

    /// Both axes fitted to everything that is drawn.
    fn frame(&self) -> Frame {
        let (mut xs, mut ys) = (Vec::new(), Vec::new());
        for series in &self.series {
            match &series.shape {
                Shape::Line(points) | Shape::Guide(points) => {
                    xs.extend(points.iter().map(|p| p[0]));
                    ys.extend(points.iter().map(|p| p[1]));
                }
                Shape::Bars(bars) => {
                    xs.extend(bars.iter().flat_map(|bar| [bar.left, bar.right]));
                    ys.extend(bars.iter().flat_map(|bar| [bar.bottom, bar.top]));
                }
                Shape::Strokes(places) => xs.extend(places),
            }
        }
        Frame {
            x: Ruler::new(&self.x, &xs, [LEFT, WIDTH - RIGHT]),
            y: Ruler::new(&self.y, &ys, [HEIGHT - BOTTOM, TOP]),
        }
    }

    /// Names in a row above the plot, right-aligned.
    fn draw_legend(&self, svg: &mut Svg) {
        let mut right = WIDTH - RIGHT;
        for (number, series) in self.series.iter().enumerate().rev() {
            if series.name.is_empty() {
                continue;
            }
            svg.label([right, 22.0], "end", &[("font-size", "12"), ("fill", INK)], &series.name);
            // An average letter is about half as wide as high.
            right -= 6.5 * series.name.chars().count() as f64 + 8.0;
            let own = palette::distinct(number);
            let colour = series.shape.colour(&own);
            let ends = ([right - 14.0, 18.0], [right, 18.0]);
            let (width, dashes) = series.shape.sample();
            svg.line(
                ends.0,
                ends.1,
                &[("stroke", colour), ("stroke-width", width), ("stroke-dasharray", dashes)],
            );
            right -= 30.0;
        }
    }
}

impl Shape {
    fn colour<'a>(&self, own: &'a str) -> &'a str {
        if matches!(self, Shape::Guide(_)) { INK } else { own }
    }

    /// How the legend shows it: width and dashes of a short line.
    fn sample(&self) -> (&'static str, &'static str) {
        match self {
            Shape::Line(_) | Shape::Strokes(_) => ("2", "none"),
            Shape::Guide(_) => ("1.5", "5 4"),
            Shape::Bars(_) => ("10", "none"),
        }
    }
}

/// The area between the axes.
struct Frame {
    x: Ruler,
    y: Ruler,
}

impl Frame {
    fn draw_axes(&self, svg: &mut Svg, plot: &Plot) {
        let (left, right) = (LEFT, WIDTH - RIGHT);
        let (bottom, top) = (HEIGHT - BOTTOM, TOP);
        svg.open("g", &[("font-size", "12"), ("fill", INK), ("stroke-width", "1")]);
        let faint = [("stroke", INK), ("stroke-opacity", "0.25")];
        for (y, label) in &self.y.ticks {
            svg.line([left, *y], [right, *y], &faint);
            svg.label([left - 8.0, y + 4.0], "end", &[], label);
        }
        for (x, label) in &self.x.ticks {
            svg.line([*x, bottom], [*x, bottom + 5.0], &[("stroke", INK)]);
            svg.label([*x, bottom + 20.0], "middle", &[], label);
        }
        svg.line([left, bottom], [right, bottom], &[("stroke", INK)]);
        svg.label([0.5 * (left + right), HEIGHT - 10.0], "middle", &[], &plot.x.label);
        let middle = 0.5 * (top + bottom);
        let turned = format!("rotate(-90 16 {})", length(middle));
        svg.label([16.0, middle], "middle", &[("transform", &turned)], &plot.y.label);
        svg.close();
    }

    fn draw_series(&self, svg: &mut Svg, shape: &Shape, colour: &str) {
        match shape {
            Shape::Line(points) => self.draw_line(svg, points, &[("stroke", colour)]),
            Shape::Guide(points) => {
                self.draw_line(svg, points, &[("stroke", INK), ("stroke-dasharray", "5 4")]);
            }
            Shape::Bars(bars) => bars.iter().for_each(|bar| self.draw_bar(svg, bar, colour)),
            Shape::Strokes(places) => {
                let bottom = HEIGHT - BOTTOM;
                for x in places.iter().filter_map(|&x| self.x.place(x)) {
                    svg.line([x, bottom], [x, bottom - 10.0], &[("stroke", colour)]);
                }
            }
        }
    }

    fn draw_line(&self, svg: &mut Svg, points: &[[f64; 2]], stroke: &[(&str, &str)]) {
        let places = points.iter().filter_map(|p| Some([self.x.place(p[0])?, self.y.place(p[1])?]));
        let line = path(thin(&places.collect::<Vec<_>>()), false);
        let mut attributes = vec![
            ("d", line.as_str()),
            ("fill", "none"),
            ("stroke-width", "1.75"),
            ("stroke-linejoin", "round"),
        ];
        attributes.extend(stroke);
        svg.leaf("path", &attributes);
    }

    fn draw_bar(&self, svg: &mut Svg, bar: &Bar, colour: &str) {
        let (Some(left), Some(right)) = (self.x.place(bar.left), self.x.place(bar.right)) else {
            return;
        };
        let Some(top) = self.y.place(bar.top) else { return };
        // On a logarithmic axis a bar that starts at 0 starts at the axis.
        let bottom = self.y.place(bar.bottom).unwrap_or(HEIGHT - BOTTOM);
        // A pixel of air between neighbours.
        let (x, width) = (length(left + 0.5), length((right - left - 1.0).max(0.5)));
        let (y, height) = (length(top), length((bottom - top).max(0.0)));
        svg.leaf(
            "rect",
            &[("x", &x), ("y", &y), ("width", &width), ("height", &height), ("fill", colour)],
        );
    }
}

/// Of long lines, the first, lowest, highest and last point in every half
/// pixel: the same picture from fewer points.
fn thin(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut kept = Vec::new();
    for column in points.chunk_by(|a, b| (2.0 * a[0]).floor() == (2.0 * b[0]).floor()) {
        let place = |compare: fn(f64, f64) -> bool| {
            (0..column.len())
                .reduce(|best, k| if compare(column[k][1], column[best][1]) { k } else { best })
        };
        let mut chosen =
            vec![Some(0), place(|a, b| a < b), place(|a, b| a > b), column.len().checked_sub(1)];
        chosen.sort();
        chosen.dedup();
        kept.extend(chosen.into_iter().flatten().map(|k| column[k]));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markup::tests::elements;

    fn plot(series: Vec<Series>) -> Plot {
        let (x, y) = (Axis::linear("x [<m>]"), Axis::linear("y"));
        Plot { title: "a & b".into(), x, y, series }
    }

    #[test]
    fn every_shape_is_drawn_and_named() {
        let bar = Bar { left: 0.0, right: 1.0, bottom: 0.0, top: 5.0 };
        let text = plot(vec![
            Series::new("line", Shape::Line(vec![[0.0, 1.0], [2.0, 3.0]])),
            Series::new("guide", Shape::Guide(vec![[0.0, 0.0], [2.0, 2.0]])),
            Series::new("bars", Shape::Bars(vec![bar, bar])),
            Series::new("", Shape::Strokes(vec![0.5, 1.5])),
        ])
        .to_svg();
        let names = elements(&text);
        let count = |name: &str| names.iter().filter(|other| *other == name).count();
        assert_eq!((count("path"), count("rect")), (2, 2));
        for word in [">line<", ">guide<", ">bars<", ">x [&lt;m&gt;]<", ">a &amp; b<"] {
            assert!(text.contains(word), "{word} in {text}");
        }
    }

    #[test]
    fn a_sheet_holds_its_plots_one_below_the_other() {
        let line = |name: &str| plot(vec![Series::new(name, Shape::Line(vec![[0.0, 1.0]]))]);
        let text = sheet(&[line("first"), line("second")]);
        let names = elements(&text);
        assert_eq!(names.iter().filter(|name| *name == "path").count(), 2);
        assert!(text.contains("height=\"720\"") && text.contains("translate(0 360)"), "{text}");
        assert!(text.contains(">first<") && text.contains(">second<"));
    }

    #[test]
    fn nothing_and_odd_numbers_make_a_plot_too() {
        elements(&plot(vec![]).to_svg());
        let odd = vec![[f64::NAN, 1.0], [1.0, f64::INFINITY], [2.0, 2.0]];
        elements(&plot(vec![Series::new("", Shape::Line(odd.clone()))]).to_svg());
        let logarithmic = Axis::logarithmic("y");
        elements(
            &Plot { y: logarithmic, ..plot(vec![Series::new("", Shape::Line(odd))]) }.to_svg(),
        );
    }

    #[test]
    fn long_lines_keep_their_extremes() {
        let wave: Vec<[f64; 2]> = (0..10_000)
            .map(|k| [k as f64 / 100.0, if k == 5000 { 9.0 } else { (k as f64).sin() }])
            .collect();
        let kept = thin(&wave);
        assert!(kept.len() < 1000, "{}", kept.len());
        assert!(kept.contains(&[50.0, 9.0]));
        assert_eq!((kept[0], kept.last()), (wave[0], wave.last()));
        assert_eq!(thin(&wave[..1]), wave[..1]);
    }
}
