//! TOML and JSON as one tree whose nodes know their place in the text, so that
//! every later complaint can point at what it is about.

mod json;
mod toml;

use std::ops::Range;

pub(super) use self::json::parse as parse_json;
pub(super) use self::toml::parse as parse_toml;
use super::source::{Source, Span};
use crate::problem::Problem;

/// A value and the bytes of the text that say it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub span: Span,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Flag(bool),
    Whole(i128),
    Real(f64),
    Text(String),
    /// TOML has dates; no field of a scene takes one.
    Date,
    List(Vec<Node>),
    /// In the order of the text; no key occurs twice.
    Table(Vec<Entry>),
}

/// `key = node`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub key: String,
    pub key_span: Span,
    pub node: Node,
}

/// Something wrong at some place of the text that is being read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fault {
    pub span: Span,
    pub message: String,
    pub help: Option<String>,
}

pub(super) type Checked<T> = std::result::Result<T, Fault>;

impl Fault {
    pub fn new(span: &Span, message: impl Into<String>) -> Self {
        Fault { span: span.clone(), message: message.into(), help: None }
    }

    /// Adds what would be accepted, unless something more exact is known.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.get_or_insert_with(|| help.into());
        self
    }

    /// The same for people: with the file, the line and the columns.
    pub fn in_source(self, source: &Source) -> Problem {
        let problem = source.problem(&self.span, self.message);
        match self.help {
            Some(help) => problem.help(help),
            None => problem,
        }
    }
}

impl Node {
    pub fn new(span: Range<usize>, value: Value) -> Self {
        Node { span: Span(span), value }
    }

    /// Moves the places of the whole tree from a text where it stood at `from` to one where it
    /// stands at `to`.
    pub fn shift(&mut self, to: usize, from: usize) {
        let moved = |span: &Span| Span(span.0.start + to - from..span.0.end + to - from);
        self.span = moved(&self.span);
        match &mut self.value {
            Value::List(nodes) => nodes.iter_mut().for_each(|node| node.shift(to, from)),
            Value::Table(entries) => {
                for entry in entries {
                    entry.key_span = moved(&entry.key_span);
                    entry.node.shift(to, from);
                }
            }
            _ => {}
        }
    }

    /// The entry of a table; nothing for other values.
    pub fn get(&self, key: &str) -> Option<&Node> {
        let Value::Table(entries) = &self.value else { return None };
        entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The entry of a table, which must be there.
    pub fn need(&self, key: &str) -> Checked<&Node> {
        self.get(key).ok_or_else(|| Fault::new(&self.span, format!("`{key}` is missing")))
    }

    pub fn entries(&self) -> Checked<&[Entry]> {
        match &self.value {
            Value::Table(entries) => Ok(entries),
            _ => Err(self.must_be("a table of fields")),
        }
    }

    pub fn list(&self) -> Checked<&[Node]> {
        match &self.value {
            Value::List(nodes) => Ok(nodes),
            _ => Err(self.must_be("a list")),
        }
    }

    pub fn text(&self) -> Checked<&str> {
        match &self.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.must_be("a text")),
        }
    }

    pub fn flag(&self) -> Checked<bool> {
        match self.value {
            Value::Flag(flag) => Ok(flag),
            _ => Err(self.must_be("true or false")),
        }
    }

    /// Any number, also one that is not finite.
    pub fn number(&self) -> Checked<f64> {
        match self.value {
            Value::Whole(number) => Ok(number as f64),
            Value::Real(number) => Ok(number),
            _ => Err(self.must_be("a number")),
        }
    }

    /// A whole number from 0; `3.0` is one.
    pub fn whole(&self) -> Checked<u64> {
        let found = match self.value {
            Value::Whole(number) => u64::try_from(number).ok(),
            Value::Real(x) if x.fract() == 0.0 && (0.0..1e15).contains(&x) => Some(x as u64),
            _ => None,
        };
        found.ok_or_else(|| self.must_be("a whole number"))
    }

    fn must_be(&self, expected: &str) -> Fault {
        Fault::new(&self.span, format!("expected {expected}, found {}", self.what()))
    }

    /// What is there, in words, for messages.
    pub fn what(&self) -> String {
        match &self.value {
            Value::Null => "null".into(),
            Value::Flag(flag) => flag.to_string(),
            Value::Whole(number) => number.to_string(),
            Value::Real(number) => format!("{number:?}"),
            Value::Text(text) if text.chars().count() > 40 => {
                format!("the text {:?}...", text.chars().take(40).collect::<String>())
            }
            Value::Text(text) => format!("the text {text:?}"),
            Value::Date => "a date".into(),
            Value::List(nodes) if nodes.is_empty() => "an empty list".into(),
            Value::List(nodes) if nodes.len() == 1 => "a list of 1 entry".into(),
            Value::List(nodes) => format!("a list of {} entries", nodes.len()),
            Value::Table(_) => "a table".into(),
        }
    }
}

#[cfg(test)]
impl Node {
    /// The tree without its spans.
    pub fn plain(&self) -> serde_json::Value {
        match &self.value {
            Value::Null | Value::Date => serde_json::Value::Null,
            Value::Flag(flag) => (*flag).into(),
            Value::Whole(number) => serde_json::from_str(&number.to_string()).unwrap(),
            Value::Real(number) => (*number).into(),
            Value::Text(text) => text.clone().into(),
            Value::List(nodes) => nodes.iter().map(Node::plain).collect(),
            Value::Table(entries) => {
                entries.iter().map(|entry| (entry.key.clone(), entry.node.plain())).collect()
            }
        }
    }
}
