//! The dependencies of a skill outside of its package, and what a host knows about them.

/// Something outside of a package that its `metadata` or its body names.
#[derive(Debug)]
pub struct Dependency<'a> {
    /// The package's directory as an absolute path or URL.
    pub package: &'a str,
    /// Its kind.
    pub kind: DependencyKind,
    /// A pattern of files from the root of the repository, the name of a program, the id of a
    /// skill, a URL, or a path. It leads out of no repository.
    pub name: &'a str,
    /// The day on which the instructions were last compared with it, as `2026-03-01`. By default,
    /// that of their last change.
    pub verified: Option<&'a str>,
}

/// The kind of a [`Dependency`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DependencyKind {
    /// Files of the repository that the package is in, by a pattern such as `src/**/*.rs`.
    Files,
    /// A program, with a range of versions or without one, such as `terraform@>=1.5,<2`.
    Command,
    /// Another skill, as `requires` names it.
    Skill,
    /// A page or an interface, by its URL of `https` or `http`.
    Url,
    /// A file that the body names, and that is neither in the package nor in a directory above it:
    /// `src/api.rs` is one of the root of the repository, or of any directory up to the package.
    Mention,
}

/// The state of a [`Dependency`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Fact {
    /// Files have changed since the instructions did, or since they were verified. A file that the
    /// body names was removed.
    Changed {
        /// The day of the first change.
        since: String,
        /// A file that it has changed.
        file: String,
        /// The commit, with its subject, if there is one.
        commit: Option<String>,
    },
    /// There is no such thing. Of a file that the body names, that it was there.
    Missing,
    /// The version, as a program or a skill says it.
    Version(String),
}
