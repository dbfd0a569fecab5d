//! The host, as a plugin calls it.

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
    /// Why, where `kind` is [`LOST`](super::changes::LOST): one of [`codes`](super::codes).
    pub code: u32,
    /// The packages, where `kind` is [`PACKAGES`](super::changes::PACKAGES).
    pub packages: RSlice<'a, RStr<'a>>,
    /// Why, where `kind` is [`LOST`](super::changes::LOST), as a sentence.
    pub message: RStr<'a>,
    /// Empty, or a JSON object.
    pub ext: RStr<'a>,
}

/// The host, as the plugin sees it. Every method may be called from any thread, takes note and
/// returns.
#[sabi_trait]
pub trait HostApi: Send + Sync + Clone {
    /// A line for the host's log; `level` is one of `levels`.
    fn log(&self, level: u32, target: RStr<'_>, message: RStr<'_>);

    /// Something that happened in the plugin, for the host's audit: a name and a JSON object.
    fn emit(&self, name: RStr<'_>, data: RStr<'_>);

    /// Whether the call with this token need not go on: 0 if it should. A token that is not known
    /// any more belongs to a call that has ended.
    fn is_cancelled(&self, cancel_token: u64) -> u32;

    /// Reports a change. `watch_token` is the number that the host passed to `watch`.
    fn changed(&self, watch_token: u64, change: Change<'_>);

    /// The host's time of day: milliseconds since 1970-01-01T00:00:00Z.
    fn now_ms(&self) -> u64;

    /// Nanoseconds since some fixed moment; never goes back.
    #[sabi(last_prefix_field)]
    fn elapsed_ns(&self) -> u64;

    /// Answers a question about the conversation that a call belongs to. `cancel_token` is that of
    /// the call, which has not returned yet; `question` is a
    /// [`Question`](crate::conversation::Question) as JSON. It waits for the answer. Since 1.1.
    fn ask(&self, cancel_token: u64, question: RStr<'_>) -> RResult<Blob, AbiError> {
        let _ = (cancel_token, question);
        RResult::RErr(AbiError::new(codes::UNSUPPORTED, "the host does not answer questions"))
    }
}

/// The host's object, which a plugin keeps.
pub type HostBox = HostApi_TO<'static, RArc<()>>;
