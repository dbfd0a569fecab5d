//! The decisions that wait for the operator.

use serde_json::{Map, Value, json};

use super::parts::{list, rows, text, write_refusal};
use super::{Sheet, approvals, catalog, health, proposals};
use crate::html::Html;
use crate::{Desk, Refusal, RefusalKind, Shown, View};

/// A part of the page: its key, heading, whose page has all of it, and what is written if it is
/// empty.
const PARTS: [(&str, &str, &str, &str); 6] = [
    ("approvals", "Calls that need your approval", "/approvals", "No tool call waits."),
    ("proposals", "Changes that wait for your review", "/proposals", "No proposal waits."),
    ("written", "Skills of agents to review", "/skills?hidden=1&layer=agents", "None waits."),
    ("quarantine", "In quarantine", "/quarantine", "Nothing is in quarantine."),
    ("broken", "Broken, changed and hidden skills", "/health", "No errors."),
    ("health", "Invalid or stale for their authors", "/health", "Nothing is stale."),
];

/// The findings below an error that a person ends: by a decision, or by looking at a skill again.
const DECIDABLE: [&str; 5] =
    ["dependency-missing", "dependency-version", "package-changed", "project-not-trusted", STALE];
const STALE: &str = "skill-stale";

/// The maximum number of rows of one part.
const MOST_ROWS: usize = 5;

/// Returns the values of the commands, each under its key. What cannot be read is an error in its
/// place, so that the rest can be decided on.
pub(super) fn value(desk: &dyn Desk) -> Shown {
    let hidden = |layer| View::Catalog { text: "", hidden: true, layer, from: 0 };
    let pending = [View::Approvals { all: false }, View::Proposals { all: false }];
    let skills = [hidden("agents"), View::Quarantine, hidden(""), View::Health { last: true }];
    let mut values = Map::new();
    for ((key, ..), view) in PARTS.into_iter().zip(pending.into_iter().chain(skills)) {
        let value = match desk.view(&view) {
            Ok(shown) => shown.value,
            Err(Refusal { code, message, help, .. }) => {
                json!({ "error": { "code": code, "message": message, "help": help } })
            }
        };
        values.insert(key.to_owned(), value);
    }
    Shown { value: Value::Object(values), ..Shown::default() }
}

pub(super) fn write(html: &mut Html, sheet: &Sheet<'_>) {
    for (key, heading, path, empty) in PARTS {
        let value = &sheet.shown.value[key];
        html.line("h2", heading);
        if let Some(error) = value.get("error") {
            let [code, message, help] =
                ["code", "message", "help"].map(|key| text(error, key).to_owned());
            // A setting that is not made is no fault, and neither is a check that has begun.
            if ["proposals-unavailable", "setup-being-checked"].contains(&&*code) {
                html.classed("p", "note", &format!("{message}: {help}"));
                continue;
            }
            write_refusal(html, &Refusal { kind: RefusalKind::Failed, code, message, help });
            continue;
        }
        let (items, write): (Vec<_>, fn(&mut Html, &Value)) = match key {
            "approvals" => (list(value, "approvals").iter().collect(), approvals::row),
            "proposals" => (list(value, "proposals").iter().collect(), proposals::row),
            "written" => (list(value, "skills").iter().collect(), catalog::row),
            "quarantine" => (list(value, "skills").iter().collect(), health::quarantined),
            _ => {
                let waits = |it: &&Value| {
                    text(it, "severity") == "error" || DECIDABLE.contains(&text(it, "code"))
                };
                let found = match key {
                    "health" => health::of_authors(value),
                    _ => list(value, "diagnostics").iter().collect(),
                };
                (found.into_iter().filter(waits).collect(), health::finding)
            }
        };
        let written = rows(html, items.iter().take(MOST_ROWS), |html, item| write(html, item));
        match items.len() {
            0 => html.classed("p", "note", empty),
            count => html.element("p", &[("class", "more")], |html| {
                let all = if written < count { format!("All {count}") } else { "Open".to_owned() };
                html.link(path, &format!("{all}: {}", heading.to_lowercase()));
            }),
        }
    }
}
