//! A report that can be sent: the page of an answer to "does it stand?", and below it all that the
//! answer says, in words and as tables. The tables are made of the answer as programs get it, so
//! that no number is told twice; the whole of it is in the page, too.

use std::fmt::Write;

use riprap::Result;
use riprap::export::exhibit::{Exhibit, figure};
use serde_json::{Map, Value};

use super::arrays::Arrays;
use super::container::Container;
use super::exhibit;
use super::shapes::Shapes;
use super::survey::Survey;
use super::{PageOptions, bind, motion, script_safe, store_scene};
use crate::markup::escape;

/// What a report says besides its picture.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// What was asked about.
    pub name: &'a str,
    /// The answer in words, a line for each sentence; the first one is the verdict.
    pub words: &'a str,
    /// What was not asked, and what the answer takes for granted.
    pub open: &'a [String],
    /// The answer as programs get it: an object.
    pub answer: &'a Value,
    /// A picture of numbers: a vector picture.
    pub plot: Option<&'a str>,
    /// How it was asked.
    pub command: &'a str,
}

/// The report as one page that needs nothing else.
pub fn report(shown: &Exhibit, told: &Report, options: PageOptions) -> Result<String> {
    let survey = Survey::of_exhibit(shown);
    let origin = survey.view.centre();
    let shapes = Shapes::of(shown.model, survey.view.size.max_element());
    let mut arrays = Arrays::default();
    store_scene(shown.model, shown.state, &survey, &mut arrays);
    exhibit::store(shown, &survey, &mut arrays);
    shapes.store(&mut arrays);
    Container::of(&shown.model.boundary, origin).store(&mut arrays);
    let motion = motion::pack(shown, &survey, options.most_bytes)?;
    let mut summary = exhibit::summary(shown, &survey, &shapes, &motion, told.name);
    if let Some(verdict) = told.answer["verdict"].as_str() {
        summary["outcome"] = verdict.into();
    }
    Ok(bind(told.name, summary, arrays, &motion.text, ["report", &article(shown, told)]))
}

/// What stands below the picture.
fn article(shown: &Exhibit, told: &Report) -> String {
    let mut text = String::from("<article id=\"report\">\n");
    let mut lines = told.words.lines();
    let _ = writeln!(text, "<h2 id=\"said\">{}</h2>", escape(lines.next().unwrap_or_default()));
    // Tables of words keep their columns.
    let said: Vec<String> =
        lines.map(|line| escape(line.strip_prefix("  ").unwrap_or(line))).collect();
    let _ = writeln!(text, "<pre>{}</pre>", said.join("\n"));
    let mut open: Vec<String> = told.open.to_vec();
    if !shown.forces.is_empty() {
        open.push(format!("Arrows are {}.", shown.forces_are));
    }
    if shown.motion.is_some() {
        open.push(exhibit::film_in_words());
    }
    text += "<h3>What this answer is, and what was not asked</h3>\n<ul>\n";
    for sentence in open {
        let _ = writeln!(text, "<li>{}</li>", escape(&sentence));
    }
    text += "</ul>\n";
    if let Some(plot) = told.plot {
        // Within a page it needs no head, and no name of its language, which is an address.
        let plot = plot[plot.find("<svg").unwrap_or(0)..].replace(NAMESPACE, "");
        let _ = writeln!(text, "<figure id=\"plot\">{plot}</figure>");
    }
    if let Value::Object(answer) = told.answer {
        text += &numbers(answer);
        text += &tables(answer);
    }
    let _ = writeln!(
        text,
        "<p class=\"quiet\">Made by <code>{}</code>, Riprap {}. One file, without a network.</p>",
        escape(told.command),
        env!("CARGO_PKG_VERSION")
    );
    let _ = writeln!(
        text,
        "</article>\n<script id=\"answer\" type=\"application/json\">{}</script>",
        script_safe(&told.answer.to_string())
    );
    text
}

/// A key as people write it.
fn spelled(key: &str) -> String {
    escape(&key.replace('_', " "))
}

/// A value in a cell: numbers with a few digits, and all of them for programs.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => "–".into(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(x) => format!("<data value=\"{number}\">{}</data>", figure(x)),
            None => format!("<data value=\"{number}\">{number}</data>"),
        },
        Value::String(text) => escape(text),
        Value::Array(list) => list.iter().map(cell).collect::<Vec<_>>().join(", "),
        Value::Object(entries) => {
            let one = |(key, value): (&String, &Value)| format!("{} {}", spelled(key), cell(value));
            entries.iter().map(one).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Whether a value is a list that makes a table.
fn is_table(value: &Value) -> bool {
    let rows = |value: &Value| value.is_object() || value.is_array();
    value.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(rows))
}

/// How vector pictures that are files of their own name their language.
const NAMESPACE: &str = " xmlns=\"http://www.w3.org/2000/svg\"";

/// What some values are.
const NOTES: [(&str, &str); 8] = [
    ("exact", "whether it was decided in whole numbers"),
    ("reserve", "by how many times all loads could grow"),
    ("residual", "how exactly forces and first accelerations satisfy their programs"),
    ("touching", "what is at most so much of a radius apart touches"),
    ("utilisation", "the part of its strength that the worst contact needs"),
    ("weakest_block", "the body whose contacts count most in the utilisation"),
    ("weakest_contact", "its number in the table of contacts"),
    ("widest_gap", "of what counts as a touch, in radii of the smaller body"),
];

/// All that is one value.
fn numbers(answer: &Map<String, Value>) -> String {
    let mut text = String::from("<h3>Numbers</h3>\n<table id=\"numbers\">\n");
    for (key, value) in answer {
        let is_empty = value.as_array().is_some_and(|list| list.is_empty()) || value == "";
        if value.is_null() || is_empty || is_table(value) || value.get("kind").is_some() {
            continue;
        }
        let note = NOTES.iter().find(|(name, _)| name == key).map_or("", |(_, note)| note);
        let note = if note.is_empty() { String::new() } else { format!("<td>{note}</td>") };
        let _ = writeln!(text, "<tr><th>{}</th><td>{}</td>{note}</tr>", spelled(key), cell(value));
    }
    text + "</table>\n"
}

/// All that are lists, and those of the certificate.
fn tables(answer: &Map<String, Value>) -> String {
    let own = answer.iter().filter(|(key, _)| *key != "certificate");
    let proof = answer.get("certificate").and_then(Value::as_object);
    let proof = proof.into_iter().flatten();
    let mut text = String::new();
    for (key, value) in own.chain(proof) {
        let Some(rows) = value.as_array().filter(|_| is_table(value)) else { continue };
        // Where nothing moves, a list of zeros says nothing.
        let is_zero = |row: &Value| {
            row.as_array().is_some_and(|row| row.iter().all(|x| x.as_f64() == Some(0.0)))
        };
        if !rows.iter().all(is_zero) {
            text += &table(key, rows);
        }
    }
    text
}

/// Vectors have a column for each part.
const AXES: [&str; 3] = ["x", "y", "z"];
const MOTION: [&str; 6] = ["x", "y", "z", "about x", "about y", "about z"];
const FLAT_MOTION: [&str; 3] = ["x", "y", "turn"];

/// Rows of one form: the names of the columns, and the cells.
fn table(key: &str, rows: &[Value]) -> String {
    let columns = columns(key, rows);
    let mut text = format!(
        "<details class=\"rows\"{}>\n<summary>{} ({})</summary>\n\
         <button class=\"csv\" type=\"button\">Save as CSV</button>\n<table data-name=\"{}\">\n<tr>",
        if rows.len() <= FEW { " open" } else { "" },
        spelled(key),
        rows.len(),
        escape(key)
    );
    let _ = write!(text, "<th>#</th>");
    for (name, part) in &columns {
        let words = [spelled(name), part.map_or(String::new(), |(_, word)| word.to_string())];
        let _ = write!(text, "<th>{}</th>", words.join(" ").trim());
    }
    text += "</tr>\n";
    for (number, row) in rows.iter().enumerate() {
        let _ = write!(text, "<tr><td>{number}</td>");
        for (name, part) in &columns {
            let value = if name.is_empty() { Some(row) } else { row.get(name) };
            let value = part.map_or(value, |(k, _)| value.and_then(|value| value.get(k)));
            let _ = write!(text, "<td>{}</td>", cell(value.unwrap_or(&Value::Null)));
        }
        text += "</tr>\n";
    }
    text + "</table>\n</details>\n"
}

/// Tables of at most so many rows are open at first.
const FEW: usize = 20;

/// A column: a key of the rows, and which part of a vector there, if it is one.
type Column = (String, Option<(usize, &'static str)>);

fn columns(key: &str, rows: &[Value]) -> Vec<Column> {
    let vector = |name: String, value: &Value, words: &[&'static str]| -> Vec<Column> {
        let numbers = value.as_array().filter(|list| list.iter().all(Value::is_number));
        match numbers.filter(|list| list.len() > 1 && list.len() <= words.len()) {
            Some(list) => (0..list.len()).map(|k| (name.clone(), Some((k, words[k])))).collect(),
            None => vec![(name, None)],
        }
    };
    match rows.first() {
        Some(Value::Object(first)) => first
            .iter()
            .flat_map(|(name, value)| match name.as_str() {
                "bodies" => vec![(name.clone(), None)],
                _ => vector(name.clone(), value, &AXES),
            })
            .collect(),
        Some(first @ Value::Array(list)) => {
            let words: &[&str] = match list.len() {
                3 if key.ends_with("forces") => &AXES,
                3 => &FLAT_MOTION,
                _ => &MOTION,
            };
            vector(String::new(), first, words)
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use riprap::scene::gallery;
    use riprap::world::build;
    use serde_json::json;

    fn page_of(name: &str, answer: &Value) -> String {
        let (model, state) = build(&gallery::scene(name).unwrap()).unwrap();
        let shown = samples::exhibit(&model, &state);
        let told = Report {
            name: "<odd> name",
            words: "it stands.\n  margin 0.5\n",
            open: &["nothing was shaken".into()],
            answer,
            plot: None,
            command: "riprap stable x -o y.html",
        };
        report(&shown, &told, PageOptions::default()).unwrap()
    }

    fn script<'a>(page: &'a str, id: &str) -> &'a str {
        let start = page.find(&format!("<script id=\"{id}\"")).unwrap();
        let inner = &page[start + page[start..].find('>').unwrap() + 1..];
        &inner[..inner.find("</script>").unwrap()]
    }

    #[test]
    fn a_report_needs_nothing_else_and_has_the_whole_answer() {
        let answer = json!({
            "verdict": "balanced",
            "margin": 0.123456789,
            "contacts": [
                { "bodies": [0, 1], "force": [0.0, 0.0, 2.5], "utilisation": 0.25 },
                { "bodies": [1, null], "force": [0.0, 1.0, 1.5], "utilisation": null },
            ],
            "accelerations": [[0.0, 0.0, 0.0]],
            "certificate": { "kind": "forces", "forces": [{ "body": 7, "at": [1.0, 2.0, 3.0] }] },
            "odd": "</script><script>alert(1)</script>",
        });
        let page = page_of("wall-3d", &answer);
        for word in ["http:", "https:", "src=", "@import", "url(", "{{", "<script>alert"] {
            assert!(!page.contains(word), "{word}");
        }
        let told: Value = serde_json::from_str(script(&page, "answer")).unwrap();
        assert_eq!(told, answer);
        assert!(page.contains("<title>&lt;odd&gt; name · Riprap</title>"));
        assert!(page.contains("<th>margin</th><td><data value=\"0.123456789\">0.1235</data></td>"));
        assert!(page.contains("<th>force x</th><th>force y</th><th>force z</th>"), "vectors");
        assert!(page.contains("<data value=\"2.5\">2.5</data>") && page.contains("at y"));
        assert!(!page.contains("<summary>accelerations"), "a list of zeros");
        assert!(page.contains("<li>nothing was shaken</li>"));
        let summary: Value = serde_json::from_str(script(&page, "summary")).unwrap();
        assert_eq!((&summary["outcome"], &summary["frames"]), (&"balanced".into(), &1.into()));
        let label = &summary["exhibit"]["shades"][0]["label"];
        assert_eq!(label, "largest contact force");
    }

    /// The page of what falls has the motion, and says what it is.
    #[test]
    fn what_falls_can_be_played() {
        let page = page_of("tower-5x5", &json!({ "verdict": "unstable" }));
        let summary: Value = serde_json::from_str(script(&page, "summary")).unwrap();
        assert_eq!(summary["frames"], 31);
        assert_eq!(summary["exhibit"]["motion"], 0.6);
        assert!(page.contains("What it meets on the way does not stop it"));
        let shades = summary["exhibit"]["shades"].as_array().unwrap();
        assert_eq!(shades[1]["label"], "first acceleration, in g");
    }
}
