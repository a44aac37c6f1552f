//! Numbers that look random and are the same everywhere: xoshiro256++ by
//! Blackman and Vigna, its state filled by SplitMix64. All randomness of a run
//! comes from the scene's seed through this generator, and its whole state is
//! four plain integers, so a checkpoint can keep it.

/// A small deterministic random number generator.
///
/// ```
/// use riprap::math::Random;
/// let (mut a, mut b) = (Random::new(7), Random::new(7));
/// assert_eq!(a.unit(), b.unit());
/// let mut c = Random::from_state(a.state());
/// assert_eq!(a.between(2.0, 3.0), c.between(2.0, 3.0));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The generator of this seed; nearby seeds give unrelated numbers.
    pub fn new(seed: u64) -> Self {
        let mut counter = seed;
        Random { state: std::array::from_fn(|_| split_mix(&mut counter)) }
    }

    /// One of many generators of the same seed, unrelated to each other, so
    /// that what one consumer draws does not change what the next one gets.
    pub fn stream(seed: u64, number: u64) -> Self {
        let mut counter = number;
        Random::new(seed ^ split_mix(&mut counter))
    }

    /// Goes on from what [`Random::state`] returned. Four zeros are no state
    /// (all further numbers would be zero) and stand for seed 0.
    pub fn from_state(state: [u64; 4]) -> Self {
        if state == [0; 4] { Random::new(0) } else { Random { state } }
    }

    /// Everything the next numbers depend on.
    pub fn state(&self) -> [u64; 4] {
        self.state
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Evenly distributed in 0 <= x < 1.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Evenly distributed between `low` and `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Normally distributed with mean 0 and variance 1 (Marsaglia's polar
    /// method; the second number it offers is dropped, to keep the state small).
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (self.between(-1.0, 1.0), self.between(-1.0, 1.0));
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * square.ln() / square).sqrt();
            }
        }
    }
}

/// Advances the counter and scrambles it.
fn split_mix(counter: &mut u64) -> u64 {
    *counter = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *counter;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_generators_give_the_published_numbers() {
        let mut counter = 1_234_567;
        assert_eq!(split_mix(&mut counter), 6_457_827_717_110_365_317);
        assert_eq!(split_mix(&mut counter), 3_203_168_211_198_807_973);
        let mut random = Random::from_state([1, 2, 3, 4]);
        let published = [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386];
        assert_eq!(published.map(|_| random.next_u64()), published);
    }

    #[test]
    fn streams_of_one_seed_differ() {
        let first: Vec<u64> = (0..100).map(|k| Random::stream(1, k).next_u64()).collect();
        let mut sorted = first.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), first.len());
    }

    #[test]
    fn moments_are_those_of_the_distributions() {
        let mut random = Random::new(1);
        let n = 20_000;
        let units: Vec<f64> = (0..n).map(|_| random.unit()).collect();
        assert!(units.iter().all(|u| (0.0..1.0).contains(u)));
        assert!((units.iter().sum::<f64>() / n as f64 - 0.5).abs() < 0.01);
        let normals: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let mean = normals.iter().sum::<f64>() / n as f64;
        let variance = normals.iter().map(|x| x * x).sum::<f64>() / n as f64;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.04, "{mean} {variance}");
    }

    #[test]
    fn no_state_is_stuck_at_zero() {
        assert_ne!(Random::from_state([0; 4]).next_u64(), 0);
    }
}
