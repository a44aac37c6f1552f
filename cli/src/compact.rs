//! `riprap compact`: a layout in, a shorter one out, checked before it is written.

use std::fmt::Write;
use std::path::Path;

use riprap::layout::{Layout, bottom_left};
use riprap::run::{Keep, compact_into};
use riprap::step::compact::{
    Member, Options, Report, Turns, compact as compact_layout, compact_turning,
};
use riprap::verify::{LayoutVerdict, verify_layout};
use riprap::{Problem, Result};
use serde_json::json;

use crate::arguments::CompactOptions;
use crate::{Done, output, print};

pub fn compact(options: CompactOptions) -> Result<Done> {
    let start = cpu_time::ProcessTime::now();
    let outs: Vec<&Path> =
        std::iter::once(&options.out).chain(&options.run).map(|out| &**out).collect();
    output::check_all(&outs, options.force, &[&options.layout])?;
    check_use(&options)?;
    let mut layout = match options.from_instance {
        true => bottom_left(Layout::read_instance(&options.layout)?)
            .map_err(|problem| problem.in_file(&options.layout))?,
        false => Layout::read(&options.layout, options.tolerance)?,
    };
    if layout.placed.is_empty() {
        return Err(Problem::new("the instance has no pieces")
            .in_file(&options.layout)
            .help("an item has a demand of at least 1"));
    }
    for &index in &options.fixed {
        match layout.placed.get_mut(index) {
            Some(placed) => placed.fixed = true,
            None => {
                let count = layout.placed.len();
                return Err(Problem::new(format!("there is no piece {index} to fix"))
                    .in_file(&options.layout)
                    .help(format!("the layout has {count} pieces, counted from 0")));
            }
        }
    }
    let asked = Options {
        clearance: options.clearance,
        direction: options.direction,
        ..Options::default()
    };
    let before: Vec<f64> = layout.placed.iter().map(|placed| placed.rotation).collect();
    let turns = options.rotate.map(|most| Turns { most, held: options.no_turn.clone() });
    let report = match (&options.run, &turns) {
        (_, Some(turns)) => compact_turning(&mut layout, &asked, turns, |_, _| {}),
        (Some(out), None) => {
            let keep = Keep { out, force: options.force, scene_text: "", seed: 0 };
            compact_into(&mut layout, &asked, &keep)
        }
        (None, None) => compact_layout(&mut layout, &asked, |_, _| {}),
    };
    note_turns(&mut layout, &before);
    let report = report.map_err(|problem| problem.in_file(&options.layout))?;
    let verdict = verify_layout(&layout, options.clearance)?;
    if verdict.ok() {
        let chain: Vec<_> = report.chain.links.iter().map(|link| link.line).collect();
        layout.write(&options.out, options.chain.then_some(&chain[..]))?;
    }
    let seconds = start.elapsed().as_secs_f64();
    print(&match options.json {
        true => format!("{}\n", as_json(&layout, &report, &verdict, seconds, &options)),
        false => as_text(&layout, &report, &verdict, seconds),
    })?;
    Ok(if verdict.ok() { Done::Yes } else { Done::No })
}

/// Tells how far pieces have turned.
fn note_turns(layout: &mut Layout, before: &[f64]) {
    let turned =
        layout.placed.iter().zip(before).map(|(now, before)| (now.rotation - before).abs());
    let (count, most) = turned
        .filter(|angle| *angle > 0.0)
        .fold((0, 0.0), |(count, most), angle| (count + 1, f64::max(most, angle)));
    if count > 0 {
        layout.notes.push(format!(
            "{count} pieces have turned, by up to {most:.4} degrees; their items are free of orientations"
        ));
    }
}

/// Options that these files have no use for.
fn check_use(options: &CompactOptions) -> Result<()> {
    let ends = |path: &Path, ending: &str| {
        path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
    };
    let problem = |option: &str, why: &str, file: &Path| {
        Err(Problem::new(format!("{option} has no effect here: {why}"))
            .in_file(file)
            .help(format!("leave {option} out")))
    };
    if options.rotate.is_none() && !options.no_turn.is_empty() {
        return problem("--no-turn", "without --rotate no piece turns", &options.layout);
    }
    if options.rotate.is_some() && options.run.is_some() {
        return Err(Problem::new("a compaction whose pieces turn cannot be kept as a run yet")
            .in_file(&options.layout)
            .help("leave out --run or --rotate"));
    }
    if options.rotate.is_some() && ends(&options.layout, "dxf") && ends(&options.out, "dxf") {
        return Err(Problem::new("pieces that turned cannot go back into a .dxf drawing yet")
            .in_file(&options.out)
            .help("write an .svg or a .json"));
    }
    if options.chain && !ends(&options.out, "svg") {
        return problem("--chain", "it is drawn over an .svg alone", &options.out);
    }
    if options.tolerance.is_some() && ends(&options.layout, "json") {
        return problem("--tolerance", "a .json has no curves", &options.layout);
    }
    Ok(())
}

fn as_json(
    layout: &Layout,
    report: &Report,
    verdict: &LayoutVerdict,
    seconds: f64,
    options: &CompactOptions,
) -> serde_json::Value {
    let path: Vec<String> = report.chain.path.iter().map(|member| name(layout, member)).collect();
    json!({
        "layout": layout.name,
        "pieces": layout.placed.len(),
        "length_start": report.length_start,
        "length_end": report.length_end,
        "shorter_percent": 100.0 * (1.0 - report.length_end / report.length_start),
        "density": layout.density(),
        "overlap_start": report.overlap_start,
        "separated": report.overlap_start > 0.0,
        "separation_total": report.separation[0],
        "separation_largest": report.separation[1],
        "movement_total": report.movement[0],
        "movement_largest": report.movement[1],
        "jumps": report.jumps,
        "hops": report.hops,
        "chain": path,
        "left_to_gain": report.chain.left_to_gain,
        "max_overlap": verdict.deepest(),
        "ok": verdict.ok(),
        "notes": layout.notes,
        "least_distance": verdict.least_distance,
        "clearance": verdict.clearance,
        "cpu_seconds": seconds,
        "out": options.out,
    })
}

fn as_text(layout: &Layout, report: &Report, verdict: &LayoutVerdict, seconds: f64) -> String {
    let mut text = String::new();
    for note in &layout.notes {
        let _ = writeln!(text, "noted       {note}");
    }
    if report.overlap_start > 0.0 {
        let _ = writeln!(
            text,
            "separated   pieces overlapped by up to {:.3e}; they moved {:.6} in all, {:.6} at most",
            report.overlap_start, report.separation[0], report.separation[1]
        );
    }
    let change = 100.0 * (report.length_end / report.length_start - 1.0);
    let _ = writeln!(
        text,
        "length      {} -> {} ({change:+.4} %), {} jumps, {seconds:.3} s CPU",
        told(report.length_start),
        told(report.length_end),
        report.jumps
    );
    let _ = writeln!(text, "density     {:.4} %", 100.0 * layout.density());
    let path: Vec<String> = report.chain.path.iter().map(|member| name(layout, member)).collect();
    let _ = writeln!(text, "limited by  {}", path.join(" - "));
    match verdict.ok() {
        true => {
            let _ = writeln!(text, "checked     no overlap, all inside the strip");
        }
        false => {
            let least = verdict.least_distance.map_or(String::new(), |least| {
                format!(", least distance {} of {}", told(least), told(verdict.clearance))
            });
            let _ = writeln!(
                text,
                "BROKEN      {} overlaps (deepest {:.3e}), {} pieces outside (by up to {:.3e}){least}: nothing was written",
                verdict.overlaps.len(),
                verdict.deepest(),
                verdict.outside.len(),
                verdict.outside.iter().map(|(_, by)| *by).fold(0.0, f64::max)
            );
        }
    }
    text
}

/// A length for people: digits beyond these are nobody's.
fn told(length: f64) -> f64 {
    format!("{length:.8e}").parse().unwrap_or(length)
}

fn name(layout: &Layout, member: &Member) -> String {
    match member {
        Member::Piece(index) => layout.piece_name(*index),
        Member::Wall => "moving wall".into(),
        Member::Side => "strip".into(),
    }
}
