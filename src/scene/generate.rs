//! From the groups of a scene to single bodies: their shapes, places, turns and masses. Every
//! group draws from its own streams of random numbers, so that a change to one group leaves the
//! others alone.

use super::fill::{Crowd, Member, Region};
use super::group::{Filling, Group};
use super::{Bodies, JointKind, Motion, Place, Scene, Weight, format, places};
use crate::math::{DQuat, DVec3};
use crate::problem::Result;
use crate::shape::{Boundary, Shape};

/// The bodies of one entry of the scene's list, with what belongs to them.
#[derive(Clone, Debug, Default)]
pub struct Made {
    pub shapes: Vec<Shape>,
    pub bodies: Vec<Start>,
    /// Those that a tower or a structure brings along.
    pub joints: Vec<StartJoint>,
}

/// A body as it starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// Its number among the shapes of its entry.
    pub shape: u32,
    /// Its centre of mass.
    pub centre: DVec3,
    pub rotation: DQuat,
    /// Of the sphere about its centre that holds it; of a ball its own.
    pub radius: f64,
    pub mass: f64,
    pub motion: Motion,
    /// Velocity and spin of its own; None: as its entry says.
    pub moving: Option<[DVec3; 2]>,
}

/// A joint between bodies of one entry, or one of them and the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartJoint {
    /// A ball in 3D, a pin in 2D.
    pub kind: JointKind,
    /// Numbers within the entry; None is the world.
    pub bodies: [Option<usize>; 2],
    /// In the frame of the world.
    pub at: DVec3,
}

/// The bodies of each entry of the scene's list, in its order. Random fillings are made last and
/// keep clear of everything else: first of the spheres about what moves and the boxes about the pieces
/// of what is fixed, and where that leaves no room, of the bodies themselves.
pub fn generate(scene: &Scene, boundary: &Boundary) -> Result<Vec<Made>> {
    check_total(scene)?;
    let is_random = |bodies: &Bodies| matches!(bodies.place, Place::Random { .. });
    let mut entries = vec![Made::default(); scene.bodies.len()];
    for (index, bodies) in scene.bodies.iter().enumerate().filter(|(_, b)| !is_random(b)) {
        entries[index] = Group::new(scene, bodies, index).settled()?;
    }
    let mut crowd = Crowd::default();
    entries.iter().enumerate().for_each(|(entry, made)| made.join_crowd(entry, &mut crowd));
    for (index, bodies) in scene.bodies.iter().enumerate() {
        if let Place::Random { count, min, max, clearance } = bodies.place {
            let region = Region::new(boundary, min, max, scene.dimension);
            let filling = Filling { region, clearance, entries: &entries };
            let group = Group::new(scene, bodies, index);
            entries[index] = group.random(count, &filling, &mut crowd)?;
        }
    }
    Ok(entries)
}

/// Refuses more bodies than anyone has memory for, before making them.
fn check_total(scene: &Scene) -> Result<()> {
    let mut total = 0_u64;
    for bodies in &scene.bodies {
        total = total.saturating_add(places::count(&bodies.place) as u64);
        if total > format::MOST_BODIES {
            let message = format!("the scene has more than {} bodies", format::MOST_BODIES);
            return Err(scene.problem(&bodies.span, message).help("use fewer"));
        }
    }
    Ok(())
}

impl Made {
    pub(super) fn add_shape(&mut self, shape: Shape) -> u32 {
        self.shapes.push(shape);
        self.shapes.len() as u32 - 1
    }

    /// Adds a free body with the origin of its shape at a place; its number.
    pub(super) fn add_body(
        &mut self,
        shape: u32,
        origin: DVec3,
        rotation: DQuat,
        weight: Weight,
    ) -> usize {
        let form = &self.shapes[shape as usize];
        let mass = match weight {
            Weight::Mass(mass) => mass,
            Weight::Density(density) => density * form.mass.volume,
            Weight::FromFile => form.mass.volume,
        };
        let (centre, radius) = (origin - rotation * form.origin, form.radius());
        let motion = Motion::Free;
        self.bodies.push(Start { shape, centre, rotation, radius, mass, motion, moving: None });
        self.bodies.len() - 1
    }

    /// Moves the whole: first turned about the origin, then shifted.
    pub(super) fn moved(mut self, by: DVec3, turn: DQuat) -> Made {
        for body in &mut self.bodies {
            body.centre = by + turn * body.centre;
            body.rotation = turn * body.rotation;
        }
        self.joints.iter_mut().for_each(|joint| joint.at = by + turn * joint.at);
        self
    }

    /// Others keep clear of these bodies.
    fn join_crowd(&self, entry: usize, crowd: &mut Crowd) {
        for body in &self.bodies {
            let shape = &self.shapes[body.shape as usize];
            let Start { centre, radius, rotation, .. } = *body;
            if body.motion == Motion::Free || shape.is_ball().is_some() {
                let shape = shape.is_ball().is_none().then_some((entry, body.shape));
                crowd.insert(Member { centre, radius, rotation, shape });
                continue;
            }
            // What does not move can be a floor under everything: its sphere holds the scene.
            for placed in shape.placed(centre, rotation) {
                crowd.insert_box(placed.core.bounds().grow(placed.radius), placed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Mesh;

    fn made(text: &str) -> Result<Vec<Made>> {
        let scene = Scene::from_text(text, "scene.toml".as_ref())?;
        let boundary = match &scene.container {
            Some(super::super::Container::Box { min, max }) => {
                Boundary::from_mesh(&Mesh::cuboid(*min, *max))
            }
            _ => Boundary::default(),
        };
        generate(&scene, &boundary)
    }

    fn message(text: &str) -> String {
        made(text).unwrap_err().message
    }

    const WEDGE: &str =
        "shape = { kind = \"hull\", points = [[1, 0, 0], [4, 0, 0], [1, 3, 0], [1, 0, 3]] }";

    #[test]
    fn a_position_places_the_origin_of_the_shape() {
        let [one] = &made(&format!("[[bodies]]\n{WEDGE}")).unwrap()[..] else { panic!() };
        assert!(one.bodies[0].centre.distance(DVec3::new(1.75, 0.75, 0.75)) < 1e-15);
        let text =
            format!("[[bodies]]\n{WEDGE}\nposition = [5, 0, 0]\nturn = [0, 0, 90]\ndensity = 2");
        let [one] = &made(&text).unwrap()[..] else { panic!() };
        assert!(one.bodies[0].centre.distance(DVec3::new(4.25, 1.75, 0.75)) < 1e-14);
        assert!((one.bodies[0].mass - 2.0 * 4.5).abs() < 1e-14);
    }

    #[test]
    fn bodies_that_are_alike_share_a_shape() {
        let text = "[[bodies]]\npositions = [[0, 0, 0], [3, 0, 0], [6, 0, 0]]\nradius = [1, 0.5, 1]\n\
                    [[bodies]]\ngrid = { count = [2, 2, 1], first = [0, 0, 5], spacing = 2 }\n\
                    shapes = [{ kind = \"ball\", radius = 0.5 }, { kind = \"box\", size = [1, 1, 1] }]";
        let entries = made(text).unwrap();
        let shapes = |k: usize| entries[k].bodies.iter().map(|b| b.shape).collect::<Vec<_>>();
        assert_eq!((shapes(0), entries[0].shapes.len()), (vec![0, 1, 0], 2));
        assert_eq!((shapes(1), entries[1].shapes.len()), (vec![0, 1, 1, 0], 2));
    }

    #[test]
    fn turns_are_one_for_all_one_for_each_or_random() {
        let text =
            "[[bodies]]\npositions = [[0, 0, 0], [9, 0, 0]]\nturns = [[0, 0, 90], [0, 180, 0]]\n";
        let [each] = &made(&format!("{text}{WEDGE}")).unwrap()[..] else { panic!() };
        let axes = each.bodies.iter().map(|body| body.rotation * DVec3::X);
        let wrong = axes.zip([DVec3::Y, -DVec3::X]).map(|(a, b)| a.distance(b));
        assert!(wrong.fold(0.0, f64::max) < 1e-15);
        let upright = "[[bodies]]\nring = { count = 5, radius = 9, centre = [0, 0, 0] }\nturn = \"upright\"\n";
        let [upright] = &made(&format!("{upright}{WEDGE}")).unwrap()[..] else { panic!() };
        let up = upright.bodies.iter().map(|body| body.rotation * DVec3::Z);
        assert!(up.map(|z| z.distance(DVec3::Z)).fold(0.0, f64::max) < 1e-15);
        assert_ne!(upright.bodies[0].rotation, upright.bodies[1].rotation);
    }

    #[test]
    fn a_flat_tower_stands_up_in_space() {
        let flat = "method = \"collapse\"\ndimension = 2\n[[bodies]]\n\
                    tower = { family = \"diamond\", size = 3 }\nposition = [1, 2]";
        let deep = "method = \"collapse\"\n[[bodies]]\n\
                    tower = { family = \"diamond\", size = 3, depth = 0.5 }\nposition = [1, 0, 2]";
        let [flat, deep] = [flat, deep].map(|text| made(text).unwrap().remove(0));
        assert_eq!((flat.bodies.len(), flat.shapes.len()), (10, 2));
        for (a, b) in flat.bodies.iter().zip(&deep.bodies) {
            assert_eq!([a.centre.x, a.centre.y], [b.centre.x, b.centre.z]);
            assert!((b.mass - 0.5 * a.mass).abs() < 1e-12 * a.mass);
            assert_eq!(a.motion, b.motion);
        }
        assert_eq!(flat.bodies[9].motion, Motion::Fixed);
        assert_eq!(flat.bodies[8].motion, Motion::Free);
    }

    #[test]
    fn structures_bring_their_joints() {
        let rope = "method = \"dynamics\"\n[[bodies]]\nposition = [0, 0, 4]\ndensity = 1000\n\
                    structure = { family = \"rope\", links = 3, ratio = 10 }";
        let rope = made(rope).unwrap().remove(0);
        assert_eq!(rope.joints[0].bodies, [Some(0), None]);
        assert_eq!(rope.joints[0].at, DVec3::new(0.0, 0.0, 4.0));
        assert_eq!(rope.joints[3].bodies, [Some(3), Some(2)]);
        assert_eq!(rope.bodies[3].mass, 10.0 * rope.bodies[0].mass);
        let mobile =
            "method = \"dynamics\"\n[[bodies]]\nstructure = { family = \"mobile\", depth = 3 }";
        let mobile = made(mobile).unwrap().remove(0);
        assert_eq!((mobile.bodies.len(), mobile.joints.len(), mobile.shapes.len()), (15, 15, 4));
    }

    #[test]
    fn who_is_fixed() {
        let text = |fixed: &str| {
            format!(
                "[[bodies]]\ngrid = {{ count = [3, 3, 1], first = [0, 0, 0], spacing = 2 }}\n\
                 radius = 0.5\nfixed = {fixed}"
            )
        };
        let free = |fixed: &str| {
            let bodies = made(&text(fixed)).unwrap().remove(0).bodies;
            (0..9).filter(|&k| bodies[k].motion == Motion::Free).collect::<Vec<usize>>()
        };
        assert_eq!(free("\"border\""), [4]);
        assert_eq!(free("[0, 1, 2, 3, 5]"), [4, 6, 7, 8]);
        assert_eq!(message(&text("[9]")), "`fixed` names body 9 of an entry of 9 bodies");
    }

    #[test]
    fn random_bodies_keep_clear_of_all_others() {
        let text = "method = \"dynamics\"\n[[bodies]]\nmotion = \"fixed\"\nposition = [0, 0, -1]\n\
                    shape = { kind = \"box\", size = [100, 100, 2] }\n[[bodies]]\nradius = 1\n\
                    [[bodies]]\nturn = \"random\"\nshape = { kind = \"box\", size = [1, 1, 1] }\n\
                    random = { count = 30, min = [-4, -4, -1], max = [4, 4, 4] }";
        let entries = made(text).unwrap();
        let (cubes, reach) = (&entries[2].bodies, 0.75_f64.sqrt());
        assert_eq!(cubes.len(), 30);
        for (k, cube) in cubes.iter().enumerate() {
            assert!(cube.centre.z >= reach && cube.centre.length() >= 1.0 + reach);
            let apart = |other: &Start| cube.centre.distance(other.centre) >= 2.0 * reach;
            assert!(cubes[..k].iter().all(apart));
        }
        let open = "[[bodies]]\nradius = 1\nrandom = { count = 3, min = [0, 0, 0] }";
        assert_eq!(message(open), "the random group \"bodies\" could be anywhere");
        let full = "[container]\nshape = \"box\"\nmin = [0, 0, 0]\nmax = [3, 3, 3]\n\
                    [[bodies]]\nradius = 1\nrandom = { count = 9 }";
        assert!(message(full).ends_with("of 9 bodies of the group \"bodies\" fitted at random"));
    }

    /// The sphere about a bar is larger than the box that the bar fits into.
    #[test]
    fn what_fits_is_placed_by_its_own_shape() {
        let bars = |max: &str, more: &str| {
            format!(
                "[container]\nshape = \"box\"\nmin = [0, 0, 0]\nmax = {max}\n[[bodies]]\n\
                 shape = {{ kind = \"box\", size = [10, 1, 1] }}\nrandom = {{ {more} }}"
            )
        };
        let alone = made(&bars("[10, 1, 1]", "count = 1")).unwrap();
        assert!(alone[0].bodies[0].centre.distance(DVec3::new(5.0, 0.5, 0.5)) < 1e-12);
        // Four in a box of two by two and a little: not without pressing them into its corners.
        let four = &made(&bars("[10.5, 2.2, 2.2]", "count = 4")).unwrap()[0].bodies;
        let apart = |a: &Start, b: &Start| (a.centre - b.centre).abs().max_element();
        assert!((0..4).all(|k| four[..k].iter().all(|other| apart(&four[k], other) >= 1.0)));
        let five = message(&bars("[10.5, 2.2, 2.2]", "count = 5"));
        assert!(five.starts_with("only 4 of 5 bodies"), "{five}");
        // Their clearance is kept from each other and from the container.
        let two = &made(&bars("[11, 3, 1.6]", "count = 2, clearance = 0.25")).unwrap()[0].bodies;
        assert!(apart(&two[0], &two[1]) >= 1.25);
        let room = |body: &Start| (body.centre.y - 0.5).min(2.5 - body.centre.y);
        assert!(two.iter().all(|body| room(body) >= 0.25 && body.centre.x >= 5.25));
        let wide = message(&bars("[11, 3, 1.6]", "count = 1, clearance = 0.31"));
        assert!(wide.starts_with("only 0 of 1"), "{wide}");
    }

    /// Long rods at random, among what is fixed: nothing overlaps by its own pieces.
    #[test]
    fn rods_find_room_between_each_other() {
        let text = "[container]\nshape = \"box\"\nmin = [0, 0, 0]\nmax = [10, 10, 10]\n\
                    [[bodies]]\nmotion = \"fixed\"\nposition = [5, 5, 5]\n\
                    shape = { kind = \"box\", size = [1, 1, 10] }\n[[bodies]]\nturn = \"random\"\n\
                    shape = { kind = \"capsule\", radius = 0.2, length = 7 }\n\
                    random = { count = 12, clearance = 0.1 }";
        let entries = made(text).unwrap();
        let placed = |entry: &Made, body: &Start| {
            entry.shapes[body.shape as usize].placed(body.centre, body.rotation)
        };
        let post = placed(&entries[0], &entries[0].bodies[0]);
        let rods: Vec<_> = entries[1].bodies.iter().map(|b| placed(&entries[1], b)).collect();
        assert_eq!(rods.len(), 12);
        for (k, rod) in rods.iter().enumerate() {
            let others = rods[..k].iter().chain([&post]);
            others.for_each(|other| assert!(crate::shape::deepest(rod, other) <= -0.1 + 1e-12));
        }
        assert_eq!(made(text).unwrap()[1].bodies, entries[1].bodies);
    }

    #[test]
    fn a_file_has_balls_or_boxes_by_its_header() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("balls.csv", "x,y,z,radius,mass\n0,0,0,0.5,3\n2,0,0,1,4\n");
        write("boxes.csv", "x,y,z,width,depth,height,fixed\n0,0,0,1,2,3,1\n5,0,0,1,2,3,0\n");
        write("places.csv", "x,y,z\n0,0,0\n2,0,0\n");
        let made = |text: &str| {
            let file = folder.path().join("scene.toml");
            generate(&Scene::from_text(text, &file)?, &Boundary::default())
        };
        let balls = made("[[bodies]]\nfile = \"balls.csv\"").unwrap().remove(0).bodies;
        assert_eq!(
            balls.iter().map(|b| (b.radius, b.mass)).collect::<Vec<_>>(),
            [(0.5, 3.0), (1.0, 4.0)]
        );
        let boxes = made("[[bodies]]\nfile = \"boxes.csv\"\ndensity = 2").unwrap().remove(0);
        assert_eq!((boxes.shapes.len(), boxes.bodies[1].mass), (1, 12.0));
        assert_eq!(
            boxes.bodies.iter().map(|b| b.motion).collect::<Vec<_>>(),
            [Motion::Fixed, Motion::Free]
        );
        let wedges = made(&format!("[[bodies]]\nfile = \"places.csv\"\n{WEDGE}")).unwrap();
        assert!((wedges[0].bodies[1].mass - 4.5).abs() < 1e-14);
        let message = |text: &str| made(text).unwrap_err().message;
        let twice = "[[bodies]]\nfile = \"balls.csv\"\nradius = 1";
        assert!(message(twice).starts_with("`bodies.radius` is given, but "));
        let twice = "[[bodies]]\nfile = \"boxes.csv\"\nradius = 1";
        assert!(message(twice).ends_with("has a column for sizes"));
        assert!(
            message("[[bodies]]\nfile = \"places.csv\"").ends_with("has no column for the radius")
        );
    }
}
