//! Reads the entries of a scene's list of bodies; the rules that join several fields.

use super::bodies::{Bodies, Fixed, Keyframe, Material, Motion, Place, Size, Turn, Weight, What};
use super::joints_format::WORLD;
use super::read::{axes, number_or, ordered, pair, point, wrong_length};
use super::spanned::{Checked, Fault, Node};
use super::{family, format, shapes_format, structures};
use crate::math::{DQuat, DVec3};

pub(super) fn read(node: &Node, dimension: usize) -> Checked<Bodies> {
    let name = group(node, "bodies")?;
    refuse_idle(node)?;
    let path = path(node, dimension)?;
    let place = match path.first() {
        Some(key) => Place::List { positions: vec![key.position] },
        None => place(node, dimension)?,
    };
    let what = what(node, dimension, &place)?;
    let turn = turn(node, dimension, &what, &place)?;
    let turn = match path.first().and_then(|key| key.rotation) {
        Some(rotation) => Turn::Fixed(rotation),
        None => turn,
    };
    let number = |name| node.get(name).map(Node::number).transpose();
    let weight = match (number("mass")?, number("density")?) {
        (Some(mass), _) => Weight::Mass(mass),
        (None, Some(density)) => Weight::Density(density),
        (None, None) if matches!(place, Place::File { .. }) => Weight::FromFile,
        (None, None) => Weight::Density(1.0),
    };
    let vector = |name| node.get(name).map_or(Ok(DVec3::ZERO), |node| point(node, dimension));
    let places = ["positions", "grid", "ring", "random", "file", "tower", "structure", "shape"];
    let written = places.iter().find_map(|name| node.get(name)).unwrap_or(node);
    Ok(Bodies {
        group: name,
        colour: node.get("colour").map(colour).transpose()?,
        motion: motion(node)?,
        fixed: fixed(node, &place)?,
        what,
        place,
        turn,
        weight,
        material: Material { rolling: number_or(node, "rolling", 0.0)?, ..surface(node)? },
        velocity: vector("velocity")?,
        push: vector("push")?,
        rotate: node.get("rotate").map_or(Ok(false), Node::flag)?,
        spin: node.get("spin").map_or(Ok(DVec3::ZERO), |node| rotation_vector(node, dimension))?,
        path,
        span: written.span.clone(),
    })
}

/// Six hexadecimal digits.
fn colour(node: &Node) -> Checked<[u8; 3]> {
    let text = node.text()?;
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
    let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let [_, red, green, blue] = number
        .ok_or_else(|| {
            Fault::new(&node.span, format!("`{text}` is no colour"))
                .help("write red, green and blue as hexadecimal digits, as in \"#c91a09\"")
        })?
        .to_be_bytes();
    Ok([red, green, blue])
}

/// The name of a group of bodies, or of cloth.
pub(super) fn group(node: &Node, default: &str) -> Checked<String> {
    let Some(node) = node.get("group") else { return Ok(default.into()) };
    match node.text()? {
        WORLD => Err(Fault::new(&node.span, "no group is called \"world\"")
            .help("joints and attachments call so what does not move: choose another name")),
        name => Ok(name.into()),
    }
}

/// Refuses what an entry says of a motion that its bodies do not have.
fn refuse_idle(node: &Node) -> Checked<()> {
    let motion = motion(node)?;
    let has_path = node.get("path").is_some();
    let stands = motion == Motion::Fixed;
    for (field, is_idle, why) in [
        ("velocity", stands, "its bodies are fixed"),
        ("spin", stands, "its bodies are fixed"),
        ("velocity", has_path, "its body moves along its path"),
        ("spin", has_path, "its body moves along its path"),
        ("push", motion != Motion::Free, "nothing but themselves moves its bodies"),
        ("rotate", motion != Motion::Free, "nothing but themselves moves its bodies"),
        ("fixed", motion != Motion::Free, "it picks bodies of an entry that is free"),
    ] {
        if let Some(idle) = node.get(field).filter(|_| is_idle) {
            let message = format!("`bodies.{field}` has no effect here: {why}");
            return Err(Fault::new(&idle.span, message).help("leave it out, or change `motion`"));
        }
    }
    Ok(())
}

/// Friction and restitution, of bodies and of the container.
pub(super) fn surface(node: &Node) -> Checked<Material> {
    let default = Material::default();
    let restitution = number_or(node, "restitution", default.restitution)?;
    if restitution > 1.0 {
        let span = &node.need("restitution")?.span;
        return Err(Fault::new(span, format!("the restitution {restitution:?} is above 1"))
            .help("from 0 (no bounce) to 1"));
    }
    Ok(Material {
        friction: number_or(node, "friction", default.friction)?,
        restitution,
        ..default
    })
}

fn what(node: &Node, dimension: usize, place: &Place) -> Checked<What> {
    if let Some(shape) = node.get("shape") {
        return Ok(What::Shapes(vec![shapes_format::read(shape, dimension)?]));
    }
    if let Some(shapes) = node.get("shapes") {
        let shapes = shapes.list()?.iter().map(|node| shapes_format::read(node, dimension));
        return Ok(What::Shapes(shapes.collect::<Checked<_>>()?));
    }
    let built = if let Some(tower) = node.get("tower") {
        let (family, depth) = family::read(tower, dimension)?;
        Some(What::Tower { family, depth })
    } else if let Some(structure) = node.get("structure") {
        Some(What::Structure(structures::read(structure, dimension)?))
    } else {
        None
    };
    if let Some(built) = built {
        let one = matches!(place, Place::Origin)
            || matches!(place, Place::List { positions } if positions.len() == 1);
        return match one {
            true => Ok(built),
            false => Err(Fault::new(&node.span, "a tower or structure stands at one place")
                .help("give a `position` by which it is moved, or none; one entry for each")),
        };
    }
    match (node.get("radius"), place) {
        (Some(radius), place) => Ok(What::Balls(size(radius, place)?)),
        (None, Place::File { .. }) => Ok(What::FromFile),
        (None, _) => Err(Fault::new(&node.span, "this entry does not say what its bodies are")
            .help("give a `radius` for balls, or `shape`, `shapes`, `tower` or `structure`")),
    }
}

fn motion(node: &Node) -> Checked<Motion> {
    let motion = match node.get("motion").map_or(Ok("free"), Node::text)? {
        "fixed" => Motion::Fixed,
        "driven" => Motion::Driven,
        _ => Motion::Free,
    };
    match node.get("path") {
        Some(path) if motion != Motion::Driven => {
            Err(Fault::new(&path.span, "only a driven body has a path")
                .help("write motion = \"driven\""))
        }
        _ => Ok(motion),
    }
}

fn fixed(node: &Node, place: &Place) -> Checked<Fixed> {
    let Some(node) = node.get("fixed") else { return Ok(Fixed::None) };
    if node.text().is_err() {
        let numbers = node.list()?.iter().map(|n| Ok(n.whole()? as usize));
        return Ok(Fixed::List(numbers.collect::<Checked<_>>()?));
    }
    if !matches!(place, Place::Grid { .. }) {
        return Err(Fault::new(&node.span, "only a grid has a border")
            .help("write motion = \"fixed\", or a list of numbers of bodies"));
    }
    Ok(Fixed::Border)
}

/// The type of particles of a file: a word, or a number.
fn kind(node: &Node) -> Checked<String> {
    node.text().map(String::from).or_else(|_| node.whole().map(|number| number.to_string()))
}

fn place(node: &Node, dimension: usize) -> Checked<Place> {
    if let (Some(kind), None) = (node.get("type"), node.get("file")) {
        return Err(Fault::new(&kind.span, "only particles of a `file` have types")
            .help("leave `type` out, or give `file`"));
    }
    if let Some(position) = node.get("position") {
        return Ok(Place::List { positions: vec![point(position, dimension)?] });
    }
    if let Some(positions) = node.get("positions") {
        let points = positions.list()?.iter().map(|node| point(node, dimension));
        return Ok(Place::List { positions: points.collect::<Checked<_>>()? });
    }
    if let Some(file) = node.get("file") {
        let kind = node.get("type").map(kind).transpose()?;
        return Ok(Place::File { file: file.text()?.into(), kind });
    }
    if let Some(grid) = node.get("grid") {
        return self::grid(grid, dimension);
    }
    if let Some(ring) = node.get("ring") {
        return Ok(Place::Ring {
            count: ring.need("count")?.whole()? as usize,
            radius: ring.need("radius")?.number()?,
            centre: point(ring.need("centre")?, dimension)?,
        });
    }
    let Some(random) = node.get("random") else { return Ok(Place::Origin) };
    let limit = |name, none| match random.get(name) {
        Some(node) => point(node, dimension),
        None => Ok(DVec3::splat(none)),
    };
    let (min, max) = (limit("min", f64::NEG_INFINITY)?, limit("max", f64::INFINITY)?);
    let max_node = random.get("max").unwrap_or(random);
    ordered(&min.to_array()[..dimension], &max.to_array()[..dimension], max_node)?;
    let clearance = random.get("clearance").map_or(Ok(0.0), |node| node.number())?;
    Ok(Place::Random { count: random.need("count")?.whole()? as usize, min, max, clearance })
}

fn grid(node: &Node, dimension: usize) -> Checked<Place> {
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
        jitter: number_or(node, "jitter", 0.0)?,
    })
}

fn turn(node: &Node, dimension: usize, what: &What, place: &Place) -> Checked<Turn> {
    if let Some(turns) = node.get("turns") {
        let count = match place {
            Place::List { positions } => positions.len(),
            _ => 0,
        };
        let written = turns.list()?;
        if written.len() != count {
            let message = format!("there are {} turns for {count} positions", written.len());
            return Err(Fault::new(&turns.span, message)
                .help("`turns` goes with `positions`, one for each; `turn` is for all"));
        }
        let each = written.iter().map(|node| turn_of(node, dimension));
        return Ok(Turn::Each(each.collect::<Checked<_>>()?));
    }
    let Some(turn) = node.get("turn") else { return Ok(Turn::Fixed(DQuat::IDENTITY)) };
    match (turn.text(), dimension) {
        (Err(_), _) => Ok(Turn::Fixed(turn_of(turn, dimension)?)),
        (Ok(word), _) if matches!(what, What::Tower { .. } | What::Structure(_)) => {
            let message = format!("a tower or structure is not turned \"{word}\"");
            Err(Fault::new(&turn.span, message).help("give the turn in degrees"))
        }
        (Ok("upright"), _) => Ok(Turn::Upright),
        (Ok(_), 2) => Err(Fault::new(&turn.span, "`random` turns are for 3D scenes")
            .help("in 2D, \"upright\" turns every body in the plane")),
        (Ok(_), _) => Ok(Turn::Random),
    }
}

fn path(node: &Node, dimension: usize) -> Checked<Vec<Keyframe>> {
    let Some(path) = node.get("path") else { return Ok(Vec::new()) };
    let mut keys: Vec<Keyframe> = Vec::new();
    for node in path.list()? {
        let numbers = node.list()?.iter().map(Node::number).collect::<Checked<Vec<f64>>>()?;
        let (time, position, rotation) = match (&numbers[..], dimension) {
            (&[t, x, y], 2) => (t, DVec3::new(x, y, 0.0), None),
            (&[t, x, y, turn], 2) => (t, DVec3::new(x, y, 0.0), Some(DVec3::Z * turn)),
            (&[t, x, y, z], 3) => (t, DVec3::new(x, y, z), None),
            (&[t, x, y, z, a, b, c], 3) => (t, DVec3::new(x, y, z), Some(DVec3::new(a, b, c))),
            _ => {
                let message = format!("this keyframe has {} numbers", numbers.len());
                let help = match dimension {
                    2 => "[time, x, y], or [time, x, y, angle]",
                    _ => "[time, x, y, z], or [time, x, y, z, rx, ry, rz] with a turn in degrees",
                };
                return Err(Fault::new(&node.span, message).help(help));
            }
        };
        if let Some(last) = keys.last().filter(|last| last.time >= time) {
            let message = format!("the time {time:?} is not after {:?}", last.time);
            return Err(Fault::new(&node.span, message).help("keyframes go forward in time"));
        }
        if keys.last().is_some_and(|last| last.rotation.is_some() != rotation.is_some()) {
            return Err(Fault::new(&node.span, "some keyframes have a turn and some have none")
                .help("give a turn to all of them, or to none"));
        }
        let rotation = rotation.map(|turn| DQuat::from_scaled_axis(radians(turn)));
        keys.push(Keyframe { time, position, rotation });
    }
    Ok(keys)
}

/// A turn in degrees: a vector along the axis; in 2D a number.
pub(super) fn turn_of(node: &Node, dimension: usize) -> Checked<DQuat> {
    rotation_vector(node, dimension).map(DQuat::from_scaled_axis)
}

/// In radians.
pub(super) fn rotation_vector(node: &Node, dimension: usize) -> Checked<DVec3> {
    match (node.number(), dimension) {
        (Ok(angle), 2) => Ok(DVec3::Z * angle.to_radians()),
        (Err(_), 3) => Ok(radians(point(node, 3)?)),
        (_, 2) => Err(Fault::new(&node.span, format!("expected a number, found {}", node.what()))
            .help("in 2D, turns are numbers of degrees, counter-clockwise")),
        _ => Err(Fault::new(&node.span, format!("expected a vector, found {}", node.what()))
            .help("in 3D, a turn is a vector along its axis, as long as the angle in degrees")),
    }
}

pub(super) fn radians(v: DVec3) -> DVec3 {
    DVec3::from_array(v.to_array().map(f64::to_radians))
}

fn size(radius: &Node, place: &Place) -> Checked<Size> {
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

#[cfg(test)]
mod tests {
    use super::super::Scene;
    use super::*;

    fn read(text: &str) -> crate::Result<Bodies> {
        let text = format!("method = \"dynamics\"\n[[bodies]]\n{text}");
        Scene::from_text(&text, "scene.toml".as_ref()).map(|mut scene| scene.bodies.remove(0))
    }

    #[test]
    fn one_default_for_every_method() {
        let ball = read("radius = 1").unwrap();
        assert_eq!(
            (ball.place, ball.motion, ball.weight),
            (Place::Origin, Motion::Free, Weight::Density(1.0))
        );
        assert_eq!(ball.material, Material { friction: 0.5, restitution: 0.0, rolling: 0.0 });
        assert_eq!((ball.group.as_str(), ball.turn), ("bodies", Turn::Fixed(DQuat::IDENTITY)));
    }

    #[test]
    fn a_path_places_a_driven_body() {
        let door = "motion = \"driven\"\nshape = { kind = \"box\", size = [1, 1, 1] }\n";
        let path = "path = [[0, 1, 0, 0, 0, 0, 90], [2, 1, 5, 0, 0, 0, 0]]";
        let moved = read(&format!("{door}{path}")).unwrap();
        assert_eq!(moved.place, Place::List { positions: vec![DVec3::X] });
        assert!(
            matches!(moved.turn, Turn::Fixed(turn) if (turn * DVec3::X - DVec3::Y).length() < 1e-15)
        );
        assert_eq!(moved.path[1].time, 2.0);
        for (text, expected) in [
            (format!("radius = 1\n{path}"), "only a driven body has a path"),
            (format!("{door}path = [[0, 0, 0, 0], [0, 1, 0, 0]]"), "the time 0.0 is not after 0.0"),
            (format!("{door}path = [[0, 0, 0], [1, 1, 0]]"), "this keyframe has 3 numbers"),
            (
                format!("{door}path = [[0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 1]]"),
                "some keyframes have a turn and some have none",
            ),
            (
                format!("{door}{path}\nposition = [0, 0, 0]"),
                "`bodies` has both `position` and `path`, which exclude each other",
            ),
        ] {
            assert_eq!(read(&text).unwrap_err().message, expected);
        }
    }

    #[test]
    fn what_does_not_fit_together_is_refused_with_a_remedy() {
        let mesh = "shape = { kind = \"polygon\", corners = [[0, 0], [1, 0], [0, 1]] }";
        for (text, expected) in [
            ("group = \"a\"", "this entry does not say what its bodies are"),
            ("radius = 1\nfixed = \"border\"", "only a grid has a border"),
            ("radius = 1\nrestitution = 2", "the restitution 2.0 is above 1"),
            ("radius = 1\nturn = 90", "expected a vector, found 90"),
            ("radius = 1\nturns = [[0, 0, 1]]", "there are 1 turns for 0 positions"),
            (
                "tower = { family = \"diamond\", size = 2 }\nturn = \"random\"",
                "a tower or structure is not turned \"random\"",
            ),
            (
                "tower = { family = \"diamond\", size = 2 }\npositions = [[0, 0, 0], [9, 0, 0]]",
                "a tower or structure stands at one place",
            ),
            (mesh, "the shape `polygon` needs a 2D scene, but the `dimension` of this one is 3"),
            (
                "radius = 1\nfixed = \"all\"",
                "`bodies.fixed` must be `border`, found the text \"all\"",
            ),
        ] {
            let problem = read(text).unwrap_err();
            assert_eq!(problem.message, expected);
            assert!(problem.help.is_some() && problem.place.is_some(), "{problem}");
        }
    }
}
