//! Fields that a program puts together read back as they were.
//!
//! An input is the parts of a value, one on a line: `[` and `{` open a list and a mapping, `]` closes
//! either, and each other line is a text, or a key where one is due. A text goes on behind a backslash
//! at the end of its line; a `=` before it is no part of it. A line `===` begins the body.
#![no_main]

use std::iter::Peekable;
use std::vec::IntoIter;

use libfuzzer_sys::fuzz_target;
use prowess_format::{Field, Mapping, Profile, Value, parse, write};

type Lines<'a> = Peekable<IntoIter<&'a str>>;

fuzz_target!(|text: &str| {
    let (parts, body) = text.split_once("\n===\n").unwrap_or((text, ""));
    let lines: Vec<_> = parts.split('\n').collect();
    let mut fields = skill();
    fields.0.extend(mapping(&mut lines.into_iter().peekable(), 0).0);
    let Ok(written) = write::skill_md(&fields, body) else { return };
    let parsed = parse(written.as_bytes(), Profile::Lenient);
    let Some(document) = parsed.document else {
        assert!(is_refused_by_meaning(&fields), "{written}\n{:?}", parsed.diagnostics);
        return;
    };
    // The canonical order is not the order that they came in.
    let mut read = document.frontmatter.fields.clone();
    for mapping in [&mut read, &mut fields] {
        mapping.0.sort_by(|one, other| one.key.cmp(&other.key));
    }
    assert_eq!(read, fields, "reading gives what was written:\n{written}");
    assert_eq!(document.body, body, "the body stays as it is");
});

/// Whether a field has a shape that the format forbids, however well it is written.
fn is_refused_by_meaning(fields: &Mapping) -> bool {
    fields.0.len() > skill().0.len()
        && fields.iter().any(|field| ["allowed-tools", "metadata"].contains(&field.key.as_str()))
}

fn skill() -> Mapping {
    let field = |key: &str, value: &str| field(key.to_owned(), Value::Text(value.to_owned()));
    Mapping(vec![field("name", "pdf"), field("description", "Fills forms.")])
}

fn field(key: String, value: Value) -> Field {
    Field { key, key_span: 0..0, value, value_span: 0..0 }
}

fn mapping(lines: &mut Lines<'_>, depth: usize) -> Mapping {
    let mut fields = Vec::new();
    while let Some(line) = lines.next() {
        if line == "]" && depth > 0 {
            break;
        }
        let key = text(line, lines);
        fields.push(field(key, value(lines, depth)));
    }
    Mapping(fields)
}

/// A value; the depth is bounded so that the stack is, well behind the bound of the writer.
fn value(lines: &mut Lines<'_>, depth: usize) -> Value {
    match lines.next() {
        Some("{") if depth < 40 => Value::Map(mapping(lines, depth + 1)),
        Some("[") if depth < 40 => {
            let mut items = Vec::new();
            while lines.next_if_eq(&"]").is_none() && lines.peek().is_some() {
                items.push(value(lines, depth + 1));
            }
            Value::List(items)
        }
        Some(line) => Value::Text(text(line, lines)),
        None => Value::Text(String::new()),
    }
}

fn text(first: &str, lines: &mut Lines<'_>) -> String {
    let mut text = first.strip_prefix('=').unwrap_or(first).to_owned();
    while text.ends_with('\\') {
        let Some(next) = lines.next() else { break };
        text.pop();
        text.push('\n');
        text.push_str(next);
    }
    text
}
