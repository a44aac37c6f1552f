//! What each method takes of what a scene can say. The reader refuses by this table, the
//! reference for people is made of it, and whoever asks "which keys does collapse use?" can walk
//! through it.
//!
//! A key is named by the names that lead to it, with dots between: `bodies.friction`. Where a
//! table has kinds, the kind is one of these names: `bodies.shape.torus.tube`, `container.mesh`;
//! so is a word that is one of several: `joints.kind.hinge`. What all kinds have in common has a
//! star there: `bodies.shape.*.rounding`.

use std::sync::LazyLock;

use super::kind::{Field, Kind, Table};
use super::spanned::{Checked, Fault, Node};
use super::{MethodName, Span, format};

pub use super::reference::markdown;

/// What a method does with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// It uses it.
    Used,
    /// It cannot; a scene that sets the key is refused, unless the value is the default.
    Refused {
        /// Why, in a sentence without its dot.
        why: &'static str,
        /// What would be accepted.
        instead: &'static str,
    },
    /// Nothing in the method could depend on it; [`super::Scene::unused`] names it.
    Unused,
    /// An option of another method: checked, and left alone.
    Elsewhere,
}

/// One key of the format.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub key: String,
    /// What it means.
    pub about: String,
    /// What it is when it is left out.
    pub default: Option<serde_json::Value>,
    pub required: bool,
    /// By the methods in the order of [`MethodName::ALL`].
    pub takes: [Takes; 4],
}

impl Row {
    pub fn takes(&self, method: MethodName) -> Takes {
        takes(&self.key, method)
    }
}

/// All keys of the format, in its order.
///
/// ```
/// use riprap::scene::{MethodName, capability};
/// let torus = capability::table().iter().find(|row| row.key == "bodies.shape.torus");
/// assert_eq!(torus.unwrap().takes(MethodName::Dynamics), capability::Takes::Used);
/// ```
pub fn table() -> &'static [Row] {
    static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
        let mut rows = Vec::new();
        add_table(&format::scene(), "", &[], &mut rows);
        rows
    });
    &TABLE
}

/// What a method does with a key: what the longest rule about it says.
pub fn takes(key: &str, method: MethodName) -> Takes {
    let key = canonical(key);
    let parts: Vec<&str> = key.split('.').collect();
    let matches = |rule: &&Rule| {
        let wanted: Vec<&str> = rule.key.split('.').collect();
        rule.methods.contains(&method)
            && wanted.len() <= parts.len()
            && wanted.iter().zip(&parts).all(|(wanted, part)| *wanted == "*" || wanted == part)
    };
    let longest = RULES.iter().filter(matches).max_by_key(|rule| rule.key.split('.').count());
    match longest {
        Some(rule) => rule.takes,
        None if MethodName::from_name(parts[0]).is_some_and(|owner| owner != method) => {
            Takes::Elsewhere
        }
        None => Takes::Used,
    }
}

/// The shapes of a list, and those of a compound, are shapes like any other.
fn canonical(key: &str) -> String {
    let mut key = key.to_string();
    if key == "bodies.shapes" || key.starts_with("bodies.shapes.") {
        key.replace_range(.."bodies.shapes".len(), "bodies.shape");
    }
    let part = "bodies.shape.compound.pieces.";
    if key.starts_with(part) {
        key.replace_range(..part.len(), "bodies.shape.");
    }
    key
}

/// What some methods do with a key and everything below it.
struct Rule {
    key: &'static str,
    methods: &'static [MethodName],
    takes: Takes,
}

const SETTLE: &[MethodName] = &[MethodName::Settle];
const COLLAPSE: &[MethodName] = &[MethodName::Collapse];
const DYNAMICS: &[MethodName] = &[MethodName::Dynamics];
const COMPACT: &[MethodName] = &[MethodName::Compact];
const NOT_COMPACT: &[MethodName] =
    &[MethodName::Settle, MethodName::Collapse, MethodName::Dynamics];
const NOT_DYNAMICS: &[MethodName] = &[MethodName::Settle, MethodName::Collapse];

const fn refused(
    key: &'static str,
    methods: &'static [MethodName],
    why: &'static str,
    instead: &'static str,
) -> Rule {
    Rule { key, methods, takes: Takes::Refused { why, instead } }
}

const fn unused(key: &'static str, methods: &'static [MethodName]) -> Rule {
    Rule { key, methods, takes: Takes::Unused }
}

const PIECES: &str = "it moves the pieces of a layout";
const GIVE_LAYOUT: &str = "give `layout`, or another `method`";
const DYNAMICS_DOES: &str = "method = \"dynamics\" takes it";
const TRANSLATES: &str = "its bodies do not turn, so nothing but distances can hold them";
const ROPE_OR_BAR: &str = "use `rope` or `bar`, or method = \"dynamics\"";
const CENTRES: &str = "its ropes and bars hold centres";
const LEAVE_OUT: &str = "leave it out";
const FLAT_FACES: &str = "its bodies have flat faces";
const POLYTOPE: &str =
    "use `box`, `hull`, `prism`, `polygon`, `cubes` or `mesh`, or method = \"dynamics\"";
const PIN_OR_BAR: &str = "use `ball` (in 2D: `pin`) or `bar`, or method = \"dynamics\"";
const JOINTS_ARE_POINTS: &str = "it holds bodies at points and by bars";
const NO_DRIVER: &str = "its bodies are moved by forces, or not at all";
const FREE_OR_FIXED: &str = "use \"free\" or \"fixed\", or method = \"dynamics\"";

/// What is not said here is used. More exact rules may contradict broader ones.
const RULES: &[Rule] = &[
    // compact
    unused("gravity", COMPACT),
    refused("container", COMPACT, PIECES, GIVE_LAYOUT),
    refused("bodies", COMPACT, PIECES, GIVE_LAYOUT),
    refused("joints", COMPACT, PIECES, GIVE_LAYOUT),
    refused("forces", COMPACT, PIECES, GIVE_LAYOUT),
    refused("cloth", COMPACT, PIECES, GIVE_LAYOUT),
    refused("attachments", COMPACT, PIECES, GIVE_LAYOUT),
    refused(
        "layout",
        NOT_COMPACT,
        "only the method compact moves a layout",
        "give `bodies`, or method = \"compact\"",
    ),
    // settle
    unused("bodies.friction", SETTLE),
    unused("bodies.restitution", SETTLE),
    unused("bodies.rolling", SETTLE),
    unused("bodies.velocity", SETTLE),
    unused("bodies.spin", SETTLE),
    unused("container.*.friction", SETTLE),
    unused("container.*.restitution", SETTLE),
    refused("bodies.tower.chain", SETTLE, TRANSLATES, DYNAMICS_DOES),
    refused("bodies.structure.mobile", SETTLE, TRANSLATES, DYNAMICS_DOES),
    refused("bodies.structure.rope", SETTLE, TRANSLATES, DYNAMICS_DOES),
    refused("joints.kind.ball", SETTLE, TRANSLATES, ROPE_OR_BAR),
    refused("joints.kind.pin", SETTLE, TRANSLATES, ROPE_OR_BAR),
    refused("joints.kind.line", SETTLE, TRANSLATES, ROPE_OR_BAR),
    refused("joints.kind.plane", SETTLE, TRANSLATES, ROPE_OR_BAR),
    refused("joints.kind.hinge", SETTLE, TRANSLATES, ROPE_OR_BAR),
    refused("joints.kind.slider", SETTLE, TRANSLATES, ROPE_OR_BAR),
    refused("joints.kind.universal", SETTLE, TRANSLATES, ROPE_OR_BAR),
    refused("joints.kind.fixed", SETTLE, TRANSLATES, ROPE_OR_BAR),
    refused("joints.kind.distance", SETTLE, TRANSLATES, ROPE_OR_BAR),
    refused("joints.kind.parallel", SETTLE, TRANSLATES, ROPE_OR_BAR),
    refused("joints.kind.perpendicular", SETTLE, TRANSLATES, ROPE_OR_BAR),
    refused("joints.kind.angle", SETTLE, TRANSLATES, ROPE_OR_BAR),
    refused("joints.at", SETTLE, CENTRES, LEAVE_OUT),
    refused("joints.to", SETTLE, CENTRES, LEAVE_OUT),
    refused("joints.axis", SETTLE, CENTRES, LEAVE_OUT),
    refused("joints.axis2", SETTLE, CENTRES, LEAVE_OUT),
    refused("joints.limits", SETTLE, CENTRES, ROPE_OR_BAR),
    refused("joints.motor", SETTLE, "nothing drives its bodies", DYNAMICS_DOES),
    refused("joints.collide", SETTLE, "its bodies never overlap, joined or not", LEAVE_OUT),
    // settle and collapse
    refused("bodies.motion.driven", NOT_DYNAMICS, NO_DRIVER, FREE_OR_FIXED),
    refused("bodies.path", NOT_DYNAMICS, NO_DRIVER, DYNAMICS_DOES),
    refused("cloth", NOT_DYNAMICS, "it has no cloth", DYNAMICS_DOES),
    refused("attachments", NOT_DYNAMICS, "it has no cloth", DYNAMICS_DOES),
    // collapse
    refused(
        "container",
        COLLAPSE,
        "its bodies stand on other bodies",
        "give boxes with motion = \"fixed\", or another `method`",
    ),
    refused(
        "forces",
        COLLAPSE,
        "gravity and contacts alone move its bodies",
        "use another `method`",
    ),
    refused("bodies.rolling", COLLAPSE, FLAT_FACES, "leave it out, or method = \"dynamics\""),
    refused("bodies.radius", COLLAPSE, FLAT_FACES, POLYTOPE),
    refused("bodies.shape.ball", COLLAPSE, FLAT_FACES, POLYTOPE),
    refused("bodies.shape.capsule", COLLAPSE, FLAT_FACES, POLYTOPE),
    refused("bodies.shape.cylinder", COLLAPSE, FLAT_FACES, POLYTOPE),
    refused("bodies.shape.torus", COLLAPSE, FLAT_FACES, POLYTOPE),
    refused("bodies.shape.ring", COLLAPSE, FLAT_FACES, POLYTOPE),
    refused("bodies.shape.*.rounding", COLLAPSE, FLAT_FACES, LEAVE_OUT),
    refused("bodies.structure.mobile", COLLAPSE, FLAT_FACES, DYNAMICS_DOES),
    refused("bodies.structure.rope", COLLAPSE, FLAT_FACES, DYNAMICS_DOES),
    refused("joints.kind.line", COLLAPSE, JOINTS_ARE_POINTS, PIN_OR_BAR),
    refused("joints.kind.plane", COLLAPSE, JOINTS_ARE_POINTS, PIN_OR_BAR),
    refused("joints.kind.hinge", COLLAPSE, JOINTS_ARE_POINTS, PIN_OR_BAR),
    refused("joints.kind.slider", COLLAPSE, JOINTS_ARE_POINTS, PIN_OR_BAR),
    refused("joints.kind.universal", COLLAPSE, JOINTS_ARE_POINTS, PIN_OR_BAR),
    refused("joints.kind.fixed", COLLAPSE, JOINTS_ARE_POINTS, PIN_OR_BAR),
    refused("joints.kind.distance", COLLAPSE, JOINTS_ARE_POINTS, PIN_OR_BAR),
    refused("joints.kind.rope", COLLAPSE, JOINTS_ARE_POINTS, PIN_OR_BAR),
    refused("joints.kind.parallel", COLLAPSE, JOINTS_ARE_POINTS, PIN_OR_BAR),
    refused("joints.kind.perpendicular", COLLAPSE, JOINTS_ARE_POINTS, PIN_OR_BAR),
    refused("joints.kind.angle", COLLAPSE, JOINTS_ARE_POINTS, PIN_OR_BAR),
    refused("joints.axis", COLLAPSE, JOINTS_ARE_POINTS, LEAVE_OUT),
    refused("joints.axis2", COLLAPSE, JOINTS_ARE_POINTS, LEAVE_OUT),
    refused("joints.limits", COLLAPSE, JOINTS_ARE_POINTS, DYNAMICS_DOES),
    refused("joints.motor", COLLAPSE, JOINTS_ARE_POINTS, DYNAMICS_DOES),
    refused("joints.group", COLLAPSE, "its bars join single bodies", "use `bodies`"),
    refused("joints.between", COLLAPSE, "its bars join single bodies", "use `bodies`"),
    refused("joints.length", COLLAPSE, "its bars are as long as they start", LEAVE_OUT),
    refused("joints.tolerance", COLLAPSE, "its bars are as long as they start", LEAVE_OUT),
    refused("joints.collide", COLLAPSE, "it decides by the kind of joint", LEAVE_OUT),
    // dynamics: how settle writes an energy into its program
    unused("forces.attraction.form", DYNAMICS),
    unused("forces.spring.form", DYNAMICS),
    unused("forces.spring.piece", DYNAMICS),
];

/// Refuses the first key that the method cannot use, and lists those that it does not use by
/// nature. The tree has been checked against the format.
pub(super) fn check(tree: &Node, method: MethodName) -> Checked<Vec<String>> {
    let mut visit = Visit { method, unused: Vec::new() };
    visit.table(&format::scene(), tree, "", "")?;
    Ok(visit.unused)
}

struct Visit {
    method: MethodName,
    unused: Vec<String>,
}

impl Visit {
    fn table(&mut self, table: &Table, node: &Node, path: &str, tag: &str) -> Checked<()> {
        for entry in node.entries()?.iter().filter(|entry| entry.key != tag) {
            let Some(field) = table.fields.iter().find(|f| f.name == entry.key) else { continue };
            let key = joined(path, field.name);
            // The value that it has without being set: nobody means anything by it.
            let is_default = is_default(field, &entry.node);
            if self.key(&key, &entry.key_span, is_default)? {
                self.kind(&field.kind, &entry.node, &key, is_default)?;
            }
        }
        Ok(())
    }

    fn kind(&mut self, kind: &Kind, node: &Node, path: &str, is_default: bool) -> Checked<()> {
        match kind {
            Kind::Choice(_) => {
                self.key(&joined(path, node.text()?), &node.span, is_default).map(drop)
            }
            Kind::List { of, .. } => {
                node.list()?.iter().try_for_each(|node| self.kind(of, node, path, false))
            }
            Kind::Table(table) => self.table(table, node, path, ""),
            Kind::Tagged { tag, variants } => {
                let said = node.need(tag)?;
                let path = joined(path, said.text()?);
                if self.key(&path, &said.span, false)?
                    && let Some((_, table)) = variants.iter().find(|v| said.text() == Ok(v.0))
                {
                    self.table(table, node, &path, tag)?;
                }
                Ok(())
            }
            Kind::Either(kinds) => match kinds.iter().find(|kind| kind.takes_type_of(node)) {
                Some(kind) => self.kind(kind, node, path, is_default),
                None => Ok(()),
            },
            Kind::Text | Kind::Flag | Kind::Number(_) | Kind::Whole { .. } => Ok(()),
        }
    }

    /// Whether to look at what is below the key.
    fn key(&mut self, key: &str, span: &Span, is_default: bool) -> Checked<bool> {
        match takes(key, self.method) {
            Takes::Used => Ok(true),
            Takes::Refused { .. } if is_default => Ok(false),
            Takes::Refused { why, instead } => {
                let message = format!("`{key}` is not taken by the method {}", self.method);
                Err(Fault::new(span, message).help(format!("{why}; {instead}")))
            }
            Takes::Unused => {
                if !self.unused.iter().any(|known| known == key) {
                    self.unused.push(key.into());
                }
                Ok(false)
            }
            Takes::Elsewhere => Ok(false),
        }
    }
}

fn is_default(field: &Field, node: &Node) -> bool {
    let Some(default) = &field.default else { return false };
    match (default.as_f64(), default.as_str()) {
        (Some(number), _) => node.number() == Ok(number),
        (_, Some(word)) => node.text() == Ok(word),
        _ => false,
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.into() } else { format!("{path}.{name}") }
}

fn add(rows: &mut Vec<Row>, key: &str, about: &str, field: Option<&Field>) {
    rows.push(Row {
        key: key.into(),
        about: about.into(),
        default: field.and_then(|field| field.default.clone()),
        required: field.is_some_and(|field| field.required),
        takes: MethodName::ALL.map(|method| takes(key, method)),
    });
}

fn add_table(table: &Table, path: &str, skip: &[&str], rows: &mut Vec<Row>) {
    for field in table.fields.iter().filter(|field| !skip.contains(&field.name)) {
        let key = joined(path, field.name);
        add(rows, &key, &field.about, Some(field));
        // Those of a list are described with the one shape.
        if key != "bodies.shapes" && key != "bodies.shape.compound.pieces" {
            add_kind(&field.kind, &key, rows);
        }
    }
}

fn add_kind(kind: &Kind, path: &str, rows: &mut Vec<Row>) {
    match kind {
        Kind::Choice(choices) => {
            choices.iter().for_each(|(word, about)| add(rows, &joined(path, word), about, None));
        }
        Kind::List { of, .. } => add_kind(of, path, rows),
        Kind::Table(table) => add_table(table, path, &[], rows),
        Kind::Tagged { tag, variants } => {
            let common = common_fields(variants);
            let mut skip: Vec<&str> = common.iter().map(|field| field.name).collect();
            for (name, table) in variants {
                let key = joined(path, name);
                add(rows, &key, &table.about, None);
                add_table(table, &key, &skip, rows);
            }
            skip.retain(|name| name != tag);
            for field in common.into_iter().filter(|field| skip.contains(&field.name)) {
                let key = joined(&joined(path, "*"), field.name);
                add(rows, &key, &field.about, Some(field));
                add_kind(&field.kind, &key, rows);
            }
        }
        Kind::Either(kinds) => kinds.iter().for_each(|kind| add_kind(kind, path, rows)),
        Kind::Text | Kind::Flag | Kind::Number(_) | Kind::Whole { .. } => {}
    }
}

/// The fields that all kinds of a table have, with the same meaning.
fn common_fields<'a>(variants: &'a [(&'static str, Table)]) -> Vec<&'a Field> {
    let Some(((_, first), others)) = variants.split_first() else { return Vec::new() };
    let has = |table: &Table, field: &Field| {
        table.fields.iter().any(|f| f.name == field.name && f.about == field.about)
    };
    let everywhere = |field: &&Field| others.iter().all(|(_, table)| has(table, field));
    first.fields.iter().filter(everywhere).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: &str) -> &'static Row {
        table().iter().find(|row| row.key == key).unwrap_or_else(|| panic!("{key}"))
    }

    #[test]
    fn every_rule_is_about_a_key_of_the_format() {
        for rule in RULES {
            row(rule.key);
        }
    }

    #[test]
    fn keys_occur_once_and_have_a_meaning() {
        for (k, row) in table().iter().enumerate() {
            assert!(row.about.len() > 5, "{}", row.key);
            assert!(table()[..k].iter().all(|other| other.key != row.key), "{}", row.key);
        }
    }

    #[test]
    fn what_the_methods_take() {
        let taken = |key: &str| {
            row(key).takes.map(|takes| match takes {
                Takes::Used => 'u',
                Takes::Refused { .. } => 'r',
                Takes::Unused => 'n',
                Takes::Elsewhere => '-',
            })
        };
        assert_eq!(taken("bodies.friction"), ['n', 'u', 'u', 'r']);
        assert_eq!(taken("bodies.shape.torus.tube"), ['u', 'r', 'u', 'r']);
        assert_eq!(taken("joints.kind.rope"), ['u', 'r', 'u', 'r']);
        assert_eq!(taken("container.mesh.file"), ['u', 'r', 'u', 'r']);
        assert_eq!(taken("layout.jigsaw.rows"), ['r', 'r', 'r', 'u']);
        assert_eq!(taken("dynamics.mode.paper"), ['-', '-', 'u', '-']);
        assert_eq!(takes("bodies.shapes.compound.pieces.ball", MethodName::Collapse), {
            takes("bodies.shape.ball", MethodName::Collapse)
        });
    }
}
