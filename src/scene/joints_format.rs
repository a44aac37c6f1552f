//! The part of the scene format that describes joints, and its reading.

use super::forces::pairs;
use super::forces_format::pairs as pairs_kind;
use super::format::{MOST_BODIES, number, pair as pair_kind, point as point_kind, positive};
use super::joints::{BodyName, JointEnds, JointEntry, JointKind, MotorEntry};
use super::kind::{Kind, Range, Table};
use super::read::{number_or, pair, point};
use super::spanned::{Checked, Fault, Node};
use crate::math::DVec3;

/// The name of the world in joints and attachments.
pub(super) const WORLD: &str = "world";

/// How much a bar may be shorter, as a part of its length, unless the scene says.
const TOLERANCE: f64 = 1e-4;

impl JointKind {
    const ALL: [(JointKind, &'static str, &'static str); 14] = [
        (JointKind::Ball, "ball", "The points coincide."),
        (JointKind::Pin, "pin", "The points coincide; 2D only."),
        (JointKind::Line, "line", "The point stays on a line of the second body."),
        (JointKind::Plane, "plane", "The point stays on a plane of the second body; 3D only."),
        (JointKind::Hinge, "hinge", "The bodies turn about a common axis; 3D only."),
        (JointKind::Slider, "slider", "The first body slides along a rail of the second."),
        (
            JointKind::Universal,
            "universal",
            "The points coincide; `axis` of the first stays across `axis2` of the second; 3D only.",
        ),
        (JointKind::Fixed, "fixed", "Neither moves against the other."),
        (JointKind::Distance, "distance", "The points `at` and `to` keep their distance."),
        (JointKind::Rope, "rope", "The distance is at most the length."),
        (JointKind::Bar, "bar", "The distance is the length, up to a tolerance."),
        (
            JointKind::Parallel,
            "parallel",
            "`axis` of the first stays parallel to itself in the second; 3D only.",
        ),
        (
            JointKind::Perpendicular,
            "perpendicular",
            "`axis` of the first stays across `axis2` of the second; 3D only.",
        ),
        (JointKind::Angle, "angle", "Neither turns against the other."),
    ];

    /// As scene files spell it.
    pub fn name(self) -> &'static str {
        JointKind::ALL.iter().find(|kind| kind.0 == self).map_or("", |kind| kind.1)
    }

    fn from_name(name: &str) -> Option<JointKind> {
        JointKind::ALL.iter().find(|kind| kind.1 == name).map(|kind| kind.0)
    }

    /// Which of its axes must be given.
    fn axes(self) -> &'static [&'static str] {
        match self {
            JointKind::Line
            | JointKind::Plane
            | JointKind::Hinge
            | JointKind::Slider
            | JointKind::Parallel => &["axis"],
            JointKind::Universal | JointKind::Perpendicular => &["axis", "axis2"],
            _ => &[],
        }
    }
}

pub(super) fn format() -> Table {
    let kinds = JointKind::ALL.iter().map(|(_, name, about)| (*name, *about)).collect();
    let name = Kind::Either(vec![Kind::Text, Kind::Whole { least: 0, most: MOST_BODIES }]);
    let two = Kind::List { what: "the names of two bodies", of: Box::new(name), least: 2, most: 2 };
    Table::new("joints")
        .says("Two bodies joined, a body and the world, or pairs of bodies of a group.")
        .required("kind", Kind::Choice(kinds))
        .about("What it holds.")
        .optional("bodies", two)
        .about("Names of groups of one body, `name.3` for the fourth of a group, or `world`; or")
        .about("numbers of bodies in the order of the scene, from 0.")
        .optional("at", point_kind())
        .about("Where, at the start; of ropes, bars and distances, the point of the first body,")
        .about("without which its centre counts. Kinds that hold turns only have none.")
        .optional("to", point_kind())
        .about("Of ropes, bars and distances: the point of the second body; without it, its")
        .about("centre.")
        .optional("axis", point_kind())
        .about("The line, the plane's normal, the hinge's axis or the rail.")
        .optional("axis2", point_kind())
        .about("The second axis of a universal or perpendicular joint.")
        .optional("limits", pair_kind("a pair [least, greatest]", Range::Any))
        .about("Least and greatest angle in degrees, shift, or distance.")
        .optional("motor", Kind::Table(motor()))
        .about("Drives a hinge, a pin or a slider.")
        .optional("group", Kind::Text)
        .about("Of ropes and bars: the group whose bodies are joined, centre to centre.")
        .optional("between", pairs_kind())
        .about("Which bodies of the group.")
        .optional("length", positive())
        .about("Of ropes and bars; without it, the distance at the start.")
        .optional("tolerance", Kind::Number(Range::Fraction))
        .default(TOLERANCE)
        .about("By how much a bar may be shorter, as a part of the length.")
        .optional("collide", Kind::Flag)
        .about("Whether the joined bodies touch each other; without it, those of ropes and bars")
        .about("do.")
        .exactly_one(&["bodies", "group"])
}

fn motor() -> Table {
    Table::new("joints.motor")
        .says("A motor.")
        .required("speed", number())
        .about("In degrees or lengths per time.")
        .optional("most", positive())
        .about("The greatest torque or force; without it, no limit.")
}

pub(super) fn read(node: &Node, dimension: usize) -> Checked<JointEntry> {
    let kind_node = node.need("kind")?;
    let name = kind_node.text()?;
    let Some(kind) = JointKind::from_name(name) else {
        return Err(Fault::new(&kind_node.span, format!("there is no joint `{name}`")));
    };
    fits_dimension(kind, kind_node, dimension)?;
    for (field, allowed, owners) in [
        ("at", !kind.is_rotational(), "it holds turns, wherever the bodies are"),
        ("to", kind.is_distance(), "distances, ropes and bars have one"),
        ("group", is_rope(kind), "ropes and bars join the bodies of a group"),
        ("between", node.get("group").is_some(), "it goes with `group`"),
        ("length", is_rope(kind), "ropes and bars have one; a distance is as long as it starts"),
        ("tolerance", kind == JointKind::Bar, "bars have one"),
        (
            "limits",
            kind.turns() || matches!(kind, JointKind::Slider | JointKind::Distance),
            "hinges, pins, sliders and distances have limits",
        ),
        ("motor", kind.turns() || kind == JointKind::Slider, "hinges, pins and sliders have one"),
        ("axis", !kind.axes().is_empty(), "this kind needs no axis"),
        ("axis2", kind.axes().len() > 1, "universal and perpendicular joints have one"),
    ] {
        if let Some(wrong) = node.get(field).filter(|_| !allowed) {
            let message = format!("a joint of the kind `{name}` has no `{field}` here");
            return Err(Fault::new(&wrong.span, message).help(owners));
        }
    }
    let scale = |x: f64| if kind.turns() { x.to_radians() } else { x };
    let motor = match node.get("motor") {
        None => None,
        Some(motor) => Some(MotorEntry {
            speed: scale(motor.need("speed")?.number()?),
            most: motor.get("most").map(Node::number).transpose()?,
        }),
    };
    Ok(JointEntry {
        kind,
        ends: match node.get("group") {
            Some(group) => JointEnds::Group {
                group: group.text()?.into(),
                pairs: pairs(node.need("between")?)?,
            },
            None => bodies(node, kind, dimension)?,
        },
        length: node.get("length").map(Node::number).transpose()?,
        tolerance: match kind {
            JointKind::Rope => 1.0,
            _ => number_or(node, "tolerance", TOLERANCE)?,
        },
        limits: node.get("limits").map(|limits| limits_of(limits, scale)).transpose()?,
        motor,
        collide: node.get("collide").map_or(Ok(is_rope(kind)), Node::flag)?,
        span: node.span.clone(),
    })
}

fn is_rope(kind: JointKind) -> bool {
    matches!(kind, JointKind::Rope | JointKind::Bar)
}

/// Some joints make sense in 2D or in 3D only.
fn fits_dimension(kind: JointKind, node: &Node, dimension: usize) -> Checked<()> {
    let (needed, instead) = match (kind, dimension) {
        (JointKind::Pin, 3) => (2, "in 3D, use `ball`, or a `hinge` with its `axis`"),
        (JointKind::Hinge | JointKind::Universal, 2) => (3, "in 2D, a `pin` turns"),
        (JointKind::Plane, 2) => (3, "in 2D, use `line`"),
        (JointKind::Parallel | JointKind::Perpendicular, 2) => (3, "in 2D, use `angle`"),
        _ => return Ok(()),
    };
    let message = format!(
        "the joint `{}` needs a {needed}D scene, but the `dimension` of this one is {dimension}",
        kind.name()
    );
    Err(Fault::new(&node.span, message).help(instead))
}

fn bodies(node: &Node, kind: JointKind, dimension: usize) -> Checked<JointEnds> {
    let written = node.need("bodies")?;
    let [one, two] = written.list()? else {
        return Err(Fault::new(&written.span, "a joint joins two bodies"));
    };
    let bodies = [body(one)?, body(two)?];
    if bodies[0] == bodies[1] {
        return Err(Fault::new(&written.span, format!("this joins {} to itself", bodies[0]))
            .help("name two different bodies, or one and \"world\""));
    }
    let point_of = |name| node.get(name).map(|at| point(at, dimension)).transpose();
    let at = point_of("at")?;
    if at.is_none() && !(kind.is_distance() || kind.is_rotational()) {
        let message = format!("a joint of the kind `{}` needs `at`", kind.name());
        return Err(Fault::new(&node.span, message).help("where it is at the start"));
    }
    let points = if kind.is_distance() { [at, point_of("to")?] } else { [at; 2] };
    if kind.is_distance() {
        for (k, name) in ["at", "to"].into_iter().enumerate() {
            if points[k].is_none() && bodies[k] == BodyName::World {
                let message = format!("the world has no centre: `{name}` is missing");
                return Err(Fault::new(&node.span, message)
                    .help("give the point of the world that the other end is tied to"));
            }
        }
        if at.is_some() && points[0] == points[1] {
            return Err(Fault::new(&node.span, "the two points of the joint are the same")
                .help("`at` is a point of the first body, `to` one of the second"));
        }
    }
    let axis = axis(node, "axis", kind, dimension)?;
    let second =
        if kind.axes().len() > 1 { self::axis(node, "axis2", kind, dimension)? } else { axis };
    Ok(JointEnds::Bodies { bodies, points, axes: [axis, second] })
}

fn body(node: &Node) -> Checked<BodyName> {
    match node.whole() {
        Ok(number) => Ok(BodyName::Number(number as usize)),
        Err(_) => Ok(BodyName::parse(node.text()?)),
    }
}

/// The axis of a joint that needs one.
fn axis(node: &Node, name: &str, kind: JointKind, dimension: usize) -> Checked<DVec3> {
    if kind.axes().is_empty() {
        return Ok(DVec3::Z);
    }
    let Some(written) = node.get(name) else {
        let message = format!("a joint of the kind `{}` needs an `{name}`", kind.name());
        return Err(Fault::new(&node.span, message).help("a vector, not zero, at the start"));
    };
    let axis = point(written, dimension)?;
    axis.try_normalize().ok_or_else(|| {
        Fault::new(&written.span, "this axis has no direction").help("a vector, not zero")
    })
}

fn limits_of(node: &Node, scale: impl Fn(f64) -> f64) -> Checked<[f64; 2]> {
    match pair(node)? {
        [least, greatest] if least <= greatest => Ok([scale(least), scale(greatest)]),
        _ => Err(Fault::new(&node.span, "the greatest is below the least")
            .help("limits = [least, greatest]")),
    }
}

impl BodyName {
    /// `name` for a group's only body, `name.3` for the fourth of a group, or `world`.
    pub fn parse(name: &str) -> BodyName {
        if name == WORLD {
            return BodyName::World;
        }
        let split = name.rsplit_once('.').and_then(|(group, n)| Some((group, n.parse().ok()?)));
        match split {
            Some((group, number)) => BodyName::Named { group: group.into(), number: Some(number) },
            None => BodyName::Named { group: name.into(), number: None },
        }
    }
}

impl std::fmt::Display for BodyName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BodyName::World => f.write_str(WORLD),
            BodyName::Named { group, number: None } => write!(f, "`{group}`"),
            BodyName::Named { group, number: Some(number) } => write!(f, "`{group}.{number}`"),
            BodyName::Number(number) => write!(f, "body {number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MethodName, Pairs, Scene};
    use super::*;

    fn read(dimension: usize, joint: &str) -> crate::Result<JointEntry> {
        let text = format!(
            "method = \"{}\"\ndimension = {dimension}\n[[bodies]]\nradius = 1\n[[joints]]\n{joint}",
            MethodName::Dynamics
        );
        Scene::from_text(&text, "scene.toml".as_ref()).map(|mut scene| scene.joints.remove(0))
    }

    #[test]
    fn joints_of_bodies_and_ropes_of_groups() {
        let hinge = "kind = \"hinge\"\nbodies = [\"wheel.2\", \"world\"]\nat = [1, 2, 3]\n\
                     axis = [0, 2, 0]\nlimits = [-90, 90]\nmotor = { speed = 180 }";
        let hinge = read(3, hinge).unwrap();
        let named = BodyName::Named { group: "wheel".into(), number: Some(2) };
        let at = Some(DVec3::new(1.0, 2.0, 3.0));
        let (bodies, points, axes) = ([named, BodyName::World], [at; 2], [DVec3::Y; 2]);
        assert_eq!(hinge.ends, JointEnds::Bodies { bodies, points, axes });
        assert_eq!(hinge.motor.unwrap().speed, std::f64::consts::PI);
        assert!(!hinge.collide);
        let rope = read(2, "kind = \"rope\"\ngroup = \"beads\"\nbetween = \"ring\"").unwrap();
        assert_eq!(rope.ends, JointEnds::Group { group: "beads".into(), pairs: Pairs::Ring });
        assert!(rope.collide && rope.tolerance == 1.0);
        let bar = read(3, "kind = \"bar\"\nbodies = [0, 3]\ncollide = false").unwrap();
        assert!(matches!(bar.ends, JointEnds::Bodies { points: [None, None], .. }));
        assert!(!bar.collide && bar.tolerance == TOLERANCE);
    }

    #[test]
    fn joints_that_cannot_be_are_refused_with_a_remedy() {
        let two = "bodies = [\"a\", \"b\"]\nat = [0, 0, 0]\n";
        for (joint, expected) in [
            (format!("kind = \"hinge\"\n{two}"), "a joint of the kind `hinge` needs an `axis`"),
            (format!("kind = \"hinge\"\n{two}axis = [0, 0, 0]"), "this axis has no direction"),
            (
                format!("kind = \"ball\"\n{two}limits = [0, 1]"),
                "a joint of the kind `ball` has no `limits` here",
            ),
            (
                format!("kind = \"slider\"\n{two}axis = [1, 0, 0]\nlimits = [1, 0]"),
                "the greatest is below the least",
            ),
            (
                "kind = \"ball\"\nbodies = [\"a\", \"a\"]\nat = [0, 0, 0]".into(),
                "this joins `a` to itself",
            ),
            (
                "kind = \"ball\"\nbodies = [\"a\", \"b\"]".into(),
                "a joint of the kind `ball` needs `at`",
            ),
            (
                "kind = \"rope\"\nbodies = [\"a\", \"world\"]".into(),
                "the world has no centre: `to` is missing",
            ),
            (
                format!("kind = \"pin\"\n{two}"),
                "the joint `pin` needs a 2D scene, but the `dimension` of this one is 3",
            ),
            ("kind = \"rope\"".into(), "`joints` needs one of `bodies` or `group`"),
        ] {
            let problem = read(3, &joint).unwrap_err();
            assert_eq!(problem.message, expected);
            assert!(problem.help.is_some() && problem.place.is_some(), "{problem}");
        }
    }
}
