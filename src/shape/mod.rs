//! What bodies and containers are made of: spheres (a radius is all there is
//! to them), solids (unions of convex pieces with a rounding radius), triangle
//! meshes read from files or generated, and the boundary of a container as a
//! list of convex faces.

mod ball;
mod boundary;
mod brick;
mod bvh;
mod closed;
mod closest;
mod convex;
mod cubes;
mod face;
pub mod form;
mod generate;
mod groups;
mod hull;
mod mass;
mod meet;
mod mesh;
mod outline;
mod partition;
mod polygon;
mod read;
mod skin;
mod slice;
mod solid;
mod weld;
mod write;

pub use boundary::{Boundary, Nearest};
pub use brick::{Brick, BrickFace, Moments};
pub use bvh::{Aabb, Bvh};
pub use closest::{Apart, closest, room_along, widest};
pub use convex::{Convex, Facet};
pub use face::Face;
pub use form::{Core, Hull, Piece};
pub use mass::Mass;
pub use mesh::Mesh;
pub use outline::Outline;
pub use polygon::check_polygon;
pub use solid::{Partition, Solid, Surface};
