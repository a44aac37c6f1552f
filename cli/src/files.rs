//! The commands that read one thing and write another.

use std::fmt::Write;
use std::path::Path;

use riprap::export::{Selection, export as export_run};
use riprap::scene::{Scene, gallery};
use riprap::trajectory::Reader;
use riprap::{Problem, Result};

use crate::{Done, print};

pub fn check(scene: &str) -> Result<Done> {
    let scene = Scene::open(scene)?;
    let (model, _) = riprap::world::build(&scene)?;
    let faces = model.boundary.faces().len();
    print(&format!(
        "{}: fine. {} bodies in {} groups, {}D, a container of {faces} faces, method settle.\n",
        scene.name,
        model.bodies.len(),
        model.groups.len(),
        model.dimension,
    ))
}

pub fn scenes(name: Option<&str>) -> Result<Done> {
    if let Some(name) = name {
        // For its good error if there is none of that name.
        gallery::scene(name)?;
        return print(gallery::find(name).unwrap_or_default());
    }
    let mut list = String::new();
    for name in gallery::names() {
        let _ = writeln!(list, "{name:16} {}", gallery::scene(name)?.about);
    }
    print(&list)
}

pub fn export(run: &Path, out: &Path, frame: Option<&str>) -> Result<Done> {
    let selection = match frame {
        None | Some("all") => Selection::All,
        Some("last") => Selection::Last,
        Some(number) => Selection::One(number.parse().map_err(|_| {
            Problem::new(format!("`{number}` is no frame"))
                .help("give a number counted from 0, `last` or `all`")
        })?),
    };
    export_run(&Reader::open(run)?, out, selection)?;
    Ok(Done::Yes)
}
