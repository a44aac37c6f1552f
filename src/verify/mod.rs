mod cells;
mod distance;
mod inside;
mod sweep;
