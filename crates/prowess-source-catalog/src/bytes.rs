//! Reading and writing numbers and texts, with every length checked.

use prowess_core::Digest;

use crate::CatalogFileError;
use crate::error::SHORT;

type Result<T> = std::result::Result<T, CatalogFileError>;

/// The beginning of the digest of a part that is named by another verified part. Finding other
/// bytes with the same 128 bits is out of reach.
pub(crate) type PartDigest = [u8; 16];

pub(crate) fn part_digest(bytes: &[u8]) -> PartDigest {
    *Digest::of(bytes).as_bytes().first_chunk().expect("a digest has 32 bytes")
}

/// Bytes that are read from their start.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'b>(pub(crate) &'b [u8]);

impl<'b> Bytes<'b> {
    pub(crate) fn take(&mut self, count: usize) -> Result<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(SHORT)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(SHORT)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(crate) fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Takes a text behind its length.
    pub(crate) fn text(&mut self) -> Result<&'b str> {
        let length = self.u16()?;
        str::from_utf8(self.take(length.into())?).map_err(|_| SHORT)
    }

    /// Takes `count` items. There are at most as many as there are bytes, so a wrong count reserves
    /// little.
    pub(crate) fn items<T>(
        &mut self,
        count: usize,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::with_capacity(count.min(self.0.len() / 8));
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }
}

/// Writes a text behind its length, cut to 65,535 bytes as the registry cuts it.
pub(crate) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    let text = &text[..text.floor_char_boundary(usize::from(u16::MAX))];
    bytes.extend(u16::try_from(text.len()).unwrap_or(u16::MAX).to_le_bytes());
    bytes.extend(text.as_bytes());
}

/// Writes a number of things of which a catalog has far fewer than 2^32.
pub(crate) fn put_count(bytes: &mut Vec<u8>, count: usize) {
    bytes.extend(count_of(count).to_le_bytes());
}

pub(crate) fn count_of(count: usize) -> u32 {
    u32::try_from(count).expect("the limits of a scan are far below 2^32")
}
