//! Bodies and touches as a quadratic program: Gauss' principle of least
//! restraint in reduced form, three unknowns per body in 2D and six in 3D
//! (translation and rotation vector).

use crate::contact::Touch;
use crate::math::{DMat3, DVec3};
use crate::solver::quadratic::{Demand, MOST_WIDTH, Quadratic};
use crate::world::{Bar, Joint, Poses, Tower};

/// A body's unknowns as numbers: the translation and the turn.
pub(crate) type Motion = (DVec3, DVec3);

/// The coefficients of a row: per block, those of its unknowns.
pub(crate) type Parts = Vec<(u32, [f64; MOST_WIDTH])>;

/// The program of a tower, growing row by row.
pub(crate) struct Gauss<'a> {
    pub tower: &'a Tower,
    pub poses: &'a Poses,
    pub program: Quadratic,
    /// Per body, its block; none if it is fixed.
    pub blocks: Vec<Option<u32>>,
}

/// The directions in which a touch pushes: along the normal, or along the
/// edges of the friction pyramid.
pub(crate) fn directions(dimension: usize, normal: DVec3, friction: f64) -> Vec<DVec3> {
    if friction == 0.0 {
        return vec![normal];
    }
    let tangents = tangents(dimension, normal);
    tangents.iter().map(|t| normal + *t * friction).collect()
}

/// Unit vectors across a normal, each with its opposite.
pub(crate) fn tangents(dimension: usize, normal: DVec3) -> Vec<DVec3> {
    if dimension == 2 {
        let tangent = DVec3::new(-normal.y, normal.x, 0.0);
        return vec![tangent, -tangent];
    }
    // Across the coordinate axis that the normal is least along, so that
    // axis-parallel bricks have axis-parallel pyramids.
    let size = normal.abs();
    let axis = match size {
        s if s.x <= s.y && s.x <= s.z => DVec3::X,
        s if s.y <= s.z => DVec3::Y,
        _ => DVec3::Z,
    };
    let one = normal.cross(axis).normalize();
    let two = normal.cross(one);
    vec![one, -one, two, -two]
}

/// The directions in which a pin holds.
pub(crate) fn axes(dimension: usize) -> &'static [DVec3] {
    &[DVec3::X, DVec3::Y, DVec3::Z][..dimension]
}

/// The smaller of the two bodies' coefficients.
pub(crate) fn friction(tower: &Tower, touch: &Touch) -> f64 {
    let of = |body: u32| tower.bricks[body as usize].friction;
    of(touch.key.a).min(of(touch.key.b))
}

/// The smaller of the two bodies' coefficients.
pub(crate) fn restitution(tower: &Tower, touch: &Touch) -> f64 {
    let of = |body: u32| tower.bricks[body as usize].restitution;
    of(touch.key.a).min(of(touch.key.b))
}

impl<'a> Gauss<'a> {
    /// A program whose blocks want to move as `wanted` says, per body.
    pub fn new(tower: &'a Tower, poses: &'a Poses, wanted: &[Motion]) -> Self {
        let mut program = Quadratic::new(tower.width());
        let mut blocks = vec![None; tower.bricks.len()];
        for body in tower.moving() {
            blocks[body] = Some(program.blocks() as u32);
            let inertia = tower.inertia(body, poses.rotations[body]);
            let metric = metric(tower.dimension, tower.bricks[body].mass, &inertia);
            let target = pack(tower.dimension, wanted[body]);
            program.add_block(&metric, &target[..tower.width()]);
        }
        Gauss { tower, poses, program, blocks }
    }

    /// Adds `direction . (motion of a - motion of b) + offset >= 0` at a touch.
    pub fn add(&mut self, touch: &Touch, direction: DVec3, offset: f64) {
        let parts = self.parts(touch, direction);
        let width = self.tower.width();
        let slices: Vec<(u32, &[f64])> = parts.iter().map(|(b, p)| (*b, &p[..width])).collect();
        self.program.add_row(Demand::AtLeast, offset, &slices);
    }

    /// Holds two bodies together: along each axis their points move by `offset` to each other.
    pub fn add_pin(&mut self, pin: &Joint, offset: DVec3) {
        let width = self.tower.width();
        for &axis in axes(self.tower.dimension) {
            let parts = self.pin_parts(pin, axis);
            let slices: Vec<(u32, &[f64])> = parts.iter().map(|(b, p)| (*b, &p[..width])).collect();
            self.program.add_row(Demand::Equal, axis.dot(offset), &slices);
        }
    }

    /// A bar's row, along the bar: `bar . (motion of its first end - that of its second)`.
    pub fn add_bar(&mut self, bar: &Bar, demand: Demand, offset: f64) {
        let width = self.tower.width();
        let [one, two] = self.ends(&bar.joint);
        let parts = self.pin_parts(&bar.joint, one - two);
        let slices: Vec<(u32, &[f64])> = parts.iter().map(|(b, p)| (*b, &p[..width])).collect();
        self.program.add_row(demand, offset, &slices);
    }

    /// Where the two points of a joint are.
    pub fn ends(&self, pin: &Joint) -> [DVec3; 2] {
        self.poses.ends(pin)
    }

    pub fn pin_parts(&self, pin: &Joint, axis: DVec3) -> Parts {
        self.both(pin.bodies, self.ends(pin), axis)
    }

    /// The coefficients of a row, per block.
    pub fn parts(&self, touch: &Touch, direction: DVec3) -> Parts {
        self.both([touch.key.a, touch.key.b], [touch.at_a, touch.at_b], direction)
    }

    /// `direction . (motion of the first body at its point - that of the second)`.
    fn both(&self, bodies: [u32; 2], at: [DVec3; 2], direction: DVec3) -> Parts {
        let side = |side: usize, direction: DVec3| {
            let body = bodies[side] as usize;
            let arm = at[side] - self.poses.positions[body];
            let part = pack(self.tower.dimension, (direction, arm.cross(direction)));
            self.blocks[body].map(|block| (block, part))
        };
        [side(0, direction), side(1, -direction)].into_iter().flatten().collect()
    }

    /// What the solution says about every body; fixed ones do not move.
    pub fn motions(&self, x: &[f64]) -> Vec<Motion> {
        let width = self.tower.width();
        let motion = |block: &Option<u32>| match block {
            Some(block) => unpack(self.tower.dimension, &x[*block as usize * width..][..width]),
            None => (DVec3::ZERO, DVec3::ZERO),
        };
        self.blocks.iter().map(motion).collect()
    }
}

/// How a body resists, by rows.
fn metric(dimension: usize, mass: f64, inertia: &DMat3) -> Vec<f64> {
    if dimension == 2 {
        return vec![mass, 0.0, 0.0, 0.0, mass, 0.0, 0.0, 0.0, inertia.z_axis.z];
    }
    let mut metric = vec![0.0; 36];
    for k in 0..3 {
        metric[7 * k] = mass;
        for l in 0..3 {
            metric[6 * (k + 3) + l + 3] = inertia.col(l)[k];
        }
    }
    metric
}

pub(crate) fn pack(dimension: usize, (shift, turn): Motion) -> [f64; MOST_WIDTH] {
    match dimension {
        2 => [shift.x, shift.y, turn.z, 0.0, 0.0, 0.0],
        _ => [shift.x, shift.y, shift.z, turn.x, turn.y, turn.z],
    }
}

fn unpack(dimension: usize, part: &[f64]) -> Motion {
    match dimension {
        2 => (DVec3::new(part[0], part[1], 0.0), DVec3::new(0.0, 0.0, part[2])),
        _ => (DVec3::from_slice(&part[..3]), DVec3::from_slice(&part[3..])),
    }
}
