//! Heavy bodies and light ones. What a light body has to gain is nothing
//! beside what a heavy one has, so a program of both leaves it where it is as soon
//! as the heavy ones are served to the program's accuracy. Bodies are therefore
//! graded by the work of their own largest force over their radius; when all have come
//! to rest, the lighter grades go on among those that are heavier, in units of their own.

use super::plan::Units;
use crate::energy::Forces;
use crate::world::Model;

/// Within a grade, bodies differ by no more than this.
const RANGE: f64 = 1e3;

/// The grade of each body, 0 being the heaviest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grades(Vec<u32>);

impl Grades {
    /// Of bodies on which these forces act. Those that cannot move, or on which nothing acts, are
    /// of the heaviest grade.
    pub fn new(model: &Model, forces: &Forces) -> Grades {
        let work = |i: usize| forces.largest[i] * model.bodies[i].radius;
        let mut order: Vec<usize> = model.free().filter(|&i| work(i) > 0.0).collect();
        order.sort_by(|&i, &j| work(j).total_cmp(&work(i)).then(i.cmp(&j)));
        let mut grades = vec![0; model.bodies.len()];
        let (mut grade, mut heaviest) = (0, order.first().map_or(0.0, |&i| work(i)));
        for i in order {
            if work(i) * RANGE < heaviest {
                grade += 1;
                heaviest = work(i);
            }
            grades[i] = grade;
        }
        Grades(grades)
    }

    /// The weight by which bodies of a grade and lighter are held where they are: that of the
    /// lightest grade, if there are several.
    pub fn hold(&self, model: &Model, forces: &Forces, grade: u32) -> f64 {
        match grade < self.last() {
            true => Units::of(model, forces, self.last()).force,
            false => f64::INFINITY,
        }
    }

    pub fn of(&self, body: usize) -> u32 {
        self.0[body]
    }

    /// The lightest one.
    pub fn last(&self) -> u32 {
        self.0.iter().copied().max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::samples::{cuboid, model};
    use crate::energy;
    use crate::world::{Motion, State};

    #[test]
    fn grades_go_by_weight_times_radius() {
        let mut model = model(cuboid(10.0), &[1.0, 0.1, 1.0, 1.0, 0.5]);
        for (body, mass) in model.bodies.iter_mut().zip([1.0, 0.5, 900.0, 1e-9, 1e-3]) {
            body.mass = mass;
        }
        let grades = |model: &Model| {
            let state = State::at_rest(vec![crate::math::DVec3::ZERO; 5]);
            Grades::new(model, &energy::forces(model, &state))
        };
        let all = grades(&model);
        assert_eq!((0..5).map(|i| all.of(i)).collect::<Vec<_>>(), [0, 1, 0, 2, 1]);
        assert_eq!(all.last(), 2);
        let state = State::at_rest(vec![crate::math::DVec3::ZERO; 5]);
        let hold = |grade| all.hold(&model, &energy::forces(&model, &state), grade);
        assert!([0, 1].iter().all(|&grade| (hold(grade) - 1e-9).abs() < 1e-20));
        assert_eq!(hold(2), f64::INFINITY);
        model.bodies[2].motion = Motion::Fixed;
        let all = grades(&model);
        assert_eq!((0..5).map(|i| all.of(i)).collect::<Vec<_>>(), [0, 0, 0, 2, 1]);
    }
}
