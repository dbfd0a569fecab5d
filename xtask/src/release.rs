//! `cargo xtask release --dry-run`: packages every crate as a release would upload it.

use crate::process::{Failure, cargo, cargo_output};
use crate::root;
use crate::tidy::repository::Repository;

/// Packages the crates in the order of their dependencies. With `is_verified`, each is then built
/// from its package alone, with the packages before it instead of the workspace.
pub(crate) fn dry_run(is_verified: bool) -> Result<(), Failure> {
    let repository = Repository::read(&root())?;
    let names: Vec<&str> = repository.crates().map(|package| package.name.as_str()).collect();
    let mut arguments = vec!["package"];
    if !is_verified {
        arguments.push("--no-verify");
    }
    arguments.extend(names.iter().flat_map(|name| ["--package", name]));
    cargo(arguments)?;
    for name in &names {
        contents(name)?;
    }
    println!("{} crates are packaged", names.len());
    Ok(())
}

/// What a reader expects in each package, beside its code.
const EXPECTED: [&str; 4] = ["Cargo.toml", "README.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Checks that a package has its README and its licences.
fn contents(name: &str) -> Result<(), Failure> {
    let listed = cargo_output(&["package", "--list", "--package", name])?;
    let listed = String::from_utf8_lossy(&listed);
    let missing = EXPECTED.iter().find(|expected| !listed.lines().any(|file| file == **expected));
    match missing {
        Some(file) => Err(Failure(format!("the package of `{name}` has no `{file}`"))),
        None => Ok(()),
    }
}
