//! Read, check and write `SKILL.md`, the file that makes a folder an Agent Skill.
//!
//! ```
//! use prowess_format::{parse, Profile};
//!
//! let text = b"---\nname: pdf\n\
//!     description: Fills PDF forms. Use when a form arrives.\n---\n# PDF\n";
//! let parsed = parse(text, Profile::Lenient);
//! let document = parsed.document.expect("a well-formed skill");
//! assert_eq!(document.frontmatter.name, "pdf");
//! assert_eq!(document.body, "# PDF\n");
//! assert!(parsed.diagnostics.is_empty());
//! ```
//!
//! Broken input is a result, not an error: parsing any bytes returns a document, diagnostics, or
//! both. Nothing here opens a file, reads a clock or starts a thread, so a host can use this crate
//! alone.
//!
//! The plain parser is the reference. The faster one for common frontmatter exists for the numbers
//! of `cargo xtask bench`, and property tests and a fuzz target hold both equal.
#![forbid(unsafe_code)]

pub mod agent;
mod allowed_tools;
mod check;
mod code_entry;
pub mod codes;
mod conditions;
mod diagnostic;
mod directory;
mod document;
mod duration;
mod error;
mod extensions;
mod fast;
mod fence;
mod fields;
mod findings;
pub mod index;
mod index_limits;
mod input;
mod limits;
mod message;
mod name;
mod naming_policy;
mod paragraph;
mod profile;
mod quick;
mod repair;
mod repaired;
mod rule_position;
mod rules;
pub mod schema;
mod spelling;
pub mod substitute;
mod summarize;
mod summary;
pub mod tool_pattern;
mod tree;
mod value;
mod version;
mod work;
pub mod write;
mod yaml;

pub use allowed_tools::{AllowedTools, MAX_ALLOWED_TOOLS_CHARACTERS, ToolRule};
pub use code_entry::CodeEntry;
pub use conditions::{Conditions, Requirements, Scope, SummaryConditions, read_switch};
pub use diagnostic::{Code, Diagnostic, Severity};
pub use directory::Directory;
pub use document::{Document, Frontmatter, Parsed, is_skill, parse, parse_in, parse_with};
pub use duration::duration_text;
pub use error::{AllowedToolsError, NameError, UnknownProfile};
pub use extensions::{Extension, ExtensionField, Extensions, FieldKind};
pub use limits::{Limit, LimitSeverity, Limits};
pub use message::for_message;
pub use name::{NameRule, SkillName, are_confusable, name_skeleton, slug, unaccented};
pub use naming_policy::{NameMismatch, SkillMdCase};
pub use profile::Profile;
pub use repaired::{RepairedText, repaired};
pub use rule_position::{RulePosition, rule_positions};
pub use rules::Rules;
pub use spelling::nearest_of;
pub use summarize::{summarize, summarize_with};
pub use summary::{Head, Summarized, Summary};
pub use tree::{MAX_FLOW_DEPTH, duplicate_key, is_nested_too_deep};
pub use value::{Field, Mapping, Value};

/// Compares a declared name with the name of its package's directory, both in NFKC form.
///
/// [`parse`] has no directory, so a caller that has one calls this function; [`summarize`] calls it
/// itself. The finding has no location in the file.
pub fn check_directory(name: &str, directory: &str, profile: Profile) -> Option<Diagnostic> {
    check::check_directory(name, directory, profile)
}

/// Checks the name of the file with the instructions: only some clients find one that is not
/// `SKILL.md`, and [`Profile::Strict`] refuses it.
///
/// [`parse`] has no file name, so a caller that has one calls this function. The finding has no
/// location in the file.
pub fn check_file_name(file: &str, profile: Profile) -> Option<Diagnostic> {
    check::check_file_name(file, profile)
}

/// Checks the size of a `SKILL.md` of which only the beginning was read.
///
/// [`parse`] checks the size of the text that it receives. The finding has no location in the file.
pub fn check_file_size(bytes: u64) -> Option<Diagnostic> {
    check::check_file_size(bytes)
}

/// The names of the file with the instructions, the one that is used first at the front.
pub const SKILL_MD_FILES: [&str; 2] = ["SKILL.md", "skill.md"];

/// The largest `SKILL.md` that is read, in bytes (2 MiB).
pub const MAX_FILE_BYTES: usize = 2 * 1024 * 1024;

/// The largest frontmatter that is parsed, in bytes without its fences (64 KiB).
pub const MAX_FRONTMATTER_BYTES: usize = 64 * 1024;
