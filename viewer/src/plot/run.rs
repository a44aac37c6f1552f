//! Plots of one run: its energy, where its time went, and its forces.

use riprap::Result;
use riprap::trajectory::{Reader, StepKind};

use super::{Axis, Bar, Plot, Series, Shape};
use crate::contacts::known_contacts;

/// The energy over the steps; strokes mark those that polish or escape.
pub fn energy(reader: &Reader) -> Result<Plot> {
    let (mut steps, mut energies) = (Vec::new(), Vec::new());
    let (mut polishes, mut escapes) = (Vec::new(), Vec::new());
    for frame in reader.frames() {
        let frame = frame?;
        let step = frame.step as f64;
        match frame.kind {
            StepKind::Polish => polishes.push(step),
            StepKind::Escape => escapes.push(step),
            _ => {}
        }
        steps.push(step);
        energies.push(frame.energy);
    }
    let (y, level) = if wants_logarithm(&energies) {
        let last = energies.last().copied().unwrap_or(0.0);
        (Axis::logarithmic("energy above the end [scene units]"), last)
    } else {
        (Axis::linear("energy [scene units]"), 0.0)
    };
    let points = steps.into_iter().zip(energies).map(|(step, energy)| [step, energy - level]);
    let mut series = vec![Series::new("", Shape::Line(points.collect()))];
    for (name, places) in [("polish", polishes), ("escape", escapes)] {
        if !places.is_empty() {
            series.push(Series::new(name, Shape::Strokes(places)));
        }
    }
    Ok(Plot {
        title: format!("{}: energy", reader.model().name),
        x: Axis::linear("step").including(0.0),
        y,
        series,
    })
}

/// Whether most of a falling curve lies so low that a linear axis would show
/// it as flat: more than half of its values in the lowest thousandth.
///
/// ```
/// use riprap_viewer::plot::wants_logarithm;
/// assert!(!wants_logarithm(&[10.0, 8.0, 5.0, 0.0]));
/// assert!(wants_logarithm(&[10.0, 1e-3, 1e-5, 0.0]));
/// ```
pub fn wants_logarithm(values: &[f64]) -> bool {
    let (Some(first), Some(last)) = (values.first(), values.last()) else { return false };
    let limit = last + 1e-3 * (first - last);
    first > last && 2 * values.iter().filter(|value| **value < limit).count() > values.len()
}

/// The seconds spent in each act, stacked by the kind of the step.
pub fn seconds(reader: &Reader) -> Result<Plot> {
    let acts = reader.acts();
    let kinds = [StepKind::Settle, StepKind::Polish, StepKind::Escape];
    let mut sums = vec![[0.0; 3]; acts.len()];
    for frame in reader.frames() {
        let frame = frame?;
        let Some(kind) = kinds.iter().position(|kind| *kind == frame.kind) else { continue };
        for (sum, seconds) in sums.iter_mut().zip(&frame.report.seconds) {
            sum[kind] += f64::from(*seconds);
        }
    }
    let mut series = Vec::new();
    for (kind, name) in ["settle", "polish", "escape"].into_iter().enumerate() {
        let bar = |(act, sum): (usize, &[f64; 3])| {
            let (place, bottom) = (act as f64, sum[..kind].iter().sum::<f64>());
            Bar { left: place - 0.35, right: place + 0.35, bottom, top: bottom + sum[kind] }
        };
        if sums.iter().any(|sum| sum[kind] > 0.0) {
            series.push(Series::new(name, Shape::Bars(sums.iter().enumerate().map(bar).collect())));
        }
    }
    Ok(Plot {
        title: format!("{}: time by act", reader.model().name),
        x: Axis::names("act of the step", acts.to_vec()),
        y: Axis::linear("time [s]").including(0.0),
        series,
    })
}

/// How the contact forces at rest are distributed, in units of their mean.
/// The guide is the exponential law that forces in packings follow roughly.
pub fn forces(reader: &Reader) -> Plot {
    let forces: Vec<f64> =
        known_contacts(reader).iter().map(|contact| contact.force.abs()).collect();
    let mean = forces.iter().sum::<f64>() / forces.len().max(1) as f64;
    let mut series = Vec::new();
    if mean > 0.0 {
        let shares: Vec<f64> = forces.iter().map(|force| force / mean).collect();
        let bars = histogram(&shares);
        let end = bars.last().map_or(1.0, |bar| bar.right);
        let guide = (0..=60).map(|k| k as f64 / 60.0 * end).map(|x| [x, (-x).exp()]);
        series.push(Series::new("contacts", Shape::Bars(bars)));
        series.push(Series::new("exp(−f/⟨f⟩)", Shape::Guide(guide.collect())));
    }
    Plot {
        title: format!("{}: contact forces", reader.model().name),
        x: Axis::linear("force / mean force").including(0.0),
        y: Axis::logarithmic("probability density"),
        series,
    }
}

/// Bars of equal width from 0 upwards whose areas are shares of all values.
fn histogram(values: &[f64]) -> Vec<Bar> {
    // Twice the cube root of the count keeps bars both narrow and well filled (Rice).
    let most = values.iter().copied().fold(0.0, f64::max);
    let bins = (2.0 * (values.len() as f64).cbrt()).ceil().clamp(1.0, 60.0);
    let width = most / bins;
    let mut counts = vec![0_usize; bins as usize];
    for value in values {
        let bin = ((value / width) as usize).min(counts.len() - 1);
        counts[bin] += 1;
    }
    let bar = |(k, count): (usize, &usize)| {
        let left = k as f64 * width;
        let top = *count as f64 / (values.len() as f64 * width);
        Bar { left, right: left + width, bottom: 0.0, top }
    };
    counts.iter().enumerate().map(bar).filter(|bar| bar.top > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markup::tests::elements;
    use crate::samples;

    #[test]
    fn the_energy_falls_step_by_step() {
        let run = samples::finished(27, 9);
        let plot = energy(&run.reader()).unwrap();
        assert_eq!(
            (plot.title.as_str(), plot.y.label.as_str()),
            ("sample: energy", "energy [scene units]")
        );
        let Shape::Line(points) = &plot.series[0].shape else { panic!("a line") };
        assert_eq!((points.len(), points[8][0]), (9, 8.0));
        assert!(points.is_sorted_by(|a, b| a[1] > b[1]));
        assert_eq!(plot.series[1], Series::new("polish", Shape::Strokes(vec![8.0])));
        assert_eq!(plot.series[2], Series::new("escape", Shape::Strokes(vec![2.0])));
        elements(&plot.to_svg());
    }

    #[test]
    fn flat_tails_ask_for_a_logarithm() {
        assert!(!wants_logarithm(&[]));
        assert!(!wants_logarithm(&[1.0]));
        assert!(!wants_logarithm(&[1.0, 1.0, 1.0]));
        assert!(!wants_logarithm(&[-1.0, 0.0, 0.0, 0.0]), "rising");
        assert!(wants_logarithm(&[-1.0, -9.9999, -9.99999, -10.0]));
    }

    #[test]
    fn seconds_are_stacked() {
        let run = samples::finished(8, 5);
        let plot = seconds(&run.reader()).unwrap();
        let names: Vec<&str> = plot.series.iter().map(|series| series.name.as_str()).collect();
        assert_eq!(names, ["settle", "polish", "escape"]);
        let Shape::Bars(settle) = &plot.series[0].shape else { panic!("bars") };
        let Shape::Bars(polish) = &plot.series[1].shape else { panic!("bars") };
        assert_eq!((settle[2].bottom, settle[2].top), (0.0, 2.0), "two steps of one second");
        assert_eq!((polish[2].bottom, polish[2].top), (2.0, 3.0));
        elements(&plot.to_svg());
    }

    #[test]
    fn the_histogram_has_area_one() {
        let values: Vec<f64> = (0..500).map(|k| -(1.0 - k as f64 / 500.0).ln()).collect();
        let bars = histogram(&values);
        let area: f64 = bars.iter().map(|bar| (bar.right - bar.left) * bar.top).sum();
        assert!((area - 1.0).abs() < 1e-12, "{area}");
        let middle = 0.5 * (bars[0].left + bars[0].right);
        assert!(
            (bars[0].top - (-middle).exp()).abs() < 0.02,
            "exponential values follow the guide"
        );
    }

    #[test]
    fn forces_need_contacts() {
        let run = samples::finished(27, 2);
        let plot = forces(&run.reader());
        assert_eq!(plot.series.len(), 2);
        elements(&plot.to_svg());
        let none = forces(&samples::unfinished(27, 2).reader());
        assert!(none.series.is_empty());
        elements(&none.to_svg());
    }
}
