//! The file as a sequence of records.
