use super::*;
use crate::layout::Placed;
use crate::shape::MassProperties;
use std::f64::consts::PI;

const RECORD: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 32 12">
<g id="bin_0"><path d="M0,0 L30,0 L30,10 L0,10 z"/></g>
<g id="items"><defs><g id="item_5"><path d="M0,0 L2,0 L2,3 z"/></g></defs>
<use transform="translate(1.5 2), rotate(0)" href="#item_5"/>
<use href="#item_5" transform="rotate(180)" data-fixed="true" x="-9" y="-9"/></g></svg>"##;

fn drawing(inside: &str) -> String {
    format!("<svg viewBox='0 0 100 50'><rect id='strip' width='100' height='50'/>{inside}</svg>")
}

fn piece_area(layout: &Layout, index: usize) -> f64 {
    MassProperties::of_loops(layout.items[layout.placed[index].item].outline.loops()).volume
}

fn read_here(text: &str) -> Layout {
    read(text, "x", None).unwrap()
}

#[test]
fn records_are_read_and_written() {
    let layout = read_here(RECORD);
    assert_eq!((layout.items.len(), layout.placed.len(), layout.items[0].demand), (1, 2, 2));
    assert_eq!((layout.items[0].id, layout.placed[0].translation), (5, [1.5, 2.0]));
    assert!(layout.placed[1].fixed && layout.placed[1].rotation == 180.0);
    assert!((DVec2::from(layout.placed[1].translation) - DVec2::splat(9.0)).length() < 1e-12);
    assert_eq!(layout.strip.max, [30.0, 10.0]);
    // As a record of our own, and back.
    let copy = Layout { drawing: None, ..layout.clone() };
    let again = read_here(&write(&copy, None));
    assert_eq!((&again.items, &again.placed), (&layout.items, &layout.placed));
    assert_eq!(again.strip, layout.strip);
    assert!(!write(&copy, None).contains("chain"));
    assert!(write(&copy, Some(&[[[0.0, 1.0], [2.0, 3.0]]])).contains("id=\"chain\""));
}

#[test]
fn only_transforms_change() {
    let text = drawing(
        "<!-- kept --><g transform='matrix(0 2 -2 0 40 5)' style='fill:none;stroke:red'>\
         <rect id='a' width='5' height='3' rx='1'/></g>\
         <path id='b' transform='translate(3) rotate(10 4 4)' d='M4 4 h4 v4 z'/>",
    );
    let mut layout = read_here(&text);
    assert_eq!(layout.placed.len(), 2);
    assert_eq!(write(&layout, None), text);
    for placed in &mut layout.placed {
        placed.translation = [placed.translation[0] + 2.0, placed.translation[1] - 1.0];
    }
    let written = write(&layout, None);
    assert!(written.contains("translate(5 -1) rotate(10 4 4)"));
    assert!(written.contains("<!-- kept -->") && written.contains("stroke:red"));
    let again = read_here(&written);
    for (index, (one, two)) in layout.placed.iter().zip(&again.placed).enumerate() {
        let here = layout.piece(one).concat();
        let there = again.piece(two).concat();
        for (a, b) in here.iter().zip(&there) {
            assert!((DVec2::from(*a) - DVec2::from(*b)).length() < 1e-12, "{index}");
        }
    }
    // A record is as long as its layout, whose strip is scaled.
    let mut record = read_here(RECORD);
    record.strip.max[0] = 20.0;
    assert_eq!(read_here(&write(&record, None)).strip, record.strip);
}

/// Copies of what is drawn itself take back what it gains: each comes to lie where it was put, those that
/// are copies of copies and turned ones, too.
#[test]
fn copies_of_pieces_go_their_own_way() {
    let text = drawing(
        "<g transform='translate(1 2) scale(2)'><rect id='a' x='1' y='1' width='4' height='3' transform='rotate(10)'/></g>\
         <use id='b' href='#a' transform='translate(30 3)'/>\
         <g transform='rotate(5)'><use id='c' href='#b' x='20' y='7'/></g>",
    );
    let mut layout = read_here(&text);
    assert_eq!(layout.placed.len(), 3);
    let turns = [0.0, 15.0, -40.0];
    for (placed, (k, turn)) in layout.placed.iter_mut().zip((1..).zip(turns)) {
        placed.rotation += turn;
        placed.translation = [placed.translation[0] + f64::from(k), placed.translation[1] + 2.0];
    }
    let again = read_here(&write(&layout, None));
    assert_eq!(again.placed.len(), 3);
    for (index, (one, two)) in layout.placed.iter().zip(&again.placed).enumerate() {
        let (here, there) = (layout.piece(one).concat(), again.piece(two).concat());
        for (a, b) in here.iter().zip(&there) {
            assert!((DVec2::from(*a) - DVec2::from(*b)).length() < 1e-9, "{index}: {a:?} {b:?}");
        }
    }
    // What only the original moves, moves nothing else.
    let parts = "<g id='g'><rect x='1' y='1' width='4' height='3'/></g><use href='#g' x='20'/>";
    let problem = read(&drawing(parts), "x", None).unwrap_err();
    assert!(problem.message.contains("a copy of <g id=\"g\">"), "{problem}");
}

#[test]
fn what_is_clipped_is_read_whole_and_told() {
    let cut = read_here(&drawing("<path clip-path='url(#c)' d='M1 1h4v4z'/>"));
    assert!(cut.notes.iter().any(|note| note.contains("clip-path")));
}

/// Areas are those of the shapes, or more by no more than the tolerance times the length around.
#[test]
fn every_shape_is_read() {
    let cases = [
        ("<circle cx='20' cy='20' r='5'/>", 25.0 * PI, 10.0 * PI),
        ("<ellipse cx='20' cy='20' rx='5' ry='2'/>", 10.0 * PI, 24.0),
        ("<rect x='9' y='9' width='10' height='4' rx='2'/>", 40.0 - 16.0 + 4.0 * PI, 28.0),
        ("<polygon points='1,1 5,1 5,4'/>", 6.0, 12.0),
        ("<polyline points='1,1 5,1 5,4'/>", 6.0, 12.0),
        ("<path d='M10 10 a5 5 0 1 1 0 10 a5 5 0 0 1 0-10'/>", 25.0 * PI, 32.0),
        ("<path d='M10,10 A 5 5 0 0 0 20 10 z'/>", 12.5 * PI, 26.0),
        // A parabola's segment: two thirds of its box; and its smooth continuation.
        ("<path d='M10 10 Q 15 20 20 10 Z'/>", 2.0 / 3.0 * 10.0 * 5.0, 30.0),
        ("<path d='m10 10 q 2.5 10 5 0 t 5 0 v20 h-10 z'/>", 200.0, 80.0),
        ("<path d='M10 10 C 10 20 20 20 20 10 S 30 0 30 10 v10 h-20 z'/>", 200.0, 80.0),
        ("<path d='M1 1 L9 1 9 9 1 9z M3 3 L3 5 5 5 5 3z'/>", 60.0, 40.0),
        ("<path fill-rule='evenodd' d='M1 1h8v8h-8z M3 3h2v2h-2z'/>", 60.0, 40.0),
        ("<path d='M1 1h8v8h-8z M3 3h2v2h-2z'/>", 64.0, 40.0),
        (
            "<rect x='1' y='1' width='8' height='8'/><circle cx='5' cy='5' r='2'/>",
            64.0 - 4.0 * PI,
            50.0,
        ),
        (
            "<g fill='none'><path d='M1 1 H 9'/><path d='M9 9 V 1'/><path d='M9 9 L1 1'/></g>",
            32.0,
            28.0,
        ),
        (
            "<rect width='4' height='2' transform='rotate(30 5 5) skewX(20) scale(2 -3) translate(9 -9)'/>",
            48.0,
            60.0,
        ),
        (
            "<g transform='translate(9 9)'><use href='#t' x='4'/></g><defs><path id='t' d='M0 0h2v2z'/></defs>",
            2.0,
            8.0,
        ),
        ("<rect x='10mm' y='1' width='1in' height='12pt'/>", 96.0 * 16.0, 300.0),
    ];
    for (shape, area, around) in cases {
        let text = drawing(shape).replace("width='100'", "width='300'");
        let layout = read(&text, "x", Some(1e-3)).unwrap_or_else(|p| panic!("{shape}: {p}"));
        assert_eq!(layout.placed.len(), 1, "{shape}");
        let found = piece_area(&layout, 0);
        assert!(found > area - 1e-9 * area, "{shape}: {found} {area}");
        assert!(found < area + 1e-3 * around, "{shape}: {found} {area}");
    }
}

#[test]
fn what_lies_inside_moves_along_and_the_rest_is_named() {
    let text = drawing(
        "<rect x='10' y='10' width='20' height='20'/><text x='15' y='15'>part 7</text>\
         <line x1='12' y1='12' x2='18' y2='12' stroke='blue'/><text x='70' y='5'>title</text>\
         <circle cx='22' cy='22' r='4'/><circle cx='22' cy='22' r='2'/><fancy id='f'/>\
         <path id='h' display='none' d='M0 0h9v9z'/>",
    );
    let mut layout = read_here(&text);
    // The ring's inside is a piece of its own.
    assert_eq!(layout.placed.len(), 2);
    let notes = layout.notes.join("; ");
    assert!(notes.contains("<text> in line 1 is no part of a piece, and stays"), "{notes}");
    assert!(notes.contains("<fancy id=\"f\"> is not understood"), "{notes}");
    assert!(notes.contains("<path id=\"h\"> is hidden"), "{notes}");
    layout.placed[0] = Placed { translation: [1.0, 0.0], ..layout.placed[0] };
    let written = write(&layout, None);
    assert_eq!(written.matches("transform=\"translate(1 0)\"").count(), 4, "{written}");
}

#[test]
fn the_page_or_a_rectangle_is_the_strip() {
    let piece = "<path d='M1 1h8v8z'/>";
    let page = read_here(&format!(
        "<svg width='210mm' height='297mm' viewBox='0 0 210 297'>{piece}</svg>"
    ));
    assert_eq!(page.strip.max, [210.0, 297.0]);
    assert!(page.notes.iter().any(|n| n.contains("1.000000 mm")), "{:?}", page.notes);
    let sheet = read_here(&format!("<svg><rect width='50' height='20'/>{piece}</svg>"));
    assert_eq!((sheet.strip.max, sheet.placed.len()), ([50.0, 20.0], 1));
}

#[test]
fn problems_are_named() {
    let refused = |text: &str| read(text, "x", None).unwrap_err().to_string();
    assert!(refused("<svg><path d='M0 0h1v1z'/></svg>").contains("the drawing has no strip"));
    assert!(refused("<svg").contains("the drawing is not XML"));
    let unknown = refused(&RECORD.replace("\"#item_5\" transform", "\"#item_6\" transform"));
    assert!(unknown.contains("is a copy of \"#item_6\", which does not exist"), "{unknown}");
    let bad = refused(&drawing("<path id='p' d='M1 1 L 2 x'/>"));
    assert!(bad.contains("<path id=\"p\">: its path is not understood"), "{bad}");
    assert!(refused(&drawing("<rect width='50%' height='3'/>")).contains("relative to something"));
    assert!(refused(&drawing("<path transform='frob(2)' d='M0 0h1v1z'/>")).contains("transform"));
    assert!(refused(&drawing("<path transform='scale(0)' d='M0 0h1v1z'/>")).contains("flat"));
    let two = refused(&drawing("<path id='q' d='M1 1h8v8z M20 20h8v8z'/>"));
    assert!(two.contains("<path id=\"q\"> draws more than one piece"), "{two}");
    let loops = "<g id='a'><use href='#a'/></g>";
    assert!(refused(&drawing(loops)).contains("a copy of a copy"));
    let crossed = refused(&drawing("<path id='z' d='M1 1 L9 9 L9 1 L1 5 z'/>"));
    assert!(crossed.contains("<path id=\"z\">"), "{crossed}");
}

/// Coordinates that areas have no digits for, and tolerances that would make millions of corners.
#[test]
fn numbers_out_of_reach_are_refused() {
    for d in ["M4 4 h1e30 v4 z", "M4 4 C 5 -1e308 6 4 7 4 z", "M4 4 h4 v4 z m1e13 0 h1 v1 z"] {
        let problem = read(&drawing(&format!("<path id='far' d='{d}'/>")), "x", None).unwrap_err();
        let told = problem.to_string();
        assert!(told.contains("far") && told.contains("at most 1e12"), "{told}");
    }
    let circle = drawing("<circle cx='20' cy='20' r='9'/>");
    assert!(read(&circle, "x", Some(1e-4)).is_ok());
    let told = read(&circle, "x", Some(1e-9)).err().unwrap().to_string();
    assert!(told.contains("too fine") && told.contains("at least 1e-4"), "{told}");
    let told = read(&circle, "x", Some(1e9)).err().unwrap().to_string();
    assert!(told.contains("too coarse") && told.contains("at most 1e1"), "{told}");
}

/// As tracing leaves it: the line goes a little too far, comes back, and goes on across itself.
#[test]
fn small_loops_are_covered_and_told() {
    let layout = read_here(&drawing(
        "<path id='spike' d='M10 10 L20 10 L19.9 10.001 L19 9.99 L30 9 L30 20 L10 20 z'/>",
    ));
    assert_eq!(layout.placed.len(), 1);
    let told = layout.notes.join(" ");
    assert!(told.contains("spike") && told.contains("small loops: 1"), "{told}");
    assert!((piece_area(&layout, 0) - 205.5).abs() < 0.1, "{}", piece_area(&layout, 0));
    let eight = "<path id='eight' d='M10 10 L20 20 L30 20 L30 10 L20 12 L10 20 z'/>";
    assert!(read(&drawing(eight), "x", None).is_err());
}

/// What a browser draws is what is read: by attributes, by `style` and by sheets alike.
#[test]
fn styles_shape_what_is_read() {
    let sheet = "<style>/* circle{r:1px} */ circle.k, #own { r: 4px; fill:none } .out{display:none}
        @font-face { font-family: x; src: url('a;}b') } g > .k.b { r: 2px !important }
        rect:hover { transform: scale(2) } .x .y { stroke: red }</style>";
    let cases = [
        ("<circle cx='20' cy='20' r='1' style='r:5px'/>", 25.0 * PI),
        ("<circle r='5' style='stroke:red;cx:20px; cy : 20px'/>", 25.0 * PI),
        ("<rect x='9' y='9' width='1' height='4' style='width:10mm'/>", 40.0 * 96.0 / 25.4),
        ("<circle class='a k' cx='20' cy='20' r='5'/>", 16.0 * PI),
        ("<circle class='k' cx='20' cy='20' r='1' style='r:5px'/>", 25.0 * PI),
        ("<circle class='k' id='own' cx='20' cy='20'/>", 16.0 * PI),
        ("<g><circle class='b k' cx='20' cy='20' style='r:5px'/></g>", 4.0 * PI),
        ("<circle class='out' cx='70' cy='20' r='9'/><circle cx='20' cy='20' r='5'/>", 25.0 * PI),
    ];
    for (text, area) in cases {
        let layout = read_here(&drawing(&format!("{sheet}{text}")));
        assert_eq!(layout.placed.len(), 1, "{text}");
        let found = piece_area(&layout, 0);
        assert!((found - area).abs() < 0.01 * area, "{text}: {found} {area}");
    }
}

/// What would draw an element elsewhere, and is not read, is refused by name.
#[test]
fn styles_that_place_are_refused() {
    let sheet = |rule: &str| format!("<style>{rule}</style><rect id='p' width='9' height='9'/>");
    let styled = |style: &str| format!("<rect id='p' width='9' height='9' {style}/>");
    let cases = [
        (styled("transform='rotate(90)' transform-origin='4 4'"), "transform-origin"),
        (styled("style='transform:rotate(3deg)'"), "the style transform,"),
        (styled("style='transform-box:fill-box'"), "transform-box"),
        (styled("style='rotate:3deg'"), "the style rotate"),
        (styled("style='width:50%'"), "width is relative"),
        (styled("style='width:20'"), "no unit"),
        (styled("style='width:calc(2px + 3px)'"), "width is no length"),
        ("<path id='p' d='M1 1h3v3z' style='d:path(\"M0 0h9v9z\")'/>".into(), "the style d,"),
        (sheet("#p{transform:rotate(45deg)}"), "the style transform,"),
        (sheet("rect:nth-child(2){width:3px}"), "`rect:nth-child(2)` gives width"),
        (sheet("@media print{rect{x:3px}}"), "`rect` gives x"),
    ];
    for (text, part) in cases {
        let problem = read(&drawing(&text), "x", None).err().unwrap_or_else(|| panic!("{text}"));
        let is_placed = problem.message.contains("\"p\"") || problem.message.contains("<style>");
        assert!(problem.message.contains(part) && is_placed, "{text}: {problem}");
    }
    // Nothing of that has an effect.
    let plain =
        "transform-origin='0 0' style='transform:none;transform-box:view-box;translate:none'";
    assert_eq!(read_here(&drawing(&styled(plain))).placed.len(), 1);
    let unread = read_here(&drawing(&sheet("@import url(a.css); rect + rect{fill:none}")));
    let told = unread.notes.join("; ");
    assert!(told.contains("imports a style sheet") && told.contains("gives fill"), "{told}");
    let deep = "@media x{".repeat(99);
    assert!(read(&drawing(&sheet(&deep)), "x", None).unwrap_err().message.contains("blocks in"));
}

#[test]
fn hidden_elements_stay_and_are_told() {
    let text = "<g id='h' visibility='hidden'><rect x='1' y='1' width='9' height='9'/>\
                <rect x='20' y='1' width='9' height='9' visibility='visible'/></g>";
    let layout = read_here(&drawing(text));
    assert_eq!(layout.placed.len(), 1);
    assert_eq!(layout.piece(&layout.placed[0])[0][0][0], 20.0);
    assert!(layout.notes.iter().any(|note| note.contains("\"h\"") && note.contains("hidden")));
    let deep = format!("{}{}", "<g>".repeat(99), "</g>".repeat(99));
    let problem = read(&drawing(&deep), "x", None).unwrap_err();
    assert!(
        problem.message.contains("in groups") && !problem.message.contains("copy"),
        "{problem}"
    );
}
