//! What runs of the method dynamics keep in their header besides the others: the
//! parts, their pieces and joints.

use super::column::{Builder, Columns};
use crate::problem::{Problem, Result};
use crate::world::{Assembly, Model};

pub(super) fn write(builder: &mut Builder, model: &Model) {
    if model.is_dynamic() {
        builder.text("assembly", &serde_json::to_string(&model.assembly).unwrap_or_default());
    }
}

/// Everything that indexes something is looked at before anybody uses it.
pub(super) fn read(columns: &Columns, bodies: usize) -> Result<Assembly> {
    if !columns.has("assembly") {
        return Ok(Assembly::default());
    }
    let wrong =
        |what: String| Problem::new(format!("its column `assembly` is not as expected: {what}"));
    let assembly: Assembly =
        serde_json::from_str(&columns.text("assembly")?).map_err(|e| wrong(e.to_string()))?;
    let parts = assembly.parts.len();
    if parts != bodies {
        return Err(wrong(format!("{parts} parts for {bodies} bodies")));
    }
    let named = assembly.joints.iter().flat_map(|joint| joint.parts.iter().flatten());
    if let Some(part) = named.copied().find(|&part| part as usize >= parts) {
        return Err(wrong(format!("a joint names part {part} of {parts}")));
    }
    for (index, part) in assembly.parts.iter().enumerate() {
        let sound = |hull: &crate::shape::Hull| {
            let corners = hull.faces.iter().flatten().chain(hull.edges.iter().flatten());
            hull.faces.len() == hull.normals.len()
                && hull.faces.iter().all(|face| face.len() > 2)
                && { corners }.all(|&corner| (corner as usize) < hull.corners.len())
        };
        if !part.pieces.iter().filter_map(|piece| piece.core.hull()).all(sound) {
            return Err(wrong(format!("a hull of part {index} does not fit together")));
        }
        if !(part.mass > 0.0 && part.inertia.min_element() >= 0.0) {
            return Err(wrong(format!("part {index} has no mass")));
        }
    }
    Ok(assembly)
}
