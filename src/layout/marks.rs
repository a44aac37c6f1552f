//! The elements of an XML text, one after another, as far as drawings need
//! them: names, attributes, and how deep they are nested.

use crate::problem::{Problem, Result};

/// An opening tag.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    /// How many elements it is inside of.
    pub depth: usize,
}

impl Element {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// All elements in the order of their opening tags.
pub fn elements(text: &str) -> Result<Vec<Element>> {
    let mut found = Vec::new();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(open) = text[at..].find('<') {
        let start = at + open;
        let rest = &text[start..];
        if let Some((opener, closer)) =
            [("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"), ("<!", ">")]
                .into_iter()
                .find(|(o, _)| rest.starts_with(o))
        {
            let end = rest[opener.len()..].find(closer).ok_or_else(|| broken(rest))?;
            at = start + opener.len() + end + closer.len();
            continue;
        }
        let end = tag_end(rest).ok_or_else(|| broken(rest))?;
        let inside = &rest[1..end];
        at = start + end + 1;
        if inside.starts_with('/') {
            depth = depth.saturating_sub(1);
            continue;
        }
        let closed = inside.ends_with('/');
        let inside = inside.trim_end_matches('/');
        let name: String = inside.chars().take_while(|c| !c.is_whitespace()).collect();
        let attributes = attributes(&inside[name.len()..]).ok_or_else(|| broken(rest))?;
        found.push(Element { name: local(&name), attributes, depth });
        depth += usize::from(!closed);
    }
    Ok(found)
}

/// Where the `>` is that ends the tag: not one inside quotes.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (k, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(k),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

fn attributes(text: &str) -> Option<Vec<(String, String)>> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| ['"', '\''].contains(c))?;
        let (value, tail) = after[1..].split_once(quote)?;
        found.push((local(name.trim()), value.to_string()));
        rest = tail.trim_start();
    }
    Some(found)
}

/// A name without its prefix: `xlink:href` is `href`.
fn local(name: &str) -> String {
    name.rsplit(':').next().unwrap_or(name).to_string()
}

fn broken(rest: &str) -> Problem {
    let shown: String = rest.chars().take(40).collect();
    Problem::new(format!("the text from \"{shown}\" on is not XML"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_come_with_depth_and_attributes() {
        let text = "<?xml v?><!-- <no/> --><svg><g id='a>b'><path d=\"M0,0\"/></g><use xlink:href=\"#a\"/></svg>";
        let found = elements(text).unwrap();
        let shown: Vec<(&str, usize)> = found.iter().map(|e| (e.name.as_str(), e.depth)).collect();
        assert_eq!(shown, [("svg", 0), ("g", 1), ("path", 2), ("use", 1)]);
        assert_eq!(found[1].get("id"), Some("a>b"));
        assert_eq!(found[3].get("href"), Some("#a"));
        assert_eq!(found[2].get("id"), None);
    }

    #[test]
    fn broken_texts_are_refused() {
        for text in ["<svg", "<svg a=b>", "<!-- x", "<svg a=\"1>", "<svg a>"] {
            assert!(elements(text).unwrap_err().message.contains("not XML"), "{text}");
        }
    }
}
