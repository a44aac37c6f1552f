//! Random scenes of bodies in motion, of 25 kinds, the same for the same seed.

use riprap::math::Random;

use super::draft::{Draft, Size};
use super::{fast, heaps, linked, soft, stacks};

/// A scene that nobody chose.
pub struct Motion {
    pub kind: &'static str,
    pub seed: u64,
    pub text: String,
    /// Nothing in it gives energy to bodies: no motor, driven body, pressure or force.
    pub is_passive: bool,
}

pub type Kind = (&'static str, bool, fn(&mut Draft));

/// Names, whether nothing gives energy, and how they are made.
pub const KINDS: [Kind; 25] = [
    ("chain", true, linked::chain),
    ("chain-flat", true, linked::chain_flat),
    ("chain-collapse", true, linked::chain_collapse),
    ("rope", true, linked::rope),
    ("tethers", true, linked::tethers),
    ("heap-balls", true, heaps::heap_balls),
    ("heap-shapes", true, heaps::heap_shapes),
    ("heap-flat", true, heaps::heap_flat),
    ("heap-collapse", true, heaps::heap_collapse),
    ("heap-paper", true, heaps::heap_paper),
    ("spin", true, fast::spin),
    ("spin-floor", true, fast::spin_floor),
    ("rolling", true, fast::rolling),
    ("cloth-load", true, soft::cloth_load),
    ("cloth-hung", true, soft::cloth_hung),
    ("balloon", false, soft::balloon),
    ("projectile", true, fast::projectile),
    ("projectile-collapse", true, fast::projectile_collapse),
    ("masses", true, stacks::masses),
    ("tower", true, stacks::tower),
    ("tower-collapse", true, stacks::tower_collapse),
    ("machines", false, linked::machines),
    ("driven", false, heaps::driven),
    ("vessel", true, heaps::vessel),
    ("forces", false, heaps::forces),
];

/// The scene of a seed.
pub fn motion(seed: u64, size: Size) -> Motion {
    made(KINDS[(seed % KINDS.len() as u64) as usize], seed, size)
}

/// A scene of a kind.
pub fn made((kind, is_passive, make): Kind, seed: u64, size: Size) -> Motion {
    let text = format!("name = \"{kind}-{seed}\"\nseed = {seed}\n");
    let mut draft = Draft { random: Random::new(seed), size, text };
    make(&mut draft);
    Motion { kind, seed, text: draft.text, is_passive }
}
