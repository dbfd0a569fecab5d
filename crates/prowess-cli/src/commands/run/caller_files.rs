//! Arguments of a script that name files of the user who starts it.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use prowess::script::ScriptPolicy;

use crate::paths::absolute;
use crate::terminal::plain;

/// Signs of patterns, lists, positions (`a.rs:7`), URLs, code and data, which name no new file.
const NOT_OF_RESULTS: [char; 14] =
    ['*', '?', '[', '{', '(', '<', '>', '|', '$', '"', '\'', ',', ';', ':'];

/// Where the user is, and what the script may reach of it.
pub(super) struct CallerFiles<'a> {
    pub(super) here: &'a Path,
    pub(super) policy: &'a ScriptPolicy,
}

impl CallerFiles<'_> {
    /// Returns the argument with absolute paths in place of granted relative ones: the script
    /// starts in its package, where the names would be other files.
    pub(super) fn resolved(&self, argument: &str) -> String {
        if self.policy.directory.as_deref() == Some(self.here) {
            return argument.to_owned();
        }
        let mut names = named(argument);
        if names.is_empty() {
            // A result, which does not exist yet.
            names.push(parts(argument).1);
        }
        let (mut resolved, mut rest) = (String::new(), argument);
        for name in names {
            let at = name.as_ptr().addr() - rest.as_ptr().addr();
            let path = absolute(Path::new(name)).ok().and_then(|path| {
                let real = path.canonicalize().unwrap_or_default();
                [path, real].into_iter().find(|path| self.is_granted(path))
            });
            resolved += &rest[..at];
            resolved += path.as_deref().and_then(Path::to_str).unwrap_or(name);
            rest = &rest[at + name.len()..];
        }
        resolved + rest
    }

    /// Returns the names of what exists here and the script may not read, each with what it is,
    /// and the path to grant, once each in the order of the arguments; what is in a directory among
    /// them is behind that.
    pub(super) fn closed<'n>(&self, arguments: &'n [String]) -> Vec<(&'n str, String, PathBuf)> {
        let names = arguments.iter().flat_map(|argument| named(argument));
        let closed = names.filter_map(|name| {
            let path = absolute(Path::new(name)).ok().filter(|path| !self.is_granted(path))?;
            let kind = if path.is_dir() { "directory" } else { "file" };
            let Some(real) = target(Path::new(name)) else {
                return Some((name, format!("a {kind} here"), path));
            };
            let kind = format!("a link to the {kind} `{}`", plain(&real.to_string_lossy()));
            (!self.is_granted(&real)).then_some((name, kind, real))
        });
        let mut closed: Vec<_> = closed.collect();
        let mut seen = HashSet::new();
        closed.retain(|(.., path)| seen.insert(path.clone()));
        closed.sort_by_key(|(.., path)| path.ancestors().skip(1).any(|above| seen.contains(above)));
        closed
    }

    /// Returns the names of files that could be results: there are none yet, and the script may not
    /// change their directory. An argument that names files which are here is about those.
    pub(super) fn not_writable<'n>(&self, arguments: &'n [String]) -> Vec<&'n str> {
        let others = arguments.iter().filter(|argument| named(argument).is_empty());
        let names = others.map(|argument| parts(argument).1);
        let is_result = |name: &&str| {
            let written = Path::new(name);
            let path = absolute(written).unwrap_or_default();
            // Not a version, nor a pattern for many files.
            let is_end = |end: &OsStr| {
                let end = end.to_string_lossy();
                end.starts_with(|it: char| it.is_ascii_alphabetic()) && !end.contains(' ')
            };
            let has_form = written.extension().is_some_and(is_end) || name.contains('/');
            let has_form = has_form && !name.contains(NOT_OF_RESULTS) && !name.starts_with('@');
            let is_granted = self.policy.write.iter().any(|granted| path.starts_with(granted));
            let is_new =
                !path.exists() && path.parent().is_some_and(|it| it.is_dir() && !is_wide(it));
            has_form && is_new && !is_granted && !name.starts_with('-')
        };
        names.filter(is_result).collect()
    }

    pub(super) fn is_granted(&self, path: &Path) -> bool {
        let ScriptPolicy { read, write, .. } = self.policy;
        read.iter().chain(write).any(|granted| path.starts_with(granted))
    }
}

/// Returns whether a directory is the root, one of it, or all of a user's files: a path of a URL
/// asks for none of these.
fn is_wide(directory: &Path) -> bool {
    let real = directory.canonicalize().unwrap_or_default();
    let is_home = std::env::var_os("HOME").is_some_and(|home| *home == *real);
    is_home || real.components().count() <= 2 && real != Path::new("/tmp")
}

/// Returns where a path leads by links, as it is written.
fn target(written: &Path) -> Option<PathBuf> {
    let complete = std::path::absolute(written).ok()?;
    let mut lexical = PathBuf::new();
    for part in complete.components() {
        if part == Component::ParentDir {
            lexical.pop();
        } else {
            lexical.push(part);
        }
    }
    complete.canonicalize().ok().filter(|real| *real != lexical)
}

/// Returns where a path leads by links, if that is hidden or not in the working directory. A clone
/// may bring such a link, so what it leads to is granted by its own path.
pub(super) fn leads_away(here: &Path, written: &Path) -> Option<PathBuf> {
    let is_hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
    let is_here =
        |real: &PathBuf| real.strip_prefix(here).is_ok_and(|inside| !inside.iter().any(is_hidden));
    target(written).filter(|real| !is_here(real))
}

/// Splits `--name=value`; another argument is a value as a whole.
fn parts(argument: &str) -> (&str, &str) {
    match argument.find('=').filter(|_| argument.starts_with('-')) {
        Some(at) => argument.split_at(at + 1),
        None => ("", argument),
    }
}

/// Returns the files and directories here that an argument names, in their order: as a whole, as
/// the value of an option (`--in=form.pdf`, `-iform.pdf`), behind a sign (`@form.pdf`), or in a
/// list.
fn named(argument: &str) -> Vec<&str> {
    if argument.is_empty() {
        return Vec::new();
    }
    if Path::new(argument).exists() {
        return vec![argument];
    }
    let value = argument.split_once('=').map(|(_, value)| value);
    if let Some(value) = value.filter(|value| Path::new(value).exists() && !value.is_empty()) {
        return vec![value];
    }
    for separator in [',', ';'] {
        if argument.contains(separator) {
            return argument.split(separator).flat_map(named).collect();
        }
    }
    let attached = || {
        let option = argument.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
        option.char_indices().nth(1).map(|(at, _)| &option[at..])
    };
    let behind = value.or_else(|| argument.strip_prefix('@'));
    let behind = behind.or_else(|| argument.strip_prefix("file://")).or_else(attached);
    match behind {
        Some(behind) => named(behind),
        None if argument.contains(':') => argument.split(':').flat_map(named).collect(),
        None => Vec::new(),
    }
}
