//! From a run file to pictures.

mod fixture;

use std::ops::ControlFlow;

use fixture::{FRAMES, Fixture, small, stored};
use riprap::math::DVec3;
use riprap::shape::{Boundary, Mesh};
use riprap_pictures::{Colours, MovieOptions, Options, Picture, Summary, render, render_still};

#[test]
fn a_picture_of_the_last_frame() {
    let fixture = Fixture::new();
    let summary = fixture.render("a.png", &stored()).unwrap();
    assert_eq!(summary, Summary { width: 40, height: 30, frames: 1, complete: true });
    let drawn = Picture::load(&fixture.path("a.png")).unwrap();
    assert_eq!(drawn, render_still(&fixture.reader, Some(FRAMES - 1), &small()).unwrap());
    assert_ne!(drawn, render_still(&fixture.reader, Some(0), &small()).unwrap());
}

fn coloured(fixture: &Fixture, colours: Option<Colours>) -> riprap::Result<Picture> {
    render_still(&fixture.reader, None, &Options { colours, ..small() })
}

#[test]
fn every_kind_of_colours_draws() {
    let fixture = Fixture::new();
    let kinds =
        [Colours::Group, Colours::Body, Colours::Radius, Colours::Displacement, Colours::Force];
    let pictures = kinds.map(|colours| coloured(&fixture, Some(colours)).unwrap());
    assert!((1..5).all(|i| pictures[i] != pictures[i - 1]));
    assert_eq!(coloured(&fixture, None).unwrap(), pictures[0], "two groups move");
    let problem = coloured(&fixture, Some(Colours::Speed)).unwrap_err();
    assert_eq!(problem.message, "bodies have no speed in a run of settle");
}

#[test]
fn speeds_and_forces_of_the_frame_have_colours() {
    let fixture = Fixture::turning();
    let draw = |frame: usize, colours: Colours| {
        let options = Options { colours: Some(colours), ..small() };
        render_still(&fixture.reader, Some(frame), &options).unwrap()
    };
    let kinds = [Colours::Body, Colours::Speed, Colours::Force];
    let pictures = kinds.map(|colours| draw(4, colours));
    assert!(pictures[0] != pictures[1] && pictures[1] != pictures[2]);
}

#[test]
fn camera_and_background_are_as_asked_for() {
    let fixture = Fixture::new();
    let draw = |options: &Options| render_still(&fixture.reader, None, options).unwrap();
    let usual = draw(&small());
    let far = Options { camera: Some(DVec3::new(2.0, -60.0, 2.0)), ..small() };
    let close = Options { look_at: Some(DVec3::new(2.0, 2.0, 1.0)), ..far.clone() };
    let upside_down = Options { up: Some(DVec3::NEG_Z), ..close.clone() };
    let pictures = [usual, draw(&far), draw(&close), draw(&upside_down)];
    assert!((1..4).all(|i| pictures[i] != pictures[i - 1]));
    let blue = draw(&Options { background: Some([0, 40, 200]), ..close });
    assert_eq!(blue.pixels[0], [0, 40, 200], "the corner shows nothing else");
}

#[test]
fn a_flat_run_draws() {
    let square = Boundary::from_polygon(&[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]);
    let fixture = Fixture::of(square, 2);
    let picture = render_still(&fixture.reader, None, &small()).unwrap();
    let mut colours = picture.pixels.clone();
    colours.sort();
    colours.dedup();
    assert!(colours.len() > 100);
}

#[test]
fn an_hourglass_gets_its_frame() {
    let brown = |p: &&[u8; 3]| p[0] as i32 > p[2] as i32 + 40;
    let options = Options { width: 80, height: 60, samples: 2, ..small() };
    let wood = |waist: f64| {
        let profile = Mesh::profile(&[[0.0, 2.0], [3.0, waist], [6.0, 2.0]], 24);
        let fixture = Fixture::of(Boundary::from_mesh(&profile), 3);
        let picture = render_still(&fixture.reader, None, &options).unwrap();
        picture.pixels.iter().filter(brown).count()
    };
    let (hourglass, barrel) = (wood(0.5), wood(2.0));
    assert!(hourglass > barrel + 100, "{hourglass} brown pixels, {barrel} in a barrel");
}

#[test]
fn what_can_not_be_drawn_is_told() {
    let fixture = Fixture::new();
    let problem = |name: &str, frame: Option<usize>| {
        let (path, movie) = (fixture.path(name), MovieOptions::default());
        let go_on = &mut |_, _| ControlFlow::Continue(());
        let result = render(&fixture.reader, &path, frame, &small(), &movie, go_on);
        result.unwrap_err().to_string()
    };
    assert!(problem("a.bmp", None).contains("a picture ends in .png, a movie in .mp4 or .gif"));
    assert!(problem("noending", None).contains("the ending is not known"));
    assert!(problem("a.gif", Some(1)).starts_with("frame 1 alone makes no .gif"));
    assert_eq!(
        problem("a.png", Some(5)),
        "there is no frame 5\n  help: the run has 5 frames, counted from 0 to 4"
    );
    assert!(problem("nowhere/a.png", None).contains("nowhere/a.png"));
}
