//! What can be said about a run once it is written: here, its summary.

mod summary;

pub use summary::{Summary, summarise};
