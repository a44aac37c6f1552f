//! The models of the phases that follow the first.

use super::{at, mass_points, method};
use crate::math::DMat3;
use crate::problem::{Problem, Result};
use crate::scene::Scene;
use crate::world::{Model, Motion, Phase, State, checks};

/// Refuses a state that the method of a phase cannot start from.
pub fn check_phase(scene: &Scene, model: &Model, state: &State) -> Result<()> {
    checks::Start { scene, model, state, counts: &[] }.check()
}

/// The model of a phase of a scene, by its number from 0, made of that of the first one.
/// `time` is what has passed when it begins.
pub fn build_phase(scene: &Scene, first: &Model, number: usize, time: f64) -> Result<Model> {
    let Some(entry) = scene.phases.get(number) else { return Ok(first.clone()) };
    let mut model = Model { method: method(scene, number), ..first.clone() };
    model.phase = Phase { number, of: scene.phases.len(), time, until: entry.until };
    let wrong = |problem| at(scene, &entry.span, problem);
    for phase in &scene.phases[1..=number] {
        for name in &phase.release {
            let mut any = false;
            for body in 0..model.rigid_count() {
                let body = &mut model.bodies[body];
                if body.motion == Motion::Fixed && first.groups[body.group as usize] == *name {
                    (body.motion, any) = (Motion::Free, true);
                }
            }
            if !any {
                let message = format!("no body of the group \"{name}\" is fixed before this phase");
                let help = "`release` names a group of fixed bodies, once";
                return Err(at(scene, &phase.span, Problem::new(message).help(help)));
            }
        }
        let named = |i: usize| {
            let group = &first.groups[first.bodies[i].group as usize];
            i < first.rigid_count() && phase.remove.contains(group)
        };
        if !phase.remove.is_empty() {
            model.take_out(named);
        }
    }
    for i in 0..model.rigid_count() {
        let shape = first.shape(i);
        let body = &mut model.bodies[i];
        let inertia: DMat3 = shape.mass.inertia * (body.mass / shape.mass.volume);
        body.inertia = inertia;
        mass_points::put(scene, &model.method, shape, body).map_err(wrong)?;
    }
    if model.free().next().is_none() {
        return Err(wrong(Problem::new("no body can move in this phase")));
    }
    Ok(model)
}
