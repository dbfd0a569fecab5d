//! The frontmatter that most skills have and nothing is to be said of, read in one go.
//!
//! Discovery costs little more than the system calls, so what is done for each skill is counted in
//! instructions. This reads `name`, `description`, `license`, `compatibility`, `allowed-tools` and
//! `metadata` with values that end on their line, and makes neither a list of fields nor a finding.
//! Whatever is not sure to be read alike by the other two scanners, or gives as much as a hint, is left
//! to them. A property test holds the three equal.

mod found;
mod line;

use crate::fast::has_simple_characters;
use crate::hidden::{self, is_printable_ascii};
use crate::summary::Summary;
use crate::{MAX_FILE_BYTES, MAX_FRONTMATTER_BYTES, Rules, work};

use found::Found;
use line::Lines;

/// The opening fence.
const OPENING: &[u8] = b"---\n";

/// More entries of `metadata` are left to the others, so that the search for duplicates stays cheap.
const MOST_ENTRIES: usize = 16;

/// Reads a file's summary. `None` says nothing about the file.
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

/// Reads a field of the top level, which begins on this line.
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

/// Goes past the entries of `metadata`, of which a catalog keeps the version; notes where they lie.
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

/// The frontmatter as text, if no character of it means something of its own or is hidden.
fn text(bytes: &[u8]) -> Option<&str> {
    work::count(bytes.len());
    let text = simdutf8::basic::from_utf8(bytes).ok()?;
    let is_plain = is_printable_ascii(text)
        || (has_simple_characters(text) && !text.contains('\r') && hidden::find(text).is_none());
    is_plain.then_some(text)
}
