//! `riprap measure`: a run in a few numbers, and its plots.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use riprap::export::write_whole;
use riprap::measure::{Heap, Summary, measure as measure_heap, summarise};
use riprap::scene::MethodName;
use riprap::step::dynamics::oracle::{Distance, distance};
use riprap::trajectory::Reader;
use riprap::{Problem, Result};
use riprap_viewer::plot::{self, Plot, sheet};
use serde_json::{Value, json};

use crate::run::{bodies, energies, figure, methods, outcome, overlaps, uses_energy};
use crate::{Done, output, print};

pub fn measure(run: &Path, out: Option<&Path>, force: bool, as_json: bool) -> Result<Done> {
    let reader = Reader::open(run)?;
    let summary = summarise(&reader).map_err(|problem| problem.in_file(run))?;
    let heap = measure_heap(&reader).map_err(|problem| problem.in_file(run))?;
    if let Some(out) = out {
        draw(&reader, run, out, force)?;
    }
    let distance = oracle(&reader)?;
    print(&match as_json {
        true => format!("{}\n", json(&summary, &heap, distance)),
        false => report(&summary, &heap, distance),
    })
}

/// How far a step from the end of a dynamics run is from the exact program's, where there is one.
fn oracle(reader: &Reader) -> Result<Option<Distance>> {
    let model = reader.last_model();
    let is_dynamics = model.method.name() == MethodName::Dynamics;
    match reader.len().checked_sub(1).filter(|_| is_dynamics) {
        None => Ok(None),
        Some(last) => Ok(distance(model, &reader.frame(last)?.state).ok()),
    }
}

/// One sheet with all plots, or a folder with a file for each.
fn draw(reader: &Reader, run: &Path, out: &Path, force: bool) -> Result<()> {
    let mut plots = vec![("energy", plot::energy(reader)?)];
    plots.push(("time", plot::seconds(reader)?));
    plots.extend(plot::ledger(reader)?);
    let forces = plot::forces(reader)?;
    // Before a run has come to rest, nobody knows its forces.
    if !forces.series.is_empty() {
        plots.push(("forces", forces));
    }
    match out.extension() {
        Some(ending) if ending.eq_ignore_ascii_case("svg") => {
            output::check(out, force, &[run])?;
            let plots: Vec<Plot> = plots.into_iter().map(|(_, plot)| plot).collect();
            write_whole(out, sheet(&plots))?;
            eprintln!("{}: {} plots", out.display(), plots.len());
        }
        Some(_) if !out.is_dir() => {
            return Err(Problem::new(format!("cannot plot to {}", out.display()))
                .help("give an .svg for all plots on one sheet, or a folder for a file each"));
        }
        _ => {
            fs::create_dir_all(out).map_err(|e| {
                Problem::new(format!("cannot make the folder {}: {e}", out.display()))
            })?;
            let file = |name: &str| out.join(name).with_extension("svg");
            // None of them, if one may not be written.
            plots.iter().try_for_each(|(name, _)| output::check(&file(name), force, &[run]))?;
            for (name, plot) in plots {
                let file = file(name);
                write_whole(&file, plot.to_svg())?;
                eprintln!("{}", file.display());
            }
        }
    }
    Ok(())
}

fn json(summary: &Summary, heap: &Heap, distance: Option<Distance>) -> Value {
    let mut value = serde_json::to_value(summary).expect("a summary is plain data");
    value["height"] = json!(heap.height);
    value["height_of_mass"] = json!(heap.height_of_mass);
    value["packing_fraction"] = json!(heap.packing_fraction);
    value["strip"] = json!(heap.strip);
    value["rms_speed"] = json!(heap.rms_speed);
    value["stretch"] = json!(heap.stretch);
    value["forces"] = json!(heap.forces);
    value["from_exact_step"] = json!(distance);
    value
}

/// The numbers for people.
fn report(summary: &Summary, heap: &Heap, distance: Option<Distance>) -> String {
    let mut text = String::new();
    let reason = summary.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
    let _ = writeln!(text, "{}: {}{reason}", summary.scene, outcome(summary.outcome));
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:13} {value}");
    };
    let s = summary;
    line("method", methods(s));
    line("bodies", bodies(s));
    line("steps", format!("{}, median {:.1} ms", s.steps, s.ms_per_step));
    if uses_energy(s) {
        line("energy", energies(s));
    }
    if let (Some(top), Some(mass)) = (heap.height, heap.height_of_mass) {
        line("height", format!("{}, the centre of mass at {}", figure(top, 4), figure(mass, 4)));
    }
    if let Some(full) = heap.packing_fraction {
        line("packing", format!("{full:.4} of the container up to that height"));
    }
    if let Some(strip) = &heap.strip {
        line("strip", format!("{} long, {:.4} of it covered", strip.length, strip.density));
    }
    if let Some(speed) = heap.rms_speed {
        line("speed", format!("{speed:.3e}, root of the mean square"));
    }
    if let Some(stretch) = heap.stretch {
        line("stretch", format!("{:.3} % of a thread's length at most", 100.0 * stretch));
    }
    if let Some(forces) = &heap.forces {
        let (bodies, walls) = (forces.between_bodies, forces.with_container);
        let joints = match forces.of_joints {
            0 => String::new(),
            joints => format!(", {joints} of joints"),
        };
        line("contacts", format!("{bodies} between bodies, {walls} with the container{joints}"));
        line("coordination", format!("{:.3} contacts a body", forces.coordination));
        let told = |force: f64| match forces.mean_weight {
            Some(weight) => {
                let times = force / weight;
                format!("{} ({times:.2} of a body's mean weight)", figure(force, 6))
            }
            None => figure(force, 6),
        };
        line("mean force", told(forces.mean));
        line("largest force", told(forces.max));
    }
    if let Some(Distance { cold, warm }) = distance {
        let step =
            format!("a step ends {warm:.1e} g dt from the exact program's ({cold:.1e} cold)");
        line("oracle", step);
    }
    line("overlap", overlaps(s));
    text
}
