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

/// Where the parts of a file lie.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fences {
    pub(crate) has_byte_order_mark: bool,
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
        Self {
            has_byte_order_mark,
            yaml: start..start,
            is_closed_by_dots: false,
            is_in_text: false,
            body_start: start,
        }
    }

    /// Where the opening fence stands.
    pub(crate) fn opening(&self) -> usize {
        if self.has_byte_order_mark { BYTE_ORDER_MARK.len() } else { 0 }
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
    let found = closing(text, yaml_start, is_whole);
    let most = found.as_ref().map_or(text.len(), |(closing, _)| *closing);
    let dots = dots(text, yaml_start, most.min(yaml_start + MAX_FRONTMATTER_BYTES));
    let (closing, body_start) = dots.map_or(found, Ok)?;
    let is_closed_by_dots = dots.is_some();
    let yaml = yaml_start..closing;
    Ok(Fences { has_byte_order_mark, yaml, is_closed_by_dots, is_in_text: false, body_start })
}

/// Finds fences that share their lines with text, as a reader does that divides a file at each
/// `---`.
pub(crate) fn find_in_text(text: &[u8]) -> Option<Fences> {
    let start = text.starts_with(b"---").then_some(3)?;
    let window = &text[start..text.len().min(start + MAX_FRONTMATTER_BYTES)];
    work::count(window.len());
    let closing = start + FENCE.find(window)?;
    let yaml = start..closing;
    Some(Fences {
        has_byte_order_mark: false,
        yaml,
        is_closed_by_dots: false,
        is_in_text: true,
        body_start: closing + 3,
    })
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
