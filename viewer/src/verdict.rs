//! The answer to "does it stand?" as a vector picture: its forces as arrows and
//! its mechanism as ghosts.

use riprap::export::palette::own_colours;
use riprap::math::{DQuat, DVec3};
use riprap::step::stable::{Reaction, Verdict};
use riprap::world::{Model, State};

use crate::draw::{Look, draw_bodies, draw_container, draw_joints};
use crate::markup::{Svg, length, path};
use crate::paper::Paper;

const WIDTH: f64 = 640.0;

/// Ghosts show the mechanism after the fastest body has moved by so many of its radii.
const GHOST: f64 = 0.6;

/// The strongest arrow, in the radius of a typical body.
const ARROW: f64 = 1.6;

/// The colours of ghosts and of forces.
const SPECTRE: &str = "#c0392b";
const FORCE: &str = "#34307a";

/// Bodies, arrows where they press on each other, and ghosts where they would go.
pub fn verdict_svg(model: &Model, state: &State, verdict: &Verdict) -> String {
    let ghosts = ghosts(model, state, verdict);
    let shown = if verdict.is_balanced() { vec![state] } else { vec![state, &ghosts] };
    let paper = Paper::new(model, &shown, WIDTH);
    let title =
        if verdict.is_balanced() { "balanced, with its forces" } else { "how it begins to fall" };
    let [width, height] = paper.size();
    let mut svg = Svg::new(width, height, title);
    draw_container(&mut svg, model, &paper);
    let colours = own_colours(model, state);
    let look = Look { colours: &colours, ghost: None, opacity: 1.0 };
    draw_bodies(&mut svg, model, state, &paper, look);
    draw_joints(&mut svg, model, state, &paper);
    if !verdict.is_balanced() {
        let look = Look { ghost: Some(SPECTRE), opacity: 0.35, ..look };
        draw_bodies(&mut svg, model, &ghosts, &paper, look);
    }
    for [from, to] in arrows(model, verdict) {
        draw_arrow(&mut svg, paper.point(from), paper.point(to));
    }
    svg.finish()
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
    for outline in outlines {
        let around = path(outline.iter().map(|corner| paper.point(*corner)), true);
        let look = [("d", around.as_str()), ("stroke", SPECTRE), ("stroke-width", "1.2")];
        svg.leaf("path", &[&look[..], &[("fill", SPECTRE), ("fill-opacity", "0.25")]].concat());
    }
    svg.finish()
}

/// The contact forces as arrows from tail to tip, on the upper of the two bodies, which
/// everybody expects to see.
pub fn arrows(model: &Model, verdict: &Verdict) -> Vec<[DVec3; 2]> {
    let longest = ARROW * model.typical_radius();
    let strongest = verdict.forces.iter().map(|f| f.contact.force.length()).fold(0.0, f64::max);
    let shown = verdict.forces.iter().filter(|f| f.contact.force.length() > 1e-9 * strongest);
    let arrow = |reaction: &Reaction| {
        let (force, at) = (reaction.contact.force, reaction.contact.at[0]);
        let up = -force.dot(model.gravity);
        [at - force * (up.signum() * longest / strongest), at]
    };
    shown.map(arrow).collect()
}

/// Where the bodies are after a moment of their first accelerations.
pub fn ghosts(model: &Model, state: &State, verdict: &Verdict) -> State {
    let speed = |i: usize| {
        let (shift, turn) = verdict.accelerations[i];
        shift.length() / model.bodies[i].radius + turn.length()
    };
    let fastest = model.free().map(speed).fold(f64::MIN_POSITIVE, f64::max);
    let mut moved = state.clone();
    for i in model.free() {
        let (shift, turn) = verdict.accelerations[i];
        moved.positions[i] += shift * (GHOST / fastest);
        let turn = DQuat::from_scaled_axis(turn * (GHOST / fastest));
        moved.rotations[i] = turn * moved.rotations[i];
    }
    moved
}

fn draw_arrow(svg: &mut Svg, from: [f64; 2], to: [f64; 2]) {
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
    svg.leaf("path", &[("d", &path), ("stroke", FORCE), ("stroke-width", "1.2"), ("fill", "none")]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markup::tests::elements;
    use riprap::scene::{Scene, gallery};
    use riprap::step::stable::stable;
    use riprap::world::build;

    fn picture(scene: &Scene) -> String {
        let (model, state) = build(scene).unwrap();
        let svg = verdict_svg(&model, &state, &stable(&model, &state).unwrap());
        elements(&svg);
        svg
    }

    fn of(name: &str) -> String {
        picture(&gallery::scene(name).unwrap())
    }

    /// Bodies are filled along their outlines.
    fn bodies(svg: &str) -> usize {
        svg.matches("fill-rule").count()
    }

    #[test]
    fn a_tower_that_falls_shows_a_ghost_of_every_block() {
        let svg = of("inverted-triangle-3");
        assert_eq!(bodies(&svg), 6 + 1 + 6);
        assert_eq!(svg.matches(SPECTRE).count(), 6);
        assert!(svg.contains(FORCE) && svg.ends_with("</svg>\n"));
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
        let svg = picture(&Scene::from_text(text, "bar.toml".as_ref()).unwrap());
        assert!(svg.contains("balanced, with its forces"), "{svg}");
        assert_eq!(svg.matches("<line").count(), 1);
    }

    #[test]
    fn a_tower_that_stands_shows_its_forces_and_no_ghost() {
        let svg = of("diamond-3");
        assert_eq!(bodies(&svg), 9 + 1);
        assert!(!svg.contains(SPECTRE) && svg.matches(FORCE).count() > 9);
    }

    #[test]
    fn boxes_show_the_three_faces_that_look_at_us() {
        let blocks = 3 * 3 + 2 * 4;
        assert_eq!(bodies(&of("wall-3d")), 3 * (blocks + 1));
    }
}
