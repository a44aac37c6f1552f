//! Instances and solutions as jagua-rs and sparrow write them: `items` with
//! `demand`, `allowed_orientations` and `shape`, a `strip_height`, and in
//! `solution` the `strip_width` and the `placed_items`. A placed item may say
//! `"fixed": true`.

use super::{Item, Layout, Placed, Strip, in_item};
use crate::problem::{Problem, Result};
use crate::shape::Outline;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct File {
    #[serde(default)]
    name: String,
    items: Vec<JsonItem>,
    strip_height: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    solution: Option<Solution>,
}

#[derive(Serialize, Deserialize)]
struct JsonItem {
    id: u64,
    #[serde(default = "one")]
    demand: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    allowed_orientations: Option<Vec<f64>>,
    shape: Shape,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
enum Shape {
    Rectangle {
        x_min: f64,
        y_min: f64,
        width: f64,
        height: f64,
    },
    SimplePolygon(Vec<[f64; 2]>),
    Polygon {
        outer: Vec<[f64; 2]>,
        #[serde(default)]
        inner: Vec<Vec<[f64; 2]>>,
    },
}

#[derive(Serialize, Deserialize)]
struct Solution {
    strip_width: f64,
    layout: Placement,
    #[serde(default)]
    density: f64,
    #[serde(default)]
    run_time_sec: u64,
}

#[derive(Serialize, Deserialize)]
struct Placement {
    #[serde(default)]
    container_id: u64,
    placed_items: Vec<PlacedItem>,
    #[serde(default)]
    density: f64,
}

#[derive(Serialize, Deserialize)]
struct PlacedItem {
    item_id: u64,
    transformation: Transformation,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    fixed: bool,
}

#[derive(Serialize, Deserialize)]
struct Transformation {
    rotation: f64,
    translation: [f64; 2],
}

fn one() -> u64 {
    1
}

/// Items and strip of an instance; whatever solution it has is left out.
pub fn read_instance(text: &str) -> Result<Layout> {
    Ok(read(text)?.0)
}

/// A layout: an instance with its solution.
pub fn read_layout(text: &str) -> Result<Layout> {
    match read(text)? {
        (layout, true) => Ok(layout),
        (_, false) => Err(Problem::new("the file has no `solution`")
            .help("give a file with a solution, or use --from-instance")),
    }
}

/// The layout, and whether there was a solution.
fn read(text: &str) -> Result<(Layout, bool)> {
    let file: File = serde_json::from_str(text).map_err(|e| {
        Problem::new(format!("the layout is not as expected: {e}"))
            .help("an instance of jagua-rs has `items` and `strip_height`")
    })?;
    let items: Vec<Item> = file.items.into_iter().map(item).collect::<Result<_>>()?;
    let mut ids: Vec<u64> = items.iter().map(|item| item.id).collect();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(
            Problem::new(format!("two items have the id {}", twice[0])).help("ids are unique")
        );
    }
    let length = file.solution.as_ref().map_or(0.0, |solution| solution.strip_width);
    let has_solution = file.solution.is_some();
    let placed = match file.solution {
        Some(solution) => solution.layout.placed_items.iter().map(|p| placed(p, &items)).collect(),
        None => Ok(Vec::new()),
    };
    let strip = Strip { min: [0.0, 0.0], max: [length, file.strip_height] };
    Ok((Layout::new(&file.name, items, strip, placed?), has_solution))
}

fn item(item: JsonItem) -> Result<Item> {
    let outline = match item.shape {
        Shape::Rectangle { x_min: x, y_min: y, width: w, height: h } => {
            Outline::new(&[[x, y], [x + w, y], [x + w, y + h], [x, y + h]], &[])
        }
        Shape::SimplePolygon(corners) => Outline::new(&corners, &[]),
        Shape::Polygon { outer, inner } => Outline::new(&outer, &inner),
    };
    Ok(Item {
        id: item.id,
        outline: outline.map_err(|problem| in_item(problem, item.id))?,
        demand: item.demand,
        orientations: item.allowed_orientations,
        label: None,
    })
}

fn placed(placed: &PlacedItem, items: &[Item]) -> Result<Placed> {
    let Some(item) = items.iter().position(|item| item.id == placed.item_id) else {
        let known: Vec<u64> = items.iter().map(|item| item.id).take(20).collect();
        return Err(Problem::new(format!(
            "a piece is made of item {}, which does not exist",
            placed.item_id
        ))
        .help(format!("the items are {known:?}")));
    };
    let Transformation { rotation, translation } = placed.transformation;
    Ok(Placed { item, rotation, translation, fixed: placed.fixed })
}

/// The instance with this layout as its solution.
pub fn write(layout: &Layout) -> String {
    let shape = |outline: &Outline| match outline.holes.is_empty() {
        true => Shape::SimplePolygon(outline.outer.clone()),
        false => Shape::Polygon { outer: outline.outer.clone(), inner: outline.holes.clone() },
    };
    // The strip of the format begins at the origin.
    let [left, bottom] = layout.strip.min;
    let placed = |placed: &Placed| PlacedItem {
        item_id: layout.items[placed.item].id,
        transformation: Transformation {
            rotation: placed.rotation,
            translation: [placed.translation[0] - left, placed.translation[1] - bottom],
        },
        fixed: placed.fixed,
    };
    let density = layout.density();
    let placed_items = layout.placed.iter().map(placed).collect();
    let file = File {
        name: layout.name.clone(),
        items: layout
            .items
            .iter()
            .map(|item| JsonItem {
                id: item.id,
                demand: item.demand,
                allowed_orientations: item.orientations.clone(),
                shape: shape(&item.outline),
            })
            .collect(),
        strip_height: layout.strip.height(),
        solution: Some(Solution {
            strip_width: layout.strip.length(),
            layout: Placement { container_id: 0, placed_items, density },
            density,
            run_time_sec: 0,
        }),
    };
    serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: &str = r#"{
        "name": "two", "strip_height": 10.0,
        "items": [
            {"id": 4, "demand": 2, "allowed_orientations": [0.0, 90.0],
             "shape": {"type": "simple_polygon", "data": [[0,0],[2,0],[2,1],[0,0]]}},
            {"id": 7, "shape": {"type": "polygon",
             "data": {"outer": [[0,0],[4,0],[4,4],[0,4]], "inner": [[[1,1],[2,1],[1,2]]]}}}],
        "solution": {"strip_width": 20.0, "layout": {"container_id": 0, "density": 0.1, "placed_items": [
            {"item_id": 4, "transformation": {"rotation": 90.0, "translation": [3.25, 1.0]}},
            {"item_id": 7, "transformation": {"rotation": 0.0, "translation": [10.0, 0.0]}, "fixed": true}]}}
    }"#;

    #[test]
    fn a_layout_comes_back() {
        let layout = read_layout(LAYOUT).unwrap();
        assert_eq!(layout.items[0].outline.outer.len(), 3);
        assert_eq!(layout.items[1].outline.holes.len(), 1);
        assert!(layout.placed[1].fixed && layout.placed[1].item == 1);
        assert_eq!(layout.strip.max, [20.0, 10.0]);
        assert_eq!(read_layout(&write(&layout)).unwrap(), layout);
    }

    #[test]
    fn problems_are_named() {
        let refused = |text: &str| read_layout(text).unwrap_err().to_string();
        let unknown = refused(&LAYOUT.replace("\"item_id\": 7", "\"item_id\": 8"));
        assert!(unknown.contains("item 8, which does not exist\n  help: the items are [4, 7]"));
        let crossed =
            refused(&LAYOUT.replace("[[0,0],[4,0],[4,4],[0,4]]", "[[0,0],[4,4],[4,0],[0,4]]"));
        assert!(crossed.starts_with("item 7: the polygon cuts or touches itself"));
        assert!(
            refused(&LAYOUT.replace("\"id\": 7", "\"id\": 4")).contains("two items have the id 4")
        );
        assert!(refused(&LAYOUT.replace("solution", "other")).contains("no `solution`"));
        assert!(refused("{}").contains("missing field `items`"));
    }
}
