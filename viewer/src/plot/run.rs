//! Plots of one run: its energy, where its time went, and its forces.

use riprap::Result;
use riprap::trajectory::{Reader, StepKind};

use super::{Axis, Bar, Plot, Series, Shape};
use crate::contacts::last_contacts;

/// The energy over the steps. Where there is time, with its parts, motion and height, the lowest
/// of which counts as 0; else strokes mark the steps that polish or escape.
pub fn energy(reader: &Reader) -> Result<Plot> {
    let timed = reader.model().method.time().is_some();
    let (mut steps, mut energies, mut kinetic) = (Vec::new(), Vec::new(), Vec::new());
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
        if timed {
            kinetic.push(reader.model().kinetic_energy(&frame.state));
        }
    }
    let line = |name: &str, values: &mut dyn Iterator<Item = f64>| {
        let points = steps.iter().zip(values).map(|(step, value)| [*step, value]);
        Series::new(name, Shape::Line(points.collect()))
    };
    let (y, mut series) = if timed {
        let potential: Vec<f64> = energies.iter().zip(&kinetic).map(|(e, k)| e - k).collect();
        let lowest = potential.iter().copied().fold(f64::INFINITY, f64::min);
        let series = vec![
            line("total", &mut energies.iter().map(|energy| energy - lowest)),
            line("potential", &mut potential.iter().map(|energy| energy - lowest)),
            line("kinetic", &mut kinetic.iter().copied()),
        ];
        (Axis::linear("energy above the lowest potential [scene units]").including(0.0), series)
    } else if wants_logarithm(&energies) {
        let last = energies.last().copied().unwrap_or(0.0);
        let above = line("", &mut energies.iter().map(|energy| energy - last));
        (Axis::logarithmic("energy above the end [scene units]"), vec![above])
    } else {
        (Axis::linear("energy [scene units]"), vec![line("", &mut energies.iter().copied())])
    };
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

/// Kinds of steps that take time, as plots call them.
const KINDS: [(StepKind, &str); 7] = [
    (StepKind::Settle, "settle"),
    (StepKind::Polish, "polish"),
    (StepKind::Escape, "escape"),
    (StepKind::Hop, "hop"),
    (StepKind::Collapse, "collapse"),
    (StepKind::Dynamics, "dynamics"),
    (StepKind::Separate, "separate"),
];

/// The seconds spent in each phase, stacked by the kind of the step.
pub fn seconds(reader: &Reader) -> Result<Plot> {
    let phases = reader.phases();
    let mut sums = vec![[0.0; KINDS.len()]; phases.len()];
    for frame in reader.frames() {
        let frame = frame?;
        let Some(kind) = KINDS.iter().position(|(kind, _)| *kind == frame.kind) else { continue };
        for (sum, seconds) in sums.iter_mut().zip(&frame.seconds) {
            sum[kind] += f64::from(*seconds);
        }
    }
    let mut series = Vec::new();
    for (kind, (_, name)) in KINDS.into_iter().enumerate() {
        let bar = |(phase, sum): (usize, &[f64; KINDS.len()])| {
            let (place, bottom) = (phase as f64, sum[..kind].iter().sum::<f64>());
            Bar { left: place - 0.35, right: place + 0.35, bottom, top: bottom + sum[kind] }
        };
        if sums.iter().any(|sum| sum[kind] > 0.0) {
            series.push(Series::new(name, Shape::Bars(sums.iter().enumerate().map(bar).collect())));
        }
    }
    Ok(Plot {
        title: format!("{}: time by phase", reader.model().name),
        x: Axis::names("phase of the step", phases.to_vec()),
        y: Axis::linear("time [s]").including(0.0),
        series,
    })
}

/// How the contact forces at the end are distributed, in units of their mean.
/// The guide is the exponential law that forces in packings follow roughly.
pub fn forces(reader: &Reader) -> Result<Plot> {
    let forces: Vec<f64> =
        last_contacts(reader)?.iter().map(|contact| contact.force.length()).collect();
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
    Ok(Plot {
        title: format!("{}: contact forces", reader.model().name),
        x: Axis::linear("force / mean force").including(0.0),
        y: Axis::logarithmic("probability density"),
        series,
    })
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
    fn where_there_is_time_energy_has_parts() {
        let plot = energy(&samples::collapse(9).reader()).unwrap();
        let line = |k: usize| match &plot.series[k].shape {
            Shape::Line(points) => points.clone(),
            _ => panic!("a line"),
        };
        let names: Vec<&str> = plot.series.iter().map(|series| series.name.as_str()).collect();
        assert_eq!(names, ["total", "potential", "kinetic"]);
        for ((total, potential), kinetic) in line(0).iter().zip(line(1)).zip(line(2)) {
            assert!((total[1] - potential[1] - kinetic[1]).abs() < 1e-9);
            assert!(potential[1] >= 0.0 && kinetic[1] >= 0.0);
        }
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
    fn every_method_has_its_seconds() {
        let plot = seconds(&samples::dynamics(12, 4).reader()).unwrap();
        let names: Vec<&str> = plot.series.iter().map(|series| series.name.as_str()).collect();
        assert_eq!(names, ["dynamics"]);
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
        let plot = forces(&run.reader()).unwrap();
        assert_eq!(plot.series.len(), 2);
        elements(&plot.to_svg());
        let none = forces(&samples::unfinished(27, 2).reader()).unwrap();
        assert!(none.series.is_empty());
        elements(&none.to_svg());
    }
}
