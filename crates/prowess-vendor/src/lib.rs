//! Requests, tool definitions, calls and results in the wire formats of model vendors.
//!
//! ```
//! use prowess_core::{ToolDefinition, ToolResult};
//! use prowess_vendor::WireFormat;
//! use serde_json::json;
//!
//! let definitions = [ToolDefinition {
//!     name: "weather".into(),
//!     description: "Returns the weather. Use it when the user asks for it.".into(),
//!     input_schema: json!({"type": "object", "properties": {"city": {"type": "string"}}}),
//! }];
//! let format = WireFormat::Anthropic;
//! let tools = format.definitions(&definitions);
//! assert_eq!(tools[0]["name"], "weather");
//!
//! // The answer of the model, as the vendor's API returns it.
//! let message = json!({"role": "assistant", "content": [
//!     {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Rome"}},
//! ]});
//! for received in format.calls(&message, &definitions) {
//!     let result = match &received.call {
//!         Ok(call) => ToolResult::text(format!("sunny in {}", call.arguments["city"])),
//!         Err(result) => (**result).clone(),
//!     };
//!     assert_eq!(format.result(&received, &result)["tool_use_id"], "toolu_1");
//! }
//! ```
//!
//! [`WireFormat::request`] writes a whole [`ModelRequest`](prowess_core::ModelRequest).
//!
//! Everything here is a function of values: no network, no client of an API and no session. What a
//! model sends is untrusted: arguments that are not JSON are a result that the model reads, and a
//! part of a message that is not a call is skipped.
#![forbid(unsafe_code)]

mod anthropic;
pub mod codes;
mod content;
mod format;
mod gemini;
mod gemini_schema;
mod mcp;
mod nulls;
mod openai;
mod received;
mod request;
mod strict;

pub use format::WireFormat;
pub use prowess_core;
pub use received::ReceivedCall;
pub use request::RequestOptions;
pub use strict::strict_schema;
