//! The rows that are in use. Round things have many corners, and next to none of them matter:
//! a search begins with those that are near, and takes in what turns out to be violated.

use rayon::prelude::*;

use super::system::System;
use super::{Bend, Group, OF_ROW, Row, Slope, Tilting};

/// Rows are near whose gaps are less than this part of a typical reach.
const NEAR: f64 = 0.5;
/// Groups with no more rows than this are taken whole, if any of them is near.
const FEW: usize = 4;
/// At most so many rows of a group come in at a time, the most violated first.
const MOST_ADDED: usize = 4;
/// Groups that are worth a task of their own, at least.
const TASK: usize = 64;

/// Rows in use, those of a group together and in their order.
pub(super) struct Chosen {
    rows: Vec<Row>,
    /// Of each, its number in its group.
    numbers: Vec<u32>,
    /// The first of every group, and at the end, how many there are.
    first: Vec<usize>,
    /// Per group, how its rows bend, and 1 for its unknowns and 0 for what has no reach.
    laws: Vec<(Tilting, Slope)>,
}

impl Chosen {
    /// Rows that are near.
    pub fn near(system: &System, reach: f64) -> Chosen {
        let of = |group: &Group| -> Vec<u32> {
            let least = group.rows.iter().map(|row| row.gap).fold(f64::INFINITY, f64::min);
            if least > NEAR * reach {
                return Vec::new();
            }
            let is_near = |row: &Row| group.rows.len() <= FEW || row.gap <= NEAR * reach;
            let numbers = group.rows.iter().zip(0..).filter(|(row, _)| is_near(row));
            numbers.map(|(_, number)| number).collect()
        };
        Chosen::new(system, system.program.groups.iter().map(of))
    }

    fn new(system: &System, numbers: impl Iterator<Item = Vec<u32>>) -> Chosen {
        let mut chosen =
            Chosen { rows: Vec::new(), numbers: Vec::new(), first: vec![0], laws: Vec::new() };
        for (group, numbers) in system.program.groups.iter().zip(numbers) {
            let live = system.live(group);
            chosen.rows.extend(numbers.iter().map(|&k| group.rows[k as usize]));
            chosen.numbers.extend(numbers);
            chosen.first.push(chosen.rows.len());
            chosen.laws.push((group.tilting, live));
        }
        chosen
    }

    /// With more rows of each group; and for every row its old number, if it was in use.
    fn with(&self, system: &System, more: &[Vec<u32>]) -> (Chosen, Vec<Option<usize>>) {
        let mut from = Vec::with_capacity(self.rows.len());
        let mut numbers = Vec::with_capacity(more.len());
        for (group, more) in more.iter().enumerate() {
            let old = self.range(group).map(|at| (self.numbers[at], Some(at)));
            let mut all: Vec<_> = old.chain(more.iter().map(|&number| (number, None))).collect();
            all.sort_unstable_by_key(|(number, _)| *number);
            from.extend(all.iter().map(|(_, at)| *at));
            numbers.push(all.into_iter().map(|(number, _)| number).collect());
        }
        (Chosen::new(system, numbers.into_iter()), from)
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The rows of a group, by their numbers here.
    pub fn range(&self, group: usize) -> std::ops::Range<usize> {
        self.first[group]..self.first[group + 1]
    }

    pub fn gaps(&self) -> impl Iterator<Item = f64> {
        self.rows.iter().map(|row| row.gap)
    }

    /// The gradients and values of all rows at `z`.
    pub fn at(&self, system: &System, z: &[f64]) -> (Vec<Slope>, Vec<f64>) {
        let (mut slopes, mut values) =
            (Vec::with_capacity(self.len()), Vec::with_capacity(self.len()));
        for (number, (group, (law, live))) in
            system.program.groups.iter().zip(&self.laws).enumerate()
        {
            let range = self.range(number);
            if range.is_empty() {
                continue;
            }
            let own = system.local(z, group);
            for row in &self.rows[range] {
                let (mut slope, value) = law.at(row, &own);
                (0..OF_ROW).for_each(|k| slope[k] *= live[k]);
                slopes.push(slope);
                values.push(value);
            }
        }
        (slopes, values)
    }

    /// What all rows bend by along `z`.
    pub fn bent(&self, system: &System, z: &[f64]) -> Vec<f64> {
        let mut bent = Vec::with_capacity(self.len());
        for (number, (group, (law, _))) in system.program.groups.iter().zip(&self.laws).enumerate()
        {
            let own = system.local(z, group);
            for row in &self.rows[self.range(number)] {
                let (_, value) = law.at(row, &own);
                let linear: f64 = (0..OF_ROW).map(|i| row.slope[i] * own[i]).sum();
                bent.push(value - row.gap - linear);
            }
        }
        bent
    }

    /// How the rows of every group bend, each times a factor.
    pub fn bends(&self, factors: &[f64]) -> Vec<Bend> {
        let of = |(group, (law, live)): (usize, &(Tilting, Slope))| {
            let range = self.range(group);
            if range.is_empty() {
                return [[0.0; OF_ROW]; OF_ROW];
            }
            let factors = factors[range.clone()].iter().copied();
            let mut bend = law.bend(self.rows[range].iter().zip(factors));
            for i in 0..OF_ROW {
                (0..OF_ROW).for_each(|j| bend[i][j] *= live[i] * live[j]);
            }
            bend
        };
        self.laws.par_iter().enumerate().with_min_len(TASK).map(of).collect()
    }

    /// The matrix of every group: of its rows, each with a weight, and of how they bend.
    pub fn stiffness(&self, bends: &[Bend], slopes: &[Slope], weights: &[f64]) -> Vec<Bend> {
        let of = |(group, bend): (usize, &Bend)| {
            let range = self.range(group);
            let mut sum = *bend;
            for (slope, weight) in slopes[range.clone()].iter().zip(&weights[range]) {
                for i in 0..OF_ROW {
                    let factor = weight * slope[i];
                    (0..=i).for_each(|j| sum[i][j] += factor * slope[j]);
                }
            }
            super::symmetric(&sum)
        };
        bends.par_iter().enumerate().with_min_len(TASK).map(of).collect()
    }

    /// Adds the slopes of all rows times a factor of each.
    pub fn add(&self, system: &System, slopes: &[Slope], factors: &[f64], all: &mut [f64]) {
        for (number, group) in system.program.groups.iter().enumerate() {
            let range = self.range(number);
            if range.is_empty() {
                continue;
            }
            let mut own = [0.0; OF_ROW];
            for (slope, factor) in slopes[range.clone()].iter().zip(&factors[range]) {
                (0..OF_ROW).for_each(|i| own[i] += factor * slope[i]);
            }
            system.scatter(group, &own, all);
        }
    }

    /// The slopes of all rows times `z`.
    pub fn along(&self, system: &System, slopes: &[Slope], z: &[f64]) -> Vec<f64> {
        let mut along = Vec::with_capacity(slopes.len());
        for (number, group) in system.program.groups.iter().enumerate() {
            let range = self.range(number);
            if range.is_empty() {
                continue;
            }
            let own = system.local(z, group);
            let of = |slope: &Slope| (0..OF_ROW).map(|i| slope[i] * own[i]).sum::<f64>();
            along.extend(slopes[range].iter().map(of));
        }
        along
    }

    /// The least value of a row of any group at `z`, in use or not.
    pub fn least(&self, system: &System, z: &[f64]) -> f64 {
        let of = |group: &Group| {
            let own = system.local(z, group);
            let values = group.rows.iter().map(|row| group.tilting.at(row, &own).1);
            values.fold(f64::INFINITY, f64::min)
        };
        let groups = system.program.groups.par_iter().with_min_len(TASK);
        groups.map(of).reduce(|| f64::INFINITY, f64::min)
    }

    /// Takes in rows that are below a value at `z`: with where every row comes from and what its
    /// value is; none if there is none.
    pub fn take_in(
        &mut self,
        system: &System,
        z: &[f64],
        below: f64,
    ) -> Option<Vec<Option<usize>>> {
        let of = |(number, group): (usize, &Group)| -> Vec<u32> {
            if group.rows.len() == self.range(number).len() {
                return Vec::new();
            }
            let used = &self.numbers[self.range(number)];
            let own = system.local(z, group);
            let values =
                group.rows.iter().zip(0..).map(|(row, k)| (group.tilting.at(row, &own).1, k));
            let mut worst: Vec<(f64, u32)> = values
                .filter(|(value, k)| *value < below && used.binary_search(k).is_err())
                .collect();
            worst.sort_by(|(a, _), (b, _)| a.total_cmp(b));
            worst.into_iter().take(MOST_ADDED).map(|(_, k)| k).collect()
        };
        let groups = system.program.groups.par_iter().enumerate().with_min_len(TASK);
        let more: Vec<Vec<u32>> = groups.map(of).collect();
        if more.iter().all(Vec::is_empty) {
            return None;
        }
        let (chosen, from) = self.with(system, &more);
        *self = chosen;
        Some(from)
    }

    /// Of numbers of all rows, those of the rows in use.
    pub fn gather(&self, system: &System, all: &[f64]) -> Vec<f64> {
        let (mut own, mut first) = (Vec::with_capacity(self.len()), 0);
        for (number, group) in system.program.groups.iter().enumerate() {
            own.extend(self.range(number).map(|at| all[first + self.numbers[at] as usize]));
            first += group.rows.len();
        }
        own
    }

    /// Numbers of rows in use as numbers of all rows: zero for the others.
    pub fn spread(&self, system: &System, own: &[f64]) -> Vec<f64> {
        let mut all = Vec::with_capacity(system.program.row_count());
        for (number, group) in system.program.groups.iter().enumerate() {
            let first = all.len();
            all.resize(first + group.rows.len(), 0.0);
            for at in self.range(number) {
                all[first + self.numbers[at] as usize] = own[at];
            }
        }
        all
    }
}
