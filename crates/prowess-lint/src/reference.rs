//! The answers of the reference tool `skills-ref` 0.1.0 about a `SKILL.md`, byte for byte.
//!
//! ```
//! use prowess_lint::reference::{read_properties, validate};
//!
//! let text = b"---\nname: pdf\ndescription: Fills forms.\n---\n";
//! assert_eq!(validate(text, "pdf"), Ok(vec![]));
//! assert_eq!(
//!     validate(text, "xlsx"),
//!     Ok(vec!["Directory name 'xlsx' must match skill name 'pdf'".to_owned()]),
//! );
//! let properties = read_properties(text).expect("the file has both required fields");
//! assert!(properties.to_json().contains("\"name\": \"pdf\""));
//! ```
//!
//! The tool reads frontmatter with strictyaml, which refuses flow collections, anchors and tags. It
//! sits on a copy of ruamel's scanner, whose order of lookahead decides which of several errors is
//! reported. This module therefore reproduces the states of that scanner instead of using the
//! parser of `prowess-format`. Only checkers for authors need it; reading and offering skills does
//! not.

mod compose;
mod construct;
mod error;
mod frontmatter;
mod mark;
mod properties;
mod python;
mod scanner;
mod validate;

pub use error::{Crash, Error};
pub use properties::{Properties, read_properties};
pub use python::Data;
pub use validate::validate;

/// The message of `validate` for a directory without a `SKILL.md` or `skill.md`.
pub const MISSING_FILE: &str = "Missing required file: SKILL.md";

/// Returns the message of `validate` for a path to a file with another name.
pub fn not_a_directory(path: &str) -> String {
    format!("Not a directory: {path}")
}

/// Returns the message of `read-properties` for a directory without a `SKILL.md`.
pub fn file_not_found(directory: &str) -> String {
    format!("SKILL.md not found in {directory}")
}
