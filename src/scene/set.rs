//! Values set from outside, such as `--set bodies.0.friction=0.3` on the command line: they are
//! put into the tree before it is checked, so that what is wrong with them is found like what is
//! wrong in the file.

use super::read::{is_json, parse, scene as read};
use super::render;
use super::source::{Source, Span, Written};
use super::spanned::{Checked, Entry, Fault, Node, Value, parse_toml};
use super::{MethodName, Scene};
use crate::problem::Result;

/// Reads a source with these values set, and another method in the place of its own or of its
/// phases.
pub(super) fn scene(
    source: Source,
    overrides: &[(String, String)],
    method: Option<MethodName>,
) -> Result<Scene> {
    let asked = method.map(|method| ("method".to_string(), method.name().to_string()));
    let overrides: Vec<_> = overrides.iter().chain(&asked).collect();
    let set = overrides.iter().map(|(path, value)| format!("{path}={value}")).collect();
    let written = Written { text: source.text.clone(), set };
    let mut source = Source { written: Some(written), ..source };
    let found = parse(&source).and_then(|mut tree| {
        if let (Some(_), Value::Table(entries)) = (method, &mut tree.value) {
            entries.retain(|entry| entry.key != "phases");
        }
        let mut start = source.text.len();
        for (path, value) in overrides {
            // Places count as `Written` says: after the text and a break, `path=value`.
            start += 1;
            let value_start = start + path.len() + 1;
            put(&mut tree, path, start, parse_value(value, value_start)?)?;
            start = value_start + value.len();
        }
        let whole = super::start::with_bodies(tree.clone(), &source)?;
        read(&whole).map(|scene| (scene, tree))
    });
    let (scene, tree) = found.map_err(|fault| fault.in_source(&source))?;
    source.text = if is_json(&source) { render::json(&tree) } else { render::toml(&tree) };
    Ok(scene.named(source))
}

/// A value as TOML writes it, or a single word; it stands at `start`.
fn parse_value(text: &str, start: usize) -> Checked<Node> {
    const KEY: &str = "value = ";
    let span = Span(start..start + text.len());
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let parsed = parse_toml(&format!("{KEY}{text}"));
    match parsed.as_ref().map(|tree| tree.entries()) {
        Ok(Ok([entry])) => {
            let mut node = entry.node.clone();
            node.shift(start, KEY.len());
            Ok(node)
        }
        Err(_)
            if text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_word) =>
        {
            Ok(Node { span, value: Value::Text(text.into()) })
        }
        _ => Err(Fault::new(&span, "this is no value")
            .help("a number, a word, \"a text\", a list such as [0, 0, 1], or a table { x = 1 }")),
    }
}

/// Puts a value into the tree; the path, as it is written, stands at `start`.
fn put(tree: &mut Node, path: &str, start: usize, value: Node) -> Checked<()> {
    let mut node = tree;
    let mut at = start;
    let mut owner = String::new();
    let mut value = Some(value);
    let mut parts = path.split('.').peekable();
    while let Some(part) = parts.next() {
        let span = Span(at..at + part.len());
        let is_last = parts.peek().is_none();
        if part.is_empty() {
            return Err(Fault::new(&span, "a part of this path is empty")
                .help("paths are names and numbers with dots between, such as bodies.0.friction"));
        }
        node = step(node, part, &span, &owner)?;
        if is_last && let Some(value) = value.take() {
            *node = value;
        }
        owner = if owner.is_empty() { part.into() } else { format!("{owner}.{part}") };
        at += part.len() + 1;
    }
    Ok(())
}

/// What a table or a list has at a part of a path. A table gets what it does not have: whether
/// it may, the description of the format knows.
fn step<'a>(node: &'a mut Node, part: &str, span: &Span, owner: &str) -> Checked<&'a mut Node> {
    let what = node.what();
    match &mut node.value {
        Value::Table(entries) => {
            let known = entries.iter().position(|entry| entry.key == part);
            let number = known.unwrap_or_else(|| {
                let node = Node { span: span.clone(), value: Value::Table(Vec::new()) };
                entries.push(Entry { key: part.into(), key_span: span.clone(), node });
                entries.len() - 1
            });
            Ok(&mut entries[number].node)
        }
        Value::List(nodes) => {
            let count = nodes.len();
            let number = part.parse::<usize>().ok();
            number.and_then(|number| nodes.get_mut(number)).ok_or_else(|| {
                let message = format!("`{owner}` has no entry `{part}`");
                Fault::new(span, message).help(format!("it has {count}, which are counted from 0"))
            })
        }
        _ => Err(Fault::new(span, format!("`{owner}` is {what}, which has no parts"))
            .help(format!("end the path there: {owner}=..."))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Fixed, What};
    use super::*;
    use crate::problem::Problem;

    const TEXT: &str = "# Two balls.\n[container]\nshape = \"box\"\nmin = [0, 0, 0]\n\
                        max = [9, 9, 9]\n[[bodies]]\nradius = 1\npositions = [[2, 2, 2], [5, 2, 2]]\n";

    fn set(pairs: &[(&str, &str)]) -> Result<Scene> {
        let overrides: Vec<(String, String)> =
            pairs.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
        let file = "balls.toml".into();
        scene(Source { file, text: TEXT.into(), ..Default::default() }, &overrides, None)
    }

    #[test]
    fn what_is_set_is_said_by_the_text() {
        let scene = set(&[
            ("bodies.0.radius", "0.5"),
            ("bodies.0.positions.1", "[5, 2, 3]"),
            ("bodies.0.fixed", "[1]"),
            ("settle.max_steps", "7"),
            ("method", "settle"),
        ])
        .unwrap();
        assert_eq!((scene.method, scene.settle.max_steps), (MethodName::Settle, 7));
        assert_eq!(scene.bodies[0].fixed, Fixed::List(vec![1]));
        assert!(matches!(scene.bodies[0].what, What::Balls(_)));
        let again = Scene::from_text(&scene.source.text, "balls.toml".as_ref()).unwrap();
        assert_eq!(again, scene);
    }

    fn shown(problem: &Problem) -> String {
        let place = problem.place.as_ref().expect("a place");
        let line = place.line.as_ref().expect("a line");
        format!("{}:{}:{}: {}", place.file.display(), line.number, line.column, problem.message)
    }

    #[test]
    fn what_is_wrong_is_shown_where_it_was_set() {
        let message = |path, value| {
            let problem = set(&[("seed", "1"), (path, value)]).unwrap_err();
            assert!(problem.help.is_some(), "{problem}");
            shown(&problem)
        };
        let expected = "--set:1:10: unknown field `bodies.raduis`";
        assert_eq!(message("bodies.0.raduis", "1"), expected);
        let expected = "--set:1:17: `bodies.radius` must be a positive number";
        assert!(message("bodies.0.radius", "-1").starts_with(expected));
        assert_eq!(message("bodies.1.radius", "1"), "--set:1:8: `bodies` has no entry `1`");
        let expected = "--set:1:14: `container.shape` is the text \"box\", which has no parts";
        assert_eq!(message("container.shape.kind", "1"), expected.replace(":14:", ":17:"));
        assert_eq!(message("seed", "]"), "--set:1:6: this is no value");
        assert_eq!(message("bodies..radius", "1"), "--set:1:8: a part of this path is empty");
        assert_eq!(message("melt.fast", "1"), "--set:1:1: unknown field `melt`");
    }

    #[test]
    fn what_is_wrong_in_the_file_is_shown_there() {
        let problem = set(&[("method", "compact")]).unwrap_err();
        assert!(shown(&problem).starts_with("balls.toml:"), "{problem}");
        assert!(problem.message.ends_with("; with --set method=compact"), "{problem}");
    }

    #[test]
    fn another_method_takes_the_place_of_phases() {
        let phases = "[[phases]]\nmethod = \"dynamics\"\nuntil = { time = 1 }\n\
                      [[phases]]\nmethod = \"settle\"\n";
        let text = format!("{TEXT}{phases}");
        let source = || Source { file: "a.toml".into(), text: text.clone(), ..Default::default() };
        let scene = |set: &[(String, String)], method| scene(source(), set, method);
        let asked = scene(&[], Some(MethodName::Collapse)).unwrap();
        assert_eq!((asked.method, asked.phases.len()), (MethodName::Collapse, 0));
        assert_eq!(Scene::from_text(asked.text(), "a.toml".as_ref()).unwrap(), asked);
        // To set one value is not to ask another question.
        let set = [("method".to_string(), "collapse".to_string())];
        assert!(scene(&set, None).unwrap_err().message.contains("both `method` and `phases`"));
    }
}
