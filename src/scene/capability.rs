//! What each method takes of what a scene can say. The reader refuses by this table, the
//! reference for people is made of it, and whoever asks "which keys does collapse use?" can walk
//! through it.
//!
//! A key is named by the names that lead to it, with dots between: `bodies.friction`. Where a
//! table has kinds, the kind is one of these names: `bodies.shape.torus.tube`, `container.mesh`;
//! so is a word that is one of several: `joints.kind.hinge`. What all kinds have in common has a
//! star there: `bodies.shape.*.rounding`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::capability_rules::{RULES, Rule};
use super::kind::{Field, Kind, Table};
use super::spanned::{Checked, Fault, Node};
use super::{MethodName, Span, dynamics_options, format, phases, start};

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
    /// With dots, as messages spell it: `bodies.shape.torus`, `joints.axis`.
    pub key: String,
    /// What it means.
    pub about: String,
    /// What it is when it is left out.
    pub default: Option<serde_json::Value>,
    /// Whether its table is refused without it.
    pub required: bool,
    /// By the methods in the order of [`MethodName::ALL`].
    pub takes: [Takes; MethodName::ALL.len()],
}

impl Row {
    /// What a method does with it; as [`takes()`].
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

/// What a method does with a key: what the most exact rule about it says.
pub fn takes(key: &str, method: MethodName) -> Takes {
    let key = canonical(key);
    let parts: Vec<&str> = key.split('.').collect();
    let matches = |rule: &&Rule| {
        let wanted: Vec<&str> = rule.key.split('.').collect();
        rule.methods.contains(&method)
            && wanted.len() <= parts.len()
            && wanted.iter().zip(&parts).all(|(wanted, part)| *wanted == "*" || wanted == part)
    };
    let exactness = |rule: &&Rule| {
        let names = rule.key.split('.');
        (names.clone().count(), names.filter(|name| *name != "*").count())
    };
    match RULES.iter().filter(matches).max_by_key(exactness) {
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

/// Refuses the first key that the method, or that of a phase, cannot use, and lists by method
/// those that it does not use by nature. The tree has been checked against the format.
pub(super) fn check(tree: &Node) -> Checked<Vec<(MethodName, Vec<String>)>> {
    let mut unused: Vec<(MethodName, Vec<String>)> = Vec::new();
    let mut look = |method, phase: Option<(usize, &Node)>| -> Checked<()> {
        let number = phase.map(|(number, _)| number);
        let mut visit = Visit { method, number, unused: Vec::new(), known: HashMap::new() };
        visit.table(&format::scene(), tree, "", PHASES)?;
        if let Some((_, node)) = phase {
            visit.table(&phases::format(), node, PHASES, "")?;
        }
        visit.unused.extend(idle(tree, method, phase.map_or(1, |(number, _)| number))?);
        if !visit.unused.is_empty() && unused.iter().all(|known| known.0 != method) {
            unused.push((method, visit.unused));
        }
        Ok(())
    };
    let list = tree.get(PHASES).map_or(Ok(&[][..]), Node::list)?;
    if tree.get("start").map_or(Ok(false), start::separates)? {
        look(MethodName::Separate, None)?;
    }
    if list.is_empty() {
        let method = tree.get("method").map_or(Ok("settle"), Node::text)?;
        look(MethodName::from_name(method).unwrap_or_default(), None)?;
    }
    for (number, node) in (1..).zip(list) {
        look(phases::method(node)?, Some((number, node)))?;
    }
    Ok(unused)
}

/// Keys that a method uses, but not beside others that this scene sets.
fn idle(tree: &Node, method: MethodName, phase: usize) -> Checked<Vec<String>> {
    let mut idle = Vec::new();
    if let (MethodName::Dynamics, Some(options)) = (method, tree.get(method.name())) {
        let names = dynamics_options::unused(options)?.into_iter();
        idle.extend(names.map(|name| format!("{method}.{name}")));
    }
    // The run that a scene starts from says how the bodies move.
    let bodies = tree.get("bodies").map_or(Ok(&[][..]), Node::list)?;
    for name in ["velocity", "spin"] {
        let key = format!("bodies.{name}");
        let is_set = bodies.iter().any(|entry| entry.get(name).is_some());
        let counts = takes(&key, method) == Takes::Used && phase == 1;
        if is_set && counts && tree.get("start").is_some_and(|start| start.get("run").is_some()) {
            idle.push(key);
        }
    }
    Ok(idle)
}

/// A phase is held to what its own method takes.
const PHASES: &str = "phases";

struct Visit {
    method: MethodName,
    /// Of the phase, from 1, if the scene has phases.
    number: Option<usize>,
    unused: Vec<String>,
    /// A scene can have many entries with the same keys.
    known: HashMap<String, Takes>,
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
        let takes = match self.known.get(key) {
            Some(takes) => *takes,
            None => *self.known.entry(key.into()).or_insert(takes(key, self.method)),
        };
        match takes {
            Takes::Used => Ok(true),
            Takes::Refused { .. } if is_default => Ok(false),
            Takes::Refused { why, instead } => {
                let phase = self.number.map_or(String::new(), |n| format!(" of phase {n}"));
                let message = format!("`{key}` is not taken by the method {}{phase}", self.method);
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
    use super::super::Scene;
    use super::*;

    fn row(key: &str) -> &'static Row {
        table().iter().find(|row| row.key == key).unwrap_or_else(|| panic!("{key}"))
    }

    #[test]
    fn every_rule_is_about_a_key_of_the_format() {
        for rule in RULES {
            let names: Vec<&str> = rule.key.split('.').collect();
            let is_meant = |row: &Row| {
                let key: Vec<&str> = row.key.split('.').collect();
                key.len() == names.len()
                    && names.iter().zip(&key).all(|(name, part)| *name == "*" || name == part)
            };
            assert!(table().iter().any(is_meant), "{}", rule.key);
        }
    }

    #[test]
    fn keys_occur_once_and_have_a_meaning() {
        for (k, row) in table().iter().enumerate() {
            assert!(row.about.len() > 5, "{}", row.key);
            assert!(table()[..k].iter().all(|other| other.key != row.key), "{}", row.key);
        }
    }

    /// What a scene says, and the key that it sets by it.
    const SAID: &[(&str, &str)] = &[
        ("friction = 0.3", "bodies.friction"),
        ("rolling = 0.1", "bodies.rolling"),
        ("velocity = [1, 0, 0]", "bodies.velocity"),
        ("spin = [1, 0, 0]", "bodies.spin"),
        ("turn = \"random\"", "bodies.turn.random"),
        ("motion = \"fixed\"", "bodies.motion.fixed"),
        ("motion = \"driven\"", "bodies.motion.driven"),
        ("[[bodies]]\nradius = 1", "bodies.radius"),
        ("[[bodies]]\ntower = { family = \"chain\", count = 2 }", "bodies.tower.chain"),
        ("[[bodies]]\nstructure = { family = \"mobile\", depth = 2 }", "bodies.structure.mobile"),
        ("[[bodies]]\nshape = { kind = \"ball\", radius = 1 }", "bodies.shape.ball"),
        (
            "[[bodies]]\nshape = { kind = \"box\", size = [1, 1, 1], rounding = 0.1 }",
            "bodies.shape.box.rounding",
        ),
        (
            "[[bodies]]\nshapes = [{ kind = \"compound\", pieces = [{ kind = \"ball\", radius = 1 }] }]",
            "bodies.shapes.compound.pieces.ball",
        ),
        ("[[bodies]]\nshape = { kind = \"torus\", radius = 1, tube = 0.1 }", "bodies.shape.torus"),
        (
            "[[joints]]\nkind = \"ball\"\nbodies = [\"a\", \"world\"]\nat = [0, 0, 0]",
            "joints.kind.ball",
        ),
        (
            "[[joints]]\nkind = \"hinge\"\nbodies = [\"a\", \"world\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]",
            "joints.kind.hinge",
        ),
        ("[[joints]]\nkind = \"rope\"\ngroup = \"a\"\nbetween = \"all\"", "joints.kind.rope"),
        (
            "[[joints]]\nkind = \"bar\"\nbodies = [0, 1]\nat = [0, 0, 0]\nto = [1, 0, 0]",
            "joints.at",
        ),
        (
            "[[forces]]\nlaw = \"attraction\"\ngroup = \"a\"\nto = \"start\"\nstrength = 1\nform = \"bound\"",
            "forces.attraction.form",
        ),
        ("[container]\nshape = \"box\"\nmin = [0, 0, 0]\nmax = [9, 9, 9]", "container.box"),
        ("[[cloth]]\nball = { radius = 1 }", "cloth.ball"),
        ("[layout]\nkind = \"polygons\"\ncount = 9", "layout.polygons"),
        ("[settle]\nmax_steps = 9", "settle.max_steps"),
        ("[dynamics]\nmode = \"paper\"", "dynamics.mode.paper"),
    ];

    #[test]
    fn the_reader_says_what_the_table_says() {
        for &(said, key) in SAID {
            for method in MethodName::ALL {
                let base = match method {
                    MethodName::Compact => "[layout]\nkind = \"polygons\"\ncount = 9",
                    _ => "[[bodies]]\ngroup = \"a\"\nshape = { kind = \"box\", size = [1, 1, 1] }",
                };
                let is_own = method == MethodName::Compact && key.starts_with("layout");
                let base = if is_own { "" } else { base };
                // What belongs to an entry of bodies follows one.
                let is_loose = method == MethodName::Compact && !said.starts_with('[');
                let entry = if is_loose { "[[bodies]]\nradius = 1\n" } else { "" };
                let text = format!("method = \"{method}\"\n{base}\n{entry}{said}\n");
                let scene = Scene::from_text(&text, "scene.toml".as_ref());
                match (takes(key, method), scene) {
                    (Takes::Used | Takes::Elsewhere, Ok(scene)) => {
                        let mut unused = scene.unused().iter().flat_map(|unused| &unused.1);
                        assert!(unused.all(|other| other != key), "{text}");
                    }
                    // What is not used is named, as a whole if nothing of it is.
                    (Takes::Unused, Ok(scene)) => {
                        let [(by, keys)] = scene.unused() else { panic!("{text}") };
                        assert_eq!((*by, keys.len()), (method, 1), "{text}");
                        assert!(key.starts_with(&keys[0]), "{text}{keys:?}");
                    }
                    (Takes::Refused { .. }, Err(problem)) => {
                        let (part, words) = problem.message.split_once("` ").unwrap_or_default();
                        assert_eq!(words, format!("is not taken by the method {method}"), "{text}");
                        assert!(key.starts_with(part.trim_start_matches('`')), "{problem}");
                        assert!(problem.help.is_some() && problem.place.is_some(), "{problem}");
                    }
                    (takes, scene) => panic!("{text}{takes:?} {scene:?}"),
                }
            }
        }
    }

    #[test]
    fn a_default_says_nothing() {
        let text = "method = \"collapse\"\n[[bodies]]\nshape = { kind = \"box\", size = [1, 1, 1], \
                    rounding = 0 }\nrolling = 0\nmotion = \"free\"\n";
        let scene = Scene::from_text(text, "scene.toml".as_ref()).unwrap();
        assert!(scene.unused().is_empty());
        let problem =
            Scene::from_text(&text.replace("rolling = 0", "rolling = 1"), "a.toml".as_ref());
        let problem = problem.unwrap_err();
        assert_eq!(problem.message, "`bodies.rolling` is not taken by the method collapse");
        assert_eq!(problem.place.unwrap().line.unwrap().number, 4);
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
        assert_eq!(taken("bodies.friction"), ['n', 'u', 'u', 'r', 'n']);
        assert_eq!(taken("bodies.shape.torus.tube"), ['u', 'u', 'u', 'r', 'u']);
        assert_eq!(taken("joints.kind.rope"), ['u', 'r', 'u', 'r', 'u']);
        assert_eq!(taken("container.mesh.file"), ['u', 'u', 'u', 'r', 'u']);
        assert_eq!(taken("layout.jigsaw.rows"), ['r', 'r', 'r', 'u', 'r']);
        assert_eq!(taken("dynamics.mode.paper"), ['-', '-', 'u', '-', '-']);
        assert_eq!(taken("phases.until.quiet"), ['r', 'u', 'u', 'r', 'r']);
        assert_eq!(takes("bodies.shapes.compound.pieces.ball", MethodName::Collapse), {
            takes("bodies.shape.ball", MethodName::Collapse)
        });
    }
}
