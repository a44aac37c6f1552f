//! The words in which [`super::format`] describes scene files: kinds of values
//! and tables of fields. A description can check a tree, and
//! [`super::schema`] turns the same description into a JSON Schema.

use super::spanned::{Checked, Entry, Fault, Node};
use super::suggest::nearest_name;
use crate::math::{LEAST_NUMBER, MOST_NUMBER};

/// What a value may be.
pub(super) enum Kind {
    Text,
    /// true or false.
    Flag,
    /// One of these names, each with its meaning.
    Choice(Vec<(&'static str, &'static str)>),
    Number(Range),
    Whole {
        least: u64,
        most: u64,
    },
    List {
        /// The list in words: "a point [x, y, z]".
        what: &'static str,
        of: Box<Kind>,
        least: usize,
        most: usize,
    },
    Table(Table),
    /// A table whose other fields depend on what this one field says.
    Tagged {
        tag: &'static str,
        variants: Vec<(&'static str, Table)>,
    },
    /// The first of these that takes a value of this type.
    Either(Vec<Kind>),
}

/// Which finite numbers are accepted.
#[derive(Clone, Copy)]
pub(super) enum Range {
    Any,
    Positive,
    NotNegative,
    /// 0 <= x < 1.
    Fraction,
}

/// A set of named fields.
pub(super) struct Table {
    /// What leads to it: `bodies.grid`; empty for the whole file.
    pub path: &'static str,
    pub about: String,
    pub fields: Vec<Field>,
    /// Fields that exclude each other; one of them must be there if `bool` says so.
    pub rivals: Vec<(Vec<&'static str>, bool)>,
}

/// A named value of a table.
pub(super) struct Field {
    pub name: &'static str,
    pub kind: Kind,
    pub about: String,
    pub required: bool,
    pub default: Option<serde_json::Value>,
}

impl Table {
    pub fn new(path: &'static str) -> Self {
        Table { path, about: String::new(), fields: Vec::new(), rivals: Vec::new() }
    }

    /// Adds a part of the table's description.
    pub fn says(mut self, about: &str) -> Self {
        add_sentence(&mut self.about, about);
        self
    }

    /// Adds a field that must be there.
    pub fn required(self, name: &'static str, kind: Kind) -> Self {
        self.field(name, kind, true)
    }

    /// Adds a field that may be left out.
    pub fn optional(self, name: &'static str, kind: Kind) -> Self {
        self.field(name, kind, false)
    }

    fn field(mut self, name: &'static str, kind: Kind, required: bool) -> Self {
        self.fields.push(Field { name, kind, about: String::new(), required, default: None });
        self
    }

    /// Adds to the description of the last field.
    pub fn about(mut self, about: &str) -> Self {
        if let Some(field) = self.fields.last_mut() {
            add_sentence(&mut field.about, about);
        }
        self
    }

    /// Says what the last field is when it is left out.
    pub fn default(mut self, value: impl Into<serde_json::Value>) -> Self {
        if let Some(field) = self.fields.last_mut() {
            field.default = Some(value.into());
        }
        self
    }

    /// Exactly one of these fields must be there.
    pub fn exactly_one(mut self, names: &[&'static str]) -> Self {
        self.rivals.push((names.to_vec(), true));
        self
    }

    /// At most one of these fields may be there.
    pub fn at_most_one(mut self, names: &[&'static str]) -> Self {
        self.rivals.push((names.to_vec(), false));
        self
    }

    /// Unknown, missing, rival and wrong fields are faults.
    pub fn check(&self, node: &Node) -> Checked<()> {
        for entry in node.entries()? {
            let Some(field) = self.fields.iter().find(|field| field.name == entry.key) else {
                return Err(self.unknown(entry));
            };
            let subject = format!("`{}`", self.full_name(field.name));
            field.kind.check(&entry.node, &subject).map_err(|fault| fault.help(&field.about))?;
        }
        let missing = |field: &&Field| field.required && node.get(field.name).is_none();
        if let Some(field) = self.fields.iter().find(missing) {
            let message = format!("`{}` is missing", self.full_name(field.name));
            let help = format!("{} is {}. {}", field.name, field.kind.expected(), field.about);
            return Err(Fault::new(&node.span, message).help(help));
        }
        self.check_rivals(node)
    }

    fn check_rivals(&self, node: &Node) -> Checked<()> {
        for (names, needs_one) in &self.rivals {
            let present: Vec<_> = names.iter().filter(|name| node.get(name).is_some()).collect();
            let all = list_in_words(names, "or");
            let owner = self.owner();
            let message = match present[..] {
                [] if *needs_one => format!("{owner} needs one of {all}"),
                [first, second, ..] => {
                    format!("{owner} has both `{first}` and `{second}`, which exclude each other")
                }
                _ => continue,
            };
            return Err(Fault::new(&node.span, message).help(format!("give one of {all}")));
        }
        Ok(())
    }

    fn unknown(&self, entry: &Entry) -> Fault {
        let names: Vec<&str> = self.fields.iter().map(|field| field.name).collect();
        let accepted = format!("{} takes {}", self.owner(), list_in_words(&names, "and"));
        let help = match nearest_name(&entry.key, names) {
            Some(name) => format!("did you mean `{name}`? {accepted}"),
            None => accepted,
        };
        let message = format!("unknown field `{}`", self.full_name(&entry.key));
        Fault::new(&entry.key_span, message).help(help)
    }

    fn full_name(&self, field: &str) -> String {
        if self.path.is_empty() { field.into() } else { format!("{}.{field}", self.path) }
    }

    fn owner(&self) -> String {
        if self.path.is_empty() { "a scene".into() } else { format!("`{}`", self.path) }
    }
}

impl Kind {
    /// A fault unless the value is of this kind; `subject` names it in the message.
    fn check(&self, node: &Node, subject: &str) -> Checked<()> {
        let refused = || {
            let message = format!("{subject} must be {}, found {}", self.expected(), node.what());
            Err(Fault::new(&node.span, message))
        };
        match self {
            Kind::Text if node.text().is_ok() => Ok(()),
            Kind::Flag if node.flag().is_ok() => Ok(()),
            Kind::Number(range) if node.number().is_ok_and(|x| range.holds(x)) => {
                in_bounds(node, subject)
            }
            Kind::Whole { least, most } => match node.whole() {
                Ok(number) if (*least..=*most).contains(&number) => Ok(()),
                _ => refused(),
            },
            Kind::Choice(choices) => choose(node, subject, choices.iter().map(|c| c.0)),
            Kind::List { of, least, most, .. } => match node.list() {
                Ok(nodes) if (*least..=*most).contains(&nodes.len()) => {
                    // An entry of an entry is still called an entry.
                    let subject =
                        format!("an entry of {}", subject.trim_start_matches("an entry of "));
                    nodes.iter().try_for_each(|node| of.check(node, &subject))
                }
                _ => refused(),
            },
            Kind::Table(table) if node.entries().is_ok() => table.check(node),
            Kind::Tagged { tag, variants } if node.entries().is_ok() => {
                check_tagged(node, subject, tag, variants)
            }
            Kind::Either(kinds) => match kinds.iter().find(|kind| kind.takes_type_of(node)) {
                Some(kind) => kind.check(node, subject),
                None => refused(),
            },
            _ => refused(),
        }
    }

    /// Whether a value of this type is meant for this kind.
    pub fn takes_type_of(&self, node: &Node) -> bool {
        match self {
            Kind::Flag => node.flag().is_ok(),
            Kind::Number(_) => node.number().is_ok(),
            Kind::Whole { .. } => node.whole().is_ok(),
            Kind::Text | Kind::Choice(_) => node.text().is_ok(),
            Kind::List { .. } => node.list().is_ok(),
            Kind::Table(_) | Kind::Tagged { .. } => node.entries().is_ok(),
            Kind::Either(kinds) => kinds.iter().any(|kind| kind.takes_type_of(node)),
        }
    }

    /// In words: what would be accepted.
    pub fn expected(&self) -> String {
        match self {
            Kind::Text => "a text".into(),
            Kind::Flag => "true or false".into(),
            Kind::Choice(choices) => {
                list_in_words(&choices.iter().map(|c| c.0).collect::<Vec<_>>(), "or")
            }
            Kind::Number(Range::Any) => "a finite number".into(),
            Kind::Number(Range::Positive) => "a positive number".into(),
            Kind::Number(Range::NotNegative) => "a number from 0 up".into(),
            Kind::Number(Range::Fraction) => "a number from 0 to below 1".into(),
            Kind::Whole { least, most: u64::MAX } => format!("a whole number from {least} up"),
            Kind::Whole { least, most } => format!("a whole number from {least} to {most}"),
            Kind::List { what, .. } => (*what).into(),
            Kind::Table(table) => {
                let names: Vec<_> = table.fields.iter().map(|field| field.name).collect();
                let joint = if table.rivals.is_empty() { "and" } else { "or" };
                format!("a table with {}", list_in_words(&names, joint))
            }
            Kind::Tagged { tag, .. } => format!("a table with a `{tag}`"),
            Kind::Either(kinds) => {
                kinds.iter().map(Kind::expected).collect::<Vec<_>>().join(", or ")
            }
        }
    }
}

impl Range {
    fn holds(self, x: f64) -> bool {
        x.is_finite()
            && match self {
                Range::Any => true,
                Range::Positive => x > 0.0,
                Range::NotNegative => x >= 0.0,
                Range::Fraction => (0.0..1.0).contains(&x),
            }
    }
}

/// Products of a few numbers of a scene are numbers, too.
fn in_bounds(node: &Node, subject: &str) -> Checked<()> {
    match node.number() {
        Ok(x) if x != 0.0 && !(LEAST_NUMBER..=MOST_NUMBER).contains(&x.abs()) => {
            let message = format!(
                "{subject} is {x:e}: its size is not within {LEAST_NUMBER:e} to {MOST_NUMBER:e}"
            );
            let help = "numbers of other sizes, multiplied with each other, are none any more: use \
                        other units";
            Err(Fault::new(&node.span, message).help(help))
        }
        _ => Ok(()),
    }
}

/// Checks a table against the variant that its tag names.
fn check_tagged(
    node: &Node,
    subject: &str,
    tag: &str,
    variants: &[(&'static str, Table)],
) -> Checked<()> {
    let names = variants.iter().map(|variant| variant.0);
    let Some(said) = node.get(tag) else {
        let names = list_in_words(&names.collect::<Vec<_>>(), "or");
        let message = format!("{subject} does not say its `{tag}`");
        return Err(Fault::new(&node.span, message).help(format!("{tag} is {names}")));
    };
    choose(said, &format!("the `{tag}` of {subject}"), names)?;
    let word = said.text()?;
    variants.iter().filter(|variant| variant.0 == word).try_for_each(|(_, t)| t.check(node))
}

/// A fault unless the value is one of these names.
fn choose<'a>(
    node: &Node,
    subject: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Checked<()> {
    if node.text().is_ok_and(|word| names.clone().any(|name| name == word)) {
        return Ok(());
    }
    let accepted = list_in_words(&names.clone().collect::<Vec<_>>(), "or");
    let message = format!("{subject} must be {accepted}, found {}", node.what());
    let fault = Fault::new(&node.span, message);
    match node.text().ok().and_then(|word| nearest_name(word, names)) {
        Some(name) => Err(fault.help(format!("did you mean \"{name}\"?"))),
        None => Err(fault),
    }
}

fn add_sentence(to: &mut String, sentence: &str) {
    if !to.is_empty() {
        to.push(' ');
    }
    to.push_str(sentence);
}

/// `a`, `b` and `c`
fn list_in_words(names: &[&str], joint: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => "nothing".into(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} {joint} {last}", others.join(", ")),
    }
}
