//! The programs in examples/ do what they say: each ends with what it asserts.

use std::path::Path;
use std::process::Command;

/// Those that teach; `bits` is for [`crate::determinism`].
const PROGRAMS: [&str; 4] =
    ["hinge_by_hand", "packing_to_numpy", "settle_in_code", "stack_and_stable"];

/// `cargo test` puts examples beside the tests.
#[test]
fn every_example_ends_well() {
    let own = std::env::current_exe().unwrap();
    let folder = own.ancestors().nth(2).unwrap().join("examples");
    let scratch = tempfile::tempdir().unwrap();
    for name in PROGRAMS {
        let program = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
        if !program.is_file() {
            eprintln!(
                "\n*** SKIPPED: every_example_ends_well needs `cargo build --examples` ***\n"
            );
            return;
        }
        let mut command = Command::new(program);
        if name == "packing_to_numpy" {
            command.arg(scratch.path().join("packing.npz"));
        }
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].map(|b| String::from_utf8_lossy(&b).into_owned());
        assert!(output.status.success(), "{name}: {said:?}");
    }
}

#[test]
fn every_program_is_in_the_list() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> =
        names.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    names.retain(|name| name != "bits");
    names.sort();
    assert_eq!(names, PROGRAMS);
}
