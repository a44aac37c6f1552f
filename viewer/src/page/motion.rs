//! The motion, made small: coordinates as 16-bit numbers within the scene's
//! bounds, each frame as the difference from the one before, and only as many
//! frames as fit into the page.

use riprap::Result;
use riprap::math::DVec3;
use riprap::trajectory::Reader;

use super::arrays::{Packer, base64};
use super::survey::Bounds;

/// A browser keeps all frames unpacked: no more bytes than a phone can spare.
const MOST_UNPACKED: usize = 128 << 20;

/// The frames that a page shows.
pub(super) struct Motion {
    /// One frame in so many is shown, besides the last.
    pub every: usize,
    /// The numbers of the frames shown.
    pub shown: Vec<usize>,
    pub text: String,
}

/// Packs as many frames as fit into `budget` letters; at least the first and the last.
pub(super) fn pack(reader: &Reader, bounds: Bounds, budget: usize) -> Result<Motion> {
    let grid = Grid { bounds, axes: reader.model().dimension };
    let frame_size = 2 * grid.axes * reader.model().bodies.len().max(1);
    let most = (MOST_UNPACKED / frame_size).max(2);
    let mut every = reader.len().div_ceil(most).max(1);
    loop {
        let shown = shown(reader.len(), every);
        let limit = if shown.len() <= 2 { usize::MAX } else { budget / 4 * 3 };
        match grid.pack(reader, &shown, limit)? {
            Packed::Whole(bytes) => return Ok(Motion { every, shown, text: base64(&bytes) }),
            Packed::TooLarge { after } => {
                // Later frames are often smaller (bodies rest), so go only half of the way.
                let needed = every * shown.len() / after.max(1);
                every = every.midpoint(needed).max(every + 1);
            }
        }
    }
}

/// Every so many frames of `frames`, and the last one.
fn shown(frames: usize, every: usize) -> Vec<usize> {
    let last = frames.saturating_sub(1);
    let mut shown: Vec<usize> = (0..last).step_by(every).collect();
    shown.push(last);
    shown
}

enum Packed {
    Whole(Vec<u8>),
    /// The limit was passed after so many frames.
    TooLarge {
        after: usize,
    },
}

/// The raster on which positions are shown.
#[derive(Clone, Copy)]
struct Grid {
    bounds: Bounds,
    /// Coordinates per body: 2 or 3.
    axes: usize,
}

impl Grid {
    fn pack(&self, reader: &Reader, shown: &[usize], limit: usize) -> Result<Packed> {
        let mut packer = Packer::default();
        let mut before = vec![0; self.axes * reader.model().bodies.len()];
        for (after, &index) in shown.iter().enumerate() {
            let now = self.points(&reader.frame(index)?.positions);
            packer.write(&differences(&before, &now));
            if packer.len() > limit {
                return Ok(Packed::TooLarge { after });
            }
            before = now;
        }
        let bytes = packer.finish();
        Ok(if bytes.len() > limit {
            Packed::TooLarge { after: shown.len() }
        } else {
            Packed::Whole(bytes)
        })
    }

    /// All x coordinates, then all y, then all z: neighbours in this order resemble each other.
    fn points(&self, positions: &[DVec3]) -> Vec<u16> {
        let axis = |k: usize| {
            let (min, size) = (self.bounds.min[k], self.bounds.size[k]);
            let scale = if size > 0.0 { f64::from(u16::MAX) / size } else { 0.0 };
            // The conversion saturates, and what is not a number becomes 0.
            positions.iter().map(move |p| ((p[k] - min) * scale).round() as u16)
        };
        (0..self.axes).flat_map(axis).collect()
    }
}

/// What changed, small changes of either sign as small numbers, the low bytes
/// of all before the high bytes of all: these are mostly 0.
fn differences(before: &[u16], now: &[u16]) -> Vec<u8> {
    let changes = before.iter().zip(now).map(|(before, now)| {
        let change = now.wrapping_sub(*before) as i16;
        ((change << 1) ^ (change >> 15)).to_le_bytes()
    });
    let (mut low, high): (Vec<u8>, Vec<u8>) = changes.map(|[low, high]| (low, high)).unzip();
    low.extend(high);
    low
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::super::arrays::tests::unpack;
    use super::*;
    use crate::samples;

    /// What the browser does with a frame.
    fn restore(before: &[u16], bytes: &[u8]) -> Vec<u16> {
        let (low, high) = bytes.split_at(before.len());
        let change = |k: usize| {
            let folded = u16::from_le_bytes([low[k], high[k]]);
            folded >> 1 ^ (folded & 1).wrapping_neg()
        };
        (0..before.len()).map(|k| before[k].wrapping_add(change(k))).collect()
    }

    proptest! {
        #[test]
        fn differences_lose_nothing(pairs in prop::collection::vec(any::<(u16, u16)>(), 0..40)) {
            let (before, now): (Vec<u16>, Vec<u16>) = pairs.into_iter().unzip();
            prop_assert_eq!(restore(&before, &differences(&before, &now)), now);
        }

        #[test]
        fn points_are_exact_to_half_a_grid_line(x in 0.0..1.0, y in 0.0..1.0, z in 0.0..1.0) {
            let bounds = Bounds { min: DVec3::new(1e6, -3.0, 0.0), size: DVec3::new(2.0, 0.1, 700.0) };
            let point = bounds.min + bounds.size * DVec3::new(x, y, z);
            let grid = Grid { bounds, axes: 3 };
            for (k, value) in grid.points(&[point]).into_iter().enumerate() {
                let back = bounds.min[k] + f64::from(value) / 65535.0 * bounds.size[k];
                prop_assert!((back - point[k]).abs() <= 0.500001 / 65535.0 * bounds.size[k]);
            }
        }
    }

    #[test]
    fn odd_positions_stay_on_the_grid() {
        let bounds = Bounds { min: DVec3::ZERO, size: DVec3::new(1.0, 0.0, 1.0) };
        let far = DVec3::new(1e300, 3.0, f64::NAN);
        assert_eq!(Grid { bounds, axes: 3 }.points(&[far]), [65535, 0, 0]);
    }

    #[test]
    fn frames_come_back() {
        let run = samples::finished(27, 6);
        let reader = run.reader();
        let bounds = Bounds { min: DVec3::ZERO, size: DVec3::splat(6.0) };
        let motion = pack(&reader, bounds, usize::MAX).unwrap();
        assert_eq!((motion.every, motion.shown), (1, vec![0, 1, 2, 3, 4, 5]));
        let grid = Grid { bounds, axes: 3 };
        let mut points = vec![0; 81];
        let bytes = unpack(&motion.text);
        assert_eq!(bytes.len(), 6 * 81 * 2);
        for (index, packed) in bytes.chunks(162).enumerate() {
            points = restore(&points, packed);
            assert_eq!(points, grid.points(&reader.frame(index).unwrap().positions));
        }
    }

    #[test]
    fn frames_are_thinned_until_they_fit() {
        let run = samples::finished(64, 40);
        let reader = run.reader();
        let bounds = Bounds { min: DVec3::ZERO, size: DVec3::splat(6.0) };
        let whole = pack(&reader, bounds, usize::MAX).unwrap();
        assert_eq!(whole.shown.len(), 40);
        for part in [2, 3, 5] {
            let budget = whole.text.len() / part;
            let motion = pack(&reader, bounds, budget).unwrap();
            assert!(motion.text.len() <= budget, "{} of {budget}", motion.text.len());
            assert!(motion.every >= part && motion.shown.len() > 2, "{:?}", motion.shown);
            assert_eq!((motion.shown[0], motion.shown.last()), (0, Some(&39)));
            assert!(motion.shown.windows(2).rev().skip(1).all(|w| w[1] - w[0] == motion.every));
        }
        let least = pack(&reader, bounds, 0).unwrap();
        assert_eq!(least.shown, [0, 39], "start and end are always shown");
    }

    #[test]
    fn a_single_frame_is_shown_once() {
        assert_eq!((shown(1, 1), shown(2, 1), shown(5, 3)), (vec![0], vec![0, 1], vec![0, 3, 4]));
    }
}
