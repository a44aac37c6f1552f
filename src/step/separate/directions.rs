//! Along which direction two pieces part most easily.

use crate::contact::{Form, Placed};
use crate::math::DVec3;
use crate::shape::Polytope;

/// Directions are sought in turns of this much, halved down to that.
const FIRST_TURN: f64 = 0.1;
const LAST_TURN: f64 = 1e-7;

/// The direction along which two pieces have the most room, and that room, begun at the normal
/// of their contact. Contacts prefer faces to edges, and see a prism in a cylinder.
pub fn widest(first: &Placed, second: &Placed, normal: DVec3, enough: f64) -> (DVec3, f64) {
    let room = |n: DVec3| (n, first.least_of(n) + second.least_of(-n));
    let better = |a: (DVec3, f64), b: (DVec3, f64)| if b.1 > a.1 { b } else { a };
    let mut best = room(normal);
    if best.1 >= enough || [first, second].iter().any(|p| p.form == Form::Point) {
        return best;
    }
    let [one, two] = [(first, -normal), (second, normal)].map(|(p, n)| p.spelled_out(n));
    let sides = one.facets().iter().map(|f| -f.normal).chain(two.facets().iter().map(|f| f.normal));
    best = sides.map(room).fold(best, better);
    let (along, other) = (edges(&one), edges(&two));
    for along in &along {
        for other in &other {
            if let Some(across) = along.cross(*other).try_normalize() {
                best = better(better(best, room(across)), room(-across));
            }
        }
    }
    let is_flat = [first, second].iter().any(|p| p.form == Form::Polygon);
    let mut turn = if is_round(first) || is_round(second) { FIRST_TURN } else { 0.0 };
    while turn > LAST_TURN {
        let [u, v] = across(best.0, is_flat);
        // Where an edge is in contact, the best directions are square to it.
        let about = [&along, &other].into_iter().flatten();
        let about = about.filter_map(|edge| edge.cross(best.0).try_normalize());
        let sides = [u, v].into_iter().chain(about).flat_map(|side| [side, -side]);
        let tries = sides.map(|side| room((best.0 + turn * side).normalize()));
        match tries.fold(best, better) {
            found if found.1 > best.1 => best = found,
            _ => turn *= 0.5,
        }
    }
    best
}

/// Whether faces and edges do not give all directions that matter.
fn is_round(p: &Placed) -> bool {
    p.radius > 0.0 || matches!(p.form, Form::Cylinder { .. } | Form::Segment { .. })
}

/// The directions of the edges of a core.
fn edges(core: &Polytope) -> Vec<DVec3> {
    let at = |k: u32| core.corners()[k as usize];
    core.edges().iter().map(|[a, b]| (at(*b) - at(*a)).normalize_or_zero()).collect()
}

/// Two directions square to a third and to each other; in the plane there is only one.
fn across(normal: DVec3, is_flat: bool) -> [DVec3; 2] {
    match is_flat {
        true => [DVec3::new(-normal.y, normal.x, 0.0), DVec3::ZERO],
        false => {
            let u = normal.any_orthonormal_vector();
            [u, normal.cross(u)]
        }
    }
}
