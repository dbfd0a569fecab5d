//! Read, check and write `SKILL.md`, the file that makes a folder an Agent Skill.
//!
//! ```
//! use prowess_format::{parse, Profile};
//!
//! let text = b"---\nname: pdf\ndescription: Fills PDF forms. Use when a form arrives.\n---\n# PDF\n";
//! let parsed = parse(text, Profile::Lenient);
//! let document = parsed.document.expect("a well-formed skill");
//! assert_eq!(document.frontmatter.name, "pdf");
//! assert_eq!(document.body, "# PDF\n");
//! assert!(parsed.diagnostics.is_empty());
//! ```
//!
//! Broken input is a result, not an error: any bytes give a document, diagnostics, or both. Nothing
//! here opens a file, looks at a clock or starts a thread, so a host can take this crate alone.
#![forbid(unsafe_code)]

mod allowed_tools;
pub mod boxxy;
mod check;
pub mod codes;
mod conditions;
mod diagnostic;
mod document;
mod extensions;
mod fast;
mod fence;
mod fields;
mod findings;
mod hidden;
pub mod index;
mod input;
mod limits;
mod name;
mod profile;
mod quick;
mod repair;
mod rules;
pub mod schema;
mod severities;
mod shown;
pub mod skills_ref;
mod spelling;
pub mod substitute;
mod summary;
mod tree;
mod value;
mod work;
pub mod write;
mod yaml;

pub use allowed_tools::{AllowedTools, AllowedToolsError, MAX_ALLOWED_TOOLS_CHARACTERS, ToolRule};
pub use conditions::{Conditions, Requirements, Scope, SummaryConditions};
pub use diagnostic::{Code, Diagnostic, Severity};
pub use document::{Document, Frontmatter, Parsed, parse, parse_with};
pub use extensions::{Extension, ExtensionField, Extensions, FieldKind};
pub use hidden::find as hidden_character;
pub use limits::{Limit, LimitSeverity, Limits};
pub use name::{NameError, NameRule, SkillName, are_confusable, name_skeleton};
pub use profile::{Profile, UnknownProfile};
pub use rules::Rules;
pub use shown::shown;
pub use summary::{Head, Summarized, Summary, summarize, summarize_with};
pub use value::{Field, Mapping, Value};

/// Compares a declared name with the name of its package's directory, both in NFKC form.
///
/// [`parse`] knows no directory, so a caller that has one asks here; [`summarize`] asks by itself.
/// The finding has no place in the file.
pub fn check_directory(name: &str, directory: &str, profile: Profile) -> Option<Diagnostic> {
    check::check_directory(name, directory, profile)
}

/// Looks at the name of the file that the instructions are in: one other than `SKILL.md` is found by
/// some clients only, and refused where the profile is [`Profile::Strict`].
///
/// [`parse`] knows no file, so a caller that has one asks here. The finding has no place in the file.
pub fn check_file_name(file: &str, profile: Profile) -> Option<Diagnostic> {
    check::check_file_name(file, profile)
}

/// The largest `SKILL.md` that is read, in bytes (2 MiB).
pub const MAX_FILE_BYTES: usize = 2 * 1024 * 1024;

/// The largest frontmatter that is parsed, in bytes without its fences (64 KiB).
pub const MAX_FRONTMATTER_BYTES: usize = 64 * 1024;
