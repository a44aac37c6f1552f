//! What contacts hold besides pressing and rubbing.

use serde::{Deserialize, Serialize};

use super::Model;
use crate::scene::Per;

/// How strong the contacts of some bodies are.
///
/// ```
/// use riprap::world::{Model, Per, Strength};
/// let mortar = Strength { pull: 1e5, cohesion: 2e5, per: Per::Area, ..Strength::default() };
/// let model = Model { strengths: vec![mortar], ..Model::default() };
/// assert!(model.strength([None, None]).is_some());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Strength {
    /// Numbers of groups: contacts of a body of the one with a body of the other; where there is
    /// none, any body or the container will do.
    pub groups: [Option<u32>; 2],
    /// The pull that parts them.
    pub pull: f64,
    /// What they bear sideways without being pressed.
    pub cohesion: f64,
    /// What they bear sideways at most.
    pub shear: Option<f64>,
    /// What these three are meant for.
    pub per: Per,
}

impl Model {
    /// What a contact of two bodies (or a body and the container) holds: what the last entry about
    /// it says.
    pub fn strength(&self, bodies: [Option<u32>; 2]) -> Option<&Strength> {
        let groups = bodies.map(|body| body.map(|body| self.bodies[body as usize].group));
        let fits = |wanted: Option<u32>, group: Option<u32>| wanted.is_none() || wanted == group;
        let is_meant = |strength: &&Strength| {
            let [one, two] = strength.groups;
            fits(one, groups[0]) && fits(two, groups[1])
                || fits(one, groups[1]) && fits(two, groups[0])
        };
        self.strengths.iter().rev().find(is_meant)
    }
}
