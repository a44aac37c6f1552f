//! What runs with solids keep besides the others: the shapes, in the header.

use serde::{Deserialize, Serialize};

use super::column::{Builder, Columns};
use crate::math::{DMat3, DVec3};
use crate::problem::{Problem, Result};
use crate::shape::{Convex, Mass, Mesh, Outline, Partition, Solid, Surface};
use crate::world::{Body, Model};

/// A shape as text; numbers come back to the last bit.
#[derive(Serialize, Deserialize)]
struct SolidText {
    pieces: Vec<PieceText>,
    radius: f64,
    volume: f64,
    centre: [f64; 3],
    inertia: [f64; 9],
    partition: PartitionText,
    surface: SurfaceText,
}

/// A convex piece: corners, sides as lists of corners, and edges.
#[derive(Serialize, Deserialize)]
struct PieceText(Vec<[f64; 3]>, Vec<Vec<u32>>, Vec<[u32; 2]>);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PartitionText {
    Exact,
    Rounded(f64),
    Surface,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SurfaceText {
    Point,
    /// The outline, then its holes.
    Loops(Vec<Vec<[f64; 2]>>),
    Mesh(Vec<[f64; 3]>, Vec<[u32; 3]>),
}

/// Which shape a body has: its number from 1, or 0 for a sphere.
pub(super) fn write(builder: &mut Builder, model: &Model) {
    if !model.has_solids() {
        return;
    }
    let texts: Vec<SolidText> = model.shapes.iter().map(text).collect();
    builder.text("shapes", &serde_json::to_string(&texts).unwrap_or_default());
    let number = |body: &Body| body.shape.map_or(0, |shape| shape + 1);
    builder.packed("shape", 1, &model.bodies.iter().map(number).collect::<Vec<u32>>());
}

/// The shapes of a run; the bodies learn which is theirs.
pub(super) fn read(columns: &Columns, bodies: &mut [Body]) -> Result<Vec<Solid>> {
    if !columns.has("shapes") {
        return Ok(Vec::new());
    }
    let texts: Vec<SolidText> =
        serde_json::from_str(&columns.text("shapes")?).map_err(|e| wrong(&e.to_string()))?;
    let shapes = texts.into_iter().map(solid).collect::<Result<Vec<_>>>()?;
    let numbers: Vec<u32> = columns.values("shape", 1)?;
    if numbers.len() != bodies.len() {
        return Err(Problem::new("its columns `radius` and `shape` differ in length"));
    }
    if let Some(number) = numbers.iter().find(|&&number| number as usize > shapes.len()) {
        return Err(wrong(&format!("a body has shape {number} of {}", shapes.len())));
    }
    let pairs = bodies.iter_mut().zip(&numbers);
    pairs.for_each(|(body, number)| body.shape = number.checked_sub(1));
    Ok(shapes)
}

fn wrong(what: &str) -> Problem {
    Problem::new(format!("its column `shapes` is not as expected: {what}"))
}

fn text(solid: &Solid) -> SolidText {
    let arrays = |points: &[DVec3]| points.iter().map(|p| p.to_array()).collect::<Vec<_>>();
    let piece = |piece: &Convex| {
        let sides = piece.facets().iter().map(|facet| facet.corners.clone()).collect();
        PieceText(arrays(piece.corners()), sides, piece.edges().to_vec())
    };
    SolidText {
        pieces: solid.pieces.iter().map(piece).collect(),
        radius: solid.radius,
        volume: solid.mass.volume,
        centre: solid.mass.centre.to_array(),
        inertia: solid.mass.inertia.to_cols_array(),
        partition: match solid.partition {
            Partition::Exact => PartitionText::Exact,
            Partition::Rounded(error) => PartitionText::Rounded(error),
            Partition::Surface => PartitionText::Surface,
        },
        surface: match &solid.surface {
            Surface::Point => SurfaceText::Point,
            Surface::Outline(outline) => {
                SurfaceText::Loops(outline.loops().map(<[_]>::to_vec).collect())
            }
            Surface::Mesh(mesh) => {
                SurfaceText::Mesh(arrays(&mesh.vertices), mesh.triangles.clone())
            }
        },
    }
}

fn solid(text: SolidText) -> Result<Solid> {
    let points = |list: Vec<[f64; 3]>| list.into_iter().map(DVec3::from_array).collect::<Vec<_>>();
    let piece = |PieceText(corners, sides, edges): PieceText| {
        Convex::from_parts(points(corners), sides, edges)
    };
    let surface = match text.surface {
        SurfaceText::Point => Surface::Point,
        SurfaceText::Loops(loops) => {
            let mut loops = loops.into_iter();
            let outer = loops.next().ok_or_else(|| wrong("a polygon has no corners"))?;
            Surface::Outline(Outline { outer, holes: loops.collect() })
        }
        SurfaceText::Mesh(vertices, triangles) => {
            if triangles.iter().flatten().any(|&k| k as usize >= vertices.len()) {
                return Err(wrong("a triangle names a vertex that does not exist"));
            }
            Surface::Mesh(Mesh { vertices: points(vertices), triangles })
        }
    };
    let finite = match &surface {
        Surface::Point => true,
        Surface::Outline(outline) => outline.loops().flatten().flatten().all(|x| x.is_finite()),
        Surface::Mesh(mesh) => mesh.vertices.iter().all(|v| v.is_finite()),
    };
    let pieces = text.pieces.into_iter().map(piece).collect::<Result<Vec<_>>>()?;
    if pieces.is_empty() || !finite || !(text.radius >= 0.0 && text.radius.is_finite()) {
        return Err(wrong("a shape has no pieces, or a coordinate or rounding that is no number"));
    }
    Ok(Solid {
        pieces,
        radius: text.radius,
        mass: Mass {
            volume: text.volume,
            centre: DVec3::from_array(text.centre),
            inertia: DMat3::from_cols_array(&text.inertia),
        },
        surface,
        partition: match text.partition {
            PartitionText::Exact => Partition::Exact,
            PartitionText::Rounded(error) => Partition::Rounded(error),
            PartitionText::Surface => Partition::Surface,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DQuat;
    use crate::trajectory::samples;

    fn model() -> Model {
        let mut model = samples::model(4);
        let ell = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let prism = Solid::prism(&ell, &[], 0.7).unwrap().centred().rounded(0.1);
        let turn = DQuat::from_rotation_x(0.3);
        model.shapes = vec![prism.turned(turn), Solid::polygon(&ell, &[]).unwrap()];
        model.bodies[1].shape = Some(0);
        model.bodies[3].shape = Some(1);
        model
    }

    #[test]
    fn shapes_come_back_to_the_last_bit() {
        let model = model();
        let mut builder = Builder::default();
        write(&mut builder, &model);
        let payload = builder.payload();
        let mut bodies = samples::model(4).bodies;
        let shapes = read(&Columns::read(&payload).unwrap(), &mut bodies).unwrap();
        assert_eq!(shapes, model.shapes);
        assert_eq!(bodies, model.bodies);
    }

    #[test]
    fn shapes_that_do_not_fit_together_are_refused() {
        let refused = |from: &str, to: &str, numbers: &[u32]| {
            let texts: Vec<SolidText> = model().shapes.iter().map(text).collect();
            let text = serde_json::to_string(&texts).unwrap().replacen(from, to, 1);
            let mut builder = Builder::default();
            builder.text("shapes", &text);
            builder.packed("shape", 1, numbers);
            let payload = builder.payload();
            read(&Columns::read(&payload).unwrap(), &mut samples::model(4).bodies)
                .unwrap_err()
                .message
        };
        assert!(refused("", "", &[0, 1, 2]).contains("differ in length"));
        assert!(refused("", "", &[0, 1, 2, 3]).contains("shape 3 of 2"));
        assert!(refused("\"radius\":0.1", "\"radius\":-1", &[0; 4]).contains("no pieces"));
        assert!(refused("[[0,", "[[99,", &[0; 4]).contains("does not fit together"));
        assert!(refused("{", "{\"extra\"", &[0; 4]).contains("not as expected"));
    }
}
