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
//! Comments, quoting and line breaks of values are lost. [`comments`] lists the comments, so that a
//! program can show them before it overwrites a file.

mod comments;
mod content;
mod layout;
mod scaffold;
mod scalar;

use crate::fence::Fences;
use crate::fields::Fields;
use crate::findings::Findings;
use crate::input::{self, Opened};
use crate::yaml::Pair;
use crate::{
    Diagnostic, Document, MAX_FILE_BYTES, MAX_FRONTMATTER_BYTES, Mapping, Profile, Rules, agent,
    parse_with, tree,
};

use content::Content;

pub use crate::codes::COMMENT_LOST;
pub use crate::error::{ScaffoldError, WriteError};
pub use comments::comments;
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

/// Writes a whole `SKILL.md` again, in canonical form.
///
/// Differs from parsing and [`skill_md`] in one point: an unquoted value that most readers take for
/// a number, a truth value or nothing (`user-invocable: false`) stays unquoted, so that it means to
/// every client what it meant before. Values that the specification calls texts are quoted.
///
/// # Errors
///
/// [`WriteError::Unreadable`] where the frontmatter cannot be read, else as [`skill_md`].
pub fn rewrite(text: &str) -> Result<String, WriteError> {
    let (fences, pairs) = read(text)?;
    assemble(content::of_pairs(&pairs)?, &text[fences.body_start..])
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

/// The fences and the fields of a text, if the most lenient reading finds them.
fn read(text: &str) -> Result<(Fences, Vec<Pair<'_>>), WriteError> {
    let rules = Rules::of(Profile::Lenient);
    let mut findings = Findings::new(text.as_bytes(), &rules);
    let fences = match input::open(text.as_bytes(), true, &mut findings) {
        Opened::At(fences) => fences,
        _ => return Err(unreadable(findings)),
    };
    let pairs = input::text(text.as_bytes(), 0..text.len(), &mut findings)
        .and_then(|text| tree::read(text, &fences.yaml, &mut findings));
    match pairs {
        Some(mut pairs) => {
            let mut fields = Fields::of(&pairs);
            fields.flow_as_text(text, &mut findings);
            fields.fix(&mut pairs);
            Ok((fences, pairs))
        }
        None => Err(unreadable(findings)),
    }
}

fn unreadable(findings: Findings<'_>) -> WriteError {
    let first = findings.finish().into_iter().find(Diagnostic::is_error);
    WriteError::Unreadable(Box::new(first.expect("what cannot be read has an error")))
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

    /// The same, if reading it by these rules finds no error: what a client that keeps them would
    /// refuse is not written for it.
    ///
    /// # Errors
    ///
    /// Those of [`skill_md`], and [`WriteError::Unreadable`] with the first error of reading.
    pub fn to_skill_md_by(&self, rules: &Rules) -> Result<String, WriteError> {
        let written = self.to_skill_md()?;
        let mut found = parse_with(written.as_bytes(), rules).diagnostics.into_iter();
        match found.find(Diagnostic::is_error) {
            None => Ok(written),
            Some(error) => Err(WriteError::Unreadable(Box::new(error))),
        }
    }
}
