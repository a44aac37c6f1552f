//! Models of COMPAS: elements with a mesh each, in a tree in which the transformation of every element
//! holds for all below it.

use std::collections::HashMap;

use super::{Block, density, friction, mesh_of};
use crate::scene::spanned::{Checked, Fault, Node};

/// A transformation by its rows: the last one is that of zeros and a one.
type Matrix = [[f64; 4]; 3];

const UNIT: Matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// The elements in the order of the nodes of the graph of interactions; those that it does not have come
/// after them.
pub(super) fn blocks(data: &Node, elements: &Node) -> Checked<Vec<Block>> {
    let of_model = transformation(data)?;
    let mut above = HashMap::new();
    if let Some(root) = data.get("tree").and_then(|tree| tree.get("root")) {
        let by_name = named(elements)?;
        walk(root, &by_name, of_model, &mut above)?;
    }
    let mut blocks = Vec::new();
    for (name, element) in ordered(data, elements)? {
        let placed = match above.get(name.as_str()) {
            Some(placed) => *placed,
            None => times(&of_model, &transformation(element.need("data")?)?),
        };
        blocks.extend(block(element, blocks.len(), &placed)?);
    }
    if blocks.is_empty() {
        return Err(Fault::new(&elements.span, "the model has no blocks").help(
            "elements with a mesh as their `geometry` are read, such as blocks of compas_dem",
        ));
    }
    Ok(blocks)
}

/// The elements by their names: the guid.
fn named(elements: &Node) -> Checked<Vec<(String, &Node)>> {
    match elements.entries() {
        Ok(entries) => Ok(entries.iter().map(|entry| (entry.key.clone(), &entry.node)).collect()),
        Err(_) => {
            let name = |element: &Node| match element.get("guid") {
                Some(guid) => guid.text().map(str::to_string),
                None => Ok(String::new()),
            };
            elements.list()?.iter().map(|element| Ok((name(element)?, element))).collect()
        }
    }
}

fn ordered<'a>(data: &Node, elements: &'a Node) -> Checked<Vec<(String, &'a Node)>> {
    let mut all = named(elements)?;
    let Some(nodes) = data.get("graph").and_then(|graph| graph.get("node")) else { return Ok(all) };
    let mut places = HashMap::new();
    for entry in nodes.entries()? {
        if let (Some(name), Ok(place)) = (entry.node.get("element"), entry.key.parse::<usize>()) {
            places.insert(name.text()?.to_string(), place);
        }
    }
    all.sort_by_key(|(name, _)| places.get(name).copied().unwrap_or(usize::MAX));
    Ok(all)
}

/// The transformations of all elements below a node of the tree.
fn walk<'a>(
    node: &'a Node,
    elements: &[(String, &Node)],
    placed: Matrix,
    found: &mut HashMap<&'a str, Matrix>,
) -> Checked<()> {
    let own = match node.get("element").and_then(|name| name.text().ok()) {
        Some(name) => {
            let element = elements.iter().find(|(known, _)| known == name);
            let Some((_, element)) = element else {
                let message =
                    format!("the tree names an element `{name}` that the model does not have");
                return Err(Fault::new(&node.span, message));
            };
            let own = times(&placed, &transformation(element.need("data")?)?);
            found.insert(name, own);
            own
        }
        None => placed,
    };
    for child in node.get("children").map_or(Ok(&[][..]), Node::list)? {
        walk(child, elements, own, found)?;
    }
    Ok(())
}

/// That of a model or an element: a matrix, or a frame in older files.
fn transformation(data: &Node) -> Checked<Matrix> {
    let Some(said) = data.get("transformation") else { return Ok(UNIT) };
    let Some(rows) = said.get("data").unwrap_or(said).get("matrix") else { return Ok(UNIT) };
    let mut matrix = UNIT;
    let message = "a transformation is a matrix of four rows of four numbers";
    let rows_of = rows.list()?;
    if rows_of.len() != 4 {
        return Err(Fault::new(&rows.span, message));
    }
    for (row, node) in matrix.iter_mut().zip(rows_of) {
        let cells = node.list()?;
        if cells.len() != 4 {
            return Err(Fault::new(&node.span, message));
        }
        for (x, cell) in row.iter_mut().zip(cells) {
            *x = Some(cell.number()?)
                .filter(|x| x.is_finite())
                .ok_or_else(|| Fault::new(&cell.span, message))?;
        }
    }
    Ok(matrix)
}

/// The second transformation, then the first.
fn times(a: &Matrix, b: &Matrix) -> Matrix {
    let mut product = UNIT;
    for (row, of) in product.iter_mut().zip(a) {
        for (column, x) in row.iter_mut().enumerate() {
            let shift = if column == 3 { of[3] } else { 0.0 };
            *x = (0..3).map(|k| of[k] * b[k][column]).sum::<f64>() + shift;
        }
    }
    product
}

/// A block; none if the element is a group.
fn block(element: &Node, number: usize, placed: &Matrix) -> Checked<Option<Block>> {
    let data = element.need("data")?;
    let kind = element.get("dtype").map_or(Ok("element"), Node::text)?;
    let key = match data.get("name").and_then(|name| name.text().ok()) {
        Some(name) if !kind.ends_with(&format!("/{name}")) => format!("{number} {name}"),
        _ => number.to_string(),
    };
    if kind.ends_with("/Group") {
        return Ok(None);
    }
    let Some(geometry) = data.get("geometry").filter(|geometry| geometry.get("data").is_some())
    else {
        let message = format!("the element `{kind}` has no mesh: it is made of parameters");
        return Err(Fault::new(&element.span, message).help(
            "write a model of blocks: compas_dem's `BlockModel.add_block_from_mesh` takes the mesh of an element",
        ));
    };
    let is_mesh = geometry
        .get("dtype")
        .is_none_or(|kind| kind.text().is_ok_and(|kind| kind.ends_with("/Mesh")));
    if !is_mesh {
        return Err(Fault::new(&geometry.span, "the geometry of the element is no mesh")
            .help("give every element a mesh: `Brep.to_meshes` makes them of other solids"));
    }
    let mesh = geometry.need("data")?;
    let (mut corners, faces) = mesh_of(&key, mesh)?;
    for corner in &mut corners {
        let [x, y, z] = *corner;
        *corner = placed.map(|[a, b, c, shift]| a * x + b * y + c * z + shift);
    }
    let is_support = data.get("is_support").map_or(Ok(false), Node::flag)?;
    let attributes = mesh.get("attributes");
    let said =
        |name: &str| data.get(name).or(attributes.and_then(|attributes| attributes.get(name)));
    let (density, friction) =
        (density(said("density"))?, friction(said("friction").or(said("mu")))?);
    Ok(Some(Block { key, corners, faces, is_support, density, friction }))
}
