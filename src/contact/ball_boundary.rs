//! A ball and the container: nearest point, half-space, drop what lies
//! behind it, repeat with what is left [M96 4.1, eq. 2]. Works for any closed
//! boundary, convex or not, because every face is convex.

use super::{Key, Other, Row};
use crate::math::{CLIP, DVec3, SKIN};
use crate::shape::{Aabb, Boundary, Face};

/// No ball gets more rows than this; what then remains limits its travel instead.
const MOST_ROWS: usize = 128;

/// A direction within this angle (in radians) of a face's normal is that normal, but for rounding.
const FLAT: f64 = 1e-7;

/// The rows of one ball against the boundary.
#[derive(Clone, Debug, PartialEq)]
pub struct WallRows {
    /// In the order in which they were found.
    pub rows: Vec<Row>,
    /// The ball meets nothing but these rows while it moves by less than this.
    pub clear: f64,
}

/// A convex part of a face that no row has hidden yet.
struct Remnant {
    face: u32,
    /// How many times its face has given a row already.
    cuts: u32,
    left: Face,
}

/// The rows of a ball that stays inside `region` (a box around its centre,
/// grown by its radius) during the next step.
pub fn wall_rows(
    boundary: &Boundary,
    body: u32,
    centre: DVec3,
    radius: f64,
    region: &Aabb,
) -> WallRows {
    let mut faces = Vec::new();
    boundary.faces_in(region, &mut faces);
    let mut remnants: Vec<Remnant> = faces
        .into_iter()
        .map(|face| Remnant { face, cuts: 0, left: boundary.faces()[face as usize].clone() })
        .collect();
    let mut rows = Vec::new();
    while let Some((nearest, point)) = nearest_remnant(&remnants, centre) {
        let distance = centre.distance(point);
        if rows.len() == MOST_ROWS {
            return WallRows { rows, clear: (distance - (1.0 + SKIN) * radius).max(0.0) };
        }
        let Remnant { face, cuts, .. } = remnants[nearest];
        let key = Key { body, other: Other::Face(face, cuts) };
        let (row, point) = row_at(boundary, key, face, [centre, point], radius);
        let normal = row.normal;
        rows.push(row);
        remnants = drop_behind(remnants, face, point, normal, CLIP * radius);
    }
    WallRows { rows, clear: f64::INFINITY }
}

/// The row of a ball and all of a face: where faces lie nearly in one plane, what another row leaves
/// of one may begin beside the place of it that is nearest.
pub fn face_row(boundary: &Boundary, key: Key, face: u32, centre: DVec3, radius: f64) -> Row {
    let point = boundary.faces()[face as usize].closest_point(centre);
    row_at(boundary, key, face, [centre, point], radius).0
}

/// The row of a ball at a centre whose nearest point of a face is given, and that point.
fn row_at(
    boundary: &Boundary,
    key: Key,
    face: u32,
    [centre, point]: [DVec3; 2],
    radius: f64,
) -> (Row, DVec3) {
    // A centre on the boundary itself has no direction; checks at the
    // start and valid steps keep a radius between them. The nearest point of a wide face is
    // rounded, and a plane that leans by that much would leave a sliver of the face behind.
    let (own, corner) = (boundary.normal(face), boundary.faces()[face as usize].corners[0]);
    let direction = (centre - point).try_normalize().unwrap_or(own);
    let (normal, distance, point) = match own.cross(direction).length() < FLAT {
        true => {
            let normal = own * own.dot(direction).signum();
            let height = normal.dot(centre - corner);
            (normal, height, centre - normal * height)
        }
        false => (direction, centre.distance(point), point),
    };
    (Row { key, normal, gap: (distance - (1.0 + SKIN) * radius).max(0.0) }, point)
}

fn nearest_remnant(remnants: &[Remnant], centre: DVec3) -> Option<(usize, DVec3)> {
    let closest =
        remnants.iter().enumerate().map(|(i, remnant)| (i, remnant.closest_point(centre)));
    closest.min_by(|a, b| a.1.distance_squared(centre).total_cmp(&b.1.distance_squared(centre)))
}

impl Remnant {
    /// The closest point; what clipping has left with more than three corners is taken as a fan.
    fn closest_point(&self, centre: DVec3) -> DVec3 {
        let corners = &self.left.corners;
        if corners.len() <= 3 {
            return self.left.closest_point(centre);
        }
        let fan = corners[1..]
            .windows(2)
            .map(|side| Face::triangle(corners[0], side[0], side[1]).closest_point(centre));
        let nearer = |a: DVec3, b: DVec3| {
            if b.distance_squared(centre) < a.distance_squared(centre) { b } else { a }
        };
        fan.fold(corners[0], nearer)
    }
}

/// Keeps what stands out of the plane by more than `tolerance`.
fn drop_behind(
    remnants: Vec<Remnant>,
    hit: u32,
    point: DVec3,
    normal: DVec3,
    tolerance: f64,
) -> Vec<Remnant> {
    let height = |x: &DVec3| (*x - point).dot(normal);
    let mut kept = Vec::with_capacity(remnants.len());
    for mut remnant in remnants {
        let corners = &remnant.left.corners;
        if corners.iter().all(|x| height(x) <= tolerance) {
            continue;
        }
        if corners.iter().any(|x| height(x) <= tolerance) {
            remnant.left = Face { corners: clip(corners, height, tolerance) };
        }
        remnant.cuts += u32::from(remnant.face == hit);
        kept.push(remnant);
    }
    kept
}

/// The part of a convex polygon (or segment) above the level.
fn clip(corners: &[DVec3], height: impl Fn(&DVec3) -> f64, level: f64) -> Vec<DVec3> {
    let mut kept = Vec::with_capacity(corners.len() + 1);
    let edges = if corners.len() == 2 { 1 } else { corners.len() };
    for k in 0..edges {
        let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
        let (high_a, high_b) = (height(&a) - level, height(&b) - level);
        if high_a > 0.0 {
            kept.push(a);
        }
        if (high_a > 0.0) != (high_b > 0.0) {
            kept.push(a + (b - a) * (high_a / (high_a - high_b)));
        }
        if edges == 1 && high_b > 0.0 {
            kept.push(b);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::math::Random;
    use crate::shape::Mesh;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::sync::LazyLock;

    /// Containers and the largest ball to try in each.
    static CONTAINERS: LazyLock<[(Boundary, f64); 6]> = LazyLock::new(|| {
        [
            (samples::cuboid(3.0), 1.2),
            (samples::ell(), 0.9),
            (samples::ridge(), 2.0),
            (samples::hourglass(), 1.5),
            (samples::star(), 1.3),
            (samples::flat_hourglass(), 1.5),
        ]
    });

    /// A ball inside its container, and how far it may move along each axis.
    struct Case<'a> {
        boundary: &'a Boundary,
        centre: DVec3,
        radius: f64,
        reach: DVec3,
        walls: WallRows,
    }

    impl<'a> Case<'a> {
        fn new((boundary, largest): &'a (Boundary, f64), random: &mut Random) -> Self {
            let bounds = boundary.bounds();
            let point = |random: &mut Random| {
                let part = DVec3::new(random.unit(), random.unit(), random.unit());
                bounds.min + bounds.size() * part
            };
            let radius = largest * random.between(0.1, 1.0);
            let room = radius * (1.0 + SKIN);
            let is_valid = |c: &DVec3| {
                boundary.contains(*c) && boundary.nearest(*c).is_some_and(|n| n.distance >= room)
            };
            let centre = (0..10_000).map(|_| point(random)).find(is_valid).expect("room for it");
            let reach = radius * random.between(0.1, 3.0) * flatten(boundary, DVec3::ONE);
            let region = Aabb { min: centre - reach - room, max: centre + reach + room };
            let walls = wall_rows(boundary, 7, centre, radius, &region);
            Case { boundary, centre, radius, reach, walls }
        }

        fn allows(&self, motion: DVec3) -> bool {
            let inside = |row: &Row| row.normal.dot(motion) + row.gap >= 0.0;
            motion.length() <= self.walls.clear && self.walls.rows.iter().all(inside)
        }

        /// How deep the ball is in the wall after a motion, in radii; negative if it is clear.
        fn depth(&self, motion: DVec3) -> f64 {
            let centre = self.centre + motion;
            let distance = self.boundary.nearest(centre).expect("there are walls").distance;
            let signed = if self.boundary.contains(centre) { distance } else { -distance };
            1.0 - signed / self.radius
        }

        /// The longest motion in a direction that stays in reach and in all rows.
        fn furthest(&self, direction: DVec3) -> DVec3 {
            let box_exit = self.reach / direction.abs();
            let rows = self.walls.rows.iter().map(|row| (row, row.normal.dot(direction)));
            let row_exits = rows.filter(|(_, s)| *s < 0.0).map(|(row, slope)| row.gap / -slope);
            let exits = row_exits.chain([box_exit.x, box_exit.y, self.walls.clear]);
            let exits = exits.chain(Some(box_exit.z).filter(|_| direction.z != 0.0));
            direction * exits.fold(f64::INFINITY, f64::min)
        }
    }

    /// In 2D nothing leaves the plane.
    fn flatten(boundary: &Boundary, v: DVec3) -> DVec3 {
        let flat = boundary.faces()[0].corners.len() == 2;
        if flat { DVec3::new(v.x, v.y, 0.0) } else { v }
    }

    fn direction(boundary: &Boundary, random: &mut Random) -> DVec3 {
        let v = DVec3::new(random.normal(), random.normal(), random.normal());
        flatten(boundary, v).normalize()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(120))]
        #[test]
        fn staying_put_is_allowed_and_every_contact_has_its_own_name(which in 0..6_usize, seed: u64) {
            let case = Case::new(&CONTAINERS[which], &mut Random::new(seed));
            prop_assert!(case.allows(DVec3::ZERO));
            let keys: BTreeSet<Key> = case.walls.rows.iter().map(|row| row.key).collect();
            prop_assert_eq!(keys.len(), case.walls.rows.len());
            for row in &case.walls.rows {
                prop_assert!((row.normal.length() - 1.0).abs() < 1e-14);
                prop_assert!(row.key.body == 7 && row.gap >= 0.0);
                prop_assert!(row.normal == flatten(case.boundary, row.normal));
            }
        }

        /// Both the sampled motions of a box and the extreme ones of the cell,
        /// and the whole way to them.
        #[test]
        fn no_allowed_motion_touches_the_wall(which in 0..6_usize, seed: u64) {
            let random = &mut Random::new(seed);
            let case = Case::new(&CONTAINERS[which], random);
            for _ in 0..40 {
                let part = DVec3::new(random.unit(), random.unit(), random.unit());
                let sampled = case.reach * (2.0 * part - 1.0);
                let outside = case.depth(sampled) > 0.0;
                prop_assert!(!(outside && case.allows(sampled)), "{sampled}");
                let extreme = case.furthest(direction(case.boundary, random));
                for part in [0.3, 0.7, 1.0] {
                    let depth = case.depth(part * extreme);
                    prop_assert!(depth <= -0.9 * SKIN, "{depth:e} after {}", part * extreme);
                }
            }
        }
    }

    /// The rows are no more than they must be: in a convex container every
    /// motion that stays clear of the walls is allowed.
    #[test]
    fn a_convex_container_is_its_own_cell() {
        let random = &mut Random::new(1);
        for _ in 0..200 {
            let case = Case::new(&CONTAINERS[0], random);
            let part = DVec3::new(random.unit(), random.unit(), random.unit());
            let motion = case.reach * (2.0 * part - 1.0);
            assert_eq!(case.allows(motion), case.depth(motion) <= -SKIN, "{motion}");
        }
    }

    #[test]
    fn a_ball_in_a_corner_has_a_row_for_each_side() {
        let boundary = samples::cuboid(3.0);
        let (centre, region) =
            (DVec3::splat(1.0), Aabb { min: DVec3::splat(-0.5), max: DVec3::splat(2.5) });
        let rows = wall_rows(&boundary, 0, centre, 1.0, &region).rows;
        assert_eq!(rows.len(), 3);
        for axis in DVec3::AXES {
            assert!(rows.iter().any(|row| row.normal.distance(axis) < 1e-15 && row.gap == 0.0));
        }
    }

    /// A round wall of very many sides: what has no row limits the travel.
    #[test]
    fn very_many_sides_limit_the_travel() {
        let boundary = Boundary::from_mesh(&Mesh::profile(&[[0.0, 5.0], [10.0, 5.0]], 400));
        let random = &mut Random::new(3);
        let (centre, reach) = (DVec3::new(0.1, 0.2, 5.0), DVec3::splat(8.0));
        let region = Aabb { min: centre - reach - 1.0, max: centre + reach + 1.0 };
        let walls = wall_rows(&boundary, 0, centre, 1.0, &region);
        assert_eq!(walls.rows.len(), MOST_ROWS);
        assert!(walls.clear > 3.0 && walls.clear < 4.5, "{}", walls.clear);
        let case = Case { boundary: &boundary, centre, radius: 1.0, reach, walls };
        for _ in 0..300 {
            let extreme = case.furthest(direction(&boundary, random));
            assert!(case.depth(extreme) <= -0.9 * SKIN);
        }
    }
}
