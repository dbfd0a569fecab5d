//! Reads tar files: the format of ustar, with the long names of GNU and the headers of pax.

use tar::{EntryType, Header};

use crate::file::File;
use crate::name::EntryName;
use crate::names::Names;
use crate::pax::Pax;
use crate::{Limits, Refusal, RefusalKind};

const BLOCK: usize = 512;

/// Returns whether the bytes start with a header of ustar or GNU.
pub(crate) fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

/// Reads a tar file whose unpacked size is within the limits.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Vec<File>, Refusal> {
    let mut reader =
        Reader { limits, files: Vec::new(), names: Names::default(), next: Next::default() };
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
    files: Vec<File>,
    names: Names,
    next: Next,
}

/// The extensions that apply to the next entry.
#[derive(Default)]
struct Next {
    long_name: Option<Vec<u8>>,
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
            EntryType::GNULongName => {
                let name = content.strip_suffix(b"\0").unwrap_or(content).to_vec();
                let before = self.next.long_name.replace(name);
                if before.is_some() { Err(of(RefusalKind::Contradiction)) } else { Ok(()) }
            }
            _ => self.add_entry(header, content),
        }
    }

    fn add_entry(&mut self, header: &Header, content: &[u8]) -> Result<(), Refusal> {
        let raw = self.next_name(header, content.len())?;
        let of = |kind: RefusalKind| kind.of(&raw);
        let kind = header.entry_type();
        let name = EntryName::check(&raw, self.limits).map_err(of)?;
        // A regular file of the oldest format is a directory if its name ends with a slash.
        let is_directory = kind.is_dir() || (kind.is_file() && name.is_directory);
        if !is_directory && !kind.is_file() {
            return Err(of(refused_type(kind)));
        }
        let mode = header.mode().map_err(|_| of(RefusalKind::Damaged))?;
        check_mode(mode, is_directory).map_err(of)?;
        if is_directory && !content.is_empty() {
            return Err(of(RefusalKind::Contradiction));
        }
        if is_directory {
            return if name.path.is_empty() {
                Ok(())
            } else {
                self.names.add_directory(&name.path).map_err(of)
            };
        }
        self.names.add_file(&name.path).map_err(of)?;
        let is_executable = mode & 0o111 != 0;
        self.files.push(File { path: name.path, is_executable, content: content.to_vec() });
        Ok(())
    }

    /// Returns the name of an entry, which an extension may replace.
    fn next_name(&mut self, header: &Header, size: usize) -> Result<Vec<u8>, Refusal> {
        let Next { long_name, pax } = std::mem::take(&mut self.next);
        let pax = pax.unwrap_or_default();
        let own_name = header.path_bytes();
        if pax.size.is_some_and(|written| written != size as u64) {
            return Err(RefusalKind::Contradiction.of(&own_name));
        }
        match (long_name, pax.path) {
            (Some(one), Some(other)) if one != other => Err(RefusalKind::Contradiction.of(&one)),
            (Some(name), _) | (None, Some(name)) => Ok(name),
            (None, None) => Ok(own_name.into_owned()),
        }
    }

    fn finish(self) -> Result<Vec<File>, Refusal> {
        if self.next.long_name.is_some() || self.next.pax.is_some() {
            // A header without its entry.
            return Err(RefusalKind::Damaged.into());
        }
        Ok(self.files)
    }
}

fn refused_type(kind: EntryType) -> RefusalKind {
    match kind {
        EntryType::Link | EntryType::Symlink | EntryType::GNULongLink => RefusalKind::Link,
        EntryType::Char | EntryType::Block | EntryType::Fifo => RefusalKind::SpecialFile,
        _ => RefusalKind::Unsupported,
    }
}

/// Checks permissions, of which only the execute bits are kept.
pub(crate) fn check_mode(mode: u32, is_directory: bool) -> Result<(), RefusalKind> {
    let needed = if is_directory { 0o700 } else { 0o400 };
    if mode & 0o7000 != 0 || mode & needed != needed { Err(RefusalKind::Mode) } else { Ok(()) }
}
