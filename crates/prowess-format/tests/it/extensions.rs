//! Fields beside the standard's: their types, their values and who asks for them.

use expect_test::{expect, expect_file};
use prowess_format::{Extension, Extensions, FieldKind, Profile, Rules, parse_with};

use crate::support::{assert_sound, rows, skill, summarized};

/// The findings of a file whose fields come after a name and a description.
fn found(fields: &str, extensions: Extensions, profile: Profile) -> String {
    let rules = Rules { extensions, ..Rules::of(profile) };
    let file = skill(&format!("name: pdf\ndescription: x\n{fields}"));
    let parsed = parse_with(&file, &rules);
    assert_sound(&file, &parsed);
    let (_, of_head) = summarized(&file, None, &rules);
    assert_eq!(of_head, parsed.diagnostics, "the summary finds the same");
    parsed.diagnostics.iter().map(|found| format!("{found}\n")).collect()
}

#[test]
fn well_formed_fields_of_every_extension_pass() {
    for fields in rows::<String>(include_str!("../data/extensions-good.json")) {
        let found = found(&fields, Extensions::standard(), Profile::Extended);
        assert_eq!(found, "", "{fields}");
    }
}

/// Each row of the table is fields and the extensions that are read, with what is found.
#[test]
fn values_of_another_type_are_reported_with_their_place() {
    let table = include_str!("../data/extensions-bad.txt");
    let found = table.lines().filter(|line| line.starts_with('[')).map(|written| {
        let (fields, names): (String, Vec<&str>) = serde_json::from_str(written).expect("JSON");
        let extensions = Extensions::standard().only(&names);
        format!("{written}\n{}\n", found(&fields, extensions, Profile::Extended))
    });
    expect_file!["../data/extensions-bad.txt"].assert_eq(&found.collect::<String>());
}

#[test]
fn a_misspelt_extension_field_gets_a_suggestion() {
    let helps = |fields: &str| -> Vec<String> {
        let file = skill(&format!("name: pdf\ndescription: x\n{fields}"));
        let found = parse_with(&file, &Rules::of(Profile::Extended)).diagnostics;
        found.into_iter().map(|found| format!("{}: {}", found.code, found.help)).collect()
    };
    let cases = [
        ("argument: [a]\n", "misspelled-field: write `arguments`"),
        ("argument_hint: x\n", "misspelled-field: write `argument-hint`"),
        ("when-to-use: x\n", "misspelled-field: write `when_to_use`"),
        ("tag: [a]\n", "misspelled-field: write `tags`"),
        ("scope: {agent: [a]}\n", "extension-value-unknown: did you mean `agents`?"),
    ];
    for (fields, expected) in cases {
        assert_eq!(helps(fields), [expected], "{fields}");
    }
    // What is there under its own name is not missing.
    let both = helps("tags: [a]\ntag: b\n");
    assert!(both[0].starts_with("unknown-field"), "{both:?}");
}

#[test]
fn paths_of_hooks_stay_in_the_package() {
    for path in ["/etc/x", "..", "a/../b", "a//b", "C:x", "'a\\b'", "a/", "."] {
        let fields = format!("hooks:\n  pre: {path}\n");
        let found = found(&fields, Extensions::standard(), Profile::Extended);
        assert!(found.contains("error[extension-path]"), "{path} leaves the package: {found}");
    }
}

#[test]
fn a_value_may_fit_any_extension_that_declares_its_field() {
    let both = "hooks: {pre: a.sh}\n";
    assert_eq!(found(both, Extensions::standard(), Profile::Extended), "");
    assert!(
        found(both, Extensions::standard().only(&["claude-code"]), Profile::Extended)
            .contains("unknown entry `hooks.pre`")
    );
}

#[test]
fn a_document_with_many_small_mistakes_is_read_with_a_finding_for_each() {
    let text = "\u{feff}---\r\nname: tolerant-skill\r\ndescription: '  Talks of a topic. '\r\n\
                insert: elsewhere\r\narguments:\r\n  - name: topic\r\n    description: 42\r\n    \
                default: Go\r\n  - name: \"invalid name\"\r\n  - name: topic\r\n\
                tags: [writing, ' ', 42, writing]\r\ncustom:\r\n  nested: kept\r\n...\r\n\
                # Tolerant Skill\n\nDiscuss $topic and {{ unknown }}.\n";
    let extensions = Extensions::standard().only(&["flexigpt"]);
    let rules = Rules { extensions, ..Rules::of(Profile::Lenient) };
    let parsed = parse_with(text.as_bytes(), &rules);
    let found: String = parsed.diagnostics.iter().map(|found| format!("{found}\n")).collect();
    expect_file!["../data/extensions-findings.txt"].assert_eq(&found);
    let document = parsed.document.expect("nothing is an error");
    assert_eq!(document.title(), Some("Tolerant Skill"), "the name for people");
    assert_eq!(document.frontmatter.description, "Talks of a topic.");
    assert_eq!(document.body, "# Tolerant Skill\n\nDiscuss $topic and {{ unknown }}.\n");
    let custom = document.frontmatter.fields.get("custom").and_then(|field| field.value.as_map());
    assert!(custom.is_some_and(|custom| custom.get("nested").is_some()), "unknown fields are kept");
}

#[test]
fn a_profile_of_the_standard_refuses_the_fields_of_an_extension() {
    let fields = "tags: [a]\n";
    for profile in [Profile::Spec, Profile::Strict, Profile::SkillsRef] {
        let found = found(fields, Extensions::standard(), profile);
        assert!(found.contains("error[extension-field]"), "under {profile}: {found}");
    }
    assert_eq!(found(fields, Extensions::none(), Profile::Lenient), "");
}

/// A skill for one client stays usable there: the advice is neither to move such a field below
/// `metadata`, where that client does not look, nor to remove it.
#[test]
fn fields_of_claude_code_are_kept() {
    for field in
        ["argument-hint: '[file]'", "user-invocable: false", "disable-model-invocation: true"]
    {
        let file = skill(&format!("name: pdf\ndescription: x\n{field}\n"));
        let rules = Rules { extensions: Extensions::standard(), ..Rules::of(Profile::Spec) };
        let found = parse_with(&file, &rules).diagnostics;
        let [found] = &found[..] else { panic!("{field}: one finding, not {found:?}") };
        assert_eq!(found.code.as_str(), "extension-field", "{field}");
        assert!(found.message.contains("claude-code"), "{field}: {}", found.message);
        assert!(found.help.contains("keep it"), "{field}: {}", found.help);
        assert!(!found.help.contains("metadata"), "{field}: {}", found.help);
    }
}

#[test]
fn a_host_registers_its_own() {
    let own = Extension::new("acme", "1")
        .field("team", FieldKind::filled())
        .field("metadata.level", FieldKind::Integer(1..=3))
        .field_only_with("owner", FieldKind::Text, ("team", "red"));
    let extensions = Extensions::none().with(own.clone()).with(own);
    assert_eq!(extensions.iter().count(), 1, "one of the same name takes its place");
    let good = "team: red\nowner: me\nmetadata: {level: 2}\n";
    assert_eq!(found(good, extensions.clone(), Profile::Extended), "");
    let bad =
        found("team: 1\nowner: me\nmetadata: {level: 4}\n", extensions.clone(), Profile::Extended);
    expect![[r#"
        4:7: error[extension-field-type]: `team` is a number, not a text
        5:1: warning[extension-field-idle]: `owner` has no effect without `team: red`
        6:19: error[extension-value-invalid]: `metadata.level` is out of range, not a whole number
    "#]]
    .assert_eq(&bad);
    let rules = Rules { extensions, ..Rules::of(Profile::Lenient) };
    let file = skill(&format!("name: pdf\ndescription: x\n{good}"));
    let fields = parse_with(&file, &rules).document.expect("no error").frontmatter.fields;
    let value =
        |path| rules.extensions.value(&fields, "acme", path).and_then(|value| value.as_text());
    assert_eq!(value("metadata.level"), Some("2"));
    assert_eq!(value("team"), Some("red"));
    assert_eq!(value("missing"), None);
}
