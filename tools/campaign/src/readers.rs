//! Mutated files of every reader, in this process: nothing panics, nothing takes long. Half of the run
//! files have their checksums repaired, so that what is behind them is read, too.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use riprap::{Layout, Mesh, Random, Reader, Scene, gallery};

use crate::{Trial, settle};

/// A file that takes longer than this to be read is a hang.
const HANG: Duration = Duration::from_secs(10);

const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"90mm\" height=\"50mm\" viewBox=\"0 0 90 50\">\
<g id=\"layer\" transform=\"rotate(10 5 5)\"><rect id=\"a\" x=\"1\" y=\"2\" width=\"9\" height=\"7\" rx=\"1\"/>\
<path id=\"b\" d=\"M30 10 C 35 5 40 15 45 10 A 3 4 20 0 1 45 20 L 30 20 Z\" style=\"fill:none\"/></g>\
<use href=\"#a\" x=\"50\"/><polygon points=\"60,30 70,30 65,40\"/><circle cx=\"80\" cy=\"20\" r=\"4\"/></svg>";
const DXF: &str = "0\nSECTION\n2\nENTITIES\n0\nLWPOLYLINE\n8\ncut\n90\n4\n70\n1\n10\n0\n20\n0\n42\n0.5\n10\n9\n20\n0\n\
10\n9\n20\n5\n10\n0\n20\n5\n0\nCIRCLE\n8\ncut\n10\n20\n20\n5\n40\n3\n0\nARC\n8\ncut\n10\n30\n20\n5\n40\n3\n50\n0\n51\n180\n\
0\nLINE\n8\ncut\n10\n27\n20\n5\n11\n33\n21\n5\n0\nENDSEC\n0\nEOF\n";
const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.2 0.2 0.2\nf 1 3 2\nf 1 2 4\nf 2 3 5\nf 3 4 5\nf 4 2 5\nf 3 1 4\n";
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty double x\nproperty double y\nproperty double z\n\
element face 4\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";
const STL: &str = "solid a\nfacet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\nendsolid a\n";
const CSV: &str = "x,y,z,radius,mass\n1,1,1,0.3,2\n2,2,1.5,0.4,1\n3,1,2,0.2,1e-3\n";
const XYZ: &str =
    "3\nProperties=species:S:1:pos:R:3:radius:R:1\nA 1 1 1 0.3\nA 2 2 1.5 0.4\nB 3 1 2 0.2\n";
const DUMP: &str = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS ff ff ff\n0 5\n0 5\n0 5\n\
ITEM: ATOMS id type x y z radius mass\n1 1 1 1 1 0.3 2\n2 1 2 2 1.5 0.4 1\n";

const KINDS: [&str; 11] =
    ["scene", "run", "run", "run", "obj", "ply", "stl", "svg", "dxf", "json", "particles"];

pub fn trial(seed: u64, scratch: &Path) -> Trial {
    let kind = KINDS[(seed % KINDS.len() as u64) as usize];
    let random = &mut Random::new(seed);
    let (name, original) = original(kind, seed, scratch);
    let mut bytes = original.clone();
    let mut notes = Vec::new();
    for _ in 0..1 + (random.unit() * 4.0) as usize {
        mutate(&mut bytes, kind, random);
    }
    if kind == "run" && random.unit() < 0.7 {
        repair(&mut bytes);
        notes.push("runs with repaired checksums");
    }
    let started = Instant::now();
    let read = catch_unwind(AssertUnwindSafe(|| read(kind, &name, &bytes, scratch)));
    let fault = match &read {
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no words");
            Some(format!("panic: {text}"))
        }
        Ok(_) if started.elapsed() > HANG => Some(format!("{:?} to read", started.elapsed())),
        Ok(_) => None,
    };
    if read.is_ok_and(|is_read| is_read) {
        notes.push("read without a problem");
    }
    let ending = match kind {
        "scene" => "toml",
        "run" => "riprap",
        "particles" => "txt",
        other => other,
    };
    Trial { class: kind.into(), fault, input: (bytes, ending), notes }
}

/// A file that is fine.
fn original(kind: &str, seed: u64, scratch: &Path) -> (String, Vec<u8>) {
    let text = |name: &str, text: &str| (name.to_string(), text.as_bytes().to_vec());
    match kind {
        "scene" => {
            let names: Vec<&str> = gallery::names().collect();
            let name = names[(seed / 11) as usize % names.len()];
            text(name, gallery::find(name).unwrap_or_default())
        }
        "run" => {
            let scene = ["stack", "box-3", "hourglass-2d", "diamond-3"][(seed / 11 % 4) as usize];
            let file = scratch.join(format!("{scene}.riprap"));
            if !file.exists() {
                let scene = gallery::scene(scene).expect("a scene of the gallery");
                settle::run(&scene, &file).expect("a scene of the gallery runs");
            }
            ("a.riprap".into(), std::fs::read(file).unwrap_or_default())
        }
        "obj" => text("a.obj", OBJ),
        "ply" => text("a.ply", PLY),
        "stl" => text("a.stl", STL),
        "svg" => text("a.svg", SVG),
        "dxf" => text("a.dxf", DXF),
        "json" => {
            let layout = Layout::from_bytes(Path::new("a.svg"), SVG.as_bytes(), None);
            let file = scratch.join("a.json");
            let written = layout.and_then(|layout| layout.write(&file, None));
            written.expect("a layout can be written");
            ("a.json".into(), std::fs::read(file).unwrap_or_default())
        }
        _ => match seed / 11 % 3 {
            0 => text("a.csv", CSV),
            1 => text("a.xyz", XYZ),
            _ => text("a.dump", DUMP),
        },
    }
}

/// Numbers that have broken readers before.
const NUMBERS: [&str; 14] = [
    "-1",
    "0",
    "1e308",
    "-1e308",
    "1e-320",
    "nan",
    "inf",
    "4294967295",
    "4294967296",
    "1e9",
    "18446744073709551615",
    "9007199254740993",
    "1e30",
    "",
];

/// Changes a few bytes, a number, or the order of parts.
fn mutate(bytes: &mut Vec<u8>, kind: &str, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let mut place = |length: usize| (random.unit() * length as f64) as usize;
    let at = place(bytes.len());
    let until = (at + 1 + place(40)).min(bytes.len());
    match place(7) {
        0 => bytes[at] = place(256) as u8,
        1 => bytes[at] ^= 1 << place(8),
        2 => drop(bytes.drain(at..until)),
        3 => {
            let copy = bytes[at..until].to_vec();
            let to = place(bytes.len());
            bytes.splice(to..to, copy);
        }
        4 => bytes.truncate(at),
        _ if kind != "run" => {
            // The next number, or what looks like one.
            let is_digit = |b: &u8| b.is_ascii_digit();
            let Some(start) = bytes[at..].iter().position(is_digit) else { return };
            let start = at + start;
            let end = bytes[start..].iter().position(|b| !(is_digit(b) || *b == b'.'));
            let end = end.map_or(bytes.len(), |end| start + end);
            bytes.splice(start..end, NUMBERS[place(NUMBERS.len())].bytes());
        }
        _ => {
            let end = (at + 8).min(bytes.len());
            let value =
                [0, 1, u64::MAX, f64::NAN.to_bits(), 1e308_f64.to_bits(), 1 << 40][place(6)];
            bytes[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
        }
    }
}

/// Writes the checksums of a run file anew, as far as its records can be told apart (FORMAT.md).
fn repair(bytes: &mut [u8]) {
    if bytes.len() < 16 {
        return;
    }
    let sum = crc32fast::hash(&bytes[..12]).to_le_bytes();
    bytes[12..16].copy_from_slice(&sum);
    let mut at = 16;
    while at + 20 <= bytes.len() {
        let length = u64::from_le_bytes(bytes[at + 4..at + 12].try_into().unwrap_or_default());
        let Some(end) = usize::try_from(length).ok().and_then(|n| (at + 20).checked_add(n)) else {
            return;
        };
        if end > bytes.len() {
            return;
        }
        let payload = crc32fast::hash(&bytes[at + 20..end]).to_le_bytes();
        bytes[at + 12..at + 16].copy_from_slice(&payload);
        let head = crc32fast::hash(&bytes[at..at + 16]).to_le_bytes();
        bytes[at + 16..at + 20].copy_from_slice(&head);
        at = end;
    }
}

/// Reads it, as far as it goes; whether all of it could be read.
fn read(kind: &str, name: &str, bytes: &[u8], scratch: &Path) -> bool {
    let path = scratch.join(name);
    match kind {
        "scene" => {
            let text = String::from_utf8_lossy(bytes);
            Scene::from_text(&text, &path).is_ok()
        }
        "run" => {
            if std::fs::write(&path, bytes).is_err() {
                return false;
            }
            let Ok(reader) = Reader::open(&path) else { return false };
            let frames = reader.frames().all(|frame| frame.is_ok());
            frames && riprap::verify(&reader).is_ok_and(|verdict| verdict.ok)
        }
        "obj" | "ply" | "stl" => {
            Mesh::from_bytes(&path, bytes).is_ok_and(|mesh| riprap::Shape::from_mesh(&mesh).is_ok())
        }
        "svg" | "dxf" | "json" => Layout::from_bytes(&path, bytes, None).is_ok(),
        _ => {
            if std::fs::write(&path, bytes).is_err() {
                return false;
            }
            let text = format!(
                "[container]\nshape = \"box\"\nmin = [0, 0, 0]\nmax = [5, 5, 5]\n[[bodies]]\nfile = \"{name}\"\n"
            );
            let scene = Scene::from_text(&text, &scratch.join("particles.toml"));
            scene.and_then(|scene| riprap::build(&scene)).is_ok()
        }
    }
}
