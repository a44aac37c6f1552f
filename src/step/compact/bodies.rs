//! The pieces of a layout made ready to move: convex pieces in units of the
//! strip's height, so that tolerances mean the same for every drawing.

use super::Options;
use crate::contact::{
    Direction, Near, PieceRow, Rounded, Side, clip_away, far_pieces, near_pieces,
};
use crate::layout::{Layout, Strip, turn};
use crate::math::{CLIP, DVec3};
use crate::problem::{Problem, Result};
use crate::shape::{Aabb, Apart, Shape, room_along};
use std::collections::BTreeMap;

/// Rows keep this much distance, in units of the strip's height: far above
/// the rounding of coordinates, far below what anybody can cut.
pub const STRIP_SKIN: f64 = 1e-10;

/// Of two pieces with more pairs of parts than this, parts that are nearer than the next number, in
/// units of the strip's height, are looked at first: their rows hide most others.
const MANY_PARTS: usize = 400;
const FIRST: f64 = 0.1;

/// How far a corner may hop to get to another side, in units of the strip's height.
const HOP: f64 = 3e-3;

/// The pieces, the strip and the wall that moves, in units of the strip's height.
#[derive(Clone)]
pub struct Bodies {
    pub scale: f64,
    pub pieces: Vec<LayoutPiece>,
    pub min: DVec3,
    pub max: DVec3,
    /// What is minimised is the moving wall's way along this unit vector.
    pub direction: DVec3,
    /// The sides of the moving wall (two, if it is a corner): outward unit
    /// normals, and where they are along them.
    pub walls: Vec<(DVec3, f64)>,
    pub clearance: f64,
    /// Directions to keep convex parts apart along instead of the widest.
    pub preferred: BTreeMap<PartPair, DVec3>,
    /// The contact whose preferred direction may be one it has to hop to.
    pub trying: Option<PartPair>,
    /// Rows between pieces where they are now, as long as many programs ask for them.
    pub known: BTreeMap<[usize; 2], Vec<PieceRow>>,
}

/// Two convex parts: the numbers of the pieces, and of the parts in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartPair {
    pub pieces: [usize; 2],
    pub parts: [u32; 2],
}

/// A piece of the layout.
#[derive(Clone)]
pub struct LayoutPiece {
    /// Its convex parts, in the coordinates of its item, turned.
    pub parts: Vec<Rounded>,
    /// Its centre of mass, likewise.
    pub centre: DVec3,
    /// The box around it, likewise.
    pub bounds: Aabb,
    pub position: DVec3,
    /// Its block of unknowns; none, if it is fixed.
    pub block: Option<u32>,
}

impl Bodies {
    pub fn new(layout: &Layout, options: &Options) -> Result<Self> {
        let [x, y] = options.direction;
        let direction = DVec3::new(x, y, 0.0);
        if !direction.is_finite() || direction.length() < 1e-12 {
            return Err(Problem::new(format!("the direction is {x},{y}"))
                .help("a direction is two numbers, not both 0, such as 1,0"));
        }
        if !(options.clearance.is_finite() && options.clearance >= 0.0) {
            return Err(Problem::new(format!("the clearance is {}", options.clearance))
                .help("a clearance is a length, at least 0"));
        }
        let direction = direction.normalize();
        let scale = layout.strip.height();
        let mut blocks = 0;
        let mut pieces = Vec::with_capacity(layout.placed.len());
        for (index, placed) in layout.placed.iter().enumerate() {
            let mut loops = turn(&layout.items[placed.item].outline, placed.rotation);
            loops.iter_mut().flatten().flatten().for_each(|x| *x /= scale);
            let name = layout.piece_name(index);
            let shape = Shape::polygon(&loops[0], &loops[1..]).map_err(|problem| Problem {
                message: format!("{name}: {}", problem.message),
                ..problem
            })?;
            let [x, y] = placed.translation;
            let block = (!placed.fixed).then_some(blocks);
            blocks += u32::from(!placed.fixed);
            let position = DVec3::new(x, y, 0.0) / scale;
            pieces.push(LayoutPiece::new(&shape, position, block));
        }
        let corner = |[x, y]: [f64; 2]| DVec3::new(x, y, 0.0) / scale;
        let (min, max) = (corner(layout.strip.min), corner(layout.strip.max));
        let farthest = |normal: DVec3| {
            let corners =
                (0..4).map(|k| DVec3::new([min.x, max.x][k % 2], [min.y, max.y][k / 2], 0.0));
            corners.map(|corner| corner.dot(normal)).fold(f64::NEG_INFINITY, f64::max)
        };
        let (direction, walls) = match options.corner {
            // The way along which the area of the strip falls fastest.
            true => {
                let size = max - min;
                (DVec3::new(size.y, size.x, 0.0).normalize(), vec![DVec3::X, DVec3::Y])
            }
            false => (direction, vec![direction]),
        };
        let walls = walls.into_iter().map(|normal| (normal, farthest(normal))).collect();
        let clearance = options.clearance / scale;
        Ok(Bodies {
            scale,
            pieces,
            min,
            max,
            direction,
            walls,
            clearance,
            preferred: BTreeMap::new(),
            trying: None,
            known: BTreeMap::new(),
        })
    }

    /// The block of the wall: after those of the pieces.
    pub fn wall_block(&self) -> usize {
        self.pieces.iter().filter(|piece| piece.block.is_some()).count()
    }

    /// The distance of the moving wall from the farthest corner of the strip, in the drawing's units.
    pub fn wall_distance(&self) -> f64 {
        let (normal, wall) = self.walls[0];
        let back = DVec3::select(normal.cmpgt(DVec3::ZERO), self.min, self.max);
        self.scale * (wall - back.dot(normal))
    }

    pub fn box_of(&self, index: usize) -> Aabb {
        let LayoutPiece { bounds, position, .. } = &self.pieces[index];
        Aabb { min: bounds.min + *position, max: bounds.max + *position }
    }

    /// How far a piece reaches in a direction.
    pub fn support(&self, index: usize, direction: DVec3) -> f64 {
        let piece = &self.pieces[index];
        let reach = piece.parts.iter().map(|part| part.core.support(direction));
        reach.fold(f64::NEG_INFINITY, f64::max) + piece.position.dot(direction)
    }

    /// The rows between two pieces.
    pub fn rows(&self, i: usize, j: usize) -> Vec<PieceRow> {
        if let Some(rows) = self.known.get(&[i, j]) {
            return rows.clone();
        }
        let a = Side { pieces: &self.pieces[i].parts, more: self.clearance };
        let b = Side { pieces: &self.pieces[j].parts, more: 0.0 };
        let offset = self.pieces[i].position - self.pieces[j].position;
        let reach = match a.pieces.len() * b.pieces.len() > MANY_PARTS {
            true => self.box_of(i).gap(&self.box_of(j)) + FIRST,
            false => f64::INFINITY,
        };
        let mut found = near_pieces(a, b, offset, reach, Direction::Widest);
        self.prefer([i, j], &mut found);
        if reach.is_finite() {
            let first = clip_away(a, b, offset, CLIP, found.clone());
            let mut far = far_pieces(a, b, offset, reach, Direction::Widest, (&first, CLIP));
            self.prefer([i, j], &mut far);
            found.extend(far);
        }
        clip_away(a, b, offset, CLIP, found)
    }

    /// Takes the preferred directions instead of those found.
    fn prefer(&self, pieces: [usize; 2], found: &mut [Near]) {
        for (apart, parts) in found {
            let pair = PartPair { pieces, parts: *parts };
            if let Some(&normal) = self.preferred.get(&pair) {
                let room = self.room(pair, normal);
                // A direction serves as long as the parts are apart along it.
                if room - self.clearance >= STRIP_SKIN || self.trying == Some(pair) {
                    *apart = Apart { normal, room };
                }
            }
        }
    }

    /// The room between two convex parts along a direction.
    fn room(&self, pair: PartPair, normal: DVec3) -> f64 {
        let [i, j] = pair.pieces;
        let [p, q] = pair.parts.map(|k| k as usize);
        let offset = self.pieces[i].position - self.pieces[j].position;
        let [first, second] = [&self.pieces[i].parts[p], &self.pieces[j].parts[q]];
        room_along(&first.core, &second.core, offset, normal)
    }

    /// The other sides along which two convex parts are apart, or nearly.
    pub fn alternatives(&self, pair: PartPair, present: DVec3) -> Vec<DVec3> {
        let [i, j] = pair.pieces;
        let [p, q] = pair.parts.map(|k| k as usize);
        let [first, second] = [&self.pieces[i].parts[p], &self.pieces[j].parts[q]];
        let first = first.core.facets().iter().map(|facet| -facet.normal);
        let second = second.core.facets().iter().map(|facet| facet.normal);
        let other = |normal: &DVec3| {
            normal.distance(present) > 1e-9 && self.room(pair, *normal) - self.clearance >= -HOP
        };
        first.chain(second).filter(other).collect()
    }

    /// The sides of the strip that stay: normals into it, and how far along them they are.
    pub fn sides(&self) -> impl Iterator<Item = (DVec3, f64)> {
        let sides = [
            (DVec3::X, self.min.x),
            (-DVec3::X, -self.max.x),
            (DVec3::Y, self.min.y),
            (-DVec3::Y, -self.max.y),
        ];
        let stays = |(normal, _): &(DVec3, f64)| self.walls.iter().all(|wall| -wall.0 != *normal);
        sides.into_iter().filter(stays).collect::<Vec<_>>().into_iter()
    }

    /// What a piece keeps from the sides of the strip along a normal: the skin,
    /// or less if it hardly fits between them.
    pub fn side_skin(&self, index: usize, normal: DVec3) -> f64 {
        let strip = (self.max - self.min).dot(normal.abs());
        let piece = self.pieces[index].bounds.size().dot(normal.abs());
        (0.2 * (strip - piece)).clamp(0.0, STRIP_SKIN)
    }

    /// The least room between two pieces, or of a piece to the strip's sides
    /// and the wall, in the drawing's units.
    pub fn least_gap(&self) -> f64 {
        self.scale * self.least_room()
    }

    fn least_room(&self) -> f64 {
        let boxes: Vec<Aabb> = (0..self.pieces.len())
            .map(|i| self.box_of(i).grow(self.clearance + STRIP_SKIN))
            .collect();
        let between = crate::shape::Bvh::new(&boxes).pairs().into_iter().flat_map(|(i, j)| {
            let (i, j) = (i as usize, j as usize);
            let fixed = self.pieces[i].block.is_none() && self.pieces[j].block.is_none();
            if fixed { Vec::new() } else { self.rows(i, j) }
        });
        let inside = (0..self.pieces.len()).flat_map(|i| {
            let sides = self.sides().map(move |(normal, at)| -self.support(i, -normal) - at);
            let walls = self.walls.iter().map(move |(n, wall)| wall - self.support(i, *n));
            sides.chain(walls)
        });
        between.map(|row| row.gap).chain(inside).fold(f64::INFINITY, f64::min)
    }

    /// Whether rows would be violated where the pieces are now.
    pub fn needs_separation(&self) -> bool {
        self.least_room() < STRIP_SKIN
    }

    pub fn advance(&mut self, motion: &[DVec3]) {
        self.known.clear();
        let moved = motion[self.wall_block()];
        self.walls.iter_mut().for_each(|(normal, wall)| *wall += moved.dot(*normal));
        for piece in &mut self.pieces {
            if let Some(block) = piece.block {
                piece.position += motion[block as usize];
            }
        }
    }

    /// Brings positions and wall back to the drawing.
    pub fn write_to(&self, layout: &mut Layout) {
        for (piece, placed) in self.pieces.iter().zip(&mut layout.placed) {
            if piece.block.is_some() {
                placed.translation = [piece.position.x * self.scale, piece.position.y * self.scale];
            }
        }
        self.write_wall(layout);
        self.put_inside(layout);
    }

    /// Rounding may leave a piece that fills the strip's height a hair outside.
    fn put_inside(&self, layout: &mut Layout) {
        let (hair, strip) = (STRIP_SKIN * self.scale, layout.strip);
        for index in (0..self.pieces.len()).filter(|&i| self.pieces[i].block.is_some()) {
            let corners = layout.piece(&layout.placed[index]);
            for axis in 0..2 {
                let values = || corners.iter().flatten().map(|c| c[axis]);
                let below = strip.min[axis] - values().fold(f64::INFINITY, f64::min);
                let above = values().fold(f64::NEG_INFINITY, f64::max) - strip.max[axis];
                let translation = &mut layout.placed[index].translation[axis];
                if below > 0.0 && below < hair {
                    *translation += below;
                } else if above > 0.0 && above < hair {
                    *translation -= above;
                }
            }
        }
    }

    fn write_wall(&self, layout: &mut Layout) {
        let Strip { min, max } = &mut layout.strip;
        for (normal, wall) in &self.walls {
            let wall = wall * self.scale;
            match normal.to_array() {
                [1.0, 0.0, _] => max[0] = wall,
                [-1.0, 0.0, _] => min[0] = -wall,
                [0.0, 1.0, _] => max[1] = wall,
                [0.0, -1.0, _] => min[1] = -wall,
                _ => {}
            }
        }
    }

    /// The middle of a piece, in the drawing's units.
    pub fn centre(&self, index: usize) -> [f64; 2] {
        let piece = &self.pieces[index];
        let centre = (piece.position + piece.centre) * self.scale;
        [centre.x, centre.y]
    }
}

impl LayoutPiece {
    fn new(shape: &Shape, position: DVec3, block: Option<u32>) -> Self {
        let part =
            |piece: &crate::shape::Piece| Rounded::sharp(piece.polytope().moved(-shape.origin));
        let parts: Vec<Rounded> = shape.pieces.iter().map(part).collect();
        let bounds =
            parts.iter().map(|part| part.core.bounds()).fold(Aabb::EMPTY, |a, b| a.union(&b));
        LayoutPiece { parts, centre: -shape.origin, bounds, position, block }
    }
}
