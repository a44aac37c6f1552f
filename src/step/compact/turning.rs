//! Compaction with turns: when nothing slides any more, pieces may turn a little while the wall is
//! pushed. The layout becomes a world whose pieces settle against its wall, each within the
//! turns that are left to it; then they slide again.

use std::sync::Arc;

use super::bodies::{Bodies, STRIP_SKIN};
use super::{Moment, Options, Report, SMALLEST_GAIN, compact, movement};
use crate::layout::Layout;
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use crate::scene::SettleOptions;
use crate::step::settle::turn::Turn;
use crate::step::{Progress, Stepper};
use crate::world::{CompactOptions, LayoutWorld, Method};

/// How often pieces turn, and slide on after it.
const MOST_ROUNDS: usize = 4;
/// Steps of turning in a round; ...
const MOST_STEPS: usize = 40;
/// ... it is over when so many steps together ...
const STEPS: usize = 8;
/// ... gain less than this, in units of the strip's height.
const SMALL_GAIN: f64 = 1e-5;

/// How far pieces may be turned from where they were.
#[derive(Clone, Debug, PartialEq)]
pub struct Turns {
    /// In degrees, to either side.
    pub most: f64,
    /// Pieces with a grain, by their numbers: they only slide.
    pub held: Vec<usize>,
}

/// As [`compact`], with pieces that turn. The layout never gets longer than by sliding alone.
///
/// ```
/// use riprap::layout::{Item, Layout, Placed, Strip};
/// use riprap::shape::Outline;
/// use riprap::step::compact::{compact_turning, Options, Turns};
///
/// // A bar that leans by one degree.
/// let bar = Outline::new(&[[0.0, 0.0], [1.0, 0.0], [1.0, 4.0], [0.0, 4.0]], &[])?;
/// let leaning = Placed { item: 0, rotation: 1.0, translation: [0.5, 0.5], fixed: false };
/// let strip = Strip { min: [0.0, 0.0], max: [3.0, 5.0] };
/// let mut layout = Layout::new("one", vec![Item::new(0, bar, 1)], strip, vec![leaning]);
/// let turns = Turns { most: 2.0, held: Vec::new() };
/// compact_turning(&mut layout, &Options::default(), &turns, |_, _| {})?;
/// // Sliding alone would leave it at `cos 1 + 4 sin 1`, in degrees: 1.0697.
/// assert!((layout.strip.length() - 1.0).abs() < 1e-8);
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn compact_turning(
    layout: &mut Layout,
    options: &Options,
    turns: &Turns,
    mut keep: impl FnMut(&Layout, Moment),
) -> Result<Report> {
    check(layout, options, turns)?;
    let start = layout.clone();
    let mut report = compact(layout, options, &mut keep)?;
    let height = layout.strip.height();
    // In between pieces slide as they are; other sides and other places are tried at the end.
    let sliding = Options { hops: false, ..*options };
    let mut has_turned = false;
    for _ in 0..MOST_ROUNDS {
        let Some(mut next) = turned(&start, layout, options, turns)? else { break };
        // What rounding left of an overlap is taken apart first.
        let Ok(then) = compact(&mut next, &sliding, |_, _| {}) else { break };
        let gained = report.length_end - then.length_end;
        if gained <= SMALLEST_GAIN * height {
            break;
        }
        *layout = next;
        keep(layout, Moment::Turned);
        (report, has_turned) = (joined(&start, layout, &report, then), true);
        if gained < SMALL_GAIN * height {
            break;
        }
    }
    if has_turned && options.hops {
        let last = compact(layout, options, &mut keep)?;
        report = joined(&start, layout, &report, last);
    }
    Ok(report)
}

/// The report of two compactions, one after the other, the first one with turns at its end.
fn joined(start: &Layout, layout: &Layout, first: &Report, then: Report) -> Report {
    Report {
        length_start: first.length_start,
        overlap_start: first.overlap_start,
        separation: first.separation,
        movement: movement(start, layout),
        jumps: first.jumps + 1 + then.jumps,
        hops: first.hops + then.hops,
        ..then
    }
}

fn check(layout: &Layout, options: &Options, turns: &Turns) -> Result<()> {
    if !(turns.most.is_finite() && turns.most > 0.0 && turns.most <= 45.0) {
        return Err(Problem::new(format!("pieces are to turn by up to {} degrees", turns.most))
            .help("give an angle above 0 and up to 45"));
    }
    if options.clearance > 0.0 {
        return Err(Problem::new("pieces that turn keep no clearance")
            .help("leave out either the clearance or the turns"));
    }
    let [x, y] = options.direction;
    if (x == 0.0) == (y == 0.0) || options.corner {
        return Err(Problem::new("pieces turn only against a wall that moves along x or y")
            .help("give a direction such as 1,0, or leave out the turns"));
    }
    match turns.held.iter().find(|&&index| index >= layout.placed.len()) {
        Some(index) => Err(Problem::new(format!("there is no piece {index} that must not turn"))
            .help(format!("the layout has {} pieces, counted from 0", layout.placed.len()))),
        None => Ok(()),
    }
}

/// A layout whose pieces have turned, and slid along, if that gained anything and is free of overlap.
fn turned(
    start: &Layout,
    layout: &Layout,
    options: &Options,
    turns: &Turns,
) -> Result<Option<Layout>> {
    let Options { clearance, direction, corner, .. } = *options;
    let mut world = LayoutWorld::new(layout, CompactOptions { clearance, direction, corner }, 0.0)?;
    world.model.method = Method::Settle(SettleOptions::default());
    let mut ranges = vec![[0.0; 2]; world.model.bodies.len()];
    for (index, placed) in layout.placed.iter().enumerate() {
        let is_held = placed.fixed || turns.held.contains(&index);
        let so_far = placed.rotation - start.placed[index].rotation;
        ranges[index] = [-turns.most - so_far, turns.most - so_far].map(f64::to_radians);
        world.model.bodies[index].turns = !is_held;
    }
    let mut state = world.state(layout);
    let model = Arc::new(world.model.clone());
    let mut turn = Turn::within(Arc::clone(&model), &state, ranges)?;
    let wall = world.wall();
    let height = layout.strip.height();
    let along = DVec3::new(direction[0], direction[1], 0.0).normalize();
    let mut places = vec![state.positions[wall].dot(along)];
    let first = places[0];
    while places.len() <= MOST_STEPS && !turn.near_rest() {
        if let Progress::Rest(_) = turn.step(&mut state)? {
            break;
        }
        places.push(state.positions[wall].dot(along));
        let recent = places[places.len().saturating_sub(STEPS)..].first();
        let recent = recent.map_or(0.0, |past| past - places[places.len() - 1]);
        if places.len() > STEPS && recent < SMALL_GAIN * height {
            break;
        }
    }
    if first - places[places.len() - 1] <= SMALLEST_GAIN * height {
        return Ok(None);
    }
    let next = world.layout(layout, &state);
    // Sides that have turned flat onto each other may overlap by what degrees round.
    let is_free = Bodies::new(&next, options)?.least_gap() >= -STRIP_SKIN * height;
    Ok(is_free.then_some(next))
}
