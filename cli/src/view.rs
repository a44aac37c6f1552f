//! `riprap view`: the interactive page, as a file or served on this machine.

use std::path::Path;

use riprap::Result;
use riprap::export::write_whole;
use riprap::trajectory::Reader;
use riprap_viewer::{PageOptions, page, serve};

use crate::{Done, output};

pub fn view(run: &Path, out: Option<&Path>, force: bool) -> Result<Done> {
    let text = || page(&Reader::open(run)?, PageOptions::default());
    if let Some(out) = out {
        output::check(out, force, &[run])?;
        write_whole(out, text()?)?;
        eprintln!("{}: open it in a browser", out.display());
        return Ok(Done::Yes);
    }
    let server = serve(text()?)?;
    eprintln!("{} (Ctrl-C to end)", server.address());
    server.run()
}
