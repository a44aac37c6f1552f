//! Pictures of bricks: convex polyhedra where a frame of the run has put and turned them. Flat
//! scenes stand upright, as slabs. The proof of a verdict is drawn as rods: forces that end in a
//! bead where they push, and the edges of bricks as they begin to fall.

use std::path::Path;

use glam::{DVec3, Vec3};
use riprap::Result;
use riprap::export::palette::distinct;
use riprap::trajectory::{Frame, Reader};
use riprap::world::{Poses, Tower};

use crate::movie::Moment;
use crate::picture::from_screen;
use crate::render::render_scene;
use crate::{Options, Picture, Stage};

/// A convex polyhedron as it is drawn, in the run's own units.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Corners of each face, counter-clockwise from outside.
    pub faces: Vec<Vec<DVec3>>,
    pub colour: Vec3,
}

/// A round bar with a bead at its end, either of which may be missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rod {
    pub ends: [DVec3; 2],
    /// Of the bar; 0 for none.
    pub radius: f64,
    /// Of the bead; 0 for none.
    pub bead: f64,
    pub colour: Vec3,
}

/// What to draw beside the bricks of a verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proof {
    /// Where bricks begin to go.
    pub ghosts: Option<Poses>,
    /// Forces, from tail to tip.
    pub arrows: Vec<[DVec3; 2]>,
}

/// The thickness of flat bricks, in mean radii.
const SLAB: f64 = 0.7;
/// Rods, in mean radii.
const THIN: f64 = 0.022;
/// Bricks that move by less than this, in mean radii, have no ghost.
const MOVES: f64 = 0.01;
/// A support larger than this, in sizes of all that moves, is the ground.
const GROUND: f64 = 1.0;
const SUPPORT: Vec3 = Vec3::new(0.42, 0.40, 0.36);
const SPECTRE: Vec3 = Vec3::new(0.55, 0.05, 0.03);
const PUSH: Vec3 = Vec3::new(0.03, 0.03, 0.20);

/// Draws a stored frame of a run of bricks.
pub(crate) fn render_still(reader: &Reader, frame: usize, options: &Options) -> Result<Picture> {
    let poses = poses(&reader.frame(frame)?);
    let painter = Painter::new(&reader.model().tower);
    painter.draw(&painter.stage(&[&poses], options), &poses, &Proof::default(), options)
}

/// Draws a tower with the proof that it stands or falls.
pub fn write_proof(
    path: &Path,
    tower: &Tower,
    poses: &Poses,
    proof: &Proof,
    options: &Options,
) -> Result<()> {
    let painter = Painter::new(tower);
    let shown: Vec<&Poses> = std::iter::once(poses).chain(&proof.ghosts).collect();
    painter.draw(&painter.stage(&shown, options), poses, proof, options)?.save(path)
}

pub(crate) fn poses(frame: &Frame) -> Poses {
    frame.bricks.as_ref().map(|bricks| bricks.poses(&frame.positions)).unwrap_or_default()
}

/// The poses at a moment between two frames.
pub(crate) fn poses_at(reader: &Reader, moment: Moment) -> Result<Poses> {
    let mut here = poses(&reader.frame(moment.frame)?);
    if moment.share == 0.0 {
        return Ok(here);
    }
    let next = poses(&reader.frame(moment.frame + 1)?);
    for (p, q) in here.positions.iter_mut().zip(&next.positions) {
        *p = p.lerp(*q, moment.share);
    }
    for (p, q) in here.rotations.iter_mut().zip(&next.rotations) {
        let nearer = if p.dot(*q) < 0.0 { -*q } else { *q };
        *p = p.slerp(nearer, moment.share);
    }
    Ok(here)
}

/// Turns poses into blocks.
pub(crate) struct Painter<'a> {
    tower: &'a Tower,
    colours: Vec<Vec3>,
    /// The mean radius of all that can move.
    size: f64,
}

impl<'a> Painter<'a> {
    /// Neighbours in the list have different colours, the same as in vector pictures.
    pub fn new(tower: &'a Tower) -> Painter<'a> {
        let count = tower.moving().count().max(1);
        let size = tower.moving().map(|i| tower.bricks[i].radius).sum::<f64>() / count as f64;
        let colours = (0..tower.bricks.len()).map(|i| from_screen(distinct(i % 4))).collect();
        Painter { tower, colours, size }
    }

    /// From the scene to space, in which z is up.
    fn upright(&self, p: DVec3, depth: f64) -> DVec3 {
        if self.tower.dimension == 2 { DVec3::new(p.x, depth, p.y) } else { p }
    }

    /// A stage on which all of these poses fit; large supports become the floor.
    pub fn stage(&self, shown: &[&Poses], options: &Options) -> Stage {
        let mut seen = Vec::new();
        for poses in shown {
            for i in self.tower.moving() {
                seen.extend(self.block(i, poses).faces.into_iter().flatten());
            }
        }
        let lowest = seen.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        let (low, high) = bounds(&seen);
        let mut floor = lowest;
        for poses in shown.iter().take(1) {
            for i in (0..self.tower.bricks.len()).filter(|&i| self.tower.bricks[i].fixed) {
                let support = bounds(&self.block(i, poses).faces.concat());
                if self.is_ground(i, (high - low).length()) {
                    floor = floor.min(support.1.z);
                } else {
                    seen.extend([support.0, support.1]);
                    floor = floor.min(support.0.z);
                }
            }
        }
        Stage::of_blocks(&seen, floor, options)
    }

    fn is_ground(&self, body: usize, size: f64) -> bool {
        self.tower.bricks[body].fixed && 2.0 * self.tower.bricks[body].radius > GROUND * size
    }

    fn block(&self, body: usize, poses: &Poses) -> Block {
        let half = 0.5 * SLAB * self.size;
        let mut faces = Vec::new();
        for piece in self.tower.placed(body, poses) {
            let corners = piece.corners();
            if self.tower.dimension == 3 {
                let face = |f: &riprap::shape::BrickFace| {
                    f.corners.iter().map(|&k| corners[k as usize]).collect()
                };
                faces.extend(piece.faces().iter().map(face));
                continue;
            }
            let at = |depth: f64| move |p: &DVec3| self.upright(*p, depth);
            faces.push(corners.iter().map(at(-half)).collect());
            faces.push(corners.iter().rev().map(at(half)).collect());
            for (p, q) in corners.iter().zip(corners.iter().cycle().skip(1)) {
                let [a, b, c, d] = [(q, -half), (p, -half), (p, half), (q, half)]
                    .map(|(p, depth)| self.upright(*p, depth));
                faces.push(vec![a, b, c, d]);
            }
        }
        let colour = if self.tower.bricks[body].fixed { SUPPORT } else { self.colours[body] };
        Block { faces, colour }
    }

    /// The picture of these poses.
    pub fn draw(
        &self,
        stage: &Stage,
        poses: &Poses,
        proof: &Proof,
        options: &Options,
    ) -> Result<Picture> {
        let moving: Vec<DVec3> =
            self.tower.moving().flat_map(|i| self.block(i, poses).faces.concat()).collect();
        let (low, high) = bounds(&moving);
        let size = (high - low).length();
        let drawn = (0..self.tower.bricks.len()).filter(|&i| !self.is_ground(i, size));
        let blocks: Vec<Block> = drawn.map(|i| self.block(i, poses)).collect();
        render_scene(&stage.scene_of_blocks(&blocks, &self.rods(poses, proof)), stage, options)
    }

    fn rods(&self, poses: &Poses, proof: &Proof) -> Vec<Rod> {
        let thin = THIN * self.size;
        // In front of slabs, where they can be seen.
        let front = -0.5 * SLAB * self.size - 2.0 * thin;
        let push = |[from, to]: &[DVec3; 2]| Rod {
            ends: [self.upright(*from, front), self.upright(*to, front)],
            radius: 1.5 * thin,
            bead: 3.0 * thin,
            colour: PUSH,
        };
        let mut rods: Vec<Rod> = proof.arrows.iter().map(push).collect();
        rods.extend(self.tower.bars.iter().map(|bar| Rod {
            ends: poses.ends(&bar.joint).map(|p| self.upright(p, front)),
            radius: 2.0 * thin,
            bead: 0.0,
            colour: SUPPORT,
        }));
        if let Some(ghosts) = &proof.ghosts {
            let goes = |i: &usize| {
                let apart = (ghosts.positions[*i] - poses.positions[*i]).length();
                let turned = 1.0 - ghosts.rotations[*i].dot(poses.rotations[*i]).abs();
                apart > MOVES * self.size || turned > MOVES * MOVES
            };
            let moving = self.tower.moving().filter(goes);
            for face in moving.flat_map(|i| self.block(i, ghosts).faces) {
                let edges = face.iter().zip(face.iter().cycle().skip(1));
                rods.extend(edges.map(|(p, q)| Rod {
                    ends: [*p, *q],
                    radius: thin,
                    bead: 0.0,
                    colour: SPECTRE,
                }));
            }
        }
        rods
    }
}

fn bounds(points: &[DVec3]) -> (DVec3, DVec3) {
    let first = points.first().copied().unwrap_or_default();
    points.iter().fold((first, first), |(low, high), p| (low.min(*p), high.max(*p)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use riprap::scene::gallery;
    use riprap::step::collapse::ready;

    fn tiny() -> Options {
        Options { width: 48, height: 36, samples: 1, ..Options::default() }
    }

    fn picture(name: &str, turn: f64) -> Picture {
        let (model, mut poses) = ready(&gallery::scene(name).unwrap()).unwrap();
        poses.rotations[0] = DQuat::from_rotation_z(turn) * poses.rotations[0];
        let painter = Painter::new(&model.tower);
        let stage = painter.stage(&[&poses], &tiny());
        painter.draw(&stage, &poses, &Proof::default(), &tiny()).unwrap()
    }

    #[test]
    fn flat_bricks_are_closed_slabs_and_boxes_are_boxes() {
        for (name, faces) in [("diamond-3", 6), ("wall-3d", 6)] {
            let (model, poses) = ready(&gallery::scene(name).unwrap()).unwrap();
            let block = Painter::new(&model.tower).block(0, &poses);
            assert_eq!(block.faces.len(), faces, "{name}");
            let middle = block.faces.concat().iter().sum::<DVec3>() / 24.0;
            for face in &block.faces {
                let across = (face[1] - face[0]).cross(face[2] - face[1]);
                assert!(across.dot(face[0] - middle) > 0.0, "{name}: faces look outwards");
            }
        }
    }

    #[test]
    fn a_turned_brick_is_another_picture() {
        assert_eq!(picture("wall-3d", 0.0), picture("wall-3d", 0.0));
        assert_ne!(picture("wall-3d", 0.0), picture("wall-3d", 0.3));
    }

    #[test]
    fn a_proof_adds_to_the_picture() {
        let (model, poses) = ready(&gallery::scene("brick-tower-3d").unwrap()).unwrap();
        let painter = Painter::new(&model.tower);
        let stage = painter.stage(&[&poses], &tiny());
        let bare = painter.draw(&stage, &poses, &Proof::default(), &tiny()).unwrap();
        let arrows = vec![[DVec3::new(0.0, -1.0, 2.0), DVec3::new(0.0, -1.0, 0.5)]];
        let proof = Proof { arrows, ghosts: None };
        assert_ne!(bare, painter.draw(&stage, &poses, &proof, &tiny()).unwrap());
        let still = Proof { ghosts: Some(poses.clone()), arrows: Vec::new() };
        assert_eq!(bare, painter.draw(&stage, &poses, &still, &tiny()).unwrap());
        let mut ghosts = poses.clone();
        ghosts.positions[0] += DVec3::new(0.3, -0.3, 0.1);
        let proof = Proof { ghosts: Some(ghosts), arrows: Vec::new() };
        assert_ne!(bare, painter.draw(&stage, &poses, &proof, &tiny()).unwrap());
    }
}
