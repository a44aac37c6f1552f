//! Which moments of a run a movie shows. Between two stored frames bodies move
//! on straight lines: for a run without overlap, that is without overlap too.

use glam::DVec3;
use riprap::trajectory::Reader;
use riprap::world::{Contact, State};
use riprap::{Problem, Result};

/// How the time of a movie follows the frames of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Playback {
    /// The fastest point of a body always moves at the same speed; the movie takes this long.
    Even {
        /// Of the movie.
        seconds: f64,
    },
    /// One picture per stored frame.
    Stored,
}

/// A moment between two stored frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    pub frame: usize,
    /// 0 at the frame, toward 1 at the next.
    pub share: f64,
}

/// The longest movie, in pictures.
const MOST_PICTURES: usize = 1_000_000;
/// Movies with even playback show at most this many pictures between two
/// stored frames; a short run makes a short movie.
const MOST_BETWEEN: usize = 20;

impl Playback {
    /// The moments to draw, in order.
    pub fn plan(self, reader: &Reader, fps: u32) -> Result<Vec<Moment>> {
        let stored = reader.len();
        let wanted = match self {
            Playback::Stored => stored,
            Playback::Even { seconds } => {
                wanted_pictures(seconds, fps)?.min(stored.saturating_mul(MOST_BETWEEN))
            }
        };
        if wanted > MOST_PICTURES {
            return Err(Problem::new(format!("a movie of {wanted} pictures is too long"))
                .help(format!("{MOST_PICTURES} are possible; ask for fewer seconds of movie")));
        }
        match self {
            Playback::Stored => Ok((0..stored).map(|frame| Moment { frame, share: 0.0 }).collect()),
            Playback::Even { .. } => Ok(evenly(&steps(reader)?, wanted)),
        }
    }
}

fn wanted_pictures(seconds: f64, fps: u32) -> Result<usize> {
    if !seconds.is_finite() || seconds <= 0.0 {
        return Err(Problem::new(format!("a movie of {seconds} seconds is impossible"))
            .help("the length is a positive number of seconds"));
    }
    Ok((seconds * fps as f64).round().max(1.0) as usize)
}

/// How far the fastest point of a body moved from each stored frame to the next.
fn steps(reader: &Reader) -> Result<Vec<f64>> {
    let mut steps = Vec::with_capacity(reader.len());
    let mut last: Option<State> = None;
    for frame in reader.frames() {
        let state = frame?.state;
        if let Some(last) = last {
            let bodies = reader.model().bodies.iter().enumerate();
            let ways = bodies.map(|(i, body)| way(i, body.radius, &last, &state));
            steps.push(ways.filter(|way| way.is_finite()).fold(0.0, f64::max));
        }
        last = Some(state);
    }
    Ok(steps)
}

/// At most how far a point of a body moved from one state to the next.
fn way(body: usize, radius: f64, from: &State, to: &State) -> f64 {
    let (p, q) = (from.rotations[body], to.rotations[body]);
    // Twice the distance of the quaternions is about the angle, and exactly 0 without a turn.
    let angle = 2.0 * (p - q).length().min((p + q).length());
    from.positions[body].distance(to.positions[body]) + radius * angle
}

/// `count` moments that are equally far apart along the way.
fn evenly(steps: &[f64], count: usize) -> Vec<Moment> {
    let total: f64 = steps.iter().sum();
    if total <= 0.0 || count < 2 {
        return vec![Moment { frame: steps.len(), share: 0.0 }];
    }
    let mut moments = Vec::with_capacity(count);
    let (mut frame, mut before) = (0, 0.0);
    for picture in 0..count - 1 {
        let way = total * picture as f64 / (count - 1) as f64;
        while frame + 1 < steps.len() && before + steps[frame] <= way {
            before += steps[frame];
            frame += 1;
        }
        let share =
            if steps[frame] > 0.0 { ((way - before) / steps[frame]).clamp(0.0, 1.0) } else { 0.0 };
        moments.push(Moment { frame, share });
    }
    moments.push(Moment { frame: steps.len(), share: 0.0 });
    moments
}

/// What is shown at a moment: places and turns between those of two frames, and the
/// contacts of the nearer one, with their forces.
pub fn shown_at(reader: &Reader, moment: Moment) -> Result<(State, Vec<Contact>)> {
    let mut here = reader.frame(moment.frame)?;
    // What has been taken out is nowhere.
    let model = reader.model_at(moment.frame);
    for body in (0..model.bodies.len()).filter(|&i| model.is_gone(i)) {
        here.state.positions[body] = DVec3::NAN;
    }
    let forces = |frame: usize| Ok(reader.forces_at(frame)?.unwrap_or_default());
    if moment.share == 0.0 {
        return Ok((here.state, forces(moment.frame)?));
    }
    let next = reader.frame(moment.frame + 1)?;
    let contacts = forces(if moment.share < 0.5 { moment.frame } else { moment.frame + 1 })?;
    Ok((between(here.state, &next.state, moment.share), contacts))
}

/// A state on the way from one to the next: bodies move and gain speed evenly, and turn the shorter way.
fn between(mut here: State, next: &State, share: f64) -> State {
    for (p, q) in here.positions.iter_mut().zip(&next.positions) {
        *p = p.lerp(*q, share);
    }
    for (p, q) in here.rotations.iter_mut().zip(&next.rotations) {
        let nearer = if p.dot(*q) < 0.0 { -*q } else { *q };
        *p = p.slerp(nearer, share);
    }
    for (p, q) in here.velocities.iter_mut().zip(&next.velocities) {
        *p = p.lerp(*q, share);
    }
    here
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn moments_are_equally_far_apart() {
        let steps = [1.0, 0.0, 3.0, 0.5];
        let moments = evenly(&steps, 10);
        let way = |m: &Moment| {
            steps[..m.frame].iter().sum::<f64>()
                + m.share * steps.get(m.frame).copied().unwrap_or(0.0)
        };
        assert_eq!((moments[0].frame, moments[9]), (0, Moment { frame: 4, share: 0.0 }));
        for pair in moments.windows(2) {
            assert!((way(&pair[1]) - way(&pair[0]) - 0.5).abs() < 1e-12, "{moments:?}");
        }
    }

    #[test]
    fn a_run_without_motion_is_one_picture() {
        assert_eq!(evenly(&[], 100), [Moment { frame: 0, share: 0.0 }]);
        assert_eq!(evenly(&[0.0, 0.0], 100), [Moment { frame: 2, share: 0.0 }]);
    }

    #[test]
    fn between_frames_bodies_move_and_turn() {
        let mut start = State::at_rest(vec![DVec3::ZERO]);
        let mut end = State::at_rest(vec![DVec3::X]);
        end.rotations[0] = DQuat::from_rotation_z(1.0);
        let middle = between(start.clone(), &end, 0.25);
        assert_eq!(middle.positions, [DVec3::new(0.25, 0.0, 0.0)]);
        let expected = DQuat::from_rotation_z(0.25);
        assert!(middle.rotations[0].abs_diff_eq(expected, 1e-12));
        // The same turn, written with the other sign.
        start.rotations[0] = -start.rotations[0];
        assert!(between(start, &end, 0.25).rotations[0].abs_diff_eq(-expected, 1e-12));
    }

    #[test]
    fn turns_count_as_ways() {
        let from = State::at_rest(vec![DVec3::ZERO]);
        let mut to = from.clone();
        assert_eq!(way(0, 3.0, &from, &to), 0.0);
        to.rotations[0] = -DQuat::from_rotation_x(0.01);
        assert!((way(0, 3.0, &from, &to) - 0.03).abs() < 1e-6);
        to.positions[0] = DVec3::X;
        assert!((way(0, 3.0, &from, &to) - 1.03).abs() < 1e-6);
    }

    #[test]
    fn impossible_lengths_are_refused() {
        for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let problem = wanted_pictures(seconds, 25).unwrap_err();
            assert!(problem.message.contains("is impossible"), "{problem}");
        }
        assert_eq!(wanted_pictures(1e-9, 25), Ok(1));
    }
}
