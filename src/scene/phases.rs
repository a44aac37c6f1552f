//! `[[phases]]`: methods that follow each other in one run, and when each of them ends.

use serde::{Deserialize, Serialize};

use super::format::{list, positive};
use super::kind::{Kind, Table};
use super::spanned::{Checked, Fault, Node};
use super::{Bodies, MethodName, Span};

/// One of the phases of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseEntry {
    /// How the bodies move.
    pub method: MethodName,
    /// When it ends; none if it does so by itself.
    pub until: Option<Until>,
    /// Groups that are fixed before and free from here on.
    pub release: Vec<String>,
    /// Groups that are gone from here on.
    pub remove: Vec<String>,
    pub(crate) span: Span,
}

/// When a phase ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Until {
    /// No body is faster than this.
    Quiet(f64),
    /// So many steps have been made.
    Steps(u64),
    /// So much time has passed.
    Time(f64),
}

/// The description of the list's entries.
pub(super) fn format() -> Table {
    let methods = MethodName::ALL.into_iter().filter(|method| *method != MethodName::Compact);
    let methods = methods.map(|method| (method.name(), method.about())).collect();
    let groups = || list("a list of names of groups", Kind::Text, 1);
    Table::new("phases")
        .says("A phase of the run: it starts where the one before it ended.")
        .required("method", Kind::Choice(methods))
        .about("How the bodies move in this phase.")
        .optional("until", Kind::Table(until_format()))
        .about("When the phase ends; the last one may leave it to the options of its method.")
        .optional("release", groups())
        .about("Groups that are fixed before and free from this phase on.")
        .optional("remove", groups())
        .about("Groups that are gone from this phase on, with their joints.")
}

fn until_format() -> Table {
    Table::new("phases.until")
        .optional("quiet", positive())
        .about("No body was faster for ten steps: its speed, and its spin times its radius.")
        .optional("steps", Kind::Whole { least: 1, most: u32::MAX.into() })
        .about("So many steps have been made.")
        .optional("time", positive())
        .about("So much time has passed.")
        .exactly_one(&["quiet", "steps", "time"])
}

/// The phases of a scene; none if it has one `method`.
pub(super) fn read(scene: &Node, bodies: &[Bodies]) -> Checked<Vec<PhaseEntry>> {
    let Some(node) = scene.get("phases") else { return Ok(Vec::new()) };
    let nodes = node.list()?;
    let phases: Vec<PhaseEntry> = nodes.iter().map(entry).collect::<Checked<_>>()?;
    for (number, (phase, node)) in phases.iter().zip(nodes).enumerate() {
        let in_time = matches!(phase.method, MethodName::Collapse | MethodName::Dynamics);
        if in_time && phase.until.is_none() && number + 1 < phases.len() {
            let message = format!("phase {} does not say when it ends", number + 1);
            let help = "give `until`, such as { quiet = 0.001 }; only the last phase needs none";
            return Err(Fault::new(&node.span, message).help(help));
        }
        for (key, groups) in [("release", &phase.release), ("remove", &phase.remove)] {
            let named = node.get(key).map_or(Ok(&[][..]), Node::list)?;
            for (group, node) in groups.iter().zip(named) {
                if key == "remove" && phase.release.contains(group) {
                    let message = format!("the group \"{group}\" is released and removed at once");
                    return Err(Fault::new(&node.span, message).help("do one of the two"));
                }
                if let Some(message) = fault_of_group(&phases[..number], group, key, bodies) {
                    let help = "`release` and `remove` name groups of bodies as they are before";
                    return Err(Fault::new(&node.span, message).help(help));
                }
            }
        }
    }
    check_steps(scene, &phases)?;
    Ok(phases)
}

fn entry(node: &Node) -> Checked<PhaseEntry> {
    let until = |node: &Node| -> Checked<Option<Until>> {
        Ok(match (node.get("quiet"), node.get("steps"), node.get("time")) {
            (Some(node), ..) => Some(Until::Quiet(node.number()?)),
            (_, Some(node), _) => Some(Until::Steps(node.whole()?)),
            (.., Some(node)) => Some(Until::Time(node.number()?)),
            _ => None,
        })
    };
    let groups = |key: &str| -> Checked<Vec<String>> {
        let names = node.get(key).map_or(Ok(&[][..]), Node::list)?;
        names.iter().map(|name| name.text().map(String::from)).collect()
    };
    Ok(PhaseEntry {
        method: method(node)?,
        until: node.get("until").map_or(Ok(None), until)?,
        release: groups("release")?,
        remove: groups("remove")?,
        span: node.span.clone(),
    })
}

/// The method of an entry, whose description has been checked.
pub(super) fn method(node: &Node) -> Checked<MethodName> {
    Ok(MethodName::from_name(node.need("method")?.text()?).unwrap_or_default())
}

/// Why a group cannot be released or removed after these phases.
fn fault_of_group(
    before: &[PhaseEntry],
    group: &str,
    key: &str,
    bodies: &[Bodies],
) -> Option<String> {
    if before.is_empty() {
        return Some(format!("the first phase cannot {key} anything: nothing comes before it"));
    }
    if bodies.iter().all(|entry| entry.group != group) {
        return Some(format!("there is no group \"{group}\" of bodies"));
    }
    let removed = before.iter().any(|phase| phase.remove.iter().any(|name| name == group));
    removed.then(|| format!("the group \"{group}\" has been removed already"))
}

/// Nothing is ignored: `steps` of a method's options must be asked for by one of its phases.
fn check_steps(scene: &Node, phases: &[PhaseEntry]) -> Checked<()> {
    for method in [MethodName::Collapse, MethodName::Dynamics] {
        let steps = scene.get(method.name()).and_then(|options| options.get("steps"));
        let mut own = phases.iter().filter(|phase| phase.method == method).peekable();
        let Some(steps) = steps.filter(|_| own.peek().is_some()) else { continue };
        if own.all(|phase| matches!(phase.until, Some(Until::Steps(_) | Until::Time(_)))) {
            let message = format!("every phase of {method} says how long it is");
            let help = "leave `steps` out; it is for a last phase without `until`, and the most \
                        steps of one until `quiet`";
            return Err(Fault::new(&steps.span, message).help(help));
        }
    }
    Ok(())
}
