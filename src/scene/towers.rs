//! Families of towers: the diamonds, triangles and stacks of the literature on
//! overhang, arches, leaning towers, houses of cards, walls. Each is a list of
//! convex stones and of supports that never move.

use std::f64::consts::PI;

use crate::math::{DQuat, DVec3};
use crate::problem::Result;
use crate::shape::{Polytope, Shape};

/// A tower as it starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    pub stones: Vec<Stone>,
    pub supports: Vec<Stone>,
    /// Pairs of stones (supports are counted after them) held together at a point.
    pub pins: Vec<([usize; 2], DVec3)>,
}

/// A convex brick and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Stone {
    /// In its own frame: boxes about the origin, others where they stand.
    pub polytope: Polytope,
    pub at: DVec3,
    pub turn: DQuat,
}

impl Stone {
    fn new(polytope: Polytope, at: DVec3) -> Stone {
        Stone { polytope, at, turn: DQuat::IDENTITY }
    }

    /// A convex polygon where its corners say.
    fn polygon(corners: &[[f64; 2]]) -> Result<Stone> {
        Ok(Stone::new(Polytope::convex_polygon(corners)?, DVec3::ZERO))
    }

    /// A rectangle from one corner to the other.
    fn rectangle(low: [f64; 2], high: [f64; 2]) -> Result<Stone> {
        let at = DVec3::new(0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.0);
        Ok(Stone::new(Polytope::rectangle(high[0] - low[0], high[1] - low[1])?, at))
    }

    /// In the frame of the world.
    #[cfg(test)]
    pub fn placed(&self) -> Polytope {
        self.polytope.placed(self.at, self.turn)
    }

    /// As the shape of a body, in its own frame.
    pub fn shape(&self) -> Result<Shape> {
        let corners = self.polytope.corners();
        match self.polytope.half_size() {
            _ if self.polytope.is_flat() => {
                let corners: Vec<[f64; 2]> = corners.iter().map(|c| [c.x, c.y]).collect();
                Shape::polygon(&corners, &[])
            }
            Some(half) => Shape::cuboid(2.0 * half),
            None => Shape::hull(corners),
        }
    }

    /// A stone of the x-y plane in space: drawn out along y to a depth, its own y pointing up.
    pub fn drawn_out(&self, depth: f64) -> Result<Stone> {
        let lift = |p: DVec3| DVec3::new(p.x, 0.0, p.y);
        // A turn about z counter-clockwise is one about -y, seen from the front.
        let turn = DQuat::from_xyzw(0.0, -self.turn.z, 0.0, self.turn.w);
        let polytope = match rectangle_size(&self.polytope) {
            // A box keeps its faces exactly.
            Some([width, height]) => Polytope::cuboid(DVec3::new(width, depth, height))?,
            None => {
                let both = |c: &DVec3| [-0.5, 0.5].map(|side| lift(*c) + DVec3::Y * side * depth);
                let corners: Vec<DVec3> = self.polytope.corners().iter().flat_map(both).collect();
                Polytope::hull(&corners)?
            }
        };
        Ok(Stone { polytope, at: lift(self.at), turn })
    }
}

/// Width and height of a rectangle about the origin.
fn rectangle_size(polygon: &Polytope) -> Option<[f64; 2]> {
    let bounds = polygon.bounds();
    let (width, height) = (bounds.max.x - bounds.min.x, bounds.max.y - bounds.min.y);
    let is_corner = |c: &DVec3| 2.0 * c.x.abs() == width && 2.0 * c.y.abs() == height;
    let corners = polygon.corners();
    (corners.len() == 4 && corners.iter().all(is_corner)).then_some([width, height])
}

/// How far the ground reaches to either side, in bricks: farther than rubble flies.
const GROUND: f64 = 100.0;

impl Plan {
    /// Bricks of one size, by the middle of their lower sides.
    fn of_rectangles(width: f64, height: f64, feet: &[[f64; 2]]) -> Result<Plan> {
        let rectangle = Polytope::rectangle(width, height)?;
        let place = |&[x, y]: &[f64; 2]| {
            Stone::new(rectangle.clone(), DVec3::new(x, y + 0.5 * height, 0.0))
        };
        Ok(Plan { stones: feet.iter().map(place).collect(), ..Default::default() })
    }

    /// Adds a flat ground below y = `level`.
    fn on_ground(mut self, width: f64, height: f64, level: f64) -> Result<Plan> {
        let far = GROUND * width;
        self.supports.push(Stone::rectangle([-far, level - height], [far, level])?);
        Ok(self)
    }

    /// Adds a table of this height whose edge is at x = 0 and whose top at y = 0.
    fn on_table(mut self, width: f64, height: f64) -> Result<Plan> {
        let far = GROUND * width;
        self.supports.push(Stone::rectangle([-far, -height], [0.0, 0.0])?);
        self.on_ground(width, 0.2 * height, -height)
    }

    /// Rows of adjacent bricks, from the bottom up, all symmetric about x = 0.
    pub fn rows(counts: &[usize], width: f64, height: f64) -> Result<Plan> {
        let mut feet = Vec::new();
        for (row, &count) in counts.iter().enumerate() {
            let first = -0.5 * (count as f64 - 1.0);
            feet.extend((0..count).map(|k| [(first + k as f64) * width, row as f64 * height]));
        }
        Plan::of_rectangles(width, height, &feet)
    }

    /// Rows of 1, 2, ..., size, ..., 2, 1 bricks.
    pub fn diamond(size: usize, width: f64, height: f64) -> Result<Plan> {
        let counts: Vec<usize> = (1..=size).chain((1..size).rev()).collect();
        Plan::rows(&counts, width, height)?.on_ground(width, height, 0.0)
    }

    /// Rows of 1, 2, ..., size bricks.
    pub fn inverted_triangle(size: usize, width: f64, height: f64) -> Result<Plan> {
        let counts: Vec<usize> = (1..=size).collect();
        Plan::rows(&counts, width, height)?.on_ground(width, height, 0.0)
    }

    /// One brick on another, the overhang of the whole being half the harmonic
    /// number; the top brick reaches out by `extra` widths more.
    pub fn harmonic(count: usize, extra: f64, width: f64, height: f64) -> Result<Plan> {
        let reach = |from_top: usize| (from_top..=count).map(|i| 0.5 / i as f64).sum::<f64>();
        let foot = |row: usize| {
            let from_top = count - row;
            let more = if from_top == 1 { extra } else { 0.0 };
            [(reach(from_top) - 0.5 + more) * width, row as f64 * height]
        };
        let feet: Vec<[f64; 2]> = (0..count).map(foot).collect();
        Plan::of_rectangles(width, height, &feet)?.on_table(width, (count as f64 + 2.0) * height)
    }

    /// The best overhang of 3 or 4 bricks: 1 and (15 - 4 sqrt 2) / 8 widths.
    pub fn overhang(count: usize, width: f64, height: f64) -> Result<Plan> {
        let feet = match count {
            3 => vec![[0.0, 0.0], [0.5, 1.0], [-0.5, 1.0]],
            _ => {
                // The lowest brick, the one that reaches out, its counterweight on the
                // other side, and a brick that holds both down. `push` is the part of
                // the topmost brick's weight on the one that reaches out.
                let push = 2.0_f64.sqrt() - 1.0;
                let edge = (2.5 - push) / 4.0;
                let reach = edge + 0.5 * push / (1.0 + push);
                let counter = edge - 1.0 - 0.5 * (1.0 - push) / (2.0 - push);
                let top = push * (reach - 0.5) + (1.0 - push) * (counter + 0.5);
                vec![[edge - 0.5, 0.0], [reach, 1.0], [counter, 1.0], [top, 2.0]]
            }
        };
        let feet: Vec<[f64; 2]> = feet.iter().map(|[x, y]| [x * width, y * height]).collect();
        Plan::of_rectangles(width, height, &feet)?.on_table(width, 6.0 * height)
    }

    /// A parabolic stack: a brick at the edge, then slabs of alternating rows of r and
    /// r - 1 bricks for r = 2 ... size; its overhang is half its size.
    pub fn parabolic(size: usize, width: f64, height: f64) -> Result<Plan> {
        let mut counts = vec![1];
        for r in 2..=size {
            counts.extend((0..2 * r - 3).map(|row| if row % 2 == 0 { r } else { r - 1 }));
        }
        let rows = counts.len() as f64;
        Plan::rows(&counts, width, height)?.on_table(width, 0.5 * rows * height)
    }

    /// A semicircular arch of equal stones between two fixed ones: `thickness` in
    /// units of the radius of its centre line.
    pub fn arch(stones: usize, radius: f64, thickness: f64) -> Result<Plan> {
        let (inner, outer) = (radius * (1.0 - 0.5 * thickness), radius * (1.0 + 0.5 * thickness));
        let at = |r: f64, k: usize| {
            // Mirror images get mirrored bits.
            let angle = PI * k.min(stones - k) as f64 / stones as f64;
            let side = if 2 * k > stones { -1.0 } else { 1.0 };
            let cos = if 2 * k == stones { 0.0 } else { angle.cos() };
            [side * r * cos, r * angle.sin()]
        };
        let stone = |k: usize| {
            Stone::polygon(&[at(inner, k), at(outer, k), at(outer, k + 1), at(inner, k + 1)])
        };
        let depth = radius * thickness;
        let springer = |from: f64, to: f64| Stone::rectangle([from, -depth], [to, 0.0]);
        let stones = (0..stones).map(stone).collect::<Result<_>>()?;
        let supports = vec![
            springer(inner - depth, outer + depth)?,
            springer(-outer - depth, -inner + depth)?,
        ];
        Ok(Plan { stones, supports, ..Default::default() })
    }

    /// A straight stack whose bricks each reach `lean` widths beyond the one below.
    pub fn leaning(count: usize, lean: f64, width: f64, height: f64) -> Result<Plan> {
        let feet: Vec<[f64; 2]> =
            (0..count).map(|k| [k as f64 * lean * width, k as f64 * height]).collect();
        Plan::of_rectangles(width, height, &feet)?.on_ground(width, height, 0.0)
    }

    /// A house of cards: `storeys` rows of leaning pairs with flat cards between.
    /// `angle` is that of a card to the vertical, in radians.
    pub fn card_house(storeys: usize, length: f64, thickness: f64, angle: f64) -> Result<Plan> {
        let (sin, cos) = angle.sin_cos();
        // Cut along the horizontal at the foot and along the vertical at the top,
        // so that a pair touches along faces.
        let slope = |mirror: f64, apex: f64, foot: f64| {
            let (t, l) = (thickness, length);
            let tall = l * cos;
            let wide = t / cos;
            let lean = tall * sin / cos;
            let mut corners = vec![
                [apex - lean - wide, foot],
                [apex - lean, foot],
                [apex, foot + tall],
                [apex, foot + tall + (t / sin).min(0.5 * wide)],
            ];
            corners[3] = [apex, foot + tall + 0.5 * wide * cos / sin];
            corners.push([apex - 0.5 * wide, foot + tall + 0.5 * wide * cos / sin]);
            for corner in &mut corners {
                corner[0] = apex + mirror * (apex - corner[0]);
            }
            if mirror > 0.0 {
                corners.reverse();
            }
            Stone::polygon(&corners)
        };
        let mut plan = Plan::default();
        let (wide, tall) = (thickness / cos, length * cos);
        let lean = tall * sin / cos;
        let span = 2.0 * (lean + wide);
        let storey = tall + 0.5 * wide * cos / sin;
        for level in 0..storeys {
            let foot = level as f64 * (storey + thickness);
            let pairs = storeys - level;
            for k in 0..pairs {
                let apex = (k as f64 - 0.5 * (pairs as f64 - 1.0)) * span;
                plan.stones.push(slope(-1.0, apex, foot)?);
                plan.stones.push(slope(1.0, apex, foot)?);
            }
            for k in 0..pairs.saturating_sub(1) {
                let middle = (k as f64 - 0.5 * (pairs as f64 - 2.0)) * span;
                let (low, high) = (foot + storey, foot + storey + thickness);
                let half = 0.5 * span;
                let card = Stone::rectangle([middle - half, low], [middle + half, high])?;
                plan.stones.push(card);
            }
        }
        plan.on_ground(length, length, 0.0)
    }

    /// Bars pinned end to end, level at the start, the first of them to a support.
    pub fn chain(count: usize, length: f64, thickness: f64) -> Result<Plan> {
        let mut plan = Plan::default();
        let bar = Polytope::rectangle(length + thickness, thickness)?;
        for k in 0..count {
            let x = (k as f64 + 0.5) * length;
            plan.stones.push(Stone::new(bar.clone(), DVec3::new(x, 0.0, 0.0)));
            let before = if k == 0 { count } else { k - 1 };
            plan.pins.push(([before, k], DVec3::new(k as f64 * length, 0.0, 0.0)));
        }
        plan.supports.push(Stone::new(Polytope::rectangle(thickness, thickness)?, DVec3::ZERO));
        Ok(plan)
    }

    /// 3D: boxes in rows along x; odd courses start and end with half a brick.
    pub fn wall(courses: usize, long: usize, size: DVec3) -> Result<Plan> {
        let mut plan = Plan::default();
        for course in 0..courses {
            let z = (course as f64 + 0.5) * size.z;
            let mut place = |x: f64, width: f64| -> Result<()> {
                let brick = Polytope::cuboid(DVec3 { x: width, ..size })?;
                plan.stones.push(Stone::new(brick, DVec3::new(x, 0.0, z)));
                Ok(())
            };
            if course % 2 == 0 {
                for k in 0..long {
                    place((k as f64 - 0.5 * (long as f64 - 1.0)) * size.x, size.x)?;
                }
            } else {
                let end = 0.5 * long as f64 - 0.25;
                place(-end * size.x, 0.5 * size.x)?;
                for k in 1..long {
                    place((k as f64 - 0.5 * long as f64) * size.x, size.x)?;
                }
                place(end * size.x, 0.5 * size.x)?;
            }
        }
        plan.on_floor(size)
    }

    /// 3D: a barrel vault, `rings` equal arches behind each other along y, each as deep.
    pub fn vault(
        stones: usize,
        rings: usize,
        radius: f64,
        thickness: f64,
        depth: f64,
    ) -> Result<Plan> {
        let arch = Plan::arch(stones, radius, thickness)?;
        let mut plan = Plan::default();
        for ring in 0..rings {
            let y = (ring as f64 - 0.5 * (rings as f64 - 1.0)) * depth;
            for stone in &arch.stones {
                let stone = stone.drawn_out(depth)?;
                plan.stones.push(Stone { at: stone.at + DVec3::Y * y, ..stone });
            }
        }
        let drawn = |support: &Stone| support.drawn_out(depth * (rings + 1) as f64);
        plan.supports = arch.supports.iter().map(drawn).collect::<Result<_>>()?;
        Ok(plan)
    }

    /// 3D: a half sphere of `rows` of `around` stones each, open above a polar angle (in radians).
    pub fn dome(
        rows: usize,
        around: usize,
        radius: f64,
        thickness: f64,
        oculus: f64,
    ) -> Result<Plan> {
        let (inner, outer) = (radius * (1.0 - 0.5 * thickness), radius * (1.0 + 0.5 * thickness));
        let at = |r: f64, row: usize, k: usize| {
            let polar = 0.5 * PI - (0.5 * PI - oculus) * row as f64 / rows as f64;
            let (sin, cos) = if row == 0 { (1.0, 0.0) } else { polar.sin_cos() };
            let (y, x) = (2.0 * PI * (k % around) as f64 / around as f64).sin_cos();
            r * DVec3::new(sin * x, sin * y, cos)
        };
        let mut plan = Plan::default();
        for row in 0..rows {
            for k in 0..around {
                let corner = |j: usize| {
                    let r = if j & 1 == 0 { inner } else { outer };
                    at(r, row + (j >> 1 & 1), k + (j >> 2 & 1))
                };
                let corners: Vec<DVec3> = (0..8).map(corner).collect();
                plan.stones.push(Stone::new(Polytope::hull(&corners)?, DVec3::ZERO));
            }
        }
        let size = DVec3::new(2.4 * outer, 2.4 * outer, 0.2 * radius);
        let ground = Stone::new(Polytope::cuboid(size)?, DVec3::NEG_Z * 0.1 * radius);
        plan.supports.push(ground);
        Ok(plan)
    }

    /// 3D: a tower of crossed pairs of bricks.
    pub fn crossed(levels: usize, size: DVec3) -> Result<Plan> {
        let mut plan = Plan::default();
        let off = 0.5 * (size.x - size.y);
        for level in 0..levels {
            let z = (level as f64 + 0.5) * size.z;
            for side in [-1.0, 1.0] {
                let along_x = level % 2 == 0;
                let (shape, at) = match along_x {
                    true => (size, DVec3::new(0.0, side * off, z)),
                    false => (DVec3::new(size.y, size.x, size.z), DVec3::new(side * off, 0.0, z)),
                };
                plan.stones.push(Stone::new(Polytope::cuboid(shape)?, at));
            }
        }
        plan.on_floor(size)
    }

    /// 3D: a row of upright dominoes, the first of them tilted by `angle` radians
    /// about its lower edge.
    pub fn dominoes(count: usize, spacing: f64, angle: f64, size: DVec3) -> Result<Plan> {
        let mut plan = Plan::default();
        let domino = Polytope::cuboid(size)?;
        for k in 0..count {
            let at = DVec3::new(k as f64 * spacing, 0.0, 0.5 * size.z);
            plan.stones.push(Stone::new(domino.clone(), at));
        }
        if let Some(first) = plan.stones.first_mut() {
            let edge = DVec3::new(0.5 * size.x, 0.0, 0.0);
            first.turn = DQuat::from_rotation_y(angle);
            first.at = edge + first.turn * (first.at - edge);
        }
        plan.on_floor(size)
    }

    /// Adds a flat floor below z = 0.
    fn on_floor(mut self, size: DVec3) -> Result<Plan> {
        let far = GROUND * size.max_element();
        let floor = Polytope::cuboid(DVec3::new(far, far, size.z))?;
        self.supports.push(Stone::new(floor, DVec3::new(0.0, 0.0, -0.5 * size.z)));
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How far the stones reach along x, from 0.
    fn reach(plan: &Plan) -> f64 {
        let corners = plan.stones.iter().map(|stone| stone.placed());
        corners.flat_map(|b| b.corners().to_vec()).map(|c| c.x).fold(0.0, f64::max)
    }

    #[test]
    fn families_have_the_numbers_of_the_literature() {
        for d in 1..8 {
            let parabolic = Plan::parabolic(d, 1.0, 0.4).unwrap();
            assert_eq!(parabolic.stones.len(), d * (d - 1) * (2 * d - 1) / 3 + 1);
            assert_eq!(reach(&parabolic), 0.5 * d as f64);
            assert_eq!(Plan::diamond(d, 1.0, 0.4).unwrap().stones.len(), d * d);
        }
        assert_eq!(reach(&Plan::overhang(3, 1.0, 0.4).unwrap()), 1.0);
        let four = reach(&Plan::overhang(4, 1.0, 0.4).unwrap());
        assert!((four - (15.0 - 4.0 * 2.0_f64.sqrt()) / 8.0).abs() < 1e-12);
        let ten = reach(&Plan::harmonic(10, 0.0, 1.0, 0.4).unwrap());
        assert!((ten - 7381.0 / 5040.0).abs() < 1e-12);
    }

    #[test]
    fn a_stone_that_is_drawn_out_keeps_its_outline() {
        let house = Plan::card_house(2, 1.0, 0.04, 0.3).unwrap();
        for stone in house.stones.iter().chain(&house.supports) {
            let (flat, deep) = (stone.placed(), stone.drawn_out(0.6).unwrap().placed());
            assert_eq!(deep.corners().len(), 2 * flat.corners().len());
            for corner in deep.corners() {
                let seen = DVec3::new(corner.x, corner.z, 0.0);
                assert!(flat.corners().iter().any(|c| c.distance(seen) < 1e-12), "{corner}");
                assert!((corner.y.abs() - 0.3).abs() < 1e-12);
            }
        }
    }
}
