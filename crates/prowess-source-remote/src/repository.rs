//! A repository of git that was read from a source.

use prowess_core::{RemoteError, RemoteErrorKind};

/// A repository, and the directory in it that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GitSource {
    /// The URL for git: of `https`, `http`, `ssh` or `file`, or `user@host:path`.
    pub(crate) url: String,
    /// The directory of the repository; empty for its root.
    pub(crate) directory: String,
    /// The parts of a page's path that start with a reference, which may contain slashes, and end
    /// with a directory.
    pub(crate) page: Vec<String>,
}

impl GitSource {
    /// Returns the scheme of the URL.
    pub(crate) fn scheme(&self) -> &str {
        self.url.split_once("://").map_or("ssh", |(scheme, _)| scheme)
    }

    /// Returns the source with the directory of its page, whose reference is one part of the path.
    pub(crate) fn without_reference(self) -> Self {
        let directory = match self.page.get(1..) {
            Some(rest) => rest.join("/"),
            None => self.directory,
        };
        Self { directory, page: Vec::new(), url: self.url }
    }
}

/// Checks the directory of a repository, which may be empty.
pub(crate) fn check_directory(directory: &str) -> Result<(), RemoteError> {
    if !directory.is_empty() && directory.split('/').any(is_bad_part) {
        return Err(unsupported("the directory is not a relative path inside the repository"));
    }
    Ok(())
}

fn is_bad_part(part: &str) -> bool {
    matches!(part, "" | "." | "..") || part.contains(['\\', '\0'])
}

pub(crate) fn unsupported(message: &str) -> RemoteError {
    RemoteError::new(RemoteErrorKind::Unsupported, message)
}
