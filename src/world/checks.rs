//! What a starting state must satisfy: there are bodies, gravity has a
//! direction, nothing sticks out of the container and no two bodies overlap.

use crate::math::{DVec3, OVERLAP_LIMIT, START_OVERLAP};
use crate::problem::{Problem, Result};
use crate::scene::{Scene, Span};
use crate::shape::{Aabb, Bvh};

use super::{Model, State};

/// A world that is about to be handed out.
pub(super) struct Start<'a> {
    pub scene: &'a Scene,
    pub model: &'a Model,
    pub state: &'a State,
    /// How many bodies each entry of the scene's list made.
    pub counts: &'a [usize],
}

impl Start<'_> {
    pub fn check(&self) -> Result<()> {
        if self.model.bodies.is_empty() {
            return Err(Problem::new("the scene has no bodies").in_file(&self.scene.source.file));
        }
        self.check_gravity()?;
        self.check_inside()?;
        self.check_apart()
    }

    fn check_gravity(&self) -> Result<()> {
        let gravity = self.model.gravity;
        let message = if !gravity.is_finite() || gravity.length() == 0.0 {
            "zero or not finite"
        } else if self.model.dimension == 2 && gravity.z != 0.0 {
            "not in the plane of a 2D scene"
        } else {
            return Ok(());
        };
        Err(Problem::new(format!("the gravity {gravity} is {message}")))
    }

    /// Names the body that is furthest out.
    fn check_inside(&self) -> Result<()> {
        let mut worst: Option<(usize, f64, bool)> = None;
        let mut count = 0;
        for (body, &position) in self.state.positions.iter().enumerate() {
            let radius = self.radius(body);
            let distance = self.model.boundary.nearest(position).map_or(0.0, |n| n.distance);
            let is_inside = self.model.boundary.contains(position);
            let depth = if is_inside { radius - distance } else { radius + distance };
            if depth > slack(radius, position) {
                count += 1;
                if worst.is_none_or(|(_, deepest, _)| depth > deepest) {
                    worst = Some((body, depth, is_inside));
                }
            }
        }
        let Some((body, depth, is_inside)) = worst else { return Ok(()) };
        let what = if is_inside { "sticks out of" } else { "has its centre outside" };
        let message = format!(
            "{} {what} the container, by {depth:.3e}{}",
            self.name(body),
            in_all(count, "bodies stick out")
        );
        let help = format!(
            "it starts at {}, with radius {:?}; move it inside, or enlarge the container",
            self.state.positions[body],
            self.radius(body)
        );
        Err(self.scene.problem(self.span(body), message).help(help))
    }

    /// Names the pair that overlaps most.
    fn check_apart(&self) -> Result<()> {
        let mut worst: Option<((usize, usize), f64)> = None;
        let mut count = 0;
        for (a, b) in self.near_pairs() {
            let (here, there) = (self.state.positions[a], self.state.positions[b]);
            let depth = self.radius(a) + self.radius(b) - here.distance(there);
            let smaller = self.radius(a).min(self.radius(b));
            if depth > slack(smaller, here) {
                count += 1;
                if worst.is_none_or(|(_, deepest)| depth > deepest) {
                    worst = Some(((a, b), depth));
                }
            }
        }
        let Some(((a, b), depth)) = worst else { return Ok(()) };
        let smaller = self.radius(a).min(self.radius(b));
        let message = format!(
            "{} and {} overlap by {depth:.3e}, {:.3} % of the smaller radius{}",
            self.name(a),
            self.name(b),
            100.0 * depth / smaller,
            in_all(count, "pairs overlap")
        );
        let help = "nothing may overlap at the start: move them apart, or make them smaller \
                    (a grid needs a spacing of two radii plus twice the jitter)";
        Err(self.scene.problem(self.span(b), message).help(help))
    }

    /// Pairs whose boxes meet.
    fn near_pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let bounds = |(body, &position): (usize, &DVec3)| {
            let reach = DVec3::splat(self.radius(body));
            Aabb { min: position - reach, max: position + reach }
        };
        let boxes: Vec<Aabb> = self.state.positions.iter().enumerate().map(bounds).collect();
        Bvh::new(&boxes).pairs().into_iter().map(|(a, b)| (a as usize, b as usize))
    }

    fn radius(&self, body: usize) -> f64 {
        self.model.bodies[body].radius
    }

    /// `body 17 (group "sand", number 3 of it)`; all counts start at 0.
    fn name(&self, body: usize) -> String {
        let group = self.model.bodies[body].group;
        let before = self.model.bodies[..body].iter().filter(|other| other.group == group);
        let number = before.count();
        format!(
            "body {body} (group \"{}\", number {number} of it)",
            self.model.groups[group as usize]
        )
    }

    /// Where the entry that made this body is written.
    fn span(&self, body: usize) -> &Span {
        let mut end = 0;
        let entry = self.counts.iter().position(|count| {
            end += count;
            body < end
        });
        &self.scene.bodies[entry.unwrap_or(0)].span
    }
}

/// How deep an overlap may be and still count as touching: what the rounding
/// of coordinates does to a grid whose spacing is exactly two radii, never as
/// much as breaks the promise about overlap.
fn slack(radius: f64, position: DVec3) -> f64 {
    let rounding = 8.0 * f64::EPSILON * position.abs().max_element();
    (START_OVERLAP * radius).max(rounding).min(0.5 * OVERLAP_LIMIT * radius)
}

fn in_all(count: usize, what: &str) -> String {
    if count > 1 { format!("; {count} {what} in all") } else { String::new() }
}
