//! Every error of this crate. A broken `SKILL.md` is none: its findings are diagnostics.

use crate::index_limits::{MAX_INDEX_BYTES, SCHEMA};
use crate::{Diagnostic, MAX_FILE_BYTES, MAX_FRONTMATTER_BYTES, yaml};

/// The rule that a name does not follow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// There is no text.
    #[error("a skill's name must not be empty")]
    Empty,
    /// An upper-case letter.
    #[error("a skill's name must be lower case, but it has `{0}`")]
    UpperCase(char),
    /// A character that is not a lower-case letter from `a` to `z`, a digit or a hyphen.
    #[error(
        "a skill's name may only have `a` to `z`, `0` to `9` and `-`, but it has {shown}",
        shown = show(*.0)
    )]
    InvalidCharacter(char),
    /// Under [`NameRule::Unicode`](crate::NameRule::Unicode), a character that is not a lower-case
    /// letter of some script, a digit or a hyphen.
    #[error(
        "a skill's name may only have lower-case letters, digits and `-`, but it has {shown}",
        shown = show(*.0)
    )]
    InvalidLetter(char),
    /// Under [`NameRule::KebabLetterFirst`](crate::NameRule::KebabLetterFirst), a first character
    /// from `0` to `9`.
    #[error("a skill's name must start with a letter, but it starts with `{0}`")]
    LeadingDigit(char),
    /// Under [`NameRule::Any`](crate::NameRule::Any), a character that no file's name should have.
    #[error("a skill's name must be fit for a file, but it has {shown}", shown = show(*.0))]
    NotOfAFile(char),
    /// Under [`NameRule::Any`](crate::NameRule::Any), dots alone, or a blank at an end.
    #[error("a skill's name must not be dots alone or have a blank at an end")]
    NoFile,
    /// The first character is a hyphen.
    #[error("a skill's name must not start with a hyphen")]
    LeadingHyphen,
    /// The last character is a hyphen.
    #[error("a skill's name must not end with a hyphen")]
    TrailingHyphen,
    /// Two hyphens in a row.
    #[error("a skill's name must not have two hyphens in a row")]
    DoubleHyphen,
    /// More than 64 characters.
    #[error("a skill's name must not be longer than 64 characters, but it has {0}")]
    TooLong(usize),
}

/// The reason why `allowed-tools` is malformed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AllowedToolsError {
    /// A bracket is opened and not closed.
    #[error("`{0}` opens a bracket that is not closed")]
    Unclosed(String),
    /// A bracket is closed that was not opened.
    #[error("`{0}` closes a bracket that was not opened")]
    Unopened(String),
    /// A pattern has no tool before it.
    #[error("the pattern `{0}` has no tool before it")]
    NoTool(String),
    /// Text directly follows a closing bracket.
    #[error("`{0}` has text after its closing bracket")]
    Trailing(String),
    /// A rule starts with a quote that does not enclose the whole rule.
    #[error("`{0}` is not a quoted rule")]
    Quote(String),
    /// The text is longer than [`crate::MAX_ALLOWED_TOOLS_CHARACTERS`].
    #[error("`allowed-tools` has {0} characters, more than 2048")]
    TooLong(usize),
}

/// No profile has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no profile named `{0}`; the profiles are `lenient`, `extended`, `spec`, `strict`, `skills-ref` and `claude-code`"
)]
pub struct UnknownProfile(pub String);

/// The reason why fields and a body cannot be written as a `SKILL.md`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// This key, the value of this key or the `body` has a NUL character.
    #[error("invalid document: `{0}` has a NUL character")]
    NulCharacter(String),
    /// A mapping has the same key twice.
    #[error("invalid document: duplicate key `{0}`")]
    DuplicateKey(String),
    /// A key is too long for readers of YAML, which look for its colon in 1,024 characters.
    #[error("invalid document: the key `{0}` is longer than YAML allows")]
    KeyTooLong(String),
    /// Collections are nested deeper than 16 levels.
    #[error("invalid document: collections are nested deeper than {most} levels", most = yaml::MAX_DEPTH)]
    TooDeep,
    /// There are more than 10,000 keys and values.
    #[error("invalid document: it has more than {most} keys and values", most = yaml::MAX_NODES)]
    TooManyNodes,
    /// The frontmatter would have this many bytes, more than [`MAX_FRONTMATTER_BYTES`].
    #[error("invalid document: the frontmatter has {0} bytes, more than {MAX_FRONTMATTER_BYTES}")]
    FrontmatterTooLarge(usize),
    /// The file would have this many bytes, more than [`MAX_FILE_BYTES`].
    #[error("invalid document: the file has {0} bytes, more than {MAX_FILE_BYTES}")]
    FileTooLarge(usize),
    /// The manifest to write again cannot be read.
    #[error("invalid document: {}", .0.message)]
    Unreadable(Box<Diagnostic>),
}

/// The reason why a first `SKILL.md` cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScaffoldError {
    /// The name breaks a rule.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A checker would report the file.
    #[error("{}", .0.message)]
    Invalid(Box<Diagnostic>),
}

/// The reason why an index cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// It is larger than [`MAX_INDEX_BYTES`].
    #[error("the index has over {MAX_INDEX_BYTES} bytes; ask its site for a smaller one")]
    TooLarge,
    /// It is not JSON, or not an object with a list of skills.
    #[error("the index cannot be read: {0}; ask its site to fix it")]
    Invalid(String),
    /// It is of a version that this code does not know.
    #[error("the index is of the version `{0}`, and `{SCHEMA}` is what is read")]
    UnknownVersion(String),
}

/// Returns a character if it is visible, and its code point unless it is plain ASCII.
fn show(character: char) -> String {
    match character {
        ' ' => "a blank".to_owned(),
        '!'..='~' => format!("`{character}`"),
        _ if character.is_alphanumeric() => {
            format!("`{character}` (U+{:04X})", u32::from(character))
        }
        _ => format!("U+{:04X}", u32::from(character)),
    }
}
