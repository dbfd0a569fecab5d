//! Reads tar files: the format of ustar, with the long names of GNU and the headers of pax.

use std::borrow::Cow;

use tar::{EntryType, Header};

use crate::entries::Entries;
use crate::file::File;
use crate::pax::Pax;
use crate::{Limits, Refusal, RefusalKind};

const BLOCK: usize = 512;

/// Returns whether the bytes start with a header of ustar or GNU.
pub(crate) fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

/// Reads a tar file whose unpacked size is within the limits.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Entries, Refusal> {
    let mut reader = Reader { limits, entries: Entries::default(), next: Next::default() };
    let mut archive = tar::Archive::new(bytes);
    // Raw: extensions are entries too, so that none of them is applied unseen.
    let entries = archive.entries().map_err(|_| RefusalKind::Damaged)?.raw(true);
    let mut end = 0;
    for (count, entry) in entries.enumerate() {
        let entry = entry.map_err(|_| RefusalKind::Damaged)?;
        if count == limits.entries {
            return Err(RefusalKind::TooManyEntries.into());
        }
        let start = usize::try_from(entry.raw_file_position()).map_err(|_| RefusalKind::Damaged)?;
        let size = usize::try_from(entry.size()).map_err(|_| RefusalKind::Damaged)?;
        let stop = start.checked_add(size).ok_or(RefusalKind::Damaged)?;
        let content = bytes.get(start..stop).ok_or_else(|| damaged(entry.header()))?;
        reader.add(entry.header(), content)?;
        end = stop.next_multiple_of(BLOCK);
    }
    check_end(bytes.get(end..).unwrap_or_default())?;
    reader.finish()
}

fn damaged(header: &Header) -> Refusal {
    RefusalKind::Damaged.of(&header.path_bytes())
}

/// Checks that a block of zeros follows, and nothing else: what stands after the end is unpacked by
/// readers that ignore the end.
fn check_end(rest: &[u8]) -> Result<(), Refusal> {
    if rest.iter().any(|&byte| byte != 0) {
        return Err(RefusalKind::HiddenData.into());
    }
    if rest.len() < BLOCK { Err(RefusalKind::Damaged.into()) } else { Ok(()) }
}

struct Reader<'l> {
    limits: &'l Limits,
    entries: Entries,
    next: Next,
}

/// The extensions that apply to the next entry.
#[derive(Default)]
struct Next {
    long_name: Option<Vec<u8>>,
    long_link: Option<Vec<u8>>,
    pax: Option<Pax>,
}

impl Reader<'_> {
    fn add(&mut self, header: &Header, content: &[u8]) -> Result<(), Refusal> {
        let own_name = header.path_bytes();
        let of = |kind: RefusalKind| kind.of(&own_name);
        match header.entry_type() {
            EntryType::XGlobalHeader => {
                let pax = Pax::read(content).map_err(of)?;
                if pax.is_empty() { Ok(()) } else { Err(of(RefusalKind::Unsupported)) }
            }
            EntryType::XHeader => {
                let pax = Pax::read(content).map_err(of)?;
                let before = self.next.pax.replace(pax);
                if before.is_some() { Err(of(RefusalKind::Contradiction)) } else { Ok(()) }
            }
            kind @ (EntryType::GNULongName | EntryType::GNULongLink) => {
                let text = content.strip_suffix(b"\0").unwrap_or(content).to_vec();
                let is_name = kind.is_gnu_longname();
                let Next { long_name, long_link, .. } = &mut self.next;
                let before = if is_name { long_name } else { long_link }.replace(text);
                if before.is_some() { Err(of(RefusalKind::Contradiction)) } else { Ok(()) }
            }
            _ => self.add_entry(header, content),
        }
    }

    fn add_entry(&mut self, header: &Header, content: &[u8]) -> Result<(), Refusal> {
        let (raw, target) = self.next_name(header, content.len())?;
        self.add_named(header, &raw, target, content).map_err(|kind| kind.of(&raw))
    }

    fn add_named(
        &mut self,
        header: &Header,
        raw: &[u8],
        target: Option<Vec<u8>>,
        content: &[u8],
    ) -> Result<(), RefusalKind> {
        let kind = header.entry_type();
        let Some(name) = self.entries.name(raw, self.limits)? else { return Ok(()) };
        // A regular file of the oldest format is a directory if its name ends with a slash.
        let is_directory = kind.is_dir() || (kind.is_file() && name.is_directory);
        let is_link = matches!(kind, EntryType::Symlink | EntryType::Link);
        if (is_link || is_directory) && !content.is_empty() {
            return Err(RefusalKind::Contradiction);
        }
        if is_link {
            let target = target.or_else(|| header.link_name_bytes().map(Cow::into_owned));
            let mut target = target.unwrap_or_default();
            if kind.is_hard_link() && !target.starts_with(b"/") {
                // The target of a hard link starts at the root of the archive.
                let up = "../".repeat(name.path.matches('/').count());
                target.splice(..0, up.into_bytes());
            }
            return self.entries.add_link(name.path, &target);
        }
        if target.is_some() {
            return Err(RefusalKind::Link);
        }
        if !is_directory && !kind.is_file() {
            return self.entries.refuse(refused_type(kind), raw);
        }
        let mode = header.mode().map_err(|_| RefusalKind::Damaged)?;
        match check_mode(mode, is_directory) {
            // No permission of a directory is kept.
            Err(mode) if is_directory => self.entries.note(mode, raw),
            Err(mode) => return self.entries.refuse(mode, raw),
            Ok(()) => {}
        }
        if is_directory {
            return self.entries.add_directory(&name.path);
        }
        let is_executable = mode & 0o111 != 0;
        self.entries.add_file(File { path: name.path, is_executable, content: content.to_vec() })
    }

    /// Returns the name of an entry and the target of a link, which extensions may replace.
    fn next_name(
        &mut self,
        header: &Header,
        size: usize,
    ) -> Result<(Vec<u8>, Option<Vec<u8>>), Refusal> {
        let Next { long_name, long_link, pax } = std::mem::take(&mut self.next);
        let pax = pax.unwrap_or_default();
        let own_name = header.path_bytes();
        if pax.size.is_some_and(|written| written != size as u64) {
            return Err(RefusalKind::Contradiction.of(&own_name));
        }
        let one = |long: Option<Vec<u8>>, pax: Option<Vec<u8>>| match (long, pax) {
            (Some(one), Some(other)) if one != other => Err(RefusalKind::Contradiction.of(&one)),
            (long, pax) => Ok(long.or(pax)),
        };
        let name = one(long_name, pax.path)?.unwrap_or_else(|| own_name.into_owned());
        Ok((name, one(long_link, pax.link)?))
    }

    fn finish(self) -> Result<Entries, Refusal> {
        let Next { long_name, long_link, pax } = self.next;
        if long_name.or(long_link).is_some() || pax.is_some() {
            // A header without its entry.
            return Err(RefusalKind::Damaged.into());
        }
        Ok(self.entries)
    }
}

fn refused_type(kind: EntryType) -> RefusalKind {
    match kind {
        EntryType::Char | EntryType::Block | EntryType::Fifo => RefusalKind::SpecialFile,
        _ => RefusalKind::Unsupported,
    }
}

/// Checks permissions, of which only the execute bits are kept.
pub(crate) fn check_mode(mode: u32, is_directory: bool) -> Result<(), RefusalKind> {
    let needed = if is_directory { 0o700 } else { 0o400 };
    if mode & 0o7000 != 0 || mode & needed != needed { Err(RefusalKind::Mode) } else { Ok(()) }
}
