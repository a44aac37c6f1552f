//! Sets the scene once for all frames: the container as glass, a wooden frame
//! for an hourglass, edges for a box, the floor, the camera and the lights.
//!
//! Runs come in metres, millimetres or nothing; a picture has units of its own,
//! in which the subject fits into a ball of radius 1 around the origin.

use glam::{DMat3, DVec3, Mat3, Vec3};
use riprap::shape::{Aabb, Boundary};
use riprap::world::State;

use crate::Options;
use crate::camera::{Aim, Camera};
use crate::capsule::Capsule;
use crate::light::Studio;
use crate::material::Material;
use crate::mesh::Mesh;
use crate::profile::Profile;
use crate::scene::{FLOOR_COLOUR, Floor, Glass, Loose, Made, Scene, Things};
use crate::subject::{Ground, Subject};
use crate::view::View;
use crate::wooden_frame::WoodenFrame;

/// Everything in the picture that does not move.
pub struct Stage {
    pub placement: Placement,
    pub camera: Camera,
    fixed: Things,
    glass: Glass,
    floor: Floor,
    studio: Studio,
}

/// From the run's coordinates to the picture's.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    centre: DVec3,
    turn: DMat3,
    pub scale: f64,
}

/// The colour of the thin bars along the edges of glass boxes.
const EDGE: Material = Material::Plastic(Vec3::new(0.13, 0.15, 0.17));
const EDGE_RADIUS: f32 = 0.004;
/// A container with more sharp edges than this is drawn without bars: they would hide the contents.
const MOST_EDGES: usize = 400;
/// Floor and plates keep this distance from the glass, so that the two are never in the same place.
pub const AIR: f32 = 2e-3;
/// The glass around slabs is this much wider than they are.
const WIDER: f64 = 1.05;

impl Stage {
    /// The stage on which all that moves fits in all of these states, and so do some points.
    pub fn new(
        subject: &Subject,
        ground: &Ground,
        (shown, more): (&[&State], &[DVec3]),
        options: &Options,
    ) -> Stage {
        let mut seen = subject.seen(shown, ground);
        seen.extend_from_slice(more);
        let placement = Placement::of(&seen, subject.view);
        let mut points: Vec<Vec3> = seen.iter().map(|p| placement.point(*p)).collect();
        let walls = Walls::of(subject, &placement);
        let hourglass = Profile::of(&walls.panes).filter(Profile::is_hourglass);
        let frame = hourglass.as_ref().map(WoodenFrame::around);
        points.extend(frame.iter().flat_map(WoodenFrame::outline));
        let aim = Aim::of(options, &placement);
        let camera = match subject.view {
            View::Table => Camera::flat(&points, &aim),
            View::Space | View::Upright => Camera::around(&points, &aim),
        };
        let fixed = match frame {
            Some(frame) => frame.things(camera.azimuth()),
            None => edge_bars(walls.edges),
        };
        let studio = match subject.view {
            View::Table => Studio::flat(Vec3::Z, camera.up()),
            View::Space | View::Upright => Studio::new(Vec3::Z, camera.toward()),
        };
        let studio = studio.before(options.background);
        let lowest = points.iter().map(|p| p.z).fold(f32::INFINITY, f32::min);
        let (height, fade) = match (subject.view, ground.height) {
            (View::Table, _) => {
                let table = placement.length(subject.slab[0]).min(-EDGE_RADIUS) - AIR;
                (table, (50.0, 60.0))
            }
            (_, Some(height)) => (placement.height(height, subject.view), (1.5, 9.0)),
            (_, None) => {
                let bodies = placement.height(subject.lowest(&seen, shown), subject.view);
                (lowest.min(bodies) - AIR, (1.5, 9.0))
            }
        };
        let colour = match options.background {
            Some(_) => studio.seamless(Vec3::Z),
            None => FLOOR_COLOUR,
        };
        let floor = Floor { middle: Vec3::Z * height, normal: Vec3::Z, fade, colour };
        Stage { placement, camera, fixed, glass: Glass::new(walls.panes.facets()), floor, studio }
    }

    /// The scene of one frame.
    pub fn scene(&self, bodies: Loose) -> Scene<'_> {
        Scene {
            fixed: &self.fixed,
            bodies: Things::new(bodies),
            glass: &self.glass,
            floor: self.floor,
            studio: self.studio,
        }
    }
}

impl Placement {
    fn of(seen: &[DVec3], view: View) -> Placement {
        let around = Aabb::from_points(seen.iter().copied());
        let size = 0.5 * around.size().length();
        let scale = if size > 0.0 { 1.0 / size } else { 1.0 };
        Placement { centre: around.centre(), turn: view.turn(), scale }
    }

    pub fn point(&self, p: DVec3) -> Vec3 {
        (self.turn * ((p - self.centre) * self.scale)).as_vec3()
    }

    pub fn direction(&self, d: DVec3) -> Vec3 {
        (self.turn * d).as_vec3()
    }

    pub fn rotation(&self, rotation: DMat3) -> Mat3 {
        (self.turn * rotation).as_mat3()
    }

    pub fn length(&self, length: f64) -> f32 {
        (length * self.scale) as f32
    }

    /// Above the middle of the picture, of a height in the run's coordinates.
    fn height(&self, height: f64, view: View) -> f32 {
        self.length(height - self.centre[view.up()])
    }
}

/// What holds the bodies.
#[derive(Default)]
struct Walls {
    panes: Mesh,
    edges: Vec<[Vec3; 2]>,
}

impl Walls {
    fn of(subject: &Subject, placement: &Placement) -> Walls {
        let boundary: &Boundary = &subject.model.boundary;
        let mut triangles: Vec<[DVec3; 3]> = Vec::new();
        let mut edges: Vec<[Vec3; 2]> = Vec::new();
        let [low, high] = subject.slab.map(|side| WIDER * side);
        let at = |p: DVec3, z: f64| DVec3::new(p.x, p.y, z);
        for face in boundary.faces() {
            match (&face.corners[..], subject.view) {
                (&[a, b, c], _) => triangles.push([a, b, c]),
                (&[a, b], View::Upright) => {
                    triangles.push([at(a, low), at(b, low), at(b, high)]);
                    triangles.push([at(a, low), at(b, high), at(a, high)]);
                }
                (&[a, b], _) => edges.push([a, b].map(|p| placement.point(p))),
                _ => {}
            }
        }
        let corners = triangles.iter().map(|t| t.map(|p| placement.point(p)));
        let panes = Mesh::from_triangles(corners);
        edges.extend(panes.creases());
        Walls { panes, edges }
    }
}

fn edge_bars(edges: Vec<[Vec3; 2]>) -> Things {
    if edges.len() > MOST_EDGES {
        return Things::default();
    }
    let bar = |[start, end]: [Vec3; 2]| Made {
        shape: Capsule { start, end, radius: EDGE_RADIUS },
        of: EDGE,
    };
    let capsules = edges.into_iter().map(bar).collect();
    Things::new(Loose { capsules, ..Loose::default() })
}
