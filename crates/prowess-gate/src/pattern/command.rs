//! Commands of a call, compared with patterns.

use prowess_format::tool_pattern::CommandPattern;

use super::Paths;
use crate::behind::{Run, base, divided};

/// Returns whether the words of a command that are in the directory of the skill stay in it: no
/// link leads out of it.
pub(crate) fn is_own(words: &[String], paths: &Paths<'_>) -> bool {
    let (Some(files), Some(directory)) = (paths.files, paths.directory) else { return true };
    let Some(root) = files.resolve(directory) else { return false };
    let mut inside = words.iter().filter(|word| word.starts_with(directory));
    inside.all(|word| {
        let file = files.resolve(word);
        file.is_some_and(|file| file.strip_prefix(&root).is_some_and(|rest| rest.starts_with('/')))
    })
}

/// Returns whether a pattern may cover a command of which not every word is known. A program is
/// compared by the last component of its path, `*` stands for any text, and options may stand
/// before a word that is none: `git -C x push` is `git push`. Options need not be certain where the
/// answer is only a doubt.
pub(crate) fn may_match(pattern: &CommandPattern<'_>, run: &Run, is_certain: bool) -> bool {
    let is_closed = run.is_closed();
    // Most commands are of another program.
    let program = pattern.words().next().and_then(|word| word.texts(None)).unwrap_or_default();
    if is_closed && matches!(&*program, [only] if run.may_be(0, only) != Some(true)) {
        return false;
    }
    let words: Vec<_> = pattern.words().collect();
    let mut positions = vec![0];
    let mut has_options = false;
    // Where the value of an option ends that stands anywhere.
    let mut behind_value = Vec::new();
    for (at, word) in words.iter().enumerate() {
        // A directory that is not known may be any.
        let Some(texts) = word.texts(None) else { return true };
        if at > 0 && !texts.first().is_some_and(|text| text.starts_with(['-', '+'])) {
            skip_options(&mut positions, run);
        }
        let [expected] = texts.as_slice() else {
            let is_like =
                |at_word: &usize| is_like(&words[at..], pattern.is_prefix(), run, *at_word);
            return run.is_open || run.placeholder.is_some() || positions.iter().any(is_like);
        };
        let mut next = std::mem::take(&mut behind_value);
        // An option may stand anywhere, also behind the other words, and its value with it.
        let is_there = || match divided(expected) {
            Some((name, value)) => run.has_value(name, value),
            None => run.has_option(expected, is_certain),
        };
        // Words of the input may be the option: `echo -rf | xargs rm -v`.
        let may_follow = !is_certain && expected.starts_with('-') && (run.is_open || run.is_fed);
        if at > 0 && (may_follow || is_there()) {
            has_options = true;
            next.extend_from_slice(&positions);
        }
        let value = words.get(at + 1).and_then(|word| word.texts(None));
        let value = value.as_deref().and_then(|texts| texts.first().filter(|_| texts.len() == 1));
        if at > 0
            && expected.starts_with('-')
            && value.is_some_and(|value| !value.starts_with('-') && run.has_value(expected, value))
        {
            has_options = true;
            behind_value.clone_from(&positions);
        }
        for position in positions {
            match run.may_be(position, expected) {
                Some(true) => next.push(position + 1),
                Some(false) => {}
                None if run.is_open => return true,
                None => {}
            }
        }
        next.sort_unstable();
        next.dedup();
        positions = next;
        // No later word changes that.
        if positions.is_empty() && behind_value.is_empty() && is_closed {
            return false;
        }
    }
    let is_end = pattern.is_prefix() || run.is_open;
    let is_rest = |word: &String| has_options && word.starts_with('-');
    positions.into_iter().any(|end| is_end || run.words.iter().skip(end).all(is_rest))
}

/// Adds the positions behind options, which may have a value.
fn skip_options(positions: &mut Vec<usize>, run: &Run) {
    let mut at = 0;
    while let Some(position) = positions.get(at).copied() {
        at += 1;
        if run.words.get(position).is_some_and(|word| word.starts_with(['-', '+'])) {
            let known = positions.clone();
            positions
                .extend([position + 1, position + 2].iter().filter(|end| !known.contains(end)));
        }
    }
}

/// Returns whether the words of a command from a position are like these of a pattern, as one text
/// in which options may stand before each word that is none.
fn is_like(
    pattern: &[prowess_format::tool_pattern::PatternWord<'_>],
    is_prefix: bool,
    run: &Run,
    at: usize,
) -> bool {
    let mut parts = Vec::new();
    for (number, word) in pattern.iter().enumerate() {
        let Some(texts) = word.texts(None) else { return true };
        for (star, text) in texts.iter().enumerate() {
            let is_program = at + number == 0;
            let text = if is_program { base(text).to_ascii_lowercase() } else { text.clone() };
            parts.push(match (number, star) {
                (0, 0) => (Gap::None, text),
                (_, 0) if text.starts_with(['-', '+']) => (Gap::None, format!(" {text}")),
                (_, 0) => (Gap::Options, format!(" {text}")),
                _ => (Gap::Any, text),
            });
        }
    }
    let rest = run.words.get(at..).unwrap_or_default();
    let firsts = if at == 0 { run.names.as_slice() } else { rest.get(..1).unwrap_or_default() };
    firsts.iter().any(|first| {
        let text =
            [std::slice::from_ref(first), rest.get(1..).unwrap_or_default()].concat().join(" ");
        has_parts(&parts, &text, is_prefix)
    })
}

/// The words that may stand before a part of a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    None,
    /// Nothing, or an option and what follows it.
    Options,
    Any,
}

fn has_parts(parts: &[(Gap, String)], text: &str, is_prefix: bool) -> bool {
    let mut ends = vec![0];
    for (gap, part) in parts {
        // Where any text may stand before a part, the first end finds what the others do.
        let from = ends.iter().copied().find(|end| match gap {
            Gap::None => false,
            Gap::Options => text[*end..].starts_with(" -") || text[*end..].starts_with(" +"),
            Gap::Any => true,
        });
        let later = from.unwrap_or(text.len() + 1)..=text.len();
        let starts = ends.iter().copied().chain(later);
        let starts = starts.filter(|at| text.is_char_boundary(*at));
        let next = starts.filter(|at| text[*at..].starts_with(part.as_str()));
        let mut next: Vec<_> = next.map(|at| at + part.len()).collect();
        next.sort_unstable();
        next.dedup();
        ends = next;
    }
    if is_prefix { !ends.is_empty() } else { ends.contains(&text.len()) }
}
