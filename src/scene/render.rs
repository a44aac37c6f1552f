//! A tree as text again: TOML or JSON that reads as the same tree.

use std::fmt::Write;

use super::spanned::{Entry, Node, Value};

/// As TOML: plain values first, then one block for each table and each table of a list.
pub(super) fn toml(tree: &Node) -> String {
    let (mut plain, mut blocks) = (String::new(), String::new());
    let entries = tree.entries().unwrap_or_default();
    for Entry { key, node, .. } in entries {
        let name = toml_key(key);
        match &node.value {
            Value::Table(entries) => block(&mut blocks, &format!("[{name}]"), entries),
            Value::List(nodes) if is_list_of_tables(nodes) => {
                for entries in nodes.iter().filter_map(|node| node.entries().ok()) {
                    block(&mut blocks, &format!("[[{name}]]"), entries);
                }
            }
            _ => line(&mut plain, key, node),
        }
    }
    plain + &blocks
}

/// As JSON.
pub(super) fn json(tree: &Node) -> String {
    let mut text = String::new();
    write(&mut text, tree, &JSON);
    text.push('\n');
    text
}

fn is_list_of_tables(nodes: &[Node]) -> bool {
    !nodes.is_empty() && nodes.iter().all(|node| node.entries().is_ok())
}

fn block(text: &mut String, title: &str, entries: &[Entry]) {
    text.push_str(&format!("\n{title}\n"));
    entries.iter().for_each(|entry| line(text, &entry.key, &entry.node));
}

fn line(text: &mut String, key: &str, node: &Node) {
    text.push_str(&toml_key(key));
    text.push_str(" = ");
    write(text, node, &TOML);
    text.push('\n');
}

/// How a language writes tables.
struct Language {
    key: fn(&str) -> String,
    after_key: &'static str,
}

const TOML: Language = Language { key: toml_key, after_key: " = " };
const JSON: Language = Language { key: quoted, after_key: ": " };

fn write(text: &mut String, node: &Node, language: &Language) {
    match &node.value {
        Value::Null | Value::Date => text.push_str("null"), // no field of a scene takes one
        Value::Flag(flag) => text.push_str(if *flag { "true" } else { "false" }),
        Value::Whole(number) => drop(write!(text, "{number}")),
        // The shortest digits that read as the same number.
        Value::Real(number) => drop(write!(text, "{number:?}")),
        Value::Text(words) => text.push_str(&quoted(words)),
        Value::List(nodes) => {
            text.push('[');
            for (k, node) in nodes.iter().enumerate() {
                text.push_str(if k == 0 { "" } else { ", " });
                write(text, node, language);
            }
            text.push(']');
        }
        Value::Table(entries) => {
            text.push_str("{ ");
            for (k, entry) in entries.iter().enumerate() {
                text.push_str(if k == 0 { "" } else { ", " });
                text.push_str(&(language.key)(&entry.key));
                text.push_str(language.after_key);
                write(text, &entry.node, language);
            }
            text.push_str(" }");
        }
    }
}

fn toml_key(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(is_bare) { key.into() } else { quoted(key) }
}

/// With escapes that both languages know.
fn quoted(words: &str) -> String {
    let mut text = String::from('"');
    for c in words.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => drop(write!(text, "\\u{:04x}", c as u32)),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::super::gallery;
    use super::super::spanned::{parse_json, parse_toml};
    use super::*;

    #[test]
    fn every_scene_of_the_gallery_reads_the_same_again() {
        for name in gallery::names() {
            let tree = parse_toml(gallery::find(name).unwrap()).unwrap();
            let again = parse_toml(&toml(&tree)).unwrap();
            assert_eq!(again.plain(), tree.plain(), "{name}");
            assert_eq!(parse_json(&json(&tree)).unwrap().plain(), tree.plain(), "{name}");
        }
    }

    #[test]
    fn odd_words_and_numbers_survive() {
        let text = "\"a b\" = \"tab\\t, \\\"quote\\\", \\\\, \\u007f, é\"\nx = [1e300, -0.0, 5e-324, \
                    18446744073709551615]\nt = { u = { v = [] }, w = true }\n";
        let tree = parse_toml(text).unwrap();
        let again = parse_toml(&toml(&tree)).unwrap();
        assert_eq!(again.plain(), tree.plain());
        assert_eq!(parse_json(&json(&tree)).unwrap().plain(), tree.plain());
    }
}
