//! A compaction as a run: the layout at the start and after every jump, and
//! the forces with which the pieces resist the wall at the end.

use std::path::Path;
use std::time::Instant;

use cpu_time::ProcessTime;

use super::{certificate, contact, seconds};
use crate::contact::{Key, Other, Row};
use crate::energy;
use crate::layout::Layout;
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use crate::scene::Scene;
use crate::shape::{Convex, room_along};
use crate::step::compact::{Hold, Moment, Options, Party, Report, compact};
use crate::step::settle::{Rest, certify};
use crate::trajectory::{Ending, Frame, Outcome, StepKind, StepReport, Writer};
use crate::world::{LayoutWorld, Moving, State};

/// The acts of a jump, as the run file names them.
const ACTS: [&str; 1] = ["jump"];

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
    compact_into(&mut layout, &asked, &keep)?;
    Ok(())
}

/// Where a compaction is kept.
pub struct Keep<'a> {
    pub out: &'a Path,
    /// Overwrite the file if it exists.
    pub force: bool,
    /// The scene that made the layout, if there is one, and its seed.
    pub scene_text: &'a str,
    pub seed: u64,
}

/// Compacts a layout and keeps the motion as a run.
pub fn compact_into(layout: &mut Layout, options: &Options, keep: &Keep) -> Result<Report> {
    let (started, cpu) = (Instant::now(), ProcessTime::now());
    let start = layout.clone();
    let mut stops: Vec<(Layout, StepKind, f64)> = Vec::new();
    let mut before = seconds();
    let report = compact(layout, options, |layout, moment| {
        let kind = match moment {
            Moment::Start => StepKind::Start,
            Moment::Separated => StepKind::Separate,
            Moment::Jump => StepKind::Settle,
            Moment::Hop => StepKind::Hop,
        };
        let now = seconds();
        stops.push((layout.clone(), kind, now - before));
        before = now;
    })?;
    let longest = stops.iter().map(|(l, ..)| l.strip.length()).fold(0.0, f64::max);
    let room = (longest - start.strip.length()).max(0.0);
    let mut world =
        LayoutWorld::new(&start, Moving::of(&start, options.direction, options.corner), room)?;
    world.model.seed = keep.seed;
    let rest = rest(&world, layout, &report);
    let mut writer = Writer::create(keep.out, keep.force, &world.model, keep.scene_text, &ACTS)?;
    for (step, (layout, kind, seconds)) in stops.iter().enumerate() {
        let state = world.state(layout);
        writer.frame(&Frame {
            step: step as u64,
            kind: *kind,
            energy: energy::energy(&world.model, &state),
            positions: state.positions,
            report: StepReport {
                active: world.model.bodies.len() as u32,
                moving: world.model.bodies.len() as u32,
                rows: 0,
                iterations: 0,
                seconds: vec![*seconds as f32],
            },
            bricks: None,
        })?;
    }
    writer.end(&Ending {
        outcome: if rest.is_proved() { Outcome::Rest } else { Outcome::Failed },
        contacts: rest.contacts.iter().map(contact).collect(),
        certificate: Some(certificate(&rest)),
        seconds: started.elapsed().as_secs_f64(),
        cpu_seconds: cpu.elapsed().as_secs_f64(),
        acts: Vec::new(),
    })?;
    Ok(report)
}

/// The certificate of the last layout.
fn rest(world: &LayoutWorld, layout: &Layout, report: &Report) -> Rest {
    let state = world.state(layout);
    let rows = report.holds.iter().filter_map(|hold| Some((row(world, &state, hold)?, hold.force)));
    certify(&world.model, &state, rows.collect())
}

/// A contact of the compaction as a row between bodies.
fn row(world: &LayoutWorld, state: &State, hold: &Hold) -> Option<Row> {
    let normal = hold.normal;
    // Of a piece's convex parts, the one that reaches farthest.
    let farthest = |body: usize, direction: DVec3| {
        let reach = |piece: &Convex| piece.support(direction);
        let parts = world.model.pieces(body).iter().map(reach).enumerate();
        parts.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(part, _)| part as u32)
    };
    let (body, other) = match hold.parties {
        [Party::Piece(i), Party::Piece(j)] => (i, Other::Pieces(j as u32, hold.parts)),
        [Party::Wall, Party::Piece(i)] => {
            // A corner has two arms: the one whose inner side the piece touches.
            let own = farthest(i, normal);
            let piece = &world.model.pieces(i)[own as usize];
            let offset = state.positions[world.wall()] - state.positions[i];
            let room = |arm: &Convex| room_along(arm, piece, offset, normal).abs();
            let arms = world.model.pieces(world.wall()).iter().map(room).enumerate();
            let arm = arms.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(arm, _)| arm as u32);
            (world.wall(), Other::Pieces(i as u32, [arm, own]))
        }
        [Party::Piece(i), Party::Side(_)] => {
            let faces = world.model.boundary.faces().len() as u32;
            let face =
                (0..faces).find(|&k| (world.model.boundary.normal(k) + normal).length() < 1e-9)?;
            (i, Other::FacePiece(face, farthest(i, -normal)))
        }
        _ => return None,
    };
    Some(Row { key: Key { body: body as u32, other }, normal, gap: 0.0 })
}
