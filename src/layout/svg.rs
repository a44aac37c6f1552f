//! Layouts as drawings. The record format of sparrow has the strip in a group
//! `bin_0` or `container_0`, the items in groups `item_N`, and the pieces as
//! `<use>` with `translate` and `rotate`. Any other drawing of polygons is
//! read too: `<polygon>`, `<rect>` and straight `<path>`s are pieces, the one
//! with the id `strip` is the strip. `data-fixed="true"` fixes a piece.

use super::marks::{Element, elements};
use super::number::numbers;
use super::{Item, Layout, Placed, Strip, in_item};
use crate::problem::{Problem, Result};
use crate::shape::Outline;
use std::fmt::Write;

type Corners = Vec<[f64; 2]>;

/// A turn (degrees), then a shift.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Transform {
    rotation: f64,
    shift: [f64; 2],
}

const STAY: Transform = Transform { rotation: 0.0, shift: [0.0, 0.0] };

pub fn read(text: &str, name: &str) -> Result<Layout> {
    let mut reader = Reader { layout: empty(name), strip: None, open: Vec::new() };
    for element in elements(text)? {
        reader.open.retain(|open| open.depth < element.depth);
        reader.element(&element)?;
        let transform = reader.transform().then(parse_transform(&element)?);
        let id = element.get("id").unwrap_or_default().to_string();
        reader.open.push(Open { name: element.name, id, depth: element.depth, transform });
    }
    let mut layout = reader.layout;
    layout.strip = reader.strip.ok_or_else(|| {
        Problem::new("the drawing has no strip")
            .help("the strip is a rectangle in a group bin_0 or container_0, or has the id strip")
    })?;
    Ok(layout)
}

fn empty(name: &str) -> Layout {
    let strip = Strip { min: [0.0; 2], max: [0.0; 2] };
    Layout { name: name.into(), items: Vec::new(), strip, placed: Vec::new() }
}

/// An element that is still open.
struct Open {
    name: String,
    id: String,
    depth: usize,
    transform: Transform,
}

struct Reader {
    layout: Layout,
    strip: Option<Strip>,
    open: Vec<Open>,
}

impl Reader {
    fn transform(&self) -> Transform {
        self.open.last().map_or(STAY, |open| open.transform)
    }

    fn element(&mut self, element: &Element) -> Result<()> {
        if element.name == "use" {
            return self.place(element);
        }
        let parent = self.open.last().map(|open| open.id.clone()).unwrap_or_default();
        let own = element.get("id").unwrap_or_default();
        let Some(loops) = loops(element).map_err(|problem| in_item(problem, own))? else {
            return Ok(());
        };
        if own == "strip" || ["bin_0", "container_0"].contains(&parent.as_str()) {
            return self.set_strip(&loops);
        }
        let in_definitions = self.open.iter().any(|open| open.name == "defs");
        match parent.strip_prefix("item_").and_then(|id| id.parse().ok()) {
            Some(id) if in_definitions => self.add_item(id, &loops).map(|_| ()),
            _ if in_definitions || element.get("fill") == Some("none") => Ok(()),
            _ => {
                // A drawing of its own: an item for each piece.
                let item = self.add_item(self.layout.items.len() as u64, &loops)?;
                let transform = self.transform().then(parse_transform(element)?);
                self.push(item, transform, element);
                Ok(())
            }
        }
    }

    fn set_strip(&mut self, loops: &[Corners]) -> Result<()> {
        let corners = loops.iter().flatten();
        let (mut min, mut max) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for corner in corners {
            for axis in 0..2 {
                min[axis] = min[axis].min(corner[axis]);
                max[axis] = max[axis].max(corner[axis]);
            }
        }
        match self.strip.replace(Strip { min, max }) {
            Some(_) => Err(Problem::new("the drawing has two strips").help("give one")),
            None => Ok(()),
        }
    }

    fn add_item(&mut self, id: u64, loops: &[Corners]) -> Result<usize> {
        let [outer, holes @ ..] = loops else {
            return Err(in_item(Problem::new("the path is empty"), id));
        };
        let outline = Outline::new(outer, holes).map_err(|problem| in_item(problem, id))?;
        self.layout.items.push(Item { id, outline, demand: 0, orientations: None });
        Ok(self.layout.items.len() - 1)
    }

    fn place(&mut self, element: &Element) -> Result<()> {
        let target = element.get("href").unwrap_or_default().trim_start_matches('#');
        let Some(id) = target.strip_prefix("item_") else { return Ok(()) };
        let known = id.parse::<u64>().ok();
        let Some(item) = self.layout.items.iter().position(|item| Some(item.id) == known) else {
            let ids: Vec<u64> = self.layout.items.iter().map(|item| item.id).take(20).collect();
            return Err(Problem::new(format!("a piece uses item_{id}, which does not exist"))
                .help(format!("the items are {ids:?}")));
        };
        let transform = self.transform().then(parse_transform(element)?);
        self.push(item, transform, element);
        Ok(())
    }

    fn push(&mut self, item: usize, transform: Transform, element: &Element) {
        self.layout.items[item].demand += 1;
        self.layout.placed.push(Placed {
            item,
            rotation: transform.rotation,
            translation: transform.shift,
            fixed: element.get("data-fixed") == Some("true"),
        });
    }
}

impl Transform {
    /// First `inner`, then this one.
    fn then(self, inner: Transform) -> Transform {
        let turned = turned(inner.shift, self.rotation);
        Transform {
            rotation: self.rotation + inner.rotation,
            shift: [self.shift[0] + turned[0], self.shift[1] + turned[1]],
        }
    }
}

fn turned([x, y]: [f64; 2], degrees: f64) -> [f64; 2] {
    if degrees == 0.0 {
        return [x, y];
    }
    let (sin, cos) = degrees.to_radians().sin_cos();
    [cos * x - sin * y, sin * x + cos * y]
}

fn parse_transform(element: &Element) -> Result<Transform> {
    let mut all = STAY;
    let mut rest = element.get("transform").unwrap_or_default().trim();
    while let Some((name, after)) = rest.split_once('(') {
        let Some((inside, tail)) = after.split_once(')') else { break };
        let values = numbers(inside)?;
        let next = match (name.trim_matches([' ', ',']), values.as_slice()) {
            ("translate", &[x]) => Transform { shift: [x, 0.0], ..STAY },
            ("translate", &[x, y]) => Transform { shift: [x, y], ..STAY },
            ("rotate", &[angle]) => Transform { rotation: angle, ..STAY },
            (other, _) => {
                return Err(Problem::new(format!(
                    "the transform {other}({inside}) is not understood"
                ))
                .help("pieces are moved by translate(x y) and turned by rotate(degrees)"));
            }
        };
        all = all.then(next);
        rest = tail;
    }
    Ok(all)
}

/// The closed loops that an element draws, if it is a shape.
fn loops(element: &Element) -> Result<Option<Vec<Corners>>> {
    let number = |name: &str| {
        numbers(element.get(name).unwrap_or("0")).map(|n| n.first().copied().unwrap_or(0.0))
    };
    match element.name.as_str() {
        "polygon" => {
            let values = numbers(element.get("points").unwrap_or_default())?;
            let (corners, _) = values.as_chunks::<2>();
            Ok(Some(vec![corners.to_vec()]))
        }
        "rect" => {
            let [x, y] = [number("x")?, number("y")?];
            let [w, h] = [number("width")?, number("height")?];
            Ok(Some(vec![vec![[x, y], [x + w, y], [x + w, y + h], [x, y + h]]]))
        }
        "path" => path(element.get("d").unwrap_or_default()).map(Some),
        _ => Ok(None),
    }
}

/// A path of straight lines.
fn path(text: &str) -> Result<Vec<Corners>> {
    let mut loops: Vec<Corners> = Vec::new();
    let mut at = [0.0; 2];
    let mut rest = text.trim();
    while let Some(command) = rest.chars().next() {
        let end = rest[1..].find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E'));
        let (inside, tail) = rest[1..].split_at(end.unwrap_or(rest.len() - 1));
        let values = numbers(inside)?;
        let base = |at: [f64; 2]| if command.is_ascii_lowercase() { at } else { [0.0; 2] };
        match command.to_ascii_uppercase() {
            'M' | 'L' => {
                for (k, pair) in values.chunks_exact(2).enumerate() {
                    at = [base(at)[0] + pair[0], base(at)[1] + pair[1]];
                    if command.eq_ignore_ascii_case(&'M') && k == 0 {
                        loops.push(Vec::new());
                    }
                    push(&mut loops, at);
                }
            }
            'H' => values.iter().for_each(|x| {
                at[0] = base(at)[0] + x;
                push(&mut loops, at);
            }),
            'V' => values.iter().for_each(|y| {
                at[1] = base(at)[1] + y;
                push(&mut loops, at);
            }),
            'Z' => at = loops.last().and_then(|corners| corners.first()).copied().unwrap_or(at),
            _ => {
                return Err(Problem::new(format!("the path has the command {command}")).help(
                    "outlines are made of straight lines: M, L, H, V, Z; flatten curves first",
                ));
            }
        }
        rest = tail.trim_start();
    }
    Ok(loops)
}

fn push(loops: &mut Vec<Corners>, at: [f64; 2]) {
    match loops.last_mut() {
        Some(corners) => corners.push(at),
        None => loops.push(vec![at]),
    }
}

/// The record format, with the chain that limits the length drawn over it.
pub fn write(layout: &Layout, chain: &[[[f64; 2]; 2]]) -> String {
    let Strip { min: [left, bottom], max: [right, top] } = layout.strip;
    let (length, height) = (layout.strip.length(), layout.strip.height());
    let margin = 0.05 * length.max(height);
    let line = 0.003 * height;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "<svg viewBox=\"{} {} {} {}\" xmlns=\"http://www.w3.org/2000/svg\">",
        left - margin,
        bottom - margin,
        length + 2.0 * margin,
        height + 2.0 * margin
    );
    let _ = writeln!(
        text,
        "<g id=\"container_0\">\n<path d=\"M{left},{bottom} L{right},{bottom} L{right},{top} L{left},{top} z\" fill=\"#D3D3D3\" stroke=\"black\" stroke-width=\"{line}\"/>\n</g>"
    );
    let _ = writeln!(text, "<g id=\"items\">\n<defs>");
    for item in &layout.items {
        let _ = writeln!(
            text,
            "<g id=\"item_{}\">\n<path d=\"{}\" fill=\"#7A7A7A\" fill-opacity=\"0.5\" fill-rule=\"evenodd\" stroke=\"black\" stroke-width=\"{line}\"/>\n</g>",
            item.id,
            path_text(&item.outline)
        );
    }
    let _ = writeln!(text, "</defs>");
    for placed in &layout.placed {
        let [x, y] = placed.translation;
        let fixed = if placed.fixed { " data-fixed=\"true\"" } else { "" };
        let _ = writeln!(
            text,
            "<use transform=\"translate({x} {y}), rotate({})\" href=\"#item_{}\"{fixed}/>",
            placed.rotation, layout.items[placed.item].id
        );
    }
    let _ = writeln!(
        text,
        "</g>\n<g id=\"chain\" stroke=\"#C1121F\" stroke-width=\"{}\" stroke-linecap=\"round\">",
        2.0 * line
    );
    for [[a, b], [c, d]] in chain {
        let _ = writeln!(text, "<line x1=\"{a}\" y1=\"{b}\" x2=\"{c}\" y2=\"{d}\"/>");
    }
    let _ = writeln!(
        text,
        "</g>\n<text font-family=\"monospace\" font-size=\"{}\" x=\"{left}\" y=\"{}\">height: {height:.3} | width: {length:.6} | density: {:.3}%</text>\n</svg>",
        0.4 * margin,
        bottom - 0.3 * margin,
        100.0 * layout.density()
    );
    text
}

fn path_text(outline: &Outline) -> String {
    let one = |corners: &[[f64; 2]]| {
        let corners: Vec<String> = corners.iter().map(|[x, y]| format!("{x},{y}")).collect();
        format!("M{} z", corners.join(" L"))
    };
    outline.loops().map(one).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = "<svg><g id=\"bin_0\"><path d=\"M0,0 L30,0 L30,10 L0,10 z\"/></g>\
        <g id=\"items\"><defs><g id=\"item_5\"><path d=\"M0,0 L2,0 L2,3 z\"/></g>\
        <path d=\"M0,0 L2,0 L2,3 z\" id=\"cd_shape_5\" fill=\"none\"/></defs>\
        <use transform=\"translate(1.5 2), rotate(-90)\" xlink:href=\"#item_5\"><title/></use>\
        <use href=\"#item_5\" transform=\"rotate(180)\" data-fixed=\"true\"/>\
        <use href=\"#cd_shape_5\" transform=\"rotate(180)\"/></g></svg>";

    #[test]
    fn records_are_read_and_written() {
        let layout = read(RECORD, "r").unwrap();
        assert_eq!((layout.items.len(), layout.placed.len(), layout.items[0].demand), (1, 2, 2));
        assert_eq!(layout.placed[0].translation, [1.5, 2.0]);
        assert!(layout.placed[1].fixed && layout.placed[1].rotation == 180.0);
        assert_eq!(layout.strip.max, [30.0, 10.0]);
        assert_eq!(read(&write(&layout, &[[[0.0, 1.0], [2.0, 3.0]]]), "r").unwrap(), layout);
    }

    #[test]
    fn free_drawings_are_read() {
        let text = "<svg><rect id='strip' width='9' height='4'/><g transform='translate(1 0)'>\
            <polygon points='0,0 1,0 0,1' transform='translate(2,1)'/></g>\
            <path d='m1 1h2v2h-2z M1.5 1.5 L1.5 2 L2 2 z'/></svg>";
        let layout = read(text, "free").unwrap();
        assert_eq!(layout.placed.len(), 2);
        assert_eq!(layout.placed[0].translation, [3.0, 1.0]);
        assert_eq!(layout.items[1].outline.outer, [[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [1.0, 3.0]]);
        assert_eq!(layout.items[1].outline.holes.len(), 1);
    }

    #[test]
    fn problems_are_named() {
        let refused = |text: &str| read(text, "x").unwrap_err().to_string();
        assert!(refused("<svg/>").contains("the drawing has no strip"));
        let unknown =
            refused(&RECORD.replace(
                "href=\"#item_5\" transform=\"rotate",
                "href=\"#item_6\" transform=\"rotate",
            ));
        assert!(unknown.contains("item_6, which does not exist\n  help: the items are [5]"));
        assert!(
            refused(&RECORD.replace("L2,3 z\"/></g>", "C2,3 4,5 6,7 z\"/></g>"))
                .contains("the command C")
        );
        assert!(
            refused(&RECORD.replace("rotate(180)", "scale(2)"))
                .contains("scale(2) is not understood")
        );
        assert!(
            refused(&RECORD.replace("L2,0 L2,3", "L2,0 L4,0"))
                .contains("item 5: the polygon turns back")
        );
    }
}
