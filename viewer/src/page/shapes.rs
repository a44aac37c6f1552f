//! The forms of bodies as meshes in their own frames, each stored once, however
//! many bodies have it. Balls need none: the page draws them ray by ray.

use std::collections::BTreeMap;

use riprap::math::DVec3;
use riprap::shape::{Core, Mesh, Piece, Polytope, ROUND_SIDES, Shape};
use riprap::world::Model;
use serde_json::{Value, json};

use super::arrays::Arrays;
use super::rim;
use super::surface::{Surface, simplified};

/// What stands for the mesh of a ball, or of a particle of cloth.
const BALL: u32 = u32::MAX;

/// More triangles than this, over all bodies, take a browser without a graphics card too long.
const MOST_DRAWN: usize = 1_000_000;
/// More triangles than this, over all meshes, would make the page too large.
const MOST_STORED: usize = 100_000;
/// No mesh is made coarser than this.
const FEWEST: usize = 48;
/// Round parts whose radius is below this part of the view have half as many sides: nobody sees
/// the difference, and browsers without a graphics card have half as much to do.
const SLENDER: f64 = 0.03;
/// What round parts may be cut down to if there are too many of them; with fewer they would look
/// edged.
const FEWER_SIDES: [usize; 3] = [ROUND_SIDES, ROUND_SIDES / 2, 12];

/// Sides around studs, which are many and small: as few as look round.
const STUD_SIDES: usize = 14;

/// All meshes of a run.
pub(super) struct Shapes {
    surfaces: Vec<Surface>,
    /// What each of them is, for readers.
    pub words: Vec<Value>,
    /// For each body the number of its mesh, or [`BALL`].
    of_body: Vec<u32>,
    /// Some meshes are coarser than the shapes that they stand for.
    pub simplified: bool,
}

impl Shapes {
    /// As they are seen in a view of this width.
    pub(super) fn of(model: &Model, view: f64) -> Shapes {
        let rigid = &model.bodies[..model.rigid_count()];
        let mut uses = vec![0; model.shapes.len()];
        rigid.iter().for_each(|body| uses[body.shape as usize] += 1);
        let used = |number: &usize| uses[*number] > 0 && model.shapes[*number].is_ball().is_none();
        let mut meshes = Distinct { typical: model.typical_radius(), ..Distinct::default() };
        let mut of_shape = vec![BALL; model.shapes.len()];
        let drawn = |most: &usize| {
            let of = |k: usize| uses[k] * triangles(&model.shapes[k], view, *most).len();
            (0..model.shapes.len()).filter(used).map(of).sum::<usize>() <= MOST_DRAWN
        };
        let most = FEWER_SIDES.into_iter().find(drawn).unwrap_or(FEWER_SIDES[2]);
        for number in (0..model.shapes.len()).filter(used) {
            let shape = &model.shapes[number];
            let mesh = Mesh::from_triangles(&triangles(shape, view, most));
            of_shape[number] = meshes.add(shape, mesh, uses[number]);
        }
        let of_body = |(number, body): (usize, &riprap::world::Body)| match number < rigid.len() {
            true => of_shape[body.shape as usize],
            false => BALL,
        };
        let of_body = model.bodies.iter().enumerate().map(of_body).collect();
        let words = meshes.forms.iter().map(|form| form.words.clone()).collect();
        let (surfaces, simplified) = meshes.surfaces();
        Shapes { surfaces, words, of_body, simplified: simplified || most < ROUND_SIDES }
    }

    pub(super) fn store(&self, arrays: &mut Arrays) {
        arrays.u32("mesh", self.of_body.iter().copied());
        let corners = self.surfaces.iter().flat_map(|surface| &surface.corners);
        arrays.f32("mesh corners", corners.flat_map(|p| p.to_array()));
        let normals = self.surfaces.iter().flat_map(|surface| &surface.normals);
        arrays.i8("mesh normals", normals.flatten().copied());
        let triangles = self.surfaces.iter().flat_map(|surface| &surface.triangles);
        arrays.u32("mesh triangles", triangles.flatten().copied());
        let counts = |s: &Surface| [s.corners.len() as u32, s.triangles.len() as u32];
        arrays.u32("mesh counts", self.surfaces.iter().flat_map(counts));
    }
}

/// A shape with at most so many sides around what is round, and fewer if that is slender.
fn triangles(shape: &Shape, view: f64, most: usize) -> Vec<[DVec3; 3]> {
    let width = |piece: &Piece| match piece.core {
        Core::Cylinder { radius, .. } => radius + piece.radius,
        _ => piece.radius,
    };
    let widest = shape.pieces.iter().map(width).fold(0.0, f64::max);
    let sides = if widest < SLENDER * view { ROUND_SIDES / 2 } else { ROUND_SIDES };
    let mut triangles = shape.triangles_with(sides.min(most));
    triangles.extend(shape.studs.iter().flat_map(|studs| studs.triangles(STUD_SIDES)));
    triangles
}

/// A shape's triangles, and how many bodies have it.
struct Form {
    mesh: Mesh,
    /// The border of a flat shape.
    rim: Vec<[DVec3; 3]>,
    flat: bool,
    uses: usize,
    words: Value,
}

/// Forms, none of them twice.
#[derive(Default)]
struct Distinct {
    forms: Vec<Form>,
    known: BTreeMap<Vec<u32>, u32>,
    /// The radius of a typical body.
    typical: f64,
}

impl Distinct {
    /// The number of a shape's form.
    fn add(&mut self, shape: &Shape, mesh: Mesh, uses: usize) -> u32 {
        let numbers = mesh.corners().flatten().flat_map(|corner| corner.to_array());
        let key: Vec<u32> = numbers.map(|x| (x as f32).to_bits()).collect();
        let number = *self.known.entry(key).or_insert(self.forms.len() as u32);
        if number as usize == self.forms.len() {
            self.forms.push(Form {
                mesh,
                rim: rim::of(shape, self.typical),
                flat: shape.flat,
                uses: 0,
                words: words(shape),
            });
        }
        self.forms[number as usize].uses += uses;
        number
    }

    /// What to draw, and whether some of it is coarser than it should be.
    fn surfaces(self) -> (Vec<Surface>, bool) {
        let count = |form: &Form| form.mesh.triangles.len();
        let drawn: usize = self.forms.iter().map(|form| form.uses * count(form)).sum();
        let stored: usize = self.forms.iter().map(count).sum();
        let share = (MOST_DRAWN as f64 / drawn.max(1) as f64)
            .min(MOST_STORED as f64 / stored.max(1) as f64)
            .min(1.0);
        let mut coarse = false;
        let surface = |form: Form| {
            if form.flat {
                return flat_surface(&form);
            }
            let most = ((count(&form) as f64 * share) as usize).max(FEWEST);
            coarse |= count(&form) > most;
            Surface::of(&simplified(form.mesh, most))
        };
        (self.forms.into_iter().map(surface).collect(), coarse)
    }
}

/// What a shape is and how large along its own axes, with its rounding.
fn words(shape: &Shape) -> Value {
    let what = match (&shape.pieces[..], shape.flat) {
        ([], _) => "nothing".into(),
        ([piece], false) => match &piece.core {
            Core::Point => "ball".into(),
            Core::Segment { .. } => "capsule".into(),
            Core::Cylinder { .. } => "cylinder".into(),
            Core::Arc { .. } => "arc".into(),
            Core::Polytope(_) if shape.studs.is_some() => "brick".into(),
            Core::Polytope(core) if is_box(core) => "box".into(),
            Core::Polytope(_) => "polyhedron".into(),
        },
        (_, true) if matches!(shape.surface, riprap::shape::Surface::Outline(_)) => {
            "polygon".into()
        }
        (pieces, _) if pieces.iter().all(|p| matches!(p.core, Core::Arc { .. })) => "torus".into(),
        (pieces, _) => format!("{} pieces", pieces.len()),
    };
    let rounding = shape.pieces.iter().map(|piece| piece.radius).fold(0.0, f64::max);
    json!({ "what": what, "size": shape.bounds().size().to_array(), "rounding": rounding })
}

/// Three pairs of parallel sides, at right angles.
fn is_box(core: &Polytope) -> bool {
    let normals: Vec<DVec3> = core.facets().iter().map(|facet| facet.normal).collect();
    let right = |a: &DVec3, b: &DVec3| a.dot(*b).abs() < 1e-9 || a.dot(*b).abs() > 1.0 - 1e-9;
    core.corners().len() == 8
        && normals.len() == 6
        && normals.iter().all(|a| normals.iter().all(|b| right(a, b)))
}

/// The inside faces up, the border down: so the page knows which is which.
fn flat_surface(form: &Form) -> Surface {
    let mut surface = Surface::default();
    surface.add_flat(&form.mesh.corners().collect::<Vec<_>>(), [0, 0, 127]);
    surface.add_flat(&form.rim, [0, 0, -127]);
    surface
}

#[cfg(test)]
mod tests {
    use super::*;
    use riprap::math::DQuat;
    use riprap::world::{State, Weight};

    fn model(shapes: Vec<Shape>) -> Model {
        let (mut model, mut state) = (Model::new(3, -DVec3::Z), State::default());
        for shape in shapes {
            let weight = Weight::Mass(1.0);
            model.add(&mut state, shape, DVec3::ZERO, DQuat::IDENTITY, weight).unwrap();
        }
        model
    }

    #[test]
    fn a_form_is_stored_once() {
        let cuboid = || Shape::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap();
        let other = Shape::cuboid(DVec3::ONE).unwrap();
        let shapes = Shapes::of(&model(vec![cuboid(), Shape::ball(1.0), other, cuboid()]), 10.0);
        assert_eq!(shapes.of_body, [0, BALL, 1, 0]);
        assert_eq!(shapes.surfaces.len(), 2);
        assert!(!shapes.simplified);
    }

    #[test]
    fn bricks_have_their_studs() {
        let shapes = Shapes::of(&model(vec![Shape::brick([2, 4], 8.0, 9.6).unwrap()]), 50.0);
        assert_eq!(shapes.surfaces[0].triangles.len(), 12 + 8 * 3 * STUD_SIDES);
        assert_eq!(shapes.words[0]["what"], "brick");
        let top = shapes.surfaces[0].corners.iter().map(|c| c.z).fold(0.0, f64::max);
        assert!((top - (4.8 + 1.6)).abs() < 1e-12, "{top}");
    }

    #[test]
    fn crowds_of_fine_shapes_are_drawn_coarsely() {
        let ring = Shape::round_torus(1.0, 0.3, 24).unwrap();
        let fine = ring.triangles().len();
        let mut crowd = model(vec![ring]);
        crowd.bodies = vec![crowd.bodies[0]; 1 + MOST_DRAWN / fine];
        let shapes = Shapes::of(&crowd, 1.0);
        assert!(shapes.simplified);
        let drawn = crowd.bodies.len() * shapes.surfaces[0].triangles.len();
        assert!(drawn <= MOST_DRAWN && drawn > MOST_DRAWN / 5, "{drawn}");
    }

    #[test]
    fn what_is_slender_has_fewer_triangles() {
        let pole = || model(vec![Shape::capsule(0.25, 8.0).unwrap()]);
        let [near, far] = [1.0, 20.0].map(|view| Shapes::of(&pole(), view));
        let count = |shapes: &Shapes| shapes.surfaces[0].triangles.len();
        assert!(3 * count(&far) < count(&near), "{} {}", count(&far), count(&near));
        assert!(!far.simplified);
    }

    #[test]
    fn readers_are_told_what_a_body_is() {
        let road = Shape::cuboid(DVec3::new(60.0, 10.0, 2.0)).unwrap();
        let found = words(&road);
        assert_eq!((&found["what"], &found["size"]), (&"box".into(), &json!([60.0, 10.0, 2.0])));
        let what = |shape: &Shape| words(shape)["what"].as_str().unwrap().to_string();
        assert_eq!(what(&Shape::cylinder(1.0, 2.0).unwrap()), "cylinder");
        assert_eq!(what(&Shape::capsule(0.1, 2.0).unwrap()), "capsule");
        assert_eq!(what(&Shape::round_torus(1.0, 0.3, 24).unwrap()), "24 pieces");
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        assert_eq!(what(&Shape::polygon(&square, &[]).unwrap()), "polygon");
    }

    #[test]
    fn flat_shapes_have_a_border() {
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let shapes = Shapes::of(&model(vec![Shape::polygon(&square, &[]).unwrap()]), 4.0);
        let down = shapes.surfaces[0].normals.iter().filter(|n| n[2] < 0).count();
        let up = shapes.surfaces[0].normals.len() - down;
        assert!(down > 0 && up == 6, "{down} {up}");
    }
}
