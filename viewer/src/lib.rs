//! Run files made visible: one self-contained interactive page
//! ([`write_page`]), vector pictures of 2D scenes ([`write_svg`]), plots
//! ([`plot`]), and a small server, on this machine only, for whoever would
//! rather not keep a file ([`serve()`]). Nothing here needs a network, a
//! graphics card or a library besides the browser's own.

mod brick_page;
mod bricks;
mod contacts;
mod file;
mod markup;
mod page;
mod palette;
pub mod plot;
mod polar;
#[cfg(test)]
mod samples;
mod serve;
mod svg;

pub use bricks::{arrows, ghosts, verdict_svg, write_verdict};
pub use page::{PageOptions, page, write_page};
pub use polar::{polar_svg, write_polar};
pub use serve::{Server, serve};
pub use svg::{Picture, Strip, svg, write_svg};
