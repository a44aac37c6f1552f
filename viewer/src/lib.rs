//! Run files made visible: one self-contained interactive page ([`page`]),
//! vector pictures of 2D scenes ([`svg`]), plots ([`plot`]), and a small
//! server on this machine only for whoever would rather not keep a file
//! ([`serve`]). Nothing here needs a network, a graphics card or a library
//! besides the browser's own.

mod contacts;
mod file;
mod markup;
pub mod page;
pub mod palette;
pub mod plot;
#[cfg(test)]
mod samples;
pub mod serve;
pub mod svg;

pub use page::{PageOptions, page, write_page};
pub use serve::serve;
pub use svg::{Picture, Strip, write_svg};
