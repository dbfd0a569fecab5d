//! Calls that wait for a person, and what was decided.

use prowess_text::head_and_tail;
use serde_json::Value;

use super::changes::{Part, write_parts};
use super::parts::{NAME_BYTES, ROW_BYTES, decidable, facts, list, plain, target, text};
use super::{Sheet, decide};
use crate::View;
use crate::form::Form;
use crate::html::{Html, clipped};

pub(super) fn all(query: &Form) -> View<'_> {
    View::Approvals { all: query.get("all") == "1" }
}

pub(super) fn write_all(html: &mut Html, sheet: &Sheet<'_>) {
    let mut all: Vec<_> = list(&sheet.shown.value, "approvals").iter().collect();
    if sheet.query.get("all") == "1" {
        // The last ones first, as they are what was decided just now.
        all.reverse();
    }
    let others = ["Only pending ones", "All"];
    let texts = ["Further approvals", "No tool call waits for an approval."];
    decidable(html, sheet, ("/approvals", &all), (others, texts), row);
}

/// Adds a call in a list.
pub(super) fn row(html: &mut Html, entry: &Value) {
    html.classed("span", "state", text(entry, "state"));
    html.text(" ");
    let tool = clipped(text(entry, "tool"), NAME_BYTES);
    html.link(&target("/approval", "id", text(entry, "id")), &tool);
    html.element("p", &[], |html| {
        let preview = head_and_tail(text(entry, "preview"), ROW_BYTES);
        html.line("code", &clipped(&preview, 2 * ROW_BYTES));
    });
    let of = [("skill", "skill"), ("session", "session"), ("asked", "asked"), ("by", "by")];
    let of = of.map(|(key, word)| match text(entry, key) {
        "" => String::new(),
        value => format!("{word} {} ", clipped(value, NAME_BYTES)),
    });
    html.classed("p", "note", of.concat().trim());
}

/// Adds the form only behind the end of the arguments: no call is decided on that was not shown.
pub(super) fn write(html: &mut Html, sheet: &Sheet<'_>) {
    let entry = &sheet.shown.value["approval"];
    let names = [
        "state", "tool", "arguments", "skill", "package", "tenant", "session", "scope", "asked",
        "expires", "by", "id",
    ];
    facts(html, names.map(|name| (name, plain(&entry[name]))));
    let next = format!("{}&from=", target("/approval", "id", text(entry, "id")));
    // A run of blanks would move the end out of sight.
    let call = Part::plain("The call", head_and_tail(text(entry, "preview"), usize::MAX));
    if !write_parts(html, &[call], sheet.from(), &next) {
        html.line("p", "You can decide where the call ends.");
        return;
    }
    let choices: &[_] = match text(entry, "state") {
        "pending" => &[
            ("once", "Allow this call"),
            ("session", "Allow such calls in this session"),
            ("always", "Allow such calls in every session"),
            ("deny", "Refuse"),
        ],
        "granted" => &[("revoke", "Revoke")],
        _ => return,
    };
    decide::write_form(html, "/approval", (text(entry, "id"), entry), choices, sheet.token);
}
