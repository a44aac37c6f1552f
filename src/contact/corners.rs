//! Bodies that meet at corners or edges only. Where an area, or a corner or an edge on a face,
//! touches, one plane separates two bodies, and its normal is that of the contact. Where a corner
//! meets a corner or an edge, or an edge one beside it, many planes do, and which of them will be
//! pushed against is a matter of a hair. Such a touch bears what it would bear with every one of
//! these normals: forces inside all of their cones of friction. A cone about the middle of the
//! normals is inside all of them if it is narrower by their spread; in the plane it is all that is.

use super::cores::Rounded;
use super::meetings::Carrier;
use super::touches::{Pieces, Touch};
use crate::math::DVec3;
use crate::shape::Polytope;
use crate::world::{Model, State, With};

/// Normals whose directions differ by less than this sine are the same: rounding of coordinates.
const SAME: f64 = 1e-6;

/// The touches of two pieces that have no area in common.
struct Meets<'a> {
    sides: [&'a Polytope; 2],
    normals: Vec<DVec3>,
}

impl Pieces {
    /// Gives the touches of bodies that meet at corners or edges only the middle and the spread of
    /// the normals of all planes that separate them, up to what `within` allows of a touch. Those
    /// that other pieces of the same bodies make at the same place are taken out.
    pub fn spread(
        &self,
        model: &Model,
        state: &State,
        touches: Vec<Touch>,
        within: impl Fn(&Touch) -> f64,
    ) -> Vec<Touch> {
        let mut kept = Vec::with_capacity(touches.len());
        let sides = |touch: &Touch| (touch.key.body, touch.key.with);
        // Touches come sorted by their bodies, and then by their pieces.
        for of_bodies in touches.chunk_by(|a, b| sides(a) == sides(b)) {
            let first = &of_bodies[0];
            let is_sharp = of_bodies.iter().all(|touch| touch.radii == [0.0; 2]);
            let With::Body(other) = first.key.with else {
                kept.extend_from_slice(of_bodies);
                continue;
            };
            let groups: Vec<&[Touch]> =
                of_bodies.chunk_by(|a, b| a.key.pieces == b.key.pieces).collect();
            let within = within(first);
            let is_area = |group: &&[Touch]| has_area(model.dimension, group, within);
            if !is_sharp || groups.iter().all(is_area) {
                kept.extend_from_slice(of_bodies);
                continue;
            }
            let one = self.placed(model, state, first.key.body as usize);
            let two = self.placed(model, state, other as usize);
            let meets: Vec<Meets> =
                groups.iter().map(|group| Meets::new(group, &one, &two, within)).collect();
            for (group, own) in groups.iter().zip(&meets) {
                if own.normals.len() <= 1 {
                    kept.extend_from_slice(group);
                } else {
                    kept.extend(group.iter().filter_map(|touch| own.judge(*touch, &meets, within)));
                }
            }
        }
        kept
    }
}

impl<'a> Meets<'a> {
    fn new(group: &[Touch], one: &'a [Rounded], two: &'a [Rounded], within: f64) -> Self {
        let [p, q] = group[0].key.pieces.map(|piece| piece as usize);
        let sides = [&one[p].core, &two[q].core];
        let normals = match has_area(if sides[0].is_flat() { 2 } else { 3 }, group, within) {
            true => vec![group[0].normal],
            false => separating(sides, group, within),
        };
        Meets { sides, normals }
    }

    /// Whether a plane of this normal separates the pieces, up to a length.
    fn is_separated(&self, normal: DVec3, within: f64) -> bool {
        room(self.sides, normal) >= -within
    }

    /// Whether a point belongs to both pieces, up to a length.
    fn has(&self, point: DVec3, within: f64) -> bool {
        self.sides.iter().all(|side| {
            side.facets().iter().all(|facet| {
                let at = side.corners()[facet.corners[0] as usize];
                facet.normal.dot(point - at) <= within
            })
        })
    }

    /// A touch as it counts among those of the other pieces of the same bodies: a normal must
    /// separate all pieces that meet there. Where none does, it is a notch, and every side of it has
    /// its own.
    fn judge(&self, touch: Touch, all: &[Meets], within: f64) -> Option<Touch> {
        let at = 0.5 * (touch.at[0] + touch.at[1]);
        let there: Vec<&Meets> = all.iter().filter(|meets| meets.has(at, 2.0 * within)).collect();
        let is_common =
            |normal: &&DVec3| there.iter().all(|meets| meets.is_separated(**normal, within));
        let mut common: Vec<DVec3> = Vec::new();
        for normal in there.iter().flat_map(|meets| &meets.normals).filter(is_common) {
            add(&mut common, *normal);
        }
        match common[..] {
            [] => Some(touch),
            // The piece that has this normal alone touches here, too.
            [_] if there.iter().any(|meets| meets.normals.len() == 1) => None,
            [normal] => Some(Touch { normal, ..touch }),
            _ => {
                let (normal, spread) = middle(&common);
                let gap = normal.dot(touch.at[0] - touch.at[1]);
                Some(Touch { normal, gap, spread, carrier: Carrier::Points, ..touch })
            }
        }
    }
}

/// A direction in the midst of others, and the largest angle from it to one of them: half-way between
/// the two farthest from each other, which is best of directions in a plane, or their mean.
fn middle(normals: &[DVec3]) -> (DVec3, f64) {
    let pairs =
        normals.iter().enumerate().flat_map(|(k, a)| normals[k..].iter().map(move |b| *a + *b));
    let half_way = pairs.min_by(|a, b| a.length().total_cmp(&b.length())).unwrap_or_default();
    let spread = |middle: DVec3| {
        let Some(middle) = middle.try_normalize() else { return (DVec3::X, std::f64::consts::PI) };
        // As a chord: the angle between directions that are alike is not lost in rounding.
        let angle = |normal: &DVec3| 2.0 * (0.5 * middle.distance(*normal)).min(1.0).asin();
        (middle, normals.iter().map(angle).fold(0.0, f64::max))
    };
    let [one, two] = [half_way, normals.iter().sum()].map(spread);
    if one.1 <= two.1 { one } else { two }
}

/// How far two pieces are apart along a direction from the second to the first.
fn room([a, b]: [&Polytope; 2], normal: DVec3) -> f64 {
    a.least_along(normal) + b.least_along(-normal)
}

/// Adds a direction that is not there yet.
fn add(normals: &mut Vec<DVec3>, normal: DVec3) {
    if normals.iter().all(|known| known.distance(normal) > SAME) {
        normals.push(normal);
    }
}

/// The normals of facets and of pairs of edges along which two pieces overlap by no more than a
/// length: the corners of the set of all such directions.
fn separating([a, b]: [&Polytope; 2], group: &[Touch], within: f64) -> Vec<DVec3> {
    let mut normals = Vec::new();
    let facets = a.facets().iter().map(|f| -f.normal).chain(b.facets().iter().map(|f| f.normal));
    let is_separated = |normal: &DVec3| room([a, b], *normal) >= -within;
    facets.filter(is_separated).for_each(|normal| add(&mut normals, normal));
    if a.is_flat() {
        return normals;
    }
    let (ours, theirs) = (edges_at(a, 0, group, within), edges_at(b, 1, group, within));
    for u in &ours {
        for v in &theirs {
            let across = u.cross(*v);
            if across.length() > SAME {
                let across = across.normalize();
                [across, -across]
                    .into_iter()
                    .filter(is_separated)
                    .for_each(|normal| add(&mut normals, normal));
            }
        }
    }
    normals
}

/// The directions of the edges of a piece that pass one of its points of contact.
fn edges_at(piece: &Polytope, side: usize, group: &[Touch], within: f64) -> Vec<DVec3> {
    let mut directions = Vec::new();
    for edge in piece.edges() {
        let [a, b] = edge.map(|k| piece.corners()[k as usize]);
        let passes = |touch: &Touch| {
            let along =
                ((touch.at[side] - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            touch.at[side].distance(a.lerp(b, along)) <= 2.0 * within
        };
        if group.iter().any(passes) {
            directions.push((b - a).normalize_or_zero());
        }
    }
    directions
}

/// Whether the points of a contact span an area, in the plane a length, that is wider than a hair.
fn has_area(dimension: usize, group: &[Touch], within: f64) -> bool {
    let first = group[0].at[0];
    let away = |touch: &Touch| touch.at[0] - first;
    let far = group.iter().map(away).max_by(|a, b| a.length().total_cmp(&b.length()));
    let far = far.unwrap_or_default();
    if far.length() <= within {
        return false;
    }
    let aside = |touch: &Touch| away(touch).reject_from(far).length();
    dimension == 2 || group.iter().map(aside).fold(0.0, f64::max) > within
}
