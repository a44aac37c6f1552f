//! All that a drawing draws, element by element, copies by `<use>` included.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};
use std::str::FromStr;
use svgtypes::{Length, LengthUnit, ViewBox};

use super::Spot;
use super::element::{length, name, pixels, shape, transform};
use super::style::Sheet;
use crate::layout::Strip;
use crate::layout::curve::Line;
use crate::layout::drawing::{Drawing, Mark, Mover, Stroke};
use crate::math::{DAffine2, DVec2};
use crate::problem::{Problem, Result};

/// Copies of copies go so deep at most.
const DEEPEST: usize = 64;

/// A drawing of copies of copies has so many lines at most.
const MOST_STROKES: usize = 1_000_000;

const SVG: &str = "http://www.w3.org/2000/svg";

/// What the walk found, and where each mover's transform is written.
#[derive(Default)]
pub struct Walk {
    pub drawing: Drawing,
    pub spots: Vec<Spot>,
    /// The strip's element, in a record.
    pub record: Option<Spot>,
}

/// What an element takes over from those around it.
#[derive(Clone, Copy)]
struct Around<'s> {
    place: DAffine2,
    is_fixed: bool,
    is_strip: bool,
    /// In a record: drawn over pieces, not a piece itself.
    is_remark: bool,
    is_filled: bool,
    is_nonzero: bool,
    is_hidden: bool,
    /// The `<use>` that draws it, and what that is a copy of.
    mover: Option<usize>,
    depth: usize,
    copy_of: Option<&'s str>,
}

struct Walker<'a, 'i> {
    ids: BTreeMap<&'a str, Node<'a, 'i>>,
    sheet: Sheet,
    walk: Walk,
    /// The movers that elements are, and the copies with what they are copies of.
    movers: BTreeMap<usize, usize>,
    copies: Vec<(usize, Node<'a, 'i>, DVec2)>,
}

pub fn walk(document: &Document) -> Result<Walk> {
    let mut ids = BTreeMap::new();
    for node in document.descendants().filter(Node::is_element) {
        if let Some(id) = node.attribute("id") {
            ids.entry(id).or_insert(node);
        }
    }
    let root = document.root_element();
    let mut sheet = Sheet::of(document)?;
    let mut walk = Walk::default();
    walk.drawing.notes = std::mem::take(&mut sheet.notes);
    walk.drawing.page = page(&sheet, root, &mut walk.drawing.notes)?;
    let around = Around {
        place: DAffine2::IDENTITY,
        is_fixed: false,
        is_strip: false,
        is_remark: false,
        is_filled: sheet.property(root, "fill") != Some("none"),
        is_nonzero: sheet.property(root, "fill-rule") != Some("evenodd"),
        is_hidden: is_hidden(sheet.property(root, "visibility"), false),
        mover: None,
        depth: 0,
        copy_of: None,
    };
    let mut walker = Walker { ids, sheet, walk, movers: BTreeMap::new(), copies: Vec::new() };
    walker.children(root, around)?;
    walker.link_copies()?;
    Ok(walker.walk)
}

/// The page in user units, and what these are.
fn page(sheet: &Sheet, root: Node, notes: &mut Vec<String>) -> Result<Option<Strip>> {
    let size = |attribute: &str| {
        let text = sheet.property(root, attribute)?;
        let Length { number, unit } = Length::from_str(text.trim()).ok()?;
        pixels(unit).map(|pixels| (number * pixels, unit))
    };
    let given = size("width").zip(size("height"));
    let Some(text) = root.attribute("viewBox") else {
        let page = given.filter(|((w, _), (h, _))| *w > 0.0 && *h > 0.0);
        return Ok(page.map(|((w, _), (h, _))| Strip { min: [0.0; 2], max: [w, h] }));
    };
    let ViewBox { x, y, w, h } = ViewBox::from_str(text)
        .map_err(|e| Problem::new(format!("the viewBox is not understood: {e}")))?;
    if let Some(((width, unit), _)) = given
        && !matches!(unit, LengthUnit::None | LengthUnit::Px)
    {
        let millimetres = width * 25.4 / 96.0 / w;
        notes.push(format!("lengths are in units of {millimetres:.6} mm"));
    }
    Ok(Some(Strip { min: [x, y], max: [x + w, y + h] }))
}

impl<'a, 'i> Walker<'a, 'i> {
    fn children(&mut self, node: Node<'a, 'i>, around: Around<'a>) -> Result<()> {
        node.children().filter(Node::is_element).try_for_each(|child| self.element(child, around))
    }

    fn element(&mut self, node: Node<'a, 'i>, around: Around<'a>) -> Result<()> {
        // Editors keep notes of their own in namespaces of their own.
        if node.tag_name().namespace().is_some_and(|space| space != SVG) {
            return Ok(());
        }
        let kind = node.tag_name().name();
        let hidden = ["clipPath", "defs", "desc", "filter", "linearGradient", "marker", "mask"];
        let hidden_too =
            ["metadata", "pattern", "radialGradient", "script", "style", "symbol", "title"];
        if hidden.contains(&kind) || hidden_too.contains(&kind) {
            return Ok(());
        }
        if self.sheet.property(node, "display") == Some("none") {
            self.note(format!("{} is hidden, and stays", name(node)));
            return Ok(());
        }
        for cut in ["clip-path", "mask"] {
            if self.sheet.property(node, cut).is_some_and(|value| value != "none") {
                self.note(format!("{} has a {cut}, and is read whole", name(node)));
            }
        }
        let inner = self.inside(node, around)?;
        if inner.is_hidden && !around.is_hidden {
            self.note(format!("{} is hidden, and stays", name(node)));
        }
        match kind {
            "g" | "a" | "switch" => self.children(node, inner),
            "svg" => self.nested(node, inner),
            "use" => self.copy(node, inner, around.place),
            _ if inner.is_hidden => Ok(()),
            "text" | "image" | "foreignObject" => {
                let at = DVec2::new(self.first(node, "x")?, self.first(node, "y")?);
                let mover = self.mover(node, &inner, around.place);
                let at = inner.place.transform_point2(at);
                self.walk.drawing.marks.push(Mark { at, mover });
                Ok(())
            }
            _ => match shape(&self.sheet, node, inner.is_filled)? {
                Some(lines) => self.draw(node, lines, inner, around.place),
                None => {
                    self.note(format!("{} is not understood, and stays", name(node)));
                    Ok(())
                }
            },
        }
    }

    /// What holds inside an element.
    fn inside(&self, node: Node<'a, 'i>, around: Around<'a>) -> Result<Around<'a>> {
        if around.depth > DEEPEST {
            let what = match around.mover {
                Some(_) => "is a copy of a copy of itself",
                None => "lies in groups in groups",
            };
            return Err(Problem::new(format!("{} {what}", name(node)))
                .help(format!("groups and copies lie in each other at most {DEEPEST} deep")));
        }
        let id = node.attribute("id").unwrap_or_default();
        let place = around.place * transform(&self.sheet, node)?;
        if place.matrix2.determinant() == 0.0 || !place.is_finite() {
            return Err(Problem::new(format!("{} is drawn flat by its transform", name(node)))
                .help("a transform has an inverse"));
        }
        let own = |name: &str| self.sheet.property(node, name).filter(|value| *value != "inherit");
        let is_record = ["bin_0", "container_0"].contains(&id);
        Ok(Around {
            place,
            is_fixed: around.is_fixed || node.attribute("data-fixed") == Some("true"),
            is_strip: around.is_strip || id == "strip" || is_record,
            is_remark: around.is_remark || ["optionals", "quality_zones"].contains(&id),
            is_filled: own("fill").map_or(around.is_filled, |fill| fill != "none"),
            is_nonzero: own("fill-rule").map_or(around.is_nonzero, |rule| rule != "evenodd"),
            is_hidden: is_hidden(own("visibility"), around.is_hidden),
            depth: around.depth + 1,
            ..around
        })
    }

    /// A drawing in the drawing.
    fn nested(&mut self, node: Node<'a, 'i>, inner: Around<'a>) -> Result<()> {
        if node.attribute("viewBox").is_some() {
            return Err(Problem::new(format!("{} has a viewBox of its own", name(node)))
                .help("take what is in it out of it (in Inkscape: ungroup)"));
        }
        let shift = self.corner(node)?;
        let place = inner.place * DAffine2::from_translation(shift);
        self.children(node, Around { place, ..inner })
    }

    /// What is drawn elsewhere, once more.
    fn copy(&mut self, node: Node<'a, 'i>, inner: Around<'a>, outer: DAffine2) -> Result<()> {
        let href = node.attributes().find(|attribute| attribute.name() == "href");
        let target = href.map(|href| href.value()).unwrap_or_default();
        let id = target.strip_prefix('#').unwrap_or_default();
        let Some(&original) = self.ids.get(id) else {
            let shown: String = target.chars().filter(|c| !c.is_control()).take(40).collect();
            return Err(Problem::new(format!(
                "{} is a copy of \"{shown}\", which does not exist",
                name(node)
            ))
            .help("a copy names the id of an element of the same drawing, as in href=\"#part\""));
        };
        let shift = self.corner(node)?;
        let place = inner.place * DAffine2::from_translation(shift);
        let copy_of = inner.copy_of.is_none().then_some(id);
        let mover = self.mover(node, &Around { copy_of, ..inner }, outer);
        if inner.mover.is_none() {
            self.copies.push((mover, original, shift));
        }
        let inner = Around { place, mover: Some(mover), copy_of: Some(id), ..inner };
        match original.tag_name().name() {
            "symbol" if original.attribute("viewBox").is_some() => {
                Err(Problem::new(format!("{} has a viewBox of its own", name(original)))
                    .help("draw it as a <g> without one"))
            }
            "symbol" => {
                let place = inner.place * transform(&self.sheet, original)?;
                self.children(original, Around { place, ..inner })
            }
            _ => self.element(original, inner),
        }
    }

    fn draw(
        &mut self,
        node: Node<'a, 'i>,
        lines: Vec<(Line, bool)>,
        inner: Around<'a>,
        outer: DAffine2,
    ) -> Result<()> {
        let mover = self.mover(node, &inner, outer);
        if self.walk.drawing.strokes.len() + lines.len() > MOST_STROKES {
            return Err(Problem::new(format!("the drawing has more than {MOST_STROKES} lines")));
        }
        if inner.is_strip && self.walk.record.is_none() && !is_named_strip(node) {
            self.walk.record = Some(self.walk.spots[mover].clone());
        }
        for (line, is_closed) in lines {
            if inner.is_remark {
                let points: Vec<DVec2> = line.segments.iter().map(|s| s.start()).collect();
                let middle = points.iter().sum::<DVec2>() / points.len().max(1) as f64;
                let at = inner.place.transform_point2(middle);
                self.walk.drawing.marks.push(Mark { at, mover });
                continue;
            }
            self.walk.drawing.strokes.push(Stroke {
                line,
                place: inner.place,
                mover,
                is_closed,
                is_strip: inner.is_strip,
                is_nonzero: inner.is_nonzero && inner.is_filled,
            });
        }
        Ok(())
    }

    /// The number of what moves an element: itself, or the copy that it is drawn by. `outer` is
    /// the place that its transform is given in.
    fn mover(&mut self, node: Node<'a, 'i>, inner: &Around<'a>, outer: DAffine2) -> usize {
        if let Some(mover) = inner.mover {
            return mover;
        }
        self.movers.insert(node.id().get_usize(), self.walk.spots.len());
        self.walk.spots.push(spot(node, outer.inverse()));
        self.walk.drawing.movers.push(Mover {
            name: name(node),
            is_fixed: inner.is_fixed,
            copy_of: inner.copy_of.map(str::to_string),
        });
        self.walk.spots.len() - 1
    }

    /// Copies of what is drawn itself would move with it: they remember what moves it.
    fn link_copies(&mut self) -> Result<()> {
        for (copy, original, at) in &self.copies {
            if let Some(&mover) = self.movers.get(&original.id().get_usize()) {
                self.walk.spots[*copy].copies = Some((mover, *at));
            } else if original
                .descendants()
                .any(|node| self.movers.contains_key(&node.id().get_usize()))
            {
                let copy = &self.walk.drawing.movers[*copy].name;
                return Err(Problem::new(format!(
                    "{copy} is a copy of {}, whose parts move on their own",
                    name(*original)
                ))
                .help("draw the original in <defs>, or make the copy one of its own (in Inkscape: unlink the clone)"));
            }
        }
        Ok(())
    }

    /// Where a copy or a drawing in the drawing is put.
    fn corner(&self, node: Node) -> Result<DVec2> {
        Ok(DVec2::new(length(&self.sheet, node, "x")?, length(&self.sheet, node, "y")?))
    }

    /// The first of the numbers of an attribute: every letter of a text may have its own.
    fn first(&self, node: Node, attribute: &str) -> Result<f64> {
        match node.attribute(attribute).is_some_and(|text| text.trim().contains([' ', ','])) {
            true => {
                let text = node.attribute(attribute).unwrap_or_default();
                let one = text.split([' ', ',']).find(|part| !part.is_empty());
                Ok(one.and_then(|one| one.parse().ok()).unwrap_or(0.0))
            }
            false => length(&self.sheet, node, attribute),
        }
    }

    fn note(&mut self, note: String) {
        if !self.walk.drawing.notes.contains(&note) {
            self.walk.drawing.notes.push(note);
        }
    }
}

/// Whether the strip is a drawing's sheet, and not as long as a record's layout.
fn is_named_strip(node: Node) -> bool {
    node.ancestors().any(|node| node.attribute("id") == Some("strip"))
}

/// Whether an element is not to be seen, after one that is or is not.
fn is_hidden(visibility: Option<&str>, around: bool) -> bool {
    visibility.map_or(around, |value| ["hidden", "collapse"].contains(&value))
}

fn spot(node: Node, inverse: DAffine2) -> Spot {
    match node.attribute_node("transform") {
        Some(attribute) => Spot {
            range: attribute.range_value(),
            is_new: false,
            value: attribute.value().to_string(),
            inverse,
            copies: None,
        },
        None => {
            // After the tag's name, prefix and all.
            let start = node.range().start;
            let text = &node.document().input_text()[start..];
            let length = text.find(|c: char| c.is_whitespace() || c == '>' || c == '/');
            let at = start + length.unwrap_or(0);
            Spot { range: at..at, is_new: true, value: String::new(), inverse, copies: None }
        }
    }
}
