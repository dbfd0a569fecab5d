//! The versions of a skill, and their differences.

use super::Sheet;
use super::parts::{NAME_BYTES, ROW_BYTES, list, more, number, rows, target, text};
use crate::form::{Form, encoded};
use crate::html::{Html, clipped, fitting};
use crate::{Desk, PAGE_BYTES, Refusal, Shown, View};

/// The size of a page behind which it has no further line of a difference.
const DIFFERENCE_BYTES: usize = PAGE_BYTES / 2;

/// The maximum number of encoded bytes of one line. The rest of a longer one is on the next page.
const LINE_BYTES: usize = PAGE_BYTES / 16;

pub(super) fn write_history(html: &mut Html, sheet: &Sheet<'_>) {
    let id = sheet.query.get("id");
    html.element("p", &[], |html| {
        html.link(&target("/skill", "id", id), &clipped(id, NAME_BYTES));
    });
    let all = list(&sheet.shown.value, "versions");
    let from = sheet.from();
    let written = rows(html, all.iter().skip(from), |html, version| {
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
    let next = from.saturating_add(written);
    if all.is_empty() {
        html.line("p", "This program has not changed the skill.");
    } else if next < all.len() {
        more(html, &format!("{}&from={next}", target("/history", "id", id)), "Earlier versions");
    } else {
        html.classed("p", "note", "`prowess history restore` returns the skill to a version.");
    }
}

pub(super) fn difference(desk: &dyn Desk, query: &Form) -> Result<Shown, Refusal> {
    let [id, from, to] = ["id", "from", "to"].map(|name| query.get(name));
    desk.view(&View::Difference { id, from, to })
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
    write_diff(html, text(&sheet.shown.value, "diff"), at, &next);
}

/// Adds a unified diff from a position on, and the link to the rest, which is `next` with its
/// position. Returns whether it was the end.
pub(super) fn write_diff(html: &mut Html, text: &str, from: usize, next: &str) -> bool {
    let from = if text.is_char_boundary(from) { from } else { 0 };
    let lines: Vec<_> = text[from..].split_inclusive('\n').collect();
    let partners = partners(&lines);
    let (mut end, mut written) = (from, Html::default());
    for (line, partner) in lines.iter().zip(partners) {
        if html.len() + written.len() >= DIFFERENCE_BYTES {
            break;
        }
        let fits = fitting(line, LINE_BYTES);
        end += fits;
        if fits < line.len() {
            written.text(&line[..fits]);
            break;
        }
        write_line(&mut written, line, partner.map(|at| lines[at]));
    }
    html.element("pre", &[("tabindex", "0")], |html| html.part(&written));
    if end < text.len() {
        let parts = format!("Next part, {end} of {} bytes were shown", text.len());
        more(html, &format!("{next}{end}"), &parts);
    }
    end == text.len()
}

fn write_line(html: &mut Html, line: &str, partner: Option<&str>) {
    let tag = match line.as_bytes().first() {
        Some(b'+') => "ins",
        Some(b'-') => "del",
        _ => return html.text(line),
    };
    html.element(tag, &[], |html| match partner {
        Some(partner) => {
            let [before, words, after] = changed(line, partner);
            html.text(before);
            if !words.is_empty() {
                html.line("mark", words);
            }
            html.text(after);
        }
        None => html.text(line),
    });
}

/// Returns for each line of a diff the one that it replaces, or that replaces it: as many lines
/// were removed as were added behind them.
fn partners(lines: &[&str]) -> Vec<Option<usize>> {
    let mut partners = vec![None; lines.len()];
    let count = |from: usize, mark: char| {
        lines[from..].iter().take_while(|line| line.starts_with(mark)).count()
    };
    let mut at = 0;
    while at < lines.len() {
        let removed = count(at, '-');
        let added = count(at + removed, '+');
        if removed == added {
            for line in at..at + removed {
                partners[line] = Some(line + removed);
                partners[line + removed] = Some(line);
            }
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
