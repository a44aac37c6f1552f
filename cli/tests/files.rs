//! The commands that read one thing and write another.

mod common;

use common::Shell;
use serde_json::Value;

#[test]
fn check_says_what_it_found() {
    let shell = Shell::new();
    let line = shell.riprap("check hourglass-2d").ok().out;
    assert_eq!(
        line,
        "hourglass-2d: fine. 10 bodies in 1 groups, 10 of them free to move, a container of 12 \
         faces, 2D, method settle.\n"
    );
    let line = shell.riprap("check mobile").ok().out;
    assert!(line.contains("127 joints") && line.contains("method dynamics"), "{line}");
}

/// One scene can be asked another question; what that has no use for is named.
#[test]
fn check_asks_other_questions() {
    let shell = Shell::new();
    let message = shell.riprap("check arch --method settle").refused();
    assert!(message.contains("would fall for ever"), "{message}");
    let vessel = "--set container={shape=\"box\",min=[-9,-9],max=[9,9]}";
    let line = shell.riprap(&format!("check arch --method settle {vessel}")).ok().out;
    assert!(line.contains("method settle"), "{line}");
    assert!(line.contains("the method settle does not use `bodies.friction`"), "{line}");
    let message = shell.riprap("check mobile --method settle").refused();
    assert!(message.contains("`bodies.structure.mobile` is not taken by the method settle"));
    let message = shell.riprap("check arch --method melt").refused();
    assert!(message.contains("settle, collapse, dynamics, compact"), "{message}");
    let line = shell.riprap("check arch --set bodies.0.tower.stones=7").ok().out;
    assert!(line.contains("9 bodies"), "seven stones on two supports: {line}");
    let message = shell.riprap("check arch --set bodies.0.tower.stone=7").refused();
    assert!(message.contains("did you mean `stones`"), "{message}");
}

#[test]
fn the_gallery_is_listed_and_printed() {
    let shell = Shell::new();
    let list = shell.riprap("scenes").ok().out;
    for name in ["box-3", "hourglass", "stack", "lone-sphere"] {
        assert!(list.lines().any(|line| line.split_whitespace().next() == Some(name)), "{list}");
        let text = shell.riprap(&format!("scenes {name}")).ok().out;
        assert!(text.contains(&format!("name = \"{name}\"")), "{text}");
    }
}

#[test]
fn the_schema_is_json() {
    let schema: Value = serde_json::from_str(&Shell::new().riprap("schema").ok().out).unwrap();
    assert!(schema["$schema"].is_string() && schema["properties"]["container"].is_object());
}

#[test]
fn completions_for_every_shell() {
    let shell = Shell::new();
    let bash = shell.riprap("completions bash").ok().out;
    assert!(bash.contains("complete -F _riprap") && bash.contains("--max-steps"), "{bash}");
    for name in ["zsh", "fish", "powershell", "elvish"] {
        assert!(shell.riprap(&format!("completions {name}")).ok().out.contains("riprap"));
    }
}

#[test]
fn help_names_every_command() {
    let help = Shell::new().riprap("--help").ok().out;
    for command in [
        "run",
        "verify",
        "measure",
        "render",
        "view",
        "check",
        "scenes",
        "export",
        "schema",
        "completions",
    ] {
        assert!(help.contains(&format!("\n  {command} ")), "{help}");
    }
    assert!(Shell::new().riprap("--version").ok().out.starts_with("riprap "));
}

#[test]
fn exports_have_one_block_per_frame() {
    let shell = Shell::new();
    let steps = shell.json("run stack --json")["steps"].as_u64().unwrap() as usize;
    shell.riprap("export stack.riprap -o a.xyz").ok();
    let xyz = String::from_utf8(shell.read("a.xyz")).unwrap();
    assert_eq!(xyz.lines().filter(|line| *line == "5").count(), steps + 1);
    assert_eq!(xyz.lines().count(), 7 * (steps + 1));
    let comment = xyz.lines().nth(1).unwrap();
    assert!(comment.contains("Properties=") && comment.contains("pos:R:3"), "{comment}");
    assert!(comment.contains("radius:R:1"), "{comment}");

    shell.riprap("export stack.riprap -o a.csv").ok();
    let csv = String::from_utf8(shell.read("a.csv")).unwrap();
    assert!(csv.lines().next().unwrap().contains("frame"), "{csv}");
    assert_eq!(csv.lines().filter(|line| !line.starts_with('#')).count(), 1 + 5 * (steps + 1));

    shell.riprap("export stack.riprap -o a.npz").ok();
    assert!(shell.read("a.npz").starts_with(b"PK"));
}

#[test]
fn one_frame_can_be_exported() {
    let shell = Shell::new();
    shell.riprap("run stack").ok();
    shell.riprap("export stack.riprap -o last.xyz --frame last").ok();
    assert_eq!(String::from_utf8(shell.read("last.xyz")).unwrap().lines().count(), 7);
    shell.riprap("export stack.riprap -o first.csv --frame 0").ok();
    let message = shell.riprap("export stack.riprap -o x.xyz --frame 9999").refused();
    assert!(message.contains("9999"), "{message}");
    let message = shell.riprap("export stack.riprap -o x.xyz --frame soon").refused();
    assert!(message.contains("soon"), "{message}");
    let message = shell.riprap("export stack.riprap -o last.xyz").refused();
    assert!(message.contains("exists already") && message.contains("--force"), "{message}");
    shell.riprap("export stack.riprap -o last.xyz --force").ok();
    let message = shell.riprap("export stack.riprap -o stack.riprap --force").refused();
    assert!(message.contains("this would overwrite what it is made from"), "{message}");
    // By another name of the same file, too.
    std::fs::hard_link(shell.path("stack.riprap"), shell.path("other.csv")).unwrap();
    let message = shell.riprap("export stack.riprap -o other.csv --force").refused();
    assert!(message.contains("this would overwrite what it is made from"), "{message}");
    let message = shell.riprap("export stack.riprap -o x.docx").refused();
    assert!(message.contains("docx") && message.contains(".xyz"), "{message}");
}

/// `riprap scenes | head -1` ends quietly.
#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let shell = Shell::new();
    let line =
        format!("{} scenes | head -c 1; exit ${{PIPESTATUS[0]}}", env!("CARGO_BIN_EXE_riprap"));
    let output = std::process::Command::new("bash").args(["-c", &line]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    drop(shell);
}

/// Neither pipes nor devices are overwritten, by force or not; nor is a link that leads nowhere.
#[cfg(unix)]
#[test]
fn only_files_are_overwritten() {
    let shell = Shell::new();
    shell.riprap("run stack").ok();
    let pipe = shell.path("pipe.html");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for out in ["pipe.html", "/dev/null", "."] {
        for command in ["run stack", "view stack.riprap", "render stack.riprap"] {
            let message = shell.riprap(&format!("{command} -o {out} --force")).refused();
            assert!(message.contains("that is no file"), "{command}: {message}");
        }
    }
    std::os::unix::fs::symlink("nowhere", shell.path("link.html")).unwrap();
    for command in ["run stack", "view stack.riprap", "export stack.riprap"] {
        let message = shell.riprap(&format!("{command} -o link.html")).refused();
        assert!(message.contains("exists already"), "{command}: {message}");
    }
}

/// What a file says is shown, but a terminal does not obey it.
#[test]
fn control_characters_are_not_printed() {
    let shell = Shell::new();
    shell.write("red.toml", "gravity = \u{1b}[31m\u{7}\n");
    shell.write("red.obj", "v \u{1b}[31m 1 2\n");
    shell.write("mesh.toml", "[container]\nshape = \"mesh\"\nfile = \"red.obj\"\n[[bodies]]\nradius = 1\nposition = [0, 0, 0]\n");
    for scene in ["red.toml", "mesh.toml"] {
        let message = shell.riprap(&format!("check {scene}")).refused();
        assert!(message.contains("[31m") && !message.contains('\u{1b}'), "{message:?}");
    }
}

/// Nothing beside the named file is overwritten, either: neither folders nor files of several.
#[test]
fn what_is_written_beside_is_asked_about_too() {
    let shell = Shell::new();
    shell.riprap("run stack").ok();
    std::fs::create_dir(shell.path("x_pvd")).unwrap();
    shell.write("x_pvd/forces.vtp", "mine");
    let message = shell.riprap("export stack.riprap -o x.pvd").refused();
    assert!(message.contains("folder exists already") && message.contains("x_pvd"), "{message}");
    assert_eq!(shell.read("x_pvd/forces.vtp"), b"mine");
    shell.riprap("export stack.riprap -o x.pvd --force").ok();
    shell.write("y_forces.vtp", "mine");
    let message = shell.riprap("export stack.riprap -o y.vtp").refused();
    assert!(message.contains("y_forces.vtp"), "{message}");
    assert_eq!(shell.read("y_forces.vtp"), b"mine");
    std::fs::create_dir(shell.path("plots")).unwrap();
    shell.write("plots/time.svg", "mine");
    let message = shell.riprap("measure stack.riprap -o plots").refused();
    assert!(message.contains("time.svg"), "{message}");
    assert!(!shell.path("plots/energy.svg").exists());
}

/// Two outputs of one command that are one file, spelled differently.
#[test]
fn outputs_are_different_files() {
    let shell = Shell::new();
    let same = "two outputs would be the same file";
    let message = shell.riprap("stable tower-5x5 -o s.svg --polar ./s.svg --tilt").refused();
    assert!(message.contains(same), "{message}");
    let layout = riprap::layout::Layout::loose_polygons(3, 5, 5).unwrap();
    layout.write(&shell.path("l.svg"), None).unwrap();
    for force in ["", " --force"] {
        let line = format!("compact l.svg -o same.svg --run ./same.svg{force}");
        assert!(shell.riprap(&line).refused().contains(same));
    }
    assert!(!shell.path("same.svg").exists() && !shell.path("s.svg").exists());
}
