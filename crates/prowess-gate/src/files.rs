//! The files and programs of the host, as far as rules depend on them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

/// The files and programs of the host. Without them, rules compare paths and programs as they are
/// written.
pub trait HostFiles: fmt::Debug {
    /// Returns the absolute path without links of the file that a path leads to, also if the file
    /// does not exist yet; `None` if that is not certain. A relative path is relative to the
    /// working directory, and an empty one is that directory.
    fn resolve(&self, path: &str) -> Option<String>;

    /// Returns whether the first directory of an absolute path exists: `/x/` may be a regular
    /// expression.
    fn has_root(&self, path: &str) -> bool {
        path.starts_with('/')
    }

    /// Returns whether a path leads to a directory: other words of a command may be relative to it.
    fn is_directory(&self, path: &str) -> bool {
        !path.is_empty()
    }

    /// Returns whether something is at a path, also a link that leads nowhere. One that is not
    /// known to be there may become a link.
    fn exists(&self, _path: &str) -> bool {
        false
    }

    /// Returns the names of the directories and links in a directory, none if it does not exist:
    /// a pattern of paths may find them. `None` if they are not known, or too many.
    fn entries(&self, _directory: &str) -> Option<Vec<String>> {
        None
    }

    /// Returns the paths of the program that a name or a path runs, through all links.
    fn program(&self, name: &str) -> Vec<String>;
}

/// A path of a call, and the file that it leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileReference {
    /// The path as the call has it.
    pub path: String,
    /// The absolute path without links.
    pub file: String,
}

/// Keeps the answers of the host during one decision, which asks about the same programs and
/// directories for each word and rule: each answer takes several system calls, and two of them
/// could differ.
#[derive(Debug)]
pub(crate) struct Answered<'a> {
    files: &'a dyn HostFiles,
    paths: Answers<Option<String>>,
    roots: Answers<bool>,
    directories: Answers<bool>,
    existing: Answers<bool>,
    entries: Answers<Option<Vec<String>>>,
    programs: Answers<Vec<String>>,
}

type Answers<T> = RefCell<BTreeMap<String, T>>;

impl<'a> Answered<'a> {
    pub(crate) fn new(files: &'a dyn HostFiles) -> Self {
        let (paths, roots, directories, existing, entries, programs) = Default::default();
        Self { files, paths, roots, directories, existing, entries, programs }
    }
}

impl HostFiles for Answered<'_> {
    fn resolve(&self, path: &str) -> Option<String> {
        answer(&self.paths, path, || self.files.resolve(path))
    }

    fn has_root(&self, path: &str) -> bool {
        answer(&self.roots, path, || self.files.has_root(path))
    }

    fn is_directory(&self, path: &str) -> bool {
        answer(&self.directories, path, || self.files.is_directory(path))
    }

    fn exists(&self, path: &str) -> bool {
        answer(&self.existing, path, || self.files.exists(path))
    }

    fn entries(&self, directory: &str) -> Option<Vec<String>> {
        answer(&self.entries, directory, || self.files.entries(directory))
    }

    fn program(&self, name: &str) -> Vec<String> {
        answer(&self.programs, name, || self.files.program(name))
    }
}

fn answer<T: Clone>(answers: &Answers<T>, key: &str, find: impl FnOnce() -> T) -> T {
    if let Some(answer) = answers.borrow().get(key) {
        return answer.clone();
    }
    let answer = find();
    answers.borrow_mut().insert(key.to_owned(), answer.clone());
    answer
}
