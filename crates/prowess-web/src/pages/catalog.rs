//! The catalog, one skill, and the decisions about it.

use serde_json::Value;

use super::changes::{Part, write_parts};
use super::parts::{
    NAME_BYTES, ROW_BYTES, facts, lines, list, more, number, part, plain, rows, target, text,
};
use super::{Sheet, decide};
use crate::View;
use crate::form::{Form, encoded};
use crate::html::{Html, clipped};

/// The fields of a frontmatter that say what a skill may do.
const SURFACE: [&str; 4] = ["allowed-tools", "hooks", "compatibility", "metadata"];

pub(super) fn all(query: &Form) -> View<'_> {
    let from = query.number("from").unwrap_or_default();
    let (text, layer) = (query.get("q"), query.get("layer"));
    View::Catalog { text, layer, hidden: query.get("hidden") == "1", from }
}

pub(super) fn reasons(query: &Form) -> View<'_> {
    View::Explanation(query.get("id"))
}

pub(super) fn write_all(html: &mut Html, sheet: &Sheet<'_>) {
    let (query, is_hidden) = (sheet.query.get("q"), sheet.query.get("hidden") == "1");
    search(html, query, is_hidden);
    let from: u64 = sheet.query.number("from").unwrap_or_default();
    let value = &sheet.shown.value;
    let all: Vec<_> = list(value, "skills").iter().chain(list(value, "shadowed")).collect();
    let written = rows(html, &all, |html, skill| row(html, skill));
    if all.is_empty() {
        html.line("p", "No such skills.");
    }
    let is_cut = written < all.len();
    let next = if is_cut { Some(from.saturating_add(written as u64)) } else { sheet.shown.next };
    if let Some(next) = next {
        let hidden = if is_hidden { "&hidden=1" } else { "" };
        let layer = encoded(sheet.query.get("layer"));
        let target = format!("/skills?q={}{hidden}&layer={layer}&from={next}", encoded(query));
        more(html, &target, "Further skills");
    }
}

fn search(html: &mut Html, query: &str, is_hidden: bool) {
    html.element("form", &[("action", "/skills"), ("role", "search")], |html| {
        html.element("label", &[("for", "q")], |html| html.text("Part of a name or description"));
        let query = clipped(query, ROW_BYTES);
        html.empty("input", &[("id", "q"), ("name", "q"), ("type", "search"), ("value", &query)]);
        html.element("label", &[], |html| {
            let is_checked: &[_] =
                &[("type", "checkbox"), ("name", "hidden"), ("value", "1"), ("checked", "checked")];
            html.empty("input", if is_hidden { is_checked } else { &is_checked[..3] });
            html.text(" only those that are not offered");
        });
        html.element("button", &[], |html| html.text("Search"));
    });
}

/// Adds a skill in a list.
pub(super) fn row(html: &mut Html, skill: &Value) {
    let id = text(skill, "id");
    let is_shadowed = text(skill, "state") == "shadowed";
    // The id of a shadowed skill is that of another one.
    let (path, of) =
        if is_shadowed { ("/explain", text(skill, "location")) } else { ("/skill", id) };
    html.classed("span", "state", text(skill, "state"));
    html.text(" ");
    html.link(&target(path, "id", of), &clipped(id, NAME_BYTES));
    html.line("p", &clipped(text(skill, "description"), ROW_BYTES));
    let reason = text(skill, "reason");
    if !reason.is_empty() {
        html.classed("p", "note", &clipped(reason, ROW_BYTES));
    }
    let of = format!("{} layer, {}", text(skill, "layer"), text(skill, "trust"));
    html.classed("p", "note", &clipped(&of, NAME_BYTES));
}

pub(super) fn write(html: &mut Html, sheet: &Sheet<'_>) {
    let value = &sheet.shown.value;
    let record = &value["record"];
    let id = text(record, "id");
    html.element("p", &[], |html| {
        html.line("strong", &clipped(id, NAME_BYTES));
        html.text(" ");
        html.link(&target("/explain", "id", id), "Why it is offered or not");
        html.text(" ");
        let location = text(record, "location");
        let directory = location.rsplit_once('/').map_or(location, |(directory, _)| directory);
        html.link(&target("/health", "under", directory), "Findings");
        html.text(" ");
        html.link(&target("/history", "id", id), "History");
    });
    html.line("p", &clipped(text(record, "description"), 2 * ROW_BYTES));
    let names = ["state", "reason", "location", "layer", "trust", "version", "tokens"];
    let of_record = names.map(|name| (name, plain(&record[name])));
    let digests = [("package", "package"), ("instructions", "digest")];
    let digests = digests.map(|(name, key)| (name, plain(&value[key])));
    facts(html, of_record.into_iter().chain(digests));
    let property = |name| Part::plain(name, plain(&value["properties"][name]));
    let mut parts = Vec::from(SURFACE.map(property));
    let surface = match text(value, "surface_unknown") {
        "" => lines(list(value, "surface")),
        reason => format!("Not known: {reason}"),
    };
    parts.push(Part::plain("surface", surface));
    let file = |file| format!("{} ({} bytes)\n", text(file, "path"), number(file, "bytes"));
    let mut files: String = list(value, "resources").iter().map(file).collect();
    if value["is_complete"] == false {
        files += "and more\n";
    }
    parts.extend([Part::plain("Files", files), Part::plain("Instructions", text(value, "body"))]);
    let review = &value["review"];
    let whole = Part::plain("Each file, which an agent has written", text(review, "diff"));
    parts.push(Part { is_diff: true, ..whole });
    let next = format!("{}&from=", target("/skill", "id", id));
    if write_parts(html, &parts, sheet.from(), &next) && review.is_object() {
        let choices = [("trust", "I have read it: offer it")];
        decide::write_form(html, "/skill", (id, review), &choices, sheet.token);
    }
}

pub(super) fn write_reasons(html: &mut Html, sheet: &Sheet<'_>) {
    let value = &sheet.shown.value;
    html.element("p", &[], |html| {
        html.line("strong", &clipped(text(value, "query"), ROW_BYTES));
        html.text(&format!(", {} tokens in each model call", number(value, "tokens")));
    });
    let (all, path) = (list(value, "decisions"), target("/explain", "id", text(value, "query")));
    let texts = ["Further decisions", "Nothing was decided."];
    part(html, (&path, sheet.from()), all, texts, |html, decision| {
        let heading = format!("{}: {}", text(decision, "step"), text(decision, "outcome"));
        html.classed("span", "state", &heading);
        html.line("p", &clipped(text(decision, "reason"), 4 * ROW_BYTES));
    });
}
