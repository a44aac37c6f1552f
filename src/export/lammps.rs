//! LAMMPS: a text dump of a run, one block per frame, and the data file of one
//! frame to start a simulation from (`atom_style sphere`). Bodies and groups
//! are counted from 1 there.

use std::f64::consts::PI;
use std::fmt::Write;

use super::{digits, one_word};
use crate::problem::{Problem, Result};
use crate::shape::Aabb;
use crate::trajectory::Frame;
use crate::world::{Body, Model};

/// Longer lines do not fit into the buffers of LAMMPS; names are cut to be well within.
const LONGEST_NAME: usize = 100;

/// LAMMPS' granular spheres are all that these files can hold.
pub(super) fn check_spheres(model: &Model) -> Result<()> {
    if !model.cloths.is_empty() {
        let message =
            "the run has cloth, and files of LAMMPS would hold its particles as loose balls";
        return Err(Problem::new(message).help("export to .vtp, .glb or .obj, which have cloth"));
    }
    match (0..model.bodies.len()).find(|&i| model.shape(i).is_ball().is_none()) {
        None => Ok(()),
        Some(body) => Err(Problem::new(format!(
            "body {body} is no sphere, and files of LAMMPS hold nothing else here"
        ))
        .help("export to .vtp, .glb, .obj or .csv, which have shapes or turns")),
    }
}

/// The block of one frame in a dump. The box has fixed walls on all sides.
pub(super) fn dump_block(model: &Model, frame: &Frame) -> String {
    let mut text = format!("ITEM: TIMESTEP\n{}\n", frame.step);
    text += &format!("ITEM: NUMBER OF ATOMS\n{}\n", bodies(model, frame).count());
    text += "ITEM: BOX BOUNDS ff ff ff\n";
    for [low, high] in sides(model, frame) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{low} {high}");
    }
    text += "ITEM: ATOMS id type x y z radius mass\n";
    for (id, position, body) in bodies(model, frame) {
        let [x, y, z] = position;
        let (radius, mass) = (digits(body.radius), digits(body.mass));
        let _ = writeln!(text, "{id} {} {x} {y} {z} {radius} {mass}", type_of(body));
    }
    text
}

/// The data file of one frame.
pub(super) fn data(model: &Model, index: usize, frame: &Frame) -> String {
    let name = short_word(&model.name);
    let mut text = format!("riprap run {name}, frame {index}, step {}\n\n", frame.step);
    // Writing to a string cannot fail.
    let _ =
        writeln!(text, "{} atoms\n{} atom types", bodies(model, frame).count(), model.groups.len());
    for (group, name) in model.groups.iter().enumerate() {
        let _ = writeln!(text, "# type {} is {}", group + 1, short_word(name));
    }
    for (axis, [low, high]) in ["x", "y", "z"].into_iter().zip(sides(model, frame)) {
        let _ = writeln!(text, "{low} {high} {axis}lo {axis}hi");
    }
    text += "\nAtoms # sphere\n\n";
    for (id, position, body) in bodies(model, frame) {
        let [x, y, z] = position;
        let (diameter, density) = (digits(2.0 * body.radius), digits(density(body)));
        let _ = writeln!(text, "{id} {} {diameter} {density} {x} {y} {z}", type_of(body));
    }
    text
}

/// Number, position and properties of every body.
fn bodies<'a>(
    model: &'a Model,
    frame: &'a Frame,
) -> impl Iterator<Item = (usize, [String; 3], &'a Body)> {
    let positions = frame.state.positions.iter().map(|position| position.to_array().map(digits));
    let all = (1..).zip(positions).zip(&model.bodies);
    let all = all.map(|((id, position), body)| (id, position, body));
    all.filter(|(id, ..)| !model.is_gone(id - 1))
}

fn type_of(body: &Body) -> u64 {
    u64::from(body.group) + 1
}

/// The density that gives a sphere its mass. LAMMPS computes the mass as that
/// of a sphere in 2D as well.
fn density(body: &Body) -> f64 {
    body.mass / (4.0 / 3.0 * PI * body.radius.powi(3))
}

/// Where the box begins and ends in x, y and z. It is that of the container,
/// grown to hold every body, so that a flat scene has some thickness.
fn sides(model: &Model, frame: &Frame) -> [[String; 2]; 3] {
    let spheres = frame.state.positions.iter().zip(&model.bodies);
    let boxes = spheres.map(|(&centre, body)| Aabb::from_sphere(centre, body.radius));
    let Aabb { min, max } = boxes.fold(model.boundary.bounds(), |all, one| all.union(&one));
    [[min.x, max.x], [min.y, max.y], [min.z, max.z]].map(|side| side.map(digits))
}

fn short_word(name: &str) -> String {
    one_word(name).chars().take(LONGEST_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DVec3;
    use crate::shape::Boundary;
    use crate::trajectory::samples;
    use crate::world::Cloth;

    fn numbers(line: &str) -> Vec<u64> {
        line.split(' ').skip(2).map(|n| n.parse::<f64>().unwrap().to_bits()).collect()
    }

    fn delicate() -> (Model, Frame) {
        let (model, mut frame) = (samples::model(3), samples::frame(7, 3));
        frame.state.positions[1] = DVec3::new(-0.0, f64::MIN_POSITIVE / 3.0, 1.1 + 2.2);
        (model, frame)
    }

    #[test]
    fn dumps_parse_back_to_the_same_bits() {
        let (model, frame) = delicate();
        let text = dump_block(&model, &frame);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..4], ["ITEM: TIMESTEP", "7", "ITEM: NUMBER OF ATOMS", "3"]);
        assert_eq!(lines[4], "ITEM: BOX BOUNDS ff ff ff");
        assert_eq!(lines[5], "-2.0000000000000000e0 2.0000000000000000e0");
        assert_eq!(lines[8], "ITEM: ATOMS id type x y z radius mass");
        assert_eq!(lines.len(), 12);
        for (body, line) in lines[9..].iter().enumerate() {
            assert!(line.starts_with(&format!("{} {} ", body + 1, body % 2 + 1)), "{line}");
            let DVec3 { x, y, z } = frame.state.positions[body];
            let Body { radius, mass, .. } = model.bodies[body];
            assert_eq!(numbers(line), [x, y, z, radius, mass].map(f64::to_bits));
        }
    }

    #[test]
    fn cloth_is_no_heap_of_balls() {
        let mut model = samples::model(3);
        assert_eq!(check_spheres(&model), Ok(()));
        model.cloths.push(Cloth {
            first: 0,
            rest: Vec::new(),
            faces: vec![[0, 1, 2]],
            threads: Vec::new(),
            damping: 0.0,
            air: None,
            most_stretch: 0.0,
        });
        assert!(check_spheres(&model).unwrap_err().message.starts_with("the run has cloth"));
    }

    #[test]
    fn data_files_have_diameters_and_densities() {
        let (mut model, frame) = delicate();
        model.name = "two\nlines".into();
        model.groups[1] = "long ".repeat(100);
        let text = data(&model, 4, &frame);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "riprap run two_lines, frame 4, step 7");
        assert_eq!(lines[2..5], ["3 atoms", "2 atom types", "# type 1 is glass_beads"]);
        assert!(lines.iter().all(|line| line.len() < 200));
        assert_eq!(lines[8], "-1.0000000000000001e-1 1.2000000000000000e1 zlo zhi");
        assert_eq!(lines[9..12], ["", "Atoms # sphere", ""]);
        for (body, line) in lines[12..].iter().enumerate() {
            assert!(line.starts_with(&format!("{} {} ", body + 1, body % 2 + 1)), "{line}");
            let found: Vec<f64> = numbers(line).into_iter().map(f64::from_bits).collect();
            assert_eq!(found[0], 2.0 * model.bodies[body].radius);
            let mass = found[1] * PI / 6.0 * found[0].powi(3);
            assert!((mass - model.bodies[body].mass).abs() < 1e-15);
            assert_eq!(DVec3::from_slice(&found[2..]), frame.state.positions[body]);
        }
    }

    #[test]
    fn flat_scenes_and_those_without_a_container_have_a_box() {
        let (mut model, mut frame) = (samples::model(2), samples::frame(0, 2));
        frame.state.positions = vec![DVec3::new(1.0, 1.0, 0.0), DVec3::new(2.0, 1.0, 0.0)];
        model.bodies.iter_mut().for_each(|body| body.radius = 0.25);
        let found = |model: &Model| {
            sides(model, &frame).map(|side| side.map(|number| number.parse::<f64>().unwrap()))
        };
        model.boundary = Boundary::from_polygon(&[[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]]);
        assert_eq!(found(&model), [[0.0, 4.0], [0.0, 4.0], [-0.25, 0.25]]);
        model.boundary = Boundary::from_faces(vec![]).unwrap();
        assert_eq!(found(&model), [[0.75, 2.25], [0.75, 1.25], [-0.25, 0.25]]);
    }
}
