//! Contacts that one thread solves, with their bodies side by side.

use super::balance::Grip;
use super::bodies::{Bodies, Inverse, Velocity};
use super::contacts::{Contact, Points, SLOP, Untold, WarmStart};
use super::detect::Candidate;
use super::narrow::{Known, Look, Motion, Pair, Sight};
use super::points::Point;
use super::tally::Tally;
use crate::contact::manifold::Manifold;

/// What comes this part of the smaller radius deep into each other unexpectedly is put right in
/// the next substep.
const DEEP: f64 = 0.02;

/// Some contacts and their bodies.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The numbers of its bodies.
    bodies: Vec<u32>,
    /// Velocities (or displacements) of its bodies while it is at work.
    velocities: Vec<Velocity>,
    /// As they are in this substep.
    inverse: Vec<Inverse>,
    /// In which pass each was last stirred.
    stirred: Vec<u32>,
    contacts: Vec<Contact>,
    /// Those that are not apart, ascending.
    met: Vec<u32>,
    /// Of the contacts: who meets whom, and where that was last looked at.
    pub pairs: Vec<Pair>,
    looks: Vec<Look>,
    /// Where they are among those of the last step, until the first look.
    lasts: Vec<Option<usize>>,
    pub all: Points,
    untold: Vec<Untold>,
    /// What the contacts did in this step, as far as it is told.
    tallies: Vec<Tally>,
    /// The smallest of all sizes.
    least_size: f64,
}

/// A pass over contacts.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// From 1 on.
    pub number: u32,
    /// What changes a velocity by more than this stirs both bodies.
    pub stirring: f64,
    /// Whether contacts are left alone whose bodies have not been stirred since the last pass.
    pub is_partial: bool,
}

impl Pass {
    /// Over all contacts, whoever is stirred; passes are counted from 0 on.
    pub fn whole(pass: usize) -> Pass {
        Pass { number: pass as u32 + 1, stirring: f64::INFINITY, is_partial: false }
    }

    /// There and back again: loads travel both ways.
    pub fn is_backwards(&self) -> bool {
        self.number.is_multiple_of(2)
    }
}

impl Batch {
    /// The contacts of these pairs, all apart as yet.
    pub fn new(bodies: &Bodies, found: &[&Candidate]) -> Batch {
        let mut batch = Batch { least_size: f64::INFINITY, ..Batch::default() };
        let mut number = vec![u32::MAX; bodies.inverse.len()];
        batch.contacts.reserve(found.len());
        for candidate in found {
            let [a, b, ..] = candidate.key;
            let ends = [batch.count(bodies, &mut number, a), batch.count(bodies, &mut number, b)];
            let pair = Pair::new(bodies, candidate.key, SLOP);
            let first = batch.all.reserve(&pair);
            batch.contacts.push(Contact::new(bodies, &pair, ends, first));
            batch.looks.push(Look::new(bodies, pair.ends(), candidate.clear));
            batch.least_size = batch.least_size.min(pair.size);
            batch.pairs.push(pair);
            batch.lasts.push(candidate.last);
        }
        batch.untold.resize(found.len(), Untold::default());
        batch
    }

    /// The number of a body in this batch.
    fn count(&mut self, bodies: &Bodies, number: &mut [u32], body: u32) -> u32 {
        let known = &mut number[body as usize];
        if *known == u32::MAX {
            *known = self.bodies.len() as u32;
            self.bodies.push(body);
            self.velocities.push(Velocity::default());
            self.inverse.push(bodies.inverse[body as usize]);
            self.stirred.push(0);
        }
        *known
    }

    pub fn load(&mut self, velocities: &[Velocity]) {
        for (own, &body) in self.velocities.iter_mut().zip(&self.bodies) {
            *own = velocities[body as usize];
        }
    }

    /// Hands the velocities back; what nothing moves may be in several batches.
    pub fn store(&self, velocities: &mut [Velocity]) {
        let own = self.velocities.iter().zip(&self.inverse);
        for (&body, (velocity, inverse)) in self.bodies.iter().zip(own) {
            if inverse.mass > 0.0 {
                velocities[body as usize] = *velocity;
            }
        }
    }

    pub fn load_stirred(&mut self, stirred: &[u32]) {
        for (own, &body) in self.stirred.iter_mut().zip(&self.bodies) {
            *own = stirred[body as usize];
        }
    }

    /// Hands back who was stirred; what nothing moves never is.
    pub fn store_stirred(&self, stirred: &mut [u32]) {
        for (own, &body) in self.stirred.iter().zip(&self.bodies) {
            stirred[body as usize] = *own;
        }
    }

    /// Contacts where the bodies are now; `last` are those of the last step, for the first look.
    pub fn look(&mut self, motion: &Motion, last: &[WarmStart]) {
        for (own, &body) in self.inverse.iter_mut().zip(&self.bodies) {
            *own = motion.bodies.inverse[body as usize];
        }
        for k in 0..self.contacts.len() {
            let (pair, contact) = (self.pairs[k], &mut self.contacts[k]);
            if contact.is_apart() && motion.is_clear(&pair, &self.looks[k]) {
                continue;
            }
            contact.follow(motion.bodies, pair.ends(), &mut self.all, motion.h);
            let is_one_point = contact.range().len() == 1;
            let known = contact.gap(&self.all.points).map(|gap| Known { gap, is_one_point });
            match motion.look(&pair, &mut self.looks[k], known) {
                Sight::AsBefore => {}
                Sight::Apart => {
                    self.tell_contact(k);
                    self.contacts[k].part();
                }
                Sight::Meeting(time, manifold) => {
                    let own = contact.save(pair.key, &self.all);
                    let before = self.lasts.get(k).and_then(|index| last.get((*index)?));
                    let known = if contact.is_apart() { before } else { Some(&own) };
                    self.meet(motion, k, time, &manifold, known);
                }
            }
        }
        self.lasts.clear();
        self.list();
    }

    /// Lets the friction of a contact follow its pressure.
    fn centre(&mut self, k: usize) {
        if self.contacts[k].is_off_centre(&self.pairs[k], &self.all.points) {
            self.tell_contact(k);
            let inverse = self.contacts[k].ends().map(|end| &self.inverse[end]);
            self.contacts[k].centre(inverse, &self.all.points);
        }
    }

    fn list(&mut self) {
        self.met.clear();
        let all = self.contacts.iter().zip(0..);
        self.met.extend(all.filter(|(contact, _)| !contact.is_apart()).map(|(_, k)| k));
    }

    /// How many pairs there are, touching or not.
    pub fn len(&self) -> usize {
        self.contacts.len()
    }

    /// The contacts that are not apart.
    pub fn met(&self) -> impl Iterator<Item = (&Contact, &Pair)> {
        self.met.iter().map(|&k| (&self.contacts[k as usize], &self.pairs[k as usize]))
    }

    fn meet(
        &mut self,
        motion: &Motion,
        k: usize,
        time: f64,
        manifold: &Manifold,
        last: Option<&WarmStart>,
    ) {
        self.tell_contact(k);
        let (pair, contact) = (&self.pairs[k], &mut self.contacts[k]);
        let poses = motion.poses(pair.ends(), time);
        contact.meet(motion.bodies, pair, &poses, manifold, last, &mut self.all);
        match motion.start(pair.ends()) {
            0.0 if time == 0.0 => contact.keep(&mut self.all, motion.h),
            0.0 => contact.follow(motion.bodies, pair.ends(), &mut self.all, motion.h),
            start => contact.keep(&mut self.all, (motion.h - start).max(0.0)),
        }
    }

    /// Contacts of pairs that were expected to stay apart and, as the bodies move now, would come
    /// so deep into each other that they might pass: how many.
    pub fn catch(&mut self, motion: &Motion) -> usize {
        if 2.0 * motion.fastest * motion.h <= DEEP * self.least_size {
            return 0;
        }
        self.load(motion.velocities);
        let mut caught = 0;
        for k in 0..self.contacts.len() {
            let (pair, look) = (self.pairs[k], &mut self.looks[k]);
            if !self.contacts[k].is_apart()
                || motion.is_clear(&pair, look)
                || motion.speed(pair.ends()) * motion.h <= DEEP * pair.size
            {
                continue;
            }
            if let Sight::Meeting(time, manifold) = motion.look(&pair, look, None) {
                self.meet(motion, k, time, &manifold, None);
                let deep = DEEP * pair.size / motion.h;
                match self.contacts[k].is_closing(&self.all.points, &self.velocities, deep) {
                    true => {
                        caught += 1;
                        self.stir(k, 1);
                    }
                    false => self.contacts[k].part(),
                }
            }
        }
        if caught > 0 {
            self.list();
        }
        caught
    }

    pub fn warm_start(&mut self) {
        for &k in &self.met {
            let contact = &self.contacts[k as usize];
            contact.warm_start(&self.all.points, &mut self.velocities, &self.inverse);
        }
    }

    /// Notes that the bodies of a contact were stirred; what nothing moves is not.
    fn stir(&mut self, k: usize, pass: u32) {
        for end in self.contacts[k].ends() {
            if self.inverse[end].mass > 0.0 {
                self.stirred[end] = pass;
            }
        }
    }

    /// One pass; the largest change of a velocity.
    pub fn solve(&mut self, pass: Pass) -> f64 {
        let count = self.met.len();
        let mut change = 0.0_f64;
        for k in 0..count {
            let k = self.met[if pass.is_backwards() { count - 1 - k } else { k }] as usize;
            let [a, b] = self.contacts[k].ends();
            if pass.is_partial && self.stirred[a].max(self.stirred[b]) + 1 < pass.number {
                continue;
            }
            self.centre(k);
            let contact = &mut self.contacts[k];
            let by = contact.solve(&mut self.all.points, &mut self.velocities, &self.inverse);
            if by > pass.stirring {
                self.stir(k, pass.number);
            }
            change = change.max(by);
        }
        change
    }

    /// The same for what nothing moves alone.
    pub fn solve_walls(&mut self) -> f64 {
        let walls = self.contacts.iter_mut().filter(|c| c.is_wall && !c.is_apart());
        let solve = |contact: &mut Contact| {
            contact.solve(&mut self.all.points, &mut self.velocities, &self.inverse)
        };
        walls.map(solve).fold(0.0, f64::max)
    }

    pub fn start_shifts(&mut self, part: f64) {
        for &k in &self.met {
            let contact = &self.contacts[k as usize];
            contact.start_shifts(&mut self.all.points, &mut self.velocities, &self.inverse, part);
        }
    }

    /// The displacements out of what nothing moves alone.
    pub fn shift_walls(&mut self, part: f64) -> f64 {
        let walls = self.contacts.iter().filter(|contact| contact.is_wall);
        let shift = |contact: &Contact| {
            contact.shift(&mut self.all.points, &mut self.velocities, &self.inverse, part)
        };
        walls.map(shift).fold(0.0, f64::max)
    }

    /// One pass over displacements; the largest change of one.
    pub fn shift(&mut self, part: f64, backwards: bool) -> f64 {
        let mut change = 0.0_f64;
        let mut shift = |&k: &u32| {
            let contact = &self.contacts[k as usize];
            let (points, shifts) = (&mut self.all.points, &mut self.velocities);
            change = change.max(contact.shift(points, shifts, &self.inverse, part));
        };
        match backwards {
            false => self.met.iter().for_each(&mut shift),
            true => self.met.iter().rev().for_each(&mut shift),
        }
        change
    }

    /// Keeps in mind what the contacts did in a substep.
    pub fn note(&mut self) {
        for &k in &self.met {
            let k = k as usize;
            self.contacts[k].note(&mut self.all, &mut self.untold[k]);
        }
    }

    /// Contacts with points that are closed, with `times` their impulses: number, pair, least gap.
    pub fn grips(&self, times: f64) -> impl Iterator<Item = (usize, Grip, &Pair, f64)> {
        self.met.iter().filter_map(move |&k| {
            let k = k as usize;
            let grip = self.contacts[k].grip(&self.all, times)?;
            let gap = self.contacts[k].gap(&self.all.points).unwrap_or(f64::INFINITY);
            Some((k, grip, &self.pairs[k], gap))
        })
    }

    /// Lets a contact take over `times` the impulses of its grip.
    pub fn take(&mut self, contact: usize, grip: &Grip, times: f64) {
        self.contacts[contact].take(&mut self.all, grip, times);
    }

    /// The numbers of the contacts that are not apart, with their bodies and how many points
    /// they have.
    pub fn met_numbers(&self) -> impl Iterator<Item = (usize, [usize; 2], usize)> {
        self.met.iter().map(|&k| {
            let k = k as usize;
            (k, self.pairs[k].ends(), self.contacts[k].range().len())
        })
    }

    /// A contact and its points.
    pub fn contact(&self, number: usize) -> (&Contact, &[Point]) {
        (&self.contacts[number], &self.all.points)
    }

    pub fn contact_mut(&mut self, number: usize) -> (&mut Contact, &mut [Point]) {
        (&mut self.contacts[number], &mut self.all.points)
    }

    /// Adds the impulses of a contact to an account.
    pub fn count_contact(&self, contact: usize, tally: &mut Tally) {
        self.contacts[contact].count(&self.all, tally);
    }

    /// What a contact hands over to another step.
    pub fn warm(&self, contact: usize) -> WarmStart {
        self.contacts[contact].save(self.pairs[contact].key, &self.all)
    }

    /// Tells what was kept in mind of a contact, before it changes.
    fn tell_contact(&mut self, k: usize) {
        if self.untold[k].is_any() {
            let key = self.pairs[k].key;
            let told = self.contacts[k].tell(key, &mut self.all, &mut self.untold[k]);
            self.tallies.push(told);
        }
    }

    /// What the contacts did in this step, for each pair one or several.
    pub fn take_tallies(&mut self) -> Vec<Tally> {
        (0..self.contacts.len()).for_each(|k| self.tell_contact(k));
        std::mem::take(&mut self.tallies)
    }

    /// What the next step takes over: the contacts that push.
    pub fn save(&self) -> impl Iterator<Item = WarmStart> + '_ {
        let pushes = |contact: &Contact| {
            let points = &self.all.points[contact.range()];
            points.iter().any(|point| point.impulse > 0.0 || point.shift > 0.0)
        };
        let pushing = self.met().filter(move |(contact, _)| pushes(contact));
        pushing.map(|(contact, pair)| contact.save(pair.key, &self.all))
    }
}
