//! Lossless packing of 64-bit words that change little from frame to frame.
//!
//! Each word is predicted from the words at the same place one and two frames
//! earlier. What differs is marked in a bit mask and kept as a small number,
//! sorted by bytes, and compressed: bodies at rest cost an eighth of a byte or
//! less, and the high bytes of moving ones vanish.

use std::cell::RefCell;
use std::io::Read;

use flate2::read::ZlibDecoder;
use flate2::{Compress, Compression, FlushCompress, Status};

/// The last values of a column, from which the next ones are predicted.
#[derive(Default)]
pub(super) struct Past {
    last: Option<Vec<u64>>,
    before: Option<Vec<u64>>,
    /// A column of the same frame that is much alike.
    twin: Option<Vec<u64>>,
}

impl Past {
    /// A past of one frame.
    pub(super) fn of(values: &[crate::math::DVec3]) -> Past {
        Past { last: Some(super::column::split(values)), before: None, twin: None }
    }

    /// Lets a column of the same frame be a prediction, too.
    pub(super) fn has_twin(&mut self, values: &[crate::math::DVec3]) {
        self.twin = Some(super::column::split(values));
    }

    pub(super) fn remember(&mut self, words: Vec<u64>) {
        self.before = self.last.replace(words);
    }

    /// What `count` words are expected to be. Order 0 expects zeros, order 1
    /// the last values, order 2 that they change as they changed last time, order 3 another column.
    /// `None` if the past is too short or of another size.
    fn prediction(&self, order: u8, count: usize) -> Option<Vec<u64>> {
        let fits = |words: &&Vec<u64>| words.len() == count;
        let last = || self.last.as_ref().filter(fits);
        match order {
            0 => Some(vec![0; count]),
            1 => last().cloned(),
            2 => {
                let before = self.before.as_ref().filter(fits)?;
                let steady = |(&a, &b): (&u64, &u64)| a.wrapping_add(a.wrapping_sub(b));
                Some(last()?.iter().zip(before).map(steady).collect())
            }
            3 => self.twin.as_ref().filter(fits).cloned(),
            _ => None,
        }
    }
}

/// Packs words; returns the order of the prediction that was best, and the bytes.
pub(super) fn pack(words: &[u64], past: &Past) -> (u8, Vec<u8>) {
    let mut best: Option<(u8, u64, Vec<u64>)> = None;
    for order in [3, 2, 1, 0] {
        // Zeros are a poor guess as soon as there is a past at all.
        if order == 0 && best.is_some() {
            break;
        }
        let Some(prediction) = past.prediction(order, words.len()) else { continue };
        let errors: Vec<u64> =
            words.iter().zip(&prediction).map(|(w, p)| fold_sign(w.wrapping_sub(*p))).collect();
        let cost = errors.iter().map(|&e| significant_bytes(e)).sum();
        if best.as_ref().is_none_or(|(_, least, _)| cost < *least) {
            best = Some((order, cost, errors));
        }
    }
    let (order, _, errors) = best.unwrap_or_default();
    (order, deflate(&sort_by_bytes(&errors)))
}

/// The inverse of [`pack`]; `None` if the bytes are not `count` packed words.
pub(super) fn unpack(packed: &[u8], order: u8, count: usize, past: &Past) -> Option<Vec<u64>> {
    let bytes = inflate(packed, count.checked_mul(8)?.checked_add(count.div_ceil(8))?)?;
    // The mask bounds the count before anything of that size is made.
    let (mask, planes) = bytes.split_at_checked(count.div_ceil(8))?;
    let stored = planes.len() / 8;
    if planes.len() % 8 != 0 {
        return None;
    }
    let mut words = past.prediction(order, count)?;
    let mut next = 0;
    for (i, word) in words.iter_mut().enumerate() {
        if mask[i / 8] >> (i % 8) & 1 == 1 {
            if next == stored {
                return None;
            }
            let error =
                (0..8).fold(0, |sum, b| sum | u64::from(planes[b * stored + next]) << (8 * b));
            *word = word.wrapping_add(unfold_sign(error));
            next += 1;
        }
    }
    (next == stored).then_some(words)
}

/// A mask of the words that are not zero; then these words' lowest bytes, then
/// their second ones, and so on.
fn sort_by_bytes(words: &[u64]) -> Vec<u8> {
    let mut bytes = vec![0; words.len().div_ceil(8)];
    for (i, &word) in words.iter().enumerate() {
        bytes[i / 8] |= u8::from(word != 0) << (i % 8);
    }
    let stored: Vec<u64> = words.iter().copied().filter(|&word| word != 0).collect();
    for b in 0..8 {
        bytes.extend(stored.iter().map(|word| (word >> (8 * b)) as u8));
    }
    bytes
}

/// Small differences of either sign to small numbers: 0, -1, 1, -2, 2 ... become 0, 1, 2, 3, 4 ...
fn fold_sign(difference: u64) -> u64 {
    (difference << 1) ^ ((difference as i64) >> 63) as u64
}

fn unfold_sign(folded: u64) -> u64 {
    (folded >> 1) ^ (folded & 1).wrapping_neg()
}

fn significant_bytes(word: u64) -> u64 {
    u64::from((71 - word.leading_zeros()) / 8)
}

/// Little effort for zlib. Of long columns, level 1 is 1.6 times as fast, but makes 5 percent more
/// of them, and level 6 takes 1.5 times as long for less than 1 percent. Short ones take
/// more time than they have bytes, so they get the least effort.
const LEVELS: [u32; 2] = [1, 2];

/// Columns of so many bytes are long.
const LONG: usize = 8192;

thread_local! {
    /// For short and for long columns: making one takes longer than packing a short column with it.
    static COMPRESS: RefCell<[Compress; 2]> =
        RefCell::new(LEVELS.map(|level| Compress::new(Compression::new(level), true)));
}

pub(super) fn deflate(bytes: &[u8]) -> Vec<u8> {
    COMPRESS.with_borrow_mut(|compress| {
        let compress = &mut compress[usize::from(bytes.len() >= LONG)];
        compress.reset();
        let mut packed = Vec::with_capacity(bytes.len() / 2 + 64);
        loop {
            let rest = &bytes[compress.total_in() as usize..];
            // It fails only if it is used after its end, and until then wants no more than room.
            match compress.compress_vec(rest, &mut packed, FlushCompress::Finish) {
                Ok(Status::StreamEnd) | Err(_) => return packed,
                Ok(_) => packed.reserve(bytes.len() / 2 + 64),
            }
        }
    })
}

/// At most `limit` unpacked bytes; `None` if there are more or the stream is broken.
pub(super) fn inflate(packed: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    ZlibDecoder::new(packed).take((limit as u64).saturating_add(1)).read_to_end(&mut bytes).ok()?;
    (bytes.len() <= limit).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn signs_fold_to_small_numbers() {
        for (difference, folded) in [(0_i64, 0), (-1, 1), (1, 2), (-2, 3), (i64::MIN, u64::MAX)] {
            assert_eq!(fold_sign(difference as u64), folded);
            assert_eq!(unfold_sign(folded), difference as u64);
        }
    }

    #[test]
    fn what_goes_on_as_before_costs_next_to_nothing() {
        let line = |t: u64| (0..1000).map(|i| i * 1_000_003 + t * (i * i + 5)).collect::<Vec<_>>();
        let mut past = Past::default();
        let sizes: Vec<_> = (0..4)
            .map(|t| {
                let (order, bytes) = pack(&line(t), &past);
                past.remember(line(t));
                (order, bytes.len())
            })
            .collect();
        assert_eq!(sizes.iter().map(|s| s.0).collect::<Vec<_>>(), [0, 1, 2, 2]);
        assert!(sizes[0].1 > 1000 && sizes[2].1 < 30, "{sizes:?}");
    }

    #[test]
    fn the_zeros_of_a_flat_scene_cost_next_to_nothing() {
        let noise = |i: u64| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let flat: Vec<u64> = (0..2000).map(noise).collect();
        let with_zeros = [flat.as_slice(), &[0; 1000]].concat();
        let size = |words: &[u64]| pack(words, &Past::default()).1.len();
        assert!(size(&with_zeros) < size(&flat) + 20);
    }

    #[test]
    fn the_better_order_is_taken() {
        let mut past = Past::default();
        past.remember(vec![1 << 40; 50]);
        past.remember(vec![2 << 40; 50]);
        assert_eq!(pack(&[3 << 40; 50], &past).0, 2);
        assert_eq!(pack(&[2 << 40; 50], &past).0, 1);
        assert_eq!(pack(&[7; 9], &past).0, 0, "another size has no past");
    }

    #[test]
    fn wrong_counts_and_missing_pasts_are_noticed() {
        let words = [5, 0, u64::MAX, 0, 0, 0, 0, 0, 9];
        let (order, bytes) = pack(&words, &Past::default());
        assert_eq!(unpack(&bytes, order, 9, &Past::default()), Some(words.to_vec()));
        for count in [0, 1, 8, 17, 1000, usize::MAX, usize::MAX / 8] {
            assert_eq!(unpack(&bytes, order, count, &Past::default()), None, "count {count}");
        }
        assert_eq!(unpack(&bytes, 1, 9, &Past::default()), None);
        assert_eq!(unpack(&bytes, 3, 9, &Past::default()), None);
        assert_eq!(unpack(&bytes[..bytes.len() - 5], order, 9, &Past::default()), None);
    }

    proptest! {
        #[test]
        fn frames_come_back_bit_by_bit(
            frames in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..40), 1..6)
        ) {
            let (mut writing, mut reading) = (Past::default(), Past::default());
            for words in frames {
                let (order, bytes) = pack(&words, &writing);
                let back = unpack(&bytes, order, words.len(), &reading);
                prop_assert_eq!(back.as_ref(), Some(&words));
                writing.remember(words.clone());
                reading.remember(words);
            }
        }

        #[test]
        fn no_bytes_make_it_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..60), order in 0_u8..4, count in 0_usize..50
        ) {
            unpack(&bytes, order, count, &Past::default());
            unpack(&deflate(&bytes), order, count, &Past::default());
        }
    }
}
