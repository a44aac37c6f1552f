//! Everything that is in the picture, ready to be asked by rays: solid things
//! (the fixed ones and the bodies of one frame), the glass around them, the
//! floor and the lights.

use glam::Vec3;

use crate::bvh::{Hit, Tree};
use crate::light::Studio;
use crate::material::Material;
use crate::mesh::Facet;
use crate::shapes::{Capsule, Ray, Shape, Sphere, Triangle};

/// A thing and what it is made of.
#[derive(Clone, Copy, Debug)]
pub struct Made<T> {
    pub shape: T,
    pub of: Material,
}

/// Opaque things, each kind in its own tree.
#[derive(Default)]
pub struct Solids {
    spheres: Kind<Sphere>,
    capsules: Kind<Capsule>,
    facets: Vec<Made<Facet>>,
    facet_tree: Tree<Triangle>,
}

struct Kind<S: Shape> {
    things: Vec<Made<S>>,
    tree: Tree<S>,
}

/// A point of a surface that a ray has found.
#[derive(Clone, Copy, Debug)]
pub struct Surface {
    pub distance: f32,
    pub point: Vec3,
    /// Unit, on the side that the ray came from.
    pub normal: Vec3,
    pub of: Material,
}

/// Thin clear walls. The bodies behind them are seen without any bending.
#[derive(Default)]
pub struct Glass {
    facets: Vec<Facet>,
    tree: Tree<Triangle>,
}

/// One crossing of a ray with the glass.
#[derive(Clone, Copy, Debug)]
pub struct Pane {
    pub distance: f32,
    pub point: Vec3,
    /// Unit, on the side that the ray came from.
    pub normal: Vec3,
}

/// An endless plane that fades into the backdrop away from the subject.
#[derive(Clone, Copy, Debug)]
pub struct Floor {
    /// The point of the floor below the middle of the subject.
    pub middle: Vec3,
    pub normal: Vec3,
    /// Where the fading starts and ends, from the middle.
    pub fade: (f32, f32),
}

/// What one frame shows.
pub struct Scene<'a> {
    pub fixed: &'a Solids,
    pub bodies: Solids,
    pub glass: &'a Glass,
    pub floor: Floor,
    pub studio: Studio,
}

/// How far a new ray starts from the surface that sent it, in picture units:
/// well above the rounding of coordinates near 1, well below a small body.
pub const LIFT: f32 = 2e-5;

const FLOOR_COLOUR: Vec3 = Vec3::new(0.70, 0.70, 0.70);

impl<S: Shape> Default for Kind<S> {
    fn default() -> Self {
        Kind { things: Vec::new(), tree: Tree::default() }
    }
}

impl<S: Shape> Kind<S> {
    fn new(things: Vec<Made<S>>) -> Kind<S> {
        let shapes: Vec<S> = things.iter().map(|thing| thing.shape).collect();
        Kind { things, tree: Tree::new(&shapes) }
    }
}

impl Solids {
    pub fn new(
        spheres: Vec<Made<Sphere>>,
        facets: Vec<Made<Facet>>,
        capsules: Vec<Made<Capsule>>,
    ) -> Solids {
        let triangles: Vec<Triangle> = facets.iter().map(|facet| facet.shape.triangle).collect();
        Solids {
            spheres: Kind::new(spheres),
            capsules: Kind::new(capsules),
            facets,
            facet_tree: Tree::new(&triangles),
        }
    }

    fn nearest(&self, ray: &Ray, mut limit: f32) -> Option<Surface> {
        let mut best = None;
        let mut consider =
            |hit: Option<Hit>,
             limit: &mut f32,
             surface: &dyn Fn(usize, Vec3) -> (Vec3, Material)| {
                if let Some(hit) = hit {
                    *limit = hit.distance;
                    let point = ray.at(hit.distance);
                    let (normal, of) = surface(hit.index as usize, point);
                    best = Some(Surface { distance: hit.distance, point, normal, of });
                }
            };
        consider(self.spheres.tree.nearest(ray, limit), &mut limit, &|i, p| {
            (self.spheres.things[i].shape.normal(p), self.spheres.things[i].of)
        });
        consider(self.facet_tree.nearest(ray, limit), &mut limit, &|i, p| {
            (facing(self.facets[i].shape.normal(p), ray), self.facets[i].of)
        });
        consider(self.capsules.tree.nearest(ray, limit), &mut limit, &|i, p| {
            (self.capsules.things[i].shape.normal(p), self.capsules.things[i].of)
        });
        best
    }

    fn blocks(&self, ray: &Ray, limit: f32) -> bool {
        self.spheres.tree.blocks(ray, limit)
            || self.facet_tree.blocks(ray, limit)
            || self.capsules.tree.blocks(ray, limit)
    }
}

/// The normal on the side that the ray comes from.
fn facing(normal: Vec3, ray: &Ray) -> Vec3 {
    if normal.dot(ray.direction) > 0.0 { -normal } else { normal }
}

impl Glass {
    pub fn new(facets: Vec<Facet>) -> Glass {
        let triangles: Vec<Triangle> = facets.iter().map(|facet| facet.triangle).collect();
        Glass { facets, tree: Tree::new(&triangles) }
    }

    /// All crossings before `limit`, front to back.
    pub fn panes(&self, ray: &Ray, limit: f32, panes: &mut Vec<Pane>) {
        panes.clear();
        self.tree.all(ray, limit, |hit| {
            let point = ray.at(hit.distance);
            let normal = facing(self.facets[hit.index as usize].normal(point), ray);
            panes.push(Pane { distance: hit.distance, point, normal });
        });
        panes.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    }

    /// The share of light that gets through to `limit`.
    pub fn transmission(&self, ray: &Ray, limit: f32) -> f32 {
        let mut share = 1.0;
        self.tree.all(ray, limit, |hit| {
            let cosine = self.facets[hit.index as usize].triangle.normal().dot(ray.direction).abs();
            share *= pane_transmission(cosine);
        });
        share
    }
}

/// The share of light that a thin pane reflects, both of its sides together [Schlick 1994].
pub fn pane_reflection(cosine: f32) -> f32 {
    let one_side = 0.035 + 0.965 * (1.0 - cosine).powi(5);
    2.0 * one_side / (1.0 + one_side)
}

/// The share of light that passes a thin pane: what is not reflected, less
/// what is lost on the way through the wall, which is longer the more slanted it is.
pub fn pane_transmission(cosine: f32) -> f32 {
    let path = 1.0 / (cosine + 0.06);
    (1.0 - pane_reflection(cosine)) * (1.0 - 0.012 * path)
}

impl Floor {
    fn nearest(&self, ray: &Ray, limit: f32) -> Option<Surface> {
        let toward = ray.direction.dot(self.normal);
        let height = (ray.origin - self.middle).dot(self.normal);
        let distance = -height / toward;
        let seen = toward < 0.0 && distance > 0.0 && distance < limit;
        seen.then(|| Surface {
            distance,
            point: ray.at(distance),
            normal: self.normal,
            of: Material::Matte(FLOOR_COLOUR),
        })
    }

    /// How much of the floor has turned into backdrop at a point: 0 to 1.
    pub fn faded(&self, point: Vec3) -> f32 {
        let (start, end) = self.fade;
        let t = ((point.distance(self.middle) - start) / (end - start)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    }
}

impl Scene<'_> {
    /// The first opaque surface on the ray; the flag says that it is the floor.
    pub fn nearest(&self, ray: &Ray) -> Option<(Surface, bool)> {
        let fixed = self.fixed.nearest(ray, f32::INFINITY);
        let limit = fixed.map_or(f32::INFINITY, |s| s.distance);
        let solid = self.bodies.nearest(ray, limit).or(fixed);
        let limit = solid.map_or(f32::INFINITY, |s| s.distance);
        let floor = self.floor.nearest(ray, limit).map(|s| (s, true));
        floor.or(solid.map(|s| (s, false)))
    }

    /// Whether anything opaque is in the way; the floor only catches, it throws no shadow.
    pub fn blocks(&self, ray: &Ray) -> bool {
        self.fixed.blocks(ray, f32::INFINITY) || self.bodies.blocks(ray, f32::INFINITY)
    }
}
