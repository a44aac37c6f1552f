//! How a run is seen: bodies in space, or flat ones on a table or upright.

use glam::{DMat3, DVec3};
use riprap::world::{Method, Model};

/// Where the viewer stands towards the run's axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// In space, z up.
    Space,
    /// A flat scene as balls and plates on a table, seen from above.
    Table,
    /// A flat scene as slabs that stand on the floor: their weight is what matters.
    Upright,
}

/// How thick plates on the table are, in radii of a typical body.
const PLATE: f64 = 0.3;
/// The thickness of slabs, in radii of a typical body.
const SLAB: f64 = 0.7;

impl View {
    /// Flat scenes of the method collapse stand, those of other methods lie.
    pub fn of(model: &Model) -> View {
        match (model.dimension, &model.method) {
            (2, Method::Collapse(_)) => View::Upright,
            (2, _) => View::Table,
            _ => View::Space,
        }
    }

    /// For a verdict: what stands or falls does not lie on a table.
    pub fn standing(model: &Model) -> View {
        if model.dimension == 2 { View::Upright } else { View::Space }
    }

    /// From the run's axes to the picture's, in which z is up.
    pub fn turn(self) -> DMat3 {
        match self {
            View::Space | View::Table => DMat3::IDENTITY,
            View::Upright => DMat3::from_cols(DVec3::X, DVec3::Z, DVec3::NEG_Y),
        }
    }

    /// The number of the run's axis that points up, away from the floor.
    pub fn up(self) -> usize {
        if self == View::Upright { 1 } else { 2 }
    }

    /// The numbers of the axes along the floor on which bodies have a place.
    pub fn level(self) -> &'static [usize] {
        if self == View::Upright { &[0] } else { &[0, 1] }
    }

    /// Between which heights above the plane of a flat scene its figures are drawn.
    pub fn slab(self, model: &Model) -> [f64; 2] {
        let bodies = &model.bodies[..model.rigid_count()];
        match self {
            View::Space => [0.0; 2],
            View::Upright => [-0.5, 0.5].map(|side| side * SLAB * model.typical_radius()),
            View::Table => {
                let plate =
                    PLATE * riprap::math::median(bodies.iter().map(|body| body.radius).collect());
                let discs = model.shapes.iter().filter_map(|shape| shape.is_ball());
                let table = -discs.fold(0.5 * plate, f64::max);
                [table, table + plate]
            }
        }
    }
}
