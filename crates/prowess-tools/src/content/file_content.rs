//! A file of a package as a result.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use prowess_core::{
    Content, Record, ResourcePath, ToolContext, ToolResult, foreign_text, virtual_uri,
};
use prowess_text::{model_body, quoted};

use super::page::{Lines, Page, Reader};
use crate::codes;
use crate::gate::Refusal;
use crate::lookup::package::announcement;

/// The note after a text that differs from the file.
const CHANGED: &str = "Note: hidden characters were removed from this file, or tags in it that look \
    like those around skills were escaped.";

/// The note after a text in another encoding.
const FOREIGN: &str = "Note: this file is not in UTF-8; \u{fffd} stands for what cannot be read.";

/// Returns text encoded for a model, or base64 with the media type of the file's name. Of a text,
/// only these lines, and at most as many as a page of `pages` holds; without pages, all.
pub(crate) fn content_of(
    context: &ToolContext<'_>,
    file: File<'_>,
    bytes: &[u8],
    lines: Option<Lines>,
    pages: Option<&Pages<'_>>,
) -> Result<ToolResult, Refusal> {
    let (text, is_foreign) = match str::from_utf8(bytes) {
        Ok(text) => (Some(text.into()), false),
        Err(_) => (foreign_text(bytes).map(Cow::Owned), true),
    };
    if let Some(text) = text.filter(|text: &Cow<'_, str>| !text.contains('\0')) {
        let most = pages.map_or(usize::MAX, |pages| pages.bytes);
        let page = Page::of(&text, lines, most).map_err(|total| file.too_short(total))?;
        let note = pages.and_then(|pages| page.note(&file.reader(pages.tool)));
        let foreign = is_foreign.then(|| FOREIGN.to_owned());
        let notes = [announcement(file.record), foreign, note].into_iter().flatten();
        return Ok(text_of(&page, notes, context));
    }
    match lines {
        None => Ok(blob(file, bytes)),
        Some(_) => {
            let message =
                format!("{} is not text; read it without `lines`", quoted(file.path.as_str()));
            Err(Refusal::new(codes::INVALID_ARGUMENTS, message))
        }
    }
}

/// One file of a skill.
#[derive(Clone, Copy)]
pub(crate) struct File<'a> {
    pub(crate) record: Record<'a>,
    pub(crate) path: &'a ResourcePath,
}

/// The pages of a long text.
pub(crate) struct Pages<'a> {
    /// The tool that returns them, as the model calls it.
    pub(crate) tool: &'a str,
    /// The maximum size of a page.
    pub(crate) bytes: usize,
}

impl File<'_> {
    fn reader<'r>(&'r self, tool: &'r str) -> Reader<'r> {
        Reader { tool, skill: self.record.id(), path: self.path.as_str() }
    }

    fn too_short(self, total: usize) -> Refusal {
        let path = quoted(self.path.as_str());
        let message =
            format!("{path} has {total} lines; choose `lines`, and a `column`, among them");
        Refusal::new(codes::INVALID_ARGUMENTS, message)
    }
}

fn text_of(
    page: &Page<'_>,
    notes: impl Iterator<Item = String>,
    context: &ToolContext<'_>,
) -> ToolResult {
    let shown = model_body(page.text, context.boundary);
    let is_changed = shown != page.text.replace("\r\n", "\n");
    let mut result = ToolResult::text(shown);
    if is_changed {
        result.content.push(Content::Text { text: CHANGED.to_owned() });
    }
    result.content.extend(notes.map(|text| Content::Text { text }));
    result
}

fn blob(file: File<'_>, bytes: &[u8]) -> ToolResult {
    let mime_type = media_type(file.path.as_str());
    let uri = Some(virtual_uri(file.record.id(), file.path.as_str()));
    let content = Content::Blob { mime_type, data: STANDARD.encode(bytes), uri };
    ToolResult { content: vec![content], ..ToolResult::text("") }
}

/// Returns the media type that a file's extension stands for.
#[cfg(feature = "media-types")]
fn media_type(path: &str) -> String {
    mime_guess::from_path(path).first_or_octet_stream().to_string()
}

/// Returns the type of unknown bytes: without the feature `media-types` no extension is known.
#[cfg(not(feature = "media-types"))]
fn media_type(_: &str) -> String {
    "application/octet-stream".to_owned()
}
