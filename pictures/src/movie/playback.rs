//! Which moments of a run a movie shows. Between two stored frames bodies move
//! on straight lines: for a run without overlap, that is without overlap too.

use glam::DVec3;
use riprap::trajectory::Reader;
use riprap::world::{Contact, State};
use riprap::{Problem, Result};

/// How the time of a movie follows the frames of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Playback {
    /// The fastest point of a body always moves at the same speed; the movie takes this long.
    Even {
        /// Of the movie.
        seconds: f64,
    },
    /// The same at a speed that varies.
    Varying {
        /// Of the movie.
        seconds: f64,
        /// The speed at equal parts of the movie, in any unit: it changes evenly from one to the next.
        pace: Vec<f64>,
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

/// The largest of the numbers that say how fast a movie plays: their sums must stay numbers.
const MOST_PACE: f64 = 1e9;
/// The longest movie, in pictures.
const MOST_PICTURES: usize = 1_000_000;
/// Movies with even playback show at most this many pictures between two
/// stored frames; a short run makes a short movie.
const MOST_BETWEEN: usize = 20;

impl Playback {
    /// The moments to draw, in order.
    pub fn plan(&self, reader: &Reader, fps: u32) -> Result<Vec<Moment>> {
        let stored = reader.len();
        let wanted = match self {
            Playback::Stored => stored,
            Playback::Even { seconds } | Playback::Varying { seconds, .. } => {
                wanted_pictures(*seconds, fps)?.min(stored.saturating_mul(MOST_BETWEEN))
            }
        };
        if wanted > MOST_PICTURES {
            return Err(Problem::new(format!("a movie of {wanted} pictures is too long"))
                .help(format!("{MOST_PICTURES} are possible; ask for fewer seconds of movie")));
        }
        match self {
            Playback::Stored => Ok((0..stored).map(|frame| Moment { frame, share: 0.0 }).collect()),
            Playback::Even { .. } => Ok(along(&steps(reader)?, wanted, |part| part)),
            Playback::Varying { pace, .. } => {
                check_pace(pace)?;
                Ok(along(&steps(reader)?, wanted, |part| travelled(pace, part)))
            }
        }
    }
}

fn check_pace(pace: &[f64]) -> Result<()> {
    let message = match pace.iter().find(|speed| !(0.0..=MOST_PACE).contains(*speed)) {
        Some(speed) => format!("a movie cannot play at the speed {speed:?}"),
        None if pace.iter().all(|speed| *speed == 0.0) => "the movie would stand still".into(),
        None => return Ok(()),
    };
    Err(Problem::new(message).help(format!(
        "speeds are relative to each other: numbers from 0 to {MOST_PACE:e}, not all of them 0"
    )))
}

/// The part of the way that is behind us after a part of the movie.
fn travelled(pace: &[f64], part: f64) -> f64 {
    let spans = || pace.windows(2).map(|ends| (ends[0], ends[1]));
    let count = pace.len().saturating_sub(1) as f64;
    let way = |time: f64| -> f64 {
        let within = |k: usize| (time - k as f64).clamp(0.0, 1.0);
        let passed = |(k, (from, to)): (usize, (f64, f64))| {
            within(k) * (from + 0.5 * within(k) * (to - from))
        };
        spans().enumerate().map(passed).sum()
    };
    if count == 0.0 { part } else { way(part * count) / way(count) }
}

fn wanted_pictures(seconds: f64, fps: u32) -> Result<usize> {
    if !seconds.is_finite() || seconds <= 0.0 {
        return Err(Problem::new(format!("a movie of {seconds} seconds is impossible"))
            .help("the length is a positive number of seconds"));
    }
    let most = MOST_PICTURES as f64 / f64::from(fps);
    if seconds > most {
        return Err(Problem::new(format!("a movie of {seconds} seconds is too long"))
            .help(format!("at {fps} pictures per second, it lasts {most:.0} seconds at most")));
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

/// `count` moments along the way, by the part of it that is behind us after a part of the movie.
fn along(steps: &[f64], count: usize, travelled: impl Fn(f64) -> f64) -> Vec<Moment> {
    let total: f64 = steps.iter().sum();
    if total <= 0.0 || count < 2 {
        return vec![Moment { frame: steps.len(), share: 0.0 }];
    }
    let mut moments = Vec::with_capacity(count);
    let (mut frame, mut before) = (0, 0.0);
    for picture in 0..count - 1 {
        let way = total * travelled(picture as f64 / (count - 1) as f64);
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
        let moments = along(&steps, 10, |part| part);
        let way = |m: &Moment| {
            steps[..m.frame].iter().sum::<f64>()
                + m.share * steps.get(m.frame).copied().unwrap_or(0.0)
        };
        assert_eq!((moments[0].frame, moments[9]), (0, Moment { frame: 4, share: 0.0 }));
        for pair in moments.windows(2) {
            assert!((way(&pair[1]) - way(&pair[0]) - 0.5).abs() < 1e-12, "{moments:?}");
        }
    }

    /// From standing still to full speed and back: the middle half of the movie shows three quarters of
    /// the way.
    #[test]
    fn a_movie_may_vary_its_speed() {
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}");
        for (part, way) in [(0.0, 0.0), (0.25, 0.125), (0.5, 0.5), (0.75, 0.875), (1.0, 1.0)] {
            near(travelled(&[0.0, 1.0, 0.0], part), way);
        }
        // The first third at 3, then slower: areas of 3, 2 and 1 of 6.
        near(travelled(&[3.0, 3.0, 1.0, 1.0], 1.0 / 3.0), 0.5);
        near(travelled(&[3.0, 3.0, 1.0, 1.0], 2.0 / 3.0), 5.0 / 6.0);
        for even in [&[2.0][..], &[], &[0.5, 0.5]] {
            near(travelled(even, 0.3), 0.3);
        }
        let moments = along(&[1.0, 1.0], 5, |part| travelled(&[0.0, 1.0], part));
        let ways: Vec<f64> = moments.iter().map(|m| m.frame as f64 + m.share).collect();
        assert_eq!(ways, [0.0, 0.125, 0.5, 1.125, 2.0]);
        for wrong in [&[0.0, 0.0][..], &[1.0, -1.0], &[f64::NAN], &[1e300], &[]] {
            assert!(check_pace(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_run_without_motion_is_one_picture() {
        assert_eq!(along(&[], 100, |part| part), [Moment { frame: 0, share: 0.0 }]);
        assert_eq!(along(&[0.0, 0.0], 100, |part| part), [Moment { frame: 2, share: 0.0 }]);
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
        // Whatever the run has, though a short run makes a shorter movie.
        let problem = wanted_pictures(1e9, 25).unwrap_err();
        assert!(problem.to_string().contains("40000 seconds at most"), "{problem}");
    }
}
