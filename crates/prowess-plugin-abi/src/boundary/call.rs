//! The context of a call.

use abi_stable::StableAbi;
use abi_stable::std_types::RStr;

/// The timeout, the cancellation token and the notes of a call.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct CallCtx<'a> {
    /// The time limit in milliseconds; 0 means no limit.
    pub deadline_ms: u64,
    /// The token for [`HostApi::is_cancelled`](super::HostApi), valid until the call returns; 0 if
    /// the call cannot be cancelled.
    pub cancel_token: u64,
    /// The id of the session, for logs; empty if there is none.
    pub trace_id: RStr<'a>,
    /// Empty, or a JSON object: [`CallNotes`](crate::conversation::CallNotes).
    pub ext: RStr<'a>,
}

impl CallCtx<'_> {
    /// The context of a call without a timeout that cannot be cancelled.
    pub const UNBOUNDED: CallCtx<'static> = CallCtx {
        deadline_ms: 0,
        cancel_token: 0,
        trace_id: RStr::from_str(""),
        ext: RStr::from_str(""),
    };
}
