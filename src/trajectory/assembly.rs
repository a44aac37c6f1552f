//! What runs of the method dynamics keep in their header besides the others: the
//! parts, their pieces and joints.

use super::column::{Builder, Columns};
use crate::problem::{Problem, Result};
use crate::world::{Assembly, Attachment, Model};

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
    match fault_of_cloth(&assembly) {
        Some(fault) => Err(wrong(fault)),
        None => Ok(assembly),
    }
}

/// Cloths follow each other after all bodies, and name their own particles only.
fn fault_of_cloth(assembly: &Assembly) -> Option<String> {
    let parts = assembly.parts.len();
    let mut next = assembly.rigid_count().min(parts);
    for (number, cloth) in assembly.cloths.iter().enumerate() {
        if cloth.first as usize != next || cloth.rest.len() > parts - next || cloth.rest.is_empty()
        {
            return Some(format!("cloth {number} does not have its particles"));
        }
        next += cloth.rest.len();
        let named = cloth.faces.iter().flatten();
        let named = named.chain(cloth.threads.iter().flat_map(|thread| &thread.ends));
        let own = cloth.particles();
        if let Some(other) = named.copied().find(|&part| !own.contains(&(part as usize))) {
            return Some(format!("cloth {number} names part {other}, which is not its own"));
        }
    }
    let rigid = assembly.rigid_count();
    let lost = |tie: &&Attachment| {
        let to = tie.to.is_some_and(|to| to as usize >= parts);
        to || !(rigid..parts).contains(&(tie.particle as usize))
    };
    if next != parts && !assembly.cloths.is_empty() {
        return Some(format!("{} parts come after the cloth", parts - next));
    }
    assembly.attachments.iter().find(lost).map(|tie| format!("an attachment of {tie:?}"))
}
