//! The duck of the scene `elk-duck`: a closed mesh around a few soft
//! ellipsoids, with triangles of nearly equal size.

use std::fmt::Write as _;
use std::path::Path;

use riprap::math::DVec3;
use riprap::shape::Mesh;
use riprap::{Problem, Result};

/// Every point of the skin is seen from here.
const HEART: DVec3 = DVec3::new(0.12, 0.0, 0.12);

/// Centres and half axes: body, breast, neck, head, beak, tail.
const PARTS: [[DVec3; 2]; 6] = [
    [DVec3::new(-0.05, 0.0, 0.0), DVec3::new(0.55, 0.4, 0.34)],
    [DVec3::new(0.25, 0.0, 0.05), DVec3::new(0.32, 0.32, 0.32)],
    [DVec3::new(0.3, 0.0, 0.35), DVec3::new(0.18, 0.18, 0.25)],
    [DVec3::new(0.34, 0.0, 0.6), DVec3::new(0.25, 0.22, 0.22)],
    [DVec3::new(0.6, 0.0, 0.56), DVec3::new(0.15, 0.12, 0.06)],
    [DVec3::new(-0.58, 0.0, 0.2), DVec3::new(0.16, 0.14, 0.1)],
];

/// How softly the parts melt into each other.
const SOFT: f64 = 0.08;

/// Rounds in which every corner moves towards the middle of its neighbours.
const ROUNDS: usize = 40;

pub fn write(folder: &Path) -> Result<()> {
    let mut mesh = Mesh::ball(1.0, 3);
    let neighbours = neighbours(&mesh);
    for vertex in &mut mesh.vertices {
        *vertex = on_skin(*vertex);
    }
    for _ in 0..ROUNDS {
        let middle = |k: usize| {
            let around = &neighbours[k];
            let sum: DVec3 = around.iter().map(|&n| mesh.vertices[n as usize]).sum();
            sum / around.len() as f64
        };
        let moved = |k: usize| on_skin(0.5 * (mesh.vertices[k] + middle(k)) - HEART);
        mesh.vertices = (0..mesh.vertices.len()).map(moved).collect();
    }
    for vertex in &mut mesh.vertices {
        *vertex = (*vertex * 1e3).round() / 1e3;
    }
    mesh.check_closed()?;
    let path = folder.join("duck.obj");
    println!("{}: {} triangles", path.display(), mesh.triangles.len());
    std::fs::write(&path, text(&mesh))
        .map_err(|error| Problem::new(format!("cannot write: {error}")).in_file(&path))
}

/// Negative inside: a smooth minimum of what the ellipsoids say.
fn outside(point: DVec3) -> f64 {
    let part = |[centre, half]: &[DVec3; 2]| {
        let scaled = (point - *centre) / *half;
        (scaled.length() - 1.0) * half.min_element()
    };
    let sum: f64 = PARTS.iter().map(|p| (-part(p) / SOFT).exp()).sum();
    -SOFT * sum.ln()
}

/// The outermost point of the skin in a direction from the heart.
fn on_skin(direction: DVec3) -> DVec3 {
    let direction = direction.normalize();
    let (mut far, mut near) = (2.0, 2.0);
    while outside(HEART + direction * near) > 0.0 && near > 0.01 {
        (far, near) = (near, near - 0.01);
    }
    for _ in 0..40 {
        let middle = 0.5 * (far + near);
        match outside(HEART + direction * middle) > 0.0 {
            true => far = middle,
            false => near = middle,
        }
    }
    HEART + direction * near
}

fn neighbours(mesh: &Mesh) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); mesh.vertices.len()];
    for &[a, b, c] in &mesh.triangles {
        for [p, q] in [[a, b], [b, c], [c, a]] {
            all[p as usize].push(q);
        }
    }
    all
}

fn text(mesh: &Mesh) -> String {
    let mut text = String::from("# A duck, made by tools/assets.\n");
    for v in &mesh.vertices {
        let _ = writeln!(text, "v {} {} {}", v.x, v.y, v.z);
    }
    for [a, b, c] in &mesh.triangles {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    text
}
