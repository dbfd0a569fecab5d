//! Unpacks gzip files of one member.

use std::io::Read as _;

use flate2::bufread::GzDecoder;

use crate::{Limits, Refusal, RefusalKind};

/// Returns whether the bytes start as a gzip file does.
pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Unpacks a gzip file, not further than the limits.
pub(crate) fn unpack(bytes: &[u8], limits: &Limits) -> Result<Vec<u8>, Refusal> {
    let most = limits.unpacked(bytes.len());
    let mut unpacked = Vec::new();
    let mut decoder = GzDecoder::new(bytes);
    // One byte more shows that the limit is exceeded.
    let read = (&mut decoder).take(most as u64 + 1).read_to_end(&mut unpacked);
    read.map_err(|_| RefusalKind::Damaged)?;
    if unpacked.len() > most {
        let is_ratio = most < limits.bytes;
        return Err(if is_ratio { RefusalKind::Ratio } else { RefusalKind::TooLarge }.into());
    }
    // A second member would be unpacked by other readers.
    if decoder.into_inner().is_empty() { Ok(unpacked) } else { Err(RefusalKind::HiddenData.into()) }
}
