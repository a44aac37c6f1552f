//! What runs of the method collapse keep besides the others: the bricks, in
//! the header, and how they are turned and move, in every frame.

use serde::{Deserialize, Serialize};

use super::column::{Builder, Columns};
use crate::math::{DMat3, DQuat, DVec3};
use crate::problem::{Problem, Result};
use crate::shape::Brick;
use crate::step::collapse::{Ledger, Push};
use crate::world::{Bar, Joint, Model, Poses, Rigid, Tower};

/// What a frame of bricks has besides positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BrickFrame {
    pub rotations: Vec<DQuat>,
    pub velocities: Vec<DVec3>,
    pub spins: Vec<DVec3>,
    /// What pushed in the step that led here.
    pub pushes: Vec<Push>,
    /// The account of that step.
    pub ledger: Ledger,
}

impl BrickFrame {
    /// The poses of a frame.
    pub fn poses(&self, positions: &[DVec3]) -> Poses {
        Poses {
            positions: positions.to_vec(),
            rotations: self.rotations.clone(),
            velocities: self.velocities.clone(),
            spins: self.spins.clone(),
        }
    }

    pub fn new(poses: &Poses, pushes: Vec<Push>, ledger: Ledger) -> Self {
        let (rotations, velocities) = (poses.rotations.clone(), poses.velocities.clone());
        BrickFrame { rotations, velocities, spins: poses.spins.clone(), pushes, ledger }
    }
}

/// A tower as text; numbers come back to the last bit.
#[derive(Serialize, Deserialize)]
struct TowerText {
    bricks: Vec<BrickText>,
    pins: Vec<JointText>,
    /// With their lengths.
    #[serde(default)] // unknown to runs from before there were any
    bars: Vec<(JointText, f64)>,
}

/// Two bodies and a point of each.
type JointText = ([u32; 2], [[f64; 3]; 2]);

/// Corners, and faces as lists of corners.
type PieceText = (Vec<[f64; 3]>, Vec<Vec<u32>>);

#[derive(Serialize, Deserialize)]
struct BrickText {
    /// Per convex piece its corners and faces, in the frame of the body.
    pieces: Vec<PieceText>,
    mass: f64,
    inertia: [f64; 9],
    fixed: bool,
    friction: f64,
    restitution: f64,
}

pub(super) fn write_tower(builder: &mut Builder, model: &Model) {
    if !model.is_tower() {
        return;
    }
    let piece = |brick: &Brick| {
        let corners = brick.corners().iter().map(|c| c.to_array()).collect();
        (corners, brick.faces().iter().map(|face| face.corners.clone()).collect())
    };
    let brick = |rigid: &Rigid| BrickText {
        pieces: rigid.pieces.iter().map(piece).collect(),
        mass: rigid.mass,
        inertia: rigid.inertia.to_cols_array(),
        fixed: rigid.fixed,
        friction: rigid.friction,
        restitution: rigid.restitution,
    };
    let pin = |joint: &Joint| (joint.bodies, joint.points.map(|p| p.to_array()));
    let text = TowerText {
        bricks: model.tower.bricks.iter().map(brick).collect(),
        pins: model.tower.pins.iter().map(pin).collect(),
        bars: model.tower.bars.iter().map(|bar| (pin(&bar.joint), bar.length)).collect(),
    };
    builder.text("tower", &serde_json::to_string(&text).unwrap_or_default());
}

pub(super) fn read_tower(
    columns: &Columns,
    dimension: usize,
    gravity: DVec3,
    bodies: usize,
) -> Result<Tower> {
    if !columns.has("tower") {
        return Ok(Tower::default());
    }
    let wrong =
        |what: String| Problem::new(format!("its column `tower` is not as expected: {what}"));
    let text: TowerText =
        serde_json::from_str(&columns.text("tower")?).map_err(|e| wrong(e.to_string()))?;
    if text.bricks.len() != bodies {
        return Err(wrong(format!("{} bricks for {bodies} bodies", text.bricks.len())));
    }
    let mut tower = Tower::new(dimension, gravity);
    for brick in text.bricks {
        let piece = |(corners, faces): PieceText| match dimension {
            2 => Brick::polygon(&corners.iter().map(|c| [c[0], c[1]]).collect::<Vec<_>>()),
            _ => Brick::polyhedron(corners.into_iter().map(DVec3::from_array).collect(), faces),
        };
        let pieces = brick.pieces.into_iter().map(piece).collect::<Result<Vec<Brick>>>()?;
        let pieces: Vec<Brick> = pieces.into_iter().map(Brick::renewed).collect();
        let corners = pieces.iter().flat_map(|p| p.corners());
        let radius = corners.fold(0.0_f64, |r, c| r.max(c.length()));
        if !(brick.mass > 0.0 && radius.is_finite() && radius > 0.0) {
            return Err(wrong("a brick has no mass or no size".into()));
        }
        tower.bricks.push(Rigid {
            pieces,
            mass: brick.mass,
            inertia: DMat3::from_cols_array(&brick.inertia),
            fixed: brick.fixed,
            friction: brick.friction,
            restitution: brick.restitution,
            radius,
        });
    }
    let joint = |(ends, points): JointText| match ends.iter().all(|&end| (end as usize) < bodies) {
        true => Ok(Joint { bodies: ends, points: points.map(DVec3::from_array) }),
        false => Err(wrong(format!("a joint of {ends:?} of {bodies} bricks"))),
    };
    tower.pins = text.pins.into_iter().map(joint).collect::<Result<_>>()?;
    for (ends, length) in text.bars {
        tower.bars.push(Bar { joint: joint(ends)?, length });
    }
    Ok(tower)
}

pub(super) fn write_frame(builder: &mut Builder, bricks: &BrickFrame) {
    let turns: Vec<f64> = bricks.rotations.iter().flat_map(|q| q.to_array()).collect();
    let flat = |v: &[DVec3]| v.iter().flat_map(|v| v.to_array()).collect::<Vec<f64>>();
    builder.packed("rotation", 4, &turns);
    builder.packed("velocity", 3, &flat(&bricks.velocities));
    builder.packed("spin", 3, &flat(&bricks.spins));
    let pairs: Vec<u32> = bricks.pushes.iter().flat_map(|push| push.bodies).collect();
    let places: Vec<DVec3> = bricks.pushes.iter().flat_map(|push| push.at).collect();
    let impulses: Vec<DVec3> = bricks.pushes.iter().map(|push| push.impulse).collect();
    builder.plain("push_bodies", 2, &pairs);
    builder.packed("push_at", 6, &flat(&places));
    builder.packed("push", 3, &flat(&impulses));
    builder.text("ledger", &serde_json::to_string(&bricks.ledger).unwrap_or_default());
}

pub(super) fn read_frame(columns: &Columns, bodies: usize) -> Result<Option<BrickFrame>> {
    if !columns.has("rotation") {
        return Ok(None);
    }
    let turns: Vec<f64> = columns.values("rotation", 4)?;
    let vectors = |name: &str| vectors_of(columns, name, 3);
    let mut pushes = Vec::new();
    if columns.has("push") {
        let (places, impulses) = (vectors_of(columns, "push_at", 6)?, vectors("push")?);
        let pairs: Vec<u32> = columns.values("push_bodies", 2)?;
        if pairs.len() != 2 * impulses.len() || places.len() != pairs.len() {
            return Err(Problem::new("its columns `push` and `push_bodies` differ in length"));
        }
        let parts = pairs.chunks_exact(2).zip(places.chunks_exact(2)).zip(impulses);
        pushes.extend(parts.map(|((pair, at), impulse)| Push {
            bodies: [pair[0], pair[1]],
            at: [at[0], at[1]],
            impulse,
        }));
    }
    let frame = BrickFrame {
        pushes,
        rotations: turns.chunks_exact(4).map(DQuat::from_slice).collect(),
        velocities: vectors("velocity")?,
        spins: vectors("spin")?,
        ledger: serde_json::from_str(&columns.text("ledger")?)
            .map_err(|e| Problem::new(format!("its column `ledger` is not as expected: {e}")))?,
    };
    let counts = [frame.rotations.len(), frame.velocities.len(), frame.spins.len()];
    if counts.iter().any(|&count| count != bodies) {
        return Err(Problem::new("its columns `position` and `rotation` differ in length"));
    }
    Ok(Some(frame))
}

/// A column of vectors, `width` numbers a row.
fn vectors_of(columns: &Columns, name: &str, width: u8) -> Result<Vec<DVec3>> {
    let flat: Vec<f64> = columns.values(name, width)?;
    Ok(flat.chunks_exact(3).map(DVec3::from_slice).collect())
}
