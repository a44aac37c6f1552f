//! How the tree of boxes is cut: by the binned surface-area heuristic [Wald 2007].

use glam::Vec3;

use crate::primitives::Bounds;

/// Candidates for a cut per axis.
const BINS: usize = 12;

/// A shape on its way into the tree.
#[derive(Clone, Copy)]
pub struct Item {
    bounds: Bounds,
    centre: Vec3,
    pub index: u32,
}

impl Item {
    pub fn new(bounds: Bounds, index: u32) -> Item {
        Item { bounds, centre: bounds.centre(), index }
    }
}

pub fn bounds_of(items: &[Item]) -> Bounds {
    items.iter().fold(Bounds::EMPTY, |all, item| all.union(item.bounds))
}

/// Cuts the items in up to four parts, always the costliest part next;
/// if not `careful`, into equal parts.
pub fn quarters(items: &mut [Item], careful: bool) -> Vec<&mut [Item]> {
    let cost = |part: &[Item]| {
        let area = if careful { bounds_of(part).half_area() } else { 1.0 };
        area * part.len() as f32
    };
    let mut parts = vec![items];
    while parts.len() < 4 {
        let worst = (0..parts.len())
            .filter(|&i| parts[i].len() > 4)
            .max_by(|&a, &b| cost(parts[a]).total_cmp(&cost(parts[b])));
        let Some(worst) = worst else { break };
        let part = parts.swap_remove(worst);
        let middle = if careful { cut(part) } else { halve(part) };
        let (left, right) = part.split_at_mut(middle);
        parts.push(left);
        parts.push(right);
    }
    parts
}

/// Reorders the items into halves along the widest direction, and returns the number in the first.
fn halve(items: &mut [Item]) -> usize {
    let bounds = bounds_of(items);
    let axis = (bounds.max - bounds.min).max_position();
    let middle = items.len() / 2;
    items.select_nth_unstable_by(middle, |a, b| {
        a.centre[axis].total_cmp(&b.centre[axis]).then(a.index.cmp(&b.index))
    });
    middle
}

/// Reorders the items so that the best cut is between `[..n]` and `[n..]`, and returns n.
fn cut(items: &mut [Item]) -> usize {
    let centres = items
        .iter()
        .fold(Bounds::EMPTY, |all, item| all.union(Bounds { min: item.centre, max: item.centre }));
    let best = (0..3)
        .filter_map(|axis| best_plane(items, centres, axis))
        .min_by(|a, b| a.cost.total_cmp(&b.cost));
    let Some(plane) = best else {
        return halve(items); // all centres are in one place
    };
    let mut middle = 0;
    for i in 0..items.len() {
        if bin(items[i].centre, centres, plane.axis) < plane.bin {
            items.swap(i, middle);
            middle += 1;
        }
    }
    middle
}

/// Everything in a bin below `bin` goes to the left.
struct Plane {
    axis: usize,
    bin: usize,
    cost: f32,
}

fn bin(centre: Vec3, centres: Bounds, axis: usize) -> usize {
    let width = centres.max[axis] - centres.min[axis];
    let place = (centre[axis] - centres.min[axis]) / width * BINS as f32;
    (place as usize).min(BINS - 1)
}

fn best_plane(items: &[Item], centres: Bounds, axis: usize) -> Option<Plane> {
    let width = centres.max[axis] - centres.min[axis];
    if width.is_nan() || width <= 0.0 {
        return None;
    }
    let mut bins = [(Bounds::EMPTY, 0_usize); BINS];
    for item in items {
        let (bounds, count) = &mut bins[bin(item.centre, centres, axis)];
        *bounds = bounds.union(item.bounds);
        *count += 1;
    }
    // What lies right of each plane, from the right end inwards.
    let mut right = [0.0; BINS];
    let (mut bounds, mut count) = (Bounds::EMPTY, 0);
    for plane in (1..BINS).rev() {
        bounds = bounds.union(bins[plane].0);
        count += bins[plane].1;
        right[plane] = bounds.half_area() * count as f32;
    }
    let mut best: Option<Plane> = None;
    let (mut bounds, mut count) = (Bounds::EMPTY, 0);
    for plane in 1..BINS {
        bounds = bounds.union(bins[plane - 1].0);
        count += bins[plane - 1].1;
        let cost = bounds.half_area() * count as f32 + right[plane];
        if best.as_ref().is_none_or(|b| cost < b.cost) {
            best = Some(Plane { axis, bin: plane, cost });
        }
    }
    best
}
