//! The decisions that wait for the operator.

use serde_json::{Map, Value, json};

use super::parts::{list, rows, text, write_refusal};
use super::{Sheet, approvals, health, proposals};
use crate::form::Form;
use crate::html::Html;
use crate::{Desk, Refusal, RefusalKind, Shown, View};

/// A part of the page: its key, heading, whose page has all of it, and what is written if it is
/// empty.
const PARTS: [(&str, &str, &str, &str); 4] = [
    ("approvals", "Calls that need your approval", "/approvals", "No tool call waits."),
    ("proposals", "Changes that wait for your review", "/proposals", "No proposal waits."),
    ("quarantine", "In quarantine", "/quarantine", "Nothing is in quarantine."),
    ("broken", "Broken, changed and hidden skills", "/health", "No errors."),
];

/// The warnings that a decision of a person ends.
const DECIDABLE: [&str; 3] = ["agent-skills-hidden", "package-changed", "project-not-trusted"];

/// The maximum number of rows of one part.
const MOST_ROWS: usize = 5;

/// Returns the values of the commands, each under its key. What cannot be read is an error in its
/// place, so that the rest can be decided on.
pub(super) fn value(desk: &dyn Desk, _: &Form) -> Result<Shown, Refusal> {
    let catalog = View::Catalog { text: "", hidden: true, from: 0 };
    let pending = [View::Approvals { all: false }, View::Proposals { all: false }];
    let views = pending.into_iter().chain([View::Quarantine, catalog]);
    let mut values = Map::new();
    for ((key, ..), view) in PARTS.into_iter().zip(views) {
        let value = match desk.view(&view) {
            Ok(shown) => shown.value,
            Err(Refusal { code, message, help, .. }) => {
                json!({ "error": { "code": code, "message": message, "help": help } })
            }
        };
        values.insert(key.to_owned(), value);
    }
    Ok(Shown { value: Value::Object(values), ..Shown::default() })
}

pub(super) fn write(html: &mut Html, sheet: &Sheet<'_>) {
    for (key, heading, path, empty) in PARTS {
        let value = &sheet.shown.value[key];
        html.line("h2", heading);
        if let Some(error) = value.get("error") {
            let [code, message, help] =
                ["code", "message", "help"].map(|key| text(error, key).to_owned());
            // A setting that is not made is no fault.
            if code == "proposals-unavailable" {
                html.classed("p", "note", &format!("{message}: {help}"));
                continue;
            }
            write_refusal(html, &Refusal { kind: RefusalKind::Failed, code, message, help });
            continue;
        }
        let (items, write): (Vec<_>, fn(&mut Html, &Value)) = match key {
            "approvals" => (list(value, "approvals").iter().collect(), approvals::row),
            "proposals" => (list(value, "proposals").iter().collect(), proposals::row),
            "quarantine" => (list(value, "skills").iter().collect(), health::quarantined),
            _ => {
                let waits = |it: &&Value| {
                    text(it, "severity") == "error" || DECIDABLE.contains(&text(it, "code"))
                };
                (list(value, "diagnostics").iter().filter(waits).collect(), health::finding)
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
