//! A neighbour list (Verlet's): pairs found for boxes a little larger than asked
//! for serve for several steps, as long as no box leaves its larger one.

use super::Pair;
use crate::shape::{Aabb, Bvh};

/// Neighbours of boxes that move little from one question to the next.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    larger: Vec<Aabb>,
    /// All pairs of the larger boxes that meet, ascending.
    pairs: Vec<(u32, u32)>,
}

impl Neighbours {
    /// The same pairs as [`super::pairs`] finds. `margin` says by how much a box is enlarged
    /// when it comes to that; the answer does not depend on it, only the time it takes.
    pub fn pairs(&mut self, regions: &[Aabb], margin: impl Fn(usize) -> f64) -> Vec<Pair> {
        let inside = |(larger, region): (&Aabb, &Aabb)| {
            larger.min.cmple(region.min).all() && region.max.cmple(larger.max).all()
        };
        let same = self.larger.len() == regions.len();
        if !(same && self.larger.iter().zip(regions).all(inside)) {
            self.larger.clear();
            let enlarged = regions.iter().enumerate().map(|(i, region)| region.grow(margin(i)));
            self.larger.extend(enlarged);
            self.pairs = Bvh::new(&self.larger).pairs();
        }
        let meets = |&&(i, j): &&(u32, u32)| regions[i as usize].overlaps(&regions[j as usize]);
        let pair = |&(i, j): &(u32, u32)| Pair { i, j };
        self.pairs.iter().filter(meets).map(pair).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{DVec3, Random};
    use proptest::prelude::*;

    proptest! {
        /// Whatever was asked before, and however much boxes are enlarged.
        #[test]
        fn the_same_pairs_as_without_memory(n in 0..40_usize, seed: u64, margin in 0.0..1.0) {
            let mut random = Random::new(seed);
            let mut somewhere = || DVec3::new(random.unit(), random.unit(), random.unit());
            let mut centres: Vec<DVec3> = (0..n).map(|_| somewhere() * 4.0).collect();
            let mut neighbours = Neighbours::default();
            for _ in 0..6 {
                let regions: Vec<Aabb> =
                    centres.iter().map(|&centre| Aabb::from_sphere(centre, 0.4)).collect();
                let found = neighbours.pairs(&regions, |i| margin * (i % 3) as f64);
                prop_assert_eq!(found, super::super::pairs(&regions));
                centres.iter_mut().for_each(|centre| *centre += somewhere() * 0.3);
            }
        }
    }
}
