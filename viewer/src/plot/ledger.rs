//! The ledger of time steps as plots: errors, contacts and momentum, step by step.

use riprap::Result;
use riprap::trajectory::{Ledger, Reader};

use super::{Axis, Plot, Series, Shape};

/// Errors below this are not worth a logarithm.
const FLOOR: f64 = 1e-17;

/// Plots with their names; none for methods without time.
pub fn ledger(reader: &Reader) -> Result<Vec<(&'static str, Plot)>> {
    let mut ledgers: Vec<(f64, Ledger)> = Vec::new();
    for frame in reader.frames() {
        let frame = frame?;
        if let Some(ledger) = frame.report.ledger.filter(|_| frame.step > 0) {
            ledgers.push((frame.step as f64, ledger));
        }
    }
    if ledgers.is_empty() {
        return Ok(Vec::new());
    }
    let line = |name: &str, value: &dyn Fn(&Ledger) -> Option<f64>| {
        let points = ledgers.iter().filter_map(|(step, l)| value(l).map(|v| [*step, v]));
        Series::new(name, Shape::Line(points.collect()))
    };
    let plot = |title: &str, y: Axis, series: Vec<Series>| Plot {
        title: format!("{}: {title}", reader.model().name),
        x: Axis::linear("step").including(0.0),
        y,
        series: series.into_iter().filter(|s| !is_empty(s)).collect(),
    };
    let positive = |value: f64| (value > FLOOR).then_some(value);
    let errors = vec![
        line("overlap", &|l| positive(2.0 * l.penetration)),
        line("error of joints", &|l| l.joint_error.and_then(positive)),
        line("asymmetry", &|l| l.asymmetry.and_then(positive)),
        line("residual", &|l| positive(l.residual)),
    ];
    let changes = ledgers.iter().filter(|(_, l)| l.changes > 0).map(|(step, _)| *step).collect();
    let contacts = vec![
        line("rows", &|l| Some(f64::from(l.rows))),
        line("pushing", &|l| Some(f64::from(l.pushing))),
        Series::new("the contact set changes", Shape::Strokes(changes)),
    ];
    let momentum = vec![
        line("x", &|l| Some(l.momentum[0])),
        line("y", &|l| Some(l.momentum[1])),
        line("z", &|l| Some(l.momentum[2]).filter(|_| reader.model().dimension == 3)),
        line("angular, about z", &|l| Some(l.angular_momentum[2])),
    ];
    let mut plots = vec![
        (
            "contacts",
            plot("contacts", Axis::linear("rows of the program").including(0.0), contacts),
        ),
        ("momentum", plot("momentum", Axis::linear("momentum [scene units]"), momentum)),
    ];
    let errors = plot("errors", Axis::logarithmic("relative error"), errors);
    if !errors.series.is_empty() {
        plots.push(("errors", errors));
    }
    Ok(plots)
}

fn is_empty(series: &Series) -> bool {
    match &series.shape {
        Shape::Line(points) | Shape::Guide(points) => points.is_empty(),
        Shape::Bars(bars) => bars.is_empty(),
        Shape::Strokes(places) => places.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn time_steps_have_a_ledger_and_others_none() {
        assert!(ledger(&samples::finished(8, 4).reader()).unwrap().is_empty());
        let plots = ledger(&samples::dynamics(12, 7).reader()).unwrap();
        let names: Vec<&str> = plots.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["contacts", "momentum", "errors"]);
        let series =
            |k: usize| plots[k].1.series.iter().map(|s| s.name.as_str()).collect::<Vec<_>>();
        assert_eq!(series(0), ["rows", "pushing", "the contact set changes"]);
        assert_eq!(series(2), ["overlap", "error of joints", "residual"]);
    }
}
