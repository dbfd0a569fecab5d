//! The reference tool's messages. Each expectation was compared with the tool itself.

use expect_test::{Expect, expect};
use prowess_format::write::scaffold;
use prowess_lint::reference::{Crash, Error, read_properties, validate};

/// A file with this frontmatter and a short body.
fn skill(yaml: &str) -> Vec<u8> {
    format!("---\n{yaml}---\nBody\n").into_bytes()
}

/// The tool's messages about a skill in a directory `pdf`, or the JSON of its properties.
fn check(yaml: &str, expected: &Expect) {
    let file = skill(yaml);
    let messages = validate(&file, "pdf").expect("the tool does not crash").join("\n");
    let shown = match read_properties(&file) {
        Ok(properties) if messages.is_empty() => properties.to_json(),
        Ok(properties) => format!("{messages}\n{}", properties.to_json()),
        Err(Error::Message(message)) if message == messages => message,
        Err(error) => format!("{messages}\n{error}"),
    };
    // A place at the end of the text shows an empty line, which a snapshot cannot hold.
    let lines: Vec<_> = shown.lines().map(str::trim_end).collect();
    expected.assert_eq(&format!("{}\n", lines.join("\n")));
}

#[test]
fn properties_are_texts_in_the_tool_s_order() {
    check(
        "metadata:\n  n: 1.10\n  l:\n    - x\n    - it's\n  m:\n    a: \"q\\\"'\\n\"\nallowed-tools: Read\n\
         license:\nname: pdf\ndescription: |\n  é \u{1f600}\n  \"x\"\n",
        &expect![[r#"
            {
              "name": "pdf",
              "description": "\u00e9 \ud83d\ude00\n\"x\"",
              "license": "",
              "allowed-tools": "Read",
              "metadata": {
                "n": "1.10",
                "l": "['x', \"it's\"]",
                "m": "{'a': 'q\"\\'\\n'}"
              }
            }
        "#]],
    );
}

#[test]
fn rules_of_the_fields() {
    check(
        "name: Ab__c-\ndescription: x\nfoo: 1\nbar: 2\n",
        &expect![[r#"
            Unexpected fields in frontmatter: bar, foo. Only ['allowed-tools', 'compatibility', 'description', 'license', 'metadata', 'name'] are allowed.
            Skill name 'Ab__c-' must be lowercase
            Skill name cannot start or end with a hyphen
            Skill name 'Ab__c-' contains invalid characters. Only letters, digits, and hyphens are allowed.
            Directory name 'pdf' must match skill name 'Ab__c-'
            {
              "name": "Ab__c-",
              "description": "x"
            }
        "#]],
    );
    check(
        "name: -a--b\ndescription: ''\ncompatibility:\n  - a\n",
        &expect![[r#"
            Skill name cannot start or end with a hyphen
            Skill name cannot contain consecutive hyphens
            Directory name 'pdf' must match skill name '-a--b'
            Field 'description' must be a non-empty string
            Field 'compatibility' must be a string
            Field 'description' must be a non-empty string
        "#]],
    );
    check(
        "name:\n  - a\n",
        &expect![[r#"
        Field 'name' must be a non-empty string
        Missing required field in frontmatter: description
        Missing required field in frontmatter: description
    "#]],
    );
    check(
        "name: 技能\ndescription: x\n",
        &expect![[r#"
        Directory name 'pdf' must match skill name '技能'
        {
          "name": "\u6280\u80fd",
          "description": "x"
        }
    "#]],
    );
    check(
        "- a\n",
        &expect![[r#"
        SKILL.md frontmatter must be a YAML mapping
    "#]],
    );
    check(
        "",
        &expect![[r#"
        SKILL.md frontmatter must be a YAML mapping
    "#]],
    );
    let long = |count| "x".repeat(count);
    let yaml =
        format!("name: {}\ndescription: {}\ncompatibility: {}\n", long(65), long(1025), long(501));
    let messages = validate(&skill(&yaml), &long(65)).expect("no crash");
    assert_eq!(messages.len(), 3, "{messages:?}");
}

#[test]
fn files_without_frontmatter() {
    let missing = "SKILL.md must start with YAML frontmatter (---)";
    let unclosed = "SKILL.md frontmatter not properly closed with ---";
    let cases: &[(&str, &str)] = &[
        ("", missing),
        ("# Title\n", missing),
        ("\n---\nname: pdf\n---\n", missing),
        ("\u{feff}---\nname: pdf\n---\n", missing),
        ("---\nname: pdf\n", unclosed),
        ("---\nname: pdf\n...\n", unclosed),
    ];
    for (text, message) in cases {
        assert_eq!(validate(text.as_bytes(), "pdf"), Ok(vec![(*message).to_owned()]), "{text:?}");
    }
}

#[test]
fn the_second_three_dashes_close_wherever_they_stand() {
    let text = b"---\nname: pdf\ndescription: a --- b\n---\n";
    let properties = read_properties(text).expect("the tool reads it");
    assert_eq!(properties.description, "a");
}

#[test]
fn broken_yaml() {
    for (yaml, expected) in [
        (
            "name: pdf\ndescription: Use when: x\n",
            expect![[r#"
            Invalid YAML in frontmatter: mapping values are not allowed here
              in "<unicode string>", line 3, column 22:
                description: Use when: x
                                     ^ (line: 3)
        "#]],
        ),
        (
            "name: pdf\ndescription: \"a\" b\n",
            expect![[r#"
            Invalid YAML in frontmatter: while parsing a block mapping
              in "<unicode string>", line 2, column 1:
                name: pdf
                ^ (line: 2)
            expected <block end>, but found '<scalar>'
              in "<unicode string>", line 3, column 18:
                description: "a" b
                                 ^ (line: 3)
        "#]],
        ),
        (
            "name: pdf\ndescription: 'a\n",
            expect![[r#"
            Invalid YAML in frontmatter: while scanning a quoted scalar
              in "<unicode string>", line 3, column 14:
                description: 'a
                             ^ (line: 3)
            found unexpected end of stream
              in "<unicode string>", line 4, column 1:
    
                ^ (line: 4)
        "#]],
        ),
        (
            "name: pdf\ndescription: @a\n",
            expect![[r#"
            Invalid YAML in frontmatter: while scanning for the next token
            found character '@' that cannot start any token
              in "<unicode string>", line 3, column 14:
                description: @a
                             ^ (line: 3)
        "#]],
        ),
        (
            "name: pdf\n\tdescription: a\n",
            expect![[r#"
            Invalid YAML in frontmatter: while scanning for the next token
            found character '\t' that cannot start any token
              in "<unicode string>", line 3, column 1:
                	description: a
                ^ (line: 3)
        "#]],
        ),
        (
            "name: pdf\ndescription: > a\n",
            expect![[r#"
            Invalid YAML in frontmatter: while scanning a block scalar
              in "<unicode string>", line 3, column 14:
                description: > a
                             ^ (line: 3)
            expected a comment or a line break, but found 'a'
              in "<unicode string>", line 3, column 16:
                description: > a
                               ^ (line: 3)
        "#]],
        ),
        (
            "name: pdf\ndescription: - a\n",
            expect![[r#"
            Invalid YAML in frontmatter: sequence entries are not allowed here
              in "<unicode string>", line 3, column 14:
                description: - a
                             ^ (line: 3)
        "#]],
        ),
        (
            "name: pdf\n description: a\n",
            expect![[r#"
            Invalid YAML in frontmatter: mapping values are not allowed here
              in "<unicode string>", line 3, column 13:
                 description: a
                            ^ (line: 3)
        "#]],
        ),
        (
            "name: \"\\q\"\n",
            expect![[r#"
            Invalid YAML in frontmatter: while scanning a double-quoted scalar
              in "<unicode string>", line 2, column 7:
                name: "\q"
                      ^ (line: 2)
            found unknown escape character 'q'
              in "<unicode string>", line 2, column 9:
                name: "\q"
                        ^ (line: 2)
        "#]],
        ),
        (
            "name: \"\\xg\"\n",
            expect![[r#"
            Invalid YAML in frontmatter: while scanning a double-quoted scalar
              in "<unicode string>", line 2, column 7:
                name: "\xg"
                      ^ (line: 2)
            expected escape sequence of 2 hexdecimal numbers, but found 'g'
              in "<unicode string>", line 2, column 10:
                name: "\xg"
                         ^ (line: 2)
        "#]],
        ),
        (
            "%YAML 2.0\n--- \nname: pdf\n",
            expect![[r#"
            Invalid YAML in frontmatter: found incompatible YAML document (version 1.* is required)
              in "<unicode string>", line 2, column 1:
                %YAML 2.0
                ^ (line: 2)
        "#]],
        ),
        (
            "name: pdf\n...\nb: c\n",
            expect![[r#"
            Invalid YAML in frontmatter: expected a single document in the stream
              in "<unicode string>", line 2, column 1:
                name: pdf
                ^ (line: 2)
            but found another document
              in "<unicode string>", line 4, column 1:
                b: c
                ^ (line: 4)
        "#]],
        ),
    ] {
        check(yaml, &expected);
    }
}

#[test]
fn what_strictyaml_refuses() {
    for (yaml, expected) in [
        (
            "name: pdf\nallowed-tools: [Read, Write]\n",
            expect![[r#"
            Invalid YAML in frontmatter: While scanning
              in "<unicode string>", line 3, column 16:
                allowed-tools: [Read, Write]
                               ^ (line: 3)
            Found ugly disallowed JSONesque flow mapping (surround with ' and ' to make text appear literally)
              in "<unicode string>", line 3, column 17:
                allowed-tools: [Read, Write]
                                ^ (line: 3)
        "#]],
        ),
        (
            "{name: pdf}\n",
            expect![[r#"
            Invalid YAML in frontmatter: While scanning
              in "<unicode string>", line 2, column 1:
                {name: pdf}
                ^ (line: 2)
            Found ugly disallowed JSONesque flow mapping (surround with ' and ' to make text appear literally)
              in "<unicode string>", line 2, column 2:
                {name: pdf}
                 ^ (line: 2)
        "#]],
        ),
        (
            "name: &a pdf\n",
            expect![[r#"
            Invalid YAML in frontmatter: While scanning
              in "<unicode string>", line 2, column 7:
                name: &a pdf
                      ^ (line: 2)
            Found confusing disallowed anchor token (surround with ' and ' to make text appear literally)
              in "<unicode string>", line 2, column 9:
                name: &a pdf
                        ^ (line: 2)
        "#]],
        ),
        (
            "name: *a\n",
            expect![[r#"
            Invalid YAML in frontmatter: found undefined alias 'a'
              in "<unicode string>", line 2, column 7:
                name: *a
                      ^ (line: 2)
        "#]],
        ),
        (
            "name: !a pdf\n",
            expect![[r#"
            Invalid YAML in frontmatter: While scanning
              in "<unicode string>", line 2, column 9:
                name: !a pdf
                        ^ (line: 2)
            Found disallowed tag tokens (do not specify types in markup)
              in "<unicode string>", line 2, column 7:
                name: !a pdf
                      ^ (line: 2)
        "#]],
        ),
        (
            "name: pdf\nname: pdf\n",
            expect![[r#"
            Invalid YAML in frontmatter: While parsing
              in "<unicode string>", line 3, column 1:
                name: pdf
                ^ (line: 3)
            Duplicate key 'name' found
              in "<unicode string>", line 3, column 5:
                name: pdf
                    ^ (line: 3)
        "#]],
        ),
        (
            "<<: a\n",
            expect![[r#"
            Invalid YAML in frontmatter: while constructing a mapping
              in "<unicode string>", line 2, column 1:
                <<: a
                ^ (line: 2)
            expected a mapping or list of mappings for merging, but found scalar
              in "<unicode string>", line 2, column 5:
                <<: a
                    ^ (line: 2)
        "#]],
        ),
        (
            "? a: b\n: c\n",
            expect![[r#"
            Invalid YAML in frontmatter: while constructing a mapping
              in "<unicode string>", line 2, column 1:
                ? a: b
                ^ (line: 2)
            found unhashable key
              in "<unicode string>", line 2, column 3:
                ? a: b
                  ^ (line: 2)
        "#]],
        ),
        (
            "a:\n  b: c\nd:\n   e: f\n",
            expect![[r#"
            Invalid YAML in frontmatter: While parsing
              in "<unicode string>", line 5, column 4:
                   e: f
                   ^ (line: 5)
            Found mapping with indentation inconsistent with previous mapping
              in "<unicode string>", line 6, column 1:
    
                ^ (line: 6)
        "#]],
        ),
    ] {
        check(yaml, &expected);
    }
}

#[test]
fn long_lines_are_cut_on_both_sides() {
    let yaml = format!("name: pdf\ndescription: {}: {}\n", "x".repeat(60), "y".repeat(60));
    check(
        &yaml,
        &expect![[r#"
            Invalid YAML in frontmatter: mapping values are not allowed here
              in "<unicode string>", line 3, column 74:
                 ... xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy ...
                                                     ^ (line: 3)
        "#]],
    );
}

#[test]
fn comments_and_block_scalars() {
    check(
        "# a\n\nname: pdf # b\n  # c\n\ndescription: >\n\n  a\n    b\n\n  c\n# d\nlicense: |+ # e\n  f\n\ncompatibility: >2-\n   g\n",
        &expect![[r#"
            {
              "name": "pdf",
              "description": "a\n  b\n\nc",
              "license": "f\n\n",
              "compatibility": " g"
            }
        "#]],
    );
}

#[test]
fn crashes_are_reported_by_type() {
    let nested: String = (0..500).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    let cases: &[(Vec<u8>, Crash)] = &[
        (b"---\nname: \xff\n---\n".to_vec(), Crash::NotUtf8),
        (skill("name: a\0b\n"), Crash::SpecialCharacter(0)),
        (skill("name: a\u{7}b\n"), Crash::SpecialCharacter(7)),
        (skill("name: \"\\U00110000\"\n"), Crash::NoCharacter),
        (skill("? - a\n: b\n"), Crash::ListAsKey),
        (skill(&nested), Crash::TooDeep),
        (vec![b'-'; prowess_format::MAX_FILE_BYTES + 1], Crash::TooLarge),
        (skill(&"x".repeat(256 * 1024)), Crash::TooLarge),
        (skill(&format!("a:\n{}", "- b\n".repeat(20_000))), Crash::TooLarge),
    ];
    for (file, crash) in cases {
        assert_eq!(validate(file, "pdf"), Err(crash.clone()));
        assert_eq!(read_properties(file), Err(Error::Crash(crash.clone())));
    }
}

#[test]
fn storms_end() {
    for storm in
        ["[", "{", "- ", "? ", "a: ", "&a ", "\"", "'", "#", "|\n", "\n", " ", "a:\n", "[a,"]
    {
        let file = skill(&storm.repeat(20_000));
        let _ = validate(&file, "pdf");
    }
}

#[test]
fn scaffold_is_valid() {
    let written = scaffold("pdf-forms", "Fills forms. Use when one arrives: always # so.")
        .expect("a good name and description");
    assert_eq!(validate(written.as_bytes(), "pdf-forms"), Ok(vec![]));
}
