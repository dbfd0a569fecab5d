//! The ways to a server.

use serde_json::Value;

use crate::call::Call;
use crate::error::CallError;
use crate::message::Request;

/// A way to a server, for one request at a time.
pub(crate) trait Transport: Send {
    /// Sends a request and returns the result of its response.
    fn request(&mut self, request: &Request, call: &Call<'_>) -> Result<Value, CallError>;

    /// Sends a message that has no response, or whose response is not awaited.
    fn send(&mut self, message: &Value, call: &Call<'_>) -> Result<(), CallError>;

    /// Sets the revision that was agreed on.
    fn set_revision(&mut self, revision: &str);
}
