//! Returns a file of a package.

use std::sync::{Arc, Mutex, PoisonError};

use prowess_core::{
    Catalog, ClosedFile, OpenedFile, ReadLimit, ReadRule, Record, ResourcePath, SessionState,
    SourceError, SourceErrorKind, ToolContext, ToolResult, withheld_content,
};
use prowess_text::quoted;
use serde::Deserialize;

use super::Operations;
use crate::codes;
use crate::content::file_content::{File, Pages, content_of};
use crate::content::file_error::unreadable;
use crate::content::page::Lines;
use crate::content::script_file::SkillScript;
use crate::gate::Refusal;
use crate::lookup::reference::resolved_file;
use crate::lookup::script_reads::limits;
use crate::names;
use crate::policy::{ReadGate, ReadScope, ScriptRead};

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

/// The most files of one command of which a refused read is reported.
const MOST_REFUSED: usize = 16;

/// The files that a command was not allowed to read: the code and the path of each, and the reason.
pub(crate) type RefusedReads = Mutex<Vec<(String, Refusal)>>;

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
        let named = skill.as_deref().and_then(|skill| self.find(context, skill).ok());
        let gate = self.gate_of(named, &path);
        let record = self.record_for(context, skill.as_deref(), gate, "read")?;
        let path = ResourcePath::new(&path)?;
        let closed = self.closed(context.catalog, &context.session.state()?, record, &path);
        closed.map_or(Ok(()), Err)?;
        let hidden = |reason: &str| {
            let message = format!("{} {reason}, and is not shown", quoted(path.as_str()));
            Err(Refusal::new(codes::PATH_NOT_ALLOWED, message))
        };
        if let Some(reason) = context.catalog.withheld(record, &path) {
            return hidden(reason);
        }
        let is_instructions = path.as_str() == record.file();
        // A load delivers instructions whatever this limit is.
        let limit = if is_instructions { MOST_TEXT_BYTES } else { self.policy.read_limit() };
        let pages = (paging == Paging::ByLines).then(|| self.pages(context));
        // A page of a text is small, however large the file is.
        let most = if pages.is_some() { limit.max(MOST_TEXT_BYTES) } else { limit };
        let unreadable =
            |error: &_, limit| unreadable(context.catalog, record, &path, error, limit);
        let read = context.catalog.read(record, &path, ReadLimit(most));
        let bytes = read.map_err(|error| unreadable(&error, most))?;
        if !is_instructions && let Some(reason) = withheld_content(path.as_str(), &bytes) {
            return hidden(reason);
        }
        let is_large = bytes.len() > limit;
        let file = File { record, path: &path };
        let result = content_of(context, file, &bytes, lines, pages.as_ref())?;
        let shown: usize = result.texts().map(str::len).sum();
        // Bytes have no pages.
        if is_large && (shown == 0 || shown > limit) {
            let refusal = unreadable(&SourceError::new(SourceErrorKind::TooLarge, ""), limit);
            let message = refusal.message.replace("read another file", "ask for fewer `lines`");
            return Err(if shown > 0 { refusal.with_message(message) } else { refusal });
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

    /// Returns the gate of a file. Where no tool makes a skill active, instructions are open, as
    /// those of [`Self::instructions`] are.
    fn gate_of(&self, record: Option<Record<'_>>, path: &str) -> ReadGate {
        let is_file = record.is_some_and(|record| path.trim_start_matches("./") == record.file());
        let is_open = is_file && !self.policy.makes_active();
        if is_open { ReadGate::Known } else { self.policy.read_gate() }
    }

    /// Returns the refusal of a read of a file by its path, whatever reads it. Whether its skill
    /// has to be active is decided before.
    fn closed(
        &self,
        catalog: &Catalog,
        state: &SessionState,
        record: Record<'_>,
        path: &ResourcePath,
    ) -> Option<Refusal> {
        let is_resource =
            ["references/", "assets/"].iter().any(|directory| path.as_str().starts_with(directory));
        if self.policy.read_scope == ReadScope::Resources && !is_resource {
            let message = format!(
                "{} may not be read; only files under `references/` and `assets/` may",
                quoted(path.as_str())
            );
            return Some(Refusal::new(codes::PATH_NOT_ALLOWED, message));
        }
        if self.policy.script_read == ScriptRead::Allow {
            return None;
        }
        let program = &*self.policy.script_program(catalog, Some(record), path)?;
        let shell = self.shell.as_ref().filter(|_| self.policy.has_tool(names::EXECUTE));
        let mounted = shell.and_then(|shell| shell.mount_path(catalog, record).ok());
        let (skill, is_mounted, root) = (record.id(), mounted.is_some(), record.root_directory());
        let directory =
            mounted.or_else(|| self.delivery.show_location.directory(skill, &root).map(Into::into));
        let (directory, is_active) = (directory.as_deref(), limits(state, record));
        let run_tool = self.runner.as_ref().map(|_| &*self.run_tool);
        SkillScript { skill, path, program, directory, is_active, is_mounted, run_tool }
            .refusal(&self.policy)
    }

    /// Returns the rule for commands that open files of mounted skills, from the same decisions;
    /// `None` if the policy and the loaded skills close none. `refused` receives the refused reads.
    pub(crate) fn read_rule(
        &self,
        context: &ToolContext<'_>,
        refused: &Arc<RefusedReads>,
    ) -> Result<Option<Arc<ReadRule>>, Refusal> {
        if !self.policy.closes_files() {
            return Ok(None);
        }
        let (operations, catalog) = (self.clone(), Arc::clone(context.catalog));
        let state = context.session.state()?;
        let limit = self.policy.whole_file_limit();
        let refused = Arc::clone(refused);
        Ok(Some(Arc::new(move |&OpenedFile { skill, path, bytes, is_run }| {
            let record = catalog.get(skill)?;
            let is_large =
                limit.is_some_and(|limit| bytes > limit && path.as_str() != record.file());
            let large = || {
                let error = SourceError::new(SourceErrorKind::TooLarge, "");
                unreadable(&catalog, record, path, &error, limit.unwrap_or_default())
            };
            let gate = operations.gate_of(Some(record), path.as_str());
            let refusal = operations
                .inactive(&state, record, gate, "read")
                .or_else(|| operations.closed(&catalog, &state, record, path))
                .or_else(|| is_large.then(large))?;
            let program = operations.policy.script_program(&catalog, Some(record), path);
            let may_run = program.is_some();
            let reason = refusal.message.clone();
            if !(may_run && is_run) {
                let mut refused = refused.lock().unwrap_or_else(PoisonError::into_inner);
                let place = format!("{}: {skill}/{path}", refusal.code);
                if refused.len() < MOST_REFUSED && refused.iter().all(|(it, _)| *it != place) {
                    refused.push((place, refusal));
                }
            }
            Some(ClosedFile { reason, may_run })
        })))
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
