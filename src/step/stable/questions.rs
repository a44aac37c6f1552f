//! Questions about the forces of any bodies: those of the least sum of squares, the least and the
//! greatest of a contact, and what stands on the way when bodies are placed one after the other.

use super::bricks::Held;
use super::forces::{Forces, ROUNDING};
use super::{Balance, Statics};
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use crate::solver::linear::End;
use crate::step::collapse::gauss::tangents;
use crate::world::{Model, Motion};

/// What a stage of building needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The body that is placed.
    pub body: u32,
    /// Whether what is there stands by itself.
    pub balance: Balance,
    /// What somebody must hold.
    pub held: Held,
}

impl<'a> Statics<'a> {
    /// The same without the touches of some bodies, which are taken away or not there yet. They are
    /// to be fixed in the model, so that nothing is asked of them.
    pub fn without(mut self, is_gone: impl Fn(usize) -> bool) -> Result<Self> {
        if !self.model.joints.is_empty() || !self.model.forces.is_empty() {
            return Err(Problem::new("bodies with joints or forces are not taken away")
                .help("leave out --without and --order, or the [[joints]] and [[forces]]"));
        }
        let gone = |body: Option<u32>| body.is_some_and(|body| is_gone(body as usize));
        self.keep(|touch| !touch.bodies().into_iter().any(gone));
        Ok(self)
    }

    /// The forces at all touches that balance the loads with the least sum of squares: those of stiff
    /// bodies whose contacts yield alike at every point. None if there are none.
    pub fn elastic_forces(&self) -> Option<Vec<DVec3>> {
        let mut forces = Forces::with_all(self, None);
        let mut squares = vec![0.0; forces.program.columns.len()];
        // The force of a touch along three axes, each as a difference, is the sum of its pushes.
        let own: Vec<(usize, usize, DVec3)> = (0..forces.pushes.len())
            .filter_map(|k| forces.pushes[k].map(|(touch, push)| (k, touch, push / forces.unit)))
            .collect();
        let mut rows = vec![[0; 3]; self.touches.len()];
        for rows in &mut rows {
            *rows = [0; 3].map(|_: u32| forces.row(0.0));
            for row in *rows {
                for sign in [1.0, -1.0] {
                    forces.column(vec![(row, -sign)], 0.0, None);
                    squares.push(1.0);
                }
            }
        }
        for (k, touch, push) in own {
            let axes = self.axes(touch);
            let parts = rows[touch].into_iter().zip(axes.map(|axis| axis.dot(push)));
            forces.program.columns[k].extend(parts.filter(|(_, x)| *x != 0.0));
        }
        forces.program.squares = squares;
        match forces.program.solve() {
            End::Solved(optimum) => Some(forces.at_touches(&optimum.shares)),
            End::Open(_) => None,
        }
    }

    /// The normal of a touch and two tangents.
    fn axes(&self, touch: usize) -> [DVec3; 3] {
        let normal = self.touches[touch].normal;
        match tangents(self.model.dimension, normal)[..] {
            [one, _, two, _] => [normal, one, two],
            [one, ..] => [normal, one, DVec3::Z],
            [] => DVec3::AXES,
        }
    }

    /// The least and the greatest force along the normal with which a contact
    /// ([`Statics::contacts`]) presses, over all forces that balance the loads: two programs. Infinite if there is no bound, none if there are no such forces.
    pub fn extreme_forces(&self, contact: usize) -> Option<[f64; 2]> {
        let (_, own) = self.contacts(&[]);
        let extreme = |sign: f64| {
            let mut forces = Forces::with_all(self, None);
            for k in 0..forces.pushes.len() {
                let Some((touch, push)) = forces.pushes[k] else { continue };
                if own[touch] == contact {
                    let along = push.dot(self.touches[touch].normal) / forces.unit;
                    forces.program.costs[k] = sign * along;
                }
            }
            let (optimum, is_solved) = forces.solve();
            is_solved.then_some(sign * optimum.cost * forces.unit)
        };
        match [extreme(1.0), extreme(-1.0)] {
            [Some(low), high] => Some([low.max(0.0), high.unwrap_or(f64::INFINITY)]),
            [None, _] => None,
        }
    }

    /// What is left missing, the speeds at which bodies begin to move, and the verdict.
    fn lack(&self) -> (Balance, Vec<f64>) {
        let mut forces = Forces::with_all(self, None);
        forces.help();
        let (optimum, is_solved) = forces.solve();
        let speeds = self.motion_of(&optimum.prices).iter().map(|(v, _)| v.length()).collect();
        let balance = match is_solved {
            true if optimum.cost < ROUNDING => Balance::Balanced,
            _ => self.balance_of_many(),
        };
        (balance, speeds)
    }

    /// Places the bodies that move one after the other and asks after each what stands, and what
    /// must be held: the new one, or the first that would do of those that would move fastest.
    pub fn order(&self, order: &[u32]) -> Result<Vec<Stage>> {
        let is_free = |body: u32| self.model.bodies[body as usize].is_free();
        let mut is_there: Vec<bool> =
            (0..self.model.bodies.len() as u32).map(|body| !is_free(body)).collect();
        let mut stages = Vec::with_capacity(order.len());
        for &body in order {
            is_there[body as usize] = true;
            let (balance, speeds) = self.stage(&is_there, None)?;
            let mut held = Held::Nothing;
            if balance != Balance::Balanced {
                let mut others: Vec<u32> =
                    order.iter().copied().filter(|b| is_there[*b as usize] && *b != body).collect();
                let speed = |b: &u32| speeds[*b as usize];
                others.sort_by(|a, b| speed(b).total_cmp(&speed(a)).then(a.cmp(b)));
                held = Held::MoreThanOne;
                for other in std::iter::once(body).chain(others) {
                    if self.stage(&is_there, Some(other))?.0 == Balance::Balanced {
                        held = Held::Brick(other);
                        break;
                    }
                }
            }
            stages.push(Stage { body, balance, held });
        }
        Ok(stages)
    }

    fn stage(&self, is_there: &[bool], held: Option<u32>) -> Result<(Balance, Vec<f64>)> {
        let mut model: Model = self.model.clone();
        for (number, body) in model.bodies.iter_mut().enumerate() {
            if !is_there[number] || held == Some(number as u32) {
                body.motion = Motion::Fixed;
            }
        }
        let asked = Statics { model: &model, ..self.again() };
        Ok(asked.without(|body| !is_there[body])?.lack())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;
    use crate::step::collapse::samples::add;
    use crate::world::State;

    /// A beam of weight 3 on three posts, which are fixed: the middle one may bear nothing or all.
    fn beam(posts: &[f64]) -> (Model, State) {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        let shape = Shape::cuboid(DVec3::new(10.0, 1.0, 1.0)).unwrap();
        add(&mut model, &mut state, shape, DVec3::Z * 0.5);
        model.bodies[0].mass = 3.0;
        for x in posts {
            let shape = Shape::cuboid(DVec3::new(1.0, 1.0, 1.0)).unwrap();
            add(&mut model, &mut state, shape, DVec3::new(*x, 0.0, -0.5)).motion = Motion::Fixed;
        }
        (model, state)
    }

    #[test]
    fn forces_of_a_beam_on_three_posts() {
        let (model, state) = beam(&[-4.0, 0.0, 4.0]);
        let statics = Statics::new(&model, &state).unwrap();
        let (contacts, own) = statics.contacts(&[]);
        assert_eq!(contacts.len(), 3);
        assert!(contacts.iter().all(|contact| (contact.area - 1.0).abs() < 1e-12));
        // Alike at every point: a third each, by symmetry.
        let elastic = statics.elastic_forces().unwrap();
        let mut sums = [0.0; 3];
        elastic.iter().zip(&own).for_each(|(force, contact)| sums[*contact] += force.z.abs());
        assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-5), "{sums:?}");
        // Alone the middle post can bear all, or nothing.
        let middle = contacts.iter().position(|c| c.bodies.contains(&Some(2))).unwrap();
        let [low, high] = statics.extreme_forces(middle).unwrap();
        assert!(low.abs() < 1e-5 && (high - 3.0).abs() < 1e-5, "{low} {high}");
        // An outer one bears half of it at most at its middle: more, if its inner edge does.
        let outer = contacts.iter().position(|c| c.bodies.contains(&Some(1))).unwrap();
        let [low, high] = statics.extreme_forces(outer).unwrap();
        let most = 3.0 * 4.5 / (4.5 + 3.5);
        assert!(low.abs() < 1e-5 && (high - most).abs() < 1e-4, "{low} {high} {most}");
    }

    #[test]
    fn what_does_not_balance_has_no_forces() {
        let (model, state) = beam(&[-4.0]);
        let statics = Statics::new(&model, &state).unwrap();
        assert_eq!(statics.elastic_forces(), None);
        assert_eq!(statics.extreme_forces(0), None);
    }

    /// A cantilever of two blocks with a counterweight: the overhanging one is held until this is there.
    #[test]
    fn an_order_needs_a_hand() {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        let brick = |x: f64| Shape::cuboid(DVec3::new(x, 1.0, 1.0)).unwrap();
        add(&mut model, &mut state, brick(2.0), DVec3::new(0.0, 0.0, -0.5)).motion = Motion::Fixed;
        add(&mut model, &mut state, brick(4.0), DVec3::new(1.5, 0.0, 0.5));
        add(&mut model, &mut state, brick(2.0), DVec3::new(0.0, 0.0, 1.5));
        let statics = Statics::new(&model, &state).unwrap();
        let stages = statics.order(&[1, 2]).unwrap();
        assert_eq!((stages[0].balance, stages[0].held), (Balance::Unbalanced, Held::Brick(1)));
        assert_eq!((stages[1].balance, stages[1].held), (Balance::Balanced, Held::Nothing));
    }
}
