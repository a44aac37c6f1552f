//! What happened: one append-only file per run, with the scene, the model,
//! every frame (lossless), contacts and forces, timings by part of a step, a hash of every state, and checkpoints of whatever the next step
//! depends on. The format is described in FORMAT.md.

mod column;
mod contacts;
mod ending;
mod frame;
mod header;
mod index;
mod reader;
mod record;
#[cfg(test)]
pub(crate) mod samples;
mod shapes;
mod start;
mod trace;
mod words;
mod writer;

pub use crate::world::{Contact, Ledger, Plane, Report, StepKind, Trace, With};
pub use reader::{Reader, RecordedPhase};
pub(crate) use shapes::text as shapes_text;
pub use start::start;
pub use writer::{Resumed, Writer};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::problem::{Problem, Result};
use crate::world::State;

/// One configuration and what is known of the step that led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// 0 for the start, then counting steps.
    pub step: u64,
    /// Why the step was made.
    pub kind: StepKind,
    /// Of the configuration, as the method counts it.
    pub energy: f64,
    /// Where the bodies are and how they move.
    pub state: State,
    /// The impulses of a time step; a rest has its forces in the ending.
    pub contacts: Vec<Contact>,
    /// What else a step of dynamics tells of itself.
    pub trace: Trace,
    /// How the step was found.
    pub report: Report,
    /// Seconds per part of the step, in the order of the run's list of parts.
    pub seconds: Vec<f32>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    /// Why it ended.
    pub outcome: Outcome,
    /// What stopped the method before its goal, if the outcome is a failure and has words.
    pub reason: Option<String>,
    /// Empty unless the run came to rest.
    pub contacts: Vec<Contact>,
    /// The proof of rest; none unless the run came to rest.
    pub certificate: Option<Certificate>,
    /// On the clock, since the run was started or last resumed.
    pub seconds: f64,
    /// Of all threads together, likewise.
    pub cpu_seconds: f64,
    /// Seconds per part after the last frame: the proof of rest.
    pub parts: Vec<f32>,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// At rest, with a certificate.
    Rest,
    /// All steps of the time that the scene asks for were made.
    Duration,
    /// Nobody is faster than was asked for.
    Quiet,
    /// Nobody overlaps any more.
    Apart,
    /// Not at rest after as many steps as were allowed.
    StepLimit,
    /// Stopped from outside, after a whole step; it can be resumed.
    Interrupted,
    /// A step could not be made, or an unstable rest could not be left.
    Failed,
}

impl Outcome {
    /// Whether the goal was reached.
    pub fn is_done(self) -> bool {
        matches!(self, Outcome::Rest | Outcome::Duration | Outcome::Quiet | Outcome::Apart)
    }
}

/// What the method claims about the rest it found; `verify` checks it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Largest force imbalance of a body, relative to its weight.
    pub residual: f64,
    /// The energy can fall by at most this within the linearised cell.
    pub bound: f64,
    /// Rank of the force-carrying rows, out of `unknowns`.
    pub rank: u64,
    /// Coordinates of all bodies that can move.
    pub unknowns: u64,
    /// Motions that no loaded contact resists and that lower the energy.
    pub unstable_modes: u64,
    /// Such motions that neither raise nor lower it.
    pub neutral_modes: u64,
    /// Smallest singular value that is not a null mode: how far from a mechanism.
    pub margin: f64,
    /// In words: "strict minimum", "minimum up to neutral modes", ...
    pub verdict: String,
}

/// A hash of the exact bits of a state: positions, velocities, spins, then rotations.
///
/// ```
/// use riprap::{math::DVec3, trajectory::state_hash, world::State};
/// let next = f64::from_bits(1.0_f64.to_bits() + 1);
/// let hash = |x: f64| state_hash(&State::at_rest(vec![DVec3::new(x, 0.0, 0.0)]));
/// assert_ne!(hash(1.0), hash(next));
/// ```
pub fn state_hash(state: &State) -> u64 {
    let vectors = [&state.positions, &state.velocities, &state.spins];
    let numbers = vectors.into_iter().flatten().flat_map(|v| v.to_array());
    let turns = state.rotations.iter().flat_map(|q| q.to_array());
    hash_words(numbers.chain(turns).map(f64::to_bits))
}

/// A hash of bytes, taken as little-endian words, the last one filled up with zeros.
fn hash_bytes(bytes: &[u8]) -> u64 {
    hash_words(bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    }))
}

/// Multiplication carries a change of a word upwards, the shift carries it
/// down again; each round is a bijection, so no single change gets lost.
fn hash_words(words: impl Iterator<Item = u64>) -> u64 {
    words.fold(0xcbf2_9ce4_8422_2325, |hash, word| {
        let product = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        product ^ (product >> 32)
    })
}

/// The word that stands for a plain enum value in JSON and in run files.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

fn from_word<T: DeserializeOwned>(word: &str) -> Result<T> {
    serde_json::from_value(word.into()).map_err(|error| {
        Problem::new(error.to_string()).help("a newer riprap may be able to read it")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DVec3;

    #[test]
    fn the_hash_is_the_documented_one() {
        // The values that the recipe of FORMAT.md gives, so that nobody changes it unawares.
        assert_eq!(state_hash(&State::default()), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash_words([1, 2, 3].into_iter()), 0x0c07_b167_c320_3d34);
        assert_eq!(hash_bytes(b"riprap run"), 0x1865_3487_7bd7_1507);
    }

    #[test]
    fn every_bit_counts() {
        let positions = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0)];
        let flip = |bits: &[(usize, u32)]| {
            let mut state = State::at_rest(positions.to_vec());
            for &(i, bit) in bits {
                let (list, i) = match i / 6 {
                    0 => (&mut state.positions, i),
                    1 => (&mut state.velocities, i - 6),
                    _ => (&mut state.spins, i - 12),
                };
                let value = &mut list[i / 3][i % 3];
                *value = f64::from_bits(value.to_bits() ^ 1 << bit);
            }
            state_hash(&state)
        };
        for i in 0..18 {
            for bit in 0..64 {
                assert_ne!(flip(&[(i, bit)]), flip(&[]));
                assert_ne!(flip(&[(i, bit), (17 - i, 63)]), flip(&[]), "two signs do not cancel");
            }
        }
        let mut turned = State::at_rest(positions.to_vec());
        turned.rotations[1].w = 0.5;
        assert_ne!(state_hash(&turned), flip(&[]));
        let one = |p: DVec3| state_hash(&State::at_rest(vec![p]));
        assert_ne!(one(DVec3::ZERO), one(-DVec3::ZERO));
        assert_ne!(one(DVec3::ZERO), state_hash(&State::at_rest(vec![DVec3::ZERO; 2])));
    }

    #[test]
    fn words_name_plain_values() {
        assert_eq!(
            (word(&StepKind::Escape), word(&Outcome::StepLimit)),
            ("escape".into(), "step-limit".into())
        );
        assert_eq!(from_word::<Outcome>("step-limit"), Ok(Outcome::StepLimit));
        assert!(from_word::<Outcome>("stuck").unwrap_err().message.starts_with("unknown variant"));
    }
}
