//! Structures: many bodies with their joints, made by rule.

use super::build_assembly::Builder;
use super::{BondKind, Motion};
use crate::math::{DQuat, DVec3};
use crate::problem::Result;
use crate::scene::{Family, Material, Structure, StructureFamily};
use crate::shape::{Brick, Core, Hull, Piece};

pub(super) fn add(builder: &mut Builder, structure: &Structure) -> Result<()> {
    let material = &structure.material;
    match &structure.family {
        StructureFamily::Mobile { depth } => mobile(builder, material, *depth),
        StructureFamily::Rope { links, length, ratio, at } => {
            rope(builder, material, *links, *length, *ratio, *at)
        }
        StructureFamily::Tower { tower: family, depth } => tower(builder, material, family, *depth),
        StructureFamily::Pyramid { rows, size } => pyramid(builder, material, *rows, *size),
    }
}

fn join(builder: &mut Builder, a: usize, b: Option<usize>, at: DVec3) {
    let parts = [Some(a as u32), b.map(|b| b as u32)];
    builder.assembly.join(&builder.poses, BondKind::Ball, parts, [at; 2], [DVec3::Z; 2]);
}

/// A bar hangs from every end of the bar above, half as long, the last ones carry balls.
/// Bars of odd levels lie along y.
fn mobile(builder: &mut Builder, material: &Material, depth: usize) -> Result<()> {
    hang(builder, material, None, DVec3::ZERO, 0.8 * (1 << depth.min(6)) as f64 / 64.0 + 0.4, depth)
}

fn hang(
    builder: &mut Builder,
    material: &Material,
    from: Option<usize>,
    hook: DVec3,
    reach: f64,
    depth: usize,
) -> Result<()> {
    const STRING: f64 = 0.3;
    let centre = hook - DVec3::Z * STRING;
    if depth == 0 {
        let ball = Piece { at: centre, ..Piece::new(Core::Point, 0.05) };
        let ball = builder.add(vec![ball], material)?;
        join(builder, ball, from, hook);
        return Ok(());
    }
    let along = if depth.is_multiple_of(2) { DVec3::X } else { DVec3::Y };
    let turn = DQuat::from_rotation_arc(DVec3::Z, along);
    let bar = Piece { at: centre, turn, ..Piece::new(Core::Segment { half: reach }, 0.02) };
    let bar = builder.add(vec![bar], material)?;
    join(builder, bar, from, hook);
    for side in [-1.0, 1.0] {
        let end = centre + along * (side * reach);
        hang(builder, material, Some(bar), end, 0.6 * reach, depth - 1)?;
    }
    Ok(())
}

/// Level at the start, along +x.
fn rope(
    builder: &mut Builder,
    material: &Material,
    links: usize,
    length: f64,
    ratio: f64,
    at: DVec3,
) -> Result<()> {
    let turn = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let core = Core::Segment { half: 0.3 * length };
    let link = Piece { turn, ..Piece::new(core, 0.1 * length) };
    let mut last = None;
    let mut mass = 0.0;
    for k in 0..links {
        let centre = at + DVec3::X * (length * (k as f64 + 0.5));
        let piece = Piece { at: centre, ..link.clone() };
        let number = builder.add(vec![piece], material)?;
        mass = builder.assembly.parts[number].mass;
        join(builder, number, last, centre - DVec3::X * (0.5 * length));
        last = Some(number);
    }
    let end = at + DVec3::X * (length * links as f64);
    let radius = length;
    let ball = Piece { at: end + DVec3::X * radius, ..Piece::new(Core::Point, radius) };
    let heavy = Material { mass: Some(mass * ratio), ..*material };
    let ball = builder.add(vec![ball], &heavy)?;
    join(builder, ball, last, end);
    Ok(())
}

/// Bricks of the x-y plane become boxes and prisms, y pointing up.
fn tower(builder: &mut Builder, material: &Material, family: &Family, depth: f64) -> Result<()> {
    let plan = family.plan()?;
    let supports = plan.supports.iter().map(|brick| (brick, true));
    for (brick, fixed) in plan.bricks.iter().map(|brick| (brick, false)).chain(supports) {
        let number = builder.add(vec![extruded(brick, depth)?], material)?;
        if fixed {
            builder.assembly.parts[number].motion = Motion::Fixed;
        }
    }
    Ok(())
}

fn extruded(brick: &Brick, depth: f64) -> Result<Piece> {
    let corners = brick.corners();
    if let [a, b, c, d] = corners {
        let (u, v) = (*b - *a, *d - *a);
        let square = u.dot(v).abs() < 1e-9 * u.length() * v.length();
        if square && (*c - (*b + v)).length() < 1e-9 * u.length() {
            // A box keeps its faces exactly.
            let lift = |p: DVec3| DVec3::new(p.x, 0.0, p.y);
            let half = 0.5 * DVec3::new(u.length(), depth, v.length());
            let turn = DQuat::from_rotation_arc(DVec3::X, lift(u).normalize());
            let turn = if u.y == 0.0 { DQuat::IDENTITY } else { turn };
            return Ok(Piece {
                at: lift(0.5 * (*a + *c)),
                turn,
                ..Piece::new(Core::Box { half }, 0.0)
            });
        }
    }
    let both = |c: &DVec3| [-0.5, 0.5].map(|side| DVec3::new(c.x, side * depth, c.y));
    let points: Vec<DVec3> = corners.iter().flat_map(both).collect();
    Ok(Piece::new(Core::Hull(Hull::new(&points)?), 0.0))
}

/// On the ground at z = 0.
fn pyramid(builder: &mut Builder, material: &Material, rows: usize, size: f64) -> Result<()> {
    for row in 0..rows {
        let count = rows - row;
        for k in 0..count {
            let x = size * 1.02 * (k as f64 - 0.5 * (count - 1) as f64);
            let at = DVec3::new(x, 0.0, size * (row as f64 + 0.5));
            let core = Core::Box { half: DVec3::splat(0.5 * size) };
            builder.add(vec![Piece { at, ..Piece::new(core, 0.0) }], material)?;
        }
    }
    Ok(())
}
