//! Benches of what must feel instant: `cargo bench`, or `cargo bench -- frames` for one module. Quote ratios, not
//! milliseconds; allocations are exact, so that two runs can be compared anywhere.

// A bench is test code throughout.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod big;
mod conclude;
mod diff;
mod frames;
mod measured;
mod opening;
mod preflight;
mod snapshot;
mod text;

#[global_allocator]
static COUNTED: divan::AllocProfiler = divan::AllocProfiler::system();

fn main() {
    divan::main();
}
