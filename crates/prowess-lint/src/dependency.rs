//! The dependencies of a skill outside of its package, and what a host knows about them.

/// Something outside of a package that its `metadata` names.
#[derive(Debug)]
pub struct Dependency<'a> {
    /// The package's directory as an absolute path or URL.
    pub package: &'a str,
    /// Its kind.
    pub kind: DependencyKind,
    /// A pattern of files from the root of the repository, the name of a program, or the id of a
    /// skill.
    pub name: &'a str,
    /// The day on which the instructions were last compared with it. By default, that of their last
    /// change.
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
}

/// The state of a [`Dependency`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Fact {
    /// Files have changed since the instructions did, or since they were verified.
    Changed {
        /// The day of the first change.
        since: String,
        /// A file that it has changed.
        file: String,
        /// The commit, with its subject, if there is one.
        commit: Option<String>,
    },
    /// There is no such thing.
    Missing,
    /// The version, as a program or a skill says it.
    Version(String),
}
