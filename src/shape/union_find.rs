//! Which things belong together, if all that is known is pairs that do.

/// A division of 0, 1, ... into sets (a disjoint-set forest). A set is named
/// after its lowest member, whatever the order of the pairs.
pub struct UnionFind {
    /// For each member another one of the same set that is lower; itself for the lowest.
    lower: Vec<usize>,
}

impl UnionFind {
    /// Everyone alone.
    pub fn new(count: usize) -> Self {
        UnionFind { lower: (0..count).collect() }
    }

    /// The lowest member of the set of `member`.
    pub fn find(&mut self, mut member: usize) -> usize {
        while self.lower[member] != member {
            // Halving the way now makes it short for whoever comes next.
            self.lower[member] = self.lower[self.lower[member]];
            member = self.lower[member];
        }
        member
    }

    /// Makes one set of the sets of `a` and `b`.
    pub fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.lower[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_make_sets_named_after_the_lowest_member() {
        let mut sets = UnionFind::new(6);
        for (a, b) in [(4, 5), (1, 3), (5, 3), (1, 4)] {
            sets.union(a, b);
        }
        let names: Vec<usize> = (0..6).map(|member| sets.find(member)).collect();
        assert_eq!(names, [0, 1, 2, 1, 1, 1]);
    }
}
