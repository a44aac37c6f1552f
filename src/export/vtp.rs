//! VTK's PolyData in XML, for ParaView: the bodies of one frame as points, and
//! the forces as lines, and the surfaces of bodies that are no balls as
//! triangles, in files of their own. Their time is that of the run, or the number
//! of the step where there is none. Numbers are base64 within the XML, which every
//! reader takes and which keeps all bits.

use std::path::{Path, PathBuf};

use super::base64;
use super::drafts::{Drafts, put};
use super::force_lines::force_lines;
use super::surfaces::{MOST_TRIANGLES, Surfaces};
use crate::math::DVec3;
use crate::problem::Result;
use crate::shape::Mesh;
use crate::trajectory::{Frame, Reader};
use crate::world::Model;

/// The files beside `NAME.vtp`: surfaces and forces.
pub(super) fn beside(path: &Path) -> [PathBuf; 2] {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    ["shapes", "forces"].map(|kind| path.with_file_name(format!("{name}_{kind}.vtp")))
}

/// Drafts `NAME.vtp`, and beside it `NAME_shapes.vtp` (the surfaces of bodies that are no balls,
/// and of cloth) and `NAME_forces.vtp` if there are any.
pub(super) fn write(reader: &Reader, index: usize, path: &Path, drafts: &mut Drafts) -> Result<()> {
    let frame = reader.frame(index)?;
    drafts.file(path, |out| {
        put(out, bodies(reader, index, &reader.frame(0)?.state.positions, &frame))
    })?;
    let [shapes_file, forces_file] = beside(path);
    let surfaces = surfaces(reader.model_at(index));
    if let Some(shapes) = shapes(reader, index, &frame, &surfaces) {
        drafts.file(&shapes_file, |out| put(out, shapes))?;
    }
    let Some(forces) = forces(reader, index)? else { return Ok(()) };
    drafts.file(&forces_file, |out| put(out, forces))
}

/// The bodies of a frame; displacements count from the positions at the start.
pub(super) fn bodies(reader: &Reader, index: usize, start: &[DVec3], frame: &Frame) -> String {
    let model = reader.model_at(index);
    let here: Vec<usize> = (0..model.bodies.len()).filter(|&i| !model.is_gone(i)).collect();
    let all = || here.iter().map(|&i| &model.bodies[i]);
    let of = |list: &[DVec3]| here.iter().map(|&i| list[i]).collect::<Vec<DVec3>>();
    let state = &frame.state;
    let from_start = here.iter().map(|&i| state.positions[i] - start[i]);
    let turns = here.iter().map(|&i| state.rotations[i]).flat_map(|q| [q.w, q.x, q.y, q.z]);
    let properties = [
        // Of bodies that are no balls, that of the sphere around them: surfaces are in a file
        // of their own.
        floats("radius", all().map(|body| body.radius)),
        floats("mass", all().map(|body| body.mass)),
        integers("id", here.iter().map(|&i| i as i64)),
        integers("group", all().map(|body| body.group.into())),
        vectors("displacement", from_start),
        array("rotation_wxyz", "Float64", 4, turns.flat_map(f64::to_le_bytes)),
        vectors("velocity", of(&state.velocities)),
        vectors("spin", of(&state.spins)),
    ];
    document(Kind::Points, time(reader, index, frame), &of(&state.positions), &properties)
}

/// The forces of a frame, if there are any.
pub(super) fn forces(reader: &Reader, index: usize) -> Result<Option<String>> {
    let frame = reader.frame(index)?;
    let contacts = reader.forces_at(index)?.unwrap_or_default();
    if contacts.is_empty() {
        return Ok(None);
    }
    let lines = force_lines(reader.model_at(index), &frame.state.positions, &contacts)?;
    let with = contacts.iter().map(|contact| contact.with.parts());
    let properties = [
        floats("force", contacts.iter().map(|contact| contact.force.length())),
        vectors("force_vector", contacts.iter().map(|contact| contact.force)),
        integers("body", contacts.iter().map(|contact| contact.body.into())),
        integers("kind", with.clone().map(|side| side.0.into())),
        integers("with", with.map(|side| side.1.into())),
    ];
    Ok(Some(document(Kind::Lines, time(reader, index, &frame), lines.as_flattened(), &properties)))
}

/// How a model's bodies are drawn; balls are points with a radius.
pub(super) fn surfaces(model: &Model) -> Surfaces {
    Surfaces::of(model, MOST_TRIANGLES, None)
}

/// The surfaces of a frame's bodies that are no balls, and its cloth; none if there are none.
pub(super) fn shapes(
    reader: &Reader,
    index: usize,
    frame: &Frame,
    surfaces: &Surfaces,
) -> Option<String> {
    let model = reader.model_at(index);
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    let (mut ids, mut groups) = (Vec::new(), Vec::new());
    let mut add = |id: usize, vertices: &[DVec3], faces: &[[u32; 3]]| {
        let first = corners.len() as i64;
        corners.extend(vertices);
        triangles.extend(faces.iter().flatten().map(|&corner| first + i64::from(corner)));
        ids.extend(faces.iter().map(|_| id as i64));
        groups.extend(faces.iter().map(|_| i64::from(model.bodies[id].group)));
    };
    for id in (0..model.rigid_count()).filter(|&id| model.shape(id).is_ball().is_none()) {
        let Mesh { vertices, triangles } = surfaces.placed(model, frame, id);
        add(id, &vertices, &triangles);
    }
    for cloth in &model.cloths {
        let faces: Vec<[u32; 3]> =
            cloth.faces.iter().map(|face| face.map(|p| p - cloth.first)).collect();
        add(cloth.first as usize, &frame.state.positions[cloth.particles()], &faces);
    }
    let sides = array("sides_of_round_parts", "Int64", 1, (surfaces.sides as i64).to_le_bytes());
    let fields = time(reader, index, frame) + &sides;
    let properties = [integers("id", ids), integers("group", groups)];
    (!corners.is_empty())
        .then(|| document(Kind::Triangles(&triangles), fields, &corners, &properties))
}

/// When a frame is, as readers of VTK want it.
fn time(reader: &Reader, index: usize, frame: &Frame) -> String {
    floats("TimeValue", [reader.time_at(index).unwrap_or(frame.step as f64)])
}

/// What the points of a document are.
#[derive(Clone, Copy)]
enum Kind<'a> {
    /// Each stands for itself and has properties.
    Points,
    /// Two by two they are the ends of lines, and the lines have properties.
    Lines,
    /// Three by three, these are corners of triangles, and those have properties.
    Triangles(&'a [i64]),
}

fn document(kind: Kind, fields: String, points: &[DVec3], properties: &[String]) -> String {
    let (cells, size, owner) = match kind {
        Kind::Points => ("Verts", 1, "PointData"),
        Kind::Lines => ("Lines", 2, "CellData"),
        Kind::Triangles(_) => ("Polys", 3, "CellData"),
    };
    let corners = match kind {
        Kind::Triangles(corners) => corners.to_vec(),
        _ => (0..).take(points.len()).collect(),
    };
    let (point_count, cell_count) = (points.len(), corners.len() / size);
    let properties = properties.concat();
    let positions = vectors("Points", points.iter().copied());
    let connectivity = integers("connectivity", corners);
    let offsets = integers("offsets", (1..).map(|cell| cell * size as i64).take(cell_count));
    format!(
        r#"<?xml version="1.0"?>
<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<PolyData>
<FieldData>
{fields}</FieldData>
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
fn array(name: &str, kind: &str, parts: usize, values: impl IntoIterator<Item = u8>) -> String {
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
    use crate::scene::DynamicsOptions;
    use crate::trajectory::{Writer, samples};
    use crate::world::Method;

    /// The attributes and the letters of the array of this name.
    fn find<'a>(text: &'a str, name: &str) -> (&'a str, &'a str) {
        let (before, after) = text.split_once(&format!("Name=\"{name}\"")).unwrap();
        let (more, rest) = after.split_once('>').unwrap();
        let (letters, _) = rest.split_once('<').unwrap();
        let start = before.rfind('<').unwrap();
        (&text[start..before.len() + more.len()], letters)
    }

    /// A run of a single frame.
    fn run(model: &Model, frame: &Frame) -> (tempfile::TempDir, Reader) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sample.riprap");
        Writer::create(&path, false, model, "", &[]).unwrap().frame(frame).unwrap();
        (folder, Reader::open(&path).unwrap())
    }

    #[test]
    fn every_body_is_a_point_with_properties() {
        let (model, frame) = (samples::model(3), samples::frame(7, 3));
        let (_folder, reader) = run(&model, &frame);
        let text = bodies(&reader, 0, &samples::frame(0, 3).state.positions, &frame);
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

    /// Readers of VTK want the time that has passed, not the number of a frame.
    #[test]
    fn a_timed_run_has_its_times() {
        let mut model = samples::model(1);
        let options = DynamicsOptions { time_step: 0.25, ..DynamicsOptions::default() };
        model.method = Method::Dynamics(options);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sample.riprap");
        let mut writer = Writer::create(&path, false, &model, "", &[]).unwrap();
        (0..3).for_each(|step| writer.frame(&samples::frame(step, 1)).unwrap());
        let reader = Reader::open(&path).unwrap();
        let text = bodies(&reader, 2, &[DVec3::ZERO], &reader.frame(2).unwrap());
        let time = [8_u64.to_le_bytes(), 0.5_f64.to_le_bytes()].concat();
        assert_eq!(find(&text, "TimeValue").1, base64(&time));
        let list = path.with_extension("pvd");
        super::super::export(&reader, &list, &Default::default()).unwrap();
        let list = std::fs::read_to_string(list).unwrap();
        assert!(list.contains("timestep=\"0.5\" part=\"0\" file=\"sample_pvd/frame_000002.vtp\""));
    }

    #[test]
    fn nothing_at_all_is_a_document_too() {
        let (model, frame) = (samples::model(0), samples::frame(0, 0));
        let text = bodies(&run(&model, &frame).1, 0, &[], &frame);
        assert!(text.contains("NumberOfPoints=\"0\""));
        assert_eq!(find(&text, "radius").1, base64(&[0; 8]));
    }
}
