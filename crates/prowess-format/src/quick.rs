//! Reads the frontmatter that most skills have, without findings, in one pass.
//!
//! Discovery costs little more than its system calls, so the work for each skill is counted in
//! instructions. This reads `name`, `description`, `license`, `compatibility`, `allowed-tools` and
//! `metadata` with values that end on their line, and makes neither a list of fields nor a finding.
//! Anything that the other two scanners might read differently or report is left to them. A
//! property test checks that the three agree.

mod found;
mod line;

use crate::fast::has_simple_characters;
use crate::summary::Summary;
use crate::{MAX_FILE_BYTES, MAX_FRONTMATTER_BYTES, Rules, work};
use prowess_text::{find_invisible, is_printable_ascii};

use found::Found;
use line::Lines;

const OPENING: &[u8] = b"---\n";

/// More entries of `metadata` are left to the other scanners, so that the search for duplicates
/// stays cheap.
const MOST_ENTRIES: usize = 16;

/// Reads the summary of a file. `None` means that another scanner must read it.
pub(crate) fn read<'t>(
    bytes: &'t [u8],
    directory: Option<&str>,
    rules: &Rules,
) -> Option<Summary<'t>> {
    let is_other =
        !rules.extensions.is_empty() || bytes.len() > MAX_FILE_BYTES || !bytes.starts_with(OPENING);
    if is_other {
        return None;
    }
    let mut lines = Lines::new(bytes, OPENING.len());
    let mut found = Found::default();
    let end = loop {
        if lines.is_at_fence() {
            break lines.position();
        }
        field(lines.next()?, &mut lines, &mut found)?;
    };
    if end > OPENING.len() + MAX_FRONTMATTER_BYTES {
        return None;
    }
    found.summary(text(&bytes[..end])?, directory, &rules.limits)
}

/// Reads the top-level field that starts on this line.
fn field(line: &[u8], lines: &mut Lines<'_>, found: &mut Found) -> Option<()> {
    let (slot, key) = match *line.first()? {
        b'd' if found.description.is_none() => {
            found.description = Some(lines.text(line, b"description:")?);
            return Some(());
        }
        b'n' if found.name.is_none() => {
            found.name = Some(lines.word(line, b"name:")?);
            return Some(());
        }
        b'l' => (&mut found.license, &b"license:"[..]),
        b'c' => (&mut found.compatibility, &b"compatibility:"[..]),
        b'a' => (&mut found.allowed_tools, &b"allowed-tools:"[..]),
        b'm' if line == b"metadata:" && found.metadata.is_none() => {
            metadata(lines, found)?;
            return Some(());
        }
        _ => return None,
    };
    if slot.is_some() || !line.starts_with(key) {
        return None;
    }
    *slot = Some(lines.on_line(line, key.len())?);
    Some(())
}

/// Skips the entries of `metadata`, and records their span and the version.
fn metadata(lines: &mut Lines<'_>, found: &mut Found) -> Option<()> {
    let start = lines.position();
    let mut keys = [&b""[..]; MOST_ENTRIES];
    let mut indentation = 0;
    for count in 0.. {
        let Some(b' ') = lines.peek_byte() else {
            found.metadata = Some(start..lines.position());
            return (count > 0).then_some(());
        };
        let line = lines.next()?;
        let width = line.iter().take_while(|byte| **byte == b' ').count();
        let key = line::key(&line[width..])?;
        let is_first = count == 0;
        if (!is_first && width != indentation) || key == b"tags" || keys[..count].contains(&key) {
            return None;
        }
        indentation = width;
        *keys.get_mut(count)? = key;
        let value = lines.on_line(line, width + key.len() + 1)?;
        if key == b"version" {
            found.version = Some(value);
        }
    }
    None
}

/// Returns the frontmatter as text, unless it has a special or an invisible character.
fn text(bytes: &[u8]) -> Option<&str> {
    work::count(bytes.len());
    let text = simdutf8::basic::from_utf8(bytes).ok()?;
    let is_plain = is_printable_ascii(text)
        || (has_simple_characters(text) && !text.contains('\r') && find_invisible(text).is_none());
    is_plain.then_some(text)
}
