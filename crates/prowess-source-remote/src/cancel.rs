//! The end of a call that the host has cancelled.

use prowess_core::{Cancel, RemoteError, RemoteErrorKind};

/// Ends the call if the host has cancelled it.
pub(crate) fn check(cancel: &Cancel) -> Result<(), RemoteError> {
    if cancel.is_cancelled() {
        return Err(RemoteError::new(RemoteErrorKind::Cancelled, "the call was cancelled"));
    }
    Ok(())
}
