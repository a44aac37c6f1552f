//! The stories, one file each, each reading like its paper. A step has one
//! shape: pairs -> rows -> motion -> advance -> report.
//!
//! [`settle::Settle`] is the method of Milenkovic 1996. Its parts: `cell`
//! cuts the convex cell out of free space and finds the best motion in it,
//! `certificate` proves rest, `second_order` asks whether that rest is
//! stable, and `escape` leaves it where it is not. [`hand_over`] leads from
//! the method dynamics to exact freedom of overlap.

mod cell;
mod certificate;
pub mod collapse;
pub mod compact;
pub mod dynamics;
mod escape;
mod fields;
pub mod hand_over;
mod memory;
mod second_order;
pub mod settle;
pub mod stable;
mod stiffness;

/// The named acts of a step, timed and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Near,
    FreeSpace,
    Solve,
    Sweep,
    Certificate,
}

/// The names of the acts, in the order of [`Act`].
pub const ACTS: [&str; 5] = ["near", "free space", "solve", "sweep", "certificate"];

/// Seconds spent in each act. The clock is handed in: this room has none.
#[derive(Clone, Debug)]
pub struct Stopwatch {
    clock: fn() -> f64,
    seconds: [f64; ACTS.len()],
}

impl Stopwatch {
    pub fn new(clock: fn() -> f64) -> Self {
        Stopwatch { clock, seconds: [0.0; ACTS.len()] }
    }

    /// Runs `work` on the account of `act`.
    pub fn time<T>(&mut self, act: Act, work: impl FnOnce() -> T) -> T {
        let start = (self.clock)();
        let result = work();
        self.seconds[act as usize] += (self.clock)() - start;
        result
    }

    /// The seconds since the last call, per act.
    pub fn take(&mut self) -> Vec<f32> {
        let taken = self.seconds.iter().map(|s| *s as f32).collect();
        self.seconds = [0.0; ACTS.len()];
        taken
    }
}
