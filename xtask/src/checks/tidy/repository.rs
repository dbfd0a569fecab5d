//! The repository as values.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::process::{Failure, cargo_output};

/// All that the checks look at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repository {
    /// The packages of the workspace.
    pub(crate) packages: Vec<Package>,
    /// Every folder of the top level.
    pub(crate) folders: Vec<String>,
    /// Every folder of `crates`.
    pub(crate) crate_folders: Vec<String>,
    pub(crate) files: Vec<TextFile>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// From the top of the repository, with `/`.
    pub(crate) folder: String,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) targets: Vec<Target>,
}

impl Package {
    /// Returns whether other packages can use it.
    pub(crate) fn is_library(&self) -> bool {
        self.targets.iter().any(|target| target.kind == "lib")
    }
}

/// A package that another one names.
#[derive(Clone, Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) is_dev: bool,
}

/// Something that cargo builds.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// `lib`, `cdylib`, `bin`, `test`, `bench`, `example` or `custom-build`.
    pub(crate) kind: String,
    pub(crate) name: String,
    /// The main source file, from the top of the repository.
    pub(crate) path: String,
    /// Whether the tests next to its code are built.
    pub(crate) has_tests: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct TextFile {
    /// From the top of the repository, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Repository {
    /// Reads the repository at `root`.
    pub(crate) fn read(root: &Path) -> Result<Self, Failure> {
        let metadata = cargo_output(&["metadata", "--format-version", "1", "--no-deps"])?;
        let metadata: Value = serde_json::from_slice(&metadata)?;
        let mut files = Vec::new();
        read_files(root, root, &mut files)?;
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(Self {
            packages: list(&metadata["packages"]).map(|value| package(root, value)).collect(),
            folders: folders(root)?,
            crate_folders: folders(&root.join("crates"))?,
            files,
        })
    }

    /// The packages that are published.
    pub(crate) fn crates(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.folder.starts_with("crates/"))
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        let file = self.files.iter().find(|file| file.path == path)?;
        Some(&file.text)
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn package(root: &Path, value: &Value) -> Package {
    let manifest = PathBuf::from(string(&value["manifest_path"]));
    let dependency =
        |value: &Value| Dependency { name: string(&value["name"]), is_dev: value["kind"] == "dev" };
    let target = |value: &Value| Target {
        kind: string(&value["kind"][0]),
        name: string(&value["name"]),
        path: relative(root, Path::new(&string(&value["src_path"]))),
        has_tests: value["test"] == true,
    };
    Package {
        name: string(&value["name"]),
        version: string(&value["version"]),
        folder: relative(root, manifest.parent().unwrap_or(root)),
        dependencies: list(&value["dependencies"]).map(dependency).collect(),
        targets: list(&value["targets"]).map(target).collect(),
    }
}

fn relative(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}

fn folders(directory: &Path) -> Result<Vec<String>, Failure> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    folders.sort();
    Ok(folders)
}

/// Collects the text files below `directory`. What git and cargo keep for themselves is left out.
fn read_files(root: &Path, directory: &Path, files: &mut Vec<TextFile>) -> Result<(), Failure> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_str(), Some(".git" | "target")) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            read_files(root, &entry.path(), files)?;
        } else if entry.file_type()?.is_file()
            && let Ok(text) = String::from_utf8(fs::read(entry.path())?)
        {
            let path = relative(root, &entry.path());
            files.push(TextFile { path, text });
        }
    }
    Ok(())
}

#[cfg(test)]
mod sample {
    use super::*;

    const MANIFEST: &str = include_str!("repository/manifest.txt");

    const ARCHITECTURE: &str = include_str!("repository/architecture.txt");

    const EXAMPLE: &str = "//! Words.\n#![forbid(unsafe_code)]\nimpl Clock for Fixed {}\n\n#[test]\nfn it_runs() {}\n";

    const LIBRARY: &str = "//! Words.\n//!\n//! ```\n//! ```\n#![forbid(unsafe_code)]\n";

    impl Repository {
        /// A small repository that is in order; tests break it.
        pub(crate) fn sample() -> Self {
            let mut repository = Self::default();
            for folder in ["crates", "xtask", ".ci", "target"] {
                repository.folders.push(folder.into());
            }
            for document in super::super::files::DOCUMENTS {
                repository.write(document, "Text.\n");
            }
            repository.write("ARCHITECTURE.md", ARCHITECTURE);
            let reasons = "| purpose | choice |\n|---|---|\n| values | `serde` |\n";
            repository.write("crates/DEPENDENCIES.md", reasons);
            repository.add_example();
            repository.write("Cargo.toml", "[workspace]\n");
            repository.add("low", &[]);
            repository.add("left", &["low", "serde"]);
            repository.add("left-right", &["low"]);
            repository.add("prowess-testkit", &["low"]);
            repository.add("server", &["left"]);
            repository.add("program", &["server", "left"]);
            let entries =
                repository.crates().map(|package| format!("- `{}`: words.\n", package.name));
            let changelog = format!("# Changelog\n\n## 0.1.0\n\n{}", entries.collect::<String>());
            repository.write("CHANGELOG.md", &changelog);
            for package in &repository.crates().cloned().collect::<Vec<_>>() {
                let readme =
                    crate::checks::readmes::readme(package, &repository).expect("it has a library");
                repository.write(&crate::checks::readmes::path(package), &readme);
            }
            repository.depend("left", "prowess-testkit", true);
            repository
        }

        /// Writes or overwrites a file.
        pub(crate) fn write(&mut self, path: &str, text: &str) {
            self.files.retain(|file| file.path != path);
            self.files.push(TextFile { path: path.into(), text: text.into() });
        }

        pub(crate) fn package(&mut self, name: &str) -> &mut Package {
            let mut packages = self.packages.iter_mut();
            packages.find(|package| package.name == name).expect("a package of the sample")
        }

        pub(crate) fn depend(&mut self, name: &str, on: &str, is_dev: bool) {
            let dependency = Dependency { name: on.into(), is_dev };
            self.package(name).dependencies.push(dependency);
        }

        pub(crate) fn add_target(&mut self, package: &str, kind: &str, name: &str, path: &str) {
            let [kind, name, path] = [kind, name, path].map(str::to_owned);
            self.package(package).targets.push(Target { kind, name, path, has_tests: true });
        }

        fn add_example(&mut self) {
            let path = "examples/clock/src/main.rs";
            self.write(path, EXAMPLE);
            self.add_package("clock", "examples/clock");
            self.add_target("clock", "bin", "clock", path);
        }

        fn add(&mut self, name: &str, dependencies: &[&str]) {
            let folder = format!("crates/{name}");
            self.add_package(name, &folder);
            self.crate_folders.push(name.into());
            for (kind, file, text) in
                [("lib", "src/lib.rs", LIBRARY), ("test", "tests/it/main.rs", "//! Tests.\n")]
            {
                let path = format!("{folder}/{file}");
                self.write(&path, text);
                self.add_target(name, kind, kind, &path);
            }
            dependencies.iter().for_each(|on| self.depend(name, on, false));
        }

        fn add_package(&mut self, name: &str, folder: &str) {
            self.write(&format!("{folder}/Cargo.toml"), MANIFEST);
            let (name, folder) = (name.to_owned(), folder.to_owned());
            self.packages.push(Package { name, folder, version: "0.1.0".into(), ..<_>::default() });
        }
    }
}
