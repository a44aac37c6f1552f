//! Gives every body of a run its colour.

use glam::{DVec3, Vec3};
use riprap::export::palette::{FORCES, Rgb, SCALE, by_body, by_group, groups_tell};
use riprap::trajectory::{Frame, Reader};
use riprap::world::{Contact, Model, Motion, State};
use riprap::{Problem, Result};

use crate::Colours;
use crate::palette::Scale;
use crate::picture::{from_screen, screen_of};

/// Of fixed bodies.
pub const SUPPORT: Vec3 = Vec3::new(0.42, 0.40, 0.36);
/// The scale of a whole run is taken from this many of its frames.
const SAMPLES: usize = 24;

/// The colour of each body at a frame of a run, as screens show it.
///
/// # Errors
/// If the run does not know what the colours are to say.
pub fn colours_at(reader: &Reader, frame: usize, colours: Colours) -> Result<Vec<Rgb>> {
    let painter = Painter::of_run(reader, Some(colours))?;
    let forces = reader.forces_at(frame)?.unwrap_or_default();
    let light = painter.colours(&reader.frame(frame)?.state, &forces);
    Ok(light.into_iter().map(screen_of).collect())
}

/// Knows the colours of the bodies in every state of a run.
pub struct Painter<'a> {
    model: &'a Model,
    paint: Paint,
}

enum Paint {
    /// One colour per body, for the whole run.
    Lasting(Vec<Vec3>),
    /// By the way from the start.
    Way {
        start: Vec<DVec3>,
        scale: Scale,
    },
    Speed(Scale),
    Load(Scale),
}

impl<'a> Painter<'a> {
    /// For a model of which there is no run.
    pub fn new(model: &'a Model, state: &State, colours: Option<Colours>) -> Result<Painter<'a>> {
        let paint = match colours.unwrap_or_else(|| usual(model)) {
            Colours::Speed | Colours::Force | Colours::Displacement => {
                return Err(Problem::new(
                    "a single state has no speeds, forces and ways to colour",
                )
                .help("colour by group, body or radius, or draw a run"));
            }
            lasting => Paint::Lasting(lasting_colours(model, state, lasting)),
        };
        Ok(Painter { model, paint })
    }

    /// For a model whose colours somebody else has chosen.
    pub fn given(model: &'a Model, colours: &[Rgb]) -> Painter<'a> {
        let paint = Paint::Lasting(colours.iter().map(|colour| from_screen(*colour)).collect());
        Painter { model, paint }
    }

    /// For a run, which tells how far, how fast and under which forces bodies move.
    pub fn of_run(reader: &'a Reader, colours: Option<Colours>) -> Result<Painter<'a>> {
        let model = reader.model();
        let has_time = reader.moving_model().method.time().is_some();
        let paint = match colours.unwrap_or_else(|| usual(model)) {
            Colours::Displacement => {
                let start = reader.frame(0)?.state.positions;
                let end = reader.frame(reader.len() - 1)?.state.positions;
                let ways = coloured(model).map(|i| start[i].distance(end[i]));
                let scale = Scale::from_zero(SCALE, ways);
                Paint::Way { start, scale }
            }
            Colours::Speed if has_time => Paint::Speed(over_run(reader, SCALE, |_, frame| {
                Ok(frame.state.velocities.iter().map(|v| v.length()).collect())
            })?),
            Colours::Speed => {
                let method = model.method.name();
                return Err(Problem::new(format!("bodies have no speed in a run of {method}"))
                    .help("no time passes there; colour by displacement"));
            }
            Colours::Force if has_time => Paint::Load(over_run(reader, FORCES, |index, _| {
                let contacts = reader.forces_at(index)?.unwrap_or_default();
                Ok(loads(model, &contacts))
            })?),
            Colours::Force => {
                let contacts = reader.ending().map_or(&[][..], |ending| &ending.contacts);
                if contacts.is_empty() {
                    return Err(Problem::new("the run knows no forces to colour")
                        .help("forces are found when the bodies come to rest"));
                }
                let loads = loads(model, contacts);
                let scale = Scale::over(FORCES, coloured(model).map(|i| loads[i]));
                Paint::Lasting(loads.into_iter().map(|load| scale.at(load)).collect())
            }
            lasting => Paint::Lasting(lasting_colours(model, &reader.frame(0)?.state, lasting)),
        };
        Ok(Painter { model, paint })
    }

    /// The colour of each body in a state; `contacts` are those of its frame, with their forces.
    pub fn colours(&self, state: &State, contacts: &[Contact]) -> Vec<Vec3> {
        let mut colours = match &self.paint {
            Paint::Lasting(colours) => colours.clone(),
            Paint::Way { start, scale } => {
                let ways = start.iter().zip(&state.positions).map(|(a, b)| a.distance(*b));
                ways.map(|way| scale.at(way)).collect()
            }
            Paint::Speed(scale) => state.velocities.iter().map(|v| scale.at(v.length())).collect(),
            Paint::Load(scale) => {
                loads(self.model, contacts).into_iter().map(|load| scale.at(load)).collect()
            }
        };
        let rigid = self.model.rigid_count();
        for (colour, body) in colours.iter_mut().zip(&self.model.bodies[..rigid]) {
            if body.motion == Motion::Fixed {
                *colour = SUPPORT;
            }
        }
        colours
    }
}

/// The bodies whose values decide on the ends of a scale: fixed ones are grey anyway.
fn coloured(model: &Model) -> impl Iterator<Item = usize> + '_ {
    (0..model.bodies.len()).filter(|&i| model.bodies[i].motion != Motion::Fixed)
}

/// By group if several groups move, else by body.
fn usual(model: &Model) -> Colours {
    if groups_tell(model) { Colours::Group } else { Colours::Body }
}

/// Colours that do not change; `state` is where the bodies start.
fn lasting_colours(model: &Model, state: &State, colours: Colours) -> Vec<Vec3> {
    let bodies = &model.bodies;
    match colours {
        Colours::Group => by_group(model, state).into_iter().map(from_screen).collect(),
        Colours::Radius => {
            let rigid = coloured(model).filter(|&i| i < model.rigid_count());
            let scale = Scale::over(SCALE, rigid.map(|i| bodies[i].radius));
            bodies.iter().map(|body| scale.at(body.radius)).collect()
        }
        _ => by_body(model, state).into_iter().map(from_screen).collect(),
    }
}

/// The scale of values that change from frame to frame.
fn over_run(
    reader: &Reader,
    stops: [Rgb; 5],
    values: impl Fn(usize, &Frame) -> Result<Vec<f64>>,
) -> Result<Scale> {
    let mut all = Vec::new();
    for index in spread(reader.len(), SAMPLES) {
        let values = values(index, &reader.frame(index)?)?;
        all.extend(coloured(reader.model()).map(|i| values[i]));
    }
    Ok(Scale::from_zero(stops, all))
}

/// At most `count` frames out of `len`, evenly spread, the first and the last among them.
pub fn spread(len: usize, count: usize) -> Vec<usize> {
    let last = len.saturating_sub(1);
    let steps = last.min(count - 1).max(1);
    let mut frames: Vec<usize> = (0..=steps).map(|k| k * last / steps).collect();
    frames.dedup();
    frames
}

/// The sum of the contact forces on each body.
fn loads(model: &Model, contacts: &[Contact]) -> Vec<f64> {
    let mut loads = vec![0.0; model.bodies.len()];
    for contact in contacts {
        for body in [Some(contact.body as usize), contact.with.body(model)].into_iter().flatten() {
            if let Some(load) = loads.get_mut(body) {
                *load += contact.force.length();
            }
        }
    }
    loads
}

#[cfg(test)]
mod tests {
    use super::*;
    use riprap::world::With;

    fn model(groups: [u32; 3]) -> (Model, State) {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        for (k, group) in groups.into_iter().enumerate() {
            let at = DVec3::X * 3.0 * k as f64;
            model.add_particle(&mut state, at, 1.0, 1.0 + k as f64).group = group;
        }
        (model, state)
    }

    fn colours(model: &Model, state: &State, colours: Option<Colours>) -> Vec<Vec3> {
        Painter::new(model, state, colours).unwrap().colours(state, &[])
    }

    #[test]
    fn groups_decide_if_several_move() {
        let (mut model, state) = model([0, 1, 1]);
        let groups: Vec<Vec3> = by_group(&model, &state).into_iter().map(from_screen).collect();
        assert_eq!(colours(&model, &state, None), groups);
        let own: Vec<Vec3> = by_body(&model, &state).into_iter().map(from_screen).collect();
        assert_eq!(colours(&model, &state, Some(Colours::Body)), own);
        model.bodies[0].motion = Motion::Fixed;
        assert_eq!(colours(&model, &state, None), [SUPPORT, own[1], own[2]]);
    }

    #[test]
    fn scales_leave_fixed_bodies_out() {
        let (mut model, state) = model([0; 3]);
        model.bodies[0].motion = Motion::Fixed;
        let [low, high] = [0, 4].map(|k| from_screen(SCALE[k]));
        assert_eq!(colours(&model, &state, Some(Colours::Radius)), [SUPPORT, low, high]);
    }

    #[test]
    fn a_single_state_has_no_ways() {
        let (model, state) = model([0; 3]);
        for unknown in [Colours::Speed, Colours::Force, Colours::Displacement] {
            let problem = Painter::new(&model, &state, Some(unknown)).err().unwrap();
            assert!(problem.message.starts_with("a single state has no speeds"), "{problem}");
        }
    }

    #[test]
    fn both_sides_of_a_contact_carry_it() {
        let (model, _) = model([0; 3]);
        let contact = |with: With, force: f64| Contact {
            body: 0,
            with,
            pieces: [0; 2],
            at: [DVec3::ZERO; 2],
            normal: DVec3::Z,
            force: DVec3::Z * force,
            couples: [DVec3::ZERO; 2],
            choice: false,
        };
        let contacts = [contact(With::Body(2), 2.0), contact(With::Face(7), 1.5)];
        assert_eq!(loads(&model, &contacts), [3.5, 0.0, 2.0]);
    }

    #[test]
    fn frames_are_spread_with_both_ends() {
        assert_eq!(spread(1, 5), [0]);
        assert_eq!(spread(3, 5), [0, 1, 2]);
        assert_eq!(spread(9, 3), [0, 4, 8]);
        assert_eq!(spread(100, 4), [0, 33, 66, 99]);
    }
}
