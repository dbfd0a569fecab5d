//! Parts of the file, read by their offsets and verified by their digests.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::CatalogFileError;
use crate::bytes::part_digest;
use crate::header::Part;

/// The maximum size of a part in memory: the index and the words of 10^7 skills are below it.
const MAX_BYTES: u32 = 256 * 1024 * 1024;

/// An open file of a known length.
#[derive(Debug)]
pub(crate) struct Parts {
    file: File,
    bytes: u64,
}

impl Parts {
    pub(crate) fn new(file: File, bytes: u64) -> Self {
        Self { file, bytes }
    }

    /// Reads a part into a buffer. Nothing is reserved for a part that is not in the file.
    pub(crate) fn read_into(&self, part: &Part, to: &mut Vec<u8>) -> Result<(), CatalogFileError> {
        let end = part.offset.checked_add(part.length.into());
        if part.length > MAX_BYTES || end.is_none_or(|end| end > self.bytes) {
            return Err(CatalogFileError::Damaged("a part is outside of it"));
        }
        to.resize(part.length as usize, 0);
        match self.file.read_exact_at(to, part.offset) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(CatalogFileError::Damaged("it has become shorter"))
            }
            read => Ok(read?),
        }
    }

    /// Reads a part, and verifies it.
    pub(crate) fn read(&self, part: &Part) -> Result<Vec<u8>, CatalogFileError> {
        let mut bytes = Vec::new();
        self.read_into(part, &mut bytes)?;
        verify(part, &bytes)?;
        Ok(bytes)
    }
}

fn verify(part: &Part, bytes: &[u8]) -> Result<(), CatalogFileError> {
    if part_digest(bytes) == part.digest {
        return Ok(());
    }
    Err(CatalogFileError::Damaged("a part is not what its digest says"))
}

/// Parts that are read often: each is verified once as long as the file is open.
#[derive(Debug)]
pub(crate) struct Pages {
    parts: Box<[Part]>,
    verified: Box<[AtomicBool]>,
}

impl Pages {
    pub(crate) fn new(parts: Vec<Part>) -> Self {
        let verified = parts.iter().map(|_| AtomicBool::new(false)).collect();
        Self { parts: parts.into(), verified }
    }

    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    /// Reads a page into a buffer.
    pub(crate) fn read_into(
        &self,
        file: &Parts,
        number: usize,
        to: &mut Vec<u8>,
    ) -> Result<(), CatalogFileError> {
        let missing = CatalogFileError::Damaged("it refers to a part that it does not have");
        let part = self.parts.get(number).ok_or(missing)?;
        file.read_into(part, to)?;
        if !self.verified[number].load(Ordering::Relaxed) {
            verify(part, to)?;
            self.verified[number].store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}
