//! Rows of a table in CSV.

use std::fmt::Write as _;

use prowess_plugin_sdk::Tool;
use prowess_plugin_sdk::prowess_core::{Catalog, ToolContext, ToolDefinition, ToolResult};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::{MAX_TEXT, Refused, answer, invalid, not_found, too_large};

/// The maximum number of columns of a table.
const MAX_COLUMNS: usize = 200;

#[derive(Deserialize)]
struct Arguments {
    csv: String,
    #[serde(default = "comma")]
    delimiter: char,
    columns: Option<Vec<String>>,
    #[serde(default)]
    offset: usize,
    #[serde(default = "usual_limit")]
    limit: usize,
}

fn comma() -> char {
    ','
}

fn usual_limit() -> usize {
    50
}

/// The tool `csv.rows`.
pub(crate) struct CsvRows;

impl Tool for CsvRows {
    fn definition(&self, _: &Catalog) -> ToolDefinition {
        ToolDefinition {
            name: "csv.rows".into(),
            description: "Shows rows of a table in CSV as a Markdown table, and counts all of them. The \
                first line names the columns. Use it to look into a table rather than reading raw CSV."
                .into(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "csv": {"type": "string", "maxLength": MAX_TEXT, "description": "The whole table"},
                    "delimiter": {"enum": [",", ";", "\t", "|"], "default": ","},
                    "columns": {
                        "type": "array",
                        "items": {"type": "string"},
                        "minItems": 1,
                        "maxItems": MAX_COLUMNS,
                        "description": "The columns to show, in this order; all without it",
                    },
                    "offset": {
                        "type": "integer", "minimum": 0, "default": 0,
                        "description": "How many rows to pass over",
                    },
                    "limit": {
                        "type": "integer", "minimum": 1, "maximum": 1000, "default": usual_limit(),
                        "description": "How many rows to show",
                    },
                },
                "required": ["csv"],
                "additionalProperties": false,
            }),
        }
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        answer(context, arguments, rows)
    }
}

fn rows(arguments: Arguments) -> Result<ToolResult, Refused> {
    let Arguments { csv, delimiter, columns, offset, limit } = arguments;
    let delimiter = u8::try_from(delimiter)
        .map_err(|_| invalid("the delimiter is one of `,`, `;`, a tab and `|`"))?;
    // The reader reports a row that is too short or too long, with its line.
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(csv.as_bytes());
    let malformed = |error: csv::Error| invalid(format!("the table cannot be read: {error}"));
    let names: Vec<String> = reader.headers().map_err(malformed)?.iter().map(Into::into).collect();
    if names.len() > MAX_COLUMNS {
        let message =
            format!("the table has {} columns, and {MAX_COLUMNS} can be read", names.len());
        return Err(too_large(message));
    }
    let shown = match &columns {
        Some(columns) => chosen(&names, columns)?,
        None => (0..names.len()).collect(),
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut count = 0_usize;
    for record in reader.records() {
        let record = record.map_err(malformed)?;
        if count >= offset && rows.len() < limit {
            rows.push(shown.iter().map(|&at| record.get(at).unwrap_or_default().into()).collect());
        }
        count += 1;
    }
    let names: Vec<&str> = shown.iter().map(|&at| &*names[at]).collect();
    let text = text(&names, &rows, offset, count);
    let data = json!({"columns": names, "rows": rows, "offset": offset, "total": count});
    Ok(ToolResult { structured: Some(data), ..ToolResult::text(text) })
}

/// Returns the positions of the requested columns.
fn chosen(names: &[String], columns: &[String]) -> Result<Vec<usize>, Refused> {
    let place = |column: &String| {
        let place = names.iter().position(|name| name == column);
        place.ok_or_else(|| {
            not_found(format!("no column `{column}`; there are `{}`", names.join("`, `")))
        })
    };
    columns.iter().map(place).collect()
}

fn text(names: &[&str], rows: &[Vec<String>], offset: usize, count: usize) -> String {
    let mut text = String::new();
    line(&mut text, names.iter().copied());
    line(&mut text, names.iter().map(|_| "---"));
    for row in rows {
        line(&mut text, row.iter().map(String::as_str));
    }
    let _ = match rows.len() {
        0 => write!(text, "\nNo row from {offset} on; the table has {count}."),
        some => write!(text, "\nRows {} to {} of {count}.", offset + 1, offset + some),
    };
    text
}

/// Escapes a cell: a pipe or a line break would start another one.
fn line<'a>(text: &mut String, cells: impl Iterator<Item = &'a str>) {
    text.push('|');
    for cell in cells {
        let cell = cell.replace('\\', "\\\\").replace('|', "\\|").replace(['\r', '\n'], " ");
        let _ = write!(text, " {cell} |");
    }
    text.push('\n');
}
