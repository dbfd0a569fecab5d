//! Returns a file of a package.

use prowess_core::{ReadLimit, Record, ResourcePath, ToolContext, ToolResult};
use prowess_text::quoted;
use serde::Deserialize;

use super::Operations;
use crate::codes;
use crate::content::file_content::{File, content_of};
use crate::content::file_error::unreadable;
use crate::content::page::Lines;
use crate::content::script_file::{is_script_file, script_read_refusal};
use crate::gate::Refusal;
use crate::lookup::reference::resolved_file;
use crate::policy::{ReadScope, ScriptRead};

/// A file, as a call names it.
#[derive(Debug, Deserialize)]
pub(crate) struct ReadArguments {
    pub(crate) skill: Option<String>,
    pub(crate) path: String,
    #[serde(default)]
    pub(crate) lines: Option<Lines>,
}

impl Operations {
    /// Returns a file, or the requested lines of it.
    pub(crate) fn read(
        &self,
        context: &ToolContext<'_>,
        arguments: ReadArguments,
    ) -> Result<ToolResult, Refusal> {
        let ReadArguments { skill, path, lines } = arguments;
        let (skill, path) = resolved_file(skill, path);
        let gate = self.policy.read_gate();
        let record = self.record_for(context, skill.as_deref(), gate, "read")?;
        let path = ResourcePath::new(&path)?;
        self.check_scope(&path)?;
        self.check_script_read(context, record, &path)?;
        let limit = self.policy.read_limit();
        match context.catalog.read(record, &path, ReadLimit(limit)) {
            Ok(bytes) => {
                let file = File { record, path: &path };
                content_of(context, file, bytes, lines, self.policy.page_bytes)
            }
            Err(error) => Err(unreadable(context.catalog, record, &path, error.kind, limit)),
        }
    }

    /// Refuses the text of a script that is there to be run.
    fn check_script_read(
        &self,
        context: &ToolContext<'_>,
        record: Record<'_>,
        path: &ResourcePath,
    ) -> Result<(), Refusal> {
        let is_blocked = match self.policy.script_read {
            ScriptRead::Allow => false,
            ScriptRead::BlockWhenActive => self.is_active(context, record.id())?,
            ScriptRead::Block => true,
        };
        if !is_blocked || !is_script_file(path) {
            return Ok(());
        }
        Err(script_read_refusal(record.id(), path))
    }

    fn check_scope(&self, path: &ResourcePath) -> Result<(), Refusal> {
        let is_resource =
            ["references/", "assets/"].iter().any(|directory| path.as_str().starts_with(directory));
        if self.policy.read_scope == ReadScope::Package || is_resource {
            return Ok(());
        }
        let message = format!(
            "{} may not be read; only files under `references/` and `assets/` may",
            quoted(path.as_str())
        );
        Err(Refusal::new(codes::PATH_NOT_ALLOWED, message))
    }
}
