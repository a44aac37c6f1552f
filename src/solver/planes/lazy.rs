//! Round things have many corners, and next to none of them matter: programs are solved with the rows
//! that could, and again with those that turned out to be violated.

use super::{Aim, Answer, Group, OF_BODY, OF_PLANE, OF_ROW, Program, Row, Slope, solve};

/// Groups with no more rows than this are taken whole.
const FEW: usize = 12;
/// So many rounds at most, ...
const ROUNDS: u32 = 6;
/// ... each of which adds at most so many rows of a group, the most violated first.
const MOST_ADDED: usize = 6;

/// As [`solve`], to the same aim.
pub fn solve_lazily(program: &Program, aim: &Aim) -> Answer {
    let mut chosen: Vec<Vec<usize>> =
        program.groups.iter().map(|group| first_choice(program, group)).collect();
    let mut iterations = 0;
    for _ in 0..ROUNDS {
        if chosen.iter().zip(&program.groups).all(|(own, group)| own.len() == group.rows.len()) {
            break;
        }
        let mut answer = solve(&part(program, &chosen), aim);
        iterations += answer.iterations;
        let violated = violated(program, &answer, -aim.violation.max(-answer.least));
        if violated.iter().all(Vec::is_empty) {
            spread(program, &chosen, &mut answer);
            return Answer { iterations, ..answer };
        }
        for (own, more) in chosen.iter_mut().zip(violated) {
            own.extend(more);
            own.sort_unstable();
            own.dedup();
        }
    }
    let answer = solve(program, aim);
    Answer { iterations: iterations + answer.iterations, ..answer }
}

/// The rows that come first if the body turns and the plane tilts as far as they may, any way.
fn first_choice(program: &Program, group: &Group) -> Vec<usize> {
    if group.rows.len() <= FEW {
        return (0..group.rows.len()).collect();
    }
    let turn = group.body.map(|body| program.bodies[body as usize].reach);
    let tilt = group.plane.map(|plane| program.planes[plane as usize].reach);
    let reaches: Vec<(usize, f64)> = (3..OF_BODY)
        .map(|k| (k, turn.map_or(0.0, |reach| reach[k])))
        .chain((0..2).map(|k| (OF_BODY + k, tilt.map_or(0.0, |reach| reach[k]))))
        .collect();
    let mut chosen = vec![least(group, |row| row.gap)];
    for signs in 0..1_u32 << reaches.len() {
        let along = |row: &Row| -> f64 {
            let each = reaches.iter().enumerate().map(|(bit, (k, reach))| {
                let way = if signs >> bit & 1 == 0 { *reach } else { -reach };
                row.slope[*k] * way
            });
            row.gap + each.sum::<f64>()
        };
        chosen.push(least(group, along));
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// The first of the rows for which something is least.
fn least(group: &Group, of: impl Fn(&Row) -> f64) -> usize {
    let values = group.rows.iter().map(of).enumerate();
    values.min_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(0, |(k, _)| k)
}

fn part(program: &Program, chosen: &[Vec<usize>]) -> Program {
    let group = |(group, chosen): (&Group, &Vec<usize>)| Group {
        body: group.body,
        plane: group.plane,
        rows: chosen.iter().map(|&k| group.rows[k].clone()).collect(),
    };
    Program {
        bodies: program.bodies.clone(),
        planes: program.planes.clone(),
        groups: program.groups.iter().zip(chosen).map(group).collect(),
        proximal: program.proximal,
    }
}

/// The rows of every group that an answer leaves below a value.
fn violated(program: &Program, answer: &Answer, below: f64) -> Vec<Vec<usize>> {
    let of = |group: &Group| {
        let z = answer.local(group);
        let values = group.rows.iter().map(|row| row.at(&z).1).enumerate();
        let mut worst: Vec<(usize, f64)> = values.filter(|(_, value)| *value < below).collect();
        worst.sort_by(|(_, a), (_, b)| a.total_cmp(b));
        worst.into_iter().take(MOST_ADDED).map(|(k, _)| k).collect()
    };
    program.groups.iter().map(of).collect()
}

/// Makes the multipliers of a part those of the whole: what was left out carries nothing.
fn spread(program: &Program, chosen: &[Vec<usize>], answer: &mut Answer) {
    let mut own = answer.multipliers.iter();
    let mut all = Vec::with_capacity(program.row_count());
    for (group, chosen) in program.groups.iter().zip(chosen) {
        let first = all.len();
        all.resize(first + group.rows.len(), 0.0);
        chosen.iter().zip(own.by_ref()).for_each(|(k, force)| all[first + k] = *force);
        let z = answer.local(group);
        let values = group.rows.iter().map(|row| row.at(&z).1);
        answer.least = values.fold(answer.least, f64::min);
    }
    answer.multipliers = all;
}

impl Answer {
    /// The unknowns of a group.
    pub fn local(&self, group: &Group) -> Slope {
        let mut z = [0.0; OF_ROW];
        if let Some(body) = group.body {
            z[..OF_BODY].copy_from_slice(&self.x[body as usize]);
        }
        if let Some(plane) = group.plane {
            z[OF_BODY..OF_BODY + OF_PLANE].copy_from_slice(&self.y[plane as usize]);
        }
        z
    }
}
