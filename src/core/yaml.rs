//! YAML facade.
