//! The one palette: a body has the same colour in a movie, on a page, in a
//! vector picture and in other programs. Colours are red, green and blue as
//! screens show them.

use crate::math::Random;
use crate::world::Model;

/// Red, green and blue, 0 to 255.
pub type Rgb = [u8; 3];

/// A cheerful mix for bodies of which none differs from the others.
pub const MIX: [Rgb; 4] = [[236, 140, 76], [238, 190, 62], [236, 234, 228], [52, 148, 206]];

/// Colours for things that have no order, such as groups: they keep apart for
/// most colour-blind people and read on white as well as on nearly black.
pub const DISTINCT: [Rgb; 8] = [
    [0x2f, 0x9e, 0x8f],
    [0xe8, 0xa3, 0x3d],
    [0xdd, 0x6b, 0x4d],
    [0x5b, 0x74, 0xb8],
    [0xa8, 0x62, 0x8f],
    [0x8a, 0xa3, 0x48],
    [0x58, 0xae, 0xd6],
    [0xc2, 0x93, 0x6a],
];

/// Stops of a scale from little to much, ever lighter.
pub const SCALE: [Rgb; 5] = [
    [0x34, 0x30, 0x7a],
    [0x2d, 0x66, 0xa3],
    [0x2a, 0x9d, 0x9a],
    [0x7f, 0xc4, 0x7b],
    [0xec, 0xc9, 0x4f],
];

/// Stops of a scale of forces, from hardly any to the strongest, ever lighter.
pub const FORCES: [Rgb; 5] = [
    [0x4a, 0x5f, 0x9c],
    [0x8a, 0x5f, 0xa8],
    [0xcf, 0x5a, 0x80],
    [0xee, 0x83, 0x50],
    [0xf6, 0xc9, 0x5c],
];

/// The colour of each body unless another is asked for: by group if there are
/// several, else a mix.
pub fn own_colours(model: &Model) -> Vec<Rgb> {
    let several = model.groups.len() > 1;
    let colour = |(number, group): (usize, u32)| match several {
        true => distinct(group as usize),
        false => mixed(number),
    };
    model.bodies.iter().map(|body| body.group).enumerate().map(colour).collect()
}

/// One of the colours of the mix, by chance but always the same for a number.
pub fn mixed(number: usize) -> Rgb {
    MIX[(Random::stream(0, number as u64).next_u64() % MIX.len() as u64) as usize]
}

/// The colour of the group or series with this number; they repeat after eight.
pub fn distinct(number: usize) -> Rgb {
    DISTINCT[number % DISTINCT.len()]
}

/// The colour at `share` (0 to 1) of the way through some stops.
///
/// ```
/// use riprap::export::palette::{FORCES, along};
/// assert_eq!(along(&FORCES, 0.0), FORCES[0]);
/// assert_eq!(along(&FORCES, 0.125), [0x6a, 0x5f, 0xa2]);
/// ```
pub fn along(stops: &[Rgb; 5], share: f64) -> Rgb {
    // Written so that what is not a number lands at the start.
    let share = if share > 0.0 { share.min(1.0) } else { 0.0 };
    let place = share * (stops.len() - 1) as f64;
    let (first, second) = (stops[place.floor() as usize], stops[place.ceil() as usize]);
    std::array::from_fn(|k| {
        let (a, b) = (f64::from(first[k]), f64::from(second[k]));
        (a + (b - a) * place.fract()).round() as u8
    })
}

/// As pages and vector pictures write it.
///
/// ```
/// assert_eq!(riprap::export::palette::hex([255, 0, 16]), "#ff0010");
/// ```
pub fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::samples;

    #[test]
    fn scales_run_through_their_stops_and_get_ever_lighter() {
        for stops in [&SCALE, &FORCES] {
            for (k, stop) in stops.iter().enumerate() {
                assert_eq!(along(stops, k as f64 / 4.0), *stop);
            }
            let light = |[r, g, b]: Rgb| {
                0.2126 * f64::from(r) + 0.7152 * f64::from(g) + 0.0722 * f64::from(b)
            };
            let lights: Vec<f64> = (0..=40).map(|k| light(along(stops, k as f64 / 40.0))).collect();
            assert!(lights.is_sorted_by(|a, b| a < b), "{lights:?}");
            assert_eq!(along(stops, f64::INFINITY), stops[4]);
            assert_eq!(along(stops, f64::NAN), stops[0]);
        }
    }

    #[test]
    fn the_mix_uses_all_its_colours_about_equally() {
        for colour in MIX {
            let count = (0..1000).filter(|&number| mixed(number) == colour).count();
            assert!((200..300).contains(&count), "{count}");
        }
    }

    #[test]
    fn groups_decide_if_there_are_several() {
        let mut model = samples::model(3);
        assert_eq!(own_colours(&model), [DISTINCT[0], DISTINCT[1], DISTINCT[0]]);
        model.groups.pop();
        assert_eq!(own_colours(&model), [mixed(0), mixed(1), mixed(2)]);
        assert_eq!(distinct(9), DISTINCT[1]);
    }
}
