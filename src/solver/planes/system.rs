//! The equations of all unknowns, bodies and planes: planes are eliminated, and what is left are
//! blocks of six on the contact graph.

use super::small::{
    Across, ROUNDING, Small, Square, backwards, factor, forwards, times_transposed,
};
use super::{Bend, Group, OF_BODY, OF_PLANE, OF_ROW, Program, Slope};
use crate::solver::quadratic::Cholesky;

/// How often the diagonal is enlarged before a matrix is given up.
const MOST_SHIFTS: u32 = 10;
/// Rounds of solving for what rounding left.
const REFINEMENTS: usize = 2;

type Place = [[usize; OF_BODY]; OF_BODY];

/// The unknowns of a program in one list, bodies and then planes, and the pattern of their matrix.
pub(super) struct System<'a> {
    pub program: &'a Program,
    pub cost: Vec<f64>,
    pub reach: Vec<f64>,
    cholesky: Cholesky,
    /// Where blocks are kept in the factor: of every body, ...
    own: Vec<Place>,
    /// ... and per plane, between its two bodies, if both move.
    between: Vec<Option<Place>>,
}

/// A matrix with its planes eliminated.
pub(super) struct Planes {
    /// Of every group, and what is on the diagonal besides.
    stiffness: Vec<Bend>,
    pub diagonal: Vec<f64>,
    eliminated: Vec<Eliminated>,
}

/// A plane of which any row is in use.
struct Eliminated {
    number: u32,
    /// The bodies of both sides, if they move.
    bodies: [Option<u32>; 2],
    /// The factor of its own matrix, ...
    lower: Small,
    /// ... and per side, how its body and the plane go together, divided by it.
    across: [Across; 2],
}

impl<'a> System<'a> {
    pub fn new(program: &'a Program) -> System<'a> {
        let bodies = program.bodies.iter();
        let mut cost: Vec<f64> = bodies.clone().flat_map(|block| block.cost).collect();
        let planes = program.planes.iter().flat_map(|plane| plane.reach);
        let reach: Vec<f64> = bodies.flat_map(|block| block.reach).chain(planes).collect();
        cost.resize(reach.len(), 0.0);
        let pair = |plane: &super::Plane| {
            let [a, b] = plane.sides.map(|side| program.groups[side as usize].body);
            a.zip(b)
        };
        let edges = program.planes.iter().filter_map(pair);
        let cholesky = Cholesky::new(OF_BODY, program.bodies.len(), edges);
        let block = |a: u32, b: u32| {
            std::array::from_fn(|i| {
                std::array::from_fn(|j| {
                    cholesky.position((a, i), (b, j)).expect("a block of the pattern")
                })
            })
        };
        let own = (0..program.bodies.len() as u32).map(|body| block(body, body)).collect();
        let between = program.planes.iter().map(|p| pair(p).map(|(a, b)| block(a, b))).collect();
        System { program, cost, reach, cholesky, own, between }
    }

    /// The unknowns of a group's rows.
    pub fn local(&self, z: &[f64], group: &Group) -> Slope {
        let mut own = [0.0; OF_ROW];
        if let Some(body) = group.body {
            own[..OF_BODY].copy_from_slice(&z[body as usize * OF_BODY..][..OF_BODY]);
        }
        if let Some(plane) = group.plane {
            own[OF_BODY..].copy_from_slice(&z[self.plane(plane)..][..OF_PLANE]);
        }
        own
    }

    /// 1 for the unknowns of a group, and 0 for what has no reach.
    pub fn live(&self, group: &Group) -> Slope {
        let mut own = [0.0; OF_ROW];
        let live = |reach: &f64| if *reach > 0.0 { 1.0 } else { 0.0 };
        if let Some(body) = group.body {
            let reach = &self.reach[body as usize * OF_BODY..][..OF_BODY];
            own[..OF_BODY].iter_mut().zip(reach).for_each(|(own, reach)| *own = live(reach));
        }
        if let Some(plane) = group.plane {
            let reach = &self.reach[self.plane(plane)..][..OF_PLANE];
            own[OF_BODY..].iter_mut().zip(reach).for_each(|(own, reach)| *own = live(reach));
        }
        own
    }

    fn plane(&self, plane: u32) -> usize {
        self.program.bodies.len() * OF_BODY + plane as usize * OF_PLANE
    }

    /// Adds numbers of a group's unknowns to the list of all.
    pub fn scatter(&self, group: &Group, own: &Slope, all: &mut [f64]) {
        if let Some(body) = group.body {
            let at = &mut all[body as usize * OF_BODY..][..OF_BODY];
            (0..OF_BODY).for_each(|k| at[k] += own[k]);
        }
        if let Some(plane) = group.plane {
            let at = &mut all[self.plane(plane)..][..OF_PLANE];
            (0..OF_PLANE).for_each(|k| at[k] += own[OF_BODY + k]);
        }
    }

    pub fn proximal(&self, unknown: usize) -> f64 {
        self.program.proximal[usize::from(unknown >= self.program.bodies.len() * OF_BODY)]
    }

    /// What cannot move is not to be pulled.
    pub fn hold(&self, list: &mut [f64]) {
        let held = list.iter_mut().zip(&self.reach).filter(|(_, reach)| **reach <= 0.0);
        held.for_each(|(value, _)| *value = 0.0);
    }

    /// Factorises the matrix of all groups' own matrices and a diagonal; planes of none of
    /// whose groups anything is `used` stay as they are.
    pub fn factorise(
        &mut self,
        stiffness: Vec<Bend>,
        mut diagonal: Vec<f64>,
        used: impl Fn(usize) -> bool,
    ) -> Option<Planes> {
        // What cannot move has a row of its own.
        let held = diagonal.iter_mut().zip(&self.reach).filter(|(_, reach)| **reach <= 0.0);
        held.for_each(|(value, _)| *value = 1.0);
        let eliminated = self.eliminate(&stiffness, &diagonal, used)?;
        let mut blocks: Vec<Square> = vec![[[0.0; OF_BODY]; OF_BODY]; self.program.bodies.len()];
        for (group, sum) in self.program.groups.iter().zip(&stiffness) {
            let Some(body) = group.body else { continue };
            let block = &mut blocks[body as usize];
            (0..OF_BODY).for_each(|i| (0..OF_BODY).for_each(|j| block[i][j] += sum[i][j]));
        }
        for (block, diagonal) in blocks.iter_mut().zip(diagonal.chunks_exact(OF_BODY)) {
            (0..OF_BODY).for_each(|k| block[k][k] += diagonal[k]);
        }
        let whole: Vec<f64> = blocks.iter().flat_map(|b| (0..OF_BODY).map(|k| b[k][k])).collect();
        for plane in &eliminated {
            for (body, across) in plane.bodies.iter().zip(&plane.across) {
                let Some(body) = body else { continue };
                let taken = times_transposed(across, across);
                let block = &mut blocks[*body as usize];
                (0..OF_BODY).for_each(|i| (0..OF_BODY).for_each(|j| block[i][j] -= taken[i][j]));
            }
        }
        let planes = Planes { stiffness, diagonal, eliminated };
        let mut shift = 0.0;
        for _ in 0..MOST_SHIFTS {
            let shifts: Vec<f64> = whole.iter().map(|value| shift * value).collect();
            if self.fill(&blocks, &planes.eliminated, &shifts) {
                return Some(planes);
            }
            shift = f64::max(100.0 * shift, ROUNDING);
        }
        None
    }

    /// Puts the matrix into the factor, and factorises it.
    fn fill(&mut self, blocks: &[Square], planes: &[Eliminated], shifts: &[f64]) -> bool {
        let System { cholesky, own, between, .. } = self;
        cholesky.values.fill(0.0);
        let shifts = shifts.chunks_exact(OF_BODY);
        for ((block, place), shift) in blocks.iter().zip(own).zip(shifts) {
            for i in 0..OF_BODY {
                (0..=i).for_each(|j| cholesky.values[place[i][j]] += block[i][j]);
                cholesky.values[place[i][i]] += shift[i];
            }
        }
        for plane in planes {
            let Some(place) = &between[plane.number as usize] else { continue };
            let taken = times_transposed(&plane.across[0], &plane.across[1]);
            for i in 0..OF_BODY {
                (0..OF_BODY).for_each(|j| cholesky.values[place[i][j]] -= taken[i][j]);
            }
        }
        cholesky.factorise()
    }

    /// Factorises what belongs to the planes alone.
    fn eliminate(
        &self,
        stiffness: &[Bend],
        diagonal: &[f64],
        used: impl Fn(usize) -> bool,
    ) -> Option<Vec<Eliminated>> {
        let own = diagonal[self.program.bodies.len() * OF_BODY..].chunks_exact(OF_PLANE);
        let planes = self.program.planes.iter().zip(own).zip(0..);
        let used = planes.filter(|((plane, _), _)| plane.sides.iter().any(|s| used(*s as usize)));
        let eliminated = used.map(|((plane, diagonal), number)| {
            let mut own: Small = [[0.0; OF_PLANE]; OF_PLANE];
            for side in plane.sides {
                let sum = &stiffness[side as usize];
                for i in 0..OF_PLANE {
                    (0..OF_PLANE).for_each(|j| own[i][j] += sum[OF_BODY + i][OF_BODY + j]);
                }
            }
            (0..OF_PLANE).for_each(|k| own[k][k] += diagonal[k]);
            let lower = factor(own)?;
            let across = plane.sides.map(|side| {
                let sum = &stiffness[side as usize];
                let of =
                    |line: &Slope| forwards(&lower, std::array::from_fn(|j| line[OF_BODY + j]));
                std::array::from_fn(|i| of(&sum[i]))
            });
            let bodies = plane.sides.map(|side| self.program.groups[side as usize].body);
            Some(Eliminated { number, bodies, lower, across })
        });
        eliminated.collect()
    }

    /// A matrix of groups and a diagonal times `z`.
    pub fn product(&self, diagonal: &[f64], groups: &[Bend], z: &[f64]) -> Vec<f64> {
        let mut product: Vec<f64> = diagonal.iter().zip(z).map(|(d, z)| d * z).collect();
        for (group, sum) in self.program.groups.iter().zip(groups) {
            let own = self.local(z, group);
            let of = |i: usize| (0..OF_ROW).map(|j| sum[i][j] * own[j]).sum();
            self.scatter(group, &std::array::from_fn(of), &mut product);
        }
        product
    }

    /// Solves with the matrix of [`System::factorise`], and again for what rounding left:
    /// planes that hold firmly take most of the digits of their bodies' blocks.
    pub fn solve(&mut self, planes: &Planes, right: Vec<f64>) -> Vec<f64> {
        let mut z = self.back_substitute(planes, right.clone());
        for _ in 0..REFINEMENTS {
            let product = self.product(&planes.diagonal, &planes.stiffness, &z);
            let left = right.iter().zip(&product).map(|(right, product)| right - product).collect();
            let more = self.back_substitute(planes, left);
            z.iter_mut().zip(more).for_each(|(z, more)| *z += more);
        }
        z
    }

    /// Solves once.
    pub fn back_substitute(&mut self, planes: &Planes, mut right: Vec<f64>) -> Vec<f64> {
        let bodies = self.program.bodies.len() * OF_BODY;
        let (x, own) = right.split_at_mut(bodies);
        let (own, _) = own.as_chunks_mut::<OF_PLANE>();
        for plane in &planes.eliminated {
            let y = forwards(&plane.lower, own[plane.number as usize]);
            own[plane.number as usize] = y;
            for (body, across) in plane.bodies.iter().zip(&plane.across) {
                let Some(body) = body else { continue };
                let x = &mut x[*body as usize * OF_BODY..][..OF_BODY];
                for (x, line) in x.iter_mut().zip(across) {
                    *x -= line.iter().zip(&y).map(|(a, y)| a * y).sum::<f64>();
                }
            }
        }
        self.cholesky.solve(x);
        let own_diagonal = planes.diagonal[bodies..].as_chunks::<OF_PLANE>().0;
        let mut used = planes.eliminated.iter().map(|plane| plane.number as usize).peekable();
        for (number, (own, diagonal)) in own.iter_mut().zip(own_diagonal).enumerate() {
            if used.next_if_eq(&number).is_none() {
                (0..OF_PLANE).for_each(|k| own[k] /= diagonal[k]);
            }
        }
        for plane in &planes.eliminated {
            let mut y = own[plane.number as usize];
            for (body, across) in plane.bodies.iter().zip(&plane.across) {
                let Some(body) = body else { continue };
                let x = &x[*body as usize * OF_BODY..][..OF_BODY];
                for (x, line) in x.iter().zip(across) {
                    (0..OF_PLANE).for_each(|j| y[j] -= line[j] * x);
                }
            }
            own[plane.number as usize] = backwards(&plane.lower, y);
        }
        right
    }
}
