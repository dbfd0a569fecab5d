//! Places, messages and help, as a user sees them.

use expect_test::{Expect, expect};
use prowess_format::{Code, Profile, codes};

use crate::support::{codes as codes_of, findings, skill};

fn check(yaml: &str, profile: Profile, expected: &Expect) {
    expected.assert_eq(&findings(&skill(yaml), profile));
}

#[test]
fn an_unquoted_colon_is_fixed_and_said() {
    let yaml = "name: pdf\ndescription: Use when: it rains\n";
    check(
        yaml,
        Profile::Lenient,
        &expect![[r#"
            3:22: warning[unquoted-colon]: an unquoted value holds a colon that YAML reads as the end of a key; the value is read as if it were quoted
              help: quote the value: `description: 'Use when: it rains'`
        "#]],
    );
    check(
        yaml,
        Profile::Spec,
        &expect![[r#"
            3:22: error[unquoted-colon]: an unquoted value holds a colon that YAML reads as the end of a key; the value is read as if it were quoted
              help: quote the value: `description: 'Use when: it rains'`
        "#]],
    );
    let file = skill(yaml);
    let document = prowess_format::parse(&file, Profile::Lenient).document;
    let description = document.expect("fixed").frontmatter.description;
    assert_eq!(description, "Use when: it rains");
}

#[test]
fn a_fixed_value_may_go_over_lines() {
    let yaml = "name: pdf\ndescription: First: a\n  then: b\n  done:\nfoo: ~^$=\n";
    check(
        yaml,
        Profile::Lenient,
        &expect![[r#"
            3:19: warning[unquoted-colon]: an unquoted value holds a colon that YAML reads as the end of a key; the value is read as if it were quoted
              help: quote the value: `description: 'First: a`
        "#]],
    );
    let file = skill(yaml);
    let document = prowess_format::parse(&file, Profile::Lenient).document.expect("fixed");
    assert_eq!(document.frontmatter.description, "First: a then: b done:");
    assert_eq!(
        document.frontmatter.fields.get("foo").and_then(|foo| foo.value.as_text()),
        Some("~^$=")
    );
}

#[test]
fn other_broken_yaml_is_not_fixed() {
    check(
        "name: pdf\ndescription: \"Foo\" bar\n",
        Profile::Lenient,
        &expect![[r#"
            3:20: error[yaml-invalid]: the frontmatter is not valid YAML: invalid trailing content after double-quoted scalar
              help: quote the value, or write it as a block with `|` and indented lines
        "#]],
    );
    check(
        "name: pdf\ndescription: @foo\n",
        Profile::Lenient,
        &expect![[r#"
            3:14: error[yaml-invalid]: a value that starts with `@` must be quoted
              help: quote the value, or write it as a block with `|` and indented lines
        "#]],
    );
    check(
        "name: pdf\ndescription: , x\n",
        Profile::Lenient,
        &expect![[r#"
            3:14: error[yaml-invalid]: a value that starts with `,` must be quoted
              help: quote the value, or write it as a block with `|` and indented lines
        "#]],
    );
    check(
        "name: pdf\ndescription: Fills\u{80} forms.\n",
        Profile::Lenient,
        &expect![[r#"
            3:19: error[yaml-invalid]: YAML does not allow the control character U+0080
              help: remove the character
        "#]],
    );
    check(
        "name: pdf\n  description: x\n",
        Profile::Lenient,
        &expect![[r#"
            3:14: error[yaml-invalid]: the frontmatter is not valid YAML: mapping values are not allowed in this context
              help: quote the value, or write it as a block with `|` and indented lines
        "#]],
    );
    check(
        "name: pdf\n\tdescription: x\n",
        Profile::Lenient,
        &expect![[r#"
            2:7: error[yaml-invalid]: the frontmatter is not valid YAML: while scanning a plain scalar, found a tab
              help: indent with spaces
        "#]],
    );
}

/// What a client reads of a description, and the findings of a checker.
fn fixed(yaml: &str, description: &str, expected: &Expect) {
    let file = skill(&format!("name: pdf\n{yaml}"));
    let parsed = prowess_format::parse(&file, Profile::Lenient);
    let found: Vec<_> = parsed.diagnostics.iter().map(|found| found.code.to_string()).collect();
    let document = parsed.document.unwrap_or_else(|| panic!("{yaml:?} is fixed: {found:?}"));
    assert_eq!(document.frontmatter.description, description, "{yaml:?}");
    for strict in [Profile::Extended, Profile::Spec, Profile::Strict, Profile::SkillsRef] {
        let is_fixed = prowess_format::parse(&file, strict).document.is_some();
        assert!(!is_fixed, "{yaml:?} is not fixed under {strict}");
    }
    crate::support::assert_sound(&file, &prowess_format::parse(&file, Profile::Lenient));
    expected.assert_eq(&findings(&file, Profile::Lenient));
}

#[test]
fn a_text_that_begins_with_a_bracket_is_read_as_text() {
    fixed(
        "description: [TODO: what it does]\n",
        "[TODO: what it does]",
        &expect![[r#"
        3:14: warning[flow-for-text]: YAML reads the bracket as the start of a list or a mapping; the value is read as text
          help: quote the value: `description: '[TODO: what it does]'`
    "#]],
    );
    fixed(
        "description: {{ summary }}\n",
        "{{ summary }}",
        &expect![[r#"
        3:14: warning[flow-for-text]: YAML reads the bracket as the start of a list or a mapping; the value is read as text
          help: quote the value: `description: '{{ summary }}'`
    "#]],
    );
    fixed(
        "description: [beta] It's new: try it\nlicense: MIT\n",
        "[beta] It's new: try it",
        &expect![[r#"
            3:14: warning[flow-for-text]: YAML reads the bracket as the start of a list or a mapping; the value is read as text
              help: quote the value: `description: '[beta] It''s new: try it'`
        "#]],
    );
    fixed(
        "description: [a,\n  b]\n",
        "[a, b]",
        &expect![[r#"
            3:14: warning[flow-for-text]: YAML reads the bracket as the start of a list or a mapping; the value is read as text
              help: quote the value: `description: '[a,\u{a}  b]'`
        "#]],
    );
    fixed(
        "description: [a\n",
        "[a",
        &expect![[r#"
        3:14: warning[flow-for-text]: YAML reads the bracket as the start of a list or a mapping; the value is read as text
          help: quote the value: `description: '[a'`
    "#]],
    );
}

#[test]
fn a_quote_that_is_not_closed_is_closed() {
    fixed(
        "description: \"Fills forms\nlicense: MIT\n",
        "Fills forms",
        &expect![[r#"
        3:14: warning[quote-unclosed]: the quote that begins here is not closed before the next field; it is read as if it were closed
          help: quote the value: `description: "Fills forms"`
    "#]],
    );
    fixed(
        "description: 'Fills\n  forms\nlicense: 'MIT\n",
        "Fills forms",
        &expect![[r#"
        3:14: warning[quote-unclosed]: the quote that begins here is not closed before the next field; it is read as if it were closed
          help: quote the value: `description: 'Fills`
        5:10: warning[quote-unclosed]: the quote that begins here is not closed before the next field; it is read as if it were closed
          help: quote the value: `license: 'MIT'`
    "#]],
    );
    fixed(
        "description: \"a: \\\"b\\\" c\n",
        "a: \"b\" c",
        &expect![[r#"
        3:14: warning[quote-unclosed]: the quote that begins here is not closed before the next field; it is read as if it were closed
          help: quote the value: `description: "a: \"b\" c"`
    "#]],
    );
    fixed(
        "license: 'MIT\ndescription: Use when: it rains # or not\n",
        "Use when: it rains",
        &expect![[r#"
            3:10: warning[quote-unclosed]: the quote that begins here is not closed before the next field; it is read as if it were closed
              help: quote the value: `license: 'MIT'`
            4:22: warning[unquoted-colon]: an unquoted value holds a colon that YAML reads as the end of a key; the value is read as if it were quoted
              help: quote the value: `description: 'Use when: it rains'`
            4:33: hint[description-cut]: the description ends at ` #`; the rest of the line is a comment
              help: quote the value if the `#` is part of its text
        "#]],
    );
}

#[test]
fn places_behind_a_fixed_value_are_those_of_the_file() {
    let file = skill("name: 'pdf\ndescription: a: 'b'\nmetadata:\n  é: é\n");
    let document = prowess_format::parse(&file, Profile::Lenient).document.expect("fixed");
    let fields = document.frontmatter.fields;
    let written = |span: &std::ops::Range<usize>| std::str::from_utf8(&file[span.clone()]);
    let description = fields.get("description").expect("it is there");
    assert_eq!(written(&description.value_span), Ok("a: 'b'"));
    let entry = &document.frontmatter.metadata.0[0];
    assert_eq!(written(&entry.key_span), Ok("é"));
    assert_eq!(written(&entry.value_span), Ok("é"));
    assert_eq!(entry.key_span.start + 4, entry.value_span.start);
}

#[test]
fn places_are_those_of_the_file() {
    check(
        "# é\nname: A\ndescripton: x\ndescription: é &x\nlicense: &é x\n",
        Profile::Spec,
        &expect![[r#"
            6:10: error[yaml-anchor]: an anchor (`&`) is not allowed in frontmatter
              help: quote the value if it starts with `&`, else write the value out where it is used
        "#]],
    );
    check(
        "name: pdf_x\ndescripton: x\nfoo: 1\nmetadata: [é]\nallowed-tools: Bash(x\n",
        Profile::Spec,
        &expect![[r#"
            1:1: error[description-missing]: the frontmatter has no `description`
              help: add a line `description: ` that says what the skill does and when to use it
            2:7: error[name-invalid]: a skill's name may only have `a` to `z`, `0` to `9` and `-`, but it has `_`
              help: rename the skill and its directory to `pdf-x`, or set `registry.name_rule: any` to accept it as it is
            3:1: error[misspelled-field]: unknown field `descripton`; did you mean `description`?
              help: write `description`
            4:1: error[unknown-field]: unknown field `foo`
              help: move it below `metadata`; the fields are `name`, `description`, `license`, `compatibility`, `metadata`, `allowed-tools`
            5:11: error[metadata-not-mapping]: `metadata` is a list, not a mapping
              help: write one indented `key: value` line for each entry
            6:16: error[allowed-tools-malformed]: `Bash(x` opens a bracket that is not closed
              help: write the tools with blanks between them, such as `Read Bash(git:*)`; until then the skill allows none
        "#]],
    );
    check(
        "name: pdf\nname: b\n",
        Profile::Lenient,
        &expect![[r#"
        3:1: error[yaml-duplicate-key]: duplicate key `name`
          help: keep one of the two
    "#]],
    );
    expect![[r#"
        1:1: hint[byte-order-mark]: the file starts with a byte order mark
          help: save it as UTF-8 without one; some clients find no frontmatter after it
        3:1: error[yaml-duplicate-key]: duplicate key `name`
          help: keep one of the two
    "#]]
    .assert_eq(&findings(b"\xef\xbb\xbf---\r\nname: pdf\r\nname: b\r\n---\r\n", Profile::Lenient));
    expect![[r#"
        1:1: error[frontmatter-unclosed]: the frontmatter is not closed
          help: add a line `---` after the last field
    "#]]
    .assert_eq(&findings("---\nname: é\u{fffd}".as_bytes(), Profile::Lenient));
    expect![[r#"
        2:10: error[not-utf8]: the byte 0xE9 is not UTF-8
          help: save the file as UTF-8
    "#]]
    .assert_eq(&findings(b"---\nname: caf\xe9\n---\n", Profile::Lenient));
}

#[test]
fn foreign_text_is_shown_on_one_line_and_cut() {
    let key = "k".repeat(200);
    check(
        &format!("name: pdf\ndescription: x\n\"a\\e\\n\u{202e}b\": 1\n{key}: 1\n"),
        Profile::Spec,
        &expect![[r#"
            4:1: error[unknown-field]: unknown field `a\u{1b}\u{a}\u{202e}b`
              help: move it below `metadata`; the fields are `name`, `description`, `license`, `compatibility`, `metadata`, `allowed-tools`
            5:1: error[unknown-field]: unknown field `kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk…`
              help: move it below `metadata`; the fields are `name`, `description`, `license`, `compatibility`, `metadata`, `allowed-tools`
        "#]],
    );
}

#[test]
fn a_hostile_file_gives_a_bounded_number_of_findings() {
    let yaml: String = (0..3000).map(|number| format!("k{number}: 1\n")).collect();
    let found = prowess_format::parse(&skill(&yaml), Profile::Spec).diagnostics.len();
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
        let document = prowess_format::parse(&file, Profile::Lenient).document.expect("repaired");
        let field = document.frontmatter.fields.get(key).expect("the field is there");
        assert_eq!(field.value.as_text(), Some(text), "the text is what the author wrote");
        assert!(prowess_format::parse(&file, Profile::Strict).document.is_none(), "{line}");
    }
    for line in ["scope: {agents: [a}", "requires: [a] [b]", "hooks: {a] b", "allowed-tools: [a] b"]
    {
        let file = skill(&format!("name: pdf\ndescription: x\n{line}\n"));
        assert_eq!(codes_of(&file, Profile::Lenient), ["yaml-invalid"], "{line} decides something");
    }
}

#[test]
fn a_list_for_a_text_shows_the_text() {
    check(
        "name: pdf\ndescription: x\ncompatibility:\n  - Python\n  - Linux\n",
        Profile::Spec,
        &expect![[r#"
            5:3: error[field-not-text]: `compatibility` is a list, not a text
              help: write one text on the line of the key: `compatibility: Python, Linux`
        "#]],
    );
}
