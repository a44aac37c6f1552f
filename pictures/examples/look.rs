//! Draws an hourglass with made-up contents, to judge the pictures by eye:
//! `cargo run --release -p riprap-pictures --example look -- look.png 16`,
//! or a box or a flat scene with `box` or `flat` as a third argument.

use std::path::Path;

use riprap::math::DVec3;
use riprap::shape::{Boundary, Mesh};
use riprap::world::{Model, State};
use riprap_pictures::{Colours, Options, draw};

/// Height and radius, from the bottom up.
const PROFILE: [[f64; 2]; 6] =
    [[0.0, 8.0], [8.0, 8.0], [16.0, 2.0], [17.0, 2.0], [25.0, 8.0], [40.0, 8.0]];
const SIDES: usize = 32;

fn main() -> riprap::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let path = arguments.get(1).map_or("look.png", String::as_str);
    let samples = arguments.get(2).and_then(|s| s.parse().ok()).unwrap_or(4);
    let options = Options { samples, colours: Some(Colours::Body), ..Options::default() };
    let (dimension, boundary, centres) = match arguments.get(3).map(String::as_str) {
        Some("box") => {
            let glass = Mesh::cuboid(DVec3::ZERO, DVec3::new(12.0, 12.0, 10.0));
            (3, Boundary::from_mesh(&glass), heap())
        }
        Some("flat") => {
            let corners = [[0.0, 0.0], [30.0, 0.0], [30.0, 20.0], [0.0, 20.0]];
            (2, Boundary::from_polygon(&corners), discs())
        }
        _ => (3, Boundary::from_mesh(&Mesh::profile(&PROFILE, SIDES)), contents()),
    };
    let (mut model, mut state) = (Model::new(dimension, DVec3::ZERO), State::default());
    model.boundary = boundary;
    for centre in &centres {
        model.add_particle(&mut state, *centre, 1.0, 0.5);
    }
    let start = std::time::Instant::now();
    let picture = draw(&model, &state, &options)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{} balls, {samples} samples: {seconds:.2} s", centres.len());
    picture.save(Path::new(path))
}

/// A pyramid of balls.
fn heap() -> Vec<DVec3> {
    let mut balls = Vec::new();
    for level in 0..10 {
        let shift = 1.2 + 0.52 * level as f64;
        for row in 0..10 - level {
            for column in 0..10 - level {
                let along = |k: i32| shift + 1.04 * k as f64;
                balls.push(DVec3::new(along(column), along(row), 0.5 + 0.74 * level as f64));
            }
        }
    }
    balls
}

fn discs() -> Vec<DVec3> {
    let place = |i: u32| {
        DVec3::new(
            0.6 + (i % 24) as f64 * 1.2 + 0.5 * (i / 24 % 2) as f64,
            0.5 + (i / 24) as f64 * 1.05,
            0.0,
        )
    };
    (0..240).map(place).collect()
}

/// The profile's radius at a height.
fn radius_at(height: f64) -> f64 {
    let step = PROFILE.windows(2).find(|step| height <= step[1][0]).unwrap_or(&PROFILE[4..]);
    let share = (height - step[0][0]) / (step[1][0] - step[0][0]);
    step[0][1] + share * (step[1][1] - step[0][1])
}

/// Loose layers in both bulbs and a few balls in between.
fn contents() -> Vec<DVec3> {
    let mut balls: Vec<DVec3> = Vec::new();
    let mut random =
        (0_u32..).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f64 / (1 << 24) as f64);
    let mut layer = |height: f64, limit: usize| {
        let reach = radius_at(height).min(radius_at(height - 0.5)).min(radius_at(height + 0.5))
            * 0.99
            - 0.56;
        let mut added = 0;
        for row in -16..=16 {
            for column in -16..=16 {
                let shift = (height * 0.7).fract() + 0.5 * (row & 1) as f64;
                let x = column as f64 * 1.04
                    + shift * 0.52
                    + 0.08 * (random.next().unwrap_or(0.0) - 0.5);
                let y = row as f64 * 0.92 + 0.08 * (random.next().unwrap_or(0.0) - 0.5);
                let centre = DVec3::new(x, y, height + 0.1 * (random.next().unwrap_or(0.0) - 0.5));
                let clear = balls.iter().all(|b| b.distance(centre) > 1.0);
                if x.hypot(y) < reach && clear && added < limit {
                    balls.push(centre);
                    added += 1;
                }
            }
        }
    };
    for i in 0..2 {
        layer(0.56 + 0.94 * i as f64, if i == 0 { 400 } else { 70 });
    }
    for i in 0..14 {
        layer(16.2 + 0.96 * i as f64, 400);
    }
    for height in [3.1, 4.6, 6.4, 8.8, 11.9, 13.0] {
        layer(height, 1);
    }
    balls
}
