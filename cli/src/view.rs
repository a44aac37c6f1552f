//! `riprap view`: the interactive page, as a file or served on this machine.

use std::path::Path;

use riprap::Result;
use riprap::trajectory::Reader;
use riprap_viewer::{PageOptions, page, serve, write_page};

use crate::{Done, output};

pub fn view(run: &Path, out: Option<&Path>, force: bool) -> Result<Done> {
    let reader = Reader::open(run)?;
    if let Some(out) = out {
        output::check(out, force, &[run])?;
        write_page(&reader, out, PageOptions::default())?;
        eprintln!("{}: open it in a browser", out.display());
        return Ok(Done::Yes);
    }
    let server = serve(page(&reader, PageOptions::default())?)?;
    eprintln!("{} (Ctrl-C to end)", server.address());
    server.run()
}
