//! All contacts of a step, divided into batches that threads solve side by side.
//! Space is cut into slabs, each at least as wide as any contact: contacts within
//! slabs 0 and 1, 2 and 3, ... have no body in common, nor have those across the
//! cuts between 1 and 2, 3 and 4, ... The division follows from the positions
//! alone, so the bits do not depend on the number of threads.

use rayon::prelude::*;

use super::balance::Grip;
use super::batch::{Batch, Pass};
use super::bodies::{Bodies, Velocity};
use super::contacts::{Contact, WarmStart};
use super::detect::Candidate;
use super::narrow::{Motion, Pair};
use super::points::Point;
use super::tally::Tally;
use crate::math::DVec3;

/// A batch has about so many contacts.
const BATCH: usize = 128;

/// With fewer contacts than this of a colour, one thread is done before another has started.
/// Tests divide even small piles.
const PAYS: usize = if cfg!(test) { 1 } else { 1000 };

/// Space is cut along gravity only if it extends so many times as far that way: 1 over 1 - this.
const UPRIGHT: f64 = 0.75;

/// More batches than this only cut up space.
const MOST_BATCHES: usize = 16;

/// Where a contact of an island is, and what is to know of it.
pub struct Place {
    colour: usize,
    batch: usize,
    contact: usize,
    pub key: [u32; 4],
    /// Its bodies.
    pub ends: [usize; 2],
    /// The deepest overlap in the smaller body's diameter, and whether that is too deep for rest.
    pub depth: f64,
    pub is_deep: bool,
}

/// Where a contact is: colour, batch, number.
pub type At = [usize; 3];

/// A contact that is not apart.
pub struct Met {
    pub at: At,
    /// Its bodies.
    pub ends: [usize; 2],
    /// How many it has.
    pub points: usize,
}

/// The contacts of a step.
pub struct Batches {
    /// Two colours: batches of one may be solved at the same time. First those within pairs of
    /// slabs, then those across cuts.
    colours: [Vec<Batch>; 2],
    /// In which pass each body was last stirred.
    stirred: Vec<u32>,
}

impl Batches {
    /// The contacts of these pairs.
    pub fn new(bodies: &Bodies, found: &[Candidate]) -> Batches {
        let slab = slabs(bodies, found);
        let mut members: [Vec<Vec<&Candidate>>; 2] = Default::default();
        for candidate in found {
            let [a, b, ..] = candidate.key;
            let of = |body: u32| slab[body as usize];
            // What nothing moves is in every slab.
            let (one, two) = match (of(a), of(b)) {
                (Some(one), Some(two)) => (one.min(two), one.max(two)),
                (one, two) => (one.or(two).unwrap_or(0), one.or(two).unwrap_or(0)),
            };
            let colour = usize::from(one / 2 != two / 2);
            let batches = &mut members[colour];
            if batches.len() <= one / 2 {
                batches.resize_with(one / 2 + 1, Vec::new);
            }
            batches[one / 2].push(candidate);
        }
        members.iter_mut().flatten().for_each(|list| upwards(bodies, list));
        let build = |list: &Vec<&Candidate>| Batch::new(bodies, list);
        Batches {
            colours: members.map(|lists| match in_parallel(&lists, Vec::len) {
                true => lists.par_iter().map(build).collect(),
                false => lists.iter().map(build).collect(),
            }),
            stirred: vec![0; bodies.inverse.len()],
        }
    }

    fn all(&self) -> impl Iterator<Item = &Batch> {
        self.colours.iter().flatten()
    }

    /// How many contacts are not apart.
    pub fn len(&self) -> usize {
        self.all().map(|batch| batch.met().count()).sum()
    }

    /// Whether all contacts are apart.
    pub fn is_empty(&self) -> bool {
        self.all().all(|batch| batch.met().next().is_none())
    }

    /// The deepest overlap of a point, negative if there is none.
    pub fn deepest(&self) -> f64 {
        let least = |batch: &Batch| {
            let gaps = batch.met().filter_map(|(contact, _)| contact.gap(&batch.all.points));
            gaps.fold(f64::INFINITY, f64::min)
        };
        -self.all().map(least).fold(f64::INFINITY, f64::min)
    }

    /// The deepest overlap in the smaller body's diameter, 0 if there is none.
    pub fn penetration(&self) -> f64 {
        let of = |batch: &Batch| {
            let depth = |(contact, pair): (&Contact, &Pair)| {
                contact.gap(&batch.all.points).map_or(0.0, |gap| -gap / (2.0 * pair.size))
            };
            batch.met().map(depth).fold(0.0, f64::max)
        };
        self.all().map(of).fold(0.0, f64::max)
    }

    /// Contacts where the bodies are now; `last` are those of the last step, for the first look.
    pub fn look(&mut self, motion: &Motion, last: &[WarmStart]) {
        for batches in &mut self.colours {
            match in_parallel(batches, Batch::len) {
                true => batches.par_iter_mut().for_each(|batch| batch.look(motion, last)),
                false => batches.iter_mut().for_each(|batch| batch.look(motion, last)),
            }
        }
    }

    /// Whether pairs that were apart are not, as the bodies move now; these are stirred as by a
    /// first pass.
    pub fn catch(&mut self, motion: &Motion) -> bool {
        self.stirred.fill(0);
        let mut caught = 0;
        for batch in self.colours.iter_mut().flatten() {
            batch.load_stirred(&self.stirred);
            caught += batch.catch(motion);
            batch.store_stirred(&mut self.stirred);
        }
        caught > 0
    }

    pub fn warm_start(&mut self, velocities: &mut [Velocity]) {
        self.each(velocities, false, |batch| {
            batch.warm_start();
            0.0
        });
    }

    /// One pass over all contacts, or those that were stirred; the largest change of a velocity.
    pub fn solve(&mut self, velocities: &mut [Velocity], pass: Pass) -> f64 {
        let mut stirred = std::mem::take(&mut self.stirred);
        if pass.number == 1 {
            stirred.fill(0);
        }
        let mut most = 0.0_f64;
        for colour in if pass.is_backwards() { [1, 0] } else { [0, 1] } {
            let by = self.colour(colour, velocities, |batch| {
                batch.load_stirred(&stirred);
                batch.solve(pass)
            });
            most = most.max(by);
            self.colours[colour].iter().for_each(|batch| batch.store_stirred(&mut stirred));
        }
        self.stirred = stirred;
        most
    }

    /// One pass over the contacts with what nothing moves.
    pub fn solve_walls(&mut self, velocities: &mut [Velocity]) -> f64 {
        self.each(velocities, false, Batch::solve_walls)
    }

    pub fn start_shifts(&mut self, shifts: &mut [Velocity], part: f64) {
        self.each(shifts, false, |batch| {
            batch.start_shifts(part);
            0.0
        });
    }

    /// One pass over all displacements; the largest change of one.
    pub fn shift(&mut self, shifts: &mut [Velocity], part: f64, backwards: bool) -> f64 {
        self.each(shifts, backwards, |batch| batch.shift(part, backwards))
    }

    /// One pass over those of the walls of the container.
    pub fn shift_walls(&mut self, shifts: &mut [Velocity], part: f64) -> f64 {
        self.each(shifts, false, |batch| batch.shift_walls(part))
    }

    /// Keeps in mind what the contacts did in a substep.
    pub fn note(&mut self) {
        self.colours.iter_mut().flatten().for_each(Batch::note);
    }

    /// What the contacts did in this step, for each pair one or several.
    pub fn take_tallies(&mut self) -> impl Iterator<Item = Tally> + '_ {
        self.colours.iter_mut().flatten().flat_map(Batch::take_tallies)
    }

    /// What the next step takes over: the contacts that push, sorted by key.
    pub fn save(&self) -> Vec<WarmStart> {
        let saved: Vec<WarmStart> = self.all().flat_map(Batch::save).collect();
        // They are large: each is moved once.
        let mut order: Vec<([u32; 4], usize)> =
            saved.iter().enumerate().map(|(k, contact)| (contact.key, k)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, k)| saved[k].clone()).collect()
    }

    /// All contacts that are not apart.
    pub fn met(&self) -> Vec<Met> {
        let mut all = Vec::new();
        for (colour, batches) in self.colours.iter().enumerate() {
            for (batch, own) in batches.iter().enumerate() {
                let met = own.met_numbers();
                all.extend(met.map(|(number, ends, points)| Met {
                    at: [colour, batch, number],
                    ends,
                    points,
                }));
            }
        }
        all
    }

    /// A contact, and the points of which its own are some.
    pub fn contact(&self, [colour, batch, contact]: At) -> (&Contact, &[Point]) {
        self.colours[colour][batch].contact(contact)
    }

    pub fn contact_mut(&mut self, [colour, batch, contact]: At) -> (&mut Contact, &mut [Point]) {
        self.colours[colour][batch].contact_mut(contact)
    }

    /// All contacts with points that are closed, with `times` their impulses.
    pub fn grips(&self, times: f64) -> Vec<(Grip, Place)> {
        let mut found = Vec::new();
        for (colour, batches) in self.colours.iter().enumerate() {
            for (number, batch) in batches.iter().enumerate() {
                found.extend(batch.grips(times).map(|(contact, grip, pair, gap)| {
                    let place = Place {
                        colour,
                        batch: number,
                        contact,
                        key: pair.key,
                        ends: pair.ends(),
                        depth: -gap / (2.0 * pair.size),
                        is_deep: gap < -pair.skin,
                    };
                    (grip, place)
                }));
            }
        }
        found
    }

    /// Lets a contact take over `times` the impulses of its grip.
    pub fn take(&mut self, place: &Place, grip: &Grip, times: f64) {
        self.colours[place.colour][place.batch].take(place.contact, grip, times);
    }

    /// Adds its impulses to an account.
    pub fn count(&self, place: &Place, tally: &mut Tally) {
        self.colours[place.colour][place.batch].count_contact(place.contact, tally);
    }

    /// What it hands over to another step.
    pub fn warm(&self, place: &Place) -> WarmStart {
        self.colours[place.colour][place.batch].warm(place.contact)
    }

    /// Lets every batch work on its bodies; the largest of what they return.
    fn each(
        &mut self,
        velocities: &mut [Velocity],
        backwards: bool,
        act: impl Fn(&mut Batch) -> f64 + Sync,
    ) -> f64 {
        let order = if backwards { [1, 0] } else { [0, 1] };
        order.map(|colour| self.colour(colour, velocities, &act)).into_iter().fold(0.0, f64::max)
    }

    /// The same for those of a colour.
    fn colour(
        &mut self,
        colour: usize,
        velocities: &mut [Velocity],
        act: impl Fn(&mut Batch) -> f64 + Sync,
    ) -> f64 {
        let batches = &mut self.colours[colour];
        let shared = &*velocities;
        let work = |batch: &mut Batch| {
            batch.load(shared);
            act(batch)
        };
        let most = match in_parallel(batches, Batch::len) {
            true => batches.par_iter_mut().map(work).reduce(|| 0.0, f64::max),
            false => batches.iter_mut().map(work).fold(0.0, f64::max),
        };
        batches.iter().for_each(|batch| batch.store(velocities));
        most
    }
}

/// Sorts pairs from the ground up, so that a pass there and back carries loads through a pile.
fn upwards(bodies: &Bodies, list: &mut Vec<&Candidate>) {
    let Some(down) = bodies.prepared.model.gravity.try_normalize() else { return };
    let depth = |body: u32| match bodies.inverse[body as usize].mass > 0.0 {
        true => down.dot(bodies.positions[body as usize]),
        false => f64::INFINITY,
    };
    let mut order: Vec<(f64, &Candidate)> = (list.iter())
        .map(|candidate| (depth(candidate.key[0]).min(depth(candidate.key[1])), *candidate))
        .collect();
    order.sort_by(|(one, a), (two, b)| two.total_cmp(one).then_with(|| a.key.cmp(&b.key)));
    *list = order.into_iter().map(|(_, candidate)| candidate).collect();
}

/// Whether there is work for more than one thread, and more than one thread.
fn in_parallel<T>(batches: &[T], contacts: impl Fn(&T) -> usize) -> bool {
    batches.len() > 1
        && rayon::current_num_threads() > 1
        && batches.iter().map(contacts).sum::<usize>() >= PAYS
}

/// The slab of each body that can move. Slabs have about as many bodies each, and no contact
/// reaches beyond the next one.
fn slabs(bodies: &Bodies, found: &[Candidate]) -> Vec<Option<usize>> {
    let moves = |i: usize| bodies.inverse[i].mass > 0.0;
    let mut slab: Vec<Option<usize>> =
        (0..bodies.inverse.len()).map(|i| moves(i).then_some(0)).collect();
    let batches = (found.len() / BATCH).min(MOST_BATCHES);
    if batches < 2 {
        return slab;
    }
    let movable = || (0..bodies.world()).filter(|&i| moves(i)).map(|i| bodies.positions[i]);
    let size = crate::shape::Aabb::from_points(movable()).size();
    // Along the loads of a pile nothing is cut that is wide enough elsewhere.
    let down = bodies.prepared.model.gravity.normalize_or_zero().abs();
    let extent = size * (DVec3::ONE - UPRIGHT * down);
    let axis = (1..3).fold(0, |best, k| if extent[k] > extent[best] { k } else { best });
    let at = |i: usize| bodies.positions[i][axis];
    let mut width = 0.0_f64;
    for candidate in found {
        let [a, b] = [candidate.key[0] as usize, candidate.key[1] as usize];
        if moves(a) && moves(b) {
            width = width.max((at(a) - at(b)).abs());
        }
    }
    let mut order: Vec<usize> = (0..bodies.world()).filter(|&i| moves(i)).collect();
    order.sort_unstable_by(|&i, &j| at(i).total_cmp(&at(j)).then(i.cmp(&j)));
    let enough = order.len() / (2 * batches);
    let (mut number, mut start, mut count) = (0, f64::NEG_INFINITY, 0);
    for i in order {
        if count == 0 && number == 0 {
            start = at(i);
        }
        if count >= enough && at(i) - start > width {
            (number, start, count) = (number + 1, at(i), 0);
        }
        slab[i] = Some(number);
        count += 1;
    }
    slab
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DQuat;
    use crate::shape::Shape;
    use crate::step::dynamics::detect::Detector;
    use crate::step::dynamics::forces::Forces;
    use crate::step::dynamics::prepared::Prepared;
    use crate::world::{Model, Motion, State, Weight};
    use std::sync::Arc;

    /// A wide layer of balls on a floor: several batches, which share nothing that moves.
    #[test]
    fn batches_of_a_colour_share_no_body_that_moves() {
        let (mut model, mut state) = (Model::new(3, DVec3::ZERO), State::default());
        let mut add = |shape: Shape, at: DVec3, motion: Motion| {
            let weight = Weight::Density(1.0);
            model.add(&mut state, shape, at, DQuat::IDENTITY, weight).unwrap().motion = motion;
        };
        let floor = Shape::cuboid(DVec3::new(100.0, 100.0, 2.0)).unwrap();
        add(floor, DVec3::NEG_Z * 1.5, Motion::Fixed);
        for k in 0..400 {
            let at = DVec3::new((k / 8) as f64, (k % 8) as f64, 0.0);
            add(Shape::ball(0.5), at, Motion::Free);
        }
        let prepared = Prepared::new(Arc::new(model));
        let bodies = Bodies::new(&prepared, &state);
        let found =
            Detector::new(&prepared.model).candidates(&bodies, &[], &Forces::new(&prepared), 0.01);
        let batches = Batches::new(&bodies, &found);
        let count: usize = batches.all().map(Batch::len).sum();
        assert_eq!(count, found.len());
        assert!(batches.colours.iter().all(|batches| batches.len() > 2));
        for batches in &batches.colours {
            let mut owner = vec![None; bodies.inverse.len()];
            for (number, batch) in batches.iter().enumerate() {
                for pair in &batch.pairs {
                    for body in pair.ends() {
                        let first = *owner[body].get_or_insert(number);
                        assert!(first == number || bodies.inverse[body].mass == 0.0);
                    }
                }
            }
        }
    }
}
