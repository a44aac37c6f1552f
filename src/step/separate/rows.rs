//! The half-spaces that keep pieces apart, for all pairs of bodies and for the
//! walls of the container.

use super::HAIR;
use super::blocks::Blocks;
use super::directions::widest;
use crate::contact::manifold::manifold;
use crate::contact::{Placed, Walls};
use crate::math::{DMat3, DVec3};
use crate::near;
use crate::problem::{Problem, Result};
use crate::shape::Aabb;
use crate::solver::{FIXED, HalfSpace, MotionBox, Program};
use crate::world::{Joint, Model, State};

/// Breaks ties between equally short motions.
const PROXIMAL: f64 = 1e-6;

/// Two gaps that differ by less than this, in radii of the smallest, are the same.
const ROUNDING: f64 = 1e-9;

/// The bodies as the program sees them.
pub struct Rows<'a> {
    model: &'a Model,
    placed: Vec<Vec<Placed<'a>>>,
    regions: Vec<Aabb>,
    pub blocks: Blocks,
    walls: Walls,
    exempt: Vec<[u32; 2]>,
    /// The least radius of what moves.
    pub smallest: f64,
    /// How far apart bodies are to be.
    pub skin: f64,
}

impl<'a> Rows<'a> {
    pub fn new(model: &'a Model, state: &State, room: f64) -> Self {
        let place = |i: usize| -> Vec<Placed<'a>> {
            let turn = DMat3::from_quat(state.rotations[i]);
            let pieces = model.shape(i).pieces.iter();
            pieces.map(|piece| Placed::new(piece, state.positions[i], &turn)).collect()
        };
        let placed: Vec<Vec<Placed>> = (0..model.bodies.len()).map(place).collect();
        let region = |i: usize| {
            let all = placed[i].iter().map(|piece| piece.bounds()).reduce(|a, b| a.union(&b));
            all.unwrap_or(Aabb { min: state.positions[i], max: state.positions[i] })
        };
        let regions = (0..model.bodies.len()).map(region).collect();
        let radii = || model.free().map(|i| model.bodies[i].radius);
        let smallest = radii().fold(f64::INFINITY, f64::min);
        let smallest = if smallest.is_finite() { smallest } else { 0.0 };
        Rows {
            placed,
            regions,
            blocks: Blocks::new(model, state, 0.0),
            walls: Walls::of(model),
            exempt: model.exempt(),
            smallest,
            skin: (HAIR + room) * smallest,
            model,
        }
    }

    /// The deepest overlap; negative if there is none.
    pub fn deepest(&mut self, state: &State) -> Result<f64> {
        self.rows(state, 0.0).map(|(_, deepest)| deepest)
    }

    /// The half-spaces of all pairs that motions of up to `reach` per coordinate can join, and
    /// the deepest overlap. A half-space is enough to keep its two pieces apart, wherever they go.
    fn rows(&mut self, state: &State, reach: f64) -> Result<(Vec<HalfSpace>, f64)> {
        let within = 2.0 * (3.0_f64.sqrt() * reach + self.skin);
        self.blocks = Blocks::new(self.model, state, within);
        let mut rows = Vec::new();
        let between = self.between_bodies(within, &mut rows)?;
        let deepest = between.max(self.at_walls(within, &mut rows));
        Ok((rows, deepest))
    }

    fn between_bodies(&self, within: f64, rows: &mut Vec<HalfSpace>) -> Result<f64> {
        let grown: Vec<Aabb> = self.regions.iter().map(|r| r.grow(0.5 * within)).collect();
        let mut deepest = f64::NEG_INFINITY;
        for pair in near::pairs(&grown) {
            let (i, j) = (pair.i as usize, pair.j as usize);
            let blocks = [i, j].map(|i| self.blocks.of[i]);
            let exempt = self.exempt.binary_search(&[pair.i, pair.j]).is_ok();
            if exempt || blocks == [None; 2] {
                continue;
            }
            for first in self.placed[i].iter().filter(|p| p.bounds().overlaps(&grown[j])) {
                for second in &self.placed[j] {
                    if !first.bounds().grow(within).overlaps(&second.bounds()) {
                        continue;
                    }
                    let Some(found) = manifold(first, second, within) else { continue };
                    let (normal, gap) = widest(first, second, found.normal, self.skin);
                    deepest = deepest.max(-gap);
                    if blocks[0] == blocks[1] {
                        self.refuse_if_joined(gap, [i, j])?;
                        continue;
                    }
                    rows.push(half_space(blocks, normal, gap - self.skin));
                }
            }
        }
        Ok(deepest)
    }

    fn at_walls(&self, within: f64, rows: &mut Vec<HalfSpace>) -> f64 {
        let (mut deepest, mut faces) = (f64::NEG_INFINITY, Vec::new());
        for (i, pieces) in self.placed.iter().enumerate() {
            let Some(block) = self.blocks.of[i] else { continue };
            for piece in pieces {
                faces.clear();
                self.walls.near(&piece.bounds().grow(within), &mut faces);
                for &face in &faces {
                    let wall = self.walls.get(face);
                    let Some(found) = wall.manifold(piece, within) else { continue };
                    let wall = wall.placed();
                    let mut normal = found.normal;
                    let mut gap = piece.least_of(normal) + wall.least_of(-normal);
                    // What hangs over a ledge is below the face, but beside it.
                    if gap < found.least_gap() - ROUNDING * self.smallest {
                        (normal, gap) = widest(piece, &wall, normal, self.skin);
                    }
                    deepest = deepest.max(-gap);
                    rows.push(half_space([Some(block), None], normal, gap - self.skin));
                }
            }
        }
        deepest
    }

    /// Bodies that keep their distance cannot be taken apart; says what keeps it.
    fn refuse_if_joined(&self, gap: f64, [i, j]: [usize; 2]) -> Result<()> {
        if gap >= 0.0 {
            return Ok(());
        }
        let both = |joint: &Joint| [i, j].iter().all(|&k| joint.bodies.contains(&Some(k as u32)));
        let length = |joint: &Joint| both(joint) && joint.distance().is_some();
        let overlap = format!("the bodies {i} and {j} overlap, and");
        Err(match self.model.joints.iter().position(length) {
            Some(number) => {
                Problem::new(format!("{overlap} joint {number} is too short to let them part"))
                    .help("a longer rope or bar lets them part; move them, or give it a length")
            }
            None => Problem::new(format!("{overlap} joints make them move as one"))
                .help("joined bodies that may overlap need a joint of their own without `collide`"),
        })
    }

    pub fn program(&mut self, state: &State, reach: f64, unit: f64) -> Result<Program> {
        let (mut half_spaces, _) = self.rows(state, reach)?;
        half_spaces.iter_mut().for_each(|row| row.gap /= unit);
        let far = DVec3::splat(reach / unit);
        let wide = MotionBox { axes: DMat3::IDENTITY, low: -far, high: far };
        let count = self.blocks.count;
        // What moves several bodies costs as much as they all do.
        let mut absolute = vec![0.0; count];
        for block in self.model.free().filter_map(|i| self.blocks.of[i]) {
            absolute[block as usize] += 1.0;
        }
        Ok(Program {
            width: self.model.dimension,
            cost: vec![DVec3::ZERO; count],
            proximal: vec![PROXIMAL; count],
            absolute,
            half_spaces,
            boxes: vec![wide; count],
            ..Program::default()
        })
    }
}

fn half_space(blocks: [Option<u32>; 2], normal: DVec3, gap: f64) -> HalfSpace {
    match blocks {
        [Some(a), b] => HalfSpace { a, b: b.unwrap_or(FIXED), normal, gap },
        [None, b] => HalfSpace { a: b.unwrap_or(FIXED), b: FIXED, normal: -normal, gap },
    }
}
