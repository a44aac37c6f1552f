use super::*;
use crate::layout::{Item, Placed};
use crate::shape::{MassProperties, Outline};
use std::f64::consts::PI;

/// An entity: its kind and its groups.
type Written = (&'static str, &'static str);

/// A drawing of entities.
fn drawing(entities: &[(&str, &str)]) -> String {
    let mut text = String::from(
        "  0\r\nSECTION\r\n2\r\nHEADER\r\n9\r\n$INSUNITS\r\n70\r\n4\r\n0\r\nENDSEC\r\n\
         0\r\nSECTION\r\n2\r\nBLOCKS\r\n0\r\nBLOCK\r\n2\r\npart\r\n10\r\n1.0\r\n20\r\n1.0\r\n\
         0\r\nCIRCLE\r\n8\r\n0\r\n10\r\n1.0\r\n20\r\n1.0\r\n40\r\n2.0\r\n0\r\nENDBLK\r\n0\r\nENDSEC\r\n\
         0\r\nSECTION\r\n2\r\nENTITIES\r\n0\r\nLWPOLYLINE\r\n8\r\nSTRIP\r\n70\r\n1\r\n10\r\n0\r\n20\r\n0\r\n\
         10\r\n100\r\n20\r\n0\r\n10\r\n100\r\n20\r\n50\r\n10\r\n0\r\n20\r\n50\r\n",
    );
    for (kind, groups) in entities {
        text += &format!("  0\r\n{kind}\r\n");
        for pair in groups.split_whitespace() {
            let (code, value) = pair.split_once('=').unwrap();
            text += &format!(" {code}\r\n  {value}\r\n");
        }
    }
    text + "0\r\nENDSEC\r\n0\r\nEOF\r\n"
}

fn read_here(text: &str) -> Result<Layout> {
    read(text.as_bytes(), "d", Some(1e-3))
}

const TRIANGLE: [Written; 3] = [
    ("LINE", "5=A1 8=CUT 10=10 20=10 11=14 21=10"),
    ("LINE", "5=A2 8=CUT 10=14 20=13 11=10 21=10"),
    ("LINE", "5=A3 8=CUT 10=14 20=10.0000001 11=14 21=13"),
];

#[test]
fn every_entity_is_read() {
    let spline = "8=0 70=1 71=2 40=0 40=0 40=0 40=1 40=1 40=2 40=2 40=2 \
                  10=10 20=10 10=15 20=20 10=20 20=10 10=15 20=0 10=10 20=10";
    let half = "8=0 70=0 10=10 20=10 42=1 10=20 20=10 42=1 10=10 20=10";
    let cases: Vec<(Vec<Written>, f64, f64)> = vec![
        (vec![("CIRCLE", "8=0 10=20 20=20 40=5")], 25.0 * PI, 32.0),
        (vec![("CIRCLE", "8=0 10=-20 20=20 40=5 230=-1")], 25.0 * PI, 32.0),
        (
            vec![("ELLIPSE", "8=0 10=20 20=20 11=4 21=3 40=0.4 41=0 42=6.283185307179586")],
            10.0 * PI,
            25.0,
        ),
        (vec![("LWPOLYLINE", "8=0 70=1 10=10 20=10 10=14 20=10 10=14 20=13")], 6.0, 12.0),
        (vec![("LWPOLYLINE", half)], 25.0 * PI, 32.0),
        (
            vec![("LWPOLYLINE", "8=0 70=1 10=10 20=10 10=20 20=10 42=-1 10=20 20=20 10=10 20=20")],
            100.0 - 12.5 * PI,
            48.0,
        ),
        (
            vec![
                ("POLYLINE", "8=0 66=1 70=1"),
                ("VERTEX", "10=10 20=10 42=1"),
                ("VERTEX", "10=20 20=10"),
                ("SEQEND", "8=0"),
            ],
            12.5 * PI,
            26.0,
        ),
        (TRIANGLE.to_vec(), 6.0, 12.0),
        (
            vec![
                ("ARC", "8=0 10=20 20=20 40=5 50=270 51=90"),
                ("LINE", "8=0 10=20 20=15 11=20 21=25"),
            ],
            12.5 * PI,
            26.0,
        ),
        // Two parabolic segments, each two thirds of its box.
        (vec![("SPLINE", spline)], 2.0 * 2.0 / 3.0 * 10.0 * 5.0, 50.0),
        (vec![("INSERT", "8=0 2=part 10=20 20=20 41=2 42=2 50=30")], 16.0 * PI, 26.0),
        // Holes in rows and columns of a plate.
        (
            vec![
                ("LWPOLYLINE", "8=0 70=1 10=10 20=10 10=30 20=10 10=30 20=30 10=10 20=30"),
                ("INSERT", "8=0 2=part 10=14 20=24 41=0.5 42=0.5 50=-90 70=2 71=2 44=8 45=8"),
            ],
            400.0 - 4.0 * PI,
            110.0,
        ),
        // Through two points a spline is straight.
        (
            vec![
                ("SPLINE", "8=0 71=3 11=10 21=10 11=14 21=10"),
                ("LINE", "8=0 10=14 20=10 11=14 21=13"),
                ("LINE", "8=0 10=14 20=13 11=10 21=10"),
            ],
            6.0,
            12.0,
        ),
    ];
    for (entities, area, around) in cases {
        let layout = read_here(&drawing(&entities)).unwrap_or_else(|p| panic!("{entities:?}: {p}"));
        assert_eq!(layout.placed.len(), 1, "{entities:?}");
        assert!(layout.notes.contains(&"lengths are in millimetres".to_string()));
        let found = MassProperties::of_loops(layout.items[0].outline.loops()).volume;
        assert!(found > area - 1e-6 * area, "{entities:?}: {found} {area}");
        assert!(found < area + 1e-3 * around, "{entities:?}: {found} {area}");
    }
}

#[test]
fn only_coordinates_of_what_moved_change() {
    let text = drawing(&[
        TRIANGLE[0],
        TRIANGLE[1],
        TRIANGLE[2],
        ("TEXT", "5=A4 8=ENGRAVE 10=13 20=11 11=13.5 21=11 40=0.2 1=seven"),
        ("INSERT", "8=FIXED 2=part 10=40 20=20"),
        ("CIRCLE", "8=0 10=-70 20=20 40=5 230=-1"),
        ("TEXT", "8=0 10=90 20=45 40=1 1=title"),
        ("WIPEOUT", "8=0 10=1 20=1"),
    ]);
    let mut layout = read_here(&text).unwrap();
    assert_eq!(layout.placed.len(), 3);
    assert_eq!(write(&layout), text.as_bytes());
    let notes = layout.notes.join("; ");
    assert!(
        notes.contains("TEXT on layer 0 in line") && notes.contains("WIPEOUT on layer 0"),
        "{notes}"
    );
    let fixed: Vec<bool> = layout.placed.iter().map(|placed| placed.fixed).collect();
    assert_eq!(fixed.iter().filter(|&&f| f).count(), 1);
    for placed in layout.placed.iter_mut().filter(|placed| !placed.fixed) {
        placed.translation = [2.0, 0.5];
    }
    let written = String::from_utf8(write(&layout)).unwrap();
    let expected = text
        .replace("10\r\n  10\r\n", "10\r\n  12.0\r\n")
        .replace("20\r\n  10\r\n", "20\r\n  10.5\r\n")
        .replace("10\r\n  13\r\n", "10\r\n  15.0\r\n")
        .replace("10\r\n  -70\r\n", "10\r\n  -72.0\r\n");
    assert!(expected != text);
    for line in ["  -72.0", "  15.5", "  12.0", "  13.5", "  10.5000001", "seven", "A4"] {
        assert!(written.contains(&format!("{line}\r\n")), "{line}\n{written}");
    }
    assert!(written.contains("  90\r\n") && written.contains("  40\r\n"));
    let again = read_here(&written).unwrap();
    assert_eq!(again.placed.len(), 3);
}

#[test]
fn new_drawings_come_back() {
    let outline = Outline::new(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.5]], &[]).unwrap();
    let item = |id| Item::new(id, outline.clone(), 1);
    let place = |item, x, fixed| Placed { item, rotation: 0.0, translation: [x, 0.0], fixed };
    let strip = Strip { min: [0.0, 0.0], max: [5.0, 3.0] };
    let placed = vec![place(0, 0.0, false), place(1, 2.5, true)];
    let layout = Layout::new("d", vec![item(0), item(1)], strip, placed);
    let again = read(&write(&layout), "d", None).unwrap();
    assert_eq!(again.strip, layout.strip);
    let pieces = |layout: &Layout| -> Vec<_> {
        layout.placed.iter().map(|placed| (layout.piece(placed), placed.fixed)).collect()
    };
    assert_eq!(pieces(&again), pieces(&layout));
}

#[test]
fn problems_are_named() {
    let refused =
        |entities: &[(&str, &str)]| read_here(&drawing(entities)).unwrap_err().to_string();
    assert!(read(b"0\nSECTION\n0\nENDSEC\n", "d", None).unwrap_err().message.contains("no strip"));
    assert!(read(b"AutoCAD Binary DXF\r\n", "d", None).unwrap_err().message.contains("binary"));
    assert!(read(b"zero\nSECTION\n", "d", None).unwrap_err().message.contains("line 1"));
    let circle = |radius: &str| format!("8=0 10=20 20=20 40={radius}");
    assert!(refused(&[("CIRCLE", &circle("none"))]).contains("\"none\" is not a coordinate"));
    assert!(refused(&[("CIRCLE", "8=0 10=20 20=20")]).contains("no number with the code 40"));
    assert!(refused(&[("INSERT", "8=0 2=other 10=1 20=1")]).contains("a block that is not there"));
    let apart = refused(&[("INSERT", "8=0 2=part 10=9 20=9 70=3 44=9")]);
    assert!(apart.contains("draws more than one piece"), "{apart}");
    let many = refused(&[("INSERT", "8=0 2=part 10=9 20=9 70=99999 71=99999")]);
    assert!(many.contains("too many columns and rows"), "{many}");
    let round = refused(&[("SPLINE", "8=0 70=1 71=3 11=1 21=1 11=2 21=1 11=2 21=3")]);
    assert!(round.contains("closed and has fit points only"), "{round}");
    assert!(refused(&[("SPLINE", "8=0 71=3 11=1 21=1")]).contains("has no points"));
    let open = read_here(&drawing(&TRIANGLE[..2])).unwrap();
    assert!(open.placed.is_empty() && open.notes.iter().any(|n| n.contains("no part of a piece")));
}

/// An arc that is all but straight has an endless radius, which is not the size of the drawing.
#[test]
fn bulges_of_nearly_nothing_are_straight() {
    for bulge in ["1e-300", "1e-12", "1e-7", "-1e-7"] {
        let groups =
            format!("8=CUT 70=1 10=10 20=10 42={bulge} 10=20 20=10 10=20 20=20 10=10 20=20");
        let text = drawing(&[("LWPOLYLINE", &groups)]);
        let layout = read(text.as_bytes(), "d", None).unwrap();
        let area = MassProperties::of_loops(layout.items[0].outline.loops()).volume;
        assert!((area - 100.0).abs() < 1e-4, "{bulge}: {area}");
    }
}
