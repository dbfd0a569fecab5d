//! Changes of skills that wait for a review.

use prowess_text::{head_and_tail, marked_lines, quoted};
use serde_json::Value;

use super::changes::{Part, moved, write_parts};
use super::parts::{NAME_BYTES, ROW_BYTES, decidable, facts, lines, list, plain, target, text};
use super::{Sheet, decide};
use crate::View;
use crate::form::Form;
use crate::html::{Html, clipped};

pub(super) fn all(query: &Form) -> View<'_> {
    View::Proposals { all: query.get("all") == "1" }
}

pub(super) fn write_all(html: &mut Html, sheet: &Sheet<'_>) {
    let all: Vec<_> = list(&sheet.shown.value, "proposals").iter().collect();
    let others = ["Only waiting ones", "The last decided ones, too"];
    let texts = ["Further proposals", "No proposal waits for a review."];
    decidable(html, sheet, ("/proposals", &all), (others, texts), row);
}

/// Adds a proposal in a list.
pub(super) fn row(html: &mut Html, entry: &Value) {
    let (state, name) = (text(entry, "state"), text(entry, "name"));
    html.classed("span", "state", state);
    html.text(" ");
    let skill = clipped(text(entry, "skill"), NAME_BYTES);
    html.link(&target("/proposal", "id", name), &skill);
    html.line("p", &clipped(&marked_lines(text(entry, "reason")), ROW_BYTES));
    let of = [words(&entry["by"]), text(entry, "at").to_owned(), name.to_owned()];
    let of = of.iter().filter(|part| !part.is_empty()).map(|part| clipped(part, NAME_BYTES));
    html.classed("p", "note", &of.collect::<Vec<_>>().join(", "));
}

/// Offers to accept only behind the end of the change and its reasons, so nothing is accepted that
/// was not shown. To reject needs no reading.
pub(super) fn write(html: &mut Html, sheet: &Sheet<'_>) {
    let entry = &sheet.shown.value["proposal"];
    let state = text(entry, "base_state");
    let note = match state {
        "same" => "The skill is as it was proposed for.",
        "moved" => "The skill has changed since; the change still fits.",
        "conflict" => "The skill has changed where the proposal changes it.",
        "refused" => "The change cannot be made:",
        "tampered" => "The file of the proposal was changed, so it can only be rejected:",
        "decided" => "It was decided on:",
        _ => "The skill is not here to compare with.",
    };
    let is_decided = state == "decided";
    html.classed("p", if state == "same" || is_decided { "note" } else { "refusal" }, note);
    if is_decided {
        html.element("ul", &[("class", "rows")], |html| {
            html.element("li", &[], |html| row(html, &entry["decision"]));
        });
    }
    let names = ["reason", "skill", "new_id", "proposer", "digest", "name"];
    let directory = ("directory", plain(&entry["package"]["path"]));
    let facts_of = names.map(|name| (name, words(&entry[name]))).into_iter().chain([directory]);
    facts(html, facts_of.map(|(name, value)| (name, head_and_tail(&value, usize::MAX))));
    if state != "tampered" {
        html.element("p", &[], |html| {
            // A skill of another project may have the id of one that is here.
            let id = entry["package"]["path"].as_str().unwrap_or_else(|| text(entry, "skill"));
            html.link(&target("/skill", "id", id), "The skill as it is");
        });
    }
    let name = text(entry, "name");
    let next = format!("{}&from=", target("/proposal", "id", name));
    let is_whole = write_parts(html, &parts(entry), sheet.from(), &next);
    if !is_whole {
        html.line("p", "You can accept where it ends.");
    }
    if is_decided {
        return;
    }
    if let Some(reason) = entry["barred"].as_str() {
        html.classed("p", "refusal", &format!("You may not decide on it: {reason}."));
        let choices = [("withdraw", "Withdraw")];
        return decide::write_form(html, "/proposal", (name, entry), &choices, sheet.token);
    }
    let reject = ("reject", "Reject");
    let choices: &[_] = match state {
        _ if !is_whole => &[reject],
        "same" => &[("accept", "Accept, and change the skill"), reject],
        "moved" => &[("rebase", "Accept, and change the skill as it is now"), reject],
        _ => &[reject],
    };
    decide::write_form(html, "/proposal", (name, entry), choices, sheet.token);
}

/// Returns the texts of a proposal, each under its own heading: none of them looks like another.
fn parts(entry: &Value) -> Vec<Part<'static>> {
    let of_list = |key| Part::plain(key, lines(list(entry, key)));
    let mut parts = Vec::from(["gains", "loses", "executables", "files"].map(of_list));
    let finding = |it| ["severity", "code", "path", "message"].map(|key| text(it, key)).join(" ");
    let findings: Vec<_> = list(entry, "findings").iter().map(finding).collect();
    parts.push(Part::plain("findings", findings.join("\n")));
    let diff = Part::plain("The change", text(entry, "diff"));
    parts.extend([Part { is_diff: true, ..diff }, moved(entry)]);
    for conflict in list(entry, "conflicts") {
        let [path, reason] = ["path", "reason"].map(|key| text(conflict, key));
        for (word, key) in [("now", "now"), ("when proposed", "base"), ("proposed", "proposed")] {
            let heading = format!("{path}, part {}, {word}: {reason}", conflict["hunk"]);
            let text = lines(list(conflict, key));
            let text = if text.is_empty() { "No such lines.".to_owned() } else { text };
            parts.push(Part::plain(heading, text));
        }
    }
    parts.push(Part::plain("Justification", text(entry, "justification")));
    parts.push(Part::plain("Evidence", text(entry, "evidence")));
    let marked = |part: Part<'_>| Part { text: marked_lines(&part.text).into(), ..part };
    parts.into_iter().map(marked).collect()
}

/// Returns a value as words: the parts of a list, or the kind and the name of an actor, behind each
/// other. Agents choose their names.
fn words(value: &Value) -> String {
    match value {
        Value::Array(parts) => parts.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(_) if text(value, "kind") == "person" => text(value, "name").to_owned(),
        Value::Object(_) => format!("{} {}", text(value, "kind"), quoted(text(value, "name"))),
        _ => plain(value),
    }
}
