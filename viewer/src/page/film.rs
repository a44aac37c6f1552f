//! What a page shows, state by state: a run, or the first motion of what falls.

use riprap::Result;
use riprap::export::exhibit::Exhibit;
use riprap::trajectory::Reader;
use riprap::world::{Model, State};

/// States of one model.
pub(super) trait Film {
    fn model(&self) -> &Model;
    fn frames(&self) -> usize;
    fn state(&self, index: usize) -> Result<State>;
}

impl Film for Reader {
    fn model(&self) -> &Model {
        self.model()
    }

    fn frames(&self) -> usize {
        self.len()
    }

    fn state(&self, index: usize) -> Result<State> {
        Ok(self.frame(index)?.state)
    }
}

impl Film for Exhibit<'_> {
    fn model(&self) -> &Model {
        self.model
    }

    fn frames(&self) -> usize {
        self.moments().len()
    }

    fn state(&self, index: usize) -> Result<State> {
        Ok(self.moved(self.moments()[index]))
    }
}
