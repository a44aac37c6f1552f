//! What bodies and containers are made of: spheres (a radius is all there is
//! to them), triangle meshes read from files or generated, and the boundary of
//! a container as a list of convex faces.

mod boundary;
mod brick;
mod bvh;
mod closed;
mod face;
mod generate;
mod groups;
mod meet;
mod mesh;
mod polygon;
mod read;
mod weld;
mod write;

pub use boundary::{Boundary, Nearest};
pub use brick::{Brick, BrickFace, Moments};
pub use bvh::{Aabb, Bvh};
pub use face::Face;
pub use mesh::Mesh;
pub use polygon::check_polygon;
