//! How good a pile is: overlaps and speeds, by closed forms that belong to
//! neither engine.

use riprap::math::{DMat3, DQuat, DVec3, median};

/// A cube of this half side, or a ball of this radius.
pub const SIZE: f64 = 0.25;

/// Where a body is.
pub struct Seen {
    pub is_cube: bool,
    pub at: DVec3,
    pub turn: DQuat,
    pub velocity: DVec3,
}

/// What is measured of a pile, in metres and seconds.
pub struct Report {
    pub touching: usize,
    pub deepest: f64,
    pub median: f64,
    pub ground: f64,
    pub speed: f64,
}

/// All pairs that overlap, the ground, and the root mean square speed.
pub fn judge(bodies: &[Seen]) -> Report {
    let mut order: Vec<usize> = (0..bodies.len()).collect();
    order.sort_by(|&i, &j| bodies[i].at.x.total_cmp(&bodies[j].at.x));
    let (mut touching, mut depths) = (0, Vec::new());
    for (k, &i) in order.iter().enumerate() {
        for &j in &order[k + 1..] {
            if bodies[j].at.x - bodies[i].at.x > 4.0 * SIZE {
                break;
            }
            let depth = depth(&bodies[i], &bodies[j]);
            touching += usize::from(depth > -1e-3);
            if depth > 0.0 {
                depths.push(depth);
            }
        }
    }
    let ground = bodies.iter().map(|body| {
        let axes = DMat3::from_quat(body.turn);
        let low = if body.is_cube { SIZE * axes.row(2).abs().element_sum() } else { SIZE };
        low - body.at.z
    });
    let squares: f64 = bodies.iter().map(|body| body.velocity.length_squared()).sum();
    Report {
        touching,
        deepest: depths.iter().copied().fold(0.0, f64::max),
        median: if depths.is_empty() { 0.0 } else { median(depths) },
        ground: ground.fold(0.0, f64::max),
        speed: (squares / bodies.len() as f64).sqrt(),
    }
}

fn depth(a: &Seen, b: &Seen) -> f64 {
    match (a.is_cube, b.is_cube) {
        (false, false) => 2.0 * SIZE - a.at.distance(b.at),
        (true, true) => of_cubes(a, b),
        (true, false) => of_cube_and_ball(a, b.at),
        (false, true) => of_cube_and_ball(b, a.at),
    }
}

fn of_cube_and_ball(cube: &Seen, ball: DVec3) -> f64 {
    let local = cube.turn.inverse() * (ball - cube.at);
    let outside = local - local.clamp(DVec3::splat(-SIZE), DVec3::splat(SIZE));
    match outside.length() {
        0.0 => SIZE + (SIZE - local.abs()).min_element(),
        distance => SIZE - distance,
    }
}

/// The least overlap along the fifteen axes that can separate.
fn of_cubes(a: &Seen, b: &Seen) -> f64 {
    let (u, v) = (DMat3::from_quat(a.turn), DMat3::from_quat(b.turn));
    let mut axes: Vec<DVec3> = (0..3).flat_map(|k| [u.col(k), v.col(k)]).collect();
    for i in 0..3 {
        axes.extend((0..3).filter_map(|j| u.col(i).cross(v.col(j)).try_normalize()));
    }
    let along = |turn: &DMat3, axis: DVec3| (turn.transpose() * axis).abs().element_sum() * SIZE;
    let overlap = |axis: &DVec3| {
        along(&u, *axis) + along(&v, *axis) - axis.dot(b.at - a.at).abs()
    };
    axes.iter().map(overlap).fold(f64::INFINITY, f64::min)
}
