//! Sweep.
