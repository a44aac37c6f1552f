//! Who is near whom: boxes sorted into cells. Every box lies in one cell of a
//! grid whose cells are a little larger than it is; there is one grid for every
//! power of two of the size, so that large and small boxes do not disturb each other.

use std::ops::Range;

use crate::math::DVec3;

/// A box parallel to the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Region {
    pub min: DVec3,
    pub max: DVec3,
}

impl Region {
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Region {
        let none = Region { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };
        points
            .into_iter()
            .fold(none, |region, p| Region { min: region.min.min(p), max: region.max.max(p) })
    }

    pub fn grown(self, by: f64) -> Region {
        Region { min: self.min - DVec3::splat(by), max: self.max + DVec3::splat(by) }
    }

    pub fn meets(&self, other: &Region) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Cells of size `2^level` hold this box, each a little larger than it.
    fn level(&self) -> i32 {
        let size = (self.max - self.min).max_element().max(f64::MIN_POSITIVE);
        (size.log2().floor() as i32).saturating_add(1)
    }
}

/// Where a box is kept: in the cell of its lower corner. Sorted, the cells of a
/// row along x follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    level: i32,
    z: i64,
    y: i64,
    x: i64,
    index: usize,
}

/// Boxes in their cells.
pub(super) struct Cells {
    regions: Vec<Region>,
    keys: Vec<Key>,
    /// The levels that have boxes, ascending, each with its part of the keys.
    levels: Vec<(i32, Range<usize>)>,
    least_level: i32,
}

impl Cells {
    /// Boxes smaller than `least` share the cells of those.
    pub fn new(regions: Vec<Region>, least: f64) -> Cells {
        let least_level = Region { min: DVec3::ZERO, max: DVec3::splat(least) }.level();
        let mut cells = Cells { regions, keys: Vec::new(), levels: Vec::new(), least_level };
        let key = |(index, region): (usize, &Region)| {
            let level = cells.level_of(region);
            let [x, y, z] = cell(region.min, level);
            Key { level, z, y, x, index }
        };
        cells.keys = cells.regions.iter().enumerate().map(key).collect();
        cells.keys.sort_unstable();
        let mut start = 0;
        for same in cells.keys.chunk_by(|a, b| a.level == b.level) {
            cells.levels.push((same[0].level, start..start + same.len()));
            start += same.len();
        }
        cells
    }

    fn level_of(&self, region: &Region) -> i32 {
        region.level().max(self.least_level)
    }

    /// Visits every box that meets `region`.
    pub fn meeting(&self, region: &Region, mut visit: impl FnMut(usize)) {
        for (level, keys) in &self.levels {
            meeting_among(&self.keys[keys.clone()], *level, region, &mut |index| {
                if self.regions[index].meets(region) {
                    visit(index);
                }
            });
        }
    }

    /// Visits every two boxes that meet, once.
    pub fn pairs(&self, mut visit: impl FnMut(usize, usize)) {
        for (i, region) in self.regions.iter().enumerate() {
            let own = self.level_of(region);
            for (level, keys) in self.levels.iter().filter(|(level, _)| *level >= own) {
                meeting_among(&self.keys[keys.clone()], *level, region, &mut |j| {
                    if (*level > own || j > i) && self.regions[j].meets(region) {
                        visit(i, j);
                    }
                });
            }
        }
    }
}

/// Visits the boxes of one level whose cells are close enough to `region`.
fn meeting_among(keys: &[Key], level: i32, region: &Region, visit: &mut impl FnMut(usize)) {
    // A box reaches at most one cell beyond its own.
    let [x_min, y_min, z_min] = cell(region.min, level).map(|k| k.saturating_sub(1));
    let [x_max, y_max, z_max] = cell(region.max, level);
    let rows = z_max.abs_diff(z_min).saturating_mul(y_max.abs_diff(y_min));
    if rows > keys.len() as u64 {
        // The region is so large that looking at every box is less work.
        keys.iter().for_each(|key| visit(key.index));
        return;
    }
    for z in z_min..=z_max {
        for y in y_min..=y_max {
            let start = keys.partition_point(|key| (key.z, key.y, key.x) < (z, y, x_min));
            let row = keys[start..].iter();
            row.take_while(|key| (key.z, key.y) == (z, y) && key.x <= x_max)
                .for_each(|key| visit(key.index));
        }
    }
}

fn cell(point: DVec3, level: i32) -> [i64; 3] {
    (point / f64::exp2(level.into())).floor().to_array().map(|x| x as i64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_region() -> impl Strategy<Value = Region> {
        let place = prop::array::uniform3(-5.0..5.0_f64);
        let size = prop_oneof![Just(0.0), Just(0.25), 0.01..0.1_f64, 0.1..1.0_f64, 1.0..4.0_f64];
        (place, prop::array::uniform3(size)).prop_map(|(place, size)| {
            let min = DVec3::from_array(place);
            Region { min, max: min + DVec3::from_array(size) }
        })
    }

    proptest! {
        #[test]
        fn no_meeting_is_missed_or_met_twice(
            regions in prop::collection::vec(any_region(), 0..60),
            asked in any_region(),
            least in 0.0..0.5_f64,
        ) {
            let cells = Cells::new(regions.clone(), least);
            let mut found = Vec::new();
            cells.meeting(&asked, |i| found.push(i));
            found.sort_unstable();
            let expected: Vec<usize> =
                (0..regions.len()).filter(|&i| regions[i].meets(&asked)).collect();
            prop_assert_eq!(found, expected);

            let mut found = Vec::new();
            cells.pairs(|i, j| found.push((i.min(j), i.max(j))));
            found.sort_unstable();
            let n = regions.len();
            let all = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
            let expected: Vec<_> = all.filter(|&(i, j)| regions[i].meets(&regions[j])).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn places_far_out_do_no_harm() {
        let at = |x: f64| Region { min: DVec3::splat(x), max: DVec3::splat(x + 1.0) };
        let cells = Cells::new(vec![at(1e300), at(-1e300), at(0.0), at(0.5)], 1.0);
        let mut found = Vec::new();
        cells.pairs(|i, j| found.push((i, j)));
        assert_eq!(found, [(2, 3)]);
        let mut found = Vec::new();
        cells
            .meeting(&Region { min: DVec3::splat(-f64::MAX), max: DVec3::ZERO }, |i| found.push(i));
        found.sort_unstable();
        assert_eq!(found, [1, 2]);
    }
}
