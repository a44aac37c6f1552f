//! Runs scenes of the gallery and prints the hash of their last frames, so that
//! two builds of the library can be compared bit by bit:
//! `cargo run --release --example bits box-4 tower-5x5`.

use std::sync::atomic::AtomicBool;

use riprap::run::{Options, run};
use riprap::scene::gallery;
use riprap::trajectory::Reader;

fn main() -> riprap::Result<()> {
    let out = std::env::temp_dir().join(format!("bits-{}.riprap", std::process::id()));
    for name in std::env::args().skip(1) {
        let scene = gallery::scene(&name)?;
        let options = Options {
            out: out.clone(),
            force: true,
            max_steps: Some(60),
            interrupted: &AtomicBool::new(false),
            progress: &mut |_| (),
        };
        run(&scene, options)?;
        let reader = Reader::open(&out)?;
        println!("{name} {:016x}", reader.stored_hash(reader.len() - 1));
    }
    std::fs::remove_file(&out).ok();
    Ok(())
}
