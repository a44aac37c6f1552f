//! Small made-up runs for the tests.

use super::*;
use crate::math::DVec3;
use crate::shape::{Boundary, Mesh, Shape};
use crate::world::{Body, Model};

/// `n` bodies in a box.
pub(crate) fn model(n: usize) -> Model {
    let radius = |i: usize| 0.5 + i as f64 / 7.0;
    let body = |i: usize| Body { group: (i % 2) as u32, ..Body::new(i as u32, 1.0, radius(i)) };
    let container = Mesh::cuboid(DVec3::new(-2.0, -2.0, -0.1), DVec3::new(2.0, 2.0, 12.0));
    Model {
        name: "sample".into(),
        dimension: 3,
        shapes: (0..n).map(|i| Shape::ball(radius(i))).collect(),
        bodies: (0..n).map(body).collect(),
        groups: vec!["glass beads".into(), "steel".into()],
        boundary: Boundary::from_mesh(&container),
        gravity: DVec3::new(0.0, 0.0, -9.81),
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
    let report = Report { active, moving, rows: 9, iterations: 4, ledger: None };
    let positions: Vec<DVec3> = (0..n).map(position).collect();
    Frame {
        step,
        kind,
        energy: positions.iter().map(|p| p.z).sum(),
        state: State::at_rest(positions),
        contacts: Vec::new(),
        trace: Default::default(),
        report,
        seconds: vec![0.5, 0.25],
    }
}

pub(crate) fn ending() -> Ending {
    let contact = |body: u32, with: With, force: f64| Contact {
        body,
        with,
        pieces: [0; 2],
        at: [DVec3::X, DVec3::Y],
        normal: DVec3::Z,
        force: DVec3::Z * force,
        couples: [DVec3::ZERO; 2],
        choice: false,
    };
    let contacts = vec![contact(0, With::Body(1), 0.1 + 0.2), contact(1, With::Face(1), 9.81)];
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
        reason: None,
        contacts,
        certificate: Some(certificate),
        seconds: 1.5,
        cpu_seconds: 2.75,
        parts: vec![0.0, 0.125],
    }
}
