//! A run that is killed or interrupted leaves a valid file, and goes on to the
//! same bits.
#![cfg(unix)]

mod common;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::Shell;
use riprap::trajectory::Reader;
use serde_json::Value;

/// Long enough to be caught in the middle: several hundred small steps.
const SCENE: &str = r#"
name = "slow"
seed = 2
[container]
shape = "profile"
corners = [[0, 3], [3, 3], [5, 0.8], [6, 0.8], [8, 3], [13, 3]]
sides = 9
[[bodies]]
random = { count = 60, min = [-3, -3, 7] }
radius = { uniform = [0.3, 0.5] }
[settle]
reach_radii = 0.3
"#;

/// The scene, and what its run ends with when nothing disturbs it.
fn undisturbed() -> (Shell, Value) {
    let shell = Shell::new();
    shell.write("slow.toml", SCENE);
    let json = shell.json("run slow.toml --json -o whole.riprap");
    assert_eq!(json["outcome"], "rest");
    assert!(json["steps"].as_u64().unwrap() > 60, "{json}");
    (shell, json)
}

/// Starts the run and waits until its file has some frames.
fn start(shell: &Shell, out: &str, frames: usize) -> Child {
    let line = format!("run slow.toml --json -o {out}");
    let mut command = shell.command(Path::new(env!("CARGO_BIN_EXE_riprap")), &line);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let waiting = Instant::now();
    while Reader::open(&shell.path(out)).map_or(0, |reader| reader.len()) < frames {
        assert!(waiting.elapsed() < Duration::from_secs(300), "the run does not get going");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

fn frames(shell: &Shell, out: &str) -> usize {
    Reader::open(&shell.path(out)).unwrap().len()
}

#[test]
fn killed_and_resumed() {
    let (shell, whole) = undisturbed();
    for (out, after) in [("early.riprap", 3), ("later.riprap", 55)] {
        let mut child = start(&shell, out, after);
        child.kill().unwrap();
        child.wait().unwrap();
        let reader = Reader::open(&shell.path(out)).unwrap();
        assert!(reader.len() >= after && reader.ending().is_none(), "killed in the middle");
        let resumed = shell.json(&format!("run slow.toml --json --resume -o {out}"));
        assert_eq!((&resumed["hash"], &resumed["steps"]), (&whole["hash"], &whole["steps"]));
        assert_eq!(frames(&shell, out), frames(&shell, "whole.riprap"));
    }
}

#[test]
fn ctrl_c_ends_the_run_cleanly() {
    let (shell, whole) = undisturbed();
    let child = start(&shell, "stopped.riprap", 5);
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["outcome"], "interrupted");
    assert_eq!(json["steps"].as_u64().unwrap() as usize + 1, frames(&shell, "stopped.riprap"));
    let resumed = shell.json("run slow.toml --json --resume -o stopped.riprap");
    assert_eq!((&resumed["hash"], &resumed["steps"]), (&whole["hash"], &whole["steps"]));
}

/// Two processes do not write to one file.
#[test]
fn a_file_in_use_is_refused() {
    let shell = Shell::new();
    shell.write("slow.toml", SCENE);
    let mut child = start(&shell, "busy.riprap", 2);
    for option in ["--force", "--resume"] {
        let message = shell.riprap(&format!("run slow.toml {option} -o busy.riprap")).refused();
        assert!(message.contains("another process is writing to the run file"), "{message}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}
