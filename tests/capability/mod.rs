//! What the table of capabilities says is so: what a method takes, it runs and the run keeps its
//! promises; what it refuses, it refuses at the line of the key and by its own name; and no
//! option is without effect.

mod cases;
mod more_values;
mod phased;
mod values;

use std::path::Path;

use riprap::layout::Layout;
use riprap::math::DVec3;
use riprap::scene::capability::{Takes, table, takes};
use riprap::scene::{MethodName, Scene};
use riprap::shape::Mesh;
use riprap::trajectory::{Reader, state_hash};
use riprap::verify::verify;
use riprap::world::build;

use crate::common::{broken, run_into};
use cases::{Case, cases};
use phased::{PHASED, Phased};
use values::{NO_EFFECT, Values, values};

/// Steps of a run.
const STEPS: usize = 6;

/// A folder with the files that the scenes name.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("stone.obj", include_str!("../../scenes/arch-stone.obj"));
    put("boxes.csv", "x,y,z,width,depth,height\n0,0,1,0.5,0.5,0.5\n2,0,1,0.5,0.4,0.3\n");
    put("beads.csv", "x,y,z,radius,type\n0,0,1,0.3,a\n2,0,1,0.4,b\n");
    put("other-boxes.csv", "x,y,z,width,depth,height\n0,0,1,0.5,0.5,0.5\n2,0,2,0.5,0.4,0.3\n");
    put("rectangles.csv", "x,y,width,height,angle\n0,1,0.5,0.5,0\n2,1,0.5,0.4,30\n");
    let vessel = Mesh::cuboid(DVec3::new(-2.0, -2.0, 0.0), DVec3::new(2.0, 2.0, 5.0));
    vessel.write_stl_text(&folder.path().join("vessel.stl")).unwrap();
    Layout::jigsaw(2, 2, 1.2, 1).unwrap().write(&folder.path().join("layout.json"), None).unwrap();
    folder
}

/// The whole scene of a case: with something that holds the bodies, and a body if it has none.
fn scene_text(case: &Case, method: MethodName, steps: usize) -> String {
    let Case { dimension, text, .. } = case;
    let has = |key: &str| text.contains(key);
    let (size, at) = match dimension {
        2 => ("[0.5, 0.5]", "[0, 1]"),
        _ => ("[0.5, 0.5, 0.5]", "[0, 0, 1]"),
    };
    let mut scene = format!("method = \"{method}\"\ndimension = {dimension}\n");
    if !has("seed =") {
        scene += "seed = 3\n";
    }
    let held = takes("container", method) == Takes::Used;
    if held && !has("container =") {
        let corners = match dimension {
            2 => "min = [-9, 0], max = [9, 9]",
            _ => "min = [-9, -9, 0], max = [9, 9, 9]",
        };
        scene += &format!("container = {{ shape = \"box\", {corners} }}\n");
    }
    scene += text;
    let is_compact = method == MethodName::Compact;
    if is_compact && !has("[layout]") {
        scene += "[layout]\nkind = \"polygons\"\ncount = 4\ncorners = 9\n";
    }
    let is_cloth = method == MethodName::Dynamics && has("[[cloth]]");
    if !(is_compact || is_cloth || has("[[bodies]]")) {
        scene +=
            &format!("[[bodies]]\nshape = {{ kind = \"box\", size = {size} }}\nposition = {at}\n");
    }
    if !held && !is_compact {
        let (size, at) = match dimension {
            2 => ("[18, 1]", "[0, -0.5]"),
            _ => ("[18, 18, 1]", "[0, 0, -0.5]"),
        };
        scene += &format!(
            "[[bodies]]\ngroup = \"ground\"\nshape = {{ kind = \"box\", size = {size} }}\n\
             position = {at}\nmotion = \"fixed\"\n"
        );
    }
    for options in ["collapse", "dynamics"].map(|method| format!("[{method}]\n")) {
        if !has(&options) {
            scene += &format!("{options}steps = {steps}\n");
        }
    }
    scene
}

/// Whether a key of a scene is one of the table, in which a star stands for any name.
fn is_like(key: &str, row: &str) -> bool {
    let (key, row): (Vec<&str>, Vec<&str>) = (key.split('.').collect(), row.split('.').collect());
    key.len() == row.len() && key.iter().zip(&row).all(|(k, r)| k == r || *r == "*")
}

/// What is wrong with the refusal of a scene, if anything.
fn fault_of_refusal(case: &Case, method: MethodName, folder: &Path) -> Option<String> {
    let text = scene_text(case, method, STEPS);
    let Err(problem) = Scene::from_text(&text, &folder.join("case.toml")) else {
        return Some("it is not refused".into());
    };
    let Some((key, words)) = problem.message.strip_prefix('`').and_then(|m| m.split_once("` "))
    else {
        return Some(format!("it is refused for another reason: {}", problem.message));
    };
    if words != format!("is not taken by the method {method}") {
        return Some(format!("it is refused with {}", problem.message));
    }
    let own: Vec<&str> = case.key.split('.').collect();
    let about_it = key.split('.').zip(&own).all(|(k, o)| k == *o || *o == "*");
    // The method compact has no bodies to begin with, and limits need a joint that has some.
    let before = method == MethodName::Compact && key == "bodies"
        || case.key.starts_with("joints.") && key.starts_with("joints.kind.");
    if !about_it && !before {
        return Some(format!("`{key}` is refused instead"));
    }
    let line = problem.place.and_then(|place| place.line).map_or(0, |line| line.number);
    let named = text.lines().nth(line.wrapping_sub(1)).unwrap_or_default();
    let last = key.rsplit('.').next().unwrap_or_default();
    (!named.contains(last)).then(|| format!("line {line} is named, which says {named}"))
}

/// What is wrong with a scene that is taken, if anything.
fn fault_of_run(case: &Case, method: MethodName, folder: &Path) -> Option<String> {
    let text = scene_text(case, method, STEPS);
    let scene = match Scene::from_text(&text, &folder.join("case.toml")) {
        Ok(scene) => scene,
        Err(problem) => return Some(format!("it cannot be read: {problem}")),
    };
    let said = |key: &String| is_like(key, &case.key) || case.key.starts_with(&format!("{key}."));
    let unused = scene.unused().iter().flat_map(|unused| &unused.1).any(said);
    if unused != (takes(&case.key, method) == Takes::Unused) {
        return Some(format!("these are said to be of no use: {:?}", scene.unused()));
    }
    let out = folder.join(format!("{}-{}-{method}.riprap", case.key, case.dimension));
    std::fs::remove_file(&out).ok();
    if let Err(problem) = run_into(&out, &scene, Some(STEPS)) {
        return Some(format!("it cannot be run: {problem}"));
    }
    let verdict = verify(&Reader::open(&out).unwrap()).unwrap();
    let failed = verdict.checks.iter().filter(|check| !check.ok).map(|c| (c.name, &c.detail));
    let failed: Vec<_> = failed.collect();
    (!failed.is_empty()).then(|| format!("promises are broken: {failed:?}"))
}

/// One line for each fault.
fn report(faults: Vec<(String, Option<String>)>) {
    let all = faults.len();
    let faults: Vec<String> = faults
        .into_iter()
        .filter_map(|(what, fault)| Some(format!("{what}: {}", fault?)))
        .collect();
    assert!(faults.is_empty(), "{} of {all}:\n{}", faults.len(), faults.join("\n"));
}

/// Cases and methods of which the table says this.
fn pairs(wanted: impl Fn(Takes) -> bool) -> Vec<(Case, MethodName)> {
    let mut pairs = Vec::new();
    for method in MethodName::ALL {
        let fits = |case: &Case| wanted(takes(&case.key, method));
        pairs.extend(cases().into_iter().filter(fits).map(|case| (case, method)));
    }
    pairs
}

fn name(case: &Case, method: MethodName) -> String {
    format!("{} in {}D by {method}", case.key, case.dimension)
}

#[test]
fn what_is_refused_is_refused_by_line_and_name() {
    let folder = folder();
    let refused = pairs(|takes| matches!(takes, Takes::Refused { .. }));
    assert!(refused.len() > 50, "{}", refused.len());
    let look = |(case, method): &(Case, MethodName)| {
        (name(case, *method), fault_of_refusal(case, *method, folder.path()))
    };
    report(refused.iter().map(look).collect());
}

#[test]
fn what_is_taken_runs_and_keeps_its_promises() {
    let folder = folder();
    let taken = pairs(|takes| matches!(takes, Takes::Used | Takes::Unused));
    let look = |(case, method): &(Case, MethodName)| {
        (name(case, *method), fault_of_run(case, *method, folder.path()))
    };
    report(taken.iter().map(look).collect());
}

/// Whoever adds a kind of something to the format adds a scene with it.
#[test]
fn there_is_a_scene_for_every_kind() {
    let kinds = ["bodies.shape", "bodies.tower", "bodies.structure", "joints.kind"];
    let kinds = kinds.into_iter().chain(["container", "forces", "layout", "bodies", "cloth"]);
    let cases = cases();
    let mut missing = Vec::new();
    for prefix in kinds {
        for row in table() {
            let Some(rest) = row.key.strip_prefix(prefix).and_then(|k| k.strip_prefix('.')) else {
                continue;
            };
            let own = rest.split('.').count() == 1 && !rest.starts_with('*');
            // Other keys of cloth are looked at one by one below.
            let own = own && (prefix != "cloth" || ["grid", "ball", "mesh"].contains(&rest));
            let below = |case: &Case| case.key.starts_with(&format!("{}.", row.key));
            if own && !cases.iter().any(|case| case.key == row.key || below(case)) {
                missing.push(row.key.clone());
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

/// The end of a run: the hash of its last state, and the promises that it breaks.
fn end(row: &Values, value: &str, method: MethodName, folder: &Path) -> Result<String, String> {
    let text = row.scene.replace('@', value);
    let has_options = ["[settle]", "[collapse]", "[dynamics]"].iter().any(|t| text.contains(t));
    let text = match has_options {
        true => format!("method = \"{method}\"\ndimension = {}\n{text}", row.dimension),
        false => {
            let case = Case { key: row.key.into(), dimension: row.dimension, text };
            scene_text(&case, method, row.steps.unwrap_or(STEPS))
        }
    };
    end_of(&text, row.steps, folder)
}

fn end_of(text: &str, steps: Option<usize>, folder: &Path) -> Result<String, String> {
    let scene = Scene::from_text(text, &folder.join("case.toml"))
        .map_err(|problem| format!("{text}{problem}"))?;
    let out = folder.join("values.riprap");
    std::fs::remove_file(&out).ok();
    run_into(&out, &scene, steps).map_err(|problem| format!("{text}{problem}"))?;
    let reader = Reader::open(&out).unwrap();
    let last = reader.frame(reader.len() - 1).unwrap();
    let verdict = verify(&reader).unwrap();
    // There may be no room to take bodies apart, and that is an effect, too.
    let reason = reader.ending().and_then(|ending| ending.reason.clone());
    Ok(format!("{:016x} {:?} {reason:?}", state_hash(&last.state), broken(&verdict)))
}

/// Two values of an option end in two different states, or one of them breaks a promise.
#[test]
fn no_option_is_without_effect() {
    let folder = folder();
    let mut all = Vec::new();
    for row in values() {
        let methods = row.methods.iter().copied();
        all.extend(methods.filter(|m| takes(row.key, *m) == Takes::Used).map(|m| (row, m)));
    }
    let look = |(row, method): &(&Values, MethodName)| {
        let ends = row.values.map(|value| end(row, value, *method, folder.path()));
        (format!("{} by {method}", row.key), fault_of_ends(row.values, ends))
    };
    report(all.iter().map(look).collect());
}

fn fault_of_ends(values: [&str; 2], ends: [Result<String, String>; 2]) -> Option<String> {
    match ends {
        [Ok(one), Ok(two)] if one != two => None,
        [Ok(one), Ok(_)] => Some(format!("{values:?} both end with {one}")),
        [Err(problem), _] | [_, Err(problem)] => Some(problem),
    }
}

/// An option of dynamics has its effect in a mode, or the mode is said not to use it.
#[test]
fn no_option_of_a_mode_is_without_effect_or_a_word() {
    let folder = folder();
    let mut faults = Vec::new();
    let is_own = |row: &&&Values| row.key.starts_with("dynamics.") && row.key != "dynamics.mode";
    for row in values().iter().filter(is_own) {
        for mode in ["default", "paper"] {
            let text = |value: &str| {
                let options = format!("[dynamics]\nmode = \"{mode}\"\n");
                let scene = row.scene.replace("mode = \"paper\"\n", "");
                let scene = scene.replace("[dynamics]\n", &options).replace('@', value);
                format!("method = \"dynamics\"\n{scene}")
            };
            let first = Scene::from_text(&text(row.values[0]), "case.toml".as_ref()).unwrap();
            let is_named = first.unused().iter().any(|(_, keys)| keys.iter().any(|k| k == row.key));
            let ends = row.values.map(|value| end_of(&text(value), row.steps, folder.path()));
            let fault = match (fault_of_ends(row.values, ends), is_named) {
                (Some(_), true) => None,
                (None, true) => Some("it has an effect, but is said to be of no use".into()),
                (fault, false) => fault,
            };
            faults.push((format!("{} in the mode {mode}", row.key), fault));
        }
    }
    report(faults);
}

/// The same of what a scene says of its phases and its start.
#[test]
fn no_phase_and_no_start_is_without_effect() {
    let folder = folder();
    phased::runs(folder.path());
    let look = |row: &Phased| {
        let ends =
            row.values.map(|value| end_of(&row.scene.replace('@', value), None, folder.path()));
        (row.keys.join(" and "), fault_of_ends(row.values, ends))
    };
    report(PHASED.iter().map(look).collect());
}

/// The numbers of a text, and the words in quotes that are values of a key.
fn values_in(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let length = match rest.strip_prefix('"') {
            Some(word) => word.find('"').unwrap_or(word.len()) + 2,
            None => rest.find(|c| !is_part(c)).unwrap_or(rest.len()).max(1),
        };
        let is_number = rest[..length].parse::<f64>().is_ok();
        let is_word = rest.starts_with('"') && text[..at].ends_with("= ");
        if is_number || is_word {
            found.push(at..at + length);
        }
        at += length;
    }
    found
}

/// Other values in the place of one: another number; of a word, all others that its key has.
fn others(text: &str, place: &std::ops::Range<usize>) -> Vec<String> {
    let value = &text[place.clone()];
    if let Ok(whole) = value.parse::<i64>() {
        return vec![(whole + 1).to_string()];
    }
    if let Ok(number) = value.parse::<f64>() {
        return vec![(1.25 * number).to_string()];
    }
    let before = text[..place.start].trim_end_matches(['=', ' ']);
    let name = before.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
    let word = value.trim_matches('"');
    // Two words for the same.
    let alike = |other: &str| [[word, other], [other, word]].contains(&["ball", "pin"]);
    let own = table().iter().find(|row| row.key.ends_with(&format!(".{name}.{word}")));
    let Some(parent) = own.and_then(|row| row.key.strip_suffix(word)) else { return Vec::new() };
    let words = table().iter().filter_map(|row| row.key.strip_prefix(parent));
    let words = words.filter(|other| !other.contains('.') && *other != word && !alike(other));
    words.map(|other| format!("\"{other}\"")).collect()
}

/// The model and the start of a scene; none if it is refused.
fn made(case: &Case, method: MethodName, folder: &Path) -> Option<String> {
    let text = scene_text(case, method, STEPS);
    let scene = Scene::from_text(&text, &folder.join("case.toml")).ok()?;
    let (model, state) = build(&scene).ok()?;
    Some(format!("{model:?} {state:?}"))
}

/// Another value anywhere in a scene makes another model or start, or is refused.
#[test]
fn no_value_is_without_effect() {
    let folder = folder();
    let mut faults = Vec::new();
    for (case, method) in pairs(|takes| takes == Takes::Used) {
        let text = scene_text(&case, method, STEPS);
        let scene = Scene::from_text(&text, &folder.path().join("case.toml")).unwrap();
        // What is of no use is said to be, and looked at above.
        let Some(good) = made(&case, method, folder.path()).filter(|_| scene.unused().is_empty())
        else {
            continue;
        };
        for place in values_in(&case.text) {
            for other in others(&case.text, &place) {
                let mut text = case.text.clone();
                text.replace_range(place.clone(), &other);
                let changed = Case { key: case.key.clone(), text, ..case };
                let same = made(&changed, method, folder.path()).is_some_and(|made| made == good);
                let what = format!("{other} at {} of {}", place.start, name(&case, method));
                faults.push((what, same.then(|| format!("it changes nothing: {}", changed.text))));
            }
        }
    }
    assert!(faults.len() > 2000, "{}", faults.len());
    report(faults);
}

/// Every key of the format is in one of the scenes that the tests above change.
#[test]
fn every_key_is_in_a_scene() {
    let cases = cases();
    let says = |text: &str, key: &str| {
        let last = key.rsplit('.').next().unwrap_or(key);
        text.contains(&format!("{last} ="))
            || text.contains(&format!("\"{last}\""))
            || text.contains(&format!("[{last}]"))
    };
    // What every scene says, and tables, whose keys are looked at one by one.
    let headers = MethodName::ALL.map(|method| scene_text(&cases[0], method, STEPS));
    let below = |key: &str| format!("{key}.");
    let is_known = |key: &str| {
        NO_EFFECT.contains(&key)
            || (!key.contains('.') || key.starts_with("method."))
                && headers.iter().any(|text| says(text, key))
            || table().iter().any(|row| row.key.starts_with(&below(key)))
    };
    let is_tried = |key: &str| {
        let said = |v: &&Values| v.values.iter().any(|text| says(text, key));
        values().iter().any(|v| v.key == key || key.starts_with(&below(v.key)) && said(v))
            || PHASED.iter().any(|row| row.keys.contains(&key))
    };
    let is_said = |key: &str| {
        let said = |case: &Case| {
            case.key == key || key.starts_with(&below(&case.key)) && says(&case.text, key)
        };
        // The forces have keys in common.
        let alike = |case: &Case| {
            let law = key.split('.').take(2).collect::<Vec<_>>().join(".");
            key.starts_with("forces.") && case.key.starts_with(&law) && says(&case.text, key)
        };
        cases.iter().any(|case| said(case) || alike(case))
    };
    let keys = table().iter().map(|row| row.key.as_str());
    let missing: Vec<&str> =
        keys.filter(|key| !(is_known(key) || is_tried(key) || is_said(key))).collect();
    assert!(missing.is_empty(), "{} {missing:#?}", missing.len());
}

/// Every option of the methods, of bodies and of surfaces is among them, for every method that
/// uses it.
#[test]
fn every_option_is_tried() {
    let tables = ["settle", "collapse", "dynamics", "container.*", "bodies", "joints", "cloth"];
    let mut missing = Vec::new();
    for row in table() {
        let own = |prefix: &&str| {
            let rest = row.key.strip_prefix(*prefix).and_then(|key| key.strip_prefix('.'));
            rest.is_some_and(|rest| !rest.contains('.'))
        };
        if !tables.iter().any(own) || NO_EFFECT.contains(&row.key.as_str()) {
            continue;
        }
        for method in MethodName::ALL {
            let tried = |v: &Values| v.key == row.key && v.methods.contains(&method);
            if row.takes(method) == Takes::Used && !values().iter().any(|v| tried(v)) {
                missing.push(format!("{} by {method}", row.key));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
