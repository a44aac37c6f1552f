//! The motion, made small: coordinates as 16-bit numbers within the bounds of
//! all that moves, turns likewise, each frame as the difference from what the
//! frames before it promised, and only as many frames as fit into the page. What
//! stands, and what does not turn, costs nothing.

use riprap::Result;
use riprap::export::base64;
use riprap::math::DVec3;
use riprap::world::State;

use super::arrays::Packer;
use super::film::Film;
use super::survey::{Bounds, Survey};
use super::turns;

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
pub(super) fn pack(film: &impl Film, survey: &Survey, budget: usize) -> Result<Motion> {
    let track = Track::new(film, survey);
    let most = (MOST_UNPACKED / (2 * track.count()).max(1)).max(2);
    let mut every = film.frames().div_ceil(most).max(1);
    loop {
        let shown = shown(film.frames(), every);
        let limit = if shown.len() <= 2 { usize::MAX } else { budget / 4 * 3 };
        match track.pack(film, &shown, limit)? {
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
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub bounds: Bounds,
}

impl Grid {
    /// The lines nearest to a coordinate.
    fn line(&self, axis: usize, x: f64) -> u16 {
        let (min, size) = (self.bounds.min[axis], self.bounds.size[axis]);
        let scale = if size > 0.0 { f64::from(u16::MAX) / size } else { 0.0 };
        // The conversion saturates, and what is not a number becomes 0.
        ((x - min) * scale).round() as u16
    }

    pub(super) fn point(&self, p: DVec3) -> [u16; 3] {
        [0, 1, 2].map(|axis| self.line(axis, p[axis]))
    }
}

/// What changes from frame to frame.
struct Track<'a> {
    grid: Grid,
    dimension: usize,
    movers: &'a [u32],
    turners: &'a [u32],
}

impl<'a> Track<'a> {
    fn new(film: &impl Film, survey: &'a Survey) -> Track<'a> {
        let Survey { movers, turners, grid, .. } = survey;
        let dimension = film.model().dimension;
        Track { grid: Grid { bounds: *grid }, dimension, movers, turners }
    }

    /// Numbers per frame.
    fn count(&self) -> usize {
        let turning = turns::numbers_per_turn(self.dimension) * self.turners.len();
        self.dimension * self.movers.len() + turning
    }

    fn pack(&self, film: &impl Film, shown: &[usize], limit: usize) -> Result<Packed> {
        let mut packer = Packer::default();
        let mut past = Past::new(self.count());
        for (after, &index) in shown.iter().enumerate() {
            let now = self.numbers(&film.state(index)?, &past.last);
            packer.write(&past.take(now));
            if packer.len() > limit {
                return Ok(Packed::TooLarge { after });
            }
        }
        let bytes = packer.finish();
        Ok(if bytes.len() > limit {
            Packed::TooLarge { after: shown.len() }
        } else {
            Packed::Whole(bytes)
        })
    }

    /// All x coordinates, then all y, then all z, then the turns likewise: neighbours in this
    /// order resemble each other.
    fn numbers(&self, state: &State, before: &[u16]) -> Vec<u16> {
        let mut numbers = Vec::with_capacity(self.count());
        for axis in 0..self.dimension {
            let line = |&i: &u32| self.grid.line(axis, state.positions[i as usize][axis]);
            numbers.extend(self.movers.iter().map(line));
        }
        let turn = |i: u32| state.rotations[i as usize];
        if self.dimension == 2 {
            numbers.extend(self.turners.iter().map(|&i| turns::angle(turn(i))));
            return numbers;
        }
        let left_out = &before[before.len() - self.turners.len()..];
        let parts = self.turners.iter().zip(left_out).map(|(&i, &k)| turns::parts(turn(i), k));
        let parts: Vec<[u16; 4]> = parts.collect();
        (0..4).for_each(|k| numbers.extend(parts.iter().map(|part| part[k])));
        numbers
    }
}

/// The last two frames, from which the next one is foretold.
struct Past {
    last: Vec<u16>,
    before: Vec<u16>,
}

impl Past {
    fn new(count: usize) -> Past {
        Past { last: vec![0; count], before: vec![0; count] }
    }

    /// The bytes that tell a frame: whether it is foretold to be as the last one (0) or to go on
    /// as before (1), whatever fits better; then what is different.
    fn take(&mut self, now: Vec<u16>) -> Vec<u8> {
        let goes_on = self.last.iter().zip(&self.before);
        let goes_on: Vec<u16> = goes_on.map(|(a, b)| a.wrapping_mul(2).wrapping_sub(*b)).collect();
        let cost = |foretold: &[u16]| -> u32 {
            foretold.iter().zip(&now).map(|(a, b)| 16 - folded(*a, *b).leading_zeros()).sum()
        };
        let straight = cost(&goes_on) < cost(&self.last);
        let foretold = if straight { &goes_on } else { &self.last };
        let mut bytes = vec![u8::from(straight)];
        bytes.extend(differences(foretold, &now));
        self.before = std::mem::replace(&mut self.last, now);
        bytes
    }
}

/// What is different, small changes of either sign as small numbers.
fn folded(foretold: u16, now: u16) -> u16 {
    let change = now.wrapping_sub(foretold) as i16;
    ((change << 1) ^ (change >> 15)) as u16
}

/// All differences, the low bytes of all before the high bytes of all: these are mostly 0.
fn differences(foretold: &[u16], now: &[u16]) -> Vec<u8> {
    let changes = foretold.iter().zip(now).map(|(a, b)| folded(*a, *b).to_le_bytes());
    let (mut low, high): (Vec<u8>, Vec<u8>) = changes.map(|[low, high]| (low, high)).unzip();
    low.extend(high);
    low
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::arrays::tests::unpack;
    use super::*;
    use crate::samples;

    /// What the browser does with a frame.
    fn restore(past: &mut Past, bytes: &[u8]) -> Vec<u16> {
        let count = past.last.len();
        let (low, high) = bytes[1..].split_at(count);
        let number = |k: usize| {
            let folded = u16::from_le_bytes([low[k], high[k]]);
            let change = folded >> 1 ^ (folded & 1).wrapping_neg();
            let step = past.last[k].wrapping_sub(past.before[k]).wrapping_mul(u16::from(bytes[0]));
            past.last[k].wrapping_add(step).wrapping_add(change)
        };
        let now: Vec<u16> = (0..count).map(number).collect();
        past.before = std::mem::replace(&mut past.last, now.clone());
        now
    }

    proptest! {
        #[test]
        fn differences_lose_nothing(
            frames in prop::collection::vec(prop::collection::vec(any::<u16>(), 7), 1..20),
        ) {
            let (mut writing, mut reading) = (Past::new(7), Past::new(7));
            for frame in frames {
                let bytes = writing.take(frame.clone());
                prop_assert_eq!(restore(&mut reading, &bytes), frame);
            }
        }

        #[test]
        fn points_are_exact_to_half_a_grid_line(x in 0.0..1.0, y in 0.0..1.0, z in 0.0..1.0) {
            let bounds = Bounds { min: DVec3::new(1e6, -3.0, 0.0), size: DVec3::new(2.0, 0.1, 700.0) };
            let point = bounds.min + bounds.size * DVec3::new(x, y, z);
            let grid = Grid { bounds };
            for (k, value) in grid.point(point).into_iter().enumerate() {
                let back = bounds.min[k] + f64::from(value) / 65535.0 * bounds.size[k];
                prop_assert!((back - point[k]).abs() <= 0.500001 / 65535.0 * bounds.size[k]);
            }
        }
    }

    #[test]
    fn odd_positions_stay_on_the_grid() {
        let bounds = Bounds { min: DVec3::ZERO, size: DVec3::new(1.0, 0.0, 1.0) };
        let far = DVec3::new(1e300, 3.0, f64::NAN);
        assert_eq!(Grid { bounds }.point(far), [65535, 0, 0]);
    }

    #[test]
    fn even_motion_is_foretold() {
        let mut past = Past::new(1);
        let taken: Vec<Vec<u8>> = [7, 107, 207, 307].map(|x| past.take(vec![x])).to_vec();
        assert_eq!(taken[2..], [[1, 0, 0], [1, 0, 0]], "nothing to tell");
    }

    #[test]
    fn frames_come_back() {
        for run in [samples::finished(27, 6), samples::collapse(6), samples::dynamics(12, 6)] {
            let reader = run.reader();
            let survey = Survey::of(&reader).unwrap();
            let motion = pack(&reader, &survey, usize::MAX).unwrap();
            assert_eq!((motion.every, motion.shown), (1, vec![0, 1, 2, 3, 4, 5]));
            let track = Track::new(&reader, &survey);
            let bytes = unpack(&motion.text);
            assert_eq!(bytes.len(), 6 * (1 + 2 * track.count()));
            let mut past = Past::new(track.count());
            for (index, packed) in bytes.chunks(1 + 2 * track.count()).enumerate() {
                let before = past.last.clone();
                let state = reader.frame(index).unwrap().state;
                assert_eq!(restore(&mut past, packed), track.numbers(&state, &before));
            }
        }
    }

    #[test]
    fn what_stands_costs_nothing() {
        let run = samples::dynamics(12, 6);
        let survey = Survey::of(&run.reader()).unwrap();
        let track = Track::new(&run.reader(), &survey);
        let balls = 6;
        assert_eq!(track.count(), 3 * 11 + 4 * (12 - balls), "one of them only turns");
    }

    #[test]
    fn frames_are_thinned_until_they_fit() {
        let run = samples::finished(64, 40);
        let reader = run.reader();
        let survey = Survey::of(&reader).unwrap();
        let whole = pack(&reader, &survey, usize::MAX).unwrap();
        assert_eq!(whole.shown.len(), 40);
        for part in [2, 3, 5] {
            let budget = whole.text.len() / part;
            let motion = pack(&reader, &survey, budget).unwrap();
            assert!(motion.text.len() <= budget, "{} of {budget}", motion.text.len());
            assert!(motion.every >= part && motion.shown.len() > 2, "{:?}", motion.shown);
            assert_eq!((motion.shown[0], motion.shown.last()), (0, Some(&39)));
            assert!(motion.shown.windows(2).rev().skip(1).all(|w| w[1] - w[0] == motion.every));
        }
        let least = pack(&reader, &survey, 0).unwrap();
        assert_eq!(least.shown, [0, 39], "start and end are always shown");
    }

    #[test]
    fn a_single_frame_is_shown_once() {
        assert_eq!((shown(1, 1), shown(2, 1), shown(5, 3)), (vec![0], vec![0, 1], vec![0, 3, 4]));
    }
}
