//! Building bricks one after the other: what stands on the way, and what somebody must hold.

use super::plumb::Plumb;
use super::{Balance, Bricks, StudContact};
use crate::math::DVec3;

/// What a step of building needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The brick that is added.
    pub body: u32,
    /// Of what stands then, without anybody holding it; at most this, where the brick stands plumb on
    /// others and all stood before.
    pub utilisation: f64,
    /// What somebody must hold.
    pub held: Held,
}

/// Whether something must be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// It stands by itself.
    Nothing,
    /// It stands as long as this brick is held.
    Brick(u32),
    /// No single brick would do.
    MoreThanOne,
}

/// Building as far as it got.
struct Site {
    is_there: Vec<bool>,
    /// What the studs need, if all that is there stands by itself.
    needed: Option<f64>,
    plumb: Plumb,
}

impl Site {
    fn new(bricks: &Bricks) -> Self {
        let is_there = bricks.moves.iter().map(|moves| !moves).collect();
        Site { is_there, needed: Some(0.0), plumb: Plumb::default() }
    }

    /// What the studs need at most with one more brick, if it stands by pushes straight down upon
    /// what stands: forces of before and these pushes together balance all, and no stud pulls more.
    fn with_plumb(&mut self, bricks: &Bricks, loads: &[DVec3], body: u32) -> Option<f64> {
        let load = loads[body as usize];
        self.needed.filter(|_| self.plumb.bears(bricks, load, &self.is_there, body))
    }
}

impl Bricks<'_> {
    /// Adds the bricks that move in this order and asks after each what stands.
    pub fn order(&self, loads: &[DVec3], order: &[u32]) -> Vec<Step> {
        let mut site = Site::new(self);
        order.iter().map(|&body| self.build(loads, &mut site, body)).collect()
    }

    /// Adds a brick.
    fn build(&self, loads: &[DVec3], site: &mut Site, body: u32) -> Step {
        let plumb = site.with_plumb(self, loads, body);
        site.is_there[body as usize] = true;
        let step = match plumb {
            Some(utilisation) => Step { body, utilisation, held: Held::Nothing },
            None => self.step(loads, &site.is_there, body),
        };
        site.needed = (step.held == Held::Nothing).then_some(step.utilisation);
        step
    }

    /// An order in which as little as possible must be held: always the lowest brick that stands
    /// with what is there; where none does, the lowest of all that are joined to something.
    pub fn find_order(&self, loads: &[DVec3]) -> Vec<Step> {
        let mut site = Site::new(self);
        let mut left: Vec<u32> = self.moving();
        let height = |body: u32| self.places[body as usize].bottom;
        left.sort_by(|a, b| height(*a).total_cmp(&height(*b)).then(a.cmp(b)));
        let mut steps = Vec::with_capacity(left.len());
        while !left.is_empty() {
            let (mut first, mut found) = (None, None);
            for (at, &body) in left.iter().enumerate() {
                if !self.is_joined(body, &site.is_there) {
                    continue;
                }
                first = first.or(Some(at));
                if self.would_stand(loads, &mut site, body) {
                    found = Some(at);
                    break;
                }
            }
            let body = left.remove(found.or(first).unwrap_or(0));
            steps.push(self.build(loads, &mut site, body));
        }
        steps
    }

    fn would_stand(&self, loads: &[DVec3], site: &mut Site, body: u32) -> bool {
        if site.with_plumb(self, loads, body).is_some() {
            return true;
        }
        site.is_there[body as usize] = true;
        let (_, stands) = self.stands(loads, &site.is_there, None);
        site.is_there[body as usize] = false;
        stands
    }

    /// The studs that a brick stands on.
    pub(super) fn under(&self, body: u32) -> impl Iterator<Item = &StudContact> {
        self.studs.iter().filter(move |studs| studs.bodies[0] == body)
    }

    /// Whether studs join a brick to one that is there.
    fn is_joined(&self, body: u32, is_there: &[bool]) -> bool {
        let own = self.studs.iter().filter(|studs| studs.bodies.contains(&body));
        own.flat_map(|studs| studs.bodies).any(|other| other != body && is_there[other as usize])
    }

    /// The bricks that move, in the order of the scene.
    pub fn moving(&self) -> Vec<u32> {
        (0..self.moves.len() as u32).filter(|body| self.moves[*body as usize]).collect()
    }

    fn stands(&self, loads: &[DVec3], is_there: &[bool], held: Option<u32>) -> (f64, bool) {
        let there = |body: u32| is_there[body as usize];
        let found = self.with(there, |body| held == Some(body)).utilisation(loads, false);
        (found.least, found.balance == Balance::Balanced)
    }

    /// What is held best: the new brick, or the first of the others that would do.
    fn step(&self, loads: &[DVec3], is_there: &[bool], body: u32) -> Step {
        let (utilisation, stands) = self.stands(loads, is_there, None);
        if stands {
            return Step { body, utilisation, held: Held::Nothing };
        }
        let others = self.moving().into_iter().filter(|other| is_there[*other as usize]);
        let mut tries = std::iter::once(body).chain(others.filter(|other| *other != body));
        let held = tries.find(|held| self.stands(loads, is_there, Some(*held)).1);
        Step { body, utilisation, held: held.map_or(Held::MoreThanOne, Held::Brick) }
    }
}
