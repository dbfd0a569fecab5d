//! The difference of a prompt from another one.

use std::path::Path;

use anstyle::{AnsiColor, Style};
use prowess::Policies;
use prowess::state::TextCache;
use similar::TextDiff;

use crate::args::{Global, PromptArgs};
use crate::commands::composed::Composed;
use crate::failure::Failure;
use crate::output::Output;
use crate::paths::{machine, working_directory};
use crate::policies::policies_of_file;

/// The word for the prompt that was printed last.
const LAST: &str = "last";

/// The start of a tag with the boundary, which is random for each session.
const TAG: &str = "<skill_content-";

/// Returns the differences of a prompt from another one as a unified diff; empty without any.
pub(crate) fn difference(
    global: &Global,
    args: &PromptArgs,
    other: &Path,
    now: &Composed,
    output: &Output,
) -> Result<String, Failure> {
    let before = if other == Path::new(LAST) {
        last(global, args)?
    } else {
        let policies: Policies = policies_of_file(other)?;
        comparable(&Composed::new(global, args, Some(policies), output)?)
    };
    let now = comparable(now);
    let diff = TextDiff::from_lines(&before, &now);
    let name = other.to_string_lossy();
    Ok(diff.unified_diff().header(&name, "now").to_string())
}

/// Saves a prompt for a later `--diff last`. A failure only makes that one miss it.
pub(crate) fn keep(global: &Global, args: &PromptArgs, now: &Composed) {
    if global.skills.no_cache {
        return;
    }
    if let (Some(cache), Ok(key)) = (cache(), key(global, args)) {
        let _ = cache.save(&key, &comparable(now));
    }
}

fn last(global: &Global, args: &PromptArgs) -> Result<String, Failure> {
    let help = "run `prowess prompt` with these options first, without `--no-cache`";
    let missing = |message: String| Failure::new("no-last-prompt", message, help);
    let cache = cache().ok_or_else(|| missing("this user has no cache directory".to_owned()))?;
    let text = cache.load(&key(global, args)?);
    let text = text.map_err(|error| missing(format!("the last prompt cannot be read: {error}")))?;
    text.ok_or_else(|| missing("no earlier prompt for this directory and options".to_owned()))
}

fn cache() -> Option<TextCache> {
    Some(TextCache::new(machine(None).cache_home()?.join("prowess/prompts")))
}

/// Returns what the saved prompt belongs to: the directory and the options that choose the skills.
/// Policies are not among them, so that their effect can be seen.
fn key(global: &Global, args: &PromptArgs) -> Result<String, Failure> {
    let directory = working_directory()?;
    let PromptArgs { load, agent, .. } = args;
    Ok(format!("{directory:?}\n{:?}\n{load:?}\n{agent:?}", global.skills.root))
}

/// Returns the text with a fixed boundary.
fn comparable(composed: &Composed) -> String {
    let text = composed.text();
    let Some((_, rest)) = text.split_once(TAG) else { return text };
    let digits = rest.find(|digit: char| !digit.is_ascii_hexdigit()).unwrap_or(rest.len());
    let boundary = rest[..digits].to_owned();
    if boundary.is_empty() { text } else { text.replace(&boundary, "…") }
}

/// Returns the encoded lines of a diff for a terminal: added ones green, removed ones red.
pub(crate) fn colored(encoded: &str) -> String {
    let line = |line: &str| {
        let style = match line.as_bytes().first() {
            Some(b'+') => AnsiColor::Green.on_default(),
            Some(b'-') => AnsiColor::Red.on_default(),
            Some(b'@') => AnsiColor::Cyan.on_default(),
            _ => Style::new(),
        };
        format!("{style}{line}{style:#}\n")
    };
    encoded.lines().map(line).collect()
}
