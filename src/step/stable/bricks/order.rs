//! Building bricks one after the other: what stands on the way, and what somebody must hold. What is
//! known of one stage answers for the next wherever it can: pushes straight down, forces well inside
//! ([`super::reuse`]), and a mechanism in which all that a new brick touches stays still. A program
//! is solved where none of these says anything.

use super::plumb::Plumb;
use super::reuse::{Known, MOST_NEW};
use super::{Balance, Bricks, Utilisation};
use crate::math::DVec3;

/// What is slower than this, beside the fastest in a mechanism, stays still: so exactly programs are solved.
const STILL: f64 = 1e-7;

/// A step of building.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The brick that is added.
    pub body: u32,
    /// What is there then, without anybody holding it, needs a part of its strength between these
    /// two, which are equal where a program was solved.
    pub utilisation: [f64; 2],
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
    held: Held,
    /// What the studs need at most, as things are held; none if more than one would have to be.
    needed: Option<f64>,
    plumb: Plumb,
    /// Forces of a stage at which the same was held, and how many bricks have come since.
    known: Option<Known>,
    since: usize,
    /// Ways in which what is there moves if nothing is held, and what the studs need at least for
    /// that. Holding what one of them does not move does not stop it.
    mechanisms: Vec<Mechanism>,
}

/// Which bodies move in a motion that is a proof, and what the studs need at least.
struct Mechanism {
    moves: Vec<bool>,
    needed: f64,
}

impl Mechanism {
    /// What a program found, if its motion alone says that it falls.
    fn proved(found: Utilisation) -> Option<Mechanism> {
        let is_proof = found.is_proved_by_its_motion();
        let motions = found.mechanism.filter(|_| is_proof)?;
        let speeds: Vec<f64> = motions.iter().map(|(v, w)| v.length().max(w.length())).collect();
        let least = STILL * speeds.iter().copied().fold(0.0, f64::max);
        let moves = speeds.iter().map(|speed| *speed > least).collect();
        Some(Mechanism { moves, needed: found.least })
    }

    fn moves(&self, body: u32) -> bool {
        self.moves[body as usize]
    }
}

impl Site {
    fn new(bricks: &Bricks) -> Self {
        Site {
            is_there: bricks.moves.iter().map(|moves| !moves).collect(),
            held: Held::Nothing,
            needed: Some(0.0),
            plumb: Plumb::new(bricks),
            known: None,
            since: 0,
            mechanisms: Vec::new(),
        }
    }

    /// What the studs need at most with one more brick, held as before, if that is told without a
    /// program. With a brick that stands by pushes straight down upon what stands, forces of before
    /// and these pushes together balance all, and no stud pulls more.
    fn with(&mut self, bricks: &Bricks, loads: &[DVec3], body: u32) -> Option<f64> {
        let needed = self.needed?;
        if self.plumb.bears(bricks, loads[body as usize], &self.is_there, body) {
            return Some(needed);
        }
        let known = self.known.as_mut().filter(|_| self.since < MOST_NEW)?;
        self.is_there[body as usize] = true;
        let now = bricks.stage(&self.is_there, self.held);
        let is_borne = now.floating().is_empty() && known.bears(&now, loads);
        self.is_there[body as usize] = false;
        is_borne.then_some(known.part)
    }

    /// Whether a mechanism goes on with a new brick: where all that it touches stays still, so does
    /// it, and no contact is broken.
    fn goes_on(&self, mechanism: &Mechanism, body: u32) -> bool {
        let mut beside = self.plumb.beside(body).filter(|other| self.is_there[*other as usize]);
        let is_joined = self.plumb.is_joined(&self.is_there, body);
        is_joined && beside.all(|other| !mechanism.moves(other))
    }

    /// What the studs need at least, if a mechanism of before goes on.
    fn falls_on(&self, body: u32) -> Option<f64> {
        let goes_on = self.mechanisms.iter().filter(|mechanism| self.goes_on(mechanism, body));
        goes_on.map(|mechanism| mechanism.needed).reduce(f64::max)
    }

    /// Forgets the mechanisms that do not go on with a new brick.
    fn leave_stopped(&mut self, body: u32) {
        let all = std::mem::take(&mut self.mechanisms);
        self.mechanisms = all.into_iter().filter(|one| self.goes_on(one, body)).collect();
    }

    /// What is there stands, held so, with forces that need so much.
    fn stands(&mut self, held: Held, needed: f64) {
        if held != self.held {
            self.known = None;
        }
        (self.held, self.needed) = (held, Some(needed));
        if held == Held::Nothing {
            self.mechanisms.clear();
        }
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
        let told = site.with(self, loads, body);
        site.leave_stopped(body);
        let falls_on = site.falls_on(body);
        site.is_there[body as usize] = true;
        site.since += 1;
        let (is_alone, had) = (site.held == Held::Nothing, site.needed.is_some());
        let utilisation = match (told, falls_on) {
            (Some(most), _) if is_alone => {
                site.stands(Held::Nothing, most);
                return Step { body, utilisation: [0.0, most], held: Held::Nothing };
            }
            (_, Some(least)) => [least, f64::INFINITY],
            _ => {
                let found = self.ask(loads, site, Held::Nothing);
                let least = found.least;
                if found.balance == Balance::Balanced {
                    self.remember(loads, site, Held::Nothing, least);
                    return Step { body, utilisation: [least; 2], held: Held::Nothing };
                }
                site.mechanisms.extend(Mechanism::proved(found));
                [least; 2]
            }
        };
        match (told, site.needed) {
            // Held as before, it stands.
            (Some(most), _) => site.stands(site.held, most),
            // All stood before: with the new brick held the forces of before go on.
            (None, Some(needed)) if is_alone => site.stands(Held::Brick(body), needed),
            _ => self.hold(loads, site, body, had),
        }
        Step { body, utilisation, held: site.held }
    }

    /// Finds what is held best: what was held before, the new brick, or the first of the others that
    /// would do. What falls though something is held is one more mechanism, which the next must stop, too.
    fn hold(&self, loads: &[DVec3], site: &mut Site, body: u32, had: bool) {
        let before = match site.held {
            Held::Brick(before) if had => Some(before),
            _ => None,
        };
        let others = self.moving().into_iter().filter(|other| site.is_there[*other as usize]);
        let first = before.into_iter().chain([body]);
        let others = others.filter(|other| *other != body && Some(*other) != before);
        let tries: Vec<u32> = first.chain(others).collect();
        for held in tries {
            if !site.mechanisms.iter().all(|mechanism| mechanism.moves(held)) {
                continue;
            }
            let found = self.ask(loads, site, Held::Brick(held));
            if found.balance == Balance::Balanced {
                self.remember(loads, site, Held::Brick(held), found.least);
                return;
            }
            site.mechanisms.extend(Mechanism::proved(found));
        }
        (site.held, site.needed, site.known) = (Held::MoreThanOne, None, None);
    }

    fn ask(&self, loads: &[DVec3], site: &Site, held: Held) -> Utilisation {
        self.stage(&site.is_there, held).utilisation(loads, false)
    }

    /// Forces well inside what studs hold, for the stages to come.
    fn remember(&self, loads: &[DVec3], site: &mut Site, held: Held, needed: f64) {
        site.stands(held, needed);
        site.known = Known::new(&self.stage(&site.is_there, held), loads, needed);
        site.since = 0;
    }

    fn stage(&self, is_there: &[bool], held: Held) -> Self {
        self.with(|body| is_there[body as usize], |body| held == Held::Brick(body))
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
                if !site.plumb.is_joined(&site.is_there, body) {
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
        let is_alone = site.held == Held::Nothing;
        if is_alone && site.with(self, loads, body).is_some() {
            return true;
        }
        if site.falls_on(body).is_some() {
            return false;
        }
        site.is_there[body as usize] = true;
        let found = self.ask(loads, site, Held::Nothing);
        site.is_there[body as usize] = false;
        found.balance == Balance::Balanced
    }

    /// The bricks that move, in the order of the scene.
    pub fn moving(&self) -> Vec<u32> {
        (0..self.moves.len() as u32).filter(|body| self.moves[*body as usize]).collect()
    }
}
