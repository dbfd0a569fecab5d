//! Parts that several pages have.

use serde_json::Value;

use super::{ENTRIES, PAGES, Sheet};
use crate::form::encoded;
use crate::html::{Html, clipped};
use crate::{PAGE_BYTES, Refusal, RefusalKind};

/// The number of bytes after which a page has no further row: the rest is for the row itself, the
/// links to other parts, and the frame.
const ROWS_BYTES: usize = PAGE_BYTES * 5 / 8;

/// The maximum number of encoded bytes of a text in a row.
pub(super) const ROW_BYTES: usize = 140;

/// The maximum number of encoded bytes of a name.
pub(super) const NAME_BYTES: usize = 80;

/// Returns a document with the menu and the content.
pub(super) fn document(title: &str, path: &str, content: &Html) -> String {
    let mut html = Html::default();
    html.element("html", &[("lang", "en")], |html| {
        html.element("head", &[], |html| {
            html.empty("meta", &[("charset", "utf-8")]);
            let width = "width=device-width, initial-scale=1";
            html.empty("meta", &[("name", "viewport"), ("content", width)]);
            html.empty("meta", &[("name", "color-scheme"), ("content", "light dark")]);
            html.line("title", &format!("{title} · prowess"));
            html.empty("link", &[("rel", "stylesheet"), ("href", "/style.css")]);
        });
        html.element("body", &[], |html| {
            html.element("a", &[("class", "skip"), ("href", "#main")], |html| {
                html.text("Skip to the content");
            });
            html.element("header", &[], |html| {
                html.element("nav", &[("aria-label", "Pages")], |html| menu(html, path));
            });
            html.element("main", &[("id", "main")], |html| {
                html.line("h1", title);
                html.part(content);
            });
        });
    });
    html.into_document()
}

fn menu(html: &mut Html, path: &str) {
    html.element("ul", &[], |html| {
        for page in &PAGES[..ENTRIES] {
            let link: &[_] = match page.path == path {
                true => &[("href", page.path), ("aria-current", "page")],
                false => &[("href", page.path)],
            };
            html.element("li", &[], |html| html.element("a", link, |html| html.text(page.title)));
        }
    });
}

pub(super) fn write_refusal(html: &mut Html, refusal: &Refusal) {
    let class = if refusal.kind == RefusalKind::Busy { "note" } else { "refusal" };
    html.element("section", &[("class", class)], |html| {
        html.line("p", &clipped(&refusal.message, 4 * ROW_BYTES));
        html.line("p", &clipped(&refusal.help, 4 * ROW_BYTES));
        html.element("p", &[], |html| html.line("code", &clipped(&refusal.code, NAME_BYTES)));
    });
}

/// Adds rows as a list until the page is full, and returns their number.
pub(super) fn rows<T>(
    html: &mut Html,
    items: impl IntoIterator<Item = T>,
    write: impl Fn(&mut Html, T),
) -> usize {
    let mut written = 0;
    let before = html.len();
    let mut list = Html::default();
    for item in items {
        if before + list.len() >= ROWS_BYTES {
            break;
        }
        list.element("li", &[], |html| write(html, item));
        written += 1;
    }
    if written > 0 {
        html.element("ul", &[("class", "rows")], |html| html.part(&list));
    }
    written
}

/// Adds the rows of a list from a position on, and the link to the rest, or what an empty one is.
pub(super) fn part<T>(
    html: &mut Html,
    (path, from): (&str, usize),
    all: &[T],
    [further, empty]: [&str; 2],
    write: impl Fn(&mut Html, &T),
) {
    let next = from.saturating_add(rows(html, all.iter().skip(from), write));
    if all.is_empty() {
        html.line("p", empty);
    } else if next < all.len() {
        let separator = if path.contains('?') { '&' } else { '?' };
        more(html, &format!("{path}{separator}from={next}"), further);
    }
}

/// Adds a list of what waits for a decision, or of what was decided, too.
pub(super) fn decidable(
    html: &mut Html,
    sheet: &Sheet<'_>,
    (path, all): (&str, &[&Value]),
    ([fewer, others], texts): ([&str; 2], [&str; 2]),
    row: impl Fn(&mut Html, &Value),
) {
    let whole = format!("{path}?all=1");
    let is_all = sheet.query.get("all") == "1";
    let (here, other, text) = if is_all { (&*whole, path, fewer) } else { (path, &*whole, others) };
    html.element("p", &[], |html| html.link(other, text));
    part(html, (here, sheet.from()), all, texts, |html, entry| row(html, entry));
}

/// Adds the link to the next part of a page.
pub(super) fn more(html: &mut Html, target: &str, text: &str) {
    html.element("p", &[("class", "more")], |html| html.link(target, text));
}

/// Adds names with values, without those that are empty.
pub(super) fn facts<'f>(html: &mut Html, facts: impl IntoIterator<Item = (&'f str, String)>) {
    html.element("dl", &[], |html| {
        for (name, value) in facts.into_iter().filter(|(_, value)| !value.is_empty()) {
            html.line("dt", name);
            html.line("dd", &clipped(&value, 2 * ROW_BYTES));
        }
    });
}

/// Returns a URL with one parameter.
pub(super) fn target(path: &str, name: &str, value: &str) -> String {
    format!("{path}?{name}={}", encoded(value))
}

/// Returns a text of a value, or an empty one.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// Returns a value as text: a text as it is, anything else as JSON, nothing for `null`.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns a list of a value, or an empty one.
pub(super) fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// Returns values as text, each on a line of its own.
pub(super) fn lines(values: &[Value]) -> String {
    values.iter().map(|value| plain(value) + "\n").collect()
}

/// Returns a number of a value, or 0.
pub(super) fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_default()
}

/// Returns what is trusted, with the name by which the trust is revoked. Under one name may be a
/// directory and a source.
pub(super) fn trusted(value: &Value) -> Vec<(&str, Value)> {
    let mut all: Vec<(&str, Value)> = Vec::new();
    for key in ["folders", "sources", "signers", "skills"] {
        for entry in list(value, key) {
            let name = entry["path"].as_str().unwrap_or_else(|| text(entry, "name"));
            match all.iter_mut().find(|(known, _)| *known == name) {
                None => all.push((name, entry.clone())),
                Some((_, it)) => it[key] = format!("in {key} since {}", entry["since"]).into(),
            }
        }
    }
    all
}
