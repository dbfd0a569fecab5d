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

/// Files of ten kinds, with what people write into them. `⏎` ends a line.
const FILES: [(TextFormat, &str, &str); 27] = [
    (Json, "s", ""),
    (Json, "s", "{}"),
    (Json, "s", "{ }⏎"),
    (Json, "s", "{⏎}⏎"),
    (Json, "s", "// nothing yet⏎"),
    (Json, "s", r#"{"s":{}}"#),
    (Json, "s", r#"{"s":{"a":{"command":"x"}},"b":[1,2]}"#),
    (Json, "s", "{⏎  \"s\": {⏎    \"a\": { \"command\": \"x\" }⏎  },⏎  \"z\": 1.0e2⏎}⏎"),
    (Json, "s", "{⏎\t\"s\": {⏎\t\t\"a\": {\"url\": \"https://x//y\"}, // why⏎\t},⏎}"),
    (
        Json,
        "s",
        "{⏎  // first⏎  \"a\": [1, 2,], /* last, }⏎ of two */⏎  \"b\": 'it\\'s \"' // end⏎}",
    ),
    (Json, "s", "{⏎    unquoted: +0x1F,⏎    \"s\": {},⏎    \"b\": .5 }⏎"),
    (
        Json,
        "s",
        "/* é */ {\"a\": \"é\\u00e9\\\\\", \"a\": null, \"s\": {⏎      // own⏎      \"b\": {}⏎   }}⏎",
    ),
    (Toml, "s", ""),
    (Toml, "s", "model = \"o\" # best⏎⏎[s.a]⏎command = 'x'⏎args = [⏎  \"b\", # c⏎]⏎"),
    (Toml, "s", "a = \"\"\"⏎[s.prowess]⏎\"\"\"⏎[s.b.env]⏎K = 1979-05-27"),
    (Toml, "s", "[[s.x.list]]⏎k = 1⏎# end⏎"),
    (Toml, "s", "s = {} # none⏎"),
    (Toml, "s", "s = { a = { b = [1] }, c.d = 2 }⏎[t]⏎"),
    (Toml, "s", "[s]⏎prowess = {startup = 1} # c⏎b = 'x'⏎"),
    (Yaml, "s", ""),
    (Yaml, "s", "# only this⏎"),
    (
        Yaml,
        "s",
        "s:⏎  # of a⏎  a:⏎    name: a⏎    args: [\"x\"]⏎  b: { cmd: c }  # d⏎⏎model: m # e⏎",
    ),
    (Yaml, "s", "---⏎model: m⏎s: {}⏎list:⏎- a⏎- b"),
    (Yaml, "s", "s:⏎    a:⏎        text: |⏎          s:⏎            b: c⏎⏎    z: &n 1⏎other: *n⏎"),
    (Yaml, "s", "\"s\":   # later⏎z: 'a # b'⏎"),
    (Yaml, "s", "s: {a: {cmd: x}}⏎"),
    (Yaml, "s", "{\"s\": {\"a\": 1}}⏎"),
];

/// The files with each kind of line end, and with a mark at the start.
fn files() -> impl Iterator<Item = (TextFormat, &'static str, String)> {
    FILES.into_iter().flat_map(|(format, at, text)| {
        ["\n", "\r\n"].into_iter().flat_map(move |end| {
            let text = text.replace('⏎', end);
            [text.clone(), format!("{BYTE_ORDER_MARK}{text}")].map(|text| (format, at, text))
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
    for (format, text, line, column) in [
        (Json, "{\n  \"s\": {\n    \"a\": 1\n    \"b\": 2\n  }\n}", 4, 5),
        (Json, "{\"s\": {\"a\": tru}}", 1, 13),
        (Json, "{} {}", 1, 4),
        (Json, "{\"s\": [1]}", 1, 1),
        (Json, "{\"s\": \"a\nb\"}", 1, 7),
        (Json, "{ /* x", 1, 3),
        (Json, "[]", 1, 1),
        (Toml, "a = 1\na = 2\n", 2, 1),
        (Toml, "s = 3\n", 1, 1),
        (Yaml, "s: [1, 2]\n", 1, 1),
        (Yaml, "a: b\n  c: d\n", 2, 4),
        (Yaml, "a: 1\n---\nb: 2\n", 1, 1),
    ] {
        let fault = set(format, text, &["s", "prowess", "command"], &json!("x")).expect_err(text);
        assert_eq!(fault.position(text), (line, column), "{text:?}: {}", fault.message);
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
    let file = "l: # of us\n# own\n- a # one\n# next\n- 'b # c'\n- d\nz: 1\n";
    for (text, value, expected) in [
        (file, json!(["a", "b # c", "d", "e"]), Some(file.replace("- d", "- d\n- e"))),
        (
            file,
            json!(["x", "a", "d"]),
            Some(file.replace("of us", "of us\n- x").replace("- 'b # c'\n", "")),
        ),
        (file, json!(["b # c"]), Some(file.replace("- a # one\n", "").replace("- d\n", ""))),
        (
            "l:\r\n  - a # one\r\n  - b # two",
            json!(["b", "a"]),
            Some("l:\r\n  - b # two\r\n  - a # one".to_owned()),
        ),
        (file, json!([]), None),
        ("l: [\n  a, # one\n  b]\n", json!(["a"]), None),
        ("l:\n  - a: 1 # one\n    b: 2\n", json!(["a"]), None),
        ("l: |\n  no # text\n", json!("a"), Some("l: a\n".to_owned())),
    ] {
        let edited = set(Yaml, text, &["l"], &value);
        assert_eq!(edited.ok(), expected, "{value} in {text:?}");
    }
}

#[test]
fn array_keeps_every_comment() {
    // `#` stands for the comments of both formats.
    for (array, value, expected) in [
        (
            "[ # head⏎    \"-C\", # dir⏎    # own⏎    \"/a\", # where⏎    \"serve\" # last⏎    # tail⏎  ]",
            json!(["-C", "/b", "serve"]),
            "[ # head⏎    \"-C\", # dir⏎    # own⏎    \"/b\", # where⏎    \"serve\" # last⏎    # tail⏎  ]",
        ),
        (
            "[⏎    \"a\", # of a⏎    \"b\", # of b⏎    \"c\", # of c⏎  ]",
            json!(["b", "d"]),
            "[⏎    # of a⏎    \"b\", # of b⏎    \"d\", # of c⏎  ]",
        ),
        ("[\"a\", \"b\" # of b⏎  ]", json!(["b", "a"]), "[⏎    \"b\", # of b⏎    \"a\"⏎  ]"),
        ("[⏎    # of none⏎  ]", json!(["a"]), "[⏎    \"a\"⏎    # of none⏎  ]"),
        ("[⏎    \"a#\", # of a⏎  ]", json!([]), "[⏎    # of a⏎  ]"),
        ("[\"a#\",⏎    \"b\"]", json!(["b"]), "[\"b\"]"),
    ] {
        for (format, comment, start, end) in
            [(Json, "//", "{⏎  \"l\": ", "⏎}⏎"), (Toml, "#", "  l = ", "⏎z = 1⏎")]
        {
            for line in ["\n", "\r\n"] {
                let written = |array: &str| {
                    let array = array.replace(" #", &format!(" {comment}"));
                    format!("{start}{array}{end}").replace('⏎', line)
                };
                let edited = set(format, &written(array), &["l"], &value);
                assert_eq!(edited.ok(), Some(written(expected)), "{value} in {array}");
            }
        }
    }
    let block = "{\"l\": [/* a */ \"a\", \"b\" /* b */]}";
    let edited = set(Json, block, &["l"], &json!(["b"])).ok();
    assert_eq!(edited.as_deref(), Some("{\"l\": [ /* a */\n  \"b\" /* b */\n]}"));
}

#[test]
fn member_of_json_is_removed_and_comments_of_others_stay() {
    for (text, expected) in [
        ("{\n  \"a\": 1, // a\n  \"p\": 2\n}\n", "{\n  \"a\": 1 // a\n}\n"),
        (
            "{\n  \"a\": 1, /* a */\n  \"p\": 2, // p\n  // z\n}\n",
            "{\n  \"a\": 1, /* a */\n  // z\n}\n",
        ),
        ("{ // o\n  \"p\": 2, \"a\": 1 }\n", "{ // o\n  \"a\": 1 }\n"),
        ("{\"a\": 1, // a\n  \"p\": 2 }\n", "{\"a\": 1 // a\n  }\n"),
        ("{\"p\": 2, \"a\": 1}", "{\"a\": 1}"),
        ("{\"a\": 1, \"p\": 2}", "{\"a\": 1}"),
        ("{\n  // p\n  \"p\": 2,\n  \"a\": 1\n}", "{\n  // p\n  \"a\": 1\n}"),
    ] {
        let edited = unset(Json, text, &["p"]).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
        assert_eq!(edited.as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn key_of_yaml_is_removed_with_mappings_that_it_made() {
    for (text, key, expected) in [
        ("# c\na:\n  b: 1\nd: 2\n", "a.b", Some("# c\nd: 2\n")),
        (
            "\u{feff}a:\r\n  # kept\r\n  b: 1\r\n  c: 2\r\n",
            "a.b",
            Some("\u{feff}a:\r\n  # kept\r\n  c: 2\r\n"),
        ),
        ("a:\n  b:\n  - 1\n  - 2\n  c: 2", "a.b", Some("a:\n  c: 2")),
        ("a: { b: 1, c: 2 }\n", "a.b", Some("a: { c: 2 }\n")),
        ("a: { b: 1, c: 2 }\n", "a.c", Some("a: { b: 1 }\n")),
        ("a: { b: { c: 1 }, d: 2 }\n", "a.b.c", Some("a: { b: {}, d: 2 }\n")),
        ("a: { b: 1 }\n", "a.b", Some("a: {}\n")),
        ("{a: 1, b: 2}\n", "b", Some("{a: 1}\n")),
        ("a: 1\n", "b", None),
    ] {
        let path: Vec<_> = key.split('.').collect();
        let edited = unset(Yaml, text, &path).unwrap_or_else(|fault| panic!("{text:?}: {fault:?}"));
        assert_eq!(edited.as_deref(), expected, "{key} in {text:?}");
    }
    assert!(
        unset(Yaml, "x: &x {b: 1, c: 2}\na: *x\n", &["x", "b"]).is_err(),
        "`a` would change too"
    );
}

/// Everything that was there before stays: also an empty mapping, and a comment in it.
#[test]
fn what_was_set_is_removed_again() {
    for (format, text, path) in [
        (Json, "{}", "a.b"),
        (Json, "{\"a\":{},\"x\":1}", "a.b"),
        (Json, "{\n  \"a\": {},\n  \"x\": 1\n}\n", "a.b"),
        (Json, "{\n  \"a\": {\n    // mine\n  }\n}\n", "a.b"),
        (Json, "{\n  \"x\": 1\n}\n", "a.b"),
        (Json, "{\"x\": 1}", "a.b"),
        (Toml, "", "a.b"),
        (Toml, "x = 1\n", "a.b"),
        (Toml, "[a]\n", "a.b"),
        (Toml, "[a]\n# mine\n", "a.b"),
        (Toml, "a = {}\n", "a.b"),
        (Toml, "a = { x = 1 }\n", "a.b"),
        (Toml, "a = { x = {} }\n", "a.x.b"),
        (Yaml, "", "a.b"),
        (Yaml, "a: {}\n", "a.b"),
        (Yaml, "a: {}\nx: 1\n", "a.b"),
        (Yaml, "x: 1\n", "a.b"),
    ] {
        let path: Vec<_> = path.split('.').collect();
        let entry = json!({ "command": "prowess", "args": ["serve"] });
        let set = set_each(format, text, &path, &entry);
        let set = set.unwrap_or_else(|it| panic!("{text}: {it:?}"));
        let unset = unset(format, &set, &path).unwrap_or_else(|it| panic!("{set}: {it:?}"));
        assert_eq!(unset.as_deref(), Some(text), "after {set}");
    }
}
