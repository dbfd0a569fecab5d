//! The path rules, as a function.

use std::borrow::Cow;

/// Resolves a path in the text of a skill as [`Block::PathRules`](super::Block::PathRules) says: an
/// absolute path and a URL stay as they are, any other path is below the base path.
///
/// The path need not exist, and it may lead out of the skill: to open it is the task of a confined
/// reader.
pub fn resolve_path<'p>(base_path: &str, path: &'p str) -> Cow<'p, str> {
    if is_absolute(path) || is_url(path) {
        return path.into();
    }
    let relative = path.strip_prefix("./").unwrap_or(path);
    format!("{}/{relative}", base_path.trim_end_matches('/')).into()
}

fn is_absolute(path: &str) -> bool {
    let has_drive =
        matches!(path.as_bytes(), [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic());
    path.starts_with('/') || has_drive
}

fn is_url(path: &str) -> bool {
    let has_scheme = |scheme: &str| {
        path.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    has_scheme("http://") || has_scheme("https://")
}
