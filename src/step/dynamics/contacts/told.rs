//! What a contact did, for the accounts of a step. As long as the place where it acts stays, its
//! impulses are summed up as numbers, and told as forces and moments when that changes.

use super::super::points::{Mark, Point};
use super::super::tally::Tally;
use super::super::trace::Impulse;
use super::{Contact, Points};
use crate::math::DVec3;

/// What a contact has done besides pushes and is not told yet; where it acts has not changed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Untold {
    slip: [f64; 2],
    twist: f64,
    rolling: DVec3,
    is_any: bool,
}

impl Untold {
    pub fn is_any(&self) -> bool {
        self.is_any
    }
}

impl Contact {
    /// What its impulses do: pushes, friction, twist and rolling.
    pub(super) fn impulse(&self, points: &[Point]) -> Impulse {
        let turn = self.normal * self.twist + self.rolling;
        let pushes = points[self.range()].iter().map(|point| (point, point.impulse));
        self.sum(self.friction_impulse(), turn, pushes)
    }

    /// What friction, a turn and pushes of its points do together.
    #[inline]
    fn sum<'p>(
        &self,
        slip: DVec3,
        turn: DVec3,
        pushes: impl Iterator<Item = (&'p Point, f64)>,
    ) -> Impulse {
        let mut moments = [self.arms[0].cross(slip) + turn, self.arms[1].cross(slip) + turn];
        let mut load = 0.0;
        for (point, push) in pushes {
            load += push;
            moments[0] += point.moments[0] * push;
            moments[1] += point.moments[1] * push;
        }
        Impulse { force: slip + self.normal * load, moments }
    }

    /// Adds the impulses of a substep to an account.
    pub fn count(&self, all: &Points, tally: &mut Tally) {
        let Impulse { force, moments } = self.impulse(&all.points);
        tally.impulse.add(force, moments);
        for k in self.range().filter(|&k| all.points[k].impulse > 0.0) {
            let (Point { impulse, .. }, Mark { arms, gap, .. }) = (all.points[k], all.marks[k]);
            tally.push_at(impulse, self.normal, arms, gap);
        }
    }

    /// Keeps in mind what it did in a substep.
    pub fn note(&self, all: &mut Points, untold: &mut Untold) {
        for k in self.range() {
            all.told[k] += all.points[k].impulse;
        }
        untold.slip[0] += self.slip[0];
        untold.slip[1] += self.slip[1];
        untold.twist += self.twist;
        untold.rolling += self.rolling;
        untold.is_any = true;
    }

    /// An account of what was kept in mind.
    pub fn tell(&self, key: [u32; 4], all: &mut Points, untold: &mut Untold) -> Tally {
        let Untold { slip, twist, rolling, .. } = std::mem::take(untold);
        let mut tally = Tally::new(key);
        let slip = self.tangents[0] * slip[0] + self.tangents[1] * slip[1];
        let pushes = all.points[self.range()].iter().zip(all.told[self.range()].iter().copied());
        tally.impulse = self.sum(slip, self.normal * twist + rolling, pushes);
        for k in self.range() {
            let (push, Mark { arms, gap, .. }) = (std::mem::take(&mut all.told[k]), all.marks[k]);
            tally.push_at(push, self.normal, arms, gap);
        }
        tally
    }
}
