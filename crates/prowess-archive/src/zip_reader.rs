//! Reads zip files whose central directory and local headers agree, and cover every byte.

use std::io::Read as _;

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use crate::entries::Entries;
use crate::file::File;
use crate::name::EntryName;
use crate::tar_reader::check_mode;
use crate::zip_headers::{Central, Common, Cursor, Directory, LOCAL};
use crate::{Limits, Refusal, RefusalKind};

/// The compression methods.
pub(crate) const STORED: u16 = 0;
pub(crate) const DEFLATED: u16 = 8;

/// Flags: a descriptor follows the content, names are UTF-8, and two hints on the speed of the
/// compression. Each other one is encryption or a format that nothing writes.
const KNOWN_FLAGS: u16 = 0x0008 | 0x0800 | 0x0006;

/// The types of a Unix mode.
const TYPE: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const DIRECTORY: u32 = 0o040_000;
const LINK: u32 = 0o120_000;

/// Returns whether the bytes start with an entry of a zip file, or with the end of an empty one.
pub(crate) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(&LOCAL) || bytes.starts_with(b"PK\x05\x06")
}

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Entries, Refusal> {
    let directory = Directory::find(bytes)?;
    if directory.entries > limits.entries {
        return Err(RefusalKind::TooManyEntries.into());
    }
    let mut entries = central(bytes, &directory)?;
    // Entries are read in the order of their content, so that a gap or an overlap is found.
    entries.sort_by_key(|entry| entry.offset);
    let budget = limits.unpacked(bytes.len());
    let mut reader = Reader { bytes, limits, budget, entries: Entries::default() };
    let mut end = 0;
    for entry in &entries {
        end = reader.add(entry, end).map_err(|kind| kind.of(entry.common.name))?;
    }
    if end != directory.start {
        return Err(RefusalKind::HiddenData.into());
    }
    Ok(reader.entries)
}

fn central<'b>(bytes: &'b [u8], directory: &Directory) -> Result<Vec<Central<'b>>, Refusal> {
    let mut cursor = Cursor::new(&bytes[..directory.end], directory.start);
    let mut entries = Vec::new();
    while cursor.at() < directory.end {
        entries.push(Central::read(&mut cursor)?);
        if entries.len() > directory.entries {
            return Err(RefusalKind::Contradiction.into());
        }
    }
    if entries.len() != directory.entries {
        return Err(RefusalKind::Contradiction.into());
    }
    Ok(entries)
}

struct Reader<'b, 'l> {
    bytes: &'b [u8],
    limits: &'l Limits,
    /// How many bytes may still be unpacked.
    budget: usize,
    entries: Entries,
}

impl Reader<'_, '_> {
    /// Adds the entry that has to start at `start`, and returns where it ends.
    fn add(&mut self, entry: &Central<'_>, start: usize) -> Result<usize, RefusalKind> {
        if entry.offset != start {
            return Err(RefusalKind::HiddenData);
        }
        let mut cursor = Cursor::new(self.bytes, start);
        let local = Common::read_local(&mut cursor)?;
        check_headers(&entry.common, &local)?;
        let packed = cursor.take(entry.common.packed)?;
        if local.has_descriptor() {
            entry.common.check_descriptor(&mut cursor)?;
        }
        let raw = entry.common.name;
        let content = self.unpack(&entry.common, packed)?;
        let Some(name) = self.entries.name(raw, self.limits)? else {
            return Ok(cursor.at());
        };
        let permissions = entry.mode & 0o7777;
        let checked = |is_directory| match permissions {
            0 => Ok(()),
            permissions => check_mode(permissions, is_directory),
        };
        match kind_of(entry.mode, &name)? {
            LINK => self.entries.add_link(name.path, &content)?,
            DIRECTORY if !content.is_empty() => return Err(RefusalKind::Contradiction),
            DIRECTORY => {
                // No permission of a directory is kept.
                checked(true).unwrap_or_else(|kind| self.entries.note(kind, raw));
                self.entries.add_directory(&name.path)?;
            }
            REGULAR => match checked(false) {
                Err(kind) => self.entries.refuse(kind, raw)?,
                Ok(()) => {
                    let is_executable = permissions & 0o111 != 0;
                    self.entries.add_file(File { path: name.path, is_executable, content })?;
                }
            },
            _ => self.entries.refuse(RefusalKind::SpecialFile, raw)?,
        }
        Ok(cursor.at())
    }

    fn unpack(&mut self, entry: &Common<'_>, packed: &[u8]) -> Result<Vec<u8>, RefusalKind> {
        if entry.unpacked > self.limits.bytes {
            return Err(RefusalKind::TooLarge);
        }
        if entry.unpacked > self.budget {
            let is_ratio = self.limits.unpacked(self.bytes.len()) < self.limits.bytes;
            return Err(if is_ratio { RefusalKind::Ratio } else { RefusalKind::TooLarge });
        }
        self.budget -= entry.unpacked;
        let content = match entry.method {
            STORED => packed.to_vec(),
            _ => inflate(packed, entry.unpacked)?,
        };
        let mut checksum = Crc::new();
        checksum.update(&content);
        let is_as_described = content.len() == entry.unpacked && checksum.sum() == entry.checksum;
        if is_as_described { Ok(content) } else { Err(RefusalKind::Contradiction) }
    }
}

/// Unpacks content that is exactly as long as its header says, on both sides.
fn inflate(packed: &[u8], size: usize) -> Result<Vec<u8>, RefusalKind> {
    let mut content = Vec::new();
    let mut decoder = DeflateDecoder::new(packed);
    let read = (&mut decoder).take(size as u64 + 1).read_to_end(&mut content);
    read.map_err(|_| RefusalKind::Damaged)?;
    if content.len() != size {
        return Err(RefusalKind::Contradiction);
    }
    let used = usize::try_from(decoder.total_in()).unwrap_or(usize::MAX);
    if used == packed.len() { Ok(content) } else { Err(RefusalKind::HiddenData) }
}

/// Checks that the local header says what the central directory says.
fn check_headers(central: &Common<'_>, local: &Common<'_>) -> Result<(), RefusalKind> {
    if central.flags & !KNOWN_FLAGS != 0 || !matches!(central.method, STORED | DEFLATED) {
        return Err(RefusalKind::Unsupported);
    }
    let numbers = |common: &Common<'_>| (common.checksum, common.packed, common.unpacked);
    let is_later = local.has_descriptor() && numbers(local) == (0, 0, 0);
    let is_same = (central.flags, central.method, central.name)
        == (local.flags, local.method, local.name)
        && (is_later || numbers(central) == numbers(local));
    if is_same { Ok(()) } else { Err(RefusalKind::Contradiction) }
}

/// Returns the type of an entry, by its mode or, without one, by its name.
fn kind_of(mode: u32, name: &EntryName) -> Result<u32, RefusalKind> {
    match mode & TYPE {
        0 if name.is_directory => Ok(DIRECTORY),
        0 => Ok(REGULAR),
        REGULAR if name.is_directory => Err(RefusalKind::Contradiction),
        DIRECTORY if !name.is_directory => Err(RefusalKind::Contradiction),
        kind => Ok(kind),
    }
}
