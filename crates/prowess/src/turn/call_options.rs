//! The options of one call.

use prowess_core::{Caller, Cancel, Progress};

/// The options of one call. By default, the model makes it, nothing cancels it, and its reports are
/// discarded.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallOptions<'a> {
    /// The caller. A user may load skills that are not offered to a model, but none that only a
    /// model may load.
    pub caller: Caller,
    /// Cancels the call, which ends soon after.
    pub cancel: Option<&'a Cancel>,
    /// Receives reports while the call runs, on the thread of the call.
    pub progress: Progress<'a>,
}
