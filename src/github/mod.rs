//! github.
