//! `cargo xtask features PACKAGE`: a package with each of its features alone, and without any.

use crate::process::{Failure, cargo};

/// Checks a package without its features, without a warning, and with each alone.
pub(crate) fn run(package: &str) -> Result<(), Failure> {
    let bare = ["clippy", "--package", package, "--no-default-features"];
    cargo(bare.into_iter().chain(["--", "-D", "warnings"]))?;
    for feature in &features(package)? {
        let alone = ["check", "--quiet", "--package", package, "--no-default-features"];
        cargo(alone.into_iter().chain(["--features", feature]))?;
    }
    Ok(())
}

/// Returns the features of a package of `crates`, except the default ones together.
fn features(package: &str) -> Result<Vec<String>, Failure> {
    let path = format!("crates/{package}/Cargo.toml");
    let manifest = std::fs::read_to_string(crate::root().join(&path))
        .map_err(|error| Failure(format!("{path}: {error}")))?;
    let manifest: toml::Table =
        manifest.parse().map_err(|error| Failure(format!("{path}: {error}")))?;
    let features = manifest.get("features").and_then(toml::Value::as_table);
    let names = features.into_iter().flat_map(toml::Table::keys);
    Ok(names.filter(|name| *name != "default").cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_those_of_the_manifest() {
        let features = features("prowess").expect("the manifest is a file of the workspace");
        assert!(features.contains(&"search".to_owned()), "{features:?}");
        assert!(!features.contains(&"default".to_owned()), "{features:?}");
    }
}
