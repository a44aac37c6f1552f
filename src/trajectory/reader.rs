//! Reading a run file.
use std::path::Path;

use super::{Ending, Frame};
use crate::problem::Result;
use crate::world::Model;

/// A run file opened for reading; frames are decoded on demand.
pub struct Reader {}

impl Reader {
    /// Opens a run file. A file cut off in the middle of a record opens with every whole record before it.
    pub fn open(_path: &Path) -> Result<Reader> {
        todo!()
    }
    pub fn model(&self) -> &Model {
        todo!()
    }
    pub fn scene_text(&self) -> &str {
        todo!()
    }
    pub fn acts(&self) -> &[String] {
        todo!()
    }
    /// Number of frames.
    pub fn len(&self) -> usize {
        todo!()
    }
    pub fn is_empty(&self) -> bool {
        todo!()
    }
    pub fn frame(&self, _index: usize) -> Result<Frame> {
        todo!()
    }
    /// All frames in order, decoded once each.
    pub fn frames(&self) -> impl Iterator<Item = Result<Frame>> + '_ {
        std::iter::from_fn(|| todo!())
    }
    /// The hash stored with a frame.
    pub fn stored_hash(&self, _index: usize) -> u64 {
        todo!()
    }
    /// `None` for a run that was cut short.
    pub fn ending(&self) -> Option<&Ending> {
        todo!()
    }
    /// Bytes after the last whole record, if the file was cut short.
    pub fn torn_bytes(&self) -> u64 {
        todo!()
    }
}
