//! JSON, read strictly (RFC 8259: no comments, no trailing commas), because
//! `serde_json` forgets where a value stood and lets the last of two equal
//! keys win.

use std::collections::BTreeSet;

use super::{Checked, Entry, Fault, Node, Span, Value};

/// Lists and tables nested deeper than this are refused; a scene needs five levels.
const DEPTH_LIMIT: usize = 64;

/// The document: one value of any kind.
pub(in crate::scene) fn parse(text: &str) -> Checked<Node> {
    let mut reader = Reader { text, at: 0 };
    let node = reader.value(0)?;
    reader.skip_space();
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.expected("the end of the file")),
    }
}

struct Reader<'a> {
    text: &'a str,
    /// Byte offset of the next character.
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Checked<Node> {
        self.skip_space();
        let start = self.at;
        if depth > DEPTH_LIMIT {
            return Err(self.fault(start, "this is nested too deeply"));
        }
        let value = match self.peek() {
            Some('{') => self.table(depth)?,
            Some('[') => self.list(depth)?,
            Some('"') => Value::Text(self.string()?),
            Some(c) if c == '-' || c.is_ascii_digit() => self.number()?,
            _ => self.word()?,
        };
        Ok(Node::new(start..self.at, value))
    }

    fn table(&mut self, depth: usize) -> Checked<Value> {
        let mut entries = Vec::new();
        let mut keys = BTreeSet::new();
        self.at += 1;
        self.skip_space();
        if self.take('}') {
            return Ok(Value::Table(entries));
        }
        loop {
            self.skip_space();
            let start = self.at;
            if self.peek() != Some('"') {
                return Err(self.expected("a key in double quotes"));
            }
            let key = self.string()?;
            let key_span = Span(start..self.at);
            if !keys.insert(key.clone()) {
                return Err(Fault::new(&key_span, format!("the key `{key}` occurs twice")));
            }
            self.skip_space();
            if !self.take(':') {
                return Err(self.expected("`:`"));
            }
            entries.push(Entry { key, key_span, node: self.value(depth + 1)? });
            self.skip_space();
            if self.take('}') {
                return Ok(Value::Table(entries));
            }
            if !self.take(',') {
                return Err(self.expected("`,` or `}`"));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Checked<Value> {
        let mut nodes = Vec::new();
        self.at += 1;
        self.skip_space();
        if self.take(']') {
            return Ok(Value::List(nodes));
        }
        loop {
            nodes.push(self.value(depth + 1)?);
            self.skip_space();
            if self.take(']') {
                return Ok(Value::List(nodes));
            }
            if !self.take(',') {
                return Err(self.expected("`,` or `]`"));
            }
        }
    }

    fn word(&mut self) -> Checked<Value> {
        let words =
            [("true", Value::Flag(true)), ("false", Value::Flag(false)), ("null", Value::Null)];
        for (word, value) in words {
            if self.rest().starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.expected("a value"))
    }

    fn number(&mut self) -> Checked<Value> {
        let start = self.at;
        self.take('-');
        let leading_zero = self.peek() == Some('0');
        let whole_digits = self.digits()?;
        if leading_zero && whole_digits > 1 {
            return Err(self.fault(start, "a number does not begin with 0"));
        }
        let mut is_whole = true;
        if self.take('.') {
            is_whole = false;
            self.digits()?;
        }
        if self.take('e') || self.take('E') {
            is_whole = false;
            if !self.take('+') {
                self.take('-');
            }
            self.digits()?;
        }
        let literal = &self.text[start..self.at];
        if let (true, Ok(number)) = (is_whole, literal.parse()) {
            return Ok(Value::Whole(number));
        }
        match literal.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Real(number)),
            _ => Err(self.fault(start, "this number is too large")),
        }
    }

    /// Skips at least one digit; how many there were.
    fn digits(&mut self) -> Checked<usize> {
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 {
            return Err(self.expected("a digit"));
        }
        self.at += count;
        Ok(count)
    }

    fn string(&mut self) -> Checked<String> {
        let start = self.at;
        let mut string = String::new();
        self.at += 1;
        loop {
            let Some(c) = self.peek() else {
                return Err(self.fault(start, "this text has no closing quote"));
            };
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(string),
                '\\' => string.push(self.escape()?),
                c if c < ' ' => {
                    let message = "a line end or control character inside a text";
                    return Err(self.fault(self.at - 1, message));
                }
                c => string.push(c),
            }
        }
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Checked<char> {
        let start = self.at - 1;
        let letter = self.peek();
        self.at += letter.map_or(0, char::len_utf8);
        Ok(match letter {
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => {
                let mut units = vec![self.hex_unit()?];
                // A character beyond U+FFFF is written as two escaped halves.
                if (0xd800..0xdc00).contains(&units[0]) && self.rest().starts_with("\\u") {
                    self.at += 2;
                    units.push(self.hex_unit()?);
                }
                match String::from_utf16(&units).ok().and_then(|s| s.chars().next()) {
                    Some(c) => c,
                    None => return Err(self.fault(start, "half a character")),
                }
            }
            _ => return Err(self.fault(start, "an unknown escape in a text")),
        })
    }

    fn hex_unit(&mut self) -> Checked<u16> {
        let digits = self.rest().get(..4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(unit) = digits.and_then(|d| u16::from_str_radix(d, 16).ok()) else {
            return Err(self.expected("four hexadecimal digits"));
        };
        self.at += 4;
        Ok(unit)
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn expected(&self, what: &str) -> Fault {
        let found = match self.peek() {
            Some(c) => format!("`{}`", c.escape_default()),
            None => "the end of the file".into(),
        };
        self.fault(self.at, &format!("expected {what}, found {found}"))
    }

    fn fault(&self, start: usize, message: &str) -> Fault {
        Fault::new(&Span(start..start), format!("this is not valid JSON: {message}"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nodes_know_their_place() {
        let text = r#" { "a" : [1, -2.5e1] } "#;
        let tree = parse(text).unwrap();
        assert_eq!(&text[tree.span.0.clone()], r#"{ "a" : [1, -2.5e1] }"#);
        let list = tree.get("a").unwrap().list().unwrap();
        assert_eq!(&text[list[1].span.0.clone()], "-2.5e1");
        assert_eq!(list[1].number().unwrap(), -25.0);
    }

    #[test]
    fn every_fault_has_its_message_and_place() {
        let cases = [
            ("", 0, "expected a value, found the end of the file"),
            ("{\"a\": 1,}", 8, "expected a key in double quotes, found `}`"),
            ("{\"a\": 1, \"a\": 2}", 9, "the key `a` occurs twice"),
            ("{\"a\" 1}", 5, "expected `:`, found `1`"),
            ("{\"a\": 1 \"b\"}", 8, "expected `,` or `}`, found `\\\"`"),
            ("[1 2]", 3, "expected `,` or `]`, found `2`"),
            ("[01]", 1, "a number does not begin with 0"),
            ("[1.]", 3, "expected a digit, found `]`"),
            ("[1e999]", 1, "this number is too large"),
            ("[nan]", 1, "expected a value, found `n`"),
            ("\"abc", 0, "this text has no closing quote"),
            ("\"a\nb\"", 2, "a line end or control character inside a text"),
            (r#""\q""#, 1, "an unknown escape in a text"),
            (r#""\u12""#, 3, "expected four hexadecimal digits, found `1`"),
            (r#""\ud800""#, 1, "half a character"),
            ("1 2", 2, "expected the end of the file, found `2`"),
        ];
        for (text, at, message) in cases {
            let fault = parse(text).unwrap_err();
            assert!(fault.message.ends_with(message), "{text}: {}", fault.message);
            assert_eq!(fault.span.0.start, at, "{text}");
        }
        let deep = parse(&"[".repeat(100_000)).unwrap_err();
        assert!(deep.message.contains("nested too deeply"));
    }

    #[test]
    fn escapes_are_read() {
        let text = r#""\"\\\/\b\f\n\r\t\u0041\ud83d\ude00""#;
        assert_eq!(parse(text).unwrap().text().unwrap(), "\"\\/\u{8}\u{c}\n\r\tA\u{1f600}");
    }

    fn any_json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            (-1e9..1e9).prop_map(|x: f64| serde_json::Value::from(x)),
            ".{0,8}".prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
                prop::collection::btree_map(".{0,4}", inner, 0..5)
                    .prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn reads_what_serde_json_writes(value in any_json()) {
            let text = serde_json::to_string_pretty(&value).unwrap();
            let tree = parse(&text).map_err(|f| TestCaseError::fail(f.message))?;
            prop_assert_eq!(tree.plain(), value);
        }

        #[test]
        fn accepts_nothing_that_serde_json_refuses(text in "[\\[\\]{}:,\"0-9eE.+ truefalsn\\\\-]{0,12}") {
            if serde_json::from_str::<serde_json::Value>(&text).is_err() {
                prop_assert!(parse(&text).is_err(), "{}", text);
            }
        }
    }
}
