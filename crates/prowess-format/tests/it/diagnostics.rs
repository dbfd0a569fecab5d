//! The places of findings, and what they tell an author to do. The page of codes has the messages.

use prowess_format::{Code, Diagnostic, Profile, codes, parse};

use crate::support::{assert_sound, codes as codes_of, skill};

/// Returns a finding as its place, its severity, its code and its help.
fn shown(found: &Diagnostic) -> String {
    let (line, column) = (found.line.unwrap_or(0), found.column.unwrap_or(0));
    format!("{line}:{column} {} {}: {}", found.severity, found.code, found.help)
}

#[track_caller]
fn check_file(file: &[u8], profile: Profile, expected: &[&str]) {
    let found: Vec<_> = parse(file, profile).diagnostics.iter().map(shown).collect();
    assert_eq!(found, expected);
}

#[track_caller]
fn check(yaml: &str, profile: Profile, expected: &[&str]) {
    check_file(&skill(yaml), profile, expected);
}

/// Checks that only the lenient profile reads a file, with this description and these findings.
#[track_caller]
fn check_fixed(yaml: &str, description: &str, expected: &[&str]) {
    let file = skill(&format!("name: pdf\n{yaml}"));
    check_file(&file, Profile::Lenient, expected);
    let parsed = parse(&file, Profile::Lenient);
    assert_sound(&file, &parsed);
    let document = parsed.document.unwrap_or_else(|| panic!("{yaml:?} is fixed"));
    assert_eq!(document.frontmatter.description, description, "{yaml:?}");
    for strict in [Profile::Extended, Profile::Spec, Profile::Strict, Profile::SkillsRef] {
        assert!(parse(&file, strict).document.is_none(), "{yaml:?} is not fixed under {strict}");
    }
}

#[test]
fn unquoted_colon_is_fixed_and_reported() {
    let help = "unquoted-colon: quote the value: `description: 'Use when: it rains'`";
    let yaml = "description: Use when: it rains\n";
    check_fixed(yaml, "Use when: it rains", &[&format!("3:22 warning {help}")]);
    check(&format!("name: pdf\n{yaml}"), Profile::Spec, &[&format!("3:22 error {help}")]);
    let help = "3:19 warning unquoted-colon: quote the value: `description: 'First: a`";
    let lines = "description: First: a\n  then: b\n  done:\nfoo: ~^$=\n";
    check_fixed(lines, "First: a then: b done:", &[help]);
}

#[test]
fn other_broken_yaml_is_not_fixed_where_that_is_an_error() {
    let quote = "quote the value, or write it as a block with `|` and indented lines";
    for (yaml, place, message, help) in [
        ("description: \"Foo\" bar", "3:20", "trailing content after double-quoted scalar", quote),
        ("description: @foo", "3:14", "a value that starts with `@` must be quoted", quote),
        ("description: , x", "3:14", "a value that starts with `,` must be quoted", quote),
        ("description: a\u{80} b", "3:15", "control character U+0080", "remove the character"),
        ("  description: x", "3:14", "mapping values are not allowed in this context", quote),
        ("\tdescription: x", "2:7", "while scanning a plain scalar", "indent with spaces"),
    ] {
        let found = parse(&skill(&format!("name: pdf\n{yaml}\n")), Profile::Spec).diagnostics;
        let [found] = &found[..] else { panic!("{yaml:?}: one finding, not {found:?}") };
        assert_eq!(shown(found), format!("{place} error yaml-invalid: {help}"), "{yaml:?}");
        assert!(found.message.contains(message), "{yaml:?}: {found}");
    }
}

#[test]
fn text_that_begins_with_a_bracket_is_read_as_text() {
    for (value, description, quoted) in [
        ("[TODO: what it does]", "[TODO: what it does]", "[TODO: what it does]"),
        ("{{ summary }}", "{{ summary }}", "{{ summary }}"),
        ("[beta] It's new: try it", "[beta] It's new: try it", "[beta] It''s new: try it"),
        ("[a,\n  b]", "[a, b]", "[a,\\u{a}  b]"),
        ("[a", "[a", "[a"),
    ] {
        let help = format!("flow-for-text: quote the value: `description: '{quoted}'`");
        let finding = format!("3:14 warning {help}");
        check_fixed(&format!("description: {value}\nlicense: MIT\n"), description, &[&finding]);
    }
}

#[test]
fn quote_that_is_not_closed_is_closed() {
    let at_3_14 = "3:14 warning quote-unclosed: quote the value: `description: ";
    let fills = format!("{at_3_14}\"Fills forms\"`");
    check_fixed("description: \"Fills forms\nlicense: MIT\n", "Fills forms", &[&fills]);
    let escaped = format!("{at_3_14}\"a: \\\"b\\\" c\"`");
    check_fixed("description: \"a: \\\"b\\\" c\n", "a: \"b\" c", &[&escaped]);
    check_fixed(
        "description: 'Fills\n  forms\nlicense: 'MIT\n",
        "Fills forms",
        &[
            &format!("{at_3_14}'Fills`"),
            "5:10 warning quote-unclosed: quote the value: `license: 'MIT'`",
        ],
    );
    check_fixed(
        "license: 'MIT\ndescription: Use when: it rains # or not\n",
        "Use when: it rains",
        &[
            "3:10 warning quote-unclosed: quote the value: `license: 'MIT'`",
            "4:22 warning unquoted-colon: quote the value: `description: 'Use when: it rains'`",
            "4:33 hint description-cut: quote the value if the `#` is part of its text",
        ],
    );
}

#[test]
fn places_after_a_fixed_value_are_those_of_the_file() {
    let file = skill("name: 'pdf\ndescription: a: 'b'\nfoo: ~^$=\nmetadata:\n  é: é\n");
    let frontmatter = parse(&file, Profile::Lenient).document.expect("fixed").frontmatter;
    let written = |span: &std::ops::Range<usize>| std::str::from_utf8(&file[span.clone()]);
    let field = |key| frontmatter.fields.get(key).expect("it is there");
    assert_eq!(written(&field("description").value_span), Ok("a: 'b'"));
    assert_eq!(field("foo").value.as_text(), Some("~^$="));
    let entry = &frontmatter.metadata.0[0];
    assert_eq!((written(&entry.key_span), written(&entry.value_span)), (Ok("é"), Ok("é")));
    assert_eq!(entry.key_span.start + 4, entry.value_span.start);
}

#[test]
fn places_are_those_of_the_file() {
    check(
        "# é\nname: A\ndescripton: x\ndescription: é &x\nlicense: &é x\n",
        Profile::Spec,
        &[
            "6:10 error yaml-anchor: quote the value if it starts with `&`, else write the value out \
           where it is used",
        ],
    );
    check(
        "name: pdf_x\ndescripton: x\nfoo: 1\nmetadata: [é]\nallowed-tools: Bash(x\n",
        Profile::Spec,
        &[
            "1:1 error description-missing: add a line `description: ` that says what the skill \
             does and when to use it",
            "2:7 error name-invalid: rename the skill and its directory to `pdf-x`, or set \
             `registry.name_rule: any` to accept it as it is",
            "3:1 error misspelled-field: write `description`",
            "4:1 error unknown-field: move it below `metadata`; the fields are `name`, \
             `description`, `license`, `compatibility`, `metadata`, `allowed-tools`",
            "5:11 error metadata-not-mapping: write one indented `key: value` line for each entry",
            "6:16 error allowed-tools-malformed: write the tools with blanks between them, such as \
             `Read Bash(git:*)`; until then the skill allows none",
        ],
    );
    let twice = "3:1 error yaml-duplicate-key: keep one of the two";
    check("name: pdf\nname: b\n", Profile::Spec, &[twice]);
    let mark = "1:1 hint byte-order-mark: save it as UTF-8 without one; some clients find no \
                frontmatter after it";
    let marked = b"\xef\xbb\xbf---\r\nname: pdf\r\nname: b\r\n---\r\n";
    check_file(marked, Profile::Spec, &[mark, twice]);
    let unclosed = "1:1 error frontmatter-unclosed: add a line `---` after the last field";
    check_file("---\n# Forms\nname: é\u{fffd}".as_bytes(), Profile::Lenient, &[unclosed]);
    let at = format!("{unclosed}, which seems to end in line 3");
    let file = "---\nname: pdf\ndescription: x\n\n# Forms\nuser-invocable: false\n";
    check_file(file.as_bytes(), Profile::ClaudeCode, &[&at]);
    let encoded = "2:10 error not-utf8: save the file as UTF-8";
    check_file(b"---\nname: caf\xe9\n---\n", Profile::Lenient, &[encoded]);
    let listed = "5:3 error field-not-text: write one text on the line of the key: \
                  `compatibility: Python, Linux`";
    let list = "name: pdf\ndescription: x\ncompatibility:\n  - Python\n  - Linux\n";
    check(list, Profile::Spec, &[listed]);
}

#[test]
fn foreign_text_is_shown_on_one_line_and_cut() {
    let key = "k".repeat(200);
    let yaml = format!("name: pdf\ndescription: x\n\"a\\e\\n\u{202e}b\": 1\n{key}: 1\n");
    let found = parse(&skill(&yaml), Profile::Spec).diagnostics;
    let messages: Vec<_> = found.iter().map(|found| found.message.as_str()).collect();
    let cut = format!("unknown field `{}…`", &key[..80]);
    assert_eq!(messages, ["unknown field `a\\u{1b}\\u{a}\\u{202e}b`", &cut]);
}

#[test]
fn a_hostile_file_gives_a_bounded_number_of_findings() {
    let yaml: String = (0..3000).map(|number| format!("k{number}: 1\n")).collect();
    let found = parse(&skill(&yaml), Profile::Spec).diagnostics.len();
    assert!(found <= 100, "{found} findings");
}

#[test]
fn every_code_has_a_severity_or_silence_and_a_name_of_its_own() {
    let mut names: Vec<_> = codes::ALL.iter().map(|entry| entry.code.as_str()).collect();
    for code in codes::ALL.iter().map(|entry| &entry.code) {
        assert!(
            code.as_str()
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
            "{code} is lower case with hyphens"
        );
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), codes::ALL.len(), "no two codes are equal");
}

#[test]
fn every_code_is_explained_by_a_file_that_gives_it() {
    for code in codes::ALL.iter().map(|entry| &entry.code) {
        let Some(explanation) = codes::explain(code) else {
            panic!("the example of `{code}` gives `{code}`");
        };
        let diagnostic = explanation.diagnostic.expect("an example produces its code");
        assert_eq!(&diagnostic.code, code);
        assert!(explanation.meaning.ends_with('.'), "`{code}` is explained in a sentence");
        assert!(!explanation.meaning.contains("crate::"), "`{code}` is explained to users");
        assert!(!diagnostic.help.is_empty(), "`{code}` says what to do");
    }
    assert!(codes::explain(&Code::new("no-such-code")).is_none());
}

#[test]
fn the_page_of_codes_is_up_to_date() {
    // `cargo xtask codes` writes it; what is behind this crate's part is that of whole packages.
    let page = include_str!("../../../prowess-cli/DIAGNOSTICS.md");
    assert!(page.starts_with(&codes::page()), "`cargo xtask codes` has not been run");
}

#[test]
fn brackets_at_the_start_of_a_text_are_repaired_in_every_text_field() {
    for line in [
        "argument-hint: [file] [format]",
        "argument-hint: [file] or more",
        "when_to_use: [urgent] mail",
        "usage: [file] [format]",
        "license: [MIT] or later",
    ] {
        let file = skill(&format!("name: pdf\ndescription: x\n{line}\n"));
        assert_eq!(codes_of(&file, Profile::Lenient), ["flow-for-text"], "{line} is read as text");
        let (key, text) = line.split_once(": ").expect("a field");
        let document = parse(&file, Profile::Lenient).document.expect("repaired");
        let field = document.frontmatter.fields.get(key).expect("the field is there");
        assert_eq!(field.value.as_text(), Some(text), "the text is what the author wrote");
        assert!(parse(&file, Profile::Strict).document.is_none(), "{line}");
    }
    for line in ["scope: {agents: [a}", "requires: [a] [b]", "hooks: {a] b"] {
        let file = skill(&format!("name: pdf\ndescription: x\n{line}\n"));
        assert_eq!(codes_of(&file, Profile::Lenient), ["yaml-invalid"], "{line} decides something");
    }
}
