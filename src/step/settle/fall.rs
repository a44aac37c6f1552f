//! The motion of a step in which many fall, put together of parts. Bodies decide one after the
//! other, and each counts with the motions that were decided before and with everybody else
//! staying where it is; so at any time the motions so far are clear of each other all along their
//! segments, and the energy only falls.
//!
//! First, whoever can fall freely does, without a program, the lowest first. The others, the
//! crowd, find their best motion in programs: in one of all while they are few, else in zones
//! [M96 7], those of one colour, which have nothing to do with each other, at the same time.

use rayon::prelude::*;

use super::cell::{Cell, Found, Surroundings};
use super::memory::Memory;
use super::plan::Plan;
use super::{PARTS, Part};
use crate::contact::{Cores, Row, moving_row};
use crate::energy;
use crate::math::DVec3;
use crate::near::Pair;
use crate::solver::MANY;
use crate::step::Stopwatch;
use crate::world::State;

/// Who can fall by this many radii, falls freely.
const FREE: f64 = 0.2;
/// So many bodies are solved together while they fall, and more of them in zones of at most so
/// many.
pub(super) const SIZES: Sizes = Sizes { together: 1500, zone: MANY };
/// Nearer to rest than this gain of a step, zones hold each other up.
const ZONED: f64 = 5e-3;
/// Where zones are cut changes from step to step, so that nobody stays at a border.
const SHARES: [f64; 3] = [0.5, 0.4, 0.6];

/// How many bodies a program may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    together: usize,
    zone: usize,
}

/// The best motion of the bodies that are awake; whether it was found in zones.
pub(super) fn composed_motion(
    cores: &Cores,
    state: &State,
    awake: &[bool],
    plan: &Plan,
    sizes: Sizes,
    memory: &Memory,
    watch: &mut Stopwatch,
) -> (Found, bool) {
    let around = Surroundings::new(cores, state, awake, plan, memory, watch);
    let pairs_of = Pairs::new(awake.len(), &around.balls);
    let mut motion = vec![DVec3::ZERO; awake.len()];
    let crowd =
        watch.time(Part::Sweep as usize, || drop_freely(&around, &pairs_of, awake, &mut motion));
    let zones = match crowd.len() > sizes.together && memory.gain > ZONED {
        true => {
            let share = SHARES[memory.steps as usize % SHARES.len()];
            zones(state, crowd, sizes.zone, share)
        }
        false => vec![crowd],
    };
    let in_zones = zones.len() > 1;
    let (mut rows, mut iterations) = (Vec::new(), 0);
    for colour in colours(&zones, &pairs_of, awake.len()) {
        let solve =
            |&zone: &usize| zone_motion(&around, &pairs_of, &zones[zone], &motion, plan, memory);
        // One program tells of its own parts; of several at once nobody could say which took what.
        let found: Vec<Found> = match in_zones {
            true => watch.time(Part::Solve as usize, || {
                let idle = || Stopwatch::new(|| 0.0, PARTS.len());
                colour.par_iter().map(|zone| solve(zone)(&mut idle())).collect()
            }),
            false => colour.iter().map(|zone| solve(zone)(watch)).collect(),
        };
        for (zone, found) in colour.iter().zip(found) {
            zones[*zone].iter().for_each(|&i| motion[i] = found.motion[i]);
            iterations += found.iterations;
            rows.extend(found.rows);
        }
    }
    let decrease = energy::decrease(&cores.model, state, &motion);
    (Found { motion, rows, decrease, iterations }, in_zones)
}

/// Pairs by their bodies.
struct Pairs {
    /// Where those of a body start.
    start: Vec<usize>,
    pairs: Vec<Pair>,
}

impl Pairs {
    fn new(bodies: usize, all: &[Pair]) -> Pairs {
        let mut start = vec![0; bodies + 1];
        let ends = |pair: &Pair| [pair.i as usize, pair.j as usize];
        all.iter().flat_map(ends).for_each(|body| start[body + 1] += 1);
        (0..bodies).for_each(|body| start[body + 1] += start[body]);
        let (mut next, mut pairs) = (start.clone(), vec![Pair { i: 0, j: 0 }; 2 * all.len()]);
        for pair in all {
            for body in ends(pair) {
                pairs[next[body]] = *pair;
                next[body] += 1;
            }
        }
        Pairs { start, pairs }
    }

    fn of(&self, body: usize) -> &[Pair] {
        &self.pairs[self.start[body]..self.start[body + 1]]
    }
}

/// Lets everybody fall who can; the others are the crowd.
fn drop_freely(
    around: &Surroundings,
    pairs_of: &Pairs,
    awake: &[bool],
    motion: &mut [DVec3],
) -> Vec<usize> {
    let positions = &around.state.positions;
    let down = |i: usize| (-around.forces.gradient[i]).normalize_or_zero();
    let mut order: Vec<(f64, usize)> =
        (0..awake.len()).filter(|&i| awake[i]).map(|i| (positions[i].dot(down(i)), i)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut crowd = Vec::new();
    for (_, i) in order {
        let least = FREE * around.cores.model.bodies[i].radius;
        let way = way_down(around, pairs_of, motion, i, down(i), least);
        match way >= least {
            true => motion[i] = way * down(i),
            false => crowd.push(i),
        }
    }
    crowd.sort_unstable();
    crowd
}

/// How far a body can fall, the others moving as they have decided; what is less than `least` may
/// be any such number.
fn way_down(
    around: &Surroundings,
    pairs_of: &Pairs,
    motion: &[DVec3],
    i: usize,
    down: DVec3,
    least: f64,
) -> f64 {
    let reach = &around.boxes[i];
    let along = reach.axes.transpose() * down;
    let mut way = if down == DVec3::ZERO { 0.0 } else { f64::INFINITY };
    for k in 0..around.cores.model.dimension {
        let most = if along[k] > 0.0 { reach.high[k] } else { reach.low[k] };
        if along[k] != 0.0 {
            way = way.min(most / along[k]);
        }
    }
    let limit = |normal: DVec3, gap: f64| match normal.dot(down) {
        slope if slope < 0.0 => gap.max(0.0) / -slope,
        _ => f64::INFINITY,
    };
    for Row { normal, gap, .. } in &around.walls[i] {
        way = way.min(limit(*normal, *gap));
    }
    for pair in pairs_of.of(i) {
        if way < least {
            break;
        }
        let given = [pair.i, pair.j].map(|k| motion[k as usize]);
        let row = moving_row(&around.cores.model, around.state, pair, given);
        let room = row.gap + row.normal.dot(given[0] - given[1]);
        way = way.min(limit(if pair.i as usize == i { row.normal } else { -row.normal }, room));
    }
    way
}

/// Divides bodies by halves, across the longest side of the box around them, until every part is
/// small enough.
fn zones(state: &State, bodies: Vec<usize>, most: usize, share: f64) -> Vec<Vec<usize>> {
    if bodies.len() <= most {
        return vec![bodies];
    }
    let place = |i: &usize| state.positions[*i];
    let low = bodies.iter().map(place).fold(DVec3::INFINITY, DVec3::min);
    let high = bodies.iter().map(place).fold(DVec3::NEG_INFINITY, DVec3::max);
    let size = high - low;
    let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
    let mut sorted = bodies;
    sorted.sort_by(|a, b| place(a)[axis].total_cmp(&place(b)[axis]).then(a.cmp(b)));
    let mut right = sorted.split_off((sorted.len() as f64 * share) as usize);
    sorted.sort_unstable();
    right.sort_unstable();
    let mut parts = zones(state, sorted, most, share);
    parts.extend(zones(state, right, most, share));
    parts
}

/// Zones in groups, none of whose bodies could meet one of another zone of the group.
fn colours(zones: &[Vec<usize>], pairs_of: &Pairs, bodies: usize) -> Vec<Vec<usize>> {
    const NONE: usize = usize::MAX;
    let mut zone_of = vec![NONE; bodies];
    for (number, zone) in zones.iter().enumerate() {
        zone.iter().for_each(|&i| zone_of[i] = number);
    }
    let mut colour_of = vec![NONE; zones.len()];
    let mut colours: Vec<Vec<usize>> = Vec::new();
    for (number, zone) in zones.iter().enumerate() {
        let mut taken = vec![false; colours.len() + 1];
        for pair in zone.iter().flat_map(|&i| pairs_of.of(i)) {
            for body in [pair.i, pair.j] {
                let other = zone_of[body as usize];
                if other != NONE && colour_of[other] != NONE {
                    taken[colour_of[other]] = true;
                }
            }
        }
        let colour = taken.iter().position(|taken| !taken).unwrap_or(colours.len());
        if colour == colours.len() {
            colours.push(Vec::new());
        }
        colour_of[number] = colour;
        colours[colour].push(number);
    }
    colours
}

/// The best motion of one zone among all others.
fn zone_motion<'a>(
    around: &'a Surroundings,
    pairs_of: &'a Pairs,
    zone: &'a [usize],
    motion: &'a [DVec3],
    plan: &'a Plan,
    memory: &'a Memory,
) -> impl Fn(&mut Stopwatch) -> Found + 'a {
    move |watch| {
        let mut active = vec![false; motion.len()];
        zone.iter().for_each(|&i| active[i] = true);
        // A pair of two of them is listed with the first.
        let first = |i: usize, pair: &Pair| {
            let other = if pair.i as usize == i { pair.j } else { pair.i } as usize;
            !active[other] || i < other
        };
        let own = |&i: &usize| pairs_of.of(i).iter().copied().filter(move |pair| first(i, pair));
        let mut balls: Vec<Pair> = Vec::new();
        zone.iter().for_each(|i| balls.extend(own(i)));
        balls.sort_unstable_by_key(|pair| (pair.i, pair.j));
        Cell::new(around, &active, motion, &balls, plan, memory).solve(plan, memory, None, watch)
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{PLAN, at, watch};
    use super::*;
    use crate::contact::samples::{cuboid, model};
    use crate::contact::sweep_is_clear;
    use crate::math::Random;
    use crate::scene::SettleOptions;
    use proptest::prelude::*;

    /// Balls of different sizes somewhere in a cube, none in another or in a wall.
    fn scattered(random: &mut Random) -> (Cores, State) {
        let (mut radii, mut places): (Vec<f64>, Vec<DVec3>) = Default::default();
        for _ in 0..300 {
            let radius = random.between(0.3, 0.6);
            let mut side = || random.between(radius + 1e-6, 6.0 - radius - 1e-6);
            let place = DVec3::new(side(), side(), side());
            let apart = |(q, r): (&DVec3, &f64)| place.distance(*q) > (radius + r) * (1.0 + 1e-8);
            if places.iter().zip(&radii).all(apart) {
                radii.push(radius);
                places.push(place);
            }
        }
        at(model(cuboid(6.0), &radii), &places)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        /// Whatever the zones, nobody meets anybody on the way, and the energy falls.
        #[test]
        fn a_motion_of_many_parts_is_clear(seed: u64, zone in 5..40_usize, lazy: bool) {
            let random = &mut Random::new(seed);
            let (cores, state) = scattered(random);
            let count = state.positions.len();
            let mut memory = Memory::new(&cores, &SettleOptions::default());
            memory.steps = (seed % 3) as u32;
            let awake: Vec<bool> = (0..count).map(|_| random.unit() < 0.9).collect();
            let (plan, sizes) = (Plan { lazy, ..PLAN }, Sizes { together: 10, zone });
            let (found, in_zones) =
                composed_motion(&cores, &state, &awake, &plan, sizes, &memory, &mut watch());
            prop_assert!(found.decrease > 0.0);
            prop_assert!(!in_zones || !found.rows.is_empty());
            for i in 0..count as u32 {
                for j in i + 1..count as u32 {
                    let [d_i, d_j] = [i, j].map(|k| found.motion[k as usize]);
                    let pair = Pair { i, j };
                    // The sweep is exact to rounding; rows hold to a ten-thousandth of the skin.
                    let clear = sweep_is_clear(&cores.model, &state, &pair, d_i, d_j);
                    let (p, q) = (state.positions[i as usize], state.positions[j as usize]);
                    let radii = [i, j].map(|k| cores.model.bodies[k as usize].radius);
                    let change = d_i - d_j;
                    let t = (-(p - q).dot(change) / change.length_squared()).clamp(0.0, 1.0);
                    let gap = (p - q + t * change).length() - radii[0] - radii[1];
                    prop_assert!(clear || gap > 0.99e-9 * radii[0].min(radii[1]), "{gap}");
                }
                let there = state.positions[i as usize] + found.motion[i as usize];
                let radius = cores.model.bodies[i as usize].radius;
                prop_assert!(there.min_element() >= radius && there.max_element() <= 6.0 - radius);
                prop_assert!(awake[i as usize] || found.motion[i as usize] == DVec3::ZERO);
            }
        }
    }

    /// Two balls above each other fall side by side in time: neither waits for the other.
    #[test]
    fn a_column_falls_as_one() {
        let places: Vec<DVec3> =
            (0..5).map(|k| DVec3::new(3.0, 3.0, 3.0 + 1.1 * f64::from(k))).collect();
        let (cores, state) = at(model(cuboid(10.0), &[0.5; 5]), &places);
        let memory = Memory::new(&cores, &SettleOptions::default());
        let (found, _) =
            composed_motion(&cores, &state, &[true; 5], &PLAN, SIZES, &memory, &mut watch());
        let reach = 0.5 * 3_f64.sqrt();
        assert!(found.rows.is_empty() && found.iterations == 0);
        assert!(found.motion.iter().all(|d| d.distance(-reach * DVec3::Z) < 1e-12), "{found:?}");
    }

    #[test]
    fn zones_of_one_colour_do_not_meet() {
        let (cores, state) = scattered(&mut Random::new(4));
        let awake = vec![true; state.positions.len()];
        let memory = Memory::new(&cores, &SettleOptions::default());
        let around = Surroundings::new(&cores, &state, &awake, &PLAN, &memory, &mut watch());
        let pairs_of = Pairs::new(awake.len(), &around.balls);
        let zones = zones(&state, (0..awake.len()).collect(), 10, 0.4);
        let colours = colours(&zones, &pairs_of, awake.len());
        let mut all: Vec<usize> = zones.iter().flatten().copied().collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..awake.len()) && zones.iter().all(|zone| zone.len() <= 10));
        for colour in &colours {
            for (k, &one) in colour.iter().enumerate() {
                for &other in &colour[k + 1..] {
                    let meets = |i: &usize| {
                        let pairs = pairs_of.of(*i).iter();
                        pairs.flat_map(|p| [p.i, p.j]).any(|b| zones[other].contains(&(b as usize)))
                    };
                    assert!(!zones[one].iter().any(meets));
                }
            }
        }
        assert_eq!(colours.iter().map(Vec::len).sum::<usize>(), zones.len());
    }
}
