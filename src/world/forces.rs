//! From the forces and links of a scene to pairs of bodies.

use super::{Anchor, Link, Model, State, Term};
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use crate::scene::{Acts, Fixed, Force, Links, Pairs, Place, Scene, Span, nearest_name};

/// More pairs than this are refused: each of them costs time in every step.
const MOST_PAIRS: usize = 4_000_000;
/// Without a `softening`, it is this part of the body's radius.
const SOFTENING: f64 = 1e-3;

/// Fills in the fixed bodies, forces and links of a model.
pub(super) fn add(scene: &Scene, counts: &[usize], model: &mut Model, state: &State) -> Result<()> {
    fix(scene, counts, model)?;
    let resolver = Resolver { scene, counts, groups: &model.groups, bodies: groups_of(model) };
    let mut pushes = Vec::new();
    let mut terms = Vec::new();
    for force in &scene.forces {
        match force {
            Force::Gravity { group, acceleration, span } => {
                pushes.push((resolver.group(group, span)?.to_vec(), *acceleration));
            }
            Force::Law { law, form, group, acts, span } => {
                let (pairs, anchors) = resolver.acts(group, acts, span, model, state)?;
                terms.push(Term { law: *law, form: *form, pairs, anchors });
            }
        }
    }
    let mut links = Vec::new();
    for entry in &scene.links {
        links.extend(resolver.links(entry, state)?);
    }
    for (bodies, acceleration) in pushes {
        bodies.iter().for_each(|&body| model.bodies[body as usize].push += acceleration);
    }
    (model.terms, model.links) = (terms, links);
    Ok(())
}

fn fix(scene: &Scene, counts: &[usize], model: &mut Model) -> Result<()> {
    let mut first = 0;
    for (entry, &count) in scene.bodies.iter().zip(counts) {
        let own = &mut model.bodies[first..first + count];
        match (&entry.fixed, &entry.place) {
            (Fixed::None, _) => {}
            (Fixed::Border, Place::Grid { count, .. }) => {
                let [nx, ny, _] = *count;
                for (k, body) in own.iter_mut().enumerate() {
                    let place = [k % nx, k / nx % ny, k / (nx * ny)];
                    let on_border = |axis: usize| {
                        count[axis] > 1 && (place[axis] == 0 || place[axis] + 1 == count[axis])
                    };
                    body.fixed = (0..3).any(on_border);
                }
            }
            (Fixed::All | Fixed::Border, _) => own.iter_mut().for_each(|body| body.fixed = true),
            (Fixed::List(numbers), _) => {
                for &number in numbers {
                    let Some(body) = own.get_mut(number) else {
                        let message =
                            format!("`fixed` names body {number} of an entry of {count} bodies");
                        return Err(scene
                            .problem(&entry.span, message)
                            .help("bodies of an entry are counted from 0"));
                    };
                    body.fixed = true;
                }
            }
        }
        first += count;
    }
    Ok(())
}

/// The bodies of each group, in their order.
fn groups_of(model: &Model) -> Vec<Vec<u32>> {
    let mut groups = vec![Vec::new(); model.groups.len()];
    for (body, of) in model.bodies.iter().enumerate() {
        groups[of.group as usize].push(body as u32);
    }
    groups
}

/// Finds the bodies that a scene speaks of.
struct Resolver<'a> {
    scene: &'a Scene,
    counts: &'a [usize],
    groups: &'a [String],
    bodies: Vec<Vec<u32>>,
}

impl Resolver<'_> {
    fn group(&self, name: &str, span: &Span) -> Result<&[u32]> {
        if let Some(index) = self.groups.iter().position(|group| group == name) {
            return Ok(&self.bodies[index]);
        }
        let names: Vec<&str> = self.groups.iter().map(String::as_str).collect();
        let help = match nearest_name(name, names.iter().copied()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("the groups are {}", names.join(", ")),
        };
        Err(self.scene.problem(span, format!("there is no group \"{name}\"")).help(help))
    }

    fn acts(
        &self,
        group: &str,
        acts: &Acts,
        span: &Span,
        model: &Model,
        state: &State,
    ) -> Result<(Vec<[u32; 2]>, Vec<Anchor>)> {
        let own = self.group(group, span)?;
        let anchor = |body: u32, point: DVec3, softening: Option<f64>| {
            let softening = softening.unwrap_or(SOFTENING * model.bodies[body as usize].radius);
            Anchor { body, point, softening }
        };
        match acts {
            Acts::Among(pairs) => Ok((self.among(group, own, pairs, span)?, Vec::new())),
            Acts::With(other) => {
                let others = self.group(other, span)?;
                if other == group {
                    let message = format!("this pairs the group \"{group}\" with itself");
                    let help = "use between = \"all\" for the pairs of one group";
                    return Err(self.scene.problem(span, message).help(help));
                }
                self.check_cost(own.len().saturating_mul(others.len()), span)?;
                let pairs = own.iter().flat_map(|&a| others.iter().map(move |&b| [a, b]));
                Ok((pairs.collect(), Vec::new()))
            }
            Acts::Point { point, softening } => {
                let anchors = own.iter().map(|&body| anchor(body, *point, *softening));
                Ok((Vec::new(), anchors.collect()))
            }
            Acts::Start { softening } => {
                let start = |body: u32| state.positions[body as usize];
                let anchors = own.iter().map(|&body| anchor(body, start(body), *softening));
                Ok((Vec::new(), anchors.collect()))
            }
        }
    }

    fn among(&self, group: &str, own: &[u32], pairs: &Pairs, span: &Span) -> Result<Vec<[u32; 2]>> {
        let n = own.len();
        match pairs {
            Pairs::All => {
                self.check_cost(n.saturating_mul(n.saturating_sub(1)) / 2, span)?;
                let with = |i: usize| own[i + 1..].iter().map(move |&b| [own[i], b]);
                Ok((0..n).flat_map(with).collect())
            }
            Pairs::Chain => Ok(own.windows(2).map(|pair| [pair[0], pair[1]]).collect()),
            Pairs::Ring if n < 3 => {
                let message = format!("the group \"{group}\" has {n} bodies");
                Err(self.scene.problem(span, message).help("a ring needs three or more"))
            }
            Pairs::Ring => Ok((0..n).map(|i| [own[i], own[(i + 1) % n]]).collect()),
            Pairs::Neighbours => self.neighbours(group, span),
            Pairs::List(list) => {
                let body = |number: usize| {
                    own.get(number).copied().ok_or_else(|| {
                        let message = format!(
                            "there is no body {number} in the group \"{group}\", which has {n}"
                        );
                        let help = "bodies of a group are counted from 0";
                        self.scene.problem(span, message).help(help)
                    })
                };
                list.iter().map(|&[a, b]| Ok([body(a)?, body(b)?])).collect()
            }
        }
    }

    /// Next to each other in the grids of a group.
    fn neighbours(&self, group: &str, span: &Span) -> Result<Vec<[u32; 2]>> {
        let mut pairs = Vec::new();
        let (mut first, mut grids) = (0, 0);
        for (entry, &made) in self.scene.bodies.iter().zip(self.counts) {
            if let (true, Place::Grid { count, .. }) = (entry.group == group, &entry.place) {
                grids += 1;
                let [nx, ny, _] = *count;
                for k in 0..made {
                    let place = [k % nx, k / nx % ny, k / (nx * ny)];
                    for (axis, stride) in [(0, 1), (1, nx), (2, nx * ny)] {
                        if place[axis] + 1 < count[axis] {
                            pairs.push([(first + k) as u32, (first + k + stride) as u32]);
                        }
                    }
                }
            }
            first += made;
        }
        if grids == 0 {
            let message = format!("the group \"{group}\" has no grid, so it has no neighbours");
            let help = "use `between` with \"all\", \"chain\", \"ring\" or a list of pairs";
            return Err(self.scene.problem(span, message).help(help));
        }
        Ok(pairs)
    }

    fn check_cost(&self, pairs: usize, span: &Span) -> Result<()> {
        if pairs <= MOST_PAIRS {
            return Ok(());
        }
        let message = format!("this force would act between {pairs} pairs of bodies");
        let help = format!(
            "every pair costs time in every step: at most {MOST_PAIRS} are possible; use \
             \"neighbours\", a list of pairs, or a smaller group"
        );
        Err(self.scene.problem(span, message).help(help))
    }

    fn links(&self, entry: &Links, state: &State) -> Result<Vec<Link>> {
        let own = self.group(&entry.group, &entry.span)?;
        let pairs = self.among(&entry.group, own, &entry.pairs, &entry.span)?;
        let link = |[a, b]: [u32; 2]| {
            let distance = state.positions[a as usize].distance(state.positions[b as usize]);
            let length = entry.length.unwrap_or(distance);
            let link = Link { a, b, length, give: entry.give };
            match Start::of(distance, &link) {
                Start::Fits => Ok(link),
                Start::TooFar => Err(self.misfit(entry, &link, distance, "too far apart")),
                Start::TooNear => Err(self.misfit(entry, &link, distance, "too close")),
            }
        };
        pairs.into_iter().map(link).collect()
    }

    fn misfit(&self, entry: &Links, link: &Link, distance: f64, how: &str) -> Problem {
        let message = format!(
            "bodies {} and {} start {how} for their link: {distance:?} instead of {:?}",
            link.a, link.b, link.length
        );
        let help = "leave `length` out to take the distances of the start";
        self.scene.problem(&entry.span, message).help(help)
    }
}

/// How a link starts.
enum Start {
    Fits,
    TooFar,
    TooNear,
}

impl Start {
    fn of(distance: f64, link: &Link) -> Start {
        let rounding = 1e-12 * link.length;
        if distance > link.length + rounding {
            Start::TooFar
        } else if distance < link.shortest() - rounding {
            Start::TooNear
        } else {
            Start::Fits
        }
    }
}
