//! Rest is proved: the stored forces push and never pull, act where bodies
//! touch, along their normals, and balance every weight. Recomputed here from
//! the last frame and the list of contacts alone.

use crate::common::{Run, run_at_most, run_to_rest, small_scenes};
use riprap::math::{DVec3, RESIDUAL_LIMIT};
use riprap::scene::gallery;
use riprap::trajectory::{Contact, Outcome, With};

/// The unit vector from the other side to the body, and the gap in radii.
fn normal_and_gap(run: &Run, contact: &Contact) -> (DVec3, f64) {
    let (positions, bodies) = (&run.last().state.positions, &run.model.bodies);
    let (centre, radius) = (positions[contact.body as usize], bodies[contact.body as usize].radius);
    match contact.with {
        With::Body(other) => {
            let (difference, other) =
                (centre - positions[other as usize], bodies[other as usize].radius);
            let gap = difference.length() - radius - other;
            (difference.normalize(), gap / radius.min(other))
        }
        With::Joint(_) | With::Limit(_) | With::Motor(_) | With::Attachment(_) => {
            unreachable!("these scenes have no joints")
        }
        With::Face(face) => {
            let point = run.model.boundary.faces()[face as usize].closest_point(centre);
            ((centre - point).normalize(), centre.distance(point) / radius - 1.0)
        }
    }
}

#[test]
fn the_forces_balance_every_weight() {
    for scene in small_scenes() {
        let run = run_to_rest(&scene);
        let name = &scene.name;
        let weight = |i: usize| run.model.gravity * run.model.bodies[i].mass;
        let mut left: Vec<DVec3> = (0..run.model.bodies.len()).map(weight).collect();
        for contact in &run.ending.contacts {
            let (normal, gap) = normal_and_gap(&run, contact);
            // What presses touches; what does not leaves no play.
            let most = if contact.pressure() > 1e-6 * weight(0).length() { 1e-6 } else { 1e-5 };
            assert!(gap.abs() <= most, "{name}: {contact:?}, gap {gap:e}");
            assert!(contact.normal.distance(normal) <= 1e-6, "{name}: {contact:?}, not {normal}");
            let (pressure, force) = (contact.pressure(), contact.force);
            assert!(pressure >= 0.0, "{name}: {contact:?}");
            assert!((force - pressure * normal).length() <= 1e-6 * pressure, "{name}: {contact:?}");
            left[contact.body as usize] += force;
            if let With::Body(other) = contact.with {
                left[other as usize] -= force;
            }
        }
        let relative = left.iter().enumerate().map(|(i, v)| v.length() / weight(i).length());
        let residual = relative.fold(0.0, f64::max);
        assert!(
            residual <= RESIDUAL_LIMIT,
            "{name}: a body is out of balance by {residual:e} weights"
        );
        let certificate = run.ending.certificate.as_ref().expect("rest has a certificate");
        assert!((certificate.residual - residual).abs() <= 1e-8, "{name}: it says otherwise");
        assert_eq!(certificate.unstable_modes, 0, "{name}");
        assert_eq!(certificate.unknowns as usize, run.model.dimension * run.model.bodies.len());
        assert_eq!(certificate.rank + certificate.neutral_modes, certificate.unknowns, "{name}");
    }
}

#[test]
fn what_was_cut_short_claims_nothing() {
    let run = run_at_most(&gallery::scene("box-3").unwrap(), Some(3));
    assert_eq!(run.ending.outcome, Outcome::StepLimit);
    assert_eq!((run.last().step, run.ending.contacts.len()), (3, 0));
    assert_eq!(run.ending.certificate, None);
}
