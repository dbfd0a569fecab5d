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
    let check = |format, before: &str, after: &str| assert_eq!(entry(format, before, "s"), after);
    let args = r#"["-C", "/a b", "serve"]"#;
    check(
        Json,
        "{\n\t\"s\": {\n\t\t\"a\": {} // why\n\t}\n}\n",
        &format!(
            "{{\n\t\"s\": {{\n\t\t\"a\": {{}}, // why\n\t\t\"prowess\": {{\n\t\t\t\"command\": \"/p\",\n\t\t\t\
             \"args\": {args}\n\t\t}}\n\t}}\n}}\n"
        ),
    );
    check(
        Json,
        r#"{"s": {"a": 1}}"#,
        &format!(r#"{{"s": {{"a": 1, "prowess": {{"command": "/p", "args": {args}}}}}}}"#),
    );
    check(Toml, "a = 1\n", &format!("a = 1\n\n[s.prowess]\ncommand = \"/p\"\nargs = {args}\n"));
    check(
        Yaml,
        "s:\n    a: 1\n    # b\nc: 2\n",
        &format!(
            "s:\n    a: 1\n    prowess:\n      command: \"/p\"\n      args: {args}\n    # b\nc: 2\n"
        ),
    );
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
fn value_of_yaml_changes_and_everything_else_stays() {
    let file =
        "# mine\nprompt:\n  max_tokens: 5  # why\n  # next\n\naudit: { log: keep }\nx: &a [1]\n";
    let check = |text: &str, key: &str, value: Value, from: &str, to: &str| {
        let path: Vec<_> = key.split('.').collect();
        let edited =
            set(Yaml, text, &path, &value).unwrap_or_else(|fault| panic!("{key}: {fault:?}"));
        assert_eq!(edited, text.replacen(from, to, 1), "{key}={value} in {text:?}");
    };
    check(file, "prompt.max_tokens", json!(7), "5  #", "7  #");
    check(file, "prompt.header", json!("a # b"), "why\n", "why\n  header: \"a # b\"\n");
    check(file, "audit.log", json!("journal"), "keep", "journal");
    check(file, "audit.a.b", json!([1, 2]), "keep }", "keep, a: {b: [1, 2]} }");
    check("a: 1", "b", json!("x"), "1", "1\nb: x");
    check("a:\r\n  b: 1\r\n", "a.c", json!(2), "1\r\n", "1\r\n  c: 2\r\n");
    check("a:\n- 1\n- 2\nb: 3\n", "a", json!([4]), "\n- 1\n- 2", " [4]");
    check("a: {}\n", "a.b", json!(1), "{}", "{ b: 1 }");
    check("a: {u: https://x/y}\n", "a.b", json!(1), "y}", "y, b: 1}");
    check("a: null # n\n", "a.b", json!(1), "null # n", " # n\n  b: 1");
    check("a:\n", "a.b", json!(1), "a:\n", "a:\n  b: 1\n");
    check("\"a\": 1 #x\n", "a", json!("#"), "1 #x", "\"#\" #x");
    check("a: |\n  # text\n  b: 1\nc: 2\n", "c", json!(3), "2", "3");
    for (text, path) in
        [("a: *x\n", ["a", "b"]), ("x: &x {b: 1}\na: *x\n", ["x", "b"]), ("a: 1\n", ["a", "b"])]
    {
        assert!(set(Yaml, text, &path, &json!(2)).is_err(), "{text:?}");
    }
}

#[test]
fn list_keeps_its_comments_or_is_refused() {
    let title = "lists of YAML, a value, and the text with it; it is refused without one";
    for [text, value, expected] in cases(title) {
        let value = serde_json::from_str(&value).unwrap();
        let edited = set(Yaml, &text, &["l"], &value).unwrap_or_default();
        assert_eq!(edited, expected, "{value} in {text:?}");
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
fn member_of_json_is_removed_and_comments_of_others_stay() {
    for [text, expected] in cases("JSON with `p`, and without") {
        let edited = unset(Json, &text, &["p"]).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
        assert_eq!(edited, Some(expected), "{text}");
    }
}

#[test]
fn key_of_yaml_is_removed_with_mappings_that_it_made() {
    for [text, key, expected] in cases("YAML, a key, and the text without; `-` if it is not there")
    {
        let path: Vec<_> = key.split('.').collect();
        let edited =
            unset(Yaml, &text, &path).unwrap_or_else(|fault| panic!("{text:?}: {fault:?}"));
        assert_eq!(edited.as_deref().unwrap_or("-"), expected, "{key} in {text:?}");
    }
    assert!(
        unset(Yaml, "x: &x {b: 1, c: 2}\na: *x\n", &["x", "b"]).is_err(),
        "`a` would change too"
    );
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
