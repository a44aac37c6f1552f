//! Bodies that are no balls, as triangles about their positions.

use riprap::trajectory::Reader;

use super::arrays::Arrays;

/// Stores the corners of all triangles of all solids (without their rounding),
/// and for each triangle the body that it belongs to.
pub(super) fn store(reader: &Reader, arrays: &mut Arrays) {
    let model = reader.model();
    let (mut corners, mut bodies) = (Vec::new(), Vec::new());
    for body in 0..model.bodies.len() {
        for triangle in model.solid(body).map(|solid| solid.triangles()).unwrap_or_default() {
            corners.extend(triangle.iter().flat_map(|corner| corner.to_array()));
            bodies.push(body as u32);
        }
    }
    arrays.f32("solid corners", corners);
    arrays.u32("solid body", bodies);
}
