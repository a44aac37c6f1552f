//! Run files made visible: one self-contained interactive page
//! ([`page`]), vector pictures ([`svg()`], and [`verdict_svg`] for the
//! answer to "does it stand?"), plots ([`plot`]), and a small server, on this
//! machine only, for whoever would rather not keep a file ([`serve()`]). Nothing
//! here needs a network, a graphics card or a library besides the browser's own.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod contacts;
mod draw;
mod markup;
mod order;
mod page;
mod palette;
mod paper;
pub mod plot;
mod polar;
#[cfg(test)]
mod samples;
mod serve;
mod svg;
mod verdict;

pub use page::{PageOptions, Report, page, report};
pub use polar::polar_svg;
pub use serve::{Server, serve};
pub use svg::{Picture, Strip, svg};
pub use verdict::{lowest_svg, verdict_svg};
