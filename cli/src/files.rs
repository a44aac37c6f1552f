//! The commands that read one thing and write another.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::Path;

use riprap::Result;
use riprap::export::{Options, Selection, export as export_run};
use riprap::scene::{Method, Scene, gallery};
use riprap::trajectory::Reader;

use crate::{Done, print};

pub fn check(scene: &str) -> Result<Done> {
    let scene = Scene::open(scene)?;
    if scene.method == Method::Collapse {
        let (model, _) = riprap::step::collapse::ready(&scene)?;
        let (all, moving) = (model.bodies.len(), model.tower.moving().count());
        return print(&format!(
            "{}: fine. {all} bricks, {moving} of them free to move, {}D, method collapse.\n",
            scene.name, model.dimension,
        ));
    }
    let (model, _) = riprap::world::build(&scene)?;
    if scene.method == Method::Dynamics {
        let (all, free) = (model.bodies.len(), model.assembly.free().count());
        let (joints, cloths) = (model.assembly.joints.len(), model.assembly.cloths.len());
        let cloth = match cloths {
            0 => String::new(),
            1 => "1 cloth, ".into(),
            _ => format!("{cloths} cloths, "),
        };
        return print(&format!(
            "{}: fine. {all} bodies, {free} of them free to move, {joints} joints, {cloth}3D, method dynamics.\n",
            scene.name,
        ));
    }
    if scene.method == Method::Compact {
        let pieces = model.bodies.len() - 1; // the last is the wall
        return print(&format!("{}: fine. {pieces} pieces, method compact.\n", scene.name));
    }
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
        let _ = writeln!(list, "{name:20} {}", gallery::scene(name)?.about);
    }
    print(&list)
}

pub fn export(
    run: &Path,
    out: &Path,
    frame: Option<&str>,
    every: Option<NonZeroUsize>,
) -> Result<Done> {
    let frames = frame.map_or(Ok(Selection::default()), str::parse)?;
    export_run(&Reader::open(run)?, out, &Options { frames, every })?;
    Ok(Done::Yes)
}
