//! Why the other side could not do what it was asked.

use abi_stable::StableAbi;
use abi_stable::std_types::RString;

/// A number to branch on and a sentence to show. The chain of causes is part of the sentence, so
/// that no code of the plugin lives on in an error.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, PartialEq, Eq)]
pub struct AbiError {
    /// One of [`codes`](super::codes).
    pub code: u32,
    /// [`RETRYABLE`](super::flags::RETRYABLE) or nothing.
    pub flags: u32,
    /// A sentence that names the thing.
    pub message: RString,
    /// Empty, or a JSON object.
    pub ext: RString,
}

impl AbiError {
    /// An error with this number and sentence.
    pub fn new(code: u32, message: impl Into<RString>) -> Self {
        Self { code, flags: 0, message: message.into(), ext: RString::new() }
    }
}
