use riprap::trajectory::Reader;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let r = Reader::open(a[1].as_ref()).unwrap();
    riprap_viewer::write_page(&r, a[2].as_ref(), Default::default()).unwrap();
}
