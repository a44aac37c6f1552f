//! Pieces: each a core (point, segment, arc, cylinder, polytope) with a
//! rounding radius, placed in the frame of its body. A ball is a rounded point,
//! a capsule a rounded segment. All are convex but the arc, of which tori are made:
//! dynamics takes it as it is, the other methods refuse it.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use super::{Aabb, MassProperties, Polytope, arc};
use crate::math::{DMat3, DQuat, DVec3};

/// Sides of the prism around a cylinder that stands for it as a polytope: its edges stand out
/// of the cylinder by 0.0012 of the radius.
pub const CYLINDER_SIDES: usize = 64;

/// One piece in the frame of its body.
///
/// ```
/// use riprap::shape::{Core, Piece};
/// let capsule = Piece::new(Core::Segment { half: 1.0 }, 0.25);
/// assert_eq!(capsule.reach(), 1.25);
/// assert_eq!(capsule.polytope().corners().len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// What is rounded, about its own origin.
    pub core: Core,
    /// All points within this distance of the core belong to the piece.
    pub radius: f64,
    /// Where the origin of the core is.
    pub at: DVec3,
    /// How the core is turned, before it is moved to its place.
    pub turn: DQuat,
}

/// What is rounded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Core {
    /// The origin: a ball, in 2D a disc.
    Point,
    /// Along z, from `-half` to `half`.
    Segment {
        /// Half its length.
        half: f64,
    },
    /// About z, from `-half` to `half`.
    Cylinder {
        /// Of its round side.
        radius: f64,
        /// Half its length.
        half: f64,
    },
    /// Of a circle about z, from the angle `-half` to `half` about x, which is below a quarter turn.
    Arc {
        /// Of the circle.
        radius: f64,
        /// Half its angle.
        half: f64,
    },
    /// A convex polygon or polyhedron. A box is one that has a [`Polytope::half_size`].
    Polytope(Polytope),
}

impl Piece {
    /// A piece at the origin.
    pub fn new(core: Core, radius: f64) -> Self {
        Piece { core, radius, at: DVec3::ZERO, turn: DQuat::IDENTITY }
    }

    /// The piece in another frame: turned, then moved.
    pub fn moved(mut self, by: DVec3, turn: DQuat) -> Self {
        if turn == DQuat::IDENTITY {
            return self.shifted(by);
        }
        self.at = turn * self.at + by;
        self.turn = (turn * self.turn).normalize();
        self
    }

    /// The piece elsewhere. Corners that are already in the frame of the body stay so, which
    /// rounds them once; a box about its own origin stays one.
    fn shifted(mut self, by: DVec3) -> Self {
        let in_frame = self.at == DVec3::ZERO && self.turn == DQuat::IDENTITY;
        match self.core {
            Core::Polytope(core) if in_frame && core.half_size().is_none() => {
                self.core = Core::Polytope(core.moved(by));
            }
            _ => self.at += by,
        }
        self
    }

    /// The piece, all lengths multiplied by a positive factor.
    pub fn scaled(&self, factor: f64) -> Self {
        let core = match &self.core {
            Core::Point => Core::Point,
            Core::Segment { half } => Core::Segment { half: half * factor },
            Core::Cylinder { radius, half } => {
                Core::Cylinder { radius: radius * factor, half: half * factor }
            }
            Core::Arc { radius, half } => Core::Arc { radius: radius * factor, half: *half },
            Core::Polytope(core) => Core::Polytope(core.scaled(factor)),
        };
        Piece { core, radius: self.radius * factor, at: self.at * factor, turn: self.turn }
    }

    /// Volume, centre and inertia at density one, in the frame of the body. The rounding counts
    /// for points, segments and arcs, which would be nothing without it, and not for the others. An
    /// arc weighs what is above its own angle, so that those of a torus weigh what it does. In 2D
    /// only points (discs) and polygons weigh anything.
    pub fn mass(&self, dimension: usize) -> MassProperties {
        let own = match (&self.core, dimension) {
            (Core::Point, 2) => MassProperties::of_disc(self.radius),
            (Core::Point, _) => MassProperties::of_ball(self.radius),
            (Core::Polytope(core), 2) if !core.is_flat() => MassProperties::NOTHING,
            (Core::Polytope(core), 3) if core.is_flat() => MassProperties::NOTHING,
            (Core::Polytope(core), _) => core.mass(),
            (_, 2) => MassProperties::NOTHING,
            (Core::Segment { half }, _) => MassProperties::of_capsule(self.radius, *half),
            (Core::Cylinder { radius, half }, _) => MassProperties::of_cylinder(*radius, *half),
            (Core::Arc { radius, half }, _) => arc::mass(*radius, self.radius, *half),
        };
        match self.turn == DQuat::IDENTITY {
            true => own.moved(self.at),
            false => own.turned(self.turn).moved(self.at),
        }
    }

    /// How far the piece reaches along a direction of the body's frame, its rounding included;
    /// exact for every core.
    pub fn support(&self, direction: DVec3) -> f64 {
        let local = self.turn.inverse() * direction;
        let core = match &self.core {
            Core::Point => 0.0,
            Core::Segment { half } => half * local.z.abs(),
            Core::Cylinder { radius, half } => {
                half * local.z.abs() + radius * local.truncate().length()
            }
            Core::Arc { radius, half } => arc::farthest(*radius, *half, local).dot(local),
            Core::Polytope(core) => core.support(local),
        };
        self.at.dot(direction) + core + self.radius * direction.length()
    }

    /// The farthest point's distance from the origin of the body, or a little more; of a
    /// cylinder, that of [`Piece::polytope`].
    pub fn reach(&self) -> f64 {
        let far = |corner: DVec3| (self.turn * corner + self.at).length();
        let core = match &self.core {
            Core::Point => self.at.length(),
            Core::Segment { half } => far(*half * DVec3::Z).max(far(-*half * DVec3::Z)),
            Core::Cylinder { radius, half } => self.at.length() + around(*radius).hypot(*half),
            Core::Arc { radius, .. } => self.at.length() + radius,
            Core::Polytope(core) => core.corners().iter().map(|c| far(*c)).fold(0.0, f64::max),
        };
        core + self.radius
    }

    /// The box around the piece when its body is here; of a cylinder, around
    /// [`Piece::polytope`].
    pub fn bounds(&self, position: DVec3, rotation: &DMat3) -> Aabb {
        let centre = position + *rotation * self.at;
        let turn = *rotation * DMat3::from_quat(self.turn);
        let half = match &self.core {
            Core::Point => DVec3::ZERO,
            Core::Segment { half } => turn.z_axis.abs() * *half,
            Core::Cylinder { radius, half } => {
                let axis = turn.z_axis;
                let across = (DVec3::ONE - axis * axis).max(DVec3::ZERO);
                axis.abs() * *half + around(*radius) * across.map(f64::sqrt)
            }
            Core::Arc { radius, half } => {
                let local = turn.transpose();
                let ends = [DVec3::NEG_ONE, DVec3::ONE].map(|sign| {
                    let far = |k: usize| {
                        let to = local * (sign[k] * DVec3::AXES[k]);
                        (turn * arc::farthest(*radius, *half, to))[k]
                    };
                    centre + DVec3::new(far(0), far(1), far(2))
                });
                return Aabb { min: ends[0], max: ends[1] }.grow(self.radius);
            }
            Core::Polytope(core) => match core.half_size() {
                Some(half) => {
                    turn.x_axis.abs() * half.x
                        + turn.y_axis.abs() * half.y
                        + turn.z_axis.abs() * half.z
                }
                None => {
                    let corners = core.corners().iter().map(|c| centre + turn * *c);
                    return Aabb::from_points(corners).grow(self.radius);
                }
            },
        };
        Aabb { min: centre - half, max: centre + half }.grow(self.radius)
    }

    /// The core as a polytope in the frame of the body, to which `radius` comes on top. A cylinder
    /// becomes the prism of [`CYLINDER_SIDES`] sides around it: what does not touch the prism does
    /// not touch the cylinder either. An arc becomes the segment between its ends.
    pub fn polytope(&self) -> Polytope {
        let core = match &self.core {
            Core::Point => return Polytope::point(self.at),
            Core::Segment { half } => {
                let end = self.turn * (*half * DVec3::Z);
                return Polytope::segment(self.at - end, self.at + end);
            }
            Core::Arc { radius, half } => {
                let end = |angle: f64| self.at + self.turn * arc::point(*radius, angle);
                return Polytope::segment(end(-half), end(*half));
            }
            Core::Cylinder { radius, half } => {
                &Polytope::prism(CYLINDER_SIDES, around(*radius), *half)
            }
            Core::Polytope(core) => core,
        };
        match self.turn == DQuat::IDENTITY {
            true => core.clone().moved(self.at),
            false => core.placed(self.at, self.turn),
        }
    }
}

impl Piece {
    /// The piece as capsules along the chords of its core, if that is an arc, so many that none is
    /// off by more than `STRAIGHT` of the circle's radius; else the piece itself.
    pub fn straightened(&self) -> Vec<Piece> {
        let Core::Arc { radius, half } = self.core else { return vec![self.clone()] };
        let count = (half / (2.0 * STRAIGHT).sqrt()).ceil().max(1.0);
        let part = half / count;
        let capsule = |k: usize| {
            let angle = (2 * k + 1) as f64 * part - half;
            let turn = DQuat::from_rotation_z(angle) * DQuat::from_rotation_x(0.5 * PI);
            Piece {
                at: self.at + self.turn * arc::point(radius * part.cos(), angle),
                turn: self.turn * turn,
                ..Piece::new(Core::Segment { half: radius * part.sin() }, self.radius)
            }
        };
        (0..count as usize).map(capsule).collect()
    }
}

/// How far, in radii, a chord of [`Piece::straightened`] may be from its arc.
const STRAIGHT: f64 = 1e-4;

/// The radius of the corners of the prism around a cylinder.
fn around(radius: f64) -> f64 {
    radius / (PI / CYLINDER_SIDES as f64).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use proptest::prelude::*;

    fn vector(random: &mut Random) -> DVec3 {
        DVec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0))
    }

    fn any_piece(random: &mut Random) -> Piece {
        let half = random.between(0.1, 2.0);
        let core = match random.next_u64() % 6 {
            0 => Core::Point,
            5 => Core::Arc { radius: random.between(0.1, 2.0), half: random.between(0.01, 1.5) },
            1 => Core::Segment { half },
            2 => Core::Cylinder { radius: random.between(0.1, 2.0), half },
            3 => Core::Polytope(Polytope::cuboid(0.1 + vector(random).abs()).unwrap()),
            _ => {
                let points: Vec<DVec3> = (0..9).map(|_| vector(random)).collect();
                Core::Polytope(Polytope::hull(&points).unwrap())
            }
        };
        let turn = DQuat::from_scaled_axis(3.0 * vector(random));
        // A tube is thinner than its circle is wide.
        let most = if let Core::Arc { radius, .. } = core { radius } else { 1.0 };
        Piece::new(core, most * random.unit()).moved(vector(random), turn)
    }

    #[test]
    fn the_prism_around_a_cylinder_holds_it() {
        let prism = Piece::new(Core::Cylinder { radius: 2.0, half: 0.5 }, 0.0).polytope();
        for facet in prism.facets() {
            let height = prism.support(facet.normal);
            let least = if facet.normal.z == 0.0 { 2.0 } else { 0.5 };
            assert!((height - least).abs() < 1e-14, "{height}");
        }
        assert!(prism.support(DVec3::X) < 2.0 * 1.0013);
    }

    #[test]
    fn corners_are_rounded_once_and_boxes_stay_boxes() {
        let polygon = Polytope::polygon(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
        let piece = Piece::new(Core::Polytope(polygon.clone()), 0.0);
        let moved = piece.moved(DVec3::X, DQuat::IDENTITY);
        assert_eq!((moved.at, moved.polytope()), (DVec3::ZERO, polygon.moved(DVec3::X)));
        let cuboid = Piece::new(Core::Polytope(Polytope::cuboid(DVec3::ONE).unwrap()), 0.0);
        let Piece { at, core: Core::Polytope(core), .. } = cuboid.moved(DVec3::X, DQuat::IDENTITY)
        else {
            panic!("a box is a polytope");
        };
        assert_eq!((at, core.half_size()), (DVec3::X, Some(DVec3::splat(0.5))));
    }

    proptest! {
        /// Box and reach hold the polytope with its rounding, and the box is tight.
        #[test]
        fn bounds_and_reach_hold_the_piece(seed: u64) {
            let random = &mut Random::new(seed);
            let piece = any_piece(random);
            let (position, turn) = (vector(random), DQuat::from_scaled_axis(vector(random)));
            let bounds = piece.bounds(position, &DMat3::from_quat(turn));
            let here = piece.polytope().placed(position, turn).bounds().grow(piece.radius);
            prop_assert!((bounds.max - here.max).min_element() > -1e-12);
            prop_assert!((here.min - bounds.min).min_element() > -1e-12);
            // Box of a circle and box of the polygon in it.
            let is_arc = matches!(piece.core, Core::Arc { .. });
            prop_assert!(is_arc || (bounds.size() - here.size()).max_element() < 0.01);
            for part in piece.straightened() {
                let inner = part.bounds(position, &DMat3::from_quat(turn));
                prop_assert!((bounds.max - inner.max).min_element() > -1e-12);
                prop_assert!((inner.min - bounds.min).min_element() > -1e-12);
            }
            let far = piece.polytope().corners().iter().map(|c| c.length()).fold(0.0, f64::max);
            prop_assert!(piece.reach() > far + piece.radius - 1e-12);
        }

        /// Mass moves and turns with the piece, and scales with it.
        #[test]
        fn mass_goes_with_the_piece(seed: u64) {
            let random = &mut Random::new(seed);
            let piece = any_piece(random);
            let (by, turn) = (vector(random), DQuat::from_scaled_axis(vector(random)));
            let expected = piece.mass(3).turned(turn).moved(by);
            let found = piece.clone().moved(by, turn).mass(3);
            prop_assert!((found.centre - expected.centre).length() < 1e-12);
            prop_assert!(found.inertia.abs_diff_eq(expected.inertia, 1e-9));
            let (double, large) = (piece.mass(3).scaled(2.0, false), piece.scaled(2.0).mass(3));
            prop_assert!((double.volume - large.volume).abs() < 1e-10 * large.volume);
            let close = double.inertia.abs_diff_eq(large.inertia, 1e-8 * large.inertia.x_axis.x);
            prop_assert!(close, "{piece:?} {double:?} {large:?}");
        }
    }
}
