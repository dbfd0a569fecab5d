//! The ids of keys.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The position of the key id in the bytes of a key and of a signature.
const ID: std::ops::Range<usize> = 2..10;

/// Returns the key id in a base64 line. As minisign does, prints the bytes as a little-endian
/// number.
pub(crate) fn id_in(line: &str) -> Option<String> {
    let bytes = STANDARD.decode(line.trim()).ok()?;
    let id = bytes.get(ID)?.try_into().ok()?;
    Some(format!("{:016X}", u64::from_le_bytes(id)))
}
