//! Random piles of boxes, in the plane and in space, upright or on a slope: `stable` says of each
//! whether it stands, and so does a linear program that is made here from the boxes alone and given
//! to Clarabel. Where its least missing force is neither nothing nor plainly something, it does not judge.

use std::fmt::Write;
use std::path::Path;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, SupportedConeT};
use riprap::step::stable::Balance;
use riprap::{Random, Scene};

use crate::{Trial, panics};

/// Missing forces below the first are nothing, above the second something, in weights of all boxes.
const NOTHING: f64 = 1e-8;
const SOMETHING: f64 = 1e-5;

/// Boxes that lie in one layer keep this far from each other.
const APART: f64 = 0.05;

struct Box {
    min: [f64; 3],
    max: [f64; 3],
    density: f64,
}

impl Box {
    fn mass(&self, dimension: usize) -> f64 {
        (0..dimension).map(|k| self.max[k] - self.min[k]).product::<f64>() * self.density
    }
    fn centre(&self) -> [f64; 3] {
        [0, 1, 2].map(|k| 0.5 * (self.min[k] + self.max[k]))
    }
    /// The part of two boxes' shadows along an axis that both have.
    fn shared(&self, other: &Box, axis: usize) -> [f64; 2] {
        [self.min[axis].max(other.min[axis]), self.max[axis].min(other.max[axis])]
    }
}

/// The first lies on the ground, which is no box but all that is below 0.
struct Pile {
    dimension: usize,
    boxes: Vec<Box>,
    friction: f64,
    gravity: [f64; 3],
}

pub fn trial(seed: u64, scratch: &Path) -> Trial {
    let pile = Pile::random(seed);
    let text = pile.text();
    let class = match (pile.dimension, pile.friction > 0.0) {
        (2, false) => "flat",
        (2, true) => "flat on a slope",
        _ => "in space",
    };
    let mut notes = Vec::new();
    let fault = panics::fault(|| fault(&pile, &text, scratch, &mut notes));
    Trial { class: class.into(), fault, input: (text.into_bytes(), "toml"), notes }
}

fn fault(pile: &Pile, text: &str, scratch: &Path, notes: &mut Vec<&'static str>) -> Option<String> {
    let built = Scene::from_text(text, &scratch.join("pile.toml")).and_then(|s| riprap::build(&s));
    let (model, state) = match built {
        Ok(built) => built,
        Err(problem) => return Some(format!("refused: {problem}")),
    };
    let verdict = match riprap::stable(&model, &state) {
        Ok(verdict) => verdict,
        Err(problem) => return Some(format!("no verdict: {problem}")),
    };
    let missing = pile.missing_force();
    notes.push(match missing {
        Some(force) if force < NOTHING => "stand",
        Some(force) if force > SOMETHING => "fall",
        _ => "too close for the judge",
    });
    match (missing, &verdict.balance) {
        (Some(force), Balance::Unbalanced) if force < NOTHING => {
            Some(format!("called unbalanced, but the judge balances it up to {force:e}"))
        }
        (Some(force), Balance::Balanced) if force > SOMETHING => {
            Some(format!("called balanced, but {force:e} is missing"))
        }
        (Some(force), Balance::Undecided(_)) if !(NOTHING..=SOMETHING).contains(&force) => {
            Some(format!("undecided, where {force:e} is missing"))
        }
        _ => None,
    }
}

impl Pile {
    fn random(seed: u64) -> Pile {
        let random = &mut Random::new(seed ^ 0x70e25);
        let dimension = if seed.is_multiple_of(3) { 3 } else { 2 };
        let up = dimension - 1;
        let mut pile = Pile { dimension, boxes: Vec::new(), friction: 0.0, gravity: [0.0; 3] };
        pile.gravity[up] = -1.0;
        if seed % 3 == 1 {
            let slope = random.between(-0.5, 0.5);
            pile.gravity = [slope.sin(), -slope.cos(), 0.0];
            pile.friction = random.between(0.1, 0.8);
        }
        let count = 3 + (random.unit() * 22.0) as usize;
        for _ in 0..30 * count {
            if pile.boxes.len() == count {
                break;
            }
            let on = (random.unit() * (pile.boxes.len() + 1) as f64) as usize;
            pile.add(on.checked_sub(1), random);
        }
        pile
    }

    /// Lays a box on another, or on the ground, if nothing is in its way.
    fn add(&mut self, on: Option<usize>, random: &mut Random) {
        let up = self.dimension - 1;
        let mut new = Box { min: [0.0; 3], max: [0.0; 3], density: random.between(0.5, 3.0) };
        for axis in 0..up {
            let half = random.between(0.3, 1.5);
            let middle = match on.map(|on| &self.boxes[on]) {
                Some(below) => random.between(below.min[axis], below.max[axis]),
                None => random.between(-4.0, 4.0),
            };
            (new.min[axis], new.max[axis]) = (middle - half, middle + half);
        }
        // A few heights only, so that boxes bridge others.
        let height = [0.5, 1.0][(random.unit() * 2.0) as usize];
        new.min[up] = on.map_or(0.0, |on| self.boxes[on].max[up]);
        new.max[up] = new.min[up] + height;
        let meets = |other: &Box| {
            let side = (0..up).all(|k| {
                let [low, high] = new.shared(other, k);
                high - low > -APART
            });
            let [low, high] = new.shared(other, up);
            let beside = (0..up).any(|k| {
                let [low, high] = new.shared(other, k);
                (high - low).abs() < APART
            });
            side && (high - low > 1e-9 || high - low > -1e-9 && beside)
        };
        if !self.boxes.iter().any(meets) {
            self.boxes.push(new);
        }
    }

    fn text(&self) -> String {
        let dimension = self.dimension;
        let list = |v: [f64; 3]| format!("{:?}", &v[..dimension]);
        let mut text = format!(
            "method = \"collapse\"\ndimension = {dimension}\ngravity = {}\n",
            list(self.gravity)
        );
        let mut size = [60.0; 3];
        size[dimension - 1] = 1.0;
        let mut at = [0.0; 3];
        at[dimension - 1] = -0.5;
        let shape = |size: [f64; 3]| match dimension {
            2 => {
                let [x, y] = [0.5 * size[0], 0.5 * size[1]];
                format!(
                    "{{ kind = \"polygon\", corners = [[{:?}, {:?}], [{x:?}, {:?}], [{x:?}, {y:?}], \
                     [{:?}, {y:?}]] }}",
                    -x, -y, -y, -x
                )
            }
            _ => format!("{{ kind = \"box\", size = {} }}", list(size)),
        };
        let _ = writeln!(
            text,
            "[[bodies]]\ngroup = \"ground\"\nmotion = \"fixed\"\nshape = {}\nposition = {}\n\
             friction = {:?}",
            shape(size),
            list(at),
            self.friction
        );
        for one in &self.boxes {
            let _ = writeln!(
                text,
                "[[bodies]]\ngroup = \"box\"\nshape = {}\nposition = {}\ndensity = {:?}\n\
                 friction = {:?}",
                shape([0, 1, 2].map(|k| one.max[k] - one.min[k])),
                list(one.centre()),
                one.density,
                self.friction
            );
        }
        text
    }

    /// The least sum of forces and moments that contacts do not provide, in weights of all boxes;
    /// None if Clarabel does not solve it.
    fn missing_force(&self) -> Option<f64> {
        let (up, boxes) = (self.dimension - 1, &self.boxes);
        let weight: f64 = boxes.iter().map(|one| one.mass(self.dimension)).sum();
        // Equations: forces along all axes, moments about all axes, of each box.
        let rows = 6 * boxes.len();
        let mut entries: Vec<(usize, usize, f64)> = Vec::new();
        let mut columns = 0;
        let mut push = |at: [f64; 3], force: [f64; 3], upon: usize, from: Option<usize>| {
            for (body, sign) in [(Some(upon), 1.0), (from, -1.0)] {
                let Some(body) = body else { continue };
                let centre = boxes[body].centre();
                let r = [0, 1, 2].map(|k| at[k] - centre[k]);
                let moment = [
                    r[1] * force[2] - r[2] * force[1],
                    r[2] * force[0] - r[0] * force[2],
                    r[0] * force[1] - r[1] * force[0],
                ];
                for k in 0..3 {
                    entries.push((6 * body + k, columns, sign * force[k]));
                    entries.push((6 * body + 3 + k, columns, sign * moment[k]));
                }
            }
            columns += 1;
        };
        for (upon, one) in boxes.iter().enumerate() {
            let below =
                boxes.iter().enumerate().filter(|(_, b)| (b.max[up] - one.min[up]).abs() < 1e-9);
            let mut faces: Vec<(Option<usize>, Vec<[f64; 2]>)> = below
                .map(|(k, b)| (Some(k), (0..up).map(|axis| one.shared(b, axis)).collect()))
                .collect();
            if one.min[up] == 0.0 {
                faces.push((None, (0..up).map(|axis| [one.min[axis], one.max[axis]]).collect()));
            }
            for (from, face) in faces {
                if face.iter().any(|[low, high]| high <= low) {
                    continue;
                }
                for corner in 0..1 << up {
                    let mut at = [0.0; 3];
                    (0..up).for_each(|k| at[k] = face[k][corner >> k & 1]);
                    at[up] = one.min[up];
                    let sides: &[f64] = if self.friction > 0.0 { &[-1.0, 1.0] } else { &[0.0] };
                    for side in sides {
                        let mut force = [0.0; 3];
                        (force[up], force[0]) = (1.0, force[0] + side * self.friction);
                        push(at, force, upon, from);
                    }
                }
            }
        }
        let forces = columns;
        for row in 0..rows {
            entries.push((row, forces + row, 1.0));
            entries.push((row, forces + rows + row, -1.0));
        }
        let unknowns = forces + 2 * rows;
        let mut wanted = vec![0.0; rows + unknowns];
        for (body, one) in boxes.iter().enumerate() {
            let mass = one.mass(self.dimension) / weight;
            (0..3).for_each(|k| wanted[6 * body + k] = -mass * self.gravity[k]);
        }
        entries.extend((0..unknowns).map(|k| (rows + k, k, -1.0)));
        let column = |of: fn(&(usize, usize, f64)) -> usize| entries.iter().map(of).collect();
        let values = entries.iter().map(|entry| entry.2).collect();
        let matrix = CscMatrix::new_from_triplets(
            rows + unknowns,
            unknowns,
            column(|entry| entry.0),
            column(|entry| entry.1),
            values,
        );
        let cost: Vec<f64> = (0..unknowns).map(|k| f64::from(u8::from(k >= forces))).collect();
        let cones = [SupportedConeT::ZeroConeT(rows), SupportedConeT::NonnegativeConeT(unknowns)];
        let settings = DefaultSettingsBuilder::default()
            .verbose(false)
            .tol_gap_abs(1e-11)
            .tol_gap_rel(1e-11)
            .tol_feas(1e-11)
            .build()
            .ok()?;
        let none = CscMatrix::zeros((unknowns, unknowns));
        let mut solver =
            DefaultSolver::new(&none, &cost, &matrix, &wanted, &cones, settings).ok()?;
        solver.solve();
        let answer = &solver.solution;
        // Judged by what it gives, not by what it says of it.
        let missing: f64 = answer.x[forces..].iter().sum();
        (missing.is_finite() && answer.r_prim < 1e-9 && answer.r_dual < 1e-9).then_some(missing)
    }
}
