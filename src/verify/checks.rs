//! The list of checks: which method is held to which, and what each measures.

use super::Verdict;
use super::limits::Limits;
use super::{
    apart, cloth, energy, impulses, inside, joints, ledger, momentum, motion, overlap, places,
    programs, still, sweep, threads, work,
};
use crate::scene::MethodName::{self, Collapse, Compact, Dynamics, Separate, Settle};
use crate::trajectory::Frame;
use crate::world::{Model, State};

/// What all checks are told before the first frame.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub model: &'a Model,
    pub limits: Limits,
    /// The first state that is held to all promises.
    pub start: &'a State,
    /// The state in which the phase begins, and its frame.
    pub first: (usize, &'a State),
}

/// A frame and the way to it.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub index: usize,
    /// Whether no frame follows.
    pub is_last: bool,
    /// The frame before; none for the first one that is held to all promises.
    pub before: Option<&'a Frame>,
    pub frame: &'a Frame,
}

/// Something that is measured frame after frame.
pub(super) trait Measure: Send {
    /// Looks at one frame.
    fn frame(&mut self, step: &Step);

    /// Looks at some frames in their order; those for which a frame is much work share it out.
    fn frames(&mut self, steps: &[Step]) {
        steps.iter().for_each(|step| self.frame(step));
    }

    /// Says what was found.
    fn report(&mut self, verdict: &mut Verdict);
}

/// What measures something of a run; none if the run has nothing of the kind.
pub(super) type Made<'a> = Option<Box<dyn Measure + 'a>>;

/// One line of the list.
struct Row {
    /// The names of what it reports.
    names: &'static [&'static str],
    methods: &'static [MethodName],
    /// What it measures.
    about: &'static str,
    make: for<'a> fn(Subject<'a>) -> Made<'a>,
}

const ALL: &[MethodName] = &MethodName::ALL;
const STILL: &[MethodName] = &[Settle, Compact];
const WITHOUT_TIME: &[MethodName] = &[Settle, Compact, Separate];
const IN_TIME: &[MethodName] = &[Collapse, Dynamics];

/// What is measured frame after frame, in the order in which it is reported.
const ROWS: &[Row] = &[
    Row {
        names: &["inside"],
        methods: ALL,
        about: "bodies are in the container: at the ends of runs that sweep all ways, else always",
        make: inside::make,
    },
    Row {
        names: &["fixed", "driven"],
        methods: ALL,
        about: "what is fixed stands, what is driven keeps to its path, what settles does not turn",
        make: still::make,
    },
    Row {
        names: &["joints"],
        methods: ALL,
        about: "joints hold: at frames, and distances of bodies that do not turn on the way, too",
        make: joints::make,
    },
    Row {
        names: &["overlap", "overlap between frames"],
        methods: STILL,
        about: "no overlap, at frames and on the straight ways between them",
        make: sweep::make,
    },
    Row {
        names: &["overlap", "overlap at the end", "overlap between frames"],
        methods: IN_TIME,
        about: "overlap of bodies, walls and cloth at every frame, and at the end if all is quiet; \
                of collapse half-way between frames, too",
        make: overlap::make,
    },
    Row {
        names: &["apart", "overlap"],
        methods: &[Separate],
        about: "what is taken apart does not turn, is at rest, and overlaps no more",
        make: apart::make,
    },
    Row {
        names: &["stretch", "volume"],
        methods: &[Dynamics],
        about: "threads are hardly too long, balloons keep their air",
        make: cloth::make,
    },
    Row {
        names: &["motion"],
        methods: IN_TIME,
        about: "bodies go where their velocities say, and turn as their spins say",
        make: motion::make,
    },
    Row {
        names: &["places"],
        methods: IN_TIME,
        about: "bodies are, to rounding, where velocities and what the step tells took them",
        make: places::make,
    },
    Row {
        names: &["momentum"],
        methods: IN_TIME,
        about: "weight and impulses explain every change of momentum",
        make: momentum::make,
    },
    Row {
        names: &["threads"],
        methods: &[Dynamics],
        about: "threads and air act along the directions that they had in the step",
        make: threads::make,
    },
    Row {
        names: &["impulses"],
        methods: IN_TIME,
        about: "impulses push, within the cone of friction, where bodies touch",
        make: impulses::make,
    },
    Row {
        names: &["programs"],
        methods: &[Collapse],
        about: "the program of every step was solved",
        make: programs::make,
    },
    Row {
        names: &["ledger"],
        methods: IN_TIME,
        about: "energy and momenta that steps tell are those of their states",
        make: ledger::make,
    },
    Row {
        names: &["energy", "energy rise"],
        methods: WITHOUT_TIME,
        about: "the energy is that of the positions and never rises",
        make: energy::make,
    },
    Row {
        names: &["energy", "energy rise"],
        methods: IN_TIME,
        about: "the energy is that of the state; what a step gains, something has given",
        make: work::make,
    },
];

/// What a method is held to frame after frame: names of checks, and what they measure.
///
/// ```
/// use riprap::{scene::MethodName, verify::promises};
/// let names = |method| promises(method).flat_map(|(names, _)| names).any(|n| *n == "momentum");
/// assert!(names(MethodName::Dynamics) && !names(MethodName::Settle));
/// ```
pub fn promises(
    method: MethodName,
) -> impl Iterator<Item = (&'static [&'static str], &'static str)> {
    let rows = ROWS.iter().filter(move |row| row.methods.contains(&method));
    rows.map(|row| (row.names, row.about))
}

/// All that is to be measured of a run.
pub(super) fn measures(subject: Subject<'_>) -> Vec<Box<dyn Measure + '_>> {
    let method = subject.model.method.name();
    let rows = ROWS.iter().filter(|row| row.methods.contains(&method));
    rows.filter_map(|row| (row.make)(subject)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_method_reports_a_name_twice() {
        for method in MethodName::ALL {
            let mut names: Vec<&str> =
                promises(method).flat_map(|(names, _)| names).copied().collect();
            let all = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), all, "{method}");
        }
    }
}
