//! A tree with places.
