//! Where a run goes: into a file, or into memory for programs that want it there.

use crate::problem::Result;
use crate::trajectory::{Ending, Frame, Writer};

/// What takes the frames of a run.
pub trait Sink {
    /// The next frame.
    fn frame(&mut self, frame: &Frame) -> Result<()>;

    /// What the next step depends on besides the last frame.
    fn checkpoint(&mut self, memory: &[u8]) -> Result<()>;

    /// The end of a phase that another one follows.
    fn end_phase(&mut self, ending: &Ending) -> Result<()>;

    /// The end.
    fn end(&mut self, ending: &Ending) -> Result<()>;
}

/// A run in memory.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// All of them.
    pub frames: Vec<Frame>,
    /// The last checkpoint.
    pub memory: Vec<u8>,
    /// None while the run goes on.
    pub ending: Option<Ending>,
}

impl Sink for Recording {
    fn frame(&mut self, frame: &Frame) -> Result<()> {
        self.frames.push(frame.clone());
        Ok(())
    }

    fn checkpoint(&mut self, memory: &[u8]) -> Result<()> {
        self.memory = memory.to_vec();
        Ok(())
    }

    fn end_phase(&mut self, ending: &Ending) -> Result<()> {
        self.end(ending)
    }

    fn end(&mut self, ending: &Ending) -> Result<()> {
        self.ending = Some(ending.clone());
        Ok(())
    }
}

impl Sink for Writer {
    fn frame(&mut self, frame: &Frame) -> Result<()> {
        Writer::frame(self, frame)
    }

    fn checkpoint(&mut self, memory: &[u8]) -> Result<()> {
        Writer::checkpoint(self, memory)
    }

    fn end_phase(&mut self, ending: &Ending) -> Result<()> {
        Writer::end_phase(self, ending)
    }

    fn end(&mut self, ending: &Ending) -> Result<()> {
        Writer::end(self, ending)
    }
}
