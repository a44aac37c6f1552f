//! The interactive page: one HTML file with the run inside, that opens from
//! the disk and asks the network for nothing.
//!
//! The page shows positions on a grid of 65536 lines per axis and as many
//! frames as fit into its size; the run file remains the exact record.

mod arrays;
mod container;
mod forces;
mod motion;
mod summary;
mod survey;

use std::path::Path;

use riprap::Result;
use riprap::trajectory::Reader;

use crate::file::write_whole;
use crate::markup::escape;
use arrays::Arrays;
use container::Container;
use survey::Survey;

const PAGE: &str = include_str!("../../assets/page.html");
const STYLE: &str = include_str!("../../assets/style.css");

/// The script, in the order in which its parts rely on each other. The last
/// one is the page's own test, which runs when its address ends in `#selftest`.
const SCRIPT: [&str; 14] = [
    include_str!("../../assets/viewer/faults.js"),
    include_str!("../../assets/viewer/vector.js"),
    include_str!("../../assets/viewer/run.js"),
    include_str!("../../assets/viewer/colour.js"),
    include_str!("../../assets/viewer/camera.js"),
    include_str!("../../assets/viewer/shader.js"),
    include_str!("../../assets/viewer/mesh.js"),
    include_str!("../../assets/viewer/painter.js"),
    include_str!("../../assets/viewer/chart.js"),
    include_str!("../../assets/viewer/panel.js"),
    include_str!("../../assets/viewer/player.js"),
    include_str!("../../assets/viewer/pointer.js"),
    include_str!("../../assets/viewer/main.js"),
    include_str!("../../assets/viewer/selftest.js"),
];

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

/// Writes a run as one interactive page.
///
/// ```no_run
/// # fn main() -> riprap::Result<()> {
/// let run = riprap::trajectory::Reader::open("hourglass.riprap".as_ref())?;
/// riprap_viewer::write_page(&run, "hourglass.html".as_ref(), Default::default())?;
/// # Ok(())
/// # }
/// ```
pub fn write_page(reader: &Reader, path: &Path, options: PageOptions) -> Result<()> {
    write_whole(path, page(reader, options)?.as_bytes())
}

/// The text of the page.
pub fn page(reader: &Reader, options: PageOptions) -> Result<String> {
    let model = reader.model();
    let survey = Survey::of(reader)?;
    let bounds = survey.bounds();
    let container = Container::of(&model.boundary, bounds.centre());

    let mut arrays = Arrays::default();
    store_bodies(reader, &mut arrays);
    store_steps(&survey, &mut arrays);
    container.store(&mut arrays);
    forces::store(reader, bounds.centre(), &mut arrays)?;
    let (places, numbers) = arrays.finish();

    let script = SCRIPT.concat();
    let fixed = PAGE.len() + STYLE.len() + script.len() + numbers.len();
    let motion = motion::pack(reader, bounds, options.most_bytes.saturating_sub(fixed))?;
    let mut summary = summary::summary(reader, &survey, &motion, &container);
    summary["arrays"] = places;

    Ok(fill(&[
        ("title", &escape(&format!("{} · Riprap", model.name))),
        ("style", STYLE),
        ("script", &script),
        ("summary", &script_safe(&summary.to_string())),
        ("arrays", &numbers),
        ("motion", &motion.text),
    ]))
}

fn store_bodies(reader: &Reader, arrays: &mut Arrays) {
    let bodies = &reader.model().bodies;
    arrays.f32("radius", bodies.iter().map(|body| body.radius));
    arrays.f32("mass", bodies.iter().map(|body| body.mass));
    arrays.u32("group", bodies.iter().map(|body| body.group));
}

fn store_steps(survey: &Survey, arrays: &mut Arrays) {
    arrays.f64("step", survey.steps.iter().map(|&step| step as f64));
    arrays.u8("kind", survey.kinds.iter().copied());
    arrays.f64("energy", survey.energies.iter().copied());
    arrays.u32("moving", survey.moving.iter().copied());
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
