//! What the documents and the sources say about themselves is true: citations
//! resolve, words of the glossary have a home, rooms use only rooms above
//! them, and nothing names a folder of the machine it was written on.

use std::collections::BTreeSet;
use std::path::Path;

/// A file of the project; its path from the root, with slashes.
struct File {
    path: String,
    text: String,
}

impl File {
    fn ends_with(&self, endings: &[&str]) -> bool {
        endings.iter().any(|ending| self.path.ends_with(ending))
    }

    /// The line (from one) of a place in the text.
    fn line(&self, at: usize) -> usize {
        1 + self.text[..at].matches('\n').count()
    }
}

/// All files of the project that are text, in sorted order.
fn files() -> Vec<File> {
    let mut files = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    collect(root, root, &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<File>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name == "target" || name == ".git" {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, files);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            let relative = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            files.push(File { path: relative, text });
        }
    }
}

fn document(name: &str) -> File {
    files().into_iter().find(|file| file.path == name).unwrap_or_else(|| panic!("no {name}"))
}

#[track_caller]
fn assert_none(faults: &[String]) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// An entry of REFERENCES.md: its key, and all of its text.
struct Entry {
    key: String,
    text: String,
}

impl Entry {
    /// Keys such as M96 are cited in brackets; all others by name.
    fn is_short(&self) -> bool {
        short_key(&format!("{}]", self.key)).is_some()
    }
}

fn entries() -> Vec<Entry> {
    let text = document("REFERENCES.md").text;
    let starts = text.split("\n- **[").skip(1);
    let entry = |part: &str| {
        let end = part.find("\n\n").unwrap_or(part.len());
        let key = part.split("]**").next().unwrap_or_default();
        Entry { key: key.into(), text: part[..end].into() }
    };
    starts.map(entry).collect()
}

/// What begins like `M96 4.1]` or `ML95]`: one or two capitals, two digits, and no word.
fn short_key(text: &str) -> Option<&str> {
    let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = text[letters..].bytes().take_while(u8::is_ascii_digit).count();
    let after = text[letters + digits..].chars().next()?;
    let complete = (1..=2).contains(&letters) && digits == 2 && "], :\\\n".contains(after);
    complete.then(|| &text[..letters + digits])
}

/// The keys in brackets, and where they stand.
fn short_citations(file: &File) -> Vec<(String, usize)> {
    let brackets = file.text.match_indices('[');
    let key = |(at, _): (usize, &str)| Some((short_key(&file.text[at + 1..])?.to_string(), at));
    brackets.filter_map(key).collect()
}

/// Names and years: `Baraff 1996` in brackets, `Laine and Karras 2011` and
/// `Macklin et al. 2019` anywhere, over the ends of lines, too. The name is the
/// one before the year or before `et al.`
fn long_citations(text: &str) -> Vec<(String, String)> {
    let bare = |line: &str| -> String {
        line.trim_start().trim_start_matches(['/', '!', '#']).trim_start().to_string() + " "
    };
    let prose: String = text.lines().map(bare).collect();
    let words: Vec<&str> = prose.split_whitespace().collect();
    let mut found = Vec::new();
    for (k, word) in words.iter().enumerate() {
        let year = word.trim_end_matches(|c: char| !c.is_ascii_digit());
        if year.len() != 4 || !(1800..=2100).contains(&year.parse().unwrap_or(0)) {
            continue;
        }
        let before = |back: usize| k.checked_sub(back).map_or("", |at| words[at]);
        let others = before(2) == "et" && before(1) == "al.";
        let name = if others { before(3) } else { before(1) };
        let in_brackets = word[year.len()..].starts_with([']', ')', ';']);
        let name = name.trim_start_matches(['[', '(', '"']);
        let mut letters = name.chars();
        let is_name = letters.next().is_some_and(char::is_uppercase)
            && letters.next().is_some_and(char::is_lowercase)
            && letters.all(char::is_alphabetic);
        if is_name && (others || in_brackets || before(2) == "and") {
            found.push((name.to_string(), year.to_string()));
        }
    }
    found
}

/// Files that cite, other than the list of references and this one.
fn citing() -> Vec<File> {
    let own = ["REFERENCES.md", "tests/documents.rs"];
    let cites =
        |file: &File| file.ends_with(&[".rs", ".md", ".toml", ".py"]) && !file.ends_with(&own);
    files().into_iter().filter(cites).collect()
}

#[test]
fn citations_resolve() {
    let entries = entries();
    let mut faults = Vec::new();
    for file in citing() {
        for (key, at) in short_citations(&file) {
            if !entries.iter().any(|entry| entry.key == key) {
                faults.push(format!("{}:{}: [{key}]", file.path, file.line(at)));
            }
        }
        for (name, year) in long_citations(&file.text) {
            let known = |e: &Entry| {
                [&name, &year].iter().all(|part| e.key.contains(*part) || e.text.contains(*part))
            };
            if !entries.iter().any(known) {
                faults.push(format!("{}: {name} {year}", file.path));
            }
        }
    }
    assert!(entries.len() > 10);
    assert_none(&faults);
}

#[test]
fn references_are_cited() {
    let citing = citing();
    let keys: BTreeSet<String> =
        citing.iter().flat_map(short_citations).map(|(key, _)| key).collect();
    let is_cited = |entry: &Entry| {
        let name = entry.key.split(' ').next().unwrap_or_default();
        match entry.is_short() {
            true => keys.contains(&entry.key),
            false => citing.iter().any(|file| file.text.contains(name)),
        }
    };
    let unused = entries().into_iter().filter(|entry| !is_cited(entry)).map(|entry| entry.key);
    assert_none(&unused.collect::<Vec<_>>());
}

#[test]
fn citations_are_found_in_all_their_forms() {
    let text = "//! see [M96 4.1], \\[D14\\], `[T; 3]`, [A1], [M96x] and [ML95]\n".to_string();
    let file = File { path: "x.rs".into(), text };
    let keys: Vec<String> = short_citations(&file).into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["M96", "D14", "ML95"]);
    let text = "//! by XPBD [Macklin et al.\n//! 2016], not (Baraff 1996) or [Heckbert\n    // 1982; \
                Wu 1991] or Deul, Charrier and Bender 2014, in SIGGRAPH 1996. After 2000 steps";
    let expected = ["Macklin 2016", "Baraff 1996", "Heckbert 1982", "Wu 1991", "Bender 2014"];
    let found: Vec<String> =
        long_citations(text).into_iter().map(|(name, year)| format!("{name} {year}")).collect();
    assert_eq!(found, expected);
}

fn word_and_room(line: &str) -> Option<(&str, &str)> {
    let (word, rest) = line.strip_prefix("- **")?.split_once("** (`")?;
    Some((word, rest.split_once("`):")?.0))
}

/// Every word of the glossary stands in its place of the alphabet and names a room,
/// or a part of one, that exists.
#[test]
fn words_have_a_home() {
    let glossary = document("GLOSSARY.md").text;
    let mut faults = Vec::new();
    let mut last = "";
    for line in glossary.lines().filter(|line| line.starts_with("- ")) {
        let Some((word, room)) = word_and_room(line) else {
            faults.push(format!("not `- **word** (`room`): ...`: {line}"));
            continue;
        };
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room);
        if !home.is_dir() && !home.with_extension("rs").is_file() {
            faults.push(format!("{word}: there is no src/{room}"));
        }
        if word <= last {
            faults.push(format!("{word} stands after {last}"));
        }
        last = word;
    }
    assert!(!last.is_empty());
    assert_none(&faults);
}

/// The rooms in the order in which data flows: each uses only rooms above it.
/// `problem`, the one error type, is everybody's.
const ROOMS: [&str; 16] = [
    "problem",
    "math",
    "shape",
    "layout",
    "scene",
    "world",
    "near",
    "contact",
    "energy",
    "solver",
    "step",
    "trajectory",
    "run",
    "verify",
    "measure",
    "export",
];

/// What finds the motions: the verifier must not share its mistakes.
const HIDDEN_FROM_VERIFY: [&str; 4] = ["near", "contact", "solver", "step"];

/// The text with comments as blanks, so that places stay where they are.
fn without_comments(text: &str) -> String {
    let blank = |line: &str| {
        let code = line.find("//").unwrap_or(line.len());
        let comment: String = line[code..].chars().map(|_| ' ').collect();
        line[..code].to_string() + &comment + "\n"
    };
    text.lines().map(blank).collect()
}

/// The names right after `crate::`, with the lines where they stand: one, or the
/// first of every path in a list in braces.
fn named_after_crate(text: &str) -> Vec<(usize, String)> {
    let code = without_comments(text);
    let mut found = Vec::new();
    for (at, start) in code.match_indices("crate::") {
        let line = 1 + code[..at].matches('\n').count();
        let rest = &code[at + start.len()..];
        match rest.strip_prefix('{') {
            Some(list) => found.extend(first_names(list).into_iter().map(|name| (line, name))),
            None => found.push((line, leading_name(rest))),
        }
    }
    found
}

fn leading_name(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Of `a::b, c::{d, e}, f}` the names a, c and f.
fn first_names(list: &str) -> Vec<String> {
    let (mut names, mut depth, mut start) = (Vec::new(), 1, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && c == ',') {
            names.push(leading_name(list[start..at].trim_start()));
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// What is wrong with a room that uses this name, if anything.
fn wrong_use(own: &str, name: &str) -> Option<String> {
    let place = |room: &str| ROOMS.iter().position(|known| *known == room);
    if ["Problem", "Result"].contains(&name) {
        return None;
    }
    match (place(own), place(name)) {
        (_, None) if name.starts_with(char::is_uppercase) => {
            Some(format!("takes {name} from the facade: say which room it is in"))
        }
        (_, None) => Some(format!("uses {name}, which is no room")),
        (None, _) => Some(format!("{own} is no room")),
        (Some(here), Some(there)) if there > here => {
            Some(format!("{own} uses {name}, which stands below it"))
        }
        _ if own == "verify" && HIDDEN_FROM_VERIFY.contains(&name) => {
            Some(format!("verify uses {name}, whose work it checks"))
        }
        _ => None,
    }
}

/// Tests beside the code keep to the order, too. Only lib.rs sees all rooms.
#[test]
fn rooms_use_only_rooms_above_them() {
    let mut faults = Vec::new();
    let mut seen = 0;
    for file in files() {
        let Some(inside) = file.path.strip_prefix("src/").filter(|_| file.ends_with(&[".rs"]))
        else {
            continue;
        };
        let own = inside.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        if own == "lib" {
            continue;
        }
        for (line, name) in named_after_crate(&file.text) {
            seen += 1;
            if let Some(wrong) = wrong_use(own, &name) {
                faults.push(format!("{}:{line}: {wrong}", file.path));
            }
        }
    }
    assert!(seen > 100, "only {seen} paths found");
    assert_none(&faults);
}

#[test]
fn upward_uses_are_found() {
    let text = "// crate::step is only mentioned\nuse crate::{math::{A, B}, scene,\n    run::R};\n\
                fn f() { crate::solver::solve(crate::Problem::new()) }";
    let found = named_after_crate(text);
    let expected = [(2, "math"), (2, "scene"), (2, "run"), (4, "solver"), (4, "Problem")];
    assert_eq!(found, expected.map(|(line, name)| (line, name.to_string())));
    let wrong = |own, name| wrong_use(own, name).unwrap_or_default();
    assert_eq!(wrong("world", "scene"), "");
    assert_eq!(wrong("math", "problem"), "");
    assert_eq!(wrong("shape", "Problem"), "");
    assert_eq!(wrong("verify", "world"), "");
    assert!(wrong("scene", "world").contains("below"));
    assert!(wrong("verify", "step").contains("checks"));
    assert!(wrong("step", "Model").contains("facade"));
    assert!(wrong("step", "helpers").contains("no room"));
}

/// Folders that only one machine has.
const PLACES: [&str; 3] = [concat!("/", "work"), concat!("/", "root"), concat!("/", "home")];

/// Whether a text names such a folder, or something in it, by its absolute path.
fn machine_path(line: &str) -> bool {
    let in_a_path = |c: char| c.is_alphanumeric() || "._-/})".contains(c);
    let in_a_name = |c: char| c.is_alphanumeric() || "_-".contains(c);
    PLACES.iter().any(|place| {
        line.match_indices(place).any(|(at, _)| {
            let after = line[at + place.len()..].chars().next();
            !line[..at].ends_with(in_a_path) && !after.is_some_and(in_a_name)
        })
    })
}

#[test]
fn nothing_names_a_folder_of_one_machine() {
    let mut faults = Vec::new();
    for file in files() {
        for (number, line) in file.text.lines().enumerate().filter(|(_, line)| machine_path(line)) {
            let start: String = line.trim().chars().take(80).collect();
            faults.push(format!("{}:{}: {start}", file.path, number + 1));
        }
    }
    assert_none(&faults);
}

#[test]
fn paths_of_machines_are_found() {
    let [work, root, home] = PLACES;
    assert!(machine_path(&format!("see {work}/x.rs")) && machine_path(&format!("(`{root}`)")));
    assert!(machine_path(&format!("\"{home}/me\"")));
    for fine in ["net{}", "src{}/x", "../..{}", "{}er", "{}-piece"] {
        assert!(!machine_path(&fine.replace("{}", work)), "{fine}");
    }
}
