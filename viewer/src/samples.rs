//! Small made-up runs for the tests: spheres on a grid that sink layer by
//! layer, or circles that do so in the plane.

use std::path::PathBuf;

use riprap::math::{DVec3, Random};
use riprap::scene::Settle;
use riprap::shape::{Boundary, Mesh};
use riprap::trajectory::{
    Certificate, Contact, Ending, Frame, Outcome, Reader, StepKind, StepReport, With, Writer,
};
use riprap::world::{Body, Model};

/// A run file in a folder that disappears with it.
pub(crate) struct Run {
    _folder: tempfile::TempDir,
    pub path: PathBuf,
}

impl Run {
    pub(crate) fn reader(&self) -> Reader {
        Reader::open(&self.path).unwrap()
    }
}

/// What to make up.
#[derive(Clone)]
pub(crate) struct Sample {
    pub name: String,
    pub group: String,
    pub dimension: usize,
    pub bodies: usize,
    pub frames: usize,
    pub finished: bool,
    pub odd_contacts: Vec<Contact>,
}

pub(crate) fn sample(bodies: usize, frames: usize) -> Sample {
    Sample {
        name: "sample".into(),
        group: "beads".into(),
        dimension: 3,
        bodies,
        frames,
        finished: true,
        odd_contacts: Vec::new(),
    }
}

pub(crate) fn finished(bodies: usize, frames: usize) -> Run {
    sample(bodies, frames).write()
}

pub(crate) fn unfinished(bodies: usize, frames: usize) -> Run {
    Sample { finished: false, ..sample(bodies, frames) }.write()
}

/// Circles in a rectangle.
pub(crate) fn flat(bodies: usize, frames: usize) -> Run {
    Sample { dimension: 2, ..sample(bodies, frames) }.write()
}

impl Sample {
    pub(crate) fn write(&self) -> Run {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sample.riprap");
        let acts = ["near", "free space", "solve"];
        let mut writer = Writer::create(&path, false, &self.model(), "", &acts).unwrap();
        for step in 0..self.frames {
            writer.frame(&self.frame(step)).unwrap();
        }
        if self.finished {
            writer.end(&self.ending()).unwrap();
        }
        Run { _folder: folder, path }
    }

    /// Bodies along one edge of the grid.
    fn side(&self) -> usize {
        (1..).find(|side: &usize| side.pow(self.dimension as u32) >= self.bodies).unwrap()
    }

    fn model(&self) -> Model {
        let wide = 1.2 * self.side() as f64;
        let boundary = if self.dimension == 2 {
            Boundary::from_polygon(&[
                [0.0, 0.0],
                [wide, 0.0],
                [wide, wide + 1.0],
                [0.0, wide + 1.0],
            ])
        } else {
            Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::new(wide, wide, wide + 1.0)))
        };
        let body = |i: usize| Body::new(0.5, 1.0, (i % 2) as u32);
        Model {
            name: self.name.clone(),
            dimension: self.dimension,
            bodies: (0..self.bodies).map(body).collect(),
            groups: vec![self.group.clone(), "steel".into()],
            boundary,
            gravity: if self.dimension == 2 { -DVec3::Y } else { -DVec3::Z },
            settle: Settle::default(),
            seed: 1,
            ..Default::default()
        }
    }

    fn frame(&self, step: usize) -> Frame {
        let side = self.side();
        let sunk = step as f64 / self.frames as f64;
        let centre = |i: usize| {
            let place = [i % side, i / side % side, i / side / side].map(|k| k as f64);
            let fall = |layer: f64| 0.5 + layer * (1.2 - 0.2 * sunk) + 0.1 * (1.0 - sunk);
            // Some noise, for no real motion packs as well as a made-up one.
            let noise = Random::stream(step as u64, i as u64).between(-0.05, 0.05);
            let across = |k: f64| 0.6 + 1.2 * k + noise;
            match self.dimension {
                2 => DVec3::new(across(place[0]), fall(place[1]), 0.0),
                _ => DVec3::new(across(place[0]), across(place[1]), fall(place[2])),
            }
        };
        let positions: Vec<DVec3> = (0..self.bodies).map(centre).collect();
        let kind = match step {
            0 => StepKind::Start,
            _ if step + 1 == self.frames => StepKind::Polish,
            2 => StepKind::Escape,
            _ => StepKind::Settle,
        };
        let seconds = vec![0.25, 0.5, 1.0];
        let report = StepReport { moving: self.bodies as u32, seconds, ..StepReport::default() };
        let energy = positions.iter().map(|p| p.y + p.z).sum();
        Frame { step: step as u64, kind, energy, positions, report, bricks: None }
    }

    fn ending(&self) -> Ending {
        let side = self.side();
        let layer = side.pow(self.dimension as u32 - 1);
        let mut contacts = vec![Contact { body: 0, with: With::Face(0), force: 2.5 }];
        contacts.extend((layer..self.bodies).map(|i| Contact {
            body: i as u32,
            with: With::Body((i - layer) as u32, [0; 3]),
            force: 1.0 + (i % 3) as f64,
        }));
        contacts.extend(&self.odd_contacts);
        let certificate = Certificate {
            residual: 3e-14,
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
            acts: Vec::new(),
        }
    }
}
