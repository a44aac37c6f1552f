//! Everything that is in the picture, ready to be asked by rays: opaque things
//! (the fixed ones and the bodies of one frame), the glass around them, the
//! floor and the lights.

use glam::Vec3;

use crate::bvh::Tree;
use crate::capsule::Capsule;
use crate::light::Studio;
use crate::material::Material;
use crate::mesh::Facet;
use crate::primitives::{Primitive, Ray, Sphere};

/// A thing and what it is made of.
#[derive(Clone, Copy, Debug)]
pub struct Made<T> {
    pub shape: T,
    pub of: Material,
}

/// Opaque things on their way into their trees.
#[derive(Default)]
pub struct Loose {
    pub spheres: Vec<Made<Sphere>>,
    pub facets: Vec<Made<Facet>>,
    pub capsules: Vec<Made<Capsule>>,
}

/// Opaque things, each kind in its own tree.
#[derive(Default)]
pub struct Things {
    spheres: Kind<Sphere>,
    facets: Kind<Facet>,
    capsules: Kind<Capsule>,
}

struct Kind<S: Primitive> {
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
    tree: Tree<Facet>,
}

/// One crossing of a ray with the glass.
#[derive(Clone, Copy, Debug)]
pub struct Pane {
    pub distance: f32,
    pub point: Vec3,
    /// Unit, on the side that the ray came from.
    pub normal: Vec3,
    /// The ray came from within.
    pub inner: bool,
}

/// An endless plane that fades into the backdrop away from the subject.
#[derive(Clone, Copy, Debug)]
pub struct Floor {
    /// The point of the floor below the middle of the subject.
    pub middle: Vec3,
    pub normal: Vec3,
    /// Where the fading starts and ends, from the middle.
    pub fade: (f32, f32),
    pub colour: Vec3,
}

/// What one frame shows.
pub struct Scene<'a> {
    pub fixed: &'a Things,
    pub bodies: Things,
    pub glass: &'a Glass,
    pub floor: Floor,
    pub studio: Studio,
}

/// How far a new ray starts from the surface that sent it, in picture units:
/// well above the rounding of coordinates near 1, well below a small body.
pub const LIFT: f32 = 2e-5;

/// The floor's, unless the picture has a background of its own.
pub const FLOOR_COLOUR: Vec3 = Vec3::new(0.52, 0.52, 0.525);

impl<S: Primitive> Default for Kind<S> {
    fn default() -> Self {
        Kind { things: Vec::new(), tree: Tree::default() }
    }
}

impl<S: Primitive> Kind<S> {
    fn new(things: Vec<Made<S>>) -> Kind<S> {
        let shapes: Vec<S> = things.iter().map(|thing| thing.shape).collect();
        Kind { things, tree: Tree::new(&shapes) }
    }

    fn nearest(&self, ray: &Ray, limit: f32) -> Option<Surface> {
        let hit = self.tree.nearest(ray, limit)?;
        let thing = &self.things[hit.index as usize];
        let point = ray.at(hit.distance);
        let normal = thing.shape.normal(point, ray.direction);
        Some(Surface { distance: hit.distance, point, normal, of: thing.of })
    }
}

impl Things {
    pub fn new(loose: Loose) -> Things {
        Things {
            spheres: Kind::new(loose.spheres),
            facets: Kind::new(loose.facets),
            capsules: Kind::new(loose.capsules),
        }
    }

    fn nearest(&self, ray: &Ray, limit: f32) -> Option<Surface> {
        let before = |found: Option<Surface>| found.map_or(limit, |surface| surface.distance);
        let found = self.spheres.nearest(ray, limit);
        let found = self.facets.nearest(ray, before(found)).or(found);
        self.capsules.nearest(ray, before(found)).or(found)
    }

    fn blocks(&self, ray: &Ray, limit: f32) -> bool {
        self.spheres.tree.blocks(ray, limit)
            || self.facets.tree.blocks(ray, limit)
            || self.capsules.tree.blocks(ray, limit)
    }
}

impl Glass {
    pub fn new(facets: Vec<Facet>) -> Glass {
        let tree = Tree::new(&facets);
        Glass { facets, tree }
    }

    /// All crossings before `limit`, front to back.
    pub fn panes(&self, ray: &Ray, limit: f32, panes: &mut Vec<Pane>) {
        panes.clear();
        self.tree.all(ray, limit, |hit| {
            let facet = &self.facets[hit.index as usize];
            let point = ray.at(hit.distance);
            panes.push(Pane {
                distance: hit.distance,
                point,
                normal: facet.normal(point, ray.direction),
                inner: facet.is_behind(ray.direction),
            });
        });
        panes.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    }

    /// The share of light that gets through to `limit`.
    pub fn transmission(&self, ray: &Ray, limit: f32) -> f32 {
        let mut share = 1.0;
        self.tree.all(ray, limit, |hit| {
            let normal = self.facets[hit.index as usize].triangle.flat_normal();
            share *= pane_transmission(normal.dot(ray.direction).abs());
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
            of: Material::Matte(self.colour),
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
        let thing = self.bodies.nearest(ray, limit).or(fixed);
        let limit = thing.map_or(f32::INFINITY, |s| s.distance);
        let floor = self.floor.nearest(ray, limit).map(|s| (s, true));
        floor.or(thing.map(|s| (s, false)))
    }

    /// Whether anything opaque is in the way; the floor only catches, it throws no shadow.
    pub fn blocks(&self, ray: &Ray) -> bool {
        self.fixed.blocks(ray, f32::INFINITY) || self.bodies.blocks(ray, f32::INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::cube;

    #[test]
    fn glass_is_crossed_front_to_back() {
        let glass = Glass::new(cube().facets());
        let ray = Ray::new(Vec3::new(-1.0, 0.3, 0.4), Vec3::X);
        let mut panes = Vec::new();
        glass.panes(&ray, f32::INFINITY, &mut panes);
        let found: Vec<_> = panes.iter().map(|pane| (pane.distance, pane.normal)).collect();
        assert_eq!(found, [(1.0, Vec3::NEG_X), (2.0, Vec3::NEG_X)]);
        assert!((glass.transmission(&ray, 10.0) - pane_transmission(1.0).powi(2)).abs() < 1e-6);
        glass.panes(&ray, 1.5, &mut panes);
        assert_eq!(panes.len(), 1);
    }

    #[test]
    fn panes_never_make_light() {
        for i in 0..=100 {
            let cosine = i as f32 / 100.0;
            let (reflected, passed) = (pane_reflection(cosine), pane_transmission(cosine));
            assert!(reflected >= 0.0 && passed >= 0.0 && reflected + passed <= 1.0);
        }
    }

    #[test]
    fn the_nearest_of_all_kinds_is_found() {
        let of = Material::Matte(Vec3::ONE);
        let ball = Made { shape: Sphere { centre: Vec3::new(3.0, 0.3, 0.4), radius: 0.5 }, of };
        let bar = Made {
            shape: Capsule {
                start: Vec3::new(-3.0, 0.3, 0.0),
                end: Vec3::new(-3.0, 0.3, 1.0),
                radius: 0.1,
            },
            of,
        };
        let facets = cube().facets().into_iter().map(|shape| Made { shape, of }).collect();
        let fixed = Things::new(Loose { spheres: vec![ball], facets, capsules: vec![bar] });
        let scene = Scene {
            fixed: &fixed,
            bodies: Things::default(),
            glass: &Glass::default(),
            floor: Floor {
                middle: Vec3::Z * -1.0,
                normal: Vec3::Z,
                fade: (1.0, 2.0),
                colour: Vec3::ONE,
            },
            studio: Studio::new(Vec3::Z, Vec3::X),
        };
        let first = |from: Vec3, to: Vec3| {
            scene.nearest(&Ray::new(from, to)).map(|(s, floor)| (s.distance, s.normal, floor))
        };
        let at = |x: f32| Vec3::new(x, 0.3, 0.4);
        assert_eq!(first(at(-5.0), Vec3::X), Some((1.9, Vec3::NEG_X, false)));
        assert_eq!(first(at(-2.0), Vec3::X), Some((2.0, Vec3::NEG_X, false)));
        assert_eq!(first(at(1.5), Vec3::X), Some((1.0, Vec3::NEG_X, false)));
        assert_eq!(first(at(9.0), Vec3::NEG_Z), Some((1.4, Vec3::Z, true)));
        assert_eq!(first(at(9.0), Vec3::Z), None);
        assert!(scene.blocks(&Ray::new(at(-5.0), Vec3::X)));
        assert!(!scene.blocks(&Ray::new(at(9.0), Vec3::NEG_Z)));
    }
}
