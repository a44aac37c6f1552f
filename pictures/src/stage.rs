//! Sets the scene once for all frames: the container as glass, a wooden frame
//! for an hourglass, edges for a box, the floor, the camera and the lights.
//!
//! Runs come in metres, millimetres or nothing; a picture has units of its own,
//! in which the subject fits into a ball of radius 1 around the origin.

use glam::{DVec3, Vec3};

use crate::camera::Camera;
use crate::light::Studio;
use crate::material::Material;
use crate::mesh::{Facet, Mesh};
use crate::profile::Profile;
use crate::scene::{Floor, Glass, Made, Scene, Solids};
use crate::shapes::{Capsule, Sphere};
use crate::{Ball, Container, Options};

/// Everything in the picture that does not move.
pub struct Stage {
    placement: Placement,
    fixed: Solids,
    glass: Glass,
    floor: Floor,
    studio: Studio,
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
    /// measured here, to find the picture's limits.
    pub fn new(container: &Container, balls: &[Ball], options: &Options) -> Stage {
        let placement = Placement::of(container, balls);
        let aspect = options.width as f32 / options.height.max(1) as f32;
        match container {
            Container::Surface(triangles) => {
                let mesh =
                    Mesh::from_triangles(triangles.iter().map(|t| t.map(|p| placement.point(p))));
                Stage::around_glass(placement, &mesh, options, aspect)
            }
            Container::Outline(segments) => Stage::flat(placement, segments, balls, aspect),
        }
    }

    fn around_glass(placement: Placement, mesh: &Mesh, options: &Options, aspect: f32) -> Stage {
        let mut subject = mesh.vertices.clone();
        let hourglass = Profile::of(mesh).filter(Profile::is_hourglass);
        let fixed = match &hourglass {
            Some(profile) => {
                let frame = WoodenFrame::around(profile);
                subject.extend(frame.outline());
                frame.solids(options.azimuth)
            }
            None => edge_bars(mesh.creases()),
        };
        let camera = Camera::around(&subject, options.azimuth, options.elevation, aspect);
        let bottom = subject.iter().map(|p| p.z).fold(f32::INFINITY, f32::min);
        Stage {
            placement,
            fixed,
            glass: Glass::new(mesh.facets()),
            floor: Floor {
                middle: Vec3::new(0.0, 0.0, bottom - AIR),
                normal: Vec3::Z,
                fade: (1.5, 9.0),
            },
            studio: Studio::new(Vec3::Z, camera.toward()),
            camera,
        }
    }

    /// A flat scene is drawn as balls on a table, seen from above.
    fn flat(placement: Placement, segments: &[[DVec3; 2]], balls: &[Ball], aspect: f32) -> Stage {
        let walls: Vec<[Vec3; 2]> =
            segments.iter().map(|s| s.map(|p| placement.point(p))).collect();
        let mut subject: Vec<Vec3> = walls.iter().flatten().copied().collect();
        if subject.is_empty() {
            subject = balls.iter().map(|ball| placement.point(ball.centre)).collect();
        }
        let camera = Camera::flat(&subject, aspect);
        let radius =
            balls.iter().map(|ball| placement.length(ball.radius)).fold(EDGE_RADIUS, f32::max);
        Stage {
            placement,
            fixed: edge_bars(walls),
            glass: Glass::default(),
            floor: Floor { middle: Vec3::Z * (-radius - AIR), normal: Vec3::Z, fade: (50.0, 60.0) },
            studio: Studio::flat(Vec3::Z, Vec3::Y),
            camera,
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
        let visible =
            balls.iter().filter(|ball| ball.centre.is_finite() && ball.radius.is_finite());
        Scene {
            fixed: &self.fixed,
            bodies: Solids::new(visible.map(sphere).collect(), Vec::new(), Vec::new()),
            glass: &self.glass,
            floor: self.floor,
            studio: self.studio,
        }
    }
}

impl Placement {
    fn of(container: &Container, balls: &[Ball]) -> Placement {
        let mut points: Vec<DVec3> = match container {
            Container::Surface(triangles) => triangles.iter().flatten().copied().collect(),
            Container::Outline(segments) => segments.iter().flatten().copied().collect(),
        };
        if points.is_empty() {
            points =
                balls.iter().flat_map(|b| [b.centre - b.radius, b.centre + b.radius]).collect();
        }
        points.retain(|p| p.is_finite());
        let first = points.first().copied().unwrap_or(DVec3::ZERO);
        let (min, max) =
            points.iter().fold((first, first), |(min, max), &p| (min.min(p), max.max(p)));
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
