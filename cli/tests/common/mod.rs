//! Driving the command line from tests. Each test file uses a part of it.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A folder of its own for every test; all commands run in it.
pub struct Shell {
    folder: tempfile::TempDir,
}

/// What a command did.
pub struct Done {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Shell {
    pub fn new() -> Self {
        Shell { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), contents).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// The program, to be run in the folder.
    pub fn command(&self, program: &Path, line: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).args(line.split_whitespace());
        command
    }

    /// Runs `riprap` with these arguments.
    pub fn riprap(&self, line: &str) -> Done {
        self.run(Path::new(env!("CARGO_BIN_EXE_riprap")), line)
    }

    pub fn run(&self, program: &Path, line: &str) -> Done {
        let Output { status, stdout, stderr } = self.command(program, line).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).expect("output is text");
        Done { status: status.code(), out: text(stdout), err: text(stderr) }
    }

    /// The JSON that a command prints, which must be all that it prints.
    pub fn json(&self, line: &str) -> Value {
        let done = self.riprap(line);
        assert_eq!(done.err, "", "{line}");
        serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{line}: {e}\n{}", done.out))
    }
}

impl Done {
    /// A command that ended well.
    pub fn ok(self) -> Self {
        assert_eq!(self.status, Some(0), "{}{}", self.out, self.err);
        self
    }

    /// A refused command: status 2, nothing on standard output, a readable
    /// message on standard error. Gives the message.
    pub fn refused(self) -> String {
        assert_eq!(self.status, Some(2), "{}{}", self.out, self.err);
        assert_eq!(self.out, "");
        assert!(self.err.starts_with("error: "), "{}", self.err);
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self.err
    }
}
