//! What happened: one append-only file per run, with the scene, the model,
//! every frame (lossless), the contacts and forces of the last one, timings by
//! act, a hash of every state, and checkpoints of whatever the next step
//! depends on. The format is described in FORMAT.md.

mod assembly;
mod column;
mod ending;
mod frame;
mod header;
mod index;
mod reader;
mod record;
#[cfg(test)]
pub(crate) mod samples;
mod solids;
mod tower;
mod words;
mod writer;

pub use reader::Reader;
pub use tower::BrickFrame;
pub use writer::{Resumed, Writer};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::math::DVec3;
use crate::problem::{Problem, Result};
use crate::world::Model;

/// One configuration and what is known of the step that led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// 0 for the start, then counting steps.
    pub step: u64,
    pub kind: StepKind,
    pub energy: f64,
    pub positions: Vec<DVec3>,
    pub report: StepReport,
    /// Only in runs of the methods collapse and dynamics.
    pub bricks: Option<Box<BrickFrame>>,
}

/// Why a step was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// The starting configuration: no step at all.
    Start,
    /// A step of the main loop.
    Settle,
    /// A step out of an unstable rest.
    Escape,
    /// A tight step near rest.
    Polish,
    /// A time step of falling bricks.
    Collapse,
    /// A time step of the method dynamics.
    Dynamics,
    /// Bodies of the method dynamics have been taken apart, without turning, at the end of
    /// their run.
    HandOver,
    /// Pieces of a layout that overlapped have been taken apart: the promises
    /// start with this frame.
    Separate,
    /// A jump of a compaction that took a corner past another in the air: its
    /// straight way is not free of overlap, its end is.
    Hop,
}

/// How a step was found: for the summary, the benchmarks and the curious.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Bodies that were unknowns of the program (the others slept).
    pub active: u32,
    /// Bodies that moved noticeably.
    pub moving: u32,
    pub rows: u32,
    pub iterations: u32,
    /// Seconds per act, in the order of the run's list of acts.
    pub seconds: Vec<f32>,
}

/// A touching pair with its force, in scene units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    pub body: u32,
    pub with: With,
    pub force: f64,
}

/// The other side of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum With {
    /// Another body, seen through this periodic image offset.
    Body(u32, [i32; 3]),
    /// A face of the container's boundary.
    Face(u32),
    /// The far end of a link, which pulls.
    Rope(u32),
    /// The far end of a link, which pushes.
    Strut(u32),
    /// Another body, where not both are spheres.
    Pieces(u32, Seat),
    /// A face of the container's boundary, where the body is no sphere.
    Wall(u32, Seat),
}

/// Where a solid is touched, and along which normal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seat {
    /// The convex piece of the body, and that of the other side (0 for a face).
    pub pieces: [u32; 2],
    /// Unit vector from the other side to the body.
    pub normal: [f64; 3],
    /// Corners face each other: no side says along which normal they press.
    pub choice: bool,
}

impl With {
    /// The index, the kind, and the image offset: as columns of numbers hold it.
    pub(crate) fn parts(self) -> (u32, u8, [i32; 3]) {
        match self {
            With::Body(body, image) => (body, 0, image),
            With::Face(face) => (face, 1, [0; 3]),
            With::Rope(link) => (link, 2, [0; 3]),
            With::Strut(link) => (link, 3, [0; 3]),
            With::Pieces(body, _) => (body, 4, [0; 3]),
            With::Wall(face, _) => (face, 5, [0; 3]),
        }
    }

    /// Where a solid is touched; none for spheres and links.
    pub fn seat(self) -> Option<Seat> {
        match self {
            With::Pieces(_, seat) | With::Wall(_, seat) => Some(seat),
            _ => None,
        }
    }

    /// The other body, if there is one.
    pub fn body(self, model: &Model) -> Option<usize> {
        let far_end = |link: u32| model.links.get(link as usize).map(|link| link.b as usize);
        match self {
            With::Body(body, _) | With::Pieces(body, _) => Some(body as usize),
            With::Face(_) | With::Wall(..) => None,
            With::Rope(link) | With::Strut(link) => far_end(link),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    pub outcome: Outcome,
    /// Empty unless the run came to rest.
    pub contacts: Vec<Contact>,
    pub certificate: Option<Certificate>,
    pub seconds: f64,
    pub cpu_seconds: f64,
    /// Seconds per act after the last frame: the proof of rest.
    pub acts: Vec<f32>,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Rest,
    Duration,
    StepLimit,
    Interrupted,
    Failed,
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
    pub unknowns: u64,
    pub unstable_modes: u64,
    pub neutral_modes: u64,
    /// Smallest singular value that is not a null mode: how far from a mechanism.
    pub margin: f64,
    /// In words: "strict minimum", "minimum up to neutral modes", ...
    pub verdict: String,
}

/// A hash of the exact bits of a configuration.
///
/// ```
/// use riprap::{math::DVec3, trajectory::state_hash};
/// let next = f64::from_bits(1.0_f64.to_bits() + 1);
/// assert_ne!(state_hash(&[DVec3::X]), state_hash(&[DVec3::new(next, 0.0, 0.0)]));
/// ```
pub fn state_hash(positions: &[DVec3]) -> u64 {
    hash_words(positions.iter().flat_map(|p| p.to_array()).map(f64::to_bits))
}

impl Frame {
    /// The hash of the whole state: positions and, of bricks, how they are turned and move.
    pub fn hash(&self) -> u64 {
        let Some(bricks) = &self.bricks else { return state_hash(&self.positions) };
        let vectors = [&self.positions, &bricks.velocities, &bricks.spins];
        let numbers = vectors.into_iter().flatten().flat_map(|v| v.to_array());
        let turns = bricks.rotations.iter().flat_map(|q| q.to_array());
        hash_words(numbers.chain(turns).map(f64::to_bits))
    }
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

    #[test]
    fn the_hash_is_the_documented_one() {
        // The values that the recipe of FORMAT.md gives, so that nobody changes it unawares.
        assert_eq!(state_hash(&[]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash_words([1, 2, 3].into_iter()), 0x0c07_b167_c320_3d34);
        assert_eq!(hash_bytes(b"riprap run"), 0x1865_3487_7bd7_1507);
    }

    #[test]
    fn every_bit_counts() {
        let positions = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0)];
        let flip = |bits: &[(usize, u32)]| {
            let mut flipped = positions;
            for &(i, bit) in bits {
                let value = &mut flipped[i / 3][i % 3];
                *value = f64::from_bits(value.to_bits() ^ 1 << bit);
            }
            state_hash(&flipped)
        };
        for i in 0..6 {
            for bit in 0..64 {
                assert_ne!(flip(&[(i, bit)]), flip(&[]));
                assert_ne!(flip(&[(i, bit), (5 - i, 63)]), flip(&[]), "two signs do not cancel");
            }
        }
        assert_ne!(state_hash(&[DVec3::ZERO]), state_hash(&[-DVec3::ZERO]));
        assert_ne!(state_hash(&[DVec3::ZERO]), state_hash(&[DVec3::ZERO; 2]));
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
