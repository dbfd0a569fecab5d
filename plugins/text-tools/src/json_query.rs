//! The values that a JSONPath expression selects.

mod cost;

use prowess_plugin_sdk::Tool;
use prowess_plugin_sdk::prowess_core::{Catalog, ToolContext, ToolDefinition, ToolResult};
use serde::Deserialize;
use serde_json::{Value, json};
use serde_json_path::JsonPath;

use crate::answer::{MAX_TEXT, Refused, answer, invalid};

/// The maximum number of characters of a query.
const MAX_QUERY: usize = 300;

#[derive(Deserialize)]
struct Arguments {
    json: String,
    query: String,
    #[serde(default = "usual_limit")]
    limit: usize,
}

fn usual_limit() -> usize {
    100
}

/// The tool `json.query`.
pub(crate) struct JsonQuery;

impl Tool for JsonQuery {
    fn definition(&self, _: &Catalog) -> ToolDefinition {
        ToolDefinition {
            name: "json.query".into(),
            description:
                "Gives what a JSONPath expression (RFC 9535) selects in a JSON document, such \
                as `$.items[?@.price < 10].name`, each with its place."
                    .into(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "json": {"type": "string", "maxLength": MAX_TEXT, "description": "The whole document"},
                    "query": {
                        "type": "string", "minLength": 1, "maxLength": MAX_QUERY,
                        "description": "The expression; it begins with `$`",
                    },
                    "limit": {
                        "type": "integer", "minimum": 1, "maximum": 1000, "default": usual_limit(),
                        "description": "How many values to give",
                    },
                },
                "required": ["json", "query"],
                "additionalProperties": false,
            }),
        }
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        answer(context, arguments, query)
    }
}

fn query(arguments: Arguments) -> Result<ToolResult, Refused> {
    let Arguments { json: text, query, limit } = arguments;
    let document: Value = serde_json::from_str(&text)
        .map_err(|error| invalid(format!("the document is no JSON: {error}")))?;
    cost::check(&query, &document)?;
    let path = JsonPath::parse(&query).map_err(|error| {
        invalid(format!("the query is no JSONPath: {error}; it begins with `$`, as in `$.a[0]`"))
    })?;
    let selected = path.query_located(&document);
    let total = selected.len();
    let values: Vec<_> = selected
        .iter()
        .take(limit)
        .map(|node| json!({"path": node.location().to_string(), "value": node.node()}))
        .collect();
    Ok(ToolResult::data(json!({"total": total, "values": values})))
}
