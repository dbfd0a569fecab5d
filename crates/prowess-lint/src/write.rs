//! Writes findings in formats of other programs.

use prowess_core::{Diagnostic, Severity};
use serde_json::{Value, json};

use crate::report::Checked;

/// The schema that a SARIF log names.
const SARIF_SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The findings as one log of SARIF 2.1.0. Paths below `base` are relative to it, as code scanning
/// wants them; `version` is that of the program that the log names.
pub fn sarif(checked: &Checked, base: &str, version: &str) -> Value {
    let mut rules: Vec<(&str, Value)> = Vec::new();
    for found in checked.diagnostics() {
        let id = found.code.as_str();
        if !rules.iter().any(|(known, _)| *known == id) {
            rules.push((id, json!({"id": id, "help": {"text": found.help}})));
        }
    }
    rules.sort_by_key(|(id, _)| *id);
    let results: Vec<Value> =
        checked.diagnostics().map(|found| sarif_result(found, base)).collect();
    let rules: Vec<Value> = rules.into_iter().map(|(_, rule)| rule).collect();
    let driver = json!({"name": "prowess", "version": version, "rules": rules});
    let run = json!({
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": results,
    });
    json!({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})
}

fn sarif_result(found: &Diagnostic, base: &str) -> Value {
    let level = match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "note",
    };
    let mut result = json!({
        "ruleId": found.code,
        "level": level,
        "message": {"text": format!("{}\nhelp: {}", found.message, found.help)},
    });
    if let Some(path) = &found.path {
        let mut place = json!({"artifactLocation": {"uri": uri(relative(path, base))}});
        if let (Some(line), Some(column)) = (found.line, found.column) {
            place["region"] = json!({"startLine": line, "startColumn": column});
        }
        result["locations"] = json!([{"physicalLocation": place}]);
    }
    result
}

/// A path as a reference by RFC 3986: each byte that is none of its plain ones as `%XX`.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    let is_url = path.contains("://");
    for byte in path.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        match char::from(byte) {
            plain if is_plain || (is_url && plain == ':') => uri.push(plain),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Returns the findings as commands of a GitHub workflow, one on each line. Paths below `base` are
/// relative to it.
pub fn github(checked: &Checked, base: &str) -> String {
    checked.diagnostics().map(|found| annotation(found, base)).collect()
}

fn annotation(found: &Diagnostic, base: &str) -> String {
    let command = match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "notice",
    };
    let mut properties = Vec::new();
    if let Some(path) = &found.path {
        properties.push(format!("file={}", property(relative(path, base))));
    }
    if let (Some(line), Some(column)) = (found.line, found.column) {
        properties.push(format!("line={line},col={column}"));
    }
    properties.push(format!("title={}", property(found.code.as_str())));
    let message = data(&format!("{}\nhelp: {}", found.message, found.help));
    format!("::{command} {}::{message}\n", properties.join(","))
}

/// Escapes the text of a command, which a line end would end.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property, which `:` and `,` would end too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

fn relative<'p>(path: &'p str, base: &str) -> &'p str {
    let base = base.trim_end_matches('/');
    match path.strip_prefix(base).and_then(|rest| rest.strip_prefix('/')) {
        Some(rest) if !base.is_empty() && !rest.is_empty() => rest,
        _ => path,
    }
}
