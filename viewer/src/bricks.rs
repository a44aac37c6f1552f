//! Vector pictures of bricks: frames of a fall, and the answer to "does it
//! stand?" with its forces as arrows and its mechanism as ghosts. 3D towers are
//! drawn from the side and above, the farthest face first.

use std::path::Path;

use riprap::Result;
use riprap::math::{DQuat, DVec3};
use riprap::step::stable::{Force, Verdict};
use riprap::trajectory::{Frame, Reader};
use riprap::world::{Poses, Tower};

use crate::file::write_whole;
use crate::markup::{Svg, length};
use crate::palette::{self, INK};
use crate::svg::Picture;

/// Space around the bricks, in their mean radius.
const AIR: f64 = 1.2;

/// Ghosts show the mechanism after the fastest brick has moved by so many of its radii.
const GHOST: f64 = 0.6;

/// The strongest arrow, in mean radii.
const ARROW: f64 = 1.6;

/// The colour of supports, of ghosts and of forces.
const GROUND: &str = "#b9b4a8";
const SPECTRE: &str = "#c0392b";
const PUSH: &str = "#34307a";

/// Writes the picture of a verdict.
pub fn write_verdict(path: &Path, tower: &Tower, poses: &Poses, verdict: &Verdict) -> Result<()> {
    write_whole(path, verdict_svg(tower, poses, verdict).as_bytes())
}

/// Bricks, arrows where they push each other, and ghosts where they would go.
pub fn verdict_svg(tower: &Tower, poses: &Poses, verdict: &Verdict) -> String {
    let ghosts = ghosts(tower, poses, verdict);
    let shown = if verdict.balanced { vec![poses] } else { vec![poses, &ghosts] };
    let paper = Paper::new(tower, &shown, 640.0);
    let title =
        if verdict.balanced { "balanced, with its forces" } else { "how it begins to fall" };
    let mut svg = Svg::new(paper.width, paper.height, title);
    draw(&mut svg, tower, poses, &paper, None, 1.0);
    draw_bars(&mut svg, tower, poses, &paper);
    if !verdict.balanced {
        draw(&mut svg, tower, &ghosts, &paper, Some(SPECTRE), 0.35);
    }
    for [from, to] in arrows(tower, verdict) {
        arrow(&mut svg, paper.place(from), paper.place(to));
    }
    svg.finish()
}

/// The contact forces as arrows from tail to tip, on the upper of the two bricks, which
/// everybody expects to see.
pub fn arrows(tower: &Tower, verdict: &Verdict) -> Vec<[DVec3; 2]> {
    let size = mean_radius(tower);
    let strongest = verdict.forces.iter().map(|f| f.force.length()).fold(0.0, f64::max);
    let shown = verdict.forces.iter().filter(|f| f.force.length() > 1e-9 * strongest);
    let arrow = |force: &Force| {
        let up = -force.force.dot(tower.gravity);
        let along = force.force * (up.signum() * ARROW * size / strongest);
        [force.at - along, force.at]
    };
    shown.map(arrow).collect()
}

fn mean_radius(tower: &Tower) -> f64 {
    let count = tower.moving().count().max(1);
    tower.moving().map(|i| tower.bricks[i].radius).sum::<f64>() / count as f64
}

/// Where the bricks are after a moment of their first accelerations.
pub fn ghosts(tower: &Tower, poses: &Poses, verdict: &Verdict) -> Poses {
    let speed = |i: usize| {
        let (shift, turn) = verdict.accelerations[i];
        shift.length() / tower.bricks[i].radius + turn.length()
    };
    let fastest = tower.moving().map(speed).fold(f64::MIN_POSITIVE, f64::max);
    let mut moved = poses.clone();
    for i in tower.moving() {
        let (shift, turn) = verdict.accelerations[i];
        moved.positions[i] += shift * (GHOST / fastest);
        let turn = DQuat::from_scaled_axis(turn * (GHOST / fastest));
        moved.rotations[i] = turn * moved.rotations[i];
    }
    moved
}

/// Frames of a run side by side.
pub(crate) fn run_svg(reader: &Reader, picture: &Picture) -> Result<String> {
    let tower = &reader.model().tower;
    let frames: Vec<Frame> =
        picture.strip.frames.iter().map(|&index| reader.frame(index)).collect::<Result<_>>()?;
    let poses: Vec<Poses> = frames
        .iter()
        .map(|f| f.bricks.as_ref().map(|b| b.poses(&f.positions)).unwrap_or_default())
        .collect();
    let paper = Paper::new(tower, &poses.iter().collect::<Vec<_>>(), picture.width);
    let columns = picture.strip.columns.clamp(1, frames.len());
    let rows = frames.len().div_ceil(columns);
    let (wide, tall) = (paper.width + 10.0, paper.height + 22.0);
    let (width, height) = (wide * columns as f64, tall * rows as f64);
    let mut svg = Svg::new(width, height, &reader.model().name);
    for (k, (frame, poses)) in frames.iter().zip(&poses).enumerate() {
        let (x, y) = ((k % columns) as f64 * wide, (k / columns) as f64 * tall);
        let caption = format!("step {}", frame.step);
        let middle = [x + 0.5 * paper.width, y + 14.0];
        svg.label(middle, "middle", &[("font-size", "12"), ("fill", INK)], &caption);
        let (width, height) = (length(paper.width), length(paper.height));
        // An inner picture cuts off what sticks out of the panel.
        svg.open(
            "svg",
            &[
                ("x", &length(x)),
                ("y", &length(y + 20.0)),
                ("width", &width),
                ("height", &height),
                ("viewBox", &format!("0 0 {width} {height}")),
            ],
        );
        draw(&mut svg, tower, poses, &paper, None, 1.0);
        draw_bars(&mut svg, tower, poses, &paper);
        svg.close();
    }
    Ok(svg.finish())
}

/// From the scene to the paper.
struct Paper {
    flat: bool,
    low: [f64; 2],
    high: [f64; 2],
    scale: f64,
    width: f64,
    height: f64,
    /// The mean radius of the bricks.
    size: f64,
}

impl Paper {
    /// Room for all that can move.
    fn new(tower: &Tower, shown: &[&Poses], width: f64) -> Paper {
        let mut paper = Paper {
            flat: tower.dimension == 2,
            low: [f64::INFINITY; 2],
            high: [f64::NEG_INFINITY; 2],
            scale: 1.0,
            width,
            height: width,
            size: mean_radius(tower),
        };
        for poses in shown {
            for i in tower.moving() {
                for corner in tower.placed(i, poses).iter().flat_map(|p| p.corners()) {
                    let at = paper.project(*corner);
                    let air = AIR * paper.size;
                    paper.low = [paper.low[0].min(at[0] - air), paper.low[1].min(at[1] - air)];
                    paper.high = [paper.high[0].max(at[0] + air), paper.high[1].max(at[1] + air)];
                }
            }
        }
        let [w, h] = [0, 1].map(|k| (paper.high[k] - paper.low[k]).max(f64::MIN_POSITIVE));
        paper.scale = (width / w).min(2.0 * width / h);
        (paper.width, paper.height) = (w * paper.scale, h * paper.scale);
        paper
    }

    /// The picture plane, up being up.
    fn project(&self, p: DVec3) -> [f64; 2] {
        match self.flat {
            true => [p.x, p.y],
            false => [0.9 * p.x + 0.436 * p.y, 0.94 * p.z + 0.34 * (0.9 * p.y - 0.436 * p.x)],
        }
    }

    /// How near a point is to whoever looks.
    fn nearness(&self, p: DVec3) -> f64 {
        0.94 * (0.436 * p.x - 0.9 * p.y) + 0.34 * p.z
    }

    fn place(&self, p: DVec3) -> [f64; 2] {
        let [x, y] = self.project(p);
        [(x - self.low[0]) * self.scale, (self.high[1] - y) * self.scale]
    }
}

/// All bricks; in one colour, or each group of courses in its own.
fn draw(
    svg: &mut Svg,
    tower: &Tower,
    poses: &Poses,
    paper: &Paper,
    colour: Option<&str>,
    opacity: f64,
) {
    let mut faces: Vec<(f64, Vec<DVec3>, f64, usize)> = Vec::new();
    for i in 0..tower.bricks.len() {
        if colour.is_some() && tower.bricks[i].fixed {
            continue;
        }
        for piece in tower.placed(i, poses) {
            if paper.flat {
                faces.push((i as f64, piece.corners().to_vec(), 1.0, i));
                continue;
            }
            for face in piece.faces() {
                let facing = paper.nearness(face.normal);
                if facing > 0.0 {
                    let corners: Vec<DVec3> =
                        face.corners.iter().map(|&k| piece.corners()[k as usize]).collect();
                    let middle = corners.iter().sum::<DVec3>() / corners.len() as f64;
                    // Supports are large and lie behind everything.
                    let near =
                        if tower.bricks[i].fixed { f64::MIN } else { paper.nearness(middle) };
                    faces.push((near, corners, 0.55 + 0.45 * face.normal.z.abs(), i));
                }
            }
        }
    }
    faces.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, corners, light, i) in faces {
        let fixed = tower.bricks[i].fixed;
        let own = if fixed { GROUND.to_string() } else { palette::distinct(i % 4) };
        let fill = colour.unwrap_or(&own);
        let points: Vec<String> = corners
            .iter()
            .map(|c| {
                let [x, y] = paper.place(*c);
                format!("{},{}", length(x), length(y))
            })
            .collect();
        let strength = length(opacity * if paper.flat || fixed { 1.0 } else { light });
        svg.leaf(
            "polygon",
            &[
                ("points", &points.join(" ")),
                ("fill", fill),
                ("fill-opacity", &strength),
                ("stroke", if fixed { "none" } else { INK }),
                ("stroke-width", "0.8"),
                ("stroke-linejoin", "round"),
            ],
        );
    }
}

/// Bars between bricks.
fn draw_bars(svg: &mut Svg, tower: &Tower, poses: &Poses, paper: &Paper) {
    for bar in &tower.bars {
        let [[x1, y1], [x2, y2]] = poses.ends(&bar.joint).map(|p| paper.place(p).map(length));
        let ends = [("x1", x1.as_str()), ("y1", &y1), ("x2", &x2), ("y2", &y2)];
        svg.leaf("line", &[&ends[..], &[("stroke", INK), ("stroke-width", "2")]].concat());
    }
}

fn arrow(svg: &mut Svg, from: [f64; 2], to: [f64; 2]) {
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
    svg.leaf("path", &[("d", &path), ("stroke", PUSH), ("stroke-width", "1.2"), ("fill", "none")]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use riprap::scene::gallery;
    use riprap::step::{collapse::ready, stable::stable};

    fn picture(name: &str) -> String {
        let (model, poses) = ready(&gallery::scene(name).unwrap()).unwrap();
        verdict_svg(&model.tower, &poses, &stable(&model.tower, &poses))
    }

    #[test]
    fn a_tower_that_falls_shows_a_ghost_of_every_brick() {
        let svg = picture("inverted-triangle-3");
        assert_eq!(svg.matches("<polygon").count(), 6 + 1 + 6);
        assert_eq!(svg.matches(SPECTRE).count(), 6);
        assert!(svg.contains(PUSH) && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn bars_are_lines() {
        let text = r#"
            method = "collapse"
            dimension = 2
            [[bricks]]
            box = { size = [1, 1], centre = [0, 0] }
            [[bricks]]
            box = { size = [1, 1], centre = [0, 3] }
            fixed = "all"
            [[bars]]
            bricks = [0, 1]
            ends = [[0, 0], [0, 3]]
        "#;
        let scene = riprap::scene::Scene::from_text(text, "bar.toml".as_ref()).unwrap();
        let (model, poses) = ready(&scene).unwrap();
        let verdict = stable(&model.tower, &poses);
        assert!(verdict.balanced);
        assert_eq!(verdict_svg(&model.tower, &poses, &verdict).matches("<line").count(), 1);
    }

    #[test]
    fn a_tower_that_stands_shows_its_forces_and_no_ghost() {
        let svg = picture("diamond-3");
        assert_eq!(svg.matches("<polygon").count(), 9 + 1);
        assert!(!svg.contains(SPECTRE) && svg.matches(PUSH).count() > 9);
    }

    #[test]
    fn boxes_show_the_three_faces_that_look_at_us() {
        let svg = picture("wall-3d");
        let bricks = 3 * 3 + 2 * 4;
        assert_eq!(svg.matches("<polygon").count(), 3 * (bricks + 1));
    }
}
