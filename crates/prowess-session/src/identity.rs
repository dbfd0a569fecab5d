//! Random ids of sessions and of operations.

use std::fmt::Write;

use prowess_core::{OperationId, SessionId, StoreError};

use crate::OpenError;

/// Creates an id of 128 random bits in hexadecimal: unique without coordination, and not guessable.
pub(crate) fn session() -> Result<SessionId, OpenError> {
    let mut bytes = [0; 16];
    let filled = getrandom::fill(&mut bytes);
    filled.map_err(|error| OpenError::NoRandomness(error.to_string()))?;
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(text, "{byte:02x}").expect("a string takes any text");
    }
    Ok(SessionId::new(text).expect("hexadecimal digits are allowed"))
}

/// Creates the id of an operation.
pub(crate) fn operation() -> Result<OperationId, StoreError> {
    let random = getrandom::u64();
    random.map(OperationId).map_err(|error| StoreError(format!("no random bytes: {error}")))
}
