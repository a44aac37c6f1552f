//! The interactive page: one HTML file with the run inside, that opens from
//! the disk and asks the network for nothing. It is the same for every method.
//!
//! The page shows positions on a grid of 65536 lines per axis and as many
//! frames as fit into its size; the run file remains the exact record.

mod arrays;
mod container;
mod exhibit;
mod film;
mod forces;
mod joints;
mod motion;
mod report;
mod rim;
mod shapes;
mod summary;
mod surface;
mod survey;
mod turns;

use std::f64::consts::PI;

use riprap::Result;
use riprap::export::palette::{by_body, by_group};
use riprap::math::DVec3;
use riprap::trajectory::Reader;
use riprap::world::{Model, Motion, State};

use crate::markup::escape;
use arrays::Arrays;
use container::Container;
use forces::Forces;
use motion::Grid;
use shapes::Shapes;
use survey::Survey;

pub use report::{Report, report};

const PAGE: &str = include_str!("../../assets/page.html");
const STYLE: &str = include_str!("../../assets/style.css");

/// The script, in the order in which its parts rely on each other. The last
/// one is the page's own test, which runs when its address ends in `#selftest`.
const SCRIPT: [&str; 19] = [
    include_str!("../../assets/viewer/faults.js"),
    include_str!("../../assets/viewer/vector.js"),
    include_str!("../../assets/viewer/run.js"),
    include_str!("../../assets/viewer/forces.js"),
    include_str!("../../assets/viewer/exhibit.js"),
    include_str!("../../assets/viewer/pick.js"),
    include_str!("../../assets/viewer/colour.js"),
    include_str!("../../assets/viewer/camera.js"),
    include_str!("../../assets/viewer/shader.js"),
    include_str!("../../assets/viewer/mesh.js"),
    include_str!("../../assets/viewer/joints.js"),
    include_str!("../../assets/viewer/light.js"),
    include_str!("../../assets/viewer/painter.js"),
    include_str!("../../assets/viewer/chart.js"),
    include_str!("../../assets/viewer/panel.js"),
    include_str!("../../assets/viewer/player.js"),
    include_str!("../../assets/viewer/pointer.js"),
    include_str!("../../assets/viewer/main.js"),
    include_str!("../../assets/viewer/selftest.js"),
];

/// Where every step has its forces, the motion leaves them this part of the room.
const ROOM_FOR_FORCES: f64 = 0.3;

/// What a page may look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageOptions {
    /// About how large the file may become; frames are left out to keep to it.
    pub most_bytes: usize,
}

impl Default for PageOptions {
    /// Pages that can be sent by mail.
    fn default() -> Self {
        PageOptions { most_bytes: 10_000_000 }
    }
}

/// A run as one interactive page.
///
/// ```no_run
/// # fn main() -> riprap::Result<()> {
/// let run = riprap::trajectory::Reader::open("hourglass.riprap".as_ref())?;
/// let page = riprap_viewer::page(&run, Default::default())?;
/// riprap::export::write_whole("hourglass.html".as_ref(), page)?;
/// # Ok(())
/// # }
/// ```
pub fn page(reader: &Reader, options: PageOptions) -> Result<String> {
    let model = reader.model();
    let survey = Survey::of(reader)?;
    let origin = survey.view.centre();
    let container = Container::of(&model.boundary, origin);
    let shapes = Shapes::of(model, survey.view.size.max_element());

    let mut arrays = Arrays::default();
    let start = reader.frame(0)?.state;
    store_scene(model, &start, &survey, &mut arrays);
    store_gone(reader, &survey, &mut arrays);
    shapes.store(&mut arrays);
    container.store(&mut arrays);

    let script: usize = SCRIPT.iter().map(|part| part.len()).sum();
    let fixed = PAGE.len() + STYLE.len() + script + arrays.packed().len();
    let room = options.most_bytes.saturating_sub(fixed);
    let steps_have_forces = survey.contacts.iter().filter(|&&count| count > 0).count() > 1;
    let share = if steps_have_forces { 1.0 - ROOM_FOR_FORCES } else { 1.0 };
    let motion = motion::pack(reader, &survey, (share * room as f64) as usize)?;
    let left = room.saturating_sub(motion.text.len());
    let mut forces = Forces::plan(&survey, &motion.shown, left);
    forces.store(reader, &motion.shown, &Grid { bounds: survey.grid }, &mut arrays)?;

    let told = summary::Told { reader, survey: &survey, motion: &motion, forces: &forces };
    let summary = told.summary(&container, &shapes);
    Ok(bind(&model.name, summary, arrays, &motion.text, ["run", ""]))
}

/// The page of a name, its data, and a report in words, with the class of pages that it is of.
fn bind(
    name: &str,
    mut summary: serde_json::Value,
    arrays: Arrays,
    motion: &str,
    [class, report]: [&str; 2],
) -> String {
    summary["arrayBytes"] = arrays.len().into();
    let numbers = arrays.packed();
    summary["arrays"] = arrays.places();
    fill(&[
        ("title", &escape(&format!("{name} · Riprap"))),
        ("style", STYLE),
        ("class", class),
        ("report", report),
        ("script", &SCRIPT.concat()),
        ("summary", &script_safe(&summary.to_string())),
        ("arrays", &numbers),
        ("motion", motion),
    ])
}

/// All that is drawn of a model, but for its shapes and its container.
fn store_scene(model: &Model, start: &State, survey: &Survey, arrays: &mut Arrays) {
    let origin = survey.view.centre();
    store_bodies(model, start, arrays);
    store_start(start, origin, survey, arrays);
    store_steps(survey, arrays);
    store_cloth(model, arrays);
    joints::store(model, origin, arrays);
}

fn store_bodies(model: &Model, start: &State, arrays: &mut Arrays) {
    let bodies = &model.bodies;
    arrays.f32("radius", bodies.iter().map(|body| body.radius));
    arrays.f32("mass", bodies.iter().map(|body| body.mass));
    arrays.u32("group", bodies.iter().map(|body| body.group));
    arrays.u8("fixed", bodies.iter().map(|body| u8::from(body.motion == Motion::Fixed)));
    arrays.u8("by body", by_body(model, start).into_iter().flatten());
    arrays.u8("by group", by_group(model, start).into_iter().flatten());
    // How much light a body keeps from others: that of a ball of its volume.
    let bulk = |i: usize| (model.shape(i).mass.volume / (4.0 / 3.0 * PI)).cbrt();
    arrays.f32("bulk", (0..bodies.len()).map(bulk));
}

/// Where everything is at first, and which bodies do not stay so.
fn store_start(first: &State, origin: DVec3, survey: &Survey, arrays: &mut Arrays) {
    arrays.f32("place", first.positions.iter().flat_map(|p| (*p - origin).to_array()));
    arrays.f32("turn", first.rotations.iter().flat_map(|q| q.to_array()));
    arrays.u32("movers", survey.movers.iter().copied());
    arrays.u32("turners", survey.turners.iter().copied());
}

fn store_steps(survey: &Survey, arrays: &mut Arrays) {
    arrays.f64("step", survey.steps.iter().map(|&step| step as f64));
    arrays.f64("time", survey.times.iter().copied());
    arrays.u8("kind", survey.kinds.iter().copied());
    arrays.f64("energy", survey.energies.iter().copied());
    arrays.f64("kinetic", survey.kinetic.iter().copied());
    arrays.f32("overlap", survey.overlaps.iter().copied());
    arrays.u32("changes", survey.changes.iter().copied());
}

/// Which bodies are taken out, and the frame from which on.
fn store_gone(reader: &Reader, survey: &Survey, arrays: &mut Arrays) {
    let from = |&i: &u32| {
        let phase = reader.phases().iter().find(|phase| phase.model.is_gone(i as usize));
        phase.map_or(u32::MAX, |phase| phase.first as u32)
    };
    arrays.u32("gone", survey.gone.iter().copied());
    arrays.u32("gone from", survey.gone.iter().map(from));
}

fn store_cloth(model: &Model, arrays: &mut Arrays) {
    let faces = model.cloths.iter().flat_map(|cloth| &cloth.faces);
    arrays.u32("cloth faces", faces.flatten().copied());
}

/// Puts the parts into the page's empty places, each marked `{{name}}`.
fn fill(parts: &[(&str, &str)]) -> String {
    let mut page = String::new();
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        page.push_str(before);
        if let Some((_, part)) = parts.iter().find(|(known, _)| *known == name) {
            page.push_str(part);
        }
        rest = after;
    }
    page + rest
}

/// JSON that cannot end the script element it stands in.
fn script_safe(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::arrays::tests::unpack;
    use super::*;
    use crate::samples::{self, Sample};
    use serde_json::Value;

    fn page_of(sample: &Sample) -> String {
        page(&sample.write().reader(), PageOptions::default()).unwrap()
    }

    /// The contents of the page's data element with this name.
    fn part<'a>(page: &'a str, id: &str) -> &'a str {
        let start = page.find(&format!("<script id=\"{id}\"")).expect("the element exists");
        let inner = &page[start + page[start..].find('>').unwrap() + 1..];
        &inner[..inner.find("</script>").unwrap()]
    }

    fn summary(page: &str) -> Value {
        serde_json::from_str(part(page, "summary")).unwrap()
    }

    #[test]
    fn the_page_holds_the_run() {
        let page = page_of(&samples::sample(27, 6));
        let summary = summary(&page);
        assert_eq!((&summary["name"], &summary["outcome"]), (&"sample".into(), &"at rest".into()));
        assert_eq!((&summary["bodies"], &summary["frames"]), (&27.into(), &6.into()));
        assert_eq!(summary["certificate"]["verdict"], "minimum up to neutral modes");
        assert_eq!(summary["certificate"]["rows"][2][1], "5 of 6");

        let arrays = unpack(part(&page, "arrays"));
        let place = &summary["arrays"]["force size"];
        assert_eq!((&place["type"], &place["count"]), (&"Float32Array".into(), &19.into()));
        let start = place["start"].as_u64().unwrap() as usize;
        assert_eq!(arrays[start..start + 4], 2.5_f32.to_le_bytes());
        assert_eq!(unpack(part(&page, "motion")).len(), 6 * (1 + 27 * 3 * 2));
        assert!(page.contains("<title>sample · Riprap</title>"));
        assert!(!page.contains("{{"), "every place is filled");
    }

    #[test]
    fn nothing_is_asked_of_the_network() {
        let page = page_of(&samples::sample(8, 2));
        assert!(page.contains("default-src 'none'"), "and the browser sees to it");
        for word in ["http:", "https:", "src=", "@import", "url("] {
            assert!(!page.contains(word), "{word}");
        }
    }

    #[test]
    fn a_thousand_bodies_and_seven_hundred_frames_fit() {
        let page = page_of(&samples::sample(1000, 700));
        assert!(page.len() < 10_000_000, "{}", page.len());
        let shown = summary(&page)["shown"].as_array().unwrap().len();
        assert_eq!(shown, 700, "without thinning");
        assert_eq!(summary(&page)["notes"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn two_thousand_turning_bodies_and_a_thousand_frames_fit() {
        let run = samples::crowd(2000, 1000);
        let options = PageOptions { most_bytes: 20_000_000 };
        let page = page(&run.reader(), options).unwrap();
        assert!(page.len() < 20_000_000, "{}", page.len());
        let shown = summary(&page)["shown"].as_array().unwrap().len();
        assert_eq!(shown, 1000, "without thinning");
    }

    #[test]
    fn every_method_has_its_page() {
        let runs = [
            (samples::finished(8, 4), "settle", false),
            (samples::collapse(6), "collapse", true),
            (samples::dynamics(12, 6), "dynamics", true),
            (samples::cloth(6), "dynamics", true),
        ];
        for (run, method, timed) in runs {
            let page = page(&run.reader(), PageOptions::default()).unwrap();
            let summary = summary(&page);
            assert_eq!(summary["method"], method);
            assert_eq!(summary["timeStep"].is_f64(), timed);
            let count = |name: &str| summary["arrays"][name]["count"].as_u64().unwrap();
            assert!(count("force size") > 0, "{method} has forces");
            assert_eq!(count("kinetic") > 0, timed, "{method}");
            assert!(!page.to_lowercase().contains("brick"), "{method}");
        }
    }

    #[test]
    fn cloth_is_on_the_page_by_its_triangles() {
        let page = page(&samples::cloth(4).reader(), PageOptions::default()).unwrap();
        let summary = summary(&page);
        assert_eq!(summary["rigid"], 1);
        assert_eq!(summary["arrays"]["cloth faces"]["count"], 3 * 2 * 16 * 16);
        assert_eq!(summary["arrays"]["joint look"]["count"], 1, "the attachment");
        assert_eq!(summary["arrays"]["turners"]["count"], 0, "particles do not turn");
    }

    #[test]
    fn a_small_page_says_what_it_leaves_out() {
        let run = samples::finished(64, 60);
        let whole = page(&run.reader(), PageOptions::default()).unwrap();
        let most_bytes = whole.len() - part(&whole, "motion").len() / 2;
        let thinned = page(&run.reader(), PageOptions { most_bytes }).unwrap();
        assert!(thinned.len() < most_bytes + 2000, "{} for {most_bytes}", thinned.len());
        let summary = summary(&thinned);
        let shown = summary["shown"].as_array().unwrap().len();
        assert_eq!(summary["showing"], "showing every 2nd frame");
        let note = summary["notes"][0].as_str().unwrap();
        assert!(note.starts_with("This page is showing every 2nd frame ("), "{note}");
        assert!(note.contains(&format!("({shown} of 60)")), "{note}");
    }

    #[test]
    fn names_cannot_break_out_of_the_page() {
        let odd = "</script><script>alert(1)</script>{{motion}}&\u{2028}\"'".to_string();
        let sample = Sample { name: odd.clone(), group: odd.clone(), ..samples::sample(8, 2) };
        let page = page_of(&sample);
        assert!(!page.contains("<script>alert"), "escaped in title and data");
        assert!(page.contains("<title>&lt;/script&gt;"));
        let summary = summary(&page);
        assert_eq!(summary["name"].as_str(), Some(odd.as_str()));
        assert_eq!(summary["groups"][0].as_str(), Some(odd.as_str()));
        assert_eq!(page.matches("</script>").count(), 4, "three blocks of data and the script");
    }

    #[test]
    fn an_unfinished_run_says_so() {
        let page = page_of(&Sample { finished: false, ..samples::sample(8, 3) });
        let summary = summary(&page);
        assert_eq!(summary["outcome"], "unfinished");
        assert!(summary["certificate"].is_null() && summary["seconds"].is_null());
    }

    #[test]
    fn a_torn_file_says_so() {
        let run = samples::unfinished(8, 3);
        let bytes = std::fs::read(&run.path).unwrap();
        std::fs::write(&run.path, &bytes[..bytes.len() - 10]).unwrap();
        let page = page(&run.reader(), PageOptions::default()).unwrap();
        let notes = summary(&page)["notes"].to_string();
        assert!(notes.contains("The run file was cut short"), "{notes}");
    }

    #[test]
    fn a_flat_page_has_two_numbers_for_a_place() {
        let page = page(&samples::flat(9, 3).reader(), PageOptions::default()).unwrap();
        assert_eq!(summary(&page)["dimension"], 2);
        assert_eq!(unpack(part(&page, "motion")).len(), 3 * (1 + 9 * 2 * 2));
    }
}
