//! The header: the first bytes of the file, whose digest names it.

use prowess_core::Digest;

use crate::CatalogFileError;
use crate::bytes::{Bytes, PartDigest, part_digest};

const MAGIC: &[u8; 16] = b"prowess catalog\n";
const FORMAT: u32 = 1;

/// A part of the file, and the digest of its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) offset: u64,
    pub(crate) length: u32,
    pub(crate) digest: PartDigest,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Header {
    /// The number of skills that are offered; they come first.
    pub(crate) offered: u32,
    /// The number of all packages.
    pub(crate) packages: u32,
    pub(crate) index: Part,
    /// The words of the ranker.
    pub(crate) words: Part,
    /// The length of the whole file.
    pub(crate) bytes: u64,
}

impl Header {
    /// The size of a header in bytes.
    pub(crate) const BYTES: usize = MAGIC.len() + 4 + 2 * 4 + 2 * Part::BYTES + 8;

    pub(crate) fn write(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in [FORMAT, self.offered, self.packages] {
            bytes.extend(number.to_le_bytes());
        }
        self.index.put(&mut bytes);
        self.words.put(&mut bytes);
        bytes.extend(self.bytes.to_le_bytes());
        bytes
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<(Self, Digest), CatalogFileError> {
        let mut rest = Bytes(bytes);
        if rest.take(MAGIC.len())? != MAGIC {
            return Err(CatalogFileError::Damaged("it is no catalog file"));
        }
        match rest.u32()? {
            FORMAT => {}
            other => return Err(CatalogFileError::Format(other)),
        }
        let (offered, packages) = (rest.u32()?, rest.u32()?);
        let (index, words) = (Part::take(&mut rest)?, Part::take(&mut rest)?);
        let header = Self { offered, packages, index, words, bytes: rest.u64()? };
        if offered > packages {
            return Err(CatalogFileError::Damaged("its counts contradict each other"));
        }
        Ok((header, Digest::of(bytes)))
    }
}

impl Part {
    pub(crate) const BYTES: usize = 8 + 4 + 16;

    /// Describes bytes that are written at an offset.
    pub(crate) fn of(offset: u64, bytes: &[u8]) -> Self {
        let length = crate::bytes::count_of(bytes.len());
        Self { offset, length, digest: part_digest(bytes) }
    }

    pub(crate) fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.offset.to_le_bytes());
        bytes.extend(self.length.to_le_bytes());
        bytes.extend(self.digest);
    }

    pub(crate) fn take(rest: &mut Bytes<'_>) -> Result<Self, CatalogFileError> {
        Ok(Self { offset: rest.u64()?, length: rest.u32()?, digest: rest.array()? })
    }
}
