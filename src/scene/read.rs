//! Text to [`Scene`]. The description in [`super::format`] has found every
//! unknown, missing or mistyped field before anything here is called; what is
//! left are the rules that join several fields.

use std::path::{Path, PathBuf};

use super::source::{Files, Source, into_text, read_bytes};
use super::spanned::{Checked, Fault, Node, parse_json, parse_toml};
use super::{
    Bodies, Collapse, Container, Dynamics, Fixed, Method, Place, Reach, Scene, Settle, Size,
    Weight, bricks, cloth, forces, format, gallery, layouts, rigid, solids,
};
use crate::math::DVec3;
use crate::problem::{Problem, Result};

impl Scene {
    /// Reads a scene file (.toml or .json), or the gallery's scene of this name.
    pub fn open(file_or_name: &str) -> Result<Scene> {
        let path = Path::new(file_or_name);
        if path.is_file() {
            return Scene::from_file(path);
        }
        let looks_like_a_file = path.extension().is_some() || path.components().count() > 1;
        if looks_like_a_file && gallery::find(file_or_name).is_none() {
            return Scene::from_file(path);
        }
        gallery::scene(file_or_name)
    }

    /// Reads a scene file (.toml or .json).
    pub fn from_file(path: &Path) -> Result<Scene> {
        let text = into_text(path, read_bytes(path)?)?;
        Scene::from_text(&text, path)
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
        let folder = file.parent().map(Path::to_path_buf).unwrap_or_default();
        Scene::from_source(Source {
            file: file.to_path_buf(),
            text: text.into(),
            files: Files::Folder(folder),
        })
    }

    /// Reads a source's text.
    pub fn from_source(source: Source) -> Result<Scene> {
        let is_json = source.file.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
        let parse = if is_json { parse_json } else { parse_toml };
        let mut scene = parse(&source.text)
            .and_then(|tree| format::scene().check(&tree).and_then(|()| scene(&tree)))
            .map_err(|fault| fault.in_source(&source))?;
        if scene.name.is_empty() {
            let stem = source.file.file_stem().unwrap_or_default();
            scene.name = stem.to_string_lossy().into_owned();
        }
        scene.source = source;
        Ok(scene)
    }

    /// A problem with something that was written at this place.
    pub fn problem(&self, span: &super::Span, message: impl Into<String>) -> Problem {
        self.source.problem(span, message)
    }
}

fn scene(node: &Node) -> Checked<Scene> {
    let dimension = node.get("dimension").map_or(Ok(3), Node::whole)? as usize;
    let container_node = node.get("container");
    let container = container_node.map(|node| container(node, dimension)).transpose()?;
    let container_field = container_node.map(|n| n.get("file").or(n.get("corners")).unwrap_or(n));
    let list = |name| node.get(name).map_or(Ok(&[][..]), Node::list);
    let (method, bodies) = (method(node)?, list("bodies")?);
    Ok(Scene {
        name: text(node, "name")?,
        about: text(node, "about")?,
        method,
        dimension,
        seed: node.get("seed").map_or(Ok(0), Node::whole)?,
        gravity: gravity(node, dimension)?,
        container,
        container_span: container_field.unwrap_or(node).span.clone(),
        bodies: bodies
            .iter()
            .map(|group| self::bodies(group, dimension))
            .collect::<Checked<_>>()?,
        forces: list("forces")?
            .iter()
            .map(|force| forces::force(force, dimension))
            .collect::<Checked<_>>()?,
        links: list("links")?.iter().map(forces::links).collect::<Checked<_>>()?,
        bricks: list("bricks")?
            .iter()
            .map(|node| bricks::entry(node, dimension))
            .collect::<Checked<_>>()?,
        pins: list("pins")?
            .iter()
            .map(|node| bricks::pin(node, dimension))
            .collect::<Checked<_>>()?,
        rigid: list("rigid")?.iter().map(rigid::rigid).collect::<Checked<_>>()?,
        structures: list("structures")?.iter().map(rigid::structure).collect::<Checked<_>>()?,
        joints: list("joints")?.iter().map(rigid::joint).collect::<Checked<_>>()?,
        cloth: list("cloth")?.iter().map(cloth::read).collect::<Checked<_>>()?,
        attachments: list("attachments")?.iter().map(cloth::attachment).collect::<Checked<_>>()?,
        dynamics: node.get("dynamics").map_or(Ok(Dynamics::default()), rigid::dynamics)?,
        layout: node.get("layout").map(layouts::read).transpose()?,
        bars: list("bars")?
            .iter()
            .map(|node| bricks::bar(node, dimension))
            .collect::<Checked<_>>()?,
        collapse: node.get("collapse").map_or(Ok(Collapse::default()), bricks::collapse)?,
        settle: node.get("settle").map_or(Ok(Settle::default()), settle)?,
        source: Source::default(),
    })
}

/// The method moves what there is: settle bodies, collapse bricks, compact a layout, dynamics
/// rigid bodies.
fn method(node: &Node) -> Checked<Method> {
    let name = node.get("method").map_or(Ok("settle"), Node::text)?;
    let (method, own): (_, &[&str]) = match name {
        "collapse" => (Method::Collapse, &["bricks"]),
        "compact" => (Method::Compact, &["layout"]),
        "dynamics" => (Method::Dynamics, &["rigid", "structures", "cloth"]),
        _ => (Method::Settle, &["bodies"]),
    };
    let needed = own.join("` or `");
    let others =
        ["bodies", "bricks", "layout", "rigid", "structures", "cloth", "joints", "attachments"];
    let joined = method == Method::Dynamics;
    let allowed =
        |other: &&&str| own.contains(other) || joined && ["joints", "attachments"].contains(*other);
    let wrong = others.iter().filter(|other| !allowed(other));
    for other in wrong {
        if let Some(wrong) = node.get(other) {
            return Err(Fault::new(&wrong.span, format!("the method `{name}` moves no `{other}`"))
                .help(format!("give `{needed}`, or another `method`")));
        }
    }
    if own.iter().all(|own| node.get(own).is_none()) {
        return Err(Fault::new(&node.span, format!("the scene needs `{needed}`"))
            .help("settle moves `bodies`, collapse `bricks`, compact a `layout`, dynamics `rigid`, `structures` or `cloth`"));
    }
    if let (Method::Dynamics, Some(dimension)) = (method, node.get("dimension"))
        && dimension.whole()? != 3
    {
        return Err(Fault::new(&dimension.span, "scenes of the method dynamics are 3D")
            .help("leave `dimension` out"));
    }
    Ok(method)
}

fn gravity(node: &Node, dimension: usize) -> Checked<DVec3> {
    let Some(node) = node.get("gravity") else {
        return Ok(if dimension == 2 { -DVec3::Y } else { -DVec3::Z });
    };
    point(node, dimension)
}

fn container(node: &Node, dimension: usize) -> Checked<Container> {
    let shape = node.need("shape")?;
    fits_dimension(shape, dimension)?;
    let sides = || node.get("sides").map_or(Ok(64), Node::whole).map(|sides| sides as usize);
    match shape.text()? {
        "box" => {
            let (min, max) = (node.need("min")?, node.need("max")?);
            let (least, most) = (point(min, dimension)?, point(max, dimension)?);
            ordered(&least.to_array()[..dimension], &most.to_array()[..dimension], max)?;
            Ok(Container::Box { min: least, max: most })
        }
        "cylinder" => {
            let top = node.need("top")?;
            let bottom = node.need("bottom")?.number()?;
            ordered(&[bottom], &[top.number()?], top)?;
            let radius = node.need("radius")?.number()?;
            Ok(Container::Cylinder { radius, bottom, top: top.number()?, sides: sides()? })
        }
        "profile" => {
            Ok(Container::Profile { corners: profile(node.need("corners")?)?, sides: sides()? })
        }
        "mesh" => Ok(Container::Mesh {
            file: PathBuf::from(node.need("file")?.text()?),
            scale: node.get("scale").map_or(Ok(1.0), Node::number)?,
        }),
        _ => {
            let corners = node.need("corners")?.list()?;
            Ok(Container::Polygon { corners: corners.iter().map(pair).collect::<Checked<_>>()? })
        }
    }
}

/// Some shapes make sense in 2D or in 3D only.
fn fits_dimension(shape: &Node, dimension: usize) -> Checked<()> {
    let name = shape.text()?;
    let (needed, instead) = match (name, dimension) {
        ("cylinder" | "profile" | "mesh", 2) => (3, "`box` or `polygon`"),
        ("polygon", 3) => (2, "`box`, `cylinder`, `profile` or `mesh`"),
        _ => return Ok(()),
    };
    let message = format!(
        "the shape `{name}` needs a {needed}D scene, but the `dimension` of this one is {dimension}"
    );
    Err(Fault::new(&shape.span, message).help(format!("in {dimension}D, use {instead}")))
}

/// Corners from the bottom up; only the two ends may be tips.
fn profile(node: &Node) -> Checked<Vec<[f64; 2]>> {
    let mut corners: Vec<[f64; 2]> = Vec::new();
    let nodes = node.list()?;
    for (index, corner) in nodes.iter().enumerate() {
        let [z, radius] = pair(corner)?;
        let is_tip = radius == 0.0 && (index == 0 || index == nodes.len() - 1);
        let two_tips = is_tip && corners.iter().all(|corner| corner[1] == 0.0) && index > 0;
        if !(radius > 0.0 || is_tip) || two_tips {
            let message = format!("the radius of this corner is {radius:?}");
            let help = "radii are positive; the first or the last may be 0, for a tip";
            return Err(Fault::new(&corner.span, message).help(help));
        }
        if corners.last().is_some_and(|last| last[0] >= z) {
            let message = format!("this corner, at z = {z:?}, is not above the one before it");
            return Err(Fault::new(&corner.span, message).help("corners go from the bottom up"));
        }
        corners.push([z, radius]);
    }
    Ok(corners)
}

fn bodies(node: &Node, dimension: usize) -> Checked<Bodies> {
    let group = node.get("group").map_or(Ok("spheres"), Node::text)?;
    let places = ["grid", "positions", "file", "random"];
    let written = places.iter().find_map(|name| node.get(name)).unwrap_or(node);
    let place = place(node, dimension)?;
    let shape = node.get("shape").map(|shape| solids::read(shape, dimension)).transpose()?;
    let size = if shape.is_some() { Size::OfShape } else { size(node, &place)? };
    let number = |name| node.get(name).map(Node::number).transpose();
    let weight = match (number("mass")?, number("density")?) {
        (Some(mass), _) => Weight::Mass(mass),
        (None, Some(density)) => Weight::Density(density),
        (None, None) if matches!(place, Place::File { .. }) => Weight::FromFile,
        (None, None) => Weight::Density(1.0),
    };
    let fixed = fixed(node, &place)?;
    let span = written.span.clone();
    Ok(Bodies { group: group.into(), place, size, shape, weight, fixed, span })
}

fn fixed(node: &Node, place: &Place) -> Checked<Fixed> {
    let fixed = forces::fixed(node.get("fixed"))?;
    if fixed == Fixed::Border && !matches!(place, Place::Grid { .. }) {
        let span = &node.need("fixed")?.span;
        return Err(Fault::new(span, "only a grid has a border")
            .help("fix \"all\", or a list of numbers of bodies"));
    }
    Ok(fixed)
}

fn place(node: &Node, dimension: usize) -> Checked<Place> {
    if let Some(grid) = node.get("grid") {
        return self::grid(grid, dimension);
    }
    if let Some(positions) = node.get("positions") {
        let points = positions.list()?.iter().map(|node| point(node, dimension));
        return Ok(Place::List { positions: points.collect::<Checked<_>>()? });
    }
    if let Some(file) = node.get("file") {
        return Ok(Place::File { file: PathBuf::from(file.text()?) });
    }
    let random = node.need("random")?;
    let limit = |name, none| match random.get(name) {
        Some(node) => point(node, dimension),
        None => Ok(DVec3::splat(none)),
    };
    let (min, max) = (limit("min", f64::NEG_INFINITY)?, limit("max", f64::INFINITY)?);
    let max_node = random.get("max").unwrap_or(random);
    ordered(&min.to_array()[..dimension], &max.to_array()[..dimension], max_node)?;
    Ok(Place::Random { count: random.need("count")?.whole()? as usize, min, max })
}

pub(super) fn grid(node: &Node, dimension: usize) -> Checked<Place> {
    let count_node = node.need("count")?;
    let counts = count_node.list()?;
    if counts.len() != dimension {
        return Err(wrong_length(count_node, dimension));
    }
    let mut count = [1; 3];
    for (count, node) in count.iter_mut().zip(counts) {
        *count = node.whole()?;
    }
    let total = count[0].saturating_mul(count[1]).saturating_mul(count[2]);
    if total > format::MOST_BODIES {
        let message = format!("this grid has {total} bodies");
        let help = format!("at most {} are possible", format::MOST_BODIES);
        return Err(Fault::new(&count_node.span, message).help(help));
    }
    let spacing = node.need("spacing")?;
    Ok(Place::Grid {
        count: count.map(|n| n as usize),
        first: point(node.need("first")?, dimension)?,
        spacing: match spacing.number() {
            Ok(number) => DVec3::splat(number),
            Err(_) => axes(spacing, dimension)?,
        },
        jitter: node.get("jitter").map_or(Ok(0.0), Node::number)?,
    })
}

fn size(node: &Node, place: &Place) -> Checked<Size> {
    let Some(radius) = node.get("radius") else {
        if matches!(place, Place::File { .. }) {
            return Ok(Size::FromFile);
        }
        return Err(Fault::new(&node.span, "`bodies.radius` is missing")
            .help("give a number, a table with `uniform`, `lognormal` or `table`, or a `shape`"));
    };
    if let Ok(radius) = radius.number() {
        return Ok(Size::Equal { radius });
    }
    if let Ok(radii) = radius.list() {
        let Place::List { positions } = place else {
            return Err(Fault::new(&radius.span, "a list of radii goes with a list of positions")
                .help("give one radius, or a table with `uniform`, `lognormal` or `table`"));
        };
        if positions.len() != radii.len() {
            let (found, needed) = (radii.len(), positions.len());
            let message = format!("there are {found} radii for {needed} positions");
            return Err(Fault::new(&radius.span, message).help("give one for each"));
        }
        return Ok(Size::Each { radii: radii.iter().map(Node::number).collect::<Checked<_>>()? });
    }
    distribution(radius)
}

fn distribution(node: &Node) -> Checked<Size> {
    if let Some(uniform) = node.get("uniform") {
        let [min, max] = pair(uniform)?;
        if min > max {
            let message = format!("the least radius {min:?} is above the greatest, {max:?}");
            return Err(Fault::new(&uniform.span, message).help("uniform = [min, max]"));
        }
        return Ok(Size::Uniform { min, max });
    }
    if let Some(table) = node.get("lognormal") {
        let number = |name| table.need(name).and_then(Node::number);
        let (median, sigma) = (number("median")?, number("sigma")?);
        let (min, max) = (number("min")?, number("max")?);
        if !(min <= median && median <= max && min < max) {
            let message = format!("the median {median:?} is not between {min:?} and {max:?}");
            return Err(Fault::new(&table.span, message).help("min <= median <= max, min < max"));
        }
        return Ok(Size::Lognormal { median, sigma, min, max });
    }
    let table = node.need("table")?;
    let (mut radii, mut shares) = (Vec::new(), Vec::new());
    for row in table.list()? {
        let [radius, share] = pair(row)?;
        if radius <= 0.0 {
            return Err(Fault::new(&row.span, "the radius of this row is 0")
                .help("radii are positive numbers"));
        }
        radii.push(radius);
        shares.push(share);
    }
    let total: f64 = shares.iter().sum();
    if !(total > 0.0 && total.is_finite()) {
        let message = format!("the shares of this table sum to {total:?}");
        return Err(Fault::new(&table.span, message).help("at least one share is positive"));
    }
    Ok(Size::Table { radii, shares })
}

fn settle(node: &Node) -> Checked<Settle> {
    let default = Settle::default();
    let number = |name, default| node.get(name).map_or(Ok(default), Node::number);
    let reach = match node.get("reach") {
        Some(reach) => Reach::from_name(reach.text()?),
        None => None,
    };
    Ok(Settle {
        reach: reach.unwrap_or(default.reach),
        reach_radii: number("reach_radii", default.reach_radii)?,
        conservative: number("conservative", default.conservative)?,
        proximal: number("proximal", default.proximal)?,
        early_stop: number("early_stop", default.early_stop)?,
        tolerance: number("tolerance", default.tolerance)?,
        smoothing: number("smoothing", default.smoothing)?,
        accuracy: number("accuracy", default.accuracy)?,
        max_steps: match node.get("max_steps") {
            Some(steps) => steps.whole()? as usize,
            None => default.max_steps,
        },
    })
}

/// The number of an optional field.
pub(super) fn number_or(node: &Node, name: &str, default: f64) -> Checked<f64> {
    node.get(name).map_or(Ok(default), Node::number)
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
fn axes(node: &Node, dimension: usize) -> Checked<DVec3> {
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

fn wrong_length(node: &Node, needed: usize) -> Fault {
    let message = format!("expected {needed} numbers, found {}", node.what());
    Fault::new(&node.span, message)
        .help("`dimension` is 2 or 3 and says how many coordinates there are; without it, it is 3")
}

/// A fault unless every lower limit is below its upper limit.
fn ordered(least: &[f64], most: &[f64], node: &Node) -> Checked<()> {
    for (least, most) in least.iter().zip(most) {
        if least >= most {
            let message =
                format!("the upper limit {most:?} is not above the lower limit {least:?}");
            return Err(Fault::new(&node.span, message).help("swap them, or leave room between"));
        }
    }
    Ok(())
}
