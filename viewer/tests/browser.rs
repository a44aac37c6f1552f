//! The page in a real browser, for runs of every kind and on screens of two
//! sizes: it opens from the disk, shows its controls without scrolling, plays,
//! scrubs, turns, picks, shows forces, and looks as it should. The page tests
//! itself when its address ends in `#selftest`; here its findings are read and
//! one of its pictures is compared.
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

use riprap_viewer::{PageOptions, Report, page as page_of, report};
use serde_json::{Value, json};

const DESKTOP: [u32; 2] = [1280, 800];
const PHONE: [u32; 2] = [390, 844];
/// Of the canvas that the speed is promised for, with room for what is around it.
const SPEED: [u32; 2] = [640, 714];
const AIM_OF_PICTURE: f64 = 500.0;

const REFERENCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference.png");
const SMALL: [u32; 2] = [480, 352];
/// Pictures are compared block by block, so that fonts and edges may differ.
const BLOCK: u32 = 16;
/// How much a block may differ, and all blocks on average, on a scale to 255.
const BLOCK_TOLERANCE: f64 = 48.0;
const MEAN_TOLERANCE: f64 = 6.0;
/// Drawing without a graphics card on a busy machine takes its time.
const PATIENCE: Duration = Duration::from_secs(600);

/// A run, and what its page should say.
struct Case {
    name: &'static str,
    run: samples::Run,
    /// The last frame.
    last: u64,
    flat: bool,
    /// How the last step is told.
    readout: &'static str,
    /// What the card of the first body that is not fixed says.
    card: &'static [&'static str],
    colourings: &'static [&'static str],
    legend: &'static str,
    /// What is coloured at first, and what comes next.
    ways: [&'static str; 2],
    joints: bool,
}

fn cases() -> [Case; 6] {
    const TIMED: &[&str] = &["displacement", "force", "group", "height", "mix", "radius", "speed"];
    const ROUND: &[&str] = &["displacement", "force", "group", "height", "mix", "speed"];
    let settle = Case {
        name: "settle",
        run: samples::finished(27, 13),
        last: 12,
        flat: false,
        readout: "step 12 polish · energy ",
        card: &[
            "Sphere 0",
            "beads",
            "position",
            "0.5",
            "mass",
            "displacement",
            "wall face 0",
            "2.5",
        ],
        colourings: ROUND,
        legend: "beadssteel",
        ways: ["group", "mix"],
        joints: false,
    };
    let flat = Case {
        name: "settle, flat",
        run: samples::flat(12, 9),
        last: 8,
        flat: true,
        readout: "step 8 polish · energy ",
        card: &["Circle 0", "beads", "wall face 0", "2.5"],
        ..settle
    };
    let collapse = Case {
        name: "collapse",
        run: samples::collapse(12),
        last: 11,
        flat: true,
        readout: "step 11 · time 0.11 · energy ",
        card: &[
            "Body 1",
            "blocks",
            "polygon",
            "size1 × 1",
            "turn",
            "−85.9°",
            "speed",
            "2 contacts in step 11",
            "body 0",
            "body 2",
        ],
        colourings: TIMED,
        legend: "groundblocks",
        ways: ["mix", "group"],
        joints: false,
    };
    let dynamics = Case {
        name: "dynamics",
        run: samples::dynamics(12, 12),
        last: 11,
        flat: false,
        readout: "step 11 · time ",
        card: &["Body 1", "even", "speed", "1 contact in step 11", "body 0"],
        colourings: TIMED,
        legend: "groundevenodd",
        ways: ["group", "mix"],
        joints: true,
    };
    let cloth = Case {
        name: "cloth",
        run: samples::cloth(12),
        last: 11,
        flat: false,
        readout: "step 11 · time ",
        card: &["Sphere 0", "ball", "speed", "contacts in step 11"],
        colourings: TIMED,
        legend: "ballsheet",
        ways: ["group", "mix"],
        joints: true,
    };
    let phases = Case {
        name: "dynamics, then settle",
        run: samples::settled_after_dynamics(12, 7),
        last: 13,
        flat: false,
        readout: "step 12 polish · time ",
        card: &["Sphere 0", "beads", "at the end, force", "wall face 0", "2.5"],
        ..settle
    };
    [settle, flat, collapse, dynamics, cloth, phases]
}

#[test]
fn the_page_works_in_a_browser() {
    let Some(browser) = find_browser() else {
        // Written past the capture of the test harness: nobody should miss it.
        let _ = std::io::stderr().write_all(b"SKIPPED: 1 browser test (chromium not found)\n");
        return;
    };
    for case in cases() {
        for size in [DESKTOP, PHONE] {
            let found = visit(&browser, &case.run, size).findings;
            check_findings(&found, &case, size);
        }
    }
    for (name, moves) in [("wall-3d", false), ("tower-5x5", true)] {
        for size in [DESKTOP, PHONE] {
            check_report(&visit_page(&browser, &report_of(name), size).findings, size, moves);
        }
    }
    let picture = visit(&browser, &samples::finished(27, 13), SMALL);
    check_picture(&picture.picture);

    let crowd = visit(&browser, &samples::crowd(2000, 3), SPEED).findings;
    // Told, not asserted: how long it takes is a matter of what else the machine does.
    let slowest = crowd["checks"]["milliseconds"].as_f64().unwrap();
    println!("{slowest:.0} ms for a picture of 2000 bodies; the aim is {AIM_OF_PICTURE:.0}");
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

/// A page around the page, since browsers without a screen have windows of a least width. It
/// hears of the findings.
fn around([width, height]: [u32; 2]) -> String {
    format!(
        r#"<!doctype html><body style="margin:0">
        <iframe src="page.html#selftest" width="{width}" height="{height}" style="border:0;display:block"></iframe>
        <script>
        addEventListener("message", (event) => {{
          const result = {{ id: "findings", type: "application/json", textContent: event.data }};
          document.body.append(Object.assign(document.createElement("script"), result));
        }});
        </script>"#
    )
}

fn visit(browser: &Path, run: &samples::Run, size: [u32; 2]) -> Visit {
    visit_page(browser, &page_of(&run.reader(), PageOptions::default()).unwrap(), size)
}

/// Whether a scene of the gallery stands.
fn report_of(name: &str) -> String {
    let scene = riprap::scene::gallery::scene(name).unwrap();
    let (model, state) = riprap::build(&scene).unwrap();
    let shown = samples::exhibit(&model, &state);
    let rows: Vec<Value> =
        shown.forces.iter().map(|f| json!({ "body": f.body, "at": f.at[0].to_array() })).collect();
    let answer = json!({ "verdict": "told", "margin": 1.0 / 3.0, "forces": rows });
    let told = Report {
        name,
        words: "told.",
        open: &[],
        answer: &answer,
        plot: None,
        command: "riprap stable",
    };
    report(&shown, &told, PageOptions::default()).unwrap()
}

fn check_report(findings: &Value, size: [u32; 2], moves: bool) {
    let checks = &findings["checks"];
    let place = format!("{size:?}: {checks}");
    let number = |key: &str| checks[key].as_f64().unwrap_or(f64::NAN);
    assert_eq!(findings["faults"], json!([]), "{place}");
    assert_eq!(checks["window"], json!(size));
    assert_eq!(checks["outOfSight"], json!([]), "all controls are at hand: {place}");
    assert_eq!((checks["outcome"].as_str(), number("graphicsError")), (Some("told"), 0.0));
    assert!(number("colours") > 50.0, "the picture is not empty: {place}");
    assert_eq!(checks["way"], "shade");
    let legend = checks["legend"].as_str().unwrap();
    assert!(legend.starts_with("Largest contact force0") && legend.contains("push, up to"));
    assert!(number("arrows") > 10.0 && number("forcesChange") > 0.1, "{place}");
    assert!(number("apartChanges") > 0.1, "{place}");
    assert_eq!(number("togetherRestores"), 0.0, "{place}");
    // Two lines and more, the numbers of which are whole.
    assert!(checks["csv"].as_str().unwrap().starts_with("#,at x,at y,at z,body\r\n0,"), "{place}");
    assert_eq!(checks["timeline"], moves, "{place}");
    assert_eq!(number("motionChanges") > 0.1, moves, "{place}");
    assert_eq!(checks["readout"].as_str().unwrap().starts_with("first motion, by 0.6"), moves);
}

fn visit_page(browser: &Path, text: &str, size: [u32; 2]) -> Visit {
    let folder = tempfile::tempdir().unwrap();
    let [page, frame, picture, profile] =
        ["page.html", "frame.html", "picture.png", "profile"].map(|name| folder.path().join(name));
    std::fs::write(&page, text).unwrap();
    std::fs::write(&frame, around(size)).unwrap();
    let [dom, log] = ["dom.html", "log.txt"].map(|name| folder.path().join(name));
    let mut child = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--no-first-run", "--hide-scrollbars"])
        .args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
        .args(["--blink-settings=preferredColorScheme=1", "--force-device-scale-factor=1"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=10000", "--dump-dom"])
        .arg(format!("--window-size={},{}", size[0], size[1]))
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}", frame.display()))
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

/// The JSON that the page's own test told.
fn findings(dom: &str) -> Value {
    let marker = "<script id=\"findings\" type=\"application/json\">";
    let (_, after) = dom.split_once(marker).expect("the page tests itself to the end");
    serde_json::from_str(after.split_once("</script>").unwrap().0).unwrap()
}

fn check_findings(findings: &Value, case: &Case, size: [u32; 2]) {
    let Case { name, last, flat, .. } = *case;
    let checks = &findings["checks"];
    let place = format!("{name}, {size:?}: {checks}");
    assert_eq!(findings["faults"], json!([]), "{place}");
    assert_eq!(checks["window"], json!(size));
    assert_eq!(checks["outOfSight"], json!([]), "all controls are at hand: {place}");
    let number = |key: &str| checks[key].as_f64().unwrap_or(f64::NAN);
    assert_eq!((number("startFrame"), number("endFrame")), (0.0, last as f64), "{place}");
    assert!(number("colours") > 50.0, "the picture is not empty: {place}");
    assert!(number("motionChanges") > 0.1, "bodies move: {place}");
    let readout = checks["readout"].as_str().unwrap();
    assert!(readout.starts_with(case.readout), "{place}");

    assert_eq!(checks["playing"], true);
    assert!(number("playedTo") >= 1.0, "playing gets on: {place}");
    assert_eq!(checks["playedTo"], checks["pausedAt"]);
    assert_eq!(number("loopsTo"), 0.0);
    // Halfway between two frames either of them is right.
    let halfway = checks["scrub"]["click"].as_u64().unwrap();
    assert!((2 * halfway).abs_diff(last) <= 1, "{place}");
    assert_eq!(
        checks["scrub"],
        json!({ "deaf": 0, "click": halfway, "drag": last, "slide": 1 }),
        "{place}"
    );

    assert_eq!(number("forcesAt"), last as f64, "forces are shown at the end: {place}");
    assert_eq!(checks["forcesPressed"], "true");
    assert!(checks["forcesLegend"].as_str().unwrap().contains("Force in a contact"), "{place}");
    assert!(number("forcesChange") > 0.1, "forces are seen: {place}");
    assert_eq!(checks["joints"].is_number(), case.joints, "{place}");
    assert_eq!(number("jointsChange") > 0.0, case.joints, "{place}");
    let ways = checks["colourings"].as_object().unwrap();
    let keys: Vec<&str> = ways.keys().map(String::as_str).collect();
    assert_eq!(keys, case.colourings, "{place}");
    assert_eq!(ways["group"]["legend"], case.legend, "{place}");
    for key in keys.iter().filter(|key| **key != case.ways[0]) {
        assert!(ways[*key]["change"].as_f64().unwrap() > 0.1, "{key} changes colours: {place}");
    }

    let card = checks["card"].as_str().expect("the card is open");
    for words in case.card {
        assert!(card.contains(words), "{words} in {place}");
    }
    assert_eq!((&checks["rayFinds"], &checks["cardHidden"]), (&true.into(), &true.into()));
    assert!(number("viewChanges") > 0.1 && number("resetRestores") == 0.0, "{place}");
    let turned = if flat { "target" } else { "azimuth" };
    assert_eq!(
        checks["pointer"],
        json!({
            "drag": turned, "finger": turned, "rightDrag": "target", "click": "chosen",
            "pinch": "target distance", "wheel": "target distance",
        }),
        "{place}"
    );
    assert_eq!(
        checks["keys"],
        json!({
            "home": 0, "arrows": 1, "end": last, "playing": true, "paused": true,
            "forces": true, "noForces": true, "joints": true, "noJoints": true,
            "help": true, "noHelp": true, "colour": case.ways[1],
        }),
        "{place}"
    );
    assert_eq!(number("inputRestores"), 0.0, "{place}");
    assert_eq!(number("rebuildRestores"), 0.0, "a lost graphics card is no loss: {place}");
    assert_eq!(number("graphicsError"), 0.0, "{place}");
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
    assert_eq!([info.width, info.height], SMALL);
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
    let rows = 0..SMALL[1] / BLOCK;
    rows.flat_map(|row| (0..SMALL[0] / BLOCK).map(move |column| (column, row)))
        .map(|(column, row)| mean(column, row))
        .collect()
}
