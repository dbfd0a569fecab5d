//! The command by which clients start this program, also after an upgrade.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::paths::absolute;
use crate::plugins::this_program;
use crate::terminal::plain;

/// The name of this program on the PATH, and of its packages.
pub(super) const PROGRAM: &str = "prowess";

/// Names of directories whose content package managers replace or remove.
const PASSING: [&str; 6] = [".cache", "Caches", "Cellar", "Caskroom", "_npx", "node_modules"];

/// The program that runs, and the directories in which it is looked for.
pub(super) struct Installed {
    program: PathBuf,
    path: Vec<PathBuf>,
    temporary: PathBuf,
}

impl Installed {
    pub(super) fn here() -> Result<Self, Failure> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::split_paths(&path).filter_map(|it| absolute(&it).ok()).collect();
        Ok(Self { program: this_program()?, path, temporary: std::env::temp_dir() })
    }

    /// Returns the command that stays, and what people should know about it: what the PATH finds,
    /// if that is this program, because the path behind a link changes with each version; otherwise
    /// the program itself. A tool that fetches it again, such as `npx`, could fetch what others
    /// have published under the name.
    pub(super) fn command(&self) -> Result<(Vec<String>, Option<String>), Failure> {
        let on_path = || self.on_path().filter(|it| !self.is_passing(it));
        let stays = on_path().find(|it| self.is_this(it));
        let stays = stays.or_else(|| Some(self.program.clone()).filter(|it| !self.is_passing(it)));
        if let Some(path) = stays.or_else(|| on_path().next().filter(|it| is_launcher(it))) {
            return Ok((vec![super::text(&path)?], None));
        }
        let program = super::text(&self.program)?;
        let remark = format!(
            "an upgrade or a clean-up may remove `{}`; install it on the PATH, and repeat this",
            plain(&program)
        );
        Ok((vec![program], Some(remark)))
    }

    /// Says if the name of this program is found nowhere, or is another program.
    pub(super) fn remark_on_name(&self) -> Option<String> {
        let found = match self.on_path().next() {
            Some(it) if self.is_this(&it) || is_launcher(&it) => return None,
            Some(other) => format!("here that is `{}`", plain(&other.to_string_lossy())),
            None => "here there is none".to_owned(),
        };
        Some(format!(
            "the project's file names the program as `{PROGRAM}`, which each user needs on the \
             PATH; {found}"
        ))
    }

    fn on_path(&self) -> impl Iterator<Item = PathBuf> {
        self.path.iter().map(|directory| directory.join(PROGRAM)).filter(|it| it.is_file())
    }

    fn is_this(&self, path: &Path) -> bool {
        let real = path.canonicalize().ok();
        real.is_some() && real == self.program.canonicalize().ok()
    }

    /// Returns whether a path has a version in it, or is in a cache.
    fn is_passing(&self, path: &Path) -> bool {
        let is_passing = |name: &str| {
            PASSING.contains(&name) || name.starts_with("archive-v") || has_version(name)
        };
        let shared = [Path::new("/nix/store"), Path::new("/gnu/store"), &self.temporary];
        shared.iter().any(|it| path.starts_with(it)) || names(path).any(is_passing)
    }
}

/// Returns the names of the directories above a file.
fn names(path: &Path) -> impl Iterator<Item = &str> {
    path.parent().into_iter().flatten().filter_map(OsStr::to_str)
}

/// Returns whether a name has a version, as in `1.0`, `v20.1.0` and `prowess@1.2`, but not as in
/// `python3.11`.
fn has_version(name: &str) -> bool {
    name.split(['-', '@', '_', '+']).any(|part| {
        let part = part.strip_prefix('v').unwrap_or(part);
        part.split_once('.').is_some_and(|(major, _)| major.parse::<u64>().is_ok())
    })
}

/// Returns whether a file starts the version that is installed: a script, or a link to a program
/// with another name.
fn is_launcher(path: &Path) -> bool {
    let start = |mut file: File| {
        let mut start = [0; 2];
        file.read_exact(&mut start).map(|()| start)
    };
    path.canonicalize().is_ok_and(|it| it.file_name() != Some(OsStr::new(PROGRAM)))
        || File::open(path).and_then(start).is_ok_and(|start| start == *b"#!")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use prowess_testkit::{Tree, rows};

    use super::*;

    /// Each layout of an installation: where the program is, a link or a script that leads there,
    /// the PATH, and the command that outlives an upgrade. A remark is a `!`; a second one is about
    /// the name in the file of a project.
    #[test]
    fn command_survives_an_upgrade() {
        // Homebrew and Nix, `uv tool`, cargo, shims of version managers, npm, and downloads.
        for [place, link, path, command] in rows(include_str!("own_commands.txt"), "places") {
            let tree = Tree::new("//- /old/prowess\nanother version\n");
            tree.write(&format!("{place}/{PROGRAM}"), "program");
            let program = tree.join(&place).join(PROGRAM);
            if let Some(script) = link.strip_prefix('#') {
                tree.write(&format!("{script}/{PROGRAM}"), "#!/bin/sh\n");
            } else if !link.is_empty() {
                tree.write(&format!("{link}/.keep"), "");
                symlink(&program, tree.join(&link).join(PROGRAM)).unwrap();
            }
            let path = path.split(':').map(|it| tree.join(it)).collect();
            let installed = Installed { program, path, temporary: tree.join("tmp") };
            let (words, remark) = installed.command().unwrap();
            let remarks = [remark, installed.remark_on_name()].into_iter().flatten().count();
            let top = format!("{}/", tree.path().display());
            let line = format!("{} {}", words.join(" "), "!".repeat(remarks)).replace(&top, "");
            assert_eq!(line.trim_end(), command, "{place}");
        }
    }
}
