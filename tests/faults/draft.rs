//! A run taken apart: changed in memory, written anew, and verified.

use std::path::Path;

use riprap::energy::energy;
use riprap::math::DVec3;
use riprap::scene::{Scene, gallery};
use riprap::trajectory::{
    Certificate, Contact, Ending, Frame, Outcome, Reader, Report, StepKind, With, Writer,
};
use riprap::verify::{Verdict, verify};
use riprap::world::{Model, State};

use crate::common::{built, run_into};

/// A run in memory, open to changes.
#[derive(Clone)]
pub struct Draft {
    pub model: Model,
    pub scene: String,
    pub frames: Vec<Frame>,
    pub ending: Option<Ending>,
}

impl Draft {
    /// A run of a scene of the gallery.
    pub fn run(name: &str, max_steps: Option<usize>) -> Draft {
        Draft::made(&gallery::scene(name).unwrap(), max_steps)
    }

    /// A whole run of a scene.
    pub fn of(scene: &Scene) -> Draft {
        Draft::made(scene, None)
    }

    fn made(scene: &Scene, max_steps: Option<usize>) -> Draft {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run.riprap");
        run_into(&out, scene, max_steps).unwrap();
        let reader = Reader::open(&out).unwrap();
        Draft {
            model: reader.model().clone(),
            scene: reader.scene_text().into(),
            frames: reader.frames().map(Result::unwrap).collect(),
            ending: reader.ending().cloned(),
        }
    }

    /// A made-up run from the start of a scene through the given places of its bodies.
    pub fn made_up(scene: &str, places: &[&[[f64; 3]]], outcome: Outcome) -> Draft {
        let (model, start) = built(scene, "made-up.toml").unwrap();
        let places = places
            .iter()
            .map(|frame| State::at_rest(frame.iter().copied().map(DVec3::from_array).collect()));
        let frame = |(step, state): (usize, State)| Frame {
            step: step as u64,
            kind: if step == 0 { StepKind::Start } else { StepKind::Settle },
            energy: energy(&model, &state),
            state,
            contacts: Vec::new(),
            trace: Default::default(),
            report: Report::default(),
            seconds: Vec::new(),
        };
        let frames = std::iter::once(start).chain(places).enumerate().map(frame).collect();
        let ending = Ending {
            outcome,
            reason: None,
            contacts: Vec::new(),
            certificate: None,
            seconds: 0.0,
            cpu_seconds: 0.0,
            parts: Vec::new(),
        };
        Draft { model, scene: scene.into(), frames, ending: Some(ending) }
    }

    pub fn write(&self, path: &Path) {
        let mut writer = Writer::create(path, false, &self.model, &self.scene, &[]).unwrap();
        self.frames.iter().for_each(|frame| writer.frame(frame).unwrap());
        if let Some(ending) = &self.ending {
            writer.end(ending).unwrap();
        }
    }

    pub fn verdict(&self) -> Verdict {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.riprap");
        self.write(&path);
        verify(&Reader::open(&path).unwrap()).unwrap()
    }

    pub fn last(&mut self) -> &mut Frame {
        self.frames.last_mut().unwrap()
    }

    pub fn ending(&mut self) -> &mut Ending {
        self.ending.as_mut().unwrap()
    }

    pub fn certificate(&mut self) -> &mut Certificate {
        self.ending().certificate.as_mut().unwrap()
    }

    /// Two touching bodies that press on each other, and the place of their contact in the list.
    pub fn pair(&self) -> (usize, usize, usize) {
        let contacts = &self.ending.as_ref().unwrap().contacts;
        let pair = |(index, contact): (usize, &Contact)| match contact.with {
            With::Body(other) if contact.pressure() > 0.1 => {
                Some((contact.body as usize, other as usize, index))
            }
            _ => None,
        };
        contacts.iter().enumerate().find_map(pair).unwrap()
    }

    /// A body that presses on a face, that face, and the place of their contact in the list.
    pub fn wall(&self) -> (usize, usize, usize) {
        let contacts = &self.ending.as_ref().unwrap().contacts;
        let wall = |(index, contact): (usize, &Contact)| match contact.with {
            With::Face(face) if contact.pressure() > 0.1 => {
                Some((contact.body as usize, face as usize, index))
            }
            _ => None,
        };
        contacts.iter().enumerate().find_map(wall).unwrap()
    }

    /// A contact of two balls, or of a ball and a face, as they are in the last frame.
    pub fn touch(&self, body: usize, with: With, pressure: f64) -> Contact {
        let positions = &self.frames.last().unwrap().state.positions;
        let (centre, radius) = (positions[body], self.model.bodies[body].radius);
        let (towards, reach) = match with {
            With::Body(other) => {
                (positions[other as usize], self.model.bodies[other as usize].radius)
            }
            With::Face(face) => {
                (self.model.boundary.faces()[face as usize].closest_point(centre), 0.0)
            }
            _ => unreachable!("a joint is no touch"),
        };
        let normal = (centre - towards).normalize();
        Contact {
            body: body as u32,
            with,
            pieces: [0; 2],
            at: [centre - radius * normal, towards + reach * normal],
            normal,
            force: pressure * normal,
            couples: [DVec3::ZERO; 2],
            choice: false,
        }
    }

    /// The body that is furthest up in the last frame.
    pub fn highest(&self) -> usize {
        let positions = &self.frames.last().unwrap().state.positions;
        let up = |body: &usize| -self.model.gravity.dot(positions[*body]);
        (0..positions.len()).max_by(|a, b| up(a).total_cmp(&up(b))).unwrap()
    }

    /// Brings two bodies of a frame closer than touching, by `depth` radii.
    pub fn push_together(&mut self, frame: usize, depth: f64) {
        let positions = &self.frames[frame].state.positions;
        let radius = |body: usize| self.model.bodies[body].radius;
        let gap =
            |&(i, j): &(usize, usize)| positions[i].distance(positions[j]) - radius(i) - radius(j);
        let n = positions.len();
        let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
        let (i, j) = pairs.min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap();
        let apart = (positions[i] - positions[j]).normalize();
        let distance = radius(i) + radius(j) - depth * radius(i).min(radius(j));
        self.frames[frame].state.positions[i] = positions[j] + distance * apart;
    }

    /// Presses the body that is nearest to the boundary into it, by `depth` radii.
    pub fn push_out(&mut self, frame: usize, depth: f64) {
        let boundary = &self.model.boundary;
        let near = |body: usize| {
            let nearest = boundary.nearest(self.frames[frame].state.positions[body]).unwrap();
            (nearest.distance / self.model.bodies[body].radius, body, nearest.point)
        };
        let bodies = (0..self.model.bodies.len()).map(near);
        let (_, body, point) = bodies.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let centre = self.frames[frame].state.positions[body];
        let distance = (1.0 - depth) * self.model.bodies[body].radius;
        self.frames[frame].state.positions[body] = point + distance * (centre - point).normalize();
    }

    /// So that no wrong energy gives a moved body away.
    pub fn recompute_energies(&mut self) {
        for frame in &mut self.frames {
            frame.energy = energy(&self.model, &frame.state);
        }
    }

    pub fn renumber(&mut self) {
        for (step, frame) in self.frames.iter_mut().enumerate() {
            frame.step = step as u64;
        }
    }

    pub fn with(mut self, change: impl Fn(&mut Draft)) -> Draft {
        change(&mut self);
        self
    }
}
