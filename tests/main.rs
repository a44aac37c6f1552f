//! The promises, one file each, in one program: linking twenty of them would
//! take longer than running them. `cargo test --test promises forces::` runs
//! those of one file.

mod common;

mod any_scene;
mod articulated;
mod bad_input;
mod capability;
mod cloth;
mod collapse;
mod compact_by_hand;
mod compaction;
mod contacts_move;
mod determinism;
mod documents;
mod dynamics;
mod edges;
mod energy_never_rises;
mod escape;
mod examples;
mod export;
mod faults;
mod forces;
mod headline;
mod motion;
mod no_overlap;
mod no_wandering;
mod one_scene;
mod papers;
mod phases;
mod pictures;
mod placed;
mod rest_is_proved;
mod run_file;
mod scenes;
mod shapes;
mod turning;
mod units;
mod verify;
