//! Layouts as the records of sparrow: items once, pieces as copies of them.

use std::fmt::Write;

use crate::layout::{Layout, Strip};
use crate::shape::Outline;

/// The width of lines, as a part of the strip's height.
const LINE: f64 = 0.003;

/// The record format, with the chain that limits the length drawn over it.
pub fn write(layout: &Layout, chain: &[[[f64; 2]; 2]]) -> String {
    let Strip { min: [left, bottom], max: [right, top] } = layout.strip;
    let (length, height) = (layout.strip.length(), layout.strip.height());
    let margin = 0.05 * length.max(height);
    let line = LINE * height;
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
    text += "</g>\n";
    if !chain.is_empty() {
        text += &chain_text(layout, chain);
    }
    let _ = writeln!(
        text,
        "<text font-family=\"monospace\" font-size=\"{}\" x=\"{left}\" y=\"{}\">height: {height:.3} | width: {length:.6} | density: {:.3}%</text>\n</svg>",
        0.4 * margin,
        bottom - 0.3 * margin,
        100.0 * layout.density()
    );
    text
}

/// The chain that limits the length, to be drawn over a layout.
pub fn chain_text(layout: &Layout, chain: &[[[f64; 2]; 2]]) -> String {
    let mut text = format!(
        "<g id=\"optionals\"><g id=\"chain\" stroke=\"#C1121F\" stroke-width=\"{}\" stroke-linecap=\"round\">\n",
        2.0 * LINE * layout.strip.height()
    );
    for [[a, b], [c, d]] in chain {
        let _ = writeln!(text, "<line x1=\"{a}\" y1=\"{b}\" x2=\"{c}\" y2=\"{d}\"/>");
    }
    text + "</g></g>\n"
}

fn path_text(outline: &Outline) -> String {
    let one = |corners: &[[f64; 2]]| {
        let corners: Vec<String> = corners.iter().map(|[x, y]| format!("{x},{y}")).collect();
        format!("M{} z", corners.join(" L"))
    };
    outline.loops().map(one).collect::<Vec<_>>().join(" ")
}
