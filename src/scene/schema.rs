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
    for (names, needs_one) in &table.rivals {
        if *needs_one {
            schema["oneOf"] = names.iter().map(|name| json!({ "required": [name] })).collect();
        } else {
            schema["not"] = json!({ "required": names });
        }
    }
    schema
}

fn of_kind(kind: &Kind) -> Value {
    match kind {
        Kind::Text => json!({ "type": "string" }),
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
