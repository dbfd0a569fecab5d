//! The files and programs of this machine, as rules about paths and commands see them.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use prowess_gate::HostFiles;

use crate::facts::program_in_path;

/// The most links on the way to a file, as in Linux.
const MAX_LINKS: usize = 40;

/// The most directories and links in a directory that a pattern is compared with.
const MAX_ENTRIES: usize = 1_000;

/// The files of this machine, with the working directory of this program.
#[derive(Debug)]
pub(crate) struct SystemFiles;

impl HostFiles for SystemFiles {
    fn resolve(&self, path: &str) -> Option<String> {
        let path = resolve(&std::env::current_dir().ok()?.join(path))?;
        path.into_os_string().into_string().ok()
    }

    fn has_root(&self, path: &str) -> bool {
        let first = path.split('/').find(|part| !part.is_empty()).unwrap_or_default();
        Path::new("/").join(first).symlink_metadata().is_ok()
    }

    fn is_directory(&self, path: &str) -> bool {
        Path::new(path).is_dir()
    }

    fn exists(&self, path: &str) -> bool {
        Path::new(path).symlink_metadata().is_ok()
    }

    fn entries(&self, directory: &str) -> Option<Vec<String>> {
        let listed = match Path::new(if directory.is_empty() { "." } else { directory }).read_dir()
        {
            Ok(listed) => listed,
            Err(error) if error.kind() == ErrorKind::PermissionDenied => return None,
            Err(_) => return Some(Vec::new()),
        };
        let mut names = Vec::new();
        for entry in listed {
            let entry = entry.ok()?;
            if !entry.file_type().ok()?.is_file() {
                names.push(entry.file_name().into_string().ok()?);
            }
            if names.len() > MAX_ENTRIES {
                return None;
            }
        }
        Some(names)
    }

    fn program(&self, name: &str) -> Vec<String> {
        let Some(mut path) = program_in_path(name).or_else(|| absolute(name)) else {
            return Vec::new();
        };
        let mut paths = Vec::new();
        for _ in 0..MAX_LINKS {
            paths.push(path.to_string_lossy().into_owned());
            let Ok(target) = path.read_link() else { break };
            path = path.parent().unwrap_or(Path::new("/")).join(target);
        }
        paths
    }
}

fn absolute(program: &str) -> Option<PathBuf> {
    let is_path = program.contains('/');
    is_path.then(|| std::env::current_dir().ok()).flatten().map(|path| path.join(program))
}

/// Returns a path without links, also of a file that does not exist yet; `None` if it is not
/// certain: a link of `/proc` leads elsewhere in another process.
fn resolve(path: &Path) -> Option<PathBuf> {
    let mut rest: Vec<OsString> = Vec::new();
    let push = |rest: &mut Vec<OsString>, path: &Path| {
        rest.extend(path.components().rev().map(|part| part.as_os_str().to_owned()));
    };
    push(&mut rest, path);
    let mut done = PathBuf::new();
    let mut links = 0;
    while let Some(part) = rest.pop() {
        match Path::new(&part).components().next()? {
            Component::CurDir => continue,
            Component::ParentDir => {
                done.pop();
                continue;
            }
            // An absolute one replaces what was there.
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {}
        }
        let next = done.join(&part);
        match next.read_link() {
            Ok(_) if links == MAX_LINKS || next.starts_with("/proc") => return None,
            Ok(target) => {
                links += 1;
                push(&mut rest, &target);
            }
            Err(error) if error.kind() == ErrorKind::PermissionDenied => return None,
            Err(_) => done = next,
        }
    }
    Some(done)
}
