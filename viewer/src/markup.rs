//! Text for HTML and SVG: escaping, numbers, and elements that close what they
//! open.

use std::fmt::Write;

/// Text as it may stand between tags and in quoted attributes. Characters that
/// XML does not allow at all become a replacement character.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(character),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// A length on the paper: a thousandth of a pixel is fine enough.
pub(crate) fn length(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// An SVG picture in the making.
pub(crate) struct Svg {
    text: String,
    open: Vec<&'static str>,
}

/// An attribute: its name and its value, not yet escaped.
pub(crate) type Attribute<'a> = (&'a str, &'a str);

impl Svg {
    /// An empty picture of this size in pixels, with a title for those who cannot see it.
    pub(crate) fn new(width: f64, height: f64, title: &str) -> Svg {
        let mut svg = Svg { text: String::new(), open: Vec::new() };
        let (width, height) = (length(width), length(height));
        svg.open(
            "svg",
            &[
                ("xmlns", "http://www.w3.org/2000/svg"),
                ("width", &width),
                ("height", &height),
                ("viewBox", &format!("0 0 {width} {height}")),
                ("role", "img"),
                ("font-family", "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"),
            ],
        );
        svg.words("title", &[], title);
        svg
    }

    pub(crate) fn open(&mut self, name: &'static str, attributes: &[Attribute]) {
        self.tag(name, attributes, ">\n");
        self.open.push(name);
    }

    /// Closes the element opened last.
    pub(crate) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            let _ = writeln!(self.text, "</{name}>");
        }
    }

    /// An element without contents.
    pub(crate) fn leaf(&mut self, name: &str, attributes: &[Attribute]) {
        self.tag(name, attributes, "/>\n");
    }

    /// An element around some text.
    pub(crate) fn words(&mut self, name: &str, attributes: &[Attribute], words: &str) {
        self.tag(name, attributes, ">");
        let _ = writeln!(self.text, "{}</{name}>", escape(words));
    }

    /// A line of text with one end or its middle (`anchor`) at a place.
    pub(crate) fn label(
        &mut self,
        [x, y]: [f64; 2],
        anchor: &str,
        more: &[Attribute],
        words: &str,
    ) {
        let (x, y) = (length(x), length(y));
        let mut attributes = vec![("x", x.as_str()), ("y", &y), ("text-anchor", anchor)];
        attributes.extend(more);
        self.words("text", &attributes, words);
    }

    pub(crate) fn line(&mut self, a: [f64; 2], b: [f64; 2], more: &[Attribute]) {
        let places = [a[0], a[1], b[0], b[1]].map(length);
        let mut attributes: Vec<Attribute> =
            ["x1", "y1", "x2", "y2"].into_iter().zip(places.iter().map(String::as_str)).collect();
        attributes.extend(more);
        self.leaf("line", &attributes);
    }

    /// The finished picture; whatever is still open is closed.
    pub(crate) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }

    fn tag(&mut self, name: &str, attributes: &[Attribute], end: &str) {
        let _ = write!(self.text, "<{name}");
        for (key, value) in attributes {
            let _ = write!(self.text, " {key}=\"{}\"", escape(value));
        }
        self.text.push_str(end);
    }
}

/// The points of a path: `M x y L x y ...`, closed if asked for.
pub(crate) fn path(points: impl IntoIterator<Item = [f64; 2]>, closed: bool) -> String {
    let mut text = String::new();
    for [x, y] in points {
        text.push(if text.is_empty() { 'M' } else { 'L' });
        let _ = write!(text, "{} {}", length(x), length(y));
    }
    if closed {
        text.push('Z');
    }
    text
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A tiny check of well-formedness: tags nest, attributes are quoted and
    /// named once, nothing is left unescaped. Gives the names of all elements.
    pub(crate) fn elements(xml: &str) -> Vec<String> {
        let (mut open, mut names) = (Vec::new(), Vec::new());
        let mut rest = xml;
        while let Some(start) = rest.find('<') {
            assert!(!rest[..start].contains('>'), "a lone '>' before {}", &rest[..start]);
            for reference in rest[..start].split('&').skip(1) {
                assert!(reference.contains(';'), "a lone '&' in {}", &rest[..start]);
            }
            let end = start + rest[start..].find('>').expect("a tag ends");
            let tag = &rest[start + 1..end];
            assert!(!tag.contains('<'), "a lone '<' in <{tag}>");
            rest = &rest[end + 1..];
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop().as_deref(), Some(name), "closing tag");
                continue;
            }
            let inner = tag.trim_end_matches('/');
            let (name, attributes) = inner.split_once(' ').unwrap_or((inner, ""));
            check_attributes(attributes);
            names.push(name.to_string());
            if !tag.ends_with('/') {
                open.push(name.to_string());
            } else {
                assert!(!open.is_empty(), "one root");
            }
        }
        assert!(open.is_empty(), "not closed: {open:?}");
        assert!(rest.trim().is_empty(), "text after the end: {rest}");
        names
    }

    fn check_attributes(mut rest: &str) {
        let mut seen = Vec::new();
        while !rest.is_empty() {
            let (key, after) = rest.split_once("=\"").expect("attributes are quoted");
            let (value, after) = after.split_once('"').expect("quotes close");
            assert!(!seen.contains(&key), "{key} twice");
            assert!(key.chars().all(|c| c.is_ascii_alphanumeric() || "-:".contains(c)), "{key}");
            assert!(!value.contains("NaN") && !value.contains("inf"), "{key}={value}");
            seen.push(key);
            rest = after.trim_start();
        }
    }

    #[test]
    fn what_is_written_is_well_formed() {
        let mut svg = Svg::new(10.0, 20.0, "a < b & \"c\"\u{1}");
        svg.open("g", &[("id", "it's <odd>")]);
        svg.line([0.0, -0.00001], [1.0, 2.5], &[("stroke", "red")]);
        svg.label([1.0, 2.0], "end", &[("fill", "blue")], "]]> & co");
        let text = svg.finish();
        assert_eq!(elements(&text), ["svg", "title", "g", "line", "text"]);
        assert!(text.contains("<title>a &lt; b &amp; &quot;c&quot;\u{fffd}</title>"), "{text}");
        assert!(text.contains("y1=\"0\" x2=\"1\" y2=\"2.5\""), "{text}");
    }

    #[test]
    #[should_panic(expected = "closing tag")]
    fn the_check_sees_crossed_tags() {
        elements("<a><b></a></b>");
    }

    #[test]
    fn paths_and_lengths_are_short() {
        assert_eq!(path([[0.0, 1.0], [2.25, -3.0]], true), "M0 1L2.25 -3Z");
        assert_eq!(["0.5", "100", "0"], [length(0.5), length(100.0), length(-0.0)].map(|s| s));
    }
}
