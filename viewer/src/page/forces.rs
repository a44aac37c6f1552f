//! The forces in contacts, as bars that are ready to draw, at as many of the
//! shown frames as fit into the page.

use riprap::Result;
use riprap::trajectory::{Contact, Reader, With};

use super::arrays::Arrays;
use super::motion::Grid;
use super::survey::Survey;
use crate::contacts::{Bar, bars, contacts_at, strongest};

/// Letters that one contact takes, about.
const LETTERS: usize = 24;

/// In time steps, contacts that press less than this part of the strongest are left out.
const WEAKEST: f64 = 1e-3;

/// At which of the shown frames forces are known.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Forces {
    /// Numbers of shown frames.
    pub frames: Vec<usize>,
    /// One shown frame in so many has its forces.
    pub every: usize,
    /// Some forces are too weak to be kept.
    pub weak_left_out: bool,
    /// What counts as strong: the strongest force of a usual frame.
    pub strong: f64,
}

impl Forces {
    /// Which of the shown frames get their forces, within so many letters.
    pub(super) fn plan(survey: &Survey, shown: &[usize], budget: usize) -> Forces {
        // A rest tells its forces at its end, and large scenes those of some of their steps only.
        let letters = |k: &usize| LETTERS * survey.contacts[shown[*k]];
        let told: Vec<usize> = (0..shown.len()).filter(|k| letters(k) > 0).collect();
        let chosen = |thinning: usize| told.iter().rev().step_by(thinning);
        let fits = |thinning: &usize| chosen(*thinning).map(letters).sum::<usize>() <= budget;
        let thinning = (1..=told.len()).find(fits).unwrap_or(told.len().max(1));
        let mut frames: Vec<usize> = chosen(thinning).copied().collect();
        frames.reverse();
        let gaps = frames.windows(2).map(|pair| pair[1] - pair[0]);
        Forces { every: gaps.min().unwrap_or(1), frames, ..Forces::default() }
    }

    /// Stores the bars of the chosen frames.
    pub(super) fn store(
        &mut self,
        reader: &Reader,
        shown: &[usize],
        grid: &Grid,
        arrays: &mut Arrays,
    ) -> Result<()> {
        let mut lists: Vec<Vec<Contact>> = Vec::new();
        for &k in &self.frames {
            let mut contacts = contacts_at(reader, shown[k])?.unwrap_or_default();
            let timed = reader.model_at(shown[k]).method.time().is_some();
            let least = if timed { WEAKEST * strongest(&contacts) } else { 0.0 };
            let all = contacts.len();
            contacts.retain(|contact| contact.force.length() >= least);
            self.weak_left_out |= contacts.len() < all;
            lists.push(contacts);
        }
        let most: Vec<f64> = lists.iter().map(|list| strongest(list)).collect();
        self.strong = usual(most);
        let drawn: Vec<Vec<Bar>> = (lists.iter().zip(&self.frames))
            .map(|(list, &k)| bars(reader.model_at(shown[k]), list, self.strong))
            .collect();
        let ends = drawn.iter().flatten().flat_map(|bar| bar.ends);
        arrays.u16("force ends", ends.flat_map(|end| grid.point(end)));
        arrays.f32("force width", drawn.iter().flatten().map(|bar| bar.width));
        arrays.f32("force size", drawn.iter().flatten().map(|bar| bar.force));
        arrays.u32("force body", drawn.iter().flatten().map(|bar| bar.contact.body));
        arrays.u32("force other", drawn.iter().flatten().map(|bar| other(bar.contact.with)));
        arrays.u32("force frame", self.frames.iter().map(|&k| k as u32));
        arrays.u32("force count", drawn.iter().map(|list| list.len() as u32));
        Ok(())
    }
}

/// The other side as one number: its kind in the two upper bits.
pub(super) fn other(with: With) -> u32 {
    let (kind, index) = with.parts();
    u32::from(kind) << 30 | index
}

/// The median of what is not nothing.
fn usual(mut values: Vec<f64>) -> f64 {
    values.retain(|value| *value > 0.0);
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_rest_has_its_forces_at_the_end() {
        let run = samples::finished(8, 4);
        let survey = Survey::of(&run.reader()).unwrap();
        assert_eq!(Forces::plan(&survey, &[0, 2, 3], 0).frames, [2]);
        let survey = Survey::of(&samples::unfinished(8, 4).reader()).unwrap();
        assert!(Forces::plan(&survey, &[0, 3], 0).frames.is_empty());
    }

    /// A run of several methods has forces in its time steps, and those of the proof at its end.
    #[test]
    fn a_rest_after_time_steps_has_its_forces_too() {
        let run = samples::settled_after_dynamics(6, 5);
        let reader = run.reader();
        let survey = Survey::of(&reader).unwrap();
        let shown: Vec<usize> = (0..reader.len()).collect();
        let forces = Forces::plan(&survey, &shown, usize::MAX);
        assert!(forces.frames.contains(&(reader.len() - 1)), "{:?}", forces.frames);
        assert!(forces.frames.len() > 1);
    }

    #[test]
    fn forces_of_steps_are_thinned_until_they_fit() {
        let run = samples::collapse(20);
        let reader = run.reader();
        let survey = Survey::of(&reader).unwrap();
        let shown: Vec<usize> = (0..20).collect();
        let plan = |budget: usize| Forces::plan(&survey, &shown, budget);
        assert_eq!(plan(usize::MAX).frames, shown[1..], "there is no step before the first frame");
        let all: usize = survey.contacts.iter().sum::<usize>() * LETTERS;
        let half = plan(all / 2);
        assert!(half.every > 1 && half.every < 5 && half.frames.contains(&19), "{half:?}");
        assert!(plan(0).frames.len() <= 2);
    }

    #[test]
    fn the_usual_is_in_the_middle() {
        assert_eq!(usual(vec![0.0, 3.0, 1.0, 0.0, 100.0]), 3.0);
        assert_eq!(usual(vec![0.0]), 0.0);
    }
}
