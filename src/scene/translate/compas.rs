//! Assemblies of COMPAS (compas_assembly, compas_cra): blocks as meshes in the nodes of a graph; and
//! models (compas_model, compas_dem): elements with a mesh each, turned and moved by those above them. Their units are their own: weights are volumes times a density of 1, gravity is 1.

use std::collections::HashMap;
use std::fmt::Write;

use super::super::source::Source;
use super::super::spanned::{Checked, Fault, Node};
use super::{name, quoted};
use crate::problem::Result;

#[path = "compas_models.rs"]
mod models;

/// The friction that compas_cra takes where nothing is said.
const FRICTION: f64 = 0.84;

/// What the translation takes for granted.
const ABOUT: &str =
    "Blocks of COMPAS; density 1 and friction 0.84 unless a block has its own, gravity 1 along -z.";

/// Whether a file is something of COMPAS: it has a `dtype` and `data`.
pub fn is_compas(tree: &Node) -> bool {
    tree.get("dtype").is_some() && tree.get("data").is_some()
}

/// A block: the name of its node, its corners and faces, and whether it is a support.
struct Block {
    key: String,
    corners: Vec<[f64; 3]>,
    faces: Vec<Vec<usize>>,
    is_support: bool,
    density: f64,
    friction: f64,
}

pub fn scene(source: &Source, tree: &Node) -> Result<String> {
    let mut blocks = blocks(tree).map_err(|fault| fault.in_source(source))?;
    let is_single = blocks.iter().flat_map(|block| block.corners.iter().flatten()).all(is_single);
    let mut about = ABOUT.to_string();
    if is_single {
        about += " Its coordinates are of single precision: each is read as the shortest decimal, \
                  and what differs by rounding along an axis is taken for equal.";
        (0..3).for_each(|axis| tidy(&mut blocks, axis));
    }
    if !blocks.iter().any(|block| block.is_support) {
        about += " No block of the file says that it is a support.";
    }
    let mut text = format!(
        "{{\n\"name\": {},\n\"about\": {},\n\"method\": \"dynamics\",\n\"gravity\": [0, 0, -1],\n\
         \"bodies\": [\n",
        name(&source.file),
        quoted(&about)
    );
    for (number, block) in blocks.iter().enumerate() {
        let motion = if block.is_support { ", \"motion\": \"fixed\"" } else { "" };
        let comma = if number + 1 < blocks.len() { "," } else { "" };
        let _ = writeln!(
            text,
            "{{ \"group\": {}, \"shape\": {{ \"kind\": \"polyhedron\", \"corners\": {:?}, \"faces\": \
             {:?} }}, \"position\": [0, 0, 0], \"density\": {:?}, \"friction\": {:?}{motion} }}{comma}",
            quoted(&format!("block {}", block.key)),
            block.corners,
            block.faces,
            block.density,
            block.friction
        );
    }
    text += "]\n}\n";
    Ok(text)
}

fn is_single(x: &f64) -> bool {
    f64::from(*x as f32) == *x
}

/// The shortest decimal that single precision rounds to the same number.
fn shortest(x: f64) -> f64 {
    (x as f32).to_string().parse().unwrap_or(x)
}

/// Coordinates along an axis that differ by no more than this part of the largest are one: a few
/// units in the last place of single precision.
const SAME: f64 = 4.0 * f32::EPSILON as f64;

/// Gives what is the same up to rounding one coordinate, so that walls are flat and blocks meet.
fn tidy(blocks: &mut [Block], axis: usize) {
    let mut all: Vec<f64> =
        blocks.iter().flat_map(|block| &block.corners).map(|corner| corner[axis]).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    let near = SAME * all.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let mut starts: Vec<f64> = Vec::new();
    for x in all {
        if starts.last().is_none_or(|start| x - start > near) {
            starts.push(x);
        }
    }
    for corner in blocks.iter_mut().flat_map(|block| &mut block.corners) {
        let at = starts.partition_point(|start| *start <= corner[axis]).max(1) - 1;
        corner[axis] = shortest(starts[at]);
    }
}

/// The blocks in the order of their nodes' numbers.
fn blocks(tree: &Node) -> Checked<Vec<Block>> {
    let kind = tree.need("dtype")?;
    if let Some(elements) = tree.get("data").and_then(|data| data.get("elements")) {
        return models::blocks(tree.need("data")?, elements);
    }
    let Some(graph) = tree.get("data").and_then(|data| data.get("graph")) else {
        let message = format!("`{}` of COMPAS is no assembly and no model", kind.text()?);
        return Err(Fault::new(&kind.span, message).help(
            "read are assemblies of compas_assembly (blocks as meshes in the nodes of a graph) and models of \
             compas_model (elements with meshes)",
        ));
    };
    // Older files have the graph itself there, newer ones its type and data.
    let graph = graph.get("data").unwrap_or(graph);
    let mut blocks = Vec::new();
    for entry in graph.need("node")?.entries()? {
        blocks.push(block(&entry.key, &entry.node)?);
    }
    if blocks.is_empty() {
        return Err(Fault::new(&graph.span, "the assembly has no blocks"));
    }
    // Where numbers are names, their order is meant.
    blocks.sort_by_key(|block| block.key.parse::<u64>().unwrap_or(u64::MAX));
    Ok(blocks)
}

fn block(key: &str, node: &Node) -> Checked<Block> {
    let mesh = node.need("block")?;
    let mesh = mesh.get("data").unwrap_or(mesh);
    let (corners, faces) = mesh_of(key, mesh)?;
    let is_support = node.get("is_support").map_or(Ok(false), Node::flag)?;
    // What is said of the block counts before what is said of its mesh.
    let said = |name: &str| {
        let attributes = mesh.get("attributes");
        node.get(name).or(attributes.and_then(|attributes| attributes.get(name)))
    };
    let density = density(said("density"))?;
    let friction = friction(said("friction").or(said("mu")))?;
    Ok(Block { key: key.to_string(), corners, faces, is_support, density, friction })
}

/// What a block weighs per volume.
fn density(said: Option<&Node>) -> Checked<f64> {
    let Some(node) = said else { return Ok(1.0) };
    Some(node.number()?)
        .filter(|x| *x > 0.0 && x.is_finite())
        .ok_or_else(|| Fault::new(&node.span, "a density is a positive number"))
}

fn friction(said: Option<&Node>) -> Checked<f64> {
    let Some(node) = said else { return Ok(FRICTION) };
    Some(node.number()?)
        .filter(|x| *x >= 0.0 && x.is_finite())
        .ok_or_else(|| Fault::new(&node.span, "a friction is 0 or a positive number"))
}

/// Corners, and faces as lists of them.
type Mesh = (Vec<[f64; 3]>, Vec<Vec<usize>>);

fn mesh_of(key: &str, mesh: &Node) -> Checked<Mesh> {
    let mut places = HashMap::new();
    let mut corners = Vec::new();
    for vertex in mesh.need("vertex")?.entries()? {
        let at = |axis: &str| match vertex.node.need(axis)?.number()? {
            x if x.is_finite() => Ok(x),
            _ => Err(Fault::new(&vertex.node.span, "a coordinate is no number")),
        };
        places.insert(vertex.key.as_str(), corners.len());
        corners.push([at("x")?, at("y")?, at("z")?]);
    }
    let mut faces = Vec::new();
    for face in mesh.need("face")?.entries()? {
        let corner = |node: &Node| {
            let number = node.whole()?.to_string();
            places.get(number.as_str()).copied().ok_or_else(|| {
                Fault::new(&node.span, format!("the block `{key}` has no vertex {number}"))
            })
        };
        let corners: Vec<usize> = face.node.list()?.iter().map(corner).collect::<Checked<_>>()?;
        faces.push(corners);
    }
    Ok((corners, faces))
}
