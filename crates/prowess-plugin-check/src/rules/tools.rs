//! The tools of a provider and their answers.

use std::collections::BTreeSet;

use prowess_core::Cancel;
use prowess_plugin_abi::{AbiError, codes, text};
use serde_json::{Map, Value, json};

use super::init::wrong_value;
use super::rounds::{THREADS, hold_at_once};
use crate::probe::{
    Broken, Checked, Life, Probe, SOON, broken, is_panic, panicked, soon, unanswered,
};
use prowess_plugin_host::kit::{Described, described as read_described, is_answer, plain};

/// The longest name that every model's vendor takes.
const MOST_NAME: usize = 64;

/// The tools of each provider, by the provider's place.
fn offered(life: &Life) -> Result<Vec<(usize, Described)>, Broken> {
    let mut tools = Vec::new();
    for (at, text) in life.shape.tools.iter().enumerate() {
        let described = read_described(text).map_err(|fault| {
            broken(format!("it {fault}"), "give a list of `{name, description, input_schema}`")
        })?;
        tools.extend(described.into_iter().map(|tool| (at, tool)));
    }
    Ok(tools)
}

pub(super) fn described(probe: &Probe) -> Checked {
    let life = probe.tools()?;
    let tools = offered(&life)?;
    let mut names = BTreeSet::new();
    for (_, tool) in &tools {
        if !names.insert(&tool.name) {
            let reason = format!("it offers two tools `{}`", tool.name);
            return Err(broken(reason, "give each a name of its own, in all providers"));
        }
        describes_itself(tool)?;
        for schema in [Some(&tool.input_schema), tool.accepts.as_ref()].into_iter().flatten() {
            has_schema(probe, tool, schema)?;
        }
    }
    probe.step("a second look at the tools");
    for (provider, text) in life.tools().iter().zip(&life.shape.tools) {
        let again = plain(provider.tools()).map_err(|error| unanswered("`tools`", &error))?;
        if text::checked(again.as_rstr()) != Ok(text) {
            let help = "give the same tools each time; a new set comes with a new instance";
            return Err(broken("asked again, it offers other tools", help));
        }
    }
    Ok(vec![format!("it offers {} tools", tools.len())])
}

fn describes_itself(tool: &Described) -> Result<(), Broken> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let name = &tool.name;
    let is_name = !name.is_empty() && name.len() <= MOST_NAME && name.chars().all(is_plain);
    if !is_name {
        let help = "use letters, digits, `_`, `-` and `.`, at most 64 of them";
        return Err(broken(format!("a tool has the name {name:?}"), help));
    }
    if tool.description.trim().is_empty() {
        let help = "say what it does and when to use it: that is all that a model sees";
        return Err(broken(format!("the tool `{name}` has no description"), help));
    }
    Ok(())
}

fn has_schema(probe: &Probe, tool: &Described, schema: &Value) -> Result<(), Broken> {
    let name = &tool.name;
    if schema["type"] != "object" {
        let reason = format!("the schema of `{name}` is not one of objects");
        return Err(broken(reason, "begin it with `{\"type\": \"object\", \"properties\": {…}}`"));
    }
    (probe.judges.schema)(schema).map_err(|fault| {
        let reason = format!("the schema of `{name}` is no JSON Schema: {fault}");
        broken(reason, "fix the schema that the tool's definition has")
    })
}

/// Calls a tool; what comes back is a result or an error.
fn call(
    life: &Life,
    at: usize,
    cancel: Option<&Cancel>,
    name: &str,
    arguments: &str,
) -> Result<String, AbiError> {
    let tools = &life.tools()[at];
    let answer = life.call(cancel, |ctx| tools.call(ctx, name.into(), arguments.into()));
    // Bytes that are not UTF-8 are not JSON either, so the reader of the answer reports them.
    plain(answer)
        .map(|answer| text::checked_string(answer).unwrap_or_else(|_| "(not UTF-8)".into()))
}

fn unknown(probe: &Probe, life: &Life) -> Result<(), Broken> {
    for at in 0..life.tools().len() {
        probe.step("a call of an unknown tool");
        let help = "answer with \"not found\"";
        match call(life, at, None, "prowess-plugin-check", "{}") {
            Err(error) if error.code == codes::NOT_FOUND => {}
            Err(error) if is_panic(&error) => {
                return Err(panicked("a call of an unknown tool", &error));
            }
            Err(error) => {
                let reason = format!("an unknown tool gives another error: {}", error.message);
                return Err(broken(reason, help));
            }
            Ok(_) => return Err(broken("a call of an unknown tool succeeds", help)),
        }
    }
    Ok(())
}

/// Arguments that no host lets through. A tool is never called with arguments that fit its schema,
/// since the effect is unknown.
fn bad_arguments_of(tool: &Described) -> Vec<String> {
    let mut bad: Vec<String> =
        ["", "{", "null", "[]", "\"text\"", "1e999", "{\"\\ud800\":1}"].map(str::to_owned).into();
    let schema = tool.accepts.as_ref().unwrap_or(&tool.input_schema);
    if schema["required"].as_array().is_some_and(|required| !required.is_empty()) {
        bad.push("{}".to_owned());
    }
    let fields = schema["properties"].as_object();
    for (name, field) in fields.into_iter().flatten().take(20) {
        if let Some(wrong) = wrong_value(field) {
            bad.push(Value::Object(Map::from_iter([(name.clone(), wrong)])).to_string());
        }
    }
    if schema["additionalProperties"] == false {
        bad.push(json!({ "prowess-plugin-check": "x".repeat(1 << 20) }).to_string());
    }
    bad
}

pub(super) fn bad_arguments(probe: &Probe) -> Checked {
    let life = probe.tools()?;
    unknown(probe, &life)?;
    let mut calls = 0;
    for (at, tool) in offered(&life)? {
        for arguments in bad_arguments_of(&tool) {
            let shown: String = arguments.chars().take(60).collect();
            let what = format!("a call of `{}` with `{shown}`", tool.name);
            probe.step(&*what);
            calls += 1;
            match call(&life, at, None, &tool.name, &arguments) {
                Err(error) if is_panic(&error) => return Err(panicked(&what, &error)),
                Err(_) => {}
                Ok(text) => is_answer(&text).map_err(|fault| {
                    let help = "answer with `{is_error, code, content, structured}`";
                    broken(format!("{what} is answered with what is no result: {fault}"), help)
                })?,
            }
        }
    }
    Ok(vec![format!("{calls} calls with arguments that do not fit")])
}

/// The longest arguments of a call that is made many times.
const MOST_ARGUMENTS: usize = 4 << 10;

/// Returns the answers to calls that no schema allows, as a host would never make them.
fn answers(life: &Life) -> Result<Vec<Result<String, u32>>, Broken> {
    let calls = offered(life)?.into_iter().flat_map(|(at, tool)| {
        let short = bad_arguments_of(&tool).into_iter().filter(|text| text.len() <= MOST_ARGUMENTS);
        short.map(move |arguments| (at, tool.name.clone(), arguments)).collect::<Vec<_>>()
    });
    let answer = |(at, name, arguments): (usize, String, String)| {
        call(life, at, None, &name, &arguments).map_err(|error| error.code)
    };
    Ok(calls.map(answer).collect())
}

/// Whether calls from several threads at once are answered as those from one are.
pub(super) fn threads(probe: &Probe) -> Result<(), Broken> {
    let life = probe.tools()?;
    probe.step("calls of its tools");
    let alone = answers(&life)?;
    let is_same = || answers(&life).is_ok_and(|answers| answers == alone);
    if hold_at_once(probe, "call its tools", is_same) {
        return Ok(());
    }
    let reason = format!("{THREADS} threads at once get other answers than one alone");
    let help =
        "keep what changes behind a lock: each method may be called from several threads at once";
    Err(broken(reason, help))
}

pub(super) fn deadline(probe: &Probe) -> Checked {
    let life = probe.tools()?;
    for (at, tool) in offered(&life)? {
        let arguments = bad_arguments_of(&tool).pop().unwrap_or_default();
        let what = format!("a cancelled call of `{}`", tool.name);
        probe.step(&*what);
        let called = life.clone();
        let name = tool.name.clone();
        let cancel = Cancel::default();
        cancel.cancel();
        let answer = soon(move || call(&called, at, Some(&cancel), &name, &arguments));
        match answer {
            None => {
                let help = "look at the context's `cancel` while the tool works or waits";
                return Err(broken(format!("{what} goes on for {} s", SOON.as_secs()), help));
            }
            Some(Err(error)) if is_panic(&error) => return Err(panicked(&what, &error)),
            Some(_) => {}
        }
    }
    Ok(Vec::new())
}
