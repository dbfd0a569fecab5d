//! Random ids of sessions, of operations and of what a host creates.

use std::fmt::Write;

use prowess_core::{OperationId, SessionId, StoreError};

use crate::OpenError;

pub(crate) fn session() -> Result<SessionId, OpenError> {
    let id = random_id().map_err(|error| OpenError::NoRandomness(error.to_string()))?;
    Ok(SessionId::new(id).expect("hexadecimal digits are allowed"))
}

pub(crate) fn operation() -> Result<OperationId, StoreError> {
    random_operation().map_err(|error| StoreError::new(format!("no random bytes: {error}")))
}

/// Creates a random id for something of the host's, such as an approval: 128 bits in hexadecimal,
/// unique without coordination and not guessable.
///
/// # Errors
///
/// The operating system provides no random bytes.
pub fn random_id() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(text, "{byte:02x}").expect("a string takes any text");
    }
    Ok(text)
}

/// Creates a random id of an operation.
///
/// # Errors
///
/// The operating system provides no random bytes.
pub fn random_operation() -> Result<OperationId, getrandom::Error> {
    getrandom::u64().map(OperationId)
}
