//! The documented file: the one list of the keys, with their tiers and descriptions.

use std::mem;

use super::ConfigTier;

/// The documented file. The comment behind a key is its description.
const EXAMPLE: &str = include_str!("../../prowess.example.yaml");

/// The start of the comment behind a key of [`ConfigTier::Advanced`]; the keys below it are of that
/// tier, too.
const ADVANCED: &str = "advanced";

const HEAD: &str = "\
# The configuration of prowess. Every line is commented out: remove the `#` in front of a key, and of
# the keys above it that it belongs to, to set it. `prowess config check FILE` checks the file, and
# `prowess config show` prints the values in effect.
";

/// Ends the head of a file that lacks the keys of [`ConfigTier::Advanced`].
const COMMON_HEAD: &str = "\
# These are the keys that people set; `prowess config init --all` explains every key.
";

/// A key of the documented file.
pub(super) struct DocumentedKey {
    /// The key with those above it.
    pub(super) key: String,
    pub(super) tier: ConfigTier,
    pub(super) description: Option<&'static str>,
}

/// A line of the documented file.
struct Line {
    text: &'static str,
    /// The key, if the line has one.
    key: Option<DocumentedKey>,
    tier: ConfigTier,
}

impl Line {
    /// Returns whether the line is a comment about the next key.
    fn is_comment(&self) -> bool {
        self.text.trim_start().starts_with('#')
    }
}

/// Returns the documented file with each key commented out that is known: all keys, or those that
/// people set.
pub(super) fn commented(tier: ConfigTier, is_known: impl Fn(&str) -> bool) -> String {
    let mut text = HEAD.to_owned();
    if tier == ConfigTier::Common {
        text.push_str(COMMON_HEAD);
    }
    text.push('\n');
    let mut comments = String::new();
    for line in lines() {
        let is_known = line.key.as_ref().is_none_or(|line| is_known(&line.key));
        if line.is_comment() || line.text.is_empty() {
            comments.push_str(line.text);
            comments.push('\n');
        } else if line.tier > tier || !is_known {
            // What introduces a key goes with it.
            let is_paragraph = comments.starts_with('\n');
            comments.clear();
            if is_paragraph {
                comments.push('\n');
            }
        } else {
            text.push_str(&mem::take(&mut comments));
            text.push('#');
            text.push_str(line.text);
            text.push('\n');
        }
    }
    text
}

/// Returns the keys of the documented file.
pub(super) fn keys() -> Vec<DocumentedKey> {
    lines().into_iter().filter_map(|line| line.key).collect()
}

/// Returns the tier of a key, which is that of the nearest documented key above it.
pub(super) fn tier(keys: &[DocumentedKey], key: &str) -> ConfigTier {
    let is_above = |documented: &&DocumentedKey| {
        let below = key.strip_prefix(&documented.key);
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let nearest = keys.iter().filter(is_above).max_by_key(|documented| documented.key.len());
    nearest.map_or(ConfigTier::Advanced, |documented| documented.tier)
}

fn lines() -> Vec<Line> {
    let mut above: Vec<(usize, &str, ConfigTier)> = Vec::new();
    let mut lines = Vec::new();
    for text in EXAMPLE.lines() {
        let indent = text.len() - text.trim_start().len();
        if !text.trim_start().is_empty() {
            above.retain(|(outer, ..)| *outer < indent);
        }
        let inherited = above.last().map_or(ConfigTier::Common, |(.., tier)| *tier);
        let Some((key, comment)) = key_of(text) else {
            lines.push(Line { text, key: None, tier: inherited });
            continue;
        };
        let marked = comment.and_then(|comment| comment.strip_prefix(ADVANCED));
        let tier = if marked.is_some() { ConfigTier::Advanced } else { inherited };
        let description = marked.map(|rest| rest.trim_start_matches([':', ' '])).or(comment);
        above.push((indent, key, tier));
        let key = above.iter().map(|(_, key, _)| *key).collect::<Vec<_>>().join(".");
        let description = description.filter(|description| !description.is_empty());
        lines.push(Line { text, key: Some(DocumentedKey { key, tier, description }), tier });
    }
    lines
}

/// Returns the key of a line, and the comment behind its value.
fn key_of(line: &str) -> Option<(&str, Option<&str>)> {
    let (key, rest) = line.trim_start().split_once(':')?;
    let is_key = key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let comment = rest.split_once(" # ").map(|(_, comment)| comment.trim());
    (is_key && !key.is_empty()).then_some((key, comment))
}
