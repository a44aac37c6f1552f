#[allow(dead_code)]
#[path = "../src/samples/mod.rs"]
mod samples;
#[test]
fn dump() {
    let dir = std::path::PathBuf::from(std::env::var("DUMP").unwrap());
    for (name, run) in [
        ("settle", samples::finished(64, 13)),
        ("flat", samples::flat(12, 9)),
        ("collapse", samples::collapse(40)),
        ("dynamics", samples::dynamics(12, 40)),
        ("cloth", samples::cloth(30)),
        ("crowd", samples::crowd(2000, 30)),
    ] {
        riprap_viewer::write_page(
            &run.reader(),
            &dir.join(format!("{name}.html")),
            Default::default(),
        )
        .unwrap();
        let picture = riprap_viewer::Picture {
            forces: true,
            ..riprap_viewer::Picture::new(riprap_viewer::Strip::spread(3, run.reader().len()))
        };
        let _ = riprap_viewer::write_svg(&run.reader(), &dir.join(format!("{name}.svg")), &picture);
    }
}
