//! Installing the peers below `target`, each from its own registry by the registry's own client.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::peers::{Kind, PEERS, Peer};
use crate::install::python::environment;
use crate::process::{Failure, built, cargo, succeed};
use crate::root;

/// Where the programs of all peers are.
pub(super) struct Installed {
    own: PathBuf,
    rust: PathBuf,
    python: PathBuf,
    node: PathBuf,
    manifest: String,
}

impl Installed {
    /// Installs every peer. One that cannot be installed is a failure: a table without it would say
    /// less than it seems to.
    pub(super) fn all() -> Result<Self, Failure> {
        cargo(["build", "--profile", "dist", "--package", "benches", "--bin", "peer"])?;
        let place = root().join("target/compare");
        std::fs::create_dir_all(&place)?;
        let manifest = drivers().join("rust/Cargo.toml");
        Ok(Self {
            own: built("dist", "peer")?,
            rust: named(Kind::Crate, crates(&manifest, &place.join("rust")))?,
            python: named(Kind::Python(""), python(&place.join("python")))?,
            node: named(Kind::Node(""), node(&place.join("node")))?,
            manifest: std::fs::read_to_string(manifest)?,
        })
    }

    /// A command that wants the directory as its last argument.
    pub(super) fn command(&self, peer: &Peer) -> Command {
        match peer.kind {
            Kind::Own => with(Command::new(&self.own), peer.name),
            Kind::Crate => with(Command::new(&self.rust), peer.name),
            Kind::Python(_) => {
                let mut command = Command::new(&self.python);
                command.arg(drivers().join("python.py"));
                with(command, peer.name)
            }
            Kind::Node(_) => {
                let mut command = Command::new("node");
                command.current_dir(&self.node).arg(drivers().join("gemini.mjs"));
                command
            }
        }
    }

    /// The version that was installed.
    pub(super) fn version(&self, peer: &Peer) -> String {
        match peer.kind {
            Kind::Own => "–".to_owned(),
            Kind::Python(version) | Kind::Node(version) => version.to_owned(),
            Kind::Crate => crate_version(&self.manifest, peer.name).unwrap_or("?").to_owned(),
        }
    }
}

fn with(mut command: Command, argument: &str) -> Command {
    command.arg(argument);
    command
}

fn drivers() -> PathBuf {
    root().join("benches/compare")
}

/// The exact version that a manifest asks for.
fn crate_version<'m>(manifest: &'m str, name: &str) -> Option<&'m str> {
    let of_it = |line: &'m str| line.strip_prefix(name)?.strip_prefix(" = \"=");
    manifest.lines().find_map(of_it).map(|version| version.trim_end_matches('"'))
}

/// Says which peers a failure is about.
fn named(kind: Kind, installed: Result<PathBuf, Failure>) -> Result<PathBuf, Failure> {
    installed.map_err(|failure| {
        let names = PEERS.iter().filter(|peer| peer.kind.as_str() == kind.as_str());
        let names: Vec<_> = names.map(|peer| format!("`{}`", peer.name)).collect();
        Failure(format!("cannot install the peers {}: {failure}", names.join(", ")))
    })
}

fn crates(manifest: &Path, target: &Path) -> Result<PathBuf, Failure> {
    cargo([
        "build".as_ref(),
        "--release".as_ref(),
        "--locked".as_ref(),
        "--manifest-path".as_ref(),
        manifest.as_os_str(),
        "--target-dir".as_ref(),
        target.as_os_str(),
    ])?;
    Ok(target.join("release").join(format!("compare-rust{}", std::env::consts::EXE_SUFFIX)))
}

fn python(directory: &Path) -> Result<PathBuf, Failure> {
    let packages = PEERS.iter().filter_map(|peer| match peer.kind {
        Kind::Python(version) => Some(format!("{}=={version}", peer.name)),
        _ => None,
    });
    let packages: Vec<_> = packages.collect();
    environment(directory, &packages.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Installed without running the scripts of the packages: nothing of theirs is built here.
fn node(directory: &Path) -> Result<PathBuf, Failure> {
    std::fs::create_dir_all(directory)?;
    std::fs::write(directory.join("package.json"), "{\"private\": true}\n")?;
    let packages = PEERS.iter().filter_map(|peer| match peer.kind {
        Kind::Node(version) => Some(format!("{}@{version}", peer.name)),
        _ => None,
    });
    let mut npm = Command::new("npm");
    npm.args(["install", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--silent"]);
    succeed(npm.args(packages).current_dir(directory))?;
    Ok(directory.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_pins_each_crate() {
        let manifest = std::fs::read_to_string(drivers().join("rust/Cargo.toml"));
        let manifest = manifest.expect("the drivers are part of the repository");
        for peer in PEERS.iter().filter(|peer| peer.kind == Kind::Crate) {
            let version = crate_version(&manifest, peer.name);
            assert!(version.is_some(), "`{}` has an exact version in the manifest", peer.name);
        }
        assert_eq!(crate_version("one = \"=1.2.3\"", "one"), Some("1.2.3"));
        assert_eq!(crate_version("one = \"1.2.3\"", "one"), None, "a range is not a version");
    }
}
