//! Finds the two `---` lines that the frontmatter stands between.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memchr;
use memchr::memmem::Finder;

use crate::{MAX_FRONTMATTER_BYTES, work};

/// U+FEFF in UTF-8, which some editors put before the first line.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How many bytes past the largest frontmatter are looked at for the closing fence's own line.
const CLOSING_LINE_BYTES: usize = 64;

/// Building a finder costs more than a search of one frontmatter.
static DASHES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\n---"));
static FENCE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"---"));
static DOTS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\n..."));
static COMMENT_END: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"-->"));

/// Where the parts of a file lie.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Fences {
    /// Where the opening fence stands.
    pub(crate) opening: usize,
    /// Whether blanks or comments stand before it.
    pub(crate) is_late: bool,
    /// Whether a fence shares its line with text.
    pub(crate) is_in_text: bool,
    /// The lines between the fences, with their line ends. The closing line is `---`, or `...`,
    /// where YAML ends a document.
    pub(crate) yaml: Range<usize>,
    /// Where the line after the closing fence begins.
    pub(crate) body_start: usize,
}

impl Fences {
    /// Returns those of a file that has none, and is a body as a whole.
    pub(crate) fn none(text: &[u8]) -> Self {
        Self { body_start: mark_end(text), ..Self::default() }
    }
}

fn mark_end(text: &[u8]) -> usize {
    if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
}

/// Why there are no two fences.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoFences {
    /// The text ends too early; this many bytes from the start of the file may be enough.
    NeedsBytes(usize),
    /// The first line is not a fence.
    Missing,
    /// The text ends before a later line is a fence.
    Unclosed,
    /// No later line up to the size limit is a fence.
    TooLarge,
}

/// Finds both fences. `is_whole` says whether the file ends where `text` ends.
///
/// If fields that each skill has are between them, the opening one may have blanks or comments
/// before it, or a comment or the language behind its dashes: `---yaml`.
pub(crate) fn find(text: &[u8], is_whole: bool) -> Result<Fences, NoFences> {
    let opening = beginning(text, is_whole)?;
    if !text[opening..].starts_with(b"---") {
        return Err(NoFences::Missing);
    }
    let rest = line(text, opening + 3);
    let found = match comment(rest) {
        _ if !rest.ends_with(b"\n") => Err(needs_more(text, opening, is_whole, NoFences::Unclosed)),
        // A comment of YAML is one in front of the fields, too.
        Some(comment) => between(text, opening + 3 + rest.len() - comment.len(), is_whole),
        None => Err(NoFences::Missing),
    };
    let (is_late, is_in_text) = (opening > mark_end(text), !is_blank(rest));
    let is_usual = !is_late && !is_in_text;
    match found {
        Ok(fences) if is_usual || has_fields(&text[fences.yaml.clone()]) => {
            Ok(Fences { opening, is_late, is_in_text, ..fences })
        }
        Err(problem) if is_usual || matches!(problem, NoFences::NeedsBytes(_)) => Err(problem),
        _ => Err(NoFences::Missing),
    }
}

/// Returns where a file begins behind byte order marks, blanks, and comments of YAML or Markdown.
fn beginning(text: &[u8], is_whole: bool) -> Result<usize, NoFences> {
    let mut rest = text;
    loop {
        let end = match rest.first() {
            Some(b' ' | b'\t' | b'\r' | b'\n') => Some(1),
            Some(b'#') => memchr(b'\n', rest),
            Some(b'<') if rest.starts_with(b"<!--") => COMMENT_END.find(rest).map(|end| end + 3),
            _ if rest.starts_with(BYTE_ORDER_MARK) => Some(BYTE_ORDER_MARK.len()),
            _ if is_whole || rest.len() >= 4 => return Ok(text.len() - rest.len()),
            _ => None,
        };
        let end = end.ok_or_else(|| needs_more(text, 0, is_whole, NoFences::Missing))?;
        work::count(end);
        rest = &rest[end..];
    }
}

/// Returns the comment behind the dashes and the language of an opening line, which is empty if
/// there is none; `None` if something else is there.
fn comment(rest: &[u8]) -> Option<&[u8]> {
    let behind = rest.trim_ascii_start();
    let word = behind.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    let is_language = [&b"yaml"[..], b"yml"].iter().any(|it| it.eq_ignore_ascii_case(word));
    let comment = if is_language { behind[word.len()..].trim_ascii_start() } else { behind };
    matches!(comment.first(), None | Some(b'#')).then_some(comment)
}

/// Returns whether there is a field that each skill has. Between two rules of Markdown, there may
/// be anything.
pub(crate) fn has_fields(yaml: &[u8]) -> bool {
    let mut lines = yaml.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_start);
    lines.any(|line| [&b"name:"[..], b"description:"].iter().any(|key| line.starts_with(key)))
}

/// Finds the closing fence of fields that begin at `start`.
fn between(text: &[u8], start: usize, is_whole: bool) -> Result<Fences, NoFences> {
    let bound = start + MAX_FRONTMATTER_BYTES;
    let end = text.len().min(bound + 3);
    let is_ended = |rest: &[u8]| rest.ends_with(b"\n");
    let is_fence = |rest: &[u8]| is_blank(rest) && (is_whole || is_ended(rest));
    let dashes = closing(&DASHES, text, start..end, is_fence);
    // No YAML goes on behind a line `...`, in whatever it stands.
    let before = start..dashes.map_or(end, |(closing, _)| closing);
    let is_end = |rest: &[u8]| is_ended(rest) && rest.trim_ascii().is_empty();
    let found = closing(&DOTS, text, before, is_end).or(dashes);
    let problem = if text.len() > bound { NoFences::TooLarge } else { NoFences::Unclosed };
    let (closing, body_start) = found.ok_or_else(|| needs_more(text, start, is_whole, problem))?;
    Ok(Fences { yaml: start..closing, body_start, ..Fences::default() })
}

/// Returns where the first line of a part begins and ends that has a mark and behind it what
/// `is_closing` accepts.
fn closing(
    mark: &Finder<'_>,
    text: &[u8],
    part: Range<usize>,
    is_closing: impl Fn(&[u8]) -> bool,
) -> Option<(usize, usize)> {
    let window = &text[part.start - 1..part.end];
    let lines = mark.find_iter(window).map(|offset| part.start + offset);
    let found = lines.map(|at| (at, line(text, at + 3))).find(|(_, rest)| is_closing(rest));
    work::count(found.map_or(window, |(at, _)| &text[part.start..at]).len());
    found.map(|(at, rest)| (at, at + 3 + rest.len()))
}

/// Returns what is left of a line, with its end if there is one.
fn line(text: &[u8], from: usize) -> &[u8] {
    let rest = &text[from..];
    let line = memchr(b'\n', rest).map_or(rest, |end| &rest[..=end]);
    work::count(line.len());
    line
}

/// Returns whether nothing but blanks and a line end is behind the dashes of a fence.
fn is_blank(rest: &[u8]) -> bool {
    let rest = rest.strip_suffix(b"\n").unwrap_or(rest);
    let rest = rest.strip_suffix(b"\r").unwrap_or(rest);
    rest.iter().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// Asks for more by a factor, so that a long frontmatter costs few reads, unless there is no more,
/// or the fields would be too large.
fn needs_more(text: &[u8], start: usize, is_whole: bool, problem: NoFences) -> NoFences {
    let bound = start + MAX_FRONTMATTER_BYTES + CLOSING_LINE_BYTES;
    if is_whole || text.len() >= bound {
        return problem;
    }
    NoFences::NeedsBytes((text.len() * 4).clamp(4096, bound))
}

/// Finds fences that share their lines with text, as a reader does that divides a file at each
/// `---`.
pub(crate) fn find_in_text(text: &[u8]) -> Option<Fences> {
    let rest = text.strip_prefix(b"---")?;
    let window = &rest[..rest.len().min(MAX_FRONTMATTER_BYTES)];
    work::count(window.len());
    let closing = 3 + FENCE.find(window)?;
    let (yaml, body_start) = (3..closing, closing + 3);
    Some(Fences { is_in_text: true, yaml, body_start, ..Fences::default() })
}
