//! From the forces of a scene to pairs of bodies.

use super::Builder;
use crate::math::DVec3;
use crate::problem::Result;
use crate::scene::{Acts, ForceEntry, Pairs, Place, Span, StrengthEntry, nearest_name};
use crate::world::{Anchor, Force, Strength};

/// More pairs than this are refused: each of them costs time in every step.
const MOST_PAIRS: usize = 4_000_000;
/// Without a `softening`, it is this part of the body's radius.
const SOFTENING: f64 = 1e-3;

/// Fills in the forces of a model.
pub(super) fn add(builder: &mut Builder) -> Result<()> {
    for force in &builder.scene.forces {
        match force {
            ForceEntry::Gravity { group, acceleration, span } => {
                for body in group_of(builder, group, span)? {
                    builder.model.bodies[body as usize].push += *acceleration;
                }
            }
            ForceEntry::Law { law, form, group, acts, span } => {
                let (pairs, anchors) = ends(builder, group, acts, span)?;
                if pairs.is_empty() && anchors.is_empty() {
                    let message = format!("this force acts between no two bodies of \"{group}\"");
                    let help = "`between` needs a group of two or more, `to` one body";
                    return Err(builder.scene.problem(span, message).help(help));
                }
                builder.model.forces.push(Force { law: *law, form: *form, pairs, anchors });
            }
        }
    }
    Ok(())
}

/// What contacts of some groups hold.
pub(super) fn add_strength(builder: &mut Builder, entry: &StrengthEntry) -> Result<()> {
    let mut groups = [None; 2];
    for (group, name) in groups.iter_mut().zip(&entry.between) {
        group_of(builder, name, &entry.span)?;
        *group = Some(builder.model.group(name));
    }
    let StrengthEntry { pull, cohesion, shear, per, .. } = *entry;
    builder.model.strengths.push(Strength { groups, pull, cohesion, shear, per });
    Ok(())
}

/// The bodies of a group that a force or a strength names.
fn group_of(builder: &Builder, name: &str, span: &Span) -> Result<Vec<u32>> {
    if builder.model.groups.iter().any(|group| group == name) {
        return Ok(builder.members(name));
    }
    let names: Vec<&str> = builder.model.groups.iter().map(String::as_str).collect();
    let help = match nearest_name(name, names.iter().copied()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("the groups are {}", names.join(", ")),
    };
    Err(builder.scene.problem(span, format!("there is no group \"{name}\"")).help(help))
}

/// What a force acts between.
fn ends(
    builder: &Builder,
    group: &str,
    acts: &Acts,
    span: &Span,
) -> Result<(Vec<[u32; 2]>, Vec<Anchor>)> {
    let own = group_of(builder, group, span)?;
    let anchor = |body: u32, point: DVec3, softening: Option<f64>| {
        let radius = builder.model.bodies[body as usize].radius;
        Anchor { body, point, softening: softening.unwrap_or(SOFTENING * radius) }
    };
    match acts {
        Acts::Among(pairs) => Ok((among(builder, group, &own, pairs, span)?, Vec::new())),
        Acts::With(other) => {
            let others = group_of(builder, other, span)?;
            if other == group {
                let message = format!("this pairs the group \"{group}\" with itself");
                let help = "use between = \"all\" for the pairs of one group";
                return Err(builder.scene.problem(span, message).help(help));
            }
            check_cost(builder, own.len().saturating_mul(others.len()), span)?;
            let pairs = own.iter().flat_map(|&a| others.iter().map(move |&b| [a, b]));
            Ok((pairs.collect(), Vec::new()))
        }
        Acts::Point { point, softening } => {
            let anchors = own.iter().map(|&body| anchor(body, *point, *softening));
            Ok((Vec::new(), anchors.collect()))
        }
        Acts::Start { softening } => {
            let start = |body: u32| builder.state.positions[body as usize];
            let anchors = own.iter().map(|&body| anchor(body, start(body), *softening));
            Ok((Vec::new(), anchors.collect()))
        }
    }
}

/// Pairs of the bodies of a group.
pub(super) fn among(
    builder: &Builder,
    group: &str,
    own: &[u32],
    pairs: &Pairs,
    span: &Span,
) -> Result<Vec<[u32; 2]>> {
    let n = own.len();
    if n == 0 {
        return group_of(builder, group, span).map(|_| Vec::new());
    }
    match pairs {
        Pairs::All => {
            check_cost(builder, n.saturating_mul(n.saturating_sub(1)) / 2, span)?;
            let with = |i: usize| own[i + 1..].iter().map(move |&b| [own[i], b]);
            Ok((0..n).flat_map(with).collect())
        }
        Pairs::Chain => Ok(own.windows(2).map(|pair| [pair[0], pair[1]]).collect()),
        Pairs::Ring if n < 3 => {
            let message = format!("the group \"{group}\" has {n} bodies");
            Err(builder.scene.problem(span, message).help("a ring needs three or more"))
        }
        Pairs::Ring => Ok((0..n).map(|i| [own[i], own[(i + 1) % n]]).collect()),
        Pairs::Neighbours => neighbours(builder, group, span),
        Pairs::List(list) => {
            let body = |number: usize| {
                own.get(number).copied().ok_or_else(|| {
                    let message = format!(
                        "there is no body {number} in the group \"{group}\", which has {n}"
                    );
                    let help = "bodies of a group are counted from 0";
                    builder.scene.problem(span, message).help(help)
                })
            };
            list.iter().map(|&[a, b]| Ok([body(a)?, body(b)?])).collect()
        }
    }
}

/// Next to each other in the grids of a group.
fn neighbours(builder: &Builder, group: &str, span: &Span) -> Result<Vec<[u32; 2]>> {
    let mut pairs = Vec::new();
    let (mut first, mut grids) = (0, 0);
    for (entry, &made) in builder.scene.bodies.iter().zip(&builder.counts) {
        if let (true, Place::Grid { count, .. }) = (entry.group == group, &entry.place) {
            grids += 1;
            let [nx, ny, _] = *count;
            for k in 0..made {
                let place = [k % nx, k / nx % ny, k / (nx * ny)];
                for (axis, stride) in [(0, 1), (1, nx), (2, nx * ny)] {
                    if place[axis] + 1 < count[axis] {
                        pairs.push([(first + k) as u32, (first + k + stride) as u32]);
                    }
                }
            }
        }
        first += made;
    }
    if grids == 0 {
        let message = format!("the group \"{group}\" has no grid, so it has no neighbours");
        let help = "use `between` with \"all\", \"chain\", \"ring\" or a list of pairs";
        return Err(builder.scene.problem(span, message).help(help));
    }
    Ok(pairs)
}

fn check_cost(builder: &Builder, pairs: usize, span: &Span) -> Result<()> {
    if pairs <= MOST_PAIRS {
        return Ok(());
    }
    let message = format!("this force would act between {pairs} pairs of bodies");
    let help = format!(
        "every pair costs time in every step: at most {MOST_PAIRS} are possible; use \
         \"neighbours\", a list of pairs, or a smaller group"
    );
    Err(builder.scene.problem(span, message).help(help))
}
