//! Sets `cfg(shared)` when the shared corpus stands beside the repository, so that tests which need it can say so.
//! Must not know: anything about countersign itself.

// A build script reads its environment: that is how Cargo talks to it.
#![allow(clippy::disallowed_methods)]

fn main() {
    println!("cargo::rustc-check-cfg=cfg(shared)");
    println!("cargo::rerun-if-changed=../shared/corpus/README.md");
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    if std::path::Path::new(&root).join("../shared/corpus").is_dir() {
        println!("cargo::rustc-cfg=shared");
    } else if std::env::var_os("COUNTERSIGN_REQUIRE_SHARED").is_some() {
        println!("cargo::error=COUNTERSIGN_REQUIRE_SHARED is set, but ../shared/corpus is not there");
    }
    println!("cargo::rerun-if-env-changed=COUNTERSIGN_REQUIRE_SHARED");
}
