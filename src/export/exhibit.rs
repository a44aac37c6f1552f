//! What the answer to "does it stand?" looks like, the same in vector pictures, in rendered ones and
//! on pages: colours that say how much bodies bear, forces as arrows, the contact that counts most,
//! how the bodies begin to move, and the bodies taken apart.

use super::palette::{FORCES, Rgb, along};
use crate::math::{DMat3, DQuat, DVec3};
use crate::problem::{Problem, Result};
use crate::shape::Polytope;
use crate::step::stable::Balance;
use crate::world::{Contact, Model, State};

/// An answer to "does it stand?", to be shown.
#[derive(Clone, Debug)]
pub struct Exhibit<'a> {
    /// What was asked about.
    pub model: &'a Model,
    /// Where its bodies are.
    pub state: &'a State,
    /// The verdict.
    pub balance: Balance,
    /// What the colours of the bodies say.
    pub shade: Shade,
    /// The forces at points of contacts.
    pub forces: Vec<Contact>,
    /// What the forces are, in words.
    pub forces_are: String,
    /// The contact that counts most.
    pub marked: Option<Marked>,
    /// Accelerations and angular accelerations per body, if something begins to move.
    pub motion: Option<Vec<(DVec3, DVec3)>>,
}

/// A value for each body, told by its colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Shade {
    /// What the values are.
    pub label: String,
    /// One for each body; bodies without one are grey.
    pub values: Vec<Option<f64>>,
}

/// A contact that stands out.
#[derive(Clone, Debug, PartialEq)]
pub struct Marked {
    /// Why, and between whom.
    pub label: String,
    /// The two bodies; none is the container.
    pub bodies: [Option<u32>; 2],
    /// Across the contact.
    pub normal: DVec3,
    /// Points all around it.
    pub points: Vec<DVec3>,
}

/// A force as an arrow that shows what acts on the upper body: a push comes from the other side
/// and ends at the contact, a pull begins there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// The tail.
    pub from: DVec3,
    /// The tip.
    pub to: DVec3,
    /// What acts on the upper body.
    pub force: DVec3,
    /// The contact holds its bodies together.
    pub pulls: bool,
    /// Its number among [`Exhibit::forces`].
    pub number: usize,
}

/// A line of a legend.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// Words alone.
    Words(String),
    /// The scale of [`FORCES`], from 0 to this.
    Scale(String),
    /// What a colour stands for.
    Key(Rgb, String),
}

/// The strongest arrow, in radii of a typical body.
const LONGEST: f64 = 1.6;
/// Forces below this part of the strongest are rounding.
const WEAKEST: f64 = 1e-9;

/// The motion is shown until the fastest body has moved and turned by so many of its radii.
pub const SHOWN_MOTION: f64 = 0.6;
/// In so many steps.
const MOMENTS: usize = 30;

/// Bodies of which there is nothing to say.
const SILENT: Rgb = [0xa8, 0xa8, 0xa4];

/// What pictures mark a contact with, draw pushes and pulls with.
pub const MARK: Rgb = [0x00, 0xa8, 0x7a];
/// See [`MARK`].
pub const PUSH: Rgb = [0x34, 0x30, 0x7a];
/// See [`MARK`].
pub const PULL: Rgb = [0xe0, 0x1f, 0x2e];
/// What bodies that begin to move leave behind: see [`MARK`].
pub const SPECTRE: Rgb = [0xc0, 0x39, 0x2b];

impl Shade {
    /// The end of the scale, which begins at 0.
    pub fn most(&self) -> f64 {
        self.values.iter().flatten().copied().filter(|x| x.is_finite()).fold(0.0, f64::max)
    }

    /// The colour of each body.
    pub fn colours(&self) -> Vec<Rgb> {
        let most = self.most().max(f64::MIN_POSITIVE);
        let colour = |value: &Option<f64>| value.map_or(SILENT, |x| along(&FORCES, x / most));
        self.values.iter().map(colour).collect()
    }

    /// The largest of the values of each body's contacts, each a pair of bodies and a value.
    pub fn largest(
        label: impl Into<String>,
        model: &Model,
        contacts: impl IntoIterator<Item = ([Option<u32>; 2], f64)>,
    ) -> Shade {
        let mut values: Vec<Option<f64>> = vec![None; model.bodies.len()];
        for (bodies, value) in contacts {
            for body in bodies.into_iter().flatten() {
                let old = &mut values[body as usize];
                *old = Some(old.map_or(value, |old| old.max(value)));
            }
        }
        Shade { label: label.into(), values }
    }

    /// How fast each body begins to move, in units of gravity, if there is any; of those that do.
    pub fn of_motion(model: &Model, motion: &[(DVec3, DVec3)]) -> Shade {
        let gravity = model.gravity.length();
        let (unit, label) = match gravity > 0.0 {
            true => (gravity, "first acceleration, in g"),
            false => (1.0, "first acceleration"),
        };
        let value = |i: usize| model.bodies[i].is_free().then(|| motion[i].0.length() / unit);
        Shade { label: label.into(), values: (0..model.bodies.len()).map(value).collect() }
    }
}

impl Marked {
    /// Lines around the contact: the sides of the hull of its points.
    pub fn edges(&self) -> Vec<[DVec3; 2]> {
        let (one, two) = self.normal.any_orthonormal_pair();
        let Some(&first) = self.points.first() else { return Vec::new() };
        let flat = |p: &DVec3| [(*p - first).dot(one), (*p - first).dot(two)];
        let corners: Vec<[f64; 2]> = self.points.iter().map(flat).collect();
        let Ok(hull) = Polytope::flat_hull(&corners) else { return self.line() };
        let back = |p: DVec3| first + one * p.x + two * p.y;
        let side = |corners: &[u32]| [0, 1].map(|k| back(hull.corners()[corners[k] as usize]));
        hull.facets().iter().map(|facet| side(&facet.corners)).collect()
    }

    /// Of points in a row: from one end to the other.
    fn line(&self) -> Vec<[DVec3; 2]> {
        let far = |from: DVec3| {
            let by = |a: &&DVec3, b: &&DVec3| from.distance(**a).total_cmp(&from.distance(**b));
            self.points.iter().max_by(by).copied().unwrap_or(from)
        };
        let start = far(self.points[0]);
        vec![[start, far(start)]]
    }
}

impl Exhibit<'_> {
    /// The same with the bodies in another state, such as [`apart`]: forces and the marked contact
    /// stay halfway between their bodies.
    pub fn at<'b>(&'b self, state: &'b State) -> Exhibit<'b> {
        let shift = |body: Option<usize>| {
            body.map_or(DVec3::ZERO, |i| state.positions[i] - self.state.positions[i])
        };
        let halfway = |[a, b]: [Option<usize>; 2]| match (a, b) {
            (Some(_), Some(_)) => 0.5 * (shift(a) + shift(b)),
            (one, other) => shift(one.or(other)),
        };
        let mut forces = self.forces.clone();
        for contact in &mut forces {
            let by = halfway([Some(contact.body as usize), contact.with.body(self.model)]);
            contact.at = contact.at.map(|at| at + by);
        }
        let mut marked = self.marked.clone();
        if let Some(marked) = &mut marked {
            let by = halfway(marked.bodies.map(|body| body.map(|body| body as usize)));
            marked.points.iter_mut().for_each(|p| *p += by);
        }
        Exhibit { state, forces, marked, ..self.clone() }
    }

    /// The forces as arrows, as long as they are strong.
    pub fn arrows(&self) -> Vec<Arrow> {
        let strongest = self.forces.iter().map(|f| f.force.length()).fold(0.0, f64::max);
        let scale = LONGEST * self.model.typical_radius() / strongest;
        let up = -self.model.gravity;
        let arrow = |(number, contact): (usize, &Contact)| {
            let sign = if contact.normal.dot(up) < 0.0 { -1.0 } else { 1.0 };
            let force = contact.force * sign;
            let at = 0.5 * (contact.at[0] + contact.at[1]);
            let pulls = contact.force.dot(contact.normal) < 0.0;
            let (from, to) = match pulls {
                true => (at, at + force * scale),
                false => (at - force * scale, at),
            };
            Arrow { from, to, force, pulls, number }
        };
        let all = self.forces.iter().enumerate();
        all.filter(|(_, f)| f.force.length() > WEAKEST * strongest).map(arrow).collect()
    }

    /// What the colours mean.
    pub fn legend(&self) -> Vec<Line> {
        let mut lines =
            vec![Line::Words(self.shade.label.clone()), Line::Scale(figure(self.shade.most()))];
        let arrows = self.arrows();
        if !arrows.is_empty() && !self.forces_are.is_empty() {
            lines.push(Line::Words(format!("arrows: {}", self.forces_are)));
        }
        for (pulls, colour, word) in [(false, PUSH, "push"), (true, PULL, "pull")] {
            let of_kind = arrows.iter().filter(|arrow| arrow.pulls == pulls);
            let most = of_kind.map(|arrow| arrow.force.length()).fold(0.0, f64::max);
            if most > 0.0 {
                lines.push(Line::Key(colour, format!("{word}, up to {} at a point", figure(most))));
            }
        }
        if let Some(marked) = &self.marked {
            lines.push(Line::Key(MARK, marked.label.clone()));
        }
        if self.motion.is_some() {
            let words = format!("first motion, drawn up to {SHOWN_MOTION} of a radius");
            lines.push(Line::Key(SPECTRE, words));
        }
        lines
    }

    /// Where the bodies are after a part (0 to 1) of the motion that is shown: straight along
    /// their first accelerations, turning evenly, whatever is in the way.
    pub fn moved(&self, part: f64) -> State {
        let mut moved = self.state.clone();
        let Some(motion) = &self.motion else { return moved };
        let speed =
            |i: usize| motion[i].0.length() / self.model.bodies[i].radius + motion[i].1.length();
        let fastest = self.model.free().map(speed).fold(f64::MIN_POSITIVE, f64::max);
        let scale = part * SHOWN_MOTION / fastest;
        for i in self.model.free() {
            let (shift, turn) = motion[i];
            moved.positions[i] += shift * scale;
            moved.rotations[i] = DQuat::from_scaled_axis(turn * scale) * moved.rotations[i];
        }
        moved
    }

    /// The parts of the motion that a film of it shows, from 0 to 1, ever faster as what falls; 0
    /// alone if nothing moves.
    pub fn moments(&self) -> Vec<f64> {
        let part = |k: usize| (k as f64 / MOMENTS as f64).powi(2);
        if self.motion.is_some() { (0..=MOMENTS).map(part).collect() } else { vec![0.0] }
    }
}

/// A number with four digits.
pub fn figure(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e6).contains(&size) {
        return format!("{x:.3e}");
    }
    let decimals = (3 - size.log10().floor() as i32).max(0) as usize;
    let text = format!("{x:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}

/// The bodies taken apart: each moves away from their [`foot`] by so many times its distance from
/// there. Bodies that are convex do not meet.
pub fn apart(state: &State, foot: DVec3, share: f64) -> State {
    let mut moved = state.clone();
    moved.positions.iter_mut().for_each(|p| *p += (*p - foot) * share);
    moved
}

/// Refuses to take apart what has more than loose bodies.
pub fn is_loose(model: &Model) -> Result<()> {
    let what = match () {
        () if !model.boundary.faces().is_empty() => "a container",
        () if !model.cloths.is_empty() => "cloth",
        () => return Ok(()),
    };
    Err(Problem::new(format!("bodies are not taken apart where there is {what}"))
        .help("leave out --explode"))
}

/// The middle of the ground below what moves.
pub fn foot(model: &Model, state: &State) -> DVec3 {
    let up = if model.dimension == 2 { 1 } else { 2 };
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let rigid = model.rigid_count();
    for i in model.free().filter(|&i| i < rigid && state.positions[i].is_finite()) {
        let turn = DMat3::from_quat(state.rotations[i]);
        for piece in &model.shape(i).pieces {
            let around = piece.bounds(state.positions[i], &turn);
            (low, high) = (low.min(around.min), high.max(around.max));
        }
    }
    let mut foot = 0.5 * (low + high);
    foot[up] = low[up];
    if foot.is_finite() { foot } else { DVec3::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::gallery;
    use crate::step::stable::stable;
    use crate::world::build;

    fn exhibit<'a>(model: &'a Model, state: &'a State) -> Exhibit<'a> {
        let verdict = stable(model, state).unwrap();
        Exhibit {
            model,
            state,
            balance: verdict.balance,
            shade: Shade::of_motion(model, &verdict.accelerations),
            forces: verdict.forces.iter().map(|f| f.contact).collect(),
            forces_are: String::new(),
            marked: None,
            motion: (!verdict.is_balanced()).then_some(verdict.accelerations),
        }
    }

    /// Arrows are the forces on the upper bodies, to scale, and end or begin at the contacts.
    #[test]
    fn arrows_are_forces() {
        for name in ["gate", "diamond-3", "tower-5x5"] {
            let (model, state) = build(&gallery::scene(name).unwrap()).unwrap();
            let shown = exhibit(&model, &state);
            let strongest = shown.forces.iter().map(|f| f.force.length()).fold(0.0, f64::max);
            let scale = LONGEST * model.typical_radius() / strongest;
            let up = -model.gravity.normalize();
            let arrows = shown.arrows();
            assert!(arrows.len() > 5, "{name}");
            for arrow in &arrows {
                let contact = &shown.forces[arrow.number];
                assert!(
                    (arrow.to - arrow.from - arrow.force * scale).length()
                        < 1e-12 * strongest.max(1.0)
                );
                assert!(arrow.force == contact.force || arrow.force == -contact.force);
                assert!(!arrow.pulls, "{name}: nothing holds there");
                assert!(arrow.to.distance(contact.at[0]) < 1e-6);
                if contact.normal.dot(up).abs() > 0.9 {
                    assert!(arrow.force.dot(up) > 0.0, "{name}: what lies below lifts");
                }
            }
        }
    }

    #[test]
    fn what_holds_points_away_from_its_contact() {
        let (model, state) = build(&gallery::scene("diamond-3").unwrap()).unwrap();
        let mut shown = exhibit(&model, &state);
        shown.forces.iter_mut().for_each(|contact| contact.force *= -1.0);
        for arrow in shown.arrows() {
            assert!(arrow.pulls && arrow.from.distance(shown.forces[arrow.number].at[0]) < 1e-6);
        }
    }

    #[test]
    fn motion_is_shown_up_to_a_stated_amount() {
        let (model, state) = build(&gallery::scene("tower-5x5").unwrap()).unwrap();
        let shown = exhibit(&model, &state);
        assert_eq!((shown.moments()[0], shown.moments().last()), (0.0, Some(&1.0)));
        assert_eq!(shown.moved(0.0).positions, state.positions);
        let end = shown.moved(1.0);
        let gone = |i: usize| {
            let turn = end.rotations[i].angle_between(state.rotations[i]);
            end.positions[i].distance(state.positions[i]) / model.bodies[i].radius + turn
        };
        let most = model.free().map(gone).fold(0.0, f64::max);
        assert!((most - SHOWN_MOTION).abs() < 1e-9, "{most}");
        assert!((0..model.bodies.len()).all(|i| model.bodies[i].is_free() || gone(i) == 0.0));
    }

    #[test]
    fn colours_run_from_nothing_to_the_most() {
        let values = vec![Some(0.0), Some(0.5), None, Some(1.0)];
        let shade = Shade { label: "load".into(), values };
        assert_eq!(shade.most(), 1.0);
        assert_eq!(shade.colours(), [FORCES[0], FORCES[2], SILENT, FORCES[4]]);
    }

    /// With numbers, and with what there is alone.
    #[test]
    fn legends_say_what_is_shown() {
        let (model, state) = build(&gallery::scene("tower-5x5").unwrap()).unwrap();
        let shown = exhibit(&model, &state);
        let legend = shown.legend();
        assert_eq!(legend[0], Line::Words("first acceleration, in g".into()));
        let fastest = shown.shade.most();
        assert_eq!(legend[1], Line::Scale(figure(fastest)));
        let told = format!("{legend:?}");
        assert!(told.contains("push, up to") && !told.contains("pull"), "{told}");
        assert!(told.contains("up to 0.6 of a radius"), "{told}");
        assert_eq!(figure(0.900_721), "0.9007");
        assert_eq!(
            [1.0, 123_456.0, 1e-9, -2.5, 0.5].map(figure),
            ["1", "123456", "1.000e-9", "-2.5", "0.5"]
        );
    }

    #[test]
    fn contacts_are_outlined() {
        let at = |x: f64, y: f64| DVec3::new(x, y, 3.0);
        let points = vec![at(0.0, 0.0), at(2.0, 0.0), at(1.0, 0.5), at(2.0, 1.0), at(0.0, 1.0)];
        let (bodies, label) = ([Some(0), None], String::new());
        let marked = Marked { label, bodies, normal: DVec3::Z, points };
        let around: f64 = marked.edges().iter().map(|[a, b]| a.distance(*b)).sum();
        assert!((around - 6.0).abs() < 1e-12 && marked.edges().len() == 4, "{around}");
        let row = Marked { points: vec![at(1.0, 0.0), at(0.0, 0.0), at(3.0, 0.0)], ..marked };
        assert_eq!(row.edges(), [[at(3.0, 0.0), at(0.0, 0.0)]]);
    }

    /// A gap opens everywhere, and nothing meets.
    #[test]
    fn taken_apart() {
        let (model, state) = build(&gallery::scene("wall-3d").unwrap()).unwrap();
        let foot = foot(&model, &state);
        let loose = apart(&state, foot, 0.5);
        for (a, b) in state.positions.iter().zip(&loose.positions) {
            assert!((*b - foot - (*a - foot) * 1.5).length() < 1e-12);
        }
        assert!(
            crate::step::stable::Statics::new(&model, &loose).unwrap().contacts(&[]).0.is_empty()
        );
    }
}
