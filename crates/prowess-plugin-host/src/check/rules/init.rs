//! The start of a plugin and its configuration.

use prowess_plugin_abi::AbiError;
use prowess_text::counted;
use serde_json::{Map, Value, json};

use crate::check::probe::{
    NotPassed, Probe, RuleResult, call_failed, ensure, failed, is_panic, panicked,
};

pub(super) fn starts(probe: &Probe) -> RuleResult {
    let life = probe.start_with(&probe.config).map_err(|error| start_failed(probe, &error))?;
    let sources = life.shape.sources.len();
    let tools = life.shape.tools.len();
    ensure(sources + tools > 0, || {
        let help = "add a source or a tool provider to the `Registration`";
        ("it starts and offers no source and no tools", help)
    })?;
    for (kind, count) in [("source", sources), ("tools", tools)] {
        let is_named = probe.manifest().kinds.iter().any(|own| own == kind);
        ensure(count == 0 || is_named, || {
            let reason = format!("it offers a kind that its manifest does not list: `{kind}`");
            (reason, "add it to `kinds` in `export_plugin!`")
        })?;
    }
    for (name, root) in &life.shape.sources {
        ensure(is_line(name) && is_line(root), || {
            let reason = format!("a source has the name {name:?} and the root {root:?}");
            (reason, "use one line of text for both: users see them next to each skill")
        })?;
    }
    Ok(vec![format!(
        "it offers {} and {}",
        counted(sources, "source"),
        counted(tools, "tool provider")
    )])
}

fn is_line(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= 4096 && !text.contains(char::is_control)
}

fn start_failed(probe: &Probe, error: &AbiError) -> NotPassed {
    if is_panic(error) {
        return panicked("`init`", error);
    }
    let help = match &*probe.config {
        "" => "give it a configuration: `--with JSON`, or its settings in `--config FILE`",
        _ => "fix the configuration of the check",
    };
    failed(format!("it refuses to start: {}", error.message), help)
}

pub(super) fn refuses_bad_configurations(probe: &Probe) -> RuleResult {
    let schema = probe.manifest().config_schema.clone().unwrap_or(Value::Bool(true));
    // An earlier start, successful or not, must not change which configurations are accepted.
    drop(probe.start_with(&probe.config));
    let mut refused = 0;
    for (what, text, must_be_refused) in bad_configurations(&schema) {
        probe.step(format!("`init` with {what}"));
        match probe.start_with(&text) {
            Ok(_) if must_be_refused => {
                let help = "read the configuration into a type with `deny_unknown_fields`, or fix \
                            `config_schema`";
                return Err(failed(format!("it accepts {what} as its configuration"), help));
            }
            Ok(_) => {}
            Err(error) if is_panic(&error) => {
                return Err(panicked(&format!("`init` with {what}"), &error));
            }
            Err(error) if error.message.trim().is_empty() => {
                let reason = format!("it refuses {what} without a message");
                return Err(failed(reason, "name the invalid field and its expected value"));
            }
            Err(_) => refused += 1,
        }
    }
    Ok(vec![format!("it refuses {}", counted(refused, "invalid configuration"))])
}

/// Returns invalid configurations: the description, the text, and whether the schema forbids it.
fn bad_configurations(schema: &Value) -> Vec<(String, String, bool)> {
    let wants_object = schema["type"] == "object";
    let is_closed = wants_object && schema["additionalProperties"] == false;
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let unknown = json!({ "prowess-check": "x".repeat(1 << 20) });
    let mut bad = vec![
        ("invalid JSON".to_owned(), "{\"".to_owned(), true),
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

/// Returns a value that the schema forbids, for simple schemas.
pub(super) fn wrong_value(schema: &Value) -> Option<Value> {
    match schema["type"].as_str()? {
        "string" => Some(json!([7])),
        "object" | "array" | "integer" | "number" | "boolean" => Some(json!("wrong")),
        _ => None,
    }
}

/// Creates an instance that must start.
pub(super) fn start_again(
    probe: &Probe,
    what: &str,
) -> Result<std::sync::Arc<crate::check::probe::Life>, NotPassed> {
    probe.start_with(&probe.config).map_err(|error| call_failed(what, &error))
}
