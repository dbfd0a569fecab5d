//! Each formal predicate of the format as one property: a generator that knows by construction whether
//! what it makes is good, and the reader's verdict beside it.

mod allowed_tools;
mod compatibility;
mod description;
mod directory;
mod frontmatter;
mod level;
mod metadata;
mod name;
mod skill;

use prowess_format::{Profile, Rules, parse_with};

/// A text as it stands in a frontmatter: what JSON quotes, YAML reads.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Whether a file is a usable skill to a reader of the specification.
fn is_valid(file: &str) -> bool {
    is_valid_by(file, &Rules::of(Profile::Spec))
}

fn is_valid_by(file: &str, rules: &Rules) -> bool {
    parse_with(file.as_bytes(), rules).document.is_some()
}

/// A skill with these lines beside the required ones.
fn skill(lines: &str) -> String {
    format!("---\nname: pdf\ndescription: Fills forms.\n{lines}---\nBody\n")
}
