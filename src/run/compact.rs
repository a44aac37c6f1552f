//! A compaction as a run: the layout at the start and after every jump, and
//! the forces with which the pieces resist the wall at the end.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use cpu_time::ProcessTime;

use super::{certificate, in_words, seconds};
use crate::contact::{Cores, Key, Other, Rounded, Row};
use crate::energy;
use crate::layout::Layout;
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use crate::scene::Scene;
use crate::shape::room_along;
use crate::step::Rest;
use crate::step::compact::{self, Hold, Moment, Options, Party, compact};
use crate::step::settle::certify;
use crate::trajectory::{Ending, Frame, Outcome, Writer};
use crate::world::{CompactOptions, LayoutWorld, Report, State, StepKind};

/// The parts of a jump, as the run file names them.
const PARTS: [&str; 1] = ["jump"];

/// What is asked of a scene of the method compact.
pub fn layout_options(scene: &Scene) -> Result<(Layout, Options)> {
    let Some(plan) = &scene.layout else {
        return Err(Problem::new("the scene has no layout").in_file(&scene.source.file));
    };
    let options = Options {
        clearance: plan.clearance,
        direction: plan.direction,
        corner: plan.corner,
        hops: false,
    };
    Ok((plan.layout(scene)?, options))
}

pub(super) fn run(scene: &Scene, options: super::Options) -> Result<()> {
    let (mut layout, asked) = layout_options(scene)?;
    let keep = Keep {
        out: &options.out,
        force: options.force,
        scene_text: &scene.source.text,
        seed: scene.seed,
    };
    // A compaction that stops before its goal is told by the file.
    kept(&mut layout, &asked, &keep).map(drop)
}

/// Where a compaction is kept.
pub struct Keep<'a> {
    /// The run file.
    pub out: &'a Path,
    /// Overwrite the file if it exists.
    pub force: bool,
    /// The scene that made the layout, if there is one.
    pub scene_text: &'a str,
    /// The scene's.
    pub seed: u64,
}

/// A layout on the way, why it is kept, and how many seconds it took.
struct Stop {
    layout: Layout,
    kind: StepKind,
    seconds: f64,
}

/// Compacts a layout and keeps the motion as a run. If the pieces find no room, the run says so,
/// too.
pub fn compact_into(
    layout: &mut Layout,
    options: &Options,
    keep: &Keep,
) -> Result<compact::Report> {
    kept(layout, options, keep)?
}

/// A file, and what the method said: how it went, or why it stopped.
fn kept(layout: &mut Layout, options: &Options, keep: &Keep) -> Result<Result<compact::Report>> {
    let (started, cpu) = (Instant::now(), ProcessTime::now());
    let start = layout.clone();
    let (report, stops) = stops(layout, options);
    if let (Err(problem), []) = (&report, &stops[..]) {
        return Err(problem.clone()); // it did not even start
    }
    let longest = stops.iter().map(|stop| stop.layout.strip.length()).fold(0.0, f64::max);
    let room = (longest - start.strip.length()).max(0.0);
    let Options { clearance, direction, corner, .. } = *options;
    let mut world =
        LayoutWorld::new(&start, CompactOptions { clearance, direction, corner }, room)?;
    world.model.seed = keep.seed;
    let rest = report.as_ref().map(|report| rest(&world, layout, report));
    let reason = match &rest {
        Err(problem) => Some(in_words(problem)),
        Ok(rest) => (!rest.is_proved()).then(|| rest.verdict().into()),
    };
    let mut writer = Writer::create(keep.out, keep.force, &world.model, keep.scene_text, &PARTS)?;
    for (stop, step) in stops.iter().zip(0..) {
        writer.frame(&frame(&world, stop, step))?;
    }
    writer.end(&Ending {
        outcome: if reason.is_none() { Outcome::Rest } else { Outcome::Failed },
        reason,
        certificate: rest.as_ref().ok().map(certificate),
        contacts: rest.map_or_else(|_| Vec::new(), |rest| rest.contacts),
        seconds: started.elapsed().as_secs_f64(),
        cpu_seconds: cpu.elapsed().as_secs_f64(),
        parts: Vec::new(),
    })?;
    Ok(report)
}

/// Compacts a layout, and what it looked like on the way.
fn stops(layout: &mut Layout, options: &Options) -> (Result<compact::Report>, Vec<Stop>) {
    let mut stops = Vec::new();
    let mut before = seconds();
    let report = compact(layout, options, |layout, moment| {
        let kind = match moment {
            Moment::Start => StepKind::Start,
            Moment::Separated => StepKind::Separate,
            Moment::Jump | Moment::Turned => StepKind::Settle,
            Moment::Hop => StepKind::Hop,
        };
        let now = seconds();
        stops.push(Stop { layout: layout.clone(), kind, seconds: now - before });
        before = now;
    });
    (report, stops)
}

fn frame(world: &LayoutWorld, stop: &Stop, step: u64) -> Frame {
    let (state, bodies) = (world.state(&stop.layout), world.model.bodies.len() as u32);
    Frame {
        step,
        kind: stop.kind,
        energy: energy::energy(&world.model, &state),
        state,
        contacts: Vec::new(),
        trace: Default::default(),
        report: Report { active: bodies, moving: bodies, ..Report::default() },
        seconds: vec![stop.seconds as f32],
    }
}

/// The certificate of the last layout.
fn rest(world: &LayoutWorld, layout: &Layout, report: &compact::Report) -> Rest {
    let state = world.state(layout);
    let cores = Cores::new(Arc::new(world.model.clone()), &state);
    let row = |hold: &Hold| row(&cores, world.wall(), &state, hold);
    let rows = report.holds.iter().filter_map(|hold| Some((row(hold)?, hold.force)));
    certify(&cores, &state, rows.collect())
}

/// A contact of the compaction as a row between bodies.
fn row(cores: &Cores, wall: usize, state: &State, hold: &Hold) -> Option<Row> {
    let (normal, boundary) = (hold.normal, &cores.model.boundary);
    // Of a piece's convex parts, the one that reaches farthest.
    let farthest = |body: usize, direction: DVec3| {
        let reach = |part: &Rounded| part.core.support(direction);
        let parts = cores.pieces(body).iter().map(reach).enumerate();
        parts.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(part, _)| part as u32)
    };
    let (body, other) = match hold.parties {
        [Party::Piece(i), Party::Piece(j)] => (i, Other::Pieces(j as u32, hold.parts)),
        [Party::Wall, Party::Piece(i)] => {
            // A corner has two arms: the one whose inner side the piece touches.
            let own = farthest(i, normal);
            let part = &cores.pieces(i)[own as usize].core;
            let offset = state.positions[wall] - state.positions[i];
            let room = |arm: &Rounded| room_along(&arm.core, part, offset, normal).abs();
            let arms = cores.pieces(wall).iter().map(room).enumerate();
            let arm = arms.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(arm, _)| arm as u32);
            (wall, Other::Pieces(i as u32, [arm, own]))
        }
        [Party::Piece(i), Party::Side(_)] => {
            let faces = boundary.faces().len() as u32;
            let face = (0..faces).find(|&k| (boundary.normal(k) + normal).length() < 1e-9)?;
            (i, Other::FacePiece(face, farthest(i, -normal)))
        }
        _ => return None,
    };
    Some(Row { key: Key { body: body as u32, other }, normal, gap: 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Item, Placed, Strip};
    use crate::shape::Outline;
    use crate::trajectory::Reader;
    use crate::world::With;

    /// Two squares between the wall and the far side: a chain that carries the wall's push.
    #[test]
    fn a_compaction_is_kept_with_its_proof() {
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let outline = Outline::new(&square, &[]).unwrap();
        let at = |x: f64| Placed { item: 0, rotation: 0.0, translation: [x, 0.5], fixed: false };
        let mut layout = Layout::new(
            "two",
            vec![Item::new(0, outline, 2)],
            Strip { min: [0.0, 0.0], max: [5.0, 1.75] },
            vec![at(0.5), at(3.0)],
        );
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("two.riprap");
        let keep = Keep { out: &out, force: false, scene_text: "", seed: 7 };
        let report = compact_into(&mut layout, &Options::default(), &keep).unwrap();
        let reader = Reader::open(&out).unwrap();
        let frames: Vec<Frame> = reader.frames().collect::<Result<_>>().unwrap();
        assert_eq!(frames.len(), 1 + report.jumps);
        assert_eq!((frames[0].kind, reader.model().seed), (StepKind::Start, 7));
        let ending = reader.ending().unwrap();
        assert_eq!(ending.outcome, Outcome::Rest);
        // The wall presses on the second square, that one on the first, and this one on the side.
        let mut presses: Vec<(u32, With, f64)> =
            ending.contacts.iter().map(|c| (c.body, c.with, c.pressure())).collect();
        presses.sort_by_key(|(body, with, _)| (*body, *with));
        let bodies: Vec<u32> = presses.iter().map(|press| press.0).collect();
        assert_eq!(bodies, [0, 0, 2], "{presses:?}");
        assert!(presses.iter().all(|press| (press.2 - 1.0).abs() < 1e-6), "{presses:?}");
        let touching = |c: &crate::world::Contact| c.at[0].distance(c.at[1]) < 1e-8;
        assert!(ending.contacts.iter().all(touching));
    }
}
