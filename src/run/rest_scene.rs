//! The end of a run of the method dynamics as a scene of the method settle:
//! every body where it is and turned as it is, polyhedra for what is round but
//! no ball.

use std::f64::consts::TAU;

use crate::math::{DMat3, DVec3};
use crate::problem::{Problem, Result};
use crate::shape::{Aabb, Core, Piece, Solid};
use crate::world::{Model, Poses};

/// Round sides become prisms with this many sides, inside them.
const SIDES: usize = 32;

/// The scene's text. The bodies are `room` apart, in radii of the smallest.
pub(super) fn rest_scene(model: &Model, poses: &Poses, name: &str, room: f64) -> Result<String> {
    let assembly = &model.assembly;
    if !assembly.joints.is_empty() {
        return Err(Problem::new("the method settle knows no joints").help(
            "`hand_over = \"separate\"` takes joined bodies apart; only free bodies settle on",
        ));
    }
    let mut text = format!("# The end of the run {}, to be settled.\n", quoted(&model.name));
    text += &format!("name = {}\ngravity = {}\n", quoted(name), list(model.gravity));
    let mut space = Aabb::EMPTY;
    let mut bodies = String::new();
    for (i, part) in assembly.parts.iter().enumerate() {
        let turn = DMat3::from_quat(poses.rotations[i]);
        for piece in &part.pieces {
            space = space.union(&piece.bounds(poses.positions[i], &turn));
        }
        let mut at = poses.positions[i];
        let shape = match &part.pieces[..] {
            [] => continue,
            [ball] if ball.core == Core::Point => {
                at += turn * ball.at;
                format!("radius = {:?}", ball.radius)
            }
            pieces => {
                let hulls: Vec<Vec<DVec3>> = pieces.iter().map(|p| corners(p, &turn)).collect();
                at += Solid::compound(&hulls)?.mass.centre;
                let each = hulls.iter().map(|hull| points(hull)).collect::<Vec<_>>().join(", ");
                format!("shape = {{ kind = \"compound\", hulls = [{each}] }}")
            }
        };
        let group = &model.groups[model.bodies[i].group as usize];
        let fixed = if part.is_free() { "" } else { "fixed = \"all\"\n" };
        bodies += &format!(
            "\n[[bodies]]\ngroup = {}\npositions = [{}]\n{shape}\nmass = {:?}\n{fixed}",
            quoted(group),
            list(at),
            part.mass
        );
    }
    let wide = space.grow(0.5 * space.size().max_element());
    text += &format!("\n[settle]\nsmoothing = {:?}\n", 0.25 * room);
    text += &format!("\n[container]\nshape = \"box\"\nmin = {}\n", list(wide.min));
    text += &format!("max = {}\n{bodies}", list(wide.max));
    Ok(text)
}

/// The corners of a piece about the centre of its body, in the axes of the world.
fn corners(piece: &Piece, turn: &DMat3) -> Vec<DVec3> {
    let ring = |radius: f64, z: f64| {
        (0..SIDES).map(move |k| {
            let angle = TAU * k as f64 / SIDES as f64;
            DVec3::new(radius * angle.cos(), radius * angle.sin(), z)
        })
    };
    // Half a ball from its rim to its pole, above `z` or below.
    let cap = |radius: f64, z: f64, side: f64| {
        let rings = SIDES / 4;
        let quarter = move |k: usize| 0.25 * TAU * k as f64 / rings as f64;
        let all = (0..rings).flat_map(move |k| {
            ring(radius * quarter(k).cos(), z + side * radius * quarter(k).sin())
        });
        all.chain([DVec3::new(0.0, 0.0, z + side * radius)])
    };
    let r = piece.radius;
    let own: Vec<DVec3> = match &piece.core {
        Core::Point => cap(r, 0.0, 1.0).chain(cap(r, 0.0, -1.0)).collect(),
        Core::Segment { half } => cap(r, *half, 1.0).chain(cap(r, -half, -1.0)).collect(),
        Core::Cylinder { radius, half } => {
            ring(*radius, *half).chain(ring(*radius, -half)).collect()
        }
        core => {
            let stretch = core.stretch();
            core.hull().map(|hull| hull.corners.iter().map(|c| *c * stretch).collect())
        }
        .unwrap_or_default(),
    };
    let axes = *turn * DMat3::from_quat(piece.turn);
    own.into_iter().map(|corner| *turn * piece.at + axes * corner).collect()
}

fn points(points: &[DVec3]) -> String {
    format!("[{}]", points.iter().map(|p| list(*p)).collect::<Vec<_>>().join(", "))
}

fn list(v: DVec3) -> String {
    format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z)
}

/// As TOML writes text.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
