//! The tools of a plugin, and their results.

use std::collections::BTreeSet;

use prowess_core::Cancel;
use prowess_plugin_abi::{AbiError, text};
use serde_json::{Map, Value, json};

use super::init::wrong_value;
use crate::adapter::{ToolDescription, check_result, parse_tools};
use crate::check::probe::{
    GRACE, Life, NotPassed, Probe, RuleResult, call_failed, ensure, ensure_not_found, failed,
    is_panic, panicked, same_from_all_threads, within_grace,
};
use crate::instance::into_result;
use prowess_text::counted;

/// The maximum length of a name for all model vendors.
const MAX_NAME: usize = 64;

/// Returns all tools with the position of their provider.
fn offered(life: &Life) -> Result<Vec<(usize, ToolDescription)>, NotPassed> {
    let mut tools = Vec::new();
    for (provider, text) in life.shape.tools.iter().enumerate() {
        let described = parse_tools(text).map_err(|fault| {
            failed(format!("it {fault}"), "return a list of `{name, description, input_schema}`")
        })?;
        tools.extend(described.into_iter().map(|tool| (provider, tool)));
    }
    Ok(tools)
}

pub(super) fn described(probe: &Probe) -> RuleResult {
    let life = probe.tools()?;
    let tools = offered(&life)?;
    let mut names = BTreeSet::new();
    for (_, tool) in &tools {
        ensure(names.insert(&tool.name), || {
            (format!("it offers two tools `{}`", tool.name), "use unique names in all providers")
        })?;
        check_description(tool)?;
        for schema in [Some(&tool.input_schema), tool.accepts.as_ref()].into_iter().flatten() {
            check_schema(probe, tool, schema)?;
        }
    }
    probe.step("a second request for the tools");
    for (provider, text) in life.tools().iter().zip(&life.shape.tools) {
        let again =
            into_result(provider.tools()).map_err(|error| call_failed("`tools`", &error))?;
        ensure(text::checked(again.as_rstr()) == Ok(text), || {
            let help = "return the same tools each time; only a new instance may have others";
            ("a second request returns other tools", help)
        })?;
    }
    Ok(vec![format!("it offers {}", counted(tools.len(), "tool"))])
}

fn check_description(tool: &ToolDescription) -> Result<(), NotPassed> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let name = &tool.name;
    let is_name = !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_allowed);
    ensure(is_name, || {
        let help = "use letters, digits, `_`, `-` and `.`, at most 64 of them";
        (format!("a tool has the name {name:?}"), help)
    })?;
    ensure(!tool.description.trim().is_empty(), || {
        let help = "describe what it does and when to use it: a model sees nothing else";
        (format!("the tool `{name}` has no description"), help)
    })
}

fn check_schema(probe: &Probe, tool: &ToolDescription, schema: &Value) -> Result<(), NotPassed> {
    let name = &tool.name;
    ensure(schema["type"] == "object", || {
        let reason = format!("the schema of `{name}` does not describe an object");
        (reason, "start it with `{\"type\": \"object\", \"properties\": {…}}`")
    })?;
    (probe.judges.schema)(schema).map_err(|fault| {
        let reason = format!("the schema of `{name}` {fault}");
        failed(reason, "use a JSON Schema that this program can check")
    })
}

/// Calls a tool, and returns its result as JSON.
fn call(
    life: &Life,
    at: usize,
    cancel: Option<&Cancel>,
    name: &str,
    arguments: &str,
) -> Result<String, AbiError> {
    let tools = &life.tools()[at];
    let answer = life.call(cancel, |ctx| tools.call(ctx, name.into(), arguments.into()));
    // Invalid UTF-8 is reported by the caller as invalid JSON.
    into_result(answer)
        .map(|answer| text::checked_string(answer).unwrap_or_else(|_| "(not UTF-8)".into()))
}

fn unknown(probe: &Probe, life: &Life) -> Result<(), NotPassed> {
    for at in 0..life.tools().len() {
        let what = "a call of an unknown tool";
        probe.step(what);
        let answer = call(life, at, None, "prowess-check", "{}");
        ensure_not_found(what, answer, "return \"not found\"")?;
    }
    Ok(())
}

/// Returns arguments that no host accepts. The checks never call a tool with valid arguments, since
/// the effect is unknown.
fn bad_arguments_of(tool: &ToolDescription) -> Vec<String> {
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
        bad.push(json!({ "prowess-check": "x".repeat(1 << 20) }).to_string());
    }
    bad
}

pub(super) fn bad_arguments(probe: &Probe) -> RuleResult {
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
                Ok(text) => check_result(&text).map_err(|fault| {
                    let help = "return `{is_error, code, content, structured}`";
                    failed(format!("{what} returns an invalid result: {fault}"), help)
                })?,
            }
        }
    }
    Ok(vec![format!("{} with invalid arguments", counted(calls, "call"))])
}

/// The maximum length of the arguments of a repeated call.
const MAX_ARGUMENTS: usize = 4 << 10;

/// A tool by the index of its provider and its name, and arguments for it.
type Call = (usize, String, String);

/// Returns a call of each tool with each of its short invalid arguments.
fn short_calls(life: &Life) -> Result<Vec<Call>, NotPassed> {
    let calls = offered(life)?.into_iter().flat_map(|(at, tool)| {
        let short = bad_arguments_of(&tool).into_iter().filter(|text| text.len() <= MAX_ARGUMENTS);
        short.map(move |arguments| (at, tool.name.clone(), arguments)).collect::<Vec<_>>()
    });
    Ok(calls.collect())
}

/// Makes the calls, and returns their results.
fn answers(life: &Life, calls: &[Call]) -> Vec<Result<String, u32>> {
    let answer = |(at, name, arguments): &Call| {
        call(life, *at, None, name, arguments).map_err(|error| error.code)
    };
    calls.iter().map(answer).collect()
}

/// Checks that concurrent calls from several threads have the same results as those from one.
pub(super) fn threads(probe: &Probe) -> Result<(), NotPassed> {
    let life = probe.tools()?;
    probe.step("calls of its tools");
    let calls = short_calls(&life)?;
    let expected = answers(&life, &calls);
    let is_same = || answers(&life, &calls) == expected;
    same_from_all_threads(probe.holds_concurrently("call its tools", is_same))
}

pub(super) fn deadline(probe: &Probe) -> RuleResult {
    let life = probe.tools()?;
    for (at, tool) in offered(&life)? {
        let arguments = bad_arguments_of(&tool).pop().unwrap_or_default();
        let what = format!("a cancelled call of `{}`", tool.name);
        probe.step(&*what);
        let called = life.clone();
        let name = tool.name.clone();
        let cancel = Cancel::default();
        cancel.cancel();
        let answer = within_grace(move || call(&called, at, Some(&cancel), &name, &arguments));
        match answer {
            None => {
                let reason = format!("{what} takes longer than {} s", GRACE.as_secs());
                let help = "check the context's `cancel` while the tool works or waits";
                return Err(failed(reason, help));
            }
            Some(Err(error)) if is_panic(&error) => return Err(panicked(&what, &error)),
            Some(_) => {}
        }
    }
    Ok(Vec::new())
}
