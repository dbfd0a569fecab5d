//! Embeds a directory of skills into the plugin: the one in `PROWESS_EMBEDDED_SKILLS`, or by
//! default the one that is part of prowess.

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-env-changed=PROWESS_EMBEDDED_SKILLS");
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let always = |name| variable(name).expect("cargo sets it");
    let usual = || always("CARGO_MANIFEST_DIR").join("../../crates/prowess/skills");
    let skills = variable("PROWESS_EMBEDDED_SKILLS").unwrap_or_else(usual);
    let table = always("OUT_DIR").join("skills.rs");
    prowess_source_embedded::build::write_table(&skills, &table)
}
