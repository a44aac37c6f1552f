//! Random loose filling: spheres are put down one after the other, each at a
//! random place where it touches nothing (random sequential insertion).

use std::collections::{BTreeMap, HashMap};
use std::f64::consts::PI;

use crate::math::{DVec3, Random};
use crate::shape::{Aabb, Boundary};

/// So many places are tried for one sphere before it counts as too many. Near
/// the densest random filling one place in thousands is free, and the next
/// sphere needs ten times as many.
const ATTEMPTS: usize = 20_000;

/// The part of the container where centres may lie.
pub(super) struct Region<'a> {
    boundary: &'a Boundary,
    min: DVec3,
    max: DVec3,
    dimension: usize,
}

impl<'a> Region<'a> {
    pub fn new(boundary: &'a Boundary, min: DVec3, max: DVec3, dimension: usize) -> Self {
        // Without a container, the limits alone must say where.
        let (mut low, mut high) = (min, max);
        if !boundary.faces().is_empty() {
            let bounds = boundary.bounds();
            (low, high) = (min.max(bounds.min), max.min(bounds.max));
        }
        Region { boundary, min: low, max: high, dimension }
    }

    /// Whether it ends somewhere on every side.
    pub fn is_bounded(&self) -> bool {
        (0..self.dimension).all(|axis| self.min[axis].is_finite() && self.max[axis].is_finite())
    }

    pub fn is_empty(&self) -> bool {
        (0..self.dimension).any(|axis| self.min[axis] >= self.max[axis])
    }

    /// A place for a sphere where it touches neither the container nor the crowd.
    pub fn find_room(&self, radius: f64, crowd: &Crowd, random: &mut Random) -> Option<DVec3> {
        (0..ATTEMPTS)
            .map(|_| self.random_point(random))
            .find(|&point| crowd.has_room(point, radius) && self.holds(point, radius))
    }

    fn random_point(&self, random: &mut Random) -> DVec3 {
        let mut coordinates = [0.0; 3];
        for (axis, coordinate) in coordinates.iter_mut().enumerate().take(self.dimension) {
            *coordinate = random.between(self.min[axis], self.max[axis]);
        }
        DVec3::from_array(coordinates)
    }

    fn holds(&self, point: DVec3, radius: f64) -> bool {
        self.boundary.faces().is_empty()
            || self.boundary.contains(point)
                && self.boundary.nearest(point).is_some_and(|nearest| nearest.distance >= radius)
    }

    /// Which part of the region spheres of these radii would fill. A region
    /// that is cut off by the container counts in full: the true value is larger.
    pub fn fraction_of(&self, radii: &[f64]) -> f64 {
        let size = (self.max - self.min).max(DVec3::ZERO);
        let inside = match self.boundary.faces() {
            [] => f64::INFINITY,
            _ => enclosed(self.boundary),
        };
        if self.dimension == 2 {
            let disks: f64 = radii.iter().map(|r| PI * r * r).sum();
            disks / (size.x * size.y).min(inside)
        } else {
            let spheres: f64 = radii.iter().map(|r| 4.0 / 3.0 * PI * r * r * r).sum();
            spheres / (size.x * size.y * size.z).min(inside)
        }
    }
}

/// The volume (in 2D: the area) inside a boundary, by the divergence theorem.
fn enclosed(boundary: &Boundary) -> f64 {
    let origin = boundary.bounds().min;
    let below = |corners: &[DVec3]| match corners {
        [a, b] => (*a - origin).cross(*b - origin).z / 2.0,
        [a, b, c] => (*a - origin).dot((*b - origin).cross(*c - origin)) / 6.0,
        _ => 0.0,
    };
    boundary.faces().iter().map(|face| below(&face.corners)).sum::<f64>().abs()
}

/// Spheres and boxes; spheres in cells, one grid for every size class, so that a few large
/// spheres among many small ones cost nothing.
#[derive(Default)]
pub(super) struct Crowd {
    /// Each class holds the radii from a quarter to half of its cell width,
    /// which is two to the power of its key.
    classes: BTreeMap<i32, Class>,
    /// Few: those of what does not move.
    boxes: Vec<Aabb>,
}

#[derive(Default)]
struct Class {
    cells: HashMap<[i64; 3], Vec<usize>>,
    spheres: Vec<(DVec3, f64)>,
}

impl Crowd {
    pub fn insert(&mut self, centre: DVec3, radius: f64) {
        let class = (2.0 * radius).log2().ceil() as i32;
        let cell = cell(centre, width(class));
        let class = self.classes.entry(class).or_default();
        class.cells.entry(cell).or_default().push(class.spheres.len());
        class.spheres.push((centre, radius));
    }

    pub fn insert_box(&mut self, bounds: Aabb) {
        self.boxes.push(bounds);
    }

    /// Whether a sphere would overlap nothing.
    pub fn has_room(&self, centre: DVec3, radius: f64) -> bool {
        if self.boxes.iter().any(|bounds| bounds.distance(centre) < radius) {
            return false;
        }
        let is_clear = |other: &(DVec3, f64)| centre.distance(other.0) >= radius + other.1;
        self.classes.iter().all(|(&class, spheres)| {
            let width = width(class);
            let reach = DVec3::splat(radius + width / 2.0);
            let (low, high) = (cell(centre - reach, width), cell(centre + reach, width));
            let span = |axis: usize| high[axis].saturating_sub(low[axis]).saturating_add(1);
            let visits = span(0).saturating_mul(span(1)).saturating_mul(span(2));
            if visits as usize > spheres.spheres.len() {
                return spheres.spheres.iter().all(is_clear);
            }
            (low[0]..=high[0]).all(|x| {
                (low[1]..=high[1]).all(|y| {
                    (low[2]..=high[2]).all(|z| {
                        let cell = spheres.cells.get(&[x, y, z]);
                        cell.is_none_or(|cell| cell.iter().all(|&i| is_clear(&spheres.spheres[i])))
                    })
                })
            })
        })
    }
}

fn width(class: i32) -> f64 {
    f64::from(class).exp2()
}

fn cell(point: DVec3, width: f64) -> [i64; 3] {
    (point / width).floor().to_array().map(|x| x as i64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_crowd_agrees_with_asking_everybody(
            spheres in prop::collection::vec(
                ([-5.0..5.0, -5.0..5.0, -5.0..5.0], -6.0..1.0), 1..60),
            question in ([-5.0..5.0, -5.0..5.0, -5.0..5.0], -6.0..1.0),
        ) {
            let made = |(centre, size): &([f64; 3], f64)| (DVec3::from_array(*centre), size.exp2());
            let mut crowd = Crowd::default();
            for (centre, radius) in spheres.iter().map(made) {
                crowd.insert(centre, radius);
            }
            let (centre, radius) = made(&question);
            let expected = spheres.iter().map(made).all(|(c, r)| centre.distance(c) >= radius + r);
            prop_assert_eq!(crowd.has_room(centre, radius), expected);
        }
    }
}
