//! Bodies that are no balls: their surfaces as the ray tracer wants them, made
//! once per shape and moved from frame to frame.

use glam::Vec3;
use riprap::shape::{Solid, Surface};
use riprap::world::Model;

use crate::DVec3;
use crate::material::Material;
use crate::mesh::{Facet, Mesh};
use crate::scene::Made;
use crate::shapes::Capsule;

/// How thick flat pieces are drawn, in radii of a typical body.
const PLATE: f64 = 0.3;

/// The shapes of a run, in picture units.
#[derive(Default)]
pub(crate) struct Wardrobe {
    shapes: Vec<Dress>,
    /// Per body, its shape; a body beyond the list is a ball.
    of_body: Vec<Option<u32>>,
}

/// One shape about the position of its body.
struct Dress {
    facets: Vec<Facet>,
    /// The edges of a rounded shape.
    edges: Vec<Capsule>,
}

impl Wardrobe {
    /// `scale` is the picture's unit of length.
    pub fn new(model: &Model, scale: f64) -> Wardrobe {
        let radii: Vec<f64> = model.bodies.iter().map(|body| body.radius).collect();
        let table = -radii.iter().copied().fold(0.0, f64::max);
        let plate = [table, table + PLATE * riprap::math::median(radii)];
        Wardrobe {
            shapes: model.shapes.iter().map(|solid| Dress::new(solid, scale, plate)).collect(),
            of_body: model.bodies.iter().map(|body| body.shape).collect(),
        }
    }

    fn dress(&self, body: usize) -> Option<&Dress> {
        let shape = self.of_body.get(body).copied().flatten()?;
        self.shapes.get(shape as usize)
    }

    pub fn is_ball(&self, body: usize) -> bool {
        self.dress(body).is_none()
    }

    /// The triangles of a body at a place.
    pub fn facets(
        &self,
        body: usize,
        at: Vec3,
        of: Material,
    ) -> impl Iterator<Item = Made<Facet>> + '_ {
        let facets = self.dress(body).map_or(&[][..], |dress| &dress.facets);
        facets.iter().map(move |facet| Made { shape: facet.moved(at), of })
    }

    /// The rounded edges of a body at a place.
    pub fn edges(
        &self,
        body: usize,
        at: Vec3,
        of: Material,
    ) -> impl Iterator<Item = Made<Capsule>> + '_ {
        let edges = self.dress(body).map_or(&[][..], |dress| &dress.edges);
        let moved = move |edge: &Capsule| Capsule {
            start: edge.start + at,
            end: edge.end + at,
            radius: edge.radius,
        };
        edges.iter().map(move |edge| Made { shape: moved(edge), of })
    }
}

impl Dress {
    fn new(solid: &Solid, scale: f64, flat: [f64; 2]) -> Dress {
        let triangles = match &solid.surface {
            Surface::Outline(_) => plate(solid, flat),
            _ => solid.triangles(),
        };
        let small = |p: DVec3| (p * scale).as_vec3();
        let mesh = Mesh::from_triangles(triangles.into_iter().map(|t| t.map(small)));
        let radius = (solid.radius * scale) as f32;
        let mut facets = mesh.facets();
        let mut edges = Vec::new();
        if radius > 0.0 {
            for facet in &mut facets {
                *facet = facet.moved(facet.triangle.flat_normal() * radius);
            }
            let edge = |[start, end]: [Vec3; 2]| Capsule { start, end, radius };
            edges = mesh.creases().into_iter().map(edge).collect();
        }
        Dress { facets, edges }
    }
}

/// A flat piece as a plate that lies on the table, where the largest ball would touch it.
fn plate(solid: &Solid, [table, lid]: [f64; 2]) -> Vec<[DVec3; 3]> {
    let at = |c: [f64; 2], z: f64| DVec3::new(c[0], c[1], z);
    let lift = |z: f64| move |p: DVec3| DVec3::new(p.x, p.y, z);
    let mut triangles: Vec<[DVec3; 3]> =
        solid.triangles().into_iter().map(|t| t.map(lift(lid))).collect();
    if let Surface::Outline(outline) = &solid.surface {
        for [a, b] in outline.edges() {
            let [low, high] = [table, lid];
            triangles.push([at(a, low), at(b, low), at(b, high)]);
            triangles.push([at(a, low), at(b, high), at(a, high)]);
        }
    }
    triangles
}
