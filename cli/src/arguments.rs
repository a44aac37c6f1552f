//! What can be asked for.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

/// Position-based physics: things come to rest, stand, fall and move by contact alone.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run a scene and write what happens to a run file
    Run(RunOptions),
    /// Check every promise of a run, independently; exit status 0 only if all hold
    Verify {
        /// A run file
        run: PathBuf,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Validate a scene without running it
    Check {
        /// A scene file, or the name of a gallery scene
        scene: String,
    },
    /// List the gallery; with a name, print that scene
    Scenes {
        /// The name of a gallery scene
        name: Option<String>,
    },
    /// Write a run for other programs, by the ending of the file:
    /// .xyz .csv .npz .dump .data .pvd .vtp .glb .stl .obj
    Export {
        /// A run file
        run: PathBuf,
        /// The file to write
        #[arg(short, long)]
        out: PathBuf,
        /// One frame only: its number, counted from 0, or `last`
        #[arg(long)]
        frame: Option<String>,
        /// Only every so many frames, and the last
        #[arg(long)]
        every: Option<NonZeroUsize>,
    },
    /// Print the JSON Schema of scene files, for editors
    Schema,
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Args)]
pub struct RunOptions {
    /// A scene file, or the name of a gallery scene
    pub scene: String,
    /// The run file to write [default: the scene's name with the ending .riprap]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// Overwrite the run file if it exists
    #[arg(long, conflicts_with = "resume")]
    pub force: bool,
    /// Stop after so many steps
    #[arg(long)]
    pub max_steps: Option<usize>,
    /// Threads to use; the result does not depend on it [default: all cores]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Replace the scene's seed
    #[arg(long)]
    pub seed: Option<u64>,
    /// Go on with a run that was cut short
    #[arg(long)]
    pub resume: bool,
    /// Print one JSON object on standard output, and nothing else there
    #[arg(long)]
    pub json: bool,
}
