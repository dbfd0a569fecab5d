//! The audit: sessions, their stories, the chain, and sums.

use std::collections::BTreeMap;

use prowess_text::quoted;
use serde_json::{Map, Value};

use super::Sheet;
use super::parts::{NAME_BYTES, ROW_BYTES, facts, list, more, number, plain, rows, target, text};
use crate::View;
use crate::form::{Form, encoded};
use crate::html::{Html, clipped};

/// The width of a bar.
const BAR: u64 = 100;

pub(super) fn view(query: &Form) -> View<'_> {
    View::Audit { session: query.get("session"), before: query.number("before") }
}

pub(super) fn write_sessions(html: &mut Html, sheet: &Sheet<'_>) {
    // The newest first. A page has those of a part of the log, so a session may be on several.
    let mut sessions: Vec<_> = list(&sheet.shown.value, "sessions").iter().collect();
    sessions.sort_by_key(|session| std::cmp::Reverse(last(session)));
    write_proof(html, sessions.iter().flat_map(|session| list(session, "lines")));
    sessions.retain(|session| !text(session, "session").is_empty());
    let written = rows(html, &sessions, |html, session| {
        let name = text(session, "session");
        let story = target("/audit", "session", name);
        html.link(&story, &clipped(name, NAME_BYTES));
        let of = ["agent", "model", "task", "tenant"].map(|key| match text(session, key) {
            "" => String::new(),
            // Clients choose these names.
            value => format!("{key} {} ", clipped(&quoted(value), NAME_BYTES / 2)),
        });
        html.classed("p", "note", of.concat().trim());
        let last = list(session, "lines").last();
        let last = last.map_or_else(String::new, |line| mark(line).to_owned() + text(line, "text"));
        html.line("p", &clipped(&last, ROW_BYTES));
    });
    if written == 0 {
        html.line("p", "No sessions in this part of the log.");
    }
    let next = sessions.get(written).map(|session| last(session) + 1).or(sheet.shown.next);
    if let Some(next) = next {
        more(html, &format!("/sessions?before={next}"), "Earlier sessions");
    }
}

fn last(session: &Value) -> u64 {
    list(session, "lines").iter().map(|line| number(line, "seq")).max().unwrap_or_default()
}

pub(super) fn write(html: &mut Html, sheet: &Sheet<'_>) {
    let session = sheet.query.get("session");
    if !session.is_empty() {
        let name = format!("Session {}", clipped(session, NAME_BYTES));
        html.element("p", &[], |html| html.line("strong", &name));
    }
    let all = list(&sheet.shown.value, "sessions");
    let events: BTreeMap<u64, _> = all
        .iter()
        .flat_map(|of| list(of, "lines").iter().map(move |line| (number(line, "seq"), (of, line))))
        .collect();
    write_proof(html, events.values().map(|(_, line)| *line));
    let newest = events.values().rev();
    let written = rows(html, newest, |html, (of, line)| event(html, of, line, session.is_empty()));
    if events.is_empty() {
        html.line("p", "Nothing is recorded here.");
    }
    let is_cut = written > 0 && written < events.len();
    let cut = events.keys().rev().nth(written.saturating_sub(1)).filter(|_| is_cut);
    if let Some(next) = cut.copied().or(sheet.shown.next) {
        let target = format!("/audit?session={}&before={next}", encoded(session));
        more(html, &target, "Earlier events");
    }
}

/// Says whether the chain of the entries of a page is unbroken.
fn write_proof<'l>(html: &mut Html, lines: impl IntoIterator<Item = &'l Value>) {
    html.element("p", &[], |html| {
        let broken = "The chain is broken here: what has a question mark is not proven.";
        let (class, state) = match lines.into_iter().any(|line| !mark(line).is_empty()) {
            true => ("refusal", broken),
            false => ("note", "The chain of these entries is unbroken."),
        };
        html.classed("span", class, state);
        html.text(" ");
        html.link("/chain", "Check all of it");
    });
}

/// Returns what is in front of an entry that the chain does not prove.
fn mark(line: &Value) -> &'static str {
    if line["unproven"] == true { "? " } else { "" }
}

fn event(html: &mut Html, session: &Value, line: &Value, with_session: bool) {
    let time = format!("{}{}", mark(line), clipped(text(line, "timestamp"), 40));
    html.classed("span", "time", &time);
    let name = text(session, "session");
    if with_session && !name.is_empty() {
        html.text(" ");
        html.link(&target("/audit", "session", name), &clipped(name, NAME_BYTES / 2));
    }
    html.line("p", &clipped(text(line, "text"), 2 * ROW_BYTES));
}

pub(super) fn write_chain(html: &mut Html, sheet: &Sheet<'_>) {
    html.line("p", "Every entry has the digest of the one before it.");
    let names = ["path", "entries", "files", "head", "torn_bytes"];
    facts(html, names.map(|name| (name, plain(&sheet.shown.value[name]))));
    let kept = "Keep the head elsewhere: `prowess audit verify --head HEAD` finds a log that was \
                replaced or cut off since.";
    html.classed("p", "note", kept);
}

pub(super) fn write_statistics(html: &mut Html, sheet: &Sheet<'_>) {
    let value = &sheet.shown.value;
    let names = ["entries", "sessions", "violations"];
    facts(html, names.map(|name| (name, plain(&value[name]))));
    let keys = ["done", "failed", "refused"];
    chart(html, "Tools", &value["tools"], &keys, "calls that were done, failed or refused");
    chart(html, "Skills", &value["skills"], &["calls"], "calls of the skill that was loaded last");
}

/// The most bars of a chart.
const MOST_BARS: usize = 8;

/// Adds a bar for each of the largest rows, in proportion to the largest.
fn chart(html: &mut Html, heading: &str, rows_of: &Value, keys: &[&'static str], what: &str) {
    let empty = Map::new();
    let of = rows_of.as_object().unwrap_or(&empty);
    let sum = |row: &Value| keys.iter().map(|key| number(row, key)).sum::<u64>();
    let mut largest: Vec<_> = of.iter().map(|(name, row)| (name, row, sum(row))).collect();
    largest.sort_by_key(|(.., sum)| std::cmp::Reverse(*sum));
    let most = largest.first().map_or(1, |(.., sum)| *sum).max(1);
    html.line("h2", heading);
    html.classed("p", "note", &format!("The number of {what}."));
    let written = rows(html, largest.iter().take(MOST_BARS), |html, (name, row, sum)| {
        html.line("code", &clipped(name, NAME_BYTES));
        let counts = keys.iter().map(|key| format!("{key} {}", number(row, key)));
        let counts = counts.collect::<Vec<_>>().join(", ");
        let (label, view) = (format!("{counts}, of {sum}"), format!("0 0 {BAR} 4"));
        let shape: &[_] = &[
            ("viewBox", &*view),
            ("role", "img"),
            ("aria-label", &*label),
            ("preserveAspectRatio", "none"),
        ];
        html.element("svg", shape, |html| {
            let mut from = 0;
            for key in keys {
                let width = number(row, key).saturating_mul(BAR) / most;
                let [x, width_text] = [from, width].map(|it| it.to_string());
                let bar: &[_] =
                    &[("class", *key), ("x", &x), ("width", &width_text), ("height", "4")];
                html.empty("rect", bar);
                from += width;
            }
        });
        html.classed("p", "note", &counts);
    });
    if written < largest.len() {
        let more = format!("{} more: see `prowess audit stats`", largest.len() - written);
        html.classed("p", "note", &more);
    }
}
