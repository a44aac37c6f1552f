//! What a rigid body of the method dynamics is made of: convex pieces, each a
//! core (point, segment, box, cylinder, hull) with a rounding radius, placed in
//! the frame of the body. A ball is a rounded point, a capsule a rounded segment.

use std::f64::consts::{PI, TAU};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::{Aabb, Convex, Moments};
use crate::math::{DMat3, DQuat, DVec3};
use crate::problem::{Problem, Result};

/// Sides of the prism that stands for a cylinder against other solids; it is turned so that
/// a corner faces the contact, so a rolling cylinder does not feel its facets.
const CYLINDER_SIDES: usize = 16;

/// Faces of a hull whose normals differ by less than this are one face.
const SAME_PLANE: f64 = 1e-9;

/// One convex piece in the frame of its body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    pub core: Core,
    /// All points within this distance of the core belong to the piece.
    pub radius: f64,
    pub at: DVec3,
    pub turn: DQuat,
}

/// What is rounded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Core {
    Point,
    /// Along z, from `-half` to `half`.
    Segment {
        half: f64,
    },
    Box {
        half: DVec3,
    },
    /// About z, from `-half` to `half`.
    Cylinder {
        radius: f64,
        half: f64,
    },
    Hull(Hull),
}

/// A convex polyhedron.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hull {
    pub corners: Vec<DVec3>,
    /// Corners counter-clockwise from outside.
    pub faces: Vec<Vec<u32>>,
    /// Of the faces, outwards.
    pub normals: Vec<DVec3>,
    /// Every edge once.
    pub edges: Vec<[u32; 2]>,
}

impl Hull {
    /// The hull of points.
    pub fn new(points: &[DVec3]) -> Result<Hull> {
        let convex = Convex::hull(points)?;
        let corners = convex.corners().to_vec();
        let mut normals: Vec<DVec3> = Vec::new();
        let mut members: Vec<Vec<u32>> = Vec::new();
        for facet in convex.facets() {
            let same = |n: &DVec3| (*n - facet.normal).length() < SAME_PLANE;
            let at = normals.iter().position(same).unwrap_or_else(|| {
                normals.push(facet.normal);
                members.push(Vec::new());
                normals.len() - 1
            });
            members[at].extend(&facet.corners);
        }
        for (face, normal) in members.iter_mut().zip(&normals) {
            face.sort_unstable();
            face.dedup();
            around(face, &corners, *normal);
        }
        Ok(Hull { edges: edges(&members), corners, faces: members, normals })
    }

    /// A prism about z over a regular polygon, a corner at +x.
    fn prism(sides: usize) -> Hull {
        let n = sides as u32;
        let ring = |k: usize, z: f64| {
            let angle = TAU * k as f64 / sides as f64;
            DVec3::new(angle.cos(), angle.sin(), z)
        };
        let corners = [-1.0, 1.0].iter().flat_map(|&z| (0..sides).map(move |k| ring(k, z)));
        let mut faces: Vec<Vec<u32>> = vec![(0..n).rev().collect(), (n..2 * n).collect()];
        faces.extend((0..n).map(|k| vec![k, (k + 1) % n, n + (k + 1) % n, n + k]));
        let mut normals = vec![DVec3::NEG_Z, DVec3::Z];
        normals.extend((0..sides).map(|k| {
            let angle = TAU * (k as f64 + 0.5) / sides as f64;
            DVec3::new(angle.cos(), angle.sin(), 0.0)
        }));
        Hull { edges: edges(&faces), corners: corners.collect(), faces, normals }
    }
}

/// The unit cube from -1 to 1.
static CUBE: LazyLock<Hull> = LazyLock::new(|| {
    let sign = |k: usize, bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let faces: Vec<Vec<u32>> =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]
            .iter()
            .map(|face| face.to_vec())
            .collect();
    Hull {
        corners: (0..8).map(|k| DVec3::new(sign(k, 0), sign(k, 1), sign(k, 2))).collect(),
        normals: [DVec3::X, DVec3::Y, DVec3::Z].iter().flat_map(|&n| [-n, n]).collect(),
        edges: edges(&faces),
        faces,
    }
});

/// The prism of radius 1 from -1 to 1 that stands for cylinders.
static PRISM: LazyLock<Hull> = LazyLock::new(|| Hull::prism(CYLINDER_SIDES));

/// Sorts the corners of a face counter-clockwise about its normal.
fn around(face: &mut [u32], corners: &[DVec3], normal: DVec3) {
    let middle = face.iter().map(|&k| corners[k as usize]).sum::<DVec3>() / face.len() as f64;
    let first = corners[face[0] as usize] - middle;
    let second = normal.cross(first);
    let angle = |k: u32| {
        let to = corners[k as usize] - middle;
        to.dot(second).atan2(to.dot(first))
    };
    face.sort_by(|&a, &b| angle(a).total_cmp(&angle(b)));
}

fn edges(faces: &[Vec<u32>]) -> Vec<[u32; 2]> {
    let sides = |face: &Vec<u32>| {
        let next = face.iter().cycle().skip(1);
        face.iter().zip(next).map(|(&a, &b)| [a.min(b), a.max(b)]).collect::<Vec<_>>()
    };
    let mut all: Vec<[u32; 2]> = faces.iter().flat_map(sides).collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl Core {
    /// Corners and faces, where the core has any, in units of [`Core::stretch`].
    pub fn hull(&self) -> Option<&Hull> {
        match self {
            Core::Point | Core::Segment { .. } => None,
            Core::Box { .. } => Some(&CUBE),
            Core::Cylinder { .. } => Some(&PRISM),
            Core::Hull(hull) => Some(hull),
        }
    }

    /// What the corners of [`Core::hull`] are multiplied by.
    pub fn stretch(&self) -> DVec3 {
        match self {
            Core::Box { half } => *half,
            Core::Cylinder { radius, half } => DVec3::new(*radius, *radius, *half),
            Core::Segment { half } => DVec3::new(0.0, 0.0, *half),
            Core::Point => DVec3::ZERO,
            Core::Hull(_) => DVec3::ONE,
        }
    }
}

impl Piece {
    pub fn new(core: Core, radius: f64) -> Piece {
        Piece { core, radius, at: DVec3::ZERO, turn: DQuat::IDENTITY }
    }

    /// The piece in another frame: turned, then moved.
    pub fn moved(mut self, by: DVec3, turn: DQuat) -> Piece {
        self.at = turn * self.at + by;
        self.turn = (turn * self.turn).normalize();
        self
    }

    /// Volume, centre and inertia at density one, in the frame of the body.
    pub fn moments(&self) -> Moments {
        let own = match &self.core {
            Core::Point => ball(self.radius),
            Core::Segment { half } => capsule(self.radius, *half),
            Core::Box { half } => {
                let square = *half * *half * 4.0;
                let volume = 8.0 * half.x * half.y * half.z;
                let about =
                    DVec3::new(square.y + square.z, square.x + square.z, square.x + square.y);
                moments(volume, about * (volume / 12.0))
            }
            Core::Cylinder { radius, half } => {
                let volume = TAU * radius * radius * half;
                let across = volume * (radius * radius / 4.0 + half * half / 3.0);
                moments(volume, DVec3::new(across, across, volume * radius * radius / 2.0))
            }
            Core::Hull(hull) => {
                let mass = Convex::hull(&hull.corners).map(|convex| convex.mass());
                let mass = mass.unwrap_or(super::Mass::NOTHING);
                Moments { measure: mass.volume, centre: mass.centre, inertia: mass.inertia }
            }
        };
        let turn = DMat3::from_quat(self.turn);
        Moments {
            measure: own.measure,
            centre: self.turn * own.centre + self.at,
            inertia: turn * own.inertia * turn.transpose(),
        }
    }

    /// The farthest point's distance from the origin of the body, or a little more.
    pub fn reach(&self) -> f64 {
        let half = self.core.stretch();
        let far = match &self.core {
            Core::Cylinder { radius, half } => self.at.length() + radius.hypot(*half),
            Core::Hull(hull) => {
                let distance = |c: &DVec3| (self.turn * *c + self.at).length();
                hull.corners.iter().map(distance).fold(0.0, f64::max)
            }
            _ => self.at.length() + half.length(),
        };
        far + self.radius
    }

    /// The box around the piece when its body is here.
    pub fn bounds(&self, position: DVec3, rotation: &DMat3) -> Aabb {
        let centre = position + *rotation * self.at;
        let turn = *rotation * DMat3::from_quat(self.turn);
        if let Core::Hull(hull) = &self.core {
            let bounds = Aabb::from_points(hull.corners.iter().map(|c| centre + turn * *c));
            return bounds.grow(self.radius);
        }
        let half = self.core.stretch();
        let reach =
            turn.x_axis.abs() * half.x + turn.y_axis.abs() * half.y + turn.z_axis.abs() * half.z;
        Aabb { min: centre - reach, max: centre + reach }.grow(self.radius)
    }
}

fn moments(measure: f64, about: DVec3) -> Moments {
    Moments { measure, centre: DVec3::ZERO, inertia: DMat3::from_diagonal(about) }
}

fn ball(radius: f64) -> Moments {
    let volume = 4.0 / 3.0 * PI * radius.powi(3);
    moments(volume, DVec3::splat(0.4 * volume * radius * radius))
}

/// A cylinder with a half ball at each end.
fn capsule(radius: f64, half: f64) -> Moments {
    let (r2, tube, ends) = (radius * radius, TAU * radius * radius * half, ball(radius).measure);
    let along = tube * r2 / 2.0 + ends * 0.4 * r2;
    let shift = half * half + 0.75 * half * radius;
    let across = tube * (r2 / 4.0 + half * half / 3.0) + ends * (0.4 * r2 + shift);
    moments(tube + ends, DVec3::new(across, across, along))
}

/// A torus has from so many to so many sections.
const MOST_COARSE: usize = 6;
const MOST_FINE: usize = 64;

/// As [`torus`], of capsules end to end: the tube is round, and contacts are cheap, but the
/// capsules overlap in their half balls, where they weigh twice.
pub fn round_torus(ring: f64, tube: f64, pieces: usize) -> Result<Vec<Piece>> {
    let count = torus(ring, tube, pieces)?.len();
    let step = TAU / count as f64;
    let half = ring * (0.5 * step).sin();
    let piece = |k: usize| {
        let round = DQuat::from_rotation_z((k as f64 + 0.5) * step);
        Piece {
            at: round * DVec3::X * (ring * (0.5 * step).cos()),
            turn: round * DQuat::from_rotation_x(0.5 * PI),
            ..Piece::new(Core::Segment { half }, tube)
        }
    };
    Ok((0..count).map(piece).collect())
}

/// The pieces of a ring about z: `ring` is the radius of the circle that the tube's middle runs
/// along, `tube` the tube's own; `pieces` convex sections, each a hull over octagons.
pub fn torus(ring: f64, tube: f64, pieces: usize) -> Result<Vec<Piece>> {
    if !(tube > 0.0 && tube < ring && ring.is_finite()) {
        let message = format!("a torus of radius {ring:?} has a tube of radius {tube:?}");
        return Err(Problem::new(message).help("0 < tube < radius"));
    }
    let count = pieces.clamp(MOST_COARSE, MOST_FINE);
    let section = |k: usize| {
        let turn = DQuat::from_rotation_z(TAU * k as f64 / count as f64);
        (0..8).map(move |j| {
            let angle = TAU * j as f64 / 8.0;
            turn * DVec3::new(ring + tube * angle.cos(), 0.0, tube * angle.sin())
        })
    };
    let piece = |k: usize| {
        let points: Vec<DVec3> = section(k).chain(section((k + 1) % count)).collect();
        Ok(Piece::new(Core::Hull(Hull::new(&points)?), 0.0))
    };
    (0..count).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_and_its_hull_weigh_the_same() {
        let half = DVec3::new(0.5, 1.0, 1.5);
        let piece = Piece::new(Core::Box { half }, 0.0);
        let corners: Vec<DVec3> = CUBE.corners.iter().map(|c| *c * half).collect();
        let hull = Hull::new(&corners).unwrap();
        assert_eq!((hull.faces.len(), hull.edges.len()), (6, 12));
        assert!(hull.faces.iter().all(|face| face.len() == 4));
        let (one, two) = (piece.moments(), Piece::new(Core::Hull(hull), 0.0).moments());
        assert!((one.measure - 6.0).abs() < 1e-14 && (two.measure - 6.0).abs() < 1e-13);
        assert!(one.inertia.abs_diff_eq(two.inertia, 1e-12));
    }

    #[test]
    fn a_long_capsule_is_nearly_a_rod_and_a_short_one_a_ball() {
        let rod = Piece::new(Core::Segment { half: 50.0 }, 0.01).moments();
        let expected = rod.measure * 100.0 * 100.0 / 12.0;
        assert!((rod.inertia.x_axis.x / expected - 1.0).abs() < 1e-3);
        let short = Piece::new(Core::Segment { half: 1e-12 }, 2.0).moments();
        assert!(short.inertia.abs_diff_eq(ball(2.0).inertia, 1e-8));
    }

    /// Pappus' theorem, less what an octagon and a polygon of chords leave out.
    #[test]
    fn a_torus_is_nearly_as_large_as_pappus_says() {
        let pieces = torus(1.0, 0.3, 24).unwrap();
        let volume: f64 = pieces.iter().map(|p| p.moments().measure).sum();
        let octagon = 4.0 * (TAU / 8.0).sin();
        assert!((volume / (TAU * octagon * 0.09) - 1.0).abs() < 0.02, "{volume}");
        assert!(torus(1.0, 1.0, 24).unwrap_err().message.contains("tube of radius 1.0"));
    }

    #[test]
    fn the_capsules_of_a_round_torus_meet_on_the_circle() {
        let pieces = round_torus(1.0, 0.3, 12).unwrap();
        let end = |k: usize, side: f64| {
            let piece = &pieces[k % 12];
            piece.at + piece.turn * DVec3::Z * (side * piece.core.stretch().z)
        };
        for k in 0..12 {
            let ends = [end(k, 1.0), end(k, -1.0)];
            assert!(ends.iter().all(|at| (at.length() - 1.0).abs() < 1e-12 && at.z.abs() < 1e-12));
            let next = [end(k + 1, 1.0), end(k + 1, -1.0)];
            let meets = ends.iter().any(|a| next.iter().any(|b| (*a - *b).length() < 1e-12));
            assert!(meets, "{k}");
        }
    }

    #[test]
    fn normals_of_cube_and_prism_point_outwards() {
        for hull in [&*CUBE, &*PRISM] {
            for (face, normal) in hull.faces.iter().zip(&hull.normals) {
                let corner = |k: usize| hull.corners[face[k] as usize];
                let own = (corner(1) - corner(0)).cross(corner(2) - corner(1)).normalize();
                assert!((own - *normal).length() < 1e-12);
                let height = normal.dot(corner(0));
                assert!(hull.corners.iter().all(|c| normal.dot(*c) < height + 1e-12));
            }
        }
    }
}
