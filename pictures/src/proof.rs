//! The picture of a verdict: bodies in the colours of what they bear, forces as arrows, the
//! contact that counts most, the edges of bodies as they begin to fall, and a legend.

use std::path::Path;

use glam::{DVec3, Vec3};
use riprap::Result;
use riprap::export::exhibit::{Exhibit, MARK, PULL, PUSH, SPECTRE, apart, foot};
use riprap::export::palette::Rgb;
use riprap::world::State;

use crate::artist::{Artist, Rod};
use crate::legend;
use crate::paint::Painter;
use crate::picture::from_screen;
use crate::render::render_scene;
use crate::scene::Loose;
use crate::view::View;
use crate::{Options, Picture};

/// Bodies that move by less than this, in mean radii, have no ghost.
const MOVES: f64 = 0.01;

/// Of the edges of bodies.
const EDGE: Rgb = [0x2a, 0x2c, 0x33];

/// Heads of arrows have this part of their length, and this half width, in shafts.
const HEAD: f64 = 0.3;
const BARB: f64 = 2.6;
/// A head is made of so many rods, each as thick as the shaft.
const BARBS: usize = 6;

/// Draws what the answer to "does it stand?" shows, with the bodies taken apart by a share of
/// their distances, as a .png.
pub fn write_proof(path: &Path, shown: &Exhibit, share: f64, options: &Options) -> Result<()> {
    draw_proof(shown, share, options)?.save(path)
}

fn draw_proof(shown: &Exhibit, share: f64, options: &Options) -> Result<Picture> {
    options.check()?;
    let loose = apart(shown.state, foot(shown.model, shown.state), share);
    let shown = shown.at(&loose);
    let (model, state) = (shown.model, shown.state);
    let painter = Painter::given(model, &shown.shade.colours());
    let ghosts = shown.motion.as_ref().map(|_| shown.moved(1.0));
    let states: Vec<&State> = std::iter::once(state).chain(&ghosts).collect();
    let arrows = shown.arrows();
    let ends: Vec<DVec3> = arrows.iter().flat_map(|arrow| [arrow.from, arrow.to]).collect();
    let view = View::standing(model);
    let artist = Artist::with_room(model, painter, view, (&states, &ends), options);
    let mut all = Loose::default();
    artist.add_model(state, &[], &mut all);
    for arrow in arrows {
        let ends = [arrow.from, arrow.to].map(|p| artist.in_front(p));
        add_arrow(&artist, ends, if arrow.pulls { PULL } else { PUSH }, &mut all);
    }
    for body in 0..model.rigid_count() {
        // Neighbours of one colour are told from each other by their edges.
        artist.add_edges(body, state, light(EDGE), &mut all);
    }
    let edges = shown.marked.iter().flat_map(|marked| marked.edges());
    let marks: Vec<[DVec3; 2]> = edges.map(|edge| edge.map(|p| artist.in_front(p))).collect();
    for ends in &marks {
        let radius = 2.2 * artist.thin();
        let rod = Rod { ends: *ends, radius, bead: 1.6 * radius, colour: light(MARK) };
        artist.add_rod(&rod, &mut all);
    }
    if let Some(ghosts) = &ghosts {
        let size = model.typical_radius();
        let goes = |i: usize| {
            let apart = (ghosts.positions[i] - state.positions[i]).length();
            let turned = 1.0 - ghosts.rotations[i].dot(state.rotations[i]).abs();
            apart > MOVES * size || turned > MOVES * MOVES
        };
        for body in model.free().filter(|&i| i < model.rigid_count() && goes(i)) {
            artist.add_ghost(body, ghosts, light(SPECTRE), &mut all);
        }
    }
    let mut picture = render_scene(&artist.scene(all), &artist.stage.camera, options)?;
    for ends in marks {
        artist.shine_through(&mut picture, ends, MARK);
    }
    legend::add(&mut picture, &shown.legend());
    Ok(picture)
}

fn light(colour: Rgb) -> Vec3 {
    from_screen(colour)
}

/// A shaft, and a head of rods that spread from its tip.
fn add_arrow(artist: &Artist, [from, to]: [DVec3; 2], colour: Rgb, all: &mut Loose) {
    let radius = 1.2 * artist.thin();
    let (colour, along) = (light(colour), to - from);
    artist.add_rod(&Rod { ends: [from, to], radius, bead: 0.0, colour }, all);
    let long = along.length();
    let head = (HEAD * long).min(8.0 * radius);
    let (one, two) = along.normalize_or(DVec3::Z).any_orthonormal_pair();
    for k in 0..BARBS {
        let (sin, cos) = (std::f64::consts::TAU * k as f64 / BARBS as f64).sin_cos();
        let wide = (BARB * radius).min(0.5 * head);
        let barb =
            to - along * (head / long.max(f64::MIN_POSITIVE)) + (one * cos + two * sin) * wide;
        artist.add_rod(&Rod { ends: [barb, to], radius, bead: 0.0, colour }, all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use riprap::export::exhibit::{Marked, Shade};
    use riprap::shape::Shape;
    use riprap::step::stable::Balance;
    use riprap::world::{Contact, Model, Weight, With};

    fn tiny() -> Options {
        Options { width: 48, height: 36, samples: 1, ..Options::default() }
    }

    /// Two boxes (or squares) on top of each other.
    fn stack(dimension: usize) -> (Model, State) {
        let up = if dimension == 2 { DVec3::Y } else { DVec3::Z };
        let (mut model, mut state) = (Model::new(dimension, -up), State::default());
        for k in 0..2 {
            let shape = match dimension {
                2 => Shape::polygon(&[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]], &[]),
                _ => Shape::cuboid(DVec3::splat(2.0)),
            };
            let at = (1.0 + 2.0 * k as f64) * up;
            model
                .add(&mut state, shape.unwrap(), at, DQuat::IDENTITY, Weight::Density(1.0))
                .unwrap();
        }
        (model, state)
    }

    fn bare<'a>(model: &'a Model, state: &'a State) -> Exhibit<'a> {
        Exhibit {
            model,
            state,
            balance: Balance::Balanced,
            shade: Shade { label: "load".into(), values: vec![Some(1.0), Some(0.5)] },
            forces: Vec::new(),
            forces_are: String::new(),
            marked: None,
            motion: None,
        }
    }

    #[test]
    fn all_that_is_told_is_in_the_picture() {
        for dimension in [2, 3] {
            let (model, state) = stack(dimension);
            let up = if dimension == 2 { DVec3::Y } else { DVec3::Z };
            let draw = |shown: &Exhibit, share: f64| draw_proof(shown, share, &tiny()).unwrap();
            let plain = bare(&model, &state);
            let empty = draw(&plain, 0.0);
            assert_ne!(empty, draw(&plain, 0.5), "taken apart");
            let side = 1.1 * DVec3::NEG_Y.reject_from(up);
            let contact = Contact {
                body: 1,
                with: With::Body(0),
                pieces: [0; 2],
                at: [2.0 * up + side; 2],
                normal: up,
                force: up,
                couples: [DVec3::ZERO; 2],
                choice: false,
            };
            assert_ne!(empty, draw(&Exhibit { forces: vec![contact], ..plain.clone() }, 0.0));
            let still = vec![(DVec3::ZERO, DVec3::ZERO); 2];
            assert_eq!(empty, draw(&Exhibit { motion: Some(still.clone()), ..plain.clone() }, 0.0));
            let mut falls = still;
            falls[1].0 = DVec3::new(0.3, -0.3, 0.1);
            assert_ne!(empty, draw(&Exhibit { motion: Some(falls), ..plain.clone() }, 0.0));
            let across = DVec3::X;
            let points = vec![2.0 * up + side - across, 2.0 * up + side + across];
            let (bodies, label) = ([Some(0), Some(1)], "weakest".to_string());
            let marked = Some(Marked { label, bodies, normal: up, points });
            assert_ne!(empty, draw(&Exhibit { marked, ..plain.clone() }, 0.0));
            let shade = Shade { label: "load".into(), values: vec![Some(0.0), Some(1.0)] };
            assert_ne!(empty, draw(&Exhibit { shade, ..plain.clone() }, 0.0));
        }
    }
}
