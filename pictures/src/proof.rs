//! The picture of a verdict: a model with the proof that it stands or falls, drawn
//! as rods: forces that end in a bead where they push, and the edges of bodies as
//! they begin to fall.

use std::path::Path;

use glam::{DVec3, Vec3};
use riprap::Result;
use riprap::world::{Model, State};

use crate::artist::{Artist, Rod};
use crate::paint::Painter;
use crate::render::render_scene;
use crate::scene::Loose;
use crate::view::View;
use crate::{Options, Picture};

/// What to draw beside the bodies of a verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proof {
    /// Where bodies begin to go.
    pub ghosts: Option<State>,
    /// Forces, from tail to tip.
    pub arrows: Vec<[DVec3; 2]>,
}

/// Bodies that move by less than this, in mean radii, have no ghost.
const MOVES: f64 = 0.01;
const SPECTRE: Vec3 = Vec3::new(0.55, 0.05, 0.03);
const PUSH: Vec3 = Vec3::new(0.03, 0.03, 0.20);

/// Draws a model with the proof that it stands or falls, as a .png.
pub fn write_proof(
    path: &Path,
    model: &Model,
    state: &State,
    proof: &Proof,
    options: &Options,
) -> Result<()> {
    draw_proof(model, state, proof, options)?.save(path)
}

fn draw_proof(model: &Model, state: &State, proof: &Proof, options: &Options) -> Result<Picture> {
    options.check()?;
    let painter = Painter::new(model, state, options.colours)?;
    let shown: Vec<&State> = std::iter::once(state).chain(&proof.ghosts).collect();
    let artist = Artist::new(model, painter, View::standing(model), &shown, options);
    let mut all = Loose::default();
    artist.add_model(state, &[], &mut all);
    for arrow in &proof.arrows {
        let ends = arrow.map(|p| artist.in_front(p));
        let (radius, bead) = (1.5 * artist.thin(), 3.0 * artist.thin());
        artist.add_rod(&Rod { ends, radius, bead, colour: PUSH }, &mut all);
    }
    if let Some(ghosts) = &proof.ghosts {
        let size = model.typical_radius();
        let goes = |i: usize| {
            let apart = (ghosts.positions[i] - state.positions[i]).length();
            let turned = 1.0 - ghosts.rotations[i].dot(state.rotations[i]).abs();
            apart > MOVES * size || turned > MOVES * MOVES
        };
        for body in model.free().filter(|&i| i < model.rigid_count() && goes(i)) {
            artist.add_ghost(body, ghosts, SPECTRE, &mut all);
        }
    }
    render_scene(&artist.scene(all), &artist.stage.camera, options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use riprap::shape::Shape;
    use riprap::world::Weight;

    fn tiny() -> Options {
        Options { width: 48, height: 36, samples: 1, ..Options::default() }
    }

    /// Two boxes (or squares) on top of each other.
    fn stack(dimension: usize) -> (Model, State) {
        let (mut model, mut state) = (Model::new(dimension, DVec3::NEG_Z), State::default());
        for k in 0..2 {
            let (shape, up) = match dimension {
                2 => (
                    Shape::polygon(&[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]], &[]),
                    DVec3::Y,
                ),
                _ => (Shape::cuboid(DVec3::splat(2.0)), DVec3::Z),
            };
            let at = (1.0 + 2.0 * k as f64) * up;
            model
                .add(&mut state, shape.unwrap(), at, DQuat::IDENTITY, Weight::Density(1.0))
                .unwrap();
        }
        (model, state)
    }

    #[test]
    fn a_proof_adds_to_the_picture() {
        for dimension in [2, 3] {
            let (model, state) = stack(dimension);
            let draw = |proof: &Proof| draw_proof(&model, &state, proof, &tiny()).unwrap();
            let bare = draw(&Proof::default());
            let up = if dimension == 2 { DVec3::Y } else { DVec3::Z };
            let arrows =
                vec![[2.0, 0.5].map(|height| height * up + 1.1 * DVec3::NEG_Y.reject_from(up))];
            assert_ne!(bare, draw(&Proof { arrows, ghosts: None }));
            let still = Proof { ghosts: Some(state.clone()), arrows: Vec::new() };
            assert_eq!(bare, draw(&still));
            let mut ghosts = state.clone();
            ghosts.positions[1] += DVec3::new(0.3, -0.3, 0.1);
            assert_ne!(bare, draw(&Proof { ghosts: Some(ghosts), arrows: Vec::new() }));
        }
    }
}
