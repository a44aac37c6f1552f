//! Which colour a body has: one of four friendly ones by its number or group,
//! or a place on a ramp by its size, its way or its load. Ramps are drawn in
//! Oklab [Ottosson 2020], where equal steps look equal.

use glam::Vec3;

use crate::picture::from_screen;
use crate::sampling::hash;

/// What the colours of the bodies say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Colours {
    /// Nothing: a cheerful mix.
    #[default]
    Body,
    Group,
    Radius,
    /// The way from the run's first frame.
    Displacement,
    /// The sum of the contact forces at the end of the run.
    Force,
}

const MIX: [[u8; 3]; 4] = [[236, 140, 76], [238, 190, 62], [236, 234, 228], [52, 148, 206]];
const MORE: [[u8; 3]; 4] = [[104, 172, 98], [196, 84, 92], [138, 112, 186], [92, 98, 110]];

/// One of the four colours of the mix, by chance but always the same for a number.
pub fn mixed(number: u32) -> Vec3 {
    from_screen(MIX[hash(number ^ 0x5eed) as usize % MIX.len()])
}

/// One colour per group; they repeat after eight.
pub fn grouped(group: u32) -> Vec3 {
    let place = group as usize % (MIX.len() + MORE.len());
    from_screen(if place < MIX.len() { MIX[place] } else { MORE[place - MIX.len()] })
}

/// Deep blue through purple and orange to yellow, ever lighter, for `t` from 0 to 1.
pub fn ramp(t: f32) -> Vec3 {
    let t = if t.is_nan() { 0.0 } else { t.clamp(0.0, 1.0) };
    let hue = (270.0 + 185.0 * t).to_radians();
    let chroma = 0.15 - 0.03 * (2.0 * t - 1.0).abs();
    oklab(0.36 + 0.52 * t, chroma * hue.cos(), chroma * hue.sin())
        .clamp(Vec3::splat(0.005), Vec3::splat(0.95))
}

/// The colours of a list of values, from its smallest to its largest finite one.
pub fn ramped(values: &[f64]) -> Vec<Vec3> {
    let finite = values.iter().filter(|v| v.is_finite());
    let (low, high) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    let place = |v: f64| if high > low { ((v - low) / (high - low)) as f32 } else { 0.5 };
    values.iter().map(|&v| ramp(place(v))).collect()
}

/// Oklab to linear sRGB.
fn oklab(l: f32, a: f32, b: f32) -> Vec3 {
    let cube = |x: f32| x * x * x;
    let l_ = cube(l + 0.396_337_78 * a + 0.215_803_76 * b);
    let m_ = cube(l - 0.105_561_346 * a - 0.063_854_17 * b);
    let s_ = cube(l - 0.089_484_18 * a - 1.291_485_5 * b);
    Vec3::new(
        4.076_741_7 * l_ - 3.307_711_6 * m_ + 0.230_969_93 * s_,
        -1.268_438 * l_ + 2.609_757_4 * m_ - 0.341_319_4 * s_,
        -0.004_196_086 * l_ - 0.703_418_6 * m_ + 1.707_614_7 * s_,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::denoise::luminance;

    #[test]
    fn the_ramp_gets_ever_lighter() {
        let lights: Vec<f32> = (0..=50).map(|i| luminance(ramp(i as f32 / 50.0))).collect();
        assert!(lights.windows(2).all(|pair| pair[0] < pair[1]), "{lights:?}");
    }

    #[test]
    fn oklab_knows_white_and_grey() {
        assert!((oklab(1.0, 0.0, 0.0) - Vec3::ONE).length() < 1e-4);
        assert!((oklab(0.5, 0.0, 0.0) - Vec3::splat(0.125)).length() < 1e-4);
    }

    #[test]
    fn values_spread_over_the_ramp_and_nothing_breaks_it() {
        let colours = ramped(&[2.0, 4.0, 3.0]);
        assert_eq!(colours, [ramp(0.0), ramp(1.0), ramp(0.5)]);
        assert_eq!(ramped(&[7.0, 7.0]), [ramp(0.5), ramp(0.5)]);
        assert_eq!(ramped(&[f64::NAN, 0.0, 1.0])[0], ramp(0.0));
        assert!(ramped(&[]).is_empty());
    }

    #[test]
    fn the_mix_uses_all_its_colours_about_equally() {
        for colour in MIX {
            let count = (0..1000).filter(|&i| mixed(i) == from_screen(colour)).count();
            assert!((200..300).contains(&count), "{count}");
        }
        assert_ne!(grouped(0), grouped(7));
        assert_eq!(grouped(1), grouped(9));
    }
}
