//! Skills that a user loads by a command of the host, such as `/pdf`.

use prowess_core::{Record, ToolCall};
use prowess_tools::{ExplicitActivation, completions, explicit_activation};

use super::Turn;

impl Turn {
    /// Parses a user's message that begins with `/skill-name` or `$skill-name`. Returns the call
    /// that loads the skill, for [`Self::call_as_user`], and the rest of the message.
    ///
    /// Returns `None` for any other message, and if no surface has a tool that loads.
    pub fn explicit_activation<'m>(&self, message: &'m str) -> Option<(ToolCall, &'m str)> {
        let ExplicitActivation { reference, rest } =
            explicit_activation(&self.place.catalog, message)?;
        Some((self.load_call(reference)?, rest))
    }

    /// Returns the call that loads a skill in addition to the active ones, if a surface that the
    /// model sees has a tool that loads.
    pub fn load_call(&self, reference: &str) -> Option<ToolCall> {
        let call = self.face.load_call(reference)?;
        let name = self.place.parts.toolbox.naming().spell(&call.name);
        Some(ToolCall { name, ..call })
    }

    /// Returns the skills that a user may load and whose ids begin with `prefix`, for completions.
    pub fn completions(&self, prefix: &str, limit: usize) -> Vec<Record<'_>> {
        completions(&self.place.catalog, prefix, limit)
    }
}
