//! Entries as sentences.

use prowess_core::Actor;
use prowess_text::{counted, quoted};
use serde_json::Value;

/// Returns an entry as a sentence without a full stop.
pub(super) fn sentence(entry: &Value) -> String {
    let text = |key: &str| entry[key].as_str().unwrap_or_default();
    let number = |key: &str| entry[key].as_u64().unwrap_or_default();
    match text("event") {
        "skill_activated" => format!("loaded {}{}", text("skill_name"), rules(entry)),
        "skill_deactivated" => {
            let seconds = entry["duration_seconds"].as_f64().unwrap_or_default();
            let cause = text("cause").replace('_', " ");
            format!("{} ended after {} s ({cause})", text("skill_name"), seconds.max(0.0))
        }
        "skill_refreshed" => {
            let is_kept = entry.get("declared_tools").is_some();
            let kept =
                if is_kept { ", which allows other tools once it is loaded again" } else { "" };
            format!("{} was replaced by its current content{kept}", text("skill_name"))
        }
        "session_resumed" => format!("resumed with {} still loaded", loaded(entry)),
        "skill_shadowed" => format!(
            "{} of layer {} is not used: layer {} has the same id",
            text("skill_name"),
            entry["shadowed"]["layer"].as_str().unwrap_or_default(),
            entry["used"]["layer"].as_str().unwrap_or_default(),
        ),
        "catalog_reloaded" => format!(
            "reload ({}): {}, {} added, {} changed, {} removed",
            text("cause"),
            counted(number("skills"), "skill"),
            number("added"),
            number("changed"),
            number("removed"),
        ),
        "approval" => {
            let by = entry["by"].as_str().map(|by| match text("action") {
                "spent" => format!(", as {by} has granted"),
                _ => format!(" by {by}"),
            });
            let [id, action, tool] = [text("approval_id"), text("action"), text("tool_name")];
            format!("approval {id} {action}{}: {tool}", by.unwrap_or_default())
        }
        "review" => {
            let [skill, step] = [text("skill_name"), text("step")];
            let by = serde_json::from_value(entry["by"].clone());
            let by = by.map_or_else(|_| "?".to_owned(), |by: Actor| by.to_string());
            let what = match entry["proposal"].as_str() {
                Some(proposal) => format!("proposal {proposal} for {skill}"),
                None => skill.to_owned(),
            };
            let reason = entry["reason"].as_str().map(|reason| format!(": {reason}"));
            let reason = reason.unwrap_or_default();
            format!("{what} {} by {by}{reason}", step.replace('_', " "))
        }
        "trust" => {
            let action = text("action").replace('_', " ");
            format!("trust in {} {action} by {}", quoted(text("name")), text("by"))
        }
        "plugin" => {
            let error = entry["error"].as_str().map(|error| format!(": {error}"));
            format!("plugin {} {}{}", text("plugin"), text("action"), error.unwrap_or_default())
        }
        "tool_call_intended" => format!("call of {}", call(entry)),
        "tool_restriction_violated" => format!("DENIED {}: {}", call(entry), text("error")),
        "tool_call_refused" if entry["decision"]["verdict"] == "asked" => {
            format!("{} waits for approval{}", call(entry), approval(entry))
        }
        "tool_call_refused" => format!("refused {}: {}", call(entry), text("code")),
        "tool_execution" | "tool_execution_in_skill" => format!("{}{}", call(entry), ending(entry)),
        "script_host_refused" => {
            let [host, code] = [text("host"), text("code")];
            format!("refused {host} to a script of {}: {code}", text("skill_name"))
        }
        "log_repaired" => {
            let removed = counted(number("removed_bytes"), "byte");
            format!("removed {removed} of an unfinished entry")
        }
        "log_replaced" => format!("the log before was moved or removed; its end: {}", text("head")),
        "entries_lost" => format!("{} could not be written", counted(number("count"), "entry")),
        other => other.to_owned(),
    }
}

/// Returns the skills that were loaded when a session was resumed, with their activations.
fn loaded(entry: &Value) -> String {
    let skills = entry["loaded"].as_array().into_iter().flatten().map(|skill| {
        let text = |key: &str| skill[key].as_str().unwrap_or_default();
        format!("{} (since {})", text("skill_name"), text("activated"))
    });
    skills.collect::<Vec<_>>().join(", ")
}

fn rules(entry: &Value) -> String {
    let Some(rules) = entry["allowed_tools"].as_array() else { return String::new() };
    let rules: Vec<_> = rules.iter().filter_map(Value::as_str).collect();
    let listed = if rules.is_empty() { "of no tool".to_owned() } else { rules.join(", ") };
    format!(" with allowed-tools {listed}")
}

/// Returns the tool of a call with the skills and the file that it named.
fn call(entry: &Value) -> String {
    let skills = entry["skills"].as_array().into_iter().flatten();
    let typed = skills.filter_map(|skill| skill["typed"].as_str());
    let mut words = vec![entry["tool_name"].as_str().unwrap_or_default()];
    words.extend(typed);
    words.extend(entry["resource"].as_str());
    let mut text = words.join(" ");
    if let Some(skill) = entry["skill_name"].as_str() {
        text = format!("{text} in {skill}");
    }
    text
}

fn ending(entry: &Value) -> String {
    let milliseconds = entry["duration_ms"].as_u64().unwrap_or_default();
    match entry["code"].as_str() {
        Some(code) => {
            let error = entry["error"].as_str().map(|error| format!(": {error}"));
            let error = error.unwrap_or_default();
            format!(": failed with {code} after {milliseconds} ms{error}")
        }
        None => {
            let id = approval(entry);
            let by = if id.is_empty() { "" } else { ", with approval" };
            let refused = entry["error"].as_str().map(|files| format!(", refused {files}"));
            format!(": done in {milliseconds} ms{by}{id}{}", refused.unwrap_or_default())
        }
    }
}

/// Returns the id of the approval that a call needed, behind a blank.
fn approval(entry: &Value) -> String {
    entry["decision"]["approval"].as_str().map_or_else(String::new, |id| format!(" {id}"))
}
