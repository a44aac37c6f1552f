//! All contacts of a step, divided into groups that threads solve side by side.
//! Space is cut into slabs, each at least as wide as any contact: contacts within
//! slabs 0 and 1, 2 and 3, ... have no body in common, nor have those across the
//! cuts between 1 and 2, 3 and 4, ... The division follows from the positions
//! alone, so the bits do not depend on the number of threads.

use rayon::prelude::*;

use super::bodies::{Bodies, Velocity};
use super::contacts::{Contact, Kept};
use super::detect::Proximity;
use super::group::Group;
use crate::world::Assembly;

/// A group has about so many contacts.
const GROUP: usize = 128;

/// With fewer contacts than this in a phase, one thread is done before another has started.
/// Tests divide even small piles.
const PAYS: usize = if cfg!(test) { 0 } else { 1000 };

/// More groups than this only cut up space.
const MOST_GROUPS: usize = 16;

/// The contacts of a step.
pub struct Crowd {
    /// Groups that may be solved at the same time: within pairs of slabs, then across cuts.
    phases: [Vec<Group>; 2],
}

impl Crowd {
    pub fn new(bodies: &Bodies, found: &[Proximity], kept: &[Kept]) -> Crowd {
        let slab = slabs(bodies, found);
        let mut members: [Vec<Vec<&Proximity>>; 2] = Default::default();
        for proximity in found {
            let [a, b, ..] = proximity.key;
            let of = |body: u32| slab[body as usize];
            // What nothing moves is in every slab.
            let (one, two) = match (of(a), of(b)) {
                (Some(one), Some(two)) => (one.min(two), one.max(two)),
                (one, two) => (one.or(two).unwrap_or(0), one.or(two).unwrap_or(0)),
            };
            let phase = usize::from(one / 2 != two / 2);
            let groups = &mut members[phase];
            if groups.len() <= one / 2 {
                groups.resize_with(one / 2 + 1, Vec::new);
            }
            groups[one / 2].push(proximity);
        }
        let build = |list: &Vec<&Proximity>| Group::new(bodies, list, kept);
        Crowd {
            phases: members.map(|lists| match in_parallel(&lists, Vec::len) {
                true => lists.par_iter().map(build).collect(),
                false => lists.iter().map(build).collect(),
            }),
        }
    }

    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        self.phases.iter().flatten()
    }

    pub fn is_empty(&self) -> bool {
        self.groups().all(|group| group.contacts.is_empty())
    }

    /// The deepest overlap of a point, negative if there is none.
    pub fn deepest(&self) -> f64 {
        let points = self.groups().flat_map(|group| &group.points);
        points.map(|point| -point.gap).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The deepest overlap in the smaller body's diameter, 0 if there is none.
    pub fn penetration(&self, assembly: &Assembly) -> f64 {
        let radius = |body: u32| assembly.parts[body as usize].radius;
        let depth = |group: &Group, contact: &Contact| {
            let [a, b, ..] = contact.key;
            let points = group.points[contact.range()].iter();
            points.map(|p| -p.gap).fold(0.0, f64::max) / (2.0 * radius(a).min(radius(b)))
        };
        let of = |group: &Group| {
            group.contacts.iter().map(|contact| depth(group, contact)).fold(0.0, f64::max)
        };
        self.groups().map(of).fold(0.0, f64::max)
    }

    /// Before the first substep.
    pub fn start(&mut self, h: f64) {
        self.phases.iter_mut().flatten().for_each(|group| group.start(h));
    }

    /// Gaps where the bodies are now.
    pub fn follow(&mut self, bodies: &Bodies, h: f64) {
        for groups in &mut self.phases {
            match in_parallel(groups, |group| group.contacts.len()) {
                true => groups.par_iter_mut().for_each(|group| group.follow(bodies, h)),
                false => groups.iter_mut().for_each(|group| group.follow(bodies, h)),
            }
        }
    }

    pub fn warm_start(&mut self, velocities: &mut [Velocity]) {
        self.each(velocities, false, |group| {
            group.warm_start();
            0.0
        });
    }

    /// One pass over all contacts, there or back; the largest change of a velocity.
    pub fn solve(&mut self, velocities: &mut [Velocity], backwards: bool) -> f64 {
        self.each(velocities, backwards, |group| group.solve(backwards))
    }

    pub fn start_shifts(&mut self, shifts: &mut [Velocity], part: f64) {
        self.each(shifts, false, |group| {
            group.start_shifts(part);
            0.0
        });
    }

    /// One pass over all displacements; the largest change of one.
    pub fn shift(&mut self, shifts: &mut [Velocity], part: f64, most: f64, backwards: bool) -> f64 {
        self.each(shifts, backwards, |group| group.shift(part, most, backwards))
    }

    /// Whether any contact bounces at all.
    pub fn is_bouncy(&self) -> bool {
        self.groups().any(|group| group.contacts.iter().any(|contact| contact.restitution > 0.0))
    }

    /// Whether anything bounced.
    pub fn bounce(&mut self, velocities: &mut [Velocity], threshold: f64, dt: f64) -> bool {
        let bounce = |group: &mut Group| f64::from(u8::from(group.bounce(threshold, dt)));
        self.each(velocities, false, bounce) > 0.0
    }

    /// The contacts that push, sorted by key.
    pub fn keep(&self) -> Vec<Kept> {
        let mut kept: Vec<Kept> = self.groups().flat_map(Group::keep).collect();
        kept.sort_unstable_by_key(|kept| kept.key);
        kept
    }

    /// Lets every group work on its bodies; the largest of what they return.
    fn each(
        &mut self,
        velocities: &mut [Velocity],
        backwards: bool,
        act: impl Fn(&mut Group) -> f64 + Sync,
    ) -> f64 {
        let mut most = 0.0_f64;
        for phase in if backwards { [1, 0] } else { [0, 1] } {
            let groups = &mut self.phases[phase];
            let shared = &*velocities;
            let work = |group: &mut Group| {
                group.load(shared);
                act(group)
            };
            most = most.max(match in_parallel(groups, |group| group.contacts.len()) {
                true => groups.par_iter_mut().map(work).reduce(|| 0.0, f64::max),
                false => groups.iter_mut().map(work).fold(0.0, f64::max),
            });
            groups.iter().for_each(|group| group.store(velocities));
        }
        most
    }
}

/// Whether there is work for more than one thread, and more than one thread.
fn in_parallel<T>(groups: &[T], contacts: impl Fn(&T) -> usize) -> bool {
    groups.len() > 1
        && rayon::current_num_threads() > 1
        && groups.iter().map(contacts).sum::<usize>() >= PAYS
}

/// The slab of each body that can move. Slabs have about as many bodies each, and no contact
/// reaches beyond the next one.
fn slabs(bodies: &Bodies, found: &[Proximity]) -> Vec<Option<usize>> {
    let moves = |i: usize| bodies.inverse[i].mass > 0.0;
    let mut slab: Vec<Option<usize>> =
        (0..bodies.inverse.len()).map(|i| moves(i).then_some(0)).collect();
    let groups = (found.len() / GROUP).min(MOST_GROUPS);
    if groups < 2 {
        return slab;
    }
    let movable = || (0..bodies.world()).filter(|&i| moves(i)).map(|i| bodies.positions[i]);
    let size = crate::shape::Aabb::from_points(movable()).size();
    let axis = (1..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
    let at = |i: usize| bodies.positions[i][axis];
    let mut width = 0.0_f64;
    for proximity in found {
        let [a, b] = [proximity.key[0] as usize, proximity.key[1] as usize];
        if moves(a) && moves(b) {
            width = width.max((at(a) - at(b)).abs());
        }
    }
    let mut order: Vec<usize> = (0..bodies.world()).filter(|&i| moves(i)).collect();
    order.sort_unstable_by(|&i, &j| at(i).total_cmp(&at(j)).then(i.cmp(&j)));
    let enough = order.len() / (2 * groups);
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
    use crate::math::DVec3;
    use crate::shape::{Core, Piece};
    use crate::step::dynamics::detect::Detector;
    use crate::world::{Motion, Poses, Weight};

    /// A wide layer of balls on a floor: several groups, which share nothing that moves.
    #[test]
    fn groups_of_a_phase_share_no_body_that_moves() {
        let (mut assembly, mut poses) = (Assembly::default(), Poses::default());
        let floor = Piece {
            at: DVec3::NEG_Z * 1.5,
            ..Piece::new(Core::Box { half: DVec3::new(50.0, 50.0, 1.0) }, 0.0)
        };
        let part = assembly.add(&mut poses, vec![floor], Weight::Density(1.0)).unwrap();
        part.motion = Motion::Fixed;
        for k in 0..400 {
            let at = DVec3::new((k / 8) as f64, (k % 8) as f64, 0.0);
            let ball = Piece { at, ..Piece::new(Core::Point, 0.5) };
            assembly.add(&mut poses, vec![ball], Weight::Density(1.0)).unwrap();
        }
        let bodies = Bodies::new(&assembly, &poses);
        let found = Detector::new(&assembly).proximities(&bodies, &[], 0.01);
        let crowd = Crowd::new(&bodies, &found, &[]);
        let count: usize = crowd.groups().map(|group| group.contacts.len()).sum();
        assert_eq!(count, found.len());
        assert!(crowd.phases.iter().all(|groups| groups.len() > 2));
        for groups in &crowd.phases {
            let mut owner = vec![None; bodies.inverse.len()];
            for (number, group) in groups.iter().enumerate() {
                for contact in &group.contacts {
                    for body in [contact.key[0], contact.key[1]].map(|body| body as usize) {
                        let first = *owner[body].get_or_insert(number);
                        assert!(first == number || bodies.inverse[body].mass == 0.0);
                    }
                }
            }
        }
    }
}
