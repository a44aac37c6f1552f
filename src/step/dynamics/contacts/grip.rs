//! A contact as the balance of an island sees it: its points that are closed, its
//! friction, twist and rolling.

use super::super::balance::{Grip, Law, Row};
use super::super::points::Point;
use super::{Contact, MOST_SPOTS, Points};
use crate::math::DVec3;

impl Contact {
    /// The points that are closed.
    fn closed<'p>(&self, points: &'p [Point]) -> impl Iterator<Item = (usize, &'p Point)> {
        let skin = self.skin;
        self.range().zip(&points[self.range()]).filter(move |(_, point)| point.gap <= skin)
    }

    /// With `times` its impulses, between bodies to be named; none if all its points are open.
    pub fn grip(&self, all: &Points, times: f64) -> Option<Grip> {
        let mut levers = [0.0; MOST_SPOTS];
        let middle = self.arms[0].cross(self.normal);
        let mut rows: Vec<Row> = Vec::with_capacity(MOST_SPOTS + 3);
        for (k, (_, point)) in self.closed(&all.points).enumerate() {
            levers[k] = point.moments[0].distance(middle);
            let impulse = point.impulse * times;
            rows.push(Row { linear: self.normal, angular: point.moments, impulse });
        }
        let pushes = rows.len();
        let twists = self.friction > 0.0 && self.twist_mass > 0.0;
        if self.friction > 0.0 {
            for (tangent, slip) in self.tangents.into_iter().zip(self.slip) {
                let angular = self.arms.map(|arm| arm.cross(tangent));
                rows.push(Row { linear: tangent, angular, impulse: slip * times });
            }
        }
        let mut turn = |axis: DVec3, impulse: f64| {
            rows.push(Row { linear: DVec3::ZERO, angular: [axis; 2], impulse: impulse * times });
        };
        if twists {
            turn(self.normal, self.twist);
        }
        if self.rolling_arm > 0.0 {
            for (axis, impulse) in DVec3::AXES.into_iter().zip(self.rolling.to_array()) {
                turn(axis, impulse);
            }
        }
        let (friction, rolling) = (self.friction, self.rolling_arm);
        let law = Law::Contact { pushes, levers, friction, rolling, twists };
        (pushes > 0).then_some(Grip { ends: [None; 2], rows, law })
    }

    /// Takes over `times` the impulses of its grip; points that are open do not push.
    pub fn take(&mut self, all: &mut Points, grip: &Grip, times: f64) {
        let closed: Vec<usize> = self.closed(&all.points).map(|(k, _)| k).collect();
        for point in &mut all.points[self.range()] {
            (point.impulse, point.shift) = (0.0, 0.0);
        }
        let mut impulses = grip.rows.iter().map(|row| row.impulse * times);
        let mut next = || impulses.next().unwrap_or(0.0);
        for k in closed {
            all.points[k].impulse = next();
        }
        if self.friction > 0.0 {
            self.slip = [next(), next()];
        }
        if self.friction > 0.0 && self.twist_mass > 0.0 {
            self.twist = next();
        }
        if self.rolling_arm > 0.0 {
            self.rolling = DVec3::new(next(), next(), next());
        }
    }
}
