//! The state of the setup: findings, trust, quarantine.

use prowess_text::shell_word;
use serde_json::Value;

use super::parts::{
    NAME_BYTES, ROW_BYTES, facts, list, more, part, plain, rows, target, text, trusted,
};
use super::{Sheet, decide};
use crate::html::{Html, clipped};

pub(super) fn write(html: &mut Html, sheet: &Sheet<'_>) {
    let value = &sheet.shown.value;
    let names = ["skills", "errors", "warnings", "hints"];
    let roots = list(value, "authoring");
    let authors = ["errors", "warnings"].map(|name| {
        let count: u64 = roots.iter().filter_map(|root| root[name].as_u64()).sum();
        let heading = if name == "errors" { "errors for authors" } else { "warnings for authors" };
        (heading, count.to_string())
    });
    let found = names.map(|name| (name, plain(&value["summary"][name])));
    let under = sheet.query.get("under");
    if under.is_empty() {
        facts(html, found.into_iter().chain(authors));
    } else {
        let directory = clipped(&shell_word(under), 2 * ROW_BYTES);
        let note = format!("`prowess validate {directory}` has the warnings, too.");
        html.classed("p", "note", &note);
    }
    html.line("h2", "Findings");
    let from = sheet.from();
    // Faults that keep no skill from being loaded, such as a stale dependency, are behind the rest.
    let all = list(value, "diagnostics").iter().chain(of_authors(value));
    let all: Vec<_> = all.filter(|found| text(found, "path").starts_with(under)).collect();
    let written = rows(html, all.iter().skip(from).copied(), finding);
    if all.is_empty() {
        html.line("p", "No findings.");
    }
    let next = from.saturating_add(written);
    if next < all.len() {
        let target = format!("{}&from={next}", target("/health", "under", under));
        return more(html, &target, "Further findings");
    }
    html.line("h2", "Roots");
    let roots = list(value, "roots").iter().filter(|root| root["exists"] == true);
    rows(html, roots, |html, root| {
        html.line("code", &clipped(text(root, "root"), ROW_BYTES));
        let [layer, trust, changes] = ["layer", "trust", "changes"].map(|key| text(root, key));
        let skills = plain(&root["skills"]);
        let note = format!("{layer} layer, {trust}, {skills} skills, {changes}");
        html.classed("p", "note", &clipped(&note, ROW_BYTES));
    });
}

/// Returns the findings of `doctor` for the authors of skills.
pub(super) fn of_authors(value: &Value) -> Vec<&Value> {
    list(value, "authoring").iter().flat_map(|root| list(root, "diagnostics")).collect()
}

/// Adds a finding.
pub(super) fn finding(html: &mut Html, found: &Value) {
    html.classed("span", "state", text(found, "severity"));
    html.text(" ");
    html.line("code", &clipped(text(found, "code"), NAME_BYTES));
    html.line("p", &clipped(text(found, "message"), 2 * ROW_BYTES));
    let place = [text(found, "path").to_owned(), plain(&found["line"]), plain(&found["column"])];
    let place: Vec<_> = place.into_iter().filter(|part| !part.is_empty()).collect();
    html.classed("p", "note", &clipped(&place.join(":"), ROW_BYTES));
    html.classed("p", "note", &clipped(text(found, "help"), 2 * ROW_BYTES));
}

/// Adds an artifact in quarantine.
pub(super) fn quarantined(html: &mut Html, line: &Value) {
    html.line("strong", &clipped(text(line, "id"), NAME_BYTES));
    let detail = text(line, "detail");
    html.line("p", &clipped(detail, 2 * ROW_BYTES));
    // Its first word is the digest.
    let digest = shell_word(detail.split(' ').next().unwrap_or_default());
    let release = format!("prowess sync --release {digest} NEW-FILE");
    html.line("code", &clipped(&release, 2 * ROW_BYTES));
}

pub(super) fn write_quarantine(html: &mut Html, sheet: &Sheet<'_>) {
    html.line("p", "Fetched, and not what the lock file has.");
    let all = list(&sheet.shown.value, "skills");
    let texts = ["Further artifacts", "Nothing is in quarantine."];
    part(html, ("/quarantine", sheet.from()), all, texts, quarantined);
}

pub(super) fn write_trust(html: &mut Html, sheet: &Sheet<'_>) {
    let all = trusted(&sheet.shown.value);
    let texts = ["Further trust", "You trust no directory, source, signer or skill of an agent."];
    part(html, ("/trust", sheet.from()), &all, texts, |html, (name, entry)| {
        html.line("code", &clipped(name, ROW_BYTES));
        let note = ["since", "state", "sources", "signers"].map(|key| text(entry, key));
        html.classed("p", "note", &clipped(&format!("since {}", note.join(" ")), ROW_BYTES));
        let choices = [("distrust", "Revoke trust")];
        decide::write_form(html, "/trust", (name, entry), &choices, sheet.token);
    });
}
