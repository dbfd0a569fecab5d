//! Writes a canonical `SKILL.md`.
//!
//! The fields of the specification come first, in its order, then every other field in the order in
//! which it came. Collections are written as blocks, texts without quotes wherever each reader of
//! YAML takes them for the same text, and texts of several lines as blocks behind `|`. Reading what
//! was written gives the same fields and the same body, byte for byte.
//!
//! ```
//! use prowess_format::{Profile, parse, write};
//!
//! let text = "---\nlicense: 'MIT'\ndescription: Says yes. Use when asked.\n\
//!     name: \"yes\"\n---\nSay yes.\n";
//! let document = parse(text.as_bytes(), Profile::Lenient).document.expect("a well-formed skill");
//! let written = document.to_skill_md()?;
//! assert_eq!(
//!     written,
//!     "---\nname: \"yes\"\ndescription: Says yes. Use when asked.\nlicense: MIT\n---\nSay yes.\n"
//! );
//! # Ok::<_, prowess_format::write::WriteError>(())
//! ```
//!
//! Comments, quoting and line breaks of values are lost.

mod content;
mod layout;
mod scaffold;
mod scalar;

use crate::{Diagnostic, Document, MAX_FILE_BYTES, MAX_FRONTMATTER_BYTES, Mapping, agent};

use content::Content;

pub use crate::error::{ScaffoldError, WriteError};
pub use scaffold::scaffold;

/// Writes fields and a body as a `SKILL.md`.
///
/// Each text is written so that every reader takes it for a text: `no`, `1.10` and `~` are quoted.
/// The spans of the fields are not looked at, so fields may come from a file or from a program.
///
/// # Errors
///
/// Whatever reading would refuse: see [`WriteError`].
pub fn skill_md(fields: &Mapping, body: &str) -> Result<String, WriteError> {
    assemble(content::of_fields(fields)?, body)
}

/// Writes a whole manifest of an agent in canonical form: every field in its order, and
/// unquoted numbers and truth values unquoted.
///
/// # Errors
///
/// [`WriteError::Unreadable`] where the manifest cannot be read, else as [`skill_md`].
pub fn agent_manifest(text: &str) -> Result<String, WriteError> {
    let mut found = Vec::new();
    let Some(pairs) = agent::pairs(text.as_bytes(), &mut found) else {
        let first = found.into_iter().find(Diagnostic::is_error);
        return Err(WriteError::Unreadable(Box::new(first.expect("the reason is reported"))));
    };
    let yaml = layout::frontmatter(&content::of_pairs(&pairs)?)?;
    match yaml.len() {
        0..=MAX_FRONTMATTER_BYTES => Ok(yaml),
        bytes => Err(WriteError::FrontmatterTooLarge(bytes)),
    }
}

fn assemble(mut fields: Vec<(&str, Content<'_>)>, body: &str) -> Result<String, WriteError> {
    if body.contains('\0') {
        return Err(WriteError::NulCharacter("body".to_owned()));
    }
    fields.sort_by_key(|(key, _)| content::rank(key));
    let yaml = layout::frontmatter(&fields)?;
    if yaml.len() > MAX_FRONTMATTER_BYTES {
        return Err(WriteError::FrontmatterTooLarge(yaml.len()));
    }
    let written = format!("---\n{yaml}---\n{body}");
    match written.len() {
        0..=MAX_FILE_BYTES => Ok(written),
        bytes => Err(WriteError::FileTooLarge(bytes)),
    }
}

impl Document<'_> {
    /// The document as a canonical `SKILL.md`; see [`skill_md`].
    ///
    /// # Errors
    ///
    /// Those of [`skill_md`]. A document that was read and not changed since can only become too
    /// large, by quotes.
    pub fn to_skill_md(&self) -> Result<String, WriteError> {
        skill_md(&self.frontmatter.fields, self.body)
    }
}
