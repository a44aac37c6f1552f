//! The verdict in whole numbers: every coordinate is read as the simplest
//! fraction that rounds to it, so that "exactly balanced" is an answer. Which
//! corners touch which edges is taken from the floating-point geometry.

use super::Statics;
use crate::contact::{Carrier, OF_SECOND, Touch};
use crate::math::DVec3;
use crate::solver::linear::exact::{Column, Cone, Exact, Program, decide};
use crate::solver::linear::{Fraction, Pick, Polygon};
use crate::step::collapse::gauss::tangents;
use crate::world::With;

/// Corners are read as the simplest fraction within so many units in the last
/// place: the rounding of a few sums.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// A fraction with a larger denominator was hardly meant: any number has one
/// that is not much larger within the rounding.
const LARGEST_DENOMINATOR: u32 = 200_000;

/// A point or vector of fractions.
type Vector = [Fraction; 3];

impl Statics<'_> {
    /// Decides exactly with polygons inside or around the cones of friction, from the forces that
    /// floating point found, if coordinates and normals are fractions, nothing but touches and
    /// weights acts.
    pub(super) fn prove(&self, guess: &[Pick], polygon: Polygon) -> Option<Exact> {
        if !self.model.joints.is_empty() || !self.model.forces.is_empty() {
            return None;
        }
        decide(&self.exact_program()?, guess, polygon)
    }

    /// The same as [`Statics::program_of_forces`], in fractions.
    fn exact_program(&self) -> Option<Program> {
        let width = self.model.freedoms();
        let centres: Vec<Vector> =
            (0..self.model.bodies.len()).map(|i| self.exact_centre(i)).collect::<Option<_>>()?;
        let mut blocks = vec![None; self.model.bodies.len()];
        for (block, body) in self.model.free().enumerate() {
            blocks[body] = Some(block * width);
        }
        let mut program = Program::default();
        for touch in &self.touches {
            if !self.meets_exactly(touch)? {
                return None;
            }
            let at = self.exact_point(touch)?;
            let along = |direction: &Vector| {
                let mut column = Column::new();
                for (body, sign) in touch.bodies().into_iter().zip([1, -1]) {
                    let Some(body) = body else { continue };
                    let Some(start) = blocks[body as usize] else { continue };
                    let push = direction.clone().map(|x| x.times(&Fraction::whole(sign)));
                    let arm = minus(&at, &centres[body as usize]);
                    let entries = self.pack(push.clone(), cross(&arm, &push));
                    let kept = entries.into_iter().enumerate().filter(|(_, x)| !x.is_zero());
                    column.extend(kept.map(|(k, x)| ((start + k) as u32, x)));
                }
                column
            };
            let opening = Fraction::simplest(self.friction_of(touch));
            let (normal, across) = self.exact_axes(touch)?;
            match &across[..] {
                _ if opening.is_zero() => program.columns.push(along(&normal)),
                [one, two] => {
                    let across = [along(one), along(two)];
                    program.cones.push(Cone { normal: along(&normal), across, opening });
                }
                flat => {
                    for (tangent, sign) in flat.iter().flat_map(|t| [(t, 1), (t, -1)]) {
                        let share = opening.times(&Fraction::whole(sign));
                        let edge = [0, 1, 2].map(|k| normal[k].plus(&tangent[k].times(&share)));
                        program.columns.push(along(&edge));
                    }
                }
            }
        }
        let none = [0.0; 3].map(Fraction::simplest);
        for body in self.model.free() {
            let mass = Fraction::simplest(self.model.bodies[body].mass);
            let weight = exactly(-self.model.pull(body)).map(|g| g.times(&mass));
            program.right.extend(self.pack(weight, none.clone()));
        }
        Some(program)
    }

    fn pack(&self, force: Vector, moment: Vector) -> Vec<Fraction> {
        let ([fx, fy, fz], [mx, my, mz]) = (force, moment);
        match self.model.dimension {
            2 => vec![fx, fy, mz],
            _ => vec![fx, fy, fz, mx, my, mz],
        }
    }

    /// The corners of a piece where the body stands.
    fn exact_corners(&self, body: usize, piece: usize) -> Option<Vec<Vector>> {
        let placed = self.pieces.placed(self.model, self.state, body);
        placed.get(piece)?.core.corners().iter().map(|c| meant(*c, self.length)).collect()
    }

    /// The centre of mass from the corners; in 3D as written, for boxes.
    fn exact_centre(&self, body: usize) -> Option<Vector> {
        let zero = Fraction::whole(0);
        if !self.model.bodies[body].is_free() {
            return Some([zero.clone(), zero.clone(), zero]); // nobody asks for it
        }
        if self.model.dimension == 3 {
            // A centre is the quotient of long sums, so it is rounded more than a corner.
            return meant(self.state.positions[body], 8.0 * self.length);
        }
        let (mut area, mut sum) = (zero.clone(), [zero.clone(), zero.clone(), zero]);
        for piece in 0..self.model.shape(body).pieces.len() {
            let corners = self.exact_corners(body, piece)?;
            for (a, b) in corners.iter().zip(corners.iter().cycle().skip(1)) {
                let double = a[0].times(&b[1]).minus(&a[1].times(&b[0]));
                for k in 0..2 {
                    sum[k] = sum[k].plus(&a[k].plus(&b[k]).times(&double));
                }
                area = area.plus(&double);
            }
        }
        let three = area.times(&Fraction::whole(3));
        Some(sum.map(|x| x.over(&three)))
    }

    /// Where a touch pushes: at the corner that is kept out.
    fn exact_point(&self, touch: &Touch) -> Option<Vector> {
        match touch.carrier {
            _ if touch.radii != [0.0; 2] => None,
            Carrier::FaceOfA => meant(touch.at[1], self.length),
            Carrier::FaceOfB => meant(touch.at[0], self.length),
            _ => None,
        }
    }

    /// Whether the gap of a touch is zero, and not only small.
    fn meets_exactly(&self, touch: &Touch) -> Option<bool> {
        if is_along_axis(touch) {
            let [one, two] = touch.at.map(|at| meant(at, self.length));
            let away = minus(&one?, &two?);
            let axis = touch.normal.abs().to_array().iter().position(|x| *x > 0.5)?;
            return Some(away[axis].is_zero());
        }
        let (start, normal) = self.exact_edge_of(touch)?;
        let away = minus(&self.exact_point(touch)?, &start);
        let along = [0, 1].map(|k| away[k].times(&normal[k]));
        Some(along[0].plus(&along[1]).is_zero())
    }

    /// The normal of a touch and one or two tangents, all of one length, which is one unless an
    /// edge of the plane gives them.
    fn exact_axes(&self, touch: &Touch) -> Option<(Vector, Vec<Vector>)> {
        if is_along_axis(touch) {
            // Each comes with its opposite.
            let across = tangents(self.model.dimension, touch.normal.round());
            let across = across.iter().step_by(2).map(|t| exactly(t.round())).collect();
            return Some((exactly(touch.normal.round()), across));
        }
        let (_, normal) = self.exact_edge_of(touch)?;
        let tangent = [negative(&normal[1]), normal[0].clone(), normal[2].clone()];
        Some((normal, vec![tangent]))
    }

    /// The edge of the plane that a touch's corner is kept out by: a point of it, and its normal,
    /// as long as the edge.
    fn exact_edge_of(&self, touch: &Touch) -> Option<(Vector, Vector)> {
        if self.model.dimension != 2 {
            return None;
        }
        let [_, other] = touch.bodies();
        let (body, piece, sign) = match touch.carrier {
            Carrier::FaceOfA => (Some(touch.key.body), touch.key.pieces[0], -1),
            Carrier::FaceOfB => (other, touch.key.pieces[1], 1),
            _ => return None,
        };
        let [start, end] = match (body, touch.key.with) {
            (Some(body), _) => self.exact_edge(body, piece, touch.key.feature[0] & !OF_SECOND)?,
            // The container is on the left of its edges, where the normal points.
            (None, With::Face(face)) => {
                let face = self.model.boundary.faces().get(face as usize)?;
                let &[a, b] = &face.corners[..] else { return None };
                [meant(b, self.length)?, meant(a, self.length)?]
            }
            (None, _) => return None,
        };
        let along = minus(&end, &start);
        let normal = [along[1].clone(), negative(&along[0]), Fraction::whole(0)];
        Some((start, normal.map(|x| x.times(&Fraction::whole(sign)))))
    }

    /// The edge of a piece that a touch names, in the order of the piece's corners.
    fn exact_edge(&self, body: u32, piece: u32, edge: u32) -> Option<[Vector; 2]> {
        let edge = edge as usize;
        let corners = self.exact_corners(body as usize, piece as usize)?;
        let end = corners.get((edge + 1) % corners.len())?.clone();
        Some([corners.get(edge)?.clone(), end])
    }
}

/// Whether the normal of a touch is along an axis, up to rounding.
fn is_along_axis(touch: &Touch) -> bool {
    touch.normal.abs().max_element() > 1.0 - 1e-12
}

/// The point that is meant, if its coordinates are fractions at all; rounding of a
/// placed corner is not meant.
fn meant(v: DVec3, size: f64) -> Option<Vector> {
    let slack = ROUNDING * v.abs().max_element().max(size);
    let [x, y, z] = v.to_array().map(|x| Fraction::simplest_within(x, slack));
    let simple = |f: &Fraction| f.denominator <= LARGEST_DENOMINATOR.into();
    (simple(&x) && simple(&y) && simple(&z)).then_some([x, y, z])
}

fn exactly(v: DVec3) -> Vector {
    v.to_array().map(Fraction::simplest)
}

fn negative(x: &Fraction) -> Fraction {
    Fraction::whole(0).minus(x)
}

fn minus(a: &Vector, b: &Vector) -> Vector {
    [a[0].minus(&b[0]), a[1].minus(&b[1]), a[2].minus(&b[2])]
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    let part = |i: usize, j: usize| a[i].times(&b[j]).minus(&a[j].times(&b[i]));
    [part(1, 2), part(2, 0), part(0, 1)]
}
