//! Which frames of a run are exported.

use std::num::NonZeroUsize;
use std::str::FromStr;

use super::format::Format;
use crate::problem::{Problem, Result};

/// Which frames to export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// What suits the format: every frame, or the last one if it holds only one.
    #[default]
    Fitting,
    /// Every frame; refused by formats that hold one.
    All,
    /// This one, counted from 0.
    One(usize),
    /// The end of the run.
    Last,
}

impl Selection {
    /// The numbers of the frames in ascending order, of `count` that there
    /// are; of several only every so many and the last, if asked.
    pub(super) fn pick(
        self,
        every: Option<NonZeroUsize>,
        count: usize,
        format: Format,
    ) -> Result<Vec<usize>> {
        let Some(last) = count.checked_sub(1) else {
            return Err(Problem::new("the run has no frames to export"));
        };
        match self {
            Selection::All if format.holds_one_frame() => {
                Err(Problem::new("a file of this format holds one frame, not all")
                    .help("choose a frame by its number, or `last`"))
            }
            Selection::Fitting if format.holds_one_frame() => Ok(vec![last]),
            Selection::Fitting | Selection::All => {
                let all: Vec<usize> = (0..count).collect();
                Ok(every.map_or_else(|| all.clone(), |every| thin(&all, every)))
            }
            Selection::Last => Ok(vec![last]),
            Selection::One(index) if index < count => Ok(vec![index]),
            Selection::One(index) => Err(Problem::new(format!("there is no frame {index}"))
                .help(format!("the run has {count} frames, counted from 0"))),
        }
    }
}

/// Every so many of some frames, and always the last.
pub(super) fn thin(frames: &[usize], every: NonZeroUsize) -> Vec<usize> {
    let (last, others) = frames.split_last().map_or((None, frames), |(l, rest)| (Some(l), rest));
    others.iter().step_by(every.get()).chain(last).copied().collect()
}

/// `all`, `last` or a number.
impl FromStr for Selection {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Selection> {
        match text {
            "all" => Ok(Selection::All),
            "last" => Ok(Selection::Last),
            number => number.parse().map(Selection::One).map_err(|_| {
                Problem::new(format!("`{number}` names no frame"))
                    .help("a frame is a number counted from 0, `last`, or `all` for every frame")
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_picked() {
        let pick = |selection: Selection, format| selection.pick(None, 3, format).unwrap();
        for format in [Format::Csv, Format::Stl] {
            assert_eq!(pick(Selection::One(1), format), [1]);
            assert_eq!(pick(Selection::Last, format), [2]);
        }
        assert_eq!(pick(Selection::All, Format::Csv), [0, 1, 2]);
        assert_eq!(pick(Selection::Fitting, Format::Csv), [0, 1, 2]);
        assert_eq!(pick(Selection::Fitting, Format::Stl), [2]);
    }

    #[test]
    fn what_cannot_be_picked_is_explained() {
        let refused = |selection: Selection, count, format| {
            selection.pick(None, count, format).map(|_| ()).unwrap_err()
        };
        let problem = refused(Selection::One(3), 3, Format::Csv);
        assert_eq!(problem.message, "there is no frame 3");
        assert_eq!(problem.help.unwrap(), "the run has 3 frames, counted from 0");
        let problem = refused(Selection::All, 3, Format::Obj);
        assert_eq!(problem.message, "a file of this format holds one frame, not all");
        for selection in [Selection::Fitting, Selection::Last, Selection::One(0)] {
            let problem = refused(selection, 0, Format::Glb);
            assert_eq!(problem.message, "the run has no frames to export");
        }
    }

    #[test]
    fn thinning_keeps_the_last() {
        let every = |n| NonZeroUsize::new(n);
        let pick = |n, count| Selection::All.pick(every(n), count, Format::Csv).unwrap();
        assert_eq!(pick(3, 8), [0, 3, 6, 7]);
        assert_eq!(pick(3, 7), [0, 3, 6]);
        assert_eq!(pick(100, 7), [0, 6]);
        assert_eq!(pick(1, 3), [0, 1, 2]);
        assert_eq!(pick(5, 1), [0]);
        assert!(thin(&[], NonZeroUsize::MIN).is_empty());
    }

    #[test]
    fn selections_are_read_from_text() {
        assert_eq!("all".parse(), Ok(Selection::All));
        assert_eq!("last".parse(), Ok(Selection::Last));
        assert_eq!("12".parse(), Ok(Selection::One(12)));
        for wrong in ["", "-1", "first", "1.5"] {
            let problem = wrong.parse::<Selection>().unwrap_err();
            assert_eq!(problem.message, format!("`{wrong}` names no frame"));
        }
    }
}
