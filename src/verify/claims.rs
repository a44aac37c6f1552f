//! What the certificate of a rest claims, against what was found.

use super::second_order::Modes;
use crate::math::RESIDUAL_LIMIT;
use crate::trajectory::Certificate;

/// A claimed residual may differ by this from the true one: far below what
/// matters, far above rounding.
const SAME_RESIDUAL: f64 = 0.01 * RESIDUAL_LIMIT;

/// What was found at rest.
pub(super) struct Found {
    pub residual: f64,
    /// What rounding may make of it.
    pub rounding: f64,
    pub unknowns: usize,
    /// None if they could not be counted.
    pub modes: Option<Modes>,
}

impl Found {
    /// The first thing that is claimed wrongly, in words.
    pub fn contradiction(&self, claimed: Option<&Certificate>) -> Option<String> {
        let Some(claimed) = claimed else {
            return Some("rest is claimed without a certificate".into());
        };
        self.residual(claimed).or_else(|| self.counts(claimed)).or_else(|| self.words(claimed))
    }

    fn residual(&self, claimed: &Certificate) -> Option<String> {
        let (claimed, found) = (claimed.residual, self.residual);
        let is_same = (claimed - found).abs() <= SAME_RESIDUAL + 0.01 * found + self.rounding;
        let fault = || format!("it claims the residual {claimed:.1e}, but that is {found:.1e}");
        (!is_same).then(fault)
    }

    fn counts(&self, claimed: &Certificate) -> Option<String> {
        // Each with what is added to it if modes that nobody can tell are counted as null.
        let mut counts = vec![("unknowns", claimed.unknowns, self.unknowns, 0)];
        if let Some(Modes { null, unstable, unsure }) = self.modes {
            let rank = self.unknowns - null - unsure;
            counts.push(("independent contacts", claimed.rank, rank, unsure));
            let told = (self.unknowns as u64).saturating_sub(claimed.rank);
            let neutral = told.saturating_sub(claimed.unstable_modes) as usize;
            match unsure {
                0 => counts.push(("neutral modes", claimed.neutral_modes, null - unstable, 0)),
                _ => counts.push(("neutral modes", claimed.neutral_modes, neutral, 0)),
            }
            counts.push(("unstable modes", claimed.unstable_modes, unstable, unsure));
        }
        let is_wrong = |(_, claimed, found, more): &&(&str, u64, usize, usize)| {
            !(*found as u64..=(*found + *more) as u64).contains(claimed)
        };
        let wrong = counts.iter().find(is_wrong);
        wrong.map(|(what, claimed, found, _)| format!("it claims {claimed} {what}, not {found}"))
    }

    /// No minimum has an unstable mode, and no strict one has any null mode.
    fn words(&self, claimed: &Certificate) -> Option<String> {
        let Modes { null, unstable, .. } = self.modes?;
        let words = &claimed.verdict;
        let too_much =
            (words.contains("strict") && null > 0) || (words.contains("minimum") && unstable > 0);
        too_much.then(|| {
            format!(
                "it says \"{words}\" of a rest with {null} null modes, {unstable} of them unstable"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::samples;

    fn contradiction(change: impl Fn(&mut Certificate)) -> String {
        // It claims 6 unknowns, rank 5, 1 neutral mode and the residual 1e-13.
        let mut certificate = samples::ending().certificate.unwrap();
        change(&mut certificate);
        let modes = Some(Modes { null: 1, unstable: 0, unsure: 0 });
        let found = Found { residual: 2e-13, rounding: 0.0, unknowns: 6, modes };
        found.contradiction(Some(&certificate)).unwrap_or_default()
    }

    #[test]
    fn honest_claims_are_accepted_and_others_are_told() {
        assert_eq!(contradiction(|_| ()), "");
        let told = contradiction(|c| c.residual = 2e-8);
        assert_eq!(told, "it claims the residual 2.0e-8, but that is 2.0e-13");
        assert_eq!(contradiction(|c| c.unknowns = 7), "it claims 7 unknowns, not 6");
        assert_eq!(contradiction(|c| c.rank = 6), "it claims 6 independent contacts, not 5");
        assert_eq!(contradiction(|c| c.neutral_modes = 0), "it claims 0 neutral modes, not 1");
        assert_eq!(contradiction(|c| c.unstable_modes = 1), "it claims 1 unstable modes, not 0");
        let told = contradiction(|c| c.verdict = "strict minimum".into());
        assert!(
            told.starts_with("it says \"strict minimum\" of a rest with 1 null modes"),
            "{told}"
        );
    }

    /// A mode on the border may be counted or not, but once.
    #[test]
    fn either_is_right_about_a_mode_on_the_border() {
        let told = |rank: u64, neutral: u64| {
            let mut claimed = samples::ending().certificate.unwrap();
            (claimed.rank, claimed.neutral_modes) = (rank, neutral);
            let modes = Some(Modes { null: 1, unstable: 0, unsure: 1 });
            let found = Found { residual: 1e-13, rounding: 0.0, unknowns: 6, modes };
            found.contradiction(Some(&claimed)).unwrap_or_default()
        };
        assert_eq!((told(5, 1), told(4, 2)), (String::new(), String::new()));
        assert_eq!(told(4, 1), "it claims 1 neutral modes, not 2");
        assert_eq!(told(6, 0), "it claims 6 independent contacts, not 4");
    }

    #[test]
    fn a_certificate_there_must_be() {
        let found = Found { residual: 0.0, rounding: 0.0, unknowns: 0, modes: None };
        assert_eq!(found.contradiction(None).unwrap(), "rest is claimed without a certificate");
    }
}
