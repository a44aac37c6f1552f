//! From a layout to a world: the pieces and the wall as bodies, so that a
//! compaction can be kept as a run. The wall's push is all that acts.

use crate::layout::{Layout, turn};
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use crate::shape::{Boundary, Shape};
use crate::world::{Body, CompactOptions, Method, Model, Motion, State};

/// How thick the wall is, in heights of the strip.
const THICKNESS: f64 = 0.05;
/// The wall leaves this part of the strip's height free, so that it touches no side.
const FREE: f64 = 1e-6;
/// The arms of a moving corner leave this part free, since both sides come in.
const ARMS_FREE: f64 = 0.2;

/// A layout as bodies: the pieces in their order, then the wall.
#[derive(Clone, Debug)]
pub struct LayoutWorld {
    pub model: Model,
    /// Per piece, its centre of mass in the coordinates of its item, turned.
    centres: Vec<DVec3>,
    /// From the wall's inner corner (or the middle of its inner side) to its centre of mass.
    wall: DVec3,
    moving: Moving,
}

/// What moves in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moving {
    /// The side with this outward normal, along an axis.
    Side([f64; 2]),
    /// The right and the upper side together; the push is along this unit vector.
    Corner([f64; 2]),
}

impl Moving {
    /// A corner is pushed along the gradient of the strip's area.
    pub fn of(layout: &Layout, direction: [f64; 2], corner: bool) -> Moving {
        if !corner {
            return Moving::Side(direction);
        }
        let across = DVec3::new(layout.strip.height(), layout.strip.length(), 0.0).normalize();
        Moving::Corner([across.x, across.y])
    }
}

impl LayoutWorld {
    /// `room` is how much longer than now the strip may get.
    pub fn new(layout: &Layout, options: CompactOptions, room: f64) -> Result<Self> {
        let moving = Moving::of(layout, options.direction, options.corner);
        let scale = layout.strip.height();
        let mut model = Model {
            name: layout.name.clone(),
            dimension: 2,
            groups: vec!["pieces".into(), "wall".into()],
            method: Method::Compact(options),
            ..Model::default()
        };
        let mut centres = Vec::with_capacity(layout.placed.len());
        for placed in &layout.placed {
            // In units of the strip's height, as compaction cuts them into convex parts.
            let mut loops = turn(&layout.items[placed.item].outline, placed.rotation);
            loops.iter_mut().flatten().flatten().for_each(|x| *x /= scale);
            let shape = Shape::polygon(&loops[0], &loops[1..])?.scaled(scale);
            centres.push(-shape.origin);
            add(&mut model, shape, 0, placed.fixed);
        }
        let wall = wall(layout, moving)?;
        let (push, grow) = match moving {
            Moving::Side(out) => (out, out),
            Moving::Corner(along) => (along, [1.0, 1.0]),
        };
        let centre = -wall.origin;
        add(&mut model, wall, 1, false);
        if let Some(body) = model.bodies.last_mut() {
            body.mass = 1.0;
            body.push = -DVec3::new(push[0], push[1], 0.0);
        }
        let (mut min, mut max) = (layout.strip.min, layout.strip.max);
        let room = room + 2.0 * THICKNESS * scale;
        for axis in 0..2 {
            if grow[axis] > 0.0 {
                max[axis] += room;
            } else if grow[axis] < 0.0 {
                min[axis] -= room;
            }
        }
        let corners = [min, [max[0], min[1]], max, [min[0], max[1]]];
        model.boundary = Boundary::from_polygon(&corners);
        Ok(LayoutWorld { model, centres, wall: centre, moving })
    }

    /// The number of the wall among the bodies.
    pub fn wall(&self) -> usize {
        self.centres.len()
    }

    /// Where the bodies are in a layout of the same pieces.
    pub fn state(&self, layout: &Layout) -> State {
        let place = |(placed, centre): (&crate::layout::Placed, &DVec3)| {
            DVec3::new(placed.translation[0], placed.translation[1], 0.0) + *centre
        };
        let mut positions: Vec<DVec3> =
            layout.placed.iter().zip(&self.centres).map(place).collect();
        positions.push(corner_of(layout, self.moving) + self.wall);
        State::at_rest(positions)
    }

    /// The layout of a state whose pieces have moved, and perhaps turned: of the side that moves in, the
    /// strip ends where the pieces do. Items that have turned are no longer of some orientations.
    pub fn layout(&self, before: &Layout, state: &State) -> Layout {
        let mut layout = before.clone();
        for (index, centre) in self.centres.iter().enumerate() {
            let placed = &mut layout.placed[index];
            if placed.fixed {
                continue;
            }
            let turn = state.rotations[index];
            let angle = 2.0 * turn.z.atan2(turn.w);
            let place = state.positions[index] - turn * *centre;
            placed.translation = [place.x, place.y];
            if angle != 0.0 {
                placed.rotation += angle.to_degrees();
                layout.items[placed.item].orientations = None;
            }
        }
        if let Moving::Side(out) = self.moving {
            let pieces: Vec<_> = layout.placed.iter().map(|placed| layout.piece(placed)).collect();
            for axis in (0..2).filter(|&axis| out[axis] != 0.0) {
                let values = pieces.iter().flatten().flatten().map(|corner| corner[axis]);
                match out[axis] > 0.0 {
                    true => layout.strip.max[axis] = values.fold(f64::NEG_INFINITY, f64::max),
                    false => layout.strip.min[axis] = values.fold(f64::INFINITY, f64::min),
                }
            }
        }
        layout
    }
}

fn add(model: &mut Model, shape: Shape, group: u32, fixed: bool) {
    let (radius, mass) = (shape.radius(), shape.mass.volume);
    let shape = model.add_shape(shape);
    let motion = if fixed { Motion::Fixed } else { Motion::Free };
    // Pieces of a layout do not turn.
    model.bodies.push(Body { group, motion, ..Body::new(shape, mass, radius) });
}

/// The point of the strip that the wall's own coordinates count from.
fn corner_of(layout: &Layout, moving: Moving) -> DVec3 {
    let (min, max) = (layout.strip.min, layout.strip.max);
    let middle = [0, 1].map(|k| 0.5 * (min[k] + max[k]));
    let at = |axis: usize, out: f64| match out {
        out if out > 0.0 => max[axis],
        out if out < 0.0 => min[axis],
        _ => middle[axis],
    };
    match moving {
        Moving::Corner(_) => DVec3::new(max[0], max[1], 0.0),
        Moving::Side(out) => DVec3::new(at(0, out[0]), at(1, out[1]), 0.0),
    }
}

/// The wall, about the point that [`corner_of`] gives.
fn wall(layout: &Layout, moving: Moving) -> Result<Shape> {
    let (length, height) = (layout.strip.length(), layout.strip.height());
    let thick = THICKNESS * height;
    match moving {
        Moving::Corner(_) => {
            let (along, down) = (-(1.0 - ARMS_FREE) * length, -(1.0 - ARMS_FREE) * height);
            let ell = [
                [0.0, 0.0],
                [0.0, down],
                [thick, down],
                [thick, thick],
                [along, thick],
                [along, 0.0],
            ];
            Shape::polygon(&ell, &[])
        }
        Moving::Side([x, y]) if (x == 0.0) != (y == 0.0) => {
            let half = 0.5 * (1.0 - FREE) * if x != 0.0 { height } else { length };
            let flat = [[0.0, -half], [thick, -half], [thick, half], [0.0, half]];
            let turned = |[out, side]: [f64; 2]| match x != 0.0 {
                true => [out * x.signum(), side],
                false => [side, out * y.signum()],
            };
            Shape::polygon(&flat.map(turned), &[])
        }
        Moving::Side(out) => Err(Problem::new(format!("a wall with the normal {out:?} is askew"))
            .help("a run can be kept for walls that move along x or y")),
    }
}
