//! The one palette: a body has the same colour in a movie, on a page, in a
//! vector picture and in other programs. Colours are red, green and blue as
//! screens show them.

use crate::math::{DMat3, Random};
use crate::shape::{Aabb, Bvh};
use crate::world::{Model, Motion, State};

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

/// How bright bodies of one group are that have edges, by their place in the mix.
const SHADES: [f64; 4] = [1.0, 0.76, 1.2, 0.88];
/// Bodies that are nearer than this, in radii, touch.
const TOUCH: f64 = 0.05;

/// The colour of each body unless another is asked for: by group if several
/// groups move, else a mix. `start` is where the bodies are at first.
pub fn own_colours(model: &Model, start: &State) -> Vec<Rgb> {
    if groups_tell(model) { by_group(model, start) } else { by_body(model, start) }
}

/// Whether bodies of several groups move, and none has a colour of its own.
pub fn groups_tell(model: &Model) -> bool {
    if model.bodies.iter().any(|body| body.colour.is_some()) {
        return false;
    }
    let moving = model.bodies.iter().filter(|body| body.motion != Motion::Fixed);
    let mut groups = moving.map(|body| body.group);
    let first = groups.next();
    groups.any(|group| Some(group) != first)
}

/// The colour of its group for each body; of those with edges, neighbours differ a little.
pub fn by_group(model: &Model, start: &State) -> Vec<Rgb> {
    let shade = |(i, place): (usize, usize)| {
        let own = distinct(model.bodies[i].group as usize);
        let edged = i < model.rigid_count() && model.shape(i).is_ball().is_none();
        let light = if edged { SHADES[place] } else { 1.0 };
        own.map(|part| (light * f64::from(part)).min(255.0) as u8)
    };
    mixture(model, start).into_iter().enumerate().map(shade).collect()
}

/// A mix: a colour for each body, its own if it has one, one for each cloth.
pub fn by_body(model: &Model, start: &State) -> Vec<Rgb> {
    let mut own: Vec<Rgb> = mixture(model, start).into_iter().map(|place| MIX[place]).collect();
    for cloth in &model.cloths {
        let whole = own[cloth.first as usize];
        own[cloth.particles()].fill(whole);
    }
    for (colour, body) in own.iter_mut().zip(&model.bodies) {
        *colour = body.colour.unwrap_or(*colour);
    }
    own
}

/// Places in the mix by chance; but bodies with edges that touch at first have different ones
/// where they can, or the joints of a wall would not be seen.
fn mixture(model: &Model, start: &State) -> Vec<usize> {
    let mut own: Vec<usize> = (0..model.bodies.len()).map(by_chance).collect();
    let edged: Vec<usize> =
        (0..model.rigid_count()).filter(|&i| model.shape(i).is_ball().is_none()).collect();
    let boxes: Vec<Aabb> = edged.iter().map(|&i| around(model, start, i)).collect();
    // Each body with those before it, which have their colours already.
    let mut pairs: Vec<[u32; 2]> = Bvh::new(&boxes).pairs().iter().map(|&(i, j)| [j, i]).collect();
    pairs.sort_unstable();
    for touching in pairs.chunk_by(|a, b| a[0] == b[0]) {
        let body = edged[touching[0][0] as usize];
        let taken: Vec<usize> = touching.iter().map(|pair| own[edged[pair[1] as usize]]).collect();
        let mut choices = (0..MIX.len()).map(|k| (own[body] + k) % MIX.len());
        own[body] = choices.find(|place| !taken.contains(place)).unwrap_or(own[body]);
    }
    own
}

/// A place in the mix, always the same for a number.
fn by_chance(number: usize) -> usize {
    (Random::stream(0, number as u64).next_u64() % MIX.len() as u64) as usize
}

/// The box around a body, and a little more.
fn around(model: &Model, state: &State, body: usize) -> Aabb {
    let turn = DMat3::from_quat(state.rotations[body]);
    let pieces = model.shape(body).pieces.iter();
    let boxes = pieces.map(|piece| piece.bounds(state.positions[body], &turn));
    let all = boxes.reduce(|all, next| all.union(&next)).unwrap_or(Aabb::EMPTY);
    all.grow(TOUCH * model.bodies[body].radius)
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
    use crate::math::{DQuat, DVec3};
    use crate::shape::Shape;
    use crate::trajectory::samples;
    use crate::world::Weight;

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
        for place in 0..MIX.len() {
            let count = (0..1000).filter(|&number| by_chance(number) == place).count();
            assert!((200..300).contains(&count), "{count}");
        }
    }

    #[test]
    fn groups_decide_if_several_move() {
        let mut model = samples::model(3);
        let start = State::at_rest((0..3).map(|k| 9.0 * f64::from(k) * DVec3::X).collect());
        assert_eq!(own_colours(&model, &start), [DISTINCT[0], DISTINCT[1], DISTINCT[0]]);
        model.bodies[1].motion = Motion::Fixed;
        assert_eq!(own_colours(&model, &start), [0, 1, 2].map(|k| MIX[by_chance(k)]));
        assert_eq!(distinct(9), DISTINCT[1]);
        model.bodies[1].motion = Motion::Free;
        model.bodies[2].colour = Some([1, 2, 3]);
        assert_eq!(own_colours(&model, &start), [MIX[by_chance(0)], MIX[by_chance(1)], [1, 2, 3]]);
    }

    #[test]
    fn neighbours_in_a_wall_differ_in_every_colouring() {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        for k in 0..40 {
            let at = DVec3::new((k % 8) as f64 + 0.5 * (k / 8 % 2) as f64, 0.0, (k / 8) as f64);
            let shape = Shape::cuboid(DVec3::ONE).unwrap();
            model.add(&mut state, shape, at, DQuat::IDENTITY, Weight::Mass(1.0)).unwrap();
        }
        let touch = |i: usize, j: usize| {
            let apart = (state.positions[i] - state.positions[j]).abs();
            apart.x.max(apart.z) < 1.001
        };
        for own in [by_body(&model, &state), by_group(&model, &state)] {
            for j in 0..40 {
                assert!((0..j).all(|i| !touch(i, j) || own[i] != own[j]), "{j}");
            }
        }
        assert!(MIX.iter().all(|colour| by_body(&model, &state).contains(colour)));
    }
}
