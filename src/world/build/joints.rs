//! From the joints of a scene to joints of bodies.

use super::{Builder, forces};
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use crate::scene::{BodyName, JointEnds, JointEntry, JointKind as Kind, nearest_name};
use crate::world::{Joint, JointKind, Motor};

/// A rope or bar may start off its length by this part of it: rounding.
const ROUNDING: f64 = 1e-12;

pub(super) fn add(builder: &mut Builder, entry: &JointEntry) -> Result<()> {
    match &entry.ends {
        JointEnds::Group { group, pairs } => {
            let own = builder.members(group);
            let pairs = forces::among(builder, group, &own, pairs, &entry.span)?;
            if pairs.is_empty() {
                return Err(Problem::new(format!("this joins no two bodies of \"{group}\""))
                    .help("`between` needs a group of two or more"));
            }
            for [a, b] in pairs {
                add_one(builder, entry, [Some(a), Some(b)], [None; 2], [DVec3::Z; 2])?;
            }
            Ok(())
        }
        JointEnds::Bodies { bodies: [one, two], points, axes } => {
            let bodies = [find(builder, one)?, find(builder, two)?];
            if bodies[0] == bodies[1] {
                return Err(Problem::new(format!("the joint joins {one} to itself"))
                    .help("name two different bodies, or one and `world`"));
            }
            let free = bodies.iter().flatten().any(|&b| builder.model.bodies[b as usize].is_free());
            if !free {
                let what =
                    if entry.motor.is_some() { "the motor drives" } else { "the joint joins" };
                let message = format!("{what} {one} and {two}, neither of which can move");
                return Err(
                    Problem::new(message).help("at least one of them is a body that forces move")
                );
            }
            add_one(builder, entry, bodies, *points, *axes)
        }
    }
}

fn add_one(
    builder: &mut Builder,
    entry: &JointEntry,
    bodies: [Option<u32>; 2],
    points: [Option<DVec3>; 2],
    axes: [DVec3; 2],
) -> Result<()> {
    let centre = |side: usize| {
        let body = bodies[side].map(|body| builder.state.positions[body as usize]);
        points[side].or(body).unwrap_or_default()
    };
    let points = [centre(0), centre(1)];
    check_limits(entry, points[0].distance(points[1]))?;
    let joint = join(builder, entry.kind, bodies, points, axes);
    joint.limits = entry.limits;
    joint.motor = entry.motor.map(|motor| Motor { speed: motor.speed, most: motor.most });
    joint.collide = entry.collide;
    if entry.kind.is_distance() {
        joint.kind = distance(entry, bodies, points)?;
    }
    Ok(())
}

/// A joint starts within its limits. Angles and shifts count from the start.
fn check_limits(entry: &JointEntry, apart: f64) -> Result<()> {
    let Some([least, most]) = entry.limits else { return Ok(()) };
    let (start, rounding) = match entry.kind.is_distance() {
        true => (apart, ROUNDING * apart),
        false => (0.0, 0.0),
    };
    if least <= start + rounding && start - rounding <= most {
        return Ok(());
    }
    let message = format!("the joint starts at {start:?}, outside its `limits`");
    Err(Problem::new(message).help(match entry.kind.is_distance() {
        true => "move the points, or widen the limits",
        false => "angles and shifts count from the start: limits hold 0 between them",
    }))
}

/// Joins bodies at points of the world; the world comes second.
pub(super) fn join<'b>(
    builder: &'b mut Builder,
    kind: Kind,
    mut bodies: [Option<u32>; 2],
    mut points: [DVec3; 2],
    mut axes: [DVec3; 2],
) -> &'b mut Joint {
    if bodies[0].is_none() {
        bodies.swap(0, 1);
        points.swap(0, 1);
        axes.swap(0, 1);
    }
    let kind = match kind {
        Kind::Ball | Kind::Pin => JointKind::Ball,
        Kind::Line => JointKind::Line,
        Kind::Plane => JointKind::Plane,
        Kind::Hinge => JointKind::Hinge,
        Kind::Slider => JointKind::Slider,
        Kind::Universal => JointKind::Universal,
        Kind::Fixed => JointKind::Fixed,
        Kind::Parallel => JointKind::Parallel,
        Kind::Perpendicular => JointKind::Perpendicular,
        Kind::Angle => JointKind::Angle,
        Kind::Distance | Kind::Rope | Kind::Bar => {
            let length = points[0].distance(points[1]);
            JointKind::Distance { least: length, most: length }
        }
    };
    builder.model.join(&builder.state, kind, bodies, points, axes)
}

/// How near and how far the points of a rope, bar or distance may be.
fn distance(entry: &JointEntry, bodies: [Option<u32>; 2], points: [DVec3; 2]) -> Result<JointKind> {
    let apart = points[0].distance(points[1]);
    let most = entry.length.unwrap_or(apart);
    if most <= 0.0 {
        return Err(Problem::new("the two points of the distance are the same")
            .help("`at` is a point of the first body, `to` one of the second"));
    }
    if let (Kind::Distance, Some([least, most])) = (entry.kind, entry.limits) {
        return Ok(JointKind::Distance { least, most });
    }
    let least = most * (1.0 - entry.tolerance);
    let rounding = ROUNDING * most;
    let how = match apart {
        apart if apart > most + rounding => "too far apart",
        apart if apart < least - rounding => "too close",
        _ => return Ok(JointKind::Distance { least, most }),
    };
    let name = |body: Option<u32>| body.map_or("the world".into(), |body| format!("body {body}"));
    let [one, two] = bodies.map(name);
    let message =
        format!("{one} and {two} start {how} for their joint: {apart:?} instead of {most:?}");
    Err(Problem::new(message).help("leave `length` out to take the distance of the start"))
}

/// The body of a name; none for the world.
pub(super) fn find(builder: &Builder, name: &BodyName) -> Result<Option<u32>> {
    let (group, number) = match name {
        BodyName::World => return Ok(None),
        BodyName::Number(number) => {
            let bodies = builder.model.rigid_count();
            if *number < bodies {
                return Ok(Some(*number as u32));
            }
            let message = format!("there is no body {number}: there are {bodies}");
            return Err(Problem::new(message).help("bodies are counted from 0"));
        }
        BodyName::Named { group, number } => (group, *number),
    };
    let members = builder.members(group);
    // A group may be called like a body of another one.
    if let Some(number) = number {
        let whole = builder.members(&format!("{group}.{number}"));
        match (&whole[..], members.is_empty()) {
            ([], _) => {}
            ([only], true) => return Ok(Some(*only)),
            _ => {
                let message = format!("{name} is a group, and may be a body of `{group}`");
                return Err(Problem::new(message).help("call one of the groups something else"));
            }
        }
    }
    if members.len() > 1 && number.is_none() {
        let message = format!("there are {} bodies named `{group}`", members.len());
        return Err(Problem::new(message).help(format!("`{group}.0` is the first of them")));
    }
    match members.get(number.unwrap_or(0)) {
        Some(&body) => Ok(Some(body)),
        None => {
            let groups = builder.model.groups.iter().map(String::as_str);
            let help = match nearest_name(group, groups.clone()) {
                Some(near) if members.is_empty() && near != group => {
                    format!("did you mean `{near}`?")
                }
                _ => format!("there are {} and world", groups.collect::<Vec<_>>().join(", ")),
            };
            Err(Problem::new(format!("there is no body named {name}")).help(help))
        }
    }
}
