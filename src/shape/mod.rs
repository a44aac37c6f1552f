//! What bodies and containers are made of: convex polytopes, rounded and placed
//! as the pieces of a shape, what these weigh, triangle meshes read from files or
//! generated, and the boundary of a container as a list of convex faces.

pub(crate) mod arc;
mod ball;
mod boundary;
mod bvh;
mod closed;
mod closest;
mod compound;
mod convexity;
mod cubes;
mod face;
mod facet;
mod forms;
mod generate;
mod hull;
mod mass;
mod meet;
mod mesh;
mod outline;
mod partition;
mod piece;
mod placed;
mod polygon;
mod polytope;
mod read;
mod rings;
#[expect(clippy::module_inception, reason = "a file is named after its type")]
mod shape;
mod skin;
mod slice;
mod union_find;
mod weld;
mod write;

pub use boundary::{Boundary, Nearest};
pub use bvh::{Aabb, Bvh};
pub use closest::{Apart, closest};
pub(crate) use closest::{are_apart, room_along, widest};
pub use face::Face;
pub use facet::Facet;
pub use mass::MassProperties;
pub(crate) use meet::segments_meet;
pub use mesh::Mesh;
pub use outline::Outline;
pub(crate) use outline::loop_contains;
pub use piece::{CYLINDER_SIDES, Core, Piece};
pub use placed::{Placed, deepest};
pub use polygon::check_polygon;
pub use polytope::Polytope;
pub use shape::{Partition, Shape, Studs, Surface};
pub use skin::ROUND_SIDES;
pub(crate) use union_find::UnionFind;
