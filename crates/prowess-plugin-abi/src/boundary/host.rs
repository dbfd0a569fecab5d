//! The host interface for plugins.

use abi_stable::StableAbi;
use abi_stable::sabi_trait;
use abi_stable::std_types::{RArc, RResult, RSlice, RStr};

use super::{AbiError, Blob, codes};

/// A change that a watch reports.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Change<'a> {
    /// One of [`changes`](super::changes).
    pub kind: u32,
    /// The error if `kind` is [`LOST`](super::changes::LOST): one of [`codes`](super::codes).
    pub code: u32,
    /// The packages if `kind` is [`PACKAGES`](super::changes::PACKAGES).
    pub packages: RSlice<'a, RStr<'a>>,
    /// The error message if `kind` is [`LOST`](super::changes::LOST).
    pub message: RStr<'a>,
    /// Empty, or a JSON object.
    pub ext: RStr<'a>,
}

/// The host interface. Every method may be called from any thread and returns quickly.
#[sabi_trait]
pub trait HostApi: Send + Sync + Clone {
    /// Writes a line to the host's log. `level` is one of `levels`.
    fn log(&self, level: u32, target: RStr<'_>, message: RStr<'_>);

    /// Reports an event to the host's audit: a name and a JSON object.
    fn emit(&self, name: RStr<'_>, data: RStr<'_>);

    /// Returns whether the call with this token was cancelled; 0 if not. An unknown token counts as
    /// cancelled, since its call has ended.
    fn is_cancelled(&self, cancel_token: u64) -> u32;

    /// Reports a change. `watch_token` is the token that the host passed to `watch`.
    fn changed(&self, watch_token: u64, change: Change<'_>);

    /// Returns the host's time in milliseconds since 1970-01-01T00:00:00Z.
    fn now_ms(&self) -> u64;

    /// Returns a monotonic time in nanoseconds.
    #[sabi(last_prefix_field)]
    fn elapsed_ns(&self) -> u64;

    /// Answers a question about the conversation of a call, and blocks until then. `cancel_token`
    /// is the token of the call, which must not have returned; `question` is a
    /// [`Question`](crate::conversation::Question) as JSON. Since 1.1.
    fn ask(&self, cancel_token: u64, question: RStr<'_>) -> RResult<Blob, AbiError> {
        let _ = (cancel_token, question);
        RResult::RErr(AbiError::new(codes::UNSUPPORTED, "the host does not answer questions"))
    }
}

/// The host object that a plugin owns.
pub type HostBox = HostApi_TO<'static, RArc<()>>;
