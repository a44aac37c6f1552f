//! The page in a real browser: it opens from the disk, plays, scrubs, picks,
//! shows forces, and looks as it should. The page tests itself when its address
//! ends in `#selftest`; here its findings are read and its picture compared.
//!
//! `RIPRAP_UPDATE_REFERENCE=1 cargo test -p riprap-viewer --test browser` stores
//! a new picture; look at it before committing it.

#[allow(dead_code)]
#[path = "../src/samples/mod.rs"]
mod samples;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use riprap_viewer::{PageOptions, write_page};
use serde_json::{Value, json};

const REFERENCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference.png");
const SIZE: [u32; 2] = [480, 352];
/// Pictures are compared block by block, so that fonts and edges may differ.
const BLOCK: u32 = 16;
/// How much a block may differ, and all blocks on average, on a scale to 255.
const BLOCK_TOLERANCE: f64 = 48.0;
const MEAN_TOLERANCE: f64 = 6.0;
/// Drawing without a graphics card on a busy machine takes its time.
const PATIENCE: Duration = Duration::from_secs(240);

#[test]
fn the_page_works_in_a_browser() {
    let Some(browser) = find_browser() else {
        // Written past the capture of the test harness: nobody should miss it.
        let _ = std::io::stderr().write_all(b"SKIPPED: 1 browser test (chromium not found)\n");
        return;
    };
    let solid = samples::finished(27, 13);
    let visit = visit(&browser, &solid);
    check_findings(&visit.findings, 12, false);
    check_picture(&visit.picture);

    let flat = samples::flat(12, 9);
    check_findings(&self::visit(&browser, &flat).findings, 8, true);
}

fn find_browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|file| file.is_file())
}

/// What a visit of a page left behind.
struct Visit {
    findings: Value,
    picture: PathBuf,
    _folder: tempfile::TempDir,
}

fn visit(browser: &Path, run: &samples::Run) -> Visit {
    let folder = tempfile::tempdir().unwrap();
    let [page, picture, profile] =
        ["page.html", "picture.png", "profile"].map(|name| folder.path().join(name));
    write_page(&run.reader(), &page, PageOptions::default()).unwrap();
    let [dom, log] = ["dom.html", "log.txt"].map(|name| folder.path().join(name));
    let mut child = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--no-first-run", "--hide-scrollbars"])
        .args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
        .args(["--blink-settings=preferredColorScheme=1", "--force-device-scale-factor=1"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=10000", "--dump-dom"])
        .arg(format!("--window-size={},{}", SIZE[0], SIZE[1]))
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}#selftest", page.display()))
        .stdout(Stdio::from(std::fs::File::create(&dom).unwrap()))
        .stderr(Stdio::from(std::fs::File::create(&log).unwrap()))
        .spawn()
        .unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the browser did not finish within {PATIENCE:?}");
        }
        sleep(Duration::from_millis(50));
    }
    let log = String::from_utf8_lossy(&std::fs::read(log).unwrap()).into_owned();
    // Reading the picture back is slow, says the browser; only the test does it.
    let complaint = |line: &&str| line.contains("CONSOLE") && !line.contains("ReadPixels");
    let complaints: Vec<&str> = log.lines().filter(complaint).collect();
    assert!(complaints.is_empty(), "the console stays empty: {complaints:#?}");
    let dom = String::from_utf8_lossy(&std::fs::read(dom).unwrap()).into_owned();
    Visit { findings: findings(&dom), picture, _folder: folder }
}

/// The JSON that the page's own test left in the page.
fn findings(dom: &str) -> Value {
    assert!(dom.contains("data-ready=\"true\""), "the page is ready");
    let marker = "<script id=\"selftest-result\" type=\"application/json\">";
    let Some((_, after)) = dom.split_once(marker) else {
        let message = dom.split("id=\"message\"").nth(1).and_then(|rest| rest.split("</p>").next());
        panic!("the page did not test itself to the end; its message: {message:?}");
    };
    serde_json::from_str(after.split_once("</script>").unwrap().0).unwrap()
}

fn check_findings(findings: &Value, last: u64, flat: bool) {
    assert_eq!(findings["faults"], json!([]));
    let checks = &findings["checks"];
    let number = |key: &str| checks[key].as_f64().unwrap_or(f64::NAN);
    assert_eq!((number("startFrame"), number("endFrame")), (0.0, last as f64), "{checks}");
    assert!(number("colours") > 50.0, "the picture is not empty: {checks}");
    assert!(number("motionChanges") > 0.1, "bodies move: {checks}");
    let readout = checks["readout"].as_str().unwrap();
    assert!(readout.starts_with(&format!("step {last} polish · energy ")), "{readout}");

    assert_eq!(checks["playing"], true);
    assert!(number("playedTo") >= 1.0, "playing gets on: {checks}");
    assert_eq!(checks["playedTo"], checks["pausedAt"]);
    assert_eq!(number("loopsTo"), 0.0);

    assert_eq!(number("forcesAt"), last as f64, "forces are shown at the end");
    assert_eq!(checks["forcesPressed"], "true");
    assert!(number("forcesChange") > 0.1, "forces are seen: {checks}");
    let ways = checks["colourings"].as_object().unwrap();
    let keys: Vec<&str> = ways.keys().map(String::as_str).collect();
    assert_eq!(keys, ["displacement", "force", "group", "height", "mix"]);
    assert_eq!(ways["group"]["legend"], "beadssteel");
    for key in ["displacement", "force", "height", "mix"] {
        assert!(ways[key]["change"].as_f64().unwrap() > 0.1, "{key} changes colours");
    }

    let card = checks["card"].as_str().expect("the card is open");
    for words in [
        "group",
        "beads",
        "position",
        "radius",
        "0.5",
        "mass",
        "displacement",
        "wall face 0",
        "2.5",
    ] {
        assert!(card.contains(words), "{words} in {card}");
    }
    assert_eq!((&checks["rayFinds"], &checks["cardHidden"]), (&true.into(), &true.into()));
    assert!(number("viewChanges") > 0.1 && number("resetRestores") == 0.0, "{checks}");
    let (turned, moved) = if flat { ("target", "target") } else { ("azimuth", "target") };
    assert_eq!(
        checks["pointer"],
        json!({
            "drag": turned, "rightDrag": moved, "click": "chosen",
            "pinch": "target distance", "wheel": "target distance",
        })
    );
    assert_eq!(
        checks["keys"],
        json!({
            "home": 0, "arrows": 1, "end": last, "playing": true, "paused": true,
            "forces": true, "noForces": true, "help": true, "noHelp": true, "colour": "mix",
        })
    );
    assert_eq!(number("inputRestores"), 0.0, "{checks}");
    assert_eq!(number("rebuildRestores"), 0.0, "a lost graphics card is no loss");
    assert_eq!(number("graphicsError"), 0.0);
}

fn check_picture(picture: &Path) {
    if std::env::var_os("RIPRAP_UPDATE_REFERENCE").is_some() {
        std::fs::copy(picture, REFERENCE).unwrap();
    }
    let (found, wanted) = (blocks(picture), blocks(Path::new(REFERENCE)));
    assert_eq!(found.len(), wanted.len(), "pictures of the same size");
    let differences: Vec<f64> = found
        .iter()
        .zip(&wanted)
        .map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>() / 3.0)
        .collect();
    let mean = differences.iter().sum::<f64>() / differences.len() as f64;
    let worst = differences.iter().copied().fold(0.0, f64::max);
    assert!(
        mean <= MEAN_TOLERANCE && worst <= BLOCK_TOLERANCE,
        "the picture differs from tests/reference.png: by {mean:.1} on average, {worst:.1} in a block"
    );
}

/// The mean colour of every block of a picture.
fn blocks(file: &Path) -> Vec<[f64; 3]> {
    let file = std::io::BufReader::new(std::fs::File::open(file).unwrap());
    let mut decoder = png::Decoder::new(file);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!([info.width, info.height], SIZE);
    let samples = info.color_type.samples();
    let pixel = |x: u32, y: u32| &bytes[y as usize * info.line_size + x as usize * samples..][..3];
    let mean = |column: u32, row: u32| {
        let mut sum = [0.0; 3];
        for y in row * BLOCK..(row + 1) * BLOCK {
            for x in column * BLOCK..(column + 1) * BLOCK {
                sum.iter_mut().zip(pixel(x, y)).for_each(|(sum, value)| *sum += f64::from(*value));
            }
        }
        sum.map(|sum| sum / f64::from(BLOCK * BLOCK))
    };
    let rows = 0..SIZE[1] / BLOCK;
    rows.flat_map(|row| (0..SIZE[0] / BLOCK).map(move |column| (column, row)))
        .map(|(column, row)| mean(column, row))
        .collect()
}
