//! The description of the format as a JSON Schema, for editors and checkers.

use serde_json::{Map, Value, json};

use super::format;
use super::kind::{Kind, Range, Table};

/// The JSON Schema (draft 2020-12) of scene files; a TOML scene has the same tree.
///
/// ```
/// let schema = riprap::scene::schema();
/// assert_eq!(schema["properties"]["dimension"]["default"], 3);
/// ```
pub fn schema() -> Value {
    let mut schema = of_table(&format::scene());
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("Riprap scene");
    schema
}

fn of_table(table: &Table) -> Value {
    let mut properties = Map::new();
    for field in &table.fields {
        let mut schema = of_kind(&field.kind);
        schema["description"] = json!(field.about);
        if let Some(default) = &field.default {
            schema["default"] = default.clone();
        }
        properties.insert(field.name.into(), schema);
    }
    let required: Vec<_> = table.fields.iter().filter(|f| f.required).map(|f| f.name).collect();
    let mut schema = json!({
        "type": "object",
        "description": table.about,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    let (mut needed, mut excluded) = (Vec::new(), Vec::new());
    for (names, needs_one) in &table.rivals {
        if *needs_one {
            let one = |name: &&str| json!({ "required": [name] });
            needed.push(json!({ "oneOf": names.iter().map(one).collect::<Vec<_>>() }));
            continue;
        }
        for (k, first) in names.iter().enumerate() {
            excluded.extend(names[..k].iter().map(|second| json!({ "required": [second, first] })));
        }
    }
    if !needed.is_empty() {
        schema["allOf"] = needed.into();
    }
    if !excluded.is_empty() {
        schema["not"] = json!({ "anyOf": excluded });
    }
    schema
}

fn of_kind(kind: &Kind) -> Value {
    match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Choice(choices) => {
            let one = |(name, about): &(&str, &str)| json!({ "const": name, "description": about });
            json!({ "type": "string", "oneOf": choices.iter().map(one).collect::<Vec<_>>() })
        }
        Kind::Number(range) => of_range(*range),
        Kind::Whole { least, most: u64::MAX } => json!({ "type": "integer", "minimum": least }),
        Kind::Whole { least, most } => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Kind::List { of, least, most, .. } => {
            let items = of_kind(of);
            json!({ "type": "array", "items": items, "minItems": least, "maxItems": most })
        }
        Kind::Table(table) => of_table(table),
        Kind::Tagged { variants, .. } => {
            json!({ "oneOf": variants.iter().map(|(_, table)| of_table(table)).collect::<Vec<_>>() })
        }
        Kind::Either(kinds) => {
            json!({ "anyOf": kinds.iter().map(of_kind).collect::<Vec<_>>() })
        }
    }
}

fn of_range(range: Range) -> Value {
    match range {
        Range::Any => json!({ "type": "number" }),
        Range::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
        Range::NotNegative => json!({ "type": "number", "minimum": 0 }),
        Range::Fraction => json!({ "type": "number", "minimum": 0, "exclusiveMaximum": 1 }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::gallery;
    use super::super::spanned::{parse_json, parse_toml};
    use super::*;

    /// Whether a value satisfies a schema, for the keywords that `schema` writes.
    fn is_valid(value: &Value, schema: &Value) -> bool {
        let Value::Object(keywords) = schema else { panic!("no schema: {schema}") };
        keywords.iter().all(|(keyword, rule)| match keyword.as_str() {
            "$schema" | "title" | "description" | "default" => true,
            "type" => match rule.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "number" => value.is_number(),
                "integer" => value.as_f64().is_some_and(|x| x.fract() == 0.0),
                other => panic!("unknown type {other}"),
            },
            "properties" => value.as_object().is_none_or(|fields| {
                fields.iter().all(|(name, field)| rule.get(name).is_none_or(|r| is_valid(field, r)))
            }),
            "additionalProperties" => value.as_object().is_none_or(|fields| {
                fields.keys().all(|name| schema["properties"].get(name).is_some())
            }),
            "required" => value.as_object().is_none_or(|fields| {
                rule.as_array().unwrap().iter().all(|n| fields.contains_key(n.as_str().unwrap()))
            }),
            "items" => value.as_array().is_none_or(|l| l.iter().all(|entry| is_valid(entry, rule))),
            "minItems" => value.as_array().is_none_or(|l| l.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|l| l.len() as u64 <= rule.as_u64().unwrap()),
            "minimum" => value.as_f64().is_none_or(|x| x >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|x| x <= rule.as_f64().unwrap()),
            "exclusiveMinimum" => value.as_f64().is_none_or(|x| x > rule.as_f64().unwrap()),
            "exclusiveMaximum" => value.as_f64().is_none_or(|x| x < rule.as_f64().unwrap()),
            "const" => value == rule,
            "not" => !is_valid(value, rule),
            "allOf" => rule.as_array().unwrap().iter().all(|r| is_valid(value, r)),
            "anyOf" => rule.as_array().unwrap().iter().any(|r| is_valid(value, r)),
            "oneOf" => rule.as_array().unwrap().iter().filter(|r| is_valid(value, r)).count() == 1,
            other => panic!("unknown keyword {other}"),
        })
    }

    #[test]
    fn every_scene_of_the_gallery_is_valid() {
        for name in gallery::names() {
            let tree = parse_toml(gallery::find(name).unwrap()).unwrap();
            assert!(is_valid(&tree.plain(), &schema()), "{name}");
        }
    }

    /// The schema and the reader are made from one description; here is the proof.
    #[test]
    fn the_schema_refuses_what_the_reader_refuses() {
        let good = r#"{ "container": { "shape": "box", "min": [0, 0, 0], "max": [9, 9, 9] },
            "bodies": [{ "positions": [[1, 1, 1]], "radius": 0.5 }], "settle": { "reach": "axis-box" } }"#;
        let edits = [
            ("", ""),
            ("0.5", "{ \"uniform\": [0.4, 0.5] }"),
            ("0.5", "-0.5"),
            ("0.5", "{ \"uniform\": [0.4, 0.5], \"table\": [[1, 1]] }"),
            ("0.5", "0.5, \"mass\": 1"),
            ("0.5", "0.5, \"mass\": 1, \"density\": 1"),
            ("0.5", "0.5, \"file\": \"a.csv\""),
            ("\"radius\"", "\"raduis\""),
            ("\"bodies\"", "\"body\""),
            ("\"box\"", "\"bax\""),
            ("\"box\"", "\"cylinder\""),
            ("\"min\": [0, 0, 0],", ""),
            ("[1, 1, 1]", "[1]"),
            ("[1, 1, 1]", "[1, 1, \"one\"]"),
            ("[[1, 1, 1]]", "[]"),
            ("axis-box", "axis-bax"),
            ("\"settle\"", "\"seed\": 1.5, \"settle\""),
            ("\"settle\"", "\"seed\": 1, \"settle\""),
            ("\"axis-box\"", "\"axis-box\", \"early_stop\": 1"),
            ("\"axis-box\"", "\"axis-box\", \"early_stop\": 0.5"),
        ];
        let mut accepted = 0;
        for (old, new) in edits {
            let tree = parse_json(&good.replacen(old, new, 1)).unwrap();
            let read = format::scene().check(&tree).is_ok();
            assert_eq!(is_valid(&tree.plain(), &schema()), read, "{old} -> {new}");
            accepted += usize::from(read);
        }
        assert_eq!(accepted, 5);
    }

    #[test]
    fn every_field_is_described() {
        fn visit(schema: &Value) {
            let Value::Object(keywords) = schema else { return };
            if let Some(Value::Object(fields)) = keywords.get("properties") {
                for (name, field) in fields {
                    assert!(field["description"].as_str().is_some_and(|d| d.len() > 5), "{name}");
                }
            }
            keywords.values().for_each(visit);
        }
        visit(&schema());
    }
}
