//! Appending to a run file.
use std::path::Path;

use super::{Ending, Frame};
use crate::problem::Result;
use crate::world::Model;

/// Appends to a run file; every record is on its way to the disk when the call returns.
pub struct Writer {}

/// What a killed run left behind, up to its last checkpoint.
pub struct Resumed {
    pub writer: Writer,
    pub model: Model,
    pub scene_text: String,
    /// The frame that the checkpoint belongs to; later frames have been cut off.
    pub frame: Frame,
    /// The method's own memory, as it was given to [`Writer::checkpoint`].
    pub memory: Vec<u8>,
}

impl Writer {
    /// Starts a new file; refuses to overwrite one unless `force`.
    pub fn create(
        _path: &Path,
        _force: bool,
        _model: &Model,
        _scene_text: &str,
        _acts: &[&str],
    ) -> Result<Writer> {
        todo!()
    }
    /// Opens a run that was cut short, drops what follows its last checkpoint, and goes on from there.
    pub fn resume(_path: &Path) -> Result<Resumed> {
        todo!()
    }
    pub fn frame(&mut self, _frame: &Frame) -> Result<()> {
        todo!()
    }
    /// Remembers, after the last frame written, what the next step depends on.
    pub fn checkpoint(&mut self, _memory: &[u8]) -> Result<()> {
        todo!()
    }
    pub fn end(self, _ending: &Ending) -> Result<()> {
        todo!()
    }
}
