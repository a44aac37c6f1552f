//! Pictures of scenes of the gallery, run for a few steps.

use std::ops::ControlFlow;

use riprap::trajectory::Reader;
use riprap_pictures::{MovieOptions, Options, Playback, render, render_still};

#[test]
fn rigid_bodies_in_motion_are_drawn_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("car.riprap");
    let never = std::sync::atomic::AtomicBool::new(false);
    let options = riprap::run::Options {
        out: out.clone(),
        force: true,
        max_steps: Some(30),
        interrupted: &never,
        progress: &mut |_| (),
    };
    riprap::run::run(&riprap::scene::gallery::scene("car").unwrap(), options).unwrap();
    let reader = Reader::open(&out).unwrap();
    let tiny = Options { width: 48, height: 36, samples: 1, ..Options::default() };
    let draw = |frame: usize| render_still(&reader, Some(frame), &tiny).unwrap();
    assert_eq!(draw(0), draw(0));
    assert_ne!(draw(0), draw(30), "the car has moved");
    let movie = folder.path().join("car.gif");
    let how = MovieOptions { playback: Playback::Stored, ..MovieOptions::default() };
    let mut quietly = |_, _| ControlFlow::Continue(());
    let drawn = render(&reader, &movie, None, &tiny, &how, &mut quietly).unwrap();
    assert_eq!(drawn.frames, 31);
}
