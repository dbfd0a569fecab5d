//! The context of every call that may take long.

use abi_stable::StableAbi;
use abi_stable::std_types::RStr;

/// How long the host waits, and how the plugin learns that it need not go on.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct CallCtx<'a> {
    /// Milliseconds from now after which the host stops waiting; 0 if it waits for ever.
    pub deadline_ms: u64,
    /// The argument of [`HostApi::is_cancelled`](super::HostApi) until the call returns; 0 if the
    /// call cannot be cancelled.
    pub cancel_token: u64,
    /// The conversation that the call belongs to, for logs; empty if there is none.
    pub trace_id: RStr<'a>,
    /// Empty, or a JSON object: [`CallNotes`](crate::conversation::CallNotes).
    pub ext: RStr<'a>,
}

impl CallCtx<'_> {
    /// A call without a deadline that cannot be cancelled.
    pub const UNBOUNDED: CallCtx<'static> = CallCtx {
        deadline_ms: 0,
        cancel_token: 0,
        trace_id: RStr::from_str(""),
        ext: RStr::from_str(""),
    };
}
