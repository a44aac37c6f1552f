//! Draws the states of a model: one artist for every method.

use glam::{DMat3, DVec3, Vec2, Vec3};
use riprap::Result;
use riprap::export::exhibit::{apart, foot, is_loose};
use riprap::export::palette::Rgb;
use riprap::world::{Cloth, Contact, Model, State, Tie};

use crate::capsule::Capsule;
use crate::look::{Look, Tailor};
use crate::material::Material;
use crate::mesh::Mesh;
use crate::paint::{Painter, SUPPORT};
use crate::primitives::Sphere;
use crate::render::render_scene;
use crate::scene::{Loose, Made, Scene};
use crate::stage::Stage;
use crate::subject::{Ground, Subject};
use crate::view::View;
use crate::{Options, Picture};

/// A model that has been put on its stage.
pub struct Artist<'a> {
    subject: Subject<'a>,
    painter: Painter<'a>,
    ground: Ground,
    /// One per shape of the model.
    looks: Vec<Look>,
    pub stage: Stage,
    /// The radius of thin rods, in the run's units.
    thin: f64,
    strings: Vec<Tie>,
    /// From where bodies are taken apart, and by which share of their distances from there.
    apart: (DVec3, f64),
}

/// A round bar with a bead at its end, either of which may be missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rod {
    pub ends: [DVec3; 2],
    /// Of the bar; 0 for none.
    pub radius: f64,
    /// Of the bead; 0 for none.
    pub bead: f64,
    pub colour: Vec3,
}

/// Thin rods, in mean radii of all that moves.
const THIN: f64 = 0.022;
/// Hairlines, in thin rods.
const HAIRLINE: f64 = 0.4;
/// How much of a line is seen through what is in front of it, and its half width in pixels.
const THROUGH: f32 = 0.55;
const STROKE: f32 = 1.5;

/// Draws one state of a model. The same input gives the same bytes for any number of threads.
///
/// ```
/// use riprap::math::DVec3;
/// use riprap::world::{Model, State};
/// use riprap_pictures::{Options, draw};
/// let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
/// model.add_particle(&mut state, DVec3::ZERO, 1.0, 0.5);
/// let options = Options { width: 32, height: 24, samples: 1, ..Options::default() };
/// assert_eq!(draw(&model, &state, &options)?.pixels.len(), 32 * 24);
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn draw(model: &Model, state: &State, options: &Options) -> Result<Picture> {
    options.check()?;
    let painter = Painter::new(model, state, options.colours)?;
    let artist = Artist::new(model, painter, View::of(model), &[state], options);
    artist.draw(state, &[], options)
}

impl<'a> Artist<'a> {
    /// Sets a stage on which everything fits in all of these states.
    pub fn new(
        model: &'a Model,
        painter: Painter<'a>,
        view: View,
        shown: &[&State],
        options: &Options,
    ) -> Artist<'a> {
        Artist::with_room(model, painter, view, (shown, &[]), options)
    }

    /// The same with room for some points besides.
    pub fn with_room(
        model: &'a Model,
        painter: Painter<'a>,
        view: View,
        (shown, more): (&[&State], &[DVec3]),
        options: &Options,
    ) -> Artist<'a> {
        let subject = Subject::new(model, view);
        let foot = shown.first().map_or(DVec3::ZERO, |state| foot(model, state));
        let moved: Vec<State> =
            shown.iter().map(|state| apart(state, foot, options.explode)).collect();
        let shown: Vec<&State> = moved.iter().collect();
        let ground = subject.ground(&shown);
        let stage = Stage::new(&subject, &ground, (&shown, more), options);
        let tailor = Tailor { view, slab: subject.slab, scale: stage.placement.scale };
        let thin = THIN * model.typical_radius();
        let looks = model.shapes.iter().map(|shape| tailor.look(shape)).collect();
        let (apart, strings) = ((foot, options.explode), model.strings());
        Artist { subject, painter, ground, looks, stage, thin, strings, apart }
    }

    /// The picture of a state; `contacts` are those of its step.
    pub fn draw(&self, state: &State, contacts: &[Contact], options: &Options) -> Result<Picture> {
        if self.apart.1 != 0.0 {
            is_loose(self.subject.model)?;
        }
        let mut all = Loose::default();
        self.add_model(&apart(state, self.apart.0, self.apart.1), contacts, &mut all);
        render_scene(&self.scene(all), &self.stage.camera, options)
    }

    pub fn scene(&self, all: Loose) -> Scene<'_> {
        self.stage.scene(all)
    }

    pub fn thin(&self) -> f64 {
        self.thin
    }

    /// Bodies, cloth and joints.
    pub fn add_model(&self, state: &State, contacts: &[Contact], all: &mut Loose) {
        let model = self.subject.model;
        let colours = self.painter.colours(state, contacts);
        for (body, colour) in colours.iter().enumerate().take(model.rigid_count()) {
            if !self.ground.bodies.contains(&(body as u32)) {
                self.add_body(
                    body,
                    state,
                    |look, at, turn, all| {
                        look.place(at, turn, Material::Plastic(*colour), all);
                    },
                    all,
                );
            }
        }
        model.cloths.iter().for_each(|cloth| self.add_cloth(cloth, state, &colours, all));
        // A rope is drawn as long as its ends are apart: it has no shape of its own.
        let ropes = model.joints.iter().filter(|joint| joint.distance().is_some());
        let ropes = ropes.map(|joint| joint.ends(state));
        for ends in ropes.chain(self.strings.iter().map(|string| string.ends(state))) {
            let ends = ends.map(|p| self.in_front(p));
            let rod = Rod { ends, radius: 2.0 * self.thin, bead: 0.0, colour: SUPPORT };
            self.add_rod(&rod, all);
        }
    }

    /// Adds the edges of a body alone, as rods.
    pub fn add_ghost(&self, body: usize, state: &State, colour: Vec3, all: &mut Loose) {
        self.add_wires(body, state, self.thin, colour, all);
    }

    /// Adds the edges of a body that is drawn, as hairlines; the floor has none.
    pub fn add_edges(&self, body: usize, state: &State, colour: Vec3, all: &mut Loose) {
        let is_round = self.subject.model.shape(body).is_ball().is_some();
        if !is_round && !self.ground.bodies.contains(&(body as u32)) {
            self.add_wires(body, state, HAIRLINE * self.thin, colour, all);
        }
    }

    fn add_wires(&self, body: usize, state: &State, radius: f64, colour: Vec3, all: &mut Loose) {
        let radius = self.stage.placement.length(radius);
        self.add_body(
            body,
            state,
            |look, at, turn, all| {
                look.place_wires(at, turn, radius, Material::Plastic(colour), all);
            },
            all,
        );
    }

    /// Bodies in places that are no numbers can not be drawn.
    fn add_body(
        &self,
        body: usize,
        state: &State,
        add: impl Fn(&Look, Vec3, glam::Mat3, &mut Loose),
        all: &mut Loose,
    ) {
        let (position, rotation) = (state.positions[body], state.rotations[body]);
        if position.is_finite() && rotation.is_finite() {
            let look = &self.looks[self.subject.model.bodies[body].shape as usize];
            let placement = &self.stage.placement;
            let turn = placement.rotation(DMat3::from_quat(rotation));
            add(look, placement.point(position), turn, all);
        }
    }

    /// Cloth is its triangles, seen from both sides.
    fn add_cloth(&self, cloth: &Cloth, state: &State, colours: &[Vec3], all: &mut Loose) {
        let particles = cloth.particles();
        let is_somewhere = |k: &u32| state.positions[*k as usize].is_finite();
        let faces: Vec<[u32; 3]> =
            cloth.faces.iter().copied().filter(|face| face.iter().all(is_somewhere)).collect();
        let mesh = Mesh {
            vertices: state.positions[particles]
                .iter()
                .map(|p| self.stage.placement.point(*p))
                .collect(),
            triangles: faces.iter().map(|face| face.map(|k| k - cloth.first)).collect(),
        };
        let mean = |face: &[u32; 3]| face.iter().map(|k| colours[*k as usize]).sum::<Vec3>() / 3.0;
        let made = mesh.soft_facets().into_iter().zip(&faces);
        all.facets
            .extend(made.map(|(shape, face)| Made { shape, of: Material::Plastic(mean(face)) }));
    }

    /// A point where it can be seen: in front of slabs, not in them.
    pub fn in_front(&self, p: DVec3) -> DVec3 {
        match self.subject.view {
            View::Upright => DVec3::new(p.x, p.y, self.subject.slab[1] + 2.0 * self.thin),
            View::Space | View::Table => p,
        }
    }

    /// Draws a line over a finished picture, wherever it is, so that nothing hides it.
    pub fn shine_through(&self, picture: &mut Picture, ends: [DVec3; 2], colour: Rgb) {
        let (wide, tall) = (picture.width as f32, picture.height as f32);
        let [a, b] = ends.map(|p| {
            let (x, y) = self.stage.camera.place(self.stage.placement.point(p));
            Vec2::new(x * wide, (1.0 - y) * tall)
        });
        if !(a.is_finite() && b.is_finite()) {
            return;
        }
        let along = b - a;
        let (low, high) = (a.min(b) - STROKE - 1.0, a.max(b) + STROKE + 1.0);
        let span = |low: f32, high: f32, most: usize| {
            low.max(0.0) as usize..(high.max(0.0) as usize).min(most)
        };
        for y in span(low.y, high.y, picture.height) {
            for x in span(low.x, high.x, picture.width) {
                let from = Vec2::new(x as f32 + 0.5, y as f32 + 0.5) - a;
                let part = (from.dot(along) / along.length_squared().max(1e-9)).clamp(0.0, 1.0);
                let cover =
                    (STROKE + 0.5 - (from - along * part).length()).clamp(0.0, 1.0) * THROUGH;
                let pixel = &mut picture.pixels[y * picture.width + x];
                for (own, new) in pixel.iter_mut().zip(colour) {
                    *own = (f32::from(*own) + (f32::from(new) - f32::from(*own)) * cover).round()
                        as u8;
                }
            }
        }
    }

    pub fn add_rod(&self, rod: &Rod, all: &mut Loose) {
        if !rod.ends.iter().all(|end| end.is_finite()) {
            return;
        }
        let placement = &self.stage.placement;
        let [start, end] = rod.ends.map(|p| placement.point(p));
        let of = Material::Plastic(rod.colour);
        if rod.radius > 0.0 {
            let radius = placement.length(rod.radius);
            all.capsules.push(Made { shape: Capsule { start, end, radius }, of });
        }
        if rod.bead > 0.0 {
            let radius = placement.length(rod.bead);
            all.spheres.push(Made { shape: Sphere { centre: end, radius }, of });
        }
    }
}

#[cfg(test)]
mod tests;
