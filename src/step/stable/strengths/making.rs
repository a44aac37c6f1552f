//! Programs of the forces of contacts that hold: what presses and rubs, what pulls, what sticks.

use super::super::Statics;
use super::super::forces::{Circle, Forces};
use super::{HeldContact, Limits};
use crate::math::DVec3;
use crate::solver::linear::{Column, Optimum};

/// What limits are worth in a program.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::step::stable) enum Worth {
    /// As much of them as the utilisation says, which costs 1.
    Used,
    /// Nothing is limited.
    Any,
    /// They are what they are.
    Given,
}

/// A program in the making.
pub(in crate::step::stable) struct Making<'a> {
    pub forces: Forces<'a>,
    worth: Worth,
    /// The column of the utilisation, one for each touch that has a strength.
    pub used: Vec<Option<usize>>,
    last: Option<usize>,
}

impl<'a> Making<'a> {
    pub fn new(
        statics: &'a Statics<'a>,
        loads: &[f64],
        limits: &[Limits],
        circle: Option<Circle>,
        worth: Worth,
    ) -> Self {
        let forces = Forces::new(statics, loads, circle);
        let used = vec![None; statics.touches.len()];
        let mut making = Making { forces, worth, used, last: None };
        for (touch, limits) in limits.iter().enumerate() {
            making.touch(touch, limits);
        }
        making
    }

    /// The columns of one touch: it presses and rubs, pulls, and sticks.
    fn touch(&mut self, number: usize, limits: &Limits) {
        let rows = match limits.is_any() && self.worth != Worth::Any {
            true => self.limit_rows(number, limits),
            false => [None; 3],
        };
        let [pull, cohesion, shear] = rows;
        let has_shear = limits.shear.is_none_or(|shear| shear > 0.0);
        let touch = &self.forces.statics.touches[number];
        let normal = touch.normal;
        let round = self.forces.round(number);
        let first = self.forces.program.columns.len();
        match (has_shear, &round) {
            (false, _) => _ = self.forces.push(number, normal),
            (true, Some(_)) => self.forces.press(number, None),
            (true, None) => self.forces.press(number, shear),
        }
        let rubs = shear.is_some() && self.forces.statics.friction_of(touch) > 0.0;
        if rubs && round.is_none() {
            // What presses without rubbing: the sum of edges of its cone would count as borne sideways.
            self.forces.push(number, normal);
        }
        if limits.pull > 0.0 {
            let column = self.forces.push(number, -normal);
            self.forces.program.columns[column].extend(pull.map(|row| (row, 1.0)));
        }
        let sticks = limits.cohesion > 0.0 && has_shear;
        match (round, self.worth) {
            (Some(across), Worth::Used | Worth::Given) => {
                let stuck = sticks.then(|| self.stick(number, across, cohesion));
                if let Some(shear) = shear {
                    let friction =
                        self.forces.statics.friction_of(&self.forces.statics.touches[number]);
                    let rubbed = rubs.then_some((first, friction));
                    self.shear(shear, [rubbed, stuck.map(|first| (first, 1.0))]);
                }
            }
            _ if sticks => {
                for across in self.forces.around(number) {
                    let column = self.forces.push(number, across);
                    let rows = [cohesion, shear].into_iter().flatten().map(|row| (row, 1.0));
                    self.forces.program.columns[column].extend(rows);
                }
            }
            _ => {}
        }
    }

    /// A round cone of what sticks sideways, limited by a row; its first column.
    fn stick(&mut self, number: usize, across: [DVec3; 2], cohesion: Option<u32>) -> usize {
        let most = cohesion.map(|row| (row, 1.0)).into_iter().collect();
        let first = self.forces.column(most, 0.0, None);
        self.forces.program.cones.push(first);
        across.into_iter().for_each(|across| _ = self.forces.push(number, across));
        first
    }

    /// What cones bear sideways, in all, is inside another one, limited by a row.
    fn shear(&mut self, most: u32, borne: [Option<(usize, f64)>; 2]) {
        if borne == [None; 2] {
            return;
        }
        let rows = [0; 2].map(|_: u32| self.forces.row(0.0));
        for (first, size) in borne.into_iter().flatten() {
            for (k, row) in rows.into_iter().enumerate() {
                self.forces.program.columns[first + 1 + k].push((row, size));
            }
        }
        let first = self.forces.column(vec![(most, 1.0)], 0.0, None);
        self.forces.program.cones.push(first);
        rows.into_iter().for_each(|row| _ = self.forces.column(vec![(row, -1.0)], 0.0, None));
    }

    /// Rows that limit pull, cohesion and shear, by the utilisation, and one that makes the
    /// utilisation of this touch that of the last.
    fn limit_rows(&mut self, touch: usize, limits: &Limits) -> [Option<u32>; 3] {
        let (mut used, unit) = (Column::new(), self.forces.unit);
        let is_given = self.worth == Worth::Given;
        let rows = limits.sizes().map(|size| {
            let size = size? / unit;
            let row = self.forces.row(if is_given { size } else { 0.0 });
            used.push((row, -size));
            self.forces.column(vec![(row, 1.0)], 0.0, None);
            Some(row)
        });
        if is_given || used.is_empty() {
            return rows;
        }
        let own = self.forces.column(used, if self.last.is_none() { 1.0 } else { 0.0 }, None);
        if let Some(last) = self.last {
            let row = self.forces.row(0.0);
            self.forces.program.columns[own].push((row, 1.0));
            self.forces.program.columns[last].push((row, -1.0));
        }
        self.used[touch] = Some(own);
        self.last = Some(own);
        rows
    }

    /// How much the strength of each contact counts: what its limits cost.
    pub fn add_parts(
        &self,
        optimum: &Optimum,
        limits: &[Limits],
        own: &[usize],
        contacts: &mut [HeldContact],
    ) {
        for (touch, used) in self.used.iter().enumerate() {
            let Some(used) = used else { continue };
            let count = limits[touch].sizes().iter().flatten().count();
            let paid = self.forces.program.columns[*used][..count].iter();
            let paid: f64 = paid.map(|(row, x)| x * optimum.prices[*row as usize]).sum();
            contacts[own[touch]].part += paid.max(0.0);
        }
        let total: f64 = contacts.iter().map(|contact| contact.part).sum();
        contacts.iter_mut().filter(|_| total > 0.0).for_each(|contact| contact.part /= total);
    }
}
