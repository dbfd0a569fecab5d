//! The two ways in which the tool gives up: with a message, and with a traceback.

/// Why there are no properties.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The message that the tool prints after `Error: `.
    #[error("{0}")]
    Message(String),
    /// The tool dies instead.
    #[error(transparent)]
    Crash(#[from] Crash),
}

/// An input on which the tool dies with a traceback.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Crash {
    /// The file is not UTF-8.
    #[error("`skills-ref` crashes on this file: it is not UTF-8")]
    NotUtf8,
    /// A control character or a non-character stands in the frontmatter.
    #[error("`skills-ref` crashes on this file: the frontmatter holds U+{0:04X}")]
    SpecialCharacter(u32),
    /// An escape in a quoted value names no character.
    #[error("`skills-ref` crashes on this file: an escape names no character")]
    NoCharacter,
    /// A key is a list.
    #[error("`skills-ref` crashes on this file: a key is a list")]
    ListAsKey,
    /// Collections lie deeper in each other than its recursion goes.
    #[error("`skills-ref` crashes on this file: its collections lie too deep in each other")]
    TooDeep,
    /// The tool would read the file; this crate's bounds refuse it: 2 MiB, a frontmatter of 256
    /// KiB, 20,000 keys and values.
    #[error("the file is larger than the bounds of this program")]
    TooLarge,
}
