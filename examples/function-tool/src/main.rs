//! A function as a tool: one call of the builder, with a schema that is derived from the type of
//! its arguments.
//!
//! `cargo run -p function-tool` prints the definition that a model sees, and calls the tool by its
//! name, by its older name and with arguments that do not fit.
//!
//! Such a tool goes through the same checks, the same gate and the same audit as the tools of
//! skills. The older name is an alias: calls by it work, but a model is not offered it, and each
//! one emits a warning (the `tracing` event `deprecated_tool`) and a note in its result.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use prowess::tools::FunctionTool;
use prowess::{Runtime, ToolCall};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The comments of the fields are descriptions in the schema.
#[derive(Deserialize, JsonSchema)]
struct Text {
    /// The text whose words are counted.
    text: String,
    /// Whether a word that occurs twice counts once.
    #[serde(default)]
    distinct: bool,
}

#[derive(Serialize)]
struct Count {
    words: usize,
}

fn count(Text { text, distinct }: Text) -> Result<Count, String> {
    let mut words: Vec<_> = text.split_whitespace().collect();
    if words.is_empty() {
        return Err("the text is empty; give one with words".to_owned());
    }
    if distinct {
        words.sort_unstable();
        words.dedup();
    }
    Ok(Count { words: words.len() })
}

fn runtime() -> Result<Runtime, prowess::Error> {
    let description = "Counts the words of a text. Use it rather than counting yourself.";
    let tool = FunctionTool::new("count_words", description, count).alias("word_count");
    Runtime::builder().tools(Arc::new(tool)).build()
}

fn main() -> Result<(), prowess::Error> {
    let runtime = runtime()?;
    let session = runtime.open_session()?;
    let turn = runtime.turn(&session)?;
    for definition in turn.tools() {
        println!("{} {:#}\n", definition.name, definition.input_schema);
    }
    let text = "to be or not to be";
    for (name, arguments) in [
        ("count_words", json!({"text": text, "distinct": true})),
        ("word_count", json!({"text": text})),
        ("count_words", json!({"text": ""})),
        ("count_words", json!({"txt": text})),
    ] {
        let answer = turn.call(&ToolCall::new(name, arguments));
        println!("{name}: {:?}\n", answer.result.content);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_is_a_tool() -> Result<(), prowess::Error> {
        let runtime = runtime()?;
        let session = runtime.open_session()?;
        let turn = runtime.turn(&session)?;
        assert_eq!(turn.tools().len(), 1, "the alias is not offered");
        let call = |name, arguments| turn.call(&ToolCall::new(name, arguments)).result;
        let counted = call("count_words", json!({"text": "one two two", "distinct": true}));
        assert_eq!(counted.structured, Some(json!({"words": 2})));
        let by_alias = call("word_count", json!({"text": "one two two"}));
        assert_eq!(by_alias.structured, Some(json!({"words": 3})));
        let failed = call("count_words", json!({"text": " "}));
        assert_eq!(failed.code.as_ref().map(prowess::Code::as_str), Some("function-failed"));
        Ok(())
    }
}
