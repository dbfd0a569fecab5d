use serde_json::json;
use similar::{ChangeTag, TextDiff};

use super::TextFormat::{Json, Toml, Yaml};
use super::*;

/// Sets the values of an entry as an installation does.
fn entry(format: TextFormat, text: &str, at: &str) -> String {
    let set = |text: &str, key, value: Value| {
        set(format, text, &[at, "prowess", key], &value).unwrap_or_else(|fault| {
            panic!("{text:?} is refused at {}: {}", fault.at, fault.message)
        })
    };
    set(&set(text, "command", json!("/p")), "args", json!(["-C", "/a b", "serve"]))
}

/// The cases under a title.
fn cases<const N: usize>(title: &str) -> impl Iterator<Item = [String; N]> {
    prowess_testkit::rows(include_str!("cases.txt"), title)
}

fn format_of(name: &str) -> TextFormat {
    serde_json::from_value(json!(name)).unwrap()
}

/// The files with each kind of line end, and with a mark at the start.
fn files() -> impl Iterator<Item = (TextFormat, &'static str, String)> {
    cases("files of three formats, as people write them").flat_map(|[format, text]| {
        ["\n", "\r\n"].into_iter().flat_map(move |end| {
            let text = text.replace('\n', end);
            let texts = [text.clone(), format!("{BYTE_ORDER_MARK}{text}")];
            texts.map(|text| (format_of(&format), "s", text))
        })
    })
}

#[test]
fn new_entry_without_its_bytes_is_the_file_as_it_was() {
    for (format, at, before) in files() {
        let after = entry(format, &before, at);
        let mut expected = read(format, &before).unwrap();
        for (key, value) in [("command", json!("/p")), ("args", json!(["-C", "/a b", "serve"]))] {
            place(&mut expected, &[at, "prowess", key], &value).unwrap();
        }
        assert_eq!(read(format, &after).unwrap(), expected, "{before:?} -> {after:?}");
        let diff = TextDiff::from_chars(&before, &after);
        let kept = diff.iter_all_changes().filter(|change| change.tag() == ChangeTag::Equal);
        let kept: String = kept.map(|change| change.value().to_owned()).collect();
        assert_eq!(kept, before, "every byte is kept");
        let lone = after.replace("\r\n", "").contains('\n');
        assert!(!(before.contains("\r\n") && lone), "one kind of line end: {after:?}");
        assert_eq!(entry(format, &after, at), after, "a second time changes nothing");
        // An entry of TOML without a header is left to its owner.
        let Ok(removed) = unset(format, &after, &[at, "prowess"]) else {
            assert_eq!(format, Toml, "{after:?}");
            continue;
        };
        let mut rest = read(format, &removed.unwrap()).unwrap();
        let mut old = read(format, &before).unwrap();
        for value in [&mut rest, &mut old] {
            let tables = value.as_object_mut().unwrap();
            tables.get_mut(at).and_then(Value::as_object_mut).map(|it| it.remove("prowess"));
            tables.retain(|_, it| !it.is_null() && it.as_object().is_none_or(|it| !it.is_empty()));
        }
        assert_eq!(rest, old, "{after:?}: nothing of others is removed");
    }
}

#[test]
fn changed_value_changes_nothing_else() {
    for (format, at, before) in files() {
        let installed = entry(format, &before, at);
        let path = [at, "prowess", "args"];
        let changed = set(format, &installed, &path, &json!(["other"])).unwrap();
        let back = set(format, &changed, &path, &json!(["-C", "/a b", "serve"])).unwrap();
        assert_eq!(back, installed, "{changed:?}");
    }
}

#[test]
fn layout_is_that_of_the_file() {
    for [format, before, after] in cases("files, and with the entry, whose arguments are `ARGS`") {
        let after = after.replace("ARGS", r#"["-C", "/a b", "serve"]"#);
        assert_eq!(entry(format_of(&format), &before, "s"), after);
    }
}

#[test]
fn unclear_file_is_refused_with_its_place() {
    for [format, text, line, column] in cases("faults, with their lines and columns") {
        let path = ["s", "prowess", "command"];
        let fault = set(format_of(&format), &text, &path, &json!("x")).expect_err(&text);
        let (found_line, found_column) = fault.position(&text);
        let found = [found_line, found_column].map(|number| number.to_string());
        assert_eq!(found, [line, column], "{text:?}: {}", fault.message);
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(
        [Json, Yaml].map(|it| read(it, &deep)).iter().all(Result::is_err),
        "nesting is limited"
    );
}

#[test]
fn value_of_yaml_changes_and_everything_else_stays_or_it_is_refused() {
    let title = "YAML, a key, a value, and the text with it; it is refused without one";
    for [text, key, value, expected] in cases(title) {
        let path: Vec<_> = key.split('.').collect();
        let new = serde_json::from_str(&value).unwrap();
        let edited = set(Yaml, &text, &path, &new).unwrap_or_default();
        assert_eq!(edited, expected, "{key}={value} in {text:?}");
    }
}

#[test]
fn array_keeps_every_comment() {
    let title =
        "arrays, a value, and the text with it; `#` stands for the comments of both formats";
    for [array, value, expected] in cases(title) {
        let value = serde_json::from_str(&value).unwrap();
        for (format, comment, start, end) in
            [(Json, "//", "{\n  \"l\": ", "\n}\n"), (Toml, "#", "  l = ", "\nz = 1\n")]
        {
            for line in ["\n", "\r\n"] {
                let written = |array: &str| {
                    let array = array.replace(" #", &format!(" {comment}"));
                    format!("{start}{array}{end}").replace('\n', line)
                };
                let edited = set(format, &written(&array), &["l"], &value);
                assert_eq!(edited.ok(), Some(written(&expected)), "{value} in {array}");
            }
        }
    }
    let block = "{\"l\": [/* a */ \"a\", \"b\" /* b */]}";
    let edited = set(Json, block, &["l"], &json!(["b"])).ok();
    assert_eq!(edited.as_deref(), Some("{\"l\": [ /* a */\n  \"b\" /* b */\n]}"));
}

#[test]
fn key_is_removed_with_mappings_that_it_made_and_comments_of_others_stay() {
    let title =
        "files, a key, and the text without; `-` if it is not there, `!` if it cannot be removed";
    for [format, text, key, expected] in cases(title) {
        let edited = unset(format_of(&format), &text, &key.split('.').collect::<Vec<_>>());
        let edited = edited.map_or_else(|_| "!".to_owned(), |it| it.unwrap_or("-".to_owned()));
        assert_eq!(edited, expected, "{key} in {text:?}");
    }
}

/// Everything that was there before stays: also an empty mapping, and a comment in it.
#[test]
fn what_was_set_is_removed_again() {
    for [format, text, path] in cases("texts that are as before after a path was set and removed") {
        let (format, text) = (format_of(&format), &*text);
        let path: Vec<_> = path.split('.').collect();
        let entry = json!({ "command": "prowess", "args": ["serve"] });
        let set = set_each(format, text, &path, &entry);
        let set = set.unwrap_or_else(|it| panic!("{text}: {it:?}"));
        let unset = unset(format, &set, &path).unwrap_or_else(|it| panic!("{set}: {it:?}"));
        assert_eq!(unset.as_deref(), Some(text), "after {set}");
    }
}
