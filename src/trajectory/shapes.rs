//! Shapes in the header: what bodies are made of, as text whose numbers come
//! back to the last bit. Of a ball only the radius is written.

use serde::{Deserialize, Serialize};

use super::column::{Builder, Columns};
use crate::problem::{Problem, Result};
use crate::shape::{Shape, Surface};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Text {
    Ball(f64),
    Other(Box<Shape>),
}

pub(super) fn write(builder: &mut Builder, shapes: &[Shape]) {
    builder.text("shapes", &text(shapes));
}

/// JSON: a list of what FORMAT.md says of `shapes`.
pub(crate) fn text(shapes: &[Shape]) -> String {
    let text = |shape: &Shape| match shape.is_ball() {
        // In 2D a ball is a disc, whose mass differs.
        Some(radius) if *shape == Shape::ball(radius) => Text::Ball(radius),
        _ => Text::Other(Box::new(shape.clone())),
    };
    let texts: Vec<Text> = shapes.iter().map(text).collect();
    serde_json::to_string(&texts).unwrap_or_default()
}

pub(super) fn read(columns: &Columns) -> Result<Vec<Shape>> {
    let wrong =
        |what: String| Problem::new(format!("its column `shapes` is not as expected: {what}"));
    let texts: Vec<Text> =
        serde_json::from_str(&columns.text("shapes")?).map_err(|e| wrong(e.to_string()))?;
    let shape = |text| {
        let shape = match text {
            Text::Ball(radius) => Shape::ball(radius),
            Text::Other(shape) => *shape,
        };
        match fault(&shape) {
            Some(fault) => Err(wrong(fault.into())),
            None => Ok(shape),
        }
    };
    texts.into_iter().map(shape).collect()
}

/// What nobody could work with.
fn fault(shape: &Shape) -> Option<&'static str> {
    let rounded = shape.pieces.iter().all(|p| p.radius >= 0.0 && p.radius.is_finite());
    let placed = shape.pieces.iter().all(|p| p.at.is_finite() && p.turn.is_normalized());
    if shape.pieces.is_empty() {
        let is_nothing = *shape == Shape::nothing();
        return (!is_nothing).then_some("a shape has no pieces, and is not nothing");
    }
    if !rounded || !placed {
        return Some("a shape has a place or rounding that is no number");
    }
    let finite = match &shape.surface {
        Surface::Mesh(mesh) => {
            let known = |&k: &u32| (k as usize) < mesh.vertices.len();
            if !mesh.triangles.iter().flatten().all(known) {
                return Some("a triangle names a vertex that does not exist");
            }
            mesh.vertices.iter().all(|v| v.is_finite())
        }
        Surface::Outline(outline) => outline.loops().flatten().flatten().all(|x| x.is_finite()),
        Surface::Round => true,
    };
    (!finite).then_some("a coordinate of a shape is no number")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{DQuat, DVec3};

    fn shapes() -> Vec<Shape> {
        let ell = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let prism = Shape::prism(&ell, &[], 0.7).unwrap().rounded(0.1);
        let turn = DQuat::from_rotation_x(0.3);
        let bar = Shape::capsule(0.1, 1.0).unwrap();
        let (ball, far) = (Shape::ball(0.1 + 0.2), DVec3::new(0.3, 0.0, 1.0));
        vec![
            ball.clone(),
            prism.turned(turn),
            Shape::polygon(&ell, &[]).unwrap(),
            Shape::compound(vec![(bar, DVec3::ZERO, turn), (ball, far, turn)]).unwrap(),
            Shape::disc(0.5),
        ]
    }

    #[test]
    fn shapes_come_back_to_the_last_bit() {
        let mut builder = Builder::default();
        write(&mut builder, &shapes());
        let payload = builder.payload();
        assert_eq!(read(&Columns::read(&payload).unwrap()).unwrap(), shapes());
    }

    #[test]
    fn shapes_that_do_not_fit_together_are_refused() {
        let refused = |from: &str, to: &str| {
            let mut builder = Builder::default();
            write(&mut builder, &shapes()[1..2]);
            let columns = builder.payload();
            let text = Columns::read(&columns).unwrap().text("shapes").unwrap();
            assert!(text.contains(from), "{text}");
            let mut builder = Builder::default();
            builder.text("shapes", &text.replacen(from, to, 1));
            let payload = builder.payload();
            read(&Columns::read(&payload).unwrap()).unwrap_err().message
        };
        assert!(refused("\"radius\":0.1", "\"radius\":-1").contains("no number"));
        assert!(refused("[{", "[{\"extra\"").contains("not as expected"));
    }
}
