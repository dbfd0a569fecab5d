//! Three tools for texts that a model would otherwise have to process itself.
//!
//! - `csv.rows`: rows of a table in CSV, as a table of Markdown and as data;
//! - `markdown.section`: one section of a Markdown text, or its outline;
//! - `json.query`: the values that a JSONPath expression (RFC 9535) selects.
//!
//! These tools access no file and no catalog, so each takes the text as an argument. Texts, answers
//! and the cost of a query are limited, and every error is a result with the next step.
#![forbid(unsafe_code)]

mod answer;
mod csv_rows;
mod json_query;
mod markdown_section;

use std::sync::Arc;

use prowess_plugin_sdk::{Error, Host, Plugin, Registration, Tool, ToolProvider, export_plugin};

/// The tools of this plugin.
struct TextTools;

impl ToolProvider for TextTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let (rows, section) = (csv_rows::CsvRows, markdown_section::MarkdownSection);
        vec![Arc::new(rows), Arc::new(section), Arc::new(json_query::JsonQuery)]
    }
}

impl Plugin for TextTools {
    type Config = ();

    fn init(_: Host, (): ()) -> Result<Registration, Error> {
        Ok(Registration::new().tools(Self))
    }
}

export_plugin!(TextTools, kinds = ["tools"]);

#[cfg(test)]
mod tests;
