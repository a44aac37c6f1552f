//! What runs of the method collapse keep besides the others: the bricks, in
//! the header, and how they are turned and move, in every frame.

use serde::{Deserialize, Serialize};

use super::column::{Builder, Columns};
use crate::math::{DMat3, DQuat, DVec3};
use crate::problem::{Problem, Result};
use crate::shape::Brick;
use crate::step::collapse::Ledger;
use crate::world::{Joint, Model, Poses, Rigid, Tower};

/// What a frame of bricks has besides positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BrickFrame {
    pub rotations: Vec<DQuat>,
    pub velocities: Vec<DVec3>,
    pub spins: Vec<DVec3>,
    /// The account of the step that led here.
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

    pub fn new(poses: &Poses, ledger: Ledger) -> Self {
        let (rotations, velocities) = (poses.rotations.clone(), poses.velocities.clone());
        BrickFrame { rotations, velocities, spins: poses.spins.clone(), ledger }
    }
}

/// A tower as text; numbers come back to the last bit.
#[derive(Serialize, Deserialize)]
struct TowerText {
    bricks: Vec<BrickText>,
    pins: Vec<([u32; 2], [[f64; 3]; 2])>,
}

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
    for (ends, points) in text.pins {
        if ends.iter().any(|&end| end as usize >= bodies) {
            return Err(wrong(format!("a pin joins {ends:?} of {bodies} bricks")));
        }
        tower.pins.push(Joint { bodies: ends, points: points.map(DVec3::from_array) });
    }
    Ok(tower)
}

pub(super) fn write_frame(builder: &mut Builder, bricks: &BrickFrame) {
    let turns: Vec<f64> = bricks.rotations.iter().flat_map(|q| q.to_array()).collect();
    let flat = |v: &[DVec3]| v.iter().flat_map(|v| v.to_array()).collect::<Vec<f64>>();
    builder.packed("rotation", 4, &turns);
    builder.packed("velocity", 3, &flat(&bricks.velocities));
    builder.packed("spin", 3, &flat(&bricks.spins));
    builder.text("ledger", &serde_json::to_string(&bricks.ledger).unwrap_or_default());
}

pub(super) fn read_frame(columns: &Columns, bodies: usize) -> Result<Option<BrickFrame>> {
    if !columns.has("rotation") {
        return Ok(None);
    }
    let turns: Vec<f64> = columns.values("rotation", 4)?;
    let vectors = |name: &str| -> Result<Vec<DVec3>> {
        let flat: Vec<f64> = columns.values(name, 3)?;
        Ok(flat.chunks_exact(3).map(DVec3::from_slice).collect())
    };
    let frame = BrickFrame {
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
