//! The answer to "does it stand?" as a vector picture: its forces as arrows and
//! its mechanism as ghosts.

use riprap::export::exhibit::{Exhibit, Line, MARK, Marked, PULL, PUSH, SPECTRE, apart, foot};
use riprap::export::palette::{FORCES, along, hex, own_colours};
use riprap::math::DVec3;
use riprap::step::stable::Balance;
use riprap::world::{Model, State};

use crate::draw::{Look, draw_bodies, draw_container, draw_joints};
use crate::markup::{Svg, length, path};
use crate::paper::Paper;

const WIDTH: f64 = 640.0;

/// Of the legend: from line to line, from the left, of the scale and its steps.
const LINE: f64 = 19.0;
const MARGIN: f64 = 10.0;
const SCALE_WIDTH: f64 = 160.0;
const STEPS: usize = 40;

/// Bodies in the colours of what they bear, taken apart by a share of their distances, arrows
/// where they press on each other or hold, the contact that counts most, ghosts where they would
/// go, and a legend below.
pub fn verdict_svg(shown: &Exhibit, share: f64) -> String {
    let loose = apart(shown.state, foot(shown.model, shown.state), share);
    let shown = shown.at(&loose);
    let Exhibit { model, state, .. } = shown;
    let ghosts = shown.motion.as_ref().map(|_| shown.moved(1.0));
    let states: Vec<&State> = std::iter::once(state).chain(&ghosts).collect();
    let arrows = shown.arrows();
    let ends: Vec<DVec3> = arrows.iter().flat_map(|arrow| [arrow.from, arrow.to]).collect();
    let paper = Paper::around(model, &states, &ends, WIDTH);
    let is_balanced = shown.balance == Balance::Balanced;
    let title = if is_balanced { "balanced, with its forces" } else { "how it begins to fall" };
    let ([width, height], legend) = (paper.size(), shown.legend());
    let below = LINE * legend.len() as f64 + LINE;
    let mut svg = Svg::new(width, height + below, title);
    // An inner picture cuts off what sticks out, such as wide grounds.
    let (wide, tall) = (length(width), length(height));
    svg.open("svg", &[("width", &wide), ("height", &tall)]);
    draw_container(&mut svg, model, &paper);
    let colours = shown.shade.colours();
    let look = Look { colours: &colours, ghost: None, opacity: 1.0 };
    draw_bodies(&mut svg, model, state, &paper, look);
    draw_joints(&mut svg, model, state, &paper);
    if let Some(ghosts) = &ghosts {
        let spectre = hex(SPECTRE);
        let look = Look { ghost: Some(&spectre), opacity: 0.6, ..look };
        draw_bodies(&mut svg, model, ghosts, &paper, look);
    }
    for arrow in arrows {
        let colour = hex(if arrow.pulls { PULL } else { PUSH });
        draw_arrow(&mut svg, paper.point(arrow.from), paper.point(arrow.to), &colour);
    }
    for [from, to] in shown.marked.iter().flat_map(Marked::edges) {
        let look = [("stroke", hex(MARK)), ("stroke-width", "3".into())];
        let look = look.each_ref().map(|(key, value)| (*key, value.as_str()));
        let cap = [look[0], look[1], ("stroke-linecap", "round")];
        svg.line(paper.point(from), paper.point(to), &cap);
    }
    svg.close();
    draw_legend(&mut svg, &legend, height);
    svg.finish()
}

/// Lines of words, a scale, and what colours stand for, one below the other.
fn draw_legend(svg: &mut Svg, legend: &[Line], top: f64) {
    let words = [("font-size", "13"), ("fill", "#30363f")];
    for (k, line) in legend.iter().enumerate() {
        let y = top + LINE * (k as f64 + 1.0);
        match line {
            Line::Words(text) => svg.label([MARGIN, y], "start", &words, text),
            Line::Scale(most) => {
                for step in 0..STEPS {
                    let colour = hex(along(&FORCES, step as f64 / (STEPS - 1) as f64));
                    let x = MARGIN + 20.0 + SCALE_WIDTH * step as f64 / STEPS as f64;
                    let [x, y, width] = [x, y - 9.0, SCALE_WIDTH / STEPS as f64 + 0.5].map(length);
                    let place = [("x", x.as_str()), ("y", &y), ("width", &width), ("height", "9")];
                    svg.leaf("rect", &[&place[..], &[("fill", &colour)]].concat());
                }
                svg.label([MARGIN, y], "start", &words, "0");
                svg.label([MARGIN + SCALE_WIDTH + 28.0, y], "start", &words, most);
            }
            Line::Key(colour, text) => {
                let [x, y] = [MARGIN, y - 10.0].map(length);
                let place = [("x", x.as_str()), ("y", &y), ("width", "11"), ("height", "11")];
                svg.leaf("rect", &[&place[..], &[("fill", &hex(*colour))]].concat());
                let at = [MARGIN + 20.0, top + LINE * (k as f64 + 1.0)];
                svg.label(at, "start", &words, text);
            }
        }
    }
}

/// Bodies, and over them the outlines of where the static problem of least energy has them.
pub fn lowest_svg(model: &Model, state: &State, outlines: &[[DVec3; 4]]) -> String {
    let paper = Paper::new(model, &[state], WIDTH);
    let [width, height] = paper.size();
    let mut svg = Svg::new(width, height, "the lowest heights, if nothing moved sideways");
    draw_container(&mut svg, model, &paper);
    let colours = own_colours(model, state);
    draw_bodies(
        &mut svg,
        model,
        state,
        &paper,
        Look { colours: &colours, ghost: None, opacity: 0.35 },
    );
    let red = hex(SPECTRE);
    for outline in outlines {
        let around = path(outline.iter().map(|corner| paper.point(*corner)), true);
        let look = [("d", around.as_str()), ("stroke", &red), ("stroke-width", "1.2")];
        svg.leaf("path", &[&look[..], &[("fill", &red), ("fill-opacity", "0.25")]].concat());
    }
    svg.finish()
}

fn draw_arrow(svg: &mut Svg, from: [f64; 2], to: [f64; 2], colour: &str) {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let long = dx.hypot(dy);
    if long < 1.0 {
        return;
    }
    let (ux, uy) = (dx / long, dy / long);
    let head = 4.0_f64.min(0.5 * long);
    let point = |along: f64, across: f64| {
        let at = [to[0] - ux * along - uy * across, to[1] - uy * along + ux * across];
        format!("{} {}", length(at[0]), length(at[1]))
    };
    let path = format!(
        "M {} {} L {} M {} L {} {} L {}",
        length(from[0]),
        length(from[1]),
        point(0.0, 0.0),
        point(head, 0.6 * head),
        length(to[0]),
        length(to[1]),
        point(head, -0.6 * head)
    );
    let look = [("d", path.as_str()), ("stroke", colour), ("stroke-width", "1.2")];
    svg.leaf("path", &[&look[..], &[("fill", "none")]].concat());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markup::tests::elements;
    use crate::samples::exhibit;
    use riprap::scene::{Scene, gallery};
    use riprap::world::build;

    fn picture(scene: &Scene, share: f64) -> String {
        let (model, state) = build(scene).unwrap();
        let svg = verdict_svg(&exhibit(&model, &state), share);
        elements(&svg);
        svg
    }

    fn of(name: &str) -> String {
        picture(&gallery::scene(name).unwrap(), 0.0)
    }

    /// Bodies are filled along their outlines.
    fn bodies(svg: &str) -> usize {
        svg.matches("fill-rule").count()
    }

    #[test]
    fn a_tower_that_falls_shows_a_ghost_of_every_block() {
        let svg = of("inverted-triangle-3");
        assert_eq!(bodies(&svg), 6 + 1 + 6);
        assert_eq!(svg.matches(&hex(SPECTRE)).count(), 6 + 1 + 1, "with edges, and in the legend");
        assert!(svg.contains(&hex(PUSH)) && svg.ends_with("</svg>\n"));
        assert!(svg.contains("first motion, drawn up to 0.6 of a radius"));
    }

    #[test]
    fn bars_are_lines() {
        let text = r#"
            method = "collapse"
            dimension = 2
            gravity = [0, -1]
            [[bodies]]
            group = "low"
            shape = { kind = "box", size = [1, 1] }
            [[bodies]]
            group = "high"
            shape = { kind = "box", size = [1, 1] }
            position = [0, 3]
            motion = "fixed"
            [[joints]]
            kind = "bar"
            bodies = ["low", "high"]
        "#;
        let svg = picture(&Scene::from_text(text, "bar.toml".as_ref()).unwrap(), 0.0);
        assert!(svg.contains("balanced, with its forces"), "{svg}");
        assert_eq!(svg.matches("<line").count(), 1);
    }

    /// An arrow for each force, the legend's square, and the largest force in numbers.
    #[test]
    fn a_tower_that_stands_shows_its_forces_and_no_ghost() {
        let (model, state) = build(&gallery::scene("diamond-3").unwrap()).unwrap();
        let shown = exhibit(&model, &state);
        let svg = verdict_svg(&shown, 0.0);
        assert_eq!(bodies(&svg), 9 + 1);
        assert!(!svg.contains(&hex(SPECTRE)) && !svg.contains(&hex(PULL)));
        assert_eq!(svg.matches(&hex(PUSH)).count(), shown.arrows().len() + 1);
        for Line::Words(words) | Line::Scale(words) | Line::Key(_, words) in shown.legend() {
            assert!(svg.contains(&format!(">{words}</text>")), "{words}");
        }
    }

    #[test]
    fn boxes_show_the_three_faces_that_look_at_us() {
        let blocks = 3 * 3 + 2 * 4;
        assert_eq!(bodies(&of("wall-3d")), 3 * (blocks + 1));
        let apart = picture(&gallery::scene("wall-3d").unwrap(), 0.5);
        assert_eq!(bodies(&apart), 3 * (blocks + 1));
        assert_ne!(apart, of("wall-3d"));
    }

    /// Of two bricks, the lower under the upper by two studs: those are hidden until they are apart.
    #[test]
    fn studs_are_drawn_where_they_are_seen() {
        let text = r#"
            gravity = [0, 0, -9.8]
            method = "dynamics"
            [[strengths]]
            pull = 1
            per = "point"
            [[bodies]]
            shape = { kind = "brick", studs = [2, 2], cell = 8, height = 9.6 }
            position = [0, 0, 4.8]
            motion = "fixed"
            [[bodies]]
            group = "upper"
            shape = { kind = "brick", studs = [2, 2], cell = 8, height = 9.6 }
            position = [8, 0, 14.4]
        "#;
        let scene = Scene::from_text(text, "bricks.toml".as_ref()).unwrap();
        let studs = |share: f64| {
            let svg = picture(&scene, share);
            // Three faces a brick, a side and a top a stud.
            (bodies(&svg) - 2 * 3) / 2
        };
        assert_eq!((studs(0.0), studs(0.5)), (2 + 4, 4 + 4));
    }
}
