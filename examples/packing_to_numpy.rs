//! From a scene to arrays: settle a packing of balls, check it, export it for numpy.
//!
//!     cargo run --example packing_to_numpy [OUT.npz]
//!     python3 -c 'import numpy; run = numpy.load("packing.npz"); print(run["positions"][-1])'

use std::path::PathBuf;

use riprap::export::Selection;
use riprap::{Reader, Scene, export, run, verify};

/// Balls of many sizes in a round vessel. The same text could stand in a file.
const PACKING: &str = r#"
    name = "packing"
    seed = 4
    container = { shape = "cylinder", radius = 2, bottom = 0, top = 8, sides = 32 }
    [[bodies]]
    group = "pellets"
    random = { count = 60 }
    radius = { lognormal = { median = 0.3, sigma = 0.3, min = 0.15, max = 0.6 } }
    density = 1200
"#;

fn main() -> riprap::Result<()> {
    let usual = || std::env::temp_dir().join("packing.npz");
    let out = std::env::args_os().nth(1).map_or_else(usual, PathBuf::from);
    let file = out.with_extension("riprap");

    // A run file keeps every frame to the last bit; a killed run can be continued from it.
    let scene = Scene::from_text(PACKING, "packing.toml".as_ref())?;
    let options = run::Options {
        out: file.clone(),
        force: true,
        max_steps: None,
        interrupted: &false.into(),
        progress: &mut |status| eprint!("\rstep {}, energy {:.1} ", status.step, status.energy),
    };
    run(&scene, options)?;
    eprintln!();

    // What checks the run shares no code with what made it.
    let reader = Reader::open(&file)?;
    let verdict = verify(&reader)?;
    assert!(verdict.ok, "{:?}", verdict.checks);

    // The last frame is the packing; `Selection::All` would be the whole fall.
    let options = export::Options { frames: Selection::Last, ..Default::default() };
    export(&reader, &out, &options)?;
    let positions = reader.frame(reader.len() - 1)?.state.positions;
    let radii = reader.model().bodies.iter().map(|body| body.radius);
    let top = positions.iter().zip(radii).map(|(p, r)| p.z + r).fold(0.0, f64::max);
    let residual = verdict.residual.unwrap_or(f64::NAN);
    println!("{} balls, up to a height of {top:.3}, in {}", positions.len(), out.display());
    println!("no overlap, and forces balance to {residual:.0e} of a weight");
    assert!(top < 8.0 && residual < 1e-6);
    Ok(())
}
