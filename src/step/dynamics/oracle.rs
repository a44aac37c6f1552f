//! How good is a step? For polyhedra without joints, the method collapse knows
//! the answer: of all motions that keep bodies apart, the one closest to the
//! free motion. The oracle takes one step both ways from the same state and
//! says how far they end apart.

use serde::Serialize;

use super::{Dynamics, Options};
use crate::math::DMat3;
use crate::problem::{Problem, Result};
use crate::shape::{Brick, Piece};
use crate::step::collapse::{self, Collapse};
use crate::world::{Assembly, Poses, Tower};

/// More bodies than this make the exact program slow.
const MOST_BODIES: usize = 100;

/// Steps after which the impulses kept from step to step are known.
const WARM_STEPS: usize = 10;

/// How far a step ends from the exact one: the largest difference of a body's velocity, or of its
/// spin times its radius, in units of what gravity does to a velocity in a step. 1 is free fall
/// where the exact program stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Distance {
    /// Of a step that knows nothing of an earlier one.
    pub cold: f64,
    /// Of a step after ten others.
    pub warm: f64,
}

/// Compares a step of dynamics with the exact program's.
///
/// ```
/// use riprap::scene::gallery;
/// use riprap::step::dynamics::{Dynamics, oracle};
/// use riprap::world::build_assembly;
///
/// let (model, poses) = build_assembly(&gallery::scene("diamond-4-3d")?)?;
/// let distance = oracle::distance(&model.assembly, &poses, model.dynamics)?;
/// assert!(distance.warm < 1e-3, "{distance:?}");
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn distance(assembly: &Assembly, poses: &Poses, options: Options) -> Result<Distance> {
    let tower = tower(assembly)?;
    let mut poses = poses.clone();
    let mut dynamics = Dynamics::new(assembly, options);
    let cold = compare(&tower, &mut dynamics, &mut poses.clone(), options)?;
    let mut dynamics = Dynamics::new(assembly, options);
    for _ in 0..WARM_STEPS {
        dynamics.step(&mut poses)?;
    }
    let warm = compare(&tower, &mut dynamics, &mut poses, options)?;
    Ok(Distance { cold, warm })
}

/// One step both ways; `poses` end as dynamics leaves them.
fn compare(
    tower: &Tower,
    dynamics: &mut Dynamics,
    poses: &mut Poses,
    options: Options,
) -> Result<f64> {
    let dt = options.time_step;
    let mut exact = poses.clone();
    let exactly = collapse::Options { time_step: dt, mirror: false, ..Default::default() };
    Collapse::new(tower, &exact, exactly).step(&mut exact);
    dynamics.step(poses)?;
    let unit = tower.gravity.length() * dt;
    let apart = tower.moving().map(|i| {
        let turning = (poses.spins[i] - exact.spins[i]).length() * tower.bricks[i].radius;
        (poses.velocities[i] - exact.velocities[i]).length().max(turning) / unit
    });
    Ok(apart.fold(0.0, f64::max))
}

/// The same bodies as bricks, in the same frames.
fn tower(assembly: &Assembly) -> Result<Tower> {
    let refuse = |why: String| {
        Problem::new(why).help(format!(
            "the exact program is for up to {MOST_BODIES} polyhedra of one material, not joined"
        ))
    };
    if !(assembly.joints.is_empty() && assembly.cloths.is_empty()) {
        return Err(refuse("the bodies are joined".into()));
    }
    if assembly.parts.len() > MOST_BODIES {
        return Err(refuse(format!("there are {} bodies", assembly.parts.len())));
    }
    if assembly.gravity.length() == 0.0 {
        return Err(refuse("there is no gravity".into()));
    }
    // Contacts of the two methods mix unequal frictions in different ways.
    let rough = |i: usize| (assembly.parts[i].friction, assembly.parts[i].restitution);
    if (1..assembly.parts.len()).any(|i| rough(i) != rough(0)) {
        return Err(refuse("the bodies differ in friction or restitution".into()));
    }
    let mut tower = Tower::new(3, assembly.gravity);
    for (i, part) in assembly.parts.iter().enumerate() {
        let bricks: Option<Vec<Brick>> = part.pieces.iter().map(brick).collect();
        let Some(bricks) = bricks else {
            return Err(refuse(format!("body {i} is round")));
        };
        let rigid = tower.add(&mut Poses::default(), &bricks, part.mass)?;
        rigid.fixed = !part.is_free();
        rigid.friction = part.friction;
        rigid.restitution = part.restitution;
        rigid.inertia = DMat3::from_diagonal(part.inertia);
    }
    Ok(tower)
}

/// A piece in the frame of its body; none if it is round.
fn brick(piece: &Piece) -> Option<Brick> {
    let hull = piece.core.hull().filter(|_| piece.radius == 0.0)?;
    if matches!(piece.core, crate::shape::Core::Cylinder { .. }) {
        return None;
    }
    let stretch = piece.core.stretch();
    let corners = hull.corners.iter().map(|c| piece.at + piece.turn * (*c * stretch));
    Brick::polyhedron(corners.collect(), hull.faces.clone()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Mode, gallery};
    use crate::world::build_assembly;

    #[test]
    fn five_cold_passes_let_a_stable_tower_fall() {
        let (model, poses) = build_assembly(&gallery::scene("diamond-4-3d").unwrap()).unwrap();
        let of = |options: Options| distance(&model.assembly, &poses, options).unwrap();
        let default = of(model.dynamics);
        assert!(default.warm < 1e-3, "{default:?}");
        let paper = of(Options { mode: Mode::Paper, ..model.dynamics });
        assert!(paper.cold > 0.1, "five passes cannot carry the loads of a diamond: {paper:?}");
        assert!(default.warm < 0.1 * paper.warm, "{default:?} {paper:?}");
    }

    #[test]
    fn round_and_joined_bodies_have_no_oracle() {
        for (name, why) in [("mobile", "joined"), ("pile", "there are"), ("incline", "friction")] {
            let (model, poses) = build_assembly(&gallery::scene(name).unwrap()).unwrap();
            let problem = distance(&model.assembly, &poses, model.dynamics).unwrap_err();
            assert!(problem.message.contains(why), "{name}: {}", problem.message);
        }
    }
}
