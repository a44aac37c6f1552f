//! One jump as a linear program: the pieces' half-spaces, the sides of the
//! strip, and the moving wall as a body of its own. Pairs that are far apart
//! join only when a solution would bring them together.

use super::bodies::{Bodies, PartPair, STRIP_SKIN};
use crate::math::{DMat3, DVec3};
use crate::shape::{Aabb, Bvh, room_along};
use crate::solver::{Accuracy, FIXED, HalfSpace, MotionBox, Program, Solution, solve};
use std::collections::BTreeSet;

/// Pairs whose boxes are closer than this, in strip heights, join at once.
const NEAR: f64 = 0.1;
/// Breaks ties towards staying put; jumps repeat until nothing is left to gain,
/// so it costs no length in the end.
const PROXIMAL: f64 = 1e-7;
/// What the wall costs while pieces are taken apart, against their own way.
const WALL_WHILE_SEPARATING: f64 = 1e-3;
const ACCURACY: Accuracy = Accuracy { relative: 0.0, absolute: 2e-10, max_iterations: 200 };
/// Rounds of adding pairs that a solution would bring together.
const MOST_ROUNDS: usize = 40;

/// What a program is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// The shortest strip.
    Length,
    /// The least movement that takes all pieces apart.
    Separation,
    /// The same, but pieces that overlap pass each other along the strip.
    Stretching,
    /// The same, but all pieces pass each other along the strip.
    Unrolling,
}

/// The two sides of a half-space: a piece, the wall, or a side of the strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Party {
    /// A piece, by its number in the layout.
    Piece(usize),
    /// The wall that moves.
    Wall,
    /// A side of the strip that stays.
    Side(usize),
}

/// The program around the present layout.
pub struct Cell {
    pub program: Program,
    /// Who is on the two sides of each half-space.
    pub parties: Vec<[Party; 2]>,
    /// Which convex parts, where both are pieces.
    pub contacts: Vec<Option<PartPair>>,
    pairs: BTreeSet<(usize, usize)>,
    aim: Aim,
}

impl Cell {
    /// The cell with all pairs that are near.
    pub fn near(bodies: &Bodies, aim: Aim) -> Self {
        let blocks = bodies.wall_block() + 1;
        let reach = 2.0 * (bodies.max - bodies.min).length() + bodies.pieces.len() as f64;
        let far = match aim {
            Aim::Length => 2.0 * (bodies.max - bodies.min).length(),
            _ => reach,
        };
        let wide =
            MotionBox { axes: DMat3::IDENTITY, low: DVec3::splat(-far), high: DVec3::splat(far) };
        let (mut cost, mut absolute) = (vec![DVec3::ZERO; blocks], Vec::new());
        match aim {
            Aim::Length => cost[blocks - 1] = bodies.direction,
            _ => {
                cost[blocks - 1] = WALL_WHILE_SEPARATING * bodies.direction;
                absolute = vec![1.0; blocks];
                absolute[blocks - 1] = 0.0;
            }
        }
        let program = Program {
            width: 2,
            cost,
            proximal: vec![PROXIMAL; blocks],
            absolute,
            boxes: vec![wide; blocks],
            ..Program::default()
        };
        let mut cell = Cell {
            program,
            parties: Vec::new(),
            contacts: Vec::new(),
            pairs: BTreeSet::new(),
            aim,
        };
        cell.add_strip(bodies);
        let boxes: Vec<Aabb> = (0..bodies.pieces.len())
            .map(|i| bodies.box_of(i).grow(0.5 * NEAR + bodies.clearance))
            .collect();
        cell.add_pairs(bodies, &boxes);
        cell
    }

    /// The pairs of pieces that it has rows of.
    pub fn pairs(&self) -> impl Iterator<Item = [usize; 2]> {
        self.pairs.iter().map(|&(i, j)| [i, j])
    }

    /// Solves; pairs that the motion would bring together join, until none is missing.
    pub fn solve(&mut self, bodies: &Bodies) -> Solution {
        let mut solution = solve(&self.program, ACCURACY, &[]);
        for _ in 0..MOST_ROUNDS {
            let swept: Vec<Aabb> = (0..bodies.pieces.len())
                .map(|i| {
                    let now = bodies.box_of(i).grow(0.5 * bodies.clearance + STRIP_SKIN);
                    let motion =
                        bodies.pieces[i].block.map_or(DVec3::ZERO, |b| solution.motion[b as usize]);
                    now.union(&Aabb { min: now.min + motion, max: now.max + motion })
                })
                .collect();
            if !self.add_pairs(bodies, &swept) {
                return solution;
            }
            solution = solve(&self.program, ACCURACY, &[]);
        }
        // Still not all pairs: better stay than guess.
        solution.left_to_gain = f64::INFINITY;
        solution
    }

    /// Adds the rows of all pairs whose boxes meet; whether there were new ones.
    fn add_pairs(&mut self, bodies: &Bodies, boxes: &[Aabb]) -> bool {
        let before = self.pairs.len();
        for (i, j) in Bvh::new(boxes).pairs() {
            let (i, j) = (i as usize, j as usize);
            let fixed = bodies.pieces[i].block.is_none() && bodies.pieces[j].block.is_none();
            if !fixed && self.pairs.insert((i, j)) {
                self.add_pair(bodies, i, j);
            }
        }
        self.pairs.len() > before
    }

    fn add_pair(&mut self, bodies: &Bodies, i: usize, j: usize) {
        let rows = bodies.rows(i, j);
        let overlaps = rows.iter().any(|row| row.gap < STRIP_SKIN);
        let along_strip = match self.aim {
            Aim::Length | Aim::Separation => false,
            Aim::Stretching => overlaps,
            Aim::Unrolling => true,
        };
        if along_strip {
            let (normal, gap) = along_strip_row(bodies, i, j);
            return self.add(bodies, [Party::Piece(i), Party::Piece(j)], None, normal, gap);
        }
        for row in rows {
            let contact = Some(PartPair { pieces: [i, j], parts: row.pieces });
            self.add(bodies, [Party::Piece(i), Party::Piece(j)], contact, row.normal, row.gap);
        }
    }

    fn add_strip(&mut self, bodies: &Bodies) {
        for i in 0..bodies.pieces.len() {
            if bodies.pieces[i].block.is_some() {
                for (k, (normal, at)) in bodies.sides().enumerate() {
                    let gap = -bodies.support(i, -normal) - at;
                    self.add(bodies, [Party::Piece(i), Party::Side(k)], None, normal, gap);
                }
            }
            for &(normal, wall) in &bodies.walls {
                let gap = wall - bodies.support(i, normal);
                self.add(bodies, [Party::Wall, Party::Piece(i)], None, normal, gap);
            }
        }
    }

    fn add(
        &mut self,
        bodies: &Bodies,
        parties: [Party; 2],
        contact: Option<PartPair>,
        normal: DVec3,
        gap: f64,
    ) {
        let block = |party: Party| match party {
            Party::Piece(i) => bodies.pieces[i].block.unwrap_or(FIXED),
            Party::Wall => bodies.wall_block() as u32,
            Party::Side(_) => FIXED,
        };
        let [mut a, mut b] = parties.map(block);
        let mut normal = normal;
        if a == FIXED {
            (a, b, normal) = (b, a, -normal);
        }
        let skin = match parties {
            [Party::Piece(i), Party::Side(_)] => bodies.side_skin(i, normal),
            _ => STRIP_SKIN,
        };
        let gap = match self.aim {
            // Rounding must not make the present layout impossible; a hop may.
            Aim::Length if bodies.trying.is_none() || bodies.trying != contact => {
                (gap - skin).max(0.0)
            }
            // A little more than compaction asks for, so that it has room to start.
            _ => gap - 2.0 * skin,
        };
        self.program.half_spaces.push(HalfSpace { a, b, normal, gap });
        self.parties.push(parties);
        self.contacts.push(contact);
    }
}

/// The row that keeps two whole pieces in their order along the strip.
fn along_strip_row(bodies: &Bodies, i: usize, j: usize) -> (DVec3, f64) {
    let along = bodies.direction;
    let [a, b] = [i, j].map(|k| {
        let piece = &bodies.pieces[k];
        (piece.position + piece.centre).dot(along)
    });
    let normal = if a > b || (a == b && i > j) { along } else { -along };
    let offset = bodies.pieces[i].position - bodies.pieces[j].position;
    let (first, second) = (&bodies.pieces[i].parts, &bodies.pieces[j].parts);
    let pairs = first.iter().flat_map(|p| second.iter().map(move |q| (&p.core, &q.core)));
    let rooms = pairs.map(|(p, q)| room_along(p, q, offset, normal));
    (normal, rooms.fold(f64::INFINITY, f64::min) - bodies.clearance)
}
