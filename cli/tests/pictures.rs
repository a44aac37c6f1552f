//! Pictures, movies, pages and plots from the command line: what is written,
//! and what is refused (status 2, a clear message, nothing left behind).

mod common;

use common::Shell;
use riprap::scene::gallery;
use riprap::trajectory::Writer;
use riprap::world::build;

/// A folder with a small finished run of a 3D scene, `stack.riprap`.
fn finished() -> Shell {
    let shell = Shell::new();
    shell.riprap("run stack").ok();
    shell
}

/// The names of all files in the folder, sorted.
fn files(shell: &Shell) -> Vec<String> {
    let entries = std::fs::read_dir(shell.path(".")).unwrap();
    let name = |entry: std::fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

/// Refused, with a message that contains all of these, and without a trace.
fn refused(shell: &Shell, line: &str, parts: &[&str]) {
    let before = files(shell);
    let message = shell.riprap(line).refused();
    for part in parts {
        assert!(message.contains(part), "`{line}` does not say `{part}`:\n{message}");
    }
    assert_eq!(files(shell), before, "`{line}` left something behind");
}

/// A PNG's width and height stand at fixed places.
fn png_size(bytes: &[u8]) -> (u32, u32) {
    assert!(bytes.starts_with(b"\x89PNG"));
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
fn one_command_makes_a_picture_a_movie_or_a_page() {
    let shell = finished();
    shell.riprap("render stack.riprap -o a.png --size 33x18 --samples 1").ok();
    assert_eq!(png_size(&shell.read("a.png")), (33, 18));
    let line = "render stack.riprap -o a.gif --size 32x24 --samples 1 --fps 4 --seconds 1";
    shell.riprap(line).ok();
    assert!(shell.read("a.gif").starts_with(b"GIF89a"));
    shell.riprap("render stack.riprap -o a.svg").ok();
    assert!(shell.read("a.svg").starts_with(b"<svg"));
    shell.riprap("view stack.riprap -o a.html").ok();
    assert!(shell.read("a.html").starts_with(b"<!doctype html>"));
    assert_eq!(files(&shell), ["a.gif", "a.html", "a.png", "a.svg", "stack.riprap"]);
}

/// H.264 has even sizes only, so an odd one grows by a pixel, and the program says so.
#[cfg(feature = "movie")]
#[test]
fn odd_movies_are_made_even() {
    let shell = finished();
    let line = "render stack.riprap -o a.mp4 --size 33x17 --samples 1 --fps 2 --seconds 1";
    let done = shell.riprap(line).ok();
    assert!(done.err.contains("a.mp4: 34x18, 2 pictures"), "{}", done.err);
    assert_eq!(&shell.read("a.mp4")[4..8], b"ftyp");
}

#[test]
fn measures_are_printed_and_plotted() {
    let shell = finished();
    let text = shell.riprap("measure stack.riprap -o sheet.svg").ok().out;
    for word in ["stack: at rest", "height", "packing", "coordination", "largest force"] {
        assert!(text.contains(word), "{text}");
    }
    let sheet = String::from_utf8(shell.read("sheet.svg")).unwrap();
    for title in ["stack: energy", "stack: time by part", "stack: contact forces"] {
        assert!(sheet.contains(title), "{sheet}");
    }
    shell.riprap("measure stack.riprap -o plots").ok();
    for name in ["energy", "time", "forces"] {
        assert!(shell.read(&format!("plots/{name}.svg")).starts_with(b"<svg"));
    }

    let json = shell.json("measure stack.riprap --json");
    let contacts = json["contacts"].as_u64().unwrap();
    let count = |key: &str| json["forces"][key].as_u64().unwrap();
    assert_eq!(count("between_bodies") + count("with_container"), contacts);
    let packing = json["packing_fraction"].as_f64().unwrap();
    assert!(packing > 0.0 && packing < 0.75, "{packing}: no denser than any packing can be");
    let (top, mass) = (json["height"].as_f64(), json["height_of_mass"].as_f64());
    assert!(top > mass && mass > Some(0.0), "{json}");
}

#[test]
fn an_unfinished_run_is_measured_without_forces() {
    let shell = Shell::new();
    assert_eq!(shell.riprap("run stack --max-steps 1").status, Some(1));
    let done = shell.riprap("measure stack.riprap -o plots").ok();
    assert!(done.out.contains("NOT done") && !done.out.contains("force"), "{}", done.out);
    assert!(!shell.path("plots/forces.svg").exists());
    assert!(shell.json("measure stack.riprap --json")["forces"].is_null());
}

/// Nothing that is asked for is ignored.
#[test]
fn options_that_a_file_has_no_use_for_are_refused() {
    let shell = finished();
    for option in ["--camera 1,2,3", "--look-at 1,2,3", "--up 0,0,1", "--size 64x48", "--fps 9"] {
        let name = option.split(' ').next().unwrap();
        let parts = [&format!("{name} has no effect on a .svg") as &str, ".gif"];
        refused(&shell, &format!("render stack.riprap -o a.svg {option}"), &parts);
    }
    for option in ["--strip 3", "--forces", "--labels", "--seconds 2", "--there-and-back"] {
        let name = option.split(' ').next().unwrap();
        let message = format!("{name} has no effect on a .png");
        refused(&shell, &format!("render stack.riprap -o a.png {option}"), &[&message]);
    }
    shell.riprap("render stack.riprap -o a.svg --colour displacement --background 0080ff").ok();
    let coloured = std::fs::read_to_string(shell.path("a.svg")).unwrap();
    shell.riprap("render stack.riprap -o b.svg --background 0080ff").ok();
    let usual = std::fs::read_to_string(shell.path("b.svg")).unwrap();
    assert!(coloured.contains("#0080ff") && usual.contains("#0080ff") && coloured != usual);
    refused(&shell, "render stack.riprap -o c.svg --colour speed", &["bodies have no speed"]);
}

#[test]
fn impossible_frames_sizes_and_endings() {
    let shell = finished();
    let render = |more: &str, parts: &[&str]| {
        refused(&shell, &format!("render stack.riprap {more}"), parts);
    };
    render("-o a.png --frame 9999", &["there is no frame 9999", "counted from 0"]);
    render("-o a.png --frame soon", &["`soon`", "`last`"]);
    render("-o a.png --frame -1", &["error: "]);
    render("-o a.gif --frame 1", &["frame 1 alone makes no .gif", ".png"]);
    for size in ["0x0", "100000x100000", "16384x16384", "0x480"] {
        for ending in ["png", "gif", "mp4"] {
            let parts = [size, "is impossible"];
            render(&format!("-o a.{ending} --size {size}"), &parts);
        }
    }
    render("-o a.png --size 640", &["--size", "640x480"]);
    render("-o a.png --size=-4x-4", &["--size", "640x480"]);
    render("-o a.png --samples 0", &["--samples"]);
    render("-o a.gif --fps 100", &["100 pictures per second"]);
    render("-o a.gif --seconds 0", &["a movie of 0 seconds"]);
    render("-o a.avi", &["a.avi", ".png", ".mp4", ".gif"]);
    render("-o picture", &["picture", ".png"]);
    render("-o no/such/folder/a.png --size 8x8 --samples 1", &["no/such/folder/a.png"]);
    refused(&shell, "view stack.riprap -o no/such/folder/a.html", &["no/such/folder/a.html"]);
    refused(&shell, "measure stack.riprap -o a.png", &["a.png", ".svg"]);
    refused(&shell, "measure stack.riprap -o no/such/a.svg", &["no/such/a.svg"]);
    refused(&shell, "measure stack.riprap -o stack.riprap/plots", &["stack.riprap/plots"]);
}

/// Everything that makes a picture of a run.
const LINES: [&str; 5] = [
    "render RUN -o a.png",
    "render RUN -o a.gif",
    "render RUN -o a.svg",
    "view RUN -o a.html",
    "measure RUN -o a.svg",
];

#[test]
fn files_that_are_no_runs() {
    let shell = finished();
    let whole = shell.read("stack.riprap");
    shell.write("foreign.riprap", "PK\x03\x04 something else altogether");
    shell.write("empty.riprap", "");
    shell.write("torn.riprap", &whole[..60]);
    for name in ["foreign.riprap", "empty.riprap", "torn.riprap", "missing.riprap"] {
        for line in LINES {
            refused(&shell, &line.replace("RUN", name), &[name]);
        }
    }
}

#[test]
fn a_run_without_frames_is_not_drawn() {
    let shell = Shell::new();
    for scene in ["stack", "hourglass-2d"] {
        let (model, _) = build(&gallery::scene(scene).unwrap()).unwrap();
        let path = shell.path(&format!("{scene}.riprap"));
        drop(Writer::create(&path, false, &model, "", &["near"]).unwrap());
    }
    for line in LINES {
        let run = if line.contains("render RUN -o a.svg") { "hourglass-2d" } else { "stack" };
        refused(&shell, &line.replace("RUN", &format!("{run}.riprap")), &["no frames"]);
    }
}

/// A run file cut short anywhere is drawn up to the cut, or refused.
#[test]
fn a_run_cut_short_is_drawn_as_far_as_it_goes() {
    let shell = finished();
    let whole = shell.read("stack.riprap");
    shell.write("cut.riprap", &whole[..whole.len() * 3 / 4]);
    shell.riprap("render cut.riprap -o a.png --size 16x16 --samples 1").ok();
    shell.riprap("view cut.riprap -o a.html").ok();
    let done = shell.riprap("measure cut.riprap").ok();
    assert!(done.out.contains("NOT done"), "{}", done.out);
}
