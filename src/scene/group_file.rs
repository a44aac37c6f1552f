//! Bodies whose places, and perhaps sizes and masses, come from a file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::capability::{Takes, takes};
use super::generate::Made;
use super::group::{Group, Item, Look};
use super::particles::{self, Particles};
use super::places::Spot;
use super::source::into_text;
use super::{MethodName, Place, Scene, Weight, What, box_file};
use crate::math::DVec3;
use crate::problem::{Problem, Result};

/// A message names no more types than this.
const MOST_NAMES: usize = 8;

impl Group<'_> {
    pub fn file(mut self, file: &Path, kind: Option<&str>) -> Result<Made> {
        let opened = self.scene.source.files.read(file);
        let (path, bytes) = opened.map_err(|p| self.problem(p.message))?;
        let text = into_text(&path, bytes)?;
        if kind.is_none() && box_file::is_of_boxes(&text) {
            return self.box_file(&path, &text);
        }
        let particles = particles::read(&path, &text, self.scene.dimension)?;
        let Particles { positions, radii, masses, motions, fixed, .. } = match kind {
            Some(kind) => self.of_kind(&path, particles, kind)?,
            None => particles,
        };
        let (mut made, shapes) = self.shapes()?;
        let spots = positions.into_iter().enumerate().collect();
        let mut items = match (&self.bodies.what, radii.is_empty()) {
            (What::FromFile, true) => {
                let message = format!("{} has no column for the radius", path.display());
                let help = "name a column `radius` in its header, or give `radius` or `shape` in \
                            the scene";
                return Err(self.problem(message).help(help));
            }
            (What::FromFile, false) => balls(spots, radii),
            (_, true) => self.items(spots, shapes)?,
            (What::Balls(_), false) => return Err(self.conflict(&path, "radii", "radius")),
            (_, false) => return Err(self.conflict(&path, "radii", "shape")),
        };
        self.check_masses(&path, !masses.is_empty())?;
        for (item, mass) in items.iter_mut().zip(masses) {
            item.mass = Some(mass);
        }
        for (item, is_fixed) in items.iter_mut().zip(fixed) {
            item.fixed = is_fixed;
        }
        let said = [("velocity", self.bodies.velocity), ("spin", self.bodies.spin)];
        if let Some((key, _)) =
            said.iter().find(|said| !motions.is_empty() && said.1 != DVec3::ZERO)
        {
            return Err(self.conflict(&path, "velocities", key));
        }
        for (item, motion) in items.iter_mut().zip(motions) {
            item.motion = Some(motion);
        }
        self.add(&mut made, items, false)?;
        Ok(made)
    }

    /// Those of one type; a file without it is a problem.
    fn of_kind(&self, path: &Path, particles: Particles, kind: &str) -> Result<Particles> {
        let kinds: BTreeSet<&str> = particles.kinds.iter().map(String::as_str).collect();
        if kinds.contains(kind) {
            return Ok(particles.of_kind(kind));
        }
        let message = format!("{} has no particles of the type \"{kind}\"", path.display());
        let names: Vec<String> =
            kinds.iter().take(MOST_NAMES).map(|name| name.escape_debug().to_string()).collect();
        Err(self.problem(message).help(match kinds.is_empty() {
            true => "it names no types (CSV: a column `type` or `group`)".to_string(),
            false => format!("it has the types {}", names.join(", ")),
        }))
    }

    fn box_file(&self, path: &Path, text: &str) -> Result<Made> {
        let rows = box_file::read(path, text, self.scene.dimension)?;
        match self.bodies.what {
            What::FromFile => {}
            What::Balls(_) => return Err(self.conflict(path, "sizes", "radius")),
            _ => return Err(self.conflict(path, "sizes", "shape")),
        }
        self.check_masses(path, rows.iter().any(|row| row.mass.is_some()))?;
        let item = |row: box_file::BoxRow| Item {
            look: Look::Box(row.size),
            at: row.centre,
            rotation: Some(row.turn),
            mass: row.mass,
            motion: None,
            fixed: row.fixed,
        };
        let mut made = Made::default();
        self.add(&mut made, rows.into_iter().map(item).collect(), false)?;
        Ok(made)
    }

    /// The masses are given once: in the file or in the scene.
    fn check_masses(&self, path: &Path, in_file: bool) -> Result<()> {
        match self.bodies.weight {
            Weight::Mass(_) if in_file => Err(self.conflict(path, "masses", "mass")),
            Weight::Density(_) if in_file => Err(self.conflict(path, "masses", "density")),
            _ => Ok(()),
        }
    }

    fn conflict(&self, path: &Path, column: &str, field: &str) -> Problem {
        let message =
            format!("`bodies.{field}` is given, but {} has a column for {column}", path.display());
        self.problem(message).help(format!("leave `{field}` out, or the column"))
    }
}

/// Balls with radii of their own.
fn balls(spots: Vec<Spot>, radii: Vec<f64>) -> Vec<Item> {
    let item = |((_, at), radius)| Item {
        look: Look::Ball(radius),
        at,
        rotation: None,
        mass: None,
        motion: None,
        fixed: false,
    };
    spots.into_iter().zip(radii).map(item).collect()
}

/// What the files of bodies of a scene say that nobody uses.
pub(super) fn unread(scene: &Scene) -> Vec<(PathBuf, Vec<String>)> {
    let mut all: Vec<(PathBuf, Vec<String>)> = Vec::new();
    for bodies in &scene.bodies {
        let Place::File { file, kind } = &bodies.place else { continue };
        if all.iter().any(|(known, _)| known == file) {
            continue;
        }
        let opened = scene.source.files.read(file);
        let text = opened.and_then(|(path, bytes)| into_text(&path, bytes));
        let names = text.and_then(|text| {
            if kind.is_none() && box_file::is_of_boxes(&text) {
                return Ok(box_file::unread(&text, scene.dimension));
            }
            let particles = particles::read(file, &text, scene.dimension)?;
            let mut names = particles.unread;
            let moves = |method| takes("bodies.velocity", method) == Takes::Used;
            let mut methods: Vec<MethodName> =
                scene.phases.iter().map(|phase| phase.method).collect();
            methods.push(scene.method);
            if !particles.motions.is_empty() && !methods.into_iter().any(moves) {
                names.push("velocities".into());
            }
            Ok(names)
        });
        // What is wrong with a file is told when bodies are made of it.
        all.extend(names.ok().filter(|names| !names.is_empty()).map(|names| (file.clone(), names)));
    }
    all
}
