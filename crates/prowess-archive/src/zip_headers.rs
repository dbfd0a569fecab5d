//! The records of a zip file, as they are written.

use crate::RefusalKind;

/// The first bytes of each kind of record.
pub(crate) const LOCAL: [u8; 4] = *b"PK\x03\x04";
const CENTRAL: [u8; 4] = *b"PK\x01\x02";
const END: [u8; 4] = *b"PK\x05\x06";
const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";

/// The size of each kind of record, without what varies.
const LOCAL_BYTES: usize = 30;
const CENTRAL_BYTES: usize = 46;
const END_BYTES: usize = 22;

/// Extra fields that change the meaning of an entry: sizes of 64 bits, and another name.
const ZIP64: u16 = 0x0001;
const UNICODE_PATH: u16 = 0x7075;

/// A position in a zip file, from which numbers and texts are read.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Cursor<'b> {
    pub(crate) fn new(bytes: &'b [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'b [u8], RefusalKind> {
        let end = self.at.checked_add(count).ok_or(RefusalKind::Damaged)?;
        let taken = self.bytes.get(self.at..end).ok_or(RefusalKind::Damaged)?;
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], RefusalKind> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| RefusalKind::Damaged)
    }

    fn u16(&mut self) -> Result<u16, RefusalKind> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, RefusalKind> {
        self.array().map(u32::from_le_bytes)
    }

    fn size(&mut self) -> Result<usize, RefusalKind> {
        usize::try_from(self.u32()?).map_err(|_| RefusalKind::TooLarge)
    }

    fn expect(&mut self, record: [u8; 4]) -> Result<(), RefusalKind> {
        if self.array()? == record { Ok(()) } else { Err(RefusalKind::Damaged) }
    }
}

/// Where the central directory is.
pub(crate) struct Directory {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) entries: usize,
}

impl Directory {
    /// Finds the end record, which is followed by a comment and by nothing else.
    pub(crate) fn find(bytes: &[u8]) -> Result<Self, RefusalKind> {
        let last = bytes.len().checked_sub(END_BYTES).ok_or(RefusalKind::Damaged)?;
        let first = last.saturating_sub(usize::from(u16::MAX));
        let is_end = |&at: &usize| {
            let comment = u16::from_le_bytes([bytes[at + 20], bytes[at + 21]]);
            bytes[at..].starts_with(&END) && at + END_BYTES + usize::from(comment) == bytes.len()
        };
        let mut found = (first..=last).filter(is_end);
        let at = found.next().ok_or(RefusalKind::Damaged)?;
        // Another reader may take the other one.
        if found.next().is_some() {
            return Err(RefusalKind::Contradiction);
        }
        Self::read(bytes, at)
    }

    fn read(bytes: &[u8], at: usize) -> Result<Self, RefusalKind> {
        let mut cursor = Cursor::new(bytes, at + END.len());
        let disks = [cursor.u16()?, cursor.u16()?];
        let counts = [cursor.u16()?, cursor.u16()?];
        let size = cursor.size()?;
        let start = cursor.size()?;
        if disks != [0, 0] || counts.contains(&u16::MAX) || start == u32::MAX as usize {
            return Err(RefusalKind::Unsupported);
        }
        if counts[0] != counts[1] {
            return Err(RefusalKind::Contradiction);
        }
        if start.checked_add(size) != Some(at) {
            return Err(RefusalKind::HiddenData);
        }
        Ok(Self { start, end: at, entries: counts[0].into() })
    }
}

/// The fields that both headers of an entry have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Common<'b> {
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) checksum: u32,
    pub(crate) packed: usize,
    pub(crate) unpacked: usize,
    pub(crate) name: &'b [u8],
}

/// An entry of the central directory.
#[derive(Clone, Debug)]
pub(crate) struct Central<'b> {
    pub(crate) common: Common<'b>,
    /// The type and the permissions of a Unix file; 0 if they are unknown.
    pub(crate) mode: u32,
    /// The position of the local header.
    pub(crate) offset: usize,
}

impl<'b> Central<'b> {
    /// Reads an entry, and leaves the cursor after it.
    pub(crate) fn read(cursor: &mut Cursor<'b>) -> Result<Self, RefusalKind> {
        let mut name = Cursor::new(cursor.bytes, cursor.at + CENTRAL_BYTES);
        cursor.expect(CENTRAL)?;
        // The versions of the writer and the reader.
        cursor.take(4)?;
        let mut common = Common::read(cursor)?;
        let lengths = [cursor.u16()?, cursor.u16()?, cursor.u16()?].map(usize::from);
        let disk = cursor.u16()?;
        let _internal = cursor.u16()?;
        let mode = cursor.u32()? >> 16;
        let offset = cursor.size()?;
        common.name = name.take(lengths[0])?;
        check_extra(name.take(lengths[1])?, common.name)?;
        name.take(lengths[2])?;
        *cursor = name;
        if disk != 0 { Err(RefusalKind::Unsupported) } else { Ok(Self { common, mode, offset }) }
    }
}

impl<'b> Common<'b> {
    /// Reads the fields of both headers, without the name.
    fn read(cursor: &mut Cursor<'b>) -> Result<Self, RefusalKind> {
        let flags = cursor.u16()?;
        let method = cursor.u16()?;
        let _time = cursor.u32()?;
        let checksum = cursor.u32()?;
        let packed = cursor.size()?;
        let unpacked = cursor.size()?;
        Ok(Self { flags, method, checksum, packed, unpacked, name: &[] })
    }

    /// Reads a local header, and leaves the cursor after it.
    pub(crate) fn read_local(cursor: &mut Cursor<'b>) -> Result<Self, RefusalKind> {
        let (common, extra) = Self::read_unchecked(cursor)?;
        check_extra(extra, common.name).map(|()| common)
    }

    /// Reads a local header and its extra field, whatever that has.
    pub(crate) fn read_unchecked(cursor: &mut Cursor<'b>) -> Result<(Self, &'b [u8]), RefusalKind> {
        let mut name = Cursor::new(cursor.bytes, cursor.at + LOCAL_BYTES);
        cursor.expect(LOCAL)?;
        let _version = cursor.u16()?;
        let mut common = Self::read(cursor)?;
        let lengths = [cursor.u16()?, cursor.u16()?].map(usize::from);
        common.name = name.take(lengths[0])?;
        let extra = name.take(lengths[1])?;
        *cursor = name;
        Ok((common, extra))
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.flags & 1 != 0
    }

    /// Returns whether the sizes follow the content.
    pub(crate) fn has_descriptor(&self) -> bool {
        self.flags & 0x0008 != 0
    }

    /// Reads the sizes after the content, whose record has its first bytes or has not.
    pub(crate) fn check_descriptor(&self, cursor: &mut Cursor<'_>) -> Result<(), RefusalKind> {
        let mut signed = *cursor;
        if signed.expect(DESCRIPTOR).is_ok() {
            *cursor = signed;
        }
        let found = (cursor.u32()?, cursor.size()?, cursor.size()?);
        let expected = (self.checksum, self.packed, self.unpacked);
        if found == expected { Ok(()) } else { Err(RefusalKind::Contradiction) }
    }
}

/// Checks that no extra field gives the entry other sizes or another name.
fn check_extra(extra: &[u8], name: &[u8]) -> Result<(), RefusalKind> {
    let mut cursor = Cursor::new(extra, 0);
    // Some writers pad the field with up to three bytes.
    while extra.len() - cursor.at >= 4 {
        let id = cursor.u16()?;
        let length = usize::from(cursor.u16()?);
        let value = cursor.take(length)?;
        match id {
            ZIP64 => return Err(RefusalKind::Unsupported),
            // A version, a checksum, and the name.
            UNICODE_PATH if value.get(5..) != Some(name) => return Err(RefusalKind::Contradiction),
            _ => {}
        }
    }
    Ok(())
}
