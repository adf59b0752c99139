//! syntax.
