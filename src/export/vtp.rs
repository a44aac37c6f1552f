//! VTK's PolyData in XML, for ParaView: the bodies of one frame as points, and
//! the forces as lines, and the surfaces of bodies that are no balls as
//! triangles, in files of their own. Numbers are
//! base64 within the XML, which every reader takes and which keeps all bits.

use std::path::Path;

use super::base64;
use super::drafts::{Drafts, put};
use super::force_lines::force_lines;
use crate::math::DVec3;
use crate::problem::Result;
use crate::trajectory::{Frame, Reader};
use crate::world::Model;

/// Drafts `NAME.vtp`, and beside it `NAME_shapes.vtp` (the surfaces of bodies that are no balls,
/// and of cloth) and `NAME_forces.vtp` if there are any.
pub(super) fn write(reader: &Reader, index: usize, path: &Path, drafts: &mut Drafts) -> Result<()> {
    drafts.file(path, |out| {
        let start = reader.frame(0)?;
        put(out, bodies(reader.model(), &start.state.positions, &reader.frame(index)?))
    })?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    if let Some(shapes) = shapes(reader.model(), &reader.frame(index)?) {
        drafts.file(&path.with_file_name(format!("{name}_shapes.vtp")), |out| put(out, shapes))?;
    }
    let Some(forces) = forces(reader, index)? else { return Ok(()) };
    drafts.file(&path.with_file_name(format!("{name}_forces.vtp")), |out| put(out, forces))
}

/// The bodies of a frame; displacements count from the positions at the start.
pub(super) fn bodies(model: &Model, start: &[DVec3], frame: &Frame) -> String {
    let all = &model.bodies;
    let state = &frame.state;
    let from_start = state.positions.iter().zip(start).map(|(&now, &start)| now - start);
    let turns = state.rotations.iter().flat_map(|q| [q.w, q.x, q.y, q.z]);
    let properties = [
        floats("radius", all.iter().map(|body| body.radius)),
        floats("mass", all.iter().map(|body| body.mass)),
        integers("id", (0..).take(all.len())),
        integers("group", all.iter().map(|body| body.group.into())),
        vectors("displacement", from_start),
        array("rotation_wxyz", "Float64", 4, turns.flat_map(f64::to_le_bytes)),
        vectors("velocity", state.velocities.iter().copied()),
        vectors("spin", state.spins.iter().copied()),
    ];
    document(Kind::Points, frame.step, &state.positions, &properties)
}

/// The forces of a frame, if there are any: impulses where frames keep them, and at the last
/// frame of a run that came to rest the forces of the proof.
pub(super) fn forces(reader: &Reader, index: usize) -> Result<Option<String>> {
    let frame = reader.frame(index)?;
    let at_rest = reader.ending().filter(|_| index + 1 == reader.len());
    let at_rest = at_rest.map_or(&[][..], |ending| &ending.contacts);
    let contacts = if at_rest.is_empty() { &frame.contacts } else { at_rest };
    if contacts.is_empty() {
        return Ok(None);
    }
    let lines = force_lines(reader.model(), &frame.state.positions, contacts)?;
    let with = contacts.iter().map(|contact| contact.with.parts());
    let properties = [
        floats("force", contacts.iter().map(|contact| contact.force.length())),
        vectors("force_vector", contacts.iter().map(|contact| contact.force)),
        integers("body", contacts.iter().map(|contact| contact.body.into())),
        integers("kind", with.clone().map(|side| side.0.into())),
        integers("with", with.map(|side| side.1.into())),
    ];
    Ok(Some(document(Kind::Lines, frame.step, lines.as_flattened(), &properties)))
}

/// The surfaces of a frame's bodies that are no balls, and its cloth; none if there are none.
pub(super) fn shapes(model: &Model, frame: &Frame) -> Option<String> {
    let (mut corners, mut ids, mut groups) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |id: usize, triangle: [DVec3; 3]| {
        corners.extend(triangle);
        ids.push(id as i64);
        groups.push(i64::from(model.bodies[id].group));
    };
    let state = &frame.state;
    for id in (0..model.rigid_count()).filter(|&id| model.shape(id).is_ball().is_none()) {
        for triangle in model.shape(id).triangles() {
            add(id, triangle.map(|corner| state.point(Some(id as u32), corner)));
        }
    }
    for face in model.cloths.iter().flat_map(|cloth| &cloth.faces) {
        add(face[0] as usize, face.map(|particle| state.positions[particle as usize]));
    }
    let properties = [integers("id", ids), integers("group", groups)];
    (!corners.is_empty()).then(|| document(Kind::Triangles, frame.step, &corners, &properties))
}

/// What the points of a document are.
#[derive(Clone, Copy)]
enum Kind {
    /// Each stands for itself and has properties.
    Points,
    /// Two by two they are the ends of lines, and the lines have properties.
    Lines,
    /// Three by three they are corners of triangles, and those have properties.
    Triangles,
}

fn document(kind: Kind, step: u64, points: &[DVec3], properties: &[String]) -> String {
    let (cells, size, owner) = match kind {
        Kind::Points => ("Verts", 1, "PointData"),
        Kind::Lines => ("Lines", 2, "CellData"),
        Kind::Triangles => ("Polys", 3, "CellData"),
    };
    let (point_count, cell_count) = (points.len(), points.len() / size);
    let time = floats("TimeValue", [step as f64]);
    let properties = properties.concat();
    let positions = vectors("Points", points.iter().copied());
    let connectivity = integers("connectivity", (0..).take(point_count));
    let offsets = integers("offsets", (1..).map(|cell| cell * size as i64).take(cell_count));
    format!(
        r#"<?xml version="1.0"?>
<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<PolyData>
<FieldData>
{time}</FieldData>
<Piece NumberOfPoints="{point_count}" NumberOf{cells}="{cell_count}">
<{owner}>
{properties}</{owner}>
<Points>
{positions}</Points>
<{cells}>
{connectivity}{offsets}</{cells}>
</Piece>
</PolyData>
</VTKFile>
"#
    )
}

fn floats(name: &str, values: impl IntoIterator<Item = f64>) -> String {
    array(name, "Float64", 1, values.into_iter().flat_map(f64::to_le_bytes))
}

fn integers(name: &str, values: impl IntoIterator<Item = i64>) -> String {
    array(name, "Int64", 1, values.into_iter().flat_map(i64::to_le_bytes))
}

fn vectors(name: &str, values: impl IntoIterator<Item = DVec3>) -> String {
    let coordinates = values.into_iter().flat_map(|v| v.to_array());
    array(name, "Float64", 3, coordinates.flat_map(f64::to_le_bytes))
}

/// One array of 8-byte numbers: its size in bytes, then its bytes, encoded as one.
fn array(name: &str, kind: &str, parts: usize, values: impl Iterator<Item = u8>) -> String {
    let mut bytes = vec![0; 8];
    bytes.extend(values);
    let size = bytes.len() - 8;
    bytes[..8].copy_from_slice(&(size as u64).to_le_bytes());
    let (tuples, letters) = (size / (8 * parts), base64(&bytes));
    format!(
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{parts}\" \
         NumberOfTuples=\"{tuples}\" format=\"binary\">{letters}</DataArray>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::samples;

    /// The attributes and the letters of the array of this name.
    fn find<'a>(text: &'a str, name: &str) -> (&'a str, &'a str) {
        let (before, after) = text.split_once(&format!("Name=\"{name}\"")).unwrap();
        let (more, rest) = after.split_once('>').unwrap();
        let (letters, _) = rest.split_once('<').unwrap();
        let start = before.rfind('<').unwrap();
        (&text[start..before.len() + more.len()], letters)
    }

    #[test]
    fn every_body_is_a_point_with_properties() {
        let (model, frame) = (samples::model(3), samples::frame(7, 3));
        let text = bodies(&model, &samples::frame(0, 3).state.positions, &frame);
        assert!(text.contains("<Piece NumberOfPoints=\"3\" NumberOfVerts=\"3\">"));
        for name in ["radius", "mass", "id", "group", "displacement", "Points", "offsets"] {
            let letters = find(&text, name).1;
            let parts = if ["displacement", "Points"].contains(&name) { 3 } else { 1 };
            assert_eq!(letters.len(), (8 + 3 * 8 * parts as usize).div_ceil(3) * 4, "{name}");
        }
        let group = [24_i64, 0, 1, 0].map(i64::to_le_bytes).concat();
        assert_eq!(find(&text, "group").1, base64(&group));
        assert!(find(&text, "TimeValue").0.contains("NumberOfTuples=\"1\""));
        let time = [8_u64.to_le_bytes(), 7_f64.to_le_bytes()].concat();
        assert_eq!(find(&text, "TimeValue").1, base64(&time));
    }

    #[test]
    fn nothing_at_all_is_a_document_too() {
        let text = bodies(&samples::model(0), &[], &samples::frame(0, 0));
        assert!(text.contains("NumberOfPoints=\"0\""));
        assert_eq!(find(&text, "radius").1, base64(&[0; 8]));
    }
}
