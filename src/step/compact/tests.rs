use super::*;

/// Reads a published layout, if the data is there.
fn record(name: &str) -> Option<Layout> {
    let path = format!("{}/../shared/data/nesting/layouts/{name}.svg", env!("CARGO_MANIFEST_DIR"));
    let path = if std::path::Path::new(&path).exists() {
        path
    } else {
        format!("/work/shared/data/nesting/layouts/{name}.svg")
    };
    match Layout::read(std::path::Path::new(&path)) {
        Ok(layout) => Some(layout),
        Err(_) => {
            eprintln!("SKIPPED: {path} is absent");
            None
        }
    }
}

#[test]
fn try_records() {
    for name in ["fu", "jakobs1", "marques", "shapes0", "trousers"] {
        let Some(mut layout) = record(name) else { return };
        let begin = cpu_time::ProcessTime::now();
        let report =
            compact(&mut layout, &Options::default(), |l| eprintln!("   {}", l.strip.length()))
                .unwrap();
        let shorter = 100.0 * (1.0 - report.length_end / report.length_start);
        eprintln!(
            "{name} {} -> {} shorter {shorter:.5} % overlap {:e} jumps {} links {} path {:?} cpu {:?} left {:e}",
            report.length_start,
            report.length_end,
            report.overlap_start,
            report.jumps,
            report.chain.links.len(),
            report.chain.path.len(),
            begin.elapsed(),
            report.chain.left_to_gain
        );
    }
}
