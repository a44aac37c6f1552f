//! What CSS says of an element: its attribute `style`, and the style sheets of the drawing. Rules
//! whose selectors are names of elements, classes and ids, and what these lie in, hold as the
//! cascade has it. What else would change what is drawn is refused by name, never passed over.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};

use super::element::name;
use crate::problem::{Problem, Result};

/// Properties that are lengths of an element, as its attributes are.
pub const LENGTHS: [&str; 9] = ["cx", "cy", "r", "rx", "ry", "x", "y", "width", "height"];

/// Properties that would draw an element in another place or another shape, and are not read.
const PLACING: [&str; 11] = [
    "transform",
    "transform-origin",
    "transform-box",
    "translate",
    "rotate",
    "scale",
    "offset",
    "offset-path",
    "zoom",
    "d",
    "points",
];

/// Properties that decide what of a drawing is there, and what its lines enclose.
const SHOWN: [&str; 6] = ["display", "visibility", "fill", "fill-rule", "clip-path", "mask"];

/// Blocks that say nothing of how elements lie.
const ELSEWHERE: [&str; 6] =
    ["font-face", "keyframes", "-webkit-keyframes", "page", "counter-style", "property"];

/// What holds only under a pointer or a finger, or for letters.
const PASSING: [&str; 7] =
    [":hover", ":active", ":focus", ":visited", "::selection", "::before", "::after"];

/// More rules are no drawing's: every element is held against them.
const MOST_RULES: usize = 10_000;

/// Conditions within conditions, likewise.
const MOST_CONDITIONS: usize = 8;

/// The style sheets of a drawing, as far as they concern what is drawn where.
#[derive(Default)]
pub struct Sheet {
    rules: Vec<Rule>,
    /// The rules by what they ask of the element itself: its id, a class, its name, or nothing.
    by_key: BTreeMap<String, Vec<usize>>,
    /// What was not read, and changes nothing that is cut.
    pub notes: Vec<String>,
}

struct Rule {
    /// From the outermost to the element itself.
    selector: Vec<Compound>,
    declaration: Declaration<String>,
}

struct Declaration<T> {
    name: String,
    value: T,
    is_important: bool,
}

/// What is asked of one element.
#[derive(Default)]
struct Compound {
    tag: Option<String>,
    ids: Vec<String>,
    classes: Vec<String>,
    /// The one before it is asked of the parent, and not of any element around.
    is_child: bool,
}

/// What wins: importance, the element's own style, then what asks for more, then what comes later.
type Rank = (bool, bool, [usize; 3], usize);

impl Sheet {
    pub fn of(document: &Document) -> Result<Sheet> {
        let mut sheet = Sheet::default();
        for node in document.root().children().filter_map(|node| node.pi()) {
            if node.target == "xml-stylesheet" {
                sheet.notes.push("a style sheet in another file is not read".into());
            }
        }
        for node in document.descendants().filter(|node| node.tag_name().name() == "style") {
            if !matches!(node.attribute("type"), None | Some("" | "text/css")) {
                continue;
            }
            let text: String =
                node.children().filter(Node::is_text).filter_map(|node| node.text()).collect();
            let is_always = matches!(node.attribute("media"), None | Some("" | "all" | "screen"));
            sheet.read(&without_comments(&text), usize::from(!is_always), &name(node))?;
        }
        Ok(sheet)
    }

    /// The value of a property: from the style, or from the attribute of the same name.
    pub fn property<'s, 'a: 's>(&'s self, node: Node<'a, '_>, name: &str) -> Option<&'s str> {
        self.styled(node, name).or_else(|| node.attribute(name))
    }

    /// The value of a property that the style gives.
    pub fn styled<'s, 'a: 's>(&'s self, node: Node<'a, '_>, name: &str) -> Option<&'s str> {
        let of_name = self.declared(node).into_iter().filter(|(_, own, _)| own == name);
        of_name.max_by_key(|(rank, ..)| *rank).map(|(.., value)| value)
    }

    /// Refuses what would draw an element elsewhere and is not read.
    pub fn check_place(&self, node: Node) -> Result<()> {
        let attributes = ["transform-origin", "transform-box"];
        let given = attributes.iter().filter_map(|&own| Some((own.into(), node.attribute(own)?)));
        let styled = self.declared(node).into_iter().map(|(_, own, value)| (own, value));
        for (own, value) in given.chain(styled) {
            let is_nothing = match own.as_str() {
                "transform" => value == "none" && node.attribute("transform").is_none(),
                "transform-origin" => value.split_whitespace().all(|x| ["0", "0px"].contains(&x)),
                "transform-box" => value == "view-box",
                "zoom" => value == "1",
                other => !PLACING.contains(&other) || value == "none" && other != "d",
            };
            if !is_nothing {
                let message = format!("{} has the style {own}, which is not read", name(node));
                return Err(Problem::new(message).help(
                    "give its shape and its transform as attributes, without an origin of its own",
                ));
            }
        }
        Ok(())
    }

    /// All that the sheets and its own style say of an element.
    fn declared<'s, 'a: 's>(&'s self, node: Node<'a, '_>) -> Vec<(Rank, String, &'s str)> {
        let mut found = Vec::new();
        for declaration in declarations(node.attribute("style").unwrap_or_default()) {
            let rank = (declaration.is_important, true, [0; 3], found.len());
            found.push((rank, declaration.name, declaration.value));
        }
        if self.rules.is_empty() {
            return found;
        }
        let classes = node.attribute("class").unwrap_or_default().split_whitespace();
        let keys = classes.map(|class| format!(".{class}"));
        let keys = keys.chain(node.attribute("id").map(|id| format!("#{id}")));
        let tag = node.tag_name().name().to_string();
        for key in keys.chain([tag, "*".to_string()]) {
            for &index in self.by_key.get(&key).into_iter().flatten() {
                let Rule { selector, declaration } = &self.rules[index];
                if asks_for(selector, node) {
                    let rank = (declaration.is_important, false, weight(selector), index);
                    found.push((rank, declaration.name.clone(), &declaration.value));
                }
            }
        }
        found
    }

    /// Reads rules that hold under so many conditions: without any, always.
    fn read(&mut self, text: &str, conditions: usize, place: &str) -> Result<()> {
        if conditions > MOST_CONDITIONS {
            return Err(Problem::new(format!("{place} has blocks in blocks in blocks")));
        }
        let mut rest = text;
        while let Some(end) = outside(rest, &['{', ';', '}']) {
            let prelude = rest[..end].trim();
            let is_block = rest[end..].starts_with('{');
            rest = &rest[end + 1..];
            if !is_block {
                if prelude.starts_with("@import") {
                    self.notes.push(format!("{place} imports a style sheet, which is not read"));
                }
                continue;
            }
            let close = closing(rest);
            let inside = &rest[..close];
            rest = rest.get(close + 1..).unwrap_or_default();
            match prelude.strip_prefix('@') {
                Some(at) => {
                    let word = at.split(|c: char| c.is_whitespace() || c == '(').next();
                    if !ELSEWHERE.contains(&word.unwrap_or_default()) {
                        self.read(inside, conditions + 1, place)?;
                    }
                }
                None => self.rule(prelude, inside, conditions == 0, place)?,
            }
        }
        Ok(())
    }

    fn rule(&mut self, prelude: &str, inside: &str, is_always: bool, place: &str) -> Result<()> {
        let concerns = |name: &str| [&LENGTHS[..], &PLACING, &SHOWN].concat().contains(&name);
        let found = declarations(inside).filter(|one| concerns(&one.name)).collect::<Vec<_>>();
        if found.is_empty() {
            return Ok(());
        }
        for text in prelude.split(',').map(str::trim) {
            if PASSING.iter().any(|passing| text.contains(passing)) {
                continue;
            }
            for declaration in &found {
                let Some(selector) = selector(text).filter(|_| is_always) else {
                    self.unread(text, &declaration.name, place)?;
                    continue;
                };
                let key = selector.last().map(Compound::key).unwrap_or_default();
                self.by_key.entry(key).or_default().push(self.rules.len());
                let Declaration { name, value, is_important } = declaration;
                let (name, value) = (name.clone(), value.to_string());
                let declaration = Declaration { name, value, is_important: *is_important };
                self.rules.push(Rule { selector, declaration });
            }
        }
        match self.rules.len() > MOST_RULES {
            true => Err(Problem::new(format!("{place} has more than {MOST_RULES} rules"))),
            false => Ok(()),
        }
    }

    /// A rule that is not understood: what moves or shapes something is refused.
    fn unread(&mut self, selector: &str, property: &str, place: &str) -> Result<()> {
        let shown: String = selector.chars().filter(|c| !c.is_control()).take(40).collect();
        let message = format!("{place}: the rule for `{shown}` gives {property}, and is not read");
        if SHOWN[1..].contains(&property) {
            self.notes.push(message);
            return Ok(());
        }
        Err(Problem::new(message).help(
            "rules that always hold, for elements, classes and ids, are read; or give attributes",
        ))
    }
}

impl Compound {
    fn key(&self) -> String {
        match (self.ids.first(), self.classes.first(), &self.tag) {
            (Some(id), ..) => format!("#{id}"),
            (_, Some(class), _) => format!(".{class}"),
            (.., Some(tag)) => tag.clone(),
            _ => "*".into(),
        }
    }

    fn asks_for(&self, node: Node) -> bool {
        let classes = || node.attribute("class").unwrap_or_default().split_whitespace();
        self.tag.as_ref().is_none_or(|tag| tag == node.tag_name().name())
            && self.ids.iter().all(|id| node.attribute("id") == Some(id))
            && self.classes.iter().all(|class| classes().any(|own| own == class))
    }
}

/// How much a selector asks for: ids, classes, names.
fn weight(selector: &[Compound]) -> [usize; 3] {
    let sum = |count: fn(&Compound) -> usize| selector.iter().map(count).sum();
    [sum(|c| c.ids.len()), sum(|c| c.classes.len()), sum(|c| usize::from(c.tag.is_some()))]
}

fn asks_for(selector: &[Compound], node: Node) -> bool {
    let Some((own, outer)) = selector.split_last() else { return false };
    if !own.asks_for(node) {
        return false;
    }
    let around: Vec<Node> = match outer {
        [] => return true,
        _ => node.ancestors().filter(Node::is_element).collect(),
    };
    // Which elements around can be what the part of the selector read so far begins with.
    let mut starts = vec![0];
    let mut is_child = own.is_child;
    for compound in outer.iter().rev() {
        let next: Vec<usize> = match is_child {
            true => starts.iter().map(|k| k + 1).collect(),
            false => (starts.first().map_or(around.len(), |k| k + 1)..around.len()).collect(),
        };
        let fits = |k: &usize| around.get(*k).is_some_and(|node| compound.asks_for(*node));
        starts = next.into_iter().filter(fits).collect();
        is_child = compound.is_child;
    }
    !starts.is_empty()
}

/// A selector of names, classes and ids; none if it asks for anything else.
fn selector(text: &str) -> Option<Vec<Compound>> {
    let mut found: Vec<Compound> = Vec::new();
    let mut is_child = false;
    for word in text.replace('>', " > ").split_whitespace() {
        if word == ">" {
            is_child = true;
            continue;
        }
        found.push(Compound { is_child, ..compound(word)? });
        is_child = false;
    }
    (!found.is_empty() && !is_child && !found[0].is_child).then_some(found)
}

fn compound(word: &str) -> Option<Compound> {
    let mut found = Compound::default();
    let is_plain = |c: char| c.is_alphanumeric() || ['-', '_', '*', '.', '#'].contains(&c);
    if !word.chars().all(is_plain) {
        return None;
    }
    let end = word.find(['.', '#']).unwrap_or(word.len());
    let (tag, mut rest) = word.split_at(end);
    found.tag = Some(tag.to_string()).filter(|tag| !tag.is_empty() && tag != "*");
    while let Some(mark) = rest.chars().next() {
        let end = rest[1..].find(['.', '#']).map_or(rest.len(), |end| end + 1);
        let own = &rest[1..end];
        if own.is_empty() || own.contains('*') {
            return None;
        }
        let list = if mark == '#' { &mut found.ids } else { &mut found.classes };
        list.push(own.to_string());
        rest = &rest[end..];
    }
    (!found.tag.as_ref().is_some_and(|tag| tag.contains('*'))).then_some(found)
}

/// Names in small letters, and values.
fn declarations(text: &str) -> impl Iterator<Item = Declaration<&str>> {
    let mut rest = text;
    let pieces = std::iter::from_fn(move || {
        let end = outside(rest, &[';']).unwrap_or(rest.len());
        let piece = &rest[..end];
        let has_more = !rest.is_empty();
        rest = rest.get(end + 1..).unwrap_or_default();
        has_more.then_some(piece)
    });
    pieces.filter_map(|piece| {
        let (name, value) = piece.split_once(':')?;
        let value = value.trim();
        let (value, is_important) = match value.split_once('!') {
            Some((value, _)) => (value.trim(), true),
            None => (value, false),
        };
        // A comment may stand before the name.
        let name = name.rsplit("*/").next().unwrap_or_default();
        Some(Declaration { name: name.trim().to_ascii_lowercase(), value, is_important })
    })
}

/// The first of these letters that is in no text and in no brackets.
fn outside(text: &str, wanted: &[char]) -> Option<usize> {
    let (mut quote, mut depth, mut is_escaped) = (None, 0_usize, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if quote.is_some() => quote = quote.filter(|quote| *quote != c),
            '"' | '\'' => quote = Some(c),
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 && wanted.contains(&c) => return Some(at),
            _ => {}
        }
    }
    None
}

/// Where a block ends that has begun before the text.
fn closing(text: &str) -> usize {
    let (mut at, mut depth) = (0, 1);
    while let Some(next) = outside(&text[at..], &['{', '}']) {
        depth = if text[at + next..].starts_with('{') { depth + 1 } else { depth - 1 };
        if depth == 0 {
            return at + next;
        }
        at += next + 1;
    }
    text.len()
}

fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |kept, part| kept + " " + part.split_once("*/").map_or("", |(_, rest)| rest))
}
