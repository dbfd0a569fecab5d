//! The interface of tool providers. Definitions, arguments and results are strings of JSON.

use abi_stable::sabi_trait;
use abi_stable::std_types::{RResult, RStr, RString};

use super::{AbiError, CallCtx, codes};

/// A tool provider. Every method may be called from several threads concurrently.
#[sabi_trait]
pub trait ToolProviderAbi: Send + Sync {
    /// Returns the tools: a JSON list of `{name, description, input_schema, accepts, is_offered}`,
    /// the same each time. `accepts` is only present if it differs from `input_schema`,
    /// `is_offered` if models do not see the tool.
    fn tools(&self) -> RResult<RString, AbiError>;

    /// Calls a tool with a JSON object of arguments. Returns a JSON object
    /// `{is_error, code, content, structured}`, or an error if the tool was not run. Long texts may
    /// follow it: see [`takes_texts`](crate::conversation::CallNotes::takes_texts).
    fn call(
        &self,
        ctx: CallCtx<'_>,
        name: RStr<'_>,
        arguments: RStr<'_>,
    ) -> RResult<RString, AbiError>;

    /// Shuts the provider down: it ends its threads within `deadline_ms`. Later calls may fail;
    /// another `shutdown` has no effect.
    #[sabi(last_prefix_field)]
    fn shutdown(&self, deadline_ms: u64) -> RResult<(), AbiError>;

    /// As [`tools`](Self::tools), with descriptions for the catalog of `ctx`. The names and their
    /// order are the same. Since 1.1.
    fn tools_for(&self, ctx: CallCtx<'_>) -> RResult<RString, AbiError> {
        let _ = ctx;
        RResult::RErr(AbiError::new(codes::UNSUPPORTED, "the tools are the same for each catalog"))
    }

    /// Returns the skills that the arguments of a call name: a JSON list of strings, each of which
    /// occurs in the arguments. The arguments need not match the tool's schema. Since 1.1.
    fn named_skills(&self, name: RStr<'_>, arguments: RStr<'_>) -> RResult<RString, AbiError> {
        let _ = (name, arguments);
        RResult::ROk(RString::from("[]"))
    }
}
