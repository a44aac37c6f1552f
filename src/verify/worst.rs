//! The worst of what was measured, and where.

/// The largest value so far, the frame (the later one of two) and who it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Worst<W> {
    pub value: f64,
    /// None as long as nothing was above zero.
    pub at: Option<(usize, W)>,
}

impl<W> Default for Worst<W> {
    fn default() -> Self {
        Worst { value: 0.0, at: None }
    }
}

impl<W> Worst<W> {
    /// What is no number is worse than any.
    pub fn note(&mut self, value: f64, frame: usize, who: W) {
        if value > self.value || (value.is_nan() && !self.value.is_nan()) {
            *self = Worst { value, at: Some((frame, who)) };
        }
    }

    /// Takes over what another one found later.
    pub fn merge(&mut self, other: Worst<W>) {
        if let Some((frame, who)) = other.at {
            self.note(other.value, frame, who);
        }
    }
}

/// Two that could overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meeting {
    Bodies(usize, usize),
    BodyAndFace(usize, usize),
}

impl Meeting {
    /// Two bodies, the first one first.
    pub fn of(i: usize, j: usize) -> Meeting {
        Meeting::Bodies(i.min(j), i.max(j))
    }
}

impl Worst<Meeting> {
    /// In words; `when` is what stands before the frame.
    pub fn describe(&self, when: &str) -> String {
        let Some((frame, meeting)) = self.at else { return "nothing overlaps".into() };
        let who = match meeting {
            Meeting::Bodies(i, j) => format!("bodies {i} and {j} overlap"),
            Meeting::BodyAndFace(i, face) => {
                format!("body {i} overlaps face {face} of the container")
            }
        };
        format!("{when} frame {frame} {who} by {:.1e} of the smaller radius", self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equals_and_what_is_no_number_stay() {
        let mut worst = Worst::default();
        for (frame, value) in [(1, 2.0), (2, 3.0), (3, 3.0), (4, f64::NAN), (5, 9.0)] {
            worst.note(value, frame, ());
            if frame == 3 {
                assert_eq!((worst.value, worst.at), (3.0, Some((2, ()))));
            }
        }
        assert!(worst.value.is_nan() && worst.at == Some((4, ())));
        let mut all = Worst::<()>::default();
        all.merge(Worst::default());
        assert_eq!(all.at, None);
        all.merge(worst);
        assert_eq!(all.at, Some((4, ())));
    }
}
