//! Bodies in containers: walls are faces of a box, a mesh or a polygon.

use super::flat::rectangle;
use super::*;
use crate::shape::{Boundary, Mesh};
use crate::world::With;

fn in_mesh(mesh: &Mesh) -> Trial {
    let mut trial = Trial::new(9.81);
    trial.model.boundary = Boundary::from_mesh(mesh);
    trial
}

fn in_box() -> Trial {
    in_mesh(&Mesh::cuboid(DVec3::new(-2.0, -2.0, 0.0), DVec3::new(2.0, 2.0, 3.0)))
}

#[test]
fn bodies_rest_on_the_floor_and_say_on_which_face() {
    for (mode, off) in [(Mode::Default, 1e-4), (Mode::Paper, 2e-3)] {
        let mut trial = in_box();
        trial.options.mode = mode;
        trial.ball(0.25, DVec3::new(0.3, 0.2, 0.5));
        trial.cube(0.25, DVec3::new(-1.0, 0.1, 0.4));
        let lying = DQuat::from_rotation_x(1.5);
        let cylinder = Shape::cylinder(0.25, 0.5).unwrap();
        trial.add_turned(cylinder, DVec3::new(0.9, -1.0, 0.5), lying, Weight::Density(1.0));
        let mut told = Vec::new();
        trial.run(200, |Seen { contacts, .. }| told = contacts.to_vec());
        for (body, at) in trial.state.positions.iter().enumerate() {
            assert!((at.z - 0.25).abs() < off, "{mode:?} {body} {at}");
            let own = told.iter().filter(|contact| contact.body as usize == body);
            let push: DVec3 = own.clone().map(|contact| contact.force).sum();
            let weight = DVec3::Z * (trial.model.bodies[body].mass * 9.81 * 0.01);
            assert!((push - weight).length() < 0.05 * weight.z, "{mode:?} {body} {push} {weight}");
            for contact in own {
                let With::Face(face) = contact.with else { panic!("{:?}", contact.with) };
                assert_eq!(trial.model.boundary.normal(face), DVec3::NEG_Z);
                assert!((contact.normal - DVec3::Z).length() < 1e-9);
            }
        }
    }
}

/// Over a floor of many triangles, without friction: no seam takes speed or lifts the body.
#[test]
fn nothing_is_felt_of_the_seams_of_a_floor() {
    let mut trial = in_mesh(&Mesh::profile(&[[0.0, 4.0], [3.0, 4.0]], 60));
    trial.model.wall.friction = 0.0;
    trial.ball(0.25, DVec3::new(-3.0, 0.1, 0.25));
    trial.cube(0.25, DVec3::new(-3.0, 1.1, 0.25));
    trial.cube(0.25, DVec3::new(-3.0, -1.1, 0.25));
    trial.state.rotations[2] = DQuat::from_rotation_z(0.3);
    trial.state.velocities.fill(DVec3::X * 3.0);
    trial.run(150, |Seen { state, .. }| {
        for i in 0..3 {
            let (at, speed) = (state.positions[i], state.velocities[i]);
            assert!((at.z - 0.25).abs() < 1e-5, "{i} {at}");
            assert!((speed - DVec3::X * 3.0).length() < 1e-6, "{i} {speed}");
            assert!(state.spins[i].length() < 1e-6, "{i} {}", state.spins[i]);
        }
    });
    assert!(trial.state.positions.iter().all(|at| at.x > 1.4), "they went all the way");
}

/// Fast rollers stay on the floor that they roll on: what is round does not sink as it turns.
#[test]
fn what_rolls_does_not_sink() {
    let mut trial = in_mesh(&Mesh::cuboid(DVec3::new(-2.0, -2.0, 0.0), DVec3::new(20.0, 2.0, 3.0)));
    let lying = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    trial.ball(0.1, DVec3::new(0.0, 0.0, 0.1));
    for (shape, y) in
        [(Shape::capsule(0.1, 0.3).unwrap(), 1.0), (Shape::cylinder(0.1, 0.3).unwrap(), -1.0)]
    {
        trial.add_turned(shape, DVec3::new(0.0, y, 0.1), lying, Weight::Density(1.0));
    }
    trial.state.velocities.fill(DVec3::X * 5.0);
    trial.state.spins.fill(DVec3::Y * 50.0);
    trial.run(200, |Seen { step, state, .. }| {
        for (i, at) in state.positions.iter().enumerate() {
            assert!((at.z - 0.1).abs() < 2e-4, "{step} {i} {at}");
        }
    });
    for (at, v) in trial.state.positions.iter().zip(&trial.state.velocities) {
        assert!(at.x > 9.8 && (v.x - 5.0).abs() < 0.02, "{at} {v}");
    }
}

/// The wall's friction with the body's, by the one rule: it slows down at `mu g`.
#[test]
fn the_wall_has_a_material() {
    let mut trial = in_box();
    trial.model.wall.friction = 0.2;
    let cube = trial.cube(0.25, DVec3::new(-1.0, 0.0, 0.25));
    trial.body(cube).material.friction = 0.45;
    trial.state.velocities[cube] = DVec3::X * 2.0;
    trial.run(30, |_| ());
    let expected = 2.0 - 0.3 * 9.81 * 0.3;
    let speed = trial.state.velocities[cube].x;
    assert!((speed - expected).abs() < 1e-3, "{speed} {expected}");
}

/// A ball in a bowl of two thousand triangles comes to rest at its lowest point.
#[test]
fn a_ball_comes_to_rest_at_the_bottom_of_a_mesh() {
    let bowl = Mesh::ball(2.0, 3);
    let lowest = bowl.vertices.iter().map(|v| v.z).fold(0.0, f64::min);
    let mut trial = in_mesh(&bowl);
    let ball = trial.ball(0.25, DVec3::new(0.8, 0.3, -1.0));
    trial.body(ball).material.rolling = 5e-3;
    trial.options.damping = 1.0;
    trial.run(600, |_| ());
    let at = trial.state.positions[ball];
    assert!(at.x.hypot(at.y) < 0.15, "{at}");
    assert!((at.z - 0.25 - lowest).abs() < 0.02, "{at} {lowest}");
    assert!(trial.state.velocities[ball].length() < 1e-3);
}

/// An hourglass: its neck juts into the room, and what falls goes through it.
#[test]
fn bodies_go_through_a_neck() {
    let glass = Mesh::profile(&[[-2.0, 1.0], [-0.1, 0.3], [0.1, 0.3], [2.0, 1.0]], 24);
    let mut trial = in_mesh(&glass);
    trial.model.wall.friction = 0.1;
    for k in 0..8 {
        let at = DVec3::new(0.3 * (k as f64).sin(), 0.3 * (k as f64).cos(), 0.9 + 0.1 * k as f64);
        match k % 2 {
            0 => trial.ball(0.1, at),
            _ => trial.cube(0.08, at),
        };
    }
    let model = trial.model.clone();
    trial.run(400, |Seen { step, state, .. }| {
        for body in (0..8).filter(|_| step % 10 == 0) {
            let (out, _) = model.sticks_out(state, body);
            assert!(out < 5e-3, "{step} {body} {out}");
        }
    });
    for at in &trial.state.positions {
        assert!(at.z < -0.3 && model.boundary.contains(*at), "{at}");
    }
}

/// A block that tips over a ledge is held by the edge of it.
#[test]
fn a_ledge_holds_what_lies_on_it() {
    let ledge = [[0.0, 0.0], [2.0, 0.0], [2.0, -2.0], [4.0, -2.0], [4.0, 2.0], [0.0, 2.0]];
    for (x, stays) in [(1.9, true), (2.1, false)] {
        let mut trial = super::flat::trial(9.81);
        trial.model.boundary = Boundary::from_polygon(&ledge);
        trial.add(rectangle(1.0, 0.2), DVec3::new(x, 0.1, 0.0));
        trial.run(150, |_| ());
        let at = trial.state.positions[0];
        match stays {
            true => assert!((at - DVec3::new(x, 0.1, 0.0)).length() < 1e-4, "{at}"),
            false => assert!(at.y < -1.0 && at.x > 2.0, "{at}"),
        }
    }
}

/// A disc in a valley of two slopes: each pushes with `m g / (2 cos)`.
#[test]
fn a_disc_rests_between_two_slopes() {
    for mode in [Mode::Default, Mode::Paper] {
        let mut trial = super::flat::trial(9.81);
        trial.options.mode = mode;
        trial.model.wall.friction = 0.0;
        let (rise, radius) = (0.5_f64, 0.25);
        let corners = [[0.0, 0.0], [2.0, 2.0 * rise], [2.0, 4.0], [-2.0, 4.0], [-2.0, 2.0 * rise]];
        trial.model.boundary = Boundary::from_polygon(&corners);
        let cosine = (1.0 + rise * rise).sqrt().recip();
        trial.add(Shape::disc(radius), DVec3::Y * (radius / cosine));
        let mut told = Vec::new();
        trial.run(100, |Seen { contacts, .. }| told = contacts.to_vec());
        assert_eq!(told.len(), 2);
        let expected = trial.model.bodies[0].mass * 9.81 * 0.01 / (2.0 * cosine);
        for contact in told {
            let push = contact.force.length();
            assert!((push / expected - 1.0).abs() < 0.01, "{mode:?} {push} {expected}");
        }
    }
}

/// Sixty bodies in a mesh of several thousand triangles: nothing gets out.
#[test]
fn a_heap_stays_in_a_fine_mesh() {
    let mut trial = in_mesh(&Mesh::ball(2.0, 4));
    for k in 0..60 {
        let place = DVec3::new(f64::from(k % 4), f64::from(k / 4 % 4), f64::from(k / 16));
        let at = (place - DVec3::new(1.5, 1.5, 1.5)) * 0.45;
        match k % 3 {
            0 => trial.ball(0.2, at),
            1 => trial.cube(0.15, at),
            _ => trial.add(Shape::capsule(0.1, 0.2).unwrap(), at),
        };
    }
    trial.run(60, |_| ());
    for (body, at) in trial.state.positions.iter().enumerate() {
        let (out, _) = trial.model.sticks_out(&trial.state, body);
        assert!(out < 5e-3, "{body} {at} {out}");
    }
}
