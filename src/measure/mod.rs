//! What can be said about a run once it is written: how it went ([`summarise`])
//! and what the heap at its end is like ([`measure`]).

mod fill;
mod heap;
mod summary;

pub use heap::{Forces, Heap, measure};
pub use summary::{PhaseSummary, Summary, summarise};
