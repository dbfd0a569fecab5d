//! One section of a Markdown text.

use std::fmt::Write as _;
use std::ops::Range;

use prowess_plugin_sdk::Tool;
use prowess_plugin_sdk::prowess_core::{Catalog, ToolContext, ToolDefinition, ToolResult};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::{MAX_TEXT, Refused, answer, not_found};

#[derive(Deserialize)]
struct Arguments {
    markdown: String,
    heading: Option<String>,
}

/// The tool `markdown.section`.
pub(crate) struct MarkdownSection;

impl Tool for MarkdownSection {
    fn definition(&self, _: &Catalog) -> ToolDefinition {
        ToolDefinition {
            name: "markdown.section".into(),
            description:
                "Gives the section of a Markdown text that has this heading, with the sections \
                inside it; without a heading, the outline of the text."
                    .into(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "markdown": {"type": "string", "maxLength": MAX_TEXT, "description": "The whole text"},
                    "heading": {
                        "type": "string", "minLength": 1, "maxLength": 1000,
                        "description": "The heading's text without `#`; upper and lower case are the same",
                    },
                },
                "required": ["markdown"],
                "additionalProperties": false,
            }),
        }
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        answer(context, arguments, section)
    }
}

fn section(arguments: Arguments) -> Result<ToolResult, Refused> {
    let headings = headings(&arguments.markdown);
    let Some(wanted) = arguments.heading else {
        return Ok(ToolResult::text(outline(&headings)));
    };
    let is_wanted = |heading: &Heading| heading.text.to_lowercase() == wanted.trim().to_lowercase();
    let Some(at) = headings.iter().position(is_wanted) else {
        let outline = outline(&headings);
        return Err(not_found(format!("no heading `{wanted}`; the text has these:\n{outline}")));
    };
    let Heading { level, start, .. } = headings[at];
    let next = headings[at + 1..].iter().find(|heading| heading.level <= level);
    let end = next.map_or(arguments.markdown.len(), |heading| heading.start);
    Ok(ToolResult::text(arguments.markdown[start..end].trim_end()))
}

struct Heading {
    level: u8,
    text: String,
    start: usize,
}

/// Returns all headings, without lines with `#` in code blocks.
fn headings(markdown: &str) -> Vec<Heading> {
    let mut headings = Vec::new();
    let mut open: Option<Heading> = None;
    for (event, Range { start, .. }) in Parser::new(markdown).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                open = Some(Heading { level: level as u8, text: String::new(), start });
            }
            Event::End(TagEnd::Heading(_)) => headings.extend(open.take()),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut open {
                    heading.text.push_str(&text);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut open {
                    heading.text.push(' ');
                }
            }
            _ => {}
        }
    }
    headings
}

fn outline(headings: &[Heading]) -> String {
    if headings.is_empty() {
        return "The text has no heading.".into();
    }
    let mut text = String::new();
    for Heading { level, text: heading, .. } in headings {
        let indent = usize::from(level.saturating_sub(1)) * 2;
        let _ = writeln!(text, "{:indent$}- {heading}", "");
    }
    text
}
