//! Draws an hourglass with made-up contents, to judge the pictures by eye:
//! `cargo run --release -p riprap-pictures --example look -- look.png 16`,
//! or a box or a flat scene with `box` or `flat` as a third argument.

use std::path::Path;

use riprap_pictures::{Ball, Container, DVec3, Options, Stage, mixed, ramp, render_frame};

/// Height and radius, from the bottom up.
const PROFILE: [[f64; 2]; 6] =
    [[0.0, 8.0], [8.0, 8.0], [16.0, 2.0], [17.0, 2.0], [25.0, 8.0], [40.0, 8.0]];
const SIDES: usize = 32;

fn main() -> riprap::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let path = arguments.get(1).map_or("look.png", String::as_str);
    let samples = arguments.get(2).and_then(|s| s.parse().ok()).unwrap_or(4);
    let options = Options { samples, ..Options::default() };
    let (container, balls) = match arguments.get(3).map(String::as_str) {
        Some("box") => (glass_box(), heap()),
        Some("flat") => (outline(), discs()),
        _ => (hourglass(), contents()),
    };
    let start = std::time::Instant::now();
    let stage = Stage::new(&container, &balls, &options);
    let picture = render_frame(&stage, &balls, &options)?;
    println!("{} balls, {} samples: {:.2} s", balls.len(), samples, start.elapsed().as_secs_f64());
    picture.save(Path::new(path))
}

fn glass_box() -> Container {
    let corner = |i: u8| {
        DVec3::new((i & 1) as f64 * 12.0, (i >> 1 & 1) as f64 * 12.0, (i >> 2) as f64 * 10.0)
    };
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let halves = |[a, b, c, d]: [u8; 4]| [[a, b, c], [a, c, d]];
    Container::Surface(quads.into_iter().flat_map(halves).map(|t| t.map(corner)).collect())
}

/// A pyramid of balls.
fn heap() -> Vec<Ball> {
    let mut balls = Vec::new();
    for level in 0..10 {
        for row in 0..10 - level {
            for column in 0..10 - level {
                let shift = 1.2 + 0.52 * level as f64;
                let centre = DVec3::new(
                    shift + 1.04 * column as f64,
                    shift + 1.04 * row as f64,
                    0.5 + 0.74 * level as f64,
                );
                balls.push(Ball { centre, radius: 0.5, colour: mixed(balls.len() as u32) });
            }
        }
    }
    balls
}

fn outline() -> Container {
    let corners =
        [[0.0, 0.0], [30.0, 0.0], [30.0, 20.0], [0.0, 20.0]].map(|[x, y]| DVec3::new(x, y, 0.0));
    Container::Outline((0..4).map(|i| [corners[i], corners[(i + 1) % 4]]).collect())
}

fn discs() -> Vec<Ball> {
    let place = |i: u32| {
        DVec3::new(
            0.6 + (i % 24) as f64 * 1.2 + 0.5 * (i / 24 % 2) as f64,
            0.5 + (i / 24) as f64 * 1.05,
            0.0,
        )
    };
    (0..240)
        .map(|i| Ball { centre: place(i), radius: 0.5, colour: ramp(i as f64 / 240.0) })
        .collect()
}

fn hourglass() -> Container {
    let point = |[height, radius]: [f64; 2], side: usize| {
        let angle = side as f64 / SIDES as f64 * std::f64::consts::TAU;
        DVec3::new(radius * angle.cos(), radius * angle.sin(), height)
    };
    let mut triangles = Vec::new();
    for side in 0..SIDES {
        for step in PROFILE.windows(2) {
            let [a, b] = [point(step[0], side), point(step[0], side + 1)];
            let [c, d] = [point(step[1], side + 1), point(step[1], side)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
        let [bottom, top] = [PROFILE[0], PROFILE[PROFILE.len() - 1]];
        triangles.push([DVec3::Z * bottom[0], point(bottom, side + 1), point(bottom, side)]);
        triangles.push([DVec3::Z * top[0], point(top, side), point(top, side + 1)]);
    }
    Container::Surface(triangles)
}

/// The profile's radius at a height.
fn radius_at(height: f64) -> f64 {
    let step = PROFILE.windows(2).find(|step| height <= step[1][0]).unwrap_or(&PROFILE[4..]);
    let share = (height - step[0][0]) / (step[1][0] - step[0][0]);
    step[0][1] + share * (step[1][1] - step[0][1])
}

/// Loose layers in both bulbs and a few balls in between.
fn contents() -> Vec<Ball> {
    let mut balls: Vec<Ball> = Vec::new();
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
                let clear = balls.iter().all(|b| b.centre.distance(centre) > 1.0);
                if x.hypot(y) < reach && clear && added < limit {
                    balls.push(Ball { centre, radius: 0.5, colour: mixed(balls.len() as u32) });
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
