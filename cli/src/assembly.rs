//! Forces written back into the assembly of COMPAS that was asked about.

use std::path::Path;

use riprap::export::write_whole;
use riprap::math::DVec3;
use riprap::step::stable::{HeldContact, Reaction};
use riprap::{Problem, Result};
use serde_json::{Map, Value, json};

/// Whether a file is to be an assembly.
pub fn is_meant(out: &Path) -> bool {
    out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

/// The assembly with an interface for every contact of two blocks in one plane: its points, its
/// frame (x, y, and their cross product, which points out of the second block of the edge), its area,
/// and the forces on the first block, as compas_cra writes them.
pub fn write(
    file: &Path,
    out: &Path,
    forces: &[Reaction],
    (contacts, own): (&[HeldContact], &[usize]),
    fixed: &[usize],
) -> Result<()> {
    let refuse = || {
        Problem::new("forces are written back into assemblies of COMPAS only")
            .help("name an .svg or a .png, or ask about an assembly")
    };
    let text = std::fs::read_to_string(file).map_err(|_| refuse())?;
    let mut assembly: Value = serde_json::from_str(&text).map_err(|_| refuse())?;
    let graph = assembly.get_mut("data").and_then(|data| data.get_mut("graph"));
    let graph = graph.ok_or_else(refuse)?;
    let graph = match graph.get("data").is_some() {
        true => &mut graph["data"],
        false => graph,
    };
    let nodes = graph.get("node").and_then(Value::as_object).ok_or_else(refuse)?;
    let mut keys: Vec<String> = nodes.keys().cloned().collect();
    // Bodies are in the order of their nodes' numbers; see the translation.
    let places = order_of(&text, &keys);
    keys.sort_by_key(|key| (key.parse::<u64>().unwrap_or(u64::MAX), places(key)));
    // Who was held is a support of what is written.
    for &body in fixed {
        graph["node"][keys[body].as_str()]["is_support"] = json!(true);
    }
    if !graph.get("edge").is_some_and(Value::is_object) {
        graph["edge"] = json!({});
    }
    for (number, contact) in contacts.iter().enumerate() {
        let [Some(one), Some(two)] = contact.bodies else { continue };
        let [one, two] = [one, two].map(|body| keys[body as usize].as_str());
        let interface = interface(forces, contact, own, number);
        let edges = graph["edge"].as_object_mut().ok_or_else(refuse)?;
        let from = edges.entry(one).or_insert_with(|| json!({}));
        let edge = from.as_object_mut().ok_or_else(refuse)?.entry(two);
        let edge = edge.or_insert_with(|| json!({})).as_object_mut().ok_or_else(refuse)?;
        // What another program found there is replaced.
        let is_first = contacts[..number].iter().all(|before| before.bodies != contact.bodies);
        if is_first || !edge.get("interfaces").is_some_and(Value::is_array) {
            edge.insert("interfaces".into(), json!([]));
        }
        edge["interfaces"].as_array_mut().ok_or_else(refuse)?.push(interface);
    }
    write_whole(out, assembly.to_string())
}

/// Where each key is first named, for those that are no numbers.
fn order_of<'a>(text: &'a str, keys: &[String]) -> impl Fn(&str) -> usize + use<'a> {
    let is_plain = keys.iter().all(|key| key.parse::<u64>().is_ok());
    move |key: &str| match is_plain {
        true => 0,
        false => text.find(&format!("\"{key}\"")).unwrap_or(usize::MAX),
    }
}

fn interface(all: &[Reaction], contact: &HeldContact, own: &[usize], number: usize) -> Value {
    let (one, two) = contact.normal.any_orthonormal_pair();
    let two = if one.cross(two).dot(contact.normal) < 0.0 { -two } else { two };
    let here = all.iter().zip(own).filter(|(_, own)| **own == number);
    let (mut points, mut forces, mut middle) = (Vec::new(), Vec::new(), DVec3::ZERO);
    for (reaction, _) in here {
        let at = 0.5 * (reaction.contact.at[0] + reaction.contact.at[1]);
        let force = reaction.contact.force;
        middle += at / contact.points as f64;
        points.push(at.to_array());
        forces.push(json!({
            "c_np": force.dot(contact.normal).max(0.0),
            "c_nn": (-force.dot(contact.normal)).max(0.0),
            "c_u": force.dot(one),
            "c_v": force.dot(two),
        }));
    }
    let mut frame = Map::new();
    for (name, vector) in [("point", middle), ("xaxis", one), ("yaxis", two)] {
        frame.insert(name.into(), json!(vector.to_array()));
    }
    json!({
        "dtype": "compas_assembly.datastructures/Interface",
        "data": {
            "points": points,
            "size": contact.area,
            "frame": { "dtype": "compas.geometry/Frame", "data": frame },
            "forces": forces,
        },
    })
}
