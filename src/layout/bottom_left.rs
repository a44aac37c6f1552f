//! A first layout for an instance: the largest items first, each as far left
//! as it fits, in the lowest such place. No rival to a nester: a start for
//! compaction, and free of overlap by construction.

use super::{Item, Layout, Placed, Strip, in_item, turn};
use crate::problem::{Problem, Result};
use crate::shape::{Aabb, MassProperties, Polytope, Shape};

/// How many heights are tried for each piece.
const HEIGHTS: usize = 48;
/// The room left around each piece, in units of the strip's height.
const ROOM: f64 = 1e-6;
/// More pieces than this would take too long.
const MOST_PIECES: u64 = 5000;

/// An item in one of its orientations.
struct Turned {
    rotation: f64,
    convex: Vec<Polytope>,
    bounds: Aabb,
}

/// A piece that has its place.
struct Lying {
    convex: Vec<Polytope>,
}

/// The convex parts of a polygon with holes, where its corners say.
fn convex_parts(loops: &[Vec<[f64; 2]>]) -> Result<Vec<Polytope>> {
    let shape = Shape::polygon(&loops[0], &loops[1..])?;
    Ok(shape.pieces.iter().map(|piece| piece.polytope().moved(-shape.origin)).collect())
}

fn bounds_of(convex: &[Polytope]) -> Aabb {
    Aabb::from_points(convex.iter().flat_map(Polytope::corners).copied())
}

/// Places every item of an instance as often as it is demanded.
///
/// ```
/// use riprap::layout::{bottom_left, Item, Layout, Strip};
/// use riprap::shape::Outline;
/// let square = Outline::new(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], &[])?;
/// let instance = Layout::new("squares", vec![Item { id: 0, outline: square, demand: 4, orientations: Some(vec![0.0]), label: None }], Strip { min: [0.0, 0.0], max: [0.0, 2.1] }, vec![]);
/// let layout = bottom_left(instance)?;
/// assert_eq!(layout.placed.len(), 4);
/// assert!(layout.strip.length() < 2.01);
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn bottom_left(mut instance: Layout) -> Result<Layout> {
    let total = instance.items.iter().fold(0_u64, |sum, item| sum.saturating_add(item.demand));
    if total > MOST_PIECES {
        return Err(Problem::new(format!("the instance demands {total} pieces"))
            .help(format!("at most {MOST_PIECES} can be placed")));
    }
    let area = |item: &Item| MassProperties::of_loops(item.outline.loops()).volume;
    let mut order: Vec<usize> = (0..instance.items.len()).collect();
    order.sort_by(|&a, &b| {
        area(&instance.items[b]).total_cmp(&area(&instance.items[a])).then(a.cmp(&b))
    });
    let room = ROOM * instance.strip.height();
    let mut lying: Vec<Lying> = Vec::new();
    let mut end = instance.strip.min[0];
    for index in order {
        let item = &instance.items[index];
        let turned = orientations(item, &instance.strip)?;
        for _ in 0..item.demand {
            let best = turned
                .iter()
                .flat_map(|turned| places(turned, &instance.strip, &lying, room))
                .min_by(|a, b| a.key().partial_cmp(&b.key()).unwrap_or(std::cmp::Ordering::Equal));
            let Some(Place { turned, x, y, right }) = best else { continue };
            end = end.max(right + room);
            let shift = crate::math::DVec3::new(x, y, 0.0);
            let convex = turned.convex.iter().map(|piece| piece.clone().moved(shift)).collect();
            lying.push(Lying { convex });
            instance.placed.push(Placed {
                item: index,
                rotation: turned.rotation,
                translation: [x, y],
                fixed: false,
            });
        }
    }
    instance.strip.max[0] = end;
    Ok(instance)
}

fn orientations(item: &Item, strip: &Strip) -> Result<Vec<Turned>> {
    let angles = item.orientations.clone().unwrap_or(vec![0.0, 90.0, 180.0, 270.0]);
    let mut fitting = Vec::new();
    for rotation in angles {
        let loops = turn(&item.outline, rotation);
        let convex = convex_parts(&loops).map_err(|problem| in_item(problem, item.id))?;
        let bounds = bounds_of(&convex);
        if bounds.size().y <= strip.height() {
            fitting.push(Turned { rotation, convex, bounds });
        }
    }
    match fitting.is_empty() {
        true => Err(Problem::new(format!("item {} does not fit into the strip", item.id))
            .help(format!("the strip is {} high", strip.height()))),
        false => Ok(fitting),
    }
}

struct Place<'a> {
    turned: &'a Turned,
    x: f64,
    y: f64,
    right: f64,
}

impl Place<'_> {
    /// Shortest strip first, then leftmost, then lowest.
    fn key(&self) -> [f64; 3] {
        [self.right, self.x, self.y]
    }
}

/// The leftmost place at each of some heights.
fn places<'a>(turned: &'a Turned, strip: &Strip, lying: &[Lying], room: f64) -> Vec<Place<'a>> {
    let spare = strip.height() - turned.bounds.size().y;
    let edge = room.min(0.5 * spare);
    let at_height = |k: usize| {
        let part = k as f64 / (HEIGHTS - 1) as f64;
        let y = strip.min[1] + edge + part * (spare - 2.0 * edge) - turned.bounds.min.y;
        let x = leftmost(&turned.convex, y, strip.min[0] + room - turned.bounds.min.x, lying, room);
        Place { turned, x, y, right: x + turned.bounds.max.x }
    };
    (0..HEIGHTS).map(at_height).collect()
}

/// The smallest x from `start` on at which a piece at height `y` is clear of all that lies.
fn leftmost(convex: &[Polytope], y: f64, start: f64, lying: &[Lying], room: f64) -> f64 {
    let mut blocked: Vec<[f64; 2]> = Vec::new();
    for piece in convex {
        for other in lying.iter().flat_map(|lying| &lying.convex) {
            blocked.extend(blocked_interval(piece, other, y, room));
        }
    }
    blocked.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut x = start;
    for [low, high] in blocked {
        if low < x + room && high > x {
            x = high;
        }
    }
    x
}

/// The shifts along x at which a convex polygon at height `y` overlaps another
/// or comes closer than `room`; widths are linear between the heights of corners.
fn blocked_interval(moving: &Polytope, fixed: &Polytope, y: f64, room: f64) -> Option<[f64; 2]> {
    let (a, b) = (moving.bounds(), fixed.bounds());
    let (low, high) = ((a.min.y + y).max(b.min.y) - room, (a.max.y + y).min(b.max.y) + room);
    if low >= high {
        return None;
    }
    let heights =
        moving.corners().iter().map(|c| c.y + y).chain(fixed.corners().iter().map(|c| c.y));
    let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
    for height in heights.chain([low, high]).filter(|h| (low..=high).contains(h)) {
        let [moving_left, moving_right] = width_at(moving, height - y);
        let [fixed_left, fixed_right] = width_at(fixed, height);
        left = left.min(fixed_left - moving_right);
        right = right.max(fixed_right - moving_left);
    }
    Some([left - room, right + room])
}

/// Where a horizontal line (moved to the polygon, if it misses it) enters and leaves it.
fn width_at(piece: &Polytope, height: f64) -> [f64; 2] {
    let bounds = piece.bounds();
    let height = height.clamp(bounds.min.y, bounds.max.y);
    let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
    for facet in piece.facets() {
        let [a, b] = [facet.corners[0], facet.corners[1]].map(|k| piece.corners()[k as usize]);
        let (low, high) = if a.y <= b.y { (a, b) } else { (b, a) };
        if low.y <= height && height <= high.y {
            let part = if high.y > low.y { (height - low.y) / (high.y - low.y) } else { 0.0 };
            let at = low.x + part * (high.x - low.x);
            let other = if high.y > low.y { at } else { high.x };
            left = left.min(at).min(other);
            right = right.max(at).max(other);
        }
    }
    [left, right]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{DVec3, Random};
    use crate::shape::Outline;
    use crate::shape::widest;

    fn instance(items: Vec<Item>) -> Layout {
        let strip = Strip { min: [0.0, 0.0], max: [0.0, 10.0] };
        Layout::new("i", items, strip, vec![])
    }

    fn star(id: u64, random: &mut Random) -> Item {
        let count = 5 + (random.next_u64() % 12) as usize;
        let corner = |k: usize, random: &mut Random| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / count as f64).sin_cos();
            let radius = random.between(0.8, 2.5);
            [radius * cos, radius * sin]
        };
        let corners: Vec<[f64; 2]> = (0..count).map(|k| corner(k, random)).collect();
        let outline = Outline::new(&corners, &[]).unwrap();
        Item { id, outline, demand: 3, orientations: Some(vec![0.0, 37.0]), label: None }
    }

    #[test]
    fn nothing_overlaps_and_everything_is_inside() {
        let random = &mut Random::new(11);
        let layout = bottom_left(instance((0..6).map(|id| star(id, random)).collect())).unwrap();
        assert_eq!(layout.placed.len(), 18);
        let parts = |placed: &Placed| convex_parts(&layout.piece(placed)).unwrap();
        let pieces: Vec<Vec<Polytope>> = layout.placed.iter().map(parts).collect();
        for (i, a) in pieces.iter().enumerate() {
            let bounds = bounds_of(a);
            assert!(bounds.min.min_element() >= 0.0 && bounds.max.y <= 10.0);
            assert!(bounds.max.x <= layout.strip.max[0]);
            for b in &pieces[..i] {
                for (p, q) in a.iter().flat_map(|p| b.iter().map(move |q| (p, q))) {
                    assert!(widest(p, q, DVec3::ZERO).room > 0.0);
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_placed_is_named() {
        let tall = Outline::new(&[[0.0, 0.0], [1.0, 0.0], [1.0, 11.0]], &[]).unwrap();
        let item = |demand| Item {
            id: 9,
            outline: tall.clone(),
            demand,
            orientations: Some(vec![0.0]),
            label: None,
        };
        let message = bottom_left(instance(vec![item(1)])).unwrap_err().message;
        assert_eq!(message, "item 9 does not fit into the strip");
        let message = bottom_left(instance(vec![item(u64::MAX), item(3)])).unwrap_err().message;
        assert!(message.contains("demands 18446744073709551615 pieces"));
    }
}
