//! Three tools for texts that a model would otherwise work through itself.
//!
//! - `csv.rows`: rows of a table in CSV, as a table of Markdown and as data;
//! - `markdown.section`: one section of a Markdown text, or its outline;
//! - `json.query`: what an expression of JSONPath (RFC 9535) selects.
//!
//! These tools see no file and no catalog, so each takes the text itself. Texts, answers and the
//! work that a query may cost are bounded, and what goes wrong is a result that says what to do.
#![forbid(unsafe_code)]

mod answer;
mod csv_rows;
mod json_query;
mod markdown_section;

use std::sync::Arc;

use prowess_plugin_sdk::{Error, Host, Plugin, Registration, Tool, ToolProvider, export_plugin};

/// All of them.
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
