//! The commands that read one thing and write another.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use riprap::Result;
use riprap::export::{Options, Selection, export as export_run};
use riprap::scene::{MethodName, gallery};
use riprap::trajectory::Reader;

use crate::arguments::Changes;
use crate::run::{open, unused};
use crate::{Done, print};

pub fn check(scene: &str, changes: &Changes) -> Result<Done> {
    let scene = open(scene, changes)?;
    let (model, state) = riprap::trajectory::start(&scene)?;
    let model = Arc::new(model);
    if scene.method != MethodName::Compact {
        // What `run` would refuse before its first step.
        let path = scene.inputs().into_iter().next().unwrap_or_default();
        riprap::stepper(&model, &state, None, || 0.0).map_err(|problem| problem.in_file(path))?;
    }
    let mut text = format!("{}: fine. ", scene.name);
    let many = |count: usize, one: &str, more: &str| match count {
        0 => String::new(),
        1 => format!(", 1 {one}"),
        _ => format!(", {count} {more}"),
    };
    if scene.method == MethodName::Compact {
        let pieces = model.bodies.len() - 1; // the last is the wall
        let _ = write!(text, "{pieces} pieces");
    } else {
        let (all, groups) = (model.rigid_count(), model.groups.len());
        let free = model.free().filter(|&i| i < all).count();
        let _ = write!(text, "{all} bodies in {groups} groups, {free} of them free to move");
    }
    text += &many(model.joints.len(), "joint", "joints");
    text += &many(model.forces.len(), "force", "forces");
    text += &many(model.cloths.len(), "cloth", "cloths");
    let faces = model.boundary.faces().len();
    if faces > 0 && scene.method != MethodName::Compact {
        let _ = write!(text, ", a container of {faces} faces");
    }
    let methods: Vec<&str> = scene.phases.iter().map(|phase| phase.method.name()).collect();
    let asked = match methods[..] {
        [] => format!("method {}", scene.method),
        _ => format!("phases {}", methods.join(", ")),
    };
    let _ = writeln!(text, ", {}D, {asked}.", model.dimension);
    for sentence in unused(&scene) {
        let _ = writeln!(text, "  {sentence}.");
    }
    for (number, pair) in (2..).zip(methods.windows(2)) {
        let in_time = ["collapse", "dynamics"];
        if in_time.contains(&pair[0])
            && ["collapse", "settle"].contains(&pair[1])
            && pair[0] != pair[1]
        {
            let _ = writeln!(
                text,
                "  phase {number} cannot begin if bodies overlap after {}: a phase with method = \
                 \"separate\" before it takes them apart.",
                pair[0]
            );
        }
    }
    print(&text)
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
