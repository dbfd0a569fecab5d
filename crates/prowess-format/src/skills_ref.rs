//! The reference tool `skills-ref` 0.1.0, message for message.
//!
//! It reads frontmatter with strictyaml, which refuses flow collections, anchors and tags, over a
//! copy of ruamel's scanner, whose order of looking ahead decides which of several mistakes is told.
//! So this module has that scanner's states and not ours; nothing else in the crate uses it.
//!
//! ```
//! use prowess_format::skills_ref;
//!
//! let text = b"---\nname: pdf\ndescription: Fills forms.\n---\n";
//! assert_eq!(skills_ref::validate(text, "pdf"), Ok(vec![]));
//! assert_eq!(
//!     skills_ref::validate(text, "xlsx"),
//!     Ok(vec!["Directory name 'xlsx' must match skill name 'pdf'".to_owned()]),
//! );
//! let properties = skills_ref::read_properties(text).expect("both fields are there");
//! assert!(properties.to_json().contains("\"name\": \"pdf\""));
//! ```

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
pub use python::{Data, escape_html};
pub use validate::validate;

/// What the tool says of a directory without a `SKILL.md` or `skill.md` when it validates.
pub const MISSING_FILE: &str = "Missing required file: SKILL.md";

/// What the tool says of a path that is not there.
pub fn path_does_not_exist(path: &str) -> String {
    format!("Path does not exist: {path}")
}

/// What the tool says of a path that is a file of another name.
pub fn not_a_directory(path: &str) -> String {
    format!("Not a directory: {path}")
}

/// What the tool says of a directory without a `SKILL.md` when it reads properties.
pub fn file_not_found(directory: &str) -> String {
    format!("SKILL.md not found in {directory}")
}
