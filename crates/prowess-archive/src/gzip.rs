//! Unpacks gzip files. Some programs write them in several members.

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
    let mut rest = bytes;
    while !rest.is_empty() {
        if !is_gzip(rest) {
            return Err(RefusalKind::HiddenData.into());
        }
        let mut decoder = GzDecoder::new(rest);
        // One byte more shows that the limit is exceeded.
        let left = most - unpacked.len() + 1;
        let read = (&mut decoder).take(left as u64).read_to_end(&mut unpacked);
        read.map_err(|_| RefusalKind::Damaged)?;
        if unpacked.len() > most {
            let is_ratio = most < limits.bytes;
            return Err(if is_ratio { RefusalKind::Ratio } else { RefusalKind::TooLarge }.into());
        }
        rest = decoder.into_inner();
    }
    Ok(unpacked)
}
