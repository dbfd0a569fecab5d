//! Returns a file of a package.

use prowess_core::{
    Content, ReadLimit, Record, ResourcePath, SourceError, SourceErrorKind, ToolContext,
    ToolResult, withheld_content, withheld_path,
};
use prowess_text::quoted;
use serde::Deserialize;

use super::Operations;
use crate::codes;
use crate::content::file_content::{File, Pages, content_of};
use crate::content::file_error::unreadable;
use crate::content::page::Lines;
use crate::content::script_file::SkillFile;
use crate::gate::Refusal;
use crate::lookup::reference::resolved_file;
use crate::lookup::script_reads::limits;
use crate::policy::ReadScope;

/// The maximum size of a text that is read by lines, as of a resource: it is held in memory.
const MOST_TEXT_BYTES: usize = 16 << 20;

/// The size of the notes next to a page, about, in bytes.
pub(crate) const NOTE_BYTES: usize = 400;

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
        paging: Paging,
    ) -> Result<ToolResult, Refusal> {
        let ReadArguments { skill, path, lines } = arguments;
        let (skill, path) = resolved_file(skill, path);
        let gate = self.policy.read_gate();
        let record = self.record_for(context, skill.as_deref(), gate, "read")?;
        let path = ResourcePath::new(&path)?;
        self.check_scope(&path)?;
        self.check_script_read(context, record, &path)?;
        let hidden = |reason: &str| {
            let message = format!("{} {reason}, and is not shown", quoted(path.as_str()));
            Err(Refusal::new(codes::PATH_NOT_ALLOWED, message))
        };
        if let Some(reason) = withheld_path(path.as_str()) {
            return hidden(reason);
        }
        let limit = self.policy.read_limit();
        let pages = (paging == Paging::ByLines).then(|| self.pages(context));
        // A page of a text is small, however large the file is.
        let most = if pages.is_some() { limit.max(MOST_TEXT_BYTES) } else { limit };
        let unreadable = |error: &_| unreadable(context.catalog, record, &path, error, limit);
        let read = context.catalog.read(record, &path, ReadLimit(most));
        let bytes = read.map_err(|error| unreadable(&error))?;
        if path.as_str() != record.file()
            && let Some(reason) = withheld_content(path.as_str(), &bytes)
        {
            return hidden(reason);
        }
        let is_large = bytes.len() > limit;
        let file = File { record, path: &path };
        let result = content_of(context, file, &bytes, lines, pages.as_ref())?;
        // Bytes have no pages.
        if is_large && size(&result) > limit {
            return Err(unreadable(&SourceError::new(SourceErrorKind::TooLarge, "")));
        }
        Ok(result)
    }

    /// Returns the pages of the tool that reads files: as large as the policy says, or as the
    /// program of the model keeps.
    pub(crate) fn pages(&self, context: &ToolContext<'_>) -> Pages<'_> {
        let most = self.policy.page_bytes;
        let kept = context.result_bytes.map(|kept| kept.saturating_sub(NOTE_BYTES));
        let bytes = kept.map_or(most, |kept| kept.min(most));
        Pages { tool: &self.read_tool, bytes }
    }

    /// Refuses the text of a script that is there to be run.
    fn check_script_read(
        &self,
        context: &ToolContext<'_>,
        record: Record<'_>,
        path: &ResourcePath,
    ) -> Result<(), Refusal> {
        let root = record.root_directory();
        let directory = self.delivery.show_location.directory(record.id(), &root);
        let is_active = limits(&context.session.state()?, record);
        let skill = record.id();
        let file = SkillFile { skill, path, directory: directory.as_deref(), is_active };
        file.refusal(&self.policy).map_or(Ok(()), Err)
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

/// Whether a tool returns a long text in pages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paging {
    /// By ranges of lines, which its calls can name.
    ByLines,
    /// It returns the whole text.
    Whole,
}

/// Returns the size of the content of a result, about.
fn size(result: &ToolResult) -> usize {
    let size = |content: &Content| match content {
        Content::Text { text } => text.len(),
        // In base64.
        Content::Blob { data, .. } => data.len() / 4 * 3,
    };
    result.content.iter().map(size).sum()
}
