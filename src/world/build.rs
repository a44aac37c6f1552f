//! From a scene to a world.
use super::{Model, State};
use crate::problem::Result;
use crate::scene::Scene;
/// Generates the bodies, builds the boundary, and checks that nothing overlaps or sticks out.
pub fn build(_scene: &Scene) -> Result<(Model, State)> {
    todo!()
}
