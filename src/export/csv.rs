//! Comma-separated values: one line per body and frame. The first line names the
//! columns, and there is none for remarks: `radius` is that of the sphere about
//! the centre of mass that holds the body, whatever its shape.

use std::fmt::Write;

use super::{digits, one_word};
use crate::math::DQuat;
use crate::trajectory::Frame;
use crate::world::{Model, Motion};

/// Which columns a run has besides those that every run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    /// Some body is turned.
    turned: bool,
    /// The method has time, and so velocities.
    moving: bool,
    /// Some body does not move.
    fixed: bool,
}

impl Columns {
    /// Turns never change in methods without time, so that the first frame tells.
    pub(super) fn of(model: &Model, first: &Frame) -> Columns {
        let moving = model.method.time().is_some();
        let turned = first.state.rotations.iter().any(|turn| *turn != DQuat::IDENTITY);
        let fixed = model.bodies.iter().any(|body| body.motion == Motion::Fixed);
        Columns { turned: turned || moving, moving, fixed }
    }

    /// The first line.
    pub(super) fn titles(self) -> String {
        let mut titles = String::from("frame,step,body,group,x,y,z,radius,mass");
        if self.turned {
            titles += ",qw,qx,qy,qz";
        }
        if self.moving {
            titles += ",vx,vy,vz,wx,wy,wz,time";
        }
        if self.fixed {
            titles += ",fixed";
        }
        titles + "\n"
    }

    /// The lines of one frame.
    pub(super) fn block(
        self,
        model: &Model,
        index: usize,
        time: Option<f64>,
        frame: &Frame,
    ) -> String {
        let mut text = String::new();
        let state = &frame.state;
        for (i, body) in model.bodies.iter().enumerate().filter(|(i, _)| !model.is_gone(*i)) {
            let group = model.groups.get(body.group as usize);
            let group = group.map_or("X".into(), |name| one_word(name).replace([',', '"'], "_"));
            // Writing to a string cannot fail.
            let _ = write!(text, "{index},{},{i},{group}", frame.step);
            let mut put = |numbers: &[f64]| {
                numbers.iter().for_each(|number| {
                    let _ = write!(text, ",{}", digits(*number));
                });
            };
            put(&state.positions[i].to_array());
            put(&[body.radius, body.mass]);
            if self.turned {
                let [x, y, z, w] = state.rotations[i].to_array();
                put(&[w, x, y, z]);
            }
            if self.moving {
                put(&state.velocities[i].to_array());
                put(&state.spins[i].to_array());
                put(&[time.unwrap_or(0.0)]);
            }
            if self.fixed {
                text += if body.motion == Motion::Fixed { ",1" } else { ",0" };
            }
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DVec3;
    use crate::scene::DynamicsOptions;
    use crate::trajectory::samples;
    use crate::world::Method;

    #[test]
    fn what_does_not_move_is_told() {
        let (mut model, frame) = (samples::model(3), samples::frame(7, 3));
        assert!(!Columns::of(&model, &frame).titles().contains("fixed"));
        model.bodies[1].motion = Motion::Fixed;
        let columns = Columns::of(&model, &frame);
        assert!(columns.titles().ends_with(",fixed\n"));
        let text = columns.block(&model, 0, None, &frame);
        let last: Vec<&str> = text.lines().filter_map(|line| line.rsplit(',').next()).collect();
        assert_eq!(last, ["0", "1", "0"]);
    }

    #[test]
    fn lines_parse_back_to_the_same_bits() {
        let (mut model, mut frame) = (samples::model(3), samples::frame(7, 3));
        frame.state.positions[1] = DVec3::new(-0.0, f64::MIN_POSITIVE / 3.0, 0.1 + 0.2);
        frame.state.rotations[2] = DQuat::from_rotation_y(0.3);
        frame.state.spins[0] = DVec3::new(0.0, 1.0 / 3.0, 2.0);
        for timed in [false, true] {
            if timed {
                model.method = Method::Dynamics(DynamicsOptions::default());
            }
            let columns = Columns::of(&model, &frame);
            let text = columns.block(&model, 4, timed.then_some(0.25), &frame);
            assert_eq!(text.lines().count(), 3);
            for (i, line) in text.lines().enumerate() {
                let words: Vec<&str> = line.split(',').collect();
                assert_eq!(words.len(), columns.titles().split(',').count());
                assert_eq!(words[..3], ["4", "7", &i.to_string()]);
                assert_eq!(words[3], ["glass_beads", "steel"][i % 2]);
                let bits: Vec<u64> =
                    words[4..].iter().map(|n| n.parse::<f64>().unwrap().to_bits()).collect();
                let (at, [x, y, z, w]) =
                    (frame.state.positions[i], frame.state.rotations[i].to_array());
                let body = &model.bodies[i];
                let expected = [at.x, at.y, at.z, body.radius, body.mass, w, x, y, z];
                assert_eq!(bits[..9], expected.map(f64::to_bits));
                if timed {
                    let spin = frame.state.spins[i].to_array();
                    assert_eq!(bits[12..15], spin.map(f64::to_bits));
                    assert_eq!(bits[15..], [0.25_f64.to_bits()]);
                }
            }
        }
    }
}
