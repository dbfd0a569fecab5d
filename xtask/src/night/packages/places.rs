//! Places without a toolchain in which the packages are installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Built;
use super::trial::expect;
use crate::install::python::uv;
use crate::process::{Failure, output, succeed};
use crate::root;

/// The oldest Debian whose packages can still be had.
const OLD: &str = "bullseye";

/// Where a plugin is in the places with another root.
pub(super) const PLUGIN: &str = "/opt/plugin.so";

/// Returns `uvx prowess`, with the wheel instead of a registry and a cache of its own.
pub(super) fn wheel(built: &Built, place: &Path) -> Result<Command, Failure> {
    let wheel = std::fs::read_dir(&built.packages)?.flatten().map(|entry| entry.path());
    let is_wheel = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "whl");
    let wheel = wheel.into_iter().find(is_wheel).ok_or_else(|| Failure("no wheel".into()))?;
    let mut command = Command::new(uv()?);
    command.args(["tool", "run", "--quiet", "--offline", "--no-index", "--no-config", "--python"]);
    command.arg(&built.python).arg("--from").arg(wheel).arg("prowess");
    command.env("UV_CACHE_DIR", place.join("uv"));
    Ok(command)
}

/// Installs the npm packages from their files, and returns what makes `npx prowess`.
pub(super) fn npm(built: &Built, place: &Path) -> Result<impl Fn() -> Command, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    let launcher = built.package(&format!("prowess-{version}.tgz"));
    let platform = built.package(&format!("prowess-linux-x64-{version}.tgz"));
    let install = |name: &str, packages: &[&PathBuf]| {
        let directory = place.join(name);
        std::fs::create_dir(&directory)?;
        std::fs::write(directory.join("package.json"), "{\"private\": true}\n")?;
        let mut npm = Command::new("npm");
        // Scripts may run: there are none.
        npm.args(["install", "--offline", "--no-audit", "--no-fund", "--silent"]);
        npm.env("npm_config_cache", place.join("npm-cache"));
        succeed(npm.args(packages).current_dir(&directory))?;
        Ok::<_, Failure>(directory)
    };
    let npx = |directory: &Path| {
        let mut npx = Command::new("npx");
        npx.args(["--offline", "--no", "--", "prowess"]).current_dir(directory);
        npx
    };
    let alone = install("npm-alone", &[&launcher])?;
    let ran = output(npx(&alone).arg("--version"))?;
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    let names_it = ran.status.code() == Some(1) && said.contains("`@prowess/linux-x64`");
    expect(names_it, "the launcher names the package that is missing", &said)?;
    let directory = install("npm", &[&platform, &launcher])?;
    Ok(move || npx(&directory))
}

/// Installs an old Debian below `target`, once.
pub(super) fn old_system() -> Result<PathBuf, Failure> {
    let directory = root().join("target/roots").join(OLD);
    if !directory.join("installed").exists() {
        drop(std::fs::remove_dir_all(&directory));
        std::fs::create_dir_all(&directory)?;
        succeed(Command::new("debootstrap").args(["--variant=minbase", OLD]).arg(&directory))?;
        std::fs::write(directory.join("installed"), "")?;
    }
    Ok(directory)
}

/// Fills the root of the container as its definition does, in the old system instead of a newer
/// one.
pub(super) fn container(old: &Path, built: &Built) -> Result<PathBuf, Failure> {
    let script = root().join("crates/prowess-cli/dist/container-root");
    std::fs::copy(script, old.join("container-root"))?;
    drop(std::fs::remove_dir_all(old.join("image")));
    let mut fill = Command::new("chroot");
    succeed(fill.arg(old).args(["/container-root", "amd64", "/image"]))?;
    let image = old.join("image");
    std::fs::create_dir_all(image.join("usr/bin"))?;
    std::fs::copy(built.archive.join("prowess"), image.join("usr/bin/prowess"))?;
    let shell = ["bin/sh", "usr/bin/sh", "usr/bin/bash"].map(|path| image.join(path).exists());
    expect(shell == [false; 3], "the image has no shell", "")?;
    Ok(image)
}

/// Returns a command that runs the program for another user, with this root instead of ours,
/// read-only but for its home, and with the shared directory at its place.
pub(super) fn chrooted(system: &Path, shared: &Path, built: &Built) -> Command {
    let mut bwrap = Command::new("bwrap");
    bwrap.args(["--unshare-all", "--share-net", "--die-with-parent", "--clearenv"]);
    bwrap.args(["--uid", "65532", "--gid", "65532", "--setenv", "HOME", "/data"]);
    bwrap.args(["--setenv", "PATH", "/usr/bin:/bin"]);
    bwrap.arg("--tmpfs").arg("/").arg("--ro-bind").arg(system.join("usr")).arg("/usr");
    for name in ["lib", "lib64", "bin", "etc"] {
        let path = system.join(name);
        match std::fs::read_link(&path) {
            Ok(target) => bwrap.arg("--symlink").arg(target).arg(format!("/{name}")),
            Err(_) => bwrap.arg("--ro-bind-try").arg(path).arg(format!("/{name}")),
        };
    }
    bwrap.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]);
    bwrap.arg("--bind").arg(&built.home).arg("/data");
    bwrap.arg("--ro-bind").arg(&built.archive).arg("/opt/prowess");
    bwrap.arg("--ro-bind").arg(&built.plugin).arg(PLUGIN);
    bwrap.arg("--ro-bind").arg(shared).arg(shared).args(["--chdir", "/data"]);
    bwrap.arg("/opt/prowess/prowess");
    bwrap
}
