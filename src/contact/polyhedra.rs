//! Where two convex polyhedra meet: the face or pair of edges of largest
//! separation; over a face, the facing face of the other brick is clipped to it.

use super::brick_brick::{Carrier, Meeting};
use crate::math::DVec3;
use crate::shape::{Brick, BrickFace};

/// A pair of edges must separate by this much more than any face, relative to
/// the reach, to be preferred: faces give whole areas of contact.
const PREFER_FACES: f64 = 1e-6;

/// Edges whose directions differ by less than this sine are parallel.
const PARALLEL: f64 = 1e-6;

/// A corner counts as over a face this far beyond its sides, relative to the face.
const BEYOND: f64 = 1e-9;

/// The points of two polyhedra within `reach` of each other.
pub(super) fn meetings(first: &Brick, second: &Brick, reach: f64) -> Vec<Meeting> {
    let (one, at_one) = widest(first, second);
    let (two, at_two) = widest(second, first);
    let faces = one.max(two);
    if faces > reach {
        return Vec::new();
    }
    if let Some((separation, meeting)) = widest_edges(first, second, faces)
        && separation > faces + PREFER_FACES * reach
    {
        return if separation > reach { Vec::new() } else { vec![meeting] };
    }
    // Of two faces that separate alike, the smaller one is clipped to the larger:
    // its corners stay what they are.
    let larger = face_size(first, at_one) >= face_size(second, at_two);
    let alike = (one - two).abs() <= PREFER_FACES * reach;
    match if alike { larger } else { one > two } {
        true => clip(first, second, at_one, reach, false),
        false => clip(second, first, at_two, reach, true),
    }
}

/// The distance of a face's first corner from its farthest.
fn face_size(brick: &Brick, face: usize) -> f64 {
    let corners = brick.faces()[face].corners.iter().map(|&k| brick.corners()[k as usize]);
    let first = brick.corners()[brick.faces()[face].corners[0] as usize];
    corners.map(|c| (c - first).length()).fold(0.0, f64::max)
}

/// The largest separation of `other` from a face of `brick`, and the face.
fn widest(brick: &Brick, other: &Brick) -> (f64, usize) {
    let mut best = (f64::NEG_INFINITY, 0);
    for (index, face) in brick.faces().iter().enumerate() {
        let at = brick.corners()[face.corners[0] as usize];
        let separation = other.least_along(face.normal) - face.normal.dot(at);
        if separation > best.0 {
            best = (separation, index);
        }
    }
    best
}

/// The pair of edges that separates the bricks most, if it separates them more than `than`.
fn widest_edges(first: &Brick, second: &Brick, than: f64) -> Option<(f64, Meeting)> {
    let ends = |brick: &Brick, edge: &[u32; 2]| edge.map(|k| brick.corners()[k as usize]);
    let mut best: Option<(f64, Meeting)> = None;
    for (i, a) in first.edges().iter().enumerate() {
        let [a0, a1] = ends(first, a);
        for (j, b) in second.edges().iter().enumerate() {
            let [b0, b1] = ends(second, b);
            let (u, v) = (a1 - a0, b1 - b0);
            let across = u.cross(v);
            if across.length_squared()
                < PARALLEL * PARALLEL * u.length_squared() * v.length_squared()
            {
                continue;
            }
            // Only edges at which the bricks lie on opposite sides count; then
            // their distance is the separation.
            for normal in [across.normalize(), -across.normalize()] {
                let (low, high) = (normal.dot(b0), normal.dot(a0)); // b below, a above
                let gap = high - low;
                let least = best.as_ref().map_or(than, |b| b.0);
                if gap <= least {
                    continue;
                }
                let rounding = 1e-12 * (u.length() + v.length());
                if first.least_along(normal) >= high - rounding
                    && -second.least_along(-normal) <= low + rounding
                {
                    let (p, q) = nearest_points(a0, u, b0, v);
                    best = Some((
                        gap,
                        Meeting {
                            at_first: p,
                            at_second: q,
                            normal,
                            carrier: Carrier::Edges(u, v),
                            feature: [i as u16 | 0x4000, j as u16],
                        },
                    ));
                }
            }
        }
    }
    best
}

/// The points where two lines come closest.
fn nearest_points(a: DVec3, u: DVec3, b: DVec3, v: DVec3) -> (DVec3, DVec3) {
    let (uu, uv, vv, w) = (u.dot(u), u.dot(v), v.dot(v), b - a);
    let determinant = uu * vv - uv * uv;
    let s = (w.dot(u) * vv - w.dot(v) * uv) / determinant;
    let t = (w.dot(u) * uv - w.dot(v) * uu) / determinant;
    (a + u * s.clamp(0.0, 1.0), b + v * t.clamp(0.0, 1.0))
}

/// The facing face of `other`, clipped to the sides of the reference face.
fn clip(brick: &Brick, other: &Brick, face: usize, reach: f64, swapped: bool) -> Vec<Meeting> {
    let reference = &brick.faces()[face];
    let facing = |f: &BrickFace| f.normal.dot(reference.normal);
    let incident = other.faces().iter().min_by(|a, b| facing(a).total_cmp(&facing(b)));
    let Some(incident) = incident else { return Vec::new() };
    let corner = |k: &u32| brick.corners()[*k as usize];
    let mut polygon: Vec<DVec3> =
        incident.corners.iter().map(|&k| other.corners()[k as usize]).collect();
    let next = reference.corners.iter().cycle().skip(1);
    for (start, end) in reference.corners.iter().map(corner).zip(next.map(corner)) {
        let inwards = reference.normal.cross(end - start).normalize_or_zero();
        cut(&mut polygon, start, inwards, BEYOND * (end - start).length());
    }
    let origin = corner(&reference.corners[0]);
    let points = polygon.into_iter().enumerate().filter_map(|(k, point)| {
        let gap = reference.normal.dot(point - origin);
        let foot = point - reference.normal * gap;
        let feature = [face as u16 | if swapped { 0x8000 } else { 0 }, k as u16];
        (gap <= reach).then_some(match swapped {
            true => Meeting {
                at_first: point,
                at_second: foot,
                normal: reference.normal,
                carrier: Carrier::FaceOfB,
                feature,
            },
            false => Meeting {
                at_first: foot,
                at_second: point,
                normal: -reference.normal,
                carrier: Carrier::FaceOfA,
                feature,
            },
        })
    });
    points.collect()
}

/// Keeps the part of a polygon on the inner side of a plane.
fn cut(polygon: &mut Vec<DVec3>, at: DVec3, inwards: DVec3, tolerance: f64) {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (k, &here) in polygon.iter().enumerate() {
        let next = polygon[(k + 1) % polygon.len()];
        let (d, e) = (inwards.dot(here - at), inwards.dot(next - at));
        if d >= -tolerance {
            kept.push(here);
        }
        if (d > tolerance && e < -tolerance) || (d < -tolerance && e > tolerance) {
            kept.push(here.lerp(next, d / (d - e)));
        }
    }
    *polygon = kept;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DQuat;

    fn cube(at: DVec3, turn: DVec3) -> Brick {
        Brick::cuboid(DVec3::ONE).unwrap().placed(at, DQuat::from_scaled_axis(turn))
    }

    #[test]
    fn a_cube_on_a_cube_touches_at_the_corners_of_the_common_area() {
        let found = meetings(
            &cube(DVec3::ZERO, DVec3::ZERO),
            &cube(DVec3::new(0.25, 0.5, 1.0), DVec3::ZERO),
            1e-6,
        );
        let mut points: Vec<[f64; 3]> = found.iter().map(|m| m.at_first.to_array()).collect();
        points.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert_eq!(
            points,
            [[-0.25, 0.0, 0.5], [-0.25, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.5]]
        );
        assert!(found.iter().all(|m| m.normal == DVec3::NEG_Z));
    }

    #[test]
    fn crossed_edges_meet_at_one_point() {
        use std::f64::consts::FRAC_PI_4;
        let below = cube(DVec3::ZERO, DVec3::X * FRAC_PI_4);
        let height = 2.0 * 0.5_f64.sqrt() + 0.01;
        let above = cube(DVec3::Z * height, DVec3::Y * FRAC_PI_4);
        let found = meetings(&below, &above, 0.1);
        assert_eq!(found.len(), 1);
        assert!((found[0].normal - DVec3::NEG_Z).length() < 1e-12);
        let gap = found[0].normal.dot(found[0].at_first - found[0].at_second);
        assert!((gap - 0.01).abs() < 1e-12, "{gap}");
        assert!(meetings(&below, &above, 0.001).is_empty());
    }
}
