//! The cost of each skill by level.

use prowess_core::{Content, ToolCall, ToolResult};
use prowess_prompt::{ResourceUse, SkillLevels, UsedResource, body_again, level_of};
use prowess_tools::{Dispatched, SkillTools, used_file};

use super::Turn;
use crate::conversations::UsedFile;

impl Turn {
    /// Returns the cost of each skill by level: its entry in the catalog, its instructions, and the
    /// files that the conversation has read or run through this runtime.
    ///
    /// Instructions count wherever they are: in the prompt, in those of the turn's agent, or in
    /// the result of the call that has loaded them.
    pub fn levels(&self) -> Vec<SkillLevels> {
        let prompt = self.prompt();
        let mut levels = prompt.levels(self.counter());
        for skill in &self.state.active {
            let level = level_of(&mut levels, &skill.id);
            if level.instructions == 0 {
                let text = body_again(skill, &skill.body, *self.delivery(), self.boundary());
                level.instructions = self.counter().count(&text);
            }
        }
        for UsedFile { skill, resource } in
            self.place.parts.conversations.used(self.place.session.id())
        {
            level_of(&mut levels, &skill).resources.push(resource);
        }
        levels
    }

    /// Records the tokens of a file that a call has read, or of the output of a script that it has
    /// run.
    pub(super) fn record_use(&self, call: &ToolCall, dispatched: &Dispatched) {
        let by = match dispatched.tool.as_str() {
            SkillTools::RUN => ResourceUse::Run,
            tool if SkillTools::READERS.contains(&tool) => ResourceUse::Read,
            _ => return,
        };
        if dispatched.result.is_error {
            return;
        }
        let Ok(state) = self.place.session.state() else { return };
        if let Some((skill, path)) = used_file(&self.place.catalog, &state, &call.arguments) {
            let tokens = self.tokens_of(&dispatched.result);
            let resource = UsedResource { path, by, tokens };
            self.place
                .parts
                .conversations
                .record_use(self.place.session.id(), UsedFile { skill, resource });
        }
    }

    fn tokens_of(&self, result: &ToolResult) -> usize {
        let counts = result.content.iter().map(|content| match content {
            Content::Text { text } => self.counter().count(text),
            Content::Blob { data, .. } => self.counter().count(data),
        });
        counts.sum()
    }
}
