//! The checks before any parsing: size, encoding, fences.

use std::ops::Range;
use std::str::Utf8Error;

use memchr::memchr;

use crate::conditions::begins_with_switch;
use crate::fence::{self, Fences, NoFences};
use crate::findings::Findings;
use crate::repair;
use crate::{Code, Diagnostic, MAX_FILE_BYTES, MAX_FRONTMATTER_BYTES, Rules, codes, work};

/// The fences of a file, or the reason why there are none.
pub(crate) enum Opened {
    /// The frontmatter lies between these.
    At(Fences),
    /// At least this many bytes are needed.
    NeedsBytes(usize),
    /// The file cannot be read; a finding has the reason.
    Refused,
}

/// Finds the fences. `is_whole` says whether the file ends where `bytes` end.
pub(crate) fn open(bytes: &[u8], is_whole: bool, findings: &mut Findings<'_>) -> Opened {
    if bytes.len() > MAX_FILE_BYTES {
        report_size(bytes.len(), findings);
        return Opened::Refused;
    }
    if bytes.is_empty() && is_whole {
        report_empty(findings);
        return Opened::Refused;
    }
    match fence::find(bytes, is_whole) {
        Ok(fences) => opened(bytes, fences, findings),
        Err(NoFences::NeedsBytes(bytes)) => Opened::NeedsBytes(bytes),
        Err(problem) => {
            let most = MAX_FRONTMATTER_BYTES + 3;
            let may_go_on = !is_whole && bytes.starts_with(b"---") && bytes.len() < most;
            if may_go_on && fence::find_in_text(bytes).is_none() {
                return Opened::NeedsBytes((bytes.len() * 4).min(most));
            }
            if let Some(fences) = find_in_text(bytes) {
                report_in_text(fences.yaml.end, UP_TO_DASHES, findings);
                return Opened::At(fences);
            }
            if !is_text_so_far(bytes, is_whole, findings) {
                return Opened::Refused;
            }
            report_fences(&problem, bytes, findings);
            // A profile that does not refuse such a file takes all of it for the body.
            match problem {
                NoFences::Missing if !findings.has_error() => Opened::At(Fences::none(bytes)),
                _ => Opened::Refused,
            }
        }
    }
}

/// Reports what is unusual about the fences of a file.
fn opened(bytes: &[u8], fences: Fences, findings: &mut Findings<'_>) -> Opened {
    if bytes.starts_with(fence::BYTE_ORDER_MARK) {
        report_byte_order_mark(findings);
    }
    if fences.is_late {
        report_late(fences.opening, findings);
    }
    if fences.is_in_text {
        let shared =
            "the opening `---` shares its line with text, so most clients find no frontmatter";
        report_in_text(fences.opening, shared, findings);
    }
    if bytes[fences.yaml.end..].starts_with(b"...") {
        report_dots(fences.yaml.end, findings);
    }
    Opened::At(fences)
}

/// Returns fences that share their lines with text, if fields of YAML are between them.
fn find_in_text(bytes: &[u8]) -> Option<Fences> {
    let fences = fence::find_in_text(bytes)?;
    let yaml = std::str::from_utf8(&bytes[fences.yaml.clone()]).ok()?;
    repair::is_mapping(yaml).then_some(fences)
}

/// Returns the fences of a file that cannot be used as its lines are: it is read up to the first
/// `---` in whatever that stands, as the reference tool does, unless the profile refuses that.
pub(crate) fn fences_in_text(bytes: &[u8], rules: &Rules) -> Option<Fences> {
    if !rules.mends_fields() {
        return None;
    }
    let fences = find_in_text(bytes)?;
    let rest = match fence::find(bytes, true) {
        Ok(lines) => bytes.get(fences.yaml.end..lines.yaml.end)?,
        Err(_) => &[],
    };
    // Nothing is read without a switch that stands behind the end.
    let has_switch = String::from_utf8_lossy(rest).lines().any(begins_with_switch);
    (!has_switch).then_some(fences)
}

/// Reads a file that cannot be used once more, up to the first `---`; `None` if that is no better.
pub(crate) fn read_in_text<T>(
    bytes: &[u8],
    rules: &Rules,
    read: impl FnOnce(&Fences, &mut Findings<'_>) -> Option<T>,
) -> Option<(T, Vec<Diagnostic>)> {
    let fences = fences_in_text(bytes, rules)?;
    let mut findings = Findings::new(bytes, rules);
    report_in_text(fences.yaml.end, UP_TO_DASHES, &mut findings);
    let value = read(&fences, &mut findings).filter(|_| !findings.has_error())?;
    Some((value, findings.finish()))
}

/// Returns a part of a file as text, or reports the byte that is not UTF-8 or is NUL. The body,
/// which starts at `body`, may have a NUL.
pub(crate) fn text<'t>(
    bytes: &'t [u8],
    part: Range<usize>,
    body: usize,
    findings: &mut Findings<'_>,
) -> Option<&'t str> {
    let slice = &bytes[part.clone()];
    work::count(slice.len());
    match std::str::from_utf8(slice) {
        Ok(text) => match memchr(0, slice) {
            None => Some(text),
            Some(at) => {
                let at = part.start + at;
                let is_in_body = at >= body;
                let code = if is_in_body { codes::NUL_IN_BODY } else { codes::NUL_BYTE };
                report_nul(code, at, findings);
                is_in_body.then_some(text)
            }
        },
        Err(error) => {
            report_encoding(bytes, part.start, error, findings);
            None
        }
    }
}

/// Returns whether bytes without fences are text: a file in another encoding has no fences either.
fn is_text_so_far(bytes: &[u8], is_whole: bool, findings: &mut Findings<'_>) -> bool {
    work::count(bytes.len());
    match std::str::from_utf8(bytes) {
        Err(error) if is_whole || error.error_len().is_some() => {
            report_encoding(bytes, 0, error, findings);
            false
        }
        _ => true,
    }
}

fn report_size(bytes: usize, findings: &mut Findings<'_>) {
    findings.report(codes::FILE_TOO_LARGE, 0..0, || size_message(bytes as u64));
}

/// Returns the message and the help for a file that is too large.
pub(crate) fn size_message(bytes: u64) -> (String, String) {
    (
        format!("the file has {bytes} bytes, more than the limit of {MAX_FILE_BYTES}"),
        "move parts of it to other files of the package and name them in the body".to_owned(),
    )
}

fn report_empty(findings: &mut Findings<'_>) {
    findings.report(codes::FILE_EMPTY, 0..0, || {
        ("the file is empty", format!("start it with frontmatter: {SHAPE}"))
    });
}

fn report_dots(start: usize, findings: &mut Findings<'_>) {
    findings.report(codes::FRONTMATTER_CLOSED_BY_DOTS, start..start + 3, || {
        (
            "the frontmatter is closed by `...`, which most clients do not accept",
            "write `---` instead",
        )
    });
}

fn report_late(start: usize, findings: &mut Findings<'_>) {
    findings.report(codes::FRONTMATTER_NOT_FIRST, start..start + 3, || {
        (
            "blanks or comments stand before the opening `---`, so most clients find no frontmatter",
            "begin the file with `---`, and move the comments behind the frontmatter",
        )
    });
}

/// Describes a file that is divided at each `---`.
const UP_TO_DASHES: &str = "a `---` shares its line with text, so most clients find no \
    frontmatter; it is read up to the first `---`, as the reference tool does";

fn report_in_text(start: usize, message: &str, findings: &mut Findings<'_>) {
    findings.report(codes::FRONTMATTER_FENCE_IN_TEXT, start..start + 3, || {
        (message.to_owned(), "write each `---` on a line of its own")
    });
}

fn report_byte_order_mark(findings: &mut Findings<'_>) {
    findings.report(codes::BYTE_ORDER_MARK, 0..3, || {
        (
            "the file starts with a byte order mark",
            "save it as UTF-8 without one; some clients find no frontmatter after it",
        )
    });
}

/// The expected shape, for messages.
const SHAPE: &str =
    "`---`, the fields as YAML, `---`, then the instructions, each on lines of their own";

fn report_fences(problem: &NoFences, bytes: &[u8], findings: &mut Findings<'_>) {
    let first_line = 0..memchr(b'\n', bytes).unwrap_or(bytes.len());
    let first_line = 0..on_boundary(bytes, first_line.end);
    match problem {
        NoFences::TooLarge => findings.report(codes::FRONTMATTER_TOO_LARGE, first_line, || {
            (
                format!("the frontmatter does not end within {MAX_FRONTMATTER_BYTES} bytes"),
                "add a line `---` after the last field; if it is there, move the data to a file \
                 of the package and name it in the body",
            )
        }),
        // Where the fields end is not known: a line of the body may be one, such as a switch, and
        // a heading is a comment. Readers differ in it, so no profile offers such a file.
        NoFences::Unclosed => findings.report(codes::FRONTMATTER_UNCLOSED, first_line, || {
            let place =
                last_field(bytes).map(|line| format!(", which seems to end in line {line}"));
            let place = place.unwrap_or_default();
            (
                "the frontmatter is not closed",
                format!("add a line `---` after the last field{place}"),
            )
        }),
        NoFences::Missing | NoFences::NeedsBytes(_) => {
            findings.report(codes::FRONTMATTER_MISSING, first_line, || {
                (
                    "the file does not start with a `---` line",
                    format!(
                        "start it with frontmatter: {SHAPE}; only Claude Code and the profile \
                         `claude-code` take the directory's name and the first paragraph instead"
                    ),
                )
            });
        }
    }
}

/// Returns the number of the last line before a blank one or a heading, if a field is above it.
fn last_field(bytes: &[u8]) -> Option<usize> {
    let is_field = |line: &[u8]| !line.trim_ascii().is_empty() && !line.starts_with(b"#");
    let lines = bytes.split(|byte| *byte == b'\n').skip(1).take_while(|line| is_field(line));
    let lines: Vec<_> = lines.collect();
    fence::has_fields(&lines.join(&b'\n')).then_some(lines.len() + 1)
}

fn on_boundary(bytes: &[u8], end: usize) -> usize {
    match std::str::from_utf8(&bytes[..end]) {
        Ok(text) => text.len(),
        Err(error) => error.valid_up_to(),
    }
}

fn report_encoding(bytes: &[u8], start: usize, error: Utf8Error, findings: &mut Findings<'_>) {
    let at = start + error.valid_up_to();
    findings.report(codes::NOT_UTF8, at..at, || {
        (format!("the byte 0x{:02X} is not UTF-8", bytes[at]), "save the file as UTF-8")
    });
}

fn report_nul(code: Code, at: usize, findings: &mut Findings<'_>) {
    findings.report(code, at..at + 1, || {
        (
            "the text has a NUL character",
            "remove it; a `SKILL.md` is text, other data belongs in `assets/`",
        )
    });
}
