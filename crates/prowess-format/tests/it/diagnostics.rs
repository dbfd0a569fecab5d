//! The places of findings, and what they tell an author to do. The page of codes has the messages.

use prowess_format::{Code, Diagnostic, Profile, codes, parse};

use crate::support::{assert_sound, codes as codes_of, rows, skill};

/// Returns a finding as its place, its severity, its code and its help.
fn shown(found: &Diagnostic) -> String {
    let (line, column) = (found.line.unwrap_or(0), found.column.unwrap_or(0));
    format!("{line}:{column} {} {}: {}", found.severity, found.code, found.help)
}

#[track_caller]
fn check_file(file: &[u8], profile: Profile, expected: &[String]) {
    let found: Vec<_> = parse(file, profile).diagnostics.iter().map(shown).collect();
    assert_eq!(found, expected, "{}", String::from_utf8_lossy(file));
}

/// Checks that only the lenient profile reads a file, with this description and these findings.
#[track_caller]
fn check_fixed(yaml: &str, description: &str, expected: &[String]) {
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

/// A colon, a bracket at the start, a quote that is not closed.
#[test]
fn values_that_should_be_quoted_are_fixed_and_reported() {
    let values = include_str!("../data/fixed-values.json");
    for (yaml, description, expected) in rows::<(String, String, Vec<String>)>(values) {
        check_fixed(&yaml, &description, &expected);
    }
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
    let files = include_str!("../data/places.json");
    for (profile, file, expected) in rows::<(Profile, String, Vec<String>)>(files) {
        check_file(file.as_bytes(), profile, &expected);
    }
    let encoded = "2:10 error not-utf8: save the file as UTF-8".to_owned();
    check_file(b"---\nname: caf\xe9\n---\n", Profile::Lenient, &[encoded]);
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
