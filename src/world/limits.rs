//! What the arithmetic bears. Numbers of double precision are rounded by 1e-16 of themselves; places,
//! ways and forces that this would spoil are refused before anything moves, each with its limit.

use super::checks::{Start, short};
use crate::math::{DVec3, SKIN};
use crate::problem::{Problem, Result, few_digits};
use crate::scene::MethodName;

/// Coordinates up to M are rounded to half of their last place, so the distance of two places in
/// space is known to sqrt(3) epsilon M.
const ROUNDING: f64 = 1.733 * f64::EPSILON;

/// How well the methods that move in time know a place, in radii.
const IN_TIME: f64 = 1e-6;

/// A body goes at most so many radii in a time step, and turns by so many radians: the place after
/// it is known to a billionth of the radius, as `verify` asks.
const MOST_WAY: f64 = 1e6;

/// In a step of collapse: its program is solved to 1e-10 of the ways, and an overlap is known to 1e-7
/// of the radius.
const MOST_COLLAPSE_WAY: f64 = 1e3;

/// The largest weight over the least: where forces are balanced to rounding of the largest, the least
/// is balanced to a millionth of itself.
const MOST_WEIGHTS: f64 = 1e9;

/// The narrowest limits of a joint that are not equal, in radians or radii: angles and shifts are
/// sums of rounded numbers.
const LEAST_ROOM: f64 = 1e-11;

impl Start<'_> {
    pub fn check_sizes(&self) -> Result<()> {
        self.check_rounding()?;
        self.check_surfaces()?;
        self.check_ways()?;
        self.check_weights()?;
        self.check_joints()
    }

    /// Bodies are kept apart by a skin, which must be wider than what rounds their distances.
    fn check_rounding(&self) -> Result<()> {
        let Start { model, state, .. } = self;
        let skin = match self.method() {
            MethodName::Collapse | MethodName::Dynamics => IN_TIME,
            MethodName::Settle | MethodName::Separate | MethodName::Compact => SKIN,
        };
        let bounds = model.boundary.bounds();
        let walls =
            [bounds.min, bounds.max].into_iter().filter(|_| !model.boundary.faces().is_empty());
        let reach = |place: DVec3| place.abs().max_element();
        let bodies = (0..model.rigid_count()).map(|i| reach(state.positions[i]) + self.radius(i));
        let joints = model.joints.iter().flat_map(|joint| {
            let ends = joint.bodies.into_iter().zip(joint.points);
            ends.map(|(body, point)| {
                reach(point) + body.map_or(0.0, |body| reach(state.positions[body as usize]))
            })
        });
        let anchors = model.forces.iter().flat_map(|force| &force.anchors);
        let anchors = anchors.map(|anchor| reach(anchor.point));
        let far = bodies.chain(walls.map(reach)).chain(joints).chain(anchors).fold(0.0, f64::max);
        let rigid = model.free().filter(|&i| i < model.rigid_count());
        let smallest = rigid.min_by(|&i, &j| self.radius(i).total_cmp(&self.radius(j)));
        let Some(body) = smallest.filter(|&i| ROUNDING * far > skin * self.radius(i)) else {
            return Ok(());
        };
        let radius = self.radius(body);
        let message = format!(
            "{}, of radius {:?}, is too small for coordinates of {}",
            self.name(body),
            few_digits(radius),
            short(far)
        );
        let most = short(skin / ROUNDING * radius);
        let part = if skin == SKIN { "a billionth" } else { "a millionth" };
        Err(self.scene.problem(self.span(body), message).help(format!(
            "places are rounded there by {}, and bodies are kept apart by {part} of their radius: \
             let coordinates be at most {most}, of bodies with their radius, of the container and of \
             points of joints and forces",
            short(ROUNDING * far)
        )))
    }

    /// A rounding of edges that is thinner than the skin is none.
    fn check_surfaces(&self) -> Result<()> {
        let thin = |&i: &usize| {
            let least = SKIN * self.radius(i);
            self.model
                .shape(i)
                .pieces
                .iter()
                .any(|piece| piece.radius > 0.0 && piece.radius < least)
        };
        let Some(body) = (0..self.model.rigid_count()).find(thin) else { return Ok(()) };
        let message =
            format!("the rounding of {} is less than rounding of numbers", self.name(body));
        Err(self.scene.problem(self.span(body), message).help(format!(
            "leave it out, or give at least a billionth of the body's radius, {}",
            short(SKIN * self.radius(body))
        )))
    }

    /// What a body does in its first step must be known as well as where it is.
    fn check_ways(&self) -> Result<()> {
        let Some((dt, _)) = self.model.method.time() else { return Ok(()) };
        let most = match self.method() {
            MethodName::Collapse => MOST_COLLAPSE_WAY,
            _ => MOST_WAY,
        };
        for body in self.model.free().filter(|&i| i < self.model.rigid_count()) {
            let (speed, pull) =
                (self.state.velocities[body].length(), self.model.pull(body).length());
            let radius = self.radius(body);
            let turn = self.state.spins[body].length() * dt;
            let (what, found, limit) = if speed * dt > most * radius {
                ("moves with a speed of", speed, most * radius / dt)
            } else if pull * dt * dt > most * radius {
                ("falls with an acceleration of", pull, most * radius / (dt * dt))
            } else if turn > most {
                ("turns with a spin of", turn / dt, most / dt)
            } else {
                continue;
            };
            let message =
                format!("{} {what} {}, too much for its time step", self.name(body), short(found));
            return Err(self.scene.problem(self.span(body), message).help(format!(
                "in a time step of {} it can be {} at most: {most:e} radii or radians a step; give a \
                 shorter `time_step`",
                short(dt),
                short(limit)
            )));
        }
        Ok(())
    }

    /// Forces that are balanced together differ by no more than their digits.
    fn check_weights(&self) -> Result<()> {
        if self.method() != MethodName::Settle {
            return Ok(());
        }
        let weight = |i: usize| self.model.bodies[i].mass * self.model.pull(i).length();
        let all = || self.model.free().filter(|&i| weight(i) > 0.0);
        let by_weight = |i: &usize, j: &usize| weight(*i).total_cmp(&weight(*j));
        let (Some(least), Some(most)) = (all().min_by(by_weight), all().max_by(by_weight)) else {
            return Ok(());
        };
        let ratio = weight(most) / weight(least);
        if ratio <= MOST_WEIGHTS {
            return Ok(());
        }
        let message = format!(
            "{} is {} times as heavy as {}",
            self.name(most),
            short(ratio),
            self.name(least)
        );
        Err(self.scene.problem(self.span(most), message).help(format!(
            "forces are balanced together, to 16 digits of the largest: weights (mass times gravity and \
             push) differ by a factor of {MOST_WEIGHTS:e} at most"
        )))
    }

    fn check_joints(&self) -> Result<()> {
        for (number, joint) in self.model.joints.iter().enumerate() {
            let radii = joint.bodies.iter().flatten().map(|&body| self.radius(body as usize));
            let least = LEAST_ROOM * radii.fold(1.0, f64::min);
            let room = joint.limits.map_or(0.0, |[from, to]| to - from);
            if room > 0.0 && room < least {
                let message = format!("the limits of joint {number} are {} apart", short(room));
                return Err(Problem::new(message).in_file(&self.scene.source.file).help(format!(
                    "give two equal limits, or room for at least {}",
                    short(least)
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::build;
    use crate::problem::Result;
    use crate::scene::Scene;

    const BOX: &str = "[container]\nshape = \"box\"\nmin = [0, 0, 0]\nmax = [4, 4, 8]\n";
    const BALLS: &str = "[[bodies]]\npositions = [[1, 1, 1], [3, 3, 3]]\nradius = 0.5\n";

    fn built(text: &str) -> Result<()> {
        build(&Scene::from_text(text, "s.toml".as_ref())?).map(drop)
    }

    /// Numbers that lie between what is refused by its size and what can be computed with.
    #[test]
    fn what_the_arithmetic_does_not_bear_is_refused() {
        let scene = |head: &str, more: &str| format!("{head}\n{BOX}{BALLS}{more}\n");
        let method = |name: &str| format!("method = \"{name}\"");
        let (dynamics, collapse) = (method("dynamics"), method("collapse"));
        let long = |size: &str| {
            format!(
                "[[bodies]]\nposition = [2.5, 3, 6]\nshape = {{ kind = \"box\", size = [0.5, {size}, 0.5] }}"
            )
        };
        let rounded = |by: &str| {
            format!(
                "[[bodies]]\nposition = [2.5, 3, 6]\nshape = {{ kind = \"box\", size = [1, 1, 1], rounding = {by} }}"
            )
        };
        let joint = |more: &str| {
            format!(
                "[[joints]]\nkind = \"slider\"\nbodies = [\"bodies.0\", \"world\"]\naxis = [1, 0, 0]\n{more}"
            )
        };
        let one = |more: &str| format!("[[bodies]]\nposition = [1, 3, 6]\nradius = 0.5\n{more}");
        let cases = [
            (scene("", &long("9.2e18")), "too small for coordinates of 4.600e18"),
            (scene(&dynamics, &long("1e30")), "too small for coordinates"),
            (scene("", &rounded("1e-12")), "less than rounding of numbers"),
            (scene(&dynamics, &one("velocity = [1e9, 0, 0]")), "moves with a speed of 1.000e9"),
            (
                scene(&dynamics, &format!("{}\nspin = [0, 1e12, 0]", long("0.5"))),
                "turns with a spin of 1.745e10",
            ),
            (
                scene(&format!("{dynamics}\ngravity = [0, 0, -1e15]"), ""),
                "an acceleration of 1.000e15",
            ),
            (
                scene(&format!("{collapse}\ngravity = [0, 0, -1e9]"), ""),
                "an acceleration of 1.000e9",
            ),
            (scene(&dynamics, "[dynamics]\ntime_step = 1e9"), "too much for its time step"),
            (scene("", &one("push = [1e30, 0, 0]")), "times as heavy as"),
            (scene("", &one("mass = 1e24")), "times as heavy as"),
            (scene(&collapse, "[collapse]\nsidedness = 1e30"), "`sidedness` is 1e30"),
            (scene(&dynamics, &joint("at = [0, 1e15, 0]")), "too small for coordinates"),
            (
                scene(&dynamics, &joint("at = [1, 1, 1]\nlimits = [0, 1e-30]")),
                "the limits of joint 0",
            ),
        ];
        for (text, part) in cases {
            let problem = built(&text).expect_err(&text);
            assert!(problem.to_string().contains(part), "{text}\n{problem}");
            assert!(problem.help.is_some(), "{problem}");
        }
        let fine = [
            scene("", &long("0.5")),
            scene("", &rounded("1e-6")),
            scene("", &one("mass = 1e6")),
            scene(&dynamics, &one("velocity = [1e6, 0, 0]")),
            scene(&dynamics, &joint("at = [1, 1, 1]\nlimits = [0, 0]")),
        ];
        for text in fine {
            built(&text).unwrap_or_else(|problem| panic!("{text}\n{problem}"));
        }
    }
}
