//! Text to [`super::Scene`].
use super::Scene;
use crate::problem::Result;
use std::path::Path;
impl Scene {
    /// Reads a scene file (.toml or .json).
    pub fn from_file(_path: &Path) -> Result<Scene> {
        todo!()
    }
    /// Reads scene text; `file` names it in messages, decides TOML or JSON, and its folder resolves relative paths.
    pub fn from_text(_text: &str, _file: &Path) -> Result<Scene> {
        todo!()
    }
}
