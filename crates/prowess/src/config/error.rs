//! The error of reading a configuration.

use std::fmt;

use prowess_format::{MAX_FLOW_DEPTH, duplicate_key};
use prowess_text::{enumerated, quoted};
use prowess_tools::closest;

use super::Origin;
use crate::Policies;

/// The minimum similarity of a suggestion, in hundredths.
const LEAST_SIMILARITY: u8 = 60;

/// The error of reading a configuration.
#[derive(Debug)]
#[non_exhaustive]
pub struct ConfigError {
    /// The kind of the error.
    pub kind: ConfigErrorKind,
    /// The part that has the error.
    pub origin: Origin,
    /// The position in that part, if it is a text and the position is known.
    pub position: Option<ConfigPosition>,
    /// A sentence that names the key and the error.
    pub message: String,
}

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigErrorKind {
    /// No preset has this name.
    UnknownPreset,
    /// The text is not YAML.
    Syntax,
    /// The text has a key or a value that no policy has.
    Invalid,
    /// A project sets a key that could widen the rights of its own skills.
    ForbiddenKey,
    /// A key is known, and this build lacks its feature.
    MissingFeature {
        /// The key.
        key: &'static str,
        /// The feature of this crate.
        feature: &'static str,
    },
}

/// The first parts of keys that need a feature, and whether this build has it.
const KEYS_OF_FEATURES: [(&str, &str, bool); 5] = [
    ("discovery", "filesystem", cfg!(feature = "filesystem")),
    ("plugins", "plugins", cfg!(feature = "plugins")),
    ("proposals", "proposals", cfg!(feature = "proposals")),
    ("scripts", "scripts", cfg!(feature = "scripts")),
    ("shell", "virtual-shell", cfg!(feature = "virtual-shell")),
];

/// Returns the first part of a key that needs a feature which this build lacks, and the feature.
pub(super) fn missing_feature(key: &str) -> Option<(&'static str, &'static str)> {
    let first = key.split('.').next().unwrap_or_default();
    let found = KEYS_OF_FEATURES.into_iter().find(|(known, ..)| *known == first);
    found.filter(|(.., is_on)| !is_on).map(|(key, feature, _)| (key, feature))
}

/// A position in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigPosition {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
}

impl ConfigError {
    pub(super) fn unknown_preset(name: &str) -> Self {
        let known = enumerated(Policies::presets(), "and");
        let names = Policies::presets().chain(super::ALIASES.map(|(alias, _)| alias));
        let meant = closest(name, names, LEAST_SIMILARITY);
        let message = match meant {
            Some(meant) => format!("no preset named {}; did you mean `{meant}`?", quoted(name)),
            None => format!("no preset named {}; the presets are {known}", quoted(name)),
        };
        Self::new(ConfigErrorKind::UnknownPreset, None, message)
    }

    #[allow(clippy::needless_pass_by_value, reason = "it maps an error")]
    pub(super) fn invalid(error: serde_yaml::Error) -> Self {
        let (message, position) = located(&error);
        match unknown_key(&message).and_then(missing_feature) {
            Some((key, feature)) => {
                let message = format!(
                    "the key `{key}` needs the feature `{feature}`, which this build lacks"
                );
                let kind = ConfigErrorKind::MissingFeature { key, feature };
                Self::new(kind, position, message)
            }
            None => Self::new(ConfigErrorKind::Invalid, position, with_suggestion(&message)),
        }
    }

    /// Returns the error of a text that is not YAML. The reader of values knows neither place of a
    /// key that is there again.
    pub(super) fn syntax(error: serde_yaml::Error, text: &str) -> Self {
        let error = Self { kind: ConfigErrorKind::Syntax, ..Self::invalid(error) };
        let Some(found) = duplicate_key(text) else { return error };
        let position = found
            .line
            .zip(found.column)
            .map(|(line, column)| ConfigPosition { line: line as usize, column: column as usize });
        Self { position, message: found.message, ..error }
    }

    pub(super) fn too_deep() -> Self {
        let message = format!("`[` and `{{` are nested deeper than {MAX_FLOW_DEPTH}");
        Self::new(ConfigErrorKind::Syntax, None, message)
    }

    pub(super) fn forbidden(error: &serde_yaml::Error) -> Self {
        let (message, position) = located(error);
        // The reader puts the key in front, which the message has already.
        let start = message.find('`').unwrap_or_default();
        Self::new(ConfigErrorKind::ForbiddenKey, position, message[start..].to_owned())
    }

    /// Returns the error with the part that has it.
    pub(super) fn of(self, origin: &Origin) -> Self {
        Self { origin: origin.clone(), ..self }
    }

    fn new(kind: ConfigErrorKind, position: Option<ConfigPosition>, message: String) -> Self {
        Self { kind, origin: Origin::Text, position, message }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the configuration cannot be read: ")?;
        if self.origin != Origin::Text {
            write!(formatter, "{}: ", self.origin)?;
        }
        formatter.write_str(&self.message)?;
        match self.position {
            Some(ConfigPosition { line, column }) => {
                write!(formatter, " at line {line} column {column}")
            }
            None => Ok(()),
        }
    }
}

impl std::error::Error for ConfigError {}

/// Separates the message of an error from its position.
fn located(error: &serde_yaml::Error) -> (String, Option<ConfigPosition>) {
    let text = error.to_string();
    let Some(location) = error.location() else { return (text, None) };
    let position = ConfigPosition { line: location.line(), column: location.column() };
    let suffix = format!(" at line {} column {}", position.line, position.column);
    let message = text.strip_suffix(&suffix).map(str::to_owned);
    (message.unwrap_or(text), Some(position))
}

/// Returns the unknown key that a message names.
fn unknown_key(message: &str) -> Option<&str> {
    message.strip_prefix("unknown field `")?.split('`').next()
}

/// Replaces the list of all known words by the one that was probably meant.
fn with_suggestion(message: &str) -> String {
    let renamed =
        message.replace("unknown field", "unknown key").replace("unknown variant", "unknown value");
    let renamed = renamed
        .replace("invalid type: sequence", "invalid type: list")
        .replace("invalid type: map", "invalid type: mapping")
        .replace("invalid type: unit value", "invalid type: null");
    if let Some((key, _)) = renamed.split_once("data did not match any variant") {
        return format!("{key}the value has none of the forms that this key takes");
    }
    if let Some((key, number)) = renamed.split_once("invalid type: integer ")
        && let Some((number, _)) = number.split_once(" as ")
    {
        return format!("{key}the number {number} is too large");
    }
    let Some((wrong, expected)) = renamed.split_once(", expected ") else { return renamed };
    if let Some((key, number)) = wrong.split_once("invalid value: integer `")
        && let ("u8" | "u16" | "u32", Ok(_)) =
            (expected, number.trim_end_matches('`').parse::<u64>())
    {
        return format!("{key}the number `{number} is too large");
    }
    if let Some(expected) = without_type(expected) {
        return format!("{wrong}, expected {expected}");
    }
    let Some(word) = wrong.contains("unknown ").then(|| in_backticks(wrong).next_back()).flatten()
    else {
        return renamed;
    };
    match closest(word, in_backticks(expected), LEAST_SIMILARITY) {
        Some(meant) => format!("{wrong}; did you mean `{meant}`?"),
        None => renamed,
    }
}

/// Returns what a reader of a type of this program expects, in words; `None` if it says so itself.
fn without_type(expected: &str) -> Option<&'static str> {
    let word = expected.split(' ').next().unwrap_or_default();
    if expected.ends_with(" enum") {
        return Some("one word");
    }
    Some(match (word, expected) {
        ("u8" | "u16" | "u32" | "u64" | "usize" | "i64", _) => "a whole number",
        ("struct" | "internally", _) | (_, "a map") => "a mapping",
        ("tuple", _) | (_, "a sequence") => "a list",
        ("enum" | "variant" | "unit", _) | (_, "a YAML tag starting with '!'") => "one word",
        (_, "a string" | "a borrowed string" | "string or map") => "a text",
        (_, "a boolean") => "true or false",
        _ => return None,
    })
}

fn in_backticks(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    let parts = text.split('`').collect::<Vec<_>>();
    parts.into_iter().enumerate().filter(|(at, _)| at % 2 == 1).map(|(_, word)| word)
}
