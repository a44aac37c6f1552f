//! The elk of the scene `elk-duck`: a wooden toy of three boards beside each other. The boards are cut
//! along one mosaic of convex cells, so that all sides are flat and neighbours have whole edges in common.

use std::fmt::Write as _;
use std::path::Path;

use riprap::math::DVec3;
use riprap::shape::Mesh;
use riprap::{Problem, Result};

/// Where the boards begin and end, from right to left.
const BOARDS: [f64; 4] = [-0.28, -0.12, 0.12, 0.28];

/// Which boards a cell is part of.
const ALL: [bool; 3] = [true, true, true];
const OUTER: [bool; 3] = [true, false, true];
const INNER: [bool; 3] = [false, true, false];

/// Corners seen from the right: forwards and upwards, from the axles of the wheels.
const CORNERS: [[f64; 2]; 37] = [
    // 0: hind leg, from the hoof to the belly.
    [-0.66, -0.08],
    [-0.46, -0.08],
    [-0.44, 0.30],
    [-0.62, 0.30],
    [-0.36, 0.56],
    [-0.68, 0.58],
    // 6: fore leg.
    [0.44, -0.08],
    [0.62, -0.08],
    [0.61, 0.30],
    [0.45, 0.30],
    [0.66, 0.60],
    [0.34, 0.54],
    // 12: rump, back, withers and chest; where the tail begins and ends.
    [-0.72, 0.98],
    [-0.36, 1.04],
    [0.34, 1.08],
    [0.62, 0.96],
    [-0.73, 0.86],
    [-0.84, 0.80],
    // 18: nape and throat, muzzle, brow and crown.
    [0.62, 1.42],
    [0.86, 1.34],
    [1.20, 1.24],
    [1.22, 1.38],
    [0.94, 1.56],
    [0.70, 1.58],
    // 24: antlers: base, shovel, and the tips of their tines.
    [0.90, 1.70],
    [0.74, 1.72],
    [0.98, 1.80],
    [1.00, 1.92],
    [0.84, 2.00],
    [0.66, 1.98],
    [1.14, 1.78],
    [1.04, 2.14],
    [0.70, 2.18],
    // 33: the other end of the shovel.
    [0.58, 1.84],
    [0.50, 2.04],
    // 35: ears.
    [0.60, 1.64],
    [0.63, 1.50],
];

/// Cells by their corners, anticlockwise, and the boards that they are part of.
const CELLS: [(&[usize], [bool; 3]); 17] = [
    (&[0, 1, 2, 3], OUTER),
    (&[3, 2, 4, 5], OUTER),
    (&[6, 7, 8, 9], OUTER),
    (&[9, 8, 10, 11], OUTER),
    (&[5, 4, 13, 12, 16], ALL),
    (&[4, 11, 14, 13], ALL),
    (&[11, 10, 15, 14], ALL),
    (&[16, 12, 17], INNER),
    (&[14, 15, 19, 18], INNER),
    (&[18, 19, 20, 21, 22, 23, 36], INNER),
    (&[23, 22, 24, 25], ALL),
    (&[25, 24, 26, 27, 28, 29, 33], OUTER),
    (&[24, 30, 26], OUTER),
    (&[27, 31, 28], OUTER),
    (&[28, 32, 29], OUTER),
    (&[29, 34, 33], OUTER),
    (&[23, 35, 36], INNER),
];

pub fn write(folder: &Path) -> Result<()> {
    let path = folder.join("elk.obj");
    let text = text();
    let mesh = Mesh::from_bytes(&path, text.as_bytes())?;
    mesh.check_closed()?;
    println!("{}: {} triangles", path.display(), mesh.triangles.len());
    std::fs::write(&path, text)
        .map_err(|error| Problem::new(format!("cannot write: {error}")).in_file(&path))
}

/// Whether a cell is there in a board, which may be beside all of them.
fn is_there(cell: usize, board: Option<usize>) -> bool {
    board.and_then(|board| CELLS[cell].1.get(board)).is_some_and(|there| *there)
}

/// Sides by corners: the number of one in the mosaic, and of the plane between boards.
fn sides() -> Vec<Vec<[usize; 2]>> {
    let mut sides = Vec::new();
    for (cell, (corners, _)) in CELLS.iter().enumerate() {
        for board in (0..BOARDS.len() - 1).filter(|&board| is_there(cell, Some(board))) {
            // The mosaic is seen against y: what is anticlockwise there faces the right.
            if !is_there(cell, board.checked_sub(1)) {
                sides.push(corners.iter().map(|&c| [c, board]).collect());
            }
            if !is_there(cell, Some(board + 1)) {
                sides.push(corners.iter().rev().map(|&c| [c, board + 1]).collect());
            }
            for (k, &from) in corners.iter().enumerate() {
                let to = corners[(k + 1) % corners.len()];
                let shares = |&other: &usize| {
                    let (around, _) = CELLS[other];
                    let mut next = around.iter().zip(around.iter().cycle().skip(1));
                    is_there(other, Some(board)) && next.any(|(a, b)| [*a, *b] == [to, from])
                };
                if !(0..CELLS.len()).any(|other| shares(&other)) {
                    sides.push(vec![
                        [to, board],
                        [from, board],
                        [from, board + 1],
                        [to, board + 1],
                    ]);
                }
            }
        }
    }
    sides
}

fn text() -> String {
    let sides = sides();
    let mut used: Vec<[usize; 2]> = sides.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let mut text = String::from("# An elk, made by tools/assets.\n");
    for &[corner, plane] in &used {
        let place = DVec3::new(CORNERS[corner][0], BOARDS[plane], CORNERS[corner][1]);
        let _ = writeln!(text, "v {} {} {}", place.x, place.y, place.z);
    }
    for side in &sides {
        let numbers = side.iter().map(|corner| used.partition_point(|other| other < corner) + 1);
        let words: Vec<String> = numbers.map(|number| number.to_string()).collect();
        let _ = writeln!(text, "f {}", words.join(" "));
    }
    text
}
