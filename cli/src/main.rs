//! The command line of Riprap. What it prints is a contract: see the README.
//! Exit status: 0 done; 1 a promise failed, or the method stopped before its
//! goal; 2 bad usage or bad input; 3 unstable and 4 undecided, if `stable` is
//! asked to tell; 130 interrupted.

mod arguments;
mod assembly;
mod bricks;
mod compact;
mod files;
mod interrupt;
mod measure;
mod output;
mod progress;
mod render;
mod run;
mod show;
mod stable;
mod strain;
mod verdict;
mod verify;
mod view;
mod what_if;

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use riprap::{Problem, Result};

use arguments::{Arguments, Command};

/// What a command has to say with its exit status.
pub enum Done {
    /// Everything asked for was reached.
    Yes,
    /// A promise failed, or the method stopped before its goal.
    No,
    /// The verdict of `stable --exit-status`: it falls.
    Unstable,
    /// The same: neither forces nor a mechanism were found.
    Undecided,
    /// Somebody pressed Ctrl-C.
    Interrupted,
}

fn main() -> ExitCode {
    match act(Arguments::parse().command) {
        Ok(Done::Yes) => ExitCode::SUCCESS,
        Ok(Done::No) => ExitCode::from(1),
        Ok(Done::Unstable) => ExitCode::from(3),
        Ok(Done::Undecided) => ExitCode::from(4),
        Ok(Done::Interrupted) => ExitCode::from(130),
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

fn act(command: Command) -> Result<Done> {
    match command {
        Command::Run(options) => run::run(options),
        Command::Verify { run, json } => verify::verify(&run, json),
        Command::Stable(options) => stable::stable(options),
        Command::Measure { run, out, force, json } => {
            measure::measure(&run, out.as_deref(), force, json)
        }
        Command::Compact(options) => compact::compact(options),
        Command::Render(options) => render::render(options),
        Command::View { run, out, force } => view::view(&run, out.as_deref(), force),
        Command::Check { scene, changes } => files::check(&scene, &changes),
        Command::Scenes { name } => files::scenes(name.as_deref()),
        Command::Export { run, out, frame, every, force } => {
            output::check(&out, force, &[&run])?;
            let beside = riprap::export::beside(&out);
            beside.files.iter().try_for_each(|file| output::check(file, force, &[&run]))?;
            beside.folder.iter().try_for_each(|at| output::check_folder(at, force, &[&run]))?;
            files::export(&run, &out, frame.as_deref(), every)
        }
        Command::Schema => {
            let schema = serde_json::to_string_pretty(&riprap::scene::schema());
            print(&format!("{}\n", schema.expect("a schema is plain JSON")))
        }
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "riprap", &mut text);
            print(&String::from_utf8_lossy(&text))
        }
    }
}

/// Prints to standard output; a reader that has gone away (`| head`) is no error.
pub fn print(text: &str) -> Result<Done> {
    // Names in a file may be anybody's.
    let text = riprap::problem::plain(text);
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Problem::new(format!("cannot write to standard output: {e}")))
        }
        _ => Ok(Done::Yes),
    }
}
