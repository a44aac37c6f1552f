//! The colours of pages, vector pictures and plots, in one place so that they
//! agree. They keep apart for most colour-blind readers and read on white as
//! well as on nearly black.

/// Colours for things that have no order, such as groups.
pub const DISTINCT: [&str; 8] =
    ["#2f9e8f", "#e8a33d", "#dd6b4d", "#5b74b8", "#a8628f", "#8aa348", "#58aed6", "#c2936a"];

/// Stops of a scale from little to much.
pub const SCALE: [&str; 5] = ["#34307a", "#2d66a3", "#2a9d9a", "#7fc47b", "#ecc94f"];

/// Stops of a scale of forces, from hardly any to the strongest.
pub const FORCES: [&str; 5] = ["#4a5f9c", "#8a5fa8", "#cf5a80", "#ee8350", "#f6c95c"];

/// Lines, labels and guides: a grey that reads on light and on dark paper.
pub const INK: &str = "#78808c";

/// The colour of the group or series with this number.
///
/// ```
/// assert_eq!(riprap_viewer::palette::distinct(8), riprap_viewer::palette::distinct(0));
/// ```
pub fn distinct(number: usize) -> &'static str {
    DISTINCT[number % DISTINCT.len()]
}

/// The colour at `share` (0..1) of the way through some stops.
///
/// ```
/// use riprap_viewer::palette::{FORCES, along};
/// assert_eq!(along(&FORCES, 0.0), FORCES[0]);
/// assert_eq!(along(&FORCES, 0.125), "#6a5fa2");
/// ```
pub fn along(stops: &[&str], share: f64) -> String {
    // Written so that what is not a number lands at the start.
    let share = if share > 0.0 { share.min(1.0) } else { 0.0 };
    let place = share * (stops.len().saturating_sub(1)) as f64;
    let first = stops.get(place.floor() as usize).map_or([0; 3], |stop| channels(stop));
    let second = stops.get(place.ceil() as usize).map_or(first, |stop| channels(stop));
    let mixed = |k: usize| {
        let (a, b) = (f64::from(first[k]), f64::from(second[k]));
        (a + (b - a) * place.fract()).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", mixed(0), mixed(1), mixed(2))
}

/// Red, green and blue of `#rrggbb`; black for anything else.
fn channels(colour: &str) -> [u8; 3] {
    let number = u32::from_str_radix(colour.trim_start_matches('#'), 16).unwrap_or(0);
    let [_, red, green, blue] = number.to_be_bytes();
    [red, green, blue]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_run_through_their_stops() {
        for stops in [&SCALE[..], &FORCES[..]] {
            for (k, stop) in stops.iter().enumerate() {
                assert_eq!(along(stops, k as f64 / (stops.len() - 1) as f64), *stop);
            }
        }
        assert_eq!(along(&SCALE, f64::INFINITY), SCALE[4]);
        assert_eq!(along(&SCALE, f64::NAN), SCALE[0]);
        assert_eq!(along(&[], 0.5), "#000000");
    }
}
