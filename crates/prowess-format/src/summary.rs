//! The summary of a skill: what a catalog keeps of it.

use std::borrow::Cow;

use crate::{Diagnostic, SummaryConditions};

/// The first bytes of a file, and whether they are all of it.
#[derive(Clone, Copy, Debug)]
pub struct Head<'t> {
    /// The bytes from the file's start.
    pub bytes: &'t [u8],
    /// Whether the file ends where `bytes` end.
    pub is_whole_file: bool,
}

/// The summary of one skill, as a catalog keeps it. Borrows from the head where the text needs no
/// unescaping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary<'t> {
    /// The declared name, NFKC-normalised.
    pub name: Cow<'t, str>,
    /// The description, trimmed.
    pub description: Cow<'t, str>,
    /// `tags`, or `metadata.tags`, as texts; empty where there are none.
    pub tags: Vec<Cow<'t, str>>,
    /// `priority` where it is a whole number, else 0. One beyond the type's bounds is at its bound.
    pub priority: i16,
    /// `metadata.version` where it is a text of at most 64 bytes, trimmed.
    pub version: Option<Cow<'t, str>>,
    /// The conditions for offering the skill, if the frontmatter has any.
    pub conditions: SummaryConditions<'t>,
}

/// The result of reading a head.
#[derive(Clone, Debug)]
pub enum Summarized<'t> {
    /// The frontmatter does not end within the head, and may still end within the limits: read at
    /// least this many bytes from the start of the file and call again.
    NeedsBytes(usize),
    /// The whole frontmatter was read: a summary unless a finding is an `error`, and every finding
    /// that the frontmatter alone can give.
    Done(Option<Summary<'t>>, Vec<Diagnostic>),
}
