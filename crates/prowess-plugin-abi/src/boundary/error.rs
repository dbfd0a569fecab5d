//! The error of the ABI.

use abi_stable::StableAbi;
use abi_stable::std_types::RString;

/// An error with a number to match on and a message. The message includes the chain of causes, so
/// that an error contains no code of the plugin.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, PartialEq, Eq)]
pub struct AbiError {
    /// One of [`codes`](super::codes).
    pub code: u32,
    /// [`RETRYABLE`](super::flags::RETRYABLE) or nothing.
    pub flags: u32,
    /// A message that names the affected object.
    pub message: RString,
    /// Empty, or a JSON object.
    pub ext: RString,
}

impl AbiError {
    /// Creates an error with this number and message.
    pub fn new(code: u32, message: impl Into<RString>) -> Self {
        Self { code, flags: 0, message: message.into(), ext: RString::new() }
    }
}
