//! Tools for a model. Definitions, arguments and results are JSON by nature, so they cross as text.

use abi_stable::sabi_trait;
use abi_stable::std_types::{RResult, RStr, RString};

use super::{AbiError, CallCtx, codes};

/// Offers tools. Every method may be called from any thread, several at once.
#[sabi_trait]
pub trait ToolProviderAbi: Send + Sync {
    /// The tools: a JSON list of `{name, description, input_schema, accepts, is_offered}`, the same
    /// each time. `accepts` is there where a call takes more than it shows, `is_offered` where a
    /// model is not shown the tool.
    fn tools(&self) -> RResult<RString, AbiError>;

    /// Calls a tool with a JSON object of arguments. The answer is a JSON object
    /// `{is_error, code, content, structured}`; an error means that there was no answer.
    fn call(
        &self,
        ctx: CallCtx<'_>,
        name: RStr<'_>,
        arguments: RStr<'_>,
    ) -> RResult<RString, AbiError>;

    /// The host is about to let go. The provider ends its threads within so many milliseconds;
    /// calls after this one may fail. Called again, it does nothing.
    #[sabi(last_prefix_field)]
    fn shutdown(&self, deadline_ms: u64) -> RResult<(), AbiError>;

    /// As [`tools`](Self::tools), while the catalog of `ctx` is pinned: the same names in the same
    /// order. Since 1.1.
    fn tools_for(&self, ctx: CallCtx<'_>) -> RResult<RString, AbiError> {
        let _ = ctx;
        RResult::RErr(AbiError::new(codes::UNSUPPORTED, "the tools are the same for each catalog"))
    }

    /// The skills that a call of a tool with these arguments concerns: a JSON list of texts, each
    /// of which stands in the arguments. The arguments need not fit the tool's schema. Since 1.1.
    fn named_skills(&self, name: RStr<'_>, arguments: RStr<'_>) -> RResult<RString, AbiError> {
        let _ = (name, arguments);
        RResult::ROk(RString::from("[]"))
    }
}
