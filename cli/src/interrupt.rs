//! Ctrl-C: the first one asks for a clean end, the second one ends at once
//! (whatever was written stays valid).

use std::sync::atomic::{AtomicBool, Ordering};

use riprap::{Problem, Result};

/// Whether Ctrl-C was pressed.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Listens from now on; the answer says whether Ctrl-C was pressed.
pub fn listen() -> Result<impl Fn() -> bool> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .map_err(|e| Problem::new(format!("cannot listen for Ctrl-C: {e}")))?;
    Ok(|| INTERRUPTED.load(Ordering::Relaxed))
}
