//! Bad usage and bad input: exit status 2, nothing on standard output, and a
//! message that says what is wrong and what would be right. Never a panic.

mod common;

use common::Shell;

/// Refused, with a message that contains all of these.
fn refused(shell: &Shell, line: &str, parts: &[&str]) {
    let message = shell.riprap(line).refused();
    for part in parts {
        assert!(message.contains(part), "`{line}` does not say `{part}`:\n{message}");
    }
}

#[test]
fn unknown_scenes_and_missing_files() {
    let shell = Shell::new();
    for command in ["run", "check", "scenes"] {
        refused(
            &shell,
            &format!("{command} hour-glass"),
            &["`hour-glass`", "did you mean `hourglass`"],
        );
    }
    refused(&shell, "run missing.toml", &["missing.toml", "No such file"]);
    refused(&shell, "check some/where.json", &["some/where.json", "No such file"]);
    refused(&shell, "verify missing.riprap", &["missing.riprap", "No such file"]);
    refused(&shell, "export missing.riprap -o a.xyz", &["missing.riprap", "No such file"]);
    refused(&shell, "run box-3 --resume", &["box-3.riprap", "No such file"]);
    refused(&shell, "run .", &["error: "]);
}

#[test]
fn bad_usage() {
    let shell = Shell::new();
    refused(&shell, "run box-3 --threads 0", &["--threads", "0"]);
    refused(&shell, "run box-3 --max-steps some", &["--max-steps", "some"]);
    refused(&shell, "run box-3 --seed -1", &["error: "]);
    refused(&shell, "run box-3 --fast", &["--fast"]);
    refused(&shell, "run", &["<SCENE>"]);
    refused(&shell, "jump", &["jump"]);
    refused(&shell, "completions cmd", &["cmd", "bash"]);
    refused(&shell, "export a.riprap", &["--out"]);
}

#[test]
fn bad_scenes_are_pointed_at() {
    let shell = Shell::new();
    let good = "container = { shape = \"box\", min = [0, 0, 0], max = [4, 4, 4] }\n\
                [[bodies]]\npositions = [[2, 2, 2]]\nradius = 0.5\n";
    shell.write("good.toml", good);
    shell.riprap("check good.toml").ok();
    let bad = |name: &str, old: &str, new: &str, parts: &[&str]| {
        shell.write(name, good.replace(old, new));
        refused(&shell, &format!("check {name}"), parts);
        refused(&shell, &format!("run {name}"), parts);
    };
    bad("field.toml", "radius", "raduis", &["--> field.toml:4:1", "did you mean `radius`"]);
    bad("value.toml", "0.5", "-0.5", &["--> value.toml:4:10", "-0.5"]);
    bad("out.toml", "2, 2, 2", "2, 2, 3.9", &["--> out.toml:3", "sticks out of the container"]);
    bad("two.toml", "[[2, 2, 2]]", "[[2, 2, 2], [2, 2, 2.5]]", &["overlap by 0.5"]);
    bad("syntax.toml", "[[bodies]]", "[[bodies]", &["--> syntax.toml:2"]);
    shell.write("bytes.toml", [0xff, 0xfe, 0x00]);
    refused(&shell, "run bytes.toml", &["bytes.toml"]);
    shell.write("empty.toml", "");
    refused(&shell, "run empty.toml", &["empty.toml", "bodies"]);
    assert!(!shell.path("field.riprap").exists(), "no file is left behind");
}

#[test]
fn places_that_cannot_be_written() {
    let shell = Shell::new();
    refused(&shell, "run stack -o no/such/folder/a.riprap", &["no/such/folder/a.riprap"]);
    refused(&shell, "run stack -o . --force", &["error: "]);
    shell.riprap("run stack").ok();
    refused(&shell, "export stack.riprap -o no/such/folder/a.xyz", &["no/such/folder/a.xyz"]);
}

#[test]
fn run_files_that_are_none() {
    let shell = Shell::new();
    shell.riprap("run stack").ok();
    let whole = shell.read("stack.riprap");
    shell.write("foreign.riprap", "PK\x03\x04 something else altogether");
    shell.write("empty.riprap", "");
    shell.write("torn.riprap", &whole[..60]);
    let mut newer = whole.clone();
    newer[8..16].fill(0xff);
    shell.write("newer.riprap", newer);
    for name in ["foreign", "empty", "torn", "newer"] {
        for line in [
            "export NAME.riprap -o a.xyz",
            "verify NAME.riprap",
            "run stack --resume -o NAME.riprap",
        ] {
            let line = line.replace("NAME", name);
            refused(&shell, &line, &[&format!("{name}.riprap")]);
        }
    }
    assert!(!shell.path("a.xyz").exists(), "no file is left behind");
}

/// Whatever happens to a byte of a run file, nothing panics.
#[test]
fn damaged_run_files() {
    let shell = Shell::new();
    shell.riprap("run stack").ok();
    let whole = shell.read("stack.riprap");
    for k in 0..24 {
        let mut damaged = whole.clone();
        let at = whole.len() * k / 24;
        damaged[at] ^= 0x55;
        shell.write("damaged.riprap", damaged);
        for line in
            ["export damaged.riprap -o b.csv --force", "run stack --resume -o damaged.riprap"]
        {
            let done = shell.riprap(line);
            assert!(done.status.is_some_and(|code| code <= 2), "byte {at}: {}", done.err);
            assert!(!done.err.contains("panicked"), "byte {at}: {}", done.err);
        }
    }
}
