//! What a scene of the method dynamics says: rigid bodies, structures made of
//! them, and joints.

use super::bricks::{self, Family, radians};
use super::read::{grid, number_or, point};
use super::rigid_options::{Dynamics, HandOver, Mode};
use super::spanned::{Checked, Fault, Node};
use super::{Place, Span};
use crate::math::{DQuat, DVec3};
use crate::shape::{Core, Hull, Piece, form};
use crate::world::Motion;

/// One entry of the scene's list of rigid bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidBodies {
    pub group: String,
    /// Convex pieces of each shape, in the body's frame; bodies take the shapes in turn.
    pub shapes: Vec<Vec<Piece>>,
    pub place: RigidPlace,
    pub turn: DQuat,
    pub motion: Motion,
    pub material: Material,
    pub velocity: DVec3,
    /// In radians per time.
    pub spin: DVec3,
    pub span: Span,
}

/// Where the bodies of an entry start.
#[derive(Clone, Debug, PartialEq)]
pub enum RigidPlace {
    List(Vec<DVec3>),
    /// As the grids of the method settle.
    Grid(Place),
    /// On a level circle.
    Ring {
        count: usize,
        radius: f64,
        centre: DVec3,
    },
}

/// What bodies are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    pub mass: Option<f64>,
    pub density: f64,
    pub friction: f64,
    pub restitution: f64,
    pub rolling: f64,
}

/// Many bodies with their joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    pub group: String,
    pub family: StructureFamily,
    pub material: Material,
    /// Of all its bodies at the start, in radians per time.
    pub spin: DVec3,
    pub span: Span,
}

/// The kinds of structures.
#[derive(Clone, Debug, PartialEq)]
pub enum StructureFamily {
    Mobile { depth: usize },
    Rope { links: usize, length: f64, ratio: f64, at: DVec3 },
    Tower { tower: Family, depth: f64 },
    Pyramid { rows: usize, size: f64 },
}

/// Two bodies joined.
#[derive(Clone, Debug, PartialEq)]
pub struct JointEntry {
    pub kind: JointKind,
    /// Names, or `world`.
    pub bodies: [String; 2],
    pub at: DVec3,
    pub to: DVec3,
    pub axes: [DVec3; 2],
    /// In radians or lengths.
    pub limits: Option<[f64; 2]>,
    /// Speed and greatest force.
    pub motor: Option<(f64, Option<f64>)>,
    pub span: Span,
}

/// What a joint holds; see [`crate::world::BondKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    Ball,
    Line,
    Plane,
    Hinge,
    Slider,
    Universal,
    Fixed,
    Distance,
}

pub(super) fn rigid(node: &Node) -> Checked<RigidBodies> {
    let shapes = match node.get("shapes") {
        Some(shapes) => shapes.list()?.iter().map(shape).collect::<Checked<_>>()?,
        None => vec![shape(node.need("shape")?)?],
    };
    let vector = |name| node.get(name).map_or(Ok(DVec3::ZERO), |node| point(node, 3));
    let names = ["position", "positions", "grid", "ring"];
    let written = names.iter().find_map(|name| node.get(name)).unwrap_or(node);
    Ok(RigidBodies {
        group: node.get("group").map_or(Ok("bodies"), Node::text)?.into(),
        shapes,
        place: place(node)?,
        turn: DQuat::from_scaled_axis(radians(vector("turn")?)),
        motion: match node.get("motion").map_or(Ok("free"), Node::text)? {
            "fixed" => Motion::Fixed,
            "driven" => Motion::Driven,
            _ => Motion::Free,
        },
        material: material(node)?,
        velocity: vector("velocity")?,
        spin: radians(vector("spin")?),
        span: written.span.clone(),
    })
}

fn place(node: &Node) -> Checked<RigidPlace> {
    if let Some(position) = node.get("position") {
        return Ok(RigidPlace::List(vec![point(position, 3)?]));
    }
    if let Some(positions) = node.get("positions") {
        let points = positions.list()?.iter().map(|node| point(node, 3));
        return Ok(RigidPlace::List(points.collect::<Checked<_>>()?));
    }
    if let Some(node) = node.get("grid") {
        return Ok(RigidPlace::Grid(grid(node, 3)?));
    }
    let ring = node.need("ring")?;
    Ok(RigidPlace::Ring {
        count: ring.need("count")?.whole()? as usize,
        radius: ring.need("radius")?.number()?,
        centre: point(ring.need("centre")?, 3)?,
    })
}

fn material(node: &Node) -> Checked<Material> {
    let restitution = number_or(node, "restitution", 0.0)?;
    if restitution > 1.0 {
        let span = &node.need("restitution")?.span;
        return Err(Fault::new(span, format!("the restitution {restitution:?} is above 1"))
            .help("from 0 (no bounce) to 1"));
    }
    Ok(Material {
        mass: node.get("mass").map(Node::number).transpose()?,
        density: number_or(node, "density", 1.0)?,
        friction: number_or(node, "friction", 0.5)?,
        restitution,
        rolling: number_or(node, "rolling", 0.0)?,
    })
}

/// The convex pieces of a shape.
fn shape(node: &Node) -> Checked<Vec<Piece>> {
    let number = |name: &str| node.need(name).and_then(Node::number);
    let wrong = |problem: crate::Problem| {
        let fault = Fault::new(&node.span, problem.message);
        problem.help.map_or(fault.clone(), |help| fault.help(help))
    };
    let one = |core: Core, radius: f64| vec![Piece::new(core, radius)];
    let pieces = match node.need("kind")?.text()? {
        "ball" => one(Core::Point, number("radius")?),
        "box" => one(Core::Box { half: 0.5 * point(node.need("size")?, 3)? }, 0.0),
        "capsule" => one(Core::Segment { half: 0.5 * number("length")? }, number("radius")?),
        "cylinder" => {
            let (radius, half) = (number("radius")?, 0.5 * number("length")?);
            one(Core::Cylinder { radius, half }, 0.0)
        }
        "hull" => {
            let points = node.need("points")?.list()?.iter().map(|node| point(node, 3));
            let points: Vec<DVec3> = points.collect::<Checked<_>>()?;
            one(Core::Hull(Hull::new(&points).map_err(wrong)?), 0.0)
        }
        "torus" => {
            let pieces = node.get("pieces").map_or(Ok(16), Node::whole)? as usize;
            let make = match node.get("sections").map_or(Ok("hulls"), Node::text)? {
                "capsules" => form::round_torus,
                _ => form::torus,
            };
            make(number("radius")?, number("tube")?, pieces).map_err(wrong)?
        }
        _ => {
            let pieces = node.need("pieces")?.list()?.iter().map(shape);
            return Ok(pieces.collect::<Checked<Vec<_>>>()?.into_iter().flatten().collect());
        }
    };
    let vector = |name| node.get(name).map_or(Ok(DVec3::ZERO), |node| point(node, 3));
    let (at, turn) = (vector("at")?, DQuat::from_scaled_axis(radians(vector("turn")?)));
    Ok(pieces.into_iter().map(|piece| piece.moved(at, turn)).collect())
}

pub(super) fn structure(node: &Node) -> Checked<Structure> {
    let whole = |name| node.need(name).and_then(Node::whole).map(|n| n as usize);
    let name = node.need("family")?.text()?;
    let family = match name {
        "mobile" => StructureFamily::Mobile { depth: whole("depth")? },
        "rope" => StructureFamily::Rope {
            links: whole("links")?,
            length: number_or(node, "length", 0.1)?,
            ratio: number_or(node, "ratio", 1.0)?,
            at: point(node.need("at")?, 3)?,
        },
        "tower" => {
            let tower = bricks::family(node.need("tower")?)?;
            if tower.dimension() != 2 {
                let message = "only flat towers can be extruded";
                return Err(Fault::new(&node.need("tower")?.span, message)
                    .help("a diamond, an arch, a card-house, ..."));
            }
            StructureFamily::Tower { tower, depth: number_or(node, "depth", 1.0)? }
        }
        _ => StructureFamily::Pyramid { rows: whole("rows")?, size: number_or(node, "size", 0.5)? },
    };
    Ok(Structure {
        group: node.get("group").map_or(Ok(name), Node::text)?.into(),
        family,
        material: material(node)?,
        spin: radians(node.get("spin").map_or(Ok(DVec3::ZERO), |node| point(node, 3))?),
        span: node.span.clone(),
    })
}

pub(super) fn joint(node: &Node) -> Checked<JointEntry> {
    let kind = match node.need("kind")?.text()? {
        "ball" => JointKind::Ball,
        "line" => JointKind::Line,
        "plane" => JointKind::Plane,
        "hinge" => JointKind::Hinge,
        "slider" => JointKind::Slider,
        "universal" => JointKind::Universal,
        "fixed" => JointKind::Fixed,
        _ => JointKind::Distance,
    };
    let turns = kind == JointKind::Hinge;
    let names = node.need("bodies")?.list()?;
    let name = |k: usize| names.get(k).map_or(Ok(""), Node::text).map(String::from);
    let at = point(node.need("at")?, 3)?;
    let axis = axis(node, "axis", kind)?;
    let scale = |x: f64| if turns { x.to_radians() } else { x };
    let limits = node.get("limits").map(|limits| limits_of(limits, scale)).transpose()?;
    let motor = match node.get("motor") {
        None => None,
        Some(motor) => Some((
            scale(motor.need("speed")?.number()?),
            motor.get("most").map(Node::number).transpose()?,
        )),
    };
    let takes_limits = matches!(kind, JointKind::Hinge | JointKind::Slider | JointKind::Distance);
    if limits.is_some() && !takes_limits || motor.is_some() && !(turns || kind == JointKind::Slider)
    {
        return Err(Fault::new(&node.span, "this kind of joint has neither limits nor a motor")
            .help("hinges and sliders have both, distances have limits"));
    }
    Ok(JointEntry {
        kind,
        bodies: [name(0)?, name(1)?],
        at,
        to: node.get("to").map_or(Ok(at), |to| point(to, 3))?,
        axes: [
            axis,
            if kind == JointKind::Universal { self::axis(node, "axis2", kind)? } else { axis },
        ],
        limits,
        motor,
        span: node.span.clone(),
    })
}

/// The axis of a joint that needs one.
fn axis(node: &Node, name: &str, kind: JointKind) -> Checked<DVec3> {
    if matches!(kind, JointKind::Ball | JointKind::Fixed | JointKind::Distance) {
        return Ok(DVec3::Z);
    }
    let Some(written) = node.get(name) else {
        return Err(Fault::new(&node.span, format!("this kind of joint needs an `{name}`"))
            .help("a vector, not zero, at the start"));
    };
    let axis = point(written, 3)?;
    axis.try_normalize().ok_or_else(|| Fault::new(&written.span, "this axis has no direction"))
}

fn limits_of(node: &Node, scale: impl Fn(f64) -> f64) -> Checked<[f64; 2]> {
    let numbers = node.list()?.iter().map(Node::number).collect::<Checked<Vec<f64>>>()?;
    match numbers[..] {
        [least, greatest] if least <= greatest => Ok([scale(least), scale(greatest)]),
        _ => Err(Fault::new(&node.span, "the greatest is below the least")
            .help("limits = [least, greatest]")),
    }
}

pub(super) fn dynamics(node: &Node) -> Checked<Dynamics> {
    let default = Dynamics::default();
    let whole = |name, default: usize| {
        node.get(name).map_or(Ok(default as u64), Node::whole).map(|n| n as usize)
    };
    Ok(Dynamics {
        mode: match node.get("mode").map_or(Ok("default"), Node::text)? {
            "paper" => Mode::Paper,
            _ => Mode::Default,
        },
        time_step: number_or(node, "time_step", default.time_step)?,
        steps: whole("steps", default.steps)?,
        substeps: whole("substeps", default.substeps)?,
        sweeps: whole("sweeps", default.sweeps)?,
        cloth_passes: whole("cloth_passes", default.cloth_passes)?,
        position_iterations: whole("position_iterations", default.position_iterations)?,
        velocity_iterations: whole("velocity_iterations", default.velocity_iterations)?,
        stiffness: number_or(node, "stiffness", default.stiffness)?,
        shock: node.get("shock").map_or(Ok("on"), Node::text)? == "on",
        damping: number_or(node, "damping", default.damping)?,
        overlap: number_or(node, "overlap", default.overlap)?,
        hand_over: match node.get("hand_over").map_or(Ok("no"), Node::text)? {
            "separate" => HandOver::Separate,
            "settle" => HandOver::Settle,
            _ => HandOver::No,
        },
    })
}
