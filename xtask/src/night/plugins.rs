//! The plugins of the workspace as files, that they keep the rules of plugins, and that they find
//! what the linked sources find.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::process::{Failure, Server, build_optimized, built, line_with, succeed, write_files};
use crate::selection::Selection;

/// Builds every package of `plugins/` into `target/plugins` and prints what each says of itself.
pub(crate) fn build() -> Result<PathBuf, Failure> {
    let packages = packages()?;
    let selected: Vec<_> = packages.iter().flat_map(|package| ["--package", package]).collect();
    let release = build_optimized(&[&selected[..], &["--lib", "--bin", "prowess"]].concat())?;
    let program = Selection::Full.program("prowess")?;
    let directory = built("plugins", "")?;
    fs::create_dir_all(&directory)?;
    for package in &packages {
        let name = file_name(package);
        let file = directory.join(&name);
        // Not written in place: a program that has the old file open keeps it.
        let _ = fs::remove_file(&file);
        fs::copy(release.join(&name), &file)?;
        let said = succeed(Command::new(&program).args(["plugin", "inspect"]).arg(&file))?;
        // Whether this user trusts what was built just now is of no interest.
        let manifest = |line: &&str| line.starts_with(package.as_str()) || line.starts_with("  ");
        let said = String::from_utf8_lossy(&said);
        said.lines().take_while(manifest).for_each(|line| println!("{line}"));
    }
    Ok(directory)
}

/// Builds the plugins, and fails if one of them breaks a rule of the kit.
pub(crate) fn check() -> Result<(), Failure> {
    let directory = build()?;
    let home = tempfile::tempdir()?;
    write_files(
        &home.path().join("skills"),
        &[("pdf/SKILL.md", SKILL), ("pdf/references/fields.md", "Fields\n")],
    )?;
    fs::create_dir(home.path().join("remote"))?;
    let policies = home.path().join("prowess.yaml");
    fs::write(&policies, POLICIES.replace("HOME", &home.path().display().to_string()))?;
    let policies = policies.display().to_string();
    let prowess = Prowess { program: Selection::Full.program("prowess")?, home: home.path() };
    let server = SkillServer::start(&prowess, &home.path().join("skills"))?;
    for package in packages()? {
        let file = directory.join(file_name(&package)).display().to_string();
        prowess.run(&["plugin", "trust", &file])?;
        let config = config_of(&package, home.path(), &server).to_string();
        let check = ["--config", &policies, "plugin", "check", &file, "--with", &config];
        print!("{}", prowess.run(&check)?);
    }
    Ok(())
}

const SKILL: &str = "---\nname: pdf\ndescription: Fills forms.\n---\nFill the form.\n";

/// The rights of the plugins that need more than to read what their configuration names.
const POLICIES: &str = "plugins:
  settings:
    prowess-plugin-mcp:
      rights: { network: true }
    prowess-plugin-remote:
      rights: { read: [HOME/skills], write: [HOME/remote] }
";

/// Returns what a plugin is checked with: a configuration with skills for those that have none of
/// their own.
fn config_of(package: &str, home: &Path, server: &SkillServer) -> Value {
    match package {
        "prowess-plugin-memory" => json!({
            "files": {"pdf/SKILL.md": SKILL, "pdf/references/fields.md": "Fields\n"}
        }),
        "prowess-plugin-filesystem" => json!({"roots": [{"root": home.join("skills")}]}),
        "prowess-plugin-mcp" => json!({
            "label": "team", "url": server.url, "hosts": [server.host()]
        }),
        "prowess-plugin-remote" => json!({
            "sources": [home.join("skills")], "directory": home.join("remote")
        }),
        _ => Value::Null,
    }
}

/// Builds the plugins, and fails if what the filesystem's lists of `directory` differs in one byte
/// from what the linked source lists, wherever it runs.
pub(crate) fn compare(directory: &Path) -> Result<(), Failure> {
    let plugin = build()?.join(file_name("prowess-plugin-filesystem"));
    let directory = directory.canonicalize()?;
    let home = tempfile::tempdir()?;
    let prowess = Prowess { program: Selection::Full.program("prowess")?, home: home.path() };
    prowess.run(&["plugin", "trust", &plugin.display().to_string()])?;
    let root = format!("user={}", directory.display());
    let linked = prowess.list(&["--root", &root])?;
    let config = json!({"roots": [{"root": directory, "nested": "descend"}]});
    let named = format!("user={}={config}", plugin.display());
    for isolation in ["in-process", "process"] {
        let policies = home.path().join("prowess.yaml");
        fs::write(&policies, format!("plugins: {{isolation: {isolation}}}\n"))?;
        let policies = policies.display().to_string();
        let loaded = prowess.list(&["--config", &policies, "--plugin", &named])?;
        if loaded != linked {
            let place = first_difference(&linked, &loaded);
            return Err(Failure(format!("{isolation}: the plugin's catalog differs at {place}")));
        }
        println!("{isolation}: {} bytes of catalog, equal to the linked source's", linked.len());
    }
    Ok(())
}

struct Prowess<'a> {
    program: PathBuf,
    home: &'a Path,
}

impl Prowess<'_> {
    /// The catalog as JSON. A root without skills keeps those of the machine out.
    fn list(&self, arguments: &[&str]) -> Result<String, Failure> {
        let nothing = self.home.join("nothing");
        fs::create_dir_all(&nothing)?;
        let nothing = format!("project={}", nothing.display());
        let list = ["--root", &nothing, "list", "--format", "json"];
        self.run(&[arguments, &list].concat())
    }

    fn run(&self, arguments: &[&str]) -> Result<String, Failure> {
        let mut command = Command::new(&self.program);
        command.env_clear().env("HOME", self.home).current_dir(self.home).args(arguments);
        Ok(String::from_utf8_lossy(&succeed(&mut command)?).into_owned())
    }
}

struct SkillServer {
    url: String,
    _process: Server,
}

impl SkillServer {
    fn start(prowess: &Prowess<'_>, skills: &Path) -> Result<Self, Failure> {
        let mut command = Command::new(&prowess.program);
        command.env_clear().env("HOME", prowess.home).stdin(Stdio::null()).stderr(Stdio::piped());
        command.arg("--root").arg(skills).args(["serve", "--http", "127.0.0.1:0"]);
        let mut process = Server(command.spawn()?);
        let line = line_with(process.0.stderr.take(), "http://")?;
        let is_url = |word: &&str| word.starts_with("http://");
        let url = line.split(' ').find(is_url).unwrap_or_default().to_owned();
        Ok(Self { url, _process: process })
    }

    fn host(&self) -> &str {
        self.url.trim_start_matches("http://").trim_end_matches("/mcp")
    }
}

/// The line at which two texts part.
fn first_difference(one: &str, other: &str) -> String {
    let lines = one.lines().zip(other.lines()).enumerate();
    let parting = lines.into_iter().find(|(_, (one, other))| one != other);
    parting.map_or_else(
        || "the end of the shorter one".into(),
        |(at, (one, other))| format!("line {}: `{one}` and `{other}`", at + 1),
    )
}

/// The folders of `plugins/` are packages, each named after its folder.
fn packages() -> Result<Vec<String>, Failure> {
    let mut packages = Vec::new();
    for entry in fs::read_dir(crate::root().join("plugins"))? {
        let entry = entry?;
        if entry.path().join("Cargo.toml").is_file() {
            packages.push(format!("prowess-plugin-{}", entry.file_name().to_string_lossy()));
        }
    }
    packages.sort();
    Ok(packages)
}

fn file_name(package: &str) -> String {
    format!("{DLL_PREFIX}{}{DLL_SUFFIX}", package.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        assert_eq!(first_difference("a\nb\nc", "a\nx\nc"), "line 2: `b` and `x`");
        assert_eq!(first_difference("a", "a\nb"), "the end of the shorter one");
    }

    #[test]
    fn each_folder_is_a_package() {
        let packages = packages().expect("the folder of plugins is there");
        assert!(packages.contains(&"prowess-plugin-filesystem".to_owned()), "{packages:?}");
    }
}
