//! Pictures of bodies in motion: each piece where a frame of the run has put and turned it, cloth as
//! triangles. A large level support below everything else becomes the floor.

use std::f64::consts::TAU;

use glam::{DMat3, DVec3, Vec3};
use riprap::Result;
use riprap::shape::{Core, Piece};
use riprap::trajectory::Reader;
use riprap::world::{Model, Poses};

use crate::bricks::{Block, Rod, poses};
use crate::render::render_scene;
use crate::run::Painter;
use crate::{Options, Picture, Stage};

/// Sides of the prism that is drawn for a cylinder.
const SIDES: usize = 64;
/// A support wider than all that moves is the floor if its top is this low, in sizes of all that
/// moves, above the lowest of them.
const LEVEL: f64 = 0.05;
const SUPPORT: Vec3 = Vec3::new(0.42, 0.40, 0.36);

/// Draws a stored frame of a run of rigid bodies.
pub(crate) fn render_still(reader: &Reader, frame: usize, options: &Options) -> Result<Picture> {
    let artist = Artist::new(reader, options)?;
    let poses = poses(&reader.frame(frame)?);
    artist.draw(&artist.stage(&[&poses], options), &poses, options)
}

/// Turns poses into blocks, bars and balls.
pub(crate) struct Artist<'a> {
    model: &'a Model,
    painter: Painter<'a>,
}

/// What one body looks like.
#[derive(Default)]
struct Look {
    blocks: Vec<Block>,
    rods: Vec<Rod>,
}

impl<'a> Artist<'a> {
    pub fn new(reader: &'a Reader, options: &Options) -> Result<Artist<'a>> {
        Ok(Artist { model: reader.model(), painter: Painter::new(reader, options.colours)? })
    }

    /// A stage on which all of these poses fit.
    pub fn stage(&self, shown: &[&Poses], options: &Options) -> Stage {
        let corners = |i: usize, poses: &Poses| {
            let turn = DMat3::from_quat(poses.rotations[i]);
            let pieces = &self.model.assembly.parts[i].pieces;
            let boxes = pieces.iter().map(|piece| piece.bounds(poses.positions[i], &turn));
            boxes.flat_map(|b| [b.min, b.max]).collect::<Vec<DVec3>>()
        };
        let mut seen: Vec<DVec3> = Vec::new();
        for poses in shown {
            seen.extend(self.model.assembly.free().flat_map(|i| corners(i, poses)));
        }
        let mut floor: Option<f64> = None;
        for poses in shown.iter().take(1) {
            let ground = self.ground(poses);
            for i in (0..ground.len()).filter(|&i| !self.model.assembly.parts[i].is_free()) {
                let own = corners(i, poses);
                let top = own.iter().map(|p| p.z).fold(f64::NEG_INFINITY, f64::max);
                match ground[i] {
                    true => floor = Some(floor.map_or(top, |floor| floor.max(top))),
                    false => seen.extend(&own),
                }
            }
        }
        let lowest = bounds(&seen).0.z;
        Stage::of_blocks(&seen, floor.unwrap_or(lowest), options)
    }

    /// Which supports are the floor: wider than all that moves, and below it.
    fn ground(&self, poses: &Poses) -> Vec<bool> {
        let assembly = &self.model.assembly;
        let around = |i: usize| {
            let turn = DMat3::from_quat(poses.rotations[i]);
            let pieces = assembly.parts[i].pieces.iter();
            let boxes = pieces.map(|piece| piece.bounds(poses.positions[i], &turn));
            bounds(&boxes.flat_map(|b| [b.min, b.max]).collect::<Vec<_>>())
        };
        let moving: Vec<DVec3> =
            assembly.free().flat_map(|i| <[DVec3; 2]>::from(around(i))).collect();
        let (low, high) = bounds(&moving);
        let size = (high - low).length();
        let is_ground = |i: usize| {
            let (bottom, top) = around(i);
            let wide = (top - bottom).truncate().max_element() > size;
            !assembly.parts[i].is_free() && wide && top.z <= low.z + LEVEL * size
        };
        (0..assembly.parts.len()).map(is_ground).collect()
    }

    /// The picture of these poses.
    pub fn draw(&self, stage: &Stage, poses: &Poses, options: &Options) -> Result<Picture> {
        let balls = self.painter.paint(&poses.positions);
        let ground = self.ground(poses);
        let mut all = Look::default();
        let assembly = &self.model.assembly;
        // Particles of cloth are corners of its triangles.
        for (i, part) in assembly.parts[..assembly.rigid_count()].iter().enumerate() {
            if ground[i] || !(poses.positions[i].is_finite() && poses.rotations[i].is_finite()) {
                continue;
            }
            let colour = if part.is_free() { balls[i].colour } else { SUPPORT };
            let turn = DMat3::from_quat(poses.rotations[i]);
            for piece in &part.pieces {
                all.add(piece, poses.positions[i], &turn, colour);
            }
        }
        for cloth in &assembly.cloths {
            let faces = cloth.faces.iter().map(|face| face.map(|k| poses.positions[k as usize]));
            let seen = faces.filter(|face| face.iter().all(|p| p.is_finite()));
            let colour = balls[cloth.first as usize].colour;
            all.blocks.push(Block { faces: seen.map(|face| face.to_vec()).collect(), colour });
        }
        render_scene(&stage.scene_of_blocks(&all.blocks, &all.rods), stage, options)
    }
}

impl Look {
    fn add(&mut self, piece: &Piece, position: DVec3, turn: &DMat3, colour: Vec3) {
        let axes = *turn * DMat3::from_quat(piece.turn);
        let centre = position + *turn * piece.at;
        let place = |p: DVec3| centre + axes * p;
        let bar = |ends: [DVec3; 2], radius: f64| Rod { ends, radius, bead: 0.0, colour };
        match &piece.core {
            Core::Point => {
                let (ends, bead) = ([centre; 2], piece.radius);
                self.rods.push(Rod { ends, radius: 0.0, bead, colour });
            }
            Core::Segment { half } => {
                let ends = [-half, *half].map(|z| place(DVec3::Z * z));
                self.rods.push(bar(ends, piece.radius));
            }
            Core::Cylinder { radius, half } => {
                let faces = prism(*radius, *half);
                let faces = faces.into_iter().map(|f| f.into_iter().map(place).collect());
                self.blocks.push(Block { faces: faces.collect(), colour });
            }
            core => {
                let Some(hull) = core.hull() else { return };
                let corner = |k: &u32| place(hull.corners[*k as usize] * core.stretch());
                let faces = hull.faces.iter().zip(&hull.normals).map(|(face, normal)| {
                    let out = axes * *normal * piece.radius;
                    face.iter().map(|k| corner(k) + out).collect()
                });
                self.blocks.push(Block { faces: faces.collect(), colour });
                if piece.radius > 0.0 {
                    let edges = hull.edges.iter().map(|e| [corner(&e[0]), corner(&e[1])]);
                    self.rods.extend(edges.map(|ends| bar(ends, piece.radius)));
                }
            }
        }
    }
}

/// The faces of a cylinder about z.
fn prism(radius: f64, half: f64) -> Vec<Vec<DVec3>> {
    let rim = |k: usize, z: f64| {
        let angle = TAU * (k % SIDES) as f64 / SIDES as f64;
        DVec3::new(radius * angle.cos(), radius * angle.sin(), z)
    };
    let mut faces = vec![
        (0..SIDES).map(|k| rim(k, half)).collect::<Vec<_>>(),
        (0..SIDES).rev().map(|k| rim(k, -half)).collect(),
    ];
    faces.extend(
        (0..SIDES).map(|k| vec![rim(k, -half), rim(k + 1, -half), rim(k + 1, half), rim(k, half)]),
    );
    faces
}

fn bounds(points: &[DVec3]) -> (DVec3, DVec3) {
    let first = points.first().copied().unwrap_or_default();
    points.iter().fold((first, first), |(low, high), p| (low.min(*p), high.max(*p)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cylinder_is_closed_and_looks_outwards() {
        let faces = prism(1.0, 2.0);
        let mut volume = 0.0;
        for face in &faces {
            for edge in face.windows(2).skip(1) {
                volume += face[0].dot(edge[0].cross(edge[1])) / 6.0;
            }
        }
        assert!((volume / (2.0 * TAU) - 1.0).abs() < 2e-3, "{volume}");
    }

    #[test]
    fn every_kind_of_piece_is_drawn() {
        let mut look = Look::default();
        let half = DVec3::ONE;
        for (core, radius) in [
            (Core::Point, 1.0),
            (Core::Segment { half: 1.0 }, 0.5),
            (Core::Box { half }, 0.0),
            (Core::Box { half }, 0.1),
            (Core::Cylinder { radius: 1.0, half: 1.0 }, 0.0),
        ] {
            look.add(&Piece::new(core, radius), DVec3::ZERO, &DMat3::IDENTITY, Vec3::ONE);
        }
        // The rounded box has twelve edges.
        assert_eq!((look.blocks.len(), look.rods.len()), (3, 2 + 12));
    }
}
