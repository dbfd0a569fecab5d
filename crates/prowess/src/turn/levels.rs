//! The cost of each skill by level.

use std::borrow::Cow;

use prowess_core::{Content, ToolCall, ToolResult, parse_virtual_uri};
use prowess_prompt::{ResourceUse, SkillLevels, UsedResource, body_again, level_of};
use prowess_tools::{Dispatched, SkillTools};

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
                let show = self.delivery().show_location;
                let text = body_again(skill, &skill.body, show, self.boundary());
                level.instructions = self.counter().count(&text);
            }
        }
        for UsedFile { skill, resource } in self.parts.conversations.used(self.session.id()) {
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
        if let Some((skill, path)) = self.used_file(call) {
            let tokens = self.tokens_of(&dispatched.result);
            let resource = UsedResource { path, by, tokens };
            self.parts.conversations.record_use(self.session.id(), UsedFile { skill, resource });
        }
    }

    /// Returns the id of the skill and the path in its package that a call means.
    fn used_file(&self, call: &ToolCall) -> Option<(String, String)> {
        let arguments = &call.arguments;
        let path = arguments["path"].as_str()?;
        let named = ["skill", "skill_id"].into_iter().find_map(|field| arguments[field].as_str());
        let (named, path) = match parse_virtual_uri(path) {
            Some((id, path)) => (Some(Cow::Owned(id)), path),
            None => (named.map(Cow::Borrowed), path.to_owned()),
        };
        let skill = match named.filter(|name| !name.trim().is_empty()) {
            Some(name) => {
                let name = parse_virtual_uri(&name).map_or(name, |(id, _)| Cow::Owned(id));
                let found = self.catalog.find(&name, prowess_core::Caller::User).found();
                found.map_or_else(|| name.into_owned(), |record| record.id().to_owned())
            }
            None => self.session.state().ok()?.current()?.id.clone(),
        };
        Some((skill, path.trim_start_matches("./").to_owned()))
    }

    fn tokens_of(&self, result: &ToolResult) -> usize {
        let counts = result.content.iter().map(|content| match content {
            Content::Text { text } => self.counter().count(text),
            Content::Blob { data, .. } => self.counter().count(data),
        });
        counts.sum()
    }
}
