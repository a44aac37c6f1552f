//! Sets the scene once for all frames: the container as glass, a wooden frame
//! for an hourglass, edges for a box, the floor, the camera and the lights.
//!
//! Runs come in metres, millimetres or nothing; a picture has units of its own,
//! in which the subject fits into a ball of radius 1 around the origin.

use glam::{DVec3, Vec3};
use riprap::world::Model;

use crate::camera::Camera;
use crate::dress::Wardrobe;
use crate::light::Studio;
use crate::material::Material;
use crate::mesh::{Facet, Mesh};
use crate::profile::Profile;
use crate::scene::{Floor, Glass, Made, Scene, Solids};
use crate::shapes::{Capsule, Sphere};
use crate::{Ball, Block, Container, Options, Rod};

/// Everything in the picture that does not move.
pub struct Stage {
    placement: Placement,
    fixed: Solids,
    glass: Glass,
    floor: Floor,
    studio: Studio,
    wardrobe: Wardrobe,
    pub(crate) camera: Camera,
}

/// From the run's coordinates to the picture's.
#[derive(Clone, Copy, Debug)]
struct Placement {
    centre: DVec3,
    scale: f64,
}

/// The colour of the thin bars along the edges of glass boxes.
const EDGE: Material = Material::Plastic(Vec3::new(0.13, 0.15, 0.17));
const EDGE_RADIUS: f32 = 0.004;
/// A container with more sharp edges than this is drawn without bars: they would hide the contents.
const MOST_EDGES: usize = 400;
/// Floor and plates keep this distance from the glass, so that the two are never in the same place.
const AIR: f32 = 2e-3;

impl Stage {
    /// The stage for bodies in a container; the bodies themselves are only
    /// measured here, to find the picture's limits if there is no container.
    pub fn new(container: &Container, balls: &[Ball], options: &Options) -> Stage {
        let extent = extent(container, balls);
        let placement = Placement::of(&extent);
        let subject = extent.into_iter().map(|p| placement.point(p)).collect();
        match container {
            Container::Surface(triangles) => {
                let corners = triangles.iter().map(|t| t.map(|p| placement.point(p)));
                Stage::around_glass(placement, &Mesh::from_triangles(corners), subject, options)
            }
            Container::Outline(segments) => {
                let walls = segments.iter().map(|s| s.map(|p| placement.point(p))).collect();
                let largest = balls.iter().map(|ball| ball.radius).fold(0.0, f64::max);
                Stage::flat(placement, walls, placement.length(largest), subject, options)
            }
        }
    }

    /// The stage for blocks on a floor at this height: everything that is to be seen.
    pub(crate) fn of_blocks(seen: &[DVec3], floor: f64, options: &Options) -> Stage {
        let seen: Vec<DVec3> = match seen.is_empty() {
            true => vec![DVec3::ZERO],
            false => seen.iter().copied().filter(|p| p.is_finite()).collect(),
        };
        let placement = Placement::of(&seen);
        let subject = seen.into_iter().map(|p| placement.point(p)).collect();
        let bare = Stage::around_glass(placement, &Mesh::default(), subject, options);
        let level = placement.point(DVec3::new(0.0, 0.0, floor)).z - AIR;
        Stage { floor: Floor { middle: Vec3::Z * level, ..bare.floor }, ..bare }
    }

    fn around_glass(
        placement: Placement,
        mesh: &Mesh,
        mut subject: Vec<Vec3>,
        options: &Options,
    ) -> Stage {
        let hourglass = Profile::of(mesh).filter(Profile::is_hourglass);
        let fixed = match &hourglass {
            Some(profile) => {
                let frame = WoodenFrame::around(profile);
                subject.extend(frame.outline());
                frame.solids(options.azimuth)
            }
            None => edge_bars(mesh.creases()),
        };
        let camera = Camera::around(&subject, options.azimuth, options.elevation, options.aspect());
        let bottom = subject.iter().map(|p| p.z).fold(f32::INFINITY, f32::min);
        Stage {
            placement,
            fixed,
            glass: Glass::new(mesh.facets()),
            floor: Floor { middle: Vec3::Z * (bottom - AIR), normal: Vec3::Z, fade: (1.5, 9.0) },
            studio: Studio::new(Vec3::Z, camera.toward()),
            wardrobe: Wardrobe::default(),
            camera,
        }
    }

    /// A flat scene is drawn as balls on a table, seen from above.
    fn flat(
        placement: Placement,
        walls: Vec<[Vec3; 2]>,
        largest_radius: f32,
        subject: Vec<Vec3>,
        options: &Options,
    ) -> Stage {
        let table = -largest_radius.max(EDGE_RADIUS) - AIR;
        Stage {
            placement,
            fixed: edge_bars(walls),
            glass: Glass::default(),
            floor: Floor { middle: Vec3::Z * table, normal: Vec3::Z, fade: (50.0, 60.0) },
            studio: Studio::flat(Vec3::Z, Vec3::Y),
            wardrobe: Wardrobe::default(),
            camera: Camera::flat(&subject, options.aspect()),
        }
    }

    /// The same stage for bodies of which some are no balls.
    pub fn dressed(mut self, model: &Model) -> Stage {
        self.wardrobe = Wardrobe::new(model, self.placement.scale);
        self
    }

    /// The scene of blocks and rods.
    pub(crate) fn scene_of_blocks(&self, blocks: &[Block], rods: &[Rod]) -> Scene<'_> {
        let place = |p: &DVec3| self.placement.point(*p);
        let mut facets = Vec::new();
        for block in blocks {
            let of = Material::Plastic(block.colour);
            let fans = block.faces.iter().flat_map(|face| {
                face.windows(2).skip(1).map(|edge| [face[0], edge[0], edge[1]].map(|p| place(&p)))
            });
            facets.extend(
                Mesh::from_triangles(fans).facets().into_iter().map(|shape| Made { shape, of }),
            );
        }
        let (mut bars, mut beads) = (Vec::new(), Vec::new());
        for rod in rods {
            let [start, end] = rod.ends.map(|p| place(&p));
            let of = Material::Plastic(rod.colour);
            if rod.radius > 0.0 {
                let radius = self.placement.length(rod.radius);
                bars.push(Made { shape: Capsule { start, end, radius }, of });
            }
            if rod.bead > 0.0 {
                let radius = self.placement.length(rod.bead);
                beads.push(Made { shape: Sphere { centre: end, radius }, of });
            }
        }
        Scene {
            fixed: &self.fixed,
            bodies: Solids::new(beads, facets, bars),
            glass: &self.glass,
            floor: self.floor,
            studio: self.studio,
        }
    }

    /// The scene of one frame.
    pub(crate) fn scene(&self, balls: &[Ball]) -> Scene<'_> {
        let sphere = |ball: &Ball| Made {
            shape: Sphere {
                centre: self.placement.point(ball.centre),
                radius: self.placement.length(ball.radius),
            },
            of: Material::Plastic(ball.colour),
        };
        // Bodies in places that are no numbers can not be drawn.
        let is_visible = |ball: &Ball| ball.centre.is_finite() && ball.radius.is_finite();
        let visible = || balls.iter().enumerate().filter(|(_, ball)| is_visible(ball));
        let wardrobe = &self.wardrobe;
        let place =
            |ball: &Ball| (self.placement.point(ball.centre), Material::Plastic(ball.colour));
        let spheres =
            visible().filter(|(body, _)| wardrobe.is_ball(*body)).map(|(_, ball)| sphere(ball));
        let facets = visible().flat_map(|(body, ball)| {
            let (at, of) = place(ball);
            wardrobe.facets(body, at, of)
        });
        let edges = visible().flat_map(|(body, ball)| {
            let (at, of) = place(ball);
            wardrobe.edges(body, at, of)
        });
        Scene {
            fixed: &self.fixed,
            bodies: Solids::new(spheres.collect(), facets.collect(), edges.collect()),
            glass: &self.glass,
            floor: self.floor,
            studio: self.studio,
        }
    }
}

/// The points that the picture must show: the container's corners or, if it
/// has none, the bodies. There is always at least one.
fn extent(container: &Container, balls: &[Ball]) -> Vec<DVec3> {
    let mut points: Vec<DVec3> = match container {
        Container::Surface(triangles) => triangles.as_flattened().to_vec(),
        Container::Outline(segments) => segments.as_flattened().to_vec(),
    };
    if points.is_empty() {
        let sides = [DVec3::X, DVec3::Y, DVec3::Z];
        let six = |b: &Ball| sides.map(|s| [b.centre + s * b.radius, b.centre - s * b.radius]);
        points = balls.iter().flat_map(six).flatten().collect();
    }
    points.retain(|p| p.is_finite());
    if points.is_empty() {
        points.push(DVec3::ZERO);
    }
    points
}

impl Placement {
    fn of(extent: &[DVec3]) -> Placement {
        let min = extent.iter().fold(DVec3::INFINITY, |min, p| min.min(*p));
        let max = extent.iter().fold(DVec3::NEG_INFINITY, |max, p| max.max(*p));
        let size = 0.5 * (max - min).length();
        Placement { centre: 0.5 * (min + max), scale: if size > 0.0 { 1.0 / size } else { 1.0 } }
    }

    fn point(&self, p: DVec3) -> Vec3 {
        ((p - self.centre) * self.scale).as_vec3()
    }

    fn length(&self, length: f64) -> f32 {
        (length * self.scale) as f32
    }
}

fn edge_bars(edges: Vec<[Vec3; 2]>) -> Solids {
    if edges.len() > MOST_EDGES {
        return Solids::default();
    }
    let bar = |[start, end]: [Vec3; 2]| Made {
        shape: Capsule { start, end, radius: EDGE_RADIUS },
        of: EDGE,
    };
    Solids::new(Vec::new(), Vec::new(), edges.into_iter().map(bar).collect())
}

/// Two round plates and three posts that hold an hourglass.
struct WoodenFrame {
    /// Middle of the glass's lower end, and the height of its upper end above it.
    foot: Vec3,
    height: f32,
    plate_radius: f32,
    plate_height: f32,
    post_radius: f32,
}

impl WoodenFrame {
    fn around(profile: &Profile) -> WoodenFrame {
        let (bottom, top) = (profile.rings[0].0, profile.rings[profile.rings.len() - 1].0);
        let widest = profile.rings.iter().map(|ring| ring.1).fold(0.0, f32::max);
        WoodenFrame {
            foot: profile.axis.extend(bottom),
            height: top - bottom,
            plate_radius: 1.36 * widest,
            plate_height: 0.05 * (top - bottom),
            post_radius: 0.06 * widest,
        }
    }

    /// Points that the camera must see.
    fn outline(&self) -> Vec<Vec3> {
        let (low, high) = (-self.plate_height - AIR, self.height + self.plate_height + AIR);
        Mesh::lathe(&[(self.plate_radius, low), (self.plate_radius, high)], 32)
            .moved(self.foot)
            .vertices
    }

    fn solids(&self, azimuth: f32) -> Solids {
        let plate = self.plate();
        let base = plate.clone().moved(self.foot - Vec3::Z * (self.plate_height + AIR));
        let cover = plate.moved(self.foot + Vec3::Z * (self.height + AIR));
        let made = |shape: Facet| Made { shape, of: Material::Wood { grain: Vec3::X } };
        let facets = [base, cover].iter().flat_map(Mesh::facets).map(made).collect();
        Solids::new(Vec::new(), facets, self.posts(azimuth))
    }

    /// A disc with rounded rims, standing on z = 0.
    fn plate(&self) -> Mesh {
        let round = 0.25 * self.plate_height;
        let quarter = |middle: f32, from: f32| {
            (0..=4).map(move |i| {
                let angle = (from + 22.5 * i as f32).to_radians();
                (self.plate_radius - round + round * angle.cos(), middle + round * angle.sin())
            })
        };
        let mut profile = vec![(0.0, 0.0)];
        profile.extend(quarter(round, -90.0));
        profile.extend(quarter(self.plate_height - round, 0.0));
        profile.push((0.0, self.plate_height));
        Mesh::lathe(&profile, 96)
    }

    /// Two posts beside the glass and one behind it, as seen from the camera.
    fn posts(&self, azimuth: f32) -> Vec<Made<Capsule>> {
        let reach = self.plate_radius - 1.9 * self.post_radius;
        let post = |turn: f32| {
            let angle = (azimuth + 90.0 + turn).to_radians();
            let start = self.foot + Vec3::new(reach * angle.cos(), reach * angle.sin(), 0.0);
            let shape =
                Capsule { start, end: start + Vec3::Z * self.height, radius: self.post_radius };
            Made { shape, of: Material::Wood { grain: Vec3::Z } }
        };
        [4.0, 124.0, 244.0].map(post).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render_frame;

    fn ball(x: f64) -> Ball {
        Ball { centre: DVec3::new(x, 0.0, 0.0), radius: 1.0, colour: Vec3::ONE }
    }

    fn tiny() -> Options {
        Options { width: 24, height: 16, samples: 1, ..Options::default() }
    }

    #[test]
    fn pictures_do_not_depend_on_the_unit_of_length_or_the_origin() {
        let draw = |scale: f64, shift: f64| {
            let balls = [0.0, 2.5, 6.0].map(|x| Ball {
                centre: DVec3::splat(shift) + DVec3::X * (x * scale),
                radius: scale,
                colour: Vec3::ONE,
            });
            let stage = Stage::new(&Container::Surface(Vec::new()), &balls, &tiny());
            render_frame(&stage, &balls, &tiny()).unwrap()
        };
        let usual = draw(1.0, 0.0);
        // Powers of two, so that not even a rounding differs.
        assert_eq!(usual, draw(1.0 / 1024.0, 0.0));
        assert_eq!(usual, draw(1024.0, 4096.0));
    }

    #[test]
    fn bodies_without_a_container_fill_the_picture() {
        let balls = [ball(0.0), ball(4.0)];
        for container in [Container::Surface(Vec::new()), Container::Outline(Vec::new())] {
            let stage = Stage::new(&container, &balls, &tiny());
            let scene = stage.scene(&balls);
            let seen =
                |x: f32| scene.nearest(&stage.camera.ray(x, 0.5)).is_some_and(|(_, floor)| !floor);
            assert!(seen(0.3) && seen(0.7) && !seen(0.01) && !seen(0.99));
        }
    }

    #[test]
    fn nothing_at_all_is_drawn_as_an_empty_studio() {
        let stage = Stage::new(&Container::Surface(Vec::new()), &[], &tiny());
        assert!(render_frame(&stage, &[], &tiny()).is_ok());
    }
}
