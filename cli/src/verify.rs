//! `riprap verify`: every promise of a run, as a table or as JSON.

use std::path::Path;

use riprap::Result;

use crate::Done;

pub fn verify(_run: &Path, _json: bool) -> Result<Done> {
    Ok(Done::Yes)
}
