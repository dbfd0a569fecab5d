//! `cargo xtask release --dry-run`: packages every crate as a release would upload it.

use std::path::Path;
use std::process::Command;

use crate::checks::tidy::repository::{Package, Repository};
use crate::process::{Failure, built_in, cargo, succeed};
use crate::root;

/// Packages the crates in the order of their dependencies. Each is then built from its package
/// alone, with the packages before it instead of the workspace.
pub(crate) fn dry_run() -> Result<(), Failure> {
    let repository = Repository::read(&root())?;
    let packages: Vec<&Package> = repository.crates().collect();
    let mut arguments = vec!["package"];
    arguments.extend(packages.iter().flat_map(|package| ["--package", &package.name]));
    cargo(arguments)?;
    let archives = built_in("package")?;
    for package in &packages {
        contents(&archives, package)?;
    }
    println!("{} crates are packaged", packages.len());
    Ok(())
}

/// The files that each package has next to its code.
const EXPECTED: [&str; 4] = ["Cargo.toml", "README.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Checks that a package has its README and its licences.
fn contents(archives: &Path, Package { name, version, .. }: &Package) -> Result<(), Failure> {
    let directory = format!("{name}-{version}");
    let archive = archives.join(format!("{directory}.crate"));
    let listed = succeed(Command::new("tar").args(["--list", "--gzip", "--file"]).arg(archive))?;
    let listed = String::from_utf8_lossy(&listed);
    let has = |file: &str| listed.lines().any(|line| line == format!("{directory}/{file}"));
    match EXPECTED.iter().find(|file| !has(file)) {
        Some(file) => Err(Failure(format!("the package of `{name}` has no `{file}`"))),
        None => Ok(()),
    }
}
