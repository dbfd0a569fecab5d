//! The versions of a skill, and their differences.

use std::borrow::Cow;

use prowess_text::shell_word;
use serde_json::Value;

use super::Sheet;
use super::parts::{NAME_BYTES, ROW_BYTES, list, more, number, part, target, text};
use crate::form::{Form, encoded};
use crate::html::{Html, clipped, fitting};
use crate::{PAGE_BYTES, View};

/// The size of a page behind which it has no further line of a difference.
const DIFFERENCE_BYTES: usize = PAGE_BYTES / 2;

/// The number of encoded bytes of a line that a page has at least. The rest is on the next page.
const LINE_BYTES: usize = PAGE_BYTES / 16;

pub(super) fn write_history(html: &mut Html, sheet: &Sheet<'_>) {
    let id = sheet.query.get("id");
    html.element("p", &[], |html| html.link(&target("/skill", "id", id), &clipped(id, NAME_BYTES)));
    let all = list(&sheet.shown.value, "versions");
    let texts = ["Earlier versions", "This program has not changed the skill."];
    let path = target("/history", "id", id);
    part(html, (&path, sheet.from()), all, texts, |html, version| {
        let at = number(version, "number");
        let mark = if version["is_current"] == true { ", now" } else { "" };
        html.classed("span", "state", &format!("{at} {}{mark}", text(version, "action")));
        html.text(" ");
        if at > 1 {
            let path = target("/difference", "id", id);
            html.link(&format!("{path}&from={}&to={at}", at - 1), "Changes");
        }
        html.line("p", &clipped(text(version, "reason"), ROW_BYTES));
        let of = [text(version, "time"), text(version, "by"), text(version, "package")];
        html.classed("p", "note", &of.map(|part| clipped(part, NAME_BYTES)).join(", "));
    });
    if !all.is_empty() {
        let id = clipped(&shell_word(id), ROW_BYTES);
        let note = format!("`prowess history restore {id} NUMBER` returns to one.");
        html.classed("p", "note", &note);
    }
}

pub(super) fn history(query: &Form) -> View<'_> {
    View::History(query.get("id"))
}

pub(super) fn difference(query: &Form) -> View<'_> {
    View::Difference { id: query.get("id"), from: query.get("from"), to: query.get("to") }
}

pub(super) fn write_difference(html: &mut Html, sheet: &Sheet<'_>) {
    let [id, from, to] = ["id", "from", "to"].map(|name| sheet.query.get(name));
    html.element("p", &[], |html| {
        html.link(&target("/history", "id", id), &clipped(id, NAME_BYTES));
        html.text(&format!(
            " from version {} to {}",
            clipped(from, NAME_BYTES),
            clipped(to, NAME_BYTES)
        ));
    });
    let path = target("/difference", "id", id);
    let next = format!("{path}&from={}&to={}&at=", encoded(from), encoded(to));
    let at = sheet.query.number("at").unwrap_or_default();
    let text = text(&sheet.shown.value, "diff").into();
    write_parts(html, &[Part { heading: String::new(), text, is_diff: true }], at, &next);
}

/// A text of a page, with its heading.
pub(super) struct Part<'p> {
    pub(super) heading: String,
    pub(super) text: Cow<'p, str>,
    /// Whether it is a diff, whose lines say what changes.
    pub(super) is_diff: bool,
}

impl<'p> Part<'p> {
    /// Creates the part of a text that is no diff.
    pub(super) fn plain(heading: impl Into<String>, text: impl Into<Cow<'p, str>>) -> Self {
        Self { heading: heading.into(), text: text.into(), is_diff: false }
    }
}

/// Returns the changes of the skill since another one was proposed.
pub(super) fn moved(entry: &Value) -> Part<'_> {
    let heading = "Changed in the skill since it was proposed".to_owned();
    Part { heading, text: text(entry, "moved").into(), is_diff: true }
}

/// Adds texts behind each other from a position on until the page is full, and the link to the
/// rest, which is `next` with its position. Returns whether it was the end.
pub(super) fn write_parts(html: &mut Html, parts: &[Part<'_>], from: usize, next: &str) -> bool {
    let whole: usize = parts.iter().map(|part| part.text.len()).sum();
    // Nothing is behind the end, which has the form.
    let (mut at, mut start) = (if from < whole { from } else { 0 }, 0);
    for Part { heading, text, is_diff } in parts {
        let end = start + text.len();
        if at >= end {
            start = end;
            continue;
        }
        if html.len() < DIFFERENCE_BYTES {
            if !heading.is_empty() {
                html.line("h2", &clipped(heading, ROW_BYTES));
            }
            at = start + write_lines(html, text, at - start, *is_diff);
        }
        if at < end {
            let parts = format!("Next part, {at} of {whole} bytes were shown");
            more(html, &format!("{next}{at}"), &parts);
            return false;
        }
        start = end;
    }
    true
}

/// Adds the lines of a text from a position on until the page is full, and returns their end.
fn write_lines(html: &mut Html, text: &str, from: usize, is_diff: bool) -> usize {
    let from = if text.is_char_boundary(from) { from } else { 0 };
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let partners = if is_diff { partners(&lines) } else { vec![Partner::None; lines.len()] };
    let (mut start, mut end, mut written) = (0, from, Html::default());
    for (line, partner) in lines.iter().zip(partners) {
        let shown = from.saturating_sub(start).min(line.len());
        start += line.len();
        let rest = &line[shown..];
        if rest.is_empty() {
            continue;
        }
        let room = DIFFERENCE_BYTES.saturating_sub(html.len() + written.len());
        if room == 0 {
            break;
        }
        let fits = fitting(rest, room.max(LINE_BYTES));
        end += fits;
        let is_whole = fits == line.len();
        match partner {
            Partner::None => written.text(&rest[..fits]),
            Partner::Line(at) if is_whole => write_line(&mut written, line, lines[at]),
            _ => written.line(tag(line), &rest[..fits]),
        }
        if fits < rest.len() {
            break;
        }
    }
    html.element("pre", &[("tabindex", "0")], |html| html.part(&written));
    end
}

fn tag(line: &str) -> &'static str {
    if line.starts_with('+') { "ins" } else { "del" }
}

fn write_line(html: &mut Html, line: &str, partner: &str) {
    html.element(tag(line), &[], |html| {
        let [before, words, after] = changed(line, partner);
        html.text(before);
        if !words.is_empty() {
            html.line("mark", words);
        }
        html.text(after);
    });
}

/// The line of a diff that a changed line stands for.
#[derive(Clone, Copy)]
enum Partner {
    /// The line does not change: it is around a change, or a header.
    None,
    /// It was added or removed.
    Alone,
    /// It replaces this line, or is replaced by it.
    Line(usize),
}

/// Returns for each line of a diff the one that it replaces, or that replaces it: as many lines
/// were removed as were added behind them.
fn partners(lines: &[&str]) -> Vec<Partner> {
    let mut partners = vec![Partner::None; lines.len()];
    let is_at = |at: usize, start: &str| lines.get(at).is_some_and(|line| line.starts_with(start));
    // A hunk ends with lines that do not change, or with its file, so these are no changed lines.
    let is_header = |at: usize| is_at(at, "--- ") && is_at(at + 1, "+++ ") && is_at(at + 2, "@@");
    let count = |from: usize, mark: char| {
        let at = (from..lines.len()).take_while(|at| lines[*at].starts_with(mark));
        at.take_while(|at| !is_header(*at)).count()
    };
    let mut at = 0;
    while at < lines.len() {
        if is_header(at) {
            at += 2;
            continue;
        }
        let removed = count(at, '-');
        let added = count(at + removed, '+');
        let changed = partners[at..at + removed + added].iter_mut().enumerate();
        for (line, partner) in changed {
            *partner = match removed == added {
                true if line < removed => Partner::Line(at + line + removed),
                true => Partner::Line(at + line - removed),
                false => Partner::Alone,
            };
        }
        at += (removed + added).max(1);
    }
    partners
}

/// Returns a line as what is before the words that differ from those of another line, these words,
/// and the rest.
fn changed<'l>(line: &'l str, other: &str) -> [&'l str; 3] {
    let is_between = |letter: char| !letter.is_alphanumeric();
    // The first letter says whether the line was added.
    let pairs = line.char_indices().zip(other.chars()).skip(1);
    let same = pairs.take_while(|((_, letter), others)| letter == others).last();
    let same = same.map_or(1, |((at, letter), _)| at + letter.len_utf8());
    let start = line[..same].char_indices().rfind(|(_, letter)| is_between(*letter));
    let start = start.map_or(1, |(at, letter)| at + letter.len_utf8());
    let pairs = line[start..].chars().rev().zip(other[start..].chars().rev());
    let tail = pairs.take_while(|(letter, others)| letter == others).map(|(letter, _)| letter);
    let end = line.len() - tail.map(char::len_utf8).sum::<usize>();
    let end = line[end..].find(is_between).map_or(line.len(), |at| end + at);
    [&line[..start], &line[start..end], &line[end..]]
}
