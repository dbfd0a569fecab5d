//! Finds the two `---` lines that the frontmatter stands between.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memchr;
use memchr::memmem::Finder;

use crate::{MAX_FRONTMATTER_BYTES, work};

/// U+FEFF in UTF-8, which some editors put before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How many bytes past the largest frontmatter are looked at for the closing fence's own line.
const CLOSING_LINE_BYTES: usize = 64;

/// Building a finder costs more than a search of one frontmatter.
static DASHES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\n---"));
static FENCE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"---"));
static DOTS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\n..."));
static COMMENT_END: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"-->"));

/// Where the parts of a file lie.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fences {
    pub(crate) has_byte_order_mark: bool,
    /// Where the opening fence stands.
    pub(crate) opening: usize,
    /// Whether blanks or comments stand before it.
    pub(crate) is_late: bool,
    /// The lines between the fences, with their line ends.
    pub(crate) yaml: Range<usize>,
    /// Whether the closing line is `...`, where YAML ends a document, and not `---`.
    pub(crate) is_closed_by_dots: bool,
    /// Whether a fence shares its line with text.
    pub(crate) is_in_text: bool,
    /// Where the line after the closing fence begins.
    pub(crate) body_start: usize,
}

impl Fences {
    /// Returns those of a file that has none, and is a body as a whole.
    pub(crate) fn none(text: &[u8]) -> Self {
        let has_byte_order_mark = text.starts_with(BYTE_ORDER_MARK);
        let start = if has_byte_order_mark { BYTE_ORDER_MARK.len() } else { 0 };
        Self { has_byte_order_mark, ..Self::at(start, start..start, start) }
    }

    fn at(opening: usize, yaml: Range<usize>, body_start: usize) -> Self {
        Self {
            has_byte_order_mark: false,
            opening,
            is_late: false,
            yaml,
            is_closed_by_dots: false,
            is_in_text: false,
            body_start,
        }
    }
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
pub(crate) fn find(text: &[u8], is_whole: bool) -> Result<Fences, NoFences> {
    let has_byte_order_mark = text.starts_with(BYTE_ORDER_MARK);
    let start = if has_byte_order_mark { BYTE_ORDER_MARK.len() } else { 0 };
    let yaml_start = opening_end(text, start, is_whole)?;
    Ok(Fences { has_byte_order_mark, ..between(text, start, yaml_start, is_whole)? })
}

/// Finds the fences of a file whose opening one has blanks or comments before it, or a comment or
/// the language behind its dashes: `---yaml`.
pub(crate) fn find_loose(text: &[u8], is_whole: bool) -> Result<Fences, NoFences> {
    let (opening, is_late) = beginning(text, is_whole)?;
    let rest = text[opening..].strip_prefix(b"---").ok_or(NoFences::Missing)?;
    let Some(line_end) = memchr(b'\n', rest) else {
        return Err(if is_whole { NoFences::Missing } else { needs_more(text, opening) });
    };
    let behind = rest[..line_end].trim_ascii_start();
    let word = behind.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    let is_language = [&b"yaml"[..], b"yml"].iter().any(|it| it.eq_ignore_ascii_case(word));
    let comment = if is_language { behind[word.len()..].trim_ascii_start() } else { behind };
    let end = opening + 3 + line_end;
    let fences = match comment.first() {
        None if behind.is_empty() && !is_late => return Err(NoFences::Missing),
        None => between(text, opening, end + 1, is_whole)?,
        // A comment of YAML is one in front of the fields, too.
        Some(b'#') => between(text, opening, end - comment.len(), is_whole)?,
        Some(_) => return Err(NoFences::Missing),
    };
    let has_byte_order_mark = text.starts_with(BYTE_ORDER_MARK);
    Ok(Fences { has_byte_order_mark, is_late, is_in_text: !behind.is_empty(), ..fences })
}

/// Returns where a file begins behind blanks and comments of YAML or Markdown, and whether there
/// are any.
fn beginning(text: &[u8], is_whole: bool) -> Result<(usize, bool), NoFences> {
    let (mut at, mut is_late) = (0, false);
    let no_end = || if is_whole { NoFences::Missing } else { needs_more(text, 0) };
    loop {
        let line = &text[at..];
        let end = match line.first() {
            Some(b'#') => memchr(b'\n', line).ok_or_else(no_end)? + 1,
            Some(b'<') if line.starts_with(b"<!--") => {
                COMMENT_END.find(line).ok_or_else(no_end)? + 3
            }
            Some(b' ' | b'\t' | b'\r' | b'\n') => 1,
            _ if line.starts_with(BYTE_ORDER_MARK) => BYTE_ORDER_MARK.len(),
            _ if !is_whole && line.len() < 4 => return Err(no_end()),
            _ => return Ok((at, is_late)),
        };
        work::count(end);
        is_late |= at > 0 || !line.starts_with(BYTE_ORDER_MARK);
        at += end;
    }
}

/// Finds the closing fence behind an opening one.
fn between(
    text: &[u8],
    opening: usize,
    yaml_start: usize,
    is_whole: bool,
) -> Result<Fences, NoFences> {
    let found = closing(text, yaml_start, is_whole);
    let most = found.as_ref().map_or(text.len(), |(closing, _)| *closing);
    let dots = dots(text, yaml_start, most.min(yaml_start + MAX_FRONTMATTER_BYTES));
    let (closing, body_start) = dots.map_or(found, Ok)?;
    let is_closed_by_dots = dots.is_some();
    Ok(Fences { is_closed_by_dots, ..Fences::at(opening, yaml_start..closing, body_start) })
}

/// Finds fences that share their lines with text, as a reader does that divides a file at each
/// `---`.
pub(crate) fn find_in_text(text: &[u8]) -> Option<Fences> {
    let start = text.starts_with(b"---").then_some(3)?;
    let window = &text[start..text.len().min(start + MAX_FRONTMATTER_BYTES)];
    work::count(window.len());
    let closing = start + FENCE.find(window)?;
    Some(Fences { is_in_text: true, ..Fences::at(0, start..closing, closing + 3) })
}

/// A line `...` before `end`: no YAML goes on behind it, in whatever it stands.
fn dots(text: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    work::count(end - start);
    let offsets = DOTS.find_iter(&text[start - 1..end]);
    offsets.map(|offset| start + offset).find_map(|line| {
        let line_end = line + memchr(b'\n', &text[line..])? + 1;
        work::count(line_end - line);
        let is_blank = text[line + 3..line_end].iter().all(u8::is_ascii_whitespace);
        is_blank.then_some((line, line_end))
    })
}

/// Where the line after the opening fence begins.
fn opening_end(text: &[u8], start: usize, is_whole: bool) -> Result<usize, NoFences> {
    match fence_end(text, start) {
        Fence::Line(end) => Ok(end),
        Fence::Not if is_whole || !may_become_fence(&text[start..]) => Err(NoFences::Missing),
        Fence::Cut if is_whole => Err(NoFences::Unclosed),
        _ => Err(needs_more(text, start)),
    }
}

/// Where the closing fence's line begins, and where the line after it does.
fn closing(text: &[u8], start: usize, is_whole: bool) -> Result<(usize, usize), NoFences> {
    let bound = start + MAX_FRONTMATTER_BYTES;
    match next_fence(text, start, bound.min(text.len()), is_whole) {
        Found::At(closing, end) => Ok((closing, end)),
        Found::Cut if !is_whole && text.len() < bound + CLOSING_LINE_BYTES => {
            Err(needs_more(text, start))
        }
        _ if !is_whole || text.len() > bound => Err(NoFences::TooLarge),
        _ => Err(NoFences::Unclosed),
    }
}

/// Asks for more by a factor, so that a long frontmatter costs few reads, up to the bound.
fn needs_more(text: &[u8], start: usize) -> NoFences {
    let bound = start + MAX_FRONTMATTER_BYTES + CLOSING_LINE_BYTES;
    if text.len() >= bound {
        return NoFences::TooLarge;
    }
    NoFences::NeedsBytes((text.len() * 4).clamp(4096, bound))
}

enum Found {
    /// The fence's line begins and ends here.
    At(usize, usize),
    /// The text ends before a fence does.
    Cut,
}

/// The first fence whose line begins at `from` or later and not after `last`.
fn next_fence(text: &[u8], from: usize, last: usize, is_whole: bool) -> Found {
    let mut line = from;
    while line <= last {
        match fence_end(text, line) {
            Fence::Line(end) => return Found::At(line, end),
            Fence::Cut if is_whole => return Found::At(line, text.len()),
            Fence::Cut => return Found::Cut,
            Fence::Not => {}
        }
        let window = &text[line..text.len().min(last + 4)];
        match DASHES.find(window) {
            Some(offset) => {
                work::count(offset + 1);
                line += offset + 1;
            }
            None => {
                work::count(window.len());
                return Found::Cut;
            }
        }
    }
    Found::Cut
}

enum Fence {
    /// The line is a fence, and the next line begins here.
    Line(usize),
    /// The line is a fence so far, and the text ends without a line end.
    Cut,
    /// The line is something else.
    Not,
}

/// Looks whether the line that begins at `start` is `---` and blanks.
fn fence_end(text: &[u8], start: usize) -> Fence {
    let Some(rest) = text.get(start..).and_then(|line| line.strip_prefix(b"---")) else {
        return Fence::Not;
    };
    let line_end = memchr(b'\n', rest);
    work::count(line_end.unwrap_or(rest.len()));
    let line = &rest[..line_end.unwrap_or(rest.len())];
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if !line.iter().all(|byte| matches!(byte, b' ' | b'\t')) {
        return Fence::Not;
    }
    line_end.map_or(Fence::Cut, |end| Fence::Line(start + 3 + end + 1))
}

/// Whether more text could still make this the opening fence.
fn may_become_fence(text: &[u8]) -> bool {
    text.is_empty()
        || (text.len() < 3 && b"---".starts_with(text))
        || BYTE_ORDER_MARK.starts_with(text)
}
