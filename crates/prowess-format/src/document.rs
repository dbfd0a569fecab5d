//! A whole `SKILL.md`: its frontmatter, its body and what was found wrong with it.

use crate::{AllowedTools, Diagnostic, Mapping, Profile};

/// What reading gave: a document where one can be had, and every finding.
#[derive(Clone, Debug)]
pub struct Parsed<'t> {
    /// The document, unless a finding of severity `error` forbids its use.
    pub document: Option<Document<'t>>,
    /// Findings in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// A `SKILL.md` that can be used.
#[derive(Clone, Debug)]
pub struct Document<'t> {
    /// What stands between the fences.
    pub frontmatter: Frontmatter,
    /// Everything after the line of the closing fence, byte for byte.
    pub body: &'t str,
    /// The line of the file on which the body begins, counted from 1.
    pub body_line: u32,
}

/// The fields of the specification, and every field as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frontmatter {
    /// The skill's declared name, NFKC-normalised.
    pub name: String,
    /// What the skill does and when to use it, trimmed.
    pub description: String,
    /// `license`, verbatim.
    pub license: Option<String>,
    /// `compatibility`, verbatim.
    pub compatibility: Option<String>,
    /// `metadata` as it was written; empty where there is none.
    pub metadata: Mapping,
    /// `allowed-tools`, where absent and empty differ.
    pub allowed_tools: AllowedTools,
    /// Every field in the order of the file, the known ones and the unknown ones.
    pub fields: Mapping,
}

/// Reads a whole file.
///
/// Any bytes give a document, diagnostics, or both; nothing panics, and the bounds of the crate
/// ([`crate::MAX_FILE_BYTES`], [`crate::MAX_FRONTMATTER_BYTES`]) are checked before any work.
pub fn parse(text: &[u8], profile: Profile) -> Parsed<'_> {
    let _ = (text, profile);
    Parsed { document: None, diagnostics: Vec::new() }
}
