//! Text to [`Scene`]. The description in [`super::format`] has found every
//! unknown, missing or mistyped field before anything here is called; what is
//! left are the rules that join several fields.

use std::path::Path;

use super::source::{Files, Source, into_text, read_bytes};
use super::spanned::{Checked, Fault, Node, parse_json, parse_toml};
use super::{
    CollapseOptions, DynamicsOptions, Material, MethodName, Scene, SettleOptions, bodies_read,
    capability, cloth, collapse_options, container, dynamics_options, forces, foreign, format,
    gallery, joints_format, layouts, phases, set, settle_options, start, strengths, translate,
};
use crate::math::DVec3;
use crate::problem::{Problem, Result};

impl Scene {
    /// Reads a scene file (.toml or .json), or the gallery's scene of this name. Structures of
    /// StableLego (.json), BrickGPT (.txt) and LDraw (.ldr) are read as scenes, too.
    pub fn open(file_or_name: &str) -> Result<Scene> {
        Scene::from_source(find(file_or_name)?)
    }

    /// As [`Scene::open`], with values set from outside: pairs of a dotted path and a value, such
    /// as `bodies.0.friction` and `0.3`, the value as TOML writes it (a single word may stand
    /// without quotes). A `method` asks another question, so it takes the place of the scene's
    /// own, or of its phases. [`Scene::text`] says all of this.
    ///
    /// ```
    /// use riprap::scene::{MethodName, Scene};
    /// let set = [("bodies.0.radius".to_string(), "0.4".to_string())];
    /// let scene = Scene::open_with("box-3", &set, Some(MethodName::Dynamics))?;
    /// assert_eq!(scene.method, MethodName::Dynamics);
    /// let again = Scene::from_text(scene.text(), "box-3.toml".as_ref())?;
    /// assert_eq!(again, scene);
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn open_with(
        file_or_name: &str,
        overrides: &[(String, String)],
        method: Option<MethodName>,
    ) -> Result<Scene> {
        let source = find(file_or_name)?;
        if overrides.is_empty() && method.is_none() {
            return Scene::from_source(source);
        }
        set::scene(source, overrides, method)
    }

    /// Reads a scene file (.toml or .json).
    pub fn from_file(path: &Path) -> Result<Scene> {
        Scene::from_source(file(path)?)
    }

    /// Reads scene text; `file` names it in messages, its ending says whether it is JSON (else
    /// TOML), and files that the scene names are looked for in its folder.
    ///
    /// ```
    /// let text = r#"
    ///     container = { shape = "box", min = [0, 0, 0], max = [10, 10, 10] }
    ///     [[bodies]]
    ///     positions = [[5, 5, 5]]
    ///     radius = 0.5
    /// "#;
    /// let scene = riprap::scene::Scene::from_text(text, "one.toml".as_ref())?;
    /// assert_eq!(scene.name, "one");
    /// let wrong = text.replace("radius", "raduis");
    /// let problem = riprap::scene::Scene::from_text(&wrong, "one.toml".as_ref()).unwrap_err();
    /// assert_eq!(problem.message, "unknown field `bodies.raduis`");
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn from_text(text: &str, file: &Path) -> Result<Scene> {
        Scene::from_source(beside(file, text.into()))
    }

    /// Reads a source's text.
    pub(crate) fn from_source(source: Source) -> Result<Scene> {
        parse(&source)
            .and_then(|tree| start::with_bodies(tree, &source))
            .and_then(|tree| scene(&tree))
            .map_err(|fault| fault.in_source(&source))
            .map(|scene| scene.named(source))
    }

    /// With the source it was read from; the file names a scene that does not name itself.
    pub(super) fn named(mut self, source: Source) -> Scene {
        if self.name.is_empty() {
            let stem = source.file.file_stem().unwrap_or_default();
            self.name = stem.to_string_lossy().into_owned();
        }
        self.source = source;
        self
    }

    /// A problem with something that was written at this place.
    pub(crate) fn problem(&self, span: &super::Span, message: impl Into<String>) -> Problem {
        self.source.problem(span, message)
    }
}

/// A file of this name, or the gallery's scene.
fn find(file_or_name: &str) -> Result<Source> {
    let path = Path::new(file_or_name);
    let looks_like_a_file = path.extension().is_some() || path.components().count() > 1;
    let is_named = looks_like_a_file || path.is_dir();
    if path.is_file() || is_named && gallery::find(file_or_name).is_none() {
        return file(path);
    }
    gallery::source(file_or_name)
}

fn file(path: &Path) -> Result<Source> {
    if path.is_dir() {
        return Err(Problem::new("this is a folder, and no scene")
            .in_file(path)
            .help("name a scene file in it, or a scene of the gallery (`riprap scenes`)"));
    }
    let bytes = read_bytes(path)?;
    translate::is_no_solid(path)?;
    let source = beside(path, into_text(path, bytes)?);
    foreign::check(&source)?;
    match translate::translate(&source) {
        Some(text) => Ok(Source { text: text?, is_translated: true, ..source }),
        None => Ok(source),
    }
}

/// Files that the text names are looked for beside its own.
fn beside(file: &Path, text: String) -> Source {
    let folder = file.parent().map(Path::to_path_buf).unwrap_or_default();
    Source { file: file.to_path_buf(), text, files: Files::Folder(folder), ..Source::default() }
}

/// Whether a source is JSON (else TOML), such as what was translated from another format.
pub(super) fn is_json(source: &Source) -> bool {
    source.text.starts_with('{')
        || source.file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

/// The tree of a source's text.
pub(super) fn parse(source: &Source) -> Checked<Node> {
    if is_json(source) { parse_json(&source.text) } else { parse_toml(&source.text) }
}

/// What a tree says, which is checked against the description first.
pub(super) fn scene(node: &Node) -> Checked<Scene> {
    format::scene().check(node)?;
    let dimension = node.get("dimension").map_or(Ok(3), Node::whole)? as usize;
    let unused = capability::check(node)?;
    let phases = node.get("phases").map_or(Ok(&[][..]), Node::list)?;
    let method = match phases {
        [] => node.get("method").map_or(Ok("settle"), Node::text)?,
        [first, ..] => phases::method(first)?.name(),
    };
    let asked = MethodName::from_name(method).unwrap_or_default();
    let start = node.get("start").map(start::read).transpose()?;
    let is_taken_apart = start.as_ref().is_some_and(|start| start.separate);
    let method = if is_taken_apart { MethodName::Separate } else { asked };
    has_something(node, method, dimension)?;
    is_no_looser(node)?;
    let bodies = list(node, "bodies", |node| bodies_read::read(node, dimension))?;
    let holder = node.get("container");
    let holder_field = holder.map(|n| n.get("file").or(n.get("corners")).unwrap_or(n));
    Ok(Scene {
        name: name(node)?,
        about: text(node, "about")?,
        method,
        phases: start::with_separation(start.as_ref(), asked, phases::read(node, &bodies)?),
        dimension,
        seed: node.get("seed").map_or(Ok(0), Node::whole)?,
        gravity: gravity(node, dimension)?,
        container: holder.map(|node| container::read(node, dimension)).transpose()?,
        wall: holder.map_or(Ok(Material::default()), bodies_read::surface)?,
        container_span: holder_field.unwrap_or(node).span.clone(),
        bodies,
        start,
        joints: list(node, "joints", |node| joints_format::read(node, dimension))?,
        strengths: list(node, "strengths", strengths::read)?,
        forces: list(node, "forces", |node| forces::read(node, dimension))?,
        layout: node.get("layout").map(layouts::read).transpose()?,
        cloth: list(node, "cloth", cloth::read)?,
        attachments: list(node, "attachments", cloth::attachment)?,
        settle: node.get("settle").map_or(Ok(SettleOptions::default()), settle_options::read)?,
        collapse: node
            .get("collapse")
            .map_or(Ok(CollapseOptions::default()), collapse_options::read)?,
        dynamics: dynamics_options::of_scene(node)?,
        unused,
        source: Source::default(),
    })
}

/// The entries of an optional list.
fn list<T>(node: &Node, name: &str, read: impl Fn(&Node) -> Checked<T>) -> Checked<Vec<T>> {
    node.get(name).map_or(Ok(&[][..]), Node::list)?.iter().map(read).collect()
}

/// A scene has something that its method moves, and cloth only in space.
fn has_something(node: &Node, method: MethodName, dimension: usize) -> Checked<()> {
    let needed = match method {
        MethodName::Compact => &["layout"][..],
        MethodName::Dynamics => &["bodies", "cloth"],
        MethodName::Settle | MethodName::Collapse | MethodName::Separate => &["bodies"],
    };
    if needed.iter().all(|name| node.get(name).is_none()) {
        let message = format!("the scene needs `{}`", needed.join("` or `"));
        let help = format!("the method {method} moves nothing else");
        return Err(Fault::new(&node.span, message).help(help));
    }
    match node.get("cloth") {
        Some(cloth) if dimension == 2 => Err(Fault::new(&cloth.span, "cloth needs a 3D scene")
            .help("leave `dimension` out; in 2D, a chain of bodies on ropes is a thread")),
        _ => Ok(()),
    }
}

/// What a scene promises is no less than what every run is held to.
fn is_no_looser(node: &Node) -> Checked<()> {
    let options = node.get("dynamics");
    let mode = options.map_or(Ok(DynamicsOptions::default()), dynamics_options::read)?.mode;
    let overlaps = options.and_then(|options| options.get("overlap"));
    let cloth = node.get("cloth").map_or(Ok(&[][..]), Node::list)?;
    let stretches = cloth.iter().filter_map(|cloth| cloth.get("most_stretch"));
    let [overlap, stretch] = [0.5 * mode.most_overlap(), mode.most_stretch()];
    let stated = overlaps.into_iter().map(|node| ("overlap", node, overlap));
    for (name, node, most) in stated.chain(stretches.map(|node| ("most_stretch", node, stretch))) {
        if node.number()? > most {
            let message = format!("`{name}` is looser than what `verify` holds every run to");
            return Err(Fault::new(&node.span, message)
                .help(format!("leave it out, or give {most} or less")));
        }
    }
    Ok(())
}

fn gravity(node: &Node, dimension: usize) -> Checked<DVec3> {
    let Some(node) = node.get("gravity") else {
        return Ok(if dimension == 2 { -DVec3::Y } else { -DVec3::Z });
    };
    point(node, dimension)
}

/// The number of an optional field.
pub(super) fn number_or(node: &Node, name: &str, default: f64) -> Checked<f64> {
    node.get(name).map_or(Ok(default), Node::number)
}

/// The scene's name, which becomes that of files.
fn name(node: &Node) -> Checked<String> {
    let name = text(node, "name")?;
    let is_foreign = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':');
    match node.get("name") {
        Some(node) if name.trim().is_empty() || name.starts_with('.') || name.contains(is_foreign) => {
            Err(Fault::new(&node.span, "`name` is no plain name of a file")
                .help("run files are called so: letters and digits, not `/`, `\\` or `:`, and no dot at the beginning"))
        }
        _ => Ok(name),
    }
}

/// The text of an optional field; empty without it.
fn text(node: &Node, name: &str) -> Checked<String> {
    node.get(name).map_or(Ok(""), Node::text).map(String::from)
}

/// `[x, y, z]`; in 2D `[x, y]`, or with a z of 0.
pub(super) fn point(node: &Node, dimension: usize) -> Checked<DVec3> {
    let numbers = node.list()?;
    if let (2, [_, _, z]) = (dimension, numbers) {
        if z.number()? != 0.0 {
            let message = format!("z is {:?}, but a 2D scene lives in the x-y plane", z.number()?);
            return Err(Fault::new(&z.span, message).help("leave z out"));
        }
        return axes(node, 3);
    }
    axes(node, dimension)
}

/// One number for each axis; 0 for z if there is none.
pub(super) fn axes(node: &Node, dimension: usize) -> Checked<DVec3> {
    match node.list()? {
        [x, y] if dimension == 2 => Ok(DVec3::new(x.number()?, y.number()?, 0.0)),
        [x, y, z] if dimension == 3 => Ok(DVec3::new(x.number()?, y.number()?, z.number()?)),
        _ => Err(wrong_length(node, dimension)),
    }
}

pub(super) fn pair(node: &Node) -> Checked<[f64; 2]> {
    match node.list()? {
        [a, b] => Ok([a.number()?, b.number()?]),
        _ => Err(wrong_length(node, 2)),
    }
}

pub(super) fn wrong_length(node: &Node, needed: usize) -> Fault {
    let message = format!("expected {needed} numbers, found {}", node.what());
    Fault::new(&node.span, message)
        .help("`dimension` is 2 or 3 and says how many coordinates there are; without it, it is 3")
}

/// A fault unless every lower limit is below its upper limit.
pub(super) fn ordered(least: &[f64], most: &[f64], node: &Node) -> Checked<()> {
    for (least, most) in least.iter().zip(most) {
        if least >= most {
            let message =
                format!("the upper limit {most:?} is not above the lower limit {least:?}");
            return Err(Fault::new(&node.span, message).help("swap them, or leave room between"));
        }
    }
    Ok(())
}
