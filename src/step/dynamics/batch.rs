//! Contacts that one thread solves, with their bodies side by side.

use super::bodies::{Bodies, Inverse, Velocity};
use super::contacts::{Contact, WarmStart};
use super::detect::Proximity;
use super::points::{Mark, Point};
use super::tally::Tally;

/// Some contacts and their bodies.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The numbers of its bodies.
    bodies: Vec<u32>,
    /// Velocities (or displacements) of its bodies while it is at work.
    velocities: Vec<Velocity>,
    /// As the bodies are turned at the start of the substep.
    inverse: Vec<Inverse>,
    pub contacts: Vec<Contact>,
    pub points: Vec<Point>,
    marks: Vec<Mark>,
    /// What the contacts did in this step.
    pub tallies: Vec<Tally>,
}

impl Batch {
    /// The contacts of these proximities; `last` are the contacts of the last step.
    pub fn new(bodies: &Bodies, found: &[&Proximity], last: &[WarmStart]) -> Batch {
        let mut batch = Batch::default();
        let mut number = vec![u32::MAX; bodies.inverse.len()];
        batch.contacts.reserve(found.len());
        for proximity in found {
            let [a, b, ..] = proximity.key;
            let ends = [batch.count(bodies, &mut number, a), batch.count(bodies, &mut number, b)];
            let last = proximity.last.map(|index| &last[index]);
            let (points, marks) = (&mut batch.points, &mut batch.marks);
            batch.contacts.push(Contact::new(bodies, proximity, last, ends, points, marks));
            batch.tallies.push(Tally::new(proximity));
        }
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

    pub fn start(&mut self, h: f64) {
        self.contacts.iter().for_each(|contact| contact.start(&mut self.points, h));
    }

    pub fn follow(&mut self, bodies: &Bodies, h: f64) {
        for (inverse, &body) in self.inverse.iter_mut().zip(&self.bodies) {
            *inverse = bodies.inverse[body as usize];
        }
        for contact in &self.contacts {
            contact.follow(bodies, &mut self.points, &self.marks, h);
        }
    }

    pub fn warm_start(&mut self) {
        for contact in &self.contacts {
            contact.warm_start(&self.points, &mut self.velocities, &self.inverse);
        }
    }

    /// One pass there, or back; the largest change of a velocity.
    pub fn solve(&mut self, backwards: bool) -> f64 {
        let mut change = 0.0_f64;
        let mut solve = |contact: &mut Contact| {
            let by = contact.solve(&mut self.points, &mut self.velocities, &self.inverse);
            change = change.max(by);
        };
        match backwards {
            false => self.contacts.iter_mut().for_each(&mut solve),
            true => self.contacts.iter_mut().rev().for_each(&mut solve),
        }
        change
    }

    /// The same for the walls of the container alone.
    pub fn solve_walls(&mut self) -> f64 {
        let walls = self.contacts.iter_mut().filter(|contact| contact.is_wall);
        let solve = |contact: &mut Contact| {
            contact.solve(&mut self.points, &mut self.velocities, &self.inverse)
        };
        walls.map(solve).fold(0.0, f64::max)
    }

    pub fn start_shifts(&mut self, part: f64) {
        for contact in &self.contacts {
            contact.start_shifts(&mut self.points, &mut self.velocities, &self.inverse, part);
        }
    }

    /// The displacements of the walls of the container alone.
    pub fn shift_walls(&mut self, part: f64) -> f64 {
        let walls = self.contacts.iter().filter(|contact| contact.is_wall);
        let shift = |contact: &Contact| {
            contact.shift(&mut self.points, &mut self.velocities, &self.inverse, part)
        };
        walls.map(shift).fold(0.0, f64::max)
    }

    /// One pass over displacements; the largest change of one.
    pub fn shift(&mut self, part: f64, backwards: bool) -> f64 {
        let mut change = 0.0_f64;
        let mut shift = |contact: &Contact| {
            let (points, shifts) = (&mut self.points, &mut self.velocities);
            change = change.max(contact.shift(points, shifts, &self.inverse, part));
        };
        match backwards {
            false => self.contacts.iter().for_each(&mut shift),
            true => self.contacts.iter().rev().for_each(&mut shift),
        }
        change
    }

    /// Whether anything bounced, of what closes faster than a threshold and meets within a time.
    pub fn bounce(&mut self, threshold_and_time: [f64; 2]) -> bool {
        let mut any = false;
        for (contact, tally) in self.contacts.iter().zip(&mut self.tallies) {
            let (points, velocities) = ((&self.points[..], &self.marks[..]), &mut self.velocities);
            any |= contact.bounce(points, velocities, &self.inverse, threshold_and_time, tally);
        }
        any
    }

    /// Adds the impulses of a substep to the accounts.
    pub fn tell(&mut self) {
        for (contact, tally) in self.contacts.iter().zip(&mut self.tallies) {
            contact.count(&self.points, &self.marks, tally);
        }
    }

    /// What the next step takes over: the contacts that push.
    pub fn save(&self) -> impl Iterator<Item = WarmStart> + '_ {
        let pushes = |contact: &&Contact| {
            let points = &self.points[contact.range()];
            points.iter().any(|point| point.impulse > 0.0 || point.shift > 0.0)
        };
        let save = |contact: &Contact| contact.save(&self.points, &self.marks);
        self.contacts.iter().filter(pushes).map(save)
    }
}
