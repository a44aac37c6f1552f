//! What the bodies of a scene look like: plain data, and the shapes made of it.

use std::path::{Path, PathBuf};

use super::{MethodName, Scene, Span};
use crate::math::{DQuat, DVec3};
use crate::problem::{Problem, Result};
use crate::shape::{Mesh, Shape};

/// A shape as a scene describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeEntry {
    pub form: ShapeForm,
    /// Everything within this distance belongs to the body, too.
    pub rounding: f64,
    /// Where the shape is in the frame of its body, or of the compound that it is a part of.
    pub at: DVec3,
    /// How it is turned there.
    pub turn: DQuat,
    pub span: Span,
}

/// What a shape is made from.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeForm {
    /// A ball, in 2D a disc.
    Ball { radius: f64 },
    /// A box, in 2D a rectangle.
    Box { size: DVec3 },
    /// A box with studs on top; 3D.
    Brick { studs: [u32; 2], cell: f64, height: f64 },
    /// A cylinder along z with a half ball at each end; the length is without them.
    Capsule { radius: f64, length: f64 },
    /// A cylinder along z.
    Cylinder { radius: f64, length: f64 },
    /// The convex hull of some points.
    Hull { points: Vec<DVec3> },
    /// A polygon with holes; 2D.
    Polygon { corners: Vec<[f64; 2]>, holes: Vec<Vec<[f64; 2]>> },
    /// A polygon with holes drawn out along z to a height; 3D.
    Prism { corners: Vec<[f64; 2]>, holes: Vec<Vec<[f64; 2]>>, height: f64 },
    /// Cubes of one size on a grid.
    Cubes { cells: Vec<[i32; 3]>, size: f64 },
    /// A ring about z with a round tube, made of sections; those that its method can take, unless
    /// they are named.
    Torus { radius: f64, tube: f64, pieces: usize, sections: Option<Sections> },
    /// A piece of pipe about z, made of convex sections.
    Ring { outer: f64, inner: f64, length: f64, pieces: usize },
    /// A closed surface of polygons, by numbers of their corners.
    Polyhedron { corners: Vec<DVec3>, faces: Vec<Vec<u32>> },
    /// A closed triangle mesh (.stl, .obj, .ply).
    Mesh { file: PathBuf, scale: f64 },
    /// Several shapes as one body.
    Compound { pieces: Vec<ShapeEntry> },
}

/// What the sections of a torus are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sections {
    /// Of the circle: they are a torus.
    Arcs,
    /// Polytopes with eight sides.
    Hulls,
    /// Round; they overlap at their ends.
    Capsules,
}

impl ShapeEntry {
    /// The shape, its centre of mass at the origin.
    pub fn shape(&self, scene: &Scene) -> Result<Shape> {
        let at_shape = |problem: Problem| match problem.place {
            // It already says where, such as in the file of a mesh or a part of a compound.
            Some(_) => problem,
            None => Problem { help: problem.help, ..scene.problem(&self.span, problem.message) },
        };
        let shape = self.form(scene).map_err(at_shape)?;
        let shape = if self.rounding > 0.0 { shape.rounded(self.rounding) } else { shape };
        if self.at == DVec3::ZERO && self.turn == DQuat::IDENTITY {
            return Ok(shape);
        }
        Shape::compound(vec![(shape, self.at, self.turn)]).map_err(at_shape)
    }

    fn form(&self, scene: &Scene) -> Result<Shape> {
        let is_flat = scene.dimension == 2;
        match &self.form {
            ShapeForm::Ball { radius } if is_flat => Ok(Shape::disc(*radius)),
            ShapeForm::Ball { radius } => Ok(Shape::ball(*radius)),
            ShapeForm::Box { size } if is_flat => Shape::polygon(&rectangle(*size), &[]),
            ShapeForm::Box { size } => Shape::cuboid(*size),
            ShapeForm::Brick { studs, cell, height } => Shape::brick(*studs, *cell, *height),
            ShapeForm::Capsule { radius, length } => Shape::capsule(*radius, *length),
            ShapeForm::Cylinder { radius, length } => Shape::cylinder(*radius, *length),
            ShapeForm::Hull { points } if is_flat => {
                let points: Vec<[f64; 2]> = points.iter().map(|p| [p.x, p.y]).collect();
                Shape::flat_hull(&points)
            }
            ShapeForm::Hull { points } => Shape::hull(points),
            ShapeForm::Polyhedron { corners, faces } => Shape::polyhedron(corners, faces),
            ShapeForm::Polygon { corners, holes } => Shape::polygon(corners, holes),
            ShapeForm::Prism { corners, holes, height } => Shape::prism(corners, holes, *height),
            ShapeForm::Cubes { cells, size } => Shape::cubes(cells, *size),
            ShapeForm::Torus { radius, tube, pieces, sections } => {
                let made = match sections.unwrap_or(usual_sections(scene)) {
                    Sections::Arcs => Shape::arc_torus,
                    Sections::Hulls => Shape::torus,
                    Sections::Capsules => Shape::round_torus,
                };
                made(*radius, *tube, *pieces)
            }
            ShapeForm::Ring { outer, inner, length, pieces } => {
                Shape::ring(*outer, *inner, *length, *pieces)
            }
            ShapeForm::Mesh { file, scale } => {
                let (path, bytes) = scene.source.files.read(file)?;
                let mesh = Mesh::from_bytes(&path, &bytes)?.scaled(*scale);
                Shape::from_mesh(&mesh).map_err(|problem| problem.in_file(&path))
            }
            ShapeForm::Compound { pieces } => {
                // Their own place is given to the compound, and not twice.
                let part = |entry: &ShapeEntry| {
                    let bare =
                        ShapeEntry { at: DVec3::ZERO, turn: DQuat::IDENTITY, ..entry.clone() };
                    Ok((bare.shape(scene)?, entry.at, entry.turn))
                };
                Shape::compound(pieces.iter().map(part).collect::<Result<_>>()?)
            }
        }
    }

    /// Adds the files that it names.
    pub(super) fn named_files<'a>(&'a self, files: &mut Vec<&'a Path>) {
        match &self.form {
            ShapeForm::Mesh { file, .. } => files.push(file),
            ShapeForm::Compound { pieces } => {
                pieces.iter().for_each(|piece| piece.named_files(files));
            }
            _ => {}
        }
    }
}

/// Arcs are not convex, and only dynamics takes them.
fn usual_sections(scene: &Scene) -> Sections {
    let moves = |method: MethodName| method == MethodName::Dynamics;
    let all = match scene.phases.is_empty() {
        true => moves(scene.method),
        false => scene.phases.iter().all(|phase| moves(phase.method)),
    };
    if all { Sections::Arcs } else { Sections::Hulls }
}

/// The corners of a rectangle about the origin.
pub(super) fn rectangle(size: DVec3) -> [[f64; 2]; 4] {
    let (x, y) = (0.5 * size.x, 0.5 * size.y);
    [[-x, -y], [x, -y], [x, y], [-x, y]]
}
