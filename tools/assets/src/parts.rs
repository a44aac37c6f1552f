//! The meshes of the scenes `foot` and `tray`: a foot, and a few parts as they
//! come out of a printer.

use std::f64::consts::TAU;
use std::path::Path;

use riprap::Result;
use riprap::math::DVec3;
use riprap::shape::{Mesh, Shape, Surface};

pub fn write(folder: &Path) -> Result<()> {
    write_stl(&folder.join("foot.stl"), &foot())?;
    let bracket = [[0.0, 0.0], [3.0, 0.0], [3.0, 0.5], [0.5, 0.5], [0.5, 2.0], [0.0, 2.0]];
    let hook = [
        [0.0, 0.0],
        [2.5, 0.0],
        [2.5, 1.5],
        [1.75, 1.5],
        [1.75, 0.5],
        [0.5, 0.5],
        [0.5, 2.5],
        [0.0, 2.5],
    ];
    write_stl(&folder.join("bracket.stl"), &prism(&bracket, &[], 1.0)?)?;
    write_stl(&folder.join("hook.stl"), &prism(&hook, &[], 0.75)?)?;
    write_stl(&folder.join("ring.stl"), &prism(&circle(8, 1.25), &[circle(8, 0.75)], 0.75)?)?;
    write_stl(&folder.join("gear.stl"), &prism(&teeth(8), &[circle(4, 0.5)], 0.5)?)
}

fn write_stl(path: &Path, mesh: &Mesh) -> Result<()> {
    mesh.check_closed()?;
    println!("{}: {} triangles", path.display(), mesh.triangles.len());
    mesh.write_stl_text(path)
}

/// A prism with its corners as they are written: shapes have their centre of mass at the origin.
fn prism(outer: &[[f64; 2]], holes: &[Vec<[f64; 2]>], height: f64) -> Result<Mesh> {
    let shape = Shape::prism(outer, holes, height)?;
    let Surface::Mesh(mut mesh) = shape.surface else { unreachable!("a prism has a mesh") };
    for vertex in &mut mesh.vertices {
        // What is zero was written without a sign.
        *vertex = (*vertex - shape.origin).map(rounded) + DVec3::ZERO;
    }
    Ok(mesh)
}

/// To three decimals, so that the files are easy to read.
fn rounded(x: f64) -> f64 {
    (1000.0 * x).round() / 1000.0
}

fn circle(corners: usize, radius: f64) -> Vec<[f64; 2]> {
    let corner = |k: usize| {
        let (sin, cos) = (TAU * (k as f64 + 0.5) / corners as f64).sin_cos();
        [rounded(radius * cos), rounded(radius * sin)]
    };
    (0..corners).map(corner).collect()
}

fn teeth(count: usize) -> Vec<[f64; 2]> {
    let corner = |k: usize| {
        let (sin, cos) = (TAU * (k as f64 + 0.5) / (4 * count) as f64).sin_cos();
        let radius = if k % 4 < 2 { 1.5 } else { 1.15 };
        [rounded(radius * cos), rounded(radius * sin)]
    };
    (0..4 * count).map(corner).collect()
}

/// A sole with an arch, toes, an instep and a leg.
fn foot() -> Mesh {
    let sole: [[f64; 2]; 10] = [
        [-2.6, 0.0],
        [-2.2, -0.8],
        [-0.6, -0.5],
        [1.2, -1.1],
        [2.6, -0.9],
        [3.2, 0.0],
        [2.7, 0.9],
        [1.2, 1.0],
        [-0.6, 0.8],
        [-2.2, 0.8],
    ];
    let ring = |z: f64, place: &dyn Fn(usize) -> [f64; 2]| -> Vec<DVec3> {
        let corner = |k: usize| DVec3::new(rounded(place(k)[0]), rounded(place(k)[1]), z);
        (0..sole.len()).map(corner).collect()
    };
    let ankle = |radius: f64| {
        move |k: usize| {
            let (sin, cos) = (TAU * (k as f64 + 5.0) / 10.0).sin_cos();
            [radius * cos - 1.6, radius * sin]
        }
    };
    let instep = |k: usize| [0.9 * sole[k][0].min(1.4) - 0.2, 0.9 * sole[k][1]];
    Mesh::loft(&[
        ring(0.0, &|k| sole[k].map(|x| 0.94 * x)),
        ring(0.4, &|k| sole[k]),
        ring(1.0, &instep),
        ring(2.0, &ankle(0.9)),
        ring(5.0, &ankle(1.1)),
    ])
}
