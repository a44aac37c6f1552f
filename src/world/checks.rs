//! What a starting state must satisfy: something can move, gravity has a
//! direction, nothing sticks out of the container and no two bodies overlap by
//! more than the method can start from.

use crate::math::{DVec3, OVERLAP_LIMIT, START_OVERLAP};
use crate::problem::{Problem, Result, few_digits};
use crate::scene::{MethodName, PhaseEntry, Scene, Span};
use crate::shape::{Aabb, Bvh};

use super::{Model, State};

/// After so many overlapping pairs nobody wants to know the exact number. A
/// slip in the spacing of a large grid could make billions of them.
const ENOUGH: usize = 100_000;

/// Overlaps below this fraction of the smaller diameter are rounding of coordinates, which the
/// method collapse lives with.
const COLLAPSE_OVERLAP: f64 = 1e-7;

/// A body of the method dynamics may stick out of the container, or into another one, by this part
/// of its radius: it is pushed back.
const DYNAMICS_OVERLAP: f64 = 0.05;

/// What to do about the end of a phase.
const TAKE_APART: &str = "put a phase with method = \"separate\" before this one";

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
        let file = &self.scene.source.file;
        if self.model.bodies.is_empty() {
            return Err(Problem::new("the scene has no bodies").in_file(file));
        }
        if self.model.free().next().is_none() {
            let help = "leave `motion` or `fixed` out of an entry: at least one body is free";
            let message = "no body of the scene can move";
            return Err(match self.scene.bodies.first() {
                Some(entry) => self.scene.problem(&entry.span, message).help(help),
                None => Problem::new(message).in_file(file).help(help),
            });
        }
        self.check_gravity()?;
        self.check_phase()?;
        match self.method() {
            // What overlaps is there to be taken apart, what sticks out to come in.
            MethodName::Separate => self.check_centres().and_then(|()| self.check_sizes()),
            _ => self
                .check_inside()
                .and_then(|()| self.check_sizes())
                .and_then(|()| self.check_apart()),
        }
    }

    /// What can be said of a phase before it is known where the one before it ends.
    pub fn check_phase(&self) -> Result<()> {
        if self.method() == MethodName::Settle { self.check_forces() } else { Ok(()) }
    }

    pub(super) fn method(&self) -> MethodName {
        self.model.method.name()
    }

    fn check_gravity(&self) -> Result<()> {
        let gravity = self.model.gravity;
        let message = if !gravity.is_finite() {
            "not finite"
        } else if self.model.dimension == 2 && gravity.z != 0.0 {
            "not in the plane of a 2D scene"
        } else {
            return Ok(());
        };
        Err(Problem::new(format!("the gravity {gravity} is {message}")))
    }

    /// Something must move the bodies, and something must stop them.
    fn check_forces(&self) -> Result<()> {
        let model = self.model;
        let held = self.held();
        if model.forces.is_empty() && model.free().all(|i| model.pull(i) == DVec3::ZERO) {
            let problem = Problem::new("`gravity` is zero, so nothing would fall");
            let help = "give a gravity, such as [0, 0, -1], or a force";
            return Err(problem.in_file(&self.scene.source.file).help(help));
        }
        let open = model.boundary.faces().is_empty();
        match model.free().find(|&i| open && model.pull(i) != DVec3::ZERO && !held[i]) {
            None => Ok(()),
            Some(body) => {
                let message = format!("{} would fall for ever", self.name(body));
                let help = "give the scene a container, or the body a force or a joint";
                Err(self.scene.problem(self.span(body), message).help(help))
            }
        }
    }

    /// Which bodies a force or a joint acts on.
    fn held(&self) -> Vec<bool> {
        let mut held = vec![false; self.model.bodies.len()];
        for force in &self.model.forces {
            let paired = force.pairs.iter().flatten().copied();
            let anchored = force.anchors.iter().map(|anchor| anchor.body);
            paired.chain(anchored).for_each(|body| held[body as usize] = true);
        }
        let joined = self.model.joints.iter().flat_map(|joint| joint.bodies).flatten();
        joined.for_each(|body| held[body as usize] = true);
        held
    }

    /// Names the body that is furthest out.
    fn check_inside(&self) -> Result<()> {
        let boundary = &self.model.boundary;
        if boundary.faces().is_empty() {
            return Ok(()); // no container, nothing outside
        }
        let mut out = Tally::default();
        for (body, &position) in self.state.positions.iter().enumerate() {
            if !self.model.bodies[body].is_free() {
                continue; // what holds a scene may be part of its walls
            }
            let (depth, is_inside) = self.model.sticks_out(self.state, body);
            if depth > self.slack(self.radius(body), position) {
                out.add((body, is_inside), depth);
            }
        }
        let Some(((body, is_inside), depth)) = out.worst else { return Ok(()) };
        let what = match self.model.shape(body).is_ball() {
            Some(_) if !is_inside => "has its centre outside",
            _ => "sticks out of",
        };
        let message = format!(
            "{} {what} the container, by {}{}",
            self.name(body),
            short(depth),
            out.in_all("bodies stick out")
        );
        let help = match self.model.phase.number {
            0 => format!(
                "it starts at {:?}, with radius {:?}; move it inside, or enlarge the container{}",
                self.state.positions[body].to_array().map(few_digits),
                few_digits(self.radius(body)),
                if is_inside {
                    ", or have it moved in first: start = { separate = true }"
                } else {
                    ""
                }
            ),
            _ => TAKE_APART.into(),
        };
        Err(self.scene.problem(self.span(body), message).help(help))
    }

    /// Names a body that is outside: no wall that it could be pushed from would bring it in.
    fn check_centres(&self) -> Result<()> {
        let (model, state) = (self.model, self.state);
        let outside = |i: &usize| {
            let Some(piece) = model.shape(*i).pieces.first() else { return false };
            let core = piece.polytope();
            let middle = core.corners().iter().sum::<DVec3>() / core.corners().len() as f64;
            !model.boundary.contains(state.positions[*i] + state.rotations[*i] * middle)
        };
        let contained = !model.boundary.faces().is_empty();
        let Some(body) = model.free().find(|i| contained && outside(i)) else { return Ok(()) };
        let message = format!("{} is outside the container", self.name(body));
        Err(self.scene.problem(self.span(body), message).help(format!(
            "it is at {}; bodies that stick out come in, but their middle must be inside",
            DVec3::from_array(state.positions[body].to_array().map(few_digits))
        )))
    }

    /// Names the pair that overlaps most.
    fn check_apart(&self) -> Result<()> {
        let overlaps = self.overlaps();
        let Some(((a, b), depth)) = overlaps.worst else { return Ok(()) };
        let smaller = self.radius(a).min(self.radius(b));
        let message = format!(
            "{} and {} overlap by {}, {} % of the smaller radius{}",
            self.name(a),
            self.name(b),
            short(depth),
            short(100.0 * depth / smaller),
            overlaps.in_all("pairs overlap")
        );
        let help = match (self.model.phase.number, self.method()) {
            (0, MethodName::Dynamics) => {
                "dynamics pushes apart what overlaps by at most a twentieth of the smaller radius: \
                 move them apart, or take them apart first: start = { separate = true }"
            }
            (0, _) => {
                "nothing may overlap at the start: move them apart or make them smaller (a grid \
                 needs a spacing of two radii plus twice the jitter), or have them taken apart \
                 first, by the least movement: start = { separate = true }"
            }
            _ => TAKE_APART,
        };
        Err(self.scene.problem(self.span(b), message).help(help))
    }

    /// The pairs that overlap, or enough of them.
    fn overlaps(&self) -> Tally<(usize, usize)> {
        // The threads of cloth keep its particles apart, or not.
        let rigid = &self.state.positions[..self.model.rigid_count()];
        let bodies = rigid.iter().zip(&self.model.bodies);
        let boxes: Vec<Aabb> = bodies.map(|(&p, body)| Aabb::from_sphere(p, body.radius)).collect();
        let tree = Bvh::new(&boxes);
        let exempt = self.model.exempt();
        let mut overlaps = Tally::default();
        let mut near = Vec::new();
        for (a, here) in rigid.iter().enumerate() {
            near.clear();
            tree.overlapping(&boxes[a], &mut near);
            for b in near.iter().map(|&b| b as usize).filter(|&b| b > a) {
                let bodies = [a, b].map(|i| &self.model.bodies[i]);
                let joined = exempt.binary_search(&[a as u32, b as u32]).is_ok();
                if joined || bodies.iter().all(|body| !body.is_free()) {
                    continue;
                }
                let depth = self.model.overlap(self.state, a, b);
                let smaller = self.radius(a).min(self.radius(b));
                if depth > self.slack(smaller, *here) {
                    overlaps.add((a, b), depth);
                }
            }
            if overlaps.count >= ENOUGH {
                break;
            }
        }
        overlaps
    }

    fn phase(&self) -> Option<&PhaseEntry> {
        self.scene.phases.get(self.model.phase.number)
    }

    pub(super) fn radius(&self, body: usize) -> f64 {
        self.model.bodies[body].radius
    }

    /// `body 17 (group "sand", number 3 of it)`; all counts start at 0.
    pub(super) fn name(&self, body: usize) -> String {
        let group = self.model.bodies[body].group;
        let before = self.model.bodies[..body].iter().filter(|other| other.group == group);
        let number = before.count();
        format!(
            "body {body} (group \"{}\", number {number} of it)",
            self.model.groups[group as usize].escape_debug()
        )
    }

    /// How deep an overlap may be and still count as touching.
    fn slack(&self, radius: f64, position: DVec3) -> f64 {
        match self.method() {
            MethodName::Settle | MethodName::Compact | MethodName::Separate => {
                slack(radius, position)
            }
            MethodName::Collapse => (2.0 * COLLAPSE_OVERLAP * radius).max(slack(radius, position)),
            MethodName::Dynamics => DYNAMICS_OVERLAP * radius,
        }
    }

    /// Where the entry that made this body is written.
    pub(super) fn span(&self, body: usize) -> &Span {
        if let (1.., Some(phase)) = (self.model.phase.number, self.phase()) {
            return &phase.span;
        }
        let mut end = 0;
        let entry = self.counts.iter().position(|count| {
            end += count;
            body < end
        });
        &self.scene.bodies[entry.unwrap_or(0)].span
    }
}

/// Offenders of one kind: the worst with its depth, and how many there are.
struct Tally<T> {
    worst: Option<(T, f64)>,
    count: usize,
}

impl<T> Default for Tally<T> {
    fn default() -> Self {
        Tally { worst: None, count: 0 }
    }
}

impl<T> Tally<T> {
    fn add(&mut self, who: T, depth: f64) {
        self.count += 1;
        if self.worst.as_ref().is_none_or(|(_, deepest)| depth > *deepest) {
            self.worst = Some((who, depth));
        }
    }

    /// How many there are, if the one that was named is not alone.
    fn in_all(&self, what: &str) -> String {
        match self.count {
            ..=1 => String::new(),
            ENOUGH.. => format!("; at least {ENOUGH} {what} in all"),
            count => format!("; {count} {what} in all"),
        }
    }
}

/// How deep an overlap may be and still count as touching: what the rounding
/// of coordinates does to a grid whose spacing is exactly two radii, never as
/// much as breaks the promise about overlap.
fn slack(radius: f64, position: DVec3) -> f64 {
    let rounding = 8.0 * f64::EPSILON * position.abs().max_element();
    (START_OVERLAP * radius).max(rounding).min(0.5 * OVERLAP_LIMIT * radius)
}

/// Four digits are enough to see what is meant.
pub(super) fn short(x: f64) -> String {
    if (1e-3..1e6).contains(&x) { format!("{x:.4}") } else { format!("{x:.3e}") }
}

#[cfg(test)]
mod tests {
    use super::super::build;
    use super::*;
    use crate::scene::{Place, Size, What, gallery};

    /// What is wrong with a scene of the gallery after a program changed it.
    fn problem_after(change: impl Fn(&mut Scene)) -> String {
        let mut scene = gallery::scene("stack").unwrap();
        change(&mut scene);
        build(&scene).unwrap_err().message
    }

    #[test]
    fn scenes_made_by_a_program_are_checked_too() {
        assert_eq!(problem_after(|scene| scene.bodies.clear()), "the scene has no bodies");
        assert_eq!(
            problem_after(|scene| scene.gravity = DVec3::ZERO),
            "`gravity` is zero, so nothing would fall"
        );
        assert_eq!(
            problem_after(|scene| scene.gravity.x = f64::NAN),
            "the gravity [NaN, 0, -1] is not finite"
        );
        assert_eq!(
            problem_after(|scene| scene.bodies[0].what = What::FromFile),
            "this entry does not say how large its bodies are"
        );
        let huge = Place::Grid {
            count: [usize::MAX, 2, 1],
            first: DVec3::ZERO,
            spacing: DVec3::ONE,
            jitter: 0.0,
        };
        assert_eq!(
            problem_after(|scene| scene.bodies[0].place = huge.clone()),
            "the scene has more than 10000000 bodies"
        );
        let radii = Size::Each { radii: vec![0.5, -0.5, 0.5, 0.5, 0.5] };
        assert!(
            problem_after(|scene| scene.bodies[0].what = What::Balls(radii.clone()))
                .starts_with("number 1 of the group \"tower\" has no finite position, radius")
        );
    }

    /// A stack far from the origin: up to where rounding is as wide as the skin it is a scene.
    #[test]
    fn places_that_rounding_moves_by_more_than_the_skin_are_refused() {
        let text = |far: f64| {
            let (x, y) = (format!("{far:?}"), format!("{:?}", far + 4.0));
            format!(
                "gravity = [0, 0, -1]\n[container]\nshape = \"box\"\nmin = [{x}, 0, 0]\nmax = [{y}, 4, 9]\n\
                 [[bodies]]\ngrid = {{ count = [2, 2, 2], first = [{:?}, 1, 1], spacing = 1.5 }}\nradius = 0.5\n",
                far + 1.0
            )
        };
        let built = |far| build(&Scene::from_text(&text(far), "far.toml".as_ref()).unwrap());
        assert!(built(1.2e6).is_ok());
        let problem = built(1.4e6).unwrap_err();
        assert!(problem.message.contains("too small for coordinates of 1.400e6"), "{problem}");
        assert!(problem.to_string().contains("at most 1.299e6"), "{problem}");
    }

    #[test]
    fn the_slack_never_breaks_the_promise() {
        assert_eq!(slack(1.0, DVec3::ZERO), START_OVERLAP);
        assert!(slack(1.0, DVec3::splat(1e4)) > START_OVERLAP);
        assert_eq!(slack(1.0, DVec3::splat(1e9)), 0.5 * OVERLAP_LIMIT);
    }
}
