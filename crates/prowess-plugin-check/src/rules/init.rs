//! How a plugin begins.

use prowess_plugin_abi::AbiError;
use serde_json::{Map, Value, json};

use crate::probe::{Broken, Checked, Probe, broken, is_panic, panicked, unanswered};

pub(super) fn begins(probe: &Probe) -> Checked {
    let life = probe.begin_with(&probe.config).map_err(|error| not_begun(probe, &error))?;
    let sources = life.shape.sources.len();
    let tools = life.shape.tools.len();
    if sources + tools == 0 {
        let help = "add a source or a tool provider to the `Registration`";
        return Err(broken("it begins and offers nothing", help));
    }
    for (kind, count) in [("source", sources), ("tools", tools)] {
        let is_named = probe.manifest().kinds.iter().any(|own| own == kind);
        if count > 0 && !is_named {
            let reason = format!("it offers what its manifest does not say: `{kind}`");
            return Err(broken(reason, "add it to `kinds` in `export_plugin!`"));
        }
    }
    for (name, root) in &life.shape.sources {
        if !is_line(name) || !is_line(root) {
            let reason = format!("a source has the name {name:?} and the root {root:?}");
            let help = "give both one line of text: people see them beside each skill";
            return Err(broken(reason, help));
        }
    }
    Ok(vec![format!("it offers {sources} sources and {tools} tool providers")])
}

fn is_line(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= 4096 && !text.contains(char::is_control)
}

fn not_begun(probe: &Probe, error: &AbiError) -> Broken {
    if is_panic(error) {
        return panicked("`init`", error);
    }
    let help = match &*probe.config {
        "" => "say what it is configured with: `--with JSON`, or its settings in `--config FILE`",
        _ => "fix the configuration that it is checked with",
    };
    broken(format!("it refuses to begin: {}", error.message), help)
}

pub(super) fn refuses_bad_configurations(probe: &Probe) -> Checked {
    let schema = probe.manifest().config_schema.clone().unwrap_or(Value::Bool(true));
    // An earlier start, successful or not, must not change which configurations are accepted.
    drop(probe.begin_with(&probe.config));
    let mut refused = 0;
    for (what, text, must_be_refused) in bad_configurations(&schema) {
        probe.step(format!("`init` with {what}"));
        match probe.begin_with(&text) {
            Ok(_) if must_be_refused => {
                let help = "read the configuration into a type with `deny_unknown_fields`, or fix \
                            `config_schema`";
                return Err(broken(format!("it takes {what} for its configuration"), help));
            }
            Ok(_) => {}
            Err(error) if is_panic(&error) => {
                return Err(panicked(&format!("`init` with {what}"), &error));
            }
            Err(error) if error.message.trim().is_empty() => {
                let reason = format!("it refuses {what} without a word");
                return Err(broken(reason, "say which field is wrong and what it should be"));
            }
            Err(_) => refused += 1,
        }
    }
    Ok(vec![format!("it refuses {refused} bad configurations")])
}

/// The description, the text, and whether the schema forbids it.
fn bad_configurations(schema: &Value) -> Vec<(String, String, bool)> {
    let wants_object = schema["type"] == "object";
    let is_closed = wants_object && schema["additionalProperties"] == false;
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let unknown = json!({ "prowess-plugin-check": "x".repeat(1 << 20) });
    let mut bad = vec![
        ("what is no JSON".to_owned(), "{\"".to_owned(), true),
        ("a list".to_owned(), "[[]]".to_owned(), wants_object),
        ("a number".to_owned(), "1e300".to_owned(), wants_object),
        ("10,000 nested lists".to_owned(), deep, true),
        ("an unknown field of 1 MiB".to_owned(), unknown.to_string(), is_closed),
    ];
    let fields = schema["properties"].as_object();
    for (name, field) in fields.into_iter().flatten().take(20) {
        if let Some(wrong) = wrong_value(field) {
            let config = Value::Object(Map::from_iter([(name.clone(), wrong)]));
            bad.push((format!("another type of `{name}`"), config.to_string(), true));
        }
    }
    bad
}

/// A value that this schema forbids, where that is easy to find.
pub(super) fn wrong_value(schema: &Value) -> Option<Value> {
    match schema["type"].as_str()? {
        "string" => Some(json!([7])),
        "object" | "array" | "integer" | "number" | "boolean" => Some(json!("wrong")),
        _ => None,
    }
}

/// An instance that must begin.
pub(super) fn again(
    probe: &Probe,
    what: &str,
) -> Result<std::sync::Arc<crate::probe::Life>, Broken> {
    probe.begin_with(&probe.config).map_err(|error| unanswered(what, &error))
}
