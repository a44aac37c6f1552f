//! Which things belong together, if all that is known is pairs that do.

/// A division of 0, 1, ... into groups (a disjoint-set forest). A group is
/// named after its lowest member.
pub(super) struct Groups {
    /// For each member another one of the same group that is lower; itself for the lowest.
    lower: Vec<usize>,
}

impl Groups {
    /// Everyone alone.
    pub(super) fn new(count: usize) -> Self {
        Groups { lower: (0..count).collect() }
    }

    /// The lowest member of the group of `member`.
    pub(super) fn find(&mut self, mut member: usize) -> usize {
        while self.lower[member] != member {
            // Halving the way now makes it short for whoever comes next.
            self.lower[member] = self.lower[self.lower[member]];
            member = self.lower[member];
        }
        member
    }

    /// Makes one group of the groups of `a` and `b`.
    pub(super) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.lower[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_make_groups_named_after_the_lowest_member() {
        let mut groups = Groups::new(6);
        for (a, b) in [(4, 5), (1, 3), (5, 3), (1, 4)] {
            groups.join(a, b);
        }
        let names: Vec<usize> = (0..6).map(|member| groups.find(member)).collect();
        assert_eq!(names, [0, 1, 2, 1, 1, 1]);
    }
}
