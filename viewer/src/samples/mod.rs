//! Small made-up runs for the tests, one for every kind of page: spheres on a
//! grid that sink layer by layer (or circles that do so in the plane), a tower
//! that tips over, tumbling bodies with joints, and a cloth over a ball.

mod timed;

pub(crate) use timed::{cloth, collapse, crowd, dynamics, settled_after_dynamics};

use std::path::PathBuf;

use riprap::export::exhibit::{Exhibit, Marked, Shade};
use riprap::math::{DVec3, Random};
use riprap::shape::{Boundary, Mesh, Shape};
use riprap::step::stable::Statics;
use riprap::trajectory::{
    Certificate, Contact, Ending, Frame, Outcome, Reader, Report, StepKind, With, Writer,
};
use riprap::world::{Body, Model, State};

/// What `stable` says of a model, with the first of its contacts marked.
pub(crate) fn exhibit<'a>(model: &'a Model, state: &'a State) -> Exhibit<'a> {
    let statics = Statics::new(model, state).unwrap();
    let verdict = statics.verdict();
    let (contacts, own) = statics.contacts(&verdict.forces);
    let forces: Vec<Contact> = verdict.forces.iter().map(|f| f.contact).collect();
    let marked = contacts.first().map(|contact| Marked {
        label: "marked".into(),
        bodies: contact.bodies,
        normal: contact.normal,
        points: (forces.iter().zip(&own)).filter(|(_, k)| **k == 0).map(|(f, _)| f.at[0]).collect(),
    });
    let sizes = contacts.iter().map(|contact| (contact.bodies, contact.force.length()));
    Exhibit {
        model,
        state,
        balance: verdict.balance,
        shade: Shade::largest("largest contact force", model, sizes),
        forces,
        forces_are: "forces that balance it".into(),
        marked: marked.filter(|_| model.dimension == 3),
        motion: verdict.is_unbalanced().then_some(verdict.accelerations),
    }
}

/// A run file in a folder that disappears with it.
pub(crate) struct Run {
    _folder: tempfile::TempDir,
    pub path: PathBuf,
}

impl Run {
    pub(crate) fn reader(&self) -> Reader {
        Reader::open(&self.path).unwrap()
    }

    /// Writes a run from its frames.
    pub(crate) fn write(
        model: &Model,
        frames: impl IntoIterator<Item = Frame>,
        ending: Option<&Ending>,
    ) -> Run {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sample.riprap");
        let parts = ["near", "contact", "solve"];
        let mut writer = Writer::create(&path, false, model, "", &parts).unwrap();
        for frame in frames {
            writer.frame(&frame).unwrap();
        }
        if let Some(ending) = ending {
            writer.end(ending).unwrap();
        }
        Run { _folder: folder, path }
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

/// A contact at a point.
pub(crate) fn contact(body: u32, with: With, at: DVec3, force: DVec3) -> Contact {
    let normal = force.normalize_or_zero();
    Contact {
        body,
        with,
        pieces: [0; 2],
        at: [at; 2],
        normal,
        force,
        couples: [DVec3::ZERO; 2],
        choice: false,
    }
}

/// A run of two phases: the frames of one method, and those of another that comes to rest.
pub(crate) fn in_two_phases(first: (&Model, Vec<Frame>, &Ending), rest: &Sample) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sample.riprap");
    let (model, frames, ending) = first;
    let mut writer = Writer::create(&path, false, model, "", &[]).unwrap();
    frames.iter().for_each(|frame| writer.frame(frame).unwrap());
    writer.end_phase(ending).unwrap();
    writer.phase(&rest.model(), &[]).unwrap();
    for step in 0..rest.frames {
        let frame = rest.frame(step);
        // Frames are counted on.
        writer.frame(&Frame { step: frame.step + frames.len() as u64, ..frame }).unwrap();
    }
    writer.end(&rest.ending()).unwrap();
    Run { _folder: folder, path }
}

impl Sample {
    pub(crate) fn write(&self) -> Run {
        let ending = self.finished.then(|| self.ending());
        Run::write(&self.model(), (0..self.frames).map(|step| self.frame(step)), ending.as_ref())
    }

    /// Bodies along one edge of the grid.
    fn side(&self) -> usize {
        (1..).find(|side: &usize| side.pow(self.dimension as u32) >= self.bodies).unwrap()
    }

    fn model(&self) -> Model {
        let wide = 1.2 * self.side() as f64;
        let (boundary, shape) = match self.dimension {
            2 => {
                let top = wide + 1.0;
                let corners = [[0.0, 0.0], [wide, 0.0], [wide, top], [0.0, top]];
                (Boundary::from_polygon(&corners), Shape::disc(0.5))
            }
            _ => {
                let cuboid = Mesh::cuboid(DVec3::ZERO, DVec3::new(wide, wide, wide + 1.0));
                (Boundary::from_mesh(&cuboid), Shape::ball(0.5))
            }
        };
        let body = |i: usize| Body { group: (i % 2) as u32, ..Body::new(0, 1.0, 0.5) };
        Model {
            name: self.name.clone(),
            dimension: self.dimension,
            shapes: vec![shape],
            bodies: (0..self.bodies).map(body).collect(),
            groups: vec![self.group.clone(), "steel".into()],
            boundary,
            gravity: if self.dimension == 2 { -DVec3::Y } else { -DVec3::Z },
            seed: 1,
            ..Default::default()
        }
    }

    fn positions(&self, step: usize) -> Vec<DVec3> {
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
        (0..self.bodies).map(centre).collect()
    }

    fn frame(&self, step: usize) -> Frame {
        let positions = self.positions(step);
        let kind = match step {
            0 => StepKind::Start,
            _ if step + 1 == self.frames => StepKind::Polish,
            2 => StepKind::Escape,
            _ => StepKind::Settle,
        };
        Frame {
            step: step as u64,
            kind,
            energy: positions.iter().map(|p| p.y + p.z).sum(),
            state: State::at_rest(positions),
            contacts: Vec::new(),
            trace: Default::default(),
            report: Report { moving: self.bodies as u32, ..Report::default() },
            seconds: vec![0.25, 0.5, 1.0],
        }
    }

    /// Body 0 stands on the floor, and the others on those below them.
    fn contacts(&self) -> Vec<Contact> {
        let layer = self.side().pow(self.dimension as u32 - 1);
        let centres = self.positions(self.frames.saturating_sub(1));
        let up = if self.dimension == 2 { DVec3::Y } else { DVec3::Z };
        let floor = centres[0] - up * centres[0].dot(up);
        let mut contacts = vec![contact(0, With::Face(0), floor, 2.5 * up)];
        contacts[0].at[0] = centres[0] - 0.5 * up;
        for upper in layer..self.bodies {
            let lower = upper - layer;
            let along = (centres[upper] - centres[lower]).normalize();
            let force = (1.0 + (upper % 3) as f64) * along;
            let mut touch = contact(upper as u32, With::Body(lower as u32), DVec3::ZERO, force);
            touch.at = [centres[upper] - 0.5 * along, centres[lower] + 0.5 * along];
            contacts.push(touch);
        }
        contacts.extend(&self.odd_contacts);
        contacts
    }

    fn ending(&self) -> Ending {
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
            reason: None,
            contacts: self.contacts(),
            certificate: Some(certificate),
            seconds: 1.5,
            cpu_seconds: 2.75,
            parts: Vec::new(),
        }
    }
}
