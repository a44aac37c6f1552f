//! Lies that `verify` must see through. Good runs are taken apart, one fault at
//! a time is planted, and the file is written anew, well-formed and with fitting
//! hashes; the check that is meant to notice must fail, by name.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use riprap::math::{DVec3, exact_sum};
use riprap::run::{Options, run};
use riprap::scene::{Scene, gallery};
use riprap::trajectory::{
    Certificate, Contact, Ending, Frame, Outcome, Reader, StepKind, StepReport, With, Writer,
};
use riprap::verify::{Verdict, verify};
use riprap::world::{Model, build};

/// A run in memory, open to changes.
#[derive(Clone)]
struct Draft {
    model: Model,
    scene: String,
    frames: Vec<Frame>,
    ending: Option<Ending>,
}

impl Draft {
    /// A run of a scene of the gallery.
    fn run(name: &str, max_steps: Option<usize>) -> Draft {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run.riprap");
        let interrupted = &AtomicBool::new(false);
        let progress = &mut |_: &_| ();
        let options = Options { out: out.clone(), force: false, max_steps, interrupted, progress };
        run(&gallery::scene(name).unwrap(), options).unwrap();
        let reader = Reader::open(&out).unwrap();
        Draft {
            model: reader.model().clone(),
            scene: reader.scene_text().into(),
            frames: reader.frames().map(Result::unwrap).collect(),
            ending: reader.ending().cloned(),
        }
    }

    /// A made-up run from the start of a scene through the given places of its bodies.
    fn made_up(scene: &str, places: &[&[[f64; 3]]], outcome: Outcome) -> Draft {
        let (model, start) =
            build(&Scene::from_text(scene, Path::new("made-up.toml")).unwrap()).unwrap();
        let places =
            places.iter().map(|frame| frame.iter().copied().map(DVec3::from_array).collect());
        let frame = |(step, positions): (usize, Vec<DVec3>)| Frame {
            step: step as u64,
            kind: if step == 0 { StepKind::Start } else { StepKind::Settle },
            energy: energy(&model, &positions),
            positions,
            report: StepReport::default(),
        };
        let frames =
            std::iter::once(start.positions).chain(places).enumerate().map(frame).collect();
        let ending = Ending {
            outcome,
            contacts: Vec::new(),
            certificate: None,
            seconds: 0.0,
            cpu_seconds: 0.0,
        };
        Draft { model, scene: scene.into(), frames, ending: Some(ending) }
    }

    fn write(&self, path: &Path) {
        let mut writer = Writer::create(path, false, &self.model, &self.scene, &[]).unwrap();
        self.frames.iter().for_each(|frame| writer.frame(frame).unwrap());
        if let Some(ending) = &self.ending {
            writer.end(ending).unwrap();
        }
    }

    fn verdict(&self) -> Verdict {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.riprap");
        self.write(&path);
        verify(&Reader::open(&path).unwrap()).unwrap()
    }

    fn last(&mut self) -> &mut Frame {
        self.frames.last_mut().unwrap()
    }

    fn ending(&mut self) -> &mut Ending {
        self.ending.as_mut().unwrap()
    }

    fn certificate(&mut self) -> &mut Certificate {
        self.ending().certificate.as_mut().unwrap()
    }

    /// Two touching bodies that press on each other, and the place of their contact in the list.
    fn pair(&self) -> (usize, usize, usize) {
        let contacts = &self.ending.as_ref().unwrap().contacts;
        let pair = |(index, contact): (usize, &Contact)| match contact.with {
            With::Body(other, _) if contact.force > 0.1 => {
                Some((contact.body as usize, other as usize, index))
            }
            _ => None,
        };
        contacts.iter().enumerate().find_map(pair).unwrap()
    }

    /// A body that presses on a face, that face, and the place of their contact in the list.
    fn wall(&self) -> (usize, usize, usize) {
        let contacts = &self.ending.as_ref().unwrap().contacts;
        let wall = |(index, contact): (usize, &Contact)| match contact.with {
            With::Face(face) if contact.force > 0.1 => {
                Some((contact.body as usize, face as usize, index))
            }
            _ => None,
        };
        contacts.iter().enumerate().find_map(wall).unwrap()
    }

    /// The body that is furthest up in the last frame.
    fn highest(&self) -> usize {
        let positions = &self.frames.last().unwrap().positions;
        let up = |body: &usize| -self.model.gravity.dot(positions[*body]);
        (0..positions.len()).max_by(|a, b| up(a).total_cmp(&up(b))).unwrap()
    }

    /// Brings two bodies of a frame closer than touching, by `depth` radii.
    fn push_together(&mut self, frame: usize, depth: f64) {
        let positions = &self.frames[frame].positions;
        let radius = |body: usize| self.model.bodies[body].radius;
        let gap =
            |&(i, j): &(usize, usize)| positions[i].distance(positions[j]) - radius(i) - radius(j);
        let n = positions.len();
        let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
        let (i, j) = pairs.min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap();
        let apart = (positions[i] - positions[j]).normalize();
        let distance = radius(i) + radius(j) - depth * radius(i).min(radius(j));
        self.frames[frame].positions[i] = positions[j] + distance * apart;
    }

    /// Presses the body that is nearest to the boundary into it, by `depth` radii.
    fn push_out(&mut self, frame: usize, depth: f64) {
        let boundary = &self.model.boundary;
        let near = |body: usize| {
            let nearest = boundary.nearest(self.frames[frame].positions[body]).unwrap();
            (nearest.distance / self.model.bodies[body].radius, body, nearest.point)
        };
        let bodies = (0..self.model.bodies.len()).map(near);
        let (_, body, point) = bodies.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let centre = self.frames[frame].positions[body];
        let distance = (1.0 - depth) * self.model.bodies[body].radius;
        self.frames[frame].positions[body] = point + distance * (centre - point).normalize();
    }

    /// So that no wrong energy gives a moved body away.
    fn recompute_energies(&mut self) {
        for frame in &mut self.frames {
            frame.energy = energy(&self.model, &frame.positions);
        }
    }

    fn renumber(&mut self) {
        for (step, frame) in self.frames.iter_mut().enumerate() {
            frame.step = step as u64;
        }
    }

    fn with(mut self, change: impl Fn(&mut Draft)) -> Draft {
        change(&mut self);
        self
    }
}

fn energy(model: &Model, positions: &[DVec3]) -> f64 {
    exact_sum(
        model.bodies.iter().zip(positions).map(|(body, p)| -body.mass * model.gravity.dot(*p)),
    )
}

fn failed(verdict: &Verdict) -> Vec<&'static str> {
    verdict.checks.iter().filter(|check| !check.ok).map(|check| check.name).collect()
}

/// A fault: what it is, the checks that must notice, and how it is planted.
type Fault = (&'static str, &'static [&'static str], fn(&mut Draft));

/// Plants one fault after the other; names all that went unnoticed.
fn assert_noticed(good: &Draft, faults: &[Fault]) {
    let verdict = good.verdict();
    assert!(verdict.ok(), "before any fault: {:?}", verdict.checks);
    let mut unnoticed = Vec::new();
    for (name, checks, plant) in faults {
        let verdict = good.clone().with(plant).verdict();
        let failed = failed(&verdict);
        assert_eq!(verdict.ok(), failed.is_empty());
        if !checks.iter().all(|check| failed.contains(check)) {
            unnoticed.push(format!("{name}: {checks:?} should fail, {failed:?} did"));
        }
    }
    assert!(unnoticed.is_empty(), "{unnoticed:#?}");
}

static BOX: LazyLock<Draft> = LazyLock::new(|| Draft::run("box-3", None));
static FLAT: LazyLock<Draft> = LazyLock::new(|| Draft::run("hourglass-2d", None));

const MOVED: &[Fault] = &[
    ("two bodies overlap at the end", &["overlap", "overlap between frames"], |d| {
        d.push_together(d.frames.len() - 1, 1e-6);
        d.recompute_energies();
    }),
    ("two bodies overlap in the middle", &["overlap", "overlap between frames"], |d| {
        d.push_together(d.frames.len() / 2, 1e-6);
        d.recompute_energies();
    }),
    ("a body is in the wall at the end", &["overlap", "overlap between frames"], |d| {
        d.push_out(d.frames.len() - 1, 1e-6);
        d.recompute_energies();
    }),
    ("a body is in the wall in the middle", &["overlap", "overlap between frames"], |d| {
        d.push_out(d.frames.len() / 2, 1e-6);
        d.recompute_energies();
    }),
    ("a body is moved in the file, its energy is not", &["energy"], |d| {
        let (middle, top) = (d.frames.len() / 2, d.highest());
        d.frames[middle].positions[top] -= 1e-6 * d.model.gravity;
    }),
    ("a body is lifted off its contacts", &["contacts"], |d| {
        let top = d.highest();
        let up = -d.model.gravity;
        d.last().positions[top] += 3e-6 * up;
        d.recompute_energies();
    }),
    ("a body goes up and comes down again", &["energy rise"], |d| {
        let (near_end, top) = (d.frames.len() - 2, d.highest());
        let up = -d.model.gravity;
        d.frames[near_end].positions[top] += 0.05 * up;
        d.recompute_energies();
    }),
    ("a body starts elsewhere than in the scene", &["scene"], |d| {
        let gravity = d.model.gravity;
        d.frames[0].positions[0] -= 1e-9 * gravity;
        d.recompute_energies();
    }),
    ("a position is no number", &["numbers"], |d| d.frames[3].positions[2].x = f64::NAN),
    ("a position is endless", &["numbers"], |d| d.last().positions[2].y = f64::NEG_INFINITY),
];

const FRAMES: &[Fault] = &[
    ("a frame is dropped", &["steps"], |d| drop(d.frames.remove(4))),
    ("two frames are swapped", &["steps", "energy rise"], |d| d.frames.swap(4, 5)),
    ("two frames are swapped and renumbered", &["energy rise"], |d| {
        d.frames.swap(4, 5);
        d.renumber();
    }),
    ("a frame is stored twice", &["steps"], |d| d.frames.insert(5, d.frames[4].clone())),
    ("the first frame is dropped", &["steps", "scene"], |d| {
        d.frames.remove(0);
        d.renumber();
    }),
    ("steps are counted from one", &["steps"], |d| d.frames.iter_mut().for_each(|f| f.step += 1)),
    ("there is a second start", &["steps"], |d| d.frames[4].kind = StepKind::Start),
    ("there is no start", &["steps"], |d| d.frames[0].kind = StepKind::Settle),
    ("there are no frames", &["steps"], |d| d.frames.clear()),
    ("the second half is missing", &["contacts"], |d| d.frames.truncate(d.frames.len() / 2)),
    ("an energy is wrong", &["energy"], |d| d.frames[4].energy *= 1.0 + 1e-10),
    ("an energy is no number", &["numbers"], |d| d.frames[4].energy = f64::NAN),
];

const MODEL: &[Fault] = &[
    ("a body is smaller", &["scene", "contacts"], |d| {
        let (body, ..) = d.pair();
        d.model.bodies[body].radius *= 1.0 - 1e-5;
    }),
    ("a body is larger", &["scene", "overlap"], |d| {
        let (body, ..) = d.pair();
        d.model.bodies[body].radius *= 1.0 + 1e-5;
    }),
    ("a body is heavier", &["scene", "balance"], |d| {
        d.model.bodies[1].mass *= 1.0 + 1e-5;
        d.recompute_energies();
    }),
    ("a radius is negative", &["numbers"], |d| d.model.bodies[1].radius *= -1.0),
    ("a mass is zero", &["numbers"], |d| d.model.bodies[1].mass = 0.0),
    ("gravity is stronger", &["scene", "balance"], |d| {
        d.model.gravity *= 1.0 + 1e-5;
        d.recompute_energies();
    }),
    ("gravity is stronger than the energies say", &["energy"], |d| d.model.gravity *= 1.0 + 1e-5),
    ("gravity leans over", &["scene", "balance"], |d| {
        d.model.gravity.x += 1e-5;
        d.recompute_energies();
    }),
    ("gravity turned round", &["energy rise", "balance"], |d| {
        d.model.gravity *= -1.0;
        d.recompute_energies();
    }),
    ("a face is moved away", &["scene", "contacts"], |d| move_face(d, 1e-5)),
    ("a face is moved in", &["scene", "overlap"], |d| move_face(d, -1e-5)),
    ("the container is turned inside out", &["scene", "inside"], |d| {
        let mut faces = d.model.boundary.faces().to_vec();
        faces.iter_mut().for_each(|face| face.corners.reverse());
        d.model.boundary = riprap::shape::Boundary::from_faces(faces).unwrap();
    }),
    ("the scene is another one", &["scene"], |d| {
        d.scene = d.scene.replace("jitter = 0.0", "jitter = 0.00")
    }),
    ("the scene is none", &["scene"], |d| d.scene = "[container".into()),
    ("the seed is another one", &["scene"], |d| d.model.seed += 1),
];

/// Moves a face that carries force, along its outward normal.
fn move_face(draft: &mut Draft, by: f64) {
    let (_, face, _) = draft.wall();
    let normal = draft.model.boundary.normal(face as u32);
    let mut faces = draft.model.boundary.faces().to_vec();
    faces[face].corners.iter_mut().for_each(|corner| *corner += by * normal);
    draft.model.boundary = riprap::shape::Boundary::from_faces(faces).unwrap();
}

const REST: &[Fault] = &[
    ("a force is larger", &["balance"], |d| {
        let (.., contact) = d.pair();
        d.ending().contacts[contact].force *= 1.0 + 1e-4;
    }),
    ("a force pulls", &["contacts"], |d| {
        let (.., contact) = d.pair();
        d.ending().contacts[contact].force *= -1.0;
    }),
    ("a force is endless", &["contacts"], |d| d.ending().contacts[0].force = f64::INFINITY),
    ("a force is no number", &["contacts"], |d| d.ending().contacts[0].force = f64::NAN),
    ("a contact between bodies is missing", &["balance"], |d| {
        let (.., contact) = d.pair();
        d.ending().contacts.remove(contact);
    }),
    ("a contact with a wall is missing", &["balance"], |d| {
        let (.., contact) = d.wall();
        d.ending().contacts.remove(contact);
    }),
    ("a contact is given to another body", &["contacts", "balance"], |d| {
        let (first, second, contact) = d.pair();
        let other = (0..).find(|body| *body != first && *body != second).unwrap();
        d.ending().contacts[contact].body = other as u32;
    }),
    ("a contact is given to another face", &["contacts"], |d| {
        let (_, face, contact) = d.wall();
        let faces = d.model.boundary.faces().len();
        d.ending().contacts[contact].with = With::Face(((face + faces / 2) % faces) as u32);
    }),
    ("a contact is stored in two halves", &["contacts"], |d| {
        let (.., contact) = d.pair();
        d.ending().contacts[contact].force /= 2.0;
        let half = d.ending().contacts[contact];
        d.ending().contacts.push(half);
    }),
    ("a contact is stored from both sides", &["contacts"], |d| {
        let (first, second, contact) = d.pair();
        let force = d.ending().contacts[contact].force / 2.0;
        d.ending().contacts[contact].force = force;
        let with = With::Body(first as u32, [0; 3]);
        d.ending().contacts.push(Contact { body: second as u32, with, force });
    }),
    ("two bodies touch from afar", &["contacts"], |d| {
        let positions = &d.frames.last().unwrap().positions;
        let far =
            (0..positions.len()).find(|&b| positions[b].distance(positions[0]) > 2.0).unwrap();
        let with = With::Body(far as u32, [0; 3]);
        d.ending().contacts.push(Contact { body: 0, with, force: 0.0 });
    }),
    ("a body that does not exist is touched", &["contacts"], |d| {
        d.ending().contacts[0].with = With::Body(1_000_000, [0; 3]);
    }),
    ("a body touches itself", &["contacts"], |d| {
        d.ending().contacts[0].with = With::Body(d.ending().contacts[0].body, [0; 3])
    }),
    ("a body touches another through a periodic wall", &["contacts"], |d| {
        let (_, second, contact) = d.pair();
        d.ending().contacts[contact].with = With::Body(second as u32, [1, 0, 0]);
    }),
    ("a face that does not exist is touched", &["contacts"], |d| {
        d.ending().contacts[0].with = With::Face(1_000_000);
    }),
    ("the contacts are missing", &["balance"], |d| d.ending().contacts.clear()),
];

const CERTIFICATE: &[Fault] = &[
    ("it is missing", &["certificate"], |d| d.ending().certificate = None),
    ("too many neutral modes", &["certificate"], |d| d.certificate().neutral_modes += 1),
    ("an unstable mode", &["certificate"], |d| d.certificate().unstable_modes += 1),
    ("one neutral mode for another", &["certificate"], |d| {
        d.certificate().rank -= 1;
        d.certificate().neutral_modes += 1;
    }),
    ("a rank that is too high", &["certificate"], |d| d.certificate().rank += 1),
    ("too few unknowns", &["certificate"], |d| d.certificate().unknowns -= 1),
    ("a large residual", &["certificate"], |d| d.certificate().residual = 1e-7),
    ("a residual that is no number", &["certificate"], |d| d.certificate().residual = f64::NAN),
];

#[test]
fn bodies_that_were_moved_are_noticed() {
    assert_noticed(&BOX, MOVED);
    assert_noticed(&FLAT, MOVED);
}

#[test]
fn frames_that_were_tampered_with_are_noticed() {
    assert_noticed(&BOX, FRAMES);
    assert_noticed(&FLAT, FRAMES);
}

#[test]
fn models_that_were_changed_are_noticed() {
    assert_noticed(&BOX, MODEL);
    assert_noticed(&FLAT, MODEL);
}

#[test]
fn contacts_that_do_not_hold_are_noticed() {
    assert_noticed(&BOX, REST);
    assert_noticed(&FLAT, REST);
}

#[test]
fn false_certificates_are_noticed() {
    assert_noticed(&BOX, CERTIFICATE);
    assert_noticed(&FLAT, CERTIFICATE);
}

#[test]
fn a_residual_may_not_be_claimed_smaller_than_it_is() {
    let draft = BOX.clone().with(|d| {
        let (.., contact) = d.pair();
        d.ending().contacts[contact].force *= 1.0 + 1e-7;
    });
    let verdict = draft.verdict();
    assert_eq!(failed(&verdict), ["certificate"], "{verdict:?}");
    let honest = draft.with(|d| d.certificate().residual = verdict.residual.unwrap());
    assert!(honest.verdict().ok());
}

#[test]
fn words_that_say_too_much_are_noticed() {
    // Some circle of this run can roll.
    let boast: Fault =
        ("\"strict\"", &["certificate"], |d| d.certificate().verdict = "strict minimum".into());
    assert_noticed(&FLAT, &[boast]);
}

#[test]
fn a_flat_run_stays_flat() {
    let lifted: Fault =
        ("a circle leaves the plane", &["numbers"], |d| d.frames[2].positions[3].z = 1e-300);
    let tilted: Fault = ("gravity leaves the plane", &["numbers"], |d| d.model.gravity.z = -1e-300);
    assert_noticed(&FLAT, &[lifted, tilted]);
}

const TWO_SPHERES: &str = r#"
    container = { shape = "box", min = [0, 0, 0], max = [10, 10, 10] }
    [[bodies]]
    positions = [[5, 5, 8], [5, 5, 5]]
    radius = 0.5
"#;

#[test]
fn nobody_passes_through_another() {
    let beside = [[3.0, 5.0, 6.0], [5.0, 5.0, 5.0]];
    let below = [[5.0, 5.0, 2.0], [5.0, 5.0, 5.0]];
    let round = Draft::made_up(TWO_SPHERES, &[&beside, &below], Outcome::StepLimit).verdict();
    assert!(round.ok(), "{round:?}");
    let through = Draft::made_up(TWO_SPHERES, &[&below], Outcome::StepLimit).verdict();
    assert_eq!(failed(&through), ["overlap between frames"]);
    assert_eq!((through.max_overlap, through.max_overlap_between_frames), (Some(0.0), Some(2.0)));
    let detail = &through.checks.iter().find(|check| !check.ok).unwrap().detail;
    assert_eq!(
        detail,
        "on the way to frame 1 bodies 0 and 1 overlap by 2.0e0 of the smaller radius"
    );
}

#[test]
fn nobody_passes_through_a_wall() {
    let flat = r#"
        dimension = 2
        bodies = [{ positions = [[2, 6]], radius = 0.5 }]
        [container]
        shape = "polygon"
        corners = [[0, 0], [10, 0], [10, 8], [6, 8], [6, 2], [4, 2], [4, 8], [0, 8]]
    "#;
    let [down, across, up] = [[2.0, 1.0, 0.0], [8.0, 1.0, 0.0], [8.0, 5.0, 0.0]];
    let through = Draft::made_up(flat, &[&[up]], Outcome::StepLimit).verdict();
    assert_eq!(failed(&through), ["overlap between frames"]);
    let round = Draft::made_up(flat, &[&[down], &[across]], Outcome::StepLimit).verdict();
    assert!(round.ok(), "{round:?}");

    let waist = r#"
        bodies = [{ positions = [[1.2, 0, 7]], radius = 0.4 }]
        container = { shape = "profile", corners = [[0, 3], [4, 0.6], [8, 3]], sides = 9 }
    "#;
    let [middle, below] = [[0.0, 0.0, 4.0], [1.2, 0.0, 1.0]];
    let through = Draft::made_up(waist, &[&[below]], Outcome::StepLimit).verdict();
    assert_eq!(failed(&through), ["overlap between frames"]);
    let around = Draft::made_up(waist, &[&[middle], &[below]], Outcome::StepLimit).verdict();
    assert!(around.ok(), "{around:?}");
}

#[test]
fn nobody_leaves_the_container() {
    let outside = [[5.0, 5.0, -5.0], [5.0, 5.0, 5.0]];
    let gone = Draft::made_up(TWO_SPHERES, &[&outside], Outcome::Interrupted);
    assert_eq!(failed(&gone.verdict()), ["inside", "overlap between frames"]);
    let never_there = gone.with(|d| {
        d.frames[0].positions = d.frames[1].positions.clone();
        d.recompute_energies();
    });
    assert_eq!(failed(&never_there.verdict()), ["scene", "inside"]);
}

const TOWER: &str = r#"
    container = { shape = "box", min = [0, 0, 0], max = [6, 5, 6] }
    [[bodies]]
    positions = [[2, 3, 0.5], [2, 3, 1.5], [2, 3, 2.5]]
    radius = 0.5
    mass = 1
"#;

#[test]
fn a_tower_cannot_be_sold_as_stable() {
    let mut tower = Draft::made_up(TOWER, &[], Outcome::Rest);
    let floor = tower.model.boundary.nearest(tower.frames[0].positions[0]).unwrap().face;
    let on = |body: u32| With::Body(body, [0; 3]);
    let contacts = [(0, With::Face(floor), 3.0), (1, on(0), 2.0), (2, on(1), 1.0)];
    let contacts = contacts.map(|(body, with, force)| Contact { body, with, force });
    tower.ending().contacts = contacts.to_vec();
    tower.ending().certificate = Some(Certificate {
        residual: 0.0,
        bound: 0.0,
        rank: 3,
        unknowns: 9,
        unstable_modes: 0,
        neutral_modes: 6,
        margin: 1.0,
        verdict: "minimum up to neutral modes".into(),
    });
    let verdict = tower.verdict();
    assert_eq!(failed(&verdict), ["second order", "certificate"]);
    assert_eq!(verdict.stable_to_second_order, Some(false));
    assert_eq!((verdict.unstable_modes, verdict.neutral_modes), (Some(4), Some(2)));
    let half_honest = tower.with(|d| {
        (d.certificate().unstable_modes, d.certificate().neutral_modes) = (4, 2);
    });
    assert_eq!(failed(&half_honest.verdict()), ["second order", "certificate"], "no minimum");
    let honest = half_honest.with(|d| d.certificate().verdict = "degenerate".into());
    assert_eq!(failed(&honest.verdict()), ["second order"]);
}

#[test]
fn a_floating_sphere_is_not_at_rest() {
    let mut floating = Draft::made_up(TWO_SPHERES, &[], Outcome::Rest);
    let certificate = Certificate {
        residual: 0.0,
        bound: 0.0,
        rank: 0,
        unknowns: 6,
        unstable_modes: 0,
        neutral_modes: 6,
        margin: 0.0,
        verdict: "minimum up to neutral modes".into(),
    };
    floating.ending().certificate = Some(certificate);
    assert_eq!(failed(&floating.verdict()), ["balance", "certificate"]);
    let held = floating.with(|d| {
        let force = d.model.bodies[0].mass;
        let floor = d.model.boundary.nearest(DVec3::new(5.0, 4.0, 0.1)).unwrap().face;
        let hold = |body: u32| Contact { body, with: With::Face(floor), force };
        d.ending().contacts = vec![hold(0), hold(1)];
    });
    assert!(failed(&held.verdict()).contains(&"contacts"));
}

#[test]
fn a_run_that_did_not_come_to_rest_cannot_say_so() {
    let cut = Draft::run("box-3", Some(3));
    let verdict = cut.verdict();
    assert!(verdict.ok() && verdict.outcome == Some(Outcome::StepLimit), "{verdict:?}");
    let claimed = cut.with(|d| d.ending().outcome = Outcome::Rest);
    assert_eq!(failed(&claimed.verdict()), ["balance", "certificate"]);
}

/// The records of a run file: tags and payloads (FORMAT.md).
fn records(path: &Path) -> Vec<([u8; 4], Vec<u8>)> {
    let bytes = fs::read(path).unwrap();
    let (mut rest, mut found) = (&bytes[16..], Vec::new());
    while !rest.is_empty() {
        let (head, tail) = rest.split_at(20);
        let size = u64::from_le_bytes(head[4..12].try_into().unwrap()) as usize;
        found.push((head[..4].try_into().unwrap(), tail[..size].to_vec()));
        rest = &tail[size..];
    }
    found
}

/// Writes the records again, with fitting checksums, but without the index.
fn write_records(path: &Path, records: &[([u8; 4], Vec<u8>)]) {
    let mut bytes = fs::read(path).unwrap()[..16].to_vec();
    for (tag, payload) in records.iter().filter(|record| &record.0 != b"INDX") {
        let mut head = tag.to_vec();
        head.extend((payload.len() as u64).to_le_bytes());
        head.extend(crc32fast::hash(payload).to_le_bytes());
        bytes.extend(&head);
        bytes.extend(crc32fast::hash(&head).to_le_bytes());
        bytes.extend(payload);
    }
    fs::write(path, bytes).unwrap();
}

/// What fails after a change to the records of a run.
fn failed_after(draft: &Draft, change: impl Fn(&mut Vec<([u8; 4], Vec<u8>)>)) -> Vec<&'static str> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.riprap");
    draft.write(&path);
    let mut records = records(&path);
    change(&mut records);
    write_records(&path, &records);
    failed(&verify(&Reader::open(&path).unwrap()).unwrap())
}

/// Flips a bit of the hashes (own, predecessor's) that a frame is stored with.
fn flip_hash(payload: &mut [u8], which: usize) {
    let column = b"\x04hashu8";
    let name = payload.windows(column.len()).position(|bytes| bytes == column).unwrap();
    payload[name + column.len() + 18 + 8 * which] ^= 1;
}

#[test]
fn a_broken_chain_of_hashes_is_noticed() {
    // Every way is cut in two, so that there are enough frames for a second
    // key frame; the run is as good as before.
    let halved = BOX.clone().with(|d| {
        let between = |pair: &[Frame]| {
            let (a, b) = (&pair[0].positions, &pair[1].positions);
            let positions = a.iter().zip(b).map(|(a, b)| a.midpoint(*b)).collect();
            [Frame { positions, ..pair[1].clone() }, pair[1].clone()]
        };
        let rest: Vec<Frame> = d.frames.windows(2).flat_map(between).collect();
        d.frames.truncate(1);
        d.frames.extend(rest);
        d.renumber();
        d.recompute_energies();
    });
    assert!(halved.frames.len() > 21);
    let unchanged: Vec<&str> = Vec::new();
    assert_eq!(failed_after(&halved, |_| ()), unchanged);
    // Record 0 is the header.
    assert_eq!(failed_after(&halved, |records| flip_hash(&mut records[5].1, 0)), ["hashes"]);
    assert_eq!(failed_after(&halved, |records| flip_hash(&mut records[5].1, 1)), ["hashes"]);
    let dropped = failed_after(&halved, |records| drop(records.remove(20)));
    assert_eq!(dropped, ["steps", "hashes"], "the frame before a key frame");
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.riprap");
    halved.clone().with(|d| d.model.name = "another run".into()).write(&other);
    let header = self::records(&other)[0].1.clone();
    assert_eq!(failed_after(&halved, |records| records[0].1 = header.clone()), ["hashes"]);
}
