//! Small made-up runs for the tests.

use super::*;
use crate::scene::Settle;
use crate::shape::{Boundary, Mesh};
use crate::world::{Body, Model};

/// `n` bodies in a box.
pub(crate) fn model(n: usize) -> Model {
    let body = |i: usize| Body::new(0.5 + i as f64 / 7.0, 1.0, (i % 2) as u32);
    let container = Mesh::cuboid(DVec3::new(-2.0, -2.0, -0.1), DVec3::new(2.0, 2.0, 12.0));
    Model {
        name: "sample".into(),
        dimension: 3,
        bodies: (0..n).map(body).collect(),
        groups: vec!["glass beads".into(), "steel".into()],
        boundary: Boundary::from_mesh(&container),
        gravity: DVec3::new(0.0, 0.0, -9.81),
        settle: Settle::default(),
        seed: 1996,
        ..Default::default()
    }
}

/// Bodies that fall and stop one after the other.
pub(crate) fn frame(step: u64, n: usize) -> Frame {
    let position = |i: usize| {
        let t = step.min(i as u64 * 3) as f64;
        DVec3::new((i as f64).sin(), (i as f64).cos() + 0.01 * t, 10.0 - t * t / 30.0)
    };
    let kind = match step {
        0 => StepKind::Start,
        _ if step.is_multiple_of(5) => StepKind::Escape,
        _ => StepKind::Settle,
    };
    let (active, moving) = (n as u32, (n / 2) as u32);
    let report = StepReport { active, moving, rows: 9, iterations: 4, seconds: vec![0.5, 0.25] };
    let positions: Vec<DVec3> = (0..n).map(position).collect();
    Frame {
        step,
        kind,
        energy: positions.iter().map(|p| p.z).sum(),
        positions,
        report,
        bricks: None,
    }
}

pub(crate) fn ending() -> Ending {
    let contacts = vec![
        Contact { body: 0, with: With::Body(1, [0, -1, 2]), force: 0.1 + 0.2 },
        Contact { body: 1, with: With::Face(1), force: 9.81 },
    ];
    let certificate = Certificate {
        residual: 1e-13,
        bound: 2e-17,
        rank: 5,
        unknowns: 6,
        unstable_modes: 0,
        neutral_modes: 1,
        margin: 0.25,
        verdict: "minimum up to neutral modes".into(),
    };
    Ending {
        outcome: Outcome::Rest,
        contacts,
        certificate: Some(certificate),
        seconds: 1.5,
        cpu_seconds: 2.75,
        acts: vec![0.0, 0.125],
    }
}
