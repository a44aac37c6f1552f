//! From a scene of bricks to a tower.

use super::{Body, Model, Poses, Rigid, Tower};
use crate::math::{DMat3, DVec3};
use crate::problem::{Problem, Result};
use crate::scene::{Scene, bricks};

/// Makes the bricks of a scene ready to move, and refuses masses, friction and
/// restitution that make no sense.
///
/// ```
/// let scene = riprap::scene::gallery::scene("tower-5x5")?;
/// let (model, poses) = riprap::world::build_tower(&scene)?;
/// assert_eq!((model.tower.moving().count(), poses.positions.len()), (25, 26));
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn build_tower(scene: &Scene) -> Result<(Model, Poses)> {
    let (placed, pins) = bricks(scene)?;
    let (mut tower, mut poses) = (Tower::new(scene.dimension, scene.gravity), Poses::default());
    let mut model = Model {
        name: scene.name.clone(),
        dimension: scene.dimension,
        gravity: scene.gravity,
        collapse: scene.collapse,
        seed: scene.seed,
        ..Default::default()
    };
    for brick in &placed {
        let entry = &scene.bricks[brick.entry];
        let at = |problem: Problem| {
            let help = problem.help.clone();
            Problem { help, ..scene.problem(&entry.span, problem.message) }
        };
        if entry.restitution > 1.0 {
            let message = format!("the restitution {:?} is above 1", entry.restitution);
            return Err(at(Problem::new(message).help("from 0 (no bounce) to 1")));
        }
        let rigid = tower.add(&mut poses, &brick.pieces, brick.mass).map_err(at)?;
        if let Some(shares) = scene.collapse.mass_points.shares(scene.dimension) {
            rigid.inertia = inertia_of_points(rigid, shares)
                .ok_or_else(|| Problem::new("the mass of this brick cannot be put into points"))
                .map_err(|problem| at(problem.help("points are for rectangles and boxes")))?;
        }
        rigid.fixed = brick.fixed;
        rigid.friction = entry.friction;
        rigid.restitution = entry.restitution;
        let known = model.groups.iter().position(|name| *name == entry.group);
        let group = known.unwrap_or_else(|| {
            model.groups.push(entry.group.clone());
            model.groups.len() - 1
        });
        let body = Body { fixed: brick.fixed, ..Body::new(rigid.radius, brick.mass, group as u32) };
        model.bodies.push(body);
        if !brick.fixed {
            let last = poses.positions.len() - 1;
            (poses.velocities[last], poses.spins[last]) = (entry.velocity, entry.spin);
        }
    }
    if tower.moving().next().is_none() {
        return Err(Problem::new("no brick of the scene can move").in_file(&scene.source.file));
    }
    for pin in &pins {
        tower.pin(&poses, pin.bricks.map(|k| k as u32), pin.at);
    }
    for bar in &scene.bars {
        tower.bar(&poses, bar.bricks.map(|k| k as u32), bar.ends);
    }
    model.tower = tower;
    Ok((model, poses))
}

/// The inertia of a rectangle or box whose mass is in its corners, the middles of its edges (in
/// 2D) and, what is left, in the centre.
fn inertia_of_points(rigid: &Rigid, [corner, middle]: [f64; 2]) -> Option<DMat3> {
    let [piece] = &rigid.pieces[..] else { return None };
    let corners = piece.corners();
    let is_box = corners.len() == 1 << (if piece.is_polygon() { 2 } else { 3 });
    let mirrored = |c: &DVec3| corners.iter().any(|d| (*c + *d).length() < 1e-9 * rigid.radius);
    let equal = |c: &DVec3| (c.length() - rigid.radius).abs() < 1e-9 * rigid.radius;
    if !(is_box && corners.iter().all(mirrored) && corners.iter().all(equal)) {
        return None;
    }
    let edges = corners.iter().zip(corners.iter().cycle().skip(1));
    let points = corners.iter().map(|c| (*c, corner));
    let points = points.chain(edges.map(|(a, b)| (0.5 * (*a + *b), middle)));
    let sum = points.fold(DMat3::ZERO, |sum, (p, share)| {
        let outer = DMat3::from_cols(p * p.x, p * p.y, p * p.z);
        sum + (DMat3::from_diagonal(DVec3::splat(p.length_squared())) - outer) * share
    });
    Some(sum * rigid.mass)
}
