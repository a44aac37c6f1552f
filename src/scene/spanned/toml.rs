//! TOML, by the `toml` crate, which keeps the spans and bounds the depth.

use ::toml::Spanned;
use ::toml::de::{DeInteger, DeTable, DeValue};

use super::{Checked, Entry, Fault, Node, Span, Value};

/// The document as one table.
pub(in crate::scene) fn parse(text: &str) -> Checked<Node> {
    match DeTable::parse(text) {
        Ok(table) => Ok(Node { value: self::table(table.get_ref())?, span: Span(table.span()) }),
        Err(error) => {
            let span = Span(error.span().unwrap_or(text.len()..text.len()));
            let message = match error.message().lines().next().unwrap_or_default() {
                "duplicate key" => {
                    let key = text.get(span.0.clone()).unwrap_or_default();
                    format!("the key `{key}` occurs twice")
                }
                other => format!("this is not valid TOML: {other}"),
            };
            Err(Fault::new(&span, message))
        }
    }
}

fn table(table: &DeTable<'_>) -> Checked<Value> {
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let key: &Spanned<std::borrow::Cow<'_, str>> = key;
        Ok(Entry { key: key.get_ref().to_string(), key_span: Span(key.span()), node: node(value)? })
    };
    let mut entries = table.iter().map(entry).collect::<Checked<Vec<Entry>>>()?;
    entries.sort_by_key(|entry| entry.key_span.0.start);
    Ok(Value::Table(entries))
}

fn node(value: &Spanned<DeValue<'_>>) -> Checked<Node> {
    let span = Span(value.span());
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(integer) => Value::Whole(whole(integer, &span)?),
        DeValue::Float(float) => match float.as_str().parse() {
            Ok(number) => Value::Real(number),
            Err(_) => return Err(Fault::new(&span, "this number cannot be read")),
        },
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(array) => Value::List(array.iter().map(node).collect::<Checked<_>>()?),
        DeValue::Table(fields) => table(fields)?,
    };
    Ok(Node { span, value })
}

fn whole(integer: &DeInteger<'_>, span: &Span) -> Checked<i128> {
    i128::from_str_radix(integer.as_str(), integer.radix())
        .map_err(|_| Fault::new(span, "this whole number is too large"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_know_their_place_and_keep_the_order_of_the_text() {
        let text = "zeta = 1\n[alpha]\nlist = [1.5, \"two\", true]\n";
        let tree = parse(text).unwrap();
        let keys: Vec<_> = tree.entries().unwrap().iter().map(|e| e.key.as_str()).collect();
        assert_eq!(keys, ["zeta", "alpha"]);
        let list = tree.get("alpha").unwrap().get("list").unwrap().list().unwrap();
        assert_eq!(&text[list[0].span.0.clone()], "1.5");
        assert_eq!(&text[list[1].span.0.clone()], "\"two\"");
        assert_eq!(list[2].value, Value::Flag(true));
    }

    #[test]
    fn faults_say_where() {
        let fault = parse("a = 1\na = 2\n").unwrap_err();
        assert_eq!(fault.message, "the key `a` occurs twice");
        assert_eq!(fault.span.0.start, 6);
        let fault = parse("a = = 1").unwrap_err();
        assert!(fault.message.starts_with("this is not valid TOML: "), "{}", fault.message);
        let deep = format!("a = {}", "[".repeat(100_000));
        assert!(parse(&deep).is_err());
    }

    #[test]
    fn numbers_of_every_kind_are_read() {
        let tree = parse("a = 0x10\nb = 1_000\nc = nan\nd = 18446744073709551615").unwrap();
        assert_eq!(tree.get("a").unwrap().whole().unwrap(), 16);
        assert_eq!(tree.get("b").unwrap().number().unwrap(), 1000.0);
        assert!(tree.get("c").unwrap().number().unwrap().is_nan());
        assert_eq!(tree.get("d").unwrap().whole().unwrap(), u64::MAX);
    }
}
