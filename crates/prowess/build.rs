//! Compiles the folder `skills` into the library.

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let variable = |name| PathBuf::from(std::env::var_os(name).expect("cargo sets it"));
    let skills = variable("CARGO_MANIFEST_DIR").join("skills");
    let table = variable("OUT_DIR").join("default_skills.rs");
    prowess_source_embedded::build::write_table(&skills, &table)
}
