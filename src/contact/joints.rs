//! Joints that hold a distance: a rope must not get too long, a bar neither
//! too long nor too short. Bodies do not turn, so their ends move as they do.

use super::{Key, Other, Row};
use crate::math::{DVec3, SKIN};
use crate::world::{Model, State};

/// The row that keeps the ends of a joint from getting too far apart, to first
/// order (the true condition is curved: motions across the joint lengthen it,
/// too). None unless the joint holds a distance.
pub fn rope_row(model: &Model, state: &State, joint: u32) -> Option<Row> {
    let rope = &model.joints[joint as usize];
    let ([_, most], [a, b]) = (rope.distance()?, rope.ends(state));
    let key = Key { body: rope.bodies[0]?, other: Other::Rope(joint) };
    let normal = -(a - b).try_normalize().unwrap_or(DVec3::Z);
    Some(Row { key, normal, gap: (most * (1.0 - SKIN) - a.distance(b)).max(0.0) })
}

/// The row that keeps a bar from getting too short; exact, as for two balls.
/// None for a rope.
pub fn strut_row(model: &Model, state: &State, joint: u32) -> Option<Row> {
    let bar = &model.joints[joint as usize];
    let ([least, _], [a, b]) = (bar.distance()?, bar.ends(state));
    let key = Key { body: bar.bodies[0]?, other: Other::Strut(joint) };
    let normal = (a - b).try_normalize().unwrap_or(DVec3::Z);
    (!bar.is_rope()).then(|| Row { key, normal, gap: (a.distance(b) - least).max(0.0) })
}

#[cfg(test)]
mod tests {
    use super::super::samples::{cuboid, model};
    use super::*;
    use crate::world::JointKind;

    /// A ball at (3, 0, 4), held from the origin of the world.
    fn held(kind: JointKind) -> (Model, State) {
        let mut model = model(cuboid(10.0), &[0.5]);
        let at = DVec3::new(3.0, 0.0, 4.0);
        let state = State::at_rest(vec![at]);
        model.join(&state, kind, [Some(0), None], [at, DVec3::ZERO], [DVec3::Z; 2]);
        (model, state)
    }

    #[test]
    fn a_rope_to_the_world_pulls_back() {
        let (model, state) = held(JointKind::Distance { least: 0.0, most: 6.0 });
        let row = rope_row(&model, &state, 0).unwrap();
        assert_eq!((row.key.body, row.key.second(&model)), (0, None));
        assert!(row.normal.distance(DVec3::new(-0.6, 0.0, -0.8)) < 1e-15);
        assert!((row.gap - 1.0).abs() < 1e-8);
        assert_eq!(strut_row(&model, &state, 0), None);
    }

    #[test]
    fn a_bar_pushes_and_pulls() {
        let (model, state) = held(JointKind::Distance { least: 4.5, most: 6.0 });
        let (rope, strut) = (rope_row(&model, &state, 0), strut_row(&model, &state, 0).unwrap());
        assert_eq!(rope.unwrap().normal, -strut.normal);
        assert!((strut.gap - 0.5).abs() < 1e-15);
    }

    #[test]
    fn other_joints_hold_no_distance() {
        let (model, state) = held(JointKind::Ball);
        assert_eq!((rope_row(&model, &state, 0), strut_row(&model, &state, 0)), (None, None));
    }
}
